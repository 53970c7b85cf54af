"""A performance estimation problem of the user's own: a function in a file that returns a ``PEPit.PEP``."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from contextlib import redirect_stdout
from importlib.util import module_from_spec, spec_from_file_location
from inspect import signature
from pathlib import Path
from traceback import extract_tb
from typing import Any

from rateproof.verify.worstcase.exact import exact
from rateproof.verify.worstcase.interrupts import interruptible
from rateproof.verify.worstcase.methods.base import Case, Number, near
from rateproof.verify.worstcase.model import require_pepit


def load(place: str) -> Callable[[Mapping[str, Number]], Case]:
    """The function at ``path/to/file.py:function``, which is then called with the parameters as exact numbers.

    Raises:
        ValueError: there is no such file or function, or the file fails; later, the function fails or returns no PEP.
    """
    require_pepit()
    path, colon, name = place.rpartition(":")
    if not colon or not path.endswith(".py") or not name.isidentifier():
        raise ValueError(f"--model {place} should be a file and a function in it, such as mymodel.py:build")
    if not Path(path).is_file():
        raise ValueError(f"--model {place}: there is no file {path}")
    spec = spec_from_file_location(f"_rateproof_model_{Path(path).stem}", path)
    if spec is None or spec.loader is None:
        raise ValueError(f"--model {place}: {path} cannot be imported")
    module = module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses and pickle look there
    try:
        with redirect_stdout(sys.stderr):  # stdout is the report's
            spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:
        raise ValueError(f"--model {place}: {path} raises {type(error).__name__}: {error}") from error
    function = getattr(module, name, None)
    if not callable(function):
        functions = {k: v for k, v in vars(module).items() if getattr(v, "__module__", None) == spec.name}
        raise ValueError(f"--model {place}: {path} has no function {name}; {near(name, functions)}")
    return lambda settings: _case(place, function, settings)


def _case(place: str, function: Callable[..., Any], settings: Mapping[str, Number]) -> Case:
    from PEPit import PEP

    parameters = {name: exact(value) for name, value in settings.items()}
    try:
        signature(function).bind(**parameters)
    except TypeError as error:
        known = ", ".join(signature(function).parameters) or "none"
        raise ValueError(f"--model {place}: {error}; its parameters: {known}") from None
    try:
        with interruptible(), redirect_stdout(sys.stderr):  # it may solve the problem itself
            problem = function(**parameters)
    except (Exception, SystemExit) as error:
        file = place.rpartition(":")[0]
        lines = [f", line {f.lineno}" for f in extract_tb(error.__traceback__) if f.filename.endswith(file)]
        raise ValueError(f"--model {place}{''.join(lines[-1:])}: {type(error).__name__}: {error}") from error
    if not isinstance(problem, PEP):
        raise ValueError(f"--model {place}: the function returns a {type(problem).__name__}; it should be a PEPit.PEP")
    return Case(problem, "own", "the metric of the model", "the conditions of the model", parameters)
