"""Models as plain JSON values: fractions are strings, names are text, nothing else is trusted on the way back."""

from __future__ import annotations

import json
from reprlib import repr as short
from typing import Any

from rateproof.verify.worstcase.exact import written
from rateproof.verify.worstcase.model import Condition, Form, Model, Semidefinite

#: No solver finds a proof about more points, and to check one takes their number to the fourth.
MOST_NAMES = 500
#: What an older text does not tell: whether its conditions are sufficient.
UNTOLD = "classes of which the text does not tell"


def packed(model: Model) -> dict[str, Any]:
    """A model as a dictionary."""
    return {
        "points": model.points,
        "values": model.values,
        "metrics": [packed_form(f) for f in model.metrics],
        "conditions": [[c.name, c.equality, c.near, packed_form(c.form)] for c in model.conditions],
        "semidefinite": [[m.name, [[packed_form(f) for f in row] for row in m.entries]] for m in model.semidefinite],
        "relaxed": model.relaxed,
    }


def parsed(text: str) -> dict[str, Any]:
    """The JSON object that a text is.

    Raises:
        ValueError: it is none, or nested deeper than anything that is written here.
    """
    try:
        data = json.loads(text)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
    if not isinstance(data, dict):
        raise ValueError(f"it is a {type(data).__name__}, not an object")
    return data


def cause(error: Exception) -> str:
    """What is wrong with a text, in a few words."""
    return f"there is no {error}" if isinstance(error, KeyError) else str(error)


def unpacked(data: Any) -> Model:
    """The model that :func:`packed` wrote; whether it is well formed is for :func:`verify.worstcase.model.malformed`.

    Raises:
        ValueError, TypeError, KeyError, AttributeError: it did not write this.
    """
    return Model(
        _names(data["points"]),
        _names(data["values"]),
        tuple(map(unpacked_form, data["metrics"])),
        tuple(Condition(name_of(name), unpacked_form(f), equal, near) for name, equal, near, f in data["conditions"]),
        tuple(
            Semidefinite(name_of(name), tuple(tuple(map(unpacked_form, row)) for row in rows))
            for name, rows in data["semidefinite"]
        ),
        _names(data.get("relaxed", [UNTOLD])),
    )


def name_of(data: Any) -> str:
    """A name, which is text; raises ValueError where it is not."""
    if not isinstance(data, str):
        raise ValueError(f"{short(data)} is no name")
    return data


def _names(data: Any) -> tuple[str, ...]:
    if not isinstance(data, list) or len(data) > MOST_NAMES:
        raise ValueError(f"{short(data)} is no list of at most {MOST_NAMES} names")
    return tuple(map(name_of, data))


def packed_form(form: Form) -> list[Any]:
    """Products, values and the constant."""
    gram = [[i, j, str(c)] for (i, j), c in form.gram.items()]
    return [gram, [[k, str(c)] for k, c in form.values.items()], str(form.constant)]


def unpacked_form(data: Any) -> Form:
    """The form that :func:`packed_form` wrote; raises as :func:`unpacked`."""
    gram, values, constant = data
    return Form({(i, j): written(c) for i, j, c in gram}, {k: written(c) for k, c in values}, written(constant))
