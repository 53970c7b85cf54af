"""Lemma B.5: errors of the momentum phase."""

from rateproof.theory.claim import Claim

CLAIMS: tuple[Claim, ...] = ()
