"""What federated bilevel methods are made of: clients with oracles, communications that are counted, shared estimates.

A method's round asks a :class:`Server` for sums over the sampled clients; what a client computes is a function of a
:class:`Client` and of the models that it was sent.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, ClassVar, TypeAlias

import numpy as np

from rateproof.algos.methods.base import Counts
from rateproof.algos.methods.first_order import check_whole
from rateproof.algos.noise import Ints, MiniBatch, NoNoise, Streams
from rateproof.algos.problems.base import Array
from rateproof.algos.problems.smooth_bilevel import Sample, SmoothBilevel, data_rows, noisy

NEWEST = "newest server model"
NOTHING = Counts(0, 0, 0, 0, 0)


class Client:
    """Client ``i`` in one communication, for the runs that sampled it; every call of an oracle is counted.

    Attributes:
        problem: whose client it is.
        i: its number.
        rows: increasing indices of the runs.
    """

    def __init__(self, server: Server, i: int, rows: Ints) -> None:
        self.problem, self.i, self.rows, self._server = server.problem, i, rows, server

    def own(self, values: Any) -> Any:
        """The rows of an array ``(runs, ...)`` that belong to its runs."""
        return values if len(self.rows) == self._server.rng.runs else values[self.rows]

    def draw(self, steps: int) -> list[Sample]:
        """Independent samples for ``steps`` stochastic gradients of both levels; one call a communication."""
        server, law = self._server, self.problem.noise
        if not isinstance(law, NoNoise):
            self.count(samples=2 * steps * (law.batch_size if isinstance(law, MiniBatch) else 1))
        return self.problem.draw(server.rng, server.key, self.i, steps, self.rows)

    def grad_f(self, z: Array, sample: Sample) -> Array:
        """``grad f_i(z; xi)``: ``(rows, n)``."""
        self.count(grad_f=1)
        return noisy(self.problem.gradient_f, self.i, z, sample.xi)

    def grad_g(self, z: Array, sample: Sample) -> Array:
        """``grad g_i(z; zeta)``: ``(rows, n)``."""
        self.count(grad_h=1)
        return noisy(self.problem.gradient_g, self.i, z, sample.zeta)

    def product(self, z: Array, v: Array, sample: Sample) -> tuple[Array, Array]:
        """``grad^2_xy g_i(z; zeta) v`` and ``grad^2_yy g_i(z; zeta) v``: ``(rows, dx)``, ``(rows, dy)``."""
        self.count(products=1)
        return self.problem.split(self.problem.product_g(self.i, z, v, data_rows(sample.zeta)))

    def count(self, **calls: int) -> None:
        """Count calls of oracles by kind."""
        for kind, number in calls.items():
            self._server.tally[kind] = self._server.tally.get(kind, 0) + number * len(self.rows)


Local: TypeAlias = Callable[..., tuple[Array, ...]]
"""What a client does: from a :class:`Client` and its rows of the models that were sent to what it sends back."""


class Server:
    """The communications of one round.

    Args:
        problem: what is solved.
        rng: random numbers of this batch of runs.
        r: number of the round, from 1.
        P: clients that take part.
        most: communications of a round at most.
        central: nothing is communicated, since the participants are parts of one machine's loss.

    Attributes:
        key: number of the newest communication, which keys its random numbers.
        tally: calls of oracles, summed over runs and clients.
    """

    def __init__(
        self, problem: SmoothBilevel, rng: Streams, r: int, P: int, most: int = 1, *, central: bool = False
    ) -> None:
        self.problem, self.rng, self.P, self.central = problem, rng, P, central
        self.key = (r - 1) * most
        self.tally: dict[str, int] = {}
        self._talks = self._down = self._up = self._vectors_down = self._vectors_up = 0
        self.sampled = rng.sample_clients(self.key + 1, problem.m, P)

    def sample(self) -> None:
        """Draw the participants anew, for the communications to come."""
        self.sampled = self.rng.sample_clients(self.key + 1, self.problem.m, self.P)

    def below(self, N: int, *shape: int) -> Ints:
        """Uniform numbers in ``0 .. N - 1`` for each run, ``(runs, *shape)``."""
        runs = np.arange(self.rng.runs)
        drawn: Ints = self.rng.integers("output", self.key + 1, 0, 1, math.prod(shape), runs, N)[0].reshape(-1, *shape)
        return drawn

    def total(self, local: Local, *models: Array) -> tuple[Array, ...]:
        """Send models ``(runs, d)`` to the participants and add up ``(m w_i / P)`` times what they send back.

        The sum has the mean ``sum_i w_i local_i`` over the samples of clients.
        """
        self.key += 1
        totals: tuple[Array, ...] = ()
        for i in range(self.problem.m):
            rows = np.flatnonzero(self.sampled[:, i])
            if not len(rows):
                continue
            client = Client(self, i, rows)
            sent = local(client, *map(client.own, models))
            if not totals:
                totals = tuple(np.zeros((self.rng.runs, *part.shape[1:])) for part in sent)
            weight = self.problem.m * self.problem.weights[i] / self.P
            for total, part in zip(totals, sent, strict=True):
                total[rows] += weight * part
        return self._talked(models, totals)

    @property
    def shares(self) -> Array:
        """The weights ``m w_i / P`` of those that take part, ``(runs, m)``."""
        return np.asarray(self.sampled * (self.problem.m * self.problem.weights / self.P))

    def at_once(self, all_clients: Callable[..., tuple[Array, ...]], *models: Array, **calls: int) -> tuple[Array, ...]:
        """As :meth:`total`, which is computed for all clients at once.

        Args:
            all_clients: from the models to the total.
            models: to send.
            calls: of oracles by kind, as each participant would make them.
        """
        self.key += 1
        totals = all_clients(*models)
        for kind, number in calls.items():
            self.tally[kind] = self.tally.get(kind, 0) + number * self.P * self.rng.runs
        return self._talked(models, totals)

    def _talked(self, models: tuple[Array, ...], totals: tuple[Array, ...]) -> tuple[Array, ...]:
        """Count a communication."""
        self._talks += 1
        self._vectors_down += len(models)
        self._vectors_up += len(totals)
        self._down += sum(model[0].size for model in models)
        self._up += sum(total[0].size for total in totals)
        return totals

    def each(self, local: Local, *models: Array) -> tuple[Array, ...]:
        """Send the participants, seated at random, the models ``(runs, P, d)`` of their seats.

        What they send back stands in their seats, times ``m w_i``: the mean over the seats is what :meth:`total` gives,
        and each seat has the mean ``sum_i w_i local_i``.
        """
        runs = np.arange(self.rng.runs)
        drawn = self.rng.uniforms("output", self.key + 1, 1, 1, self.P, runs)[0].argsort(axis=1)
        seats = np.full(self.sampled.shape, -1)
        seats[self.sampled] = drawn.ravel()
        out: tuple[Array, ...] = ()

        def seated(client: Client) -> tuple[Array, ...]:
            nonlocal out
            at = (client.rows, seats[client.rows, client.i])
            sent = local(client, *(model[at] for model in models))
            out = out or tuple(np.zeros((len(runs), self.P, part.shape[1])) for part in sent)
            for all_seats, part in zip(out, sent, strict=True):
                all_seats[at] = self.problem.m * self.problem.weights[client.i] * part
            return sent

        self.total(seated)
        self._vectors_down += len(models)
        self._down += sum(model.shape[-1] for model in models)
        return out

    @property
    def cost(self) -> Counts:
        """Cost of the round so far for one run; of calls that differ by run, the mean."""
        calls = replace(NOTHING, **{kind: round(count / self.rng.runs) for kind, count in self.tally.items()})
        sent = (self.P * k for k in (self._vectors_down, self._vectors_up, self._down, self._up))
        if self.central:
            return calls + Counts(1, 0, 0, 0, 0)
        rounds = min(self._talks, 1)
        return replace(calls + Counts(rounds, *sent), lower_rounds=self._talks - rounds)


@dataclass(frozen=True, eq=False)
class State:
    """State after ``rounds`` rounds.

    Attributes:
        rounds: rounds done.
        z: server model ``(x, y)``, ``(runs, n)``.
        cost: of one run.
    """

    rounds: int
    z: Array
    cost: Counts

    @property
    def x(self) -> Array:
        """Newest server model, ``(runs, n)``."""
        return self.z


@dataclass(frozen=True, kw_only=True)
class BilevelMethod:
    """What federated bilevel methods share.

    Args:
        P: clients sampled per round, uniformly without replacement; all of them when left out.
    """

    P: int | None = None

    output_name: ClassVar[str] = NEWEST

    def __post_init__(self) -> None:
        if self.P is not None:
            check_whole("a whole number of clients", P=self.P)

    def participants(self, problem: SmoothBilevel) -> int:
        """Number of clients that take part in a round.

        Raises:
            ValueError: there are not as many.
        """
        if self.P is not None and problem.m < self.P:
            raise ValueError(f"P is {self.P}; it should be at most {problem.m}, the number of clients")
        return problem.m if self.P is None else int(self.P)

    def output(self, state: State) -> Array:
        """The newest server model, ``(runs, n)``: no rule of selection is prescribed."""
        return state.z

    def counts(self, problem: SmoothBilevel, state: State) -> Counts:
        """Cost of one run so far; ``rounds`` are those of the method, further communications ``lower_rounds``.

        A model ``(x, y)`` counts as one vector.
        """
        return state.cost


def neumann(first: Array, hessian: Callable[[Array], Array], terms: int, ell: float, stop: Ints | None = None) -> Array:
    """``(1/ell) sum_{n < terms} (I - H/ell)^n first``, which tends to ``H^-1 first`` where ``0 < H < 2 ell``.

    Args:
        first: ``(..., d)``.
        hessian: a product with ``H``, which may be estimated anew at each call.
        terms: of the series.
        ell: at least the largest eigenvalue of ``H``.
        stop: uniform numbers in ``0 .. terms - 1``, ``(...)``: the one term ``(terms/ell) (I - H/ell)^stop first``
            instead, which is the sum in the mean.
    """
    p, total = first, first.copy()
    for n in range(1, terms):
        moved = p - hessian(p) / ell
        p = moved if stop is None else np.where((n <= stop)[..., None], moved, p)
        total = total + p
    return total / ell if stop is None else terms / ell * p
