"""Stepsize and local steps to choose from: explicit bounds of the three methods, and instances with exact moments.

The horizon is a number of rounds R of H steps, or the index K of the last iteration. For K, fewer local steps are
better by every bound here, and cost rounds; for R, more of them are, and cost iterations. So each bound stands beside
what it costs, and the best choice that costs no more than the paper's comes first.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from fractions import Fraction
from functools import partial

import sympy as sp

from rateproof.theory.claim import Claim
from rateproof.theory.design import Minorant, Term
from rateproof.theory.papers.fedrzo.notation import D0, H, K_it, gamma, m
from rateproof.theory.symbols import R, a
from rateproof.verify.experiments.tune import ITERATIONS, ROUNDS, Point, Question, Study, cost, no_dearer, spent
from rateproof.verify.papers.fedrzo.tune.bounds import (
    GROUPS,
    METRIC,
    Group,
    b,
    growth,
    paper_rule,
    rates,
    slow,
    total,
)
from rateproof.verify.papers.fedrzo.tune.settings import Chosen, choose

HORIZONS = (ROUNDS, ITERATIONS)
_GROUPS = {f"fedrzo.{item}": group for group in GROUPS for item in group.members}
TUNABLE = tuple(_GROUPS)
#: Minorants are rounded down.
ROUNDED = 1e-12
STILL = "D0 = 0: the run starts at a minimum, and the bound falls with gamma for ever"


def study(claim: Claim, settings: Mapping[str, Fraction], counted: str = ROUNDS) -> Study:
    """The bound of a claim in stepsize and local steps, and an instance with its constants.

    Args:
        claim: one of ``TUNABLE``.
        settings: changes to the defaults of :mod:`rateproof.verify.papers.fedrzo.tune.settings`.
        counted: what the horizon counts, one of ``HORIZONS``.

    Raises:
        ValueError: a setting is unknown, out of range, or below what the instance needs.
    """
    group = _GROUPS[claim.id]
    chosen = choose(group, settings)
    numbers = {s: sp.Float(x) for s, x in chosen.numbers.items()}
    by_rounds = counted == ROUNDS
    steps = total(counted)
    constraints = group.constraints(numbers)
    if not by_rounds:
        constraints["H >= 1"] = sp.Ge(H, 1, evaluate=False)
    bound = group.bound(counted, slowly=by_rounds)
    slowly = bound.has(slow)
    return Study(
        claim=claim,
        instance=chosen.said,
        constants={str(s): x for s, x in chosen.numbers.items()},
        variables=(gamma, H),
        bounds={METRIC: bound.xreplace(numbers), cost(counted): steps if by_rounds else steps / H},
        constraints=constraints,
        questions=tuple(_questions(group, counted)),
        paper={v: partial(paper_rule, counted, int(chosen.numbers[m]), v) for v in (gamma, H)},
        conditions=group.conditions(numbers),
        measure=partial(_measured, chosen, counted),
        exact={slow: _slowness} if slowly else {},
        minorants={slow: slow_minorant} if slowly else {},
        notes=(*group.notes(counted), *(() if chosen.numbers[D0] else (STILL,))),
        alone=not by_rounds,
        horizon=R if by_rounds else K_it,
        counted=counted,
        whole=(H,),
    )


def _measured(chosen: Chosen, counted: str, point: Point, horizon: float) -> dict[str, float]:
    """What a run truly reaches, and what it truly costs; H is a whole number."""
    length = round(point[H])
    steps = int(horizon) * length if counted == ROUNDS else int(horizon) + 1
    beside = steps if counted == ROUNDS else -(-steps // length)
    return {METRIC: chosen.instance.measure(point[gamma], length, steps), cost(counted): float(beside)}


def _slowness(point: Point, rounds: float) -> float:
    return 1 / (1 + math.log(rounds * point[H]))


def slow_minorant(rounds: float) -> Minorant:
    """Monomials in H below ``1/(1 + ln T)``, T = rounds H: ``ln(1 + t)`` is concave in ``t = ln T``."""

    def tangent(point: Point) -> Term:
        power = _slowness(point, rounds)
        return Term(Fraction(power * point[H] ** power * (1 - ROUNDED)), {H: -Fraction(power)})

    return tangent


def _questions(group: Group, counted: str) -> Iterator[Question]:
    """The best exponents when only the horizon counts, and when the choice may cost no more than the paper's."""
    variable, bound = rates(group, counted)
    step, length = growth(counted)
    letter, bigger = ("R", 1 + length) if counted == ROUNDS else ("K", 1 - length)
    for title, constraints in (
        (METRIC, ()),
        (f"{METRIC}, at most {letter}^({bigger}) {spent(counted)}", (no_dearer(b, length, counted),)),
    ):
        yield Question(title, {METRIC: bound}, (a, b), constraints, {a: step, b: length}, variable=variable)
