"""What a proof of a claim may take for granted: relations, definitions, and symbols that stand for any value."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache, partial
from typing import Any

import sympy as sp

from rateproof.theory import gram, symbols
from rateproof.theory.algebra import each_side, private
from rateproof.theory.assumptions import Assumption, Attained, EveryRound, Minimiser
from rateproof.theory.claim import Claim, conjuncts, expand_definitions, reached
from rateproof.theory.gram.domain import Domain
from rateproof.theory.gram.forms import check_rational
from rateproof.theory.gram.vectors import factors
from rateproof.theory.probability import Pr, beside
from rateproof.theory.proof.atoms import Atoms
from rateproof.theory.proof.indices import with_own_indices
from rateproof.theory.proof.meaning import by_sign, is_real, meaning
from rateproof.theory.proof.rules import Refused, Rules
from rateproof.theory.proof.setting import SIGNS, Setting
from rateproof.theory.proof.telescope import with_sums
from rateproof.theory.shorthand import eq, ge, gt, le

_SIGN_RELATIONS = dict(zip(SIGNS, (sp.Gt, sp.Lt, sp.Ge, sp.Le, sp.Ne), strict=True))
#: What is declared of a symbol that counts in a decision.
_DECLARED = (*SIGNS, "integer", "real")
#: The shared vocabulary: sizes, constants and schedules, no metric.
SHARED = {s for s in vars(symbols).values() if isinstance(s, sp.Symbol)}


@dataclass
class Context:
    """A claim and its setting, as its proof uses them.

    Attributes:
        sure: under which conditions earlier steps, and claims that they cite, have a meaning; these hold.
    """

    claim: Claim
    setting: Setting
    sure: set[sp.Rel] = field(default_factory=set)
    _signs: dict[sp.Symbol, bool] = field(default_factory=dict)
    _plain: dict[tuple[sp.Rel, bool, frozenset[sp.Symbol] | None], sp.Rel] = field(default_factory=dict)
    _meanings: dict[tuple[sp.Basic, bool], list[sp.Rel]] = field(default_factory=dict)
    _parts: dict[tuple[sp.Basic, bool], list[sp.Rel]] = field(default_factory=dict)
    _values: dict[sp.Basic, list[sp.Expr]] = field(default_factory=dict)

    # --- relations and definitions

    @cached_property
    def rules(self) -> Rules:
        """What the typed assumptions of the claim and of its method give."""
        said = (*self.method, *(a for h in self.claim.hypotheses for a in h.says))
        return Rules(self.setting, said, self.holds, self.inside)

    @cached_property
    def method(self) -> list[Assumption]:
        """What the claim's own method sees to."""
        return self.presumed(self.setting)

    def presumed(self, setting: Setting) -> list[Assumption]:
        """What a method sees to; of minima, those of which the claim's relations speak and those that have to exist."""
        minima = [a for a in setting.assumes if isinstance(a, (Attained, Minimiser))]
        others = [a for a in setting.assumes if a not in minima]
        sure = Rules(setting, (*others, *(a for h in self.claim.hypotheses for a in h.says)), self.holds, self.inside)
        return [*others, *(a for a in minima if setting.presumes(a, self._spoken) or sure.exists(a))]

    @cached_property
    def _spoken(self) -> set[object]:
        """Of what the claim's relations speak."""
        stated = [*conjuncts(self.claim.statement), *self.relations]
        return self.setting.spoken_of([*stated, *map(self.claim.expand, stated)])

    def inside(self, symbol: sp.Symbol) -> set[sp.Symbol]:
        """A symbol and those of which definitions and rules make it."""
        made = reached([symbol], {**self.schedule, **self.claim.where})
        return {symbol}.union(*(e.free_symbols for e in made.values()))

    @cached_property
    def relations(self) -> list[sp.Rel]:
        """The hypotheses that are relations; one that bounds a maximum bounds each of its arguments."""
        stated = [r for h in self.claim.hypotheses for r in conjuncts(h.relation)]
        return [*stated, *(part for r in stated for part in _parts(r))]

    @cached_property
    def _certain(self) -> set[sp.Rel]:
        """The relations that are supposed, and that these have a meaning."""
        return {*self.relations, *(c for r in self.relations for c in self.meaning(r, every_power=True))}

    @cached_property
    def schedule(self) -> dict[sp.Symbol, sp.Expr]:
        """The rules of the claim's schedule."""
        return dict(self.claim.schedule.rules) if self.claim.schedule else {}

    @cached_property
    def ruled(self) -> list[sp.Rel]:
        """The rules of the claim's schedule, as equations."""
        return [eq(symbol, rule) for symbol, rule in self.schedule.items()]

    @cached_property
    def _where(self) -> dict[sp.Symbol, sp.Expr]:
        """The definitions that speak of what is measured; the others may stay closed."""
        measured = {*self.setting.scalars, *self.setting.metrics, *self.setting.sequences}
        where = self.claim.where
        return {s: e for s, e in where.items() if self.claim.expand(e).free_symbols & measured}

    @cached_property
    def _named(self) -> set[sp.Expr]:
        """What has a meaning in the setting, or in those that it names."""
        return set().union(*(s.meanings for s in self.setting.family))

    @cached_property
    def unsigned(self) -> dict[sp.Symbol, sp.Symbol]:
        """Symbols of which not all that is declared follows from what they stand for -> the same with what does."""

        def bare(symbol: sp.Symbol, *traits: str) -> sp.Symbol:
            return private(symbol, str(symbol), real=True, **dict.fromkeys(traits, True))

        family = self.setting.family
        formed = {number for s in family for number in s.forms}
        values = (s.named_values for s in family)
        said = self._named.union(self.claim.where, self.schedule, *values)
        stands = {s: self._stands(s) for s in said}
        # what follows from signs that follow themselves
        out = {s: bare(s) for s, known in stands.items() if known}
        while True:
            before = dict(out)
            for symbol in before:
                traits = [t for t in (*SIGNS, "integer") if getattr(symbol, f"is_{t}")]
                whole = ["integer"] if symbol in self._counts else []
                firm = [t for t in traits if t in whole or any(_is(v.xreplace(out), t) for v in stands[symbol])]
                if firm == traits:
                    del out[symbol]
                else:
                    out[symbol] = bare(symbol, *firm)
            if out == before:
                break
        for number, term in ((n, term) for s in family for n, term in s.ties.items() if n in formed):
            sign = next((t for t in (*SIGNS, "integer") if getattr(term, f"is_{t}")), None)
            if sign and not getattr(out.get(number, number), f"is_{sign}"):
                raise Refused(f"{term} is {sign}, and {number} is not known to be so by its form")
        if odd := [term for term in out if not term.is_Symbol]:
            raise Refused(f"{odd[0]} is not known to have the sign of its sequence")
        return out

    def _stands(self, symbol: sp.Symbol) -> list[sp.Expr]:
        """What a symbol that is defined or ruled, or a metric, stands for; or a symbol with the sign that is known."""
        if symbol not in self._values:
            self._values[symbol] = self._said_of(symbol)
        return self._values[symbol]

    def _said_of(self, symbol: sp.Symbol) -> list[sp.Expr]:
        family = self.setting.family
        formed = any(symbol in s.forms for s in family)  # then its form says of what sign its term is
        known = [k for s in family for k in (s.metrics, *(() if formed else (s.ties,)))]
        groups = (self.claim.where, self.schedule, *known)
        values = [value for group in groups if (value := sp.sympify(group.get(symbol, symbol))) != symbol]
        for s in family:
            if symbol in s.extremes:
                term = s.extremes[symbol][0]
                values.append(sp.Dummy(real=True, **{t: True for t in SIGNS if getattr(term, f"is_{t}")}))
            elif any(symbol in known for known in (s.lengths, s.bounds, s.squares, s.roots)):
                values.append(sp.Dummy(nonnegative=True))
        if not values and any(symbol in s.named_values for s in family):
            values.append(sp.Dummy(real=True))  # of a value of a function no sign is known
        if values and any(r.lhs == symbol for r in self.relations if says_positive(r)):
            values.append(sp.Dummy(positive=True))
        return values

    @cached_property
    def folded(self) -> dict[sp.Symbol, sp.Symbol]:
        """Symbols that have another sign than is declared, such as by a hypothesis ``x > 0`` -> the same with it."""
        found = {r.lhs for r in self.relations if says_positive(r)}
        positive = {s: private(s, s.name, positive=True) for s in found if not s.is_positive and not s.is_integer}
        return self.unsigned | positive

    def plain(self, relation: sp.Rel, sequences: bool = False, unfolded: frozenset[sp.Symbol] | None = None) -> sp.Rel:
        """A relation with definitions put in and metrics written as forms.

        Args:
            relation: the relation.
            sequences: whether metrics that have no form are written as terms of their sequences.
            unfolded: the defined symbols to put in beside those that speak of metrics; all where not given. The others
                stand for any number of their sign.
        """
        key = relation, sequences, unfolded
        if key not in self._plain:
            self._plain[key] = self._written(*key)
        return self._plain[key]

    def _written(self, relation: sp.Rel, sequences: bool, unfolded: frozenset[sp.Symbol] | None) -> sp.Rel:
        where = {s: e for s, e in self.claim.where.items() if unfolded is None or s in unfolded} | self._where
        # the terms inside a sum belong to its own index: they are not those of the step, which have forms
        given = {**self.setting.metrics, **(self.setting.sequences if sequences else {})}
        forms = {metric: with_own_indices(sp.sympify(form)) for metric, form in given.items()}
        folded = {s: d for s, d in self.folded.items() if s not in where}
        # what a definition says inside a sum, it says of the index outside
        full = each_side(expand_definitions(each_side(relation, with_own_indices), where), with_own_indices)
        return each_side(
            full, lambda side: with_sums(side.xreplace(forms), self._spans).xreplace(forms).xreplace(folded)
        )

    def _spans(self, start: sp.Expr, last: sp.Expr) -> bool:
        """Whether the range of a sum is known to have a whole number of terms, or none."""
        terms = ge(last - start + 1, 0)
        known = [r for r in self.relations if not r.has(sp.Sum)]
        return self.is_whole(last - start) and (self.by_signs(terms) or self._decided(terms, known))

    # --- what follows

    def holds(self, relation: sp.Rel, extra: Sequence[sp.Rel] = ()) -> bool:
        """Whether a relation between parameters follows, where the signs of those that are not defined say it too."""
        return self.by_signs(relation) or self.follows(relation, extra)

    def follows(self, relation: sp.Rel, extra: Sequence[sp.Rel]) -> bool:
        """Whether a relation between parameters follows from the hypotheses and ``extra``."""
        if relation in extra or relation in self._certain or relation in self.sure:
            return True
        if isinstance(relation.lhs, sp.log) and relation.rhs == 0 and relation.rel_op in (">", ">=", "!="):
            above = gt(relation.lhs.args[0], 1)
            if above == sp.true or self.follows(above, extra):
                return True
        if not all(self.follows(c, extra) for c in self.meaning(relation)):
            return False
        certain = [r for r in extra if not self.meaning(r)]
        extra = [r for r in extra if r in certain or all(self.follows(c, certain) for c in self.meaning(r))]
        # what a step is told is often enough, and less to decide
        return bool(extra and self._decided(relation, extra)) or self._decided(relation, [*extra, *self.relations])

    def _decided(self, relation: sp.Rel, assuming: Sequence[sp.Rel]) -> bool:
        atoms = Atoms()
        goal, *known = (atoms.read(self.plain(r)) for r in (relation, *assuming))
        if relation.has(sp.Sum) and meaning(goal):  # a sum that is written otherwise may divide by more
            return False
        return arithmetic(goal, (*known, *atoms.conditions()))

    def _plainly(self, relation: sp.Rel) -> bool:
        """Whether a relation follows from the hypotheses about its symbols alone."""
        about = self.plain(relation).free_symbols
        known = [r for r in self.relations if self.plain(r).free_symbols <= about]
        return all(self._plainly(c) for c in self.meaning(relation)) and self._decided(relation, known)

    def need(self, relation: sp.Rel, extra: Sequence[sp.Rel] = ()) -> None:
        """Refuse a relation between parameters that does not follow."""
        if not self.follows(relation, extra):
            raise Refused(f"it needs {relation}, which does not follow from the hypotheses")

    def need_alike(self, relation: sp.Rel, shown: Sequence[sp.Rel]) -> None:
        """Refuse a relation that is none of those supposed or shown, written as forms, and does not follow."""
        wanted = self._form(relation)
        if not any(self._form(r) == wanted for r in (*self.relations, *self.ruled, *shown)):
            self.need(relation, [r for r in shown if r.free_symbols <= relation.free_symbols])

    def is_supposed(self, relation: sp.Rel) -> bool:
        """Whether a relation, written as forms, is among the hypotheses."""
        return self._form(relation) in map(self._form, self.relations)

    def _form(self, relation: sp.Rel) -> tuple[str, sp.Expr]:
        """How a relation reads in forms, so that equal ones are seen."""
        left, right = self.plain(relation).args
        return relation.rel_op.replace("<", ">"), sp.expand(right - left if "<" in relation.rel_op else left - right)

    def meaning(self, said: sp.Basic, *, every_power: bool = False) -> list[sp.Rel]:
        """Under which conditions something has a meaning, and what its symbols stand for."""
        key = said, every_power
        if key not in self._meanings:
            parts = (said, *self._behind(said))
            self._meanings[key] = [c for part in parts for c in self._meaning_of(part, every_power)]
        return self._meanings[key]

    def _meaning_of(self, part: sp.Basic, every_power: bool) -> list[sp.Rel]:
        """Under which conditions an expression has a meaning; what symbols stand for is asked for again and again."""
        key = part, every_power
        if key not in self._parts:
            self._parts[key] = meaning(part, every_power=every_power, unsigned=self.unsigned)
        return self._parts[key]

    def _behind(self, said: sp.Basic) -> Iterable[sp.Expr]:
        """What definitions, metrics and terms in an expression stand for, and those in these."""
        forms = self.setting.metrics
        found: dict[sp.Expr, tuple[sp.Expr, ...]] = {}
        left = [said]
        while left:
            part = beside(left.pop())
            inside = {*part.free_symbols, *(key for key in forms if not key.is_Symbol and part.has(key))}
            for name in inside - found.keys():
                found[name] = tuple(self._stands(name))
                left += found[name]
        return (value for values in found.values() for value in values)

    def need_meaning(self, said: sp.Basic, known: Sequence[sp.Rel] = (), shown: Sequence[sp.Rel] = ()) -> None:
        """Refuse what may be without meaning: divisors that are zero, roots of negative numbers, infinity.

        Args:
            said: an expression or a relation.
            known: what a step rests on.
            shown: what else is shown; used where it is about the same symbols.
        """
        if not is_real(said):
            raise Refused(f"{said} is no real number")
        for needed in self.meaning(said, every_power=True):
            if needed in shown or self.follows(needed, known) or self.by_signs(needed):
                continue
            alike = [r for r in (*self.sure, *shown) if r.free_symbols <= needed.free_symbols]
            if not (alike and self._decided(needed, alike)):
                raise Refused(f"{said} has a meaning only where {needed}, which does not follow")

    # --- signs of defined symbols

    def bare(self, said: Any) -> Any:
        """Expressions without the declared signs of defined symbols that do not follow from their definitions."""
        if isinstance(said, Mapping):
            return {self.bare(k): self.bare(v) for k, v in said.items()}
        return said.xreplace(self.unsigned)

    def made(self, make: Callable[..., sp.Expr], *parts: Any, known: Sequence[sp.Rel] = ()) -> sp.Expr:
        """What is made of parts; refused where it is simpler by declared signs of definitions that do not follow."""
        made, bare = make(*parts), make(*map(self.bare, parts))
        if self.bare(made) != bare:
            for symbol in sorted((s for s, b in self.unsigned.items() if b in bare.free_symbols), key=str):
                for trait, relation in _SIGN_RELATIONS.items():
                    if symbol.assumptions0.get(trait) and not self._has_sign(symbol):
                        self.need(relation(symbol, 0, evaluate=False), known)
        return made

    def by_signs(self, relation: sp.Rel) -> bool:
        """Whether a relation follows from the declared signs of its symbols, and these from definitions."""
        return by_sign(relation) and all(map(self._has_sign, relation.free_symbols & self.unsigned.keys()))

    def _has_sign(self, symbol: sp.Symbol) -> bool:
        """Whether the declared sign of a defined symbol follows."""
        if symbol not in self._signs:
            self._signs[symbol] = False  # for what it stands for, and that says of it in turn
            self._signs[symbol] = any(map(partial(self._gives, symbol), self._stands(symbol)))
        return self._signs[symbol]

    def _gives(self, symbol: sp.Symbol, value: sp.Expr) -> bool:
        """Whether a symbol that stands for a value has its declared sign."""
        doubtful = [s for s in value.free_symbols & self.unsigned.keys() if not self._has_sign(s)]
        bare = value.xreplace({s: self.unsigned[s] for s in doubtful})
        return all(
            _is(bare, trait) or self._plainly(relation(value, 0, evaluate=False))
            for trait, relation in _SIGN_RELATIONS.items()
            if symbol.assumptions0.get(trait)
        )

    # --- probabilities

    @cached_property
    def _numbers(self) -> set[sp.Symbol]:
        """Symbols that do not depend on what is drawn: they stand beside probabilities, or are said to be free."""
        stated = (*conjuncts(self.claim.statement), *self.relations)
        besides = {s for r in stated if r.has(Pr) for s in self.claim.expand(beside(r)).free_symbols}
        constants = {s for a in self.rules.assumed for e in a.numbers.values() for s in e.free_symbols}
        return SHARED | {*self.setting.free} | besides | constants

    def need_number(self, value: sp.Expr) -> None:
        """Refuse a value that may depend on what is drawn: a bound on a probability is for each number, not for all."""
        said = self.claim.expand(value).free_symbols & self._own
        if odd := sorted(map(str, said - self._numbers)):
            raise Refused(f"{odd[0]} may depend on what is drawn; name it in Setting(free=...) if it does not")

    # --- symbols that stand for any value

    def not_own(self, symbol: sp.Symbol, what: str = "") -> None:
        """Refuse what is no symbol, or one of the claim itself or of its setting: no step may choose its value."""
        if not isinstance(symbol, sp.Symbol) or symbol in self._own:
            why = "a symbol of the claim, not an index" if isinstance(symbol, sp.Symbol) else "no symbol"
            raise Refused(f"{what}{symbol} is {why}")

    @cached_property
    def _own(self) -> set[sp.Symbol]:
        claim, setting, rules = self.claim, self.setting, self.schedule
        constants = (s for a in self.rules.assumed for s in a.symbols)
        supposed = {s for e in (*self.relations, *constants) for s in claim.expand(e).free_symbols | e.free_symbols}
        noises = (a.of for a in self.rules.assumed if a.of in setting.names)
        said = [
            *conjuncts(claim.statement),
            *supposed,
            *(e for pair in claim.where.items() for e in pair),
            *rules,
            # a rule that speaks of the index of the sequences is one for each of its values
            *({s for e in rules.values() for s in e.free_symbols} - setting.indices),
            # what is supposed of a symbol that a rule changes is supposed at no other value
            *(i for i in setting.indices if self._ruled_by(i) & supposed),
            # what is supposed of a metric is supposed at no other value of what it is made of, nor of another term
            *setting.behind(supposed),
            *setting.indices_of(supposed),
            # a noise is one for each value of an index, and all are alike
            *(setting.behind(noises) - setting.indices),
            *setting.structure,
            *(s for s in self._named if s.is_Symbol),
            *setting.scalars,
        ]
        return {s for e in said for s in sp.sympify(e).free_symbols}

    def _ruled_by(self, over: sp.Symbol) -> set[sp.Symbol]:
        """What the rules of the schedule change with an index."""
        found = {over}
        while more := {s for s, e in self.schedule.items() if self.claim.expand(e).free_symbols & found} - found:
            found |= more
        return found - {over}

    def need_constant(self, relation: sp.Rel, over: sp.Symbol) -> None:
        """Refuse a symbol of the claim that may change with an index: metrics do, unless the setting says otherwise."""
        setting = self.setting
        moving = {*setting.scalars, *self._named} - {*setting.fixed} | self._ruled_by(over)
        constants = [*setting.infima.values(), *(e for a in self.rules.assumed for e in a.constants.values())]
        known = {*setting.fixed, *setting.free, *SHARED, *self.claim.where}
        known |= {s for e in constants for s in e.free_symbols}
        # what is supposed at every round is so with one and the same constant
        known |= {s for a in self.rules.assumed if isinstance(a, EveryRound) for s in self._same_at_all(a)}
        for symbol in sorted(relation.free_symbols - {over}, key=str):
            inside = self.claim.expand(symbol).free_symbols
            apart = inside & moving or over in setting.behind(inside)
            if apart or (symbol in self._own and not inside <= known):
                raise Refused(f"{symbol} may change with {over}; name it as a term of a sequence, or as fixed")

    def _same_at_all(self, every: EveryRound) -> set[sp.Symbol]:
        """The symbols of a relation at every round that stand for numbers of the claim, not of one round."""
        family, over = self.setting.family, every.over
        values = {v for s in family for v in s.values - {*s.infima.values()}}
        named = {*self.setting.scalars, *self._named} - {*self.setting.fixed}
        moving = named | self._ruled_by(over) | values | {over}
        found = {s: self.claim.expand(s).free_symbols for s in every.symbols if not factors(s)}
        return {s for s, inside in found.items() if not inside & moving and over not in self.setting.behind(inside)}

    def at_round(self, every: EveryRound, value: sp.Expr, when: Sequence[sp.Rel]) -> tuple[sp.Rel, list[sp.Rel]]:
        """What is supposed for all values of an index, at one of them, and under which conditions that is in its range.

        Raises:
            Refused: it speaks of what changes with the index and is no term of a sequence, or the value is no integer.
        """
        relation, over = every.relation, every.over
        no_vectors(relation)
        if moving := sorted(map(str, every.symbols - self._same_at_all(every))):
            raise Refused(f"{moving[0]} may change with {over}; write what is supposed of it as a term of a sequence")
        if not over.is_integer:
            raise Refused(f"{over} is the index of a relation at every round and should be an integer")
        self.need_ends(over, every.first, every.last)
        self.need_fit(over, value, when)
        within = [ge(value, every.first)] + ([] if every.last is None else [le(value, every.last)])
        inner = {s for total in relation.atoms(sp.Sum) for s in total.bound_symbols}
        if value != over and inner & value.free_symbols:
            raise Refused(f"{min(inner, key=str)} is the index of a sum")
        found = each_side(relation, lambda side: self.made(lambda e: e.subs(over, value), side))
        # a term that is a metric with a form is called by the metric's name
        terms = {t: m for m, t in self.setting.sequences.items() if m in self.setting.metrics}
        terms = {t: m for t, m in terms.items() if t not in self.setting.metrics}
        return each_side(found, lambda side: self.made(lambda e: e.xreplace(terms), side)), within

    def need_fit(self, symbol: sp.Symbol, value: sp.Expr, shown: Sequence[sp.Rel] = ()) -> None:
        """Refuse a value that may lack a property that a symbol is declared to have."""
        declared = symbol.assumptions0
        usual = sp.Dummy(**{t: True for t in _DECLARED if declared.get(t)}).assumptions0
        if odd := sorted((t for t in declared if usual.get(t) != declared[t]), key=lambda t: not declared[t]):
            said = odd[0] if declared[odd[0]] else f"not {odd[0]}"
            raise Refused(f"{symbol} is {said}; an index is a real number or an integer of a sign")
        self.need_meaning(value)
        shown = [r for r in shown if r.free_symbols <= value.free_symbols]
        for trait, relation in _SIGN_RELATIONS.items():
            if declared.get(trait) and not self.bare(value).assumptions0.get(trait):
                self.need(relation(value, 0, evaluate=False), shown)
        if symbol.is_integer:
            self.need_whole(value)

    def need_ends(self, index: sp.Symbol, *ends: sp.Expr | None) -> None:
        """Refuse a range that changes with its own index."""
        for end in ends:
            said = set() if end is None else end.free_symbols
            if index in said | self.setting.behind(said):
                raise Refused(f"{end} changes with {index}, of which it is said to be the first or last value")

    def need_all_from(self, index: sp.Symbol, start: sp.Expr) -> None:
        """Refuse an index that, by its declared sign, does not take all values from ``start`` on."""
        if index.is_nonpositive or (index.is_nonzero and not index.is_positive):
            raise Refused(f"{index} is declared {'nonzero' if index.is_nonzero else 'nonpositive'}")
        self.need_fit(index, start)

    def is_whole(self, value: sp.Expr) -> bool:
        """Whether a number is known to be an integer."""
        return bool(value.xreplace(self._counts | self.unsigned).is_integer)

    @cached_property
    def _counts(self) -> dict[sp.Symbol, sp.Dummy]:
        """Symbols that are whole numbers by their meaning, but for those that stand for others."""
        named = {s: sp.Dummy(s.name, integer=True) for s in self.setting.counts}
        stands = ({**self.claim.where, **self.schedule}.get(s, s) for s in named)
        return {s: d for (s, d), value in zip(named.items(), stands, strict=True) if value.xreplace(named).is_integer}

    def need_whole(self, value: sp.Expr) -> None:
        """Refuse what is not known to be an integer."""
        if not self.is_whole(value):
            raise Refused(f"{value} is not known to be an integer")


def no_vectors(relation: sp.Rel) -> None:
    """Refuse inner products: they are those of one step, not of all."""
    if odd := [s for s in relation.free_symbols if factors(s)]:
        raise Refused(f"{odd[0]} belongs to one value of the index; name it as a metric")


def _parts(relation: sp.Rel) -> list[sp.Rel]:
    """What ``x > max(a, b)`` says of each argument, and ``x < min(a, b)``."""
    above = {sp.Max: (sp.StrictGreaterThan, sp.GreaterThan), sp.Min: (sp.StrictLessThan, sp.LessThan)}
    left, right = relation.args
    if isinstance(right, (sp.Max, sp.Min)) and isinstance(relation, above[type(right)]):
        return [relation.func(left, arg, evaluate=False) for arg in right.args]
    return []


def _is(value: sp.Expr, trait: str) -> bool:
    """Whether a value has a trait by the signs of its symbols, or as a sum of squares."""
    value = with_own_indices(value)
    return bool(getattr(value, f"is_{trait}")) or (trait == "nonnegative" and _is_square(value))


@lru_cache(maxsize=1 << 12)
def _is_square(form: sp.Expr) -> bool:
    """Whether a form in inner products is nonnegative, whatever the vectors."""
    form = Atoms().expression(form)
    if not any(map(factors, form.free_symbols)) or not is_rational(ge(form, 0)):
        return False
    try:
        return isinstance(gram.decide(ge(form, 0)), gram.Proved)
    except ValueError:
        return False


def says_positive(relation: sp.Rel) -> bool:
    """Whether a relation says of a symbol that it is positive."""
    return relation.rel_op == ">" and relation.rhs == 0 and bool(relation.lhs.is_Symbol)


@lru_cache(maxsize=1 << 12)
def is_rational(relation: sp.Rel) -> bool:
    """Whether both sides are rational functions of symbols."""
    try:
        check_rational(relation.lhs - relation.rhs, relation.free_symbols)
    except ValueError:
        return False
    return True


@lru_cache(maxsize=1 << 12)
def arithmetic(goal: sp.Rel, known: tuple[sp.Rel, ...]) -> bool:
    """Whether a relation between parameters follows from others."""
    if not is_rational(goal):
        return False
    about = set(goal.free_symbols)
    rational = [r for r in known if is_rational(r)]
    while more := [r for r in rational if r.free_symbols & about and not r.free_symbols <= about]:
        about |= {s for r in more for s in r.free_symbols}
    domain = Domain(tuple(sorted(about, key=str)), tuple(r for r in rational if r.free_symbols <= about))
    if domain.contradictory():
        return False
    gap, op = goal.lhs - goal.rhs, goal.rel_op
    sides = {"<": (-gap,), "<=": (-gap,), "==": (gap, -gap)}.get(op, (gap,))
    shown = {"<": domain.positive, ">": domain.positive, "!=": domain.nonzero}.get(op, domain.nonnegative)
    return all(shown(side) is not None for side in sides)
