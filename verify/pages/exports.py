"""What is told of a claim, to take along: Markdown, LaTeX for a referee's report, BibTeX, JSON."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict

from rateproof.theory import catalog
from rateproof.verify.checks import plain
from rateproof.verify.pages import document
from rateproof.verify.pages.document import Block, Code, Display, Items, Paragraph, Strong, in_latex
from rateproof.verify.pages.facts import Facts, Rows


def told(facts: Facts) -> Iterator[Block]:
    """A paragraph and lists for an issue or a review: verdict, formulas, why, and the arithmetic."""
    yield Paragraph((Strong(named(facts)), " (", Code(facts.id), f"): {verdict_in_words(facts)}."))
    yield Paragraph((facts.sentence,))
    for title, formulas in titled(facts):
        yield Paragraph((f"{title}:",))
        yield Display(tuple(formulas))
    if changed := [one for one in facts.hypotheses if one.change]:
        yield Items(tuple(((f"{one.change}: {one.text}",),) for one in changed))
    if facts.example and facts.example.by_hand:
        yield Paragraph((f"Counterexample: {facts.example.by_hand}",))
    yield Paragraph((Code(f"rateproof show {facts.id}"),))


def markdown(facts: Facts) -> str:
    """What is told of a claim as Markdown."""
    return document.markdown(told(facts))


def latex(facts: Facts) -> str:
    """What is told of a claim as a part of a LaTeX document; what differs is in colour."""
    return document.fragment(told(facts))


def bibtex(facts: Facts) -> str:
    """Two entries: the paper, where it is one, and what is found of the claim."""
    paper = catalog.reference(facts.paper)
    entries = []
    if paper.authors:
        fields = {
            "title": f"{{{in_latex((paper.title,))}}}",
            "author": " and ".join(in_latex((one,)) for one in paper.authors),
            "year": str(paper.year or ""),
            "howpublished": in_latex((paper.venue,)),
            "url": paper.url,
        }
        entries.append(_entry(facts.paper, fields))
    found = f"{named(facts)} ({facts.paper}): {verdict_in_words(facts)}"
    note = in_latex(("claim ", Code(facts.id)))
    fields = {"title": f"{{{in_latex((found,))}}}", "howpublished": "rateproof", "note": note}
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
    if facts.title.startswith(place):
        return facts.title
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
        return [pair.printed for pair in pairs], [
            pair.corrected for pair in facts.beside if pair.corrected and not pair.same
        ]
    return [*facts.statement, *facts.where], []


def titled(facts: Facts) -> Iterator[tuple[str, Sequence[Rows]]]:
    """The formulas of the print and of its correction, each under its title; of a correction its own."""
    printed, corrected = sides(facts)
    titles = ("As it holds" if facts.amends else "As printed", "As it holds")
    return (pair for pair in zip(titles, (printed, corrected), strict=True) if pair[1])
