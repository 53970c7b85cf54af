"""Numbers with which an instance is computed: floats, or exact ones that never round in silence.

The functions here take both, so that one program of a family serves the check, the exact replay and the script.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from operator import index
from typing import Any, TypeAlias

from flint import arb, ctx, fmpq

from rateproof.verify.counterexamples.replay import compare, power, show

#: A float or an :class:`Exact`.
Number: TypeAlias = Any
#: Rationals of more bits become balls.
BITS = 2**15
#: Stands for a number that is too small for a float.
TINY = math.ulp(0.0)


class Exact:
    """A rational number, or a ball around a real one; what a ball cannot decide is an error, never a guess.

    Floats are refused, as they carry rounding: write ``x / 10``, not ``0.1 * x``.
    """

    __slots__ = ("x",)

    def __init__(self, value: Any) -> None:
        x = _plain(value)
        x = fmpq(x) if type(x) is int else x
        self.x = arb(x) if type(x) is fmpq and x.height_bits() > BITS else x

    def __add__(self, other: Any) -> Exact:
        return _exact(self.x + (other.x if type(other) is Exact else _plain(other)))

    def __sub__(self, other: Any) -> Exact:
        return _exact(self.x - (other.x if type(other) is Exact else _plain(other)))

    def __rsub__(self, other: Any) -> Exact:
        return _exact(_plain(other) - self.x)

    def __mul__(self, other: Any) -> Exact:
        return _exact(self.x * (other.x if type(other) is Exact else _plain(other)))

    def __truediv__(self, other: Any) -> Exact:
        return _exact(self.x / (other if type(other) is Exact else Exact(other))._nonzero())

    def __rtruediv__(self, other: Any) -> Exact:
        return Exact(_plain(other) / self._nonzero())

    def __pow__(self, other: Any) -> Exact:
        if type(other) is int and type(self.x) is fmpq and 0 <= other < 10:
            return _exact(self.x**other)
        return Exact(power(self.x, Exact(other).x))

    def __rpow__(self, other: Any) -> Exact:
        return Exact(other) ** self

    def __mod__(self, other: Any) -> int:
        return index(self) % index(other)

    def __rmod__(self, other: Any) -> int:
        return index(other) % index(self)

    def __floordiv__(self, other: Any) -> int:
        return index(self) // index(other)

    def __neg__(self) -> Exact:
        return _exact(-self.x)

    def __abs__(self) -> Exact:
        return _exact(abs(self.x))

    def __lt__(self, other: Any) -> bool:
        return compare(self.x, _plain(other), "<")

    def __le__(self, other: Any) -> bool:
        return compare(self.x, _plain(other), "<=")

    def __gt__(self, other: Any) -> bool:
        return compare(self.x, _plain(other), ">")

    def __ge__(self, other: Any) -> bool:
        return compare(self.x, _plain(other), ">=")

    def __eq__(self, other: object) -> bool:
        return compare(self.x, _plain(other), "==")

    __radd__, __rmul__, __hash__ = __add__, __mul__, None  # type: ignore[assignment]

    def __index__(self) -> int:
        if type(self.x) is not fmpq or self.x.q != 1:
            raise TypeError(f"{self} is no integer")
        return int(self.x.p)

    def __float__(self) -> float:
        """The nearest float but for a few units in the last digit; of the smallest numbers the sign is kept."""
        if type(self.x) is fmpq:
            nearest = int(self.x.p) / int(self.x.q)
        elif not self.x.is_finite() or (self.x.rel_accuracy_bits() < 60 and not self.x.contains(0)):
            raise ValueError(f"too few digits are known of {self}")
        else:
            nearest = float(self.x.mid())
        return math.copysign(TINY, nearest) if nearest == 0 and self.x != 0 and not self._may_vanish() else nearest

    def __str__(self) -> str:
        return show(self.x)

    def root(self, slope: Callable[[Exact], Exact], modulus: Exact) -> Exact:
        """See :func:`root`; ``self`` is where the search starts."""
        near = Exact(_dyadic(_nearest(lambda t: float(slope(Exact(_dyadic(t)))), float(self), float(modulus))))
        # a secant meets the root where the function is affine around it, and else doubles the digits
        width = (1 + abs(near)) / 2**20
        while width.x and not width._may_vanish() and width > Exact(fmpq(1, 2 ** (ctx.prec // 2))):
            low, high = slope(near - width), slope(near + width)
            met = near - width + 2 * width * low / (low - high)
            if type(met.x) is fmpq and slope(met).x == 0:
                return met
            met = Exact(arb(met.x).mid().fmpq())
            near, width = met, least(abs(met - near), width / 2**10)
        return Exact(arb(near.x) + arb(0, abs(arb((slope(near) / modulus).x)).upper()))

    def sqrt(self) -> Exact:
        """See :func:`sqrt`; a ball around 0 gives one around 0."""
        if self._may_vanish():
            return Exact(arb(0, self.x.upper().sqrt()))
        return self ** Exact(fmpq(1, 2))

    def around(self, within: Exact | None = None) -> Exact:
        """See :func:`around`."""
        radius = arb(0, 1) / 2 ** (3 * ctx.prec // 4) if within is None else arb(0, abs(arb(within.x)).upper())
        return Exact(arb(self.x) + radius)

    def function(self, name: str) -> Exact:
        """A function that balls have, such as ``exp``; at 0 it is rational where its value is."""
        if self.x == 0 and name in _AT_ZERO:
            return Exact(_AT_ZERO[name])
        return Exact(getattr(arb(self.x), name)())

    def _may_vanish(self) -> bool:
        return type(self.x) is not fmpq and bool(self.x.contains(0))

    def _nonzero(self) -> Any:
        if self.x == 0 or self._may_vanish():
            raise ZeroDivisionError(f"division by {self}")
        return self.x


def _dyadic(x: float) -> fmpq:
    """The number that a float is."""
    return fmpq(*x.as_integer_ratio())


_AT_ZERO = {"exp": 1, "cos": 1, "sin": 0, "erfc": 1}


def _exact(x: Any) -> Exact:
    """What an operation of python-flint gave, which needs no reading."""
    made = object.__new__(Exact)
    made.x = arb(x) if type(x) is fmpq and x.height_bits() > BITS else x
    return made


def _plain(value: Any) -> Any:
    """The number that python-flint computes with."""
    if type(value) is Exact:
        return value.x
    if type(value) is Fraction:
        return fmpq(value.numerator, value.denominator)
    if isinstance(value, float):
        raise TypeError(f"the float {value!r} carries rounding; write an exact number, such as x / 10")
    return value


def sqrt(x: Number) -> Number:
    """The square root of a number that is at least 0."""
    return math.sqrt(x) if isinstance(x, int | float) else x.sqrt()


def around(x: Number, within: Number | None = None) -> Number:
    """A ball a little larger than that of a number: it holds what another expression of the same number gives.

    Args:
        x: the number.
        within: how far from it what is meant may lie, where that is more; floats keep no account of it.
    """
    return x if isinstance(x, int | float) else x.around(within)


def exp(x: Number) -> Number:
    """The exponential function."""
    return math.exp(x) if isinstance(x, int | float) else x.function("exp")


def log(x: Number) -> Number:
    """The natural logarithm."""
    return math.log(x) if isinstance(x, int | float) else x.function("log")


def erfc(x: Number) -> Number:
    """The complementary error function."""
    return math.erfc(x) if isinstance(x, int | float) else x.function("erfc")


def sin(x: Number) -> Number:
    """The sine."""
    return math.sin(x) if isinstance(x, int | float) else x.function("sin")


def pi(like: Number) -> Number:
    """The number pi, of the kind of another number."""
    return math.pi if isinstance(like, int | float) else 4 * (like * 0 + 1).function("atan")


def root(slope: Callable[[Number], Number], start: Number, modulus: Number) -> Number:
    """The zero of an increasing function whose difference quotients are at least ``modulus``, within rounding.

    An exact number is the zero itself where the function is rational and affine around it, else a ball around it.

    Raises:
        ValueError: ``modulus`` is not positive.
    """
    if not modulus > 0:
        raise ValueError(f"the modulus is {modulus}; it should be positive")
    at = slope(start)
    if isinstance(at, int | float):
        return _nearest(slope, start, modulus)
    return start.root(slope, modulus)


def _nearest(slope: Callable[[float], float], start: float, modulus: float) -> float:
    """The zero in floats: secants, and the middle of the interval in which it lies where one did not halve that."""
    last, value = None, slope(start)
    reach = 2 * abs(value) / modulus
    low, high, at, halved = start - reach, start + reach, start, True
    while low < (middle := (low + high) / 2) < high:
        secant = middle if last is None or last[1] == value else at - value * (at - last[0]) / (value - last[1])
        last, at = (at, value), secant if halved and low < secant < high else middle
        width, value = high - low, slope(at)
        if value == 0:
            return at
        # it is at most |value| / modulus away; twice that leaves room for rounding
        low, high = (at, min(high, at - 2 * value / modulus)) if value < 0 else (max(low, at - 2 * value / modulus), at)
        halved = high - low <= width / 2
    return low


def least(x: Number, *others: Number) -> Number:
    """The smallest of some numbers; balls may overlap."""
    for y in others:
        x = min(x, y) if isinstance(x - y, int | float) else (x + y - abs(x - y)) / 2
    return x


def largest(x: Number, *others: Number) -> Number:
    """The largest of some numbers; balls may overlap."""
    for y in others:
        x = max(x, y) if isinstance(x - y, int | float) else (x + y + abs(x - y)) / 2
    return x


def geometric(q: Number, n: Number) -> Number:
    """``1 + q + ... + q^(n-1)``, at once."""
    return n if q == 1 else (1 - q**n) / (1 - q)
