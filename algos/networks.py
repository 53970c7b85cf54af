"""Rows of data over clients, and two-layer networks of any activation on them (fedrzo, Section 6.1).

``net(U) = sum_q w_q act(Z_q.U)`` with ``N1`` hidden units. A model is the row ``(Z, w)`` of ``N1 N0 + N1`` numbers,
with ``Z`` unit by unit.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import TypeAlias

import numpy as np

from rateproof.algos.arguments import check_counts, check_size, generator, nonnegative
from rateproof.algos.noise import Array, Ints, Stream, Streams

Activation: TypeAlias = Callable[[Array], Array]

#: Numbers of hidden units in flight, over runs and rows: they stay in cache.
_PIECE = 1 << 17


class NetworkData:
    """Rows of the clients, and half the sum of squares ``(v_l - net(U_l))^2`` over them, regularised.

    Args:
        U: for each client its features ``(rows_i, N0)``.
        v: for each client its outcomes ``(rows_i,)``.
        hidden: units ``N1``.
        weight_decay: of the regularisation ``(weight_decay/2) ||(Z, w)||^2``, at least 0; lambda in print.

    Attributes:
        m, N0, n: clients, features, and numbers in a model.

    Raises:
        ValueError: shapes disagree, a value is not finite, or a number is out of range.
    """

    def __init__(self, U: Sequence[Array], v: Sequence[Array], *, hidden: int, weight_decay: float) -> None:
        rows = check_rows(U, v)
        self.U, self.v = tuple(u for u, _ in rows), tuple(outcomes for _, outcomes in rows)
        check_counts(hidden=hidden)
        nonnegative(weight_decay=weight_decay)
        self.m, self.N0, self.hidden = len(self.U), self.U[0].shape[1], int(hidden)
        self.weight_decay = float(weight_decay)
        self.n = self.hidden * (self.N0 + 1)

    def parts(self, x: Array) -> tuple[Array, Array]:
        """``Z`` and ``w`` of models ``(runs, n)``: ``(runs, N1, N0)`` and ``(runs, N1)``."""
        cut = self.hidden * self.N0
        return x[:, :cut].reshape(len(x), self.hidden, self.N0), x[:, cut:]

    def pieces(self, i: int, runs: int) -> Iterator[slice]:
        """Rows of client ``i`` a piece at a time."""
        step = max(16, _PIECE // (runs * self.hidden))
        for start in range(0, len(self.v[i]), step):
            yield slice(start, start + step)

    def residuals(self, i: int, x: Array, act: Activation, rows: slice = slice(None)) -> Array:
        """``v_l - net(U_l)`` for rows of client ``i``: ``(runs, n) -> (runs, rows)``."""
        Z, w = self.parts(x)
        units = act((Z.reshape(-1, self.N0) @ self.U[i][rows].T).reshape(len(x), self.hidden, -1))
        return np.asarray(self.v[i][rows] - np.matmul(w[:, None, :], units)[:, 0])

    def sampled_residuals(self, i: int, x: Array, act: Activation, rows: Ints) -> Array:
        """The same for own rows ``(runs, q)`` of every run: ``(runs, q)``."""
        Z, w = self.parts(x)
        units = act(np.matmul(Z, self.U[i][rows].transpose(0, 2, 1)))
        return np.asarray(self.v[i][rows] - np.matmul(w[:, None, :], units)[:, 0])

    def loss(self, i: int, x: Array, act: Activation) -> Array:
        """Loss of client ``i``: ``(runs, n) -> (runs,)``."""
        total = self.weight_decay / 2 * np.einsum("rj,rj->r", x, x)
        for rows in self.pieces(i, len(x)):
            left = self.residuals(i, x, act, rows)
            total += np.einsum("rl,rl->r", left, left) / 2
        return np.asarray(total)

    def sampled_loss(self, i: int, x: Array, act: Activation, rows: Ints) -> Array:
        """Loss of client ``i`` estimated from rows ``(runs, q)``, unbiased for uniform rows: ``(runs,)``."""
        left = self.sampled_residuals(i, x, act, rows)
        share = len(self.v[i]) / rows.shape[1]
        return np.asarray(
            (share * np.einsum("rl,rl->r", left, left) + self.weight_decay * np.einsum("rj,rj->r", x, x)) / 2
        )

    def modulus(self, bound: float) -> float:
        """Upper bound on the Lipschitz constants of the ReLU losses on ``[-bound, bound]^n``.

        A unit is at most ``B |U|_1`` and the network at most ``N1 B^2 |U|_1`` there, ``B = bound``; one row then adds
        its largest residual times ``sqrt(N1) B sqrt(|U|_1^2 + |U|^2)``.
        """
        if math.isinf(bound):
            return math.inf
        sizes = []
        for U, v in zip(self.U, self.v, strict=True):
            one, two = np.abs(U).sum(axis=1), np.linalg.norm(U, axis=1)
            slopes = (np.abs(v) + self.hidden * bound**2 * one) * math.sqrt(self.hidden) * bound * np.hypot(one, two)
            sizes.append(float(slopes.sum()))
        return max(sizes) + self.weight_decay * math.sqrt(self.n) * bound


def check_rows(U: Sequence[Array], v: Sequence[Array]) -> tuple[tuple[Array, Array], ...]:
    """Features ``(rows_i, N0)`` and outcomes ``(rows_i,)`` of each client, contiguous.

    Raises:
        ValueError: shapes disagree, a client has no rows, or a value is not finite.
    """
    if not len(U) or len(U) != len(v):
        raise ValueError(f"U has {len(U)} clients and v has {len(v)}; both should have as many, at least 1")
    pairs = tuple(
        (np.ascontiguousarray(u, dtype=np.float64), np.asarray(w, dtype=np.float64)) for u, w in zip(U, v, strict=True)
    )
    for i, (rows, outcomes) in enumerate(pairs):
        if rows.ndim != 2 or rows.shape[1] != pairs[0][0].shape[-1] or outcomes.shape != rows.shape[:1]:
            raise ValueError(
                f"client {i} has U of shape {rows.shape} and v of shape {outcomes.shape}; they should be "
                "(rows, N0) and (rows,) with one N0 for all clients"
            )
        if not rows.size or not (np.isfinite(rows).all() and np.isfinite(outcomes).all()):
            raise ValueError(f"client {i} has no rows, or values that are not finite; it should have finite rows")
    return pairs


def check_batch(batch: int | None) -> int | None:
    """The number of rows of a sample; None stands for all of them.

    Raises:
        ValueError: it is no whole number from 1.
    """
    if batch is not None:
        check_counts(batch=batch)
    return batch


def relu(t: Array) -> Array:
    """``max(t, 0)``, in place."""
    return np.maximum(t, 0.0, out=t)


def draw_rows(rng: Streams, stream: Stream, round: int, steps: int, batch: int, data: Sequence[Array]) -> Array:
    """Numbers of rows of every client, uniform with replacement: ``(steps, runs, m, batch)``."""
    runs = np.arange(rng.runs)
    drawn = [rng.integers(stream, round, i, steps, batch, runs, len(rows)) for i, rows in enumerate(data)]
    return np.stack(drawn, axis=2).astype(np.float64)


def random_rows(m: int, rows: int, features: int, seed: int) -> tuple[list[Array], list[Array]]:
    """Normal features around a mean of the client's own, and the sign of a noisy linear form as outcome.

    Args:
        m: clients.
        rows: of each client.
        features: of a row.
        seed: of the draw.

    Raises:
        ValueError: a count is no whole number from 1, or the seed none from 0.
    """
    check_counts(m=m, rows=rows, features=features)
    check_size("U", (m, rows, features))
    random = generator(seed)
    form = random.normal(size=features)
    U = [random.normal(size=(rows, features)) + 0.5 * random.normal(size=features) for _ in range(m)]
    v = [np.where(u @ form + 0.5 * random.normal(size=rows) >= 0, 1.0, -1.0) for u in U]
    return U, v
