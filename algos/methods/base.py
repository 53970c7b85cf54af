"""What every method offers to the engine, and what every run counts."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias, TypeVar, runtime_checkable

from rateproof.algos.noise import Streams
from rateproof.algos.problems.base import Array, Instance


@dataclass(frozen=True)
class Counts:
    """What one run has cost.

    Attributes:
        rounds: communication rounds.
        vectors_down, vectors_up: vectors sent from the server to clients, and back.
        floats_down, floats_up: the same in numbers.
        grad_f, grad_h: calls of the gradient oracles, summed over clients.
        samples: random samples drawn by these calls.
        values_f: calls of the oracle for values of the loss, summed over clients.
        projections: projections on the sets of clients or of the lower level.
        lower_rounds: communication rounds of the lower level; its vectors and floats are counted with the others.
        lower_calls: gradients or maps of the lower level, summed over clients.
        products: products of a Hessian of the lower level with a vector, all its blocks at once, summed over clients.
    """

    rounds: int
    vectors_down: int
    vectors_up: int
    floats_down: int
    floats_up: int
    grad_f: int = 0
    grad_h: int = 0
    samples: int = 0
    values_f: int = 0
    projections: int = 0
    lower_rounds: int = 0
    lower_calls: int = 0
    products: int = 0

    def __add__(self, other: Counts) -> Counts:
        return Counts(*(mine + its for mine, its in zip(vars(self).values(), vars(other).values(), strict=True)))


@runtime_checkable
class FastDescent(Protocol):
    """A problem that takes exact local steps on ``h_i`` with less work than gradient and update need."""

    def descend_h(self, i: int, y: Array, gamma: float, K: int) -> None:
        """``K`` times ``y -= gamma grad h_i(y)``, in place, for ``y`` of shape ``(runs, n)``."""


class State(Protocol):
    """What the engine reads of a method's state: the newest server model ``x`` of shape ``(runs, n)``."""

    @property
    def x(self) -> Array:
        """Newest server model, ``(runs, n)``."""


@dataclass(frozen=True, eq=False)
class ServerModel:
    """All that is kept of a run: the server model ``x``, ``(runs, n)``, after ``rounds`` rounds."""

    x: Array
    rounds: int


Measure: TypeAlias = Callable[[Any], Array]
"""A number per run of a method's state: ``(runs,)``."""


@runtime_checkable
class Measuring(Protocol):
    """A method with measures of its whole state, beside the metrics of the problem at a model."""

    def measures(self, problem: Any) -> Mapping[str, Measure]:
        """What can be recorded of a state, by name."""


@runtime_checkable
class Started(Protocol):
    """A method whose paper asks more of a start than that it can be computed with."""

    def misses(self, problem: Any, x0: Array) -> Iterator[str]:
        """What the start ``x0``, ``(n,)``, misses of that, a sentence each."""


S = TypeVar("S", bound=State)
P = TypeVar("P", bound=Instance, contravariant=True)


class Method(Protocol[P, S]):
    """A method: its parameters, and three functions of a problem and a state; a round is a communication round."""

    def init(self, problem: P, x0: Array, rng: Streams) -> S:
        """State before the first round, from initial models ``x0`` of shape ``(runs, n)``."""

    def round(self, problem: P, state: S, rng: Streams) -> S:
        """State after one more round."""

    def output(self, state: S) -> Array:
        """What the method returns, ``(runs, n)``; NaN where it is not defined yet."""

    def counts(self, problem: P, state: S) -> Counts:
        """Cost of one run so far."""
