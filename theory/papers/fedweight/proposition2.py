"""Proposition 2: training with equal weights.

The decomposition (44) is right, and so is the bound with the constants of (21) for the weights ``1/K``, which are one
point. For that point alone no union over weights is needed: ``nu_H`` is enough in the place of ``nu_H + K``.
"""

from typing import Any

import sympy as sp

from rateproof.theory.claim import Claim, Hypothesis, Kind
from rateproof.theory.gram import dot, vectors
from rateproof.theory.papers.fedweight import notation as p
from rateproof.theory.papers.fedweight.lemma3 import OTHERS
from rateproof.theory.proof import Proof, Setting, cauchy_schwarz, have, qed, supposed
from rateproof.theory.shorthand import claims_in, eq, every, le
from rateproof.theory.symbols import NONNEG

declare, formula = p.declare, p.formula
_PLACE = "proof of Proposition 2"
K, J, n = p.K, p.J, p.n_train

# --- values of the losses at theta^_equal, theta_equal and theta*, and what (44) makes of them

_MEAN, _HAT = r"\frac1K\sum_kL_k", r"\frac1K\sum_k\widehat L_k"
L0_hat, L0_star, mean_hat, mean_equal, mean_star, data_hat, data_equal = (
    declare(name, text, p.LOSS, latex=latex)
    for name, text, latex in (
        ("L0_hat", "L_0(theta^_equal)", r"L_0(\hat\theta_{\rm equal})"),
        ("L0_star", "L_0(theta*)", r"L_0(\theta^*)"),
        ("mean_hat", "(1/K) sum_k L_k(theta^_equal)", rf"{_MEAN}(\hat\theta_{{\rm equal}})"),
        ("mean_equal", "(1/K) sum_k L_k(theta_equal)", rf"{_MEAN}(\theta_{{\rm equal}})"),
        ("mean_star", "(1/K) sum_k L_k(theta*)", rf"{_MEAN}(\theta^*)"),
        ("data_hat", "(1/K) sum_k L^_k(theta^_equal)", rf"{_HAT}(\hat\theta_{{\rm equal}})"),
        ("data_equal", "(1/K) sum_k L^_k(theta_equal)", rf"{_HAT}(\theta_{{\rm equal}})"),
    )
)
T = {i: declare(f"T_{i}e", f"T_{i} of (44)", p.LOSS, latex=f"T_{i}") for i in range(1, 7)}
gap_same = declare("gap_same", "sum over J of L_0 - L_k", p.LOSS, latex=r"\sum_{k\in J}(L_0-L_k)")
gap_others = declare("gap_others", "sum over the other nodes of L_0 - L_k", p.LOSS, latex=r"\sum_{k\notin J}(L_0-L_k)")
norm_one = formula("norm_one", "||(1, ..., 1)|| in R^{K-J}", **NONNEG)


def _step(name: str, text: str, statement: sp.Basic, *hypotheses: Hypothesis, title: str, **rest: Any) -> Claim:
    """A step of the proof for given data."""
    kind = Kind.IDENTITY if isinstance(statement, sp.Eq) else Kind.INEQUALITY
    more = {"equation": "44", **rest}
    return p.claim(f"ps-17.{name}", _PLACE, kind, text, statement, title=title, hypotheses=hypotheses, **more)


PARTS = p.H_(
    "terms of (44)",
    "T_1, ..., T_6 are the differences in (44)",
    every(
        eq(T[1], L0_hat - mean_hat),
        eq(T[2], mean_hat - data_hat),
        eq(T[3], data_hat - data_equal),
        eq(T[4], data_equal - mean_equal),
        eq(T[5], mean_equal - mean_star),
        eq(T[6], mean_star - L0_star),
    ),
)
OPTIMAL = p.H_(
    "optimal",
    "theta^_equal minimises (42) and theta_equal minimises (43)",
    every(le(data_hat, data_equal), le(mean_equal, mean_star)),
)
EXCESS = p.H_("excess", "excess is L_0(theta^_equal) - L_0(theta*)", eq(p.excess_equal, L0_hat - L0_star))
PS17_SUM = _step(
    "a",
    "L_0(theta^_equal) - L_0(theta*) = T_1 + T_2 + T_3 + T_4 + T_5 + T_6",
    eq(p.excess_equal, sp.Add(*T.values())),
    EXCESS,
    PARTS,
    title="The excess risk in six terms",
    proof=Proof(qed(by=[supposed("excess"), supposed("terms of (44)")])),
)
PS17_OPTIMAL = _step(
    "b",
    "T_3 <= 0 and T_5 <= 0",
    every(le(T[3], 0), le(T[5], 0)),
    PARTS,
    OPTIMAL,
    title="Terms that optimality bounds",
    proof=Proof(*(qed(by=[supposed("terms of (44)"), supposed("optimal")], of=part) for part in range(2))),
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
        every(eq(T[of], sign * gap_others / K), le(sign * gap_others / K, _FAR)),
        OTHERS,
        mean,
        SAME,
        ONES,
        title=f"Nodes that differ, in T_{of}",
        setting=OF_GAPS,
        proof=Proof(
            have("gaps", le(sign * gap_others, norm_one * p.G), by=[cauchy_schwarz(p.G, norm_one)]),
            qed(by=[supposed(mean.key), supposed("p_k=p_0")]),
            qed(by=["gaps", supposed("J<K"), supposed("K-J ones")], of=1),
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
CLAIMS = claims_in(globals())
