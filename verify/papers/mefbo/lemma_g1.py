"""Lemma G.1 on strongly convex lower levels of one number y, far from the solution and near it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from rateproof.algos.problems.base import Fact
from rateproof.theory.papers.mefbo import lemma_g1 as claims
from rateproof.verify.form import at_bound, choice, counts, example, family, in_floats, reals, record
from rateproof.verify.form.arithmetic import Number, largest, log, root, sqrt
from rateproof.verify.form.outcomes import InOutcomes
from rateproof.verify.form.parts import hyperbola, parabola, rounded, wave
from rateproof.verify.papers.mefbo.envelope import weights
from rateproof.verify.papers.mefbo.rounds import Client, Level, Problem, Term
from rateproof.verify.planted.mutate import Sharp


def instance(
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
    b: Number,
) -> Problem:
    """``g = (m/2) y^2 + psi(y - k x)``, and ``F`` of slope 1 in y far from ``y = b`` or ``x + y = b``.

    ``psi(u) = coupling width^2 sqrt(1 + (u/width)^2)``, and ``m = steeper mu``.
    """
    one, t = 1 + 0 * mu, 2 / (3 * L_1)
    f = Level((Term(rounded(L_1, t), (one if outer == "of x + y" else 0 * one), one, -b),))
    psi = () if coupling == 0 else (Term(hyperbola(coupling * width**2), -k / width, one / width),)
    g = Level((Term(parabola(steeper * mu), 0, one), *psi))
    return Problem(tuple(Client(w, f, g) for w in weights(n_cl, one)), gamma, (0 * one, b))


def lowest_of(problem: Problem, x: Number, m: Number) -> Number:
    """``y*(x)``, where the curvature is at least ``m``."""
    return root(lambda z: problem.gradient("g", x, z)[1], 0 * m, m)


def in_vectors(*, x: float, y: float, c_t: float, **params: Any) -> InOutcomes:
    """The points of :func:`strongly_convex` as vectors."""
    from rateproof.verify.papers.mefbo.vectors import at_points

    given, x, y = in_floats(params), float(x), float(y)
    problem = instance(**given)
    below = {"y": y, "s": problem.theta_star(x, y), "o": lowest_of(problem, x, given["steeper"] * given["mu"])}
    return at_points(problem, {"x": x}, below, {"M": "x y", "low": "x", "G(x, .)": "x"})


@family(
    "a strongly convex lower level",
    None,
    in_vectors,
    outer=choice("of y", "of x + y"),
    n_cl=counts(1, 2, most=3),
    mu=reals(1, 0.1, 10),
    steeper=reals(1, 0.5, 2),
    gamma=at_bound(0.5, 0.9999999, 0.01, 1.5),
    coupling=reals(0, 0.5, 5, zero=True),
    width=reals(1, 100),
    k=reals(1, -0.1, zero=True),
    L_1=reals("1/3", 0.01, 5),
    c_t=reals(1, 0.1, 0.5, 10),
    b=reals(200, 0, 0.5, zero=True),
    x=reals(0, 1, zero=True),
    y=reals(3, 165, 2, "5.999999", 7.4, 0, 0.1, 19.9, zero=True),
)
def strongly_convex(*, c_t: Number, x: Number, y: Number, **given: Any) -> dict[str, Any]:
    """All clients are alike; see :func:`instance`.

    ``outer``: on what F depends; ``b``: where F is least; ``steeper``: the curvature of g without psi, over mu;
    ``coupling``: the curvature of psi where it is largest; ``width``: of psi; ``k``: how far psi moves with x; ``x``,
    ``y``: the point.
    """
    mu, coupling, width, k, L_1 = (given[v] for v in ("mu", "coupling", "width", "k", "L_1"))
    one = 1 + 0 * mu
    m, in_x = given["steeper"] * mu, 1 if given["outer"] == "of x + y" else 0
    problem = instance(**given)
    star = problem.theta_star(x, y)
    lowest = lowest_of(problem, x, m)
    (fx, fy), (gx, gy) = problem.gradient("f", x, y), problem.gradient("g", x, y)
    sx, sy = problem.gradient("g", x, star)
    R1, R2 = fx + c_t * (gx - sx), fy + c_t * (gy - sy)
    # y*(x) has the slope k s/(m + s), where s = psi''
    s = coupling / sqrt(1 + ((lowest - k * x) / width) ** 2) ** 3
    hx, hy = problem.gradient("f", x, lowest)
    # psi''' is largest where u = width/2
    third = coupling / width * (3 * one / 2) / sqrt(5 * one / 4) ** 5
    turn = abs(k) * coupling / (m + coupling)
    constants = problem.answers(L_1=(1 + in_x) * L_1)
    L_f, low = constants["Lip_f"], problem.least_bend()
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
        "g_strongly_convex": Fact(low >= mu, f"the least curvature is {low}; mu = {mu}"),
        **dict.fromkeys(("second_order", "hessian"), Fact(True, "psi''' is largest at width/2")),
        "degenerate": y == lowest,
    }


@dataclass(frozen=True)
class Fading(Level):
    """``(m/2) y^2 + A x y (1 - rho/N)^3`` with ``rho = ln(1 + x^2 + y^2)``, without the second part where rho > N.

    As ``x``, ``y`` and the powers of ``1/(1 + x^2 + y^2)`` balance, each second derivative differs from that of
    ``(m/2) y^2 + A x y (1 - rho/N)^3``, taken with rho held fixed, by at most ``22 A/N``, and each third derivative is
    at most ``120 A/N``, for ``N >= 24``.
    """

    m: Number = 0
    A: Number = 0
    N: Number = 0

    def _fading(self, x: Number, y: Number) -> tuple[Number, Number, Number]:
        """``(1 - rho/N)^3``, its slope in rho, and ``1 + x^2 + y^2``."""
        q = 1 + x**2 + y**2
        left = largest(1 - log(q) / self.N, 0 * q)
        return left**3, -3 * left**2 / self.N, q

    def value(self, x: Number, y: Number) -> Number:
        """At a point."""
        return self.m * y**2 / 2 + self.A * x * y * self._fading(x, y)[0]

    def gradient(self, x: Number, y: Number) -> tuple[Number, Number]:
        """Its parts in x and y."""
        eta, slope, q = self._fading(x, y)
        return self.A * y * (eta + slope * 2 * x**2 / q), self.m * y + self.A * x * (eta + slope * 2 * y**2 / q)

    def steepest(self, parts: str = "ab") -> Number | None:
        """A slope in x that is not computed: it is bounded, as the coupling vanishes for large x or y."""
        return None

    def bend(self) -> Number:
        """A Lipschitz constant of the gradient."""
        return self.m / 2 + sqrt(self.A**2 + self.m**2 / 4) + 44 * self.A / self.N


@family(
    "a coupling that fades slowly",
    A=reals(100, 10),
    N=reals(1000000000, low=1, high=10**12),
    mu=reals(1, 2),
    gamma=at_bound(0.000001, 0.5),
    c_t=reals(1, 0.05, 0.5, 10),
    turn=reals("3/400", 0.01, 1),
    y=reals(1, 419, 10),
)
def fading(*, A: Number, N: Number, mu: Number, gamma: Number, c_t: Number, turn: Number, y: Number) -> dict[str, Any]:
    """At x = 0, where ``y*(x) = 0``; ``F`` has the slope ``sin(turn y + 11/7)`` in y, and :class:`Fading` is G.

    ``A``: the coupling of x and y in G near 0; ``N``: how slowly that fades; ``turn``: how fast the slope of F turns
    with y; ``y``: how far the point is from the solution.
    """
    one = 1 + 0 * mu
    g = Fading(m=mu + 22 * A / N, A=A, N=N)
    f = Level((Term(wave(1 / turn), 0 * one, turn, 11 * one / 7),))
    problem = Problem((Client(one, f, g),), gamma, None)
    star = y / (1 + gamma * g.m)
    (_, fy), (gx, gy) = f.gradient(0 * one, y), g.gradient(0 * one, y)
    sx, sy = g.gradient(0 * one, star)
    constants = problem.answers()
    L_f, L_1, kappa, L_G2 = constants["Lip_f"], constants["L_1"], constants["L_2"] / mu, 120 * A / N
    # at x = y = 0 the second derivatives are A in (x, y) and m in y
    hyper = -A / g.m * f.gradient(0 * one, 0 * one)[1]
    why = f"second derivatives are those without fading up to {22 * A / N}, third ones at most {L_G2}"
    return {
        "R2_norm": abs(fy + c_t * (gy - sy)),
        "hyper_err": abs(hyper - c_t * (gx - sx)),
        "off_y": y,
        "L_G2": L_G2,
        # that of Ghadimi and Wang, rounded up
        "L_hyper": (1 + kappa) ** 2 * (L_1 + L_f * L_G2 / mu),
        **constants,
        "Lip_g": None,
        "A1(i)": Fact(True, "F is at least 0"),
        "g_lipschitz": Fact(True, f"the slope in x is bounded, as the coupling vanishes for ln(1 + x^2 + y^2) > {N}"),
        "g_strongly_convex": Fact(N >= 24, f"the curvature in y is {mu} and more: {why}"),
        **dict.fromkeys(("second_order", "hessian"), Fact(N >= 24, why)),
    }


G_ID = record(claims.G_ID, families=[strongly_convex])
G1_A = record(claims.G1_A, families=[strongly_convex], tight=Sharp(hypotheses=("gamma>1/mu", "g_strongly_convex")))
G1_B = record(
    claims.G1_B,
    refuted_by=example(
        strongly_convex,
        c_t="1/4",
        gamma="3/2",
        y=32,
        b=40,
        left="8",
        right="6",
        by_hand="G = y^2/2, so mu = 1 and y* = 0; gamma = 3/2, so theta* = 2 y/5 = 64/5. F is linear with slope -1 for "
        "y <= 36, and L_f = 1. At y = 32, c_t = 1/4: R^{(2)} = -1 + (32 - 64/5)/4 = 19/5 <= 4 = L_f/c_t, and c_t |y - "
        "y*| = 8, more than 6 L_f/mu = 6.",
    ),
)
G1_B_CORRECTED = record(
    claims.G1_B_CORRECTED,
    families=[strongly_convex],
    tight=Sharp(hypotheses=("R2<=2L_f", "gamma>1/mu", "g_strongly_convex")),
)
G1_C = record(
    claims.G1_C,
    families=[strongly_convex, fading],
    refuted_by=example(
        fading,
        A=20,
        N=10**7,
        c_t="1/20",
        gamma=200,
        y=420,
        left="437.91",
        right="433.22",
        by_hand="G = (m/2) y^2 + 20 x y r^3, r the positive part of 1 - ln(1 + x^2 + y^2)/N, N = 10^7, m = 1 + 440/N: "
        "mu = 1, L_2 = 20.51, L_{G,2} = 0.00024. F has the slope sin(3y/400 + 11/7), so 1 at y* = 0, -1 at y = 420; "
        "L_f = 1, L_1 = 0.0075. gamma = 200, x = 0, c_t = 1/20: theta* = 420/201, R^{(2)} = 417.9/20 - 1 = 19.896 < "
        "20, "
        "R^{(1)} = 20 * 417.9/20 = 417.9, grad Phi = -20. The right side is 20 (6 * 21.51 * 0.00894 + 6 * 21.51^2 * "
        "0.00774/200) + 20.51 * 19.896 = 433.2.",
    ),
)
G1_C_CORRECTED = record(claims.G1_C_CORRECTED, families=[strongly_convex, fading])
