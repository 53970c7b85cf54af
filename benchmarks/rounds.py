"""Rounds of FedAvg on least squares: against a plain loop for one run, against DGEMM for many.

50 rows per client, K = 20 local steps, float64. A plain local step costs ``4 * rows * d`` floating-point operations per
run; the share of DGEMM counts these, although with fewer rows than features the residuals of a client's K steps follow
a recursion of their own and need far fewer: a share above one is work not done.
"""

from __future__ import annotations

import numpy as np

from benchmarks.timing import one_thread, ratio, show, side_by_side
from rateproof.algos.engine import run
from rateproof.algos.methods.fedavg import FedAvg
from rateproof.algos.problems.regression import Regression

ROWS, K, GAMMA_L = 50, 20, 1e-4
DGEMM_SIZE = 2048
SECONDS = 0.3
"""About the time of one DGEMM, so that neighbouring measurements are alike."""

ONE_RUN = [(10, 100), (100, 100), (10, 1000), (100, 1000)]
MANY_RUNS = [(10, 100, 32), (100, 100, 32), (10, 1000, 8), (10, 1000, 16), (10, 1000, 32)]


def plain_loop(A: list[np.ndarray], v: list[np.ndarray], R: int) -> np.ndarray:
    """FedAvg as one would write it: one run, client by client."""
    x = np.zeros(A[0].shape[1])
    for _ in range(R):
        change = np.zeros_like(x)
        for i in range(len(A)):
            y = x.copy()
            for _ in range(K):
                y = y - GAMMA_L * (A[i].T @ (A[i] @ y - v[i]))
            change += y - x
        x = x + change / len(A)
    return x


def instance(N: int, d: int) -> Regression:
    """Random least squares."""
    random = np.random.default_rng(0)
    return Regression(list(random.normal(size=(N, ROWS, d))), list(random.normal(size=(N, ROWS))))


def against_the_loop(N: int, d: int, *, repetitions: int) -> list[str]:
    """A row of the table for one run."""
    problem = instance(N, d)
    A, v, x0 = list(problem.A), list(problem.v), np.zeros(d)
    R = max(1, round(SECONDS * 3e9 / (4 * ROWS * d * K * N)))
    method = FedAvg(gamma_l=GAMMA_L, K=K, S=N)
    times = side_by_side(
        {
            "loop": lambda: plain_loop(A, v, R),
            "ours": lambda: run(method, problem, x0, R=R, metrics={}),
        },
        repetitions=repetitions,
    )
    error = np.abs(run(method, problem, x0, R=R, metrics={}).x_last[0] - plain_loop(A, v, R)).max()
    rounds = R / np.median(times["ours"])
    return [str(N), str(d), "1", f"{rounds:.0f}", f"{ratio(times['loop'], times['ours']):.2f}", "", f"{error:.0e}"]


def against_dgemm(N: int, d: int, runs: int, *, repetitions: int) -> list[str]:
    """A row of the table for many runs."""
    problem = instance(N, d)
    x0 = np.zeros(d)
    work = 4 * ROWS * d * K * N * runs
    R = max(1, round(SECONDS * 25e9 / work))
    square = np.random.default_rng(1).normal(size=(DGEMM_SIZE, DGEMM_SIZE))
    product = np.empty_like(square)
    method = FedAvg(gamma_l=GAMMA_L, K=K, S=N)
    times = side_by_side(
        {
            "dgemm": lambda: np.dot(square, square, out=product),
            "ours": lambda: run(method, problem, x0, R=R, runs=runs, metrics={}),
        },
        repetitions=repetitions,
    )
    share = ratio(times["dgemm"], times["ours"]) * (work * R) / (2 * DGEMM_SIZE**3)
    rounds = runs * R / np.median(times["ours"])
    return [str(N), str(d), str(runs), f"{rounds:.0f}", "", f"{share:.2f}", ""]


def main(repetitions: int = 9) -> None:
    """Measure and print."""
    with one_thread():
        rows = [against_the_loop(N, d, repetitions=repetitions) for N, d in ONE_RUN]
        rows += [against_dgemm(N, d, runs, repetitions=repetitions) for N, d, runs in MANY_RUNS]
    show(
        f"FedAvg on least squares, {ROWS} rows per client, K = {K}",
        ["N", "d", "runs", "run-rounds/s", "x plain loop", "share of DGEMM", "difference"],
        rows,
    )


if __name__ == "__main__":
    main()
