"""``rateproof list`` and ``rateproof show``: the claims, with what the committed baseline says about them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

import click

from rateproof.verify.commands import completion
from rateproof.verify.commands.errors import BadInput, bad_input
from rateproof.verify.commands.named import argument

if TYPE_CHECKING:
    from rateproof.theory.claim import Claim
    from rateproof.verify.falsify import Audited


#: Formats of :mod:`rateproof.verify.pages.exports` besides JSON.
FORMATS = ("markdown", "latex", "bibtex")


@click.command("list")
@argument("names", metavar="[PAPER|CLAIM|PLACE]...", nargs=-1, places=True)
@click.option(
    "--paper", metavar="P", shell_complete=completion.completing(completion.papers), help="Only claims of this paper."
)
@click.option("--kind", metavar="K", help="Only inequality, bound, complexity, identity or property.")
@click.option("--verdict", "wanted", metavar="V", help="Only claims with this verdict in the baseline.")
@click.option("--severity", metavar="S", help="Only misprint, corner, condition or substance.")
@click.option(
    "--untried", is_flag=True, help="Only proved claims of which no instance met all, what is cited included."
)
@click.option("--inside", is_flag=True, help="How far inside the stored counterexamples are, the farthest out first.")
@click.option("--format", "form", type=click.Choice(FORMATS), help="The claims chosen, to paste somewhere else.")
@click.option("--json", "as_json", is_flag=True, help="A JSON array, one object per claim.")
def list_claims(
    names: tuple[str, ...],
    paper: str | None,
    kind: str | None,
    wanted: str | None,
    severity: str | None,
    untried: bool,
    inside: bool,
    form: str | None,
    as_json: bool,
) -> None:
    """List the claims with their verdicts: all, those of papers, below an id, or at a place such as 'lemma 1'."""
    from rateproof.verify.evidence import Verdict
    from rateproof.verify.pages.listed import exported
    from rateproof.verify.pages.render import print_json

    with bad_input():
        claims = _below(names if paper is None else (*names, paper))
        if kind is not None and kind not in {c["kind"] for c in claims}:
            from rateproof.theory.claim import Kind

            one_of("kind", kind, Kind)
        if wanted is not None:
            one_of("verdict", wanted, Verdict)
        if severity is not None:
            from rateproof.theory.claim import Severity

            one_of("severity", severity, Severity)
    asked = {"kind": kind, "verdict": wanted, "severity": severity}
    chosen = [c for c in claims if all(value in (None, c[field]) for field, value in asked.items())]
    chosen = [c for c in chosen if c["untried"] or not untried]
    if inside:
        with bad_input():
            print_inside([c["claim"] for c in chosen], as_json=as_json)
        return
    if as_json:
        print_json(chosen)
        return
    if form:
        with bad_input():
            print(exported([c["claim"] for c in chosen], form))
        return
    print_claims(chosen)


def print_claims(claims: list[dict[str, Any]]) -> None:
    """Print claims as ``rateproof list`` does, with their places and verdicts, and how many there are."""
    from rateproof.verify.evidence import Verdict, strengths
    from rateproof.verify.pages.listed import STALE
    from rateproof.verify.pages.render import PLACE_WIDTH, Column, number, print_table

    rows = (
        (
            c["claim"],
            c["place"],
            c["kind"],
            c["verdict"] or "-",
            c["kindly"] or "-",
            c["severity"] or "-",
            number(None if c["worst_ratio"] is None else float(c["worst_ratio"])),
            f"{'[stale] ' if c['stale'] else ''}{'[not tried] ' if c['untried'] else ''}{c['text']}",
        )
        for c in claims
    )
    columns = (
        Column("claim"),
        Column("place", width=PLACE_WIDTH),
        Column("kind"),
        Column("verdict"),
        Column("kindly"),
        Column("severity"),
        Column("ratio", right=True),
        Column("statement", rest=True),
    )
    print_table(columns, rows)
    print(f"{len(claims)} claims")
    if proved := [(c["level"], bool(c["untried"])) for c in claims if c["verdict"] == Verdict.PROVED]:
        print(strengths(proved))
    if stale := sum(c["stale"] for c in claims):
        print(f"{stale} {STALE}")


def print_inside(claim_ids: list[str], *, as_json: bool) -> None:
    """Print how far inside the stored counterexamples to some claims are, those with most objections first."""
    from rateproof.theory import catalog
    from rateproof.verify.counterexamples.inside import worst_first
    from rateproof.verify.pages.render import Column, number, print_json, print_table

    measured = worst_first(map(catalog.get, claim_ids))
    if as_json:
        print_json(one.to_json() for one in measured)
        return
    columns = (
        Column("claim"),
        Column("ratio", right=True),
        Column("nearest edge"),
        Column("used", right=True),
        Column("least", right=True),
        Column("largest", right=True),
        Column("count", right=True),
        Column("objections", rest=True),
    )
    rows = (
        (
            one.claim,
            " to ".join(number(x) for x in dict.fromkeys((one.ratios[0], one.ratios[-1]))),
            one.nearest or "-",
            number(one.used.get(one.nearest)),
            number(one.least),
            number(one.largest),
            number(one.count),
            "; ".join(one.edges),
        )
        for one in measured
    )
    print_table(columns, rows)
    free = sum(not one.edges for one in measured)
    print(f"{len(measured)} stored counterexamples to {len(claim_ids)} claims; {free} without objection: they keep the")
    print("step conditions of all that rests on the claim, one set and one scale, and exceed the bound itself")


def _below(names: tuple[str, ...]) -> list[dict[str, Any]]:
    """The claims of papers, at places, and those whose id is a name or begins with one and a dot; else all."""
    from rateproof.theory.discovery import paper_of
    from rateproof.theory.places import named
    from rateproof.verify.pages.listed import at, listed

    if not names:
        return listed()
    found: dict[str, None] = {}
    for name in names:
        place, paper = named(name), paper_of(name)
        claims = at(place) if place else [c for c in listed(paper) if f"{c['claim']}.".startswith(f"{name}.")]
        found |= dict.fromkeys(c["claim"] for c in claims)
    return [c for paper in dict.fromkeys(map(paper_of, found)) for c in listed(paper) if c["claim"] in found]


def one_of(what: str, name: str, choices: Iterable[str]) -> None:
    """Check a name that an option takes.

    Raises:
        ValueError: it is none of the choices; near misses are suggested.
    """
    from rateproof.theory import catalog

    if name not in (names := list(choices)):
        raise ValueError(catalog.unknown(what, name, names))


#: Views of a claim, by option.
_VIEWS = {
    "proof": "Its proof: the legend, and the numbered steps with the multipliers that show each.",
    "hypotheses": "What it supposes, and why each holds on the instance shown.",
    "graph": "What it rests on and what stands on it; of a paper, its whole proof graph.",
    "full": "All that is known of it.",
}


def _with_views(command: click.Command) -> click.Command:
    for view, said in reversed(_VIEWS.items()):
        command.params.insert(1, click.Option([f"--{view}", "view"], flag_value=view, help=said))
    return command


@_with_views
@click.command(short_help="Show one claim, or a paper at a glance.")
@argument("name", metavar="CLAIM|PAPER|PLACE", places=True)
@click.option("--plain", is_flag=True, help="No colours and links; differences stand in brackets, as in a pipe.")
@click.option("--audit", is_flag=True, help="Drop each hypothesis in turn, and search for a violation.")
@click.option("--seconds", type=float, default=20.0, show_default=True, metavar="T", help="For the whole audit.")
@click.option(
    "--format",
    "form",
    type=click.Choice(FORMATS),
    help="To paste somewhere else; LaTeX needs amsmath, amssymb, xcolor.",
)
@click.option("--json", "as_json", is_flag=True, help="A JSON object.")
def show(
    name: str, view: str | None, plain: bool, audit: bool, seconds: float, form: str | None, as_json: bool
) -> None:
    """Show one claim on one screen: verdict, formula, why, the counterexample, what it rests on, how sure that is.

    For a paper: how many claims hold, where its faults begin, and what becomes of its results.
    For a place, such as 'lemma 1' or 'thm 2 (i)': the claims there, of all papers.
    """
    import json

    from rateproof.theory.places import named
    from rateproof.verify.pages import page
    from rateproof.verify.pages.listed import at, details, exported, graph_around, shown

    if (form or as_json) and (view or (form and as_json)):
        raise BadInput(f"--{'json' if as_json else 'format'} tells all; leave out --{view or 'format'}")
    with bad_input():
        if place := named(name):
            claims = at(place)
            if len(claims) > 1:
                if view or audit or form or as_json:
                    raise ValueError(f"{place} is {len(claims)} claims; rateproof show {name!r} lists them, name one")
                print_claims(claims)
                return
            name = claims[0]["claim"]
        if audit:
            graph = graph_around(name)
            if name not in graph.claims:
                raise ValueError(f"--audit is about one claim, and {name} is a paper")
            audits = start_audit(graph.claims[name], seconds)
        told = details(name) if as_json else {}
        lines = [] if as_json else [exported([name], form)] if form else shown(name, view or "")
    if as_json:
        if audit:
            from rateproof.verify.falsify.report import audit_to_json

            told["audit"] = [audit_to_json(one) for one in audits]
        print(json.dumps(told, indent=1))
        return
    page.show(lines, plain=plain or form is not None)
    if audit:
        from rateproof.verify.falsify.report import describe_audit

        if graph.verdict(name).startswith("refuted"):
            print("\nthe claim is refuted as it stands: a violation below need not be for want of the hypothesis")
        for line in describe_audit(graph.claims[name], audits):
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
