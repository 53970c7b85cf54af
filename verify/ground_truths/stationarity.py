"""Clarke and Goldstein stationarity of piecewise-linear functions over intervals, in exact rationals.

``F = f + I_X`` with ``f`` piecewise linear on the line and ``X`` a closed interval. ``clarke`` is the Clarke
subdifferential of ``F`` itself (of its epigraph), not the sum of that of ``f`` and the normal cone: at an end of ``X``
only slopes inside ``X`` count. Outside ``X`` it is empty. ``goldstein`` is the convex hull of the Clarke
subdifferentials at all points within ``delta`` (fedrzo, Section 1); ``x`` is ``(delta, eps)``-stationary when its
distance from 0 is at most ``eps``.

All numbers are ``Fraction``, or plus or minus infinity. Slopes carry the unit of ``f`` over that of ``x``.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import TypeAlias

from rateproof.algos.arguments import shown

__all__ = [
    "EMPTY",
    "LINE",
    "Interval",
    "PiecewiseLinear",
    "clarke",
    "goldstein",
    "kinks",
    "penalised_gradient",
    "penalised_stationary",
    "smoothed_gradient",
]

#: What is read as an exact rational: a float stands for the binary fraction that it is.
Rational: TypeAlias = Fraction | int | float | str
#: A ``Fraction``, or plus or minus ``math.inf``.
Extended: TypeAlias = Fraction | float


@dataclass(frozen=True)
class Interval:
    """The closed interval ``[low, high]``; empty when ``low > high``. Ends may be infinite.

    Raises:
        ValueError: an end is no number.
    """

    low: Extended = -math.inf
    high: Extended = math.inf

    def __post_init__(self) -> None:
        for name in ("low", "high"):
            end = getattr(self, name)
            if not (isinstance(end, float) and math.isinf(end)):
                object.__setattr__(self, name, _exact(name, end, "a number, or plus or minus infinity"))

    @property
    def empty(self) -> bool:
        """Whether it has no point."""
        return self.low > self.high

    @property
    def ends(self) -> tuple[Fraction, ...]:
        """Its finite ends, the lower one first."""
        return tuple(end for end in (self.low, self.high) if isinstance(end, Fraction))

    def __contains__(self, x: Extended) -> bool:
        return self.low <= x <= self.high

    def project(self, x: Extended) -> Extended:
        """The nearest point.

        Raises:
            ValueError: the interval is empty.
        """
        if self.empty:
            raise ValueError("the interval is empty; a projection needs a point")
        if x < self.low:
            return self.low
        if x > self.high:
            return self.high
        return x

    def distance(self, x: Extended) -> Extended:
        """Distance of ``x``; infinite when the interval is empty."""
        if self.empty:
            return math.inf
        away = x - self.project(x)
        return max(away, -away)

    def __and__(self, other: Interval) -> Interval:
        return Interval(max(self.low, other.low), min(self.high, other.high))

    def hull(self, other: Interval) -> Interval:
        """The smallest interval that holds both."""
        if self.empty or other.empty:
            return other if self.empty else self
        return Interval(min(self.low, other.low), max(self.high, other.high))


LINE = Interval()
EMPTY = Interval(math.inf, -math.inf)


@dataclass(frozen=True)
class PiecewiseLinear:
    """A continuous piecewise-linear function of one variable.

    Attributes:
        breaks: increasing points between the pieces.
        slopes: of the pieces, one more than there are breaks.
        at_zero: the value at 0.

    Raises:
        ValueError: breaks do not increase, the counts do not fit, or a number is not finite.
    """

    breaks: tuple[Fraction, ...]
    slopes: tuple[Fraction, ...]
    at_zero: Fraction = Fraction(0)

    def __post_init__(self) -> None:
        object.__setattr__(self, "breaks", tuple(_exact("a break", b) for b in self.breaks))
        object.__setattr__(self, "slopes", tuple(_exact("a slope", s) for s in self.slopes))
        object.__setattr__(self, "at_zero", _exact("at_zero", self.at_zero))
        if len(self.slopes) != len(self.breaks) + 1:
            raise ValueError(
                f"slopes has {len(self.slopes)} numbers; it should have one more than breaks, {len(self.breaks) + 1}"
            )
        if any(a >= b for a, b in pairwise(self.breaks)):
            raise ValueError(f"breaks is {[str(b) for b in self.breaks]}; it should increase")

    def value(self, x: Rational) -> Fraction:
        """``f(x)``."""
        return self.at_zero + self.rise(Fraction(0), _exact("x", x))

    def rise(self, a: Fraction, b: Fraction) -> Fraction:
        """``f(b) - f(a)``."""
        if a > b:
            return -self.rise(b, a)
        inside = [c for c in self.breaks if a < c < b]
        return sum((self.right(p) * (q - p) for p, q in pairwise([a, *inside, b])), Fraction(0))

    def left(self, x: Extended) -> Fraction:
        """Slope just left of ``x``."""
        return self.slopes[sum(c < x for c in self.breaks)]

    def right(self, x: Extended) -> Fraction:
        """Slope just right of ``x``."""
        return self.slopes[sum(c <= x for c in self.breaks)]

    @property
    def lipschitz(self) -> Fraction:
        """The least Lipschitz constant."""
        return max(map(abs, self.slopes))


def kinks(weights: Iterable[tuple[Rational, Rational]], *, slope: Rational = 0) -> PiecewiseLinear:
    """``slope x + sum_j w_j |x - c_j|`` for the pairs ``(w_j, c_j)``.

    Raises:
        ValueError: a number is not finite.
    """
    pairs = [(_exact("a weight", w), _exact("a kink", c)) for w, c in weights]
    breaks = sorted({c for _, c in pairs})
    lowest = _exact("slope", slope) - sum(w for w, _ in pairs)
    rises = [2 * sum((w for w, c in pairs if c <= b), Fraction(0)) for b in breaks]
    at_zero = sum((w * abs(c) for w, c in pairs), Fraction(0))
    return PiecewiseLinear(tuple(breaks), (lowest, *(lowest + rise for rise in rises)), at_zero)


def clarke(f: PiecewiseLinear, x: Rational, X: Interval = LINE) -> Interval:
    """The Clarke subdifferential of ``f + I_X`` at ``x``; empty outside ``X``, the whole line when ``X`` is a point.

    Raises:
        ValueError: ``x`` is not finite.
    """
    x = _exact("x", x)
    if x not in X:
        return EMPTY
    slopes = ([f.left(x)] if x > X.low else []) + ([f.right(x)] if x < X.high else [])
    return Interval(
        -math.inf if x == X.low else min(slopes),
        math.inf if x == X.high else max(slopes),
    )


def goldstein(f: PiecewiseLinear, x: Rational, delta: Rational, X: Interval = LINE) -> Interval:
    """The delta-Clarke subdifferential of ``f + I_X`` at ``x``: the hull of those within ``delta``, ends included.

    Raises:
        ValueError: ``x`` is not finite, or ``delta`` is negative.
    """
    hull = EMPTY
    for y in _points(f, _exact("x", x), _exact("delta", delta), X):
        hull = hull.hull(clarke(f, y, X))
    return hull


def smoothed_gradient(f: PiecewiseLinear, x: Rational, eta: Rational) -> Fraction:
    """``f_eta'(x) = (f(x + eta) - f(x - eta)) / (2 eta)`` (fedrzo, Lemma 1).

    Raises:
        ValueError: ``x`` is not finite, or ``eta`` is not positive.
    """
    x, eta = _exact("x", x), _radius(eta)
    return f.rise(x - eta, x + eta) / (2 * eta)


def penalised_gradient(f: PiecewiseLinear, x: Rational, eta: Rational, sets: Sequence[Interval] = ()) -> Fraction:
    """``F_eta'(x)``: :func:`smoothed_gradient` plus ``(1/m) sum_i (x - P_{X_i}(x)) / eta`` (fedrzo, eq. 3).

    Raises:
        ValueError: ``eta`` is not positive, or a set is empty.
    """
    x, eta = _exact("x", x), _radius(eta)
    outside = sum((x - _finite(X.project(x)) for X in sets), Fraction(0))
    return smoothed_gradient(f, x, eta) + outside / (max(1, len(sets)) * eta)


def penalised_stationary(f: PiecewiseLinear, eta: Rational, sets: Sequence[Interval] = ()) -> tuple[Interval, ...]:
    """All ``x`` with ``F_eta'(x) = 0``: points and intervals in increasing order, pairwise disjoint.

    ``F_eta'`` is piecewise linear, so its zeros are found piece by piece.

    Raises:
        ValueError: ``eta`` is not positive, or a set is empty.
    """
    eta = _radius(eta)
    knots = {c + side for c in f.breaks for side in (-eta, eta)}
    knots |= {end for X in sets for end in X.ends}
    inner = sorted(knots) or [Fraction(0)]
    # One unit beyond the last knot F_eta' is still on its last piece, which goes on for ever.
    grid = [inner[0] - 1, *inner, inner[-1] + 1]
    at = [penalised_gradient(f, x, eta, sets) for x in grid]
    intervals: list[Interval] = []
    for j, (a, b) in enumerate(pairwise(grid)):
        piece = Interval(-math.inf if j == 0 else a, math.inf if j == len(grid) - 2 else b)
        if at[j] == at[j + 1]:
            zeros = piece if at[j] == 0 else EMPTY
        else:
            root = a - at[j] * (b - a) / (at[j + 1] - at[j])
            zeros = Interval(root, root) & piece
        if zeros.empty:
            continue
        touches = bool(intervals) and intervals[-1].high == zeros.low
        intervals[-1:] = [intervals[-1].hull(zeros)] if touches else [*intervals[-1:], zeros]
    return tuple(intervals)


def _points(f: PiecewiseLinear, x: Fraction, delta: Fraction, X: Interval) -> list[Fraction]:
    """Points of ``X`` within ``delta`` whose Clarke subdifferentials hold all of those there."""
    if delta < 0:
        raise ValueError(f"delta is {delta}; it should be at least 0")
    near = X & Interval(x - delta, x + delta)
    if near.empty:
        return []
    # Between two neighbours f is linear, and its slope there belongs to the subdifferential at either of them.
    return sorted({_finite(near.low), _finite(near.high), *(c for c in f.breaks if c in near)})


def _exact(name: str, value: Rational, want: str = "a finite number") -> Fraction:
    """A number as an exact rational, refused by its name."""
    try:
        return Fraction(value)
    except (TypeError, ValueError, OverflowError, ZeroDivisionError):
        raise ValueError(f"{name} is {shown(value)}; it should be {want}") from None


def _finite(x: Extended) -> Fraction:
    return Fraction(x)


def _radius(eta: Rational) -> Fraction:
    value = _exact("eta", eta)
    if value <= 0:
        raise ValueError(f"eta is {eta}; it should be positive")
    return value
