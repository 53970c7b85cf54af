"""What may be said from repetitions: intervals around means of differences, and a claim that these decide."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np

from rateproof.algos.problems.base import Array, Fact
from rateproof.theory.claim import Claim
from rateproof.verify.deciders.bounds import decide
from rateproof.verify.evidence import Evidence, Finding, Level
from rateproof.verify.trial import Trial

#: Chance of an error in a whole sentence: of a refutation, and of a confirmation.
SURE, LIKELY = 9e-7, 0.05
METHOD = "recorded runs"


def student(samples: Array, chance: float) -> Array:
    """Half the width of Student's two-sided intervals around means over the last axis."""
    from scipy.special import stdtrit

    n = samples.shape[-1]
    return np.asarray(stdtrit(n - 1, 1 - chance / 2) * samples.std(axis=-1, ddof=1) / math.sqrt(n))


def half_width(samples: Array, chance: float) -> float:
    """That of one mean; equal samples leave it positive."""
    return max(float(student(samples, chance)), 1e-12)


def estimate(
    label: str,
    values: Mapping[str, float],
    facts: Mapping[str, Fact],
    *,
    error: float,
    chance: float,
    at: Mapping[str, Any] | None = None,
) -> Trial:
    """What was estimated, with an error that it exceeds with this chance at most."""
    # a tenth: the decider takes ten times what is stated
    more: dict[str, Any] = {"absolute_error": error / 10, "error_probability": chance}
    return Trial(label, dict(values), facts, Level.STATISTICAL, at={} if at is None else at, **more)


def decided(
    claim: Claim, trials: Callable[[float], Iterable[Trial]], *, detail: str = "", reading: str = ""
) -> Evidence:
    """Refuted where a trial violates a claim beyond all doubt, confirmed where all satisfy it significantly.

    ``trials`` have intervals that all together miss with the chance at most that it is given.
    """
    sure, likely = (
        decide(claim, trials(chance), method=METHOD, detail=detail, reading=reading) for chance in (SURE, LIKELY)
    )
    return sure if sure.finding is Finding.VIOLATION else likely
