"""Which instances the checks try: corners of the families on the line, and exact records of families that decide."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import lru_cache
from itertools import product
from typing import Any

from rateproof.algos.problems.base import Fact
from rateproof.verify.papers.fedrzo.single import families
from rateproof.verify.papers.fedrzo.single.families import Params, line, measured, run
from rateproof.verify.trial import Trial

#: One instance on the line; the corners below change one or two of these.
LINE: Params = {
    "losses": "opposite",
    "sets": "points",
    "a": 1.0,
    "width": 1.0,
    "noise": 0.0,
    "eta": 1.0,
    "x0": 0.0,
    "cap": "nn",
    "part": 1.0,
    "H": 2,
    "K": 3,
    "pick": 0.3,
    "told_L0": 1.0,
    "told_nu": 1.0,
}
RUN: Params = {
    "spread": 0.0,
    "L0": 1.0,
    "constrained": True,
    "noise": 1.0,
    "told_nu": 1.0,
    "x0": 0.0,
    "eta": 1.0,
    "cap": "nn",
    "part": 1.0,
    "n": 1,
    "m": 1,
    "H": 1,
    "K": 1000,
}


def line_corners() -> Iterator[Params]:
    """Clients that drift apart; every loss with every set, with and without noise, in three units, at caps."""
    for eta in (1 / 36, 1 / 120, 1 / 1200):
        for H, K in ((2, 3), (3, 5)):
            for cap in ("1/(4H)", "eta/(4H)"):
                yield {**LINE, "eta": eta, "H": H, "K": K, "cap": cap, "noise": 0.0}
    for losses in families.LOSSES:
        for sets in families.SETS:
            for eta in (1.0, 1e-2, 10.0):
                for noise, K in ((0.0, 3), (1.0, 1)):
                    H = 2 if K == 3 else 1
                    base = {**LINE, "losses": losses, "sets": sets, "eta": eta, "noise": noise * eta, "K": K, "H": H}
                    caps = (("nn", 0.0), ("eta/(4H)", 0.0), ("1/(4H)", 0.0), ("eta", 0.0), ("sets", 1.0))
                    for cap, x0 in caps if eta == 1.0 else caps[::2]:
                        if x0 == 0.0 or sets in ("line", "box"):
                            yield {**base, "cap": cap, "x0": x0}
    for H, K in ((1, 5), (3, 5), (6, 5)):
        for losses in ("slope", "kink", "concave", "zigzag"):
            yield {**LINE, "losses": losses, "noise": 0.5, "H": H, "K": K, "cap": "sets"}
    # one step into a round, far from a set on one side only: the gradients of the clients differ from that at the mean
    yield {**LINE, "losses": "turned", "sets": "half", "eta": 1e-2, "H": 2, "K": 1, "cap": "1/(4H)"}
    for noise in (0.5, 10.0):
        yield {**LINE, "losses": "kink", "noise": noise, "H": 1, "K": 0}


def run_corners() -> Iterator[Params]:
    """Linear losses: noise alone or drift alone, at caps, over short and very long rounds and horizons."""
    for eta in (1 / 36, 1 / 120, 1 / 1200):
        for H, K in ((2, 3), (3, 5), (10, 19)):
            for cap in ("1/(4H)", "eta/(4H)"):
                yield {**RUN, "eta": eta, "H": H, "K": K, "cap": cap, "noise": 0.0, "spread": 1.0, "m": 2}
    yield {**RUN, "H": 1000, "K": 1999, "noise": 0.0, "spread": 1.0, "m": 2, "constrained": False}
    for K in (0, 1, 10, 1000, 10**6):
        for L0 in (1.0, 1e-3, 0.25, 1e3):
            for m, H in ((1, 1), (2, 3), (50, 1), (10, 10)):
                for part in (1.0, 1e-3):
                    for constrained in (True, False):
                        base = {**RUN, "K": K, "L0": L0, "m": m, "H": H, "part": part, "constrained": constrained}
                        yield base
                        yield {**base, "noise": 0.0, "spread": 1.0 if m % 2 == 0 else 0.0, "cap": "sets"}
    for n, K, m in product((2, 10, 1000), (0, 100, 10**6), (1, 4)):
        for noise, spread in ((1.0, 0.0), (0.0, 1.0 if m > 1 else 0.0)):
            base = {**RUN, "n": n, "K": K, "m": m, "noise": noise, "spread": spread}
            yield base
            yield {**base, "H": 3, "cap": "sets", "constrained": False}
            yield {**base, "H": 3, "L0": 0.01, "part": 0.01}
    for eta in (1e-2, 1e2):
        for cap in ("nn", "sets"):
            yield {**RUN, "eta": eta, "L0": 1e-3, "K": 10**6, "cap": cap, "part": 0.01}
            yield {**RUN, "eta": eta, "L0": 1e-3, "K": 10**6, "cap": cap, "part": 1.0, "m": 10, "H": 10}


def horizon_corners() -> Iterator[Params]:
    """Linear losses along S-com, K a fourth power times m^3 (so that H is whole without rounding) and between two."""
    for L0, eta, root, m in product((1.0, 1e-3, 10.0), (1.0, 0.1, 400.0), (30, 100, 1000), (1, 4)):
        for noise, spread in ((eta, 0.0), (0.0, 1.0 if m > 1 else 0.0)):
            K = m**3 * root**4
            base = {**RUN, "L0": L0, "eta": eta, "m": m, "noise": noise, "spread": spread, "cap": families.COM}
            yield {**base, "K": K, "H": root}
            yield {**base, "K": K + 1, "H": root + 1}


@lru_cache(maxsize=1)
def horizon_trials() -> tuple[Trial, ...]:
    """The trials of :func:`horizon_corners`."""
    return tuple(_built(run, params) for params in horizon_corners())


@lru_cache(maxsize=1)
def line_trials() -> tuple[Trial, ...]:
    """The trials of :func:`line_corners`."""
    return tuple(_built(line, params) for params in line_corners())


@lru_cache(maxsize=1)
def run_trials() -> tuple[Trial, ...]:
    """The trials of :func:`run_corners`."""
    return tuple(_built(run, params) for params in run_corners())


def _built(build: Any, params: Params) -> Trial:
    trial: Trial = build(params)
    return trial


@lru_cache(maxsize=1)
def tied() -> tuple[Trial, ...]:
    """Samples that depend on the directions: a bias on the line, and errors along every direction of the plane."""
    return (
        tied_signs(eta=1),
        answered(measured("tied sectors", L0=1, nu=1, eta=1, c=10), fresh="the sector drawn is that of v"),
    )


def tied_signs(*, eta: str | int) -> Trial:
    """The measure of this name at a radius, over 9^20 steps."""
    not_free = "xi is the sign of v"
    return answered(measured("tied signs", L0=1, nu=1, eta=eta, a=20), fresh=not_free, independent=not_free)


def answered(trial: Trial, **failing: str) -> Trial:
    """The trial with hypotheses that it fails, and why."""
    return replace(trial, facts={**trial.facts, **{key: Fact(False, why) for key, why in failing.items()}})


@lru_cache(maxsize=1)
def confined() -> tuple[Trial, ...]:
    """Clients whose sets differ: B_1 alone, or B_2 alone, in short rounds and in long ones."""
    short, long = ({"gamma": "1/8", "root_m": 5, "H": 2}, {"gamma": "1/64", "root_m": 11, "H": 16})
    runs = ({**short, "rounds": 300, "j": 1}, {**long, "rounds": 3000, "j": 15})
    at = {"L0": 1, "nu": "1/1000", "eta": 1}
    return tuple(measured("one client confined", **at, **run, told=told) for run in runs for told in ("B1", "B2"))


@lru_cache(maxsize=1)
def kinked() -> tuple[Trial, ...]:
    """Noise at the minimiser, in rounds of one step: of directions at flat and steep kinks, and of values."""
    at = {"noise": 0, "nu": "1e-9", "eta": 1, "m": 1, "free": 0}
    flat = {"L0": "1/1000", "gamma": "1e-5", "K": 10**7}
    steep = {"L0": 10**5, "gamma": "5e-12", "K": 10**6}
    loud = {"L0": 10**5, "noise": 5 * 10**6, "nu": 5 * 10**6, "gamma": "5e-14", "K": 10**6}
    sampled = {"L0": "1e-6", "noise": "1/2000", "nu": "1/2000", "gamma": "1e-5", "K": 10**7}
    # along S-com: gamma = sqrt(m/K) with K = m^3, and radii at which the bound's terms with H are small
    com = (
        {"L0": "1/1000", "eta": 10**4, "m": 10**4, "gamma": "1/10000", "K": 10**12},
        {"L0": 1000, "eta": 2 * 10**8, "m": 400, "gamma": "1/400", "K": 400**3},
        {"L0": 10**4, "noise": 25 * 10**14, "nu": 25 * 10**14, "eta": 5 * 10**9, "m": 70, "gamma": "1/70", "K": 70**3},
    )
    runs = (flat, steep, steep | {"free": 1}, loud, loud | {"free": 1}, sampled, *com, *(run | {"m": 1} for run in com))
    long = {"L0": 20, "noise": 50_000, "nu": 50_000, "eta": 1, "gamma": "1e-14", "m": 1, "K": 10**16}
    return (*(measured("noisy kink", **at | run) for run in runs), measured("sampled kink", **long))


@lru_cache(maxsize=1)
def bent() -> tuple[Trial, ...]:
    """Local steps alone, among clients of which half have a kink; the last run is along S-com."""
    at = {"L0": 1, "eta": 1, "nu": "1e-9", "slope": "99/100", "gamma": "1/10000", "m": 10**12, "K": 10**6 - 1}
    com = {"eta": f"1/{2**17}", "slope": "1/2", **_com(2**20, H=2)}
    return tuple(measured("bent clients", **at | run) for run in ({"held": 0}, {"held": 1}, com | {"held": 0}))


@lru_cache(maxsize=1)
def crossing() -> tuple[Trial, ...]:
    """Local steps alone, among clients whose sets differ: B_1 alone, or B_2 alone; freely and along S-com."""
    at = {"L0": 1, "eta": 1, "half": "1e-12", "gamma": "1e-15", "m": 10**40, "K": 10**80 - 1, "nu": "1e-9"}
    com = {"eta": "1/1024", "half": f"1/{2**39}", **_com(2**54, H=2)}
    runs = product((at, at | com), (0, 1), ("B1", "B2"))
    return tuple(measured("crossing lines", **run, held=held, told=told) for run, held, told in runs)


@lru_cache(maxsize=1)
def drifting_noise() -> tuple[Trial, ...]:
    """Noise that moves clients to where their gradients bend; between sets freely and along S-com, and without sets."""
    at = {"nu": 10**4, "eta": 1, "m": 10**12, "K": 10**12 - 1}
    com = {"eta": f"1/{2**17}", "nu": f"10000/{2**17}", **_com(2**24, H=2)}
    sets = (measured("noisy half-lines", **at | run, L0="1/4") for run in ({"gamma": "1/1000"}, com))
    return (*sets, measured("noisy bend", **at | {"L0": 1, "gamma": "1e-8", "m": 10**40}))


def _com(m: int, *, H: int) -> dict[str, Any]:
    """S-com for a power of two, so that floats have gamma = sqrt(m/K) and H = (K/m^3)^{1/4} without rounding."""
    return {"m": m, "gamma": f"1/{m * H**2}", "K": m**3 * H**4}


def renamed(trial: Trial, names: Mapping[str, str], **numbers: float) -> Trial:
    """The trial with some of its numbers under other names, and further ones."""
    return replace(trial, values={**{new: trial.values[old] for new, old in names.items()}, **numbers})


@lru_cache(maxsize=1)
def records() -> tuple[Trial, ...]:
    """Exact instances that decide, simplest first."""
    drift = {"L0": 1, "nu": "1/1000"}
    noisy = {"nu": 1, "eta": 1, "m": 1, "H": 1}
    return (
        measured("opposite clients", **drift, eta="1/2", gamma="1/12", H=2, k=1),
        measured("opposite clients", **drift, eta="1/36", gamma="1/12", H=2, k=3),
        measured("opposite clients", **drift, eta="1/1200", gamma="1/12", H=3, k=5),
        measured("opposite clients", **drift, eta="1/1000", gamma="1/40", H=10, k=19),
        *confined(),
        measured("overshot pair", **drift, eta=1, gamma=100),
        measured("kink step", L0=1, nu=1, eta=1, gamma="1/64"),
        measured("kink step", L0=10, nu="1/1000", eta=1, gamma="1/64"),
        measured("stray step", L0=1, nu=1, eta=1, gamma=4, c=1),
        measured("noisy clients", **noisy, L0="1/10", gamma="1/32", K=0),
        measured("noisy clients", **noisy, L0="1/1000", gamma="1/512", K=1023),
        measured("noisy clients", **noisy, L0="1/1000", gamma="1/10000", K=10**6),
        measured("noisy clients", L0="1e-6", nu=1, eta=400, gamma="1e-4", m=1, H=100, K=10**8),
        *kinked(),
        *(trial for trial in (*bent(), *crossing()) if trial.at["held"] == 0),
        *drifting_noise(),
    )
