"""A cited claim among ours: what its vectors, functions, constants and metrics are here, and what it assumes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product

import sympy as sp
from sympy.core.function import AppliedUndef

from rateproof.theory import symbols
from rateproof.theory.algebra import each_side
from rateproof.theory.assumptions import (
    Assumption,
    Attained,
    EveryPoint,
    EveryRound,
    Independent,
    Lipschitz,
    Minimiser,
    Monotone,
    Returned,
    Sampled,
    Smooth,
)
from rateproof.theory.claim import Claim, conjuncts, expand_definitions, symbols_of
from rateproof.theory.gram import Vector, vectors
from rateproof.theory.gram.vectors import factors, inner, name_of
from rateproof.theory.proof.context import SHARED, Context
from rateproof.theory.proof.indices import with_own_indices
from rateproof.theory.proof.rules import Refused
from rateproof.theory.proof.setting import Argmin, Mean, NormalCone, Setting
from rateproof.theory.proof.steps import Cite


def of_a_run(claim: Claim) -> bool:
    """Whether a claim is about what a run of a method returns: it is used at another run, not proved again there."""
    return any(isinstance(a, Returned) for a in (claim.setting or Setting()).assumes)


#: What proofs of claims that were cited may take for granted; each keeps its claim, so that its identity stays its own.
_CONTEXTS: dict[int, Context] = {}


def _context_of(claim: Claim) -> Context:
    """What the proof of a claim that is cited may take for granted; many proofs cite the same."""
    if id(claim) not in _CONTEXTS:
        if len(_CONTEXTS) >= 1000:
            _CONTEXTS.clear()
        _CONTEXTS[id(claim)] = Context(claim, claim.setting or Setting())
    return _CONTEXTS[id(claim)]


def need_texts(other: Claim, claim: Claim) -> None:
    """Refuse a hypothesis of another claim that stands in words alone and is not among ours."""
    texts = {(h.key, h.text) for h in claim.hypotheses}
    for h in other.hypotheses:
        if h.relation is None and not h.says and (h.key, h.text) not in texts:
            raise Refused(f"{other.id} assumes '{h.text}', which the claim does not")


def functions(how: Cite) -> dict[str, str]:
    """Function of a claim -> the one of ours in its place, by the points at which the claim is cited."""
    found: dict[str, str] = {}
    for old, new in how.points.items():
        of, ours = old.partition(".")[0], new.partition(".")[0]
        if found.setdefault(of, ours) != ours:
            raise Refused(f"{of} of {how.id} would be {found[of]} and {ours}")
    return found


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
        """Whether it is used at another run; else its metrics are ours, or terms of sequences."""
        return self.how.placed

    @cached_property
    def assumed(self) -> list[Assumption]:
        """What its hypotheses say, with types."""
        return [a for h in self.other.hypotheses for a in h.says]

    @cached_property
    def theirs(self) -> Context:
        """What its own proof may take for granted."""
        return _context_of(self.other)

    def relations(self, known: Iterable[sp.Rel], always: Callable[[EveryRound], bool]) -> list[sp.Rel]:
        """What it states, written for our claim.

        Args:
            known: what is shown of our claim without a condition.
            always: whether a relation is shown at every round.

        Raises:
            Refused: it is not of ours, or assumes what ours does not.
        """
        other, there, context = self.other, self.there, self.context
        if other.statement is not None and symbols.C_O in other.statement.free_symbols:
            raise Refused(f"{other.id} has a constant that is hidden")
        if self.placed:
            self._need_run()
        elif not self._speaks_alike():
            raise Refused(
                f"{other.id} is stated in another setting; say at which points it is used, or name the setting"
            )
        shown = [*known]
        self._choices(shown)
        if other.paper != context.claim.paper and not self.placed:
            raise Refused(f"{other.id} is of another paper: say at which points it is used")
        need_texts(other, context.claim)
        for assumption in (*self._method, *self.assumed):
            said = self._said(assumption)
            if isinstance(said, (Lipschitz, Monotone)):
                context.rules.need_map(said.of)
            if isinstance(said, EveryRound) and always(said):
                continue
            if said not in context.rules.assumed and said != context.rules.one(type(said), said.of):
                raise Refused(f"{other.id} assumes {said}, which the claim does not")
        supposed = [r for h in other.hypotheses for r in conjuncts(h.relation)]
        stated = conjuncts(other.statement)
        if other.proof is None:  # another proof shows a statement where it has a meaning
            meant = [c for r in stated for c in self.theirs.meaning(r, every_power=True)]
            supposed += meant
        wants = [self.written(r) for r in (*supposed, *self.theirs.ruled)]
        for needed in wants:
            context.need_alike(needed, shown)
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
        """What its method sees to, at another run: how its clients are drawn is part of what it returns.

        Among our own metrics it is what is presumed of minima, of which our statement need not speak.
        """
        own = self.theirs.method
        if not self.placed:
            ours = self.context.presumed(self.there)
            return [a for a in own if a not in ours and isinstance(a, (Attained, Minimiser))]
        elsewhere = [a for s in self.there.family for a in s.assumes if not isinstance(a, (Independent, Sampled))]
        return [*own, *(a for a in elsewhere if a not in own)]

    def _speaks_alike(self) -> bool:
        """Whether metrics mean there what they mean here: ours, with those it names, says all that those there say."""
        return all(any(ours.has(theirs) for ours in self.here.family) for theirs in self.there.family)

    @cached_property
    def functions(self) -> dict[str, str]:
        """Function of it -> the one of ours in its place."""
        return functions(self.how)

    def _choices(self, shown: list[sp.Rel]) -> None:
        """Refuse to choose what it measures, or what its metrics depend on, and what is no whole number for its own."""
        there, other, context = self.there, self.other, self.context
        free = {*there.free}
        if self.placed:
            fixed = (*there.sizes.values(), *(e for a in there.assumes for e in a.constants.values()))
            free |= SHARED | {s for a in self.assumed for e in a.constants.values() for s in e.free_symbols}
            free -= {s for e in fixed for s in e.free_symbols} | there.values | there.meanings | there.numbers
        else:
            free -= there.structure | there.coefficients | there.behind((*there.scalars, *there.meanings))
        for symbol, value in self.how.at.items():
            if symbol not in free or symbol in other.where:
                raise Refused(f"{symbol} of {other.id} is not free to choose")
            context.need_fit(symbol, value, shown)
        for symbol in there.counts if self.placed else ():
            context.need_whole(self.how.at.get(symbol, symbol))
        if odd := sorted(n for n in {*self.functions, *(there.made if self.placed else ())} if not self._made_alike(n)):
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
        measured = there.meanings | there.numbers if self.placed else set()
        return measured | {
            s
            for s, e in self.other.where.items()
            if expand(e).free_symbols & measured or ours(expand(e).subs(self.how.at, simultaneous=True)) != ours(s)
        }

    def _said(self, assumption: Assumption) -> Assumption:
        """An assumption of it as one of ours."""
        if isinstance(assumption, (EveryPoint, EveryRound)):
            return self._for_all(assumption)
        if self.placed and isinstance(assumption, Lipschitz):
            raise Refused(
                f"{self.other.id} assumes of {assumption.of} what may be random; cite it in its own setting only"
            )
        constants: dict[str, object] = {name: self._chosen(e) for name, e in assumption.constants.items()}
        of = self._function(assumption.of)
        if isinstance(assumption, Minimiser):
            place = self.how.points.get(f"{assumption.of}.{assumption.point}", assumption.point)
            constants |= {"point": place.rpartition(".")[2], "over": self._function(assumption.over)}
        if isinstance(assumption, Returned):
            of, start = (self.vector.get(name, name) for name in (assumption.of, assumption.start))
            constants |= {"loss": self._function(assumption.loss), "start": start}
        if isinstance(assumption, Smooth):
            constants["on"] = assumption.on and self._function(assumption.on)
        return replace(assumption, of=of, **constants)

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

    # --- another run

    def _need_run(self) -> None:
        """Refuse what is no other run of the method: all is the same but for the names of vectors and functions.

        Raises:
            Refused: a point is not named or is another one, a vector depends on something else, or is more than what
                the method starts from, returns or minimises.
        """
        there, here, other, points = self.there, self.here, self.other, self.how.points
        if unlike := there.weighted_unlike(here):
            raise Refused(f"the values of {min(unlike)} do not have weights in both {other.id} and the claim")
        known = {name for a in there.assumes if isinstance(a, Returned) for name in (a.of, a.start)}
        for of, named in there.functions.items():
            for point, (x, image, *_) in named.items():
                if f"{of}.{point}" not in points:
                    raise Refused(f"say which point of ours is {of}.{point}: {other.id} is about a run")
                if image == Vector() or any((a.of, getattr(a, "point", "")) == (of, point) for a in there.assumes):
                    known.add(name_of(x))
        spots = [point[:2] for named in there.functions.values() for point in named.values()]
        for _ in spots:  # and gradients and projections there
            known |= {name_of(image) for x, image in spots if name_of(x) in known}
        for old, new in points.items():
            for theirs, ours in zip(there.spot(old)[:2], here.spot(new)[:2], strict=True):
                if theirs is not None and self._image(theirs) != ours:
                    raise Refused(f"{old} is known to have {theirs or 'zero'}, here it has {ours}")
        for name, place in self.vector.items():
            if name not in known or name in there.sums:
                raise Refused(f"{name} of {other.id} is more than a run starts from, returns or minimises")
            mean = there.means.get(name)
            alike = mean and replace(mean, of=self.vector.get(mean.of, ""))
            known_there = (there.on(name), there.blocks.get(name), alike)
            if known_there != (here.on(place), here.blocks.get(place), here.means.get(place)):
                raise Refused(f"{place} depends on something else than {name} of {other.id}, or is another mean")
        if odd := sorted(there.known_unlike(here)):
            raise Refused(f"{odd[0]} does not stand for the same sources here")
        self._need_minima()
        for word in sorted(frozenset().union(*(there.on(name) for name in self.vector))):
            size = there.sizes.get(word)
            if size is not None and here.sizes.get(word) != self._chosen(size):
                raise Refused(f"{word} has {size} values, here {here.sizes.get(word, 'an unknown number')}")
            if (there.within.get(word), word in there.earlier) != (here.within.get(word), word in here.earlier):
                raise Refused(f"{word} does not belong to the same index here")

    def _need_minima(self) -> None:
        """Refuse one minimum of several functions: each has its own."""
        rules, there = self.context.rules, self.there
        for old, new in self.how.points.items():
            of = new.partition(".")[0]
            name, _, theirs = old.partition(".")
            _, image, *value = there.spot(old)
            least = any(isinstance(a, Minimiser) and (a.of, a.point) == (name, theirs) for a in there.assumes)
            if (
                least
                or there.vanishes(image)
                or (value and value[0] is not None and value[0] == there.infima.get(name))
            ):
                rules.need_own(of, self.here.spot(new)[0])

    @cached_property
    def vector(self) -> dict[str, str]:
        """Its vectors, those that are named, by our names."""
        pairs: list[tuple[str, Vector | None]] = [*self.how.vectors.items()]
        for old, new in self.how.points.items():
            pairs += [(name_of(v), w) for v, w in zip(self.there.spot(old)[:2], self.here.spot(new)[:2], strict=True)]
        found: dict[str, str] = {}
        for name, place in pairs:
            if name and (not name_of(place) or found.setdefault(name, name_of(place)) != name_of(place)):
                raise Refused(f"{name} of {self.other.id} would be {place}: at another run it is one vector")
        return found

    def _image(self, total: Vector) -> Vector | None:
        """A combination in terms of ours; None where one of its vectors has no place."""
        if any(name not in self.vector for name, _ in total.terms):
            return None
        return sum((vectors(self.vector[name])[0] * self._chosen(c) for name, c in total.terms), Vector())

    @cached_property
    def _moved(self) -> dict[sp.Expr, sp.Expr]:
        """Its inner products, values and lengths in terms of ours."""
        there, here, other = self.there, self.here, self.other
        moved: dict[sp.Expr, sp.Expr] = {}
        for old, new in self.how.points.items():
            value, ours = ((*spot, None)[2] for spot in (there.spot(old), here.spot(new)))
            known = value is None or (ours is not None and value.is_Symbol and moved.setdefault(value, ours) == ours)
            if not known:
                raise Refused(f"{old} has the value {value}, {new} has {ours}")
        for of, theirs in sorted(there.infima.items()):
            least = here.infima.get(self._function(of))
            if least is None or moved.setdefault(theirs, least) != least:
                raise Refused(f"{of} of {other.id} has the infimum {theirs}, here it is {least or 'not named'}")
        places: dict[sp.Expr, set[sp.Expr | None]] = {}
        for group, known in ((there.squares, here.squares), (there.lengths, here.lengths), (there.bounds, here.bounds)):
            for number, v in group.items():
                image = self._image(v)
                places.setdefault(number, set()).add(next((ours for ours, w in known.items() if w == image), None))
        # one number that is the norm of a fixed vector in two ways is one number here, or has no place
        moved.update((number, *found) for number, found in places.items() if len(found) == 1 and None not in found)
        pairs = product(self.vector.items(), repeat=2)
        return moved | {inner(a, b): inner(u, v) for (a, u), (b, v) in pairs}
