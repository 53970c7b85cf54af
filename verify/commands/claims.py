"""``rateproof list`` and ``rateproof show``: the claims, with what the committed baseline says about them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click

from rateproof.verify.errors import bad_input

if TYPE_CHECKING:
    from rateproof.theory.claim import Claim, Hypothesis
    from rateproof.verify.baseline import Entry
    from rateproof.verify.falsify import Audited
    from rateproof.verify.graph import ProofGraph


@click.command("list")
@click.option("--paper", metavar="P", help="Only claims of this paper.")
@click.option("--kind", metavar="K", help="Only inequality, bound, complexity, identity or property.")
@click.option("--verdict", "wanted", metavar="V", help="Only claims with this verdict in the baseline.")
@click.option("--json", "as_json", is_flag=True, help="A JSON array, one object per claim.")
def list_claims(paper: str | None, kind: str | None, wanted: str | None, as_json: bool) -> None:
    """List the claims with their verdicts."""
    from rateproof.theory import catalog
    from rateproof.theory.claim import Kind
    from rateproof.verify.describe import STALE
    from rateproof.verify.evidence import Verdict
    from rateproof.verify.render import PLACE_WIDTH, Column, number, print_json, print_table

    with bad_input():
        if kind is not None and kind not in list(Kind):
            raise ValueError(catalog.unknown("kind", kind, Kind))
        if wanted is not None and wanted not in list(Verdict):
            raise ValueError(catalog.unknown("verdict", wanted, Verdict))
        claims = catalog.claims(paper) if paper is not None else catalog.all_claims()
        known = known_entries(claims, named=paper)
    chosen = [
        (c, known.get(c.id))
        for c in claims.values()
        if kind in (None, c.kind) and (wanted is None or (c.id in known and known[c.id].result.verdict == wanted))
    ]
    if as_json:
        print_json(record(c, e) for c, e in chosen)
        return
    stale = {c.id for c, e in chosen if e and e.stale}
    rows = (
        (
            c.id,
            c.source.place,
            c.kind,
            "-" if e is None else e.result.verdict,
            number(e.result.worst_ratio if e else None),
            f"[stale] {c.text}" if c.id in stale else c.text,
        )
        for c, e in chosen
    )
    columns = (
        Column("claim"),
        Column("place", width=PLACE_WIDTH),
        Column("kind"),
        Column("verdict"),
        Column("ratio", right=True),
        Column("statement", rest=True),
    )
    print_table(columns, rows)
    print(f"{len(chosen)} claims")
    if stale:
        print(f"{len(stale)} {STALE}")


@click.command(short_help="Show one claim, or the proof graph of a paper.")
@click.argument("name", metavar="CLAIM|PAPER")
@click.option("--audit", is_flag=True, help="Drop each hypothesis in turn, and search for a violation.")
@click.option("--seconds", type=float, default=20.0, show_default=True, metavar="T", help="For the whole audit.")
@click.option("--json", "as_json", is_flag=True, help="A JSON object.")
def show(name: str, audit: bool, seconds: float, as_json: bool) -> None:
    """Show one claim: statement, hypotheses, schedule, source, proof graph, verdict and evidence.

    For a paper: its whole proof graph, with the verdict of every claim and what breaks what.
    """
    import json

    from rateproof.theory import catalog
    from rateproof.verify.describe import describe_claim, describe_paper
    from rateproof.verify.graph import ProofGraph
    from rateproof.verify.replay import stored

    with bad_input():
        whole = name in catalog.papers()
        claims = catalog.claims(name) if whole else catalog.all_claims()
        if not whole and name not in claims:
            raise ValueError(catalog.unknown("claim or paper", name, [*catalog.papers(), *claims]))
        if audit and whole:
            raise ValueError(f"--audit is about one claim, and {name} is a paper")
        audits = start_audit(claims[name], seconds) if audit else iter(())
        graph = ProofGraph(claims, known_entries(claims, named=name.partition(".")[0]))
        stored(name.partition(".")[0])  # damaged records are bad input, to be told before anything is printed
    if as_json:
        found = {"paper": name} | graph.to_json(claims) if whole else details(claims[name], graph)
        if audit:
            from rateproof.verify.falsify.report import audit_to_json

            found["audit"] = [audit_to_json(one) for one in audits]
        print(json.dumps(found, indent=1))
        return
    for line in describe_paper(name, graph) if whole else describe_claim(claims[name], graph):
        print(line)
    if audit:
        from rateproof.verify.falsify.report import describe_audit

        if graph.verdict(name).startswith("refuted"):
            print("\nthe claim is refuted as it stands: a violation below need not be for want of the hypothesis")
        for line in describe_audit(claims[name], audits):
            print(line, flush=True)


def start_audit(claim: Claim, seconds: float) -> Iterator[Audited]:
    """The audit of a claim's hypotheses, one after the other.

    Raises:
        ValueError: the seconds are not positive, or there are no instances to search.
    """
    from rateproof.verify.falsify import audited, spaces_of
    from rateproof.verify.runner import one_blas_thread

    if not 0 < seconds < float("inf"):
        raise ValueError(f"--seconds {seconds:g} should be a positive number, such as 20")
    one_blas_thread()
    return audited(claim, spaces_of(claim), seconds=seconds)


def known_entries(claims: Mapping[str, Claim], *, named: str | None) -> dict[str, Entry]:
    """What the baselines of the papers of some claims say, by claim id.

    The baseline of an outside paper that the user has not named is left out with a warning when it cannot be read.
    """
    import warnings

    from rateproof.theory import discovery
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


def record(claim: Claim, entry: Entry | None) -> dict[str, Any]:
    """A claim and its verdict as plain JSON values; the evidence is null when the baseline does not have the claim."""
    from rateproof.verify.checks import blank

    fields = (entry.result if entry else blank(claim)).to_json()
    del fields["seconds"]
    if entry is None:
        fields |= dict.fromkeys(("verdict", "method", "detail", "instances", "witness", "error_probability"))
    return fields | {"text": claim.text, "stale": bool(entry and entry.stale)}


def details(claim: Claim, graph: ProofGraph) -> dict[str, Any]:
    """All of a claim, its verdict and the part of the proof graph around it; expressions are sympy's text."""
    from rateproof.theory.digest import definitions
    from rateproof.theory.units import inhomogeneities
    from rateproof.verify.checks import plain
    from rateproof.verify.describe import counterexample
    from rateproof.verify.graph import Link

    schedule = claim.schedule
    corrected = graph.others(claim.id, Link.CORRECTED)
    around = [claim.id, *graph.ancestors(claim.id), *graph.descendants(claim.id), *corrected]
    return record(claim, graph.known.get(claim.id)) | {
        "statement": None if claim.statement is None else str(claim.statement),
        "hypotheses": [_hypothesis(h) for h in claim.hypotheses],
        "where": {str(s): str(e) for s, e in definitions(claim).items()},
        "schedule": None if schedule is None else {"id": schedule.id, "title": schedule.title, "rules": str(schedule)},
        "unlike_units": {place: str(clash) for place, clash in inhomogeneities(claim)},
        "switches": [
            {"name": s.name, "printed": s.printed, "other": s.other, "why": s.why}
            | {"without": list(s.without), "adding": [_hypothesis(h) for h in s.adding]}
            for s in claim.switches
        ],
        "follows_from": list(claim.follows_from),
        "followed_by": graph.followers(claim.id),
        "breaks": graph.breaks(claim.id),
        "corrected_by": [{"claim": i, "verdict": graph.verdict(i), "why": graph.claims[i].why} for i in corrected],
        "graph": graph.to_json(around),
        "counterexample": plain(asdict(example)) if (example := counterexample(claim.id, graph)) else None,
        "explicit": claim.explicit,
        "amends": claim.amends,
        "why": claim.why,
        "note": claim.note,
    }


def _hypothesis(h: Hypothesis) -> dict[str, str | None]:
    return {"key": h.key, "text": h.text, "relation": None if h.relation is None else str(h.relation)}
