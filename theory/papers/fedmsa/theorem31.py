"""Theorem 3.1, with its explicit forms (48) and (49)."""

from rateproof.theory.claim import Claim

CLAIMS: tuple[Claim, ...] = ()
