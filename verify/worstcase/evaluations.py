"""Where the functions of a PEPit problem are evaluated, as exact combinations of the points of its model."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from math import isinf
from typing import Any

from rateproof.verify.worstcase.exact import rational
from rateproof.verify.worstcase.model import Form, Model, prepared
from rateproof.verify.worstcase.witness import Evaluations, Triplet

#: Parameters of PEPit's classes of functions.
PARAMETERS = ("mu", "L", "M", "D", "R", "beta", "rho")


def evaluations(problem: Any, model: Model) -> tuple[Evaluations, ...]:
    """The evaluations of the functions of a ``PEPit.PEP`` whose model this is; none where names are not unique.

    Points and values that no condition uses count as zero.
    """
    if len(set(model.points)) != len(model.points) or len(set(model.values)) != len(model.values):
        return ()
    points, values = _numbered(model.points), _numbered(model.values)
    out = []
    with prepared(problem):  # when PEPit evaluates some classes at a stationary point
        for number, function in enumerate(problem.list_of_functions):
            triplets = tuple(
                Triplet(_combination(x, points), _combination(g, points), _form(f, points, values))
                for x, g, f in function.list_of_points
            )
            name = function.get_name() or f"Function_{number}"
            out.append(Evaluations(name, type(function).__name__, dict(_parameters(function)), triplets))
    return tuple(out)


def _numbered(names: Sequence[str]) -> dict[str, int]:
    return {name: k for k, name in enumerate(names)}


def _parameters(function: Any) -> Iterator[tuple[str, Fraction | None]]:
    """The parameters that are numbers; a constant for each block is one parameter for each."""
    for key in PARAMETERS:
        value = getattr(function, key, None)
        if isinstance(value, list | tuple):
            yield from ((f"{key}_{k}", _parameter(x)) for k, x in enumerate(value))
        elif value is not None:
            yield key, _parameter(value)


def _parameter(value: Any) -> Fraction | None:
    return None if isinf(value) else rational(value)


def _combination(point: Any, points: Mapping[str, int]) -> dict[int, Fraction]:
    named = {_name(leaf, "Point"): rational(c) for leaf, c in point.decomposition_dict.items()}
    return {points[name]: c for name, c in named.items() if c and name in points}


def _form(expression: Any, points: Mapping[str, int], values: Mapping[str, int]) -> Form:
    gram: dict[tuple[int, int], Fraction] = {}
    linear: dict[int, Fraction] = {}
    constant = Fraction(0)
    for key, weight in expression.decomposition_dict.items():
        c = rational(weight)
        if isinstance(key, tuple):
            i, j = sorted(points.get(_name(leaf, "Point"), -1) for leaf in key)
            if i >= 0:
                gram[i, j] = gram.get((i, j), Fraction(0)) + c
        elif isinstance(key, int):
            constant += c
        elif (name := _name(key, "Value")) in values:
            linear[values[name]] = c
    return Form.of(gram, linear, constant)


def _name(leaf: Any, what: str) -> str:
    return str(leaf.get_name() or f"{what}_{leaf.counter}")
