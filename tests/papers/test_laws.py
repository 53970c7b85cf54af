"""Every record of every paper obeys the laws of :mod:`rateproof.verify.form.laws`."""

import pytest

from rateproof.verify import registry
from rateproof.verify.form.laws import LAWS

RECORDS = registry.exported_by_all("RECORDS")
VERDICT = "verdict_is_that_of_the_baseline"


# ``rateproof check`` compares every verdict with the baseline
@pytest.mark.sweep(30)
@pytest.mark.parametrize("claim_id", RECORDS)
def test_a_verdict_is_that_of_the_baseline(claim_id):
    assert list(LAWS[VERDICT](RECORDS[claim_id])) == []


@pytest.mark.sweep(500)
@pytest.mark.parametrize("law", [law for law in LAWS if law != VERDICT])
@pytest.mark.parametrize("claim_id", RECORDS)
def test_a_record_obeys(claim_id, law):
    assert list(LAWS[law](RECORDS[claim_id])) == []
