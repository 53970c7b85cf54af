"""Semidefinite programmes for one set of parameter values: premises that suffice, or a float Gram matrix that violates.

The numbers are only a guide: multipliers on the premises are determined symbolically, and a Gram matrix is factored,
rounded and checked exactly by :mod:`rateproof.theory.gram.counterexample`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rateproof.theory.gram.forms import Problem
from rateproof.theory.gram.multipliers import pivots_of

_ZERO = 1e-6
_TOLERANCES = ("tol_gap_abs", "tol_gap_rel", "tol_feas", "tol_infeas_abs", "tol_infeas_rel", "tol_ktratio")


def span(numbers: Problem) -> tuple[int, ...]:
    """Basic vectors whose block of every matrix carries the whole matrix (the rest are combinations of them)."""
    rows = [row for form in numbers.forms for row in form.matrix]
    return pivots_of(rows, len(numbers.names))


def float_multipliers(numbers: Problem, allowed: Sequence[int], *, accuracy: float | None = None) -> list[float] | None:
    """Multipliers on the allowed premises that leave the largest smallest eigenvalue, or None when there are none."""
    import cvxpy as cp
    import numpy as np

    (constant, linear, form), (constants, slopes, forms) = data(numbers)
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
    if not solved(cp.Problem(cp.Maximize(margin), constraints), accuracy) or float(margin.value) < -_ZERO:
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


def violating_gram(numbers: Problem) -> Any | None:
    """A Gram matrix of all basic vectors, of low rank, that with some values keeps every premise and breaks the goal.

    The premises hold, and the goal fails, with a margin that leaves room for rounding; first the largest margin,
    then the least trace at half of it. Where premises leave no margin (equations), the goal alone has one.
    Returns None when the solver finds no violation.
    """
    import cvxpy as cp
    import numpy as np

    (constant, linear, form), (constants, slopes, forms) = data(numbers)
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


def data(numbers: Problem) -> tuple[tuple[float, Any, Any], tuple[Any, Any, Any]]:
    """Constant, linear part and matrix of the goal, on :func:`span`, and the same of the premises, stacked."""
    import numpy as np

    basis = span(numbers)
    constants = np.array([float(f.constant) for f in numbers.forms])
    slopes = np.array([[float(x) for x in f.linear] for f in numbers.forms])
    forms = np.array([[[float(f.matrix[i][j]) for j in basis] for i in basis] for f in numbers.forms])
    forms = forms.reshape(len(constants), len(basis), len(basis))
    return (float(constants[0]), slopes[0], forms[0]), (constants[1:], slopes[1:], forms[1:])


def solved(problem: Any, accuracy: float | None = None) -> bool:
    """Solve a programme of cvxpy, to an accuracy if one is asked; whether there is a solution, of any accuracy."""
    import warnings

    import cvxpy as cp

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # an inaccurate solution is a guess like any other
            problem.solve(solver=cp.CLARABEL, **({} if accuracy is None else dict.fromkeys(_TOLERANCES, accuracy)))
    except cp.error.SolverError:
        return False
    except BaseException as failure:
        if type(failure).__name__ != "PanicException":  # of the solver's own language; no Exception, and not importable
            raise
        return False
    return problem.status in (cp.OPTIMAL, cp.OPTIMAL_INACCURATE)
