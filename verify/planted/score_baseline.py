"""The committed scores: one text file per paper, one JSON object per theorem and test (planted errors, deletions)."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

from rateproof.theory import catalog
from rateproof.theory.discovery import paper_of
from rateproof.verify.planted.deletions import Cuts, Fate
from rateproof.verify.planted.score import Score
from rateproof.verify.stored.files import LedgerError, write_atomically
from rateproof.verify.stored.sources import baseline_path


@dataclass(frozen=True)
class Tally:
    """How many errors were planted in one theorem and how many refuted, with the seed and the number asked for."""

    claim: str
    tight: bool
    planted: int
    refuted: int
    seed: int
    count: int


@dataclass(frozen=True)
class Terms:
    """What became of the terms of one bound when each was left out, or halved; ``holes`` are those that nobody misses.

    ``shown`` counts the deletions that are shown true.
    """

    claim: str
    verdict: str
    terms: int
    refuted: int
    shown: int
    halves_refuted: int
    holes: tuple[str, ...]


def terms_of(deletions: Cuts) -> dict[str, Terms]:
    """The deletions by claim."""
    out = {}
    for claim in dict.fromkeys(cut.claim for cut in deletions.rows):
        cuts = deletions.of(claim=claim)
        fates = [cut.deleted for cut in cuts]
        halves = sum(cut.halved is Fate.REFUTED for cut in cuts)
        holes = tuple(cut.term for cut in cuts if cut.hole)
        refuted, shown = fates.count(Fate.REFUTED), fates.count(Fate.SHOWN)
        out[claim] = Terms(claim, str(cuts[0].verdict), len(cuts), refuted, shown, halves, holes)
    return out


def tallies(score: Score, *, seed: int, count: int) -> dict[str, Tally]:
    """The tallies of a score, by claim."""
    tight = {row.claim: row.tight for row in score.true_claims}
    return {i: Tally(i, tight[i], planted, refuted, seed, count) for i, (planted, refuted) in score.tally().items()}


def path_of(paper: str) -> Path:
    """Where the scores of a paper lie: beside its baseline."""
    return baseline_path(paper).with_name("score.jsonl")


def read() -> dict[str, Tally]:
    """The committed tallies of all papers.

    Raises:
        LedgerError: a file is damaged; names it, the line and what to do.
    """
    return {entry.claim: entry for entry in _entries() if isinstance(entry, Tally)}


def read_terms() -> dict[str, Terms]:
    """The committed deletions of all papers.

    Raises:
        LedgerError: as :func:`read`.
    """
    return {entry.claim: entry for entry in _entries() if isinstance(entry, Terms)}


def _entries() -> Iterator[Tally | Terms]:
    for paper in catalog.readable():
        path = path_of(paper)
        if not path.exists():
            continue
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
            try:
                data = json.loads(line)
                yield Terms(**data | {"holes": tuple(data["holes"])}) if "holes" in data else Tally(**data)
            except (TypeError, ValueError) as error:
                remedy = "restore it from version control or write it anew with `rateproof score --update`"
                raise LedgerError(f"{path}, line {number} is damaged ({error}); {remedy}") from None


def write(now: Mapping[str, Tally] | Mapping[str, Terms]) -> list[Path]:
    """Replace the scores of one kind, of the papers that ``now`` speaks of; returns the files."""
    kind = Terms if any(isinstance(entry, Terms) for entry in now.values()) else Tally
    kept = [entry for entry in _entries() if not isinstance(entry, kind)]
    entries = sorted([*kept, *now.values()], key=lambda entry: isinstance(entry, Terms))
    papers = dict.fromkeys(paper_of(claim) for claim in now)
    paths = [path_of(paper) for paper in papers]
    for paper, path in zip(papers, paths, strict=True):
        lines = (json.dumps(asdict(entry)) + "\n" for entry in entries if paper_of(entry.claim) == paper)
        write_atomically(path, "".join(lines))
    return paths


def terms_changed(now: Mapping[str, Terms], committed: Mapping[str, Terms]) -> Iterable[tuple[str, bool]]:
    """What differs from the committed deletions, one line each, and whether it is worse."""
    for claim, terms in now.items():
        old = committed.get(claim)
        if old is None:
            yield f"{claim}: its terms are not among the committed scores", True
            continue
        for term in terms.holes:
            if term not in old.holes:
                yield f"{claim}: stands without {term}", True
        for term in old.holes:
            if term not in terms.holes:
                yield f"{claim}: no longer stands without {term}", False
        if (old.terms, old.halves_refuted) != (terms.terms, terms.halves_refuted):
            was, is_ = f"{old.halves_refuted} of {old.terms}", f"{terms.halves_refuted} of {terms.terms}"
            yield f"{claim}: halves refuted were {was}, are {is_}", terms.halves_refuted < old.halves_refuted


def changes(now: Mapping[str, Tally], committed: Mapping[str, Tally]) -> Iterable[tuple[str, bool]]:
    """What differs from the committed scores, one line each, and whether it is worse; other seeds do not compare."""
    for claim, tally in now.items():
        old = committed.get(claim)
        if old is None:
            yield f"{claim}: not among the committed scores", True
        elif (old.seed, old.count) == (tally.seed, tally.count) and old != tally:
            was, is_ = f"{old.refuted} of {old.planted}", f"{tally.refuted} of {tally.planted}"
            worse = tally.refuted * old.planted < old.refuted * tally.planted or old.tight > tally.tight
            yield f"{claim}: planted errors refuted were {was}, are {is_}", worse
    for claim in committed.keys() - now.keys():
        yield f"{claim}: among the committed scores but no longer scored", True
