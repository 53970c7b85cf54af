"""Where an expression has a meaning: it is made of real numbers, and nothing divides by zero or takes an odd root."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

import sympy as sp
from sympy.core.function import AppliedUndef

from rateproof.theory.algebra import Private, each_side
from rateproof.theory.probability import Pr, beside, chances, event_of
from rateproof.theory.proof.indices import with_own_indices
from rateproof.theory.shorthand import ge, gt, ne

#: Of what numbers are made; limits of sums are tuples.
_MADE_OF = (
    *(sp.Add, sp.Mul, sp.Pow, sp.Max, sp.Min, sp.Abs, sp.exp, sp.log, sp.Sum, sp.Tuple),
    *(AppliedUndef, sp.Symbol, sp.Number, sp.NumberSymbol),
)
_INFINITE = (sp.oo, -sp.oo, sp.zoo, sp.nan)


@lru_cache(maxsize=1 << 12)
def is_real(said: sp.Basic) -> bool:
    """Whether an expression, or each side of a relation, is a real number wherever its conditions hold."""
    if found := chances(said):
        return is_real(beside(said)) and all(is_real(r) for chance in found for r in event_of(chance))
    parts = sp.preorder_traversal(said)
    if isinstance(said, sp.Rel):
        next(parts)
    return all(isinstance(p, _MADE_OF) and p not in _INFINITE and _may_be_real(p) for p in parts)


def _may_be_real(part: sp.Basic) -> bool:
    """Whether an expression is not known to be imaginary; a symbol without a sign stands for a real number."""
    return part.is_real is not False and (part.is_real or not part.is_Symbol or part.is_extended_real is None)


@lru_cache(maxsize=1 << 14)
def by_sign(relation: sp.Rel) -> bool:
    """Whether the signs of its symbols say that a relation holds."""
    if relation.has(sp.Sum):
        relation = each_side(relation, with_own_indices)
    if len(relation.free_symbols) <= 3:  # sympy's own answer takes time exponential in the symbols
        return relation.func(*relation.args) == sp.true
    gap = relation.lhs - relation.rhs
    terms = sp.Add.make_args(sp.expand(-gap if relation.rel_op in ("<", "<=") else gap))
    some = relation.rel_op in (">=", "<=") or any(t.is_positive for t in terms)
    return relation.rel_op != "==" and some and all(t.is_nonnegative for t in terms)


def meaning(
    said: sp.Basic, *, every_power: bool = False, unsigned: Mapping[sp.Symbol, sp.Symbol] | None = None
) -> list[sp.Rel]:
    """Under which conditions an expression has a meaning, but for those that the signs of its symbols give.

    Other powers than square roots, and logarithms, are numbers of which a decision knows nothing, unless they are asked
    for.

    Args:
        said: the expression, or a relation.
        every_power: whether to ask for other powers and logarithms, too.
        unsigned: symbols whose declared sign does not count -> the same without a sign.
    """
    hidden = {s: b for s, b in (unsigned or {}).items() if s in said.free_symbols}
    shown = {b: s for s, b in hidden.items()}
    found = conditions(said.xreplace(hidden), every_power) if hidden else conditions(said, every_power)
    return [each_side(c, lambda side: side.xreplace(shown)) for c in found]


def conditions(said: sp.Basic, every_power: bool = True) -> list[sp.Rel]:
    """Under which conditions an expression has a meaning, where its symbols have the signs that are declared."""
    if isinstance(said, sp.Sum):
        return _of_terms(said, every_power)
    if isinstance(said, Pr):  # an event fails where it has none
        return []
    needed = [c for arg in said.args for c in conditions(arg, every_power)]
    if isinstance(said, sp.Pow):
        if not said.exp.is_integer and (every_power or (said.exp.is_Rational and said.exp.q == 2)):
            needed.append(ge(said.base, 0))
        if said.exp.is_negative or (every_power and not said.exp.is_nonnegative):
            needed.append(ne(said.base, 0))
    elif isinstance(said, sp.log) and every_power:
        needed.append(gt(said.args[0], 0))
    return [c for c in needed if not by_sign(c)]


def _of_terms(total: sp.Sum, every_power: bool) -> list[sp.Rel]:
    """What the terms of a sum ask for, at each index from its start on."""
    function, needed = total.function, []
    for over, start, last in total.limits:
        needed += [c for end in (start, last) for c in conditions(end, every_power)]
        function = function.xreplace({over: start + Private(over.name, nonnegative=True, integer=True)})
    return [*needed, *conditions(function, every_power)]
