"""A problem in other points and values, where strongly convex functions are convex and nothing small is a difference.

After many steps on a function with ``mu > 0``, or a few with ``mu`` near ``L``, an iterate is a tiny difference of the
start and of gradients, and floats see nothing of it. With ``g = mu x + h`` and ``f = mu ||x||^2 / 2 + w`` it is a share
of the start plus multiples of ``h``, and each ``h`` is measured in units of its iterate. The multipliers of a proof are
the same in both forms: a search may use this one, a certificate is made and checked in the original.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import hypot, log2
from typing import Any

from rateproof.verify.worstcase.model import Form, Model
from rateproof.verify.worstcase.witness import Combination, Evaluations, Triplet

_LEAST, _SMALL = 1e-140, 1e-2
"""Iterates so small, against the start, are measured by themselves; of smaller ones floats do not hold the square."""


@dataclass(frozen=True)
class Change:
    """Points and values by new ones.

    Attributes:
        points: each old point as a combination of the new ones.
        squares: to some values the new one adds a multiple of the square of a combination: the factor and that.
    """

    points: tuple[Combination, ...]
    squares: Mapping[int, tuple[Fraction, Combination]]

    def applied(self, model: Model) -> Model:
        """The model in the new points and values, under the old names."""
        from flint import fmpq_mat

        size = len(self.points)
        change = fmpq_mat(size, size)
        for i, combination in enumerate(self.points):
            for a, c in combination.items():
                change[i, a] = _fmpq(c)
        squares = {}
        for k, (factor, combination) in self.squares.items():
            row = fmpq_mat(1, size)
            for a, c in combination.items():
                row[0, a] = _fmpq(c)
            squares[k] = row.transpose() * row * _fmpq(factor)

        def form(old: Form) -> Form:
            matrix = fmpq_mat(size, size)
            for pair, c in old.gram.items():
                matrix[pair] = _fmpq(c)
            matrix = change.transpose() * matrix * change
            for k in old.values.keys() & squares.keys():
                matrix += squares[k] * _fmpq(old.values[k])
            pairs = ((i, j) for i in range(size) for j in range(i, size))
            gram = {(i, j): matrix[i, j] + matrix[j, i] if i < j else matrix[i, i] for i, j in pairs}
            return Form({k: Fraction(int(c.p), int(c.q)) for k, c in gram.items() if c}, old.values, old.constant)

        return model.mapped(form, model.points, model.values)


def straightened(model: Model, functions: Sequence[Evaluations]) -> Change | None:
    """The change, where all functions are strongly convex and iterates become small; else None."""
    if not all(function.parameters.get("mu") for function in functions):
        return None
    points: list[dict[int, Fraction]] = [{i: Fraction(1)} for i in range(len(model.points))]
    squares: dict[int, tuple[Fraction, Combination]] = {}
    new: set[int] = set()
    least = 1.0
    met: set[int] = set()  # points that other points are made of, and so must stay
    for function in functions:
        mu, L = (function.parameters.get(name) or Fraction(0) for name in ("mu", "L"))
        for at in function.triplets:
            x = _combined((c, points[i]) for i, c in at.x.items())
            fresh = [i for i in at.g if i not in met and i not in at.x]
            met |= at.x.keys() | at.g.keys()
            if not fresh:
                continue
            share = hypot(*(float(c) for i, c in x.items() if i not in new))
            least = min(least, share or 1.0)
            if least < _LEAST:
                return None
            unit = Fraction(2) ** round(log2(float(L - mu if L else mu) * share)) if share else Fraction(1)
            point = fresh[-1]
            others = [(-c, points[i]) for i, c in at.g.items() if i != point]
            sides = _combined([(unit, {point: Fraction(1)}), (mu, x), *others])
            points[point] = {i: c / at.g[point] for i, c in sides.items()}
            new.add(point)
            if (value := _value(at)) is not None:
                squares.setdefault(value, (mu / 2, x))
    return Change(tuple(points), squares) if least < _SMALL else None


def _value(at: Triplet) -> int | None:
    """The value of an evaluation, where it is one of the model's own."""
    return next((k for k in at.f.values if at.f == Form(values={k: Fraction(1)})), None)


def _combined(terms: Iterable[tuple[Fraction, Combination]]) -> dict[int, Fraction]:
    total: dict[int, Fraction] = {}
    for weight, combination in terms:
        for i, c in combination.items():
            total[i] = total.get(i, Fraction(0)) + weight * c
    return {i: c for i, c in total.items() if c}


def _fmpq(x: Fraction) -> Any:
    from flint import fmpq

    return fmpq(x.numerator, x.denominator)
