"""Inner losses on the line whose curvature changes at a kink: there noise moves the mean of the iterates.

Of quadratic clients every mean iterate is what it would be without noise and with all clients, so neither the lower
bounds on ``f``, whose terms count how far the mean is led away from ``X_h*``, nor the part of the drift terms that is
due to noise can be seen on them. Here ``h_i(x) = (a/2) x^2 + s_i x`` with ``a = left`` below 0 and ``a = right``
above, ``f(x) = (mu/2)(x - d)^2``, and the mean ``s`` of the ``s_i`` is such that ``x_eta* = 0`` is the kink, where the
method starts. A few rounds of one or two clients are computed through all that can happen; a crowd of N clients is so
large that its noise averages out and only what noise does to the drift of each client is left.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from functools import lru_cache
from itertools import accumulate
from typing import Any

from rateproof.algos.problems.base import Fact
from rateproof.algos.problems.sources import Number, Path, crowd, paths
from rateproof.verify.papers.strfedavg.instances import M_FLOOR, M_SLACK, Setting, method_values, weight_sums
from rateproof.verify.trial import Trial

#: Clients of a crowd: the noise of their mean is below the rounding of floats.
CROWD = 1e32
#: Rounds after which a crowd is at rest.
REST = 5e3


@dataclass(frozen=True)
class Kinked:
    """One instance, and the method's parameters.

    Attributes:
        left, right: curvature of h below and above 0.
        mu, d: curvature and minimiser of f.
        apart: the s_i of two clients differ from s by this much up and down; equal clients when 0.
        noise: two-point noise of the gradients of h.
        start: initial point; the kink is at 0.
        N, S: clients, and how many take part; a crowd of equal ones takes part in full.
        K, gamma_g, eta, R, step, cap, exponents, convex: as in
            :class:`rateproof.verify.papers.strfedavg.instances.Setting`.
    """

    left: float = 1.0
    right: float = 0.25
    mu: float = 1.0
    d: float = 0.0
    apart: float = 0.0
    noise: float = 0.0
    start: float = 0.0
    N: float = 1
    S: float = 1
    K: int = 1
    gamma_g: float = 1.0
    eta: float = 1e-3
    R: float = 3.0
    step: float = 1.0
    cap: str = "SC16h"
    exponents: tuple[tuple[str, float], ...] = ()
    convex: bool = False

    def __str__(self) -> str:
        default = Kinked()
        changed = ", ".join(f"{k}={v}" for k, v in vars(self).items() if v != getattr(default, k))
        return f"h with a kink of its slope at x_eta* = 0 ({changed or 'default'})"


def slope(kinked: Kinked, tilt: Number) -> Callable[[Number], Number]:
    """Derivative of an inner loss."""
    return lambda x: tilt + (kinked.left if x < 0 else kinked.right) * x


def value(kinked: Kinked, tilt: Number, x: Number) -> Number:
    """An inner loss, 0 at the kink."""
    return tilt * x + (kinked.left if x < 0 else kinked.right) * x * x / 2


def lowest(kinked: Kinked, tilt: Number) -> tuple[Number, Number]:
    """Minimiser of an inner loss, and its value."""
    x = -tilt / (kinked.left if tilt > 0 else kinked.right)
    return x, tilt * x / 2


@lru_cache(maxsize=4096)
def measure(kinked: Kinked) -> Trial:
    """Run an instance and return every constant and metric that the bounds about the method speak of."""
    k = kinked
    values: dict[str, float] = {"L_f": k.mu, "L_h": max(k.left, k.right), "mu_f": 0.0 if k.convex else k.mu, "N": k.N}
    shared = ("K", "gamma_g", "eta", "R", "step", "cap", "exponents", "convex")
    values |= method_values(Setting(**{name: getattr(k, name) for name in shared}), values) | {"S": k.S}
    eta, gamma_l = values["eta"], values["gamma_l"]
    tilt = eta * k.mu * k.d  # h'(0) + eta f'(0) = 0
    x_star, h_star = lowest(k, tilt)
    tilts = (tilt - k.apart, tilt + k.apart) if k.apart else (tilt,)

    def regularised(s: float) -> Callable[[float], float]:
        inner = slope(k, s)
        return lambda x: inner(x) + eta * k.mu * (x - k.d)

    def f(x: float) -> float:
        return k.mu / 2 * (x - k.d) ** 2

    def gap_eta(x: float) -> float:
        # the slopes of h + eta f at the kink cancel
        return ((k.left if x < 0 else k.right) + eta * k.mu) * x * x / 2

    def gap_h(x: float) -> float:
        return value(k, tilt, x) - h_star

    def gap_f(x: float) -> float:
        return k.mu / 2 * (x - x_star) * (x + x_star - 2 * k.d)

    u = eta * values["mu_f"] * gamma_l * k.gamma_g * k.K / 2
    rule: dict[str, Any] = {"K": k.K, "gamma_l": gamma_l, "gamma_g": k.gamma_g, "noise": k.noise}
    if k.N >= CROWD:
        events: Sequence[Path] = [Path(1.0, crowd(regularised(tilt), start=k.start, R=int(k.R), **rule))]
    else:
        events = list(paths(tuple(map(regularised, tilts)), start=k.start, R=int(k.R), S=int(k.S), **rule))
    averages = [(path.probability, _average(path.points, u)) for path in events]

    def mean(of: Callable[[float], float]) -> float:
        return math.fsum(probability * of(x) for probability, x in averages)

    values = values | {
        "n": 1,
        "sigma_f2": 0.0,
        "sigma_h2": k.noise**2,
        "f_star": f(x_star),
        "h_star": h_star,
        "inf_f": 0.0,
        "mean_inf_f": 0.0,
        "mean_inf_h": math.fsum(lowest(k, s)[1] for s in tilts) / len(tilts),
        "alpha": min(k.left, k.right) / 2,
        "kappa": 2.0,
        "grad_f_star": k.mu * abs(x_star - k.d),
        "D2": k.start**2,
        "Dlast2": math.fsum(path.probability * path.points[-1] ** 2 for path in events),
        "Theta_R": weight_sums(u, k.R)[0],
        "gap_eta_n": mean(gap_eta),
        "gap_h_n": mean(gap_h),
        "gap_f_n": mean(gap_f),
        "E_dist_n": mean(lambda x: abs(x - x_star)),
        "E_sq_n": mean(lambda x: (x - x_star) ** 2),
        "gap_f": mean(gap_f),
    }
    values["M"] = M_SLACK * max(0.0, -values["gap_f_n"]) + M_FLOOR * k.mu * k.d**2 + 1e-300
    return Trial.exact(
        str(k),
        {name: float(v) for name, v in values.items()},
        {key: Fact(True, why) for key, why in _FACTS.items()},
        error=1e-11,
        absolute_error=0.0,
        at=asdict(k),
    )


def _average(points: Sequence[float], u: float) -> float:
    """``sum_r theta^r x^{r-1} / sum_r theta^r`` with theta = 1/(1-u)."""
    *_, total = accumulate(points[:-1], lambda total, x: (1 - u) * total + x)
    *_, weight = accumulate(points[:-1], lambda weight, _: (1 - u) * weight + 1, initial=0.0)
    return total / weight


_LINE = "f = (mu/2)(x - d)^2 for all clients"
_FACTS = {
    "f_convex": _LINE,
    "f_smooth": _LINE,
    "f_strongly_convex": _LINE,
    "f_bounded_below": _LINE,
    "h_convex": "the slope of h_i grows",
    "h_smooth": "the slope of h_i grows by at most max(left, right)",
    "X_h_nonempty": "h is strongly convex",
    "clients_attain_minimum": "every h_i is strongly convex",
    "unbiased": "two-point noise of mean 0",
    "variance_bounded": "sigma_h is the size of the noise",
    "independent_noise": "drawn anew at every step of every client",
    "weak_sharp": "the slope of h grows by at least min(left, right), so h - h* >= min(left, right)/2 dist^2",
}


def balanced(kinked: Kinked) -> Kinked:
    """A crowd started just beyond the point at which it comes to rest."""
    long = measure(replace(kinked, R=REST, start=0.0))
    return replace(kinked, start=(1 + 1e-6) * math.sqrt(long.values["Dlast2"]))


def mirrored(cap: str) -> Kinked:
    """``x*`` as far from ``x_eta*`` as the average, on the other side: f is ``f*`` there, and only the start tells.

    Most of the distance of the average from ``x*`` is that of a run whose start has decayed by half.
    """
    flat = 1e-6  # curvature of h, next to which that of f is all that moves the method
    base = Kinked(left=flat, right=flat, start=-1.0, eta=1.0, R=111, gamma_g=1e6, cap=cap)
    return replace(base, d=-flat * (1 - 1e-4) * math.sqrt(measure(base).values["E_sq_n"]))


def crowded(**rule: Any) -> Kinked:
    """A crowd along a schedule, f centred on X_h*."""
    return Kinked(**{"left": 0.5, "right": 0.1, "mu": 0.5, "noise": 1.0, **rule}, N=CROWD, S=CROWD, K=2, R=REST)


@lru_cache(maxsize=8)
def corners(*, convex: bool, caps: tuple[str, ...] = ("SC16h",)) -> tuple[Kinked, ...]:
    """Noise of one client, sampling of two that disagree, and a crowd; f centred on X_h*, or pulling away from it."""
    out = []
    for cap in caps:
        if not convex:
            out.append(mirrored(cap))
        for d, eta in ((0.0, 1.0), (0.0, 1e-3), (1.0, 1e-9), (1.0, 1e-12)):
            base = Kinked(d=d, eta=eta, cap=cap, convex=convex)
            out.append(replace(base, noise=0.01, gamma_g=1e6))
            out.append(replace(base, apart=0.01, N=2, gamma_g=1e6))
            for noise in (0.01, 20.0):
                many = replace(base, noise=noise, N=CROWD, S=CROWD, K=2, R=2.0)
                out += [many, replace(many, R=1e3), balanced(many)]
    return tuple(out)
