"""What ``rateproof list`` says of the claims, kept between runs: importing sympy and all papers would take seconds."""

from __future__ import annotations

import hashlib
import warnings
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from rateproof.theory import discovery
from rateproof.verify.kept import kept
from rateproof.verify.sources import baseline_path, fingerprint

if TYPE_CHECKING:
    from rateproof.theory.claim import Claim
    from rateproof.verify.baseline import Entry

STALE = "stale: the claim changed since the baseline was written"

#: A claim and its verdict as plain JSON values.
Record = dict[str, Any]


def listed(named: str | None = None) -> list[Record]:
    """The claims of one paper, or of all, with what the baselines say of them.

    An outside paper that the user has not named is left out with a warning when it cannot be read.

    Raises:
        ValueError: the paper, a paper of this package, or its baseline cannot be read.
    """
    if named is not None:
        return _of_paper(named, named)
    found = discovery.found()
    out: list[Record] = []
    for paper, place in found.places.items():
        try:
            out += _of_paper(paper, named)
        except ValueError as error:
            if place.built_in:
                raise
            warnings.warn(discovery.PaperWarning(" ".join(str(error).split())), stacklevel=2)
    for line in found.without.values():
        warnings.warn(discovery.PaperWarning(line), stacklevel=2)
    return out


def linked(paper: str) -> list[str]:
    """The paper, those with claims that its claims rest on or amend, and those with claims that rest on its claims."""
    links = {tuple(i.partition(".")[0] for i in (r["claim"], other)) for r in listed() for other in r["rests_on"]}
    known, size = {paper}, 0
    while len(known) > size:
        size = len(known)
        known |= {one for link in links if known & set(link) for one in link}
    return sorted(known)


def record(claim: Claim, entry: Entry | None) -> Record:
    """A claim and its verdict as plain JSON values; the evidence is null when the baseline does not have the claim."""
    from rateproof.verify.checks import blank

    fields = (entry.result if entry else blank(claim)).to_json()
    del fields["seconds"]
    if entry is None:
        fields |= dict.fromkeys(("verdict", "method", "detail", "instances", "witness", "error_probability"))
    rests_on = [*claim.follows_from, *([claim.amends] if claim.amends else [])]
    return fields | {"text": claim.text, "rests_on": rests_on, "stale": bool(entry and entry.stale)}


def known_entries(claims: Mapping[str, Claim], *, named: str | None) -> dict[str, Entry]:
    """What the baselines of the papers of some claims say, by claim id.

    The baseline of an outside paper that the user has not named is left out with a warning when it cannot be read.
    """
    from rateproof.verify import baseline

    known: dict[str, Entry] = {}
    for paper in dict.fromkeys(c.paper for c in claims.values()):
        try:
            known |= baseline.read(paper)
        except ValueError as error:
            place = discovery.place(paper)
            if paper == named or place is None or place.built_in:
                raise
            warnings.warn(discovery.PaperWarning(str(error)), stacklevel=2)
    return known


def _of_paper(paper: str, named: str | None) -> list[Record]:
    discovery.place(paper)
    baseline = baseline_path(paper)
    there = baseline.read_bytes() if baseline.is_file() else b""

    def compute() -> list[Record]:
        from rateproof.theory import catalog

        claims = catalog.claims(paper)
        entries = known_entries(claims, named=named)
        return [record(c, entries.get(c.id)) for c in claims.values()]

    # No verdict at all, though there is a baseline: it is damaged, which is to be said again.
    state = hashlib.sha256(fingerprint().encode() + there).hexdigest()
    records: list[Record] = kept(
        f"listed-{paper}", state, compute, worth=lambda found: not there or any(r["verdict"] for r in found)
    )
    return records
