"""The proof graph: what a claim rests on, what rests on it, and which refutations break what."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from itertools import islice
from typing import Any

from rateproof.theory import catalog
from rateproof.theory.claim import Claim, Reading
from rateproof.verify.checks import JOINT, is_checked
from rateproof.verify.evidence import Verdict
from rateproof.verify.severity import BREAKING
from rateproof.verify.stored.baseline import Entry

UNKNOWN = "-"


class Link(StrEnum):
    """How two claims hang together."""

    FOLLOWS = "follows from"
    PART = "has part"
    CORRECTED = "corrected by"


@dataclass(frozen=True)
class Edge:
    """``claim`` follows from, has as part, or is corrected by ``other``."""

    claim: str
    link: Link
    other: str


class ProofGraph:
    """The claims as nodes, with what the baselines say about each.

    A composite (``id.etahat``) has its sub-ids (``id.etahat.eleven``) as parts; see :func:`verify.checks.whole_of`.
    """

    def __init__(self, claims: Mapping[str, Claim], entries: Mapping[str, Entry]) -> None:
        self.claims = claims
        self.entries = entries
        self.edges = tuple(_edges(claims, entries))
        self._from: dict[str, list[Edge]] = {}
        self._to: dict[str, list[Edge]] = {}
        for edge in self.edges:
            self._from.setdefault(edge.claim, []).append(edge)
            self._to.setdefault(edge.other, []).append(edge)

    def others(self, claim_id: str, link: Link) -> list[str]:
        """What a claim follows from, its parts, or its corrections."""
        return [e.other for e in self._from.get(claim_id, ()) if e.link is link]

    def followers(self, claim_id: str) -> list[str]:
        """The claims that name this one in their proof."""
        return [e.claim for e in self._to.get(claim_id, ()) if e.link is Link.FOLLOWS]

    def below(self, claim_id: str, above: str = "") -> list[str]:
        """What a claim rests on, and its parts, as a tree draws them.

        Under its whole (``above``) a part does not repeat what the whole follows from.
        """
        of_whole = self.others(above, Link.FOLLOWS) if claim_id in self.others(above, Link.PART) else []
        rests = [i for i in self.others(claim_id, Link.FOLLOWS) if i not in of_whole]
        return rests + [i for i in self.others(claim_id, Link.PART) if i not in rests]

    def ancestors(self, claim_id: str) -> list[str]:
        """All that a claim rests on, directly or not, nearest first."""
        return list(_reached(claim_id, self.below))

    def descendants(self, claim_id: str) -> list[str]:
        """All claims that rest on this one, directly or not, nearest first."""
        return list(
            _reached(claim_id, lambda i: [e.claim for e in self._to.get(i, ()) if e.link is not Link.CORRECTED])
        )

    def breaks(self, claim_id: str) -> list[str]:
        """The claims whose proofs a refuted or inconsistent claim breaks; none when it is neither.

        A corrected claim may rest on a printed one that is proved although its printed proof is broken.
        """
        return [i for i in self.descendants(claim_id) if self._breaks(claim_id, i)] if self.is_broken(claim_id) else []

    def _breaks(self, claim_id: str, above: str) -> bool:
        if self.claims[above].reading is not Reading.CORRECTED or above not in self.entries:
            return True
        return claim_id in self.entries[above].result.proof_broken_by

    def is_broken(self, claim_id: str) -> bool:
        """Whether a claim is refuted or inconsistent."""
        return claim_id in self.entries and self.entries[claim_id].result.verdict in BREAKING

    def is_root_fault(self, claim_id: str) -> bool:
        """Whether a claim is broken and rests on nothing that is."""
        return self.is_broken(claim_id) and not any(map(self.is_broken, self.ancestors(claim_id)))

    def reach(self, claim_id: str) -> list[str]:
        """The printed claims whose proofs a refuted or inconsistent claim breaks."""
        return [i for i in self.breaks(claim_id) if self.claims[i].reading is not Reading.CORRECTED]

    def root_faults(self, claim_ids: Iterable[str]) -> list[str]:
        """Those of some claims that are root faults; those on which most of the print stands come first."""
        return sorted(filter(self.is_root_fault, claim_ids), key=lambda i: -len(self.reach(i)))

    def corrections(self, claim_id: str) -> list[str]:
        """The corrections of a claim, that with the best verdict first; of several, that with the claim's own name."""
        order = [*Verdict]
        found = {i: self.entries[i].result.verdict for i in self.others(claim_id, Link.CORRECTED) if i in self.entries}

        def rank(one: str) -> tuple[int, bool]:
            return order.index(found[one]) if one in found else len(order), one != f"{claim_id}.corrected"

        return sorted(self.others(claim_id, Link.CORRECTED), key=rank)

    def roots(self) -> list[str]:
        """Claims that nothing rests on and that rest on something: where a drawing of the whole graph begins."""
        return [i for i in self.claims if not self._rests(i) and self.below(i)]

    def alone(self) -> list[str]:
        """Claims that nothing rests on and that rest on nothing."""
        return [i for i in self.claims if not self._rests(i) and not self.below(i)]

    def verdict(self, claim_id: str) -> str:
        """The verdict in words: severities, broken proofs and stale lines are marked."""
        entry = self.entries.get(claim_id)
        if entry is None:
            return UNKNOWN
        result = entry.result
        words = [str(result.verdict) + (f" ({result.severity})" if result.severity else "")]
        if result.proof_broken_by and result.verdict not in BREAKING:
            words.append("proof broken")
        if entry.stale:
            words.append("stale")
        return ", ".join(words)

    def to_json(self, claim_ids: Iterable[str]) -> dict[str, Any]:
        """Nodes and edges among some claims, as plain JSON values."""
        chosen = dict.fromkeys(claim_ids)
        return {
            "nodes": [self._node(i) for i in chosen],
            "edges": [
                {"claim": e.claim, "link": str(e.link), "other": e.other}
                for e in self.edges
                if e.claim in chosen and e.other in chosen
            ],
        }

    def _node(self, claim_id: str) -> dict[str, Any]:
        entry = self.entries.get(claim_id)
        result = entry.result if entry else None
        return {
            "claim": claim_id,
            "verdict": str(result.verdict) if result else None,
            "kindly": str(result.kindly) if result and result.kindly else None,
            "severity": str(result.severity) if result and result.severity else None,
            "degenerate": bool(result and result.violated and result.violated["degenerate"]),
            "stale": bool(entry and entry.stale),
            "proof_broken_by": list(result.proof_broken_by) if result else [],
        }

    def _rests(self, claim_id: str) -> bool:
        return any(e.link is not Link.CORRECTED for e in self._to.get(claim_id, ()))


def _edges(claims: Mapping[str, Claim], entries: Mapping[str, Entry]) -> Iterator[Edge]:
    for claim_id, claim in claims.items():
        for other in claim.follows_from:
            yield Edge(claim_id, Link.FOLLOWS, other)
        if claim.amends:
            yield Edge(claim.amends, Link.CORRECTED, claim_id)
        elif claim.reading is not Reading.CORRECTED:
            wholes = (one.id for one in catalog.above(claim, claims) if _is_composite(one, entries))
            yield from (Edge(whole, Link.PART, claim_id) for whole in islice(wholes, 1))


def _is_composite(claim: Claim, entries: Mapping[str, Entry]) -> bool:
    """Whether its parts decide a claim; the checks of its paper, slow to import, are asked without a verdict only."""
    entry = entries.get(claim.id)
    return not is_checked(claim) if entry is None or entry.stale else entry.result.method == JOINT


def _reached(start: str, step: Callable[[str], Iterable[str]]) -> Iterator[str]:
    seen = {start}
    queue = list(step(start))
    while queue:
        current = queue.pop(0)
        if current not in seen:
            seen.add(current)
            yield current
            queue.extend(step(current))
