"""Methods for compositions ``f^N(... f^0(x))`` that track inner values: on one machine, and in local steps of clients.

A model is ``(x, z^1, ..., z^N)``, ``z^n`` an estimate of the value below it; the papers have ``N = 1``. Local methods
are for the mean of the clients' own compositions, which is the composition of the means where clients have equal inner
functions. ComFedL with one local step ends at its minimiser; MFCGD, which averages inner values, at that of the other.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise
from typing import Any, ClassVar, TypeAlias

import numpy as np

from rateproof.algos.arguments import nonnegative
from rateproof.algos.methods.adaptive import Adaptive
from rateproof.algos.methods.base import Counts
from rateproof.algos.methods.bilevel_parts import NEWEST, NOTHING
from rateproof.algos.methods.first_order import check_positive, check_share, check_whole
from rateproof.algos.noise import Streams
from rateproof.algos.problems.base import Array
from rateproof.algos.problems.compositional import Compositional, product

Levels: TypeAlias = Callable[[Array], tuple[list[Array], list[Array]]]
"""Values and Jacobians of all levels at a model, of one client or of a mean, with one sample."""


@dataclass(frozen=True, eq=False)
class State:
    """State after ``rounds`` rounds.

    Attributes:
        rounds: rounds done.
        w: models ``(x, z^1, ..., z^N)``, ``(runs, n)``.
        cost: of one run.
    """

    rounds: int
    w: Array
    cost: Counts

    @property
    def x(self) -> Array:
        """Newest server model, ``(runs, n)``."""
        return self.w


@dataclass(frozen=True, kw_only=True)
class CompositionalMethod:
    """What these methods share.

    Args:
        alpha: step of ``x``.
        minibatch: batch of a sample.
    """

    alpha: float
    minibatch: int = 1

    output_name: ClassVar[str] = NEWEST

    def __post_init__(self) -> None:
        """Check every parameter."""
        check_positive(alpha=self.alpha)
        check_whole(minibatch=self.minibatch)

    def init(self, problem: Compositional, x0: Array, rng: Streams) -> State:
        """State before the first round, from models ``(x, z^1, ..., z^N)``, ``(runs, n)``."""
        return State(0, x0, NOTHING)

    def output(self, state: State) -> Array:
        """The newest model, ``(runs, n)``."""
        return state.w

    def counts(self, problem: Compositional, state: State) -> Counts:
        """Cost of one run so far."""
        return state.cost


def swept(problem: Compositional, levels: Levels, w: Array, beta: float) -> tuple[Array, Array]:
    """Inner values in their order, each from the newest one below it, and the product of Jacobians there.

    ``z^n <- (1 - beta) z^n + beta f^{n-1}(z^{n-1})``, then ``grad f^0(x) ... grad f^N(z^N)``.
    """
    for n in range(1, problem.N + 1):
        value, block = levels(w)[0][n - 1], problem.blocks[n]
        w = w.copy()
        w[:, block] += beta * (value - w[:, block])
    return w, product(levels(w)[1])


def _called(problem: Compositional, points: int, samples: int) -> Counts:
    """Counts of all clients at so many points each."""
    calls = {kind: count * points * problem.m for kind, count in problem.calls.items()}
    return replace(NOTHING, samples=0 if problem.silent else samples * problem.m, **calls)


@dataclass(frozen=True, kw_only=True)
class SCGD(CompositionalMethod):
    """SCGD, basic (Wang, Fang and Liu, Mathematical Programming 2017, Algorithm 1), on one machine.

    ``y_{k+1} = (1 - beta_k) y_k + beta_k g(x_k; omega_k)`` and ``x_{k+1} = x_k - alpha_k grad g(x_k; omega_k)
    grad f(y_{k+1}; nu_k)``, without constraints. A sample is the mean of one of every client's functions. Where there
    are more levels, each follows the newest one below it, which is ours.

    Args:
        alpha, beta: steps of ``x``, and of inner values, in ``(0, 1]``.
        alpha_power, beta_power: they fall like ``(k + 1)^-power`` from ``k = 0``; 3/4 and 1/2 in the paper.
        minibatch: batch of a sample.

    Raises:
        ValueError: a parameter is out of range.
    """

    beta: float
    alpha_power: float = 0.0
    beta_power: float = 0.0

    def __post_init__(self) -> None:
        """Check every parameter."""
        super().__post_init__()
        check_share(beta=self.beta)
        nonnegative(alpha_power=self.alpha_power, beta_power=self.beta_power)

    def round(self, problem: Compositional, state: State, rng: Streams) -> State:
        """State after one more iteration."""
        alpha, beta = self._steps(state.rounds)
        (levels,) = self._samples(problem, state, rng, 1)
        w, gradient = swept(problem, levels, state.w, beta)
        w[:, problem.blocks[0]] -= alpha * gradient
        return self._moved(problem, state, w, 1)

    def _steps(self, k: int) -> tuple[float, float]:
        """``alpha_k`` and ``beta_k``."""
        return self.alpha * float((k + 1) ** -self.alpha_power), self.beta * float((k + 1) ** -self.beta_power)

    def _samples(self, problem: Compositional, state: State, rng: Streams, count: int) -> list[Levels]:
        """Levels of the means over the clients, with independent samples."""
        runs = np.arange(rng.runs)
        drawn = [problem.draw(rng, state.rounds + 1, i, count, runs, self.minibatch) for i in range(problem.m)]
        return [partial(_mean_levels, problem, samples) for samples in zip(*drawn, strict=True)]

    def _moved(self, problem: Compositional, state: State, w: Array, samples: int) -> State:
        cost = Counts(1, 0, 0, 0, 0) + _called(problem, 1, samples * self.minibatch)
        return replace(state, rounds=state.rounds + 1, w=w, cost=state.cost + cost)


def _mean_levels(problem: Compositional, samples: tuple[Any, ...], w: Array) -> tuple[list[Array], list[Array]]:
    each = [problem.levels(i, w, sample) for i, sample in enumerate(samples)]
    values, jacobians = (
        [np.mean(level, axis=0) for level in zip(*kind, strict=True)] for kind in zip(*each, strict=True)
    )
    return values, jacobians


@dataclass(frozen=True, kw_only=True)
class ASCPG(SCGD):
    """ASC-PG (Wang, Liu and Fang, JMLR 2017) without a penalty: inner values at extrapolated points; ``N = 1``.

    ``x_{k+1} = x_k - alpha_k grad g(x_k; omega_k) grad f(y_k; nu_k)``, then ``y_{k+1} = (1 - beta_k) y_k + beta_k
    g(x_k + (x_{k+1} - x_k)/beta_k)`` with a sample of its own. From the general description: the paper's listing we
    could not get. Arguments as in :class:`SCGD`.
    """

    def init(self, problem: Compositional, x0: Array, rng: Streams) -> State:
        """State before the first iteration.

        Raises:
            ValueError: there are more levels.
        """
        if problem.N != 1:
            raise ValueError(f"ASC-PG is for two levels, N = 1; problem '{problem.name}' has N = {problem.N}")
        return super().init(problem, x0, rng)

    def round(self, problem: Compositional, state: State, rng: Streams) -> State:
        """State after one more iteration."""
        alpha, beta = self._steps(state.rounds)
        slopes, values = self._samples(problem, state, rng, 2)
        x, y = problem.split(state.w)
        new = x - alpha * product(slopes(state.w)[1])
        ahead = np.concatenate([x + (new - x) / beta, y], axis=1)
        return self._moved(problem, state, np.concatenate([new, y + beta * (values(ahead)[0][0] - y)], axis=1), 2)


@dataclass(frozen=True, kw_only=True)
class ComFedL(CompositionalMethod):
    """ComFedL (Huang and Li, 2021): local steps along ``grad g_i(x; xi) grad f_i(y)``, ``y = g_i(x; xi)``, averaged.

    The gradient of a composition with a sampled inner value is biased: batches make that small. From the general
    description: the paper's listing we could not get. The ``z^n`` of the model are the clients' mean values where they
    took their last step, for the record alone.

    Args:
        alpha: step.
        K: local steps of a round.
        minibatch: batch of a sample.

    Raises:
        ValueError: a parameter is out of range.
    """

    K: int = 1

    def __post_init__(self) -> None:
        """Check every parameter."""
        super().__post_init__()
        check_whole(K=self.K)

    def round(self, problem: Compositional, state: State, rng: Streams) -> State:
        """State after one more round."""
        total, runs = np.zeros_like(state.w), np.arange(rng.runs)
        for i in range(problem.m):
            w = state.w
            for sample in problem.draw(rng, state.rounds + 1, i, self.K, runs, self.minibatch):
                w, gradient = swept(problem, partial(problem.levels, i, sample=sample), w, 1.0)
                w[:, problem.blocks[0]] -= self.alpha * gradient
            total += w
        sent = (problem.m, problem.m, problem.m * problem.dims[0], problem.m * problem.dims[0])
        cost = state.cost + Counts(1, *sent) + _called(problem, self.K, self.K * self.minibatch)
        return State(state.rounds + 1, total / problem.m, cost)


@dataclass(frozen=True, eq=False)
class MomentumState(State):
    """State of :class:`MFCGD`.

    Attributes:
        jacobians: estimates of the transposed Jacobians of all levels, ``(runs, d_n, d_{n+1})`` each.
        squares: mean squares of directions, ``(runs, d_0)``.
    """

    jacobians: tuple[Array, ...]
    squares: Array


@dataclass(frozen=True, kw_only=True)
class MFCGD(CompositionalMethod):
    """MFCGD (Huang, 2022): local steps with momentum estimates (STORM) of inner values and of all Jacobians.

    In each of ``K`` local steps a client moves ``x`` along the product of its estimates of Jacobians, then corrects
    ``u <- g_i(x; xi) + (1 - rho)(u - g_i(x'; xi))``, and the Jacobians likewise, ``x'`` the point before. All of it is
    averaged at the end of a round. From the general description: the paper's listing we could not get.

    Args:
        alpha: step.
        rho: momentum in ``(0, 1]`` of all estimates; 1 is plain.
        K: local steps of a round.
        minibatch, first_minibatch: batch of a sample, and that of the estimates at the start.

    Raises:
        ValueError: a parameter is out of range.
    """

    rho: float = 1.0
    K: int = 1
    first_minibatch: int = 1

    def __post_init__(self) -> None:
        """Check every parameter."""
        super().__post_init__()
        check_share(rho=self.rho)
        check_whole(K=self.K, first_minibatch=self.first_minibatch)

    def init(self, problem: Compositional, x0: Array, rng: Streams) -> MomentumState:
        """State before the first round: plain estimates at ``x``, with one sample of each client.

        Only ``x`` of the models counts.
        """
        w, jacobians = np.zeros_like(x0), [np.zeros(1)] * (problem.N + 1)
        for i in range(problem.m):
            (sample,) = problem.draw(rng, 0, i, 1, np.arange(rng.runs), self.first_minibatch)
            levels = partial(problem.levels, i, sample=sample)
            own, _ = swept(problem, levels, x0, 1.0)
            w += own / problem.m
            jacobians = [total + own / problem.m for total, own in zip(jacobians, levels(own)[1], strict=True)]
        cost = _called(problem, 1, self.first_minibatch) + self._sent(problem, 0)
        return MomentumState(0, w, cost, tuple(jacobians), np.zeros_like(w[:, problem.blocks[0]]))

    def round(self, problem: Compositional, state: MomentumState, rng: Streams) -> MomentumState:
        """State after one more round."""
        squares, scale = self.scaled(state.squares, product(state.jacobians))
        w, jacobians, runs = np.zeros_like(state.w), [np.zeros(1)] * (problem.N + 1), np.arange(rng.runs)
        for i in range(problem.m):
            own, estimates = state.w, list(state.jacobians)
            for sample in problem.draw(rng, state.rounds + 1, i, self.K, runs, self.minibatch):
                x = own[:, problem.blocks[0]] - self.alpha * scale * product(estimates)
                own, estimates = self._corrected(problem, partial(problem.levels, i, sample=sample), x, own, estimates)
            w += own / problem.m
            jacobians = [total + J / problem.m for total, J in zip(jacobians, estimates, strict=True)]
        cost = state.cost + _called(problem, 2 * self.K, self.K * self.minibatch) + self._sent(problem, 1)
        return MomentumState(state.rounds + 1, w, cost, tuple(jacobians), squares)

    def _corrected(
        self, problem: Compositional, levels: Levels, x: Array, before: Array, jacobians: list[Array]
    ) -> tuple[Array, list[Array]]:
        """Estimates at ``x``, one sample at both points: inner values in their order, then Jacobians there."""
        kept, (values, slopes) = 1 - self.rho, levels(before)
        w = before.copy()
        w[:, problem.blocks[0]] = x
        for n, block in enumerate(problem.blocks[1:]):
            w[:, block] = levels(w)[0][n] + kept * (before[:, block] - values[n])
        now = levels(w)[1]
        return w, [J + kept * (last - old) for J, last, old in zip(now, jacobians, slopes, strict=True)]

    def scaled(self, squares: Array, direction: Array) -> tuple[Array, Array]:
        """Mean squares for the round to come, and the factors of its steps, each ``(runs, d_0)``: here 1."""
        return squares, np.ones_like(direction)

    @staticmethod
    def _sent(problem: Compositional, rounds: int) -> Counts:
        """A message has ``x``, the inner values and all Jacobians; before the first round they go up alone."""
        vectors = problem.m * 2 * (problem.N + 1)
        floats = problem.m * (problem.n + sum(a * b for a, b in pairwise((*problem.dims, 1))))
        return Counts(rounds, rounds * vectors, vectors, rounds * floats, floats)


@dataclass(frozen=True, kw_only=True)
class AdaMFCGD(Adaptive, MFCGD):
    """AdaMFCGD (Huang, 2022): :class:`MFCGD` with steps that adapt to each coordinate.

    The server renews the scale where a round begins, from the product of the mean estimates; clients keep it in their
    local steps. From the general description, in which the scale may be another one, too.

    Args:
        decay, floor: steps are divided by ``sqrt(a) + floor``, with ``a <- decay a + (1 - decay) h^2``.
        others: as in :class:`MFCGD`.

    Raises:
        ValueError: a parameter is out of range.
    """
