"""One comparison for all parameters and horizons at once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import islice, permutations, product

import sympy as sp

from rateproof.theory.algebra import normal
from rateproof.theory.sums.balls import ball
from rateproof.theory.sums.closed import summed
from rateproof.theory.sums.horizons import nonnegative_everywhere
from rateproof.theory.sums.signs import Range, Signs, always_nonnegative
from rateproof.theory.sums.statement import Bound, Part, is_rational_in
from rateproof.theory.sums.verdicts import Proved, UndecidedError

INTEGRALS = 16
"""So many choices of a bound for each sum are compared."""


def majorised(bound: Bound, ranges: Mapping[sp.Symbol, Range]) -> Proved:
    """Bound every factor of the summand, sum the power that is left, and compare with the right side."""
    signs, part = Signs(ranges), _only_part(bound)
    if part.last(bound.first) < part.start:
        raise UndecidedError("the first sums are empty")
    if part.factor != 1:
        raise UndecidedError(f"the sum has the factor {part.factor}")
    largest, s = _largest_factors(part.g, part, bound.T, signs)
    target = _factors(bound.G)
    why = f"the summand decays like t^-({s}), and neither 0 <= {s} < 1 nor {s} > 1 is known"
    n = part.last(bound.T) - part.start + 1
    for total, how in _power_sums(n, s, normal(1 - target.get(bound.T, sp.S.Zero)), signs):
        left = _unexplained(_quotient(target, _times(largest, total)), bound, signs)
        if left is None:
            return Proved("majorant", f"monotone factors at their largest value; {how}; compared factor by factor")
        why = f"the quotient of the right side and the majorant keeps {left}"
    raise UndecidedError(why)


def by_mean_values(bound: Bound, ranges: Mapping[sp.Symbol, Range]) -> Proved:
    """By induction: ``G(T) - G(T-1)`` is at least the derivative at one end, and that at least the next term."""
    T, term = bound.T, bound.term()
    empty = all(part.last(bound.first - 1) == part.start - 1 for part in bound.parts)
    base = bound.first - 1 if empty else bound.first
    if any(part.last(base) < part.start - 1 for part in bound.parts):
        raise UndecidedError("the first sums are empty")
    signs = Signs({**ranges, T: (sp.Integer(base), sp.oo)})
    slope = sp.diff(bound.G, T)
    bends = _sign(sp.factor(sp.diff(slope, T)), signs)
    least = slope if bends in (-1, 0) else slope.subs(T, T - 1)
    start = bound.G.subs(T, base) - sp.Add(*(part.written_out(base) for part in bound.parts))
    if bends is None or not start.is_finite or not (start.is_nonnegative or signs.nonnegative(start)):
        raise UndecidedError("the right side is not known to be concave or convex, and large enough at first")
    if sp.simplify(least - term) != 0:
        sign = _sign(sp.factor(term), signs)
        small, large = (term, least) if sign == 1 else (-least, -term)
        beyond = replace(bound, first=base + 1)
        if sign is None or _sign(sp.factor(small), signs) != 1:
            raise UndecidedError("the next term is not known to have one sign")
        left = _unexplained(_quotient(_factors(large), _factors(small)), beyond, Signs(ranges))
        if left is not None:
            raise UndecidedError(f"the quotient of the slope of the right side and the next term keeps {left}")
    return Proved("mean values", "the right side grows by at least the next term, by its derivative")


def by_integrals(bound: Bound, ranges: Mapping[sp.Symbol, Range]) -> Proved:
    """Every sum of ``c (t + b)^-p`` by an integral or by one of its terms or, where it is negative, by zero."""
    signs = Signs(ranges, {bound.T: sp.Integer(bound.first)})
    ways = [list(_upper_bounds(stretch, signs)) for stretch in _stretches(bound, signs)]
    for chosen in islice(product(*ways), INTEGRALS):
        totals, how = zip(*chosen, strict=True)
        if always_nonnegative(bound.G - sp.Add(*totals), bound.T, bound.first, ranges):
            return Proved("integrals", f"{'; '.join(dict.fromkeys(how))}; the rest by signs of coefficients")
    raise UndecidedError("integrals and largest terms in the place of the sums are too large")


@dataclass(frozen=True)
class _Stretch:
    """``sign |c| sum_{t=low}^high (t + b)^-p`` with ``p > 0`` and ``low + b > 0``."""

    sign: int
    c: sp.Expr
    b: sp.Expr
    p: sp.Expr
    low: sp.Expr
    high: sp.Expr

    def integral(self, low: sp.Expr, high: sp.Expr) -> sp.Expr:
        """``c`` times the integral of the power between two ends."""
        if self.p == 1:
            return self.c * (sp.log(high + self.b) - sp.log(low + self.b))
        return self.c * ((low + self.b) ** (1 - self.p) - (high + self.b) ** (1 - self.p)) / (self.p - 1)

    def term(self, t: sp.Expr) -> sp.Expr:
        """One term of the sum."""
        return self.c * (t + self.b) ** -self.p


def _stretches(bound: Bound, signs: Signs) -> list[_Stretch]:
    """The sums of a bound; of two that differ in their ends and signs only, the terms that one has alone."""
    found: list[_Stretch] = []
    for part in bound.parts:
        low, high = sp.Integer(part.start), part.last(bound.T)
        c, b, p = _power(part.g, part.t)
        sign = _sign(sp.factor(part.factor * c), signs)
        if sign is None or not p > 0 or signs.of(low + b) != 1 or not signs.nonnegative(high - low + 1):
            raise UndecidedError(f"{part.g} is no positive multiple of a power that falls")
        found.append(_Stretch(sign, part.factor * c, b, p, low, high))
    for one, other in permutations(found, 2):
        alike = (one.b, one.p, one.low) == (other.b, other.p, other.low) and one.sign == 1
        if alike and normal(one.c + other.c) == 0 and signs.nonnegative(one.high - other.high):
            rest = [s for s in found if s not in (one, other)]
            return [*rest, replace(one, low=other.high + 1)]
    return found


def _power(g: sp.Expr, t: sp.Symbol) -> tuple[sp.Expr, sp.Expr, sp.Expr]:
    """``c``, ``b`` and ``p`` of ``c (t + b)^-p``."""
    c, power = sp.factor(g).as_independent(t, as_Add=False)
    base, exponent = power.as_base_exp()
    slope = sp.diff(base, t)
    if slope.has(t) or not slope.is_positive or not exponent.is_Rational:
        raise UndecidedError(f"{g} is no multiple of a power")
    return c * slope**exponent, sp.expand(base / slope) - t, -exponent


def _upper_bounds(s: _Stretch, signs: Signs) -> Iterator[tuple[sp.Expr, str]]:
    """Upper bounds of a sum, the sharpest first, and their names."""
    half = sp.Rational(1, 2)
    if s.sign != 1:
        yield s.integral(s.low, s.high + 1), "a sum with a minus sign by its integral"
        if signs.of(s.high + s.b) == 1:
            yield s.term(s.high) * (s.high - s.low + 1), "a sum with a minus sign by its smallest term"
        yield sp.S.Zero, "a sum with a minus sign left out"
        return
    if signs.of(s.low - half + s.b) == 1:
        yield s.integral(s.low - half, s.high + half), "the sum of a convex function by its integral"
    if signs.of(s.low - 1 + s.b) == 1:
        yield s.integral(s.low - 1, s.high), "the sum of a function that falls by its integral"
    if signs.nonnegative(s.high - s.low):  # of an empty sum the first term is none of its terms
        yield s.term(s.low) + s.integral(s.low + half, s.high + half), "all terms but the first by an integral"
    yield s.term(s.low) * (s.high - s.low + 1), "every term by the largest"


def simpler(bound: Bound, ranges: Mapping[sp.Symbol, Range]) -> Iterator[Bound]:
    """Bounds that imply this one: powers ``q^t``, or all other factors of the summand, at their largest value."""
    signs, part, T = Signs(ranges, {bound.T: sp.Integer(bound.first)}), _only_part(bound), bound.T
    last = part.last(T)
    powers = [f for f in sp.Mul.make_args(part.g) if f.as_base_exp()[1].has(part.t)]
    if not (powers and signs.nonnegative(last - part.start) and _sign(part.factor, signs) in (0, 1)):
        return
    geometric = sp.Mul(*powers)
    rest = part.g / geometric
    try:
        largest, _ = _largest_factors(rest, part, T, signs)
    except UndecidedError:
        return
    value = sp.Mul(*(base**power for base, power in largest.items()))
    total = summed(geometric, part.t, sp.Integer(part.start), last, signs)
    if not total.has(sp.Sum):
        yield replace(bound, parts=(), G=bound.G - part.factor * value * total)
    ratio = sp.simplify(geometric.subs(part.t, part.t + 1) / geometric)
    grows = signs.of(ratio - 1)
    if grows is not None:
        top = sp.simplify(part.factor * geometric.subs(part.t, last if grows == 1 else part.start))
        yield replace(bound, parts=(replace(part, factor=sp.S.One, g=top * rest),), G=bound.G)


def _only_part(bound: Bound) -> Part:
    if len(bound.parts) != 1:
        raise UndecidedError(f"{len(bound.parts)} sums without closed form")
    return bound.parts[0]


def _sign(product: sp.Expr, signs: Signs) -> int | None:
    """The sign of a product of rational functions and of powers of positive ones."""
    result = 1
    for factor in sp.Mul.make_args(sp.powsimp(product)):
        base, power = factor.as_base_exp()
        sign = signs.of(base)
        if sign is None or (sign == -1 and not power.is_Integer):
            return None
        result *= sign if sign in (0, 1) or power.is_odd else 1
    return result


def _power_sums(n: sp.Expr, s: sp.Expr, printed: sp.Expr, signs: Signs) -> Iterable[tuple[Factors, str]]:
    """Upper bounds of ``sum_{j=1}^n j^-s``: by s, and by the order of the right side."""
    for order in dict.fromkeys((s, printed)):  # j^-s <= j^-order for order <= s
        if signs.nonnegative(order) and signs.of(1 - order) == 1 and signs.nonnegative(s - order):
            bases = _times({n: 1 - order}, {base: -power for base, power in _factors(1 - order).items()})
            yield bases, f"sum of j^-s at most n^(1-s)/(1-s) with s = {order}, n = {n}"
    if signs.of(s - 1) == 1:
        yield _factors(normal(s / (s - 1))), f"sum of j^-s at most s/(s-1) with s = {s}"


def _largest_factors(g: sp.Expr, part: Part, T: sp.Symbol, signs: Signs) -> tuple[Factors, sp.Expr]:
    """Factors whose product bounds that of g's, but for ``j^-s`` with ``j = t - start + 1``; and ``s``."""
    largest: Factors = {}
    s: sp.Expr = sp.S.Zero
    for base, power in _factors(g).items():
        if not base.has(part.t) and not power.has(part.t):
            if not (signs.of(base) == 1 if base.free_symbols else ball(base) > 0):
                raise UndecidedError(f"{base} is not known to be positive")
            largest = _times(largest, {base: power})
            continue
        sign = signs.of(power)
        argument = base.args[0] if isinstance(base, sp.log) else base
        offset = argument - part.t
        if sign is None or not offset.is_Rational:
            raise UndecidedError(f"{base}^({power}) is not known to be monotone")
        smallest = base.subs(part.t, part.start)
        if part.start + offset <= 0 or smallest.is_negative or (sign == -1 and smallest == 0):
            raise UndecidedError(f"{base}^({power}) is not positive from {part.start} on")
        if sign == 1:
            largest = _times(largest, {base.subs(part.t, part.last(T)): power})
        elif base == argument and part.start + offset >= 1:  # t + offset >= j
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
    if expr.is_Rational and expr.is_positive:
        return {sp.Integer(prime): k * exponent for prime, k in sp.factorrat(expr).items()}
    return {expr: exponent}


def _times(left: Factors, right: Factors) -> Factors:
    result = dict(left)
    for base, power in right.items():
        result[base] = normal(result.get(base, sp.S.Zero) + power)
    return {base: power for base, power in result.items() if power != 0 and base != 1}


def _quotient(left: Factors, right: Factors) -> Factors:
    return _times(left, {base: -power for base, power in right.items()})
