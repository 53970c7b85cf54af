"""Explicit vectors, values and parameters that satisfy every premise and violate the statement, verified exactly."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import ceil, isfinite, sqrt
from typing import Any

import sympy as sp

from rateproof.theory.algebra import fits
from rateproof.theory.gram import domain, sdp
from rateproof.theory.gram.forms import Problem, gap
from rateproof.theory.gram.multipliers import remainders, solve
from rateproof.theory.gram.squares import negative_direction
from rateproof.theory.gram.vectors import factors

_DENOMINATORS = (1, 2, 4, 10, 100, 10**4, 10**6)
_SCALES = (1, 2, 4, 10)
_ROOMS = (sp.Rational(1, 10), sp.Rational(1, 10**4))


@dataclass(frozen=True)
class Refuted:
    """The statement fails at these numbers, which satisfy every premise and assumption.

    Attributes:
        vectors: the basic vectors, rationals in R^d.
        values: the function values and other scalars that enter linearly.
        parameters: the parameters.
        excess: by how much the smaller side exceeds the larger, a positive number.
    """

    vectors: Mapping[str, tuple[sp.Rational, ...]]
    values: Mapping[sp.Symbol, sp.Rational]
    parameters: Mapping[sp.Symbol, sp.Rational]
    excess: sp.Expr

    def evaluate(self, expr: sp.Expr) -> sp.Expr:
        """The exact value of an expression of inner products, values and parameters at these numbers."""
        numbers: dict[sp.Symbol, sp.Expr] = {**self.parameters, **self.values}
        for symbol in sp.sympify(expr).free_symbols:
            if pair := factors(symbol):
                u, v = (self.vectors[name] for name in pair)
                numbers[symbol] = sum((a * b for a, b in zip(u, v, strict=True)), sp.S.Zero)
        return sp.sympify(expr).xreplace(numbers)

    def __str__(self) -> str:
        shown = [f"{s} = {x}" for s, x in {**self.parameters, **self.values}.items()]
        shown += [f"{name} = ({', '.join(map(str, v))})" for name, v in self.vectors.items()]
        return f"violated by {self.excess} at {', '.join(shown)}"


def confirm(problem: Problem, candidate: Refuted) -> Refuted | None:
    """The candidate with its excess when it is a counterexample, exactly and by the relations as given."""
    if not problem.domain.admits(candidate.parameters) or not all(fits(s, x) for s, x in candidate.values.items()):
        return None
    for premise in problem.premises:
        left, right = (candidate.evaluate(side) for side in premise.relation.args)
        if not domain.holds(premise.relation.func(left, right, evaluate=False), {}):
            return None
    excess = -candidate.evaluate(gap(problem.relation))
    if not domain.holds(sp.Gt(excess, 0, evaluate=False), {}):
        return None
    return Refuted(candidate.vectors, candidate.values, candidate.parameters, sp.simplify(excess))


def search(problem: Problem, point: domain.Point) -> Refuted | None:
    """A counterexample at given parameters, or None when none is found."""
    numbers = problem.at(problem.domain.complete(point))
    rooms = _ROOMS if any(p.strict for p in numbers.premises) else (sp.S.Zero,)
    for rows, room in ((rows, room) for rows in _attempts(numbers) for room in rooms):
        values = _values(numbers, rows, room)
        if values is not None:
            vectors = dict(zip(problem.names, map(tuple, rows), strict=True))
            candidate = Refuted(vectors, dict(zip(problem.values, values, strict=True)), point, sp.S.Zero)
            if confirmed := confirm(problem, candidate):
                return confirmed
    return None


Rows = list[list[sp.Rational]]


def _attempts(numbers: Problem) -> Iterator[Rows]:
    """Vectors that may violate the goal: on a line first, exactly; then from a Gram matrix, rounded coarsely first."""
    yield [[sp.S.Zero] for _ in numbers.names]
    for rest in remainders(numbers):
        direction = negative_direction(rest.matrix)
        if direction is not None:
            form = sum(
                x * entry * y
                for x, row in zip(direction, rest.matrix, strict=True)
                for entry, y in zip(row, direction, strict=True)
            )
            largest = max(abs(x) for x in direction)
            # beyond a positive constant the form has to be scaled up
            beyond = float(sp.N(rest.constant / form)) if rest.constant > 0 else 0.0
            if not isfinite(beyond):
                continue
            size = largest / (1 + ceil(sqrt(abs(beyond))))
            yield from _rounded([[x / size] for x in direction])
            yield [[x / size] for x in direction]
    if numbers.premises:
        yield from _from_gram(numbers)


def _from_gram(numbers: Problem) -> Iterator[Rows]:
    """A float Gram matrix factored, with few dimensions first."""
    import numpy as np

    gram = sdp.violating_gram(numbers)
    if gram is None:
        return
    eigenvalues, eigenvectors = np.linalg.eigh(gram)
    homogeneous = all(f.constant == 0 for f in numbers.forms)
    for rank in range(1, max(1, int((eigenvalues > 1e-9 * max(1e-9, eigenvalues[-1])).sum())) + 1):
        kept = eigenvectors[:, -rank:] * np.sqrt(np.maximum(eigenvalues[-rank:], 0))
        factor = _triangular(kept)
        largest = float(np.max(np.abs(factor)))
        if largest == 0:
            continue
        for scale in _SCALES if homogeneous else (largest,):
            yield from _rounded(factor * (scale / largest))


def _values(numbers: Problem, rows: Rows, room: sp.Rational) -> list[sp.Rational] | None:
    """Values that make the goal least where the premises hold at given vectors; exact, at a vertex; None if none.

    Strict premises hold by ``room``.
    """
    if not numbers.values:
        return []
    import numpy as np
    from scipy.optimize import linprog

    gram = [[sum((a * b for a, b in zip(u, v, strict=True)), sp.S.Zero) for v in rows] for u in rows]
    goal = numbers.goal.linear, numbers.goal.at_gram(gram)
    premises = [(p.form.linear, p.form.at_gram(gram) - (room if p.strict else 0)) for p in numbers.premises]
    equal = [p.equal for p in numbers.premises]
    size = 10 * (1 + max(abs(constant) for _, constant in (goal, *premises)))
    slopes = np.array([[float(x) for x in linear] for linear, _ in premises]).reshape(len(premises), len(goal[0]))
    constants = np.array([float(c) for _, c in premises])
    split = np.hstack([slopes, -slopes])  # values as differences of nonnegative ones, so that a vertex has zeros
    cost = np.array([float(x) for x in goal[0]])
    if not all(np.isfinite(entries).all() for entries in (slopes, constants, cost)):  # beyond the range of floats
        return None
    solution = linprog(
        np.concatenate([cost, -cost]) + 1e-7 * max(1.0, float(np.max(np.abs(cost)))),
        A_ub=-split[[not e for e in equal]] if premises else None,
        b_ub=constants[[not e for e in equal]] if premises else None,
        A_eq=split[equal] if any(equal) else None,
        b_eq=-constants[equal] if any(equal) else None,
        bounds=(0, float(size)),
    )
    if solution.status != 0:
        return None
    found = solution.x[: len(cost)] - solution.x[len(cost) :]
    slack = slopes @ found + constants
    active = [[*linear, -c] for (linear, c), s in zip(premises, slack, strict=True) if abs(s) < 1e-8 * float(size)]
    for k, x in enumerate(found):
        for stop in (sp.S.Zero, size, -size):
            if abs(x - float(stop)) < 1e-8 * float(size):
                active.append([*(sp.Integer(j == k) for j in range(len(found))), stop])
    vertex = solve(active, len(found))
    return None if vertex is None else vertex[0]


def _triangular(factor: Any) -> Any:
    """The vectors (rows) turned so that the first ones lie in few dimensions."""
    import numpy as np

    turned: Any = np.linalg.qr(factor.T)[1].T
    signs = np.array([1.0 if column[np.argmax(np.abs(column))] >= 0 else -1.0 for column in turned.T])
    return turned * signs


def _rounded(rows: Any) -> Iterator[Rows]:
    for q in _DENOMINATORS:
        yield [[sp.Rational(round(float(x) * q), q) for x in row] for row in rows]
