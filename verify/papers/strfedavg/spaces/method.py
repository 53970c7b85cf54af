"""Spaces for the bounds about the method: one round, the average of R rounds, and runs along a schedule.

Besides admissible instances they hold some that miss a hypothesis each: steps and parameters out of range, constants
stated too small, noise that the clients share, and points at which the method rests although they solve nothing.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from rateproof.algos import exact
from rateproof.algos.exact import Law
from rateproof.algos.problems.base import Fact
from rateproof.theory.claim import Claim
from rateproof.verify.papers.strfedavg import instances
from rateproof.verify.papers.strfedavg.instances import (
    IDENTICAL,
    M_FLOOR,
    M_SLACK,
    ONE,
    SCHEDULES,
    SMALL,
    TWO,
    Params,
    Setting,
    build,
    crowd,
    diagonal,
    grid,
    method_values,
    metrics,
    stepsize_cap,
    weight_sums,
)
from rateproof.verify.papers.strfedavg.rates import DECADES, EXPONENTS_C, EXPONENTS_SC
from rateproof.verify.papers.strfedavg.spaces import standalone
from rateproof.verify.papers.strfedavg.spaces.programs import at, numbers, script
from rateproof.verify.spaces.rescaled import scales
from rateproof.verify.spaces.space import Space, refusing
from rateproof.verify.trial import Trial

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

# --- settings --------------------------------------------------------------------------------------------------------

#: Structural hypotheses that a constant speaks for, and whether it may be larger than the true one, or smaller.
SPOKEN_FOR = {
    "L_f": ("f_smooth", "larger"),
    "L_h": ("h_smooth", "larger"),
    "sigma_f2": ("variance_bounded", "larger"),
    "sigma_h2": ("variance_bounded", "larger"),
    "alpha": ("weak_sharp", "smaller"),
    "mu_f": ("f_strongly_convex", "smaller"),
}


LOUD: dict[str, Any] = {"noise_f": (1.0, 1.0), "noise_h": (1.0, 1.0)}


@dataclass(frozen=True)
class Case:
    """A setting, and what is wrong with it.

    Attributes:
        setting: the instance.
        stated: constants that the claim is told instead of the true ones (of :data:`SPOKEN_FOR`); the stepsize is the
            setting's fraction of the cap that the stated ones allow.
        shared_noise: all sampled clients draw the same noise (all have one Hessian).
    """

    setting: Setting
    stated: Params = ()
    shared_noise: bool = False

    def __str__(self) -> str:
        said = [f"{k} is stated as {v:g}" for k, v in self.stated]
        return ", ".join([str(self.setting), *said, *["all clients draw the same noise"] * self.shared_noise])


def measure(case: Case) -> Trial:
    """Everything that :func:`instances.measure` measures, under the stated constants."""
    setting = case.setting
    if not case.stated and not case.shared_noise:
        return instances.measure(setting)
    trial = instances.measure(_run(case))
    values, facts = dict(trial.values), dict(trial.facts)
    if case.shared_noise:
        true = instances.measure(replace(_run(case), noise_f=setting.noise_f, noise_h=setting.noise_h)).values
        values |= {k: true[k] for k in ("sigma_f2", "sigma_h2", "drift_sum", "drift_sum_prev")}
        facts["independent_noise"] = Fact(False, "all sampled clients draw the same noise")
        facts["variance_bounded"] = Fact(True, f"sigma_f^2 = {true['sigma_f2']:g}, sigma_h^2 = {true['sigma_h2']:g}")
    trial = restated(replace(trial, values=values, facts=facts), case.stated)
    values = dict(trial.values)
    if "mu_f" in dict(case.stated):
        values |= _reweighted(case, values)
    return replace(trial, label=str(case), values=values, at=_at(case))


def restated(trial: Trial, stated: Params) -> Trial:
    """The trial under other constants than the true ones, and what that means for the hypotheses."""
    if not stated:
        return trial
    values, facts = dict(trial.values), dict(trial.facts)
    for name, value in stated:
        key, side = SPOKEN_FOR[name]
        true = values[name]
        valid = value >= true if side == "larger" else value <= true
        if facts[key].holds:
            facts[key] = Fact(valid, f"{name} is {true:g}, stated as {value:g}")
        values[name] = value
    said = ", ".join(f"{name} stated as {value:g}" for name, value in stated)
    at = {**trial.at, "stated": dict(stated)}
    return replace(trial, label=f"{trial.label}, {said}", values=values, facts=facts, at=at)


def _run(case: Case) -> Setting:
    """The setting whose own numbers are those of the case: its stepsize, and noise that averages like shared noise."""
    setting, problem = case.setting, build(case.setting)
    if case.stated and setting.cap not in SCHEDULES:
        true: dict[str, Any] = {"L_f": problem.constants.L_f, "L_h": problem.constants.L_h}
        stated = true | {k: v for k, v in case.stated if k in true}
        rule: dict[str, Any] = {"eta": setting.eta, "K": setting.K, "gamma_g": setting.gamma_g}
        ratio = stepsize_cap(setting.cap, **stated, **rule) / stepsize_cap(setting.cap, **true, **rule)
        setting = replace(setting, step=setting.step * ratio)
    if case.shared_noise:
        if (problem.H[0] != problem.H).any() or (problem.F[0] != problem.F).any():
            raise ValueError(f"{case}: shared noise needs clients with one Hessian")
        factor = math.sqrt(setting.S or problem.N)
        louder: dict[str, Any] = {k: tuple(factor * v for v in getattr(setting, k)) for k in ("noise_f", "noise_h")}
        setting = replace(setting, **louder)
    return setting


def _reweighted(case: Case, v: dict[str, float]) -> dict[str, float]:
    """The averages of a run without randomness, with the weights that the stated mu_f gives."""
    problem, eta = build(case.setting), v["eta"]
    u = eta * v["mu_f"] * v["gamma_l"] * v["gamma_g"] * v["K"] / 2
    x_eta, x_star = problem.regularised_solution(eta), problem.bilevel_solution()
    start = case.setting.start
    rule: dict[str, Any] = {k: v[k] for k in ("gamma_l", "gamma_g", "eta")} | {k: int(v[k]) for k in ("K", "S", "R")}
    law = exact.moments(
        problem,
        **rule,
        x0=x_eta if start is None else np.asarray(start, dtype=float),
        decay=u,
        center=x_eta,
    ).avg
    if law.cov.any():
        raise ValueError(f"{case}: mu_f can be stated for runs without noise and with all clients only")
    Theta_R, c = weight_sums(u, v["R"])
    printed = Law(c * law.shift + (c - 1) * x_eta, law.cov, x_eta)
    out = metrics(problem, law, x_star, eta, True, "_n") | metrics(problem, printed, x_star, eta, True, "")
    low = max(0.0, -out["gap_f"], -out["gap_f_n"])
    return out | {"Theta_R": Theta_R, "M": M_SLACK * low + M_FLOOR}


def _at(case: Case) -> dict[str, Any]:
    return case.setting.at | {"stated": dict(case.stated), "shared_noise": case.shared_noise}


def program(case: Case) -> str:
    """Source text: the exact law of the run on plain arrays."""
    return script(
        standalone.one_loop, standalone.solutions, standalone.constants, standalone.moments, **arrays(case)
    ) + told((*exponents(measure(case).values), *case.stated))


def exponents(values: Mapping[str, float]) -> Params:
    """Those of the schedule, where it has any."""
    return tuple((k, values[k]) for k in ("a", "b", "p") if k in values)


def told(stated: Params) -> str:
    """Lines of a program that replace constants by the stated ones."""
    return "".join(f"values[{k!r}] = {v!r}  # as stated\n" for k, v in stated)


def clients(setting: Setting) -> dict[str, Any]:
    """The losses of a setting as plain arrays."""
    problem = build(setting)
    (d, f_min, _), (t, h_min, _) = problem.outer.minima, problem.inner.minima
    return {"F": problem.F, "d": d, "f_min": f_min, "H": problem.H, "t": t, "h_min": h_min}


def arrays(case: Case) -> dict[str, Any]:
    """The instance as plain arrays, and the numbers that rule the run."""
    problem, v = build(case.setting), measure(case).values
    start = case.setting.start
    out = {
        **clients(case.setting),
        **{"cov_f": problem.cov_f, "cov_h": problem.cov_h},
        "start": None if start is None else np.asarray(start, dtype=float),
        **{k: int(v[k]) for k in ("K", "S", "R")},
        **{k: v[k] for k in ("gamma_l", "gamma_g", "eta")},
        "mu_f": 0.0 if case.setting.convex else dict(case.stated).get("mu_f"),
    }
    return out | ({"shared_noise": True} if case.shared_noise else {})


# --- points of rest --------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Still:
    """A run that starts and rests at the origin of the plane, where nothing is solved: a hypothesis is missing.

    Attributes:
        kind: see :func:`standalone.resting`.
        height, L_h, mu, d: of the losses.
        K, gamma_g, eta, R, step, cap, exponents, convex: as in :class:`instances.Setting`.
    """

    kind: str = "outer bump"
    height: float = 1.0
    L_h: float = 1.0
    mu: float = 1.0
    d: float = 1.0
    K: int = 1
    gamma_g: float = 1.0
    eta: float = 0.1
    R: float = 1e6
    step: float = 1.0
    cap: str = "both"
    exponents: Params = ()
    convex: bool = False


#: What is wrong at each point of rest, and how it stands with the other hypotheses.
KINDS: dict[str, dict[str, tuple[bool, str]]] = {
    "outer bump": {
        "f_convex": (False, "f = height (1 + cos x_1)"),
        "f_strongly_convex": (False, "f = height (1 + cos x_1)"),
    },
    "inner bump": {"h_convex": (False, "h = height (1 + cos x_1)")},
    "bias": {
        "unbiased": (False, "gradients of h carry the constant error (eta mu d, 0)"),
        "variance_bounded": (True, "the squared error is (eta mu d)^2, stated as sigma_h^2"),
    },
}
ALL_TRUE = {
    "f_convex": "f is a convex quadratic",
    "f_strongly_convex": "f = (mu/2)||x - d||^2",
    "f_smooth": "curvatures in [-L_f, L_f]",
    "h_convex": "h = (L_h/2) x_2^2",
    "h_smooth": "curvatures in [-L_h, L_h]",
    "X_h_nonempty": "h has minimisers",
    "f_bounded_below": "inf f = 0, attained",
    "clients_attain_minimum": "both clients share their minimisers",
    "unbiased": "gradients are exact",
    "variance_bounded": "there is no noise",
    "independent_noise": "nothing is random",
    "weak_sharp": "h - h* >= alpha dist^2; 1 + cos x >= (2/pi^2)(pi - x)^2 on [0, pi]",
}


def rest(still: Still) -> Trial:
    """Everything that the bounds about the method speak of, at a point of rest."""
    facts = {k: Fact(True, why) for k, why in ALL_TRUE.items()}
    facts |= {k: Fact(*said) for k, said in KINDS[still.kind].items()}
    return Trial.exact(
        f"{still.kind}: {still}",
        {**standalone.resting(**_resting(still)), **dict(still.exponents)},
        facts,
        at=asdict(still) | {"exponents": dict(still.exponents)},
    )


def _resting(still: Still) -> dict[str, Any]:
    losses = {k: getattr(still, k) for k in ("kind", "height", "L_h", "mu", "d")}
    outer, inner = (still.height, still.L_h) if still.kind == "outer bump" else (still.mu, still.L_h)
    constants = {"N": 2.0, "L_f": outer, "L_h": still.height if still.kind == "inner bump" else inner}
    constants["mu_f"] = 0.0 if still.convex or still.kind == "outer bump" else still.mu
    shared = ("K", "gamma_g", "eta", "R", "step", "cap", "exponents", "convex")
    ruled = method_values(Setting(**{k: getattr(still, k) for k in shared}), constants)
    u = ruled["eta"] * constants["mu_f"] * ruled["gamma_l"] * still.gamma_g * still.K / 2
    if (still.kind == "inner bump" and still.height <= ruled["eta"] * still.mu) or u >= 1:
        raise ValueError(f"{still}: the origin solves the problem, or theta is negative")
    rule = {k: ruled[k] for k in ("gamma_l", "gamma_g", "eta")}
    return losses | rule | {"mu_f": constants["mu_f"], "K": still.K, "R": int(still.R)}


def build_run(params: Case | Still) -> Trial:
    """The trial of a setting or of a point of rest."""
    return measure(params) if isinstance(params, Case) else rest(params)


def program_of(params: Case | Still) -> str:
    """Source text for a setting or a point of rest."""
    if isinstance(params, Case):
        return program(params)
    text = script(standalone.resting, **_resting(params))
    return text + "".join(f"values[{k!r}] = {v!r}\n" for k, v in params.exponents)


# --- what misses a hypothesis ----------------------------------------------------------------------------------------

SHARERS = diagonal((0.0,) * 20, ((0.0, 0.0),) * 20)


def beyond(*, convex: bool, cap: str, exponents: Params = ()) -> Iterator[Case | Still]:
    """Instances that miss a hypothesis: about the parameters of the method, the constants, the noise, convexity."""
    by: dict[str, Any] = {"cap": cap, "exponents": exponents, "convex": convex}
    base = Setting(params=TWO, start=(2.0, 2.0), R=100.0, **by)
    for R in (2.0, 10.0, 100.0):
        for step in (4.0, 20.0, 100.0) if cap not in SCHEDULES else ():
            yield Case(replace(base, R=R, step=step))
            yield Case(replace(base, R=R, step=step, start=None, S=1))
        yield from (Case(replace(base, R=R, gamma_g=g, K=K)) for g in (0.5, 0.01) for K in (1, 10))
        yield from (Case(replace(base, R=R), ((name, 0.1),)) for name in ("L_f", "L_h"))
        yield from (Case(replace(base, R=R), ((name, 1e-3),)) for name in ("L_f", "L_h"))
        for name, curvatures in (("L_h", (1.0, 1e-3)), ("L_f", (1e-3, 1.0))):  # steps that the true constants forbid
            stiff = diagonal((-1.0, 1.0), ((1.0, -1.0), (1.0, 1.0)), *curvatures)
            yield Case(replace(base, params=stiff, R=R), ((name, 1e-3),))
        uneven: Params = (("d", ((0.0, 0.0),) * 2), ("curvature", ((1.0, 0.01),) * 2))
        yield Case(replace(base, family="degenerate", params=uneven, R=R), (("L_f", 0.005),))
    for R in (100.0, 1e4, 1e6):
        yield from (Case(replace(base, R=R, start=(0.1, 0.1)), (("alpha", alpha),)) for alpha in (10.0, 1e4))
        if not convex and cap not in SCHEDULES:
            for curvature in (1e-2, 1e-4):
                flat = replace(base, params=diagonal((0.0, 0.0), ((0.0, 0.0),) * 2, 1.0, curvature), R=R)
                yield Case(flat, (("mu_f", 0.1), ("L_f", 0.1)))
        noisy = replace(base, params=IDENTICAL, start=None, R=R)
        for step in (1.0, 1e-2):
            slower = replace(noisy, step=step)
            yield Case(replace(slower, noise_f=(1.0, 1.0)), (("sigma_f2", 0.0),))
            yield Case(replace(slower, noise_h=(1.0, 1.0)), (("sigma_h2", 0.0),))
            yield Case(replace(slower, params=SHARERS, noise_h=(0.0, 1.0)), shared_noise=True)
            yield Case(replace(slower, params=SHARERS, noise_h=(0.0, 10.0), eta=0.1), shared_noise=True)
        for kind in KINDS:
            if convex or kind != "outer bump":
                still = Still(kind=kind, R=R, **by)
                yield still
                yield replace(still, eta=0.01, R=R * 1e3)


# --- the spaces ------------------------------------------------------------------------------------------------------


def method_space(*, convex: bool, caps: tuple[str, ...]) -> Space[Case | Still]:
    """Families I1 to I5, I7 and I8 under a step condition, for bounds on one round or on the average."""

    def corners(claim: Claim) -> Iterator[Case | Still]:
        yield from map(Case, instances.corners(convex=convex, caps=caps, scales=scales(claim)))
        for cap in caps:
            yield from beyond(convex=convex, cap=cap)

    def strategy(claim: Claim) -> SearchStrategy[Case | Still]:
        from hypothesis import strategies as st

        plain = instances.strategy(convex=convex, caps=caps, scales=scales(claim))
        return st.one_of(plain.map(Case), _two_clients(convex, caps), _flawed(convex, caps))

    what = "convex" if convex else "strongly convex"
    return _space(f"quadratic clients, {what} outer losses, steps by {' or '.join(caps)}", corners, strategy)


def _space(
    name: str,
    corners: Callable[[Claim], Iterator[Case | Still]],
    strategy: Callable[[Claim], SearchStrategy[Case | Still]],
) -> Space[Case | Still]:
    return Space(name, corners, strategy, refusing(build_run), numbers, at, program_of)


def _two_clients(convex: bool, caps: tuple[str, ...]) -> SearchStrategy[Case | Still]:
    """Two clients whose minimisers are anywhere, started anywhere, with noise along either axis."""
    from hypothesis import strategies as st

    from rateproof.verify.deciders.search import round_integers, round_numbers

    place = st.sampled_from((0.0, 1.0, -1.0, 2.0, -2.0, 10.0, -10.0, 0.1, -0.1))
    plane = st.tuples(place, place)
    deviations = st.sampled_from(((0.0, 0.0), (1.0, 0.0), (0.0, 1.0), (1.0, 1.0)))
    return st.builds(
        lambda spread, d, L_h, mu, **rest: Case(
            Setting(params=diagonal((-spread, spread), d, L_h, mu), convex=convex, **rest)
        ),
        spread=st.sampled_from((0.0, 1.0, 0.1, 10.0)),
        d=st.tuples(plane, plane),
        L_h=round_numbers(1e-4, 100.0),
        mu=round_numbers(1e-4, 100.0),
        start=st.one_of(st.none(), plane),
        noise_f=deviations,
        noise_h=deviations,
        S=st.sampled_from((0, 1)),
        K=round_integers(1, 20),
        gamma_g=round_numbers(1.0, 1e6),
        eta=round_numbers(1e-3, 100.0),
        R=st.sampled_from((2.0, 5.0, 10.0, 100.0, 1e3, 1e4, 1e6, 1e9)),
        step=round_numbers(1e-3, 1.0),
        cap=st.sampled_from(caps),
    )


def _flawed(convex: bool, caps: tuple[str, ...]) -> SearchStrategy[Case | Still]:
    """Parameters out of range, wrong constants, shared noise, and points of rest."""
    from hypothesis import strategies as st

    from rateproof.verify.deciders.search import round_integers, round_numbers

    names = [name for name in SPOKEN_FOR if name != "mu_f"]
    louder = st.builds(
        lambda name, told, L_h, mu, noisy, **rest: Case(
            Setting(
                params=diagonal((-1.0, 1.0), ((1.0, -1.0), (1.0, 1.0)), L_h, mu),
                convex=convex,
                **rest,
                **(LOUD if noisy else {}),
            ),
            ((name, told),) if name else (),
            shared_noise=noisy,
        ),
        name=st.sampled_from((None, *names)),
        told=round_numbers(1e-4, 1e4),
        L_h=round_numbers(1e-3, 10.0),
        mu=round_numbers(1e-3, 10.0),
        noisy=st.booleans(),
        start=st.sampled_from((None, (0.0, 0.0), (2.0, 2.0))),
        K=round_integers(1, 10),
        gamma_g=round_numbers(1e-3, 1e3),
        eta=round_numbers(1e-2, 10.0),
        R=st.sampled_from((2.0, 10.0, 100.0, 1e4, 1e6)),
        step=round_numbers(1e-3, 1e3),
        cap=st.sampled_from(caps),
    )
    still = st.builds(
        Still,
        kind=st.sampled_from([kind for kind in KINDS if convex or kind != "outer bump"]),
        height=round_numbers(1e-2, 100.0),
        L_h=round_numbers(1e-2, 100.0),
        mu=round_numbers(1e-2, 10.0),
        d=round_numbers(1e-2, 100.0),
        eta=round_numbers(1e-3, 10.0),
        R=st.sampled_from((10.0, 1e3, 1e6, 1e9)),
        step=round_numbers(1e-3, 1.0),
        cap=st.sampled_from(caps),
        convex=st.just(convex),
    )
    return st.one_of(louder, still)


# --- along a schedule ------------------------------------------------------------------------------------------------

WEAK = diagonal((0.0, 0.0), ((0.0, 0.0),) * 2, 0.1, 0.1)
#: Exponents out of every printed range: a + b > 1 with b >= a, b = a, a > 1.
OUT_OF_RANGE = ((0.5, 0.6), (0.5, 0.5), (1.2, 0.5), (0.2, 0.9))


def schedule_space(schedule: str) -> Space[Case | Still]:
    """Family I1 along a schedule, from R = 2 to 1e15, for every pair of exponents."""
    convex = schedule != "S-sc"

    def exponents(a: float, b: float, p: float) -> Params:
        return (("a", a), ("b", b)) if convex else (("a", a), ("b", b), ("p", p))

    def corners(claim: Claim) -> Iterator[Case | Still]:
        out: dict[Case, None] = {}
        for params in (TWO, IDENTICAL, crowd(20), WEAK, SMALL, ONE):
            for a, b in EXPONENTS_C if convex else EXPONENTS_SC:
                for p in (1.0,) if convex else (1.0, 4.0):
                    by: dict[str, Any] = {"cap": schedule, "exponents": exponents(a, b, p), "convex": convex}
                    base = Setting(params=params, start=(5.0, 5.0), **by)
                    out |= dict.fromkeys(map(Case, grid(base, R=DECADES[::3])))
                    if convex:
                        crowded = replace(base, params=crowd(2000, 0.1, 0.1), start=None, S=1)
                        out |= dict.fromkeys(map(Case, grid(crowded, R=(100.0, 1e4))))
                    noisy = replace(base, noise_h=(1.0, 1.0), noise_f=(1.0, 1.0), S=1, K=5)
                    out |= dict.fromkeys(map(Case, grid(noisy, R=DECADES[6:12:3])))
        late = [case for case in out if case.setting.params in (TWO, WEAK) and DECADES[::3][-1] == case.setting.R]
        yield from out
        yield from (replace(c, setting=c.setting.at_scale(*scale)) for scale in scales(claim) for c in late)
        for a, b in OUT_OF_RANGE:
            base = Setting(
                params=TWO, start=(5.0, 5.0), cap=schedule, exponents=exponents(a, b, 1.0), convex=convex, R=1e6
            )
            yield from map(Case, grid(base, R=(2.0, 100.0, 1e12)))
        for p in () if convex else (0.1, 0.5):
            base = Setting(params=TWO, start=(5.0, 5.0), cap=schedule, exponents=exponents(2 / 3, 1 / 3, p), R=1e6)
            yield from map(Case, grid(base, R=(2.0, 100.0, 1e12)))
        yield from beyond(convex=convex, cap=schedule, exponents=exponents(0.6, 0.3, 2.0))

    def strategy(claim: Claim) -> SearchStrategy[Case | Still]:
        from hypothesis import strategies as st

        from rateproof.verify.deciders.search import round_integers, round_numbers

        share = st.sampled_from([k / 20 for k in range(1, 25)])
        place = st.sampled_from((0.0, 1.0, -1.0, 5.0, -5.0, 0.1))
        return st.builds(
            lambda spread, clients, d, L_h, mu, a, b, p, noisy, scale, **rest: Case(
                Setting(
                    params=diagonal((-spread, spread) * clients, d * clients, L_h, mu),
                    cap=schedule,
                    exponents=exponents(a, b, p),
                    convex=convex,
                    **rest,
                    **(LOUD if noisy else {}),
                ).at_scale(*scale)
            ),
            spread=st.sampled_from((0.0, 1.0)),
            clients=round_integers(1, 100),
            d=st.tuples(st.tuples(place, place), st.tuples(place, place)),
            L_h=round_numbers(1e-4, 10.0),
            mu=round_numbers(1e-4, 10.0),
            a=share,
            b=share,
            p=round_numbers(0.1, 10.0),
            noisy=st.booleans(),
            scale=st.sampled_from(((1.0, 1.0, 1.0), *scales(claim))),
            start=st.one_of(st.none(), st.tuples(place, place)),
            S=st.sampled_from((0, 1)),
            K=round_integers(1, 10),
            gamma_g=round_numbers(1.0, 1e6),
            R=st.sampled_from((2.0, 5.0, 10.0, 100.0, 1e3, 1e4, 1e6, 1e9, 1e12, 1e15)),
        )

    return _space(f"quadratic clients along {schedule}", corners, strategy)
