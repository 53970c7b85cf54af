"""Bounds and rates as assertions: true ones pass, wrong ones fail, and what cannot be decided says so."""

import itertools
import json
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import beta, binom, chi2, f

from rateproof.verify.rates import (
    Bounded,
    Estimate,
    Rate,
    RateError,
    UndecidedError,
    assert_bound,
    assert_rate,
    chance,
    snapshot,
    spending,
)
from rateproof.verify.rates.outcome import SnapshotError, exact
from rateproof.verify.rates.show import chart

THREE_DECADES = np.geomspace(10, 1e4, 13)
ONE_TWO_FIVE = np.array([10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000])
HIGH = np.geomspace(1e3, 1e9, 20)


@pytest.fixture(autouse=True)
def nothing_spent():
    spending.collect()
    yield
    spending.collect()


# --- bounds on exact values


def test_a_bound_holds_and_says_how_tight_it_is():
    found = assert_bound([0.5, 0.375, 0.125], [1.0, 0.5, 0.25], at=[1, 10, 100])
    assert isinstance(found, Bounded)
    assert (found.ratio.value, found.at) == (0.75, 10)
    assert spending.collect() == [0.0]


def test_a_violated_bound_shows_both_sides_and_the_worst_point():
    with pytest.raises(RateError) as failure:
        assert_bound([0.5, 0.3, 0.1], [1.0, 0.25, 0.09], at=[1, 10, 100], label="the gap")
    text = str(failure.value)
    assert text.startswith("the gap exceeds its bound at 10: 0.3 > 0.25; ratio 1.2\n")
    (worst,) = (line for line in text.splitlines() if line.endswith("<- worst"))
    assert worst.split()[:4] == ["10", "0.3", "0.25", "1.2"]
    assert len(text.splitlines()) == 5


def test_rounding_is_no_violation_and_a_constant_is():
    x = THREE_DECADES
    assert_bound((1 + 1e-12) / x, 1 / x, at=x)
    with pytest.raises(RateError, match=r"1.001"):
        assert_bound(1.001 / x, 1 / x, at=x)


def test_divergence_violates_a_bound():
    with pytest.raises(RateError, match="inf > 1"):
        assert_bound([1, math.inf], 1.0, at=[1, 2])


def test_one_bound_may_stand_for_all_points():
    assert assert_bound([1, 2, 3], 4, at=[1, 2, 3]).ratio.value == 0.75


LATE = np.array([1, 100, 300])
ROUNDED = np.array([0.5, 3e-5, 1.8e-15])  # f(x_k) - f(x*), where the last one is 1e-26
LIMITS = np.array([0.6, 4e-5, 6e-27])


@pytest.mark.parametrize("metric", [ROUNDED, np.tile(ROUNDED, (60, 1))], ids=["values", "runs"])
def test_rounding_of_a_difference_is_no_violation(metric):
    with pytest.raises(UndecidedError, match=r"at 300 by less than rounding may be: .*1\.8e-15.* > 6e-27.*give atol"):
        assert_bound(metric, LIMITS, at=LATE)
    assert assert_bound(metric, LIMITS, at=LATE, atol=1e-14).ratio.value <= 1
    with pytest.raises(RateError) as failure:
        assert_bound(metric, LIMITS, at=LATE, atol=0)
    assert not isinstance(failure.value, UndecidedError)
    with pytest.raises(RateError, match="exceeds its bound at 100: "):  # beside a violation that is none
        assert_bound(metric, [0.6, 1e-5, 6e-27], at=LATE)


@pytest.mark.parametrize("shape", [(3,), (60, 3)], ids=["values", "runs"])
def test_a_metric_below_its_lower_bound_is_refused_but_for_rounding(shape):
    metric = np.broadcast_to([1.0, 0.5, -1e-17], shape)
    assert_bound(metric, [2, 1, 1e-9], at=[1, 2, 3])
    with pytest.raises(ValueError, match="below low=0; low should be a proved lower bound"):
        assert_bound(np.broadcast_to(-1 / LATE, shape), 1 / LATE, at=LATE)
    assert_bound(np.broadcast_to(-1 / LATE, shape), 1 / LATE, at=LATE, low=-1)


# --- bounds on expectations


def test_the_chance_of_a_false_alarm_is_exact():
    """All outcomes of twelve runs: the wealth is 1 on average and reaches 1/p with probability at most p."""
    for high, p_high in ((2.0, 0.5), (10.0, 0.1), (1.25, 0.8)):  # mean 1, the bound
        outcomes = list(itertools.product((0.0, high), repeat=12))
        weights = np.array([math.prod(p_high if v else 1 - p_high for v in o) for o in outcomes])
        wealth = np.exp(chance.log_wealth(np.array(outcomes).T))
        assert weights @ wealth == pytest.approx(1.0)
        for p in (0.3, 0.1, 0.01):
            assert weights[wealth >= 1 / p].sum() <= p


def test_a_tight_bound_with_heavy_tails_raises_no_more_alarms_than_stated():
    error, trials, alarms = 0.2, 300, 0
    for seed in range(trials):
        rng = np.random.default_rng(seed)
        samples = np.cumsum(rng.pareto(2.2, (200, 3)) * 1.2, axis=1)  # correlated along a run, variance 20 times mean^2
        try:
            assert_bound(samples, [1.0, 2.0, 3.0], at=[1, 2, 3], error_probability=error)
        except RateError:
            alarms += 1
    assert alarms <= binom.isf(1e-7, trials, error / 2)
    spending.collect()  # these alarms are not alarms of this suite


def test_gross_violations_take_few_runs_and_slight_ones_many():
    rng = np.random.default_rng(0)
    x = np.array([1, 2, 3])
    with pytest.raises(RateError, match="expectation at least"):
        assert_bound(2.5 * rng.exponential(size=(120, 3)), 1.0, at=x)
    slight = 1.05 * rng.exponential(size=(40_000, 3))
    assert_bound(slight[:100], 1.0, at=x)
    with pytest.raises(RateError, match=r"mean of 40000 runs 1\.0"):
        assert_bound(slight, 1.0, at=x)


@pytest.mark.parametrize("noise", ["exponential", "squared"])
def test_a_bound_that_passes_says_which_violation_the_runs_would_have_shown(noise):
    rng = np.random.default_rng(5)

    def drawn(runs):
        return rng.exponential(size=(runs, 1)) if noise == "exponential" else rng.normal(size=(runs, 1)) ** 2

    found = assert_bound(drawn(3000), 1.0, at=[7])
    assert 1.05 < found.shown < 1.3 and f"{found.shown:.3g} times the bound" in str(found)
    assert 1000 < found.runs[1.2] < 5000 and 15_000 < found.runs[1.05] < 60_000
    # the promise is kept: nine times in ten, and less often with half as many runs
    needed = math.log(2 / 1e-6)

    def share(runs):
        return np.mean([float(chance.log_wealth(1.2 * drawn(runs))[0]) >= needed for _ in range(60)])

    assert share(int(found.runs[1.2])) > 0.6 > share(int(found.runs[1.2] / 2.5))


def test_exact_values_and_runs_without_spread_have_no_promise_to_keep():
    assert str(assert_bound([0.5], 1, at=[1])) == "metric / bound is 0.5 in [0.5, 0.5] at 1"
    nothing = assert_bound(np.zeros((60, 1)), 1, at=[1])
    assert nothing.shown == math.inf and "would have shown no violation" in str(nothing)


def test_the_lower_limit_lies_between_bound_and_mean():
    samples = np.random.default_rng(1).exponential(size=2000)
    limit = chance.lower_limit(samples, math.log(1e6))
    assert 0.8 < limit < 1.0 < samples.mean() + 0.1
    assert float(chance.log_wealth(samples[:, None] / limit)[0]) == pytest.approx(math.log(1e6), abs=1e-6)


def test_a_run_that_diverged_violates_any_bound_on_the_mean():
    samples = np.ones((50, 2))
    samples[7, 1] = math.inf
    with pytest.raises(RateError, match="at 2: mean of 50 runs inf"):
        assert_bound(samples, 1e9, at=[1, 2])


def test_a_metric_with_negative_values_needs_its_lower_bound():
    samples = np.random.default_rng(2).choice([-1.0, 1.0], (400, 1))
    with pytest.raises(ValueError, match="below low=0; low should be a proved lower bound"):
        assert_bound(samples, 0.5, at=[1])
    assert_bound(samples, 0.5, at=[1], low=-1)
    with pytest.raises(RateError):
        assert_bound(samples + 1, 0.5, at=[1])


def test_the_ratio_of_samples_lies_in_its_interval():
    samples = np.random.default_rng(3).exponential(size=(3000, 4)) * [0.2, 0.7, 0.9, 0.9]
    found = assert_bound(samples, 1.0, at=[1, 2, 3, 4])
    assert found.ratio.low < 0.9 < found.ratio.high
    assert found.ratio.low <= found.ratio.value <= found.ratio.high
    assert found.ratio.error_probability == 5e-7


def test_samples_spend_their_error_probability():
    assert_bound(np.full((60, 2), 0.5), 1.0, at=[1, 2], error_probability=1e-4)
    assert spending.collect() == [1e-4]
    assert spending.collect() == []


# --- rates of exact values


TRUE = {
    "power": (lambda x: 3 * x**-1.0, -1, 0),
    "root": (lambda x: 0.01 * x**-0.5, -0.5, 0),
    "growth": (lambda x: 5 * x**1.5, 1.5, 0),
    "constant": (lambda x: 0 * x + 2, 0, 0),
    "shifted": (lambda x: 1 / (x + 4), -1, 0),
    "shifted back": (lambda x: 1 / (x - 4), -1, 0),
    "faster term": (lambda x: 1 / x + x**-1.5, -1, 0),
    "slower correction": (lambda x: 1 / x + x**-1.25, -1, 0),
    "opposite corrections": (lambda x: (1 + x**-0.5 - 3 / x) / x, -1, 0),
    "fast correction hides a slow one": (lambda x: (1 + 0.1 * x**-0.25 + 10 / x**2) / x, -1, 0),
    "logarithm": (lambda x: np.log(x) / x, -1, 1),
    "harmonic sum": (lambda x: (np.log(x) + 0.5772) / x, -1, 1),
    "root of a logarithm": (lambda x: np.sqrt(np.log(x) / x), -0.5, 0.5),
    "slight ripple": (lambda x: (1 + 0.01 * np.sin(x)) / x, -1, 0),
}


@pytest.mark.parametrize("points", [THREE_DECADES, ONE_TWO_FIVE, HIGH], ids=["13", "1-2-5", "high"])
@pytest.mark.parametrize("name", TRUE)
def test_true_rates_pass(name, points):
    values, exponent, log_power = TRUE[name]
    found = assert_rate(values(points), at=points, exponent=exponent, log_power=log_power)
    assert found.exponent.low <= exponent <= found.exponent.high


def creeping(x):
    return (1 + 3 * x**-0.1) / x


@pytest.mark.parametrize("runs", [0, 60], ids=["values", "runs"])
@pytest.mark.parametrize("points", [THREE_DECADES, ONE_TWO_FIVE, np.geomspace(10, 1e6, 13)], ids=["13", "1-2-5", "6"])
def test_what_cannot_be_told_from_a_rate_neither_passes_nor_is_refuted(points, runs):
    def refused(values, **claim):
        given = np.random.default_rng(0).gamma(2.0, 0.5, (runs, 1)) * values if runs else values
        with pytest.raises(RateError) as failure:
            assert_rate(given, at=points, **claim)
        return failure.value

    slow = refused(creeping(points), exponent=-1)
    assert isinstance(slow, UndecidedError) and "drifts towards that of at^-1" in str(slow) and "floor" not in str(slow)
    near = refused(points**-0.95, exponent=-1, log_power=1)
    assert isinstance(near, UndecidedError)
    assert runs or "at^-0.95 fits closer than at^-1 log(at)" in str(near)
    # what can be told is told
    for wrong in (points**-0.95, np.log(points) / points):
        assert not isinstance(refused(wrong, exponent=-1), UndecidedError)
    assert not isinstance(refused(creeping(points), exponent=-1.3), UndecidedError)


WRONG = {
    "0.05 off": (lambda x: x**-0.95, -1, 0),
    "0.05 off, faster": (lambda x: x**-1.05, -1, 0),
    "0.02 off": (lambda x: x**-0.48, -0.5, 0),
    "missing logarithm": (lambda x: np.log(x) / x, -1, 0),
    "missing logarithm and constant": (lambda x: (1 + np.log(x)) / x, -1, 0),
    "missing logarithm under a large constant": (lambda x: (10 + np.log(x)) / x, -1, 0),
    "missing root of a logarithm": (lambda x: np.sqrt(np.log(x)) / x, -1, 0),
    "missing squared logarithm": (lambda x: np.log(x) ** 2 / x, -1, 0),
    "logarithm too much": (lambda x: 1 / x, -1, 1),
    "the sign of decay": (lambda x: 1 / x, 1, 0),
    "noise floor at the end": (lambda x: 1 / x + 1 / x[-1], -1, 0),
    "noise floor reached early": (lambda x: 1 / x + 10 / x[-1], -1, 0),
    "large ripple": (lambda x: (1 + 0.5 * np.sin(7 * x)) / x, -1, 0),
    "slower term takes over": (lambda x: 1 / x + 0.02 * x**-0.5, -1, 0),
}


@pytest.mark.parametrize("points", [THREE_DECADES, ONE_TWO_FIVE, HIGH], ids=["13", "1-2-5", "high"])
@pytest.mark.parametrize("name", WRONG)
def test_wrong_rates_fail(name, points):
    values, exponent, log_power = WRONG[name]
    with pytest.raises(RateError):
        assert_rate(values(points), at=points, exponent=exponent, log_power=log_power)


def test_an_exact_power_law_refutes_every_other_exponent():
    """Refuted, not merely undecided."""
    for off in (-0.05, -0.02, 0.02, 0.05):
        with pytest.raises(RateError) as failure:
            assert_rate(THREE_DECADES**-0.5, at=THREE_DECADES, exponent=-0.5 + off)
        assert not isinstance(failure.value, UndecidedError)


@settings(derandomize=True, deadline=None, max_examples=60)
@given(
    exponent=st.floats(-4, 4),
    log_power=st.sampled_from([0.0, 0.5, 1.0, -1.0]),
    size=st.floats(1e-12, 1e12),
    start=st.floats(2, 1e4),
    decades=st.floats(1.5, 6),
    count=st.integers(7, 30),
)
def test_power_laws_of_any_size_and_shape(exponent, log_power, size, start, decades, count):
    x = np.geomspace(start, start * 10**decades, count)
    values = size * x**exponent * np.log(x) ** log_power
    found = assert_rate(values, at=x, exponent=exponent, log_power=log_power)
    assert found.constant.value == pytest.approx(size)
    for off in (-0.05, 0.05):
        with pytest.raises(RateError):
            assert_rate(values, at=x, exponent=exponent + off, log_power=log_power)


def test_the_message_tells_what_to_do():
    x = THREE_DECADES

    def said(values, **claim):
        with pytest.raises(RateError) as failure:
            assert_rate(values, at=x, **claim)
        return str(failure.value)

    missing = said(np.log(x) / x, exponent=-1, label="the gap")
    assert missing.startswith("the gap: exponent -0.8752 in [-0.94")
    assert ", not that of at^-1; " in missing
    assert "at^-1 log(at) would fit (log_power=1)" in missing
    assert "exponents from early to late: -0.7" in missing
    assert missing.count("#") > 100
    assert "a noise floor" in said(1 / x + 1 / x[-1], exponent=-1)
    assert "still drifts: a larger at" in said(1 / x + 3 * x**-1.333, exponent=-1)
    assert "give exact values, or independent runs" in said(
        np.exp(0.2 * np.random.default_rng(0).normal(size=x.size)) / x, exponent=-1
    )
    assert "would fit" not in said(x**-0.95, exponent=-1)


def test_undecided_is_told_from_refuted():
    x = THREE_DECADES
    with pytest.raises(UndecidedError, match="does not decide on at"):
        assert_rate(1 / x + 10 * x**-1.5, at=x, exponent=-1)
    assert_rate(1 / x + 10 * x**-1.5, at=1e4 * x, exponent=-1, tolerance=0.6)


@pytest.mark.filterwarnings("error")
def test_claims_and_bounds_far_off_are_refuted_without_a_warning():
    x = THREE_DECADES
    for exponent, log_power in ((-100, 0), (100, 0), (-1, 1000)):
        with pytest.raises(RateError, match="not that of"):
            assert_rate(1 / x, at=x, exponent=exponent, log_power=log_power)
    for metric in ([1.0], np.ones((60, 1))):
        with pytest.raises(RateError, match="ratio inf"):
            assert_bound(metric, 1e-320, at=[1])


def test_a_tolerance_that_no_interval_meets_is_said():
    with pytest.raises(UndecidedError, match=r"no interval is narrower than \+-0.01"):
        assert_rate(1 / THREE_DECADES, at=THREE_DECADES, exponent=-1, tolerance=0.001)


def test_at_least_accepts_what_is_faster_and_nothing_else():
    x = THREE_DECADES
    assert assert_rate(x**-1.3, at=x, exponent=-1, at_least=True).exponent.value == pytest.approx(-1.3)
    assert_rate(x**-1.0, at=x, exponent=-1, at_least=True)
    assert_rate(np.exp(-x / 1000), at=x, exponent=-1, at_least=True, tolerance=1e9)
    with pytest.raises(RateError):
        assert_rate(x**-1.3, at=x, exponent=-1)
    with pytest.raises(RateError):
        assert_rate(x**-0.97, at=x, exponent=-1, at_least=True)


# --- rates of expectations


def runs_of(rng, runs, exponent, *, points=ONE_TWO_FIVE, correlation=0.9):
    """Nonnegative runs with expectation ``points^exponent``; gamma distributed, correlated along a run."""
    shared = rng.gamma(2.0, 0.5, (runs, 1))
    own = rng.gamma(2.0, 0.5, (runs, len(points)))
    return points**exponent * (correlation * shared + (1 - correlation) * own)


def test_correlated_runs_have_their_rate_and_no_other():
    samples = runs_of(np.random.default_rng(0), 400, -1.0)
    found = assert_rate(samples, at=ONE_TWO_FIVE, exponent=-1)
    assert found.exponent.error_probability == 5e-7
    assert found.constant.low < 1 < found.constant.high
    assert spending.collect() == [1e-6]
    for wrong in (-1.25, -0.75):
        with pytest.raises(RateError) as failure:
            assert_rate(samples, at=ONE_TWO_FIVE, exponent=wrong)
        assert not isinstance(failure.value, UndecidedError)


def test_noise_leaves_a_rate_undecided():
    samples = runs_of(np.random.default_rng(1), 30, -1.0, correlation=0.0)
    with pytest.raises(
        UndecidedError, match=r"these 30 runs show .* off by more than 0\.\d+; about [\d,]+ runs, a wider"
    ):
        assert_rate(samples, at=ONE_TWO_FIVE, exponent=-1)


def test_runs_show_a_missing_logarithm_and_a_floor():
    samples = runs_of(np.random.default_rng(2), 3000, -1.0)
    logarithm = np.log(ONE_TWO_FIVE)
    assert_rate(samples * logarithm, at=ONE_TWO_FIVE, exponent=-1, log_power=1, tolerance=0.2)
    with pytest.raises(RateError):
        assert_rate(samples * logarithm, at=ONE_TWO_FIVE, exponent=-1)
    with pytest.raises(RateError, match="a noise floor"):
        assert_rate(samples + 0.01, at=ONE_TWO_FIVE, exponent=-1)


def test_runs_refute_a_true_rate_no_more_often_than_stated():
    error, trials, alarms = 0.2, 300, 0
    for seed in range(trials):
        samples = runs_of(np.random.default_rng(seed), 40, -1.0, correlation=0.5)
        try:
            assert_rate(samples, at=ONE_TWO_FIVE, exponent=-1, error_probability=error, tolerance=10)
        except RateError:
            alarms += 1
    assert alarms <= binom.isf(1e-7, trials, error)
    spending.collect()  # these alarms are not alarms of this suite


@pytest.mark.parametrize("points", [THREE_DECADES, ONE_TWO_FIVE, HIGH], ids=["13", "1-2-5", "high"])
@pytest.mark.parametrize("name", TRUE)
def test_runs_that_are_alike_are_no_more_certain_than_exact_values(name, points):
    """Their slopes are equal up to rounding, and still the rest of drift and scatter is not known."""
    values, exponent, log_power = TRUE[name]
    size = np.random.default_rng(0).gamma(2.0, 0.5, (400, 1))
    found = assert_rate(size * values(points), at=points, exponent=exponent, log_power=log_power)
    assert found.exponent.low <= found.exponent.value <= found.exponent.high
    assert found.constant.low <= found.constant.value <= found.constant.high


def test_enough_groups_are_made():
    for error in (0.5, 1e-3, 1e-6):
        groups = chance.groups_needed(error)
        assert 2 * 0.5**groups <= error < 4 * 0.5**groups
    means = chance.group_means(np.arange(50.0)[:, None], 1e-3)
    assert means.shape == (11, 1)
    assert means[0, 0] == 2.0  # of 0, 1, 2, 3, 4


# --- rates of squared normal errors

UP_TO_1000 = np.array([10, 20, 50, 100, 200, 500, 1000])


def averaged_sgd(runs, seed, *, noise="standard_normal", at=UP_TO_1000, gamma=0.5, away=1.0):
    """Squared error of the average of the first n iterates of SGD on x^2/2, for independent runs."""
    steps = getattr(np.random.default_rng(seed), noise)((runs, at[-1]))
    x, iterates = np.full(runs, away), []
    for step in steps.T:
        x = x - gamma * (x + step)
        iterates.append(x)
    return (np.cumsum(iterates, axis=0)[at - 1] / at[:, None]).T ** 2


def test_three_hundred_runs_of_averaged_sgd_have_their_rate_and_no_slower_one():
    for seed in range(10):
        values = averaged_sgd(300, seed)
        found = assert_rate(values, at=UP_TO_1000, exponent=-1, tolerance=0.3, errors="normal")
        assert found.exponent.low < -1 < found.exponent.high and found.constant.low < 1 < found.constant.high
        for factor in (UP_TO_1000**0.3, UP_TO_1000**0.5):
            with pytest.raises(RateError, match=r"slower than at\^-1\n") as failure:
                assert_rate(values * factor, at=UP_TO_1000, exponent=-1, tolerance=0.3, errors="normal")
            assert not isinstance(failure.value, UndecidedError)
        with pytest.raises(RateError, match=r"slower than at\^-1"):  # whether it sets in later, chance decides
            assert_rate(values * np.log(UP_TO_1000), at=UP_TO_1000, exponent=-1, tolerance=0.3, errors="normal")
        assert_rate(
            values * np.log(UP_TO_1000), at=UP_TO_1000, exponent=-1, log_power=1, tolerance=0.3, errors="normal"
        )
        assert_rate(values / UP_TO_1000, at=UP_TO_1000, exponent=-1, tolerance=0.3, errors="normal")  # faster is fine
    assert spending.collect() == [1e-6] * 60


def test_without_a_word_on_the_noise_the_refusal_names_the_affordable_mode():
    values = averaged_sgd(300, 0)
    with pytest.raises(UndecidedError, match=r"squares of normal errors, errors='normal' takes about 74 runs\n"):
        assert_rate(values, at=UP_TO_1000, exponent=-1, tolerance=0.3)
    with pytest.raises(UndecidedError) as refusal:  # exact values have no noise
        assert_rate(UP_TO_1000 ** (-1 + np.sin(UP_TO_1000)), at=UP_TO_1000, exponent=-1)
    assert "normal" not in str(refusal.value)


def test_whether_normal_errors_decide_is_known_before_they_are_drawn():
    """By the number of runs and the range alone; the number that the message names is enough."""
    for seed in range(5):
        with pytest.raises(UndecidedError, match=r"70 runs show .* above 0.3; about 74 runs, a wider range"):
            assert_rate(averaged_sgd(70, seed), at=UP_TO_1000, exponent=-1, tolerance=0.3, errors="normal")
        assert_rate(averaged_sgd(74, seed), at=UP_TO_1000, exponent=-1, tolerance=0.3, errors="normal")


def test_a_rate_that_sets_in_later_is_undecided_until_the_early_points_are_left_out():
    values = averaged_sgd(3000, 0, gamma=0.1, away=0.0)
    with pytest.raises(UndecidedError, match=r"slower than at\^-1; but -0.9\d+ from 100 on: .* leave out the points"):
        assert_rate(values, at=UP_TO_1000, exponent=-1, tolerance=0.3, errors="normal")
    late = np.geomspace(200, 2000, 6).astype(int)
    values = averaged_sgd(600, 0, gamma=0.1, away=0.0, at=late)
    assert_rate(values, at=late, exponent=-1, tolerance=0.3, errors="normal")
    flat = np.maximum(1 / UP_TO_1000, 1 / 200) * np.ones((1000, 1))
    with pytest.raises(RateError, match="from 200 to 1000, at least") as failure:
        assert_rate(flat, at=UP_TO_1000, exponent=-1, tolerance=0.3, errors="normal")
    assert not isinstance(failure.value, UndecidedError)


@pytest.mark.parametrize("error", [0.1, 1e-6])
@pytest.mark.parametrize("runs", [2, 10, 300])
def test_the_bounds_on_normal_errors_are_above_the_exact_probabilities(runs, error):
    """Of one dimension and independent points, which is the worst case."""
    ratio, (low, high) = math.exp(chance.normal_ratio(runs, error)), chance.normal_mean(runs, error)
    assert f.sf(ratio, runs, runs) <= error and chance.normal_runs(math.log(ratio), error) == pytest.approx(runs)
    assert max(chi2.sf(runs * high, runs), chi2.cdf(runs * low, runs)) <= error
    assert (
        high - 1 - math.log(high)
        == pytest.approx(low - 1 - math.log(low))
        == pytest.approx(-2 * math.log(error) / runs)
    )
    for share in (1.5 / runs, 0.5 + 0.5 / runs, 0.999):
        assert beta.sf(share, 0.5, (runs - 1) / 2) <= chance.normal_share(share, runs) <= 1


def test_no_two_forms_of_a_normal_vector_exceed_the_ratio_more_often_than_independent_ones():
    """The step of the proof that no table has: for forms of any mean, covariance and dimension, in closed form."""
    rng = np.random.default_rng(0)
    for _ in range(200):
        d = int(rng.integers(1, 5))
        y, z = (a @ a.T for a in rng.standard_normal((2, d, d)) * rng.integers(0, 2, (2, 1, d)) + 0.1)
        m = rng.standard_normal(d) * rng.integers(0, 2)
        second = np.eye(d) + np.outer(m, m)
        y *= np.trace(z @ second) / np.trace(y @ second)  # so that E Y = E Z
        mean, ratio = np.trace(z @ second), float(rng.choice([1.2, 2.0, 5.0]))
        tilt = (ratio - 1) / (2 * ratio) / mean
        resolvent = np.eye(d) - tilt * (y - ratio * z)
        assert np.linalg.eigvalsh(resolvent).min() > 0
        grown = m @ np.linalg.solve(resolvent, m) - m @ m - np.linalg.slogdet(resolvent)[1]
        assert grown / 2 <= -math.log(math.cosh(math.log(ratio) / 2)) + 1e-12


@pytest.mark.parametrize(("runs", "points", "error"), [(40, [10, 1000], 0.5), (300, [100, 1000], 0.1)])
def test_normal_errors_refute_a_true_rate_no_more_often_than_stated(runs, points, error):
    at, trials, alarms = np.geomspace(*points, 6).astype(int), 300, 0
    lengths = np.diff(at, prepend=0)
    for seed in range(trials):
        steps = np.random.default_rng(seed).standard_normal((runs, 6)) * np.sqrt(lengths)
        try:
            assert_rate(
                (steps.cumsum(axis=1) / at) ** 2,
                at=at,
                exponent=-1,
                errors="normal",
                error_probability=error,
                tolerance=10,
            )
        except RateError:
            alarms += 1
    spending.collect()  # these alarms are not alarms of this suite
    assert alarms <= binom.isf(1e-7, trials, error)


def test_runs_that_contradict_normal_errors_are_not_judged_by_them():
    values = averaged_sgd(300, 0)
    values[7, 3] *= 1000
    with pytest.raises(UndecidedError, match=r"one run has \d+% of the sum of all 300 at 100, which squares of normal"):
        assert_rate(values, at=UP_TO_1000, exponent=-1, tolerance=0.3, errors="normal")
    heavy = [np.random.default_rng(s).standard_cauchy((300, 7)) ** 2 / UP_TO_1000 for s in range(20)]
    for values in heavy:  # they have no expectation at all
        with pytest.raises(UndecidedError, match="one run has"):
            assert_rate(values, at=UP_TO_1000, exponent=-1, tolerance=0.3, errors="normal")


@pytest.mark.parametrize("noise", ["standard_exponential", "random"])
def test_sums_of_other_noises_are_close_enough_to_normal_ones(noise):
    """With a mean taken off: skewed and bounded noises, of which the first point has ten."""
    centre = {"standard_exponential": 1.0, "random": 0.5}[noise]
    for seed in range(10):
        draws = getattr(np.random.default_rng(seed), noise)((300, 1000)) - centre
        values = (draws.cumsum(axis=1)[:, UP_TO_1000 - 1] / UP_TO_1000) ** 2
        assert_rate(values, at=UP_TO_1000, exponent=-1, tolerance=0.3, errors="normal")


# --- bad input


GOOD = np.geomspace(1, 100, 7)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"metric": [1, math.nan], "at": [1, 2]}, "metric is NaN at 2; it should be a number"),
        ({"metric": [[1, 1], [1, math.nan]], "at": [1, 2]}, "metric is NaN at 2 of run 1"),
        ({"metric": [1, 2], "at": [2, 1]}, "strictly increasing, but 2 is followed by 1"),
        ({"metric": [1, 2], "at": [1, 1]}, "strictly increasing"),
        ({"metric": [1, 2], "at": [0, 1]}, "at should be positive and finite, but contains 0"),
        ({"metric": [1, 2], "at": [1, math.inf]}, "contains inf"),
        ({"metric": [1, 2], "at": [math.nan, 1]}, "contains nan"),
        ({"metric": [1, 2, 3], "at": [1, 2]}, r"metric has shape \(3,\), but at has 2 points"),
        ({"metric": [], "at": []}, r"at has shape \(0,\)"),
        ({"metric": 5.0, "at": 3}, r"at has shape \(\); it should be \(points,\)"),
        ({"metric": [1, "x"], "at": [1, 2]}, "metric should be an array of numbers"),
        ({"metric": [1j, 2], "at": [1, 2]}, "metric should be an array of numbers: not of type complex128"),
        ({"metric": np.ma.masked_equal([1, 2], 2), "at": [1, 2]}, "metric should be .* some are masked"),
        ({"metric": ["1", "2"], "at": [1, 2]}, "metric should be an array of numbers"),
        ({"metric": [1, 10**400], "at": [1, 2]}, "metric should be an array of numbers: int too large"),
        ({"metric": [[1, 2], [1]], "at": [1, 2]}, "metric should be an array of numbers"),
        ({"metric": [[1, 1e308]], "at": [1, 2]}, r"metric contains 1e\+308; it should be given in a unit"),
        ({"metric": [1, 2], "at": [1, 2], "bound": 0}, "bound should be positive and finite, but is 0"),
        ({"metric": [1, 2], "at": [1, 2], "bound": [1, -1]}, "bound should be positive and finite, but is -1 at 2"),
        ({"metric": [1, 2], "at": [1, 2], "bound": [1, 1, 1]}, r"bound has shape \(3,\); it should be one number"),
        ({"metric": [1, 2], "at": [1, 2], "bound": math.nan}, "but is nan"),
        ({"metric": [1, 2], "at": [1, 2], "rtol": -1}, "rtol is -1"),
        ({"metric": [[1, 2]], "at": [1, 2]}, "metric has 1 runs; .* it takes 28 to find a metric of twice its bound"),
        ({"metric": [[1, 2]], "at": [1, 2], "low": 3}, "low is 3, not below the bound"),
        ({"metric": [[1, 2]], "at": [1, 2], "low": [0, 0]}, r"low is \[0, 0\]; it should be a finite number"),
        ({"metric": [[1, 2]], "at": [1, 2], "low": -math.inf}, "low is -inf; it should be a finite number"),
        ({"metric": [[1, 2]], "at": [1, 2], "error_probability": 0}, "error_probability is 0; it should be in"),
        ({"metric": [[1, 2]], "at": [1, 2], "error_probability": 5e-324}, "error_probability is 5e-324; it should be"),
        ({"metric": [[1, 2]], "at": [1, 2], "error_probability": None}, "error_probability is None; it should be in"),
    ],
)
def test_bad_input_of_bounds_is_refused_in_one_line(arguments, said):
    with pytest.raises(ValueError, match=said) as refusal:
        assert_bound(arguments.pop("metric"), arguments.pop("bound", 1.0), **arguments)
    assert "\n" not in str(refusal.value)
    assert spending.collect() == []


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"values": GOOD[:5], "at": GOOD[:5]}, r"at has shape \(5,\); it should be .* at least 6 points"),
        ({"values": GOOD, "at": np.linspace(1, 9, 7)}, "at spans 1 to 9; an exponent needs at least one decade"),
        ({"values": GOOD, "at": GOOD[::-1]}, "strictly increasing"),
        ({"values": -GOOD, "at": GOOD}, "values should be positive and finite, but is -1 at 1"),
        ({"values": 0 * GOOD, "at": GOOD}, "values should be positive and finite, but is 0 at 1"),
        ({"values": GOOD * math.nan, "at": GOOD}, "values is NaN at 1"),
        ({"values": GOOD * math.inf, "at": GOOD}, "values should be finite, but contain inf"),
        ({"values": GOOD, "at": GOOD, "log_power": 1}, "at begins with 1; with a log_power it should begin above 1"),
        ({"values": GOOD, "at": GOOD, "exponent": math.nan}, "exponent is nan"),
        ({"values": GOOD, "at": GOOD, "exponent": "-1"}, "exponent is -1; it should be a finite number"),
        ({"values": GOOD, "at": GOOD, "tolerance": -0.1}, "tolerance is -0.1"),
        ({"values": [GOOD] * 21, "at": GOOD}, "values has 21 runs; .* needs at least 22 independent runs"),
        ({"values": [-GOOD] * 30, "at": GOOD}, "values is -100 in some run; .* not negative"),
        ({"values": [0 * GOOD] * 30, "at": GOOD}, "values are 0 at 1 in all of 1 or more runs"),
        ({"values": [GOOD] * 30, "at": GOOD, "error_probability": 2}, "error_probability is 2"),
        ({"values": [GOOD] * 30, "at": GOOD, "errors": "gauss"}, "errors is 'gauss'; it should be 'any', or 'normal'"),
        (
            {"values": GOOD, "at": GOOD, "errors": "normal"},
            r"errors='normal' is about independent runs; .*\(runs, points\)",
        ),
        ({"values": [GOOD], "at": GOOD, "errors": "normal"}, "errors='normal' is about independent runs"),
        ({"values": [-GOOD] * 30, "at": GOOD, "errors": "normal"}, "values is -100 in some run; .* not negative"),
        ({"values": [0 * GOOD] * 30, "at": GOOD, "errors": "normal"}, "values over runs should be positive"),
        ({"values": np.ones(8), "at": [1, 2, 3, 4, 5, 6, 7, 1e6]}, "at is spread too unevenly: .* numpy.geomspace"),
    ],
)
def test_bad_input_of_rates_is_refused_in_one_line(arguments, said):
    with pytest.raises(ValueError, match=said) as refusal:
        assert_rate(arguments.pop("values"), exponent=arguments.pop("exponent", -1), **arguments)
    assert "\n" not in str(refusal.value)
    assert spending.collect() == []


# --- the text plot


def test_the_public_face_is_complete():
    import rateproof.rates
    from rateproof.verify import rates

    assert rateproof.rates.__all__ == rates.__all__
    assert all(getattr(rateproof.rates, name) is getattr(rates, name) for name in rates.__all__)


def test_the_plot_marks_one_and_keeps_the_worst_row():
    at = np.arange(1.0, 101)
    text = chart(at, {"ratio": np.where(at == 42, 3.0, 0.5)}, worst=41).splitlines()
    assert len(text) <= 14
    assert sum(line.lstrip().startswith("42 ") for line in text) == 1
    assert len({line.index("|") for line in text[1:]}) == 1
    assert max(line.count("#") for line in text) == 31


def test_the_plot_shows_infinity():
    assert "inf" in chart([1, 2], {"ratio": [0.5, math.inf]}, worst=1)


# --- snapshots


def taken(path: Path, *, update: bool = False) -> snapshot.Snapshot:
    return snapshot.Snapshot(path, test="test_it", command="pytest --rates-update", update=update)


def accept(path: Path, **measured) -> None:
    update = taken(path, update=True)
    update(**measured)
    snapshot.write(path, update.accepted)


@pytest.fixture
def kept(tmp_path) -> Path:
    return tmp_path / "__rates__" / "test_mine.jsonl"


def test_exact_numbers_may_not_grow(kept):
    accept(kept, queries=100.0)
    taken(kept)(queries=100.0 + 5e-5)
    better = taken(kept)
    better(queries=90)
    assert better.better == ["test_it: queries was 100, is 90"]
    with pytest.raises(RateError, match="queries was 100, is 101: worse\n  accept with: pytest --rates-update"):
        taken(kept)(queries=101)
    taken(kept)(queries=101, rtol=0.02)


def test_a_rate_keeps_exponent_and_constant(kept):
    x = THREE_DECADES
    accept(kept, gap=assert_rate(2 / x, at=x, exponent=-1))
    names = [json.loads(line)["name"] for line in kept.read_text().splitlines()]
    assert names == ["gap: constant of at^-1", "gap: exponent"]
    taken(kept)(gap=assert_rate(2 / x, at=x, exponent=-1))
    with pytest.raises(RateError, match=r"constant of at.-1 was 2, is 2.2: worse"):
        taken(kept)(gap=assert_rate(2.2 / x, at=x, exponent=-1))
    with pytest.raises(RateError, match=r"exponent was -1, is -0.99\d*: worse"):
        taken(kept)(gap=assert_rate(2 * x**-0.995, at=x, exponent=-1))
    with pytest.raises(RateError, match=r"constant of at.-0.5 is not in __rates__/test_mine.jsonl"):
        taken(kept)(gap=assert_rate(x**-0.5, at=x, exponent=-0.5))


def test_sampled_numbers_get_worse_when_their_intervals_part(kept):
    accept(kept, ratio=Estimate(1.0, 0.9, 1.1, 1e-7))
    taken(kept)(ratio=Estimate(1.15, 1.05, 1.25, 1e-7))
    assert spending.collect() == [1e-7]  # of the interval that was kept
    with pytest.raises(RateError, match=r"ratio was 1 in \[0.9, 1.1\], is 1.3 in \[1.2, 1.4\]: worse"):
        taken(kept)(ratio=Estimate(1.3, 1.2, 1.4, 1e-7))
    better = taken(kept)
    better(ratio=Estimate(0.5, 0.4, 0.6, 1e-7))
    assert len(better.better) == 1


def test_a_bound_keeps_its_ratio(kept):
    accept(kept, bound=assert_bound([0.5], 1, at=[1]))
    with pytest.raises(RateError, match=r"bound: ratio was 0.5, is 0.6: worse"):
        taken(kept)(bound=assert_bound([0.6], 1, at=[1]))


def test_what_is_not_kept_yet_fails_and_names_the_command(kept):
    with pytest.raises(
        RateError, match=r"queries is not in __rates__/test_mine.jsonl for test_it; measured 3\n  accept with"
    ):
        taken(kept)(queries=3)
    assert not kept.exists()


def test_other_tests_keep_their_numbers(kept):
    accept(kept, a=1.0, b=2.0)
    other = snapshot.Snapshot(kept, test="test_other", command="", update=True)
    other(a=5)
    snapshot.write(kept, other.accepted)
    accept(kept, a=3.0)
    assert [(e.test, e.name, e.estimate.value) for e in snapshot.read(kept).values()] == [
        ("test_it", "a", 3.0),
        ("test_other", "a", 5.0),
    ]


def test_an_equal_file_is_left_alone(kept):
    accept(kept, a=1 / 3)
    before = kept.stat().st_mtime_ns
    accept(kept, a=1 / 3)
    assert kept.stat().st_mtime_ns == before


GOOD_LINE = '{"test": "test_it", "name": "a", "value": 1.0}\n'


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (GOOD_LINE + "<<<<<<< HEAD\n", "damaged in line 2"),
        (GOOD_LINE[:20], "half-written"),
        (GOOD_LINE + GOOD_LINE, "damaged in line 2 .*twice"),
        ("[1, 2]\n", "damaged in line 1 .*expected an object"),
        ('{"test": "t", "name": "a"}\n', "damaged in line 1"),
        ('{"test": "t", "name": "a", "value": NaN}\n', "expected finite numbers"),
        ('{"test": "t", "name": "a", "value": "1"}\n', "expected finite numbers"),
        (f'{{"test": "t", "name": "a", "value": 1{"0" * 400}}}\n', "damaged in line 1"),
        (GOOD_LINE[:-2] + ', "low": 0, "high": 2, "error_probability": -1}\n', "expected an error probability in"),
        ("\xff\n", "cannot be read"),
    ],
)
@pytest.mark.parametrize("update", [False, True])
def test_a_damaged_file_is_one_error_and_stays(kept, text, said, update):
    kept.parent.mkdir()
    kept.write_bytes(text.encode("latin-1"))
    with pytest.raises(SnapshotError, match=said) as refusal:
        taken(kept, update=update)(a=2.0)
    assert "nothing was overwritten: restore it from version control" in str(refusal.value)
    assert "\n" not in str(refusal.value)
    with pytest.raises(SnapshotError):
        snapshot.write(kept, [snapshot.Entry("test_it", "a", exact(2.0))])
    assert kept.read_bytes() == text.encode("latin-1")


def test_a_snapshot_of_nothing_or_of_something_odd_is_refused(kept):
    with pytest.raises(ValueError, match="needs something measured"):
        taken(kept)()
    with pytest.raises(ValueError, match="a is nan; rate_snapshot keeps finite numbers"):
        taken(kept)(a=math.nan)
    with pytest.raises(ValueError, match="a: constant of at is inf; rate_snapshot keeps finite numbers"):
        taken(kept)(a=Rate(exact(1.0), exact(math.inf), "at"))
    with pytest.raises(ValueError, match="a is 'x'; rate_snapshot keeps numbers"):
        taken(kept)(a="x")
    update = taken(kept, update=True)
    update(a=1.0)
    with pytest.raises(ValueError, match="'a' twice in test_it; use another name"):
        update(a=2.0)


def test_numbers_of_rates_are_what_they_say():
    rate = Rate(Estimate(-1, -1.1, -0.9), exact(2.0), "at^-1 log(at)")
    assert list(rate.numbers()) == ["exponent", "constant of at^-1 log(at)"]
