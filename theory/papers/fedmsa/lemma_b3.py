"""Lemma B.3: how far local steps move."""

from rateproof.theory.claim import Claim

CLAIMS: tuple[Claim, ...] = ()
