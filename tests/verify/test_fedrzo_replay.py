"""The stored counterexamples to claims about FedRZO: each is replayed exactly, and wrong ones are rejected."""

from dataclasses import replace
from itertools import pairwise
from types import SimpleNamespace

import pytest
from flint import fmpq

from rateproof.theory import catalog
from rateproof.theory.claim import Claim, Hypothesis, Kind, Reading, Source
from rateproof.verify import registry
from rateproof.verify.counterexamples import replay
from rateproof.verify.evidence import Verdict
from rateproof.verify.papers.fedrzo import replayed as exact
from rateproof.verify.stored import baseline
from rateproof.verify.stored.sources import baseline_path

PAPER = "fedrzo"
STORED = replay.stored(PAPER)
#: The counterexamples of records obey the laws of tests/papers/test_laws.py.
IN_FILES = [i for i, example in STORED.items() if registry.record(example.claim).refuted_by is None]
REASONS = replay.without(PAPER)
BASELINE = baseline_path(PAPER)
written = pytest.mark.skipif(not BASELINE.exists() or not BASELINE.stat().st_size, reason="no baseline is written yet")


@pytest.mark.parametrize("claim_id", IN_FILES)
def test_every_stored_counterexample_refutes_its_claim(claim_id):
    found = STORED[claim_id].replayed()
    if isinstance(found, tuple):
        assert len(found) >= 3 and all(10 * before < after for before, after in pairwise(found))
        return
    assert set(found.hypotheses) == {h.key for h in catalog.get(claim_id).hypotheses}
    wrong = {"<=": found.left > found.right, ">=": found.left < found.right, "==": found.left != found.right}
    assert wrong[found.relation.rel_op]


@written
def test_every_refuted_claim_has_a_counterexample_or_a_reason_why_not():
    claims = catalog.claims(PAPER)
    for entry in baseline.read(PAPER).values():
        if entry.result.verdict is Verdict.REFUTED:
            parts = [i for i in claims if i.rpartition(".")[0] == entry.result.claim]
            assert {entry.result.claim, *parts} & (STORED.keys() | REASONS.keys()), entry.result.claim
    assert not STORED.keys() & REASONS.keys()


@written
def test_counterexamples_are_to_printed_claims_that_the_checks_refute():
    claims = catalog.claims(PAPER)
    assert STORED.keys() | REASONS.keys() <= claims.keys()
    assert all(claims[i].reading is not Reading.CORRECTED for i in STORED)
    for claim_id, entry in baseline.read(PAPER).items():
        if claim_id in STORED.keys() | REASONS.keys():
            assert entry.result.verdict is Verdict.REFUTED, claim_id


@pytest.mark.parametrize("claim_id", IN_FILES)
def test_records_are_short_and_in_exact_numbers(claim_id):
    def numbers(value):
        if isinstance(value, dict):
            for key, inner in value.items():
                yield from () if key in ("says", "facts", "measure") else numbers(inner)
        elif isinstance(value, list):
            for inner in value:
                yield from numbers(inner)
        else:
            yield value

    example = STORED[claim_id]
    assert len(example.by_hand) < 500 and example.by_hand.endswith(".")
    assert not any(isinstance(v, float) for v in numbers(dict(example.data)))


@pytest.mark.parametrize("claim_id", IN_FILES)
def test_wrong_numbers_are_rejected(claim_id):
    example = STORED[claim_id]
    if example.ratios:
        with pytest.raises(ValueError, match="states ratio"):
            replace(example, ratios=("1/7", *example.ratios[1:])).replayed()
        return
    other = "1/9" if example.left == "1/7" else "1/7"
    with pytest.raises(ValueError, match="states left"):
        replace(example, left=other).replayed()


@pytest.mark.parametrize("claim_id", IN_FILES)
def test_a_record_that_lacks_a_fact_is_rejected(claim_id):
    claim = catalog.get(claim_id)
    more = replace(claim, hypotheses=(*claim.hypotheses, Hypothesis("sea_level", "the server stands at the sea")))
    with pytest.raises(ValueError, match="nothing says that hypothesis sea_level holds"):
        STORED[claim_id].replayed(more)


def test_what_a_record_may_not_say(monkeypatch):
    monkeypatch.setattr(exact, "measures", lambda: {"one": lambda at: ({"x": fmpq(1)}, {"flat": "it is"})})
    claim = Claim("fedrzo.one", Source(PAPER, "nowhere"), Kind.PROPERTY, "one", None)
    for data, why in (
        ({"measure": "two"}, "unknown measure 'two'; known are one"),
        ({"at": {"x": 1}}, "names no measure"),
        ({"measure": "one", "values": {"x": 1}}, "determines x"),
        ({"measure": "one", "facts": {"flat": "so"}}, "determines flat"),
        ({"values": {"x": 0.5}}, "exact number"),
    ):
        with pytest.raises(ValueError, match=why):
            exact.measured(claim, data)
    assert exact.measured(claim, {"measure": "one", "values": {"y": 2}}) == ({"x": 1, "y": 2}, {"flat": "it is"})


def test_two_sections_may_not_measure_under_one_name(monkeypatch):
    section = SimpleNamespace(MEASURES={"same": lambda at: ({}, {})})
    monkeypatch.setattr(exact, "exists", lambda module: True)
    monkeypatch.setattr(exact, "import_module", lambda module: section)
    exact.measures.cache_clear()
    with pytest.raises(ValueError, match="section bilevel has a measure 'same'"):
        exact.measures()
    exact.measures.cache_clear()


# --- single level


def changed(item, **changes):
    """The stored record of a claim with other parameters, values or facts."""
    example = STORED[f"fedrzo.{item}"]
    data = {**example.data, **{k: {**example.data.get(k, {}), **v} for k, v in changes.items() if k != "rungs"}}
    if "rungs" in changes:
        data["rungs"] = changes["rungs"]
    return replace(example, data=data)


@pytest.mark.parametrize(
    ("item", "changes", "why"),
    [
        ("lem8.b", {"at": {"k": 3}}, "is not violated"),  # the first step of a round: no drift yet
        ("lem8.a", {"at": {"k": 2}}, "nothing says that hypothesis r>0 holds"),
        ("lem8.a", {"at": {"eta": "1/2"}}, "is not violated"),
        ("lem8.b", {"at": {"gamma": "1/11"}}, "hypothesis gamma_H does not hold: it says 12/11 <= 1"),
        ("lem8.b", {"at": {"gamma": "1/4800"}}, "is not violated"),
        ("prop1.i", {"at": {"L0": 1}}, "is not violated"),
        ("prop1.i", {"at": {"gamma": "1/2"}}, "hypothesis gamma_H does not hold"),
        ("prop1.i", {"at": {"gamma": "1/16"}}, "hypothesis gamma_sets does not hold"),
        ("prop1.i", {"at": {"K": 3}}, "is not violated"),
        ("prop1.ii-x", {"at": {"H": 99}}, "hypothesis H_proof does not hold"),
        ("prop1.ii-x", {"at": {"gamma": "1/9999"}}, "hypothesis gamma_com does not hold"),
        ("prop1.ii-x", {"at": {"eta": 40}}, "is not violated"),
        ("prop1.ii", {"at": {"epsilon": "1/500"}}, "reach the accuracy"),
        ("prop1.ii", {"rungs": [{"at": {"L0": "1/10"}}, {"at": {"L0": "1/11"}}]}, "do not grow"),
        ("prop2.ii-b", {"at": {"x": "-1/6"}}, "nothing says that hypothesis stationary holds"),
        ("prop2.ii-b", {"at": {"delta": "1/6"}}, "the Goldstein set is empty"),
        ("prop2.ii-b", {"at": {"eta": "1/9", "x": "-1/6"}}, "nothing says that hypothesis stationary holds"),
        ("prop2.ii-b", {"at": {"delta": "3/2"}}, "is not violated"),
        ("tab1.this.rate", {"rungs": [{"at": {"m": m}} for m in (4, 16, 64, 256)]}, "do not grow"),
        ("tab1.this.rate", {"rungs": [{"at": {"m": 6}}, {"at": {"m": 600}}]}, "whole number"),
        ("sec2.feas", {"rungs": [{"at": {"s": "1/2"}}, {"at": {"s": "1/3"}}]}, "do not grow"),
        ("st.3.equality", {"at": {"eta": 1}}, "is not violated"),
        ("st.5.descent", {"at": {"gamma": 2}}, "within eta"),
        ("st.5.mean", {"at": {"gamma": 3}}, "hypothesis gamma_smooth does not hold"),
        ("st.5.mean", {"at": {"gamma": "1/1000"}}, "is not violated"),
        ("lem8.a", {"values": {"eb": 1}}, "the measure opposite clients determines eb"),
        ("lem8.a", {"at": {"speed": 1}}, "has no parameter speed"),
    ],
)
def test_a_wrong_counterexample_is_rejected(item, changes, why):
    with pytest.raises(ValueError, match=why):
        changed(item, **changes).replayed()


@pytest.mark.parametrize("claim_id", IN_FILES)
def test_a_corrected_claim_is_not_refuted_by_the_record_of_the_printed_one(claim_id):
    for claim in catalog.claims(PAPER).values():
        if claim.amends == claim_id:
            with pytest.raises(ValueError, match=r"is not violated|do not grow|needs|hypothesis|not refuted|unpack"):
                STORED[claim_id].replayed(claim)
