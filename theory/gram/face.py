"""Exact multipliers of a problem at given parameters, from the face of the cone on which a semidefinite programme ends.

Where a constant is best possible, every proof leaves a singular matrix: rounding each multiplier by itself leaves the
cone at the slightest change. Multipliers that vanish and the kernel of the matrix are read off the floats, rounded to
small fractions and kept as linear equations, which are solved exactly. What is free after that has room for rounding.

The exact multipliers of a tight problem are no choice, so that those at few points tell which functions they are.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import sympy as sp

from rateproof.theory.gram import sdp
from rateproof.theory.gram.domain import Point
from rateproof.theory.gram.forms import Multipliers, Problem
from rateproof.theory.gram.multipliers import feasible, solve, value_equations
from rateproof.theory.linear import float_echelon

_ACCURACY = 1e-12  # of the programme; its kernel has about half as many digits
_ZEROS = (1e-6, 1e-5, 1e-4, 1e-3)
_FRACTIONS = (60, 200, 1000, 10**4)  # largest denominator in a vector of the kernel
_DENOMINATORS = (1, 2, 4, 6, 12, 60, 1000, 10**5, 10**8)


def rational_multipliers(numbers: Problem) -> Multipliers | None:
    """Multipliers that prove a problem without parameters, checked exactly; None when none are found."""
    every = tuple(range(len(numbers.premises)))
    floats = sdp.float_multipliers(numbers, every, accuracy=_ACCURACY)
    if floats is None:
        return None
    seen: set[Multipliers] = set()
    for zero in _ZEROS:
        support = [i for i in every if abs(floats[i]) > zero]
        linear = value_equations(numbers, support)
        for kernel in (*_kernels(numbers, floats, support, zero), []):
            for candidate in _rounded(solve([*linear, *kernel], len(support)), floats, support):
                if candidate not in seen and feasible(numbers, candidate):
                    return candidate
                seen.add(candidate)
    return None


def monomial_multipliers(problem: Problem, point: Point) -> Multipliers | None:
    """Monomials in the parameters that prove a problem at a point, and where one parameter is doubled or halved."""
    domain = problem.domain

    def at(changed: Point) -> Multipliers | None:
        full = domain.complete(changed)
        return rational_multipliers(problem.at(full)) if full == domain.complete(changed, exact=True) else None

    start = at(point)
    if start is None:
        return None
    out = list(start)
    for parameter, value in point.items():
        nearby = ({**point, parameter: factor * value} for factor in (sp.Integer(2), sp.S.Half))
        changed = next(filter(domain.admits, nearby), None) if value != 0 else None
        if changed is None or (found := at(changed)) is None:
            return None
        for k, (before, after) in enumerate(zip(start, found, strict=True)):
            if before != 0:
                exponent = sp.log(after / before, changed[parameter] / value) if after / before > 0 else sp.nan
                if not exponent.is_Integer:
                    return None
                out[k] *= (parameter / value) ** exponent
    return tuple(out)


def _rounded(
    family: tuple[list[sp.Expr], list[list[sp.Expr]]] | None, floats: Sequence[float], support: Sequence[int]
) -> Iterator[Multipliers]:
    """The members of a family nearest to floats whose free multipliers have a common denominator."""
    if family is None:
        return
    start, directions = family
    free = [
        next(k for k, x in enumerate(d) if x == 1 and all(e[k] == 0 for e in directions if e is not d))
        for d in directions
    ]
    for denominator in _DENOMINATORS if free else (1,):
        values = list(start)
        for k, direction in zip(free, directions, strict=True):
            step = sp.Rational(round(floats[support[k]] * denominator), denominator)
            values = [v + step * d for v, d in zip(values, direction, strict=True)]
        multipliers = [sp.S.Zero] * len(floats)
        for i, value in zip(support, values, strict=True):
            multipliers[i] = value
        yield tuple(multipliers)


def _kernels(
    numbers: Problem, floats: Sequence[float], support: Sequence[int], zero: float
) -> Iterator[list[list[sp.Expr]]]:
    """Equations: the remaining matrix annihilates its numerical kernel, a constant that is nearly zero is zero."""
    import numpy as np

    basis = sdp.span(numbers)
    exact = [numbers.goal, *(numbers.premises[i].form for i in support)]
    (constant, _, form), (constants, _, forms) = sdp.data(numbers)
    weights = np.array(floats)
    tight = abs(constant - weights @ constants) < zero
    whole = [[*(f.constant for f in exact[1:]), exact[0].constant]] if tight else []
    if not basis:
        yield whole
        return
    eigenvalues, eigenvectors = np.linalg.eigh(form - np.tensordot(weights, forms, 1))
    vectors = float_echelon(eigenvectors[:, eigenvalues < zero * max(1.0, eigenvalues[-1])].T)
    for largest in _FRACTIONS:
        equations = list(whole)
        for vector in _fractions(vectors, largest):
            for i in basis:
                products = [sum(f.matrix[i][j] * x for j, x in zip(basis, vector, strict=True)) for f in exact]
                equations.append([*products[1:], products[0]])
        yield equations


def _fractions(rows: Any, largest: int) -> list[list[sp.Rational]]:
    return [[sp.Rational(str(round(x, 12))).limit_denominator(largest) for x in row] for row in rows.tolist()]
