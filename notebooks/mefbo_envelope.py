# %% [markdown]
# # What does the Moreau envelope do to a nonconvex lower level?
#
# **The problem.** Clients share $x$ and $y$. Among the minimisers $y$ of a lower level $G(x,\cdot)$ on $Y$, and over
# all $x$, the upper level $F(x,y)$ should be least. For a strongly convex lower level there is one such $y(x)$, and a
# hypergradient. Without convexity there may be several, or one that jumps.
#
# **The idea.** With the Moreau envelope
# $$v_\gamma(x,y)=\min_{\theta\in Y}\;G(x,\theta)+\tfrac1{2\gamma}\|\theta-y\|^2 ,$$
# the lower level becomes one constraint, $G(x,y)-v_\gamma(x,y)\le0$, and this becomes a penalty:
# $\Upsilon_c=F/c+G-v_\gamma$ with a growing $c$. All that is needed are gradients. MeFBO takes them on clients.
#
# The paper: *MeFBO: A Moreau Envelope Based First-Order Stochastic Gradient Method for Nonconvex Federated Bilevel
# Optimization* (anonymous, under review). This notebook looks at the envelope itself, in pictures: what the constraint
# allows, and where the method ends. Nothing here needs a data file.

# %%
import numpy as np
from IPython.display import Image, Markdown

from rateproof.algos import engine
from rateproof.algos.methods.mefbo import MeFBO
from rateproof.algos.problems.bilevel_line import double_well, log_cosh_tracking
from rateproof.theory import catalog
from rateproof.verify.checks import Budget, check_claim
from rateproof.verify.experiments import figures
from rateproof.verify.ground_truths.bilevel import envelope
from rateproof.verify.pages.render import markdown_table


def table(head, rows):
    return Markdown(markdown_table(head, rows))


# %% [markdown]
# ## 1. Two wells
#
# $G(x,y)=\frac14(y^2-1)^2+\frac15y$ on $Y=[-2,2]$, for every $x$: a deep well on the left, a shallow one on the right,
# a hill between them. Its curvature is at least $-1$, so it is $\rho$-weakly convex with $\rho=1$, and for
# $\gamma<1/\rho$ the minimisation over $\theta$ is strongly convex.

# %%
wells = double_well(m=1, e=0.2)
y = np.linspace(-1.6, 1.6, 641)
line = np.stack([np.zeros_like(y), y], axis=1)
drawn, ((left, middle, right),) = figures.figure(3)
left.plot(y, wells.G(line), color="0.6", linewidth=2.5, label="$G$")
for gamma, (colour, dash, _) in zip((0.1, 0.4, 0.9), figures.STYLES[1:], strict=False):
    style = {"color": colour, "linestyle": dash, "label": rf"$\gamma={gamma:g}$"}
    left.plot(y, wells.v(line, gamma), **style)
    middle.plot(y, wells.gap(line, gamma), **style)
    right.plot(y, wells.theta_star(line, gamma)[:, 0], **style)
left.set(title=r"$G$ and its envelope $v_\gamma$", xlabel="y")
middle.set(title=r"the constraint, $G-v_\gamma$", xlabel="y", ylim=(-0.002, 0.05))
right.plot(y, y, color="0.6", linewidth=0.8)
right.set(title=r"$\theta^*_\gamma(y)$", xlabel="y")
for ax in (left, middle, right):
    ax.legend(frameon=False, fontsize="small")
Image(figures.png(drawn))

# %% [markdown]
# The envelope lies below $G$ and touches it, and the constraint is nonnegative: that is claim `nonneg`. But it touches
# $G$ *three* times, at both wells and on the top of the hill. The reason is in the right panel: $\theta^*_\gamma(y)=y$
# wherever $G'(y)=0$, as the problem of $\theta$ is strongly convex and so least where it is stationary. At the three
# points, with $\theta^*$ certified:

# %%
stationary = np.sort(np.roots([1, 0, -1, 0.2]).real)
rows = []
for at in stationary:
    found = [envelope(wells, np.array([0.0, at]), gamma) for gamma in (0.1, 0.4, 0.9)]
    value = float(wells.G(np.array([[0.0, at]]))[0])
    rows.append([f"{at:.4f}", f"{value:.4f}", *[f"{value - one.value:.0e}" for one in found]])
table(["y", "G", "gap at gamma = 0.1", "0.4", "0.9"], rows)

# %% [markdown]
# So the constraint does not say "$y$ is a minimiser of $G(x,\cdot)$" but "$y$ is stationary". No admissible $\gamma$
# changes it. Equation (2) of the paper states that the problem with this constraint *is* the bilevel problem, for
# weakly convex $G(x,\cdot)$. It holds for convex ones.
#
# ## 2. What it changes in the problem
#
# Now the wells tilt with $x$: $G(x,y)=\frac14(y^2-1)^2+\frac{3}{10}xy$ with $F(x,y)=\sqrt{1+(x-1)^2}+\sqrt{1+(y-1)^2}$,
# which would like to be at $(1,1)$. The minimiser of $G(x,\cdot)$ is in the left well for $x>0$ and in the right one
# for $x<0$. The feasible points of (2) are those of all three branches.

# %%
tilted = double_well(m=1, e=0.0, kappa=0.3, a=1.0, b=1.0)
x = np.linspace(-2, 2, 801)
branches = {"stationary": [], "minimisers": []}
for at in x:
    roots = np.roots([1, 0, -1, 0.3 * at])
    branches["stationary"] += [(at, r.real) for r in roots if abs(r.imag) < 1e-9 and abs(r.real) <= 2]
    branches["minimisers"] += [(at, r) for r in tilted.minimisers(at)]
best = {}
for name, points in branches.items():
    points = np.array(sorted(points))
    branches[name], values = points, tilted.F(points)
    best[name] = (points[values.argmin()], float(values.min()))
drawn, ((ax,),) = figures.figure(1, width=6.5, height=4.2)
X, Y = np.meshgrid(x[::8], np.linspace(-1.6, 1.6, 161))
F = tilted.F(np.stack([X.ravel(), Y.ravel()], axis=1)).reshape(X.shape)
ax.contour(X, Y, F, levels=12, colors="0.8", linewidths=0.8)
ax.plot(*branches["stationary"].T, ".", markersize=2, color="#0072b2", label="feasible in (2)")
ax.plot(*branches["minimisers"].T, ".", markersize=6, color="#009e73", alpha=0.5, label="feasible in (1)")
for (name, (at, value)), marker in zip(best.items(), "sD", strict=True):
    number = {"stationary": 2, "minimisers": 1}[name]
    ax.plot(*at, marker, color="#d55e00", fillstyle="none", label=f"best of ({number}): F = {value:.3f}")
ax.set(xlabel="x", ylabel="y", title="grey: levels of F")
ax.legend(frameon=False, fontsize="small")
Image(figures.png(drawn))

# %% [markdown]
# The best point of (2) is in the shallow well, and better than any feasible point of the bilevel problem.
#
# ## 3. Where the method ends
#
# MeFBO on this problem from nine starts, one client, no noise. For each the end, the value $F$, the constraint, and
# how far $y$ is from the minimisers of $G(x,\cdot)$.

# %%
gamma = 0.5 / tilted.constants.L_2
method = MeFBO(gamma=0.98 * gamma, lambda_theta=0.03, lambda_x=0.03, lambda_y=0.03, c0=20.0, p=0.2)
starts = [(x0, y0) for x0 in (-1.5, 0.0, 1.5) for y0 in (-1.5, 0.0, 1.5)]
ends = {}
for start in starts:
    ran = engine.run(method, tilted, start, R=5000, runs=1, record=[5000])
    z = ran.x_last
    ends[start] = z[0]
rows = []
for start, z in ends.items():
    away = float(tilted.distance_lower(z[None])[0])
    rows.append(
        [
            start,
            f"({z[0]:.3f}, {z[1]:.3f})",
            f"{tilted.F(z[None])[0]:.4f}",
            f"{tilted.gap(z[None], 0.98 * gamma)[0]:.0e}",
            f"{away:.3f}",
        ]
    )
table(["start", "end", "F", "G - v", "distance of y to the minimisers"], rows)

# %%
held = [z for z in ends.values() if float(tilted.distance_lower(z[None])[0]) > 0.5]
print(f"{len(held)} of {len(ends)} runs end at a feasible point of (2) that is none of (1)")
print(f"best value of (1) on the grid: {best['minimisers'][1]:.4f}; of (2): {best['stationary'][1]:.4f}")

# %% [markdown]
# This is no fault of the method: it finds stationary points of the penalty, as Theorem 3.4 promises, and nobody finds
# global minimisers of nonconvex functions with gradients alone. But what it solves is (2), and (2) is not (1).
#
# ## 4. Where the lower level is convex
#
# Then stationary points are minimisers and (2) is (1). Two clients with
# $g_i=\log\cosh(y-x-s_i)$: convex, not strongly, with curvature that vanishes far away. The penalty grows like
# $c_t=10(t+1)^{p}$.

# %%
tracking = log_cosh_tracking(a=0.0, b=2.0)
gamma = 0.49 / tracking.constants.L_2
rounds = 5_000
grid = np.unique(np.rint(np.geomspace(1, rounds, 40)).astype(int))
panels = {"distance to the solutions": {}, "$R_t$": {}, "$c_t^2R_t$": {}}
metrics = ("dist(y, S)", "R", "c^2 R")
for p in (0.05, 0.15, 0.24):
    method = MeFBO(gamma=gamma, lambda_theta=0.2, lambda_x=0.2, lambda_y=0.2, c0=10.0, p=p)
    ran = engine.run(method, tracking, [3.0, -3.0], R=rounds, runs=1, record=grid, measures=method.measures(tracking))
    for panel, name in zip(panels.values(), metrics, strict=True):
        panel[f"p = {p:g}"] = (ran.rounds, ran.last[name])
drawn, (axes,) = figures.figure(3)
for ax, (title, curves) in zip(axes, panels.items(), strict=True):
    for (label, (at, values)), (colour, dash, _) in zip(curves.items(), figures.STYLES[1:], strict=False):
        ax.plot(at, values, color=colour, linestyle=dash, label=label)
    ax.set(title=title, xlabel="round", xscale="log", yscale="log")
    ax.legend(frameon=False, fontsize="small")
Image(figures.png(drawn))

# %%
rows = []
for label, (at, values) in panels["distance to the solutions"].items():
    p = float(label.split()[-1])
    late = at >= rounds // 20
    slope = np.polyfit(np.log(at[late]), np.log(values[late, 0]), 1)[0]
    stays = panels["$c_t^2R_t$"][label][1][-1, 0]
    rows.append([p, f"{slope:.3f}", f"{panels['$R_t$'][label][1][-1, 0]:.1e}", f"{stays:.1e}"])
table(["p", "slope of log dist(y, S) against log t", "R at the end", "c^2 R at the end"], rows)

# %% [markdown]
# Once the start is forgotten the distance to the solutions of the lower level falls like $1/c_t$, that is with the
# exponent $-p$ (with $p=0.24$ it is not yet there), and the theorem wants $p<\frac14$. And $R_t$ is measured in units
# of $F/c_t$: it shrinks by itself as $c_t$ grows, so that $c_t^2R_t$ says more.
#
# ## 5. How large may gamma be?
#
# The theorems ask for $\gamma<1/(2L_2)$, the definition for $\gamma<1/\rho$. Lemma D.3 says that $\theta^*_\gamma$ is
# Lipschitz and leaves the constant open; its proof gives
# $L_\theta=\sqrt{L_2^2+\gamma^{-2}}\big/(\gamma^{-1}-L_2)$. Here it is beside the steepest slope of $\theta^*_\gamma$
# on the two wells:

# %%
L_2, grid = wells.constants.L_2, np.linspace(-1.9, 1.9, 7601)
points, rows = np.stack([np.zeros_like(grid), grid], axis=1), []
for gamma in (0.01, 0.49 / L_2, 0.9 / L_2, 0.5, 0.9, 0.99):
    theta = wells.theta_star(points, gamma)[:, 0]
    steepest = float((np.diff(theta) / np.diff(grid)).max())
    bound = np.hypot(L_2, 1 / gamma) / (1 / gamma - L_2) if gamma * L_2 < 1 else np.inf
    admitted = "yes" if gamma * L_2 < 0.5 else "no"
    rows.append([f"{gamma:.3g}", admitted, f"{steepest:.3f}", f"{1 / (1 - gamma):.3f}", f"{bound:.3f}"])
table(["gamma", "gamma < 1/(2 L_2)", "steepest slope", "1/(1 - gamma rho)", "L_theta"], rows)

# %% [markdown]
# The slope is that on the top of the hill, $1/(1-\gamma\rho)$, and it is infinite at $\gamma=1/\rho$: beyond,
# $\theta^*_\gamma$ jumps. The method refuses such a $\gamma$ and says the range:

# %%
try:
    engine.run(MeFBO(gamma=1.2, lambda_theta=0.1, lambda_x=0.1, lambda_y=0.1), wells, [0.0, 0.0], R=1, runs=1)
except ValueError as error:
    print(error)

# %% [markdown]
# ## 6. Verdicts
#
# The claims met above, checked now. "corrected" is ours, the weakest change that holds.

# %%
rows = []
for name in ("nonneg", "eq2", "eq2.corrected", "I-sc", "eq6", "lemD.2-37", "lemD.3"):
    claim = catalog.get(f"mefbo.{name}")
    found = check_claim(claim, Budget())
    rows.append([name, claim.title, found.verdict, found.level or "", (found.violated or {}).get("instance", "")])
table(["claim", "", "verdict", "level", "refuting instance"], rows)
