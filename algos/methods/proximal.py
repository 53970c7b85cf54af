"""Proximal methods: a client stays near the server model while it lowers its own loss.

Problem: ``min h = (1/N) sum_i h_i``. A round sends ``x`` to ``S`` clients, each returns an exact or approximate

    argmin_w  h_i(w) + (mu/2) ||w - x||^2

and the server averages. FedProx (Li, Sahu, Zaheer, Sanjabi, Talwalkar, Smith 2020) and FedMSPP (Yuan, Li 2022) differ
in the loss: the client's own, or that of one minibatch per visit.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rateproof.algos.arguments import nonnegative
from rateproof.algos.methods.base import Counts, ServerModel
from rateproof.algos.methods.first_order import Gradients, check_positive, check_sampled, check_whole, samples_of
from rateproof.algos.noise import Ints, Streams
from rateproof.algos.problems.base import Array, Problem

# A gradient this small beside those at the start of a solve is rounding.
_ROUNDING = 1e-7


@dataclass(frozen=True, kw_only=True)
class _Proximal:
    """What both methods share: who takes part, how a local problem is solved, and that the server averages."""

    S: int
    gamma_l: float | None = None
    K: int = 1

    output_name: ClassVar[str] = "newest server model"

    def __post_init__(self) -> None:
        """Check every parameter."""
        if self.gamma_l is not None:
            check_positive(gamma_l=self.gamma_l)
        check_whole(S=self.S, K=self.K)

    def init(self, problem: Problem, x0: Array, rng: Streams) -> ServerModel:
        """ServerModel before the first round, from initial models ``x0`` of shape ``(runs, n)``.

        Raises:
            ValueError: ``S > N``.
        """
        check_sampled(self.S, problem.N)
        return ServerModel(np.array(x0), 0)

    def round(self, problem: Problem, state: ServerModel, rng: Streams) -> ServerModel:
        """One communication round: sample clients, let each solve its local problem, average."""
        r = state.rounds + 1
        sampled = rng.sample_clients(r, problem.N, self.S)
        total = np.zeros_like(state.x)
        for i in range(problem.N):
            rows = np.flatnonzero(sampled[:, i])
            if len(rows):
                total[rows] += self._near(problem, i, state.x[rows], r, rows, rng)
        return ServerModel(total / self.S, r)

    def output(self, state: ServerModel) -> Array:
        """The newest server model, ``(runs, n)``."""
        return state.x

    def counts(self, problem: Problem, state: ServerModel) -> Counts:
        """Cost of one run so far; an exact solve takes ``n + 2`` gradients."""
        visits = state.rounds * self.S
        floats = visits * problem.n
        gradients = problem.n + 2 if self.gamma_l is None else self.K
        samples = samples_of(problem, visits * self._draws)
        return Counts(state.rounds, visits, visits, floats, floats, grad_h=visits * gradients, samples=samples)

    @property
    def _draws(self) -> int:
        """Stochastic gradients drawn per visit."""
        raise NotImplementedError

    def _near(self, problem: Problem, i: int, x: Array, r: int, rows: Ints, rng: Streams) -> Array:
        """What client ``i`` returns in round ``r`` on the runs ``rows``, from ``x``: ``(len(rows), n)``."""
        raise NotImplementedError


@dataclass(frozen=True, kw_only=True)
class FedProx(_Proximal):
    """FedProx (Li et al. 2020, "Federated optimization in heterogeneous networks", Algorithm 2).

    Clients are sampled uniformly without replacement. With ``mu_prox = 0`` and gradient steps it is FedAvg.

    Args:
        mu_prox: weight ``mu`` of ``(mu/2) ||w - x||^2``, at least 0.
        S: clients sampled per round.
        gamma_l: stepsize of the ``K`` gradient steps from ``x`` that solve the local problem approximately, each with a
            fresh stochastic gradient; None solves it exactly, without noise, which needs quadratic ``h_i`` (and, with
            ``mu_prox = 0``, positive definite ones).
        K: gradient steps.

    Raises:
        ValueError: a parameter is out of range.
    """

    mu_prox: float

    def __post_init__(self) -> None:
        """Check every parameter."""
        super().__post_init__()
        nonnegative(mu_prox=self.mu_prox)

    @property
    def _draws(self) -> int:
        return 0 if self.gamma_l is None else self.K

    def _near(self, problem: Problem, i: int, x: Array, r: int, rows: Ints, rng: Streams) -> Array:
        if self.gamma_l is None:
            return exact_prox(lambda w: problem.grad_h(i, w), x, self.mu_prox)
        gradients = Gradients(problem, rng, r, i, self.K, rows)
        w = x
        for k in range(self.K):
            w = w - self.gamma_l * (gradients.at(w, k) + self.mu_prox * (w - x))
        return w


@dataclass(frozen=True, kw_only=True)
class FedMSPP(_Proximal):
    """FedMSPP, federated minibatch stochastic proximal point (Yuan, Li 2022, "On convergence of FedProx").

    A sampled client draws one minibatch and minimises its loss plus ``||w - x||^2 / (2 eta)``; the minibatch stays the
    same during the visit. Its loss is ``h_i(w) + zeta'w`` under additive noise, and that of the sampled rows under
    :class:`rateproof.algos.noise.MiniBatch`. Without noise and solved exactly it is FedProx with ``mu_prox = 1/eta``.

    Args:
        eta: proximal stepsize.
        S: clients sampled per round, uniformly without replacement.
        gamma_l: stepsize of ``K`` gradient steps on the minibatch; None solves exactly, which needs a quadratic loss.
        K: gradient steps.

    Raises:
        ValueError: a parameter is out of range.
    """

    eta: float

    def __post_init__(self) -> None:
        """Check every parameter."""
        super().__post_init__()
        check_positive(eta=self.eta)

    @property
    def _draws(self) -> int:
        return 1

    def _near(self, problem: Problem, i: int, x: Array, r: int, rows: Ints, rng: Streams) -> Array:
        minibatch = Gradients(problem, rng, r, i, 1, rows)
        if self.gamma_l is None:
            return exact_prox(minibatch.at, x, 1 / self.eta)
        w = x
        for _ in range(self.K):
            w = w - self.gamma_l * (minibatch.at(w) + (w - x) / self.eta)
        return w


def exact_prox(gradient: Callable[[Array], Array], x: Array, mu: float) -> Array:
    """The minimiser of ``q(w) + (mu/2) ||w - x||^2`` for a quadratic ``q`` known by its gradient.

    The Hessian of ``q`` is read off ``n + 1`` gradients, and the second of two Newton steps, with one more gradient,
    removes its rounding.

    Args:
        gradient: of ``q``, ``(runs, n) -> (runs, n)``.
        x: ``(runs, n)``.
        mu: at least 0.

    Raises:
        ValueError: ``q`` is not quadratic, or has no single minimiser.
    """
    runs, n = x.shape
    at_x = gradient(x)
    # A step of the size of the point itself keeps the differences clear of rounding.
    size = np.maximum(np.abs(x).max(axis=1, initial=0.0), 1.0)[:, None]
    hessian = np.empty((runs, n, n))
    for j in range(n):
        hessian[:, :, j] = (gradient(x + size * np.eye(n)[j]) - at_x) / size
    hessian[:, range(n), range(n)] += mu
    try:
        w = x - np.linalg.solve(hessian, at_x[:, :, None])[:, :, 0]
        left = gradient(w) + mu * (w - x)
        w = w - np.linalg.solve(hessian, left[:, :, None])[:, :, 0]
    except np.linalg.LinAlgError:
        raise ValueError(
            f"a local problem with mu = {mu:g} has no single minimiser; take a larger mu, or gradient steps (gamma_l)"
        ) from None
    # After one step the gradient vanishes up to rounding where the Hessian is the same everywhere.
    scale = np.abs(at_x).max(axis=1, initial=0.0) + np.abs(hessian @ (w - x)[:, :, None])[:, :, 0].max(axis=1)
    curved = np.abs(left).max(axis=1) > _ROUNDING * scale  # False for a run that has diverged
    if curved.any():
        raise ValueError("a local loss is not quadratic, so it is not minimised exactly; take gradient steps (gamma_l)")
    return np.asarray(w)
