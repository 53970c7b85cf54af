"""Why a polynomial has a sign where others have: a nonnegative combination of products of them, exactly (Handelman).

What z3 decides without saying why is found here again as a certificate, by linear programming over products of few
facts. A float solution tells which products are used; their coefficients are then solved for in fractions.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import combinations_with_replacement
from time import process_time

import sympy as sp

from rateproof.theory import linear

#: Products of more facts than this are not tried, nor more of them.
_FACTORS, _PRODUCTS = 3, 1000
#: Nor products of more terms, nor after so many seconds.
_TERMS, _SECONDS = 100, 0.6

Monomial = tuple[int, ...]
Polynomial = dict[Monomial, Fraction]


@dataclass(frozen=True)
class Fact:
    """A polynomial that is nonnegative, positive where ``strict``, zero where ``equal``."""

    expr: sp.Expr
    strict: bool = False
    equal: bool = False


@dataclass(frozen=True)
class Product:
    """A number times a product of facts, by their places, times a monomial (of any sign, beside an equation)."""

    number: sp.Rational
    facts: tuple[int, ...]
    beside: sp.Expr = sp.S.One


def combination(target: sp.Expr, facts: Sequence[Fact], *, strict: bool = False) -> tuple[Product, ...] | None:
    """The target as a sum of products, each nonnegative; one of them positive where ``strict``. None: not found."""
    if not target.free_symbols and not facts:
        return (Product(target, ()),) if (target > 0 or (target == 0 and not strict)) else None
    key = (target, tuple(facts), strict)
    if key not in _FOUND:
        _FOUND[key] = _searched(target, facts, strict)
    return _FOUND[key]


def combination_times(
    target: sp.Expr,
    facts: Sequence[Fact],
    positive: Sequence[sp.Symbol],
    conjugate: sp.Expr | None = None,
    *,
    strict: bool = False,
) -> tuple[sp.Expr, tuple[Product, ...]] | None:
    """A positive polynomial, and the target times it as a sum of products; None: not found.

    It is made of ``positive`` symbols, and of ``conjugate``, a positive polynomial such as ``a + b`` for ``a - b``.
    """
    symbols = sorted({s for e in (target, *(f.expr for f in facts)) for s in e.free_symbols}, key=str)
    try:
        goal = _polynomial(target, symbols)
        read = [_polynomial(f.expr, symbols) for f in facts]
    except sp.PolynomialError:
        return None
    until = process_time() + 3 * _SECONDS
    pairs = [*((s,) for s in positive), *combinations_with_replacement(positive, 2)]
    factors = [(sp.Mul(*pair), {tuple(pair.count(s) for s in symbols): Fraction(1)}) for pair in pairs]
    if conjugate is not None:
        factors.insert(0, (conjugate, _polynomial(conjugate, symbols)))
    for size in (1, 2):
        chosen = [(e, p) for e, p in factors if largest(p) <= size or e.is_Add]
        size = max([size, *(largest(p) for e, p in chosen if e.is_Add)])
        columns = _columns(goal, facts, read, symbols, largest(goal) + size, until)
        scaled = [_Column({m: -x for m, x in _times(goal, p).items()}, (), e, False, False) for e, p in chosen]
        found = _solved({}, [*columns, *scaled], facts, strict, normal=scaled)
        if found is not None:
            factor = sp.Add(*(p.number * p.beside for p in found if not p.facts and p.beside != 1))
            products = tuple(p for p in found if p.facts or p.beside == 1)
            if factor != 0:
                return factor, products
        if process_time() > until:
            break
    return None


#: What was found for a target; proofs ask for the same signs again and again.
_FOUND: dict[object, tuple[Product, ...] | None] = {}


def _searched(target: sp.Expr, facts: Sequence[Fact], strict: bool) -> tuple[Product, ...] | None:
    """With the facts about the symbols of the target alone, then with those that share some with it, then with all."""
    about = target.free_symbols
    seen: list[int] = []
    until = process_time() + _SECONDS
    for _ in range(4):
        chosen = [i for i, f in enumerate(facts) if f.expr.free_symbols <= about]
        wider = (
            about.union(*(f.expr.free_symbols for f in facts if f.expr.free_symbols & about))
            if about
            else {s for f in facts for s in f.expr.free_symbols}
        )
        if chosen != seen:
            seen = chosen
            found = _among(target, [facts[i] for i in chosen], strict, until)
            if found is not None:
                return tuple(replace(p, facts=tuple(chosen[i] for i in p.facts)) for p in found)
        if wider == about or process_time() > until:
            break
        about = wider
    return None


def _among(target: sp.Expr, facts: Sequence[Fact], strict: bool, until: float) -> tuple[Product, ...] | None:
    symbols = sorted({s for e in (target, *(f.expr for f in facts)) for s in e.free_symbols}, key=str)
    if not symbols:
        return (Product(target, ()),) if (target > 0 or (target == 0 and not strict)) else None
    try:
        goal = _polynomial(target, symbols)
        read = [_polynomial(f.expr, symbols) for f in facts]
    except sp.PolynomialError:
        return None
    degree = max(map(sum, goal), default=0)
    for highest in (degree, degree + 1, degree + 2):
        columns = _columns(goal, facts, read, symbols, highest, until)
        if (found := _solved(goal, columns, facts, strict)) is not None:
            return found
        if len(columns) >= _PRODUCTS or process_time() > until:
            break
    return None


@dataclass(frozen=True)
class _Column:
    polynomial: Polynomial
    facts: tuple[int, ...]
    beside: sp.Expr
    free: bool
    strict: bool


def _columns(
    goal: Polynomial,
    facts: Sequence[Fact],
    read: Sequence[Polynomial],
    symbols: Sequence[sp.Symbol],
    highest: int,
    until: float,
) -> list[_Column]:
    """Products of facts, those of few first, up to a degree; equations times monomials that may matter."""
    one = (0,) * len(symbols)
    tops = [largest(p) for p in read]
    usable = [i for i, f in enumerate(facts) if not f.equal and read[i]]
    # a symbol that is nonnegative is a fact of one monomial: any power of it may stand in a product
    out: list[_Column] = []
    level: list[tuple[tuple[int, ...], Polynomial]] = [((), {one: Fraction(1)})]
    seen: set[tuple[tuple[Monomial, Fraction], ...]] = set()
    for _ in range(highest + 1):
        for chosen, polynomial in level:
            key = tuple(sorted(polynomial.items()))
            if key not in seen:
                seen.add(key)
                strict = all(facts[i].strict for i in chosen)
                out.append(_Column(polynomial, chosen, sp.S.One, False, strict))
        if len(out) > _PRODUCTS:
            break
        following = []
        for chosen, polynomial in level:
            for i in usable:
                if chosen and i < chosen[-1]:
                    continue
                several = sum(len(read[k]) > 1 for k in (*chosen, i))
                if (
                    several > _FACTORS
                    or len(polynomial) * len(read[i]) > _TERMS
                    or largest(polynomial) + tops[i] > highest
                ):
                    continue
                following.append(((*chosen, i), _times(polynomial, read[i])))
            if len(following) > _PRODUCTS or process_time() > until:
                break
        level = following
    wanted = {m for c in out for m in c.polynomial} | {*goal}
    for i, fact in enumerate(facts):
        if fact.equal and read[i]:
            for m in _monomials(len(symbols), highest - max(map(sum, read[i]))):
                product = _times({m: Fraction(1)}, read[i])
                if any(k in wanted for k in product):
                    beside = sp.Mul(*(s**e for s, e in zip(symbols, m, strict=True)))
                    out.append(_Column(product, (i,), beside, True, False))
    return out


def largest(polynomial: Polynomial) -> int:
    """The degree of a polynomial."""
    return max(map(sum, polynomial), default=0)


def _monomials(count: int, degree: int) -> Iterator[Monomial]:
    for size in range(min(degree, 2) + 1):
        for chosen in combinations_with_replacement(range(count), size):
            yield tuple(chosen.count(i) for i in range(count))


def _solved(
    goal: Polynomial,
    columns: Sequence[_Column],
    facts: Sequence[Fact],
    strict: bool,
    normal: Sequence[_Column] = (),
) -> tuple[Product, ...] | None:
    """``normal``: columns whose numbers add up to one."""
    import numpy as np
    from scipy.optimize import linprog
    from scipy.sparse import csc_matrix

    if normal:  # one more row
        mark: Monomial = (-1,)
        own = {id(c) for c in normal}
        columns = [replace(c, polynomial={**c.polynomial, mark: Fraction(1)}) if id(c) in own else c for c in columns]
        goal = {**goal, mark: Fraction(1)}
    places: dict[Monomial, int] = {}
    for polynomial in (goal, *(c.polynomial for c in columns)):
        for m in polynomial:
            places.setdefault(m, len(places))
    entries = [(places[m], k, float(x)) for k, c in enumerate(columns) for m, x in c.polynomial.items()]
    if not entries:
        return None
    rows, cols, data = zip(*entries, strict=True)
    matrix = csc_matrix((data, (rows, cols)), shape=(len(places), len(columns)))
    right = np.zeros(len(places))
    for m, x in goal.items():
        right[places[m]] = float(x)
    # a positive product where one is needed, and else products that are short
    cost = np.array([-1.0 if strict and c.strict else 0.01 * len(c.facts) for c in columns])
    bounds = [(None, None) if c.free else (0, 1e4 if strict else None) for c in columns]
    found = linprog(cost, A_eq=matrix, b_eq=right, bounds=bounds, method="highs-ds")
    if found.status != 0:
        return None
    for zero in (1e-9, 1e-7, 1e-5):
        support = [k for k, x in enumerate(found.x) if abs(x) > zero]
        exact = _exact(goal, [columns[k] for k in support], places)
        if exact is None or any(x < 0 for x, k in zip(exact, support, strict=True) if not columns[k].free):
            continue
        used = [(x, columns[k]) for x, k in zip(exact, support, strict=True) if x != 0]
        if strict and not any(c.strict for _, c in used):
            return None
        return tuple(Product(sp.Rational(x.numerator, x.denominator), c.facts, c.beside) for x, c in used)
    return None


def _exact(goal: Polynomial, columns: Sequence[_Column], places: dict[Monomial, int]) -> list[Fraction] | None:
    rows = sorted({places[m] for c in columns for m in c.polynomial} | {places[m] for m in goal})
    if not columns:
        return [] if not goal else None
    at = {p: i for i, p in enumerate(rows)}
    matrix = [[Fraction(0)] * len(columns) for _ in rows]
    right = [Fraction(0)] * len(rows)
    for k, c in enumerate(columns):
        for m, x in c.polynomial.items():
            matrix[at[places[m]]][k] = x
    for m, x in goal.items():
        right[at[places[m]]] = x
    return linear.solve(matrix, right)


def _polynomial(expr: sp.Expr, symbols: Sequence[sp.Symbol]) -> Polynomial:
    if not symbols:
        return {(): Fraction(int(expr.p), int(expr.q))} if expr != 0 else {}
    poly = sp.Poly(expr, *symbols, domain="QQ")
    return {m: Fraction(int(c.p), int(c.q)) for m, c in poly.terms() if c != 0}


def _times(a: Polynomial, b: Polynomial) -> Polynomial:
    out: Polynomial = {}
    for m, x in a.items():
        for n, y in b.items():
            key = tuple(i + j for i, j in zip(m, n, strict=True))
            out[key] = out.get(key, Fraction(0)) + x * y
    return {m: x for m, x in out.items() if x}
