"""What a claim speaks of: named vectors of L^2, on what each depends, and the metrics as forms in them.

``<u, v>`` stands for ``E <u, v>`` over all sources of randomness. A mean over clients or local steps is an expectation
too, over an index that is drawn uniformly and apart from everything else; so ``norm2`` of a vector that depends on
``client`` is the mean over the clients of its squared norm.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Set
from dataclasses import dataclass, field, fields, replace
from functools import cached_property, lru_cache
from itertools import combinations, product
from typing import Any

import sympy as sp
from sympy.core.function import AppliedUndef

from rateproof.theory.algebra import each_side, normal
from rateproof.theory.assumptions import (
    Assumption,
    Attained,
    Independent,
    Minimiser,
    Returned,
    Sampled,
)
from rateproof.theory.gram import Vector, norm2, vectors
from rateproof.theory.gram.facts import Point
from rateproof.theory.gram.vectors import factors, name_of

#: What a symbol may be declared to be, of signs.
SIGNS = ("positive", "negative", "nonnegative", "nonpositive", "nonzero")


@dataclass(frozen=True)
class Mean:
    """A vector that is the mean of ``of`` over the index ``over``: its conditional expectation given the rest."""

    of: str
    over: str


@dataclass(frozen=True)
class SampleMean:
    """A vector that is the mean of ``of`` over those values of the index ``over`` that the draw ``draw`` took.

    Where the values of the index have weights, it is the mean of ``size w_i`` times ``of``.
    """

    of: str
    over: str
    draw: str


@dataclass(frozen=True)
class Argmin:
    """The set of the minimisers of a function."""

    of: str


@dataclass(frozen=True)
class NormalCone:
    """The normal cone of a set at one of its points, which is closed and convex whatever the set."""

    of: str


@dataclass(frozen=True)
class HalfSquare:
    """The function ``||. - c||^2 / 2`` of a point ``c``, which is 1-smooth and 1-strongly convex."""


@dataclass(frozen=True)
class Rounds:
    """What a number of rounds counts: those after which ``metric`` may still be above ``target``.

    ``rounds <= C_O G`` says: for every admissible ``over`` at which ``metric > target``, ``over <= C_O G`` with all
    constants as they are there. So it holds with any upper bounds of those that change with ``over``.

    Attributes:
        metric: what has to become small.
        over: the rounds, a whole number.
        target: the accuracy.
        held: on what ``C_O`` may depend, beside the exponents.
    """

    metric: sp.Expr
    over: sp.Symbol
    target: sp.Symbol
    held: tuple[sp.Symbol, ...] = ()


@dataclass(frozen=True)
class Setting:
    """Named vectors and what they have to do with each other and with the metrics of a claim.

    Attributes:
        depends: name of a basic vector that is given or drawn -> the sources of randomness and the indices on which it
            depends, as words; "" for a fixed vector. On what means, combinations, gradients and images depend follows
            from how they are made.
        means: name of a basic vector -> the mean that it is.
        sums: name of a basic vector -> the combination of others that it is.
        sizes: name of an index -> the number of its values, each as likely as the others.
        weighted: names of indices whose values have weights instead: a mean over them is the weighted one.
        blocks: name of a basic vector -> the subspace in which it lies; different ones are orthogonal to each other.
        within: name of a source -> the index that it belongs to: one for each value of the index.
        together: name of an index -> a word for all that belongs to its values: on that a mean over the index depends.
        each: name of a function or map -> the indices and sources on which it depends itself, beside those over which
            others are means of it.
        earlier: those of these sources that hold all that belongs to earlier values of their index.
        functions: name of a function, map or set -> its points by name, ``(x, gradient or image, value)``.
        made: name of a function -> the functions of which it is a combination, with nonnegative factors, or a mean, or
            that it is half a squared distance; of a set -> the function whose minimisers it has, or the set of which it
            is the normal cone.
        infima: name of a function -> its infimum; where the function depends on an index, the mean of the infima.
        minima: metric -> the term of a sequence and the range of the index ``(k, first, last)`` over which it is least.
        maxima: the same of what is the largest term.
        lengths: metric -> the vector whose mean norm ``E||v||`` it is.
        bounds: number -> the vector whose norm is at most that, whatever the outcome; of a fixed vector, its norm.
        squares: metric -> the vector whose mean square it is, where the metric is used as a number and not as a form.
        others: settings of other parts of the method, in which lemmas about the same metrics are stated: those mean
            here what they mean there. A metric that has its form only there is a number here.
        assumes: what the method itself sees to: how clients are drawn, that their noises are independent, what is
            returned. What functions, sets and noises have is a hypothesis of the claim, but for minima of which the
            relations of the claim speak (the point or the least value), and those that a theorem gives.
        metrics: symbol, square of one, or term of a sequence -> the form or value that it stands for.
        measured: metrics that have no form here: scalars that enter linearly, as values of functions do.
        constants: values of functions that are the same wherever the claim speaks of them, such as a least value.
        sequences: metric -> the term of a sequence that it is, for any value of the index.
        free: symbols that a proof which cites the claim may choose: bounds that the claim has for every such number.
        fixed: metrics that are the same for all values of the indices over which the proof sums.
        counts: symbols that are whole numbers by their meaning, where their declaration leaves that open.
        rounds: number of rounds in an O(.) claim -> what it counts.
        words: vector, source, index or function -> what a reader calls it, where nothing else here says that. No proof
            reads them.
    """

    depends: Mapping[str, str] = field(default_factory=dict)
    means: Mapping[str, Mean | SampleMean] = field(default_factory=dict)
    sums: Mapping[str, Vector] = field(default_factory=dict)
    sizes: Mapping[str, sp.Expr] = field(default_factory=dict)
    weighted: tuple[str, ...] = ()
    blocks: Mapping[str, str] = field(default_factory=dict)
    within: Mapping[str, str] = field(default_factory=dict)
    together: Mapping[str, str] = field(default_factory=dict)
    each: Mapping[str, str] = field(default_factory=dict)
    earlier: tuple[str, ...] = ()
    functions: Mapping[str, Mapping[str, Point]] = field(default_factory=dict)
    made: Mapping[str, Mapping[str, sp.Expr] | Mean | Argmin | NormalCone | HalfSquare] = field(default_factory=dict)
    infima: Mapping[str, sp.Expr] = field(default_factory=dict)
    minima: Mapping[sp.Symbol, tuple[sp.Expr, tuple[sp.Symbol, sp.Expr, sp.Expr]]] = field(default_factory=dict)
    maxima: Mapping[sp.Symbol, tuple[sp.Expr, tuple[sp.Symbol, sp.Expr, sp.Expr]]] = field(default_factory=dict)
    lengths: Mapping[sp.Symbol, Vector] = field(default_factory=dict)
    bounds: Mapping[sp.Symbol, Vector] = field(default_factory=dict)
    squares: Mapping[sp.Symbol, Vector] = field(default_factory=dict)
    others: tuple[Setting, ...] = ()
    assumes: tuple[Assumption, ...] = ()
    metrics: Mapping[sp.Expr, sp.Expr] = field(default_factory=dict)
    measured: tuple[sp.Symbol, ...] = ()
    constants: tuple[sp.Symbol, ...] = ()
    sequences: Mapping[sp.Symbol, sp.Expr] = field(default_factory=dict)
    free: tuple[sp.Symbol, ...] = ()
    fixed: tuple[sp.Symbol, ...] = ()
    counts: tuple[sp.Symbol, ...] = ()
    rounds: Mapping[sp.Symbol, Rounds] = field(default_factory=dict)
    words: Mapping[str, str] = field(default_factory=dict, compare=False)

    def __post_init__(self) -> None:
        for metric in self.meanings:
            square = metric in self.metrics and metric.is_Pow and metric.base.is_Symbol and metric.exp == 2
            if not (square or metric.is_Symbol or isinstance(metric, AppliedUndef)):
                raise ValueError(f"{metric} is no metric: name a symbol, its square, or a term of a sequence")
        for metric, form in self.metrics.items():
            if sp.sympify(form).has(metric):
                raise ValueError(f"{metric} stands for {form}, in which it is itself")
        for name, mean in self.means.items():
            own, rest = self.on(name), self.on(mean.of) - self.inside(mean.over)
            if odd := sorted(own & self.inside(mean.over)):
                raise ValueError(f"{name}, a mean over {mean.over}, should not depend on {' '.join(odd)}")
            if odd := sorted(rest - own):
                raise ValueError(f"{name}, a mean of {mean.of} over {mean.over}, should depend on {' '.join(odd)} too")
            drawn = {mean.draw} if isinstance(mean, SampleMean) else set()
            if self.on(mean.of) & self.inside(mean.over) - {mean.over} and not own - rest - drawn:
                raise ValueError(f"{name} should depend on what {mean.of} has of all {mean.over}, by a word of its own")
            if isinstance(mean, SampleMean) and (mean.draw not in own or mean.draw in self.knows(self.on(mean.of))):
                raise ValueError(f"{name} should depend on the draw {mean.draw}, and {mean.of} should not")
        if odd := sorted({*self.together.values()} & self.index_words):
            raise ValueError(f"{odd[0]} is an index, and no word for all that belongs to another one")
        for of, known in self.functions.items():
            own = frozenset(self._own(of)) | (
                self.own(of) & self.index_words
            )  # a random map may have another sample elsewhere
            for point, (x, gradient, *_) in known.items():
                if not (gradient and gradient.terms):
                    continue
                if lost := self.all_on(x) - self.all_on(gradient):
                    raise ValueError(f"the gradient of {of} at {point} should depend on {min(lost)}, as the point does")
                if lost := own - self.all_on(gradient):
                    raise ValueError(f"the gradient of {of} at {point} should depend on {min(lost)}, as {of} does")
        for name, how in self.made.items():
            if isinstance(how, Mean):
                for point, (_, gradient, *_) in self.functions.get(how.of, {}).items():
                    if gradient and gradient.terms and how.over not in self.all_on(gradient):
                        raise ValueError(f"the gradient of {how.of} at {point} should depend on {how.over}")
                for point, (x, gradient, value) in self.functions.get(name, {}).items():
                    said = (*x.terms, *(gradient.terms if gradient else ()))
                    if any(self._meets(part, how.over) for part, _ in said):
                        raise ValueError(f"{name} is a mean: its point {point} should not depend on {how.over}")
                    if how.of not in self.functions:
                        continue
                    there = self.functions[how.of].get(point)
                    if there is None or (there[0], there[2]) != (x, value):
                        has = "no such point" if there is None else f"{there[0]} and the value {there[2]}"
                        raise ValueError(
                            f"{name} is a mean of {how.of}: at {point} it has {x} and the value {value}, and {how.of} "
                            f"should have the same (the mean over the values of {how.over}); it has {has}"
                        )
                    if gradient is not None and gradient.terms and not self._is_mean(gradient, there[1], how.over):
                        raise ValueError(
                            f"{name} is a mean: its gradient at {point} should be the mean, or zero; means should "
                            f"say that {gradient} is that of {there[1]} over {how.over}"
                        )
        for of, least in self.infima.items():
            for name, (_, gradient, *value) in self.functions.get(of, {}).items():
                if value == [least] and gradient is not None and gradient.terms:
                    raise ValueError(f"{of} is least at {name}, where its gradient should be zero, not {gradient}")
            if twin := next((other for other, low in self.infima.items() if low == least and other != of), None):
                raise ValueError(f"{least} is the infimum of {of} and of {twin}")
        of_sums = {name for how in self.made.values() if isinstance(how, Mapping) for name in how}
        named = {*self.names, *self.functions, *self.made, *of_sums, *self.index_words}.union(*map(self.on, self.names))
        if odd := sorted(self.words.keys() - named):
            raise ValueError(f"{odd[0]} is in words, and is no vector, source or function here")
        if odd := [index for _, (index, *_) in self.extremes.values() if not index.is_integer]:
            raise ValueError(f"{odd[0]} is the index of a minimum or maximum and should be an integer")
        for metric, term in self.sequences.items():
            if metric.is_Symbol and (
                odd := [s for s in (*SIGNS, "integer") if getattr(term, f"is_{s}") and not getattr(metric, f"is_{s}")]
            ):
                raise ValueError(f"{metric} is not known to be {odd[0]}, and {term} is")
        if chosen := sorted(map(str, self.meanings & {*self.free})):
            raise ValueError(f"{chosen[0]} has a meaning and is not free to choose")
        for name, total in self.sums.items():
            if not self.all_on(total) <= self.on(name):
                raise ValueError(f"{name} should depend on all that {total} depends on")
            average = self.means.get(name)
            parts = self.sums.get(average.of) if average else None
            if average and (parts is None or not self.same(self.mean_of(parts, average), total)):
                raise ValueError(f"{name} is a mean of {average.of}, and {total} is not known to be that mean")
        if alien := next((a for a in self.assumes if not isinstance(a, METHOD)), None):
            kind = f"{type(alien).__name__} of {alien.of}"
            raise ValueError(f"{kind} is a hypothesis of a claim, and nothing that a method sees to")
        self._images()
        self._half_squares()
        self._combinations()
        self._values()
        for name, block in self.blocks.items():
            if odd := sorted(part for part in self.parts(name) if self.blocks.get(part) != block):
                raise ValueError(f"{name} lies in the block {block}, and {odd[0]}, of which it is made, should too")
        self._agree()

    def _meets(self, name: str, over: str) -> bool:
        """Whether a vector depends on what a mean is over; on a source also by a word for all of an index."""
        return bool(self.on(name) & self.inside(over)) or (
            over not in self.index_words and over in self.knows(self.on(name))
        )

    def _images(self) -> None:
        """Refuse a gradient or image of two functions, or at two points; one function may have two names."""
        seen: dict[Vector, tuple[str, Point]] = {}
        for of, known in self.functions.items():
            for at in known.values():
                if (image := at[1]) is not None and image.terms and image != at[0]:
                    other, there = seen.setdefault(image, (of, at))
                    apart = of != other and (there[2:] != at[2:] or self._differ(of, other))
                    if there[0] != at[0] or apart:
                        both = f"{of} at {at[0]} and of {other} at {there[0]}"
                        raise ValueError(f"{image} is the gradient or image of {both}")

    def _differ(self, of: str, other: str) -> bool:
        """Whether two functions have other gradients or values at one point, so that they are not one."""
        pairs = product(self.functions[of].values(), self.functions[other].values())
        return any(a[0] == b[0] and None not in (a[1], b[1]) and a[1:] != b[1:] for a, b in pairs)

    def vanishes(self, vector: Vector | None) -> bool:
        """Whether a vector is known to be zero, by how it is made."""
        if vector is None:
            return False
        while named := [(name, c) for name, c in vector.terms if name in self.sums]:
            vector += sum((self.sums[name] * c - vectors(name)[0] * c for name, c in named), Vector())
        return all(name in self.means and self.vanishes(vectors(self.means[name].of)[0]) for name, _ in vector.terms)

    def _values(self) -> None:
        """Refuse one number as the value of two functions at one point, but for a mean and what it is a mean of."""
        means = {(name, how.of) for name, how in self.made.items() if isinstance(how, Mean)}
        seen: dict[tuple[Vector, sp.Expr], dict[str, Vector]] = {}
        for of, known in self.functions.items():
            for x, gradient, *value in known.values():
                if gradient is None or not value or not isinstance(value[0], sp.Symbol):
                    continue
                slopes = seen.setdefault((x, value[0]), {})
                for other, slope in slopes.items():
                    if slope != gradient and not means & {(other, of), (of, other)}:
                        raise ValueError(f"{value[0]} is the value of {other} and of {of}, which have other gradients")
                slopes[of] = gradient

    def _half_squares(self) -> None:
        """Refuse other gradients and values of half a squared distance than it has."""
        for of in (name for name, how in self.made.items() if isinstance(how, HalfSquare)):
            known = self.functions.get(of, {}).values()
            points = [(x, image, value) for x, image, *value in known if image is not None]
            centres = {x - image for x, image, _ in points}
            if len(centres) > 1:
                raise ValueError(f"the gradients of {of} are not those of half a squared distance from one point")
            valued = [(x, value[0]) for x, image, *value in known if image is None and value and value[0] is not None]
            for x, said in ((x, said) for x, said in valued if not said.is_Symbol):
                if not any(normal(said - norm2(x - centre) / 2) == 0 for centre in centres):
                    raise ValueError(f"the value of {of} at {x} is half a squared distance, and not known to be {said}")
            for x, image, value in points:
                for said in (v for v in value if v is not None and not v.is_Symbol):
                    if normal(said - norm2(image) / 2) != 0:
                        raise ValueError(f"the value of {of} at {x} is {norm2(image) / 2}, not {said}")

    def _combinations(self) -> None:
        """Refuse another gradient or value of a function that is made of others than theirs give."""
        for of, how in self.made.items():
            if not isinstance(how, Mapping):
                continue
            theirs = {v for part in how for p in self.functions.get(part, {}).values() for v in p[2:]}
            for x, image, *value in self.functions.get(of, {}).values():
                gradient, worth = self._parts_at(how, x)
                # a vector or number of its own is what they give
                told = image if image is not None and image.terms and name_of(image) in {"", *self.sums} else None
                if told is not None and gradient is not None and not self.same(gradient, told):
                    raise ValueError(f"the gradient of {of} at {x} is {gradient}, not {told}")
                for said in (v for v in value if v is not None and (not v.is_Symbol or v in theirs)):
                    if worth is not None and normal(said - worth) != 0:
                        raise ValueError(f"the value of {of} at {x} is {worth}, not {said}")

    def _parts_at(self, how: Mapping[str, sp.Expr], x: Vector) -> tuple[Vector | None, sp.Expr | None]:
        """The combination of functions at a point: of gradients and of values, None where one is not named."""
        gradient, worth = Vector(), sp.S.Zero
        for part, factor in how.items():
            there = next((p for p in self.functions.get(part, {}).values() if p[0] == x and p[1] is not None), None)
            centre = self._centre(part)
            if there is None and centre is not None:
                there = x, x - centre, norm2(x - centre) / 2
            if there is None:
                return None, None
            _, image, *value = there
            gradient += image * sp.sympify(factor)
            worth = None if worth is None or value in ([], [None]) else worth + factor * value[0]
        return gradient, worth

    def _centre(self, of: str) -> Vector | None:
        """The point from which a function is half the squared distance, where one of its gradients shows it."""
        if not isinstance(self.made.get(of), HalfSquare):
            return None
        return next((x - image for x, image, *_ in self.functions.get(of, {}).values() if image is not None), None)

    def same(self, u: Vector | None, v: Vector) -> bool:
        """Whether two combinations are equal, with those that have a name written out."""
        if u is None:
            return False
        apart = u - v
        while named := [(name, c) for name, c in apart.terms if name in self.sums]:
            apart += sum((self.sums[name] * c - vectors(name)[0] * c for name, c in named), Vector())
        return all(normal(c) == 0 for _, c in apart.terms)

    def mean_of(self, vector: Vector, how: Mean | SampleMean) -> Vector | None:
        """The mean of a combination, term by term; None where one has no name."""
        named = {mean: name for name, mean in self.means.items()}
        # a weighted mean over a sample of a fixed vector is that vector times the weights of the sample
        weights = isinstance(how, SampleMean) and how.over in self.weighted
        total: Vector = Vector()
        for name, c in vector.terms:
            moves = weights or self.on(name) & self.inside(how.over)
            found = named.get(replace(how, of=name)) if moves else name
            if found is None:
                return None
            total += vectors(found)[0] * c
        return total

    def _agree(self) -> None:
        """Refuse a number with two meanings: as a term of a sequence and as another, or here and elsewhere."""
        of_term: dict[sp.Expr, tuple[sp.Expr, object]] = {}
        for a in self.family:
            of_form: dict[object, sp.Expr] = {}
            for number, form in a.forms.items():
                term = self.term(number)
                odd, other = of_term.setdefault(term, (number, form))
                if other != form:
                    kinds = "has another form in another setting" if odd == number else "are one number with two forms"
                    raise ValueError(f"{odd if odd == number else f'{odd} and {number}'} {kinds}")
                if not term.is_Symbol and self.term(odd := of_form.setdefault(form, number)) != term:
                    raise ValueError(f"{odd} and {number} have one form and are two terms")
        checked = [{*map(id, other.family)} for other in self.others]
        for a, b in combinations(self.family, 2):
            if any({id(a), id(b)} <= known for known in checked):
                continue
            for group in ("ties", "made", "sizes", "within"):
                ours, theirs = getattr(a, group), getattr(b, group)
                if unlike := _unlike(ours, theirs):
                    odd = min(unlike, key=str)
                    raise ValueError(f"{odd} is {ours[odd]} in one setting and {theirs[odd]} in another ({group})")
            if odd := sorted(a.known_unlike(b)):
                raise ValueError(f"{odd[0]} stands for other sources in another setting")
            for of in sorted(a.all_functions & b.all_functions):
                if odd := sorted(a.own(of) ^ b.own(of)):
                    raise ValueError(f"{of} depends on {odd[0]} in one of two settings only")
            for name in sorted(self._shared(a, b), key=str):
                for of in _OF_VECTORS if isinstance(name, str) else ():
                    ours, theirs = getattr(a, of), getattr(b, of)
                    if name in _unlike(ours, theirs):
                        both = f"{of}: {ours[name] or 'nothing'} and {theirs[name] or 'nothing'}"
                        raise ValueError(f"{name} is another vector in another setting ({both})")
                if not isinstance(name, str) and not a._places(name) & b._places(name):
                    both = " and ".join(f"of {min(f for f, _ in s._places(name))}" for s in (a, b))
                    raise ValueError(f"{name} is the value of another function in another setting: {both}")

    def _shared(self, a: Setting, b: Setting) -> set[sp.Symbol | str]:
        """The vectors and values of which numbers are made that have a form in both settings, and common infima."""
        terms = [{self.term(n): n for n in s.forms} for s in (a, b)]
        common = terms[0].keys() & terms[1].keys()
        one, other = (s.all_behind(of[t] for t in common) for s, of in zip((a, b), terms, strict=True))
        infima = {*a.infima.values()} & {*b.infima.values()}
        return {n for n in one & other if isinstance(n, str) or n in a.values & b.values} | infima

    def _places(self, value: sp.Symbol) -> set[tuple[str, Vector | None]]:
        """Of which functions a number is the value, and where; the infimum."""
        points = {(of, p[0]) for of, known in self.functions.items() for p in known.values() if value in p[2:]}
        return points | {(of, None) for of, least in self.infima.items() if least == value}

    @cached_property
    def family(self) -> tuple[Setting, ...]:
        """Itself, and the other settings with theirs."""
        found = [self]
        for other in self.others:
            found += [s for s in other.family if not any(s is known for known in found)]
        return tuple(found)

    @cached_property
    def forms(self) -> dict[sp.Expr, Any]:
        """What numbers stand for, beside terms of sequences."""
        found: dict[sp.Expr, Any] = {}
        for kind in ("metrics", "lengths", "bounds", "squares", "minima", "maxima"):
            for number, form in getattr(self, kind).items():
                same = isinstance(form, Vector) and not self.all_on(form) and form == found.get(number, (kind, form))[1]
                root = self.metrics.get(number**2)
                if (number in found and not same) or (root is not None and not (same and root == norm2(form))):
                    raise ValueError(f"{number} has two forms")
                found[number] = kind, form
        return found

    @cached_property
    def ties(self) -> dict[sp.Expr, sp.Expr]:
        """Metrics that are terms of sequences or sums of them, other than themselves."""
        return {number: sp.sympify(term) for number, term in self.sequences.items() if number != term}

    def term(self, number: sp.Expr) -> sp.Expr:
        """What a number is in terms of sequences, here or in another setting; itself, where that is not said."""
        ties = {n: t for s in self.family for n, t in s.ties.items()}
        seen: set[sp.Expr] = set()
        while number in ties and number not in seen:
            seen.add(number)
            number = ties[number]
        return number

    def has(self, other: Setting) -> bool:
        """Whether all is said here that another setting says of vectors, functions, indices and metrics."""
        names = ["dependence", *(f.name for f in fields(self) if f.name not in _ITS_OWN)]
        pairs = ((getattr(self, name), getattr(other, name)) for name in names)
        all_there = (
            {*theirs} <= {*ours} if isinstance(theirs, tuple) else _has(ours, theirs) for ours, theirs in pairs
        )
        alike = all(self.own(of) == other.own(of) for of in other.all_functions)
        return not (other.weighted_unlike(self) or self.known_unlike(other)) and alike and all(all_there)

    def known_unlike(self, other: Setting) -> set[str]:
        """The words of two settings that stand for other sources in one of them, of those that both have."""
        words = frozenset(self.all_words) & frozenset(other.all_words)
        return {word for word in words if (self.knows({word}) ^ other.knows({word})) & words}

    def weighted_unlike(self, other: Setting) -> set[str]:
        """The indices over which there are means here, and whose values have weights in one of two settings only."""
        return ({*self.weighted} ^ {*other.weighted}) & {m.over for m in self.means.values()}

    @cached_property
    def extremes(self) -> dict[sp.Symbol, tuple[sp.Expr, tuple[sp.Symbol, sp.Expr, sp.Expr]]]:
        """Minima and maxima over an index."""
        return {**self.minima, **self.maxima}

    @cached_property
    def scalars(self) -> set[sp.Symbol]:
        """What enters linearly: metrics without a form, and the values of functions at points."""
        return {*self.measured} | (self.named_values - {*self.infima.values(), *self.constants})

    @cached_property
    def numbers(self) -> set[sp.Expr]:
        """What has a value at the vectors, but no form in them."""
        return {*self.scalars, *self.lengths, *self.bounds, *self.squares, *self.extremes}

    @cached_property
    def meanings(self) -> set[sp.Expr]:
        """What has a meaning here, beside what is only measured."""
        given = (self.metrics, self.sequences, self.lengths, self.bounds, self.squares, self.extremes)
        return self.roots.union(*given)

    @cached_property
    def roots(self) -> set[sp.Expr]:
        """What is said to be the root of a form."""
        return {metric.base for metric in self.metrics if metric.is_Pow}

    @cached_property
    def terms(self) -> set[AppliedUndef]:
        """The terms of sequences of which metrics are made."""
        said = (*self.sequences.values(), *(term for term, _ in self.extremes.values()))
        return {f for term in said for f in sp.sympify(term).atoms(AppliedUndef)}

    @cached_property
    def indices(self) -> set[sp.Symbol]:
        """The indices of the sequences."""
        return {
            s for term in self.sequences.values() for f in sp.sympify(term).atoms(AppliedUndef) for s in f.free_symbols
        }

    @cached_property
    def values(self) -> set[sp.Symbol]:
        """The values of functions at points, and their infima."""
        said = (*self.infima.values(), *(value for point in self._all_points for value in point[2:]))
        return {s for e in said if e is not None for s in e.free_symbols}

    @cached_property
    def named_values(self) -> set[sp.Symbol]:
        """Those of them that are symbols."""
        said = {*self.infima.values(), *(value for point in self._all_points for value in point[2:])}
        return {v for v in said if isinstance(v, sp.Symbol)}

    @cached_property
    def structure(self) -> set[sp.Symbol]:
        """The symbols of which functions and indices are made."""
        made = (how.values() for how in self.made.values() if isinstance(how, Mapping))
        said = [
            *(e for group in (*made, self.values, self.sizes.values()) for e in group),
            *(s for counted in self.rounds.values() for s in (counted.over, counted.target)),
        ]
        return {s for e in said for s in sp.sympify(e).free_symbols}

    @cached_property
    def coefficients(self) -> set[sp.Symbol]:
        """The symbols of which vectors are made, and those of what the method sees to."""
        made = (*self.sums.values(), *(v for x, g, *_ in self._all_points for v in (x, g) if v is not None))
        said = (*(c for v in made for _, c in v.terms), *(e for a in self.assumes for e in a.constants.values()))
        return {s for e in said for s in sp.sympify(e).free_symbols}

    def indices_of(self, said: Iterable[sp.Symbol]) -> set[sp.Symbol]:
        """The indices of the terms that are made of the same inner products and values as numbers."""
        made = {s for number in said for s in (number, *sp.sympify(self.metrics.get(number, 0)).free_symbols)}
        made = {s for s in made if factors(s) or s in self.values}
        terms = (t for t, form in self.metrics.items() if not t.is_Symbol and made & sp.sympify(form).free_symbols)
        return {s for term in terms if isinstance(term, AppliedUndef) for s in term.free_symbols}

    def behind(self, said: Iterable[sp.Symbol | str]) -> set[sp.Symbol]:
        """The symbols on which it depends what numbers and basic vectors stand for."""
        return {n for n in self.all_behind(said) if not isinstance(n, str)}

    def all_behind(self, said: Iterable[sp.Symbol | str]) -> set[sp.Symbol | str]:
        """The symbols and basic vectors on which it depends what numbers and basic vectors stand for."""
        found: set[sp.Symbol | str] = set()
        left = [*said]
        while left:
            new = [n for n in self._stands(left.pop()) if n not in found]
            found.update(new)
            left += new
        return found

    def _stands(self, number: sp.Symbol | str) -> Iterator[sp.Symbol | str]:
        """What a number or a basic vector is made of, one step down."""
        if isinstance(number, str):
            yield from self.parts(number)
            yield from _inside(self.sums.get(number, Vector()))
            for x, g, *_ in self._all_points:
                if g is not None and any(name == number for name, _ in g.terms):
                    yield from (*_inside(x), *_inside(g))
            return
        yield from (factors(number) if number.is_Symbol else ()) or ()
        for group in (self.metrics, self.sequences):
            yield from sp.sympify(group.get(number, group.get(number**2, 0))).free_symbols
        for group in (self.lengths, self.bounds, self.squares):
            yield from _inside(group.get(number, Vector()))
        if number in self.extremes:
            term, (index, *ends) = self.extremes[number]
            yield from {s for e in (term, *ends) for s in sp.sympify(e).free_symbols} - {index}
        for x, g, *value in self._all_points:
            if any(v is not None and number in v.free_symbols for v in value):
                yield from (*_inside(x), *_inside(g or Vector()))

    def spoken_of(self, said: Iterable[sp.Basic]) -> set[object]:
        """The symbols and sequences of which expressions speak, here or in the settings that it names."""
        found: set[object] = set()
        left = [*said]
        while left:
            new = _named(left.pop()) - found
            found |= new
            for s in self.family if new else ():
                left += [s.rounds[n].metric for n in new & s.rounds.keys()]
                left += [sp.sympify(form) for number, form in s.metrics.items() if _named(number) & new]
                for number, term in s.sequences.items():
                    left += [number, sp.sympify(term)] if (_named(number) | _named(sp.sympify(term))) & new else []
        return found

    def presumes(self, least: Attained | Minimiser, spoken: set[object]) -> bool:
        """Whether what is spoken of is a minimum, its point or the least value."""
        known, value = self.functions.get(least.of, {}), self.infima.get(least.of)
        if isinstance(least, Minimiser):
            names = {least.point}
        else:
            names = {a.point for a in self.assumes if isinstance(a, Minimiser) and a.of == least.of}
            names |= {n for n, (_, g, *v) in known.items() if v not in ([], [None]) and (g == Vector() or v == [value])}
        parts = [{*_inside(known[n][0])} for n in names if n in known]
        if isinstance(least, Attained) and value is not None:
            parts.append({*value.free_symbols})
        numbers = {s for s in spoken if isinstance(s, sp.Symbol)}
        behind = numbers | self.all_behind({*numbers, *(m for m in self.metrics if _named(m) & spoken)})
        return any(part and part <= behind for part in parts)

    @cached_property
    def _all_points(self) -> list[Point]:
        return [point for known in self.functions.values() for point in known.values()]

    def parts(self, name: str) -> frozenset[str]:
        """The basic vectors of which a vector is made, itself among them."""
        mean, total = self.means.get(name), self.sums.get(name)
        direct = ([mean.of] if mean else []) + ([n for n, _ in total.terms] if total else [])
        return frozenset({name}).union(*map(self.parts, direct))

    def _is_mean(self, vector: Vector, of: Vector | None, over: str) -> bool:
        parts = {self.means.get(name): factor for name, factor in vector.terms}
        wanted = {Mean(name, over): factor for name, factor in of.terms} if of is not None else None
        return parts == wanted and len(parts) == len(vector.terms)

    def part(self, vector: Vector, block: str) -> Vector:
        """The part of a vector that lies in a subspace.

        Raises:
            ValueError: it is made of a vector of which no subspace is known.
        """
        if lost := [name for name, _ in vector.terms if name not in self.blocks]:
            raise ValueError(f"{lost[0]} lies in no block")
        return Vector(tuple(term for term in vector.terms if self.blocks[term[0]] == block))

    def apart(self, relation: sp.Rel) -> sp.Rel:
        """A relation without the inner products of vectors of different subspaces, which are zero."""
        zero = {
            s: sp.S.Zero
            for s in relation.free_symbols
            if (pair := factors(s)) and len({self.blocks.get(name) for name in pair} | {None}) == 3
        }
        return each_side(relation, lambda side: side.xreplace(zero)) if zero else relation

    def vectors(self) -> dict[str, Vector]:
        """The basic vectors by name."""
        return dict(zip(self.names, vectors(" ".join(self.names)), strict=True))

    def on(self, name: str) -> frozenset[str]:
        """On what a basic vector depends.

        Raises:
            ValueError: neither is that said, nor how the vector is made.
        """
        if name not in self._knows:
            stated = self.depends.get(name)
            if stated is None and name in self._asked:
                raise ValueError(f"{name} is made of itself: say in depends on what it depends")
            self._asked.append(name)
            self._knows[name] = self._follows(name) if stated is None else frozenset(stated.split())
            self._asked.remove(name)
        return self._knows[name]

    def _follows(self, name: str) -> frozenset[str]:
        """On what a vector depends that is made of others."""
        if name in self.sums:
            return self.all_on(self.sums[name])
        if name in self.means:
            return self._averaged(self.on(self.means[name].of), self.means[name])
        found = [
            self.all_on(x) | self._own(function) | self._beside(name, image)
            for function, known in self.functions.items()
            for x, image, *_ in known.values()
            if image is not None and name in dict(image.terms) and name not in dict(x.terms)
        ]
        if not found:
            raise ValueError(f"say in depends on what {name} depends, or how it is made")
        return frozenset().union(*found)

    def _own(self, of: str) -> set[str]:
        """On what the gradients or images of a function depend beside its points, by what it is made of too."""
        over = {how.over for how in self.made.values() if isinstance(how, Mean) and how.of == of}
        found = {*self.each.get(of, "").split(), *over}
        how = self.made.get(of)
        if isinstance(how, Mean):
            return found | self._averaged(frozenset(self._own(how.of)), how)
        return found.union(*map(self._own, self._of_others(of)))

    def _of_others(self, of: str) -> Iterable[str]:
        """The functions or sets of which one is made, but for a mean."""
        how = self.made.get(of)
        return how if isinstance(how, Mapping) else [how.of] if isinstance(how, (Argmin, NormalCone)) else []

    def _averaged(self, of: frozenset[str], how: Mean | SampleMean) -> frozenset[str]:
        """On what a mean depends, by what that of which it is the mean depends on."""
        inside = self.inside(how.over)
        every = {self.together[how.over]} if how.over in self.together and of & inside - {how.over} else set()
        return (of - inside) | every | ({how.draw} if isinstance(how, SampleMean) else set())

    def own(self, of: str) -> frozenset[str]:
        """On what the gradients or images of a function depend beside its points, as is said or seen at one."""
        points = self.functions.get(of, {}).values()
        seen = (self.all_on(image) - self.all_on(x) for x, image, *_ in points if image is not None)
        differ = (self.own(part) & self.index_words for part in self._of_others(of))
        return frozenset(self._own(of)).union(*seen, *differ)

    @property
    def all_functions(self) -> set[str]:
        """The functions, maps and sets of which something is said."""
        return {*self.functions, *self.each, *self.made}

    def _beside(self, name: str, image: Vector) -> frozenset[str]:
        """On what the other parts of a gradient or image depend: one part is what they leave."""
        found: set[str] = set()
        for other in (n for n, _ in image.terms if n != name):
            if self._is_made(other):
                found |= self.on(other)
            else:
                found = found.union(*(self.all_on(x) | self._own(of) for of, x in self._of_its_own(other)))
        return frozenset(found)

    def _is_made(self, name: str) -> bool:
        """Whether it is said on what a vector depends, or of which others it is made."""
        return name in self.depends or name in self.means or name in self.sums

    def need_parts(self) -> None:
        """Refuse a gradient or image with two parts of which nothing is said, not even in which subspaces they lie.

        Raises:
            ValueError: there is one; each part might depend on anything.
        """
        for x, image, *_ in self._all_points:
            terms = dict(image.terms) if image is not None else {}
            parts = [n for n in terms if n not in dict(x.terms) and not self._is_made(n) and not self._of_its_own(n)]
            if len({self.blocks.get(n) for n in parts} - {None}) < len(parts) > 1:
                raise ValueError(f"say in depends on what {parts[0]} and {parts[1]} depend, of which {image} is made")

    def _of_its_own(self, name: str) -> list[tuple[str, Vector]]:
        """The functions of which a vector is a gradient or image, and where."""
        (alone,) = vectors(name)
        return [(of, p[0]) for of, known in self.functions.items() for p in known.values() if p[1] == alone != p[0]]

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The basic vectors."""
        points = (v for x, image, *_ in self._all_points for v in (x, image) if v is not None)
        made = (*self.sums.values(), *points)
        return tuple(dict.fromkeys((*self.depends, *self.means, *self.sums, *(n for v in made for n, _ in v.terms))))

    @cached_property
    def dependence(self) -> dict[str, str]:
        """On what each basic vector depends, as words in alphabetical order."""
        return {name: " ".join(sorted(self.on(name))) for name in self.names}

    @cached_property
    def all_words(self) -> tuple[str, ...]:
        """The indices and sources of randomness on which vectors depend."""
        stated = [word for text in self.depends.values() for word in text.split()]
        return tuple(dict.fromkeys((*stated, *(word for name in self.names for word in sorted(self.on(name))))))

    @cached_property
    def _knows(self) -> dict[str, frozenset[str]]:
        return {}

    @cached_property
    def _asked(self) -> list[str]:
        return []

    def all_on(self, vector: Vector) -> frozenset[str]:
        """On what a vector depends."""
        return frozenset().union(*(self.on(name) for name, _ in vector.terms))

    @cached_property
    def index_words(self) -> frozenset[str]:
        """The indices: what is not random, but one of several."""
        return frozenset({*self.sizes, *self.weighted})

    def inside(self, index: str) -> frozenset[str]:
        """An index and the sources that belong to it."""
        return frozenset({index, *(s for s, whole in self.within.items() if whole == index)})

    def scattered(self, name: str) -> frozenset[str]:
        """The sources on which a vector or a part of it depends and not on their index: it may depend on all copies."""
        parts = map(self.on, self.parts(name))
        return frozenset(s for own in parts for s in own & self.within.keys() if self.within[s] not in own)

    def knows(self, words: Set[str]) -> frozenset[str]:
        """Sources and indices, and those of all values of an index that the word of a mean over it stands for."""
        found, before = set(words), set[str]()
        while found != before:
            before = {*found}
            for index in (index for index, word in self.together.items() if word in found):
                found |= self.inside(index) - {index}
            for name, how in self.means.items():
                sources = self.inside(how.over) - {how.over}
                if sources & self.on(how.of) and found & self.on(name) - self.on(how.of):
                    found |= sources & self.on(how.of)
        return frozenset(found)

    def points(self, of: str, names: tuple[str, ...]) -> list[Point]:
        """Points of a function, by name.

        Raises:
            ValueError: there is no such function or point.
        """
        known = self.functions.get(of, {})
        if absent := [n for n in names if n not in known]:
            raise ValueError(f"{of} has the points {', '.join(known) or 'none'}, not {', '.join(absent)}")
        return [known[n] for n in names]

    def spot(self, name: str) -> Point:
        """A point of a function, by the names of both: ``f.x``.

        Raises:
            ValueError: there is no such function or point.
        """
        of, _, point = name.partition(".")
        return self.points(of, (point,))[0]

    def centred(self, name: str, given: Mapping[str, frozenset[str]]) -> frozenset[str] | None:
        """Given what a vector has mean zero, as follows from what its noises have; None where that is not known."""
        if name in given:
            return given[name]
        if name in self.sums:
            parts = [self.centred(part, given) for part, _ in self.sums[name].terms]
            known = [p for p in parts if p is not None]
            return frozenset.intersection(*known) if known and len(known) == len(parts) else None
        mean = self.means.get(name)
        if mean is None or (of := self.centred(mean.of, given)) is None:
            return None
        if isinstance(mean, SampleMean) and not {mean.over, mean.draw} <= of:
            return None
        return of - self.inside(mean.over)


#: What a method may see to.
METHOD = (Attained, Independent, Minimiser, Returned, Sampled)
#: What a setting says of the proofs that use it alone, and to readers.
_ITS_OWN = ("depends", "together", "each", "measured", "constants", "free", "fixed", "others", "words")
#: What a setting says of basic vectors by name.
_OF_VECTORS = ("dependence", "means", "sums", "blocks")


def _has(ours: Any, theirs: Any) -> bool:
    """Whether a mapping has all entries of another one; else whether both are the same."""
    if isinstance(theirs, Mapping) and isinstance(ours, Mapping):
        return all(key in ours and _has(ours[key], value) for key, value in theirs.items())
    return ours == theirs


def _unlike(ours: Mapping[Any, Any], theirs: Mapping[Any, Any]) -> set[Any]:
    """The keys of both with different values."""
    return {key for key in ours.keys() & theirs.keys() if ours[key] != theirs[key]}


@lru_cache(maxsize=1 << 14)
def _named(said: sp.Basic) -> frozenset[object]:
    """What an expression names: a term of a sequence by the name of the sequence."""
    terms = said.atoms(AppliedUndef)
    return frozenset({*(f.func for f in terms), *said.xreplace(dict.fromkeys(terms, sp.S.One)).free_symbols})


def _inside(vector: Vector) -> Iterator[sp.Symbol | str]:
    for name, factor in vector.terms:
        yield name
        yield from sp.sympify(factor).free_symbols
