"""Bilevel methods with a truncated Neumann series of their own: on one machine, and in local steps with momentum.

Problem: ``min F(x, y(x))`` with the minimiser ``y(x)`` of a strongly convex lower level ``G(x, .)``. In the local
methods a client estimates a hypergradient from its own Hessian, and the mean of these is the gradient where clients
have equal lower levels. Projections on ``X`` and ``Y``, on the server, are ours where there are constraints.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Literal

import numpy as np

from rateproof.algos.methods.adaptive import Adaptive
from rateproof.algos.methods.bilevel_parts import Client, Server, neumann
from rateproof.algos.methods.bilevel_parts import State as ServerState
from rateproof.algos.methods.fednest import Nested, grad_y_g
from rateproof.algos.methods.first_order import check_share, check_whole
from rateproof.algos.noise import Ints, Streams
from rateproof.algos.problems.base import Array
from rateproof.algos.problems.smooth_bilevel import Sample, SmoothBilevel


@dataclass(frozen=True, kw_only=True)
class StocBiO(Nested):
    """stocBiO (Ji, Yang and Liang, ICML 2021, Algorithm 2): one machine, batches of losses.

    A round is an outer iteration: ``inner`` stochastic gradient steps on ``y``, from where it was; ``v`` by the sum of
    a Neumann series with a batch of its own for each factor; and a step of ``x`` along ``grad_x F - grad^2_xy G v``,
    the upper gradient from one batch. A batch is ``P`` of the ``m`` losses, drawn anew each time.

    Args:
        alpha, beta: stepsizes of the upper and of the lower level.
        inner: steps on the lower level, ``D`` in the paper.
        terms: of the series, ``Q + 1`` in the paper.
        ell: one over the stepsize of the series, which in the paper is that of another parameter; the smoothness
            constant of the lower level when left out.
        P: losses in a batch; all of them when left out.

    Raises:
        ValueError: a parameter is out of range.
    """

    terms: int = 5
    tau: int = field(default=1, init=False)
    series: Literal["random", "sum"] = field(default="sum", init=False)

    def __post_init__(self) -> None:
        """Check every parameter."""
        super().__post_init__()
        check_whole("a whole number", terms=self.terms)

    def round(self, problem: SmoothBilevel, state: ServerState, rng: Streams) -> ServerState:
        """State after one more outer iteration."""
        most = self.inner + self.terms + 1
        server = Server(problem, rng, state.rounds + 1, self.participants(problem), most, central=True)
        x, y = problem.split(state.z)

        def asked(of: Callable[..., Array], *models: Array) -> Array:
            server.sample()
            return server.total(lambda client, *own: (of(client, *own, *client.draw(1)),), *models)[0]

        def product(client: Client, z: Array, p: Array, sample: Sample) -> Array:
            return client.problem.join(*client.product(z, p, sample))

        for _ in range(self.inner):
            y = problem.Y.project(y - self.beta * asked(grad_y_g, problem.join(x, y)))
        z = problem.join(x, y)
        f_x, f_y = problem.split(asked(Client.grad_f, z))
        v = neumann(f_y, lambda p: problem.split(asked(product, z, p))[1], self.terms, self._ell(problem))
        x = problem.X.project(x - self.alpha * (f_x - problem.split(asked(product, z, v))[0]))
        return ServerState(state.rounds + 1, problem.join(x, y), state.cost + server.cost)


@dataclass(frozen=True, eq=False)
class State(ServerState):
    """State after ``rounds`` rounds.

    Attributes:
        d: mean estimates of the hypergradient and of ``grad_y G``, ``(runs, n)``.
        squares: their mean squares over the rounds, ``(runs, n)``.
    """

    d: Array
    squares: Array


@dataclass(frozen=True, kw_only=True)
class LocalBSGVRM(Nested):
    """LocalBSGVRM (Gao, 2022): local steps on both levels along momentum estimates with variance reduced (STORM).

    In each of ``tau`` local steps a client moves ``(x, y)`` along ``d``, then sets ``d <- D(z; s) + (1 - rho)(d - D(z';
    s))``, ``z'`` the point before and ``D`` its own estimates of the hypergradient and of ``grad_y g``. Models and
    estimates are averaged at the end of a round. From the general description: the paper's listing we could not get.

    Args:
        alpha, beta: stepsizes of the upper and of the lower level.
        rho: momentum in ``(0, 1]``; 1 is plain.
        tau: local steps.
        terms: of the Neumann series.
        ell: smoothness constant of the lower level; that of the problem when left out.
        series: "random" takes one term of a uniform number of factors, "sum" all of them, its mean.
        P: clients that take part in a round; all of them when left out.

    Raises:
        ValueError: a parameter is out of range.
    """

    rho: float = 1.0
    terms: int = 5
    inner: int = field(default=1, init=False)

    def __post_init__(self) -> None:
        """Check every parameter."""
        super().__post_init__()
        check_share(rho=self.rho)
        check_whole("a whole number", terms=self.terms)

    def init(self, problem: SmoothBilevel, x0: Array, rng: Streams) -> State:
        """State before the first round, with plain estimates at the start, which the participants send.

        Raises:
            ValueError: as :class:`Nested` does.
        """
        super().init(problem, x0, rng)
        server = Server(problem, rng, 1, self.participants(problem))
        stop = self._stops(server, 1)

        def local(client: Client, z: Array) -> tuple[Array]:
            return (self._directions(client, client.draw(self.terms + 1), stop, 0, z),)

        (d,) = server.total(local, x0)
        return State(0, x0, replace(server.cost, rounds=0), d, np.zeros_like(d))

    def round(self, problem: SmoothBilevel, state: State, rng: Streams) -> State:
        """State after one more round."""
        server = Server(problem, rng, state.rounds + 2, self.participants(problem))
        squares, scale = self.scaled(state.squares, state.d)
        eta = scale * np.repeat([self.alpha, self.beta], [problem.dx, problem.dy])
        stop, each = self._stops(server, self.tau), self.terms + 1

        def local(client: Client, z: Array, d: Array) -> tuple[Array, Array]:
            z_start, d_start, steps = z, d, client.own(eta)
            samples = client.draw(self.tau * each)
            for k in range(self.tau):
                directions = partial(self._directions, client, samples[k * each : (k + 1) * each], stop, k)
                before, z = z, z - steps * d
                d = self._corrected(directions, z, before, d)
            return z - z_start, d - d_start

        dz, dd = server.total(local, state.z, state.d)
        z = problem.project(state.z + dz)
        return State(state.rounds + 1, z, state.cost + server.cost, state.d + dd, squares)

    def scaled(self, squares: Array, direction: Array) -> tuple[Array, Array]:
        """Mean squares for the round to come, and the factors of its steps, each ``(runs, n)``: here 1."""
        return squares, np.ones_like(direction)

    def _corrected(self, directions: Callable[[Array], Array], z: Array, before: Array, d: Array) -> Array:
        """The estimate at ``z``, one sample at both points."""
        return directions(z) + (1 - self.rho) * (d - directions(before))

    def _stops(self, server: Server, steps: int) -> Ints | None:
        """Numbers of factors for each client and step, ``(runs, m, steps)``; None of a sum."""
        return self._stop(server, self.terms, (server.problem.m, steps))

    def _directions(self, client: Client, samples: list[Sample], stop: Ints | None, k: int, z: Array) -> Array:
        """A client's estimates of the hypergradient and of ``grad_y g``: ``(rows, n)``."""
        problem, (first, *factors, last) = client.problem, samples
        f_x, f_y = problem.split(client.grad_f(z, first))
        rest = iter(factors)
        until = None if stop is None else client.own(stop)[:, client.i, k]
        v = neumann(f_y, lambda p: client.product(z, p, next(rest))[1], self.terms, self._ell(problem), until)
        return problem.join(f_x - client.product(z, v, last)[0], grad_y_g(client, z, first))


@dataclass(frozen=True, kw_only=True)
class LocalBSGM(LocalBSGVRM):
    """LocalBSGM (Gao, 2022): :class:`LocalBSGVRM` with plain momentum, ``d <- (1 - rho) d + rho D(z; s)``.

    Arguments as there; from the general description, too.
    """

    def _corrected(self, directions: Callable[[Array], Array], z: Array, before: Array, d: Array) -> Array:
        return (1 - self.rho) * d + self.rho * directions(z)


@dataclass(frozen=True, kw_only=True)
class AdaFBiO(Adaptive, LocalBSGVRM):
    """AdaFBiO (Huang, 2022): :class:`LocalBSGVRM` with steps that adapt to each coordinate of both levels.

    The server renews the scale where a round begins, from the mean estimates; clients keep it in their local steps.
    From the general description: the paper's listing we could not get, and there the scale may be another one, too.

    Args:
        decay, floor: steps are divided by ``sqrt(a) + floor``, with ``a <- decay a + (1 - decay) d^2``.
        others: as in :class:`LocalBSGVRM`.

    Raises:
        ValueError: a parameter is out of range.
    """
