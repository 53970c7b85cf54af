"""Lower levels of one number y whose Moreau envelope is known, with what is measured at one point or at two."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from rateproof.algos.convex_sets import interval as box
from rateproof.algos.problems.base import Fact
from rateproof.algos.problems.bilevel_line import COSINE, BilevelLine
from rateproof.verify.form import at_bound, choice, counts, family, reals
from rateproof.verify.form.arithmetic import Number, largest, sqrt
from rateproof.verify.form.parts import Loss, hyperbola, parabola, two_wells, wave
from rateproof.verify.papers.mefbo.rounds import Client, Interval, Level, Problem, Term

#: What :func:`profile` and :func:`interval` know by name, the simplest first.
PROFILES = ("hyperbola", "waves", "two wells", "parabola", "bent down")
ENDS = {"line": (None, None), "half-line": (0, None), "interval": (-1, 2)}
INTERVALS = tuple(ENDS)


def profile(name: str, c: Number) -> Loss:
    """A function of one number whose largest curvature is ``c`` in size."""
    if name == "bent down":
        return parabola(-c)
    return {"hyperbola": hyperbola, "waves": wave, "two wells": two_wells, "parabola": parabola}[name](c)


def interval(name: str, like: Number) -> Interval:
    """An interval of :data:`ENDS`."""
    return Interval(*(None if end is None else end + 0 * like for end in ENDS[name]))


def weights(n: int, like: Number) -> list[Number]:
    """Those in proportion to 1, 2, ..., n."""
    return [(i + 1 + 0 * like) / (n * (n + 1) / (2 + 0 * like)) for i in range(n)]


def tracking(loss: str, *, n_cl: int, c: Number, k: Number, L_1: Number, gamma: Number, X: str, Y: str) -> Problem:
    """``g_i = psi(y - k x - i/2)``, ``f_i = L_1/(i+1) (sqrt(1 + x^2) + sqrt(1 + y^2) - 2)`` for ``i = 0, 1, ...``."""
    one = 1 + 0 * c
    psi = profile(loss, c)
    clients = [
        Client(
            weight,
            Level((Term(hyperbola(L_1 / (i + 1)), one, 0), Term(hyperbola(L_1 / (i + 1)), 0, one))),
            Level((Term(psi, -k, one, -i * one / 2),)),
        )
        for i, weight in enumerate(weights(n_cl, one))
    ]
    # F is least at 0, which both sets contain
    return Problem(tuple(clients), gamma, (0 * one, 0 * one), interval(X, one), interval(Y, one))


def told(problem: Problem, **known: Number) -> dict[str, Any]:
    """Values of the constants, those known or else the least ones, and answers for the assumptions."""
    exact = problem.least()
    values = {name: 1 + 0 * problem.gamma if x is None else x for name, x in exact.items()} | known
    low = bend(problem)
    facts = {
        "prox_attained": Fact(1 / problem.gamma > -low, f"G(x, .) has curvatures of {low} and more"),
        "lower_convex": Fact(low >= 0, f"G(x, .) has curvatures of {low} and more"),
    }
    if "rho_wc" in known:
        facts["weakly_convex"] = Fact(low >= -known["rho_wc"], f"G(x, .) has curvatures of {low} and more")
    return {**values, **problem.facts(exact, values), **facts}


def bend(problem: Problem) -> Number:
    """The least curvature of ``G(x, .)``; None of a profile is none."""
    return problem.total(lambda client: sum(t.psi.curvature[0] * t.b**2 for t in client.g.terms))


def inside(problem: Problem, x: Number, y: Number) -> Fact:
    """Whether a point is one of ``X x Y``."""
    return Fact(problem.contains(x, y), f"({x}, {y}), where X is {problem.X.name()} and Y is {problem.Y.name()}")


def remainder(problem: Problem, z: tuple[Number, Number], zb: tuple[Number, Number], c: Number) -> dict[str, Number]:
    """How far the envelope, ``Phi`` and ``theta*`` at z are from what they are at zb."""
    (x, y), (xb, yb) = z, zb
    star, star_b = problem.theta_star(x, y), problem.theta_star(xb, yb)
    gx, gy = problem.gradient(lambda client: client.g, xb, star_b)[0], (yb - star_b) / problem.gamma
    px, py = problem.grad_Phi(xb, yb, c, star_b)
    square = (x - xb) ** 2 + (y - yb) ** 2
    return {
        "dx2_at": (x - xb) ** 2,
        "dy2_at": (y - yb) ** 2,
        "dz_at": sqrt(square),
        "dtheta": abs(star - star_b),
        "v_rest": problem.v(x, y, star) - problem.v(xb, yb, star_b) - gx * (x - xb) - gy * (y - yb),
        "Phi_rest": problem.Phi(x, y, c, star) - problem.Phi(xb, yb, c, star_b) - px * (x - xb) - py * (y - yb),
    }


def waves(loss: str, *, n_cl: int, c: float, k: float, L_1: float, X: str, Y: str) -> BilevelLine | None:
    """The problem of :func:`tracking` in ``algos``, which has waves of curvature 1."""
    if loss != "waves" or float(c) != 1:
        return None
    slopes = np.array([float(L_1) / (i + 1) for i in range(n_cl)])
    zeros = np.zeros(n_cl)
    return BilevelLine(
        COSINE,
        slope_x=slopes,
        slope_y=slopes,
        a=zeros,
        b=zeros,
        s=np.arange(n_cl) / 2,
        k=float(k),
        X=box(*infinite(X)),
        Y=box(*infinite(Y)),
        weights=weights(n_cl, 1.0),
        name="waves",
    )


def infinite(name: str) -> tuple[float, float]:
    """The ends of an interval of :data:`ENDS`, infinite where it has none."""
    low, high = ENDS[name]
    return -math.inf if low is None else low, math.inf if high is None else high


def point_by_algos(*, loss: str, **given: Any) -> dict[str, float]:
    """What :func:`at_a_point` measures, by ``algos``."""
    problem = waves(loss, **{name: given[name] for name in ("n_cl", "c", "k", "L_1", "X", "Y")})
    if problem is None:
        return {}
    gamma, c_t = float(given["gamma"]), float(given["c_t"])
    z = np.array([[float(given["x"]), float(given["y"])]])
    star = np.array([[z[0, 0], problem.theta_star(z, gamma)[0, 0]]])
    gap = float(problem.gap(z, gamma)[0])
    return {
        "G_xy": float(problem.G(z)[0]),
        "v_xy": float(problem.v(z, gamma)[0]),
        "G_star": float(problem.G(star)[0]),
        "U_xy": float(problem.F(z)[0] - problem.F(0 * z)[0]) / c_t + gap,
        "Phi_xy": float(problem.F(z)[0] - problem.F(0 * z)[0]) / c_t + gap,
        "R_xy": float(problem.R(z, gamma, c_t)[0]),
    }


def two_points_by_algos(*, loss: str, **given: Any) -> dict[str, float]:
    """What :func:`at_two_points` measures of the envelope, by ``algos``."""
    c = given["steeper"] * given["L_2"] / (1 + given["k"] ** 2)
    problem = waves(loss, c=c, X="line", **{name: given[name] for name in ("n_cl", "k", "L_1", "Y")})
    if problem is None:
        return {}
    gamma, c_t = float(given["gamma"]), float(given["c_t"])
    z, zb = (np.array([[float(given[x]), float(given[y])]]) for x, y in (("x", "y"), ("xb", "yb")))
    gradient = problem.grad_F(zb) / c_t + problem.grad_G(zb) - problem.grad_U(zb, gamma, c_t)
    v = float((problem.v(z, gamma) - problem.v(zb, gamma) - (gradient * (z - zb)).sum(axis=1))[0])
    outer = (problem.F(z) - problem.F(zb)) / c_t + problem.gap(z, gamma) - problem.gap(zb, gamma)
    return {
        "dtheta": float(abs(problem.theta_star(z, gamma) - problem.theta_star(zb, gamma))[0, 0]),
        "v_rest": v,
        "Phi_rest": float((outer - (problem.grad_U(zb, gamma, c_t) * (z - zb)).sum(axis=1))[0]),
    }


@family(
    "losses of y - k x, at a point",
    point_by_algos,
    loss=choice(*PROFILES),
    X=choice("line", "half-line"),
    Y=choice(*INTERVALS),
    n_cl=counts(1, 2, 3, most=3),
    c=reals(1, 0.1, 10),
    k=reals(1, 0, -2, zero=True),
    rho_wc=reals(1, 0.5, 10),
    gamma=at_bound(0.5, 0.9, 0.1, 1.5),
    L_1=reals(1, 0.1),
    c_t=reals(1, 0.1, 10),
    x=reals(0, 1, 2, zero=True),
    y=reals(0, 1, 2, -1, zero=True),
    theta=reals(1, 0, 2, -1, zero=True),
    other=reals(2, 0, -1, zero=True),
    share_s=reals(0.5, 1, 0.01, 1.5),
    push=reals(0, 0.5, 2, zero=True),
)
def at_a_point(
    *,
    loss: str,
    X: str,
    Y: str,
    n_cl: int,
    c: Number,
    k: Number,
    rho_wc: Number,
    gamma: Number,
    L_1: Number,
    c_t: Number,
    x: Number,
    y: Number,
    theta: Number,
    other: Number,
    share_s: Number,
    push: Number,
) -> dict[str, Any]:
    """The penalty function at ``(x, y)``, for theta, another theta, and between; ``push`` is one of the normal cone.

    Raises:
        ValueError: a theta that is not in Y.
    """
    problem = tracking(loss, n_cl=n_cl, c=c, k=k, L_1=L_1, gamma=gamma, X=X, Y=Y)
    for t in (theta, other):
        if problem.Y.project(t) != t:
            raise ValueError(f"theta is {t}; it should be in Y, {problem.Y.name()}")
    star = problem.theta_star(x, y)
    G, v = problem.G(x, y), problem.v(x, y, star)

    def M(theta: Number) -> Number:
        return problem.G(x, theta) + (theta - y) ** 2 / (2 * gamma)

    outer = problem.F(x, y) / c_t + G
    own = [
        client.weight * (client.f.value(x, y) / c_t + client.g.value(x, y) - client.g.value(x, theta))
        for client in problem.clients
    ]
    gx, gy = problem.grad_Phi(x, y, c_t, star)
    at = (problem.X, x, gx), (problem.Y, y, gy)
    return {
        "G_xy": G,
        "v_xy": v,
        "G_theta": problem.G(x, theta),
        "G_star": problem.G(x, star),
        "M_theta": M(theta),
        "away2": (theta - y) ** 2,
        "apart2": (theta - other) ** 2,
        "off2": (theta - star) ** 2,
        "U_xy": outer - v,
        "U_all": outer - M(theta),
        "U_bar": outer - M(other),
        "U_mix": outer - M(share_s * theta + (1 - share_s) * other),
        "U_star": outer - M(star),
        "U_mean": sum(own) - sum(client.weight * (theta - y) ** 2 for client in problem.clients) / (2 * gamma),
        "Phi_xy": problem.Phi(x, y, c_t, star),
        "R_xy": problem.R(x, y, c_t, star),
        "normal2": sum((g + push * outward(S, z)) ** 2 for S, z, g in at),
        "nearest2": sum((g + outward(S, z) * largest(-g * outward(S, z), 0 * g)) ** 2 for S, z, g in at),
        "y_in_Y": inside(problem, x, y),
        **told(problem, rho_wc=rho_wc),
    }


def outward(S: Interval, z: Number) -> int:
    """The direction of the normal cone of an interval at one of its points; 0 where it is 0."""
    if S.high is not None and z == S.high:
        return 1
    return -1 if S.low is not None and z == S.low else 0


@family(
    "losses of y - k x, at two points",
    two_points_by_algos,
    loss=choice("bent down", *PROFILES[:-1]),
    Y=choice(*INTERVALS),
    n_cl=counts(1, 2, 3, most=3),
    L_2=reals(1, 0.1, 10),
    steeper=reals(1, 0.5, 2.5, low=0.1, high=10),
    k=reals(0, 1, -2, zero=True),
    rho_wc=reals(1, 0.5, 10),
    gamma=at_bound(0.9999999, 0.5, 0.0001, 1.2, 1.9),
    L_1=reals(1, 0.1),
    c_t=reals(1, 0.1, 10),
    x=reals(0, 2, zero=True),
    y=reals(1, 0, 2, -1, zero=True),
    xb=reals(0, 1, -1, zero=True),
    yb=reals(0, 1, 0.9, -3, zero=True),
    rv1=at_bound(1, 0.5, 1.2),
    rv2=at_bound(1, 0.5, 1.2),
    share_s=reals(0.5, 1, 0.01),
)
def at_two_points(
    *,
    loss: str,
    Y: str,
    n_cl: int,
    L_2: Number,
    steeper: Number,
    k: Number,
    rho_wc: Number,
    gamma: Number,
    L_1: Number,
    c_t: Number,
    x: Number,
    y: Number,
    xb: Number,
    yb: Number,
    rv1: Number,
    rv2: Number,
    share_s: Number,
) -> dict[str, Any]:
    """``z = (x, y)`` and ``zb = (xb, yb)``, with the convexity of the envelope between them."""
    c = steeper * L_2 / (1 + k**2)
    problem = tracking(loss, n_cl=n_cl, c=c, k=k, L_1=L_1, gamma=gamma, X="line", Y=Y)

    def bent(x: Number, y: Number) -> Number:
        return problem.v(x, y, problem.theta_star(x, y)) + (rv1 * x**2 + rv2 * y**2) / 2

    return {
        "h_z": bent(x, y),
        "h_zb": bent(xb, yb),
        "h_mix": bent(share_s * x + (1 - share_s) * xb, share_s * y + (1 - share_s) * yb),
        **remainder(problem, (x, y), (xb, yb), c_t),
        **told(problem, rho_wc=rho_wc, L_2=L_2, L_1=L_1),
        "degenerate": x == xb and y == yb,
    }
