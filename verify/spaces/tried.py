"""A claim that is proved meets numbers, where its check shows it no instance."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import islice
from typing import Any

from rateproof.theory.claim import Claim, Kind
from rateproof.verify import registry
from rateproof.verify.deciders import bounds
from rateproof.verify.evidence import Evidence, Finding, by_decider
from rateproof.verify.spaces.named_sums import with_sums_given
from rateproof.verify.spaces.space import Space
from rateproof.verify.spaces.symbolic import symbolic_space
from rateproof.verify.trial import Trial

#: At how many of them.
CORNERS = 60


def tried(claim: Claim) -> Evidence | None:
    """What a claim that is proved says at the corners of its space, or of its numbers where it is about these alone.

    None where no instance was found that satisfies its hypotheses, or where their errors leave it open. An O(.) claim
    says nothing at one place.
    """
    # what the kernel proves of a property is its statement
    stated = replace(claim, kind=Kind.INEQUALITY) if claim.proof else claim
    try:
        named, spaces = with_sums_given(stated, registry.record(claim).spaces or (symbolic_space(stated),))
    except ValueError:  # it is not about numbers alone
        return None
    corners = islice(_trials(named, spaces), CORNERS)
    evidence = bounds.decide(named, corners, method="corners")
    return by_decider(evidence, claim) if evidence.finding in (Finding.HOLDS, Finding.VIOLATION) else None


def _trials(claim: Claim, spaces: Sequence[Space[Any]]) -> Iterator[Trial]:
    for space in spaces:
        for corner in space.corners(claim):
            with suppress(ValueError):  # no instance
                trial = space.build(corner)
                if isinstance(trial, Trial):
                    yield trial
