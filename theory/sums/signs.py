"""Signs of rational functions of parameters, indices, the horizon and powers ``q^T``, for all of their values."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import sympy as sp

from rateproof.theory.algebra import normal
from rateproof.theory.sums.verdicts import UndecidedError

Range = tuple[Any, Any]
"""The ends of an open interval."""
DIFFERENCES = 3
"""How often a function of the horizon is replaced by its increment, at most."""
LOGARITHMS = 24
"""The largest number of logarithms that are taken together."""
TERMS = 400
"""A numerator of more terms is given up."""


class Signs:
    """Signs of rational functions of parameters in open intervals, and of symbols with a smallest value.

    With ``v = low + p`` or ``v = low + (high - low)/(1 + p)``, ``p > 0``, a function whose numerator and denominator
    have coefficients of one sign has that sign: sufficient, and all that is asked here. A symbol that attains its
    smallest value is ``least + u`` with ``u >= 0``.
    """

    def __init__(self, ranges: Mapping[sp.Symbol, Range], least: Mapping[sp.Symbol, sp.Expr] | None = None) -> None:
        self.values: dict[sp.Symbol, sp.Expr] = {}
        self.weak: list[sp.Symbol] = []
        for symbol, (low, high) in ranges.items():
            p = sp.Dummy(str(symbol), positive=True)
            self.values[symbol] = low + (p if high is sp.oo else (high - low) / (1 + p))
        for symbol, smallest in (least or {}).items():
            self.values[symbol] = smallest + self.excess(str(symbol))

    def excess(self, name: str) -> sp.Symbol:
        """A new symbol that is any number ``>= 0``."""
        self.weak.append(sp.Dummy(name, nonnegative=True))
        return self.weak[-1]

    def within(self, index: sp.Symbol, low: sp.Expr, high: sp.Expr) -> Signs:
        """The same with ``low <= index <= high``, where the ends are affine in other symbols."""
        inner = Signs({})
        inner.values, inner.weak = dict(self.values), list(self.weak)
        inner.values[index] = low + inner.excess(index.name)
        for outer in high.free_symbols - low.free_symbols:  # outer = (index - rest)/rate, or more
            rate = high.coeff(outer)
            inner.values[outer] = (index - (high - rate * outer) + inner.excess(outer.name)) / rate
        return inner

    def of(self, expr: sp.Expr) -> int | None:
        """1, 0, -1 for positive, zero and negative throughout; None when it is not known."""
        return self._sign(expr, strict=True)

    def nonnegative(self, expr: sp.Expr) -> bool:
        """Whether ``expr >= 0`` throughout is known."""
        return self._sign(expr, strict=False) in (0, 1)

    def _sign(self, expr: sp.Expr, *, strict: bool) -> int | None:
        for _ in self.values:
            if not expr.free_symbols & self.values.keys():
                break
            expr = expr.subs(self.values)
        numerator, denominator = normal(expr).as_numer_denom()
        if numerator == 0:
            return 0
        signs = self._one_sign(numerator, strict), self._one_sign(denominator, True)
        return None if None in signs else signs[0] * signs[1]  # type: ignore[operator]

    def _one_sign(self, expr: sp.Expr, strict: bool) -> int | None:
        """The sign of all coefficients; strict where one of them does without the symbols that may vanish."""
        gens = sorted(expr.free_symbols, key=str)
        if not gens:
            sign = sp.sign(expr)  # of what is not a number there is none
            return int(sign) if sign.is_Integer else None
        if not all(g.is_positive or g in self.weak for g in gens) or not expr.is_polynomial(*gens):
            return None
        poly = sp.Poly(expr, *gens)
        signs = {sp.sign(c) for c in poly.coeffs()}
        vanish = [i for i, g in enumerate(gens) if g in self.weak]
        if len(signs) > 1 or not signs <= {1, -1}:
            return None
        if strict and not any(all(powers[i] == 0 for i in vanish) for powers in poly.monoms()):
            return None
        return int(signs.pop())


class Exponentials:
    """Symbols in the place of ``q^x`` for one variable x, and what they stand for.

    Attributes:
        expr: the expression with every ``q^(a x + b)`` as ``q^b X^a``.
        bases: X -> q.
    """

    def __init__(self, expr: sp.Expr, variable: sp.Symbol) -> None:
        self.variable = variable
        self.bases: dict[sp.Symbol, sp.Expr] = {}
        self.expr = expr.replace(lambda e: isinstance(e, sp.Pow | sp.exp) and e.exp.has(variable), self._opened)

    def _opened(self, power: sp.Expr) -> sp.Expr:
        base, exponent = power.as_base_exp()
        if base.is_Pow and base.exp.is_Integer:
            base, exponent = base.base, exponent * base.exp
        exponent = sp.expand(exponent)
        rate = exponent.coeff(self.variable)
        rest = exponent - rate * self.variable
        if not rate.is_Integer or rest.has(self.variable):
            raise UndecidedError(f"the exponent {exponent} is not a whole multiple of {self.variable}, and more")
        if base.has(self.variable):
            raise UndecidedError(f"{power} has {self.variable} in its base and in its exponent")
        symbol = next((X for X, q in self.bases.items() if q == base), None) or sp.Dummy(str(base), positive=True)
        self.bases[symbol] = base
        return base**rest * symbol**rate

    def closed(self, expr: sp.Expr) -> sp.Expr:
        """``expr`` with the powers themselves again."""
        return expr.subs({X: q**self.variable for X, q in self.bases.items()})

    def shifted(self, expr: sp.Expr, by: int = 1) -> sp.Expr:
        """``expr`` at ``x + by``."""
        return expr.subs({X: X * q**by for X, q in self.bases.items()} | {self.variable: self.variable + by})


def always_nonnegative(gap: sp.Expr, T: sp.Symbol, first: int, ranges: Mapping[sp.Symbol, Range]) -> bool:
    """Whether ``gap >= 0`` for all integers ``T >= first`` and all parameters is known.

    By the signs of its coefficients, with ``0 < q^T <= q^first`` for ``q < 1``; else by induction: the gap, or the gap
    divided by one of its ``q^T``, is nonnegative at ``first`` and so is its increment. A sum of logarithms is that of
    a product, which is to be at least 1.
    """
    gap = _exponentiated(gap, Signs(ranges, {T: sp.Integer(first)}))
    try:
        powers = Exponentials(gap, T)
    except UndecidedError:
        return False
    if not powers.expr.is_rational_function():
        return False
    signs = Signs(ranges, {T: sp.Integer(first)})
    for X, q in powers.bases.items():
        p = signs.excess(X.name)
        known: dict[int | None, sp.Expr] = {1: q**first * (1 + p), -1: q**first / (1 + p), 0: sp.S.One}
        signs.values[X] = known.get(signs.of(q - 1), sp.Dummy(X.name, positive=True))
    numerator, denominator = normal(powers.expr).as_numer_denom()
    sign = signs.of(denominator)
    return bool(sign) and _by_induction(sign * numerator, powers, first, signs, DIFFERENCES)


def _exponentiated(gap: sp.Expr, signs: Signs) -> sp.Expr:
    """What has the sign of ``sum c_i ln b_i``: ``prod b_i^c_i - 1``, with whole exponents; anything else as it is."""
    terms = [term.as_coeff_Mul() for term in sp.Add.make_args(sp.expand_log(sp.expand(gap, log=False)))]
    if not gap.has(sp.log) or not all(c.is_Rational and isinstance(log, sp.log) for c, log in terms):
        return gap
    scale = sp.ilcm(1, *(c.q for c, _ in terms))
    powers = [(log.args[0], c * scale) for c, log in terms]
    if sum(abs(k) for _, k in powers) > LOGARITHMS or not all(signs.of(base) == 1 for base, _ in powers):
        return gap
    return sp.Mul(*(base**k for base, k in powers)) - 1


def _by_induction(gap: sp.Expr, powers: Exponentials, first: int, signs: Signs, depth: int) -> bool:
    gap = sp.expand(gap)
    if len(sp.Add.make_args(gap)) > TERMS:
        return False
    if signs.nonnegative(gap):
        return True
    start = {X: q**first for X, q in powers.bases.items()} | {powers.variable: sp.Integer(first)}
    if depth == 0 or not signs.nonnegative(gap.subs(start)):
        return False
    for q in (sp.S.One, *powers.bases.values()):  # the gap itself, and the gap divided by q^T
        step, scale = normal(powers.shifted(gap) / q - gap).as_numer_denom()
        sign = signs.of(scale)
        if sign and _by_induction(sign * step, powers, first, signs, depth - 1):
            return True
    return False
