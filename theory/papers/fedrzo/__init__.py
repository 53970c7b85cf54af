"""FedRZO: zeroth-order federated methods for nonsmooth, bilevel, minimax and two-stage equilibrium problems.

``CLAIMS`` holds the claims section by section: smoothing and the single level, the bilevel problem, the two-stage
problem; a corrected reading stands behind the claims of its section.
"""

from rateproof.theory.claim import Claim
from rateproof.theory.papers.fedrzo import bilevel, single, twostage
from rateproof.theory.papers.fedrzo.schedules import SCHEDULES

CLAIMS: tuple[Claim, ...] = (*single.CLAIMS, *bilevel.CLAIMS, *twostage.CLAIMS)

__all__ = ["CLAIMS", "SCHEDULES"]
