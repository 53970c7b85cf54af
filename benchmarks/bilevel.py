"""A round of MeFBO on quadratics: batched over runs against a plain loop over runs, clients and steps.

10 clients, ``d = dx + dy`` numbers in a model, 5 local steps, 32 runs, float64, no noise, a penalty that grows; the
size to go by is ``d = 100``. A plain local step multiplies vectors by three matrices of ``d * d`` numbers. Ours
multiplies all runs at once, and leaves out what is zero or cancels in a quadratic client's directions: with ``dx = dy``
it takes seven multiplications for twelve, and most of its time goes there. A long run goes over to
the mean of all clients and local steps, which is one affine map; its preparation counts. The time of a plain round is
taken from a few.

The second table has iterations of MEHA, one run, against those of the same method in the general library BOAT (its
``MESO``), which updates ``y`` before ``x``. Its log of losses goes to the null device and is kept empty. ``pip install
boat-torch`` gets it; it needs PyTorch and is no dependency of ours.
"""

from __future__ import annotations

import importlib.util
import os
import sys
import types
from collections.abc import Callable

import numpy as np

from benchmarks.timing import one_thread, ratio, show, side_by_side
from rateproof.algos.engine import run
from rateproof.algos.methods.mefbo import MEHA, MeFBO
from rateproof.algos.problems.bilevel_quadratic import BilevelQuadratic, random_bilevel_quadratic

CLIENTS, TAU, RUNS, GAMMA, STEP = 10, 5, 32, 0.1, 0.05
SIZES, ROUNDS, PLAIN = [(1, 1), (50, 50), (100, 100)], (20, 1000), 5
SMALL = [(1, 1), (3, 4)]


def plain_loop(problem: BilevelQuadratic, starts: np.ndarray, R: int) -> np.ndarray:
    """MeFBO as one would write it: run by run, client by client, step by step."""
    dx, ends = problem.dx, []
    P, a, H, b = problem.P, problem.a, problem.H, problem.b
    for start in starts:
        x, y = start[:dx], start[dx:]
        theta = y
        for t_round in range(R):
            c = (t_round + 1) ** 0.1
            Ht, Hx, Hy = np.zeros_like(theta), np.zeros_like(x), np.zeros_like(y)
            for i in range(CLIENTS):
                t, u, v = theta, x, y
                for _ in range(TAU):
                    z = np.concatenate([u, v])
                    df, dg = P[i] @ z - a[i], H[i] @ z - b[i]
                    dt = H[i] @ np.concatenate([u, t]) - b[i]
                    ht = dt[dx:] + (t - v) / GAMMA
                    hx = df[:dx] / c + dg[:dx] - dt[:dx]
                    hy = df[dx:] / c + dg[dx:] - (v - t) / GAMMA
                    Ht, Hx, Hy = Ht + ht / TAU, Hx + hx / TAU, Hy + hy / TAU
                    t, u, v = t - STEP * ht, u - STEP * hx, v - STEP * hy
            theta = theta - STEP * Ht / CLIENTS
            x, y = x - STEP * Hx / CLIENTS, y - STEP * Hy / CLIENTS
        ends.append(np.concatenate([x, y]))
    return np.array(ends)


def row(dx: int, dy: int, *, R: int, repetitions: int) -> list[str]:
    """A row of the table."""
    problem = random_bilevel_quadratic(m=CLIENTS, dx=dx, dy=dy)
    starts = np.random.default_rng(0).normal(size=(RUNS, dx + dy))
    method = MeFBO(gamma=GAMMA, lambda_theta=STEP, lambda_x=STEP, lambda_y=STEP, tau=TAU, p=0.1)

    def ours(R: int = R) -> np.ndarray:
        return run(method, problem, starts, R=R, runs=RUNS, chunk=RUNS, metrics={}).x_last

    times = side_by_side({"loop": lambda: plain_loop(problem, starts, PLAIN), "ours": ours}, repetitions=repetitions)
    error = np.abs(ours(PLAIN) - plain_loop(problem, starts, PLAIN)).max()
    rounds = RUNS * R / np.median(times["ours"])
    gain = ratio(times["loop"], times["ours"]) * R / PLAIN
    return [str(dx), str(dy), str(R), f"{rounds:.0f}", f"{gain:.1f}", f"{error:.0e}"]


def boat(problem: BilevelQuadratic, x: np.ndarray) -> Callable[[int], np.ndarray]:
    """A number of MESO iterations of BOAT, and where they end, on a problem without constraints."""
    import torch
    from boat_torch.boat_opt import Problem

    class Vector(torch.nn.Module):
        def __init__(self, start: np.ndarray) -> None:
            super().__init__()
            self.v = torch.nn.Parameter(torch.as_tensor(start.copy()))

    P, a, H, b = (
        torch.as_tensor(np.tensordot(problem.weights, k, 1)) for k in (problem.P, problem.a, problem.H, problem.b)
    )
    losses = types.ModuleType("losses_for_boat")  # it asks for losses by the name of their module
    sys.modules[losses.__name__] = losses

    def loss(name: str, M: object, q: object) -> dict[str, object]:
        def of(feed: object, outer: Vector, inner: Vector) -> object:
            z = torch.cat([outer.v, inner.v])
            return z @ M @ z / 2 - q @ z

        setattr(losses, name, of)
        return {"function": f"{losses.__name__}.{name}", "params": {}}

    outer, inner = (Vector(part) for part in problem.split(x))
    config = {
        "fo_op": "MESO",
        "MESO": {"eta": STEP, "gamma_1": 1 / GAMMA, "c0": 1.0, "y_hat_lr": STEP},
        **dict.fromkeys(("gm_op", "na_op")),
        **dict.fromkeys(("fo_ol_batch_input", "return_grad"), False),
        "lower_level_model": inner,
        "upper_level_model": outer,
        "lower_level_var": list(inner.parameters()),
        "upper_level_var": list(outer.parameters()),
        "lower_level_opt": torch.optim.SGD(inner.parameters(), lr=STEP),
        "upper_level_opt": torch.optim.SGD(outer.parameters(), lr=STEP),
        "lower_iters": 1,
        "device": "cpu",
        "loss_log_path": os.devnull,
    }
    solver = Problem(config, {"lower_level_loss": loss("lower", H, b), "upper_level_loss": loss("upper", P, a)})
    solver.build_ll_solver()
    torch.set_num_threads(1)

    def iterations(K: int) -> np.ndarray:
        for k in range(K):
            solver.run_iter({}, {}, k)
            solver.loss_history.clear()
        return np.concatenate([part.v.detach().numpy() for part in (outer, inner)])

    return iterations


def against_boat(dx: int, dy: int, *, K: int, repetitions: int) -> list[str]:
    """A row of the second table."""
    problem = random_bilevel_quadratic(m=2, dx=dx, dy=dy, L=2.0)
    method, start = MEHA(gamma=GAMMA, eta=STEP, alpha=STEP, beta=STEP, p=0.25), np.zeros(dx + dy)
    theirs = boat(problem, start)

    def ours(R: int) -> np.ndarray:
        return run(method, problem, start, R=R, metrics={}).x_last[0]

    times = side_by_side({"boat": lambda: theirs(K), "ours": lambda: ours(10 * K)}, repetitions=repetitions)
    microseconds = [1e6 * np.median(times[name]) / steps for name, steps in (("boat", K), ("ours", 10 * K))]
    gain = 10 * ratio(times["boat"], times["ours"])
    return [str(dx), str(dy), *(f"{us:.0f}" for us in microseconds), f"{gain:.0f}"]


def main(repetitions: int = 5) -> None:
    """Print the tables."""
    with one_thread():
        rows = [row(dx, dy, R=R, repetitions=repetitions) for dx, dy in SIZES for R in ROUNDS]
        show(
            f"MeFBO on quadratics, {CLIENTS} clients, tau = {TAU}, {RUNS} runs",
            ["dx", "dy", "rounds", "rounds/s", "times a plain loop", "difference"],
            rows,
        )
        if importlib.util.find_spec("boat_torch") is None:
            print("MEHA against BOAT: skipped, it is not installed (pip install boat-torch)")
            return
        show(
            "MEHA on quadratics, 2 clients, one run, against MESO of BOAT",
            ["dx", "dy", "BOAT, us", "ours, us", "times BOAT"],
            [against_boat(dx, dy, K=100, repetitions=repetitions) for dx, dy in SMALL],
        )


if __name__ == "__main__":
    main()
