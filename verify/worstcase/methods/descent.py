"""Gradient descent, the proximal point method, and proximal and projected gradient descent."""

from __future__ import annotations

from typing import Any

from rateproof.verify.worstcase.exact import Exact, exact
from rateproof.verify.worstcase.methods import known
from rateproof.verify.worstcase.methods.base import (
    Case,
    Known,
    Method,
    Number,
    count,
    curvature,
    new_problem,
    nothing,
    origin,
    positive,
    smooth,
    start_at_one,
)

GAP = "f(x^n) - f*"
DISTANCE = "||x^n - x*||^2"
GRADIENT = "||grad f(x^n)||^2"


def gradient_descent(
    *, n: Number = 5, L: Number = 1, mu: Number = 0, gamma: Number | None = None, metric: str = "gap"
) -> Case:
    """``x^{k+1} = x^k - gamma grad f(x^k)``, ``f`` ``mu``-strongly convex and ``L``-smooth, ``||x^0 - x*||^2 <= 1``.

    ``x*`` is a minimiser. The step is ``1/L`` unless it is given.

    Raises:
        ValueError: a parameter is out of range.
    """
    steps, smoothness = count("n", n), positive("L", L)
    convexity = curvature("mu", mu, "L", smoothness)
    step = 1 / smoothness if gamma is None else positive("gamma", gamma)
    problem = new_problem()
    f = smooth(problem, smoothness, convexity)
    f.add_point((origin(), origin(), nothing()))
    x = problem.set_initial_point(name="x0")
    start = start_at_one(problem, x)
    for _ in range(steps):
        x = x - step * f.gradient(x)
    tight: Known | None
    if metric == "gap":
        problem.set_performance_metric(f(x))
        tight = known.gradient_descent_gap(steps, smoothness, convexity, step)
    elif metric == "distance":
        problem.set_performance_metric(x**2)
        tight = known.gradient_descent_distance(steps, smoothness, convexity, step)
    else:
        problem.set_performance_metric(f.gradient(x) ** 2)
        tight = known.gradient_descent_gradient(steps, smoothness, convexity, step)
    parameters = {"n": steps, "L": smoothness, "mu": convexity, "gamma": step}
    return Case(problem, metric, GRADIENT_DESCENT.words(metric), start, parameters, tight)


def proximal_point(*, n: Number = 5, gamma: Number = 1, metric: str = "gap") -> Case:
    """``x^{k+1} = argmin f(x) + ||x - x^k||^2 / (2 gamma)``, ``f`` convex and closed, ``||x^0 - x*||^2 <= 1``.

    Raises:
        ValueError: a parameter is out of range.
    """
    steps, step = count("n", n), positive("gamma", gamma)
    problem = new_problem()
    from PEPit.functions import ConvexFunction
    from PEPit.primitive_steps import proximal_step

    f = problem.declare_function(ConvexFunction)
    f.add_point((origin(), origin(), nothing()))
    x = problem.set_initial_point(name="x0")
    start = start_at_one(problem, x)
    for _ in range(steps):
        x, _gradient, value = proximal_step(x, f, step)
    tight = None
    if metric == "gap":
        problem.set_performance_metric(value)
        tight = known.proximal_point_gap(steps, step)
    else:
        problem.set_performance_metric(x**2)
        tight = Known(exact(1).fraction, "attained by f = 0")
    return Case(problem, metric, PROXIMAL_POINT.words(metric), start, {"n": steps, "gamma": step}, tight)


def proximal_gradient(
    *, n: Number = 5, L: Number = 1, mu: Number = 0, gamma: Number | None = None, metric: str = "gap"
) -> Case:
    """``x^{k+1} = prox_{gamma g}(x^k - gamma grad f(x^k))`` on ``F = f + g``, ``||x^0 - x*||^2 <= 1``.

    ``f`` is ``mu``-strongly convex and ``L``-smooth, ``g`` convex and closed, ``x*`` a minimiser of ``F``. The step is
    ``1/L`` unless it is given.

    Raises:
        ValueError: a parameter is out of range.
    """
    from PEPit.functions import ConvexFunction

    return _forward_backward(PROXIMAL_GRADIENT, ConvexFunction, n, L, mu, gamma, metric)


def projected_gradient(
    *, n: Number = 5, L: Number = 1, mu: Number = 0, gamma: Number | None = None, metric: str = "gap"
) -> Case:
    """``x^{k+1} = P_X(x^k - gamma grad f(x^k))``, ``X`` closed and convex, ``||x^0 - x*||^2 <= 1``.

    ``f`` is ``mu``-strongly convex and ``L``-smooth on the whole space, ``x*`` its minimiser over ``X``, and ``x^0``
    any point, in ``X`` or not. The step is ``1/L`` unless it is given.

    Raises:
        ValueError: a parameter is out of range.
    """
    from PEPit.functions import ConvexIndicatorFunction

    return _forward_backward(PROJECTED_GRADIENT, ConvexIndicatorFunction, n, L, mu, gamma, metric)


def _forward_backward(
    method: Method, backward: Any, n: Number, L: Number, mu: Number, gamma: Number | None, metric: str
) -> Case:
    """Gradient step on a smooth function, then proximal step on one of the class ``backward``."""
    steps, smoothness = count("n", n), positive("L", L)
    convexity = curvature("mu", mu, "L", smoothness)
    step: Exact = 1 / smoothness if gamma is None else positive("gamma", gamma)
    problem = new_problem()
    from PEPit import Point
    from PEPit.primitive_steps import proximal_step

    f, g = smooth(problem, smoothness, convexity), problem.declare_function(backward)
    at_solution = Point()
    f.add_point((origin(), at_solution, nothing()))
    g.add_point((origin(), -at_solution, nothing()))
    x = problem.set_initial_point(name="x0")
    start = start_at_one(problem, x)
    for _ in range(steps):
        x, _gradient, value = proximal_step(x - step * f.gradient(x), g, step)
    tight: Known | None
    if metric == "gap":
        problem.set_performance_metric(f(x) + value)
        tight = known.proximal_gradient_gap(steps, smoothness, convexity, step)
    else:
        problem.set_performance_metric(x**2)
        tight = known.gradient_descent_distance(steps, smoothness, convexity, step)
    parameters = {"n": steps, "L": smoothness, "mu": convexity, "gamma": step}
    return Case(problem, metric, method.words(metric), start, parameters, tight)


GRADIENT_DESCENT = Method(
    "gradient-descent",
    "gradient descent, smooth (strongly) convex",
    gradient_descent,
    {"n": "steps", "L": "smoothness", "mu": "strong convexity, below L", "gamma": "step; 1/L"},
    {"gap": GAP, "distance": DISTANCE, "gradient": GRADIENT},
    "n",
)

PROXIMAL_POINT = Method(
    "proximal-point",
    "proximal point method, convex",
    proximal_point,
    {"n": "steps", "gamma": "step"},
    {"gap": GAP, "distance": DISTANCE},
    "n",
)

PROXIMAL_GRADIENT = Method(
    "proximal-gradient",
    "proximal gradient descent on f + g, g convex",
    proximal_gradient,
    {"n": "steps", "L": "smoothness of f", "mu": "strong convexity of f, below L", "gamma": "step; 1/L"},
    {"gap": "F(x^n) - F*", "distance": DISTANCE},
    "n",
)

PROJECTED_GRADIENT = Method(
    "projected-gradient",
    "projected gradient descent over a convex set",
    projected_gradient,
    {"n": "steps", "L": "smoothness of f", "mu": "strong convexity of f, below L", "gamma": "step; 1/L"},
    {"gap": "f(x^n) - f(x*)", "distance": DISTANCE},
    "n",
)

METHODS = (GRADIENT_DESCENT, PROXIMAL_POINT, PROXIMAL_GRADIENT, PROJECTED_GRADIENT)
