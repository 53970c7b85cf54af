"""How each claim of the two-stage section is checked."""

from rateproof.theory.papers.fedrzo.twostage import CLAIMS
from rateproof.verify.checks import Check
from rateproof.verify.papers.fedrzo.twostage import (
    complexity,
    counts,
    explicit,
    game_checks,
    lemma_checks,
    lower,
    remarks,
)
from rateproof.verify.papers.fedrzo.twostage.spaces import SPACES
from rateproof.verify.papers.fedrzo.twostage.tight import SHARP

_PARTS = (remarks, lower, lemma_checks, explicit, complexity, counts, game_checks)
_BY_ITEM: dict[str, Check] = {item: check for part in _PARTS for item, check in part.CHECKS.items()}
#: A corrected claim without a check of its own has that of what it amends.
CHECKS: dict[str, Check] = {
    claim.id: check
    for claim in CLAIMS
    if (check := _BY_ITEM.get(claim.item) or _BY_ITEM.get(claim.printed_item)) is not None
}

__all__ = ["CHECKS", "SHARP", "SPACES"]
