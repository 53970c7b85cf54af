"""The rate as it holds: Theorem 3.1 with what its proof needs."""

from rateproof.theory.claim import Claim

CLAIMS: tuple[Claim, ...] = ()
