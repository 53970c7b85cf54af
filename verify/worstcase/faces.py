"""Where the dual of a worst-case problem has no interior for a simple reason: directions that the gap annihilates."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

from rateproof.theory.linear import echelon
from rateproof.verify.worstcase.dual import Dual, Vector

_LARGEST = 10  # points; all 3^10 vectors are tried
_ROUNDING = 1e-9


def sign_vectors(dual: Dual) -> list[Vector]:
    """Independent vectors of 0, 1 and -1 that ``S`` annihilates whatever the multipliers, the shortest first.

    An invariance gives one: to shift all gradients of two functions whose difference is minimised, for instance.
    """
    import numpy as np

    points = dual.coordinates
    if not 0 < len(points) <= _LARGEST:
        return []
    # of a vector and its negative, the one whose first entry is 1
    signs = (v for v in product((0, 1, -1), repeat=len(points)) if next(filter(None, v), 0) > 0)
    vectors = np.array(list(signs), float)
    possible = np.ones(len(vectors), bool)
    for v, matrix in zip(dual.alive, dual.gap, strict=True):
        values = ((vectors @ matrix) * vectors).sum(axis=1)
        possible &= (values if dual.signed[v] else np.abs(values)) < _ROUNDING
    independent: list[Vector] = []
    for row in sorted(vectors[possible].tolist(), key=lambda row: sum(map(abs, row))):
        vector = {point: Fraction(int(x)) for point, x in zip(points, row, strict=True) if x}
        if len(echelon([*independent, vector], points)[0]) > len(independent) and dual.annihilates(vector):
            independent.append(vector)
    return independent
