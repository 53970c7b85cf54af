"""Equilibria of the Cournot game: time of one query with 1000 followers, alone and many at once, against bisection."""

from __future__ import annotations

from statistics import median

import numpy as np

from benchmarks.timing import one_thread, seconds, show, side_by_side
from rateproof.algos.problems.base import Array
from rateproof.algos.problems.cournot import Cournot, drawn_cournot

FOLLOWERS, QUERIES = 1000, 256


def by_bisection(game: Cournot, x: Array, a: Array) -> Array:
    """Total sales of all queries by 60 bisections, the way without a table: ``(queries,)``."""
    low, high = np.zeros(len(x)), np.full(len(x), float(game.cap.sum()))
    for _ in range(60):
        middle = (low + high) / 2
        price = a[:, 0] - game.b * (x[:, 0] + middle)
        more = np.clip(price[:, None] / (game.c + game.b), 0, game.cap).sum(axis=1) > middle
        low, high = np.where(more, middle, low), np.where(more, high, middle)
    return np.asarray((low + high) / 2)


def main(repetitions: int = 7) -> None:
    """Measure and print."""
    game, random = drawn_cournot(nt=FOLLOWERS), np.random.default_rng(0)
    x, a = random.uniform(0, 10, (QUERIES, 1)), random.uniform(7.5, 12.5, (QUERIES, 1))
    works = {
        "the equilibrium of one query, alone": lambda: game.lower_solution(x[:1], a[:1]),
        "the equilibria of all queries": lambda: game.lower_solution(x, a),
        "the sampled losses of all queries": lambda: game.values(x[:, None], a[:, None]),
        "total sales of all queries, by bisection": lambda: by_bisection(game, x, a),
    }
    with one_thread():
        times = {name: median(taken) for name, taken in side_by_side(works, repetitions=repetitions).items()}
        fresh = median(seconds(lambda: drawn_cournot(nt=FOLLOWERS).optimum) for _ in range(repetitions))
    each = {name: taken / (1 if "alone" in name else QUERIES) for name, taken in times.items()}
    rows = [[f"{name}, a query", f"{1e6 * taken:.3g} us"] for name, taken in each.items()]
    rows.append(["a new game and its optimum", f"{1e3 * fresh:.3g} ms"])
    away = np.abs(game.lower_solution(x, a).sum(axis=1) - by_bisection(game, x, a)).max()
    rows.append(["largest difference of total sales from bisection", f"{away:.0e}"])
    show(f"Cournot equilibria, {FOLLOWERS} followers, {QUERIES} queries", ["what", "measured"], rows)


if __name__ == "__main__":
    main()
