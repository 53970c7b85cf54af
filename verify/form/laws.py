"""The laws that every record obeys. Each one yields what is wrong with a record, in one line; nothing when it obeys."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import lru_cache
from itertools import islice
from random import Random
from typing import Any

import numpy as np
import sympy as sp

from rateproof.theory.claim import Claim, conjuncts
from rateproof.theory.probability import bounded, with_bounded
from rateproof.verify.checks import Budget, check_claim
from rateproof.verify.deciders import kernel
from rateproof.verify.deciders.bounds import decide
from rateproof.verify.evidence import Finding, Verdict, verdict
from rateproof.verify.form.family import Family, Params
from rateproof.verify.form.outcomes import unlike_the_run
from rateproof.verify.form.record import APART, Record
from rateproof.verify.planted.mutate import mutants
from rateproof.verify.stored import baseline
from rateproof.verify.trial import Trial, evaluate

#: Corners of a family that a law looks at, spread over all of them, and those with all their outcomes.
LOOKED_AT, LISTED = 12, 4
#: What floats may lose of a number, and of the largest one that was measured.
CLOSE, ROUNDING = 1e-9, 1e-14
#: Seconds of processor time for a step of a false copy, in which nearly every step of a true claim is found.
ENOUGH = 5.0
#: Errors planted in a claim, each where it is tight.
PLANTED = 6


def verdict_is_that_of_the_baseline(record: Record) -> Iterator[str]:
    """A check of the claim gives the verdict that is committed, and what violates it with the values of all symbols."""
    line = baseline.read(record.claim.paper).get(record.claim.id)
    result = check_claim(record.claim, Budget())
    if result.violated and (lost := set(map(str, record.claim.symbols)) - result.violated["values"].keys()):
        yield f"what violates it has no value of {', '.join(sorted(lost))}"
    if line is None or result.verdict is not line.result.verdict:
        yield f"it is {result.verdict}, in the baseline {line.result.verdict if line else 'nothing'}"


def counterexample_is_exact(record: Record) -> Iterator[str]:
    """A counterexample violates the claim in exact arithmetic, with the sides that it states, in numbers to copy.

    It also decides a check alone: no other instance has to stand in for it.
    """
    alone, shown = record.refutation(), record.counterexample
    if shown is not None and alone is not None:
        if alone.finding is not Finding.VIOLATION:
            yield f"alone it decides nothing: {alone.detail}"
        try:
            shown.replayed()
        except ValueError as error:
            yield str(error)
        instances = shown.data.get("rungs", [shown.data])
        numbers = [x for one in instances for x in one["values"].values()]
        long = [x for x in (*numbers, shown.left, shown.right, *shown.ratios) if len(str(x)) > 12]
        yield from (f"{x} is no number that a reader can copy" for x in long)
        if len(shown.by_hand) > 500 or not shown.by_hand.endswith("."):
            yield "what is done by hand should be sentences of at most 500 characters"


def hypotheses_are_known(record: Record) -> Iterator[str]:
    """Every family answers for every hypothesis, and some instance satisfies all.

    Where none can satisfy those that are printed, they are those of a kind reading, of one switch or of all.
    """
    admissible, claim = False, record.claim
    readings = [claim]
    said = record.own_check(claim, Budget()) if record.own_check and claim.kind_reading else ()
    if any(one.finding is Finding.VACUOUS for one in said):
        readings = [claim.read_kindly(), *map(claim.read, claim.kind_switches)]
    for family, _, trial in _instances(record):
        outcomes = [evaluate(reading, trial) for reading in readings]
        admissible |= any(outcome.admissible for outcome in outcomes)
        answered = min(outcomes, key=lambda outcome: len(outcome.open))
        yield from (f"{family.name} says nothing about {key}" for key in answered.open)
    if record.families and not admissible:
        yield "no instance that was looked at satisfies every hypothesis"


def script_agrees(record: Record) -> Iterator[str]:
    """The program of an instance, run on plain floats, measures what exact arithmetic does."""
    for family, params, trial in _instances(record):
        if not any(np.isinf(x).any() for x in trial.values.values()):  # floats do not reach 2^30 rounds
            scope = _defined(family.definitions)
            _run(family.call(params), scope)
            yield from _differences(trial, scope["values"])


@lru_cache(maxsize=256)
def _defined(definitions: str) -> dict[str, Any]:
    """The names that the functions of a program have; they depend on nothing that a call of them leaves there."""
    scope: dict[str, Any] = {"np": np, "math": math}
    _run(definitions, scope)
    return scope


def _run(source: str, scope: dict[str, Any]) -> None:
    exec(compile(source, "program", "exec", flags=annotations.compiler_flag, dont_inherit=True), scope)


def method_agrees(record: Record) -> Iterator[str]:
    """A family measures what its method in ``algos`` does."""
    for family, params, trial in _instances(record):
        if family.twin is not None:
            yield from _differences(trial, family.twin(**params))


def setting_is_that_of_the_run(record: Record) -> Iterator[str]:
    """The vectors of the claim's proof and of its lemmas are those of the run, and no step fails where it applies."""
    for family, params, trial in _instances(record, LISTED):
        if run := family.in_vectors(params):
            yield from (f"{trial.label}: {what}" for what in unlike_the_run(record.claim, run, trial))


def numbers_go_out_and_in(record: Record) -> Iterator[str]:
    """The numbers that a local search varies are those of the instance."""
    for family, params, trial in _instances(record):
        space = family.space(record.claim)
        if space.at(params, {}) != params:
            yield f"{trial.label}: no number changes, but the instance does"
        again = space.build(space.at(params, space.numbers(params)))
        yield from _differences(trial, again.values if isinstance(again, Trial) else {})


def text_is_plain(record: Record) -> Iterator[str]:
    """What a reader sees is one line of ASCII without an object of Python."""
    texts = [record.counterexample.by_hand] if record.counterexample else []
    for _, _, trial in _instances(record):
        texts += [trial.label, *(fact.why for fact in trial.facts.values())]
    yield from (f"not plain: {text!r}" for text in texts if not text.isascii() or "\n" in text or " object at " in text)


def bound_is_attained(record: Record) -> Iterator[str]:
    """Where it is said to be tight, some corner attains it."""
    if record.tight is not None and record.tight.constant:
        evidence = decide(record.claim, record.trials(record.claim, APART["quick"]), method="")
        if evidence.worst_ratio is None or not evidence.worst_ratio >= 1 - 1e-6:
            yield f"its worst ratio is {evidence.worst_ratio}"


def planted_errors_are_refuted(record: Record) -> Iterator[str]:
    """The check refutes every error that is planted where the claim is tight."""
    for name, false in _planted(record):
        if (of_copy := verdict(record.check(false, Budget()))) is not Verdict.REFUTED:
            yield f"{name}: {of_copy}"


def no_false_copy_is_proved(record: Record) -> Iterator[str]:
    """The proof of a claim does not prove a copy that is false."""
    for name, false in (*_planted(record), *_sharpened(record)):
        if (proof := kernel.prove(false, ENOUGH)) is not None and proof.finding is Finding.PROOF:
            yield f"{name}: proved"


def _planted(record: Record) -> Iterator[tuple[str, Claim]]:
    if record.tight is not None:
        yield from mutants(record.claim, record.tight, count=PLANTED, rng=Random(record.claim.id))


def _sharpened(record: Record) -> Iterator[tuple[str, Claim]]:
    """Copies of a tight bound by one relation that are false by very little, and by much."""
    relations = conjuncts(record.claim.statement)
    if record.tight is not None and record.tight.constant and len(relations) == 1:
        left, right = bounded(relations[0]).args
        for name, sides in {
            "right side less by a millionth": (left, (1 - sp.Rational(1, 10**6)) * right),
            "left side doubled": (2 * left, right),
            "right side less 1": (left, right - 1),
        }.items():
            statement = with_bounded(relations[0], sp.Le(*sides, evaluate=False))
            yield name, replace(record.claim, statement=statement)


def _instances(record: Record, count: int = LOOKED_AT) -> Iterator[tuple[Family, Params, Trial]]:
    """Some corners of every family that make an instance: spread over all, and others where too few of these do."""
    for family in record.families:
        corners = [*family.corners(record.claim, apart=2)]
        step = max(1, len(corners) // count)
        spread = [made for params in corners[::step] if (made := _made(family, params))]
        rest = (params for i, params in enumerate(corners) if i % step)
        further = filter(None, (_made(family, params) for params in rest))
        for params, trial in (*spread, *islice(further, max(0, count - len(spread)))):
            yield family, params, trial


def _made(family: Family, params: Params) -> tuple[Params, Trial] | None:
    try:
        return params, family.trial(params)
    except ValueError:
        return None


def _differences(trial: Trial, values: Mapping[str, float]) -> Iterator[str]:
    measured = [x for name, xs in trial.values.items() if name not in trial.at for x in np.atleast_1d(xs)]
    rounding = ROUNDING * max((abs(x) for x in measured if math.isfinite(x)), default=0.0)
    for name, xs in trial.values.items():
        pairs = zip(np.atleast_1d(xs), np.atleast_1d(values[name]), strict=True) if name in values else ()
        if any(y != x and not abs(y - x) <= max(rounding, CLOSE * abs(x)) for x, y in pairs):
            yield f"{trial.label}: {name} is {xs!r}, and {values[name]!r}"


Law = Callable[[Record], Iterator[str]]
#: The laws by name.
LAWS: dict[str, Law] = {
    law.__name__: law
    for law in (
        verdict_is_that_of_the_baseline,
        counterexample_is_exact,
        hypotheses_are_known,
        script_agrees,
        method_agrees,
        setting_is_that_of_the_run,
        numbers_go_out_and_in,
        text_is_plain,
        bound_is_attained,
        planted_errors_are_refuted,
        no_false_copy_is_proved,
    )
}
