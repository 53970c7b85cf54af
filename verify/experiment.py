"""An experiment from names and numbers: a problem of a family, a method, and a schedule that sets its parameters.

Families are the functions of ``algos.problems`` that build a problem from keyword arguments alone, methods are the
dataclasses of ``algos.methods``. A paper may add to both: ``FAMILIES``, ``METHODS``.
"""

from __future__ import annotations

import importlib
import inspect
import json
import math
import os
import pkgutil
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass, replace
from pathlib import Path
from types import ModuleType
from typing import Any, Literal, get_args, get_origin, get_type_hints

import numpy as np
from numpy.typing import NDArray

import algos.methods
import algos.problems
from algos import data
from algos.noise import AdditiveGaussian, MiniBatch, Noise, TwoPoint
from algos.problems.base import Instance, Problem
from algos.problems.nonconvex import under_log_sum
from algos.problems.regression import from_split
from theory import catalog
from theory.schedule import Schedule
from verify import registry

Family = Callable[..., Instance]
DataOuter = Literal["huber", "norm", "log-sum"]
DATA_FOLDER = "RATEPROOF_DATA"
NOISE = ("noise", "sigma_f", "sigma_h", "batch_size")
NOISES = ("gaussian", "two_point", "minibatch")
START = "x0"
STEPSIZES = {"gamma_l", "gamma"}
"""The stepsizes that a schedule can set, where a method asks for one."""


@dataclass(frozen=True)
class Experiment:
    """What is run.

    Attributes:
        problem: the instance.
        method: the method with its parameters.
        x0: initial model, ``(n,)``.
        schedule: id of the schedule that set the parameters; None when they were given.
        ignored: conditions of the schedule that fail and are ignored by force.
    """

    problem: Instance
    method: Any
    x0: NDArray[np.float64]
    schedule: str | None
    ignored: tuple[str, ...]


def families() -> dict[str, Family]:
    """Families of instances by name."""
    found: dict[str, Family] = {"diabetes": diabetes, "montevideo": montevideo}
    for module in _modules(algos.problems):
        for name, function in inspect.getmembers(module, inspect.isfunction):
            if function.__module__ == module.__name__ and not name.startswith("_") and _builds_problem(function):
                found[name] = function
    return found | registry.exported_by_all("FAMILIES")


def methods() -> dict[str, Callable[..., Any]]:
    """Methods by name."""
    found: dict[str, Callable[..., Any]] = {}
    for module in _modules(algos.methods):
        for name, kind in inspect.getmembers(module, inspect.isclass):
            complete = all(hasattr(kind, part) for part in ("init", "round", "output", "counts"))
            if kind.__module__ == module.__name__ and is_dataclass(kind) and complete and not name.startswith("_"):
                found[name] = kind
    return found | registry.exported_by_all("METHODS")


def schedules() -> dict[str, Schedule]:
    """Schedules of all papers by id."""
    found: dict[str, Schedule] = {}
    for module in registry.parts("schedules").values():
        listed = module.SCHEDULES
        found |= {s.id: s for s in (listed.values() if isinstance(listed, Mapping) else listed)}
    return found


def diabetes(
    *,
    N: int = 10,
    features: int = 400,
    train: float = 0.5,
    outer: DataOuter = "norm",
    mu: float = 1.0,
    epsilon: float | None = None,
    L_h: float = 1.0,
    seed: int = 0,
    noise: Noise | None = None,
) -> Problem:
    """Over-parameterised regression on the expanded diabetes data (see :mod:`algos.data`), scaled to ``L_h``."""
    table = data.expanded_diabetes(features=features, seed=seed)
    return regression(data.split(table, N=N, train=train, seed=seed), outer, mu, epsilon, L_h, noise)


def montevideo(
    *,
    path: str | None = None,
    N: int = 10,
    train: float = 0.5,
    outer: DataOuter = "norm",
    mu: float = 1.0,
    epsilon: float | None = None,
    L_h: float = 1.0,
    seed: int = 0,
    noise: Noise | None = None,
) -> Problem:
    """Over-parameterised regression on the Montevideo bus data, scaled to ``L_h``, from :func:`montevideo_file`."""
    table = data.montevideo_bus(path or montevideo_file())
    return regression(data.split(table, N=N, train=train, seed=seed), outer, mu, epsilon, L_h, noise)


def regression(
    rows: data.Split, outer: DataOuter, mu: float, epsilon: float | None, L_h: float | None, noise: Noise | None
) -> Problem:
    """Least squares on training rows under an outer loss, scaled to ``L_h``.

    Args:
        rows: of the clients.
        outer: "huber" and "norm" as in :class:`algos.problems.regression.Regression`, or "log-sum" for the envelope
            of the log-sum penalty.
        mu: parameter of the outer loss.
        epsilon: of the log-sum penalty, ``2 sqrt(mu)`` when left out.
        L_h: smoothness constant to scale to; None leaves the data as they are.
        noise: law of the gradient noise.

    Raises:
        ValueError: a parameter is out of range, or ``epsilon`` is given for another outer loss.
    """
    if outer != "log-sum":
        if epsilon is not None:
            raise ValueError(f"epsilon means nothing for outer = '{outer}'; leave it out")
        return from_split(rows, outer=outer, mu=mu, L_h=L_h, noise=noise)
    base = from_split(rows, outer="norm", L_h=L_h, noise=noise)
    return under_log_sum(base, mu=mu, epsilon=2 * math.sqrt(abs(mu)) if epsilon is None else epsilon)


def montevideo_file() -> Path:
    """``montevideo_bus.json.gz`` in the folder that RATEPROOF_DATA names, else in ``data``."""
    return Path(os.environ.get(DATA_FOLDER) or "data") / "montevideo_bus.json.gz"


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


def build(
    method: str,
    family: str,
    settings: Mapping[str, Any],
    *,
    R: int,
    schedule: str | None = None,
    force: bool = False,
) -> Experiment:
    """Build an experiment.

    Args:
        method, family: names; case, hyphens and underscores do not matter.
        settings: parameters of the family, of the noise (``noise``, ``sigma_f``, ``sigma_h``, ``batch_size``),
            of the method, of the schedule, and the start ``x0`` (one number or ``n``).
        R: rounds.
        schedule: id of the schedule that sets the method's parameters from the constants of the problem.
        force: accept a schedule whose conditions fail.

    Raises:
        ValueError: an unknown name (near misses are suggested), a value out of range, a missing parameter, a schedule
            that is not admissible (the failing condition and by how much).
    """
    make_problem = _named("family", family, families())
    make_method = _named("method", method, methods())
    plan = None if schedule is None else _before_the_run(_named("schedule", schedule, schedules()))
    for_problem, for_method = _parameters(make_problem), _parameters(make_method)
    if plan is not None and not STEPSIZES & set(_required(make_method)):
        raise ValueError(f"method {method} rules its stepsizes itself; leave schedule {plan.id} out")
    noise_names = NOISE if "noise" in for_problem else ()
    for_schedule = {} if plan is None else dict.fromkeys(_free(plan), float)
    known = {**for_problem, **dict.fromkeys(noise_names), **for_method, **for_schedule, START: None}
    for name in settings:
        if name not in known:
            raise ValueError(catalog.unknown("parameter", name, known))
    problem = _problem(
        make_problem, for_problem, {k: v for k, v in settings.items() if k in (*for_problem, *noise_names)}
    )
    given = {k: _checked(k, settings[k], for_method[k]) for k in for_method if k in settings}
    given = {k: v for k, v in {"K": 1, "S": problem.clients, "gamma_g": 1.0}.items() if k in for_method} | given
    if given.get("S", 1) > problem.clients:
        raise ValueError(f"S is {given['S']}; it should be at most the number of clients N = {problem.clients}")
    ignored: tuple[str, ...] = ()
    if plan is not None:
        names = {str(s): _SPELLED.get(str(s), str(s)) for s in plan.rules}
        if not plan.conditions and for_method.keys().isdisjoint(names.values()):
            raise ValueError(f"schedule {plan.id} sets nothing that method {method} is given; leave it out")
        if both := [name for name in names.values() if name in settings]:
            raise ValueError(f"{both[0]} is set by schedule {plan.id} ({plan}); leave one of the two out")
        numbers = {k: _checked(k, settings[k], float) for k in for_schedule if k in settings}
        fixed = {k: v for k, v in _defaults(make_method).items() if k not in names.values()}
        ruled, ignored = _scheduled(plan, problem, fixed | given | numbers, R, force)
        ruled = {names.get(k, k): v for k, v in ruled.items()}
        given |= {k: _checked(k, v, for_method[k]) for k, v in ruled.items() if k in for_method and k not in settings}
    if missing := [k for k in _required(make_method) if k not in given]:
        ruled_by = " or --schedule ID" if STEPSIZES & set(missing) else ""
        raise ValueError(f"method {method} needs {', '.join(missing)}: --set {missing[0]}=value{ruled_by}")
    try:
        built = make_method(**given)
    except TypeError as error:
        raise ValueError(f"the method does not take these values: {error}") from None
    _check_class(method, built, family, problem)
    return Experiment(problem, built, _start(settings.get(START, 0.0), problem), schedule, ignored)


def _scheduled(
    plan: Schedule, problem: Instance, given: Mapping[str, Any], R: int, force: bool
) -> tuple[dict[str, float], tuple[str, ...]]:
    """Numbers that a schedule sets, and the conditions that it fails."""
    constants = {**_constants(problem), "R": R}
    used = _symbols(plan)
    wanted = used | {_SPELLED[k] for k in _SPELLED if k in used}
    numbers = {k: float(v) for k, v in constants.items() if k in wanted and not math.isnan(v)}
    if numbers.get("alpha") == math.inf:
        numbers["alpha"] = sys.float_info.max  # any alpha will do, and a schedule needs a number
    numbers |= {k: float(v) for k, v in given.items() if isinstance(v, int | float)}
    numbers |= {symbol: numbers[name] for symbol, name in _SPELLED.items() if name in numbers}
    divides_by_mu = any(str(s) == "mu_f" for rule in plan.rules.values() for s in rule.free_symbols)
    mu_f = constants.get("mu_f", 0.0)
    if divides_by_mu and not mu_f > 0:
        raise ValueError(f"schedule {plan.id} needs mu_f > 0; this problem has mu_f = {mu_f:g}")
    ruled = plan.evaluate(numbers)
    failed = tuple(str(v) for v in plan.violations(numbers))
    if failed and not force:
        raise ValueError(
            f"schedule {plan.id} is not admissible here: {'; '.join(failed)}; --force runs it all the same"
        )
    if divides_by_mu:
        # The averaging weights of the strongly convex case (strfedavg, Proposition 1).
        shrink = ruled.get("eta", numbers.get("eta", 0.0)) * mu_f * ruled["gamma_t"] / 2
        if not shrink < 1:
            raise ValueError(f"eta mu_f gamma_t / 2 = {shrink:.4g} leaves no averaging weights; it should be below 1")
        ruled["theta"] = 1 / (1 - shrink)
    return ruled, failed


def _check_class(method: str, built: Any, family: str, problem: Instance) -> None:
    """Refuse a problem of another class than the method is for."""
    asked = get_type_hints(type(built).init).get("problem")
    if inspect.isclass(asked) and issubclass(asked, Instance) and not isinstance(problem, asked):
        able = [n for n, make in families().items() if issubclass(get_type_hints(make)["return"], asked)]
        raise ValueError(
            f"method {method} runs on problems of class {asked.__name__}, family {family} is of another; "
            f"for instance: {', '.join(able[:4])}"
        )


def _constants(problem: Instance) -> dict[str, float]:
    """Constants of a problem by the names of the symbols of schedules; NaN where it has no such constant."""
    c = problem.constants
    out = {f.name: getattr(c, f.name) for f in fields(c)} | {"n": problem.n}
    if isinstance(problem, Problem):
        return out | {"sigma_f2": c.sigma_f**2, "sigma_h2": c.sigma_h**2, "N": problem.N}
    return out | {"m": problem.clients, "kappa_F": c.L_F / c.mu_F}


def _problem(make: Family, parameters: Mapping[str, Any], settings: Mapping[str, Any]) -> Instance:
    laws = NOISE if "noise" in parameters else ()
    plain = {k: _checked(k, v, parameters[k]) for k, v in settings.items() if k not in laws}
    try:
        problem = make(**plain)
        law = _noise(problem, {k: v for k, v in settings.items() if k in laws})
        return problem if law is None else make(**plain, noise=law)
    except TypeError as error:
        raise ValueError(f"the family does not take these values: {error}") from None


def _noise(problem: Instance, settings: Mapping[str, Any]) -> Noise | None:
    kind = settings.get("noise", "minibatch" if "batch_size" in settings else "gaussian")
    if kind not in NOISES:
        raise ValueError(catalog.unknown("noise", str(kind), NOISES))
    if not settings:
        return None
    useless = [k for k in settings if k != "noise" and (k == "batch_size") is not (kind == "minibatch")]
    if useless:
        raise ValueError(f"{useless[0]} means nothing for {kind} noise; leave it out")
    if kind == "minibatch":
        return MiniBatch(_checked("batch_size", settings.get("batch_size", 1), int))
    sigma = {k: _checked(k, settings.get(k, 0.0), float) for k in ("sigma_f", "sigma_h")}
    for name, value in sigma.items():
        if value < 0:
            raise ValueError(f"{name} is {value:g}; it should be at least 0")
    if kind == "gaussian":
        return AdditiveGaussian.isotropic(problem.n, **sigma)
    direction = np.full(problem.n, problem.n**-0.5)
    return TwoPoint(sigma["sigma_f"] * direction, sigma["sigma_h"] * direction)


def _start(value: Any, problem: Instance) -> NDArray[np.float64]:
    try:
        x0 = np.array(value, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError(f"x0 is {value!r}; it should be one number or a list of n = {problem.n}") from None
    if x0.ndim and x0.shape != (problem.n,):
        raise ValueError(f"x0 has shape {x0.shape}; it should be one number or a list of n = {problem.n}")
    return np.broadcast_to(x0, (problem.n,)).copy()


def _named(what: str, name: str, choices: Mapping[str, Any]) -> Any:
    def bare(text: str) -> str:
        return "".join(ch for ch in text.casefold() if ch.isalnum())

    for known, value in choices.items():
        if bare(known) == bare(name):
            return value
    raise ValueError(catalog.unknown(what, name, choices))


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
    if any(not math.isfinite(v) for v in _numbers(value)):
        raise ValueError(f"{name} is {text}; it should be a finite number")
    return value


def _numbers(value: Any) -> Iterator[float]:
    if isinstance(value, list):
        for v in value:
            yield from _numbers(v)
    elif isinstance(value, int | float):
        yield value


def _checked(name: str, value: Any, kind: Any) -> Any:
    """A value of the kind that an annotation asks for; numbers given as text or with the wrong shape are refused."""
    choices = get_args(kind)
    if get_origin(kind) is Literal:
        if value not in choices and str(value) not in choices:
            raise ValueError(catalog.unknown(f"value of {name}", str(value), [str(c) for c in choices]))
        return value if value in choices else str(value)
    wanted = set(choices) | {kind}
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if is_number and (wanted & {float, int} or kind is None):
        if int in wanted and float not in wanted:
            if value != int(value):
                raise ValueError(f"{name} is {value:g}; it should be a whole number")
            return int(value)
        return float(value)
    if isinstance(value, str) and wanted & {float, int} and str not in wanted:
        raise ValueError(f"{name} is {value!r}; it should be a number")
    if isinstance(value, list) and kind in (float, int, str):
        raise ValueError(f"{name} is {value}; it should be one {'text' if kind is str else 'number'}, not a list")
    return str(value) if kind is str else value


def _parameters(make: Callable[..., Any]) -> dict[str, Any]:
    """Keyword parameters and the kind of value each takes."""
    # of a class: each base resolves its annotations in its own module, which an inherited __init__ does not
    hints = get_type_hints(make)
    return {name: hints.get(name) for name in inspect.signature(make).parameters}


def _defaults(make: Callable[..., Any]) -> dict[str, Any]:
    """Parameters that have a number when nothing is said."""
    values = {n: p.default for n, p in inspect.signature(make).parameters.items()}
    return {n: v for n, v in values.items() if isinstance(v, int | float) and not isinstance(v, bool)}


def _required(make: Callable[..., Any]) -> list[str]:
    return [n for n, p in inspect.signature(make).parameters.items() if p.default is inspect.Parameter.empty]


def _builds_problem(function: Callable[..., Any]) -> bool:
    parameters = inspect.signature(function).parameters.values()
    built = get_type_hints(function).get("return")
    keywords = all(p.kind is inspect.Parameter.KEYWORD_ONLY for p in parameters)
    return keywords and inspect.isclass(built) and issubclass(built, Instance)


def _free(plan: Schedule) -> list[str]:
    """Names that a schedule leaves to the user, constants of the problem among them."""
    fixed = {str(s) for s in (*plan.rules, *plan.where)}
    return sorted(_SPELLED.get(s, s) for s in _symbols(plan) - fixed - _OF_THE_PROBLEM)


def _before_the_run(plan: Schedule) -> Schedule:
    """The schedule without the rules that count iterations or rounds: those a method follows by itself."""
    rules, unknown = dict(plan.rules), set(_RUNNING)
    while late := {s: r for s, r in rules.items() if not unknown.isdisjoint(map(str, r.free_symbols))}:
        unknown |= set(map(str, late))
        rules = {s: r for s, r in rules.items() if s not in late}
    return replace(plan, rules=rules)


def _symbols(plan: Schedule) -> set[str]:
    relations = (*plan.parameters, *(c.relation for c in plan.conditions))
    return {str(s) for e in (*plan.rules.values(), *plan.where.values(), *relations) for s in e.free_symbols}


_OF_THE_PROBLEM = {
    *("L_f", "L_h", "mu_f", "sigma_f2", "sigma_h2", "f_star", "h_star", "inf_f", "mean_inf_f", "mean_inf_h"),
    *("alpha", "kappa", "grad_f_star", "N", "R"),
    *("L0", "L_imp", "nu", "B1", "B2", "L_y", "L_1h", "mu_h", "L_h_x", "Lam", "mu_F", "L_F", "kappa_F", "m", "n"),
    *("eta_s", "H"),
}
#: Symbols of schedules under the names that instances and methods give them: a shared symbol has the paper's name.
_SPELLED = {"L_imp": "L0", "eta_s": "eta", "alpha_2s": "alpha", "tau_2s": "tau"}
#: Counters of a running method.
_RUNNING = {"k_it", "r_bl"}


def _modules(package: ModuleType) -> Iterator[ModuleType]:
    for info in pkgutil.iter_modules(package.__path__):
        yield importlib.import_module(f"{package.__name__}.{info.name}")
