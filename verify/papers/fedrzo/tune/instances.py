"""Two instances whose runs have closed-form second moments after any number of steps.

- ``Pull``: losses linear in the first coordinate, some clients with the set {0} and the others free, from 0. Every step
  is linear in the iterate with noise that does not depend on it.
- ``Bowl``: one Huber loss for all clients on the line, no sets, one direction a round. Every step is linear while the
  iterate stays on the quadratic piece.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Pull:
    """Losses ``a_i x_1`` with sets {0} for ``pulled`` of the clients (slope ``slope``) and R^n for the rest (``free``).

    ``F_eta`` is ``mean(a_i) x_1 + share ||x||^2 / (2 eta)`` up to a constant, share = pulled/m, so that its gradient is
    linear and the metric needs the mean and the variance of the mean of the clients alone.

    Attributes:
        n, m: dimension and clients.
        eta: radius.
        pulled: clients with the set {0}, at least 1.
        slope, free: slopes, pure numbers.
        noise_slope, noise_free: total variance of an estimate, without what a shared direction causes.
        shared: one direction a round for all clients; else a new one for each client and step.
    """

    n: int
    m: int
    eta: float
    pulled: int
    slope: float
    free: float
    noise_slope: float = 0.0
    noise_free: float = 0.0
    shared: bool = False

    @property
    def share(self) -> float:
        """Clients with the set {0}, as a part of all."""
        return self.pulled / self.m

    @property
    def mean_slope(self) -> float:
        """Mean of the slopes: the gradient of ``F_eta`` at the start."""
        return self.share * self.slope + (1 - self.share) * self.free

    @property
    def B2(self) -> float:
        """The least B_2 that goes with B_1 = 0: both sides are multiples of ||x||^2, share and (B_2 share)^2."""
        return 1 / math.sqrt(self.share)

    @property
    def D0(self) -> float:
        """``F_eta(0) - inf F_eta``, a length."""
        return self.mean_slope**2 * self.eta / (2 * self.share)

    def measure(self, gamma: float, H: int, steps: int) -> float:
        """``E ||grad F_eta||^2`` at the mean of the clients, averaged over the iterates 0, ..., steps - 1.

        In round r it starts with mean ``mu_r`` and variance ``v_r``; after j steps of the round it has the mean
        ``w_j mu_r - d_j`` and the variance ``w_j^2 v_r + s_j``. Both recursions are geometric in r.
        """
        with np.errstate(over="ignore", invalid="ignore"):
            parts = self._round(gamma, np.arange(H + 1, dtype=float))
            rounds, rest = divmod(steps, H)
            total = self._sum(parts, H, rounds)
            if rest:
                total += self._sum(parts, rest, rounds + 1) - self._sum(parts, rest, rounds)
        found = (self.share / self.eta) ** 2 * total / steps
        return found if math.isfinite(found) else math.inf

    def _round(self, gamma: float, j: Array) -> tuple[Array, Array, Array]:
        """``1 - w_j``, ``d_j`` and ``s_j``."""
        q = gamma / self.eta
        # 1 - (1 - q)^j without loss of digits
        lost = -np.expm1(j * math.log1p(-q)) if q < 1 else 1 - (1 - q) ** j
        drift = self.share * self.slope * self.eta * lost + (1 - self.share) * self.free * gamma * j
        if self.shared:
            return self.share * lost, drift, (self.n - 1) * drift**2
        # sum of (1 - q)^(2t) over t < j
        kept = lost * (2 - lost) / (q * (2 - q)) if q != 2 else j
        noise = gamma**2 / self.m * (self.share * self.noise_slope * kept + (1 - self.share) * self.noise_free * j)
        return self.share * lost, drift, noise

    def _sum(self, parts: tuple[Array, Array, Array], steps: int, rounds: int) -> float:
        """Sum over the first steps of the first rounds of ``E |x + eta mean_slope/share|^2``."""
        away, D, S = (float(part[-1]) for part in parts)
        lost, drift, noise = (part[:steps] for part in parts)
        w, W = 1 - lost, 1 - away
        once = _powers(W, away, rounds)
        twice = _powers(W * W, away * (1 + W), rounds)
        fixed = -D / away if away else 0.0
        level = S / (away * (1 + W)) if away * (1 + W) else 0.0
        still = self.eta * self.mean_slope / self.share + fixed * w - drift
        moving = -fixed * w
        squares = rounds * still**2 + 2 * still * moving * once + moving**2 * twice
        return float(np.sum(squares + level * (rounds - twice) * w**2 + rounds * noise))


def _powers(rate: float, away: float, count: int) -> float:
    """``1 + rate + ... + rate^(count - 1)``, ``away`` being ``1 - rate``."""
    if away == 0 or count == 0:
        return float(count)
    if 0 < away < 1:
        return -math.expm1(count * math.log1p(-away)) / away
    try:
        return float((1 - rate**count) / away)
    except OverflowError:
        return math.inf


@dataclass(frozen=True)
class Bowl:
    """The loss ``c x^2/2`` up to ``|x| = width``, linear beyond, for all clients, on the line and without sets.

    There ``grad F_eta = c x``, and an estimate is ``c x + c v/2``, v = +-eta the direction of the round.

    Attributes:
        eta: radius.
        lipschitz: slope beyond the piece, ``c width``.
        start: where the run begins, a length.
        width: of the quadratic piece.
    """

    eta: float
    lipschitz: float
    start: float
    width: float

    @classmethod
    def of(cls, eta: float, lipschitz: float, D0: float) -> Bowl:
        """The narrowest one, on which the run of a gap ``D0`` stays: it needs the largest |x| plus eta."""
        start = (D0 + math.sqrt(D0**2 + 2 * D0 * eta * lipschitz)) / lipschitz
        if start >= eta / 2:
            return cls(eta, lipschitz, start, start + eta)
        width = 1.5 * eta
        return cls(eta, lipschitz, math.sqrt(2 * D0 * width / lipschitz), width)

    @property
    def curvature(self) -> float:
        """c, per length."""
        return self.lipschitz / self.width

    @property
    def D0(self) -> float:
        """``F_eta(start) - inf F_eta``, a length."""
        return self.curvature * self.start**2 / 2

    def measure(self, gamma: float, H: int, steps: int) -> float:
        """``E ||grad F_eta||^2`` averaged over the iterates 0, ..., steps - 1; nan if they may leave the piece.

        With ``a = (1 - gamma c)^j`` the square after j steps of a round is ``a^2 V_r + (1 - a)^2 eta^2/4``.
        """
        q = gamma * self.curvature
        if not q < 1:
            return math.nan
        log = math.log1p(-q)
        j = np.arange(H, dtype=float)
        rounds, rest = divmod(steps, H)
        push = -math.expm1(H * log)
        keep, away = math.exp(2 * H * log), -math.expm1(2 * H * log)
        level = push**2 * self.eta**2 / 4 / away
        total = 0.0
        for used, count in ((j, rounds), (j[:rest], 1 if rest else 0)):
            first = 0 if used is j else rounds
            decay = keep**first * _powers(keep, away, count)
            squares = level * count + (self.start**2 - level) * decay
            a = np.exp(used * log)
            total += float(np.sum(a**2 * squares + count * np.expm1(used * log) ** 2 * self.eta**2 / 4))
        return self.curvature**2 * total / steps
