# %% [markdown]
# # From how many data on do the theorems promise anything?
#
# *Federated learning on adaptively weighted nodes by bilevel optimisation* (anonymous) puts weights on nodes so that
# the validation loss of the model that they train is least. Theorem 1 bounds the excess risk however much the nodes
# differ, with probability $1-\delta$; its corollaries say that weighting beats training on the validation data alone,
# and equal weights. **Do the bounds show that, at sample sizes that somebody has?** How the weights behave is the
# question of `fedweight_peers`.

# %% tags=["hide-input"]
import numpy as np
import sympy as sp

from rateproof.theory import catalog
from rateproof.theory.papers.fedweight import lemma2, remarks, theorem1
from rateproof.theory.papers.fedweight import notation as p
from rateproof.verify.experiments import figures
from rateproof.verify.pages.notebook import figure, table, text

claims = {name.removeprefix("fedweight."): claim for name, claim in catalog.claims("fedweight").items()}

# %%
catalog.get("fedweight.thm1")

# %% [markdown]
# ## The size from which a bound speaks
#
# Coins: $l=\frac12(\theta-z)^2$ with $z\in\{0,1\}$, so that the excess risk is at most $\frac12$ and all constants
# are known; 15 nodes, 5 peers, $b=\frac13$, probability 95%. The bounds are the right sides of the claims themselves;
# for $C_0$ and $C_a$ we put the least ones that Lemmas 2 and 3 as corrected give. Each term falls with one of both
# sizes; from which on is it below $\frac12$?

# %% tags=["hide-input"]
K, J, b, miss = 15, 5, 1 / 3, 0.05
COINS = {p.K: K, p.J: J, p.b: b, p.mu: 1, p.l0: 1, p.l1: 1, p.nu: 1, p.C_H: 2, lemma2.l_max: 0.5}


def bound(name, delta, **more):
    """The right side of a claim's event, as a function of both sample sizes."""
    claim = claims[name]
    side = claim.statement.lhs.event.rhs.subs(claim.where)
    given = COINS | {p.delta: delta} | {getattr(p, symbol): value for symbol, value in more.items()}
    side = side.subs(theorem1.spread, sp.sqrt(p.b / p.n_train)).subs(theorem1.tail, sp.sqrt(2 * sp.log(1 / p.delta)))
    side = side.subs(given)
    return sp.lambdify((p.n_valid, p.n_train), side)


def least(value, name, delta):
    """The factor of ``value`` that the bound is; it does not depend on the sizes."""
    size = sp.lambdify((p.n_valid, p.n_train), sp.sqrt(p.DEFINED[value]).subs(COINS | {p.delta: delta}))
    return float(bound(name, delta)(100, 100) / size(100, 100))


half = miss / 2
C_0, C_a = least(p.A, "lem2.corrected", half), least(p.B, "lem3.i.corrected", half)
cases = [
    ("Lemma 2, corrected", bound("lem2.corrected", miss)),
    ("(21), corrected", bound("lem3.i.corrected", miss)),
    ("Theorem 1, constants of its proof", bound("thm1.expl", half, C_0=C_0, C_a=C_a)),
    ("the same, one comparison", bound("thm1.expl.corrected", half)),
    ("Theorem 1, corrected", bound("thm1.corrected", half)),
    ("Theorem 1, corrected, interior", bound("thm1.interior.corrected", half)),
    ("Proposition 2, corrected, G = 0", bound("prop2.corrected", miss, G=0)),
]
FAR = 1e60


def first_below(value, limit=0.5):
    """The least size at which a falling function is at most the limit."""
    low, high = 1, 1
    while value(high) > limit:
        low, high = high, 10 * high
    while high > low + 1:
        middle = (low + high) // 2
        low, high = (low, middle) if value(middle) <= limit else (middle, high)
    return f"{high:,}" if high < 10**6 else f"{high:.1e}"


rows = []
for title, side in cases:
    row = [title]
    for value in (lambda n, side=side: side(n, FAR), lambda n, side=side: side(FAR, n)):
        row.append("" if value(1) < 1e-9 else first_below(value))
    rows.append(row)
table(["", "n_valid", "n_train"], rows)

# %% [markdown]
# Fourth roots are slow, and a union bound over all weights stands under one. The optimality of $\hat w$ against a
# single $w^*$ needs neither, and a few data a node are enough; what remains is the term of the validation data.
#
# ## Beside what happens
#
# Chance $0.4$ at the center and its peers, $0.7$ at the others, $n_{\rm train}=10\,n_{\rm valid}$. On a line the
# model is known in closed form. The 95% quantile of the excess risk of 20,000 draws, and the bounds:

# %% tags=["hide-input"]
chances = np.repeat([0.4, 0.7], [J, K - J])


def risks(n_valid, n_train, chances=chances, cap=b, runs=20_000):
    """Excess risks of weighting, local training and equal weights, a row each."""
    random = np.random.default_rng(0)
    centre = random.binomial(n_valid, chances[0], size=runs) / n_valid
    nodes = np.sort(random.binomial(n_train, chances, size=(runs, K)) / n_train, axis=1)
    most = round(1 / cap)
    weighted = np.clip(centre, nodes[:, :most].mean(axis=1), nodes[:, -most:].mean(axis=1))
    return (np.stack([weighted, centre, nodes.mean(axis=1)]) - chances[0]) ** 2 / 2


sizes = np.unique(np.rint(np.geomspace(5, 10**7, 26)).astype(int))
drawn, ((ax,),) = figures.figure(1, width=8.0, height=4.6)
measured = np.array([np.quantile(risks(n, 10 * n), 0.95, axis=1) for n in sizes])
for label, values, (colour, dash, marker) in zip(
    ("weighting", "local training", "equal weights"), measured.T, (figures.STYLES[3], *figures.STYLES), strict=False
):
    ax.plot(sizes, values, color=colour, linestyle=dash, marker=marker, markersize=4, fillstyle="none", label=label)
G = float(np.linalg.norm(chances - chances[0]) / 2)
local = bound("lem2.corrected", miss)
sides = {
    "Theorem 1, constants of its proof": cases[2][1],
    "Theorem 1, corrected": cases[4][1],
    "local training, twice Lemma 2": lambda n, m: 2 * local(n, m),
    "equal weights, Proposition 2": bound("prop2.corrected", miss, G=G),
}
for (label, side), (colour, dash, _) in zip(sides.items(), (*figures.STYLES[3:1:-1], *figures.STYLES[:2]), strict=True):
    ax.plot(sizes, [side(int(n), int(10 * n)) for n in sizes], color=colour, linestyle=dash, linewidth=0.8, label=label)
ax.axhline(0.5, color="0.6", linewidth=0.8)
ax.set(title="excess risk, bounds thin", xlabel="n_valid", xscale="log", yscale="log", ylim=(1e-8, 1e3))
ax.legend(frameon=False, fontsize="small", ncols=2)
figure(
    drawn,
    "The excess risk of weighting and its rivals; thin, what the claims bound it by.",
    "Measured curves fall with slope -1, bounds with slope -1/2 or less and lie far above; equal weights stay "
    "at one level.",
)

# %%
rows = []
for label, side, column in (
    ("weighting, Theorem 1 with the constants of its proof", cases[2][1], 0),
    ("weighting, Theorem 1 corrected", cases[4][1], 0),
    ("local training, twice Lemma 2", sides["local training, twice Lemma 2"], 1),
    ("equal weights, Proposition 2", sides["equal weights, Proposition 2"], 2),
):
    over = [side(int(n), int(10 * n)) / values[column] for n, values in zip(sizes, measured, strict=True)]
    rows.append([label, *[f"{over[i]:.2g}" for i in (0, 9, 17, len(over) - 1)]])
table(["bound over 95% quantile", *[f"n_valid = {sizes[i]:,}" for i in (0, 9, 17, len(sizes) - 1)]], rows)

# %% [markdown]
# Deviations of losses go with $n^{-1/2}$, the excess risk of a mean with $1/n$, so the bounds are further off for
# more data. And Theorem 1 *cannot* promise an advantage over local training: its first term alone is the whole bound
# of that.

# %%
pairs = [(10**i, 10**j) for i in range(1, 9) for j in range(i, 13)]
alone = bound("lem2.corrected", half)
smaller = sum(cases[5][1](*pair) < 2 * alone(*pair) for pair in pairs)
text(f"Theorem 1, corrected, interior, below twice Lemma 2 at {smaller} of {len(pairs)} pairs of sizes")

# %% [markdown]
# ## When is weighting better than equal weights?
#
# Always, says a remark after Proposition 2.

# %%
catalog.get("fedweight.rem-prop2")

# %% [markdown]
# For the coins with $b=1$ and the others' chances $0.4+t$: from which $t$ on is weighting better in the mean of
# 20,000 draws, and from which on does the corrected remark apply?

# %% tags=["hide-input"]
terms = {h.key: h.relation for h in claims["rem-prop2.corrected"].hypotheses}
conditions = [terms[key] for key in ("eps<=bJ^(1/2)/(K-J)", "eps<=", "G>=")]
near = claims["thm2.i.corrected"]
side = near.statement.lhs.event.rhs.subs(near.where)
of_10 = sp.lambdify([given := sorted(side.free_symbols, key=str)], side)
log_delta = next(symbol for symbol in conditions[2].free_symbols if str(symbol) == "log_1_delta")
WIDE = COINS | {p.b: 1}
gaps = np.geomspace(1e-4, 0.6, 40)


def promised(n_valid, t):
    """Whether the corrected remark applies."""
    at = WIDE | {p.delta: half, p.n_valid: n_valid, p.n_train: 10 * n_valid, p.r: 2}
    at |= {p.C_r: np.sqrt(2 * (1 + 1 / J)) / t, p.G: np.sqrt(K - J) * t / 2}
    at |= {
        remarks.eps: of_10([float(at[symbol]) for symbol in given]),
        remarks.others: K - J,
        remarks.C_c: C_a,
        log_delta: np.log(1 / half),
    }
    return all(condition.subs(at) for condition in conditions)


def better(n_valid, t):
    """Whether the mean excess risk of weighting is the lower one."""
    means = risks(n_valid, 10 * n_valid, chances=np.repeat([0.4, 0.4 + t], [J, K - J]), cap=1.0).mean(axis=1)
    return means[0] < means[2]


rows = []
for i in (1, 2, 3, 4, 5, 6, 18, 20, 22, 24):
    row = [f"10^{i}"]
    for holds in (better, promised):
        if holds is better and i > 6:
            row.append("")
            continue
        reached = [t for t in gaps if holds(10**i, t)]
        row.append(f"{reached[0]:.2g}" if reached else "none up to 0.6")
    rows.append(row)
table(["n_valid", "t from which weighting is better", "t from which the remark applies"], rows)

# %% [markdown]
# Weighting is better from a small difference of the nodes on, of the order $n_{\rm valid}^{-1/2}$ here, and worse
# below it. The bounds show it for numbers of data that nobody has: for $r=2$ there is an eighth root of $n_{\rm
# train}$ in $\varepsilon$.
