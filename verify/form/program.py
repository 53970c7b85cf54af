"""The source of a function together with that of all it uses in this package, as a program of its own."""

from __future__ import annotations

import ast
import builtins
import inspect
import re
import sys
import textwrap
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from types import ModuleType
from typing import Any


@lru_cache(maxsize=256)
def program(function: Callable[..., Any]) -> str:
    """Source text that defines a function, after everything that it uses; it needs the standard library and numpy.

    Raises:
        ValueError: it uses something whose source cannot be written down; it is named.
    """
    pieces: dict[str, str] = {}
    _collect(function.__name__, function, pieces)
    imports = sorted(text for text in pieces.values() if _IMPORT.match(text))
    if any("@dataclass" in text for text in pieces.values()):
        imports.append("from dataclasses import dataclass")
    sources = [text for text in pieces.values() if not _IMPORT.match(text)]
    return "\n".join(imports) + "\n\n\n" + "\n\n".join(sources)


_IMPORT = re.compile(r"(import|from) [\w.]+( import \w+)?( as \w+)?$")
#: Modules that every script imports.
_HEAD = ("math", "np")


def _collect(name: str, thing: Any, pieces: dict[str, str]) -> None:
    """Add the source of a function or class behind that of all that it uses."""
    if name in pieces:
        return
    source = textwrap.dedent(inspect.getsource(thing))
    (tree,) = ast.parse(source).body
    if isinstance(tree, ast.FunctionDef):
        # what makes a family of it is of no use in a script
        source = "".join(source.splitlines(keepends=True)[tree.lineno - 1 :])
    scope = inspect.getmodule(thing).__dict__
    pieces[name] = ""  # a function may call itself
    for used in dict.fromkeys(_names(tree)):
        if used in scope and used != name:
            _add(used, scope[used], pieces)
    del pieces[name]
    pieces[name] = source


def _add(name: str, thing: Any, pieces: dict[str, str]) -> None:
    thing = getattr(thing, "run", thing) if type(thing).__name__ == "Family" else thing
    if isinstance(thing, ModuleType):
        if name not in _HEAD:
            if not _is_standard(thing.__name__):
                raise ValueError(f"a script cannot import {name}; numbers of a family need the standard library alone")
            pieces[name] = f"import {_named(thing.__name__, name)}"
    elif inspect.isroutine(thing) or inspect.isclass(thing):
        module = thing.__module__ or ""
        if _is_standard(module):
            if module != "builtins" and thing is not dataclass:
                original = getattr(thing, "__name__", "")
                if getattr(sys.modules[module], original, None) is not thing:
                    raise ValueError(f"a script cannot import {name} from {module}; use it from the module that has it")
                pieces[name] = f"from {module} import {_named(original, name)}"
        elif module.partition(".")[0] == "numpy":
            raise ValueError(f"a script cannot carry {name}; use it as np.{getattr(thing, '__name__', name)}")
        else:
            _collect(name, thing, pieces)
    elif isinstance(thing, int | float | str | tuple | dict):
        pieces[name] = f"{name} = {thing!r}\n"
    else:
        raise ValueError(f"a script cannot carry {name}, which is {type(thing).__name__}")


def _is_standard(module: str) -> bool:
    return module.partition(".")[0] in sys.stdlib_module_names


def _named(original: str, here: str) -> str:
    return original if original == here else f"{original} as {here}"


def _names(tree: ast.AST) -> Iterator[str]:
    """Names that code uses when it runs; annotations are left out."""
    for field, value in ast.iter_fields(tree):
        if field in ("annotation", "returns") or (field == "decorator_list" and isinstance(tree, ast.FunctionDef)):
            continue
        for part in value if isinstance(value, list) else [value]:
            if isinstance(part, ast.Name) and not hasattr(builtins, part.id):
                yield part.id
            elif isinstance(part, ast.AST):
                yield from _names(part)
