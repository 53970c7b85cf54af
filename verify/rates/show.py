"""Numbers over the points of an assertion, as a small plot in text."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike

ROWS = 12
WIDTH = 32


def chart(at: ArrayLike, columns: Mapping[str, ArrayLike], *, worst: int | None = None) -> str:
    """A table with one row per point and a bar for the last column; a ``|`` in the bars marks the value 1.

    Args:
        at: the points, shape ``(points,)``.
        columns: heading -> numbers, of the same shape.
        worst: index of the row to mark; at most twelve rows are shown, and this one always is.
    """
    x, *numbers = (np.asarray(c, dtype=np.float64) for c in (at, *columns.values()))
    heads, bars = ["at", *columns], numbers[-1]
    shown = _rows(len(x), worst)
    cells = [[f"{x[i]:g}", *(f"{c[i]:.4g}" for c in numbers)] for i in shown]
    widths = [max(len(head), *(len(row[j]) for row in cells)) for j, head in enumerate(heads)]
    largest = max((bars[i] for i in shown if math.isfinite(bars[i])), default=1.0)
    scale = WIDTH / max(largest, 1.0)
    lines = ["  ".join(h.rjust(w) for h, w in zip(heads, widths, strict=True))]
    for i, row in zip(shown, cells, strict=True):
        mark = "  <- worst" if i == worst else ""
        line = "  ".join(c.rjust(w) for c, w in zip(row, widths, strict=True))
        lines.append(f"{line}  {_bar(bars[i], scale)}{mark}")
    return "\n".join("  " + line for line in lines)


def _bar(value: float, scale: float) -> str:
    length = 0 if math.isnan(value) else round(min(max(value, 0.0) * scale, WIDTH))
    one = min(round(scale), WIDTH) - 1
    bar = list("#" * length + " " * (WIDTH - length))
    bar[one] = "|"
    return "".join(bar).rstrip()


def _rows(count: int, worst: int | None) -> list[int]:
    if count <= ROWS:
        return list(range(count))
    rows = {round(k * (count - 1) / (ROWS - 2)) for k in range(ROWS - 1)}
    return sorted(rows | ({worst} if worst is not None else set()))
