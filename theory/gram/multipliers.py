"""Multipliers of premises such that statement = sum of multiplier times premise + squares.

Candidates come from the linear conditions on the function values, solved exactly and symbolically (those of a
semidefinite programme are in :mod:`rateproof.theory.gram.fit`). Where a candidate comes from is no evidence: each is
checked exactly, as a rational matrix here and over the whole domain by the caller.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations, islice

import sympy as sp
from sympy.polys.matrices import DomainMatrix

from rateproof.theory.algebra import normal
from rateproof.theory.gram.forms import Form, Multipliers, Problem, remainder
from rateproof.theory.gram.squares import negative_direction

Family = tuple[list[sp.Expr], list[list[sp.Expr]]]

_BASIC_LIMIT = 400


def feasible(problem: Problem, multipliers: Sequence[sp.Expr]) -> bool:
    """Whether multipliers prove a problem without parameters, exactly."""
    if not all(m.is_Rational and (p.equal or m >= 0) for m, p in zip(multipliers, problem.premises, strict=True)):
        return False
    rest = remainder(problem, multipliers)
    return rest.constant >= 0 and not any(rest.linear) and negative_direction(rest.matrix) is None


def basic(numbers: Problem) -> Iterator[tuple[int, ...]]:
    """Supports of multipliers that the linear conditions determine and that prove a problem without parameters."""
    for support, multipliers in _basic(numbers):
        if feasible(numbers, multipliers):
            yield support


def remainders(numbers: Problem) -> Iterator[Form]:
    """What admissible multipliers leave of the goal, for those that the linear conditions determine."""
    for _, multipliers in _basic(numbers):
        if all(p.equal or m >= 0 for m, p in zip(multipliers, numbers.premises, strict=True)):
            yield remainder(numbers, multipliers)


def _basic(numbers: Problem) -> Iterator[tuple[tuple[int, ...], Multipliers]]:
    count = len(numbers.premises)
    subsets = (s for size in range(min(count, len(numbers.values)) + 1) for s in combinations(range(count), size))
    for support in islice(subsets, _BASIC_LIMIT):
        family = solve(value_equations(numbers, support), len(support))
        if family is not None and not family[1]:
            yield support, _spread(family[0], support, count)


def symbolic(problem: Problem, support: Sequence[int]) -> Iterator[Multipliers]:
    """Candidates on a support, as functions of the parameters.

    The linear conditions determine them up to some freedom. With one degree of freedom ``t`` each 2 x 2 minor of the
    remaining matrix is a quadratic in ``t`` that is at least zero for a proof, so its vertex is tried.
    """
    count = len(problem.premises)
    family = solve(value_equations(problem, support), len(support))
    if family is None or len(family[1]) > 1:
        return
    start, directions = family
    if not directions:
        yield _spread(start, support, count)
        return
    t = sp.Dummy("t")
    moved = [normal(a + t * b) for a, b in zip(start, directions[0], strict=True)]
    rest = remainder(problem, _spread(moved, support, count))
    quadratics = [rest.constant, *(rest.matrix[i][i] for i in range(len(rest.matrix)))]
    quadratics += [
        normal(rest.matrix[i][i] * rest.matrix[j][j] - rest.matrix[i][j] ** 2)
        for i, j in combinations(range(len(rest.matrix)), 2)
    ]
    seen: set[sp.Expr] = set()
    for quadratic in quadratics:
        slope = sp.diff(quadratic, t)
        bend = normal(sp.diff(slope, t))
        if bend != 0:
            best = normal(-slope.subs(t, 0) / bend)
        elif (slope := normal(slope)) != 0:
            best = normal(-quadratic.subs(t, 0) / slope)
        else:
            continue
        if best not in seen:
            seen.add(best)
            yield _spread([normal(m.subs(t, best)) for m in moved], support, count)


def value_equations(problem: Problem, support: Sequence[int]) -> list[list[sp.Expr]]:
    """That multipliers on a support leave no function value: rows of their coefficients, then the right side."""
    return [
        [*(problem.premises[i].form.linear[k] for i in support), problem.goal.linear[k]]
        for k in range(len(problem.values))
    ]


def solve(equations: Sequence[Sequence[sp.Expr]], unknowns: int) -> Family | None:
    """A solution of linear equations (coefficients, then right side), free unknowns zero, and a basis of the kernel."""
    rows, pivots = _echelon(equations, unknowns + 1)
    if unknowns in pivots:
        return None
    start = [sp.S.Zero] * unknowns
    for row, pivot in zip(rows, pivots, strict=False):
        start[pivot] = normal(row[-1])
    kernel = []
    for free in (j for j in range(unknowns) if j not in pivots):
        direction = [sp.Integer(j == free) for j in range(unknowns)]
        for row, pivot in zip(rows, pivots, strict=False):
            direction[pivot] = normal(-row[free])
        kernel.append(direction)
    return start, kernel


def pivots_of(rows: Sequence[Sequence[sp.Expr]], width: int) -> tuple[int, ...]:
    """The pivot columns of the reduced row echelon form."""
    return _echelon(rows, width)[1]


def _echelon(rows: Sequence[Sequence[sp.Expr]], width: int) -> tuple[list[list[sp.Expr]], tuple[int, ...]]:
    nonzero = [list(row) for row in rows if any(x != 0 for x in row)]
    if not nonzero:
        return [], ()
    matrix = DomainMatrix.from_list_sympy(len(nonzero), width, nonzero, field=True)
    reduced, pivots = matrix.to_field().rref()
    return reduced.to_Matrix().tolist(), tuple(pivots)


def _spread(values: Sequence[sp.Expr], support: Sequence[int], count: int) -> Multipliers:
    """Multipliers of all premises from those of the supported ones."""
    out = [sp.S.Zero] * count
    for i, value in zip(support, values, strict=True):
        out[i] = value
    return tuple(out)
