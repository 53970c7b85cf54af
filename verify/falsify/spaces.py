"""The spaces of instances in which a claim is searched."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from theory import catalog
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
    if found:
        return found
    if parts := [i for i in catalog.parts(claim.id) if registry.of(i, "SPACES")]:
        raise ValueError(f"{claim.id} has no space of instances of its own, its parts have: {', '.join(parts[:8])}")
    return (symbolic_space(claim),)
