"""Decide a bound from trials: evaluate hypotheses and statement on each, and report the worst ratio."""

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace

import sympy as sp

from rateproof.theory.claim import Claim, conjuncts
from rateproof.verify.evidence import MAX_REFUTATION_ERROR, Evidence, Finding, Level, Violated, by_decider
from rateproof.verify.trial import Outcome, Side, Trial, evaluate, symbol_values


@dataclass(frozen=True)
class Tried:
    """An admissible trial with its outcome and worst conjunct."""

    trial: Trial
    outcome: Outcome
    worst: Side

    @property
    def violation(self) -> Side | None:
        """The conjunct that is violated beyond all error, the one with the largest ratio; None when none is."""
        return self._largest("violated")

    @property
    def open(self) -> Side | None:
        """The conjunct that the errors leave open, the one with the largest ratio; None when none is."""
        return self._largest("open")

    @property
    def violates(self) -> bool:
        """Some conjunct is violated beyond all error."""
        return self.violation is not None

    @property
    def ratio(self) -> float:
        """The largest ratio; at most 1 when no conjunct is violated beyond all error (0 <= -1e-17 is rounding).

        A side against a side that are both zero up to the trial's error say nothing about how much of a bound is used;
        NaN when no conjunct says anything.
        """
        violation = self.violation
        if violation is not None:
            return violation.ratio
        ratios = [s.ratio for s in self.outcome.sides if self._exceeds_error(s)]
        usable = [r for r in ratios if not math.isnan(r)]
        return min(1.0, max(usable)) if usable else math.nan

    @property
    def overflows(self) -> bool:
        """What is violated is so by an infinite side, which is no number to show."""
        side = self.violation
        return side is not None and not (math.isfinite(side.lhs) and math.isfinite(side.rhs))

    def _exceeds_error(self, side: Side) -> bool:
        limits = self.trial.limits(side.scale)
        return max(abs(side.lhs), abs(side.rhs)) > max(limits["absolute"], limits["rounding"])

    def _largest(self, standing: str) -> Side | None:
        sides = (s for s in self.outcome.sides if s.standing(self.trial) == standing)
        return max(sides, key=lambda s: s.ratio, default=None)


def decide(claim: Claim, trials: Iterable[Trial], *, method: str, detail: str = "", reading: str = "") -> Evidence:
    """Evidence on a claim from a family of trials.

    Trials that miss a hypothesis are not counted. The reported violation is the first one in the given order,
    those whose error probability is small enough to refute before the others, nondegenerate instances before
    degenerate ones, computed ones before sampled ones; ``worst_ratio`` is over all admissible trials. A sampled
    violation was picked among all sampled trials, so it carries the sum of their error probabilities. A claim holds on
    the trials only when each of its conjuncts was evaluated on at least one where it says something, and none is left
    open by the errors.

    Args:
        claim: the claim, or a mutated or re-read copy of it.
        trials: in order of simplicity.
        method: the decider's name in reports.
        detail: what the trials were, for the reader.
        reading: name of the reading when it is not the printed one.
    """
    tried: list[Tried] = []
    missed: dict[str, int] = {}
    unanswered: dict[str, int] = {}
    unknown: dict[str, int] = {}
    for trial in trials:
        outcome = evaluate(claim, trial)
        if not outcome.admissible:
            for keys, counts in ((outcome.failed, missed), (outcome.open, unanswered)):
                for key in keys:
                    counts[key] = counts.get(key, 0) + 1
        elif outcome.worst is not None:
            tried.append(Tried(trial, outcome, outcome.worst))
        else:
            for name in outcome.missing or ("a number (a side is NaN)",):
                unknown[name] = unknown.get(name, 0) + 1
    if not tried:
        return Evidence(
            Finding.INCONCLUSIVE,
            Level.EXACT,
            method,
            "; ".join(filter(None, (detail, _nothing_tried(missed, unanswered, unknown)))),
            reading=reading,
        )
    worst = max(tried, key=lambda t: -1.0 if math.isnan(t.ratio) else t.ratio)
    chance = min(1.0, sum(t.trial.error_probability for t in tried))

    def error_of(t: Tried) -> float:
        return chance if t.trial.error_probability else 0.0

    def preference(t: Tried) -> tuple[bool, bool, bool, float]:
        return error_of(t) > MAX_REFUTATION_ERROR, t.trial.degenerate, t.overflows, error_of(t)

    shown = min((t for t in tried if t.violates), key=preference, default=None)
    if shown is not None:
        evidence = Evidence(
            Finding.VIOLATION,
            shown.trial.level,
            method,
            said_of(detail, shown),
            worst_ratio=_number(worst.ratio),
            instances=len(tried),
            witness=shown.trial.label,
            violated=violated(claim, shown),
            error_probability=error_of(shown),
            reading=reading,
        )
        return by_decider(evidence, claim)
    left_open = [*_left_open(tried), *_unsaid(claim, tried)]
    evidence = Evidence(
        Finding.INCONCLUSIVE if left_open else Finding.HOLDS,
        weakest(t.trial.level for t in tried),
        method,
        "; ".join(filter(None, (detail, *left_open))),
        worst_ratio=_number(worst.ratio),
        instances=len(tried),
        witness=worst.trial.label,
        error_probability=chance,
        reading=reading,
    )
    return by_decider(evidence, claim)


def _left_open(tried: Iterable[Tried]) -> list[str]:
    """What the errors of the numbers leave open, and what would decide it."""
    undecided = [(t, side) for t in tried if (side := t.open) is not None]
    if not undecided:
        return []
    trial, side = undecided[0][0].trial, undecided[0][1]
    left, right = side.printed
    others = len({t.trial.label for t, _ in undecided}) - 1
    many = f" and {others} more" if others else ""
    if side.lhs > side.rhs:
        how = f"which fails by {side.lhs - side.rhs:.2g}, less than the error of these numbers"
        remedy = "say exact numbers with Trial.exact, or state error and absolute_error"
    else:
        how = "whose sides are equal up to the error of these numbers"
        remedy = "a strict inequality needs Trial.exact with error=0, or sides that differ"
    return [f"open on {trial.label}{many}: {side.relation}, left {left:.6g}, right {right:.6g}, {how}; {remedy}"]


def _number(ratio: float) -> float | None:
    return None if math.isnan(ratio) else ratio


def _nothing_tried(missed: dict[str, int], unanswered: dict[str, int], unknown: dict[str, int]) -> str:
    """Why no trial counted: hypotheses that failed or were not answered for, and values that admissible trials lack."""

    def counted(names: dict[str, int]) -> str:
        return ", ".join(f"{k} ({n} times)" for k, n in sorted(names.items(), key=lambda kv: -kv[1]))

    parts = []
    if unknown:
        parts.append(f"admissible instances could not be evaluated for want of {counted(unknown)}")
    if missed:
        parts.append(f"hypotheses missed: {counted(missed)}")
    if unanswered:
        parts.append(f"instances say nothing about {counted(unanswered)}")
    return "; ".join(("no admissible instance was evaluated", *parts))


def misses(claim: Claim, trials: Iterable[Trial]) -> float | None:
    """The least factor by which trials that need the conditions of a claim's kind reading miss one of them.

    These violate the claim as it is read kindly in all else. None when no trial does, so that no factor is known, or
    the kind reading has other changes of the hypotheses than further inequalities between nonnegative numbers.
    """
    further = [r for s in claim.kind_switches for h in s.adding for r in conjuncts(h.relation)]
    if not further or any(s.without for s in claim.kind_switches):
        return None
    mild = replace(claim, switches=tuple(s for s in claim.switches if not s.adding)).read_kindly()
    conditions = replace(claim, statement=sp.And(*further, evaluate=False), hypotheses=())
    factors = []
    for trial in trials:
        outcome = evaluate(mild, trial)
        if outcome.admissible and any(s.standing(trial) == "violated" for s in outcome.sides):
            factors.append(max(s.ratio for s in evaluate(conditions, trial).sides))
    return min(factors, default=None)


def violated(claim: Claim, tried: Tried) -> Violated:
    """The refuting instance in full."""
    side = tried.violation or tried.worst
    left, right = side.printed
    return Violated(
        instance=tried.trial.label,
        lhs=left,
        rhs=right,
        ratio=side.ratio,
        relation=str(side.relation),
        hypotheses=dict(tried.outcome.holds),
        at=dict(tried.trial.at),
        degenerate=tried.trial.degenerate,
        values=symbol_values(claim, tried.trial),
    )


def said_of(detail: str, shown: Tried) -> str:
    """The detail, and that only degenerate instances violate the claim when the one shown is degenerate."""
    parts = [detail, "only degenerate instances violate it"] if shown.trial.degenerate else [detail]
    return "; ".join(filter(None, parts))


def weakest(levels: Iterable[Level]) -> Level:
    """The weakest of some levels of evidence (certificate when there are none)."""
    order = list(Level)
    return max(levels, key=order.index, default=Level.CERTIFICATE)


def _unsaid(claim: Claim, tried: Iterable[Tried]) -> list[str]:
    """What no trial evaluates, and what says nothing on any that does."""
    seen: dict[sp.Rel, bool] = {}
    for side in (s for t in tried for s in t.outcome.sides if not math.isnan(s.ratio)):
        seen[side.relation] = seen.get(side.relation, False) or not side.empty
    relations = conjuncts(claim.statement)
    said = {
        "never evaluated": [str(r) for r in relations if r not in seen],
        "holds there whatever is measured, as no bound is below the largest value": [
            str(r) for r in relations if not seen.get(r, True)
        ],
    }
    return [f"{how}: {'; '.join(which)}" for how, which in said.items() if which]
