"""What the symbolic engines need of sympy: a normal form of rational functions, and symbols of their own."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import sympy as sp


class Private(sp.Dummy):
    """A symbol of an engine's own: equal to no symbol of the caller's, and printed by its name alone."""

    def _sympystr(self, printer: Any) -> str:
        return str(self.name)


@lru_cache(maxsize=1 << 12)
def private(of: sp.Expr, name: str, **assumptions: bool) -> Private:
    """The symbol that stands for a term: always the same one, so that equal steps stay equal."""
    return Private(name, **assumptions)


@lru_cache(maxsize=4096)
def normal(expr: sp.Expr) -> sp.Expr:
    """The normal form of a rational function, in which zero is 0."""
    if expr.is_Rational:
        return expr
    reduced = sp.cancel(sp.together(expr))
    # where all symbols cancel, cancel() may return a sum such as -1/2 + 1/2 unevaluated
    return reduced if reduced.free_symbols else reduced.doit()


def each_side(relation: sp.Rel, change: Callable[[sp.Expr], sp.Expr]) -> sp.Rel:
    """The relation with both sides changed; it is kept, also where it becomes decidable."""
    return relation.func(*map(change, relation.args), evaluate=False)


@lru_cache(maxsize=1 << 12)
def fits(symbol: sp.Symbol, value: sp.Rational) -> bool:
    """Whether a value has every property that a symbol is assumed to have."""
    return all(getattr(value, f"is_{key}") == truth for key, truth in symbol.assumptions0.items())
