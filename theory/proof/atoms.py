"""Terms that are no rational functions, as symbols with the signs and bounds that they have."""

from __future__ import annotations

import sympy as sp
from sympy.core.function import AppliedUndef

from rateproof.theory.algebra import normal, private
from rateproof.theory.sums.balls import ball

_SIGNS = ("positive", "negative", "nonnegative", "nonpositive", "nonzero")


class Atoms:
    """Replaces maxima, symbolic powers, logarithms, sums and terms of sequences, each always by the same symbol."""

    def __init__(self) -> None:
        self._symbols: dict[sp.Expr, sp.Symbol] = {}
        self._powers: dict[sp.Pow, sp.Expr] = {}

    def read(self, relation: sp.Rel) -> sp.Rel:
        """The relation with symbols in the place of such terms."""
        return relation.func(*map(self.expression, relation.args), evaluate=False)

    def expression(self, expr: sp.Expr) -> sp.Expr:
        """The expression with symbols in the place of such terms."""
        if isinstance(expr, sp.Pow):
            if expr not in self._powers:
                self._powers[expr] = self._power(expr)
            return self._powers[expr]
        if isinstance(expr, sp.log) and (apart := sp.expand_log(expr)) != expr:
            return self.expression(apart)  # log(1/x) is -log(x), for positive x
        if isinstance(expr, (sp.Sum, sp.Max, sp.Min, sp.Function)):
            return self._symbol(expr)
        if expr.is_Mul and any(f.is_Add for f in expr.args) and any(map(_is_root, expr.atoms(sp.Pow))):
            # powers of one base meet in a product, and not when each is a symbol
            terms = sp.Add.make_args(sp.expand_mul(expr, deep=False))
            if len(terms) > 1:
                return sp.Add(*map(self.expression, terms))
        if not expr.args or expr.is_Number:
            return expr if expr.is_Rational or expr.is_Symbol else self._symbol(expr)
        return expr.func(*map(self.expression, expr.args))

    def _power(self, power: sp.Pow) -> sp.Expr:
        """``q^(k + 1)`` is ``q`` times the symbol of ``q^k``, and ``(x y)^k`` the product, for nonnegative factors.

        Among these are roots, which are nonnegative where they have a meaning: ``(x y^(1/4))^k = x^k y^(k/4)``.
        """
        roots = [f for f in sp.Mul.make_args(power.base) if f.is_Pow and _is_root(f)]
        if roots and power.base.is_Mul:
            rest = power.base / sp.Mul(*roots)
            return sp.Mul(*(self.expression(f) for f in (rest**power.exp, *(f**power.exp for f in roots))))
        base, exponent = self.expression(power.base), sp.expand(power.exp)
        if exponent.is_Rational and exponent.q <= 2:
            return base**exponent
        if not base.is_Symbol:
            over, under = sp.fraction(normal(base))
            base = sp.terms_gcd(over) / sp.terms_gcd(under)
        split = sp.expand_power_base(base**exponent)
        if not split.is_Pow:
            return self.expression(split)
        base = split.base
        parts = sp.Add.make_args(exponent)
        if not (base.is_nonzero or exponent.is_negative) and any(part.could_extract_minus_sign() for part in parts):
            return self._symbol(base**exponent)  # 0^(k - 1) is a number, 0^k / 0 is none; 0^(-k) is none either
        out = sp.S.One
        for part in parts:
            number, rest = part.as_coeff_Mul()
            if rest == 1:
                sign, size = (-1, -number) if number.is_negative else (1, number)
                whole = sp.floor(size)
                out *= base ** (sign * whole)
                if size != whole:
                    out *= self._fraction(base, size - whole) ** sign
            elif number.is_Integer:
                out *= self._symbol(base**rest) ** number
            else:
                out *= self._symbol(base**part)
        return out

    def _fraction(self, base: sp.Expr, exponent: sp.Rational) -> sp.Expr:
        """``q^(5/6)`` is ``q`` over the symbol of ``q^(1/6)``, where there is one; square roots stay."""
        if exponent.q == 2:
            return base**exponent
        rest = self._symbols.get(base ** (1 - exponent)) if base.is_positive else None
        return self._symbol(base**exponent) if rest is None else base / rest

    def _symbol(self, term: sp.Expr) -> sp.Symbol:
        if term not in self._symbols:
            sign = next((s for s in _SIGNS if getattr(term, f"is_{s}")), None)
            self._symbols[term] = private(term, f"[{term}]", real=True, **({sign: True} if sign else {}))
        return self._symbols[term]

    def values(self) -> set[sp.Symbol]:
        """The symbols of sums and of terms of sequences: what is measured, not a parameter."""
        return {s for term, s in self._symbols.items() if isinstance(term, (AppliedUndef, sp.Sum))}

    def terms(self) -> dict[sp.Symbol, sp.Expr]:
        """The symbols, and the terms in whose place they stand."""
        return {s: t for t, s in self._symbols.items()}

    def unknowns(self) -> dict[sp.Symbol, sp.Expr]:
        """The symbols of which no more is known than a sign or bounds -> the roots, extremes, sums that they are."""
        return {s: t for t, s in self._symbols.items() if not (t.is_number or isinstance(t, AppliedUndef))}

    def conditions(self) -> list[sp.Rel]:
        """What is true of the symbols: a maximum is at least each of its arguments, a number is between two others."""
        out = []
        for term, symbol in list(self._symbols.items()):
            if term.is_number and (ends := _enclosed(term)):
                out += [sp.Ge(symbol, ends[0], evaluate=False), sp.Le(symbol, ends[1], evaluate=False)]
            if isinstance(term, (sp.Max, sp.Min)):
                compare = sp.Ge if isinstance(term, sp.Max) else sp.Le
                out += [compare(symbol, self.expression(arg), evaluate=False) for arg in term.args]
        return out


def _is_root(power: sp.Pow) -> bool:
    return bool(power.exp.is_Rational) and power.exp.q > 2


_BITS = 20


def _enclosed(number: sp.Expr) -> tuple[sp.Expr, sp.Expr] | None:
    """Two short fractions around a number, by ball arithmetic; None where it has a part that this does not know."""
    known = (sp.Rational, sp.Add, sp.Mul, sp.Pow, sp.exp, sp.log, type(sp.E), type(sp.pi))
    if not all(isinstance(part, known) for part in sp.preorder_traversal(number)):
        return None
    found = ball(number)
    if not found.is_finite():
        return None
    (low, e), (high, f) = ((int(m), int(k)) for m, k in (found.lower().man_exp(), found.upper().man_exp()))
    s, t = (max(m.bit_length() - _BITS, 0) for m in (low, high))
    return (low >> s) * sp.Integer(2) ** (e + s), -(-high >> t) * sp.Integer(2) ** (f + t)
