"""Indices of sums, each with the sign that it has where the sum begins."""

from __future__ import annotations

from functools import cache

import sympy as sp

from rateproof.theory.algebra import Private


def with_own_indices(expr: sp.Expr) -> sp.Expr:
    """The expression with an index of its own for every sum, that no term outside has; equal sums stay equal.

    An index is an integer, and has the sign of the number at which it starts: what else it is declared to be says
    nothing of the values that it takes.
    """

    def own(total: sp.Sum) -> sp.Expr:
        depth, limits = _depth(total), []
        names: dict[sp.Symbol, sp.Symbol] = {}
        for over, *ends in reversed(total.limits):  # the outermost is last, and the others may depend on it
            limits.append(tuple(end.xreplace(names) for end in ends))
            names[over] = _index(depth - len(names), ends[0] if ends else -1)
        indices = zip(reversed(names.values()), reversed(limits), strict=True)
        return sp.Sum(total.function.xreplace(names), *((index, *ends) for index, ends in indices))

    return expr.replace(lambda e: isinstance(e, sp.Sum), own) if expr.has(sp.Sum) else expr


def from_zero(total: sp.Sum) -> sp.Symbol:
    """The index of a sum over one index, where it begins at 0."""
    return _index(_depth(total), sp.S.Zero)


def _index(depth: int, start: sp.Expr) -> sp.Symbol:
    return _named(depth, "positive" if start.is_Number and start > 0 else "nonnegative" if start == 0 else "real")


@cache
def _named(depth: int, sign: str) -> sp.Symbol:
    return Private(f"k{depth}", integer=True, **{sign: True})


def _depth(total: sp.Sum) -> int:
    return len(total.limits) + max((_depth(inner) for inner in total.function.atoms(sp.Sum)), default=0)
