"""Runs of Algorithm 2 with closed forms: Huber losses on their quadratic piece, where one step is linear.

For ``f~ = hub_b(x) + q y`` with ``y(x) = 0`` and ``eta = 1`` the estimate is ``x + v/2 + q e`` while ``|x| <= b - 1``,
where ``grad f_eta(x) = x``: with identical clients all of them move alike, whatever their number. Numbers are
fractions, or ``mpmath`` numbers for long runs.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import isqrt
from typing import TYPE_CHECKING

from rateproof.algos.problems.base import Fact
from rateproof.verify.papers.fedrzo.bilevel import instances
from rateproof.verify.papers.fedrzo.bilevel.enumeration import Run
from rateproof.verify.papers.fedrzo.bilevel.measure import Numbers, constants
from rateproof.verify.papers.fedrzo.bilevel.trials import facts
from rateproof.verify.trial import Trial

if TYPE_CHECKING:
    from rateproof.verify.papers.fedrzo.bilevel.line import Line, Num

#: Decimal digits of the long runs, and the relative error that is claimed for them.
DIGITS, ERROR = 60, 1e-12


@dataclass(frozen=True)
class Bowl:
    """A run on a Huber bowl: ``e`` is the lower-level error at ``xhat + v``, times the sign of ``v``, and ``q = 1``.

    The start is a minimum of the mean motion: ``x0 = -e``, so that ``E x_k = -e`` for all k.

    Attributes:
        gamma, H, m, rounds: of the run.
        rest: steps of one more round, fewer than H.
        b: where the loss turns linear.
        e: size of the error; 0 for an exact lower level, where q is 0, too.
        L_h_x: constant declared for ``grad_y h`` (its modulus is 0).
    """

    gamma: Fraction
    H: int
    m: int
    rounds: int
    b: Fraction = Fraction(3, 2)
    e: Fraction = Fraction(0)
    L_h_x: Fraction = Fraction(0)
    rest: int = 0

    def line(self) -> Line:
        """The instance."""
        found = instances.huber(self.b, 1, Fraction(1 if self.e else 0), self.L_h_x)
        return found

    def numbers(self, gamma: Num = None) -> Numbers:
        """Everything that Theorem 1 (i) speaks of, in the kind of numbers that ``gamma`` is given in (a fraction).

        Raises:
            ValueError: an iterate may leave the quadratic piece.
        """
        if self.b < self.e + Fraction(3, 2) or not 0 < self.gamma < 1 or self.e.denominator != 1:
            raise ValueError(f"b = {self.b} should be at least e + 3/2 with e = {self.e} whole, and 0 < gamma < 1")
        run = Run(gamma=self.gamma, eta=Fraction(1), H=self.H, rounds=self.rounds, x0=-self.e, e=self.e)
        steps = self.rounds * self.H + self.rest
        return constants(self.line(), run) | {
            "m": self.m,
            "T_R": steps,
            "K_it": steps - 1,
            "sum_eps_bl": (self.rounds + (self.rest > 0)) * self.e**2,
            "D0": self.e**2 / 2,
            "grad_kstar": self.variance(self.gamma if gamma is None else gamma) + self.e.numerator**2,
        }

    def variance(self, g: Num) -> Num:
        """Mean over all iterates of ``E (x_k + e)^2``, g the stepsize.

        With ``a_j = (1 - g)^j`` and ``a = a_H``: ``E = a_j^2 V_r + (1 - a_j)^2/4``, where
        ``V_r = (1-a)^2 (1 - a^{2r})/(4 (1 - a^2))`` is that of the start of round r.
        """
        a = (1 - g) ** self.H
        square = (1 - a) ** 2 / (4 * (1 - a**2))
        starts = square * (self.rounds - (1 - a ** (2 * self.rounds)) / (1 - a**2))
        last = square * (1 - a ** (2 * self.rounds))
        total = self._round(self.H, g, starts, self.rounds) + self._round(self.rest, g, last, 1)
        return total / (self.rounds * self.H + self.rest)

    @staticmethod
    def _round(steps: int, g: Num, starts: Num, rounds: int) -> Num:
        """Sum of ``E (x_k + e)^2`` over the first steps of rounds whose starts have the sum ``starts`` of it."""
        a = (1 - g) ** steps
        squares = (1 - a**2) / (1 - (1 - g) ** 2)
        return squares * starts + rounds * (steps - 2 * (1 - a) / g + squares) / 4

    def many_digits(self) -> Numbers:
        """The numbers with :data:`DIGITS` decimal digits, for long runs."""
        from mpmath import mpf, workdps  # type: ignore[import-untyped]

        with workdps(DIGITS):
            return self.numbers(mpf(self.gamma.numerator) / self.gamma.denominator)

    def known(self) -> dict[str, Fact]:
        """Every structural hypothesis; the instance of :meth:`line` has one client in place of ``m``."""
        run = Run(gamma=self.gamma, eta=Fraction(1), H=self.H, rounds=self.rounds, x0=-self.e, e=self.e)
        shared = Fact(False, "one direction a round")
        facts_here = facts(self.line(), run) | (
            dict.fromkeys(("fresh_client", "fresh_step"), shared) if self.m > 1 else {}
        )
        shorter = Fact(True, f"rounds of {self.H} steps and one of {self.rest}")
        return facts_here | ({"frequency": shorter} if self.rest else {})

    def trial(self) -> Trial:
        """The run as a trial."""
        label = f"m = {self.m}, f~ = hub(x)" + (" + y, y_eps = y + e sgn v at xhat + v" if self.e else "")
        label += f", {instances.hub(self.b)}, h = y^2/2, X = R, eta = 1; gamma = {self.gamma}, H = {self.H}, "
        label += f"{self.rounds} rounds, x_0 = {-self.e}"
        label += f", then {self.rest} steps of a round" if self.rest else ""
        values = {name: float(value) for name, value in self.many_digits().items()}
        return Trial.exact(label, values, self.known(), error=ERROR, at={"bowl": str(self)})


# --- S-com for one client


def steps_at(K: int) -> int:
    """``H = ceil(K^(1/4))``."""
    return isqrt(isqrt(K - 1)) + 1


def at_com(K: int) -> Bowl:
    """The run of ``T_R = K + 1`` steps that S-com prescribes; gamma is near ``K^(-1/2)`` where K is no square."""
    steps = steps_at(K)
    rounds, rest = divmod(K + 1, steps)
    return Bowl(Fraction(1, isqrt(K)), steps, 1, rounds, rest=rest)


def reached(K: int) -> Num:
    """``E ||grad F_eta(xbar_{k*})||^2`` of that run, with :data:`DIGITS` decimal digits."""
    from mpmath import mpf, sqrt, workdps

    with workdps(DIGITS):
        return at_com(K).variance(1 / sqrt(mpf(K)))


def last_missed(p: int) -> int:
    """``K = ((p-1)^2 + 1)^2``, soon after ``H`` has become p: all larger numbers of iterations reach less.

    There ``gamma H = p/((p-1)^2 + 1)`` is more than at any larger K, the next peak being ``(p+1)/p^2`` at most.
    """
    return ((p - 1) ** 2 + 1) ** 2


Q = Fraction
#: A direction shared by clients (first row) and by steps (second): the noise does not fade with m.
SHARED_BY_CLIENTS = Bowl(Q(1, 10**5), 1, 10**6, 10**7)
SHARED_BY_STEPS = Bowl(Q(1, 10**8), 20000, 1, 10**6)
OTHERS = (
    Bowl(Q(1, 2000), 1, 1000, 10**5),
    Bowl(Q(1, 10**6), 1000, 2, 10**5),
    Bowl(Q(1, 2 * 10**6), 2000, 1, 10**5),
    Bowl(Q(1, 60), 1, 1, 10**4),
    Bowl(Q(1, 240), 8, 1, 1000),
)
#: Lower-level errors that push: Theta_3 does not see them.
PUSHED = Bowl(Q(1, 500), 1, 1, 10**4 + 1, b=Q(5, 2), e=Q(1), L_h_x=Q(1, 100))
BOWLS = (SHARED_BY_CLIENTS, SHARED_BY_STEPS, PUSHED, *OTHERS)
