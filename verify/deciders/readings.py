"""A claim read kindly, decided by a check that takes any reading of it."""

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

from rateproof.theory.claim import Claim
from rateproof.verify.evidence import Evidence

Check = Callable[[Claim, Any], Iterable[Evidence]]


def read_kindly(check: Check, kind: Check | None = None) -> Check:
    """The check of a claim as printed, and of its kind reading where it has one.

    Args:
        check: takes the claim as printed, and any reading of it.
        kind: takes the kind reading, where another check has to.
    """

    def both(claim: Claim, budget: Any) -> Iterable[Evidence]:
        yield from check(claim, budget)
        if claim.kind_reading:
            for evidence in (kind or check)(claim.read_kindly(), budget):
                if not evidence.reading:
                    yield replace(evidence, reading=claim.kind_reading)

    return both
