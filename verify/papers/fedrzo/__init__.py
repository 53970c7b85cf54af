"""How each claim about FedRZO is checked, section by section."""

from typing import Any

from rateproof.verify.checks import Check
from rateproof.verify.papers.fedrzo import bilevel, single, twostage
from rateproof.verify.papers.fedrzo.single import lemma6
from rateproof.verify.planted.mutate import Sharp
from rateproof.verify.spaces.space import Space

CHECKS: dict[str, Check] = {**single.CHECKS, **bilevel.CHECKS, **twostage.CHECKS}
SPACES: dict[str, tuple[Space[Any], ...]] = {**single.SPACES, **bilevel.SPACES, **twostage.SPACES}
SHARP: dict[str, Sharp] = {**single.SHARP, **bilevel.SHARP, **twostage.SHARP}
#: One record for each claim that is in that form; the others follow.
RECORDS = (lemma6.PRINTED, lemma6.CORRECTED)
