"""Figures of the market and of Table 4; every function returns a figure of matplotlib."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from rateproof.algos.problems.cournot import Cournot
from rateproof.verify.experiments.figures import STYLES, figure
from rateproof.verify.papers.fedrzo.experiments.cells import Cell
from rateproof.verify.papers.fedrzo.experiments.table4 import Course


def landscape(market: Cournot, courses: Sequence[Course]) -> Any:
    """One market: its equilibrium, the leader's loss with and without followers, and what the runs do.

    Args:
        market: the instance.
        courses: runs on it, up to six.
    """
    drawn, (axes,) = figure(3)
    x = np.linspace(0, market.x_cap, 401)
    mean = (market.a_low + market.a_high) / 2
    for a, style in zip((market.a_low, market.a_high, mean), (":", "--", "-"), strict=True):
        sales = market.lower_solution(x[:, None], np.full((len(x), 1), a)).sum(axis=-1)
        axes[0].plot(x, a - market.b * (x + sales), color="#0072b2", linestyle=style, label=f"price, a = {a:g}")
    # Sales may be hundreds of times the price, so they get a scale of their own.
    sold = axes[0].twinx()
    axes[0].plot([], [], color="#d55e00", linestyle="-.", label=f"sales, a = {mean:g} (right)")
    sold.plot(x, sales, color="#d55e00", linestyle="-.")
    sold.set_ylabel("followers' sales", color="#d55e00")
    sold.set_ylim(0, 1.35 * sales.max())
    axes[0].set(title=f"equilibrium, {market.nt} followers, b = {market.b:g}", xlabel="leader's sales x")
    axes[0].set_ylabel("price", color="#0072b2")
    axes[0].set_ylim(0, 2.2 * axes[0].dataLim.ymax)
    alone = market.c0 / 2 * x * x - x * (mean - market.b * x)
    best = market.optimum
    axes[1].plot(x, market.f(x[:, None]), color="#000000", label="$f$: followers at equilibrium")
    axes[1].plot(x, alone, color="#0072b2", linestyle="--", label="followers sell nothing")
    axes[1].plot(*best, "*", color="#d55e00", markersize=11, label=f"optimum ({best[0]:.2f}, {best[1]:.3f})")
    axes[1].set(title="what the leader minimises", xlabel="leader's sales x", ylabel="loss")
    for course, (colour, dash, _) in zip(courses, STYLES, strict=False):
        name = f"H = {course.cell.H}"
        rounds = np.arange(len(course.x))
        axes[2].plot(rounds, course.own, color=colour, linestyle=dash, linewidth=1, alpha=0.6)
        axes[2].plot(rounds, course.true, color=colour, linestyle=dash, linewidth=1.8, label=name)
    axes[2].axhline(best[1], color="0.5", linewidth=1)
    axes[2].set(title="thin: at the method's y, thick: $f$", xlabel="communication round", ylabel="loss")
    for ax in axes:
        ax.legend(frameon=False, fontsize="small")
    return drawn


def comparison(cells: Iterable[Cell]) -> Any:
    """Table 4 in two panels: printed against rerun, and printed, ``f`` and the least ``f`` by row and ``H``."""
    cells = list(cells)
    drawn, (axes,) = figure(2, height=4.2)
    rows = list(dict.fromkeys((c.followers, c.b) for c in cells))
    for followers, (colour, _, marker) in zip(dict(rows), STYLES, strict=False):
        some = [c for c in cells if c.followers == followers]
        axes[0].plot(
            [c.printed for c in some],
            [c.own for c in some],
            marker,
            color=colour,
            fillstyle="none",
            label=f"{followers} followers",
        )
    ends = np.array([min(c.printed for c in cells), max(c.printed for c in cells)])
    axes[0].plot(ends, ends, color="0.6", linewidth=1)
    axes[0].set(title="all cells", xlabel="printed", ylabel="rerun, at the method's y")
    shown = {(c.followers, c.b, c.H): c for c in cells}  # the radius hardly matters: the last one stands for all
    series = (("printed", "s", "printed"), ("true", "o", "$f$ at the same point"), ("best", "_", "least $f$"))
    for key, style, label in series:
        at = [rows.index((c.followers, c.b)) + _OFFSET.get(c.H, 0.0) for c in shown.values()]
        axes[1].plot(at, [getattr(c, key) for c in shown.values()], style, fillstyle="none", label=label)
    axes[1].set_yscale("symlog", linthresh=0.01)
    axes[1].set_xticks(range(len(rows)), [f"{n}\nb={b:g}" for n, b in rows])
    axes[1].set(title="H = 1, 10, 20 from left to right", xlabel="followers and slope", ylabel="loss")
    for ax in axes:
        ax.legend(frameon=False, fontsize="small")
    return drawn


_OFFSET = {1: -0.25, 20: 0.25}
