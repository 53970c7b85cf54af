"""Table 4 rerun: FedRZO_2s on the leader-follower market, all 72 cells, and what the printed numbers are.

The fast route uses that Algorithm 5 is affine in ``s = a - b x`` while no follower meets a bound: from ``y_0`` it gives
``y_t = s w_t + z_t`` with ``w``, ``z`` that depend on the market and ``t`` alone. That no follower met a bound in any
call is checked afterwards over the range of ``s`` that occurred. The methods of ``algos`` give the same paths (a test
compares them); they draw the same random numbers.

``python -m rateproof.verify.papers.fedrzo.experiments.table4 [--json FILE] [--csv FILE] [--seed N]`` prints the
comparison.
"""

from __future__ import annotations

import json
import math
import os
import sys
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

import numpy as np

from rateproof.algos.methods.vi import ProjectionMethod
from rateproof.algos.noise import Streams
from rateproof.algos.problems.base import Array
from rateproof.algos.problems.cournot import Cournot, cournot, drawn_cournot
from rateproof.algos.problems.market import FreePath
from rateproof.verify.papers.fedrzo.experiments.cells import Cell, as_csv, findings, summary
from rateproof.verify.papers.fedrzo.twostage.game import lower_bound
from rateproof.verify.papers.fedrzo.twostage.table4_printed import FOLLOWERS, LOCAL_STEPS, PRINTED, RADII, SLOPES

#: Columns of the printed comparison; ``sold``: what Algorithm 5 lets the followers sell, as a share of the equilibrium.
HEAD = ("nt", "b", "H", "eta", "printed", "own y", "off", "true f", "best f", "x", "best x", "sold")

#: More do not fit in memory together with all steps.
MOST_CLIENTS = 100_000


@dataclass(frozen=True, kw_only=True)
class Plan:
    """How the table is rerun. Printed: ``gamma``, ``R``, and per setting ``tau``, ``alpha``, ``H``, ``eta``.

    Attributes:
        m: clients; not printed. The spread of the printed cells over ``eta`` fits one to two hundred.
        x0: start of the leader; not printed. The cells with ``H = 1`` fit values below 0.02 only.
        y0: start of every follower in every call of Algorithm 5; not printed, and only about 0 fits.
        seed: of the market within the printed ranges, and of all draws.
        gamma: upper stepsize.
        R: communication rounds.
        followers: rows of the table, with ``tau`` and ``alpha`` of each.
    """

    m: int = 100
    x0: float = 0.0
    y0: float = 0.0
    seed: int = 0
    gamma: float = 1e-3
    R: int = 100
    followers: tuple[tuple[int, float, float], ...] = tuple((n, t, float(a)) for n, (t, a) in FOLLOWERS.items())
    slopes: tuple[float, ...] = SLOPES
    local_steps: tuple[int, ...] = LOCAL_STEPS
    radii: tuple[float, ...] = RADII

    def __post_init__(self) -> None:
        for name in ("m", "R"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} is {getattr(self, name)}; it should be at least 1")
        if not 0 < self.gamma < math.inf:
            raise ValueError(f"gamma is {self.gamma}; it should be a positive number")


@dataclass(frozen=True, eq=False)
class Course:
    """Server models after every round, ``(R + 1,)``, of one cell, and both losses there."""

    cell: Cell
    x: Array = field(repr=False)
    own: Array = field(repr=False)
    true: Array = field(repr=False)


def market_of(plan: Plan, followers: int, b: float) -> Cournot:
    """The market of a row: costs and capacities drawn by the seed, the same firms for every ``b``."""
    return drawn_cournot(nt=followers, m=plan.m, b=b, seed=plan.seed)


@dataclass(frozen=True, eq=False)
class Sales:
    """What Algorithm 5 lets the followers sell together, before anybody meets a bound: ``s moved[t] + start[t]``.

    Attributes:
        market: whose followers.
        moved, start: by number of steps ``t``, ``(steps + 1,)``.
        low, high: the range of ``s`` in which no iterate meets a bound, so that no projection acts.
        method: that finds them.
    """

    market: Cournot
    moved: Array
    start: Array
    low: float
    high: float
    method: ProjectionMethod

    def at(self, k: int) -> int:
        """Steps ``t_k`` in iteration ``k``."""
        return self.method.steps(k)

    def check(self, low: float, high: float) -> None:
        """Check that all ``s`` of a run, which lie in ``[low, high]``, are in the range.

        Raises:
            ValueError: one is not.
        """
        if not self.low <= low <= high <= self.high:
            raise ValueError(
                f"Algorithm 5 meets a bound of the box for a - b x in [{low:.4g}, {high:.4g}], with "
                f"{self.market.nt} followers: the closed form does not hold; run the method itself"
            )


def sales_of(market: Cournot, method: ProjectionMethod, last: int) -> Sales:
    """:class:`Sales` up to the step count of iteration ``last``."""
    path = FreePath(market.b, market.c, market.cap, np.broadcast_to(method.y0, market.nt), method.alpha)
    steps = method.steps(last)
    moved, start = np.empty((2, steps + 1))
    for t in range(steps + 1):
        z, u, low, high = path.at(t)
        moved[t], start[t] = u.sum(), z.sum()
    return Sales(market, moved, start, low, high, method)


def draws(plan: Plan, H: int) -> tuple[Array, Array]:
    """Demands ``a`` and signs of directions, each ``(R H, m)``: what the methods of ``algos`` draw with this seed.

    The law of ``a`` is the same in every market.
    """
    rng, rows, market = Streams(plan.seed, 0, 1), np.arange(1), cournot(m=plan.m)
    a, sign = np.empty((2, plan.R, H, plan.m))
    for r in range(plan.R):
        a[r] = np.asarray(market.draw(rng, r + 1, H))[:, 0, :, 0]
        for i in range(plan.m):
            sign[r, :, i] = rng.directions(r + 1, i, H, 1, rows)[:, 0, 0]
    return a.reshape(-1, plan.m), sign.reshape(-1, plan.m)


def courses(plan: Plan) -> list[Course]:
    """Run every cell. All of one ``H`` go through together and share their draws."""
    out: list[Course] = []
    markets = {(n, b): market_of(plan, n, b) for n, _, _ in plan.followers for b in plan.slopes}
    optima = {key: market.optimum for key, market in markets.items()}
    last = plan.R * max(plan.local_steps)
    lower = {
        (n, b): sales_of(markets[n, b], ProjectionMethod(alpha, tau, plan.y0), last)
        for n, tau, alpha in plan.followers
        for b in plan.slopes
    }
    for H in plan.local_steps:
        keys = [(n, b, eta) for n, b in markets for eta in plan.radii]
        x, low, high = _run(plan, H, [lower[n, b] for n, b, _ in keys], np.array([eta for _, _, eta in keys]))
        for j, (n, b, eta) in enumerate(keys):
            lower[n, b].check(low[j], high[j])
            out.append(_course(plan, lower[n, b], optima[n, b], (n, b, H, eta), x[:, j]))
    order = {key: i for i, key in enumerate(markets)}
    return sorted(out, key=lambda run: order[run.cell.followers, run.cell.b])


def cells(plan: Plan) -> list[Cell]:
    """The cells, row by row as printed."""
    return [course.cell for course in courses(plan)]


def _run(plan: Plan, H: int, lower: Sequence[Sales], eta: Array) -> tuple[Array, Array, Array]:
    """Server models ``(R + 1, cells)``, and per cell the least and largest ``a - b x`` of a call of Algorithm 5."""
    a, sign = draws(plan, H)
    b = np.array([f.market.b for f in lower])[:, None]
    c0 = np.array([f.market.c0 for f in lower])[:, None]
    cap = np.array([f.market.x_cap for f in lower])[:, None]
    v = eta[:, None] * sign[:, None, :]
    x = np.full((len(lower), plan.m), plan.x0)
    course = [x.mean(axis=1)]
    low, high = np.full(len(lower), np.inf), np.full(len(lower), -np.inf)
    for k in range(plan.R * H):
        moved = np.array([f.moved[f.at(k)] for f in lower])[:, None]
        start = np.array([f.start[f.at(k)] for f in lower])[:, None]
        q = x + v[k]
        s, s_q = a[k] - b * x, a[k] - b * q
        low = np.minimum(low, np.minimum(s, s_q).min(axis=1))
        high = np.maximum(high, np.maximum(s, s_q).max(axis=1))
        # the loss c0 x^2/2 - x (a - b (x + sum y)) with sum y = s moved + start
        rise = c0 / 2 * (q * q - x * x) - q * (s_q - b * (s_q * moved + start)) + x * (s - b * (s * moved + start))
        penalty = (x - np.clip(x, 0, cap)) / eta[:, None]
        x = x - plan.gamma * (rise / eta[:, None] ** 2 * v[k] + penalty)
        if (k + 1) % H == 0:
            x = np.repeat(x.mean(axis=1, keepdims=True), plan.m, axis=1)
            course.append(x[:, 0])
    return np.stack(course), low, high


def _course(
    plan: Plan, lower: Sales, optimum: tuple[float, float], setting: tuple[int, float, int, float], x: Array
) -> Course:
    n, b, H, eta = setting
    market = lower.market
    mean = (market.a_low + market.a_high) / 2
    at = [lower.at(r * H) for r in range(plan.R + 1)]
    s = mean - b * x
    sold = s * lower.moved[at] + lower.start[at]
    # The loss is affine in the followers' sales and these in a: the mean over a is the value at its mean.
    lower.check(market.a_low - b * float(x.max()), market.a_high - b * float(x.min()))
    own = market.c0 / 2 * x * x - x * (s - b * sold)
    true = market.f(x[:, None])
    in_balance = float(market.lower_solution(x[-1:], np.array([mean])).sum())
    cell = Cell(
        followers=n,
        b=b,
        H=H,
        eta=eta,
        printed=float(PRINTED.get(setting, "nan")),
        own=float(own[-1]),
        true=float(true[-1]),
        x=float(x[-1]),
        best=optimum[1],
        x_best=optimum[0],
        sold=float(sold[-1]) / in_balance,
        floor=float(lower_bound(n, b)),
    )
    return Course(cell, x, own, true)


def as_json(plan: Plan, cells: Iterable[Cell]) -> str:
    """The plan and the cells."""
    return json.dumps({"plan": asdict(plan), "cells": [asdict(c) for c in cells]}, indent=1) + "\n"


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the comparison, and write it where asked: the exit status."""
    import argparse

    from rateproof.verify.stored.files import check_target, write_atomically

    parser = argparse.ArgumentParser(
        prog="python -m rateproof.verify.papers.fedrzo.experiments.table4", description=__doc__
    )
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("--json", type=Path, help="write the plan and the cells to this file")
    parser.add_argument("--csv", type=Path, help="write the cells to this file")
    parser.add_argument("--seed", type=int, default=Plan.seed, help="of the market and of all draws")
    parser.add_argument("--clients", type=int, default=Plan.m, help="clients m")
    options = parser.parse_args(arguments)
    try:
        check_target("--json", options.json, (".json",))
        check_target("--csv", options.csv, (".csv",))
        if not 0 <= options.seed < 2**64:
            raise ValueError(f"--seed {options.seed} should be a whole number from 0 to 2^64 - 1")
        if not 1 <= options.clients <= MOST_CLIENTS:
            raise ValueError(f"--clients {options.clients} should be a whole number from 1 to {MOST_CLIENTS}")
        plan = Plan(seed=options.seed, m=options.clients)
        found = cells(plan)
        _report(found)
        for path, text in ((options.json, as_json(plan, found)), (options.csv, as_csv(found))):
            if path:
                write_atomically(path, text)
    except BrokenPipeError:  # the reader has gone; nothing more can be said to it
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 141
    except (ValueError, OSError) as error:
        parser.error(str(error))
    except KeyboardInterrupt:
        print(f"{parser.prog}: interrupted", file=sys.stderr)
        return 130
    return 0


def _report(cells: Sequence[Cell]) -> None:
    from rateproof.verify.pages.render import Column, print_table

    print_table(
        [Column(name, right=True) for name in HEAD],
        [
            [
                *(str(c.followers), f"{c.b:g}", str(c.H), f"{c.eta:g}", f"{c.printed:.3f}", f"{c.own:.3f}"),
                *(f"{c.off:+.1%}", f"{c.true:.4f}", f"{c.best:.4f}", f"{c.x:.3f}", f"{c.x_best:.3f}", f"{c.sold:.1%}"),
            ]
            for c in cells
        ],
    )
    print(summary(findings(cells)))


if __name__ == "__main__":
    raise SystemExit(main())
