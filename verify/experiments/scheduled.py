"""A schedule of a paper, applied to a problem and a method: the numbers that it sets and the conditions that fail."""

from __future__ import annotations

import inspect
import math
import re
import sys
from collections.abc import Collection, Mapping
from dataclasses import dataclass, fields, is_dataclass, replace
from decimal import ROUND_DOWN, Context
from typing import Any, get_type_hints

import sympy as sp

from rateproof.algos.problems.base import Instance
from rateproof.theory.schedule import Schedule
from rateproof.theory.symbols import alpha

STEPSIZES = {"gamma_l", "gamma"}
"""The stepsizes that a schedule can set, where a method asks for one."""
#: Sizes of problems: of the model, the number of clients under the names that papers have for it, and of its weights.
_SIZES = ("n", "N", "m", "beta_max")


@dataclass(frozen=True)
class Applied:
    """What a schedule gives.

    Attributes:
        ruled: numbers that it sets, by their names in a run.
        failed: its conditions that fail.
        notes: on the horizon that it was used with.
    """

    ruled: Mapping[str, float]
    failed: tuple[str, ...]
    notes: tuple[str, ...]


def spelled(plan: Schedule, symbol: sp.Basic) -> str:
    """The name that a symbol of a schedule has in a run."""
    runs = plan.runs
    return runs.constants.get(symbol) or runs.parameters.get(symbol) or str(symbol)


def spelled_out(plan: Schedule, text: str) -> str:
    """A text with the names that symbols have in a run."""
    for symbol, name in {**plan.runs.constants, **plan.runs.parameters}.items():
        text = re.sub(rf"\b{symbol}\b", name, text)
    return text


def used(plan: Schedule) -> set[sp.Symbol]:
    """Symbols that a schedule needs a number for, or asks one of."""
    return plan.needs() | {s for relation in plan.parameters for s in relation.free_symbols}


def free(plan: Schedule, known: Collection[str]) -> dict[str, sp.Symbol]:
    """What a schedule leaves to the user, by name, parameters of a method among it; ``known`` is what problems know."""
    given = {plan.runs.rounds, plan.runs.local_steps, *plan.rules}
    left = {s for s in used(plan) - given if not _of_problem(plan, s, known)}
    return {spelled(plan, s): s for s in sorted(left, key=str)}


def _of_problem(plan: Schedule, symbol: sp.Symbol, known: Collection[str]) -> bool:
    return symbol not in plan.runs.parameters and spelled(plan, symbol) in known


def constants_of(kind: type[Instance]) -> set[str]:
    """Names of the constants and sizes that problems of a class know."""
    getter: Any = inspect.getattr_static(kind, "constants")
    made = get_type_hints(getattr(getter, "fget", None) or getter.func)["return"]
    sizes = {name for name in _SIZES for base in kind.__mro__ if name in inspect.get_annotations(base)}
    return sizes | ({f.name for f in fields(made)} if is_dataclass(made) else set())


def before_the_run(plan: Schedule) -> Schedule:
    """The schedule with all that methods take, without the rules that count in a run: those a method follows itself."""
    start = plan.runs.start
    rules, unknown = {s: r.subs(start) for s, r in {**plan.rules, **plan.runs.rules}.items()}, set(plan.runs.counters)
    while late := {s: r for s, r in rules.items() if not unknown.isdisjoint(r.free_symbols)}:
        unknown |= set(late)
        rules = {s: r for s, r in rules.items() if s not in late}
    return replace(plan, rules=rules)


def apply(
    plan: Schedule, problem: Instance, given: Mapping[str, Any], R: int, *, known: Collection[str], local_steps: bool
) -> Applied:
    """Numbers that a schedule sets, and the conditions that it fails.

    Args:
        plan: the schedule, as :func:`before_the_run` leaves it.
        problem: whose constants it takes.
        given: parameters of the method and of the schedule.
        R: rounds.
        known: names of the constants that problems know, of whatever class.
        local_steps: whether the method takes local steps; otherwise it takes one a round.

    Raises:
        ValueError: a number is missing, or the problem has none; for a missing stepsize, the largest admissible one.
    """
    needed = used(plan)
    constants = {s: x for s in needed if (x := _constant(plan, s, problem)) is not None}
    if constants.get(alpha) == math.inf:
        constants[alpha] = sys.float_info.max  # any alpha will do, and a schedule needs a number
    if infinite := [spelled(plan, s) for s, x in constants.items() if math.isinf(x)]:
        raise ValueError(
            f"schedule {plan.id} needs a finite {infinite[0]}; problem '{problem.name}' has none: {infinite[0]} = inf"
        )
    rounds = plan.runs.rounds
    numbers = {str(s): x for s, x in constants.items()} | ({str(rounds): float(R)} if rounds in needed else {})
    values = {k: float(v) for k, v in given.items() if isinstance(v, int | float) and not isinstance(v, bool)}
    numbers |= {str(s): values[name] for s in needed if (name := spelled(plan, s)) in values}
    if plan.runs.local_steps in needed:
        numbers.setdefault(str(plan.runs.local_steps), 1.0)
    _refuse_missing(plan, problem, numbers, known)
    notes: tuple[str, ...] = ()
    if plan.runs.last in needed:
        last, asked = str(plan.runs.last), numbers.get(str(plan.runs.last))
        if asked is None:
            numbers[last] = _horizon(plan, numbers, given.get("T"), R, local_steps)
        H = _local_steps(plan, numbers) if local_steps else 1
        reached = given["T"][R - 1] - 1 if given.get("T") else R * max(1, H) - 1
        end = f"the last iterate of {R} rounds"
        end += f" of {plan.runs.local_steps} = {H:g} local steps" if local_steps else ""
        if asked is None:
            notes = (f"{last} = {reached:.0f}, {end}",)
        elif asked != reached:
            notes = (f"{last} = {asked:g} as given, but {end} is {reached:.0f}",)
    try:
        ruled = plan.evaluate(numbers)
        failed = tuple(spelled_out(plan, str(v)) for v in plan.violations(numbers))
    except ValueError as error:
        raise ValueError(spelled_out(plan, str(error))) from None
    return Applied({spelled(plan, s): ruled[str(s)] for s in plan.rules}, failed, notes)


def _refuse_missing(plan: Schedule, problem: Instance, numbers: Mapping[str, float], known: Collection[str]) -> None:
    """Refuse numbers without those that a schedule needs; the last iterate alone may be left out."""
    missing = {s for s in plan.needs() - {*plan.defaults, plan.runs.last} if str(s) not in numbers}
    if unknown := sorted(spelled(plan, s) for s in missing if _of_problem(plan, s, known)):
        raise ValueError(
            f"schedule {plan.id} needs {', '.join(unknown)}, which problem '{problem.name}' does not have; "
            "run it on a problem of its class"
        )
    if others := sorted({spelled(plan, s) for s in missing} - STEPSIZES):
        raise ValueError(f"schedule {plan.id} needs {', '.join(others)}; give it as {others[0]}=value")
    for step in sorted(map(str, missing)):
        cap = plan.largest(step, numbers)
        if cap is None or not 0 < cap < math.inf:
            raise ValueError(f"schedule {plan.id} needs {step}; give it as {step}=value")
        down = float(Context(prec=4, rounding=ROUND_DOWN).create_decimal(cap))
        raise ValueError(f"{step} is missing; at most {down:g} is admissible by {plan.id}: --set {step}={down:g}")


def _horizon(
    plan: Schedule, numbers: Mapping[str, float], times: tuple[int, ...] | None, R: int, local_steps: bool
) -> float:
    """The last iterate ``K = R H - 1`` of a run whose ``H`` depends on ``K``; the least that fits.

    ``H`` grows with ``K`` more slowly than ``K`` with ``H``, so that raising it while it is too small ends.
    """
    H = 1.0
    while True:
        last = times[R - 1] - 1 if times else R * H - 1
        if last < 1:
            raise ValueError(f"schedule {plan.id} needs a last iterate K >= 1; one round of one local step has none")
        needed = _local_steps(plan, {**numbers, str(plan.runs.last): last}) if local_steps else 1.0
        if times or needed <= H:
            return float(last)
        H = needed


def _local_steps(plan: Schedule, numbers: Mapping[str, float]) -> float:
    """The local steps of a round that a schedule sets, else those that are given, else one."""
    H = str(plan.runs.local_steps)
    return plan.evaluate(numbers).get(H) or numbers.get(H, 1.0)


def _constant(plan: Schedule, symbol: sp.Symbol, problem: Instance) -> float | None:
    """What a problem has for a symbol of a schedule; nothing where it has no such constant."""
    name = plan.runs.constants.get(symbol, str(symbol))
    if name not in constants_of(type(problem)):
        return None
    value = float(getattr(problem if name in _SIZES else problem.constants, name))
    return None if math.isnan(value) else value
