"""The search for a counterexample: corners, targeted search, local refinement, and round numbers for what violates."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import count
from typing import Any

from rateproof.theory.claim import Claim
from rateproof.verify.deciders.growth import Ladder
from rateproof.verify.evidence import MAX_REFUTATION_ERROR, Evidence, Finding
from rateproof.verify.falsify.hunt import hunt
from rateproof.verify.falsify.meter import Meter, Spent
from rateproof.verify.falsify.refine import refine
from rateproof.verify.falsify.shrink import simplify
from rateproof.verify.falsify.tally import Searched, Tally
from rateproof.verify.spaces.named_sums import with_sums_given
from rateproof.verify.spaces.space import Space
from rateproof.verify.trial import Trial

#: Instances of the first round of targeted search in a space; later rounds double up to the last number.
FIRST, LAST = 100, 1600
PHASE = "corners"


class Ended(StrEnum):
    """Why a search ended."""

    FOUND = "a violation was found"
    EXHAUSTED = "the spaces have no other instance"
    SPENT = "the budget was used up"
    INTERRUPTED = "interrupted"


@dataclass(frozen=True)
class Falsified:
    """What a search for a counterexample found.

    Attributes:
        claim: the claim searched, its sums without closed form named.
        evidence: the deciders' word: a violation, or the worst ratio and how many admissible instances have it.
        space, params, built: the instance that is shown, which is the violation or else the worst one; None when no
            instance was admissible.
        searched: instances by space and phase.
        skipped: parameters that made no instance.
        ended: why the search ended.
        seconds: how long it took.
    """

    claim: Claim
    evidence: Evidence
    space: Space[Any] | None
    params: Any
    built: Trial | Ladder | None
    searched: tuple[Searched, ...]
    skipped: int
    ended: Ended
    seconds: float

    @property
    def refuted(self) -> bool:
        """The shown instance satisfies every hypothesis and violates the claim beyond all error."""
        evidence = self.evidence
        return evidence.finding is Finding.VIOLATION and evidence.error_probability <= MAX_REFUTATION_ERROR


def falsify(
    claim: Claim, spaces: Sequence[Space[Any]], *, seconds: float, seed: int = 0, examples: int | None = None
) -> Falsified:
    """Search for an instance that satisfies every hypothesis of a claim and violates it.

    The corners of all spaces come first and get at most half of the budget; then rounds of targeted search and local
    refinement follow, space by space, until a nondegenerate violation is found, which is then made simple within a
    quarter of the time more. Instances are tried in an order that the seed alone decides: the clock only says how far
    the search gets, so with ``examples`` and infinite ``seconds`` the result is the same on every machine.

    Args:
        claim: the claim, or a mutated or re-read copy of it.
        spaces: families of instances, the most promising first.
        seconds: when to stop by the clock, whatever one instance costs.
        seed: of the search.
        examples: instances to build at most; any number when None.

    Raises:
        ValueError: there is no space, ``seconds`` or ``examples`` is not positive.
    """
    if not spaces:
        raise ValueError(f"there is no space of instances to search for {claim.id}")
    claim, spaces = with_sums_given(claim, spaces)
    tally = Tally(claim, Meter(seconds, examples))
    ended = Ended.EXHAUSTED
    try:
        with tally.meter.running():
            try:
                _search(spaces, tally, seed)
            except Spent:
                ended = Ended.SPENT
            if tally.violation is not None:
                ended = Ended.FOUND
                tally.meter.grace()
                simplify(tally)
    except Spent:
        pass
    except KeyboardInterrupt:
        ended = Ended.INTERRUPTED
    shown = tally.violation or tally.worst
    return Falsified(
        claim,
        tally.evidence("; ".join(space.name for space in spaces)),
        shown.space if shown else None,
        shown.params if shown else None,
        shown.built if shown else None,
        tally.searched,
        tally.skipped,
        ended,
        tally.meter.elapsed,
    )


def _search(spaces: Sequence[Space[Any]], tally: Tally, seed: int) -> None:
    """All phases, up to the first nondegenerate violation."""
    for space, params in _corners(spaces, tally):
        if tally.meter.half:
            break
        tally.judge(space, params, PHASE)
        if tally.settled:
            return
    refined: set[int] = set()
    fresh = list(spaces)
    for turn in count():
        examples = min(FIRST * 2**turn, LAST)
        for space in list(fresh):
            if hunt(space, tally, examples=examples, seed=seed + turn, targeted=turn % 2 == 1) < examples:
                fresh.remove(space)
            for judged in tally.leaders(space):
                if tally.settled:
                    return
                if id(judged) not in refined:
                    refined.add(id(judged))
                    refine(judged, tally, evaluations=examples // 2)
            if tally.settled:
                return
        if not fresh:
            return


def _corners(spaces: Sequence[Space[Any]], tally: Tally) -> Iterator[tuple[Space[Any], Any]]:
    """The corners of all spaces in turn: the first of each, the second of each, and so on."""
    with tally.meter.interruptible():
        open_ = [(space, iter(space.corners(tally.claim))) for space in spaces]
    while open_:
        for pair in list(open_):
            space, corners = pair
            try:
                with tally.meter.interruptible():
                    params = next(corners)
            except StopIteration:
                open_.remove(pair)
                continue
            yield space, params
