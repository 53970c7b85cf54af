"""What the symbolic engines need of sympy: a normal form of rational functions, and symbols of their own."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any

import sympy as sp
from sympy.core.mul import _keep_coeff


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
    if read := _polynomials(expr):
        return _reduced(*read)
    reduced = sp.cancel(sp.together(expr))
    # where all symbols cancel, cancel() may return a sum such as -1/2 + 1/2 unevaluated
    return reduced if reduced.free_symbols else reduced.doit()


@lru_cache(maxsize=4096)
def in_factors(expr: sp.Expr) -> sp.Expr:
    """A rational function with numerator and denominator factored, as ``sympy.factor`` writes it."""
    if not (read := _polynomials(normal(expr))):
        return sp.factor(expr)
    top, bottom, symbols = read
    if top == 0:
        return sp.S.Zero
    number, parts = sp.S.One, []
    for polynomial, power in ((top, 1), (bottom, -1)):
        try:
            content, found = polynomial.factor()
        except OverflowError:  # of python-flint, where coefficients are beyond machine numbers
            return sp.factor(expr)
        number *= sp.Integer(int(content)) ** power
        for one, times in found:
            sign = -1 if one.leading_coefficient() < 0 else 1
            number *= sign ** int(times)
            parts.append(_sum(one * sign, symbols) ** (power * int(times)))
    return _keep_coeff(number, sp.Mul(*parts))


def slopes(expr: sp.Expr, by: Iterable[sp.Symbol]) -> dict[sp.Symbol, sp.Expr]:
    """The derivatives of a rational function by symbols, in normal form."""
    if not (read := _polynomials(expr)):
        return {s: normal(sp.diff(expr, s)) for s in by}
    top, bottom, symbols = read
    out = dict.fromkeys(by, sp.S.Zero)
    for i, symbol in enumerate(symbols):
        if symbol in out:
            steep = top.derivative(i) * bottom - top * bottom.derivative(i)
            out[symbol] = _reduced(steep, bottom**2, symbols)
    return out


def _polynomials(expr: sp.Expr) -> tuple[Any, Any, tuple[sp.Symbol, ...]] | None:
    """Numerator and denominator of a rational function as polynomials of FLINT in symbols; None of anything else."""
    from flint import Ordering, fmpz_mpoly_ctx

    symbols = _in_order(frozenset(expr.free_symbols))
    context = fmpz_mpoly_ctx.get([f"x{i}" for i in range(len(symbols))], Ordering.lex)
    try:
        top, bottom = _divided(expr, dict(zip(symbols, context.gens(), strict=True)), context.constant(1))
    except _NotRationalError:
        return None
    return None if bottom == 0 else (top, bottom, symbols)


def _reduced(top: Any, bottom: Any, symbols: Sequence[sp.Symbol]) -> sp.Expr:
    """A quotient of polynomials as ``sympy.cancel`` writes it."""
    common = top.gcd(bottom) * (-1 if bottom.leading_coefficient() < 0 else 1)
    return _sum(top / common, symbols) / _sum(bottom / common, symbols)


class _NotRationalError(ValueError):
    """An expression is no rational function of its symbols."""


@lru_cache(maxsize=1 << 12)
def _in_order(symbols: frozenset[sp.Symbol]) -> tuple[sp.Symbol, ...]:
    """Symbols in the order in which they are the generators of a polynomial."""
    return sp.Poly(sp.Add(*symbols)).gens if symbols else ()


def _divided(expr: sp.Expr, symbols: Mapping[sp.Symbol, Any], one: Any) -> tuple[Any, Any]:
    """Numerator and denominator as polynomials, not reduced."""
    if expr.is_Symbol:
        return symbols[expr], one
    if expr.is_Rational:
        return one * expr.p, one * expr.q
    if expr.is_Pow and expr.exp.is_Integer:
        top, bottom = _divided(expr.base, symbols, one)
        power = int(expr.exp)
        return (top**power, bottom**power) if power >= 0 else (bottom**-power, top**-power)
    if not (expr.is_Add or expr.is_Mul):
        raise _NotRationalError
    (top, bottom), *others = (_divided(arg, symbols, one) for arg in expr.args)
    for t, b in others:
        if expr.is_Mul:
            top, bottom = top * t, bottom * b
        elif b == bottom:
            top += t
        else:
            common = bottom.gcd(b)
            top, bottom = top * (b / common) + t * (bottom / common), bottom * (b / common)
    return top, bottom


def _sum(polynomial: Any, symbols: Sequence[sp.Symbol]) -> sp.Expr:
    """A polynomial of FLINT as an expression."""
    return sp.Add(
        *(
            sp.Mul(sp.Integer(int(c)), *(s**e for s, e in zip(symbols, powers, strict=True) if e))
            for powers, c in polynomial.terms()
        )
    )


@lru_cache(maxsize=1 << 14)
def printed(said: sp.Basic) -> str:
    """The text of an expression or a relation; printing takes long, and names are asked for again and again."""
    return str(said)


def each_side(relation: sp.Rel, change: Callable[[sp.Expr], sp.Expr]) -> sp.Rel:
    """The relation with both sides changed; it is kept, also where it becomes decidable."""
    return relation.func(*map(change, relation.args), evaluate=False)


@lru_cache(maxsize=1 << 12)
def fits(symbol: sp.Symbol, value: sp.Rational) -> bool:
    """Whether a value has every property that a symbol is assumed to have."""
    return all(getattr(value, f"is_{key}") == truth for key, truth in symbol.assumptions0.items())
