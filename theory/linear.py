"""Linear algebra over the rationals: echelon forms and systems of equations; echelon forms of floats suggest them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

Row = Mapping[int, Fraction]
Vector = list[Fraction]


def echelon(rows: Sequence[Row], order: Sequence[int]) -> tuple[tuple[int, ...], list[dict[int, Fraction]]]:
    """Reduced echelon form of sparse rows, with pivots on the columns that come first in ``order``.

    Returns the pivot columns and, for each, its row: 1 at the pivot, 0 at the other pivots. Columns that are not in
    ``order`` must be zero.
    """
    if not rows or not order:
        return (), []
    from flint import fmpq, fmpq_mat

    place = {column: k for k, column in enumerate(order)}
    dense = fmpq_mat(len(rows), len(order))
    for i, row in enumerate(rows):
        for column, x in row.items():
            dense[i, place[column]] = fmpq(x.numerator, x.denominator)
    reduced, rank = dense.rref()
    found = []
    for line in reduced.tolist()[:rank]:
        found.append({order[k]: rational(x) for k, x in enumerate(line) if x != 0})
    return tuple(next(iter(row)) for row in found), found


def null_vectors(rows: Sequence[Row], columns: Sequence[int]) -> list[dict[int, Fraction]]:
    """A basis of the vectors on the columns that are orthogonal to all rows."""
    pivots, reduced = echelon(rows, columns)
    return [
        {free: Fraction(1)} | {p: -row[free] for p, row in zip(pivots, reduced, strict=True) if free in row}
        for free in sorted(set(columns) - set(pivots))
    ]


def solve(
    matrix: Sequence[Sequence[Fraction]], right: Sequence[Fraction], order: Sequence[int] | None = None
) -> Vector | None:
    """A solution of ``matrix x = right`` with free unknowns at zero; None when there is none.

    Unknowns that come first in ``order`` are free last.
    """
    size = len(matrix[0])
    augmented = [{k: x for k, x in enumerate((*row, value)) if x} for row, value in zip(matrix, right, strict=True)]
    pivots, reduced = echelon(augmented, [*(range(size) if order is None else order), size])
    if size in pivots:
        return None
    out = [Fraction(0)] * size
    for column, row in zip(pivots, reduced, strict=True):
        out[column] = row.get(size, Fraction(0))
    return out


def float_echelon(rows: Any) -> Any:
    """The rows of a float matrix combined so that each is 1 at its largest entry, where the others are 0."""
    import numpy as np

    reduced = np.array(rows, dtype=float)
    for k in range(len(reduced)):
        pivot = int(np.argmax(np.abs(reduced[k])))
        reduced[k] /= reduced[k, pivot]
        for other in range(len(reduced)):
            if other != k:
                reduced[other] -= reduced[other, pivot] * reduced[k]
    return reduced


def rational(number: Any) -> Fraction:
    """A rational number of sympy or of python-flint as a fraction."""
    return Fraction(int(number.p), int(number.q))
