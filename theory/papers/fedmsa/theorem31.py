"""Theorem 3.1, and the steps of its proof, (43) to (49)."""

from rateproof.theory.claim import Claim

CLAIMS: tuple[Claim, ...] = ()
