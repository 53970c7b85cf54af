"""A short text with headings, lists and tables, written as Markdown or LaTeX.

A text is plain, as the records have it: what commands Markdown or LaTeX is escaped, and no sign of it can. Letters with
an index or a power are set as formulas. Code and whole formulas stand in it as :class:`Code` and :class:`Formula`.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache

from rateproof.theory.symbols import GREEK, tex
from rateproof.verify.pages.page import TOGETHER
from rateproof.verify.pages.typeset import TypesettingError, mathml
from rateproof.verify.pages.typeset import text as in_text


@dataclass(frozen=True)
class Code:
    """A name, such as the id of a claim, or a command."""

    text: str


@dataclass(frozen=True)
class Formula:
    """A formula in LaTeX."""

    tex: str


@dataclass(frozen=True)
class Strong:
    """A text that stands out."""

    text: str


Piece = str | Code | Formula | Strong
#: A line, to be folded where it is read.
Words = tuple[Piece, ...]


@dataclass(frozen=True)
class Title:
    """The title of the document; one of 1 that of a section."""

    words: Words
    level: int = 0


@dataclass(frozen=True)
class Paragraph:
    """A paragraph."""

    words: Words


@dataclass(frozen=True)
class Items:
    """A list, numbered or not. An item may be several paragraphs."""

    items: tuple[tuple[Words, ...], ...]
    numbered: bool = False


@dataclass(frozen=True)
class Table:
    """A table; the share of the width that each column takes is for LaTeX."""

    head: tuple[str, ...]
    rows: tuple[tuple[Words, ...], ...]
    shares: tuple[float, ...]


@dataclass(frozen=True)
class Display:
    """Formulas that stand alone, in LaTeX: the lines of each."""

    formulas: tuple[tuple[str, ...], ...]


Block = Title | Paragraph | Items | Table | Display


def markdown(blocks: Iterable[Block]) -> str:
    """The document as Markdown."""
    return "\n\n".join(map(_in_markdown, blocks)) + "\n"


def _in_markdown(block: Block) -> str:
    match block:
        case Title(words, level):
            return f"{'#' * (level + 1)} {in_markdown(words)}"
        case Paragraph(words):
            return in_markdown(words)
        case Items(items, numbered):
            starts = (f"{i}. " if numbered else "- " for i in range(1, len(items) + 1))
            return "\n".join(_item(start, item) for start, item in zip(starts, items, strict=True))
        case Table(head, rows, _):
            lines = [head, ["---"] * len(head), *([in_markdown(cell) for cell in row] for row in rows)]
            return "\n".join(f"| {' | '.join(line)} |" for line in lines)
        case Display(formulas):
            return "\n".join(f"$$ {' '.join(rows)} $$" for rows in formulas)


def _item(start: str, paragraphs: Sequence[Words]) -> str:
    indent = "\n\n" + " " * len(start)
    return start + indent.join(map(in_markdown, paragraphs))


_MARKDOWN = re.compile(r"([\\`*_\[\]<>#|~$])")


_GREEK = "\u0391-\u03c9"
#: A letter or number, or a word for a sum, and what stands below and above; a bracket has that alone.
_SCRIPT = (
    r"(?:[_^](?:\{(?:[^{}$]|\{[^{}$]*\})*\}|\((?:[^()$]|\([^()$]*\))*\)|"
    rf"-?\d+\.\d+|[A-Za-z0-9{_GREEK}]+|\*|-\d+|-[A-Za-z](?!\w)|\+(?=[\s,).;]|$))|[²³⁴])"
)
_STAR = r"\*(?=[\s=(),.;:}\]‖⟩/]|$)"
_NAME = rf"(?:{GREEK}|eps|ell|lam|Lam)"
_MARK = r"(?:bar|hat|tilde|b|~|\^(?=_)|[\u0302-\u0305])?"
_BASE = (
    rf"(?:(?<![A-Za-z_^.\\])(?:[A-Za-z{_GREEK}∂]{_MARK}|{_NAME}{_MARK}|sum|prod|int|sup|inf|max|min|dist|gap"
    r"|ln|log|Err|[a-z]{4,}(?=\^2))"
    r"|(?<![\w^.\\])\d+(?:\.\d+)?(?=\^))"
    r"(?:\*(?=_)|'(?=[_^]))?"
)
_ALONE = (
    rf"(?<![\w\\])(?:[A-Za-z]|{_NAME})(?:\^|~|\u0303)(?=[\s),.;:=‖(/]|$)"  # a letter with a hat or a tilde
    r"|(?<![\w\\])(?:[eguvxyz]hat|[A-Za-z](?:bar|tilde)|[Lu-z]b|nt)(?!\w)"
    rf"|(?<![\w\\])(?:{GREEK})(?:bar|hat|tilde|b)(?!\w)"
    r"|(?<![\w\\])grad(?:bar|tilde)(?= ?[A-Za-z])"
    rf"|(?<![\w\\])[{_GREEK}](?![\w\u0302-\u0305])"
    rf"|(?<![\w\\]){_NAME}(?!\w)"  # the name of a letter
    r"|(?<![\w\\'])[A-Zb-z]'(?![\w'])"
    r"|(?<![\w\\])grad(?:\^2)?_[a-z]{1,2}(?= )"
)
_LETTERS = re.compile(rf"{_BASE}(?:{_SCRIPT}+(?:{_STAR})?|{_STAR})|(?<=[)\]}}‖|]){_SCRIPT}+|{_ALONE}")
#: What the plain form of such letters has otherwise than :func:`tex` reads it.
_PLAINER = (
    (r"^grad(bar|tilde)$", r"\\\1\\nabla "),
    (rf"^({GREEK})b$", r"\\bar \\\1"),
    (r"(?<![A-Za-z])(l|L)am(?![a-z])", r"\1ambda"),
    (r"(?<![A-Za-z])ell(?![a-z])", r"\\ell "),
    (r"\bprod(?=_)", r"\\prod"),
    (r"\bErr(?=_)", r"\\mathrm{Err}"),
    (rf"\b([A-Za-z]|{GREEK})b(?=_)", r"\\bar \1"),
    (r"([_^]?)(?<![A-Za-z])nt(?![A-Za-z])", r"\1{\\tilde n}"),  # a dimension beside n
    (rf"([_^])([A-Za-z]|{GREEK})(bar|hat|tilde)(?![a-z])", r"\1{\\\3 \2}"),
    # of a number or a bracket, and with a sign, what stands in brackets is a power, not the index of an iterate
    (r"^(\d*)\^\(((?:[^()]|\([^()]*\))*)\)$", r"\1^{\2}"),
    (r"\^\((- ?(?:[^()]|\([^()]*\))*)\)", r"^{\1}"),
    (r"^grad(\^2)?_([a-z]+)$", r"\\nabla\1_{\2}"),
    (r"\b(dist|gap|ln|log)(?![a-z])", r"\\mathrm{\1}"),
    (rf"({GREEK}|[A-Za-z])~", r"\\tilde \1"),
    (rf"([A-Za-z]|{GREEK})\^(?=_)", r"\\hat \1"),
    (rf"([A-Za-z]|{GREEK})_?(bar|hat|tilde)(?![a-z])", r"\\\2 \1"),
    ("²", "^2"),
    ("³", "^3"),
    ("⁴", "^4"),
    (r"\^\((?=-? ?[\d(])((?:[^()]|\([^()]*\))*)\)", r"^{\1}"),
    # a power of a number or a bracket; on a letter "(s)" is an index
    (r"^(\d*)\^\(((?:[^()]|\([^()]*\))*)\)", r"\1^{\2}"),
    (rf"^(\d*)\^((?:{GREEK})_\w+)$", r"\1^{\2}"),
    (rf"([_^])(?!(?:{GREEK}|eps)(?![a-z]))([A-Za-z]{{2,}})(?![}}\w])", r"\1{\\mathrm{\2}}"),
    (r"([_^])(-?\d+\.\d+|-\d+|-[A-Za-z]|\d[A-Za-z0-9]+|[A-Za-z]+\d[A-Za-z0-9]*)(?![}\w])", r"\1{\2}"),
)


def typeset(words: Words) -> Iterator[Piece]:
    """The same words, with letters that have an index or a power as formulas."""
    for piece in words:
        if not isinstance(piece, str):
            yield piece
            continue
        text, last = _apart(signs(piece)), 0
        for hit in _LETTERS.finditer(text):
            yield text[last : hit.start()]
            yield _letters(hit[0])
            last = hit.end()
        yield text[last:]


def unicode(text: str) -> str:
    """A plain text with its letters and signs as a terminal shows them: ``x_1^2 >= 0`` as ``x₁² ≥ 0``.

    No line ends within such letters.
    """
    pieces = typeset((text,))
    return "".join(in_text(one.tex).replace(" ", TOGETHER) if isinstance(one, Formula) else str(one) for one in pieces)


@cache
def _letters(plain: str) -> Piece:
    """A letter with its scripts as a formula, or as it is where it would be none."""
    named = _ACCENTED.sub(lambda hit: f"{_ACCENTS[hit[0][1]]} {hit[0][0]}", plain)
    named = re.sub(r"[^\x00-\x7f²³⁴]", lambda sign: f"{_bare(sign[0])} ", named)
    for found, put in _PLAINER:
        named = re.sub(found, put, named)
    formula = re.sub(r" (?=[_^])", "", tex(named).strip())
    if formula[0] in "_^":
        formula = f"{{}}{formula}"
    try:
        mathml(formula)
    except TypesettingError:
        return plain
    return Formula(formula)


def in_markdown(words: Words) -> str:
    """Some words as Markdown."""
    out = []
    for piece in typeset(words):
        match piece:
            case Code(text):
                out.append(f"`{text}`")
            case Formula(tex):
                out.append(f"${tex}$")
            case Strong(text):
                out.append(f"**{_plain(text)}**")
            case _:
                out.append(_plain(piece))
    return "".join(out).strip()


def _plain(text: str) -> str:
    return _MARKDOWN.sub(r"\\\1", signs(text))


#: The sign of a number, of a bracket or of a letter.
_NEGATIVE = re.compile(rf"(?<![^\s(=\[{{])-(?=[\d(√‖⟨∇∞]|[A-Za-z](?![A-Za-z])|(?:{_NAME}|log|ln|max|min|sum)(?![a-z]))")
_WRITTEN = (
    *(("<=", "≤"), (">=", "≥"), ("==", "="), ("||", "‖"), ("!=", "≠"), ("->", "→")),
    *((" +-", " ±"), (" -+", " ∓"), (" - ", " − "), ("sqrt(", "√(")),
)


#: Signs of formulas that more than one place of a plain text says to be such.
_OF_FORMULAS = (
    (r"(?<![a-z\d)])<(?! )([^<>=|]*), ?([^<>=]*[^<>= ])>", r"⟨\1, \2⟩"),  # before <x, y> is compared with anything
    (r"(?:(?<=[→><≤≥] )|(?<=[→><≤≥] -))infinity\b|(?<=from -)inf(?= to)|(?<= to )inf\b(?! [a-z])", "∞"),
    (r"(?<=[\[(]-)inf(?=,)|(?<=, )inf(?=[)\]])", "∞"),
    (r"<- ", "← "),
    (r"(?<=\d) \* (?=\d)", "·"),
    (r"(?<=[A-Z]) x (?=[A-Z]\b|Delta\b|\[)|(?<=\^n) x (?=R\^)", " × "),
    (r"\(([A-HJ-Za-hj-z]|tau|kappa)-(\d|[A-Z])\)", r"(\1 − \2)"),  # (i-1) is a part of a theorem
    (r"(?<![\w.)])-0(?![\w.])", "0"),
    (r"(?<![\w.])1e([+-])0*(\d+)(?!\w)", r"10^\1\2"),
    (r"(?<![\w.])1e(\d{1,2})(?!\w)", r"10^\1"),
    (r"(?<![\w.])(\d+(?:\.\d+)?)e(\d{1,2})(?!\w)", r"\1·10^\2"),
    (r"\^-\((\d[^()]*)\)", r"^(-\1)"),
    (r"(?<![\w.])(\d+(?:\.\d+)?)e([+-])0*(\d+)(?!\w)", r"\1·10^\2\3"),
)
_OF_NABLA = re.compile(rf"\bgrad (?=[A-Za-z]\b|[A-Za-z][_^(]|{_NAME}(?![a-z]))")


def signs(text: str) -> str:
    """A plain text with the signs that it writes in ASCII."""
    for plain, sign in _WRITTEN:
        text = text.replace(plain, sign)
    for found, put in _OF_FORMULAS:
        text = re.sub(found, put, text)
    text = _NEGATIVE.sub("−", text.replace("10^+", "10^"))
    return _OF_NABLA.sub("∇", text)


#: The space between items and between their paragraphs.
_TIGHT = r"\setlength{\itemsep}{1pt}\setlength{\parskip}{1pt}"
_HEAD = r"""\documentclass[9pt]{extarticle}
\usepackage[utf8]{inputenc}
\usepackage[T1]{fontenc}
\IfFileExists{lmodern.sty}{\usepackage{lmodern}}{}
\usepackage[a4paper,margin=18mm]{geometry}
\usepackage{amsmath,amssymb,array,longtable,xcolor}
\definecolor{green}{rgb}{0,0.45,0.15}
\setlength{\parindent}{0pt}
\setlength{\parskip}{4pt}
\begin{document}
\raggedright"""


def latex(blocks: Iterable[Block]) -> str:
    """The document as LaTeX, complete, for any engine."""
    return f"{_HEAD}\n\n{fragment(blocks)}\n\\end{{document}}\n"


def fragment(blocks: Iterable[Block]) -> str:
    """A part of a LaTeX document, which needs the packages amsmath, amssymb and xcolor."""
    return "\n\n".join(map(_in_latex, blocks)) + "\n"


def _in_latex(block: Block) -> str:
    match block:
        case Title(words, 0):
            return rf"{{\Large\bfseries {in_latex(words)}\par}}"
        case Title(words, _):
            return rf"\subsection*{{{in_latex(words)}}}"
        case Paragraph(words):
            return in_latex(words)
        case Items(items, numbered):
            kind = "enumerate" if numbered else "itemize"
            inner = "\n".join(r"\item " + "\n\n".join(map(in_latex, item)) for item in items)
            return f"\\begin{{{kind}}}{_TIGHT}\n{inner}\n\\end{{{kind}}}"
        case Table(head, rows, shares):
            columns = "".join(
                rf">{{\raggedright\arraybackslash}}p{{\dimexpr{share:g}\linewidth-2\tabcolsep}}" for share in shares
            )
            lines = [" & ".join(rf"\textbf{{{_escaped(one)}}}" for one in head) + r" \\ \hline\noalign{\smallskip}"]
            lines += [" & ".join(map(in_latex, row)) + r" \\" for row in rows]
            body = "\n".join(lines)
            return f"{{\\small\\begin{{longtable}}{{{columns}}}\n{body}\n\\end{{longtable}}}}"
        case Display(formulas):
            lines = [line for rows in formulas for line in rows]
            return "\\begin{gather*}\n" + " \\\\\n".join(lines) + "\n\\end{gather*}"


def in_latex(words: Words) -> str:
    """Some words as LaTeX."""
    out = []
    for piece in typeset(words):
        match piece:
            case Code(text):
                broken = _escaped(text).replace(".", r".\allowbreak{}")
                out.append(rf"\texttt{{{broken}}}")
            case Formula(tex):
                out.append(f"${tex}$")
            case Strong(text):
                out.append(rf"\textbf{{{_escaped(text)}}}")
            case _:
                out.append(_escaped(piece))
    return "".join(out).strip()


_ESCAPES = {c: "\\" + c for c in "#$%&_{}"} | {
    "\\": r"\textbackslash{}",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    '"': r"\textquotedbl{}",
}
#: Signs of formulas, in mathematics.
_SIGNS = {
    "<": "<",
    ">": ">",
    "|": "|",
    "≤": r"\le",
    "≥": r"\ge",
    "≠": r"\ne",
    "‖": r"\|",
    "∇": r"\nabla",
    "∂": r"\partial",
    "∑": r"\sum",
    "√": r"\surd",
    "∞": r"\infty",
    "∈": r"\in",
    "·": r"\cdot",
    "⋅": r"\cdot",
    "×": r"\times",
    "−": "-",
    "±": r"\pm",
    "∓": r"\mp",
    "→": r"\to",
    "←": r"\leftarrow",
    "⟨": r"\langle",
    "⟩": r"\rangle",
    "≈": r"\approx",
    "∝": r"\propto",
    "⌈": r"\lceil",
    "⌉": r"\rceil",
    "½": r"\tfrac12",
    "…": r"\ldots",
}
_ACCENTS = {"\u0302": r"\hat", "\u0303": r"\tilde", "\u0304": r"\bar", "\u0305": r"\bar"}
_ACCENTED = re.compile(f"(.[{''.join(_ACCENTS)}])")


def _escaped(text: str) -> str:
    """A plain text for LaTeX: signs and Greek letters in mathematics, all else that commands something as it looks."""
    out: list[str] = []
    for part in _ACCENTED.split(_apart(signs(text))):
        if len(part) == 2 and part[1] in _ACCENTS:
            out.append(f"${_ACCENTS[part[1]]}{{{_bare(part[0])}}}$")
        else:
            out += map(_letter, part)
    return "".join(out)


def _apart(text: str) -> str:
    """A text in which accents of mathematics stand after their letters, whole or not, and all others in these."""
    parts = _ACCENTED.split(unicodedata.normalize("NFD", text))
    return "".join(part if _ACCENTED.fullmatch(part) else unicodedata.normalize("NFC", part) for part in parts)


def _letter(sign: str) -> str:
    if sign in _ESCAPES:
        return _ESCAPES[sign]
    inner = _bare(sign)
    return sign if inner == sign and sign not in _SIGNS else f"${inner}$"


def _bare(sign: str) -> str:
    """A sign inside mathematics."""
    if sign in _SIGNS:
        return _SIGNS[sign]
    if sign.isascii():
        return _ESCAPES.get(sign, sign)
    name = unicodedata.name(sign, "")
    if found := re.fullmatch(r"GREEK (SMALL|CAPITAL) LETTER (\w+)", name):
        letter = {"LAMDA": "lambda"}.get(found[2], found[2].lower())
        return "\\" + (letter if found[1] == "SMALL" else letter.capitalize())
    if name.startswith(("SUPERSCRIPT", "SUBSCRIPT")):
        mark = "^" if name.startswith("SUPER") else "_"
        return f"{{}}{mark}{{{unicodedata.normalize('NFKC', sign)}}}"
    return sign
