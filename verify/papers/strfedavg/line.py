"""Algorithm 2 on the line, in closed form: a nonconvex cosine outer loss over a quadratic or a constant inner loss.

``f(y) = -w cos(y - s)`` and ``h_i(x) = (L_h/2) x^2`` for two clients, so that ``X_h* = {0}``, or the whole line when
``L_h = 0``. Nothing is random. An inner call is an affine recursion in one coordinate, and its weighted average
``x_eta + rho (xbar^0 - x_eta)`` has a closed form, so that ten thousand outer iterations take no time.

With a ``width`` the inner losses are linear beyond it, hence weakly sharp of order 1 up to an offset
(see :mod:`rateproof.verify.papers.strfedavg.sharp`); calls are then run step by step.
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from rateproof.algos.problems.base import Fact
from rateproof.theory.papers.strfedavg.corrected_nonconvex import CALLS_LATER, CALLS_LATER_II
from rateproof.theory.papers.strfedavg.nonconvex import INNER_CALLS
from rateproof.verify.papers.strfedavg.instances import M_FLOOR, M_SLACK, SHARP_EVERYWHERE
from rateproof.verify.trial import Trial

CLIENTS = 2
_SHOWN = f"f(y) = -w cos(y - s), h_i(x) = L_h x^2/2, {CLIENTS} clients"
_LETTERS = {
    "lam": "lambda",
    "y0": "y^0",
    "x0": "x^0",
    "outer_step": "gamma over its largest value",
    "first": "rounds of the first call",
    "factor": "factor of (y - x)/lambda in the step",
}
FACTS = {
    "outer_smooth": "|f''| <= w = L_f",
    "f_nonconvex": "f'' = w cos(y - s) takes both signs",
    "F_bounded_below": "F_lambda >= f >= -w",
    "h_convex": "L_h >= 0",
    "h_smooth": "|h_i''| = L_h",
    "X_h_nonempty": "0 minimises h",
    "unbiased": "gradients are exact",
    "variance_bounded": "sigma_h = sigma_f = 0",
    "independent_noise": "there is no noise",
    "inner_attain_minimum": "0 minimises every h_i",
    "weak_sharp_up_to": "h >= L_h width |x| - L_h width^2/2, or h is constant",
}


@dataclass(frozen=True)
class Line:
    """One instance of problem (2) and of Algorithm 2.

    Attributes:
        w, s: height and minimiser of the outer loss; its smoothness constant is w.
        L_h: curvature of the inner loss, 0 for a constant one.
        width: where the inner loss turns linear; None for never.
        lam: Moreau parameter.
        y0, x0: start of the outer loop, and of every inner call.
        outer_step: gamma as a fraction of 3 lam/(4 (w lam + 2)).
        K, gamma_g: local steps and global stepsize.
        eta: constant regularisation (schedule S-ip-1); None for S-ip.
        p: factor of the schedule.
        first: rounds of the first call; call t has t + first. Calls of no round, or of one, return their start,
            whatever the rules say at R = 0 or 1.
        factor: of (1/lam)(y - x) in the outer step; 1 as printed, 2 for the gradient of f + dist^2/lam.
        T: outer iterations.
    """

    w: float = 150.0
    s: float = math.pi
    L_h: float = 1.0
    width: float | None = None
    lam: float = 0.01
    y0: float = 1.5
    x0: float = 0.0
    outer_step: float = 1.0
    K: int = 1
    gamma_g: float = 1e3
    eta: float | None = None
    p: float = 2.0
    first: int = 2
    factor: int = 1
    T: int = 20

    def __str__(self) -> str:
        numbers = {_LETTERS.get(k, k): v for k, v in asdict(self).items() if v is not None}
        shown = ", ".join(f"{k} = {'pi' if v == math.pi else format(v, 'g')}" for k, v in numbers.items())
        return f"{_SHOWN}, {shown}"

    @property
    def gamma(self) -> float:
        """Outer stepsize."""
        return self.outer_step * 3 * self.lam / (4 * (self.w * self.lam + 2))

    @property
    def rounds(self) -> NDArray[np.float64]:
        """Rounds of the calls, ``(T,)``."""
        return np.arange(self.first, self.first + self.T, dtype=np.float64)

    def rule(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Effective stepsize and regularisation of the calls, each ``(T,)``."""
        R = np.maximum(self.rounds, 2)
        log = self.p * np.log(R)
        if self.eta is not None:
            return log / R, np.full(self.T, self.eta)
        return R ** (-7 / 12), log / R ** (5 / 12)


@dataclass(frozen=True, eq=False)
class Run:
    """Outer iterates ``y`` and results ``x`` of the calls, ``(T,)`` each; ``nearest`` projects ``y``."""

    y: NDArray[np.float64]
    x: NDArray[np.float64]
    nearest: NDArray[np.float64]


@lru_cache(maxsize=256)
def run(line: Line) -> Run:
    """All outer iterations."""
    (gamma_t, eta), rounds = line.rule(), line.rounds
    curvature = line.L_h + eta
    local = 1 - gamma_t / (line.gamma_g * line.K) * curvature
    q = 1 + line.gamma_g * (local**line.K - 1)
    rho = _average(q, eta * gamma_t / 2, rounds)
    pull = eta / curvature  # x_eta* = pull * y where the inner loss is quadratic
    y, x = np.empty(line.T), np.empty(line.T)
    point, gamma, lam = line.y0, line.gamma, line.lam
    for t in range(line.T):
        y[t] = point
        if rounds[t] <= 1:
            x[t] = line.x0
        elif line.width is None:
            x[t] = pull[t] * point + rho[t] * (line.x0 - pull[t] * point)
        else:
            x[t] = _stepwise(line, point, rounds[t], gamma_t[t], eta[t])
        slope = line.w * math.sin(point - line.s) + line.factor / lam * (point - x[t])
        point = point - gamma * slope
    return Run(y, x, np.zeros(line.T) if line.L_h else y)


def _stepwise(line: Line, y: float, R: float, gamma_t: float, eta: float) -> float:
    """Result of a call whose inner loss turns linear at ``width``."""
    width = line.width or 0.0
    gamma_l, u = gamma_t / (line.gamma_g * line.K), eta * gamma_t / 2
    x, average, weight = line.x0, 0.0, 0.0
    for _ in range(int(R)):
        weight = (1 - u) * weight + 1
        average += (x - average) / weight
        z = x
        for _ in range(line.K):
            z -= gamma_l * (line.L_h * max(-width, min(width, z)) + eta * (z - y))
        x += line.gamma_g * (z - x)
    return average


def _average(q: NDArray[np.float64], u: NDArray[np.float64], R: NDArray[np.float64]) -> NDArray[np.float64]:
    """``sum_r theta^r q^(r-1) / sum_r theta^r`` over r = 1..R with theta = 1/(1-u)."""
    ratio = q / (1 - u)
    with np.errstate(over="ignore", invalid="ignore"):  # no rounds, no average: the caller does not use it
        top = np.where(ratio == 1, R, (ratio**R - 1) / np.where(ratio == 1, 1.0, ratio - 1))
        bottom = np.expm1(-R * np.log1p(-u)) * (1 - u) / u
        return np.asarray(top / bottom)


#: F_lambda = f + (share/lam) dist^2: as printed, and the Moreau envelope; by the suffix of its metrics.
SHARES = {"": 1.0, "_env": 0.5}


def stationarity(line: Line) -> dict[str, NDArray[np.float64]]:
    """Means of ||grad F_lambda||^2 over the first 1, ..., T outer iterations, ``(T,)``, as ``E_grad2`` and its kin.

    A run of fewer iterations is the beginning of a longer one.
    """
    done = run(line)
    counts = np.arange(1, line.T + 1)
    slope, away = line.w * np.sin(done.y - line.s), 2 / line.lam * (done.y - done.nearest)
    return {f"E_grad2{suffix}": np.cumsum((slope + share * away) ** 2) / counts for suffix, share in SHARES.items()}


def trial(line: Line) -> Trial:
    """Everything that Theorem 3 (i-1) and (ii-1) speak of."""
    done = run(line)
    farthest = float(np.max((done.y - done.nearest) ** 2))
    gap_g = 0.5 * ((done.x - done.y) ** 2 - (done.nearest - done.y) ** 2)
    at_nearest = np.abs(line.w * np.sin(done.nearest - line.s)).max()
    alpha, kappa, offset = _sharpness(line)
    values = {
        "T": line.T,
        "lam": line.lam,
        "gamma": line.gamma,
        "L_f": line.w,
        "L_h": line.L_h,
        "sigma_g2": 0.0,
        "sigma_h2": 0.0,
        "h_star": 0.0,
        "mean_inf_h": 0.0,
        "alpha": alpha,
        "kappa": kappa,
        "delta_h": offset,
        "K": line.K,
        "N": CLIENTS,
        "S": CLIENTS,
        "gamma_g": line.gamma_g,
        "p": line.p,
        **{name: means[-1] for name, means in stationarity(line).items()},
        **{f"F_gap0{suffix}": _gap(line, share) for suffix, share in SHARES.items()},
        "D2_proj": float(np.max((line.x0 - done.nearest) ** 2)),
        "D2": _start_error(line, done),
        "g_star": 0.5 * farthest,
        "grad_g_star": math.sqrt(farthest),
        "grad_f_proj": at_nearest,
        "grad_F_star": at_nearest,
        "gap_g_n": float(gap_g.min()),
        "M_g": M_SLACK * max(0.0, -float(gap_g.min())) + M_FLOOR,
        "R_first": line.first,
    } | ({} if line.eta is None else {"eta_g": line.eta})
    return Trial.exact(
        label=str(line),
        values={k: float(v) for k, v in values.items()},
        facts={k: Fact(True, why) for k, why in FACTS.items()}
        | {
            INNER_CALLS.key: Fact(line.first in (0, 2), f"the first call has {line.first} rounds"),
            CALLS_LATER.key: Fact(line.eta is None and line.p == 2, "the calls of the run itself, p = 2"),
            CALLS_LATER_II.key: Fact(line.eta is not None, "the calls of the run itself, eta constant"),
            "weak_sharp": Fact(line.width is None, "h = (L_h/2) dist^2, or constant, unless a width is given"),
        },
        error=1e-10,
        at=asdict(line),
        degenerate=line.L_h == 0,
    )


def _sharpness(line: Line) -> tuple[float, float, float]:
    """alpha, kappa and the offset up to which X_h* is weakly sharp."""
    if line.width is not None:
        return line.L_h * line.width, 1.0, line.L_h * line.width**2 / 2
    return (line.L_h / 2, 2.0, 0.0) if line.L_h else (*SHARP_EVERYWHERE, 0.0)


def _start_error(line: Line, done: Run) -> float:
    """Largest squared distance of the calls' start from the regularised solution."""
    _, eta = line.rule()
    solution = eta / (line.L_h + eta) * done.y
    if line.width is not None:
        beyond = done.y - np.sign(done.y) * line.L_h * line.width / eta
        solution = np.where(np.abs(solution) > line.width, beyond, solution)
    return float(np.max((line.x0 - solution) ** 2))


def rest(line: Line, share: float) -> float:
    """The minimiser of ``F_lambda = f + (share/lam) y^2`` where ``w lam <= 2 share``, so that it is convex."""
    pull = 2 * share / line.lam
    below, above = -line.w / pull, line.w / pull
    while below < (middle := (below + above) / 2) < above:
        if line.w * math.sin(middle - line.s) + pull * middle < 0:
            below = middle
        else:
            above = middle
    return middle


def _gap(line: Line, share: float) -> float:
    """F_lambda(y^0) - inf F_lambda, with the lower bound F_lambda >= -w where the infimum is not known."""
    pull = share / line.lam if line.L_h else 0.0

    def value(y: float) -> float:
        return -line.w * math.cos(y - line.s) + pull * y**2

    convex = 0 < line.w <= 2 * pull
    lowest = value(rest(line, share)) if convex else -line.w
    return max(value(line.y0) - lowest, 0.0)
