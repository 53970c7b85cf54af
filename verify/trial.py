"""A trial is one instance with everything measured on it; a claim is evaluated without knowing where it came from."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from typing import Any, Protocol

import numpy as np
import sympy as sp

from rateproof.theory.claim import Claim, Hypothesis, conjuncts
from rateproof.theory.probability import (
    OUTCOMES,
    Chance,
    Pr,
    as_number,
    beside,
    chance,
    chances,
    drawn,
    event_of,
    names_beside,
    of_each,
    outcomes,
)
from rateproof.theory.symbols import most
from rateproof.verify.evidence import ROUNDING, Level, ratio, standing

# A violation must exceed this fraction of the larger side, whatever the error that a trial states.
MARGIN = {Level.CERTIFICATE: 0.0, Level.EXACT: 1e-9, Level.FLOAT: 1e-6, Level.STATISTICAL: 0.0}


class Fact(Protocol):
    """Whether a structural hypothesis holds on an instance, and why."""

    @property
    def holds(self) -> bool:
        """Whether it holds."""

    @property
    def why(self) -> str:
        """The reason, one short sentence."""


@dataclass(frozen=True)
class Trial:
    """One instance, its constants and what was measured on it.

    Attributes:
        label: the family and its parameters in round numbers.
        values: symbol name -> number, for constants, schedule values and metrics. A derived symbol may be given too;
            it then takes precedence over its definition. A metric that is drawn has a tuple of values, one for each
            outcome, and ``Pr`` the probabilities of these.
        facts: structural hypothesis key -> whether it holds and why.
        level: of the metrics. Plain floats unless said: see :meth:`exact`.
        error: relative error bound of the sides of the statement.
        absolute_error: absolute error bound of the sides, for metrics that are small differences of large numbers.
            When none is stated, none is added, but of floats: a violation by less than 1e-11 times the size of the
            terms of the sides, or of 1, then says nothing.
        at: what reproduces the instance (JSON-able).
        degenerate: the instance is a degenerate one (X_h* is the whole space, h constant, ...).
        error_probability: for metrics estimated from samples.
        numbers: the values as exact numbers (``fmpq`` or ``arb``) where they are known. The instance then counts as a
            violation only where exact arithmetic says so, hypotheses included.
    """

    label: str
    values: Mapping[str, Any]
    facts: Mapping[str, Fact]
    level: Level = Level.FLOAT
    error: float = 1e-12
    at: Mapping[str, Any] = field(default_factory=dict)
    degenerate: bool = False
    error_probability: float = 0.0
    absolute_error: float | None = None
    numbers: Mapping[str, Any] | None = field(default=None, repr=False, compare=False)

    @classmethod
    def exact(cls, label: str, values: Mapping[str, Any], facts: Mapping[str, Fact], **more: Any) -> Trial:
        """A trial of closed forms or exact expectations: sides are right up to ``error`` of their size, at any size.

        That cannot be said of a metric such as ``f(x_k) - f(x*)``, which loses its digits as it gets small.
        """
        return cls(label, values, facts, Level.EXACT, **more)

    @property
    def rounds(self) -> bool:
        """Its numbers are floats of which no absolute error is known."""
        return self.level is Level.FLOAT and self.absolute_error is None

    def limits(self, scale: float) -> dict[str, float]:
        """How far :func:`rateproof.verify.evidence.standing` lets sides go that are made of terms of this size."""
        return {
            "error": 10 * self.error,
            "absolute": 10 * (self.absolute_error or 0.0),
            "margin": MARGIN[self.level],
            "rounding": 10 * ROUNDING * max(1.0, scale) if self.rounds else 0.0,
        }

    def __post_init__(self) -> None:
        if self.level is Level.STATISTICAL and not 0 < self.error_probability <= 1:
            raise ValueError(
                f"statistical trial {self.label!r} needs an error probability in (0, 1], got {self.error_probability}"
            )


@dataclass(frozen=True)
class Side:
    """One evaluated conjunct ``lhs <= rhs``.

    Attributes:
        lhs, rhs: the side that should be the smaller one, and the other; of ``a >= b`` these are b and a.
        relation: the conjunct as it is stated.
        turned: ``rhs`` is its left side.
        scale: size of the largest terms of the two.
        stated: both sides of the relation as it is stated, where ``lhs`` and ``rhs`` are what these leave to 1.
        empty: it would hold whatever was measured, as its bound is no smaller than the largest value there can be.
    """

    lhs: float
    rhs: float
    relation: sp.Rel
    turned: bool = False
    scale: float = 0.0
    stated: tuple[float, float] | None = None
    empty: bool = False

    @property
    def ratio(self) -> float:
        """See :func:`rateproof.verify.evidence.ratio`."""
        return ratio(self.lhs, self.rhs)

    @property
    def strict(self) -> bool:
        """Equal sides violate it."""
        return self.relation.rel_op in ("<", ">")

    @property
    def printed(self) -> tuple[float, float]:
        """Left and right side of the relation as it is stated."""
        if self.stated is not None:
            return self.stated
        return (self.rhs, self.lhs) if self.turned else (self.lhs, self.rhs)

    def standing(self, trial: Trial) -> str:
        """See :func:`rateproof.verify.evidence.standing`."""
        return standing(self.lhs, self.rhs, self.strict, **trial.limits(self.scale))


@dataclass(frozen=True)
class Outcome:
    """A claim evaluated on a trial.

    ``failed`` names the hypotheses that do not hold (with the reason), ``open`` those that cannot be evaluated;
    the trial is admissible when both are empty. ``sides`` are the conjuncts that could be evaluated,
    ``missing`` the symbols that kept others from being evaluated.
    """

    failed: Mapping[str, str]
    open: Mapping[str, str]
    holds: Mapping[str, str]
    sides: tuple[Side, ...]
    missing: frozenset[str]

    @property
    def admissible(self) -> bool:
        """Every hypothesis was evaluated and holds."""
        return not self.failed and not self.open

    @property
    def worst(self) -> Side | None:
        """The conjunct with the largest ratio; None when none could be evaluated."""
        usable = [s for s in self.sides if not math.isnan(s.ratio)]
        return max(usable, key=lambda s: s.ratio, default=None)


# A level that leaves less than this for failing is compared by what it leaves: a float near 1 has lost it.
NEAR_SURE = 1e-6
# Stands for a positive number that is too small for a float.
TINY = math.ulp(0.0)
# A hypothesis met with equality (a stepsize at its cap) must not fail by rounding.
HYPOTHESIS_SLACK = 1e-12


def evaluate(claim: Claim, trial: Trial) -> Outcome:
    """Evaluate every hypothesis and the statement of a claim on a trial."""
    values = _Values(claim, trial.values)
    failed: dict[str, str] = {}
    unknown: dict[str, str] = {}
    holds: dict[str, str] = {}
    for hypothesis in claim.hypotheses:
        try:
            ok, why = _hypothesis(hypothesis, trial, values)
        except KeyError as gap:
            unknown[hypothesis.key] = f"{hypothesis.text}: {gap.args[0]} is not known on this instance"
            continue
        (holds if ok else failed)[hypothesis.key] = why
    sides: list[Side] = []
    missing: set[str] = set()
    for relation in conjuncts(claim.statement):
        if relation.rel_op == "!=":
            raise ValueError(f"a statement bounds something or is an equation; {relation} is neither")
        try:
            found = [_sides(relation, at, trial) for at in values.cases(relation)]
        except KeyError as gap:
            missing.add(gap.args[0])
            continue
        # of several outcomes the worst
        sides += (max(one, key=lambda side: (side.ratio == side.ratio, side.ratio)) for one in zip(*found, strict=True))
    outcome = Outcome(failed, unknown, holds, tuple(sides), frozenset(missing))
    if trial.numbers is not None and outcome.admissible and any(s.standing(trial) == "violated" for s in sides):
        return _confirmed(claim, trial, outcome)
    return outcome


def _sides(relation: sp.Rel, values: _Values, trial: Trial) -> list[Side]:
    """A relation evaluated: once, an equation in both directions."""
    lhs, rhs = values.sides(relation)
    said = _failing(relation) if trial.numbers is not None else None
    if said is not None and (left := values.number(said.fails)) < NEAR_SURE:
        failing = values.chance(said.event, fails=True)
        # of chances that are too small for a float exact arithmetic has to say which one is larger
        return [Side(float(failing > 0) if left <= TINY else failing, left, relation, stated=(lhs, rhs))]
    # asked for only where sides are in doubt
    scale = max(map(values.size, relation.args)) if trial.rounds and not _clear(lhs, rhs, relation.rel_op) else 0.0
    empty = values.says_nothing(relation)
    upper = [Side(lhs, rhs, relation, scale=scale, empty=empty)] if relation.rel_op not in (">=", ">") else []
    lower = (
        [Side(rhs, lhs, relation, turned=True, scale=scale, empty=empty)] if relation.rel_op not in ("<=", "<") else []
    )
    return upper + lower


@lru_cache(maxsize=1024)
def _failing(relation: sp.Rel) -> Chance | None:
    """What a relation ``Pr(event) >= p`` leaves for the event to fail; None of any other relation."""
    said = chance(relation)
    return said if said is not None and said.tail is None else None


def symbol_values(claim: Claim, trial: Trial) -> dict[str, float]:
    """The numbers of all symbols that a claim uses, derived ones included, by name; what is not known is left out.

    Of what is drawn it is the mean.
    """
    values, numbers = _Values(claim, trial.values), {}
    for name in sorted(map(str, claim.symbols)):
        with suppress(KeyError):
            numbers[name] = math.fsum(p * at(name) for p, at in values.outcomes) if values.drawn else values(name)
    return numbers


def _confirmed(claim: Claim, trial: Trial, outcome: Outcome) -> Outcome:
    """The outcome, inadmissible where exact arithmetic finds a hypothesis to fail or the statement to hold."""
    from rateproof.verify.counterexamples import replay

    with replay.precisely():
        numbers = dict(trial.numbers or {})
        rest = ((name, x) for name, x in trial.values.items() if name not in numbers and np.isfinite(x).all())
        doubt = replay.doubt(claim, numbers | {name: of_each(replay.exactly, x) for name, x in rest})
    return replace(outcome, failed={"exact arithmetic": doubt}) if doubt else outcome


def _clear(lhs: float, rhs: float, op: str) -> bool:
    return (op in ("<=", "<") and lhs < rhs) or (op in (">=", ">") and lhs > rhs)


class _Values:
    """Numbers for symbols: measured ones first, else their definitions.

    A symbol without a number, or whose number is NaN, is a KeyError: nothing is known about it. So is one that is
    drawn: it has a number at each outcome.
    """

    def __init__(self, claim: Claim, measured: Mapping[str, Any]) -> None:
        self.claim = claim
        self.measured = measured
        self.where = _definitions(claim)
        self.drawn = drawn(measured)
        self.cache: dict[str, float] = {}

    @cached_property
    def outcomes(self) -> list[tuple[float, _Values]]:
        """The values at all that can be drawn, with the probability of each."""
        if not self.drawn:
            return [(1.0, self)]
        return [(float(p), _Values(self.claim, numbers)) for p, numbers in outcomes(self.measured)]

    def cases(self, relation: sp.Rel) -> list[_Values]:
        """The values at which a relation has to hold: all outcomes where it speaks of what is drawn."""
        if not self.drawn or relation.has(Pr) or self.drawn.isdisjoint(names_beside(relation, self.where)):
            return [self]
        return [at for _, at in self.outcomes]

    def chance(self, event: Iterable[sp.Rel], *, fails: bool = False) -> float:
        """The probability of an event, or that it fails."""
        holds = ((p, all(compare(x, r.rel_op, y) for r in event for x, y in [at.sides(r)])) for p, at in self.outcomes)
        return math.fsum(p for p, held in holds if held is not fails)

    def says_nothing(self, relation: sp.Rel) -> bool:
        """Whether a relation holds whatever is measured: see :func:`rateproof.theory.symbols.most`.

        So does one that bounds a probability by 0 from below or by 1 from above.
        """
        if (of := chance(relation)) is not None:
            sure = of.tail is None and all(at.says_nothing(r) for _, at in self.outcomes for r in of.event)
            return sure or self.number(of.fails) >= 1
        if relation.rel_op not in ("<=", ">="):
            return False
        small, large = relation.args if relation.rel_op == "<=" else reversed(relation.args)
        largest = most(small, self.claim.paper)
        return largest < math.inf and self.number(large) >= largest

    def __call__(self, name: str) -> float:
        if name in self.cache:
            return self.cache[name]
        if name in self.measured and name not in self.drawn and name != OUTCOMES:
            value = float(self.measured[name])
        elif name in self.where:
            value = self.number(self.where[name])
        else:
            raise KeyError(name)
        if value != value:
            raise KeyError(name)
        self.cache[name] = value
        return value

    def number(self, expr: sp.Basic) -> float:
        if expr.is_Symbol:
            return self(expr.name)
        expr, inside = _opened(expr)
        for one in inside:
            self.cache[str(as_number(one))] = self.chance(event_of(one))
        names, function = _compile(expr)
        known = self.cache
        numbers = [known[name] if name in known else self(name) for name in names]
        try:
            value = function(*numbers)
        except (ZeroDivisionError, OverflowError, ValueError, TypeError):
            # Once more with IEEE rules: 1/0 and overflow are infinities with a sign, inf - inf and log(-1) NaN.
            with np.errstate(all="ignore"):
                value = _compile(expr, "numpy")[1](*map(np.float64, numbers))
        # A root of a negative number: the printed bound is not defined here.
        number = math.nan if isinstance(value, complex) else float(value)
        return math.copysign(TINY, number) if number == 0 and numbers and _underflows(expr, numbers) else number

    def size(self, expr: sp.Basic) -> float:
        """Size of the terms that a number is a sum or difference of: its rounding error is a share of this."""
        match expr:
            case sp.Symbol() if str(expr) not in self.measured and str(expr) in self.where:
                return self.size(self.where[str(expr)])
            case sp.Add():
                return math.fsum(map(self.size, expr.args))
            case sp.Mul():
                return math.prod(map(self.size, expr.args))
        size = abs(self.number(expr))
        return size if math.isfinite(size) else 0.0

    def sides(self, relation: sp.Rel) -> tuple[float, float]:
        return self.number(relation.args[0]), self.number(relation.args[1])


# Claims are not hashable (they hold mappings); the claim is kept beside its id so that an id is never reused.
_DEFINITIONS: dict[int, tuple[Claim, dict[str, sp.Expr]]] = {}


def _definitions(claim: Claim) -> dict[str, sp.Expr]:
    if id(claim) not in _DEFINITIONS:
        _DEFINITIONS[id(claim)] = (claim, {str(s): e for s, e in claim.where.items()})
    return _DEFINITIONS[id(claim)][1]


@lru_cache(maxsize=65536)
def _opened(expr: sp.Basic) -> tuple[sp.Basic, list[Pr]]:
    """An expression with symbols in the place of the probabilities in it, and these."""
    return beside(expr), chances(expr)


@lru_cache(maxsize=65536)
def _compile(expr: sp.Basic, modules: str = "math") -> tuple[tuple[str, ...], Callable[..., float]]:
    if expr.has(sp.Sum):
        expr = expr.doit()
        if expr.has(sp.Sum):
            # No closed form, and too long to loop over: whoever builds the trial gives its value.
            raise KeyError(str(expr))
    symbols = sorted(expr.free_symbols, key=str)
    return tuple(map(str, symbols)), sp.lambdify(symbols, expr, modules=modules)


def _underflows(expr: sp.Basic, numbers: Iterable[float]) -> bool:
    """Whether an expression whose value is 0 as a float is too small for a float only."""
    try:
        with np.errstate(all="ignore", under="raise"):
            _compile(expr, "numpy")[1](*map(np.float64, numbers))
    except FloatingPointError:
        return True
    return False


def _hypothesis(hypothesis: Hypothesis, trial: Trial, values: _Values) -> tuple[bool, str]:
    if hypothesis.relation is None:
        if hypothesis.key not in trial.facts:
            raise KeyError(f"fact {hypothesis.key!r}")
        fact = trial.facts[hypothesis.key]
        return fact.holds, fact.why
    ok, shown = True, []
    for relation in conjuncts(hypothesis.relation):
        found = [at.sides(relation) for at in values.cases(relation)]
        holds = [compare(left, relation.rel_op, right) for left, right in found]
        lhs, rhs = found[holds.index(False) if False in holds else 0]
        ok = ok and all(holds)
        shown.append(f"{lhs:.6g} {relation.rel_op} {rhs:.6g}")
    return ok, f"{hypothesis.text}: {' and '.join(shown)}"


def compare(lhs: float, op: str, rhs: float) -> bool:
    """Whether a relation between two numbers holds; equality may be missed by rounding, and NaN satisfies nothing."""
    slack = HYPOTHESIS_SLACK * max(abs(lhs), abs(rhs))
    if math.isnan(lhs) or math.isnan(rhs):
        return False
    if math.isinf(slack):
        slack = 0.0
    match op:
        case "<=":
            return lhs <= rhs + slack
        case ">=":
            return lhs >= rhs - slack
        case "<":
            return lhs < rhs
        case ">":
            return lhs > rhs
        case "==":
            return abs(lhs - rhs) <= slack
        case "!=":
            return lhs != rhs
    raise ValueError(f"unknown relation {op!r}")
