# %% [markdown]
# # What can the theorems on adaptive weights promise, and what not?
#
# The paper: *Federated learning on adaptively weighted nodes by bilevel optimisation* (anonymous). A center has few
# validation data, nodes $1,\dots,K$ have more, and $J$ of them have the center's law. Weights $\hat w$ on the nodes
# minimise the validation loss of the model $\hat\theta(w)$ that they train. Theorem 1 bounds the excess risk, however
# much the nodes differ; with probability $1-\delta$
# $$L_0(\hat\theta(\hat w))-L_0(\theta^*)\le C_g\Bigl(\frac{\nu+\log\frac1\delta}{n_{\rm valid}}\Bigr)^{1/2}+C_g
#   \frac{\ell_0}{\sqrt\mu}\Bigl(\frac{\nu+K+\log\frac1\delta}{n_{\rm train}/(Kb^2)}\Bigr)^{1/4}.$$
# Theorem 2 says that $\hat w$ comes near the weights of the $J$ peers, and its corollaries that this beats training on
# the validation data alone, and equal weights. How the weights behave is the question of `fedweight_peers`. Here: which
# statements fall, from how many data on the bounds say anything, and when they promise an advantage. Nothing here needs
# a data file.

# %%
from collections import Counter

import numpy as np
import sympy as sp
from IPython.display import Image, Markdown

from rateproof.theory import catalog
from rateproof.theory.papers.fedweight import lemma2, remarks, theorem1
from rateproof.theory.papers.fedweight import notation as p
from rateproof.verify import registry
from rateproof.verify.experiments import figures
from rateproof.verify.pages.render import markdown_table
from rateproof.verify.stored import baseline


def table(head, rows):
    return Markdown(markdown_table(head, rows))


claims = {name.removeprefix("fedweight."): claim for name, claim in catalog.claims("fedweight").items()}
found = {name.removeprefix("fedweight."): entry.result for name, entry in baseline.read("fedweight").items()}
stated = {name: result for name, result in found.items() if result.reading == "stated"}
amending = {name: [other for other, claim in claims.items() if claim.amends == f"fedweight.{name}"] for name in stated}
print(f"{len(stated)} claims of the paper:", dict(Counter(str(result.verdict) for result in stated.values())))

# %% [markdown]
# ## 1. What falls
#
# Numbered results and remarks that are not proved as printed, as `python -m rateproof check fedweight` last decided.
# *Kindly* is the verdict with the paper's own intentions read into it, *severity* says what a false claim needs. The
# corrections are ours, those that are proved by a certificate in the last column.

# %%
rows = []
for name, result in stated.items():
    place, verdict = claims[name].source.place, str(result.verdict)
    if (
        name.startswith(("ps-", "tab", "exp"))
        or place.startswith("proof")
        or verdict in ("proved", "supported", "unchecked")
    ):
        continue
    proved = sum(found[other].verdict == "proved" and found[other].level == "certificate" for other in amending[name])
    mended = f"{proved} of {len(amending[name])}" if amending[name] else ""
    rows.append([name, claims[name].title, verdict, result.kindly, result.severity or "", mended])
table(["claim", "", "printed", "kindly", "severity", "corrections proved"], rows)

# %% [markdown]
# The reasons that the corrections of numbered results give, and for which of them:

# %%
reasons = {}
for claim in claims.values():
    if claim.source.place.startswith(("Lemma", "Theorem", "Proposition", "Corollary")):
        for reason in claim.why:
            reasons.setdefault(reason.text, []).append(claim.amends.removeprefix("fedweight."))
table(["what is wrong with the print", "of"], [[text, ", ".join(dict.fromkeys(of))] for text, of in reasons.items()])

# %% [markdown]
# The smallest instances of those that are refuted, each replayed here in exact arithmetic with all hypotheses:

# %%
rows = []
for record in registry.records("fedweight"):
    name, shown = record.claim.id.removeprefix("fedweight."), record.counterexample
    numbered = name.startswith(("lem1", "lem4", "rem-prop2", "rem-logK", "rem-A2"))
    if shown is None or not numbered or found[name].verdict != "refuted":
        continue
    shown.replayed()
    rows.append([name, f"{shown.left} against {shown.right}" if shown.left else "", shown.by_hand])
table(["claim", "sides", "by hand"], rows)

# %% [markdown]
# ## 2. From how many data on do the bounds say anything?
#
# Coins: $l=\frac12(\theta-z)^2$ with $z\in\{0,1\}$ on $\Theta=[0,1]$, so that losses, and with them the excess risk,
# are at most $\frac12$. Then $\mu=\ell_0=\ell_1=1$, and $\lceil1/\epsilon\rceil\le2/\epsilon$ balls of radius
# $\epsilon\,\ell_{\max}$ cover all losses: $\nu=1$, $C_{\mathcal H}=2$, $\ell_{\max}=\frac12$. As in the paper's
# experiments $K=15$, $J=5$, $b=\frac13$; everything with probability 95%. The bounds are the right sides of the claims
# themselves. For the constants $C_0$ and $C_a$ that the paper calls universal we put the least ones that Lemmas 2 and 3
# as corrected give. Each term falls with one of both sample sizes; from which size on is it below $\frac12$?

# %%
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
print(f"C_0 = {C_0:.1f}, C_a = {C_a:.1f}")
table(["", "n_valid", "n_train"], rows)

# %% [markdown]
# Theorem 1 with the constants of its proof says nothing below millions of training data a node: fourth roots are slow,
# and a union bound over all weights stands under one. The optimality of $\hat w$ against a single $w^*$ needs neither,
# and a few data a node are enough; what remains is the term of the validation data.
#
# ## 3. The excess risk beside its bounds
#
# Coins again, chance $0.4$ at the center and its 5 peers, $0.7$ at the 10 others, $n_{\rm train}=10\,n_{\rm valid}$. On
# a line $\hat\theta(\hat w)$ is the share of ones at the center, cut off at the least and largest that weights allow,
# the means of the three least and the three largest nodes. The 95% quantile of the excess risk of 20,000 draws, for
# weighting and its rivals, and the bounds.

# %%
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
Image(figures.png(drawn))

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
# The bounds are far off, and further for more data: deviations of losses go with $n^{-1/2}$, the excess risk of a mean
# with $1/n$. Here weighting is hardly better than local training, as the weights of a line can take the model to any
# place. Theorem 1 *cannot* promise an advantage over local training: its first term alone,
# in the corrected form too, is the whole bound of local training, at every pair of sizes:

# %%
pairs = [(10**i, 10**j) for i in range(1, 9) for j in range(i, 13)]
alone = bound("lem2.corrected", half)
smaller = sum(cases[5][1](*pair) < 2 * alone(*pair) for pair in pairs)
print(f"Theorem 1, corrected, interior, below twice Lemma 2 at {smaller} of {len(pairs)} pairs of sizes")

# %% [markdown]
# ## 4. When is weighting better than equal weights?
#
# Always, says a remark after Proposition 2: the bound for equal weights is "strictly worse for any value of $G$". It is
# refuted above. The corrected remark has two conditions, on $\varepsilon$ of (10), which is how near the weights come
# to those of the peers, and on $G$:

# %%
print(claims["rem-prop2.corrected"].text)

# %% [markdown]
# For the coins, now with $b=1$, where $C_r=\sqrt{2(1+1/J)}/\min_k|p_k-p_0|$ exactly, the others' chances $0.4+t$, and
# $n_{\rm train}=10\,n_{\rm valid}$: from which $t$ on is weighting better? In the mean excess risk of 20,000 draws, and
# by both conditions with the constants as above.

# %%
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
# **So:** Theorem 1 and Proposition 2 hold with small changes, the first in a better form. As numbers the bounds speak
# from thousands of validation data on. That weighting beats equal weights is true from a small difference of the nodes
# on, of the order $n_{\rm valid}^{-1/2}$ here, and false below it. The bounds show it for numbers of data that nobody
# has, as for $r=2$ there is an eighth root of $n_{\rm train}$ in $\varepsilon$.
