"""Lemmas E.1 to E.3: squared norms of sums."""

from rateproof.theory.claim import Claim

CLAIMS: tuple[Claim, ...] = ()
