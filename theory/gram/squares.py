"""Positive semidefinite matrices: squares by LDL^T with symmetric pivoting, or a direction that is negative."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations

import sympy as sp

from rateproof.theory.algebra import normal
from rateproof.theory.gram.domain import Domain, factored

Matrix = Sequence[Sequence[sp.Expr]]
Row = tuple[sp.Expr, ...]


@dataclass(frozen=True)
class Split:
    """``M = sum_k pivots[k] rows[k]^T rows[k] + rest``.

    Attributes:
        pivots, rows: the squares.
        rest: what remains, as a matrix on the indices ``left``; none of its diagonal is usable as a pivot.
        directions: for each index left, the vector on which the squares vanish and the form is ``rest``.
    """

    pivots: Row
    rows: tuple[Row, ...]
    left: tuple[int, ...]
    rest: tuple[Row, ...]
    directions: tuple[Row, ...]


def split(matrix: Matrix, usable: Callable[[sp.Expr, Row], bool]) -> Split:
    """Take squares off a symmetric matrix while a diagonal entry is usable, given the ratios of its row to it."""
    size = len(matrix)
    current = [list(row) for row in matrix]
    directions = [[sp.Integer(i == j) for j in range(size)] for i in range(size)]
    left = list(range(size))
    pivots: list[sp.Expr] = []
    rows: list[Row] = []

    def ratios(k: int) -> Row:
        return tuple(normal(current[k][j] / current[k][k]) if j in left else sp.S.Zero for j in range(size))

    while chosen := next(((k, r) for k in left if current[k][k] != 0 and usable(current[k][k], r := ratios(k))), None):
        k, row = chosen
        pivots.append(current[k][k])
        rows.append(row)
        left.remove(k)
        for i in left:
            if row[i] != 0:
                directions[i] = [normal(a - row[i] * b) for a, b in zip(directions[i], directions[k], strict=True)]
            for j in left:
                current[i][j] = normal(current[i][j] - row[i] * pivots[-1] * row[j])
    left = [i for i in left if any(current[i][j] != 0 for j in left)]
    return Split(
        tuple(pivots),
        tuple(rows),
        tuple(left),
        tuple(tuple(current[i][j] for j in left) for i in left),
        tuple(tuple(directions[i]) for i in left),
    )


def negative_direction(matrix: Matrix) -> Row | None:
    """A vector ``v`` with ``v^T M v < 0`` for a rational matrix, or None when the matrix is positive semidefinite."""
    parts = split(matrix, lambda pivot, ratios: bool(pivot > 0))
    if not parts.left:
        return None
    for i, direction in enumerate(parts.directions):
        if parts.rest[i][i] < 0:
            return direction
    # the diagonal of the rest is zero: <e_0 -+ e_j> has the value -2|m_0j|
    j = next(j for j, entry in enumerate(parts.rest[0]) if entry != 0)
    sign = sp.sign(parts.rest[0][j])
    return tuple(a - sign * b for a, b in zip(parts.directions[0], parts.directions[j], strict=True))


@dataclass(frozen=True)
class Obstacle:
    """An expression that would have to be nonnegative and is not known to be."""

    expr: sp.Expr
    what: str


@dataclass(frozen=True)
class Semidefinite:
    """Squares with nonnegative pivots, principal ``minors`` of what they leave, and why the signs are as needed."""

    pivots: Row
    rows: tuple[Row, ...]
    minors: tuple[sp.Expr, ...]
    reasons: tuple[str, ...]


def semidefinite(matrix: Matrix, domain: Domain) -> Semidefinite | Obstacle:
    """Whether a matrix is positive semidefinite for all parameters of a domain.

    A pivot may vanish somewhere if the ratios of its row to it are defined there, for the row then vanishes with it.
    What the squares leave is semidefinite iff all its principal minors are nonnegative.
    """
    positive, nonnegative, nonzero = map(cache, (domain.positive, domain.nonnegative, domain.nonzero))

    def shown(pivot: sp.Expr, ratios: Row) -> list[str | None]:
        """Why a pivot is usable; None among the reasons where that is not known."""
        if why := positive(pivot):
            return [why]
        bottoms = [sp.fraction(ratio)[1] for ratio in ratios]
        return [nonnegative(pivot), *(nonzero(b) for b in bottoms if not b.is_Rational)]

    parts = split(matrix, lambda pivot, ratios: positive(pivot) is not None or None not in shown(pivot, ratios))
    reasons = [why for pivot, row in zip(parts.pivots, parts.rows, strict=True) for why in shown(pivot, row)]
    rest = sp.Matrix(parts.rest) if parts.left else sp.zeros(0, 0)
    if (one := _as_square(rest)) and (why := nonnegative(one[0])) is not None:
        row = dict(zip(parts.left, one[1], strict=True))
        whole = tuple(row.get(i, sp.S.Zero) for i in range(len(matrix)))
        told = tuple(dict.fromkeys(filter(None, (*reasons, why))))
        return Semidefinite((*parts.pivots, one[0]), (*parts.rows, whole), (), told)
    indices = [list(s) for size in range(1, rest.rows + 1) for s in combinations(range(rest.rows), size)]
    minors: list[sp.Expr] = []
    for chosen in indices:
        minor = normal(rest[chosen, chosen].det())
        why = nonnegative(minor)
        if why is None:
            return Obstacle(minor, f"the principal minor {factored(minor)} is not known to be nonnegative")
        minors.append(minor)
        reasons.append(why)
    return Semidefinite(parts.pivots, parts.rows, tuple(minors), tuple(dict.fromkeys(filter(None, reasons))))


def _as_square(matrix: sp.Matrix) -> tuple[sp.Expr, Row] | None:
    """``p, w`` with ``M = p w^T w`` for a matrix of polynomials, both without divisors; None where there are none.

    A pivot may then vanish though the ratios of its row to it have no value there.
    """
    first = next((i for i in range(matrix.rows) if matrix[i, i] != 0), None)
    if first is None or not all(entry.is_polynomial() for entry in matrix):
        return None
    common = sp.gcd_list([*matrix.row(first)])
    row = matrix.row(first).applyfunc(lambda entry: normal(entry / common))
    pivot = normal(common**2 / matrix[first, first])
    alike = (matrix - pivot * row.T * row).applyfunc(normal).is_zero_matrix
    return (pivot, tuple(row)) if alike and pivot.is_polynomial() else None
