"""Proposition 2: training with equal weights.

The decomposition (44) is right, and so is the bound with the constants of (21) for the weights ``1/K``. These are one
point, so that no union over weights is needed: ``nu_H`` is enough in the place of ``nu_H + K``. Compared with
``theta*`` at once, as for Proposition 1, the class is paid for once, at the level ``1 - delta``.
"""

from dataclasses import replace
from typing import Any

import sympy as sp

from rateproof.theory.assumptions import Covered
from rateproof.theory.claim import Claim, Hypothesis, Kind
from rateproof.theory.gram import dot, vectors
from rateproof.theory.papers.fedweight import lemma3
from rateproof.theory.papers.fedweight import notation as p
from rateproof.theory.papers.fedweight.lemma2 import LOG, ONE_OVER, a4_switch, l_max
from rateproof.theory.papers.fedweight.lemma3 import OTHERS, R_D
from rateproof.theory.papers.fedweight.proposition1 import UNIVERSAL, largest_difference, under_one_root
from rateproof.theory.probability import Pr
from rateproof.theory.proof import Proof, Setting, cauchy_schwarz, cite, have, qed, supposed, unfold
from rateproof.theory.shorthand import amended, claims_in, eq, every, ge, le, premise
from rateproof.theory.symbols import NONNEG, POS

declare, formula = p.declare, p.formula
_PLACE = "proof of Proposition 2"
K, J, n = p.K, p.J, p.n_train

# --- values of the losses at theta^_equal, theta_equal and theta*, and what (44) makes of them

_MEAN, _HAT = r"\frac1K\sum_kL_k", r"\frac1K\sum_k\widehat L_k"
L0_equal, L0_best, mean_hat, mean_equal, mean_star, data_hat, data_equal, data_star = (
    declare(name, text, p.LOSS, latex=latex)
    for name, text, latex in (
        ("L0_equal", "L_0(theta^_equal)", r"L_0(\hat\theta_{\rm equal})"),
        ("L0_best", "L_0(theta*)", r"L_0(\theta^*)"),
        ("mean_hat", "(1/K) sum_k L_k(theta^_equal)", rf"{_MEAN}(\hat\theta_{{\rm equal}})"),
        ("mean_equal", "(1/K) sum_k L_k(theta_equal)", rf"{_MEAN}(\theta_{{\rm equal}})"),
        ("mean_star", "(1/K) sum_k L_k(theta*)", rf"{_MEAN}(\theta^*)"),
        ("data_hat", "(1/K) sum_k L^_k(theta^_equal)", rf"{_HAT}(\hat\theta_{{\rm equal}})"),
        ("data_equal", "(1/K) sum_k L^_k(theta_equal)", rf"{_HAT}(\theta_{{\rm equal}})"),
        ("data_star", "(1/K) sum_k L^_k(theta*)", rf"{_HAT}(\theta^*)"),
    )
)
T = {i: declare(f"T_{i}e", f"T_{i} of (44)", p.LOSS, latex=f"T_{i}") for i in range(1, 7)}
gap_same = declare("gap_same", "sum over J of L_0 - L_k", p.LOSS, latex=r"\sum_{k\in J}(L_0-L_k)")
gap_others = declare("gap_others", "sum over the other nodes of L_0 - L_k", p.LOSS, latex=r"\sum_{k\notin J}(L_0-L_k)")
norm_one = formula("norm_one", "||(1, ..., 1)|| in R^{K-J}", **NONNEG)


def _step(name: str, text: str, statement: sp.Basic, *hypotheses: Hypothesis, **rest: Any) -> Claim:
    """A step of the proof for given data."""
    return p.step(_PLACE, f"ps-17.{name}", text, statement, *hypotheses, **{"equation": "44", **rest})


_LINKS = (L0_equal, mean_hat, data_hat, data_equal, mean_equal, mean_star, L0_best)
PARTS = p.H_(
    "terms of (44)",
    "T_1, ..., T_6 are the differences in (44)",
    every(*(eq(T[i], _LINKS[i - 1] - _LINKS[i]) for i in T)),
)
OPTIMAL = p.H_(
    "optimal",
    "theta^_equal minimises (42) and theta_equal minimises (43)",
    every(le(data_hat, data_equal), le(mean_equal, mean_star)),
)
EXCESS = p.H_(
    "excess_equal",
    "what (44) writes in six terms is L_0(theta^_equal) - L_0(theta*)",
    eq(p.excess_equal, L0_equal - L0_best),
)
PS17_SUM = _step(
    "a",
    "L_0(theta^_equal) - L_0(theta*) = T_1 + T_2 + T_3 + T_4 + T_5 + T_6",
    eq(p.excess_equal, sp.Add(*T.values())),
    EXCESS,
    PARTS,
    title="The excess risk in six terms",
)
PS17_OPTIMAL = _step(
    "b",
    "T_3 <= 0 and T_5 <= 0",
    every(le(T[3], 0), le(T[5], 0)),
    PARTS,
    OPTIMAL,
    title="Terms that optimality bounds",
)
gaps, ones = vectors("gaps ones")
#: What the other nodes make of T_1: their gaps as a vector of R^{K-J}, whose norm is at most G at every theta.
OF_GAPS = Setting(
    depends={"gaps": "", "ones": ""},
    metrics={gap_others: dot(gaps, ones)},
    lengths={norm_one: ones},
    bounds={p.G: gaps},
    measured=(T[1], T[6], gap_same),
    words={"gaps": "L_0 - L_k at a theta, k outside J", "ones": "the vector (1, ..., 1)"},
)
SAME = p.H_("p_k=p_0", "L_k = L_0 for k in J", eq(gap_same, 0))
ONES = p.H_("K-J ones", "there are K - J nodes outside J", eq(norm_one, sp.sqrt(K - J)))
_FAR = sp.sqrt(K - J) / K * p.G


def _far(name: str, of: int, sign: int, text: str) -> Claim:
    """T_1 or T_6 by the gaps at theta^_equal or theta*."""
    mean = p.H_(f"T_{of}", f"T_{of} is {'' if sign > 0 else 'minus '}the mean of the L_0 - L_k over all nodes",
                eq(T[of], sign * (gap_same + gap_others) / K))  # fmt: skip
    return _step(
        name,
        text,
        every(
            eq(T[of], sign * (gap_same + gap_others) / K),
            eq(sign * (gap_same + gap_others) / K, sign * gap_others / K),
            le(sign * gap_others / K, _FAR),
        ),
        OTHERS,
        mean,
        SAME,
        ONES,
        title=f"Nodes that differ, in T_{of}",
        setting=OF_GAPS,
        proof=Proof(
            have("gaps", le(sign * gap_others, norm_one * p.G), by=[cauchy_schwarz(p.G, norm_one)]),
            qed(by=[supposed(mean.key)]),
            qed(by=[supposed("p_k=p_0")], of=1),
            qed(by=["gaps", supposed("J<K"), supposed("K-J ones")], of=2),
        ),
    )


PS17_FIRST = _far(
    "c",
    1,
    1,
    "T_1 = (1/K) sum_k (L_0 - L_k)(theta^_equal) = sum_{k not in J} (1/K) (L_0 - L_k)(theta^_equal) <= "
    "((K - J)/K^2)^(1/2) G",
)
PS17_LAST = _far("d", 6, -1, "T_6 <= ((K - J)/K^2)^(1/2) G, by a similar argument")
dev_equal = declare(
    "dev_equal",
    "sup over theta of |(1/K) sum_k (L^_k - L_k)|",
    p.LOSS,
    latex=r"\sup_\theta\left|\frac1K\sum_k(\widehat L_k-L_k)(\theta)\right|",
    **NONNEG,
)
#: The supremum of (21) for b = 1/K, where the weights 1/K are all that there are.
_OF_21 = {p.dev_w: dev_equal, p.b: 1 / K}
_LEVEL = p.C_a * sp.sqrt((p.nu + K + sp.log(1 / p.delta)) / (K * n))
AT_BOTH = p.H_(
    "at both points", "T_2 and T_4 are differences at one theta each", every(le(T[2], dev_equal), le(T[4], dev_equal))
)
_ABOUT = "for b = 1/K, where the weights 1/K are all that there are"
AT_1_K = replace(premise(lemma3.LEM3_I, at=_OF_21, about=_ABOUT), key="lem3.i for b = 1/K")
PS17_DATA = _step(
    "e",
    "with probability at least 1 - delta, T_2 and T_4 are at most C_a ((nu_H + K + log(1/delta))/(K n_train))^(1/2)",
    ge(Pr(every(le(T[2], _LEVEL), le(T[4], _LEVEL))), 1 - p.delta),
    AT_1_K,
    AT_BOTH,
    p.DELTA,
    title="Terms that (21) bounds",
    kind=Kind.INEQUALITY,
    note="A2' is about W* for the b of the paper, and does not say that A2 holds for b = 1/K; (21) does not need A2.",
    where={p.B: p.DEFINED[p.B].subs(p.b, 1 / K)},
    setting=Setting(measured=(T[2], T[4], dev_equal)),
    proof=Proof(
        LOG,
        ONE_OVER,
        have("level", ge(p.nu + K - sp.log(p.delta), 0), by=["log(1/delta)"]),
        qed(by=["level", "log(1/delta)", supposed(AT_1_K.key), supposed("at both points"), unfold(p.B)]),
    ),
)
_G_TERM = 2 * sp.sqrt(K - J) / K * p.G
FARTHEST = p.H_(
    "T_1, T_6",
    "T_1 and T_6 are at most ((K - J)/K^2)^(1/2) G (ps-17.c, ps-17.d)",
    every(le(T[1], _FAR), le(T[6], _FAR)),
)
PS17_ALL = _step(
    "f",
    "L_0(theta^_equal) - L_0(theta*) <= 2 sup_theta |(1/K) sum_k (L^_k - L_k)| + (2 (K - J)^(1/2)/K) G",
    le(p.excess_equal, 2 * dev_equal + _G_TERM),
    OTHERS,
    premise(PS17_SUM),
    premise(PS17_OPTIMAL),
    FARTHEST,
    AT_BOTH,
    title="The excess risk for every draw",
    setting=Setting(measured=(p.excess_equal, dev_equal, *T.values())),
)
# --- theta^_equal against theta* at once

_DIFFERENCE = "sup_theta [(1/K) sum_k (L_k - L^_k)(theta) - (1/K) sum_k (L_k - L^_k)(theta*)]"
best = formula("Z_equal", _DIFFERENCE, p.LOSS, nonnegative=True)
(mean_best,) = p.measured(p.LOSS, mean_best_equal=f"E {_DIFFERENCE}")
PS17_AT_ONCE = _step(
    "g",
    f"L_0(theta^_equal) - L_0(theta*) <= {_DIFFERENCE} + (2 (K - J)^(1/2)/K) G",
    le(p.excess_equal, best + _G_TERM),
    OTHERS,
    EXCESS,
    PARTS,
    FARTHEST,
    p.H_("theta^_equal, theta*", "theta^_equal minimises (42), and theta* is no better", le(data_hat, data_star)),
    p.H_(
        "Z_equal",
        "the difference at theta^_equal is at most its supremum",
        le(mean_hat - data_hat - (mean_star - data_star), best),
    ),
    title="The excess risk by one supremum",
    note="Ours: theta_equal is not needed.",
    setting=Setting(measured=(p.excess_equal, best, *T.values())),
    proof=Proof(
        have(
            "terms",
            eq(p.excess_equal, T[1] + mean_hat - mean_star + T[6]),
            by=[*map(supposed, (EXCESS.key, PARTS.key))],
        ),
        qed(by=["terms", *map(supposed, (OTHERS.key, FARTHEST.key, "theta^_equal, theta*", "Z_equal"))]),
    ),
)
_COVERED = p.H_(
    "covered H",
    "A4 for eps <= 1, of the losses at the K n_train data points",
    None,
    Covered("H", R_D / l_max, K * n, p.C_H, p.nu),
)
SAMPLE, _bound, _steps, _grounds = largest_difference(
    "samples (42)",
    "all data points are independent; one of them alone changes the supremum of differences by at most 2 l_max/(K n)",
    K * n,
    (best, mean_best),
    R_D,
)
AT_ONCE = premise(PS17_AT_ONCE)
LARGE = p.H_(
    "universal 2 C_a",
    "C_a is a universal constant that is large enough: 2 C_a is at least 12 (log(4 C_H) + 1)^(1/2) + 2^(1/2)",
    ge(2 * p.C_a, UNIVERSAL),
)
A_equal = declare("A_equal", "(nu_H + K + log(1/delta))/(K n_train)", latex=r"A_{\rm equal}", defined=True, **POS)
_bound_2 = 2 * p.C_a * sp.sqrt(A_equal) + _G_TERM
PROP2 = p.stated(
    "Proposition 2",
    "prop2",
    "with probability at least 1 - 3 delta, L_0(theta^_equal) - L_0(theta*) <= 2 C_a ((nu_H + K + log(1/delta))/(K "
    "n_train))^(1/2) + (2 (K - J)^(1/2)/K) G",
    ge(Pr(le(p.excess_equal, _bound_2)), 1 - 3 * p.delta),
    title="Equal weights",
    hypotheses=(*p.A1, p.A2J, p.A4, p.DELTA, LARGE),
    where={A_equal: (p.nu + K + sp.log(1 / p.delta)) / (K * n)},
    switches=(a4_switch(OTHERS, _COVERED, SAMPLE, AT_ONCE),),
    follows_from=("lem3.i", "ps-17.a", "ps-17.b", "ps-17.c", "ps-17.d", "ps-17.e", "ps-17.f"),
)
_A4 = "A4 for all eps > 0 holds for no class of losses"
PROP2_CORRECTED = amended(
    PROP2,
    (
        _A4,
        "the weights 1/K are one point, which needs no cover: K does not add to nu_H",
        "the supremum of differences from theta* needs no union bound, and no factor 2 of the class",
        "of A2' it is used that the nodes of J have the distribution of the target",
    ),
    text="For A4 with eps <= 1, with probability at least 1 - delta: L_0(theta^_equal) - L_0(theta*) <= 12 (nu_H "
    "(log(4 C_H) + 1)/(K n_train))^(1/2) + (2 log(1/delta)/(K n_train))^(1/2) + (2 (K - J)^(1/2)/K) G",
    statement=ge(Pr(le(p.excess_equal, _bound + _G_TERM)), 1 - p.delta),
    hypotheses=(p.RANGE, OTHERS, _COVERED, p.DELTA, SAMPLE, AT_ONCE),
    where={},
    follows_from=("ps-17.g", "ps-17.c", "ps-17.d"),
    proof=Proof(*_steps, qed(by=[*_grounds, supposed(OTHERS.key), supposed("ps-17.g")])),
)
PROP2_UNIVERSAL = amended(
    PROP2,
    _A4,
    part="universal",
    text="As printed, for A4 with eps <= 1, with probability at least 1 - delta",
    statement=ge(Pr(le(p.excess_equal, _bound_2)), 1 - p.delta),
    hypotheses=(*PROP2_CORRECTED.hypotheses, LARGE),
    follows_from=("prop2.corrected",),
    proof=Proof(
        *under_one_root(K * n, A_equal, LARGE, unfold(A_equal)),
        qed(by=[cite(PROP2_CORRECTED), "one root", "both", *_grounds[2:], supposed(OTHERS.key)]),
    ),
)
PS17 = p.composite(
    "ps-17", _PLACE, "Equal weights, term by term", "(44) and the bounds on its terms, with (21) for the weights 1/K"
)
CLAIMS = claims_in(globals())
