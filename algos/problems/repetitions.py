"""Repetitions of a learning task that run side by side although each has its own data."""

from __future__ import annotations

from collections.abc import Sequence
from operator import attrgetter

import numpy as np

from rateproof.algos.noise import Ints, MiniBatch, Streams
from rateproof.algos.problems.base import Array
from rateproof.algos.problems.bilevel_learning import BilevelNetwork, Rows
from rateproof.algos.problems.smooth_bilevel import Constants, Sample, SmoothBilevel


class Seated(SmoothBilevel):
    """Repetitions side by side, one a run, each with its own division of the data.

    The ``P`` clients of this problem are seats, all of which take part; in every communication and run they are taken
    by ``P`` of the ``m`` clients of its division, drawn without replacement. So a method does per communication ``P``
    steps for all repetitions at once; where its rounds have several, clients are drawn for each.

    Args:
        repetitions: the instances.
        P: seats.
    """

    def __init__(self, repetitions: Sequence[BilevelNetwork], P: int) -> None:
        first = repetitions[0]
        if first.m < P:
            raise ValueError(f"P is {P}; it should be at most {first.m}, the number of clients")
        self.repetitions = tuple(repetitions)
        everybody = [
            [rows for one in repetitions for rows in level(one)] for level in (attrgetter("upper"), attrgetter("lower"))
        ]
        #: Where the rows of a client begin among all rows, and how many there are: ``(level, runs, m)``.
        sizes = np.array([[len(rows.label) for rows in level] for level in everybody])
        shape = (2, len(repetitions), first.m)
        self.begins = (np.cumsum(sizes, axis=1) - sizes).reshape(shape)
        self.sizes = sizes.reshape(shape)
        weights = np.stack([one.class_weights for one in repetitions])
        if (weights == weights[0]).all():
            weights = weights[0]  # which serves any part of the runs
        #: All rows of all repetitions with one client.
        self.pool = BilevelNetwork(
            first.task,
            upper=(_together(everybody[0]),),
            lower=(_together(everybody[1]),),
            test=first.test,
            classes=first.classes,
            hidden=first.hidden,
            rc=first.rc,
            class_weights=weights,
            name=first.name,
        )
        super().__init__(m=P, X=self.pool.X, Y=self.pool.Y, noise=first.noise, name=first.name)

    def own(self, z: Array) -> list[Array]:
        """The model of each repetition, ``(1, n)`` with its own ``n``; weights of training rows are left out."""
        x, y = self.split(z)
        each = zip(self.repetitions, x, y, strict=True)
        return [np.concatenate([x[: one.dx], y])[None] for one, x, y in each]

    def start(self) -> Array:
        """Starts of the repetitions by their numbers."""
        starts = [one.split(one.start(seed)) for seed, one in enumerate(self.repetitions)]
        x = [np.concatenate([x, np.zeros(self.dx - len(x))]) for x, _ in starts]
        return self.join(np.stack(x), np.stack([y for _, y in starts]))

    def draw(self, rng: Streams, round: int, i: int, steps: int, rows: Ints) -> list[Sample]:
        """Rows of who sits on seat ``i``, as numbers among all rows."""
        assert isinstance(self.noise, MiniBatch)
        who = rng.uniforms("output", round, 2, 1, self.sizes.shape[2], rows)[0].argsort(axis=1)[:, i]
        drawn = []
        for level, stream in enumerate(("xi", "zeta")):
            u = rng.uniforms(stream, round, i, steps, self.noise.batch_size, rows)  # type: ignore[arg-type]
            begin, size = (table[level, rows, who][:, None] for table in (self.begins, self.sizes))
            drawn.append(begin + (u * size).astype(np.int64))
        return list(map(Sample, *drawn))

    def f_i(self, i: int, z: Array) -> Array:
        """Of a client with all rows."""
        return self.pool.f_i(0, z)

    def g_i(self, i: int, z: Array) -> Array:
        """Of a client with all rows."""
        return self.pool.g_i(0, z)

    def gradient_f(self, i: int, z: Array, rows: Ints | None = None) -> Array:
        """On drawn rows."""
        return self.pool.gradient_f(0, z, rows)

    def gradient_g(self, i: int, z: Array, rows: Ints | None = None) -> Array:
        """On drawn rows."""
        return self.pool.gradient_g(0, z, rows)

    def product_g(self, i: int, z: Array, v: Array, rows: Ints | None = None) -> Array:
        """On drawn rows."""
        return self.pool.product_g(0, z, v, rows)

    @property
    def constants(self) -> Constants:
        """Those of a client with all rows."""
        return self.pool.constants


def _together(rows: Sequence[Rows]) -> Rows:
    return Rows(np.concatenate([one.D for one in rows]), np.concatenate([one.label for one in rows]))
