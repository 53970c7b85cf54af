"""The same round by the method of ``algos``: its own loop, clients and outcomes, on the functions of an instance."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from rateproof.algos.convex_sets import Box, interval
from rateproof.algos.methods.mefbo import MeFBO
from rateproof.algos.noise import Array, TwoPoint
from rateproof.algos.outcomes import EveryOutcome
from rateproof.algos.problems.smooth_bilevel import Constants, SmoothBilevel
from rateproof.verify.papers.mefbo.rounds import Interval, Point, Problem, Steps, lyapunov_weight, most, moved


class OnTwoNumbers(SmoothBilevel):
    """An instance, as methods see problems."""

    def __init__(self, own: Problem) -> None:
        first = own.clients[0]
        u, v = (np.array(level.gradient(0.0, 0.0), dtype=np.float64) for level in (first.noise_f, first.noise_g))
        super().__init__(
            m=len(own.clients),
            X=_box(own.X),
            Y=_box(own.Y),
            weights=[c.weight for c in own.clients],
            noise=TwoPoint(u, v),
            name="on two numbers",
        )
        self.own = own

    @property
    def constants(self) -> Constants:
        """Those that ``theta*`` is found with."""
        bend, low, nan = most(c.g.bend() for c in self.own.clients), float(self.own.least_bend()), math.nan
        bend = nan if bend is None else float(bend)
        return Constants(nan, nan, nan, bend, max(-low, 0.0), max(low, 0.0), nan, nan, nan, nan)

    def f_i(self, i: int, z: Array) -> Array:
        """Upper losses."""
        return np.array([self.own.clients[i].f.value(*row) for row in z])

    def g_i(self, i: int, z: Array) -> Array:
        """Lower losses."""
        return np.array([self.own.clients[i].g.value(*row) for row in z])

    def gradient_f(self, i: int, z: Array, rows: Any = None) -> Array:
        """Their gradients."""
        return np.array([self.own.clients[i].f.gradient(*row) for row in z])

    def gradient_g(self, i: int, z: Array, rows: Any = None) -> Array:
        """Their gradients."""
        return np.array([self.own.clients[i].g.gradient(*row) for row in z])

    def product_g(self, i: int, z: Array, v: Array, rows: Any = None) -> Array:
        """Not asked for by MeFBO."""
        raise NotImplementedError


def _box(own: Interval) -> Box:
    return interval(-math.inf if own.low is None else own.low, math.inf if own.high is None else own.high)


#: Rounds of a run, and points from which all outcomes of a round are taken.
MOST, POINTS = 16, 100


def rounds_of(own: Problem, steps: Steps, start: Point, rounds: int, **falling: Any) -> Iterator[Any]:
    """Rounds of MeFBO in ``algos`` from all points that may be reached, with all their outcomes.

    Yields:
        the problem, the penalty, chances, and the rows ``(x, y, theta)`` before and after; for too many points, and
        for noise that depends on the point, nothing.
    """
    if any(t.psi.curvature != (0, 0) for c in own.clients for level in (c.noise_f, c.noise_g) for t in level.terms):
        return
    problem, P = OnTwoNumbers(own), min(steps.P, len(own.clients))
    given: Any = {name: x for name, x in vars(steps).items() if name != "c"} | {"P": P}
    method = MeFBO(gamma=own.gamma, c0=steps.c, **given, **falling)
    points: Array = np.array([[start.x, start.y, start.theta]])
    chances: Array = np.ones(1)
    for t in range(rounds):
        if len(points) > POINTS:
            return
        after = []
        for point in points:
            outcomes = EveryOutcome(problem, P=P, steps=steps.tau)
            rows = np.tile(point, (outcomes.runs, 1))
            state = replace(method.init(problem, rows[:, :2], outcomes), rounds=t, theta=rows[:, 2:])
            end = method.round(problem, state, outcomes)
            after.append(np.hstack([end.z, end.theta]))
        each, before = len(after[0]), points
        reached, chance = np.concatenate(after), chances.repeat(each) / each
        yield problem, method.c(t), chance, before.repeat(each, axis=0), reached
        _, first, same = np.unique(reached.round(12), axis=0, return_index=True, return_inverse=True)
        points, chances = reached[first], np.bincount(same.ravel(), weights=chance).astype(np.float64)


def a_round(own: Problem, steps: Steps, start: Point) -> dict[str, float]:
    """What a round of MeFBO in ``algos`` ends with, as a mean over all its outcomes; nothing where it cannot run it."""
    metrics: dict[str, float] = {}
    for problem, c, chance, before, after in rounds_of(own, steps, start, 1):
        z, gamma, lowest = after[:, :2], own.gamma, own.F(*own.best) if own.best else 0.0
        metrics["step_x"], metrics["step_y"], _ = chance @ (after - before) ** 2
        metrics["gap2_end"] = chance @ (after[:, 2:] - problem.theta_star(z, gamma))[:, 0] ** 2
        metrics["Phi_end"] = chance @ ((problem.F(z) - lowest) / c + problem.gap(z, gamma))
        metrics["R_end"] = chance @ problem.R(z, gamma, c)
    return metrics


def a_run(own: Problem, steps: Steps, start: Point, rounds: int, L_2: float, **falling: Any) -> dict[str, float]:
    """What the rates speak of after some rounds, by ``algos``; nothing where there are too many of them."""
    if rounds > MOST:
        return {}
    R, slopes, moves, gaps, Psi = [], [], 0.0, 0.0, math.nan
    for t, (problem, c, chance, before, after) in enumerate(rounds_of(own, steps, start, rounds, **falling)):
        off2 = (before[:, 2:] - problem.theta_star(before[:, :2], own.gamma))[:, 0] ** 2
        if t == 0:
            Phi = (problem.F(before[:, :2]) - (own.F(*own.best) if own.best else 0.0)) / c + problem.gap(
                before[:, :2], own.gamma
            )
            Psi = float((Phi + lyapunov_weight(L_2, own.gamma) * off2)[0])
        R.append(float(chance @ problem.R(after[:, :2], own.gamma, c)))
        slopes.append(sum(p * math.hypot(*own.gradient("f", *z)) for p, z in zip(chance, after[:, :2], strict=True)))
        moves += float(chance @ ((after - before)[:, :2] ** 2).sum(axis=1))
        gaps += float(chance @ off2)
    if len(R) < rounds:
        return {}
    metrics = {"Psi_0": Psi, "R_best": min(R), "sum_moved": moved(steps, own.gamma, L_2, moves, gaps)}
    metrics["grad_F"] = min(slopes)
    return metrics if falling.get("q") else {**metrics, "sum_lR": steps.lambda_theta * sum(R)}
