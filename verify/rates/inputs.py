"""What assertions accept; everything else is a ValueError in one line."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]


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
        ValueError: not in (0, 1).
    """
    if not 0 < error_probability < 1:
        raise ValueError(f"error_probability is {error_probability}; it should be in (0, 1), such as 1e-6")
    return error_probability


def finite(name: str, number: float) -> float:
    """A finite number.

    Raises:
        ValueError: NaN or infinite.
    """
    if not math.isfinite(number):
        raise ValueError(f"{name} is {number}; it should be a finite number")
    return number


def at_least_zero(name: str, number: float) -> float:
    """A finite number that is not negative.

    Raises:
        ValueError: it is negative, NaN or infinite.
    """
    if not 0 <= number < math.inf:
        raise ValueError(f"{name} is {number}; it should be a finite number >= 0")
    return number


def _numbers(name: str, values: ArrayLike) -> Array:
    try:
        return np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{name} should be an array of numbers: {error}") from None
