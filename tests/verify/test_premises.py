"""What a claim gives a proof: keys, relations as they stand, and what follows from them."""

from dataclasses import replace

import pytest
import sympy as sp

from rateproof.theory.claim import Claim, Hypothesis, Kind, Source
from rateproof.theory.shorthand import every, ge, le
from rateproof.verify.checks import Budget
from rateproof.verify.deciders import premises
from rateproof.verify.deciders.certificates import Combination, Premise, argue, guarded, prove, proved, when
from rateproof.verify.evidence import Finding

s, L = sp.symbols("s L", positive=True)
m = sp.Symbol("m", real=True)
SHORT = Hypothesis("short", "s L <= 1", le(s * L, 1))
SMOOTH = Hypothesis("smooth", "the loss is L-smooth")
RANGE = Hypothesis("range", "1 < L < 2", every(sp.Gt(L, 1, evaluate=False), sp.Lt(L, 2, evaluate=False)))
CLAIM = Claim("fake.bound", Source("fake", "Lemma 1"), Kind.BOUND, "", le(m, s * L), (SHORT, SMOOTH, RANGE))


def stated(relation):
    return replace(CLAIM, hypotheses=(replace(SHORT, relation=relation),))


def test_a_relation_is_read_as_it_stands():
    assert premises.slack(CLAIM, "short") == 1 - s * L
    assert premises.slack(stated(ge(s * L, 1)), "short") == s * L - 1
    assert premises.slack(stated(le(s * L, 2)), "short") == 2 - s * L
    assert premises.missing(CLAIM, ("short", "smooth", "convex", "bounded")) == ["bounded", "convex"]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: premises.relation(CLAIM, "convex"), "uses convex, which is no hypothesis"),
        (lambda: premises.relation(CLAIM, "smooth"), "smooth as one relation; it has 0"),
        (lambda: premises.relation(CLAIM, "range"), "range as one relation; it has 2"),
        (lambda: premises.slack(stated(sp.Eq(s, L, evaluate=False)), "short"), "as an inequality; it is"),
        (lambda: premises.statement(CLAIM, ">=", "=="), "one relation with >= or ==, not for m <= L"),
        (lambda: premises.statement(replace(CLAIM, statement=None), "<="), "not for None"),
    ],
)
def test_what_is_not_given_is_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_what_follows_from_the_relations_and_the_signs():
    assert premises.implied(CLAIM, s <= 1 / L, sp.Rational(1, 2) < L, L * s > 0, sp.Ne(L, 2))
    assert not premises.implied(CLAIM, L >= 2)
    assert not premises.implied(CLAIM, sp.Rational(3, 2) >= L)
    assert not premises.implied(replace(CLAIM, hypotheses=()), L > 1)
    equal = stated(sp.Eq(L, 2, evaluate=False))
    assert premises.implied(equal, sp.Eq(2 * L, 4, evaluate=False)) and not premises.implied(equal, sp.Eq(L, 3))


def test_a_relation_outside_real_arithmetic_follows_only_from_itself():
    goal = sp.Lt(sp.log(L), s, evaluate=False)
    assert premises.implied(stated(goal), goal)
    assert not premises.implied(stated(goal), sp.Lt(sp.log(L), 2 * s, evaluate=False))
    assert not premises.implied(stated(sp.Gt(sp.log(L), s, evaluate=False)), goal)


def test_nothing_follows_from_hypotheses_that_exclude_each_other():
    both = every(sp.Gt(L, 2, evaluate=False), sp.Lt(L, 1, evaluate=False))
    assert not premises.implied(stated(both), sp.Rational(3, 2) <= L)


def test_a_premise_needs_its_hypotheses():
    descent = Premise(s * L - m, "the descent lemma", ("smooth",))
    proof = [Combination([(sp.S.One, descent)])]
    assert prove(CLAIM, proof).finding is Finding.PROOF
    without = prove(replace(CLAIM, hypotheses=(SHORT,)), proof)
    assert without.finding is Finding.INCONCLUSIVE
    assert "'the descent lemma' uses smooth, which is no hypothesis" in without.detail
    assert prove(replace(CLAIM, statement=None), []).finding is Finding.INCONCLUSIVE


def test_an_argument_that_is_not_for_the_claim_proves_nothing():
    def argument(claim):
        return [Combination([(sp.S.One, Premise(premises.slack(claim, "convex"), "convexity"))])]

    found = argue(CLAIM, argument)
    assert found.finding is Finding.INCONCLUSIVE and "uses convex" in found.detail

    @guarded
    def check(claim, budget):
        yield proved(str(premises.statement(claim, "<=")))

    assert [e.finding for e in check(CLAIM, Budget())] == [Finding.PROOF]
    (refused,) = check(replace(CLAIM, statement=ge(m, s * L)), Budget())
    assert refused.finding is Finding.INCONCLUSIVE and "not for m >= L*s" in refused.detail


def test_no_checks_are_no_proof():
    assert when({}, "nothing").finding is Finding.INCONCLUSIVE
    assert when({"one": True}, "one").finding is Finding.PROOF


def test_a_hypothesis_is_needed_as_it_is():
    (first, *_) = CLAIM.hypotheses
    premises.need_as_is(CLAIM, *CLAIM.hypotheses)
    with pytest.raises(ValueError, match="which is no hypothesis"):
        premises.need_as_is(replace(CLAIM, hypotheses=()), first)
    for other in (replace(first, relation=sp.Ge(sp.Symbol("other"), 0)), replace(first, text="other")):
        with pytest.raises(ValueError, match="which the claim has otherwise"):
            premises.need_as_is(replace(CLAIM, hypotheses=(other,)), first)
