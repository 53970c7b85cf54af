"""What ``rateproof run`` knows: methods, families and schedules with their parameters."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from rateproof.theory.schedule import Schedule
from rateproof.verify.experiments import experiment, scheduled
from rateproof.verify.pages.printed import formula, with_formula

#: From Python's tuples to the lists of ``--set``.
AS_GIVEN = str.maketrans("()", "[]", " ")


def everything() -> Iterator[str]:
    """A line for each method, family and schedule, under headings."""
    yield from _section("methods", experiment.methods(), _parameters)
    yield from _section("families (--problem)", experiment.families(), _parameters)
    yield from _section("schedules (--schedule)", experiment.schedules(), _of_schedule)
    yield "Parameters are given by --set NAME=VALUE; those without a value here have to be given, or set by a schedule."
    yield "Noise is set by noise=gaussian or two_point, with sigma_f and sigma_h, or minibatch, with batch_size."
    yield "The start is set by x0, one number or a list such as [1,2]."
    yield "rateproof run NAME --list describes one method, family or schedule."


def described(name: str) -> Iterator[str]:
    """Lines about one method, family or schedule.

    Raises:
        ValueError: no such name; near misses are suggested.
    """
    methods, families, schedules = experiment.methods(), experiment.families(), experiment.schedules()
    found = experiment.named("method, family or schedule", name, {**methods, **families, **schedules})
    if isinstance(found, Schedule):
        yield f"{found.id}: {found.title}"
        stated = [f"  sets {symbol} = {rule}" for symbol, rule in found.rules.items()]
        stated += [f"  where {symbol} = {rule}" for symbol, rule in found.where.items()]
        stated += [f"  needs {formula(relation)}" for relation in found.parameters]
        stated += [f"  needs {with_formula(c.name, c.relation)}" for c in found.conditions]
        yield from (scheduled.spelled_out(found, line) for line in stated)
        yield f"  to give: {_to_give(found) or 'nothing'}"
        return
    known = next(n for n, made in {**methods, **families}.items() if made is found)
    yield f"{known}: {_parameters(found)}"
    if known in methods:
        yield f"runs on problems of class {experiment.runs_on(found).__name__}: {', '.join(experiment.able(found))}"
    yield from re.sub(r"(:\w+:)?`+([^`]*)`+", r"\2", inspect.getdoc(found) or "").splitlines()


def _section(title: str, known: Mapping[str, Any], line: Callable[[Any], str]) -> Iterator[str]:
    width = max(map(len, known), default=0)
    yield f"{title}: {len(known)}"
    for name in sorted(known, key=str.casefold):
        yield f"  {name:{width}}  {line(known[name])}".rstrip()
    yield ""


def _parameters(make: Callable[..., Any]) -> str:
    def one(parameter: inspect.Parameter) -> str:
        default = parameter.default
        if default is inspect.Parameter.empty:
            return parameter.name
        short = f"{default:g}" if isinstance(default, float) else str(default)
        as_given = short.lower() if isinstance(default, bool) else short.translate(AS_GIVEN).replace(",]", "]")
        return f"{parameter.name}={'...' if len(as_given) > 24 else as_given}"

    return ", ".join(map(one, inspect.signature(make).parameters.values()))


def _of_schedule(plan: Schedule) -> str:
    sets = ", ".join(scheduled.spelled(plan, s) for s in scheduled.before_the_run(plan).rules)
    give = _to_give(plan)
    alone = "followed by the method itself" if plan.rules else "conditions alone"
    parts = [f"sets {sets}" if sets else alone, *([f"to give: {give}"] if give else []), plan.title]
    return "; ".join(parts)


def _to_give(plan: Schedule) -> str:
    fixed = {**plan.defaults, plan.runs.last: "<of the run>"}
    left = scheduled.free(scheduled.before_the_run(plan), experiment.constants())
    return ", ".join(f"{n}={fixed[s]}" if s in fixed else n for n, s in left.items())
