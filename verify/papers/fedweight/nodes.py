"""Bernoulli nodes: ``l(theta; z) = (theta - z)^2/2`` for theta in [0, 1], z is 0 or 1, and all samples can be listed.

``L_k(theta) = ((theta - p_k)^2 + p_k (1 - p_k))/2``, so that ``theta(w)`` is the mean of the ``p_k`` and ``L^_k - L_k =
(1/2 - theta) (p^_k - p_k)``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from math import comb, prod
from typing import Any

from rateproof.algos.problems.base import Fact
from rateproof.verify.form.arithmetic import Number, largest, least, log, pi, sqrt
from rateproof.verify.form.parts import refuse

#: Constant of Dudley's integral in all instances, and a number just above the integral of the ceiling in (34).
DUDLEY, CEILING = 24, (10736, 10000)


@dataclass(frozen=True)
class Nodes:
    """Nodes with chances of a 1, those in J first, and the size of their samples.

    Attributes:
        p0: the target's chance, which the first ``J`` nodes have, too.
        p: that of each node.
        n: size of each sample.
        b: largest weight.
    """

    p0: Number
    p: Sequence[Number]
    J: int
    n: int
    b: Number

    @classmethod
    def of(cls, J: int, others: int, n: int, b: Number, p0: Number, p1: Number) -> Nodes:
        """``J`` nodes with the target's chance and others with another one."""
        refuse((n.__index__() + 1) ** (J + others).__index__(), 1000)
        return cls(p0, [*(p0 for _ in range(J)), *(p1 for _ in range(others))], J, n, b)

    @property
    def K(self) -> int:
        """Their number."""
        return len(self.p)

    def samples(self) -> Iterator[tuple[Number, list[Number]]]:
        """All samples, by their shares of 1, with their probabilities."""
        n = self.n.__index__()
        for heads in product(range(n + 1), repeat=self.K):
            chance = prod((comb(n, h) * p**h * (1 - p) ** (n - h) for h, p in zip(heads, self.p, strict=True)))
            yield chance, [h / (n + 0 * self.p0) for h in heads]

    def off(self, shares: Sequence[Number]) -> list[Number]:
        """How far shares of 1 are from the chances."""
        return [x - p for x, p in zip(shares, self.p, strict=True)]

    def most(self, values: Sequence[Number]) -> Number:
        """The largest ``|sum_k w_k values_k|`` over the weights: the largest values are filled up to b first."""
        return largest(*(self._filled([sign * x for x in values]) for sign in (1, -1)))

    def _filled(self, values: list[Number]) -> Number:
        left, total = 1 + 0 * self.b, 0 * self.b
        while values:
            top = max(range(len(values)), key=lambda i: float(values[i]))
            w = least(left, self.b)
            left, total = left - w, total + w * values.pop(top)
        return total

    def near(self, values: Sequence[Number], radius: Number) -> Number:
        """The same over the weights within a radius of W*, for two nodes, of which one is in J, and b = 1."""
        most = least(radius / sqrt(2 + 0 * radius), 1 + 0 * radius)
        same, other = values
        return largest(abs(same), abs((1 - most) * same + most * other))

    def facts(self, C_H: Number, nu_H: Number, C_r: Number) -> dict[str, Any]:
        """What holds of them, with ``l_0 = l_1 = mu = 1`` and ``l_2 = 0``."""
        far = [abs(p - self.p0) for p in self.p[self.J :]]
        up = {p > self.p0 for p in self.p[self.J :]}
        apart = len(up) == 1 and all(far) and self.J < self.K and self.b * self.J >= 1
        error = apart and self.b == 1 and (C_r * least(*far)) ** 2 >= 2 * (1 + 1 / (self.J + 0 * C_r))
        return {
            "A1.1 range": Fact(True, "the loss lies in [0, 1/2]"),
            "A1.1 smooth": Fact(True, "the second derivative is 1"),
            "A1.2": Fact(True, "on [0, 1] slopes are at most 1, and the second derivative is constant"),
            "A1.3": Fact(True, "the second derivative is 1"),
            "A2": Fact(apart, "with some weights theta(w) is the target's chance"),
            "A2'": Fact(apart, "the other nodes have chances on one side of the target's"),
            "A3": Fact(error, "for b = 1 and r = 2 the least C_r is (2 (1 + 1/J))^(1/2) over the least difference"),
            "A4": Fact(False, "no class has covering numbers below 1"),
            "A4 for eps <= 1": Fact(C_H >= 1 and nu_H >= 1, "ceil(1/(2 eps)) balls are enough, which is at most 1/eps"),
        }


def constants(C_H: Number) -> dict[str, Number]:
    """The least constants that the claims let be called universal."""
    one, of_C = C_H / C_H, log(2 * C_H)
    c, half = one * CEILING[0] / CEILING[1], sqrt(pi(one)) / 2
    return {
        **{"C_d": one * DUDLEY, "c_ceil": c},
        "C_a": 1 + 2 * DUDLEY * (sqrt(of_C) + half + c),
        "C_a2": 1 + 2 * DUDLEY * (sqrt(1 + of_C) + half + 2 * c),
    }
