"""Clarke and Goldstein stationarity of piecewise-linear functions over polyhedra, in any dimension.

``F = f + I_X`` with ``f`` a sum of maxima of affine functions and ``X`` a polyhedron with interior. On a cell, where
each maximum is attained by one piece, ``f`` is affine. The Clarke subdifferential of ``F`` at ``y`` is the convex hull
of the slopes of the cells whose part in ``X`` has interior and holds ``y``, plus the normal cone of ``X``; the closure
of the Goldstein set of radius ``delta`` is therefore the hull of the slopes of such cells within ``delta``, plus the
cone of the normals of the faces within ``delta``.

Distances and nearest points are found by active sets (Lawson and Hanson, 1974); what is said of them is checked here,
from the points and multipliers alone. Exact on the line: :mod:`rateproof.verify.stationarity`.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import NamedTuple

import numpy as np

from rateproof.algos.arguments import finite
from rateproof.algos.noise import Array
from rateproof.verify.convex import GroundTruthError
from rateproof.verify.maxima import Polyhedron, SumOfMaxima

#: Relative to the radius: a cell this near beyond it counts as touched, and residuals may be as large.
TOLERANCE = 1e-9
#: Relative to the radius: a cell without room for a ball of this radius counts as one without interior.
THIN = 1e-7
#: Relative to the radius: sets at least so far away count as empty.
FAR = 1e6
#: Cells that are looked at.
MOST = 20_000


@dataclass(frozen=True, eq=False)
class Least:
    """The element of ``conv(points) + cone(normals)`` that is nearest to 0.

    Attributes:
        distance: its length.
        lower: 0 is at least so far from the set: by the hyperplane normal to the element, which separates the two when
            this is positive.
        nearest: the element, ``weights @ points + multipliers @ normals``: ``(n,)``.
        weights, multipliers: not negative; the weights sum to 1.
        turned: how far the element is from pointing away from a normal of length 1; at most rounding.
    """

    distance: float
    lower: float
    nearest: Array
    weights: Array
    multipliers: Array
    turned: float


@dataclass(frozen=True, eq=False)
class Stationarity:
    """How far a vector ``g`` is from a Goldstein set, with what shows it.

    Attributes:
        distance: to an element of the set; inf when the set is empty.
        lower: bound from below on the distance, by a separating hyperplane.
        nearest: the element less ``g``, ``sum_c weights_c (slopes_c - g) + sum_i multipliers_i normals_i``: ``(n,)``.
        points, slopes, weights: of the cells: a point of the cell within ``delta``, its slope, its weight.
        normals, multipliers: of the faces of ``X`` within ``delta``.
        certificate: ``reach`` is how far the points lie beyond ``delta``, ``active`` by how much a chosen piece falls
            short of its maximum at its point, ``outside`` how far points lie outside ``X``, ``cone`` as
            :attr:`Least.turned`; ``near`` is the least relative difference between the radius and the distance of a
            cell or a face (a small one is a close call, counted as within), ``thin`` the number of cells without
            interior.
    """

    distance: float
    lower: float
    nearest: Array
    points: Array
    slopes: Array
    weights: Array
    normals: Array
    multipliers: Array
    certificate: Mapping[str, float]


class _Cell(NamedTuple):
    """A point of a cell, the slope there, and the pieces that attain the maxima."""

    point: Array
    slope: Array
    pieces: tuple[int, ...]


def stationary(f: SumOfMaxima, x: Array, delta: float, X: Polyhedron | None = None) -> Stationarity:
    """How far 0 is from the Goldstein set of radius ``delta`` of ``f + I_X`` at ``x``; ``delta = 0``: the Clarke one.

    Raises:
        ValueError: ``delta`` is negative, a shape is wrong, ``X`` has no interior, or there are too many cells.
        GroundTruthError: a residual is too large.
    """
    return distance_to(f, np.zeros(f.n), x, delta, X)


def distance_to(f: SumOfMaxima, g: Array, x: Array, delta: float, X: Polyhedron | None = None) -> Stationarity:
    """How far ``g`` is from that set; arguments and errors as in :func:`stationary`."""
    x, g = _vector("x", x, f.n), _vector("g", g, f.n)
    X = Polyhedron(np.zeros((0, f.n)), np.zeros(0)) if X is None else X
    if not 0 <= delta < math.inf:
        raise ValueError(f"delta is {delta}; it should be a number, at least 0")
    if X.C.ndim != 2 or X.C.shape != (len(X.d), f.n):
        raise ValueError(f"C has shape {X.C.shape} and d {X.d.shape}; they should be (k, {f.n}) and (k,)")
    search = _Search(f, x, delta, X)
    if search.hollow(X.C, X.d):
        raise ValueError("X has no interior; a set with one is needed")
    cells, normals = list(search.cells()), X.C[list(search.faces())]
    calls = {"near": search.near, "thin": float(search.thin)}
    if not cells:
        rows, none = np.zeros((0, f.n)), np.zeros(0)
        return Stationarity(math.inf, math.inf, np.full(f.n, math.nan), rows, rows, none, rows, none, calls)
    points, slopes = np.array([cell.point for cell in cells]), np.array([cell.slope for cell in cells])
    certificate = search.residuals(cells, points) | calls
    least = least_element(slopes - g, normals)
    return Stationarity(
        least.distance,
        least.lower,
        least.nearest,
        points,
        slopes,
        least.weights,
        normals,
        least.multipliers,
        certificate | {"cone": least.turned},
    )


def least_element(points: Array, normals: Array | None = None) -> Least:
    """The element of least norm of ``conv(points) + cone(normals)``; both are lists of rows ``(., n)``.

    With a row of ones below the points and zeros below the normals, the least squares problem with right side
    ``(0, 1)`` over nonnegative numbers has a multiple of its weights as solution.

    Raises:
        ValueError: a number is not finite.
        GroundTruthError: the element does not separate the set from 0, or the search failed.
    """
    points = finite("points", points)
    normals = np.zeros((0, points.shape[1])) if normals is None else finite("normals", normals)
    scale = float(np.linalg.norm(points, axis=1).max()) or 1.0
    lengths = np.linalg.norm(normals, axis=1)
    columns = np.hstack([points.T / scale, normals.T / lengths])
    ones = np.concatenate([np.ones(len(points)), np.zeros(len(normals))])
    u = _nonnegative(np.vstack([columns, ones]), "the element of least norm")
    u = u / u[: len(points)].sum()
    weights, multipliers = u[: len(points)], u[len(points) :] * scale / lengths
    nearest = weights @ points + multipliers @ normals
    distance = float(np.linalg.norm(nearest))
    if distance <= TOLERANCE * scale:
        return Least(distance, 0.0, nearest, weights, multipliers, 0.0)
    turned = -float((normals @ nearest / lengths).min(initial=0.0)) / distance
    lower = float((points @ nearest).min()) / distance
    _require("the element turns towards a normal by", turned, TOLERANCE)
    _require("the hyperplane is below the distance by", distance - lower, TOLERANCE * scale)
    return Least(distance, min(max(lower, 0.0), distance), nearest, weights, multipliers, turned)


class _Search:
    """The cells and faces within the radius."""

    def __init__(self, f: SumOfMaxima, x: Array, delta: float, X: Polyhedron) -> None:
        self.f, self.x, self.delta, self.X = f, x, delta, X
        self.unit = delta or 1.0
        self.near, self.thin = math.inf, 0

    def cells(self) -> Iterator[_Cell]:
        """Every cell whose part in ``X`` has interior and is within the radius."""
        reach = self.delta + TOLERANCE * self.unit
        able = []
        for term in self.f.terms:
            level = term.A @ self.x + term.b
            rise = np.linalg.norm(term.A[:, None] - term.A[None], axis=-1) * reach
            able.append(np.flatnonzero((level[:, None] + rise >= level[None] - TOLERANCE * self._size(term.b)).all(1)))
        if math.prod(map(len, able)) > MOST:
            raise ValueError(f"{math.prod(map(len, able))} cells may be within delta; at most {MOST} are looked at")
        for chosen in product(*(some.tolist() for some in able)):
            rows = [np.delete(t.A, j, axis=0) - t.A[j] for t, j in zip(self.f.terms, chosen, strict=True)]
            ends = [t.b[j] - np.delete(t.b, j) for t, j in zip(self.f.terms, chosen, strict=True)]
            G, h = np.concatenate([*rows, self.X.C]), np.concatenate([*ends, self.X.d])
            flat = ~G.any(axis=1)  # pieces of one slope: the highest wins, and the first of equal ones
            if (h[flat] < 0).any() or self._repeats(chosen):
                continue
            G, h = G[~flat], h[~flat]
            least, point = _within(G, h, self.x, self.unit)
            if not self._counts(least):
                continue
            if self.hollow(G, h):
                self.thin += 1
                continue
            slope = sum(t.weight * t.A[j] for t, j in zip(self.f.terms, chosen, strict=True))
            yield _Cell(point, np.asarray(slope), chosen)

    def faces(self) -> Iterator[int]:
        """Rows of ``X`` that hold with equality somewhere in ``X`` within the radius."""
        for i, (row, end) in enumerate(zip(self.X.C, self.X.d, strict=True)):
            least, _ = _within(np.vstack([self.X.C, -row]), np.append(self.X.d, -end), self.x, self.unit)
            if self._counts(least):
                yield i

    def hollow(self, G: Array, h: Array) -> bool:
        """Whether ``{G y <= h}`` has no interior."""
        return _within(G, h - THIN * self.unit * np.linalg.norm(G, axis=1), self.x, self.unit)[0] == math.inf

    def residuals(self, cells: Sequence[_Cell], points: Array) -> dict[str, float]:
        """How far the points are from what is said of them."""
        short, size = 0.0, 1e-300
        for cell in cells:
            for term, j in zip(self.f.terms, cell.pieces, strict=True):
                level = term.A @ cell.point + term.b
                short = max(short, float(level.max() - level[j]))
                lengths = np.linalg.norm(term.A, axis=1) * (float(np.linalg.norm(cell.point)) + self.unit)
                size = max(size, float((np.abs(term.b) + lengths).max()))
        reach = max(0.0, float(np.linalg.norm(points - self.x, axis=1).max()) - self.delta)
        lengths = np.linalg.norm(self.X.C, axis=1)
        outside = float(((points @ self.X.C.T - self.X.d) / lengths).max(initial=0.0))
        _require("a point of a cell is beyond delta by", reach, 10 * TOLERANCE * self.unit)
        _require("a piece falls short of its maximum by", short, 10 * TOLERANCE * size)
        _require("a point lies outside X by", outside, 10 * TOLERANCE * (self.unit + float(np.abs(points).max())))
        return {"reach": reach, "active": short, "outside": outside}

    def _size(self, b: Array) -> float:
        return 1.0 + float(np.abs(b).max())

    def _counts(self, least: float) -> bool:
        """Whether something at this distance is within the radius, ends included."""
        if least < math.inf:
            self.near = min(self.near, abs(least - self.delta) / self.unit)
        return least <= self.delta + TOLERANCE * self.unit

    def _repeats(self, chosen: tuple[int, ...]) -> bool:
        """Whether a chosen piece repeats an earlier one."""
        pairs = zip(self.f.terms, chosen, strict=True)
        return any(((t.A[:j] == t.A[j]).all(axis=1) & (t.b[:j] == t.b[j])).any() for t, j in pairs)


def _within(G: Array, h: Array, x: Array, unit: float) -> tuple[float, Array]:
    """A lower bound on the distance of ``x`` from ``{G y <= h}``, and the nearest point; ``(inf, x)`` for none.

    For ``z = (y - x)/unit`` and rows of length 1 the conditions are ``R z <= r``; any ``u >= 0`` gives
    ``|z| >= -u.r/|R'u|``.

    Raises:
        GroundTruthError: the point is not in the set, or farther than the bound.
    """
    size = np.linalg.norm(G, axis=1)
    R, r = G / size[:, None], (h - G @ x) / (size * unit)
    if (r >= 0).all():
        return 0.0, x
    E = np.vstack([-R.T, -r])
    u = _nonnegative(E, "the nearest point of a cell")
    residual = E @ u
    residual[-1] -= 1
    pull, push = float(-u @ r), float(np.linalg.norm(R.T @ u))
    # The multipliers alone show that the set is empty, or too far to count.
    if pull >= FAR * push:
        return math.inf, x
    z = -residual[:-1] / residual[-1]
    least, most = pull / push, float(np.linalg.norm(z))
    excess = float((R @ z - r).max(initial=0.0))
    if excess > TOLERANCE * (1 + most) or most - least > TOLERANCE * (1 + most):
        raise GroundTruthError(
            f"the nearest point of a cell misses it by {excess:.3g}, between distances {least:.9g} and {most:.9g}"
        )
    return least * unit, x + unit * z


def _nonnegative(E: Array, what: str) -> Array:
    """``u >= 0`` that minimises ``|E u - (0, .., 0, 1)|``."""
    from scipy.optimize import nnls  # here, because it takes long to load

    target = np.zeros(len(E))
    target[-1] = 1.0
    try:
        return np.asarray(nnls(E, target, maxiter=50 * (E.shape[1] + 10))[0])
    except RuntimeError as error:
        raise GroundTruthError(f"{what} was not found: {error}") from error


def _require(what: str, have: float, allowed: float) -> None:
    if not have <= allowed:
        raise GroundTruthError(f"a Goldstein set: {what} {have:.3g}; at most {allowed:.3g} is allowed")


def _vector(name: str, values: Array, n: int) -> Array:
    vector = finite(name, values)
    if vector.shape != (n,):
        raise ValueError(f"{name} has shape {vector.shape}; it should be a point of shape ({n},)")
    return vector
