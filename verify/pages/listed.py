"""What ``list`` and ``show`` say of the claims, kept between runs: importing sympy and all papers takes seconds."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import asdict
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from rateproof.theory import discovery
from rateproof.verify.stored.kept import kept
from rateproof.verify.stored.sources import baseline_path, digest_of_all, fingerprint

if TYPE_CHECKING:
    from rateproof.theory.claim import Claim
    from rateproof.verify.checks import Result
    from rateproof.verify.pages.graph import ProofGraph
    from rateproof.verify.pages.render import Line
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


def linked(paper: str) -> list[str]:
    """The paper, those with claims that its claims rest on or amend, and those with claims that rest on its claims."""
    links = {tuple(discovery.paper_of(i) for i in (r["claim"], other)) for r in listed() for other in r["rests_on"]}
    papers, size = {paper}, 0
    while len(papers) > size:
        size = len(papers)
        papers |= {one for link in links if papers & set(link) for one in link}
    return sorted(papers)


def shown(name: str) -> list[Line]:
    """The page that ``rateproof show`` prints about a claim or a paper.

    Raises:
        ValueError: no such claim or paper, or its paper, baseline or records cannot be read.
    """

    def describe(one: str, graph: ProofGraph) -> list[Line]:
        from rateproof.verify.pages.describe import describe_claim, describe_paper

        return list(describe_claim(graph.claims[one], graph) if one in graph.claims else describe_paper(one, graph))

    return _kept_with_its_paper("shown", name, describe)


def proof(name: str) -> list[Line]:
    """What ``rateproof show --proof`` prints about a claim.

    Raises:
        ValueError: as :func:`shown`, or a paper.
    """
    if name in discovery.found().places:
        raise ValueError(f"--proof is about one claim, and {name} is a paper")
    require(name)
    steps, page = _proof(name)
    if not steps:
        return [f"the baseline has no proof of {name} in steps"]
    return [f"{name}: {_listed(name)['verdict']}, {len(steps)} step{'s' if len(steps) != 1 else ''}", *page]


def attempted(name: str) -> tuple[dict[str, Any], list[Line]]:
    """What ``rateproof prove`` finds of the proof of a claim in the present sources, as data and as a page.

    Raises:
        ValueError: no such claim, its paper cannot be read, or it has no proof in steps.
    """

    def compute() -> tuple[dict[str, Any], list[Line]]:
        from rateproof.theory import catalog
        from rateproof.verify.deciders.kernel import attempt
        from rateproof.verify.pages.describe import describe_attempt

        claim = catalog.get(name)
        answer = attempt(claim)
        return answer, list(describe_attempt(claim, answer))

    if name in discovery.found().places:
        raise ValueError(f"{name} is a paper; name one claim of it, rateproof list {name} lists them")
    answer, page = kept(f"attempt-{name}", fingerprint(), compute)
    return answer, page


def details(name: str) -> dict[str, Any]:
    """What ``rateproof show --json`` prints about a claim or a paper.

    Raises:
        ValueError: as :func:`shown`.
    """

    def describe(one: str, graph: ProofGraph) -> dict[str, Any]:
        from rateproof.theory import catalog
        from rateproof.verify.pages.describe import claim_to_json

        if one in graph.claims:
            return claim_to_json(graph.claims[one], graph)
        return {"paper": one, "reference": asdict(catalog.reference(one))} | graph.to_json(graph.claims)

    page = _kept_with_its_paper("details", name, describe)
    return page if name in discovery.found().places else page | {"proof": _proof(name)[0]}


def _proof(claim_id: str) -> tuple[list[Record], list[Line]]:
    """The steps that show a claim, and their page: as a check found them in the present sources, else found now."""

    def steps() -> Iterable[Mapping[str, Any]]:
        from rateproof.theory import catalog
        from rateproof.verify.checks import Budget, check_claim
        from rateproof.verify.deciders import kernel

        claim = catalog.get(claim_id)
        return (kernel.prove(claim) or check_claim(claim, Budget())).steps

    return _kept_proof(claim_id, steps) if _listed(claim_id)["steps"] else ([], [])


def _listed(claim_id: str) -> Record:
    return next(one for one in listed(discovery.paper_of(claim_id)) if one["claim"] == claim_id)


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

    require(paper)
    if paper not in discovery.found().places:
        raise ValueError(f"a review is about a paper, and {paper} is a claim; name {discovery.paper_of(paper)}")
    return kept(f"review-{paper}", digest_of_all(), compute)


def keep_proofs(results: Iterable[Result]) -> None:
    """Have the steps kept that show some claims, with their pages: to find them again takes as long as the proof."""
    for result in results:
        if steps := result.steps:
            _kept_proof(result.claim, partial(list, steps))


def _kept_proof(claim_id: str, steps: Callable[[], Iterable[Mapping[str, Any]]]) -> tuple[list[Record], list[Line]]:
    def compute() -> tuple[list[Record], list[Line]]:
        from rateproof.theory import catalog
        from rateproof.verify.pages.describe import describe_steps

        data = [dict(step) for step in steps()]
        return data, list(describe_steps(catalog.get(claim_id), data))

    data, page = kept(f"proof-{claim_id}", fingerprint(), compute)
    return data, page


def keep_pages(papers: Iterable[str]) -> None:
    """Have what ``rateproof show`` tells of some papers kept; what cannot be read is left for it to tell."""
    for paper in papers:
        with suppress(ValueError):
            for told_of in (shown, details):
                told_of(paper)


def require(name: str) -> None:
    """See that a name is that of a claim or paper, by what is kept, before anything is imported.

    Raises:
        ValueError: it is not; near misses are suggested.
    """
    if name not in discovery.found().places and name not in (ids := [r["claim"] for r in listed()]):
        from rateproof.theory import catalog

        raise ValueError(catalog.unknown_claim(name, ids=ids))


def graph_around(name: str) -> ProofGraph:
    """The proof graph of the papers that hang together with a claim, or of a paper alone.

    Raises:
        ValueError: as :func:`shown`.
    """
    from rateproof.theory import catalog
    from rateproof.verify.counterexamples.replay import stored
    from rateproof.verify.pages.graph import ProofGraph

    whole, paper = name in catalog.papers(), discovery.paper_of(name)
    if paper not in catalog.papers() or not (whole or name in catalog.claims(paper)):
        raise ValueError(catalog.unknown_claim(name))
    claims = {i: c for p in ([name] if whole else linked(paper)) for i, c in catalog.claims(p).items()}
    stored(paper)  # damaged records are bad input, to be told before anything is printed
    return ProofGraph(claims, known_entries(claims, named=paper))


def _kept_with_its_paper(kind: str, name: str, describe: Callable[[str, ProofGraph], T]) -> T:
    """What is told of a claim or paper, by its name and proof graph; kept for the paper and all its claims at once."""
    paper = discovery.paper_of(name)

    def compute() -> dict[str, T]:
        from rateproof.verify.pages.render import progress

        whole = graph_around(paper)
        wide = graph_around(next(iter(whole.claims), paper))
        pages = {}
        with progress(f"pages of {paper}", len(whole.claims) + 1) as step:
            for one in (paper, *whole.claims):
                with suppress(Exception):  # an error of one page is told when that page is asked for
                    pages[one] = describe(one, whole if one == paper else wide)
                step(one)
        return pages

    require(name)
    pages: dict[str, T] = kept(f"{kind}-{paper}", digest_of_all(), compute) if paper in discovery.found().places else {}
    return pages[name] if name in pages else describe(name, graph_around(name))


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
