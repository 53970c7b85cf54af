"""What every bound loses when one of its terms is left out: the test of what `supported` and `proved` mean.

Each additive term (:func:`rateproof.verify.planted.mutate.terms`) of each bound that the baseline calls supported or
proved is taken away, and the copy goes through the claim's own check; then again with half of the term. A copy without
a term is *refuted*, or *shown true* by a proof of it, or nobody knows: then the bound is as good without this term as
with it, as far as its instances go, and the term is a *hole* in them. Half of a term may well be enough.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

import sympy as sp

from rateproof.theory import catalog
from rateproof.verify.checks import Budget, Check, is_checked, without_proof
from rateproof.verify.evidence import Verdict
from rateproof.verify.planted.mutate import Term, terms
from rateproof.verify.planted.score import Row, judged, papers
from rateproof.verify.severity import BREAKING

#: Verdicts of the baseline that say something for a bound.
GOOD = (Verdict.SUPPORTED, Verdict.PROVED)


class Fate(StrEnum):
    """What became of a bound with less of one term."""

    REFUTED = "refuted"
    SHOWN = "shown true"
    STANDS = "stands"


@dataclass(frozen=True)
class Cut:
    """One term of one bound: what became of the copy without it, and of the one with half of it.

    ``verdict`` is what the baseline says of the claim, ``ratio`` the largest on the copy without the term.
    """

    claim: str
    term: str
    verdict: Verdict
    deleted: Fate
    halved: Fate
    ratio: float | None

    @property
    def hole(self) -> bool:
        """Nothing tells the bound from the one without the term."""
        return self.deleted is Fate.STANDS


@dataclass(frozen=True)
class Cuts:
    """All terms of all bounds, in order."""

    rows: tuple[Cut, ...]

    def of(self, verdict: Verdict | None = None, claim: str | None = None) -> tuple[Cut, ...]:
        """Those of the claims with a verdict, or of one claim."""
        return tuple(r for r in self.rows if verdict in (None, r.verdict) and claim in (None, r.claim))

    @property
    def holes(self) -> tuple[Cut, ...]:
        """The terms without which a bound stands."""
        return tuple(r for r in self.rows if r.hole)

    def to_json(self) -> dict[str, Any]:
        """The counts by verdict of the claim, and the holes, in plain JSON values."""
        counts = {
            str(verdict): {
                "terms": len(cuts),
                **{str(fate): sum(cut.deleted is fate for cut in cuts) for fate in Fate},
                "halves_refuted": sum(cut.halved is Fate.REFUTED for cut in cuts),
            }
            for verdict in GOOD
            if (cuts := self.of(verdict))
        }
        return counts | {"holes": [{"claim": cut.claim, "term": cut.term} for cut in self.holes]}


def bounds_with_terms() -> dict[str, tuple[Verdict, tuple[Term, ...]]]:
    """The bounds that are supported or proved and have a check, with their verdicts and terms."""
    from rateproof.verify.stored import baseline

    bounds = {}
    for paper in papers():
        entries = baseline.read(paper)
        for claim in catalog.claims(paper).values():
            entry = entries.get(claim.id)
            if entry and not entry.stale and entry.result.verdict in GOOD and is_checked(claim):
                parts = tuple(terms(claim))
                if parts:
                    bounds[claim.id] = entry.result.verdict, parts
    return bounds


def deletions(
    seed: int = 0,
    progress: Callable[[int, int], None] | None = None,
    *,
    only: Iterable[str] | None = None,
    which: Iterable[int] | None = None,
    checks: Mapping[str, Check] | None = None,
) -> Cuts:
    """Take the terms of bounds away one by one.

    Args:
        seed: of the ordinary instances.
        progress: called with (terms done, terms in all) after every term.
        only: ids of the claims; all of :func:`bounds_with_terms` unless given.
        which: indices of the terms of each claim; all unless given.
        checks: the checkers under test, by claim id; those of the papers unless given.

    Raises:
        ValueError: ``only`` names a claim that is not among them.
    """
    bounds = bounds_with_terms()
    chosen = list(bounds if only is None else only)
    for claim_id in chosen:
        if claim_id not in bounds:
            raise ValueError(catalog.unknown("supported or proved bound with terms", claim_id, bounds))
    picked = None if which is None else set(which)
    cases = [(i, term) for i in chosen for k, term in enumerate(bounds[i][1]) if picked is None or k in picked]
    rows: list[Cut] = []
    same: dict[Hashable, Cut] = {}
    for claim_id, term in cases:
        copy, verdict = term.scaled(sp.S.Zero), bounds[claim_id][0]
        # what two claims state alike, under the same hypotheses, is true of both or of none
        stated = copy.statement, copy.hypotheses, frozenset(copy.where.items())
        if checks is not None or stated not in same:
            same[stated] = _cut(claim_id, term, verdict, None if checks is None else checks[claim_id], seed)
        rows.append(replace(same[stated], claim=claim_id, term=term.name, verdict=verdict))
        if progress:
            progress(len(rows), len(cases))
    return Cuts(tuple(rows))


def _cut(claim_id: str, term: Term, verdict: Verdict, check: Check | None, seed: int) -> Cut:
    row = judged(term.scaled(sp.S.Zero), f"without {term.name}", check, Budget(seed=seed))
    deleted = _fate(row)
    # what is true without a term is true with half of it; a search and a proof are only worth their time for a deletion
    tried = check or without_proof
    halved = deleted if deleted is Fate.SHOWN else _fate(judged(term.scaled(sp.S.Half), "", tried, Budget(seed=seed)))
    return Cut(claim_id, term.name, verdict, deleted, halved, row.worst_ratio)


def _fate(row: Row) -> Fate:
    if row.verdict in BREAKING:
        return Fate.REFUTED
    return Fate.SHOWN if row.verdict is Verdict.PROVED else Fate.STANDS
