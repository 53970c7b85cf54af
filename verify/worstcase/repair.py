"""From points and values in floats to rational ones that satisfy every equality exactly.

The points are columns ``C`` of rational numbers, their inner products ``C^T M C`` with a rational matrix ``M``. For
fixed ``C`` every condition is linear in ``M`` and the values, and equalities are solved for some entries of these.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from rateproof.theory.linear import solve
from rateproof.verify.worstcase.model import Form, Model
from rateproof.verify.worstcase.semidefinite import squares
from rateproof.verify.worstcase.witness import Vector

Array = np.ndarray[Any, np.dtype[Any]]
Matrix = list[list[Fraction]]

#: Pivots of the points in simple coordinates are at least this share of the longest point.
SHORT = 1e-3
#: Larger denominators than this cannot be told from floats.
TELLING = 10**7
#: A repair that moves an entry of ``C`` or ``M`` further than this has left the neighbourhood of the suggestion.
LARGEST_CHANGE = 1e-3


@dataclass(frozen=True)
class Rational:
    """Coordinates of each point, positive weights of the axes, and values."""

    coordinates: tuple[Vector, ...]
    weights: Vector
    values: Vector


def rounded(model: Model, points: Array, values: Array, bits: int) -> Rational | None:
    """Binary fractions near points (the columns) and values, repaired so that all equalities hold; None if they cannot.

    The entries keep ``bits`` bits behind the point, relative to the size of each point and of the values.
    """
    sizes = [_power_of_two(x) for x in np.abs(points).max(axis=0)]
    scale = _power_of_two(np.abs(values).max(initial=0))
    C = [[_binary(x, size, bits) for x, size in zip(row, sizes, strict=True)] for row in points]
    M = [[Fraction(int(i == j)) for j in range(len(C))] for i in range(len(C))]
    return _repaired(model, C, M, [_binary(x, scale, bits) for x in values[: len(model.values)]])


def simple(model: Model, points: Array, largest: int, values: Callable[[Array], Array | None]) -> Rational | None:
    """Fractions with denominators up to ``largest`` near the coordinates in a basis of points; None if there are none.

    The inner products of the basis, and the best values for these points (columns), may have its square as
    denominator, as long as floats can tell.
    """
    basis = _basis(points)
    coordinates = np.linalg.lstsq(points[:, basis], points, rcond=None)[0]
    products = points[:, basis].T @ points[:, basis]

    def near(x: float, power: int) -> Fraction:
        return Fraction(float(x)).limit_denominator(min(largest**power, TELLING))

    C = [[near(x, 1) for x in row] for row in coordinates]
    M = [[near((products[i, j] + products[j, i]) / 2, 2) for j in range(len(basis))] for i in range(len(basis))]
    try:
        found = values(np.linalg.cholesky(np.array(M, float)).T @ np.array(C, float))
    except np.linalg.LinAlgError:  # the inner products are no longer definite
        return None
    return None if found is None else _repaired(model, C, M, [near(x, 2) for x in found[: len(model.values)]])


def _basis(points: Array) -> list[int]:
    """The first points that are independent and not short."""
    longest = float(np.sqrt((points**2).sum(axis=0).max()))
    rest, basis = points.copy(), list[int]()
    for i in range(points.shape[1]):
        length = float(np.linalg.norm(rest[:, i]))
        if length > SHORT * longest and len(basis) < len(points):
            basis.append(i)
            unit = rest[:, i] / length
            rest -= np.outer(unit, unit @ rest)
    return basis


def _power_of_two(x: float) -> float:
    return float(2.0 ** np.ceil(np.log2(x))) if x else 1.0


def _binary(x: float, size: float, bits: int) -> Fraction:
    return Fraction(round(float(x) / size * 2**bits), 2**bits) * Fraction(size)


def _repaired(model: Model, C: Matrix, M: Matrix, values: list[Fraction]) -> Rational | None:
    forms = [c.form for c in model.conditions if c.equality]
    solved = _on_equalities(forms, _with_products(forms, C, M), M, values)
    if solved is None:
        return None
    C, M, values = solved
    try:
        axes = squares(M)
    except ValueError:  # the change was too large
        return None
    coordinates = tuple(
        tuple(sum((row[a] * C[a][i] for a in range(len(C))), Fraction(0)) for _, row in axes) for i in range(len(C[0]))
    )
    return Rational(coordinates, tuple(weight for weight, _ in axes), tuple(values))


def _with_products(forms: Sequence[Form], C: Matrix, M: Matrix) -> Matrix:
    """Points moved one after another so that equalities between products, such as orthogonality, hold exactly.

    An equality is solved for a point in which it is linear, together with those that were solved before and have it.
    Where that is impossible the equality is left as it is.
    """
    d = len(C)
    C = [row[:] for row in C]
    settled: list[Form] = []
    for form in forms:
        if form.values:
            continue
        candidates = {i for pair in form.gram for i in pair} - {i for i, j in form.gram if i == j}
        linear = [i for i in candidates if all((i, i) not in other.gram for other in settled)]
        # The later a point comes, the fewer of the equalities to follow have it with others that are settled.
        for point in sorted(linear, key=lambda i: (sum(_has(f, i) for f in settled), -i)):
            rows, residuals = [], []
            for other in [*(f for f in settled if _has(f, point)), form]:
                partner = [_partner(other, point, row) for row in C]
                rows.append([sum((M[a][b] * partner[b] for b in range(d)), Fraction(0)) for a in range(d)])
                residuals.append(sum((r * C[a][point] for a, r in enumerate(rows[-1])), _without(other, point, C, M)))
            change = _solved(rows, residuals)
            if change is not None and _is_small(change, range(d)):
                for a, x in change.items():
                    C[a][point] -= x
                settled.append(form)
                break
    return C


def _has(form: Form, point: int) -> bool:
    return any(point in pair for pair in form.gram)


def _partner(form: Form, point: int, row: Sequence[Fraction]) -> Fraction:
    """One coordinate of the combination that a point is multiplied with."""
    return sum((c * row[j if i == point else i] for (i, j), c in form.gram.items() if point in (i, j)), Fraction(0))


def _without(form: Form, point: int, C: Matrix, M: Matrix) -> Fraction:
    """The part of a form in which a point does not occur."""
    rest = Form({pair: c for pair, c in form.gram.items() if point not in pair})
    return form.constant + _dot(_compressed(rest, C), M)


def _dot(A: Matrix, B: Matrix) -> Fraction:
    return sum((x * y for a, b in zip(A, B, strict=True) for x, y in zip(a, b, strict=True)), Fraction(0))


def _on_equalities(
    forms: Sequence[Form], C: Matrix, M: Matrix, values: list[Fraction]
) -> tuple[Matrix, Matrix, list[Fraction]] | None:
    """``M`` and values changed a little so that all forms vanish, or None when no such change exists."""
    d = len(M)
    entries = [(a, b) for a in range(d) for b in range(a, d)]
    rows, residuals = [], []
    for form in forms:
        symmetric = _compressed(form, C)
        row = [symmetric[a][b] if a == b else 2 * symmetric[a][b] for a, b in entries]
        row += [form.values.get(k, Fraction(0)) for k in range(len(values))]
        current = [M[a][b] for a, b in entries] + values
        rows.append(row)
        residuals.append(form.constant + sum((r * x for r, x in zip(row, current, strict=True) if r), Fraction(0)))
    change = _solved(rows, residuals)
    if change is None or not _is_small(change, range(len(entries))):
        return None
    M = [row[:] for row in M]
    for place, (a, b) in enumerate(entries):
        M[a][b] = M[b][a] = M[a][b] - change.get(place, 0)
    return C, M, [x - change.get(len(entries) + k, 0) for k, x in enumerate(values)]


def _compressed(form: Form, C: Matrix) -> Matrix:
    """The Gram part of a form as a symmetric matrix on the axes: ``C A C^T``."""
    d = len(C)
    out = [[Fraction(0)] * d for _ in range(d)]
    for (i, j), c in form.gram.items():
        for a in range(d):
            for b in range(d):
                out[a][b] += c * (C[a][i] * C[b][j] + C[a][j] * C[b][i]) / 2
    return out


def _solved(rows: Matrix, right: Sequence[Fraction]) -> dict[int, Fraction] | None:
    """The nonzero entries of a solution of ``rows x = right``; None if there is none.

    Only as many entries are nonzero as there are independent rows; floats say which ones change least.
    """
    from scipy.linalg import qr

    if not any(right):
        return {}
    numbers = np.array([[float(x) for x in row] for row in rows])
    order = [int(k) for k in qr(numbers, mode="r", pivoting=True)[1]]
    solution = solve(rows, right, order)
    return None if solution is None else {k: x for k, x in enumerate(solution) if x}


def _is_small(change: Mapping[int, Fraction], places: Sequence[int]) -> bool:
    return all(abs(change.get(place, Fraction(0))) <= LARGEST_CHANGE for place in places)
