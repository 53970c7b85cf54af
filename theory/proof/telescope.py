"""Sums over an index in a form in which those of one sequence meet, so that differences telescope."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import sympy as sp
from sympy.core.function import AppliedUndef

from rateproof.theory.algebra import Private


def sum_of(expr: sp.Expr, over: sp.Symbol, start: sp.Expr, last: sp.Expr) -> sp.Expr:
    """The sum of an expression over ``start <= over <= last``, ``last >= start - 1``.

    A term ``c w(over) a(over + s)`` of a sequence ``a``, of one index or several, becomes a sum of ``a(over)`` and the
    terms at the ends, for an integer ``s`` and a weight ``w`` that has a value at any index, such as a power
    ``q^over``. A polynomial is summed by sympy, other terms are kept as sums.
    """
    return sp.Add(*(_one(term, over, start, last) for term in sp.Add.make_args(sp.expand(expr))))


def with_own_indices(expr: sp.Expr) -> sp.Expr:
    """The expression with an index of its own for every sum, that no term outside has; equal sums stay equal."""

    def own(total: sp.Sum) -> sp.Expr:
        depth, limits = _depth(total), []
        names: dict[sp.Symbol, sp.Symbol] = {}
        for over, *ends in reversed(total.limits):  # the outermost is last, and the others may depend on it
            limits.append(tuple(end.xreplace(names) for end in ends))
            names[over] = _index(depth - len(names), frozenset(over.assumptions0.items()))
        indices = zip(reversed(names.values()), reversed(limits), strict=True)
        return sp.Sum(total.function.xreplace(names), *((index, *ends) for index, ends in indices))

    return expr.replace(lambda e: isinstance(e, sp.Sum), own)


@cache
def _index(depth: int, assumptions: frozenset[tuple[str, bool]]) -> sp.Symbol:
    return Private(f"k{depth}", **dict(assumptions))


def _depth(total: sp.Sum) -> int:
    return len(total.limits) + max((_depth(inner) for inner in total.function.atoms(sp.Sum)), default=0)


def with_sums(expr: sp.Expr, known: Callable[[sp.Expr, sp.Expr], bool]) -> sp.Expr:
    """The expression with its sums over one index begun at 0 and written by :func:`sum_of`, so that equal ones meet.

    Args:
        expr: the expression.
        known: whether ``last - start >= -1`` is known to be a whole number; other sums are kept, as a sum over fewer
            than no terms is zero.
    """

    def canonical(total: sp.Sum) -> sp.Expr:
        ((over, start, last),) = total.limits
        if not known(start, last):
            return total
        inside = with_sums(total.function, known).subs(over, over + start)
        return sum_of(inside, over, sp.S.Zero, sp.expand(last - start))

    return expr.replace(lambda e: isinstance(e, sp.Sum) and len(e.limits) == 1, canonical)


def _one(term: sp.Expr, over: sp.Symbol, start: sp.Expr, last: sp.Expr) -> sp.Expr:
    outside, inside = term.as_independent(over, as_Add=False)
    if inside == 1:
        return outside * (last - start + 1)
    terms = [f for f in inside.atoms(AppliedUndef) if f.has(over)]
    if not terms:
        closed = sp.summation(inside, (over, start, last)) if inside.is_polynomial(over) else None
        return outside * (sp.Sum(inside, (over, start, last)) if closed is None else closed)
    if len(terms) == 1 and sum(arg.has(over) for arg in terms[0].args) == 1:
        sequence, weight = terms[0], inside / terms[0]
        index = next(arg for arg in sequence.args if arg.has(over))
        shift = sp.expand(index - over)
        if shift.is_Integer and not weight.has(AppliedUndef):
            # sum_k w(k) a(k + s) = sum_j w(j - s) a(j), over start + s <= j <= last + s
            moved = sp.powsimp(weight.subs(over, over - shift)) * sequence.xreplace({index: over})
            factor, core = sp.expand_power_exp(moved).as_independent(over, as_Add=False)
            main = outside * factor * sp.Sum(core, (over, start, last))
            ends = sp.S.Zero
            for i in range(abs(int(shift))):
                late, early = (last + 1 + i, start + i) if shift > 0 else (last - i, start - 1 - i)
                sign = 1 if shift > 0 else -1
                ends += sign * outside * factor * (core.subs(over, late) - core.subs(over, early))
            return main + ends
    return outside * sp.Sum(inside, (over, start, last))
