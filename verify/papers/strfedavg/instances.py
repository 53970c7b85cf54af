"""Instances on which the claims about StR-FedAvg are tried, each measured by the exact engine.

A :class:`Setting` is an instance in round numbers; :func:`measure` turns it into a trial that carries every constant
and every metric of the paper, so that one exact computation serves all claims.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from rateproof.algos import exact
from rateproof.algos.exact import Law
from rateproof.algos.noise import AdditiveGaussian, Noise, NoNoise
from rateproof.algos.problems import quadratic, sources
from rateproof.algos.problems.base import Array, Fact, Problem
from rateproof.algos.problems.quadratic import QuadraticBilevel
from rateproof.algos.problems.sources import Source
from rateproof.theory.papers.strfedavg import schedules as rules
from rateproof.theory.papers.strfedavg.mended import SHARP_UP_TO
from rateproof.verify.evidence import Level
from rateproof.verify.spaces.rescaled import Scale
from rateproof.verify.trial import Trial

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

Params = tuple[tuple[str, Any], ...]

SCHEDULES = {s.id: s for s in rules.SCHEDULES}

# M is "any number > 0 with f* - E f(xbar^R) < M": the claims are tried at (nearly) the smallest such number.
M_SLACK, M_FLOOR = 1.001, 1e-9
# Weak sharpness up to an offset, where f asks for none: alpha is this share of that of order 2.
OFFSET_FLOOR = 1e-9
LONG = 8
ROUNDING = 1e-13
# X_h* = R^n is weakly sharp of every order and with every constant: any numbers will do.
SHARP_EVERYWHERE = (1.0, 1.0)


#: The losses of the families, and the conditions on the local stepsize, as a reader knows them.
LOSSES = {
    "diagonal_selection": "h_i = (L_h/2)(x_1 - c_i)^2, f_i = (mu/2)||x - d_i||^2",
    "separable": "h_i = sum_j (p_ij/2)(x_j - t_ij)^2, f_i = sum_j (F_ij/2)(x_j - d_ij)^2, p_ij being the curvatures",
    "degenerate": "h = 0, f_i = sum_j (p_j/2)(x_j - d_ij)^2, p_j being the curvature",
    "antisymmetric": "h_1, h_2 = (delta x_1 +- x_2)^2/2, f = (L_f/2)||x - e_1||^2",
}
CAPS = {
    "SC16": "condition of Lemma 5",
    "SC27": "condition of Lemma 6",
    "SC16h": "corrected condition of Lemma 5",
    "SC27h": "corrected condition of Lemma 6",
}


@dataclass(frozen=True)
class Setting:
    """One instance of problem (1) and of Algorithm 1.

    Attributes:
        family, params: builder in :mod:`rateproof.algos.problems.quadratic` and its arguments.
        s_h, s_f, s_x: rescaling of both losses and of space (family I7).
        noise_f, noise_h: standard deviations of Gaussian noise along the first and second axis, per level.
        K, S, gamma_g, eta, R: as in the paper; S = 0 means all clients.
        step: local stepsize as a fraction of ``cap``.
        cap: ``SC16``, ``SC27``, ``both``, their mended forms ``SC16h``, ``SC27h``, or a schedule's id, which then
            rules gamma_l (and eta).
        exponents: values for a schedule's parameters (a, b, p).
        start: initial point; None is x_eta* itself.
        convex: read under mu_f = 0 (theta = 1), as the results for convex outer losses are.
        index: iterate index of Algorithm 1, as the analysis reads it or as printed.
    """

    family: str = "diagonal_selection"
    params: Params = ()
    s_h: float = 1.0
    s_f: float = 1.0
    s_x: float = 1.0
    noise_f: tuple[float, float] = (0.0, 0.0)
    noise_h: tuple[float, float] = (0.0, 0.0)
    K: int = 1
    S: int = 0
    gamma_g: float = 1.0
    eta: float = 1.0
    R: float = 10.0
    step: float = 1.0
    cap: str = "both"
    exponents: Params = ()
    start: tuple[float, ...] | None = (0.0, 1.0)
    convex: bool = False
    index: Literal["analysis", "printed"] = "analysis"

    def __str__(self) -> str:
        default = Setting(family=self.family, params=self.params)
        changed = {k: v for k, v in vars(self).items() if k not in ("family", "params") and v != getattr(default, k)}
        given = (f"{k} = {_round(v)}" for k, v in self.params)
        says = ", ".join([*given, *(_in_words(k, v) for k, v in changed.items())])
        losses = LOSSES.get(self.family, self.family.replace("_", " "))
        told = re.sub(r"\((\([^()]*\))\)\*", r"\1*", f"{losses}; {says}" if says else losses)
        return re.sub(r"\)\*(\d+)", r"), \1 times", told)

    @property
    def at(self) -> dict[str, Any]:
        """The setting as plain data; long repetitive tuples in their short form, ``(-1, 1)*200``."""
        params = {k: _round(v) if isinstance(v, tuple) and len(v) > LONG else v for k, v in self.params}
        return vars(self) | {"params": params, "exponents": dict(self.exponents)}

    def at_scale(self, s_h: float, s_f: float, s_x: float = 1.0) -> Setting:
        """The same instance with losses and space rescaled; noise scales with its loss, the start with space."""
        return replace(
            self,
            s_h=self.s_h * s_h,
            s_f=self.s_f * s_f,
            s_x=self.s_x * s_x,
            start=None if self.start is None else tuple(s_x * v for v in self.start),
        )


@lru_cache(maxsize=4096)
def problem_of(
    family: str, params: Params, noise_f: tuple[float, float], noise_h: tuple[float, float], scale: tuple[float, ...]
) -> QuadraticBilevel:
    """Build a family member; noise is given before rescaling."""
    noise: Noise = NoNoise()
    if any(noise_f) or any(noise_h):
        noise = AdditiveGaussian(np.diag(np.square(noise_f)), np.diag(np.square(noise_h)))
    problem = getattr(quadratic, family)(**{k: _array(v) for k, v in params}, noise=noise)
    s_h, s_f, s_x = scale
    return problem if scale == (1.0, 1.0, 1.0) else quadratic.scaled(problem, s_h=s_h, s_f=s_f, s_x=s_x)


def build(setting: Setting) -> QuadraticBilevel:
    """The problem of a setting."""
    s = setting
    return problem_of(s.family, s.params, s.noise_f, s.noise_h, (s.s_h, s.s_f, s.s_x))


def constants(problem: Problem) -> dict[str, float]:
    """Values of the constants' symbols; an inner loss that is constant takes sharpness of order 1."""
    c = problem.constants
    alpha, kappa = SHARP_EVERYWHERE if math.isinf(c.alpha) else (c.alpha, c.kappa)
    return {
        "n": problem.n,
        "N": problem.N,
        "L_f": c.L_f,
        "L_h": c.L_h,
        "mu_f": c.mu_f,
        "sigma_f2": c.sigma_f**2,
        "sigma_h2": c.sigma_h**2,
        "f_star": c.f_star,
        "h_star": c.h_star,
        "inf_f": c.inf_f,
        "mean_inf_f": c.mean_inf_f,
        "mean_inf_h": c.mean_inf_h,
        "alpha": alpha,
        "kappa": kappa,
        "grad_f_star": c.grad_f_star,
    }


def dissimilarity_slope(L_f: float, L_h: float, eta: float) -> float:
    """B^2 of Lemma 2."""
    return max(4 * eta * L_f, 4 * L_h)


def stepsize_cap(cap: str, *, L_f: float, L_h: float, eta: float, K: int, gamma_g: float) -> float:
    """Largest local stepsize that SC16, SC27 or both allow, as printed or mended (SC16h, SC27h)."""
    L, B2 = L_h + eta * L_f, dissimilarity_slope(L_f, L_h, eta)
    caps = {
        "SC16": 1 / (16 * K * gamma_g * L**2 * (1 + B2)),
        "SC27": 1 / (27 * K * B2 * L),
        "SC16h": 1 / (16 * K * gamma_g * (L + B2)),
        "SC27h": 1 / (K * math.sqrt(27 * B2 * L)),
    }
    return min(caps["SC16"], caps["SC27"]) if cap == "both" else caps[cap]


def method_values(setting: Setting, values: Mapping[str, float]) -> dict[str, float]:
    """K, S, R, gamma_g, gamma_l, eta (and a, b, p when a schedule rules) of a setting."""
    s = setting
    out: dict[str, float] = {"K": s.K, "S": s.S or int(values["N"]), "R": s.R, "gamma_g": s.gamma_g, "eta": s.eta}
    if s.cap in SCHEDULES:
        schedule = SCHEDULES[s.cap]
        exponents = {str(k): float(v) for k, v in schedule.defaults.items()} | dict(s.exponents)
        ruled = schedule.evaluate({**values, **out, **exponents} | ({} if _rules_eta(s.cap) else {"eta": s.eta}))
        return out | exponents | {k: v for k, v in ruled.items() if k in ("gamma_l", "gamma_g", "eta")}
    cap = stepsize_cap(s.cap, L_f=values["L_f"], L_h=values["L_h"], eta=s.eta, K=s.K, gamma_g=s.gamma_g)
    return out | {"gamma_l": s.step * cap}


@lru_cache(maxsize=8192)
def measure(setting: Setting) -> Trial:
    """Run a setting exactly and return every constant and metric of the paper."""
    problem = build(setting)
    values = constants(problem)
    if setting.convex:
        values["mu_f"] = 0.0
    values |= method_values(setting, values)
    eta, R = values["eta"], setting.R
    x_eta, x_star = problem.regularised_solution(eta), problem.bilevel_solution()
    x0 = x_eta if setting.start is None else np.asarray(setting.start, dtype=float)
    gamma_t = values["gamma_l"] * values["gamma_g"] * setting.K
    u = eta * values["mu_f"] * gamma_t / 2
    gaussian = int(values["S"]) == problem.N  # linear in Gaussian noise, no sampling of clients
    with np.errstate(all="ignore"):
        values |= _one_round(problem, x0, x_eta, eta, values)
        moments = exact.moments(
            problem,
            gamma_l=values["gamma_l"],
            gamma_g=values["gamma_g"],
            eta=eta,
            K=setting.K,
            S=int(values["S"]),
            R=int(R),
            x0=x0,
            decay=u if u < 1 else 0.0,
            center=x_eta,
            index=setting.index,
        )
        values["Theta_R"], c = weight_sums(u, R)
        if u > 1 and not problem.inner.mean_matrix.any():
            # Without inner problem these are zero at any point, also where the printed weights give no average.
            values |= dict.fromkeys(("gap_h", "gap_h_n", "E_dist", "E_dist_n"), 0.0)
        if u < 1:
            values |= metrics(problem, moments.avg, x_star, eta, gaussian, "_n")
        if math.isfinite(c):
            printed = Law(c * moments.avg.shift + (c - 1) * x_eta, c**2 * moments.avg.cov, x_eta)
            values |= metrics(problem, printed, x_star, eta, gaussian, "")
        values["D2"] = float(np.sum((x0 - x_eta) ** 2))
        values["Dlast2"] = _spread(moments.last)
    gaps = [-values[k] for k in ("gap_f", "gap_f_n") if k in values and not math.isnan(values[k])]
    values["M"] = M_SLACK * max([0.0, *gaps]) + M_FLOOR
    facts = problem.facts()
    everywhere = math.isinf(problem.constants.alpha)
    return Trial(
        label=str(setting),
        values={k: float(v) for k, v in values.items()},
        facts=facts,
        level=Level.EXACT,
        error=max(1e-12, moments.error),
        absolute_error=rounding(problem, eta, x0, x_eta, x_star),
        at=setting.at,
        degenerate=everywhere or problem.N == 1,
    )


def rounding(problem: QuadraticBilevel, eta: float, *points: Array) -> float:
    """Bound on what rounding leaves where a gap, a distance or a squared gradient is zero in exact arithmetic."""
    L = problem.constants.L_h + eta * problem.constants.L_f
    spread = max(float(np.sum(np.square(x), axis=-1).max()) for x in (*points, problem.outer.minima[0]))
    return ROUNDING * max(L, L**2, 1.0) * spread


def balanced(setting: Setting) -> Setting:
    """The setting started just beyond the distance from x_eta* at which the last iterate ends up.

    So ``D2 - Dlast2`` is positive and negligible: E||xbar^R - x_eta*||^2 is noise + rate * ||xbar^0 - x_eta*||^2.
    """
    eta = method_values(setting, constants(build(setting)))["eta"]
    solution = build(setting).regularised_solution(eta)
    along = np.eye(len(solution))[0]
    noise = measure(replace(setting, start=None)).values["Dlast2"]
    rate = measure(replace(setting, start=tuple(map(float, solution + along)))).values["Dlast2"] - noise
    # where a round expands there is no such distance
    distance = max(0.0, noise / (1 - rate)) ** 0.5 * (1 + 1e-6)
    return replace(setting, start=tuple(map(float, solution + distance * along)))


def up_to_offset(trial: Trial, *, tangent: float = 0.0) -> Trial:
    """The same instance, weakly sharp of order 1 up to an offset.

    ``a d^2 >= alpha d - alpha^2/(4a)`` for every alpha, with equality at ``d = alpha/(2a)``: that is this share of the
    distance that the average has from X_h*, or the least that the condition on eta allows.
    """
    v = trial.values
    if trial.degenerate and v["kappa"] == 1:
        alpha, offset = v["alpha"], 0.0
    else:
        least = max(2 * v["eta"] * v["grad_f_star"], OFFSET_FLOOR * v["alpha"])
        alpha = max(least, 2 * v["alpha"] * tangent * v.get("E_dist_n", 0.0))
        offset = alpha**2 / (4 * v["alpha"])
    facts = {**trial.facts, SHARP_UP_TO.key: Fact(True, "h - h* >= a dist^2 >= alpha dist - alpha^2/(4 a)")}
    return replace(trial, values={**v, "alpha": alpha, "kappa": 1.0, "delta_h": offset}, facts=facts)


def weight_sums(u: float, R: float) -> tuple[float, float]:
    """Theta_R and Theta_R / Theta_{R-1} for theta = 1/(1-u), without cancellation or overflow of the ratio.

    Theta_R = (theta^R - 1) / u. For u > 1 theta is negative; the sum is still what the paper prints, an average is not.
    """
    if u == 1:
        return math.nan, math.nan
    if u > 1:
        log_size = -R * math.log(u - 1)
        sign = -1.0 if R % 2 else 1.0
        return (sign * math.exp(log_size) - 1) / u if log_size < 700 else sign * math.inf, math.nan
    if R == 1:
        return 1 / (1 - u), math.inf
    if u == 0:
        return R, R / (R - 1)
    ln_theta = -math.log1p(-u)
    total = math.expm1(R * ln_theta) / u if R * ln_theta < 700 else math.inf
    return total, math.expm1(-R * ln_theta) / (math.expm1(-(R - 1) * ln_theta) * (1 - u))


def metrics(
    problem: QuadraticBilevel, law: Law, x_star: Array, eta: float, gaussian: bool, suffix: str
) -> dict[str, float]:
    """Gaps of a random point from its moments about the two solutions: no two values are subtracted."""
    F, H = problem.outer.mean_matrix, problem.inner.mean_matrix
    about = law.about(x_star)
    out = {
        "gap_eta": 0.5 * law.quadratic_mean(H + eta * F),
        "gap_h": 0.5 * about.quadratic_mean(H),
        "gap_f": about.expected_increase(problem.outer),
        "E_sq": _spread(about),
        "Davg2": _spread(law),
    }
    if not (H @ law.cov).any():
        # What is not random off X_h* is its own expectation.
        out["E_dist"] = float(np.linalg.norm(about.mean - problem.project(about.mean[None])[0]))
        if not law.cov.any():
            out["dist_R"] = out["E_dist"]
    elif gaussian and problem.inner.mean_diagonal is not None and np.count_nonzero(H) == 1:
        j = int(np.flatnonzero(problem.inner.mean_diagonal)[0])
        out["E_dist"] = folded_normal_mean(float(about.shift[j]), math.sqrt(float(law.cov[j, j])))
    return {k + suffix: v for k, v in out.items()}


def folded_normal_mean(mean: float, deviation: float) -> float:
    """E|X| of a Gaussian X."""
    if deviation == 0:
        return abs(mean)
    z = mean / deviation
    return deviation * math.sqrt(2 / math.pi) * math.exp(-z * z / 2) + mean * math.erf(z / math.sqrt(2))


def _spread(law: Law) -> float:
    """E||x - center||^2."""
    return float(np.trace(law.second))


def _one_round(
    problem: QuadraticBilevel, x0: Array, x_eta: Array, eta: float, values: Mapping[str, float]
) -> dict[str, float]:
    """What Lemmas 5 to 7 speak of, for the round that starts at x0."""
    one = exact.one_round(
        problem,
        x=x0,
        gamma_l=values["gamma_l"],
        gamma_g=values["gamma_g"],
        eta=eta,
        K=int(values["K"]),
        S=int(values["S"]),
        center=x_eta,
    )
    P = problem.inner.mean_matrix + eta * problem.outer.mean_matrix
    away = x0 - x_eta
    return {
        "D_prev2": float(away @ away),
        "D_next2": _spread(one.next),
        "gap_prev": 0.5 * float(away @ P @ away),
        "drift_sum": float(one.drift[:, 1:].sum()),
        "drift_sum_prev": float(one.drift[:, :-1].sum()),
    }


def _rules_eta(schedule_id: str) -> bool:
    return any(str(s) == "eta" for s in SCHEDULES[schedule_id].rules)


def _array(value: Any) -> Any:
    return np.asarray(value, dtype=float) if isinstance(value, tuple) else value


def _in_words(name: str, value: Any) -> str:
    match name:
        case "cap" if value in SCHEDULES:
            return f"stepsizes for {SCHEDULES[value].title}"
        case "cap":
            return f"gamma_l at most as the {CAPS[value]} allows"
        case "step":
            return f"{_round(value)} of the largest gamma_l"
        case "exponents":
            return ", ".join(f"{k} = {_round(v)}" for k, v in value)
        case "start":
            return f"x^0 = {'x_eta*' if value is None else _round(value)}"
        case "convex":
            return "taken with mu_f = 0"
        case "index":
            return "rounds counted as printed"
        case "noise_f" | "noise_h":
            return f"noise of {name[-1]} with the standard deviations {_round(value)}"
        case "s_h" | "s_f" | "s_x":
            return f"{name[-1]} in other units, times {_round(value)}"
    return f"{name} = {_round(value)}"


def _round(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:g}"
    if isinstance(value, tuple):
        for period in (1, 2):
            if len(value) > 2 * period and value == value[:period] * (len(value) // period):
                return f"{_round(value[:period])}*{len(value) // period}"
        return "(" + ", ".join(_round(v) for v in value) + ")"
    return str(value)


# --- the families ----------------------------------------------------------------------------------------------------


def diagonal(c: tuple[float, ...], d: tuple[tuple[float, float], ...], L_h: float = 1.0, mu: float = 1.0) -> Params:
    """Parameters of family I1."""
    return (("c", c), ("d", d), ("L_h", L_h), ("mu", mu))


def crowd(N: int, L_h: float = 1.0, mu: float = 1.0) -> Params:
    """N clients (N even) that disagree on the inner level only: c = -1 and 1 in halves, f centred on X_h*."""
    return diagonal((-1.0, 1.0) * (N // 2), ((0.0, 0.0),) * N, L_h, mu)


ONE = diagonal((0.0,), ((1.0, 0.0),))
TWO = diagonal((-1.0, 1.0), ((1.0, -1.0), (1.0, 1.0)))
FIVE = diagonal((-2.0, -1.0, 0.0, 1.0, 2.0), ((1.0, 0.0),) * 5)
IDENTICAL = diagonal((0.0, 0.0), ((0.0, 0.0),) * 2)
# Two equal clients.
SILENT = Source((1, 1), (0, 0), 0, 1, 2)
# Small curvatures: the printed step conditions add 1 to B^2 and square L, so they then allow unstable steps.
SMALL = diagonal((-1.0, 1.0), ((0.0, -1.0), (0.0, 1.0)), L_h=1e-3, mu=1e-5)


def of_sources(
    inner: Source = SILENT, outer: Source = SILENT, *, towards: float = 0.0, L_h: float = 1.0, mu: float = 1.0
) -> Params:
    """Two clients, h along the first axis and f along the second, each with its own source of error.

    ``towards`` is the first coordinate of f's minimiser: how far f pulls away from X_h*.
    """
    return (
        ("curvatures", tuple((L_h * float(a), 0.0) for a in inner.curvature)),
        ("t", tuple((float(c), 0.0) for c in inner.minimiser)),
        ("F", tuple((mu, mu * float(a)) for a in outer.curvature)),
        ("d", tuple((towards, float(c)) for c in outer.minimiser)),
    )


def pure() -> Iterator[Setting]:
    """One source of error alone: at the inner level, at the outer one, and where f pulls away from X_h*.

    The method starts at x_eta*, so that nothing else moves it; drift may lead towards f's minimiser or away from it.
    """
    drift, apart, disagreeing = (sources.pure(name) for name in ("drift", "sampling", "heterogeneity"))
    for towards, mu in ((0.0, 0.1), (2 / 3, 0.1), (5.0, 1e-3), (-5.0, 1e-3)):
        for eta in (0.1, 1e-3, 1e-6, 1e-9):
            base = Setting("separable", of_sources(drift, towards=towards, mu=mu), start=None, eta=eta, K=2, R=1e6)
            yield from grid(base, R=(2.0, FAR))
    # one round of drift at the outer level, with hardly any inner loss
    yield Setting("separable", of_sources(outer=drift, L_h=1e-6), start=None, eta=0.1, K=5, R=2.0)
    for params in (of_sources(disagreeing, towards=1.0), of_sources(outer=apart), of_sources(outer=drift)):
        for eta in (10.0, 0.1, 1e-3):
            for K, S in ((2, 2), (2, 1), (1, 1)):
                base = Setting("separable", params, start=None, eta=eta, K=K, S=S, R=1e6)
                yield from grid(base, R=(2.0, FAR), step=(1e-3,))
    yield Setting("separable", of_sources(apart), start=None, eta=0.1, S=1, R=1e6)
    both = (1.0, 1.0)
    for eta, L_h in ((1e-3, 1.0), (10.0, 1e-6)):
        base = Setting("separable", of_sources(L_h=L_h), start=None, eta=eta, K=5, R=100.0)
        yield from (replace(base, noise_h=both), replace(base, noise_f=both))


LEAST_SQUARES: Params = (("seed", 1), ("N", 2), ("m", 2), ("n", 6), ("outer", "heterogeneous"))
INCONSISTENT: Params = (("seed", 1), ("N", 3), ("m", 4), ("n", 4), ("kernel", 1))
ANTISYMMETRIC: Params = (("delta", 0.1), ("L_f", 0.01))
NO_INNER: Params = (("d", ((0.0, 0.0), (0.0, 0.0))), ("curvature", ((1.0, 0.5),) * 2))
NO_INNER_SMALL: Params = (("d", ((0.0, 0.0), (0.0, 0.0))), ("curvature", ((1e-3, 1e-5),) * 2))
# theta < 0: the printed conditions let eta mu_f gamma_t / 2 exceed one
NO_INNER_STIFF: Params = (("d", ((0.0, 0.0), (0.0, 0.0))), ("curvature", 1e-3))
SCALES = (1e-4, 1e-2, 1e2, 1e4)
UNSCALED: Scale = (1.0, 1.0, 1.0)
FAR = 1e9

#: The step conditions as printed.
PRINTED_CAPS = ("SC16", "SC27", "both")


def corners(
    *, convex: bool = False, caps: tuple[str, ...] = PRINTED_CAPS, scales: tuple[Scale, ...] = ()
) -> tuple[Setting, ...]:
    """The settings at which every bound about the method is tried, simplest first; ``scales`` adds rescaled copies."""
    return tuple(replace(s, convex=convex) for s in _corners(caps, scales))


@lru_cache(maxsize=8)
def _corners(caps: tuple[str, ...], scales: tuple[Scale, ...]) -> tuple[Setting, ...]:
    out: dict[Setting, None] = {}

    def add(base: Setting, **axes: tuple[Any, ...]) -> None:
        for cap in caps:
            out.update(dict.fromkeys(grid(replace(base, cap=cap), **axes)))

    rounds = (2.0, 100.0, 1e4, 1e6, FAR)
    # the printed average off the minimiser; starts at the solution, on and far from it
    add(Setting(params=TWO, start=(2.0, 2.0)), R=rounds, start=(None, (0.0, 0.0), (100.0, 100.0)), K=(5, 50))
    add(Setting(params=TWO, start=(2.0, 2.0), R=1e4), eta=(0.01, 0.1, 10.0), gamma_g=(10.0, 1e3), S=(1,), step=(0.1,))
    add(Setting(params=ONE), R=rounds, eta=(0.01, 10.0), start=(None,))
    add(Setting(params=FIVE), S=(1, 2), R=rounds, eta=(0.01,))
    add(Setting(params=IDENTICAL), K=(1, 5), R=rounds, noise_h=((0.0, 1.0), (1.0, 0.0)), noise_f=((1.0, 1.0),))
    # noise that only eta f damps: sigma along the kernel, small steps, long runs, start at the solution
    for eta in (1.0, 0.1, 0.01):
        base = Setting(params=IDENTICAL, noise_h=(0.0, 1.0), start=None, eta=eta, R=FAR, step=1e-3)
        add(base, R=(1e6, 1e4), S=(1,), K=(5,), step=(1.0, 0.01))
    # many clients that disagree, few of them sampled
    for N in (20, 400):
        base = Setting(params=crowd(N), S=1, start=None, eta=0.01, R=1e6, step=0.01)
        add(base, step=(1e-3, 1.0), R=(2.0, FAR), K=(5,))
    # curvatures far below one: unstable steps pass the printed conditions
    for gamma_g in (1.0, 1e6):
        add(Setting(params=SMALL, start=(1.0, 1.0), gamma_g=gamma_g, R=3.0), R=(2.0, 10.0, 40.0), K=(5,), S=(1,))
    # rescaled copies
    for s in SCALES:
        for scale in ((s, s, 1.0), (s, s, 100.0), (s, 1.0, 1.0), (1.0, s, 1.0)):
            add(Setting(params=TWO, start=(2.0, 2.0), R=100.0).at_scale(*scale), R=(1e6,))
    for scale in scales:
        add(Setting(params=TWO, start=(2.0, 2.0), R=100.0).at_scale(*scale))
    # dense instances and clients with opposite gradients
    for family, params, n in (
        ("overparameterised_least_squares", LEAST_SQUARES, 6),
        ("heterogeneous_least_squares", INCONSISTENT, 4),
        ("antisymmetric", ANTISYMMETRIC, 2),
    ):
        add(Setting(family=family, params=params, start=(1.0,) * n, R=100.0), R=(1e4, 1e6), S=(1,), eta=(0.1,))
    # one source of error alone
    for base in pure():
        add(base)
    # noise or sampling, at rest off X_h* where f is lower
    pulled = of_sources(sources.pure("sampling"), towards=5.0, mu=1e-3)
    for cap in caps:
        rest = Setting("separable", pulled, eta=1e-9, R=2.0, gamma_g=1e6, cap=cap)
        for each in (replace(rest, S=1), replace(rest, noise_h=(0.01, 0.0))):
            out[balanced(each)] = None
    # constant inner loss: X_h* is the whole space
    for params in (NO_INNER, NO_INNER_SMALL, NO_INNER_STIFF):
        add(Setting(family="degenerate", params=params, start=(1.0, 1.0)), R=(3.0, 100.0, 1e6), eta=(0.1, 10.0), K=(5,))
    return tuple(out)


def near_one(*, convex: bool = False) -> Iterator[Setting]:
    """Unstable steps at curvatures between those of the corners and one: how small they have to be."""
    for curvature in (1e-3, 3e-3, 0.01, 0.03, 0.1, 0.3):
        for spread in (0.01, 1.0):
            params = diagonal((-1.0, 1.0), ((0.0, -1.0), (0.0, 1.0)), L_h=curvature, mu=spread * curvature)
            for gamma_g in (1.0, 1e6):
                base = Setting(params=params, start=(1.0, 1.0), gamma_g=gamma_g, R=3.0, convex=convex)
                yield from grid(base, R=(2.0, 10.0, 40.0), K=(5,), S=(1,))


def strategy(
    *, convex: bool = False, caps: tuple[str, ...] = ("both", "SC16", "SC27"), scales: tuple[Scale, ...] = ()
) -> SearchStrategy[Setting]:
    """Family I1 with all of its parameters in round numbers, for a search; the simplest setting comes first.

    ``scales`` adds rescaled copies; the original comes first.
    """
    from hypothesis import strategies as st

    from rateproof.verify.deciders.search import round_integers, round_numbers

    def setting(
        clients: int, spread: float, L_h: float, mu: float, distance: float, noisy: bool, scale: Scale, **rest: Any
    ) -> Setting:
        params = crowd(2 * clients, L_h, mu) if spread else diagonal((0.0,), ((1.0, 0.0),), L_h, mu)
        noise = (1.0, 1.0) if noisy else (0.0, 0.0)
        built = Setting(
            params=params, start=(distance, distance), noise_f=noise, noise_h=noise, S=1, convex=convex, **rest
        )
        return built.at_scale(*scale)

    return st.builds(
        setting,
        clients=round_integers(1, 200),
        spread=st.sampled_from((0.0, 1.0)),
        L_h=round_numbers(1e-3, 10.0),
        mu=round_numbers(1e-5, 1.0),
        distance=st.sampled_from((0.0, 1.0, 10.0)),
        noisy=st.booleans(),
        K=round_integers(1, 10),
        gamma_g=round_numbers(1.0, 1e6),
        eta=round_numbers(1e-2, 10.0),
        R=st.sampled_from((2.0, 10.0, 100.0, 1e4, 1e6, FAR)),
        step=round_numbers(1e-3, 1.0),
        cap=st.sampled_from(caps),
        scale=st.sampled_from((UNSCALED, *scales)),
    )


def grid(base: Setting, **axes: tuple[Any, ...]) -> Iterator[Setting]:
    """One-factor-at-a-time variations of a base setting, the base first."""
    yield base
    for name, choices in axes.items():
        for choice in choices:
            yield replace(base, **{name: choice})
