"""Algorithm 2 with one source of error in its inner calls, in closed form: noise, sampled clients, drift, or the start.

The outer loss is ``f(y) = -w cos(y_1) + (w/2)(y_2 - s)^2`` and the inner losses, along the second axis alone, are
``h_i(x) = (L_i/2)(x_2 - d_i)^2`` with ``X_h* = {x_2 = 0}``. The first coordinates stay at 0, and the second ones are a
linear recursion, whose first and second moments are exact. Where ``w lam`` is large, the gradient of ``F_lambda`` sees
the errors of the calls while the points hardly move: what a bound says of distances is then next to nothing.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from rateproof.algos.problems import sources
from rateproof.algos.problems.base import Fact
from rateproof.algos.problems.sources import Source
from rateproof.theory.papers.strfedavg.corrected_nonconvex import CALLS_LATER, CALLS_LATER_II
from rateproof.verify.papers.strfedavg.instances import M_FLOOR, M_SLACK
from rateproof.verify.trial import Trial

FACTS = {
    "outer_smooth": "f'' has the eigenvalues w cos(y_1) and w",
    "f_nonconvex": "w cos(y_1) takes both signs",
    "F_bounded_below": "F_lambda >= f >= -w",
    "h_convex": "L_i >= 0",
    "h_smooth": "h_i'' has the eigenvalues 0 and L_i <= L_h",
    "X_h_nonempty": "the mean of h_i' is 0 where x_2 = 0",
    "weak_sharp": "h - h* = (mean L_i/2) dist^2",
    "weak_sharp_up_to": "q/2 x^2 >= alpha |x| - alpha^2/(2 q), with q the mean of L_i",
    "unbiased": "noise is +sigma or -sigma with equal chance",
    "variance_bounded": "sigma_h = sigma, sigma_f = 0",
    "independent_noise": "all signs are independent",
    "inner_attain_minimum": "d_i minimises h_i",
}


def _shown(numbers: tuple[object, ...]) -> str:
    return f"({', '.join(map(str, numbers))})"


@dataclass(frozen=True)
class Calls:
    """One instance; what is not said here is as in :class:`rateproof.verify.papers.strfedavg.line.Line`.

    Attributes:
        inner: clients of the inner loss.
        w, s: curvature of the outer loss along the second axis, and its minimiser there.
        eta: constant regularisation (schedule S-ip-1); None for S-ip.
    """

    inner: Source
    w: float
    s: float = 0.0
    lam: float = 1.0
    eta: float | None = None
    p: float = 2.0
    first: int = 120_000
    gamma_g: float = 1.0
    T: int = 2

    def __str__(self) -> str:
        clients = f"L_i = {_shown(self.inner.curvature)}, d_i = {_shown(self.inner.minimiser)} up to a shift"
        how = f"noise {self.inner.noise}, K = {self.inner.K}, S = {self.inner.S}, gamma_g = {self.gamma_g:g}"
        eta = "" if self.eta is None else f", eta = {self.eta:g}, p = {self.p:g}"
        outer = f"w = {self.w:g}, s = {self.s:g}, lambda = {self.lam:g}, R_t = {self.first} + t{eta}, T = {self.T}"
        return f"f(y) = -w cos(y_1) + w (y_2 - s)^2/2, h_i(x) = L_i (x_2 - d_i)^2/2, {clients}, {how}, {outer}"

    @property
    def gamma(self) -> float:
        """Outer stepsize, the largest one."""
        return 3 * self.lam / (4 * (self.w * self.lam + 2))

    @property
    def rest(self) -> float:
        """The start of the outer loop: the minimiser of ``F_lambda``."""
        return self.w * self.s / (self.w + 1 / self.lam)


@dataclass(frozen=True)
class Result:
    """The result of a call from 0: ``pull y + bias`` on average, with variance and largest size of its noise.

    ``distance`` is that of the start from the regularised solution, per ``|y|``.
    """

    pull: float
    bias: float
    variance: float
    largest: float
    distance: float


def result(calls: Calls, R: int) -> Result:
    """One inner call of R rounds.

    Raises:
        ValueError: the move of a round depends on which clients take part in more than a constant.
    """
    inner, K = calls.inner, calls.inner.K
    L, d = (np.array([float(x) for x in values]) for values in (inner.curvature, inner.minimiser))
    d = d - (L @ d) / L.sum()
    log = calls.p * math.log(R)
    gamma_t, eta = (log / R, calls.eta) if calls.eta is not None else (R ** (-7 / 12), log / R ** (5 / 12))
    gamma_l = gamma_t / (calls.gamma_g * K)
    if L.size > inner.S and np.ptp(L) > 0:
        raise ValueError("sampled clients need equal curvatures: the noise of a round is not additive otherwise")
    local = 1 - gamma_l * (L + eta)
    moved = calls.gamma_g * (1 - local**K)  # towards the minimiser of the client's own loss
    q, toward = 1 - moved.mean(), moved / (L + eta)
    slope, offset = (toward * eta).mean() / (1 - q), (toward * L * d).mean() / (1 - q)
    # what a round adds: noise of local steps, and who was sampled
    powers = np.array([local**k for k in range(K)])
    noise, step = float(inner.noise), calls.gamma_g * gamma_l
    sampled = toward * L * d - (toward * L * d).mean() if L.size > inner.S else np.zeros(L.size)
    variance = (step * noise) ** 2 * (powers**2).sum(axis=0).mean() / inner.S + (sampled**2).mean() / inner.S
    largest = step * noise * powers.sum(axis=0).mean() + np.abs(sampled).max()
    # the average over r = 1, ..., R, with weights theta^r, of the points before round r; share: of what a round adds
    u = eta * gamma_t / 2
    left = np.arange(R, -1, -1)
    weights = u * (1 - u) ** (left[1:]) / -math.expm1(R * math.log1p(-u))
    ratio = q * (1 - u) ** -1.0
    share = weights[1:] * ((1 - ratio ** left[1:-1]) / (1 - ratio) if ratio != 1 else left[1:-1])
    stayed = float(weights @ q ** np.arange(R))
    return Result(
        pull=float((1 - stayed) * slope),
        bias=float((1 - stayed) * offset),
        variance=float(variance * (share**2).sum()),
        largest=float(largest * share.sum()),
        distance=float(eta / (L.mean() + eta)),
    )


def corners(*, constant: bool) -> Iterator[Calls]:
    """Pure noise, sampling and drift; at last calls without any error but the pull of the outer loss."""
    base = Calls(sources.pure("noise"), w=1e9, gamma_g=1e7)
    base = replace(base, eta=0.2, p=10.0, first=8000) if constant else base
    for T in (2, 10):
        yield replace(base, T=T)
        yield replace(base, T=T, inner=sources.pure("sampling"))
        yield replace(base, T=T, inner=sources.pure("drift"), gamma_g=1.0)
    yield replace(base, inner=sources.pure("noise", size=0), w=1.0, s=1.0, T=500 if constant else 20)


def trial(calls: Calls) -> Trial:
    """Everything that Theorem 3 (i-1) and (ii-1) speak of; what random points are far from is bounded for all draws."""
    w, lam, gamma, inner = calls.w, calls.lam, calls.gamma, calls.inner
    L, d = (np.array([float(x) for x in values]) for values in (inner.curvature, inner.minimiser))
    d, alike = d - (L @ d) / L.sum(), L.mean()
    mean, variance, wide = calls.rest, 0.0, 0.0
    squares, sizes = [], []
    for R in range(calls.first, calls.first + calls.T):
        slope = w * (mean - calls.s) + mean / lam
        squares.append(slope**2 + (w + 1 / lam) ** 2 * variance)
        sizes.append(abs(mean) + wide)
        done = result(calls, R)
        keep = 1 - gamma * (w + (1 - done.pull) / lam)
        mean += gamma * (w * (calls.s - mean) - ((1 - done.pull) * mean - done.bias) / lam)
        variance = keep**2 * variance + (gamma / lam) ** 2 * done.variance
        wide = abs(keep) * wide + gamma / lam * done.largest
    far, first = max(sizes), result(calls, calls.first)
    alpha, kappa, offset = alike / 2, 2.0, 0.0
    if calls.eta is not None:
        alpha, kappa = 2 * calls.eta * far + 1e-300, 1.0
        offset = alpha**2 / (2 * alike)
    values = {
        **{"T": calls.T, "lam": lam, "gamma": gamma, "L_f": w, "L_h": L.max(), "R_first": calls.first, "p": calls.p},
        **{"K": inner.K, "N": L.size, "S": inner.S, "gamma_g": calls.gamma_g},
        **{"sigma_g2": 0.0, "sigma_h2": float(inner.noise) ** 2, "mean_inf_h": 0.0, "h_star": (L @ d**2) / 2 / L.size},
        **{"alpha": alpha, "kappa": kappa, "delta_h": offset},
        **{"E_grad2_env": np.mean(squares), "F_gap0_env": 0.0, "D2": (first.distance * far) ** 2, "D2_proj": 0.0},
        **{"g_star": far**2 / 2, "grad_g_star": far, "gap_g_n": -(far**2) / 2, "M_g": M_SLACK * far**2 / 2 + M_FLOOR},
    } | ({} if calls.eta is None else {"eta_g": calls.eta})
    facts = {
        CALLS_LATER.key: Fact(calls.eta is None and calls.p == 2, "the calls of the run itself, p = 2"),
        CALLS_LATER_II.key: Fact(calls.eta is not None, "the calls of the run itself, eta constant"),
    }
    return Trial.exact(
        label=str(calls),
        values={k: float(v) for k, v in values.items()},
        facts={key: Fact(True, why) for key, why in FACTS.items()} | facts,
        error=1e-9,
        at={"w": w, "s": calls.s, "lam": lam, "first": calls.first, "gamma_g": calls.gamma_g, "T": calls.T}
        | {"curvature": L.tolist(), "minimiser": d.tolist(), "noise": float(inner.noise), "K": inner.K, "S": inner.S},
    )
