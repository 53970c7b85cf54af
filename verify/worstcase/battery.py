"""Known tight rates, and whether a certificate ever claims less: the test of :func:`verify.worstcase.certify`.

The rates stand in ``battery.toml``. The methods are examples that PEPit ships; each builds its problem and knows the
worst case in closed form. A certified bound under a known tight rate would be a false bound.

Step sizes and class parameters are exact fractions. Where an example computes further coefficients in floats, or its
closed form has roots, the known value and the problem differ by rounding: there, and only there, the comparison has
the tolerance :data:`ROUNDING`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from time import perf_counter
from typing import TYPE_CHECKING, Any

from rateproof.verify.worstcase.exact import exact, rational
from rateproof.verify.worstcase.model import coefficients

if TYPE_CHECKING:
    from rateproof.verify.worstcase.model import Model

SOLVERS = ("CLARABEL", "SCS")
#: What rounding in an example's own floats may move its known value by, relative to it (or to 1, if it is zero).
ROUNDING = Fraction(1, 10**12)
#: A fraction with a smaller denominator was not rounded: of the floats that were, one in eight thousand has one.
SHORT = 2**40
#: The slack up to which a bound counts as sharp.
SHARP = 1e-4


@dataclass(frozen=True)
class Case:
    """A method whose exact worst case is known.

    Attributes:
        method: the example: its module below ``PEPit.examples``.
        parameters: of the example.
        source: where the rate is from.
        tight: why no smaller number is true: a ``theorem``, a ``conjecture`` or a ``numerical`` finding of the source.
    """

    method: str
    parameters: Mapping[str, Any]
    source: str
    tight: str

    @property
    def name(self) -> str:
        """The method with its parameters."""
        settings = ", ".join(f"{key}={getattr(value, 'fraction', value)}" for key, value in self.parameters.items())
        return f"{self.method.rpartition('.')[2]}({settings})"


@dataclass(frozen=True)
class Row:
    """One case with one solver.

    Attributes:
        case: the case.
        solver: who suggested the multipliers.
        known: the worst case in closed form.
        tolerance: what rounding may have moved it by; zero where everything is exact.
        lower: what an exact instance of the problem attains, or None.
        upper: the certified upper bound, or None.
        checked: whether the certificate's own exact check confirms it, from the conditions of the problem.
        reason: why there is none, or "".
        seconds: for the certificate and its check, without building the problem.
    """

    case: Case
    solver: str
    known: Fraction
    tolerance: Fraction
    lower: Fraction | None
    upper: Fraction | None
    checked: bool
    reason: str
    seconds: float

    @property
    def false(self) -> bool:
        """Whether the certificate claims less than the worst case, or does not pass its own check."""
        if self.upper is None:
            return False
        least = self.known - self.tolerance
        return not self.checked or self.upper < (least if self.lower is None else max(least, self.lower))

    @property
    def slack(self) -> float | None:
        """How far the bound lies above the worst case, relative to it (absolute where that is zero)."""
        return None if self.upper is None else float((self.upper - self.known) / (abs(self.known) or 1))

    @property
    def shortfall(self) -> float | None:
        """How far the instance found stays below the worst case, relative to it (absolute where that is zero)."""
        return None if self.lower is None else float((self.known - self.lower) / (abs(self.known) or 1))

    @property
    def sharp(self) -> bool:
        """Whether the bound is true and nearly the worst case."""
        return self.slack is not None and not self.false and self.slack <= SHARP

    def to_json(self) -> dict[str, Any]:
        """As JSON can hold it; fractions are strings."""
        return {
            "case": self.case.name,
            "source": self.case.source,
            "tight": self.case.tight,
            "solver": self.solver,
            "known": float(self.known),
            "lower": None if self.lower is None else str(self.lower),
            "upper": None if self.upper is None else str(self.upper),
            "slack": self.slack,
            "false": self.false,
            "reason": self.reason,
            "seconds": self.seconds,
        }


@cache
def cases() -> tuple[Case, ...]:
    """The battery."""
    import tomllib
    from importlib.resources import files

    rates = tomllib.loads(files(__package__).joinpath("battery.toml").read_text(encoding="utf-8"))["rate"]
    return tuple(
        Case(rate["method"], {key: _parameter(value) for key, value in row.items()}, rate["source"], rate["tight"])
        for rate in rates
        for row in rate["parameters"]
    )


def _parameter(value: Any) -> Any:
    return exact(value) if isinstance(value, str) and not value.isalpha() else value


def model(case: Case) -> tuple[Model, Fraction]:
    """The problem that a case builds, and its worst case in closed form.

    Raises:
        ValueError: PEPit is not installed.
    """
    from importlib import import_module

    from rateproof.verify.worstcase.model import read, require_pepit

    require_pepit()
    module = import_module(f"PEPit.examples.{case.method}")
    (example,) = (f for name, f in vars(module).items() if name.startswith("wc_"))
    with _read_where_solved(read) as models:
        _, known = example(**case.parameters, verbose=-1)
    return models[0], rational(known)


@contextmanager
def _read_where_solved(read: Callable[[Any], Model]) -> Iterator[list[Model]]:
    """Collects the models of the problems that are built meanwhile, and lets none be solved."""
    from PEPit import PEP

    models: list[Model] = []

    def instead(problem: Any, **_: Any) -> float:
        models.append(read(problem))
        return float("nan")

    original, PEP.solve = PEP.solve, instead
    try:
        yield models
    finally:
        PEP.solve = original


def tolerance(model: Model, known: Fraction) -> Fraction:
    """What rounding may have moved a known value by: zero where neither it nor any coefficient was rounded."""
    rounded = any(c.denominator > SHORT for c in (known, *(c for form in model.forms for c in coefficients(form))))
    return ROUNDING * (abs(known) or 1) if rounded else Fraction(0)


def run(
    progress: Callable[[int, int], None] | None = None,
    *,
    solvers: Sequence[str] = SOLVERS,
    battery: Sequence[Case] | None = None,
    witnesses: bool = False,
) -> tuple[Row, ...]:
    """Certifies every case with every solver.

    Args:
        progress: told how many certificates are done, of how many.
        solvers: who suggests the multipliers.
        battery: the cases; all of them when not given.
        witnesses: also look for an instance of each case that attains its worst case.

    Raises:
        ValueError: PEPit or a solver is not installed, or the solver is not known.
    """
    battery = cases() if battery is None else battery
    rows: list[Row] = []
    for case in battery:
        rows += measure(case, solvers=solvers, witness=witnesses)
        if progress is not None:
            progress(len(rows), len(battery) * len(solvers))
    return tuple(rows)


def measure(case: Case, *, solvers: Sequence[str] = SOLVERS, witness: bool = False) -> list[Row]:
    """One case with each solver."""
    from rateproof.verify.worstcase import Certificate, certify

    problem, known = model(case)
    lower = _attained(problem) if witness else None
    rows = []
    for solver in solvers:
        start = perf_counter()
        answer = certify(problem, solver=solver)
        proof, reason = (answer, "") if isinstance(answer, Certificate) else (None, answer.reason)
        rows.append(
            Row(
                case=case,
                solver=solver,
                known=known,
                tolerance=tolerance(problem, known),
                lower=lower,
                upper=None if proof is None else proof.upper,
                checked=proof is not None and proof.check(problem),
                reason=reason,
                seconds=perf_counter() - start,
            )
        )
    return rows


def _attained(problem: Model) -> Fraction | None:
    """The metric of an instance that is as bad as one could find; None when none was found."""
    from rateproof.verify.worstcase import WorstFunction, worst_function

    found = worst_function(problem)
    return found.lower if isinstance(found, WorstFunction) and found.check() else None
