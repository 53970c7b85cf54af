"""Linear systems over the rationals."""

from collections.abc import Sequence
from fractions import Fraction

import sympy as sp

Vector = list[Fraction]


def eliminate(rows: Sequence[Sequence[Fraction]]) -> tuple[list[Vector], list[int]]:
    """Reduced row echelon form of an augmented matrix, and the columns of its pivots."""
    work, pivots = [list(row) for row in rows], list[int]()
    for column in range(len(work[0]) if work else 0):
        top = len(pivots)
        found = next((i for i in range(top, len(work)) if work[i][column]), None)
        if found is None:
            continue
        work[top], work[found] = work[found], work[top]
        work[top] = [x / work[top][column] for x in work[top]]
        for i, row in enumerate(work):
            if i != top and row[column]:
                work[i] = [x - row[column] * y for x, y in zip(row, work[top], strict=True)]
        pivots.append(column)
    return work, pivots


def solve(matrix: Sequence[Sequence[Fraction]], right: Sequence[Fraction]) -> Vector | None:
    """A solution of ``matrix x = right`` with free unknowns at zero; None when there is none."""
    size = len(matrix[0])
    reduced, pivots = eliminate([[*row, value] for row, value in zip(matrix, right, strict=True)])
    if size in pivots:
        return None
    out = [Fraction(0)] * size
    for row, column in zip(reduced, pivots, strict=False):
        out[column] = row[size]
    return out


def rational(number: sp.Rational) -> Fraction:
    """A sympy rational as a fraction."""
    return Fraction(int(number.p), int(number.q))
