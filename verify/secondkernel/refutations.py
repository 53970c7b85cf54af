"""Why the contrary of a sign is impossible: a sum of products of facts, and of the contrary, that is zero though one of
them is positive (Positivstellensatz).

z3 says which facts the contrary contradicts, or that there is a point at which it holds: then there is no reason. The
products are of one weight under all scalings that leave every fact as it is but for a factor, so that few of high
degree are tried.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import combinations_with_replacement
from time import process_time

import sympy as sp

from rateproof.theory import linear
from rateproof.verify.secondkernel.signs import (
    Column,
    Fact,
    Monomial,
    Polynomial,
    Product,
    conflict,
    largest,
    nonnegative_by,
    polynomial_of,
    product_of,
    relevant,
    sum_of_products,
    where_said,
)

#: Of a monomial, under the scalings.
Weight = tuple[Fraction, ...]
#: Facts of several terms in a product, the contrary among them; terms of a product; products of one weight; weights.
_FACTORS, _TERMS, _PRODUCTS, _WEIGHTS = 3, 120, 2500, 24
#: Monomials from which products are made; seconds after which no more are.
_MONOMIALS, _SECONDS = 20_000, 3.0
#: Degrees above that of the contrary.
_HIGHER = 4


@dataclass
class _Search:
    """The facts that are used, the contrary last."""

    facts: Sequence[Fact]
    symbols: Sequence[sp.Symbol]

    def __post_init__(self) -> None:
        self.contrary: int = len(self.facts) - 1
        self.read = [polynomial_of(f.expr, self.symbols) for f in self.facts]
        self.said = where_said(self.facts)
        self.several = [
            i
            for i, f in enumerate(self.facts)
            if not f.equal and (i == self.contrary or not f.expr.as_base_exp()[0].is_Symbol)
        ]
        self.equations = [i for i, f in enumerate(self.facts) if f.equal and self.read[i]]
        gaps = [
            {k: Fraction(a - b) for k, (a, b) in enumerate(zip(m, first, strict=True)) if a != b}
            for p in self.read
            for first in [next(iter(p), ())]
            for m in p
            if m != first
        ]
        columns = range(len(self.symbols))
        self.scalings = linear.null_vectors(gaps, columns) if gaps else [{k: Fraction(1)} for k in columns]

    def weight(self, m: Monomial) -> Weight:
        return tuple(sum((x * m[k] for k, x in w.items()), Fraction(0)) for w in self.scalings)

    def positive(self, monomial: Monomial) -> tuple[int, ...] | None:
        """The facts by which a monomial is nonnegative; None: it may have any sign."""
        return nonnegative_by(monomial, self.symbols, self.said)

    def bases(self) -> list[tuple[tuple[int, ...], Polynomial]]:
        """Products of facts of several terms, the contrary among them at most twice."""
        out = []
        for size in range(_FACTORS + 1):
            for chosen in combinations_with_replacement([i for i in self.several if self.read[i]], size):
                if chosen.count(self.contrary) > 2:
                    continue
                p: Polynomial = {(0,) * len(self.symbols): Fraction(1)}
                for i in chosen:
                    p = product_of(p, self.read[i])
                    if len(p) > _TERMS:
                        break
                else:
                    out.append((chosen, p))
        return out

    def levels(self) -> Iterator[list[Column]]:
        """All products of one weight up to a degree, for the weights of the least products with the contrary."""
        contrary, until = self.contrary, process_time() + _SECONDS
        if not self.read[contrary]:  # zero
            yield [Column({}, (contrary,), sp.S.One, False, self.facts[contrary].strict)]
            return
        bases, count = self.bases(), len(self.symbols)
        tried: set[tuple[Weight, int]] = set()
        for highest in range(largest(self.read[contrary]), largest(self.read[contrary]) + _HIGHER + 1):
            if sp.binomial(count + highest, count) > _MONOMIALS:
                return
            monomials: dict[Weight, list[Monomial]] = defaultdict(list)
            for m in sorted(_upto(count, highest), key=lambda m: (sum(m), m)):
                monomials[self.weight(m)].append(m)
            heads = [b for b in bases if contrary in b[0]]
            weights: dict[Weight, None] = {}
            for _, p in heads:
                own = self.weight(next(iter(p)))
                for more, some in monomials.items():
                    if sum(some[0]) + largest(p) <= highest and any(self.positive(m) is not None for m in some):
                        weights.setdefault(tuple(a + b for a, b in zip(own, more, strict=True)))
            for w in [*weights][:_WEIGHTS]:
                columns = self.columns(w, bases, monomials, highest)
                if (w, len(columns)) not in tried and len(columns) <= _PRODUCTS:
                    tried.add((w, len(columns)))
                    yield columns
                if process_time() > until:
                    return

    def columns(
        self,
        weight: Weight,
        bases: Sequence[tuple[tuple[int, ...], Polynomial]],
        monomials: Mapping[Weight, Sequence[Monomial]],
        highest: int,
    ) -> list[Column]:
        """Products of bases, and then of equations, with monomials, of one weight and at most some degree."""
        out: list[Column] = []

        def multiples(p: Polynomial) -> Iterator[tuple[Monomial, Polynomial]]:
            own = self.weight(next(iter(p)))
            for m in monomials.get(tuple(a - b for a, b in zip(weight, own, strict=True)), ()):
                if sum(m) + largest(p) <= highest:
                    yield m, product_of({m: Fraction(1)}, p)

        for chosen, p in bases:
            for m, product in multiples(p):
                if (by := self.positive(m)) is not None:
                    strict = all(self.facts[i].strict for i in (*chosen, *by))
                    out.append(Column(product, (*chosen, *by), sp.S.One, False, strict))
        present = {m for c in out for m in c.polynomial}
        for i in self.equations:
            for m, product in multiples(self.read[i]):
                if not present.isdisjoint(product):
                    beside = sp.Mul(*(s**e for s, e in zip(self.symbols, m, strict=True)))
                    out.append(Column(product, (i,), beside, True, False))
        return out


def _upto(count: int, degree: int) -> Iterator[Monomial]:
    """All monomials in so many symbols up to a degree."""
    if count == 0:
        yield ()
        return
    for rest in _upto(count - 1, degree):
        for e in range(degree - sum(rest) + 1):
            yield (*rest, e)


def refutation(target: sp.Expr, facts: Sequence[Fact], *, strict: bool = False) -> tuple[Product, ...] | None:
    """Products of facts and of the contrary, at the place behind them, whose sum is zero though one is positive."""
    core = conflict(target, facts, strict=strict)
    if core is None or core is False:
        return None
    contrary = Fact(sp.expand(-target), strict=not strict)
    places = [*relevant(target, facts, core), len(facts)]
    every = [*facts, contrary]
    left, solved = _without([every[i] for i in places])
    symbols = sorted({s for f in left for s in f.expr.free_symbols}, key=str)
    for columns in _Search(left, symbols).levels():
        heads = [c for c in columns if c.strict]
        found = sum_of_products({}, columns, left, True, normal=heads) if heads else None
        if found is not None:
            out = [replace(p, facts=tuple(places[i] for i in p.facts)) for p in found]
            return (*out, *_made_up(out, every, [(places[i], s) for i, s in solved]))
    return None


def _without(facts: Sequence[Fact]) -> tuple[list[Fact], list[tuple[int, sp.Symbol]]]:
    """Facts without the symbols that equations give as one term of others, and by which equation each is given."""
    chosen, solved = [*facts], []
    while True:
        for i, f in enumerate(chosen):
            if not f.equal:
                continue
            short = len(sp.Add.make_args(f.expr)) <= 2
            given = sorted((s for s in f.expr.free_symbols if short and sp.diff(f.expr, s).is_Rational), key=str)
            if given:
                s = given[0]
                rest = f.expr.coeff(s, 0)
                value = sp.expand(-rest / f.expr.coeff(s, 1))
                solved.append((i, s))
                chosen = [replace(g, expr=sp.expand(g.expr.subs(s, value))) for g in chosen]
                break
        else:
            return chosen, solved


def _made_up(found: Sequence[Product], facts: Sequence[Fact], solved: Sequence[tuple[int, sp.Symbol]]) -> list[Product]:
    """What solved equations add to products whose sum vanishes where they hold."""
    left = sp.expand(-sum(p.number * p.beside * sp.Mul(*(facts[i].expr for i in p.facts)) for p in found))
    now = {i: facts[i].expr for i, _ in solved}
    made = {i: {i: sp.S.One} for i, _ in solved}  # each equation as it is now, of those as they were
    out: dict[int, sp.Expr] = {}
    for k, (i, s) in enumerate(solved):
        for j in (None, *(j for j, _ in solved[k + 1 :])):
            quotient, rest = sp.div(left if j is None else now[j], now[i], s)
            for n, q in made[i].items():
                if j is None:
                    out[n] = out.get(n, sp.S.Zero) + quotient * q
                else:
                    made[j][n] = made[j].get(n, sp.S.Zero) - quotient * q
            if j is None:
                left = sp.expand(rest)
            else:
                now[j] = sp.expand(rest)
    return [Product(sp.S.One, (i,), e) for i, q in out.items() if (e := sp.expand(q)) != 0]
