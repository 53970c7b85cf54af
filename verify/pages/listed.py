"""What ``list`` and ``show`` say of the claims, kept between runs: importing sympy and all papers takes seconds."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import quote

from rateproof.theory import discovery
from rateproof.verify.stored.kept import kept
from rateproof.verify.stored.sources import baseline_path, digest_of_all, fingerprint, ids

if TYPE_CHECKING:
    from rateproof.theory.claim import Claim
    from rateproof.verify.checks import Result
    from rateproof.verify.pages.graph import ProofGraph
    from rateproof.verify.pages.page import Block
    from rateproof.verify.stored.baseline import Entry

STALE = "stale: the claim changed since the baseline was written"

#: A claim and its verdict as plain JSON values.
Record = dict[str, Any]
T = TypeVar("T")


def listed(named: str | None = None) -> list[Record]:
    """The claims of one paper, or of all, with what the baselines say of them.

    An outside paper that the user has not named is left out with a warning when it cannot be read.

    Raises:
        ValueError: the paper, a paper of this package, or its baseline cannot be read.
    """
    if named is not None:
        return _of_paper(named, named, digest_of_all())
    papers, state = discovery.found(), digest_of_all()
    out: list[Record] = []
    for paper, place in papers.places.items():
        try:
            out += _of_paper(paper, named, state)
        except ValueError as error:
            if place.built_in:
                raise
            warnings.warn(discovery.PaperWarning(" ".join(str(error).split())), stacklevel=2)
    for line in papers.without.values():
        warnings.warn(discovery.PaperWarning(line), stacklevel=2)
    return out


#: A claim's id in quotes, as one that rests on it or amends it names it.
_QUOTED = re.compile(r"""["'](\w+)\.\w""")


def linked(paper: str) -> list[str]:
    """The paper, and those that hang together with it: a claim of one names claims of another. None is imported."""
    places = discovery.found().places
    links = [{one, *(_named_in(place.folder) & places.keys())} for one, place in places.items()]
    papers, size = {paper}, 0
    while len(papers) > size:
        size = len(papers)
        papers |= {one for link in links if papers & link for one in link}
    return sorted(papers)


def _named_in(folder: Path) -> set[str]:
    """What stands before the first dot of quoted names in the sources of a folder."""
    texts = (path.read_text(encoding="utf-8", errors="replace") for path in folder.rglob("*.py"))
    return {name for text in texts for name in _QUOTED.findall(text)}


def shown(name: str, view: str = "") -> list[Block]:
    """The page that ``rateproof show`` prints about a claim or a paper.

    Args:
        name: of the claim or paper.
        view: the first screen, ``full``, ``hypotheses``, ``graph`` or ``proof``; a paper has ``graph`` alone besides.

    Raises:
        ValueError: no such claim, paper or view, or its paper, baseline or records cannot be read.
    """
    if name in discovery.found().places and view not in ("", "graph"):
        raise ValueError(f"--{view} is about one claim, and {name} is a paper; rateproof list {name} lists its claims")
    page: list[Block] = _kept_page(f"page-{view}", name, lambda graph: list(described(name, view, graph)))
    return page


def described(name: str, view: str, graph: ProofGraph) -> Iterable[Block]:
    """The page of a claim or paper from its proof graph; see :func:`shown`."""
    from rateproof.verify.pages import describe
    from rateproof.verify.pages.facts import facts
    from rateproof.verify.pages.overview import overview

    if name not in graph.claims:
        return describe.describe_paper_graph(name, graph) if view else describe.describe_paper(overview(name, graph))
    told = facts(graph.claims[name], graph, width=0, proof=view in ("full", "proof"), coded=True)
    match view:
        case "full":
            return describe.describe_full(told, graph)
        case "hypotheses":
            return describe.describe_hypotheses(told)
        case "graph":
            return describe.describe_graph(told, graph)
        case "proof":
            if steps := _steps(told.proof_of or name, graph):
                return describe.describe_proof(told, steps)
            return [f"the baseline has no proof of {name} in steps"]
    return describe.describe_claim(told, graph)


def attempted(name: str) -> tuple[dict[str, Any], list[Block]]:
    """What ``rateproof prove`` finds of the proof of a claim in the present sources, as data and as a page.

    Raises:
        ValueError: no such claim, its paper cannot be read, or it has no proof in steps.
    """

    def compute() -> tuple[dict[str, Any], list[Block]]:
        from rateproof.theory import catalog
        from rateproof.verify.deciders.kernel import attempt
        from rateproof.verify.pages.describe import describe_attempt

        claim = catalog.get(name)
        answer = attempt(claim)
        return answer, list(describe_attempt(claim, answer))

    if name in discovery.found().places:
        raise ValueError(f"{name} is a paper; name one claim of it, rateproof list {name} lists them")
    answer, page = kept(f"attempt-{quote(name, safe='')}", fingerprint(), compute)
    return answer, page


def exported(names: Sequence[str], form: str) -> str:
    """Some claims, or the results of a paper, in a format to take along; see :mod:`rateproof.verify.pages.exports`.

    Raises:
        ValueError: as :func:`shown`.
    """
    from rateproof.verify.pages.exports import together
    from rateproof.verify.pages.facts import facts
    from rateproof.verify.pages.overview import overview

    graphs = {paper: graph_around(paper if paper in names else first) for paper, first in _first_of(names).items()}
    chosen = [
        (i, graphs[discovery.paper_of(name)])
        for name in names
        for i in ([r.id for r in overview(name, graphs[name]).results] if name in graphs else [name])
    ]
    return together(form, [facts(graph.claims[i], graph) for i, graph in chosen]).rstrip("\n")


def _first_of(names: Iterable[str]) -> dict[str, str]:
    """The first of some claims of each paper."""
    return {discovery.paper_of(name): name for name in reversed(list(names))}


def details(name: str) -> dict[str, Any]:
    """What ``rateproof show --json`` prints about a claim or a paper.

    Raises:
        ValueError: as :func:`shown`.
    """

    def describe(graph: ProofGraph) -> dict[str, Any]:
        from rateproof.theory import catalog
        from rateproof.verify.pages.describe import claim_to_json

        if name in graph.claims:
            return claim_to_json(graph.claims[name], graph) | {"proof": _steps(name, graph)}
        return {"paper": name, "reference": asdict(catalog.reference(name))} | graph.to_json(graph.claims)

    page: dict[str, Any] = _kept_page("details", name, describe)
    return page


def _steps(claim_id: str, graph: ProofGraph) -> list[Record]:
    """The steps that show a claim: as a check found them in the present sources, else found now."""
    entry = graph.entries.get(claim_id)

    def steps() -> list[Mapping[str, Any]]:
        from rateproof.verify.checks import Budget, check_claim
        from rateproof.verify.deciders import kernel

        claim = graph.claims[claim_id]
        return list((kernel.prove(claim) or check_claim(claim, Budget())).steps)

    found: list[Record] = _kept_steps(claim_id, steps) if entry and entry.steps else []
    return found


def _kept_steps(claim_id: str, steps: Callable[[], Iterable[Mapping[str, Any]]]) -> Any:
    return kept(f"proof-{quote(claim_id, safe='')}", fingerprint(), lambda: [dict(step) for step in steps()])


def reviewed(paper: str) -> dict[str, str]:
    """The referee's report on a paper, by format.

    Raises:
        ValueError: as :func:`shown`, or a claim.
    """

    def compute() -> dict[str, str]:
        from rateproof.verify.pages.document import latex, markdown
        from rateproof.verify.pages.review import review, told

        alone = graph_around(paper)
        report = told(review(paper, graph_around(next(iter(alone.claims), paper))))
        return {"markdown": markdown(report), "latex": latex(report)}

    if paper not in discovery.found().places:
        raise ValueError(f"a review is about a paper, not about a claim; name {discovery.paper_of(paper)}")
    return kept(f"review-{paper}", digest_of_all(), compute)


def keep_proofs(results: Iterable[Result]) -> None:
    """Have the steps kept that show some claims: to find them again takes as long as the proof."""
    for result in results:
        if steps := result.steps:
            _kept_steps(result.claim, partial(list, steps))


def keep_pages(papers: Iterable[str]) -> None:
    """Have the lists and first pages of some papers kept; what cannot be read is left for ``show`` to tell."""
    for paper in papers:
        with suppress(ValueError):
            listed(paper)
            shown(paper)


def require(name: str) -> None:
    """See that a name is a paper, a claim, or what ids of claims begin with.

    What is in a baseline is believed, and of no other paper than that of the name all claims are looked at.

    Raises:
        ValueError: it is none; near misses are suggested. Or its paper cannot be read.
    """
    places, paper = discovery.found().places, discovery.paper_of(name)

    def begins(claims: Iterable[str]) -> bool:
        return any(f"{i}.".startswith(f"{name}.") for i in claims)

    if name in places or begins(ids(paper)):
        return
    known = [claim["claim"] for claim in listed(paper)] if paper in places else []
    if begins(known):
        return
    from rateproof.theory import catalog
    from rateproof.theory.places import named

    if place := named(name):
        raise ValueError(f"{place} is a place, not the id of a claim; rateproof list {name!r} lists the claims there")
    known = known or [i for one in places for i in ids(one) or _new(one)]
    raise ValueError(catalog.unknown_claim(name, ids=known))


def _new(paper: str) -> Iterable[str]:
    """The claims of a paper that has no baseline yet; none where it cannot be read."""
    from rateproof.theory import catalog

    with suppress(ValueError):
        return catalog.claims(paper)
    return ()


def at(place: str) -> list[Record]:
    """The claims at a place, of all papers: ``Lemma 1``, as :func:`rateproof.theory.places.named` writes it.

    Raises:
        ValueError: there are none.
    """
    from rateproof.theory.places import lies_at

    if claims := [claim for claim in listed() if lies_at(claim["place"], place)]:
        return claims
    raise ValueError(f"no paper has a claim at {place}; rateproof list PAPER lists the places of one")


def _kept_page(kind: str, name: str, describe: Callable[[ProofGraph], T]) -> T:
    """What is told of a claim or paper from its proof graph, kept until a source, record or baseline changes.

    Raises:
        ValueError: as :func:`shown`.
    """
    page: T = kept(f"{kind}-{quote(name, safe='')}", digest_of_all(), lambda: describe(graph_around(name)))
    return page


def graph_around(name: str) -> ProofGraph:
    """The proof graph of the papers that hang together with a claim, or of a paper alone.

    Raises:
        ValueError: as :func:`shown`.
    """
    from rateproof.theory import catalog
    from rateproof.verify.pages.graph import ProofGraph

    whole, paper = name in catalog.papers(), discovery.paper_of(name)
    if paper not in catalog.papers() or not (whole or name in catalog.claims(paper)):
        if catalog.parts(name):
            catalog.get(name)  # tells which claims these are
        raise ValueError(catalog.unknown_claim(name))
    claims = {i: c for p in ([name] if whole else linked(paper)) for i, c in catalog.claims(p).items()}
    return ProofGraph(claims, known_entries(claims, named=paper))


def record(claim: Claim, entry: Entry | None) -> Record:
    """A claim and its verdict as plain JSON values; the evidence is null when the baseline does not have the claim."""
    from rateproof.verify.checks import blank

    fields = (entry.result if entry else blank(claim)).to_json() | {"steps": entry.steps if entry else 0}
    del fields["seconds"], fields["hints"]
    if entry is None:
        fields |= dict.fromkeys(("verdict", "kindly", "method", "detail", "instances", "witness", "error_probability"))
    rests_on = [*claim.follows_from, *([claim.amends] if claim.amends else [])]
    return fields | {
        "title": claim.title,
        "text": claim.text,
        "rests_on": rests_on,
        "stale": bool(entry and entry.stale),
    }


def known_entries(claims: Mapping[str, Claim], *, named: str | None) -> dict[str, Entry]:
    """What the baselines of the papers of some claims say, by claim id.

    The baseline of an outside paper that the user has not named is left out with a warning when it cannot be read.
    """
    from rateproof.verify.stored import baseline

    entries: dict[str, Entry] = {}
    for paper in dict.fromkeys(c.paper for c in claims.values()):
        try:
            entries |= baseline.read(paper)
        except ValueError as error:
            place = discovery.place(paper)
            if paper == named or place is None or place.built_in:
                raise
            warnings.warn(discovery.PaperWarning(str(error)), stacklevel=2)
    return entries


def _of_paper(paper: str, named: str | None, state: str) -> list[Record]:
    there = baseline_path(paper).is_file()

    def compute() -> list[Record]:
        from rateproof.theory import catalog

        claims = catalog.claims(paper)
        entries = known_entries(claims, named=named)
        return [record(c, entries.get(c.id)) for c in claims.values()]

    # No verdict at all, though there is a baseline: it is damaged, which is to be said again.
    records: list[Record] = kept(
        f"listed-{paper}", state, compute, worth=lambda those: not there or any(r["verdict"] for r in those)
    )
    return records
