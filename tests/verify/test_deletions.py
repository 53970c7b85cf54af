"""Bounds lose their terms one by one; nothing needs to be known of them for that."""

import json
from dataclasses import replace

import pytest
import sympy as sp

from rateproof.theory import catalog
from rateproof.theory.claim import Claim, Kind, Source
from rateproof.theory.symbols import C_O, declare
from rateproof.verify.checks import Budget
from rateproof.verify.deciders import kernel
from rateproof.verify.evidence import Evidence, Finding, Level, Verdict, Violated
from rateproof.verify.planted import deletions as module
from rateproof.verify.planted import score_baseline
from rateproof.verify.planted.deletions import Cut, Cuts, Fate, bounds_with_terms, deletions
from rateproof.verify.planted.mutate import terms
from rateproof.verify.planted.score import judged

a, b, c, d, S, N, k = (sp.Symbol(name, positive=True) for name in ("a", "b", "c", "d", "S", "N", "k"))
metric, other = (sp.Symbol(name, real=True) for name in ("metric", "other"))
A = declare("A", "a defined number", paper="toy", real=True, defined=True)


@pytest.fixture(scope="module")
def known():
    """The bounds of all papers, which take a second to collect."""
    return bounds_with_terms()


@pytest.fixture(autouse=True)
def bounds_at_hand(monkeypatch, known):
    monkeypatch.setattr(module, "bounds_with_terms", lambda: known)


def claim(*relations, kind=Kind.BOUND, where=None):
    statement = relations[0] if len(relations) == 1 else sp.And(*relations, evaluate=False)
    return Claim("toy.bound", Source("toy", "here"), kind, "toy", statement, where=where or {})


def le(left, right):
    return sp.Le(left, right, evaluate=False)


def copies(of, factor=0):
    return {term.name: term.scaled(sp.sympify(factor)).statement for term in terms(of)}


# --- terms


def test_terms_are_left_out_one_by_one_and_halved():
    bound = claim(le(metric, a + 2 * b * c))
    assert copies(bound) == {"a": le(metric, 2 * b * c), "2*b*c": le(metric, a)}
    assert copies(bound, sp.S.Half)["2*b*c"] == le(metric, a + b * c)
    assert all(term.scaled(1).statement == bound.statement for term in terms(bound))


def test_products_are_multiplied_out_and_powers_are_not():
    assert set(copies(claim(le(metric, (a + b) * (c + d) ** 2)))) == {"a*(c + d)**2", "b*(c + d)**2"}
    assert copies(claim(le(metric, (a + b) ** 2))) == {}


def test_terms_under_a_root():
    found = copies(claim(le(metric, a * ((b + c) / d) ** (1 / k))))
    assert found == {"b/d": le(metric, a * (c / d) ** (1 / k)), "c/d": le(metric, a * (b / d) ** (1 / k))}
    assert set(copies(claim(le(metric, a * (1 + b) ** (1 / k))))) == {"b"}


def test_what_subtracts_is_no_term_and_a_difference_is_left_whole():
    assert copies(claim(le(metric, a * (1 - S / N) - b))) == {"a*(1 - S/N)": le(metric, -b)}


def test_a_lower_bound_loses_size():
    assert copies(claim(le(-(a + b), metric))) == {"a": le(-b, metric), "b": le(-a, metric)}
    # deleting a term of what is bounded would weaken the claim
    assert copies(claim(le(metric * (a + b), c))) == {}
    assert copies(claim(sp.Ge(a + b, metric, evaluate=False))) == {
        "a": sp.Ge(b, metric, evaluate=False),
        "b": sp.Ge(a, metric, evaluate=False),
    }


def test_definitions_are_opened_once_and_where_one_term_has_them():
    found = copies(claim(le(metric, A * c + d), where={A: a * (1 - S / N) + b * (c + d)}))
    assert found["a*(1 - S/N) of A"] == le(metric, b * c * (c + d) + d)
    assert set(found) == {"A*c", "d", "a*(1 - S/N) of A", "b*(c + d) of A"}
    assert set(copies(claim(le(metric, A * (c + d)), where={A: a + b}))) == {"A*c", "A*d"}


def test_what_an_order_bound_calls_a_constant_stays_one():
    order = claim(le(metric, C_O * (A * c + d)), kind=Kind.COMPLEXITY, where={A: a + b})
    assert copies(order) == {"A*c": le(metric, C_O * d), "d": le(metric, C_O * A * c)}


def test_the_same_term_at_two_places_has_two_names_and_equations_have_none():
    equation = sp.Eq(metric, a + b, evaluate=False)
    both = claim(le(metric, a + b), le(other, a + c), equation)
    found = copies(both)
    assert set(found) == {"a in metric <= ...", "b in metric <= ...", "a in other <= ...", "c in other <= ..."}
    assert set(found["a in other <= ..."].args) == {le(metric, a + b), le(other, c), equation}
    twice = claim(le(metric, a + (a + b) ** (1 / k)))
    assert {"a", "a (2)"} < set(copies(twice))


# --- what becomes of them


def checks(evidence, ids=("textbook.young",)):
    return dict.fromkeys(ids, lambda claim, budget: [evidence])


@pytest.mark.parametrize(
    ("evidence", "fate"),
    [
        (Evidence(Finding.HOLDS, Level.EXACT, "lazy", "all is well"), Fate.STANDS),
        (Evidence(Finding.INCONCLUSIVE, Level.EXACT, "timid", ""), Fate.STANDS),
        (Evidence(Finding.PROOF, Level.CERTIFICATE, "believer", ""), Fate.SHOWN),
        (
            Evidence(Finding.VIOLATION, Level.EXACT, "paranoid", "", violated=Violated("x", 1.0, 0.5, 2.0, "1 <= 0.5")),
            Fate.REFUTED,
        ),
        (Evidence(Finding.CONTRADICTION, Level.CERTIFICATE, "exponents", ""), Fate.REFUTED),
    ],
)
def test_a_checker_is_told_by_what_it_says_of_copies(evidence, fate):
    found = deletions(only=["textbook.young"], checks=checks(evidence))
    assert len(found.rows) == 2 and {cut.deleted for cut in found.rows} == {cut.halved for cut in found.rows} == {fate}
    assert len(found.holes) == (2 if fate is Fate.STANDS else 0)
    assert found.to_json()["proved"][str(fate)] == 2


def test_no_proof_is_tried_of_what_instances_refute_nor_of_halves(monkeypatch, known):
    tried = []
    monkeypatch.setattr(kernel, "prove", lambda copy: tried.append(copy.statement))
    assert {cut.deleted for cut in deletions(only=["textbook.young"]).rows} == {Fate.REFUTED} and tried == []
    # of a copy that stands, one
    term = known["textbook.young"][1][0]
    judged(term.scaled(2), "with twice a term", None, Budget())
    assert tried == [term.scaled(2).statement]


def test_an_unknown_bound_is_named():
    with pytest.raises(ValueError, match=r"unknown supported or proved bound with terms 'textbook.jung'.*young"):
        deletions(only=["textbook.jung"])


COMMITTED = score_baseline.read_terms()


@pytest.mark.sweep(4)
@pytest.mark.parametrize(
    ("claim_id", "which"), [(claim_id, i) for claim_id, found in COMMITTED.items() for i in range(found.terms)]
)
def test_the_committed_fates_are_those_of_the_deletions(known, claim_id, which):
    _, parts = known[claim_id]
    row = deletions(only=[claim_id], which=[which]).rows[0]
    assert row.hole == (parts[which].name in COMMITTED[claim_id].holes)


def test_the_committed_deletions_are_of_all_bounds_and_most_are_told(known):
    assert {claim_id: (found.verdict, found.terms) for claim_id, found in COMMITTED.items()} == {
        claim_id: (verdict, len(parts)) for claim_id, (verdict, parts) in known.items()
    }
    # a hole in a proved bound is no doubt about it
    holes = {claim_id: set(entry.holes) for claim_id, entry in COMMITTED.items() if entry.verdict == "supported"}
    assert {claim_id: found for claim_id, found in holes.items() if found} == {}


def test_every_term_of_the_one_round_lemmas_and_of_the_drift_is_needed():
    for item in ("lem5", "lem6", "lem7", "prop1", "prop3.i-2", "prop3.ii-2", "prop4", "prop6.ii-2", "thm1.i-1x"):
        assert COMMITTED[f"strfedavg.{item}.corrected"].holes == (), item


# --- the committed deletions


def cuts(*fates, claim_id="textbook.young", verdict=Verdict.SUPPORTED):
    return Cuts(tuple(Cut(claim_id, f"t{i}", verdict, fate, Fate.STANDS, 1.0) for i, fate in enumerate(fates)))


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setattr(score_baseline, "path_of", lambda paper: tmp_path / f"{paper}.jsonl")
    return tmp_path


def test_deletions_are_kept_beside_the_planted_errors_and_compared(folder):
    tally = score_baseline.Tally("textbook.young", True, 10, 10, 0, 10)
    score_baseline.write({"textbook.young": tally})
    now = score_baseline.terms_of(cuts(Fate.REFUTED, Fate.SHOWN, Fate.STANDS))
    assert score_baseline.write(now) == [folder / "textbook.jsonl"]
    assert score_baseline.read() == {"textbook.young": tally} and score_baseline.read_terms() == now
    (entry,) = now.values()
    assert (entry.terms, entry.refuted, entry.shown, entry.holes) == (3, 1, 1, ("t2",))
    assert list(score_baseline.terms_changed(now, now)) == []
    worse = score_baseline.terms_of(cuts(Fate.STANDS, Fate.SHOWN, Fate.STANDS))
    assert list(score_baseline.terms_changed(worse, now)) == [("textbook.young: stands without t0", True)]
    assert list(score_baseline.terms_changed(now, worse)) == [("textbook.young: no longer stands without t0", False)]
    ((line, is_worse),) = score_baseline.terms_changed(now, {})
    assert is_worse and "not among the committed scores" in line
    again = {"textbook.young": replace(tally, refuted=9)}
    score_baseline.write(again)
    assert score_baseline.read() == again and score_baseline.read_terms() == now
    lines = (folder / "textbook.jsonl").read_text().splitlines()
    assert ["holes" in json.loads(line) for line in lines] == [False, True]


def test_a_term_of_a_real_bound_is_named_as_it_is_written():
    names = [term.name for term in terms(catalog.get("strfedavg.prop1.corrected"))]
    assert {"T0", "A1*gamma_t", "s2/(K*S) of A1", "A2*gamma_t**2", "9*L*s2/(K*gamma_g**2) of A2"} < set(names)
