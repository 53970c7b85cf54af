"""The committed scores of the planted-error test: one text file per paper, one JSON object per theorem."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

from rateproof.theory import catalog
from rateproof.verify.files import LedgerError, write_atomically
from rateproof.verify.score import Score
from rateproof.verify.sources import baseline_path


@dataclass(frozen=True)
class Tally:
    """How many errors were planted in one theorem and how many refuted, with the seed and the number asked for."""

    claim: str
    tight: bool
    planted: int
    refuted: int
    seed: int
    count: int


def tallies(found: Score, *, seed: int, count: int) -> dict[str, Tally]:
    """The tallies of a score, by claim."""
    tight = {row.claim: row.tight for row in found.true_claims}
    return {i: Tally(i, tight[i], planted, refuted, seed, count) for i, (planted, refuted) in found.tally().items()}


def path_of(paper: str) -> Path:
    """Where the scores of a paper lie: beside its baseline."""
    return baseline_path(paper).with_name("score.jsonl")


def read() -> dict[str, Tally]:
    """The committed tallies of all papers.

    Raises:
        LedgerError: a file is damaged; names it, the line and what to do.
    """
    out: dict[str, Tally] = {}
    for paper in catalog.readable():
        path = path_of(paper)
        if not path.exists():
            continue
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
            try:
                tally = Tally(**json.loads(line))
            except (TypeError, ValueError) as error:
                remedy = "restore it from version control or write it anew with `rateproof score --update`"
                raise LedgerError(f"{path}, line {number} is damaged ({error}); {remedy}") from None
            out[tally.claim] = tally
    return out


def write(now: Mapping[str, Tally]) -> list[Path]:
    """Replace the scores of the papers that ``now`` speaks of; returns the files."""
    papers = dict.fromkeys(claim.partition(".")[0] for claim in now)
    paths = [path_of(paper) for paper in papers]
    for paper, path in zip(papers, paths, strict=True):
        lines = (json.dumps(asdict(t)) + "\n" for t in now.values() if t.claim.startswith(paper + "."))
        write_atomically(path, "".join(lines))
    return paths


def changes(now: Mapping[str, Tally], known: Mapping[str, Tally]) -> Iterable[tuple[str, bool]]:
    """What differs from the committed scores, one line each, and whether it is worse; other seeds do not compare."""
    for claim, tally in now.items():
        old = known.get(claim)
        if old is None:
            yield f"{claim}: not among the committed scores", True
        elif (old.seed, old.count) == (tally.seed, tally.count) and old != tally:
            was, is_ = f"{old.refuted} of {old.planted}", f"{tally.refuted} of {tally.planted}"
            worse = tally.refuted * old.planted < old.refuted * tally.planted or old.tight > tally.tight
            yield f"{claim}: planted errors refuted were {was}, are {is_}", worse
    for claim in known.keys() - now.keys():
        yield f"{claim}: among the committed scores but no longer scored", True
