"""Ground truths with their own certificates: projections, bilevel and regularised solutions.

A point is believed because of residuals and bounds computed here from the point and the problem's data; where it came
from, and what a solver said about it, decides nothing. A point that misses its tolerance is an error, never a
reason to ask another solver.

The inner level of every problem here is, in an orthonormal basis of rows ``V`` and kernel ``Z``,
``h(x) = h* + 1/2 sum_j s_j^2 (V_j x - c_j)^2``, so ``X_h* = {x: V x = c}``. For data the basis comes from the singular
values of the factor and never from normal equations, which would square its condition number.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias

import numpy as np

from rateproof.algos.problems.base import Array, Problem
from rateproof.verify.ground_truths.convex import GroundTruthError, Huber, Inner, Quadratic, inner_of, outer_of

__all__ = [
    "Certified",
    "GroundTruthError",
    "bilevel_solution",
    "certified_f_star",
    "check_bilevel",
    "check_projection",
    "check_regularised",
    "projection",
    "regularised_solution",
]

Method: TypeAlias = Literal["closed form", "cvxpy"]
Outer: TypeAlias = Quadratic | Huber

#: Relative to the lengths and values of the instance.
TOLERANCE = 1e-6
#: Between a problem's functions and its data, relative to the size of their terms.
AGREEMENT = 1e-9
CLARABEL = {"tol_gap_abs": 1e-10, "tol_gap_rel": 1e-10, "tol_feas": 1e-10}
CLOSED_FORM: Method = "closed form"
CVXPY_SOURCE = "cvxpy CLARABEL"


@dataclass(frozen=True)
class Certified:
    """A point and what is proved about it, up to the rounding of the basis of ``X_h*``.

    Attributes:
        x: ``(n,)``.
        value: ``dist(y, X_h*)`` for a projection of ``y``, ``f(x)`` for a bilevel solution, ``h(x) + eta f(x)`` for a
            regularised one.
        certificate: residual -> number, all computed from ``x``:
            ``feasibility`` is ``dist(x, X_h*)``; ``inner_gradient`` is ``||grad h(x)||``; ``stationarity`` is the norm
            of the part of ``grad f`` in the kernel (projection: of the displacement; regularised: of the gradient of
            the whole objective); ``distance`` bounds the distance to the nearest solution (inf: no bound is known);
            ``rounding`` is the allowance for rounding that ``gap`` contains.
        gap: upper bound on ``|value - optimal value|``; for a projection, on the distance to the projection.
        source: "closed form", "cvxpy CLARABEL", or "given".
    """

    x: Array
    value: float
    certificate: Mapping[str, float]
    gap: float
    source: str


def projection(problem: Problem, y: Array, *, method: Method = CLOSED_FORM, tol: float = TOLERANCE) -> Certified:
    """``Pi_{X_h*}[y]``, certified.

    Args:
        problem: with an inner level that :mod:`rateproof.verify.ground_truths.convex` knows.
        y: ``(n,)``.
        method: "closed form" is the problem's own; "cvxpy" minimises ``||x - y||^2`` on ``V x = c``.
        tol: as in :func:`check_projection`.

    Raises:
        GroundTruthError: the solver fails, or the point does not pass its check.
        ValueError: a shape is wrong, or the problem is of an unknown kind.
    """
    if _known(method) == CLOSED_FORM:
        x = problem.project(_point(problem, y)[None])[0]
        return replace(check_projection(problem, y, x, tol=tol), source=CLOSED_FORM)
    inner = inner_of(problem)
    anchor = inner.project(np.zeros(problem.n))
    length = max(float(np.linalg.norm(y)), float(np.linalg.norm(anchor))) or 1.0

    def program(cp: Any) -> tuple[Any, list[Any], Any]:
        x = cp.Variable(problem.n)
        return cp.sum_squares(x - y / length), inner.constraints(x, length), x

    x = length * solve_programme(program, f"projection of '{problem.name}'")
    return replace(check_projection(problem, y, x, tol=tol), source=CVXPY_SOURCE)


def bilevel_solution(problem: Problem, *, method: Method | None = None, tol: float = TOLERANCE) -> Certified:
    """A minimiser of ``f`` over ``X_h*``, certified.

    Args:
        problem: with levels that :mod:`rateproof.verify.ground_truths.convex` knows.
        method: "closed form" is the problem's own, "cvxpy" a convex programme; None takes the closed form for a
            quadratic outer level and the programme for a Huber one.
        tol: as in :func:`check_bilevel`.

    Raises:
        GroundTruthError: the solver fails, or the point does not pass its check.
        ValueError: the problem is of an unknown kind.
    """
    inner, outer = inner_of(problem), outer_of(problem)
    what = f"bilevel solution of '{problem.name}'"
    if _chosen(method, outer) == CLOSED_FORM:
        x = _own(problem.bilevel_solution, what)
        certified = _checked(what, _bilevel(problem, inner, outer, x), inner, outer, tol)
        return replace(certified, source=CLOSED_FORM if isinstance(outer, Quadratic) else certified.source)
    length = _length(inner, outer)

    def program(cp: Any) -> tuple[Any, list[Any], Any]:
        x = cp.Variable(problem.n)
        objective, split = outer.programme(cp, x, length, outer.unit(length) or 1.0)
        return objective, [*split, *inner.constraints(x, length)], x

    x = length * solve_programme(program, what)
    certified = _checked(what, _bilevel(problem, inner, outer, x), inner, outer, tol)
    polished = outer.polished(inner, x, None)
    if polished is not None:
        certified = min(certified, _bilevel(problem, inner, outer, polished), key=lambda c: c.gap)
    return replace(certified, source=CVXPY_SOURCE)


def regularised_solution(
    problem: Problem, eta: float, *, method: Method | None = None, tol: float = TOLERANCE
) -> Certified:
    """A minimiser of ``h + eta f``, certified; arguments and errors as in :func:`bilevel_solution`.

    Args:
        problem: with levels that :mod:`rateproof.verify.ground_truths.convex` knows.
        eta: positive.
        method: as in :func:`bilevel_solution`.
        tol: as in :func:`check_regularised`.

    Raises:
        GroundTruthError: the solver fails, or the point does not pass its check.
        ValueError: ``eta`` is not positive, or the problem is of an unknown kind.
    """
    inner, outer = inner_of(problem), outer_of(problem)
    what = f"regularised solution of '{problem.name}' at eta = {_positive(eta):g}"
    if _chosen(method, outer) == CLOSED_FORM:
        x = _own(lambda: problem.regularised_solution(eta), what)
        certified = _checked(what, _regularised(problem, inner, outer, eta, x), inner, outer, tol, eta)
        return replace(certified, source=CLOSED_FORM)
    length = _length(inner, outer)

    def program(cp: Any) -> tuple[Any, list[Any], Any]:
        x = cp.Variable(problem.n)
        unit = outer.unit(length) or 1.0
        objective, split = outer.programme(cp, x, length, unit)
        penalty, rows = inner.penalty(cp, x, length, eta * unit)
        return objective + penalty, [*split, *rows], x

    x = length * solve_programme(program, what)
    certified = _checked(what, _regularised(problem, inner, outer, eta, x), inner, outer, tol, eta)
    polished = outer.polished(inner, x, eta)
    if polished is not None:
        certified = min(certified, _regularised(problem, inner, outer, eta, polished), key=lambda c: c.gap)
    return replace(certified, source=CVXPY_SOURCE)


def certified_f_star(problem: Problem, *, method: Method | None = None, tol: float = TOLERANCE) -> tuple[float, float]:
    """``(lower, upper)`` with ``lower <= f* <= upper``, where ``f* = min f`` over ``X_h*``.

    Raises:
        GroundTruthError: as in :func:`bilevel_solution`.
    """
    solution = bilevel_solution(problem, method=method, tol=tol)
    return solution.value - solution.gap, solution.value + solution.gap


def check_projection(problem: Problem, y: Array, x: Array, *, tol: float = TOLERANCE) -> Certified:
    """Certify that ``x`` is ``Pi_{X_h*}[y]`` up to ``tol`` times the largest length in play.

    ``x`` is the projection exactly when it lies in ``X_h*`` and ``y - x`` has no part in the kernel; the two residuals
    are orthogonal, so together they are the distance to the projection.

    Raises:
        GroundTruthError: a residual is too large; says which and by how much.
    """
    y, x = _point(problem, y), _point(problem, x)
    inner = inner_of(problem)
    feasibility = inner.distance(x)
    stationarity = float(np.linalg.norm(inner.Z @ (y - x)))
    distance = float(np.hypot(feasibility, stationarity))
    certificate = {
        "feasibility": feasibility,
        "inner_gradient": _inner_gradient(problem, x),
        "stationarity": stationarity,
        "distance": distance,
    }
    length = max(float(np.linalg.norm(point)) for point in (y, x, inner.c))
    what = f"projection of '{problem.name}'"
    _require(what, "feasibility, the distance to X_h*,", feasibility, tol * length)
    _require(what, "the displacement along the kernel", stationarity, tol * length)
    _require(what, "the gradient of h", certificate["inner_gradient"], tol * inner.curvature * length)
    return Certified(x, inner.distance(y), certificate, distance, "given")


def check_bilevel(problem: Problem, x: Array, *, tol: float = TOLERANCE) -> Certified:
    """Certify that ``x`` solves ``min f`` over ``X_h*``.

    Feasibility and, for a quadratic ``f``, the distance to a solution must be within ``tol`` times the largest length
    in play; the gap within ``tol`` times the size of the terms of ``f``. For a Huber ``f`` the gap is a duality gap:
    any ``nu`` in the row space with ``||nu||_inf <= 1`` gives ``f* >= nu'x - (mu/2)||nu||^2`` for feasible ``x``.

    Raises:
        GroundTruthError: a residual is too large; says which and by how much.
    """
    inner, outer = inner_of(problem), outer_of(problem)
    certified = _bilevel(problem, inner, outer, _point(problem, x))
    return _checked(f"bilevel solution of '{problem.name}'", certified, inner, outer, tol)


def check_regularised(problem: Problem, eta: float, x: Array, *, tol: float = TOLERANCE) -> Certified:
    """Certify that ``x`` minimises ``h + eta f``; as :func:`check_bilevel`, with the gap relative to ``eta f``.

    Raises:
        GroundTruthError: a residual is too large; says which and by how much.
        ValueError: ``eta`` is not positive.
    """
    inner, outer = inner_of(problem), outer_of(problem)
    certified = _regularised(problem, inner, outer, _positive(eta), _point(problem, x))
    what = f"regularised solution of '{problem.name}' at eta = {eta:g}"
    return _checked(what, certified, inner, outer, tol, eta)


def _bilevel(problem: Problem, inner: Inner, outer: Outer, x: Array) -> Certified:
    """What can be proved about ``x`` as a bilevel solution."""
    _agree(problem, inner, outer, x)
    p = inner.project(x)
    gradient = outer.gradient(p)
    feasibility = inner.distance(x)
    bound, step = outer.bilevel_gap(inner, p)
    # p is feasible up to rounding only; f is convex, so that moves f by at most this much to first order.
    rounding = outer.rounding(p) + float(np.linalg.norm(gradient)) * inner.distance(p)
    value = outer.value(x)
    certificate = {
        "feasibility": feasibility,
        "inner_gradient": _inner_gradient(problem, x),
        "stationarity": float(np.linalg.norm(inner.Z @ gradient)),
        "distance": float(np.hypot(feasibility, step)),
        "rounding": rounding,
    }
    return Certified(x, value, certificate, abs(value - outer.value(p)) + bound + rounding, "given")


def _regularised(problem: Problem, inner: Inner, outer: Outer, eta: float, x: Array) -> Certified:
    """What can be proved about ``x`` as a minimiser of ``h + eta f``."""
    _agree(problem, inner, outer, x)
    bound, step = outer.regularised_gap(inner, x, eta)
    rounding = eta * outer.rounding(x) + inner.rounding(x)
    gradient = inner.gradient(x) + eta * outer.gradient(x)
    certificate = {
        "feasibility": inner.distance(x),
        "inner_gradient": _inner_gradient(problem, x),
        "stationarity": float(np.linalg.norm(gradient)),
        "distance": step,
        "rounding": rounding,
    }
    return Certified(x, inner.value(x) + eta * outer.value(x), certificate, bound + rounding, "given")


def _checked(
    what: str, certified: Certified, inner: Inner, outer: Outer, tol: float, eta: float | None = None
) -> Certified:
    """The certified point, when it passes; ``eta`` is None for a bilevel solution."""
    length = max(float(np.linalg.norm(certified.x)), _length(inner, outer))
    if eta is None:
        _require(what, "feasibility, the distance to X_h*,", certified.certificate["feasibility"], tol * length)
        _require(what, "the gradient of h", certified.certificate["inner_gradient"], tol * inner.curvature * length)
    if isinstance(outer, Quadratic):
        _require(what, "the bound on the distance to a solution", certified.certificate["distance"], tol * length)
    value = (1.0 if eta is None else eta) * max(outer.magnitude(certified.x), outer.unit(length))
    _require(what, "the bound on suboptimality", certified.gap - certified.certificate["rounding"], tol * value)
    return certified


def _agree(problem: Problem, inner: Inner, outer: Outer, x: Array) -> None:
    """Refuse a problem whose functions are not those of its data: its certificates would be about something else."""
    point = x[None]
    for name, stated, ours, scale in (
        ("f", [problem.f_i(i, point) for i in range(problem.N)], outer.value(x), outer.magnitude(x)),
        ("h", [problem.h_i(i, point) for i in range(problem.N)], inner.value(x), inner.magnitude(x)),
        ("grad f", [problem.grad_f(i, point) for i in range(problem.N)], outer.gradient(x), outer.gradient_scale(x)),
        ("grad h", [problem.grad_h(i, point) for i in range(problem.N)], inner.gradient(x), inner.gradient_scale(x)),
    ):
        clients = np.reshape(stated, (problem.N, -1))
        off = float(np.linalg.norm(clients.mean(axis=0) - ours))
        if not off <= AGREEMENT * (scale + float(np.linalg.norm(clients, axis=1).mean())):
            raise GroundTruthError(f"problem '{problem.name}': {name}(x) differs by {off:.3g} from what its data give")


def solve_programme(program: Callable[[Any], tuple[Any, list[Any], Any]], what: str) -> Array:
    """Solve ``(objective, constraints, variable)`` with CLARABEL; the point is not to be trusted yet."""
    import cvxpy as cp  # here, because it takes a second

    objective, constraints, x = program(cp)
    problem = cp.Problem(cp.Minimize(objective), constraints)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # "may be inaccurate": the certificate will tell
            problem.solve(solver=cp.CLARABEL, **CLARABEL)
    except cp.SolverError as error:
        raise GroundTruthError(f"{what}: CLARABEL failed: {' '.join(str(error).split())}") from error
    if x.value is None or not np.isfinite(x.value).all():
        raise GroundTruthError(f"{what}: CLARABEL returned no point, its status is '{problem.status}'")
    return np.asarray(x.value, dtype=np.float64)


def _own(solution: Callable[[], Array], what: str) -> Array:
    try:
        return solution()
    except (ValueError, NotImplementedError) as error:
        raise GroundTruthError(f"{what} has no closed form ({error}); method 'cvxpy' may find one") from error


def _require(what: str, name: str, have: float, allowed: float) -> None:
    if not have <= allowed:
        raise GroundTruthError(f"{what} is wrong: {name} is {have:.3g}; at most {allowed:.3g} is allowed")


def _known(method: str) -> str:
    if method not in ("closed form", "cvxpy"):
        raise ValueError(f"method is {method!r}; it should be 'closed form' or 'cvxpy'")
    return method


def _chosen(method: Method | None, outer: Outer) -> str:
    if method is None:
        return CLOSED_FORM if isinstance(outer, Quadratic) else "cvxpy"
    return _known(method)


def _point(problem: Problem, x: Array) -> Array:
    point = np.asarray(x, dtype=np.float64)
    if point.shape != (problem.n,) or not np.isfinite(point).all():
        raise ValueError(f"x has shape {point.shape}; it should be a finite point of shape ({problem.n},)")
    return point


def _positive(eta: float) -> float:
    if not 0 < eta < np.inf:
        raise ValueError(f"eta is {eta}; it should be positive and finite")
    return eta


def _length(inner: Inner, outer: Outer) -> float:
    """A length that is natural to the instance."""
    return max(float(np.linalg.norm(inner.c)), outer.length) or 1.0


def _inner_gradient(problem: Problem, x: Array) -> float:
    """``||grad h(x)||`` from the problem's own gradients."""
    return float(np.linalg.norm(sum(problem.grad_h(i, x[None])[0] for i in range(problem.N)) / problem.N))
