"""Corollaries 1 and 2: the bound of Theorem 2 where its epsilon is small."""

import sympy as sp

from rateproof.theory.claim import Claim, Hypothesis, Kind
from rateproof.theory.papers.fedweight import notation as p
from rateproof.theory.papers.fedweight import theorem2 as two
from rateproof.theory.proof import Proof, cite, have, qed, raised, supposed
from rateproof.theory.shorthand import claims_in, every, ge, le

_PLACE = "proof of Corollary 2"
_half = sp.Rational(1, 2)
K, J, n, b, rad, N = p.K, p.J, p.n_train, p.b, two.rad, two.N
SMALL = p.H_("eps<=b sqrt(J)/(K-J)", "eps <= b J^(1/2)/(K - J)", le(rad, b * sp.sqrt(J) / (K - J)))

PS_16 = p.composite(
    "ps-16", _PLACE, "The bound where epsilon is small", "The second term of (11), the size of N_eps, and the sum"
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
CLAIMS = claims_in(globals())
