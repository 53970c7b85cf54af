"""From floats to rational multipliers that satisfy the equations of the dual exactly."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from itertools import chain
from math import floor, frexp
from typing import Any

from rateproof.theory.linear import echelon, float_echelon
from rateproof.verify.worstcase.dual import Dual, Vector

_DENOMINATORS = (1, 2, 4, 12, 60, 1000, 10**5)
_COARSE, _NEAR = 3, 1e-3  # so many of them count as simple, and are taken when off by less than this

_SIMPLE, _SHUFFLES = 5, 4  # denominators tried for a forced direction, and bases in which it may be sparse


def orders(dual: Dual, floats: Any, scales: Any) -> Iterator[list[int]]:
    """The live variables in orders in which the equations may be solved for them, so that they keep their signs.

    First those that may have any sign or are large; then those that move least, relative to what they are, where the
    coefficients of an equation are far apart.
    """
    import numpy as np
    from scipy.linalg import qr

    squared = {v for variables in dual.squares for v in variables}
    size = {v: x / scale for v, x, scale in zip(dual.alive, floats, scales, strict=True)}
    yield sorted(dual.alive, key=lambda v: (v in squared, dual.signed[v], -size[v]))
    shares = dual.linear[0] * floats
    shares = shares / np.maximum(np.abs(shares).max(axis=1, keepdims=True, initial=0), 1e-300)
    yield [dual.alive[k] for k in qr(shares, mode="r", pivoting=True)[1]]


def rationals(
    dual: Dual, floats: Sequence[float], scales: Sequence[float], bits: int, order: Sequence[int]
) -> list[Fraction] | None:
    """A rational for every variable of the dual, near the floats of the live ones; None if the equations contradict.

    Each is rounded to ``2^-bits`` of its scale. Then the equations are solved exactly for the first in ``order``.
    """
    equations = dual.solved(order)
    if equations is None:
        return None
    values = [Fraction(0)] * len(dual.forms)
    for v, x, scale in zip(dual.alive, floats, scales, strict=True):
        grain = Fraction(2) ** (frexp(scale)[1] - bits)
        values[v] = floor(Fraction(float(x)) / grain) * grain
    for pivot, rest, right in equations:
        values[pivot] = right - sum((c * values[v] for v, c in rest.items()), Fraction(0))
    return values


def kernel(forced: Callable[[Vector], bool], matrix: Any, points: Sequence[int], *, small: float) -> list[Vector]:
    """The directions in which a float matrix is nearly zero, as echelon vectors of fractions.

    Those that are ``forced``, where there are any, which then lose nothing. Else of the roundings of a vector the first
    of the coarse ones that is near, or the finest.
    """
    import numpy as np

    units = 1 / np.sqrt(np.maximum(np.diag(matrix), 1e-12))
    eigenvalues, vectors = np.linalg.eigh(matrix * units[:, None] * units)
    rows = (vectors[:, eigenvalues < small * max(eigenvalues[-1], 1e-300)] * units[:, None]).T
    basis: list[Vector] = []
    for row in _combinations(rows):
        for bound in _DENOMINATORS[:_SIMPLE]:
            vector = _rounded(row, points, bound)
            if not _spanned(vector, basis, points) and forced(vector):
                basis.append(vector)
                break
    if basis:
        return basis
    for row in float_echelon(rows):
        roundings = [_rounded(row, points, bound) for bound in _DENOMINATORS]
        near = (vector for vector in roundings[:_COARSE] if _error(row, points, vector) < _NEAR)
        basis.append(next(chain(near, roundings[-1:])))
    return basis


def _combinations(rows: Any) -> Iterator[Any]:
    """Sparse combinations of rows: of the first one, two, ... of them, with pivots in the order of a few shuffles."""
    import numpy as np

    shuffle = np.random.default_rng(0)
    for count in range(1, len(rows) + 1):
        for _ in range(_SHUFFLES):
            weights = shuffle.uniform(0.1, 1, rows.shape[1])
            for row in float_echelon(rows[:count] * weights) / weights:
                yield row / row[np.argmax(np.abs(row * weights))]


def _spanned(vector: Vector, basis: Sequence[Vector], points: Sequence[int]) -> bool:
    return len(echelon([*basis, vector], points)[0]) == len(basis)


def _error(row: Any, points: Sequence[int], vector: Vector) -> float:
    return max(abs(float(x) - float(vector.get(point, 0))) for point, x in zip(points, row, strict=True))


def _rounded(row: Any, points: Sequence[int], bound: int) -> Vector:
    fractions = [Fraction(float(x)).limit_denominator(bound) for x in row]
    return {point: x for point, x in zip(points, fractions, strict=True) if x}
