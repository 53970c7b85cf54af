"""Steps of Local-SVRG, iterations of each call and outer steps, as Theorems 3 and 4 print them."""

from rateproof.theory.schedule import Schedule

SCHEDULES: tuple[Schedule, ...] = ()
