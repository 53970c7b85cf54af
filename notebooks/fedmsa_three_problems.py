# %% [markdown]
# # One algorithm for three problems?
#
# $M$ clients look for $x,z^1,\dots,z^N$ where the means of their maps vanish, $P(x,z^1,\dots,z^N)=0$ and
# $S^n(z^{n-1},z^n)=0$ with $z^0=x$. FedMSA, of *Federated Multi-Sequence Stochastic Approximation with Local
# Hypergradient Estimation* (Ataee Tarzanagh, Li, Sharma and Oymak, 2023), moves all variables at once: all clients
# say in which direction, and one client goes several steps along it. **Is that one algorithm enough for bilevel and
# compositional problems?**

# %% tags=["hide-input"]
import numpy as np

from rateproof.algos import engine
from rateproof.algos.methods.fedmsa import FedBLO, FedMCO, FedMSA
from rateproof.algos.noise import Streams
from rateproof.algos.problems.bilevel_quadratic import random_bilevel_quadratic
from rateproof.algos.problems.bilevel_sequences import blo_maps_eq2
from rateproof.algos.problems.compositional import quadratic_chain
from rateproof.algos.problems.linear_sequences import linear_sequences, random_sequences
from rateproof.verify.experiments import figures
from rateproof.verify.pages.notebook import figure, small, table

# %% [markdown]
# ## What moves
#
# Two clients and two numbers: $P^m=A_mx+B_mz$ and $S^m=D_mz-E_mx-e_m$. A round has two phases. First all clients
# evaluate their maps and the server takes the mean. Then one client, drawn at random, takes $K$ steps in $x$ and $z$
# together. It corrects the mean direction by what its own maps have changed since. Without noise this is Algorithm 1 in
# full:

# %%
line = linear_sequences()
numbers = {"alpha": 0.15, "beta": 0.15, "K": 5}
steps, sampled = np.array([numbers["alpha"], numbers["beta"]]), Streams(0, 0, 1)


def maps(m, w):
    return line.maps(m, w[None])[0]


w, servers, paths = np.array([2.0, -1.0]), [], []
for r in range(12):
    servers.append(w)
    direction = np.mean([maps(m, w) for m in range(line.m)], axis=0)  # all clients
    client = int(np.flatnonzero(sampled.sample_clients(2 * r + 2, line.m, 1)[0])[0])  # one of them
    start, path = w, [w]
    for _ in range(1 if r == 0 else numbers["K"]):
        w = w - steps * (direction + maps(client, w) - maps(client, start))
        path.append(w)
    paths.append((client, np.array(path)))

ran = engine.run(FedMSA(**numbers), line, servers[0], R=12, record=[12])
table(
    ["", "x", "z"],
    [
        [name, *(f"{v:.6f}" for v in at)]
        for name, at in (("by hand", w), ("by the library", ran.x_last[0]), ("zero of the mean maps", line.solution))
    ],
)

# %% tags=["hide-input"]
drawn, ((ax,),) = figures.figure(1, width=6.5, height=4.2)
x = np.linspace(-1.6, 2.2, 2)
ax.plot(x, line.fixed(1, x[:, None])[:, 0], color="0.7", label=r"$S=0$: $z=z^*(x)$")
A, B = line.J.mean(axis=0)[0]
ax.plot(x, -(A * x + line.j.mean(axis=0)[0]) / B, color="0.7", linestyle=":", label="$P=0$")
for m, (colour, _, marker) in enumerate(figures.STYLES[1:3]):
    for number, path in enumerate(path for client, path in paths if client == m):
        label = f"steps of client {m + 1}" if number == 0 else None
        ax.plot(*path.T, color=colour, marker=marker, markersize=4, linewidth=1, label=label)
ax.plot(*np.array(servers).T, "D", color="#d55e00", fillstyle="none", label="server")
ax.set(xlabel="x", ylabel="z", xlim=(-1.6, 2.2), ylim=(-1.2, 1.8))
ax.legend(frameon=False, fontsize="small")
figure(
    drawn,
    "The steps of the drawn clients in twelve rounds, and where the server stands.",
    "From the start the server's points go to the crossing of two grey lines; the two clients' steps bend to "
    "different sides.",
)

# %% [markdown]
# At the zero of the mean maps the mean direction is 0, and there nobody moves, whoever is drawn.
#
# ## Three problems
#
# A **bilevel** problem, $\min_xf(x,w^*(x))$ where $w^*(x)$ minimises $g(x,\cdot)$, has $z=(w,v)$ with
# $S=(\nabla_wg,\nabla^2_{ww}g\,v-\nabla_wf)$ and $P=\nabla_xf-\nabla^2_{xw}g\,v$. A **composition** $\min_xf^N(\cdots
# f^0(x))$ has $S^n=z^n-f^{n-1}(z^{n-1})$ and the product of the derivatives as $P$. FedBLO and FedMCO are FedMSA with
# these maps. Each has four clients that differ:

# %%
sequences = random_sequences(m=4, N=2, d=2)
bilevel = random_bilevel_quadratic(m=4, dx=2, dy=3)
chain = quadratic_chain(m=4, N=2, a=1.2, b=(1.0, 0.0, 2.0, -1.0), c=(0.5, 1.0, 1.5, 1.0))
problems = {
    "linear maps, N = 2": (sequences, np.ones(6), ("x", "z^1", "z^2")),
    "bilevel, N = 1": (blo_maps_eq2(bilevel), np.r_[np.ones(5), np.zeros(3)], ("x", "(w, v)")),
    "composition, N = 2": (chain, np.array([3.0, 0.0, 0.0]), ("x", "z^1", "z^2")),
}
table(
    ["problem", "what moves", "lengths", "numbers in all"],
    [
        [title, ", ".join(names), " + ".join(map(str, maps.dims)), maps.n]
        for title, (maps, _, names) in problems.items()
    ],
)

# %% [markdown]
# One method with the same numbers for the three, without noise:

# %% tags=["hide-input"]
given = {"alpha": 0.03, "beta": 0.25, "rho": 0.5, "K": 5}
method = FedMSA(**given)
rounds = 250
ends, panels = {}, {"|P(x)|^2": {}, "|Z - Z*|^2": {}}
for title, (maps, start, _) in problems.items():
    ran = engine.run(method, maps, start, R=rounds, record=range(rounds + 1))
    ends[title] = ran
    for metric, curves in panels.items():
        curves[title] = ran.last[metric][:, 0]
drawn, (axes,) = figures.figure(2)
for ax, (metric, curves) in zip(axes, panels.items(), strict=True):
    figures.curves(ax, {title: (range(rounds + 1), values + 1e-32) for title, values in curves.items()})
    name = {"|P(x)|^2": r"$\|P(x)\|^2$", "|Z - Z*|^2": r"$\sum_n\|z^n-z^{n,*}(z^{n-1})\|^2$"}[metric]
    ax.set(title=name, xlabel="round", yscale="log", ylim=(1e-20, 1e3))
    ax.legend(frameon=False, fontsize="small")
figure(
    drawn,
    "Left, the squared gradient at x; right, how far the inner variables are from where they should be.",
    "Three straight lines on a logarithmic axis, down to rounding.",
)

# %% [markdown]
# The ends beside closed forms, and beside the classes FedBLO and FedMCO:

# %%
known = {
    "linear maps, N = 2": sequences.solution[:2],
    "bilevel, N = 1": bilevel.solution[0][:2],
    "composition, N = 2": np.array([chain.solution]),
}
own = {
    "bilevel, N = 1": engine.run(FedBLO(**given), bilevel, np.ones(5), R=rounds, record=[rounds]),
    "composition, N = 2": engine.run(FedMCO(**given), chain, np.array([3.0, 0.0, 0.0]), R=rounds, record=[rounds]),
}
rows = []
for title, (maps, _, _) in problems.items():
    end = ends[title].x_last[0]
    away = np.abs(end[: maps.dims[0]] - known[title]).max()
    same = "" if title not in own else small(np.abs(end[: own[title].x_last.shape[1]] - own[title].x_last[0]).max())
    rows.append(
        [title, ", ".join(f"{one:.4f}" for one in end[: maps.dims[0]]), f"{small(away)}", same or "the method itself"]
    )
table(["problem", "x at the end", "distance to the solution", "difference from FedBLO, FedMCO"], rows)

# %% [markdown]
# ## What is sent
#
# In a round every client sends its directions and gets the mean; then the drawn client sends its models, and every
# client gets them: two communications, $2M$ messages down and $M+1$ up, each with one vector for each variable.
# Counted:

# %%
rows = []
for title, (maps, start, _) in problems.items():
    one, two = (engine.run(method, maps, start, R=R, record=[R]).counts for R in (1, 2))
    down, up = two.floats_down - one.floats_down, two.floats_up - one.floats_up
    assert (down, up) == (2 * maps.m * maps.n, (maps.m + 1) * maps.n)
    products = two.products - one.products
    rows.append([title, down, up, two.grad_f - one.grad_f, two.grad_h - one.grad_h, products])
table(["problem", "numbers down", "numbers up", "calls of P", "calls of S", "products with second derivatives"], rows)

# %% [markdown]
# Calls do not depend on the problem: $2M$ for the momentum and $2K$ for the local steps. The bilevel problem needs
# products of second derivatives with $v$, no inverse and no series. What the momentum does is the question of
# `fedmsa_momentum`, what clients that differ do that of `fedmsa_heterogeneity`.
