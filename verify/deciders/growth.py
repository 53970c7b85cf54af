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
from itertools import dropwhile, pairwise

from rateproof.theory.claim import Claim
from rateproof.theory.symbols import C_O
from rateproof.verify.deciders.bounds import Tried, said_of, violated, weakest
from rateproof.verify.evidence import Evidence, Finding, by_decider, underflows
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

    A rung on which a side is 0 or underflows says nothing about growth: it is left out, and said to be.

    Returns VIOLATION with the last instance of the first growing ladder, HOLDS with the largest ratio seen
    when no admissible ladder grows, INCONCLUSIVE when no ladder is admissible.
    """
    lead = f"{detail}; " if detail else ""
    seen: list[tuple[Ladder, list[float]]] = []
    levels, instances, witness = [], 0, ""
    skipped: list[str] = []
    vanishing = 0
    for ladder in ladders:
        admissible, missed = _admissible(claim, ladder)
        positive = [(t, ratio) for t in admissible if (ratio := _ratio(t)) is not None]
        vanishing += len(admissible) - len(positive)
        if len(positive) < MIN_LENGTH:
            few = f"{len(positive)} admissible instances along {ladder.parameter}, {MIN_LENGTH} needed"
            skipped.append(f"{few}{missed}")
            continue
        tried, ratios = [t for t, _ in positive], [ratio for _, ratio in positive]
        instances += len(tried)
        levels.append(weakest(t.trial.level for t in tried))
        if max(ratios) >= max((r for _, others in seen for r in others), default=0.0):
            witness = tried[ratios.index(max(ratios))].trial.label
        seen.append((ladder, ratios))
        if grows(ratios, steady):
            shown = f"{ladder.why}; with the hidden constant 1 the ratio is " + ", ".join(f"{x:.3g}" for x in ratios)
            violation = Evidence(
                Finding.VIOLATION,
                levels[-1],
                method,
                said_of(
                    f"{lead}along {ladder.parameter} the ratio grows without limit: {shown}{_left_out(vanishing)}",
                    tried[-1],
                ),
                worst_ratio=max(ratios),
                instances=instances,
                witness=tried[-1].trial.label,
                violated=violated(claim, tried[-1]),
                reading=reading,
            )
            return by_decider(violation, claim)
    left_out = _left_out(vanishing)
    if not levels:
        why = "; ".join(skipped) or "none given"
        detail = f"no admissible ladder: {why}{left_out}"
        return Evidence(Finding.INCONCLUSIVE, weakest([]), method, detail, reading=reading)
    holds = Evidence(
        Finding.HOLDS,
        weakest(levels),
        method,
        f"{lead}{_summary(seen)}{_too_few(skipped)}{left_out}",
        worst_ratio=max(r for _, ratios in seen for r in ratios),
        instances=instances,
        witness=witness,
        reading=reading,
    )
    return by_decider(holds, claim)


def with_unit_constant(trial: Trial) -> Trial:
    """The trial with the hidden constant of O(.) taken as 1, unless the trial gives it."""
    return replace(trial, values={str(C_O): 1.0, **trial.values})


def _summary(seen: Sequence[tuple[Ladder, list[float]]]) -> str:
    """What was seen, on the ladder along which the ratio grows most."""
    ladder, ratios = max(seen, key=lambda one: one[1][-1] / one[1][0] if one[1][0] > 0 else 0.0)
    shown = f"{ratios[0]:.3g} at first, {ratios[-1]:.3g} at last and {max(ratios):.3g} at most"
    if len(seen) == 1:
        return f"along {ladder.parameter} the ratio is {shown}"
    return f"of {len(seen)} ladders the ratio grows most along {ladder.parameter}: {shown}"


def _too_few(skipped: Sequence[str]) -> str:
    who = "another one has" if len(skipped) == 1 else f"{len(skipped)} others have"
    return f"; {who} too few admissible instances" if skipped else ""


def _left_out(vanishing: int) -> str:
    return f"; {vanishing} rungs are left out, where both sides are too small for floats" if vanishing else ""


def _ratio(tried: Tried) -> float | None:
    """The largest ratio of a rung; None where all sides underflow."""
    sides = (s for s in tried.outcome.sides if not (math.isnan(s.ratio) or underflows(s.lhs, s.rhs)))
    return max((s.ratio for s in sides), default=None)


def grows(ratios: Sequence[float], steady: float = STEADY) -> bool:
    """Whether a sequence of ratios grows without sign of levelling off, from the first that is not 0 on."""
    ratios = list(dropwhile(lambda x: x == 0, ratios))
    if len(ratios) < MIN_LENGTH or not all(x > 0 for x in ratios):
        return False
    if math.isinf(ratios[-1]):
        return True
    steps = [math.log(y / x) for x, y in pairwise(ratios)]
    total = sum(steps)
    late = steps[-max(1, len(steps) // 3) :]
    return total > math.log(MIN_GROWTH) and sum(late) / len(late) >= steady * total / len(steps)


def _admissible(claim: Claim, ladder: Ladder) -> tuple[list[Tried], str]:
    """The rungs that satisfy every hypothesis (the first may lie below a threshold), and the last that does not."""
    tried, missed = [], ""
    for trial in ladder.trials:
        fixed = with_unit_constant(trial)
        outcome = evaluate(claim, fixed)
        if outcome.admissible and outcome.worst is not None:
            tried.append(Tried(fixed, outcome, outcome.worst))
        else:
            reasons = (*outcome.failed, *outcome.open, *sorted(outcome.missing))
            missed = f"; last missed at {trial.label}: {', '.join(reasons)}"
    return tried, missed
