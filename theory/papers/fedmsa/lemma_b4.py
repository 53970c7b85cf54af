"""Lemma B.4: errors of the local directions."""

from rateproof.theory.claim import Claim

CLAIMS: tuple[Claim, ...] = ()
