"""A space of instances for a claim about real numbers: its symbols, drawn at will.

That is a family of instances only where every symbol is universally quantified. What a run measures is not: a metric
such as ``h(x) - h*`` obeys more than its symbol says. Metrics carry no sign assumption and structural hypotheses speak
of functions and methods, so a claim with either is refused, as is one about a statement itself (a property). A step
from displayed relations to another one is about numbers all the same where it uses of its metrics what its hypotheses
say and nothing else; its paper says so (``metrics=True``).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product
from typing import TYPE_CHECKING, Any

import sympy as sp

from rateproof.theory.claim import Claim, Kind, conjuncts
from rateproof.theory.symbols import C_O, R
from rateproof.verify.deciders.growth import Ladder, with_unit_constant
from rateproof.verify.spaces.many_digits import LongSumError, precisely, total_of
from rateproof.verify.spaces.named_sums import open_sums, with_named_sums
from rateproof.verify.spaces.space import Space
from rateproof.verify.trial import Outcome, Trial, evaluate

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

#: A symbol's name -> whether its number is a multiple of what a hypothesis ties it to, and the number.
Point = Mapping[str, tuple[bool, float]]

MULTIPLES = (1.0, 0.5, 2.0, 0.9, 1.1, 1.5, 0.1, 10.0)
LOW, HIGH, MOST = 1e-3, 1e3, 1000
DIGITS = 60
RUNGS = tuple(range(13))


@dataclass(frozen=True)
class Tie:
    """A hypothesis on one symbol in terms of others: an equation (``power`` 0), an upper (1) or a lower (-1) bound."""

    symbol: sp.Symbol
    value: sp.Expr
    power: int

    def multiple(self, x: float) -> float:
        """For ``x <= 1`` a multiple of the value that the hypothesis admits."""
        return x**self.power


def symbolic_space(claim: Claim, *, metrics: bool = False) -> Space[Point]:
    """Instances of a claim made of numbers alone.

    Every symbol is drawn as a round number; one that a hypothesis bounds, or that an equation among the hypotheses can
    be solved for, also at simple multiples of that value. Numbers are computed with 60 digits; the difference to
    floats is the trial's error.

    Args:
        claim: the claim, or a copy of it.
        metrics: whether metrics are numbers like all others.

    Raises:
        ValueError: the claim cannot be searched this way; the message says why.
    """
    if claim.setting and (claim.setting.names or claim.setting.metrics or claim.setting.sequences):
        raise ValueError("its metrics are made of vectors, and no numbers of their own")
    sums = open_sums(claim)
    claim = with_named_sums(claim)
    _refuse(claim, sums, metrics=metrics)
    relations = [claim.expand(r) for r in conjuncts(claim.statement)]
    conditions = [claim.expand(r) for h in claim.hypotheses for r in conjuncts(h.relation)]
    symbols = _symbols(claim, sums)
    totals = {s: claim.expand(total) for s, total in sums.items()}
    build = _Build(claim, tuple(relations), tuple(conditions), tuple(symbols), totals)
    growing = _growing(relations)
    return Space(
        name="numbers",
        corners=lambda _: _corners(symbols, build.ties),
        strategy=lambda _: _strategy(symbols, build.ties),
        build=build.ladder(growing) if growing else build.trial,
        numbers=lambda point: {n: x for n, (tied, x) in point.items() if tied or not _whole(build.symbol[n])},
        at=lambda point, numbers: {n: (tied, numbers.get(n, x)) for n, (tied, x) in point.items()},
    )


def _refuse(claim: Claim, sums: Mapping[sp.Symbol, sp.Sum], *, metrics: bool) -> None:
    """Raise the reason why the symbols of a claim are not all universally quantified."""
    if claim.statement is None:
        raise ValueError(f"{claim.id} is stated in words, and its paper gives no space of instances to search")
    if claim.kind is Kind.PROPERTY:
        raise ValueError(f"{claim.id} states a property, and its paper gives no space of instances to search")
    lead = f"{claim.id} needs a space of instances, and its paper gives none:"
    structural = [h.key for h in claim.hypotheses if h.relation is None]
    if structural:
        raise ValueError(f"{lead} numbers cannot tell whether these hypotheses hold: {', '.join(structural)}")
    measured = [str(s) for s in _symbols(claim, sums) if s.is_nonnegative is None]
    if measured and not metrics:
        raise ValueError(f"{lead} these symbols are measured on an instance, or have no sign: {', '.join(measured)}")
    if any(len(total.limits) > 1 for total in sums.values()):
        raise ValueError(f"{lead} it has a sum over several indices")


def _symbols(claim: Claim, sums: Mapping[sp.Symbol, sp.Sum]) -> list[sp.Symbol]:
    """The symbols that a claim and its definitions are about, by name; a symbol that cancels is one of them."""
    where = {**claim.where, **sums}
    relations = [r for r in (claim.statement, *(h.relation for h in claim.hypotheses)) if r is not None]
    queue = [s for r in relations for s in r.free_symbols]
    seen: set[sp.Symbol] = set()
    while queue:
        s = queue.pop()
        if s not in seen:
            seen.add(s)
            queue += where[s].free_symbols if s in where else ()
    return sorted(seen - where.keys() - {C_O}, key=str)


def _whole(symbol: sp.Symbol) -> bool:
    """A count. The number of rounds is one too, though its symbol is real for the sake of its powers."""
    return bool(symbol.is_integer) or symbol == R


# --- what hypotheses say about single symbols


def _ties(
    conditions: Sequence[sp.Rel],
    symbols: Sequence[sp.Symbol],
    totals: Mapping[sp.Symbol, sp.Sum],
    relations: Sequence[sp.Rel],
) -> tuple[Tie, ...]:
    """At most one tie per symbol, in an order in which each value is known when it is needed; equations first.

    An inequality ties the metric that the statement bounds, where it can, or what stands alone on a side, or a metric
    that the statement does not speak of: then a chain of inequalities is tried at its end.
    """
    ties: dict[sp.Symbol, Tie] = {}
    spoken = {s for r in relations for s in r.free_symbols}
    metrics = [s for s in symbols if s.is_nonnegative is None]
    bounded = [s for s in metrics if any(s in r.args for r in relations)]
    passed = [s for s in metrics if s not in spoken]
    freest = sorted(symbols, key=lambda s: sum(s in r.free_symbols for r in conditions))
    for relation in sorted(conditions, key=lambda r: r.rel_op != "=="):
        inequality = (*_linear(relation, bounded), *_isolated(relation, symbols), *_linear(relation, passed))
        for tie in _solved(relation, freest) if relation.rel_op == "==" else inequality:
            if tie.symbol not in ties and not _reaches(tie.value, tie.symbol, ties, totals):
                ties[tie.symbol] = tie
                break
    ordered: list[Tie] = []
    while left := {s: tie for s, tie in ties.items() if tie not in ordered}:
        ordered += [tie for tie in left.values() if left.keys().isdisjoint(_needs(tie.value, totals))]
    return tuple(ordered)


def _needs(value: sp.Expr, totals: Mapping[sp.Symbol, sp.Sum]) -> set[sp.Symbol]:
    """The symbols of a value; for a sum that a symbol stands for, those of the sum."""
    return {part for s in value.free_symbols for part in (totals[s].free_symbols if s in totals else {s})}


def _reaches(
    value: sp.Expr, symbol: sp.Symbol, ties: Mapping[sp.Symbol, Tie], totals: Mapping[sp.Symbol, sp.Sum]
) -> bool:
    """Whether a value depends on a symbol, also through sums and through what is tied already."""
    seen: set[sp.Symbol] = set()
    queue = _needs(value, totals)
    while queue:
        s = queue.pop()
        if s == symbol:
            return True
        seen.add(s)
        queue |= (_needs(ties[s].value, totals) if s in ties else set()) - seen
    return False


def _isolated(relation: sp.Rel, symbols: Sequence[sp.Symbol]) -> Iterator[Tie]:
    """A bound whose one side is a symbol that is drawn."""
    power = 1 if relation.rel_op in ("<=", "<") else -1
    for one, other, direction in (*relation.args, power), (*reversed(relation.args), -power):
        if one in symbols and one not in other.free_symbols and other != 0:
            yield Tie(one, other, direction)


def _linear(relation: sp.Rel, metrics: list[sp.Symbol]) -> Iterator[Tie]:
    """A bound on a metric that a relation is linear in; on which side, at a sample where all else is 1."""
    small, large = relation.args if relation.rel_op in ("<=", "<") else reversed(relation.args)
    for metric in metrics:
        slope = sp.diff(small - large, metric)
        at_ones = slope.subs(dict.fromkeys(slope.free_symbols, sp.S.One))
        if metric not in slope.free_symbols and at_ones.is_nonzero:
            yield Tie(metric, -(small - large).subs(metric, 0) / slope, 1 if at_ones.is_positive else -1)


def _solved(relation: sp.Rel, symbols: list[sp.Symbol]) -> Iterator[Tie]:
    """An equation solved for the first symbol of which there is exactly one solution; reals before counts."""
    left, right = relation.args
    for symbol in sorted(symbols, key=lambda s: (_whole(s), s not in relation.args)):
        if symbol not in relation.free_symbols:
            continue
        try:
            solutions = sp.solve(left - right, symbol)
        except NotImplementedError:
            continue
        if len(solutions) == 1 and symbol not in solutions[0].free_symbols:
            yield Tie(symbol, solutions[0], 0)


def _growing(relations: list[sp.Rel]) -> sp.Symbol | None:
    """For an O(.) claim the symbol along which instances grow: one that its bound speaks of, counts first."""
    if not any(C_O in r.free_symbols for r in relations):
        return None
    named = {s for r in relations if C_O in r.free_symbols for s in r.free_symbols} - {C_O}
    return min(named, key=lambda s: (not _whole(s), str(s)), default=None)


# --- where to look


def _corners(symbols: list[sp.Symbol], ties: tuple[Tie, ...]) -> Iterator[Point]:
    """All ones and at every bound; all different; all away from there; then one symbol at a time."""
    tied = {t.symbol: t for t in ties}
    plain: Point = {str(s): (s in tied, 1.0) for s in symbols}
    yield plain
    for way in (1, -1):
        # what subtracts one symbol from another is 0 where all are alike, for instance a variance of sampled clients
        reals = [s for s in symbols if not _whole(s)][::way]
        counted = [s for s in symbols if _whole(s)][::way]
        apart = {s: (k + 1) / (2 * len(reals)) for k, s in enumerate(reals)} | {s: k + 1 for k, s in enumerate(counted)}
        different = {str(s): plain[str(s)] if s in tied else (False, float(x)) for s, x in apart.items()}
        yield different
        silent = [s for s in reals if s.is_nonnegative and not s.is_positive and s not in tied]
        yield from ({**different, str(s): (False, 0.0)} for s in silent)
    for x, end in product(MULTIPLES, (0, 1)):
        yield {str(s): (True, tied[s].multiple(x)) if s in tied else (False, _ends(s)[end]) for s in symbols}
    for s in symbols:
        for x in _ends(s):
            yield {**plain, str(s): (False, x)}
    for end in (0, -1):
        yield {str(s): plain[str(s)] if s in tied else (False, _ends(s)[end]) for s in symbols}


def _ends(symbol: sp.Symbol) -> tuple[float, ...]:
    if _whole(symbol):
        return (2.0, 10.0, float(MOST), 1e6)
    ends = (LOW, 0.5, 2.0, HIGH)
    return ends if symbol.is_positive else (0.0, *ends)


def _strategy(symbols: list[sp.Symbol], ties: tuple[Tie, ...]) -> SearchStrategy[Point]:
    from hypothesis import strategies as st

    from rateproof.verify.deciders.search import round_integers, round_numbers

    def free(symbol: sp.Symbol) -> SearchStrategy[float]:
        if _whole(symbol):
            return round_integers(1, MOST).map(float)
        numbers = round_numbers(LOW, HIGH)
        return numbers if symbol.is_positive else st.one_of(numbers, st.just(0.0))

    tied = {t.symbol for t in ties}
    multiples = st.tuples(st.just(True), st.sampled_from(MULTIPLES))
    drawn = {s: st.tuples(st.just(False), free(s)) for s in symbols}
    return st.fixed_dictionaries({str(s): st.one_of(multiples, x) if s in tied else x for s, x in drawn.items()})


# --- instances


@dataclass(frozen=True)
class _Build:
    """Makes the instance of a point."""

    claim: Claim
    relations: tuple[sp.Rel, ...]
    conditions: tuple[sp.Rel, ...]
    symbols: tuple[sp.Symbol, ...]
    sums: Mapping[sp.Symbol, sp.Sum]

    @cached_property
    def ties(self) -> tuple[Tie, ...]:
        """Found when they are needed: of a space that is only listed, no equation is solved."""
        return _ties(self.conditions, self.symbols, self.sums, self.relations)

    @cached_property
    def symbol(self) -> dict[str, sp.Symbol]:
        return {str(s): s for s in self.symbols}

    def trial(self, point: Point) -> Trial:
        """The instance, with the error that floats make on the claim's statement.

        Raises:
            ValueError: a number that its symbol does not admit; an instance that satisfies every hypothesis and has no
                number for a side of the statement, such as 1/0: that is no counterexample.
        """
        precise = self._numbers(point)
        values = {name: float(x) for name, x in precise.items()}
        label = ", ".join(f"{s} = {values[str(s)]:g}" for s in self.symbols) or "no symbols"
        trial = Trial.exact(label, values, {}, at=dict(values))
        outcome = evaluate(self.claim, with_unit_constant(trial))
        error = self._error(outcome, precise)
        if math.isinf(error) and outcome.admissible:
            raise ValueError(f"the statement is undefined at {label}")
        return replace(trial, error=max(1e-12, error))

    def ladder(self, growing: sp.Symbol) -> Callable[[Point], Ladder]:
        """Instances along one symbol, as far as the sums of the claim can be added up."""

        def build(point: Point) -> Ladder:
            rungs: list[Trial] = []
            for k in RUNGS:
                try:
                    rungs.append(self.trial({**point, str(growing): (False, float(10**k))}))
                except LongSumError:
                    if not rungs:
                        raise
                    break
            return Ladder(str(growing), rungs, f"{growing} grows from 1 to 1e{len(rungs) - 1}, all else is fixed")

        return build

    def _numbers(self, point: Point) -> dict[str, Any]:
        from mpmath import mp, mpf, workdps  # type: ignore[import-untyped]

        with workdps(DIGITS):
            numbers = {name: mpf(x) for name, (tied, x) in point.items() if not tied}
            for tie in self.ties:
                name = str(tie.symbol)
                if name not in numbers:
                    # the hidden constant of an O(.) among the hypotheses is that of the statement, see trial
                    context = {str(C_O): 1} | numbers | self._totals(numbers, tie.value.free_symbols)
                    numbers[name] = mpf(point[name][1]) * precisely(tie.value, context)
                    if _whole(tie.symbol):
                        # to the side on which the hypothesis holds
                        numbers[name] = mp.ceil(numbers[name]) if tie.power < 0 else mp.floor(numbers[name])
            for name, x in numbers.items():
                symbol = self.symbol[name]
                admitted = x > 0 if symbol.is_positive or _whole(symbol) else x >= 0 or not symbol.is_nonnegative
                if not (math.isfinite(float(x)) and admitted):
                    raise ValueError(f"{name} = {float(x):g} is not a number that {name} stands for")
            context = {str(s): numbers[str(s)] for s in self.symbols}
            return context | self._totals(context, self.sums.keys())

    def _totals(self, numbers: Mapping[str, Any], named: Collection[sp.Symbol]) -> dict[str, Any]:
        """The sums among some symbols, by name."""
        return {str(s): total_of(total, numbers) for s, total in self.sums.items() if s in named}

    def _error(self, outcome: Outcome, precise: Mapping[str, Any]) -> float:
        """The largest error of a side, as a share of the larger side; infinite when one is undefined."""
        from mpmath import workdps

        if outcome.missing:
            return math.inf
        # an equation has two sides, the second of which is the first turned round
        sides = {side.relation: (side.lhs, side.rhs) for side in reversed(outcome.sides)}
        error = 0.0
        with workdps(DIGITS):
            for relation, expanded in zip(conjuncts(self.claim.statement), self.relations, strict=True):
                try:
                    exact = [precisely(side, {**precise, str(C_O): 1}) for side in expanded.args]
                except ValueError:
                    return math.inf
                if relation.rel_op in (">=", ">"):
                    exact.reverse()
                if scale := max(map(abs, exact)):
                    differences = (abs(x - y) / scale for x, y in zip(sides[relation], exact, strict=True))
                    error = max(error, *map(float, differences))
        return error if math.isfinite(error) else math.inf
