"""A claim, and a paper, as pages for a terminal and as JSON."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from itertools import groupby
from typing import Any

from rateproof.theory.claim import Claim, Hypothesis
from rateproof.theory.digest import definitions
from rateproof.theory.homogeneity import inhomogeneities
from rateproof.theory.proof.legend import legend
from rateproof.verify.checks import plain
from rateproof.verify.deciders.steps import lines
from rateproof.verify.evidence import Verdict
from rateproof.verify.pages import typeset
from rateproof.verify.pages.document import unicode
from rateproof.verify.pages.facts import Facts, Place, Rows, Supposed, counterexample, is_broken, legend_of, located
from rateproof.verify.pages.graph import Link, ProofGraph
from rateproof.verify.pages.listed import STALE, record
from rateproof.verify.pages.overview import Overview
from rateproof.verify.pages.page import MARKS, Block, beside, formula, key, link, table, text
from rateproof.verify.pages.printed import printed_names, relates, renaming, symbols_in, symbols_of
from rateproof.verify.pages.render import ascii_of, tree

BROKEN = "x"
LEGEND = f"{BROKEN} is refuted or inconsistent and breaks the proofs above it"
#: Claims, and hypotheses, that are named on a line; of further ones their number is told.
NAMED, FEW = 6, 3
SUMS = "below a step, its large side less its small side, as a sum of (multiplier) [large less small side]"


def describe_claim(told: Facts, graph: ProofGraph) -> Iterator[Block]:
    """The lines that ``rateproof show CLAIM`` prints: what a reader asks first, on one screen."""
    yield from _head(told, graph)
    yield ""
    yield from _formulas(told)
    yield from _changed(told)
    yield ""
    yield text("why        ", unicode(told.sentence))
    yield from _counterexample(told)
    yield ""
    yield from _stands(told, graph)
    yield text("how sure   ", "; ".join(_how_sure(told)))
    yield from _letters(told)
    yield ""
    views = ["proof"] * bool(told.proof_of) + ["hypotheses"] * bool(told.hypotheses) + ["graph", "full"]
    yield text("more       ", f"rateproof show {told.id} " + " | ".join(f"--{view}" for view in views))


def describe_full(told: Facts, graph: ProofGraph) -> Iterator[Block]:
    """The lines that ``rateproof show CLAIM --full`` prints: all that is known of it, in the same order."""
    yield from _head(told, graph)
    yield text("  ", f"{told.kind}, {told.reading}: {told.text}")
    if told.note:
        yield text("  ", f"note: {told.note}")
    yield ""
    yield from _formulas(told)
    yield ""
    yield text("why        ", unicode(told.sentence))
    if told.because:
        yield text("           ", f"severity {told.severity}: {told.because}")
    for reason in told.why:
        yield text("           - ", reason)
    yield from _counterexample(told)
    if told.example and told.example.inside:
        yield text("           ", f"how far inside: {told.example.inside}")
    if not told.example and (told.reason_for_none or is_broken(told.verdict)):
        why = f": {told.reason_for_none}" if told.reason_for_none else " is stored"
        yield text("           ", f"no counterexample in round numbers{why}")
    yield from _violated(told)
    yield from _section("evidence", [*_how_sure(told), told.detail, *told.evidence])
    yield from _section("proof broken by", told.broken_by)
    yield ""
    yield from describe_hypotheses(told)
    yield from _section("the proof also takes from the method, or from the points that the statement names", told.taken)
    yield from _symbols(told)
    yield from _section("unlike units (rescaling a loss or the space changes the two differently)", told.unlike)
    yield from _section("schedule", told.schedule)
    yield from _section("explicit bound", [told.explicit])
    yield from _readings(told, graph)
    yield ""
    yield from describe_graph(told, graph)
    if told.proof:
        yield ""
        yield from describe_proof(told)
    yield from _section("code", [_code(one) for one in told.code])


def describe_hypotheses(told: Facts) -> Iterator[Block]:
    """The lines that ``rateproof show CLAIM --hypotheses`` prints: each with its key, and why it holds."""
    if not told.hypotheses:
        yield key("hypotheses") + "  none"
        return
    shown = "the violating instance" if told.violation else "an instance"
    valued = any(h.value for h in told.hypotheses)
    yield key("hypotheses") + (f", with why each holds on {shown}" if valued else "")
    for h in told.hypotheses:
        mark = {"added": "+ ", "dropped": "- "}.get(h.change, "  ")
        change = f" ({h.change} by the correction)" if h.change else ""
        yield text(mark, f"{h.key}: {unicode(h.text)}{change}")
        yield from (formula("      ", relation) for relation in _relations(h.formula))
        if h.value:
            yield text("      here ", unicode(h.value))


def describe_graph(told: Facts, graph: ProofGraph) -> Iterator[Block]:
    """The lines that ``rateproof show CLAIM --graph`` prints: what it rests on, what stands on it, its corrections."""
    broken = any(map(graph.is_broken, graph.ancestors(told.id)))
    yield key("proof graph") + (f" ({LEGEND})" if broken else "")
    yield from tree([told.id], graph.below, lambda i: _label(graph, i))
    if told.followers or told.breaks:
        yield ""
        yield key("breaks" if told.breaks else "followed by")
        yield from (f"  {_label(graph, i)}" for i in told.followers)
    if further := [i for i in told.breaks if i not in told.followers]:
        names = ", ".join(i.removeprefix(f"{told.paper}.") for i in further)
        yield text("  ", f"further up in {told.paper}: {names}")
    if told.corrections:
        yield ""
        yield key("corrected by")
    for one in told.corrections:
        yield f"  {_label(graph, one.id)}"
        yield text("    ", one.text)
        yield from (text("    - ", reason) for reason in one.why)


def describe_proof(told: Facts, steps: Sequence[Mapping[str, Any]] = ()) -> Iterator[Block]:
    """The lines that ``rateproof show CLAIM --proof`` prints: the legend, then each step with what it rests on.

    Args:
        told: of the claim.
        steps: as a check showed them, each with the sum that shows it; none are printed without.
    """
    count = len([step for step in told.proof if step.number]) or len(steps)
    state = ", which does not go through" if told.stops else ", not checked yet" if told.verdict == "-" else ""
    yield text("", f"{key('proof')} of {told.proof_of or told.id}, {count} step{'s' if count != 1 else ''}{state}")
    if told.stops:
        yield text("  ", f"it stops at {told.stops}")
    for title, said in told.legend:
        yield from _section(title, said)
    left = list(steps)
    if left:
        yield ""
        yield text("", SUMS)
    for step in told.proof:
        yield ""
        if not step.number:
            yield key(step.name)
            continue
        start = f"{step.number} {step.name}: "
        if step.formula:
            yield formula(start, pieces(step.formula))
        if step.words or not step.formula:
            yield text("    ", step.words) if step.formula else text("", f"{start}{step.words}")
        if step.grounds:
            yield text("    ", f"by {step.grounds}" + (" (in words)" if step.worded else ""))
        same = (one for one in left if one["name"] == step.name and step.text in ("", one["formula"]))
        if shown := next(same, None):
            left.remove(shown)
            yield from (text("    ", one) for one in lines(shown))
    for number, one in enumerate(left, start=1):  # of a proof that no kernel knows
        yield ""
        yield text("", f"({number}) {one['name']}: {one['formula']}")
        if grounds := ", ".join(one.get("by", ())):
            yield text("    ", f"by {grounds}")
        yield from (text("    ", sums) for sums in lines(one))


def pieces(rows: Rows) -> list[str]:
    """The parts of a formula, in text; what differs stays marked, and a sign before a term stays apart from it."""
    signs = {"+ ": "+ ", "- ": "\N{MINUS SIGN} "}
    out = [*map(line, rows[:1])]
    for row in rows[1:]:
        one = signs[row[:2]] + line(row[2:]) if row[:2] in signs else line(row)
        out.append(_MARKED_SIGN.sub("\\1\u2212 ", one) if typeset.is_between(out[-1]) else one)
    return out


#: What is taken away, and marked with its sign.
_MARKED_SIGN = re.compile(f"^([{''.join(begin for begin, _ in MARKS.values())}])\u2212(?! )")


def line(latex: str) -> str:
    """A formula in one line of text."""
    return typeset.text(latex)


def _section(title: str, said: Iterable[str]) -> Iterator[Block]:
    if texts := [one for one in said if one]:
        yield ""
        yield text("", key(title))
        yield from (text("  ", one) for one in texts)


def _head(told: Facts, graph: ProofGraph) -> Iterator[Block]:
    place = f"{told.place}, eq. {told.equation}" if told.equation else told.place
    yield text("", f"{key(told.id)}  {place}" + (f": {told.title}" if told.title else ""))
    words = [f"printed {key(told.verdict)}"] if not told.amends else [f"corrected {key(told.verdict)}"]
    if told.kindly:
        words.append(f"read kindly {key(told.kindly)}")
    if told.severity:
        words.append(f"severity {key(told.severity)}")
    if told.broken_by and not is_broken(told.verdict):
        words.append("proof broken")
    if told.corrections:
        verdicts = Counter(one.verdict for one in told.corrections)
        words.append("corrected " + ", ".join(key(v) + (f" ({n} ways)" if n > 1 else "") for v, n in verdicts.items()))
    yield text("", ", ".join(words))
    if told.located:
        yield text("", told.located)
    if told.stale:
        yield text("", f"{STALE}; rateproof check {told.id} --update does it anew; this is what it was before")
    if told.amends:
        yield text("", f"corrects {told.amends}, printed {graph.verdict(told.amends)}")


def _formulas(told: Facts) -> Iterator[Block]:
    """The statement and its definitions; beside a correction only where they differ from it, what is marked."""
    if not (told.statement or told.where):
        yield text("  ", told.text)
        return
    if all(pair.same for pair in told.beside):
        yield from (formula("  ", pieces(one)) for one in (*told.statement, *told.where))
    else:
        for same, pairs in groupby(told.beside, key=lambda pair: pair.same):
            if same:
                yield from (formula("  ", pieces(pair.printed)) for pair in pairs)
            else:
                both = [(pieces(pair.printed), pieces(pair.corrected)) for pair in pairs]
                yield beside(("printed", "corrected"), both)


def _changed(told: Facts) -> Iterator[Block]:
    """The hypotheses that a correction adds or drops."""
    for change, start in (("added", "besides    "), ("dropped", "without    ")):
        if texts := [_with_formula(h) for h in told.hypotheses if h.change == change]:
            more = f"; and {len(texts) - FEW} more (--hypotheses)" if len(texts) > FEW + 1 else ""
            yield text(start, "; ".join(texts[:FEW] if more else texts) + more)


def _with_formula(h: Supposed) -> str:
    """The text of a hypothesis, and the relation that it stands for where it only names it."""
    if relates(h.text) or not h.formula:
        return unicode(h.text)
    return f"{unicode(h.text)}: {', '.join(map(' '.join, _relations(h.formula)))}"


def _relations(rows: Rows) -> list[list[str]]:
    """The relations that some lines say, in pieces: where one takes several lines, a sign ends or begins them."""
    found: list[list[str]] = []
    for piece in pieces(rows):
        goes_on = found and (found[-1][-1][-1] in "≤≥<>=" or piece[0] in "+−")
        found[-1].append(piece) if goes_on else found.append([piece])
    return found


def _counterexample(told: Facts) -> Iterator[Block]:
    example = told.example
    if example is None and told.violation is None:
        return
    yield ""
    if example is None:
        assert told.violation is not None
        yield text("example    ", key(told.violation.sides))
        yield text("           ", unicode(told.violation.instance))
        return
    sides = f"left {example.left}, right {example.right}"
    if example.ratios:
        sides = f"ratios along the ladder, with the hidden constant 1: {', '.join(example.ratios)}"
    of = "" if example.of == told.id else f" (to {example.of})"
    yield text("example    ", key(sides) + of)
    yield text("           ", unicode(example.setting))
    yield text("           ", unicode(example.by_hand))
    others: dict[str, list[str]] = {}
    for name, meaning in example.names:
        if name not in told.stated:
            others.setdefault(meaning, []).append(name)
    if others:
        said = (f"{', '.join(names)}: {meaning}" for meaning, names in others.items())
        yield text("           ", unicode("; ".join(said)))


def _stands(told: Facts, graph: ProofGraph) -> Iterator[Block]:
    def short(ids: Iterable[str]) -> str:
        names = [_short(i, told.paper) for i in ids]
        return ", ".join(names[:NAMED]) + (f" and {len(names) - NAMED} more" if len(names) > NAMED else "")

    if below := [i for depth, i in told.rests_on if depth == 0]:
        broken = [i for i in below if graph.is_broken(i)]
        stands = [i for i in below if i not in broken]
        parts = [f"{short(broken)} (refuted)" if broken else "", short(stands)]
        yield text("rests on   ", "; ".join(filter(None, parts)))
    if told.breaks:
        ids = list(dict.fromkeys((*told.followers, *told.breaks)))
        yield text("breaks     ", f"{len(ids)} claim{'s' if len(ids) > 1 else ''}: {short(ids)}")
    elif told.followers:
        yield text("used by    ", short(told.followers))


def _how_sure(told: Facts) -> Iterator[str]:
    if told.verdict == "-":
        yield f"not checked; rateproof check {told.id} does it"
        return
    if told.verdict == Verdict.UNCHECKED:
        yield "there is no check of it"
        return
    yield told.method if told.level in told.method else f"{told.method} ({told.level})"
    if told.seen:
        yield told.seen
    if told.untried:
        yield "no instance that satisfies all hypotheses has met it"


def _letters(told: Facts) -> Iterator[Block]:
    letters = [(line(latex), meaning) for latex, meaning, name in told.symbols if name in told.stated]
    if said := [f"{letter}: {meaning}" for letter, meaning in letters if _plain(letter) != _plain(meaning)]:
        yield text("letters    ", unicode("; ".join(said)))


def _plain(formula: str) -> str:
    """The letters of a formula, however it is written: what says a symbol in its own words is no news."""
    return re.sub(r"[\W_]", "", "".join(sign if sign.isascii() else ascii_of(sign) for sign in formula))


def _violated(told: Facts) -> Iterator[Block]:
    if (v := told.violation) is not None:
        yield ""
        yield key("violated by") + (" (degenerate)" if v.degenerate else "")
        yield text("  ", v.instance)
        yield text("  ", f"{v.relation}: {v.sides}")
        if v.values:
            yield text("  ", ", ".join(f"{line(latex)} = {value}" for latex, value in v.values))


def _symbols(told: Facts) -> Iterator[Block]:
    if told.symbols:
        yield ""
        yield key("symbols")
    for latex, meaning, name in told.symbols:
        shown = line(latex)
        yield text("  ", f"{shown}: {meaning}" + (f" (name: {name})" if shown != name else ""))


def _readings(told: Facts, graph: ProofGraph) -> Iterator[Block]:
    if told.kindlies:
        yield ""
        yield key("readings")
    for one in told.kindlies:
        yield text("  - ", f"{one.name}: printed {one.printed}, other {one.other}; {one.why}; {one.verdict}")
        if one.origin:
            yield text("      ", f"read kindly so: {one.origin}")
        yield from (text("      ", said) for said in one.changes)


def _code(place: Place) -> str:
    from pathlib import Path

    import rateproof

    path = Path(rateproof.__file__).parent.parent / place.path
    return f"{place.what}: " + link(f"{place.path}:{place.line}", path.as_uri())


def describe_paper(told: Overview) -> Iterator[Block]:
    """The lines that ``rateproof show PAPER`` prints: counts, root faults by their reach, and the printed results."""
    yield text("", str(told.reference))
    yield ""
    yield text("", f"{key(told.paper)}: {told.printed} claims as printed, {told.corrections} corrected")
    yield table(("", *told.verdicts), [(name, *map(str, row)) for name, row in told.counts])
    if told.stale:
        yield f"{told.stale} {STALE}"
    if told.faults:
        bearing = [one for one in told.faults if one.reach]
        yield ""
        yield text("", f"{key('root faults')}: claims that fall and rest on no other fault, by how many stand on them")
        rows = [
            (str(len(one.reach)), _short(one.id, told.paper), one.severity or "-", unicode(one.why)) for one in bearing
        ]
        yield table(("on it", "claim", "severity", "why"), rows)
        if others := [_short(one.id, told.paper) for one in told.faults if not one.reach]:
            yield text("  ", f"{len(others)} on which nothing stands: {', '.join(others)}")
    if told.results:
        yield ""
        yield text("", f"{key('results')} as they are printed")
        yield table(
            ("claim", "printed", "kindly", "severity", "corrected", "title"),
            [
                (_short(r.id, told.paper), key(r.printed), r.kindly, r.severity, r.corrected, r.title or r.place)
                for r in told.results
            ],
        )
    yield ""
    if told.further:
        yield text("", f"{told.further} further claims, such as steps of proofs: rateproof list {told.paper}")
    yield text("", f"more: rateproof show CLAIM, rateproof show {told.paper} --graph")


def describe_paper_graph(paper: str, graph: ProofGraph) -> Iterator[Block]:
    """The lines that ``rateproof show PAPER --graph`` prints: every claim once, under what rests on it."""
    short = len(paper) + 1

    def label(claim_id: str) -> str:
        return _label(graph, claim_id, short)

    yield text("", f"{paper}: each claim stands above what it rests on; {LEGEND}")
    roots = graph.roots()
    if printed := [i for i in roots if not graph.claims[i].amends]:
        yield ""
        yield key("proof graph")
        yield from tree(printed, graph.below, label)
    if corrected := [i for i in roots if graph.claims[i].amends]:
        yield ""
        yield key("proof graph of the corrected readings")
        yield from tree(corrected, graph.below, label)
    if alone := graph.alone():
        yield ""
        yield key("rest on nothing, and nothing rests on them")
        yield from (f"  {label(i)}" for i in alone)


def _short(claim_id: str, paper: str) -> str:
    return claim_id.removeprefix(f"{paper}.")


def describe_attempt(claim: Claim, attempt: Mapping[str, Any]) -> Iterator[Block]:
    """The lines that ``rateproof prove`` prints, from what :func:`deciders.kernel.attempt` found."""
    count, stop = len(attempt["steps"]), attempt["stopped"]
    level = f": {attempt['level']}" if attempt["level"] else ""
    yield f"{claim.id}: {'proved' if attempt['proved'] else 'not proved'}, {count} steps shown{level}"
    if attempt["cites"]:
        yield text("", f"with {', '.join(attempt['cites'])}")
    yield from (text("", f"in words: {words}") for words in attempt["words"])
    if count:
        yield from describe_steps(claim, attempt["steps"])
    if stop:
        printed = _printed(claim, f"{stop['formula']} {' '.join(stop['by'])}")
        yield ""
        yield text("", printed(f"stops at {stop['step']}: {stop['formula']}") if stop["step"] else "stops at the end")
        if stop["by"]:
            yield text("    ", printed(f"by {', '.join(stop['by'])}"))
        yield text("    ", f"missing: {stop['missing']}")


def describe_steps(claim: Claim, steps: Sequence[Mapping[str, Any]]) -> Iterator[Block]:
    """The lines that ``rateproof show CLAIM --proof`` prints of shown steps: each with the sum that shows it."""
    printed = _printed(claim, " ".join(part for one in steps for part in (one["formula"], *lines(one))))
    for title, said in legend_of(claim, coded=True):
        yield from _section(title, said)
    yield ""
    yield text("", SUMS)
    for number_, one in enumerate(steps, start=1):
        yield ""
        if title := one.get("section", ""):
            yield from (key(title), "")
        yield text("", printed(f"({number_}) {one['name']}: {one['formula']}"))
        if grounds := ", ".join(one.get("by", ())):
            yield text("    ", printed(f"by {grounds}"))
        yield from (text("    ", printed(line)) for line in lines(one))


def _printed(claim: Claim, text: str) -> Callable[[str], str]:
    """A function that puts printed names in place of names, also of those that a text has beside the claim."""
    return renaming(printed_names([*symbols_of(claim), *symbols_in(text, claim.paper)], claim.paper))


def claim_to_json(claim: Claim, graph: ProofGraph) -> dict[str, Any]:
    """All of a claim, its verdict and the part of the proof graph around it; expressions are sympy's text."""
    schedule = claim.schedule
    corrected = graph.others(claim.id, Link.CORRECTED)
    around = [claim.id, *graph.ancestors(claim.id), *graph.descendants(claim.id), *corrected]
    return record(claim, graph.entries.get(claim.id)) | {
        "located": located(claim),
        "statement": None if claim.statement is None else str(claim.statement),
        "hypotheses": [_hypothesis(h) for h in claim.hypotheses],
        "where": {str(s): str(e) for s, e in definitions(claim).items()},
        "schedule": None if schedule is None else {"id": schedule.id, "title": schedule.title, "rules": str(schedule)},
        "unlike_units": {place: str(clash) for place, clash in inhomogeneities(claim)},
        "switches": [
            {"name": s.name, "printed": s.printed, "other": s.other, "why": s.why, "origin": s.origin}
            | {"without": list(s.without), "adding": [_hypothesis(h) for h in s.adding]}
            for s in claim.switches
        ],
        "follows_from": list(claim.follows_from),
        "followed_by": graph.followers(claim.id),
        "breaks": graph.breaks(claim.id),
        "corrected_by": [
            {
                "claim": i,
                "verdict": graph.verdict(i),
                "why": _reasons(graph.claims[i]),
                "origin": graph.claims[i].origin,
            }
            for i in corrected
        ],
        "graph": graph.to_json(around),
        "counterexample": plain(example.to_json()) if (example := counterexample(claim, graph)) else None,
        "explicit": claim.explicit,
        "amends": claim.amends,
        "why": _reasons(claim),
        "origin": claim.origin,
        "note": claim.note,
        "legend": [asdict(one) for one in legend(claim, claim.proof)] if claim.proof else [],
    }


def _hypothesis(h: Hypothesis) -> dict[str, str | None]:
    relation = None if h.relation is None else str(h.relation)
    return {"key": h.key, "text": h.text, "relation": relation, "cites": h.cites.claim if h.cites else None}


def _reasons(claim: Claim) -> list[dict[str, str]]:
    return [asdict(reason) for reason in claim.why]


def _label(graph: ProofGraph, claim_id: str, skip: int = 0) -> str:
    mark = f"{BROKEN} " if graph.is_broken(claim_id) else ""
    mended = graph.others(claim_id, Link.CORRECTED)
    verdicts = ", ".join(graph.verdict(i) for i in mended)
    return f"{mark}{claim_id[skip:]}  {graph.verdict(claim_id)}" + (f"; corrected: {verdicts}" if mended else "")
