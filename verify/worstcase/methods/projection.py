"""Projection methods for variational inequalities: find ``y*`` in ``Y`` with ``<G(y*), y - y*> >= 0`` on ``Y``.

The conditions on the operator ``G`` hold for every pair of points and are necessary; for more than two points no
operator need attain them. The value of a model is an upper bound then; that of the projection method is attained all
the same.
"""

from __future__ import annotations

from typing import Any

from rateproof.verify.worstcase.methods import known
from rateproof.verify.worstcase.methods.base import (
    Case,
    Method,
    Number,
    count,
    curvature,
    new_problem,
    origin,
    positive,
    start_at_one,
)


def projection_method(
    *, t: Number = 2, L: Number = 2, mu: Number = 1, alpha: Number | None = None, metric: str = "distance"
) -> Case:
    """``y_{t+1} = P_Y(y_t - alpha G(y_t))`` (fedrzo, Algorithm 5): ``G`` ``mu``-strongly monotone, ``L``-Lipschitz.

    ``y*`` solves the variational inequality over the closed convex ``Y`` and ``||y_0 - y*||^2 <= 1``. The step is
    ``mu/L^2`` (fedrzo, Theorem 2) unless it is given.

    Raises:
        ValueError: a parameter is out of range.
    """
    return _projected(PROJECTION, t, L, mu, alpha, metric)


def extragradient(
    *, t: Number = 2, L: Number = 2, mu: Number = 1, alpha: Number | None = None, metric: str = "distance"
) -> Case:
    """``z = P_Y(y_t - alpha G(y_t))``, ``y_{t+1} = P_Y(y_t - alpha G(z))`` (Korpelevich 1976).

    Otherwise as :func:`projection_method`. The step is ``1/(2 L)`` unless it is given.

    Raises:
        ValueError: a parameter is out of range.
    """
    return _projected(EXTRAGRADIENT, t, L, mu, alpha, metric)


def _projected(method: Method, t: Number, L: Number, mu: Number, alpha: Number | None, metric: str) -> Case:
    extra = method is EXTRAGRADIENT
    steps, lipschitz = count("t", t), positive("L", L)
    monotone = positive("mu", curvature("mu", mu, "L", lipschitz))
    if alpha is not None:
        step = positive("alpha", alpha)
    else:
        step = 1 / (2 * lipschitz) if extra else monotone / lipschitz**2
    problem = new_problem()
    from PEPit import Point
    from PEPit.functions import ConvexIndicatorFunction
    from PEPit.operators import LipschitzStronglyMonotoneOperatorCheap
    from PEPit.primitive_steps import proximal_step

    G = problem.declare_function(LipschitzStronglyMonotoneOperatorCheap, mu=monotone, L=lipschitz)
    indicator = problem.declare_function(ConvexIndicatorFunction)
    at_solution = Point()
    for function, image in ((G, at_solution), (indicator, -at_solution)):
        function.add_point((origin(), image, _value()))
    y = problem.set_initial_point(name="y0")
    start_at_one(problem, y)
    for _ in range(steps):
        z = proximal_step(y - step * G.gradient(y), indicator, step)[0]
        y = proximal_step(y - step * G.gradient(z), indicator, step)[0] if extra else z
    problem.set_performance_metric(y**2)
    tight = None if extra else known.projection_distance(steps, lipschitz, monotone, step)
    parameters = {"t": steps, "L": lipschitz, "mu": monotone, "alpha": step}
    return Case(problem, metric, method.words(metric), "||y_0 - y*||^2 <= 1", parameters, tight)


def _value() -> Any:
    from PEPit import Expression

    return Expression()


_MEANING = {"t": "steps", "L": "Lipschitz constant of G", "mu": "strong monotonicity of G, below L"}

PROJECTION = Method(
    "projection",
    "projection method for strongly monotone variational inequalities",
    projection_method,
    _MEANING | {"alpha": "step; mu/L^2"},
    {"distance": "||y_t - y*||^2"},
    "t",
)

EXTRAGRADIENT = Method(
    "extragradient",
    "extragradient for strongly monotone variational inequalities",
    extragradient,
    _MEANING | {"alpha": "step; 1/(2 L)"},
    {"distance": "||y_t - y*||^2"},
    "t",
)

METHODS = (PROJECTION, EXTRAGRADIENT)
