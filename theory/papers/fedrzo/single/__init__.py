"""Smoothing and the single level: Sections 1 and 2 and Section 8.1 to 8.3 (FedRZO_nn, Algorithm 1)."""

from rateproof.theory.claim import Claim
from rateproof.theory.papers.fedrzo.single import (
    corrected,
    corrected_proposition,
    lemmas,
    propositions,
    smoothing,
    steps,
)
from rateproof.theory.papers.fedrzo.single.schedules import SCHEDULES

_CORRECTED = (*corrected.CLAIMS, *corrected_proposition.CLAIMS)
_PRINTED = (*smoothing.CLAIMS, *lemmas.CLAIMS, *propositions.CLAIMS, *steps.CLAIMS)

#: The claims as printed, each corrected one behind the claim that it amends.
CLAIMS: tuple[Claim, ...] = tuple(
    c for printed in _PRINTED for c in (printed, *(a for a in _CORRECTED if a.amends == printed.id))
)

__all__ = ["CLAIMS", "SCHEDULES"]
