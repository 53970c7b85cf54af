"""Inner calls of the two-loop method: StR-FedAvg on the projection problem (4), as trials.

Problem (4) is problem (1) with every ``f_i`` equal to ``g(x) = ||x - y||^2/2``, so :func:`instances.measure` and
:func:`sharp.measure` compute all there is; here the numbers get the names that the claims about the calls use.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import lru_cache
from typing import Any

import numpy as np

from rateproof.algos.problems import sources
from rateproof.algos.problems.base import Fact
from rateproof.theory.papers.strfedavg.corrected_nonconvex import CALLS_MADE
from rateproof.theory.papers.strfedavg.mended import SHARP_UP_TO
from rateproof.theory.papers.strfedavg.nonconvex import INNER_CALLS, PROJECTION
from rateproof.theory.papers.strfedavg.schedules import S_SC, S_SC_1
from rateproof.verify.papers.strfedavg import kinked, sharp
from rateproof.verify.papers.strfedavg.instances import (
    Params,
    Setting,
    build,
    diagonal,
    grid,
    measure,
    of_sources,
    up_to_offset,
)
from rateproof.verify.trial import Trial

METHOD = "exact moments"
DETAIL = "inner calls on problem (4) in exact moments: both solutions, kernel, noise, crowds and curvatures 0.1 to 100"

Point = tuple[float, float]
ORIGIN: Point = (0.0, 0.0)
#: y at distance one from X_h* = {x_1 = 0}.
BESIDE: Point = (1.0, 0.0)
#: Exponents (a, b, p) of the schedule: those of Theorem 3, others with a + b = 1, and with a + b above and below 1.
EXPONENTS = ((7 / 12, 5 / 12, 2.0), (2 / 3, 1 / 3, 4.0), (0.55, 0.45, 1.0), (1.0, 0.5, 2.0), (0.5, 0.25, 2.0))


def projection(y: Point, c: tuple[float, ...] = (0.0, 0.0), L_h: float = 1.0) -> Params:
    """Problem (4) at y over the inner level of family I1: ``X_h* = {x_1 = mean of c}``."""
    return diagonal(c, (y,) * len(c), L_h, 1.0)


def constant(y: Point) -> Params:
    """Problem (4) at y over a constant inner loss (family "degenerate")."""
    return (("d", (y, y)), ("curvature", 1.0))


@lru_cache(maxsize=8192)
def trial(setting: Setting, slope: float = 0.0) -> Trial:
    """A call whose outer losses are all g; ``slope`` is ||grad f(x^{t*})||, which any outer loss f may have."""
    measured = measure(setting)
    problem = build(setting)
    near = problem.bilevel_solution()
    v = measured.values
    reg = problem.regularised_solution(v["eta"])
    start = reg if setting.start is None else np.asarray(setting.start, dtype=float)
    values = _renamed(v) | {
        "D2_proj": float(np.sum((start - near) ** 2)),
        "shift2": float(np.sum((reg - near) ** 2)),
        "grad_f_proj": slope,
        "grad_F_star": slope,
    }
    facts = of_problem_4(measured)
    if measured.degenerate:
        values["delta_h"] = 0.0
        facts[SHARP_UP_TO.key] = Fact(True, "h is constant, so X_h* is the whole space")
    return replace(measured, values=values, facts=facts, at={**measured.at, "slope": slope})


@lru_cache(maxsize=1024)
def sharp_trial(instance: sharp.Sharp) -> Trial:
    """A call whose inner loss is weakly sharp of order 1 up to an offset; ``mu`` is 1 and all ``d`` are y."""
    measured = sharp.measure(instance)
    near = (0.0, instance.d[0][1])
    start = (instance.start[0] - near[0]) ** 2 + (instance.start[1] - near[1]) ** 2
    values = _renamed(measured.values) | {"D2_proj": start, "grad_f_proj": 0.0, "grad_F_star": 0.0}
    return replace(measured, values=values, facts=of_problem_4(measured))


def _renamed(v: Mapping[str, float]) -> dict[str, float]:
    """Numbers of problem (1) under their names in problem (4)."""
    names = {
        "E_sq": "E_err2",
        "E_sq_n": "E_err2_n",
        "gap_f": "gap_g",
        "gap_f_n": "gap_g_n",
        "M": "M_g",
        "grad_f_star": "grad_g_star",
    }
    out = {**v, **{new: v[old] for old, new in names.items() if old in v}}
    out |= {"g_star": v["f_star"] - v["inf_f"], "t": v["R"], "p": v.get("p", 2.0)}
    out |= {"eta_g": v["eta"], "sigma_g2": v["sigma_f2"]}
    out["gamma_t"] = v["gamma_l"] * v["gamma_g"] * v["K"]
    return out


_F = "f(y) = cos(y_1 - s) + cos(y_2), smooth, nonconvex, bounded"
_STILL = (
    "for a small enough outer stepsize all outer iterates up to t are as close to y as one likes, and both sides "
    "depend on y continuously"
)
FACTS = {
    PROJECTION.key: Fact(True, "every f_i is ||x - y||^2/2"),
    "outer_smooth": Fact(True, _F),
    "f_nonconvex": Fact(True, _F),
    "F_bounded_below": Fact(True, "F_lambda >= f >= -2"),
    INNER_CALLS.key: Fact(True, _STILL),
}


def of_problem_4(measured: Trial) -> dict[str, Any]:
    """What a trial of problem (1) whose outer losses are g says of a call."""
    constant = measured.at.get("cap") == S_SC_1.id
    return {
        **measured.facts,
        **FACTS,
        "inner_attain_minimum": measured.facts["clients_attain_minimum"],
        CALLS_MADE.key: Fact(constant, _STILL if constant else "the regularisation is not constant"),
    }


def corner_trials(cap: str = S_SC.id, *, tier: str = "quick") -> tuple[Trial, ...]:
    """Calls at the corners, by the schedule with exponents (a, b), simplest first."""
    trials = [trial(s, slope) for s in corners(cap, tier) for slope in ((0.0, 1.0) if cap != S_SC_1.id else (0.0,))]
    if cap != S_SC_1.id:
        trials.append(crowded(cap, dict(zip("abp", EXPONENTS[0], strict=True))))
    return tuple(map(_rademacher, trials))


@lru_cache(maxsize=8)
def corners(cap: str = S_SC.id, tier: str = "quick") -> tuple[Setting, ...]:
    """Settings of the calls: starts, curvatures, noise and crowds, from the threshold on R to 1e12."""
    if cap == S_SC_1.id:
        return tuple(_constant_eta())
    out: dict[Setting, None] = {}
    rounds: tuple[float, ...] = (3e3, 2e4, 1e6, 1e9) if tier == "quick" else (3e3, 2e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e12)

    def add(base: Setting, **axes: tuple[Any, ...]) -> None:
        out.update(dict.fromkeys(grid(base, **axes)))

    for a_, b_, p_ in EXPONENTS:
        by: dict[str, Any] = {"cap": cap, "exponents": (("a", a_), ("b", b_), ("p", p_))}
        # the kernel of h: only eta g moves the iterate along X_h*
        add(Setting(params=projection(ORIGIN), start=(0.0, 1.0), R=1e6, **by), R=rounds, K=(5,))
        # starts at x^{t*}, at x_eta*, away from both; drift is negligible for a large gamma_g
        add(
            Setting(params=projection(BESIDE), start=ORIGIN, R=1e6, gamma_g=1e6, **by),
            R=rounds,
            start=(None, (5.0, 5.0)),
        )
        add(Setting(params=projection(BESIDE), start=ORIGIN, R=1e6, **by), R=rounds, K=(50,))
        # X_h* away from the origin: the printed average is not one
        add(Setting(params=projection((100.0, 0.0), (100.0, 100.0)), start=(100.0, 0.0), R=1e6, **by), R=rounds)
        for L_h in (0.1, 10.0, 100.0):
            base = Setting(params=projection(BESIDE, L_h=L_h), start=ORIGIN, R=1e9, gamma_g=1e6, **by)
            add(base, start=(None, (1.0, 1.0)), R=rounds[2:])
        # noise along and across X_h*, also where the clients are many and few of them sampled
        for noise in ((0.0, 1.0), (1.0, 0.0)):
            add(Setting(params=projection(ORIGIN), start=None, noise_h=noise, R=1e6, **by), R=rounds, S=(1,), K=(5,))
        for N in (20, 100, 400):
            base = Setting(params=projection(ORIGIN, (-1.0, 1.0) * (N // 2)), start=None, S=1, gamma_g=1e3, R=1e6, **by)
            add(base, R=rounds)
    out.update(dict.fromkeys(_alone(cap, dict(zip("abp", EXPONENTS[0], strict=True)))))
    return tuple(out)


def _alone(cap: str, exponents: Mapping[str, float], eta: float = 1.0) -> Iterator[Setting]:
    """One source of error alone, with y on X_h* or beside it; starts are at x_eta* but for one far away."""
    drift, apart, disagreeing = (sources.pure(name) for name in ("drift", "sampling", "heterogeneity"))
    by: dict[str, Any] = {"cap": cap, "exponents": tuple(exponents.items()), "R": 3e3, "eta": eta}
    for towards in (2 / 3, 1.0):
        yield from grid(Setting("separable", of_sources(drift, towards=towards), start=None, K=2, **by), R=(1e6,))
    yield from grid(Setting("separable", of_sources(apart), start=None, S=1, gamma_g=1e6, **by), R=(1e6,))
    for S in (1, 2):
        yield Setting("separable", of_sources(disagreeing, towards=1.0), start=None, K=2, S=S, **by)
    for noise in ((1.0, 0.0), (0.0, 1.0)):
        yield Setting("separable", of_sources(), start=None, noise_h=noise, gamma_g=1e6, **by)
    for start in ((1e6, 0.0), (0.0, 1e6)):
        yield Setting("separable", of_sources(), start=start, gamma_g=1e6, **by)


def crowded(cap: str, exponents: Mapping[str, float], eta: float = 1.0) -> Trial:
    """A call of a crowd whose noise only shows in the drift, with y on X_h* (see :mod:`kinked`)."""
    many = kinked.crowded(mu=1.0, cap=cap, exponents=tuple(exponents.items()), eta=eta)
    measured = kinked.measure(many)
    still = {"D2_proj": 0.0, "shift2": 0.0, "grad_f_proj": 0.0, "grad_F_star": 0.0}
    return replace(measured, values=_renamed(measured.values) | still, facts=of_problem_4(measured))


def _rademacher(call: Trial) -> Trial:
    """The call with what is known of a distance that is a sum of signs with weights: E|X|^2 >= E X^2 / 2 (Szarek)."""
    v = call.values
    decided = "E_dist_n" in v or call.at.get("S") != 1 or v["grad_g_star"] or not v["h_star"] > v["mean_inf_h"]
    return call if decided else replace(call, values={**v, "E_dist_n": math.sqrt(v["E_sq_n"] / 2)})


def opposite() -> Trial:
    """The numbers of :func:`opposite_setting`."""
    return trial(opposite_setting())


def opposite_setting() -> Setting:
    """A call that starts at the reflection of x_eta* in x^{t*} = 0."""
    setting = Setting(params=projection(BESIDE), cap=S_SC.id, exponents=(("a", 0.6), ("b", 0.4), ("p", 2.0)), R=1e6)
    solution = build(setting).regularised_solution(trial(setting).values["eta"])
    return replace(setting, start=tuple(-float(x) for x in solution))


def _constant_eta() -> Iterator[Setting]:
    """Constant regularisation over a constant inner loss: what weak sharpness of order 1 leaves."""
    for eta in (0.01, 0.1, 1.0):
        for p in (2.0, 4.0):
            base = Setting(
                family="degenerate",
                params=constant(ORIGIN),
                cap=S_SC_1.id,
                eta=eta,
                exponents=(("p", p),),
                start=(1.0, 1.0),
                R=1e6,
            )
            yield from grid(base, R=(1e4, 1e9), noise_h=((1.0, 1.0),), K=(5,))


def sharp_corners(cap: str = S_SC_1.id) -> tuple[Trial, ...]:
    """Calls with a constant regularisation on inner losses that are weakly sharp of order 1 up to an offset."""
    out: dict[sharp.Sharp, None] = {}
    for eta, p in ((0.2, 10.0), (1.0, 2.0), (0.5, 4.0)):
        base = sharp.Sharp(
            cap=cap, mu=1.0, L_h=0.1, width=30.0, d=(BESIDE, BESIDE), start=(3.0, 2.0), eta=eta, exponents=(("p", p),)
        )
        out.update(dict.fromkeys(grid_of(base, R=(2e3, 1e4), width=(10.0, 100.0), start=(ORIGIN, (0.0, 5.0)), K=(3,))))
    trials = [sharp_trial(instance) for instance in out]
    others = [trial(setting) for setting in _alone(cap, {"p": 2.0})] + [crowded(cap, {"p": 2.0})]
    return (*trials, *(up_to_offset(_rademacher(each), tangent=c) for each in others for c in (0.0, 0.5)))


def grid_of(base: sharp.Sharp, **axes: tuple[Any, ...]) -> Iterator[sharp.Sharp]:
    """One-factor-at-a-time variations, the base first."""
    yield base
    for name, choices in axes.items():
        for choice in choices:
            yield replace(base, **{name: choice})


def short() -> tuple[Trial, ...]:
    """Calls of few rounds by the schedule of Theorem 3, which prints no step condition that would keep them stable."""
    exponents = tuple(zip(("a", "b", "p"), EXPONENTS[0], strict=True))
    base = Setting(params=projection(BESIDE, L_h=10.0), cap=S_SC.id, exponents=exponents, start=(5.0, 5.0), R=3.0)
    return tuple(trial(setting, 1.0) for setting in grid(base, R=(10.0,)))


def by_theorem_3(call: Trial) -> bool:
    """Whether a call runs by the schedule of Theorem 3: its exponents, or p = 2 for a constant regularisation."""
    v = call.values
    if call.at["cap"] == S_SC_1.id:
        return v["p"] == 2
    return (v["a"], v["b"], v["p"]) == EXPONENTS[0]


def at_rest(call: Trial) -> bool:
    """Whether a call starts at the solution of all clients and stays: both sides of a bound are then zero."""
    v = call.values
    return v["D2"] == v["g_star"] == v["sigma_h2"] == 0 and v["h_star"] == v["mean_inf_h"]
