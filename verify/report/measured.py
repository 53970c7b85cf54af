"""What the site shows of how far to trust it: errors that were planted and found, and benchmarks."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from rateproof.theory.discovery import paper_of
from rateproof.verify.planted import score_baseline
from rateproof.verify.planted.score_baseline import Tally, Terms


@dataclass(frozen=True)
class Planted:
    """What became of the errors that were planted in the claims of a paper; see ``rateproof score``.

    Attributes:
        paper: its id.
        tight: claims that a family attains, so that a planted error is false.
        loose: other proved bounds, whose constants were made smaller.
        cut: bounds whose terms were left out one by one.
    """

    paper: str
    tight: tuple[Tally, ...]
    loose: tuple[Tally, ...]
    cut: tuple[Terms, ...]

    @property
    def missed(self) -> list[Tally]:
        """Tight claims of which an error was not refuted."""
        return [one for one in self.tight if one.refuted < one.planted]

    @property
    def standing(self) -> list[tuple[str, str]]:
        """Terms without which a bound has not been seen to fail: the claim, the term."""
        return [(one.claim, term) for one in self.cut for term in one.holes]

    def total(self, name: str) -> int:
        """The sum of a field over the bounds that were cut, or with ``_tight`` and ``_loose`` over these."""
        field, _, those = name.partition("_")
        return sum(getattr(one, field) for one in getattr(self, those or "cut"))


def planted(papers: Iterable[str]) -> list[Planted]:
    """The committed scores of some papers; one without scores has none.

    Raises:
        LedgerError: a file is damaged.
    """
    tallies, cuts = list(score_baseline.read().values()), list(score_baseline.read_terms().values())
    return [
        Planted(
            paper,
            tuple(one for one in tallies if paper_of(one.claim) == paper and one.tight),
            tuple(one for one in tallies if paper_of(one.claim) == paper and not one.tight),
            tuple(one for one in cuts if paper_of(one.claim) == paper),
        )
        for paper in papers
    ]


@dataclass(frozen=True)
class Benchmark:
    """A table that ``python -m benchmarks`` printed."""

    benchmark: str
    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]


@dataclass(frozen=True)
class Benchmarks:
    """The tables of one run, and with what they were made."""

    made: str
    tables: Sequence[Benchmark]


def benchmarks(path: Path) -> Benchmarks:
    """What ``python -m benchmarks --json FILE`` wrote.

    Raises:
        ValueError: there is no such file, or it holds something else.
    """
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        tables = [Benchmark(**one) for one in data["tables"]]
        if any(len(row) != len(one.columns) for one in tables for row in one.rows):
            raise ValueError("a row is not as long as its table is wide")
        return Benchmarks(str(data["made"]), tables)
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ValueError(f"{path} does not hold benchmarks ({error}); python -m benchmarks --json {path}") from None
