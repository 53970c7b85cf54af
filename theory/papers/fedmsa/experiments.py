"""The experiments of Section 4."""

from rateproof.theory.claim import Claim

CLAIMS: tuple[Claim, ...] = ()
