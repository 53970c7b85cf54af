"""The cells of Table 4, and what they show together."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, fields

import numpy as np

from rateproof.algos.problems.base import Array


@dataclass(frozen=True)
class Cell:
    """One cell of the table.

    Attributes:
        followers, b, H, eta: of the setting.
        printed: the number in the paper; NaN for a setting that it does not have.
        own: the leader's mean loss at ``x`` with the followers where Algorithm 5 leaves them.
        true: the implicit objective ``f(x)``, with the followers at equilibrium.
        x: the last server model, ``xb_K``.
        best, x_best: the least value of ``f`` on ``[0, 10]`` and where it is taken.
        sold: what Algorithm 5 lets the followers sell at ``x`` and mean demand, as a share of the equilibrium.
        floor: what ``f`` never falls below, whatever the costs and capacities in the printed ranges.
    """

    followers: int
    b: float
    H: int
    eta: float
    printed: float
    own: float
    true: float
    x: float
    best: float
    x_best: float
    sold: float
    floor: float

    @property
    def off(self) -> float:
        """Relative deviation of ``own`` from the printed number."""
        return self.own / self.printed - 1


@dataclass(frozen=True)
class Findings:
    """What the table shows, counted.

    Attributes:
        cells: how many there are.
        below: printed numbers that no admissible market can give: they lie below ``floor``.
        worst: largest relative deviation of ``own`` from the print per row ``(followers, b)``.
        rows: rows of three ``H``.
        larger_H_better: rows in which the printed number, ``own``, and ``true`` fall from each ``H`` to the next, for
            every ``eta``.
        larger_H_worse: the same with rising values.
        spread: largest difference over ``eta``, relative to the size of the cell: printed, ``own`` and ``true``.
    """

    cells: int
    below: int
    worst: dict[tuple[int, float], float]
    rows: int
    larger_H_better: dict[str, int]
    larger_H_worse: dict[str, int]
    spread: dict[str, float]


def findings(cells: Iterable[Cell]) -> Findings:
    """Count what the cells show."""
    cells = list(cells)
    rows = list(dict.fromkeys((c.followers, c.b) for c in cells))
    measured = ("printed", "own", "true")
    grids = {
        (key, row): _grid([c for c in cells if (c.followers, c.b) == row], key) for key in measured for row in rows
    }
    return Findings(
        cells=len(cells),
        below=sum(c.printed < c.floor for c in cells),
        worst={row: max(abs(c.off) for c in cells if (c.followers, c.b) == row) for row in rows},
        rows=len(rows),
        larger_H_better={k: sum(bool((np.diff(grids[k, r], axis=0) < 0).all()) for r in rows) for k in measured},
        larger_H_worse={k: sum(bool((np.diff(grids[k, r], axis=0) > 0).all()) for r in rows) for k in measured},
        spread={
            k: max(float((np.ptp(grids[k, r], axis=1) / np.abs(grids[k, r]).max(axis=1)).max()) for r in rows)
            for k in measured
        },
    )


def _grid(row: Sequence[Cell], key: str) -> Array:
    """Values of a row, ``(local steps, radii)``."""
    steps = sorted({c.H for c in row})
    radii = sorted({c.eta for c in row}, reverse=True)
    value = {(c.H, c.eta): getattr(c, key) for c in row}
    return np.array([[value[H, eta] for eta in radii] for H in steps])


def summary(f: Findings) -> str:
    """The findings in three lines."""
    worst = ", ".join(f"({n}, {b:g}) {off:.1%}" for (n, b), off in f.worst.items())
    order = ", ".join(f"{key}: {n} of {f.rows} rows" for key, n in f.larger_H_better.items())
    return "\n".join(
        [
            f"{f.below} of {f.cells} printed numbers lie below the least value of f over all admissible markets.",
            f"Largest deviation of 'own y' from the print, by row (nt, b): {worst}.",
            f"A larger H gives a lower value for every eta: {order}.",
        ]
    )


def as_csv(cells: Iterable[Cell]) -> str:
    """One line per cell, columns as the fields of :class:`Cell`, numbers with all digits."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow([f.name for f in fields(Cell)])
    writer.writerows(asdict(c).values() for c in cells)
    return out.getvalue()
