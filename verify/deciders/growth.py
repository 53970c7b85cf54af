"""Decide an O(.) claim from ladders of instances.

The claim ``rounds <= C expr`` is refuted by admissible instances along which rounds / expr grows without limit while
everything the hidden constant may depend on stays fixed. A ladder shows that numerically: the ratio grows over many
decades of its parameter and has not begun to level off at the end.

A ladder is finite, so this is no proof: where a hidden constant is 10^30, the ratio of a true claim climbs along all
of a ladder of thirteen decades. A limit argument has to stand behind it; this repository keeps one for every O(.) claim
that it calls refuted.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from rateproof.theory.claim import Claim
from rateproof.theory.symbols import C_O
from rateproof.verify.deciders.bounds import Tried, said_of, violated, weakest
from rateproof.verify.evidence import Evidence, Finding
from rateproof.verify.trial import Trial, evaluate

# A ratio that still grows at this share of its mean logarithmic slope at the end of the ladder is not levelling off.
MIN_GROWTH = 1e2
MIN_LENGTH = 5
STEADY = 0.5
# A power of the parameter keeps its slope; a power of its logarithm does not, and over few decades a ratio that levels
# off late looks like one. A search over many ladders therefore asks for this share.
POWER = 0.8


@dataclass(frozen=True)
class Ladder:
    """Trials along a growing parameter, everything else fixed; ``why`` says what grows and why the ratio does."""

    parameter: str
    trials: Sequence[Trial]
    why: str


def decide(
    claim: Claim,
    ladders: Iterable[Ladder],
    *,
    method: str,
    detail: str = "",
    reading: str = "",
    steady: float = STEADY,
) -> Evidence:
    """Evidence on an O(.) claim; the hidden constant is taken as 1, so only growth of the ratio counts.

    ``steady`` is the share of its mean slope that the ratio must keep at the end of a ladder to count as growing.

    Returns VIOLATION with the last instance of the first growing ladder, HOLDS with the largest ratio seen
    when no admissible ladder grows, INCONCLUSIVE when no ladder is admissible.
    """
    lead = f"{detail}; " if detail else ""
    ratios_seen: list[float] = []
    levels, instances, witness = [], 0, ""
    skipped: list[str] = []
    for ladder in ladders:
        tried = _admissible(claim, ladder)
        if isinstance(tried, str):
            skipped.append(tried)
            continue
        ratios = [t.worst.ratio for t in tried]
        instances += len(tried)
        levels.append(weakest(t.trial.level for t in tried))
        if max(ratios) >= max(ratios_seen, default=0.0):
            witness = tried[ratios.index(max(ratios))].trial.label
        ratios_seen += ratios
        if grows(ratios, steady):
            shown = f"{ladder.why}; with the hidden constant 1 the ratio is " + ", ".join(f"{x:.3g}" for x in ratios)
            return Evidence(
                Finding.VIOLATION,
                levels[-1],
                method,
                said_of(f"{lead}along {ladder.parameter} the ratio grows without limit: {shown}", tried[-1]),
                worst_ratio=max(ratios),
                instances=instances,
                witness=tried[-1].trial.label,
                violated=violated(tried[-1]),
                reading=reading,
            )
    if not levels:
        why = "; ".join(skipped) or "none given"
        return Evidence(Finding.INCONCLUSIVE, weakest([]), method, f"no admissible ladder: {why}", reading=reading)
    return Evidence(
        Finding.HOLDS,
        weakest(levels),
        method,
        f"{lead}the ratio stays bounded along {len(levels)} ladders{_left_out(skipped)}",
        worst_ratio=max(ratios_seen),
        instances=instances,
        witness=witness,
        reading=reading,
    )


def with_unit_constant(trial: Trial) -> Trial:
    """The trial with the hidden constant of O(.) taken as 1, unless the trial gives it."""
    return replace(trial, values={str(C_O): 1.0, **trial.values})


def _left_out(skipped: Sequence[str]) -> str:
    return f"; {len(skipped)} others have too few admissible instances" if skipped else ""


def grows(ratios: Sequence[float], steady: float = STEADY) -> bool:
    """Whether a sequence of ratios grows without sign of levelling off."""
    if len(ratios) < MIN_LENGTH or not all(x > 0 for x in ratios):
        return False
    if math.isinf(ratios[-1]):
        return True
    steps = [math.log(y / x) for x, y in pairwise(ratios)]
    total = sum(steps)
    late = steps[-max(1, len(steps) // 3) :]
    return total > math.log(MIN_GROWTH) and sum(late) / len(late) >= steady * total / len(steps)


def _admissible(claim: Claim, ladder: Ladder) -> list[Tried] | str:
    """The rungs that satisfy every hypothesis (the first ones may lie below a threshold), or why they are too few."""
    tried, missed = [], "nothing given"
    for trial in ladder.trials:
        fixed = with_unit_constant(trial)
        outcome = evaluate(claim, fixed)
        if outcome.admissible and outcome.worst is not None:
            tried.append(Tried(fixed, outcome, outcome.worst))
        else:
            missed = f"{trial.label}: {', '.join((*outcome.failed, *outcome.open, *sorted(outcome.missing)))}"
    few = f"{len(tried)} admissible instances along {ladder.parameter}, {MIN_LENGTH} needed; last missed at {missed}"
    return tried if len(tried) >= MIN_LENGTH else few
