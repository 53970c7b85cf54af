"""Verdicts on the claims about smoothing and the single level, and errors planted in those that hold."""

from dataclasses import replace
from random import Random
from unittest.mock import ANY

import pytest
import sympy as sp

from rateproof.theory.claim import Reading, conjuncts
from rateproof.theory.papers.fedrzo.notation import H, eta_s, gamma, m, nu
from rateproof.theory.papers.fedrzo.single import CLAIMS
from rateproof.theory.papers.fedrzo.single.notation import SAMPLES_READING, eb, j_k
from rateproof.theory.shorthand import le
from rateproof.theory.symbols import n
from rateproof.verify import registry
from rateproof.verify.checks import Budget, evidence_on
from rateproof.verify.evidence import Finding, Verdict, verdict
from rateproof.verify.papers.fedrzo.single import (
    SHARP,
    chain,
    horizons,
    proofs,
    rates,
    readings,
    remarks,
    stationary,
    vector_proofs,
)
from rateproof.verify.papers.fedrzo.single.runs import proof_of
from rateproof.verify.planted.mutate import mutants

CHECKS = {one.claim.id: one.check for one in registry.records("fedrzo") if one.check}
BY_ID = {c.id.removeprefix("fedrzo."): c for c in CLAIMS}
REFUTED = {
    *("tab1.this.rate", "sec2.feas", "lem6", "lem8.a", "lem8.b", "prop1.i", "prop1.ii", "prop1.ii-x", "prop2.ii-b"),
    *("st.3.equality", "st.5.descent", "st.5.mean", "rem1.iterations"),
}
OTHERS = {
    "intro.implicit": Verdict.SUPPORTED,
    "rem8": Verdict.SUPPORTED,
    **dict.fromkeys(("tab1.66", "tab1.61", "tab1.21"), Verdict.UNCHECKED),
}
JOINT = {
    "rem.dissim": Verdict.PROVED,
    "rem1": Verdict.REFUTED,
    "st.1": Verdict.PROVED,
    "st.3": Verdict.REFUTED,
    "st.5": Verdict.REFUTED,
    "tab1.this": Verdict.REFUTED,
}


@pytest.fixture(scope="module")
def results(committed):
    return committed("fedrzo", BY_ID)


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
    found = {name: r["verdict"] for name, r in results["intro.feas"].readings.items()}
    nearest = "the nearest iterate, for any γ, from x_0"
    assert found == {
        "sets=any": "refuted",
        "stepsize=any γ": "refuted",
        f"nearest_outside={nearest} outside of X": "refuted",
        f"nearest_inside={nearest} in X": "proved",
        f"samples={SAMPLES_READING.other}": "refuted",
    }
    for item in ("lem4.i", "lem4.ii", "lem4.iii", "lem5.i", "lem5.ii", "intro.bias"):
        assert [(name, r["verdict"]) for name, r in results[item].readings.items()] == [
            (f"samples={SAMPLES_READING.other}", "refuted")
        ], item
    for item in ("prop1.iii", "rem1.rounds", "tab1.this.rounds"):
        assert results[item].readings == {
            "round_length=any lengths up to H": {"verdict": "refuted", "worst_ratio": ANY}
        }
    for item, verdict_of_other in (
        *(("sec2.feas", "proved"), ("tab1.this.rate", "proved")),
        *(("intro.2eta", "refuted"), ("rem.dissim.weaker", "refuted")),
    ):
        assert [r["verdict"] for r in results[item].readings.values()] == [verdict_of_other], item
    assert [r["verdict"] for r in results["rem1.iterations"].readings.values()] == ["proved", "refuted"]


def test_remark_1_read_kindly_is_for_accuracies_below_a_threshold_and_for_no_smaller_order():
    claim = BY_ID["rem1.iterations"]
    kind = claim.read_kindly()
    assert rates._below_1_m(kind).finding is Finding.PROOF
    assert rates._below_1_m(claim).finding is not Finding.PROOF
    smaller = replace(kind, statement=le(kind.statement.lhs, kind.statement.rhs / m))
    assert rates._below_1_m(smaller).finding is not Finding.PROOF


def test_remark_1_falls_along_the_number_of_clients(results):
    shown = results["rem1.iterations"].violated
    assert shown["at"]["m"] == 400_000 and shown["lhs"] == 100_001
    assert results["rem1"].verdict is Verdict.REFUTED and results["rem1.match"].proof_broken_by == ()


def test_proved_bounds_are_far_from_violated_or_tight(results):
    for item, result in results.items():
        if result.verdict is Verdict.PROVED and result.worst_ratio is not None and BY_ID[item].kind != "complexity":
            assert not result.worst_ratio > 1 + 1e-9, item


# --- planted errors


@pytest.mark.parametrize("claim_id", SHARP)
def test_errors_planted_where_a_claim_is_tight_are_refuted(claim_id):
    claim = next(c for c in CLAIMS if c.id == claim_id)
    for name, copy in mutants(claim, SHARP[claim_id], count=3, rng=Random(5)):
        assert verdict(evidence_on(copy, Budget())) is Verdict.REFUTED, name


PROVED_BY_MACHINE = sorted(
    {*proofs.ARGUMENTS, *vector_proofs.FORMS, *chain.CHAINS, *horizons.HORIZONS, *stationary.ARGUMENTS}
)


def proof(claim):
    item = claim.id.removeprefix("fedrzo.")
    if item in stationary.ARGUMENTS:
        return stationary.ARGUMENTS[item].evidence(claim)
    return proof_of(claim)


@pytest.mark.sweep(20)
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
    ("lem4.i", "lipschitz"),
    ("lem4.i", "sets"),
    ("lem4.ii", "variance_bounded"),
    ("lem4.iii", "fresh"),
    ("lem4.iii.sharp.corrected", "unbiased"),
    ("lem5.i", "lipschitz"),
    ("lem6.corrected", "dissimilarity"),
    ("lem8.a.corrected", "in_round"),
    ("lem8.b.corrected", "gamma_H_eta"),
    ("prop1.i.corrected", "gamma_sets"),
    ("prop1.i.corrected", "gamma_smooth"),
    ("prop1.i.large.corrected", "L0n>=1/4"),
    ("prop1.i.free.corrected", "free"),
    ("prop1.i.free.corrected", "gamma_smooth"),
    ("prop1.ii.corrected", "variance_bounded"),
    ("prop1.ii.corrected", "fresh"),
    ("prop1.ii-x.corrected", "K>=16mM^2"),
    ("prop1.ii-x.corrected", "mK>=(12B_2M)^4"),
    ("prop1.ii-x.corrected", "H_com"),
    ("prop1.iii", "H_com"),
    ("prop1.iii", "least_steps"),
    ("rem.dissim.bounded", "bounded"),
    ("sec2.feas.corrected", "regular"),
    ("prop2.i", "lipschitz"),
    ("prop2.ii-b.corrected", "eta_delta"),
    ("moreau-1", "sets"),
    ("st.4", "lem6"),
    ("st.5.mean.corrected", "gamma_smooth_mean"),
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
        ("lem8.b.corrected", "gamma_H_eta", 2),
        ("prop1.i.corrected", "gamma_sets", 4),
        ("prop1.i.corrected", "gamma_smooth", 2),
        ("st.7", "gamma_sets", 2),
        ("st.5.mean.corrected", "gamma_smooth_mean", 2),
    ],
)
def test_a_proof_fails_when_the_stepsize_may_be_longer(item, key, factor):
    assert proof(changed_cap(BY_ID[item], key, factor)).finding is Finding.INCONCLUSIVE


TURNED = {sp.Le: sp.Ge, sp.Ge: sp.Le}


def turned(claim, key):
    """The claim with an upper bound among its hypotheses as a lower one and the other way round."""

    def flipped(relation):
        parts = [TURNED[r.func](*r.args, evaluate=False) for r in conjuncts(relation)]
        return parts[0] if len(parts) == 1 else sp.And(*parts, evaluate=False)

    return replace(
        claim,
        hypotheses=tuple(replace(h, relation=flipped(h.relation)) if h.key == key else h for h in claim.hypotheses),
    )


@pytest.mark.parametrize(
    ("item", "key"),
    [
        *(("rem.dissim.bounded", "bounded"), ("st.4", "lem4.ii"), ("st.4", "lem6"), ("st.7", "gamma_sets")),
        *(("lem7.a", "round_length"), ("lem7.b", "round_length"), ("lem7.b", "gamma_7"), ("st.8", "K>=1")),
        *(("rem1.iterations.large.corrected", "K_eps>=m^3"), ("rem1.iterations.large.corrected", "epsilon<=1")),
    ],
)
def test_nothing_is_proved_from_a_hypothesis_turned_around(item, key):
    claim = BY_ID[item]
    assert verdict(evidence_on(claim, Budget())) is Verdict.PROVED
    assert verdict(evidence_on(turned(claim, key), Budget())) is not Verdict.PROVED


@pytest.mark.parametrize("item", ["rem1.iterations.corrected", "rem1.iterations.large.corrected"])
@pytest.mark.parametrize("key", ["variance_bounded", "fresh", "algorithm1", "k*"])
def test_the_iterations_of_remark_1_rest_on_the_whole_assumption(item, key):
    claim = BY_ID[item]
    kept = tuple(h for h in claim.hypotheses if h.key != key)
    assert rates._PROOFS[item](claim).finding is Finding.PROOF
    assert rates._PROOFS[item](replace(claim, hypotheses=kept)).finding is Finding.INCONCLUSIVE


@pytest.mark.parametrize("item", ["rem1.iterations.large.corrected", "sec2.feas.corrected"])
def test_a_lower_bound_is_no_upper_bound(item):
    claim = BY_ID[item]
    copy = replace(claim, statement=sp.Ge(*claim.statement.args, evaluate=False))
    prove = rates._PROOFS.get(item, proof)
    assert prove(claim).finding is Finding.PROOF and prove(copy).finding is Finding.INCONCLUSIVE


def test_rounds_are_counted_for_the_iterations_made():
    claim = BY_ID["prop1.iii"]
    more = tuple(
        replace(h, relation=sp.Eq(h.relation.lhs, h.relation.rhs**2, evaluate=False)) if h.key == "K=K_eps" else h
        for h in claim.hypotheses
    )
    assert proof(replace(claim, hypotheses=more)).finding is Finding.INCONCLUSIVE


@pytest.mark.parametrize(
    ("item", "said", "change"),
    [
        ("lem4.iii", "3n²ν²/η² in place of 6n²ν²/η²", lambda b: b - 3 * n**2 * nu**2 / eta_s**2),
        ("lem5.i", "no consensus error", lambda b: b.subs(eb, 0)),
        ("lem8.a.corrected", "a factor sqrt(k - T_r) less", lambda b: b / sp.sqrt(j_k)),
        ("lem8.b.corrected", "a factor sqrt(H) less", lambda b: b / sp.sqrt(H)),
        ("prop1.iii", "m^{1/4}", lambda b: b / sp.sqrt(m)),
        ("rem1.rounds", "m^{1/4}", lambda b: b / sp.sqrt(m)),
        ("rem1.iterations.large.corrected", "m^{3/2}", lambda b: b / sp.sqrt(m)),
        ("tab1.this.rate.corrected", "1/(m sqrt(K))", lambda b: b / sp.sqrt(m)),
    ],
)
def test_what_is_less_by_a_term_or_a_power_is_refuted(item, said, change):
    claim = BY_ID[item]
    lhs, rhs = claim.statement.args
    copy = replace(claim, statement=sp.Le(lhs, change(rhs), evaluate=False))
    assert verdict(evidence_on(copy, Budget())) is Verdict.REFUTED, said


@pytest.mark.parametrize(("item", "key"), [("lem7.b", "gamma_7"), ("st.7", "gamma_sets")])
def test_steps_twice_as_long_are_refuted(item, key):
    claim = BY_ID[item]
    assert verdict(evidence_on(changed_cap(claim, key, 2), Budget())) is Verdict.REFUTED


def test_lemma_7_with_the_other_root_or_a_smaller_constant_is_not_proved():
    claim = BY_ID["lem7.b"]
    assert readings.capped(claim).finding is Finding.PROOF
    assert readings.capped(claim.read(claim.switches[0])).finding is Finding.INCONCLUSIVE
    smaller = replace(claim, statement=sp.Le(claim.statement.lhs, claim.statement.rhs / 2, evaluate=False))
    assert readings.capped(smaller).finding is Finding.INCONCLUSIVE
    assert verdict(evidence_on(smaller, Budget())) is Verdict.REFUTED
    part_a = BY_ID["lem7.a"]
    wrong = replace(part_a, statement=sp.Le(part_a.statement.lhs, part_a.statement.rhs * sp.Rational(9, 10)))
    assert verdict(evidence_on(wrong, Budget())) is Verdict.REFUTED


def test_steps_with_another_rule_are_not_identities():
    claim = BY_ID["st.8"]
    rules = tuple(
        replace(h, relation=sp.Eq(gamma, 2 * h.relation.rhs, evaluate=False)) if h.key == "gamma_com" else h
        for h in claim.hypotheses
    )
    assert readings.substituted(claim).finding is Finding.PROOF
    assert readings.substituted(replace(claim, hypotheses=rules)).finding is Finding.INCONCLUSIVE


@pytest.mark.parametrize(
    "item",
    [
        *("prop1.ii.corrected", "prop1.iii", "rem1.iterations.corrected", "rem1.iterations.large.corrected"),
        *("rem1.rounds", "tab1.this.rate.corrected"),
    ],
)
def test_a_better_order_is_refuted_and_not_proved(item):
    """Ladders over the accuracy or the horizon see every exponent."""
    claim = BY_ID[item]
    relation = claim.statement
    if relation.lhs.name == "K_eps":
        better = sp.Symbol("epsilon", positive=True) ** sp.Rational(1, 2)
    else:
        K = next(s for s in relation.rhs.free_symbols if s.name in ("K_it", "K_eps"))
        better = K ** sp.Rational(-1, 4)
    copy = replace(claim, statement=relation.func(relation.lhs, relation.rhs * better, evaluate=False))
    assert verdict(evidence_on(copy, Budget())) is Verdict.REFUTED


def test_smaller_radii_break_proposition_2():
    claim = BY_ID["prop2.i"]
    radius, eta = next(iter(claim.where.items()))
    copy = replace(claim, where={radius: eta / 8})
    assert verdict(evidence_on(copy, Budget())) is Verdict.REFUTED


def test_without_the_term_of_order_m_the_complexity_falls():
    claim = BY_ID["rem1.iterations.corrected"]
    m = next(s for s in claim.statement.free_symbols if s.name == "m")
    copy = replace(claim, statement=claim.statement.subs(m, sp.sqrt(m)))
    assert verdict(evidence_on(copy, Budget())) is Verdict.REFUTED
    assert rates._of_order_m(claim).finding is Finding.PROOF
    assert rates._of_order_m(copy).finding is Finding.INCONCLUSIVE


def test_the_rate_of_table_1_is_proved():
    assert rates._rate_proof(BY_ID["tab1.this.rate.corrected"]).finding is Finding.PROOF


@pytest.mark.parametrize("key", ["gamma_sets", "gamma_smooth", "H_com", "gamma_com", "dissimilarity"])
def test_the_rate_of_table_1_needs_the_bounds_on_the_stepsize(key):
    claim = BY_ID["tab1.this.rate.corrected"]
    kept = tuple(h for h in claim.hypotheses if h.key != key)
    assert len(kept) == len(claim.hypotheses) - 1
    assert rates._rate_proof(replace(claim, hypotheses=kept)).finding is Finding.INCONCLUSIVE
    if key.startswith("gamma_s"):
        assert rates._rate_proof(changed_cap(claim, key, 4)).finding is Finding.INCONCLUSIVE


@pytest.mark.parametrize("lost", ["far_0", "rho"])
def test_bounded_iterates_may_be_far_from_the_sets(lost):
    """Either of the two lengths alone is too short: a point beyond 0, and a point next to 0."""
    claim = BY_ID["rem.dissim.bounded"]
    symbol = next(s for s in claim.statement.rhs.free_symbols if s.name == lost)
    copy = replace(claim, statement=claim.statement.subs(symbol, 0))
    assert verdict(evidence_on(copy, Budget())) is Verdict.REFUTED


def test_another_power_is_no_match():
    claim = BY_ID["rem1.match"]
    epsilon = sp.Symbol("epsilon", positive=True)
    wrong = tuple(
        replace(h, relation=sp.Eq(h.relation.lhs, h.relation.rhs / epsilon, evaluate=False))
        if h.key == "rem1.iterations"
        else h
        for h in claim.hypotheses
    )
    assert remarks._matched(claim).finding is Finding.PROOF
    assert remarks._matched(replace(claim, hypotheses=wrong)).finding is Finding.INCONCLUSIVE
