"""Deciding a bound from trials: margins, which violation is shown, and what is not evidence."""

import math
from dataclasses import replace

import pytest
import sympy as sp

from rateproof.theory.claim import Claim, Hypothesis, Kind, Source
from rateproof.theory.probability import Pr
from rateproof.theory.shorthand import ge, le
from rateproof.theory.symbols import K, declare
from rateproof.verify.deciders.bounds import decide, weakest
from rateproof.verify.evidence import Finding, Level, Verdict, verdict
from rateproof.verify.trial import Trial

x, y, z = sp.symbols("x y z", real=True)
BOUND = Claim(
    "t.c",
    Source("t", "T"),
    Kind.BOUND,
    "",
    sp.Le(x, y, evaluate=False),
    (Hypothesis("K>=1", "K >= 1", sp.Ge(K, 1, evaluate=False)),),
)
TWO_SIDED = Claim(
    "t.d",
    Source("t", "T"),
    Kind.BOUND,
    "",
    sp.And(sp.Le(0, x, evaluate=False), sp.Le(x, y, evaluate=False), evaluate=False),
)


STRICT = replace(BOUND, statement=sp.Lt(x, y, evaluate=False))


def trial(lhs: float, rhs: float, *, label: str = "", rounds: float = 1, level: Level = Level.EXACT, **more) -> Trial:
    return Trial(label or f"{lhs} <= {rhs}", {"x": lhs, "y": rhs, "K": rounds}, {}, level, **more)


def floats(lhs: float, rhs: float, **more) -> Trial:
    return trial(lhs, rhs, level=Level.FLOAT, **more)


def sampled(lhs: float, rhs: float, chance: float, **more) -> Trial:
    return trial(lhs, rhs, level=Level.STATISTICAL, error_probability=chance, **more)


def decided(*trials: Trial, claim: Claim = BOUND, **more):
    return decide(claim, trials, method="m", **more)


def test_a_bound_that_holds_reports_its_tightest_instance():
    found = decided(trial(1, 4), trial(3, 4), trial(2, 4), detail="three")
    assert (found.finding, found.worst_ratio, found.instances, found.witness) == (Finding.HOLDS, 0.75, 3, "3 <= 4")
    assert (found.level, found.detail) == (Level.EXACT, "three")


def test_a_violation_keeps_the_values_of_all_symbols_of_the_claim():
    twice = declare("twice", "2 y", paper="t", defined=True)
    claim = replace(BOUND, statement=sp.Le(x, twice, evaluate=False), where={twice: 2 * y})
    shown = decided(trial(5, 1), claim=claim).violated
    assert shown.values == {"x": 5, "twice": 2, "y": 1, "K": 1}


def test_inadmissible_trials_neither_count_nor_refute():
    found = decided(trial(5, 1, rounds=0), trial(1, 2))
    assert (found.finding, found.instances, found.worst_ratio) == (Finding.HOLDS, 1, 0.5)
    none = decided(trial(5, 1, rounds=0), trial(5, 1, rounds=math.nan))
    assert none.finding is Finding.INCONCLUSIVE and none.worst_ratio is None
    assert "hypotheses missed: K>=1 (1 times); instances say nothing about K>=1 (1 times)" in none.detail
    assert decided().finding is Finding.INCONCLUSIVE


def test_a_violation_carries_the_whole_instance():
    found = decided(trial(1, 2), trial(3, 2, at={"seed": 1}), trial(9, 2))
    assert found.finding is Finding.VIOLATION and found.worst_ratio == 4.5
    shown = found.violated
    assert (shown.instance, shown.lhs, shown.rhs, shown.ratio) == ("3 <= 2", 3, 2, 1.5)
    assert (shown.relation, dict(shown.at)) == ("x <= y", {"seed": 1})
    assert shown.hypotheses == {"K>=1": "K >= 1: 1 >= 1"}


@pytest.mark.parametrize(("level", "margin"), [(Level.CERTIFICATE, 1e-11), (Level.EXACT, 1e-9), (Level.FLOAT, 1e-6)])
@pytest.mark.parametrize("scale", [1.0, 1e-200, 1e200, -1.0])
def test_a_violation_must_exceed_the_margin_of_its_level_at_every_scale(level, margin, scale):
    def excess(share: float):
        over = abs(scale) * margin * share
        return decided(trial(scale + over, scale, level=level, absolute_error=0.0))

    # within the error of the trial sides are equal; less than the margin is neither a violation nor none
    assert excess(0.5).finding is (Finding.HOLDS if margin == 1e-11 else Finding.INCONCLUSIVE)
    assert excess(0.5).worst_ratio == 1.0
    assert excess(3).finding is Finding.VIOLATION and excess(3).worst_ratio > 1
    assert excess(1e-12 / margin).finding is Finding.HOLDS  # equal but for rounding


def test_a_trial_may_ask_for_a_larger_margin():
    assert decided(trial(1.05, 1, error=0.01)).finding is Finding.HOLDS
    assert decided(trial(1.2, 1, error=0.01)).finding is Finding.VIOLATION
    assert decided(trial(0, -1e-17)).finding is Finding.VIOLATION
    rounding = decided(trial(0, -1e-17, absolute_error=1e-16))
    assert rounding.finding is Finding.HOLDS and rounding.worst_ratio is None
    assert decided(trial(0, -1e-14, absolute_error=1e-16)).finding is Finding.VIOLATION


def test_trials_are_floats_unless_they_say_exact():
    """A gap that is computed as f(x_k) - f(x*) keeps the rounding of f(x*)."""
    assert Trial("t", {}, {}).level is Level.FLOAT and Trial.exact("t", {}, {}).level is Level.EXACT
    gap, bound = (10 + 1e-26) - 10 + 1.8e-15, 6e-27
    found = decided(floats(gap, bound))
    assert found.finding is Finding.INCONCLUSIVE
    assert "left 1.8e-15, right 6e-27, which fails by 1.8e-15, less than the error" in found.detail
    assert verdict([found]) is Verdict.UNDECIDED
    # what is certain stays so, beside it and alone
    assert decided(floats(gap, bound), floats(1.1, 1)).finding is Finding.VIOLATION
    assert decided(floats(1.1e-8, 1e-8)).finding is Finding.VIOLATION
    # and exactness is a promise
    assert decided(trial(gap, bound)).finding is Finding.VIOLATION
    assert decided(floats(gap, bound, absolute_error=1e-14)).finding is Finding.HOLDS


@pytest.mark.parametrize("defined", [False, True], ids=["in the statement", "by a definition"])
def test_rounding_is_that_of_the_terms_of_a_difference(defined):
    gap = declare("gap", "x - y", paper="t", defined=True)
    difference = gap if defined else x - y
    claim = replace(BOUND, statement=sp.Le(difference, z, evaluate=False), where={gap: x - y} if defined else {})

    def found(level: Level):
        values = {"x": 1e8 + 1.5e-8, "y": 1e8, "z": 1e-20, "K": 1}
        return decided(Trial("t", values, {}, level), claim=claim)

    assert found(Level.FLOAT).finding is Finding.INCONCLUSIVE
    assert found(Level.EXACT).finding is Finding.VIOLATION


def test_a_strict_inequality_is_violated_by_equal_numbers():
    at_two_over_L = decided(trial(0.5, 0.5, error=0.0), claim=STRICT)
    assert at_two_over_L.finding is Finding.VIOLATION and at_two_over_L.violated.relation == "x < y"
    assert decided(trial(0.0, 0.0), claim=STRICT).finding is Finding.VIOLATION
    positive = replace(BOUND, statement=sp.Gt(x, 0, evaluate=False))
    assert decided(trial(0.0, 1), claim=positive).finding is Finding.VIOLATION
    # rounding makes equal what is not
    for equal in (trial(0.5, 0.5), floats(0.5, 0.5), floats(0.0, 0.0), trial(0.5, 0.5 + 1e-14)):
        found = decided(equal, claim=STRICT)
        assert found.finding is Finding.INCONCLUSIVE and "a strict inequality needs Trial.exact" in found.detail
    assert decided(trial(0.4, 0.5), claim=STRICT).finding is Finding.HOLDS
    assert decided(trial(0.6, 0.5), claim=STRICT).finding is Finding.VIOLATION
    assert decided(trial(0.5, 0.5, error=0.0)).finding is Finding.HOLDS  # <= is as it was
    assert decided(sampled(0.4, 0.5, 1e-9), claim=STRICT).finding is Finding.HOLDS


def test_a_side_that_underflows_is_not_zero():
    claim = replace(BOUND, statement=sp.Le(x, sp.exp(-y), evaluate=False))
    assert decided(trial(0.0, 1e4), claim=claim).finding is Finding.HOLDS
    assert decided(trial(1e-323, 1e4), claim=claim).finding is not Finding.VIOLATION
    assert decided(trial(1e-300, 1e4), claim=claim).finding is Finding.VIOLATION
    assert decided(trial(0.0, 1e4), claim=replace(claim, statement=sp.Gt(sp.exp(-y), 0, evaluate=False))).finding in (
        Finding.HOLDS,
        Finding.INCONCLUSIVE,
    )


def test_what_is_violated_is_shown_as_it_is_stated():
    at_least = replace(BOUND, statement=sp.Ge(x, y, evaluate=False))
    shown = decided(trial(1, 4), claim=at_least).violated
    assert (shown.relation, shown.lhs, shown.rhs, shown.ratio) == ("x >= y", 1, 4, 4)
    equal = replace(BOUND, statement=sp.Eq(x, y, evaluate=False))
    for lhs, rhs in ((1, 4), (4, 1)):
        shown = decided(trial(lhs, rhs), claim=equal).violated
        assert (shown.lhs, shown.rhs, shown.ratio) == (lhs, rhs, 4)


def test_a_finite_violation_is_shown_before_an_infinite_one():
    found = decided(trial(math.inf, 1), trial(3, 1))
    assert (found.violated.lhs, found.worst_ratio) == (3, math.inf)
    assert decided(trial(math.inf, 1)).violated.lhs == math.inf


def test_rounding_in_one_conjunct_does_not_hide_a_violation_of_another():
    at_zero = Trial.exact("t", {"x": -1e-17, "y": -2e-3}, {}, absolute_error=1e-16)
    found = decided(at_zero, claim=TWO_SIDED)  # 0 <= x has ratio inf by rounding, x <= y is truly violated
    assert found.finding is Finding.VIOLATION and found.violated.relation == "x <= y"


def test_zero_against_zero_says_nothing_and_infinities_compare():
    assert decided(trial(0, 0)).worst_ratio is None
    assert decided(trial(0, 0), trial(1, 4), trial(0, 0)).worst_ratio == 0.25
    assert decided(trial(1, math.inf)).finding is Finding.HOLDS
    assert decided(trial(math.inf, 1)).finding is Finding.VIOLATION
    assert decided(trial(math.inf, math.inf)).finding is Finding.INCONCLUSIVE
    assert decided(trial(math.nan, 1)).finding is Finding.INCONCLUSIVE


def test_a_nondegenerate_instance_is_shown_before_a_degenerate_one():
    found = decided(trial(2, 1, degenerate=True), trial(4, 1), trial(3, 1))
    assert found.violated.instance == "4 <= 1" and not found.violated.degenerate and found.worst_ratio == 4
    assert decided(trial(2, 1, degenerate=True)).violated.degenerate


def test_an_exact_violation_is_shown_before_a_sampled_one():
    found = decided(sampled(9, 1, 1e-3), trial(2, 1))
    assert found.violated.instance == "2 <= 1" and found.level is Level.EXACT and found.error_probability == 0
    assert verdict([found]) is Verdict.REFUTED
    only_degenerate = decided(sampled(9, 1, 1e-3), trial(2, 1, degenerate=True))
    assert verdict([only_degenerate]) is Verdict.REFUTED


def test_a_sampled_violation_pays_for_all_trials_it_was_picked_from():
    alone = decided(sampled(2, 1, 5e-7))
    assert alone.error_probability == 5e-7 and verdict([alone]) is Verdict.REFUTED
    picked = decided(sampled(2, 1, 5e-7), *(sampled(0, i, 5e-7) for i in range(1, 4)))
    assert picked.error_probability == pytest.approx(2e-6) and verdict([picked]) is Verdict.UNDECIDED


def test_error_probabilities_add_up_to_at_most_one():
    found = decided(*(sampled(0, i, 0.4) for i in range(1, 5)), trial(0, 1))
    assert (found.error_probability, found.level) == (1.0, Level.STATISTICAL)


def test_a_conjunct_that_no_trial_evaluated_leaves_the_claim_open():
    lower_only = Trial("t", {"x": 1}, {})
    found = decided(lower_only, claim=TWO_SIDED, detail="tried")
    assert found.finding is Finding.INCONCLUSIVE and found.detail == "tried; never evaluated: x <= y"
    assert decided(lower_only, trial(1, 2), claim=TWO_SIDED).finding is Finding.HOLDS
    assert decided(Trial("t", {"x": -1}, {}), claim=TWO_SIDED).finding is Finding.VIOLATION


def test_a_claim_without_statement_is_inconclusive():
    prose = Claim("t.p", Source("t", "T"), Kind.PROPERTY, "", None)
    assert decided(trial(1, 2), claim=prose).finding is Finding.INCONCLUSIVE


def test_the_reading_is_passed_on():
    for trials in ([trial(1, 2)], [trial(2, 1)], []):
        assert decided(*trials, reading="norm=R").reading == "norm=R"


def test_the_weakest_level():
    assert weakest([Level.CERTIFICATE, Level.FLOAT, Level.EXACT]) is Level.FLOAT
    weakest([])  # no evidence, no complaint


def test_an_instance_whose_bound_is_no_smaller_than_the_largest_value_supports_nothing():
    risk = declare("risk", "excess risk of a loss in [0, 1]", paper="t", most=1)
    claim = replace(BOUND, statement=le(risk, y))

    def at(value: float, bound: float) -> Trial:
        return Trial.exact(f"{value} <= {bound}", {"risk": value, "y": bound, "K": 1}, {})

    empty = decided(at(0.5, 1), at(1, 3), claim=claim)
    assert (empty.finding, empty.instances) == (Finding.INCONCLUSIVE, 2)
    assert empty.detail == "holds there whatever is measured, as no bound is below the largest value: risk <= y"
    assert decided(at(0.5, 1), at(0.5, 0.9), claim=claim).finding is Finding.HOLDS
    assert decided(at(0.5, 0.4), claim=claim).finding is Finding.VIOLATION
    # it is the measured side that cannot be larger, and no other one
    assert decided(at(0.5, 1), claim=replace(claim, statement=le(risk + 0, 2 * y))).finding is Finding.INCONCLUSIVE
    assert decided(at(0.5, 1), claim=replace(claim, statement=le(2 * risk, 2 * y))).finding is Finding.HOLDS


def test_a_probability_says_something_only_between_0_and_1_and_of_an_event_that_may_fail():
    risk = declare("risk", "excess risk of a loss in [0, 1]", paper="t", most=1)
    claim = replace(BOUND, statement=ge(Pr(le(risk, y)), z))

    def at(bound: float, level: float) -> Trial:
        return Trial.exact("", {"Pr": (0.5, 0.5), "risk": (0.0, 1.0), "y": bound, "z": level, "K": 1}, {})

    assert decided(at(0.5, 0.5), claim=claim).finding is Finding.HOLDS
    assert decided(at(0.5, -0.5), claim=claim).finding is Finding.INCONCLUSIVE
    assert decided(at(1, 0.5), claim=claim).finding is Finding.INCONCLUSIVE
    tail = replace(BOUND, statement=le(Pr(ge(risk, y)), z))
    assert [decided(at(0.5, z), claim=tail).finding for z in (0.6, 1)] == [Finding.HOLDS, Finding.INCONCLUSIVE]
