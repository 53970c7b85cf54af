"""Exact expectations of the methods in dimension one: a replicate for every branch of directions and samples.

A direction is ``+-eta`` and a sample ``+-1``, so a few rounds have finitely many equally likely branches. The reference
method of :mod:`rateproof.algos.methods` runs on all of them at once: replicate ``b`` reads its signs from the bits of
``b``.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from rateproof.algos.methods.fedrzo import FedRZO, LocalStep, Lower
from rateproof.algos.noise import Ints, Stream, Streams
from rateproof.algos.problems.federated import Federated, Smoothed

Array = NDArray[np.float64]
LIMIT = 2**18
"""Branches that may be enumerated."""

Draw = tuple[int, str, int, int, int, int]
"""Global step from which on it is known, stream, round, client, step in the round, component."""


class BranchStreams(Streams):
    """Random numbers whose every sign is a bit of the number of the run.

    Args:
        runs: branches that go through together.
        bits: the bit of each draw; None to list the draws without taking them.
    """

    def __init__(self, runs: int, bits: dict[Draw, int] | None) -> None:
        super().__init__(0, 0, runs)
        self.bits = bits
        self.listed: dict[Draw, None] = {}
        self.now = [0]  # first step of the round that runs, shared with the streams of later rounds

    def signs(self, stream: Stream, round: int, client: int, K: int, n: int, rows: Ints) -> Array:
        """Signs from the bits of ``rows``, ``(K, len(rows), n)``."""
        out = np.ones((K, len(rows), n))
        for step in range(K):
            known_before = self.now[0] + (step if stream in ("direction", "xi") else 0)
            for j in range(n):
                draw = (known_before, str(stream), self._rounds_before + round, client, step, j)
                if self.bits is None:
                    self.listed[draw] = None
                else:
                    out[step, :, j] -= 2.0 * (rows >> self.bits[draw] & 1)
        return out

    def uniforms(self, stream: Stream, round: int, client: int, K: int, n: int, rows: Ints) -> Array:
        """One half for the output, which no branch depends on.

        Raises:
            ValueError: another stream.
        """
        if stream != "output":
            raise _not_signs(f"uniform numbers ({stream})")
        return np.full((K, len(rows), n), 0.5)

    def normals(self, stream: Stream, round: int, client: int, K: int, n: int, rows: Ints) -> Array:
        """Refused.

        Raises:
            ValueError: always.
        """
        raise _not_signs(f"normal numbers ({stream})")

    def sample_clients(self, round: int, N: int, S: int) -> NDArray[np.bool_]:
        """All clients.

        Raises:
            ValueError: some are left out.
        """
        if S < N:
            raise _not_signs("subsets of clients")
        return super().sample_clients(round, N, S)


@dataclass(frozen=True, eq=False)
class Trace:
    """Everything that a method does on all ``B`` branches, for ``k = 0 .. T - 1`` with ``T = T_R``.

    Attributes:
        xb: mean of the clients' models, ``(T + 1, B)``; the last row is ``xhat_R``.
        xh: the model ``xhat_r`` of the round of step ``k``, ``(T, B)``.
        first: its first step ``T_r``, ``(T,)``.
        x, g, penalty, v: of the clients, ``(T, B, m)``.
        xi: samples, ``(T, B, m)``; None when losses are not random.
        lower: lower-level points, each ``(T, B, m)``, and the cost of them all; None where there are none.
        known: bits that are drawn before step ``k``, ``(T + 1,)``: the lowest ones of the number of a branch.
    """

    xb: Array
    xh: Array
    first: NDArray[np.int64]
    x: Array
    g: Array
    penalty: Array
    v: Array
    xi: Array | None
    lower: Lower | None
    known: NDArray[np.int64] = field(repr=False)

    @property
    def steps(self) -> int:
        """``T_R``, the local steps taken."""
        return len(self.first)

    @property
    def branches(self) -> int:
        """``B``, all equally likely."""
        return self.xb.shape[1]

    @property
    def eb(self) -> Array:
        """Consensus error ``(1/m) sum_i |x_i - xb|^2``, ``(T, B)``."""
        return np.asarray(((self.x - self.xb[:-1, :, None]) ** 2).mean(axis=2))

    @property
    def eh(self) -> Array:
        """Delay ``(1/m) sum_i |x_i - xhat_r|^2``, ``(T, B)``."""
        return np.asarray(((self.x - self.xh[:, :, None]) ** 2).mean(axis=2))

    def grad_F(self, smoothed: Smoothed) -> Array:
        """``grad F_eta(xb_k)``, ``(T, B)``."""
        return smoothed.grad_F(self.xb[:-1].reshape(-1, 1)).reshape(self.xb[:-1].shape)

    def mean(self, values: Array) -> Array:
        """Expectation of numbers that a branch has: ``(T, B, ...) -> (T, ...)``."""
        return _mean(values, 1)

    def given(self, k: int, values: Array) -> Array:
        """Expectation of the numbers ``(B, ...)`` of a branch given what is drawn before step ``k``: ``(B, ...)``."""
        past = 1 << int(self.known[k])
        means = _mean(values.reshape(-1, past, *values.shape[1:]), 0)
        return np.tile(means, (self.branches // past, *(1 for _ in values.shape[1:])))


def trace(method: FedRZO, problem: Federated, x0: float, *, rounds: int, limit: int = LIMIT) -> Trace:
    """Run a method on all branches of ``rounds`` rounds.

    Args:
        method: one of the methods of :mod:`rateproof.algos.methods.fedrzo` and its companions.
        problem: of dimension one, with losses that are not random or read signs.
        x0: where the server starts.
        rounds: communication rounds, at least 1.
        limit: branches that may be enumerated.

    Raises:
        ValueError: another dimension, too many branches (the message tells how many), or draws that are not signs.
    """
    if problem.n != 1:
        raise ValueError(
            f"problem '{problem.name}' has dimension {problem.n}; branches are enumerated in dimension one"
        )
    if rounds < 1:
        raise ValueError(f"rounds is {rounds}; it should be at least 1")
    listed = BranchStreams(1, None)
    _run(method, problem, x0, rounds, listed)
    draws = sorted(listed.listed)
    if len(draws) > limit.bit_length() - 1:
        raise ValueError(
            f"{rounds} rounds have 2^{len(draws)} branches, of which {limit} are enumerated at most; take fewer rounds"
        )
    streams = BranchStreams(1 << len(draws), {draw: j for j, draw in enumerate(draws)})
    steps, last = _run(method, problem, x0, rounds, streams)
    x = np.stack([s.x[..., 0] for s in steps])
    lower = [s.lower for s in steps if s.lower is not None]
    xi = [s.xi[..., 0] for s in steps if s.xi is not None]
    starts = [draw[0] for draw in draws]
    return Trace(
        xb=np.vstack([x.mean(axis=2), last[None]]),
        xh=np.stack([s.start[..., 0] for s in steps]),
        first=np.array([s.first for s in steps]),
        x=x,
        g=np.stack([s.g[..., 0] for s in steps]),
        penalty=np.stack([s.penalty[..., 0] for s in steps]),
        v=np.stack([s.v[..., 0] for s in steps]),
        xi=np.stack(xi) if xi else None,
        lower=_stacked(lower) if lower else None,
        known=np.searchsorted(starts, np.arange(len(steps) + 1), side="left"),
    )


def _run(
    method: FedRZO, problem: Federated, x0: float, rounds: int, streams: BranchStreams
) -> tuple[list[LocalStep], Array]:
    """Local steps, and the last model of the server, ``(B,)``."""
    state = method.init(problem, np.full((streams.runs, 1), float(x0)), streams)
    steps: list[LocalStep] = []
    for _ in range(rounds):
        streams.now[0] = state.steps
        state = method.round(problem, state, streams, watch=steps.append)
    return steps, state.x[:, 0]


def _mean(values: Array, axis: int) -> Array:
    """Mean along an axis, brought last so that numpy adds in pairs."""
    return np.asarray(np.ascontiguousarray(np.moveaxis(values, axis, -1)).mean(axis=-1))


def _stacked(lower: list[Lower]) -> Lower:
    cost = lower[0].cost
    for more in lower[1:]:
        cost = cost + more.cost
    return Lower(
        np.stack([points.at_x[..., 0] for points in lower]), np.stack([points.at_v[..., 0] for points in lower]), cost
    )


def _not_signs(what: str) -> ValueError:
    return ValueError(f"the run draws {what}; branches are enumerated for directions in dimension one and signs only")
