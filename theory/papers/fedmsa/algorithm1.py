"""Properties of Algorithm 1 that its text states: first steps, telescoped directions, communications."""

from rateproof.theory.claim import Claim

CLAIMS: tuple[Claim, ...] = ()
