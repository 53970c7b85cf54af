"""Local SGD in which clients mix their models now and then: three schemes of Table 1 of fedrzo, one method.

Problem: ``min h = (1/N) sum_i h_i``. Every client takes local steps; at the end of a round the models ``Y`` of the
clients, as columns, become ``Y W`` for a symmetric doubly stochastic ``W`` (Wang, Joshi 2021). The schemes differ in
``W`` and in how stepsize and round length change:

- cooperative SGD, or PASGD: any ``W``;
- parallel restarted SGD (Yu, Yang, Zhu 2019): the average, everything constant;
- local SGD under the Polyak-Lojasiewicz condition (Haddadpour, Kamani, Mahdavi, Cadambe 2019): the average, a stepsize
  that falls like ``1/k`` and rounds that may grow (adaptive synchronisation).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from rateproof.algos.arguments import nonnegative
from rateproof.algos.methods.base import Counts
from rateproof.algos.methods.first_order import Gradients, check_positive, check_whole, samples_of
from rateproof.algos.noise import Streams
from rateproof.algos.problems.base import Array, Problem

# Rows and columns of a mixing matrix may miss 1 by this much.
_ROUNDING = 1e-12


@dataclass(frozen=True, eq=False)
class State:
    """State after ``rounds`` rounds.

    Attributes:
        y: models of the clients after mixing, ``(N, runs, n)``.
        rounds, steps: rounds, and local steps of each client, so far.
    """

    y: Array
    rounds: int
    steps: int

    @property
    def x(self) -> Array:
        """Mean of the clients' models, ``(runs, n)``; the server model where all are averaged."""
        return np.asarray(self.y.mean(axis=0))


@dataclass(frozen=True, kw_only=True)
class CooperativeSGD:
    """Cooperative SGD (Wang, Joshi 2021, "Cooperative SGD: a unified framework", without auxiliary variables).

    Args:
        gamma: stepsize of step ``k = 0, 1, ...``, or its value at ``k = 0`` where it falls.
        H: local steps of the first round.
        W: mixing matrix, ``(N, N)``, symmetric and doubly stochastic; None averages all models through a server.
        k0: the stepsize of step ``k`` is ``gamma k0 / (k + k0)``; None keeps it constant.
        growth: round ``r = 1, 2, ...`` has ``H (1 + growth (r - 1))`` local steps, rounded.

    Raises:
        ValueError: a parameter is out of range, or ``W`` is not symmetric and doubly stochastic.
    """

    gamma: float
    H: int
    W: Any = None
    k0: float | None = None
    growth: float = 0.0

    output_name: ClassVar[str] = "mean of the newest models"

    def __post_init__(self) -> None:
        """Check every parameter."""
        check_positive(gamma=self.gamma)
        check_whole(H=self.H)
        if self.k0 is not None:
            check_positive(k0=self.k0)
        nonnegative(growth=self.growth)
        if self.W is not None:
            object.__setattr__(self, "W", mixing_matrix(self.W))

    @classmethod
    def tuned(cls, *, L: float, N: int, steps: int) -> CooperativeSGD:
        """The choice behind Table 1, with averages: ``gamma = sqrt(N/K)/L``, ``H = K^(1/2)/N^(3/2)``, at least 1.

        Args:
            L: smoothness constant.
            N: clients.
            steps: local steps ``K`` of each client in all.
        """
        return cls(gamma=_stepsize(L, N, steps), H=max(1, round(steps**0.5 / N**1.5)))

    def stepsize(self, k: int) -> float:
        """Stepsize of local step ``k``, counted from 0 over all rounds."""
        return self.gamma if self.k0 is None else self.gamma * self.k0 / (k + self.k0)

    def steps_of(self, r: int) -> int:
        """Local steps of round ``r``, from 1."""
        return round(self.H * (1 + self.growth * (r - 1)))

    def init(self, problem: Problem, x0: Array, rng: Streams) -> State:
        """State before the first round, from initial models ``x0`` of shape ``(runs, n)``, the same for all clients.

        Raises:
            ValueError: ``W`` is for another number of clients.
        """
        if self.W is not None and len(self.W) != problem.N:
            raise ValueError(f"W is {len(self.W)} by {len(self.W)}; it should have a row for each of N = {problem.N}")
        return State(np.repeat(x0[None], problem.N, axis=0), 0, 0)

    def round(self, problem: Problem, state: State, rng: Streams) -> State:
        """Local steps of all clients, then one mixing."""
        r = state.rounds + 1
        H, rows = self.steps_of(r), np.arange(rng.runs)
        y = state.y.copy()
        for i in range(problem.N):
            gradients = Gradients(problem, rng, r, i, H, rows)
            for k in range(H):
                y[i] -= self.stepsize(state.steps + k) * gradients.at(y[i], k)
        y = np.repeat(y.mean(axis=0)[None], problem.N, axis=0) if self.W is None else np.tensordot(self.W, y, axes=1)
        return State(y, r, state.steps + H)

    def output(self, state: State) -> Array:
        """The mean of the newest models, ``(runs, n)``."""
        return state.x

    def counts(self, problem: Problem, state: State) -> Counts:
        """Cost of one run so far.

        Averages go through a server. With a mixing matrix nothing goes down: a client sends its model to each
        neighbour, one vector for each entry off the diagonal that is not zero.
        """
        if self.W is None:
            up = down = state.rounds * problem.N
        else:
            up, down = state.rounds * int(np.count_nonzero(self.W - np.diag(np.diag(self.W)))), 0
        gradients = state.steps * problem.N
        return Counts(
            rounds=state.rounds,
            vectors_down=down,
            vectors_up=up,
            floats_down=down * problem.n,
            floats_up=up * problem.n,
            grad_h=gradients,
            samples=samples_of(problem, gradients),
        )


@dataclass(frozen=True, kw_only=True)
class ParallelRestartedSGD(CooperativeSGD):
    """Parallel restarted SGD (Yu, Yang, Zhu 2019, Algorithm 1): average every ``H`` steps, with a constant stepsize.

    Args:
        gamma: stepsize.
        H: local steps of a round. With ``H = 1`` it is minibatch SGD.
    """

    W: Any = field(default=None, init=False)
    k0: float | None = field(default=None, init=False)
    growth: float = field(default=0.0, init=False)

    @classmethod
    def tuned(cls, *, L: float, N: int, steps: int) -> ParallelRestartedSGD:
        """As for cooperative SGD, with ``H = K^(1/4)/N^(3/4)``, at least 1."""
        return cls(gamma=_stepsize(L, N, steps), H=max(1, round(steps**0.25 / N**0.75)))


@dataclass(frozen=True, kw_only=True)
class PLLocalSGD(CooperativeSGD):
    """Local SGD under the Polyak-Lojasiewicz condition (Haddadpour et al. 2019, LUPA-SGD), adaptive where rounds grow.

    The stepsize of step ``k`` is ``4 / (mu_h (k + k0))``.

    Args:
        mu_h: ``||grad h||^2 >= 2 mu_h (h - h*)``.
        k0: positive; the analysis wants it large beside ``H L_h / mu_h``.
        H: local steps of the first round.
        growth: relative growth of the rounds, 0 for rounds of equal length.
    """

    gamma: float = field(default=math.nan, init=False)
    W: Any = field(default=None, init=False)
    mu_h: float
    k0: float

    def __post_init__(self) -> None:
        """Check every parameter and set the first stepsize."""
        check_positive(mu_h=self.mu_h, k0=self.k0)
        object.__setattr__(self, "gamma", 4 / (self.mu_h * self.k0))
        super().__post_init__()

    @staticmethod
    def length(*, N: int, steps: int) -> int:
        """The length of rounds behind Table 1, ``H = K^(2/3) / N^(1/3)`` for ``K`` local steps of each client."""
        check_whole(N=N, steps=steps)
        return max(1, round(float(steps ** (2 / 3) / N ** (1 / 3))))


def _stepsize(L: float, N: int, steps: int) -> float:
    """``sqrt(N / K) / L``."""
    check_positive(L=L)
    check_whole(N=N, steps=steps)
    return math.sqrt(N / steps) / L


def mixing_matrix(W: Any) -> Array:
    """A symmetric doubly stochastic matrix, ``(N, N)``, as an array that cannot be written to.

    Raises:
        ValueError: it is not; names the row.
    """
    try:
        matrix = np.array(W, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError("W should be a square matrix of numbers, one row per client") from None
    if matrix.ndim != 2 or len(matrix) != matrix.shape[1] or not matrix.size:
        raise ValueError(f"W has shape {matrix.shape}; it should be a square matrix, one row per client")
    for i, row in enumerate(matrix):
        if not np.isfinite(row).all() or (row < 0).any():
            raise ValueError(f"row {i} of W is {row.tolist()}; its entries should be numbers, at least 0")
        if abs(row.sum() - 1) > _ROUNDING:
            raise ValueError(f"row {i} of W sums to {row.sum():.15g}; it should sum to 1")
        if (off := np.flatnonzero(np.abs(row - matrix[:, i]) > _ROUNDING)).size:
            j = int(off[0])
            raise ValueError(
                f"row {i} of W has {row[j]:g} at {j}, row {j} has {matrix[j, i]:g} at {i}; they should agree"
            )
    matrix.setflags(write=False)
    return matrix
