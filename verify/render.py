"""What the commands print: tables and JSON on stdout, progress and messages on stderr."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from rateproof.verify.errors import printable

WIDTH = 100
PLACE_WIDTH = 14
ENDLESS = 100_000
COLOURS = {
    "proved": "green",
    "supported": "green",
    "refuted": "red",
    "inconsistent": "magenta",
    "vacuous": "yellow",
    "undecided": "yellow",
    "unchecked": "dim",
}


def print_json(objects: Iterable[Any]) -> None:
    """A JSON array with one object per line."""
    print("[\n" + ",\n".join(json.dumps(o) for o in objects) + "\n]")


@dataclass(frozen=True)
class Column:
    """A column of a table.

    Attributes:
        heading: its heading.
        right: numbers stand to the right.
        width: longer cells are cut to this width on a terminal.
        rest: takes the width that is left on a terminal, and is cut to it.
    """

    heading: str
    right: bool = False
    width: int | None = None
    rest: bool = False


def print_table(columns: Sequence[Column], rows: Iterable[Sequence[Any]]) -> None:
    """A table as wide as the terminal; when stdout is none, as wide as its cells, without colour codes.

    A cell that is the name of a verdict is coloured.
    """
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    terminal = sys.stdout.isatty()
    console = Console(file=sys.stdout, width=None if terminal else ENDLESS, no_color=not terminal, highlight=False)
    filled = terminal and any(c.rest for c in columns)
    table = Table(box=SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=0, expand=filled)
    for c in columns:
        table.add_column(
            c.heading,
            justify="right" if c.right else "left",
            no_wrap=True,
            overflow="ellipsis",
            max_width=c.width if terminal else None,
            ratio=1 if c.rest and terminal else None,
        )
    for row in rows:
        table.add_row(*(Text(" ".join(str(cell).split()), style=COLOURS.get(str(cell), "")) for cell in row))
    with console.capture() as text:
        console.print(table)
    lines = [line.rstrip() for line in text.get().split("\n")]
    if not terminal:  # the line under the headings is as long as the longest cell
        lines = [line[:WIDTH] if set(line) == {"─"} else line for line in lines]
    print("\n".join(lines), end="")


BOX = ("├─ ", "└─ ", "│  ")
ASCII = ("|- ", "`- ", "|  ")
ABOVE = "(above)"


def tree(
    roots: Iterable[str], children: Callable[[str, str], Sequence[str]], label: Callable[[str], str]
) -> Iterator[str]:
    """Lines of a drawing of some trees that may share nodes: the second time a node stands without what is below it.

    Lines are drawn with box characters where stdout can show them, else in ASCII.

    Args:
        roots: where the trees begin.
        children: what stands below a node, given the node and the one above it ("" for a root).
        label: the text of a node.
    """
    fork, end, bar = BOX if _stdout_shows("".join(BOX)) else ASCII
    seen: set[str] = set()

    def lines(node: str, above: str, lead: str, rest: str) -> Iterator[str]:
        below = children(node, above)
        again = node in seen and below
        yield f"  {lead}{label(node)}{' ' + ABOVE if again else ''}"
        if again:
            return
        seen.add(node)
        for child in below[:-1]:
            yield from lines(child, node, rest + fork, rest + bar)
        for child in below[-1:]:
            yield from lines(child, node, rest + end, rest + "   ")

    for root in roots:
        yield from lines(root, "", "", "")


def _stdout_shows(text: str) -> bool:
    try:
        text.encode(sys.stdout.encoding or "ascii")
    except UnicodeEncodeError:
        return False
    return True


def number(value: float | None, digits: int = 4) -> str:
    """A number for a table; "-" when there is none."""
    if value is None:
        return "-"
    return f"{value:.{digits}g}" if math.isfinite(value) else str(value)


def wrapped(text: str, start: str) -> list[str]:
    """Lines of at most :data:`WIDTH` characters; the first begins with ``start``, the others are indented as far."""
    from textwrap import wrap

    return wrap(text, WIDTH, initial_indent=start, subsequent_indent=" " * len(start), break_long_words=False)


def note(message: str) -> None:
    """One line on stderr."""
    print(f"rateproof: {printable(' '.join(message.split()))}", file=sys.stderr)


@contextmanager
def progress(label: str, total: int) -> Iterator[Callable[[str], None]]:
    """A progress bar on stderr when that is a terminal; call the function with what has just been done."""
    if not sys.stderr.isatty():
        yield lambda done: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    parts = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*parts, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(label, total=total)
        yield lambda done: bar.update(task, advance=1, description=done)


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
