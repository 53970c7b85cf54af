"""Projection on the capped simplex, and Local-SVRG on weighted nodes for all replicates together, against plain loops.

The inner loop is least squares with one sample a step on 15 nodes, in float64. The plain loop goes run by run, step by
step and node by node, as one would write Algorithm 1, and draws from a generator of numpy in each step. With the same
random numbers, which are drawn before, both give the same model; that is the column "numbers kept".
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from benchmarks.timing import one_thread, ratio, show, side_by_side
from rateproof.algos.methods.local_svrg import Svrg, local_svrg
from rateproof.algos.noise import Streams
from rateproof.algos.problems.base import Array
from rateproof.algos.problems.weighted_families import LinearModels
from rateproof.algos.sets import CappedSimplex

K, ROWS, T = 15, 40, 40
HOW = Svrg(gamma=2e-3, tau=10, q=0.02)
SIZES = [(20, 64), (100, 1), (100, 16), (100, 64), (100, 256)]
"""Dimension, replicates."""
NODES = [(100, 1), (100_000, 1), (15, 10_000)]
"""Nodes, points."""


def problem(d: int) -> LinearModels:
    """Normal features and outcomes, and a ridge."""
    random, n = np.random.default_rng(0), (K + 1) * ROWS
    return LinearModels(
        D=random.normal(size=(n, d)),
        label=random.normal(size=n),
        link="squared",
        lam=0.1,
        sizes=[ROWS] * (K + 1),
        radius=1.0,
        b=1.0,
        name="regression",
    )


Drawn = Callable[[int, int, int], tuple[int, bool]]
"""``(node, step, run) -> (sample, whether the reference point is renewed)``."""


def same_numbers(runs: int) -> Drawn:
    """The numbers that ours has."""
    rng, every = Streams(0, 0, runs), np.arange(runs)
    drawn = [rng.integers("zeta", 1, k, T, 1, every, ROWS)[..., 0] for k in range(K)]
    coins = [rng.uniforms("sampling", 1, k, T, 1, every)[..., 0] < HOW.q for k in range(K)]
    return lambda k, t, r: (drawn[k][t, r], coins[k][t, r])


def own_numbers() -> Drawn:
    """Numbers from a generator, drawn when they are needed."""
    random = np.random.default_rng(0)
    return lambda k, t, r: (int(random.integers(ROWS)), bool(random.random() < HOW.q))


def plain_loop(one: LinearModels, w: Array, runs: int, numbers: Drawn) -> Array:
    """Algorithm 1 as one would write it."""
    nodes = [(one.D[b : b + ROWS], one.label[b : b + ROWS]) for b in one.begin[0, 1:]]
    shrink = 1 - min(HOW.gamma * one.constants.mu, HOW.q / 4)
    out = np.empty((runs, one.d))
    for r in range(runs):
        x = [np.zeros(one.d) for _ in range(K)]
        y = list(x)
        c = [D.T @ (D @ x[k] - v) / ROWS + one.lam * x[k] for k, (D, v) in enumerate(nodes)]
        total, mass = np.zeros(one.d), 1.0
        for t in range(T):
            for k, (D, v) in enumerate(nodes):
                sample, renewed = numbers(k, t, r)
                a = D[sample]
                g = a * (a @ (x[k] - y[k])) + one.lam * (x[k] - y[k]) + c[k]
                if renewed:
                    y[k] = x[k]
                    c[k] = D.T @ (D @ x[k] - v) / ROWS + one.lam * x[k]
                x[k] = x[k] - HOW.gamma * g
            mean = sum(w[r, k] * x[k] for k in range(K))
            if (t + 1) % HOW.tau == 0:
                x = [mean] * K
            total, mass = shrink * total + mean, shrink * mass + 1
        out[r] = total / mass
    return out


def together(one: LinearModels, w: Array, runs: int) -> Array:
    """The same, all runs and nodes at once."""
    start = np.zeros((runs, one.d))
    return local_svrg(one.inner(), w, start, HOW, T=T, mu=one.constants.mu, rng=Streams(0, 0, runs))[0]


def compare(d: int, runs: int, *, repetitions: int) -> list[str]:
    """A row of the table."""
    one, w = problem(d), np.random.default_rng(1).dirichlet(np.ones(K), size=runs)
    assert one.constants.mu > 0  # computed once, before the clock runs
    works = {
        "loop": lambda: plain_loop(one, w, runs, own_numbers()),
        "kept": lambda: plain_loop(one, w, runs, same_numbers(runs)),
        "ours": lambda: together(one, w, runs),
    }
    times = side_by_side(works, repetitions=repetitions)
    error = np.abs(plain_loop(one, w, runs, same_numbers(runs)) - together(one, w, runs)).max()
    steps = T * K * runs / np.median(times["ours"])
    whole, kept = (ratio(times[name], times["ours"]) for name in ("loop", "kept"))
    return [str(d), str(runs), f"{steps:.1e}", f"{whole:.1f}", f"{kept:.1f}", f"{error:.0e}"]


def projection(n: int, points: int, *, repetitions: int) -> list[str]:
    """A row of the table of projections: the time, and how far the result is from satisfying the conditions."""
    one, v = CappedSimplex(n, min(1.0, 3 / n)), np.random.default_rng(0).normal(size=(points, n))
    times = side_by_side({"ours": lambda: one.project(v)}, repetitions=repetitions)
    x = one.project(v)
    free, level = (x > 0) & (x < one.cap), v - x
    spread = float(np.nanmax(level.max(axis=1, where=free, initial=-9) - level.min(axis=1, where=free, initial=9)))
    return [
        str(n),
        str(points),
        f"{1e3 * np.median(times['ours']):.1f}",
        f"{max(spread, abs(x.sum(axis=1) - 1).max()):.0e}",
    ]


def main(repetitions: int = 5) -> None:
    """Measure and print."""
    with one_thread():
        found = [projection(*size, repetitions=repetitions) for size in NODES]
        rows = [compare(*size, repetitions=repetitions) for size in SIZES]
    show("Projection on the capped simplex, bound 3/K", ["nodes", "points", "ms", "off"], found)
    columns = ["d", "runs", "node steps/s", "x plain loop", "numbers kept", "difference"]
    show(f"Local-SVRG, {K} nodes, {T} steps, {HOW.tau} between meetings", columns, rows)


if __name__ == "__main__":
    main()
