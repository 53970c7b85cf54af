"""Statements about expectations from independent runs, with a proved error probability and no assumption on tails."""

from __future__ import annotations

import math

import numpy as np

from rateproof.verify.rates.inputs import Array

# Shares of the stake, mixed evenly: large ones find gross violations in few runs, small ones slight ones in many.
_STAKES = np.array([0.9, *(2.0**-k for k in range(1, 11))])

# Quantile of the normal distribution.
_NINE_IN_TEN = 1.2816


def log_wealth(ratios: Array) -> Array:
    """Logarithm of the wealth won by betting against ``E ratio <= 1``, at each point.

    The wealth ``mean over stakes s of prod_i (1 + s (ratio_i - 1))`` is nonnegative and, when every run's expectation
    is at most 1, a supermartingale that starts at 1. It then reaches ``1/p`` at any time with probability at most
    ``p`` (Ville's inequality), for any number of runs and any distribution on ``[0, inf)``. When only the mean of the
    expectations is at most 1, so is the expectation of the wealth after the last run (means of products of independent
    factors, and the inequality of arithmetic and geometric means), which gives the same for that time (Markov).

    Args:
        ratios: metric / bound of independent runs, nonnegative, shape ``(runs, points)``.

    Returns:
        Shape ``(points,)``.
    """
    won = np.stack([np.log1p(s * (ratios - 1)).sum(axis=0) for s in _STAKES])
    top = won.max(axis=0)
    with np.errstate(invalid="ignore"):  # inf - inf, after a run that gave inf
        rest = np.log(np.exp(won - top).mean(axis=0))
    return np.where(np.isinf(top), top, top + rest)


def lower_limit(samples: Array, log_needed: float) -> float:
    """The largest mean against which the wealth reaches ``exp(log_needed)``; 0 when there is none.

    The wealth falls as the mean grows, so this exceeds the true mean only when the wealth against that one is reached.

    Args:
        samples: nonnegative, shape ``(runs,)``.
        log_needed: logarithm of 1 / error probability.
    """
    low, high = 0.0, float(samples.mean())
    if math.isinf(high):
        return high
    for _ in range(40):
        middle = (low + high) / 2
        if middle == 0 or float(log_wealth(samples[:, None] / middle)[0]) >= log_needed:
            low = middle
        else:
            high = middle
    return low


def runs_to_find(ratios: Array, violation: float, log_needed: float) -> float:
    """About how many runs find a violation nine times in ten, if they spread about their mean as these do.

    The logarithm of the wealth of one stake is a sum over runs, so about normal; the stake needs its share of the
    mixture, too.

    Args:
        ratios: metric / bound of runs, nonnegative, shape ``(runs,)``.
        violation: mean / bound of the runs that are to be found, above 1.
        log_needed: logarithm of 1 / error probability.

    Returns:
        The number for the best stake; inf when nothing is known of the spread.
    """
    mean = float(ratios.mean())
    if not 0 < mean < math.inf:
        return math.inf
    won = [np.log1p(s * (ratios * (violation / mean) - 1)) for s in _STAKES]
    goal = log_needed + math.log(_STAKES.size)

    def runs(each: float, spread: float) -> float:
        """Least n with ``each n - spread sqrt(n) >= goal``."""
        return ((spread + math.sqrt(spread**2 + 4 * each * goal)) / (2 * each)) ** 2 if each > 0 else math.inf

    least = min(runs(float(w.mean()), _NINE_IN_TEN * float(w.std())) for w in won)
    return math.ceil(least) if math.isfinite(least) else least


def runs_needed(log_needed: float) -> int:
    """How many runs find a metric that is twice its bound and has no noise at all."""
    runs = 1
    while float(log_wealth(np.full((runs, 1), 2.0))[0]) < log_needed:
        runs += 1
    return runs


def groups_needed(error_probability: float) -> int:
    """How many groups :func:`group_means` makes: all of them miss one side with half of the error probability."""
    return math.ceil(math.log2(2 / error_probability))


def group_means(samples: Array, error_probability: float) -> Array:
    """Means of as many groups of runs as make the range of a statistic of theirs a confidence interval.

    A group lies above the median of its statistic with probability at most 1/2, whatever the distribution and however
    correlated the points are, and all groups do with probability at most ``2^-groups``; the same below. So the range
    from the least to the largest of them lies beside all medians with probability at most ``error_probability``.

    Args:
        samples: independent runs, shape ``(runs, points)``, at least :func:`groups_needed` runs.

    Returns:
        Shape ``(groups, points)``.
    """
    return np.array([g.mean(axis=0) for g in np.array_split(samples, groups_needed(error_probability))])
