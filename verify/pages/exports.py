"""What is told of a claim, to take along: Markdown, LaTeX for a referee's report, BibTeX, JSON."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict

from rateproof.theory import catalog
from rateproof.verify.checks import plain
from rateproof.verify.pages.facts import Facts, Rows

_LATEX = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    **{sign: f"\\{sign}" for sign in "&%$#_{}"},
}
#: Signs that have a meaning in Markdown.
_MARKDOWN = re.compile(r"([\\`*_{}\[\]<>#|])")


def markdown(facts: Facts) -> str:
    """A paragraph and lists for an issue or a review: verdict, formulas, why, and the arithmetic."""
    return "\n\n".join(_markdown(facts)) + "\n"


def _markdown(facts: Facts) -> Iterator[str]:
    yield f"**{marked_down(named(facts))}** (`{facts.id}`): {marked_down(verdict_in_words(facts))}."
    yield marked_down(facts.sentence)
    printed, corrected = sides(facts)
    for title, formulas in (("As printed", printed), ("As it holds", corrected)):
        if formulas:
            yield "\n".join([f"{title}:", "", *(f"$$ {' '.join(rows)} $$" for rows in formulas)])
    if changed := [one for one in facts.hypotheses if one.change]:
        yield "\n".join(f"- {one.change}: {marked_down(one.text)}" for one in changed)
    if facts.example and facts.example.by_hand:
        yield f"Counterexample: {marked_down(facts.example.by_hand)}"
    yield f"`rateproof show {facts.id}`"


def latex(facts: Facts) -> str:
    """A paragraph of a referee's report, with displays; what differs is in colour, which needs the package xcolor."""
    return "\n".join(_latex(facts)) + "\n"


def _latex(facts: Facts) -> Iterator[str]:
    where = rf"\texttt{{{escaped(facts.id)}}}"
    yield rf"\paragraph{{{escaped(named(facts))}}} ({where}): {escaped(verdict_in_words(facts))}."
    yield escaped(facts.sentence)
    printed, corrected = sides(facts)
    for title, formulas in (("As printed:", printed), ("As it holds:", corrected)):
        if formulas:
            yield title
            lines = [line for rows in formulas for line in rows]
            yield "\\begin{gather*}\n" + " \\\\\n".join(lines) + "\n\\end{gather*}"
    if changed := [one for one in facts.hypotheses if one.change]:
        yield "\\begin{itemize}"
        yield from (rf"\item {one.change}: {escaped(one.text)}" for one in changed)
        yield "\\end{itemize}"
    if facts.example and facts.example.by_hand:
        yield f"Counterexample: {escaped(facts.example.by_hand)}"


def bibtex(facts: Facts) -> str:
    """Two entries: the paper, where it is one, and what is found of the claim."""
    paper = catalog.reference(facts.paper)
    entries = []
    if paper.authors:
        fields = {
            "title": f"{{{escaped(paper.title)}}}",
            "author": " and ".join(map(escaped, paper.authors)),
            "year": str(paper.year or ""),
            "howpublished": escaped(paper.venue),
            "url": paper.url,
        }
        entries.append(_entry(facts.paper, fields))
    found = f"{named(facts)} ({facts.paper}): {verdict_in_words(facts)}"
    fields = {"title": f"{{{escaped(found)}}}", "howpublished": "rateproof", "note": f"claim {escaped(facts.id)}"}
    if paper.authors:
        fields["crossref"] = facts.paper
    entries.append(_entry(f"rateproof:{facts.id}", fields))
    return "\n\n".join(entries) + "\n"


def _entry(key: str, fields: dict[str, str]) -> str:
    lines = [f"  {name} = {{{value}}}" for name, value in fields.items() if value]
    return f"@misc{{{key},\n" + ",\n".join(lines) + "\n}"


def as_json(facts: Facts) -> str:
    """All of it, as a JSON object; formulas are LaTeX."""
    return json.dumps(plain(asdict(facts)), indent=1, ensure_ascii=False) + "\n"


#: Each format by the name under which a command offers it.
FORMATS: dict[str, Callable[[Facts], str]] = {
    "markdown": markdown,
    "latex": latex,
    "bibtex": bibtex,
    "json": as_json,
}


def together(format: str, claims: Iterable[Facts]) -> str:
    """Several claims in one text; as JSON they are an array."""
    if format == "json":
        return json.dumps([plain(asdict(one)) for one in claims], indent=1, ensure_ascii=False) + "\n"
    entries = dict.fromkeys(part for one in claims for part in FORMATS[format](one).strip().split("\n\n@"))
    if format == "bibtex":  # the paper once
        return "\n\n".join(part if part.startswith("@") else f"@{part}" for part in entries) + "\n"
    return "\n\n".join(entries) + "\n"


# --- parts of them


def named(facts: Facts) -> str:
    """The place of a claim, with its equation and its title."""
    place = f"{facts.place}, eq. {facts.equation}" if facts.equation else facts.place
    return f"{place}: {facts.title}" if facts.title else place


def verdict_in_words(facts: Facts) -> str:
    """All that is found, in a line: as printed, read kindly, how much is wrong, corrected."""
    words = [facts.verdict if facts.amends else f"{facts.verdict} as printed"]
    words[0] += f" ({facts.severity})" if facts.severity else ""
    if facts.kindly:
        words.append(f"{facts.kindly} read kindly")
    if facts.corrections:
        words.append(f"corrected: {', '.join(one.verdict for one in facts.corrections)}")
    return ", ".join(words)


def sides(facts: Facts) -> tuple[Sequence[Rows], Sequence[Rows]]:
    """The formulas of the print, and those of the correction; what is the same in both is in the first only."""
    if facts.beside and not all(pair.same for pair in facts.beside):
        pairs = [pair for pair in facts.beside if pair.printed]
        return [pair.printed for pair in pairs], [pair.corrected for pair in facts.beside if pair.corrected]
    return [*facts.statement, *facts.where], []


def escaped(text: str) -> str:
    """A text in which LaTeX finds no commands."""
    return "".join(_LATEX.get(letter, letter) for letter in text)


def marked_down(text: str) -> str:
    """A text in which Markdown finds no marks."""
    return _MARKDOWN.sub(r"\\\1", text)
