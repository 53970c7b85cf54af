from dataclasses import replace

import pytest
import sympy as sp

from rateproof.theory import gram, sums
from rateproof.theory.claim import Claim, Hypothesis, Kind, Source
from rateproof.theory.symbols import declare
from rateproof.verify.deciders.machine import Fact, Form, Proof, Total, evidence, prove
from rateproof.verify.deciders.premises import statement
from rateproof.verify.evidence import Finding, Level

L, s = sp.symbols("L s", positive=True)
metric, start = sp.symbols("metric start", real=True)
n, j = sp.symbols("n j", positive=True, integer=True)
g, x = gram.vectors("g x")


def le(left, right):
    return sp.Le(left, right, evaluate=False)


LIPSCHITZ = Hypothesis("lipschitz", "g is L times as long as x at most")
SHORT = Hypothesis("short", "s L <= 1", le(s * L, sp.S.One))
# ||s g||^2 <= ||x||^2
CLAIM = Claim("fake.step", Source("fake", "Lemma 1"), Kind.BOUND, "", le(metric, start), (LIPSCHITZ, SHORT))
BOUNDED = Fact(gram.Given("g is bounded", (le(gram.norm2(g), L**2 * gram.norm2(x)),)), ("lipschitz",))


def one_step(claim):
    lhs, rhs = map(claim.expand, statement(claim, "<=").args)
    yield Form("the step", le(lhs, rhs).xreplace({metric: gram.norm2(s * g), start: gram.norm2(x)}), (BOUNDED,))


def stating(statement):
    return replace(CLAIM, statement=statement)


def without(key):
    return replace(CLAIM, hypotheses=tuple(h for h in CLAIM.hypotheses if h.key != key))


def test_the_conditions_of_a_fact_have_to_be_hypotheses():
    """mu < L is needed for the formula; a claim that allows mu = L is not proved by it."""
    mu = sp.Symbol("mu", positive=True)
    y, h = gram.vectors("y h")
    fact = Fact(gram.interpolation(mu, L, (x, g, metric), (y, h, start)), ("lipschitz",))
    goal = sp.Ge(gram.dot(g - h, x - y), mu * gram.norm2(x - y), evaluate=False)
    proof = Proof(lambda _: [Form("monotone", goal, (fact,))])
    assert "mu < L, which does not follow from the hypotheses" in prove(CLAIM, proof).detail
    curved = Hypothesis("curved", "mu < L", mu < L)
    assert prove(replace(CLAIM, hypotheses=(*CLAIM.hypotheses, curved)), proof).finding == Finding.PROOF


def test_a_step_from_the_claims_own_hypotheses_is_a_proof():
    found = prove(CLAIM, Proof(one_step, "said before"))
    assert (found.finding, found.level, found.method) == (Finding.PROOF, Level.CERTIFICATE, "quadratic form")
    assert found.detail.startswith("said before; from g is bounded; 1 step, with an exact certificate: ")


@pytest.mark.parametrize(
    ("claim", "why"),
    [
        (stating(le(metric, sp.Rational(99, 100) * start)), "the step: violated by"),
        (without("lipschitz"), "the step: violated by"),
        (without("short"), "the step: violated by"),
        (stating(le(metric, start**2)), "not linear"),
        (stating(le(metric, L**s * start)), "not a rational function"),
        (stating(sp.Ge(metric, start, evaluate=False)), "one relation with <="),
        (stating(sp.And(le(metric, start), le(metric, 2 * start), evaluate=False)), "one relation with <="),
        (stating(None), "one relation with <="),
    ],
)
def test_a_changed_claim_is_not_proved_and_not_refuted_either(claim, why):
    found = prove(claim, Proof(one_step))
    assert found.finding is Finding.INCONCLUSIVE
    assert found.detail.startswith("the proof does not check: ") and why in found.detail


def test_definitions_are_put_into_the_statement():
    half = declare("half", "half of it", paper="fake", defined=True)
    claim = replace(CLAIM, statement=le(metric, half), where={half: start / 2})
    assert prove(claim, Proof(one_step)).finding is Finding.INCONCLUSIVE
    assert prove(replace(claim, where={half: start}), Proof(one_step)).finding is Finding.PROOF


def test_all_steps_have_to_hold_and_the_first_that_fails_is_named():
    def steps(claim):
        yield from one_step(claim)
        yield Form("positive", le(sp.S.Zero, gram.norm2(x)))
        yield Form("too much", le(gram.norm2(x), gram.norm2(g)))
        raise AssertionError("no step is asked for after one that fails")

    found = prove(CLAIM, Proof(steps))
    assert found.finding is Finding.INCONCLUSIVE and "too much: violated by" in found.detail


def test_several_steps_are_listed_with_what_they_use():
    def steps(claim):
        yield from one_step(claim)
        yield Total("the sum", le(sp.Sum(1 / j, (j, 1, n)), 1 + sp.log(n)), n)

    found = prove(CLAIM, Proof(steps))
    assert (found.finding, found.method) == (Finding.PROOF, "quadratic form, sum bound")
    assert found.detail == "from g is bounded; 2 steps, each with an exact certificate: the step; the sum"


def test_a_false_sum_is_no_step_but_one_from_a_later_horizon_may_be():
    bound = le(sp.Sum(1 / j, (j, 1, n)), n - sp.Rational(1, 2))
    assert "sum: at n = 1" in prove(CLAIM, Proof(lambda _: [Total("sum", bound, n)])).detail
    assert prove(CLAIM, Proof(lambda _: [Total("sum", bound, n, first=2)])).finding is Finding.PROOF


def test_a_case_is_decided_under_its_own_assumption():
    goal = le(gram.norm2(x), s * gram.norm2(x))
    large = Form("s >= 1", goal, assuming=(sp.Ge(s, 1, evaluate=False),))
    assert prove(CLAIM, Proof(lambda _: [large])).finding is Finding.PROOF
    assert prove(CLAIM, Proof(lambda _: [replace(large, assuming=())])).finding is Finding.INCONCLUSIVE


def test_given_multipliers_are_checked_and_need_their_facts():
    def steps(multiplier):
        (step,) = one_step(CLAIM)
        return Proof(lambda _: [replace(step, multipliers=(multiplier,))])

    assert prove(CLAIM, steps(s**2)).finding is Finding.PROOF
    assert "do not prove it" in prove(CLAIM, steps(s)).detail
    assert "a hypothesis that it uses is missing" in prove(without("lipschitz"), steps(s**2)).detail


def test_contradictory_hypotheses_prove_nothing():
    impossible = replace(CLAIM, hypotheses=(*CLAIM.hypotheses, Hypothesis("absurd", "L <= -1", le(L, -sp.S.One))))
    assert "no parameters satisfy" in prove(impossible, Proof(one_step)).detail


def test_no_steps_are_no_proof():
    assert prove(CLAIM, Proof(lambda _: [])).finding is Finding.INCONCLUSIVE


@pytest.mark.parametrize(
    ("found", "finding", "method"),
    [
        (gram.decide(le(2 * gram.dot(g, x), gram.norm2(g) + gram.norm2(x))), Finding.PROOF, "quadratic form"),
        (gram.decide(le(gram.dot(g, x), gram.norm2(x))), Finding.INCONCLUSIVE, "quadratic form"),
        (gram.Open("too hard"), Finding.INCONCLUSIVE, "quadratic form"),
        (sums.Proved("by parts", "why"), Finding.PROOF, "sum bound: by parts"),
        (sums.Refuted({}, "2", "1", "2 > 1"), Finding.INCONCLUSIVE, "sum bound"),
        (sums.Open("too hard"), Finding.INCONCLUSIVE, "sum bound"),
    ],
)
def test_an_answer_of_a_prover_as_evidence(found, finding, method):
    said = evidence(found)
    assert (said.finding, said.method, said.level) == (finding, method, Level.CERTIFICATE)
    assert said.detail in (str(found), "why", "2 > 1", "too hard")
