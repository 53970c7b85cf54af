"""Figures of Section 5: metrics against communication rounds, one curve per number of local steps."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from rateproof.algos.problems.base import Array
from rateproof.verify.experiments.figures import STYLES, figure, thinned
from rateproof.verify.papers.strfedavg.experiment import Trace

_STYLES = [(colour, dash) for colour, dash, _ in STYLES[:4]]
# A mean this many times its start, and the panel's size, has diverged and would squeeze the others.
_DIVERGED = 100.0


class Curves(Protocol):
    """What is drawn of one run of an experiment."""

    @property
    def rounds(self) -> NDArray[np.int64]:
        """Communication rounds at which something was measured, from 0 on: ``(points,)``."""


@dataclass(frozen=True)
class Panel:
    """One metric.

    Attributes:
        label: of the vertical axis.
        values: of a trace, ``(points, runs)``.
        scale: of the vertical axis, "log" or "linear".
        band: whether to show the range of the runs.
        level: a value to mark, and its name.
        size: of the metric; what is not beyond a hundred times it has not diverged.
    """

    label: str
    values: Callable[[Any], Array]
    scale: str
    band: bool = True
    level: tuple[float, str] | None = None
    size: float = 1.0


def picture(
    rows: Mapping[str, Mapping[int, Trace]], *, f_star: float, h_star: float = 0.0, dpi: int = 90, width: float = 11.0
) -> Any:
    """The figure of Section 5.1: one row of three panels per group of traces.

    Lines are means over the runs; bands, in the panels of ``f`` and ``h``, reach from the smallest run to the largest.

    Args:
        rows: title of the row -> number of local steps -> trace; up to four traces a row.
        f_star: level to mark in the panel of ``f``.
        h_star: subtracted from ``h``, which has a logarithmic axis.
        dpi: dots per inch.
        width: inches.

    Returns:
        The figure.

    Raises:
        ValueError: a row has more than four traces, or there is no row.
    """
    panels = (
        Panel(r"$\mathrm{E}\,|f(\bar x_r)-f(\bar x_{r-1})|$", lambda trace: trace.change, "log", band=False),
        Panel(r"$\mathrm{E}\,f(\bar x_r)$", lambda trace: trace.f, "linear", level=(f_star, "$f^*$")),
        Panel(r"$\mathrm{E}\,h(\bar x_r)-h^*$", lambda trace: trace.h - h_star, "log"),
    )
    return draw(rows, panels, dpi=dpi, width=width)


def draw(
    rows: Mapping[str, Mapping[int, Curves]], panels: Sequence[Panel], *, dpi: int = 90, width: float = 11.0
) -> Any:
    """Draw one row of panels per group of traces.

    Args:
        rows: title of the row -> number of local steps -> trace; up to four traces a row.
        panels: from left to right, at least two.
        dpi: dots per inch.
        width: inches.

    Returns:
        The figure.

    Raises:
        ValueError: a row has more than four traces, or there is no row.
    """
    if not rows or max(map(len, rows.values())) > len(_STYLES):
        raise ValueError(
            f"rows has {len(rows)} entries; it should have at least one, each of 1 to {len(_STYLES)} traces"
        )
    drawn, grid = figure(len(panels), rows=len(rows), width=width, height=2.9, dpi=dpi, sharex=True, sharey="col")
    for axes, (title, traces) in zip(grid, rows.items(), strict=True):
        for (K, trace), style in zip(traces.items(), _STYLES, strict=False):
            for ax, panel in zip(axes, panels, strict=True):
                _curve(ax, panel, trace, style, f"K = {K}")
        for ax, panel in zip(axes, panels, strict=True):
            ax.set(xscale="log", yscale=panel.scale, ylabel=panel.label)
        axes[0].set_title(title, loc="left", fontsize="medium")
        for ax, panel in zip(axes, panels, strict=True):
            if panel.level is not None:
                value, name = panel.level
                ax.axhline(value, color="0.4", linewidth=1)
                ax.annotate(name, (1, value), (2, 0), xycoords=("axes fraction", "data"), textcoords="offset points")
        axes[-1].legend(frameon=False, fontsize="small", loc="lower left")
    for ax in grid[-1]:
        ax.set_xlabel("communication round $r$")
    return drawn


def _curve(ax: Any, panel: Panel, trace: Curves, style: tuple[str, Any], label: str) -> None:
    """Mean over the runs from round 1 on, cut where it has diverged; round 0 has no place on a logarithmic axis."""
    colour, dash = style
    drawn = np.flatnonzero(trace.rounds > 0)
    drawn = drawn[thinned(len(drawn))]
    rounds, values = trace.rounds[drawn], panel.values(trace)[drawn]
    mean = values.mean(axis=1)
    near = mean <= _DIVERGED * max(panel.size, float(mean[0]))
    stop = len(mean) if near.all() else int(np.argmin(near))
    rounds, values = rounds[:stop], values[:stop]
    label += "" if near.all() else " (diverges)"
    ax.plot(rounds, mean[:stop], color=colour, linestyle=dash, linewidth=1.6 if panel.band else 0.8, label=label)
    if panel.band:
        ax.fill_between(rounds, values.min(axis=1), values.max(axis=1), color=colour, alpha=0.15, linewidth=0)
