"""One comparison for all parameters and horizons at once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import sympy as sp

from rateproof.theory.algebra import normal
from rateproof.theory.sums.balls import ball
from rateproof.theory.sums.horizons import nonnegative_everywhere
from rateproof.theory.sums.statement import Bound, Range, is_rational_in
from rateproof.theory.sums.verdicts import Proved, UndecidedError


def majorised(bound: Bound, ranges: Mapping[sp.Symbol, Range]) -> Proved:
    """Bound every factor of the summand, sum the power that is left, and compare with the right side."""
    signs = Signs(ranges)
    if bound.first + bound.shift < bound.start:
        raise UndecidedError("the first sums are empty")
    largest, s = _largest_factors(bound, signs)
    target = _factors(bound.G)
    why = f"the summand decays like t^-({s}), and neither 0 <= {s} < 1 nor {s} > 1 is known"
    for total, how in _power_sums(bound, s, normal(1 - target.get(bound.T, sp.S.Zero)), signs):
        left = _unexplained(_quotient(target, _times(largest, total)), bound, signs)
        if left is None:
            return Proved("majorant", f"monotone factors at their largest value; {how}; compared factor by factor")
        why = f"the quotient of the right side and the majorant keeps {left}"
    raise UndecidedError(why)


def _power_sums(bound: Bound, s: sp.Expr, printed: sp.Expr, signs: Signs) -> Iterable[tuple[Factors, str]]:
    """Upper bounds of ``sum_{j=1}^n j^-s``, ``n = T + shift - start + 1``: by s, and by the order of the right side."""
    n = bound.T + bound.shift - bound.start + 1
    for order in dict.fromkeys((s, printed)):  # j^-s <= j^-order for order <= s
        if signs.nonnegative(order) and signs.of(1 - order) == 1 and signs.nonnegative(s - order):
            bases = _times({n: 1 - order}, {base: -power for base, power in _factors(1 - order).items()})
            yield bases, f"sum of j^-s at most n^(1-s)/(1-s) with s = {order}, n = {n}"
    if signs.of(s - 1) == 1:
        yield _factors(normal(s / (s - 1))), f"sum of j^-s at most s/(s-1) with s = {s}"


def _largest_factors(bound: Bound, signs: Signs) -> tuple[Factors, sp.Expr]:
    """Factors whose product bounds that of the summand's, but for ``j^-s`` with ``j = t - start + 1``; and ``s``."""
    largest: Factors = {}
    s: sp.Expr = sp.S.Zero
    top = bound.T + bound.shift
    for base, power in _factors(bound.g).items():
        if not base.has(bound.t):
            if not (signs.of(base) == 1 if base.free_symbols else ball(base) > 0):
                raise UndecidedError(f"{base} is not known to be positive")
            largest = _times(largest, {base: power})
            continue
        sign = signs.of(power)
        argument = base.args[0] if isinstance(base, sp.log) else base
        offset = argument - bound.t
        if sign is None or not offset.is_Rational:
            raise UndecidedError(f"{base}^({power}) is not known to be monotone")
        smallest = base.subs(bound.t, bound.start)
        if bound.start + offset <= 0 or smallest.is_negative or (sign == -1 and smallest == 0):
            raise UndecidedError(f"{base}^({power}) is not positive from {bound.start} on")
        if sign == 1:
            largest = _times(largest, {base.subs(bound.t, top): power})
        elif base == argument and bound.start + offset >= 1:  # t + offset >= j
            s = normal(s - power)
        else:
            largest = _times(largest, {smallest: power})
    return largest, s


def _unexplained(quotient: Factors, bound: Bound, signs: Signs) -> sp.Expr | None:
    """None when the product is at least one for all parameters and ``T >= first``; else a factor in the way.

    What is rational in the parameters must be at least one together; of the other factors, ``base^power >= 1`` for
    ``base >= 1`` and ``power > 0``, and two bases with opposite exponents are compared as functions of T.
    """
    rational = sp.S.One
    above: list[tuple[sp.Expr, sp.Expr]] = []
    below: list[tuple[sp.Expr, sp.Expr]] = []
    for base, power in quotient.items():
        if base.is_number:
            whole = sp.floor(sp.expand(power).as_independent(*signs.values, as_Add=True)[0])
            rational, power = rational * base**whole, normal(power - whole)
        sign = signs.of(power)
        if not base.has(bound.T) and power.is_Integer and is_rational_in(base, frozenset(signs.values)):
            rational *= base**power
        elif sign is None or base.has(*signs.values):
            return base**power
        else:
            (above if sign == 1 else below).append((base, power))
    for base, power in below:
        partner = next((b for b, q in above if normal(power + q) == 0 and _ordered(bound, base, b)), None)
        if partner is None:
            return base**power
        above = [(b, q) for b, q in above if b != partner]
    for base, power in above:
        if not _ordered(bound, sp.S.One, base):
            return base**power
    return None if signs.of(rational) == 1 and signs.nonnegative(rational - 1) else rational


def _ordered(bound: Bound, small: sp.Expr, large: sp.Expr) -> bool:
    """Whether ``0 <= small <= large`` for every integer ``T >= first``."""
    return all(nonnegative_everywhere(bound, difference) for difference in (small, large - small))


class Signs:
    """Signs of rational functions of parameters that range over open intervals.

    With ``v = low + p`` or ``v = low + (high - low)/(1 + p)``, ``p > 0``, a function whose numerator and denominator
    have coefficients of one sign has that sign: sufficient, and all that is asked here.
    """

    def __init__(self, ranges: Mapping[sp.Symbol, Range]) -> None:
        self.positive = {symbol: sp.Dummy(str(symbol), positive=True) for symbol in ranges}
        self.values = {
            symbol: low + (p if high is sp.oo else (high - low) / (1 + p))
            for (symbol, (low, high)), p in zip(ranges.items(), self.positive.values(), strict=True)
        }

    def of(self, expr: sp.Expr) -> int | None:
        """1, 0, -1 for positive, zero and negative throughout; None when it is not known."""
        sign = 1
        for part in normal(expr.subs(self.values)).as_numer_denom():
            if part == 0:
                return 0
            poly = sp.Poly(part, *self.positive.values())
            signs = {int(sp.sign(c)) for c in poly.coeffs()}
            if len(signs) > 1:
                return None
            sign *= signs.pop()
        return sign

    def nonnegative(self, expr: sp.Expr) -> bool:
        """Whether ``expr >= 0`` throughout is known."""
        return self.of(expr) in (0, 1)


Factors = dict[sp.Expr, sp.Expr]


def _factors(expr: sp.Expr, exponent: sp.Expr = sp.S.One) -> Factors:
    """``expr^exponent`` as base -> exponent, for positive bases."""
    result: Factors = {}
    if isinstance(expr, sp.Mul):
        for part in expr.args:
            result = _times(result, _factors(part, exponent))
        return result
    if isinstance(expr, sp.Pow):
        return _factors(expr.base, expr.exp * exponent)
    factored = sp.factor_terms(expr)
    if isinstance(factored, sp.Mul):
        return _factors(factored, exponent)
    if expr.is_Rational and expr.is_positive and not expr.is_Integer:
        return {sp.Integer(expr.p): exponent, sp.Integer(expr.q): -exponent}
    return {expr: exponent}


def _times(left: Factors, right: Factors) -> Factors:
    result = dict(left)
    for base, power in right.items():
        result[base] = normal(result.get(base, sp.S.Zero) + power)
    return {base: power for base, power in result.items() if power != 0 and base != 1}


def _quotient(left: Factors, right: Factors) -> Factors:
    return _times(left, {base: -power for base, power in right.items()})
