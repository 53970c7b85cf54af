"""Weights of nodes by bilevel optimisation (fedweight, Algorithms 2 and 3).

Problem: ``min F^(w) = L_0(theta(w))`` over the capped simplex, ``theta(w)`` the minimiser of ``sum_k w_k L_k``. Both
methods step along the hypergradient (14), for which Local-SVRG solves (1) and the linear system (15). A round is one
outer iteration; the communications of the two calls are lower rounds.

Guarantees: Theorem 3 bounds ``F^(w_ag) - min F^`` of the accelerated method where ``F^`` is convex, Theorem 4 the mean
of ``||w - Proj(w - eta grad F^(w))||^2/eta^2`` over a random iterate of the other one.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np

from rateproof.algos.methods.base import Counts
from rateproof.algos.methods.bilevel_parts import NOTHING
from rateproof.algos.methods.bilevel_parts import State as ServerState
from rateproof.algos.methods.first_order import MOST, check_positive, check_share, check_whole
from rateproof.algos.methods.local_svrg import Svrg, Work, local_svrg
from rateproof.algos.methods.lower import ROUNDS_OF_A_CALL
from rateproof.algos.noise import Streams
from rateproof.algos.problems.base import Array
from rateproof.algos.problems.weighted import Constants, FiniteSums, WeightedNodes, all_pairs

Solver = Literal["svrg", "shifted", "descent", "exact"]
SOLVERS: tuple[Solver, ...] = ("svrg", "shifted", "descent", "exact")


@dataclass(frozen=True, kw_only=True)
class Growing:
    """Steps and lengths of the calls of Local-SVRG as printed, for the errors that the proofs ask for.

    ``tau = 1``: ``gamma = gamma0``, ``T_s = ln(A_1 (s + 1)^(2p)/gamma0)/(gamma0 mu)``. Otherwise ``gamma = 1/M_s`` and
    ``T_s = M_s ln(M_s^3)/mu``, ``M_s = max(1/gamma0, (s + 1)^p sqrt(A_1 + A_2 (tau - 1) + A_3 (tau - 1)^2))``. (18)
    has ``p = 2`` and (51) ``p = 1``. Lengths are rounded up to multiples of ``tau``.

    Args:
        A_1, A_2, A_3: constants of the problem.
        gamma0: largest step (17).
        mu: strong convexity.
        tau: communication period.
        p: exponent.
    """

    A_1: float
    A_2: float
    A_3: float
    gamma0: float
    mu: float
    tau: int = 1
    p: Literal[1, 2] = 2

    @classmethod
    def of(cls, c: Constants, *, K: int, R: float, q: float, gamma0: float, tau: int, p: Literal[1, 2]) -> Growing:
        """With the constants that the proof of Lemma 4 has, of which the theorems say that they exist.

        Args:
            c: constants of the problem.
            K: nodes.
            R: ``max ||theta(w)||``.
            q: chance of a refresh.
            gamma0, tau, p: see the class.
        """
        bend = 2 * c.ell0 * c.ell1 / c.mu + c.ell2 * c.ell0**2 / c.mu**2
        P, D = 2 * K * (c.ell0**2 + bend**2), max(R, c.ell0 / c.mu) ** 2
        step = gamma0 * c.ell1
        return cls(
            A_1=P * 2 * D / c.mu * (4 + 32 * step**2 / (3 * q)),
            A_2=P * 2 * D / c.mu * 30 * math.e * step**3 * (2 + q) / q,
            A_3=P * 45 * math.e / c.mu * c.ell1 * (c.ell1 / c.mu + 1) ** 2 * c.ell0**2,
            gamma0=gamma0,
            mu=c.mu,
            tau=tau,
            p=p,
        )

    def at(self, s: int) -> tuple[float, int]:
        """Step and length of the calls of iteration ``s``, from 0.

        Raises:
            ValueError: more steps than any machine could take.
        """
        if self.tau == 1:
            gamma, T = self.gamma0, math.log(self.A_1 * (s + 1) ** (2 * self.p) / self.gamma0) / (self.gamma0 * self.mu)
        else:
            k = self.tau - 1
            M = max(1 / self.gamma0, (s + 1) ** self.p * math.sqrt(self.A_1 + self.A_2 * k + self.A_3 * k**2))
            gamma, T = 1 / M, 3 * M * math.log(M) / self.mu
        if T > MOST:
            raise ValueError(f"T is {T:.3g} at s = {s}; it should be at most {MOST}, so the constants are too large")
        return gamma, max(1, math.ceil(T / self.tau)) * self.tau


@dataclass(frozen=True, eq=False)
class State(ServerState):
    """State after ``rounds`` outer iterations.

    Attributes:
        w: weights that the proximal steps start from, ``(runs, K)``.
        chosen: the output so far with its ``theta``, ``(runs, n)``.
    """

    w: Array
    chosen: Array


@dataclass(frozen=True, kw_only=True)
class Weighting:
    """What both methods share.

    Args:
        eta: outer step; the theorems have ``1/(3 ell_F)``.
        gamma: step of Local-SVRG, for (15) too unless ``gamma_h`` is given.
        tau, q, batch: of Local-SVRG.
        steps: of a call.
        gamma_h: step for (15).
        start: "warm" starts from the last ``theta`` and from ``grad L_0(theta)``, as listed; "zero" starts both calls
            at 0, as Section F.2 analyses.
        inner: who solves both problems: "svrg", "shifted" (S-Local-SVRG), "descent" (as many steps with full gradients,
            a communication each), or "exact", on one machine with all data: the target-aware weighting of Chen et al.
            (2021), whose hypergradient is (13).
        growing: steps and lengths that change with the iteration, instead of ``gamma`` and ``steps``.

    Raises:
        ValueError: a parameter is out of range.
    """

    eta: float
    gamma: float = 1.0
    tau: int = 1
    q: float = 0.02
    steps: int = 1
    batch: int = 1
    gamma_h: float | None = None
    start: Literal["warm", "zero"] = "warm"
    inner: Solver = "svrg"
    growing: Growing | None = None

    output_name = "newest weights"

    def __post_init__(self) -> None:
        check_positive(eta=self.eta, gamma=self.gamma, **({} if self.gamma_h is None else {"gamma_h": self.gamma_h}))
        check_whole("a whole number", tau=self.tau, steps=self.steps, batch=self.batch)
        check_share(q=self.q)
        if self.start not in ("warm", "zero"):
            raise ValueError(f"start is {self.start!r}; it should be 'warm' or 'zero'")
        if self.inner not in SOLVERS:
            raise ValueError(f"inner is {self.inner!r}; it should be one of {', '.join(SOLVERS)}")

    def init(self, problem: WeightedNodes, x0: Array, rng: Streams) -> State:
        """State before the first iteration.

        Raises:
            ValueError: the weights of the start are not in the capped simplex.
        """
        w = problem.split(x0)[0]
        if float(problem.X.dist2(w).max()) > 1e-18:
            raise ValueError(f"the weights of x0 should sum to one and be in [0, {problem.b:g}]")
        return State(0, x0, NOTHING, w, x0)

    def output(self, state: State) -> Array:
        """What the method returns."""
        return state.chosen

    def counts(self, problem: WeightedNodes, state: State) -> Counts:
        """Cost of one run so far."""
        return state.cost

    def hypergradient(
        self, problem: WeightedNodes, w: Array, theta: Array, s: int, rng: Streams
    ) -> tuple[Array, Array, Counts]:
        """Lines 5 to 12 of Algorithm 2: the estimate (14) of ``grad F^(w)``, ``theta``, and what both took.

        Args:
            problem: what is solved.
            w: weights, ``(runs, K)``.
            theta: the last model, ``(runs, d)``.
            s: number of the iteration, from 0.
            rng: random numbers of this batch of runs.
        """
        K, d = problem.K, problem.d
        if self.inner == "exact":
            theta = problem.theta_hat(w, theta)
            return problem.hypergradient(w), theta, Counts(1, 0, 0, 0, 0, lower_calls=K, products=K)
        start = np.zeros_like(theta) if self.start == "zero" else theta
        theta, work = self._solved(problem.inner(), problem, w, start, s, 0, rng)  # lines 6 and 7
        g0 = problem.grad_valid(theta)  # line 8
        start = np.zeros_like(g0) if self.start == "zero" else g0
        h, more = self._solved(problem.system(theta), problem, w, start, s, 1, rng)  # lines 9 and 10
        gradient = -np.einsum("rkd,rd->rk", problem.node_gradients(theta), h)  # lines 11 and 12
        # theta, grad L_0 and h are sent down, the gradients of the nodes up in a last communication
        rest = Work(0, K, 3 * K, K, int(problem.sizes.sum()))
        parts = (work.counts(d, "lower_calls", nested=True), more.counts(d, "products", nested=True))
        return gradient, theta, parts[0] + parts[1] + rest.counts(d, "lower_calls") + Counts(1, 0, 0, 0, 0, grad_f=1)

    def _solved(
        self, parts: FiniteSums, problem: WeightedNodes, w: Array, start: Array, s: int, call: int, rng: Streams
    ) -> tuple[Array, Work]:
        """One call."""
        gamma, T = (self.gamma, self.steps) if self.growing is None else self.growing.at(s)
        gamma = (self.gamma_h or gamma) if call else gamma
        runs, K = w.shape
        if self.inner == "descent":
            x, at = start, all_pairs(runs, np.arange(K))
            for _ in range(T):
                slopes = parts.gradients(at, np.repeat(x, K, axis=0)).reshape(runs, K, -1)
                x = x - gamma * np.einsum("rk,rkd->rd", w, slopes)
            return x, Work(T, T * K, T * K, T * K, T * int(parts.sizes.sum()))
        how = Svrg(gamma=gamma, tau=self.tau, q=self.q, batch=self.batch, shifted=self.inner == "shifted")
        own = rng.after((2 * s + call) * ROUNDS_OF_A_CALL)
        return local_svrg(parts, w, start, how, T=T, mu=problem.constants.mu, rng=own)


@dataclass(frozen=True, kw_only=True)
class AcceleratedWeights(Weighting):
    """Algorithm 2, for a convex ``F^``; ``theta`` beside the newest weights belongs to ``w_md``.

    Args:
        eta, gamma, tau, q, steps, batch, gamma_h, start, inner, growing: see :class:`Weighting`.
    """

    def round(self, problem: WeightedNodes, state: State, rng: Streams) -> State:
        """State after one more outer iteration."""
        s, (w_ag, theta) = state.rounds, problem.split(state.z)
        w_md = 2 / (s + 2) * state.w + s / (s + 2) * w_ag  # line 4
        slope, theta, cost = self.hypergradient(problem, w_md, theta, s, rng)  # lines 5 to 12
        w = problem.X.project(state.w - self.eta * (s + 1) / 4 * slope)  # line 13
        z = problem.join(problem.X.project(w_md - self.eta * slope), theta)  # line 14
        return State(s + 1, z, state.cost + cost, w, z)


@dataclass(frozen=True, kw_only=True)
class ProximalWeights(Weighting):
    """Algorithm 3, for any ``F^``; ``theta`` beside weights belongs to the ones before them.

    Args:
        last: return the newest weights instead of those of a random iteration, as experiments do.
        eta, gamma, tau, q, steps, batch, gamma_h, start, inner, growing: see :class:`Weighting`.
    """

    last: bool = False

    def round(self, problem: WeightedNodes, state: State, rng: Streams) -> State:
        """State after one more outer iteration."""
        s, (w, theta) = state.rounds, problem.split(state.z)
        slope, theta, cost = self.hypergradient(problem, w, theta, s, rng)
        after = problem.X.project(w - self.eta * slope)
        z = problem.join(after, theta)
        chosen = z
        if not self.last:  # s_bar is uniform: each iteration replaces what was drawn before with the chance 1/(s + 1)
            coin = rng.uniforms("output", s + 1, 0, 1, 1, np.arange(len(w)))[0]
            chosen = np.where(coin * (s + 1) < 1, problem.join(w, theta), state.chosen)
        return State(s + 1, z, state.cost + cost, after, chosen)
