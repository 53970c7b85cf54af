"""Lemma D.3: the minimiser theta*_gamma is Lipschitz, with the constant that the paper leaves open.

``M`` is ``rho``-strongly convex in theta, and its gradient at a fixed theta is ``sqrt(L_2^2 + 1/gamma^2)``-Lipschitz in
``(x, y)``. Attained in the limit by ``g(x, theta) = -(L_2/2) ||theta||^2`` in ``y``: there theta* = y/(1 - gamma L_2).
"""

from dataclasses import replace

import sympy as sp

from rateproof.theory.claim import Kind
from rateproof.theory.gram import dot, norm2
from rateproof.theory.papers.mefbo import notation as p
from rateproof.theory.papers.mefbo.lemma_d2 import DESCENDS, ENVELOPE, OPTIMAL, gy, gyb, gyc, s, sb, x, xb, y, yb
from rateproof.theory.proof import Proof, cite, have, lipschitz, optimal, qed, raised, smooth, unfold, written_out
from rateproof.theory.shorthand import ge, le

HYPOTHESES = (p.SETS, p.WEIGHTS, p.G_SMOOTH, p.GAMMA)
_push = gyb - gyc - (yb - y) / p.gamma
_RHO = (DESCENDS, have("rho", ge(p.rho * p.gamma, sp.Rational(1, 2)), by=[DESCENDS.name, unfold(p.rho)]))
_SQUARED = replace(ENVELOPE, measured=())

#: The squares of the lemma, to be cited at other points.
SQUARES = p.claim(
    "lemD.3.squares",
    "Lemma D.3",
    Kind.INEQUALITY,
    "||theta*_gamma(z) - theta*_gamma(zb)||^2 <= L_theta^2 ||z - zb||^2",
    le(p.dtheta**2, p.L_theta**2 * p.dz**2),
    title="The proximal point is Lipschitz, in squares",
    hypotheses=HYPOTHESES,
    where=p.LIP,
    setting=_SQUARED,
    proof=Proof(
        have("theta*(z) is optimal", ge(dot(gy + (s - y) / p.gamma, sb - s), 0), by=[optimal("M"), written_out("m")]),
        OPTIMAL,
        have(
            "weak convexity in theta",
            ge(dot(gy - gyc, s - sb), -p.L_2 * norm2(s - sb)),
            by=[smooth("G", "theta*(z)", "cross")],
        ),
        have(
            "strong monotonicity",
            le((1 / p.gamma - p.L_2) * norm2(s - sb), dot(_push, s - sb)),
            by=["theta*(z) is optimal", "theta*(zb) is optimal", "weak convexity in theta"],
        ),
        have(
            "change of the gradient",
            le(norm2(gyb - gyc), p.L_2**2 * norm2(x - xb)),
            by=[lipschitz("G", "theta*(zb)", "cross")],
        ),
        have(
            "change with (x, y)",
            le(norm2(_push), p.G2 * p.dz**2),
            by=["change of the gradient"],
            multipliers=[1 + 1 / (p.gamma * p.L_2) ** 2],
        ),
        *_RHO,
        have(
            "times rho",
            le(p.rho**2 * p.dtheta**2, norm2(_push)),
            by=["strong monotonicity", "rho", unfold(p.rho)],
            multipliers=[2 * p.rho],
        ),
        have(
            "in numbers",
            le(p.dtheta**2, p.G2 / p.rho**2 * p.dz**2),
            by=["times rho", "change with (x, y)", "rho"],
            multipliers=[1 / p.rho**2, 1 / p.rho**2],
        ),
        qed(by=["in numbers", "rho", unfold(p.L_theta)]),
    ),
)
LEMMA_D3 = p.claim(
    "lemD.3",
    "Lemma D.3",
    Kind.INEQUALITY,
    "There is L_theta > 0 such that ||theta*_gamma(z) - theta*_gamma(zb)|| <= L_theta ||z - zb|| for all z, zb",
    le(p.dtheta, p.L_theta * p.dz),
    equation="38",
    title="The proximal point is Lipschitz",
    hypotheses=HYPOTHESES,
    where=p.LIP,
    note="Here with the value L_theta = sqrt(L_2^2 + 1/gamma^2)/(1/gamma - L_2); the paper says only that there is "
    "one.",
    setting=replace(ENVELOPE, others=(_SQUARED,)),
    proof=Proof(
        *_RHO,
        have("the squares", le(p.dtheta**2, p.G2 / p.rho**2 * p.dz**2), by=[cite(SQUARES), "rho", unfold(p.L_theta)]),
        raised("the roots", "the squares", to=sp.Rational(1, 2), by=["rho"]),
        qed(by=["the roots", "rho", unfold(p.L_theta)]),
    ),
)
CLAIMS = (LEMMA_D3,)
