"""What the names in a printed proof stand for, as far as its setting says it: a legend."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from string import ascii_uppercase

import sympy as sp
from sympy.core.function import AppliedUndef

from rateproof.theory.assumptions import (
    Minimiser,
    Returned,
    Unbiased,
)
from rateproof.theory.claim import Claim
from rateproof.theory.gram import Vector, vectors
from rateproof.theory.gram.facts import Point
from rateproof.theory.gram.vectors import factors, name_of
from rateproof.theory.proof.called import Called
from rateproof.theory.proof.printed import lemmas
from rateproof.theory.proof.setting import Argmin, HalfSquare, Mean, SampleMean, Setting
from rateproof.theory.proof.steps import Cite, Proof, Rule, Step

#: A meaning: words, and the vectors, forms and functions that it names.
Phrase = tuple["str | Vector | sp.Basic | _Function", ...]


@dataclass(frozen=True)
class Entry:
    """A name in a proof.

    Attributes:
        kind: what it names: ``vector``, ``number``, ``function``, ``dependence`` (of a vector) or ``source``.
        name: it, or the sum of the parts of a gradient.
        meaning: in words, or an equation from its sign on; empty where the setting has no word for it.
        within: the letters of the lemmas in which it means that, where it means something else elsewhere, too.
    """

    kind: str
    name: str
    meaning: str
    within: tuple[str, ...] = ()

    @property
    def named(self) -> str:
        """The name, and where it means that."""
        return f"{self.name} (in {', '.join(self.within)})" if self.within else self.name

    def __str__(self) -> str:
        return f"{self.named}{' ' if self.meaning.startswith('=') else ': '}{self.meaning}"


def legend(claim: Claim, proof: Proof, *, coded: bool = True) -> list[Entry]:
    """What the names in a proof and in the lemmas that stand beside it mean, by kind and name.

    Args:
        claim: it.
        proof: its proof, or another one.
        coded: whether names are those of the code; see :class:`theory.proof.called.Called`.
    """
    found: dict[tuple[str, str], dict[tuple[str, ...], list[str]]] = {}
    for letter, read in _readers(claim, proof, coded):
        for (kind, name), phrases in read.told.items():
            found.setdefault((kind, name), {}).setdefault(phrases, []).append(letter)
    out = []
    for (kind, name), meanings in sorted(found.items(), key=lambda item: (item[0][0], item[0][1].lower(), item[0])):
        # a lemma may say less of a name than the proof
        kept = [m for m in meanings if not any({*m} < {*more} for more in meanings)]
        out += [Entry(kind, name, "; ".join(m), tuple(meanings[m]) if len(kept) > 1 else ()) for m in kept]
    return out


def _readers(claim: Claim, proof: Proof, coded: bool = True) -> list[tuple[str, _Reader]]:
    beside = zip(ascii_uppercase, lemmas(proof), strict=False)
    return [
        *((a, _Reader(one, one.proof, Called(one, coded))) for a, one in beside if one.proof),
        ("the proof itself", _Reader(claim, proof, Called(claim, coded))),
    ]


def symbols_used(claim: Claim, proof: Proof) -> set[sp.Symbol]:
    """The symbols in a proof and in the lemmas beside it that are no inner products."""
    return {s for _, read in _readers(claim, proof) for s in read.seen if isinstance(s, sp.Symbol)}


@dataclass(frozen=True)
class _Function:
    """A function, map or set, and one of its points."""

    name: str
    point: str = ""

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True)
class _Reader:
    """A claim and its proof, as a reader goes through them."""

    claim: Claim
    proof: Proof
    called: Called

    @property
    def setting(self) -> Setting:
        return self.called.setting

    @cached_property
    def told(self) -> dict[tuple[str, str], tuple[str, ...]]:
        """Kind and name -> what it means."""
        found: dict[tuple[str, str], dict[str, None]] = {}
        for thing in self.seen:
            kind = "vector" if isinstance(thing, str) else "function" if isinstance(thing, _Function) else "number"
            for name, phrases in self._meanings(thing).items():
                found.setdefault((kind, name), {}).update(
                    dict.fromkeys("".join(map(self._written, p)) for p in phrases)
                )
        on = {name: self.setting.on(name) for name in self.seen if isinstance(name, str)}
        order = self.setting.all_words
        found |= {
            ("dependence", self.called.vector(name)): {", ".join(sorted(on[name], key=order.index)): None}
            for name in on
        }
        for source in {word for words in on.values() for word in words}:
            if words := dict.fromkeys(self._source(source)):
                found["source", source] = words
        return {named: tuple(phrases) for named, phrases in found.items()}

    @cached_property
    def seen(self) -> dict[str | _Function | sp.Basic, None]:
        """Vectors by name, functions and symbols that statement and steps name, and those that their meanings name."""
        left = [*self._named((self.claim.statement, self.proof.steps))]
        found: dict[str | _Function | sp.Basic, None] = {}
        while left:
            if (thing := left.pop()) not in found:
                found[thing] = None
                left += self._named([*self._meanings(thing).values()])
        return found

    def _named(self, thing: object) -> Iterator[str | _Function | sp.Basic]:
        """Names in a part of a proof or in phrases; of a citation those of ours."""
        if isinstance(thing, Vector):
            yield from (name for name, _ in thing.terms if name in self.setting.names)
            yield from self._named([c for _, c in thing.terms])
        elif isinstance(thing, sp.Basic):
            for part in sorted(thing.atoms(sp.Symbol, AppliedUndef), key=str):
                pair = factors(part) if isinstance(part, sp.Symbol) else None
                yield from self._named([vectors(name)[0] for name in pair] if pair else ())
                yield from () if pair else (part,)
        elif isinstance(thing, _Function):
            yield thing
        elif isinstance(thing, Rule):
            of, *points = (*map(str, thing.about), "")
            if of in self.setting.functions:
                yield from (_Function(of, point) for point in points)
            else:
                names = [p for p in map(str, thing.about) if p in self.setting.names]
                yield from self._named([*thing.about, *(vectors(name)[0] for name in names)])
        elif isinstance(thing, Cite):
            yield from self._named([*thing.at.values(), *thing.vectors.values()])
            yield from (_Function(of, point) for of, _, point in (p.partition(".") for p in thing.points.values()))
        elif isinstance(thing, Step):
            parts = (getattr(thing, f.name) for f in fields(thing) if f.name != "multipliers")
            yield from self._named([part for part in parts if not isinstance(part, str)])
        elif isinstance(thing, Mapping):
            yield from self._named([*thing, *thing.values()])
        elif isinstance(thing, Sequence) and not isinstance(thing, str):
            for part in thing:
                yield from self._named(part)

    def _written(self, part: object) -> str:
        if isinstance(part, Vector):
            return self.called.said(part)
        if isinstance(part, _Function):
            return self.called.function(part.name)
        return self.called.form(part) if isinstance(part, sp.Expr) else str(part)

    def _meanings(self, thing: str | _Function | sp.Basic) -> dict[str, list[Phrase]]:
        """What a name means, by the name under which a reader finds it."""
        if isinstance(thing, _Function):
            phrases = [*self._function(thing)]
            return {self.called.function(thing.name): phrases} if phrases else {}
        found: dict[str, list[Phrase]] = {}
        told = self._vector(thing) if isinstance(thing, str) else self._number(thing)
        for name, phrase in told:
            if phrase not in found.setdefault(name, []):
                found[name].append(phrase)
        if isinstance(thing, str) and not found and self.called.vector(thing) == thing:
            return {thing: []}
        return found

    # --- vectors

    def _vector(self, name: str) -> Iterator[tuple[str, Phrase]]:
        setting, (own,) = self.setting, vectors(name)
        called, word = self.called.vector(name), setting.words.get(name)
        if words := self.called.words(name):
            yield called, (words,)
        minimises = {(one.of, one.point): one.over for one in self.called.assumed if isinstance(one, Minimiser)}
        for of, point, at in self.called.points:
            yield from self._at(own, of, at)
            if at[0] == own and (over := minimises.get((of, point))):
                yield called, ("the minimiser of ", _Function(of), f" over {over}")
        for one in self.called.assumed:
            if isinstance(one, Unbiased) and one.of == name and not word:
                yield called, ("a noise",)
            elif isinstance(one, Returned) and one.of == name:
                yield called, (f"what the method returns, run on {one.loss} from {one.start}",)
        if (mean := setting.means.get(name)) and not self._is_gradient(name):
            kind = "weighted mean" if mean.over in setting.weighted else "mean"
            over = f"the drawn values of {mean.over} ({mean.draw})" if isinstance(mean, SampleMean) else mean.over
            yield called, (f"the {kind} of ", vectors(mean.of)[0], f" over {over}")
        if name in setting.sums and not self._is_gradient(name):
            yield called, ("= ", setting.sums[name])
        noises = [
            vectors(one.of)[0] for one in self.called.assumed if isinstance(one, Unbiased) and one.of in setting.sums
        ]
        for whole in noises if not word else ():
            if any(part == name for part, _ in setting.sums[name_of(whole)].terms):
                yield called, ("a part of ", whole)

    def _at(self, own: Vector, of: str, at: Point) -> Iterator[tuple[str, Phrase]]:
        """What a point of a function says of a vector: that it is the gradient or image there, or a part of it."""
        (name,), (x, image, *value) = (n for n, _ in own.terms), at
        if image is not None and self.called.is_set(of):
            if image != x and name in self._parts(image):
                yield self.called.said(image), ("the projection of ", x, " onto ", _Function(of))
        elif image is not None and name in (parts := self._parts(image)):
            if self.called.is_gradient(name):
                return
            both = f" ({' and '.join(self.setting.blocks[n] for n in parts)} part)" if len(parts) > 1 else ""
            yield self.called.said(image), (f"{self.called.gradient(of)} of ", _Function(of), " at ", x, both)
        elif image is not None and x == own and name_of(image) == "":
            if value and value[0] is not None and value[0] == self.setting.infima.get(of):
                yield self.called.vector(name), ("a minimiser of ", _Function(of))
            elif not self._parts(image):
                yield (
                    self.called.vector(name),
                    (f"a point where {self.called.gradient(of)} of ", _Function(of), " is ", image),
                )

    def _parts(self, image: Vector) -> tuple[str, ...]:
        """The names of a gradient: itself, or its parts in the blocks, whose sum it is; none of another combination."""
        names = tuple(name for name, c in image.terms if c == 1)
        blocks = {self.setting.blocks.get(name) for name in names} - {None}
        return names if len(names) == len(image.terms) and (len(names) == 1 or len(blocks) == len(names)) else ()

    def _is_gradient(self, name: str) -> bool:
        return any(
            at[1] is not None and name in self._parts(at[1]) and not self.called.is_set(of)
            for of, _, at in self.called.points
        )

    # --- numbers

    def _number(self, number: sp.Basic) -> Iterator[tuple[str, Phrase]]:
        setting = self.setting
        for metric, form in (*setting.metrics.items(), *setting.ties.items()):
            of = metric.base if metric.is_Pow else metric.func if isinstance(metric, AppliedUndef) else metric
            if of in (number, number.func):
                yield str(metric), ("= ", sp.sympify(form))
        for kind, says in (
            ("lengths", "the mean of the norm of "),
            ("bounds", "a bound on the norm of "),
            ("squares", "the mean square of "),
        ):
            if vector := getattr(setting, kind).get(number):
                yield str(number), (says, vector)
        for kind, says in (("minima", "the least"), ("maxima", "the largest")):
            if number in (known := getattr(setting, kind)):
                term, (index, first, last) = known[number]
                yield str(number), (f"{says} ", term, f" for {index} from {first} to {last}")
        places: dict[Vector, list[_Function]] = {}
        for of, _, at in self.called.points:
            if number in at[2:] and _Function(of) not in places.setdefault(at[0], []):
                places[at[0]].append(_Function(of))
        for x, functions in places.items():
            yield str(number), ("the value of ", *_listed(functions), " at ", x)
        for of, least in setting.infima.items():
            if least == number:
                yield str(number), ("the infimum of ", _Function(of))

    # --- functions and sources

    def _function(self, one: _Function) -> Iterator[Phrase]:
        setting, how = self.setting, self.setting.made.get(one.name)
        if words := self.called.words(one.name):
            yield (words,)
        if isinstance(how, Mean):
            kind = "weighted mean" if how.over in setting.weighted else "mean"
            yield (f"the {kind} of ", _Function(how.of), f" over {how.over}")
        elif isinstance(how, Argmin):
            yield ("the minimisers of ", _Function(how.of))
        elif isinstance(how, HalfSquare) and not setting.words.get(one.name):
            centres = [x - image for x, image, *_ in setting.functions.get(one.name, {}).values() if image is not None]
            yield ("half the squared distance from ", centres[0]) if centres else ("half a squared distance",)
        elif isinstance(how, Mapping):
            yield ("= ", *_combined(how))
        at = setting.functions.get(one.name, {}).get(one.point)
        if at and self.called.point(one.name, one.point) == one.point != self.called.said(at[0]):
            yield (f"{one.point} = ", at[0])

    def _source(self, source: str) -> Iterator[str]:
        setting = self.setting
        if word := setting.words.get(source):
            yield word
        if source in setting.index_words:
            size = setting.sizes.get(source)
            yield ("an index" if size is None else f"one of {size}") + ", by weights" * (source in setting.weighted)
        if source in setting.within:
            which = "before each" if source in setting.earlier else "for each"
            yield f"drawn {which} {setting.within[source]}"


def _listed(functions: Sequence[_Function]) -> Iterator[str | _Function]:
    for i, one in enumerate(functions):
        yield from (", ", one) if i else (one,)


def _combined(parts: Mapping[str, sp.Expr]) -> Iterator[str | _Function]:
    """A combination of functions."""
    for i, (name, factor) in enumerate(parts.items()):
        before, _, after = str(factor * sp.Symbol("~")).partition("~")
        yield from (" + " * (i > 0) + before, _Function(name), after)
