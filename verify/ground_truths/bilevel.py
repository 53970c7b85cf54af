"""Ground truths of smooth bilevel problems with their own certificates: Moreau envelopes and bilevel solutions.

Both are minima of a strongly convex function over a box. A point ``p`` is believed because of the step
``q = Pi(p - s grad(p))`` of length at most ``1/L``: with ``G = (p - q)/s`` and modulus ``mu`` the value at ``q`` is at
most ``|G|^2 (1/mu - s)/2`` above the minimum, and ``|q - minimiser|^2 <= |G|^2 (1/mu - s)/mu`` (Beck 2017, Lemma 10.4
and Theorem 10.29). Where ``p`` came from, and what a solver said about it, decides nothing; moduli are read from the
problem's data, not from its constants.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from rateproof.algos.problems.base import Array
from rateproof.algos.problems.bilevel_line import BilevelLine
from rateproof.algos.problems.bilevel_quadratic import BilevelQuadratic
from rateproof.algos.problems.profiles import COSINE, LOG_COSH, WELLS
from rateproof.algos.problems.smooth_bilevel import SmoothBilevel
from rateproof.verify.ground_truths.solutions import (
    CVXPY_SOURCE,
    TOLERANCE,
    Certified,
    GroundTruthError,
    Method,
    solve_programme,
)

__all__ = ["bilevel_solution", "check_envelope", "envelope"]

OWN: Method = "closed form"


def envelope(
    problem: SmoothBilevel, z: Array, gamma: float, *, method: Method = OWN, tol: float = TOLERANCE
) -> Certified:
    """``theta*_gamma`` at ``z``, ``(n,)``, and ``v_gamma`` as its value, certified (mefbo, eq. 3).

    Args:
        problem: a quadratic, or one on the line.
        z: ``(x, y)``.
        gamma: for which the problem of theta is strongly convex.
        method: "closed form" is the problem's own; "cvxpy" a convex programme, which the cosine does not have.
        tol: largest gap, relative to the size of the terms.

    Raises:
        GroundTruthError: the solver fails, or the point does not pass its check.
        ValueError: an unknown kind of problem, or ``gamma`` is out of range.
    """
    if method == OWN:
        return check_envelope(problem, z, gamma, problem.theta_star(z[None], gamma)[0], source=OWN, tol=tol)
    x, y = problem.split(z)

    def program(cp: Any) -> tuple[Any, list[Any], Any]:
        theta = cp.Variable(problem.dy)
        low, high = problem.Y.arrays() if not problem.Y.whole else (np.array([]), np.array([]))
        ends = [theta[j] >= low[j] for j in np.flatnonzero(np.isfinite(low))]
        ends += [theta[j] <= high[j] for j in np.flatnonzero(np.isfinite(high))]
        return _programme_of_theta(cp, problem, x, y, gamma, theta), ends, theta

    solution = solve_programme(program, f"theta* of '{problem.name}'")
    return check_envelope(problem, z, gamma, solution, source=CVXPY_SOURCE, tol=tol)


def check_envelope(
    problem: SmoothBilevel, z: Array, gamma: float, theta: Array, *, source: str = "given", tol: float = TOLERANCE
) -> Certified:
    """What is proved of ``theta``, or of the step from it, as the minimiser of eq. (3).

    Raises:
        GroundTruthError: the gap is larger than ``tol`` allows.
        ValueError: an unknown kind of problem, or one that is not strongly convex in theta.
    """
    least, most = _curvature(problem)
    mu, L = 1 / gamma + least, 1 / gamma + most
    if not mu > 0:
        raise ValueError(f"gamma is {gamma:g}; it should be below {-1 / least:g}, or theta* need not be unique")
    x, y = problem.split(z)

    def gradient(t: Array) -> Array:
        at = problem.join(x, t)[None]
        G_y = sum(w * problem.split(problem.gradient_g(i, at))[1][0] for i, w in enumerate(problem.weights))
        return np.asarray(G_y + (t - y) / gamma)

    def value(t: Array) -> float:
        at = problem.join(x, t)[None]
        G = math.fsum(w * float(problem.g_i(i, at)[0]) for i, w in enumerate(problem.weights))
        return G + float((t - y) @ (t - y)) / (2 * gamma)

    what = f"theta* of '{problem.name}'"
    return _certified(what, theta, gradient, value, problem.Y.project, mu, L, source, tol)


def bilevel_solution(problem: SmoothBilevel, *, method: Method = OWN, tol: float = TOLERANCE) -> Certified:
    """The minimiser of ``F(x, y(x))`` with its ``y``, certified: quadratics with a free ``y``, and log-cosh tracking.

    Args:
        problem: strongly convex in ``x`` after ``y(x)`` is put in.
        method: "closed form" is the problem's own, without constraints; "cvxpy" minimises over ``X``.
        tol: largest gap, relative to the size of the terms.

    Raises:
        GroundTruthError: the solver fails, or the point does not pass its check.
        ValueError: an unknown kind of problem, or one without a unique solution.
    """
    what = f"bilevel solution of '{problem.name}'"
    if isinstance(problem, BilevelLine) and problem.psi is LOG_COSH:
        return _tracking(what, problem, method, tol)
    if not isinstance(problem, BilevelQuadratic) or not problem.Y.whole:
        raise ValueError(f"no ground truth for '{problem.name}'; it should be a quadratic with a free y, or log-cosh")
    w, dx = problem.weights, problem.dx
    P, a, H, b = (np.tensordot(w, k, axes=1) for k in (problem.P, problem.a, problem.H, problem.b))
    # y = B x + c solves the lower level; z = K x + k.
    K = np.vstack([np.eye(dx), -np.linalg.solve(H[dx:, dx:], H[dx:, :dx])])
    k = np.concatenate([np.zeros(dx), np.linalg.solve(H[dx:, dx:], b[dx:])])
    hessian = K.T @ P @ K
    slope, (mu, L) = K.T @ (P @ k - a), np.linalg.eigvalsh(hessian)[[0, -1]]
    if not mu > 0:
        raise ValueError(f"{what} is not unique: the least eigenvalue of the Hessian of F(x, y(x)) is {mu:g}")

    def program(cp: Any) -> tuple[Any, list[Any], Any]:
        x = cp.Variable(dx)
        low, high = problem.X.low, problem.X.high
        ends = [x[j] >= low[j] for j in np.flatnonzero(np.isfinite(low))]
        ends += [x[j] <= high[j] for j in np.flatnonzero(np.isfinite(high))]
        return cp.quad_form(x, cp.psd_wrap(hessian)) / 2 + slope @ x, ends, x

    x = problem.solution[0][:dx] if method == OWN else solve_programme(program, what)
    certified = _certified(
        what,
        x,
        lambda x: np.asarray(hessian @ x + slope),
        lambda x: float((K @ x + k) @ (P @ (K @ x + k)) / 2 - a @ (K @ x + k)),
        problem.X.project,
        float(mu),
        float(L),
        OWN if method == OWN else CVXPY_SOURCE,
        tol,
    )
    return Certified(K @ certified.x + k, certified.value, certified.certificate, certified.gap, certified.source)


def _tracking(what: str, problem: BilevelLine, method: Method, tol: float) -> Certified:
    """Log-cosh tracking: ``y = k x + c``; the slope of ``F`` along this line changes sign near the point."""
    if not (problem.X.whole and problem.Y.whole) or problem.kappa or problem.e.any():
        raise ValueError(f"{what} is known without constraints, for kappa = 0 and e = 0 only")
    c, k, w = float(problem.minimisers(0.0)[0]), problem.k, problem.weights

    def program(cp: Any) -> tuple[Any, list[Any], Any]:
        x = cp.Variable(1)
        terms = []
        for i in range(problem.m):
            terms.append(w[i] * problem.slope_x[i] * cp.norm(cp.hstack([1, x - problem.a[i]])))
            terms.append(w[i] * problem.slope_y[i] * cp.norm(cp.hstack([1, k * x + c - problem.b[i]])))
        return sum(terms), [], x

    x = float(problem.solution[0]) if method == OWN else float(solve_programme(program, what)[0])

    def slope(x: float) -> float:
        g = sum(v * problem.gradient_f(i, np.array([[x, k * x + c]]))[0] for i, v in enumerate(w))
        return float(g[0] + k * g[1])

    # F is convex along the line: where its slope changes sign within some distance, the minimiser is as near.
    widths = [10.0**j * (1 + abs(x)) for j in range(-12, -2)]
    apart = next((d for d in widths if slope(x - d) <= 0 <= slope(x + d)), math.inf)
    z = np.array([x, k * x + c])
    gap = math.inf if math.isinf(apart) else apart * max(abs(slope(x - apart)), abs(slope(x + apart)))
    off = abs(math.fsum(v * float(problem.gradient_g(i, z[None])[0, 1]) for i, v in enumerate(w)))
    if not (gap <= tol and off <= tol):
        raise GroundTruthError(
            f"{what} is wrong: gap {gap:.3g}, slope of G {off:.3g} at x = {x:g}; at most {tol:.3g} is allowed"
        )
    certificate = {"stationarity": abs(slope(x)), "lower": off, "distance": apart * math.hypot(1, k)}
    value = math.fsum(v * float(problem.f_i(i, z[None])[0]) for i, v in enumerate(w))
    return Certified(z, value, certificate, gap, OWN if method == OWN else CVXPY_SOURCE)


def _certified(
    what: str,
    point: Array,
    gradient: Callable[[Array], Array],
    value: Callable[[Array], float],
    project: Callable[[Array], Array],
    mu: float,
    L: float,
    source: str,
    tol: float,
) -> Certified:
    """The step from a point and its certificate, see the head of this module."""
    point = project(point)
    moved = project(point - gradient(point) / L)
    size = float(np.linalg.norm(L * (point - moved)))
    spare = max(1 / mu - 1 / L, 0.0)
    distance, gap = size * math.sqrt(spare / mu), size**2 * spare / 2
    at = value(moved)
    allowed = tol * (1 + abs(at))
    if not (gap <= allowed and distance <= tol * (1 + float(np.linalg.norm(moved)))):
        raise GroundTruthError(
            f"{what} is wrong: gap {gap:.3g}, distance {distance:.3g}; at most {allowed:.3g} is allowed"
        )
    return Certified(moved, at, {"stationarity": size, "distance": distance}, gap, source)


def _curvature(problem: SmoothBilevel) -> tuple[float, float]:
    """Least and largest second derivative of ``G(x, .)``, or bounds on them, from the data.

    Raises:
        ValueError: an unknown kind of problem.
    """
    if isinstance(problem, BilevelQuadratic):
        values = np.linalg.eigvalsh(np.tensordot(problem.weights, problem.H, axes=1)[problem.dx :, problem.dx :])
        return float(values[0]), float(values[-1])
    if isinstance(problem, BilevelLine):
        if problem.psi is WELLS:
            if problem.k or problem.s.any():
                raise ValueError("no ground truth for wells that move; k and s should be 0")
            return -1.0, 3 * max(abs(problem.Y.low[0]), abs(problem.Y.high[0])) ** 2 - 1
        return (-1.0, 1.0) if problem.psi is COSINE else (0.0, 1.0)
    raise ValueError(f"no ground truth for a problem of type {type(problem).__name__}")


def _programme_of_theta(cp: Any, problem: SmoothBilevel, x: Array, y: Array, gamma: float, theta: Any) -> Any:
    """The objective of eq. (3) without constants.

    Raises:
        ValueError: it is no convex programme that is known here.
    """
    near = cp.sum_squares(theta - y) / (2 * gamma)
    if isinstance(problem, BilevelQuadratic):
        H, b = (np.tensordot(problem.weights, k, axes=1)[problem.dx :] for k in (problem.H, problem.b))
        M, q = H[:, problem.dx :] + np.eye(problem.dy) / gamma, H[:, : problem.dx] @ x - b - y / gamma
        return cp.quad_form(theta, cp.psd_wrap(M)) / 2 + q @ theta
    if isinstance(problem, BilevelLine) and problem.psi is not COSINE:
        tilt = problem.weights @ problem.e + problem.kappa * x[0]
        if problem.psi is WELLS:
            bend = 1 / (2 * gamma) - 0.5  # of theta^2: the well's own -1/2 and the proximal term
            return cp.sum(cp.power(theta, 4)) / 4 + bend * cp.sum_squares(theta) + (tilt - y[0] / gamma) * cp.sum(theta)
        shifts = problem.k * x[0] + problem.s
        each = (w * cp.sum(cp.logistic(2 * (theta - s)) - theta) for w, s in zip(problem.weights, shifts, strict=True))
        return sum(each) + tilt * cp.sum(theta) + near
    raise ValueError(f"no convex programme for theta* of '{problem.name}'; method 'closed form' has a certificate, too")
