"""Figures of experiments: curves with intervals, in colours and dashes that are readable without colour."""

from __future__ import annotations

import io
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import cycle
from typing import Any

import numpy as np

from rateproof.algos.problems.base import Array
from rateproof.verify.experiments.intervals import student

#: Okabe and Ito's palette with a dash and a marker of its own each: readable without colour.
STYLES = (
    ("#000000", ":", "s"),
    ("#0072b2", "-.", "^"),
    ("#009e73", "--", "o"),
    ("#d55e00", "-", "D"),
    ("#cc79a7", (0, (5, 1, 1, 1, 1, 1)), "v"),
    ("#e69f00", (0, (1, 2)), "P"),
)
# A mean this many times its start has diverged and would squeeze the others.
_DIVERGED = 3.0


def figure(
    columns: int, *, rows: int = 1, width: float = 11.0, height: float = 3.4, dpi: int = 90, **shared: Any
) -> tuple[Any, Any]:
    """An empty figure and its axes, ``(rows, columns)``; without pyplot, so that no global state is touched.

    Args:
        columns, rows: of axes.
        width: of the figure, in inches.
        height: of a row, in inches.
        dpi: dots per inch.
        shared: ``sharex`` and ``sharey`` of matplotlib.
    """
    from matplotlib.figure import Figure  # here, because it takes half a second

    drawn = Figure(figsize=(width, height * rows), dpi=dpi, layout="constrained")
    axes = drawn.subplots(rows, columns, squeeze=False, **shared)
    for ax in axes.flat:
        ax.grid(alpha=0.25, linewidth=0.5)
    return drawn, axes


def png(drawn: Any) -> bytes:
    """The bytes of a PNG, the same for the same figure."""
    buffer = io.BytesIO()
    drawn.savefig(buffer, format="png", metadata={"Software": None})
    return buffer.getvalue()


#: A coordinate with more digits than a reader sees, and than every processor computes alike.
_COORDINATE = re.compile(rb'(?<=[ ="])-?\d+\.\d{3,}(?=[ "\n])')


def svg(drawn: Any) -> bytes:
    """The bytes of an SVG, the same for the same figure; coordinates are rounded to a hundredth of a point."""
    from matplotlib import rc_context

    buffer = io.BytesIO()
    with rc_context({"svg.hashsalt": "rateproof"}):  # else its ids are random
        drawn.savefig(buffer, format="svg", metadata={"Date": None, "Creator": None})
    return _COORDINATE.sub(lambda found: b"%.2f" % float(found[0]), buffer.getvalue())


def curves(ax: Any, lines: Mapping[str, tuple[Any, ...]], *, marked: bool = False, dots: bool = False) -> None:
    """Draw some curves, each in a colour with a dash of its own.

    Args:
        ax: the axes.
        lines: the curves by what they are, each as its points along both axes, and half the lengths of the intervals
            at these where they are shown; up to five. Columns of a matrix are curves of one kind.
        marked: whether each point has a marker.
        dots: whether the points are markers without a curve through them.

    Raises:
        ValueError: there are more curves than styles.
    """
    styles = STYLES[1:]
    if len(lines) > len(styles):
        raise ValueError(f"lines has {len(lines)} entries; it should have at most {len(styles)}")
    for (label, (x, y, *half)), (colour, dash, marker) in zip(lines.items(), styles, strict=False):
        style: dict[str, Any] = {"color": colour, "linestyle": "none" if dots else dash}
        if marked or dots:
            style |= {"marker": marker, "fillstyle": "none", "markersize": 4}
        if half:
            ax.errorbar(x, y, *half, label=label, **style)
        else:
            ax.plot(x, y, **style)[0].set_label(label)


@dataclass(frozen=True)
class Panel:
    """What a pair of axes shows.

    Attributes:
        title: above it.
        lines: curves by what they are, as of :func:`curves`.
        grey: thin curves with which these are compared; a name that begins with ``_`` stays out of the legend.
        levels: heights with which they are compared, and that the title or caption names.
        marked, dots: as of :func:`curves`.
        axes: what ``set`` of matplotlib's axes takes: ``xlabel``, ``yscale``, ``ylim``.
    """

    title: str
    lines: Mapping[str, tuple[Any, ...]]
    grey: Mapping[str, tuple[Any, Any]] = field(default_factory=dict)
    levels: Sequence[float] = ()
    marked: bool = False
    dots: bool = False
    axes: Mapping[str, Any] = field(default_factory=dict)


def panels(*those: Panel, width: float | None = None, height: float = 3.4, **shared: Any) -> Any:
    """A figure of panels beside each other, each with a legend of what it shows.

    Args:
        those: the panels, from left to right.
        width, height, shared: as of :func:`figure`; one panel is narrower than several.

    Raises:
        ValueError: as :func:`curves`.
    """
    drawn, (axes,) = figure(len(those), width=width or (6.5 if len(those) == 1 else 11.0), height=height, **shared)
    for ax, panel in zip(axes, those, strict=True):
        for level in panel.levels:
            ax.axhline(level, color="0.6", linewidth=0.8)
        for (label, (x, y)), dash in zip(panel.grey.items(), cycle(("-", "--", ":"))):
            ax.plot(x, y, color="0.5", linestyle=dash, linewidth=0.8, label=label)
        curves(ax, panel.lines, marked=panel.marked, dots=panel.dots)
        ax.set(title=panel.title, **panel.axes)
        if any(not str(label).startswith("_") for label in ax.get_legend_handles_labels()[1]):
            ax.legend(frameon=False, fontsize="small")
    return drawn


def thinned(points: int, most: int = 160) -> Any:
    """Which of some points a logarithmic axis shows: the first ones all, later ones ever more sparsely."""
    return np.unique(np.rint(np.geomspace(1, points, most)).astype(int)) - 1


def losses(
    panels: Mapping[str, Mapping[str, tuple[Array, Array]]],
    *,
    ylabel: str,
    scale: str = "linear",
    xlabel: str = "communication round",
    xscale: str = "linear",
) -> Any:
    """Means of curves with a 95% interval for the mean over replicates.

    Args:
        panels: title -> label -> rounds ``(points,)`` and values ``(points, runs)``; up to six curves a panel.
        ylabel: of the vertical axis, which all panels share.
        scale: of the vertical axis.
        xlabel, xscale: of the horizontal axis.

    Raises:
        ValueError: a panel has more than six curves, or there is no panel.
    """
    if not panels or max(map(len, panels.values())) > len(STYLES):
        raise ValueError(
            f"panels has {len(panels)} entries; it should have at least one, of up to {len(STYLES)} curves"
        )
    drawn, axes = figure(len(panels))
    for ax, (title, curves) in zip(axes[0], panels.items(), strict=True):
        for (label, (rounds, values)), (colour, dash, _) in zip(curves.items(), STYLES, strict=False):
            mean, half = interval(values)
            near = mean <= _DIVERGED * mean[0]
            stop = len(mean) if near.all() else int(near.argmin())
            rounds, mean, half = rounds[:stop], mean[:stop], half[:stop]
            label += "" if near.all() else " (diverges)"
            ax.plot(rounds, mean, color=colour, linestyle=dash, linewidth=1.4, label=label)
            ax.fill_between(rounds, mean - half, mean + half, color=colour, alpha=0.2, linewidth=0)
        ax.set(title=title, xlabel=xlabel, xscale=xscale, yscale=scale)
        ax.sharey(axes[0, 0])
        ax.legend(frameon=False, fontsize="small")
    axes[0, 0].set_ylabel(ylabel)
    return drawn


def interval(values: Array) -> tuple[Array, Array]:
    """Mean over the last axis and half the width of Student's 95% interval for it; 0 for a single replicate."""
    mean = values.mean(axis=-1)
    if values.shape[-1] == 1:
        return mean, np.zeros_like(mean)
    return mean, student(values, 0.05)
