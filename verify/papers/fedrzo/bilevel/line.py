"""Bilevel instances on the line, in whatever numbers they are given: fractions for records, floats for searches.

The loss of client ``i`` is ``p |x - c|`` (or ``p hub_b(x - c)``, or ``p (x - c)``) plus a part in the lower-level
variable (``q y``, ``q |y - z|`` or ``q (y - |x|)``) plus ``xi s |x|`` with a sign ``xi = +-1``. The lower level is
``h = (y - A x - b)^2/2`` on a fixed interval, or ``h = y^2/2`` on ``Y(x) = {y >= A |x|}``. Everything that the claims
speak of follows by arithmetic: ``grad f_eta(x) = (f(x + eta) - f(x - eta))/(2 eta)`` on the line.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from typing import Any, Literal

#: ``Fraction``, ``int`` or ``float``.
Num = Any


@dataclass(frozen=True)
class Client:
    """One client; the class of losses is described above.

    Attributes:
        p, c: weight and centre of the part in x.
        shape: of that part.
        b: where the Huber function ``hub_b`` turns linear.
        q, z: weight and centre of the part in y.
        part: of that part.
        s: weight of the noise.
        low, high: the interval ``X_i``; None where it is unbounded.
    """

    p: Num = 0
    c: Num = 0
    shape: Literal["abs", "huber", "linear"] = "abs"
    b: Num = 1
    q: Num = 0
    z: Num = 0
    part: Literal["linear", "abs", "above"] = "linear"
    s: Num = 0
    low: Num = None
    high: Num = None

    def loss(self, x: Num, y: Num, xi: int) -> Num:
        """``f~(x, y, xi)``."""
        u = x - self.c
        match self.shape:
            case "abs":
                value = abs(u)
            case "linear":
                value = u
            case _:
                value = u * u / 2 if abs(u) <= self.b else self.b * abs(u) - self.b * self.b / 2
        match self.part:
            case "linear":
                rest = y
            case "abs":
                rest = abs(y - self.z)
            case _:
                rest = y - abs(x)
        return self.p * value + self.q * rest + (self.s * xi * abs(x) if self.s else 0)

    def project(self, x: Num) -> Num:
        """The nearest point of ``X_i``."""
        x = x if self.low is None else max(x, self.low)
        return x if self.high is None else min(x, self.high)


@dataclass(frozen=True)
class Lower:
    """The lower level; with ``cone`` ``Y(x) = {y >= A |x|}``, else ``Y = [low, high]`` and ``y(x)`` is a clipped line.

    ``L_h_x`` is the constant declared for ``grad_y h``, at least the modulus: ``A``, or 0 for a cone.
    """

    A: Num = 0
    b: Num = 0
    low: Num = None
    high: Num = None
    cone: bool = False
    L_h_x: Num = 0

    def solution(self, x: Num) -> Num:
        """``y(x)``."""
        if self.cone:
            return self.A * abs(x)
        y = self.A * x + self.b
        y = y if self.low is None else max(y, self.low)
        return y if self.high is None else min(y, self.high)

    def kinks(self, levels: Sequence[Num]) -> list[Num]:
        """Where ``y(.)`` bends or passes one of the levels."""
        if self.A == 0:
            return []
        if self.cone:
            return [0, *(sign * z / self.A for z in levels for sign in (1, -1))]
        return [(y - self.b) / self.A for y in (*levels, self.low, self.high) if y is not None]


@dataclass(frozen=True)
class Line:
    """An instance: clients, lower level, and the constants of eq. (2)."""

    clients: tuple[Client, ...]
    lower: Lower = Lower()
    B1: Num = 0
    B2: Num = 0
    says: str = ""
    B_why: str = ""

    @property
    def m(self) -> int:
        """Number of clients."""
        return len(self.clients)

    @property
    def free(self) -> bool:
        """Whether every ``X_i`` is the line."""
        return all(c.low is None and c.high is None for c in self.clients)

    @property
    def noisy(self) -> bool:
        """Whether some loss depends on its sample."""
        return any(c.s for c in self.clients)

    def implicit(self, i: int, x: Num, xi: int = 0) -> Num:
        """``f~_i(x, y(x), xi)``; the mean over the samples with ``xi = 0``."""
        return self.clients[i].loss(x, self.lower.solution(x), xi)

    def grad_f(self, i: int, x: Num, eta: Num) -> Num:
        """``grad f_{i,eta}(x)``."""
        return (self.implicit(i, x + eta) - self.implicit(i, x - eta)) / (2 * eta)

    def grad_F(self, x: Num, eta: Num) -> Num:
        """``grad F_eta(x)``."""
        pulled = ((x - c.project(x)) / eta for c in self.clients)
        return (sum(self.grad_f(i, x, eta) for i in range(self.m)) + sum(pulled)) / self.m

    @cached_property
    def kinks(self) -> tuple[Num, ...]:
        """All points where an implicit loss may bend, sorted."""
        points: set[Num] = set()
        for c in self.clients:
            points |= {c.c} if c.shape == "abs" and c.p else set()
            points |= {c.c - c.b, c.c + c.b} if c.shape == "huber" and c.p else set()
            points |= {0} if c.s or (c.part == "above" and c.q) else set()
            points |= set(self.lower.kinks([c.z] if c.part == "abs" else [])) if c.q else set()
        return tuple(sorted(points))

    def modulus(self, value: Callable[[Num], Num]) -> Num:
        """Lipschitz constant of a function that is linear between neighbouring kinks and beyond them.

        Huber parts are steepest beyond their kinks, where they are linear, so the pieces inside do not matter for them
        as long as no other part is steeper inside.
        """
        kinks = self.kinks or (0,)
        points = (kinks[0] - 2, kinks[0] - 1, *kinks, kinks[-1] + 1, kinks[-1] + 2)
        ends = [Fraction(e) if isinstance(e, int) else e for e in points]
        return max(abs(value(b) - value(a)) / (b - a) for a, b in pairwise(ends) if b > a)

    @cached_property
    def L(self) -> Num:
        """``L_0^imp``: the root of the largest ``E L_i(xi)^2``."""

        def square(i: int, xi: int) -> Num:
            return self.modulus(lambda x: self.implicit(i, x, xi)) ** 2

        return root(max((square(i, 1) + square(i, -1)) / 2 for i in range(self.m)))

    @cached_property
    def L_mean(self) -> Num:
        """Lipschitz constant of the implicit loss ``f``."""
        return self.modulus(lambda x: sum(self.implicit(i, x) for i in range(self.m)) / self.m)

    @property
    def L_y(self) -> Num:
        """``L_{0,y}^f``."""
        return max(abs(c.q) for c in self.clients)

    @property
    def Lam(self) -> Num:
        """Lipschitz constant of ``y(.)``, or a larger number."""
        return abs(self.lower.A)

    def gap(self, x: Num, eta: Num) -> Num:
        """``F_eta(x) - inf F_eta``, infinite where ``F_eta`` is unbounded below.

        ``grad F_eta`` is continuous and linear between the kinks moved by ``+-eta`` and the ends of the sets.

        Raises:
            ValueError: with Huber parts, unless ``x`` is where they all are smallest and alone.
        """
        if any(c.shape == "huber" and c.p for c in self.clients):
            if self.grad_F(x, eta) == 0 and all(c.p >= 0 and c.c == x for c in self.clients) and self.free:
                return x - x
            raise ValueError("the gap of a Huber loss is known at its own minimum only")
        ends = [e for c in self.clients for e in (c.low, c.high) if e is not None]
        knots = sorted({x, *ends, *(k + d for k in self.kinks for d in (-eta, eta))})
        knots = [knots[0] - 1, *knots, knots[-1] + 1]
        slopes = [self.grad_F(t, eta) for t in knots]
        left, right = _outside(slopes[0], slopes[1]), _outside(-slopes[-1], -slopes[-2])
        if left is None or right is None:
            return math.inf
        knots = [knots[0] - left, *knots, knots[-1] + right]
        slopes = [self.grad_F(t, eta) for t in knots]
        height, lowest, here = x - x, x - x, x - x
        for (a, b), (g, h) in zip(pairwise(knots), pairwise(slopes), strict=True):
            if a == x:
                here = height
            if g < 0 < h:
                lowest = min(lowest, height - g * g * (b - a) / (2 * (h - g)))
            height = height + (g + h) * (b - a) / 2
            lowest = min(lowest, height)
        return here - lowest


def _outside(end: Num, inner: Num) -> Num | None:
    """How far the outermost piece, one long, has to go on before the function rises; None when it falls for ever.

    ``end`` and ``inner`` are slopes seen from the right end of the left piece: the function falls outwards if positive.
    """
    if end <= 0:
        return 0
    bend = inner - end
    return end / bend if bend > 0 else None


def root(x: Num) -> Num:
    """A square root, exact where it is rational."""
    if isinstance(x, Fraction | int):
        x = Fraction(x)
        p, q = math.isqrt(x.numerator), math.isqrt(x.denominator)
        if p * p == x.numerator and q * q == x.denominator:
            return Fraction(p, q)
    return math.sqrt(x)
