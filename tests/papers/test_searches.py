"""A search for a counterexample agrees with the verdict, in the spaces that the papers give."""

import math

import pytest

from rateproof.theory import catalog
from rateproof.verify import registry
from rateproof.verify.evidence import Verdict
from rateproof.verify.falsify import falsify
from rateproof.verify.stored import baseline

RECORDS = {one.claim.id: one for paper in catalog.papers() for one in registry.records(paper)}
SPACES = {cid: one.spaces for cid, one in RECORDS.items() if one.spaces}
VERDICTS = {cid: line.result.verdict for paper in catalog.papers() for cid, line in baseline.read(paper).items()}
HOLDING = [cid for cid in SPACES if VERDICTS[cid] in (Verdict.PROVED, Verdict.SUPPORTED, Verdict.VACUOUS)]
SHOWN = [cid for cid, one in RECORDS.items() if one.refuted_by]


@pytest.mark.sweep(20)
@pytest.mark.parametrize("claim_id", HOLDING)
def test_no_claim_that_holds_is_accused(claim_id):
    found = falsify(catalog.get(claim_id), SPACES[claim_id], seconds=0.5, seed=3, examples=200)
    # a vacuous claim admits degenerate instances, whatever these do
    degenerate = VERDICTS[claim_id] is Verdict.VACUOUS and found.refuted and found.evidence.violated.degenerate
    assert not found.refuted or degenerate, found.evidence.violated


@pytest.mark.sweep(8)
@pytest.mark.parametrize("claim_id", SHOWN)
def test_the_first_corners_hold_the_counterexample_of_a_record(claim_id):
    found = falsify(catalog.get(claim_id), SPACES[claim_id], seconds=math.inf, examples=len(SPACES[claim_id]))
    assert found.refuted
