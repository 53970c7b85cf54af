"""Every outcome of a round at once: subsets of clients and signs of two-point noise, one outcome a run.

A method takes many runs through a round together. Here run ``r`` meets outcome ``r`` of all the equally likely ones, so
that a mean over the runs is an exact expectation, for any problem and any method that communicates once a round, or in
the communications that are listed.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from itertools import accumulate, combinations

import numpy as np
from numpy.typing import NDArray

from rateproof.algos.noise import Array, Ints, NoNoise, Stream, Streams, TwoPoint
from rateproof.algos.problems.smooth_bilevel import SmoothBilevel

#: Largest number of outcomes that is taken at once.
LIMIT = 2**20


class Outcomes(Streams):
    """Random numbers of one communication in which each of its ``runs`` runs has an outcome of its own.

    Args:
        m, P: clients, and how many of them take part.
        signs: how many signs a participant draws from each stream; streams that are not named have no noise.

    Attributes:
        runs: number of outcomes, ``C(m, P) 2^(P signs)``.

    Raises:
        ValueError: ``P > m``, or too many outcomes.
    """

    def __init__(self, m: int, P: int, signs: Mapping[Stream, int]) -> None:
        if not 1 <= P <= m:
            raise ValueError(f"P is {P}; it should be from 1 to the number of clients, {m}")
        self._count: dict[Stream, int] = {stream: count for stream, count in signs.items() if count}
        self._first = dict(zip(self._count, accumulate(self._count.values(), initial=0), strict=False))
        self._per_visit = sum(self._count.values())
        runs = math.comb(m, P) * 2 ** (P * self._per_visit)
        if runs > LIMIT:
            raise ValueError(f"there are {runs} outcomes; there should be at most {LIMIT}: fewer clients or steps")
        super().__init__(0, 0, runs)
        self._subsets = np.zeros((math.comb(m, P), m), dtype=bool)
        np.put_along_axis(self._subsets, np.array(list(combinations(range(m), P))), True, axis=1)
        self._used: int | None = None

    def sample_clients(self, round: int, N: int, S: int) -> NDArray[np.bool_]:
        """The subset of each run: mask ``(runs, N)``.

        Raises:
            ValueError: other numbers of clients than these outcomes are for.
        """
        self._check_clients(N, S)
        return self._subset(np.arange(self.runs))

    def signs(self, stream: Stream, round: int, client: int, K: int, n: int, rows: Ints) -> Array:
        """The signs of each run, ``(K, len(rows), n)``; 1 at a level without noise, where they do not matter.

        Raises:
            ValueError: more signs, or signs of more rounds, than these outcomes are for.
        """
        count = self._count.get(stream, K * n)
        if self._used not in (None, round) or count != K * n:
            raise ValueError(f"these outcomes are for {count} signs of each client in one communication")
        self._used = round
        return self.drawn(stream, client, K, n, rows)

    def drawn(self, stream: Stream, client: int, K: int, n: int, outcomes: Ints) -> Array:
        """The signs of outcomes, by number, ``(K, len(outcomes), n)``."""
        if stream not in self._count:
            return np.ones((K, len(outcomes), n))
        seat = self._subset(outcomes)[:, :client].sum(axis=1)
        bits = (seat * self._per_visit + self._first[stream])[:, None] + np.arange(K * n)
        signs = 1.0 - 2.0 * ((outcomes[:, None] >> bits) & 1)
        return np.asarray(signs.reshape(len(outcomes), K, n).transpose(1, 0, 2))

    def _subset(self, outcomes: Ints) -> NDArray[np.bool_]:
        return np.asarray(self._subsets[outcomes // (self.runs // len(self._subsets))])

    def _check_clients(self, N: int, S: int) -> None:
        if self._subsets.shape[1] != N or int(self._subsets[0].sum()) != S:
            raise ValueError(
                f"these outcomes are for P = {int(self._subsets[0].sum())} of {self._subsets.shape[1]} clients"
            )

    def _words(self, stream: Stream, round: int, client: int, block: int, shape: tuple[int, int]) -> NDArray[np.uint64]:
        raise ValueError("only subsets and signs are enumerated; the method or the noise asks for other random numbers")


class EveryOutcome(Outcomes):
    """:class:`Outcomes` of a round on a problem with two-point noise in ``x`` and ``y`` together, or none.

    Args:
        problem: with two-point noise or none.
        P: clients that take part.
        steps: samples that a client draws in the round.

    Raises:
        ValueError: other noise, ``P > m``, or too many outcomes.
    """

    def __init__(self, problem: SmoothBilevel, *, P: int, steps: int) -> None:
        law = problem.noise
        if not isinstance(law, NoNoise | TwoPoint):
            raise ValueError(
                f"noise is of type {type(law).__name__}; it should be two-point, or none, to be enumerated"
            )
        signs: dict[Stream, int] = {"xi": steps * (law.sigma_f2 > 0), "zeta": steps * (law.sigma_h2 > 0)}
        super().__init__(problem.m, P, signs)


class EveryCourse(Outcomes):
    """All outcomes of several communications, each of its runs with a course of its own.

    Args:
        communications: by the numbers that key their random numbers.

    Raises:
        ValueError: too many courses.
    """

    def __init__(self, communications: Mapping[int, Outcomes]) -> None:
        self._parts = dict(communications)
        runs = math.prod(part.runs for part in self._parts.values())
        if runs > LIMIT:
            raise ValueError(f"there are {runs} courses; there should be at most {LIMIT}: fewer communications")
        Streams.__init__(self, 0, 0, runs)

    def sample_clients(self, round: int, N: int, S: int) -> NDArray[np.bool_]:
        """As :meth:`Outcomes.sample_clients` of the communication."""
        part, outcomes = self._part(round)
        part._check_clients(N, S)
        return part._subset(outcomes)

    def signs(self, stream: Stream, round: int, client: int, K: int, n: int, rows: Ints) -> Array:
        """As :meth:`Outcomes.signs` of the communication."""
        part, outcomes = self._part(round)
        if (count := part._count.get(stream, K * n)) != K * n:
            raise ValueError(f"communication {round} has {count} signs of each client from '{stream}', not {K * n}")
        return part.drawn(stream, client, K, n, outcomes[rows])

    def _part(self, key: int) -> tuple[Outcomes, Ints]:
        """A communication, and which of its outcomes each run has."""
        if key not in self._parts:
            raise ValueError(f"communication {key} is not among those that are enumerated: {list(self._parts)}")
        before = list(self._parts)[: list(self._parts).index(key)]
        stride = math.prod(self._parts[number].runs for number in before)
        return self._parts[key], np.arange(self.runs) // stride % self._parts[key].runs
