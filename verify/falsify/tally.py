"""What a search has seen: every instance is judged here, and the worst ones are kept."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import Any

import sympy as sp

from rateproof.theory.claim import Claim
from rateproof.verify.deciders import bounds, growth
from rateproof.verify.deciders.growth import Ladder
from rateproof.verify.evidence import MAX_REFUTATION_ERROR, Evidence, Finding
from rateproof.verify.falsify.meter import Meter
from rateproof.verify.spaces.space import Space
from rateproof.verify.trial import Trial, evaluate

LEADERS = 3
#: Rejected instances that are kept to say which hypotheses fail.
REJECTED = 200
METHOD = "search"


@dataclass(frozen=True)
class Judged:
    """An admissible instance of a space, with the largest ratio on it and whether it violates the claim.

    ``relations`` are the conjuncts that could be evaluated; ``open`` says that errors leave one of them undecided.
    """

    space: Space[Any]
    params: Any
    built: Trial | Ladder
    ratio: float
    violates: bool
    degenerate: bool
    relations: tuple[sp.Rel, ...] = ()
    open: bool = False

    @property
    def settles(self) -> bool:
        """It violates the claim, is not degenerate and hardly chance, so that nothing better can be found."""
        chance = self.built.error_probability if isinstance(self.built, Trial) else 0.0
        return self.violates and not self.degenerate and chance <= MAX_REFUTATION_ERROR


@dataclass(frozen=True)
class Searched:
    """Instances of one space that one phase built, and how many of them were admissible."""

    space: str
    phase: str
    tried: int = 0
    admissible: int = 0


@dataclass
class Tally:
    """The instances of one search.

    Attributes:
        violation: the violation to report: the latest one, nondegenerate ones before degenerate ones. Phases go from
            a violation to simpler ones.
        worst: the instance with the largest ratio.
        skipped: parameters that made no instance.
    """

    claim: Claim
    meter: Meter
    violation: Judged | None = None
    worst: Judged | None = None
    skipped: int = 0
    _searched: dict[tuple[str, str], Searched] = field(default_factory=dict)
    _first: dict[sp.Rel, Judged] = field(default_factory=dict)
    _open: Judged | None = None
    _leaders: dict[str, list[Judged]] = field(default_factory=dict)
    _rejected: list[Trial | Ladder] = field(default_factory=list)
    _chance: float = 0.0

    @property
    def settled(self) -> bool:
        """A nondegenerate violation was found."""
        return self.violation is not None and self.violation.settles

    @property
    def searched(self) -> tuple[Searched, ...]:
        """What was searched, in order."""
        return tuple(self._searched.values())

    def leaders(self, space: Space[Any]) -> list[Judged]:
        """The worst instances of a space, worst first."""
        return self._leaders.get(space.name, [])

    def judge(self, space: Space[Any], params: Any, phase: str) -> Judged | None:
        """Build the instance of some parameters and evaluate the claim on it; None when it is none or not admissible.

        Raises:
            Spent: the budget is used up.
        """
        self.meter.spend()
        self._count(space, phase, tried=1)
        with self.meter.interruptible():
            try:
                built = (space.quick or space.build)(params)
                judged = self._judged(space, params, built)
                if space.quick and judged is not None and (judged.violates or judged.open):
                    built = space.build(params)
                    judged = self._judged(space, params, built)
            except ValueError:
                self.skipped += 1
                return None
        if judged is None:
            if len(self._rejected) < REJECTED:
                self._rejected.append(built)
            return None
        self._count(space, phase, admissible=1)
        self._keep(judged)
        return judged

    def evidence(self, detail: str) -> Evidence:
        """The deciders' word on what is shown: the violation, or else the worst instances."""
        # every conjunct has to be seen evaluated, not only the one with the largest ratio, and what is left open
        shown = [self.violation] if self.violation else [*filter(None, [self.worst, self._open]), *self._first.values()]
        built = [j.built for j in shown] or self._rejected
        ladders = [b for b in built if isinstance(b, Ladder)]
        decided = (
            growth.decide(self.claim, ladders, method=METHOD, detail=detail, steady=growth.POWER)
            if ladders
            else bounds.decide(self.claim, [b for b in built if isinstance(b, Trial)], method=METHOD, detail=detail)
        )
        # A sampled violation was picked among all sampled trials, so it carries the errors of all.
        sampled = any(isinstance(b, Trial) and b.error_probability for b in built)
        return replace(
            decided,
            instances=sum(s.admissible for s in self.searched),
            worst_ratio=None if self.worst is None or math.isnan(self.worst.ratio) else self.worst.ratio,
            error_probability=min(self._chance, 1.0) if sampled or not self.violation else 0.0,
        )

    def _judged(self, space: Space[Any], params: Any, built: Trial | Ladder) -> Judged | None:
        find = self._ladder if isinstance(built, Ladder) else self._trial
        return find(space, params, built)  # type: ignore[arg-type]

    def _trial(self, space: Space[Any], params: Any, trial: Trial) -> Judged | None:
        outcome = evaluate(self.claim, trial)
        if not outcome.admissible or outcome.worst is None:
            return None
        tried = bounds.Tried(trial, outcome, outcome.worst)
        self._chance += trial.error_probability
        relations = tuple(side.relation for side in outcome.sides if not math.isnan(side.ratio))
        left_open = tried.open is not None
        return Judged(space, params, trial, tried.ratio, tried.violates, trial.degenerate, relations, left_open)

    def _ladder(self, space: Space[Any], params: Any, ladder: Ladder) -> Judged | None:
        evidence = growth.decide(self.claim, [ladder], method=METHOD, steady=growth.POWER)
        if evidence.finding is Finding.INCONCLUSIVE or evidence.worst_ratio is None:
            return None
        degenerate = any(trial.degenerate for trial in ladder.trials)
        return Judged(space, params, ladder, evidence.worst_ratio, evidence.finding is Finding.VIOLATION, degenerate)

    def _keep(self, judged: Judged) -> None:
        if self.worst is None or judged.ratio > self.worst.ratio or math.isnan(self.worst.ratio):
            self.worst = judged
        if judged.open and self._open is None:
            self._open = judged
        for relation in judged.relations:
            self._first.setdefault(relation, judged)
        leaders = self._leaders.setdefault(judged.space.name, [])
        if not math.isnan(judged.ratio) and all(judged.ratio != leader.ratio for leader in leaders):
            leaders.append(judged)
            leaders.sort(key=lambda j: -j.ratio)
            del leaders[LEADERS:]
        if judged.violates and (judged.settles or not self.settled):
            self.violation = judged
        if judged.settles:
            self.meter.grace()

    def _count(self, space: Space[Any], phase: str, *, tried: int = 0, admissible: int = 0) -> None:
        key = (space.name, phase)
        before = self._searched.get(key, Searched(*key))
        self._searched[key] = replace(before, tried=before.tried + tried, admissible=before.admissible + admissible)


def score(judged: Judged | None) -> float | None:
    """``log(metric / bound)``, which a search maximises; None where it is not a number."""
    return math.log(judged.ratio) if judged is not None and 0 < judged.ratio < math.inf else None
