"""Claims of the two-stage section: Lemmas 12, 13, Theorem 2, its remarks and steps, Table 3, the game of Table 4."""

from rateproof.theory.claim import Claim
from rateproof.theory.papers.fedrzo.twostage import complexity, experiment, lemmas, steps, tables, theorem2
from rateproof.theory.papers.fedrzo.twostage.schedules import SCHEDULES

CLAIMS: tuple[Claim, ...] = (
    *steps.CLAIMS,
    *lemmas.CLAIMS,
    *theorem2.CLAIMS,
    *complexity.CLAIMS,
    *tables.CLAIMS,
    *experiment.CLAIMS,
)

__all__ = ["CLAIMS", "SCHEDULES"]
