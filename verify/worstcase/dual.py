"""The dual of a worst-case problem on chosen conditions: exact linear data, reduced to where it has an interior.

A variable is a weight of a metric, the multiplier of a condition, or an entry of the multiplier of a matrix condition.
Their forms add up to ``upper - <S, G>``, so ``S`` is linear in the variables and everything else is equations.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

from rateproof.theory.linear import echelon, null_vectors
from rateproof.verify.worstcase.model import Form, Model, combination

Equation = tuple[dict[int, Fraction], Fraction]
Vector = dict[int, Fraction]
_RIGHT = -1  # the column of the right sides


@dataclass(frozen=True)
class Dual:
    """The variables and what restricts them. Every restriction is sound: it only makes the bound larger.

    Attributes:
        forms: of each variable, as it enters the combination.
        signed: whether a variable must be nonnegative.
        squares: for each matrix multiplier, the variables of its upper triangle, row by row.
        coordinates: points whose block of ``S`` decides whether ``S`` is positive semidefinite.
        equations: linear equations on the variables, independent of one another.
        zero: variables that the equations force to be zero.
    """

    forms: tuple[Form, ...]
    signed: tuple[bool, ...]
    squares: tuple[tuple[int, ...], ...]
    coordinates: tuple[int, ...]
    equations: tuple[Equation, ...]
    zero: frozenset[int]

    @cached_property
    def alive(self) -> tuple[int, ...]:
        """The variables that may be nonzero."""
        return tuple(v for v in range(len(self.forms)) if v not in self.zero)

    def solved(self, order: Sequence[int]) -> list[tuple[int, dict[int, Fraction], Fraction]] | None:
        """The equations solved for one variable each, the first in ``order``: ``variable = right - rest``.

        None when they contradict each other. ``order`` lists the live variables.
        """
        rows = [row | ({_RIGHT: right} if right else {}) for row, right in self.equations]
        pivots, reduced = echelon(rows, [*order, _RIGHT])
        if _RIGHT in pivots:
            return None
        return [
            (pivot, {v: c for v, c in row.items() if v not in (pivot, _RIGHT)}, row.get(_RIGHT, Fraction(0)))
            for pivot, row in zip(pivots, reduced, strict=True)
        ]

    def annihilates(self, vector: Vector) -> bool:
        """Whether ``S vector = 0`` for all multipliers, because no term of ``<vector, S vector>`` can be positive."""
        for v in self.alive:
            image = _image(self.forms[v], vector)
            product = sum((c * vector[i] for i, c in image.items() if i in vector), Fraction(0))
            if product < 0 or (product and not self.signed[v]):
                return False
        return True

    @cached_property
    def costs(self) -> Any:
        """What the live variables add to the bound."""
        import numpy as np

        return np.array([float(self.forms[v].constant) for v in self.alive])

    @cached_property
    def gap(self) -> Any:
        """``S`` on the coordinates as floats: its derivatives by the live variables, (variables, size, size)."""
        import numpy as np

        place = {point: k for k, point in enumerate(self.coordinates)}
        matrices = np.zeros((len(self.alive), len(place), len(place)))
        for k, v in enumerate(self.alive):
            for (i, j), c in self.forms[v].gram.items():
                if i in place and j in place:
                    entry = -float(c) / (1 if i == j else 2)
                    matrices[k, place[i], place[j]] = matrices[k, place[j], place[i]] = entry
        return matrices

    @cached_property
    def blocks(self) -> tuple[Any, ...]:
        """All nonempty matrices that must be positive semidefinite, the gap first, each as :attr:`gap` is."""
        import numpy as np

        blocks = [self.gap]
        place = {v: k for k, v in enumerate(self.alive)}
        for variables in self.squares:
            pairs = _triangle(len(variables))
            # Forced zeros leave empty rows; these carry no information.
            rows = sorted({i for v, (i, j) in zip(variables, pairs, strict=True) if i == j and v in place})
            matrices = np.zeros((len(self.alive), len(rows), len(rows)))
            for v, (i, j) in zip(variables, pairs, strict=True):
                if v in place:
                    a, b = rows.index(i), rows.index(j)
                    matrices[place[v], a, b] = matrices[place[v], b, a] = 1.0
            blocks.append(matrices)
        return tuple(block for block in blocks if block.shape[1])

    @cached_property
    def linear(self) -> tuple[Any, Any]:
        """The equations on the live variables as floats, each with largest coefficient one: matrix, right side."""
        import numpy as np

        place = {v: k for k, v in enumerate(self.alive)}
        matrix, right = np.zeros((len(self.equations), len(place))), np.zeros(len(self.equations))
        for r, (row, rhs) in enumerate(self.equations):
            scale = max(map(abs, row.values()))
            for v, c in row.items():
                matrix[r, place[v]] = float(c / scale)
            right[r] = float(rhs / scale)
        return matrix, right


def dual(model: Model, kept: Sequence[int], kernel: Sequence[Vector] = (), forced: Collection[int] = ()) -> Dual:
    """The dual that uses the conditions ``kept`` (indices) and every matrix condition.

    Args:
        kernel: vectors on the points that ``S`` is to annihilate.
        forced: variables that are to be zero.
    """
    forms = [*model.metrics, *(_negative(model.conditions[i].form) for i in kept)]
    signed = [*(True for _ in model.metrics), *(not model.conditions[i].equality for i in kept)]
    squares = []
    for matrix in model.semidefinite:
        start, size = len(forms), len(matrix.entries)
        pairs = [(i, j) for i in range(size) for j in range(i, size)]
        forms += [combination([(Fraction(1 if i == j else 2), matrix.entries[i][j])]) for i, j in pairs]
        signed += [i == j for i, j in pairs]
        squares.append(tuple(range(start, len(forms))))
    equations: list[Equation] = [({k: Fraction(1) for k in range(len(model.metrics))}, Fraction(1))]
    for value in range(len(model.values)):
        equations.append(({v: f.values[value] for v, f in enumerate(forms) if value in f.values}, Fraction(0)))
    for vector in kernel:
        equations += [(row, Fraction(0)) for row in _annihilated(forms, vector)]
    free = [v for v in range(len(model.metrics), len(model.metrics) + len(kept)) if not signed[v]]
    return _reduced(forms, signed, squares, equations, list(kernel), {*forced, *_redundant(forms, free)})


def _reduced(
    forms: list[Form],
    signed: list[bool],
    squares: list[tuple[int, ...]],
    equations: list[Equation],
    kernel: list[Vector],
    zero: set[int],
) -> Dual:
    """Drop what cannot be nonzero, until nothing changes: rows of ``S`` under a zero diagonal, and their variables."""
    while True:
        before = len(zero), len(kernel)
        live = [v for v in range(len(forms)) if v not in zero]
        shared = _common_kernel([forms[v] for v in live])
        pivots, _ = echelon([*shared, *kernel], sorted({i for vector in [*shared, *kernel] for i in vector}))
        points = sorted({i for v in live for pair in forms[v].gram for i in pair} - set(pivots))
        for i in points:
            # S_ii = -sum_v x_v gram_v[i, i]: where no term can be positive, none can be negative either.
            diagonal = {v: forms[v].gram[i, i] for v in live if (i, i) in forms[v].gram}
            if all(signed[v] and c > 0 for v, c in diagonal.items()):
                zero |= diagonal.keys()
                kernel.append({i: Fraction(1)})
                equations += [(row, Fraction(0)) for row in _annihilated(forms, kernel[-1])]
        for row, right in equations:
            left = {v: c for v, c in row.items() if v not in zero}
            if not right and all(signed[v] for v in left) and len({c > 0 for c in left.values()}) == 1:
                zero |= left.keys()
        for variables in squares:
            pairs = _triangle(len(variables))
            empty = {i for v, (i, j) in zip(variables, pairs, strict=True) if i == j and v in zero}
            zero |= {v for v, (i, j) in zip(variables, pairs, strict=True) if i in empty or j in empty}
        if (len(zero), len(kernel)) == before:
            break
    return Dual(
        tuple(forms), tuple(signed), tuple(squares), tuple(points), _independent(equations, live), frozenset(zero)
    )


def _negative(form: Form) -> Form:
    return Form({k: -c for k, c in form.gram.items()}, {k: -c for k, c in form.values.items()}, -form.constant)


def _triangle(entries: int) -> list[tuple[int, int]]:
    size = int(((8 * entries + 1) ** 0.5 - 1) / 2)
    return [(i, j) for i in range(size) for j in range(i, size)]


def _annihilated(forms: Sequence[Form], vector: Vector) -> list[dict[int, Fraction]]:
    """The equations on the variables that say ``S vector = 0``, one for each point."""
    rows: dict[int, dict[int, Fraction]] = {}
    for v, form in enumerate(forms):
        for i, c in _image(form, vector).items():
            rows.setdefault(i, {})[v] = c
    return list(rows.values())


def _image(form: Form, vector: Vector) -> Vector:
    """Twice the symmetric matrix of a form times a vector, without zeros."""
    image: Vector = {}
    for (i, j), c in form.gram.items():
        # The diagonal is reached from both sides.
        for a, b in ((i, j), (j, i)):
            if b in vector:
                image[a] = image.get(a, Fraction(0)) + c * vector[b]
    return {i: c for i, c in image.items() if c}


def _redundant(forms: Sequence[Form], free: Sequence[int]) -> list[int]:
    """Variables of any sign whose forms are combinations of those of the others."""
    rows: dict[Any, dict[int, Fraction]] = {}
    for v in free:
        for key, c in [*forms[v].gram.items(), *forms[v].values.items(), (None, forms[v].constant)]:
            rows.setdefault(key, {})[v] = c
    pivots, _ = echelon(list(rows.values()), free)
    return sorted(set(free) - set(pivots))


def _common_kernel(forms: Sequence[Form]) -> list[Vector]:
    """A basis of the vectors that the matrix of every form annihilates, on the points that occur."""
    points = sorted({i for form in forms for pair in form.gram for i in pair})
    # The kernel of a few mixtures is the common one but for accidents, which the forms that object then repair.
    rows: list[Vector] = []
    mixtures = [
        combination((Fraction((37 * k * k + 11 * r * k) % 101 - 50), f) for k, f in enumerate(forms)) for r in range(3)
    ]
    while True:
        for form in mixtures:
            rows += [row for i in points if (row := _image(form, {i: Fraction(1)}))]
        common = null_vectors(rows, points)
        objecting = next((form for form in forms if any(_image(form, vector) for vector in common)), None)
        if objecting is None:
            return common
        mixtures = [objecting]


def _independent(equations: Sequence[Equation], live: Sequence[int]) -> tuple[Equation, ...]:
    """Equations with the same solutions among the live variables, none a consequence of the others."""
    alive = set(live)
    rows = [
        {v: c for v, c in row.items() if v in alive} | ({_RIGHT: right} if right else {}) for row, right in equations
    ]
    columns = [{r: row[v] for r, row in enumerate(rows) if v in row} for v in [*live, _RIGHT]]
    chosen, _ = echelon(columns, range(len(rows)))
    return tuple(({v: c for v, c in rows[r].items() if v != _RIGHT}, rows[r].get(_RIGHT, Fraction(0))) for r in chosen)
