"""A claim, and the proof graph of a paper, in words and as JSON."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any

import sympy as sp

from rateproof.theory import catalog
from rateproof.theory.claim import Claim, Hypothesis, Kind, Reason, replaced
from rateproof.theory.digest import definitions
from rateproof.theory.homogeneity import inhomogeneities
from rateproof.theory.proof.legend import Entry as Named
from rateproof.theory.proof.legend import legend, symbols_used
from rateproof.theory.proof.printed import steps_of
from rateproof.theory.symbols import info
from rateproof.verify.checks import Result, plain
from rateproof.verify.counterexamples.inside import inside
from rateproof.verify.counterexamples.replay import Counterexample, stored, without
from rateproof.verify.deciders.certificates import UNPROVED
from rateproof.verify.deciders.kernel import METHOD
from rateproof.verify.deciders.steps import lines
from rateproof.verify.evidence import Verdict
from rateproof.verify.pages.facts import located
from rateproof.verify.pages.graph import Link, ProofGraph
from rateproof.verify.pages.listed import STALE, record
from rateproof.verify.pages.printed import formula, printed_names, renaming, symbols_in, symbols_of, with_formula
from rateproof.verify.pages.render import Line, Text, number, tree
from rateproof.verify.stored.baseline import Entry

#: Longer evidence is cut; `--json` holds all of it.
DETAIL = 600
BROKEN = "x"
LEGEND = f"{BROKEN} is refuted or inconsistent and breaks the proofs above it"


def describe_claim(claim: Claim, graph: ProofGraph) -> Iterator[Line]:
    """The lines that ``rateproof show CLAIM`` prints; ``graph`` holds all claims and what the baselines say."""
    entry = graph.entries.get(claim.id)
    example = counterexample(claim, graph)
    proof = list(steps_of(claim, claim.proof)) if claim.proof else []
    explained = legend(claim, claim.proof) if claim.proof else []
    texts = [_evidence(entry), example.setting if example else "", *(part for step in proof for part in step)]
    texts += [str(one) for one in explained]
    named = symbols_in(" ".join(texts), claim.paper)
    names = printed_names([*symbols_of(claim), *named], claim.paper)
    printed = renaming(names)
    yield from _head(claim)
    yield from _statement(claim, names)
    yield from _symbols(claim, names)
    yield from _units(claim, printed)
    yield from _schedule(claim, printed)
    yield from _readings(claim, printed)
    if claim.explicit:
        yield f"\nexplicit bound\n  {claim.explicit}"
    yield from _around(claim.id, graph)
    yield from _verdict(claim.id, entry, printed)
    yield from _legend(claim, explained, names)
    yield from _proof(claim, proof, entry, printed)
    yield from _counterexample(claim, graph, printed)


def describe_attempt(claim: Claim, attempt: Mapping[str, Any]) -> Iterator[Line]:
    """The lines that ``rateproof prove`` prints, from what :func:`deciders.kernel.attempt` found."""
    count, stop = len(attempt["steps"]), attempt["stopped"]
    level = f": {attempt['level']}" if attempt["level"] else ""
    yield f"{claim.id}: {'proved' if attempt['proved'] else 'not proved'}, {count} steps shown{level}"
    if attempt["cites"]:
        yield Text("", f"with {', '.join(attempt['cites'])}")
    yield from (Text("", f"in words: {words}") for words in attempt["words"])
    if count:
        yield from describe_steps(claim, attempt["steps"])
    if stop:
        printed = _printed(claim, f"{stop['formula']} {' '.join(stop['by'])}")
        yield ""
        yield Text("", printed(f"stops at {stop['step']}: {stop['formula']}") if stop["step"] else "stops at the end")
        if stop["by"]:
            yield Text("    ", printed(f"by {', '.join(stop['by'])}"))
        yield Text("    ", f"missing: {stop['missing']}")


def describe_steps(claim: Claim, steps: Sequence[Mapping[str, Any]]) -> Iterator[Line]:
    """The lines that ``rateproof show CLAIM --proof`` prints of shown steps: each with the sum that shows it."""
    printed = _printed(claim, " ".join(part for one in steps for part in (one["formula"], *lines(one))))
    yield Text("", "below a step, its large side less its small side, as a sum of (multiplier) [large less small side]")
    for number_, one in enumerate(steps, start=1):
        yield ""
        if title := one.get("section", ""):
            yield from (title, "")
        yield Text("", printed(f"({number_}) {one['name']}: {one['formula']}"))
        if grounds := ", ".join(one.get("by", ())):
            yield Text("    ", printed(f"by {grounds}"))
        yield from (Text("    ", printed(line)) for line in lines(one))
    explained = legend(claim, claim.proof) if claim.proof else []
    texts = symbols_in(" ".join(map(str, explained)), claim.paper)
    yield from _legend(claim, explained, printed_names([*symbols_of(claim), *texts], claim.paper))


def _printed(claim: Claim, text: str) -> Callable[[str], str]:
    """A function that puts printed names in place of names, also of those that a text has beside the claim."""
    return renaming(printed_names([*symbols_of(claim), *symbols_in(text, claim.paper)], claim.paper))


def describe_paper(paper: str, graph: ProofGraph) -> Iterator[Line]:
    """The lines that ``rateproof show PAPER`` prints: every claim once, under what rests on it."""
    short = len(paper) + 1

    def label(claim_id: str) -> str:
        return _label(graph, claim_id, short)

    yield Text("", str(catalog.reference(paper)))
    yield ""
    yield Text("", f"{paper}: each claim stands above what it rests on; {LEGEND}")
    roots = graph.roots()
    if printed := [i for i in roots if not graph.claims[i].amends]:
        yield "\nproof graph"
        yield from tree(printed, graph.below, label)
    if corrected := [i for i in roots if graph.claims[i].amends]:
        yield "\nproof graph of the corrected readings"
        yield from tree(corrected, graph.below, label)
    if alone := graph.alone():
        yield "\nrest on nothing, and nothing rests on them"
        yield from (f"  {label(i)}" for i in alone)
    verdicts = [str(graph.entries[i].result.verdict) if i in graph.entries else "without verdict" for i in graph.claims]
    counts = ", ".join(f"{verdicts.count(v)} {v}" for v in dict.fromkeys(verdicts))
    yield f"\n{len(verdicts)} claims: {counts}"
    if stale := sum(i in graph.entries and graph.entries[i].stale for i in graph.claims):
        yield f"{stale} {STALE}"


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


def _head(claim: Claim) -> Iterator[Line]:
    source = claim.source
    place = f"{source.place}, eq. {source.equation}" if source.equation else source.place
    named = f"{claim.id}: {claim.title}" if claim.title else claim.id
    yield Text("", f"{named}  ({place} of {source.paper}; {claim.kind}, {claim.reading})")
    if place := located(claim):
        yield Text("  ", place)
    yield Text("  ", claim.text)
    if claim.amends:
        yield f"  amends {claim.amends}, because"
        yield from (Text("    - ", str(reason)) for reason in claim.why)
    if claim.note:
        yield Text("  ", f"note: {claim.note}")


def _statement(claim: Claim, names: Mapping[str, str]) -> Iterator[Line]:
    printed = renaming(names)
    if claim.statement is not None:
        yield "\nstatement"
        parts = claim.statement.args if isinstance(claim.statement, sp.And) else (claim.statement,)
        for i, part in enumerate(parts):
            if i:
                yield "    and"
            yield _formula(part, names)
    if where := definitions(claim):
        yield "\nwhere"
        for symbol, expression in where.items():
            yield Text("  ", printed(f"{symbol} = {expression}"))
    if claim.hypotheses:
        yield "\nhypotheses"
        for h in claim.hypotheses:
            yield Text("  - ", _supposed(h, printed))
    family = claim.setting.family if claim.proof and claim.setting else ()
    counts = (f"{symbol} is a whole number" for setting in family for symbol in setting.counts)
    if taken := dict.fromkeys((*(str(a) for setting in family for a in setting.assumes), *counts)):
        yield "\nthe proof also takes from the method, or from the points that the statement names"
        for fact in taken:
            yield Text("  - ", fact)


def _supposed(h: Hypothesis, printed: Callable[[str], str]) -> str:
    return h.text + printed(with_formula(h.text, h.relation)[len(h.text) :])


def _readings(claim: Claim, printed: Callable[[str], str]) -> Iterator[Line]:
    if claim.switches:
        yield "\nreadings"
    texts = {h.key: h.text for h in claim.hypotheses}
    for s in claim.switches:
        yield Text("  - ", f"{s.name}: printed {s.printed}, other {s.other}; {s.why}")
        if s.origin:
            yield Text("      ", f"read kindly so: {s.origin}")
        yield from (Text("      ", f"not: {texts[key]}") for key in s.without if key in texts)
        yield from (Text("      ", f"but: {_supposed(h, printed)}") for h in s.adding)


def _symbols(claim: Claim, names: Mapping[str, str]) -> Iterator[Line]:
    """What symbols of statement and definitions mean, and what they are called where names are asked for."""
    if claim.statement is None:
        return
    title = "symbols of the statement" + (" and of its definitions" if definitions(claim) else "")
    yield from _meanings(title, _stated(claim), names, claim.paper)


def _stated(claim: Claim) -> set[sp.Basic]:
    """The symbols of statement and definitions."""
    parts = [*([] if claim.statement is None else [claim.statement]), *definitions(claim).values()]
    return {s for part in parts for s in part.free_symbols}


def _meanings(title: str, symbols: Iterable[sp.Basic], names: Mapping[str, str], paper: str) -> Iterator[Line]:
    meanings = {str(s): info(str(s), paper).meaning for s in symbols if _declared(s, paper)}
    if meanings:
        yield f"\n{title}"
    for name in sorted(meanings, key=lambda one: (names.get(one, one).lower(), names.get(one, one))):
        shown = names.get(name, name)
        yield Text("  ", f"{shown}: {meanings[name]}" + (f" (name: {name})" if shown != name else ""))


def _declared(symbol: sp.Basic, paper: str) -> bool:
    try:
        info(str(symbol), paper)
    except KeyError:
        return False
    return True


def _units(claim: Claim, printed: Callable[[str], str]) -> Iterator[Line]:
    try:
        unlike = inhomogeneities(claim)
    except ValueError as error:
        yield "\nunits are not checked"
        yield Text("  ", printed(str(error)))
        return
    if unlike:
        yield "\nunlike units (rescaling a loss or the space changes the two by different factors)"
        places: dict[str, str] = {}  # a condition of the schedule may be a hypothesis, too
        for place, one in unlike:
            places.setdefault(str(one), place)
        for clash, place in places.items():
            yield Text("  - ", printed(f"{place}: {clash}"))


def _schedule(claim: Claim, printed: Callable[[str], str]) -> Iterator[Line]:
    if claim.schedule is not None:
        yield ""
        yield Text("", f"schedule {claim.schedule.id} ({claim.schedule.title})")
        yield Text("  ", printed(str(claim.schedule)))
        assumed = {h.relation for h in claim.hypotheses}
        for condition in claim.schedule.conditions:
            if condition.relation not in assumed:
                yield Text("  ", f"needs {condition.name}: {printed(formula(condition.relation))}")


def _around(claim_id: str, graph: ProofGraph) -> Iterator[Line]:
    """The proof graph below a claim, what rests on it, and its corrections."""
    if graph.below(claim_id):
        yield "\nproof graph" + (f" ({LEGEND})" if any(map(graph.is_broken, graph.ancestors(claim_id))) else "")
        yield from tree([claim_id], graph.below, lambda i: _label(graph, i))
    followers, breaks = graph.followers(claim_id), graph.breaks(claim_id)
    if followers or breaks:
        yield "\nbreaks" if breaks else "\nfollowed by"
        yield from (f"  {_label(graph, i)}" for i in followers)
    if further := [i for i in breaks if i not in followers]:
        paper = graph.claims[claim_id].paper
        names = ", ".join(i.removeprefix(f"{paper}.") for i in further)
        yield Text("  ", f"further up in {paper}: {names}")
    if corrected := graph.others(claim_id, Link.CORRECTED):
        yield "\ncorrected by"
        reasons: set[tuple[Reason, ...]] = set()
        for i in corrected:
            yield f"  {_label(graph, i)}"
            if len(corrected) > 1:  # which of them to use is in what they say
                yield Text("    ", graph.claims[i].text)
            if (why := graph.claims[i].why) not in reasons:
                yield "    because"
                yield from (Text("    - ", str(reason)) for reason in why)
            reasons.add(why)


def _verdict(claim_id: str, entry: Entry | None, printed: Callable[[str], str]) -> Iterator[Line]:
    if entry is None:
        yield f"\nverdict\n  none in the baseline; rateproof check {claim_id} computes it"
        return
    result = entry.result
    yield "\nverdict"
    if entry.stale:
        yield f"  {STALE}; rateproof check {claim_id} computes it; before the change it was"
    yield f"  {result.verdict}" + (f" ({result.level}, {result.method})" if result.level else "")
    if result.untried:
        who = ", ".join("it" if i == claim_id else i for i in result.untried)
        yield Text("  ", f"not tried: no instance that satisfies all hypotheses has met {who}")
    if result.severity:
        yield Text("  ", printed(f"severity {result.severity}: {result.because}"))
    if result.kindly not in (None, result.verdict):
        yield f"  read kindly {result.kindly}"
    yield Text("  ", printed(_shortened(result.detail)))
    yield Text("  ", ratio_said(result))
    if result.witness:
        shown = "simplest violation" if result.violated else "witness"
        yield Text("  ", printed(f"{shown}: {result.witness}"))
    if result.error_probability:
        yield f"  error probability {result.error_probability:.3g}"
    for line in result.inconclusive:
        if not line.startswith(f"{METHOD}: "):  # what is said of the proof stands beside it
            yield Text("  ", printed(f"also tried: {_shortened(line)}"))
    for name, reading in result.readings.items():
        ratio = reading["worst_ratio"]
        largest = "" if ratio in (None, "inf", "nan") else f", largest ratio seen {number(float(ratio), 9)}"
        yield Text("  ", f"reading {name}: {reading['verdict']}{largest}")
    if result.violated:
        v = result.violated
        yield "\nviolated by" + (" (degenerate)" if v["degenerate"] else "")
        yield Text("  ", printed(v["instance"]))
        yield Text("  ", f"{printed(v['relation'])}: {sides_said(v)}")
        if values := v.get("values"):  # an older baseline has none
            yield Text("  ", printed(", ".join(f"{name} = {number(float(x))}" for name, x in values.items())))
        for key, why in v["hypotheses"].items():
            yield Text("  - ", f"{key}: {printed(why)}")
    if result.proof_broken_by:
        yield "\nproof broken by"
        yield Text("  ", ", ".join(result.proof_broken_by))


#: The parts of a legend, with what they are.
_PARTS = {
    "vector": "vectors of the proof, in which <u, v> and ||v||^2 are means over all that is drawn and over indices",
    "number": "metrics and values of the proof",
    "function": "functions of the proof, and their points",
    "source": "indices, and what is drawn",
}


def _legend(claim: Claim, explained: Sequence[Named], names: Mapping[str, str]) -> Iterator[Line]:
    """What the names in the proof stand for."""
    printed = renaming(names)
    for kind, title in _PARTS.items():
        if lines := [Text("  ", printed(str(one))) for one in explained if one.kind == kind]:
            yield f"\n{title}"
            yield from lines
    groups: dict[str, list[str]] = {}
    for one in explained:
        if one.kind == "dependence":
            groups.setdefault(str(replace(one, name=one.meaning or "nothing", meaning="")), []).append(one.name)
    if {*groups} - {"nothing: "}:
        yield "\non what the vectors depend"
        yield from (Text("  ", on + ", ".join(of)) for on, of in sorted(groups.items()))
    if claim.proof:
        symbols = symbols_used(claim, claim.proof) - _stated(claim)
        numbers = {one.name for one in explained if one.kind == "number"}
        further = [s for s in symbols if str(s) not in numbers]
        yield from _meanings("further symbols of the proof", further, names, claim.paper)


def _proof(
    claim: Claim, proof: Sequence[tuple[str, str]], entry: Entry | None, printed: Callable[[str], str]
) -> Iterator[Line]:
    """The steps of the proof that stands beside a claim, and where it stops if it does not go through."""
    result = entry.result if entry else None
    if claim.proof is None and not (entry and entry.steps):
        return
    refused = result and result.verdict is not Verdict.PROVED
    yield "\nproof" + (", which does not go through" if refused else "" if result else ", not checked yet")
    stops = f"{METHOD}: {UNPROVED}"
    for line in (f"{result.method}: {result.detail}", *result.inconclusive) if result else ():
        if line.startswith(stops):
            yield Text("  ", printed(f"it stops at {_shortened(line.removeprefix(stops))}"))
    for step, grounds in proof:
        yield Text("  ", printed(step))
        if grounds:
            yield Text("      ", f"by {printed(grounds)}")
    if entry and entry.steps:
        yield f"  with the multipliers of each step: rateproof show {claim.id} --proof"


def ratio_said(result: Result) -> str:
    """The largest ratio of the sides that was seen, and on what: a search bounds it from below only."""
    ratio, on = result.worst_ratio, f"on the {result.instances} admissible instances tried"
    if not result.instances:
        return ""
    if ratio is None or math.isnan(ratio):
        return f"no ratio of the sides: both are 0, or nothing beyond their error, {on}"
    if math.isinf(ratio):
        why = "the bounding side is not positive, or the other one overflows"
        return f"the ratio of the sides is infinite on one of the {result.instances} admissible instances tried: {why}"
    if result.kind == Kind.COMPLEXITY:
        return f"hidden constant at least {number(ratio, 9)} {on}"
    if result.violated:
        return f"ratio of the sides at least {number(ratio, 9)} {on}"
    return f"largest ratio of the sides {number(ratio, 9)} {on}"


def sides_said(violated: Mapping[str, Any]) -> str:
    """Both sides of what is violated, as it is stated, and their ratio where there is one."""
    left, right, ratio = (float(violated[key]) for key in ("lhs", "rhs", "ratio"))
    sides = ", ".join(
        f"{name} {'too large for a float' if math.isinf(x) else violated[key]}"
        for name, key, x in (("left", "lhs", left), ("right", "rhs", right))
    )
    return f"{sides}, ratio {violated['ratio']}" if math.isfinite(ratio) else sides


def counterexample(claim: Claim, graph: ProofGraph) -> Counterexample | None:
    """The stored counterexample to a claim, or to one of its parts."""
    examples = stored(claim.paper)
    return next((examples[i] for i in (claim.id, *graph.others(claim.id, Link.PART)) if i in examples), None)


def _counterexample(claim: Claim, graph: ProofGraph, printed: Callable[[str], str]) -> Iterator[Line]:
    reason = without(claim.paper).get(claim.id)
    if reason:
        yield ""
        yield Text("", f"no counterexample in round numbers: {reason}")
    example = counterexample(claim, graph)
    if example is None:
        if not reason and graph.is_broken(claim.id):
            yield "\nno counterexample in round numbers is stored"
        return
    yield "\ncounterexample in round numbers" + ("" if example.claim.id == claim.id else f" (to {example.claim.id})")
    yield Text("  ", printed(example.setting))
    yield Text("  ", f"by hand: {example.by_hand}")
    if example.ratios:
        ratios = ", ".join(example.ratios)
        yield Text("  ", f"ratios along the ladder, with the hidden constant 1: {ratios}")
    else:
        yield f"  left {example.left}, right {example.right}"
    if example.claim.id == claim.id and (measured := inside(claim)):
        yield Text("  ", printed(f"how far inside: {measured}"))


def _label(graph: ProofGraph, claim_id: str, skip: int = 0) -> str:
    mark = f"{BROKEN} " if graph.is_broken(claim_id) else ""
    mended = graph.others(claim_id, Link.CORRECTED)
    verdicts = ", ".join(graph.verdict(i) for i in mended)
    return f"{mark}{claim_id[skip:]}  {graph.verdict(claim_id)}" + (f"; corrected: {verdicts}" if mended else "")


def _evidence(entry: Entry | None) -> str:
    """All texts of a verdict in which symbols have the names that the code gives them."""
    if entry is None:
        return ""
    violated = entry.result.violated or {"relation": "", "instance": "", "hypotheses": {}}
    parts = [entry.result.detail, entry.result.witness, violated["relation"], violated["instance"]]
    return " ".join([*parts, *violated["hypotheses"].values()])


def _shortened(detail: str) -> str:
    """The evidence without the bulk of a long certificate."""
    if len(detail) <= DETAIL + 100:
        return detail
    start = detail[: detail.rfind("; ", 0, DETAIL) if "; " in detail[:DETAIL] else DETAIL]
    return f"{start}; ... ({len(detail) - len(start)} more characters: --json)"


def _formula(expression: sp.Basic, names: Mapping[str, str]) -> Text:
    """A formula, in two dimensions unless it has brackets that look like a backslash."""
    renamed = {s: sp.Symbol(names.get(str(s), str(s)), **s.assumptions0) for s in expression.atoms(sp.Symbol)}
    shown: Any = replaced(expression, renamed)
    lines = [line.rstrip() for line in sp.pretty(shown, use_unicode=False, wrap_line=False).splitlines()]
    drawing = () if any("\\" in line for line in lines) else tuple(f"    {line}" for line in lines)
    return Text("    ", renaming(names)(str(expression)), drawing)
