"""Confidence limits against exact binomial computation, and claims decided on them."""

import math

import numpy as np
import pytest
import sympy as sp
from scipy import stats

from rateproof.theory.claim import Claim, Hypothesis, Kind, Source
from rateproof.verify.deciders.montecarlo import (
    SampledTrial,
    decide,
    empirical_bernstein,
    estimate,
    hoeffding,
    lower_confidence,
    trial_from_runs,
    upper_confidence,
)
from rateproof.verify.evidence import Finding, Level
from rateproof.verify.trial import Trial


def binary(n, k):
    x = np.zeros(n)
    x[:k] = 1
    return x


@pytest.mark.parametrize("n", [1, 2, 20, 300])
@pytest.mark.parametrize("error", [0.3, 0.05, 1e-3])
def test_coverage_on_bernoulli_is_exact(n, error):
    """The miss probability, summed over all outcomes of a binomial variable, stays below the stated one."""
    upper = np.array([upper_confidence(binary(n, k), low=0, high=1, error_probability=error) for k in range(n + 1)])
    lower = np.array([lower_confidence(binary(n, k), low=0, high=1, error_probability=error) for k in range(n + 1)])
    for p in (1e-4, 0.01, 0.2, 0.5, 0.9, 0.999):
        law = stats.binom.pmf(np.arange(n + 1), n, p)
        assert law[upper < p].sum() <= error
        assert law[lower > p].sum() <= error


def test_two_sided_coverage_on_bernoulli_is_exact():
    n, error, p = 50, 0.1, 0.3
    limits = [estimate(binary(n, k), low=0, high=1, error_probability=error) for k in range(n + 1)]
    miss = [not (i.lower <= p <= i.upper) for i in limits]
    assert stats.binom.pmf(np.flatnonzero(miss), n, p).sum() <= error
    assert any(miss)


def test_coverage_on_uniform():
    rng = np.random.default_rng(0)
    samples = rng.uniform(-1, 3, size=(2000, 40))
    limits = [upper_confidence(row, low=-1, high=3, error_probability=0.2) for row in samples]
    # 0.2 plus six standard deviations of the count
    assert np.mean(np.array(limits) < 1.0) <= 0.2 + 6 * math.sqrt(0.2 * 0.8 / 2000)


def test_limits_by_hand():
    # n = 8, error 0.5: each bound at 0.25; variance of four ones in eight is 2/7.
    x = binary(8, 4)
    by_hoeffding = 0.5 + math.sqrt(math.log(4) / 16)
    by_bernstein = 0.5 + math.sqrt(2 * (2 / 7) * math.log(8) / 8) + 7 * math.log(8) / 21
    assert upper_confidence(x, low=0, high=1, error_probability=0.5) == pytest.approx(min(by_hoeffding, by_bernstein))
    assert hoeffding(8, 0.25) == pytest.approx(by_hoeffding - 0.5)
    assert empirical_bernstein(8, 2 / 7, 0.25) == pytest.approx(by_bernstein - 0.5)
    assert empirical_bernstein(1, 0.0, 0.25) == math.inf


def test_bernstein_wins_at_small_variance_and_hoeffding_at_large():
    n, error = 10_000, 1e-6
    small = np.full(n, 0.5)
    assert upper_confidence(small, low=0, high=1, error_probability=error) < 0.5 + 0.2 * hoeffding(n, error / 2)
    large = binary(n, n // 2)
    assert upper_confidence(large, low=0, high=1, error_probability=error) == 0.5 + hoeffding(n, error / 2)


def test_limits_move_with_the_unit_and_mirror():
    x = np.random.default_rng(3).uniform(0, 1, 100)
    upper = upper_confidence(x, low=0, high=1, error_probability=0.01)
    assert upper_confidence(7 + 1e3 * x, low=7, high=1007, error_probability=0.01) == pytest.approx(7 + 1e3 * upper)
    assert lower_confidence(-x, low=-1, high=0, error_probability=0.01) == pytest.approx(-upper)
    assert upper_confidence([1.0], low=1, high=1, error_probability=0.1) == 1.0
    interval = estimate(x, low=0, high=1, error_probability=0.02)
    assert (interval.lower <= interval.mean <= interval.upper) and interval.n == 100
    assert interval.upper == upper


@pytest.mark.parametrize(
    ("samples", "low", "high", "message"),
    [
        ([0.5], 0.0, math.inf, "needs a proved range"),
        ([0.5], math.nan, 1.0, "needs a proved range"),
        ([0.5], 1.0, 0.0, "needs a proved range"),
        ([0.5, 1.5], 0.0, 1.0, r"sample 1 is 1.5, outside of its range \[0.0, 1.0\]"),
        ([0.5, math.nan], 0.0, 1.0, "sample 1 is nan"),
        ([], 0.0, 1.0, "n >= 1"),
        ([[0.5]], 0.0, 1.0, r"shape \(1, 1\)"),
    ],
)
def test_bad_samples(samples, low, high, message):
    with pytest.raises(ValueError, match=message):
        estimate(samples, low=low, high=high, error_probability=0.1)


@pytest.mark.parametrize("error", [0.0, 1.0, -1.0, math.nan])
def test_bad_error_probability(error):
    with pytest.raises(ValueError, match="error_probability"):
        upper_confidence([0.5], low=0, high=1, error_probability=error)


X, Y, B = sp.symbols("X Y B")


def claim(statement, *hypotheses):
    return Claim("toy.bound", Source("toy", "here"), Kind.BOUND, "", statement, hypotheses)


def runs(B=0.6, n=20_000, p=0.5, error=1e-6, seed=0, **more):
    x = np.random.default_rng(seed).random(n) < p
    return trial_from_runs(
        "coin", samples={"X": x}, ranges={"X": (0, 1)}, values={"B": B}, facts={}, error_probability=error, **more
    )


def test_trials_at_both_ends():
    sampled = runs()
    up, low = sampled.upper, sampled.lower
    assert isinstance(up, Trial) and up.level is Level.STATISTICAL and up.error_probability == 1e-6
    assert low.values["X"] < 0.5 < up.values["X"] and up.values["B"] == 0.6
    assert sampled.corners() == (low, up)


def test_decision_needs_the_whole_interval():
    holds = decide(claim(sp.Le(X, B)), [runs(0.6)])
    assert holds.finding is Finding.HOLDS and 0.8 < holds.worst_ratio < 1 and holds.level is Level.STATISTICAL
    assert decide(claim(sp.Le(X, B)), [runs(0.5)]).finding is Finding.INCONCLUSIVE
    broken = decide(claim(sp.Le(X, B)), [runs(0.4)])
    assert broken.finding is Finding.VIOLATION
    # the shown side is the end kindest to the claim
    assert broken.violated.lhs == runs(0.4).lower.values["X"]


def test_violation_pays_for_every_instance_tried():
    trials = [runs(0.6, seed=1, error=1e-7), runs(0.4, seed=2, error=2e-7), runs(0.7, seed=3, error=3e-7)]
    found = decide(claim(sp.Le(X, B)), trials)
    assert found.finding is Finding.VIOLATION
    assert found.error_probability == pytest.approx(6e-7)
    assert found.instances == 3


def test_two_sided_statement_uses_both_ends():
    both = claim(sp.And(sp.Le(-B, X), sp.Le(X, B)))
    assert decide(both, [runs(0.6)]).finding is Finding.HOLDS
    band = claim(sp.And(sp.Le(B, X), sp.Le(X, B + sp.Rational(1, 10))))
    assert decide(band, [runs(0.45)]).finding is Finding.HOLDS
    assert decide(band, [runs(0.5)]).finding is Finding.INCONCLUSIVE
    assert decide(band, [runs(0.52)]).finding is Finding.VIOLATION
    assert decide(band, [runs(0.37)]).finding is Finding.VIOLATION


def test_two_metrics_share_the_error_and_span_four_corners():
    x = binary(5000, 2500)
    sampled = trial_from_runs(
        "two",
        samples={"X": x, "Y": x},
        ranges={"X": (0, 1), "Y": (0, 1)},
        values={"B": 0.0},
        facts={},
        error_probability=1e-4,
    )
    assert isinstance(sampled, SampledTrial) and len(sampled.corners()) == 4
    assert sampled.metrics["X"].error_probability == 5e-5
    assert sampled.error_probability == pytest.approx(1e-4)
    # X <= Y is true here, but the intervals cannot tell: the worst corner has X high and Y low.
    assert decide(claim(sp.Le(X, Y)), [sampled]).finding is Finding.INCONCLUSIVE
    assert decide(claim(sp.Le(X, Y + sp.Rational(1, 2))), [sampled]).finding is Finding.HOLDS


def test_hypotheses_must_hold_at_every_corner():
    below = Hypothesis("below", "X < B", sp.Lt(X, B))
    assert decide(claim(sp.Le(X, B), below), [runs(0.5)]).finding is Finding.INCONCLUSIVE
    assert decide(claim(sp.Le(X, B), below), [runs(0.5)]).instances == 0
    assert decide(claim(sp.Le(X, B), below), [runs(0.6)]).finding is Finding.HOLDS


def test_metric_without_range_is_refused():
    with pytest.raises(ValueError, match="metric X has no range"):
        trial_from_runs("coin", samples={"X": [0.5]}, ranges={}, values={}, facts={}, error_probability=0.1)
    with pytest.raises(ValueError, match="metric X: sample 0"):
        trial_from_runs("c", samples={"X": [2.0]}, ranges={"X": (0, 1)}, values={}, facts={}, error_probability=0.1)
