"""Ground truths with their own certificates for monotone affine variational inequalities over boxes.

``y`` in ``Y = [low, high]`` solves ``VI(Y, G)`` with ``G(y) = M y + q`` when ``G(y)'(z - y) >= 0`` for all ``z`` in
``Y``. Where a point came from decides nothing; two numbers computed from it do:

- With ``z = P_Y(y - G(y)/L)`` and ``v = L (y - z) + G(z) - G(y)``, ``v - G(z)`` is normal to ``Y`` at ``z``, so strong
  monotonicity gives ``||z - y*|| <= ||v|| / mu``.
- The gap ``sup over z in Y of G(y)'(y - z)`` is nonnegative on ``Y`` and 0 at solutions only: a point that brings it to
  0 is its own certificate, and ``mu ||y - y*||^2`` is at most the gap.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, Protocol, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from rateproof.algos.arguments import finite, numbers
from rateproof.algos.problems.base import Array
from rateproof.algos.problems.box import box_solution
from rateproof.verify.convex import GroundTruthError

Method: TypeAlias = Literal["pivoting", "cvxpy"]

#: Relative to the lengths of the instance.
TOLERANCE = 1e-6
EPS = float(np.finfo(np.float64).eps)
CLARABEL = {"tol_gap_abs": 1e-12, "tol_gap_rel": 1e-12, "tol_feas": 1e-12}


class AffineLower(Protocol):
    """A problem whose lower level is an affine variational inequality over a box for every query."""

    def affine_lower(self, x: Array, xi: Array | None) -> tuple[Array, Array, Array, Array]:
        """``(M, q, low, high)`` at the query ``x``, ``(n,)``, and the sample ``xi``, ``(q,)``."""


@dataclass(frozen=True, eq=False)
class AffineVI:
    """``VI([low, high], y -> M y + q)``.

    Args:
        M: ``(nt, nt)``, with a positive semidefinite symmetric part.
        q: ``(nt,)``.
        low, high: ``(nt,)``; may be infinite.

    Raises:
        ValueError: dimensions disagree, the box is empty, the map is not monotone, or a number is NaN (an infinite
            one is refused in ``M`` and ``q``).
    """

    M: Array
    q: Array
    low: Array
    high: Array

    def __post_init__(self) -> None:
        for name in ("M", "q"):
            object.__setattr__(self, name, finite(name, getattr(self, name)))
        for name in ("low", "high"):
            object.__setattr__(self, name, numbers(name, getattr(self, name)))
        if self.q.ndim != 1 or not self.q.size:
            raise ValueError(f"q has shape {self.q.shape}; it should be a vector of shape (nt,)")
        nt = len(self.q)
        for name, shape in (("M", (nt, nt)), ("low", (nt,)), ("high", (nt,))):
            if getattr(self, name).shape != shape:
                raise ValueError(f"{name} has shape {getattr(self, name).shape}; q asks for {shape}")
        if not (self.low <= self.high).all():
            raise ValueError("the box is empty; low should be at most high")
        if self.least < -8 * nt * EPS * self.L:
            raise ValueError(
                f"the map is not monotone: the smallest eigenvalue of (M + M')/2 is {self.least:.6g}; "
                "it should be at least 0"
            )

    @cached_property
    def L(self) -> float:
        """Lipschitz constant of the map: the spectral norm of ``M``."""
        return float(np.linalg.norm(self.M, ord=2))

    @cached_property
    def mu(self) -> float:
        """A strong monotonicity constant: the smallest eigenvalue of ``(M + M')/2``, less its rounding, at least 0."""
        return max(self.least - 8 * len(self.q) * EPS * self.L, 0.0)

    @cached_property
    def least(self) -> float:
        """The smallest eigenvalue of ``(M + M')/2``, with its rounding."""
        return float(np.linalg.eigvalsh((self.M + self.M.T) / 2)[0])

    def force(self, y: Array) -> Array:
        """``M y + q``."""
        return np.asarray(self.M @ y + self.q)

    def project(self, y: Array) -> Array:
        """Projection on the box."""
        return np.clip(y, self.low, self.high)

    def rounding(self, y: Array) -> float:
        """Bound on the rounding of :meth:`force` at ``y``."""
        return float((len(y) + 3) * EPS * np.linalg.norm(np.abs(self.M) @ np.abs(y) + np.abs(self.q)))

    def natural_residual(self, y: Array) -> float:
        """``||y - P_Y(y - G(y))||``: 0 at solutions only."""
        return float(np.linalg.norm(y - self.project(y - self.force(y))))

    def gap(self, y: Array) -> float:
        """``sup over z in Y of G(y)'(y - z)``, inf where it is unbounded; nonnegative for ``y`` in ``Y``.

        A force towards an infinite end that is no larger than its rounding counts as 0.
        """
        force = self.force(y)
        ends = np.where(force > 0, self.low, self.high)
        moving = (force != 0) & (np.isfinite(ends) | (np.abs(force) > self.rounding(y)))
        return float(np.sum(force[moving] * (y[moving] - ends[moving])))

    def complementarity(self, y: Array) -> float:
        """``max_j |mid(y_j - low_j, G_j(y), y_j - high_j)|``: 0 at solutions only."""
        force = self.force(y)
        return float(np.abs(np.maximum(np.minimum(y - self.low, force), y - self.high)).max())


@dataclass(frozen=True, eq=False)
class Equilibrium:
    """A point and what is proved about it.

    Attributes:
        y: ``(nt,)``.
        distance: upper bound on the distance to the solution; inf for a map that is not strongly monotone.
        certificate: number by name, all computed from ``y``: ``feasibility`` is the distance to the box;
            ``natural_residual``, ``complementarity`` and ``gap`` are those of :class:`AffineVI`; ``residual`` is
            ``||v||`` of this module; ``mu`` and ``L`` are constants of the map; ``rounding`` is the allowance for
            rounding that ``distance`` contains.
        source: "pivoting", "cvxpy CLARABEL", or "given".
    """

    y: Array
    distance: float
    certificate: Mapping[str, float]
    source: str


def lower_vi(problem: AffineLower, x: ArrayLike, xi: ArrayLike | None = None) -> AffineVI:
    """The lower level of a problem at one query ``x``, ``(n,)``, and sample ``xi``, ``(q,)``."""
    sample = None if xi is None else np.atleast_1d(np.asarray(xi, dtype=np.float64))
    return AffineVI(*problem.affine_lower(np.atleast_1d(np.asarray(x, dtype=np.float64)), sample))


def certify(vi: AffineVI, y: ArrayLike, *, source: str = "given") -> Equilibrium:
    """What can be proved about ``y`` as a solution; nothing is refused.

    Raises:
        ValueError: ``y`` has another shape, or is not finite.
    """
    point = finite("y", y)
    if point.shape != vi.q.shape:
        raise ValueError(f"y has shape {point.shape}; it should be finite numbers of shape {vi.q.shape}")
    feasible = vi.project(point)
    z = vi.project(point - vi.force(point) / vi.L) if vi.L > 0 else feasible
    v = vi.L * (point - z) + (vi.force(z) - vi.force(point))
    residual, step = float(np.linalg.norm(v)), float(np.linalg.norm(point - z))
    rounding = 2 * (vi.rounding(point) + vi.rounding(z)) + 4 * EPS * vi.L * float(np.linalg.norm(point))
    gap = vi.gap(feasible)
    distance = step + (residual + rounding) / vi.mu if vi.mu > 0 else float("inf")
    certificate = {
        "feasibility": float(np.linalg.norm(point - feasible)),
        "natural_residual": vi.natural_residual(point),
        "complementarity": vi.complementarity(point),
        "gap": gap,
        "residual": residual,
        "mu": vi.mu,
        "L": vi.L,
        "rounding": rounding / vi.mu if vi.mu > 0 else float("inf"),
    }
    return Equilibrium(point, distance, certificate, source)


def check(vi: AffineVI, y: ArrayLike, *, tol: float = TOLERANCE, source: str = "given") -> Equilibrium:
    """Certify that ``y`` is the solution up to ``tol`` times the largest length in play.

    Where the map is monotone only, the gap must be within ``tol`` times a force times a length: the size of the terms
    of ``G(y)``, and the width of the box. Neither is 0 where ``G(y)`` is: a force that is rounding of its terms passes.

    Raises:
        GroundTruthError: a bound is too large; says which and by how much.
    """
    found = certify(vi, y, source=source)
    length = _length(vi, found.y)
    if vi.mu > 0:
        name, value, limit = "the bound on the distance to the solution", found.distance, tol * length
    else:
        name, value, limit = "the gap", found.certificate["gap"], tol * _work(vi, found.y)
        if found.certificate["feasibility"] > tol * length:
            name, value, limit = "the distance to the box", found.certificate["feasibility"], tol * length
    if not value <= limit:
        raise GroundTruthError(f"equilibrium ({source}): {name} is {value:.3g}; it should be at most {limit:.3g}")
    return found


def _length(vi: AffineVI, y: Array) -> float:
    """The largest of ``||y||``, the distance of the box from 0, and the least of ``||q||/L`` and the box's diagonal.

    The last does not vanish at a solution 0. It is left out for a box and a force that have no length; then 1 is taken
    for a point 0.
    """
    wide = float(np.linalg.norm(vi.high - vi.low))
    natural = float(np.linalg.norm(vi.q)) / vi.L if vi.L > 0 and vi.q.any() else np.inf
    own = min(wide, natural)
    known = [float(np.linalg.norm(y)), float(np.linalg.norm(vi.project(np.zeros(len(vi.q)))))]
    return max([*known, own] if np.isfinite(own) else known) or 1.0


def _work(vi: AffineVI, y: Array) -> float:
    """The scale of the gap at ``y``: ``|| |M| |y| + |q| ||`` times the length of the widths of the box.

    An unbounded side has the largest of ``|y_j|``, its finite end and ``||q||/L`` for its width. Where ``q = 0`` the
    widths stand for ``|y|``, since nothing else has a size at a solution 0.
    """
    ends = np.where(np.isfinite([vi.low, vi.high]), np.abs([vi.low, vi.high]), 0.0).max(axis=0)
    natural = float(np.linalg.norm(vi.q)) / vi.L if vi.L > 0 else 0.0
    sides = vi.high - vi.low
    widths = np.where(np.isfinite(sides), sides, np.maximum(np.maximum(np.abs(y), ends), natural))
    force = float(np.linalg.norm(np.abs(vi.M) @ (np.abs(y) if vi.q.any() else widths) + np.abs(vi.q)))
    return force * float(np.linalg.norm(widths))


def equilibrium(vi: AffineVI, *, method: Method = "pivoting", tol: float = TOLERANCE) -> Equilibrium:
    """The solution, certified.

    Args:
        vi: strongly monotone for pivoting, monotone for cvxpy.
        method: "pivoting" is principal pivoting; "cvxpy" minimises the gap, a convex programme with least value 0.
        tol: as in :func:`check`.

    Raises:
        GroundTruthError: the map is not strongly monotone and the method is pivoting, the solver fails, or the point
            does not pass its check.
        ValueError: the method is unknown.
    """
    if method == "pivoting":
        if vi.mu <= 0:
            raise GroundTruthError(
                "equilibrium: the map is not strongly monotone: the smallest eigenvalue of (M + M')/2 is "
                f"{vi.least:.6g}; it should be positive for pivoting, and 0 will do for method='cvxpy'"
            )
        try:
            return check(vi, box_solution(vi.M, vi.q, vi.low, vi.high), tol=tol, source=method)
        except ValueError as error:
            raise GroundTruthError(f"equilibrium: {error}") from error
    if method != "cvxpy":
        raise ValueError(f"method is '{method}'; it should be 'pivoting' or 'cvxpy'")
    return check(vi, _least_gap(vi), tol=tol, source="cvxpy CLARABEL")


def _least_gap(vi: AffineVI) -> Array:
    """Minimise ``y'G(y) - low'a + high'b`` over ``y`` in ``Y`` and ``a, b >= 0`` with ``G(y) = a - b``.

    For given ``y`` the least of it over ``a`` and ``b`` is the gap. It is convex: ``y'M y`` is.
    """
    import cvxpy as cp  # here, because it takes a second

    nt = len(vi.q)
    y, up, down = cp.Variable(nt), cp.Variable(nt, nonneg=True), cp.Variable(nt, nonneg=True)
    values, vectors = np.linalg.eigh((vi.M + vi.M.T) / 2)
    root = np.sqrt(np.maximum(values, 0.0))[:, None] * vectors.T
    lows, highs = np.isfinite(vi.low), np.isfinite(vi.high)
    objective: Any = cp.sum_squares(root @ y) + vi.q @ y
    objective += vi.high[highs] @ down[highs] - vi.low[lows] @ up[lows]
    limits = [vi.M @ y + vi.q == up - down, y[lows] >= vi.low[lows], y[highs] <= vi.high[highs]]
    limits += [up[~lows] == 0, down[~highs] == 0]
    programme = cp.Problem(cp.Minimize(objective), [c for c in limits if c.size])
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # "may be inaccurate": the certificate will tell
            programme.solve(solver=cp.CLARABEL, **CLARABEL)
    except cp.SolverError as error:
        raise GroundTruthError(f"equilibrium: CLARABEL failed: {' '.join(str(error).split())}") from error
    if y.value is None or not np.isfinite(y.value).all():
        raise GroundTruthError(f"equilibrium: CLARABEL returned no point, its status is '{programme.status}'")
    return vi.project(np.asarray(y.value, dtype=np.float64))
