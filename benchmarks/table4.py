"""All 72 cells of the leader-follower table (fedrzo, Section 6.4): the closed form against the method as it is.

The closed form runs the 24 cells of one number of local steps together and replaces the inner iterations, up to 609 in
each of two calls per local step, by a table; the method is timed on single cells of a few rounds and gives the same
models, up to rounding.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from benchmarks.timing import one_thread, seconds, show
from rateproof.algos.engine import run
from rateproof.algos.methods.fedrzo_lower import FedRZO_2s
from rateproof.algos.methods.vi import ProjectionMethod
from rateproof.verify.papers.fedrzo.experiments import table4

H, ETA, B, ROUNDS = 10, 0.1, 0.5, 2


def cell(plan: table4.Plan, followers: int, tau: float, alpha: float) -> tuple[float, float]:
    """Seconds that the method takes for one cell of few rounds, and its distance from the closed form."""
    few = replace(plan, R=ROUNDS, followers=((followers, tau, alpha),), slopes=(B,), local_steps=(H,), radii=(ETA,))
    method = FedRZO_2s(gamma=few.gamma, eta=ETA, H=H, solver=ProjectionMethod(alpha, tau))
    ended: list[float] = []
    took = seconds(
        lambda: ended.append(
            float(run(method, table4.market_of(few, followers, B), [few.x0], R=ROUNDS, seed=few.seed).x_last[0, 0])
        )
    )
    return took, abs(ended[0] - table4.cells(few)[0].x)


def main(repetitions: int = 3) -> None:
    """Measure and print."""
    plan = table4.Plan()
    with one_thread():
        whole = float(np.median([seconds(lambda: table4.cells(plan)) for _ in range(repetitions)]))
        rows = [["closed form", "all 72", "100", f"{whole:.2f}", ""]]
        for followers, tau, alpha in plan.followers:
            took, off = cell(plan, followers, tau, alpha)
            name = f"nt = {followers}, H = {H}"
            rows.append(["method", name, str(ROUNDS), f"{took:.2f}", f"{off:.0e}"])
    show("Table 4", ["route", "cells", "rounds", "seconds", "difference"], rows)


if __name__ == "__main__":
    main()
