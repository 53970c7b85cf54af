"""The audit of a claim's hypotheses: is the claim false without it?"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any

from rateproof.theory.claim import Claim, Hypothesis
from rateproof.verify.deciders.growth import Ladder, with_unit_constant
from rateproof.verify.falsify.phases import Ended, Falsified, falsify
from rateproof.verify.spaces.named_sums import with_sums_given
from rateproof.verify.spaces.space import Space
from rateproof.verify.trial import Trial, evaluate


class Need(StrEnum):
    """What an audit finds about one hypothesis."""

    NEEDED = "needed"
    NOT_SEEN = "no violation found"
    UNDEFINED = "undefined without it"
    UNTRIED = "no instance misses it alone"


@dataclass(frozen=True)
class Audited:
    """One hypothesis: what was found without it.

    Attributes:
        hypothesis: the one dropped.
        need: whether the claim is false without it.
        search: of the claim without it, over instances that miss it and satisfy all others.
        instances: how many of these were evaluated.
        undefined: how many of these have no number, or an infinite one, for something that the statement speaks of.
    """

    hypothesis: Hypothesis
    need: Need
    search: Falsified
    instances: int
    undefined: int


def audit(
    claim: Claim, spaces: Sequence[Space[Any]], *, seconds: float, seed: int = 0, examples: int | None = None
) -> tuple[Audited, ...]:
    """Drop each hypothesis in turn and search for a violation.

    Only instances count that miss the hypothesis and satisfy all others: a claim that is false as it stands does not
    make its hypotheses needed.

    Args:
        claim, spaces, seed: as for :func:`rateproof.verify.falsify.falsify`.
        seconds, examples: for all hypotheses together, and for each alone.

    Raises:
        ValueError: as for :func:`rateproof.verify.falsify.falsify`.
    """
    return tuple(audited(claim, spaces, seconds=seconds, seed=seed, examples=examples))


def audited(
    claim: Claim, spaces: Sequence[Space[Any]], *, seconds: float, seed: int = 0, examples: int | None = None
) -> Iterator[Audited]:
    """The audit, one hypothesis after the other; nothing follows one that was interrupted."""
    claim, spaces = with_sums_given(claim, spaces)
    for hypothesis in claim.hypotheses:
        share = seconds / len(claim.hypotheses)
        answer = _audited(claim, hypothesis, spaces, seconds=share, seed=seed, examples=examples)
        yield answer
        if answer.search.ended is Ended.INTERRUPTED:
            return


def _audited(claim: Claim, hypothesis: Hypothesis, spaces: Sequence[Space[Any]], **limits: Any) -> Audited:
    rest = replace(claim, hypotheses=tuple(h for h in claim.hypotheses if h is not hypothesis))
    without = _Without(claim, rest, hypothesis.key)
    search = falsify(rest, [without.narrow(space) for space in spaces], **limits)
    instances = search.evidence.instances
    if search.refuted:
        need = Need.NEEDED
    elif instances:
        need = Need.NOT_SEEN
    else:
        need = Need.UNDEFINED if without.undefined else Need.UNTRIED
    return Audited(hypothesis, need, search, instances, without.undefined)


@dataclass
class _Without:
    """The instances that miss one hypothesis of a claim; ``undefined`` counts those on which it says nothing."""

    claim: Claim
    rest: Claim
    key: str
    undefined: int = field(default=0)

    def narrow(self, space: Space[Any]) -> Space[Any]:
        """The same space, of these instances only."""

        def build(params: Any) -> Trial | Ladder:
            built = space.build(params)
            for trial in built.trials if isinstance(built, Ladder) else (built,):
                self._check(trial)
            return built

        return replace(space, build=build, quick=None)  # floats may seem to miss a hypothesis

    def _check(self, trial: Trial) -> None:
        """Raise a ValueError unless the instance misses the hypothesis and both sides are finite numbers on it."""
        fixed = with_unit_constant(trial)
        if self.key not in evaluate(self.claim, fixed).failed:
            raise ValueError(f"{trial.label} does not miss {self.key}")
        outcome = evaluate(self.rest, fixed)
        if outcome.admissible and (outcome.missing or not all(map(_finite, outcome.sides))):
            self.undefined += 1
            raise ValueError(f"the statement says nothing about {trial.label}")


def _finite(side: Any) -> bool:
    return math.isfinite(side.lhs) and math.isfinite(side.rhs)
