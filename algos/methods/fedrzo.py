"""FedRZO: randomised zeroth-order, locally projected federated averaging (fedrzo, Algorithms 1, 2 and 4).

One local step of client ``i`` takes two values of its loss in a random direction of length ``eta`` and one projection:

    g = (n/eta^2) (f~_i(x + v, xi) - f~_i(x, xi)) v,    x <- x - gamma (g + (x - P_{X_i}(x))/eta)

The three algorithms differ in where directions are drawn and in how the lower-level solution inside ``f~_i`` is found:
Algorithms 2 and 4 are in :mod:`rateproof.algos.methods.fedrzo_lower`. With ``H = 1`` they are the centralised template
(Meta-ZO); with one client and a penalty in place of the projection, a step of ZSOL.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from numbers import Integral
from typing import ClassVar, Literal, Protocol

import numpy as np

from rateproof.algos.arguments import shown
from rateproof.algos.methods.base import Counts
from rateproof.algos.methods.first_order import check_positive, check_whole
from rateproof.algos.noise import Ints, Streams
from rateproof.algos.problems.base import Array
from rateproof.algos.problems.federated import Bilevel, Federated

Directions = Literal["step", "client", "shared step", "round"]
"""Who draws a direction: each client a step; each client a round; the server a step; the server a round."""
#: Radii from here to its inverse have squares that are ordinary numbers.
SMALLEST = 1e-150
#: Numbers of one round that are in memory at a time.
MOST_DRAWN = 500_000_000
DIRECTIONS: tuple[Directions, ...] = ("step", "client", "shared step", "round")


@dataclass(frozen=True)
class LowerCost:
    """Cost of a lower level in one run, summed over clients.

    Attributes:
        rounds: communication rounds.
        vectors: vectors of length ``nt`` sent each way.
        calls: gradients or maps.
        projections: projections on lower-level sets.
    """

    rounds: int = 0
    vectors: int = 0
    calls: int = 0
    projections: int = 0

    def __add__(self, other: LowerCost) -> LowerCost:
        return LowerCost(
            self.rounds + other.rounds,
            self.vectors + other.vectors,
            self.calls + other.calls,
            self.projections + other.projections,
        )


@dataclass(frozen=True, eq=False)
class Lower:
    """Lower-level points used at ``x`` and at ``x + v``, each ``(runs, m, nt)``; the cost that the step has added."""

    at_x: Array
    at_v: Array
    cost: LowerCost


@dataclass(frozen=True, eq=False)
class Query:
    """Where a local step asks for losses; shapes as in :class:`Federated`.

    Attributes:
        r: number of the round, from 0.
        k: number of the step, from 0.
        first: number ``T_r`` of the first step of the round.
        start: the model ``xhat_r`` that the round began with, ``(runs, n)``.
        x: models of the clients.
        v: directions, of length ``eta``.
        xi: samples; None when losses are not random.
    """

    r: int
    k: int
    first: int
    start: Array
    x: Array
    v: Array
    xi: Array | None


@dataclass(frozen=True, eq=False)
class LocalStep(Query):
    """Everything that happens in a local step, before the models move.

    Attributes:
        g: the estimates, ``(runs, m, n)``.
        penalty: ``(x - P_{X_i}(x))/eta``, ``(runs, m, n)``.
        lower: lower-level points; None where there are none.
    """

    g: Array
    penalty: Array
    lower: Lower | None


@dataclass(frozen=True, eq=False)
class State:
    """Server model after ``rounds`` rounds, and the output drawn so far.

    Attributes:
        x: server model ``xhat_r``, ``(runs, n)``.
        rounds, steps: rounds and local steps done.
        drawn: ``xbar_{k*}`` with ``k*`` uniform over the iterates seen, ``(runs, n)``.
        lower: what the lower level has cost.
    """

    x: Array
    rounds: int
    steps: int
    drawn: Array
    lower: LowerCost


class LowerSolver(Protocol):
    """A federated method for the lower level of a bilevel problem."""

    def solve(self, problem: Bilevel, x: Array, r: int, call: int, rng: Streams) -> tuple[Array, LowerCost]:
        """An approximation of ``y(x)``, ``(runs, nt)``, and its cost.

        Args:
            problem: whose lower level it is.
            x: queries, ``(runs, n)``.
            r: upper-level round, from 0.
            call: 0 for the query ``xhat_r``, from 1 on for ``xhat_r + v``: calls have independent random numbers.
            rng: random numbers.
        """


@dataclass(frozen=True)
class ExactOracle:
    """The lower-level solution itself."""

    def solve(self, problem: Bilevel, x: Array, r: int, call: int, rng: Streams) -> tuple[Array, LowerCost]:
        """``y(x)``, at no cost."""
        return problem.lower_solution(x), LowerCost()


@dataclass(frozen=True, kw_only=True)
class FedRZO:
    """Algorithm 1 (FedRZO_nn), and what the three algorithms share.

    Attributes:
        gamma: stepsize.
        eta: smoothing radius.
        H: local steps of a round.
        T: communication times ``T_1 < T_2 < ...`` in place of rounds of equal length; ``H`` bounds their distances.
        directions: who draws a direction; as printed unless said.
    """

    gamma: float
    eta: float
    H: int = 1
    T: tuple[int, ...] | None = None
    directions: Directions = "step"

    output_name: ClassVar[str] = "uniformly drawn iterate"
    problems: ClassVar[type] = Federated

    def __post_init__(self) -> None:
        check_positive(gamma=self.gamma, eta=self.eta)
        if not SMALLEST <= self.eta <= 1 / SMALLEST:
            raise ValueError(
                f"eta is {self.eta}; it should be from {SMALLEST:g} to {1 / SMALLEST:g}, since steps divide by eta^2"
            )
        check_whole("a whole number of local steps", H=self.H)
        if self.directions not in DIRECTIONS:
            raise ValueError(f"directions is '{self.directions}'; it should be one of {', '.join(DIRECTIONS)}")
        if self.T is not None:
            if not isinstance(self.T, Sequence) or not self.T or any(not isinstance(t, Integral) for t in self.T):
                raise ValueError(f"T is {shown(self.T)}; it should hold whole numbers, such as (2, 5, 6)")
            object.__setattr__(self, "T", tuple(self.T))
            for before, after in pairwise((0, *self.T)):
                if not before < after <= before + self.H:
                    raise ValueError(
                        f"T has {before} followed by {after}; communication times should increase by 1 to H = {self.H}"
                    )

    def steps_of(self, r: int) -> int:
        """Local steps of round ``r``, from 1.

        Raises:
            ValueError: ``T`` ends before this round.
        """
        if self.T is None:
            return self.H
        if r > len(self.T):
            raise ValueError(f"T gives {len(self.T)} rounds; round {r} needs one more time")
        return self.T[r - 1] - (self.T[r - 2] if r > 1 else 0)

    def init(self, problem: Federated, x0: Array, rng: Streams) -> State:
        """State before the first round, from initial models ``x0`` of shape ``(runs, n)``.

        Raises:
            ValueError: the problem is of another class, or what a round draws does not fit in memory.
        """
        self._check(problem)
        longest = self.H if self.T is None else max(after - before for before, after in pairwise((0, *self.T)))
        if (drawn := longest * problem.m * problem.n) > MOST_DRAWN:
            raise ValueError(
                f"H = {longest} steps of m = {problem.m} clients in n = {problem.n} dimensions draw {drawn} numbers "
                f"a round; that should be at most {MOST_DRAWN}"
            )
        return State(np.array(x0), 0, 0, np.array(x0), LowerCost())

    def round(
        self, problem: Federated, state: State, rng: Streams, watch: Callable[[LocalStep], object] | None = None
    ) -> State:
        """One communication round; ``watch`` is called with each of its local steps."""
        r = state.rounds + 1
        pick = rng.uniforms("output", r, 0, self.steps_of(r), 1, _all(rng))[..., 0]
        drawn, cost, k = state.drawn.copy(), state.lower, state.steps
        for step in self.local_steps(problem, state, rng):
            # k* is uniform over 0..k for every k when iterate k takes the place of the one drawn with chance 1/(k + 1)
            chosen = pick[k - state.steps] * (k + 1) < 1
            drawn[chosen] = step.x[chosen].mean(axis=1)
            if step.lower is not None:
                cost = cost + step.lower.cost
            if watch is not None:
                watch(step)
            k += 1
        x = self.moved(step).mean(axis=1)  # line 9: the server averages
        return State(x, r, k, drawn, cost)

    def local_steps(self, problem: Federated, state: State, rng: Streams) -> Iterator[LocalStep]:
        """The local steps of the next round, all clients and runs at once (Algorithm 1, lines 3 to 8)."""
        r = state.rounds + 1
        count = self.steps_of(r)
        directions, samples = self._directions(problem, rng, r, count), problem.draw(rng, r, count)  # line 5
        x = np.repeat(state.x[:, None, :], problem.m, axis=1)  # line 3: the server broadcasts its model
        lower: Lower | None = None
        for j in range(count):  # line 4
            xi = None if samples is None else samples[j]
            query = Query(r - 1, state.steps + j, state.steps, state.x, x, directions[j], xi)
            lower = self._lower(problem, query, lower, rng)
            g = (problem.n / self.eta**2 * self._rise(problem, query, lower))[..., None] * query.v  # line 6
            step = LocalStep(**vars(query), g=g, penalty=(x - problem.sets.project(x)) / self.eta, lower=lower)
            yield step
            if j < count - 1:
                x = self.moved(step)

    def moved(self, step: LocalStep) -> Array:
        """Models of the clients after a local step, before averaging: ``(runs, m, n)`` (line 7)."""
        move = step.g + step.penalty
        move *= -self.gamma
        move += step.x
        return move

    def misses(self, problem: Federated, x0: Array) -> Iterator[str]:
        """Algorithms 1, 2 and 4 start in X: says so where ``x0`` is not."""
        far = float(np.sqrt(problem.sets.dist2(x0[None]).max()))
        if far > 1e-9 * max(1.0, float(np.linalg.norm(x0))):
            yield f"x0 is not in X, it is {far:.4g} away from the set of a client; the paper's algorithm starts in X"

    def output(self, state: State) -> Array:
        """``xbar_{k*}`` with ``k*`` uniform over the iterates so far, ``(runs, n)`` (fedrzo, Proposition 1)."""
        return state.drawn

    def stationarity(self, problem: Federated, x: Array) -> Array:
        """``||grad F_eta(x)||^2``, what the theorems bound: ``(runs, n) -> (runs,)``.

        Raises:
            ValueError: no exact smoothing of the problem is known.
        """
        return np.asarray(np.sum(problem.smoothed(self.eta).grad_F(x) ** 2, axis=-1))

    def counts(self, problem: Federated, state: State) -> Counts:
        """Cost of one run so far; a lower level adds to it."""
        visits, steps, lower = state.rounds * problem.m, state.steps * problem.m, state.lower
        return Counts(
            rounds=state.rounds,
            vectors_down=visits,
            vectors_up=visits,
            floats_down=visits * problem.n,
            floats_up=visits * problem.n,
            values_f=2 * steps,
            projections=steps + lower.projections,
            samples=steps,
            lower_rounds=lower.rounds,
            lower_calls=lower.calls,
        )

    def _check(self, problem: Federated) -> None:
        """Refuse a problem of another class."""

    def _directions(self, problem: Federated, rng: Streams, r: int, count: int) -> Array:
        """Directions of length ``eta`` for the local steps of a round, ``(count, runs, m, n)``."""
        rows, m, n = _all(rng), problem.m, problem.n
        steps = count if self.directions in ("step", "shared step") else 1
        drawn = [rng.directions(r, i, steps, n, rows) for i in range(m if self.directions in ("step", "client") else 1)]
        v = np.stack(drawn, axis=2)
        v *= self.eta
        return np.broadcast_to(v, (count, len(rows), m, n))

    def _lower(self, problem: Federated, query: Query, before: Lower | None, rng: Streams) -> Lower | None:
        """Lower-level points of a local step; ``before`` are those of the step before in its round."""
        return None

    def _rise(self, problem: Federated, query: Query, lower: Lower | None) -> Array:
        """``f~_i(x + v, xi) - f~_i(x, xi)``: ``(runs, m)``."""
        return problem.values(query.x + query.v, query.xi) - problem.values(query.x, query.xi)


def _all(rng: Streams) -> Ints:
    return np.arange(rng.runs)
