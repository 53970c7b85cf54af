"""O(.) claims on ladders: what grows, what does not, and what a float cannot hold."""

import math

import pytest
import sympy as sp

from rateproof.theory.claim import Claim, Kind, Source
from rateproof.theory.symbols import C_O
from rateproof.verify.deciders.growth import Ladder, decide, grows
from rateproof.verify.evidence import Finding
from rateproof.verify.trial import Trial

k, m = sp.symbols("k m", positive=True)
GEOMETRIC = Claim("t.o", Source("t", "T"), Kind.COMPLEXITY, "O(2^-k)", sp.Le(m, C_O * 2**-k, evaluate=False))
DOUBLING = [2.0**j for j in range(12)]


def decided(metric, at=DOUBLING, *more):
    ladders = [Ladder("k", [Trial(f"k = {x:g}", {"k": x, "m": f(x)}, {}) for x in at], "") for f in (metric, *more)]
    return decide(GEOMETRIC, ladders, method="m")


def test_a_rung_that_underflows_hides_no_growth():
    found = decided(lambda x: x**2 * 2.0**-x)  # 0 <= 0 at the last rung
    assert found.finding is Finding.VIOLATION and found.worst_ratio == 512**2
    assert "2 rungs are left out, where both sides are too small for floats" in found.detail


@pytest.mark.parametrize("constant", [1.0, 3.0, 1e6])
@pytest.mark.parametrize("at", [DOUBLING, [1000 + 10.0 * j for j in range(12)]], ids=["far", "near the end of floats"])
def test_a_rung_that_underflows_is_no_growth(constant, at):
    found = decided(lambda x: constant * 2.0**-x, at)
    assert found.finding is not Finding.VIOLATION
    if at is DOUBLING:
        assert found.finding is Finding.HOLDS and found.worst_ratio == constant


def test_a_metric_that_ends_is_no_growth_and_one_that_starts_at_zero_may_be():
    assert decided(lambda x: x**2 * 2.0**-x if x < 100 else 0.0, DOUBLING[:9]).finding is Finding.HOLDS
    assert decided(lambda x: (x - 1) ** 2 * 2.0**-x, DOUBLING[:9]).finding is Finding.VIOLATION
    assert grows([0, 1, 10, 100, 1000, 1e4]) and not grows([0, 1, 10, 100, 1000, 0])
    assert grows([1, 10, 100, 1000, math.inf])


def test_what_was_seen_is_said_and_no_more():
    slow = decided(lambda x: (1 + x) * 2.0**-x, DOUBLING[:7])  # grows 33-fold: too little to tell
    assert slow.finding is Finding.HOLDS and "bounded" not in slow.detail
    assert slow.detail == "along k the ratio is 2 at first, 65 at last and 65 at most"
    both = decided(lambda x: 5 * 2.0**-x, DOUBLING[:7], lambda x: (1 + x) * 2.0**-x)
    assert both.detail == "of 2 ladders the ratio grows most along k: 2 at first, 65 at last and 65 at most"


def test_too_few_rungs_decide_nothing():
    found = decided(lambda x: 2.0**-x, [2000.0 + j for j in range(9)])
    assert found.finding is Finding.INCONCLUSIVE and "9 rungs are left out" in found.detail
