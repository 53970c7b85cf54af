"""Arguments of families, sets and losses, refused in one line.

A message names the argument, what was found and what would be right.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

#: Numbers in one array of a family: above, the machine would run out of memory.
MOST = 200_000_000


def check_counts(**counts: int) -> None:
    """Refuse counts that are no whole numbers from 1, or that no array could have.

    Raises:
        ValueError: names the first.
    """
    for name, count in counts.items():
        if isinstance(count, bool | np.bool_) or not isinstance(count, Real) or not count >= 1 or count % 1:
            raise ValueError(f"{name} is {shown(count)}; it should be a whole number, at least 1")
        if count > MOST:
            raise ValueError(f"{name} is {count}; it should be at most {MOST}, or its arrays do not fit in memory")


def check_size(name: str, shape: Sequence[int]) -> None:
    """Refuse an array that would not fit in memory.

    Raises:
        ValueError: says how many numbers it would hold.
    """
    size = math.prod(int(k) for k in shape)
    if size > MOST:
        raise ValueError(f"{name} would hold {size} numbers, for the shape {tuple(shape)}; it should be at most {MOST}")


def numbers(name: str, values: ArrayLike) -> NDArray[np.float64]:
    """An array of numbers, none of them NaN; bounds may be infinite.

    Raises:
        ValueError: rows differ in length, something is no number, or a number is NaN.
    """
    try:
        array = np.array(values, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        rows = "numbers, in rows of one length where it has rows"
        raise ValueError(f"{name} is {shown(values)}; it should hold {rows}") from None
    if np.isnan(array).any():
        raise ValueError(f"{name} has a NaN{_where(np.isnan(array))}; it should hold numbers")
    return array


def finite(name: str, values: ArrayLike) -> NDArray[np.float64]:
    """:func:`numbers` that are finite.

    Raises:
        ValueError: as there, or a number is infinite.
    """
    array = numbers(name, values)
    if not (known := np.isfinite(array)).all():
        wrong = ~known
        raise ValueError(f"{name} has {array[wrong].flat[0]:g}{_where(wrong)}; it should hold finite numbers")
    return array


def nonnegative(**values: float) -> None:
    """Refuse what is not a finite number from 0.

    Raises:
        ValueError: names the first.
    """
    for name, value in values.items():
        if isinstance(value, bool) or not isinstance(value, Real) or not 0 <= value < math.inf:
            raise ValueError(f"{name} is {shown(value)}; it should be a finite number, at least 0")


def ordered(**ends: float) -> None:
    """Refuse two ends of a range, given by name, that are not finite numbers in this order.

    Raises:
        ValueError: says both.
    """
    (low, least), (high, most) = ends.items()
    for name, end in ends.items():
        finite(name, end)
    if not least <= most:
        raise ValueError(f"{low} is {least:g} and {high} is {most:g}; {low} should be at most {high}")


def generator(seed: int) -> np.random.Generator:
    """numpy's generator for a seed.

    Raises:
        ValueError: the seed is no whole number from 0.
    """
    if isinstance(seed, bool) or not isinstance(seed, Integral) or seed < 0:
        raise ValueError(f"seed is {shown(seed)}; it should be a whole number, at least 0")
    return np.random.default_rng(int(seed))


def shown(value: Any) -> str:
    """A value for a message: a number, or the repr of something else, on one line and not long."""
    text = " ".join((str if isinstance(value, Real) else repr)(value).split())
    return text if len(text) <= 60 else f"{text[:57]}..."


def _where(wrong: NDArray[np.bool_]) -> str:
    """The first place, for a message: empty for one number."""
    return f" at {[int(k) for k in np.argwhere(wrong)[0]]}" if wrong.ndim else ""
