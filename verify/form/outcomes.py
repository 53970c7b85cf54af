"""What a proof says of vectors, measured: all outcomes of a run, in the vectors of a setting.

A method makes few vectors: iterates and noises. The others are computed from these as the setting says that they are
made: means, combinations, gradients, projections. So a setting that speaks of another run than the family of a record
is found, and so is a step of a proof that fails there.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property, reduce
from typing import Any, TypeAlias

import numpy as np
import sympy as sp
from sympy.core.function import AppliedUndef

from rateproof.theory.algebra import each_side
from rateproof.theory.claim import Claim, conjuncts, expand_definitions
from rateproof.theory.gram import Vector
from rateproof.theory.gram.vectors import factors, inner, name_of
from rateproof.theory.proof import Cite, SampleMean, Setting
from rateproof.theory.proof.steps import Have, Induct
from rateproof.verify.trial import Trial, evaluate

#: A vector or a number in all outcomes: one axis for the coordinates, and one for each index and source of chance, of
#: length one where it does not depend on that.
Grid: TypeAlias = np.ndarray
#: An index, a draw, or a source: its name, and for a copy of a source the values of the indices that it belongs to.
Axis: TypeAlias = tuple[Any, ...]
#: What gives a gradient and a value at points.
Function: TypeAlias = Callable[[Grid], tuple[Grid, Grid]]
#: The coordinates.
COORDINATE: Axis = ("",)
#: What floats may lose, of a number and of the terms of which it is made.
ROUNDING, LOST = 1e-9, 1e-14
#: Smaller floats lose digits, and larger ones than its inverse may become infinite.
SMALL = 1e-290


class Axes:
    """Vectors and numbers in all outcomes: how they are laid out, and their means."""

    chances: Mapping[Axis, Sequence[float]]

    @cached_property
    def place(self) -> dict[Axis, int]:
        """The number of each axis."""
        return {axis: i for i, axis in enumerate(self.chances)}

    def along(self, axis: Axis, values: Sequence[float] | np.ndarray) -> Grid:
        """Numbers along an axis."""
        return np.reshape(np.array(values, float), [-1 if a == axis else 1 for a in self.chances])

    def stacked(self, axis: Axis, parts: Sequence[Grid]) -> Grid:
        """One grid for each value of an index."""
        return np.concatenate(np.broadcast_arrays(*parts), self.place[axis])

    def mean(self, grid: Grid, *axes: Axis) -> Grid:
        """The mean over axes."""
        for axis in axes:
            i = self.place[axis]
            if grid.shape[i] > 1:
                grid = (grid * self.along(axis, self.chances[axis])).sum(i, keepdims=True)
        return grid

    def only(self, grid: Grid, axis: Axis, value: int) -> Grid:
        """The part at one value of an index; where the grid does not depend on it, all of it."""
        at = self.place[axis]
        return grid.take([value if grid.shape[at] > 1 else 0], at)

    def by_value(self, axis: Axis, functions: Sequence[Function]) -> Function:
        """A function that is another one for each value of an index."""

        def at(points: Grid) -> tuple[Grid, Grid]:
            parts = (of(self.only(points, axis, i)) for i, of in enumerate(functions))
            gradients, values = zip(*parts, strict=True)
            return self.stacked(axis, gradients), self.stacked(axis, values)

        return at

    def mean_of(self, of: Function, axis: Axis) -> Function:
        """The mean of a function over an index."""
        return lambda points: tuple(self.mean(g, axis) for g in of(points))  # type: ignore[return-value]

    def over_drawn(
        self, grid: Grid, index: Axis, draw: Axis, sets: Sequence[tuple[int, ...]], *, weighted: bool
    ) -> Grid:
        """The mean over the values of an index that are drawn; with weights, of ``size w_i`` times the vector."""
        weights = self.chances[index]
        times = [len(weights) * w if weighted else 1.0 for w in weights]
        each_ = [self.only(grid, index, i) * t for i, t in enumerate(times)]
        return self.stacked(draw, [np.asarray(sum(each_[i] for i in drawn)) / len(drawn) for drawn in sets])


@dataclass(frozen=True, eq=False)
class Outcomes(Axes):
    """All outcomes of a run.

    Attributes:
        chances: axis -> the chances of its values, or their weights; that of the coordinates is the first.
        made: the vectors that the method makes, by name.
        at: function, map or set -> its gradient or image, and its value, at a point.
        knows: the axes that a word stands for, at values of the indices that a vector has.
        blocks: subspace -> its coordinates.
        drawn: draw -> the sets of values of an index that are drawn.
        numbers: what is known of the instance beside what a family tells, infima for example.
        open: vectors of which it is not said what they are.
        term: where it belongs to an index of the proof: the index and its value.
    """

    chances: Mapping[Axis, Sequence[float]]
    made: Mapping[str, Grid]
    at: Mapping[str, Callable[[Grid], tuple[Grid | None, Grid | None]]]
    knows: Callable[[str, Mapping[str, int]], set[Axis]]
    blocks: Mapping[str, Sequence[int]] = field(default_factory=dict)
    drawn: Mapping[str, Sequence[tuple[int, ...]]] = field(default_factory=dict)
    numbers: Mapping[str, float] = field(default_factory=dict)
    open: frozenset[str] = frozenset()
    term: Mapping[sp.Symbol, int] = field(default_factory=dict)

    def expected(self, grid: Grid) -> float:
        """The mean over everything, summed over the coordinates."""
        rest = self.mean(grid, *[axis for axis in self.chances if axis != COORDINATE])
        return float(rest.sum())


def each(of: Callable[..., Any], results: int, *grids: Grid) -> tuple[Grid, ...]:
    """A function of numbers, at each entry."""
    computed = np.frompyfunc(lambda *xs: of(*map(float, xs)), len(grids), results)(*grids)
    return tuple(g.astype(float) for g in (computed if results > 1 else (computed,)))


#: The outcomes of a run for a setting: one, or one for each value of the indices of a proof.
InOutcomes: TypeAlias = Callable[[Setting], Iterator[Outcomes]]


@dataclass(frozen=True, eq=False)
class InVectors:
    """A setting in all outcomes of a run.

    Attributes:
        numbers: symbol -> its value on the instance: constants, and metrics as the family measures them.
        terms: terms of sequences, with numbers in the place of their indices, that are known.
    """

    setting: Setting
    outcomes: Outcomes
    numbers: Mapping[str, float]
    terms: dict[sp.Expr, float] = field(default_factory=dict)
    _vectors: dict[str, Grid] = field(default_factory=dict)
    _products: dict[sp.Symbol, float] = field(default_factory=dict)
    _images: dict[tuple[str, Vector], tuple[Grid | None, Grid | None]] = field(default_factory=dict)

    # --- vectors

    def vector(self, name: str) -> Grid:
        """A basic vector in all outcomes.

        Raises:
            KeyError: neither the setting nor the run says what it is.
        """
        if name not in self._vectors:
            grid = next((made for _, made in self._ways(name)), None)
            if grid is None:
                raise KeyError(name)
            self._vectors[name] = grid
        return self._vectors[name]

    def _ways(self, name: str) -> Iterator[tuple[str, Grid]]:
        """All that is said of a vector: how it is made, by the run or by the setting."""
        how, total = self.setting.means.get(name), self.setting.sums.get(name)
        if name in self.outcomes.made:
            yield "run", self.outcomes.made[name]
        if isinstance(how, SampleMean):
            sets, weighted = self.outcomes.drawn[how.draw], how.over in self.setting.weighted
            over = (how.over,), (how.draw,)
            yield "mean", self.outcomes.over_drawn(self.vector(how.of), *over, sets, weighted=weighted)
        elif how is not None:
            yield "mean", self.outcomes.mean(self.vector(how.of), (how.over,))
        if total is not None:
            yield "combination", self.combined(total)
        for of, points in self.setting.functions.items():
            for point, (x, image, *_) in points.items():
                if image is not None and image != x and (name, sp.S.One) in image.terms and of in self.outcomes.at:
                    grid = self._at(of, x)[0]
                    if grid is not None and (part := self._part(grid, name, image)) is not None:
                        yield f"{of} at {point}", part

    def _part(self, image: Grid, name: str, of: Vector) -> Grid | None:
        """The part of an image that a basic vector is; None where the image has more of its subspace in it."""
        if name_of(of) == name and name not in self.setting.blocks:
            return image
        block = self.setting.blocks.get(name)
        if block is None or sum(self.setting.blocks.get(other) == block for other, _ in of.terms) > 1:
            return None
        inside = [i in self.outcomes.blocks[block] for i in range(image.shape[0])]
        return image * np.reshape(np.array(inside, float), [-1] + [1] * (image.ndim - 1))

    def _at(self, of: str, x: Vector) -> tuple[Grid | None, Grid | None]:
        """The gradient or image, and the value, of a function at a point."""
        if (of, x) not in self._images:
            self._images[of, x] = self.outcomes.at[of](self.combined(x))
        return self._images[of, x]

    def combined(self, vector: Vector) -> Grid:
        """A combination of vectors in all outcomes."""
        zero = np.zeros([1] * len(self.outcomes.chances))
        return sum((self.vector(name) * self.number(c) for name, c in vector.terms), zero)

    # --- numbers

    def number(self, expr: sp.Expr) -> float:
        """An expression in inner products, values of functions, metrics and constants.

        Raises:
            KeyError: one of them is not known.
        """
        expr = sp.sympify(expr)
        if expr.is_number:
            return float(expr)
        values = {s: float(self.atom(s)) for s in self._inside(expr)}
        with suppress(ArithmeticError, ValueError):
            return _in_floats(expr, values)
        return float(expr.xreplace({s: sp.Float(x) for s, x in values.items()}).doit())

    def _inside(self, expr: sp.Expr) -> set[sp.Expr]:
        """What an expression is made of: the largest parts that have a value."""
        forms = self.setting.metrics
        parts, left = set[sp.Expr](), [expr]
        while left:
            part = left.pop()
            if part in forms or part.is_Symbol or isinstance(part, AppliedUndef | sp.Sum):
                parts.add(part)
            else:
                left += part.args
        return parts

    def atom(self, number: sp.Expr) -> float:
        """An inner product, a value, a metric, a term of a sequence or a sum of such, a constant."""
        if isinstance(number, sp.Sum):
            return sum(self._along(number.function, *number.limits))
        if isinstance(number, AppliedUndef) and (term := self._term(number)) in self.terms:
            return self.terms[term]
        if (pair := factors(number) if number.is_Symbol else None) is not None:
            if number not in self._products:
                self._products[number] = self.outcomes.expected(self.vector(pair[0]) * self.vector(pair[1]))
            return self._products[number]
        if number in self.outcomes.term:
            return self.outcomes.term[number]
        if number in self.setting.metrics:
            return self.number(self.setting.metrics[number])
        for value in self._values(number):
            return value
        if str(number) in self.numbers:
            return float(self.numbers[str(number)])
        if number.is_Symbol and number in self.setting.sequences:
            return self.number(self.setting.sequences[number])
        raise KeyError(number)

    def _term(self, term: AppliedUndef) -> sp.Expr:
        """A term of a sequence, with numbers in the place of its indices."""
        return term.func(*(sp.Integer(round(self.number(index))) for index in term.args))

    def _along(self, of: sp.Expr, limits: tuple[sp.Symbol, sp.Expr, sp.Expr]) -> list[float]:
        """The values of an expression for those of an index."""
        index, first, last = limits
        steps = range(round(self.number(first)), round(self.number(last)) + 1)
        return [self.number(of.xreplace({index: sp.Integer(i)})) for i in steps]

    def _values(self, number: sp.Expr) -> Iterator[float]:
        """What the functions say of a value."""
        for of, points in self.setting.functions.items():
            for x, _, *value in points.values():
                if value == [number] and of in self.outcomes.at and (worth := self._value(of, x)) is not None:
                    yield worth

    def _value(self, of: str, x: Vector) -> float | None:
        worth = self._at(of, x)[1]
        return None if worth is None else self.outcomes.expected(worth)

    # --- what is wrong

    def faults(self) -> Iterator[str]:
        """Where the setting is not that of the run."""
        for name in self.setting.names:
            try:
                ways = [*self._ways(name)]
                if not ways:
                    raise KeyError(name)
            except KeyError as unmade:
                if unmade.args[0] in self.setting.names and not self._rests_on_open(unmade.args[0]):
                    yield f"nothing makes {unmade.args[0]}"
                continue
            for how, grid in ways[1:]:
                if not _close(ways[0][1], grid, self._lost(name)):
                    yield f"{name} is one vector as {ways[0][0]} and another one as {how}"
            yield from self._unknown(name, ways[0][1])
            yield from self._outside(name, ways[0][1])
        for of, points in self.setting.functions.items():
            for point in points if of in self.outcomes.at else ():
                yield from self._image(of, point)
        setting = self.setting
        named = (*setting.metrics, *setting.lengths, *setting.extremes, *setting.named_values, *setting.sequences)
        for number in named:
            try:
                value, *more = self._all_values(number)
            except KeyError as unknown:
                what = unknown.args[0]
                later = isinstance(what, AppliedUndef)  # a term that the run does not come to
                if str(number) in self.numbers and not later and not self._rests_on_open(str(what)):
                    yield f"{number} is not compared: {what} is not known"
                continue
            except ValueError:
                continue  # nothing is said of it
            lost = 10 * LOST * self.size(number) if more else 0.0
            if odd := [x for x in more if not _near(value, x, lost)]:
                yield f"{number} is {value} and {odd[0]}"

    def _outside(self, name: str, grid: Grid) -> Iterator[str]:
        """Where a vector has a part outside of the subspace in which it is said to lie."""
        block = self.setting.blocks.get(name)
        if block is not None and block in self.outcomes.blocks:
            within, count = self.outcomes.blocks[block], len(self.outcomes.chances[COORDINATE])
            rest = [i for i in range(count) if i not in within]
            if not _close(np.broadcast_to(grid, (count, *grid.shape[1:]))[rest], np.zeros(1)):
                yield f"{name} is said to lie in {block}, and has another part"

    def _rests_on_open(self, name: str) -> bool:
        points = (at for function in self.setting.functions.values() for at in function.values())
        behind = {n for x, image, *_ in points if image and name in dict(image.terms) for n, _ in x.terms}
        return bool((behind | self.setting.parts(name)) & self.outcomes.open)

    def _image(self, of: str, point: str) -> Iterator[str]:
        """Where a gradient or image, or a value that is no symbol, is another one than the function's."""
        x, image, *value = self.setting.functions[of][point]
        for stated in (v for v in value if v is not None and not v.is_Symbol):
            with suppress(KeyError):
                worth, lost = self._value(of, x), 10 * LOST * self.size(stated)
                if worth is not None and not _near(self.number(stated), worth, lost):
                    yield f"{of} has the value {worth} at {point}, and not {stated}"
        if image is None or image == x:
            return
        try:
            stated, computed = self.combined(image), self._at(of, x)[0]
        except KeyError:
            return
        sizes = [float(np.abs(self.vector(name)).max(initial=0)) for name, _ in image.terms]
        size = 100 * LOST * (sum(sizes) + self._steepest(of))
        if computed is not None and not _close(
            stated, computed, size + sum(self._lost(name) for name, _ in image.terms)
        ):
            yield f"{of} has another gradient or image at {point} than {image}"

    def _steepest(self, of: str) -> float:
        """The largest gradient or image that is known: in one that vanishes, parts of its size cancel."""
        sizes = [0.0]
        for x, *_ in self.setting.functions[of].values():
            with suppress(KeyError):
                image = self._at(of, x)[0]
                sizes += [] if image is None else [float(np.abs(image).max(initial=0))]
        return max(sizes)

    def _lost(self, name: str) -> float:
        """What rounding may change of a vector that is made of larger ones."""
        parts = self.setting.sums.get(name, Vector()).terms
        return 100 * LOST * sum(abs(self.number(c)) * float(np.abs(self.vector(n)).max(initial=0)) for n, c in parts)

    def _all_values(self, number: sp.Expr) -> Iterator[float]:
        """All values of a number: by its form, by the functions, as a term, and as the family measures it."""
        if number in self.setting.metrics:
            yield self.number(self.setting.metrics[number])
        yield from self._values(number)
        if isinstance(number, AppliedUndef) and (term := self._term(number)) in self.terms:
            yield self.terms[term]
        if number.is_Symbol and number in self.setting.sequences:
            with suppress(KeyError):  # a term of which nothing is known here
                yield self.number(self.setting.sequences[number])
        for group, of in ((self.setting.minima, min), (self.setting.maxima, max)):
            if number in group and (terms := self._along(*group[number])):
                yield of(terms)
        if number in self.setting.lengths:
            length = self.combined(self.setting.lengths[number])
            yield self.outcomes.expected(np.sqrt((length**2).sum(0, keepdims=True)))
        base, power = number.as_base_exp()
        if str(base) in self.numbers:
            yield self.numbers[str(base)] ** float(power)

    def learn(self) -> Iterator[str]:
        """Take in the terms that have a form here; a term of two values is a fault."""
        for term, form in self.setting.metrics.items():
            if not isinstance(term, AppliedUndef):
                continue
            try:
                value = self.number(form)
            except KeyError:
                continue  # it has a form at an earlier index
            earlier = self.terms.setdefault(self._term(term), value)
            if not _near(earlier, value, 10 * LOST * self.size(form)):
                yield f"{term} is {earlier} and {value} at {self.outcomes.term}"

    def _unknown(self, name: str, grid: Grid) -> Iterator[str]:
        """Where a vector changes with what its words do not stand for."""
        words, places = self.setting.on(name), self.outcomes.place
        indices = [i for i in (w for w in words if (w,) in places) if i in self.setting.index_words]
        ways: list[dict[str, int]] = [{}]
        for i in indices:
            ways = [{**way, i: j} for way in ways for j in range(len(self.outcomes.chances[i,]))]
        for way in ways:
            part = grid
            for i, j in way.items():
                part = self.outcomes.only(part, (i,), j)
            may = {COORDINATE}.union(*(self.outcomes.knows(w, way) for w in words))
            for axis, at in places.items():
                if part.shape[at] > 1 and axis not in may and not _close(part, part.take([0], at)):
                    yield f"{name} depends on {' '.join(map(str, axis))}, and is said to depend on {' '.join(words)}"
                    return

    def failing(self, claim: Claim) -> Iterator[str]:
        """The steps of the claim's proof that fail in this run, of those that say something of one instance."""
        for step in claim.proof.steps if claim.proof else ():
            if not isinstance(step, Have | Induct):
                continue
            goals = conjuncts(claim.statement)[int(step.goal)] if step.goal.is_Integer else step.goal
            relation = each_side(goals, lambda side: expand_definitions(side, claim.where))
            try:
                if all(self.holds(r) for r in getattr(step, "when", ())) and not self.holds(relation):
                    sides = " and ".join(f"{self.number(side):g}" for side in relation.args)
                    yield f"{step.name}: {relation.rel_op} is not true of {sides}"
            except (KeyError, TypeError, ZeroDivisionError):
                continue

    def size(self, expr: sp.Expr) -> float:
        """The size of the terms of which an expression is made."""

        def of(part: sp.Expr) -> float:
            form = self.setting.metrics.get(part)
            if part.is_Symbol and (pair := factors(part)):
                return float(np.sqrt(np.prod([self.atom(inner(v, v)) for v in pair])))
            return self.number(part) if form is None else self.size(form)

        return _size(sp.sympify(expr), of)

    def holds(self, relation: sp.Rel) -> bool:
        """Whether a relation is true, but for rounding."""
        left, right = map(self.number, relation.args)
        slack = ROUNDING * max(abs(left), abs(right)) + LOST * sum(map(self.size, relation.args))
        return {
            "==": abs(left - right) <= slack,
            "!=": left != right,
            "<=": left <= right + slack,
            ">=": left >= right - slack,
            "<": left < right + slack,
            ">": left > right - slack,
        }[relation.rel_op]


def _in_floats(expr: sp.Expr, values: Mapping[sp.Expr, float]) -> float:
    """A sum of products of powers of numbers; sympy takes its time for it.

    Raises:
        ArithmeticError, ValueError: it is more than that, or leaves the range of floats on the way.
    """
    if expr.is_Rational or expr in values:
        number = values[expr] if expr in values else float(expr)
        if not math.isfinite(number):
            raise ValueError(f"{expr} is no number")
        return number
    parts = [_in_floats(part, values) for part in expr.args]
    if expr.is_Add:
        return sum(parts)
    if expr.is_Mul:
        return reduce(lambda x, y: _normal(x * y), parts) if all(parts) else 0.0
    if expr.is_Pow:
        return _normal(parts[0] ** parts[1]) if parts[0] else parts[0] ** parts[1]
    raise ValueError(f"{expr} is no sum of products of powers")


def _normal(number: float) -> float:
    """A float that has all its digits.

    Raises:
        ValueError: it is complex, or has left the range where floats have them.
    """
    if isinstance(number, complex) or not SMALL < abs(number) < 1 / SMALL:
        raise ValueError(f"{number} is no float of normal size")
    return number


def _size(expr: sp.Expr, of: Callable[[sp.Expr], float]) -> float:
    """The size of the terms of an expression, where ``of`` is that of its symbols."""
    if expr.is_Add:
        return sum(_size(part, of) for part in expr.args)
    if expr.is_Mul:
        return float(np.prod([_size(part, of) for part in expr.args]))
    return abs(of(expr))


def views(setting: Setting, run: InOutcomes, numbers: Mapping[str, float]) -> tuple[list[InVectors], list[str]]:
    """A setting at all values of the indices of a proof, and where it is not that of the run."""
    fixed = {term: sp.sympify(value) for term, value in setting.sequences.items() if not term.is_Symbol}
    terms = {term: float(value) for term, value in fixed.items() if value.is_number}
    seen = [InVectors(setting, outcomes, {**outcomes.numbers, **numbers}, terms) for outcomes in run(setting)]
    return seen, [*(fault for one in seen for fault in one.learn()), *(fault for one in seen for fault in one.faults())]


def unlike_the_run(claim: Claim, run: InOutcomes, trial: Trial) -> Iterator[str]:
    """Where the vectors of a claim's proof and of its lemmas are not those of a run, and steps that fail there."""
    applies = evaluate(claim, trial).admissible
    for part, setting in with_vectors(claim):
        seen, faults = views(setting, run, trial.values)
        failing = (why for one in seen for why in one.failing(part)) if applies else ()
        yield from (f"{part.id}: {what}" for what in (*faults, *failing))


def with_vectors(claim: Claim) -> Iterator[tuple[Claim, Setting]]:
    """A claim whose proof has vectors, and the lemmas that its proof cites at the same ones."""
    if claim.proof is None:
        return
    if claim.setting is not None and claim.setting.names:
        yield claim, claim.setting
    cited = (g for step in claim.proof.steps for g in step.grounds if isinstance(g, Cite))
    for ground in cited:
        if isinstance(ground.claim, Claim) and not (ground.points or ground.vectors):
            yield from with_vectors(ground.claim)


def _near(a: float, b: float, lost: float = 0.0) -> bool:
    return abs(float(a) - float(b)) <= ROUNDING * max(abs(float(a)), abs(float(b)), 1e-6) + lost


def _close(a: Grid, b: Grid, lost: float = 0.0) -> bool:
    size = max(np.abs(a).max(initial=0), np.abs(b).max(initial=0))
    return bool(np.abs(a - b).max(initial=0) <= ROUNDING * max(size, 1e-6) + lost)
