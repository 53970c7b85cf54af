"""Readings of the introduction and of Remark 1: feasibility, suitable conditions, and the number of iterations."""

import math
from dataclasses import replace

import numpy as np
import pytest
import sympy as sp

from rateproof.theory.papers.fedrzo.notation import K_it, eta_s, gamma, m
from rateproof.theory.papers.fedrzo.single import CLAIMS
from rateproof.theory.papers.fedrzo.single.notation import IDENTICAL, START_INSIDE
from rateproof.theory.shorthand import ge, le
from rateproof.verify.checks import Budget, evidence_on
from rateproof.verify.counterexamples import replay
from rateproof.verify.deciders import growth
from rateproof.verify.evidence import Finding
from rateproof.verify.papers.fedrzo.single import exact, families, feasibility, rates, stationary
from rateproof.verify.papers.fedrzo.single.grids import RUN
from rateproof.verify.trial import evaluate

BY_ID = {c.id.removeprefix("fedrzo."): c for c in CLAIMS}


def without(claim, key):
    return replace(claim, hypotheses=tuple(h for h in claim.hypotheses if h.key != key))


def given(claim, *more):
    return replace(claim, hypotheses=(*claim.hypotheses, *more))


def restated(claim, change):
    return replace(claim, statement=le(claim.statement.lhs, change(claim.statement.rhs)))


def ruled(claim, rule):
    """The claim with another rule for the stepsize."""
    given = tuple(
        replace(h, relation=sp.Eq(gamma, rule, evaluate=False)) if h.key == "gamma_com" else h for h in claim.hypotheses
    )
    return replace(claim, hypotheses=given)


FEASIBLE = BY_ID["intro.feas"]
OUTPUT_NEEDS = (
    *("lipschitz", "unbiased", "variance_bounded", "sets", "identical", "meta_zo", "gamma_com", "fresh", "k*"),
)


def test_the_output_is_feasible_without_a_bound_from_below():
    assert feasibility.output(FEASIBLE).finding is Finding.PROOF
    assert {h.key for h in FEASIBLE.hypotheses} - set(OUTPUT_NEEDS) == {"dissimilarity"}
    assert feasibility.output(without(FEASIBLE, "dissimilarity")).finding is Finding.PROOF


@pytest.mark.parametrize("key", OUTPUT_NEEDS)
def test_the_output_needs_its_hypotheses_as_they_are(key):
    assert feasibility.output(without(FEASIBLE, key)).finding is Finding.INCONCLUSIVE
    other = tuple(
        replace(h, text="the server stands at the sea", relation=None) if h.key == key else h
        for h in FEASIBLE.hypotheses
    )
    assert feasibility.output(replace(FEASIBLE, hypotheses=other)).finding is Finding.INCONCLUSIVE


@pytest.mark.parametrize(
    ("rule", "finding"),
    [
        (3 * m / K_it ** sp.Rational(2, 3), Finding.PROOF),
        (m / K_it, Finding.INCONCLUSIVE),  # the start is never forgotten
        (eta_s / 2, Finding.INCONCLUSIVE),  # the noise stays
    ],
)
def test_the_stepsize_has_to_vanish_and_its_sum_to_grow(rule, finding):
    assert feasibility.output(ruled(FEASIBLE, rule)).finding is finding


@pytest.mark.parametrize("item", ["intro.feas", "sec2.feas"])
def test_no_smaller_order_of_the_distance_is_proved(item):
    claim = BY_ID[item]
    for change in (lambda b: b * eta_s, lambda b: b / sp.sqrt(m), lambda b: -b):
        copy = restated(claim, change)
        for prove in (feasibility.output, feasibility.solution, feasibility._at_start):
            for other in (copy, given(copy, IDENTICAL, START_INSIDE)):
                assert prove(other).finding is Finding.INCONCLUSIVE
    assert feasibility.output(replace(claim, statement=ge(*claim.statement.args))).finding is Finding.INCONCLUSIVE
    smaller = [e for e in evidence_on(restated(claim, lambda b: b * eta_s), Budget()) if not e.reading]
    assert Finding.VIOLATION in {e.finding for e in smaller}


def test_solutions_are_feasible_up_to_eta_where_the_sets_are_identical():
    claim = BY_ID["sec2.feas"]
    same = given(claim, IDENTICAL)
    assert feasibility.solution(same).finding is Finding.PROOF
    for key in ("lipschitz", "sets", "identical", "solution"):
        assert feasibility.solution(without(same, key)).finding is Finding.INCONCLUSIVE
    smaller = restated(same, lambda b: b * eta_s)
    assert growth.decide(smaller, [feasibility.pulled()], method="").finding is Finding.VIOLATION


def test_the_limits_of_the_output_are_those_of_runs():
    """One run with the rule and one with gamma = 2 eta, from x_0 = 1: f = x, X = {0}, eta = 1/10."""
    eta, K = 0.1, 10**6
    for gamma_now, measure, at in (
        (K**-0.5, "pulled iterates", {}),
        (2 * eta, "jumping iterates", {"x0": 1}),
    ):
        x, total = 1.0, 0.0
        for _ in range(K + 1):
            total += abs(x)
            x -= gamma_now * (1 + x / eta)
        expected = families.measured(measure, L0=1, nu=1, eta="1/10", **at).values["dist_limit"]
        assert total / (K + 1) == pytest.approx(expected, rel=1e-2)


def test_the_output_of_a_run_between_two_discs_is_where_the_measure_says():
    """K = 10^5 steps of (Meta-ZO) with gamma = sqrt(m/K) from 0, where the discs meet; directions of a fixed seed."""
    values = families.measured("two discs", L0=1, s="1/4").values
    eta, K = values["eta_s"], 10**5
    step = math.sqrt(2 / K)
    angles = np.random.default_rng(1).uniform(0, 2 * math.pi, (K, 2))
    # f(x + v) - f(x) = v_2: the estimate of a client is 2 sin(a) (cos(a), sin(a)) for v = eta (cos(a), sin(a))
    across = (np.sin(angles) * np.cos(angles)).sum(axis=1).tolist()
    along = (np.sin(angles) ** 2).sum(axis=1).tolist()
    x = y = total = 0.0
    for k in range(K):
        total += math.hypot(x, y)
        pull_x = pull_y = 0.0
        for centre in (1.0, -1.0):
            away = max(0.0, 1 - 1 / math.hypot(x - centre, y))
            pull_x += (x - centre) * away / (2 * eta)
            pull_y += y * away / (2 * eta)
        x, y = x - step * (across[k] + pull_x), y - step * (along[k] + pull_y)
    assert total / K == pytest.approx(values["dist_limit"], rel=2e-2)
    assert values["dist_limit"] > 8 * eta


@pytest.mark.parametrize("switch", BY_ID["intro.feas"].switches, ids=lambda s: s.name)
def test_every_hypothesis_of_another_reading_is_answered(switch):
    other = feasibility.OTHERS["fedrzo.intro.feas"][switch.name]
    claim = FEASIBLE.read(switch)
    for trial in other.ladder().trials:
        outcome = evaluate(claim, growth.with_unit_constant(trial))
        assert outcome.admissible and not outcome.missing
        assert set(outcome.holds) == {h.key for h in claim.hypotheses} and all(outcome.holds.values())


def test_the_discs_do_not_answer_for_identical_sets():
    assert all("identical" not in t.facts for t in feasibility.discs().trials)


def test_the_other_conditions_of_section_1_fail_at_a_point_in_round_numbers():
    claim = BY_ID["intro.2eta"]
    (switch,) = claim.switches
    other = claim.read(switch)
    values, facts = exact.line_point(stationary.BEYOND)
    found = replay.replay(other, values, facts)
    assert (found.left, found.right) == (2, 0) and set(found.hypotheses) == {h.key for h in other.hypotheses}
    values, facts = exact.line_point({**stationary.BEYOND, "delta": "1/4"})
    with pytest.raises(ValueError, match="hypothesis delta_2eta does not hold"):
        replay.replay(other, values, facts)
    shown = next(e for e in evidence_on(claim, Budget()) if e.reading)
    assert shown.violated.at == {"measure": "point of the line", **stationary.BEYOND}


# --- the number of iterations


@pytest.mark.parametrize("clients", rates.CLIENTS[:4])
def test_the_jumping_clients_reach_the_accuracy_for_no_smaller_number(clients):
    """So that the least number of iterations that gives epsilon is K_eps, from which on all do."""
    base = {**RUN, "noise": 0.0, "m": clients}
    needed = int(rates.horizon_trial(base, 0.5).values["K_eps"])
    assert needed == clients // 4 + 1
    assert all(rates.at_horizon(base, K)["grad_kstar"] > 0.5 for K in range(1, needed))


@pytest.mark.parametrize("slope", [1e-1, 1e-3, 1e-6])
def test_noisy_clients_reach_the_accuracy_for_no_smaller_number(slope):
    needed = int(rates.horizon_trial({**RUN, "noise": 1.0, "L0": slope}, 1e-3).values["K_eps"])
    K = np.arange(1, needed + 1, dtype=float)
    q = K**-0.5
    rate = (1 - q) ** 2
    level = 4 * q**2 / (1 - rate)
    kept = -np.expm1((K + 1) * np.log1p(rate - 1, where=rate > 0, out=np.full_like(q, -np.inf))) / (
        (1 - rate) * (K + 1)
    )
    means = level + (slope**2 - level) * kept
    assert (means[:-1] > 1e-3).all() and means[-1] <= 1e-3 * (1 + 1e-9)
