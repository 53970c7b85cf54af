"""Federated minimax: clients descend in ``x`` and ascend in ``y``, or in the weights of the clients.

Local SGDA: ``min_x max_y (1/N) sum_i f_i(x, y)``. AFL and DRFA: ``min_x max_w sum_i w_i h_i(x)`` over weights ``w`` in
the simplex, the worst mixture of the clients' losses ``h_i``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rateproof.algos.methods.base import Counts
from rateproof.algos.methods.first_order import Gradients, check_positive, check_sampled, check_whole, samples_of
from rateproof.algos.noise import Ints, NoNoise, Streams
from rateproof.algos.problems.base import Array, Problem
from rateproof.algos.problems.saddle import Saddle
from rateproof.algos.sets import Simplex


@dataclass(frozen=True, eq=False)
class SaddleState:
    """Server models ``x``, ``(runs, n)``, and ``y``, ``(runs, nt)``, after ``rounds`` rounds."""

    x: Array
    y: Array
    rounds: int


@dataclass(frozen=True, kw_only=True)
class LocalSGDA:
    """Local SGDA (Sharma, Panda, Joshi, Varshney 2022, "Federated minimax optimization", Algorithm 1).

    Every client takes ``H`` simultaneous steps down in ``x`` and up in ``y``; the server averages both.

    Args:
        gamma_x, gamma_y: stepsizes.
        H: local steps of a round.
        y0: first ``y``, the same number in every coordinate.

    Raises:
        ValueError: a parameter is out of range.
    """

    gamma_x: float
    gamma_y: float
    H: int = 1
    y0: float = 0.0

    output_name: ClassVar[str] = "newest server model"

    def __post_init__(self) -> None:
        """Check every parameter."""
        check_positive(gamma_x=self.gamma_x, gamma_y=self.gamma_y)
        check_whole(H=self.H)
        if not np.isfinite(self.y0):
            raise ValueError(f"y0 is {self.y0}; it should be a finite number")

    def init(self, problem: Saddle, x0: Array, rng: Streams) -> SaddleState:
        """State before the first round, from initial models ``x0`` of shape ``(runs, n)``."""
        return SaddleState(np.array(x0), np.full((len(x0), problem.nt), self.y0), 0)

    def round(self, problem: Saddle, state: SaddleState, rng: Streams) -> SaddleState:
        """One communication round."""
        r, n, rows = state.rounds + 1, problem.n, np.arange(rng.runs)
        x_sum, y_sum = np.zeros_like(state.x), np.zeros_like(state.y)
        for i in range(problem.N):
            drawn = problem.noise.draw(rng, r, i, self.H, rows, n + problem.nt)
            x, y = state.x, state.y
            for k in range(self.H):
                zeta = np.zeros(n + problem.nt) if drawn is None else drawn[1][k]
                down, up = problem.grad_x(i, x, y) + zeta[..., :n], problem.grad_y(i, x, y) + zeta[..., n:]
                x, y = x - self.gamma_x * down, y + self.gamma_y * up
            x_sum += x
            y_sum += y
        return SaddleState(x_sum / problem.N, y_sum / problem.N, r)

    def output(self, state: SaddleState) -> Array:
        """The newest ``x``, ``(runs, n)``."""
        return state.x

    def counts(self, problem: Saddle, state: SaddleState) -> Counts:
        """Cost of one run so far: both models go each way; a local step takes both gradients of one sample."""
        visits = state.rounds * problem.N
        steps, floats = visits * self.H, visits * (problem.n + problem.nt)
        return Counts(
            rounds=state.rounds,
            vectors_down=2 * visits,
            vectors_up=2 * visits,
            floats_down=floats,
            floats_up=floats,
            grad_f=2 * steps,
            samples=0 if isinstance(problem.noise, NoNoise) else steps,
        )


@dataclass(frozen=True, eq=False)
class AgnosticState:
    """State after ``rounds`` rounds.

    Attributes:
        x: server model, ``(runs, n)``.
        weights: of the clients, ``(runs, N)``.
        x_mean, weights_mean: averages over the run, NaN before the first round.
        rounds: rounds done.
    """

    x: Array
    weights: Array
    x_mean: Array
    weights_mean: Array
    rounds: int


@dataclass(frozen=True, kw_only=True)
class AFL:
    """Agnostic federated learning (Mohri, Sivek, Suresh 2019, Stochastic-AFL), every client in every round.

    All clients send loss and stochastic gradient at ``x``; the server steps down along ``sum_i w_i g_i`` and up along
    the losses, and projects the weights on the simplex. Losses are exact. Averages are of the models after each round.

    Args:
        gamma_x, gamma_w: stepsizes of model and weights.

    Raises:
        ValueError: a parameter is out of range.
    """

    gamma_x: float
    gamma_w: float

    output_name: ClassVar[str] = "average model"

    def __post_init__(self) -> None:
        """Check every parameter."""
        check_positive(gamma_x=self.gamma_x, gamma_w=self.gamma_w)

    def init(self, problem: Problem, x0: Array, rng: Streams) -> AgnosticState:
        """State before the first round, from initial models ``x0`` of shape ``(runs, n)`` and equal weights."""
        return _agnostic_start(problem, x0)

    def round(self, problem: Problem, state: AgnosticState, rng: Streams) -> AgnosticState:
        """One communication round."""
        r, rows = state.rounds + 1, np.arange(rng.runs)
        slope = np.zeros_like(state.x)
        for i in range(problem.N):
            slope += state.weights[:, i, None] * Gradients(problem, rng, r, i, 1, rows).at(state.x)
        losses = np.stack([problem.h_i(i, state.x) for i in range(problem.N)], axis=1)
        x = state.x - self.gamma_x * slope
        weights = Simplex(problem.N).project(state.weights + self.gamma_w * losses)
        return AgnosticState(x, weights, _mean(state.x_mean, x, r), _mean(state.weights_mean, weights, r), r)

    def output(self, state: AgnosticState) -> Array:
        """Average of the models after each round, ``(runs, n)``; NaN before the first."""
        return state.x_mean

    def counts(self, problem: Problem, state: AgnosticState) -> Counts:
        """Cost of one run so far: a client gets the model and returns a gradient and a loss."""
        visits = state.rounds * problem.N
        return Counts(
            rounds=state.rounds,
            vectors_down=visits,
            vectors_up=visits,
            floats_down=visits * problem.n,
            floats_up=visits * (problem.n + 1),
            grad_h=visits,
            samples=samples_of(problem, visits),
            values_f=visits,
        )


@dataclass(frozen=True, kw_only=True)
class DRFA:
    """Distributionally robust federated averaging (Deng, Kamani, Mahdavi 2020, Algorithm 1), without a set for ``x``.

    A round here is a stage: ``S`` clients drawn by the weights, with replacement, take ``H`` local steps and return the
    model after all of them and a snapshot after a random number of them, the same for all. Then ``S`` clients drawn
    uniformly, without replacement, send their loss at the mean snapshot, by which the weights go up.

    Args:
        gamma_x, gamma_w: stepsizes of model and weights; a stage moves the weights by ``H gamma_w`` times the losses.
        H: local steps of a stage.
        S: clients drawn by each of the two draws; a client drawn twice takes its steps twice, on different samples.

    Raises:
        ValueError: a parameter is out of range.
    """

    gamma_x: float
    gamma_w: float
    S: int
    H: int = 1

    output_name: ClassVar[str] = "average local model"

    def __post_init__(self) -> None:
        """Check every parameter."""
        check_positive(gamma_x=self.gamma_x, gamma_w=self.gamma_w)
        check_whole(S=self.S, H=self.H)

    def init(self, problem: Problem, x0: Array, rng: Streams) -> AgnosticState:
        """State before the first stage, from initial models ``x0`` of shape ``(runs, n)`` and equal weights.

        Raises:
            ValueError: ``S > N``.
        """
        check_sampled(self.S, problem.N)
        return _agnostic_start(problem, x0)

    def round(self, problem: Problem, state: AgnosticState, rng: Streams) -> AgnosticState:
        """One stage."""
        r, N, everyone = state.rounds + 1, problem.N, np.arange(rng.runs)
        # Client 0 of this stream samples subsets.
        slots = by_weights(state.weights, rng.uniforms("sampling", r, 1, 1, self.S, everyone)[0])
        snap = rng.integers("sampling", r, 2, 1, 1, everyone, self.H)[0, :, 0] + 1
        x, snapshot, visited = np.zeros((3, *state.x.shape))
        for s in range(self.S):
            for i in range(N):
                rows = np.flatnonzero(slots[:, s] == i)
                if not len(rows):
                    continue
                gradients = Gradients(problem, rng, r, i, self.H, rows, key=s * N + i)
                y = state.x[rows]
                for k in range(self.H):
                    y = y - self.gamma_x * gradients.at(y, k)
                    visited[rows] += y
                    snapshot[rows] += np.where(snap[rows, None] == k + 1, y, 0.0)
                x[rows] += y
        x, snapshot, visited = x / self.S, snapshot / self.S, visited / (self.S * self.H)
        asked = rng.sample_clients(r, N, self.S)
        losses = np.stack([problem.h_i(i, snapshot) for i in range(N)], axis=1)
        v = np.where(asked, N / self.S * losses, 0.0)
        weights = Simplex(N).project(state.weights + self.H * self.gamma_w * v)
        # The weights that stages start from, and the local models after their steps.
        return AgnosticState(
            x, weights, _mean(state.x_mean, visited, r), _mean(state.weights_mean, state.weights, r), r
        )

    def output(self, state: AgnosticState) -> Array:
        """Average of all local models, ``(runs, n)``; NaN before the first stage."""
        return state.x_mean

    def counts(self, problem: Problem, state: AgnosticState) -> Counts:
        """Cost of one run so far: a stage takes two communication rounds, and two vectors each way per drawn client.

        Down: the model to the first ``S`` and the mean snapshot to the others. Up: model and snapshot, and one loss.
        """
        visits = state.rounds * self.S
        steps = visits * self.H
        return Counts(
            rounds=2 * state.rounds,
            vectors_down=2 * visits,
            vectors_up=2 * visits,
            floats_down=2 * visits * problem.n,
            floats_up=visits * (2 * problem.n + 1),
            grad_h=steps,
            samples=samples_of(problem, steps),
            values_f=visits,
        )


def by_weights(weights: Array, uniform: Array) -> Ints:
    """Clients drawn by their weights: ``(runs, N)`` and uniform numbers ``(runs, S)`` to indices ``(runs, S)``.

    A client of weight zero is never drawn: numbers below 1 stay below the sum of the weights, which may miss 1 by
    rounding, when they are scaled to it.
    """
    edges = np.cumsum(weights, axis=1)
    return np.asarray((uniform[:, :, None] * edges[:, None, -1:] >= edges[:, None, :]).sum(axis=2), dtype=np.int64)


def _agnostic_start(problem: Problem, x0: Array) -> AgnosticState:
    weights = np.full((len(x0), problem.N), 1 / problem.N)
    return AgnosticState(np.array(x0), weights, np.full_like(x0, np.nan), np.full_like(weights, np.nan), 0)


def _mean(before: Array, new: Array, r: int) -> Array:
    """The mean of ``r`` terms from that of ``r - 1`` and the new one."""
    return new if r == 1 else np.asarray(before + (new - before) / r)
