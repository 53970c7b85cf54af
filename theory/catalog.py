"""Find claims by id, over all papers."""

from __future__ import annotations

import difflib
import importlib
import pkgutil
from collections.abc import Container, Iterable
from functools import cache

import theory.papers
from theory.claim import Claim


def papers() -> tuple[str, ...]:
    """Ids of all encoded papers, sorted."""
    return tuple(sorted(m.name for m in pkgutil.iter_modules(theory.papers.__path__) if m.ispkg))


@cache
def claims(paper: str) -> dict[str, Claim]:
    """All claims of one paper, by id, in the order of the paper.

    Raises:
        ValueError: no such paper, one that cannot be imported, or an id that occurs twice.
    """
    if paper not in papers():
        raise ValueError(unknown("paper", paper, papers()))
    out: dict[str, Claim] = {}
    try:
        encoded = importlib.import_module(f"theory.papers.{paper}").CLAIMS
    except Exception as error:
        raise ValueError(f"paper {paper!r} cannot be read: {type(error).__name__}: {error}") from error
    for claim in encoded:
        if claim.id in out:
            raise ValueError(f"claim id {claim.id!r} is encoded twice")
        out[claim.id] = claim
    return out


def all_claims() -> dict[str, Claim]:
    """All claims of all papers, by id."""
    return {cid: c for paper in papers() for cid, c in claims(paper).items()}


def get(claim_id: str) -> Claim:
    """One claim.

    Raises:
        ValueError: unknown id; the message suggests near misses.
    """
    known = all_claims()
    if claim_id not in known:
        raise ValueError(unknown("claim", claim_id, known))
    return known[claim_id]


def select(names: Iterable[str]) -> list[Claim]:
    """Claims named by claim id, paper id or prefix such as ``strfedavg.prop3``; all claims when nothing is named.

    A claim's parts and corrected readings carry its id as prefix, so they come with it.

    Raises:
        ValueError: a name that matches nothing; near misses are suggested.
    """
    known = all_claims()
    chosen: dict[str, Claim] = {}
    wanted = list(names)
    for name in wanted:
        hits = {cid: c for cid, c in known.items() if cid == name or cid.startswith(name + ".")}
        if not hits:
            raise ValueError(unknown("claim or paper", name, [*papers(), *known]))
        chosen |= hits
    return list(chosen.values()) if wanted else list(known.values())


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


def unknown(what: str, name: str, choices: Iterable[str]) -> str:
    """One line for an unknown name, with the nearest known ones."""
    pool = list(choices)
    near = difflib.get_close_matches(name, pool, n=3, cutoff=0.4) or [c for c in pool if name in c][:3]
    hint = f"; did you mean {', '.join(near)}?" if near else f"; known: {', '.join(pool[:8])}"
    return f"unknown {what} {name!r}{hint}"
