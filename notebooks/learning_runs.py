# %% [markdown]
# # Learning runs: what do the curves of FedRZO show?
#
# Sections 6.1 to 6.3 of *Zeroth-Order Federated Methods for Stochastic MPECs and Nondifferentiable Nonconvex
# Hierarchical Optimization* (Qiu, Shanbhag, Yousefian) print figures on MNIST and no numbers: more local steps $H$ are
# better, the radius $\eta$ hardly matters, other methods are sensitive. **Which of this is the method?** Here on the
# 1,797 digits that scikit-learn ships; printed parameters are kept. Intervals are Student's at 95%.

# %% tags=["hide-input"]
from dataclasses import replace

import numpy as np

from rateproof.algos.data import digits
from rateproof.verify.experiments import figures
from rateproof.verify.pages.notebook import figure, table, text
from rateproof.verify.papers.fedrzo.experiments import fair, hyper, network

rows = digits()


def said(values):
    """Mean and half width of the interval."""
    mean, half = figures.interval(np.asarray(values))
    return f"{mean:.2f} ± {half:.2f}"


def at_round(ran, metric, r):
    return ran.last[metric][list(ran.rounds).index(r)]


# %% [markdown]
# ## A network with ReLU

# %%
net = network.Plan(R=100, runs=3, betas=(1.0, 10.0, 100.0), radii=(0.1, 0.001))
dealt = network.dealt(net, rows)
relu = network.relu_network(net, dealt)
steps = network.by_local_steps(net, relu)
smooth = network.by_sharpness(net, dealt, 20)
panels = {rf"$\eta={eta:g}$": {} for eta in net.radii}
for (eta, H), ran in steps.items():
    panels[rf"$\eta={eta:g}$"][f"H = {H}"] = (ran.rounds, ran.last["loss"])
panels["FedAvg on softplus, 20 local steps"] = {
    rf"$\beta={beta:g}$": (ran.rounds, ran.last["loss"]) for (name, beta), ran in smooth.items() if name == "FedAvg"
}
figure(
    figures.losses(panels, ylabel="ReLU loss"),
    f"FedRZO for two radii, and FedAvg on smoothed units; {net.m} clients, step {net.gamma:g}, {net.runs} runs.",
    "Losses fall faster for larger H, alike for both radii; those of FedAvg depend on beta.",
)

# %% [markdown]
# More local steps are better per round, and the radius hardly matters: reproduced. But a round with $H=20$ takes twenty
# times the iterations. At 400 iterations for all:

# %%
table(
    ["loss", *(f"H = {H}" for H in (5, 10, 20))],
    [[f"eta = {eta:g}", *(said(at_round(steps[eta, H], "loss", 400 // H)) for H in (5, 10, 20))] for eta in net.radii],
)

# %% [markdown]
# Nothing is left of it. And the common step is not fair to the others: a gradient bears a larger one than an estimate
# from two values, whose second moment is about $n$ times as large.

# %%
lines = []
for factor in (1, 10, 100):
    bolder = replace(net, gamma=factor * net.gamma, radii=(0.1,), local_steps=(20,), betas=(100.0,))
    with np.errstate(all="ignore"):
        (zeroth,) = network.last(network.by_local_steps(bolder, relu).values())
        (first,) = network.last([network.by_sharpness(bolder, dealt, 20, ("FedAvg",))["FedAvg", 100.0]])
    lines.append([f"{bolder.gamma:g}", *(f"{v:.1f}" if v < 1e3 else "diverges" for v in (zeroth, first))])
table(["step", "FedRZO, H = 20", "FedAvg, 20 local steps"], lines)

# %% [markdown]
# ## Weights of a regularisation
#
# Each client chooses a weight; the lower level is logistic regression with these. It depends on the mean of the weights
# only, so the best value can be computed. And the upper loss does not contain $x$: with the lower-level points of the
# start of the round, $H$ local steps of size $\gamma$ are one step of size $H\gamma$.

# %%
choice = hyper.Plan()
weights = hyper.problem(choice, rows)
chosen = hyper.curves(choice, weights)
grid = np.geomspace(0.02, 10, 200)
losses = weights.loss_at(grid)
drawn = figures.losses(
    {"test loss": {f"H = {H}": (ran.rounds, ran.last["f"]) for H, ran in chosen.items()}}, ylabel="f"
)
drawn.axes[0].axhline(losses.min(), color="0.6", linewidth=0.8)
figure(
    drawn,
    f"The test loss; grey: its least value, {losses.min():.3f}, at the mean weight {grid[losses.argmin()]:.3f}.",
    "The curves fall towards the grey line, those of larger H faster; where they settle the order is reversed.",
)

# %%
once = hyper.curves(replace(choice, gamma=choice.gamma / 10, R=20, runs=2, local_steps=(10,)), weights)[10]
same = hyper.curves(replace(choice, R=20, runs=2, local_steps=(1,)), weights)[1]
apart = np.abs(once.x_last - same.x_last).max()
close = "agree to 1e-10" if apart < 1e-10 else f"differ by {apart:.0e}"
text(f"H = 10 with a tenth of the step, and H = 1, with the same seed: the models {close}.")

# %%
table(
    ["rounds", *(f"H = {H}" for H in chosen)],
    [[r, *(said(at_round(ran, "f", r)) for ran in chosen.values())] for r in (50, 100, 200)],
)

# %% [markdown]
# ## Fair classes
#
# A minimax problem over class weights, against even weights; three digits, clients with very different shares.

# %%
with np.errstate(all="ignore"):
    classes = fair.curves(fair.Plan(), rows)
    titles = {"worst_test": "worst class, test rows", "mean_test": "mean over classes, test rows"}
    drawn = figures.losses(
        {title: {name: (ran.rounds, ran.last[key]) for name, ran in classes.items()} for key, title in titles.items()},
        ylabel="squared error",
    )
figure(
    drawn,
    "Larger H is faster up to a point: with one direction a round, all local steps go the same way.",
    "Errors over the rounds for several H and for even weights; the curve of the largest H leaves the figure.",
)

# %%
with np.errstate(all="ignore"):
    ends = [
        [name, *(f"{v:.3f}" if v < 10 else "diverges" for v in (ran.last[key][-1].mean() for key in titles))]
        for name, ran in classes.items()
    ]
table(["at the end", "worst class", "mean over classes"], ends)

# %% [markdown]
# So the figures can be reproduced in their order, and what they show of $H$ is what longer steps do.
