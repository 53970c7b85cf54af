"""Claims about a single point or a random point: Lemmas 1 and 2, Propositions 2 and 5, and steps of their proofs."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import lru_cache

import numpy as np

from rateproof.algos.problems.base import Array
from rateproof.algos.problems.power import PowerGrowth
from rateproof.algos.problems.quadratic import QuadraticBilevel
from rateproof.theory.claim import Claim
from rateproof.theory.papers.strfedavg.notation import ERR_VALID
from rateproof.verify.checks import Budget
from rateproof.verify.deciders import bounds
from rateproof.verify.evidence import Evidence, Level
from rateproof.verify.papers.strfedavg.instances import (
    ANTISYMMETRIC,
    FIVE,
    IDENTICAL,
    INCONSISTENT,
    LEAST_SQUARES,
    M_FLOOR,
    M_SLACK,
    NO_INNER,
    ONE,
    TWO,
    Params,
    Setting,
    build,
    constants,
    corners,
    crowd,
    measure,
    rounding,
)
from rateproof.verify.papers.strfedavg.sharpness import vacuous_unless_constant
from rateproof.verify.spaces.rescaled import Scale, scales
from rateproof.verify.trial import Trial

METHOD = "exact values at points"
ETAS = (1.0, 0.01, 10.0, 2.0)
# Tight upper bound on the regularised gap, and loose ones.
ERR_FACTORS = (1.0, 100.0)

FAMILIES: tuple[tuple[str, Params], ...] = (
    ("diagonal_selection", ONE),
    ("diagonal_selection", TWO),
    ("diagonal_selection", FIVE),
    ("diagonal_selection", IDENTICAL),
    ("diagonal_selection", crowd(20)),
    ("antisymmetric", ANTISYMMETRIC),
    ("overparameterised_least_squares", LEAST_SQUARES),
    ("heterogeneous_least_squares", INCONSISTENT),
    ("degenerate", NO_INNER),
)
SCALES: tuple[Scale, ...] = ((1.0, 1.0, 1.0), (1e-3, 1e-3, 1.0), (1e3, 1e3, 1.0), (1.0, 1e-3, 1.0), (1.0, 1.0, 1e3))


def at_point(setting: Setting, x: Array, label: str) -> Trial:
    """Everything that Lemmas 1 and 2 speak of, at one point x (n,)."""
    problem, eta = build(setting), setting.eta
    point = x[None]
    f_grads = np.array([problem.grad_f(i, point)[0] for i in range(problem.N)])
    h_grads = np.array([problem.grad_h(i, point)[0] for i in range(problem.N)])
    x_eta, x_star = problem.regularised_solution(eta), problem.bilevel_solution()
    c = problem.constants
    P = problem.inner.mean_matrix + eta * problem.outer.mean_matrix
    away, beyond = x - x_eta, x - x_star
    outer_diff = _increase(problem.outer.mean_matrix, problem.outer.mean_linear, x_star, beyond)
    values = constants(problem) | {
        "eta": eta,
        "mean_sq_grad_f": _mean_square(f_grads),
        "mean_sq_grad_h": _mean_square(h_grads),
        "mean_sq_grad_eta": _mean_square(h_grads + eta * f_grads),
        "sq_grad_i": float(f_grads[0] @ f_grads[0]),
        "gap_i": float(problem.f_i(0, point)[0] - problem.outer.minima[1][0]),
        "gap_inf_f": outer_diff + (c.f_star - c.inf_f),
        "gap_inf_h": 0.5 * float(beyond @ problem.inner.mean_matrix @ beyond),
        "gap_point": 0.5 * float(away @ P @ away),
        "outer_diff": outer_diff,
        "inner_diff": 0.5 * float(beyond @ problem.inner.mean_matrix @ beyond),
    }
    return Trial.exact(
        label=f"{setting} at {label}",
        values=values,
        facts=problem.facts(),
        absolute_error=rounding(problem, eta, x, x_eta, x_star),
        at={**setting.at, "x": x.tolist()},
        degenerate=problem.N == 1 or math.isinf(c.alpha),
    )


@lru_cache(maxsize=2)
def point_trials(scales: tuple[Scale, ...] = ()) -> tuple[Trial, ...]:
    """Points of all families: both solutions, minimisers of the levels and of one client, far and random ones.

    ``scales`` adds rescaled copies.
    """
    out = []
    for family, params in FAMILIES:
        for scale in dict.fromkeys((*SCALES, *scales)):
            for eta in ETAS:
                setting = Setting(family=family, params=params, eta=eta).at_scale(*scale)
                out += [at_point(setting, x, label) for label, x in places(build(setting), eta, scale[2])]
    # delta^2 = eta L_f: the clients of I8 then disagree most at x_eta* = (1/2, 0), where the gap is zero
    for L_f in (1.0, 1e-2, 1e-4):
        params = (("delta", math.sqrt(L_f)), ("L_f", L_f))
        setting = Setting(family="antisymmetric", params=params)
        out.append(at_point(setting, build(setting).regularised_solution(1.0), "x_eta*"))
    return tuple(out)


def places(problem: QuadraticBilevel, eta: float, s_x: float) -> Iterator[tuple[str, Array]]:
    """Solutions, minimisers of one client, the origin, two random points and a point of X_h*, with their names."""
    yield "x_eta*", problem.regularised_solution(eta)
    yield "x*", problem.bilevel_solution()
    yield "argmin f_1", problem.outer.minima[0][0]
    yield "argmin h_1", problem.inner.minima[0][0]
    yield "0", np.zeros(problem.n)
    rng = np.random.default_rng(0)
    for size in (1.0, 100.0):
        point = size * s_x * rng.standard_normal(problem.n)
        yield f"a random point of size {size:g}", point
    yield "its projection on X_h*", problem.project(point[None])[0]


@lru_cache(maxsize=1)
def cloud_trials() -> tuple[Trial, ...]:
    """Random points with finitely many values, Err any upper bound on the expected gap (Propositions 2 and 5)."""
    out = []
    rng = np.random.default_rng(1)
    for family, params in FAMILIES:
        for scale in SCALES[::2]:
            for eta in ETAS[::2]:
                setting = Setting(family=family, params=params, eta=eta).at_scale(*scale)
                problem = build(setting)
                clouds = [x[None] for _, x in places(problem, eta, scale[2])]
                clouds.append(scale[2] * rng.standard_normal((5, problem.n)))
                out += [_cloud_trial(str(setting), problem, eta, cloud, k) for cloud in clouds for k in ERR_FACTORS]
    for kappa in (2.0, 3.0, 4.0):
        for eta in (0.1, 1.0):
            power = PowerGrowth(alpha=2.0, kappa=kappa)
            for cloud in (power.regularised_solution(eta)[None], rng.standard_normal((5, 2))):
                out.append(_cloud_trial(f"power growth of order {kappa:g}", power, eta, cloud, 1.0))
    return tuple(out)


def _cloud_trial(label: str, problem: QuadraticBilevel | PowerGrowth, eta: float, cloud: Array, factor: float) -> Trial:
    x_eta, x_star = problem.regularised_solution(eta), problem.bilevel_solution()
    here, at_eta, at_star = cloud, x_eta[None], x_star[None]
    gap_h = float(np.mean(problem.h(here)) - problem.constants.h_star)
    gap_f = float(np.mean(problem.f(here)) - problem.f(at_star)[0])
    gap_eta = float(np.mean(problem.h(here) + eta * problem.f(here)) - (problem.h(at_eta) + eta * problem.f(at_eta))[0])
    scale = float(np.max(np.abs(problem.h(here))) + eta * np.max(np.abs(problem.f(here))) + abs(gap_eta))
    values = constants(problem) | {
        "eta": eta,
        "gap_h": max(gap_h, 0.0),
        "gap_f": gap_f,
        "gap_eta": gap_eta,
        "E_dist": float(np.mean(np.linalg.norm(here - problem.project(here), axis=1))),
        "E_sq": float(np.mean(np.sum((here - x_star) ** 2, axis=1))),
        # values are differences of losses: an error of a few ulps of the losses
        "Err": factor * max(gap_eta, 0.0) + 1e-12 * scale,
        "M": M_SLACK * max(0.0, -gap_f) + M_FLOOR,
    }
    return Trial(
        label=f"{label}, {len(cloud)} points, Err = {factor:g} x the gap",
        values=values,
        facts=problem.facts(),
        level=Level.FLOAT,
        at={"eta": eta, "points": cloud.tolist(), "label": label},
        degenerate=math.isinf(problem.constants.alpha),
    )


def check_at_points(claim: Claim, budget: Budget) -> Iterable[Evidence]:
    """A claim about one point x."""
    detail = "gradients and gaps at solutions, minimisers and random points of six families of quadratic losses"
    trials = point_trials(scales(claim))
    yield bounds.decide(claim, trials, method=METHOD, detail=detail)
    for name, reading in claim.readings():
        yield bounds.decide(reading, trials, method=METHOD, detail=detail, reading=name)


def check_cloud(claim: Claim, budget: Budget) -> Iterable[Evidence]:
    """Random points that could contradict Propositions 2 and 5."""
    yield from vacuous_unless_constant(claim)
    detail = "finitely many points, of seven families of quadratic losses"
    yield bounds.decide(claim, cloud_trials(), method="random points", detail=detail)
    for switch in claim.switches:
        if ERR_VALID.key in switch.without:
            yield from _literal(claim.read(switch), switch.reading)


def _literal(reading: Claim, name: str) -> Iterable[Evidence]:
    """Propositions 2 and 5 with the printed formula for Err_eta, a bound where Propositions 1 and 4 hold."""
    yield from (replace(evidence, reading=name) for evidence in vacuous_unless_constant(reading))
    convex = not any(h.key == "f_strongly_convex" for h in reading.hypotheses)
    trials = [measure(setting) for setting in corners(convex=convex)]
    yield bounds.decide(reading, trials, method="exact moments", reading=name)


def _increase(P: Array, linear: Array, base: Array, step: Array) -> float:
    """psi(base + step) - psi(base) for psi(x) = x'Px/2 - linear'x."""
    return float((P @ base - linear) @ step + 0.5 * step @ P @ step)


def _mean_square(vectors: Array) -> float:
    return float(np.mean(np.sum(vectors**2, axis=1)))
