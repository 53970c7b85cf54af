"""Smoothness of the Moreau envelope of a weakly convex function."""

import sympy as sp

from rateproof.theory.assumptions import StronglyConvex
from rateproof.theory.claim import Hypothesis, Kind
from rateproof.theory.gram import dot, norm2, vectors
from rateproof.theory.papers.textbook import notation as p
from rateproof.theory.proof import Proof, Setting, convex, have, qed, raised
from rateproof.theory.shorthand import ge, le

#: Two points with their proximal points; the envelope has the gradient ``(x - prox(x))/lambda``, which is a subgradient
#: of ``h`` at ``prox(x)``.
x, y, prox_x, prox_y = vectors("x y prox_x prox_y")
u, v = (x - prox_x) / p.lam_h, (y - prox_y) / p.lam_h
h_x, h_y = sp.symbols("h_x h_y", real=True)

MOREAU_SMOOTH = p.claim(
    "moreau_smooth",
    "Bauschke and Combettes 2017, Proposition 12.30 (convex); Hoheisel, Laborde and Oberman 2020 (weakly convex)",
    Kind.INEQUALITY,
    "The Moreau envelope with parameter lambda <= 1/(2 rho) of a rho-weakly convex h is 1/lambda-smooth",
    le(p.grads_apart, p.apart / p.lam_h),
    title="Smoothness of the Moreau envelope",
    hypotheses=(
        Hypothesis(
            "weakly_convex",
            "h is proper, closed, and h + rho_h/2 ||x||^2 is convex",
            says=(StronglyConvex("h", -p.rho_h),),
        ),
        Hypothesis("lam_h<=1/(2*rho_h)", "lambda <= 1/(2 rho)", le(2 * p.lam_h * p.rho_h, sp.S.One)),
    ),
    note="Attained by the indicator of a point, and by -rho x^2/2 at lambda = 1/(2 rho).",
    setting=Setting(
        depends={"prox_x": "", "prox_y": ""},
        words=p.TWO_POINTS,
        functions={"h": {"prox x": (prox_x, u, h_x), "prox y": (prox_y, v, h_y)}},
        metrics={p.grads_apart**2: norm2(u - v), p.apart**2: norm2(x - y)},
    ),
    proof=Proof(
        have(
            "monotone",
            ge(dot(u - v, prox_x - prox_y), -p.rho_h * norm2(prox_x - prox_y)),
            by=[convex("h", "prox x", "prox y")],
        ),
        have("the squares", le(p.grads_apart**2, p.apart**2 / p.lam_h**2), by=["monotone"]),
        raised("the roots", "the squares", to=sp.Rational(1, 2)),
        qed(by=["the roots"]),
    ),
)
