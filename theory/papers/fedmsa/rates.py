"""The rate as it holds: Theorem 3.1 with what its proof needs."""

from rateproof.theory.claim import Claim
from rateproof.theory.papers.fedmsa import one_round

CLAIMS: tuple[Claim, ...] = one_round.CLAIMS
