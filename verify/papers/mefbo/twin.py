"""The same round by the method of ``algos``: its own loop, clients and outcomes, on the functions of an instance."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from rateproof.algos.convex_sets import Box, interval
from rateproof.algos.methods.mefbo import MeFBO, State
from rateproof.algos.noise import Array, TwoPoint
from rateproof.algos.outcomes import EveryOutcome
from rateproof.algos.problems.smooth_bilevel import Constants, SmoothBilevel
from rateproof.verify.papers.mefbo.rounds import Interval, Point, Problem, Steps, most


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
        bend = most(c.g.bend() for c in self.own.clients)
        bend = math.nan if bend is None else float(bend)
        return Constants(math.nan, math.nan, math.nan, bend, bend, 0.0, math.nan, math.nan, math.nan, math.nan)

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


def a_round(own: Problem, steps: Steps, start: Point) -> dict[str, float]:
    """What a round of MeFBO in ``algos`` ends with, as a mean over all its outcomes."""
    problem = OnTwoNumbers(own)
    method = MeFBO(
        gamma=own.gamma,
        lambda_theta=steps.lambda_theta,
        lambda_x=steps.lambda_x,
        lambda_y=steps.lambda_y,
        eta_theta=steps.eta_theta,
        eta_x=steps.eta_x,
        eta_y=steps.eta_y,
        tau=steps.tau,
        c0=steps.c,
        P=steps.P,
    )
    outcomes = EveryOutcome(problem, P=steps.P, steps=steps.tau)
    z = np.tile([start.x, start.y], (outcomes.runs, 1))
    before = method.init(problem, z, outcomes)
    before = State(0, z, before.cost, np.full((outcomes.runs, 1), start.theta))
    after = method.round(problem, before, outcomes)
    lowest = 0.0 if own.best is None else own.F(*own.best)
    return {
        "step_x": float(((after.z[:, 0] - start.x) ** 2).mean()),
        "step_y": float(((after.z[:, 1] - start.y) ** 2).mean()),
        "gap2_end": float(((after.theta - problem.theta_star(after.z, own.gamma)) ** 2).mean()),
        "Phi_end": float(((problem.F(after.z) - lowest) / steps.c + problem.gap(after.z, own.gamma)).mean()),
        "R_end": float(problem.R(after.z, own.gamma, steps.c).mean()),
    }
