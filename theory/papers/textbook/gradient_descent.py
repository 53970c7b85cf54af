"""Gradient descent on smooth functions, convex and strongly convex."""

import sympy as sp

from rateproof.theory.assumptions import Attained
from rateproof.theory.claim import Kind
from rateproof.theory.gram import norm2, vectors
from rateproof.theory.papers.textbook import notation as p
from rateproof.theory.proof import (
    Proof,
    Setting,
    cases,
    have,
    induct,
    qed,
    smooth,
    smooth_convex,
    special,
    strongly_convex_smooth,
)
from rateproof.theory.shorthand import eq, le
from rateproof.theory.symbols import L_h, R, gamma_l

(g_after,) = vectors("g+")
h_after = sp.Symbol("h_after", real=True)
CURVED, FLAT = sp.Ne(L_h, 0, evaluate=False), eq(L_h, 0)


def potential(n: sp.Expr) -> sp.Expr:
    """L times ``2 gamma n (h - h*) + ||x - x*||^2 + (gamma^2 n^2 + gamma n/L) ||grad h||^2``, at the iterate ``n``."""
    weight = gamma_l**2 * n**2 * L_h + gamma_l * n
    return 2 * gamma_l * n * L_h * p.gap(n) + L_h * p.distance(n) + weight * p.slope(n)


decrease, increase = (p.k + 1) * (gamma_l * (p.k + 1) + 1 / L_h), (p.k + 1) * (gamma_l * p.k + 1 / L_h)
GAP_BOUND = le((4 * p.k * gamma_l * L_h + 2) * p.gap(p.k), potential(p.k))

GD_SMOOTH = p.claim(
    "gd_smooth",
    "Drori and Teboulle 2014, Mathematical Programming 145, Theorem 3.1",
    Kind.BOUND,
    "Gradient descent with gamma_l <= 1/L_h on a smooth convex h: h(x_R) - h* <= L_h ||x_0 - x*||^2 / (4 R gamma_l "
    "L_h + 2)",
    le(p.gap_end, L_h * p.start2 / (4 * R * gamma_l * L_h + 2)),
    title="Gradient descent on smooth convex functions",
    hypotheses=(p.CONVEX, p.SMOOTH, p.ATTAINED, p.CAP_SMOOTH, p.AT_LEAST_ONE_STEP),
    note="Attained for every R and gamma_l by a Huber function whose threshold is ||x_0 - x*|| / (2 R gamma_l L_h + "
    "1).",
    setting=Setting(
        depends={"x": "", "x*": ""},
        words=p.ITERATE,
        functions={"h": {**p.AT_ITERATE["h"], "x+": (p.x - gamma_l * p.g, g_after, h_after)}},
        metrics={
            p.distance(p.k): norm2(p.x - p.xs),
            p.distance(p.k + 1): norm2(p.x - gamma_l * p.g - p.xs),
            p.slope(p.k): norm2(p.g),
            p.slope(p.k + 1): norm2(g_after),
            p.gap(p.k): p.h_x - p.h_s,
            p.gap(p.k + 1): h_after - p.h_s,
            p.start2: p.distance(0),
            p.gap_end: p.gap(R),
        },
        fixed=(p.start2,),
        counts=(R,),
    ),
    proof=Proof(
        have(
            "one step where L > 0",
            le(potential(p.k + 1), potential(p.k)),
            by=[smooth_convex("h", "x", "x+", "x*")],
            when=[CURVED],
            multipliers=[decrease, 0, increase, 0, gamma_l, 0],
        ),
        have(
            "one step where L = 0",
            le(potential(p.k + 1), potential(p.k)),
            by=[smooth_convex("h", "x+", "x*")],
            when=[FLAT],
        ),
        cases(
            "one step",
            le(potential(p.k + 1), potential(p.k)),
            on=FLAT,
            yes="one step where L = 0",
            no="one step where L > 0",
        ),
        induct("every step", le(potential(p.k), L_h * p.start2), over=p.k, by=["one step"]),
        have("the gap where L > 0", GAP_BOUND, by=[smooth_convex("h", "x", "x*")], when=[CURVED]),
        have("the gap where L = 0", GAP_BOUND, by=[smooth("h", "x", "x*")], when=[FLAT]),
        cases("the gap", GAP_BOUND, on=FLAT, yes="the gap where L = 0", no="the gap where L > 0"),
        have(
            "the gap at every step",
            le((4 * p.k * gamma_l * L_h + 2) * p.gap(p.k), L_h * p.start2),
            by=["the gap", "every step"],
        ),
        special("the last step", "the gap at every step", {p.k: R}),
        qed(by=["the last step"]),
    ),
)

GD_STRONGLY_CONVEX = p.claim(
    "gd_strongly_convex",
    "Polyak 1987, Introduction to Optimization, Section 1.4; Taylor, Hendrickx and Glineur 2018, JOTA 178",
    Kind.BOUND,
    "Gradient descent with gamma_l <= 2/(L_h + mu_h): ||x_R - x*||^2 <= (1 - gamma_l mu_h)^(2R) ||x_0 - x*||^2",
    le(p.end2, p.CONTRACTION ** (2 * R) * p.start2),
    title="Gradient descent on strongly convex functions",
    hypotheses=(p.SMOOTH, p.STRONGLY_CONVEX, p.ORDERED, p.CAP_STRONG, p.AT_LEAST_ONE_STEP),
    note="Attained by (mu_h/2) x^2; at gamma_l = 2/(L_h + mu_h) also by (L_h/2) x^2.",
    setting=Setting(
        depends={"x": "", "x*": ""},
        words=p.ITERATE,
        functions=p.AT_ITERATE,
        metrics={
            p.distance(p.k): norm2(p.x - p.xs),
            p.distance(p.k + 1): norm2(p.x - gamma_l * p.g - p.xs),
            p.start2: p.distance(0),
            p.end2: p.distance(R),
        },
        fixed=(p.start2,),
        counts=(R,),
        assumes=(Attained("h"),),  # the statement speaks of x*
    ),
    proof=Proof(
        p.MONOTONE,
        have(
            "one step",
            le(p.distance(p.k + 1), p.CONTRACTION**2 * p.distance(p.k)),
            by=[strongly_convex_smooth("h", "x", "x*"), "monotone"],
            multipliers=p.DESCENT_MULTIPLIERS,
        ),
        induct(
            "every step",
            le(p.distance(p.k), p.CONTRACTION ** (2 * p.k) * p.start2),
            over=p.k,
            by=["one step"],
            multipliers=[1, p.CONTRACTION**2],
        ),
        special("the last step", "every step", {p.k: R}),
        qed(by=["the last step"]),
    ),
)
