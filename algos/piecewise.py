"""Piecewise polynomials of one variable, with exact smoothing over an interval, composition and infima.

On piece ``j``, ``breaks[j-1] <= x < breaks[j]``, a function is ``sum_k c[k, j] (x - anchor_j)^k`` with its anchor at
the left end of the piece (the first break for the first piece, 0 where there is none): no large powers cancel.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from math import comb

import numpy as np
from numpy.typing import ArrayLike

from rateproof.algos.arguments import finite, numbers
from rateproof.algos.noise import Array, Ints


@dataclass(frozen=True, eq=False)
class Piecewise:
    """A piecewise polynomial on the line.

    Args:
        breaks: increasing, ``(p,)``.
        c: coefficients, ``(d + 1, p + 1)`` for degree ``d``; row ``k`` belongs to the power ``k``.

    Raises:
        ValueError: breaks do not increase, shapes disagree, or a number is not finite.
    """

    breaks: Array
    c: Array

    def __post_init__(self) -> None:
        breaks, c = numbers("breaks", self.breaks), numbers("c", self.c)
        if breaks.ndim != 1 or c.ndim != 2 or c.shape[1] != len(breaks) + 1 or not len(c):
            raise ValueError(f"breaks {breaks.shape} and coefficients {c.shape} should be (p,) and (d + 1, p + 1)")
        if not (np.isfinite(breaks).all() and np.isfinite(c).all()):
            raise ValueError("a break or a coefficient is not finite; it should be a number")
        if (np.diff(breaks) <= 0).any():
            raise ValueError(f"breaks are {breaks.tolist()}; they should increase")
        anchors = np.concatenate([breaks[:1], breaks]) if len(breaks) else np.zeros(1)
        for name, value in (("breaks", breaks), ("c", c), ("anchors", anchors)):
            value.setflags(write=False)
            object.__setattr__(self, name, value)

    # Points that the pieces are written about, (p + 1,): set from the breaks.
    anchors = np.zeros(1)

    @property
    def degree(self) -> int:
        """Largest power that has a coefficient."""
        return len(self.c) - 1

    def key(self) -> Hashable:
        """Equal for equal functions in equal form."""
        return self.breaks.tobytes(), self.c.shape, self.c.tobytes()

    def __call__(self, x: ArrayLike) -> Array:
        """Values, in the shape of ``x``; at a break, of the piece on its right."""
        x = np.asarray(x, dtype=np.float64)
        if not len(self.breaks):
            return self._horner(x - self.anchors[0], [row[0] for row in self.c])
        piece = self._piece(x)
        return self._horner(x - self.anchors[piece], [row[piece] for row in self.c])

    @property
    def derivative(self) -> Piecewise:
        """The derivative; at a break, from the right."""
        if self.degree == 0:
            return Piecewise(self.breaks, np.zeros_like(self.c))
        return Piecewise(self.breaks, self.c[1:] * np.arange(1, len(self.c))[:, None])

    def __add__(self, other: Piecewise) -> Piecewise:
        return total([self, other])

    def __rmul__(self, factor: float) -> Piecewise:
        return Piecewise(self.breaks, factor * self.c)

    def __sub__(self, other: Piecewise) -> Piecewise:
        return total([self, -1.0 * other])

    def at(self, breaks: Array) -> Piecewise:
        """The same function with these breaks, a superset of its own."""
        points = _inside(breaks)
        piece = self._piece(points)
        anchors = np.concatenate([breaks[:1], breaks]) if len(breaks) else np.zeros(1)
        return Piecewise(breaks, self._around(piece, anchors))

    def smoothed(self, eta: float) -> Piecewise:
        """``f_eta(x) = (1/(2 eta)) int f over [x - eta, x + eta]``, exactly: a function of one degree more.

        ``f_eta' = (f(x + eta) - f(x - eta))/(2 eta)``.

        Raises:
            ValueError: ``eta`` is not a positive number.
        """
        if not 0 < eta < math.inf:
            raise ValueError(f"eta is {eta}; it should be a positive number")
        breaks = np.unique(np.concatenate([self.breaks - eta, self.breaks + eta]))
        points = _inside(breaks)
        anchors = np.concatenate([breaks[:1], breaks]) if len(breaks) else np.zeros(1)
        above, below = self._piece(points + eta), self._piece(points - eta)
        slopes = (self._around(above, anchors + eta) - self._around(below, anchors - eta)) / (2 * eta)
        c = np.vstack([np.zeros(len(anchors)), slopes / np.arange(1, len(slopes) + 1)[:, None]])
        # Where the window lies in one piece, even powers of the radius alone count, and nothing cancels.
        within = above == below
        around = self._around(above, anchors)
        for j in range(len(around)):
            terms = (comb(k, j) * around[k] * eta ** (k - j) / (k - j + 1) for k in range(j, len(around), 2))
            c[j, within] = sum(terms)[within]
        c[-1, within] = 0.0
        return Piecewise(breaks, _joined(breaks, c))

    def after(self, inner: Piecewise) -> Piecewise:
        """The composition ``x -> f(inner(x))`` with a piecewise-linear ``inner``.

        Raises:
            ValueError: ``inner`` is not piecewise linear.
        """
        if inner.degree > 1 and inner.c[2:].any():
            raise ValueError(f"the inner function has degree {inner.degree}; it should be piecewise linear")
        ends = np.concatenate([[-math.inf], inner.breaks, [math.inf]])
        slope = inner.c[1] if inner.degree else np.zeros(inner.c.shape[1])
        breaks = list(inner.breaks)
        for j in np.flatnonzero(slope):
            met = inner.anchors[j] + (self.breaks - inner.c[0, j]) / slope[j]
            breaks.extend(met[(met > ends[j]) & (met < ends[j + 1])])
        merged = np.unique(np.array(breaks, dtype=np.float64))
        points = _inside(merged)
        piece = inner._piece(points)
        anchors = np.concatenate([merged[:1], merged]) if len(merged) else np.zeros(1)
        value, rise = inner.c[0, piece] + slope[piece] * (anchors - inner.anchors[piece]), slope[piece]
        around = self._around(self._piece(inner(points)), value)
        return Piecewise(merged, around * rise ** np.arange(len(around))[:, None])

    @property
    def lipschitz(self) -> float:
        """Least Lipschitz constant; inf where a slope is unbounded or the function jumps."""
        if self.jump > 1e-9 * (1 + np.abs(self(self.breaks)).max(initial=0.0)):
            return math.inf
        slope = self.derivative
        outer = slope.c[1:, [0, -1]]
        if outer.any():
            return math.inf
        right_ends = slope._horner(np.diff(self.breaks), list(slope.c[:, 1:-1]))
        inner = slope(slope.derivative.zeros) if slope.degree > 1 else np.zeros(0)
        return float(np.abs(np.concatenate([slope.c[0], right_ends, inner])).max())

    @property
    def jump(self) -> float:
        """Largest jump at a break."""
        if not len(self.breaks):
            return 0.0
        steps = np.concatenate([[0.0], np.diff(self.breaks)])
        return float(np.abs(self._horner(steps, list(self.c[:, :-1])) - self.c[0, 1:]).max())

    @property
    def zeros(self) -> Array:
        """Points where a function of degree at most 2 vanishes, increasing; of a flat piece both finite ends."""
        ends = np.concatenate([[-math.inf], self.breaks, [math.inf]])
        found: list[float] = []
        for j, anchor in enumerate(self.anchors):
            c0, c1, c2 = (*self.c[:, j], 0.0, 0.0)[:3]
            if c0 == c1 == c2 == 0:
                found += [e for e in ends[j : j + 2] if math.isfinite(e)]
                continue
            found += [anchor + r for r in _roots(c0, c1, c2) if ends[j] <= anchor + r <= ends[j + 1]]
        return np.unique(np.array(found, dtype=np.float64))

    @property
    def infimum(self) -> float:
        """Infimum over the line of a continuous function of degree at most 3; -inf where it is unbounded below."""
        for j, side in ((0, -1.0), (-1, 1.0)):
            powers = np.flatnonzero(self.c[1:, j]) + 1
            if len(powers) and self.c[powers[-1], j] * side ** powers[-1] < 0:
                return -math.inf
        return float(self(np.concatenate([self.derivative.zeros, self.breaks, self.anchors[:1]])).min())

    @staticmethod
    def _horner(d: Array, c: Sequence[Array]) -> Array:
        out = c[-1]
        for row in c[-2::-1]:
            out = out * d + row
        return np.asarray(out) if len(c) > 1 else np.broadcast_to(out, d.shape)

    def _piece(self, x: Array) -> Ints:
        return np.searchsorted(self.breaks, x, side="right")

    def _around(self, piece: Ints, points: Array) -> Array:
        """Coefficients of pieces about points, ``(d + 1, len(points))``."""
        shift = points - self.anchors[piece]
        c = self.c[:, piece]
        powers = [np.ones_like(shift)]
        for _ in range(self.degree):
            powers.append(powers[-1] * shift)
        rows = [sum(comb(k, j) * c[k] * powers[k - j] for k in range(j, len(c))) for j in range(len(c))]
        return np.array(rows)


def total(functions: Sequence[Piecewise], *, divisor: float = 1.0) -> Piecewise:
    """The sum of functions, divided at last: coefficients that cancel in the sum are exactly 0.

    Raises:
        ValueError: there is none.
    """
    if not functions:
        raise ValueError("functions is empty; it should hold at least one")
    breaks = np.unique(np.concatenate([f.breaks for f in functions]))
    c = np.zeros((max(len(f.c) for f in functions), len(breaks) + 1))
    for f in functions:
        c[: len(f.c)] += f.at(breaks).c
    return Piecewise(breaks, c / divisor)


class Stacked:
    """The functions of all clients, evaluated in one call: ``(runs, m) -> (runs, m)``."""

    def __init__(self, functions: Sequence[Piecewise]) -> None:
        self.one = functions[0] if len({f.key() for f in functions}) == 1 else None
        m, p, d = len(functions), max(len(f.breaks) for f in functions), max(f.degree for f in functions)
        self.breaks = np.full((m, p), math.inf)
        anchors, c = np.zeros((m, p + 1)), np.zeros((d + 1, m, p + 1))
        for i, f in enumerate(functions):
            k = len(f.breaks)
            self.breaks[i, :k] = f.breaks
            anchors[i, : k + 1] = f.anchors
            c[: len(f.c), i, : k + 1] = f.c
        self.first = np.arange(m) * (p + 1)
        self.anchors, self.c = anchors.ravel(), c.reshape(d + 1, -1)

    def __call__(self, x: Array) -> Array:
        """Values ``f_i(x_i)``."""
        if self.one is not None:
            return self.one(x)
        at = np.broadcast_to(self.first, x.shape).copy()
        for ends in self.breaks.T:
            at += x >= ends
        away = x - self.anchors[at]
        out = self.c[-1][at]
        for row in self.c[-2::-1]:
            out *= away
            out += row[at]
        return np.asarray(out)


def steepest(functions: Sequence[Piecewise]) -> float:
    """Largest Lipschitz constant."""
    return max(f.lipschitz for f in {f.key(): f for f in functions}.values())


def affine(*, slope: float, intercept: float = 0.0) -> Piecewise:
    """``slope x + intercept``."""
    if not (math.isfinite(slope) and math.isfinite(intercept)):
        finite("slope", slope)
        finite("intercept", intercept)
    return Piecewise(np.zeros(0), np.array([[intercept], [slope]]))


def quadratic(*, curvature: float, centre: float = 0.0) -> Piecewise:
    """``(curvature/2) (x - centre)^2``."""
    return Piecewise(np.array([centre]), np.array([[0.0] * 2, [0.0] * 2, [curvature / 2] * 2]))


def from_slopes(breaks: ArrayLike, slopes: ArrayLike, *, through: tuple[float, float] = (0.0, 0.0)) -> Piecewise:
    """The continuous piecewise-linear function with these slopes whose graph passes through a point.

    Args:
        breaks: increasing, ``(p,)``.
        slopes: ``(p + 1,)``.
        through: the point.

    Raises:
        ValueError: shapes disagree, breaks do not increase, or a number is not finite.
    """
    at, rises = finite("breaks", breaks), finite("slopes", slopes)
    if at.ndim != 1 or rises.shape != (len(at) + 1,):
        raise ValueError(f"breaks has shape {at.shape} and slopes {rises.shape}; they should be (p,) and (p + 1,)")
    loose = Piecewise(at, np.vstack([np.zeros(len(rises)), rises]))
    c = _joined(at, np.array(loose.c))
    c[0] += through[1] - float(Piecewise(at, c)(through[0]))
    return Piecewise(at, c)


def absolute(*, slope: float, centre: float = 0.0) -> Piecewise:
    """``slope |x - centre|``: a concave kink for a negative slope."""
    return from_slopes([centre], [-slope, slope], through=(centre, 0.0))


def huber(*, width: float, slope: float, centre: float = 0.0) -> Piecewise:
    """``slope (x - centre)^2/(2 width)`` within ``width`` of the centre, and linear of this slope beyond.

    Raises:
        ValueError: the width is not positive.
    """
    finite("slope", slope)
    finite("centre", centre)
    if not 0 < width < math.inf:
        raise ValueError(f"width is {width}; it should be a positive number")
    low, high, top = centre - width, centre + width, slope * width / 2
    c = [[top, top, top], [-slope, -slope, slope], [0.0, slope / (2 * width), 0.0]]
    return Piecewise(np.array([low, high]), np.array(c))


def square_distance(low: float, high: float) -> Piecewise:
    """``dist^2(x, [low, high])``; a bound may be infinite.

    Raises:
        ValueError: the interval is empty.
    """
    if not low <= high:
        raise ValueError(f"the interval runs from {low:g} to {high:g}; it should hold a point")
    ends = np.unique([b for b in (low, high) if math.isfinite(b)])
    square = np.ones(len(ends) + 1)
    square[0] = math.isfinite(low)
    square[-1] = math.isfinite(high)
    square[1:-1] = 0.0
    if not len(ends):
        square[:] = 0.0
    return Piecewise(ends, np.vstack([np.zeros((2, len(square))), square]))


def clip(low: float, high: float) -> Piecewise:
    """``min(max(x, low), high)``; a bound may be infinite."""
    ends = np.unique([b for b in (low, high) if math.isfinite(b)])
    if not len(ends):
        return affine(slope=1.0)
    rises = np.ones(len(ends) + 1)
    rises[0], rises[-1] = not math.isfinite(low), not math.isfinite(high)
    if low == high:
        rises[:] = 0.0
    return from_slopes(ends, rises, through=(float(ends[0]), float(ends[0])))


def _joined(breaks: Array, c: Array) -> Array:
    """Constants of the pieces set so that each begins where the one before ends; the first is kept."""
    for j in range(1, c.shape[1]):
        width = 0.0 if j == 1 else breaks[j - 1] - breaks[j - 2]
        c[0, j] = sum(c[k, j - 1] * width**k for k in range(len(c)))
    return c


def _inside(breaks: Array) -> Array:
    """A point inside every piece."""
    if not len(breaks):
        return np.zeros(1)
    first, last = breaks[0] - 1 - abs(breaks[0]), breaks[-1] + 1 + abs(breaks[-1])
    return np.concatenate([[first], (breaks[1:] + breaks[:-1]) / 2, [last]])


def _roots(c0: float, c1: float, c2: float) -> list[float]:
    """Real roots of ``c0 + c1 x + c2 x^2``, without cancellation."""
    if c2 == 0:
        return [] if c1 == 0 else [-c0 / c1]
    inside = c1 * c1 - 4 * c0 * c2
    if inside < 0:
        return []
    q = -(c1 + math.copysign(math.sqrt(inside), c1)) / 2
    return [q / c2, *([c0 / q] if q else [])]
