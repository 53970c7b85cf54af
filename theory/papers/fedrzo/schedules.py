"""Stepsizes, communication and lower-level rules of the paper, section by section."""

from rateproof.theory.papers.fedrzo import bilevel, single, twostage
from rateproof.theory.schedule import Schedule

SCHEDULES: tuple[Schedule, ...] = (*single.SCHEDULES, *bilevel.SCHEDULES, *twostage.SCHEDULES)
