"""Which schedule should I use? The paper's choice beside the best one, by bound and by measurement.

A paper takes part with a module ``tune`` (see :func:`rateproof.verify.registry.part`) that has ``TUNABLE``, the ids of
the claims with an explicit bound, and ``study(claim, settings)``, which returns a :class:`Study`. A paper whose horizon
may be something else than a number of rounds lists in ``HORIZONS`` what it may be, rounds first, and its ``study``
takes one of them as a third argument. Everything else is here.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cache, cached_property
from itertools import product
from types import ModuleType
from typing import Any

import sympy as sp

from rateproof.theory import catalog, symbols
from rateproof.theory.claim import Claim, expand_definitions
from rateproof.theory.design import (
    BestExponents,
    BestPoint,
    Minorant,
    Term,
    best_exponents,
    best_finite_horizon,
    worst_rate,
)
from rateproof.theory.symbols import R
from rateproof.verify import registry

Point = Mapping[sp.Symbol, float]
#: From a horizon to the value of a variable.
Rule = Callable[[float], float]
#: No constant but 0 is smaller, and none is larger than its reciprocal.
LEAST = 1e-60
#: What a horizon counts unless a paper says otherwise, and what else it may count.
ROUNDS, ITERATIONS = "rounds", "iterations"
#: Horizons at which the paper's schedule is tried: by bound, and by measurement.
BOUND_LIMIT, MEASURED_LIMIT = 1e60, 1e15


@dataclass(frozen=True)
class Question:
    """Which exponents of a schedule are best for some metrics.

    Attributes:
        title: which metrics, under which constraints.
        bounds: metric -> its bound along the schedule, as a function of ``variable``.
        exponents, constraints: as in :func:`rateproof.theory.design.best_exponents`.
        paper: the paper's exponents.
        values: numbers for other symbols in the rates.
        variable: the horizon.
    """

    title: str
    bounds: Mapping[str, sp.Expr]
    exponents: tuple[sp.Symbol, ...]
    constraints: tuple[sp.Rel, ...]
    paper: Mapping[sp.Symbol, Fraction]
    values: Mapping[sp.Symbol, object] = field(default_factory=dict)
    variable: sp.Symbol = R


@dataclass(frozen=True)
class Study:
    """What a paper knows about the schedule of one claim.

    Attributes:
        claim: the claim as printed.
        instance: the instance on which schedules are run, in one line.
        constants: its constants, for the reader.
        variables: stepsize first, last what trades the metrics against each other.
        bounds: metric -> explicit bound in the variables, the horizon and the symbols of ``exact``; all else is
            numbers. The claim's own metric comes first, then the one that must not suffer.
        constraints: name -> relation, likewise.
        questions: about exponents.
        paper: variable -> the paper's rule, in the horizon or as a function of it.
        conditions: name -> relation, the conditions that the paper attaches to its schedule.
        measure: (point, horizon) -> metric -> true value on the instance.
        exact: symbol -> its value at (point, horizon).
        minorants: symbol -> its minorant at a horizon.
        notes: how the bounds were read.
        alone: whether the claim's bound by itself has a minimum.
        horizon: the symbol of the horizon.
        counted: what the horizon counts, in the plural.
        whole: variables that are whole numbers, at least 1.
        reach: the largest horizon for which ``measure`` answers.
    """

    claim: Claim
    instance: str
    constants: Mapping[str, float]
    variables: tuple[sp.Symbol, ...]
    bounds: Mapping[str, sp.Expr]
    constraints: Mapping[str, sp.Rel]
    questions: tuple[Question, ...]
    paper: Mapping[sp.Symbol, sp.Expr | Rule]
    conditions: Mapping[str, sp.Rel]
    measure: Callable[[Point, float], Mapping[str, float]]
    exact: Mapping[sp.Symbol, Callable[[Point, float], float]] = field(default_factory=dict)
    minorants: Mapping[sp.Symbol, Callable[[float], Minorant]] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    alone: bool = True
    horizon: sp.Symbol = R
    counted: str = ROUNDS
    whole: tuple[sp.Symbol, ...] = ()
    reach: float = MEASURED_LIMIT

    @property
    def metric(self) -> str:
        """The metric that the claim bounds."""
        return next(iter(self.bounds))

    @property
    def letter(self) -> str:
        """How the horizon is printed."""
        return symbols.info(self.horizon, self.claim.paper).latex

    @property
    def other(self) -> str | None:
        """The metric that must not suffer."""
        return next(iter(list(self.bounds)[1:]), None)

    @cached_property
    def _compiled(self) -> dict[str, Callable[..., float]]:
        arguments = (*self.variables, *self.exact, self.horizon)
        relations = {**self.constraints, **self.conditions}
        sides = {f"{n}:{i}": side for n, r in relations.items() for i, side in enumerate(r.args)}
        return {n: sp.lambdify(arguments, e, modules="math") for n, e in (*self.bounds.items(), *sides.items())}

    @cached_property
    def _rules(self) -> dict[sp.Symbol, Rule]:
        rules = {v: self.paper[v] for v in self.variables}
        return {
            v: sp.lambdify(self.horizon, rule, modules="math") if isinstance(rule, sp.Expr) else rule
            for v, rule in rules.items()
        }

    def _at(self, name: str, point: Point, rounds: float) -> float:
        others = [value(point, rounds) for value in self.exact.values()]
        try:
            return float(self._compiled[name](*(point[v] for v in self.variables), *others, rounds))
        except (OverflowError, ZeroDivisionError):
            return math.inf

    def bound(self, metric: str, point: Point, rounds: float) -> float:
        """The explicit bound as printed, at a point."""
        return self._at(metric, point, rounds)

    def schedule(self, rounds: float) -> Point:
        """The paper's choice."""
        return {v: float(rule(rounds)) for v, rule in self._rules.items()}

    def refused(self, rounds: float) -> tuple[str, ...]:
        """Names of all conditions that the paper's choice breaks, its own and the bound's."""
        return self.violated(self.schedule(rounds), rounds, {**self.conditions, **self.constraints})

    def violated(self, point: Point, rounds: float, relations: Mapping[str, sp.Rel] | None = None) -> tuple[str, ...]:
        """Names of the constraints (or other known relations) that fail at a point, beyond rounding."""
        out = []
        for name in self.constraints if relations is None else relations:
            small, large = self.sides(name, point, rounds)
            if small > large * (1 + SLACK):
                out.append(name)
        return tuple(out)

    def sides(self, name: str, point: Point, rounds: float) -> tuple[float, float]:
        """The small and the large side of a constraint or condition at a point."""
        left, right = (self._at(f"{name}:{i}", point, rounds) for i in (0, 1))
        return (right, left) if {**self.constraints, **self.conditions}[name].rel_op == ">=" else (left, right)


@dataclass(frozen=True)
class Answer:
    """The best exponents beside the paper's.

    Attributes:
        question: what was asked.
        best: the best exponents with their proof.
        rate, log: what the paper's exponents reach.
        admissible: whether they satisfy the constraints.
    """

    question: Question
    best: BestExponents
    rate: Fraction
    log: Fraction
    admissible: bool

    @property
    def exponent(self) -> Fraction | None:
        """That of ``1/epsilon`` with the paper's exponents; None where some term never decays."""
        return 1 / self.rate if self.rate > 0 else None

    @property
    def optimal(self) -> bool:
        """Whether the paper's exponents are admissible and none beat their power of 1/epsilon."""
        return self.admissible and self.rate == self.best.rate


@dataclass(frozen=True)
class Choice:
    """One schedule at the horizon.

    Attributes:
        title: whose.
        point: the variables.
        bounds, measured: metric -> explicit bound and true value.
        refused: conditions that fail; the bound then promises nothing.
        solved: the certificate, for a choice that we made. In a study with minorants it is about an upper bound of the
            printed bound, and ``point`` comes from its optimum by a local search, without a certificate.
        promised, needed: rounds that the paper's schedule takes to reach this choice's bound, and its true value;
            None when no number up to the limit is enough.
    """

    title: str
    point: Point
    bounds: Mapping[str, float]
    measured: Mapping[str, float]
    refused: tuple[str, ...] = ()
    solved: BestPoint | None = None
    promised: float | None = None
    needed: float | None = None


PER_DECADE = 4
#: Titles: the least bound while the other metric's bound is kept, and without regard to it.
KEPT, ALONE = "best, kept", "best"
#: Two choices this close, relatively, are one. Rounding may break a condition by a relative error this small.
SAME, SLACK = 1e-3, 1e-9
FIRST = 3.0


def adapter(paper: str) -> ModuleType | None:
    """The paper's module ``tune``; None when it has none."""
    return registry.part(paper, "tune")


def study(claim_id: str, settings: Mapping[str, Fraction], counted: str = ROUNDS) -> Study:
    """The study of one claim, on the paper's default instance as changed by ``settings``.

    Args:
        claim_id: its id.
        settings: as :func:`parse` gives them.
        counted: what the horizon counts.

    Raises:
        ValueError: unknown claim, one without an explicit bound, a setting that is unknown or out of range, or a
            horizon that the paper does not count.
    """
    claim = catalog.get(claim_id)
    part = adapter(claim.paper)
    if part is None or claim_id not in part.TUNABLE:
        if part is not None and claim.amends in part.TUNABLE:
            raise ValueError(f"{claim_id} is a corrected reading; tune works on the printed claim, {claim.amends}")
        parts = registry.parts("tune").values() if part is None else [part]
        printed = dict.fromkeys(i for module in parts for i in module.TUNABLE if not catalog.get(i).amends)
        raise ValueError(f"{claim_id} has no explicit bound to tune; these have one: {', '.join(_grouped(printed))}")
    counts: tuple[str, ...] = part.HORIZONS if hasattr(part, "HORIZONS") else (ROUNDS,)
    if counted not in counts:
        raise ValueError(f"{claim_id} has no schedule for a number of {counted}; give one of {', '.join(counts)}")
    result: Study = part.study(claim, settings) if len(counts) == 1 else part.study(claim, settings, counted)
    return result


def _grouped(ids: Iterable[str]) -> list[str]:
    """Ids, those of one group together: ``strfedavg.prop3.*``."""
    groups: dict[str, list[str]] = {}
    for i in ids:
        groups.setdefault(".".join(i.split(".")[:2]), []).append(i)
    return [f"{g}.*" if len(members) > 1 else members[0] for g, members in groups.items()]


def parse(settings: Iterable[str]) -> dict[str, Fraction]:
    """``name=value`` pairs; a value is a number or a fraction, such as 1e-3 or 2/3.

    Raises:
        ValueError: no such pair; it is named.
    """
    out = {}
    for text in settings:
        name, sign, value = text.partition("=")
        try:
            if not sign or not name:
                raise ValueError
            size = abs(float(Fraction(value) if "/" in value else value))
            if size and not LEAST <= size <= 1 / LEAST:  # 1e999999999 as a fraction would take hours
                raise ValueError
            out[name] = Fraction(value)
        except (ValueError, ArithmeticError):
            wanted = f"a number, such as L_h=10 or a=2/3, that is 0 or of size {LEAST:g} to {1 / LEAST:g}"
            raise ValueError(f"--set {text} should be name=value with {wanted}") from None
    return out


def settle(
    given: Mapping[str, Fraction],
    defaults: Mapping[str, Fraction],
    *,
    counts: Collection[str] = (),
    nonnegative: Collection[str] = (),
    shares: Collection[str] = (),
    optional: Collection[str] = (),
    clients: tuple[str, int] | None = None,
) -> dict[str, Fraction]:
    """All settings of a study.

    Args:
        given: those that were given.
        defaults: what the others are.
        counts, nonnegative, shares: names of whole numbers from 1 on, of what may be 0, and of what lies in [0, 1]; all
            else is positive.
        optional: names of settings that have no default.
        clients: name of their number, and the largest that an instance is built with.

    Raises:
        ValueError: a setting is unknown or out of range.
    """
    names = (*defaults, *optional)
    for name, value in given.items():
        if name not in names:
            raise ValueError(catalog.unknown("setting", name, names))
        wanted, right = "positive", value > 0
        if name in counts:
            wanted, right = "a whole number, at least 1", value >= 1 and value.denominator == 1
        elif name in shares:
            wanted, right = "between 0 and 1", 0 <= value <= 1
        elif name in nonnegative:
            wanted, right = "at least 0", value >= 0
        if not right:
            raise ValueError(f"{name} = {float(value):g} should be {wanted}")
    chosen = {**defaults, **given}
    name, most = clients or ("", 0)
    if name and chosen[name] > most:
        number = float(chosen[name])
        raise ValueError(f"{name} = {number:g} should be at most {most:g}: the instance has {name} clients")
    return chosen


def halves(clients: int) -> tuple[int, ...]:
    """1 and -1 in turn, one a client, and 0 for the last of an odd number: two halves on either side of their mean."""
    return (1, -1) * (clients // 2) + (0,) * (clients % 2)


def spent(counted: str) -> str:
    """What a run costs beside what the horizon counts, in the plural."""
    return ITERATIONS if counted == ROUNDS else ROUNDS


def cost(counted: str) -> str:
    """The metric of that."""
    return f"{spent(counted).removesuffix('s')} count"


def no_dearer(exponent: sp.Symbol, paper: Fraction, counted: str) -> sp.Rel:
    """That with local steps like horizon^exponent a run costs no more than with the paper's."""
    compare = sp.Le if counted == ROUNDS else sp.Ge
    return compare(exponent, sp.Rational(paper), evaluate=False)


def limits(
    relations: Mapping[str, sp.Basic | None], at: Mapping[sp.Symbol, sp.Expr], variables: Collection[sp.Symbol]
) -> dict[str, sp.Rel]:
    """The inequalities on the variables among named relations, with definitions and numbers put in."""
    weak = {name: r for name, r in relations.items() if isinstance(r, sp.LessThan | sp.GreaterThan)}
    expanded = {name: expand_definitions(r, at) for name, r in weak.items()}
    return {name: r for name, r in expanded.items() if r.free_symbols & {*variables}}


def bound_of(source: Claim, failed: str | None) -> str:
    """A note: which claim has the bound, and why the one that ``failed`` has not."""
    why = "; ".join(reason.text for reason in source.why)
    return f"bound: {source.id}" + (f", as {failed} fails: {why}" if failed else "")


def answers(study: Study) -> list[Answer]:
    """The best exponents for each question."""
    out = []
    for q in study.questions:
        best = best_exponents(q.bounds, q.exponents, q.constraints, variable=q.variable, values=q.values)
        admissible = all(r.holds(q.paper) for r in best.ranges)
        out.append(Answer(q, best, *worst_rate(best.rates, q.paper), admissible))
    return out


def telling(study: Study, step: Callable[[str], None]) -> Study:
    """The same study, which says after every run how long that was."""

    def measure(point: Point, horizon: float) -> Mapping[str, float]:
        value = study.measure(point, horizon)
        step(f"runs on the instance, {study.letter} = {horizon:g}")
        return value

    return replace(study, measure=measure)


def choices(study: Study, rounds: float) -> tuple[list[Choice], list[str]]:
    """The paper's schedule and the best ones at a horizon, each with its bounds and what it really reaches.

    Returns:
        The choices, the paper's first, and for each that does not exist one line that says why.

    Raises:
        ValueError: the horizon is beyond the study's reach.
    """
    if rounds > study.reach:
        raise ValueError(
            f"{study.claim.id} is tuned for at most {math.floor(study.reach)} {study.counted}, as the method is run; "
            f"got {rounds:g}"
        )
    point = study.schedule(rounds)
    out, trouble = [_choice(study, "paper", point, rounds, refused=study.refused(rounds))], []
    for title, cap in _aims(study, out[0]):
        try:
            solved = _best(study, rounds, point, cap)
        except ValueError as error:
            trouble.append(f"{title}: {error}")
            continue
        chosen = _polished(study, rounds, solved.point, cap) if study.minorants else solved.point
        if any(c.solved and _close(c.point, chosen) for c in out):
            continue
        best = _choice(study, title, chosen, rounds, solved=solved)
        out.append(_with_rounds(study, best))
    return out, trouble


def _aims(study: Study, paper: Choice) -> Iterable[tuple[str, float | None]]:
    """Titles of the best choices, and what the other metric's bound may be."""
    if study.other is not None and math.isfinite(paper.bounds[study.other]):
        yield KEPT, paper.bounds[study.other]
    if study.alone:
        yield ALONE, None


def _close(left: Point, right: Point) -> bool:
    return all(math.isclose(left[v], right[v], rel_tol=SAME) for v in left)


def _best(study: Study, rounds: float, start: Point, cap: float | None) -> BestPoint:
    constraints = dict(study.constraints)
    if cap is not None and study.other is not None:
        constraints[f"bound on {study.other}"] = sp.Le(study.bounds[study.other], sp.Float(cap), evaluate=False)
    relaxed = best_finite_horizon(
        study.bounds[study.metric],
        study.variables,
        values={study.horizon: rounds},
        constraints=constraints,
        minorants={s: at(rounds) for s, at in study.minorants.items()},
        start=start,
    )
    return _rounded(study, rounds, relaxed, constraints) if study.whole else relaxed


def _polished(study: Study, rounds: float, start: Point, cap: float | None) -> Point:
    """A point at which the printed bound is no larger than at ``start``, by a local search; whole numbers stay.

    With minorants the programme minimises an upper bound of the printed one, so that its optimum is near the latter's.
    """
    from scipy.optimize import minimize

    limits = list(study.constraints)
    free = [v for v in study.variables if v not in study.whole]

    def at(x: Sequence[float]) -> Point:
        return {**start, **{v: math.exp(y) for v, y in zip(free, x, strict=True)}}

    def slacks(x: Sequence[float]) -> list[float]:
        point = at(x)
        pairs = [study.sides(name, point, rounds) for name in limits]
        if cap is not None and study.other is not None:
            pairs.append((study.bound(study.other, point, rounds), cap))
        return [large / small - 1 if small > 0 else large - small for small, large in pairs]

    def objective(x: Sequence[float]) -> float:
        return math.log(study.bound(study.metric, at(x), rounds))

    x0 = [math.log(start[v]) for v in free]
    near = [(x - 1, x + 1) for x in x0]
    try:
        done = minimize(
            objective,
            x0,
            method="SLSQP",
            bounds=near,
            constraints={"type": "ineq", "fun": slacks},
            options={"ftol": 1e-12},
        )
        better = objective(done.x) < objective(x0) and min(slacks(done.x), default=0.0) >= -SLACK
    except (ValueError, OverflowError):  # it left the region where the bound is a positive number
        return start
    return at(done.x) if better else start


def _rounded(study: Study, rounds: float, relaxed: BestPoint, constraints: Mapping[str, sp.Rel]) -> BestPoint:
    """The best point with whole numbers next to those of a point without; its gap is that to the latter's lower bound.

    A bound may be the same along a curve: 1 is tried too, and of numbers that are equally good the smaller are taken.

    Raises:
        ValueError: none of the whole numbers nearby are admissible.
    """
    near = [sorted({1, max(1, math.floor(relaxed.point[v])), math.ceil(relaxed.point[v])}) for v in study.whole]
    best: BestPoint | None = None
    for chosen in product(*near):
        fixed = dict(zip(study.whole, map(float, chosen), strict=True))
        solved = _with_fixed(study, rounds, relaxed, constraints, fixed)
        if solved is not None and (best is None or solved.value < best.value * (1 - SAME)):
            best = solved
    if best is None:
        raise ValueError(f"no whole {', '.join(map(str, study.whole))} near the best numbers is admissible")
    return replace(best, lower=min(relaxed.lower, best.value), programme=relaxed.programme, weights=relaxed.weights)


def _with_fixed(
    study: Study, rounds: float, relaxed: BestPoint, constraints: Mapping[str, sp.Rel], fixed: Point
) -> BestPoint | None:
    """The best of the other variables; None where there is none."""
    others = tuple(v for v in study.variables if v not in fixed)
    decided = {n for n, r in constraints.items() if not r.free_symbols & set(others)}
    values = {**fixed, study.horizon: rounds}
    numbers = {v: sp.Float(x) for v, x in values.items()}
    for name in decided:
        small, large = (float(side.xreplace(numbers)) for side in constraints[name].args)
        if constraints[name].rel_op == ">=":
            small, large = large, small
        if small > large * (1 + SLACK):
            return None

    def at_fixed(minorant: Minorant) -> Minorant:
        def inner(point: Mapping[sp.Symbol, float]) -> Term:
            term = minorant({**point, **fixed})
            factor = math.prod(fixed[v] ** float(q) for v, q in term.powers.items() if v in fixed)
            return Term(term.coefficient * Fraction(factor), {v: q for v, q in term.powers.items() if v not in fixed})

        return inner

    try:
        solved = best_finite_horizon(
            study.bounds[study.metric],
            others,
            values=values,
            constraints={n: r for n, r in constraints.items() if n not in decided},
            minorants={s: at_fixed(at(rounds)) for s, at in study.minorants.items()},
            start={v: relaxed.point[v] for v in others},
        )
    except ValueError:
        return None
    active = dict.fromkeys([*(n for n in relaxed.active if n in decided), *solved.active])
    return replace(solved, point={**solved.point, **fixed}, active=tuple(active))


def _choice(study: Study, title: str, point: Point, rounds: float, **rest: Any) -> Choice:
    bounds = {m: study.bound(m, point, rounds) for m in study.bounds}
    return Choice(title, point, bounds, study.measure(point, rounds), **rest)


def _with_rounds(study: Study, choice: Choice) -> Choice:
    metric = study.metric

    def promises(rounds: float) -> bool:
        low_enough = study.bound(metric, study.schedule(rounds), rounds) <= choice.bounds[metric]
        return low_enough and not study.refused(rounds)

    def reaches(rounds: float) -> bool:
        return study.measure(study.schedule(rounds), rounds)[metric] <= choice.measured[metric]

    needed = first_from(reaches, study.reach) if choice.measured[metric] > 0 else None
    return replace(choice, promised=first_from(promises, BOUND_LIMIT), needed=needed)


def first_from(holds: Callable[[float], bool], limit: float) -> float | None:
    """About the horizon from which on something holds, up to ``limit``; None when it does not hold there."""
    steps = int(PER_DECADE * math.log10(limit))
    holds = cache(holds)
    grid = [max(FIRST, math.floor(10 ** (k / PER_DECADE))) for k in range(2, steps + 1)]
    if not holds(grid[-1]):
        return None
    last = next((i for i in range(len(grid) - 1, -1, -1) if not holds(grid[i])), None)
    if last is None:
        return grid[0]
    low, high = grid[last], grid[last + 1]
    while high - low > max(1.0, 1e-3 * low):
        middle = math.floor((low * high) ** 0.5) if high > 4 * low else math.floor((low + high) / 2)
        low, high = (low, middle) if holds(middle) else (middle, high)
    return high


@dataclass(frozen=True)
class CurvePoint:
    """One point of the trade-off: the last variable, and both metrics with the stepsize that is best for it."""

    point: Point
    bounds: Mapping[str, float]
    measured: Mapping[str, float]


def curve(study: Study, chosen: Sequence[Choice], rounds: float, *, count: int = 41) -> list[CurvePoint]:
    """Both bounds and both metrics as the last variable varies, from well below the choices to well above."""
    step, *_, weight = study.variables
    marks = [c.point[weight] for c in chosen]
    low, high = math.log(min(marks)) - 3, math.log(max(marks)) + 1.5
    values = [math.exp(low + (high - low) * k / (count - 1)) for k in range(count)]
    if weight in study.whole:
        values = sorted({float(max(1, round(value))) for value in values})
    out = []
    for value in values:
        point = _best_step(study, {weight: value}, step, rounds)
        if point is not None:
            bounds = {m: study.bound(m, point, rounds) for m in study.bounds}
            out.append(CurvePoint(point, bounds, study.measure(point, rounds)))
    return out


def _best_step(study: Study, others: Point, step: sp.Symbol, rounds: float) -> Point | None:
    """The admissible stepsize that minimises the claim's bound; a posynomial is convex in the logarithm."""
    low, high = -70.0, 10.0
    if study.violated({**others, step: math.exp(low)}, rounds):
        return None
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (low, middle) if study.violated({**others, step: math.exp(middle)}, rounds) else (middle, high)
    low, high = -70.0, low
    for _ in range(120):
        left, right = low + (high - low) / 3, high - (high - low) / 3
        values = [study.bound(study.metric, {**others, step: math.exp(x)}, rounds) for x in (left, right)]
        low, high = (low, right) if values[0] <= values[1] else (left, high)
    return {**others, step: math.exp(low)}


def picture(study: Study, chosen: Sequence[Choice], points: Sequence[CurvePoint], rounds: float, kind: str) -> bytes:
    """The trade-off between the two levels: bounds as a line, true values as a dashed line, the choices marked.

    Args:
        found, chosen, rounds: as in :func:`choices`.
        points: of :func:`curve`.
        kind: png, pdf or svg.

    Raises:
        ValueError: the claim bounds a single metric, so that there is nothing to trade.
    """
    import io

    # Here, because it takes half a second; without pyplot, so that no global state is touched.
    from matplotlib.figure import Figure

    if study.other is None:
        raise ValueError(f"{study.claim.id} bounds {study.metric} alone; there is no trade-off to plot")
    x, y = study.other, study.metric
    figure = Figure(figsize=(6.4, 4.6), dpi=120, layout="constrained")
    ax = figure.subplots()
    ax.plot([p.bounds[x] for p in points], [p.bounds[y] for p in points], color="#0072b2", label="bounds")
    measured = [(p.measured[x], p.measured[y]) for p in points if p.measured[x] > 0 and p.measured[y] > 0]
    if measured:
        ax.plot(
            *zip(*measured, strict=True),
            color="#009e73",
            linestyle="--",
            label="true values, where positive (hollow marks)",
        )
    for c, (colour, marker) in zip(chosen, (("#000000", "o"), ("#d55e00", "s"), ("#cc79a7", "^")), strict=False):
        ax.plot(c.bounds[x], c.bounds[y], marker, color=colour, label=c.title, linestyle="none")
        if c.measured[x] > 0 and c.measured[y] > 0:
            ax.plot(c.measured[x], c.measured[y], marker, color=colour, markerfacecolor="none", linestyle="none")
    ax.set(xscale="log", yscale="log", xlabel=x, ylabel=y)
    ax.set_title(f"{study.claim.id}, {study.letter} = {rounds:g}", loc="left", fontsize="medium")
    ax.grid(alpha=0.25, linewidth=0.5)
    ax.legend(frameon=False, fontsize="small")
    buffer = io.BytesIO()
    figure.savefig(buffer, format=kind, metadata={"Software": None} if kind == "png" else None)
    return buffer.getvalue()
