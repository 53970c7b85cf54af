"""What the overview of a paper shows: counts, the faults where it starts, results, tables, the graph."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rateproof.verify.pages.facts import is_broken
from rateproof.verify.pages.results import kind_of, result_of
from rateproof.verify.report.claim_page import Told
from rateproof.verify.report.graph import Cell, draw

#: Verdicts as bars, tables and filters list them.
ORDER = ("proved", "supported", "refuted", "inconsistent", "vacuous", "undecided", "unchecked", "-")
#: Of several verdicts that on a whole is the first of these.
_WORST = ("refuted", "inconsistent", "undecided", "unchecked", "-", "vacuous", "supported", "proved")


@dataclass(frozen=True)
class Bar:
    """How many claims have each verdict under one reading."""

    title: str
    counts: tuple[tuple[str, int], ...]

    @property
    def total(self) -> int:
        """Of all claims."""
        return sum(count for _, count in self.counts)


@dataclass(frozen=True)
class Result:
    """A printed result, with its verdicts: each is the worst on one of its claims.

    Attributes:
        name: as printed.
        claims: its printed claims.
        printed, kindly, corrected: verdicts; ``severity`` is the gravest.
    """

    name: str
    claims: tuple[Told, ...]
    printed: str
    kindly: str
    corrected: str
    severity: str


def printed(pages: Iterable[Told]) -> list[Told]:
    """The claims of the print."""
    return [one for one in pages if not one["amends"]]


def best_correction(told: Told) -> str:
    """The verdict on the correction that fares best; empty where there is none."""
    return next((one["verdict"].partition(",")[0].partition(" ")[0] for one in told["corrections"]), "")


def read_kindly(told: Told) -> str:
    """The verdict read kindly, which is that on the print where nothing is read otherwise."""
    return str(told["kindly"] or told["verdict"])


def as_it_holds(told: Told, pages: Mapping[str, Told]) -> str:
    """The verdict on what holds in its place: of its correction, of the corrections of its parts, or its own."""
    if told["verdict"] in ("proved", "supported"):
        return str(told["verdict"])
    if own := best_correction(told):
        return own
    parts = [as_it_holds(pages[part], pages) for part in told["parts"] if part in pages]
    return worst(parts) if parts else read_kindly(told)


def _rank(verdict: str) -> int:
    return _WORST.index(verdict) if verdict in _WORST else -1


def worst(verdicts: Iterable[str]) -> str:
    """That of some verdicts that says least for the paper."""
    return min(verdicts, key=_rank, default="-")


def bars(pages: Mapping[str, Told]) -> list[Bar]:
    """Verdicts as printed, read kindly and corrected."""
    own = [one for one in printed(pages.values()) if not one["is_ours"]]
    readings: tuple[tuple[str, Callable[[Told], str]], ...] = (
        ("as printed", lambda one: str(one["verdict"])),
        ("read kindly", read_kindly),
        ("as corrected", lambda one: as_it_holds(one, pages)),
    )
    return [Bar(title, _counted(map(verdict, own))) for title, verdict in readings]


def _counted(verdicts: Iterable[str]) -> tuple[tuple[str, int], ...]:
    counts = Counter(verdicts)
    return tuple((verdict, counts[verdict]) for verdict in ORDER if counts[verdict])


def roots(pages: Iterable[Told]) -> list[Told]:
    """Faults that rest on no other fault and on which something stands, those on which most of the print does first."""
    first = (one for one in printed(pages) if one["is_root"] and one["reach"])
    return sorted(first, key=lambda one: -len(one["reach"]))


def results(pages: Mapping[str, Told]) -> list[Result]:
    """The theorems, lemmas, propositions, corollaries and tables of a paper, in its order."""
    found: dict[str, list[Told]] = {}
    for one in printed(pages.values()):
        if kind_of(name := result_of(one["place"])):
            found.setdefault(name, []).append(one)
    return [
        Result(
            name,
            tuple(those),
            worst(one["verdict"] for one in those),
            worst(map(read_kindly, those)),
            worst(as_it_holds(one, pages) for one in those),
            max((one["severity"] for one in those), key=_SEVERITIES.index),
        )
        for name, those in found.items()
    ]


_SEVERITIES = ("", "misprint", "corner", "condition", "substance")


def tables(listed: Sequence[Result]) -> list[Result]:
    """Those that the paper prints as tables."""
    return [one for one in listed if kind_of(one.name) == "Table"]


def graph(pages: Mapping[str, Told], link: Callable[[str], str]) -> str:
    """The drawing of what rests on what."""
    own = [one for one in printed(pages.values()) if not _is_whole(one)]
    cells = [Cell(one["id"], one["place"], one["verdict"], best_correction(one)) for one in own]
    rests = [(one["id"], other) for one in printed(pages.values()) for other in one["follows_from"]]
    return draw(cells, rests, link, is_broken)


def _is_whole(told: Told) -> bool:
    """A claim that states nothing but its parts."""
    return bool(told["parts"]) and not told["statement"]


def said(pages: Mapping[str, Told]) -> str:
    """One sentence on the paper, from the counts."""
    own = [one for one in printed(pages.values()) if not one["is_ours"]]
    counts = Counter(one["verdict"] for one in own)
    words = {
        "supported": "supported by all instances tried",
        "refuted": "refuted by an instance that satisfies every hypothesis",
        "inconsistent": "in contradiction to the paper's own bounds",
        "vacuous": "without content",
    }
    parts = [f"{counts[v]} {words.get(v, 'without verdict' if v == '-' else v)}" for v in ORDER if counts[v]]
    ours = len(printed(pages.values())) - len(own)
    more = (
        f" {ours} claim{'s' if ours > 1 else ''} of our own stand{'' if ours > 1 else 's'} beside them." if ours else ""
    )
    return f"{len(own)} printed claims: {', '.join(parts)}.{more}"


def mended(pages: Mapping[str, Told]) -> str:
    """One sentence on the corrections; empty where there are none."""
    counts = _counted(one["verdict"] for one in pages.values() if one["amends"])
    told = ", ".join(f"{n} {v}" for v, n in counts)
    return f"{sum(n for _, n in counts)} corrected readings: {told}." if counts else ""


def index_entry(paper: str, reference: Any, pages: Mapping[str, Told]) -> dict[str, Any]:
    """What the index shows of a paper."""
    return {"paper": paper, "reference": reference, "bars": bars(pages), "said": said(pages), "mended": mended(pages)}
