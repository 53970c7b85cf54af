"""Corollaries 1 and 2: the bound of Theorem 2 where its epsilon is small."""

import sympy as sp

from rateproof.theory.claim import Claim, Hypothesis, Kind
from rateproof.theory.papers.fedweight import lemma3
from rateproof.theory.papers.fedweight import notation as p
from rateproof.theory.papers.fedweight import theorem1 as one
from rateproof.theory.papers.fedweight import theorem2 as two
from rateproof.theory.papers.fedweight.lemma2 import A4_SWITCH, l_max
from rateproof.theory.probability import Pr
from rateproof.theory.proof import Proof, cite, have, logarithm, qed, raised, supposed, unfold
from rateproof.theory.shorthand import amended, claims_in, eq, every, ge, le
from rateproof.theory.symbols import POS

_PLACE = "proof of Corollary 2"
_half = sp.Rational(1, 2)
K, J, n, b, rad, N = p.K, p.J, p.n_train, p.b, two.rad, two.N
SMALL = p.H_("eps<=b sqrt(J)/(K-J)", "eps <= b J^(1/2)/(K - J)", le(rad, b * sp.sqrt(J) / (K - J)))

PS_16 = p.composite(
    "ps-16", _PLACE, "Terms of (11) where epsilon is small", "The second term of (11), the size of N_eps, and the sum"
)


def _step(cid: str, title: str, text: str, statement: sp.Basic, *hypotheses: Hypothesis, proof: Proof) -> Claim:
    return p.claim(
        f"ps-16.{cid}",
        _PLACE,
        Kind.INEQUALITY,
        text,
        statement,
        title=title,
        hypotheses=(two.OTHERS, two.OF_N, SMALL, *hypotheses),
        proof=proof,
    )


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
        have(
            "merged",
            le(two.DEVIATION, 2 * sp.sqrt(two.A_J) / sp.sqrt(N)),
            by=[cite(MERGED), "root of J"],
        ),
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
COROLLARY2 = p.claim(
    "cor2",
    "Corollary 2",
    Kind.BOUND,
    "L_0(theta^(w^)) - L_0(theta*) <= 3 C_e ((nu_H + J + log(1/delta)) J b^2/n_train)^(1/2) + 2 G C_w A^(1/(2r)) + "
    "2 G C_w (l_0/mu^(1/2)) B^(1/(4r)) with probability at least 1 - 3 delta",
    ge(Pr(le(p.excess, _order + 2 * p.G * p.eps)), 1 - 3 * p.delta),
    equation="40",
    title="The bound where epsilon is small",
    hypotheses=(*two.ASSUMED, SMALL_PRINTED),
    where={**two.AB, p.eps: p.DEFINED[p.eps]},
    switches=(A4_SWITCH,),
    follows_from=("thm2.ii", "ps-16"),
    note="Printed with O( ) in each term, which hides l_0/mu^(1/2), too; here with the constants of the proof.",
)
_LEVEL = sp.log(2 / p.delta)
_FIRST = l_max * b * sp.sqrt(J) / sp.sqrt(n)
_COUNT = sp.sqrt((p.nu + J) * lemma3.ENTROPY)
_order_J = 48 * _FIRST * _COUNT + 2 * _FIRST * sp.sqrt(_LEVEL)
_OTHERS = 144 * l_max**2 / n * rad**2 * (K - J) * (p.nu + K - J) * lemma3.ENTROPY
_SIZES = (
    logarithm("log of C", 8 * p.C_H, below=True),
    have("entropy", ge(lemma3.ENTROPY, 0), by=["log of C", supposed(lemma3.AT_ONE.key)]),
    _cleared,
    raised("squares", _cleared.name, to=2, by=[supposed("J<K")]),
    have("eps^2 (K - J)", le(rad**2 * (K - J), b**2 * J), by=["squares", supposed("J<K")]),
    have("changes", le((b**2 * J + rad**2 * (K - J)) / n, 2 * b**2 * J / n), by=["eps^2 (K - J)"]),
    raised("root of changes", "changes", to=_half, by=[supposed("J<K")]),
    have("v of (22)", le(lemma3.level_22, _FIRST * sp.sqrt(_LEVEL)), by=["root of changes", "level", supposed("v")]),
    have("exponents", le(p.nu + K - J, (K - J) * (p.nu + J)), by=[supposed("J<K")]),
    have(
        "others",
        le(rad**2 * (K - J) * (p.nu + K - J), b**2 * J * (p.nu + J)),
        by=["exponents", "squares", supposed("J<K")],
    ),
    have(
        "others, in n",
        le(_OTHERS, 144 * _FIRST**2 * (p.nu + J) * lemma3.ENTROPY),
        by=["others", "entropy"],
    ),
    have("sign of others", ge(_OTHERS, 0), by=["entropy", supposed("J<K")]),
    raised("root of others", "others, in n", to=_half, by=["sign of others", "entropy", supposed("J<K")]),
    have(
        "m of (22)",
        le(lemma3.mean_22, 24 * _FIRST * _COUNT),
        by=["root of others", "entropy", supposed("J<K"), supposed("m")],
    ),
)
COROLLARY2_CORRECTED = amended(
    COROLLARY2,
    two._WHY_II,
    text="L_0(theta^(w^)) - L_0(theta*) <= b (J/n_train)^(1/2) (48 ((nu_H + J) (log(8 C_H) + 1))^(1/2) + 2 "
    "log(2/delta)^(1/2)) + 2 eps G with probability at least 1 - 3 delta, with eps of (10) as corrected",
    statement=ge(Pr(le(p.excess, _order_J + 2 * rad * p.G)), 1 - 3 * p.delta),
    hypotheses=(*two.OF_DRAWS, two.OTHERS, SMALL),
    where=one.LEVELS,
    follows_from=("thm2.ii.corrected",),
    note="",
    setting=two.OF_ALL,
    proof=Proof(
        *one.SIGNS, *_SIZES, qed(by=[cite(two.THEOREM2_II_CORRECTED), "v of (22)", "m of (22)", "level", "entropy"])
    ),
)
COROLLARY1 = p.claim(
    "cor1",
    "Corollary 1",
    Kind.BOUND,
    "L_0(theta^(w^)) - L_0(theta*) <= C (n_train^(-1/2) + G (n_valid^(-1/(2r)) + n_train^(-1/(4r)))) with probability "
    "at least 1 - 3 delta, where C hides all but n_train, n_valid and G",
    ge(
        Pr(
            le(
                p.excess,
                C_1 * (1 / sp.sqrt(n) + p.G * (p.n_valid ** (-1 / (2 * p.r)) + n ** (-1 / (4 * p.r)))),
            )
        ),
        1 - 3 * p.delta,
    ),
    title="The rate in the sizes of the samples",
    hypotheses=(
        *two.ASSUMED,
        SMALL_PRINTED,
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
    switches=(A4_SWITCH,),
    follows_from=("cor2",),
)
c_valid, c_train = (
    p.declare(name, text, p.LOSS, latex=latex, **POS)
    for name, text, latex in (
        ("c_valid", "n_valid^(1/2) u, u the bound of Lemma 2 as corrected", "c_0"),
        ("c_train", "n_train^(1/2) v, v the bound of (21) as corrected", "c_a"),
    )
)
_FREE_OF_N = p.H_(
    "c_0, c_a",
    "c_0 = 12 (nu_H (log(4 C_H) + 1))^(1/2) + (log(2/delta)/2)^(1/2) and c_a = b K^(1/2) (12 ((nu_H + K) (log(8 C_H) "
    "+ 1))^(1/2) + (log(2/delta)/2)^(1/2))",
    every(eq(c_valid, one.VALID * sp.sqrt(p.n_valid)), eq(c_train, one.TRAIN * sp.sqrt(n))),
)
_in_n = (2 * c_valid / sp.sqrt(p.n_valid), 2 * p.l0 * sp.sqrt(2 * c_train / p.mu) * n ** sp.Rational(-1, 4))
COROLLARY1_CORRECTED = amended(
    COROLLARY1,
    two._WHY_II,
    text="L_0(theta^(w^)) - L_0(theta*) <= b J^(1/2) (48 ((nu_H + J) (log(8 C_H) + 1))^(1/2) + 2 log(2/delta)^(1/2)) "
    "n_train^(-1/2) + 2 C_r G ((2 c_0)^(1/r) n_valid^(-1/(2r)) + (2 l_0 (2 c_a/mu)^(1/2))^(1/r) n_train^(-1/(4r))) "
    "with probability at least 1 - 3 delta",
    statement=ge(Pr(le(p.excess, _order_J + 2 * p.C_r * p.G * sum(x ** (1 / p.r) for x in _in_n))), 1 - 3 * p.delta),
    hypotheses=(
        *COROLLARY2_CORRECTED.hypotheses,
        p.H_("eps", "eps is that of (10) as corrected, not more", le(rad, two.EPS_10)),
        _FREE_OF_N,
    ),
    where=one.LEVELS,
    follows_from=("cor2.corrected",),
    setting=two.OF_ALL,
    proof=Proof(
        *one.SIGNS,
        *two.SIGNS,
        have("1/r", ge(1 / p.r, 0)),
        have("u in n", le(2 * one.u_valid, _in_n[0]), by=[unfold(one.u_valid), "level", "balls", supposed("c_0, c_a")]),
        raised("root of u", "u in n", to=1 / p.r, by=["sign of 2 u", "1/r"]),
        have(
            "v in n",
            le(one.v_train, c_train / sp.sqrt(n)),
            by=[unfold(one.v_train), "level", "balls", supposed("c_0, c_a")],
        ),
        have(
            "square of the distance",
            le(8 * p.l0**2 / p.mu * one.v_train, 8 * p.l0**2 / p.mu * c_train / sp.sqrt(n)),
            by=["v in n"],
        ),
        have("its sign", ge(8 * p.l0**2 / p.mu * one.v_train, 0), by=["v"]),
        raised("distance", "square of the distance", to=_half, by=["its sign", "v"]),
        raised("root of v", "distance", to=1 / p.r, by=["sign of the root of v", "1/r"]),
        have(
            "eps",
            le(rad, p.C_r * sum(x ** (1 / p.r) for x in _in_n)),
            by=["root of u", "root of v", *(step.name for step in two.SIGNS), "v", supposed("eps")],
        ),
        have("product", le(rad * p.G, p.C_r * p.G * sum(x ** (1 / p.r) for x in _in_n)), by=["eps"]),
        logarithm("log of C", 8 * p.C_H, below=True),
        have("entropy", ge(lemma3.ENTROPY, 0), by=["log of C", supposed(lemma3.AT_ONE.key)]),
        qed(by=[cite(COROLLARY2_CORRECTED), "product", "level", "entropy"]),
    ),
)
CLAIMS = claims_in(globals())
