"""Find claims by id, over all papers."""

from __future__ import annotations

import difflib
import warnings
from collections.abc import Container, Iterable, Mapping
from functools import cache
from pathlib import Path

from rateproof.theory import discovery
from rateproof.theory.claim import Claim, Paper

#: How alike (as difflib counts) a name is to a known one that is surely meant.
SURE = 0.7


def papers() -> tuple[str, ...]:
    """Ids of all encoded papers, sorted: those of this package and those that :mod:`theory.discovery` finds."""
    return tuple(discovery.found().places)


@cache
def claims(paper: str) -> dict[str, Claim]:
    """All claims of one paper, by id, in the order of the paper.

    Raises:
        ValueError: no such paper, one that cannot be read, or an id that occurs twice or is of another paper.
    """
    place = discovery.place(paper)
    if place is None:
        raise ValueError(unknown_paper(paper))
    try:
        encoded = tuple(discovery.load(place).CLAIMS)
    except (Exception, SystemExit) as error:
        raise ValueError(f"paper {paper!r} cannot be read: {discovery.said(error, place.folder)}") from error
    out: dict[str, Claim] = {}
    for claim in encoded:
        if not isinstance(claim, Claim):
            raise ValueError(f"paper {paper!r} exports {type(claim).__name__} {claim!r} among its CLAIMS, not a Claim")
        if claim.id in out:
            raise ValueError(f"claim id {claim.id!r} is encoded twice")
        if not claim.id.startswith(f"{paper}."):
            raise ValueError(f"paper {paper!r} exports claim {claim.id!r}; its ids should start with {paper + '.'!r}")
        out[claim.id] = claim
    return out


def reference(paper: str) -> Paper:
    """The bibliographic data that a paper exports as ``PAPER``; its id for a title where it exports none.

    Raises:
        ValueError: no such paper, or one that cannot be read.
    """
    claims(paper)  # tells what keeps it from being read
    place = discovery.place(paper)
    found = getattr(discovery.load(place), "PAPER", None) if place else None
    return found if isinstance(found, Paper) else Paper(paper)


def unreadable() -> dict[str, str]:
    """For each paper outside this package that cannot be read, and each named folder without one, a line on why."""
    found = discovery.found()
    out = {}
    for paper, place in found.places.items():
        if not place.built_in:
            try:
                claims(paper)
            except ValueError as error:
                out[paper] = " ".join(str(error).split())
    return out | found.without


def readable() -> tuple[str, ...]:
    """Ids of all papers but the :func:`unreadable`; for each of these a :class:`theory.discovery.PaperWarning`."""
    left_out = unreadable()
    for line in left_out.values():
        warnings.warn(discovery.PaperWarning(line), stacklevel=2)
    return tuple(paper for paper in papers() if paper not in left_out)


def all_claims() -> dict[str, Claim]:
    """All claims of all :func:`readable` papers, by id.

    Raises:
        ValueError: a paper of this package cannot be read.
    """
    return {cid: c for paper in readable() for cid, c in claims(paper).items()}


def get(claim_id: str) -> Claim:
    """One claim.

    Raises:
        ValueError: unknown id, where the message suggests near misses, or its paper cannot be read.
    """
    if claim := find(claim_id):
        return claim
    if below := parts(claim_id):
        named = ", ".join(claim.id for claim in below[:8])
        raise ValueError(f"{claim_id!r} is {len(below)} claims; name one of them: {named}")
    raise ValueError(unknown_claim(claim_id, or_paper=False))


def find(claim_id: str) -> Claim | None:
    """One claim; None where there is none of this id.

    Raises:
        ValueError: its paper cannot be read.
    """
    return _claims_beside(claim_id).get(claim_id)


def parts(name: str) -> tuple[Claim, ...]:
    """The claims behind a claim id, a prefix of ids or a paper: its parts and corrected readings.

    Raises:
        ValueError: its paper cannot be read.
    """
    return tuple(claim for i, claim in _claims_beside(name).items() if i.startswith(name + "."))


def above(claim: Claim, among: Mapping[str, Claim]) -> tuple[Claim, ...]:
    """Those of some claims behind whose ids the id of one stands, the nearest first: ``lem5`` for ``lem5.half``."""
    names = claim.id.split(".")
    ids = (".".join(names[:n]) for n in range(len(names) - 1, 1, -1))
    return tuple(among[i] for i in ids if i in among)


def _claims_beside(claim_id: str) -> dict[str, Claim]:
    paper = discovery.paper_of(claim_id)
    return claims(paper) if paper in papers() else {}


def select(names: Iterable[str]) -> list[Claim]:
    """Claims named by claim id, paper id or prefix such as ``strfedavg.prop3``; all claims when nothing is named.

    A claim's parts and corrected readings carry its id as prefix, so they come with it.

    Raises:
        ValueError: a name that matches nothing; near misses are suggested. Or a named paper cannot be read.
    """
    wanted = list(names)
    if not wanted:
        return list(all_claims().values())
    chosen: dict[str, Claim] = {}
    for name in wanted:
        hits = {cid: c for cid, c in _claims_beside(name).items() if cid == name or cid.startswith(name + ".")}
        if not hits:
            raise ValueError(unknown_claim(name))
        chosen |= hits
    return list(chosen.values())


def ancestors(claim_id: str, settled: Container[str] = ()) -> tuple[str, ...]:
    """Ids of all claims that the proof of ``claim_id`` rests on, nearest first.

    What the ``settled`` claims among them rest on is left out.

    Raises:
        ValueError: unknown id, also when a claim on the way names it.
    """
    seen: dict[str, None] = {}
    queue = list(get(claim_id).follows_from)
    while queue:
        current = queue.pop(0)
        if current not in seen:
            seen[current] = None
            queue.extend(() if current in settled else get(current).follows_from)
    return tuple(seen)


def unknown_claim(name: str, *, or_paper: bool = True, ids: Iterable[str] | None = None) -> str:
    """One line for what names no claim (or paper): the nearest ones, or that its paper is not known.

    Args:
        name: what was asked for.
        or_paper: it could have been a paper.
        ids: of the claims to suggest; by default those of the paper that is named, or of all papers.
    """
    paper = discovery.paper_of(name)
    if ids is None:
        ids = claims(paper) if paper in papers() else all_claims()
    ids = list(ids)
    known = [*(papers() if or_paper else ()), *ids]
    what = "claim or paper" if or_paper else "claim"
    if without := [i for i in ids if f"{i.partition('.')[2]}.".startswith(f"{name}.")]:
        first = {discovery.paper_of(i): i for i in reversed(without)}
        return f"{what} {name!r} is named without its paper; did you mean {', '.join(sorted(first.values()))}?"
    # What nearly is an id, or a part of one, says more than that its paper is unknown.
    near = any(name.casefold() in i.casefold() for i in known) or difflib.get_close_matches(name, known, cutoff=SURE)
    return unknown(what, name, known) if near or paper in papers() else unknown_paper(paper)


def unknown_paper(paper: str) -> str:
    """One line for an unknown paper: the nearest known ones, and how to make one of the user's own known."""
    if difflib.get_close_matches(paper.casefold(), papers(), cutoff=SURE):
        return unknown("paper", paper, papers())
    folder = paper if discovery.holds_paper(Path(paper)) else "FOLDER"
    return f"unknown paper {paper!r}; known: {', '.join(papers())}; --papers {folder} makes one of your own known"


def unknown(what: str, name: str, choices: Iterable[str]) -> str:
    """One line for an unknown name, with the nearest known ones, whatever their case."""
    pool = list(choices)
    by_case = {c.casefold(): c for c in reversed(pool)}
    near = [by_case[c] for c in difflib.get_close_matches(name.casefold(), by_case, n=3, cutoff=0.4)]
    near = near or [c for c in pool if name.casefold() in c.casefold()][:3]
    more = ", ..." if len(pool) > 8 else ""
    hint = f"; did you mean {', '.join(near)}?" if near else f"; known: {', '.join(pool[:8])}{more}"
    return f"unknown {what} {name!r}{hint}"
