"""ZSOL: the centralised reference of FedRZO_2s with a projection in place of the penalty."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from rateproof.algos.methods.fedrzo import LocalStep
from rateproof.algos.methods.fedrzo_lower import FedRZO_2s
from rateproof.algos.problems.base import Array
from rateproof.algos.problems.federated import Federated
from rateproof.algos.sets import ConvexSet


@dataclass(frozen=True, kw_only=True)
class ZSOL(FedRZO_2s):
    """``x <- P_X(x - gamma_k gbar)``, ``gbar`` the mean of one estimate a client (Cui, Shanbhag and Yousefian, 2023).

    The mini-batch of step ``k`` is one sample of each client, so ``N_k = m``. The second stage is solved as in
    Algorithm 4 of fedrzo; with ``H = 1`` and the penalty in place of the projection this is that algorithm.

    Attributes:
        X: the feasible set.
        power: ``gamma_k = gamma (k + 1)^-power``.
    """

    X: ConvexSet
    power: float = 0.0

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.H != 1 or self.T is not None:
            raise ValueError(f"H is {self.H}; ZSOL has no local steps, H = 1")
        if not 0 <= self.power < math.inf:
            raise ValueError(f"power is {self.power}; it should be a number >= 0")

    def _check(self, problem: Federated) -> None:
        super()._check(problem)
        if self.X.n != problem.n:
            raise ValueError(f"X lies in dimension {self.X.n}; it should be that of the problem, n = {problem.n}")

    def moved(self, step: LocalStep) -> Array:
        """All clients at the projected model, ``(runs, m, n)``."""
        gamma = self.gamma * (step.k + 1) ** -self.power
        x = self.X.project(step.x[:, 0] - gamma * step.g.mean(axis=1))
        return np.repeat(x[:, None, :], step.x.shape[1], axis=1)
