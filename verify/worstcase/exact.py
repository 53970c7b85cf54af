"""Floats that know the fraction they stand for, so that a model built with them has exact coefficients."""

from __future__ import annotations

import re
from fractions import Fraction
from math import gcd, isfinite
from numbers import Integral
from reprlib import repr as short
from typing import Any


class Exact(float):
    """A float that carries its fraction through ``+ - * /`` and integer powers.

    The other operand may be an int, a Fraction, an Exact, or a float, which counts as its binary value. PEPit takes it
    wherever it takes a float, so step sizes and class parameters given like this leave no rounding in the model.
    Functions of numpy and math return plain floats, and a Fraction or numpy number on the left rounds first: write
    ``exact("1/3") * x``. Build one with :func:`exact`.

    Attributes:
        numerator, denominator: of the fraction in lowest terms, with a positive denominator.
    """

    # PEPit multiplies hundreds of thousands of these: integers are several times faster than Fraction.
    numerator: int
    denominator: int

    def __new__(cls, numerator: int, denominator: int) -> Exact:  # noqa: D102
        common = gcd(numerator, denominator) * (-1 if denominator < 0 else 1)
        numerator, denominator = numerator // common, denominator // common
        number = super().__new__(cls, numerator / denominator)
        number.numerator, number.denominator = numerator, denominator
        return number

    @property
    def fraction(self) -> Fraction:
        """The number as a Fraction."""
        return Fraction(self.numerator, self.denominator)

    def __add__(self, other: object) -> Any:
        if (ratio := _ratio(other)) is None:
            return NotImplemented
        return Exact(self.numerator * ratio[1] + ratio[0] * self.denominator, self.denominator * ratio[1])

    def __mul__(self, other: object) -> Any:
        if (ratio := _ratio(other)) is None:
            return NotImplemented
        return Exact(self.numerator * ratio[0], self.denominator * ratio[1])

    def __truediv__(self, other: object) -> Any:
        if (ratio := _ratio(other)) is None:
            return NotImplemented
        return Exact(self.numerator * ratio[1], _divisor(self.denominator * ratio[0]))

    def __rtruediv__(self, other: object) -> Any:
        if (ratio := _ratio(other)) is None:
            return NotImplemented
        return Exact(self.denominator * ratio[0], _divisor(self.numerator * ratio[1]))

    def __pow__(self, power: object, modulus: None = None) -> Any:
        if not isinstance(power, int):
            return super().__pow__(power)  # type: ignore[call-overload]
        if power < 0:
            return Exact(self.denominator**-power, _divisor(self.numerator**-power))
        return Exact(self.numerator**power, self.denominator**power)

    def __sub__(self, other: object) -> Any:
        return NotImplemented if _ratio(other) is None else self + -other  # type: ignore[operator]

    def __rsub__(self, other: object) -> Any:
        return NotImplemented if _ratio(other) is None else -self + other

    __radd__ = __add__
    __rmul__ = __mul__

    def __neg__(self) -> Exact:
        return Exact(-self.numerator, self.denominator)

    def __pos__(self) -> Exact:
        return self

    def __abs__(self) -> Exact:
        return Exact(abs(self.numerator), self.denominator)

    def __eq__(self, other: object) -> bool:
        if (ratio := _ratio(other)) is None:
            return float(self) == other
        return (self.numerator, self.denominator) == ratio

    # A float has its own: by that one, 1 + 10^-30 differs from 1 in neither sense, and a number below all floats is 0.
    def __ne__(self, other: object) -> bool:
        return not self == other

    def __bool__(self) -> bool:
        return self.numerator != 0

    # By these two, Fraction turns a float into a fraction and compares with it.
    def as_integer_ratio(self) -> tuple[int, int]:
        """Numerator and denominator."""
        return self.numerator, self.denominator

    @property
    def real(self) -> Exact:
        """The number itself."""
        return self

    def __hash__(self) -> int:
        return hash(self.fraction)

    def __lt__(self, other: Any) -> bool:
        return self.fraction < _comparable(other)

    def __le__(self, other: Any) -> bool:
        return self.fraction <= _comparable(other)

    def __gt__(self, other: Any) -> bool:
        return self.fraction > _comparable(other)

    def __ge__(self, other: Any) -> bool:
        return self.fraction >= _comparable(other)

    def __repr__(self) -> str:
        return f"exact('{self.fraction}')"

    def __reduce__(self) -> tuple[type[Exact], tuple[int, int]]:
        return Exact, (self.numerator, self.denominator)


def exact(value: int | str | Fraction | float, denominator: int = 1) -> Exact:
    """``exact("1/3")``, ``exact(1, 3)``, ``exact("0.1")``; a plain float counts as its binary value.

    Raises:
        ValueError: when ``value`` is no rational number or too large for a float, or ``denominator`` is zero.
    """
    try:
        quotient = rational(typed(value) if isinstance(value, str) else value) / denominator
        return Exact(quotient.numerator, quotient.denominator)
    except (ValueError, ZeroDivisionError):
        raise ValueError(f"exact({value!r}, {denominator!r}): give a rational number, as in '1/3' or (1, 3)") from None
    except OverflowError:
        raise ValueError("the number given to exact is too large for a float: give one below 1e308") from None


def typed(text: str) -> Fraction:
    """The fraction that a person has written, such as 0.1, 1e-3 or 1/3.

    Raises:
        ValueError: it is none, or far above or below all floats, where a short text would fill the memory.
        ZeroDivisionError: as in "1/0".
    """
    exponent = re.search(r"[eE]([+-]?[0-9_]+)\s*$", text)
    if exponent and abs(int(exponent[1])) > 999:
        raise ValueError(f"{text!r} is too large or too small")
    return Fraction(text)


def rational(value: object) -> Fraction:
    """The fraction that a number stands for.

    Raises:
        ValueError: for what is no finite rational number.
    """
    ratio = _ratio(value)
    if ratio is None:
        raise ValueError(f"{value!r} is not a finite rational number: give an int, a float or exact('p/q')")
    return Fraction(*ratio)


def written(text: object) -> Fraction:
    """The fraction that ``str`` has written; an exponent, of which few digits could fill the memory, is no part of it.

    Raises:
        ValueError: ``text`` is nothing like "-7/3".
    """
    if not isinstance(text, str) or re.fullmatch(r"-?[0-9]+(/0*[1-9][0-9]*)?", text) is None:
        raise ValueError(f"{short(text)} is no fraction as in '-7/3'")
    return Fraction(text)


def _ratio(value: object) -> tuple[int, int] | None:
    """The value in lowest terms; None for what is left to floats, as ``mu / inf`` is in PEPit."""
    if isinstance(value, Exact | Fraction):
        return int(value.numerator), int(value.denominator)  # a Fraction of numpy integers would overflow
    if isinstance(value, Integral):
        return int(value), 1
    if isinstance(value, float) and isfinite(value):
        return value.as_integer_ratio()
    return None


def _divisor(value: int) -> int:
    if value == 0:
        raise ZeroDivisionError("float division by zero")
    return value


def _comparable(value: Any) -> Any:
    return value.fraction if isinstance(value, Exact) else value
