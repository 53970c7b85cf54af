"""Assertions on bounds and rates, for any test suite."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from rateproof.verify.evidence import ROUNDING
from rateproof.verify.rates import inputs
from rateproof.verify.rates.chance import (
    group_means,
    groups_needed,
    log_wealth,
    lower_limit,
    normal_runs,
    normal_share,
    runs_needed,
    runs_to_find,
)
from rateproof.verify.rates.estimate import LEAST_POINTS, RESOLUTION, Fit, exact_fit, pairs_fit, runs_fit
from rateproof.verify.rates.inputs import Array
from rateproof.verify.rates.outcome import Bounded, Estimate, Rate, RateError, UndecidedError, about, exact
from rateproof.verify.rates.show import chart
from rateproof.verify.rates.spending import spend

ERROR_PROBABILITY = 1e-6
RTOL = 1e-9


def assert_bound(
    metric: ArrayLike,
    bound: ArrayLike,
    *,
    at: ArrayLike,
    low: float = 0.0,
    error_probability: float = ERROR_PROBABILITY,
    rtol: float = RTOL,
    atol: float | None = None,
    label: str = "metric",
) -> Bounded:
    """Assert ``metric <= bound`` at every point, with all constants.

    Exact values fail when one exceeds its bound by more than ``rtol`` of it, and ``atol``. What is computed as a
    difference, such as ``f(x_k) - f(x*)``, has an absolute error that does not shrink with it: where ``atol`` is not
    given, a value that exceeds its bound by less than 1e-12 of the largest value, or of 1, is undecided.

    Of samples, the expectation is asserted to be below the bound. The assertion fails when that is refuted: when
    betting against it multiplies a stake by ``2 points / error_probability`` at some point. If the claim is true, that
    happens with probability at most ``error_probability``, whatever the distribution above ``low`` and however
    correlated the points of one run are; no range and no variance is assumed, and runs need not be alike: then the mean
    of their expectations is meant. A violation smaller than the noise passes, and so does one by rare large values that
    no run shows: more runs find smaller and rarer ones.

    Args:
        metric: exact values, shape ``(points,)``; or samples, one row per independent run, shape ``(runs, points)``.
        bound: one positive number, or one per point, in the unit of the metric.
        at: the points (rounds, horizons, ...), positive and increasing, shape ``(points,)``.
        low: a proved lower bound of a run's metric, below ``bound``; squared norms and optimality gaps have 0.
        error_probability: that a true claim fails; used by samples only.
        rtol: largest relative error of an exact value.
        atol: largest absolute error of a value, in the unit of the metric; 0 for values that are right at any size.
        label: what the metric is, for the message.

    Returns:
        The largest ratio metric / bound, with an interval when it comes from samples, and which violation these would
        have shown.

    Raises:
        RateError: the bound is violated; shows both sides, their ratio by point, and the worst point.
        UndecidedError: it is violated by less than rounding may be, and no ``atol`` is given.
        ValueError: input that cannot be tested, in one line.
    """
    __tracebackhide__ = True
    x = inputs.points(at)
    v, b = inputs.measured("metric", metric, x), inputs.positive("bound", bound, x)
    rtol, low = inputs.at_least_zero("rtol", rtol), inputs.finite("low", low)
    known = None if atol is None else inputs.at_least_zero("atol", atol)
    size = np.abs(v[np.isfinite(v)]).max(initial=1.0)
    error = ROUNDING * float(size) if known is None else known
    if not (low < b).all():
        raise ValueError(f"low is {low:g}, not below the bound; it should be a proved lower bound of the metric")
    if (v < low - error).any():
        where = " in some run" if v.ndim == 2 else ""
        raise ValueError(
            f"metric is {v.min():g}{where}, below low={low:g}; low should be a proved lower bound of the metric"
        )
    if v.ndim == 2:
        return _assert_mean(np.maximum(v, low), b, x, low, error, known is None, error_probability, label)
    spend(0.0)
    ratios, over = _divided(v, b), v - b * (1 + rtol)
    columns = {"metric": v, "bound": b, "ratio": ratios}
    # The one that is violated for certain, if any is.
    worst = int(np.where(over > min(error, float(over.max())), ratios, -1).argmax()) if (over > error).any() else None
    if worst is not None:
        raise RateError(_violated(label, x, columns, worst, f"{v[worst]:.6g} > {b[worst]:.6g}"))
    if known is None and (over > 0).any():
        worst = int(np.where(over > 0, ratios, -1).argmax())
        raise UndecidedError(_rounded(label, x, columns, worst, f"{v[worst]:.6g} > {b[worst]:.6g}", error))
    ratios = np.where(over > 0, np.minimum(ratios, 1.0), ratios)
    worst = int(ratios.argmax())
    return Bounded(exact(float(ratios[worst])), float(x[worst]))


def _assert_mean(
    v: Array, b: Array, x: Array, low: float, error: float, rounds: bool, error_probability: float, label: str
) -> Bounded:
    __tracebackhide__ = True
    error_probability = inputs.probability(error_probability)
    # Half for the test, half for the interval that is returned.
    needed = math.log(2 * x.size / error_probability)
    share = error_probability / (2 * x.size)
    least = max(runs_needed(needed), groups_needed(share))
    if len(v) < least:
        raise ValueError(
            f"metric has {len(v)} runs; with {x.size} points and error probability {error_probability:g} "
            f"it takes {least} to find a metric of twice its bound"
        )
    spend(error_probability)
    mean = v.mean(axis=0)
    ratios = _ratios(mean, b, error)
    columns = {"mean": mean, "bound": b, "ratio": ratios}

    def refuted(bound: Array) -> tuple[int, str] | None:
        """The point where the bound is refuted, with the reason."""
        wealth = log_wealth(_divided(v - low, bound - low))
        if wealth.max() < needed:
            return None
        worst = int(wealth.argmax())
        limit = low + lower_limit(v[:, worst] - low, needed)
        said = f"mean of {len(v)} runs {mean[worst]:.6g}, expectation at least {limit:.6g} > {b[worst]:.6g}"
        return worst, f"{said} (error probability {error_probability / 2:g})"

    if (found := refuted(b + error)) is not None:
        raise RateError(_violated(label, x, columns, *found))
    if rounds and (error > RTOL * b).any() and (found := refuted(b)) is not None:
        raise UndecidedError(_rounded(label, x, columns, *found, error))
    worst = int(ratios.argmax())
    of_groups = _ratios(group_means(v, share), b, error)
    low_ratio, high_ratio = float(of_groups.min(axis=0).max()), float(of_groups.max())
    ratio = Estimate(float(ratios[worst]), low_ratio, high_ratio, error_probability / 2)
    return Bounded(ratio, float(x[worst]), *_power(v[:, worst] - low, float(b[worst]), low, needed))


def _power(above: Array, bound: float, low: float, needed: float) -> tuple[float, dict[float, float]]:
    """The smallest mean / bound that so many runs would have refuted, and how many runs refute others.

    Args:
        above: metric - low of each run.
    """
    limit = lower_limit(above, needed)
    shown = (low + (bound - low) * float(above.mean()) / limit) / bound if limit else math.inf
    seen = (low + float(above.mean())) / bound
    targets = [1.2, 1.05, *([seen] if seen > 1.001 else [])]
    relative = above / (bound - low)
    return shown, {r: runs_to_find(relative, (r * bound - low) / (bound - low), needed) for r in targets}


def assert_rate(
    values: ArrayLike,
    *,
    at: ArrayLike,
    exponent: float,
    log_power: float = 0.0,
    at_least: bool = False,
    errors: Literal["any", "normal"] = "any",
    tolerance: float = 0.1,
    error_probability: float = ERROR_PROBABILITY,
    rtol: float = RTOL,
    label: str = "values",
) -> Rate:
    """Assert ``values ~ constant * at^exponent * log(at)^log_power``; a rate of decay has a negative exponent.

    The claimed exponent must lie in the interval of the estimated one, and the interval must be narrow enough to
    decide; what cannot be decided fails. :mod:`rateproof.verify.rates.estimate` says how the interval accounts for
    points that are not asymptotic yet.

    Exact values (closed forms, exact expectations) have no error probability: the interval accounts for drift, scatter
    and rounding. Samples are independent runs. Their interval accounts for noise and for the correlation along a run as
    well. It misses by chance with probability at most ``error_probability``; this is proved for the median over groups
    of runs, which differs from the expectation by an ever smaller part of the interval as runs are added, if these have
    three moments. Where a few runs out of very many make the expectation, true and wrong claims may be misjudged.

    That asks for thousands of runs. With ``errors="normal"`` a few hundred do: it asserts that the expectation falls at
    least as fast as claimed *over the points that are given*, and assumes a model of the noise. The runs are alike and
    independent, and all values of a run are nonnegative quadratic forms of one normal vector, of any mean, covariance
    and dimension: squared norms of errors, or gaps of a quadratic loss, of an iteration that is linear in its noise,
    or nearly so (averaged SGD, by Polyak and Juditsky 1992, SIAM J. Control Optim. 30). It fails when from some point
    to the last the mean falls more slowly than chance explains: with probability at most ``error_probability`` if
    ``E value / claimed rate`` is at no point below what it is at the last one
    (:func:`rateproof.verify.rates.chance.normal_ratio` has the proof). Where the rate sets in later than at the first
    point, leave out the points before. Runs of which one has a larger share of the sum than normal errors have
    contradict the model and are not judged; heavy tails that show in no run are not seen.

    Args:
        values: positive exact values, shape ``(points,)``; or samples of a metric that is not negative, one row per
            independent run, shape ``(runs, points)``, whose expectation has the claimed rate.
        at: the points, positive, increasing, at least six over at least one decade, about evenly spread in log scale.
        exponent: the claimed exponent, negative for decay.
        log_power: power of ``log(at)`` in the claimed rate; ``at`` must then be above 1.
        at_least: accept values that fall faster, or grow more slowly, than claimed.
        errors: what is known of the noise of runs; "normal" accepts faster decay, as ``at_least`` does.
        tolerance: largest half-width of an interval that decides; of normal errors it is known before they are drawn.
        error_probability: of the intervals of exponent and constant together; used by samples only. Whether an
            interval is narrow enough is chance too: take so many runs that it clearly is, or a fixed seed.
        rtol: largest relative error of a value, or of the mean of the samples at a point.
        label: what the values are, for the message.

    Returns:
        Exponent and constant.

    Raises:
        RateError: the exponent is another one.
        UndecidedError: the interval is too wide; says whether drift, scatter or noise is to blame. Or the runs
            contradict what is said of their noise.
        ValueError: input that cannot be tested, in one line.
    """
    __tracebackhide__ = True
    x = inputs.points(at, LEAST_POINTS)
    v = inputs.measured("values", values, x)
    exponent, log_power = inputs.finite("exponent", exponent), inputs.finite("log_power", log_power)
    tolerance, rtol = inputs.at_least_zero("tolerance", tolerance), inputs.at_least_zero("rtol", rtol)
    if x[-1] < 10 * x[0] * (1 - RTOL):
        raise ValueError(f"at spans {x[0]:g} to {x[-1]:g}; an exponent needs at least one decade")
    if log_power and x[0] <= 1:
        raise ValueError(f"at begins with {x[0]:g}; with a log_power it should begin above 1, where log(at) > 0")
    if not np.isfinite(v).all():
        raise ValueError("values should be finite, but contain inf; a rate needs runs that do not diverge")
    form = _form(exponent, log_power)
    if errors not in ("any", "normal"):
        raise ValueError(f"errors is {errors!r}; it should be 'any', or 'normal' for runs with normal errors")
    if errors == "normal":
        error_probability = inputs.probability(error_probability)
        return _assert_normal(v, x, exponent, log_power, form, tolerance, error_probability, rtol, label)
    if v.ndim == 1:
        mean = inputs.positive("values", v, x)
    else:
        error_probability = inputs.probability(error_probability)
        _enough_runs(v, error_probability)
        mean = v.mean(axis=0)

    def fitted(power: float) -> Fit:
        if v.ndim == 1:
            return exact_fit(x, v, exponent, power, rtol)
        return runs_fit(x, v, exponent, power, error_probability, rtol)

    fit = fitted(log_power)
    spend(0.0 if v.ndim == 1 else error_probability)
    estimate = fit.exponent
    # Other powers of the logarithm that settle sooner.
    others = {p: fitted(p) for p in _LOG_POWERS if p != log_power and x[0] > 1}
    closer = {
        p: other.exponent
        for p, other in others.items()
        if _width(other.exponent) <= _width(estimate) / 2 and other.scatter <= fit.scatter
    }
    shown = _shown(x, mean, fit, form, exponent, log_power)
    if estimate.low > exponent or (estimate.high < exponent and not at_least):
        would = [p for p, e in closer.items() if e.low <= exponent <= e.high]
        if fit.may_reach(exponent) and not would:
            raise UndecidedError(f"{label}: exponent {estimate} drifts towards that of {form}, {_SLOWLY}{shown}")
        hint = _plateau(fit, exponent)
        if not hint and would:
            hint = f"; {_form(exponent, would[0])} would fit (log_power={would[0]:g})"
        raise RateError(f"{label}: exponent {estimate}, not that of {form}{hint}{shown}")
    wide = _width(estimate) > 2 * tolerance
    if wide and not (at_least and estimate.high <= exponent):
        said = f"{label}: exponent {estimate} does not decide on {form}, the interval is wider than +-{tolerance:g}; "
        affordable = _affordable(x, tolerance, error_probability) if v.ndim == 2 and fit.noise else ""
        raise UndecidedError(said + _blame(fit, exponent, tolerance, len(v)) + affordable + shown)
    for power, e in closer.items():
        if e.low > exponent or (e.high < exponent and not at_least):
            rival = _form(round(e.value, 3), power)
            said = f"{label}: {rival} fits closer than {form}, whose exponent {estimate} still drifts"
            raise UndecidedError(f"{said}; a larger at would decide{shown}")
    return Rate(estimate, fit.constant, form)


def _assert_normal(
    v: Array,
    x: Array,
    exponent: float,
    log_power: float,
    form: str,
    tolerance: float,
    error_probability: float,
    rtol: float,
    label: str,
) -> Rate:
    __tracebackhide__ = True
    if v.ndim == 1 or len(v) < 2:
        raise ValueError("errors='normal' is about independent runs; values should have shape (runs, points)")
    _nonnegative(v)
    mean = inputs.positive("the mean of values over runs", v.mean(axis=0), x)
    fit, pairs = pairs_fit(x, v, exponent, log_power, error_probability, rtol)
    spend(error_probability)
    shown = _shown(x, mean, fit, form, exponent, log_power)
    shares = v.max(axis=0) / (mean * len(v))
    odd = int(shares.argmax())
    if v.size * normal_share(float(shares[odd]), len(v)) <= error_probability / 8:
        raise UndecidedError(
            f"{label}: one run has {shares[odd]:.0%} of the sum of all {len(v)} at {x[odd]:g}, which squares of normal "
            f"errors do not have; without errors='normal' nothing is assumed of them{shown}"
        )
    if fit.noise > tolerance:
        raise UndecidedError(
            f"{label}: {len(v)} runs show an exponent that is off by more than {fit.noise:.2g}, above {tolerance:g}; "
            f"{about(_normal_runs(x, tolerance, error_probability))}, a wider range of at, or a larger tolerance would "
            f"decide{shown}"
        )
    excess = pairs.slopes - exponent
    beyond = excess - pairs.widths
    if (beyond <= 0).all():
        return Rate(fit.exponent, fit.constant, form)
    start = int(beyond.argmax())
    said = (
        f"{label}: exponent {pairs.slopes[start]:.4g} from {x[start]:g} to {x[-1]:g}, at least "
        f"{pairs.slopes[start] - pairs.widths[start]:.4g}: slower than {form}"
    )
    middle = int(np.abs(np.log(x) - np.log(x[[0, -1]]).mean()).argmin())
    if (beyond[middle:] <= 0).all() and excess[middle] < excess[start] / 2:
        raise UndecidedError(
            f"{said}; but {pairs.slopes[middle]:.4g} from {x[middle]:g} on: where the rate sets in later than at "
            f"{x[start]:g}, leave out the points before{shown}"
        )
    raise RateError(said + shown)


def _normal_runs(x: Array, tolerance: float, error_probability: float) -> float:
    """How many runs with normal errors have an interval that decides."""
    return normal_runs(tolerance * math.log(x[-1] / x[0]), error_probability / (2 * (x.size - 1)))


def _affordable(x: Array, tolerance: float, error_probability: float) -> str:
    runs = _normal_runs(x, tolerance, error_probability)
    return f"; if the values are squares of normal errors, errors='normal' takes {about(runs)}"


_LOG_POWERS = (0.0, 0.5, 1.0, 2.0, -1.0)
_SLOWLY = "more slowly than corrections settle that are powers of at: a larger at would decide"


def _width(estimate: Estimate) -> float:
    return estimate.high - estimate.low


def _violated(label: str, x: Array, columns: dict[str, Array], worst: int, said: str) -> str:
    ratio = columns["ratio"][worst]
    return f"{label} exceeds its bound at {x[worst]:g}: {said}; ratio {ratio:.4g}\n" + chart(x, columns, worst=worst)


def _rounded(label: str, x: Array, columns: dict[str, Array], worst: int, said: str, error: float) -> str:
    return (
        f"{label} exceeds its bound at {x[worst]:g} by less than rounding may be: {said}, and floats like these may be "
        f"wrong by {error:.2g}; give atol, the absolute error of the values (0 if they have none), or leave out such "
        f"points\n" + chart(x, columns, worst=worst)
    )


def _ratios(means: Array, b: Array, error: float) -> Array:
    """Means / bound; 1 where a bound is exceeded by no more than the error."""
    return np.where((b < means) & (means <= b + error), 1.0, _divided(means, b))


def _divided(a: Array, b: Array) -> Array:
    with np.errstate(over="ignore"):  # inf is far above 1 too
        return a / b


def _form(exponent: float, log_power: float) -> str:
    log = "" if not log_power else " log(at)" if log_power == 1 else f" log(at)^{log_power:g}"
    return f"at^{exponent:g}{log}"


def _nonnegative(v: Array) -> None:
    if (v < 0).any():
        raise ValueError(f"values is {v.min():g} in some run; a rate is that of a metric that is not negative")


def _enough_runs(v: Array, error_probability: float) -> None:
    _nonnegative(v)
    needed = groups_needed(error_probability / 2)
    if len(v) < needed:
        raise ValueError(
            f"values has {len(v)} runs; an interval with error probability {error_probability:g} "
            f"needs at least {needed} independent runs"
        )


def _plateau(fit: Fit, exponent: float) -> str:
    """What to think of when values stop falling."""
    first, *_, last = fit.local
    steps = _steps(fit)
    flat, flattening = last > first / 2, len(steps) > 1 and 0 < steps[0] < steps[-1] and last - first > RESOLUTION
    if exponent < 0 and first < 0 and (flat or flattening):
        return "; they fall ever more slowly: a noise floor, rounding, or an error that does not vanish"
    return ""


def _steps(fit: Fit) -> list[float]:
    return [b - a for a, b in pairwise(fit.local)]


def _blame(fit: Fit, exponent: float, tolerance: float, runs: int) -> str:
    estimate, steps = fit.exponent, _steps(fit)
    if tolerance < RESOLUTION:
        return f"no interval is narrower than +-{RESOLUTION:g}"
    drifts = fit.drift > 0.4 * _width(estimate) and steps[0] * steps[-1] > 0
    if drifts:
        return _plateau(fit, exponent).removeprefix("; ") or "it still drifts: a larger at would decide"
    if not estimate.error_probability:
        return f"they scatter by {fit.scatter:.2g} about a power law: give exact values, or independent runs as rows"
    half = _width(estimate) / 2
    said = f"these {runs} runs show an exponent that is off by more than {half:.2g}; "
    left = tolerance - (half - fit.noise)
    if left <= 0:
        return said + "a wider range of at, or a larger tolerance would decide, more runs alone would not"
    needed = about(runs * (fit.noise / left) ** 2)
    return said + f"{needed}, a wider range of at, or a larger tolerance would decide"


def _shown(x: Array, mean: Array, fit: Fit, form: str, exponent: float, log_power: float) -> str:
    parts = ", ".join(f"{s:.4g}" for s in fit.local)
    with np.errstate(all="ignore"):  # a claim far off leaves the range of floats
        rate = x**exponent * (np.log(x) ** log_power if log_power else 1.0)
        ratio = mean / (fit.constant.value * rate)
    rows = chart(x, {"value": mean, f"value / ({fit.constant.value:.3g} {form})": ratio})
    return f"\n  exponents from early to late: {parts}\n{rows}"
