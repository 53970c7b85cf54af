"""Optimal weights of nodes with their own certificates: of a convex programme, and of a search over all weights.

Where ``F^`` is convex its linear part bounds it from below: ``F^(w) - min F^ <= max <grad F^(w), w - u>`` over all
``u`` in the capped simplex. Where it is not, cells of weights are left out of a search only if a quadratic below ``F^``
says so, with the smoothness constant that the chain rule gives; where a point came from decides nothing.
"""

from __future__ import annotations

from itertools import product
from typing import Any, Protocol

import numpy as np

from rateproof.algos.problems.base import Array
from rateproof.algos.problems.weighted import Constants, WeightedNodes
from rateproof.algos.problems.weighted_families import QuadraticSamples
from rateproof.verify.ground_truths.solutions import (
    CVXPY_SOURCE,
    TOLERANCE,
    Certified,
    GroundTruthError,
    solve_programme,
)

#: Cells that are looked at together at most.
CELLS = 100_000


class _Objective(Protocol):
    def values(self, w: Array) -> Array:
        """``F^``: ``(points, K) -> (points,)``."""

    def slopes(self, w: Array) -> Array:
        """``grad F^``: ``(points, K)``."""


class _General:
    def __init__(self, problem: WeightedNodes) -> None:
        self.values, self.slopes = problem.F_hat, problem.hypergradient


class _Quadratic:
    """The same in closed form, for all points at once."""

    def __init__(self, problem: QuadraticSamples) -> None:
        self.values, self.slopes = problem.exact.F, problem.exact.gradient


def _objective(problem: WeightedNodes) -> _Objective:
    return _Quadratic(problem) if isinstance(problem, QuadraticSamples) else _General(problem)


def linear_gap(problem: WeightedNodes, w: Array, slope: Array) -> float:
    """``max <slope, w - u>`` over the capped simplex: the smallest entries are filled up to the bound."""
    left, least = 1.0, 0.0
    for j in np.argsort(slope):
        share = min(problem.b, left)
        least, left = least + share * float(slope[j]), left - share
    return float(slope @ w) - least


def convex_weights(problem: WeightedNodes, *, tol: float = TOLERANCE) -> Certified:
    """Optimal weights where the training nodes share their Hessian, so that ``F^`` is convex and quadratic.

    Args:
        problem: with quadratic losses.
        tol: largest gap, relative to the value at equal weights.

    Raises:
        GroundTruthError: the solver fails, the gap is larger, or the losses are no quadratics with one Hessian.
    """
    K, d = problem.K, problem.d
    nodes = problem.theta_hat(np.eye(K))
    some = np.stack([np.zeros(d), nodes[0], nodes[-1] + 1.0])
    hessians = np.stack([[problem.hessian(np.eye(K + 1)[k], 0, t) for t in some] for k in range(K + 1)])
    size = float(np.abs(hessians).max())
    same = np.abs(hessians[1:] - hessians[1, 0]).max() <= 1e-9 * size
    if not (same and np.abs(hessians[0] - hessians[0, 0]).max() <= 1e-9 * size):
        raise GroundTruthError(f"the training nodes of '{problem.name}' do not share a Hessian; search_weights may do")
    best, (values, vectors) = problem.theta_valid(), np.linalg.eigh(hessians[0, 0])
    root = vectors * np.sqrt(np.maximum(values, 0)) @ vectors.T

    def program(cp: Any) -> tuple[Any, list[Any], Any]:
        w = cp.Variable(K)
        return cp.sum_squares(root @ (nodes.T @ w - best)), [w >= 0, w <= problem.b, cp.sum(w) == 1], w

    w = problem.X.project(solve_programme(program, f"weights of '{problem.name}'"))
    value, slope = float(problem.F_hat(w[None])[0]), problem.hypergradient(w[None])[0]
    gap = linear_gap(problem, w, slope)
    allowed = tol * max(abs(float(problem.F_hat(np.full((1, K), 1 / K))[0])), 1e-9)
    if not gap <= allowed:
        raise GroundTruthError(f"the weights of '{problem.name}' are {gap:.3g} from optimal at most, not {allowed:.3g}")
    return Certified(w, value, {"linear": gap}, gap, CVXPY_SOURCE)


def search_weights(problem: WeightedNodes, *, tol: float = 1e-4) -> Certified:
    """The minimum of ``F^`` over all weights of two or three nodes, up to ``tol``; ``F^`` need not be convex.

    Cells of the first ``K - 1`` weights are halved until lower bounds of all that are left are at most ``tol`` below
    the best value that was seen. Where ``Theta`` is much too large, so is the constant, and the search long.

    Raises:
        GroundTruthError: ``Theta`` may not hold all ``theta(w)``, so that the constants are not known to hold, or the
            search would take too many cells.
        ValueError: more nodes.
    """
    K, b, c = problem.K, problem.b, problem.constants
    if K not in (2, 3) or not isinstance(c, Constants):
        raise ValueError(f"there are {K} nodes; a search takes 2 or 3")
    centre = getattr(problem, "centre_of_Theta", np.zeros(problem.d))
    reach = float(np.linalg.norm(problem.node_gradients(centre[None])[0], axis=1).max()) / c.mu
    radius = float(getattr(problem, "radius", np.inf))
    if reach > radius:
        raise GroundTruthError(
            f"theta(w) of '{problem.name}' may be {reach:.3g} from the centre of Theta, with a radius of {radius:.3g}; "
            "a larger radius would do"
        )
    of, curve = _objective(problem), c.ell_F(K)
    middle, half, best, at = np.full((1, K - 1), b / 2), b / 2, np.inf, np.full(K, 1 / K)
    shifts = np.array(list(product((-0.5, 0.5), repeat=K - 1)))
    while True:
        # weights near the middle of a cell; only cells that hold weights stay
        last = 1 - middle.sum(axis=1)
        slack = (K - 1) * half
        middle, last = (a[(last >= -slack - 1e-12) & (last <= b + slack + 1e-12)] for a in (middle, last))
        points = problem.X.project(np.column_stack([middle, last]))
        values, slopes = of.values(points), of.slopes(points)
        if (least := int(values.argmin())) is not None and values[least] < best:
            best, at = float(values[least]), points[least]
        # F(w) >= F(p) + <grad F(p), w - p> - curve/2 |w - p|^2, for all w of the cell
        free = slopes[:, :-1] - slopes[:, -1:]
        away = middle - points[:, :-1]
        linear = (free * away).sum(axis=1) - half * np.abs(free).sum(axis=1)
        far = np.abs(away) + half
        below = values + linear - curve / 2 * ((far**2).sum(axis=1) + far.sum(axis=1) ** 2)
        keep = below < best - tol
        if not keep.any():
            return Certified(at, best, {"cells": float(len(values)), "half": half}, tol, "search")
        middle = (middle[keep][:, None] + half * shifts).reshape(-1, K - 1)
        half /= 2
        if len(middle) > CELLS:
            raise GroundTruthError(
                f"the search on '{problem.name}' takes more than {CELLS} cells; tol should be larger"
            )
