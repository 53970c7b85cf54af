"""What a referee needs of a paper, on a page and a half: what holds, what falls, when it holds again, what to ask.

Every sentence is made of what the records say, and names its claims.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from rateproof.theory import catalog
from rateproof.theory.claim import Claim, Paper, Severity, Switch
from rateproof.theory.places import where
from rateproof.verify.evidence import Verdict
from rateproof.verify.pages.document import (
    Block,
    Code,
    Formula,
    Items,
    Paragraph,
    Piece,
    Strong,
    Table,
    Title,
    Words,
)
from rateproof.verify.pages.facts import Beside, Facts, Rows, as_sentence, counterexample, facts, is_printed, sentence
from rateproof.verify.pages.graph import Link, ProofGraph
from rateproof.verify.pages.printed import in_words
from rateproof.verify.pages.results import kind_of, result_of
from rateproof.verify.pages.typeset import text as in_text
from rateproof.verify.severity import BREAKING, HOLDING

#: What counts as a main result: the first of these that the paper has, or else every place.
MAIN = (("Theorem", "Corollary", "Proposition"), ("Lemma",))
#: How the ids of claims about experiments begin, within a paper.
EXPERIMENT = "exp"
#: Root faults that are told, groups of what falls, misprints and questions; the rest is named.
ROOTS, GROUPS, MISPRINTS, QUESTIONS = 3, 5, 4, 3
#: Characters of a text that is told as it is, of one that says nothing alone, and of a sign.
SHORT, BARE, SIGN = 160, 20, 3
#: How many ids, places or conditions are named one by one.
NAMED = 3


@dataclass(frozen=True)
class Result:
    """A main result, its claims, and their verdicts: as printed, and of those that fall read kindly and corrected."""

    name: str
    claims: tuple[Claim, ...]
    printed: tuple[str, ...]
    kindly: tuple[str, ...]
    corrected: tuple[str, ...]


@dataclass(frozen=True)
class Fallen:
    """Claims of main results that fall for the same reason, and when they hold again.

    Attributes:
        claims: they.
        verdict, severity: of each of them.
        why: the reason, a sentence.
        kindly: the verdict read kindly, where all of them hold so.
        readings: what the kind reading takes otherwise: what is common to them, else that of the first.
        corrected: the verdict of their corrections, where those that they have hold.
        corrections: the ids of these.
        adding: what the corrections suppose besides, as far as it is common to them.
        by_hand: the counterexample to the first of them.
    """

    claims: tuple[Claim, ...]
    verdict: str
    severity: str
    why: str
    kindly: str
    readings: tuple[str, ...]
    corrected: str
    corrections: tuple[str, ...]
    adding: tuple[str, ...]
    by_hand: str


@dataclass(frozen=True)
class Root:
    """A fault that rests on no other: what is told of the claim, those with the same fault, and what stands on it."""

    claim: Claim
    facts: Facts
    alike: tuple[str, ...]
    results: tuple[str, ...]
    breaks: int


@dataclass(frozen=True)
class Misprint:
    """A misprint that rests on no other fault: the claim, why it is one, what to print, the id of its correction."""

    claim: Claim
    why: str
    correct: str
    correction: str


@dataclass(frozen=True)
class Question:
    """A reading that the paper leaves open.

    Attributes:
        switch: the first with this print.
        others: the other readings.
        claims: that it is about.
        saved: those that hold in another reading alone.
    """

    switch: Switch
    others: tuple[str, ...]
    claims: tuple[str, ...]
    saved: tuple[str, ...]


@dataclass(frozen=True)
class Review:
    """A referee's report.

    Attributes:
        paper, reference: its id, and the bibliographic data.
        verdicts: of all printed claims.
        broken: those that hold, although the printed proof rests on a fault.
        faults: how many faults rest on no other.
        results, fallen, roots, misprints, questions: see the classes.
    """

    paper: str
    reference: Paper
    verdicts: tuple[str, ...]
    broken: tuple[str, ...]
    faults: int
    results: tuple[Result, ...]
    fallen: tuple[Fallen, ...]
    roots: tuple[Root, ...]
    misprints: tuple[Misprint, ...]
    questions: tuple[Question, ...]


def review(paper: str, graph: ProofGraph) -> Review:
    """The report on a paper.

    Args:
        paper: its id.
        graph: the claims of the paper and those around it, with what the baselines say.

    Raises:
        ValueError: no such paper, or one that cannot be read.
    """
    claims = {i: c for i, c in catalog.claims(paper).items() if is_printed(c)}
    faults = graph.root_faults(claims)
    results = tuple(_results(claims, graph))
    verdicts = {i: graph.entries[i].result for i in claims if i in graph.entries}
    roots = tuple(_roots(faults, results, graph))
    told = {i for root in roots for i in (root.facts.id, *root.alike)}
    return Review(
        paper,
        catalog.reference(paper),
        tuple(str(one.verdict) for one in verdicts.values()),
        tuple(i for i, one in verdicts.items() if one.verdict in HOLDING and one.proof_broken_by),
        len(faults),
        results,
        tuple(_fallen([c for one in results for c in one.claims], graph)),
        roots,
        tuple(_misprints([c for i, c in claims.items() if i in faults and i not in told], graph)),
        tuple(_questions(claims.values(), results, graph)),
    )


def _results(claims: Mapping[str, Claim], graph: ProofGraph) -> Iterator[Result]:
    of = {i: result_of(claim.source.place) for i, claim in claims.items()}
    main = next((kinds for kinds in MAIN if any(kind_of(name) in kinds for name in of.values())), None)
    grouped: dict[str, list[Claim]] = {}
    for i, name in of.items():
        if main is None or kind_of(name) in main:
            grouped.setdefault(name if main else claims[i].source.place, []).append(claims[i])
    for name, those in grouped.items():
        fallen = [c for c in those if _verdict(graph, c.id) not in HOLDING]
        yield Result(
            name,
            tuple(those),
            tuple(str(_verdict(graph, c.id) or "-") for c in those),
            tuple(str(_kindly(graph, c.id) or "-") for c in fallen),
            tuple(str(_verdict(graph, i)) for c in fallen if (i := _correction(graph, c.id))),
        )


def _verdict(graph: ProofGraph, claim_id: str) -> Verdict | None:
    entry = graph.entries.get(claim_id)
    return entry.result.verdict if entry else None


def _kindly(graph: ProofGraph, claim_id: str) -> Verdict | None:
    entry = graph.entries.get(claim_id)
    return entry.result.kindly if entry else None


def _severity(graph: ProofGraph, claim_id: str) -> Severity | None:
    entry = graph.entries.get(claim_id)
    return entry.result.severity if entry else None


def _correction(graph: ProofGraph, claim_id: str) -> str:
    """The id of the correction that is best shown; empty where there is none."""
    return next(iter(graph.corrections(claim_id)), "")


def _fallen(claims: Sequence[Claim], graph: ProofGraph) -> Iterator[Fallen]:
    """What falls, in the order of the paper; a claim that falls with its parts is told where these are."""
    main = {c.id for c in claims}
    groups: dict[tuple[str, str, str], list[Claim]] = {}
    for claim in claims:
        found = _verdict(graph, claim.id)
        if found not in (*BREAKING, Verdict.VACUOUS):
            continue
        parts = [i for i in graph.others(claim.id, Link.PART) if graph.is_broken(i)]
        if parts and not graph.others(claim.id, Link.CORRECTED) and main.issuperset(parts):
            continue
        why = sentence(claim, graph)
        groups.setdefault((str(found), str(_severity(graph, claim.id) or ""), why), []).append(claim)
    for (verdict, severity, why), those in groups.items():
        mended = [(c, graph.claims[i]) for c in those if (i := _correction(graph, c.id))]
        readings = [[_read(s) for s in c.kind_switches] for c in those]
        yield Fallen(
            tuple(those),
            verdict,
            severity,
            why,
            _weakest({_kindly(graph, c.id) for c in those}),
            tuple(_common(readings) or readings[0]),
            _weakest({_verdict(graph, m.id) for _, m in mended}),
            tuple(m.id for _, m in mended),
            tuple(_common([_added(c, m) for c, m in mended])),
            shown.by_hand if (shown := counterexample(those[0], graph)) else "",
        )


def _weakest(verdicts: set[Verdict | None]) -> str:
    """Of verdicts that all hold, whether one of them is not proved; empty where one does not, or there is none."""
    if not verdicts or not verdicts <= set(HOLDING):
        return ""
    return str(Verdict.PROVED if verdicts == {Verdict.PROVED} else Verdict.SUPPORTED)


def _read(switch: Switch) -> str:
    """What a reading says; one that is a mere sign, such as >=, beside what is printed."""
    sign = f", not {switch.printed}" if len(switch.other) <= SIGN else ""
    return switch.other if switch.name == "statement" else f"{in_words(switch.name)}: {switch.other}{sign}"


def _added(claim: Claim, mended: Claim) -> list[str]:
    own = {h.key for h in claim.hypotheses}
    return [h.text for h in mended.hypotheses if h.key not in own]


def _common(lists: Sequence[Sequence[str]]) -> list[str]:
    return [one for one in dict.fromkeys(lists[0] if lists else ()) if all(one in other for other in lists)]


def _roots(faults: Iterable[str], results: Sequence[Result], graph: ProofGraph) -> Iterator[Root]:
    """Those on which most claims of the print stand; faults for the same reason are told once."""
    alike: dict[str, list[str]] = {}
    for one in faults:
        alike.setdefault(sentence(graph.claims[one], graph), []).append(one)
    for first, *others in list(alike.values())[:ROOTS]:
        above = set(graph.reach(first))
        named = tuple(r.name for r in results if any(c.id in above for c in r.claims))
        yield Root(graph.claims[first], facts(graph.claims[first], graph), tuple(others), named, len(above))


def _misprints(faults: Iterable[Claim], graph: ProofGraph) -> Iterator[Misprint]:
    for claim in faults:
        if _severity(graph, claim.id) is Severity.MISPRINT:
            mended = _correction(graph, claim.id)
            kind = next((s.other for s in claim.kind_switches), "")
            yield Misprint(claim, sentence(claim, graph), graph.claims[mended].text if mended else kind, mended)


def _questions(claims: Iterable[Claim], results: Sequence[Result], graph: ProofGraph) -> Iterator[Question]:
    """The readings for which nothing in the paper asks; those about most main results first."""
    asked: dict[tuple[str, str], list[tuple[Switch, str]]] = {}
    for claim in claims:
        for switch in claim.switches:
            # our own: an experiment that is rerun on less, and a print that is only compared with
            ours = claim.item.startswith(EXPERIMENT) or switch.printed == "as printed"
            if not switch.origin and not ours:
                asked.setdefault((switch.name, switch.printed), []).append((switch, claim.id))
    main = {c.id for one in results for c in one.claims}
    order = sorted(asked.values(), key=lambda them: (-sum(i in main for _, i in them), -len(them)))
    # a choice that goes further than one before it, such as "sets and clients" after "sets", comes last
    names = [those[0][0].name for those in order]
    further = [any(name.startswith(f"{other} ") for other in names[:i]) for i, name in enumerate(names)]
    for _, those in sorted(zip(further, order, strict=True), key=lambda pair: pair[0]):
        saved = tuple(i for switch, i in those if _saves(switch, i, graph))
        others = dict.fromkeys(switch.other for switch, _ in those)
        yield Question(those[0][0], tuple(others), tuple(i for _, i in those), saved)


def _saves(switch: Switch, claim_id: str, graph: ProofGraph) -> bool:
    entry = graph.entries.get(claim_id)
    if entry is None or entry.result.verdict in HOLDING:
        return False
    return entry.result.readings.get(switch.reading, {}).get("verdict") in set(map(str, HOLDING))


# --- as a text


def told(one: Review) -> list[Block]:
    """The report as a document."""
    return [
        Title((f"Referee's report: {one.reference.title}",)),
        *_reference(one.reference),
        Title(("Summary",), 1),
        Paragraph(tuple(_summary(one))),
        *_words(one),
        *_table(one),
        *_section("What falls, and when it holds again", _all_fallen(one)),
        *_section("The faults on which most stands", _all_roots(one)),
        *_section("Misprints", _all_misprints(one)),
        *_section("Questions to the authors", _all_questions(one)),
        Paragraph(("Each claim in full, with hypotheses and proof: ", Code("rateproof show CLAIM"), ".")),
    ]


def _section(title: str, blocks: Sequence[Block]) -> list[Block]:
    return [Title((title,), 1), *blocks] if blocks else []


def _reference(paper: Paper) -> list[Block]:
    parts = ", ".join(filter(None, (*paper.authors, paper.venue, str(paper.year or ""), paper.url)))
    return [Paragraph((as_sentence(parts),))] if parts else []


KINDLY = "read kindly"
#: What a reader has to know of these words who sees no other page.
WORDS = {
    str(Verdict.VACUOUS): "only degenerate instances satisfy the hypotheses, or none",
    KINDLY: "with what the paper prints elsewhere or presupposes",
    str(Severity.MISPRINT): "the paper's own argument gives another print that holds",
    str(Severity.CORNER): "it fails for degenerate or extreme instances only",
    str(Severity.CONDITION): "it holds under a condition that is named",
    str(Severity.SUBSTANCE): "neither saves it",
}
_HOLDS = frozenset(map(str, HOLDING))


def _summary(one: Review) -> Iterator[Piece]:
    main = [v for r in one.results for v in r.printed]
    yield "The paper ("
    yield Code(one.paper)
    yield f") states {_many(len(one.results), 'main result')} in {_many(len(main), 'claim')}: {_counts(main)}. "
    if fallen := sum(v not in _HOLDS for v in main):
        kindly = _counts(v for r in one.results for v in r.kindly if v in _HOLDS)
        corrected = _counts(v for r in one.results for v in r.corrected if v in _HOLDS)
        yield f"The {fallen} that {'does' if fallen == 1 else 'do'} not hold as printed: read kindly, "
        yield f"{kindly or 'none holds'}; corrected, {corrected or 'none holds'}. "
    if len(one.verdicts) > len(main):
        yield f"With lemmas and steps of proofs these are {len(one.verdicts)} claims: {_counts(one.verdicts)}. "
    if one.broken:
        yield f"Of {len(one.broken)} that hold, the printed proof rests on a fault. "
    if one.faults > len(one.roots):
        yield f"{one.faults} faults rest on no other."


def _words(one: Review) -> list[Block]:
    """What the words mean that the report uses."""
    fallen, roots = _told(one), [root.facts for root in one.roots]
    used = {
        *(word for of in fallen for word in (of.verdict, of.severity)),
        *(of.severity or of.verdict for of in roots),
    }
    said = "; ".join(f"{word}: {why}" for word, why in WORDS.items() if word in used or (used and word == KINDLY))
    return [Paragraph((f"{_capital(said)}.",))] if said else []


def _many(count: int, what: str) -> str:
    return f"{count} {what}{'' if count == 1 else 's'}"


def _counts(verdicts: Iterable[str]) -> str:
    found = Counter(verdicts)
    return ", ".join(f"{found[v]} {v}" for v in (*map(str, Verdict), "-") if found[v])


def _holding(verdicts: Iterable[str]) -> str:
    return str(sum(v in _HOLDS for v in verdicts))


def _ids(ids: Sequence[str], named: int = NAMED) -> Iterator[Piece]:
    for i, one in enumerate(ids[:named]):
        yield from ([", "] if i else [])
        yield Code(one)
    if (more := len(ids) - named) > 0:
        yield f" and {more} more"


def _table(one: Review) -> list[Block]:
    if not one.results:
        return []
    titles = [_title(r.claims).split(", ") for r in one.results]
    same = Counter(about for about, *_ in titles)
    rows = tuple(
        (
            (Strong(r.name),),
            (", ".join(title[: 1 if same[title[0]] == 1 else 2]),),
            (_counts(r.printed),),
            (_holding(r.printed + r.kindly),),
            (_holding(r.printed + r.corrected),),
        )
        for r, title in zip(one.results, titles, strict=True)
    )
    head = ("Result", "About", "As printed", "Hold read kindly", "Hold corrected")
    return [Table(head, rows, (0.16, 0.34, 0.26, 0.12, 0.12))]


def _title(claims: Sequence[Claim]) -> str:
    """That of the first of most claims of a result; after a comma it names the case, which tells results apart."""
    ((kind, _),) = Counter(c.kind for c in claims).most_common(1)
    return next((c.title for c in claims if c.title and c.kind is kind), "")


def _prefixes(claims: Sequence[Claim]) -> list[str]:
    """The ids of claims; of three or more that begin alike, as commands take them, the beginning."""
    alike: dict[str, list[str]] = {}
    for claim in claims:
        begin = re.match(r"[^.]+\.[A-Za-z]+(\.?\d+)*(?=\.|$)", claim.id)
        alike.setdefault(begin[0] if begin else claim.id, []).append(claim.id)
    return [i for begin, ids in alike.items() for i in ([begin] if len(ids) > 2 else ids)]


def _all_fallen(one: Review) -> list[Block]:
    if not one.fallen:
        return []
    told, gravest = _told(one), _gravest(one)
    shown: set[str] = set()
    items: list[tuple[Words, ...]] = [(tuple(_group(f, shown)),) for f in told]
    if gravest:
        items[told.index(gravest)] += ((f"Instance: {as_sentence(gravest.by_hand)}",),)
    blocks: list[Block] = [Items(tuple(items))]
    if rest := [c for f in one.fallen if f not in told for c in f.claims]:
        names = _prefixes(rest)
        blocks.append(
            Paragraph((f"{len(rest)} more {'falls' if len(rest) == 1 else 'fall'}: ", *_ids(names, len(names)), "."))
        )
    return blocks


def _told(one: Review) -> list[Fallen]:
    """Of what falls the gravest, in the order of the paper; a claim that says nothing is as grave as can be."""
    gravest = sorted(one.fallen, key=lambda f: -Severity(f.severity or Severity.SUBSTANCE).rank)[:GROUPS]
    return [f for f in one.fallen if f in gravest]


def _gravest(one: Review) -> Fallen | None:
    """The first of what falls in substance whose counterexample is told; without it that of a fault is."""
    return next((f for f in _told(one) if f.severity == Severity.SUBSTANCE and f.by_hand), None)


def _group(one: Fallen, shown: set[str]) -> Iterator[Piece]:
    """Why claims fall and when they hold again; conditions ``shown`` with another one are not told again."""
    yield Strong(_places(one.claims))
    yield " ("
    yield from _ids([c.id for c in one.claims])
    yield f"): {one.verdict}{f', {one.severity}' if one.severity else ''}. {one.why}"
    if one.kindly:
        readings = _joined(one.readings, NAMED - 1, shown)
        yield f" Read kindly: {one.kindly}{f', with {readings}' if readings else ''}."
    if one.corrected:
        adding = "" if one.kindly else _joined(one.adding, NAMED, shown)
        some = f"{len(one.corrections)} of them " if len(one.corrections) < len(one.claims) else ""
        yield f" Corrected: {some}{one.corrected}{f', supposing also {adding}' if adding else ''} ("
        yield from _ids(one.corrections, 1)
        yield ")."


def _joined(conditions: Sequence[str], named: int, shown: set[str]) -> str:
    """The first conditions that are short and not ``shown`` yet, and how many others there are."""
    new = [one for one in conditions if one not in shown]
    told = sorted(new, key=lambda one: len(one) > SHORT // 2)[:named]
    told = [one for one in told if len(one) <= SHORT // 2]
    shown.update(told)
    above, more = len(conditions) - len(new), len(new) - len(told)
    said = "; ".join([*told, f"{above} told above"] if above else told)
    if not more:
        return said
    return f"{said} and {more} more" if said else _many(more, "condition")


def _places(claims: Sequence[Claim]) -> str:
    """Where claims stand; of many, the results whose parts they are."""
    places = list(dict.fromkeys(_capital(c.source.place) for c in claims))
    if len(places) <= NAMED:
        cases: dict[str, list[str]] = {}
        for place in places:
            of, _, case = place.removesuffix(")").partition(" (")
            cases.setdefault(of, []).append(case)
        return "; ".join(f"{of} ({', '.join(of_it)})" if all(of_it) else of for of, of_it in cases.items())
    names = dict.fromkeys(result_of(c.source.place) for c in claims)
    return f"{_results_named(list(names))}, {_many(len(claims), 'claim')}"


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _place(claim: Claim) -> str:
    """Where a claim stands: the result, the section, the number."""
    place, equation = claim.source.place, claim.source.equation.strip("()")
    sections = dict.fromkeys(one.part for one in where(claim.paper, place).values() if one.part)
    stands = f", {' and '.join(sections)}" if sections and not re.search("Section|Appendix", place) else ""
    return f"{_capital(place)}{stands}{f', ({equation})' if equation else ''}"


def _all_roots(one: Review) -> list[Block]:
    shown: set[str] = set()
    instances = [root for root in one.roots if root.facts.example and root.facts.severity and not _gravest(one)]
    gravest = max(instances, key=lambda root: Severity(root.facts.severity).rank, default=None)
    items = tuple(tuple(_root(root, shown, instance=root is gravest)) for root in one.roots)
    return [Items(items, numbered=True)] if items else []


def _root(one: Root, shown: set[str], *, instance: bool) -> Iterator[Words]:
    """The fault with what stands on it; formulas and results ``shown`` with another one are not told again."""
    said = one.facts
    stands = f"{_many(one.breaks, 'claim')} {'stands' if one.breaks == 1 else 'stand'} on it"
    named = _results_named(one.results) if one.results else ""
    among = f", {named} among them" if named and named not in shown else ""
    shown.add(named)
    alike = (" The same fault: ", *_ids(one.alike), ".") if one.alike else ()
    head = f"): {said.severity or said.verdict}. {said.sentence} {stands}{among}."
    yield (Strong(_place(one.claim)), " (", Code(said.id), head, *alike, *_mended_formula(said, shown))
    if instance and (example := said.example):
        setting = "" if example.of_family else f" {as_sentence(example.setting)}"
        yield (f"Instance:{setting} {as_sentence(example.by_hand)}",)


def _mended_formula(said: Facts, shown: set[str]) -> Iterator[Piece]:
    """The print and what holds: the short formula that differs most, else the texts, where they are short."""
    first = next(iter(said.corrections), None)
    pairs = [b for b in said.beside if not b.same and b.printed and b.corrected and b.printed[0] not in shown]
    pairs = [b for b in pairs if all(map(_fits, (b.printed, b.corrected)))]
    # what has most marks is the fault; fewer are those of a definition that another claim has wrong
    if pair := max(pairs, key=_marks, default=None):
        shown.add(pair.printed[0])
        yield from (
            " Printed ",
            Formula(" ".join(pair.printed)),
            ", corrected ",
            Formula(" ".join(pair.corrected)),
            ".",
        )
        return
    if len(said.text) <= SHORT:
        yield f" Printed: {as_sentence(said.text)}"
    if first:
        yield " Corrected ("
        yield Code(first.id)
        yield f"), {first.verdict}{f': {as_sentence(first.text)}' if len(first.text) <= SHORT else '.'}"


def _fits(rows: Rows) -> bool:
    return len(rows) == 1 and len(in_text(rows[0])) <= SHORT // 2


def _marks(pair: Beside) -> int:
    return sum(row.count(r"\textcolor") for row in (*pair.printed, *pair.corrected))


def _results_named(names: Sequence[str]) -> str:
    """``Theorems 1, 2 and Proposition 3``."""
    kinds: dict[str, list[str]] = {}
    for name in names:
        kind, _, number = name.partition(" ")
        kinds.setdefault(kind, []).append(number)
    for them in kinds.values():
        them.sort(key=lambda number: [(not part.isdigit(), part.zfill(4)) for part in number.split(".")])
    parts = [f"{_plural(kind) if len(them) > 1 else kind} {', '.join(them)}" for kind, them in kinds.items()]
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"


def _plural(kind: str) -> str:
    return f"{kind[:-1]}ies" if kind.endswith("y") else f"{kind}s"


def _all_misprints(one: Review) -> list[Block]:
    """A line for each: where it stands, and what to print; claims with the same are told together."""
    alike: dict[str, list[Misprint]] = {}
    for m in one.misprints:
        alike.setdefault(_mended(m), []).append(m)
    told, rest = list(alike.items())[:MISPRINTS], list(alike.items())[MISPRINTS:]
    blocks: list[Block] = [Items(tuple((_misprint(what, those),) for what, those in told))] if told else []
    if more := [m.claim.id for _, those in rest for m in those]:
        blocks.append(Paragraph((f"{len(more)} more: ", *_ids(more), ".")))
    return blocks


def _mended(one: Misprint) -> str:
    """What to print, where it is short, and else why."""
    correct = re.sub("^As printed,? (?=with )", "", one.correct).rstrip(".")
    if not correct or len(correct) > SHORT * 2 // 3:
        return one.why
    return f"{one.why} Correct: {correct}." if len(correct) < BARE else f"{correct}."


def _misprint(what: str, alike: Sequence[Misprint]) -> Words:
    places = dict.fromkeys(_place(m.claim) for m in alike)
    return (Strong("; ".join(places)), " (", *_ids([m.claim.id for m in alike]), f"): {what}")


def _all_questions(one: Review) -> list[Block]:
    if not one.questions:
        return []
    blocks: list[Block] = [Items(tuple((tuple(_question(q)),) for q in one.questions[:QUESTIONS]), numbered=True)]
    if rest := one.questions[QUESTIONS:]:
        names = list(dict.fromkeys(q.claims[0] for q in rest))
        blocks.append(
            Paragraph((f"{len(rest)} more {'is' if len(rest) == 1 else 'are'} open, about ", *_ids(names), "."))
        )
    return blocks


def _brief(text: str) -> str:
    """A text that is short, or its first part."""
    return text if len(text) <= SHORT else re.split(r"(?<=\w)[.;] ", text)[0]


def _question(one: Question) -> Iterator[Piece]:
    s = one.switch
    name = in_words(s.name)
    yield name if "_" in name else Strong(name)  # a letter with an index is a formula
    yield f": {s.printed}, as printed, or {' or '.join(one.others[:2])}? {as_sentence(_brief(s.why))} ("
    yield from _ids(one.claims, 1)
    yield ")"
    if one.saved:
        verb = "holds" if len(one.saved) == 1 else "hold"
        yield f" In the other reading {_many(len(one.saved), 'claim')} more {verb}: "
        yield from _ids(one.saved)
        yield "."
