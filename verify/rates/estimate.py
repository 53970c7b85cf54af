"""Exponents of ``values ~ constant * at^exponent * log(at)^log_power``, with an interval.

Values follow a power law only as ``at`` grows. What is left of that growth at the last points is estimated from how the
local exponent drifts, on the assumption that it settles like ``at^-p`` (a correction factor ``1 + c at^-p``): with the
p that the drift shows when values are exact, else with a fixed one. A factor ``log(at)`` that is missing or too much
lets the exponent drift more slowly than such a correction, so that the interval leaves the claimed exponent out, as
long as it drifts at all: ``1000 + log(at)`` is a constant in all but name, and passes for one. This is an assumption on
values beyond the last point, which no measurement replaces. An exponent that a drift goes towards, without slowing down
like such a correction, is left undecided, unless another power of the logarithm explains the drift. A drift that noise
hides is taken for none.
Where a power of ``log(at)`` is claimed, corrections ``1 + c / log(at)`` are allowed for as well.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from rateproof.verify.rates.chance import group_means, normal_mean, normal_ratio
from rateproof.verify.rates.inputs import Array
from rateproof.verify.rates.outcome import Estimate, exact

LEAST_POINTS = 6
# Corrections 1 + c at^-p are extrapolated with p in this range: drifts that look faster may hide slower ones.
_SLOWEST, _FASTEST = 0.1, 0.5
# p for noisy values, whose drift is too uncertain to tell.
_ASSUMED = 1 / 3
# A drift that hardly slows down may go on like this: it refutes no exponent that it could still reach.
_CREEPING = 0.02
# What is left of the drift is taken this much larger than estimated.
_SAFETY = 1.5
# Exponents are not told apart below this: a slow correction may hide under a fast one.
RESOLUTION = 0.01


@dataclass(frozen=True)
class Local:
    """A line through consecutive points: its slope, where, and how much an error of each value can change it.

    Attributes:
        slope: least squares slope.
        centre: mean of the abscissas.
        leverage: change of the slope when every ordinate is off by at most 1.
        residual: largest distance of a point from the line.
    """

    slope: float
    centre: float
    leverage: float
    residual: float


@dataclass(frozen=True)
class Fit:
    """An exponent with its interval and constant.

    Attributes:
        exponent, constant: the estimates.
        local: exponents of consecutive parts of the points, to show a drift.
        drift: the part of the interval's half-width that is owed to drift.
        scatter: largest relative distance of a late value from the power law.
        reach: how far, and in which direction, a drift that does not slow down as a correction ``1 + c at^-p`` would
            may yet carry the exponent; 0 when it does slow down.
        noise: the part of the interval's half-width that is owed to noise.
    """

    exponent: Estimate
    constant: Estimate
    local: tuple[float, ...]
    drift: float
    scatter: float
    reach: float = 0.0
    noise: float = 0.0

    def may_reach(self, exponent: float) -> bool:
        """Whether the drift goes towards an exponent and might get there."""
        gap = exponent - self.exponent.value
        return gap * self.reach > 0 and abs(gap) <= abs(self.reach)


def exact_fit(x: Array, values: Array, exponent: float, log_power: float, rtol: float) -> Fit:
    """Fit exact values; the exponent is that of the last third of the points (in log scale).

    Its interval accounts for the rest of the drift, for scatter about the power law and for rounding.

    Args:
        x: increasing and positive (above 1 when ``log_power`` is not 0), shape ``(points,)``.
        values: positive, shape ``(points,)``.
        exponent: the claimed one, for the constant.
        log_power: the power of ``log(x)`` in the claimed rate.
        rtol: largest relative error of a value.

    Raises:
        ValueError: a third of the range (in log scale) has no points.
    """
    u, y = np.log(x), _without_log(x, np.log(values), log_power)
    early, middle, late = (_line(u[part], y[part]) for part in _parts(u, 3))
    drift, p = _drift(early, middle, late)
    left = _left(drift, middle.centre, late.centre, p, log_power)
    half = RESOLUTION + left + late.leverage * (late.residual + rtol)
    constant = exact(_constant(u, y, exponent, _parts(u, 3)[-1]))
    return Fit(
        Estimate(late.slope, late.slope - half, late.slope + half),
        constant,
        (early.slope, middle.slope, late.slope),
        left,
        math.expm1(late.residual),
        _reach(early, middle, late),
    )


def runs_fit(x: Array, samples: Array, exponent: float, log_power: float, error_probability: float, rtol: float) -> Fit:
    """Fit the mean of independent runs; the exponent is that of the later half of the points (in log scale).

    The runs are split in groups, and a line is fitted to the mean of each group. The range of its slopes is the
    interval (see :func:`rateproof.verify.rates.chance.group_means`), so it accounts for noise and for any correlation
    along a run. It is widened by the rest of the drift that the mean of all runs shows, and so far that it holds what
    drift or
    scatter about the power law, and rounding, leave open for the exponent of this mean: runs may be so much alike that
    their slopes hardly differ. Half of the error probability goes to the exponent, half to the constant.

    Args:
        x, exponent, log_power, rtol: as in :func:`exact_fit`.
        samples: not negative, shape ``(runs, points)``; all group means positive.
        error_probability: that an interval lies beside the medians over groups. If samples have three moments, these
            medians differ from the value for the expectation by O(1 / runs in a group), where the interval has width
            O(1 / sqrt(runs in a group)). Nothing is proved without such an assumption: what happens in one run of a
            million may decide the expectation.

    Raises:
        ValueError: as :func:`exact_fit`, or a group of runs with mean 0.
    """
    u = np.log(x)
    before, after = _parts(u, 2)
    groups = group_means(samples, error_probability / 2)
    if (zero := np.argwhere(groups <= 0)).size:
        raise ValueError(
            f"values are 0 at {x[zero[0][1]]:g} in all of {len(samples) // len(groups)} or more runs; "
            "an exponent needs values > 0, so leave out the points that are exact zeros"
        )
    curves = _without_log(x, np.log(groups), log_power)
    mean = _without_log(x, np.log(samples.mean(axis=0)), log_power)
    early, late = _line(u[before], mean[before]), _line(u[after], mean[after])
    left = _left(abs(late.slope - early.slope), early.centre, late.centre, _ASSUMED, log_power)
    slopes = [_line(u[after], y[after]).slope for y in curves]
    thirds = _parts(u, 3)
    drifts = [_line(u[thirds[2]], y[thirds[2]]).slope - _line(u[thirds[1]], y[thirds[1]]).slope for y in curves]
    reach = 0.0
    if min(drifts) > 0 or max(drifts) < 0:  # else what drifts may be noise
        parts = [_line(u[part], mean[part]) for part in thirds]
        reach = _reach(*parts)
        drift, p = _drift(*parts)
        left = max(left, _left(drift, parts[1].centre, parts[2].centre, p, log_power))
    half = RESOLUTION + max(left, late.leverage * late.residual) + late.leverage * rtol
    constant = _constant(u, mean, exponent, after)
    constants = [_constant(u, y, exponent, after) for y in curves]
    return Fit(
        Estimate(
            late.slope,
            min(min(slopes) - left, late.slope - half),
            max(max(slopes) + left, late.slope + half),
            error_probability / 2,
        ),
        Estimate(constant, min(*constants, constant), max(*constants, constant), error_probability / 2),
        (early.slope, late.slope),
        left,
        math.expm1(late.residual),
        reach,
        (max(slopes) - min(slopes)) / 2,
    )


@dataclass(frozen=True)
class Pairs:
    """Exponents between each point and the last one.

    Attributes:
        slopes: the exponents, of the means over runs, shape ``(points - 1,)``.
        widths: by how much a slope exceeds the exponent of the expectations by chance.
    """

    slopes: Array
    widths: Array


def pairs_fit(
    x: Array, samples: Array, exponent: float, log_power: float, error_probability: float, rtol: float
) -> tuple[Fit, Pairs]:
    """Exponents from each point to the last, of runs whose errors are normal; see :func:`chance.normal_ratio`.

    Half of the error probability is that some slope exceeds its width, a quarter that one falls short of the slightly
    larger one of the interval that is returned, an eighth goes to the constant; an eighth is left.

    Args:
        x, samples, exponent, log_power, error_probability, rtol: as in :func:`runs_fit`; positive means.

    Returns:
        What there is from the first point to the last, and all pairs.
    """
    u = np.log(x)
    before, after = _parts(u, 2)
    mean = _without_log(x, np.log(samples.mean(axis=0)), log_power)
    span, runs, pairs = u[-1] - u[:-1], len(samples), x.size - 1
    slopes = (mean[-1] - mean[:-1]) / span
    above, below = (normal_ratio(runs, share * error_probability / pairs) + 2 * rtol for share in (1 / 2, 1 / 4))
    late = float(np.exp(mean[after] - exponent * u[after]).mean())
    low, high = normal_mean(runs, error_probability / 16)
    slope = float(slopes[0])
    fit = Fit(
        Estimate(slope, slope - above / span[0], slope + below / span[0], 3 / 4 * error_probability),
        Estimate(late, late / high * (1 - rtol), late / low * (1 + rtol), error_probability / 8),
        (_line(u[before], mean[before]).slope, _line(u[after], mean[after]).slope),
        drift=0.0,
        scatter=0.0,
        noise=above / span[0],
    )
    return fit, Pairs(slopes, above / span)


def _without_log(x: Array, y: Array, log_power: float) -> Array:
    return y - log_power * np.log(np.log(x)) if log_power else y


def _parts(u: Array, count: int) -> list[slice]:
    """Consecutive parts of about equal length that share their end points."""
    cuts = [int(np.abs(u - c).argmin()) for c in np.linspace(u[0], u[-1], count + 1)]
    if any(b <= a for a, b in pairwise(cuts)):
        raise ValueError(
            f"at is spread too unevenly: each of {count} equal parts of its range in log scale needs points; evenly "
            f"spaced are numpy.geomspace({math.exp(u[0]):g}, {math.exp(u[-1]):g}, {max(len(u), 10)})"
        )
    return [slice(a, b + 1) for a, b in pairwise(cuts)]


def _line(u: Array, y: Array) -> Local:
    centred = u - u.mean()
    weights = centred / (centred @ centred)
    slope = float(weights @ y)
    residual = float(np.abs(y - y.mean() - slope * centred).max())
    return Local(slope, float(u.mean()), float(np.abs(weights).sum()), residual)


def _drift(early: Local, middle: Local, late: Local) -> tuple[float, float]:
    """How much the exponent drifts at the end, and the p with which it seems to settle like ``at^-p``."""
    d1, d2 = middle.slope - early.slope, late.slope - middle.slope
    h1, h2 = middle.centre - early.centre, late.centre - middle.centre
    if d1 * d2 < 0:
        return max(abs(d1), abs(d2)), _FASTEST
    if abs(d2) * h1 >= abs(d1) * h2:
        return abs(d2), _SLOWEST
    p = -math.log(abs(d2) * h1 / (abs(d1) * h2)) * 2 / (h1 + h2) if d2 else _FASTEST
    return abs(d2), min(max(p, _SLOWEST), _FASTEST)


def _reach(early: Local, middle: Local, late: Local) -> float:
    drift, p = _drift(early, middle, late)
    if p > _SLOWEST:
        return 0.0
    return math.copysign(_left(drift, middle.centre, late.centre, _CREEPING, 0.0), late.slope - middle.slope)


def _left(drift: float, before: float, now: float, p: float, log_power: float) -> float:
    """How far an exponent still is from its limit, after a drift between two places in log scale.

    With a power of the logarithm, a correction ``1 + c / log(at)`` is likely: ``a + b log(at)`` has it.
    """
    steps = [math.expm1(p * (now - before))]
    if log_power:
        steps.append((now / before) ** 2 - 1)
    return _SAFETY * drift / min(steps)


def _constant(u: Array, y: Array, exponent: float, part: slice) -> float:
    with np.errstate(over="ignore"):
        return float(np.exp((y[part] - exponent * u[part]).mean()))
