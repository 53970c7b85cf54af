"""An experiment from names and numbers: a problem of a family, a method, and a schedule that sets its parameters.

Families are the functions of ``rateproof.algos.problems`` that build a problem from keyword arguments alone, methods
are the dataclasses of ``rateproof.algos.methods``. A paper may add to both: ``FAMILIES``, ``METHODS``.
"""

from __future__ import annotations

import importlib
import inspect
import math
import os
import pkgutil
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, is_dataclass
from pathlib import Path
from types import ModuleType
from typing import Any, Literal, get_type_hints

import numpy as np
from numpy.typing import NDArray

import rateproof.algos.methods
import rateproof.algos.problems
from rateproof.algos import data
from rateproof.algos.methods.base import Started
from rateproof.algos.noise import AdditiveGaussian, MiniBatch, Noise, TwoPoint
from rateproof.algos.problems.base import Instance, Problem
from rateproof.algos.problems.nonconvex import under_log_sum
from rateproof.algos.problems.regression import from_split
from rateproof.theory import catalog
from rateproof.theory.schedule import Schedule
from rateproof.verify import registry
from rateproof.verify.experiments import scheduled
from rateproof.verify.experiments.settings import checked, defaults, parameters, required

Family = Callable[..., Instance]
DataOuter = Literal["huber", "norm", "log-sum"]
DATA_FOLDER = "RATEPROOF_DATA"
NOISE = ("noise", "sigma_f", "sigma_h", "batch_size")
NOISES = ("gaussian", "two_point", "minibatch")
START = "x0"


@dataclass(frozen=True)
class Experiment:
    """What is run.

    Attributes:
        problem: the instance.
        method: the method with its parameters.
        x0: initial model, ``(n,)``.
        schedule: id of the schedule that set the parameters; None when they were given.
        ignored: conditions of the schedule that fail and are ignored by force.
        notes: on what the schedule was used with.
    """

    problem: Instance
    method: Any
    x0: NDArray[np.float64]
    schedule: str | None
    ignored: tuple[str, ...]
    notes: tuple[str, ...] = ()


def families() -> dict[str, Family]:
    """Families of instances by name."""
    out: dict[str, Family] = {"diabetes": diabetes, "montevideo": montevideo}
    for module in _modules(rateproof.algos.problems):
        for name, function in inspect.getmembers(module, inspect.isfunction):
            if function.__module__ == module.__name__ and not name.startswith("_") and _builds_problem(function):
                out[name] = function
    return out | registry.exported_by_all("FAMILIES")


def constants() -> set[str]:
    """Names of all constants that problems know, of whatever class."""
    kinds = {get_type_hints(make)["return"] for make in families().values()}
    return {name for kind in kinds for name in scheduled.constants_of(kind)}


def methods() -> dict[str, Callable[..., Any]]:
    """Methods by name; one that a paper names otherwise has that name alone."""
    out: dict[str, Callable[..., Any]] = {}
    for module in _modules(rateproof.algos.methods):
        for name, kind in inspect.getmembers(module, inspect.isclass):
            complete = all(hasattr(kind, part) for part in ("init", "round", "output", "counts"))
            if kind.__module__ == module.__name__ and is_dataclass(kind) and complete and not name.startswith("_"):
                out[name] = kind
    exported = registry.exported_by_all("METHODS")
    renamed = [kind for kind in exported.values() if inspect.isclass(kind)]
    return {name: kind for name, kind in out.items() if kind not in renamed} | exported


def schedules() -> dict[str, Schedule]:
    """Schedules of all papers by id."""
    out: dict[str, Schedule] = {}
    for module in registry.parts("schedules").values():
        listed = module.SCHEDULES
        out |= {s.id: s for s in (listed.values() if isinstance(listed, Mapping) else listed)}
    return out


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
        outer: "huber" and "norm" as in :class:`rateproof.algos.problems.regression.Regression`, or "log-sum" for the
            envelope of the log-sum penalty.
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


def data_file(name: str) -> Path:
    """A file in the folder that RATEPROOF_DATA names, else in ``data``."""
    return Path(os.environ.get(DATA_FOLDER) or "data") / name


def montevideo_file() -> Path:
    """Where the Montevideo bus data should be."""
    return data_file("montevideo_bus.json.gz")


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
    make_problem = named("family", family, families())
    make_method = named("method", method, methods())
    _check_class(method, make_method, family, get_type_hints(make_problem)["return"])
    plan = None if schedule is None else scheduled.before_the_run(named("schedule", schedule, schedules()))
    for_problem, for_method = parameters(make_problem), parameters(make_method)
    steps = scheduled.STEPSIZES | ({scheduled.spelled(plan, s) for s in plan.rules} if plan else set())
    if plan is not None and steps.isdisjoint(required(make_method)):
        raise ValueError(f"method {method} rules its stepsizes itself; leave schedule {plan.id} out")
    noise_names = NOISE if "noise" in for_problem else ()
    for_schedule: dict[str, Any] = {}
    if plan is not None:
        for_schedule = dict.fromkeys(scheduled.free(plan, constants()), float)
        aliases = {name: str(s) for s, name in plan.runs.aliases.items() if str(s) in for_schedule.keys() - settings}
        settings = {k if k in for_method else aliases.get(k, k): v for k, v in settings.items()}
    known = {**for_problem, **dict.fromkeys(noise_names), **for_method, **for_schedule, START: None}
    for name in settings:
        if name not in known:
            raise ValueError(catalog.unknown("parameter", name, known))
    given = {k: checked(k, settings[k], for_method[k]) for k in for_method if k in settings}
    problem = _problem(
        family, make_problem, for_problem, {k: v for k, v in settings.items() if k in (*for_problem, *noise_names)}
    )
    _check_class(method, make_method, family, type(problem))
    clients = problem.clients
    given = {k: v for k, v in {"K": 1, "S": clients, "P": clients, "gamma_g": 1.0}.items() if k in for_method} | given
    if given.get("S", 1) > clients:
        raise ValueError(f"S is {given['S']}; it should be at most the number of clients N = {clients}")
    if given.get("P", 1) > clients:
        raise ValueError(f"P is {given['P']}; it should be at most {clients}, the number of clients")
    if given.get("T") and len(given["T"]) < R:
        raise ValueError(f"T gives {len(given['T'])} rounds; it should hold a time for each of {R} rounds")
    ignored: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    if plan is not None:
        names = [scheduled.spelled(plan, s) for s in plan.rules]
        if not plan.conditions and for_method.keys().isdisjoint(names):
            raise ValueError(f"schedule {plan.id} sets nothing that method {method} is given; leave it out")
        if both := [name for name in names if name in settings]:
            raise ValueError(f"{both[0]} is set by schedule {plan.id} ({plan}); leave one of the two out")
        numbers = {k: checked(k, settings[k], float) for k in for_schedule if k in settings}
        fixed = {k: v for k, v in defaults(make_method).items() if k not in names}
        local_steps = str(plan.runs.local_steps) in for_method
        given_all = fixed | given | numbers
        applied = scheduled.apply(plan, problem, given_all, R, known=constants(), local_steps=local_steps)
        if applied.failed and not force:
            failing = "; ".join(applied.failed)
            raise ValueError(f"schedule {plan.id} is not admissible here: {failing}; --force runs it all the same")
        ignored, notes = applied.failed, applied.notes
        given |= {k: checked(k, v, for_method[k]) for k, v in applied.ruled.items() if k in for_method}
    if missing := [k for k in required(make_method) if k not in given]:
        ruled_by = " or --schedule ID" if scheduled.STEPSIZES & set(missing) else ""
        raise ValueError(f"method {method} needs {', '.join(missing)}: --set {missing[0]}=value{ruled_by}")
    try:
        built = make_method(**given)
    except TypeError as error:
        raise ValueError(f"the method does not take these values: {error}") from None
    _check_class(method, type(built), family, type(problem))
    x0 = _start(settings.get(START, problem.x0), problem)
    missed = built.misses(problem, x0) if isinstance(built, Started) else ()
    return Experiment(problem, built, x0, schedule, ignored, (*notes, *missed))


def _check_class(method: str, make_method: Callable[..., Any], family: str, of: type) -> None:
    """Refuse problems of another class than the method is for.

    ``of`` is the class of the problem, or what the family promises of it, which may say less.
    """
    asked = runs_on(make_method)
    if not (issubclass(of, asked) or issubclass(asked, of)):
        raise ValueError(
            f"method {method} runs on problems of class {asked.__name__}, family {family} is of class {of.__name__}; "
            f"for instance: {', '.join(able(make_method)[:4])}"
        )


def able(make_method: Callable[..., Any]) -> list[str]:
    """The families that a method runs on."""
    asked = runs_on(make_method)
    return [n for n, make in families().items() if issubclass(get_type_hints(make)["return"], asked)]


def runs_on(make_method: Callable[..., Any]) -> type[Instance]:
    """The class of problems that a method is for: ``Instance`` where its annotations do not tell."""
    kind = make_method if inspect.isclass(make_method) else get_type_hints(make_method).get("return")
    init = getattr(kind, "init", None)
    asked = getattr(kind, "problems", None) or (get_type_hints(init).get("problem") if init else None)
    return asked if inspect.isclass(asked) and issubclass(asked, Instance) else Instance


def _problem(family: str, make: Family, takes: Mapping[str, Any], settings: Mapping[str, Any]) -> Instance:
    laws = NOISE if "noise" in takes else ()
    plain = {k: checked(k, v, takes[k]) for k, v in settings.items() if k not in laws}
    given = f"family {family}" + (f" with {', '.join(f'{k} = {v}' for k, v in settings.items())}" if settings else "")
    try:
        problem = make(**plain)
        law = _noise(problem, {k: v for k, v in settings.items() if k in laws})
        return problem if law is None else make(**plain, noise=law)
    except MemoryError:
        raise ValueError(f"{given} does not fit in memory; make it smaller") from None
    except (TypeError, ValueError, IndexError, ArithmeticError) as error:
        named = [k for k in settings if re.search(rf"\b{re.escape(k)}\b", str(error))]
        if named and isinstance(error, ValueError):
            raise
        raise ValueError(f"{given} is no instance: {error}") from None


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
        return MiniBatch(checked("batch_size", settings.get("batch_size", 1), int))
    sigma = {k: checked(k, settings.get(k, 0.0), float) for k in ("sigma_f", "sigma_h")}
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


def named(what: str, name: str, choices: Mapping[str, Any]) -> Any:
    """The choice of this name, or of the name that it has in its module; case, hyphens and underscores do not matter.

    Raises:
        ValueError: there is none; near misses are suggested.
    """

    def bare(text: str) -> str:
        return "".join(ch for ch in text.casefold() if ch.isalnum())

    spellings = [*choices.items(), *((str(getattr(c, "__name__", known)), c) for known, c in choices.items())]
    for known, choice in spellings:
        if bare(known) == bare(name):
            return choice
    raise ValueError(catalog.unknown(what, name, choices))


def _builds_problem(function: Callable[..., Any]) -> bool:
    parameters = inspect.signature(function).parameters.values()
    built = get_type_hints(function).get("return")
    keywords = all(p.kind is inspect.Parameter.KEYWORD_ONLY for p in parameters)
    return keywords and inspect.isclass(built) and issubclass(built, Instance)


def _modules(package: ModuleType) -> Iterator[ModuleType]:
    for info in pkgutil.iter_modules(package.__path__):
        yield importlib.import_module(f"{package.__name__}.{info.name}")
