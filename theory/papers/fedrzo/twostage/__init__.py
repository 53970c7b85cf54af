"""Claims of this section."""

from theory.claim import Claim
from theory.schedule import Schedule

CLAIMS: tuple[Claim, ...] = ()
SCHEDULES: tuple[Schedule, ...] = ()
