"""Bernoulli nodes: ``l(theta; z) = (theta - z)^2/2`` for theta in [0, 1], z is 0 or 1, and all samples can be listed.

``L_k(theta) = ((theta - p_k)^2 + p_k (1 - p_k))/2``, so that ``theta(w)`` is the mean of the ``p_k`` and ``L^_k - L_k =
(1/2 - theta) (p^_k - p_k)``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, product
from math import prod
from typing import Any

from rateproof.algos.problems.base import Fact
from rateproof.theory.papers.fedweight.lemma3 import COVERED_BALL
from rateproof.verify.form.arithmetic import Number, largest, least, log, sqrt
from rateproof.verify.form.parts import refuse

#: What A4 gives of the losses, alone or times weights, and what independence does.
COVERED = (
    *("A4 for eps <= 1", "A4 at the data"),
    *("covered H", "covered H x Delta", "covered H x [0, b]^J", COVERED_BALL.key),
)
SAMPLES = ("samples ps-04.d", "samples ps-10.25", "samples (42)")


def of_draws(n: int, chance: Number) -> tuple[Number, ...]:
    """The probability of each number of ones among n draws.

    One comes from the other, as the numbers of ways are too large for floats.
    """
    if 2 * chance > 1:
        return of_draws(n, 1 - chance)[::-1]
    odds = chance / (1 - chance)
    return tuple(accumulate(range(n), lambda p, k: p * odds * (n - k) / (k + 1), initial=(1 - chance) ** n))


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
        """``J`` nodes with the target's chance and others with another one.

        Raises:
            ValueError: they are no chances.
        """
        if not (0 <= p0 <= 1 and 0 <= p1 <= 1):
            raise ValueError("a chance lies in [0, 1]")
        refuse((n.__index__() + 1) ** (J + others).__index__(), 1000)
        return cls(p0, [*(p0 for _ in range(J)), *(p1 for _ in range(others))], J, n, b)

    @property
    def K(self) -> int:
        """Their number."""
        return len(self.p)

    def samples(self) -> Iterator[tuple[Number, list[Number]]]:
        """All samples, by their shares of 1, with their probabilities."""
        n = self.n.__index__()
        likely = [of_draws(n, p) for p in self.p]
        for heads in product(range(n + 1), repeat=self.K):
            yield prod(one[h] for one, h in zip(likely, heads, strict=True)), [h / (n + 0 * self.p0) for h in heads]

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

    def average(self, weights: Sequence[Sequence[Number]]) -> Number:
        """``E sup sum_k sum_i s_{k,i} w_k l(theta; z_k^(i))/n`` over theta and the hull of some weights.

        Raises:
            ValueError: there are too many outcomes.
        """
        n, total = self.n.__index__(), 0 * self.p0
        refuse(2 ** (self.K * (n + 1)), 300)
        for chance, shares in self.samples():
            data = [[1] * int(float(n * x) + 0.5) + [0] * (n - int(float(n * x) + 0.5)) for x in shares]
            for signs in product((1, -1), repeat=self.K * n):
                pairs = [(signs[k * n + i], z, k) for k in range(self.K) for i, z in enumerate(data[k])]
                total += chance * largest(*(self._signed(pairs, w) for w in weights)) / 2 ** (self.K * n)
        return total

    def _signed(self, pairs: list[tuple[int, int, int]], w: Sequence[Number]) -> Number:
        """The largest ``(A theta^2 - 2 B theta + B)/2`` for theta in [0, 1]."""
        A = sum((s * w[k] for s, _, k in pairs), 0 * self.p0) / self.n
        B = sum((s * z * w[k] for s, z, k in pairs), 0 * self.p0) / self.n
        inside = [(B - B**2 / A) / 2] if A < 0 and B < 0 and B > A else []
        return largest(B / 2, (A - B) / 2, *inside)

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
            "A2": Fact(
                self.b * self.J >= 1 or not any(far),
                f"b J = {self.b * self.J}, and from 1 on nodes of J can have all weight; "
                f"that the others are as the target is {not any(far)}",
            ),
            "A2'": Fact(apart, "the other nodes have chances on one side of the target's"),
            "A3": Fact(error, "for b = 1 and r = 2 the least C_r is (2 (1 + 1/J))^(1/2) over the least difference"),
            "A4": Fact(False, "no class has covering numbers below 1"),
            **dict.fromkeys(COVERED, Fact(C_H >= 1 and nu_H >= 1, "ceil(1/(2 eps)) balls are enough, at most 1/eps")),
            **dict.fromkeys(SAMPLES, Fact(True, "all data points are drawn one by one")),
        }


def ends(most: Number) -> list[list[Number]]:
    """The ends of the weights within ``sqrt(2) most`` of W*, for two nodes, of which one is in J, and b = 1."""
    return [[1 + 0 * most, 0 * most], [1 - most, most]]


def universal(C_H: Number, more: Number) -> dict[str, Number]:
    """Multiples of the least constants that the claims let be called universal, where losses are at most 1."""
    first, root = sqrt(log(4 * C_H) + 1), sqrt(log(8 * C_H) + 1)
    C_0, C_a, C_a2 = (more * (times * of + 1) for times, of in ((12, first), (12, root), (24, root)))
    return {"C_0": C_0, "C_a": C_a, "C_a2": C_a2, "l_max": more / more}


def expected(likely: Sequence[Number], values: Sequence[Number]) -> Number:
    """The expectation of what is drawn."""
    return sum(p * x for p, x in zip(likely, values, strict=True))


def over_all(likely: Sequence[Number], dev: Sequence[Number]) -> dict[str, Any]:
    """Both suprema over all weights, where each is the largest absolute value, and their means."""
    mean = expected(likely, dev)
    return {**dict.fromkeys(("G_b", "G_b_minus"), tuple(dev)), **dict.fromkeys(("E_b", "E_b_minus"), mean)}
