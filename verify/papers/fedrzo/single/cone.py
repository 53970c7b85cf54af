"""Sets that hardly meet: the residuals of a point can be long and nearly cancel."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rateproof.verify.counterexamples.replay import rational
from rateproof.verify.papers.fedrzo.single.parameters import NO_NOISE, Measured, numbers


def cone_and_half_space(at: Mapping[str, Any]) -> Measured:
    """The sets {z >= sqrt(x^2 + y^2)} and {x >= z} of R^3, f = 0, a run from 0, and a far point with both residuals w.

    With (c, s) on the circle, h = (1 - c)/(3 + c) and the radius w/h, the point is ``(w/h)((1 + h) c, (1 + h) s,
    1 - h)``: its residuals are w (c, s, -1) and w (-1, 0, 1), of equal length, and nearly opposite for c near 1. So
    mean dist^2 = 2 w^2 and ||mean residual||^2 = w^2 (1 - c)/2 = w^2 u^2/(1 + u^2) for c = (1 - u^2)/(1 + u^2): for no
    B_1 and B_2 does (2) hold at all of these points. The run never moves, as f is constant and 0 lies in both sets.

    Raises:
        ValueError: u or w is not positive, or rho is negative.
    """
    u, w, rho = numbers(at, "u", "w", "rho")
    c, s = (1 - u**2) / (1 + u**2), 2 * u / (1 + u**2)
    h = (1 - c) / (3 + c)
    if not (u > 0 and w > 0 and rho >= 0):
        raise ValueError(f"u = {u} and w = {w} should be positive, rho = {rho} nonnegative")
    radius = w / h
    point = (radius * (1 + h) * c, radius * (1 + h) * s, radius * (1 - h))
    near_cone = (radius * c, radius * s, radius)
    excess = (point[2] - point[0]) / 2
    near_half = (point[0] + excess, point[1], point[2] - excess)
    residuals = [[a - b for a, b in zip(point, near, strict=True)] for near in (near_cone, near_half)]
    # both are projections: the residual is normal to the foot, and its negative lies in the (self-dual) cone
    normal = sum(a * b for a, b in zip(residuals[0], near_cone, strict=True))
    dual = -residuals[0][2] >= 0 and residuals[0][2] ** 2 >= residuals[0][0] ** 2 + residuals[0][1] ** 2
    if normal != 0 or not dual or excess < 0 or near_half[0] != near_half[2]:
        raise ValueError("a projection is wrong")
    zero = rational(0)
    values = {
        "n": rational(3),
        "m": rational(2),
        "L0": rational(1),
        "nu": rational(1),
        "mean_dist2": sum((a**2 for r in residuals for a in r), zero) / 2,
        "sq_res": sum((((a + b) / 2) ** 2 for a, b in zip(*residuals, strict=True)), zero),
        "norm_x": zero,
        "rho": rho,
        "far_0": zero,
    }
    facts = {
        "lipschitz": "f = 0",
        **NO_NOISE,
        "sets": "a closed convex cone and a half-space, which meet in a ray",
        "algorithm1": "the run from 0, a point of both sets, that never moves",
    }
    return values, facts


def touching_discs(at: Mapping[str, Any]) -> Measured:
    """The unit discs around (1, 0) and (-1, 0), which meet in 0, and the first iterate (0, -t) from there.

    With t = 2 s/(1 - s^2) the point is at distance ray = (1 + s^2)/(1 - s^2) from the centres, so its residuals are
    ``(1 - 1/ray)(-+1, -t)``. A step of gamma = t/2 with the loss x_2 comes as near as one likes with directions near
    (0, 1).
    """
    (s,) = numbers(at, "s")
    t, ray = 2 * s / (1 - s**2), (1 + s**2) / (1 - s**2)
    if not 0 < s < 1 or ray**2 != 1 + t**2:
        raise ValueError(f"s is {s}; it should lie between 0 and 1")
    values = {
        **{"n": rational(2), "m": rational(2), "L0": rational(1), "nu": rational(1), "gamma": t / 2, "H": rational(1)},
        **{"mean_dist2": (ray - 1) ** 2, "sq_res": (t * (1 - 1 / ray)) ** 2, "norm_x": t, "rho": t},
        "far_0": rational(0),
    }
    facts = {
        "lipschitz": "the loss x_2",
        **NO_NOISE,
        "sets": "discs",
        "algorithm1": "the first step from 0, in X",
        "at_iterate": "x is x_1 for the direction (0, 1)",
    }
    return values, facts
