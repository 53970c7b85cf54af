"""Claims of the bilevel section (Algorithm 2) and of the minimax case; corrected readings stand last."""

from rateproof.theory.claim import Claim
from rateproof.theory.papers.fedrzo.bilevel.cases import CASES
from rateproof.theory.papers.fedrzo.bilevel.corrected import CORRECTED
from rateproof.theory.papers.fedrzo.bilevel.corrected_rates import CORRECTED_RATES
from rateproof.theory.papers.fedrzo.bilevel.corrected_theorem import CORRECTED_THEOREM
from rateproof.theory.papers.fedrzo.bilevel.implicit import IMPLICIT
from rateproof.theory.papers.fedrzo.bilevel.lemmas import LEMMAS
from rateproof.theory.papers.fedrzo.bilevel.schedules import SCHEDULES
from rateproof.theory.papers.fedrzo.bilevel.steps import STEPS
from rateproof.theory.papers.fedrzo.bilevel.theorem import THEOREM

CLAIMS: tuple[Claim, ...] = (
    *IMPLICIT,
    *LEMMAS,
    *THEOREM,
    *CASES,
    *STEPS,
    *CORRECTED,
    *CORRECTED_THEOREM,
    *CORRECTED_RATES,
)

__all__ = ["CLAIMS", "SCHEDULES"]
