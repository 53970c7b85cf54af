"""Probabilities of events, kept as they are written: ``Pr(le(dev, bound))``.

An event is a relation, or an And of relations, between metrics that depend on what was drawn; it fails where a side has
no meaning. What stands beside a probability in a relation is a number. A relation without a probability that speaks of
such metrics holds surely: for all that can be drawn.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import sympy as sp

from rateproof.theory.algebra import each_side, private


class Pr(sp.Function):
    """The probability of an event, a relation or an And of relations between what is drawn and numbers."""

    nargs = 1
    is_commutative = True
    is_real = True
    is_nonnegative = True

    @classmethod
    def eval(cls, event: sp.Basic) -> sp.Expr | None:
        """What is sure, or impossible, for all values of its symbols is a number."""
        if event in (sp.true, sp.false):
            return sp.Integer(bool(event))
        if not isinstance(event, (sp.Rel, sp.And)):
            raise ValueError(f"an event is a relation or an And of relations, got {event}")
        return None

    @property
    def event(self) -> sp.Basic:
        """What has the probability."""
        return self.args[0]

    def changed(self, change: Callable[[sp.Expr], sp.Expr]) -> Pr:
        """The probability of the event with all sides changed; relations are kept, also where they become decidable."""
        return type(self)(_each_part(self.event, change))

    def _xreplace(self, rule: Mapping[Any, Any]) -> tuple[sp.Expr, bool]:
        if self in rule:
            return rule[self], True
        new = self.changed(lambda side: side.xreplace(rule))
        return new, new != self

    def _eval_subs(self, old: sp.Basic, new: sp.Basic) -> sp.Expr:
        return self.changed(lambda side: side._subs(old, new))

    def _sympystr(self, printer: Any) -> str:
        return f"Pr({' and '.join(map(printer._print, _relations(self.event)))})"

    def _latex(self, printer: Any, exp: str | None = None) -> str:
        event = r",\ ".join(map(printer._print, _relations(self.event)))
        said = rf"\Pr\left[{event}\right]"
        return said if exp is None else rf"{said}^{{{exp}}}"


def _each_part(event: sp.Basic, change: Callable[[sp.Expr], sp.Expr]) -> sp.Basic:
    if isinstance(event, sp.And):
        return sp.And(*(_each_part(part, change) for part in event.args), evaluate=False)
    return each_side(event, change)


def _relations(event: sp.Basic) -> tuple[sp.Rel, ...]:
    if isinstance(event, sp.And):
        return tuple(r for part in event.args for r in _relations(part))
    return (event,)


def event_of(chance: Pr) -> tuple[sp.Rel, ...]:
    """The relations of an event."""
    return _relations(chance.event)


def chances(said: sp.Basic) -> list[Pr]:
    """The probabilities in an expression or a relation, in a fixed order; those inside of events are theirs."""
    return sorted(said.atoms(Pr), key=str) if said.has(Pr) else []


def beside(said: sp.Basic) -> sp.Basic:
    """An expression or a relation with a number of its own in the place of each probability."""
    known = {chance: as_number(chance) for chance in chances(said)}
    if not known:
        return said
    return each_side(said, lambda e: e.xreplace(known)) if isinstance(said, sp.Rel) else said.xreplace(known)


def as_number(chance: Pr) -> sp.Symbol:
    """The symbol that stands for a probability."""
    return private(chance, str(chance), nonnegative=True)


def names_beside(said: sp.Basic, where: Mapping[str, sp.Expr]) -> Iterator[str]:
    """Names of the symbols outside of events, and of those in their definitions."""
    left, seen = [beside(said)], set[str]()
    while left:
        for name in map(str, left.pop().free_symbols):
            if name not in seen:
                seen.add(name)
                left += [where[name]] if name in where else []
    yield from seen


@dataclass(frozen=True)
class Chance:
    """A bound on the probability that one of some relations fails.

    Attributes:
        event: the relations.
        fails: the bound.
        tail: what is said to have this probability at most, where it is said so: the opposite of the event.
    """

    event: tuple[sp.Rel, ...]
    fails: sp.Expr
    tail: sp.Rel | None = None


#: What holds where a relation does not, and where equality does not matter.
_OTHERWISE = {">=": sp.Le, ">": sp.Le, "<=": sp.Ge, "<": sp.Ge}


def chance(relation: sp.Rel) -> Chance | None:
    """What ``Pr(event) >= p`` says, or ``Pr(tail) <= x``; None of any other relation."""
    if relation.rel_op not in _OTHERWISE:
        return None
    small, large = relation.args if relation.rel_op in ("<=", "<") else reversed(relation.args)
    if isinstance(large, Pr) and not chances(small):
        return Chance(event_of(large), 1 - small)
    if isinstance(small, Pr) and not chances(large):
        tail, *more = event_of(small)
        if not more and tail.rel_op in _OTHERWISE:
            return Chance((_OTHERWISE[tail.rel_op](*tail.args, evaluate=False),), large, tail)
    return None


def bounded(relation: sp.Rel) -> sp.Rel:
    """Where a relation has its bound: in the event that has a probability at least, where that is one; else itself."""
    said = chance(relation)
    return said.event[0] if said is not None and said.tail is None and len(said.event) == 1 else relation


def with_bounded(relation: sp.Rel, new: sp.Rel) -> sp.Rel:
    """A relation with another one in the place of that which has its bound."""
    if (old := bounded(relation)) is relation:
        return new
    return each_side(relation, lambda side: side.xreplace({Pr(old): Pr(new)}))


# --- what is drawn, on an instance

#: Under this name an instance gives the probabilities of its outcomes; what is drawn is a tuple of its values there.
OUTCOMES = "Pr"


def of_each(change: Callable[[Any], Any], x: Any) -> Any:
    """A number changed, or all values of what is drawn."""
    return tuple(map(change, x)) if isinstance(x, tuple) else change(x)


def drawn(values: Mapping[str, Any]) -> set[str]:
    """The names of what is drawn."""
    return {name for name, x in values.items() if isinstance(x, tuple) and name != OUTCOMES}


def outcomes(values: Mapping[str, Any]) -> list[tuple[Any, dict[str, Any]]]:
    """The outcomes that may happen: the probability of each, and all numbers there.

    Raises:
        ValueError: not every value has a probability.
    """
    found, likely = drawn(values), values.get(OUTCOMES, (1,))
    if odd := sorted(name for name in found if len(values[name]) != len(likely)):
        raise ValueError(f"{odd[0]} has {len(values[odd[0]])} values, and there are {len(likely)} outcomes")
    fixed = {name: x for name, x in values.items() if not isinstance(x, tuple)}
    cases = ((p, fixed | {name: values[name][i] for name in found}) for i, p in enumerate(likely))
    return [(p, numbers) for p, numbers in cases if p != 0]
