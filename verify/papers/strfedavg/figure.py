"""The figure of Section 5.1: three metrics against communication rounds, one curve per number of local steps."""

from __future__ import annotations

import io
from collections.abc import Mapping
from typing import Any

import numpy as np

from algos.problems.base import Array
from verify.papers.strfedavg.experiment import Trace

# Okabe and Ito's palette from dark to light with a dash of its own each: readable without colour.
_STYLES = (("#000000", ":"), ("#0072b2", "-."), ("#009e73", "--"), ("#d55e00", "-"))
_LABELS = (
    r"$\mathrm{E}\,|f(\bar x_r)-f(\bar x_{r-1})|$",
    r"$\mathrm{E}\,f(\bar x_r)$",
    r"$\mathrm{E}\,h(\bar x_r)-h^*$",
)
# A mean that has left this factor of its start has diverged, and would squeeze the others.
_DIVERGED = 100.0


def picture(
    rows: Mapping[str, Mapping[int, Trace]], *, f_star: float, h_star: float = 0.0, dpi: int = 90, width: float = 11.0
) -> bytes:
    """Draw one row of three panels per group of traces.

    Lines are means over the runs; bands, in the panels of ``f`` and ``h``, reach from the smallest run to the largest.

    Args:
        rows: title of the row -> number of local steps -> trace; up to four traces a row.
        f_star: level to mark in the panel of ``f``.
        h_star: subtracted from ``h``, which has a logarithmic axis.
        dpi: dots per inch.
        width: inches.

    Returns:
        The bytes of a PNG, the same for the same numbers.

    Raises:
        ValueError: a row has more than four traces, or there is no row.
    """
    # Here, because it takes half a second; without pyplot, so that no global state is touched.
    from matplotlib.figure import Figure

    if not rows or max(map(len, rows.values())) > len(_STYLES):
        raise ValueError(
            f"rows has {len(rows)} entries; it should have at least one, each of 1 to {len(_STYLES)} traces"
        )
    figure = Figure(figsize=(width, 2.9 * len(rows)), dpi=dpi, layout="constrained")
    grid = figure.subplots(len(rows), 3, sharex=True, sharey="col", squeeze=False)
    for axes, (title, traces) in zip(grid, rows.items(), strict=True):
        for (K, trace), style in zip(traces.items(), _STYLES, strict=False):
            for ax, values in zip(axes, (trace.change, trace.f, trace.h - h_star), strict=True):
                _curve(ax, values, style, f"K = {K}", band=ax is not axes[0])
        for ax, label, scale in zip(axes, _LABELS, ("log", "linear", "log"), strict=True):
            ax.set(xscale="log", yscale=scale, ylabel=label)
            ax.grid(alpha=0.25, linewidth=0.5)
        axes[0].set_title(title, loc="left", fontsize="medium")
        axes[1].axhline(f_star, color="0.4", linewidth=1)
        axes[1].annotate("$f^*$", (1, f_star), (2, 0), xycoords=("axes fraction", "data"), textcoords="offset points")
        axes[2].legend(frameon=False, fontsize="small", loc="lower left")
    for ax in grid[-1]:
        ax.set_xlabel("communication round $r$")
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", metadata={"Software": None})
    return buffer.getvalue()


def _curve(ax: Any, values: Array, style: tuple[str, str], label: str, *, band: bool) -> None:
    """Mean over the runs from round 1 on, cut where it has diverged; round 0 has no place on a logarithmic axis."""
    colour, dash = style
    values = values[1:]
    mean = values.mean(axis=1)
    near = mean <= _DIVERGED * max(1.0, float(mean[0]))
    stop = len(mean) if near.all() else int(np.argmin(near))
    rounds, values = np.arange(1, stop + 1), values[:stop]
    label += "" if near.all() else " (diverges)"
    ax.plot(rounds, mean[:stop], color=colour, linestyle=dash, linewidth=1.6 if band else 0.8, label=label)
    if band:
        ax.fill_between(rounds, values.min(axis=1), values.max(axis=1), color=colour, alpha=0.15, linewidth=0)
