"""Exact linear algebra on fractions: echelon forms, kernels, and positive semidefiniteness."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import lcm
from typing import Any

Row = Mapping[int, Fraction]
Matrix = Sequence[Sequence[Fraction]]


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
        found.append({order[k]: fraction(x) for k, x in enumerate(line) if x != 0})
    return tuple(next(iter(row)) for row in found), found


def fraction(number: Any) -> Fraction:
    """A number of python-flint as a Fraction."""
    return Fraction(int(number.p), int(number.q))


def semidefinite(matrix: Matrix) -> bool:
    """Whether a symmetric matrix is positive semidefinite.

    Its eigenvalues are real, so none is negative iff the coefficients of its characteristic polynomial alternate.
    """
    from flint import fmpz_mat

    size = len(matrix)
    scale = lcm(*(x.denominator for row in matrix for x in row))
    integers = fmpz_mat(size, size, [x.numerator * (scale // x.denominator) for row in matrix for x in row])
    coefficients = integers.charpoly().coeffs()
    return all(c >= 0 if (size - k) % 2 == 0 else c <= 0 for k, c in enumerate(coefficients))


def squares(matrix: Matrix) -> list[tuple[Fraction, tuple[Fraction, ...]]]:
    """``matrix = sum_k pivot_k row_k^T row_k`` with positive pivots, for a positive semidefinite matrix."""
    current = [list(row) for row in matrix]
    found = []
    for k in range(len(current)):
        pivot = current[k][k]
        if pivot <= 0:
            if pivot or any(current[k]):
                raise ValueError("the matrix is not positive semidefinite")
            continue
        row = tuple(x / pivot for x in current[k])
        found.append((pivot, row))
        for i in range(k, len(current)):
            if row[i]:
                current[i] = [x - row[i] * pivot * y for x, y in zip(current[i], row, strict=True)]
    return found
