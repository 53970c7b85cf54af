"""FedRZO with a lower level: bilevel and minimax problems (fedrzo, Algorithm 2), two-stage problems (Algorithm 4)."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import ClassVar, Protocol

import numpy as np

from rateproof.algos.methods.base import Counts
from rateproof.algos.methods.fedrzo import Directions, ExactOracle, FedRZO, Lower, LowerCost, LowerSolver, Query, State
from rateproof.algos.noise import Streams
from rateproof.algos.problems.base import Array
from rateproof.algos.problems.federated import Bilevel, Federated, TwoStage


@dataclass(frozen=True, kw_only=True)
class Prescribed:
    """Errors added to lower-level points, along one coordinate: how inexact solutions are injected.

    At the query ``x`` the error is ``at_x + at_x_along s`` and at ``x + v`` it is ``at_v + at_v_along s``, with ``s``
    the sign of the first coordinate of ``v``; both times ``(t + 1)^(-power/2)``, where ``t`` counts from 0 the rounds
    in Algorithm 2 and the local steps in Algorithm 4.

    Attributes:
        at_x, at_x_along, at_v, at_v_along: sizes, in the unit of ``y``.
        power: how fast the square of an error falls.
        axis: the coordinate.
    """

    at_x: float = 0.0
    at_x_along: float = 0.0
    at_v: float = 0.0
    at_v_along: float = 0.0
    power: float = 0.0
    axis: int = 0

    def eps(self, t: int) -> float:
        """Square of the largest error of round or step ``t``: the accuracy ``eps_t``."""
        largest = max(abs(self.at_x) + abs(self.at_x_along), abs(self.at_v) + abs(self.at_v_along))
        return float(largest**2 * (t + 1.0) ** -self.power)

    def near_x(self, y: Array, v: Array, t: int) -> Array:
        """Points ``y``, ``(..., nt)``, found at ``x``, with their errors; directions are ``(..., n)``."""
        return self._added(y, self.at_x + self.at_x_along * np.sign(v[..., 0]), t)

    def near_v(self, y: Array, v: Array, t: int) -> Array:
        """The same at ``x + v``."""
        return self._added(y, self.at_v + self.at_v_along * np.sign(v[..., 0]), t)

    def _added(self, y: Array, error: Array, t: int) -> Array:
        out = np.array(y)
        out[..., self.axis] += error * (t + 1.0) ** (-self.power / 2)
        return out


@dataclass(frozen=True, kw_only=True)
class FedRZO_bl(FedRZO):  # noqa: N801 the paper's name
    """Algorithm 2: lower-level points are found in the global step and used, delayed, in all its local steps.

    As printed the server draws one direction a round. The variants draw more, and need more lower-level solutions:
    ``1 + H`` a round for "shared step", ``1 + m`` for "client" and ``1 + m H`` for "step", where the server draws
    the directions of all clients.

    Attributes:
        solver: the method for the lower level.
        errors: added to its solutions; none unless given.
    """

    problems: ClassVar[type] = Bilevel

    directions: Directions = "round"
    solver: LowerSolver = field(default_factory=ExactOracle)
    errors: Prescribed | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.directions != "round" and self.errors is not None and self.errors.at_x_along:
            raise ValueError(
                "errors.at_x_along follows the direction of a round, of which there are several with "
                f"directions = '{self.directions}'; it should be 0"
            )

    def counts(self, problem: Federated, state: State) -> Counts:
        """Cost of one run so far, the lower level included.

        Down go ``xhat_r``, its lower-level point, and each ``xhat_r + v`` that the client uses with its own (line 5).
        """
        nt, visits = _bilevel(problem).nt, state.rounds * problem.m
        pairs = visits + (state.steps * problem.m if self._per_step else visits)
        upper, lower = super().counts(problem, state), state.lower
        return replace(
            upper,
            vectors_down=2 * pairs + lower.vectors,
            vectors_up=upper.vectors_up + lower.vectors,
            floats_down=pairs * (problem.n + nt) + lower.vectors * nt,
            floats_up=upper.floats_up + lower.vectors * nt,
        )

    @property
    def _per_step(self) -> bool:
        return self.directions in ("step", "shared step")

    def _check(self, problem: Federated) -> None:
        _bilevel(problem)

    def _lower(self, problem: Federated, query: Query, before: Lower | None, rng: Streams) -> Lower:
        """Lines 3 and 4, in the first step of a round; later steps keep its points, but for new directions."""
        problem, (runs, m) = _bilevel(problem), query.x.shape[:2]
        if before is not None and not self._per_step:
            return Lower(before.at_x, before.at_v, LowerCost())
        if before is None:
            y, cost = self.solver.solve(problem, query.start, query.r, 0, rng)
            y = y if self.errors is None else self.errors.near_x(y, query.v[:, 0], query.r)
            at_x = np.broadcast_to(y[:, None, :], (runs, m, problem.nt))
        else:
            at_x, cost = before.at_x, LowerCost()
        found = []
        drawn = m if self.directions in ("step", "client") else 1
        for i in range(drawn):
            call = 1 + i + (query.k - query.first) * drawn
            y, more = self.solver.solve(problem, query.start + query.v[:, i], query.r, call, rng)
            found.append(y if self.errors is None else self.errors.near_v(y, query.v[:, i], query.r))
            cost = cost + more
        return Lower(at_x, np.broadcast_to(np.stack(found, axis=1), (runs, m, problem.nt)), cost)

    def _rise(self, problem: Federated, query: Query, lower: Lower | None) -> Array:
        """``f~_i(x + v, y(xhat_r + v), xi) - f~_i(x, y(xhat_r), xi)`` with the points found (line 8)."""
        problem, x, v, xi = _bilevel(problem), query.x, query.v, query.xi
        assert lower is not None
        return problem.values_at(x + v, lower.at_v, xi) - problem.values_at(x, lower.at_x, xi)


class StageSolver(Protocol):
    """A method for the second stage, run by each client for each sample."""

    def solve(self, problem: TwoStage, xq: Array, xi: Array | None, k: int) -> tuple[Array, LowerCost]:
        """An approximation of ``y(xq, xi)``, ``(runs, m, nt)``, and its cost in one run.

        Args:
            problem: whose second stage it is.
            xq: queries of all clients, ``(runs, m, n)``.
            xi: their samples, ``(runs, m, q)``.
            k: local step of the upper level, from 0.
        """


@dataclass(frozen=True)
class ExactStage:
    """The second-stage solution itself."""

    def solve(self, problem: TwoStage, xq: Array, xi: Array | None, k: int) -> tuple[Array, LowerCost]:
        """``y(xq, xi)``, at no cost."""
        return problem.lower_solution(xq, xi), LowerCost()


@dataclass(frozen=True, kw_only=True)
class FedRZO_2s(FedRZO):  # noqa: N801 the paper's name
    """Algorithm 4: each client solves its second stage in each local step, at its model and at its model moved.

    Attributes:
        solver: the method for the second stage, such as :class:`rateproof.algos.methods.vi.ProjectionMethod`.
        errors: added to its solutions; none unless given.
    """

    problems: ClassVar[type] = TwoStage

    solver: StageSolver = field(default_factory=ExactStage)
    errors: Prescribed | None = None

    def _check(self, problem: Federated) -> None:
        _two_stage(problem)

    def _lower(self, problem: Federated, query: Query, before: Lower | None, rng: Streams) -> Lower:
        """Line 5: both calls have the sample of the step."""
        problem = _two_stage(problem)
        at_x, cost = self.solver.solve(problem, query.x, query.xi, query.k)
        at_v, more = self.solver.solve(problem, query.x + query.v, query.xi, query.k)
        if self.errors is not None:
            at_x = self.errors.near_x(at_x, query.v, query.k)
            at_v = self.errors.near_v(at_v, query.v, query.k)
        return Lower(at_x, at_v, cost + more)

    def _rise(self, problem: Federated, query: Query, lower: Lower | None) -> Array:
        """``f~_i(x + v, y(x + v, xi), xi) - f~_i(x, y(x, xi), xi)`` with the points found (line 6)."""
        problem, x, v, xi = _two_stage(problem), query.x, query.v, query.xi
        assert lower is not None
        return problem.values_at(x + v, lower.at_v, xi) - problem.values_at(x, lower.at_x, xi)


def _bilevel(problem: Federated) -> Bilevel:
    if not isinstance(problem, Bilevel):
        raise ValueError(
            f"problem '{problem.name}' has no lower level over clients; Algorithm 2 needs a bilevel problem"
        )
    return problem


def _two_stage(problem: Federated) -> TwoStage:
    if not isinstance(problem, TwoStage):
        raise ValueError(f"problem '{problem.name}' has no second stage; Algorithm 4 needs a two-stage problem")
    return problem
