"""Personalised federated learning for one target (fedweight, Section 5): Ditto and pFedMe.

All training nodes learn a common model ``u`` with equal weights; node 0, which holds the validation set, keeps a model
of its own near ``u``. Neither paper says what a node does that only receives; this one is the target.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rateproof.algos.arguments import nonnegative
from rateproof.algos.methods.base import Counts
from rateproof.algos.methods.bilevel_parts import NOTHING
from rateproof.algos.methods.bilevel_parts import State as ServerState
from rateproof.algos.methods.first_order import check_positive, check_whole
from rateproof.algos.noise import Ints, Streams
from rateproof.algos.problems.base import Array
from rateproof.algos.problems.weighted import WeightedNodes, all_pairs


@dataclass(frozen=True, eq=False)
class State(ServerState):
    """State after ``rounds`` rounds; ``z`` has the model of node 0.

    Attributes:
        u: common model, ``(runs, d)``.
    """

    u: Array


@dataclass(frozen=True, kw_only=True)
class Personal:
    """What both methods share.

    Args:
        gamma: step.
        lam: how strongly models are held together.
        tau: local steps of a round.
        batch: samples of a step.

    Raises:
        ValueError: a parameter is out of range.
    """

    gamma: float
    lam: float
    tau: int = 10
    batch: int = 50

    output_name = "model of the target"

    def __post_init__(self) -> None:
        check_positive(gamma=self.gamma)
        nonnegative(lam=self.lam)
        check_whole("a whole number", tau=self.tau, batch=self.batch)

    def init(self, problem: WeightedNodes, x0: Array, rng: Streams) -> State:
        """State before the first round, with ``u`` and the target's model alike."""
        theta = problem.split(x0)[1]
        z = problem.join(np.full((len(x0), problem.K), 1 / problem.K), theta)
        return State(0, z, NOTHING, theta)

    def output(self, state: State) -> Array:
        """The target's model."""
        return state.z

    def counts(self, problem: WeightedNodes, state: State) -> Counts:
        """Cost of one run so far."""
        return state.cost

    def _after(self, problem: WeightedNodes, state: State, u: Array, v: Array, points: int, calls: int) -> State:
        K, d = problem.K, problem.d
        cost = Counts(1, K, K, K * d, K * d, samples=points, lower_calls=calls)
        z = problem.join(problem.split(state.z)[0], v)
        return State(state.rounds + 1, z, state.cost + cost, u)

    def _drawn(self, problem: WeightedNodes, rng: Streams, key: int, nodes: Ints, steps: int) -> Ints:
        """Samples of steps at nodes, ``(steps, pairs, batch)``."""
        runs = np.arange(rng.runs)
        of = [rng.integers("zeta", key, int(k), steps, self.batch, runs, int(problem.sizes[k])) for k in nodes]
        return np.stack(of, axis=2).reshape(steps, -1, self.batch)


@dataclass(frozen=True, kw_only=True)
class Ditto(Personal):
    """Ditto (Li et al., 2021, Algorithm 2), with all nodes in each round.

    Args:
        own: steps of the target on its own model in a round, ``v <- v - gamma (grad L_0(v) + lam (v - u))``.
        gamma, lam, tau, batch: see :class:`Personal`; one step for both models.
    """

    own: int = 25

    def __post_init__(self) -> None:
        super().__post_init__()
        check_whole("a whole number", own=self.own)

    def round(self, problem: WeightedNodes, state: State, rng: Streams) -> State:
        """State after one more round."""
        runs, K, key = len(state.u), problem.K, state.rounds + 1
        nodes = np.arange(1, K + 1)
        at, centre, v = all_pairs(runs, nodes), all_pairs(runs, [0]), problem.split(state.z)[1]
        for rows in self._drawn(problem, rng, key, np.array([0]), self.own):
            v = v - self.gamma * (problem.gradients(centre, v, rows) + self.lam * (v - state.u))
        x = np.repeat(state.u, K, axis=0)
        for rows in self._drawn(problem, rng, key, nodes, self.tau):
            x = x - self.gamma * problem.gradients(at, x, rows)
        points = self.batch * (K * self.tau + self.own)
        return self._after(problem, state, x.reshape(runs, K, -1).mean(axis=1), v, points, K * self.tau + self.own)


@dataclass(frozen=True, kw_only=True)
class PFedMe(Personal):
    """pFedMe (T Dinh et al., 2020, Algorithm 1), with all nodes in each round.

    A model of its own is ``argmin f_k(theta) + lam/2 ||theta - u_k||^2``, by gradient descent on the samples of the
    step, to a gradient of ``delta`` or for ``inner`` steps; that of the target, from all its samples, is asked for once
    a round.

    Args:
        beta: weight of the mean over nodes in the new common model.
        delta, inner: when a subproblem is solved.
        gamma, lam, tau, batch: see :class:`Personal`; ``u_k <- u_k - gamma lam (u_k - theta_k)``. Subproblems have the
            step ``gamma/(1 + gamma lam)``, which descends wherever ``gamma`` does without the proximal term.
    """

    beta: float = 1.0
    delta: float = 0.005
    inner: int = 20

    def __post_init__(self) -> None:
        super().__post_init__()
        check_positive(lam=self.lam, beta=self.beta, delta=self.delta)
        check_whole("a whole number", inner=self.inner)

    def round(self, problem: WeightedNodes, state: State, rng: Streams) -> State:
        """State after one more round."""
        runs, K = len(state.u), problem.K
        nodes, calls, points = np.arange(1, K + 1), 0, 0
        u = np.repeat(state.u, K, axis=0)
        for rows in self._drawn(problem, rng, state.rounds + 1, nodes, self.tau):
            theta, steps = self._own(problem, np.arange(1, K + 1), u, rows)
            u = u - self.gamma * self.lam * (u - theta)
            calls, points = calls + steps, points + K * self.batch
        common = (1 - self.beta) * state.u + self.beta * u.reshape(runs, K, -1).mean(axis=1)
        v, steps = self._own(problem, np.array([0]), common, None)
        points += int(problem.sizes[0])
        return self._after(problem, state, common, v, points, round((calls + steps) / runs))

    def _own(self, problem: WeightedNodes, nodes: Ints, u: Array, rows: Ints | None) -> tuple[Array, int]:
        """Solutions of the subproblems at the nodes of all runs, and gradients that they took."""
        at, theta, step = all_pairs(len(u) // len(nodes), nodes), u, self.gamma / (1 + self.gamma * self.lam)
        left, calls, gradient = np.ones(len(u), dtype=bool), 0, problem.on(at, rows)
        for _ in range(self.inner):
            slope = gradient(theta) + self.lam * (theta - u)
            calls += int(left.sum())
            left &= np.linalg.norm(slope, axis=1) > self.delta
            if not left.any():
                break
            theta = np.where(left[:, None], theta - step * slope, theta)
        return theta, calls
