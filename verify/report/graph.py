"""What rests on what in a paper, as one SVG.

A box is a printed result, a cell one claim of it, the corner of a cell the correction. A box stands above all that it
rests on. Boxes and cells can be reached with the keyboard; the script of the site lights what a box stands on and what
stands on it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape

from rateproof.verify.pages.facts import SIGNS
from rateproof.verify.pages.results import kind_of, result_of

CELL, SPACE, PER_ROW = 16, 3, 9
_LETTER, _LONG = 7.8, 30
_APART, _LAYER, _MARGIN = 18.0, 46.0, 8.0
#: A drawing is this wide where it can be.
_ROOM = 1120.0
_SWEEPS = 40


@dataclass(frozen=True)
class Cell:
    """A claim in the drawing: id, place, verdict, and the best verdict of its corrections, or empty."""

    id: str
    place: str
    verdict: str
    corrected: str

    @property
    def says(self) -> str:
        """The claim in a few words."""
        return f"{self.id} ({self.place}): {self.verdict}{f'; corrected: {self.corrected}' if self.corrected else ''}"


def draw(
    cells: Sequence[Cell],
    rests: Iterable[tuple[str, str]],
    link: Callable[[str], str],
    broken: Callable[[str], bool],
) -> str:
    """The SVG.

    Args:
        cells: the claims, in the order of the paper.
        rests: pairs of ids, the first rests on the second.
        link: where the page of a claim lies; empty where it has none.
        broken: whether a verdict breaks what rests on it.
    """
    boxes: dict[str, list[Cell]] = defaultdict(list)
    for cell in cells:
        boxes[result_of(cell.place)].append(cell)
    of = {cell.id: name for name, those in boxes.items() for cell in those}
    pairs = ((of.get(one, ""), of.get(other, "")) for one, other in rests)
    edges = sorted({(a, b) for a, b in pairs if a and b and a != b}, key=lambda e: [*map([*boxes].index, e)])
    placed = _place(boxes, edges)
    number = {name: i for i, name in enumerate(boxes)}
    width = max((box.x + box.width for box in placed.values()), default=0) + 8
    height = max((box.y + box.height for box in placed.values()), default=0) + 8
    parts = [
        f'<svg class="graph" viewBox="0 0 {width:.0f} {height:.0f}" width="{width:.0f}" height="{height:.0f}" '
        f'role="group" aria-label="what rests on what">'
    ]
    for a, b in edges:
        bad = " bad" if any(broken(cell.verdict) for cell in boxes[b]) else ""
        parts.append(_edge(placed[a], placed[b], f'class="edge{bad}" data-a="{number[a]}" data-b="{number[b]}"'))
    for name, those in boxes.items():
        parts += _box(name, number[name], those, placed[name], link)
    return "".join([*parts, "</svg>"])


@dataclass
class _Box:
    width: float
    height: float
    x: float = 0.0
    y: float = 0.0

    @property
    def middle(self) -> float:
        return self.x + self.width / 2


def _size(name: str, cells: Sequence[Cell]) -> _Box:
    title = min(len(name), _LONG) * _LETTER + 20
    rows = -(-len(cells) // PER_ROW)
    return _Box(max(title, min(len(cells), PER_ROW) * (CELL + SPACE) + 13), 28 + rows * (CELL + SPACE) + 4)


def _place(boxes: Mapping[str, Sequence[Cell]], edges: Sequence[tuple[str, str]]) -> dict[str, _Box]:
    """What hangs together in layers, beside each other while there is room; last, rows of what hangs with nothing."""
    placed = {name: _size(name, cells) for name, cells in boxes.items()}
    parts = sorted(_together(boxes, edges), key=len, reverse=True)
    for part in parts:
        _layered({name: placed[name] for name in part}, [edge for edge in edges if edge[0] in part])
    x, y, low = _MARGIN, _MARGIN, 0.0
    for part in parts:
        those = [placed[name] for name in part]
        width, height = max(box.x + box.width for box in those), max(box.y + box.height for box in those)
        if x > _MARGIN and x + width > _ROOM:
            x, y, low = _MARGIN, y + low + _LAYER / 2, 0.0
        for box in those:
            box.x, box.y = box.x + x, box.y + y
        x, low = x + width + _APART, max(low, height)
    return placed


def _together(names: Iterable[str], edges: Sequence[tuple[str, str]]) -> list[list[str]]:
    """The names in groups that hang together, in their order."""
    group = {name: [name] for name in names}
    for a, b in edges:
        if group[a] is not group[b]:
            joined = group[a] + group[b]
            group |= dict.fromkeys(joined, joined)
    order = [*group]
    return [sorted(part, key=order.index) for part in {id(part): part for part in group.values()}.values()]


def _layered(placed: Mapping[str, _Box], edges: Sequence[tuple[str, str]]) -> None:
    """Layers from above to below, each box near what it hangs together with; the corner is at 0, 0."""
    rows = _layers([*placed], edges)
    near: dict[str, list[str]] = defaultdict(list)
    for a, b in edges:
        near[a].append(b)
        near[b].append(a)
    for row in rows:
        _beside([placed[name] for name in row], [0.0] * len(row))
    for sweep in range(_SWEEPS):
        for row in rows if sweep % 2 else reversed(rows):
            wanted = {name: sum(placed[one].middle for one in near[name]) / max(1, len(near[name])) for name in row}
            row.sort(key=wanted.__getitem__)
            _beside([placed[name] for name in row], [wanted[name] for name in row])
    left, y = min(box.x for box in placed.values()), 0.0
    for row in rows:
        for name in row:
            placed[name].x -= left
            placed[name].y = y
        y += max(placed[name].height for name in row) + _LAYER


def _layers(names: Sequence[str], edges: Sequence[tuple[str, str]]) -> list[list[str]]:
    """Names by how far above the lowest they stand, the highest first; each as high as what rests on it allows."""
    below: dict[str, list[str]] = defaultdict(list)
    above: dict[str, list[str]] = defaultdict(list)
    for a, b in edges:
        below[a].append(b)
        above[b].append(a)
    height: dict[str, int] = {}

    def high(name: str, path: tuple[str, ...]) -> int:
        if name not in height:
            # boxes of a paper may rest on each other in a circle, though no claims do
            height[name] = 1 + max((high(one, (*path, name)) for one in below[name] if one not in path), default=-1)
        return height[name]

    for name in names:
        high(name, (name,))
    for name in sorted(names, key=lambda one: -height[one]):
        if roof := [height[one] for one in above[name] if height[one] > height[name]]:
            height[name] = min(roof) - 1
    top = max(height.values(), default=-1)
    return [row for level in range(top, -1, -1) if (row := [name for name in names if height[name] == level])]


def _beside(boxes: Sequence[_Box], wanted: Sequence[float]) -> None:
    """Put the boxes of a row as near to where they want to be as their widths allow."""
    at = list(wanted)
    for _ in range(60):
        moved = 0.0
        for i in range(len(at) - 1):
            need = (boxes[i].width + boxes[i + 1].width) / 2 + _APART - (at[i + 1] - at[i])
            if need > 0.01:
                at[i], at[i + 1], moved = at[i] - need / 2, at[i + 1] + need / 2, need
        if not moved:
            break
    for box, middle in zip(boxes, at, strict=True):
        box.x = middle - box.width / 2


def _edge(a: _Box, b: _Box, attributes: str) -> str:
    start, end = a.y + a.height, b.y
    if end < start:  # a circle: from its side to the other's
        start, end = a.y + a.height / 2, b.y + b.height / 2
    bend = max(24.0, (end - start) / 2)
    curve = f"C{a.middle:.0f} {start + bend:.0f} {b.middle:.0f} {end - bend:.0f} {b.middle:.0f} {end:.0f}"
    return f'<path {attributes} d="M{a.middle:.0f} {start:.0f}{curve}"/>'


def _box(name: str, number: int, cells: Sequence[Cell], box: _Box, link: Callable[[str], str]) -> Iterator[str]:
    kind = "" if kind_of(name) else " step"
    shown = name if len(name) <= _LONG else f"{name[: _LONG - 1]}…"
    yield f'<g class="node{kind}" data-n="{number}" tabindex="0"><title>{escape(name)}</title>'
    size = f'width="{box.width:.1f}" height="{box.height:.1f}"'
    yield f'<rect class="box" x="{box.x:.1f}" y="{box.y:.1f}" {size} rx="7"/>'
    yield f'<text x="{box.x + 8:.1f}" y="{box.y + 18:.1f}">{escape(shown)}</text>'
    for i, cell in enumerate(cells):
        x = box.x + 8 + i % PER_ROW * (CELL + SPACE)
        y = box.y + 26 + i // PER_ROW * (CELL + SPACE)
        yield _cell(cell, x, y, link(cell.id))
    yield "</g>"


def _cell(cell: Cell, x: float, y: float, href: str) -> str:
    sign = SIGNS.get(cell.verdict, "–")
    body = (
        f"<title>{escape(cell.says)}</title>"
        f'<rect class="v-{escape(cell.verdict)}" x="{x:.1f}" y="{y:.1f}" width="{CELL}" height="{CELL}" rx="3"/>'
        f'<text class="sign" x="{x + 6:.1f}" y="{y + 10.5:.1f}">{sign}</text>'
    )
    if cell.corrected:
        # what is proved is filled, what is only supported is not
        side = f"M{x + CELL:.1f} {y + 6:.1f}v{CELL - 6}h-{CELL - 6}z"
        body += f'<path class="corner c-{escape(cell.corrected)}" d="{side}"/>'
    return f'<a class="cell" href="{escape(href)}">{body}</a>' if href else f'<g class="cell">{body}</g>'
