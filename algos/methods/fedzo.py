"""FedZO: federated averaging with zeroth-order local steps, for smooth losses without constraints.

Problem: ``min (1/m) sum_i E f~_i(x, xi)`` through values. Unlike FedRZO it takes minibatches of samples and directions,
samples clients, and knows no sets; its guarantees need smooth losses (fedrzo, related work).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rateproof.algos.methods.base import Counts, ServerModel
from rateproof.algos.methods.first_order import check_positive, check_sampled, check_whole
from rateproof.algos.noise import Streams
from rateproof.algos.problems.base import Array
from rateproof.algos.problems.federated import Federated


@dataclass(frozen=True, kw_only=True)
class FedZO:
    """FedZO (Fang, Yu, Jiang, Shi, Jones, Zhou 2022, Algorithm 1).

    A local step moves against the mean, over ``b1`` samples ``xi`` and ``b2`` unit directions ``u``, of

        (n/eta) (f~_i(x + eta u, xi) - f~_i(x, xi)) u

    whose expectation is the gradient of the loss smoothed over the ball of radius ``eta``. With ``b1 = b2 = 1`` and all
    clients it is FedRZO without sets.

    Args:
        gamma: stepsize.
        eta: smoothing radius.
        S: clients sampled per round, uniformly without replacement.
        H: local steps of a round.
        b1, b2: samples, and directions for each of them, of a local step; the samples share their directions.

    Raises:
        ValueError: a parameter is out of range.
    """

    gamma: float
    eta: float
    S: int
    H: int = 1
    b1: int = 1
    b2: int = 1

    output_name: ClassVar[str] = "newest server model"

    def __post_init__(self) -> None:
        """Check every parameter."""
        check_positive(gamma=self.gamma, eta=self.eta)
        check_whole(S=self.S, H=self.H, b1=self.b1, b2=self.b2)

    def init(self, problem: Federated, x0: Array, rng: Streams) -> ServerModel:
        """ServerModel before the first round, from initial models ``x0`` of shape ``(runs, n)``.

        Raises:
            ValueError: ``S > m``, or a client has a set.
        """
        check_sampled(self.S, problem.m)
        if not problem.sets.free:
            raise ValueError(f"FedZO knows no sets and problem '{problem.name}' has some; use FedRZO there")
        return ServerModel(np.array(x0), 0)

    def round(self, problem: Federated, state: ServerModel, rng: Streams) -> ServerModel:
        """One communication round."""
        r, m = state.rounds + 1, problem.m
        sampled = rng.sample_clients(r, m, self.S)
        rows = np.arange(rng.runs)
        units = np.stack([rng.directions(r, i, self.H * self.b2, problem.n, rows) for i in range(m)], axis=2)
        samples = problem.draw(rng, r, self.H * self.b1)
        x = np.repeat(state.x[:, None, :], m, axis=1)
        for k in range(self.H):
            xi = [None if samples is None else samples[k * self.b1 + s] for s in range(self.b1)]
            x = x - self.gamma * self.estimate(problem, x, xi, units[k * self.b2 : (k + 1) * self.b2])
        change = np.where(sampled[:, :, None], x - state.x[:, None, :], 0.0)
        return ServerModel(state.x + change.sum(axis=1) / self.S, r)

    def estimate(self, problem: Federated, x: Array, samples: list[Array | None], units: Array) -> Array:
        """Gradient estimates of all clients.

        Args:
            problem: whose losses are evaluated.
            x: models of the clients, ``(runs, m, n)``.
            samples: for each sample of the step ``(runs, m, q)``; None when losses are not random.
            units: directions of length 1, ``(b2, runs, m, n)``.

        Returns:
            ``(runs, m, n)``.
        """
        total = np.zeros_like(x)
        for xi in samples:
            here = problem.values(x, xi)
            for u in units:
                total += (problem.values(x + self.eta * u, xi) - here)[..., None] * u
        return problem.n / (self.eta * len(samples) * len(units)) * total

    def output(self, state: ServerModel) -> Array:
        """The newest server model, ``(runs, n)``."""
        return state.x

    def stationarity(self, problem: Federated, x: Array) -> Array:
        """``||grad F_eta(x)||^2``, as FedRZO measures it: ``(runs, n) -> (runs,)``.

        Raises:
            ValueError: no exact smoothing of the problem is known.
        """
        return np.asarray(np.sum(problem.smoothed(self.eta).grad_F(x) ** 2, axis=-1))

    def counts(self, problem: Federated, state: ServerModel) -> Counts:
        """Cost of one run so far: the value at the model itself serves all directions of a sample."""
        visits = state.rounds * self.S
        steps, floats = visits * self.H, visits * problem.n
        return Counts(
            rounds=state.rounds,
            vectors_down=visits,
            vectors_up=visits,
            floats_down=floats,
            floats_up=floats,
            values_f=steps * self.b1 * (1 + self.b2),
            samples=steps * self.b1,
        )
