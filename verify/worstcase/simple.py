"""Floats read as the simple fractions that they round, so that a model built with them has exact coefficients.

With plain floats ``1/3 + 2/3 - 1`` may leave ``1e-17`` in a model; an invariance is gone then, and with it, often, any
bound. What a float was meant to be is a guess, made on request only: the model, and a certificate of it, is then about
the fractions.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from decimal import Decimal
from fractions import Fraction
from math import isfinite
from typing import Any

from rateproof.verify.worstcase.exact import Exact, exact
from rateproof.verify.worstcase.model import require_pepit

#: Significant digits of a decimal that was written by hand.
DIGITS = 12
#: What a few roundings may have changed a number by, relative to it or to the numbers about one that it came from.
ROUNDING = Fraction(1, 2**50)
#: A random number is that near to a fraction of so small a denominator less often than this.
CHANCE = Fraction(1, 2**10)
#: To what a number that is no simple fraction is rounded, and the least multiple of it that is.
GRID, COARSE = Fraction(1, 2**45), 2**39


@contextmanager
def simple_fractions() -> Iterator[None]:
    """Inside, PEPit takes every float for the fraction of :func:`simple`, and computes with fractions.

    Build the problem and read it (:func:`~rateproof.verify.worstcase.certify` does) inside: the conditions of the
    classes of functions come into being when it is read.

    Raises:
        ValueError: PEPit is not installed.
    """
    require_pepit()
    from PEPit import Expression, Function, Point

    # All other arithmetic of PEPit with numbers ends in these.
    places = [(Point, "__rmul__"), (Expression, "__rmul__"), (Expression, "__add__"), (Function, "__rmul__")]
    originals = [getattr(owner, name) for owner, name in places]
    try:
        for (owner, name), original in zip(places, originals, strict=True):
            setattr(owner, name, _taking_fractions(original))
        yield
    finally:
        for (owner, name), original in zip(places, originals, strict=True):
            setattr(owner, name, original)


def _taking_fractions(operation: Any) -> Any:
    def taking(self: Any, other: Any) -> Any:
        return operation(self, simple(other) if isinstance(other, int | float) else other)

    return taking


def simple(x: float) -> float:
    """The fraction that a float stands for: the decimal with few digits that it is printed as, or the fraction of least
    denominator within rounding, where it is too simple to be near by chance.

    Of another, such as a root, the last bits go, for then what is left of ``x`` and of ``1 - x`` adds up to one.
    Infinity stays.
    """
    if isinstance(x, Exact) or not isfinite(x):
        return x
    written = Decimal(repr(float(x)))
    if len(written.normalize().as_tuple().digits) <= DIGITS:
        return exact(Fraction(written))
    binary = Fraction(x)
    for error in (abs(binary) * ROUNDING, ROUNDING):
        found = simplest(binary - error, binary + error)
        if 2 * error * found.denominator**2 <= CHANCE:
            return exact(found)
    return exact(Fraction(round(binary / GRID)) * GRID if abs(binary) >= COARSE * GRID else binary)


def simplest(low: Fraction, high: Fraction) -> Fraction:
    """The fraction of least denominator in an interval, by continued fractions."""
    if low <= 0 <= high:
        return Fraction(0)
    if high < 0:
        return -simplest(-high, -low)
    whole = low.numerator // low.denominator
    if whole == low or whole + 1 <= high:
        return Fraction(whole if whole == low else whole + 1)
    return whole + 1 / simplest(1 / (high - whole), 1 / (low - whole))
