"""The spaces of instances in which a claim is searched."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from theory.claim import Claim
from verify import registry
from verify.space import Space
from verify.symbolic_space import symbolic_space


def spaces_of(claim: Claim) -> Sequence[Space[Any]]:
    """What the claim's paper exports; else its numbers, where they are all that the claim is about.

    Raises:
        ValueError: there is neither; the message says why.
    """
    found: Sequence[Space[Any]] | None = registry.of(claim.id, "SPACES")
    return found or (symbolic_space(claim),)
