"""Every record of every paper obeys the laws of :mod:`rateproof.verify.form.laws`."""

from functools import lru_cache

import pytest

from rateproof.theory import catalog
from rateproof.theory.claim import Severity
from rateproof.verify import registry
from rateproof.verify.form import Record
from rateproof.verify.form.laws import LAWS
from rateproof.verify.severity import HOLDING
from rateproof.verify.stored import baseline

IN_ORDER = [one for paper in catalog.papers() for one in registry.records(paper)]
RECORDS = {one.claim.id: one for one in IN_ORDER if isinstance(one, Record)}
VERDICT = "verdict_is_that_of_the_baseline"
_committed = lru_cache(baseline.read)


# ``rateproof check`` compares every verdict with the baseline, in CI too: only ``--full`` does it twice
@pytest.mark.sweep(0)
@pytest.mark.parametrize("claim_id", RECORDS)
def test_a_verdict_is_that_of_the_baseline(claim_id):
    assert list(LAWS[VERDICT](RECORDS[claim_id])) == []


@pytest.mark.parametrize("claim_id", RECORDS)
def test_what_violates_a_claim_has_values_of_all_symbols(claim_id):
    violated = _committed(claim_id.partition(".")[0])[claim_id].result.violated
    assert violated is None or set(map(str, RECORDS[claim_id].claim.symbols)) <= violated["values"].keys()


@pytest.mark.sweep(500)
@pytest.mark.parametrize("law", [law for law in LAWS if law != VERDICT])
@pytest.mark.parametrize("claim_id", RECORDS)
def test_a_record_obeys(claim_id, law):
    assert list(LAWS[law](RECORDS[claim_id])) == []


@pytest.mark.parametrize("paper", catalog.papers())
def test_what_is_misprinted_holds_read_kindly(paper):
    misprints = [e.result for e in _committed(paper).values() if e.result.severity is Severity.MISPRINT]
    assert [r.claim for r in misprints if r.kindly not in HOLDING] == []
