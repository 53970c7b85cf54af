"""Semidefinite programmes for one set of parameter values: premises that suffice, or a float Gram matrix that violates.

The numbers are only a guide: multipliers on the premises are determined symbolically, or rounded and checked exactly
where there are no parameters; a Gram matrix is factored, rounded and checked exactly by
:mod:`rateproof.theory.gram.counterexample`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import sympy as sp

from rateproof.theory.gram.forms import Problem
from rateproof.theory.gram.multipliers import Multipliers, feasible, pivots_of, solve, value_equations
from rateproof.theory.linear import float_echelon

_ZERO = 1e-6
_DENOMINATORS = (1, 2, 4, 6, 12, 60, 1000, 10**5, 10**8)


def span(numbers: Problem) -> tuple[int, ...]:
    """Basic vectors whose block of every matrix carries the whole matrix (the rest are combinations of them)."""
    rows = [row for form in numbers.forms for row in form.matrix]
    return pivots_of(rows, len(numbers.names))


def float_multipliers(numbers: Problem, allowed: Sequence[int]) -> list[float] | None:
    """Multipliers on the allowed premises that leave the largest smallest eigenvalue, or None when there are none."""
    import cvxpy as cp
    import numpy as np

    (constant, linear, form), (constants, slopes, forms) = _data(numbers)
    m, margin = cp.Variable(len(constants)), cp.Variable()
    constraints: list[Any] = [margin <= 1, constant - constants @ m >= 0]
    zero = [i for i in range(len(constants)) if i not in allowed]
    signed = [i for i in allowed if not numbers.premises[i].equal]
    constraints += [m[zero] == 0] if zero else []
    constraints += [m[signed] >= 0] if signed else []
    constraints += [slopes.T @ m == linear] if len(linear) else []
    if size := len(form):
        rest = form - cp.reshape(forms.reshape(-1, size * size).T @ m, (size, size), order="C")
        constraints.append(rest - margin * np.eye(size) >> 0)
    if not solved(cp.Problem(cp.Maximize(margin), constraints)) or float(margin.value) < -_ZERO:
        return None
    return [float(x) for x in m.value]


def minimal_support(numbers: Problem) -> tuple[int, ...] | None:
    """Premises that suffice, none of which can be dropped, by float multipliers; None when all together do not."""
    support = tuple(range(len(numbers.premises)))
    start = float_multipliers(numbers, support)
    if start is None:
        return None
    for i in sorted(support, key=lambda i: abs(start[i])):
        fewer = tuple(j for j in support if j != i)
        if float_multipliers(numbers, fewer) is not None:
            support = fewer
    return support


def rational_multipliers(numbers: Problem, support: Sequence[int]) -> Multipliers | None:
    """Float multipliers rounded so that the linear equations hold, checked exactly; None when rounding fails.

    Where the remaining matrix is singular to rounding, its kernel is rounded too and kept as equations, for a matrix
    on the boundary of the semidefinite cone leaves it at the slightest change.
    """
    floats = float_multipliers(numbers, support)
    if floats is None:
        return None
    support = [i for i in support if abs(floats[i]) > _ZERO]
    linear = value_equations(numbers, support)
    for equations in ([*linear, *_kernel_equations(numbers, floats, support)], linear):
        family = solve(equations, len(support))
        if family is None:
            continue
        start, directions = family
        free = [
            next(k for k, x in enumerate(d) if x == 1 and all(e[k] == 0 for e in directions if e is not d))
            for d in directions
        ]
        for denominator in _DENOMINATORS:
            values = list(start)
            for k, direction in zip(free, directions, strict=True):
                step = sp.Rational(round(floats[support[k]] * denominator), denominator)
                values = [v + step * d for v, d in zip(values, direction, strict=True)]
            multipliers = [sp.S.Zero] * len(floats)
            for i, value in zip(support, values, strict=True):
                multipliers[i] = value
            if feasible(numbers, multipliers):
                return tuple(multipliers)
    return None


def violating_gram(numbers: Problem) -> Any | None:
    """A Gram matrix of all basic vectors, of low rank, that with some values keeps every premise and breaks the goal.

    The premises hold, and the goal fails, with a margin that leaves room for rounding; first the largest margin,
    then the least trace at half of it. Where premises leave no margin (equations), the goal alone has one.
    Returns None when the solver finds no violation.
    """
    import cvxpy as cp
    import numpy as np

    (constant, linear, form), (constants, slopes, forms) = _data(numbers)
    size = len(form)
    if size == 0:
        return None
    bound = 100 * max(1.0, abs(constant), *map(abs, constants))
    gram, values, margin = cp.Variable((size, size), PSD=True), cp.Variable(len(linear) or 1), cp.Variable()
    flat = cp.reshape(gram, (size * size,), order="C")
    goal = constant + form.reshape(-1) @ flat + (linear @ values if len(linear) else 0.0)
    premises = constants + forms.reshape(-1, size * size) @ flat + (slopes @ values if len(linear) else 0.0)
    equal = [i for i, p in enumerate(numbers.premises) if p.equal]
    signed = [i for i, p in enumerate(numbers.premises) if not p.equal]
    box = [cp.trace(gram) <= bound, cp.abs(values) <= bound, margin <= 1, goal <= -margin]
    box += [premises[equal] == 0] if equal else []
    for room in (margin, 0.0):
        constraints = [*box, premises[signed] >= room] if signed else box
        if not solved(cp.Problem(cp.Maximize(margin), constraints)) or float(margin.value) < _ZERO:
            continue
        if solved(cp.Problem(cp.Minimize(cp.trace(gram)), [*constraints, margin >= float(margin.value) / 2])):
            basis = span(numbers)
            full = np.zeros((len(numbers.names), len(numbers.names)))
            full[np.ix_(basis, basis)] = gram.value
            return full
    return None


def _data(numbers: Problem) -> tuple[tuple[float, Any, Any], tuple[Any, Any, Any]]:
    """Constant, linear part and matrix of the goal, on :func:`span`, and the same of the premises, stacked."""
    import numpy as np

    basis = span(numbers)
    constants = np.array([float(f.constant) for f in numbers.forms])
    slopes = np.array([[float(x) for x in f.linear] for f in numbers.forms])
    forms = np.array([[[float(f.matrix[i][j]) for j in basis] for i in basis] for f in numbers.forms])
    forms = forms.reshape(len(constants), len(basis), len(basis))
    return (float(constants[0]), slopes[0], forms[0]), (constants[1:], slopes[1:], forms[1:])


def solved(problem: Any) -> bool:
    """Solve a programme of cvxpy; whether there is a solution, of any accuracy."""
    import warnings

    import cvxpy as cp

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # an inaccurate solution is a guess like any other
            problem.solve(solver=cp.CLARABEL)
    except cp.error.SolverError:
        return False
    return problem.status in (cp.OPTIMAL, cp.OPTIMAL_INACCURATE)


def _kernel_equations(numbers: Problem, floats: Sequence[float], support: Sequence[int]) -> list[list[sp.Expr]]:
    """That the remaining matrix annihilates its numerical kernel, and that a constant that is nearly zero is zero."""
    import numpy as np

    basis = span(numbers)
    exact = [numbers.goal, *(numbers.premises[i].form for i in support)]
    (constant, _, form), (constants, _, forms) = _data(numbers)
    weights = np.array(floats)
    equations = []
    if abs(constant - weights @ constants) < _ZERO:
        equations.append([*(f.constant for f in exact[1:]), exact[0].constant])
    if not basis:
        return equations
    eigenvalues, eigenvectors = np.linalg.eigh(form - np.tensordot(weights, forms, 1))
    for vector in _rational_rows(eigenvectors[:, eigenvalues < 1e-5 * max(1.0, eigenvalues[-1])].T):
        for i in basis:
            products = [sum(f.matrix[i][j] * x for j, x in zip(basis, vector, strict=True)) for f in exact]
            equations.append([*products[1:], products[0]])
    return equations


def _rational_rows(rows: Any) -> list[list[sp.Rational]]:
    """The row space of a float matrix in reduced echelon form with small fractions."""
    return [[sp.Rational(str(round(x, 9))).limit_denominator(200) for x in row] for row in float_echelon(rows)]
