"""Closed forms of sums, by Gosper's theorem and by telescoping, and what is left of a sum without one."""

from __future__ import annotations

from collections.abc import Iterator

import sympy as sp
from sympy.concrete.gosper import gosper_term

from rateproof.theory.algebra import normal
from rateproof.theory.sums.signs import Exponentials, Signs
from rateproof.theory.sums.verdicts import UndecidedError

STEPS = (1, -1, 2, -2, 3, -3)
"""A summand ``h(t + k) - h(t)`` is recognised for these k."""
TELESCOPED = 12
"""A summand of more terms is not searched for such differences."""
FEW = 20
"""A sum of fewer terms is written out."""
FIRST_TERMS = 1000
"""So many terms may stand apart when two sums are exchanged."""


def summed(f: sp.Expr, t: sp.Symbol, a: sp.Expr, b: sp.Expr, signs: Signs) -> sp.Expr:
    """``sum_{t=a}^b f``: closed as far as possible, the rest as multiples of sums of one index from an integer on.

    Args:
        f: the summand; it may contain such sums itself, up to ``t + m``.
        t: its index.
        a, b: affine in the horizon or an outer index.
        signs: of all symbols but the index.

    Raises:
        UndecidedError: what is left depends on the horizon.
    """
    if f.has(sp.Sum):
        return sp.Add(*(_exchanged(term, t, a, b, signs) for term in sp.Add.make_args(sp.expand(f))))
    if (b - a).is_Integer and b - a < FEW:
        return sp.Add(*(f.subs(t, a + k) for k in range(int(b - a) + 1)))
    whole = signs.nonnegative(b - a + 1)
    inner = signs.within(t, a, b)
    total: sp.Expr = sp.S.Zero
    for constant, term in _by_exponential(f, t):
        F = antidifference(term, t, inner) if whole else None
        if F is not None:
            total += constant * sp.Add(F.subs(t, b + 1), -F.subs(t, a))
            continue
        for part in _left_over(term, t, whole):
            F = antidifference(part, t, inner) if whole and part != term else None
            if F is not None:
                total += constant * sp.Add(F.subs(t, b + 1), -F.subs(t, a))
            else:
                total += constant * _kept(part, t, a, b, whole)
    return total


def _by_exponential(f: sp.Expr, t: sp.Symbol) -> Iterator[tuple[sp.Expr, sp.Expr]]:
    """``f`` as a sum of terms ``constant * g(t) prod q^(a t)``, all g of one product together."""
    powers = Exponentials(f, t)
    parts: dict[sp.Expr, sp.Expr] = {}
    for term in sp.Add.make_args(sp.expand(powers.expr, power_exp=False, power_base=False, log=False)):
        rest, product = _apart(term, powers)
        if product.has(sp.Add):
            rest, product = _apart(sp.factor(term), powers)
        if product.has(sp.Add):
            raise UndecidedError(f"{f} is no sum of products of powers")
        parts[product] = parts.get(product, sp.S.Zero) + rest
    for product, rest in parts.items():
        constant, g = sp.factor_terms(rest).as_independent(t, as_Add=False)
        yield constant, g * powers.closed(product)


def _apart(term: sp.Expr, powers: Exponentials) -> tuple[sp.Expr, sp.Expr]:
    """A product without and with the powers."""
    return term.as_independent(*powers.bases, as_Add=False) if powers.bases else (term, sp.S.One)


def antidifference(f: sp.Expr, t: sp.Symbol, signs: Signs) -> sp.Expr | None:
    """``F`` with ``F(t + 1) - F(t) = f(t)``, checked; None when none is found, or where f may have a pole."""
    powers = Exponentials(f, t)
    if not powers.expr.is_rational_function(t):
        return _telescoped(f, t, signs)
    coefficient, product = _apart(powers.expr, powers)
    ratio = powers.shifted(product) / product
    coefficient = normal(coefficient)
    if not signs.of(sp.denom(coefficient)):
        return None
    z = sp.Dummy(positive=True)
    y = gosper_term(coefficient * (z**t if ratio != 1 else 1), t)
    if y is None:
        return None
    F = sp.factor(normal(coefficient * y.subs(z, ratio)))
    if normal(ratio * F.subs(t, t + 1) - F - coefficient) != 0:
        return None
    return F * powers.closed(product)


def _telescoped(f: sp.Expr, t: sp.Symbol, signs: Signs) -> sp.Expr | None:
    """The same for differences of values of functions, such as ``sqrt(t + 1) - sqrt(t)`` or ``ln((t + 1)/t)``."""
    roots = sp.Add.make_args(sp.denom(f))
    if len(roots) == 2 and all(root.as_coeff_Mul()[1].as_base_exp()[1] == sp.Rational(1, 2) for root in roots):
        f = sp.radsimp(f)
    left: dict[sp.Expr, sp.Expr] = {}
    for term in sp.Add.make_args(sp.expand_log(sp.expand(logs_apart(f, signs)))):
        constant, h = term.as_independent(t, as_Add=False)
        left[h] = left.get(h, sp.S.Zero) + constant
    F: sp.Expr = sp.S.Zero
    while left := {h: c for h, c in left.items() if normal(c) != 0}:
        if len(left) > TELESCOPED:
            return None
        h, c = left.popitem()  # c h(t) = c h(t + k) + c (h(t) - h(t + k))
        k = next((k for k in STEPS if sp.expand(h.subs(t, t + k)) in left), None)
        if k is None:
            return None
        left[sp.expand(h.subs(t, t + k))] += c
        F += c * sp.Add(*(-h.subs(t, t + i) for i in range(k)), *(h.subs(t, t - i) for i in range(1, 1 - k)))
    return F


def logs_apart(expr: sp.Expr, signs: Signs) -> sp.Expr:
    """Logarithms of rational functions as sums of those of their factors, all of which are positive."""

    def apart(log: sp.Expr) -> sp.Expr:
        if not log.args[0].is_rational_function():
            return log
        number, powers = _factor_list(log.args[0])
        if not (number > 0 and all(signs.of(base) == 1 for base in powers)):
            return log
        return sp.expand_log(sp.log(number), factor=True) + sp.Add(*(k * sp.log(base) for base, k in powers.items()))

    return expr.replace(lambda e: isinstance(e, sp.log), apart)


def _factor_list(ratio: sp.Expr) -> tuple[sp.Expr, dict[sp.Expr, int]]:
    """A number and irreducible polynomials, with their powers, whose product is a rational function."""
    top, bottom = (sp.factor_list(part) for part in normal(ratio).as_numer_denom())
    powers = dict(top[1])
    for base, k in bottom[1]:
        powers[base] = powers.get(base, 0) - k
    return top[0] / bottom[0], powers


def _left_over(term: sp.Expr, t: sp.Symbol, whole: bool) -> Iterator[sp.Expr]:
    """The parts of a term without closed form: polynomial and partial fractions apart, where it is rational."""
    if term.is_rational_function(t) and whole:
        yield from sp.Add.make_args(sp.apart(term, t))
    else:
        yield from sp.Add.make_args(sp.expand(term))


def _kept(g: sp.Expr, t: sp.Symbol, a: sp.Expr, b: sp.Expr, whole: bool) -> sp.Expr:
    """``sum_{t=a}^b g`` as multiples of sums from an integer on, of summands that contain their index alone."""
    for reflected in (g, g.subs(t, a + b - t)):
        constant, g_t = reflected.as_independent(t, as_Add=False)
        others = (a.free_symbols | b.free_symbols) & g_t.free_symbols
        if not others:
            break
    else:
        raise UndecidedError(f"the summand {g} contains {', '.join(map(str, others))} other than as a factor")
    if a.is_Integer:
        return constant * sp.Sum(g_t, (t, a, b))
    if not whole:
        raise UndecidedError(f"the sum from {a} to {b} may be empty")
    smallest = a.subs({outer: 1 if outer.is_positive else 0 for outer in a.free_symbols})
    start = sp.Max(smallest, 0)
    return constant * (sp.Sum(g_t, (t, start, b)) - sp.Sum(g_t, (t, start, a - 1)))


def _exchanged(term: sp.Expr, t: sp.Symbol, a: sp.Expr, b: sp.Expr, signs: Signs) -> sp.Expr:
    """``sum_{t=a}^b c(t) sum_{s=start}^{t+m} g(s)`` with the sum over s outside."""
    c, inner = term.as_independent(sp.Sum, as_Add=False)
    if not isinstance(inner, sp.Sum):
        if not inner.has(sp.Sum):
            return summed(term, t, a, b, signs)
        raise UndecidedError(f"{inner} within a sum is no multiple of a sum")
    if not inner.has(t):
        return inner * summed(c, t, a, b, signs)
    s, start, stop = inner.limits[0]
    m = stop - t
    if m.has(t) or not (m.is_Integer and a.is_Integer):
        raise UndecidedError(f"the limits {start}..{stop} of a sum within a sum from {a} on")
    apart = range(int(start), int(a + m))
    if len(apart) > FIRST_TERMS:
        raise UndecidedError(f"the limits {start}..{stop} of a sum within a sum from {a} on")
    first = max(start, a + m)
    weights = summed(c, t, s - m, b, signs.within(s, first, b + m))
    if weights.has(sp.Sum):
        raise UndecidedError(f"{c} within a double sum has no closed form")
    head = sp.Add(*(inner.function.subs(s, k) for k in apart)) * (summed(c, t, a, b, signs) if apart else 0)
    return head + summed(inner.function * weights, s, first, b + m, signs)
