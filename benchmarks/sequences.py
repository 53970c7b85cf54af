"""A round of FedMSA on quadratic bilevel problems: batched over runs against a plain loop over runs, clients and steps.

10 clients, ``d`` numbers in ``x`` and in ``w``, so that a model has ``3 d``; 10 local steps, 32 runs, float64, exact
oracles or additive noise; the size to go by is ``d = 50``. The plain loop evaluates the maps of the paper with matrices
of ``d * d`` numbers, at two points a sample as (5) and (6) print them. Ours takes the mean of all clients as one affine
map, a selected client's local steps for all runs that selected it together, and each value of the maps once.

The second table is FedBLO, the same through the oracles of a bilevel problem, which knows nothing of matrices.
"""

from __future__ import annotations

import numpy as np

from benchmarks.timing import one_thread, ratio, show, side_by_side
from rateproof.algos.engine import run
from rateproof.algos.methods.fedmsa import FedBLO, FedMSA
from rateproof.algos.noise import Streams
from rateproof.algos.problems.bilevel_quadratic import BilevelQuadratic, random_bilevel_quadratic
from rateproof.algos.problems.linear_sequences import LinearSequences, random_bilevel_sequences

CLIENTS, K, RUNS, RHO, ALPHA, BETA = 10, 10, 32, 0.3, 0.02, 0.05
SIZES, ROUNDS, PLAIN = (1, 10, 50, 100), 20, 3


def plain_loop(problem: BilevelQuadratic, starts: np.ndarray, R: int, sigma: float = 0.0) -> np.ndarray:
    """FedMSA as one would write it: run by run, client by client, step by step."""
    dx, n, one = problem.dx, problem.n, np.array([0])
    f_xx, f_xw = problem.P[:, :dx, :dx].copy(), problem.P[:, :dx, dx:].copy()
    f_ww, H, B = problem.P[:, dx:, dx:].copy(), problem.H[:, dx:, dx:].copy(), problem.H[:, dx:, :dx].copy()
    a, b, dy = problem.a, problem.b[:, dx:], problem.dy

    def maps(i: int, w: np.ndarray) -> np.ndarray:
        x, y, v = w[:dx], w[dx:n], w[n:]
        P = f_xx[i] @ x + f_xw[i] @ y - a[i, :dx] + B[i].T @ -v
        S_w = H[i] @ y + B[i] @ x - b[i]
        return np.concatenate([P, S_w, H[i] @ v - (f_xw[i].T @ x + f_ww[i] @ y - a[i, dx:])])

    eta = np.repeat([ALPHA, BETA], [dx, 2 * dy])
    size = sigma / np.sqrt(np.repeat([dx, 2 * dy], [dx, 2 * dy]))
    ends = []
    for run_number, w in enumerate(starts):
        rng, h, before = Streams(0, run_number, 1), np.zeros_like(w), w
        for r in range(R):
            rho, steps = (1.0, 1) if r == 0 else (RHO, K)
            total = np.zeros_like(w)
            for i in range(CLIENTS):
                noise = 0.0
                if sigma:
                    noise = size * np.repeat(
                        [rng.signs(s, 2 * r + 1, i, 1, 1, one)[0, 0, 0] for s in ("xi", "zeta")], [dx, 2 * dy]
                    )
                total += maps(i, w) + noise + (1 - rho) * (h - maps(i, before) - noise)
            h = total / CLIENTS
            m = int(np.flatnonzero(rng.sample_clients(2 * r + 2, CLIENTS, 1)[0])[0])
            before, last, own, h_k = w, w, w, h
            for _ in range(steps):
                h_k = maps(m, own) + h_k - maps(m, last)
                last, own = own, own - eta * h_k
            w = own
        ends.append(w)
    return np.array(ends)


def row(d: int, sigma: float, *, repetitions: int) -> list[str]:
    """A row of the first table."""
    problem = random_bilevel_quadratic(m=CLIENTS, dx=d, dy=d, heterogeneity=0.5)
    sequences = random_bilevel_sequences(m=CLIENTS, dx=d, dy=d, sigma_p=sigma, sigma_s=sigma)
    return _row(d, sigma, problem, sequences, FedMSA(**_settings()), repetitions)


def through_oracles(d: int, *, repetitions: int) -> list[str]:
    """A row of the second table."""
    problem = random_bilevel_quadratic(m=CLIENTS, dx=d, dy=d, heterogeneity=0.5)
    return _row(d, 0.0, problem, problem, FedBLO(**_settings()), repetitions)


def _settings() -> dict[str, float | int]:
    return {"alpha": ALPHA, "beta": BETA, "rho": RHO, "K": K}


def _row(
    d: int,
    sigma: float,
    problem: BilevelQuadratic,
    ours_on: LinearSequences | BilevelQuadratic,
    method: FedMSA,
    repetitions: int,
) -> list[str]:
    starts = np.random.default_rng(0).normal(size=(RUNS, ours_on.n))
    whole = np.zeros((RUNS, 3 * d))
    whole[:, : ours_on.n] = starts

    def ours(R: int = ROUNDS) -> np.ndarray:
        return run(method, ours_on, starts, R=R, runs=RUNS, chunk=RUNS, metrics={}).x_last

    def plain() -> np.ndarray:
        return plain_loop(problem, whole, PLAIN, sigma)

    times = side_by_side({"loop": plain, "ours": ours}, repetitions=repetitions)
    error = np.abs(ours(PLAIN) - plain()[:, : ours_on.n]).max()
    gain = ratio(times["loop"], times["ours"]) * ROUNDS / PLAIN
    return [str(d), f"{sigma:g}", f"{RUNS * ROUNDS / np.median(times['ours']):.0f}", f"{gain:.1f}", f"{error:.0e}"]


def main(repetitions: int = 5) -> None:
    """Print the tables."""
    columns = ["d", "noise", "rounds/s", "times a plain loop", "difference"]
    with one_thread():
        title = f"{CLIENTS} clients, K = {K}, {RUNS} runs"
        rows = [row(d, sigma, repetitions=repetitions) for d in SIZES for sigma in (0.0, 0.1)]
        show(f"FedMSA on quadratic bilevel problems, {title}", columns, rows)
        rows = [through_oracles(d, repetitions=repetitions) for d in SIZES]
        show(f"FedBLO through oracles, {title}", columns, rows)


if __name__ == "__main__":
    main()
