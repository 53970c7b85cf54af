"""A family of instances is one function: it builds an instance from parts and runs the method, in any kind of number.

Corners, what a search draws, trials, exact numbers and the program of a script all come from it. A parameter that is
named like a symbol of the claim is that symbol. What it returns answers for the other symbols, with numbers (None where
one has no meaning), and for hypothesis keys, with a :class:`rateproof.algos.problems.base.Fact`; ``degenerate`` says
whether the instance is a degenerate one. What is drawn has a tuple of values, one for each outcome, and ``Pr`` the
probabilities of these.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property, lru_cache
from inspect import CO_VARKEYWORDS
from itertools import combinations, product
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import sympy as sp

from rateproof.algos.problems.base import Fact
from rateproof.theory.claim import Claim, conjuncts, expand_definitions
from rateproof.theory.probability import OUTCOMES, of_each
from rateproof.verify.counterexamples.replay import Values, precisely, rational
from rateproof.verify.deciders.growth import Ladder
from rateproof.verify.deciders.search import rounded
from rateproof.verify.form.arithmetic import Exact
from rateproof.verify.form.parts import Unlisted
from rateproof.verify.form.program import program
from rateproof.verify.spaces.space import Space, refusing
from rateproof.verify.trial import Trial

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

    from rateproof.verify.form.outcomes import InOutcomes

#: Parameters of an instance: counts, fractions, and names of choices.
Params: TypeAlias = Mapping[str, Any]
#: Counts that are drawn.
COUNTS = (1, 2, 3, 4, 5, 6, 8, 10, 16, 25, 30, 100, 300, 1000)


@dataclass(frozen=True)
class Range:
    """Values of one parameter.

    Attributes:
        corners: to try first; the first is the simplest.
        drawn: to draw from besides, the simplest first.
        kind: of the values. A multiple is one of the bound that the claim's hypotheses put on the symbol of this name:
            below 1 they admit it, whether it is a largest or a least value.
        answers: the symbols that the parameter is for, where the instance is the same for all its values.
    """

    corners: Sequence[Any]
    drawn: Sequence[Any]
    kind: Literal["choice", "count", "real", "multiple"]
    answers: Sequence[str] = ()


def choice(*values: Any) -> Range:
    """One of some names."""
    return Range(values, values, "choice")


def counts(*corners: int, most: int = COUNTS[-1], drawn: Sequence[int] = COUNTS) -> Range:
    """Whole numbers; up to ``most`` are drawn."""
    return Range(corners, [n for n in drawn if n <= most], "count")


def reals(*corners: float | str | Fraction, low: float = 0.01, high: float = 100.0, zero: bool = False) -> Range:
    """Real numbers, read as decimals or fractions; 1, 2 or 5 times a power of ten are drawn."""
    drawn = [*map(_fraction, rounded(low, high)), *([Fraction(0)] if zero else [])]
    return Range([_fraction(x) for x in corners], drawn, "real")


def hidden(*corners: float | str, answers: Sequence[str], low: float, high: float) -> Range:
    """As :func:`reals`, for symbols that no instance depends on, such as a constant that O(.) hides."""
    return replace(reals(*corners, low=low, high=high), answers=answers)


def at_bound(*multiples: float | Fraction) -> Range:
    """Multiples of the bound that the claim's hypotheses put on the symbol of this name; of 1 where there is none."""
    factors = [_fraction(x) for x in multiples]
    return Range(factors, [*factors, *(Fraction(n, 10) for n in (1, 2, 5, 9, 11, 15, 20))], "multiple")


def in_floats(params: Params) -> dict[str, Any]:
    """Counts and names as they are, other numbers as floats."""
    return {name: x if isinstance(x, str) else _float(x) for name, x in params.items()}


def _fraction(x: float | str | Fraction) -> Fraction:
    return Fraction(str(x))


def family(
    name: str,
    twin: Callable[..., Mapping[str, float]] | None = None,
    outcomes: Callable[..., InOutcomes] | None = None,
    /,
    **ranges: Range,
) -> Callable[[Callable[..., Mapping[str, Any]]], Family]:
    """Make a family of a function with keyword-only arguments, which may pass some on; see :class:`Family`.

    Raises:
        ValueError: the ranges are not those of its arguments.
    """

    def made(run: Callable[..., Mapping[str, Any]]) -> Family:
        code = run.__code__
        named = set(code.co_varnames[: code.co_kwonlyargcount])
        if not named <= ranges.keys() or (named != ranges.keys() and not code.co_flags & CO_VARKEYWORDS):
            raise ValueError(f"family {name!r} gives ranges of {', '.join(ranges)}; its arguments are others")
        return Family(name, run, ranges, twin, outcomes)

    return made


def explained(function: Callable[..., Any], name: str) -> str:
    """What a parameter stands for: behind its name and a colon in the docstring of the function or its module."""
    told = (function.__doc__, getattr(sys.modules.get(function.__module__), "__doc__", ""))
    words = rf"``{re.escape(name)}``(?:,\s+``\w+``)*:\s+([^;.]+)"  # names may share what they stand for
    said = (re.search(words, doc or "") for doc in told)
    return next((" ".join(hit[1].replace("``", "").split()) for hit in said if hit), "")


@dataclass(frozen=True, eq=False)
class Family:
    """Instances of one function.

    Attributes:
        name: in a few words.
        run: from the parameters to what was measured and which hypotheses hold.
        ranges: of the parameters.
        twin: the same measured by a method of ``algos``, in floats; for parameters that it cannot run, nothing.
        outcomes: the run in the vectors of a setting, in floats; see :mod:`rateproof.verify.form.outcomes`.
    """

    name: str
    run: Callable[..., Mapping[str, Any]]
    ranges: Mapping[str, Range]
    twin: Callable[..., Mapping[str, float]] | None = None
    outcomes: Callable[..., InOutcomes] | None = None
    _trials: dict[tuple[Any, ...], Trial | str] = field(default_factory=dict, init=False, repr=False)
    _quick: dict[tuple[Any, ...], Trial] = field(default_factory=dict, init=False, repr=False)

    def narrowed(self, name: str, **ranges: Range) -> Family:
        """The same family with other ranges of some parameters."""
        return Family(name, self.run, {**self.ranges, **ranges}, self.twin, self.outcomes)

    def alone(self, name: str, **params: Any) -> Family:
        """One instance of it, on which one source of an error is at work; what is not given is at its first corner."""
        first = {name: r.corners[0] for name, r in self.ranges.items()}
        ranges = {
            key: replace(self.ranges[key], corners=[x], drawn=[x]) for key, x in {**first, **self.read(params)}.items()
        }
        return self.narrowed(name, **ranges)

    def trial(self, params: Params) -> Trial:
        """The instance of some parameters, measured exactly and then rounded to floats.

        Raises:
            ValueError: the parameters make no instance.
        """
        key = self._key(params)  # hashed as seldom as can be, for fractions take time
        if (kept := self._trials.get(key)) is None:
            if len(self._trials) > _KEPT:
                self._trials.clear()
            try:
                kept = refusing(self._trial)(params)
            except ValueError as refusal:
                kept = str(refusal)
            self._trials[key] = kept
        if isinstance(kept, str):
            raise ValueError(kept)
        return kept

    def in_vectors(self, params: Params) -> InOutcomes | None:
        """The run of an instance in the vectors of a setting; None where it has none, or too many outcomes to list."""
        if self.outcomes is None:
            return None
        with suppress(Unlisted):
            return self.outcomes(**params)
        return None

    def meaning(self, name: str) -> str:
        """What a parameter stands for; empty where nobody says."""
        return explained(self.run, name)

    def words(self, params: Params, spoken: Container[str] | None = None) -> str:
        """The instance in a line; of what only answers for symbols, that for those ``spoken`` of, or all."""

        def shown(answers: Sequence[str]) -> bool:
            return not answers or spoken is None or any(name in spoken for name in answers)

        parts = [f"{name} = {x}" for name, x in params.items() if shown(self.ranges[name].answers)]
        return f"{self.name}: {', '.join(parts)}"

    def read(self, stated: Mapping[str, Any]) -> Params:
        """Parameters from what a record gives: integers, or texts such as ``1/3``.

        Raises:
            ValueError: one that the family does not have, or a count that is not whole.
        """
        if odd := sorted(stated.keys() - self.ranges.keys()):
            raise ValueError(f"{self.name} has no parameter {', '.join(odd)}; it has {', '.join(self.ranges)}")
        out = {n: x if self.ranges[n].kind == "choice" else Fraction(str(x)) for n, x in stated.items()}
        for name, x in out.items():
            if self.ranges[name].kind == "count":
                if x.denominator != 1 or x < 0:
                    raise ValueError(f"{name} is {x}; it should be a whole number")
                out[name] = int(x)
        return out

    def exact(self, stated: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, str]]:
        """Exact numbers of an instance that a record gives completely, and the reasons of the hypotheses that hold.

        Raises:
            ValueError: as :meth:`read`; a parameter is missing, or they make no instance.
        """
        if missing := [name for name in self.ranges if name not in stated]:
            raise ValueError(f"the instance needs {', '.join(missing)}")
        trial = self.trial(self.read(stated))
        return dict(trial.numbers or {}), {key: fact.why for key, fact in trial.facts.items() if fact.holds}

    def measure(self, params: Params, number: Callable[[Any], Any]) -> tuple[dict[str, Any], dict[str, Any]]:
        """Numbers of symbols, and facts, of an instance computed in one kind of number.

        Raises:
            ValueError: its probabilities are none.
        """
        inputs = {name: x if self.ranges[name].kind == "choice" else number(x) for name, x in params.items()}
        answers = inputs | {key: x for key, x in self.run(**inputs).items() if x is not None}
        if (likely := answers.get(OUTCOMES)) and (any(p < 0 for p in likely) or abs(float(sum(likely)) - 1) > _NO_LAW):
            raise ValueError("probabilities of outcomes are not negative, and their sum is 1")
        facts = {key: x for key, x in answers.items() if isinstance(x, Fact)}
        return {key: x for key, x in answers.items() if key not in facts and not isinstance(x, str | bool)}, answers

    def floats(self, params: Params) -> dict[str, float]:
        """What :meth:`trial` measures, computed in floats."""
        numbers, _ = self.measure(params, _float)
        return {name: of_each(float, x) for name, x in numbers.items()}

    def _key(self, params: Params) -> tuple[Any, ...]:
        return tuple(params[name] for name in self.ranges)

    def quick(self, params: Params) -> Trial:
        """As :meth:`trial`, in floats: enough to see which instances are worth exact numbers."""
        key = self._key(params)
        for kept in (self._trials.get(key), self._quick.get(key)):
            if isinstance(kept, Trial):
                return kept
        if len(self._quick) > _KEPT:
            self._quick.clear()
        values, answers = self.measure(params, _float)
        self._quick[key] = self._as_trial(params, values, answers, Trial)
        return self._quick[key]

    def program(self, params: Params) -> str:
        """Source text that assigns to ``values`` what :meth:`floats` measures."""
        return f"{self.definitions}\n\n{self.call(params)}"

    @cached_property
    def definitions(self) -> str:
        """The functions of :meth:`program`, the same for all instances."""
        return program(self.run)

    def call(self, params: Params) -> str:
        """The lines of :meth:`program` that measure one instance."""
        inputs = {name: float(x) if isinstance(x, Fraction) else x for name, x in params.items()}
        arguments = "".join(f"    {name}={x!r},\n" for name, x in inputs.items())
        call = f"arguments = dict(\n{arguments})\nmeasured_here = {self.run.__name__}(**arguments)\n"
        kept = "values = {k: math.nan if x is None else x for k, x in {**arguments, **measured_here}.items()}\n"
        return f"{call}{kept}"

    def space(self, claim: Claim) -> Space[Params]:
        """The family as a search sees it; ``claim`` gives bounds on parameters that a copy of it lacks."""
        return Space(
            name=self.name,
            corners=lambda copy: self.corners(copy, claim),
            strategy=lambda copy: self.strategy(copy, claim),
            build=self.trial,
            numbers=lambda params: {n: float(x) for n, x in params.items() if isinstance(x, Fraction)},
            at=lambda params, numbers: {**params, **{n: _fraction(x) for n, x in numbers.items()}},
            program=self.program,
            quick=refusing(self.quick),
            words=self.words,
        )

    def corners(self, claim: Claim, otherwise: Claim | None = None, *, apart: int | None = None) -> Iterator[Params]:
        """All combinations of corner values, by how many parameters are not at their first value, ``apart`` at most."""
        first = {name: r.corners[0] for name, r in self.ranges.items()}
        varied = [name for name in first if len(self.ranges[name].corners) > 1]
        for size in range((len(varied) if apart is None else apart) + 1):
            for names in combinations(varied, size):
                for values in product(*(self.ranges[name].corners[1:] for name in names)):
                    params = self.resolved({**first, **dict(zip(names, values, strict=True))}, claim, otherwise)
                    if params is not None:
                        yield params

    def strategy(self, claim: Claim, otherwise: Claim | None = None) -> SearchStrategy[Params]:
        """What a search draws."""
        from hypothesis.strategies import fixed_dictionaries, sampled_from

        drawn = fixed_dictionaries({name: sampled_from(r.drawn) for name, r in self.ranges.items()})
        resolved = drawn.map(lambda params: self.resolved(params, claim, otherwise))
        return resolved.filter(lambda params: params is not None)  # type: ignore[return-value]

    def resolved(self, params: Params, claim: Claim, otherwise: Claim | None = None) -> Params | None:
        """The parameters with multiples replaced by what they are multiples of; None where a bound has no number."""
        out = {name: x for name, x in params.items() if self.ranges[name].kind != "multiple"}
        for name in self._multiples:
            bounds = [bound for of in (claim, otherwise) if of and (bound := bound_on(of, name))]
            # where a hypothesis is left out another one may bound it by what is not known yet
            for bound in bounds:
                try:
                    out[name] = bound.multiple(params[name], out)
                except (ArithmeticError, ValueError):
                    continue
                break
            else:
                if bounds:
                    return None
                out[name] = params[name]
        return {name: out[name] for name in self.ranges}

    @cached_property
    def _multiples(self) -> list[str]:
        return [name for name, r in self.ranges.items() if r.kind == "multiple"]

    def _trial(self, params: Params) -> Trial:
        with precisely():
            values, answers = self.measure(params, Exact)
            numbers = {name: of_each(lambda one: Exact(one).x, x) for name, x in values.items()}
            return self._as_trial(params, values, answers, Trial.exact, numbers=numbers)

    def _as_trial(
        self,
        params: Params,
        values: Mapping[str, Any],
        answers: Mapping[str, Any],
        kind: Callable[..., Trial],
        **more: Any,
    ) -> Trial:
        return kind(
            self.words(params),
            {name: of_each(float, x) for name, x in values.items()},
            {key: x for key, x in answers.items() if isinstance(x, Fact)},
            at={"family": self.name, **{n: str(x) if isinstance(x, Fraction) else x for n, x in params.items()}},
            degenerate=bool(answers.get("degenerate", False)),
            **more,
        )


def _float(x: Any) -> Any:
    """A count as it is, another number as a float."""
    return x if isinstance(x, int) else float(x)


#: A sum of probabilities this far from 1 is no rounding.
_NO_LAW = 1e-9
#: Trials that a family keeps.
_KEPT = 20_000


@dataclass(frozen=True, eq=False)
class Climb:
    """Instances of a family along parameters that grow, all else fixed: what an O(.) claim is tried on.

    Attributes:
        family: that the instances are of.
        parameter: what grows, in a few words.
        why: the ratio grows along it, or does not.
        rungs: the parameters of the instances.
    """

    family: Family
    parameter: str
    why: str
    rungs: tuple[Params, ...]

    def ladder(self) -> Ladder:
        """The instances, measured."""
        trials = [self.family.trial(rung) for rung in self.rungs]
        return Ladder(f"{self.parameter} ({self.family.name})", trials, self.why)

    def space(self) -> Space[tuple[Params, ...]]:
        """The instances as a search sees them: there is nothing to vary."""

        def program(rungs: tuple[Params, ...]) -> str:
            measured = [f"{self.family.program(rung)}ladder.append(values)\n" for rung in rungs]
            return "".join(["ladder = []\n", *measured])

        def drawn(claim: Claim) -> SearchStrategy[tuple[Params, ...]]:
            from hypothesis.strategies import just

            return just(self.rungs)

        name = f"{self.family.name}, {self.parameter}"
        return Space(name, lambda claim: [self.rungs], drawn, self._ladder, program=program)

    def _ladder(self, rungs: tuple[Params, ...]) -> Ladder:
        return replace(self, rungs=rungs).ladder()


def climb(family: Family, parameter: str, why: str, /, **params: Any) -> Climb:
    """A :class:`Climb`; a list has a value for each rung, and what is not given is at its first corner value.

    Raises:
        ValueError: a parameter that the family does not have, or lists of several lengths, or none.
    """
    lengths = {len(x) for x in params.values() if isinstance(x, list)}
    if len(lengths) != 1:
        raise ValueError(f"a climb needs lists of one length, got {', '.join(map(str, sorted(lengths))) or 'none'}")
    first = {name: r.corners[0] for name, r in family.ranges.items()}
    rungs = [{name: x[i] if isinstance(x, list) else x for name, x in params.items()} for i in range(lengths.pop())]
    return Climb(family, parameter, why, tuple({**first, **family.read(rung)} for rung in rungs))


# --- bounds that the hypotheses of a claim put on one symbol


@dataclass(frozen=True)
class Bound:
    """The largest (``power`` 1) or least (-1) values that hypotheses admit for a symbol; the tightest one counts."""

    values: tuple[sp.Expr, ...]
    power: int
    _found: dict[tuple[tuple[str, int | Fraction], ...], Fraction] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    @cached_property
    def _names(self) -> list[str]:
        """The symbols of the values: there are many corners, and a family has many parameters besides."""
        return sorted(str(s) for value in self.values for s in value.free_symbols)

    def multiple(self, x: Fraction, params: Params) -> Fraction:
        """``x`` times the bound, or that divided by x for a least value.

        Raises:
            ValueError: a symbol that has no number here, or a bound that is no finite number.
        """
        numbers = ((n, params[n]) for n in self._names if isinstance(params.get(n), int | Fraction))
        tightest = self._tightest(tuple((n, y) for n, y in numbers if not isinstance(y, bool)))
        return tightest * x**self.power

    def _tightest(self, numbers: tuple[tuple[str, int | Fraction], ...]) -> Fraction:
        """The bound at some numbers; most corners of a family have the same ones."""
        if numbers not in self._found:
            exact = {n: rational(str(y)) for n, y in numbers}
            try:
                with precisely():
                    bounds = [_as_fraction(Values(exact, {})(value)) for value in self.values]
            except KeyError as gap:
                raise ValueError(f"the bound {self.values} needs {gap}") from None
            self._found[numbers] = min(bounds) if self.power > 0 else max(bounds)
        return self._found[numbers]


def bound_on(claim: Claim, name: str) -> Bound | None:
    """The bound that the relations among a claim's hypotheses put on a symbol; None when there is none."""
    relations = tuple(r for h in claim.hypotheses for r in conjuncts(h.relation))
    return _bound(relations, tuple(claim.where.items()), name)


@lru_cache(maxsize=1024)
def _bound(relations: tuple[sp.Rel, ...], where: tuple[tuple[sp.Symbol, sp.Expr], ...], name: str) -> Bound | None:
    bounds = [b for relation in relations for b in _solved(expand_definitions(relation, dict(where)), name)]
    for power in (1, -1):
        if values := tuple(value for value, side in bounds if side == power):
            return Bound(values, power)
    return None


@lru_cache(maxsize=1024)
def _solved(relation: sp.Rel, name: str) -> tuple[tuple[sp.Expr, int], ...]:
    """What a relation says about a symbol that it bounds on one side: the value, and 1 for largest, -1 for least."""
    symbol = next((s for s in relation.free_symbols if str(s) == name), None)
    if symbol is None or relation.rel_op not in ("<=", "<", ">=", ">"):
        return ()
    small, large = relation.args if relation.rel_op in ("<=", "<") else reversed(relation.args)
    try:
        solutions = sp.solve(small - large, symbol)
    except NotImplementedError:
        return ()
    # on which side of it the relation holds: at a sample where every other symbol is 1
    ones = dict.fromkeys((small - large).free_symbols - {symbol}, sp.S.One)
    positive = [value for value in solutions if value.subs(ones).is_positive]
    if len(positive) != 1:
        return ()
    beyond = (small - large).subs(ones).subs(symbol, 2 * positive[0].subs(ones))
    return ((positive[0], 1 if beyond > 0 else -1),)


def _as_fraction(x: Any) -> Fraction:
    """A rational number as it is, another as a decimal of some digits just below it in size."""
    if hasattr(x, "q"):
        return Fraction(int(x.p), int(x.q))
    return Fraction(f"{float(x):.12g}") * (1 - Fraction(1, 10**9))
