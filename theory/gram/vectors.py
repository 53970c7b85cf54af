"""Free vectors of an arbitrary inner product space, and their inner products as sympy symbols."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from itertools import pairwise

import sympy as sp

_NAME = re.compile(r"[^\s<>,]+")
_INNER = re.compile(r"<([^\s<>,]+),([^\s<>,]+)>")


@dataclass(frozen=True)
class Vector:
    """A linear combination of basic vectors: pairs (name, coefficient), sorted by name, no coefficient zero."""

    terms: tuple[tuple[str, sp.Expr], ...] = ()

    def __post_init__(self) -> None:
        if any(a >= b for (a, _), (b, _) in pairwise(self.terms)):
            raise ValueError(f"{self.terms} should be sorted by name, each name once; write a sum such as x + 2 * y")

    def __add__(self, other: Vector) -> Vector:
        if isinstance(other, int) and other == 0:  # the start value of sum()
            return self
        if not isinstance(other, Vector):
            return NotImplemented
        total = dict(self.terms)
        for name, coefficient in other.terms:
            total[name] = total.get(name, sp.S.Zero) + coefficient
        return combination(total)

    __radd__ = __add__

    def __mul__(self, scalar: sp.Expr | int) -> Vector:
        if isinstance(scalar, Vector):
            raise ValueError(f"({self}) * ({scalar}) multiplies two vectors; write dot(u, v)")
        factor = sp.sympify(scalar, rational=True)
        return combination({name: factor * coefficient for name, coefficient in self.terms})

    __rmul__ = __mul__

    def __truediv__(self, scalar: sp.Expr | int) -> Vector:
        return self * (1 / sp.sympify(scalar, rational=True))

    def __neg__(self) -> Vector:
        return self * -1

    def __sub__(self, other: Vector) -> Vector:
        return self + (-other)

    def __str__(self) -> str:
        return str(sum((c * sp.Symbol(name) for name, c in self.terms), sp.S.Zero))


def combination(coefficients: Mapping[str, sp.Expr]) -> Vector:
    """The vector with these coefficients; names of basic vectors to scalars."""
    return Vector(tuple(sorted((name, c) for name, c in coefficients.items() if c != 0)))


def name_of(vector: Vector | None) -> str:
    """The name of a basic vector; empty for any other."""
    return vector.terms[0][0] if vector is not None and len(vector.terms) == 1 and vector.terms[0][1] == 1 else ""


def vectors(names: str) -> tuple[Vector, ...]:
    """Free vectors, one for each name: ``x, y = vectors("x y")``.

    Raises:
        ValueError: a name contains one of ``< > ,`` or stands there twice.
    """
    if len(set(names.split())) < len(names.split()):
        raise ValueError(f"vector names {names!r} repeat one; every free vector needs a name of its own")
    for name in names.split():
        if not _NAME.fullmatch(name):
            raise ValueError(f"vector name {name!r} contains one of '<', '>', ','; choose a plain name such as 'x_1'")
    return tuple(Vector(((name, sp.S.One),)) for name in names.split())


def dot(u: Vector, v: Vector) -> sp.Expr:
    """``<u, v>``, linear in the inner products of the basic vectors.

    Raises:
        ValueError: one of the two is no vector.
    """
    for part in (u, v):
        if not isinstance(part, Vector):
            raise ValueError(f"{part} is no vector; inner products take vectors such as those of vectors('x y')")
    total: dict[sp.Symbol, sp.Expr] = {}
    for name, c in u.terms:
        for other, d in v.terms:
            symbol = inner(name, other)
            total[symbol] = total.get(symbol, sp.S.Zero) + c * d
    return sum((c * symbol for symbol, c in total.items()), sp.S.Zero)


def norm2(u: Vector) -> sp.Expr:
    """``||u||^2``."""
    return dot(u, u)


def inner(name: str, other: str) -> sp.Symbol:
    """The symbol of the inner product of two basic vectors, the same in either order."""
    first, second = sorted((name, other))
    return sp.Symbol(f"<{first},{second}>", real=True)


@cache
def factors(symbol: sp.Symbol) -> tuple[str, str] | None:
    """The two basic vectors of an inner product, or None for any other symbol.

    Raises:
        ValueError: the symbol is named like an inner product and is none.
    """
    match = _INNER.fullmatch(symbol.name)
    if match and symbol != inner(match[1], match[2]):
        raise ValueError(f"the symbol {symbol} is named like an inner product and is none; write dot(u, v)")
    return (match[1], match[2]) if match else None
