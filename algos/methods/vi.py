"""The projection method for the second stage of a two-stage problem (fedrzo, Algorithm 5)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike

from rateproof.algos.methods.fedrzo import LowerCost
from rateproof.algos.methods.first_order import MOST, check_positive
from rateproof.algos.problems.base import Array
from rateproof.algos.problems.federated import TwoStage


@runtime_checkable
class Shortcut(Protocol):
    """A problem that knows where ``t`` steps of the projection method lead without taking them."""

    def projection_steps(self, x: Array, xi: Array | None, y0: Array, alpha: float, t: int) -> Array:
        """What ``t`` steps from ``y0`` give, up to rounding: ``(..., nt)``."""


@dataclass(frozen=True, eq=False)
class ProjectionMethod:
    """``t_k = ceil(tau ln(k + 1))`` steps ``y <- P_{Y(x, xi)}(y - alpha G(x, y, xi))`` from ``y0`` (Algorithm 5).

    All queries of all runs and clients take their steps together. Local step ``k = 0`` takes none: it gets ``y0``.

    Attributes:
        alpha: stepsize, positive.
        tau: positive.
        y0: where every query starts, one number or ``(nt,)``; it need not lie in ``Y``.
        shortcut: ask the problem for the last iterate instead (:class:`Shortcut`).

    Raises:
        ValueError: a parameter is not positive, or a shortcut is asked of a problem that has none.
    """

    alpha: float
    tau: float
    y0: ArrayLike = 0.0
    shortcut: bool = False

    def __post_init__(self) -> None:
        check_positive(alpha=self.alpha, tau=self.tau)
        if self.tau > MOST:
            raise ValueError(f"tau is {self.tau}; it should be at most {MOST}, or a query takes more steps than that")

    def steps(self, k: int) -> int:
        """``t_k = ceil(tau ln(k + 1))`` (line 2)."""
        return math.ceil(self.tau * math.log(k + 1))

    def solve(self, problem: TwoStage, xq: Array, xi: Array | None, k: int) -> tuple[Array, LowerCost]:
        """An approximation of ``y(xq, xi)`` and its cost for one run.

        Args:
            problem: whose second stage it is.
            xq: queries, ``(runs, m, n)`` or ``(runs, n)``.
            xi: samples, ``(runs, m, q)`` or ``(runs, q)``.
            k: local step of the upper level, from 0.

        Returns:
            ``(runs, m, nt)`` or ``(runs, nt)``, and a cost without communication.
        """
        t_k = self.steps(k)  # line 2
        y = np.broadcast_to(np.asarray(self.y0, dtype=np.float64), (*xq.shape[:-1], problem.nt))
        calls = t_k * math.prod(xq.shape[1:-1])
        cost = LowerCost(calls=calls, projections=calls)
        if self.shortcut:
            if not isinstance(problem, Shortcut):
                raise ValueError(f"problem '{problem.name}' knows no shortcut; leave shortcut at False")
            return problem.projection_steps(xq, xi, np.asarray(self.y0, dtype=np.float64), self.alpha, t_k), cost
        for _ in range(t_k):  # line 3
            y = problem.project_lower(xq, y - self.alpha * problem.lower_map(xq, y, xi), xi)  # line 4
        return np.array(y), cost  # line 6


@dataclass(frozen=True)
class Theoretical:
    """Parameters of the projection method under which its accuracy is ``B / (k + 1)`` (fedrzo, Theorem 2.i, iii).

    Attributes:
        alpha: ``mu_F / L_F^2``.
        q: ``1 - 1/kappa_F^2``, the factor of the squared error in a step.
        tau: the threshold ``-1 / ln(q)``; 0 when ``kappa_F = 1``.
    """

    alpha: float
    q: float
    tau: float


def theoretical(mu_F: float, L_F: float) -> Theoretical:
    """The parameters of Theorem 2 for a ``mu_F``-strongly monotone, ``L_F``-Lipschitz map.

    Raises:
        ValueError: not ``0 < mu_F <= L_F``.
    """
    if not 0 < mu_F <= L_F < math.inf:
        raise ValueError(f"mu_F is {mu_F} and L_F is {L_F}; they should satisfy 0 < mu_F <= L_F")
    inverse = (mu_F / L_F) ** 2
    return Theoretical(mu_F / L_F**2, 1 - inverse, 0.0 if inverse == 1 else -1 / math.log1p(-inverse))
