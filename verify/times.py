"""What checks are expected to take, from what they took before, and how much of that is left.

The ledger keeps every result with the CPU seconds of its check. So nothing is recorded twice, and nothing that differs
from run to run stands in a baseline; where the ledger does not know a claim, the steps of its proof are counted.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping

from rateproof.theory.claim import Claim
from rateproof.verify.deciders import kernel

#: CPU seconds of a check, and of each step of a proof; only how checks compare matters, see :class:`Left`.
CHECK, STEP = 0.5, 0.07
#: CPU seconds after which what was measured in this run counts as much as what was expected.
TRUSTED = 10.0


def expected(claims: Iterable[Claim], recorded: Mapping[str, float]) -> dict[str, float]:
    """CPU seconds that each check may take, by claim id.

    Args:
        claims: the claims.
        recorded: what checks took before.
    """
    return {c.id: recorded.get(c.id, CHECK + STEP * len(kernel.steps_of(c))) for c in claims}


class Left:
    """How long a run still takes: what is expected of the checks that wait, at the pace of those that are done."""

    def __init__(self, seconds: Mapping[str, float], jobs: int) -> None:
        """Begin to measure.

        Args:
            seconds: that each check may take, by claim id.
            jobs: checks at the same time.
        """
        self._waiting, self._jobs = dict(seconds), jobs
        self._done, self._start = 0.0, time.monotonic()

    def after(self, claim_id: str) -> str:
        """What is left after this check, in words; empty after the last one."""
        self._done += self._waiting.pop(claim_id)
        return self.now()

    def now(self) -> str:
        """What is left now, in words; empty where nothing is."""
        if not self._waiting:
            return ""
        spent = (time.monotonic() - self._start) * self._jobs
        pace = (spent + TRUSTED) / (self._done + TRUSTED)
        # the longest check runs in one process
        left = pace * max(sum(self._waiting.values()) / self._jobs, *self._waiting.values())
        return f"about {left:.0f} s left" if left < 90 else f"about {left / 60:.0f} min left"
