"""Why a polynomial has a sign where others have: a nonnegative combination of products of them, exactly (Handelman).

What z3 decides without saying why is found here again as a certificate, by linear programming over products of few
facts. A float solution tells which products are used; their coefficients are then solved for in fractions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from itertools import combinations_with_replacement
from time import process_time
from typing import Literal

import sympy as sp

from rateproof.theory import linear
from rateproof.theory.gram.domain import Z3_DEGREE, in_z3

#: Products of more facts than this are not tried, nor more of them.
_FACTORS, _PRODUCTS = 3, 1000
#: Nor products of more terms, nor after so many seconds.
_TERMS, _SECONDS = 100, 0.6
#: A search that the target leads: rounds of products, pairs of facts, factors of the target.
_ROUNDS, _PAIRS, _SCALES = 5, 150, 24

Monomial = tuple[int, ...]
Polynomial = dict[Monomial, Fraction]


#: Steps and milliseconds of z3, for one question.
_STEPS, _MILLISECONDS = 1_500_000, 20_000


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

    It is made of monomials in ``positive`` symbols and those that facts say are positive, and of ``conjugate``, a
    positive polynomial such as ``a + b`` for ``a - b``.
    """
    core = conflict(target, facts, strict=strict)
    if core is False:
        return None
    kept = [*range(len(facts))] if core is None else relevant(target, facts, core)
    facts = [facts[i] for i in kept]
    symbols = sorted({s for e in (target, *(f.expr for f in facts)) for s in e.free_symbols}, key=str)
    try:
        goal = polynomial_of(target, symbols)
        read = [polynomial_of(f.expr, symbols) for f in facts]
    except sp.PolynomialError:
        return None
    found = _led_times(goal, facts, read, symbols, positive, conjugate, strict=strict)
    if found is None:
        return None
    factor, products = found
    return factor, tuple(replace(p, facts=tuple(kept[i] for i in p.facts)) for p in products)


def multiples(
    target: sp.Expr, given: Sequence[tuple[sp.Expr, bool]], nonnegative: Callable[[sp.Expr], bool]
) -> list[tuple[sp.Expr, int | None]] | None:
    """A sum of terms as one of terms that are ``nonnegative``, and of such times what is given; None: not found.

    A divisor that is a sum is not multiplied out, so that what is short stays short.

    Args:
        target: the sum.
        given: what is nonnegative, and whether it is zero.
        nonnegative: whether a term is.
    """
    under: dict[sp.Expr, sp.Symbol] = {}

    def apart(power: sp.Expr) -> sp.Expr:
        return under.setdefault(power.base, sp.Dummy(positive=True)) ** -power.exp

    def terms_of(e: sp.Expr) -> dict[sp.Expr, Fraction]:
        e = e.replace(lambda x: x.is_Pow and x.base.is_Add and x.exp.is_Integer and x.exp < 0, apart)
        parts = (t.as_coeff_Mul() for t in sp.Add.make_args(sp.expand(e)))
        return {m: Fraction(int(c.p), int(c.q)) for c, m in parts if c.is_Rational and c != 0}

    def whole(e: sp.Expr) -> sp.Expr:
        return e.xreplace({dummy: 1 / base for base, dummy in under.items()})

    goal = terms_of(target)
    columns: list[Column] = []
    places: dict[sp.Expr, Monomial] = {}
    ways: list[tuple[int | None, bool, dict[sp.Expr, Fraction]]] = [(None, False, {sp.S.One: Fraction(1)})]
    ways += [(i, equal, terms_of(g)) for i, (g, equal) in enumerate(given)]
    for i, equal, way in ways:
        for times in dict.fromkeys(m / n for m in goal for n in way):
            if equal or nonnegative(whole(times)):
                made = {places.setdefault(m * times, (len(places),)): x for m, x in way.items()}
                columns.append(Column(made, () if i is None else (i,), times, equal, False))
    if len(columns) > _PRODUCTS:
        return None
    found = sum_of_products({places.setdefault(m, (len(places),)): x for m, x in goal.items()}, columns, (), False)
    if found is None:
        return None
    return [(whole(p.number * p.beside), p.facts[0] if p.facts else None) for p in found]


def conflict(target: sp.Expr, facts: Sequence[Fact], *, strict: bool) -> tuple[int, ...] | Literal[False] | None:
    """The places of facts that a sign follows from; False: it does not follow from them; None: not known."""
    key = (target, tuple(facts), strict)
    if key not in _CONFLICTS:
        _CONFLICTS[key] = _conflict(target, facts, strict)
    return _CONFLICTS[key]


def _conflict(target: sp.Expr, facts: Sequence[Fact], strict: bool) -> tuple[int, ...] | Literal[False] | None:
    """The facts are fewer and fewer, as long as z3 says that they are enough."""
    import z3

    symbols = sorted({s for e in (target, *(f.expr for f in facts)) for s in e.free_symbols}, key=str)
    names = {s: z3.Real(f"v{i}") for i, s in enumerate(symbols)}

    def asked(chosen: Sequence[int], *, named: bool = False) -> tuple[int, ...] | Literal[False] | None:
        # what names its facts says which it uses, and takes long to find a counterexample
        solver = z3.Solver() if named else z3.SolverFor("QF_NRA")
        solver.set("rlimit", _STEPS)
        solver.set("timeout", _MILLISECONDS)
        solver.set("random_seed", 0)
        solver.add(contrary)
        for i in chosen:
            if named:
                solver.assert_and_track(said[i], f"f{i}")
            else:
                solver.add(said[i])
        answer = solver.check()
        if answer == z3.unsat:
            return tuple(sorted(int(str(c)[1:]) for c in solver.unsat_core())) if named else tuple(chosen)
        return False if answer == z3.sat else None

    try:
        exprs = (target, *(f.expr for f in facts))
        if any(map(_high, exprs)):
            return None
        read, *others = (in_z3(e, names) for e in exprs)
    except (ValueError, sp.PolynomialError):
        return None
    contrary = read <= 0 if strict else read < 0
    said = [p == 0 if f.equal else p > 0 if f.strict else p >= 0 for f, p in zip(facts, others, strict=True)]
    core = asked(range(len(facts)))
    if not core:
        return core
    core = asked(core, named=True) or core
    # without what is not needed, what is long first
    for i in sorted(core, key=lambda i: (-len(sp.Add.make_args(facts[i].expr)), -i)):
        if facts[i].expr.is_Add and len(core) > 1:
            core = asked([k for k in core if k != i]) or core
    return core


@lru_cache(maxsize=1 << 12)
def _high(expr: sp.Expr) -> bool:
    """Whether the degree of a polynomial is beyond what z3 ends with."""
    return bool(expr.free_symbols) and sp.Poly(expr).total_degree() > Z3_DEGREE


_CONFLICTS: dict[object, tuple[int, ...] | Literal[False] | None] = {}


def relevant(target: sp.Expr, facts: Sequence[Fact], core: Sequence[int]) -> list[int]:
    """The places of some facts, and of the signs of the symbols that they and the target have."""
    about = target.free_symbols.union(*(facts[i].expr.free_symbols for i in core))
    return [
        i
        for i, f in enumerate(facts)
        if i in core or (f.expr.as_base_exp()[0].is_Symbol and f.expr.free_symbols <= about)
    ]


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
        # z3 says which facts are enough, or that all are not
        core = conflict(target, facts, strict=strict)
        if core is False:
            return None
        if core is not None:
            seen = relevant(target, facts, core)
            few = [facts[i] for i in seen]
            found = _among(target, few, strict, until) or _led(target, few, strict)
            if found is not None:
                return tuple(replace(p, facts=tuple(seen[i] for i in p.facts)) for p in found)
    return _led(target, facts, strict)


def _led(target: sp.Expr, facts: Sequence[Fact], strict: bool) -> tuple[Product, ...] | None:
    symbols = sorted({s for e in (target, *(f.expr for f in facts)) for s in e.free_symbols}, key=str)
    try:
        goal = polynomial_of(target, symbols)
        led = _Led(facts, [polynomial_of(f.expr, symbols) for f in facts], symbols)
    except sp.PolynomialError:
        return None
    for columns in led.columns([goal], process_time() + _SECONDS):
        if (found := sum_of_products(goal, columns, facts, strict)) is not None:
            return found
    return None


def _among(target: sp.Expr, facts: Sequence[Fact], strict: bool, until: float) -> tuple[Product, ...] | None:
    symbols = sorted({s for e in (target, *(f.expr for f in facts)) for s in e.free_symbols}, key=str)
    if not symbols:
        return (Product(target, ()),) if (target > 0 or (target == 0 and not strict)) else None
    try:
        goal = polynomial_of(target, symbols)
        read = [polynomial_of(f.expr, symbols) for f in facts]
    except sp.PolynomialError:
        return None
    degree = max(map(sum, goal), default=0)
    for highest in (degree, degree + 1, degree + 2):
        columns = _columns(goal, facts, read, symbols, highest, until)
        if (found := sum_of_products(goal, columns, facts, strict)) is not None:
            return found
        if len(columns) >= _PRODUCTS or process_time() > until:
            break
    return None


@dataclass(frozen=True)
class Column:
    """A product of facts as a column of the linear programme."""

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
) -> list[Column]:
    """Products of facts, those of few first, up to a degree; equations times monomials that may matter."""
    one = (0,) * len(symbols)
    tops = [largest(p) for p in read]
    usable = [i for i, f in enumerate(facts) if not f.equal and read[i]]
    # a symbol that is nonnegative is a fact of one monomial: any power of it may stand in a product
    out: list[Column] = []
    level: list[tuple[tuple[int, ...], Polynomial]] = [((), {one: Fraction(1)})]
    seen: set[tuple[tuple[Monomial, Fraction], ...]] = set()
    for _ in range(highest + 1):
        for chosen, polynomial in level:
            key = tuple(sorted(polynomial.items()))
            if key not in seen:
                seen.add(key)
                strict = all(facts[i].strict for i in chosen)
                out.append(Column(polynomial, chosen, sp.S.One, False, strict))
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
                following.append(((*chosen, i), product_of(polynomial, read[i])))
            if len(following) > _PRODUCTS or process_time() > until:
                break
        level = following
    wanted = {m for c in out for m in c.polynomial} | {*goal}
    for i, fact in enumerate(facts):
        if fact.equal and read[i]:
            for m in _monomials(len(symbols), highest - max(map(sum, read[i]))):
                product = product_of({m: Fraction(1)}, read[i])
                if any(k in wanted for k in product):
                    beside = sp.Mul(*(s**e for s, e in zip(symbols, m, strict=True)))
                    out.append(Column(product, (i,), beside, True, False))
    return out


class _Led:
    """Products that the target asks for: each makes up for a monomial of the target, or of a product before it.

    A monomial that is too small in what is there is met by a fact with that sign at one of its own monomials, times
    the quotient. So few products are made whatever their degree.
    """

    def __init__(self, facts: Sequence[Fact], read: Sequence[Polynomial], symbols: Sequence[sp.Symbol]) -> None:
        self.symbols = symbols
        self.facts, self.read = facts, read
        self.said = where_said(facts)
        self.ways: list[tuple[tuple[int, ...], Polynomial]] = []
        seen: set[tuple[object, ...]] = set()
        for i, f in enumerate(facts):
            key = (f.strict, f.equal, *sorted(read[i].items()))
            if len(read[i]) > 1 and key not in seen:
                seen.add(key)
                self.ways.append(((i,), read[i]))
                if f.equal:
                    self.ways.append(((i,), {m: -x for m, x in read[i].items()}))

    def positive(self, monomial: Monomial) -> tuple[int, ...] | None:
        """The facts by which a monomial is nonnegative; None: it may have any sign."""
        return nonnegative_by(monomial, self.symbols, self.said)

    def cofactors(self, sure: set[sp.Symbol]) -> list[tuple[Polynomial, list[sp.Expr]]]:
        """Positive products of several terms by which a fact could be divided."""
        known = {_monic(p) for (i,), p in self.ways if self.facts[i].strict}
        out: dict[object, tuple[Polynomial, list[sp.Expr]]] = {}
        for (_,), p in self.ways:
            if not 4 <= len(p) <= _TERMS:
                continue
            positive = []
            for factor, power in sp.factor_list(sp.Poly(p, *self.symbols))[1]:
                q = {m: Fraction(int(c.p), int(c.q)) for m, c in factor.terms()}
                plain = all(x > 0 and self.positive(m) is not None for m, x in q.items()) and any(
                    all(s in sure for s, e in zip(self.symbols, m, strict=True) if e) for m in q
                )
                if len(q) > 1 and (plain or _monic(q) in known):
                    positive += [(factor.as_expr(), q)] * power
            product = {(0,) * len(self.symbols): Fraction(1)}
            for _, q in positive:
                product = product_of(product, q)
            if positive:
                out[tuple(sorted(product.items()))] = (product, [e for e, _ in positive])
        return [*out.values()]

    def columns(self, goals: Sequence[Polynomial], until: float) -> Iterator[list[Column]]:
        """More and more products; first without, then with products of two facts of several terms."""
        single = self.ways
        yield from self._grown(goals, single, until)
        plain = [w for w in single if not self.facts[w[0][0]].equal]
        about = {i for g in goals for m in g for i, e in enumerate(m) if e}
        near = [w for w in plain if any(m[i] for m in w[1] for i in about)]
        pairs = [
            ((*a, *b), product_of(p, q))
            for (a, p), (b, q) in combinations_with_replacement(near, 2)
            if len(p) * len(q) <= _TERMS
        ]
        if pairs and len(pairs) <= _PAIRS:
            yield from self._grown(goals, [*single, *pairs], until)

    def _grown(
        self, goals: Sequence[Polynomial], ways: Sequence[tuple[tuple[int, ...], Polynomial]], until: float
    ) -> Iterator[list[Column]]:
        out: dict[object, Column] = {}
        wanted = [w for g in goals for m, x in g.items() if (w := self._lack(m, x > 0))]
        for g in goals:
            self._alone(g, out)
        asked = set(wanted)
        for chosen, p in ways:
            self._add(out, chosen, p, (0,) * len(self.symbols))
        for round_ in range(_ROUNDS):
            following: list[tuple[Monomial, bool]] = []
            before = len(out)
            for monomial, more in wanted:
                for chosen, p in ways:
                    for m, x in p.items():
                        if (x > 0) != more or any(a < b for a, b in zip(monomial, m, strict=True)):
                            continue
                        quotient = tuple(a - b for a, b in zip(monomial, m, strict=True))
                        column = self._add(out, chosen, p, quotient)
                        if column is None:
                            continue
                        turn = 1 if (column.polynomial[monomial] > 0) == more else -1
                        for n, y in column.polynomial.items():
                            # what a product has too much of is to be taken away again
                            if n != monomial and (w := self._lack(n, turn * y < 0)) and w not in asked:
                                asked.add(w)
                                following.append(w)
                if len(out) > _PRODUCTS or process_time() > until:
                    break
            last = len(out) == before or len(out) > _PRODUCTS or process_time() > until
            if last or round_ in (1, _ROUNDS - 1):
                yield [*out.values()]
            if last:
                return
            wanted = following

    def _lack(self, monomial: Monomial, more: bool) -> tuple[Monomial, bool] | None:
        """A monomial and whether more of it is needed, where it does not do that itself."""
        return None if more and self.positive(monomial) is not None else (monomial, more)

    def _alone(self, polynomial: Polynomial, out: dict[object, Column]) -> None:
        for m in polynomial:
            if ("", m) not in out and (by := self.positive(m)) is not None:
                strict = all(self.facts[i].strict for i in by)
                out["", m] = Column({m: Fraction(1)}, by, sp.S.One, False, strict)

    def _add(
        self, out: dict[object, Column], chosen: tuple[int, ...], polynomial: Polynomial, quotient: Monomial
    ) -> Column | None:
        key = (chosen, quotient)
        if key in out:
            return out[key]
        free = self.facts[chosen[0]].equal
        by = () if free else self.positive(quotient)
        if by is None:
            return None
        beside = sp.Mul(*(s**e for s, e in zip(self.symbols, quotient, strict=True))) if free else sp.S.One
        places = chosen if free else (*chosen, *by)
        strict = not free and all(self.facts[i].strict for i in places)
        product = product_of({quotient: Fraction(1)}, self.read[chosen[0]] if free else polynomial)
        out[key] = Column(product, places, beside, free, strict)
        self._alone(product, out)
        return out[key]


def _monic(polynomial: Polynomial) -> tuple[tuple[Monomial, Fraction], ...]:
    """A polynomial but for a positive number."""
    terms = sorted(polynomial.items())
    return tuple((m, x / abs(terms[0][1])) for m, x in terms)


def _led_times(
    goal: Polynomial,
    facts: Sequence[Fact],
    read: Sequence[Polynomial],
    symbols: Sequence[sp.Symbol],
    positive: Sequence[sp.Symbol],
    conjugate: sp.Expr | None,
    *,
    strict: bool,
) -> tuple[sp.Expr, tuple[Product, ...]] | None:
    """Times the monomials by which those of the target become multiples of those of the facts."""
    led = _Led(facts, read, symbols)
    until = process_time() + 2 * _SECONDS
    sure = {s for s in symbols if s in positive or (s in led.said and facts[led.said[s]].strict)}
    one = (0,) * len(symbols)
    found: dict[Monomial, None] = {}
    start = {one: Fraction(1)} if conjugate is None else polynomial_of(conjugate, symbols)
    level = [one]
    for _ in range(2):
        following: dict[Monomial, None] = {}
        for factor in level:
            for m in product_of({factor: Fraction(1)}, goal):
                for _, p in led.ways:
                    for n in p:
                        more = tuple(max(b - a, 0) for a, b in zip(m, n, strict=True))
                        if any(e and s not in sure for s, e in zip(symbols, more, strict=True)):
                            continue
                        both = tuple(a + b for a, b in zip(factor, more, strict=True))
                        if both != one and both not in found:
                            following[both] = None
        level = sorted(following, key=lambda m: (sum(m), m))[:_SCALES]
        found.update(dict.fromkeys(level))
    monomials = [one, *sorted(found, key=lambda m: (sum(m), m))[:_SCALES]]
    factors = [({m: Fraction(1)}, sp.Mul(*(s**e for s, e in zip(symbols, m, strict=True)))) for m in monomials[1:]]
    if conjugate is not None:
        factors += [
            (
                product_of({m: Fraction(1)}, start),
                sp.expand(sp.Mul(*(s**e for s, e in zip(symbols, m, strict=True))) * conjugate),
            )
            for m in monomials
        ]
    factors += [(p, sp.Mul(*parts)) for p, parts in led.cofactors(sure)]
    if not factors:
        return None
    goals = [product_of(goal, p) for p, _ in factors]
    scaled = [
        Column({m: -x for m, x in g.items()}, (), e, False, False) for g, (_, e) in zip(goals, factors, strict=True)
    ]
    for columns in led.columns(goals, until):
        by = sum_of_products({}, [*columns, *scaled], facts, strict, normal=scaled)
        if by is None:
            continue
        factor = sp.Add(*(p.number * p.beside for p in by if not p.facts and p.beside != 1))
        if factor != 0:
            return factor, tuple(p for p in by if p.facts or p.beside == 1)
    return None


def largest(polynomial: Polynomial) -> int:
    """The degree of a polynomial."""
    return max(map(sum, polynomial), default=0)


def _monomials(count: int, degree: int) -> Iterator[Monomial]:
    for size in range(min(degree, 2) + 1):
        for chosen in combinations_with_replacement(range(count), size):
            yield tuple(chosen.count(i) for i in range(count))


def sum_of_products(
    goal: Polynomial,
    columns: Sequence[Column],
    facts: Sequence[Fact],
    strict: bool,
    normal: Sequence[Column] = (),
) -> tuple[Product, ...] | None:
    """The products, with their numbers, that add up to a goal; None where there are none.

    ``normal``: columns whose numbers add up to one.
    """
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
    # a positive product where one is needed, and else products that are short; an equation has a number of any sign
    cost = np.array([-1.0 if strict and c.strict else 0.0 if c.free else 0.01 * len(c.facts) for c in columns])
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


def _exact(goal: Polynomial, columns: Sequence[Column], places: dict[Monomial, int]) -> list[Fraction] | None:
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


def where_said(facts: Sequence[Fact]) -> dict[sp.Expr, int]:
    """Which fact says that an expression, such as a symbol or its square, is not negative; a strict one if there is."""
    said: dict[sp.Expr, int] = {}
    for i, f in enumerate(facts):
        if not f.equal and (f.strict or f.expr not in said):
            said[f.expr] = i
    return said


def nonnegative_by(
    monomial: Monomial, symbols: Sequence[sp.Symbol], said: Mapping[sp.Expr, int]
) -> tuple[int, ...] | None:
    """The facts by which a monomial is nonnegative, from what is :func:`where_said`; None: it may have any sign."""
    out: list[int] = []
    for s, e in zip(symbols, monomial, strict=True):
        if e and s in said:
            out += [said[s]] * e
        elif e % 2 == 0 and (not e or s**2 in said):
            out += [said[s**2]] * (e // 2) if e else []
        else:
            return None
    return tuple(out)


def polynomial_of(expr: sp.Expr, symbols: Sequence[sp.Symbol]) -> Polynomial:
    """An expression, rational in its numbers, by its monomials."""
    if not symbols:
        return {(): Fraction(int(expr.p), int(expr.q))} if expr != 0 else {}
    poly = sp.Poly(expr, *symbols, domain="QQ")
    return {m: Fraction(int(c.p), int(c.q)) for m, c in poly.terms() if c != 0}


def product_of(a: Polynomial, b: Polynomial) -> Polynomial:
    """The product of two polynomials."""
    out: Polynomial = {}
    for m, x in a.items():
        for n, y in b.items():
            key = tuple(i + j for i, j in zip(m, n, strict=True))
            out[key] = out.get(key, Fraction(0)) + x * y
    return {m: x for m, x in out.items() if x}
