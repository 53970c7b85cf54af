"""Where an author finds what a claim cites: the section, the words with which the place begins, numbers and pages.

``Source.place`` names results and sections, ``proof of Theorem 3 (i-1)``. A table in the paper's folder,
``places.toml``, says of each of these heads where it stands. It is made once from the text of the paper, and has a few
words for each:

    python -m rateproof.theory.places PAPER TEXT > theory/papers/PAPER/places.toml

Pages are those of form feeds in the text, else those of the sections that its contents list.
"""

from __future__ import annotations

import json
import re
import sys
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from functools import cache
from itertools import pairwise
from pathlib import Path

FILE = "places.toml"
#: Words of the place that are quoted, and what stands for a formula among them.
WORDS, GAP = 8, "…"

_NUMBER = r"[A-Z]?\.?\d+(?:\.\d+)*|[A-Z](?![a-z])"
_KINDS = "Theorem|Lemma|Corollary|Proposition|Remark|Definition|Assumption|Algorithm|Table|Figure|Case|Section|Appendix"
_PLURALS = {"Corollaries": "Corollary", "Appendices": "Appendix"}
_HEAD = re.compile(
    rf"(?P<proof>proofs? of )?(?P<kind>Corollaries|Appendices|(?:{_KINDS})s?) "
    rf"(?P<numbers>(?:{_NUMBER})(?:(?:, and |, | and )(?:{_NUMBER})(?![\w)]))*)"
)


@dataclass(frozen=True)
class Where:
    """Where a head of a place stands.

    Attributes:
        section: number and title of the section.
        words: with which it begins.
        displays: numbers of its displays, the first and the last.
        pages: the page, or those of the section.
    """

    section: str = ""
    words: str = ""
    displays: str = ""
    pages: str = ""

    @property
    def part(self) -> str:
        """The section by its number, without its title; empty where it has none."""
        return _named(self.section.partition(" ")[0])

    @property
    def titled(self) -> str:
        """The section, with its title."""
        return _named(self.section)

    @property
    def inside(self) -> str:
        """Where in the section it is."""
        parts = (
            self.words and f"“{self.words.replace(' )', ')')} …”",
            self.displays and f"display{'s' if ' ' in self.displays else ''} {self.displays}",
            self.pages and f"page{'s' if ' ' in self.pages else ''} {self.pages}",
        )
        return ", ".join(filter(None, parts))

    def __str__(self) -> str:
        return ", ".join(filter(None, (self.titled, self.inside)))


def _named(section: str) -> str:
    return section and f"{'Appendix' if section[0].isalpha() else 'Section'} {section}"


def heads(place: str) -> tuple[str, ...]:
    """What a place names, each in the singular: ``proof of Lemma 4`` and ``proof of Lemma 5`` for those of both."""
    out = []
    proof = ""
    for hit in _HEAD.finditer(place):
        # of "proofs of Theorem 1 (i-1) and of Theorem 3" both are proofs
        proof = "proof of " if hit["proof"] or (proof and place[: hit.start()].endswith(" of ")) else ""
        kind = _PLURALS.get(hit["kind"], hit["kind"].removesuffix("s"))
        out += [f"{proof}{kind} {number}" for number in re.findall(_NUMBER, hit["numbers"])]
    return tuple(dict.fromkeys(out))


_ASKED = re.compile(
    rf"(?P<proof>proof of )?(?P<kind>[a-z]{{3,}})[. ] *(?P<number>{_NUMBER})(?:\.? *(?P<rest>\(.+))?", re.IGNORECASE
)


def named(words: str) -> str:
    """The place that somebody means, as the papers write it: ``Lemma B.1`` for ``lem b.1``; empty where it is none."""
    hit = _ASKED.fullmatch(words.strip())
    begun = hit["kind"].lower().replace("thm", "theorem") if hit else ""
    kind = next((k for k in _KINDS.split("|") if begun and k.lower().startswith(begun)), "")
    if not hit or not kind:
        return ""
    return f"{(hit['proof'] or '').lower()}{kind} {hit['number'].upper()} {hit['rest'] or ''}".rstrip()


def lies_at(place: str, asked: str) -> bool:
    """Whether a place is one that is asked for, as :func:`named` writes it, or a part of that."""
    head, bracket, rest = asked.partition(" (")
    return head in heads(place) and bracket + rest in place


def where(paper: str, place: str) -> dict[str, Where]:
    """Where the heads of a place stand: the results and proofs that it names, else the sections.

    Those that the table of the paper does not have are left out.
    """
    known = _table(paper)
    named = {head: known[head] for head in heads(place) if head in known}
    return {head: one for head, one in named.items() if not head.startswith(("Section", "Appendix"))} or named


@cache
def _table(paper: str) -> Mapping[str, Where]:
    from rateproof.theory import discovery

    found = discovery.place(paper)
    file = found.folder / FILE if found else None
    if file is None or not file.is_file():
        return {}
    return {head: Where(**fields) for head, fields in tomllib.loads(file.read_text(encoding="utf-8")).items()}


# --- how the table is made


_SECTION = re.compile(
    r"^(?:#+ +)?(?:Appendix )?(?P<number>(?:\d+|[A-Z])(?:\.\d+)*)\.?\s+"
    r"(?P<title>(?:A |[A-Z][A-Za-z:-]{2})[^\t]{0,110})$"
)
_CONTENTS = re.compile(r"^(?P<number>[A-Z\d](?:\.\d+)*)\t.*\t(?P<page>\d+)$")
_RESULT = re.compile(
    r"^\W*(?P<kind>Theorem|Lemma|Corollary|Proposition|Remark|Definition|Assumption|Algorithm|Table|Figure|Case) "
    rf"(?P<number>(?:{_NUMBER}))(?=[.:*]|\s*[(\[]|[A-Z]|\s+[A-Z(\[]|$)"
)
_PROOF = re.compile(rf"^\W*(?:textit\{{)?Proof(?: of (?P<of>\w+ (?:{_NUMBER})))?(?=\W|$)[.*]*")
#: A formula between dollars, or a word of one that the conversion left bare.
_FORMULA = re.compile(r"\$[^$]*\$?|\S*[\\^{}=]\S*|\S*[^\x00-\x7f–’“”]\S*|\b\w_\w*|<[^>]*>")
#: With which a proof ends.
_END = re.compile(r"\\(?:square|blacksquare|Box|qed)\b|[□∎■]")
_TAG = re.compile(r"\\tag\{(\w+)\}|\((\d+[a-z]?)\)\s*\$\$")


def found(text: str, wanted: Iterable[str]) -> dict[str, Where]:
    """Where some heads stand in the text of a paper; those that are not found are left out.

    Args:
        text: of the paper, as a conversion gives it, in plain text or Markdown, with form feeds or without.
        wanted: the heads.
    """
    lines = text.replace("\u00a0", " ").split("\n")
    if any(line.startswith("# ") for line in lines):  # in Markdown a section has its sign, and steps have none
        lines = [re.sub(r"^(?=[\dA-Z](\.\d+)*\.? )", " ", line) for line in lines]
    places = {**_sections(lines), **_results(lines)}
    ends = sorted({line for line, _ in places.values()} | {len(lines)})
    pages = _pages(lines)
    out = {}
    for head in wanted:
        if head in places:
            start, words = places[head]
            end = next(line for line in ends if line > start)
            if head.startswith("proof "):  # what comes after its end mark is no part of a proof
                end = next((i + 1 for i in range(start, end) if _END.search(lines[i])), end)
            number, title = _section_at(lines, start)
            page = pages.get(str(start), "") or pages.get(number, "")
            section = "" if head.startswith(("Section", "Appendix")) and not title else f"{number} {title}".strip()
            out[head] = Where(section, words, _displays(lines[start:end]), page)
    return out


def _sections(lines: list[str]) -> dict[str, tuple[int, str]]:
    """Sections by what a place calls them: where they begin, and with which words."""
    out: dict[str, tuple[int, str]] = {}
    for i, line in enumerate(lines):
        if hit := _titled(line):
            out.setdefault(_named(hit["number"]), (i, _words(lines, i + 1, "")))
    return out


def _titled(line: str) -> re.Match[str] | None:
    """The title of a section; a sentence that begins with a letter or number is none."""
    hit = _SECTION.match(line)
    return hit if hit and ". " not in hit["title"] else None


def _results(lines: list[str]) -> dict[str, tuple[int, str]]:
    """Results and their proofs: a proof that names no result is that of the last one."""
    out: dict[str, tuple[int, str]] = {}
    last = ""
    for i, line in enumerate(lines):
        if hit := _RESULT.match(line):
            head = f"{hit['kind']} {hit['number']}"
            if head not in out:
                out[head] = (i, _words(lines, i, line[hit.end() :]))
            if hit["kind"] in ("Theorem", "Lemma", "Corollary", "Proposition"):
                last = head
        elif titled := re.search(rf"Proof of (\w+ (?:{_NUMBER}))\W*$", line):
            last = titled[1]
        elif hit := _PROOF.match(line):
            head = f"proof of {hit['of'] or last}"
            out.setdefault(head, (i, _words(lines, i, line[hit.end() :])))
    return out


def _words(lines: list[str], line: int, rest: str) -> str:
    """The first words of a text, with dots for formulas; those of the next lines where there are none."""
    for one in (rest, *lines[line + 1 : line + 6]):
        plain = _FORMULA.sub(f" {GAP} ", one.split("$$")[0])
        plain = re.sub(r"\(?\[\d+[^\]]*\]\)?|[*_#\[\]]", "", plain)  # titles stay, citations go
        words = re.sub(rf"({GAP}[ ,.]*)+", f"{GAP} ", plain).strip(f" .:,{GAP}").split()
        if sum(word.isalpha() for word in words) > 1:
            quoted = " ".join(words[:WORDS]).rstrip(f".,:; {GAP}")
            head, bracket, tail = quoted.rpartition("(")
            return head + tail if bracket and ")" not in tail else quoted
    return ""


def _displays(block: Iterable[str]) -> str:
    numbers = [a or b for line in block for a, b in _TAG.findall(line)]
    if not numbers:
        return ""
    return f"({numbers[0]})" if len(numbers) == 1 else f"({numbers[0]}) to ({numbers[-1]})"


def _section_at(lines: list[str], line: int) -> tuple[str, str]:
    """Number and title of the section that a line stands in."""
    for one in reversed(lines[: line + 1]):
        if hit := _titled(one):
            return hit["number"], re.sub(r"\s+", " ", _FORMULA.sub(GAP, hit["title"])).strip(" .*")
    return "", ""


def _pages(lines: list[str]) -> dict[str, str]:
    """Pages by line where the text has form feeds, else those of the sections by number that its contents list."""
    if any("\f" in line for line in lines):
        page, out = 1, {}
        for i, line in enumerate(lines):
            page += line.count("\f")
            out[str(i)] = str(page)
        return out
    listed = [(hit["number"], int(hit["page"])) for line in lines if (hit := _CONTENTS.match(line))]
    spans = {number: (page, after) for (number, page), (_, after) in pairwise([*listed, ("", 10**6)])}
    return {n: str(a) if b in (a, 10**6) else f"{a} to {b}" for n, (a, b) in spans.items()}


def written(places: Mapping[str, Where]) -> Iterator[str]:
    """The lines of a table."""
    for head, one in places.items():
        yield f"[{json.dumps(head, ensure_ascii=False)}]"
        yield from (f"{name} = {json.dumps(v, ensure_ascii=False)}" for name, v in asdict(one).items() if v)
        yield ""


def main(paper: str, text: str) -> None:
    """Print the table of a paper, made from the file of its text; what is not found is told on stderr."""
    from rateproof.theory import catalog

    wanted = [head for claim in catalog.claims(paper).values() for head in heads(claim.source.place)]
    wanted = list(dict.fromkeys(wanted))
    places = found(Path(text).read_text(encoding="utf-8"), wanted)
    print("\n".join(written(places)).rstrip())
    print("not found:", "; ".join(head for head in wanted if head not in places) or "none", file=sys.stderr)


if __name__ == "__main__":
    main(*sys.argv[1:])
