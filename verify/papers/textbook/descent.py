"""Families for the deterministic methods: gradient descent, subgradient method, proximal gradient."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from rateproof.verify.papers.textbook.family import Family, trial
from rateproof.verify.papers.textbook.losses import (
    Array,
    after,
    descend,
    huber,
    logistic,
    norm2,
    parabola,
    quadratic_runs,
    scalar_runs,
)
from rateproof.verify.trial import Trial

SHORT = (1, 2, 10, 100, 1000)  # rounds that are run
LONG = (10**6, 10**9)  # rounds in closed form
LOSSES = (huber(0.1), logistic(), parabola(1.0))


# --- gradient descent on smooth convex functions


def gd_trial(label: str, R: float, gamma: float, L: float, start2: float, gap: float, **extra: Any) -> Trial:
    """One run of gradient descent, or of proximal gradient."""
    values = {"R": R, "gamma_l": gamma, "L_h": L, "start2": start2, "gap_end": gap}
    return trial(label, values, ("convex", "smooth", "attained", "g_convex"), **extra)


def huber_run(rounds: Array, gamma: Array) -> Array:
    """``h(x_R)`` of gradient descent from 1 on Huber functions (L = 1) with threshold ``1 / (2 R gamma + 1)``."""
    loss = huber(1 / (2 * rounds * gamma + 1))
    return loss.value(descend(loss, gamma, np.ones(len(rounds)), rounds))


def huber_closed_form(R: float, gamma: float) -> float:
    """The same in closed form: no step leaves the linear part, so ``x_R = 1 - R gamma threshold``."""
    threshold = 1 / (2 * R * gamma + 1)
    return threshold * (1 - R * gamma * threshold - threshold / 2)


def gd_tight(full: bool) -> Iterator[Trial]:
    """The Huber function of Drori and Teboulle (2014), run and in closed form."""
    rows = [(R, gamma) for R in SHORT for gamma in (1.0, 0.5, 0.01)]
    gaps = huber_run(*(np.array(column, dtype=float) for column in zip(*rows, strict=True)))
    name = "Huber, threshold 1/(2 R gamma L + 1)"
    for (R, gamma), gap in zip(rows, gaps, strict=True):
        yield gd_trial(f"{name}, R = {R}, gamma L = {gamma:g}", R, gamma, 1, 1, gap)
    for R in LONG:
        yield gd_trial(f"{name}, R = {R:g}, gamma L = 1, closed form", R, 1, 1, 1, huber_closed_form(R, 1))


def gd_ordinary(full: bool, seed: int) -> Iterator[Trial]:
    """Huber, logistic and quadratic losses, random quadratics, a start at the minimum."""
    rng = np.random.default_rng(seed)
    yield from (
        gd_trial(run.label, run.R, run.gamma, run.L, run.start2, run.gap)
        for runs in (
            scalar_runs(LOSSES, lambda loss: 1 / loss.L, (1, 10, 1000)),
            quadratic_runs(rng, 40 if full else 6, lambda L, mu: 1 / L),
        )
        for run in runs
    )
    yield gd_trial("x^2/2 from its minimum", 10, 1, 1, 0, 0, degenerate=True)


def gd_broken() -> Iterator[Trial]:
    """A step beyond 1/L, a loss that is not convex, and one that is less smooth than said."""
    yield gd_trial("x^2/2, gamma = 1.9/L, R = 1", 1, 1.9, 1, 1, 0.9**2 / 2)
    yield gd_trial(
        "1 + cos x from its stationary point 0, R = 10", 10, 1, 1, np.pi**2, 2, missing={"convex": "cos is not convex"}
    )
    yield gd_trial("1.25 x^2, R = 4", 4, 1, 1, 1, 1.25 * 1.5**8, missing={"smooth": "its curvature is 2.5 > L = 1"})


# --- gradient descent on strongly convex functions


def contraction_trial(
    label: str, R: float, gamma: float, L: float, mu: float, start2: float, end2: float, **extra: Any
) -> Trial:
    """One run of gradient descent, measured by its distance."""
    values = {"R": R, "gamma_l": gamma, "L_h": L, "mu_h": mu, "start2": start2, "end2": end2}
    return trial(label, values, ("smooth", "strongly_convex"), **extra)


def shrunk2(gamma_c: float, R: float) -> float:
    """``x_R^2`` of gradient descent from 1 on ``c/2 x^2``: ``(1 - gamma c)^(2R)``, accurate for tiny ``gamma c``."""
    return float(np.exp(2 * R * np.log1p(-gamma_c))) if 0 <= gamma_c < 1 else float((1 - gamma_c) ** (2 * R))


def shrunk2_run(gamma_c: Array, rounds: Array) -> Array:
    """The same, run."""
    return after(lambda x: x - gamma_c * x, np.ones(len(rounds)), rounds) ** 2


def contraction_tight(full: bool) -> Iterator[Trial]:
    """``mu/2 x^2`` at any step, ``L/2 x^2`` at the cap; stepsizes are powers of two, hence exact."""
    # (gamma, L, c, R): the loss is c/2 x^2 and mu = 1
    rows = [(0.5, 3.0, c, R) for c in (1.0, 3.0) for R in (1, 2, 10, 100)]
    rows += [(2.0**-4, 31.0, c, R) for c in (1.0, 31.0) for R in (1, 1000)] + [(2.0**-9, 31.0, 1.0, 1000)]
    gamma, _, c, R = (np.array(column, dtype=float) for column in zip(*rows, strict=True))
    for (step, L, curvature, rounds), end2 in zip(rows, shrunk2_run(gamma * c, R), strict=True):
        label = f"{curvature / 2:g} x^2 with mu = 1, L = {L:g}, gamma = {step:g}, R = {rounds}"
        yield contraction_trial(label, rounds, step, L, 1, 1, end2)
    step = 2.0**-30
    yield contraction_trial("x^2/2, gamma = 2^-30, R = 1e9, closed form", 1e9, step, 1, 1, 1, shrunk2(step, 1e9))


def contraction_ordinary(full: bool, seed: int) -> Iterator[Trial]:
    """Logistic, Huber and quadratic losses made strongly convex, random quadratics, corners."""
    rng = np.random.default_rng(seed)
    losses = [loss.plus_quadratic(0.1) for loss in LOSSES]
    yield from (
        contraction_trial(run.label, run.R, run.gamma, run.L, run.mu, run.start2, run.end2)
        for runs in (
            scalar_runs(losses, lambda loss: 2 / (loss.L + loss.mu), (1, 10, 100)),
            quadratic_runs(rng, 40 if full else 6, lambda L, mu: 2 / (L + mu)),
        )
        for run in runs
    )
    yield contraction_trial("x^2/2 with L = mu, gamma = 1/mu", 1, 1, 1, 1, 1, 0, degenerate=True)


def contraction_broken() -> Iterator[Trial]:
    """A step beyond 2/(L + mu), a loss less strongly convex, and one less smooth than said."""
    yield contraction_trial("3/2 x^2 with mu = 1, gamma = 1.9/L, R = 2", 2, 1.9 / 3, 3, 1, 1, 0.9**4)
    flat = {"strongly_convex": "its curvature is 0.5 < mu = 1"}
    yield contraction_trial("x^2/4, gamma = 1/2, R = 2", 2, 0.5, 3, 1, 1, 0.75**4, missing=flat)
    steep = {"smooth": "its curvature is 5 > L = 3"}
    yield contraction_trial("5/2 x^2, gamma = 1/2, R = 2", 2, 0.5, 3, 1, 1, 1.5**4, missing=steep)


# --- subgradient method


def subgradient_trial(label: str, R: float, gamma: float, M: float, start2: float, gap: float, **extra: Any) -> Trial:
    """One run of the subgradient method, measured at its best iterate."""
    values = {"R": R, "gamma_l": gamma, "M_h": M, "start2": start2, "gap_best": gap}
    return trial(label, values, ("convex", "subgradients_bounded", "attained"), **extra)


def largest_coordinate_run(R: int, gamma: float) -> float:
    """Best value over ``R`` iterates on ``max_i |x_i|`` in R variables, from ``(1, ..., 1)/sqrt(R)``.

    The oracle returns plus or minus the unit vector of the first largest coordinate; a coordinate already used
    is smaller, so it answers with a new one every time and the value stays ``1/sqrt(R)``.
    """
    x = np.full(R, R**-0.5)
    best = np.inf
    for _ in range(R):
        i = int(np.argmax(np.abs(x)))
        best = min(best, abs(x[i]))
        x[i] -= gamma * np.sign(x[i])
    return float(best)


def subgradient_tight(full: bool) -> Iterator[Trial]:
    """``max_i |x_i|`` on R coordinates with ``gamma = ||x_0 - x*|| / (M sqrt(R))``."""
    name = "max |x_i| on R coordinates from (1, ..., 1)/sqrt(R), gamma = 1/sqrt(R)"
    for R in SHORT:
        yield subgradient_trial(f"{name}, R = {R}", R, R**-0.5, 1, 1, largest_coordinate_run(R, R**-0.5))
    for R in LONG:
        yield subgradient_trial(f"{name}, R = {R:g}, closed form", R, R**-0.5, 1, 1, R**-0.5)


def subgradient_ordinary(full: bool, seed: int) -> Iterator[Trial]:
    """The same function at other stepsizes, ``|x|``, and random piecewise linear functions."""
    for R in (3, 30):
        for step in (0.1, 3.0):
            gap = largest_coordinate_run(R, step * R**-0.5)
            yield subgradient_trial(f"max |x_i|, R = {R}, gamma = {step:g}/sqrt(R)", R, step * R**-0.5, 1, 1, gap)
    rng = np.random.default_rng(seed)
    for i in range(30 if full else 5):
        R, gamma, n = int(rng.choice([1, 10, 200])), float(rng.choice([0.01, 0.1, 1.0])), int(rng.integers(1, 6))
        # max_j |<a_j, x>| is minimal at 0, and its subgradients are the rows a_j
        rows = rng.standard_normal((2 * n, n))
        x = rng.standard_normal(n)
        start2, best = norm2(x), np.inf
        for _ in range(R):
            values = rows @ x
            j = int(np.argmax(np.abs(values)))
            best = min(best, abs(values[j]))
            x = x - gamma * np.sign(values[j]) * rows[j]
        M = np.linalg.norm(rows, axis=1).max()
        yield subgradient_trial(f"random piecewise linear {i}, R = {R}, gamma = {gamma:g}", R, gamma, M, start2, best)
    yield subgradient_trial("|x| from its minimum", 1, 1, 1, 0, 0, degenerate=True)


def subgradient_broken() -> Iterator[Trial]:
    """A plateau (not convex), and a loss steeper than said."""
    plateau = {"convex": "min(|x|, 1) is not convex"}
    yield subgradient_trial("min(|x|, 1) from 2, R = 100, gamma = 0.2", 100, 0.2, 1, 4, 1, missing=plateau)
    gap = 10 * largest_coordinate_run(4, 10 * 0.05)
    steep = {"subgradients_bounded": "subgradients have norm 10 > M = 1"}
    yield subgradient_trial("10 max |x_i|, R = 4, gamma = 0.05", 4, 0.05, 1, 1, gap, missing=steep)


# --- proximal gradient


def halfline_run(rounds: Array, gamma: Array) -> Array:
    """``F(x_R)`` of proximal gradient from 1 on ``h(x) = x / (2 gamma R)``, ``g`` the indicator of ``x >= 0``."""
    slope = 1 / (2 * gamma * rounds)
    return slope * after(lambda x: np.maximum(x - gamma * slope, 0.0), np.ones(len(rounds)), rounds)


def prox_tight(full: bool) -> Iterator[Trial]:
    """A linear loss on the half-line; the run ends half-way to the solution."""
    rows = [(R, gamma) for R in SHORT for gamma in (1.0, 0.1)]
    gaps = halfline_run(*(np.array(column, dtype=float) for column in zip(*rows, strict=True)))
    name = "linear with slope 1/(2 gamma R) on x >= 0, from 1"
    for (R, gamma), gap in zip(rows, gaps, strict=True):
        yield gd_trial(f"{name}, R = {R}, gamma = {gamma:g}", R, gamma, 1, 1, gap)
    for R in LONG:
        yield gd_trial(f"{name}, R = {R:g}, gamma = 1, closed form", R, 1, 1, 1, 1 / (4 * R))


def prox_ordinary(full: bool, seed: int) -> Iterator[Trial]:
    """Smooth losses with g = 0, and random quadratics with an l1 norm (soft thresholding)."""
    for run in scalar_runs(LOSSES, lambda loss: 1 / loss.L, (1, 10, 1000)):
        yield gd_trial(f"{run.label}, g = 0", run.R, run.gamma, run.L, run.start2, run.gap)
    rng = np.random.default_rng(seed)
    for i in range(30 if full else 5):
        R, spectrum = int(rng.choice([1, 10, 100])), np.array([1.0, *rng.uniform(1, 10, 3), 10.0])
        centre, weight, gamma = rng.standard_normal(5), float(rng.choice([0.1, 1.0])), 0.1

        def total(x: Array, s: Array = spectrum, c: Array = centre, w: float = weight) -> float:
            return float((s * (x - c) ** 2).sum() / 2 + w * np.abs(x).sum())

        solution, x0 = soft(centre, weight / spectrum), rng.standard_normal(5)
        x = x0
        for _ in range(R):
            x = soft(x - gamma * spectrum * (x - centre), gamma * weight)
        gap = max(total(x) - total(solution), 0.0)
        label = f"random quadratic {i} + {weight:g} ||x||_1, R = {R}"
        yield gd_trial(label, R, gamma, 10, norm2(x0 - solution), gap)


def soft(x: Array, threshold: Array | float) -> Array:
    """Soft thresholding, the proximal map of the l1 norm."""
    return np.sign(x) * np.maximum(np.abs(x) - threshold, 0.0)


GD = Family(gd_tight, gd_ordinary, gd_broken, "exact runs and closed form")
CONTRACTION = Family(contraction_tight, contraction_ordinary, contraction_broken, "exact runs and closed form")
SUBGRADIENT = Family(subgradient_tight, subgradient_ordinary, subgradient_broken, "exact runs and closed form")
PROX = Family(prox_tight, prox_ordinary, gd_broken, "exact runs and closed form")
