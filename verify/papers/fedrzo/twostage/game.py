"""The leader-follower game of Section 6.4 with equal costs: equilibria, the objective, and runs in closed form.

With costs ``c_j = c`` and inactive capacities the equilibrium has ``S = nt (a - b x)/(c + b + nt b)``, and the price is
``rho (a - b x)``, ``rho = (c + b)/(c + b + nt b)``. From y_0 = 0, t steps of Algorithm 5 give the share
``1 - (1 - alpha (c + b + nt b))^t`` of it. A local step is then affine in x, and E f(xbar_K) follows from
the first two moments.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from rateproof.verify.papers.fedrzo.twostage.common import steps_of
from rateproof.verify.papers.fedrzo.twostage.table4_printed import FOLLOWERS, PRINTED

#: Mean and variance of a, uniform on [7.5, 12.5]; its ends.
MEAN_A, VAR_A, LOW_A, HIGH_A = 10.0, 25 / 12, 7.5, 12.5
GAMMA, ROUNDS = 1e-3, 100


@dataclass(frozen=True)
class Game:
    """``followers`` with slope ``b`` and all costs ``c``, the leader's included."""

    followers: int
    b: float
    c: float = 0.1

    @property
    def mu_F(self) -> float:
        """Smallest eigenvalue of the Jacobian of G in y, ``c + b``."""
        return self.c + self.b

    @property
    def L_F(self) -> float:
        """Its largest eigenvalue, ``c + b + nt b``."""
        return self.c + self.b + self.followers * self.b

    @property
    def rho(self) -> float:
        """Price at the equilibrium, as a share of ``a - b x``."""
        return self.mu_F / self.L_F

    @property
    def infimum(self) -> float:
        """``inf f = -(10 rho)^2/(2 (c + 2 b rho))``.

        Between 0 and 7.5/b, f is a parabola with this least value; for x < 0 the price is positive, and from 7.5/b on
        ``c x^2/2`` is more than ``x E[price]``, so f is positive there.
        """
        return -((MEAN_A * self.rho) ** 2) / (2 * (self.c + 2 * self.b * self.rho))

    def reached(self, k: int) -> float:
        """Share of the way to the equilibrium that Algorithm 5 goes in iteration k, with the printed tau and alpha."""
        tau, alpha = FOLLOWERS[self.followers]
        return 1 - (1 - float(alpha) * self.L_F) ** steps_of(k, tau)

    def expected(self, steps: int, *, radius: float, clients: int) -> float:
        """``E f(xbar_K)`` with the equilibrium y, after ``100 steps`` iterations from x_0 = 0, y_0 = 0.

        The path stays between 0 and ``12.5/(c + 2b)`` up to the swing of one step, so that no capacity, no set and no
        ``a < b x`` comes into play; this is checked for b = 1.

        Raises:
            ValueError: a path may leave that range.
        """
        if not (HIGH_A / (self.c + 2 * self.b) + radius) * self.b < LOW_A or HIGH_A / (self.c + 2 * self.b) > 9:
            raise ValueError(f"with b = {self.b:g} a path may reach a bound; take b = 1")
        mean = variance = 0.0
        for k in range(ROUNDS * steps):
            share = 1 - self.b * self.followers * self.reached(k) / self.L_F
            slope = self.c + 2 * self.b * share
            mean = (1 - GAMMA * slope) * mean + GAMMA * share * MEAN_A
            variance = (1 - GAMMA * slope) ** 2 * variance + GAMMA**2 * (share**2 * VAR_A + slope**2 * radius**2 / 4)
        square = mean**2 + variance / clients
        return (self.c / 2 + self.b * self.rho) * square - MEAN_A * self.rho * mean


def lower_bound(followers: int, slope: float) -> Fraction:
    """A rational number below inf f for all costs in [0.09, 0.11], capacities in [2, 4] and laws of a on [7.5, 12.5].

    The followers' total falls with their costs and grows with their capacities, and the price falls with the total and
    grows with a. So for x >= 0 the objective is at least ``0.045 x^2 - x p(x)`` with p the price at c_j = 0.11,
    capacities 2 and a = 12.5; this has two quadratic pieces. For x < 0 and for x > a/b, f is positive.
    """
    b, c, a, half = Fraction(slope), Fraction(11, 100), Fraction(25, 2), Fraction(9, 200)
    total = c + b + followers * b
    bend = max(Fraction(0), (a - 2 * total) / b)  # up to here all capacities are active
    values = [Fraction(0)]
    full = a - 2 * followers * b
    x = min(max(full / (2 * (half + b)), Fraction(0)), bend)
    values.append((half + b) * x * x - full * x)
    rho = (c + b) / total
    x = min(max(rho * a / (2 * (half + rho * b)), bend), a / b)
    values.append(half * x * x - x * rho * (a - b * x))
    return min(values)


def all_below() -> bool:
    """Whether every number of Table 4 lies below the infimum of f, whatever the unprinted constants are."""
    return all(Fraction(value) < lower_bound(followers, b) for (followers, b, _, _), value in PRINTED.items())
