"""What first-order methods share: stochastic gradients of ``h_i`` at the steps of a client visit, and checks."""

from __future__ import annotations

import math
from numbers import Integral, Real

from rateproof.algos.arguments import shown
from rateproof.algos.noise import Ints, MiniBatch, NoNoise, Streams
from rateproof.algos.problems.base import Array, Problem

#: No count may be larger: no machine could go so far.
MOST = 10**9


class Gradients:
    """Stochastic gradients of ``h_i`` at ``K`` steps of one client visit, drawn before the first.

    The draws are those of FedAvg: methods with the same steps give the same models, path by path.

    Args:
        problem: what is solved.
        rng: random numbers of this batch of runs.
        r: number of the round, from 1.
        i: client.
        K: steps.
        rows: increasing indices of the runs that take part.
        key: number that keys the draws, ``i`` unless said; keys that differ give independent draws.
    """

    def __init__(
        self, problem: Problem, rng: Streams, r: int, i: int, K: int, rows: Ints, *, key: int | None = None
    ) -> None:
        law, key = problem.noise, i if key is None else key
        drawn = law.draw(rng, r, key, K, rows, problem.n)
        self._noise = None if drawn is None else drawn[1]
        self._rows = law.draw_rows(rng, r, key, K, rows, problem.samples(i)) if isinstance(law, MiniBatch) else None
        self._problem, self._i = problem, i

    def at(self, y: Array, k: int = 0) -> Array:
        """The gradient of step ``k`` at ``y``: ``(len(rows), n) -> (len(rows), n)``."""
        if self._rows is None:
            g = self._problem.grad_h(self._i, y)
        else:
            g = self._problem.sampled_grad_h(self._i, y, self._rows[k])
        return g if self._noise is None else g + self._noise[k]


def samples_of(problem: Problem, gradients: int) -> int:
    """Random samples that so many stochastic gradients of ``h_i`` draw."""
    if isinstance(problem.noise, MiniBatch):
        return gradients * problem.noise.batch_size
    return 0 if isinstance(problem.noise, NoNoise) else gradients


def check_positive(**values: float) -> None:
    """Refuse what is not a positive number.

    Raises:
        ValueError: names the parameter.
    """
    for name, value in values.items():
        if isinstance(value, bool) or not isinstance(value, Real) or not 0 < value < math.inf:
            raise ValueError(f"{name} is {shown(value)}; it should be a positive number")


def check_share(**values: float) -> None:
    """Refuse what is not in ``(0, 1]``.

    Raises:
        ValueError: names the parameter.
    """
    for name, value in values.items():
        if isinstance(value, bool) or not (isinstance(value, Real) and 0 < value <= 1):
            raise ValueError(f"{name} is {shown(value)}; it should be in (0, 1]")


def check_whole(what: str = "a whole number", **values: int) -> None:
    """Refuse what is not a whole number from 1 to :data:`MOST`, of an integer type.

    Raises:
        ValueError: names the parameter; ``what`` says what it counts.
    """
    for name, value in values.items():
        if isinstance(value, Real) and not isinstance(value, Integral) and value % 1 == 0:
            raise ValueError(f"{name} is {shown(value)}, a float; it should be {what}, an int")
        if isinstance(value, bool) or not isinstance(value, Integral) or value < 1:
            raise ValueError(f"{name} is {shown(value)}; it should be {what}, at least 1")
        if value > MOST:
            raise ValueError(f"{name} is {value}; it should be {what}, at most {MOST}")


def check_sampled(S: int, N: int) -> None:
    """Refuse to sample more clients than there are.

    Raises:
        ValueError: ``S > N``.
    """
    if S > N:
        raise ValueError(f"S is {S}; it should be at most {N}, the number of clients")
