"""The notebooks of a checkout as pages of the site: what they tell and show, with their code folded where they fold it.

They are text for readers and not installed, so that a site that is made elsewhere has none.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rateproof.verify.pages.typeset import TypesettingError, mathml

FOLDER = Path(__file__).resolve().parents[2] / "notebooks"
#: Where they are listed in their order, each with a line.
LIST = "docs/notebooks.md"
_LISTED = re.compile(r"^\| \{doc\}`\.\./(\w+)` \| (.*) \|$", re.MULTILINE)
#: Code, which stays, and formulas, displayed or not.
_MATH = re.compile(r"(`[^`]*`)|\$\$(.+?)\$\$|(?<![\\$])\$([^$]+?)(?<!\\)\$", re.DOTALL)


@dataclass(frozen=True)
class Cell:
    """A cell: HTML of a text, or code with whether it is folded and HTML of what it shows."""

    text: str = ""
    code: str = ""
    folded: bool = False
    shown: tuple[str, ...] = ()


@dataclass(frozen=True)
class Notebook:
    """A notebook: its name, its title, a line on it, and its cells after the title."""

    name: str
    title: str
    about: str
    cells: tuple[Cell, ...]


def notebooks(folder: Path = FOLDER) -> tuple[Notebook, ...]:
    """The notebooks of a folder in the order in which they are listed; none where there is no list."""
    listed = folder / LIST
    if not listed.is_file():
        return ()
    return tuple(_read(folder, *found) for found in _LISTED.findall(listed.read_text(encoding="utf-8")))


def _read(folder: Path, name: str, about: str) -> Notebook:
    cells = json.loads((folder / f"{name}.ipynb").read_text(encoding="utf-8"))["cells"]
    title, _, rest = _joined(cells[0]["source"]).partition("\n")
    first = {**cells[0], "source": rest}
    return Notebook(name, title.removeprefix("# "), as_html(about, inline=True), tuple(map(_cell, (first, *cells[1:]))))


def _cell(cell: Mapping[str, Any]) -> Cell:
    source = _joined(cell["source"])
    if cell["cell_type"] == "markdown":
        return Cell(text=as_html(source))
    folded = bool(cell["metadata"].get("jupyter", {}).get("source_hidden"))
    return Cell(code=source, folded=folded, shown=tuple(_shown(cell["outputs"])))


def _shown(outputs: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    for output in outputs:
        data = {kind: _joined(text) for kind, text in output["data"].items()}
        yield data.get("text/html") or as_html(data["text/markdown"])


def _joined(text: str | Sequence[str]) -> str:
    return text if isinstance(text, str) else "".join(text)


def as_html(text: str, *, inline: bool = False) -> str:
    """Markdown with formulas between dollars as HTML with MathML; a formula that cannot be set stays LaTeX."""
    from markdown_it import MarkdownIt

    made: list[str] = []

    def put(found: re.Match[str]) -> str:
        code, display, within = found.groups()
        if code:
            return code
        try:
            set_ = mathml(display or within, block=bool(display))
        except TypesettingError:
            return f"`{display or within}`"
        made.append(f'<span class="formula">{set_}</span>' if display else set_)
        return f"\ue000{len(made) - 1}\ue001"

    reader = MarkdownIt("commonmark").enable("table")
    words = _MATH.sub(put, text)
    html = reader.renderInline(words) if inline else reader.render(words)
    return re.sub("\ue000(\\d+)\ue001", lambda found: made[int(found[1])], html)
