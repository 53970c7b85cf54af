"""Bilevel problems of two numbers with a parabola below and a bounded slope above (fedmsa, I3).

``g_i = h_i (y - T x)^2/2`` under ``f_i = kappa_i phi(y - t_i)`` with ``phi = sqrt(1 + u^2)`` or ``1 - cos u``: the
lower solution is ``T x``, and ``F(x, T x)`` is convex with the first and not with the second.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Literal, TypeAlias

import numpy as np
from scipy.optimize import minimize_scalar

from rateproof.algos.arguments import check_counts, finite, nonnegative
from rateproof.algos.convex_sets import interval
from rateproof.algos.noise import Ints, Noise, TwoPoint
from rateproof.algos.problems import sequences
from rateproof.algos.problems.base import Array, Metric
from rateproof.algos.problems.bilevel_sequences import BilevelSequences, Maps
from rateproof.algos.problems.box import as_array
from rateproof.algos.problems.profiles import COSINE, ROOT
from rateproof.algos.problems.smooth_bilevel import Constants, SmoothBilevel

Numbers: TypeAlias = float | Sequence[float]
Shape = Literal["root", "cosine"]
#: Points of a grid on which a sum of bends is looked at before its peak is refined.
GRID = 4001


class BilevelTracking(SmoothBilevel):
    """See the head of this module.

    Args:
        h, kappa, t: of the clients, ``(m,)``; ``h`` positive and ``kappa`` at least 0.
        T: slope of the lower solution.
        shape: of the upper losses.
        noise, name, params: see :class:`SmoothBilevel`.

    Raises:
        ValueError: ``h`` or ``kappa`` is out of range.
    """

    def __init__(
        self,
        *,
        h: Array,
        kappa: Array,
        t: Array,
        T: float,
        shape: Shape,
        noise: Noise | None = None,
        name: str = "scalar_tracking",
        params: Mapping[str, object] | None = None,
    ) -> None:
        super().__init__(m=len(h), X=interval(), Y=interval(), noise=noise, name=name, params=params)
        if not (h > 0).all() or not (kappa >= 0).all():
            raise ValueError(f"h is {h.tolist()} and kappa is {kappa.tolist()}; they should be positive and at least 0")
        self.h, self.kappa, self.t, self.T = h, kappa, t, float(T)
        self.phi = ROOT if shape == "root" else COSINE

    def f_i(self, i: int, z: Array) -> Array:
        """``kappa_i phi(y - t_i)``: ``(runs,)``."""
        return np.asarray(self.kappa[i] * self.phi.value(z[:, 1] - self.t[i]))

    def g_i(self, i: int, z: Array) -> Array:
        """``h_i (y - T x)^2/2``: ``(runs,)``."""
        return np.asarray(self.h[i] * (z[:, 1] - self.T * z[:, 0]) ** 2 / 2)

    def gradient_f(self, i: int, z: Array, rows: Ints | None = None) -> Array:
        """``grad f_i``: ``(runs, 2)``."""
        slope = self.kappa[i] * self.phi.slope(z[:, 1] - self.t[i])
        return np.stack([np.zeros(len(z)), slope], axis=1)

    def gradient_g(self, i: int, z: Array, rows: Ints | None = None) -> Array:
        """``grad g_i``: ``(runs, 2)``."""
        slope = self.h[i] * (z[:, 1] - self.T * z[:, 0])
        return np.stack([-self.T * slope, slope], axis=1)

    def product_g(self, i: int, z: Array, v: Array, rows: Ints | None = None) -> Array:
        """``h_i (-T, 1) v``: ``(runs, 2)``."""
        return np.asarray(self.h[i] * np.array([-self.T, 1.0]) * v)

    def lower_solution(self, x: Array) -> Array:
        """``T x``: ``(runs, 1)``."""
        return self.T * x

    def hypergradient(self, x: Array) -> Array:
        """Slope of ``F(x, T x)``: ``(runs, 1)``."""
        each = self.weights * self.kappa * self.phi.slope(self.T * x - self.t)
        return np.asarray(self.T * each.sum(axis=1, keepdims=True))

    @property
    def metrics(self) -> Mapping[str, Metric]:
        """Losses, the slope of ``F(x, T x)``, and how far ``y`` is off."""
        return {
            **super().metrics,
            "|grad Phi|": lambda problem, z: np.abs(problem.hypergradient(z[:, :1]))[:, 0],
            "|y - y(x)|": lambda problem, z: np.abs(z[:, 1] - problem.T * z[:, 0]),
        }

    @cached_property
    def F_inf(self) -> float:
        """The least value of ``F``."""
        if self.phi is COSINE:
            mean = self.kappa @ np.exp(1j * self.t) / self.m
            return float(self.kappa.mean() - abs(mean))

        def F(y: float) -> float:
            return float(self.F(np.array([[0.0, y]]))[0])

        # Convex, with its minimisers between the least and the largest of the centres.
        ends = [F(float(t)) for t in (self.t.min(), self.t.max())]
        return min(_least(F, float(self.t.min()), float(self.t.max())), *ends)

    @cached_property
    def constants(self) -> Constants:
        """Exact: slopes of ``g_i`` have no bound, nor have differences of them unless all ``h_i`` agree."""
        steep = float(self.kappa.max())
        return Constants(
            L_f=steep,
            L_1=steep,
            L_g=math.inf if self.T else 0.0,
            L_2=float(self.h.max()) * (1 + self.T**2),
            rho_wc=0.0,
            mu=float(self.h.min()),
            Het=math.inf if np.ptp(self.h) else 0.0,
            sigma_f=math.sqrt(self.noise.sigma_f2),
            sigma_g=math.sqrt(self.noise.sigma_h2),
            F_inf=self.F_inf,
        )


class TrackingSequences(BilevelSequences):
    """The maps of (2) or (10) for :class:`BilevelTracking`, with their constants for (2)."""

    problem: BilevelTracking

    @cached_property
    def constants(self) -> sequences.Constants:
        """Exact for (2), where suprema over the line are refined on a grid; NaN for (10)."""
        if self.system == "eq10":
            return super().constants
        p, m = self.problem, self.m
        h, kappa, T, mean = p.h, p.kappa, abs(p.T), float(p.h.mean())
        bend, third = self._steepest(kappa / m)
        common = not np.ptp(kappa / h) and (not kappa.any() or not np.ptp(p.t))

        def norm(matrix: list[list[float]]) -> float:
            return float(np.linalg.norm(np.array(matrix), ord=2))

        def apart(i: int, times: int) -> float:
            """How far the Jacobian of client ``i`` is from that many times the mean."""
            off = float(h[i] - times * mean)
            bent = self._steepest(np.where(np.arange(m) == i, kappa, 0.0) - times * kappa / m)[0]
            return norm([[-off * T, off, 0.0], [0.0, bent, off]])

        sides = [norm([[a, 0.0], [k, a]]) for a, k in zip(h, kappa, strict=True)]
        return sequences.constants(
            lam_each=(float((h - kappa / 2).min()) if common else -math.inf,),
            lam_mean_each=(mean - bend / 2,),
            L_s_each=(max(sides),),
            L_u_each=(float(h.max()) * T,),
            L_joint_each=(max(norm([[-a * T, a, 0.0], [0.0, k, a]]) for a, k in zip(h, kappa, strict=True)),),
            L_z_each=(T * math.hypot(1, bend / mean),),
            dL_z_each=(T**2 * third / mean,),
            L_p=float(h.max()) / mean * T**2 * bend,
            L_x=0.0,
            L_Z=float(h.max()) * T,
            L_P=float(h.max()) * T,
            Lb_p=float(h.max()) / mean * T**2 * bend,
            Lb_s_each=(max(sides),),
            **self.sigmas(),
            tau_0=float(np.abs(h - mean).max()) * T,
            tau_each=(max(apart(i, 1) for i in range(m)),),
            tau_0_sum=float(np.abs(h - m * mean).max()) * T,
            tau_sum_each=(max(apart(i, m) for i in range(m)),),
            L_hyp=T**2 * bend,
            f_inf=p.F_inf if p.T else float(p.F(np.zeros((1, 2)))[0]),
        )

    def _steepest(self, c: Array) -> tuple[float, float]:
        """``sup |sum_i c_i phi''(u - t_i)|`` over the line, and the same of ``phi'''``."""
        t = self.problem.t
        if self.problem.phi is COSINE:
            size = float(abs(c @ np.exp(1j * t)))
            return size, size
        curvatures: list[Callable[[Array], Array]] = [ROOT.curvature, lambda u: -3 * u * np.hypot(1, u) ** -5.0]
        out = []
        for bent in curvatures:

            def minus(u: float, bent: Callable[[Array], Array] = bent) -> float:
                return -abs(float(c @ bent(u - t)))

            # Beyond the centres all bends fall: phi'' from 0 on, |phi'''| from 1/2 on.
            grid = np.linspace(t.min() - 1, t.max() + 1, GRID)
            best = float(grid[np.argmin([minus(u) for u in grid])])
            step = float(grid[1] - grid[0])
            out.append(-min(_least(minus, best - step, best + step), minus(best)))
        return out[0], out[1]


def _least(function: Callable[[float], float], low: float, high: float) -> float:
    """The least value between two points, of a function with one valley there."""
    if low == high:
        return function(low)
    return float(minimize_scalar(function, bounds=(low, high), method="bounded", options={"xatol": 1e-13}).fun)


def scalar_tracking(
    *,
    m: int = 2,
    h: Numbers = (1.0, 2.0),
    kappa: Numbers = 1.0,
    t: Numbers = (2.0, -1.0),
    T: float = 1.0,
    shape: Shape = "root",
    noise: Noise | None = None,
) -> BilevelTracking:
    """``g_i = h_i (y - T x)^2/2`` under ``f_i = kappa_i sqrt(1 + (y - t_i)^2)`` or ``kappa_i (1 - cos(y - t_i))`` (I3).

    Args:
        m: clients.
        h, kappa, t: one number, or one a client.
        T: slope of the lower solution.
        shape: "root" or "cosine".
        noise: of the gradients, in ``(x, y)``.

    Raises:
        ValueError: an argument is out of range.
    """
    given = {key: value for key, value in locals().items() if key != "noise"}
    return _tracking(given, noise)


def scalar_tracking_sequences(
    *,
    m: int = 2,
    h: Numbers = (1.0, 2.0),
    kappa: Numbers = 1.0,
    t: Numbers = (2.0, -1.0),
    T: float = 1.0,
    shape: Shape = "root",
    maps: Maps = "eq2",
    sigma_f: float = 0.0,
    sigma_h: float = 0.0,
) -> TrackingSequences:
    """:func:`scalar_tracking` as two sequences, ``z = (w, v)``.

    Args:
        m, h, kappa, t, T, shape: as there.
        maps: "eq2", or "eq10" with the upper gradient in ``x`` where (2) has that in ``w``, as printed.
        sigma_f, sigma_h: standard deviation of the two-point noise of the gradients of each level, in ``(x, y)``.

    Raises:
        ValueError: an argument is out of range.
    """
    given = dict(locals())
    nonnegative(sigma_f=sigma_f, sigma_h=sigma_h)
    diagonal = np.full(2, 0.5**0.5)
    noise = TwoPoint(sigma_f * diagonal, sigma_h * diagonal) if sigma_f or sigma_h else None
    return TrackingSequences(_tracking(given, noise), maps)


def _tracking(given: Mapping[str, object], noise: Noise | None) -> BilevelTracking:
    m, T, shape = given["m"], given["T"], given["shape"]
    check_counts(m=m)  # type: ignore[arg-type]
    if shape not in ("root", "cosine"):
        raise ValueError(f"shape is {shape!r}; it should be 'root' or 'cosine'")
    numbers = {key: as_array(key, finite(key, given[key]), (m,)) for key in ("h", "kappa", "t")}  # type: ignore[arg-type]
    slope = float(finite("T", T))  # type: ignore[arg-type]
    return BilevelTracking(**numbers, T=slope, shape=shape, noise=noise, params=given)  # type: ignore[arg-type]
