"""StR-FedAvg: self-tuned regularised federated averaging for optimal solution selection.

``CLAIMS`` holds the claims in the order of the paper, identities and proof steps last.
"""

from theory.claim import Claim
from theory.papers.strfedavg.lemmas import BEFORE_THEOREMS, CONVEX_ROUND, STRONGLY_CONVEX_ROUND
from theory.papers.strfedavg.propositions import PROP1, PROP2, PROP3, PROP4, PROP5, PROP6
from theory.papers.strfedavg.remarks import AFTER_THEOREMS, IDENTITIES, LATER_REMARKS
from theory.papers.strfedavg.schedules import SCHEDULES
from theory.papers.strfedavg.steps import STEPS
from theory.papers.strfedavg.tables import TAB1
from theory.papers.strfedavg.theorems import THM1, THM2

CLAIMS: tuple[Claim, ...] = (
    *TAB1,
    *BEFORE_THEOREMS,
    *THM1,
    *THM2,
    *AFTER_THEOREMS,
    *STRONGLY_CONVEX_ROUND,
    PROP1,
    *PROP2,
    *PROP3,
    *CONVEX_ROUND,
    PROP4,
    *PROP5,
    *PROP6,
    *LATER_REMARKS,
    *IDENTITIES,
    *STEPS,
)

__all__ = ["CLAIMS", "SCHEDULES"]
