"""A cited claim among ours: what its vectors, functions, constants and metrics are here, and what it assumes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations, product

import sympy as sp
from sympy.core.function import AppliedUndef

from rateproof.theory import symbols
from rateproof.theory.algebra import each_side
from rateproof.theory.assumptions import (
    Assumption,
    Attained,
    BoundedVariance,
    EveryPoint,
    EveryRound,
    Independent,
    IndependentOf,
    Lipschitz,
    Minimiser,
    Monotone,
    Returned,
    Sampled,
    Smooth,
    Unbiased,
)
from rateproof.theory.claim import Claim, conjuncts, expand_definitions, symbols_of
from rateproof.theory.gram import Vector, dot, vectors
from rateproof.theory.gram.vectors import factors, inner
from rateproof.theory.proof.context import SHARED, Context
from rateproof.theory.proof.indices import with_own_indices
from rateproof.theory.proof.rules import Refused
from rateproof.theory.proof.setting import Argmin, Mean, NormalCone, Setting
from rateproof.theory.proof.steps import Cite

_RANDOM = (Unbiased, BoundedVariance, Independent, IndependentOf, Sampled)


@dataclass(frozen=True)
class Cited:
    """A claim that is cited, and where.

    Attributes:
        other: the claim.
        how: the constants that are chosen, and the points and vectors at which it is used.
        context: our claim.
    """

    other: Claim
    how: Cite
    context: Context

    @cached_property
    def there(self) -> Setting:
        """Its setting."""
        return self.other.setting or Setting()

    @property
    def here(self) -> Setting:
        """Ours."""
        return self.context.setting

    @property
    def placed(self) -> bool:
        """Whether it is used at other points or vectors; else its metrics are ours, or terms of sequences."""
        return bool(self.how.points or self.how.vectors)

    @cached_property
    def assumed(self) -> list[Assumption]:
        """What its hypotheses say, with types."""
        return [a for h in self.other.hypotheses for a in h.says]

    @cached_property
    def theirs(self) -> Context:
        """What its own proof may take for granted."""
        return Context(self.other, self.there)

    def relations(self, known: Iterable[sp.Rel]) -> list[sp.Rel]:
        """What it states, written for our claim.

        Args:
            known: what is shown of our claim without a condition.

        Raises:
            Refused: it is not of ours, or assumes what ours does not.
        """
        other, there, context = self.other, self.there, self.context
        if other.statement is not None and symbols.C_O in other.statement.free_symbols:
            raise Refused(f"{other.id} has a constant that is hidden")
        if self.placed:
            if unlike := there.weighted_unlike(self.here):
                raise Refused(f"the values of {min(unlike)} do not have weights in both {other.id} and the claim")
        elif not self._speaks_alike():
            raise Refused(
                f"{other.id} is stated in another setting; say at which points it is used, or name the setting"
            )
        shown = [*known]
        self._choices(shown)
        if other.paper != context.claim.paper and not self.placed:
            raise Refused(f"{other.id} is of another paper: say at which points it is used")
        self._vectors_fit()
        texts = {(h.key, h.text) for h in context.claim.hypotheses}
        for h in other.hypotheses:
            if h.relation is None and not h.says and (h.key, h.text) not in texts:
                raise Refused(f"{other.id} assumes '{h.text}', which the claim does not")
        # what a method sees to, a setting that is the same sees to; a point that is not named is no minimum here
        unplaced = (a for a in self._method if self.placed and isinstance(a, Minimiser) and self._place(a) is None)
        method = [a for a in self._method if a not in {*unplaced}]
        for assumption in (*method, *self.assumed):
            if self.placed and isinstance(assumption, Lipschitz):
                raise Refused(f"whether {assumption.of} is random at our points, only its proof taken again can tell")
            said = self._said(assumption)
            if isinstance(said, (Lipschitz, Monotone)):
                context.rules.need_map(said.of)
            if said not in context.rules.assumed and said != context.rules.one(type(said), said.of):
                raise Refused(f"{other.id} assumes {said}, which the claim does not")
        supposed = [r for h in other.hypotheses for r in conjuncts(h.relation)]
        stated = conjuncts(other.statement)
        if other.proof is None:  # another proof shows a statement where it has a meaning
            meant = [c for r in stated for c in self.theirs.meaning(r, every_power=True)]
            supposed += meant
        wants = [self.written(r) for r in (*supposed, *self.theirs.ruled)]
        for needed in wants:
            wanted = self._form(needed)
            if not any(self._form(r) == wanted for r in (*context.relations, *context.ruled, *shown)):
                context.need(needed, [r for r in shown if r.free_symbols <= needed.free_symbols])
        found = [self.written(r) for r in stated]
        if not (self.placed or self.here.has(there)):  # the vectors of another setting are others
            local = {s for r in (*found, *wants) for s in r.free_symbols if factors(s) or s in there.values}
            if odd := sorted(map(str, local - {s for e in there.infima.values() for s in e.free_symbols})):
                raise Refused(f"{odd[0]} belongs to another setting")
        # for it a symbol of ours has the sign that it is declared to have
        for symbol in symbols_of(*found, *wants) & context.unsigned.keys() - self.theirs.unsigned.keys():
            context.need_fit(symbol, symbol, shown)
        return found

    # --- the setting, and what may be chosen

    @property
    def _method(self) -> list[Assumption]:
        """What its method sees to, at other points; what it returns, it returns with its own randomness.

        Among our own metrics it is what is presumed of minima, of which our statement need not speak.
        """
        own = self.theirs.presumed(self.there)
        if not self.placed:
            ours = self.context.presumed(self.there)
            return [a for a in own if a not in ours and isinstance(a, (Attained, Minimiser))]
        made = any(isinstance(a, Returned) for a in own)
        elsewhere = [a for s in self.there.family for a in s.assumes if a not in own]
        return [*own, *(a for a in elsewhere if not (made and isinstance(a, _RANDOM)))]

    def _speaks_alike(self) -> bool:
        """Whether metrics mean there what they mean here: ours, with those it names, says all that those there say."""
        return all(any(ours.has(theirs) for ours in self.here.family) for theirs in self.there.family)

    @cached_property
    def functions(self) -> dict[str, str]:
        """Function of it -> the one of ours in its place."""
        found: dict[str, str] = {}
        for old, new in self.how.points.items():
            of, ours = old.partition(".")[0], new.partition(".")[0]
            if found.setdefault(of, ours) != ours:
                raise Refused(f"{of} of {self.other.id} would be {found[of]} and {ours}")
        return found

    def _choices(self, shown: list[sp.Rel]) -> None:
        """Refuse to choose what it measures, or what its metrics depend on, and what is no whole number for its own."""
        there, other, context = self.there, self.other, self.context
        free = {*there.free}
        if self.placed:
            fixed = (
                *there.infima.values(),
                *there.sizes.values(),
                *(e for a in there.assumes for e in a.constants.values()),
            )
            free |= SHARED | {s for a in self.assumed for e in a.constants.values() for s in e.free_symbols}
            free -= {s for e in fixed for s in e.free_symbols} | there.meanings | (there.numbers - {*there.free})
        else:
            free -= there.structure | there.coefficients | there.behind((*there.scalars, *there.meanings))
        for symbol, value in self.how.at.items():
            if symbol not in free or symbol in other.where:
                raise Refused(f"{symbol} of {other.id} is not free to choose")
            context.need_fit(symbol, value, shown)
        for symbol in there.counts if self.placed else ():
            context.need_whole(self.how.at.get(symbol, symbol))
        if odd := sorted(name for name in self.functions if not self._made_alike(name)):
            raise Refused(f"{odd[0]} is made of other functions in {other.id}")

    def _made_alike(self, name: str) -> bool:
        """Whether a function of it is made of others as the one of ours in its place is."""
        how, ours = self.there.made.get(name), self.here.made.get(self._function(name))
        if isinstance(how, Mapping):
            how = {self._function(n): self._chosen(sp.sympify(c)) for n, c in how.items()}
        elif isinstance(how, (Mean, Argmin, NormalCone)):
            how = replace(how, of=self._function(how.of))
        return (dict(ours) if isinstance(ours, Mapping) else ours) == how

    def _function(self, name: str) -> str:
        return self.functions.get(name, name)

    def _chosen(self, expr: sp.Expr) -> sp.Expr:
        """A constant, size or factor with the constants that are chosen.

        Raises:
            Refused: it is made of what is measured at other points, or of what is defined otherwise.
        """
        if odd := sorted(map(str, expr.free_symbols & self._unlike)):
            raise Refused(f"{odd[0]} of {self.other.id} is another number here")
        return expr.subs(self.how.at, simultaneous=True)

    @cached_property
    def _unlike(self) -> set[sp.Symbol]:
        """Symbols of it that are other numbers here."""
        expand, ours, there = self.other.expand, self.context.claim.expand, self.there
        measured = (there.meanings | there.numbers) - {*there.free} if self.placed else set()
        return measured | {
            s
            for s, e in self.other.where.items()
            if expand(e).free_symbols & measured or ours(expand(e).subs(self.how.at, simultaneous=True)) != ours(s)
        }

    def _renamed(self, of: str) -> str:
        """What an assumption is about, among ours: a function, or a noise in the place of a noise."""
        if of not in self.vector:
            return self._function(of)
        terms = self.vector[of].terms
        if [factor for _, factor in terms] != [1]:
            raise Refused(f"{of} is a noise, and {self.vector[of]} is none")
        return terms[0][0]

    def _said(self, assumption: Assumption) -> Assumption:
        """An assumption of it as one of ours."""
        if isinstance(assumption, (EveryPoint, EveryRound)):
            return self._for_all(assumption)
        constants: dict[str, object] = {name: self._chosen(e) for name, e in assumption.constants.items()}
        if isinstance(assumption, Minimiser):
            place = self._place(assumption) or assumption.point
            constants |= {"point": place.rpartition(".")[2], "over": self._function(assumption.over)}
        if isinstance(assumption, Returned):
            constants |= {"loss": self._function(assumption.loss), "start": self._renamed(assumption.start)}
        if isinstance(assumption, Smooth):
            constants["on"] = assumption.on and self._function(assumption.on)
        return replace(assumption, of=self._renamed(assumption.of), **constants)

    def _for_all(self, assumption: EveryPoint | EveryRound) -> Assumption:
        """What it assumes at every point or round, with our constants.

        Raises:
            Refused: its vectors, points or terms need not be ours.
        """
        of, other = assumption.of, self.other
        bound = {assumption.over} if isinstance(assumption, EveryRound) else set()
        if self.placed or (isinstance(assumption, EveryPoint) and not self.here.has(self.there)):
            raise Refused(f"{other.id} assumes a relation of {of} everywhere; cite it in its own setting only")
        at = {s: value for s, value in self.how.at.items() if s not in bound}
        if odd := sorted(map(str, assumption.symbols & self._unlike)):
            raise Refused(f"{odd[0]} of {other.id} is another number here")
        if any(value.free_symbols & bound for value in map(sp.sympify, at.values())):
            raise Refused(f"what {other.id} assumes for all {min(map(str, bound))} is not at one of them")

        def placed(e: sp.Expr) -> sp.Expr:
            return sp.sympify(e).subs(at, simultaneous=True)

        relation = each_side(assumption.relation, placed)
        if isinstance(assumption, EveryPoint):
            return replace(assumption, relation=relation)
        last = None if assumption.last is None else placed(assumption.last)
        return replace(assumption, relation=relation, first=placed(assumption.first), last=last)

    def _place(self, least: Minimiser) -> str | None:
        """The point of ours in the place of a minimum."""
        return self.how.points.get(f"{least.of}.{least.point}")

    # --- relations

    def written(self, relation: sp.Rel) -> sp.Rel:
        """A relation of it as one of ours.

        Raises:
            Refused: it speaks of a point that was not named.
        """
        own = each_side(relation, with_own_indices)
        forms = expand_definitions(own, self._differ)
        for _ in range(2):  # a metric may be made of metrics
            forms = each_side(forms, lambda side: side.xreplace(self._metrics))
        values = {s for s in forms.free_symbols if factors(s) or s in self._measured}
        values |= {f for f in forms.atoms(AppliedUndef) if f.func in self._sequences}
        if self.placed and (unplaced := sorted(str(s) for s in values - self._places.keys())):
            raise Refused(f"{self.other.id}: {unplaced[0]} is at no point that was named")
        return each_side(forms, lambda side: self.context.made(lambda e, at: e.xreplace(at), side, self._places))

    @cached_property
    def _metrics(self) -> dict[sp.Expr, sp.Expr]:
        return dict(self.there.metrics if self.placed else self.there.sequences)

    @cached_property
    def _measured(self) -> set[sp.Expr]:
        return {*self.there.numbers, *self.there.meanings, *self.there.values} if self.placed else set()

    @cached_property
    def _sequences(self) -> set[object]:
        return {f.func for f in self.there.terms}

    @cached_property
    def _places(self) -> dict[sp.Expr, sp.Expr]:
        """What constants, inner products, values and lengths are here."""
        return {**self.how.at, **(self._moved if self.placed else {})}

    @cached_property
    def _differ(self) -> dict[sp.Symbol, sp.Expr]:
        """Its definitions that are not ours."""
        expand, ours = self.other.expand, self.context.claim.expand
        moves = {*self._metrics, *self._measured} - self._places.keys()
        return {
            s: e
            for s, e in self.other.where.items()
            if expand(e).free_symbols & moves or ours(expand(e).xreplace(self._places)) != ours(s)
        }

    def _form(self, relation: sp.Rel) -> tuple[str, sp.Expr]:
        """How a relation reads in forms, so that equal ones are seen."""
        left, right = self.context.plain(relation).args
        return relation.rel_op.replace("<", ">"), sp.expand(right - left if "<" in relation.rel_op else left - right)

    # --- vectors

    @cached_property
    def _pairs(self) -> list[tuple[str, Vector, Vector | None]]:
        """Each point and vector that is named -> what it is there, and here."""
        found: list[tuple[str, Vector | None, Vector | None]] = []
        for old, new in self.how.points.items():
            theirs, ours = self.there.spot(old), self.here.spot(new)
            found += [(old, theirs[0], ours[0]), (old, theirs[1], ours[1])]
        found += [(n, v, self.how.vectors[n]) for n, v in self.there.vectors().items() if n in self.how.vectors]
        return [(old, part, place) for old, part, place in found if part is not None]

    @cached_property
    def vector(self) -> dict[str, Vector]:
        """Its basic vectors, those that are named, in terms of ours.

        What the claim says of fixed vectors holds in expectation for random ones, where it assumes nothing of
        randomness; what it says of a mean over an index needs vectors that depend on the index where its own do.

        Raises:
            Refused: a point does not exist, two of them put one vector in two places, or a vector depends on more.
        """
        there, here, other = self.there, self.here, self.other
        if odd := [n for n in self.how.vectors if n not in there.names or n in (*there.means, *there.sums)]:
            raise Refused(f"{odd[0]} is no free vector of {other.id}")
        found: dict[str, Vector] = {}
        for old, part, place in self._pairs:
            if place is None or (place.terms and not part.terms):
                raise Refused(f"{old} is known to have {part or 'zero'}, here it has {place}")
            for name, ours in self._pieces(part, place):
                if found.setdefault(name, ours) != ours:
                    raise Refused(f"{name} of {other.id} would be {found[name]} and {ours}")
                self._no_more(name, here.all_on(ours))
        return found

    def _pieces(self, theirs: Vector, ours: Vector) -> list[tuple[str, Vector]]:
        """What a basic vector is here; of a sum, each part, where all lie in different subspaces; else nothing."""
        names = [name for name, factor in theirs.terms if factor == 1]
        blocks = [self.there.blocks.get(name) for name in names]
        if len(names) < len(theirs.terms):
            return []
        if len(names) == 1:
            return [(names[0], ours)]
        if None in blocks or len({*blocks}) < len(blocks) or not _blocks(self.here, ours) <= {*blocks}:
            return []
        return [(name, self.here.part(ours, block)) for name, block in zip(names, blocks, strict=True) if block]

    def _no_more(self, name: str, on: frozenset[str]) -> None:
        """Refuse a vector that depends on more than the one whose place it takes: what other proofs show of fixed ones
        need not hold in expectation.
        """
        there = self.there
        words = frozenset().union(*map(there.on, there.names))
        own, words = (frozenset().union(*map(self.here.inside, said)) for said in (there.on(name), words))
        random = any(isinstance(a, _RANDOM) for a in (*there.assumes, *self.assumed))
        random |= self.other.proof is None or any(how.over not in there.index_words for how in there.means.values())
        if more := on - there.on(name) if random else (on & words) - own:
            raise Refused(f"{name} of {self.other.id} does not depend on {', '.join(sorted(more))}")

    def _vectors_fit(self) -> None:
        """Refuse places that are no combinations, means, parts of subspaces or points where its vectors are.

        Raises:
            Refused: they are not known to be.
        """
        there, here, other, vector = self.there, self.here, self.other, self.vector
        for (a, u), (b, v) in combinations(vector.items(), 2):
            apart = len({there.blocks.get(a), there.blocks.get(b), None}) == 3
            if apart and not _disjoint(_blocks(here, u), _blocks(here, v)):
                raise Refused(f"{a} and {b} of {other.id} are orthogonal, {u} and {v} need not be")
        # what an assumption says of a subspace by its name is true of that one
        said = {block for a in (*there.assumes, *self.assumed) if (block := getattr(a, "block", ""))}
        for name, place in vector.items():
            block = there.blocks.get(name)
            if block in said and not _blocks(here, place) <= {block}:
                raise Refused(f"{name} of {other.id} lies in the block {block}, {place} is not known to")
        for old, part, ours in self._pairs:
            if ours is not None and not self._pieces(part, ours) and not here.same(self._image(part), ours):
                raise Refused(f"{old} is {part} in {other.id}, and {ours} is not known to be that at its place")
        self._points_fit()
        runs = [a for a in there.assumes if isinstance(a, Returned)]
        minima = {
            n
            for a in runs
            for x, g, *_ in there.functions.get(a.loss, {}).values()
            if g == Vector()
            for n, _ in x.terms
        }
        known = minima.union(*((a.of, a.start) for a in runs))
        for number, behind in there.tied.items():
            if odd := sorted((behind & vector.keys()) - known):
                raise Refused(f"{odd[-1]} of {other.id} is more than its setting says: {number} has a meaning, too")
        for name, place in vector.items():
            mean, total = there.means.get(name), there.sums.get(name)
            if mean is not None and not (
                mean.of in vector and here.same(self.here.mean_of(vector[mean.of], mean), place)
            ):
                raise Refused(f"{name} is a mean of {mean.of}, and {place} is not known to be that of its place")
            if total is None or _is_gradient_of_parts(there, name, total):
                continue
            if not here.same(self._image(total), place):
                raise Refused(f"{name} is {total}, and {place} is not known to be that at its place")
        if odd := sorted(there.known_unlike(here)):
            raise Refused(f"{odd[0]} does not stand for the same sources here")
        for word in sorted(frozenset().union(*(there.on(name) for name in vector))):
            size = there.sizes.get(word)
            if size is not None and here.sizes.get(word) != self._chosen(size):
                raise Refused(f"{word} has {size} values, here {here.sizes.get(word, 'an unknown number')}")
            if (there.within.get(word), word in there.earlier) != (here.within.get(word), word in here.earlier):
                raise Refused(f"{word} does not belong to the same index here")

    def _points_fit(self) -> None:
        """Refuse places that are no gradients or minima, or have no named value, where its own do."""
        there, points = self.there, self.how.points
        assumed = (*there.assumes, *self.assumed)
        about = {a.of for a in assumed} | there.made.keys()
        places = {new.partition(".")[::2] for new in points.values()}
        for of in sorted({of for of, _ in places}):
            self.context.rules.at(of, tuple(sorted(point for name, point in places if name == of)))
        for of, known in there.functions.items():
            for point, (x, g, *value) in known.items():
                special = (g is not None and not g.terms) or (bool(value) and value[0] not in (None, *there.scalars))
                image = g.terms if g and of in about else ()
                speaks = {name for name, _ in (*(x.terms if special else ()), *image)}
                ours = points.get(f"{of}.{point}")
                if ours is None and speaks & self.vector.keys():
                    raise Refused(f"say which point of ours is {of}.{point}, where more is known of {of}")
                least = any(isinstance(a, Minimiser) and (a.of, a.point) == (of, point) for a in assumed)
                low = value and value[0] is not None and (there.vanishes(g) or value[0] == there.infima.get(of))
                if ours is not None and (least or low):  # each of several functions has its own
                    self.context.rules.need_own(ours.partition(".")[0], self.here.spot(ours)[0])

    def _image(self, total: Vector) -> Vector | None:
        """A combination in terms of ours; None where one of its vectors has no place."""
        if any(name not in self.vector for name, _ in total.terms):
            return None
        return sum((self.vector[name] * self._chosen(c) for name, c in total.terms), Vector())

    @cached_property
    def _moved(self) -> dict[sp.Expr, sp.Expr]:
        """Its inner products, values and lengths in terms of ours."""
        there, here, other = self.there, self.here, self.other
        moved: dict[sp.Expr, sp.Expr] = {}
        for old, new in self.how.points.items():
            theirs, ours = there.spot(old), here.spot(new)
            value = theirs[2] if len(theirs) > 2 else None
            if value is not None and not (value.is_Symbol and moved.setdefault(value, ours[2]) == ours[2]):
                raise Refused(f"{old} has the value {value}, {new} has {ours[2]}")
        for of, theirs in sorted(there.infima.items()):
            name = self._function(of)
            least = here.infima.get(name) if self._made_alike(of) else None
            if least is None and of not in self.functions:
                continue  # it is at no point, should the claim speak of it
            if least is None or moved.setdefault(theirs, least) != least:
                raise Refused(f"{of} of {other.id} has the infimum {theirs}, {name} has {least or 'none'}")
        places: dict[sp.Expr, set[sp.Expr | None]] = {}
        for group, known in ((there.squares, here.squares), (there.lengths, here.lengths), (there.bounds, here.bounds)):
            for number, v in group.items():
                image = self._image(v)
                places.setdefault(number, set()).add(next((ours for ours, w in known.items() if w == image), None))
        # one number that is the norm of a fixed vector in two ways is one number here, or has no place
        moved.update((number, *found) for number, found in places.items() if len(found) == 1 and None not in found)
        pairs = product(self.vector.items(), repeat=2)
        return moved | {inner(a, b): dot(u, v) for (a, u), (b, v) in pairs}


def _blocks(setting: Setting, vector: Vector) -> set[str | None]:
    """The subspaces in which a vector has parts; None for one that is not known."""
    return {setting.blocks.get(name) for name, _ in vector.terms}


def _disjoint(some: set[str | None], others: set[str | None]) -> bool:
    return not some & others and (None not in some | others or not (some and others))


def _is_gradient_of_parts(setting: Setting, name: str, total: Vector) -> bool:
    """Whether a combination is the gradient of a function that is made of others, of their gradients there."""
    for of, how in setting.made.items():
        for point, (x, g, *_) in setting.functions.get(of, {}).items():
            if isinstance(how, Mapping) and g == vectors(name)[0]:
                parts = [(c, setting.functions.get(part, {}).get(point)) for part, c in how.items()]
                if all(p is not None and p[0] == x and p[1] is not None for _, p in parts):
                    return Setting().same(sum((p[1] * c for c, p in parts if p), Vector()), total)
    return False
