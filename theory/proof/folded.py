"""Inner products of sums, put together again: ``<f, x> - <f, y>`` reads ``<f, x - y>``.

Forms in vectors are multiplied out when they are made. Here squares and products of sums are sought in them, the
largest first, and each is taken from the form exactly; where the text becomes no shorter, it stays as it is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from itertools import product
from math import prod

import sympy as sp

from rateproof.theory.algebra import normal
from rateproof.theory.gram import Vector
from rateproof.theory.gram.vectors import combination, factors

#: Coefficients are compared by their values modulo this prime, at symbols with values of their own.
_PRIME = (1 << 61) - 1
#: A name that sympy prints after all others.
_LAST = "~"
Pair = tuple[str, str]


@dataclass(frozen=True)
class Folded:
    """``factor * <left, right>``."""

    factor: sp.Expr
    left: Vector
    right: Vector

    @property
    def term(self) -> sp.Expr:
        """It, with the product as a symbol."""
        return self.factor * InnerProduct(self)

    def taken_from(self, form: dict[Pair, sp.Expr]) -> set[Pair]:
        """Take it from the coefficients of inner products; which ones have changed."""
        parts: dict[Pair, list[sp.Expr]] = {}
        for (a, c), (b, d) in product(self.left.terms, self.right.terms):
            parts.setdefault(_pair(a, b), []).append(self.factor * c * d)
        for pair, coefficients in parts.items():
            form[pair] = normal(form.get(pair, sp.S.Zero) - sp.Add(*coefficients))
        return {*parts}

    def __str__(self) -> str:
        return product_said(self.left, self.right)


class InnerProduct(sp.Symbol):
    """An inner product of sums, as the symbol that is printed: ``||x - y||^2``."""

    __slots__ = ("left", "right")
    left: Vector
    right: Vector

    def __new__(cls, of: Folded) -> InnerProduct:
        """The symbol of a product without its factor."""
        made: InnerProduct = sp.Symbol.__xnew__(cls, str(of))
        made.left, made.right = of.left, of.right
        return made

    @classmethod
    def class_key(cls) -> tuple[int, int, str]:
        """It is sorted among other symbols."""
        key: tuple[int, int, str] = sp.Symbol.class_key()
        return key

    @property
    def symbols(self) -> set[sp.Symbol]:
        """The symbols of the coefficients in it."""
        return {s for vector in (self.left, self.right) for _, c in vector.terms for s in c.free_symbols}


@cache
def folded(expr: sp.Expr) -> sp.Expr:
    """An expression with the products of sums of vectors that are seen in it as symbols, to be printed.

    Factors that stand before sums, as their author wrote them, are left there where that is shorter.
    """
    if not _products(expr):
        return expr
    ways = [*_by_parts(expr), _written(expr, _found), _written(expr, lambda form: [])]
    return min(ways, key=lambda one: len(str(one)))


#: Coefficient, and the names that have it or, where that is said, less it; a minus stands before the group.
Group = tuple[sp.Expr, tuple[tuple[str, bool], ...], bool]


@cache
def groups(vector: Vector) -> tuple[Group, ...]:
    """A combination for a reader: names with a common factor together."""
    found: dict[sp.Expr, dict[str, bool]] = {}
    for name, c in vector.terms:
        lengths = len(str(-c)), len(str(c))
        minus = lengths[0] < lengths[1] or (lengths[0] == lengths[1] and c.could_extract_minus_sign())
        found.setdefault(-c if minus else c, {})[name] = minus
    out: list[Group] = []
    for c in sorted(found, key=lambda one: (one != 1, min(found[one]))):
        if c == 1 or len(found[c]) == 1:
            out += [(c, ((name, False),), minus) for name, minus in found[c].items()]
        else:
            minus = all(found[c].values())
            out.append((c, tuple((name, minus is not other) for name, other in found[c].items()), minus))
    return tuple(out)


def said(vector: Vector, called: Callable[[str], str] = str) -> str:
    """A combination for a reader, first what is added.

    Args:
        vector: it.
        called: what a name is called.
    """
    return _coded(vector) if called is str else _said(vector, called)


@cache
def _coded(vector: Vector) -> str:
    return _said(vector, str)


def _said(vector: Vector, called: Callable[[str], str]) -> str:
    return added(
        (_times_text(c, added((called(name), minus) for name, minus in names), several=len(names) > 1), minus)
        for c, names, minus in groups(vector)
    )


def product_said(left: Vector, right: Vector, called: Callable[[str], str] = str) -> str:
    """An inner product of combinations, for a reader; ``called`` as for :func:`said`."""
    if left == right:
        return f"||{said(left, called)}||^2"
    return f"<{', '.join(said(one, called) for one in ordered(left, right))}>"


def ordered(left: Vector, right: Vector) -> list[Vector]:
    """Two factors of a product as they are printed: first that without a difference."""
    return sorted((left, right), key=lambda one: (" - " in said(one), said(one)))


def _times_text(factor: sp.Expr, of: str, *, several: bool) -> str:
    return str(factor * sp.Symbol(_LAST)).replace(_LAST, f"({of})") if several else str(factor * sp.Symbol(of))


def added(terms: Iterable[tuple[str, bool]]) -> str:
    """Terms with a minus or without one after the other, from the first without one on; 0 where there are none."""
    told = [*terms]
    if not told:
        return "0"
    first = next((term for term in told if not term[1]), told[0])
    told.remove(first)
    return f"{'-' * first[1]}{first[0]}" + "".join(f" {'-' if minus else '+'} {term}" for term, minus in told)


def _products(expr: sp.Expr) -> list[sp.Symbol]:
    return sorted((s for s in expr.free_symbols if factors(s)), key=str)


def _by_parts(expr: sp.Expr) -> Iterator[sp.Expr]:
    """Sums with a factor each for themselves, the rest together; nothing where there are none."""
    flat, out = [], []
    for term in sp.Add.make_args(expr):
        own, before = sp.S.One, []
        for factor in sp.Mul.make_args(term):
            if factor.is_Add and _products(factor) and own == 1:
                own = factor
            else:
                before.append(factor)
        if own == 1 or any(map(_products, before)):
            flat.append(term)
        else:
            out.append(sp.Mul(*before, folded(own)))
    if out:
        yield sp.Add(*out, _written(sp.Add(*flat), _found))


def _written(expr: sp.Expr, fold: Callable[[Mapping[Pair, sp.Expr]], list[Folded]]) -> sp.Expr:
    """An expression with what ``fold`` makes of its inner products, and what is left of each by itself."""
    left = _coefficients(expr)
    if left is None:
        return expr
    rest = expr.xreplace(dict.fromkeys(_products(expr), sp.S.Zero))
    groups = fold(left)
    for group in groups:
        group.taken_from(left)
    alone = [Folded(c, *(combination({name: sp.S.One}) for name in pair)) for pair, c in left.items() if c != 0]
    return rest + sp.Add(*(one.term for one in (*groups, *alone)))


def _coefficients(expr: sp.Expr) -> dict[Pair, sp.Expr] | None:
    """The coefficients of the inner products in an expression; None where it is not linear in them."""
    if expr.is_Symbol and (pair := factors(expr)):
        return {pair: sp.S.One}
    if not _products(expr):
        return {}
    if not (expr.is_Add or expr.is_Mul):
        return None
    inside = {arg: _coefficients(arg) for arg in expr.args if _products(arg)}
    if expr.is_Mul and len(inside) > 1:
        return None
    found: dict[Pair, list[sp.Expr]] = {}
    for arg, coefficients in inside.items():
        if coefficients is None:
            return None
        times = sp.Mul(*(other for other in expr.args if other is not arg)) if expr.is_Mul else sp.S.One
        for pair, c in coefficients.items():
            found.setdefault(pair, []).append(times * c)
    return {pair: sp.Add(*parts) for pair, parts in found.items()}


def _found(given: Mapping[Pair, sp.Expr]) -> list[Folded]:
    """Squares and products of sums that shorten a form, the one with the most in it first."""
    left, groups = dict(given), []
    values = {pair: value for pair, c in given.items() if (value := _value(c))}
    while best := max((*_squares(values), *_grids(values)), key=lambda one: one.order, default=None):
        group, before = best.read(left), len(values)
        values |= {pair: _value(left[pair]) for pair in group.taken_from(left)}
        values = {pair: value for pair, value in values.items() if value}
        if len(values) >= before:  # what is no rational function need not cancel
            break
        groups.append(group)
    return groups


def _pair(a: str, b: str) -> Pair:
    return (a, b) if a <= b else (b, a)


@dataclass(frozen=True)
class _Group:
    """Names whose inner products have the coefficients of a product of sums.

    Attributes:
        gain: by how many names the text becomes shorter.
        left, right: the names, from which the first ones' products give the coefficients; the same for a square.
    """

    gain: int
    left: tuple[str, ...]
    right: tuple[str, ...]

    @property
    def order(self) -> tuple[int, tuple[str, ...], tuple[str, ...]]:
        return self.gain, self.left, self.right

    def read(self, form: Mapping[Pair, sp.Expr]) -> Folded:
        """The product with the coefficients of a form, scaled as it is shortest."""
        (u, v), twice = (self.left[0], self.right[0]), 2 if self.left == self.right else 1
        first = form[_pair(u, v)]
        left, right = (
            combination({n: sp.S.One if n == own else normal(form[_pair(n, of)] / first / twice) for n in names})
            for names, own, of in ((self.left, u, v), (self.right, v, u))
        )
        return min(_scaled(Folded(first, left, right)), key=lambda one: _length(str(one.term)))


def _scaled(one: Folded) -> Iterator[Folded]:
    """The same with another coefficient 1 in each sum, or without a factor."""
    square = one.left == one.right
    for (_, c), (_, d) in product(one.left.terms, one.right.terms):
        if not square or c == d:
            yield Folded(normal(one.factor * c * d), _times(one.left, 1 / c), _times(one.right, 1 / d))
        if square and c == d and (root := _root(normal(one.factor * c**2))):
            yield Folded(sp.S.One, *[_times(one.left, root / c)] * 2)
        elif not square:
            yield Folded(sp.S.One, _times(one.left, 1 / c), _times(one.right, one.factor * c))
            yield Folded(sp.S.One, _times(one.left, one.factor * d), _times(one.right, 1 / d))


def _root(factor: sp.Expr) -> sp.Expr | None:
    """The root of a factor that is the square of a sum."""
    powers = sp.factor(factor).as_powers_dict() if factor.has(sp.Add) else {}
    if not powers or any((e / 2).is_integer is not True for e in powers.values()):
        return None
    return sp.Mul(*(b ** (e / 2) for b, e in powers.items()))


def _length(text: str) -> tuple[int, int, str]:
    return len(text), text.count("-"), text


def _times(vector: Vector, factor: sp.Expr) -> Vector:
    return Vector(tuple((name, normal(c * factor)) for name, c in vector.terms))


def _squares(form: Mapping[Pair, int]) -> Iterator[_Group]:
    """Squares of sums: of names that are left in no square, or where all coefficients are 1 or -1, with some left."""
    names = sorted({n for pair in form for n in pair})
    for (first, _), strict in product(((n, n) for n in names if (n, n) in form), (True, False)):
        own = form[first, first]
        half, shares, gone = pow(2 * own, -1, _PRIME), {first: 1}, 1
        for name in names:
            share = form.get(_pair(first, name), 0) * half % _PRIME
            whole = form.get((name, name)) == own * share**2 % _PRIME
            fits = whole if strict else (name, name) in form and share in (1, _PRIME - 1)
            crossed = {n: 2 * own * share * c % _PRIME for n, c in shares.items()}
            if name != first and share and fits and all(form.get(_pair(name, n)) == c for n, c in crossed.items()):
                gone += whole + len(shares)
                shares[name] = share
        if len(shares) > 1 and 2 * gone > len(shares):
            yield _Group(2 * gone - len(shares), tuple(shares), tuple(shares))


def _grids(form: Mapping[Pair, int]) -> Iterator[_Group]:
    """Products of two sums that have one name in common at most."""
    rows: dict[str, dict[str, int]] = {}
    for (a, b), c in sorted(form.items()):
        rows.setdefault(a, {})[b] = rows.setdefault(b, {})[a] = c
    for one, row in rows.items():
        others = (_alike(row, rows[other]) for other in rows if other > one)
        for right in {tuple(row): None, **{names: None for group in others for names in group}}:
            left, common = [one], {one} & {*right}
            for name, there in rows.items():
                alike = all(b in there for b in right) and (right in _alike(row, {b: there[b] for b in right}))
                if name != one and alike and len(common | ({name} & {*right})) <= 1:
                    left.append(name)
                    common |= {name} & {*right}
            if (gain := 2 * len(left) * len(right) - len(left) - len(right)) > 0:
                yield _Group(gain, tuple(left), right)


def _alike(row: Mapping[str, int], other: Mapping[str, int]) -> list[tuple[str, ...]]:
    """The names in both rows, those with one ratio of the coefficients together."""
    by_ratio: dict[int, list[str]] = {}
    for name in row:
        if name in other:
            by_ratio.setdefault(other[name] * pow(row[name], -1, _PRIME) % _PRIME, []).append(name)
    return [tuple(names) for names in by_ratio.values()]


@cache
def _value(expr: sp.Expr) -> int:
    """A rational function modulo the prime, at symbols with values of their own; what else there is has one, too."""
    if expr.is_Rational:
        return int(expr.p) * pow(int(expr.q), -1, _PRIME) % _PRIME
    if expr.is_Add or expr.is_Mul:
        values = map(_value, expr.args)
        return (sum(values) if expr.is_Add else prod(values)) % _PRIME
    if expr.is_Pow and expr.exp.is_Integer and (base := _value(expr.base)):
        return pow(base, int(expr.exp), _PRIME)
    return int.from_bytes(sha256(str(expr).encode()).digest()[:7])
