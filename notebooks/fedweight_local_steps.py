# %% [markdown]
# # What do local steps of Local-SVRG save?
#
# The bilevel method of *Federated learning on adaptively weighted nodes by bilevel optimisation* (anonymous) solves
# two inner problems in every iteration, with Local-SVRG: single samples, and $\tau$ local steps between
# communications. **Do the local steps save communications, and do the theorems say so?** Ridge regression on 15 nodes
# with 64 samples each.

# %% tags=["hide-input"]
import numpy as np

from rateproof.algos import engine
from rateproof.algos.methods.fedweight import AcceleratedWeights, Growing
from rateproof.algos.methods.local_svrg import LocalSVRG, gamma0
from rateproof.algos.problems.weighted_families import ridge_nodes
from rateproof.verify.experiments.figures import Panel, panels
from rateproof.verify.pages.notebook import figure, table

# %% [markdown]
# Left, the inner problem alone: the step $\gamma_0$ of (17), a larger one, grey what (45) promises, and gradient
# descent, in which a node takes all its gradients in each round. Right, within Algorithm 2.

# %% tags=["hide-input"]
ridge = ridge_nodes(nodes=15, J=5, d=4, n_train=64, n_valid=16, b=1 / 3, drawn=True)
c, q, equal = ridge.constants, 1 / 50, np.full((1, 15), 1 / 15)
star = ridge.theta_hat(equal)[0]
L = np.linalg.eigvalsh(ridge.hessian(np.r_[0, equal[0]], 0, star))[-1]
away2 = float((ridge.node_gradients(star[None])[0] ** 2).sum(axis=1).mean())
distance = {"dist2": lambda problem, z: ((z[:, 15:] - star) ** 2).sum(axis=1)}


def promised(gamma, tau, T):
    """(45) times ``2/mu``, from ``theta = 0``."""
    first = 4 + 32 * (gamma * c.ell1) ** 2 / (3 * q) + 30 * np.e * (gamma * c.ell1) ** 3 * (tau - 1) * (2 + q) / q
    start = (1 - gamma * c.mu) ** (T + 1) / gamma * first * (star**2).sum()
    return 2 / c.mu * (start + 45 * np.e / 2 * c.ell1 * (gamma * (tau - 1)) ** 2 * away2)


steps = {f"tau = {tau}, gamma_0": (tau, gamma0(ell1=c.ell1, mu=c.mu, tau=tau, q=q)) for tau in (1, 10)}
steps["tau = 10, 10 gamma_0"] = (10, 10 * steps["tau = 10, gamma_0"][1])
needed, bounds = {}, {}
for label, (tau, gamma) in steps.items():
    method = LocalSVRG(gamma=gamma, tau=tau, q=q, of="equal")
    done = engine.run(method, ridge, ridge.x0, R=1000, runs=8, metrics=distance)
    values = done.average["dist2"].mean(axis=1)
    if "10 gamma_0" not in label:
        bounds[f"_{label}"] = (done.rounds, promised(gamma, tau, tau * done.rounds))
    needed[label] = (f"{gamma:.2g}", values, done.rounds)
x, values = np.zeros((1, 4)), []
for _ in range(100):
    x = x - ridge.node_gradients(x).mean(axis=1) / L
    values.append(((x[0] - star) ** 2).sum())
needed["gradient descent"] = (f"{1 / L:.2g}", np.array(values), np.arange(1, 101))

value = {"F": lambda problem, z: problem.F_hat(z[:, :15])}
exact = engine.run(AcceleratedWeights(eta=0.1, inner="exact"), ridge, ridge.x0, R=200, record=[200], metrics=value)
least = exact.last["F"][-1, 0]
outer = {
    "tau = 1, 20 rounds a call": {"gamma": 0.1 / c.ell1, "steps": 20},
    "tau = 1, 100 rounds": {"gamma": 0.1 / c.ell1, "steps": 100},
    "tau = 10, 20 rounds": {"gamma": 0.1 / c.ell1, "tau": 10, "steps": 200},
    "gradient descent, 20 rounds": {"gamma": 1 / L, "steps": 20, "inner": "descent"},
}
gaps = {}
for label, how in outer.items():
    done = engine.run(
        AcceleratedWeights(eta=0.1, **how), ridge, ridge.x0, R=25, runs=2, record=range(26), metrics=value
    )
    rounds = done.counts.lower_rounds / 25 * done.rounds
    gaps[label] = (rounds, done.last["F"].mean(axis=1) - least)

# %%
axes = {"xlabel": "communications", "xscale": "log", "yscale": "log"}
calls = {label: (rounds, values) for label, (_, values, rounds) in needed.items()}
figure(
    panels(
        Panel("squared distance in one call", calls, grey=bounds, axes=axes | {"ylim": (1e-9, 1e5)}),
        Panel(r"$\hat F-\min\hat F$ in Algorithm 2", gaps, axes=axes),
    ),
    "Squared distance of one call, and the gap in Algorithm 2, over communications.",
    "At ten times gamma_0 local steps reach a level ten times sooner and stay there; the promised grey curves "
    "lie far above.",
)

# %%
rows = []
for label, (gamma, values, rounds) in needed.items():
    reached = values < 1e-3 * (star**2).sum()
    rows.append([label, gamma, int(rounds[reached.argmax()]) if reached.any() else "more than 1000"])
table(["", "step", "rounds to a thousandth of the squared distance"], rows)

# %% [markdown]
# At ten times $\gamma_0$, a step that (17) does not admit, $\tau=10$ takes a tenth of the rounds, and then stays
# where the drift of the nodes holds it. What do the schedules of Theorem 3 ask of a call, with the constants of the
# proofs, in rounds $T_s/\tau$?

# %%
rows = []
R = float(np.linalg.norm(ridge.theta_hat(np.eye(15)), axis=1).max())
for tau in (1, 2, 10):
    g = gamma0(ell1=c.ell1, mu=c.mu, tau=tau, q=q)
    plan = Growing.of(c, K=15, R=R, q=q, gamma0=g, tau=tau, p=2)
    asked = []
    for s in (0, 9, 99):
        if tau == 1:
            asked.append(np.log(plan.A_1 * (s + 1) ** 4 / g) / (g * c.mu))
        else:
            more = tau - 1
            M = max(1 / g, (s + 1) ** 2 * np.sqrt(plan.A_1 + plan.A_2 * more + plan.A_3 * more**2))
            asked.append(3 * M * np.log(M) / (c.mu * tau))
    if tau == 1:
        rows.append(["gradient descent", *[f"{c.ell1 * g * T:.2g}" for T in asked]])
    rows.append([f"tau = {tau}", *[f"{T:.2g}" for T in asked]])
table(["rounds of a call", "s = 0", "s = 9", "s = 99"], rows)

# %% [markdown]
# With $\tau>1$ the schedule asks for more rounds than without local steps, and with $\tau=1$ for more than gradient
# descent.
