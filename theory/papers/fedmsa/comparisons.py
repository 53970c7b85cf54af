"""Comparisons, Table 1, complexities, and what the paper quotes of others."""

from rateproof.theory.claim import Claim

CLAIMS: tuple[Claim, ...] = ()
