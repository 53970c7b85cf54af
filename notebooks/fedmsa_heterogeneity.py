# %% [markdown]
# # Where does heterogeneity enter FedMSA?
#
# The rates of *Federated Multi-Sequence Stochastic Approximation with Local Hypergradient Estimation* (Ataee
# Tarzanagh, Li, Sharma and Oymak, 2023) have a term $\tau/R$, where $\tau$ says how much the Jacobians of clients
# differ (the problem is that of `fedmsa_three_problems`). **Is that all that clients that differ cost?** There are
# three places: one costs rounds, one is an assumption, and one moves the limit. There is no noise here.

# %% tags=["hide-input"]
import numpy as np

from rateproof.algos import engine
from rateproof.algos.methods.fedmsa import FedMCO, FedMSA
from rateproof.algos.problems.compositional import quadratic_chain
from rateproof.algos.problems.linear_sequences import LinearSequences, linear_sequences, random_sequences
from rateproof.theory import catalog
from rateproof.verify.experiments.figures import Panel, panels
from rateproof.verify.pages.notebook import figure, small, table

# %% [markdown]
# ## It costs rounds
#
# With $K=1$ only the mean maps matter; clients that differ do as one client with their means:

# %%
alpha, beta = 0.05, 0.1
clients = {tau: random_sequences(m=4, N=1, d=2, tau_0=tau, tau_s=tau) for tau in (0.0, 0.5, 1.0, 2.0)}
rows = []
for tau, many in clients.items():
    one = LinearSequences(J=many.J.mean(axis=0)[None], j=many.j.mean(axis=0)[None], dims=many.dims)
    for K in (1, 8):
        ends = [engine.run(FedMSA(alpha=alpha, beta=beta, K=K), p, np.ones(4), R=5, record=[5]) for p in (many, one)]
        rows.append([f"{tau:g}", K, small(np.abs(ends[0].x_last - ends[1].x_last).max())])
table(["tau", "K", "apart after 5 rounds"], rows)

# %% [markdown]
# In the local steps the drawn client knows the mean maps where the round began, and its own. So its direction is off
# by at most $\tau$ times the way moved: nothing at first, and more with each step.

# %% tags=["hide-input"]
steps, start = np.repeat([alpha, beta], 2), np.ones((1, 4))
counts = (1, 2, 4, 8, 16, 32, 64)


def error(maps, m, k=64):
    """How far client m's direction is from the mean maps where it stands, in each local step."""
    w, out = start, []
    for _ in range(k):
        direction = maps.mean_maps(start) + maps.maps(m, w) - maps.maps(m, start)
        out.append(np.linalg.norm(direction - maps.mean_maps(w)))
        w = w - steps * direction
    return out


def rounds(maps, K, step=alpha, R=60):
    """The first round in which 1% of the distance is left; NaN where there is none."""
    done = engine.run(FedMSA(alpha=step, beta=2 * step, K=K), maps, np.ones(4), R=R, runs=20, record=range(R + 1))
    distance = np.sqrt((done.last["dist"] ** 2).mean(axis=1))
    near = distance < 0.01 * distance[0]
    return float(near.argmax()) if near.any() else np.nan


# %%
errors = {tau: np.max([error(maps, m) for m in range(maps.m)], axis=0) for tau, maps in clients.items()}
needed = {tau: [rounds(maps, K, R=max(40, 60 // K)) for K in counts] for tau, maps in clients.items()}
figure(
    panels(
        Panel(
            "error of the direction",
            {rf"$\tau={tau:g}$": (range(1, 64), off[1:]) for tau, off in errors.items() if tau},
            axes={"xlabel": "local step", "yscale": "log"},
        ),
        Panel(
            "rounds",
            {rf"$\tau={tau:g}$": (counts, found) for tau, found in needed.items()},
            marked=True,
            axes={"xlabel": "K", "xscale": "log", "yscale": "log"},
        ),
    ),
    "Left, the error of the direction in a first round. Right, rounds until 1% of the distance is left.",
    "Errors grow with the local step, faster for larger tau; rounds fall with K for tau = 0, and stop or "
    "rise again for the others.",
)

# %% [markdown]
# Clients that do not differ make $K$ steps for the price of one; for the others there is a $K$ beyond which local
# steps cost rounds. That is what the condition $\alpha=\mathcal O(1/(\tau K))$ is for. With $\alpha=\min(\frac1{20},
# \frac2{5\tau K})$, more local steps do no harm, and from some $K$ on no good either:

# %%
rows = []
for tau, maps in clients.items():
    found = [rounds(maps, K, step=min(alpha, 0.4 / (tau * K)) if tau else alpha) for K in counts]
    rows.append([f"{tau:g}", *["never" if np.isnan(one) else int(one) for one in found]])
table(["tau", *[f"rounds, K = {K}" for K in counts]], rows)

# %% [markdown]
# ## It breaks an assumption
#
# A5 says $\langle z-z^*,S^m(u,z)\rangle\le\lambda\|z-z^*\|^2$ of *each* client, about the zero of the *mean*.

# %%
catalog.get("fedmsa.lemD.1.A5")

# %% [markdown]
# So A5 wants common zeros. The method does not: at the zero of the mean maps nobody moves, whoever is drawn.

# %% tags=["hide-input"]
pairs = {"one zero for both": linear_sequences(), "a zero each": linear_sequences(D=[1, 2], E=[1, 3], e=[0, 1])}

# %%
rows = []
for title, maps in pairs.items():
    done = engine.run(FedMSA(alpha=0.1, beta=0.2, K=5), maps, [2.0, -1.0], R=200, record=[200])
    c = maps.constants
    rows.append(
        [title, f"{c.lam_each[0]:g}", f"{c.lam_mean_each[0]:g}", small(done.last["dist"][0, 0])],
    )
table(["", "lambda over the clients", "lambda of the mean", "distance to the zero after 200 rounds"], rows)

# %% [markdown]
# ## It moves the limit
#
# For compositions the gradient is a product of means, and FedMCO sends a mean of products to 0.

# %%
catalog.get("fedmsa.id.mco-mean")

# %% [markdown]
# Two clients with $f^{m,0}=a_mx$ and $f^{m,1}=\frac12z^2-b_mz$, where $a=(1,3)$ and $b=(1,0)$: $f=2x^2-x$ is least at
# $\frac14$.

# %% tags=["hide-input"]
chains = {
    "both levels differ": quadratic_chain(a=(1.0, 3.0), b=(1.0, 0.0)),
    "the first differs": quadratic_chain(a=(1.0, 3.0), b=0.5),
    "the last differs": quadratic_chain(a=2.0, b=(1.0, 0.0)),
}
rows, paths, method = [], {}, FedMCO(alpha=0.02, beta=0.2, K=5)
for title, chain in chains.items():
    start = chain.settled(np.array([[1.0]]))[0]
    done = engine.run(method, chain, start, R=300, record=range(301), metrics={"x": lambda problem, w: w[:, 0]})
    end = done.x_last[:, :1]
    paths[title] = (done.rounds[:31], done.last["x"][:31, 0])
    tau_0, tau_1 = (np.ptp(slopes) / 2 for slopes in (chain.slope[:, 0], chain.slope[:, 1]))
    away = abs(chain.P(end)[0, 0] - chain.grad_f(end)[0, 0])
    numbers = (end[0, 0], chain.solution, chain.grad_f(end)[0, 0] + 0.0, away, tau_0 * tau_1)
    rows.append([title, *[f"{number:.6f}".replace("-0.000000", "0.000000") for number in numbers]])
random, points = np.random.default_rng(0), {}
for M in (2, 4, 10):
    drawn = []
    for _ in range(60):
        a, b = 2 + random.uniform(-1, 1, size=M), random.uniform(-1, 1, size=M)
        chain, x = quadratic_chain(m=M, a=a, b=b), random.normal(size=(1, 1))
        tau = np.abs(a - a.mean()).max() * np.abs(b - b.mean()).max()
        drawn.append((tau, abs(chain.P(x)[0, 0] - chain.grad_f(x)[0, 0])))
    assert all(away <= tau + 1e-12 for tau, away in drawn)
    points[f"M = {M}"] = np.array(drawn).T

# %%
square = {"xlim": (0, 1.2), "ylim": (0, 1.2)}
figure(
    panels(
        Panel("x, and grey 1/4 and 1/8", paths, levels=(1 / 8, 1 / 4), axes={"xlabel": "round"}),
        Panel(
            r"$|P-f'|$",
            points,
            grey={"_": ([0, 1.2], [0, 1.2])},
            dots=True,
            axes={"xlabel": r"$\tau_0\tau_1$", **square},
        ),
    ),
    "Left, where FedMCO goes; right, how far P is from the gradient, beside the bound tau_0 tau_1.",
    "Where both levels differ x goes to one eighth, otherwise to one quarter; all points at the right lie "
    "below the diagonal, those of two clients on it.",
)

# %%
table(["", "x at the end", "minimiser", "f' at the end", "|P - f'|", "tau_0 tau_1"], rows)

# %% [markdown]
# What is off is the covariance of the slopes over the clients. No step size, number of rounds or local steps changes
# it, and it is not in the rate of Corollary D.1:

# %%
catalog.get("fedmsa.corD.1")
