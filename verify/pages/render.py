"""What the commands print: tables and JSON on stdout, progress and messages on stderr."""

from __future__ import annotations

import json
import math
import os
import re
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Protocol

import click

#: Columns of text that no terminal shows.
WIDTH = 100
PLACE_WIDTH = 14
#: Fewer columns than this are no place for a text, which then stands under its row.
ROOM = 24
GAP = 1
COLOURS = {
    "proved": "green",
    "supported": "green",
    "refuted": "red",
    "inconsistent": "magenta",
    "vacuous": "yellow",
    "undecided": "yellow",
}


def printable(text: str) -> str:
    """A text without what would command a terminal: such characters are written as escapes."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def print_json(objects: Iterable[Any]) -> None:
    """A JSON array with one object per line."""
    print("[\n" + ",\n".join(json.dumps(o) for o in objects) + "\n]")


@dataclass(frozen=True)
class Column:
    """A column of a table. What has neither ``width`` nor ``rest`` (ids, verdicts, numbers) is never cut.

    Attributes:
        heading: its heading.
        right: numbers stand to the right.
        width: text; longer cells are cut to this width on a terminal.
        rest: text, in the last column; takes the width that is left on a terminal, and is cut to it.
    """

    heading: str
    right: bool = False
    width: int | None = None
    rest: bool = False


def print_table(columns: Sequence[Column], rows: Iterable[Sequence[Any]]) -> None:
    """A table as wide as the terminal; when stdout is none, as wide as its cells, without colour codes.

    A cell that is the name of a verdict is coloured, unless NO_COLOR is set. Where the last column has no room, its
    texts stand under the rows. Where COLUMNS says how wide what is no terminal is, they are folded; nothing is cut.
    """
    from rich.cells import cell_len, set_cell_size

    terminal = sys.stdout.isatty()
    narrow = terminal or os.environ.get("COLUMNS", "").isdecimal()
    more = "\u2026" if _stdout_shows("\u2026") else "..."

    def cut(text: str, width: int) -> str:
        return text if cell_len(text) <= width else set_cell_size(text, max(width - len(more), 0)).rstrip() + more

    cells = [[" ".join(str(cell).split()) for cell in row] for row in rows]
    widths = [max(map(cell_len, column)) for column in zip([c.heading for c in columns], *cells, strict=True)]
    if terminal:
        widths = [min(w, c.width or w) for w, c in zip(widths, columns, strict=True)]
    text_below = False
    if narrow and columns[-1].rest:
        left = text_width() - sum(w + GAP for w in widths[:-1])
        text_below = left < min(ROOM, widths[-1])
        widths[-1] = min(widths[-1], left)
    shown = len(columns) - text_below

    def line(row: Sequence[str], style: Callable[[str, str], str]) -> str:
        parts = []
        for text, width, column in list(zip(row, widths, columns, strict=True))[:shown]:
            one = cut(text, width) if terminal and (column.width or column.rest) else text
            space = " " * (width - cell_len(one))
            parts.append(space + style(one, text) if column.right else style(one, text) + space)
        return (" " * GAP).join(parts).rstrip()

    def folded(row: Sequence[str]) -> list[str]:
        """The row, its last cell on as many lines as it takes."""
        first = line([*row[:-1], ""], verdict)
        if text_below:
            return [first, *wrapped(row[-1], "    ")]
        lead = sum(w + GAP for w in widths[:-1])
        texts = wrapped(row[-1], " " * lead) if row[-1] else []
        return [f"{first.ljust(lead)}{texts[0][lead:]}", *texts[1:]] if texts else [first]

    coloured = terminal and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"

    def verdict(one: str, text: str) -> str:
        return click.style(one, fg=COLOURS[text]) if coloured and text in COLOURS else one

    print(line([c.heading for c in columns], lambda one, _: click.style(one, bold=True) if coloured else one))
    print(("\u2500" if _stdout_shows("\u2500") else "-") * min(sum(widths[:shown]) + GAP * (shown - 1), text_width()))
    for row in cells:
        if narrow and not terminal and columns[-1].rest:
            print("\n".join(folded(row)))
            continue
        print(line(row, verdict))
        if text_below:
            print("    " + cut(row[-1], text_width() - 4))


#: What stands as it is in a table of a page in Markdown: a formula, or code.
_MARKED = re.compile(r"(\$[^$]+\$|`[^`]+`)")


def markdown_table(head: Sequence[Any], rows: Iterable[Sequence[Any]]) -> str:
    """A table in Markdown. Cells are text, with formulas between dollars and code between backquotes.

    Args:
        head: the headings.
        rows: as many cells each.
    """

    def cell(value: Any) -> str:
        parts = _MARKED.split(str(value))
        return "".join(_marked(part) if i % 2 else _plain(part) for i, part in enumerate(parts))

    lines = (map(cell, head), ["---"] * len(head), *(map(cell, row) for row in rows))
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _plain(part: str) -> str:
    return part.replace("*", "\\*").replace("|", "\\|")


def _marked(part: str) -> str:
    """Formulas have bars by name: readers differ in whether one in a formula ends a cell."""
    if part.startswith("`"):
        return part.replace("|", "\\|")
    return part.replace("\\|", "\\Vert ").replace("|", "\\vert ")


def text_width() -> int:
    """Columns that a text may take: what COLUMNS says, else those of the terminal, or :data:`WIDTH` without one."""
    from shutil import get_terminal_size

    asked = os.environ.get("COLUMNS", "")
    if not sys.stdout.isatty() and not asked.isdecimal():
        return WIDTH
    return max(get_terminal_size((WIDTH, 24)).columns, 2 * ROOM)


FORK, END, BAR = "├─ ", "└─ ", "│  "
ABOVE = "(above)"


def tree(
    roots: Iterable[str], children: Callable[[str, str], Sequence[str]], label: Callable[[str], str]
) -> Iterator[str]:
    """Lines of a drawing of some trees that may share nodes: the second time a node stands without what is below it.

    Args:
        roots: where the trees begin.
        children: what stands below a node, given the node and the one above it ("" for a root).
        label: the text of a node.
    """
    seen: set[str] = set()

    def lines(node: str, above: str, lead: str, rest: str) -> Iterator[str]:
        below = children(node, above)
        again = node in seen and below
        yield f"  {lead}{label(node)}{' ' + ABOVE if again else ''}"
        if again:
            return
        seen.add(node)
        for child in below[:-1]:
            yield from lines(child, node, rest + FORK, rest + BAR)
        for child in below[-1:]:
            yield from lines(child, node, rest + END, rest + "   ")

    for root in roots:
        yield from lines(root, "", "", "")


def _stdout_shows(text: str) -> bool:
    try:
        text.encode(sys.stdout.encoding or "ascii")
    except UnicodeEncodeError:
        return False
    return True


#: Signs that an encoding may lack, in ASCII.
_SIGNS = {
    "\N{PLUS-MINUS SIGN}": "+-",
    "\N{MINUS-OR-PLUS SIGN}": "-+",
    "\N{LEFTWARDS ARROW}": "<-",
    "\N{MULTIPLICATION SIGN}": "x",
    "\N{ALMOST EQUAL TO}": "~",
    "\N{SUBSET OF}": " within ",
    "\N{UNION}": " or ",
    "\N{LEFT FLOOR}": "floor(",
    "\N{RIGHT FLOOR}": ")",
    "\N{LESS-THAN OR EQUAL TO}": "<=",
    "\N{GREATER-THAN OR EQUAL TO}": ">=",
    "\N{NOT EQUAL TO}": "!=",
    "\N{INFINITY}": "inf",
    "\N{NABLA}": "grad ",
    "\N{PARTIAL DIFFERENTIAL}": "d",
    "\N{N-ARY SUMMATION}": "sum ",
    "\N{SQUARE ROOT}": "sqrt",
    "\N{DOUBLE VERTICAL LINE}": "||",
    "\N{PARALLEL TO}": "||",
    "\N{DOT OPERATOR}": "*",
    "\N{MINUS SIGN}": "-",
    "\N{ELEMENT OF}": " in ",
    "\N{PRIME}": "'",
    "\N{MIDDLE DOT}": "*",
    "\N{MATHEMATICAL LEFT ANGLE BRACKET}": "<",
    "\N{MATHEMATICAL RIGHT ANGLE BRACKET}": ">",
    "\N{RIGHTWARDS ARROW}": "->",
    "\N{HORIZONTAL ELLIPSIS}": "...",
    "\N{LEFT DOUBLE QUOTATION MARK}": '"',
    "\N{RIGHT DOUBLE QUOTATION MARK}": '"',
    "\N{RIGHT SINGLE QUOTATION MARK}": "'",
    "\N{EN DASH}": "-",
    "\N{COMBINING CIRCUMFLEX ACCENT}": "_hat",
    "\N{COMBINING TILDE}": "_tilde",
    "\N{COMBINING MACRON}": "_bar",
    "\N{COMBINING OVERLINE}": "_bar",
    "\N{COMBINING LOW LINE}": "_low",
    "\N{LEFT CEILING}": "ceil(",
    "\N{RIGHT CEILING}": ")",
    "\N{NOT AN ELEMENT OF}": " not in ",
    "\N{INTEGRAL}": "int ",
    "\N{DIVIDES}": "|",
    "\N{N-ARY PRODUCT}": "prod ",
    "\N{DOUBLE PRIME}": "''",
    "\N{BOX DRAWINGS LIGHT HORIZONTAL}": "-",
    "\N{BOX DRAWINGS LIGHT VERTICAL}": "|",
    "\N{BOX DRAWINGS LIGHT VERTICAL AND RIGHT}": "|",
    "\N{BOX DRAWINGS LIGHT UP AND RIGHT}": "`",
}


def in_ascii(error: UnicodeError) -> tuple[str, int]:
    """A handler of encoding errors: Greek letters by their names, signs and accented letters by what is nearest.

    Raises:
        UnicodeError: it is no error of encoding.
    """
    if not isinstance(error, UnicodeEncodeError):
        raise error
    return "".join(map(ascii_of, error.object[error.start : error.end])), error.end


def ascii_of(sign: str) -> str:
    """A sign in ASCII: a Greek letter by its name, others by what is nearest."""
    import unicodedata

    if sign in _SIGNS:
        return _SIGNS[sign]
    power = "^" if unicodedata.decomposition(sign).startswith("<super>") else ""
    sign = unicodedata.normalize("NFKC", sign)
    if sign in _SIGNS:
        return f"{power}{_SIGNS[sign]}"
    words = unicodedata.name(sign, "?").split(" WITH ")[0].split() if len(sign) == 1 else [""]
    if words[0] == "GREEK":
        letter = words[-1]
        name = {"LAMDA": "lambda"}.get(letter, letter.lower())
        return name if sign.islower() else name.capitalize()
    plain = unicodedata.normalize("NFKD", sign).encode("ascii", "ignore").decode()
    return f"{power}{plain}" if plain else "?"


def number(value: float | None, digits: int = 4) -> str:
    """A number for a table; an empty cell when there is none."""
    if value is None or math.isnan(value):
        return ""
    return f"{value:.{digits}g}" if math.isfinite(value) else str(value)


def wrapped(text: str, start: str) -> list[str]:
    """Lines as wide as :func:`text_width`; the first begins with ``start``, the others are indented as far."""
    from textwrap import wrap

    return wrap(text, text_width(), initial_indent=start, subsequent_indent=" " * len(start), break_long_words=False)


def note(message: str) -> None:
    """One line on stderr."""
    print(f"rateproof: {printable(' '.join(message.split()))}", file=sys.stderr)


class Step(Protocol):
    """Tells what has just been done, what came of it and, where that is known, how long the rest takes."""

    def __call__(self, done: str, left: str = "", found: str = "") -> None:
        """Tell it; ``found`` stays on a terminal, above the bar."""


#: Seconds between two lines about what is left, where there is no progress bar.
BETWEEN = 60.0


@contextmanager
def progress(label: str, total: int | None, left: str = "") -> Iterator[Step]:
    """A progress bar on stderr when that is a terminal, else a line a minute about what is left, where that is known.

    Args:
        label: of the bar before anything is done.
        total: how much there is to do; None where nobody knows.
        left: how long all of it takes.
    """
    if not sys.stderr.isatty():
        if left.endswith("min left"):  # else it is done before that was read
            note(f"{total} to do, {left}")
        yield _lines(total)
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    parts = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*parts, TextColumn("{task.fields[left]}"), console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(label, total=total, left=left)

        def step(done: str, left: str = "", found: str = "") -> None:
            if found:
                bar.console.print(f"{done}  {found}", style=COLOURS.get(found), highlight=False, markup=False)
            bar.update(task, advance=1, description=done, left=left)

        yield step


def _lines(total: int | None) -> Step:
    count, last = 0, time.monotonic()

    def step(done: str, left: str = "", found: str = "") -> None:
        nonlocal count, last
        count += 1
        if left and time.monotonic() - last >= BETWEEN:
            last = time.monotonic()
            note(f"{count} of {total} done, {left}")

    return step


@contextmanager
def progress_of(label: str) -> Iterator[Callable[[int, int], None] | None]:
    """A progress bar on stderr when that is a terminal, for work that tells (done, in all); None when it is none."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(label, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)
