"""Lower levels in two numbers whose Moreau envelope is known, at one point or at two."""

from __future__ import annotations

from typing import Any

from rateproof.algos.problems.base import Fact
from rateproof.verify.form.arithmetic import Number, sqrt
from rateproof.verify.form.parts import Loss, hyperbola, parabola, two_wells, wave
from rateproof.verify.papers.mefbo.rounds import Client, Interval, Level, Problem, Term

#: What :func:`profile` and :func:`interval` know by name, the simplest first.
PROFILES = ("hyperbola", "waves", "two wells", "parabola", "bent down")
INTERVALS = ("line", "half-line", "interval")


def profile(name: str, c: Number) -> Loss:
    """A function of one number whose largest curvature is ``c`` in size."""
    if name == "bent down":
        return parabola(-c)
    return {"hyperbola": hyperbola, "waves": wave, "two wells": two_wells, "parabola": parabola}[name](c)


def interval(name: str, like: Number) -> Interval:
    """The line, ``[0, oo)`` or ``[-1, 2]``."""
    zero = 0 * like
    return {"line": Interval(), "half-line": Interval(zero), "interval": Interval(zero - 1, zero + 2)}[name]


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
