"""Proximal gradient on composite convex functions."""

import sympy as sp

from rateproof.theory.assumptions import Convex
from rateproof.theory.claim import Hypothesis, Kind
from rateproof.theory.gram import dot, norm2, vectors
from rateproof.theory.papers.textbook import notation as p
from rateproof.theory.proof import Proof, Setting, convex, have, induct, qed, smooth_convex, special
from rateproof.theory.proof.steps import Have
from rateproof.theory.shorthand import ge, le
from rateproof.theory.symbols import L_h, R, gamma_l

#: At an iterate ``a`` is the gradient of h, and ``z`` the subgradient of g that the proximal step to it yields, so that
#: there is none at the first iterate ``x0``; at the minimiser they are ``c`` and ``-c``.
x0, a0, a1, z1 = vectors("x0 a0 a1 z1")
a, z, a_after, z_after, c = vectors("a z a+ z+ c")
x1, x_after = x0 - gamma_l * (a0 + z1), p.x - gamma_l * (a + z_after)
h0, h1, g1, g_x, h_after, g_after, g_s = sp.symbols("h0 h1 g1 g_x h_after g_after g_s", real=True)
SMOOTH_PART = {
    "x0": (x0, a0, h0),
    "x1": (x1, a1, h1),
    "x": (p.x, a, p.h_x),
    "x+": (x_after, a_after, h_after),
    "x*": (p.xs, c, p.h_s),
}
OTHER_PART = {"x1": (x1, z1, g1), "x": (p.x, z, g_x), "x+": (x_after, z_after, g_after), "x*": (p.xs, -c, g_s)}


def curved(here: str, there: str) -> Have:
    """``2 (h(x) - h(y) - <grad h(y), x - y>) >= gamma ||grad h(x) - grad h(y)||^2``, as h is 1/gamma-smooth."""
    (x, gx, hx), (y, gy, hy) = SMOOTH_PART[here], SMOOTH_PART[there]
    return have(
        f"h at {here} and {there}",
        ge(2 * (hx - hy - dot(gy, x - y)), gamma_l * norm2(gx - gy)),
        by=[smooth_convex("h", here, there), convex("h", here, there)],
        multipliers=[gamma_l, 0, 2 * (1 - gamma_l * L_h), 0],
    )


def potential(n: sp.Expr) -> sp.Expr:
    """``2 gamma n (F - F*) + ||x - x*||^2 + gamma^2 n^2 ||s||^2`` at the iterate ``n``, s the subgradient of F."""
    return 2 * gamma_l * n * p.gap(n) + p.distance(n) + gamma_l**2 * n**2 * p.slope(n)


PROX_GRADIENT = p.claim(
    "prox_gradient",
    "Teboulle and Vaisbourd 2023, Mathematical Programming 201 (proximal gradient)",
    Kind.BOUND,
    "Proximal gradient with gamma_l <= 1/L_h on F = h + g: F(x_R) - F* <= ||x_0 - x*||^2 / (4 gamma_l R)",
    le(p.gap_end, p.start2 / (4 * gamma_l * R)),
    title="Proximal gradient on smooth convex sums",
    hypotheses=(
        p.CONVEX,
        p.SMOOTH,
        Hypothesis("g_convex", "g is proper, closed and convex", says=(Convex("g"),)),
        p.ATTAINED,
        p.CAP_SMOOTH,
        p.AT_LEAST_ONE_STEP,
    ),
    note="Attained by h linear with slope ||x_0 - x*|| / (2 gamma_l R) and g the indicator of x >= 0.",
    setting=Setting(
        depends=dict.fromkeys(["x0", "z1", "x", "z+", "x*"], ""),
        words={**p.ITERATE, "x0": "the start"},
        functions={"h": SMOOTH_PART, "g": OTHER_PART},
        metrics={
            p.start2: norm2(x0 - p.xs),
            p.distance(1): norm2(x1 - p.xs),
            p.distance(p.k): norm2(p.x - p.xs),
            p.distance(p.k + 1): norm2(x_after - p.xs),
            p.slope(1): norm2(a1 + z1),
            p.slope(p.k): norm2(a + z),
            p.slope(p.k + 1): norm2(a_after + z_after),
            p.gap(1): h1 + g1 - p.h_s - g_s,
            p.gap(p.k): p.h_x + g_x - p.h_s - g_s,
            p.gap(p.k + 1): h_after + g_after - p.h_s - g_s,
            p.gap_end: p.gap(R),
        },
        fixed=(p.start2,),
        counts=(R,),
    ),
    proof=Proof(
        curved("x0", "x1"),
        curved("x*", "x0"),
        have(
            "the first step",
            le(potential(sp.S.One), p.start2),
            by=["h at x0 and x1", "h at x* and x0", convex("g", "x1", "x*")],
            multipliers=[gamma_l, gamma_l, 0, 2 * gamma_l],
        ),
        curved("x", "x+"),
        curved("x+", "x"),
        curved("x*", "x"),
        have(
            "one step",
            le(potential(p.k + 1), potential(p.k)),
            by=["h at x and x+", "h at x+ and x", "h at x* and x", convex("g", "x", "x+", "x*")],
            when=[ge(p.k, 1)],
            multipliers=[
                *(gamma_l * weight for weight in ((p.k + 1) ** 2, p.k * (p.k + 1), 1)),
                *(2 * gamma_l * weight for weight in (p.k * (p.k + 1), 0, p.k**2, 0, 0, 1)),
            ],
        ),
        induct("every step", le(potential(p.k), p.start2), over=p.k, start=1, base=["the first step"], by=["one step"]),
        have(
            "the gap",
            le(4 * gamma_l * p.k * p.gap(p.k), potential(p.k)),
            by=[convex("h", "x", "x*"), convex("g", "x", "x*")],
            when=[ge(p.k, 1)],
            multipliers=[0, 2 * gamma_l * p.k, 0, 2 * gamma_l * p.k],
        ),
        have(
            "the gap at every step",
            le(4 * gamma_l * p.k * p.gap(p.k), p.start2),
            by=["the gap", "every step"],
            when=[ge(p.k, 1)],
        ),
        special("the last step", "the gap at every step", {p.k: R}),
        qed(by=["the last step"]),
    ),
)
