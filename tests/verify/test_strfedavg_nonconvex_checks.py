"""Verdicts on the two-loop method, and planted errors in the claims that hold."""

import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
import sympy as sp

from rateproof.algos.engine import run
from rateproof.algos.methods.ipirfedavg import IPIRFedAvg
from rateproof.algos.problems.nonconvex import nonconvex_diagonal
from rateproof.theory import catalog
from rateproof.theory.claim import conjuncts
from rateproof.theory.papers.strfedavg import notation as nt
from rateproof.theory.papers.strfedavg.schedules import S_SC
from rateproof.theory.symbols import T, kappa
from rateproof.verify.checks import Budget, evidence_on
from rateproof.verify.deciders import bounds
from rateproof.verify.evidence import Finding, verdict
from rateproof.verify.papers.strfedavg import calls, line, nonconvex
from rateproof.verify.papers.strfedavg.instances import Setting
from rateproof.verify.papers.strfedavg.line import Line
from rateproof.verify.trial import evaluate

PROVED = (
    *(f"step.10.{i}" for i in ("expansion", "summed", "average")),
    *(f"step.10.{i}.corrected" for i in ("update", "theta", "condition", "descent")),
    *(f"step.11.s{i}" for i in (1, 5, 7, 8, 9)),
    *(f"step.11.{i}.corrected" for i in ("s1'", "s2", "s3", "s4", "s6")),
    "step.12.subadditivity",
    "step.12.factor.corrected",
    "step.15.ii-display",
    *(f"step.15.{i}.corrected" for i in ("start", "i-display", "i-schedule", "ii-schedule")),
    "lem3.corrected",
    *(f"prop7.{i}.corrected" for i in ("i", "ii")),
    *(f"thm3.{i}.corrected" for i in ("i-1", "i-2", "ii-1", "ii-2")),
    *(f"tab1.ip.{i}.corrected" for i in ("k", "1")),
)
REFUTED = (
    "lem3",
    "prop7.i",
    "prop7.ii",
    "thm3.i-1",
    "thm3.i-2",
    "thm3.ii-1",
    "tab1.ip.k",
    "tab1.ip.1",
    *(f"step.10.{i}" for i in ("update", "theta", "condition", "descent")),
    *(f"step.11.{i}" for i in ("s1'", "s2", "s3", "s4", "s6")),
    "step.12.factor",
    *(f"step.15.{i}" for i in ("start", "i-display", "i-schedule", "ii-schedule")),
)
VERDICTS = {
    **dict.fromkeys(PROVED, "proved"),
    **dict.fromkeys(REFUTED, "refuted"),
    **dict.fromkeys(("prop7.ii", "thm3.ii-1", "thm3.ii-2", "tab1.ip.1"), "vacuous"),
}
DEGENERATE = {"prop7.ii", "thm3.ii-1", "tab1.ip.1"}
SEVERE = {"refuted", "inconsistent"}


def claim_of(item):
    return catalog.get(f"strfedavg.{item}")


def found(claim):
    return list(evidence_on(claim, Budget()))


def test_every_check_has_its_expected_verdict_here():
    assert {claim_of(item).printed_item for item in VERDICTS} == set(nonconvex.CHECKS)


def test_verdicts(committed):
    assert {item: result.verdict for item, result in committed("strfedavg", VERDICTS).items()} == VERDICTS


@pytest.mark.sweep(10)
@pytest.mark.parametrize("item", [item for item, expected in VERDICTS.items() if expected != "proved"])
def test_a_violation_answers_for_every_hypothesis(item):
    violations = [e.violated for e in found(claim_of(item)) if e.finding is Finding.VIOLATION and not e.reading]
    assert violations or VERDICTS[item] == "vacuous"
    for violated in violations:
        assert set(violated.hypotheses) == {h.key for h in claim_of(item).hypotheses}
        assert violated.degenerate == (item in DEGENERATE)


def with_rhs(item, change):
    """A copy of a claim with another right side."""
    claim = claim_of(item)
    (relation,) = conjuncts(claim.statement)
    return replace(claim, statement=relation.func(relation.lhs, change(relation.rhs), evaluate=False))


PLANTED = {
    "step.10.expansion": lambda b: b - nt.gamma / (4 * nt.young) * nt.sq_grad_F,
    "step.10.summed": lambda b: b - sp.Rational(11, 10) / nt.gamma * nt.F_drop,
    "step.10.average": lambda b: b - sp.Rational(11, 10) / nt.gamma * nt.F_gap0 / T,
    "step.10.theta.corrected": lambda b: b - nt.gamma / 20 * nt.sq_grad_F,
    "step.10.descent.corrected": lambda b: b - sp.Rational(7, 8) * nt.gamma / nt.lam**2 * nt.sq_err,
    "step.10.condition.corrected": lambda b: b + sp.Rational(1, 100),
    "step.11.s1": lambda b: b - sp.Rational(1, 10),
    "step.11.s5": lambda b: sp.Rational(99, 100) * b,
    "step.11.s7": lambda b: b / 2,
    "step.11.s8": lambda b: sp.Rational(49, 100) * b,
    "step.11.s9": lambda b: b - sp.Rational(2, 100),
    "step.11.s2.corrected": lambda b: b / T ** sp.Rational(1, 20),
    "step.11.s3.corrected": lambda b: b * sp.Rational(9, 10) * 3 / 4,
    "step.11.s6.corrected": lambda b: b * T ** (-1 / (6 * kappa) - sp.Rational(1, 20)),
    "step.12.subadditivity": lambda b: sp.Rational(99, 100) * b,
    "step.12.factor.corrected": lambda b: sp.Rational(99, 100) * b,
    "step.15.start.corrected": lambda b: sp.Rational(99, 100) * b,
    "step.15.i-display.corrected": lambda b: sp.Rational(99, 100) * b,
    "step.15.ii-display": lambda b: sp.Rational(99, 100) * b,
    "step.15.i-schedule.corrected": lambda b: sp.Rational(9, 10) * b,
    "step.10.update.corrected": lambda b: b - 1,
    "step.15.ii-schedule.corrected": lambda b: sp.Rational(9, 10) * b,
    "lem3.corrected": lambda b: b / 3,
    "prop7.ii.corrected": lambda b: b / 100,
}


@pytest.mark.parametrize("item", PLANTED)
def test_planted_errors_are_refuted(item):
    assert verdict(found(with_rhs(item, PLANTED[item]))) in SEVERE


@pytest.mark.parametrize(
    ("item", "dropped"),
    [("step.11.s1'.corrected", "T>=3"), ("step.10.condition.corrected", "gamma<=lam/(4(L_f lam+2))")],
)
def test_claims_without_a_needed_hypothesis_are_refuted(item, dropped):
    claim = claim_of(item)
    kept = tuple(h for h in claim.hypotheses if h.key != dropped)
    assert len(kept) == len(claim.hypotheses) - 1
    assert verdict(found(replace(claim, hypotheses=kept))) == "refuted"


@pytest.mark.sweep(2)
@pytest.mark.parametrize(
    ("item", "change"),
    [
        ("step.10.expansion", lambda b: b + nt.gamma * nt.sq_err / nt.lam**2),
        ("step.11.s9", lambda b: b + 1),
        ("step.11.s8", lambda b: 2 * b),
        ("step.10.average", lambda b: 2 * b),
        ("thm3.i-1.corrected", lambda b: 2 * b),
        ("prop7.i.corrected", lambda b: 2 * b),
    ],
)
def test_weaker_true_statements_are_not_accused(item, change):
    assert verdict(found(with_rhs(item, change))) in {"proved", "supported"}


def test_the_descent_counterexamples_in_exact_rationals():
    # f = y^2, h = x^2/2, lambda = 1: F = 2 y^2, L = 4; gamma = 1/16, y = 1, e = 0
    y, gamma, grad = Fraction(1), Fraction(1, 16), Fraction(4)
    after = y - gamma * grad
    assert 2 * after**2 == Fraction(9, 8) > 2 - gamma * (Fraction(5, 4) - gamma * 4) * grad**2 == 1
    # f = 4 y^2, lambda = 1/4: F = 8 y^2, L = 16; gamma = 1/128, e = -lambda grad F, so y does not move
    lam, gamma, grad = Fraction(1, 4), Fraction(1, 128), Fraction(16)
    error = -lam * grad
    assert y - gamma * (grad + error / lam) == y
    bound = 8 - gamma / 2 * grad**2 + (gamma / lam + gamma**2 * (8 * lam + 2) / lam**3) * error**2
    assert bound < 8 and gamma <= 3 * lam / (4 * (8 * lam + 2))
    assert bound - gamma / lam * error**2 + gamma / lam**2 * error**2 >= 8


def test_lemma_3_by_hand():
    # five clients with minimisers -2..2 and y = x = 0 on X_h* = {x_1 = 0}: no gap, no g*
    clients = [Fraction(c) for c in (-2, -1, 0, 1, 2)]
    left = sum(c**2 for c in clients) / 5
    excess = sum(c**2 / 2 for c in clients) / 5
    assert left == 2 and 2 * (2 * excess / 5) == Fraction(4, 5) < left <= 2 * 2 * excess


def test_lemma_3_fails_without_the_factor_1_over_n_too():
    # h_1 = 5 x^2, h_2 = 0, y = 1, eta = 10: the clients share their minimum, so G_h = 0 whatever its factor
    eta, x = Fraction(10), Fraction(2, 3)
    slopes = (10 * x + eta * (x - 1), eta * (x - 1))
    assert sum(slopes) == 0  # x is x_eta*, so there is no gap
    left, right = sum(v**2 for v in slopes) / 2, 4 * Fraction(1, 2)
    assert left == Fraction(100, 9) > right
    (mended,) = (e for e in found(claim_of("lem3")) if e.reading.startswith("dissimilarity_scale"))
    assert mended.finding is Finding.VIOLATION and mended.worst_ratio == pytest.approx(float(left / right))


def test_the_rewritten_step_is_wrong_under_both_gradients():
    # y = x = 1, Pi[y] = 0, lambda = 1, f = 0: no step is taken, e = 1
    assert [grad + 1 for grad in (2, 1)] == [3, 2]
    evidence = found(claim_of("step.10.update"))
    assert [e.violated.lhs for e in evidence] == [3, 2] and "penalty" in evidence[1].reading


def test_the_line_agrees_with_the_method():
    # problem (2) in the plane whose second coordinate never moves
    problem = nonconvex_diagonal(outer="cosine", c=(0.0, 0.0), shift=(math.pi, 0.0), L_h=2.0, weight=1.5)
    for factor, first in ((1, 2), (2, 2), (1, 0)):
        method = IPIRFedAvg(
            lam=1.0, K=3, S=2, gamma_g=1.5, gradient_factor=factor, round_offset=first, returns="projection"
        )
        own = line.run(
            Line(w=1.5, L_h=2.0, lam=1.0, y0=1.5, x0=1.5, K=3, gamma_g=1.5, first=first, factor=factor, T=12)
        )
        for outer in (2, 5, 11):
            done = run(method, problem, (1.5, 0.0), R=method.total_rounds(outer))
            np.testing.assert_allclose(own.y[outer], done.x_last[0, 0], rtol=1e-9)
            np.testing.assert_allclose(own.x[outer - 1], done.x_average[0, 0], rtol=1e-9)


def test_steps_on_a_wide_kinked_loss_are_those_of_the_closed_form():
    closed = Line(w=1.0, s=1.0, L_h=0.5, lam=1.0, y0=1.0, eta=0.5, p=3.0, factor=2, first=7, T=6, K=2, gamma_g=1.2)
    stepwise = line.run(replace(closed, width=100.0))
    np.testing.assert_allclose(stepwise.x, line.run(closed).x, rtol=1e-9)


def test_calls_are_problem_4():
    trial = calls.trial(calls.corners()[1])
    v = trial.values
    assert v["L_f"] == v["mu_f"] == 1 and v["g_star"] == pytest.approx(v["grad_g_star"] ** 2 / 2)
    assert v["gamma_t"] == pytest.approx(v["R"] ** -v["a"])
    assert v["eta"] == pytest.approx(v["p"] * math.log(v["R"]) / v["R"] ** v["b"])
    assert v["M_g"] > -v["gap_g"]


def test_the_printed_step_ends_where_the_gradient_does_not_vanish():
    done = line.run(replace(nonconvex.PLAIN, T=10_000))
    end = done.y[-1]
    # no step is taken where f' + (y - x)/lambda = 0; grad F_lambda is (y - Pi[y])/lambda + x/lambda there
    assert abs(-1.5 * math.sin(end) + (end - done.x[-1])) < 0.01
    assert -1.5 * math.sin(end) + 2 * end > 1
    gradient = line.trial(replace(nonconvex.PLAIN, T=10_000)).values["E_grad2"]
    assert gradient > 1 and line.trial(replace(nonconvex.PLAIN, T=10_000, factor=2, s=1.0)).values["E_grad2"] < 1


def test_algorithm_2_descends_on_the_envelope():
    done = replace(next(nonconvex.later()), w=1.5, lam=1.0, T=10_000)
    means = line.stationarity(done)
    assert means["E_grad2_env"][-1] < 0.01 < 0.5 < means["E_grad2"][-1]
    values = line.trial(done).values
    assert values["E_grad2_env"] == means["E_grad2_env"][-1]


def test_the_means_of_a_run_are_those_of_shorter_runs():
    longer = line.stationarity(replace(nonconvex.PLAIN, T=50))
    for T_ in (1, 7, 50):
        values = line.trial(replace(nonconvex.PLAIN, T=T_)).values
        for name, means in longer.items():
            assert values[name] == pytest.approx(means[T_ - 1], rel=1e-12)


@pytest.mark.parametrize("item", ["tab1.ip.k", "tab1.ip.1", "tab1.ip.k.corrected", "tab1.ip.1.corrected"])
def test_no_shorter_run_of_a_ladder_reaches_its_accuracy(item):
    name = "E_grad2_env" if item.endswith("corrected") else "E_grad2"
    ladder = nonconvex._ladder(claim_of(item))
    means = line.stationarity(Line(**ladder.trials[-1].at))[name]
    for trial in ladder.trials:
        T_ = int(trial.values["T"])
        assert 0 < trial.values["epsilon"] < means[:T_].min() and trial.values["epsilon"] < 1
    # where the mean first rises, an accuracy taken on the rungs alone would be one that a shorter run reaches
    if item == "tab1.ip.k":
        assert means[: nonconvex.LADDER[0]].min() < means[nonconvex.LADDER[0] - 1]


def test_starts_at_rest_have_no_slope_and_no_gap():
    calm = Line(w=1.0, lam=1.0, s=2.0)
    for share, slope in ((0.5, 1.0), (1.0, 2.0)):
        y = line.rest(calm, share)
        assert math.sin(y - 2) + slope * y == pytest.approx(0, abs=1e-15)
        suffix = {0.5: "_env", 1.0: ""}[share]
        assert line.trial(replace(calm, y0=y)).values[f"F_gap0{suffix}"] == 0
        assert line.trial(replace(calm, y0=y + 0.1)).values[f"F_gap0{suffix}"] > 0


def test_exponents_that_sum_to_less_than_1_count_for_the_corrected_proposition_7():
    claim = claim_of("prop7.i.corrected")
    sums = {t.values["a"] + t.values["b"] for t in calls.corner_trials() if evaluate(claim, t).admissible}
    assert 0.75 in sums and max(sums) <= 1 + 1e-12


def test_corrected_first_calls_satisfy_the_mended_step_condition():
    claim = claim_of("thm3.i-1.corrected")
    outcomes = [evaluate(claim, line.trial(each)) for each in nonconvex.later()]
    assert sum(o.admissible for o in outcomes) >= 15
    early = replace(next(nonconvex.later()), first=2)
    assert "SC16h_first" in evaluate(claim, line.trial(early)).failed


@pytest.mark.parametrize("normalised", [False, True], ids=["printed", "normalised"])
def test_the_distance_after_a_call_exceeds_its_bound_also_for_a_large_gradient_bound(normalised):
    """M >= g* and weights that sum to one do not save Theorem 3 (i-2), which prints no step condition."""
    claim = catalog.get("strfedavg.thm3.i-2")
    if normalised:
        claim = claim.read(nt.AVG)
    setting = Setting(
        params=calls.projection(calls.BESIDE, L_h=10.0),
        start=(1.0, 0.0),
        R=3.0,
        cap=S_SC.id,
        exponents=(("a", 7 / 12), ("b", 5 / 12), ("p", 2.0)),
    )
    unstable = calls.trial(setting)
    unstable = replace(unstable, values={**unstable.values, "M_g": 2.0})
    assert unstable.values["M_g"] > unstable.values["g_star"]
    found = bounds.decide(claim, [unstable], method="exact moments", detail="an unstable call")
    assert found.finding is Finding.VIOLATION
    assert found.violated.ratio > 3


def test_no_mean_of_the_gentle_line_falls_below_the_first():
    """What stands behind the ladder of tab1.ip.k: y^t >= y^0 and x^t in [0, y^t], and F_lambda' grows there."""
    run = replace(nonconvex.GENTLE, T=10_000)
    means = line.stationarity(run)["E_grad2"]
    assert means.min() == means[0] == pytest.approx((1.4 - 0.75 * math.sin(1.4)) ** 2, rel=1e-12)
    step = run.gamma * (0.75 * math.sin(run.y0) - run.y0 / 2)
    assert step > 0 and 1 - run.gamma * (0.75 + 0.5) > 0
