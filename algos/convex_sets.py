"""Closed convex sets with exact projections. Points are ``(..., n)``."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Hashable
from dataclasses import dataclass, field
from functools import cached_property
from numbers import Real

import numpy as np
from numpy.typing import ArrayLike

from rateproof.algos import arguments
from rateproof.algos.arguments import check_counts, nonnegative, numbers, shown
from rateproof.algos.noise import Array

#: Coordinates of a capped simplex above which only those near the largest are sorted.
MANY = 1000


class ConvexSet(ABC):
    """A nonempty closed convex set of ``R^n``.

    Attributes:
        n: dimension.
    """

    n: int

    @abstractmethod
    def arrays(self) -> tuple[Array, ...]:
        """What describes the set, as arrays of shape ``(n,)`` or ``(1,)`` that :meth:`onto` takes."""

    @staticmethod
    @abstractmethod
    def onto(x: Array, *arrays: Array) -> Array:
        """Projections of ``x`` on the sets that the arrays describe; sets and points broadcast against each other."""

    def project(self, x: ArrayLike) -> Array:
        """Nearest points of the set: ``(..., n) -> (..., n)``.

        Raises:
            ValueError: points of another dimension.
        """
        points = np.asarray(x, dtype=np.float64)
        if points.ndim == 0 or points.shape[-1] != self.n:
            raise ValueError(f"points have shape {points.shape}; their last axis should be n = {self.n}")
        return points if self.whole else self.onto(points, *self.arrays())

    def dist2(self, x: ArrayLike) -> Array:
        """Squared distances to the set: ``(..., n) -> (...)``."""
        points = np.asarray(x, dtype=np.float64)
        away = points - self.project(points)
        return np.asarray((away * away).sum(axis=-1))

    def stationarity(self, x: Array, gradient: Array) -> Array:
        """Squared distance of 0 to ``gradient + N(x)``, with the normal cone of the set: ``(..., n) -> (...)``.

        Raises:
            ValueError: the normal cones of this set are not known here.
        """
        if self.whole:
            return np.asarray((gradient * gradient).sum(axis=-1))
        raise ValueError(f"normal cones of a {type(self).__name__} are not known; the set should be a box or the space")

    @property
    def whole(self) -> bool:
        """Whether the set is the whole space."""
        return False

    @property
    def enclosing(self) -> tuple[Array, float] | None:
        """Centre and radius of a ball around the set; None when it is unbounded or none is known."""
        return None

    def key(self) -> Hashable:
        """Equal for equal sets of one class."""
        return (type(self).__name__, self.n, *(a.tobytes() for a in self.arrays()))

    def to_params(self) -> dict[str, object]:
        """Plain JSON values that describe the set; infinite bounds are None."""
        arrays = dict(zip(self._names(), self.arrays(), strict=True))
        shown = {k: [float(v) if math.isfinite(v) else None for v in a] for k, a in arrays.items()}
        return {"kind": type(self).__name__, "n": self.n, **shown}

    def _names(self) -> tuple[str, ...]:
        """Names of :meth:`arrays`."""
        return ()


@dataclass(frozen=True)
class WholeSpace(ConvexSet):
    """``R^n``: no constraint."""

    n: int

    def __post_init__(self) -> None:
        check_counts(n=self.n)

    def arrays(self) -> tuple[Array, ...]:
        """None."""
        return ()

    @staticmethod
    def onto(x: Array, *arrays: Array) -> Array:
        """The points themselves."""
        return x

    @property
    def whole(self) -> bool:
        """True."""
        return True


@dataclass(frozen=True, eq=False)
class Box(ConvexSet):
    """``low <= x <= high``, coordinate by coordinate; bounds may be infinite, or equal.

    Args:
        low, high: ``(n,)``.

    Raises:
        ValueError: the bounds disagree in shape, one is NaN, or a coordinate has no point.
    """

    low: Array
    high: Array
    n: int = field(init=False)

    def __post_init__(self) -> None:
        low, high = _vector(self.low, "low", finite=False), _vector(self.high, "high", finite=False)
        if low.shape != high.shape:
            raise ValueError(f"low has {len(low)} entries and high {len(high)}; they should agree")
        if empty := [j for j in range(len(low)) if not low[j] <= high[j] or low[j] == math.inf or high[j] == -math.inf]:
            j = empty[0]
            raise ValueError(f"coordinate {j} of the box runs from {low[j]:g} to {high[j]:g}; it should hold a point")
        _set(self, low=low, high=high, n=len(low))

    def arrays(self) -> tuple[Array, ...]:
        """``low`` and ``high``."""
        return self.low, self.high

    @staticmethod
    def onto(x: Array, *arrays: Array) -> Array:
        """Each coordinate clipped."""
        return np.minimum(np.maximum(x, arrays[0]), arrays[1])

    def stationarity(self, x: Array, gradient: Array) -> Array:
        """As of every set; a coordinate at its lower end counts where its slope is negative, and so on."""
        left = np.where(x <= self.low, np.minimum(gradient, 0.0), gradient)
        left = np.where(x >= self.high, np.maximum(left, 0.0), left)
        return np.asarray((left * left).sum(axis=-1))

    @cached_property
    def whole(self) -> bool:
        """Whether no bound is finite."""
        return bool(np.isneginf(self.low).all() and np.isposinf(self.high).all())

    @property
    def enclosing(self) -> tuple[Array, float] | None:
        """Its centre and half its diagonal."""
        if not (np.isfinite(self.low).all() and np.isfinite(self.high).all()):
            return None
        return (self.low + self.high) / 2, float(np.linalg.norm(self.high - self.low)) / 2

    def _names(self) -> tuple[str, ...]:
        return "low", "high"


def interval(low: float = -math.inf, high: float = math.inf) -> Box:
    """The interval ``[low, high]`` of the line: a half-line or the line where a bound is infinite.

    Raises:
        ValueError: an end is no number, or there is no point between them.
    """
    for name, end in (("low", low), ("high", high)):
        if numbers(name, end).ndim:
            raise ValueError(f"{name} is {shown(end)}; it should be one number, or plus or minus infinity")
    return Box(np.array([low], dtype=np.float64), np.array([high], dtype=np.float64))


@dataclass(frozen=True, eq=False)
class Ball(ConvexSet):
    """``||x - centre|| <= radius``; a point where the radius is 0.

    Args:
        centre: ``(n,)``.
        radius: nonnegative.

    Raises:
        ValueError: a number is not finite, or the radius is negative.
    """

    centre: Array
    radius: float
    n: int = field(init=False)

    def __post_init__(self) -> None:
        centre = _vector(self.centre, "centre")
        nonnegative(radius=self.radius)
        _set(self, centre=centre, radius=float(self.radius), n=len(centre))

    def arrays(self) -> tuple[Array, ...]:
        """Centre and radius."""
        return self.centre, np.array([self.radius])

    @staticmethod
    def onto(x: Array, *arrays: Array) -> Array:
        """Moved towards the centre until in the ball."""
        centre, radius = arrays
        away = x - centre
        length = np.linalg.norm(away, axis=-1, keepdims=True)
        inside = length <= radius
        return np.asarray(np.where(inside, x, centre + away * (radius / np.where(inside, 1.0, length))))

    @property
    def enclosing(self) -> tuple[Array, float] | None:
        """Itself."""
        return self.centre, self.radius

    def _names(self) -> tuple[str, ...]:
        return "centre", "radius"


@dataclass(frozen=True, eq=False)
class HalfSpace(ConvexSet):
    """``normal . x <= offset``.

    Args:
        normal: ``(n,)``, not zero.
        offset: finite.

    Raises:
        ValueError: a number is not finite, or the normal is zero.
    """

    normal: Array
    offset: float
    n: int = field(init=False)

    def __post_init__(self) -> None:
        normal = _vector(self.normal, "normal")
        if not normal.any():
            raise ValueError("normal is zero; it should be a direction")
        if not math.isfinite(self.offset):
            raise ValueError(f"offset is {self.offset}; it should be finite")
        _set(self, normal=normal, offset=float(self.offset), n=len(normal))

    def arrays(self) -> tuple[Array, ...]:
        """Normal and offset."""
        return self.normal, np.array([self.offset])

    @staticmethod
    def onto(x: Array, *arrays: Array) -> Array:
        """Moved along the normal until in the half-space."""
        normal, offset = arrays
        excess = (x * normal).sum(axis=-1, keepdims=True) - offset
        return np.asarray(x - np.maximum(excess, 0.0) / (normal * normal).sum(axis=-1, keepdims=True) * normal)

    def _names(self) -> tuple[str, ...]:
        return "normal", "offset"


@dataclass(frozen=True)
class Simplex(ConvexSet):
    """``x >= 0`` with ``sum x = total``.

    Args:
        n: dimension.
        total: positive.

    Raises:
        ValueError: the total is not a positive number.
    """

    n: int
    total: float = 1.0

    def __post_init__(self) -> None:
        check_counts(n=self.n)
        if not 0 < self.total < math.inf:
            raise ValueError(f"total is {self.total}; it should be a positive number")

    def arrays(self) -> tuple[Array, ...]:
        """The total."""
        return (np.array([float(self.total)]),)

    @staticmethod
    def onto(x: Array, *arrays: Array) -> Array:
        """All coordinates lowered alike, and cut at 0."""
        largest = -np.sort(-x, axis=-1)
        # The level at which the j largest coordinates alone reach the total; the last j with a positive one counts.
        level = (np.cumsum(largest, axis=-1) - arrays[0]) / np.arange(1, x.shape[-1] + 1)
        last = (largest > level).sum(axis=-1, keepdims=True) - 1
        return np.maximum(x - np.take_along_axis(level, last, axis=-1), 0.0)

    @property
    def enclosing(self) -> tuple[Array, float] | None:
        """The ball through its corners."""
        return np.full(self.n, self.total / self.n), self.total * math.sqrt(1 - 1 / self.n)

    def _names(self) -> tuple[str, ...]:
        return ("total",)


@dataclass(frozen=True)
class CappedSimplex(ConvexSet):
    """``0 <= x <= cap`` with ``sum x = 1``: weights of ``n`` nodes, none of which counts too much (fedweight, (1)).

    Args:
        n: dimension.
        cap: from ``1/n``, where the set is one point, to 1, where it is the simplex.

    Raises:
        ValueError: the cap is out of this range.
    """

    n: int
    cap: float = 1.0

    def __post_init__(self) -> None:
        check_counts(n=self.n)
        check_cap("cap", self.cap, self.n)

    def arrays(self) -> tuple[Array, ...]:
        """The cap."""
        return (np.array([float(self.cap)]),)

    @staticmethod
    def onto(x: Array, *arrays: Array) -> Array:
        """All coordinates lowered alike, and cut at 0 and at the cap: the level is found among ``2 n`` breakpoints."""
        cap = arrays[0]
        below = x.max(axis=-1, keepdims=True) - x  # so that levels are not lost to rounding
        v, full = below, math.ceil(1 / cap.min()) + 1
        if v.shape[-1] > max(full, MANY):
            # so many at the cap have more than one together, so that the level is nearer than where they are there
            v = np.partition(v, full - 1, axis=-1)
            kept = max(full, int((v <= v[..., full - 1 : full] + cap).sum(axis=-1).max()))
            v = np.partition(v, kept - 1, axis=-1)[..., :kept]
        v, n = np.sort(v, axis=-1), v.shape[-1]
        ends = np.concatenate([v, v + cap], axis=-1)
        order = np.argsort(ends, axis=-1, kind="stable")  # two sorted halves, which a stable sort merges
        ends = np.take_along_axis(ends, order, axis=-1)
        # coordinates between their bounds, from an end on
        active = np.cumsum(np.where(order < n, 1, -1), axis=-1)
        mass = np.zeros_like(ends)
        np.cumsum(active[..., :-1] * np.diff(ends, axis=-1), axis=-1, out=mass[..., 1:])
        # At the last end where the mass is below one it grows until the level, by as much as coordinates are active.
        last = np.maximum((mass < 1).sum(axis=-1, keepdims=True) - 1, 0)
        at, count = (np.take_along_axis(a, last, axis=-1) for a in (ends, active))
        level = at + (1 - np.take_along_axis(mass, last, axis=-1)) / np.maximum(count, 1)
        out = np.clip(level - below, 0.0, cap)
        # Sums of n numbers round: what is missing is spread once more over the coordinates between their bounds.
        free = (out > 0) & (out < cap)
        missing = (1 - out.sum(axis=-1, keepdims=True)) / np.maximum(free.sum(axis=-1, keepdims=True), 1)
        return np.asarray(np.clip(out + np.where(free, missing, 0.0), 0.0, cap))

    @property
    def enclosing(self) -> tuple[Array, float] | None:
        """The ball through its corners: as many coordinates at the cap as there is room for."""
        full = math.floor(1 / self.cap + 1e-12)
        corner = full * self.cap**2 + max(0.0, 1 - full * self.cap) ** 2
        return np.full(self.n, 1 / self.n), math.sqrt(max(0.0, corner - 1 / self.n))

    def _names(self) -> tuple[str, ...]:
        return ("cap",)


def check_cap(name: str, cap: float, n: int) -> None:
    """Refuse a bound on ``n`` weights with sum one that no weights satisfy, or that bounds nothing.

    Raises:
        ValueError: names the bound.
    """
    number = isinstance(cap, Real) and not isinstance(cap, bool)
    if not number or not 1 / n * (1 - 1e-12) <= cap <= 1:
        raise ValueError(f"{name} is {shown(cap)}; it should be in [1/{n}, 1], or no {n} weights below it sum to one")


def _vector(values: ArrayLike, name: str, *, finite: bool = True) -> Array:
    """A vector that cannot be written to."""
    vector = arguments.finite(name, values) if finite else numbers(name, values)
    if vector.ndim != 1 or not len(vector):
        raise ValueError(f"{name} has shape {vector.shape}; it should be a vector of shape (n,)")
    vector.setflags(write=False)
    return vector


def _set(one: object, **values: object) -> None:
    """Set attributes of a frozen object while it is made."""
    for name, value in values.items():
        object.__setattr__(one, name, value)
