"""Verdicts on the claims about smoothing and the single level, and errors planted in those that hold."""

from dataclasses import replace
from random import Random

import pytest
import sympy as sp

from theory.claim import Reading
from theory.papers.fedrzo.notation import gamma
from theory.papers.fedrzo.single import CLAIMS
from verify.checks import Budget, blank, finish, judged
from verify.evidence import Finding, Verdict, verdict
from verify.mutate import mutants
from verify.papers.fedrzo.single import CHECKS, SHARP, chain, forms, horizons, proofs, readings, stationary
from verify.papers.fedrzo.single.runs import proof_of
from verify.trial import conjuncts

BY_ID = {c.id.removeprefix("fedrzo."): c for c in CLAIMS}
REFUTED = {
    *("intro.2eta.sets", "sec2.feas", "lem6", "lem8.a", "lem8.b", "prop1.i", "prop1.ii", "prop1.ii-x", "prop2.ii-b"),
    *("st.3.equality", "st.5.descent", "st.5.mean"),
}
OTHERS = {
    "intro.feas": Verdict.VACUOUS,
    "intro.implicit": Verdict.SUPPORTED,
    "rem8": Verdict.SUPPORTED,
    **dict.fromkeys(("tab1.66", "tab1.61", "tab1.21"), Verdict.UNCHECKED),
}
JOINT = {
    "intro.2eta": Verdict.REFUTED,
    "rem.dissim": Verdict.PROVED,
    "rem1": Verdict.PROVED,
    "st.1": Verdict.PROVED,
    "st.3": Verdict.REFUTED,
    "st.5": Verdict.REFUTED,
    "tab1.this": Verdict.PROVED,
}


@pytest.fixture(scope="module")
def results():
    raw = [judged(blank(c), CHECKS[c.id](c, Budget()) if c.id in CHECKS else ()) for c in CLAIMS]
    return {r.claim.removeprefix("fedrzo."): r for r in finish(raw)}


def test_verdicts(results):
    expected = dict.fromkeys(BY_ID, Verdict.PROVED) | dict.fromkeys(REFUTED, Verdict.REFUTED) | OTHERS | JOINT
    assert {i: r.verdict for i, r in results.items()} == expected


def test_corrected_claims_rest_on_nothing_that_falls(results):
    for item, claim in BY_ID.items():
        if claim.reading is Reading.CORRECTED:
            assert results[item].proof_broken_by == (), item
    assert "fedrzo.lem6" in results["prop1.i"].proof_broken_by


def test_other_readings(results):
    assert results["lem7.b"].readings["root=1/sqrt(beta H)"]["verdict"] == "refuted"
    (output,) = results["intro.feas"].readings.values()
    assert output["verdict"] == "refuted"


def test_proved_bounds_are_far_from_violated_or_tight(results):
    for item, result in results.items():
        if result.verdict is Verdict.PROVED and result.worst_ratio is not None and BY_ID[item].kind != "complexity":
            assert not result.worst_ratio > 1 + 1e-9, item


# --- planted errors


@pytest.mark.parametrize("claim_id", SHARP)
def test_errors_planted_where_a_claim_is_tight_are_refuted(claim_id):
    claim = next(c for c in CLAIMS if c.id == claim_id)
    for name, copy in mutants(claim, SHARP[claim_id], count=3, rng=Random(5)):
        assert verdict(CHECKS[claim_id](copy, Budget())) is Verdict.REFUTED, name


PROVED_BY_MACHINE = sorted({*proofs.ARGUMENTS, *forms.FORMS, *chain.CHAINS, *horizons.HORIZONS, *stationary.ARGUMENTS})


def proof(claim):
    item = claim.id.removeprefix("fedrzo.")
    if item in stationary.ARGUMENTS:
        return stationary.ARGUMENTS[item].evidence(claim)
    return proof_of(claim)


@pytest.mark.parametrize("item", PROVED_BY_MACHINE)
def test_a_proof_fails_when_the_bound_is_lowered(item):
    claim = BY_ID[item]
    parts = conjuncts(claim.statement)
    if all(r.rhs == 0 for r in parts):
        pytest.skip("nothing to lower")
    lowered = []
    for r in parts:
        low, high = (0, 1) if r.rel_op in ("<=", "==") else (1, 0)
        sides = list(r.args)
        sides[high] = sides[high] / 1000 if r.rel_op != ">=" else sides[high] * 1000
        lowered.append(r.func(*sides, evaluate=False))
        assert low != high
    weaker = [replace(claim, statement=s) for s in (lowered[0], sp.And(*lowered, evaluate=False))][len(lowered) > 1]
    if item == "lem5.ii":
        weaker = replace(claim, statement=sp.Ge(parts[0].lhs, 2 * parts[0].rhs, evaluate=False))
    assert proof(weaker).finding is Finding.INCONCLUSIVE


NEEDED = [
    ("lem4.ii", "variance_bounded"),
    ("lem4.iii", "fresh"),
    ("lem5.i", "lipschitz"),
    ("lem6.corrected", "dissimilarity"),
    ("lem8.a.corrected", "in_round"),
    ("lem8.b.corrected", "gamma_H"),
    ("prop1.i.corrected", "gamma_sets"),
    ("prop1.i.corrected", "gamma_smooth"),
    ("prop1.i.large.corrected", "L0n>=1/4"),
    ("prop1.i.free.corrected", "free"),
    ("prop1.ii-x.corrected", "K>=16mM^2"),
    ("prop1.ii-x.corrected", "mK>=(12B_2M)^4"),
    ("prop1.ii-x.corrected", "H_com"),
    ("prop1.iii", "H_com"),
    ("sec2.feas.corrected", "regular"),
    ("prop2.i", "lipschitz"),
    ("prop2.ii-b.corrected", "eta_delta"),
    ("moreau-1", "sets"),
    ("st.4", "lem6"),
    ("st.5.mean.corrected", "gamma_smooth"),
    ("st.7", "gamma_sets"),
]


@pytest.mark.parametrize(("item", "key"), NEEDED)
def test_a_proof_fails_without_a_hypothesis(item, key):
    claim = BY_ID[item]
    kept = tuple(h for h in claim.hypotheses if h.key != key)
    assert len(kept) == len(claim.hypotheses) - 1
    assert proof(replace(claim, hypotheses=kept)).finding is Finding.INCONCLUSIVE


def changed_cap(claim, key, factor):
    """A hypothesis ``lhs <= rhs`` with a larger right side."""
    return replace(
        claim,
        hypotheses=tuple(
            replace(h, relation=h.relation.func(h.relation.lhs, factor * h.relation.rhs, evaluate=False))
            if h.key == key
            else h
            for h in claim.hypotheses
        ),
    )


@pytest.mark.parametrize(
    ("item", "key", "factor"),
    [
        ("lem8.b.corrected", "gamma_H", 2),
        ("prop1.i.corrected", "gamma_sets", 4),
        ("prop1.i.corrected", "gamma_smooth", 2),
        ("st.7", "gamma_sets", 2),
        ("st.5.mean.corrected", "gamma_smooth", 2),
    ],
)
def test_a_proof_fails_when_the_stepsize_may_be_longer(item, key, factor):
    assert proof(changed_cap(BY_ID[item], key, factor)).finding is Finding.INCONCLUSIVE


def test_lemma_7_with_the_other_root_or_a_smaller_constant_is_not_proved():
    claim = BY_ID["lem7.b"]
    assert readings.capped(claim).finding is Finding.PROOF
    assert readings.capped(claim.read(claim.switches[0])).finding is Finding.INCONCLUSIVE
    smaller = replace(claim, statement=sp.Le(claim.statement.lhs, claim.statement.rhs / 2, evaluate=False))
    assert readings.capped(smaller).finding is Finding.INCONCLUSIVE
    assert verdict(CHECKS[claim.id](smaller, Budget())) is Verdict.REFUTED
    part_a = BY_ID["lem7.a"]
    wrong = replace(part_a, statement=sp.Le(part_a.statement.lhs, part_a.statement.rhs * sp.Rational(9, 10)))
    assert verdict(CHECKS[part_a.id](wrong, Budget())) is Verdict.REFUTED


def test_steps_with_another_rule_are_not_identities():
    claim = BY_ID["st.8"]
    rules = tuple(
        replace(h, relation=sp.Eq(gamma, 2 * h.relation.rhs, evaluate=False)) if h.key == "gamma_com" else h
        for h in claim.hypotheses
    )
    assert readings.substituted(claim).finding is Finding.PROOF
    assert readings.substituted(replace(claim, hypotheses=rules)).finding is Finding.INCONCLUSIVE


@pytest.mark.parametrize(
    "item", ["prop1.ii.corrected", "prop1.iii", "rem1.iterations", "rem1.rounds", "tab1.this.rate"]
)
def test_a_better_order_is_refuted_and_not_proved(item):
    """Ladders over the accuracy or the horizon see every exponent."""
    claim = BY_ID[item]
    relation = claim.statement
    better = {
        "prop1.ii.corrected": sp.Symbol("epsilon", positive=True) ** sp.Rational(1, 2),
        "rem1.iterations": sp.Symbol("epsilon", positive=True) ** sp.Rational(1, 2),
    }.get(item)
    if better is None:
        K = next(s for s in relation.rhs.free_symbols if s.name in ("K_it", "K_eps"))
        better = K ** sp.Rational(-1, 4)
    copy = replace(claim, statement=relation.func(relation.lhs, relation.rhs * better, evaluate=False))
    assert verdict(CHECKS[claim.id](copy, Budget())) is Verdict.REFUTED


def test_smaller_radii_break_proposition_2():
    claim = BY_ID["prop2.i"]
    radius, eta = next(iter(claim.where.items()))
    copy = replace(claim, where={radius: eta / 8})
    assert verdict(CHECKS[claim.id](copy, Budget())) is Verdict.REFUTED
