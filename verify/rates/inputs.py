"""What assertions accept; everything else is a ValueError in one line."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]

# Larger numbers would overflow in sums and differences.
_LARGEST = 1e300


def points(at: ArrayLike, least: int = 1) -> Array:
    """The points (horizons, rounds, 1/eps, ...) at which something was measured, shape ``(points,)``.

    Raises:
        ValueError: fewer than ``least``, not positive and finite, or not strictly increasing.
    """
    x = _numbers("at", at)
    if x.ndim != 1 or x.size < least:
        raise ValueError(f"at has shape {x.shape}; it should be (points,) with at least {least} points")
    if not (np.isfinite(x).all() and (x > 0).all()):
        raise ValueError(f"at should be positive and finite, but contains {x[~(np.isfinite(x) & (x > 0))][0]:g}")
    if (wrong := np.flatnonzero(np.diff(x) <= 0)).size:
        i = int(wrong[0])
        raise ValueError(f"at should be strictly increasing, but {x[i]:g} is followed by {x[i + 1]:g}")
    return x


def measured(name: str, values: ArrayLike, x: Array) -> Array:
    """Exact values of shape ``(points,)``, or one row per independent run, shape ``(runs, points)``.

    Raises:
        ValueError: another shape, or NaN.
    """
    v = _numbers(name, values)
    if v.ndim not in (1, 2) or v.shape[-1] != x.size or v.shape[0] == 0:
        raise ValueError(
            f"{name} has shape {v.shape}, but at has {x.size} points; {name} should have shape ({x.size},) "
            f"for exact values, or (runs, {x.size}) for independent runs"
        )
    if (bad := np.argwhere(np.isnan(v))).size:
        run = f" of run {bad[0][0]}" if v.ndim == 2 else ""
        raise ValueError(f"{name} is NaN at {x[bad[0][-1]]:g}{run}; it should be a number, inf where a run diverged")
    return v


def positive(name: str, values: ArrayLike, x: Array) -> Array:
    """Positive finite numbers, one per point or one for all; shape ``(points,)``.

    Raises:
        ValueError: another shape, or a number that is not positive and finite.
    """
    v = _numbers(name, values)
    if v.ndim > 1 or (v.ndim == 1 and v.size != x.size):
        raise ValueError(f"{name} has shape {v.shape}; it should be one number, or one for each of the {x.size} points")
    v = np.broadcast_to(v, x.shape)
    if (bad := np.flatnonzero(~(np.isfinite(v) & (v > 0)))).size:
        raise ValueError(f"{name} should be positive and finite, but is {v[bad[0]]:g} at {x[bad[0]]:g}")
    return v


def probability(error_probability: float) -> float:
    """An error probability.

    Raises:
        ValueError: not in (0, 1), or so small that its logarithm is lost.
    """
    p = _number(error_probability)
    if not 1e-300 < p < 1:
        raise ValueError(f"error_probability is {error_probability}; it should be in (0, 1), such as 1e-6")
    return p


def finite(name: str, number: float) -> float:
    """A finite number.

    Raises:
        ValueError: NaN, infinite, or no number.
    """
    value = _number(number)
    if not math.isfinite(value):
        raise ValueError(f"{name} is {number}; it should be a finite number")
    return value


def at_least_zero(name: str, number: float) -> float:
    """A finite number that is not negative.

    Raises:
        ValueError: it is negative, NaN, infinite, or no number.
    """
    value = _number(number)
    if not 0 <= value < math.inf:
        raise ValueError(f"{name} is {number}; it should be a finite number >= 0")
    return value


def _numbers(name: str, values: ArrayLike) -> Array:
    try:
        given = np.asarray(values)
        if given.dtype.kind not in "biufO" or np.ma.is_masked(values):
            raise TypeError("some are masked" if np.ma.is_masked(values) else f"not of type {given.dtype}")
        v = given.astype(np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        raise ValueError(f"{name} should be an array of numbers: {' '.join(str(error).split())}") from None
    if (large := v[np.isfinite(v) & (np.abs(v) > _LARGEST)]).size:
        raise ValueError(f"{name} contains {large.flat[0]:g}; it should be given in a unit that keeps it below 1e300")
    return v


def _number(given: Any) -> float:
    """As a float; NaN for what is no number."""
    try:
        return math.nan if isinstance(given, str) else float(given)
    except (TypeError, ValueError, OverflowError):
        return math.nan
