"""A page of text: what it is made of, and how it is laid out in the columns that there are, plain or with colours.

A page is kept as JSON, so that a block is a line as it is, or a list of its kind and its parts.
"""

from __future__ import annotations

import os
import re
import sys
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, pairwise, zip_longest
from typing import TYPE_CHECKING, Any

from rateproof.verify.pages.render import COLOURS, ROOM, text_width

if TYPE_CHECKING:
    from rich.text import Text as Styled

Block = str | Sequence[Any]
#: Where a part begins and ends that differs from that of another formula: of the print, and of its correction.
MARKS = {"red": ("\ue000", "\ue001"), "green": ("\ue002", "\ue003")}
_KEY = ("\ue004", "\ue005")
_LINK = ("\ue006", "\ue007", "\ue008")
_HIDDEN = re.compile(f"{_LINK[0]}[^{_LINK[1]}]*{_LINK[1]}|[\ue000-\ue005{_LINK[2]}]")
_PLAIN = {ord(pair[i]): "[]"[i] for pair in MARKS.values() for i in (0, 1)}
#: A space at which no line ends.
TOGETHER = "\N{NO-BREAK SPACE}"
#: ``x = 1``, which no line divides; a chain of equations may be divided.
_VALUE = re.compile(r"(?<!\S)(?<!= )(\S+) = (\S+)(?!\S)(?! =)")
#: Columns between two formulas beside each other, and before the lines on which one goes on.
GAP, FURTHEST = 3, 13


def key(text: str) -> str:
    """A heading, or a word to see first; the name of a verdict has its colour."""
    return f"{_KEY[0]}{text}{_KEY[1]}"


def link(text: str, address: str) -> str:
    """A text that leads to an address where a terminal can follow it."""
    return f"{_LINK[0]}{address}{_LINK[1]}{text}{_LINK[2]}"


def text(start: str, words: str) -> Block:
    """A text that is folded, not beside a sign of equality; its further lines are indented as far as the first."""
    return ["text", start, _VALUE.sub(rf"\1{TOGETHER}={TOGETHER}\2", re.sub(r"[ \t\n]+", " ", words).strip())]


def formula(start: str, pieces: Sequence[str]) -> Block:
    """A formula that is broken between its pieces; further lines stand a little to the right of the first."""
    return ["formula", start, list(pieces)]


def beside(titles: Sequence[str], pairs: Sequence[Sequence[Sequence[str]]]) -> Block:
    """Formulas in two columns, or one below the other where a line has no room for both.

    Args:
        titles: of the columns.
        pairs: the pieces of two formulas, either of which may be missing.
    """
    return ["beside", list(titles), [[list(one) for one in pair] for pair in pairs]]


def table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> Block:
    """A table; nothing is cut, and what stands last is folded."""
    return ["table", list(heads), [list(row) for row in rows]]


def laid_out(page: Iterable[Block], *, width: int | None = None, plain: bool = True) -> Iterator[str]:
    """The lines of a page.

    Args:
        page: its blocks.
        width: columns; by default those of :func:`render.text_width`.
        plain: differences stand in brackets; else all marks are left for :func:`show`.
    """
    columns = width or text_width()
    for block in page:
        if plain:
            block = _without_marks(block)
        if isinstance(block, str):
            yield from block.split("\n")
        else:
            yield from (line.replace(TOGETHER, " ") for line in _LAYOUTS[block[0]](columns, *block[1:]))


def show(page: Iterable[Block], *, plain: bool = False) -> None:
    """Print a page, with colours and links on a terminal unless NO_COLOR is set or ``plain`` is asked for."""
    if plain or not sys.stdout.isatty() or os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        print("\n".join(laid_out(page)))
        return
    from rich.console import Console

    console = Console(highlight=False, emoji=False, markup=False)
    for line in laid_out(page, plain=False):
        console.print(_styled(line), soft_wrap=True)


def _without_marks(block: Any) -> Any:
    if isinstance(block, str):
        return _HIDDEN.sub("", block.translate(_PLAIN))
    return [_without_marks(part) for part in block]


def length(line: str) -> int:
    """The columns that a line takes."""
    return sum(not unicodedata.combining(c) for c in _HIDDEN.sub("", line))


# --- layouts


def _text(width: int, start: str, words: str) -> Iterator[str]:
    yield from _closed(_filled(words.split(" "), width, start, " " * length(start)))


def _formula(width: int, start: str, pieces: Sequence[str]) -> Iterator[str]:
    further = " " * (min(length(start), FURTHEST) + (4 if width > ROOM else 2))
    parts = list(_short(pieces, width - length(further)))
    if start.strip() and parts and length(start) + length(parts[0]) > width:
        indent = " " * (length(start) - length(start.lstrip()))
        yield from _text(width, indent, start.strip())
        start = further
    yield from _closed(_filled(parts, width, start, further))


def _short(pieces: Sequence[str], width: int) -> Iterator[str]:
    """Pieces, those without room on a line broken before a + or -, the outermost ones first, or at their spaces."""
    for piece in pieces:
        if length(piece) <= width:
            yield piece
            continue
        depths = _depths(piece)
        outermost = min(depths.values(), default=0)
        cuts = [0, *(i for i, depth in depths.items() if depth == outermost), len(piece)]
        parts = [piece[i:j].strip(" ") for i, j in pairwise(cuts)]
        yield from _short(parts, width) if len(parts) > 1 else piece.split(" ")


def _depths(piece: str) -> dict[int, int]:
    """In how many brackets each + and - stands that adds something to what is before it, by its place."""
    found, depth = {}, 0
    for i, sign in enumerate(piece):
        depth += (sign in "([\u27e8") - (sign in ")]\u27e9")
        if sign in "+\N{MINUS SIGN}" and piece[i - 1 : i] == piece[i + 1 : i + 2] == " ":
            found[i] = depth
    return found


def _filled(parts: Iterable[str], width: int, start: str, further: str) -> Iterator[str]:
    line, empty = start, True
    for part in parts:
        if not empty and length(line) + 1 + length(part) > width:
            yield line.rstrip()
            line, empty = further, True
        line += part if empty else f" {part}"
        empty = False
    yield line.rstrip()


def _closed(lines: Iterable[str]) -> Iterator[str]:
    """Lines on each of which a mark ends that begins there."""
    pairs, opened = [*MARKS.values(), _KEY], ""
    for line in lines:
        body = line.lstrip(" ")
        line = " " * (len(line) - len(body)) + opened + body
        opened = next((a for a, b in pairs if line.rfind(a) > line.rfind(b)), "")
        yield line + next((b for a, b in pairs if a == opened), "")


def _beside(width: int, titles: Sequence[str], pairs: Sequence[Sequence[Sequence[str]]]) -> Iterator[str]:
    half = (width - 2 - GAP) // 2
    blocks = [[list(_formula(half, "", one)) if one else [] for one in pair] for pair in pairs]
    if half < ROOM or any(len(rows) > 1 or max(map(length, rows), default=0) > half for rows in chain(*blocks)):
        widest = max(map(length, titles))
        for pair in pairs:
            for title, one in zip(titles, pair, strict=True):
                yield from _formula(width, f"  {title}{' ' * (widest - length(title))}  ", one) if one else ()
        return
    left = max(length(row) for rows, _ in ([[titles[0]], []], *blocks) for row in rows)
    yield _row("  ", titles[0], titles[1], left)
    for pair in blocks:
        for one, other in zip_longest(*pair, fillvalue=""):
            yield _row("  ", one, other, left)


def _row(start: str, left: str, right: str, width: int) -> str:
    return f"{start}{left}{' ' * (width - length(left) + GAP)}{right}".rstrip()


def _table(width: int, heads: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    widths = [max(length(row[i]) for row in (heads, *rows)) for i in range(len(heads))]
    before = 2 + sum(w + 2 for w in widths[:-1])
    below = width - before < min(ROOM, widths[-1])
    for row in (heads, *rows):
        cells = [cell + " " * (w - length(cell)) for cell, w in zip(row, widths, strict=True)]
        start = "  " + "  ".join(cells[:-1]) + "  "
        if below:
            yield start.rstrip()
            start = "      "
        if row[-1] or not below:
            yield from _text(width, start, row[-1])


_LAYOUTS = {"text": _text, "formula": _formula, "beside": _beside, "table": _table}


# --- colours

_STYLES = {MARKS["red"][0]: "red underline", MARKS["green"][0]: "green underline"}
_SPANS = re.compile(
    "(?P<mark>[\ue000\ue002])(?P<marked>[^\ue001\ue003]*)[\ue001\ue003]"
    "|\ue004(?P<key>[^\ue005]*)\ue005|\ue006(?P<address>[^\ue007]*)\ue007(?P<linked>[^\ue008]*)\ue008"
)


def _styled(line: str) -> Styled:
    from rich.text import Text as Styled

    out, done = Styled(), 0
    for hit in _SPANS.finditer(line):
        out.append(line[done : hit.start()])
        done = hit.end()
        if hit["key"] is not None:
            out.append(hit["key"], f"bold {COLOURS.get(hit['key'], '')}".strip())
        elif hit["address"] is not None:
            out.append(hit["linked"], f"link {hit['address']}")
        else:
            out.append(hit["marked"], _STYLES[hit["mark"]])
    out.append(_HIDDEN.sub("", line[done:]))
    return out
