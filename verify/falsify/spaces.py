"""The spaces of instances in which a claim is searched."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rateproof.theory import catalog
from rateproof.theory.claim import Claim, Reading
from rateproof.verify import registry
from rateproof.verify.checks import is_checked
from rateproof.verify.spaces.space import Space
from rateproof.verify.spaces.symbolic import symbolic_space


def spaces_of(claim: Claim) -> Sequence[Space[Any]]:
    """What the claim's paper exports; else its numbers, where they are all that the claim is about.

    Raises:
        ValueError: there is neither; the message says why.
    """
    if spaces := registry.record(claim).spaces:
        return spaces
    parts = [part for part in catalog.parts(claim.id) if part.reading is not Reading.CORRECTED]
    searched = [part for part in parts if registry.record(part).spaces]
    if searched or (claim.statement is None and parts):
        named = ", ".join(part.id for part in (searched or parts)[:8])
        raise ValueError(f"{claim.id} has no space of instances of its own; name one of its parts: {named}")
    try:
        return (symbolic_space(claim),)
    except ValueError as error:
        if not is_checked(claim):
            raise
        raise ValueError(
            f"{error}; rateproof check {claim.id} tries the instances of its check, rateproof show {claim.id} says "
            "what came of them"
        ) from error
