"""FedRZO: randomised zeroth-order, locally projected federated averaging (fedrzo, Algorithms 1, 2 and 4).

One local step of client ``i`` takes two values of its loss in a random direction of length ``eta`` and one projection:

    g = (n/eta^2) (f~_i(x + v, xi) - f~_i(x, xi)) v,    x <- x - gamma (g + (x - P_{X_i}(x))/eta)

The three algorithms differ in where directions are drawn and in how the lower-level solution inside ``f~_i`` is found.
With ``H = 1`` they are the centralised template (Meta-ZO); with ``H = 1`` and one client a step of ZSOL with a penalty.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from typing import ClassVar, Literal, Protocol

import numpy as np

from algos.methods.base import Counts
from algos.noise import Ints, Streams
from algos.problems.base import Array
from algos.problems.federated import Bilevel, Federated, TwoStage

Directions = Literal["step", "client", "shared step", "round"]
"""Who draws a direction: each client in each step; each client once a round; the server in each step; the server once a round."""
DIRECTIONS: tuple[Directions, ...] = ("step", "client", "shared step", "round")


@dataclass(frozen=True)
class LowerCost:
    """Cost of a lower level: its rounds, vectors each way, calls of gradients or maps, and projections."""

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
    """Lower-level points used at ``x`` and at ``x + v``, each ``(runs, m, nt)``, and what finding them has cost."""

    at_x: Array
    at_v: Array
    cost: LowerCost


@dataclass(frozen=True, eq=False)
class LocalStep:
    """Everything that happens in local step ``k``, before the models move; shapes as in :class:`Federated`.

    Attributes:
        k: number of the step, from 0.
        first: number ``T_r`` of the first step of its round.
        start: the model ``xhat_r`` that the round began with, ``(runs, n)``.
        x: models of the clients.
        v: directions, of length ``eta``.
        xi: samples; None when losses are not random.
        g: the estimates.
        penalty: ``(x - P_{X_i}(x))/eta``.
        lower: lower-level points; None where there are none.
    """

    k: int
    first: int
    start: Array
    x: Array
    v: Array
    xi: Array | None
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
            call: 0 for the query ``xhat_r``, 1 for ``xhat_r + v``: their random numbers are independent.
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
    """What the three algorithms share; Algorithm 1 as it stands (FedRZO_nn).

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

    def __post_init__(self) -> None:
        for name in ("gamma", "eta"):
            value = getattr(self, name)
            if not 0 < value < math.inf:
                raise ValueError(f"{name} is {value}; it should be a positive number")
        if self.H != int(self.H) or self.H < 1:
            raise ValueError(f"H is {self.H}; it should be a whole number of local steps, at least 1")
        if self.directions not in DIRECTIONS:
            raise ValueError(f"directions is '{self.directions}'; it should be one of {', '.join(DIRECTIONS)}")
        if self.T is not None:
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
        """State before the first round, from initial models ``x0`` of shape ``(runs, n)``."""
        self._check(problem)
        return State(np.array(x0), 0, 0, np.array(x0), LowerCost())

    def round(self, problem: Federated, state: State, rng: Streams) -> State:
        """One communication round."""
        r = state.rounds + 1
        pick = rng.uniforms("output", r, 0, self.steps_of(r), 1, _all(rng))
        x, drawn, cost, steps = state.x, state.drawn, state.lower, state.steps
        for j, step in enumerate(self.local_steps(problem, state, rng)):
            # k* is uniform over 0..k for every k when iterate k takes the place of the one drawn with chance 1/(k+1)
            drawn = np.where(pick[j] * (step.k + 1) < 1, step.x.mean(axis=1), drawn)
            x = self.moved(step).mean(axis=1)
            steps += 1
            if step.lower is not None:
                cost = cost + step.lower.cost
        return State(x, r, steps, drawn, cost)

    def local_steps(self, problem: Federated, state: State, rng: Streams) -> Iterator[LocalStep]:
        """The local steps of the next round, all clients and runs at once."""
        r = state.rounds + 1
        count = self.steps_of(r)
        units = self._units(problem, rng, r, count)
        samples = problem.draw(rng, r, count)
        x = np.repeat(state.x[:, None, :], problem.m, axis=1)
        shared: Lower | None = None
        for j in range(count):
            k = state.steps + j
            v = self.eta * units[j]
            xi = None if samples is None else samples[j]
            lower = self._lower(problem, state, x, v, xi, k, j, shared, rng)
            shared = shared or lower
            g = problem.n / self.eta**2 * self._rise(problem, x, v, xi, lower)[..., None] * v
            penalty = (x - problem.sets.project(x)) / self.eta
            step = LocalStep(k, state.steps, state.x, x, v, xi, g, penalty, lower)
            yield step
            x = self.moved(step)

    def moved(self, step: LocalStep) -> Array:
        """Models of the clients after a local step, before averaging: ``(runs, m, n)``."""
        return step.x - self.gamma * (step.g + step.penalty)

    def output(self, state: State) -> Array:
        """``xbar_{k*}`` with ``k*`` uniform over the iterates so far, ``(runs, n)`` (fedrzo, Proposition 1)."""
        return state.drawn

    def counts(self, problem: Federated, state: State) -> Counts:
        """Cost of one run so far."""
        visits, steps = state.rounds * problem.m, state.steps * problem.m
        return Counts(
            rounds=state.rounds,
            vectors_down=visits,
            vectors_up=visits,
            floats_down=visits * problem.n,
            floats_up=visits * problem.n,
            values_f=2 * steps,
            projections=steps,
            samples=steps,
        )

    def _check(self, problem: Federated) -> None:
        """Refuse a problem of another class."""

    def _units(self, problem: Federated, rng: Streams, r: int, count: int) -> Array:
        """Directions of length 1 for the local steps of a round, ``(count, runs, m, n)``."""
        rows, m, n = _all(rng), problem.m, problem.n
        per_step = self.directions in ("step", "shared step")
        own = self.directions in ("step", "client")
        drawn = [rng.directions(r, i, count if per_step else 1, n, rows) for i in range(m if own else 1)]
        return np.broadcast_to(np.stack(drawn, axis=2), (count, len(rows), m, n))

    def _lower(
        self,
        problem: Federated,
        state: State,
        x: Array,
        v: Array,
        xi: Array | None,
        k: int,
        j: int,
        shared: Lower | None,
        rng: Streams,
    ) -> Lower | None:
        """Lower-level points of local step ``k``, the ``j``-th of its round; ``shared`` are those of its first step."""
        return None

    def _rise(self, problem: Federated, x: Array, v: Array, xi: Array | None, lower: Lower | None) -> Array:
        """``f~_i(x + v, xi) - f~_i(x, xi)``: ``(runs, m)``."""
        return problem.values(x + v, xi) - problem.values(x, xi)


def _all(rng: Streams) -> Ints:
    return np.arange(rng.runs)
