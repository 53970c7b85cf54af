"""Control variates against client drift: with exact gradients both methods end at the minimiser of ``h`` itself.

Problem: ``min h = (1/N) sum_i h_i``. FedAvg with several local steps stalls where the mean of the local changes
vanishes, which is not the minimiser when clients differ. SCAFFOLD (Karimireddy, Kale, Mohri, Reddi, Stich, Suresh 2020)
and Scaffnew (Mishchenko, Malinovsky, Stich, Richtarik 2022) subtract from every local gradient what the client's own
gradient is at the minimiser, which they learn.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from rateproof.algos.methods.base import Counts
from rateproof.algos.methods.first_order import Gradients, check_positive, check_sampled, check_whole, samples_of
from rateproof.algos.noise import Streams
from rateproof.algos.problems.base import Array, Problem


@dataclass(frozen=True, eq=False)
class ScaffoldState:
    """State after ``rounds`` rounds.

    Attributes:
        x: server model, ``(runs, n)``.
        c: server control variate, the mean of the clients', ``(runs, n)``.
        c_i: client control variates, ``(N, runs, n)``.
        rounds: rounds done.
    """

    x: Array
    c: Array
    c_i: Array
    rounds: int


@dataclass(frozen=True, kw_only=True)
class SCAFFOLD:
    """SCAFFOLD (Karimireddy et al. 2020, Algorithm 1).

    Control variates start at zero. With ``K = 1``, all clients and option "II" it is SGD on ``h`` with stepsize
    ``gamma_l gamma_g``.

    Args:
        gamma_l, gamma_g: local and global stepsize.
        K: local steps.
        S: clients sampled per round, uniformly without replacement.
        option: how a client renews its control variate: "I" takes a gradient at the server model, with a sample of its
            own, "II" the mean of the gradients of its local steps.

    Raises:
        ValueError: a parameter is out of range.
    """

    gamma_l: float
    K: int
    S: int
    gamma_g: float = 1.0
    option: Literal["I", "II"] = "II"

    output_name: ClassVar[str] = "newest server model"

    def __post_init__(self) -> None:
        """Check every parameter."""
        check_positive(gamma_l=self.gamma_l, gamma_g=self.gamma_g)
        check_whole(K=self.K, S=self.S)
        if self.option not in ("I", "II"):
            raise ValueError(f"option is '{self.option}'; it should be 'I' or 'II'")

    def init(self, problem: Problem, x0: Array, rng: Streams) -> ScaffoldState:
        """State before the first round, from initial models ``x0`` of shape ``(runs, n)``.

        Raises:
            ValueError: ``S > N``.
        """
        check_sampled(self.S, problem.N)
        zeros = np.zeros((problem.N, *x0.shape))
        return ScaffoldState(np.array(x0), zeros[0].copy(), zeros, 0)

    def round(self, problem: Problem, state: ScaffoldState, rng: Streams) -> ScaffoldState:
        """One communication round."""
        r = state.rounds + 1
        sampled = rng.sample_clients(r, problem.N, self.S)
        dx, dc = np.zeros_like(state.x), np.zeros_like(state.x)
        c_i = state.c_i.copy()
        for i in range(problem.N):
            rows = np.flatnonzero(sampled[:, i])
            if not len(rows):
                continue
            x, c, own = state.x[rows], state.c[rows], state.c_i[i, rows]
            # One more draw for option I, whose gradient is not one of the local steps'.
            gradients = Gradients(problem, rng, r, i, self._gradients, rows)
            y = x
            for k in range(self.K):
                y = y - self.gamma_l * (gradients.at(y, k) - own + c)
            mean = own - c + (x - y) / (self.K * self.gamma_l)  # of the local gradients
            renewed = gradients.at(x, self.K) if self.option == "I" else mean
            dx[rows] += y - x
            dc[rows] += renewed - own
            c_i[i, rows] = renewed
        x = state.x + self.gamma_g / self.S * dx
        return ScaffoldState(x, state.c + dc / problem.N, c_i, r)

    def output(self, state: ScaffoldState) -> Array:
        """The newest server model, ``(runs, n)``."""
        return state.x

    def counts(self, problem: Problem, state: ScaffoldState) -> Counts:
        """Cost of one run so far: a sampled client gets model and control variate, and returns the change of both."""
        visits = state.rounds * self.S
        vectors = 2 * visits
        gradients = visits * self._gradients
        return Counts(
            rounds=state.rounds,
            vectors_down=vectors,
            vectors_up=vectors,
            floats_down=vectors * problem.n,
            floats_up=vectors * problem.n,
            grad_h=gradients,
            samples=samples_of(problem, gradients),
        )

    @property
    def _gradients(self) -> int:
        """Gradients of one visit."""
        return self.K + (self.option == "I")


@dataclass(frozen=True, eq=False)
class ScaffnewState:
    """State after ``rounds`` communications.

    Attributes:
        x: server model, which all clients have, ``(runs, n)``.
        h: control variates of the clients, whose sum is zero, ``(N, runs, n)``.
        rounds: communications so far.
        steps: local steps that each run has taken, ``(runs,)``.
    """

    x: Array
    h: Array
    rounds: int
    steps: NDArray[np.int64]


@dataclass(frozen=True, kw_only=True)
class Scaffnew:
    """Scaffnew, ProxSkip for a mean of clients (Mishchenko et al. 2022, Algorithm 2).

    After each local step of all clients, a coin decides whether they average. A round here lasts until it says so: its
    length is geometric with mean ``1/p`` and its own in every run. With ``p = 1`` it is gradient descent on ``h``.

    For ``mu``-strongly convex and ``L``-smooth clients, exact gradients and ``gamma <= 1/L``, a step shrinks
    ``sum_i ||x_i - x*||^2 + (gamma/p)^2 ||h_i - grad h_i(x*)||^2`` by ``1 - min(gamma mu, p^2)`` in expectation;
    ``p = sqrt(gamma mu)`` is then the least that costs no speed.

    Args:
        gamma: stepsize.
        p: probability of communicating after a step.

    Raises:
        ValueError: a parameter is out of range.
    """

    gamma: float
    p: float

    output_name: ClassVar[str] = "newest server model"

    def __post_init__(self) -> None:
        """Check every parameter."""
        check_positive(gamma=self.gamma)
        if not 0 < self.p <= 1:
            raise ValueError(f"p is {self.p}; it should be a probability in (0, 1]")

    def init(self, problem: Problem, x0: Array, rng: Streams) -> ScaffnewState:
        """State before the first round, from initial models ``x0`` of shape ``(runs, n)``."""
        return ScaffnewState(np.array(x0), np.zeros((problem.N, *x0.shape)), 0, np.zeros(len(x0), dtype=np.int64))

    def round(self, problem: Problem, state: ScaffnewState, rng: Streams) -> ScaffnewState:
        """Local steps until the next communication, which ends the round."""
        r = state.rounds + 1
        x, h, steps = state.x.copy(), state.h.copy(), state.steps.copy()
        rows = np.arange(rng.runs)  # the runs whose coin has not come up yet
        x_i = np.repeat(state.x[None], problem.N, axis=0)
        step = 0
        while len(rows):
            # Lengths differ by run, so each step has keys of its own.
            heads = rng.uniforms("sampling", r, step, 1, 1, rows)[0, :, 0] < self.p
            for i in range(problem.N):
                gradient = Gradients(problem, rng, r, i, 1, rows, key=step * problem.N + i)
                x_i[i, rows] -= self.gamma * (gradient.at(x_i[i, rows]) - state.h[i, rows])
            steps[rows] += 1
            meet = rows[heads]
            x[meet] = x_i[:, meet].mean(axis=0)
            h[:, meet] += self.p / self.gamma * (x[meet] - x_i[:, meet])  # zero, and h stays, where they do not meet
            rows = rows[~heads]
            step += 1
        return ScaffnewState(x, h, r, steps)

    def output(self, state: ScaffnewState) -> Array:
        """The newest server model, ``(runs, n)``."""
        return state.x

    def counts(self, problem: Problem, state: ScaffnewState) -> Counts:
        """Cost of one run so far.

        Communication is exact. Gradients and samples are the expected numbers, ``N/p`` gradients a round, rounded; what
        run ``j`` took is ``N state.steps[j]``.
        """
        visits = state.rounds * problem.N
        floats = visits * problem.n
        gradients = round(visits / self.p)
        return Counts(
            state.rounds, visits, visits, floats, floats, grad_h=gradients, samples=samples_of(problem, gradients)
        )
