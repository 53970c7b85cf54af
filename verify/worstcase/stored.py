"""Models as plain JSON values: fractions are strings, names are text, nothing else is trusted on the way back."""

from __future__ import annotations

from typing import Any

from rateproof.verify.worstcase.exact import written
from rateproof.verify.worstcase.model import Condition, Form, Model, Semidefinite


def packed(model: Model) -> dict[str, Any]:
    """A model as a dictionary."""
    return {
        "points": model.points,
        "values": model.values,
        "metrics": [packed_form(f) for f in model.metrics],
        "conditions": [[c.name, c.equality, c.near, packed_form(c.form)] for c in model.conditions],
        "semidefinite": [[m.name, [[packed_form(f) for f in row] for row in m.entries]] for m in model.semidefinite],
    }


def unpacked(data: Any) -> Model:
    """The model that :func:`packed` wrote; whether it is well formed is for :func:`verify.worstcase.model.malformed`.

    Raises:
        ValueError, TypeError, KeyError, AttributeError: it did not write this.
    """
    return Model(
        tuple(map(str, data["points"])),
        tuple(map(str, data["values"])),
        tuple(map(unpacked_form, data["metrics"])),
        tuple(Condition(str(name), unpacked_form(f), equal, near) for name, equal, near, f in data["conditions"]),
        tuple(
            Semidefinite(str(name), tuple(tuple(map(unpacked_form, row)) for row in rows))
            for name, rows in data["semidefinite"]
        ),
    )


def packed_form(form: Form) -> list[Any]:
    """Products, values and the constant."""
    gram = [[i, j, str(c)] for (i, j), c in form.gram.items()]
    return [gram, [[k, str(c)] for k, c in form.values.items()], str(form.constant)]


def unpacked_form(data: Any) -> Form:
    """The form that :func:`packed_form` wrote; raises as :func:`unpacked`."""
    gram, values, constant = data
    return Form({(i, j): written(c) for i, j, c in gram}, {k: written(c) for k, c in values}, written(constant))
