"""The sum itself, far out, from an integral."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import sympy as sp

from rateproof.theory.sums.balls import Ball, ball, compiled
from rateproof.theory.sums.expansion import Tail
from rateproof.theory.sums.series import Series, coefficient, power_integral

ORDER = 2
"""Terms of the Euler-Maclaurin formula before its remainder."""


@dataclass(frozen=True)
class FarSum:
    """``sum_{t=t0}^{n} g(t)`` for large integers n, enclosed: as known up to ``tail.start = a``, then Euler-Maclaurin.

    ``sum_{t=a+1}^n g(t) = int_a^n g + (g(n) - g(a))/2 + sum_{k=1}^m B_2k/(2k)! (g^(2k-1)(n) - g^(2k-1)(a)) + R`` with
    ``|R| <= |B_2m|/(2m)! int_a^n |g^(2m)|``, see https://dlmf.nist.gov/2.10#i, and ``m = ORDER``.

    Attributes:
        tail: from where on the integral is used.
        g, t: the summand and its variable.
        known: the sum up to ``tail.start``.
    """

    tail: Tail
    g: sp.Expr
    t: sp.Symbol
    known: Ball

    @cached_property
    def series(self) -> Series:
        """The expansion of the summand."""
        return self.tail.expand(self.g, self.t)

    @cached_property
    def corrections(self) -> list[Callable[[Ball], Ball]]:
        """What the sum has beside the integral: functions of which the values at both ends are subtracted."""
        terms = [self.g / 2]
        terms += [_weight(k) * sp.diff(self.g, self.t, 2 * k - 1) for k in range(1, ORDER + 1)]
        return [compiled(term, self.t) for term in terms]

    @cached_property
    def last(self) -> Series:
        """The expansion of the derivative in the remainder, with its factor."""
        return self.tail.expand(_weight(ORDER) * sp.diff(self.g, self.t, 2 * ORDER), self.t)

    def upto(self, n: Ball | None) -> Ball:
        """A ball around the sums up to the integers in ``n``; with None around the infinite sum."""
        start = ball(sp.Integer(self.tail.start))
        a, b = start.log(), None if n is None else n.log()
        total = self.known + self._integral(self.series, a, b)
        for term in self.corrections:
            total += (0 if n is None else term(n)) - term(start)
        rest = sum((size * power_integral(key, a, b) for key, size in self.last.sizes()), start=0 * a)
        return total + rest.union(-rest)

    def _integral(self, series: Series, a: Ball, b: Ball | None) -> Ball:
        """``int series(x) dx``, term by term after ``x = e^y`` with ``a <= y <= b``."""
        exact = sum((coefficient(c) * power_integral(key, a, b) for key, c in series.exact.items()), start=0 * a)
        rest = sum((size * power_integral(key, a, b) for key, size in series.rest.items()), start=0 * a)
        return exact + rest.union(-rest)

    def converges(self) -> bool:
        """Whether the infinite sum is finite."""
        return all(key < (-1, -1) for key in [*self.series.exact, *self.series.rest])


def _weight(k: int) -> sp.Rational:
    return sp.bernoulli(2 * k) / sp.factorial(2 * k)
