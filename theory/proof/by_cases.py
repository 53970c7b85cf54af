"""Minima, maxima and roots in a step: by cases, and with a new variable for each root, nothing is left to guess.

``gamma = min(u, v)`` is ``u`` where ``u <= v``, else ``v``; and where ``a = s^2`` with ``s > 0``, ``a^(1/2)`` is ``s``.
Both are exact: a step is true if it is true in every case.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product

import sympy as sp

from rateproof.theory.algebra import each_side, private
from rateproof.theory.shorthand import ge, gt, le

#: More cases than this are not tried.
MOST = 16


@dataclass(frozen=True)
class Case:
    """One case of a step.

    Attributes:
        supposed: what is true in this case.
        instead: what is replaced by what, one after the other: a symbol by its definition, a minimum or maximum by the
            argument that it is, a symbol under a root by a power of a new one.
        says: the case in words.
    """

    supposed: tuple[sp.Rel, ...] = ()
    instead: tuple[tuple[sp.Expr, sp.Expr], ...] = ()
    says: str = ""

    def read(self, relation: sp.Rel) -> sp.Rel:
        """A relation in this case."""
        return each_side(relation, self.expression)

    def expression(self, expr: sp.Expr) -> sp.Expr:
        """An expression in this case."""
        for old, new in self.instead:
            expr = expr.xreplace({old: new})
        return expr


def split(known: Sequence[sp.Rel], goal: Sequence[sp.Rel], fixed: Iterable[sp.Symbol]) -> list[Case]:
    """The cases in which there are neither minima nor maxima, nor roots of positive numbers; none if it is so already.

    Args:
        known: what is known; equations in it are put in.
        goal: what has to be free of them.
        fixed: symbols that keep their name.
    """
    keep = frozenset(fixed)
    equal = [r.args for r in known if r.rel_op == "==" and r.lhs.is_Symbol and is_hard(r.rhs) and r.lhs not in keep]
    base = Case(instead=tuple((s, rhs) for s, rhs in dict(equal).items() if s not in rhs.free_symbols))
    told = [base.read(r) for r in goal]
    count = sp.prod(len(part.args) for part in _extremes(told))
    positive = {r.lhs for r in map(base.read, known) if r.rel_op in (">=", ">") and r.rhs == 0}
    found = [_unrooted(case, goal, keep, positive) for case in _cases(told, base)] if count <= MOST else []
    return [case for case in found if case.instead]


def is_hard(said: sp.Basic) -> bool:
    """Whether there are minima, maxima or roots in an expression."""
    return said.has(sp.Min, sp.Max) or any(map(_is_root, said.atoms(sp.Pow)))


def _is_root(power: sp.Pow) -> bool:
    return bool(power.exp.is_Rational and not power.exp.is_Integer)


def _extremes(relations: Iterable[sp.Rel]) -> list[sp.Expr]:
    """Minima and maxima, those inside others first."""
    found = {part for r in relations for part in r.atoms(sp.Min, sp.Max)}
    return sorted(found, key=lambda part: (len(part.atoms(sp.Min, sp.Max)), str(part)))


def _cases(relations: Sequence[sp.Rel], base: Case) -> Iterator[Case]:
    """One case for each choice of the arguments that minima and maxima are."""
    extremes = _extremes(relations)
    for chosen in product(*(range(len(part.args)) for part in extremes)):
        case = base
        for part, i in zip(extremes, chosen, strict=True):
            here = case.expression(part)  # what is inside it is one of its arguments already
            if not isinstance(here, type(part)) or len(here.args) != len(part.args):
                continue
            own = here.args[i]
            others = [other for other in here.args if other != own]
            supposed = [le(own, other) if isinstance(part, sp.Min) else le(other, own) for other in others]
            case = Case((*case.supposed, *supposed), (*case.instead, (here, own)))
        yield replace(case, says=" and ".join(map(str, case.supposed)))


def _unrooted(
    case: Case, relations: Sequence[sp.Rel], fixed: frozenset[sp.Symbol], known: Collection[sp.Expr] = ()
) -> Case:
    """The case with symbols under roots as powers of new ones, and sums under roots too, of which one part is solved.

    Every positive ``s`` is ``t^q`` for one ``t > 0``; every ``s`` with ``s + r >= 0`` is ``t^q - r`` for a ``t >= 0``.
    What is ``known`` not to be negative need not be declared so.
    """
    said = [*map(case.read, relations), *case.supposed]
    orders: dict[sp.Expr, int] = {}
    for power in (p for r in said for p in r.atoms(sp.Pow) if _is_root(p)):
        if not (power.base.is_nonnegative or power.base in known):
            continue
        orders[power.base] = int(sp.ilcm(orders.get(power.base, 1), power.exp.q))
    instead: list[tuple[sp.Expr, sp.Expr]] = []
    signs: list[sp.Rel] = []
    taken = {*fixed, *(s for r in said for total in r.atoms(sp.Sum) for s in total.bound_symbols)}
    for under, q in sorted(orders.items(), key=lambda pair: (not pair[0].is_Symbol, str(pair[0]))):
        base = Case(instead=tuple(instead)).expression(under)
        name = f"{under if under.is_Symbol else f'({under})'}^(1/{q})"
        new = private(under, name, real=True, **{"positive" if under.is_positive else "nonnegative": True})
        parts = [s for s in sorted(base.free_symbols, key=str) if s not in taken and sp.diff(base, s).is_Rational]
        if not parts or not base.is_polynomial():
            continue
        (part, *_) = parts
        value = (new**q - base) / sp.diff(base, part) + part
        taken |= base.free_symbols | under.free_symbols
        instead.append((part, sp.expand(value)))
        if part != base and (part.is_nonnegative or part.is_nonpositive):
            strict, side = part.is_nonzero, (value if part.is_nonnegative else -value)
            signs.append((gt if strict else ge)(sp.expand(side), 0))
    roots = Case(instead=tuple(instead))
    supposed = tuple(map(roots.read, (*case.supposed, *signs)))
    return replace(case, supposed=supposed, instead=(*case.instead, *instead))
