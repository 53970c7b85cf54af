"""Lower levels of one number y whose Moreau envelope is known, with what is measured at one point or at two."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from rateproof.algos.problems.base import Fact
from rateproof.verify.form import at_bound, choice, counts, family, in_floats, reals
from rateproof.verify.form.arithmetic import Number, largest, sqrt
from rateproof.verify.form.outcomes import InOutcomes
from rateproof.verify.form.parts import hyperbola
from rateproof.verify.papers.mefbo.families import profile
from rateproof.verify.papers.mefbo.rounds import Client, Interval, Level, Problem, Term

#: Profiles of the lower level, the simplest first, and intervals.
PROFILES = ("hyperbola", "waves", "two wells", "bowl", "hill")
ENDS = {"line": (None, None), "half-line": (0, None), "interval": (-1, 2)}


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


def in_algos(p: Mapping[str, Any]) -> Any:
    """The problem of :func:`tracking` as methods of ``algos`` see it."""
    from rateproof.verify.papers.mefbo.twin import OnTwoNumbers

    return OnTwoNumbers(tracking(**{name: p[name] for name in ("loss", "n_cl", "c", "k", "L_1", "gamma", "X", "Y")}))


def point_by_algos(**params: Any) -> dict[str, float]:
    """What :func:`at_a_point` measures, by ``algos``."""
    p = in_floats(params)
    problem, z, gamma, c_t = in_algos(p), np.array([[p["x"], p["y"]]]), p["gamma"], p["c_t"]
    Phi = float((problem.F(z) / c_t + problem.gap(z, gamma))[0])
    return {
        "G_xy": float(problem.G(z)[0]),
        "v_xy": float(problem.v(z, gamma)[0]),
        "G_star": float(problem.G(np.hstack([z[:, :1], problem.theta_star(z, gamma)]))[0]),
        "U_xy": Phi,
        "Phi_xy": Phi,
        "R_xy": float(problem.R(z, gamma, c_t)[0]),
    }


def two_points_by_algos(**params: Any) -> dict[str, float]:
    """What :func:`at_two_points` measures of the envelope, by ``algos``."""
    p = in_floats(params)
    problem = in_algos({**p, "c": p["steeper"] * p["L_2"] / (1 + p["k"] ** 2), "X": "line"})
    gamma, c_t = p["gamma"], p["c_t"]
    z = np.array([[p["x"], p["y"]], [p["xb"], p["yb"]]])
    slope = problem.grad_U(z, gamma, c_t)[1]
    envelope = (problem.grad_F(z) / c_t + problem.grad_G(z))[1] - slope
    v, Phi = problem.v(z, gamma), problem.F(z) / c_t + problem.gap(z, gamma)
    return {
        "dtheta": float(abs(np.diff(problem.theta_star(z, gamma), axis=0))[0, 0]),
        "v_rest": float(v[0] - v[1] - envelope @ (z[0] - z[1])),
        "Phi_rest": float(Phi[0] - Phi[1] - slope @ (z[0] - z[1])),
    }


def point_in_vectors(**params: Any) -> InOutcomes:
    """The points of :func:`at_a_point` as vectors."""
    from rateproof.verify.papers.mefbo.vectors import at_points

    p = in_floats(params)
    problem = tracking(**{name: p[name] for name in ("loss", "n_cl", "c", "k", "L_1", "gamma", "X", "Y")})
    star = problem.theta_star(p["x"], p["y"])
    below = {"y": p["y"], "t": p["theta"], "tb": p["other"], "ts": star}
    z = p["x"], p["y"]
    some = [p["push"] * of.outward(at) for of, at in zip((problem.X, problem.Y), z, strict=True)]
    both = {"z": z, "grad": problem.grad_Phi(*z, p["c_t"], star), "some": some}
    functions = {"M": "x y", "G(x, .)": "x", "N": "x y"}
    return at_points(problem, {"x": p["x"]}, below, functions, both=both, values={"F_xy": problem.F(*z), "r": 1})


def two_points_in_vectors(**params: Any) -> InOutcomes:
    """The points of :func:`at_two_points` as vectors."""
    from rateproof.verify.papers.mefbo.vectors import at_points

    p = in_floats(params)
    inputs = {name: p[name] for name in ("loss", "n_cl", "k", "L_1", "gamma", "Y")}
    problem = tracking(c=p["steeper"] * p["L_2"] / (1 + p["k"] ** 2), X="line", **inputs)
    stars = {"s": problem.theta_star(p["x"], p["y"]), "sb": problem.theta_star(p["xb"], p["yb"])}
    above, below = {name: p[name] for name in ("x", "xb")}, {name: p[name] for name in ("y", "yb")} | stars
    below["t"] = problem.Y.project(p["y"])
    x, y = (p["share_s"] * p[v] + (1 - p["share_s"]) * p[f"{v}b"] for v in "xy")
    between = {"v_mix": problem.v(x, y, problem.theta_star(x, y))}
    return at_points(problem, above, below, {"M": "x y", "Mb": "xb yb"}, values=between)


@family(
    "losses of y - k x, at a point",
    point_by_algos,
    point_in_vectors,
    loss=choice(*PROFILES),
    X=choice("line", "half-line"),
    Y=choice(*ENDS),
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
    rho_wc: Number,
    gamma: Number,
    c_t: Number,
    x: Number,
    y: Number,
    theta: Number,
    other: Number,
    share_s: Number,
    push: Number,
    **given: Any,
) -> dict[str, Any]:
    """The penalty function at ``(x, y)``, for theta, another theta, and between; ``push`` is one of the normal cone.

    ``loss``: the shape psi of the lower level; ``X``, ``Y``: the sets of x and of y; ``c``: the curvature of psi, where
    it is largest; ``k``: how far the lower level moves with x; ``x``, ``y``: the point; ``theta``, ``other``: two
    points of Y; ``push``: the size of the vector of the normal cone.

    Raises:
        ValueError: a theta that is not in Y.
    """
    problem = tracking(gamma=gamma, **given)
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
        "normal2": sum((g + push * S.outward(z)) ** 2 for S, z, g in at),
        "nearest2": sum((g + S.outward(z) * largest(-g * S.outward(z), 0 * g)) ** 2 for S, z, g in at),
        "y_in_Y": Fact(problem.contains(x, y), f"({x}, {y}), X is {problem.X.name()}, Y is {problem.Y.name()}"),
        **problem.answers(rho_wc=rho_wc),
    }


@family(
    "losses of y - k x, at two points",
    two_points_by_algos,
    two_points_in_vectors,
    loss=choice("hill", *PROFILES[:-1]),
    Y=choice(*ENDS),
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
    L_2: Number,
    steeper: Number,
    k: Number,
    rho_wc: Number,
    L_1: Number,
    c_t: Number,
    x: Number,
    y: Number,
    xb: Number,
    yb: Number,
    rv1: Number,
    rv2: Number,
    share_s: Number,
    **given: Any,
) -> dict[str, Any]:
    """``z = (x, y)`` and ``zb = (xb, yb)``, with the convexity of the envelope between them.

    ``loss``: the shape of the loss; ``steeper``: the curvature, over the largest one that is allowed; ``k``: slope of
    the line on which the loss does not change; ``x``, ``y``: the first point; ``xb``, ``yb``: the second point.
    """
    problem = tracking(c=steeper * L_2 / (1 + k**2), k=k, L_1=L_1, X="line", **given)
    star, star_b = problem.theta_star(x, y), problem.theta_star(xb, yb)
    gx, gy = problem.gradient("g", xb, star_b)[0], (yb - star_b) / problem.gamma
    px, py = problem.grad_Phi(xb, yb, c_t, star_b)

    def bent(x: Number, y: Number) -> Number:
        return problem.v(x, y, problem.theta_star(x, y)) + (rv1 * x**2 + rv2 * y**2) / 2

    return {
        "h_z": bent(x, y),
        "h_zb": bent(xb, yb),
        "h_mix": bent(share_s * x + (1 - share_s) * xb, share_s * y + (1 - share_s) * yb),
        "dx2_at": (x - xb) ** 2,
        "dy2_at": (y - yb) ** 2,
        "dz_at": sqrt((x - xb) ** 2 + (y - yb) ** 2),
        "dtheta": abs(star - star_b),
        "v_rest": problem.v(x, y, star) - problem.v(xb, yb, star_b) - gx * (x - xb) - gy * (y - yb),
        "Phi_rest": problem.Phi(x, y, c_t, star) - problem.Phi(xb, yb, c_t, star_b) - px * (x - xb) - py * (y - yb),
        **problem.answers(rho_wc=rho_wc, L_2=L_2, L_1=L_1),
        "degenerate": x == xb and y == yb,
    }
