"""Federated bilevel methods with a Neumann series or iterative differentiation inside a round.

Problem: ``min Phi(x) = F(x, y(x))`` with the minimiser ``y(x)`` of a strongly convex lower level ``G(x, .)``. Its
hypergradient is ``grad_x F - grad^2_xy G v`` with ``grad^2_yy G v = grad_y F``; the methods differ in how they estimate
``v`` and in who averages what. A round is one outer iteration; its communications beyond the first are lower rounds.
Projections on ``X`` and ``Y``, on the server, are ours where there are constraints.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from rateproof.algos.methods.bilevel_parts import NOTHING, BilevelMethod, Client, Server, State, neumann
from rateproof.algos.methods.first_order import check_positive, check_whole
from rateproof.algos.noise import Ints, Streams
from rateproof.algos.problems.base import Array
from rateproof.algos.problems.smooth_bilevel import Sample, SmoothBilevel


@dataclass(frozen=True, kw_only=True)
class Nested(BilevelMethod):
    """What these methods share.

    Args:
        alpha, beta: local stepsizes of the upper and of the lower level.
        tau: local steps of both levels.
        inner: steps of the server on the lower level in a round.
        ell: smoothness constant of the lower level; that of the problem when left out.
        series: "random" takes one term of a sum of products, drawn uniformly, "sum" all of them, its mean.
        P: clients that take part in a communication; all of them when left out.
    """

    alpha: float
    beta: float
    tau: int = 1
    inner: int = 1
    ell: float | None = None
    series: Literal["random", "sum"] = "random"

    def __post_init__(self) -> None:
        """Check every parameter."""
        super().__post_init__()
        check_positive(alpha=self.alpha, beta=self.beta, **({} if self.ell is None else {"ell": self.ell}))
        check_whole("a whole number", tau=self.tau, inner=self.inner)
        if self.series not in ("random", "sum"):
            raise ValueError(f"series is {self.series!r}; it should be 'random' or 'sum'")

    def init(self, problem: SmoothBilevel, x0: Array, rng: Streams) -> State:
        """State before the first round.

        Raises:
            ValueError: ``P > m``, or no smoothness constant is known and none is given.
        """
        self.participants(problem)
        self._ell(problem)
        return State(0, x0, NOTHING)

    def _inn(self, server: Server, x: Array, y: Array, q: Array) -> Array:
        """Local steps on ``y`` with the mean gradient ``q`` in place of the client's own."""
        problem = server.problem

        def local(client: Client, q: Array) -> tuple[Array]:
            x_own, y_own = client.own(x), client.own(y)
            y_i = y_own
            for s in client.draw(self.tau):
                change = grad_y_g(client, problem.join(x_own, y_i), s) - grad_y_g(client, problem.join(x_own, y_own), s)
                y_i = y_i - self.beta * (change + q)
            return (y_i - y_own,)

        return problem.Y.project(y + server.total(local, q)[0])

    def _out(self, server: Server, x: Array, y: Array, v: Array) -> Array:
        """Local steps on ``x`` for an estimate ``v``, along the mean hypergradient; its direct part follows them."""
        problem = server.problem
        server.sample()
        (h,) = server.total(lambda client, z, v: (hyper(client, z, v, *client.draw(1)),), problem.join(x, y), v)

        def local(client: Client, h: Array) -> tuple[Array]:
            x_own, y_own = client.own(x), client.own(y)
            x_i = x_own
            for s in client.draw(self.tau):
                change = client.grad_f(problem.join(x_i, y_own), s) - client.grad_f(problem.join(x_own, y_own), s)
                x_i = x_i - self.alpha * (problem.split(change)[0] + h)
            return (x_i - x_own,)

        return problem.X.project(x + server.total(local, h)[0])

    def _server(self, problem: SmoothBilevel, state: State, rng: Streams, factors: int) -> Server:
        most = 2 * self.inner + factors + 4
        return Server(problem, rng, state.rounds + 1, self.participants(problem), most)

    def _stop(self, server: Server, factors: int, shape: tuple[int, ...] = ()) -> Ints | None:
        return None if self.series == "sum" else server.below(factors, *shape)

    def _ell(self, problem: SmoothBilevel) -> float:
        """The smoothness constant.

        Raises:
            ValueError: none is known.
        """
        ell = self.ell or problem.constants.L_2
        if not np.isfinite(ell):
            raise ValueError("no smoothness constant of the lower level is known; ell should be given")
        return float(ell)


@dataclass(frozen=True, kw_only=True)
class FedNest(Nested):
    """FedNest (Tarzanagh et al., ICML 2022, Algorithms 1 to 3): variance-reduced local steps, federated Neumann series.

    Compared with the authors' code, which always sums the series, asks the same clients in all communications of a
    round and leaves out the factor ``1/ell`` of the series, so that its ``v`` is ``ell`` times ours.

    Args:
        alpha, beta: local stepsizes of the upper and of the lower level.
        tau: local steps of both levels.
        inner: FedInn calls of a round.
        terms: of the Neumann series, ``N``.
        ell: smoothness constant of the lower level; that of the problem when left out.
        series: "random" takes one term of a uniform number of factors, as printed; "sum" all of them, its mean.
            Communications count as if all factors were asked for.
        P: clients that take part in a communication; all of them when left out.

    Raises:
        ValueError: a parameter is out of range.
    """

    terms: int = 5

    def __post_init__(self) -> None:
        """Check every parameter."""
        super().__post_init__()
        check_whole("a whole number", terms=self.terms)

    def round(self, problem: SmoothBilevel, state: State, rng: Streams) -> State:
        """State after one more outer iteration (Algorithm 1)."""
        server = self._server(problem, state, rng, self.terms)
        x, y = problem.split(state.z)
        for _ in range(self.inner):
            y = self.fed_inn(server, x, y)
        x = self.fed_out(server, x, y)
        return State(state.rounds + 1, problem.join(x, y), state.cost + server.cost)

    def fed_inn(self, server: Server, x: Array, y: Array) -> Array:
        """Local steps on ``y`` with the variance of the clients taken out, averaged: ``(runs, dy)``."""
        problem = server.problem
        server.sample()
        (q,) = server.total(lambda client, z: (grad_y_g(client, z, *client.draw(1)),), problem.join(x, y))
        return self._inn(server, x, y, q)

    def fed_ihgp(self, server: Server, x: Array, y: Array) -> Array:
        """``v``, an estimate of ``(grad^2_yy G)^-1 grad_y F`` by a series of communications: ``(runs, dy)``."""
        problem = server.problem
        z = problem.join(x, y)

        def first(client: Client, z: Array) -> tuple[Array]:
            return (problem.split(client.grad_f(z, *client.draw(1)))[1],)

        def hessian(p: Array) -> Array:
            server.sample()
            return server.total(lambda client, z, p: (client.product(z, p, *client.draw(1))[1],), z, p)[0]

        return neumann(
            server.total(first, z)[0], hessian, self.terms, self._ell(problem), self._stop(server, self.terms)
        )

    def fed_out(self, server: Server, x: Array, y: Array) -> Array:
        """Local steps on ``x`` along the hypergradient, of which the direct part follows them: ``(runs, dx)``."""
        server.sample()
        return self._out(server, x, y, self.fed_ihgp(server, x, y))


@dataclass(frozen=True, kw_only=True)
class LFedNest(FedNest):
    """LFedNest (Tarzanagh et al., ICML 2022): local steps with each client's own hypergradient, sent once.

    Arguments as in :class:`FedNest`; compared with the authors' code, with the same differences. Clients invert their
    own Hessians, so that the mean of their hypergradients is the gradient of ``Phi`` for equal clients only.
    """

    def fed_inn(self, server: Server, x: Array, y: Array) -> Array:
        """Local stochastic gradient steps on ``y``, averaged: ``(runs, dy)``."""
        server.sample()
        return local_sgd(server, x, y, self.tau, self.beta)

    def fed_out(self, server: Server, x: Array, y: Array) -> Array:
        """Local steps on ``x`` along each client's own hypergradient: ``(runs, dx)``."""
        problem, ell = server.problem, self._ell(server.problem)
        server.sample()
        stop = self._stop(server, self.terms)

        def local(client: Client, z: Array) -> tuple[Array]:
            start, y_own = problem.split(z)
            own, x_i = None if stop is None else client.own(stop), start
            samples = iter(client.draw(self.tau * (self.terms + 1)))
            for _ in range(self.tau):
                z_i = problem.join(x_i, y_own)
                first = problem.split(client.grad_f(z_i, next(samples)))[1]

                def hessian(p: Array, z_i: Array = z_i) -> Array:
                    return client.product(z_i, p, next(samples))[1]

                v = neumann(first, hessian, self.terms, ell, own)
                x_i = x_i - self.alpha * hyper(client, z_i, v, next(samples))
            return (x_i - start,)

        return problem.X.project(x + server.total(local, problem.join(x, y))[0])


@dataclass(frozen=True, kw_only=True)
class FedMBO(FedNest):
    """FedMBO (Huang, Zhang and Ji, ICML 2023): minibatch steps on ``y``, parallel Neumann chains, one step on ``x``.

    Each of ``P`` chains asks a freshly sampled client for each of its factors, and the chains are averaged: each is
    unbiased where clients differ. Arguments as in :class:`FedNest`, but that ``tau`` is the number of gradients, all
    at the server's ``y``, that a participant averages: no local steps.

    Not compared with the paper's listing or code, neither of which we could get: written from its abstract and from
    summaries of it (minibatch gradients in the inner loop; "parallel hypergradient estimator" with clients sampled
    anew in every round of it). That ``x`` takes one step is ours.
    """

    def fed_inn(self, server: Server, x: Array, y: Array) -> Array:
        """A step on ``y`` along the mean gradient of the participants' minibatches: ``(runs, dy)``."""
        server.sample()

        def minibatch(client: Client, z: Array) -> tuple[Array]:
            return (np.mean([grad_y_g(client, z, s) for s in client.draw(self.tau)], axis=0),)

        (q,) = server.total(minibatch, server.problem.join(x, y))
        return server.problem.Y.project(y - self.beta * q)

    def fed_out(self, server: Server, x: Array, y: Array) -> Array:
        """A step along the mean of the hypergradients of ``P`` chains: ``(runs, dx)``."""
        problem = server.problem
        z = np.repeat(problem.join(x, y)[:, None], server.P, axis=1)

        def asked(local: object, *models: Array) -> Array:
            server.sample()
            return server.each(local, *models)[0]  # type: ignore[arg-type]

        first = asked(lambda client, z: (problem.split(client.grad_f(z, *client.draw(1)))[1],), z)
        stop = self._stop(server, self.terms, (server.P,))

        def hessian(p: Array) -> Array:
            return asked(lambda client, z, p: (client.product(z, p, *client.draw(1))[1],), z, p)

        v = neumann(first, hessian, self.terms, self._ell(problem), stop)
        h = asked(lambda client, z, v: (hyper(client, z, v, *client.draw(1)),), z, v)
        return problem.X.project(x - self.alpha * h.mean(axis=1))


@dataclass(frozen=True, kw_only=True)
class FBOAggITD(Nested):
    """FBO-AggITD (Xiao and Ji, ICML 2023): the products of iterative differentiation travel with the lower level.

    The communication that asks for ``grad_y G(x, y^t)`` also asks for ``grad_y F(x, y^t)`` and for a product with
    ``grad^2_yy G(x, y^t)``, so that ``v = lam sum_Q prod_{t > Q} (I - lam grad^2_yy G(x, y^t)) grad_y F(x, y^Q)`` with
    ``lam = 1/ell`` is there when the lower level is; with "random" one ``Q`` is drawn and its term taken ``inner``
    times.

    Not compared with the paper's listing or code, neither of which we could get: written from its abstract, the
    hypergradient estimated while the lower level is solved; the local steps on both levels are those of FedNest.

    Arguments as in :class:`FedNest`; ``inner`` is also the number of factors.
    """

    def round(self, problem: SmoothBilevel, state: State, rng: Streams) -> State:
        """State after one more outer iteration."""
        server = self._server(problem, state, rng, self.inner)
        lam = 1 / self._ell(problem)
        x, y = problem.split(state.z)
        r = np.zeros_like(y)
        Q = self._stop(server, self.inner, (1,))
        for t in range(self.inner):
            server.sample()

            def asked(client: Client, z: Array, r: Array) -> tuple[Array, Array, Array]:
                s, other = client.draw(2)
                return grad_y_g(client, z, s), problem.split(client.grad_f(z, s))[1], client.product(z, r, other)[1]

            q, f_y, Hr = server.total(asked, problem.join(x, y), r)
            r = r - lam * Hr + (lam * f_y if Q is None else np.where(t == Q, lam * self.inner * f_y, 0.0))
            y = self._inn(server, x, y, q)
        x = self._out(server, x, y, r)
        return State(state.rounds + 1, problem.join(x, y), state.cost + server.cost)


def grad_y_g(client: Client, z: Array, sample: Sample) -> Array:
    """``grad_y g_i``: ``(rows, dy)``."""
    return client.problem.split(client.grad_g(z, sample))[1]


def hyper(client: Client, z: Array, v: Array, sample: Sample) -> Array:
    """``grad_x f_i - grad^2_xy g_i v``: ``(rows, dx)``."""
    return client.problem.split(client.grad_f(z, sample))[0] - client.product(z, v, sample)[0]


def local_sgd(server: Server, x: Array, y: Array, tau: int, beta: float) -> Array:
    """``tau`` local steps of size ``beta`` on ``g_i(x, .)``, averaged: ``(runs, dy)``."""
    problem = server.problem

    def local(client: Client, z: Array) -> tuple[Array]:
        x_own, start = problem.split(z)
        y_i = start
        for s in client.draw(tau):
            y_i = y_i - beta * grad_y_g(client, problem.join(x_own, y_i), s)
        return (y_i - start,)

    return problem.Y.project(y + server.total(local, problem.join(x, y))[0])
