# %% [markdown]
# # What does the Moreau envelope do to a nonconvex lower level?
#
# Clients share $x$ and $y$; among the minimisers $y$ of a lower level $G(x,\cdot)$ the upper level $F$ should be
# least. MeFBO (*A Moreau Envelope Based First-Order Stochastic Gradient Method for Nonconvex Federated Bilevel
# Optimization*, anonymous) replaces the lower level by one constraint, $G(x,y)-v_\gamma(x,y)\le0$ with
# $v_\gamma(x,y)=\min_\theta G(x,\theta)+\frac1{2\gamma}\|\theta-y\|^2$, and needs gradients only. **What does the
# constraint allow where the lower level has two wells?**

# %% tags=["hide-input"]
import numpy as np

from rateproof.algos import engine
from rateproof.algos.methods.mefbo import MeFBO
from rateproof.algos.problems.bilevel_line import double_well
from rateproof.theory import catalog
from rateproof.verify.experiments import figures
from rateproof.verify.experiments.figures import Panel, panels
from rateproof.verify.ground_truths.bilevel import envelope
from rateproof.verify.pages.notebook import figure, slider, table, text

# %% [markdown]
# ## Two wells
#
# $G(x,y)=\frac14(y^2-1)^2+\frac15y$ on $Y=[-2,2]$, for every $x$: a deep well on the left, a shallow one on the right,
# a hill between them. Its curvature is at least $-1$, so it is $\rho$-weakly convex with $\rho=1$, and for
# $\gamma<1/\rho$ the minimisation over $\theta$ is strongly convex.

# %%
wells = double_well(m=1, e=0.2)
y = np.linspace(-1.6, 1.6, 641)
line = np.stack([np.zeros_like(y), y], axis=1)
names = {rf"$\gamma={gamma:g}$": gamma for gamma in (0.1, 0.4, 0.9)}
envelopes = {name: (y, wells.v(line, gamma)) for name, gamma in names.items()}
gaps = {name: (y, wells.gap(line, gamma)) for name, gamma in names.items()}
stars = {name: (y, wells.theta_star(line, gamma)[:, 0]) for name, gamma in names.items()}
figure(
    panels(
        Panel(r"$G$ and its envelope $v_\gamma$", envelopes, grey={"$G$": (y, wells.G(line))}, axes={"xlabel": "y"}),
        Panel(r"the constraint, $G-v_\gamma$", gaps, axes={"xlabel": "y", "ylim": (-0.002, 0.05)}),
        Panel(r"$\theta^*_\gamma(y)$", stars, grey={"_": (y, y)}, axes={"xlabel": "y"}),
    ),
    "The lower level and its envelope, the constraint, and the point that the envelope takes.",
    "The envelope touches the two wells and the hill between them; the constraint is zero at these three points.",
)

# %% [markdown]
# The envelope touches $G$ *three* times, also on the top of the hill: $\theta^*_\gamma(y)=y$ wherever $G'(y)=0$, as
# the problem of $\theta$ is strongly convex. With certified $\theta^*$:

# %%
stationary = np.sort(np.roots([1, 0, -1, 0.2]).real)
rows = []
for at in stationary:
    found = [envelope(wells, np.array([0.0, at]), gamma) for gamma in (0.1, 0.4, 0.9)]
    value = float(wells.G(np.array([[0.0, at]]))[0])
    rows.append(
        [
            f"{at:.4f}",
            f"{value:.4f}",
            *["below 1e-12" if abs(value - one.value) < 1e-12 else f"{value - one.value:.0e}" for one in found],
        ]
    )
table(["y", "G", "gap at gamma = 0.1", "0.4", "0.9"], rows)

# %% [markdown]
# So the constraint says that $y$ is stationary, not that it is a minimiser; no admissible $\gamma$ changes it. For
# convex lower levels the two are the same.

# %%
catalog.get("mefbo.eq2")

# %% [markdown]
# ## What it changes in the problem
#
# Now the wells tilt with $x$: $G(x,y)=\frac14(y^2-1)^2+\frac3{10}xy$, and $F$ would like to be at $(1,1)$. The
# minimiser of $G(x,\cdot)$ is in the left well for $x>0$; feasible in (2) are all three branches.

# %% tags=["hide-input"]
tilted = double_well(m=1, e=0.0, kappa=0.3, a=1.0, b=1.0)
x = np.linspace(-2, 2, 401)
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
X, Y = np.meshgrid(x[::4], np.linspace(-1.6, 1.6, 161))
F = tilted.F(np.stack([X.ravel(), Y.ravel()], axis=1)).reshape(X.shape)
ax.contour(X, Y, F, levels=12, colors="0.8", linewidths=0.8)
ax.plot(*branches["stationary"].T, ".", markersize=2, color="#0072b2", label="feasible in (2)")
ax.plot(*branches["minimisers"].T, ".", markersize=6, color="#009e73", alpha=0.5, label="feasible in (1)")
for (name, (at, value)), marker in zip(best.items(), "sD", strict=True):
    number = {"stationary": 2, "minimisers": 1}[name]
    ax.plot(*at, marker, color="#d55e00", fillstyle="none", label=f"best of ({number}): F = {value:.3f}")
ax.set(xlabel="x", ylabel="y", title="grey: levels of F")
ax.legend(frameon=False, fontsize="small")
figure(
    drawn,
    "Feasible points of the bilevel problem (1) and of its reformulation (2), with the best of both.",
    "An S-shaped curve of stationary points; the minimisers are its two outer parts, cut at x = 0; the best "
    "point of the S lies where no minimiser is.",
)

# %% [markdown]
# ## Where the method ends
#
# From nine starts, with one client and no noise:

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
text(
    f"{len(held)} of {len(ends)} runs end at a feasible point of (2) that is none of (1). The best value of (1) on the "
    f"grid is {best['minimisers'][1]:.4f}, that of (2) {best['stationary'][1]:.4f}."
)

# %% [markdown]
# This is no fault of the method: it finds stationary points of the penalty. But what it solves is (2), and (2) is not
# (1).
#
# ## How large may gamma be?
#
# The steepest slope of $\theta^*_\gamma$ is that on the top of the hill, $1/(1-\gamma\rho)$; at $\gamma=1/\rho$ it is
# infinite, and beyond $\theta^*_\gamma$ jumps. Measured, in closed form, and by the constant of the proof of Lemma
# D.3, where that exists:

# %%
L_2, grid = wells.constants.L_2, np.linspace(-1.9, 1.9, 3801)
points, values = np.stack([np.zeros_like(grid), grid], axis=1), {}
for gamma in (0.005, 0.01, 0.02, 0.03, 0.04, 0.05, 0.06, 0.07):
    theta = wells.theta_star(points, gamma)[:, 0]
    steepest = float((np.diff(theta) / np.diff(grid)).max())
    proof = np.hypot(L_2, 1 / gamma) / (1 / gamma - L_2)
    values[f"{gamma:g}"] = {"measured": steepest, "closed form": 1 / (1 - gamma), "proof of D.3": float(proof)}
slider("gamma", values, f"The slope of theta*; the theorems admit gamma below {1 / (2 * L_2):.3f}.", start="0.04")
