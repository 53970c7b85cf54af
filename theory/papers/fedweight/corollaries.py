"""Corollaries 1 and 2: the bound of Theorem 2 where its epsilon is small."""

from dataclasses import replace
from typing import Any

import sympy as sp

from rateproof.theory.claim import Claim, Hypothesis
from rateproof.theory.papers.fedweight import lemma3
from rateproof.theory.papers.fedweight import notation as p
from rateproof.theory.papers.fedweight import theorem2 as two
from rateproof.theory.papers.fedweight.lemma2 import a4_switch
from rateproof.theory.probability import Pr
from rateproof.theory.proof import (
    Proof,
    Setting,
    cite,
    have,
    logarithm,
    qed,
    raised,
    rewritten,
    section,
    supposed,
    unfold,
)
from rateproof.theory.shorthand import amended, claims_in, eq, every, ge, le
from rateproof.theory.symbols import POS

_PLACE = "proof of Corollary 2"
_half = sp.Rational(1, 2)
K, J, n, b, rad, N = p.K, p.J, p.n_train, p.b, lemma3.rad, two.N
SMALL = p.H_("eps<=b sqrt(J)/(K-J)", "eps <= b J^(1/2)/(K - J)", le(rad, b * sp.sqrt(J) / (K - J)))

PS_16 = p.composite(
    "ps-16", _PLACE, "Terms of (11) where epsilon is small", "The second term of (11), the size of N_eps, and the sum"
)


def _step(cid: str, title: str, text: str, statement: sp.Basic, *hypotheses: Hypothesis, **rest: Any) -> Claim:
    given = (lemma3.OTHERS, two.OF_N, SMALL, *hypotheses)
    return p.stated(_PLACE, f"ps-16.{cid}", text, statement, *given, title=title, **rest)


_cleared = have(
    "eps (K - J) <= b sqrt(J)", le(rad * (K - J), b * sp.sqrt(J)), by=[supposed(SMALL.key), supposed("J<K")]
)
MERGED = _step(
    "a",
    "The second term of (11)",
    "eps (K - J)/(b N_eps^(1/2)) <= (J/N_eps)^(1/2), which the first term has",
    le(rad * (K - J) / (b * sp.sqrt(N)), sp.sqrt(J) / sp.sqrt(N)),
    proof=Proof(_cleared, qed(by=[_cleared.name])),
)
SIZE = _step(
    "b",
    "N_eps for a small radius",
    "N_eps >= n_train/(b^2 J + b^2 J/(K - J)) >= n_train/(2 b^2 J)",
    every(ge(N, n / (b**2 * J + b**2 * J / (K - J))), ge(n / (b**2 * J + b**2 * J / (K - J)), n / (2 * b**2 * J))),
    proof=Proof(
        _cleared,
        raised("squares", _cleared.name, to=2, by=[supposed("J<K")]),
        have("eps^2 (K - J)", le(rad**2 * (K - J), b**2 * J / (K - J)), by=["squares", supposed("J<K")]),
        qed(by=["eps^2 (K - J)", supposed("N_eps"), supposed("J<K")], of=0),
        qed(by=[supposed("J<K")], of=1),
    ),
)
ABOVE_J = p.H_("nu_H + log(1/delta) >= 0", "nu_H + J + log(1/delta) >= J", ge(two.A_J, J))
_first = sp.sqrt(two.A_J) * b * sp.sqrt(J) / sp.sqrt(n)
TOGETHER = _step(
    "c",
    "The first two terms of (11)",
    "((nu_H + J + log(1/delta))/N_eps)^(1/2) + eps (K - J)/(b N_eps^(1/2)) <= 3 ((nu_H + J + log(1/delta)) J "
    "b^2/n_train)^(1/2)",
    le(two.DEVIATION, 3 * _first),
    ABOVE_J,
    proof=Proof(
        have("J", le(J, two.A_J), by=[supposed(ABOVE_J.key)]),
        raised("root of J", "J", to=_half),
        have("merged", le(two.DEVIATION, 2 * sp.sqrt(two.A_J) / sp.sqrt(N)), by=[cite(MERGED), "root of J"]),
        have("N_eps", le(4 * two.A_J * n, sp.Integer(9) * two.A_J * b**2 * J * N), by=[cite(SIZE)]),
        raised("root", "N_eps", to=_half),
        have("without N_eps", le(2 * sp.sqrt(two.A_J) / sp.sqrt(N), 3 * _first), by=["root"]),
        qed(by=["merged", "without N_eps"]),
    ),
)

# --- the corollaries, with the constants that O hides

SMALL_PRINTED = p.H_(
    "eps of (10)<=b sqrt(J)/(K-J)", "eps of (10) is at most b J^(1/2)/(K - J)", le(p.eps, b * sp.sqrt(J) / (K - J))
)
_order = (3 * p.C_e * _first).xreplace(two.PRINTED)
C_1 = p.declare("C_cor1", "constant that O( ) hides in Corollary 1", p.LOSS, latex="C", **POS)
COROLLARY2 = p.stated(
    "Corollary 2",
    "cor2",
    "L_0(theta^(w^)) - L_0(theta*) <= 3 C_e ((nu_H + J + log(1/delta)) J b^2/n_train)^(1/2) + 2 G C_w A^(1/(2r)) + "
    "2 G C_w (l_0/mu^(1/2)) B^(1/(4r)) with probability at least 1 - 3 delta",
    ge(Pr(le(p.excess, _order + 2 * p.G * p.eps)), 1 - 3 * p.delta),
    equation="40",
    title="The bound where epsilon is small",
    hypotheses=(*two.ASSUMED, two.LARGE_W, two.LARGE_E, SMALL_PRINTED),
    where={**two.AB, p.eps: p.DEFINED[p.eps]},
    switches=(a4_switch(*two.OF_11_DRAWS), two.EPS_SWITCH),
    follows_from=("thm2.ii", "ps-16"),
    note="Printed with O( ) in each term, which hides l_0/mu^(1/2), too; here with the constants of the proof.",
)
_WIDER = le(rad * sp.sqrt(K - J), b * sp.sqrt(J))
WIDER = p.H_("eps (K-J)^(1/2)<=b sqrt(J)", "eps <= b (J/(K - J))^(1/2)", _WIDER)
_ORDER = le(p.C_e * sp.sqrt(two.A_J) / sp.sqrt(N), 3 * p.C_e * _first / 2)
ORDER = p.stated(
    _PLACE,
    "cor2.order",
    "C_e ((nu_H + J + log(1/delta))/N_eps)^(1/2) <= (3/2) C_e ((nu_H + J + log(1/delta)) J b^2/n_train)^(1/2)",
    _ORDER,
    title="The first term of (11) at small epsilon",
    hypotheses=(lemma3.OTHERS, two.OF_N, WIDER, ABOVE_J),
    setting=Setting(free=(N, two.A_J)),
    note="Not displayed in the paper, which asks for eps <= b J^(1/2)/(K - J) to merge the second term of (11), too.",
    proof=Proof(
        have("small", _WIDER, by=[supposed(WIDER.key)]),
        raised("squares", "small", to=2, by=[supposed(lemma3.OTHERS.key)]),
        have("N_eps", le(n, 2 * b**2 * J * N), by=["squares", supposed("N_eps"), supposed(lemma3.OTHERS.key)]),
        have("times", le(4 * two.A_J * n, 9 * two.A_J * b**2 * J * N), by=["N_eps"]),
        raised("root", "times", to=_half),
        qed(by=["root"]),
    ),
)
_STATED_MEANT = COROLLARY2.read(two.EPS_SWITCH).statement
SMALL_MEANT = p.H_(
    "eps as meant<=b sqrt(J)/(K-J)",
    "eps of (10), with (l_0/mu^(1/2))^(1/r), is at most b J^(1/2)/(K - J)",
    le(two.EPS_MEANT, b * sp.sqrt(J) / (K - J)),
)
_AT_EPS = {N: p.N_eps, two.A_J: two.PRINTED[two.A_J]}
COROLLARY2_CORRECTED = amended(
    COROLLARY2,
    (two._ROOT_Q, "A4 for all eps > 0 holds for no class of losses"),
    text="As printed, with (l_0/mu^(1/2))^(1/r) in the place of l_0/mu^(1/2) in (10), for A4 with eps <= 1",
    statement=_STATED_MEANT,
    hypotheses=(*two.THEOREM2_II_FIRST.hypotheses, SMALL_MEANT),
    where=two.THEOREM2_II_FIRST.where,
    follows_from=("thm2.ii.first.corrected",),
    setting=two.THEOREM2_II_FIRST.setting,
    note="As (11) needs no second term, eps may be as large as b (J/(K - J))^(1/2), and half the constant is enough.",
    proof=Proof(
        section("The sizes as they are defined"),
        logarithm("log", 1 / p.delta, below=True),
        have("log(1/delta)", ge(sp.log(1 / p.delta), 0), by=["log", supposed(p.DELTA.key)]),
        have("above J", ge(two.PRINTED[two.A_J], J), by=["log(1/delta)"]),
        have("radius", eq(rad, two.EPS_MEANT), by=[supposed(two.RADIUS_MEANT.key)]),
        have("eps", eq(two.EPS_MEANT, rad), by=["radius"]),
        have("small", le(rad, b * sp.sqrt(J) / (K - J)), by=["radius", supposed(SMALL_MEANT.key)]),
        have("root", le(sp.sqrt(K - J), K - J), by=[supposed(lemma3.OTHERS.key)]),
        have("wider", _WIDER, by=["small", "root", supposed(lemma3.OTHERS.key)]),
        have("N_eps", eq(p.N_eps, two._SIZES_MEANT[p.N_eps]), by=[unfold(p.N_eps)]),
        rewritten("N_eps of the radius", "N_eps", by=["eps"]),
        section("The first term of (11)"),
        have("order", le(*(side.xreplace(_AT_EPS) for side in _ORDER.args)), by=[cite(ORDER, at=_AT_EPS)]),
        have("size", ge(_ORDER.rhs.xreplace(_AT_EPS), 0), by=["log(1/delta)"]),
        have("as printed", le(_ORDER.lhs.xreplace(_AT_EPS), _order), by=["order", "size"]),
        qed(by=[cite("fedweight.thm2.ii.first.corrected"), "as printed"]),
    ),
)
#: The terms of the bound of Corollary 1, and the powers of the sizes with which they fall.
_POWERS = 1 / sp.sqrt(n), p.n_valid ** (-1 / (2 * p.r)), n ** (-1 / (4 * p.r))
LARGE_MEANT = p.H_(
    "C, with the root",
    "C n_train^(-1/2), C n_valid^(-1/(2r)) and C n_train^(-1/(4r)) are at least 3 C_e ((nu_H + J + log(1/delta)) J "
    "b^2/n_train)^(1/2), and twice both terms of (10) with (l_0/mu^(1/2))^(1/r)",
    every(
        *(
            ge(C_1 * power, term)
            for power, term in zip(_POWERS, (_order, *(2 * x for x in two.EPS_MEANT.args)), strict=True)
        )
    ),
)
COROLLARY1 = p.stated(
    "Corollary 1",
    "cor1",
    "L_0(theta^(w^)) - L_0(theta*) <= C (n_train^(-1/2) + G (n_valid^(-1/(2r)) + n_train^(-1/(4r)))) with probability "
    "at least 1 - 3 delta, where C hides all but n_train, n_valid and G",
    ge(
        Pr(le(p.excess, C_1 * (1 / sp.sqrt(n) + p.G * (p.n_valid ** (-1 / (2 * p.r)) + n ** (-1 / (4 * p.r)))))),
        1 - 3 * p.delta,
    ),
    title="The rate in the sizes of the samples",
    hypotheses=(
        *COROLLARY2.hypotheses,
        p.H_(
            "C",
            "C is at least 3 C_e ((nu_H + J + log(1/delta)) J)^(1/2) b, 2 C_w (nu_H + log(1/delta))^(1/(2r)) and "
            "2 C_w (l_0/mu^(1/2)) (K b^2 (nu_H + K + log(1/delta)))^(1/(4r))",
            every(
                ge(C_1, 3 * p.C_e * sp.sqrt(two.PRINTED[two.A_J] * J) * b),
                ge(C_1, 2 * p.C_w * (p.A * p.n_valid) ** (1 / (2 * p.r))),
                ge(C_1, 2 * p.C_w * two._Q * (p.B * n) ** (1 / (4 * p.r))),
            ),
        ),
    ),
    where={**two.AB, p.eps: p.DEFINED[p.eps]},
    switches=(
        a4_switch(*two.OF_11_DRAWS),
        replace(two.EPS_SWITCH, without=("C",), adding=(LARGE_MEANT,)),
    ),
    follows_from=("cor2",),
)
COROLLARY1_CORRECTED = amended(
    COROLLARY1,
    COROLLARY2_CORRECTED.why,
    text="As printed, for A4 with eps <= 1; C hides all but n_train, n_valid and G, now with (l_0/mu^(1/2))^(1/r) in "
    "the place of l_0/mu^(1/2)",
    hypotheses=(*COROLLARY2_CORRECTED.hypotheses, LARGE_MEANT),
    where=two.AB,
    follows_from=("cor2.corrected",),
    setting=COROLLARY2_CORRECTED.setting,
    proof=Proof(
        have("eps", le(2 * two.EPS_MEANT, C_1 * (_POWERS[1] + _POWERS[2])), by=[supposed(LARGE_MEANT.key)]),
        have("times G", le(2 * p.G * two.EPS_MEANT, C_1 * p.G * (_POWERS[1] + _POWERS[2])), by=["eps"]),
        have("order", le(_order, C_1 * _POWERS[0]), by=[supposed(LARGE_MEANT.key)]),
        qed(by=[cite("fedweight.cor2.corrected"), "times G", "order"]),
    ),
)
CLAIMS = claims_in(globals())
