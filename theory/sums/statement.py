"""A bound on a sum as the caller writes it, what is read from it, and what is refused."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import sympy as sp

from rateproof.theory.algebra import Private

Range = tuple[Any, Any]
FIRST_MAX = 1_000_000
"""The largest first horizon, lower limit and shift."""
_WHOLE = sp.Dummy(positive=True, integer=True).assumptions0


@dataclass(frozen=True)
class Bound:
    """``sum_{t=start}^{T+shift} g(t) <= G(T)`` for ``T >= first``.

    Attributes:
        g, G: the summand and the right side, functions of ``t`` and of ``T``.
        t, T: variables of our own, positive (``t`` nonnegative when the sum starts at 0).
        start, shift, first: the limits of the sum and the smallest horizon claimed.
        horizon: ``T`` as the caller wrote it.
    """

    g: sp.Expr
    G: sp.Expr
    t: sp.Symbol
    T: sp.Symbol
    start: int
    shift: int
    first: int
    horizon: sp.Symbol

    def at(self, values: Mapping[sp.Symbol, sp.Rational]) -> Bound:
        """The bound for values of the parameters."""
        return replace(self, g=self.g.subs(values), G=self.G.subs(values))


def read_range(symbol: sp.Symbol, ends: Range) -> Range:
    """The open interval between two ends in rational numbers.

    Raises:
        ValueError: it is empty, or an end is not rational; the upper one may be oo.
    """
    if not isinstance(symbol, sp.Symbol) or not isinstance(ends, Sequence) or len(ends) != 2:
        raise ValueError(f"parameter {symbol} with range {ends}: give a symbol and a pair (low, high)")
    low, high = (sp.nsimplify(end, rational=True) for end in ends)
    if not low.is_Rational or not (high.is_Rational or high is sp.oo) or not low < high:
        raise ValueError(f"range ({low}, {high}) of {symbol}: give a rational lower end below a rational one or oo")
    return low, high


def read(relation: sp.Rel, horizon: sp.Symbol, first: int, parameters: frozenset[sp.Symbol]) -> Bound:
    """What a relation claims; arguments and errors as in :func:`rateproof.theory.sums.decide`."""
    if not isinstance(first, int | sp.Integer) or not 1 <= first <= FIRST_MAX:
        raise ValueError(f"first = {first}: the first horizon must lie in 1..{FIRST_MAX}")
    if isinstance(relation, sp.Ge):
        relation = relation.reversed
    if not isinstance(relation, sp.Le):
        raise ValueError(f"{relation} is no bound on a sum: write Le(Sum(g, (t, t0, {horizon})), G, evaluate=False)")
    if horizon in parameters:
        raise ValueError(f"the horizon {horizon} is no parameter; it has no range but first")
    factor, rest = relation.lhs.as_independent(sp.Sum, as_Add=False)
    if not isinstance(rest, sp.Sum) or len(rest.limits) != 1 or len(rest.limits[0]) != 3:
        raise ValueError(f"left side {relation.lhs} is no multiple of a sum over one index")
    index, start, stop = rest.limits[0]
    for symbol in (index, horizon):
        if not isinstance(symbol, sp.Symbol) or symbol.assumptions0.items() - _WHOLE.items():
            raise ValueError(f"{symbol} runs through all integers; declare it with integer=True, positive=True at most")
    shift = sp.expand(stop - horizon)
    if not (start.is_Integer and 0 <= start <= FIRST_MAX and shift.is_Integer and abs(shift) <= FIRST_MAX):
        raise ValueError(f"limits {start}..{stop} of the sum: integers t0 >= 0 and {horizon} + m, up to {FIRST_MAX}")
    if factor.has(horizon):
        raise ValueError(f"factor {factor} of the sum depends on {horizon}; move it to the right side")
    t = Private(index.name, **({"positive": True} if start else {"nonnegative": True}))
    T = Private(horizon.name, positive=True)
    # the index is bound in the summand only; a symbol like it outside of the sum is another one
    summand, right = _rational(factor * rest.function.subs(index, t)), _rational(relation.rhs.subs(horizon, T))
    _refuse_foreign(summand, t, parameters)
    _refuse_foreign(right, T, parameters)
    return Bound(summand, right, t, T, int(start), int(shift), int(first), horizon)


def _rational(expr: sp.Expr) -> sp.Expr:
    return expr.xreplace({x: sp.nsimplify(x, rational=True) for x in expr.atoms(sp.Float)})


def _refuse_foreign(expr: sp.Expr, variable: sp.Symbol, parameters: frozenset[sp.Symbol]) -> None:
    """Raise ValueError for the first part outside the calculus."""
    if isinstance(expr, sp.Pow | sp.exp):
        base, exponent = expr.as_base_exp()
        if exponent.has(variable):
            raise ValueError(f"{expr}: the exponent {exponent} is not constant; only powers and logarithms are decided")
        if base.has(variable) and not is_rational_in(exponent, parameters):
            raise ValueError(f"{expr}: the exponent {exponent} is not rational")
        for part in (base, exponent):
            _refuse_foreign(part, variable, parameters)
    elif isinstance(expr, sp.Add | sp.Mul | sp.log):
        for part in expr.args:
            _refuse_foreign(part, variable, parameters)
    elif not (expr == variable or expr in parameters or expr.is_Rational or expr in (sp.pi, sp.E, sp.EulerGamma)):
        hint = "; give its range in parameters" if expr.is_Symbol else ""
        raise ValueError(f"{expr} is outside the calculus of powers, logarithms, sums, products and numbers{hint}")


def is_rational_in(exponent: sp.Expr, parameters: frozenset[sp.Symbol]) -> bool:
    """Whether ``exponent`` is a rational function of the parameters."""
    if exponent.atoms(sp.Function, sp.NumberSymbol) or not exponent.free_symbols <= parameters:
        return False
    return all(power.exp.is_Integer for power in exponent.atoms(sp.Pow))
