"""Bilevel methods that follow the linear system of the hypergradient with a vector ``v`` of its own.

Problem: ``min Phi(x) = F(x, y(x))`` with the minimiser ``y(x)`` of a strongly convex lower level ``G(x, .)``. At
``y(x)`` and the solution ``v`` of ``grad^2_yy G v = grad_y F`` the three directions

    D_y = grad_y g,    D_v = grad^2_yy g v - grad_y f,    D_x = grad_x f - grad^2_xy g v

have the means 0, 0 and ``grad Phi(x)``. All methods here descend along them, in one loop; they differ in whose
estimates they use and in who averages what. Projections on ``X`` and ``Y``, on the server, are ours where there are
constraints.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from numbers import Real
from typing import NamedTuple, TypeAlias

import numpy as np

from rateproof.algos.arguments import shown
from rateproof.algos.methods.bilevel_parts import NOTHING, BilevelMethod, Client, Server
from rateproof.algos.methods.bilevel_parts import State as ServerState
from rateproof.algos.methods.first_order import check_positive, check_whole
from rateproof.algos.noise import Streams
from rateproof.algos.problems.base import Array
from rateproof.algos.problems.smooth_bilevel import Sample, SmoothBilevel

Three: TypeAlias = tuple[Array, Array, Array]
#: Independent samples that the three directions take.
SAMPLES = 3


@dataclass(frozen=True, eq=False)
class State(ServerState):
    """State after ``rounds`` rounds, with the vector ``v`` of the linear system, ``(runs, dy)``."""

    v: Array


def directions(client: Client, z: Array, v: Array, samples: Sequence[Sample]) -> Three:
    """``D_y``, ``D_v`` and ``D_x`` of a client, each with a sample of its own."""
    for_y, for_v, for_x = samples
    split = client.problem.split
    d_y = split(client.grad_g(z, for_y))[1]
    d_v = client.product(z, v, for_v)[1] - split(client.grad_f(z, for_v))[1]
    d_x = split(client.grad_f(z, for_x))[0] - client.product(z, v, for_x)[0]
    return d_y, d_v, d_x


def in_ball(v: Array, radius: float) -> Array:
    """Projection on the ball of this radius around 0."""
    if math.isinf(radius):
        return v
    length = np.linalg.norm(v, axis=-1, keepdims=True)
    return np.asarray(v * np.minimum(1.0, radius / np.maximum(length, 1e-300)))


@dataclass(frozen=True, kw_only=True)
class Dual(BilevelMethod):
    """What these methods share.

    Args:
        radius: ``v`` is projected on a ball of this radius, on the server; not at all when left out.
    """

    radius: float = math.inf

    def __post_init__(self) -> None:
        """Check the radius."""
        super().__post_init__()
        if not (isinstance(self.radius, Real) and self.radius > 0):
            raise ValueError(f"radius is {shown(self.radius)}; it should be a positive number or inf")

    def init(self, problem: SmoothBilevel, x0: Array, rng: Streams) -> State:
        """State before the first round, with ``v = 0``.

        Raises:
            ValueError: ``P > m``.
        """
        self.participants(problem)
        return State(0, x0, NOTHING, np.zeros((len(x0), problem.dy)))

    def moved(self, problem: SmoothBilevel, state: State, by: Three, server: Server) -> State:
        """The state after the server has moved ``y``, ``v`` and ``x`` against ``by``."""
        (x, y), (b_y, b_v, b_x) = problem.split(state.z), by
        z = problem.project(problem.join(x - b_x, y - b_y))
        v = in_ball(state.v - b_v, self.radius)
        return replace(state, rounds=state.rounds + 1, z=z, v=v, cost=state.cost + server.cost)


@dataclass(frozen=True, kw_only=True)
class SimFBO(Dual):
    """SimFBO (Yang, Xiao and Ji, NeurIPS 2023): simultaneous local steps, sums of directions go up.

    The coefficients ``a_i^(t,k)`` that the paper allows in these sums are 1, as in the experiments of mefbo. Not
    compared with the paper's listing or code, neither of which we could get: written from its abstract (no sub-loops,
    sums of its own on the server, clients sampled without replacement) and from what mefbo says of it.

    Args:
        eta_y, eta_v, eta_x: local stepsizes.
        gamma_y, gamma_v, gamma_x: stepsizes of the server on sums over the local steps; the local ones when left out.
        tau: local steps.
        taus: local steps of each client, in place of ``tau``.
        P: clients that take part in a round; all of them when left out.
        radius: ``v`` is projected on a ball of this radius, on the server; not at all when left out.

    Raises:
        ValueError: a parameter is out of range.
    """

    eta_y: float
    eta_v: float
    eta_x: float
    gamma_y: float | None = None
    gamma_v: float | None = None
    gamma_x: float | None = None
    tau: int = 1
    taus: tuple[int, ...] | None = None

    def __post_init__(self) -> None:
        """Check every parameter."""
        super().__post_init__()
        steps = {f"{side}_{s}": getattr(self, f"{side}_{s}") for side in ("eta", "gamma") for s in "yvx"}
        check_positive(**{k: v for k, v in steps.items() if v is not None})
        check_whole("a whole number of local steps", tau=self.tau)
        if self.taus is not None and not isinstance(self.taus, tuple):
            raise ValueError(f"taus is {shown(self.taus)}; it should be a tuple with a number for each client")
        for i, steps_of in enumerate(self.taus or ()):
            check_whole("a whole number of local steps", **{f"taus[{i}]": steps_of})

    def init(self, problem: SmoothBilevel, x0: Array, rng: Streams) -> State:
        """State before the first round, with ``v = 0``.

        Raises:
            ValueError: ``P > m``, or another number of ``taus`` than of clients.
        """
        if self.taus is not None and len(self.taus) != problem.m:
            raise ValueError(f"taus is {shown(self.taus)}; it should hold a number for each of {problem.m} clients")
        return super().init(problem, x0, rng)

    def round(self, problem: SmoothBilevel, state: State, rng: Streams) -> State:
        """State after one more round."""
        server = Server(problem, rng, state.rounds + 1, self.participants(problem))
        q_y, q_v, q_x = server.total(self._local, state.z, state.v)
        scale = self._scale(server)
        by = (
            scale * (self.gamma_y or self.eta_y) * q_y,
            scale * (self.gamma_v or self.eta_v) * q_v,
            scale * (self.gamma_x or self.eta_x) * q_x,
        )
        return self.moved(problem, state, by, server)

    def _local(self, client: Client, z: Array, v: Array) -> tuple[Array, ...]:
        """Sums of the directions over the local steps."""
        problem, tau = client.problem, self.tau if self.taus is None else self.taus[client.i]
        eta_z = np.repeat([self.eta_x, self.eta_y], [problem.dx, problem.dy])
        sums = (np.zeros_like(v), np.zeros_like(v), np.zeros((len(z), problem.dx)))
        samples = client.draw(SAMPLES * tau)
        for k in range(tau):
            d_y, d_v, d_x = directions(client, z, v, samples[SAMPLES * k : SAMPLES * (k + 1)])
            for total, part in zip(sums, (d_y, d_v, d_x), strict=True):
                total += part
            z, v = z - eta_z * problem.join(d_x, d_y), v - self.eta_v * d_v
        share = self._share(tau)
        return tuple(share * total for total in sums)

    def _share(self, tau: int) -> float:
        """Factor on what a client sends up."""
        return 1.0

    def _scale(self, server: Server) -> Array | float:
        """Factor on the server's steps."""
        return 1.0


@dataclass(frozen=True, kw_only=True)
class ShroFBO(SimFBO):
    """ShroFBO (Yang, Xiao and Ji, NeurIPS 2023): SimFBO whose clients send means over their own numbers of steps.

    The server then steps with ``rho_t = sum_i (m w_i / P) tau_i``, so that clients with more local steps do not count
    for more and the limit is a solution of the problem as posed. With equal ``tau_i`` and equal weights it is SimFBO.
    Not compared with the paper's listing or code, as :class:`SimFBO`; that ``rho_t`` is this sum over the participants
    is as in FedNova (Wang et al., NeurIPS 2020), to which such means go back. Arguments as in :class:`SimFBO`.
    """

    def _share(self, tau: int) -> float:
        return 1 / tau

    def _scale(self, server: Server) -> Array | float:
        problem = server.problem
        steps = problem.m * problem.weights * (self.tau if self.taus is None else np.array(self.taus)) / server.P
        return np.asarray(server.sampled @ steps)[:, None]


@dataclass(frozen=True, kw_only=True)
class FedBiO(Dual):
    """FedBiO (Li, Huang and Huang, NeurIPS 2023): ``tau`` local steps on ``(y, v, x)``, then the models are averaged.

    All clients take part unless ``P`` says otherwise, which is ours. Not compared with the paper's listing or code,
    neither of which we could get: written from its abstract and from summaries of it (``v`` solves a quadratic problem
    over all clients, and the three updates intertwine).

    Args:
        gamma, rho, eta: stepsizes of ``y``, ``v`` and ``x``.
        tau: local steps between two averages.
        P: clients that take part in a round; all of them when left out.
        radius: ``v`` is projected on a ball of this radius, on the server; not at all when left out.

    Raises:
        ValueError: a parameter is out of range.
    """

    gamma: float
    rho: float
    eta: float
    tau: int = 1

    def __post_init__(self) -> None:
        """Check every parameter."""
        super().__post_init__()
        check_positive(gamma=self.gamma, rho=self.rho, eta=self.eta)
        check_whole("a whole number of local steps", tau=self.tau)

    def round(self, problem: SmoothBilevel, state: State, rng: Streams) -> State:
        """State after ``tau`` more steps and an average."""
        server = Server(problem, rng, state.rounds + 1, self.participants(problem))

        def local(client: Client, z: Array, v: Array) -> Three:
            start, v_start = z, v
            samples = client.draw(SAMPLES * self.tau)
            for k in range(self.tau):
                d_y, d_v, d_x = directions(client, z, v, samples[SAMPLES * k : SAMPLES * (k + 1)])
                z = z - problem.join(self.eta * d_x, self.gamma * d_y)
                v = in_ball(v - self.rho * d_v, self.radius)
            x, y = problem.split(start - z)
            return y, v_start - v, x

        return self.moved(problem, state, server.total(local, state.z, state.v), server)  # type: ignore[arg-type]


@dataclass(frozen=True, eq=False)
class Momenta(State):
    """State of FedBiOAcc: the averaged momenta of ``y``, ``v`` and ``x``; None before the first round."""

    momenta: tuple[Array, ...] | None = None


@dataclass(frozen=True, kw_only=True)
class FedBiOAcc(FedBiO):
    """FedBiOAcc (Li, Huang and Huang, NeurIPS 2023): FedBiO with STORM momenta in place of the directions.

    Step ``t`` moves by ``alpha_t = delta / (u0 + t)^(1/3)`` times the stepsizes along the momenta; a momentum becomes
    ``D(t+1) + (1 - c alpha_t^2) (momentum - D(t))``, both directions with one sample. Every ``tau`` steps the server
    averages the models, and then the momenta. Not compared with the paper's listing or code, as :class:`FedBiO`; that
    one ``c`` serves all three momenta is ours.

    Args:
        gamma, rho, eta, tau: as in :class:`FedBiO`.
        c: of the momenta of all three; ``c alpha_t^2`` has to stay at or below 1.
        delta, u0: of ``alpha_t``.
        P: all clients, since each keeps its own last models.
        radius: as in :class:`FedBiO`.

    Raises:
        ValueError: a parameter is out of range.
    """

    c: float = 1.0
    delta: float = 1.0
    u0: float = 1.0

    def __post_init__(self) -> None:
        """Check every parameter."""
        super().__post_init__()
        check_positive(c=self.c, delta=self.delta, u0=self.u0)
        if (first := self.c * self.alpha(0) ** 2) > 1:
            raise ValueError(f"c alpha_0^2 is {first:.4g}; it should be at most 1: lower c or delta, or larger u0")

    def alpha(self, t: int) -> float:
        """``alpha_t``."""
        return float(self.delta / (self.u0 + t) ** (1 / 3))

    def init(self, problem: SmoothBilevel, x0: Array, rng: Streams) -> Momenta:
        """State before the first round, with ``v = 0``.

        Raises:
            ValueError: not all clients take part.
        """
        if self.participants(problem) < problem.m:
            raise ValueError(f"P is {self.P}; it should be {problem.m}, all clients, since each keeps its last models")
        return Momenta(**vars(super().init(problem, x0, rng)))

    def round(self, problem: SmoothBilevel, state: Momenta, rng: Streams) -> Momenta:  # type: ignore[override]
        """State after ``tau`` more steps, an average of the models and one of the momenta."""
        server = Server(problem, rng, state.rounds + 1, problem.m, most=3)
        t0 = state.rounds * self.tau
        momenta = state.momenta
        if momenta is None:  # plain directions to begin with
            momenta = server.total(lambda c, z, v: directions(c, z, v, c.draw(SAMPLES)), state.z, state.v)
        last: dict[int, tuple[Array, Array, Three]] = {}

        def local(client: Client, z: Array, v: Array, *own: Array) -> Three:
            start, v_start = z, v
            samples = client.draw(SAMPLES * (self.tau - 1))
            for k in range(self.tau):
                alpha = self.alpha(t0 + k)
                if k:
                    drawn = samples[SAMPLES * (k - 1) : SAMPLES * k]
                    own = self._storm(client, (z, v), last[client.i], drawn, self.alpha(t0 + k - 1))
                last[client.i] = z, v, own  # type: ignore[assignment]
                d_y, d_v, d_x = own
                z = z - alpha * problem.join(self.eta * d_x, self.gamma * d_y)
                v = in_ball(v - alpha * self.rho * d_v, self.radius)
            x, y = problem.split(start - z)
            return y, v_start - v, x

        moved = self.moved(problem, state, server.total(local, state.z, state.v, *momenta), server)  # type: ignore[arg-type]

        def renewed(client: Client, z: Array, v: Array) -> Three:
            return self._storm(client, (z, v), last[client.i], client.draw(SAMPLES), self.alpha(t0 + self.tau - 1))

        momenta = server.total(renewed, moved.z, moved.v)
        return Momenta(moved.rounds, moved.z, state.cost + server.cost, moved.v, momenta)

    def _storm(
        self, client: Client, now: tuple[Array, Array], last: tuple[Array, Array, Three], s: list[Sample], alpha: float
    ) -> Three:
        """``D(now) + (1 - c alpha^2) (momentum - D(last))``."""
        z, v, momenta = last
        old, new = directions(client, z, v, s), directions(client, *now, s)
        keep = 1 - self.c * alpha**2
        d_y, d_v, d_x = (n + keep * (m - o) for n, m, o in zip(new, momenta, old, strict=True))
        return d_y, d_v, d_x


@dataclass(frozen=True, kw_only=True)
class SOBA(Dual):
    """SOBA (Dagreou et al., NeurIPS 2022, Algorithm 1 with plain estimates): one machine, one loss at a time.

    A round is an iteration: ``P`` of the ``m`` lower losses and, independently, ``P`` of the upper ones are drawn.
    The ``v`` of the paper is minus this one. Compared with the authors' code in benchopt, which draws batches in turn
    from a shuffled order.

    Args:
        rho: stepsize of ``y`` and ``v``.
        gamma: stepsize of ``x``.
        P: losses of each level in a batch; all of them when left out.
        radius: ``v`` is projected on a ball of this radius; not at all when left out.

    Raises:
        ValueError: a parameter is out of range.
    """

    rho: float
    gamma: float

    def __post_init__(self) -> None:
        """Check every parameter."""
        super().__post_init__()
        check_positive(rho=self.rho, gamma=self.gamma)

    def round(self, problem: SmoothBilevel, state: State, rng: Streams) -> State:
        """State after one more iteration."""
        server = Server(problem, rng, state.rounds + 1, self.participants(problem), most=2, central=True)
        (lower,) = server.total(lambda client, z, v: (lower_parts(client, z, v, *client.draw(1)),), state.z, state.v)
        server.sample()
        (upper,) = server.total(lambda client, z: (client.grad_f(z, *client.draw(1)),), state.z)
        return self._step(problem, state, lower, upper, server)

    def _step(self, problem: SmoothBilevel, state: State, lower: Array, upper: Array, server: Server) -> State:
        """The step along ``(grad_y G, grad^2_xy G v, grad^2_yy G v)`` and ``grad F``, all three at once."""
        g_y, product = lower[:, : problem.dy], lower[:, problem.dy :]
        (Jv, Hv), (f_x, f_y) = problem.split(product), problem.split(upper)
        by = (self.rho * g_y, self.rho * (Hv - f_y), self.gamma * (f_x - Jv))
        return self.moved(problem, state, by, server)


class Tables(NamedTuple):
    """What SABA remembers of each loss: ``(runs, m, dy + n)`` of the lower level, ``(runs, m, n)`` of the upper one."""

    lower: Array
    upper: Array


@dataclass(frozen=True, eq=False)
class TableState(State):
    """State of SABA."""

    tables: Tables


@dataclass(frozen=True, kw_only=True)
class SABA(SOBA):
    """SABA (Dagreou et al., NeurIPS 2022): SOBA with SAGA estimates, each loss at the point where it was last drawn.

    Arguments as in :class:`SOBA`. All losses are asked for at the start; in the authors' code in benchopt, with which
    this is compared, that is an option and the tables start at zero.
    """

    def init(self, problem: SmoothBilevel, x0: Array, rng: Streams) -> TableState:
        """State before the first iteration, with ``v = 0`` and full tables."""
        start = super().init(problem, x0, rng)
        server = Server(problem, rng, 1, problem.m, central=True)
        everyone = [Client(server, i, np.arange(len(x0))) for i in range(problem.m)]
        exact = Sample(None, None)
        lower = np.stack([lower_parts(client, start.z, start.v, exact) for client in everyone], axis=1)
        upper = np.stack([client.grad_f(start.z, exact) for client in everyone], axis=1)
        cost = replace(server.cost, rounds=0)
        return TableState(0, start.z, cost, start.v, Tables(lower, upper))

    def round(self, problem: SmoothBilevel, state: TableState, rng: Streams) -> TableState:  # type: ignore[override]
        """State after one more iteration."""
        server = Server(problem, rng, state.rounds + 1, self.participants(problem), most=2, central=True)
        tables = Tables(*(table.copy() for table in state.tables))
        means = [np.einsum("i,rid->rd", problem.weights, table) for table in state.tables]

        def renewed(client: Client, table: Array, new: Array) -> tuple[Array]:
            change = new - table[client.rows, client.i]
            table[client.rows, client.i] = new
            return (change,)

        (lower,) = server.total(
            lambda c, z, v: renewed(c, tables.lower, lower_parts(c, z, v, *c.draw(1))), state.z, state.v
        )
        server.sample()
        (upper,) = server.total(lambda c, z: renewed(c, tables.upper, c.grad_f(z, *c.draw(1))), state.z)
        moved = self._step(problem, state, lower + means[0], upper + means[1], server)
        return TableState(moved.rounds, moved.z, moved.cost, moved.v, tables)


def lower_parts(client: Client, z: Array, v: Array, sample: Sample) -> Array:
    """``grad_y g_i``, and ``grad^2_xy g_i v`` and ``grad^2_yy g_i v``: ``(rows, dy + n)``."""
    g_y = client.problem.split(client.grad_g(z, sample))[1]
    return np.concatenate([g_y, *client.product(z, v, sample)], axis=1)
