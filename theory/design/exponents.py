"""Exponents of a schedule that minimise the worst complexity, by an exact linear programme.

Every term of a bound decays like ``R^-r`` with a rate ``r`` that is a linear form in the exponents of the schedule; a
term needs ``epsilon^(-1/r)`` rounds. The exponents that minimise the worst complexity maximise the least rate, a linear
programme in few variables: it is solved by enumerating vertices over the rationals, and its optimality is an identity
that :func:`check_multipliers` verifies.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from operator import mul
from typing import Any

import sympy as sp

from rateproof.theory import symbols
from rateproof.theory.asymptotics import Monomial, monomials
from rateproof.theory.asymptotics.domain import unambiguous
from rateproof.theory.linear import echelon, rational, solve


@dataclass(frozen=True)
class Form:
    """A linear form: ``constant + sum coefficients[v] v``, over the rationals."""

    constant: Fraction
    coefficients: Mapping[sp.Symbol, Fraction]

    def at(self, point: Mapping[sp.Symbol, Fraction]) -> Fraction:
        """Its value.

        Raises:
            ValueError: the point has no value for a symbol; it is named.
        """
        if missing := self.coefficients.keys() - point.keys():
            raise ValueError(f"the form {_shown(self)} needs a value for {', '.join(sorted(map(str, missing)))}")
        return self.constant + sum(c * point[v] for v, c in self.coefficients.items())


@dataclass(frozen=True)
class Rate:
    """How fast one term of a bound decays: like ``R^-form (ln R)^log``."""

    metric: str
    term: Monomial
    form: Form
    log: Fraction

    def __str__(self) -> str:
        return f"{self.metric}: {self.term}"


@dataclass(frozen=True)
class Range:
    """A constraint on the exponents, ``form >= 0`` (``= 0`` for an equality); a strict one is closed and marked."""

    relation: sp.Rel
    form: Form

    @property
    def strict(self) -> bool:
        """Whether the printed relation excludes equality."""
        return self.relation.rel_op in ("<", ">")

    @property
    def equality(self) -> bool:
        """Whether it is an equation."""
        return self.relation.rel_op == "=="

    def holds(self, point: Mapping[sp.Symbol, Fraction]) -> bool:
        """Whether the relation as printed holds."""
        value = self.form.at(point)
        return value == 0 if self.equality else value > 0 or (value == 0 and not self.strict)

    def __str__(self) -> str:
        return str(self.relation)


@dataclass(frozen=True)
class BestExponents:
    """Exponents that minimise the worst complexity, with the proof that none does better.

    Attributes:
        values: the exponents; where the best ones are not unique, the mean of the best vertices.
        rate: the least rate that they reach; the complexity is ``epsilon^(-1/rate)`` up to logarithms. Where it is not
            positive, no exponents make every term decay.
        log: exponent of ``ln(1/epsilon)`` in the complexity, the largest of the terms that attain it.
        rates, ranges: what was asked.
        active: the terms that decay no faster than ``R^-rate``, and the constraints that hold with equality.
        multipliers: of the rates and of the constraints, in their order; see :func:`check_multipliers`.
    """

    values: Mapping[sp.Symbol, Fraction]
    rate: Fraction
    log: Fraction
    rates: tuple[Rate, ...]
    ranges: tuple[Range, ...]
    active: tuple[Rate | Range, ...]
    multipliers: tuple[Fraction, ...]

    @property
    def exponent(self) -> Fraction | None:
        """Exponent of ``1/epsilon`` in the worst complexity; None where some term never decays."""
        return 1 / self.rate if self.rate > 0 else None

    @property
    def excluded(self) -> tuple[Range, ...]:
        """Strict constraints that hold with equality at every optimum: it is then approached and not attained.

        A constraint with a positive multiplier is zero wherever the rate is reached.
        """
        weights = self.multipliers[len(self.rates) :]
        return tuple(r for r, m in zip(self.ranges, weights, strict=True) if r.strict and m > 0)

    @property
    def proof(self) -> str:
        """The multipliers as an identity: the weighted mean of rates, plus nonnegative terms, is the optimal rate."""
        forms = [part.form for part in self.rates] + [part.form for part in self.ranges]
        parts = [f"{m} ({_shown(form)})" for m, form in zip(self.multipliers, forms, strict=True) if m]
        return f"{' + '.join(parts)} = {self.rate}"


def best_exponents(
    bounds: Mapping[str, sp.Expr],
    exponents: Sequence[sp.Symbol],
    constraints: Iterable[sp.Rel] = (),
    *,
    variable: sp.Symbol = symbols.R,
    values: Mapping[sp.Symbol, object] | None = None,
) -> BestExponents:
    """Exponents of a schedule that minimise the largest complexity over several bounds.

    Args:
        bounds: name of a metric -> its bound along the schedule, as a function of ``variable`` and the exponents.
        exponents: the symbols to choose, at most four. Each needs a constraint that keeps it bounded from one side.
        constraints: linear relations between the exponents; strict ones are closed.
        variable: the horizon, which tends to infinity.
        values: rational numbers for other symbols in the rates (kappa, a fixed p).

    Raises:
        ValueError: a rate is not linear in the exponents (it is named), or the constraints contradict each other.
    """
    if not bounds or not 1 <= len(exponents) <= 4:
        raise ValueError(f"best exponents need a bound and 1 to 4 exponents; got {len(bounds)} and {len(exponents)}")
    rates = term_rates(bounds, exponents, variable=variable, values=values)
    ranges = _ranges(constraints, exponents, values or {})
    vertices = list(_vertices(rates, ranges, exponents))
    if not vertices:
        raise ValueError(
            f"the constraints on {', '.join(map(str, exponents))} contradict each other or leave a direction free: "
            f"{'; '.join(map(str, ranges)) or 'none given'}"
        )
    best = max(rate for _, rate, _ in vertices)
    certificates = [m for _, rate, m in vertices if rate == best and m is not None]
    if not certificates:
        raise ValueError("the rates grow without limit under these constraints; bound the exponents from above")
    strict = [i for i, r in enumerate(ranges, start=len(rates)) if r.strict]
    certificate = max(certificates, key=lambda m: sum(m[i] > 0 for i in strict))
    check_multipliers(rates, ranges, certificate, best)
    corners = {tuple(point[v] for v in exponents): point for point, rate, _ in vertices if rate == best}
    mean = {v: sum((p[v] for p in corners.values()), Fraction(0)) / len(corners) for v in exponents}
    tight = tuple(r for r in rates if r.form.at(mean) == best)
    bounding = tuple(r for r in ranges if r.form.at(mean) == 0)
    return BestExponents(
        values=mean,
        rate=best,
        log=max(r.log for r in tight) / best if best > 0 else Fraction(0),
        rates=rates,
        ranges=ranges,
        active=(*tight, *bounding),
        multipliers=certificate,
    )


def _ranges(
    constraints: Iterable[sp.Rel], exponents: Sequence[sp.Symbol], values: Mapping[sp.Symbol, object]
) -> tuple[Range, ...]:
    """The constraints, and those that the exponents' own signs say: sympy turns ``b > 0`` of a positive b into True."""
    given = list(constraints)
    unambiguous(*given, *exponents, *values)
    if sp.false in given:
        raise ValueError("a constraint is False for every choice; compare its two sides with the signs of the symbols")
    signs = [
        sp.Gt(v, 0, evaluate=False) if v.is_positive else sp.Ge(v, 0, evaluate=False)
        for v in exponents
        if v.is_nonnegative
    ]
    found: dict[tuple[Any, ...], Range] = {}
    for r in [*(r for r in given if r != sp.true), *signs]:
        form = _form(_difference(r), exponents, values, str(r))
        key = (form.constant, *sorted((str(v), c) for v, c in form.coefficients.items() if c), r.rel_op == "==")
        found.setdefault(key, Range(r, form))
    return tuple(found.values())


def term_rates(
    bounds: Mapping[str, sp.Expr],
    exponents: Sequence[sp.Symbol],
    *,
    variable: sp.Symbol = symbols.R,
    values: Mapping[sp.Symbol, object] | None = None,
) -> tuple[Rate, ...]:
    """The rate of every term of the bounds, from their expansion in monomials.

    Raises:
        ValueError: a bound has no expansion, or a rate is not linear in the exponents; it is named.
    """
    unambiguous(*map(sp.sympify, bounds.values()), *exponents, variable, *(values or {}))
    out: dict[object, Rate] = {}
    for metric, bound in bounds.items():
        for term in monomials(bound, variable):
            what = f"the rate of {term} in the bound on {metric}"
            form = _form(-term.power(variable), exponents, values or {}, what)
            log = _form(term.log_power(variable), (), values or {}, what).constant
            # terms that differ in constants only decay alike
            key = (metric, form.constant, frozenset(form.coefficients.items()), log)
            out.setdefault(key, Rate(metric, term, form, log))
    return tuple(out.values())


def worst_rate(rates: Iterable[Rate], point: Mapping[sp.Symbol, Fraction]) -> tuple[Fraction, Fraction]:
    """Least rate at given exponents, and the exponent of ``ln(1/epsilon)`` that comes with it (0 if nothing decays)."""
    found = [(r.form.at(point), r.log) for r in rates]
    least = min(rate for rate, _ in found)
    return least, max(log for rate, log in found if rate == least) / least if least > 0 else Fraction(0)


def check_multipliers(
    rates: Sequence[Rate], ranges: Sequence[Range], multipliers: Sequence[Fraction], rate: Fraction
) -> None:
    """Verify that no admissible exponents reach a larger least rate than ``rate``.

    Multipliers that are nonnegative (free for an equality), sum to one over the rates, and satisfy the identity
    ``sum m_j rate_j + sum m_k constraint_k = rate`` prove it: the least rate is at most the weighted mean, and the
    constraints are nonnegative.

    Raises:
        ValueError: what is wrong with the multipliers.
    """
    parts: tuple[Rate | Range, ...] = (*rates, *ranges)
    if len(multipliers) != len(parts):
        raise ValueError(f"{len(multipliers)} multipliers for {len(parts)} rates and constraints")
    for part, m in zip(parts, multipliers, strict=True):
        if m < 0 and not (isinstance(part, Range) and part.equality):
            raise ValueError(f"multiplier {m} of {part} is negative")
    if (total := sum(multipliers[: len(rates)])) != 1:
        raise ValueError(f"the multipliers of the rates sum to {total}, not to 1")
    for v in {v for part in parts for v in part.form.coefficients}:
        weight = sum(m * part.form.coefficients.get(v, 0) for m, part in zip(multipliers, parts, strict=True))
        if weight:
            raise ValueError(f"{v} does not cancel: the weighted sum holds {weight} {v}")
    constant = sum(m * part.form.constant for m, part in zip(multipliers, parts, strict=True))
    if constant != rate:
        raise ValueError(f"the weighted sum is {constant}, not {rate}")


def _difference(relation: sp.Rel) -> sp.Expr:
    """The side that is nonnegative."""
    if not isinstance(relation, sp.Rel) or relation.rel_op == "!=":
        raise ValueError(f"constraint {relation} should be an inequality or an equation")
    if relation.rel_op in ("<", "<="):
        return relation.rhs - relation.lhs
    return relation.lhs - relation.rhs


def _form(expr: sp.Expr, variables: Sequence[sp.Symbol], values: Mapping[sp.Symbol, object], what: str) -> Form:
    expr = sp.expand(sp.sympify(expr).xreplace({v: sp.nsimplify(x, rational=True) for v, x in values.items()}))
    coefficients = {v: expr.coeff(v) for v in variables}
    constant = sp.expand(expr - sum(c * v for v, c in coefficients.items()))
    if not all(c.is_Rational for c in (constant, *coefficients.values())):
        raise ValueError(f"{what}, {expr}, is not linear in {', '.join(map(str, variables)) or 'numbers'}")
    return Form(rational(constant), {v: rational(c) for v, c in coefficients.items() if c})


def _vertices(
    rates: Sequence[Rate], ranges: Sequence[Range], exponents: Sequence[sp.Symbol]
) -> Iterator[tuple[dict[sp.Symbol, Fraction], Fraction, tuple[Fraction, ...] | None]]:
    """Vertices of ``{(x, t): t <= rate_j(x), constraint_k(x) >= 0}``, with multipliers where these prove optimality.

    A vertex comes once for every set of constraints that determines it: at an optimal one, one of the sets does.
    """
    parts: tuple[Rate | Range, ...] = (*rates, *ranges)
    always = [i for i, part in enumerate(parts) if isinstance(part, Range) and part.equality]
    others = [i for i in range(len(parts)) if i not in always]
    # row . (x, t) + constant >= 0; the objective is t
    rows = [
        [part.form.coefficients.get(v, Fraction(0)) for v in exponents]
        + [Fraction(-1 if isinstance(part, Rate) else 0)]
        for part in parts
    ]
    constants = [part.form.constant for part in parts]
    size = len(exponents) + 1
    for chosen in combinations(others, max(0, size - len(always))):
        basis = [*always, *chosen]
        pivots, reduced = echelon([dict(enumerate([*rows[i], -constants[i]])) for i in basis], range(size + 1))
        if pivots != tuple(range(size)):
            continue
        solution = [row.get(size, Fraction(0)) for row in reduced]
        if any(sum(map(mul, row, solution)) + c < 0 for row, c in zip(rows, constants, strict=True)):
            continue
        # stationarity: the multipliers' combination of rows is -(0, ..., 0, 1)
        transposed = [[rows[i][j] for i in basis] for j in range(size)]
        weights = solve(transposed, [Fraction(0)] * (size - 1) + [Fraction(-1)])
        dual = None
        if weights is not None and all(w >= 0 for i, w in zip(basis, weights, strict=True) if i not in always):
            by_index = dict(zip(basis, weights, strict=True))
            dual = tuple(by_index.get(i, Fraction(0)) for i in range(len(parts)))
        yield dict(zip(exponents, solution, strict=False)), solution[-1], dual


def _shown(form: Form) -> str:
    return str(
        sum((sp.Rational(c.numerator, c.denominator) * v for v, c in form.coefficients.items()), sp.S.Zero)
        + sp.Rational(form.constant.numerator, form.constant.denominator)
    )
