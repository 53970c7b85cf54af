# %% [markdown]
# # MeFBO beside its rivals: what do its experiments show?
#
# **The problem.** Clients share an upper loss $F(x,y)$ and a lower one $G(x,y)$; wanted is a small $F$ at a minimiser
# $y$ of $G(x,\cdot)$. **MeFBO** asks for gradients only: it follows $F/c+G(x,y)-G(x,\theta)-\|\theta-y\|^2/(2\gamma)$
# down in $(x,y)$ and up in $\theta$. SimFBO, FedNest and LFedNest need products with second derivatives.
#
# The paper: *MeFBO: A Moreau Envelope Based First-Order Stochastic Gradient Method for Nonconvex Federated Bilevel
# Optimization*. It reports that MeFBO has the best test accuracy on three learning tasks on MNIST, lists the step
# sizes of all methods, and prints one table of numbers. **This notebook asks whether the listed step sizes give
# that.** Images are the 1,797 digits that scikit-learn ships; nothing here needs a data file. Where nothing else is
# said, 20 clients have them, 5 take part in a round, and an interval is one of Student's over five repetitions, at
# 95%; each repetition has a division of the data, a start and draws of its own, the same for all methods.

# %%
import io
import math
from dataclasses import replace

import numpy as np
from IPython.display import Image, Markdown
from matplotlib.figure import Figure
from scipy.special import stdtr

from rateproof.algos import engine
from rateproof.theory import catalog
from rateproof.verify.checks import Budget, check_claim
from rateproof.verify.experiments.intervals import half_width
from rateproof.verify.pages.render import markdown_table
from rateproof.verify.papers.mefbo.experiments import learning, tables
from rateproof.verify.papers.mefbo.experiments.learning import SCALES, SLOWED, WEIGHTED, Cell

SCALE = replace(SCALES["digits"], repetitions=5, rounds=200)


def table(head, rows):
    return Markdown(markdown_table(head, rows))


def png(figure):
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", metadata={"Software": None})
    return Image(buffer.getvalue())


def percent(samples):
    """Mean and half width of its interval, in percent."""
    return f"{100 * samples.mean():.1f} ± {100 * half_width(samples, 0.05):.1f}"


# %% [markdown]
# ## 1. The listed steps
#
# With one local step a round changes $\theta-y$ into
#
# $$\Bigl(1+\frac{\lambda_y-\lambda_\theta}{\gamma}\Bigr)(\theta-y)-\lambda_\theta\nabla_2g(x,\theta)
# +\lambda_y\bigl(\tfrac1c\nabla_2f(x,y)+\nabla_2g(x,y)\bigr).$$
#
# That is stable only if $\lambda_y\le\lambda_\theta\le\lambda_y+2\gamma$, up to gradients: $\theta$ has to follow
# $y$. The theorems take $\lambda_y=c_\theta\lambda_\theta$ with a small $c_\theta$. Tables 3 to 5 and Appendices B
# and F list:

# %%
rows = [
    (place, steps, penalty, 1 + (float(steps[1]) - float(steps[2])) / float(penalty.gamma))
    for place, steps, penalty in tables.listed()
]
shown = [row for row in rows if "tau" in row[0] or row[0].endswith(("rc = 0", "rc = 0.07"))]
table(
    ["where", "$\\gamma$", "$\\lambda_x,\\lambda_y,\\lambda_\\theta$", "factor"],
    [[place, penalty.gamma, ", ".join(steps), f"{factor:.3g}"] for place, steps, penalty, factor in shown],
)

# %%
factors = [factor for *_, factor in rows]
print(f"{len(rows)} settings, factors from {min(factors):.3g} to {max(factors):.3g}")

# %% [markdown]
# In every setting $\lambda_y>\lambda_\theta$, and $\theta-y$ is multiplied by more than 1 in each round. So the printed
# method with the listed steps cannot stay where gradients are small. What it does on hyper-representation
# (first layer $x$, classifier $y$), beside two other versions:
#
# - **weight gamma**: $\gamma(\theta-y)$ in the place of $(\theta-y)/\gamma$, all else as listed, a guess at what may
#   have been run;
# - **slow y**: as printed, with $\lambda_\theta=\gamma$ and $\lambda_y=\gamma/2$, so that the factor is $\tfrac12$.

# %%
REPRESENTATION = Cell(task="representation", split="skewed")
VERSIONS = ("MeFBO", WEIGHTED, SLOWED)
problem = learning.problem(REPRESENTATION, SCALE, seed=0)
figure = Figure(figsize=(11, 3.6), dpi=90, layout="constrained")
left, right = figure.subplots(1, 2)
for name, colour in zip(VERSIONS, ("#d55e00", "#0072b2", "#009e73"), strict=True):
    with np.errstate(over="ignore", invalid="ignore"):
        done = engine.run(
            learning.method(name, REPRESENTATION, SCALE),
            problem,
            problem.start(0),
            R=100,
            record=range(101),
            metrics={"accuracy": lambda p, z: p.accuracy(z)},
            measures={"apart": lambda s: np.linalg.norm(s.theta - problem.split(s.z)[1], axis=1)},
        )
    left.plot(done.rounds[1:], done.last["apart"][1:, 0], color=colour, label=name)
    right.plot(done.rounds, done.last["accuracy"][:, 0], color=colour)
left.set(yscale="log", title="$\\|\\theta-y\\|$", xlabel="round")
right.set(title="test accuracy", xlabel="round", ylim=(0, 1))
left.legend(frameon=False)
png(figure)

# %% [markdown]
# As printed, $\|\theta-y\|$ grows by the factor of the table from the first rounds on, and the accuracy falls back
# to that of guessing. The other two learn.
#
# ## 2. Accuracy, per round and per number sent
#
# All methods with the listed steps, clients with two shards of the sorted rows each (as in the published code of
# FedNest). F2SA, which is MeFBO without the proximal term, FedMBO and FBO-AggITD take the steps of the listed method
# that is nearest to them; with one local step FedBiO is SimFBO. A round is one communication: FedNest needs nine for
# an iteration.

# %%
NAMES = ("MeFBO", WEIGHTED, SLOWED, "F2SA", "SimFBO", "FedNest", "LFedNest", "FedMBO", "FBO-AggITD")
COLOURS = ("#d55e00", "#0072b2", "#56b4e9", "#009e73", "#000000", "#cc79a7", "#e69f00", "0.5", "0.75")


def courses(cell, names):
    with np.errstate(over="ignore", invalid="ignore"):
        return {name: learning.run(name, cell, SCALE) for name in names}


main = courses(REPRESENTATION, NAMES)
figure = Figure(figsize=(11, 4), dpi=90, layout="constrained")
axes = figure.subplots(1, 2, sharey=True)
for (name, course), colour in zip(main.items(), COLOURS, strict=True):
    mean = course.accuracy.mean(axis=0)
    band = np.array([half_width(column, 0.05) for column in course.accuracy.T])
    for ax, x in zip(axes, (course.rounds, course.floats / 1e6), strict=True):
        ax.plot(x, mean, color=colour, label=name)
        ax.fill_between(x, mean - band, mean + band, color=colour, alpha=0.15, linewidth=0)
axes[0].set(xlabel="communications", ylabel="test accuracy", ylim=(0, 1))
axes[1].set(xlabel="numbers sent up and down, millions")
axes[1].legend(frameon=False, fontsize="small", loc="center left", bbox_to_anchor=(1, 0.5))
png(figure)

# %%
table(
    ["method", "accuracy, %", "communications", "vectors", "numbers, millions", "gradients"],
    [
        [
            name,
            percent(course.accuracy[:, -1]),
            f"{course.rounds[-1]:.0f}",
            f"{course.vectors[-1]:.0f}",
            f"{course.floats[-1] / 1e6:.2f}",
            f"{course.calls[-1]:.0f}",
        ]
        for name, course in main.items()
    ],
)

# %% [markdown]
# Gradients are those of all clients together, a product with second derivatives counted as two. MeFBO sends
# $(x,y,\theta)$ and SimFBO $(x,y,v)$: the same numbers. What MeFBO saves are the products.
#
# ## 3. The other two tasks
#
# Loss tuning: $x$ shapes the loss of imbalanced classes, three local steps, clients alike. Hyper-cleaning: $x$ weighs
# training rows, of which seven in ten have a class at random. Rounds and steps as before.

# %%
OTHER = (Cell(task="loss", tau=3), Cell(task="cleaning", corruption=0.7))
FEW = ("MeFBO", WEIGHTED, "F2SA", "SimFBO", "FedNest", "LFedNest")
found = {str(cell): courses(cell, FEW) for cell in OTHER}
table(
    ["accuracy, %", *FEW],
    [[setting, *(percent(done[name].accuracy[:, -1]) for name in FEW)] for setting, done in found.items()],
)

# %% [markdown]
# And in pairs, repetition by repetition: by how much is the version **weight gamma** ahead?

# %%
RIVALS = ("SimFBO", "FedNest", "LFedNest")
everything = {str(REPRESENTATION): main, **found}
rows = []
for setting, done in everything.items():
    leads = {name: done[WEIGHTED].accuracy[:, -1] - done[name].accuracy[:, -1] for name in RIVALS}
    rows.append([setting, *(percent(lead) for lead in leads.values())])
table(["lead in percent points over", *RIVALS], rows)

# %% [markdown]
# ## 4. The verdicts
#
# Of the paper's sentences on its figures nothing is decided here as printed: that needs all of MNIST, Fashion-MNIST
# or CIFAR-10. Beside it stand two readings, decided by recorded runs with ten repetitions on these digits and on
# 5,000 images of MNIST (`python -m rateproof.verify.papers.mefbo.experiments.learning` makes them): the method as
# printed on fewer images, and the version **weight gamma**. Refuted means beyond a chance of one in a million,
# supported that all differences of which a sentence speaks are significantly positive together.

# %%
rows = []
for claim in catalog.claims("mefbo").values():
    if claim.id.startswith("mefbo.exp-") and not claim.amends:
        result = check_claim(claim, Budget())
        readings = {name.split("=")[0]: found["verdict"] for name, found in result.readings.items()}
        rows.append(
            [
                f"`{claim.id.partition('.')[2]}`",
                claim.source.place,
                claim.title,
                result.verdict,
                readings.get("images", ""),
                readings.get("weight", ""),
            ]
        )
table(["claim", "place", "about", "as printed", "on fewer images", "weight gamma"], rows)

# %% [markdown]
# Table 2 itself has the best mean and the smallest deviation for MeFBO in all six columns. Does it show that the
# methods differ? Welch's test of two means from ten repetitions each, beside the closest rival:

# %%
rows = []
for split in tables.SPLITS:
    for rounds in tables.ROUNDS:
        ours, other = (tables.TABLE2[name, split, rounds] for name in ("MeFBO", "SimFBO"))
        u, v = (float(e.deviation) ** 2 / 10 for e in (ours, other))
        t = (float(ours.mean) - float(other.mean)) / math.sqrt(u + v)
        chance = 2 * stdtr((u + v) ** 2 / (u**2 / 9 + v**2 / 9), -t)
        rows.append([split, rounds, *(f"{e.mean} ± {e.deviation}" for e in (ours, other)), f"{t:.1f}", f"{chance:.1g}"])
table(["split", "rounds", "MeFBO", "SimFBO", "t", "two-sided chance"], rows)

# %% [markdown]
# So the printed means of MeFBO are ahead of those of SimFBO by 0.2 to 0.8 points, and each of them alone beyond chance
# but the first. With all 36 comparisons of the table at once (`rateproof show mefbo.exp-1`) the fourth is open as well,
# and most of the deviations i.i.d. are. They are not the means of the printed method with the listed steps, which does
# not learn: either the proximal parameter or the steps were others than the paper says.
