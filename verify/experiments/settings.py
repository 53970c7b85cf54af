"""Settings ``name=value`` of the command line, and what the parameters of a function or a class take."""

from __future__ import annotations

import inspect
import json
import sys
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Literal, get_args, get_origin, get_type_hints

from rateproof.theory import catalog

#: No count may be larger: no machine could go so far.
MOST = 10**9


def parse(settings: Iterable[str]) -> dict[str, Any]:
    """Settings ``name=value``; a value is a number, a list such as ``[1, 2]``, true, false, or text.

    Raises:
        ValueError: not of this form, given twice, or not finite.
    """
    out: dict[str, Any] = {}
    for setting in settings:
        name, equals, text = setting.partition("=")
        if not equals or not name or not text:
            raise ValueError(f"setting {setting!r} should have the form name=value, such as gamma_l=0.01")
        if name in out:
            raise ValueError(f"{name} is set twice, to {out[name]} and to {text}; set it once")
        out[name] = _value(name, text)
    return out


def checked(name: str, value: Any, kind: Any) -> Any:
    """A value of the kind that an annotation asks for.

    Raises:
        ValueError: text or a list where a number is asked for, true or false where none is, or an absurd count.
    """
    choices = get_args(kind)
    if get_origin(kind) is Literal:
        if value not in choices and str(value) not in choices:
            raise ValueError(catalog.unknown(f"value of {name}", str(value), [str(c) for c in choices]))
        return value if value in choices else str(value)
    wanted = set(choices) | {kind}
    arrays = complex in wanted  # numpy's ArrayLike, which takes truth values and text, too
    if isinstance(value, bool) and (arrays or (wanted & {float, int} and bool not in wanted)):
        raise ValueError(f"{name} is {json.dumps(value)}; it should be a number")
    if kind is bool and not isinstance(value, bool):
        raise ValueError(f"{name} is {value!r}; it should be true or false")
    rows = [get_args(k)[0] for k in wanted if get_origin(k) is tuple]
    if rows and (isinstance(value, list) or not wanted & {float, int}):
        return _row(name, value, rows[0])
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if is_number and (wanted & {float, int} or kind is None):
        return _whole(name, value) if int in wanted and float not in wanted else float(value)
    if isinstance(value, str) and (arrays or (wanted & {float, int} and str not in wanted)):
        raise ValueError(f"{name} is {value!r}; it should be a number{' or a list such as [1, 2]' if arrays else ''}")
    if isinstance(value, list) and kind in (float, int, str):
        raise ValueError(f"{name} is {value}; it should be one {'text' if kind is str else 'number'}, not a list")
    return str(value) if kind is str else value


def _whole(name: str, value: float) -> int:
    if value != int(value):
        raise ValueError(f"{name} is {value:g}; it should be a whole number")
    if name == "seed":
        if not 0 <= value < 2**64:
            raise ValueError(f"seed is {value:g}; it should be a whole number from 0 to 2^64 - 1")
    elif abs(value) > MOST:
        raise ValueError(f"{name} is {value:g}; it should be at most {MOST:.0e}")
    return int(value)


def _row(name: str, value: Any, kind: type) -> tuple[float, ...]:
    items: list[Any] = value if isinstance(value, list) else [None]
    if any(isinstance(v, bool) or not isinstance(v, int | float) or (kind is int and v != int(v)) for v in items):
        numbers = "whole numbers, such as [2, 3]" if kind is int else "numbers, such as [0.25, 0.75]"
        raise ValueError(f"{name} is {value}; it should be a list of {numbers}")
    return tuple(_whole(name, v) if kind is int else float(v) for v in items)


def parameters(make: Callable[..., Any]) -> dict[str, Any]:
    """Keyword parameters and the kind of value each takes."""
    # of a class: each base resolves its annotations in its own module, which an inherited __init__ does not
    hints = get_type_hints(make)
    return {name: hints.get(name) for name in inspect.signature(make).parameters}


def defaults(make: Callable[..., Any]) -> dict[str, Any]:
    """Parameters that have a number when nothing is said."""
    values = {n: p.default for n, p in inspect.signature(make).parameters.items()}
    return {n: v for n, v in values.items() if isinstance(v, int | float) and not isinstance(v, bool)}


def required(make: Callable[..., Any]) -> list[str]:
    """Parameters that have to be given."""
    return [n for n, p in inspect.signature(make).parameters.items() if p.default is inspect.Parameter.empty]


def _value(name: str, text: str) -> Any:
    try:
        value = json.loads(text)
    except ValueError:
        try:
            value = float(text)
        except ValueError:
            return text
    if isinstance(value, dict) or value is None:
        return text
    if any(not abs(v) <= sys.float_info.max for v in _numbers(value)):  # also a whole number that no float holds
        raise ValueError(f"{name} is {text}; it should be a finite number")
    return value


def _numbers(value: Any) -> Iterator[float]:
    if isinstance(value, list):
        for v in value:
            yield from _numbers(v)
    elif isinstance(value, int | float):
        yield value
