"""Local steps of FedRZO: values and projections of all clients and replicates together against a plain loop.

Losses are ``|a_i . x - b_i|`` with sampled ``b_i`` over boxes, ``m`` clients in dimension ``n``, float64. The plain
loop draws as one would write it, from a generator of numpy in each step; ours draws numbers that depend on seed, run,
round, client and step alone. The column "numbers kept" leaves drawing out on both sides, which then have the same
numbers.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np

from benchmarks.timing import one_thread, ratio, show, side_by_side
from rateproof.algos.methods.fedrzo import FedRZO
from rateproof.algos.noise import Ints, Stream, Streams
from rateproof.algos.problems.base import Array, Fact
from rateproof.algos.problems.federated import Constants, Federated
from rateproof.algos.sets import Box, ClientSets

GAMMA, ETA, H, ROUNDS = 1e-3, 0.1, 10, 4
SIZES = [(10, 10, 1), (10, 10, 64), (10, 10, 1024), (50, 10, 64), (10, 100, 64)]
"""Clients, dimension, replicates."""


class Kinks(Federated):
    """``f~_i(x, xi) = |a_i . x - b_i - xi|`` with normal ``xi``, over boxes around points of their own."""

    name, params = "kinks", {}

    def __init__(self, m: int, n: int) -> None:
        random = np.random.default_rng(0)
        self.n, self.m = n, m
        self.a, self.b = random.normal(size=(m, n)), random.normal(size=m)
        centres = random.normal(size=(m, n))
        self.sets = ClientSets([Box(c - 1, c + 1) for c in centres])

    def draw(self, rng: Streams, round: int, steps: int) -> Array:
        """Standard normal numbers, ``(steps, runs, m, 1)``."""
        rows = np.arange(rng.runs)
        return np.stack([rng.normals("xi", round, i, steps, 1, rows) for i in range(self.m)], axis=2)

    def values(self, x: Array, xi: Array | None) -> Array:
        """``(runs, m, n) -> (runs, m)``."""
        inside = np.einsum("rmn,mn->rm", x, self.a) - self.b
        return np.abs(inside if xi is None else inside - xi[..., 0])

    def f_i(self, i: int, x: Array) -> Array:
        """Without the sample: ``(runs, n) -> (runs,)``."""
        return np.abs(x @ self.a[i] - self.b[i])

    @property
    def constants(self) -> Constants:
        """The longest slope."""
        return Constants(L0=float(np.linalg.norm(self.a, axis=1).max()))

    def facts(self) -> dict[str, Fact]:
        """None are asked for here."""
        return {}


class Kept(Streams):
    """Random numbers that are drawn once and kept: what remains is the work of the method."""

    kept: ClassVar[dict[tuple[object, ...], Array]] = {}

    def normals(self, stream: Stream, round: int, client: int, K: int, n: int, rows: Ints) -> Array:
        """As drawn the first time."""
        return self._once(super().normals, stream, round, client, K, n, rows)

    def directions(self, round: int, client: int, K: int, n: int, rows: Ints) -> Array:
        """As drawn the first time."""
        return self._once(super().directions, round, client, K, n, rows)

    def uniforms(self, stream: Stream, round: int, client: int, K: int, n: int, rows: Ints) -> Array:
        """As drawn the first time."""
        return self._once(super().uniforms, stream, round, client, K, n, rows)

    def _once(self, draw: Callable[..., Array], *key: Any) -> Array:
        name = (draw.__name__, self.runs, *key[:-1])
        if name not in self.kept:
            self.kept[name] = draw(*key)
        return self.kept[name]


Drawn = Callable[[int, int, int, int], tuple[Array, float]]
"""``(round, client, step, run) -> (direction of length 1, sample)``."""


def same_numbers(problem: Kinks, streams: Streams, rounds: int) -> Drawn:
    """The numbers that ours has."""
    rows = np.arange(streams.runs)
    units = [[streams.directions(r, i, H, problem.n, rows) for i in range(problem.m)] for r in range(1, rounds + 1)]
    samples = [problem.draw(streams, r, H) for r in range(1, rounds + 1)]
    return lambda r, i, k, b: (units[r][i][k, b], samples[r][k, b, i, 0])


def own_numbers(problem: Kinks, seed: int) -> Drawn:
    """Numbers from a generator, drawn when they are needed."""
    random, n = np.random.default_rng(seed), problem.n

    def drawn(r: int, i: int, k: int, b: int) -> tuple[Array, float]:
        v = random.standard_normal(n)
        return v / np.linalg.norm(v), random.standard_normal()

    return drawn


def plain_loop(problem: Kinks, drawn: Drawn, runs: int, rounds: int) -> Array:
    """Algorithm 1 as one would write it: run by run, client by client, step by step."""
    n, last = problem.n, np.empty((runs, problem.n))
    boxes = [(s.low, s.high) for s in problem.sets.sets if isinstance(s, Box)]
    for b in range(runs):
        server = np.zeros(n)
        for r in range(rounds):
            total = np.zeros(n)
            for i in range(problem.m):
                x, a, (low, high) = server, problem.a[i], boxes[i]
                for k in range(H):
                    unit, sample = drawn(r, i, k, b)
                    v, level = ETA * unit, problem.b[i] + sample
                    rise = abs(a @ (x + v) - level) - abs(a @ x - level)
                    g = n / ETA**2 * rise * v
                    x = x - GAMMA * (g + (x - np.minimum(np.maximum(x, low), high)) / ETA)
                total += x
            server = total / problem.m
        last[b] = server
    return last


def together(problem: Kinks, streams: Streams, rounds: int) -> Array:
    """The same, all clients and runs at once."""
    method = FedRZO(gamma=GAMMA, eta=ETA, H=H)
    state = method.init(problem, np.zeros((streams.runs, problem.n)), streams)
    for _ in range(rounds):
        state = method.round(problem, state, streams)
    return state.x


def compare(m: int, n: int, runs: int, *, repetitions: int) -> list[str]:
    """A row of the table."""
    problem, rounds = Kinks(m, n), max(1, ROUNDS * 640 // max(640, m * runs))
    fresh, kept = Streams(0, 0, runs), Kept(0, 0, runs)
    times = side_by_side(
        {
            "loop": lambda: plain_loop(problem, own_numbers(problem, 0), runs, rounds),
            "ours": lambda: together(problem, fresh, rounds),
            "loop, kept": lambda: plain_loop(problem, same_numbers(problem, kept, rounds), runs, rounds),
            "ours, kept": lambda: together(problem, kept, rounds),
        },
        repetitions=repetitions,
    )
    Kept.kept.clear()
    error = np.abs(
        together(problem, fresh, rounds) - plain_loop(problem, same_numbers(problem, fresh, rounds), runs, rounds)
    ).max()
    steps = rounds * H * m * runs / np.median(times["ours"])
    whole, work = ratio(times["loop"], times["ours"]), ratio(times["loop, kept"], times["ours, kept"])
    return [str(m), str(n), str(runs), f"{steps:.1e}", f"{whole:.1f}", f"{work:.1f}", f"{error:.0e}"]


def main(repetitions: int = 5) -> None:
    """Measure and print."""
    with one_thread():
        rows = [compare(*size, repetitions=repetitions) for size in SIZES]
    show(
        f"FedRZO, {H} local steps a round: two values, a direction, a sample and a projection each",
        ["m", "n", "runs", "local steps/s", "x plain loop", "numbers kept", "difference"],
        rows,
    )


if __name__ == "__main__":
    main()
