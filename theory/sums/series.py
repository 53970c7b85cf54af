"""Sums of monomials ``x^p (ln x)^q`` with exact coefficients, and with terms of which only a bound is known."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import sympy as sp

from rateproof.theory.sums.balls import Ball, ball
from rateproof.theory.sums.verdicts import UndecidedError

TAIL_BITS = 128
DEPTH = 4
"""Terms smaller than the leading one by T^-DEPTH are kept as bounds only."""

Key = tuple[sp.Rational, sp.Rational]
"""The exponents p and q of a term."""
ONE: Key = (sp.S.Zero, sp.S.Zero)
"""The growth of a constant."""


@lru_cache(maxsize=4096)
def coefficient(number: sp.Expr) -> Ball:
    """A ball around a constant, kept."""
    from flint import ctx

    with ctx.workprec(TAIL_BITS):
        return ball(number)


@dataclass(frozen=True)
class Series:
    """``sum c x^p (ln x)^q`` over ``exact`` plus terms of which only ``|c| <= bound`` is known."""

    exact: Mapping[Key, sp.Expr]
    rest: Mapping[Key, Ball] = field(default_factory=dict)

    def __add__(self, other: Series) -> Series:
        return collected([*self.exact.items(), *other.exact.items()], [*self.rest.items(), *other.rest.items()])

    def __mul__(self, other: Series) -> Series:
        def pairs(left: Any, right: Any) -> list[tuple[Key, Any]]:
            return [((p + r, q + s), a * b) for (p, q), a in left for (r, s), b in right]

        sizes, other_sizes = self.sizes(), other.sizes()
        rest = pairs(sizes, other.rest.items()) + pairs(self.rest.items(), other_sizes[: len(other.exact)])
        return collected(pairs(self.exact.items(), other.exact.items()), rest)

    def scaled(self, factor: sp.Expr) -> Series:
        """Every coefficient times a number."""
        return self * Series({ONE: factor})

    def sizes(self) -> list[tuple[Key, Ball]]:
        """Every term with the modulus of its coefficient, or its bound; the exact ones first."""
        return [(key, abs(coefficient(c))) for key, c in self.exact.items()] + list(self.rest.items())

    def value(self, log: Ball) -> Ball:
        """The values over a ball of ``ln x``."""

        def total(terms: Iterable[tuple[Key, Ball]]) -> Ball:
            return sum((c * (coefficient(p) * log).exp() * log ** coefficient(q) for (p, q), c in terms), start=0 * log)

        rest = total(self.rest.items())
        return total((key, coefficient(c)) for key, c in self.exact.items()) + rest.union(-rest)

    def lead(self) -> Key:
        """The exact term that grows fastest; it must outgrow the rest."""
        key = max(self.exact, default=None)
        if key is None or any(other >= key for other in self.rest):
            raise UndecidedError("the leading terms cancel to the order of the expansion")
        return key


def collected(exact: list[tuple[Key, sp.Expr]], rest: list[tuple[Key, Ball]]) -> Series:
    """Add terms of equal growth; what is tiny, or cannot be told from zero, is kept as a bound."""
    sums: dict[Key, sp.Expr] = {}
    bounds: dict[Key, Ball] = {}
    for key, c in exact:
        sums[key] = sums.get(key, 0) + c
    for key, bound in rest:
        bounds[key] = bounds.get(key, 0) + bound
    sums = {key: c for key, c in sums.items() if c != 0 and not _vanishes(c)}
    top = max((p for p, _ in sums), default=0)
    for key in [key for key, c in sums.items() if key[0] <= top - DEPTH or coefficient(c).contains(0)]:
        bounds[key] = bounds.get(key, 0) + abs(coefficient(sums.pop(key)))
    return Series(sums, {key: bound.abs_upper() for key, bound in bounds.items() if bound != 0})


def _vanishes(number: sp.Expr) -> bool:
    return bool(coefficient(number).contains(0) and sp.simplify(number) == 0)


def power_integral(key: Key, a: Ball, b: Ball | None) -> Ball:
    """``int_a^b exp((p+1) x) x^q dx`` for ``0 < a <= b``; None is infinity, where the integral must converge."""
    from flint import acb

    rate, q = coefficient(key[0] + 1), coefficient(key[1])
    if key[0] == -1:
        if key[1] == -1:
            return (b / a).log()
        return ((0 if b is None else b ** (q + 1)) - a ** (q + 1)) / (q + 1)
    if key[1] == 0:
        return ((0 if b is None else (rate * b).exp()) - (rate * a).exp()) / rate
    if b is None:
        return (-rate * a).gamma_upper(q + 1) / (-rate) ** (q + 1)
    top = b if rate > 0 else a  # keeps the exponential at most one

    def integrand(x: Any, analytic: bool) -> Any:
        return (rate * (x - top)).exp() * x.pow(acb(q), analytic=analytic)

    return (rate * top).exp() * acb.integral(integrand, acb(a), acb(b)).real
