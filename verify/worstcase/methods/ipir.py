"""The outer step of IPIR-FedAvg (strfedavg, Algorithm 2, line 4) with an exact or an inexact projection."""

from __future__ import annotations

from rateproof.verify.worstcase.exact import Exact
from rateproof.verify.worstcase.methods.base import (
    Case,
    Known,
    Method,
    Number,
    count,
    mean,
    new_problem,
    nonnegative,
    origin,
    positive,
)


def outer_step(
    *,
    T: Number = 2,
    L_f: Number = 1,
    lam: Number = 1,
    gamma: Number | None = None,
    factor: Number = 2,
    delta: Number = 0,
    metric: str = "stationarity",
) -> Case:
    """``y^{t+1} = y^t - gamma (grad f(y^t) + (factor/lambda)(y^t - x^t))``, ``x^t`` near the projection of ``y^t``.

    Factor 1 is the step that Algorithm 2 prints; 2 belongs to the gradient of ``F_lambda(y) = f(y) + (1/lambda)
    dist(y, X)^2``. ``f`` is ``L_f``-smooth and may be nonconvex, ``X`` (in the paper the minimisers of ``h``) is closed
    and convex, and ``||x^t - P_X(y^t)||^2 <= delta``. The gradient that is measured is always that of ``F_lambda``.

    - ``stationarity``: ``(1/T) sum_{t<T} ||grad F_lambda(y^t)||^2`` (Theorem 3: at a random iterate) where
      ``F_lambda(y^0) - F_lambda(y^T) <= 1``, which is weaker than the paper's ``F_lambda(y^0) - inf F_lambda <= 1``.
    - ``descent``: ``F_lambda(y^T) - F_lambda(y^0)`` where ``||grad F_lambda(y^0)|| = 1``; for ``T = 1`` the descent
      inequality of the proof of Theorem 3 says at most ``-gamma/2`` without error.

    The step is ``3 lambda / (4 (L_f lambda + 2))``, the largest one of that proof, unless it is given.

    Raises:
        ValueError: a parameter is out of range.
    """
    steps, smoothness, scale = count("T", T), positive("L_f", L_f), positive("lam", lam)
    times, error = count("factor", factor), nonnegative("delta", delta)
    if times > 2:
        raise ValueError(f"factor is {factor}; it should be 1, as printed, or 2, for the gradient of F_lambda")
    step = 3 * scale / (4 * (smoothness * scale + 2)) if gamma is None else positive("gamma", gamma)
    problem = new_problem()
    from PEPit import Point
    from PEPit.functions import ConvexIndicatorFunction, SmoothFunction
    from PEPit.primitive_steps import proximal_step

    f = problem.declare_function(SmoothFunction, L=smoothness)
    indicator = problem.declare_function(ConvexIndicatorFunction)
    y = origin()  # y^0: nothing here depends on where it lies
    values, gradients = [], []
    for t in range(steps + 1):
        g_f, f_y = f.oracle(y)
        _projection, away, _zero = proximal_step(y, indicator, 1)  # away = y - P(y)
        values.append(f_y + 1 / scale * away**2)
        gradients.append(g_f + 2 / scale * away)
        if t == steps:
            break
        offset = away
        if error > 0:
            e = Point()
            problem.add_constraint(e**2 <= error, name=f"error of projection {t}")
            offset = away - e
        y = y - step * (g_f + times / scale * offset)
    tight = None
    if metric == "stationarity":
        problem.set_initial_condition(values[0] - values[-1] <= 1)
        start = "F_lambda(y^0) - F_lambda(y^T) <= 1"
        problem.set_performance_metric(mean([g**2 for g in gradients[:-1]]))
    else:
        problem.set_initial_condition(gradients[0] ** 2 == 1)
        start = "||grad F_lambda(y^0)|| = 1"
        problem.set_performance_metric(values[-1] - values[0])
        if steps == 1 and times == 2 and error == 0:
            tight = _descent(smoothness + 2 / scale, step)
    parameters = {"T": steps, "L_f": smoothness, "lam": scale, "gamma": step, "factor": times, "delta": error}
    return Case(problem, metric, IPIR.words(metric), start, parameters, tight)


def _descent(L: Exact, gamma: Exact) -> Known:
    """The descent lemma, attained by ``(L/2) ||y||^2``: ``X`` a point and ``f = (L_f/2) ||y||^2``."""
    value = -gamma + L * gamma**2 / 2
    return Known(value.fraction, "the descent lemma, attained by a quadratic f and X a point")


IPIR = Method(
    "ipir-outer",
    "outer step of IPIR-FedAvg, f smooth and possibly nonconvex",
    outer_step,
    {
        "T": "outer iterations",
        "L_f": "smoothness of f",
        "lam": "Moreau smoothing lambda",
        "gamma": "outer step; 3 lam / (4 (L_f lam + 2))",
        "factor": "1 as printed, 2 for the gradient of F_lambda",
        "delta": "bound on the square of the projection's error",
    },
    {
        "stationarity": "(1/T) sum_{t<T} ||grad F_lambda(y^t)||^2",
        "descent": "F_lambda(y^T) - F_lambda(y^0)",
    },
    "T",
)

METHODS = (IPIR,)
