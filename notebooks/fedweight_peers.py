# %% [markdown]
# # Do the weights find their peers?
#
# A center has a few validation data of its own law; nodes have more, and some of them, the peers, have the same law.
# Weights on the nodes decide on a model, and the validation loss decides on the weights. This is *Federated learning
# on adaptively weighted nodes by bilevel optimisation* (anonymous); Algorithm 2 is an accelerated method, Algorithm 3
# a proximal gradient method. **Do the weights end at the peers?** What the theorems promise is the question of
# `fedweight_promises`.

# %% tags=["hide-input"]
import numpy as np

from rateproof.algos import engine
from rateproof.algos.convex_sets import CappedSimplex
from rateproof.algos.methods.fedweight import AcceleratedWeights, ProximalWeights
from rateproof.algos.problems.weighted_families import QuadraticSamples, bernoulli_nodes, gaussian_nodes
from rateproof.verify.experiments import figures
from rateproof.verify.experiments.figures import Panel, panels
from rateproof.verify.pages.notebook import figure, slider, table, text

METHODS = {"Algorithm 2": AcceleratedWeights, "Algorithm 3": ProximalWeights}


def curvature(problem):
    """The largest second derivative of ``F^`` along the simplex, for means."""
    off = problem.c[1:] - problem.c[1:].mean(axis=0)
    return np.linalg.eigvalsh(off @ off.T)[-1]


def of_weights(K):
    return {f"w_{k}": lambda problem, z, k=k: z[:, k] for k in range(K)}


# %% [markdown]
# ## Means, where all is in closed form
#
# For $l=\frac12\|\theta-z\|^2$ the model is the weighted mean of the nodes' means, and $\hat
# F(w)=\frac12\|\hat\theta(w)-\hat m_0\|^2$ up to a constant, with $\hat m_0$ the mean of the validation data. So
# $\hat\theta(\hat w)$ is the point of a polytope that is next to $\hat m_0$. Three nodes, one of them a peer: coins,
# and normal vectors in the plane. Both methods from equal weights:

# %% tags=["hide-input"]
coins = bernoulli_nodes(chances=(0.4, 0.4, 0.6, 0.7), n_train=100, n_valid=10, seed=3)
plane = gaussian_nodes(nodes=3, J=1, d=2, n_train=100, n_valid=10, seed=3)
instances = {"coins, on a line": coins, "normal vectors, in the plane": plane}
corners = np.array([[0.0, 0.0], [1.0, 0.0], [0.5, np.sqrt(3) / 2]])
grid = np.array([(i, j, 60 - i - j) for i in range(61) for j in range(61 - i)]) / 60
drawn, (axes,) = figures.figure(2)
ends = []
for ax, (title, problem) in zip(axes, instances.items(), strict=True):
    ax.tricontour(*(grid @ corners).T, problem.F_hat(grid), levels=14, colors="0.75", linewidths=0.8)
    ax.plot(*corners[[0, 1, 2, 0]].T, color="0.4", linewidth=0.8)
    ax.plot(*corners[0], "*", color="#000000", markersize=11)
    for name, (colour, dash, marker) in zip(METHODS, figures.STYLES[1:], strict=False):
        method = METHODS[name](eta=1 / curvature(problem), inner="exact")
        done = engine.run(method, problem, problem.x0, R=60, record=range(61), metrics=of_weights(3))
        path = np.stack([done.last[f"w_{k}"][:, 0] for k in range(3)], axis=1) @ corners
        ax.plot(*path.T, color=colour, linestyle=dash, marker=marker, markersize=4, fillstyle="none", label=name)
        weights, centre = done.x_last[0, :3], problem.c[0]
        off = np.linalg.norm(weights @ problem.c[1:] - centre)
        ends.append([title, name, *[f"{x:.3f}" for x in weights], "below 1e-6" if off < 1e-6 else f"{off:.3f}"])
    ax.set(title=title, xticks=[], yticks=[], aspect="equal", xlim=(-0.05, 1.05), ylim=(-0.05, 0.92))
    ax.grid(visible=False)
    ax.legend(frameon=False, fontsize="small")
figure(
    drawn,
    "Levels of the validation loss over the triangle of weights, and sixty iterations; star: the peer.",
    "On the line the levels are parallel and the paths end on a segment; in the plane they end near the peer's corner.",
)

# %%
table(["", "", "w_1 at the end", "w_2", "w_3", "distance of theta^(w) to the validation mean"], ends)

# %% [markdown]
# On the line a whole segment of weights is optimal, and the weights say nothing: bilevel optimisation is then local
# training. It happens whenever $\hat m_0$ lies between the nodes' means.
#
# ## Two groups
#
# Now 5 peers and 10 others, normal vectors in 20 dimensions with mean $0$ and $e_1$. Algorithm 3 with Local-SVRG, and
# what both algorithms make of the peers' weight:

# %% tags=["hide-input"]
random = np.random.default_rng(1)
counts = [20] + [200] * 15
laws = np.zeros((16, 20))
laws[6:, 0] = 1.0
points = np.concatenate([m + random.normal(size=(n, 20)) for m, n in zip(laws, counts, strict=True)])
groups = QuadraticSamples(points=points, sizes=counts, centre=np.zeros(20), radius=2.0, b=1.0, name="two groups")
short, long = 1 / (3 * groups.constants.ell_F(15)), 1 / curvature(groups)
call = {"gamma": 0.05, "tau": 10, "q": 1 / 50, "steps": 100}
runs = {
    "Algorithm 3, Local-SVRG": ProximalWeights(eta=long, **call),
    "Algorithm 2, Local-SVRG": AcceleratedWeights(eta=long, **call),
    "Algorithm 2, exact": AcceleratedWeights(eta=long, inner="exact"),
    "Algorithm 2, exact, step of Theorem 3": AcceleratedWeights(eta=short, inner="exact"),
}
done = {
    name: engine.run(m, groups, groups.x0, R=60, record=range(61), metrics=of_weights(15)) for name, m in runs.items()
}
weights = {name: np.stack([ran.last[f"w_{k}"][:, 0] for k in range(15)], axis=1) for name, ran in done.items()}

# %%
every, axes = weights["Algorithm 3, Local-SVRG"], {"xlabel": "outer iteration"}
figure(
    panels(
        Panel("weights", {"peers": (range(61), every[:, :5]), "others": (range(61), every[:, 5:])}, axes=axes),
        Panel(
            "weight of the peers",
            {name: (range(61), of[:, :5].sum(axis=1)) for name, of in weights.items()},
            axes=axes | {"ylim": (0.3, 1.02)},
        ),
    ),
    "Left, the weight of every node; right, that of all peers. The step of Theorem 3 is beside 1/L.",
    "Weights of the others go to zero, those of the peers part; the total of the peers goes above four fifths, "
    "slowly with the theorem's step.",
)

# %%
text(f"The step 1/L is {long:.3g}, that of the theorems {short:.3g}: {long / short:.0f} times smaller.")

# %% [markdown]
# The group is found. Within it weights follow the noise of $\hat m_0$ until some peers have weight 0.
#
# ## How many validation data, how different the others?


# %% tags=["hide-input"]
def solved(means, centre, b=1.0, steps=400):
    """The weights that minimise ``F^`` for many draws at once, by accelerated projected gradients."""
    off = means - means.mean(axis=1, keepdims=True)
    gram, slope = off @ off.transpose(0, 2, 1), np.einsum("rkd,rd->rk", off, centre - means.mean(axis=1))
    top, X, t = np.linalg.eigvalsh(gram)[:, -1:], CappedSimplex(means.shape[1], b), 1.0
    w = ahead = np.full(slope.shape, 1 / means.shape[1])
    for _ in range(steps):
        after = X.project(ahead - (np.einsum("rkj,rj->rk", gram, ahead) - slope) / top)
        t, before = (1 + np.sqrt(1 + 4 * t * t)) / 2, t
        w, ahead = after, after + (before - 1) / t * (after - w)
    return w


def draws(runs, *, d, n_valid, shift=1.0, n_train=200, peers=5, others=10):
    """Means of the nodes and of the validation data; ``others`` have the mean ``shift e_1``."""
    random = np.random.default_rng(0)
    means = random.normal(size=(runs, peers + others, d)) / np.sqrt(n_train)
    means[:, peers:, 0] += shift
    return means, random.normal(size=(runs, d)) / np.sqrt(n_valid)


# %% tags=["hide-input"]
along = {
    "validation data": [{"n_valid": n, "shift": 1.0} for n in (5, 10, 20, 40, 80, 160, 320)],
    "shift of the others": [{"n_valid": 20, "shift": s} for s in (0.05, 0.1, 0.2, 0.4, 0.8, 1.6, 3.2)],
}
drawn, axes = figures.figure(2, rows=2, height=3.0)
kept = {}
for column, (title, cases) in enumerate(along.items()):
    x = [case["n_valid" if column == 0 else "shift"] for case in cases]
    lines = {"weighting": [], "local training": [], "equal weights": [], "equal weights on the peers": []}
    shares = []
    for case in cases:
        means, centre = draws(400, d=20, **case)
        w = solved(means, centre)
        theta = np.einsum("rk,rkd->rd", w, means)
        shares.append(w[:, :5].sum(axis=1).mean())
        lines["weighting"].append((theta**2).sum(axis=1).mean() / 2)
        lines["local training"].append(20 / (2 * case["n_valid"]))
        lines["equal weights"].append((case["shift"] * 10 / 15) ** 2 / 2 + 20 / (2 * 15 * 200))
        lines["equal weights on the peers"].append(20 / (2 * 5 * 200))
    top, bottom = axes[:, column]
    top.plot(x, shares, color="#d55e00", marker="D", fillstyle="none")
    top.axhline(1 / 3, color="0.6", linewidth=0.8)
    top.set(title="mean weight of the peers", xscale="log", ylim=(0.3, 1.02))
    order = ("weighting", "local training", "equal weights", "equal weights on the peers")
    for label, (colour, dash, marker) in zip(order, (figures.STYLES[3], *figures.STYLES[:3]), strict=True):
        bottom.plot(x, lines[label], color=colour, linestyle=dash, marker=marker, fillstyle="none", label=label)
    bottom.set(title="mean excess risk", xlabel=title, xscale="log", yscale="log")
    kept[title] = (x, lines)
axes[1, 0].legend(frameon=False, fontsize="small")
figure(
    drawn,
    "Above, the mean weight of the peers; below, the mean excess risk beside the exact means of its rivals.",
    "The weight of the peers rises with validation data and with the shift; weighting is the best of three "
    "for large shifts, equal weights for small ones.",
)

# %% [markdown]
# Where the others hardly differ, equal weights are better: they average more noise away. Weight goes astray as $\hat
# m_0$ is off by chance, by a mean of $1/(\sqrt{2\pi n_{\rm valid}}\,\text{shift})$ in the direction of the others;
# measured, the weight of the others with many training data:

# %%
values = {}
for n_valid in (5, 10, 20, 40, 80, 160, 320):
    w = solved(*draws(400, d=20, n_valid=n_valid, n_train=20_000))
    lost = float(1 - w[:, :5].sum(axis=1).mean())
    values[str(n_valid)] = {"weight of the others": lost, "closed form": 1 / np.sqrt(2 * np.pi * n_valid)}
slider("n_valid", values, "Weight that does not find the peers, mean of 400 draws beside the closed form.", start="20")

# %% [markdown]
# **So:** on a line the weights need not find anybody. Elsewhere they find the group of their peers, up to a share
# that $n_{\rm valid}^{-1/2}$ decides, if it differs enough from the rest. Within the group they follow noise.
