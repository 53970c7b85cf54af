"""F2SA, a first-order bilevel method with a penalty that grows (Kwon et al., ICML 2023).

Problem: ``min Phi(x) = F(x, y(x))`` with the minimiser ``y(x)`` of a strongly convex lower level ``G(x, .)``, through
the Lagrangian ``F(x, y) + lambda (G(x, y) - G(x, u))`` with ``u`` near ``y(x)``: no second derivatives and no proximal
term. At the minimisers over ``y`` and ``u`` its gradient in ``x`` is that of ``Phi`` up to ``O(1/lambda)``.
"""

from __future__ import annotations

from dataclasses import dataclass
from dataclasses import replace as replaced

from rateproof.algos.arguments import nonnegative
from rateproof.algos.methods.bilevel_parts import NOTHING, BilevelMethod, Client, Server
from rateproof.algos.methods.bilevel_parts import State as ServerState
from rateproof.algos.methods.first_order import check_positive, check_whole
from rateproof.algos.noise import Streams
from rateproof.algos.problems.base import Array
from rateproof.algos.problems.smooth_bilevel import SmoothBilevel


@dataclass(frozen=True, eq=False)
class State(ServerState):
    """State after ``rounds`` rounds, with the point ``u`` that follows the lower level, ``(runs, dy)``."""

    u: Array


@dataclass(frozen=True, kw_only=True)
class F2SA(BilevelMethod):
    """F2SA (Kwon et al., ICML 2023, Algorithm 1), its gradients asked of clients.

    A round is an iteration ``k``: ``inner`` communications in which clients take ``tau`` local steps on ``u`` and ``y``
    (one as printed) and the server averages, then one for the step on ``x``. The ``z`` of the paper is ``u`` here.
    Compared with the code in benchopt, which takes the gradients of ``f`` at ``u``; here they are taken at ``y``, where
    the Lagrangian has them. Clients and more than one local step are ours.

    Args:
        alpha, gamma: stepsizes of ``y`` and of ``u``.
        xi: the stepsize of ``x`` is ``xi alpha``.
        lambda0, delta: multiplier ``lambda_k = lambda0 + k delta``.
        inner: steps on ``u`` and ``y`` of an iteration, ``T`` in print.
        tau: local steps in each of them.
        P: clients that take part in a round; all of them when left out.

    Raises:
        ValueError: a parameter is out of range.
    """

    alpha: float
    gamma: float
    xi: float = 1.0
    lambda0: float = 1.0
    delta: float = 0.0
    inner: int = 1
    tau: int = 1

    def __post_init__(self) -> None:
        """Check every parameter."""
        super().__post_init__()
        check_positive(alpha=self.alpha, gamma=self.gamma, xi=self.xi, lambda0=self.lambda0)
        check_whole("a whole number", inner=self.inner, tau=self.tau)
        nonnegative(delta=self.delta)

    def multiplier(self, k: int) -> float:
        """``lambda_k``, from ``k = 0``."""
        return self.lambda0 + k * self.delta

    def init(self, problem: SmoothBilevel, x0: Array, rng: Streams) -> State:
        """State before the first round, with ``u = y``.

        Raises:
            ValueError: ``P > m``.
        """
        self.participants(problem)
        return State(0, x0, NOTHING, problem.split(x0)[1].copy())

    def round(self, problem: SmoothBilevel, state: State, rng: Streams) -> State:
        """State after one more iteration."""
        server = Server(problem, rng, state.rounds + 1, self.participants(problem), self.inner + 1)
        lam = self.multiplier(state.rounds)
        (x, y), u = problem.split(state.z), state.u

        def followed(client: Client, z: Array, u: Array) -> tuple[Array, Array]:
            x, y = problem.split(z)
            y_start, u_start = y, u
            samples = client.draw(2 * self.tau)
            for for_u, for_y in zip(samples[::2], samples[1::2], strict=True):
                z = problem.join(x, y)
                g_u = problem.split(client.grad_g(problem.join(x, u), for_u))[1]
                g_y = problem.split(client.grad_f(z, for_y) + lam * client.grad_g(z, for_y))[1]
                u, y = u - self.gamma * g_u, y - self.alpha * g_y
            return u - u_start, y - y_start

        def in_x(client: Client, z: Array, u: Array) -> tuple[Array]:
            for_z, for_u = client.draw(2)
            at_u = client.grad_g(problem.join(problem.split(z)[0], u), for_u)
            return (problem.split(client.grad_f(z, for_z) + lam * (client.grad_g(z, for_z) - at_u))[0],)

        for _ in range(self.inner):
            server.sample()
            du, dy = server.total(followed, problem.join(x, y), u)
            u, y = problem.Y.project(u + du), problem.Y.project(y + dy)
        server.sample()
        x = problem.X.project(x - self.xi * self.alpha * server.total(in_x, problem.join(x, y), u)[0])
        return replaced(state, rounds=state.rounds + 1, z=problem.join(x, y), u=u, cost=state.cost + server.cost)
