# %% [markdown]
# # What does the third sequence do to the hypergradient?
#
# The gradient of $f(x,w^*(x))$ has an indirect part with the solution $v^*$ of a linear system whose matrix, the mean
# Hessian, no client knows. FedNest solves it at the start of a round by a series of communications and keeps it
# during local steps. FedBLO, of *Federated Multi-Sequence Stochastic Approximation with Local Hypergradient
# Estimation* (Ataee Tarzanagh, Li, Sharma and Oymak, 2023), has a third sequence for $v$ that moves along with $x$
# and $w$. **What do we get for it?**

# %% tags=["hide-input"]
import numpy as np

from rateproof.algos import engine
from rateproof.algos.methods.bilevel_parts import neumann
from rateproof.algos.methods.fedmsa import FedBLO
from rateproof.algos.methods.fednest import FedNest
from rateproof.algos.problems.bilevel_quadratic import tracking_quadratic
from rateproof.algos.problems.bilevel_sequences import blo_maps_eq2
from rateproof.theory import catalog
from rateproof.verify.experiments.figures import Panel, panels
from rateproof.verify.pages.notebook import figure, table, text

# %% [markdown]
# ## It tracks the solution of the linear system
#
# Two clients with $g^m=\frac12H_mw^2-w(x+c_m)$ and $f^m=\frac12(w-t_m)^2+\frac\mu2x^2$, where $H=(1,2)$, $c=(0,1)$,
# $t=(1,-1)$, $\mu=\frac1{10}$. So $w^*(x)=\frac23x+\frac13$, and $v^*(x)=\frac23w^*(x)$. One run of FedBLO from
# $x=2$, $w=v=0$, without noise:

# %% tags=["hide-input"]
problem = tracking_quadratic()
maps = blo_maps_eq2(problem)
rounds = 120
method = FedBLO(alpha=0.1, beta=0.1, K=5)


def series_error(z, terms):
    """What a hypergradient with that many terms of the series is off by."""
    f_x, f_w = problem.split(problem.grad_F(z))
    v = neumann(f_w, lambda p: problem.split(problem.product_G(z, p))[1], terms, problem.constants.L_2)
    return np.abs(f_x - problem.split(problem.product_G(z, v))[0] - problem.hypergradient(z[:, :1]))[:, 0]


measures = {
    "$|w-w^*(x)|$": lambda state: np.abs(state.w - maps.settled(state.w[:, :1]))[:, 1],
    "$|v-v^*(x)|=|P(x,w^*,v)-f'(x)|$": lambda state: np.abs(state.w - maps.settled(state.w[:, :1]))[:, 2],
    "$|f'(x)|$": lambda state: np.abs(problem.hypergradient(state.w[:, :1]))[:, 0],
}
estimate = {"error": lambda state: np.abs(maps.mean_maps(state.w)[:, 0] - problem.hypergradient(state.w[:, :1])[:, 0])}
ran = engine.run(method, problem, [2.0, 0.0], R=rounds, record=range(rounds + 1), measures=measures | estimate)
errors = {"FedBLO": (2.0, ran.last["error"][:, 0], ran.last["dist"][-1, 0])}
for terms in (1, 5, 20):
    nest = FedNest(alpha=0.1, beta=0.1, tau=5, terms=terms, series="sum")
    metrics = {"error": lambda problem, z, terms=terms: series_error(z, terms), "dist": problem.metrics["dist"]}
    done = engine.run(nest, problem, [2.0, 0.0], R=rounds, record=range(rounds + 1), metrics=metrics)
    each = (done.counts.rounds + done.counts.lower_rounds) / rounds
    errors[f"FedNest, {terms} term{'s' * (terms > 1)}"] = (each, done.last["error"][:, 0], done.last["dist"][-1, 0])

# %%
figure(
    panels(
        Panel(
            "FedBLO, K = 5",
            {name: (range(60), ran.last[name][:60, 0]) for name in measures},
            axes={"xlabel": "round", "yscale": "log"},
        ),
        Panel(
            "error of the hypergradient",
            {name: (each * ran.rounds, values) for name, (each, values, _) in errors.items()},
            axes={"xlabel": "communications", "yscale": "log", "xlim": (0, 240), "ylim": (1e-12, 4)},
        ),
    ),
    "Left, FedBLO: w, v and the gradient. Right, the error of the hypergradient over communications.",
    "Three parallel straight lines at the left; at the right FedBLO falls to rounding while each series stays "
    "at a level.",
)

# %%
table(
    ["", "communications a round", "error of the hypergradient at the end", "distance to the solution"],
    [[name, f"{each:g}", f"{values[-1]:.0e}", f"{away:.0e}"] for name, (each, values, away) in errors.items()],
)

# %%
h, ell = maps.hessian(np.zeros((1, 2)))[0, 0, 0], problem.constants.L_2
left_over = ", ".join(f"{(1 - h / ell) ** n:.1e}" for n in (1, 5, 20))
text(f"A series of n terms leaves (1 - h/ell)^n of v, with h/ell = {h / ell:.3f}: {left_over} for 1, 5 and 20 terms.")

# %% [markdown]
# ## In the local steps
#
# Now $\mu=0$, as in the paper's experiment: $f$ depends on $x$ through $w^*(x)$ alone, and all of the hypergradient is
# its indirect part. One round, in which $w=w^*(x)$ and $v=v^*(x)$ are exact at the start, and the local steps of one
# client, $k=1,\dots,200$. FedNest's direction is that of FedBLO with $w$ and $v$ frozen, and so it does not change at
# all: the paper says this in its Section 4.

# %% tags=["hide-input"]
alpha, beta, K = 0.1, 0.2, 200
pairs = {
    "clients alike": tracking_quadratic(mu=0.0, H=1.5, shift=0.5, t=0.0),
    "clients that differ": tracking_quadratic(mu=0.0),
}


def local(maps, client, moves):
    """x in the local steps of one client from x = 2; only the coordinates in ``moves`` move."""
    w = start = maps.settled(np.array([[2.0]]))
    out = []
    for _ in range(K + 1):
        out.append(w[0, 0])
        direction = maps.mean_maps(start) + maps.maps(client, w) - maps.maps(client, start)
        w = w - np.array([alpha, beta, beta]) * moves * direction
    return out


shown = []
for title, one in pairs.items():
    two = blo_maps_eq2(one)
    solution = one.solution[0][0]
    paths = {f"FedBLO at client {m + 1}": local(two, m, np.ones(3)) for m in range(2)}
    paths["FedNest, at both"] = local(two, 0, np.array([1.0, 0.0, 0.0]))
    if title == "clients alike":
        assert np.allclose(*list(paths.values())[:2])
        paths = {"FedBLO, at both": paths["FedBLO at client 1"], "FedNest, at both": paths["FedNest, at both"]}
    lines = {name: (range(len(values)), values) for name, values in paths.items()}
    axes = {"xlabel": "local step", "ylabel": "x", "ylim": (-4, 2.5)}
    shown.append(Panel(f"{title}; grey: the solution", lines, levels=[solution], axes=axes))

# %%
figure(
    panels(*shown, sharey=True),
    "x in the local steps of one round, from x = 2; grey: the solution.",
    "FedNest goes along a straight line through the solution and beyond; FedBLO bends and stops.",
)

# %% [markdown]
# FedBLO slows down and stops: for clients that are alike at the solution, for others at a point of the drawn client's
# own. Does it pay? Rounds until $x$ and $w$ are within 1% of the distance from which they start:

# %% tags=["hide-input"]
counts = (1, 2, 4, 8, 16, 32, 64)
shown = []
for title, one in pairs.items():
    found = {"FedBLO": [], "FedNest": []}
    for K in counts:
        R = max(40, 120 // K)
        for name, method, runs in (
            ("FedBLO", FedBLO(alpha=alpha, beta=beta, K=K), 20),
            ("FedNest", FedNest(alpha=alpha, beta=beta, tau=K, terms=5, series="sum"), 1),
        ):
            done = engine.run(method, one, [2.0, 0.0], R=R, runs=runs, record=range(R + 1))
            away = done.last["dist"].mean(axis=1)
            near = away < 0.01 * away[0]
            found[name].append(int(near.argmax()) if near.any() else np.nan)
    lines = {name: (counts, values) for name, values in found.items()}
    axes = {"xlabel": "K", "ylabel": "rounds", "xscale": "log", "yscale": "log"}
    shown.append(Panel(title, lines, marked=True, axes=axes))

# %%
figure(
    panels(*shown, sharey=True),
    "Rounds over the number K of local steps, of a fixed size; where there is no point, more than 40.",
    "Both fall with K at first; FedNest rises again and ends, FedBLO goes on where clients are alike.",
)

# %%
bent = float(np.diff(one.hypergradient(np.array([[0.0], [1.0]]))[:, 0])[0])
text(
    f"FedNest's K steps are one long step, too long from K = 2/(alpha f'') = {2 / (alpha * bent):.1f} on. A round "
    "of it has 9 communications, one of FedBLO 2."
)

# %% [markdown]
# ## One letter
#
# Equation (2) of the paper has $\nabla^2_{ww}g\,v-\nabla_wf$, and (10a), the map of FedBLO, prints
# $\nabla^2_{ww}g\,v-\nabla_xf$. The lengths agree only where $x$ and $w$ have the same; from five starts:

# %% tags=["hide-input"]
starts = np.array([[-2.0, 0], [-1, 0], [1, 0], [2, 0], [3, 0]])
shown = []
for mu in (0.1, 0.0):
    one, lines = tracking_quadratic(mu=mu), {}
    for system in ("(2)", "(10a)"):
        method = FedBLO(alpha=0.1, beta=0.1, K=5, system={"(2)": "eq2", "(10a)": "eq10"}[system])
        done = engine.run(
            method, one, starts, R=300, runs=len(starts), record=range(301), metrics={"x": lambda problem, z: z[:, 0]}
        )
        lines[f"with {system}"] = (done.rounds[:80], done.last["x"][:80])
    level = one.solution[0][0]
    axes = {"xlabel": "round", "ylabel": "x"}
    shown.append(Panel(rf"$\mu={mu:g}$; grey: the solution", lines, levels=[level], axes=axes))

# %%
figure(
    panels(*shown, sharey=True),
    "x over the rounds with both maps; grey: the solution.",
    "With (2) all starts end on the grey line; with (10a) they end at zero, or stay where they start.",
)

# %%
catalog.get("fedmsa.id.mean")
