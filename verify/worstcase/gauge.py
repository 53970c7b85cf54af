"""A problem in fewer points and values: without those that other points determine or that can be put at the origin."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from rateproof.theory.linear import Row, echelon, null_vectors
from rateproof.verify.worstcase.model import Condition, Form, Model
from rateproof.verify.worstcase.semidefinite import squares
from rateproof.verify.worstcase.witness import Combination, Vector


@dataclass(frozen=True)
class Gauge:
    """A problem in fewer points and values.

    Attributes:
        model: the smaller problem.
        points, values: those of the original problem as combinations of those of the smaller one.
    """

    model: Model
    points: tuple[Combination, ...]
    values: tuple[Combination, ...]

    def lifted(self, coordinates: Sequence[Vector], values: Vector) -> tuple[tuple[Vector, ...], Vector]:
        """Points and values of the original problem from those of the smaller one."""
        axes = range(len(coordinates[0]))
        points = tuple(
            tuple(sum((c * coordinates[i][k] for i, c in combination.items()), Fraction(0)) for k in axes)
            for combination in self.points
        )
        return points, tuple(
            sum((c * values[k] for k, c in combination.items()), Fraction(0)) for combination in self.values
        )


def fix(model: Model) -> Gauge:
    """The problem without translations and without points that conditions such as ``||p - q||^2 <= 0`` determine.

    Where ``A u = 0`` for the Gram matrix ``A`` of every form, adding ``w u_i`` to each point ``p_i`` changes nothing;
    some ``p_i`` with nonzero ``u_i`` is then put at zero. The same goes for values.
    """
    n, m = len(model.points), len(model.values)
    relations = [row for c in model.conditions for row in _relations(c)]
    related = _substitution(relations, n)
    if relations:
        model = _substituted(model, related, [{k: Fraction(1)} for k in range(m)])
    forms = model.forms
    points = _kept(_idle([row for form in forms for row in _rows(form.gram)], len(model.points)), len(model.points))
    values = _kept(_idle([form.values for form in forms], m), m)
    composed = [{a: c for i, c in combination.items() for a in points[i]} for combination in related]
    return Gauge(_substituted(model, points, values), tuple(composed), tuple(values))


def _relations(condition: Condition) -> list[Row]:
    """Combinations of points that a condition on a sum of their squares makes zero."""
    form = condition.form
    if form.values or form.constant or not form.gram:
        return []
    involved = sorted({i for pair in form.gram for i in pair})
    for sign in (1, -1) if condition.equality else (1,):
        matrix = [[Fraction(0)] * len(involved) for _ in involved]
        for (i, j), c in form.gram.items():
            a, b = involved.index(i), involved.index(j)
            matrix[a][b] += sign * c / 2
            matrix[b][a] += sign * c / 2
        try:
            return [dict(zip(involved, row, strict=True)) for _, row in squares(matrix)]
        except ValueError:  # indefinite
            continue
    return []


def _substitution(relations: Sequence[Row], n: int) -> list[Combination]:
    """Each point as a combination of those that lead no relation, by the places of these."""
    led = dict(zip(*echelon(relations, range(n)), strict=True))
    place = {i: a for a, i in enumerate(k for k in range(n) if k not in led)}
    return [
        {place[j]: -c for j, c in led[i].items() if j != i} if i in led else {place[i]: Fraction(1)} for i in range(n)
    ]


def _kept(zero: set[int], size: int) -> list[Combination]:
    place = {i: a for a, i in enumerate(k for k in range(size) if k not in zero)}
    return [{place[i]: Fraction(1)} if i in place else {} for i in range(size)]


def _rows(gram: Mapping[tuple[int, int], Fraction]) -> list[Row]:
    rows: dict[int, dict[int, Fraction]] = {}
    for (i, j), c in gram.items():
        rows.setdefault(i, {})[j] = 2 * c if i == j else c
        if i != j:
            rows.setdefault(j, {})[i] = c
    return list(rows.values())


def _idle(rows: Sequence[Row], size: int) -> set[int]:
    """The leading coordinates of the vectors orthogonal to all rows.

    Few rows suffice: those that some vector orthogonal to the ones before is not orthogonal to.
    """
    chosen: list[Row] = []
    while True:
        directions = null_vectors(chosen, range(size))
        against = [
            row for u in directions if (row := next((row for row in rows if _product(row, u)), None)) is not None
        ]
        if not against:
            return set(echelon(directions, range(size))[0])
        chosen += against


def _product(row: Row, u: Row) -> Fraction:
    return sum((c * u[k] for k, c in row.items() if k in u), Fraction(0))


def _substituted(model: Model, points: Sequence[Combination], values: Sequence[Combination]) -> Model:
    """The model in other points and values; a name is that of the original it replaces."""

    def form(old: Form) -> Form:
        gram: dict[tuple[int, int], Fraction] = {}
        for (i, j), c in old.gram.items():
            for a, x in points[i].items():
                for b, y in points[j].items():
                    pair = (min(a, b), max(a, b))
                    gram[pair] = gram.get(pair, 0) + (c if x == y == 1 else c * x * y)
        linear: dict[int, Fraction] = {}
        for k, c in old.values.items():
            for a, x in values[k].items():
                linear[a] = linear.get(a, 0) + c * x
        return Form.of(gram, linear, old.constant)

    def named(names: Sequence[str], parts: Sequence[Combination]) -> tuple[str, ...]:
        at = {next(iter(part)): name for part, name in zip(parts, names, strict=True) if list(part.values()) == [1]}
        return tuple(at[a] for a in sorted(at))

    return model.mapped(form, named(model.points, points), named(model.values, values))
