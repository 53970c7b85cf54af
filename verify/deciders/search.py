"""Decide a bound by adversarial search: drive metric / bound upwards, and shrink what violates to round numbers."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from random import Random
from typing import TYPE_CHECKING, TypeVar
from unittest.mock import patch

from rateproof.theory.claim import Claim
from rateproof.verify.deciders.bounds import Tried, decide
from rateproof.verify.evidence import Evidence, by_decider
from rateproof.verify.trial import Trial, evaluate

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

Params = TypeVar("Params")


def search(
    claim: Claim,
    strategy: SearchStrategy[Params],
    build: Callable[[Params], Trial],
    *,
    examples: int = 200,
    seed: int = 0,
    method: str = "search",
    detail: str = "",
    reading: str = "",
) -> Evidence:
    """Evidence on a claim from a search over a family of instances.

    The search maximises the logarithm of metric / bound over admissible instances, stops at the first violation and
    shrinks it: ``strategy`` says what simple means (see :func:`round_numbers`). The same arguments give the same
    evidence; nothing is printed and nothing is kept on disk.

    Args:
        claim: the claim, or a mutated or re-read copy of it.
        strategy: a hypothesis strategy for the parameters of the family.
        build: makes the trial of one set of parameters. A ValueError says that these make no instance; how many did
            is said, with the first reason.
        examples: instances to try before giving up; shrinking a violation takes some more, which ``instances`` of
            the evidence counts too.
        seed: of the search.
        method, detail, reading: as in :func:`rateproof.verify.deciders.bounds.decide`.

    Raises:
        ValueError: ``examples`` is not positive.
    """
    from hypothesis import target

    if examples < 1:
        raise ValueError(f"examples must be at least 1, got {examples}")
    worst: Tried | None = None
    # What a search would like better not to show, and what keeps a claim from being supported.
    overflowing: list[Trial] = []
    left_open: list[Trial] = []
    rejected: list[Trial] = []
    refused: list[str] = []
    admissible, sampled, error_probability = 0, 0, 0.0

    def violates(params: Params) -> bool:
        nonlocal worst, admissible, sampled, error_probability
        sampled += 1
        try:
            trial = build(params)
        except ValueError as no_instance:
            refused.append(" ".join(str(no_instance).split()))
            return False
        outcome = evaluate(claim, trial)
        if not outcome.admissible or outcome.worst is None:
            rejected.append(trial)
            return False
        tried = Tried(trial, outcome, outcome.worst)
        admissible += 1
        error_probability += trial.error_probability
        if worst is None or tried.ratio > worst.ratio or math.isnan(worst.ratio):
            worst = tried
        if 0 < tried.ratio < math.inf:
            target(math.log(tried.ratio), label="log(metric / bound)")
        if tried.overflows:
            overflowing.append(trial)
        elif tried.open and not left_open:
            left_open.append(trial)
        return tried.violates and not tried.overflows

    simplest = drawn(strategy, violates, examples=examples, seed=seed)
    settling = [] if simplest is None else [build(simplest)]
    shown = [*settling, *overflowing[:1], *([worst.trial] if worst else rejected), *left_open]
    if refused:
        share = "all" if len(refused) == sampled else f"{len(refused)} of"
        why = f"{share} {sampled} samples made no instance, the first because: {refused[0]}"
        detail = f"{detail}; {why}" if detail else why
    evidence = decide(claim, shown, method=method, detail=detail, reading=reading)
    # What is shown was picked among all sampled trials, so it carries the errors of all.
    chance = 0.0 if settling and not settling[0].error_probability else min(error_probability, 1.0)
    return by_decider(replace(evidence, instances=admissible, error_probability=chance), claim)


def drawn(
    strategy: SearchStrategy[Params], wanted: Callable[[Params], bool], *, examples: int, seed: int
) -> Params | None:
    """The simplest of what is wanted, from so many draws; None when there is none among them.

    ``wanted`` may call :func:`hypothesis.target` to say where to draw next. The same arguments give the same draws.
    """
    from hypothesis import Phase, Verbosity, find, settings
    from hypothesis.errors import NoSuchExample, Unsatisfiable

    quiet = settings(
        max_examples=examples,
        database=None,
        deadline=None,
        phases=(Phase.generate, Phase.target, Phase.shrink),
        verbosity=Verbosity.quiet,
        print_blob=False,
    )
    try:
        with _own_numbers_only():
            return find(strategy, wanted, settings=quiet, random=Random(seed))
    except (NoSuchExample, Unsatisfiable):
        return None


@contextmanager
def _own_numbers_only() -> Iterator[None]:
    """Keep hypothesis from drawing numbers that it reads in the sources of whatever modules are loaded.

    With them a search would depend on what else the process has imported, and leave a cache in the working directory.
    Versions that do not draw such numbers need nothing.
    """
    from hypothesis.internal.conjecture.providers import HypothesisProvider

    name = "_maybe_draw_constant"
    with (
        patch.object(HypothesisProvider, name, lambda *_, **__: None)
        if hasattr(HypothesisProvider, name)
        else nullcontext()
    ):
        yield


def round_numbers(low: float, high: float) -> SearchStrategy[float]:
    """Numbers 1, 2 or 5 times a power of ten in ``[low, high]``; the simplest is the one nearest to 1.

    Raises:
        ValueError: the interval is not one of positive numbers, or has no round number.
    """
    from hypothesis.strategies import sampled_from

    return sampled_from(rounded(low, high))


def round_integers(low: int, high: int) -> SearchStrategy[int]:
    """Integers in ``[low, high]``: those up to 10, and 1, 2 or 5 times a power of ten; the simplest is the smallest.

    Raises:
        ValueError: the interval is empty or has a number below 1.
    """
    from hypothesis.strategies import sampled_from

    if not 1 <= low <= high:
        raise ValueError(f"round integers need 1 <= low <= high, got low={low}, high={high}")
    ends = {low, high} | set(range(low, min(high, 10) + 1))
    top = len(str(high))
    return sampled_from(sorted(ends | {m * 10**k for m in (1, 2, 5) for k in range(top) if low <= m * 10**k <= high}))


def rounded(low: float, high: float) -> list[float]:
    """The numbers of :func:`round_numbers`, the simplest first.

    Raises:
        ValueError: as there.
    """
    if not 0 < low <= high < math.inf:
        raise ValueError(f"round numbers need 0 < low <= high < inf, got low={low:g}, high={high:g}")
    powers = range(math.floor(math.log10(low)) - 1, math.ceil(math.log10(high)) + 1)
    numbers = [x for k in powers for m in (1, 2, 5) if low <= (x := float(f"{m}e{k}")) <= high]
    if not numbers:
        raise ValueError(f"there is no round number between {low:g} and {high:g}; widen the interval")
    # 5 and 0.2 are equally far from 1 but for rounding
    return sorted(numbers, key=lambda x: (round(abs(math.log10(x)), 9), -x))
