"""An instance of a setting with finitely many outcomes, in integers: every vector that the setting leaves open is drawn
at random among those that its words, and what a claim assumes of noises and draws, admit.

What the words stand for:

- An index has two or three values, each as likely as the others or with weights; so has a source over which a mean is
  taken. A draw is a set of values of an index, drawn uniformly without replacement where this is assumed, and else any
  set with some chance. Every other word is a source with two values, apart from all others.
- Two sources of which noises know one each may be one source: a noise knows the parts of both, unless it is assumed to
  be independent of one.
- A source within an index has one copy for each value of the index. A vector with both knows its own copy. Where the
  copies need not be apart, as no noise is independent over the index and no word holds the earlier ones, it knows all.
- A source within an index in a vector *without* the index may be read in two ways: the copy at the value that is looked
  at (so that the vector is another one for each value), or all copies together. The rules have to be true either way:
  such a vector knows the value of the index, its own copy, and all copies.
- An ``earlier`` word stands for all copies, of all sources within the index, at smaller values.
- A word that a mean has of its own stands for all of which the mean is made: the copies at all values of its index.
- A noise has mean zero given what is assumed, and no more: that conditional mean is subtracted from any function. It
  does not know a source of which it is independent. Where it is independent over an index, the sources have a part
  for each value of the index, and the noise knows its own part, of the past that it is given all; else it knows all
  parts, as all other vectors do.
- Vectors have a coordinate for each subspace in which the setting puts some, and no other where they lie in one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from itertools import combinations, product
from math import lcm, prod
from random import Random

import numpy as np
import sympy as sp

from rateproof.theory.assumptions import Assumption, Independent, IndependentOf, Sampled, Unbiased, Weighted
from rateproof.theory.gram import Vector
from rateproof.theory.gram.vectors import factors
from rateproof.theory.proof import SampleMean, Setting

#: A source of randomness, or an index: a name, and for a part of a source the values of indices that it belongs to.
Axis = tuple[str, tuple[tuple[str, int], ...]]
#: The coordinates of the vectors: no part of the outcome, but summed over like one.
COORDINATE: Axis = ("", ())


class NotBuilt(ValueError):  # noqa: N818 - it is an answer, not a fault
    """There would be too many outcomes, or it is not said here how to make a noise as is assumed."""


@dataclass(frozen=True)
class Exact:
    """An array of rational numbers with one denominator."""

    over: np.ndarray
    by: int = 1

    def __add__(self, other: Exact) -> Exact:
        by = lcm(self.by, other.by)
        return Exact(self.over * (by // self.by) + other.over * (by // other.by), by).reduced()

    def __mul__(self, factor: Fraction) -> Exact:
        return Exact(self.over * factor.numerator, self.by * factor.denominator).reduced()

    def reduced(self) -> Exact:
        common = int(np.gcd(np.gcd.reduce(self.over, axis=None), self.by))
        return Exact(self.over // common, self.by // common)

    def mean(self, axis: int, weights: np.ndarray) -> Exact:
        """The weighted mean along an axis, which keeps the length one."""
        if self.over.shape[axis] == 1:
            return self
        shape = [-1 if i == axis else 1 for i in range(self.over.ndim)]
        return Exact(
            (self.over * weights.reshape(shape)).sum(axis, keepdims=True), self.by * int(weights.sum())
        ).reduced()


@dataclass(frozen=True)
class Instance:
    """A setting with numbers for all that it leaves open.

    Attributes:
        large: the indices that have three values; others have two.
        most: how many outcomes are looked at.
    """

    setting: Setting
    assumed: tuple[Assumption, ...]
    large: frozenset[str] = frozenset()
    seed: int = 0
    most: int = 20_000
    _values: dict[str, Exact] = field(default_factory=dict)

    # --- what the words stand for

    @cached_property
    def words(self) -> set[str]:
        """The words in use."""
        return {*self.setting.all_words} | self._over

    @cached_property
    def _over(self) -> set[str]:
        """What means are taken over, and what sources in use are within."""
        used = {*self.setting.all_words}
        return {how.over for how in self.setting.means.values()} | {
            i for s, i in self.setting.within.items() if s in used
        }

    def size(self, index: str) -> int:
        """How many values an index has."""
        return 3 if index in self.large else 2

    @cached_property
    def indices(self) -> dict[str, np.ndarray]:
        """Indices, and sources over which means are taken -> the weights of their values."""
        setting = self.setting
        alike = {*setting.sizes, *(how.over for how in setting.means.values() if isinstance(how, SampleMean))}
        names = sorted(self._over | (self.words & setting.index_words))
        even = {n: n in alike and n not in setting.weighted for n in names}
        return {n: np.ones(self.size(n), int) if even[n] else np.arange(1, self.size(n) + 1) for n in names}

    @cached_property
    def draws(self) -> dict[str, list[tuple[int, ...]]]:
        """Draws -> the sets that may be drawn."""
        of = {how.draw: self.size(how.over) for how in self.setting.means.values() if isinstance(how, SampleMean)}
        sampled = {a.of: self.number(a.count) for a in self.assumed if isinstance(a, Sampled)}
        counts = {d: [int(sampled[d])] if d in sampled else range(1, of[d] + 1) for d in sorted(of)}
        return {d: [c for n in ns for c in combinations(range(of[d]), n)] for d, ns in counts.items()}

    @cached_property
    def within(self) -> dict[str, str]:
        """Sources in use -> the index that they are within."""
        return {s: i for s, i in self.setting.within.items() if s in self.words}

    def copied(self, index: str) -> list[str]:
        """The sources that have copies of their own: an earlier one has none, unless it is all there is."""
        inside = [s for s, i in self.within.items() if i == index]
        return [s for s in inside if s not in self.setting.earlier] or inside

    @cached_property
    def given(self) -> dict[str, set[str]]:
        """Noises that the setting has -> given what they have mean zero."""
        return {
            a.of: {*a.given.split()} | {i.source for i in self._apart if i.of == a.of}
            for a in self.assumed
            if isinstance(a, Unbiased) and a.of in self.setting.names
        }

    @cached_property
    def independent(self) -> set[tuple[str, str]]:
        """Noises and the indices over which they are independent."""
        return {
            (a.of, a.over)
            for a in self.assumed
            if isinstance(a, Independent) and a.of in self.given and a.over in self.setting.on(a.of)
        }

    def splits(self, source: str) -> list[str]:
        """The indices for each value of which a source has a part of its own."""
        own = {over for e, over in self.independent if source in self._sources(e)}
        return sorted((own - {source} | ({self.within[source]} if source in self.within else set())) & {*self.indices})

    def _sources(self, noise: str) -> set[str]:
        """What makes a noise, and is not given."""
        new = self.setting.on(noise) - self.given[noise] - {*self.indices}
        past = {self.within[w] for w in new & {*self.setting.earlier} & self.within.keys()}
        return new.union(*map(self.copied, past))

    @cached_property
    def also(self) -> dict[str, set[str]]:
        """Sources of noises -> others, of the same kind, that may be the same source."""
        new = {e: self._sources(e) for e in self.given}
        sources = set().union(*new.values()) - {*self.draws, *self.whole}
        found = dict[str, set[str]]()
        for a, b in combinations(sorted(sources), 2):
            told = any(a in self.given[e] for e in new if b in new[e])
            apart = any({x.source, *self.setting.on(x.of)} >= {a, b} for x in self._apart)
            if not (told or apart) and self.within.get(a) == self.within.get(b) and self.splits(a) == self.splits(b):
                found.setdefault(a, set()).add(b)
        return found

    @cached_property
    def _apart(self) -> list[IndependentOf]:
        return [a for a in self.assumed if isinstance(a, IndependentOf) and a.of in self.setting.names]

    @cached_property
    def whole(self) -> dict[str, set[str]]:
        """Words that means have of their own -> the sources within indices of which the means are made."""
        setting, found = self.setting, dict[str, set[str]]()
        for name, how in setting.means.items():
            drawn = {how.draw} if isinstance(how, SampleMean) else set()
            own = setting.on(name) - (setting.on(how.of) - setting.inside(how.over)) - drawn
            inside = {
                s for w in setting.on(how.of) & setting.inside(how.over) - {how.over} for s in self.copied(how.over)
            }
            for word in own - {*self.setting.within} if inside else ():
                found.setdefault(word, set()).update(inside)
        return found

    @cached_property
    def parts(self) -> dict[str, list[Axis]]:
        """Sources -> their parts, each with two values."""
        copied = {s for i in self.indices for s in self.copied(i)}
        plain = self.words - {*self.indices, *self.draws, *self.within, *self.whole}
        ways = {s: [[(i, v) for v in range(self.size(i))] for i in self.splits(s)] for s in sorted(copied | plain)}
        return {s: [(s, at) for at in product(*split)] for s, split in ways.items()}

    @cached_property
    def axes(self) -> dict[Axis, np.ndarray]:
        """All that an outcome consists of -> the weights of its values."""
        draws = {
            d: np.ones(len(c), int) if self._sampled(d) else np.arange(1, len(c) + 1) for d, c in self.draws.items()
        }
        named = {(n, ()): w for n, w in (self.indices | draws).items()}
        found: dict[Axis, np.ndarray] = named | {p: np.ones(2, int) for group in self.parts.values() for p in group}
        if (outcomes := prod(map(len, found.values()))) > self.most:
            raise NotBuilt(f"{outcomes} outcomes")
        return {COORDINATE: np.ones(max(1, len(self.subspaces)), int)} | found

    @cached_property
    def subspaces(self) -> list[str]:
        """The subspaces in which vectors lie, one for each coordinate."""
        return sorted({*self.setting.blocks.values()})

    def _sampled(self, draw: str) -> bool:
        return any(isinstance(a, Sampled) and a.of == draw for a in self.assumed)

    def seen(self, words: Iterable[str], at: Mapping[str, int], noise: str = "") -> set[Axis]:
        """What words stand for at values of indices."""
        words = {*words}
        return {p for word in words for p in self._seen(word, words, at, noise)}

    def _seen(self, word: str, words: set[str], at: Mapping[str, int], noise: str) -> Iterator[Axis]:
        if word in self.indices or word in self.draws:
            yield word, ()
        elif word in self.whole:
            yield from (p for s in self.whole[word] for p in self.parts[s])
        elif word in self.within:
            index = self.within[word]
            past = word in self.setting.earlier
            ordered = any(s in self.setting.earlier for s, i in self.setting.within.items() if i == index)
            apart = ordered or any(over == index and word in self.setting.on(e) for e, over in self.independent)
            for part in [p for s in self.copied(index) for p in self.parts[s]] if past else self._with(word):
                where = dict(part[1])
                there = where[index] < at[index] if past else where[index] == at[index]
                if (there or not apart or index not in words) and self._own(noise, word, where, at):
                    yield part
        else:
            yield from (p for p in self._with(word) if self._own(noise, word, dict(p[1]), at))

    def _with(self, word: str) -> list[Axis]:
        """The parts of a source, and of those that it may be."""
        return [p for s in (word, *sorted(self.also.get(word, ()))) for p in self.parts[s]]

    def _own(self, noise: str, word: str, where: Mapping[str, int], at: Mapping[str, int]) -> bool:
        """Whether a noise knows a part of a source: the past that it is given, and else its own."""
        past = word in self.setting.earlier and word in self.given.get(noise, ())
        return past or all(where[i] == at[i] for i in where if (noise, i) in self.independent)

    # --- numbers

    def number(self, said: object) -> Fraction:
        """A constant: sizes of indices and samples and the largest weight are as they are, others arbitrary."""
        expr = sp.sympify(said)
        value = expr.xreplace({s: sp.Rational(*self._constants(s).as_integer_ratio()) for s in expr.free_symbols})
        return Fraction(int(value.p), int(value.q))

    @cached_property
    def _of_sizes(self) -> dict[sp.Symbol, Fraction]:
        """The symbols with which sizes of indices are written, such as the batch in ``N * batch``."""
        known: dict[sp.Symbol, Fraction] = {}
        sizes = {index: sp.sympify(size) for index, size in self.setting.sizes.items() if index in self.indices}
        for index, size in sorted(sizes.items(), key=lambda item: len(item[1].free_symbols)):
            *ones, last = [*sorted(size.free_symbols - {*known}, key=str)] or [None]
            known |= dict.fromkeys(ones, Fraction(1))
            if last is not None:
                times = (size / last).xreplace({s: sp.Rational(*x.as_integer_ratio()) for s, x in known.items()})
                known[last] = self.size(index) / Fraction(int(times.p), int(times.q))
        return known

    def _constants(self, symbol: sp.Symbol) -> Fraction:
        sampled = [a for a in self.assumed if isinstance(a, Sampled)]
        if symbol in self._of_sizes:
            return self._of_sizes[symbol]
        over = {how.draw: how.over for how in self.setting.means.values() if isinstance(how, SampleMean)}
        for a in (a for a in sampled if a.of in over):
            if symbol in (a.size, a.count):
                return Fraction(self.size(over[a.of]) - (symbol != a.size))
        for a in self.assumed:
            if isinstance(a, Weighted) and symbol in a.largest.free_symbols and a.of in self.indices:
                weights = self.indices[a.of]
                most = Fraction(int(max(weights)) * len(weights), int(weights.sum()))
                return most / self.number(a.largest / symbol)
        return Fraction(1, Random(f"{self.seed} {symbol}").randint(2, 3))

    # --- vectors

    def value(self, name: str) -> Exact:
        """A vector in all outcomes; axes on which it does not depend have length one."""
        if name not in self._values:
            self._values[name] = self._made(name)
        return self._values[name]

    def _made(self, name: str) -> Exact:
        how, total = self.setting.means.get(name), self.setting.sums.get(name)
        if isinstance(how, SampleMean):
            return self._drawn(self.value(how.of), how)
        if how is not None:
            return self.value(how.of).mean(self._place[how.over, ()], self.indices[how.over])
        if total is not None:
            assert name not in self.given, f"{name} is a noise and a combination"
            return sum(
                (self.value(n) * self.number(c) for n, c in total.terms), Exact(np.zeros([1] * len(self.axes), int))
            )
        raw = self._generic(name)
        return raw + self._foreseen(name, raw) * Fraction(-1) if name in self.given else raw

    @cached_property
    def _place(self) -> dict[Axis, int]:
        return {axis: i for i, axis in enumerate(self.axes)}

    def _ways(self, words: Iterable[str]) -> list[dict[str, int]]:
        """The values of the indices that words have, or are within."""
        names = sorted({self.within.get(w, w) for w in words} & {*self.indices})
        return [dict(zip(names, at, strict=True)) for at in product(*(range(self.size(n)) for n in names))]

    def _at(self, where: Mapping[str, int]) -> tuple[int | slice, ...]:
        """The outcomes in which indices have these values."""
        return tuple(slice(where[a], where[a] + 1) if not p and a in where else slice(None) for a, p in self.axes)

    def _generic(self, name: str) -> Exact:
        """Any function of what its words stand for."""
        words = self.setting.on(name) - {a.source for a in self._apart if a.of == name}
        rng = np.random.default_rng([self.seed, *name.encode()])
        ways = [(at, self.seen(words, at, name)) for at in self._ways(words)]
        everything = {COORDINATE}.union(*(seen for _, seen in ways), ((i, ()) for i in ways[0][0]))
        out = np.zeros([len(w) if a in everything else 1 for a, w in self.axes.items()], int)
        for at, seen in ways:
            shape = [len(w) if a in {COORDINATE} | seen and a[0] not in at else 1 for a, w in self.axes.items()]
            out[self._at(at)] = rng.integers(-3, 4, shape)
        if block := self.setting.blocks.get(name):
            out[[b != block for b in self.subspaces]] = 0
        return Exact(out)

    def _foreseen(self, name: str, raw: Exact) -> Exact:
        """What a noise would be in the mean, given what it is given."""
        given, words = self.given[name] & self.words, self.setting.on(name)
        if any(self.within.get(w, w) not in {w, *given} for w in given):
            raise NotBuilt(f"{name} has mean zero given a source, and not given which copy")
        indices = {*self._ways(words)[0]}
        if self.whole.keys() & words and any(self.within[w] not in indices for w in given & self.within.keys()):
            raise NotBuilt(f"{name} knows all copies of a source of which it is given one")
        common = (words - given) & {*self.draws, *self.whole} | self.setting.scattered(name)
        if common and any(e == name for e, _ in self.independent):
            raise NotBuilt(f"{name} is independent over an index and knows what all of its values have")
        pieces = []
        for at in self._ways(words):
            told = {w for w in given if self.within.get(w) in {None, *indices}}
            piece = Exact(raw.over[self._at(at)], raw.by)
            for axis in self.seen(words, at, name) - self.seen(told, at):
                piece = piece if axis[0] in at else piece.mean(self._place[axis], self.axes[axis])
            pieces.append((at, piece))
        total = Exact(np.zeros_like(raw.over), lcm(*(piece.by for _, piece in pieces)))
        for at, piece in pieces:
            total.over[self._at(at)] = piece.over * (total.by // piece.by)
        for index in words & {*self.indices} - given:
            total = total.mean(self._place[index, ()], self.indices[index])
        return total

    def _drawn(self, of: Exact, how: SampleMean) -> Exact:
        """The mean over those that are drawn; where the values have weights, of ``size w_i`` times the vector."""
        index, draws, weights = self._place[how.over, ()], self.draws[how.draw], self.indices[how.over]
        most, even = lcm(*map(len, draws)), how.over not in self.setting.weighted
        times = [1 if even else len(weights) * int(w) for w in weights]
        each = [of.over.take(i if of.over.shape[index] > 1 else 0, index) * t for i, t in enumerate(times)]
        means = [sum(each[i] for i in drawn) * (most // len(drawn)) for drawn in draws]
        out = np.concatenate([np.expand_dims(m, index) for m in means], self._place[how.draw, ()])
        return Exact(out, of.by * most * (1 if even else int(weights.sum()))).reduced()

    # --- the mean over all outcomes

    @cached_property
    def names(self) -> list[str]:
        """The vectors."""
        return [*self.setting.names]

    @cached_property
    def _chances(self) -> np.ndarray:
        """How often every outcome occurs."""
        shapes = np.ix_(*self.axes.values())
        return np.asarray(prod(shapes[1:], start=shapes[0]))

    @cached_property
    def _rows(self) -> np.ndarray:
        """The vectors in all outcomes, each times its denominator."""
        return np.array([np.broadcast_to(self.value(n).over, self._chances.shape).ravel() for n in self.names])

    def combined(self, vector: Vector) -> Exact:
        """A combination of vectors, in all outcomes."""
        zero = Exact(np.zeros([1] * len(self.axes), int))
        return sum((self.value(n) * self.number(c) for n, c in vector.terms), zero)

    def orthogonal(self, vector: Vector) -> dict[str, bool]:
        """Whether the mean over all outcomes of the product of a combination with each vector is zero."""
        weighted = (self.combined(vector).over * self._chances).ravel()
        assert float(np.abs(weighted).max(initial=0)) * np.abs(self._rows).max() * weighted.size < 2**62
        return dict(zip(self.names, self._rows @ weighted == 0, strict=True))

    def product(self, u: str, v: str) -> Fraction:
        """``E <u, v>``."""
        a, b = self.value(u), self.value(v)
        return Fraction(int((a.over * b.over * self._chances).sum()), a.by * b.by * int(self._chances[0].sum()))

    def holds(self, relation: sp.Rel) -> bool:
        """Whether a relation between inner products and constants is true."""
        pairs = {s: self.product(*pair) for s in relation.free_symbols if (pair := factors(s))}
        known = {s: sp.Rational(*v.as_integer_ratio()) for s, v in pairs.items()}
        left, right = (self.number(side.xreplace(known)) for side in relation.args)
        return {"==": left == right, "<=": left <= right, ">=": left >= right}[relation.rel_op]


def instance(setting: Setting, assumed: tuple[Assumption, ...], seed: int = 0) -> Instance:
    """The largest instance that can be built: three values for all indices, for those that are drawn from, or for none.

    Raises:
        NotBuilt: there is none.
    """
    drawn = {how.over for how in setting.means.values() if isinstance(how, SampleMean)}
    every = {*setting.within.values(), *setting.index_words, *(how.over for how in setting.means.values())}
    why = ""
    for large in (every, drawn, set[str]()):
        built = Instance(setting, assumed, frozenset(large), seed)
        try:
            for name in setting.names:
                built.value(name)
        except NotBuilt as error:
            why = str(error)
        else:
            return built
    raise NotBuilt(why)
