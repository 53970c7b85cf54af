"""What a page tells of a claim, whatever the page is made of: a terminal, a site, a referee's report.

Formulas are LaTeX, which :mod:`rateproof.verify.pages.typeset` prints. Everything comes from the claim, its record and
the baseline: there are no sentences about a single claim here.
"""

from __future__ import annotations

import importlib.util
import math
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import sympy as sp

from rateproof.theory.claim import Claim, Hypothesis, Kind, Reading, conjuncts
from rateproof.theory.digest import definitions
from rateproof.theory.homogeneity import inhomogeneities
from rateproof.theory.places import where
from rateproof.theory.proof.folded import folded
from rateproof.theory.proof.legend import legend, symbols_used
from rateproof.theory.proof.printed import numbered, written
from rateproof.theory.symbols import GREEK, info
from rateproof.verify import registry
from rateproof.verify.checks import Result
from rateproof.verify.counterexamples.inside import inside
from rateproof.verify.counterexamples.replay import Counterexample, stored, without
from rateproof.verify.deciders.certificates import UNPROVED
from rateproof.verify.deciders.kernel import METHOD
from rateproof.verify.evidence import Verdict
from rateproof.verify.pages import typeset
from rateproof.verify.pages.graph import Link, ProofGraph
from rateproof.verify.pages.printed import (
    formula,
    in_words,
    printed_names,
    renaming,
    symbols_in,
    symbols_of,
    with_formula,
)
from rateproof.verify.pages.render import number
from rateproof.verify.secondkernel.outcomes import ALSO, accepted
from rateproof.verify.severity import BREAKING
from rateproof.verify.stored.baseline import Entry

if TYPE_CHECKING:
    from rateproof.verify.form.family import Family

#: Characters of a formula on a line of a page that has room.
WIDTH = 100
#: What stands beside a verdict where colour may be missing.
SIGNS = {
    "proved": "✓",
    "supported": "≈",
    "refuted": "✗",
    "inconsistent": "≠",
    "vacuous": "∅",
    "undecided": "?",
    "unchecked": "–",
    "-": "–",
}
#: A formula: LaTeX of each of its lines.
Rows = tuple[str, ...]


@dataclass(frozen=True)
class Supposed:
    """A hypothesis.

    Attributes:
        key, text: as the claim has them.
        formula: its relations; empty where it has none.
        value: why it holds on the instance of the page.
        change: ``added`` by the correction, ``dropped`` by it, or empty.
    """

    key: str
    text: str
    formula: Rows = ()
    value: str = ""
    change: str = ""


@dataclass(frozen=True)
class Beside:
    """A formula of the print and that of its correction; what differs is marked. Either may be missing."""

    printed: Rows
    corrected: Rows

    @property
    def same(self) -> bool:
        """Whether nothing differs."""
        return self.printed == self.corrected


@dataclass(frozen=True)
class Correction:
    """A corrected claim: its id, verdict, text, and why it says something else, its own reason first."""

    id: str
    verdict: str
    text: str
    why: tuple[str, ...]


@dataclass(frozen=True)
class Kindly:
    """Another reading of an ambiguous place: its name, why there is one, where the paper asks for it, its verdict.

    ``changes`` are the hypotheses that it drops (``not: ...``) and those that it has instead (``but: ...``).
    """

    name: str
    printed: str
    other: str
    why: str
    origin: str
    verdict: str
    changes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Example:
    """The counterexample that a reader can follow by hand.

    Attributes:
        of: the part of the claim that it refutes.
        setting: the instance, with its numbers.
        by_hand: the arithmetic.
        left, right, ratios: what it comes to.
        inside: how far it is from the edges of what is allowed, and ``within`` the same in sentences.
        of_family: whether the setting is a member of a family by its parameters, so that ``by_hand`` says what it is.
        names: the numbers and choices of the instance with what they stand for, as far as that is said anywhere.
    """

    of: str
    setting: str
    by_hand: str
    left: str
    right: str
    ratios: tuple[str, ...]
    inside: str
    of_family: bool = False
    names: tuple[tuple[str, str], ...] = ()
    within: str = ""


@dataclass(frozen=True)
class Violation:
    """The violating instance that a check found, the mildest one: in words, what it violates, and all numbers there."""

    instance: str
    degenerate: bool
    relation: str
    sides: str
    values: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Step:
    """A step of a proof, or a heading, which has no number; ``text`` is its formula as steps that are kept have it."""

    number: str
    name: str
    formula: Rows = ()
    words: str = ""
    grounds: str = ""
    worded: bool = False
    text: str = ""


@dataclass(frozen=True)
class Place:
    """Where something stands in the code: what, the module, the line."""

    what: str
    path: str
    line: int


@dataclass(frozen=True)
class Facts:
    """All that is told of a claim.

    Attributes:
        id, paper, place, equation, title, kind, reading, text, note: of the claim.
        located: where the place is in the paper: sections, first words, displays, pages; empty where nobody has said.
        amends, why: of a corrected claim, what it corrects, and the reasons.
        verdict: as printed; ``-`` where the baseline has none.
        kindly, severity, because: how it is read kindly, how much is wrong, and what says so; empty where nothing is.
        level, method, detail, ratio, instances, stale, untried: of the evidence that decides.
        sentence: why it stands or falls, in one sentence.
        statement, where: as printed, with its definitions.
        beside: statement and definitions beside those of the first correction, where there is one.
        hypotheses: all of them, with their values on the violating instance, or on the correction's witness.
        corrections, kindlies, example, reason_for_none, proof, proof_of: see the classes; ``proof_of`` is the claim
            that the proof shows, the printed one or its correction.
        rests_on, followers, breaks: ids; ``rests_on`` with the depth in the tree.
        parts, broken_by: ids of its parts, and of what falls below its proof.
        instance: what violates it, in words; ``tier`` and ``seed`` are those of the check.
        symbols: LaTeX, meaning and name of each symbol of statement, definitions and hypotheses.
        code: where claim and record stand.
        stated: names of the symbols without definition in the statement and in that of the first correction.
        explicit, schedule, unlike, taken: the explicit bound of an O(.) claim, the schedule line by line, terms of
            unlike units, and what the proof takes from the method besides the hypotheses.
        seen, evidence: the ratio of the sides that was seen, and what else the evidence says, line by line.
        violation, stops: see the class; where its proof stops, if that does not go through.
        legend: what the letters of the proof stand for: titles, and lines below each.
    """

    id: str
    paper: str
    place: str
    equation: str
    title: str
    kind: str
    reading: str
    text: str
    note: str
    amends: str
    why: tuple[str, ...]
    verdict: str
    kindly: str
    severity: str
    because: str
    level: str
    method: str
    detail: str
    ratio: float | None
    instances: int
    stale: bool
    untried: tuple[str, ...]
    sentence: str
    statement: tuple[Rows, ...]
    where: tuple[Rows, ...]
    beside: tuple[Beside, ...]
    hypotheses: tuple[Supposed, ...]
    corrections: tuple[Correction, ...]
    kindlies: tuple[Kindly, ...]
    example: Example | None
    reason_for_none: str
    proof: tuple[Step, ...]
    proof_of: str
    rests_on: tuple[tuple[int, str], ...]
    followers: tuple[str, ...]
    breaks: tuple[str, ...]
    symbols: tuple[tuple[str, str, str], ...]
    code: tuple[Place, ...]
    parts: tuple[str, ...]
    broken_by: tuple[str, ...]
    instance: str
    tier: str
    seed: int
    stated: tuple[str, ...]
    explicit: str
    schedule: tuple[str, ...]
    unlike: tuple[str, ...]
    taken: tuple[str, ...]
    seen: str
    evidence: tuple[str, ...]
    violation: Violation | None
    stops: str
    legend: tuple[tuple[str, tuple[str, ...]], ...]
    located: str


def facts(claim: Claim, graph: ProofGraph, *, width: int = WIDTH, proof: bool = True, coded: bool = False) -> Facts:
    """What is told of a claim.

    Args:
        claim: it.
        graph: all claims around it, and what the baselines say.
        width: characters of a formula on a line; with 0 each term has a line of its own.
        proof: whether the steps of the proof are told, with their legend, and how far inside the counterexample is,
            which takes as long as all the rest.
        coded: whether the proof has the names of its code, as the steps have that a check found.
    """
    entry = graph.entries.get(claim.id)
    result = entry.result if entry else None
    mended = [graph.claims[i] for i in graph.corrections(claim.id)]
    first = next(iter(mended), None)
    names = _names(claim, first)
    shown = counterexample(claim, graph) if entry is None or graph.is_broken(claim.id) else None
    said = _renaming(claim, entry, shown)
    stops = _stops(result, said) if result else ""
    proved = next((one for one in (claim, first) if one and one.proof and _is_proved(graph, one.id)), None)
    if proved is None and claim.proof and (stops or not result):
        proved = claim
    example = _example(claim, shown, said, measured=proof) if shown else None
    return Facts(
        id=claim.id,
        paper=claim.paper,
        place=claim.source.place,
        equation=claim.source.equation,
        title=claim.title,
        kind=str(claim.kind),
        reading=str(claim.reading),
        text=claim.text,
        note=claim.note,
        amends=claim.amends or "",
        why=tuple(map(str, claim.why)),
        verdict=str(result.verdict) if result else "-",
        kindly=str(result.kindly or "") if result and result.kindly != result.verdict else "",
        severity=str(result.severity or "") if result else "",
        because=said(_without_underscores(result.because, claim)) if result else "",
        level=str(result.level or "") if result else "",
        method=result.method if result else "",
        detail=said(_missed_in_words(result.detail, claim)) if result else "",
        ratio=result.worst_ratio if result else None,
        instances=result.instances if result else 0,
        stale=bool(entry and entry.stale),
        untried=result.untried if result else (),
        sentence=sentence(claim, graph, said),
        statement=tuple(_rows(part, names, width) for part in conjuncts(claim.statement)),
        where=tuple(_defined(s, e, names, width) for s, e in _definitions(claim, names).items()),
        beside=tuple(_beside(claim, first, names, width)) if first is not None else (),
        hypotheses=tuple(_hypotheses(claim, first, names, width, entry, said)),
        corrections=tuple(
            Correction(one.id, graph.verdict(one.id), one.text, tuple(map(str, one.why))) for one in mended
        ),
        kindlies=tuple(_kindlies(claim, entry, said)),
        example=example,
        reason_for_none="" if example else without(claim.paper).get(claim.id, ""),
        proof=tuple(_steps(proved, width, coded)) if proved and proof else (),
        proof_of=proved.id if proved else "",
        rests_on=tuple(_tree(claim.id, graph)),
        followers=tuple(graph.followers(claim.id)),
        breaks=tuple(graph.breaks(claim.id)),
        symbols=tuple(_symbols(claim, names)),
        code=tuple(_code(claim)),
        parts=tuple(graph.others(claim.id, Link.PART)),
        broken_by=result.proof_broken_by if result else (),
        instance=said(str(result.violated["instance"])) if result and result.violated else "",
        tier=entry.tier if entry else "",
        seed=entry.seed if entry else 0,
        stated=tuple(sorted({str(s) for one in (claim, first) if one is not None for s in _stated(one)})),
        explicit=claim.explicit or "",
        schedule=tuple(_schedule(claim, said)),
        unlike=tuple(_unlike(claim, said)),
        taken=tuple(_taken(claim)),
        seen=ratio_said(result) if result else "",
        evidence=tuple(_evidence(result, said)) if result else (),
        violation=_violation(result, names, said) if result and result.violated else None,
        stops=stops,
        legend=tuple(legend_of(proved or claim, coded=coded)) if proof else (),
        located=located(claim),
    )


def _without_underscores(text: str, claim: Claim) -> str:
    """A text that names readings, with their names as words."""
    for switch in claim.switches:
        text = text.replace(switch.name, in_words(switch.name))
    return text


def located(claim: Claim) -> str:
    """Where the place of a claim is in its paper, as far as a table of the paper says; a section is named once."""
    found = where(claim.paper, claim.source.place)
    if len(found) == 1:
        return str(next(iter(found.values())))
    sections: dict[str, list[str]] = {}
    for head, one in found.items():
        named = "" if one.titled.startswith(head) else head
        sections.setdefault(one.titled, []).append(", ".join(filter(None, (named, one.inside))))
    return "; ".join(": ".join(filter(None, (title, "; ".join(heads)))) for title, heads in sections.items())


def _is_proved(graph: ProofGraph, claim_id: str) -> bool:
    entry = graph.entries.get(claim_id)
    return bool(entry and entry.result.verdict is Verdict.PROVED)


def _names(claim: Claim, mended: Claim | None) -> dict[sp.Symbol, str]:
    """LaTeX of the symbols that a page shows; one that is defined as another that looks alike is printed as that.

    Of two that look alike, the one of the claim keeps its letter where the other one is of the correction alone.
    """
    known = [claim, *([mended] if mended else [])]
    paper = claim.paper
    own, shown = ({s for one in of for part in _shown(one) for s in part.atoms(sp.Symbol)} for of in ([claim], known))
    defined = [pair for one in known for pair in definitions(one).items() if pair[1].is_Symbol]
    alike = {
        s: e
        for s, e in defined
        if len({*typeset.latex_names([s], paper).values(), *typeset.latex_names([e], paper).values()}) == 1
    }
    names = typeset.latex_names(shown - alike.keys(), paper) | typeset.latex_names(own - alike.keys(), paper)
    return names | {s: names[e] for s, e in alike.items() if e in names}


def _shown(claim: Claim) -> Iterator[sp.Basic]:
    """What a page shows as formulas."""
    yield from conjuncts(claim.statement)
    yield from (h.relation for h in claim.hypotheses if h.relation is not None)
    for symbol, expression in definitions(claim).items():
        yield from (symbol, expression)


def _definitions(claim: Claim, names: typeset.Names) -> dict[sp.Symbol, sp.Expr]:
    """The definitions of a claim, but for those of which both sides are printed alike."""
    known = definitions(claim).items()
    return {s: e for s, e in known if _unspaced(typeset.tex(s, names)) != _unspaced(typeset.tex(e, names))}


def _unspaced(latex: str) -> str:
    return re.sub(r"[{}\s]|\\,", "", latex)


def _renaming(claim: Claim, entry: Entry | None, example: Counterexample | None) -> Any:
    """Puts printed names in the place of code names in the texts of a verdict."""
    result = entry.result if entry else None
    texts = [result.detail, result.because, result.witness] if result else []
    if result and result.violated:
        texts += [str(result.violated["instance"]), *result.violated["hypotheses"].values()]
    if example is not None:
        texts.append(example.setting)
    named = symbols_in(" ".join(texts), claim.paper)
    return renaming(printed_names([*symbols_of(claim), *named], claim.paper))


# --- why it stands or falls


def sentence(claim: Claim, graph: ProofGraph, said: Any = str) -> str:
    """Why a claim stands or falls, in one sentence made of what its records say."""
    entry = graph.entries.get(claim.id)
    if entry is None:
        return f"No verdict is in the baseline; rateproof check {claim.id} computes one."
    result = entry.result
    mended = [graph.claims[i] for i in graph.corrections(claim.id)]
    parts = [i for i in graph.others(claim.id, Link.PART) if graph.is_broken(i)]
    match result.verdict:
        case Verdict.REFUTED | Verdict.INCONSISTENT if mended:
            reasons = mended[0].why
            shown = counterexample(claim, graph) if len(reasons) > 1 else None
            first = next((one for one in reasons if shown and shown.shows and one.origin == shown.shows), reasons[0])
            return as_sentence(str(first.text))
        case Verdict.REFUTED | Verdict.INCONSISTENT if parts:
            return as_sentence(f"it falls with its part{'s' if len(parts) > 1 else ''} {_listed(parts)}")
        case Verdict.REFUTED | Verdict.INCONSISTENT:
            return as_sentence(said(result.detail or result.because))
        case Verdict.PROVED:
            how = {"certificate": "by certificate", "argument": "with facts in words"}.get(str(result.level), "")
            steps = f", in {entry.steps} step{'s' if entry.steps > 1 else ''}" if entry.steps else ""
            broken = result.proof_broken_by
            other = f"; the printed proof fails at {', '.join(broken[:3])}" if broken else ""
            return as_sentence(f"it is proved {how}{steps}{other}".replace("  ", " "))
        case Verdict.SUPPORTED:
            tried = f"None of the {result.instances} admissible instances tried violates it"
            if result.instances == 1:
                tried = "The one admissible instance tried does not violate it"
            return f"{tried}; there is no proof."
        case Verdict.VACUOUS:  # behind it stands how that is shown
            return as_sentence(said(result.detail.partition("; ")[0]))
    return as_sentence(said(_missed_in_words(result.detail, claim)))


def _listed(names: Sequence[str]) -> str:
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))


def _missed_in_words(detail: str, claim: Claim) -> str:
    """What a verdict says, with the hypotheses that its instances missed in words, not by their keys."""
    said, missed, keys = detail.partition("hypotheses missed: ")
    texts = {h.key: f"\u201c{h.text}\u201d" for h in claim.hypotheses}
    counted = re.split(r"( \(\d+ times?\)(?:, |$))", keys)
    return said + missed + "".join(texts.get(one, one) for one in counted)


def as_sentence(text: str) -> str:
    """A clause as a sentence; what it begins with is a word, and gets its capital, unless it is a name in a formula."""
    text = text.strip()
    first = re.match(r"([a-z]{2,}|a)(?= [A-Za-z0-9(]|-[a-z]|,|$)", text)
    begins = text[:1].upper() + text[1:] if first and first[0] not in _LETTERS else text
    return begins if begins.endswith(("?", "...")) else f"{begins.rstrip('.')}."


#: Names of letters that begin a formula, not a sentence.
_LETTERS = (
    *("alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "kappa", "lambda", "mu", "nu", "xi"),
    *("pi", "rho", "sigma", "tau", "phi", "psi", "omega", "grad"),
)


# --- formulas


def _rows(relation: sp.Basic, names: typeset.Names, width: int) -> Rows:
    try:
        return tuple(typeset.rows(relation, names, width))
    except typeset.TypesettingError:  # a symbol with LaTeX that is unknown here is shown as it is, in one line
        return (typeset.tex(relation, names),)


def _defined(symbol: sp.Symbol, expression: sp.Expr, names: typeset.Names, width: int) -> Rows:
    return _rows(sp.Eq(symbol, expression, evaluate=False), names, width)


def _beside(claim: Claim, mended: Claim, names: typeset.Names, width: int) -> Iterator[Beside]:
    """The relations of both in their order, then the definitions of what both name."""
    pairs: list[tuple[sp.Basic | None, sp.Basic | None]] = list(
        _aligned(conjuncts(claim.statement), conjuncts(mended.statement))
    )
    own, other = _definitions(claim, names), _definitions(mended, names)
    for symbol in dict.fromkeys([*own, *other]):
        pairs.append(
            tuple(  # type: ignore[arg-type]
                sp.Eq(symbol, those[symbol], evaluate=False) if symbol in those else None for those in (own, other)
            )
        )
    for printed, corrected in pairs:
        if printed is not None and corrected is not None:
            printed, corrected = typeset.difference(printed, corrected)
        yield Beside(*(() if one is None else _rows(one, names, width // 2) for one in (printed, corrected)))


def _aligned(own: Sequence[sp.Rel], other: Sequence[sp.Rel]) -> Iterator[tuple[sp.Basic | None, sp.Basic | None]]:
    """Relations with the same left side beside each other, the rest in its order."""
    left = list(other)
    waiting: list[sp.Rel] = []
    pairs: dict[sp.Rel, sp.Rel] = {}
    for one in own:
        twin = next((two for two in left if two.lhs == one.lhs), None)
        if twin is None:
            waiting.append(one)
        else:
            left.remove(twin)
            pairs[one] = twin
    for one, two in zip(list(waiting), list(left), strict=False):
        pairs[one] = two
        left.remove(two)
    for one in own:
        yield one, pairs.get(one)
    for two in left:
        yield None, two


def _hypotheses(
    claim: Claim,
    mended: Claim | None,
    names: typeset.Names,
    width: int,
    entry: Entry | None,
    said: Any,
) -> Iterator[Supposed]:
    values: Mapping[str, str] = {}
    if entry and entry.result.violated:
        values = entry.result.violated["hypotheses"]
    own = {h.key for h in claim.hypotheses}
    later = {h.key for h in mended.hypotheses} if mended else own
    for h in claim.hypotheses:
        value = values.get(h.key, "").removeprefix(h.text).removeprefix(": ")
        yield _supposed(h, names, width, said(value), "" if h.key in later else "dropped")
    if mended is not None:
        for h in mended.hypotheses:
            if h.key not in own:
                yield _supposed(h, names, width, "", "added")


def _supposed(h: Hypothesis, names: typeset.Names, width: int, value: str, change: str) -> Supposed:
    formula = () if h.relation is None else tuple(r for c in conjuncts(h.relation) for r in _rows(c, names, width))
    return Supposed(h.key, h.text, formula, value, change)


def _symbols(claim: Claim, names: typeset.Names) -> Iterator[tuple[str, str, str]]:
    for symbol in typeset.symbols_of(_shown(claim)):
        if _declared(symbol, claim.paper):
            yield names.get(symbol, sp.latex(symbol)), info(str(symbol), claim.paper).meaning, str(symbol)


def _stated(claim: Claim) -> set[sp.Basic]:
    """The symbols of the statement that have no definition."""
    return {s for part in conjuncts(claim.statement) for s in part.free_symbols} - definitions(claim).keys()


def _schedule(claim: Claim, said: Any) -> Iterator[str]:
    if (schedule := claim.schedule) is not None:
        yield f"{schedule.id} ({schedule.title})"
        yield said(str(schedule))
        assumed = {h.relation for h in claim.hypotheses}
        for condition in schedule.conditions:
            if condition.relation not in assumed:
                yield f"needs {condition.name}: {said(formula(condition.relation))}"


def _unlike(claim: Claim, said: Any) -> Iterator[str]:
    try:
        unlike = inhomogeneities(claim)
    except ValueError as error:
        yield f"units are not checked: {said(str(error))}"
        return
    places: dict[str, str] = {}  # a condition of the schedule may be a hypothesis, too
    for place, clash in unlike:
        places.setdefault(str(clash), place)
    yield from (said(f"{place}: {clash}") for clash, place in places.items())


def _taken(claim: Claim) -> Iterator[str]:
    family = claim.setting.family if claim.proof and claim.setting else ()
    counts = (f"{symbol} is a whole number" for setting in family for symbol in setting.counts)
    yield from dict.fromkeys((*(str(a) for setting in family for a in setting.assumes), *counts))


# --- what the evidence says


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


def _evidence(result: Result, said: Any) -> Iterator[str]:
    if result.claim in accepted():
        yield ALSO
    if result.untried:
        who = ", ".join("it" if i == result.claim else i for i in result.untried)
        yield f"not tried: no instance that satisfies all hypotheses has met {who}"
    if result.witness:
        yield said(f"{'simplest violation' if result.violated else 'witness'}: {result.witness}")
    if result.error_probability:
        yield f"error probability {result.error_probability:.3g}"
    for line in result.inconclusive:
        if not line.startswith(f"{METHOD}: "):  # what is said of the proof stands beside it
            yield said(f"also tried: {line}")
    for name, reading in result.readings.items():
        ratio = reading["worst_ratio"]
        largest = "" if ratio in (None, "inf", "nan") else f", largest ratio seen {number(float(ratio), 9)}"
        yield f"reading {name}: {reading['verdict']}{largest}"


def _violation(result: Result, names: typeset.Names, said: Any) -> Violation:
    v = result.violated
    assert v is not None
    shown = {str(symbol): latex for symbol, latex in names.items()}
    values = tuple((shown.get(name, sp.latex(sp.Symbol(name))), number(float(x))) for name, x in v["values"].items())
    return Violation(said(v["instance"]), v["degenerate"], said(v["relation"]), sides_said(v), values)


def _stops(result: Result, said: Any) -> str:
    """Where the proof that stands beside a claim stops; empty where it goes through."""
    stops = f"{METHOD}: {UNPROVED}"
    lines = (f"{result.method}: {result.detail}", *result.inconclusive)
    return next((said(line.removeprefix(stops)) for line in lines if line.startswith(stops)), "")


# --- readings, counterexample, proof


def _kindlies(claim: Claim, entry: Entry | None, said: Any) -> Iterator[Kindly]:
    found = entry.result.readings if entry else {}
    texts = {h.key: h.text for h in claim.hypotheses}
    for s in claim.switches:
        verdict = str(found.get(s.reading, {}).get("verdict", "-"))
        dropped = [f"not: {texts[key]}" for key in s.without if key in texts]
        added = [f"but: {h.text}{said(with_formula(h.text, h.relation)[len(h.text) :])}" for h in s.adding]
        yield Kindly(s.name, s.printed, s.other, s.why, s.origin, verdict, (*dropped, *added))


def _example(claim: Claim, shown: Counterexample, said: Any, *, measured: bool) -> Example:
    how_far = inside(claim) if measured and shown.claim.id == claim.id else None
    return Example(
        shown.claim.id,
        said(shown.setting),
        said(shown.by_hand),
        shown.left,
        shown.right,
        tuple(shown.ratios),
        said(str(how_far)) if how_far else "",
        set(shown.data.get("instance", {})) == {"says"},
        tuple((said(name), words) for name, words in explained(shown).items() if words),
        said(how_far.told({h.key: h.text for h in claim.hypotheses})) if how_far else "",
    )


def explained(shown: Counterexample) -> dict[str, str]:
    """The numbers and choices of an instance, by name, with what they stand for; empty where nobody says.

    The family says it, or symbols of the claim do.
    """
    of = registry.record(shown.claim).refuted_by
    family = None if of is None else of.climb.family if of.climb else of.family
    rungs = (shown.data, *shown.data.get("rungs", ()))
    numbers = [name for rung in rungs for part in ("values", "at") for name in rung.get(part, ())]
    choices = [name for name, r in family.ranges.items() if r.kind == "choice"] if family else []
    names = dict.fromkeys([*choices, *numbers])
    return {name: meaning(name, shown.claim, family) if family else _of_file(name, shown) for name in names}


def _of_file(name: str, shown: Counterexample) -> str:
    """What a number of a record of a file stands for: its measure says it, or it is a symbol."""
    told = getattr(registry.part(shown.claim.paper, "replayed"), "meaning", None)
    if told and (words := told(shown.data, name)):
        return str(words)
    is_symbol = name in shown.data.get("values", ()) and _declared(sp.Symbol(name), shown.claim.paper)
    return info(name, shown.claim.paper).meaning if is_symbol else meaning(name, shown.claim)


def meaning(name: str, claim: Claim, family: Family | None = None) -> str:
    """What a number of an instance stands for; empty where nobody says.

    The family says it, or it is a symbol of the claim, of another one that is tried on the family, or a constant that
    the paper alone has.
    """
    if family and (words := family.meaning(name)):
        return words
    symbols = {str(s) for s in symbols_of(claim)} | (_tried_on(claim.paper)[family.run] if family else set())
    if not _declared(sp.Symbol(name), claim.paper):
        return ""
    known = info(name, claim.paper)
    # a metric has no sign; a letter may stand for something else in the instance
    own = known.symbol.is_nonnegative and not _declared(sp.Symbol(name), "") and len(name) > 1
    return known.meaning if name in symbols or own else ""


@cache
def _tried_on(paper: str) -> Mapping[Any, set[str]]:
    """The symbols of the claims that are tried on the families of a paper, by what runs."""
    found: dict[Any, set[str]] = defaultdict(set)
    for record in registry.records(paper):
        for family in getattr(record, "families", ()):
            found[family.run] |= set(map(str, symbols_of(record.claim)))
    return found


def counterexample(claim: Claim, graph: ProofGraph) -> Counterexample | None:
    """The stored counterexample to a claim, or to one of its parts."""
    examples = stored(claim.paper)
    return next((examples[i] for i in (claim.id, *graph.others(claim.id, Link.PART)) if i in examples), None)


def _steps(claim: Claim, width: int, coded: bool) -> Iterator[Step]:
    assert claim.proof is not None
    for one in numbered(claim, claim.proof, coded=coded):
        formula: Rows = ()
        text = "" if one.goal is None else written(one.goal)
        if one.goal is not None:
            goal = one.goal
            if isinstance(goal, sp.Rel):
                goal = goal.func(*map(folded, goal.args), evaluate=False)
            of, called = (one.called.claim, one.called.vector) if one.called and not coded else (claim, str)
            formula = _rows(goal, typeset.latex_names(goal.atoms(sp.Symbol), of.paper, called), width)
        words = one.words if coded or not one.words.startswith("where ") else _with_letters(one.words, claim.paper)
        yield Step(one.number, one.name, formula, words, one.grounds, one.worded, text)


#: The parts of a legend, with what they are.
_PARTS = {
    "vector": "vectors of the proof, in which <u, v> and ||v||^2 are means over all that is drawn and over indices",
    "number": "metrics and values of the proof",
    "function": "functions of the proof, and their points",
    "source": "indices, and what is drawn",
}


def legend_of(claim: Claim, *, coded: bool) -> Iterator[tuple[str, tuple[str, ...]]]:
    """What the letters of a claim's proof stand for: titles, and lines below each; ``coded`` as for :func:`facts`."""
    if claim.proof is None:
        return
    explained = legend(claim, claim.proof, coded=coded)
    named = symbols_in(" ".join(map(str, explained)), claim.paper)
    printed = renaming(printed_names([*symbols_of(claim), *named], claim.paper))
    for kind, title in _PARTS.items():
        told = [one for one in explained if one.kind == kind]
        if told:
            yield title, tuple(_in_letters(one.name, claim.paper) + printed(str(one)) for one in told)
    groups: dict[str, list[str]] = {}
    for one in explained:
        if one.kind == "dependence":
            groups.setdefault(str(replace(one, name=one.meaning or "nothing", meaning="")), []).append(one.name)
    if {*groups} - {"nothing: "}:
        yield "on what the vectors depend", tuple(on + ", ".join(of) for on, of in sorted(groups.items()))
    numbers = {one.name for one in explained if one.kind == "number"}
    symbols = [s for s in symbols_used(claim, claim.proof) if str(s) not in numbers]
    names = typeset.latex_names(symbols, claim.paper)
    said = [(typeset.text(names[s]), info(str(s), claim.paper).meaning) for s in names if _declared(s, claim.paper)]
    if said:
        yield "symbols of the proof", tuple(f"{name}: {meaning}" for name, meaning in said)


def _with_letters(condition: str, paper: str) -> str:
    """Where a step holds, with symbols that are words by their letters: ``t <= T`` for ``call <= T``."""

    def letter(hit: re.Match[str]) -> str:
        return typeset.text(info(hit[0], paper).latex) if _declared(sp.Symbol(hit[0]), paper) else hit[0]

    return re.sub(rf"(?<!\w)(?!(?:{GREEK})(?!\w))[A-Za-z]{{2,}}(?!\w)", letter, condition)


def _in_letters(name: str, paper: str) -> str:
    """A symbol as formulas have it, before its name, where that is another one."""
    if not _declared(sp.Symbol(name), paper):
        return ""
    letter = typeset.text(typeset.latex_names([info(name, paper).symbol], paper)[info(name, paper).symbol])
    return "" if letter == name else f"{letter}, "


def _declared(symbol: sp.Basic, paper: str) -> bool:
    try:
        info(str(symbol), paper)
    except KeyError:
        return False
    return True


# --- around


def _tree(claim_id: str, graph: ProofGraph) -> Iterator[tuple[int, str]]:
    """What a claim rests on, each once, with its depth."""
    seen = {claim_id}

    def below(node: str, above: str, depth: int) -> Iterator[tuple[int, str]]:
        for one in graph.below(node, above):
            if one not in seen:
                seen.add(one)
                yield depth, one
                yield from below(one, node, depth + 1)

    yield from below(claim_id, "", 0)


def _code(claim: Claim) -> Iterator[Place]:
    """The module of a claim, with the line that names it, and that of its record, which has the same name."""
    named = f'"{(claim.amends or claim.id).removeprefix(f"{claim.paper}.")}"'
    for path, lines in _modules("theory", claim.paper):
        if line := next((i for i, one in enumerate(lines, 1) if named in one), 0):
            yield Place("the claim", path, line)
            records = (other for other, _ in _modules("verify", claim.paper) if Path(other).stem == Path(path).stem)
            yield from (Place("its record", other, 1) for other in islice(records, 1))
            return


@cache
def _modules(room: str, paper: str) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Path, from the package on, and lines of the modules of a paper."""
    found = importlib.util.find_spec(f"rateproof.{room}.papers.{paper}")  # not imported, which takes seconds
    if found is None or not found.submodule_search_locations:
        return ()
    folder = Path(found.submodule_search_locations[0])
    root = folder.parent.parent.parent
    return tuple(
        (str(path.relative_to(root)), tuple(path.read_text(encoding="utf-8").splitlines()))
        for path in sorted(folder.rglob("*.py"))
    )


def verdicts(ids: Iterable[str], graph: ProofGraph) -> dict[str, str]:
    """The verdict of each claim, in one word; ``-`` where there is none."""
    return {i: str(graph.entries[i].result.verdict) if i in graph.entries else "-" for i in ids}


def is_broken(verdict: str) -> bool:
    """Whether a verdict breaks the proofs above a claim."""
    return verdict in {str(one) for one in BREAKING}


def is_printed(claim: Claim) -> bool:
    """Whether a claim is one of the print, not a correction."""
    return claim.reading is not Reading.CORRECTED
