"""Semidefinite programmes for one set of parameter values: premises that suffice, or a float Gram matrix that violates.

The numbers are only a guide: multipliers on the premises are determined symbolically, and a Gram matrix is factored,
rounded and checked exactly by :mod:`rateproof.theory.gram.counterexample`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rateproof.theory.gram.conic import minimum
from rateproof.theory.gram.forms import Problem
from rateproof.theory.gram.multipliers import pivots_of

_ZERO = 1e-6


def span(numbers: Problem) -> tuple[int, ...]:
    """Basic vectors whose block of every matrix carries the whole matrix (the rest are combinations of them)."""
    rows = [row for form in numbers.forms for row in form.matrix]
    return pivots_of(rows, len(numbers.names))


def float_multipliers(numbers: Problem, allowed: Sequence[int], *, accuracy: float | None = None) -> list[float] | None:
    """Multipliers on the allowed premises that leave the largest smallest eigenvalue, or None when there are none."""
    import numpy as np

    (constant, linear, form), (constants, slopes, forms) = data(numbers)
    chosen, size = list(allowed), len(form)
    # of each premise that is allowed its multiplier, and the margin
    unit = np.eye(len(chosen) + 1)
    margin, signs = unit[-1], unit[[k for k, i in enumerate(chosen) if not numbers.premises[i].equal]]
    left = np.array([1.0, constant]), np.vstack([-margin, [*-constants[chosen], 0.0]])
    found = minimum(
        -margin,
        equal=[(-linear, slopes[chosen].T)],
        signed=[left, (np.zeros(len(signs)), signs)],
        matrices=[(form, np.concatenate([-forms[chosen], -np.eye(size)[None]]))] if size else [],
        accuracy=accuracy,
    )
    if found is None or found[-1] < -_ZERO:
        return None
    multipliers = np.zeros(len(constants))
    multipliers[chosen] = found[:-1]
    return [float(x) for x in multipliers]


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
    import numpy as np

    (constant, linear, form), (constants, slopes, forms) = data(numbers)
    if (size := len(form)) == 0:
        return None
    bound = 100 * max(1.0, abs(constant), *map(abs, constants))
    # the entries of a triangle of the Gram matrix, the values, and the margin
    first, second = np.tril_indices(size)
    count = len(first)
    entries = np.zeros((count, size, size))
    entries[range(count), first, second] = entries[range(count), second, first] = 1.0
    unit = np.eye(count + len(linear) + 1)
    trace, values, margin = unit[:count][first == second].sum(axis=0), unit[count:-1], unit[-1]
    goal = np.concatenate([np.tensordot(entries, form), linear])
    premises = np.hstack([np.tensordot(forms, entries, ((1, 2), (1, 2))), slopes])
    equal = [i for i, p in enumerate(numbers.premises) if p.equal]
    signed = [i for i, p in enumerate(numbers.premises) if not p.equal]
    box = [
        (np.array([bound]), -trace[None]),
        (np.full(2 * len(values), bound), np.vstack([values, -values])),
        (np.array([1.0, -constant]), np.vstack([-margin, [*-goal, -1.0]])),
    ]
    kept, positive = [(constants[equal], premises[equal])], [(np.zeros((size, size)), entries)]
    for room in (1.0, 0.0):
        rows = [*box, (constants[signed], np.hstack([premises[signed], np.full((len(signed), 1), -room)]))]
        found = minimum(-margin, equal=kept, signed=rows, matrices=positive)
        if found is None or found[-1] < _ZERO:
            continue
        rows.append((np.array([-found[-1] / 2]), margin[None]))
        least = minimum(trace, equal=kept, signed=rows, matrices=positive)
        if least is not None:
            basis = span(numbers)
            full = np.zeros((len(numbers.names), len(numbers.names)))
            full[np.ix_(basis, basis)] = np.tensordot(least[:count], entries, 1)
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
