"""What a model of a method is: its problem, what is measured, and the tight value where the literature knows it."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from fractions import Fraction
from typing import Any, TypeAlias

from rateproof.verify.worstcase.clients import Layout
from rateproof.verify.worstcase.exact import Exact, exact
from rateproof.verify.worstcase.model import START, require_pepit

Number: TypeAlias = int | str | float | Fraction
"""A parameter: a text such as "1/3" or "0.1" is that very fraction, a float its binary value."""

MOST_STEPS = 1000
"""More steps than any solver can do, but few enough for a model to be built and its size to be told."""

DISTANCE = "distance"
"""The name of the metric that is measured as the start is, so that a step can be repeated."""


@dataclass(frozen=True)
class Known:
    """The value of the worst case in the literature.

    Attributes:
        value: the value.
        source: where it stands.
        proved: proved there; otherwise conjectured, or attained and matched by numbers only.
    """

    value: Fraction
    source: str
    proved: bool = True


@dataclass(frozen=True)
class Case:
    """A performance estimation problem of a method.

    PEPit keeps its points and functions in global lists, so a case is used before the next one is built.

    Attributes:
        problem: the ``PEPit.PEP``.
        metric: name of what is maximised.
        measured: the same in words.
        start: the normalisation, in words.
        parameters: all parameters, each an integer or an ``Exact``.
        known: the tight value, if there is one.
        layout: which points and values belong to which client, for a federated method.
    """

    problem: Any
    metric: str
    measured: str
    start: str
    parameters: Mapping[str, float]
    known: Known | None = None
    layout: Layout | None = None

    @property
    def stand_ins(self) -> int | None:
        """How many clients of the problem stand for the ``N`` of the parameters; None where all are there."""
        if self.layout is None or self.parameters.get("N", 1) <= self.layout.clients:
            return None
        return self.layout.clients


@dataclass(frozen=True)
class Method:
    """An entry of the registry.

    Attributes:
        name: what the command calls it.
        title: one line.
        build: keyword-only parameters and ``metric`` to a case; the docstring says which point is which.
        meaning: of every parameter.
        metrics: in words, by name; the first is the default.
        rounds: the parameter that counts iterations or rounds.
        clients: the parameter that counts clients, for a method whose clients meet in averages alone.
    """

    name: str
    title: str
    build: Callable[..., Case]
    meaning: Mapping[str, str]
    metrics: Mapping[str, str]
    rounds: str
    clients: str | None = None

    def defaults(self) -> Mapping[str, Any]:
        """Value of every parameter that is not set; None where it follows from the others."""
        signature = inspect.signature(self.build).parameters
        return {name: signature[name].default for name in self.meaning}

    def words(self, metric: str) -> str:
        """A metric in words.

        Raises:
            ValueError: there is no such metric.
        """
        if metric not in self.metrics:
            raise ValueError(f"{self.name} has no metric {metric}; {near(metric, self.metrics)}")
        return self.metrics[metric]

    def case(self, settings: Mapping[str, Number], metric: str | None = None) -> Case:
        """The case with these parameters.

        Raises:
            ValueError: an unknown parameter or metric, or a value out of range.
        """
        for name in settings:
            if name not in self.meaning:
                raise ValueError(f"{self.name} has no parameter {name}; {near(name, self.meaning)}")
        if metric is not None:
            self.words(metric)
        require_pepit()
        try:
            return self.build(**settings, metric=metric or next(iter(self.metrics)))
        except OverflowError:
            raise ValueError(f"{self.name}: the parameters are too far apart, a coefficient exceeds 1e308") from None

    def smallest(self, settings: Mapping[str, Number], metric: str | None = None) -> Case:
        """The case with the same worst case and the fewest clients: two for more (:mod:`verify.worstcase.clients`).

        Its parameters are those of the case that was asked for.

        Raises:
            ValueError: as :meth:`case`.
        """
        if self.clients is None:
            return self.case(settings, metric)
        asked = count(self.clients, settings.get(self.clients, self.defaults()[self.clients]), most=None)
        case = self.case({**settings, self.clients: min(asked, 2)}, metric)
        return replace(case, parameters={**case.parameters, self.clients: asked})


def near(name: str, known: Mapping[str, Any]) -> str:
    """What may have been meant."""
    close = get_close_matches(name, known, cutoff=0.5)
    return f"did you mean {' or '.join(close)}?" if close else f"known: {', '.join(known)}"


def new_problem() -> Any:
    """An empty ``PEPit.PEP``.

    Raises:
        ValueError: PEPit is not installed.
    """
    require_pepit()
    from PEPit import PEP

    return PEP()


def origin() -> Any:
    """The point 0, where the solution is put: all classes here are unchanged by translations."""
    from PEPit import Point

    return Point(is_leaf=False, decomposition_dict={})


def nothing() -> Any:
    """The value 0, which a function takes at the solution: all classes here are unchanged by adding constants."""
    from PEPit import Expression

    return Expression(is_leaf=False, decomposition_dict={})


def smooth(problem: Any, L: Exact, mu: Exact) -> Any:
    """A new ``L``-smooth, ``mu``-strongly convex function of the problem."""
    from PEPit.functions import SmoothStronglyConvexFunction

    return problem.declare_function(SmoothStronglyConvexFunction, L=L, mu=mu)


def mean(terms: Sequence[Any]) -> Any:
    """The mean of points or of values."""
    return exact(1, len(terms)) * sum(terms[1:], start=terms[0])


def start_at_one(problem: Any, point: Any) -> str:
    """Add ``||point||^2 <= 1``, the distance to a solution at the origin; returns it in words."""
    problem.add_constraint(point**2 <= 1, name=START)
    return "||x^0 - x*||^2 <= 1"


def positive(name: str, value: Number) -> Exact:
    """The value as an exact number.

    Raises:
        ValueError: it is no positive number.
    """
    number = _number(name, value)
    if not number > 0:
        raise ValueError(f"{name} is {value}; it should be positive")
    return number


def nonnegative(name: str, value: Number) -> Exact:
    """The value as an exact number.

    Raises:
        ValueError: it is no nonnegative number.
    """
    number = _number(name, value)
    if not number >= 0:
        raise ValueError(f"{name} is {value}; it should be at least 0")
    return number


def curvature(name: str, value: Number, L_name: str, L: Exact) -> Exact:
    """A strong convexity constant below ``L``, as an exact number.

    Raises:
        ValueError: it is not in ``[0, L)``.
    """
    mu = nonnegative(name, value)
    if not mu < L:
        raise ValueError(f"{name} is {value}; it should be below {L_name} = {L.fraction}")
    return mu


def count(name: str, value: Number, most: int | None = MOST_STEPS) -> int:
    """The value as an integer.

    Raises:
        ValueError: it is no integer from 1 to ``most``, or from 1 on where that is None.
    """
    number = _number(name, value).fraction
    if number.denominator != 1 or number < 1:
        raise ValueError(f"{name} is {value}; it should be an integer, at least 1")
    if most is not None and number > most:
        raise ValueError(f"{name} is {value}; it should be at most {most}, since a model grows with its cube")
    return int(number)


def _number(name: str, value: Number) -> Exact:
    if isinstance(value, Exact):
        return value
    try:
        return exact(value)
    except ValueError:
        raise ValueError(f"{name} is {value}; it should be a number such as 0.1 or 1/3") from None
