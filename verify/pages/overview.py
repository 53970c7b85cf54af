"""What a page tells of a paper: counts, where its faults begin, and what becomes of its results."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from rateproof.theory import catalog
from rateproof.theory.claim import Claim, Paper
from rateproof.verify.evidence import Level, Verdict
from rateproof.verify.pages.facts import is_printed, sentence
from rateproof.verify.pages.graph import UNKNOWN, ProofGraph
from rateproof.verify.pages.results import kind_of, result_of


@dataclass(frozen=True)
class Fault:
    """A printed claim that falls and rests on nothing that does; ``reach`` are the printed claims that stand on it."""

    id: str
    place: str
    verdict: str
    severity: str
    why: str
    reach: tuple[str, ...]


@dataclass(frozen=True)
class Result:
    """A printed result: its verdicts as printed, read kindly and corrected, and how much is wrong; ``-`` for none."""

    id: str
    place: str
    title: str
    printed: str
    kindly: str
    severity: str
    corrected: str


@dataclass(frozen=True)
class Overview:
    """A paper.

    Attributes:
        paper, reference: its id, and where it appeared.
        printed, corrections: claims of the paper, and corrected ones.
        verdicts: those that occur, in their order.
        counts: how often each, as printed, read kindly and corrected.
        faults: root faults, those on which most stands first.
        results, further: see the class; the number of other printed claims.
        stale: claims that changed since their verdict.
    """

    paper: str
    reference: Paper
    printed: int
    corrections: int
    verdicts: tuple[str, ...]
    counts: tuple[tuple[str, tuple[int, ...]], ...]
    faults: tuple[Fault, ...]
    results: tuple[Result, ...]
    further: int
    stale: int


def overview(paper: str, graph: ProofGraph) -> Overview:
    """What is told of a paper.

    Args:
        paper: its id.
        graph: its claims, and what the baseline says of them.
    """
    mine = [claim for claim in graph.claims.values() if claim.paper == paper]
    printed, corrected = [c for c in mine if is_printed(c)], [c for c in mine if not is_printed(c)]
    found = {
        "printed": [_verdict(graph, c.id) for c in printed],
        "read kindly": [_verdict(graph, c.id, kindly=True) for c in printed],
        "corrected": [_verdict(graph, c.id) for c in corrected],
    }
    verdicts = [v for v in (*map(str, Verdict), UNKNOWN) if any(v in those for those in found.values())]
    results = [c for c in printed if kind_of(result_of(c.source.place)) not in ("", "Table")] or printed
    return Overview(
        paper,
        catalog.reference(paper),
        len(printed),
        len(corrected),
        tuple(verdicts),
        tuple((name, tuple(map(those.count, verdicts))) for name, those in found.items() if those),
        tuple(_faults(graph.root_faults(c.id for c in printed), graph)),
        tuple(_result(c, graph) for c in results),
        len(printed) - len(results),
        sum(c.id in graph.entries and graph.entries[c.id].stale for c in mine),
    )


def _verdict(graph: ProofGraph, claim_id: str, *, kindly: bool = False) -> str:
    entry = graph.entries.get(claim_id)
    if entry is None:
        return UNKNOWN
    return str((entry.result.kindly if kindly else None) or entry.result.verdict)


def _faults(ids: Iterable[str], graph: ProofGraph) -> Iterator[Fault]:
    for claim in (graph.claims[i] for i in ids):
        result = graph.entries[claim.id].result
        said = str(result.verdict), str(result.severity or ""), sentence(claim, graph)
        yield Fault(claim.id, claim.source.place, *said, tuple(graph.reach(claim.id)))


def _result(claim: Claim, graph: ProofGraph) -> Result:
    entry = graph.entries.get(claim.id)
    best = next((graph.entries[i].result for i in graph.corrections(claim.id) if i in graph.entries), None)
    return Result(
        claim.id,
        claim.source.place,
        claim.title,
        _verdict(graph, claim.id),
        _verdict(graph, claim.id, kindly=True),
        str(entry.result.severity or UNKNOWN) if entry else UNKNOWN,
        UNKNOWN if best is None else _of_level(best.verdict, best.level),
    )


def _of_level(verdict: Verdict, level: Level | None) -> str:
    """A verdict; a proof that is none by certificate has its level beside it."""
    return f"{verdict} ({level})" if verdict is Verdict.PROVED and level is not Level.CERTIFICATE else str(verdict)
