"""Parts of a Cournot game that are exact because they are piecewise linear or cubic (fedrzo, Section 6.4)."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from rateproof.algos.noise import Ints
from rateproof.algos.problems.base import Array
from rateproof.algos.problems.federated import Smoothed
from rateproof.algos.sets import ConvexSet


class PriceTable:
    """The price at the equilibrium as a function of ``w = a - b x``: ``p + b S(p) = w``, ``S`` what followers sell.

    ``S(p) = sum_j clip(p / (c_j + b), 0, cap_j)``. Between ``knots[k-1]`` and ``knots[k]``, on piece ``k``,
    ``p = (w - lift[k]) / rate[k]``: on piece 0, ``w < 0`` and nobody sells; on piece ``k + 1`` the ``k`` followers that
    sell out first have sold out.

    Args:
        b: slope of the demand.
        c, cap: cost and capacity of every follower, ``(nt,)``.
    """

    def __init__(self, b: float, c: Array, cap: Array) -> None:
        weight = 1 / (c + b)
        full_at = cap / weight
        order = np.argsort(full_at, kind="stable")
        order = order[np.isfinite(full_at[order])]
        ends = np.concatenate([[0.0], full_at[order]])
        sold = np.concatenate([[0.0], np.cumsum(cap[order])])
        endless = np.isinf(full_at)
        open_ = _still(weight, order, endless)
        self.rate = np.concatenate([[1.0], 1 + b * open_])
        self.lift = np.concatenate([[0.0], b * sold])
        # Those that sell out together give one knot; rounding must not undo the order.
        self.knots = np.maximum.accumulate(np.concatenate([[0.0], ends[1:] * self.rate[1:-1] + self.lift[1:-1]]))
        # Integral of the price from 0 to every knot.
        self._area = np.concatenate([[0.0], np.cumsum(0.5 * (ends[1:] + ends[:-1]) * np.diff(self.knots))])
        wide = np.append(np.diff(self.knots) > 1e-12 * self.knots[1:], True)
        #: Lipschitz constant of ``w -> y``: the longest slope over the pieces.
        self.response = float((np.sqrt(_still(weight**2, order, endless)) / self.rate[1:])[wide].max())

    def price(self, w: Array) -> Array:
        """Price, of the shape of ``w``; negative where nobody sells and ``w < 0``."""
        k = np.searchsorted(self.knots, w, side="right")
        return np.asarray((w - self.lift[k]) / self.rate[k])

    def integral(self, w: Array) -> Array:
        """Integral of the price from 0 to ``w``, of the shape of ``w``."""
        k = np.searchsorted(self.knots, w, side="right")
        start = np.maximum(k - 1, 0)
        knot = self.knots[start]
        return np.asarray(self._area[start] + 0.5 * (self.price(knot) + self.price(w)) * (w - knot))

    def slope(self, w: Array, *, right: bool = True) -> Array:
        """One-sided derivative of the price, of the shape of ``w``."""
        return np.asarray(1 / self.rate[np.searchsorted(self.knots, w, side="right" if right else "left")])


class FreePath:
    """Iterates ``z_t + w u_t`` of the projection method while no capacity and no zero is met, as functions of ``w``.

    ``w = a - b x`` is all that a query is to the map ``G = M y - w 1``: ``z_t = (I - alpha M)^t y0`` and
    ``u_{t+1} = (I - alpha M) u_t + alpha 1``.
    """

    def __init__(self, b: float, c: Array, cap: Array, y0: Array, alpha: float) -> None:
        self._b, self._c, self._cap, self._alpha = b, c, cap, alpha
        self._steps = [(np.array(y0), np.zeros(len(c)), -math.inf, math.inf)]

    def at(self, t: int) -> tuple[Array, Array, float, float]:
        """``z_t``, ``u_t``, and the range of ``w`` in which no iterate up to ``t`` leaves ``[0, cap]``."""
        while len(self._steps) <= t:
            z, u, low, high = self._steps[-1]
            z, u = self._moved(z), self._moved(u) + self._alpha
            with np.errstate(divide="ignore", invalid="ignore"):
                ends = np.stack([-z / u, (self._cap - z) / u])
            # A coordinate with u = 0 does not depend on w: it is inside for all w, or for none.
            still = u == 0
            lows = np.where(still, np.where((z < 0) | (z > self._cap), math.inf, -math.inf), ends.min(axis=0))
            highs = np.where(still, math.inf, ends.max(axis=0))
            self._steps.append((z, u, max(low, float(lows.max())), min(high, float(highs.min()))))
        return self._steps[t]

    def _moved(self, y: Array) -> Array:
        """``(I - alpha M) y``."""
        return np.asarray(y - self._alpha * ((self._c + self._b) * y + self._b * y.sum()))


class SmoothedCubic(Smoothed):
    """A loss on the line that is a cubic between knots, with one loss and set for all clients, smoothed exactly.

    Args:
        loss: ``(..., 1) -> (...)``, growing without limit on both sides.
        knots: increasing, 0 among them.
        feasible: the set of every client.
        eta: radius.
    """

    def __init__(self, loss: Callable[[Array], Array], knots: Array, feasible: ConvexSet, eta: float) -> None:
        self._loss, self._knots, self._feasible, self.eta = loss, knots, feasible, eta
        # Integrals from 0 to every knot, both ways: far knots, where the loss is huge, take no digits from near ones.
        areas, zero = self._areas(knots[:-1], knots[1:]), int(np.searchsorted(knots, 0.0))
        self._area = np.concatenate([-np.cumsum(areas[:zero][::-1])[::-1], [0.0], np.cumsum(areas[zero:])])

    def f(self, x: Array) -> Array:
        """``f_eta``: ``(runs,)``."""
        q = x[..., 0]
        return np.asarray((self._integral(q + self.eta) - self._integral(q - self.eta)) / (2 * self.eta))

    def grad_f(self, x: Array) -> Array:
        """``(f(x + eta) - f(x - eta)) / (2 eta)``: ``(runs, 1)``."""
        rise = self._loss(x + self.eta) - self._loss(x - self.eta)
        return np.asarray(rise / (2 * self.eta))[..., None]

    def grad_f_i(self, i: int, x: Array) -> Array:
        """``grad f_eta``, for every client: ``(runs, 1)``."""
        return self.grad_f(x)

    def F(self, x: Array) -> Array:
        """``F_eta``: ``(runs,)``."""
        return self.f(x) + self._feasible.dist2(x) / (2 * self.eta)

    def grad_F(self, x: Array) -> Array:
        """``grad F_eta``: ``(runs, 1)``."""
        return self.grad_f(x) + (x - self._feasible.project(x)) / self.eta

    @cached_property
    def F_star(self) -> float:
        """The least ``F_eta``, over all pieces: its slope is a cubic on each."""
        knots = self._knots
        edges = np.unique(np.concatenate([knots - self.eta, knots + self.eta, knots]))
        reach = edges[-1] - edges[0] + 1
        while self.grad_F(np.array([[edges[0]]]))[0, 0] > 0:
            edges, reach = np.append(edges[0] - reach, edges), 2 * reach
        while self.grad_F(np.array([[edges[-1]]]))[0, 0] < 0:
            edges, reach = np.append(edges, edges[-1] + reach), 2 * reach
        shares = np.linspace(0.0, 1.0, 4)
        inner = edges[:-1, None] + shares * np.diff(edges)[:, None]
        at = self.grad_F(inner.reshape(-1, 1)).reshape(-1, 4)
        cubic = np.linalg.solve(np.vander(shares, 4), at.T).T
        # A polynomial whose Bernstein coefficients have one sign has no root in its piece.
        bernstein = cubic[:, ::-1] @ np.array([[1, 1, 1, 1], [0, 1 / 3, 2 / 3, 1], [0, 0, 1 / 3, 1], [0, 0, 0, 1]])
        found = [edges]
        for piece in np.flatnonzero((bernstein.min(axis=1) <= 0) & (bernstein.max(axis=1) >= 0)):
            roots = np.roots(np.trim_zeros(cubic[piece], "f"))
            real = roots.real[np.abs(roots.imag) < 1e-6]
            found.append(edges[piece] + np.clip(real, 0, 1) * (edges[piece + 1] - edges[piece]))
        return float(self.F(np.concatenate(found)[:, None]).min())

    def _integral(self, x: Array) -> Array:
        """Integral of ``f`` from 0 to ``x``, of any shape."""
        knots = self._knots
        start = np.maximum(np.searchsorted(knots, x, side="right") - 1, 0)
        return np.asarray(self._area[start] + self._areas(knots[start], x))

    def _areas(self, low: Array, high: Array) -> Array:
        """Integrals over pieces on which the loss is a cubic: two Gauss points are exact."""
        middle, half = 0.5 * (low + high), 0.5 * (high - low)
        offset = half / math.sqrt(3)
        return np.asarray(half * (self._loss((middle - offset)[..., None]) + self._loss((middle + offset)[..., None])))


def _still(amounts: Array, order: Ints, endless: NDArray[np.bool_]) -> Array:
    """Sums of ``amounts`` over those that have not sold out yet, from none to all in ``order``.

    Sums of the last ones, so that nothing is subtracted.
    """
    rest = math.fsum(amounts[endless])
    return rest + np.concatenate([np.cumsum(amounts[order][::-1])[::-1], [0.0]])


def quadratic_roots(a: Array, b: Array, c: Array) -> tuple[Array, Array]:
    """Both real roots of ``a t^2 + b t + c``, NaN where there is none; ``a`` may be 0."""
    with np.errstate(divide="ignore", invalid="ignore"):
        big = -0.5 * (b + np.copysign(np.sqrt(b * b - 4 * a * c), b))
        return np.asarray(big / a), np.asarray(c / big)
