"""IPIR-FedAvg, inexactly projected, iteratively regularised FedAvg (strfedavg, Algorithm 2).

Problem: ``min f`` over the minimisers of ``h``, with an ``f``, possibly nonconvex, that the server knows. Outer
iteration ``t`` is a gradient step on ``F_lambda(y) = f(y) + (1/lambda) dist(y, X_h*)^2``; the projection in it is
``R_t`` rounds of StR-FedAvg on problem (4), ``min ||x - y^t||^2 / 2`` over ``X_h*``.

Guarantee: Theorem 3 bounds ``E ||grad F_lambda||^2`` at ``y^{T*}``, ``T*`` uniform on ``0 .. T-1``, and
``E dist(x, X_h*)`` at the results ``x`` of the calls.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple, cast

import numpy as np

from rateproof.algos.methods import strfedavg
from rateproof.algos.methods.base import Counts
from rateproof.algos.methods.strfedavg import StRFedAvg
from rateproof.algos.noise import Ints, MiniBatch, Noise, NoNoise, Streams
from rateproof.algos.problems.base import Array, Problem
from rateproof.algos.problems.nonconvex import grad_F_lambda, penalised_gradient


class Projection:
    """Problem (4) as StR-FedAvg sees it: every ``f_i`` is ``g(x) = ||x - y||^2 / 2``, known without noise.

    Each run has its own ``y``, so the problem differs by run.

    Args:
        problem: whose ``h_i`` are taken over.
        y: the point that each run projects, ``(runs, n)``.
        noise: law of the noise on the gradients of ``h_i``.
    """

    def __init__(self, problem: Problem, y: Array, noise: Noise) -> None:
        self.N, self.n, self.noise = problem.N, problem.n, noise
        self.grad_h, self.sampled_grad_h, self.samples = problem.grad_h, problem.sampled_grad_h, problem.samples
        self._problem, self._y = problem, y

    def grad_f(self, i: int, x: Array, out: Array | None = None) -> Array:
        """``x - y``: ``(runs, n) -> (runs, n)``."""
        return np.subtract(x, self._y, out=out)

    def of_runs(self, rows: Ints) -> Projection:
        """The projections of the runs ``rows``."""
        return self if len(rows) == len(self._y) else Projection(self._problem, self._y[rows], self.noise)


class Call(NamedTuple):
    """A call of StR-FedAvg in progress."""

    method: StRFedAvg
    problem: Problem
    rng: Streams
    state: strfedavg.State


@dataclass(frozen=True)
class State:
    """State after ``rounds`` communication rounds; arrays have shape ``(runs, n)``.

    Attributes:
        noise: law of the noise on the gradients of ``h_i`` alone.
        rounds: communication rounds done.
        t: outer iterations done.
        y: newest outer iterate ``y^t``.
        start: ``y^0``.
        projection: result ``x`` of the newest complete call; NaN before the first.
        picked: ``y^{T*}`` with ``T*`` uniform on ``0 .. t-1``, drawn per run; NaN before the first iteration.
        call: the call in progress; None between two outer iterations.
    """

    noise: Noise
    rounds: int
    t: int
    y: Array
    start: Array
    projection: Array
    picked: Array
    call: Call | None = None

    @property
    def x(self) -> Array:
        """``y^t``."""
        return self.y


@dataclass(frozen=True, kw_only=True)
class IPIRFedAvg:
    """IPIR-FedAvg (strfedavg, Algorithm 2).

    A round is one communication round of a call; the outer step follows the call's last round, on the server.
    :meth:`total_rounds` says how many rounds some outer iterations take.

    Args:
        lam: Moreau smoothing parameter ``lambda``.
        K, S, gamma_g: local steps, sampled clients and global stepsize of the calls.
        gamma: outer stepsize; None is the largest one that the proof of Theorem 3 takes,
            ``3 lambda / (4 (L_f lambda + 2))``.
        a, b, p: exponents and factor of the schedule S-ip: ``gamma_t = R_t^-a`` is the effective stepsize
            ``gamma_l gamma_g K`` of call ``t`` and ``eta_t = p ln(R_t) / R_t^b`` its regularisation.
        eta: a constant regularisation; the schedule is then S-ip-1, with ``gamma_t = p ln(R_t) / R_t``.
        step: factor on the effective stepsize, 1 in the paper, in the unit of ``1/L_h``.
        round_offset: ``R_t = t + round_offset``. The paper prints ``R_t = t``, 0 here: call 0 then has no round and
            returns its start, and the average of the one round of call 1 is its start too, whatever the steps. Most
            sums of the proof run over ``2 .. T+1``, so the default is 2. Where ``R_t = 1`` the steps are those of 2,
            since ``ln 1 = 0`` would leave none.
        inner_start: what a call starts from: "fixed" is ``y^0`` in all calls, "y" is ``y^t``, "previous" the result
            of the call before (``y^0`` for the first). The paper writes one ``xbar^0`` for all calls.
        gradient_factor: of ``(1/lambda)(y - x)`` in the outer step; 1 as printed, 2 for the gradient of
            ``(1/lambda) dist^2``.
        inner: "federated", or "exact" for an oracle that projects: rounds are outer iterations then, and nothing is
            communicated.
        returns: what :meth:`output` is, "random" for ``y^{T*}`` or "projection" for the newest result of a call.

    Raises:
        ValueError: a parameter is out of range.
    """

    lam: float
    K: int
    S: int
    gamma_g: float = 1.0
    gamma: float | None = None
    a: float = 7 / 12
    b: float = 5 / 12
    p: float = 2.0
    eta: float | None = None
    step: float = 1.0
    round_offset: int = 2
    inner_start: Literal["fixed", "y", "previous"] = "fixed"
    gradient_factor: Literal[1, 2] = 2
    inner: Literal["federated", "exact"] = "federated"
    returns: Literal["random", "projection"] = "random"

    def __post_init__(self) -> None:
        """Check every parameter."""
        for name in ("lam", "gamma_g", "step", "gamma", "eta"):
            value = getattr(self, name)
            if value is not None and not 0 < value < math.inf:
                raise ValueError(f"{name} is {value}; it should be a positive number")
        if not 0 < self.b < self.a <= 1:
            raise ValueError(f"a is {self.a:g} and b is {self.b:g}; they should satisfy 0 < b < a <= 1")
        if not 1 <= self.p < math.inf:
            raise ValueError(f"p is {self.p}; it should be at least 1")
        for name, least in (("K", 1), ("S", 1), ("round_offset", 0)):
            if not (getattr(self, name) >= least and getattr(self, name) % 1 == 0):
                raise ValueError(f"{name} is {getattr(self, name)}; it should be an integer, at least {least}")
        for name, choices in (
            ("inner_start", ("fixed", "y", "previous")),
            ("gradient_factor", (1, 2)),
            ("inner", ("federated", "exact")),
            ("returns", ("random", "projection")),
        ):
            if getattr(self, name) not in choices:
                raise ValueError(f"{name} is {getattr(self, name)!r}; it should be one of {choices}")
        self.call(self.inner_rounds(0))

    def inner_rounds(self, t: int) -> int:
        """``R_t``, the rounds of call ``t = 0, 1, ...``."""
        return t + self.round_offset

    def total_rounds(self, T: int) -> int:
        """Communication rounds of ``T`` outer iterations, ``sum_{t<T} R_t``."""
        return T * (T - 1) // 2 + T * self.round_offset

    def rule(self, R: int) -> tuple[float, float]:
        """Effective stepsize ``gamma_t`` and regularisation ``eta_t`` of a call with ``R`` rounds."""
        log = self.p * math.log(max(R, 2))
        if self.eta is not None:
            return self.step * log / max(R, 2), self.eta
        return self.step * max(R, 2) ** -self.a, log / max(R, 2) ** self.b

    def call(self, R: int) -> StRFedAvg:
        """The method of a call with ``R`` rounds; its average has the weights of Proposition 7.

        Raises:
            ValueError: ``eta_t gamma_t / 2`` is 1 or more, so that there are no such weights.
        """
        gamma_t, eta_t = self.rule(R)
        decay = 0.5 * eta_t * gamma_t
        if not decay < 1:
            raise ValueError(
                f"eta gamma_t / 2 is {decay:.4g} in a call of {R} rounds; it should be below 1: lower step, p or eta"
            )
        return StRFedAvg(
            gamma_l=gamma_t / (self.gamma_g * self.K),
            gamma_g=self.gamma_g,
            eta=eta_t,
            K=self.K,
            S=self.S,
            theta=1 / (1 - decay),
        )

    def outer_step(self, problem: Problem) -> float:
        """``gamma``."""
        if self.gamma is not None:
            return self.gamma
        return 3 * self.lam / (4 * (problem.constants.L_f * self.lam + 2))

    def init(self, problem: Problem, x0: Array, rng: Streams) -> State:
        """State before the first round.

        Args:
            problem: what is solved.
            x0: ``y^0``, ``(runs, n)``.
            rng: random numbers of this batch of runs.

        Raises:
            ValueError: ``S > N``.
        """
        if self.S > problem.N:
            raise ValueError(f"S is {self.S}; it should be at most the number of clients N = {problem.N}")
        y = np.asfortranarray(x0)
        unknown = np.full_like(y, np.nan)
        return State(problem.noise.scaled(f=0.0, h=1.0), 0, 0, y, y, unknown, unknown)

    def round(self, problem: Problem, state: State, rng: Streams) -> State:
        """State after one more round; line numbers are those of Algorithm 2."""
        if self.inner == "exact":
            return self._outer(problem, state, problem.project(state.y), rng)
        while self.inner_rounds(state.t) == 0:
            state = self._outer(problem, state, self._start(state), rng)
        call = state.call or self._begin(problem, state, rng)
        call = call._replace(state=call.method.round(call.problem, call.state, call.rng))  # line 3
        state = replace(state, rounds=state.rounds + 1, call=call)
        if call.state.rounds < self.inner_rounds(state.t):
            return state
        return self._outer(problem, state, call.method.output(call.state), rng)

    def output(self, state: State) -> Array:
        """``y^{T*}``, or the result of the newest complete call, ``(runs, n)``; NaN before the first iteration."""
        return state.picked if self.returns == "random" else state.projection

    @property
    def output_name(self) -> str:
        """What :meth:`output` is, in words."""
        return "random outer iterate" if self.returns == "random" else "newest projection"

    def stationarity(self, problem: Problem, y: Array) -> Array:
        """``||grad F_lambda(y)||^2`` with the method's gradient factor: ``(runs, n) -> (runs,)``."""
        return np.asarray(np.sum(grad_F_lambda(problem, y, lam=self.lam, factor=self.gradient_factor) ** 2, axis=-1))

    def counts(self, problem: Problem, state: State) -> Counts:
        """Cost of one run so far.

        A round costs as in StR-FedAvg; besides, ``y^t`` goes to every client before the first round of call ``t``,
        since all may be sampled and need it for ``grad g``. ``grad_f`` counts the server's evaluations.
        """
        visits = state.rounds * self.S
        free = self.round_offset == 0 and state.t > 0  # the call of no rounds
        calls = 0 if self.inner == "exact" else state.t + (state.call is not None) - free
        down = visits + calls * problem.N
        steps = visits * self.K
        batch = state.noise.batch_size if isinstance(state.noise, MiniBatch) else 1
        samples = 0 if isinstance(state.noise, NoNoise) else steps * batch
        n = problem.n
        return Counts(state.rounds, down, visits, down * n, visits * n, state.t, steps, samples)

    def _start(self, state: State) -> Array:
        """``xbar^0`` of call ``t``."""
        if self.inner_start == "y":
            return state.y
        return state.start if self.inner_start == "fixed" or state.t == 0 else state.projection

    def _begin(self, problem: Problem, state: State, rng: Streams) -> Call:
        """Call ``t`` before its first round."""
        method = self.call(self.inner_rounds(state.t))
        projection = cast(Problem, Projection(problem, state.y, state.noise))
        later = rng.after(state.rounds)  # no draw serves two calls
        return Call(method, projection, later, method.init(projection, self._start(state), later))

    def _outer(self, problem: Problem, state: State, x: Array, rng: Streams) -> State:
        """The state after outer iteration ``t`` with projection ``x``."""
        y, t = state.y, state.t + 1
        towards = penalised_gradient(problem, y, x, self.gradient_factor / self.lam)
        moved = np.asfortranarray(y - self.outer_step(problem) * towards)  # line 4
        # Each of y^0 .. y^{t-1} is the picked one with probability 1/t. The sampling of clients uses client 0.
        draw = rng.uniforms("sampling", t, 1, 1, 1, np.arange(rng.runs))[0]
        picked = np.where(draw < 1 / t, y, state.picked)
        return replace(state, t=t, y=moved, projection=x, picked=picked, call=None)
