"""``rateproof list`` and ``rateproof show``: the claims, with what the committed baseline says about them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import click

from verify.errors import bad_input

if TYPE_CHECKING:
    from theory.claim import Claim
    from verify.checks import Result


@click.command("list")
@click.option("--paper", metavar="P", help="Only claims of this paper.")
@click.option("--kind", metavar="K", help="Only inequality, bound, complexity, identity or property.")
@click.option("--verdict", "wanted", metavar="V", help="Only claims with this verdict in the baseline.")
@click.option("--json", "as_json", is_flag=True, help="A JSON array, one object per claim.")
def list_claims(paper: str | None, kind: str | None, wanted: str | None, as_json: bool) -> None:
    """List the claims with their verdicts."""
    from theory import catalog
    from theory.claim import Kind
    from verify.evidence import Verdict
    from verify.render import PLACE_WIDTH, Column, number, print_json, print_table

    with bad_input():
        if kind is not None and kind not in list(Kind):
            raise ValueError(catalog.unknown("kind", kind, Kind))
        if wanted is not None and wanted not in list(Verdict):
            raise ValueError(catalog.unknown("verdict", wanted, Verdict))
        claims = catalog.claims(paper) if paper is not None else catalog.all_claims()
        known = known_results(c.paper for c in claims.values())
    chosen = [
        (c, known.get(c.id))
        for c in claims.values()
        if kind in (None, c.kind) and (wanted is None or (c.id in known and known[c.id].verdict == wanted))
    ]
    if as_json:
        print_json(record(c, r) for c, r in chosen)
        return
    rows = (
        (c.id, c.source.place, c.kind, r.verdict if r else "-", number(r.worst_ratio if r else None), c.text)
        for c, r in chosen
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


@click.command(short_help="Show one claim with its proof graph and verdict.")
@click.argument("claim")
@click.option("--json", "as_json", is_flag=True, help="A JSON object.")
def show(claim: str, as_json: bool) -> None:
    """Show one claim: statement, hypotheses, schedule, source, proof graph, verdict and evidence."""
    import json

    from theory import catalog

    with bad_input():
        found = catalog.get(claim)
        every = catalog.all_claims()
        known = known_results(catalog.papers())
    below = [i for i, c in every.items() if claim in c.follows_from]
    if as_json:
        print(json.dumps(record(found, known.get(claim)) | details(found) | {"followed_by": below}, indent=1))
        return
    for line in description(found, known, below):
        print(line)


def known_results(papers: Iterable[str]) -> dict[str, Result]:
    """What the baselines of some papers say, by claim id."""
    from verify import baseline

    return {i: e.result for paper in dict.fromkeys(papers) for i, e in baseline.read(paper).items()}


def record(claim: Claim, result: Result | None) -> dict[str, Any]:
    """A claim and its verdict as plain JSON values; the evidence is null when the baseline does not have the claim."""
    from verify.checks import blank

    fields = (result or blank(claim)).to_json()
    del fields["seconds"]
    if result is None:
        fields |= dict.fromkeys(("verdict", "method", "detail", "instances", "witness", "error_probability"))
    return fields | {"text": claim.text}


def details(claim: Claim) -> dict[str, Any]:
    """The rest of a claim as plain JSON values; expressions are sympy's text."""
    schedule = claim.schedule
    return {
        "statement": None if claim.statement is None else str(claim.statement),
        "hypotheses": [
            {"key": h.key, "text": h.text, "relation": None if h.relation is None else str(h.relation)}
            for h in claim.hypotheses
        ],
        "where": {str(s): str(e) for s, e in definitions(claim).items()},
        "schedule": None if schedule is None else {"id": schedule.id, "title": schedule.title, "rules": str(schedule)},
        "unlike_units": unlike_units(claim),
        "switches": [{"name": s.name, "printed": s.printed, "other": s.other, "why": s.why} for s in claim.switches],
        "follows_from": list(claim.follows_from),
        "explicit": claim.explicit,
        "amends": claim.amends,
        "why": claim.why,
        "note": claim.note,
    }


def definitions(claim: Claim) -> dict[Any, Any]:
    """The definitions that the statement and the hypotheses use, directly or through other definitions."""
    expressions = [h.relation for h in claim.hypotheses if h.relation is not None]
    open_symbols = set().union(*(e.free_symbols for e in [*expressions, claim.statement] if e is not None))
    used: set[Any] = set()
    while new := {s for s in open_symbols if s in claim.where} - used:
        used |= new
        open_symbols = set().union(*(claim.where[s].free_symbols for s in new))
    return {s: e for s, e in claim.where.items() if s in used}


def unlike_units(claim: Claim) -> dict[str, str]:
    """Where a claim adds or compares unlike units: statement, hypothesis or definition -> the first such place."""
    import sympy as sp

    from theory.symbols import kappa, units
    from theory.units import Unit, clashes
    from verify.trial import conjuncts

    orders = {r.rhs for h in claim.hypotheses for r in conjuncts(h.relation) if r.rel_op == "==" and r.lhs == kappa}
    at = dict.fromkeys([kappa], orders.pop()) if orders else {}
    table = {s: Unit(*(sp.sympify(p).subs(at) for p in u.powers)) for s, u in units().items()}
    places = {"statement": claim.statement} | {h.key: h.relation for h in claim.hypotheses}
    places |= {f"definition of {s}": sp.Eq(s, e, evaluate=False) for s, e in definitions(claim).items()}
    found = {}
    for place, expression in places.items():
        try:
            if expression is not None and (unlike := clashes(expression, table)):
                found[place] = str(unlike[0])
        except ValueError:
            continue  # a symbol or function that carries no unit: nothing is known
    return found


def description(claim: Claim, known: dict[str, Result], below: list[str]) -> Iterable[str]:
    """The lines that ``show`` prints."""
    import sympy as sp

    from theory import catalog
    from verify.render import WIDTH, number

    def pretty(expression: Any) -> str:
        text: str = sp.pretty(expression, use_unicode=False, num_columns=WIDTH - 4, wrap_line=True)
        return "\n".join("    " + line.rstrip() for line in text.splitlines())

    def graph(ids: Iterable[str]) -> Iterable[str]:
        return (f"  {i}  {known[i].verdict if i in known else '-'}" for i in ids)

    source, result = claim.source, known.get(claim.id)
    place = f"{source.place}, eq. {source.equation}" if source.equation else source.place
    yield f"{claim.id}  ({place} of {source.paper}; {claim.kind}, {claim.reading})"
    yield from _wrapped(claim.text, "  ")
    if claim.amends:
        yield from _wrapped(f"amends {claim.amends}: {claim.why}", "  ")
    if claim.note:
        yield from _wrapped(f"note: {claim.note}", "  ")
    if claim.statement is not None:
        yield "\nstatement"
        parts = claim.statement.args if isinstance(claim.statement, sp.And) else (claim.statement,)
        yield "\n    and\n".join(pretty(p) for p in parts)
    if where := definitions(claim):
        yield "\nwhere"
        for symbol, expression in where.items():
            yield f"  {symbol} = {expression}"
    if claim.hypotheses:
        yield "\nhypotheses"
        for h in claim.hypotheses:
            yield from _wrapped(h.text, "  - ")
    if unlike := unlike_units(claim):
        yield "\nunlike units (rescaling a loss or the space changes the two by different factors)"
        for where_found, clash in unlike.items():
            yield from _wrapped(f"{where_found}: {clash}", "  - ")
    if claim.schedule is not None:
        yield f"\nschedule {claim.schedule.id} ({claim.schedule.title})\n  {claim.schedule}"
        for condition in claim.schedule.conditions:
            yield f"  needs {condition.name}: {condition.relation}"
    if claim.switches:
        yield "\nreadings"
        for s in claim.switches:
            yield from _wrapped(f"{s.name}: printed {s.printed}, other {s.other}; {s.why}", "  - ")
    if claim.explicit:
        yield f"\nexplicit bound\n  {claim.explicit}"
    if claim.follows_from:
        yield "\nfollows from"
        yield from graph(claim.follows_from)
        further = [i for i in catalog.ancestors(claim.id) if i not in claim.follows_from]
        if further:
            yield "  and through these"
            yield from graph(further)
    if below:
        yield "\nfollowed by"
        yield from graph(below)
    if result is None:
        yield f"\nverdict\n  none in the baseline; rateproof check {claim.id} computes it"
        return
    yield f"\nverdict\n  {result.verdict}" + (f" ({result.level}, {result.method})" if result.level else "")
    yield from _wrapped(result.detail, "  ")
    if result.worst_ratio is not None:
        yield f"  worst ratio {number(result.worst_ratio, 9)} over {result.instances} admissible instances"
    if result.witness:
        yield from _wrapped(f"witness: {result.witness}", "  ")
    if result.error_probability:
        yield f"  error probability {result.error_probability:.3g}"
    for name, reading in result.readings.items():
        yield f"  reading {name}: {reading['verdict']}, worst ratio {reading['worst_ratio']}"
    if result.violated:
        v = result.violated
        yield "\nviolated by"
        yield from _wrapped(v["instance"], "  ")
        yield from _wrapped(f"{v['relation']}: left {v['lhs']}, right {v['rhs']}, ratio {v['ratio']}", "  ")
        for key, why in v["hypotheses"].items():
            yield from _wrapped(f"{key}: {why}", "  - ")
    if result.proof_broken_by:
        yield f"\nproof broken by {', '.join(result.proof_broken_by)}"


def _wrapped(text: str, start: str) -> list[str]:
    from textwrap import wrap

    from verify.render import WIDTH

    return wrap(text, WIDTH, initial_indent=start, subsequent_indent=" " * len(start), break_long_words=False)
