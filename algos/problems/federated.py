"""Problems over clients that a method reaches through values of sampled losses and projections.

The problem is ``min (1/m) sum_i f_i`` over the intersection of closed convex sets ``X_i``, with
``f_i(x) = E f~_i(x, xi_i)`` (fedrzo, eq. 1). Its bilevel, minimax and two-stage forms hide a lower-level solution in
``f~_i``: their losses here are the implicit ones (fedrzo, Section 2).

Arrays: models of all clients and runs at once are ``(runs, m, n)``, samples of one local step ``(runs, m, q)``, models
of the server and points at which a ground truth is asked for ``(runs, n)``.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from rateproof.algos.noise import Streams
from rateproof.algos.problems.base import Array, Fact, Instance, Metric
from rateproof.algos.sets import ClientSets

#: The keys that every ``Federated.facts()`` has; bilevel and two-stage problems add theirs. "sets" is about every
#: ``X_i``, as Assumption 1 is; "feasible" says whether their intersection ``X`` has a point.
FACTS = ("lipschitz", "unbiased", "variance_bounded", "sets", "feasible", "dissimilarity", "free")


@dataclass(frozen=True)
class Constants:
    """Constants of an instance (fedrzo, Assumptions 1 to 3); NaN where the class of problem has no such constant.

    Attributes:
        L0: every implicit local loss is ``L0``-Lipschitz (``L_0`` of Assumption 1, ``L_0^imp`` of 2 and 3).
        nu: bound on the standard deviation of one value of a loss.
        B1, B2: of the bounded set-dissimilarity (fedrzo, eq. 2).
        L_y: Lipschitz constant of the loss in the lower-level variable.
        L_1h, mu_h: every ``h_i(x, .)`` is ``L_1h``-smooth and ``mu_h``-strongly convex.
        L_h_x: every ``grad_y h_i(., y)`` is ``L_h_x``-Lipschitz.
        Lam: Lipschitz constant of the lower-level solution.
        mu_F, L_F: every ``G(x, ., xi)`` is ``mu_F``-strongly monotone and ``L_F``-Lipschitz.
    """

    L0: float
    nu: float = 0.0
    B1: float = 0.0
    B2: float = 0.0
    L_y: float = math.nan
    L_1h: float = math.nan
    mu_h: float = math.nan
    L_h_x: float = math.nan
    Lam: float = math.nan
    mu_F: float = math.nan
    L_F: float = math.nan


class Smoothed(ABC):
    """The smoothed problem of one radius ``eta``, exactly: what the theorems measure (fedrzo, eqs. 3 to 5).

    ``f_eta(x) = E f(x + eta u)`` for ``u`` uniform in the unit ball, ``f_{i,eta}`` is the same of the loss of client
    ``i``, and ``F_eta = f_eta + (1/m) sum_i dist^2(x, X_i)/(2 eta)``. Losses are the expected ones, without samples.
    Points are ``(runs, n)``.
    """

    eta: float

    @abstractmethod
    def f(self, x: Array) -> Array:
        """``f_eta``: ``(runs,)``."""

    @abstractmethod
    def grad_f(self, x: Array) -> Array:
        """``grad f_eta``, the mean over the clients of :meth:`grad_f_i`: ``(runs, n)``."""

    @abstractmethod
    def grad_f_i(self, i: int, x: Array) -> Array:
        """``grad f_{i,eta}`` of client ``i`` in ``0..m-1``, without the penalty of its set: ``(runs, n)``.

        It is what an estimate of client ``i`` with a fresh direction and sample is on average (fedrzo, Lemma 4).
        """

    @abstractmethod
    def F(self, x: Array) -> Array:
        """``F_eta``: ``(runs,)``."""

    @abstractmethod
    def grad_F(self, x: Array) -> Array:
        """``grad F_eta``: ``(runs, n)``."""

    @property
    @abstractmethod
    def F_star(self) -> float:
        """``inf F_eta``; ``-inf`` where it is unbounded below."""


class Federated(Instance):
    """A federated problem that is reached through values and projections.

    Attributes:
        m: number of clients.
        sets: the sets of the clients.
    """

    m: int
    sets: ClientSets

    @property
    def clients(self) -> int:
        """Number of clients, ``m``."""
        return self.m

    @property
    def model_size(self) -> int:
        """The models of all clients."""
        return self.m * self.n

    @property
    def metrics(self) -> Mapping[str, Metric]:
        """``f`` is the loss ``f(x)``; ``dist`` the root mean square distance ``sqrt((1/m) sum_i dist^2(x, X_i))``.

        The penalty of ``F_eta`` is ``dist^2/(2 eta)``. ``dist`` is 0 exactly where ``x`` is in every ``X_i``, but it is
        not the distance to their intersection ``X``, which may be larger.
        """
        return METRICS

    def draw(self, rng: Streams, round: int, steps: int) -> Array | None:
        """Samples ``xi`` of all local steps of a round, ``(steps, runs, m, q)``; None when losses are not random."""
        return None

    @abstractmethod
    def values(self, x: Array, xi: Array | None) -> Array:
        """Sampled losses ``f~_i(x_i, xi_i)``, at the exact lower-level solution: ``(runs, m, n) -> (runs, m)``."""

    @abstractmethod
    def f_i(self, i: int, x: Array) -> Array:
        """Expected loss of client ``i``: ``(runs, n) -> (runs,)``."""

    def f(self, x: Array) -> Array:
        """Loss ``(1/m) sum_i f_i(x)``: ``(runs, n) -> (runs,)``."""
        return np.asarray(sum(self.f_i(i, x) for i in range(self.m)) / self.m)

    @property
    @abstractmethod
    def constants(self) -> Constants:
        """Exact constants of the instance (computed once)."""

    @abstractmethod
    def facts(self) -> dict[str, Fact]:
        """Which structural hypotheses hold, with reasons; the keys are at least :data:`FACTS`."""

    def smoothed(self, eta: float) -> Smoothed:
        """The smoothed problem, exactly.

        Raises:
            ValueError: ``eta`` is not positive, or no exact smoothing is known for this family.
        """
        raise ValueError(f"no exact smoothing is known for problem '{self.name}'")


METRICS: Mapping[str, Metric] = {
    "f": lambda problem, x: problem.f(x),
    "dist": lambda problem, x: np.asarray(np.sqrt(np.mean(problem.sets.dist2(x), axis=-1))),
}


class Bilevel(Federated):
    """A bilevel problem: the loss depends on ``y(x) = argmin over Y(x) of (1/m) sum_i E h~_i(x, ., zeta_i)``.

    Attributes:
        nt: dimension of the lower-level variable.
    """

    nt: int

    @abstractmethod
    def values_at(self, x: Array, y: Array, xi: Array | None) -> Array:
        """Sampled losses ``f~_i(x_i, y_i, xi_i)`` at given lower-level points ``(runs, m, nt)``: ``(runs, m)``."""

    @abstractmethod
    def lower_solution(self, x: Array) -> Array:
        """``y(x)``: ``(runs, n) -> (runs, nt)``."""

    @abstractmethod
    def grad_h(self, i: int, x: Array, y: Array, zeta: Array | None) -> Array:
        """Sampled gradient ``grad_y h~_i(x, y, zeta)`` of client ``i``: ``(runs, nt)``."""

    def draw_lower(self, rng: Streams, round: int, steps: int) -> Array | None:
        """Samples ``zeta`` of all local steps of a lower-level round, ``(steps, runs, m, q)``; None: not random."""
        return None

    def project_lower(self, x: Array, y: Array) -> Array:
        """Projection of ``y`` on ``Y(x)``: ``(runs, nt)``; the whole space unless said."""
        return y

    def values(self, x: Array, xi: Array | None) -> Array:
        """See :meth:`Federated.values`."""
        runs = len(x)
        y = self.lower_solution(x.reshape(runs * self.m, self.n)).reshape(runs, self.m, self.nt)
        return self.values_at(x, y, xi)


class TwoStage(Federated):
    """A two-stage problem: the loss depends on the solution ``y(x, xi)`` of ``VI(Y(x, xi), G(x, ., xi))``.

    Here points carry any leading shape: ``x`` is ``(..., n)``, ``y`` ``(..., nt)``, ``xi`` ``(..., q)``.

    Attributes:
        nt: dimension of the lower-level variable.
    """

    nt: int

    @abstractmethod
    def values_at(self, x: Array, y: Array, xi: Array | None) -> Array:
        """Sampled losses ``f~_i(x_i, y_i, xi_i)``: ``(runs, m, n), (runs, m, nt) -> (runs, m)``."""

    @abstractmethod
    def lower_map(self, x: Array, y: Array, xi: Array | None) -> Array:
        """``G(x, y, xi)``: ``(..., nt)``."""

    @abstractmethod
    def project_lower(self, x: Array, y: Array, xi: Array | None) -> Array:
        """Projection of ``y`` on ``Y(x, xi)``: ``(..., nt)``."""

    @abstractmethod
    def lower_solution(self, x: Array, xi: Array | None) -> Array:
        """``y(x, xi)``: ``(..., nt)``."""

    def values(self, x: Array, xi: Array | None) -> Array:
        """See :meth:`Federated.values`."""
        return self.values_at(x, self.lower_solution(x, xi), xi)
