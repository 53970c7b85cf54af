"""Statements about expectations from independent runs, with a proved error probability.

The last three functions assume normal errors; the others assume nothing of tails.
"""

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


def normal_ratio(runs: float, error_probability: float) -> float:
    """Logarithm of the ratio of two means that independent runs alike exceed with at most this probability.

    Of each run, ``Y`` and ``Z`` are nonnegative quadratic forms of one normal vector (of any mean, covariance and
    dimension), such as squared errors at two points, and ``E Y <= E Z``. Then, whatever the correlation of the two,
    ``P(mean Y >= r mean Z) <= cosh(log(r)/2)^-runs``:

    - A mean of the vector may be taken for one more normal direction. For ``Q = Y - r Z`` and a vector ``g + t m`` with
      ``E g = 0``, ``E exp(l Q)`` is ``c exp(k t^2)``, and ``exp(k) <= E exp(k t^2)`` for a standard normal ``t``
      (Jensen); neither ``E Y`` nor ``E Z`` changes. So let the mean be 0.
    - Diagonalised, ``Q`` is a sum of independent ``a_j g_j^2``, and ``E exp(l a g^2) = (1 - 2 l a)^(-1/2)``. With ``p``
      the sum of the positive ``a_j`` and ``-q`` that of the others, ``E exp(l Q) <= ((1 - 2 l p)(1 + 2 l q))^(-1/2)``,
      as ``-log(1 - x)`` vanishes at 0 and is convex (Laurent and Massart 2000, Ann. Statist. 28, Lemma 1).
    - ``q - p = r E Z - E Y`` is given, the bound grows with ``p``, and ``p <= E Y`` as ``Q <= Y``. So it is largest for
      ``p = E Y``, ``q = r E Z``, independent forms, and then for ``E Y = E Z``.
    - Over the runs the factors multiply (Chernoff), and ``2 l E Z = (r - 1)/(2 r)`` gives ``((1 + r)^2/(4 r))^(-n/2)``.
    """
    return 2 * math.acosh(math.exp(-math.log(error_probability) / runs))


def normal_runs(log_ratio: float, error_probability: float) -> float:
    """How many runs have at most this :func:`normal_ratio`."""
    return -math.log(error_probability) / math.log(math.cosh(log_ratio / 2))


def normal_mean(runs: int, error_probability: float) -> tuple[float, float]:
    """What ``mean / expectation`` of a quadratic form as in :func:`normal_ratio` falls short of, and exceeds.

    Each with at most this probability: ``P(mean >= s E) <= exp(-runs/2 (s - 1 - log s))`` for ``s > 1``, and the same
    of ``<=`` for ``s < 1`` (Chernoff, as there).
    """
    needed = -2 * math.log(error_probability) / runs

    def crossing(inside: float, outside: float) -> float:
        for _ in range(60):
            middle = (inside + outside) / 2
            inside, outside = (inside, middle) if middle - 1 - math.log(middle) >= needed else (middle, outside)
        return outside

    return crossing(1.0, math.exp(-1 - needed)), crossing(1.0, 3 + 3 * needed)


def normal_share(share: float, runs: int) -> float:
    """A bound on the probability that one run has this share, above ``1/runs``, of the sum over all runs.

    Of a quadratic form as in :func:`normal_ratio`: with ``f = share``, ``X`` the run's and ``S`` the sum of the others,
    ``E exp(l ((1 - f) X - f S)) <= (1 - 2 l (1 - f) E)^(-1/2) (1 + 2 l f E)^(-(n - 1)/2)``, least where the factors are
    ``1/(n f)`` and ``(1 - 1/n)/(1 - f)``: ``P <= exp(-n/2 KL(1/n, f))``, KL that of two coins.
    """
    if share >= 1:
        return 0.0
    return math.sqrt(runs * share) * ((1 - share) * runs / (runs - 1)) ** ((runs - 1) / 2)
