"""How each claim of the two-stage section is checked."""

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
CHECKS: dict[str, Check] = {f"fedrzo.{item}": check for part in _PARTS for item, check in part.CHECKS.items()}

__all__ = ["CHECKS", "SHARP", "SPACES"]
