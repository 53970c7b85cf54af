"""Sample average approximation: draw scenarios, then solve the deterministic problem that they make.

Problem: ``min (1/m) sum_i E f~_i(x, xi_i)`` over an interval. In the two-stage problem a value of ``f~_i`` solves the
second stage of one scenario, so the approximation is a mathematical program with as many equilibrium constraints as
scenarios. Here the second stages are solved out, which leaves one variable; the regularised schemes that fedrzo names
(Chen, Sun, Wets 2015) keep the constraints in a nonlinear program.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rateproof.algos.methods.base import Counts
from rateproof.algos.methods.first_order import check_positive, check_whole
from rateproof.algos.noise import Streams
from rateproof.algos.problems.base import Array
from rateproof.algos.problems.federated import Federated

_GOLDEN = (math.sqrt(5) - 1) / 2


@dataclass(frozen=True, eq=False)
class State:
    """State after ``rounds`` rounds.

    Attributes:
        x: minimiser of the average over all scenarios, ``(runs, 1)``; the initial model before the first round.
        value: that average at ``x``, ``(runs,)``; NaN before the first round.
        scenarios: of all rounds so far, ``(all, runs, m, q)``; None when losses are not random.
        rounds: rounds done.
        values: values of losses taken so far.
    """

    x: Array
    value: Array
    scenarios: Array | None
    rounds: int
    values: int


@dataclass(frozen=True, kw_only=True)
class SAA:
    """Sample average approximation for one variable.

    A round adds scenarios for every client and minimises the average over all scenarios: on a grid first, then by
    golden section between the neighbours of the best grid point. The result is never worse than the grid; it is the
    minimiser up to ``tol`` and the rounding of values if the average has one valley between these neighbours.

    Args:
        x_low, x_high: where to search; must lie in the sets of all clients.
        scenarios: per client and round.
        grid: grid points, at least 3, both ends included.
        tol: width of the last bracket beside that of the interval.

    Raises:
        ValueError: a parameter is out of range.
    """

    x_low: float
    x_high: float
    scenarios: int = 1
    grid: int = 101
    tol: float = 1e-10

    output_name: ClassVar[str] = "minimiser of the sample average"

    def __post_init__(self) -> None:
        """Check every parameter."""
        if not -math.inf < self.x_low < self.x_high < math.inf:
            raise ValueError(f"x_low is {self.x_low} and x_high is {self.x_high}; they should be finite and increase")
        check_whole(scenarios=self.scenarios)
        if not (self.grid >= 3 and self.grid % 1 == 0):
            raise ValueError(f"grid is {self.grid}; it should be a whole number, at least 3")
        check_positive(tol=self.tol)

    def init(self, problem: Federated, x0: Array, rng: Streams) -> State:
        """State before the first round.

        Raises:
            ValueError: there are several variables, or an end of the interval lies outside a set.
        """
        if problem.n != 1:
            raise ValueError(f"problem '{problem.name}' has n = {problem.n}; SAA searches along one variable")
        for name, end in (("x_low", self.x_low), ("x_high", self.x_high)):
            away = problem.sets.dist2(np.array([[end]]))[0]
            if away.max() > 0:
                raise ValueError(
                    f"{name} is {end}, outside the set of client {int(away.argmax())}; it should lie in every set"
                )
        return State(np.array(x0), np.full(len(x0), np.nan), None, 0, 0)

    def round(self, problem: Federated, state: State, rng: Streams) -> State:
        """Draw scenarios and minimise the average over all of them."""
        r, runs, m = state.rounds + 1, rng.runs, problem.m
        drawn = problem.draw(rng, r, self.scenarios)
        known = state.scenarios
        scenarios = drawn if drawn is None or known is None else np.concatenate([known, drawn])
        count = 1 if scenarios is None else len(scenarios)
        xi = None if scenarios is None else scenarios.reshape(count * runs, m, -1)
        calls = 0

        def average(x: Array) -> Array:
            nonlocal calls
            calls += 1
            points = np.broadcast_to(x[None, :, None, None], (count, runs, m, 1)).reshape(count * runs, m, 1)
            values = problem.values(points, xi).reshape(count, runs, m)
            # One row a run: its sum does not depend on how many runs there are, and rounding decides near the minimum.
            return np.asarray(values.transpose(1, 0, 2).reshape(runs, count * m).mean(axis=1))

        x, value = self._minimise(average, runs)
        return State(x[:, None], value, scenarios, r, state.values + calls * count * m)

    def output(self, state: State) -> Array:
        """The minimiser over all scenarios so far, ``(runs, 1)``."""
        return state.x

    def counts(self, problem: Federated, state: State) -> Counts:
        """Cost of one run so far: clients send their scenarios, the server does the rest."""
        random = state.scenarios is not None
        sent = state.rounds * self.scenarios * problem.m
        size = state.scenarios.shape[-1] if state.scenarios is not None else 0
        return Counts(
            rounds=state.rounds,
            vectors_down=0,
            vectors_up=sent * random,
            floats_down=0,
            floats_up=sent * size,
            samples=sent * random,
            values_f=state.values,
        )

    def _minimise(self, function: Callable[[Array], Array], runs: int) -> tuple[Array, Array]:
        """Point and value of the least value found, each ``(runs,)``."""
        grid = np.linspace(self.x_low, self.x_high, self.grid)
        values = np.stack([function(np.full(runs, point)) for point in grid])
        best = values.argmin(axis=0)
        x, value = grid[best], values.min(axis=0)
        a, b = grid[np.maximum(best - 1, 0)], grid[np.minimum(best + 1, self.grid - 1)]
        # Two inner points, so that each step reuses one of them.
        c, d = b - _GOLDEN * (b - a), a + _GOLDEN * (b - a)
        f_c, f_d = function(c), function(d)
        steps = max(0, math.ceil(math.log(self.tol * (self.grid - 1) / 2) / math.log(_GOLDEN)))
        for _ in range(steps):
            left, lower = f_c < f_d, np.minimum(f_c, f_d)
            x, value = np.where(lower < value, np.where(left, c, d), x), np.minimum(lower, value)
            a, b = np.where(left, a, c), np.where(left, d, b)
            new = np.where(left, b - _GOLDEN * (b - a), a + _GOLDEN * (b - a))
            f_new = function(new)
            c, d = np.where(left, new, d), np.where(left, c, new)
            f_c, f_d = np.where(left, f_new, f_d), np.where(left, f_c, f_new)
        return x, value
