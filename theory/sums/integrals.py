"""The sum itself, far out, between two integrals."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import sympy as sp

from rateproof.theory.sums.balls import Ball, ball, compiled
from rateproof.theory.sums.expansion import Tail
from rateproof.theory.sums.series import Series, coefficient, power_integral
from rateproof.theory.sums.verdicts import UndecidedError


@dataclass(frozen=True)
class FarSum:
    """``sum_{t=t0}^{n} g(t)`` for large n, enclosed: exact up to ``tail.start``, then between two integrals.

    For a convex summand ``g(t) <= int_{t-1/2}^{t+1/2} g`` and ``(g(t) + g(t+1))/2 >= int_t^{t+1} g``; for a concave
    one both turn round.

    Attributes:
        tail: from where on the integrals are used.
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
    def bent(self) -> bool:
        """Whether the summand is convex throughout or concave throughout."""
        return len(self.tail.signs(self.tail.expand(sp.diff(self.g, self.t, 2), self.t))) == 1

    def upto(self, n: Ball | None) -> Ball:
        """A ball around the sum up to ``n``; with None around the infinite sum."""
        if not self.bent:
            raise UndecidedError(f"{self.g} is neither convex nor concave from {self.tail.start} on")
        g = compiled(self.g, self.t)
        start, half = ball(sp.Integer(self.tail.start)), ball(sp.Rational(1, 2))
        last = 0 if n is None else g(n)
        trapezoid = self.integral(start, n) + (last - g(start)) / 2
        midpoint = self.integral(start + half, None if n is None else n + half)
        return self.known + midpoint.union(trapezoid)

    def integral(self, low: Ball, high: Ball | None) -> Ball:
        """``int_low^high g``, term by term after ``x = ln t``."""
        a, b = low.log(), None if high is None else high.log()
        exact = sum((coefficient(c) * power_integral(key, a, b) for key, c in self.series.exact.items()), start=0 * a)
        rest = sum((size * power_integral(key, a, b) for key, size in self.series.rest.items()), start=0 * a)
        return exact + rest.union(-rest)

    def converges(self) -> bool:
        """Whether the infinite sum is finite."""
        return all(key < (-1, -1) for key in [*self.series.exact, *self.series.rest])
