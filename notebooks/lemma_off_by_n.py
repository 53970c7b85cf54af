# %% [markdown]
# # A lemma that is off by N
#
# StR-FedAvg, of *Self-tuned Regularized Federated Methods with Guarantees for Optimal Solution Selection* (Ebrahimi,
# Qiu, Cui, Yousefian), minimises a mean $f=\frac1N\sum_if_i$ over clients. Its first lemma bounds how large the
# gradients of single clients can be. **Is the bound true, and if not, what should it say?**

# %% tags=["hide-input"]
from fractions import Fraction

from rateproof.theory import catalog
from rateproof.verify import registry
from rateproof.verify.checks import Budget, check_claim
from rateproof.verify.experiments.figures import Panel, panels
from rateproof.verify.pages.notebook import figure, slider, table, text, told

# %% [markdown]
# A claim alone in a cell shows itself: what is printed, what holds, and an instance that decides.

# %%
lemma = catalog.get("strfedavg.lem1")
lemma

# %% [markdown]
# ## By hand
#
# An even number of clients, half of them with $f_i=\frac12(x-1)^2$, half with $f_i=\frac12(x+1)^2$, so that $L_f=1$.
# All is in fractions:


# %%
def sides(N, x):
    """The left side, the printed right side and that with 2 L."""
    places = [(-1) ** i for i in range(N)]
    gradients = [x - at for at in places]
    left = Fraction(sum(g * g for g in gradients), N)
    inf_f = Fraction(sum(at * at for at in places), 2 * N)  # at x = 0, the mean of the places
    growth = left / 2 - inf_f  # f(x) - inf f, as f_i = g_i^2/2
    return left, 2 * inf_f / N + 2 * growth, 2 * inf_f + 2 * growth


NAMES = ("left side", "as printed", "with 2 L")
slider(
    "N",
    {str(N): dict(zip(NAMES, map(float, sides(N, 0)), strict=True)) for N in (2, 4, 8, 16, 32, 64)},
    "Both sides at x = 0, where the mean is least: the printed one has to be the larger, and shrinks with N.",
)

# %%
places = [k / 20 for k in range(-40, 41)]
left, *bounds = ([float(v) for v in values] for values in zip(*(sides(10, Fraction(x)) for x in places), strict=True))
lines = {name: (places, values) for name, values in zip(NAMES[1:], bounds, strict=True)}
figure(
    panels(Panel("ten clients", lines, grey={NAMES[0]: (places, left)}, axes={"xlabel": "x"})),
    "The mean squared gradient beside both right sides, for ten clients. With 2 L it is an equality everywhere.",
    "Three parabolas in x; that of the printed bound lies below that of the left side, with which the third coincides.",
)

# %% [markdown]
# ## By the toolkit
#
# A check tries the claim on families of instances of which all constants are known, and counts a violation only where
# every hypothesis was evaluated and holds. Another reading, $2L$ in place of $2L/N$, is checked beside the printed one.

# %%
found = check_claim(lemma, Budget())
rows = [["as printed", found.verdict, f"{found.worst_ratio:.4g}"]]
rows += [[name, one["verdict"], f"{one['worst_ratio']:.4g}"] for name, one in found.readings.items()]
table(["reading", "verdict", "largest left / right"], rows)

# %%
replayed = registry.record(lemma).counterexample.replayed()
text(
    f"{found.instances} admissible instances were tried. The stored counterexample, replayed in exact arithmetic with "
    f"all {len(lemma.hypotheses)} hypotheses: {float(replayed.left):g} against {float(replayed.right):g}."
)

# %% [markdown]
# ## What it should say

# %%
corrected = catalog.get("strfedavg.lem1.corrected")
corrected

# %% [markdown]
# The proof is short; each step is checked from the typed hypotheses alone.

# %%
table(
    ["step", "", "shows", "by"],
    [
        [one.number, one.name, " ".join(f"${row}$" for row in one.formula) or one.words, one.grounds]
        for one in told(corrected).proof
    ],
)

# %% [markdown]
# A constant may seem a small matter. What stands on it is the question of `what_breaks`.
