"""How each claim about FedRZO is checked, section by section."""

from typing import Any

from verify.checks import Check
from verify.mutate import Sharp
from verify.papers.fedrzo import bilevel, single, twostage
from verify.papers.fedrzo.methods import METHODS as METHODS
from verify.space import Space

CHECKS: dict[str, Check] = {**single.CHECKS, **bilevel.CHECKS, **twostage.CHECKS}
SPACES: dict[str, tuple[Space[Any], ...]] = {**single.SPACES, **bilevel.SPACES, **twostage.SPACES}
SHARP: dict[str, Sharp] = {**single.SHARP, **bilevel.SHARP, **twostage.SHARP}
