"""A drawing of the instance itself: the functions of one or two variables on which a method runs, and its points.

Functions and points are those of the run in vectors that stands beside the family, as the setting of the proof names
them; an instance that has no such run, or more variables, has no drawing. Of two variables level lines are drawn.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from html import escape
from itertools import combinations, product
from typing import TypeAlias

import numpy as np

from rateproof.theory.claim import Claim
from rateproof.theory.proof import Setting
from rateproof.theory.proof.called import Called
from rateproof.verify.form.family import Family, Params
from rateproof.verify.form.outcomes import COORDINATE, Grid, InVectors, Outcomes
from rateproof.verify.pages.document import unicode
from rateproof.verify.pages.page import TOGETHER
from rateproof.verify.report.figure import Plot, axis, spans
from rateproof.verify.report.sliders import short

#: Functions that are drawn, those of clients and points of each of them, places along each variable, and level lines.
_FUNCTIONS, _CURVES, _POINTS, _PIECES, _CELLS, _LEVELS = 3, 6, 8, 120, 24, 7
WIDTH, HEIGHT = 320, 220
_LEFT, _RIGHT, _TOP, _BOTTOM = 52, 14, 30, 30
#: Where something is in the drawing: a number for each variable, and for a function of one variable its value.
_Place: TypeAlias = tuple[float, float]


@dataclass(frozen=True)
class Drawn:
    """A function.

    Attributes:
        name: as the setting has it.
        lines: of one variable the function of each client or outcome that has another one, of two its level lines.
        points: names and places of the points at which the method asks for it.
    """

    name: str
    lines: tuple[tuple[_Place, ...], ...]
    points: tuple[tuple[str, _Place], ...]


def picture(claim: Claim, corrected: Claim | None, family: Family, params: Params) -> Plot | None:
    """The drawing of an instance; None where it has none."""
    stated = next((one for one in (claim, corrected) if one and one.setting and one.setting.names), None)
    run = None if stated is None else family.in_vectors(params)
    if stated is None or stated.setting is None or run is None:
        return None
    setting, called = stated.setting, Called(stated)
    outcomes = next(iter(run(setting)), None)
    if outcomes is None or len(outcomes.chances[COORDINATE]) > 2:
        return None
    alike = {(one.lines, one.points): one for one in functions(setting, outcomes, family, params)}
    drawn = sorted(alike.values(), key=lambda one: -len(one.points))[:_FUNCTIONS]
    if not drawn:
        return None
    letters = {one.name: {name: _raised(called.point(one.name, name)) for name, _ in one.points} for one in drawn}
    said = "; ".join(
        f"{called.function(of)} at {', '.join(dict.fromkeys(own.values()))}" for of, own in letters.items()
    )
    named = {name: shown for own in letters.values() for name, shown in own.items()}
    words = [f"{shown} is {setting.words[n]}" for n, shown in named.items() if shown == n and n in setting.words]
    told = f"The instance: {said}.{' ' if words else ''}{'; '.join(words)}{'.' if words else ''}"
    return Plot("".join(_panel(one, called.function(one.name), letters[one.name]) for one in drawn), told)


def _raised(name: str) -> str:
    """A name with a + as its power."""
    return re.sub(r"\+$", "^+", name)


def functions(setting: Setting, outcomes: Outcomes, family: Family, params: Params) -> Iterator[Drawn]:
    """The functions of a setting that have values, at the points of a run on the line or in the plane."""
    view = InVectors(setting, outcomes, {**outcomes.numbers, **family.floats(params)})
    for name, points in setting.functions.items():
        if name not in outcomes.at:
            continue
        asked: list[tuple[str, Grid, Grid]] = []
        for point, (vector, _, *worth) in points.items():
            if not worth:  # the image of a map, not the value of a function
                continue
            with suppress(KeyError, ArithmeticError, ValueError):
                at = view.combined(vector)
                _, value = outcomes.at[name](at)
                if value is not None:
                    asked.append((point, at, value))
        if asked and (drawn := _drawn(name, outcomes, asked)) and not _is_flat(drawn):
            yield drawn


def _is_flat(one: Drawn) -> bool:
    """Whether it is 0 wherever it is drawn, as what says that a point lies in a set."""
    return all(y == 0 for line in one.lines for _, y in line)


def _drawn(name: str, outcomes: Outcomes, asked: Sequence[tuple[str, Grid, Grid]]) -> Drawn | None:
    """A function with its points; one of the plane that depends on one coordinate alone is drawn along that."""
    along = 0
    if len(outcomes.chances[COORDINATE]) > 1:
        points = _places((point, at.take([0], 0), at.take([-1], 0)) for point, at, _ in asked)
        xs, ys, heights = _lattice(name, outcomes, [at for _, at in points])
        varies = [bool(np.nanmax(np.ptp(heights, i)) > 1e-9 * np.nanmax(abs(heights))) for i in (0, 1)]
        if all(varies):
            return Drawn(name, tuple(_levels(xs, ys, heights)), points)
        if not any(varies):
            return None
        along = varies.index(True)
    points = _places((point, at.take([along], 0), value) for point, at, value in asked)
    return Drawn(name, tuple(_curves(name, outcomes, asked[0][1], along, [x for _, (x, _) in points])), points)


def _places(of: Iterable[tuple[str, Grid, Grid]]) -> tuple[tuple[str, _Place], ...]:
    """The places of points, in all outcomes."""
    found: dict[tuple[str, _Place], None] = {}
    for point, one, two in of:
        pairs = zip(*(grid.ravel() for grid in np.broadcast_arrays(one, two)), strict=True)
        found |= dict.fromkeys((point, (_short(x), _short(y))) for x, y in pairs if math.isfinite(x + y))
    return tuple(found)[:_POINTS]


def _around(at: Iterable[float], pieces: int) -> np.ndarray:
    """Where to compute a function, so that there is room beside some places."""
    low, high = min(at := [*at]), max(at)
    room = (high - low) * 0.6 or max(1.0, abs(low)) * 0.75
    return np.linspace(low - room, high + room, pieces + 1)


def _curves(
    name: str, outcomes: Outcomes, start: Grid, along: int, at: Iterable[float]
) -> Iterator[tuple[_Place, ...]]:
    """The function along a coordinate, from a point in its first outcome: a curve for each client that has another."""
    places = _around(at, _PIECES)
    first = start[(slice(None), *[slice(1)] * (start.ndim - 1))]
    one = np.arange(len(outcomes.chances[COORDINATE])).reshape([-1, *[1] * (start.ndim - 1)]) == along
    values = [grid for x in places if (grid := outcomes.at[name](np.where(one, x, first))[1]) is not None]
    columns: np.ndarray = np.array([np.broadcast_to(grid, values[0].shape).ravel() for grid in values])
    kept = {tuple(map(_short, column)): None for column in columns.T}
    for column in list(kept)[:_CURVES]:
        yield tuple((_short(x), y) for x, y in zip(places, column, strict=True))


def _lattice(name: str, outcomes: Outcomes, at: Sequence[_Place]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The mean function on a lattice around some places."""
    xs, ys = (_around(part, _CELLS) for part in zip(*at, strict=True))
    flat = [1] * (len(outcomes.chances) - 1)

    def value(x: float, y: float) -> float:
        grid = outcomes.at[name](np.reshape([x, y], [2, *flat]))[1]
        return math.nan if grid is None else outcomes.expected(grid)

    return xs, ys, np.array([[value(x, y) for y in ys] for x in xs])


def _levels(xs: np.ndarray, ys: np.ndarray, heights: np.ndarray) -> Iterator[tuple[_Place, ...]]:
    """Pieces of level lines, in each of the triangles of a lattice."""
    low, high = np.nanmin(heights), np.nanmax(heights)
    # more of them where the function is low, as around a minimiser
    for level in (low + (high - low) * ((k + 0.5) / _LEVELS) ** 2 for k in range(_LEVELS)):
        for i, j in product(range(_CELLS), repeat=2):
            corners = [(i + a, j + b) for a, b in ((0, 0), (1, 0), (1, 1), (0, 1))]
            for triangle in (corners[:3], [corners[0], *corners[2:]]):
                if ends := _crossed(triangle, heights, level):
                    yield tuple((_short(_at(xs, u)), _short(_at(ys, v))) for u, v in ends)


def _at(places: np.ndarray, index: float) -> float:
    return float(places[0] + index * (places[1] - places[0]))


def _crossed(triangle: Sequence[tuple[int, int]], heights: np.ndarray, level: float) -> list[_Place]:
    """Where a level line meets the sides of a triangle of the lattice: two places, or none."""
    ends = []
    for one, two in combinations(triangle, 2):
        a, b = heights[one] - level, heights[two] - level
        if a * b < 0:
            share = a / (a - b)
            ends.append((one[0] + share * (two[0] - one[0]), one[1] + share * (two[1] - one[1])))
    return ends


def _short(x: float) -> float:
    """Nine digits, which all machines have in common."""
    return float(f"{x:.9g}")


def _panel(one: Drawn, title: str, letter: Mapping[str, str]) -> str:
    places = [place for line in (*one.lines, [place for _, place in one.points]) for place in line]
    y_axis = axis([y for _, y in places], HEIGHT - _BOTTOM, _TOP, plain=True)
    beside = [(tick, short(tick, 5)) for tick in y_axis.ticks[:: max(1, len(y_axis.ticks) // 3)]]
    left = max(_LEFT, max(len(said) for _, said in beside) * _SIGN + 14)
    x_axis = axis([x for x, _ in places], left, WIDTH - _RIGHT, plain=True)
    parts = [f'<svg class="plot instance" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{escape(title)}">']
    for tick in x_axis.ticks[:: max(1, len(x_axis.ticks) // 4)]:
        x = x_axis.place(tick)
        parts.append(f'<path class="grid" d="M{x:.1f} {_TOP}V{HEIGHT - _BOTTOM}"/>')
        parts.append(f'<text x="{x:.1f}" y="{HEIGHT - 12}" text-anchor="middle">{short(tick, 5)}</text>')
    for tick, said in beside:
        y = y_axis.place(tick)
        parts.append(f'<path class="grid" d="M{left:.0f} {y:.1f}H{WIDTH - _RIGHT}"/>')
        parts.append(f'<text x="{left - 6:.0f}" y="{y + 4:.1f}" text-anchor="end">{said}</text>')
    parts.append(f'<text class="name" x="{left:.0f}" y="14">{spans(_in_text(_raised(title)))}</text>')
    lines = [[(x_axis.place(x), y_axis.place(y)) for x, y in line] for line in one.lines]
    kind = "curve left" if len(one.lines) <= _CURVES else "grid level"
    drawn = "".join(f"M{'L'.join(f'{x:.1f} {y:.1f}' for x, y in line)}" for line in lines)
    parts.append(f'<path class="{kind}" d="{drawn}"/>')
    named: dict[_Place, list[str]] = {}
    for name, (x, y) in one.points:
        at = round(x_axis.place(x) / 3) * 3, round(y_axis.place(y) / 3) * 3
        named.setdefault(at, []).append(_in_text(letter[name]))
    parts += [f'<circle class="point" cx="{x}" cy="{y}" r="3.6"/>' for x, y in named]
    labels = {at: ", ".join(dict.fromkeys(names)) for at, names in named.items()}
    for (x, y, anchor), text in zip(
        _beside(labels, [at for line in lines for at in line]), labels.values(), strict=True
    ):
        parts.append(f'<text class="name" x="{x:.0f}" y="{y:.0f}" text-anchor="{anchor}">{spans(text)}</text>')
    return "".join([*parts, "</svg>"])


def _in_text(name: str) -> str:
    return unicode(name).replace(TOGETHER, " ")


#: Where the label of a point may stand: how far from it, and which end of it is there.
_SPOTS = (
    *((0, -9, "middle"), (0, 19, "middle"), (8, -6, "start"), (-8, -6, "end"), (8, 15, "start"), (-8, 15, "end")),
    *((0, -24, "middle"), (0, 34, "middle")),
)
_SIGN, _HIGH = 7.0, 12.0


def _beside(labels: Mapping[_Place, str], curve: Sequence[_Place]) -> Iterator[tuple[float, float, str]]:
    """Where labels stand, each where it hides least: no other label, no point, little of the curve."""
    taken: list[tuple[float, float, float, float]] = []
    for (x, y), text in labels.items():
        wide = _SIGN * len(re.sub(r"[_^()]", "", text))
        found = []
        for rank, (dx, dy, anchor) in enumerate(_SPOTS):
            start = x + dx - {"start": 0.0, "middle": wide / 2, "end": wide}[anchor]
            box = (start, y + dy - _HIGH, start + wide, y + dy + 2)
            hidden = sum(one[0] < box[2] and box[0] < one[2] and one[1] < box[3] and box[1] < one[3] for one in taken)
            hidden += sum(_is_in(at, box) for at in labels if at != (x, y))
            outside = max(0.0, -start, start + wide - WIDTH) + max(0.0, y + dy - HEIGHT + _BOTTOM - 2)
            crossed = sum(_is_in(at, box) for at in curve)
            found.append((100 * hidden + 20 * outside + crossed + rank / 10, (x + dx, y + dy, anchor), box))
        _, spot, box = min(found)
        taken.append(box)
        yield spot


def _is_in(at: _Place, box: tuple[float, float, float, float]) -> bool:
    return box[0] <= at[0] <= box[2] and box[1] <= at[1] <= box[3]
