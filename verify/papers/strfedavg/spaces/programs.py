"""What every space of this paper needs: the numbers of an instance by name, and source text."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields, is_dataclass, replace
from typing import Any, TypeVar

import numpy as np

from rateproof.verify.papers.strfedavg.instances import LONG

Params = TypeVar("Params")

#: Fields that are stored as floats for their range, but count something.
COUNTS = ("R", "T")


def numbers(params: object) -> dict[str, float]:
    """The floats inside nested dataclasses and tuples by name: ``start[0]``, ``params.L_h``, ``params.d[0][1]``.

    Counts, and tuples too long for a search (a crowd of clients), are left out.
    """
    return dict(_walk(params, ""))


def at(params: Params, values: Mapping[str, float]) -> Params:
    """The same parameters with other numbers, by the names of :func:`numbers`."""
    return _rebuilt(params, "", values)


def _walk(value: object, name: str) -> Iterator[tuple[str, float]]:
    if isinstance(value, float):
        yield name, value
    elif is_dataclass(value):
        for field in fields(value):
            if field.name not in COUNTS:
                yield from _walk(getattr(value, field.name), field.name)
    elif isinstance(value, tuple) and len(value) <= LONG:
        for key, part in _parts(value, name):
            yield from _walk(part, key)


def _rebuilt(value: Any, name: str, values: Mapping[str, float]) -> Any:
    if isinstance(value, float):
        return values.get(name, value)
    if is_dataclass(value):
        inside = {f.name: getattr(value, f.name) for f in fields(value) if f.name not in COUNTS}
        return replace(value, **{k: _rebuilt(v, k, values) for k, v in inside.items()})  # type: ignore[type-var]
    if isinstance(value, tuple) and len(value) <= LONG:
        parts = tuple(_rebuilt(part, key, values) for key, part in _parts(value, name))
        return tuple(zip((k for k, _ in value), parts, strict=True)) if _named(value) else parts
    return value


def _parts(value: tuple[Any, ...], name: str) -> list[tuple[str, Any]]:
    if _named(value):
        return [(f"{name}.{key}", part) for key, part in value]
    return [(f"{name}[{i}]", part) for i, part in enumerate(value)]


def _named(value: tuple[Any, ...]) -> bool:
    """Whether a tuple is one of (name, value) pairs."""
    return bool(value) and all(isinstance(p, tuple) and len(p) == 2 and isinstance(p[0], str) for p in value)


HEAD = """import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
"""


def script(main: Callable[..., object], *helpers: Callable[..., object], **arguments: object) -> str:
    """Source text that calls ``main`` from :mod:`~verify.papers.strfedavg.spaces.standalone` and needs numpy alone.

    Args:
        main: its result is assigned to ``values``.
        helpers: functions that it calls.
        arguments: of ``main``; written out as literals.
    """
    return "\n\n".join([HEAD, *definitions(main, *helpers), f"values = {calling(main, arguments)}\n"])


def definitions(*functions: Callable[..., object]) -> list[str]:
    """Source text of functions that need nothing but each other and :data:`HEAD`."""
    return [inspect.getsource(function) for function in functions]


def calling(main: Callable[..., object], arguments: Mapping[str, object]) -> str:
    """Source text of a call, its arguments written out."""
    written = ",\n".join(f"    {name}={literal(value)}" for name, value in arguments.items())
    return f"{main.__name__}(\n{written},\n)"


def literal(value: object) -> str:
    """Source text of a value; long arrays of period 1 or 2 in their short form."""
    if isinstance(value, np.ndarray):
        for period in (1, 2):
            count, rest = divmod(len(value), period)
            if (
                len(value) > 2
                and not rest
                and (value == np.tile(value[:period], (count, *(1,) * (value.ndim - 1)))).all()
            ):
                repeats = (count, *(1,) * (value.ndim - 1)) if value.ndim > 1 else count
                return f"np.tile({value[:period].tolist()}, {repeats})"
        return f"np.array({value.tolist()})"
    return repr(value)
