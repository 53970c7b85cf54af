"""MeFBO, the Moreau-envelope federated bilevel method (mefbo, Algorithm 1), and MEHA, its centralised ancestor.

Problem: ``min F(x, y)`` over the minimisers ``y`` of a lower level ``G(x, .)`` that need not be convex, through
``min max U_c(x, y, theta) = F(x, y)/c + G(x, y) - G(x, theta) - ||theta - y||^2/(2 gamma)`` (eq. 5). Only gradients are
used.

Guarantee: Theorems 3.4 and C.1 bound ``min_t E R_t(x^{t+1}, y^{t+1})``, the stationarity of eq. (13).
"""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Real
from typing import ClassVar, Literal, NamedTuple, TypeAlias

import numpy as np

from rateproof.algos.arguments import nonnegative
from rateproof.algos.methods.affine_directions import AffineDirections, MeanDirections, Quadratic
from rateproof.algos.methods.base import Counts, Measure
from rateproof.algos.methods.bilevel_parts import NOTHING, BilevelMethod, Client, Server
from rateproof.algos.methods.bilevel_parts import State as ServerState
from rateproof.algos.methods.first_order import check_positive, check_whole
from rateproof.algos.noise import Ints, MiniBatch, NoNoise, Streams
from rateproof.algos.problems.base import Array
from rateproof.algos.problems.smooth_bilevel import Sample, SmoothBilevel

Estimator = Literal["sgd", "storm", "saga"]
ESTIMATORS: tuple[Estimator, ...] = ("sgd", "storm", "saga")
#: Numbers in a model up to which it costs less to ask all clients at once than the participants one by one.
SMALL = 50
#: Numbers of noise that are held at once, 32 MiB; where there are more, clients draw theirs one by one.
NUMBERS = 2**22


@dataclass(frozen=True, eq=False)
class State(ServerState):
    """State after ``rounds`` rounds.

    Attributes:
        theta: ``(runs, dy)``.
        memory: what the estimator of each client remembers; None of stochastic gradients.
        affine: the directions as affine maps, where they are.
    """

    theta: Array
    memory: Memory | None = None
    affine: AffineDirections | MeanDirections | None = None


class Storm(NamedTuple):
    """A client's last estimate of its three gradients and the point it belongs to.

    Attributes:
        seen: runs in which the client has taken part, ``(runs,)``.
        estimate: ``(runs, 3, n)``.
        theta, z: ``(runs, dy)``, ``(runs, n)``.
    """

    seen: Array
    estimate: Array
    theta: Array
    z: Array


class Saga(NamedTuple):
    """Gradients of a client's data rows where they were last asked for.

    Attributes:
        upper: of the rows of ``f_i`` at ``(x, y)``, ``(runs, rows, 1, n)``.
        lower: of the rows of ``g_i`` at ``(x, y)`` and ``(x, theta)``, ``(runs, rows, 2, n)``.
    """

    upper: Array
    lower: Array


Memory: TypeAlias = tuple["Storm | Saga", ...]
"""What the estimators of all clients remember."""


def three_gradients(client: Client, theta: Array, z: Array, sample: Sample) -> tuple[Array, Array, Array]:
    """``grad f_i(x, y; xi)``, ``grad g_i(x, y; zeta)`` and ``grad g_i(x, theta; zeta)``, one ``zeta`` in both.

    Each is ``(rows, n)``: all that eq. (9) asks of a client's data.
    """
    at_theta = client.problem.join(client.problem.split(z)[0], theta)
    return client.grad_f(z, sample), client.grad_g(z, sample), client.grad_g(at_theta, sample)


def storm(client: Client, memory: Storm, theta: Array, z: Array, sample: Sample, momentum: float) -> Array:
    """``G(p; s) + (1 - a)(d - G(p'; s))`` with the last estimate ``d`` at the last point ``p'``; kept in ``memory``.

    ``d`` is ``G(p; s)`` where the client takes part for the first time. It has the same mean error as before times
    ``1 - a``, so it stays unbiased (Cutkosky and Orabona, 2019).
    """
    rows = client.rows
    now = np.stack(three_gradients(client, theta, z, sample), axis=1)
    before = np.stack(three_gradients(client, memory.theta[rows], memory.z[rows], sample), axis=1)
    kept = (1 - momentum) * memory.seen[rows, None, None]
    estimate = now + kept * (memory.estimate[rows] - before)
    memory.seen[rows], memory.estimate[rows], memory.theta[rows], memory.z[rows] = 1.0, estimate, theta, z
    return estimate


def saga(client: Client, memory: Saga, theta: Array, z: Array, sample: Sample) -> Array:
    """``G_j(p) - table_j + mean(table)``, and ``table_j`` becomes ``G_j(p)`` (Defazio et al., 2014)."""
    now = np.stack(three_gradients(client, theta, z, sample), axis=1)
    parts = []
    for table, drawn, new in ((memory.upper, sample.xi, now[:, :1]), (memory.lower, sample.zeta, now[:, 1:])):
        at = (client.rows, np.asarray(drawn)[:, 0])
        parts.append(new - table[at] + client.own(table).mean(axis=1))
        table[at] = new
    return np.concatenate(parts, axis=1)


@dataclass(frozen=True, kw_only=True)
class MeFBO(BilevelMethod):
    """MeFBO (mefbo, Algorithm 1): local descent and ascent without constraints, which the server alone projects on.

    Args:
        gamma: parameter of the Moreau envelope; the theorems take it from ``(0, 1/(2 L_2))``, and it has to be in
            ``(0, 1/rho_wc)``.
        lambda_theta, lambda_x, lambda_y: stepsizes of the server.
        eta_theta, eta_x, eta_y: stepsizes of the clients; those of the server when left out.
        tau: local steps.
        c0, p: penalty ``c_t = c0 (t + 1)^p``.
        q, q_eta: stepsizes of server and clients fall like ``(t + 1)^-q`` and ``(t + 1)^-q_eta``; 0 and 0 in Theorem
            3.4, ``1/2 < q < 1`` and ``1/4`` in Theorem C.1.
        estimator: of the gradients in eq. (9): plain stochastic ones, or with variance reduced by "storm" or "saga",
            which the paper names without pseudo-code: each client replaces its own three gradients by estimates of
            them, and keeps what these need between the rounds in which it takes part.
        momentum: ``a`` of STORM, in ``(0, 1]``; 1 is plain.
        P: clients that take part in a round; all of them when left out.

    Raises:
        ValueError: a parameter is out of range.
    """

    gamma: float
    lambda_theta: float
    lambda_x: float
    lambda_y: float
    eta_theta: float | None = None
    eta_x: float | None = None
    eta_y: float | None = None
    tau: int = 1
    c0: float = 1.0
    p: float = 0.0
    q: float = 0.0
    q_eta: float = 0.0
    estimator: Estimator = "sgd"
    momentum: float = 0.1

    def __post_init__(self) -> None:
        """Check every parameter."""
        super().__post_init__()
        steps = {k: getattr(self, k) for k in ("lambda_theta", "lambda_x", "lambda_y", "eta_theta", "eta_x", "eta_y")}
        check_positive(gamma=self.gamma, c0=self.c0, **{k: v for k, v in steps.items() if v is not None})
        check_whole("a whole number of local steps", tau=self.tau)
        nonnegative(p=self.p, q=self.q, q_eta=self.q_eta)
        if self.estimator not in ESTIMATORS:
            raise ValueError(f"estimator is {self.estimator!r}; it should be one of {', '.join(ESTIMATORS)}")
        if not (isinstance(self.momentum, Real) and 0 < self.momentum <= 1):
            raise ValueError(f"momentum is {self.momentum}; it should be in (0, 1]")

    def c(self, t: int) -> float:
        """Penalty ``c_t`` of round ``t``, from 0."""
        return float(self.c0 * (t + 1) ** self.p)

    def init(self, problem: SmoothBilevel, x0: Array, rng: Streams) -> State:
        """State before the first round, with ``theta^0 = y^0``.

        Args:
            problem: what is solved.
            x0: initial models ``(x^0, y^0)``, ``(runs, n)``.
            rng: random numbers of this batch of runs.

        Raises:
            ValueError: ``gamma`` is out of range, ``P > m``, or "saga" without samples of single rows.
        """
        problem.check_gamma(self.gamma)
        P = self.participants(problem)
        theta = problem.split(x0)[1].copy()
        server = Server(problem, rng, 1, P)
        memory = self._memory(problem, server, theta, x0)
        return State(0, x0, server.cost, theta, memory, self._affine(problem, len(x0)))

    def round(self, problem: SmoothBilevel, state: State, rng: Streams) -> State:
        """State after one more round."""
        t = state.rounds
        server = Server(problem, rng, t + 1, self.participants(problem))  # draws C^(t), sends x^t, y^t, theta^t
        gamma, c, memory = self.gamma, self.c(t), _copied(state.memory)
        eta_theta, eta_z = self._steps(problem, "eta", (t + 1) ** -self.q_eta)
        lambda_theta, lambda_z = self._steps(problem, "lambda", (t + 1) ** -self.q)

        def local(client: Client, theta: Array, z: Array) -> tuple[Array, Array]:
            h_theta, h_z = np.zeros_like(theta), np.zeros_like(z)
            for sample in client.draw(self.tau):
                df, dg, dg_theta = self._gradients(client, memory, theta, z, sample)
                (g_x, g_theta), pull = problem.split(dg_theta), (theta - problem.split(z)[1]) / gamma
                step_theta = g_theta + pull  # (9)
                step_z = df / c + dg
                step_x, step_y = problem.split(step_z)
                step_x -= g_x
                step_y += pull
                h_theta += step_theta
                h_z += step_z
                theta, z = theta - eta_theta * step_theta, z - eta_z * step_z  # (8), without projection
            return h_theta / self.tau, h_z / self.tau  # (10)

        affine = self._prepared(state, problem, c, eta := np.concatenate([np.full(problem.dy, eta_theta), eta_z]))
        if affine is None:
            H_theta, H_z = server.total(local, state.theta, state.z)  # (11)
        else:  # the same
            H_theta, H_z = self._at_once(server, state, affine, c, eta)
        theta = problem.Y.project(state.theta - lambda_theta * H_theta)  # (12)
        z = problem.project(state.z - lambda_z * H_z)
        return State(t + 1, z, state.cost + server.cost, theta, memory, affine)

    def measures(self, problem: SmoothBilevel) -> dict[str, Measure]:
        """``R_t`` at the newest model with its own ``c``, ``c_t^2 R_t``, ``G - v_gamma`` and how far theta is off.

        Nothing where the problem does not know ``theta*``.
        """
        try:
            problem.theta_star(problem.x0[None], self.gamma)
        except ValueError:
            return {}

        def R(state: State) -> Array:
            return problem.R(state.z, self.gamma, self.c(max(state.rounds - 1, 0)))

        return {
            "R": R,
            "c^2 R": lambda state: self.c(max(state.rounds - 1, 0)) ** 2 * R(state),
            "G - v": lambda state: problem.gap(state.z, self.gamma),
            "|theta - theta*|": lambda state: np.linalg.norm(
                state.theta - problem.theta_star(state.z, self.gamma), axis=-1
            ),
        }

    def _steps(self, problem: SmoothBilevel, side: str, factor: float) -> tuple[float, Array]:
        """Stepsizes of ``theta`` and of the coordinates of ``z`` on one side."""
        theta, x, y = (
            factor * (getattr(self, f"{side}_{s}") or getattr(self, f"lambda_{s}")) for s in ("theta", "x", "y")
        )
        return theta, np.repeat([x, y], [problem.dx, problem.dy])

    def _affine(self, problem: SmoothBilevel, runs: int) -> AffineDirections | None:
        """The directions as affine maps; None where they are not, or where it is not worth asking all clients."""
        if not (isinstance(problem, Quadratic) and problem.noise.additive and self.estimator == "sgd"):
            return None
        few = self.participants(problem) < problem.m and problem.n > SMALL
        noisy = not isinstance(problem.noise, NoNoise)
        if few or (noisy and self.tau * problem.m * runs * (problem.dy + problem.n) > NUMBERS):
            return None
        return AffineDirections.of(problem, self.gamma)

    def _prepared(
        self, state: State, problem: SmoothBilevel, c: float, eta: Array
    ) -> AffineDirections | MeanDirections | None:
        """The affine maps for this round, which may go over to those of the mean where only penalties change."""
        steady = self.participants(problem) == problem.m and not self.q_eta and isinstance(problem.noise, NoNoise)
        if not (isinstance(state.affine, AffineDirections) and steady):
            return state.affine
        spent = state.rounds * len(state.z)
        return state.affine.prepared(problem.weights, c=c, eta=eta, tau=self.tau, spent=spent)

    def _at_once(
        self, server: Server, state: State, affine: AffineDirections | MeanDirections, c: float, eta: Array
    ) -> tuple[Array, ...]:
        """(11) from affine maps."""

        def all_clients(theta: Array, z: Array) -> tuple[Array, Array]:
            w, noise = np.concatenate([theta, z], axis=1), self._noise(server, c)
            H = affine.total(w, server.shares, noise, c=c, eta=eta, tau=self.tau)
            return H[:, : theta.shape[1]], H[:, theta.shape[1] :]

        return server.at_once(all_clients, state.theta, state.z, grad_f=self.tau, grad_h=2 * self.tau)

    def _noise(self, server: Server, c: float) -> Array | None:
        """What is added to the directions of the participants in each local step, ``(tau, m, runs, dy + n)``."""
        problem = server.problem
        if isinstance(problem.noise, NoNoise):
            return None
        runs, m = server.sampled.shape
        noise = np.zeros((self.tau, m, runs, problem.dy + problem.n))
        for i in map(int, np.flatnonzero(server.sampled.any(axis=0))):
            rows = np.flatnonzero(server.sampled[:, i])
            drawn = Client(server, i, rows).draw(self.tau)
            xi, zeta = (np.stack(part) for part in zip(*drawn, strict=True))
            own, in_y = noise[:, i], problem.split(zeta)[1]
            own[:, rows] = np.concatenate([in_y, xi / c], axis=2)
            own[:, rows, problem.n :] += in_y
        return noise

    def _gradients(self, client: Client, memory: Memory | None, theta: Array, z: Array, s: Sample) -> tuple[Array, ...]:
        """Estimates of the three gradients, each ``(rows, n)``."""
        own = None if memory is None else memory[client.i]
        if isinstance(own, Storm):
            return tuple(storm(client, own, theta, z, s, self.momentum).swapaxes(0, 1))
        if isinstance(own, Saga):
            return tuple(saga(client, own, theta, z, s).swapaxes(0, 1))
        return three_gradients(client, theta, z, s)

    def _memory(self, problem: SmoothBilevel, server: Server, theta: Array, z: Array) -> Memory | None:
        """What the clients remember before the first round; with SAGA the gradients of all rows at the start."""
        runs = len(z)
        if self.estimator == "storm":
            return tuple(
                Storm(np.zeros(runs), np.zeros((runs, 3, problem.n)), theta.copy(), z.copy()) for _ in range(problem.m)
            )
        if self.estimator == "sgd":
            return None
        if not isinstance(problem.noise, MiniBatch) or problem.noise.batch_size != 1:
            raise ValueError("estimator is 'saga'; it needs noise=minibatch with batch_size=1, samples of single rows")
        tables = []
        for i in range(problem.m):
            client = Client(server, i, np.arange(runs))
            upper, lower = problem.samples(i)
            each = [
                three_gradients(client, theta, z, Sample(_all(runs, min(j, upper - 1)), _all(runs, min(j, lower - 1))))
                for j in range(max(upper, lower))
            ]
            table = np.stack([np.stack(three, axis=1) for three in each], axis=1)
            tables.append(Saga(table[:, :upper, :1].copy(), table[:, :lower, 1:].copy()))
        return tuple(tables)


@dataclass(frozen=True, kw_only=True)
class MEHA:
    """MEHA (Liu et al., ICML 2024, Algorithm 1): MeFBO on one machine, exact, each step with the newest of the others.

    With one client and one local step MeFBO is its version with simultaneous steps.

    Args:
        gamma: parameter of the Moreau envelope, in ``(0, 1/rho_wc)``.
        eta, alpha, beta: stepsizes of ``theta``, ``x`` and ``y``.
        c0, p: penalty ``c_k = c0 (k + 1)^p``.

    Raises:
        ValueError: a parameter is out of range.
    """

    gamma: float
    eta: float
    alpha: float
    beta: float
    c0: float = 1.0
    p: float = 0.0

    output_name: ClassVar[str] = BilevelMethod.output_name

    def __post_init__(self) -> None:
        """Check every parameter."""
        check_positive(gamma=self.gamma, eta=self.eta, alpha=self.alpha, beta=self.beta, c0=self.c0)
        nonnegative(p=self.p)

    def c(self, k: int) -> float:
        """Penalty ``c_k`` of iteration ``k``, from 0."""
        return float(self.c0 * (k + 1) ** self.p)

    def init(self, problem: SmoothBilevel, x0: Array, rng: Streams) -> State:
        """State before the first iteration, with ``theta^0 = y^0``.

        Raises:
            ValueError: ``gamma`` is out of range.
        """
        problem.check_gamma(self.gamma)
        return State(0, x0, NOTHING, problem.split(x0)[1].copy())

    def round(self, problem: SmoothBilevel, state: State, rng: Streams) -> State:
        """State after one more iteration."""
        x, y = problem.split(state.z)
        theta, c, gamma = state.theta, self.c(state.rounds), self.gamma
        at_theta = problem.split(problem.grad_G(problem.join(x, theta)))[1]
        theta = problem.Y.project(theta - self.eta * (at_theta + (theta - y) / gamma))
        drift = problem.grad_F(state.z) / c + problem.grad_G(state.z)
        pull = problem.split(problem.grad_G(problem.join(x, theta)))[0]
        x = problem.X.project(x - self.alpha * (problem.split(drift)[0] - pull))
        z = problem.join(x, y)
        drift = problem.grad_F(z) / c + problem.grad_G(z)
        y = problem.Y.project(y - self.beta * (problem.split(drift)[1] - (y - theta) / gamma))
        return State(state.rounds + 1, problem.join(x, y), NOTHING, theta)

    def output(self, state: State) -> Array:
        """The newest model, ``(runs, n)``."""
        return state.z

    def counts(self, problem: SmoothBilevel, state: State) -> Counts:
        """Cost of one run so far; nothing is communicated."""
        calls = state.rounds * problem.m
        return Counts(state.rounds, 0, 0, 0, 0, grad_f=2 * calls, grad_h=4 * calls)

    def measures(self, problem: SmoothBilevel) -> dict[str, Measure]:
        """As of :class:`MeFBO`."""
        return MeFBO.measures(self, problem)  # type: ignore[arg-type]


def _copied(memory: Memory | None) -> Memory | None:
    return None if memory is None else tuple(type(own)(*(a.copy() for a in own)) for own in memory)


def _all(runs: int, j: int) -> Ints:
    """Row ``j`` in all runs, ``(runs, 1)``."""
    return np.full((runs, 1), j)
