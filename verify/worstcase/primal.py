"""Worst functions of performance estimation problems: lower bounds that an explicit instance attains exactly.

The semidefinite programme and the steps that follow it suggest points in floats; these are made rational, and only an
instance that satisfies every condition exactly is returned.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from fractions import Fraction
from math import ceil, log2
from typing import Any

import numpy as np

from rateproof.verify.worstcase import suggest
from rateproof.verify.worstcase.certificate import Refusal
from rateproof.verify.worstcase.evaluations import evaluations
from rateproof.verify.worstcase.gauge import Gauge, fix
from rateproof.verify.worstcase.model import Condition, Form, Model, read
from rateproof.verify.worstcase.repair import Rational, rounded, simple
from rateproof.verify.worstcase.witness import Evaluations, WorstFunction

Array = np.ndarray[Any, np.dtype[Any]]

#: Largest denominators of the simple fractions that are tried first.
DENOMINATORS = (100, 10_000, 1_000_000)
#: Margins, in scaled units, with which the inequalities are to hold before the numbers are rounded.
MARGINS = (1e-11, 1e-10, 1e-9, 1e-8, 1e-7, 1e-6, 1e-5)
#: Bits kept beyond those of the margin.
GUARD_BITS = 8


def worst_function(
    problem: Any,
    *,
    solver: str = "CLARABEL",
    rank: int | None = None,
    tolerance: float = 1e-6,
    functions: tuple[Evaluations, ...] = (),
) -> WorstFunction | Refusal:
    """An instance in rational numbers that satisfies every condition exactly, with a metric as large as can be had.

    Fewer dimensions are tried first; the first instance within the tolerance of the solver's value is taken, else the
    one with the largest metric. Where an instance in fractions with small denominators exists it is often found, and
    the worst case is then attained exactly.

    Args:
        problem: a ``PEPit.PEP`` or a Model.
        solver: of cvxpy, for the semidefinite programmes.
        rank: the largest number of dimensions allowed.
        tolerance: relative.
        functions: where a model's functions are evaluated; read from the problem where it is a PEP.

    Raises:
        ValueError: the problem, the solver or an option cannot be used.
    """
    _require(solver, rank, tolerance)
    model = problem if isinstance(problem, Model) else read(problem)
    functions = functions if isinstance(problem, Model) else evaluations(problem, model)
    gauge = fix(model)
    if not gauge.model.points:
        return Refusal("no condition and no metric depends on the points")
    try:
        numbers, found = suggest.solve_in_good_units(gauge.model, solver)
    except suggest.UnsolvedError as reason:
        return Refusal(str(reason))
    search = _Search(model, functions, gauge, numbers, found, solver, rank or numbers.n, tolerance)
    best = search.run()
    if best is None:
        return Refusal(search.reason(), search.value)
    return best


def recession(model: Model) -> WorstFunction | None:
    """A direction along which a model's instances stay instances and every metric grows, exactly, if one is found.

    It is an instance of the model without its constants, with a positive metric. Where the point zero is an instance,
    so are all multiples of the direction, and the worst case is unbounded; elsewhere None.
    """

    def linear(form: Form) -> Form:
        return Form(form.gram, form.values)

    origin = tuple((Fraction(0),) for _ in model.points), (Fraction(1),), (Fraction(0),) * len(model.values)
    if not WorstFunction.attaining(model, *origin).check():
        return None
    cone = model.mapped(linear, model.points, model.values)
    caps = [Condition("metric <= 1", Form(f.gram, f.values, Fraction(-1))) for f in cone.metrics]
    worst = worst_function(replace(cone, conditions=(*cone.conditions, *caps)))
    return worst if isinstance(worst, WorstFunction) and worst.lower > 0 and worst.check() else None


def refutes(worst: WorstFunction, bound: Fraction | int, problem: Any = None) -> bool:
    """Whether an instance shows that a bound on the metric is false: it is valid and its metric exceeds the bound.

    Never where the conditions of the model are necessary only: ``found.model.relaxed`` names the classes and steps to
    which the instance need not belong.

    Args:
        found: the instance.
        bound: on the least metric.
        problem: a model or PEPit problem; then also whether it is the one of this instance.
    """
    return not worst.model.relaxed and worst.lower > bound and worst.check(problem)


def _require(solver: str, rank: int | None, tolerance: float) -> None:
    import cvxpy as cp

    installed = cp.installed_solvers()
    if solver not in installed:
        raise ValueError(f"solver {solver!r} is not installed: choose one of {', '.join(sorted(installed))}")
    if rank is not None and rank < 1:
        raise ValueError(f"rank is {rank}: give a positive number of dimensions")
    if not 0 < tolerance < 1:
        raise ValueError(f"tolerance is {tolerance}: give a number between 0 and 1")


@dataclass
class _Search:
    """Suggestions, made exact, until one is good enough; the best one is kept."""

    model: Model
    functions: tuple[Evaluations, ...]
    gauge: Gauge
    numbers: suggest.Numbers
    found: suggest.Solved
    solver: str
    rank: int
    tolerance: float
    best: WorstFunction | None = None
    faults: list[str] = field(default_factory=list)

    @property
    def value(self) -> float:
        return self.found.metric * self.numbers.metric

    def run(self) -> WorstFunction | None:
        for exact in self.attempts():
            if exact is None:
                self.faults.append("the equalities cannot be repaired")
                continue
            points, values = self.gauge.lifted(exact.coordinates, exact.values)
            instance = WorstFunction.attaining(self.model, points, exact.weights, values, self.functions)
            if self.best is not None and instance.lower <= self.best.lower:
                continue
            fault = next(instance.problems(), None)
            if fault is not None:
                self.faults.append(fault)
                continue
            self.best = instance
            if self.good_enough(instance):
                break
        return self.best

    def good_enough(self, instance: WorstFunction) -> bool:
        return float(instance.lower) >= self.value - self.tolerance * max(abs(self.value), 1e-3 * self.numbers.metric)

    def attempts(self) -> Iterator[Rational | None]:
        """Suggestions in few dimensions first, then those of the semidefinite programme with a margin."""
        few = suggest.in_few_dimensions(self.numbers, self.solver, self.found)
        least = min(few.dimension, self.rank)
        if self.numbers.matrices:
            # The steps towards a margin know no matrix conditions; but a quadratic problem may be shrunk.
            P = few.factor(least)
            yield from self.in_simple_fractions(P)
            for margin in MARGINS:
                yield self.rounded((1 - margin) * P, (1 - margin) ** 2 * few.values, margin)
        else:
            for d in range(least, min(least + 1, self.rank, self.numbers.n) + 1):
                yield from self.in_dimension(d, few)
        for margin in MARGINS[2:]:
            before = self.best
            yield from self.with_margin(margin)
            if self.best is not before:  # a larger margin costs more
                return

    def in_dimension(self, d: int, few: suggest.Solved) -> Iterator[Rational | None]:
        steps = suggest.feasible_points(
            self.numbers, few.factor(d), few.values, (0.0, *MARGINS), self.found.multipliers
        )
        P, _ = next(steps)
        yield from self.in_simple_fractions(P)
        for margin, (P, v) in zip(MARGINS, steps, strict=True):
            exact = self.rounded(P, v, margin)
            yield exact
            if exact is None:
                return
            if self.best is not None and self.best.dimension == d:
                return

    def in_simple_fractions(self, P: Array) -> Iterator[Rational | None]:
        for largest in DENOMINATORS:
            yield simple(self.gauge.model, P * self.numbers.point, largest, self.best_values)

    def with_margin(self, margin: float) -> Iterator[Rational | None]:
        # Full rank leaves most entries to repair equalities with.
        for definite in (0.0, margin) if len(self.numbers.equalities.c) else (0.0,):
            try:
                inner = suggest.solve(self.numbers, self.solver, margin=margin, definite=definite)
            except suggest.UnsolvedError as reason:
                self.faults.append(f"with a margin of {margin:g}: {reason}")
                return
            eigenvalues = np.sort(np.maximum(np.linalg.eigvalsh(inner.gram), 0))
            dropped = int(np.searchsorted(np.cumsum(eigenvalues), margin / 100))
            d = self.numbers.n if definite else max(1, self.numbers.n - dropped)
            if d > self.rank:
                self.faults.append(f"the Gram matrix needs {d} dimensions, more than {self.rank}")
                return
            yield self.rounded(inner.factor(d), inner.values, margin)

    def rounded(self, P: Array, v: Array, margin: float) -> Rational | None:
        return rounded(self.gauge.model, *self.unscaled(P, v), ceil(-log2(margin)) + GUARD_BITS)

    def best_values(self, points: Array) -> Array | None:
        values = suggest.best_values(self.numbers, points / self.numbers.point)
        return None if values is None else values * self.numbers.value

    def unscaled(self, P: Array, v: Array) -> tuple[Array, Array]:
        return P * self.numbers.point, v * self.numbers.value

    def reason(self) -> str:
        return f"no exact instance was found near the solver's: {self.faults[-1]}"
