"""Positive semidefinite matrices of fractions."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import lcm

Matrix = Sequence[Sequence[Fraction]]


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
    squares = []
    for k in range(len(current)):
        pivot = current[k][k]
        if pivot <= 0:
            if pivot or any(current[k]):
                raise ValueError("the matrix is not positive semidefinite")
            continue
        row = tuple(x / pivot for x in current[k])
        squares.append((pivot, row))
        for i in range(k, len(current)):
            if row[i]:
                current[i] = [x - row[i] * pivot * y for x, y in zip(current[i], row, strict=True)]
    return squares
