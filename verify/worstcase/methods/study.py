"""One case from both sides: the certified upper bound, the worst function below it, and what they say of a bound."""

from __future__ import annotations

import sys
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import inf
from typing import Any

from rateproof.verify.worstcase.certificate import Certificate
from rateproof.verify.worstcase.clients import reduced
from rateproof.verify.worstcase.contraction import Contraction
from rateproof.verify.worstcase.evaluations import evaluations
from rateproof.verify.worstcase.methods.base import DISTANCE, Case
from rateproof.verify.worstcase.model import Model, read, require_pepit
from rateproof.verify.worstcase.primal import worst_function
from rateproof.verify.worstcase.search import certify
from rateproof.verify.worstcase.witness import WorstFunction

#: A model that needs more memory than this is refused, and one that takes more seconds is announced.
MOST_GIGABYTES, LONG = 16, 10


@dataclass(frozen=True)
class Study:
    """What was found for a case.

    Attributes:
        case: the case.
        model: what was certified; the reduced one, where the case has several clients.
        certificate: of the upper bound, checked; None when there is none.
        worst: the instance that attains the lower bound, checked; None when there is none or it was not looked for.
        refusals: why there is no certificate or no worst function, one line each.
        seconds: taken by ``model`` (building, reading, reducing), ``solve`` (the upper bound), ``check`` (of its
            certificate) and ``worst`` (the worst function).
    """

    case: Case
    model: Model
    certificate: Certificate | None
    worst: WorstFunction | None
    refusals: tuple[str, ...]
    seconds: dict[str, float]

    @property
    def upper(self) -> Fraction | None:
        """No instance has a larger metric."""
        return None if self.certificate is None else self.certificate.upper

    @property
    def lower(self) -> Fraction | None:
        """An instance has this metric."""
        return None if self.worst is None else self.worst.lower

    @property
    def relaxed(self) -> tuple[str, ...]:
        """The classes and steps whose conditions are necessary only; a worst function then refutes nothing."""
        return self.model.relaxed

    @property
    def slack(self) -> float | None:
        """How far apart the bounds are, relative to the upper one."""
        if self.upper is None or self.lower is None:
            return None
        return float((self.upper - self.lower) / abs(self.upper)) if self.upper else float(-self.lower)

    @property
    def excess(self) -> float | None:
        """How many times the value of the literature the upper bound is; infinity beyond what a float holds."""
        known = self.case.known
        if self.upper is None or known is None or known.value <= 0:
            return None
        ratio = self.upper / known.value
        return float(ratio) if ratio < sys.float_info.max else inf

    @cached_property
    def contraction(self) -> Contraction | None:
        """The certificate as that of a factor for every step, where the metric is what the start bounds by 1.

        None where the certificate uses a condition with a size of its own, such as the heterogeneity of clients.
        """
        if self.certificate is None or self.case.metric != DISTANCE:
            return None
        contraction = Contraction(self.certificate.upper, self.certificate)
        return contraction if contraction.check() else None

    def verdict(self, bound: Fraction) -> str:
        """``proved`` when no instance exceeds the bound, ``refuted`` when one does, else ``undecided``."""
        if self.upper is not None and self.upper <= bound:
            return "proved"
        if self.lower is not None and self.lower > bound and not self.relaxed:
            return "refuted"
        return "undecided"


@dataclass(frozen=True)
class Size:
    """How large a model will be: what can be told before PEPit writes its conditions, which takes long itself.

    Attributes:
        points: of the Gram matrix.
        conditions: about so many, for classes with a condition for every two evaluations.
    """

    points: int
    conditions: int

    @classmethod
    def of(cls, problem: Any) -> Size:
        """The size of a ``PEPit.PEP`` that is the newest."""
        from PEPit import Function, Point

        evaluations = [len(f.list_of_points) for f in Function.list_of_functions if f.get_is_leaf()]
        return cls(Point.counter, len(problem.list_of_constraints) + sum(k * (k - 1) for k in evaluations))

    @property
    def seconds(self) -> float:
        """About how long a proof takes on one core when it needs all conditions, measured with 20 and 40 steps."""
        return (self.conditions / 400) ** 3

    @property
    def gigabytes(self) -> float:
        """What the solver's matrices fill."""
        return 8e-9 * self.conditions * self.points**2

    def require(self) -> None:
        """See that a model can be had.

        Raises:
            ValueError: it is out of reach.
        """
        if self.gigabytes > MOST_GIGABYTES:
            raise ValueError(
                f"{self}, which would fill {self.gigabytes:,.0f} GB: out of reach, take fewer rounds or local steps"
            )

    def __str__(self) -> str:
        return f"the model has about {self.conditions:,} conditions on {self.points:,} points"


def _duration(seconds: float) -> str:
    for unit, length in (("days", 86400), ("hours", 3600), ("minutes", 60)):
        if seconds >= 2 * length:
            return f"{seconds / length:.0f} {unit}"
    return f"{seconds:.0f} seconds"


def study(
    build: Callable[[], Case],
    *,
    solver: str = "CLARABEL",
    claimed: Fraction | None = None,
    worst: bool = True,
    progress: Callable[[str], None] | None = None,
) -> Study:
    """Certify a case and look for its worst function.

    Args:
        build: makes the case.
        solver: of cvxpy, for what is then made exact.
        claimed: a bound, in units of which the search measures when it is positive; otherwise the known value.
        worst: look for the worst function, which takes longer than the bound.
        progress: told in a line what comes next, where it takes long.

    Raises:
        ValueError: the parameters, the problem or the solver cannot be used, or the model is out of reach.
    """
    require_pepit()
    import PEPit  # noqa: F401 (so that the seconds are those of the model)

    seconds: dict[str, float] = {}
    with _timed(seconds, "model"):
        case = build()
        size = Size.of(case.problem)
        size.require()
        tell = progress if progress is not None and size.seconds > LONG else lambda line: None
        tell(f"{size}; a proof takes up to {_duration(size.seconds)}, Ctrl-C stops it")
        whole = read(case.problem)
        model = _reduced(whole, case)
    refusals = []
    tell(f"the model is read; now a proof from {len(model.conditions)} conditions")
    with _timed(seconds, "solve"), _unwarned():
        unit = claimed or (case.known and case.known.value)
        functions = evaluations(case.problem, model) if case.layout is None else ()
        bound = certify(model, solver=solver, claimed=unit if unit and unit > 0 else None, functions=functions)
    certificate = bound if isinstance(bound, Certificate) else None
    with _timed(seconds, "check"):
        sound = certificate is not None and certificate.check()
    if not isinstance(bound, Certificate):
        refusals.append(f"no certified upper bound: {bound.reason}")
    elif not sound:
        certificate = None
        refusals.append("no certified upper bound: its certificate fails the exact check")
    function = None
    if worst:
        tell(f"{'no bound' if certificate is None else 'a bound is proved'}; now the worst function")
        with _timed(seconds, "worst"), _unwarned():
            function, why = _worst(case.problem, whole, solver)
        refusals += why
    return Study(case, model, certificate, function, tuple(refusals), seconds)


def _worst(problem: Any, model: Model, solver: str) -> tuple[WorstFunction | None, list[str]]:
    """The worst function, or why there is none; an interrupted search does not cost the bound."""
    try:
        worst = worst_function(model, solver=solver, functions=evaluations(problem, model))
    except KeyboardInterrupt:
        return None, ["no worst function: the search for it was interrupted"]
    if not isinstance(worst, WorstFunction):
        return None, [f"no worst function: {worst.reason}"]
    return (worst, []) if worst.check() else (None, ["no worst function: it fails the exact check"])


def model_of(case: Case) -> Model:
    """The model of a case, reduced when there are several clients.

    Raises:
        ValueError: it is out of reach.
    """
    Size.of(case.problem).require()
    return _reduced(read(case.problem), case)


def _reduced(model: Model, case: Case) -> Model:
    return model if case.layout is None else reduced(model, case.layout)


@contextmanager
def _unwarned() -> Iterator[None]:
    """Without warnings on floats, which only suggest."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        yield


@contextmanager
def _timed(seconds: dict[str, float], name: str) -> Iterator[None]:
    start = time.perf_counter()
    yield
    seconds[name] = time.perf_counter() - start
