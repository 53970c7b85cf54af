"""Make the numbers of a violating instance round: the fewest digits, or the simplest fraction, that still violate."""

from __future__ import annotations

import math
from collections.abc import Iterator
from decimal import Decimal
from fractions import Fraction

from rateproof.verify.falsify.tally import Tally

PHASE = "rounding"
#: Denominators of simple fractions.
SIMPLE = 12


def simplify(tally: Tally) -> None:
    """Replace the numbers of the violation one by one by the simplest ones that still violate, until none changes."""
    changed = True
    while changed:
        changed = False
        assert tally.violation is not None
        for name in tally.violation.space.numbers(tally.violation.params):
            changed |= _simplify(tally, name)


def _simplify(tally: Tally, name: str) -> bool:
    shown = tally.violation
    assert shown is not None
    for value in simpler(shown.space.numbers(shown.params)[name]):
        try:
            params = shown.space.at(shown.params, {**shown.space.numbers(shown.params), name: value})
        except ValueError:
            continue
        tally.judge(shown.space, params, PHASE)
        if tally.violation is not shown:
            return True
    return False


def simpler(x: float) -> Iterator[float]:
    """Numbers near ``x`` that are simpler, simplest first: 1, powers of ten, few digits, small fractions."""
    if x == 0 or not math.isfinite(x):
        return
    sign, size = math.copysign(1.0, x), abs(x)
    near = {1.0} | {float(f"1e{math.floor(math.log10(size)) + k}") for k in (0, 1)}
    near |= {float(Fraction(size).limit_denominator(q)) for q in range(1, SIMPLE + 1)}
    for digits in range(1, 6):
        rounded = float(f"{size:.{digits - 1}e}")
        unit = float(f"1e{math.floor(math.log10(size)) - digits + 1}")
        near |= {float(f"{y:.{digits}g}") for y in (rounded - unit, rounded, rounded + unit) if y > 0}
    least = weight(size)
    ranked = sorted((weight(y), abs(math.log(y / size)), y) for y in near if y > 0)
    yield from (sign * y for w, _, y in ranked if w < least)


def weight(x: float) -> tuple[int, int, int]:
    """How complicated a positive number is: digits, denominator, and powers of ten away from 1."""
    fraction, decimal = Fraction(x).limit_denominator(SIMPLE), Decimal(repr(x)).normalize()
    digits, exact = len(decimal.as_tuple().digits) if x != 1 else 0, Fraction(decimal)
    if float(fraction) == x:
        exact = fraction
        if fraction.denominator > 1:
            digits = min(digits, len(str(fraction.numerator)) + len(str(fraction.denominator)))
    return digits, exact.denominator, round(abs(math.log10(x)))
