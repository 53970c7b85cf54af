"""To come."""

from rateproof.theory.claim import Claim

CLAIMS: tuple[Claim, ...] = ()
