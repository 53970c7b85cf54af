"""Steps and momentum of the paper: as Theorem 3.1 and its corollaries print them, and as the proof uses them."""

from rateproof.theory.schedule import Schedule

SCHEDULES: tuple[Schedule, ...] = ()
