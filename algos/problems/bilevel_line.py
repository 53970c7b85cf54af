"""Smooth bilevel problems of two numbers, whose lower levels need not be convex, with certified minimisers.

Client ``i`` has ``f_i(x, y) = slope_x_i r(x - a_i) + slope_y_i r(y - b_i)`` with ``r(u) = sqrt(1 + u^2)``, and
``g_i(x, y) = psi(y - k x - s_i) + e_i y + kappa x y`` with a profile ``psi``: log cosh, ``1 - cos``, or the double
well ``(u^2 - 1)^2 / 4``. Slopes along ``y`` are bracketed and halved, so that a minimiser is known to rounding.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import minimize_scalar

from rateproof.algos.arguments import check_counts, finite
from rateproof.algos.convex_sets import Box, interval
from rateproof.algos.noise import Ints, Noise
from rateproof.algos.problems.base import Array, Metric
from rateproof.algos.problems.box import as_array
from rateproof.algos.problems.profiles import COSINE, LOG_COSH, WELLS, Profile
from rateproof.algos.problems.smooth_bilevel import Constants, SmoothBilevel

Numbers: TypeAlias = float | Sequence[float]


class BilevelLine(SmoothBilevel):
    """See the head of this module.

    Args:
        psi: the profile of the lower level.
        slope_x, slope_y, a, b: of the upper losses, ``(m,)``; ``slope_x`` and ``slope_y`` at least 0.
        k: slope of what the lower level tracks.
        s, e: of the lower losses, ``(m,)``.
        kappa: weight of ``x y``.
        X, Y: intervals; ``Y`` bounded for double wells and where ``kappa`` is not 0.
        weights, noise, name, params: see :class:`SmoothBilevel`.

    Raises:
        ValueError: an argument is out of range.
    """

    X: Box
    Y: Box

    def __init__(
        self,
        psi: Profile,
        *,
        slope_x: Array,
        slope_y: Array,
        a: Array,
        b: Array,
        s: Array,
        k: float = 0.0,
        e: Array | None = None,
        kappa: float = 0.0,
        X: Box,
        Y: Box,
        weights: ArrayLike | None = None,
        noise: Noise | None = None,
        name: str,
        params: Mapping[str, object] | None = None,
    ) -> None:
        super().__init__(m=len(s), X=X, Y=Y, weights=weights, noise=noise, name=name, params=params)
        if not (slope_x >= 0).all() or not (slope_y >= 0).all():
            raise ValueError(
                f"slope_x is {slope_x.tolist()} and slope_y is {slope_y.tolist()}; they should be at least 0"
            )
        self.psi, self.slope_x, self.slope_y, self.a, self.b = psi, slope_x, slope_y, a, b
        self.s, self.k, self.e, self.kappa = s, float(k), np.zeros(self.m) if e is None else e, float(kappa)
        bounded = math.isfinite(Y.low[0]) and math.isfinite(Y.high[0])
        if not bounded and (psi is WELLS or self.kappa or self.e.any()):
            raise ValueError(
                "Y is unbounded; it should be a bounded interval, or slopes of the lower level grow with y"
            )

    def f_i(self, i: int, z: Array) -> Array:
        """``slope_x_i r(x - a_i) + slope_y_i r(y - b_i)``: ``(runs,)``."""
        return np.asarray(
            self.slope_x[i] * np.hypot(1, z[:, 0] - self.a[i]) + self.slope_y[i] * np.hypot(1, z[:, 1] - self.b[i])
        )

    def g_i(self, i: int, z: Array) -> Array:
        """``psi(y - k x - s_i) + e_i y + kappa x y``: ``(runs,)``."""
        x, y = z[:, 0], z[:, 1]
        return np.asarray(self.psi.value(y - self.k * x - self.s[i]) + self.e[i] * y + self.kappa * x * y)

    def gradient_f(self, i: int, z: Array, rows: Ints | None = None) -> Array:
        """``grad f_i``: ``(runs, 2)``."""
        u = z - np.array([self.a[i], self.b[i]])
        return np.asarray(np.array([self.slope_x[i], self.slope_y[i]]) * u / np.hypot(1, u))

    def gradient_g(self, i: int, z: Array, rows: Ints | None = None) -> Array:
        """``grad g_i``: ``(runs, 2)``."""
        x, y = z[:, 0], z[:, 1]
        slope = self.psi.slope(y - self.k * x - self.s[i])
        return np.stack([self.kappa * y - self.k * slope, slope + self.e[i] + self.kappa * x], axis=1)

    def product_g(self, i: int, z: Array, v: Array, rows: Ints | None = None) -> Array:
        """``(kappa - k psi'', psi'') v``: ``(runs, 2)``."""
        bend = self.psi.curvature(z[:, 1] - self.k * z[:, 0] - self.s[i])
        return np.stack([self.kappa - self.k * bend, bend], axis=1) * v

    def theta_star(self, z: Array, gamma: float) -> Array:
        """``theta*_gamma`` to rounding, by halving: ``(runs, 1)``.

        Raises:
            ValueError: ``gamma`` is out of range.
        """
        self.check_gamma(gamma)
        x, y = z[:, 0], z[:, 1]
        reach = 2 * gamma * self.psi.steepest
        low, high = (np.clip(end, self.Y.low[0], self.Y.high[0]) for end in (y - reach, y + reach))
        return _root(lambda theta: self._slope(x, theta) + (theta - y) / gamma, low, high)[:, None]

    def minimisers(self, x: float) -> Array:
        """All global minimisers of ``G(x, .)`` over ``Y``, increasing.

        Of a cosine on an unbounded ``Y`` only the first from 0 on, or from the end of ``Y`` on: the others lie whole
        periods beside it.

        Raises:
            ValueError: a cosine of clients that cancel, or one that is tilted.
        """
        at, (low, high) = np.array([float(x)]), (float(self.Y.low[0]), float(self.Y.high[0]))
        if self.psi is COSINE:
            bottom, period = self._phase() + self.k * float(x), COSINE.period
            first = bottom + period * math.ceil(((low if low > -math.inf else min(high, 0.0)) - bottom) / period)
            if low == -math.inf or high == math.inf:
                return np.array([first - period if first > high else first])
            found = first + period * np.arange(math.floor((high - first) / period) + 1)
            ends = self.Y.low if abs(low - first + period) <= abs(high - first) else self.Y.high
            return np.clip(found, low, high) if len(found) else ends.copy()
        if self.psi is LOG_COSH:
            reach = 1 + np.abs(self.s).max() + abs(self.k * float(x)) if not (self.e.any() or self.kappa) else math.inf
            return _root(lambda y: self._slope(at, y), *np.clip([[-reach], [reach]], low, high))
        # Of a double well the slope is a cubic of y: its critical points cut Y where the slope is monotone.
        w, s = self.weights, self.s + self.k * float(x)
        bend = np.array([3.0, -6 * (w @ s), 3 * (w @ s**2) - 1])
        turns = np.sort(np.roots(bend).real[np.abs(np.roots(bend).imag) < 1e-12])
        cuts = np.clip(np.concatenate([self.Y.low, turns, self.Y.high]), self.Y.low, self.Y.high)
        found = _root(lambda y: self._slope(at, y), cuts[:-1], cuts[1:])
        found = np.concatenate([found, self.Y.low, self.Y.high])
        values = self.G(np.stack([np.full_like(found, x), found], axis=1))
        best = values <= values.min() + 1e-14 * (1 + np.abs(values).max())
        return np.unique(np.round(found[best], 13))

    def distance_lower(self, z: Array) -> Array:
        """Distance of ``y`` to the global minimisers of ``G(x, .)``: ``(runs,)``."""
        away = np.empty(len(z))
        for r, (x, y) in enumerate(z):
            apart = np.abs(y - self.minimisers(x))
            if self.psi is COSINE and self.Y.whole:
                apart = np.abs((apart + math.pi) % (2 * math.pi) - math.pi)
            away[r] = apart.min()
        return away

    @cached_property
    def solution(self) -> Array:
        """``(x*, y*)``, the best of all ``(x, y)`` with ``y`` a global minimiser of ``G(x, .)``: ``(2,)``.

        On the line ``y = k x + c`` of minimisers ``F`` is convex in ``x``, and so it is in ``c``, so that of the many
        lines of a cosine only the two next to the best real ``c`` matter.

        Raises:
            ValueError: there are constraints on tracking, or the minimisers move with ``x`` in another way.
        """
        if self.psi is WELLS:
            if self.k or self.kappa:
                raise ValueError("the minimisers of the wells move with x; k and kappa should be 0")
            x = self._free(0)
            ends = np.stack([np.full_like(y := self.minimisers(0.0), x), y], axis=1)
            return np.asarray(ends[np.argmin(self.F(ends))])
        if not (self.X.whole and self.Y.whole) or self.e.any() or self.kappa:
            raise ValueError("the solution is known without constraints only, for kappa = 0 and e = 0")
        c = float(self.minimisers(0.0)[0])
        lines = [c]
        if self.psi is COSINE:
            turns = math.floor((self._free(1) - self.k * self._free(0) - c) / (2 * math.pi))
            lines = [c + 2 * math.pi * j for j in (turns, turns + 1)]

        def along(c: float) -> Array:
            def slope(x: Array) -> Array:
                g = self.grad_F(np.stack([x, self.k * x + c], axis=1))
                return g[:, 0] + self.k * g[:, 1]

            turning = np.concatenate([self.a, (self.b - c) / self.k if self.k else []])
            x = float(_root(slope, turning.min(keepdims=True), turning.max(keepdims=True))[0])
            return np.array([x, self.k * x + c])

        return min(map(along, lines), key=lambda z: float(self.F(z[None])[0]))

    def hypergradient(self, x: Array) -> Array:
        """Slope of ``F(x, y(x))`` of a log-cosh lower level without constraints: ``(runs, 1)``.

        Raises:
            ValueError: another lower level.
        """
        if self.psi is not LOG_COSH or not self.Y.whole:
            raise ValueError("the lower solution is unique and smooth in x for log-cosh without constraints only")
        y = np.array([self.minimisers(t)[0] for t in x[:, 0]])
        g = self.grad_F(np.stack([x[:, 0], y], axis=1))
        return g[:, :1] + self.k * g[:, 1:]

    @property
    def metrics(self) -> Mapping[str, Metric]:
        """Losses, the distance of ``y`` to the minimisers of the lower level, and what is known of the solution."""
        known = {**super().metrics, "dist(y, S)": lambda problem, z: problem.distance_lower(z)}
        if self.psi is LOG_COSH and self.Y.whole:
            known["|grad Phi|"] = lambda problem, z: np.abs(problem.hypergradient(z[:, :1]))[:, 0]
        try:
            best = float(self.F(self.solution[None])[0])
        except ValueError:
            return known
        return known | {"F - F*": lambda problem, z: problem.F(z) - best}

    @cached_property
    def constants(self) -> Constants:
        """Exact; upper bounds are those of ``g_i`` on half-lines, and ``L_g`` where ``k`` and ``kappa`` are not 0."""
        w, (low, high) = self.weights, self._range()
        each = [self.psi.over(low - s, high - s) for s in self.s]
        steepest, ends = max(e[0] for e in each), (min(e[1] for e in each), max(e[2] for e in each))
        norms = [
            np.linalg.norm(bend * np.array([[self.k**2, -self.k], [-self.k, 1]]) + self.kappa * np.eye(2)[::-1], 2)
            for bend in ends
        ]
        crossed = abs(self.kappa) * max(abs(self.Y.low[0]), abs(self.Y.high[0])) if self.kappa else 0.0
        least = self._mean_cosine(low, high) if self.psi is COSINE else ends[0]
        centres, slopes = np.stack([self.a, self.b]), np.stack([self.slope_x, self.slope_y])
        far, near = self._apart(centres)
        with np.errstate(invalid="ignore"):
            rises = np.where(np.isinf(far), 1.0, far / np.hypot(1, far))
        return Constants(
            L_f=float(np.linalg.norm(slopes * rises, axis=0).max()),
            L_1=float((slopes / np.hypot(1, near) ** 3).max()),
            L_g=(abs(self.k) * steepest if self.k else 0.0) + crossed,
            L_2=float(max(norms)),
            rho_wc=max(0.0, -least),
            mu=max(0.0, ends[0]),
            Het=math.sqrt(self._heterogeneity() if not self.e.any() else w @ (self.e - w @ self.e) ** 2),
            sigma_f=math.sqrt(self.noise.sigma_f2),
            sigma_g=math.sqrt(self.noise.sigma_h2),
            F_inf=float(self.F(np.array([[self._free(0), self._free(1)]]))[0]),
        )

    def _heterogeneity(self) -> float:
        """``sup sum_i w_i (psi'(u - s_i) - mean)^2``, for ``e = 0``; to rounding for log cosh of three clients."""
        w, s, (low, high) = self.weights, self.s, self._range()
        if not np.ptp(s):
            return 0.0
        if self.psi is COSINE:
            # The deviation of sin(u - s_i) is the imaginary part of d_i e^(iu).
            d = np.exp(-1j * s) - w @ np.exp(-1j * s)
            twice = float(np.angle(-(w @ d**2)))
            return float(w @ np.abs(d) ** 2 + abs(w @ d**2) * COSINE.over(2 * low + twice, 2 * high + twice)[2]) / 2
        if self.psi is WELLS:
            return math.nan

        def minus(u: float) -> float:
            slopes = np.tanh(u - s)
            return -float(w @ (slopes - w @ slopes) ** 2)

        if len(s) == 2:
            return -minus(float(np.clip(s.mean(), low, high)))
        # Beyond all shifts any two slopes come closer.
        first, last = np.clip([s.min(), s.max()], low, high)
        grid = np.linspace(first, last, 2001)
        best = grid[np.argmin([minus(u) for u in grid])]
        near = np.clip([best - (last - first) / 2000, best + (last - first) / 2000], first, last)
        found = minimize_scalar(minus, bounds=near, method="bounded", options={"xatol": 1e-12})
        return max(-float(found.fun), *(-minus(float(u)) for u in near))

    def _mean_cosine(self, low: float, high: float) -> float:
        """The least ``sum_i w_i cos(t - s_i)`` over an interval, a cosine itself."""
        mean = self.weights @ np.exp(1j * self.s)
        return float(abs(mean)) * COSINE.over(low - float(np.angle(mean)), high - float(np.angle(mean)))[1]

    def _phase(self) -> float:
        mean = self.weights @ np.exp(1j * self.s)
        if self.e.any() or self.kappa or abs(mean) < 1e-12:
            raise ValueError(
                "the minimisers of a cosine are known for kappa = 0 and e = 0 only, and no clients that cancel"
            )
        return float(np.angle(mean))

    def _apart(self, centres: Array) -> tuple[Array, Array]:
        """Largest and least distances from the centres in ``x`` and in ``y``, ``(2, m)``, over ``X`` and ``Y``."""
        low, high = (
            np.array([[box[0]] for box in ends]) for ends in zip(self.X.arrays(), self.Y.arrays(), strict=True)
        )
        return np.maximum(centres - low, high - centres), np.abs(np.clip(centres, low, high) - centres)

    def _range(self) -> tuple[float, float]:
        """The ends of ``y - k x`` over ``X x Y``."""
        x = self.k * np.concatenate([self.X.low, self.X.high]) if self.k else np.zeros(1)
        return float(self.Y.low[0] - x.max()), float(self.Y.high[0] - x.min())

    def _slope(self, x: Array, y: Array) -> Array:
        """Slope of ``G(x, .)``: ``(...)``."""
        each = (
            w * (self.psi.slope(y - self.k * x - s) + e) for w, s, e in zip(self.weights, self.s, self.e, strict=True)
        )
        return np.asarray(sum(each) + self.kappa * x)

    def _free(self, axis: int) -> float:
        """The least minimiser of ``F`` in ``x`` over ``X`` (axis 0), or in ``y`` over ``Y`` (axis 1)."""
        box, centres = (self.X, self.Y)[axis], (self.a, self.b)[axis]
        unit = np.eye(2)[axis]
        ends = np.clip([centres.min(), centres.max()], box.low[0], box.high[0])
        return float(_root(lambda t: self.grad_F(t[:, None] * unit)[:, axis], ends[:1], ends[1:])[0])


def _root(slope: Callable[[Array], Array], low: Array, high: Array) -> Array:
    """Where an increasing slope changes sign between ``low`` and ``high``, else the end towards which it falls."""
    low, high = np.array(low, dtype=np.float64), np.array(high, dtype=np.float64)
    at_low, at_high, ends = slope(low) >= 0, slope(high) <= 0, (low.copy(), high.copy())
    for _ in range(200):
        middle = (low + high) / 2
        up = slope(middle) > 0
        high, low = np.where(up, middle, high), np.where(up, low, middle)
    return np.asarray(np.where(at_low, ends[0], np.where(at_high, ends[1], (low + high) / 2)))


def _line(name: str, psi: Profile, given: Mapping[str, Any]) -> BilevelLine:
    """What the families share: numbers a client from one number or ``m`` of them, intervals from their ends."""
    params = {key: value for key, value in given.items() if key != "noise"}
    m, rest = given["m"], {key: value for key, value in given.items() if key != "m"}
    check_counts(m=m)
    for axis in "XY":
        rest[axis] = interval(rest.pop(f"{axis}_low"), rest.pop(f"{axis}_high"))
    for key in {"slope_x", "slope_y", "a", "b", "s", "e"} & set(rest):
        rest[key] = as_array(key, finite(key, rest[key]), (m,))
    return BilevelLine(psi, **{"s": np.zeros(m), **rest}, name=name, params=params)


def log_cosh_tracking(
    *,
    m: int = 2,
    k: float = 1.0,
    s: Numbers = (0.5, -0.5),
    a: Numbers = (0.0, 1.0),
    b: Numbers = (2.0, -1.0),
    slope_x: Numbers = 1.0,
    slope_y: Numbers = 1.0,
    X_low: float = -math.inf,
    X_high: float = math.inf,
    Y_low: float = -math.inf,
    Y_high: float = math.inf,
    weights: tuple[float, ...] | None = None,
    noise: Noise | None = None,
) -> BilevelLine:
    """Family F1: ``g_i = log cosh(y - k x - s_i)``, convex but not strongly, under hyperbolas.

    Args:
        m: clients.
        k: slope of the lower solution.
        s: shifts of the clients, one number or ``m``.
        a, b, slope_x, slope_y: of ``f_i = slope_x_i sqrt(1 + (x - a_i)^2) + slope_y_i sqrt(1 + (y - b_i)^2)``.
        X_low, X_high, Y_low, Y_high: ends of the intervals ``X`` and ``Y``; infinite when left out.
        weights: of the clients; equal when left out.
        noise: of the gradients, in ``(x, y)``.

    Raises:
        ValueError: an argument is out of range.
    """
    given = locals()
    return _line("log_cosh_tracking", LOG_COSH, given)


def cosine_tracking(
    *,
    m: int = 2,
    k: float = 1.0,
    s: Numbers = (0.5, -0.5),
    a: Numbers = (0.0, 1.0),
    b: Numbers = (2.0, -1.0),
    slope_x: Numbers = 1.0,
    slope_y: Numbers = 1.0,
    X_low: float = -math.inf,
    X_high: float = math.inf,
    Y_low: float = -math.inf,
    Y_high: float = math.inf,
    weights: tuple[float, ...] | None = None,
    noise: Noise | None = None,
) -> BilevelLine:
    """Family F2: ``g_i = 1 - cos(y - k x - s_i)``, whose minimisers lie a period apart.

    Arguments as in :func:`log_cosh_tracking`.

    Raises:
        ValueError: an argument is out of range.
    """
    given = locals()
    return _line("cosine_tracking", COSINE, given)


def double_well(
    *,
    m: int = 2,
    e: Numbers = 0.2,
    kappa: float = 0.0,
    a: Numbers = 0.0,
    b: Numbers = 1.0,
    slope_x: Numbers = 1.0,
    slope_y: Numbers = 1.0,
    X_low: float = -2.0,
    X_high: float = 2.0,
    Y_low: float = -2.0,
    Y_high: float = 2.0,
    weights: tuple[float, ...] | None = None,
    noise: Noise | None = None,
) -> BilevelLine:
    """Family F4: ``g_i = (y^2 - 1)^2 / 4 + e_i y + kappa x y`` on intervals: two wells, of which the deeper counts.

    Args:
        m: clients.
        e: tilts of the clients, one number or ``m``.
        kappa: how ``x`` tilts the wells.
        a, b, slope_x, slope_y: of ``f_i = slope_x_i sqrt(1 + (x - a_i)^2) + slope_y_i sqrt(1 + (y - b_i)^2)``.
        X_low, X_high, Y_low, Y_high: ends of the intervals; those of ``Y`` finite.
        weights: of the clients; equal when left out.
        noise: of the gradients, in ``(x, y)``.

    Raises:
        ValueError: an argument is out of range.
    """
    given = locals()
    return _line("double_well", WELLS, given)
