"""Federated methods for the lower level of a bilevel problem (fedrzo, Algorithm 3 and Cases 1 to 3 of Section 3).

Each is a :class:`rateproof.algos.methods.fedrzo.LowerSolver`, called twice in a round of the upper level as printed.
None projects, as printed; ``projected=True`` projects on ``Y(x)`` after each local step, which constraints need.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from rateproof.algos.methods.fedrzo import LowerCost
from rateproof.algos.methods.first_order import MOST
from rateproof.algos.noise import Streams
from rateproof.algos.problems.base import Array
from rateproof.algos.problems.federated import Bilevel

#: Set aside for one call of a method, and for one round of the upper level, so that no two calls share a random number.
ROUNDS_OF_A_CALL = 1 << 20
CALLS_OF_A_ROUND = 1 << 20


@dataclass(frozen=True)
class Plan:
    """Local steps of one call: ``rounds`` rounds of ``H`` steps, the last one shorter, ``T`` in all.

    Raises:
        ValueError: more steps than any machine could take.
    """

    T: int
    H: int

    def __post_init__(self) -> None:
        if self.T > MOST:
            raise ValueError(
                f"a lower-level call takes {self.T:.3g} local steps; it should be at most {MOST}: "
                "the condition number L_1h/mu_h of the lower level, the clients m or scale are too large"
            )

    @property
    def rounds(self) -> int:
        """``ceil(T / H)``."""
        return -(-self.T // self.H)

    def steps(self, rt: int) -> range:
        """Numbers of the local steps of round ``rt``, both from 0."""
        return range(rt * self.H, min((rt + 1) * self.H, self.T))

    def cost(self, m: int, *, vectors: int, projected: bool) -> LowerCost:
        """Cost of a call with ``m`` clients that exchange ``vectors`` vectors each way in a round."""
        calls = self.T * m
        return LowerCost(self.rounds, vectors * self.rounds * m, calls, calls if projected else 0)


def lower_steps(m: int, r: int, scale: float = 1.0) -> int:
    """``ceil(scale (r + 1)^(2/3) / m)``: local steps of a call in round ``r`` (fedrzo, Theorem 1.ii)."""
    return max(1, math.ceil(scale * math.pow(r + 1, 2 / 3) / m))


@dataclass(frozen=True, eq=False)
class LocalSGD:
    """Local SGD with constant steps (Algorithm 3): at most ``m`` rounds a call.

    Attributes:
        y0: initial point ``y_{0,r}``, one number or ``(nt,)``.
        projected: project after each local step; not so as printed.
    """

    y0: ArrayLike = 0.0
    projected: bool = False

    def parameters(self, problem: Bilevel, r: int) -> tuple[float, Plan]:
        """``gamma~`` and the local steps of a call in round ``r`` (line 1).

        ``a_r = max(m, 4 kappa_h, r) + 1``, ``gamma~ = 1/(mu_h a_r)``, ``T~ = 2 a_r ln a_r``, ``H~ = ceil(T~/m)``. The
        call takes ``ceil(T~)`` steps; the number of rounds is not printed.
        """
        c = problem.constants
        a = max(problem.m, 4 * c.L_1h / c.mu_h, r) + 1
        T = 2 * a * math.log(a)
        return 1 / (c.mu_h * a), Plan(math.ceil(T), math.ceil(T / problem.m))

    def solve(self, problem: Bilevel, x: Array, r: int, call: int, rng: Streams) -> tuple[Array, LowerCost]:
        """See :class:`rateproof.algos.methods.fedrzo.LowerSolver`."""
        gamma, plan = self.parameters(problem, r)  # line 1
        rng = _own(rng, r, call)
        y_hat = _start(problem, self.y0, len(x))
        for rt in range(plan.rounds):  # line 2
            steps = plan.steps(rt)
            y_hat = _local_descent(problem, x, y_hat, [gamma] * len(steps), rng, rt, self.projected)  # lines 3-8
        return y_hat, plan.cost(problem.m, vectors=1, projected=self.projected)


@dataclass(frozen=True, eq=False)
class LFD:
    """Local descent with decreasing steps ``4/(mu_h (t + a))`` and rounds of ``m^(-1/3) T^(2/3)`` steps (Case 3).

    Attributes:
        scale: of the number ``T`` of local steps, see :func:`lower_steps`.
        a: shift of the steps; None: ``16 kappa_h``, with which the first is ``1/(4 L_1h)``. The paper gives none.
        y0, projected: as in :class:`LocalSGD`.
    """

    scale: float = 1.0
    a: float | None = None
    y0: ArrayLike = 0.0
    projected: bool = False

    def plan(self, m: int, r: int) -> Plan:
        """Local steps of a call in round ``r``."""
        T = lower_steps(m, r, self.scale)
        return Plan(T, min(T, math.ceil(m ** (-1 / 3) * T ** (2 / 3))))

    def solve(self, problem: Bilevel, x: Array, r: int, call: int, rng: Streams) -> tuple[Array, LowerCost]:
        """See :class:`rateproof.algos.methods.fedrzo.LowerSolver`."""
        c, plan = problem.constants, self.plan(problem.m, r)
        shift = 16 * c.L_1h / c.mu_h if self.a is None else self.a
        rng = _own(rng, r, call)
        y_hat = _start(problem, self.y0, len(x))
        for rt in range(plan.rounds):
            sizes = [4 / (c.mu_h * (t + shift)) for t in plan.steps(rt)]
            y_hat = _local_descent(problem, x, y_hat, sizes, rng, rt, self.projected)
        return y_hat, plan.cost(problem.m, vectors=1, projected=self.projected)


@dataclass(frozen=True, eq=False)
class FedAC:
    """Accelerated local SGD, FedAC-I (Case 2; Yuan and Ma, 2020, Algorithm 1): about ``m^(1/3)`` rounds a call.

    Each client keeps two points; both are averaged, so two vectors travel each way.

    Attributes:
        scale: of the number ``T`` of local steps, see :func:`lower_steps`.
        round_scale: rounds are ``ceil(round_scale m^(1/3))``, at most ``T``.
        eta: stepsize; None: ``1/L_1h``, the largest that the method allows.
        y0, projected: as in :class:`LocalSGD`.
    """

    scale: float = 1.0
    round_scale: float = 1.0
    eta: float | None = None
    y0: ArrayLike = 0.0
    projected: bool = False

    def plan(self, m: int, r: int) -> Plan:
        """Local steps of a call in round ``r``."""
        T = lower_steps(m, r, self.scale)
        rounds = min(T, math.ceil(self.round_scale * m ** (1 / 3)))
        return Plan(T, -(-T // rounds))

    def solve(self, problem: Bilevel, x: Array, r: int, call: int, rng: Streams) -> tuple[Array, LowerCost]:
        """See :class:`rateproof.algos.methods.fedrzo.LowerSolver`; the aggregated point is returned."""
        c, plan = problem.constants, self.plan(problem.m, r)
        eta = 1 / c.L_1h if self.eta is None else self.eta
        gamma = max(math.sqrt(eta / (c.mu_h * plan.H)), eta)
        alpha = 1 / (gamma * c.mu_h)
        beta = alpha + 1
        rng = _own(rng, r, call)
        w = w_ag = _start(problem, self.y0, len(x))
        for rt in range(plan.rounds):
            steps = plan.steps(rt)
            zeta = problem.draw_lower(rng, rt + 1, len(steps))
            ends, ends_ag = [], []
            for i in range(problem.m):
                w_i, ag_i = w, w_ag
                for j in range(len(steps)):
                    w_md = w_i / beta + (1 - 1 / beta) * ag_i
                    g = problem.grad_h(i, x, w_md, None if zeta is None else zeta[j, :, i])
                    ag_i = w_md - eta * g
                    w_i = (1 - 1 / alpha) * w_i + w_md / alpha - gamma * g
                    if self.projected:
                        ag_i, w_i = problem.project_lower(x, ag_i), problem.project_lower(x, w_i)
                ends.append(w_i)
                ends_ag.append(ag_i)
            w, w_ag = _mean(ends), _mean(ends_ag)
        cost = plan.cost(problem.m, vectors=2, projected=False)
        return w_ag, cost + LowerCost(projections=2 * cost.calls if self.projected else 0)


def _local_descent(
    problem: Bilevel, x: Array, y_hat: Array, sizes: Sequence[float], rng: Streams, rt: int, projected: bool
) -> Array:
    """One round: local steps of these sizes by all clients from ``y_hat``, and their average."""
    zeta = problem.draw_lower(rng, rt + 1, len(sizes))
    ends = []
    for i in range(problem.m):
        y = y_hat  # line 3
        for j, size in enumerate(sizes):  # line 4
            y = y - size * problem.grad_h(i, x, y, None if zeta is None else zeta[j, :, i])  # line 5
            if projected:
                y = problem.project_lower(x, y)
        ends.append(y)  # line 6
    return _mean(ends)  # line 8


def _own(rng: Streams, r: int, call: int) -> Streams:
    """Random numbers of one call alone."""
    return rng.after((r * CALLS_OF_A_ROUND + call) * ROUNDS_OF_A_CALL)


def _start(problem: Bilevel, y0: ArrayLike, runs: int) -> Array:
    return np.array(np.broadcast_to(np.asarray(y0, dtype=np.float64), (runs, problem.nt)))


def _mean(points: Sequence[Array]) -> Array:
    return np.asarray(sum(points) / len(points))
