"""Claims of the bilevel section (Algorithm 2) and of the minimax case; corrected readings stand last."""

from theory.claim import Claim
from theory.papers.fedrzo.bilevel.cases import CASES
from theory.papers.fedrzo.bilevel.corrected import CORRECTED
from theory.papers.fedrzo.bilevel.corrected_rates import CORRECTED_RATES
from theory.papers.fedrzo.bilevel.corrected_theorem import CORRECTED_THEOREM
from theory.papers.fedrzo.bilevel.implicit import IMPLICIT
from theory.papers.fedrzo.bilevel.lemmas import LEMMAS
from theory.papers.fedrzo.bilevel.schedules import SCHEDULES
from theory.papers.fedrzo.bilevel.steps import STEPS
from theory.papers.fedrzo.bilevel.theorem import THEOREM

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
