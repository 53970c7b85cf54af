"""Sums over an index in a form in which those of one sequence meet, so that differences telescope."""

from __future__ import annotations

from collections.abc import Callable

import sympy as sp
from sympy.core.function import AppliedUndef

from rateproof.theory.proof.indices import from_zero
from rateproof.theory.proof.meaning import conditions


def sum_of(expr: sp.Expr, over: sp.Symbol, start: sp.Expr, last: sp.Expr) -> sp.Expr:
    """The sum of an expression over ``start <= over <= last``, ``last >= start - 1``.

    A term ``c w(over) a(over + s)`` of a sequence ``a``, of one index or several, becomes a sum of ``a(over)`` and the
    terms at the ends, for an integer ``s`` and a weight ``w`` that has a value at any index, such as a power
    ``q^over``. A polynomial is summed by sympy, other terms are kept as sums.
    """
    return sp.Add(*(_one(term, over, start, last) for term in sp.Add.make_args(sp.expand(expr))))


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
        index = from_zero(total)
        inside = with_sums(total.function, known).subs(over, index + start)
        return sum_of(inside, index, sp.S.Zero, sp.expand(last - start))

    return expr.replace(lambda e: isinstance(e, sp.Sum) and len(e.limits) == 1, canonical) if expr.has(sp.Sum) else expr


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
        before = weight.subs(over, over - shift)
        if shift.is_Integer and not weight.has(AppliedUndef) and {*conditions(before)} <= {*conditions(weight)}:
            # sum_k w(k) a(k + s) = sum_j w(j - s) a(j), over start + s <= j <= last + s
            moved = sp.powsimp(before) * sequence.xreplace({index: over})
            factor, core = sp.expand_power_exp(moved).as_independent(over, as_Add=False)
            main = outside * factor * sp.Sum(core, (over, start, last))
            ends = sp.S.Zero
            for i in range(abs(int(shift))):
                late, early = (last + 1 + i, start + i) if shift > 0 else (last - i, start - 1 - i)
                sign = 1 if shift > 0 else -1
                ends += sign * outside * factor * (core.subs(over, late) - core.subs(over, early))
            return main + ends
    return outside * sp.Sum(inside, (over, start, last))
