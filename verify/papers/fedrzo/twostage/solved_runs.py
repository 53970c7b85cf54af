"""Runs of Algorithm 4 with Algorithm 5 in dimension one, on all branches: Theorem 2 (i) and (ii) together."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from functools import lru_cache

import numpy as np

from rateproof.algos.methods.fedrzo_lower import FedRZO_2s
from rateproof.algos.methods.vi import ProjectionMethod
from rateproof.algos.piecewise import absolute, affine
from rateproof.algos.problems.base import Fact
from rateproof.algos.problems.line_lower import LineTwoStage
from rateproof.verify.papers.fedrzo.branches import Array, trace
from rateproof.verify.papers.fedrzo.single.grids import bent, crossing, kinked, renamed
from rateproof.verify.papers.fedrzo.twostage.common import facts_of, local_steps, steps_of, symbols_of
from rateproof.verify.trial import Trial


@dataclass(frozen=True)
class Solved:
    """Loss ``y`` (or ``|y|``), ``G = y - x - noise xi`` over a long interval, ``X_i = {0}`` or the line.

    ``mu_F = 1/2`` and ``L_F = 1`` are declared, so that Algorithm 5 contracts by 1/2 where 3/4 is promised.
    """

    kinked: bool = False
    noise: float = 0.0
    free: bool = False
    start: float = 0.0
    y0: float = 0.5
    eta: float = 1.0
    gamma: float = 0.02
    H: int = 2
    rounds: int = 3


@lru_cache(maxsize=64)
def solved_trial(one: Solved) -> Trial:
    """The whole run; B is the largest squared distance of ``y_0`` from a solution that a query has."""
    up = affine(slope=1.0, intercept=one.noise)
    down = affine(slope=1.0, intercept=-one.noise)
    problem = LineTwoStage(
        [affine(slope=0.0)],
        [absolute(slope=1.0) if one.kinked else affine(slope=1.0)],
        target=(up, down) if one.noise else affine(slope=1.0),
        low=-1e6,
        high=1e6,
        intervals=None if one.free else [(0.0, 0.0)],
        mu_F=0.5,
        L_F=1.0,
        params=asdict(one),
    )
    tau, alpha = 3.5, 0.5
    method = FedRZO_2s(gamma=one.gamma, eta=one.eta, H=one.H, solver=ProjectionMethod(alpha=alpha, tau=tau, y0=one.y0))
    run = trace(method, problem, one.start, rounds=one.rounds)
    smoothed, c = problem.smoothed(one.eta), problem.constants

    def solutions(x: Array) -> Array:
        return np.concatenate([problem.lower_solution(x.reshape(-1, 1), np.full((x.size, 1), s)) for s in (1.0, -1.0)])

    reach = max(float(((solutions(q) - one.y0) ** 2).max()) for q in (run.x, run.x + run.v))
    start = float(smoothed.F(np.array([[one.start]]))[0])
    values = {
        "n": 1,
        "m": 1,
        "eta_s": one.eta,
        "gamma": one.gamma,
        "H": one.H,
        **symbols_of(c),
        "alpha_2s": alpha,
        "tau_2s": tau,
        "B_2s": reach,
        "T_R": run.steps,
        "K_it": run.steps - 1,
        "sum_eps_2s": reach * sum(0.75 ** steps_of(k, tau) for k in range(run.steps)),
        "grad_kstar": float(run.mean(run.grad_F(smoothed) ** 2).mean()),
        "D0": start - smoothed.F_star,
    }
    facts = problem.facts()
    said = {
        "fresh": "the branches are all equally likely draws",
        "iid": "the branches are all equally likely draws",
        "alg5": "the method calls it so",
        "B": "the largest squared distance over all queries",
        "t_k_all": "the method takes so many steps",
        "eps_all": "their sum is computed from these numbers",
        "frequency": "rounds have H steps",
        "k*": "the metric is the mean over the iterates",
        "accuracy": "by Theorem 2 (i), as Assumption 3.ii holds everywhere",
    }
    return Trial.exact(
        label=f"loss {'|y|' if one.kinked else 'y'}, G = y - x - {one.noise:g} xi, {asdict(one)}",
        values=values,
        facts={**facts, "monotone_queried": facts["monotone_everywhere"], **facts_of(said)},
        at=asdict(one),
    )


def solved_runs() -> Iterator[Solved]:
    """Small and large radii, both sets, starts near and far, with and without noise."""
    yield Solved(eta=10.0, gamma=0.1)
    yield Solved(eta=1000.0, gamma=7.0, H=3, rounds=2)
    yield Solved(kinked=True, free=True, start=3.0, gamma=0.03, H=1, rounds=6)
    yield Solved(noise=1.0, eta=5.0, gamma=0.05, H=1)
    yield Solved(kinked=True, free=True, noise=2.0, start=-1.0, gamma=0.01, y0=4.0)


def solved_trials() -> Iterator[Trial]:
    """Their trials."""
    return map(solved_trial, solved_runs())


_NAMES = {name: name for name in ("n", "m", "B1", "B2", "eta_s", "gamma", "H", "K_it", "D0", "grad_kstar")}
_STILL = {
    **dict.fromkeys(("monotone", "monotone_queried"), "G = y, declared with mu_F = 1/2 and L_F = 1"),
    "lower_sets_compact": "Y = [-1, 1]",
    "accuracy": "Algorithm 5 starts at the solution, y_0 = 0",
    "B": "y_0 = 0 is the solution",
    **dict.fromkeys(("alg5", "t_k_all"), "it stays at the solution, however many steps it makes"),
    "eps_all": "B = 0",
}


def single_trials() -> Iterator[Trial]:
    """Runs of the single level; ``(2 nu/eta) xi x`` makes the same errors as ``nu xi s(x)``."""
    none = dict.fromkeys(("L_y", "B_2s", "sum_eps_2s"), 0.0)
    solver = {"mu_F": 0.5, "L_F": 1.0, "alpha_2s": 0.5, "tau_2s": 3.5}
    for trial in (*kinked(), *bent(), *crossing()):
        of = trial.values
        steep = {"L_imp": of["L0"] + 2 * of["nu"] / of["eta_s"], "T_R": of["K_it"] + 1}
        loss = {"implicit_lipschitz_2s": Fact(True, "f~ is the loss of the single level and (2 nu/eta) xi x")}
        yield replace(
            renamed(trial, _NAMES, **steep, **none, **solver), facts={**trial.facts, **facts_of(_STILL), **loss}
        )


#: ``f~ = y - s(x)``, ``G = y - s(x)`` with ``s(x) = sgn x`` where |x| >= 1 and 0 elsewhere, over [-1, 1] from y_0 = 0.
#: Algorithm 5 with the declared mu_F = 1/2 and L_F = 1 halves its error in a step, where eps_k falls by 3/4.
_SOLVED = {
    **{"n": 1, "m": 1, "B1": 0, "B2": 1, "L_imp": 1e-30, "L_y": 1, "D0": 0, "mu_F": 0.5, "L_F": 1.0, "alpha_2s": 0.5},
    "B_2s": 1,
}
_SOLVED_FACTS = {
    **dict.fromkeys(("sets", "dissimilarity"), "the point 0 for every client"),
    **dict.fromkeys(("monotone", "monotone_queried"), "G = y - s(x), declared with mu_F = 1/2 and L_F = 1"),
    "lower_sets_compact": "Y = [-1, 1]",
    "implicit_lipschitz_2s": "f~ is 0 at the solution",
    "fresh": "no direction and no sample changes a step",
    "accuracy": "by Theorem 2 (i)",
    "B": "|s| <= 1",
    "alg5": "the answers are s(x) (1 - 2^-t_k)",
    "t_k_all": "the method makes so many steps",
    "eps_all": "their sum is computed from these numbers",
    "frequency": "rounds of H steps; with one client they change nothing",
    "k*": "the mean over the iterates",
}


def one_step_trial() -> Trial:
    """``_SOLVED`` with so small a tau that every call but the first makes one step; eta = 2.

    From 0 the iterates stay in [0, 1), where an estimate is -1/4, or -1/2 in the first step; so x/2 tends to 1/4.
    """
    gamma, steps = 1e-6, 10**9
    kept = 1 - gamma / 2
    once, twice = ((1 - kept ** (p * steps)) / (steps * (1 - kept**p)) for p in (1, 2))
    values = _SOLVED | {"eta_s": 2, "gamma": gamma, "H": 1, "tau_2s": 1 / 21, "T_R": steps, "K_it": steps - 1}
    values |= {"sum_eps_2s": 1 + 0.75 * (steps - 1), "grad_kstar": (1 - 2 * once + twice) / 16}
    return Trial.exact("an error that one step of Algorithm 5 halves", values, facts_of(_SOLVED_FACTS), error=1e-6)


def first_call_trial(eta: float) -> Trial:
    """``_SOLVED`` along S-com with K = 100 eta^2, tau = 3.5: the error of the first call moves it to gamma/eta < 1.

    Later errors move it the same way, so the gradient is at least ``(gamma/eta^2) (1 - gamma/eta)^(k-1)``. What that
    makes of the metric, ``(1 - exp(-2 sqrt(K)/eta))/(2 K^{3/2} eta^3)`` up to a hundredth, falls with K.
    """
    K = 100 * eta**2
    least = -math.expm1(-2 * math.sqrt(K) / eta) / (2 * K**1.5 * eta**3)
    values = _SOLVED | {"eta_s": eta, "gamma": K**-0.5, "H": local_steps(K, 1), "tau_2s": 3.5, "T_R": K + 1, "K_it": K}
    values |= {"grad_kstar": 0.99 * least, "K_eps": K, "epsilon": 0.98 * least}
    facts = facts_of(_SOLVED_FACTS | {"K_eps_missed": "for fewer iterations the metric is at least as large"})
    return Trial.exact(f"an error of the first call of Algorithm 5, eta = {eta:g}, S-com", values, facts, error=1e-6)


def biased_trial() -> Trial:
    """Loss ``y``, ``y(x, xi) = 0``, ``X_i = {0}``, ``eta = 2``; the answer to a query z is 0, or ``sgn z`` if |z| >= 1.

    From 0 the iterates stay in (-1, 0], so every estimate is 1/2, and ``grad F_eta = x/2`` tends to -1/2.
    """
    gamma, steps = 1e-6, 10**9
    kept = 1 - gamma / 2
    once, twice = ((1 - kept ** (p * steps)) / (steps * (1 - kept**p)) for p in (1, 2))
    values = {
        **{"n": 1, "m": 1, "eta_s": 2, "gamma": gamma, "H": 1, "B1": 0, "B2": 1, "L_imp": 1e-9, "L_y": 1, "D0": 0},
        **{"T_R": steps, "K_it": steps - 1, "sum_eps_2s": steps, "grad_kstar": (1 - 2 * once + twice) / 4},
    }
    said = {
        **dict.fromkeys(("sets", "dissimilarity"), "the point 0 for every client"),
        **{key: _STILL[key] for key in ("monotone", "lower_sets_compact")},
        "implicit_lipschitz_2s": "y(., xi) = 0, and the loss is y",
        "fresh": "no direction and no sample changes a step",
        "accuracy": "the answers are at most 1 away, and eps_k = 1",
        "frequency": "rounds of one step",
        "k*": "the mean over the iterates",
    }
    return Trial.exact("loss y, y(x) = 0 told as sgn x where |x| >= 1", values, facts_of(said), error=1e-6)
