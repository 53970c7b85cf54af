# %% [markdown]
# # One algorithm for three problems?
#
# **The problem.** $M$ clients look for $x,z^1,\dots,z^N$ where the means of their maps vanish,
# $$P(x,z^1,\dots,z^N)=0,\qquad S^n(z^{n-1},z^n)=0\quad(n=1,\dots,N),\qquad z^0=x .$$
# Each $S^n(z^{n-1},\cdot)$ has one zero $z^{n,*}(z^{n-1})$, so that $x$ alone is left: $P(x)=P(x,Z^*(x))=0$.
#
# **The idea.** One algorithm for all problems of this form, FedMSA. All variables move at once. All clients say
# in which direction, and one client goes several steps along it.
#
# The paper: *Federated Multi-Sequence Stochastic Approximation with Local Hypergradient Estimation* (Ataee Tarzanagh,
# Li, Sharma and Oymak, 2023). This notebook runs it on three problems: which variables move, what is sent, and where it
# ends. Nothing here needs a data file. `fedmsa_third_sequence` and `fedmsa_heterogeneity` go on from here.

# %%
import numpy as np
from IPython.display import Image, Markdown

from rateproof.algos import engine
from rateproof.algos.methods.fedmsa import FedBLO, FedMCO, FedMSA
from rateproof.algos.noise import Streams
from rateproof.algos.problems.bilevel_quadratic import random_bilevel_quadratic
from rateproof.algos.problems.bilevel_sequences import blo_maps_eq2
from rateproof.algos.problems.compositional import quadratic_chain
from rateproof.algos.problems.linear_sequences import linear_sequences, pure_noise, random_sequences
from rateproof.verify.experiments import figures
from rateproof.verify.pages.render import markdown_table


def table(head, rows):
    return Markdown(markdown_table(head, rows))


def size(number):
    return "below 1e-12" if number < 1e-12 else f"{number:.3g}"


# %% [markdown]
# ## 1. What moves
#
# Two clients and two numbers: $P^m=A_mx+B_mz$ and $S^m=D_mz-E_mx-e_m$. A round has two phases. First all clients
# evaluate their maps and the server takes the mean. Then one client, drawn at random, takes $K$ steps in $x$ and $z$
# together. It corrects the mean direction by what its own maps have changed since. Without noise this is Algorithm 1 in
# full:

# %%
line = linear_sequences()
numbers = {"alpha": 0.15, "beta": 0.15, "K": 5}
steps, drawn = np.array([numbers["alpha"], numbers["beta"]]), Streams(0, 0, 1)


def maps(m, w):
    return line.maps(m, w[None])[0]


w, servers, paths = np.array([2.0, -1.0]), [], []
for r in range(12):
    servers.append(w)
    direction = np.mean([maps(m, w) for m in range(line.m)], axis=0)  # all clients
    client = int(np.flatnonzero(drawn.sample_clients(2 * r + 2, line.m, 1)[0])[0])  # one of them
    start, path = w, [w]
    for _ in range(1 if r == 0 else numbers["K"]):
        w = w - steps * (direction + maps(client, w) - maps(client, start))
        path.append(w)
    paths.append((client, np.array(path)))

ran = engine.run(FedMSA(**numbers), line, servers[0], R=12, record=[12])
print(f"by hand {w}, by the library {ran.x_last[0]}, zero of the mean maps {line.solution}")

# %%
figure, ((ax,),) = figures.figure(1, width=6.5, height=4.2)
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
Image(figures.png(figure))

# %% [markdown]
# Within a round the two clients go different ways, as their maps have different slopes. At the zero of the mean maps
# the mean direction is 0, and there nobody moves, whoever is drawn. That is why the method ends at the right point.
#
# ## 2. Three problems
#
# Two kinds of problems have this form. A **bilevel** problem, $\min_xf(x,w^*(x))$ with $w^*(x)=\arg\min_wg(x,w)$, has
# $N=1$ and $z=(w,v)$:
# $$S=\bigl(\nabla_wg,\;\nabla^2_{ww}g\,v-\nabla_wf\bigr),\qquad P=\nabla_xf-\nabla^2_{xw}g\,v .$$
# A **composition** $\min_xf^N(\cdots f^1(f^0(x)))$ has $S^n=z^n-f^{n-1}(z^{n-1})$ and $P=\nabla f^0(x)\nabla
# f^1(z^1)\cdots\nabla f^N(z^N)$. FedBLO and FedMCO are FedMSA with these maps. Below each has four clients that differ;
# in the composition they differ at the last level alone (`fedmsa_heterogeneity` says why).

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
# One method with the same numbers for the three, without noise. To the left $\|P(x)\|^2$, which is the squared gradient
# of the objective for the two minimisation problems; to the right how far the inner variables are from where they
# should be.

# %%
given = {"alpha": 0.03, "beta": 0.25, "rho": 0.5, "K": 5}
method = FedMSA(**given)
rounds = 250
ends, panels = {}, {"|P(x)|^2": {}, "|Z - Z*|^2": {}}
for title, (maps, start, _) in problems.items():
    ran = engine.run(method, maps, start, R=rounds, record=range(rounds + 1))
    ends[title] = ran
    for metric, curves in panels.items():
        curves[title] = ran.last[metric][:, 0]
figure, (axes,) = figures.figure(2)
for ax, (metric, curves) in zip(axes, panels.items(), strict=True):
    for (title, values), (colour, dash, _) in zip(curves.items(), figures.STYLES[1:], strict=False):
        ax.plot(values + 1e-32, color=colour, linestyle=dash, label=title)
    name = {"|P(x)|^2": r"$\|P(x)\|^2$", "|Z - Z*|^2": r"$\sum_n\|z^n-z^{n,*}(z^{n-1})\|^2$"}[metric]
    ax.set(title=name, xlabel="round", yscale="log", ylim=(1e-20, 1e3))
    ax.legend(frameon=False, fontsize="small")
Image(figures.png(figure))

# %% [markdown]
# Linear convergence in all of them, as each is strongly convex in $x$. The ends beside what closed forms say, and
# beside the classes FedBLO and FedMCO, which take the same steps:

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
    same = "" if title not in own else size(np.abs(end[: own[title].x_last.shape[1]] - own[title].x_last[0]).max())
    rows.append(
        [title, ", ".join(f"{one:.4f}" for one in end[: maps.dims[0]]), f"{size(away)}", same or "the method itself"]
    )
table(["problem", "x at the end", "distance to the solution", "difference from FedBLO, FedMCO"], rows)

# %% [markdown]
# ## 3. What is sent
#
# A message has one vector for each variable. In a round every client sends its directions up, and every client gets the
# mean, which it needs in the next round as well. Then the drawn client sends its models, and every client gets them.
# These are two communications, $2M$ messages down and $M+1$ up. The table counts one round of the runs above.

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
# Calls do not depend on the problem: $2M$ for the momentum, at the new and at the old model, and $2K$ for the local
# steps; of $S$ there are $N$ maps. The bilevel problem needs products of second derivatives with $v$, no inverse and no
# series.
#
# ## 4. What momentum keeps
#
# With samples, a client takes one sample at both points, $h_r=p(x_r)+(1-\rho)(h_{r-1}-p(x_{r-1}))$. To see what this
# does to noise and nothing else, take $P=0$ with noise $\xi=\pm1$, and $M=2$. By hand the error of $h$ has the variance
# $v_0=\frac1M$ and $v_r=(1-\rho)^2v_{r-1}+\rho^2\frac1M$.

# %%
noise, R = pure_noise(m=2), 200
choices = {"rho = 1": 1.0, "rho = 0.1": 0.1, "rho = 1/R": 1 / R}
figure, ((ax,),) = figures.figure(1, width=6.5)
rows = []
for (title, rho), (colour, dash, _) in zip(choices.items(), figures.STYLES[1:], strict=False):
    plain = FedMSA(alpha=0.1, beta=0.1, rho=rho)
    ran = engine.run(plain, noise, np.zeros(2), R=R, runs=2000, record=range(1, R + 1), measures=plain.measures(noise))
    measured = ran.last["|h - P|^2"].mean(axis=1)
    hand = [0.5]
    for _ in range(R - 1):
        hand.append((1 - rho) ** 2 * hand[-1] + rho**2 / 2)
    ax.plot(ran.rounds, measured, color=colour, linestyle=dash, label=title)
    ax.plot(ran.rounds, hand, color="0.6", linewidth=0.8)
    rows.append([title, f"{measured[-1]:.4f}", f"{hand[-1]:.4f}"])
ax.set(title=r"$\mathrm{E}\|h_r-P\|^2$; grey: by hand", xlabel="round", yscale="log")
ax.legend(frameon=False, fontsize="small", loc=(0.35, 0.2))
Image(figures.png(figure))

# %%
table(["", "error in round R, 2000 runs", "by hand"], rows)

# %% [markdown]
# Without momentum, $\rho=1$, the error stays. With $\rho=\frac1{10}$ it falls to $\frac\rho{(2-\rho)M}$. With the
# $\rho$ of Theorem 3.1, $\rho=\frac1R$, what the first sample brought in is forgotten too slowly: a share
# $(1-\frac1R)^{2R}\approx e^{-2}$ of it is there after $R$ rounds, for every $R$. The theorem needs an error that falls
# with $R$. The larger first batch $b_0=KR$ in the paper's proof has it; Algorithm 1 takes one sample. With $K=1$:

# %%
rows = []
for R in (50, 200, 800):
    row = [R]
    for b0 in (1, R):
        plain = FedMSA(alpha=0.1, beta=0.1, rho=1 / R, first_minibatch=b0)
        ran = engine.run(plain, noise, np.zeros(2), R=R, runs=500, record=[R], measures=plain.measures(noise))
        row.append(f"{ran.last['|h - P|^2'].mean():.4f}")
    rows.append(row)
table(["R", "error with rho = 1/R and one sample", "and b_0 = R samples in round 0"], rows)
