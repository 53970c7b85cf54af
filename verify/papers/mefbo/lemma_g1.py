"""Lemma G.1 on strongly convex lower levels of one number y, far from the solution and near it."""

from __future__ import annotations

from typing import Any

from rateproof.algos.problems.base import Fact
from rateproof.theory.papers.mefbo import lemma_g1 as claims
from rateproof.verify.form import at_bound, choice, counts, example, family, reals, record
from rateproof.verify.form.arithmetic import Number, largest, root, sqrt
from rateproof.verify.form.parts import hyperbola, parabola, rounded
from rateproof.verify.papers.mefbo.envelope import bend, told, weights
from rateproof.verify.papers.mefbo.rounds import Client, Level, Problem, Term, lower, upper


@family(
    "a strongly convex lower level",
    outer=choice("of y", "of x + y"),
    n_cl=counts(1, 2, most=3),
    mu=reals(1, 0.1, 10),
    steeper=reals(1, 0.5, 2),
    gamma=at_bound(0.5, 0.999999, 0.01, 1.5),
    coupling=reals(0, 0.5, 5, zero=True),
    width=reals(1, 100),
    k=reals(1, -0.1, zero=True),
    L_1=reals("1/3", 0.01, 5),
    c_t=reals(1, 0.1, 0.5, 10),
    b=reals(200, 0, 0.5, zero=True),
    x=reals(0, 1, zero=True),
    y=reals(3, 165, 0, 0.1, 19.9, zero=True),
)
def strongly_convex(
    *,
    outer: str,
    n_cl: int,
    mu: Number,
    steeper: Number,
    gamma: Number,
    coupling: Number,
    width: Number,
    k: Number,
    L_1: Number,
    c_t: Number,
    b: Number,
    x: Number,
    y: Number,
) -> dict[str, Any]:
    """``g = (m/2) y^2 + psi(y - k x)``, and ``F`` of slope 1 in y far from ``y = b`` or ``x + y = b``.

    ``psi(u) = coupling width^2 sqrt(1 + (u/width)^2)``, and ``m = steeper mu``; all clients are alike.
    """
    one = 1 + 0 * mu
    m, t, in_x = steeper * mu, 2 / (3 * L_1), 1 if outer == "of x + y" else 0
    f = Level((Term(rounded(L_1, t), in_x * one, one, -b),))
    psi = () if coupling == 0 else (Term(hyperbola(coupling * width**2), -k / width, one / width),)
    g = Level((Term(parabola(m), 0, one), *psi))
    clients = tuple(Client(w, f, g) for w in weights(n_cl, one))
    problem = Problem(clients, gamma, (0 * one, b))
    star = problem.theta_star(x, y)
    lowest = root(lambda z: problem.gradient(lower, x, z)[1], 0 * one, m)
    (fx, fy), (gx, gy) = problem.gradient(upper, x, y), problem.gradient(lower, x, y)
    sx, sy = problem.gradient(lower, x, star)
    R1, R2 = fx + c_t * (gx - sx), fy + c_t * (gy - sy)
    # y*(x) has the slope k s/(m + s), where s = psi''
    s = coupling / sqrt(1 + ((lowest - k * x) / width) ** 2) ** 3
    hx, hy = problem.gradient(upper, x, lowest)
    # psi''' is largest where u = width/2
    third = coupling / width * (3 * one / 2) / sqrt(5 * one / 4) ** 5
    turn = abs(k) * coupling / (m + coupling)
    constants = told(problem, L_1=(1 + in_x) * L_1)
    L_f = constants["Lip_f"]
    return {
        "R_xy": problem.R(x, y, c_t, star),
        "R1_sq": R1**2,
        "R2_sq": R2**2,
        "R2_norm": abs(R2),
        "off_y": abs(y - lowest),
        "hyper_err": abs(hx + hy * k * s / (m + s) - R1),
        "L_G2": largest(one, abs(k)) * third,
        "L_hyper": constants["L_1"] * (1 + turn**2) + k**2 / m * third * L_f,
        **constants,
        "unconstrained": Fact(True, "X and Y are the line"),
        "g_strongly_convex": Fact(bend(problem) >= mu, f"the least curvature is {bend(problem)}; mu = {mu}"),
        "second_order": Fact(True, "psi''' is largest at width/2, and y*(x) has slopes up to coupling/(m + coupling)"),
        "degenerate": y == lowest,
    }


G_ID = record(claims.G_ID, families=[strongly_convex])
G1_A = record(claims.G1_A, families=[strongly_convex])
G1_B = record(
    claims.G1_B,
    families=[strongly_convex],
    refuted_by=example(
        strongly_convex,
        c_t="1/10",
        y=165,
        left="33/2",
        right="6",
        by_hand="G = y^2/2, so mu = 1 and y* = 0; gamma = 2, so theta* = y/3 = 55. F is linear with slope -1 for "
        "y <= 196, and L_f = 1. At y = 165, c_t = 1/10: R^(2) = -1 + (165 - 55)/10 = 10 = L_f/c_t, and "
        "c_t |y - y*| = 33/2, more than 6 L_f/mu = 6.",
    ),
)
G1_B_CORRECTED = record(claims.G1_B_CORRECTED, families=[strongly_convex])
G1_C = record(claims.G1_C, families=[strongly_convex])
