"""Implicit losses that are sums of piecewise polynomials of linear forms, exactly smoothed in any dimension.

Where coordinates of a lower-level solution are clipped linear forms ``y_k(x) = clip(a_k.x + d_k)``, functions of one
of them are functions of one linear form: ``f_i(x) = sum_k psi_ik(a_ik.x + d_ik)`` with ``psi`` on the line.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from rateproof.algos.piecewise import Piecewise
from rateproof.algos.problems.base import Array
from rateproof.algos.problems.exactly_smoothed import ExactlySmoothed
from rateproof.algos.ridges import Ridges
from rateproof.algos.sets import ClientSets


@dataclass(frozen=True, eq=False)
class Ridge:
    """``x -> psi(a.x + d)`` with a continuous ``psi`` of degree at most 2, affine far to the left.

    Attributes:
        a: ``(n,)``.
        d: shift.
        psi: function of the line.
    """

    a: Array
    d: float
    psi: Piecewise

    def growth(self) -> tuple[float, float]:
        """``kappa`` and ``beta`` with ``psi(a.x + d) >= kappa |x| - beta``: 0 and ``-inf psi`` where it has one."""
        depth = self.psi.infimum
        if np.isfinite(depth):
            return 0.0, -depth
        return -self.psi.lipschitz * float(np.linalg.norm(self.a)), -float(self.psi(self.d))


def smoothed_ridges(
    eta: float,
    losses: Sequence[Sequence[Ridge]],
    l1: tuple[Array, Array],
    sets: ClientSets,
    *,
    modulus: float,
    name: str,
) -> ExactlySmoothed:
    """The smoothed problem of ``f_i(x) = p_i ||x - c_i||_1 + sum of ridges``.

    Args:
        eta: radius.
        losses: the ridges of every client.
        l1: ``p``, ``(m,)``, and ``c``, ``(m, n)``.
        sets: of the clients.
        modulus: a Lipschitz constant of every loss.
        name: of the problem, for messages.

    Raises:
        ValueError: ``eta`` is not positive.
    """
    p, c = l1
    m, n = c.shape
    rows: list[list[tuple[Array, float, float, float]]] = []
    slopes, offsets = -p[:, None] * np.ones(n), (p[:, None] * c).sum(axis=1)
    kappa, beta = p * np.where(p < 0, np.sqrt(n), 1.0), np.abs(p) * np.abs(c).sum(axis=1)
    for i, ridges in enumerate(losses):
        # |u - c| = 2 max(u - c, 0) - (u - c)
        ramps = [(np.eye(n)[j], -float(c[i, j]), 2 * float(p[i]), 0.0) for j in range(n)]
        for ridge in ridges:
            start, rise, bends = _bends(ridge.psi)
            slopes[i] += rise * ridge.a
            offsets[i] += start + rise * ridge.d
            ramps += [(ridge.a, ridge.d - at, slope, curve) for at, slope, curve in bends]
            low, high = ridge.growth()
            kappa[i] += low
            beta[i] += high
        rows.append(ramps)
    count = max(len(ramps) for ramps in rows)
    A, b, w, q = np.zeros((m, count, n)), np.zeros((m, count)), np.zeros((m, count)), np.zeros((m, count))
    for i, ramps in enumerate(rows):
        for k, (a, shift, slope, curve) in enumerate(ramps):
            A[i, k], b[i, k], w[i, k], q[i, k] = a, shift, slope, curve
    sums = Ridges(A, b, w, q, slopes, offsets, np.full(m, modulus), (kappa, beta))
    return ExactlySmoothed(eta, sums, sets, batch=1, name=name)


def steepest_sum(ridges: Sequence[Ridge]) -> float:
    """A Lipschitz constant of a sum of ridges: the longest ``sum_k v_k a_k`` with ``v_k`` a slope of ``psi_k``.

    Exact for independent ``a_k``, when every choice of slopes occurs.
    """
    ends = [sorted(_slope_range(ridge.psi)) for ridge in ridges]
    if not np.isfinite(ends).all():
        return float("inf")
    corners = np.array(np.meshgrid(*ends, indexing="ij")).reshape(len(ridges), -1).T
    return float(np.linalg.norm(corners @ np.stack([ridge.a for ridge in ridges]), axis=1).max())


def _slope_range(psi: Piecewise) -> tuple[float, float]:
    """Least and largest slope of a function of degree at most 2; infinite where it is curved far away."""
    slope = psi.derivative
    bent = slope.c[1] if slope.degree else np.zeros(slope.c.shape[1])
    if bent[[0, -1]].any():
        return -np.inf, np.inf
    ends = slope.c[0, 1:-1] + bent[1:-1] * np.diff(slope.breaks)
    values = np.concatenate([slope.c[0], ends])
    return float(values.min()), float(values.max())


def _bends(psi: Piecewise) -> tuple[float, float, list[tuple[float, float, float]]]:
    """``psi(t) = start + rise t + sum over bends of slope max(t - at, 0) + (curve/2) max(t - at, 0)^2``."""
    c = np.zeros((3, psi.c.shape[1]))
    c[: len(psi.c)] = psi.c
    if c[2, 0] != 0:
        raise ValueError("psi is curved far to the left; its bends would not add up")
    bends, anchors = [], psi.anchors
    for j, at in enumerate(psi.breaks):
        slope = c[1, j + 1] - (c[1, j] + 2 * c[2, j] * (at - anchors[j]))
        bends.append((float(at), float(slope), float(2 * (c[2, j + 1] - c[2, j]))))
    rise = float(c[1, 0])
    return float(c[0, 0]) - rise * float(anchors[0]), rise, [bend for bend in bends if bend[1] or bend[2]]
