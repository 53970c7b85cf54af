"""What a page tells of a claim, whatever the page is made of: a terminal, a site, a referee's report.

Formulas are LaTeX, which :mod:`rateproof.verify.pages.typeset` prints. Everything comes from the claim, its record and
the baseline: there are no sentences about a single claim here.
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import sympy as sp

from rateproof.theory.claim import Claim, Hypothesis, Reading, conjuncts
from rateproof.theory.digest import definitions
from rateproof.theory.proof.folded import folded
from rateproof.theory.proof.printed import numbered
from rateproof.theory.symbols import info
from rateproof.verify.counterexamples.inside import inside
from rateproof.verify.counterexamples.replay import Counterexample, stored, without
from rateproof.verify.evidence import Verdict
from rateproof.verify.pages import typeset
from rateproof.verify.pages.graph import Link, ProofGraph
from rateproof.verify.pages.printed import printed_names, renaming, symbols_in, symbols_of
from rateproof.verify.severity import BREAKING
from rateproof.verify.stored.baseline import Entry

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
    """Another reading of an ambiguous place: its name, why there is one, where the paper asks for it, its verdict."""

    name: str
    printed: str
    other: str
    why: str
    origin: str
    verdict: str


@dataclass(frozen=True)
class Example:
    """The counterexample that a reader can follow by hand; ``of`` is the part of the claim that it refutes."""

    of: str
    setting: str
    by_hand: str
    left: str
    right: str
    ratios: tuple[str, ...]
    inside: str


@dataclass(frozen=True)
class Step:
    """A step of a proof, or a heading, which has no number."""

    number: str
    name: str
    formula: Rows = ()
    words: str = ""
    grounds: str = ""
    worded: bool = False


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


def facts(claim: Claim, graph: ProofGraph, *, width: int = WIDTH) -> Facts:
    """What is told of a claim.

    Args:
        claim: it.
        graph: all claims around it, and what the baselines say.
        width: characters of a formula on a line.
    """
    entry = graph.entries.get(claim.id)
    result = entry.result if entry else None
    mended = [graph.claims[i] for i in graph.others(claim.id, Link.CORRECTED)]
    mended.sort(key=lambda one: _rank(graph, one.id))
    first = next(iter(mended), None)
    names = _names(claim, *mended[:1], first)
    said = _renaming(claim, entry)
    proved = next((one for one in (claim, first) if one and one.proof and _is_proved(graph, one.id)), None)
    example = _example(claim, graph, said)
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
        because=said(result.because) if result else "",
        level=str(result.level or "") if result else "",
        method=result.method if result else "",
        detail=said(result.detail) if result else "",
        ratio=result.worst_ratio if result else None,
        instances=result.instances if result else 0,
        stale=bool(entry and entry.stale),
        untried=result.untried if result else (),
        sentence=sentence(claim, graph, said),
        statement=tuple(_rows(part, names, width) for part in conjuncts(claim.statement)),
        where=tuple(_defined(s, e, names, width) for s, e in definitions(claim).items()),
        beside=tuple(_beside(claim, first, names, width)) if first is not None else (),
        hypotheses=tuple(_hypotheses(claim, first, names, width, entry, said)),
        corrections=tuple(
            Correction(one.id, graph.verdict(one.id), one.text, tuple(map(str, one.why))) for one in mended
        ),
        kindlies=tuple(_kindlies(claim, entry)),
        example=example,
        reason_for_none="" if example else without(claim.paper).get(claim.id, ""),
        proof=tuple(_steps(proved, width)) if proved else (),
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
    )


def _rank(graph: ProofGraph, claim_id: str) -> int:
    """Proved corrections first."""
    entry = graph.entries.get(claim_id)
    return list(Verdict).index(entry.result.verdict) if entry else len(Verdict)


def _is_proved(graph: ProofGraph, claim_id: str) -> bool:
    entry = graph.entries.get(claim_id)
    return bool(entry and entry.result.verdict is Verdict.PROVED)


def _names(*claims: Claim | None) -> dict[sp.Symbol, str]:
    known = [one for one in claims if one is not None]
    return typeset.latex_names({s for one in known for s in symbols_of(one)}, known[0].paper)


def _renaming(claim: Claim, entry: Entry | None) -> Any:
    """Puts printed names in the place of code names in the texts of a verdict."""
    result = entry.result if entry else None
    texts = [result.detail, result.because, result.witness] if result else []
    if result and result.violated:
        texts += [str(result.violated["instance"]), *result.violated["hypotheses"].values()]
    if example := stored(claim.paper).get(claim.id):
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
    mended = [graph.claims[i] for i in graph.others(claim.id, Link.CORRECTED)]
    parts = [i for i in graph.others(claim.id, Link.PART) if graph.is_broken(i)]
    match result.verdict:
        case Verdict.REFUTED | Verdict.INCONSISTENT if mended:
            return _sentence(str(mended[0].why[0].text))
        case Verdict.REFUTED | Verdict.INCONSISTENT if parts:
            return _sentence(f"it falls with its part {', '.join(parts)}")
        case Verdict.REFUTED | Verdict.INCONSISTENT:
            return _sentence(said(result.because or result.detail))
        case Verdict.PROVED:
            how = {"certificate": "by certificate", "argument": "with facts in words"}.get(str(result.level), "")
            steps = f", in {entry.steps} step{'s' if entry.steps > 1 else ''}" if entry.steps else ""
            broken = result.proof_broken_by
            other = f"; the printed proof fails at {', '.join(broken[:3])}" if broken else ""
            return _sentence(f"it is proved {how}{steps}{other}".replace("  ", " "))
        case Verdict.SUPPORTED:
            return f"None of the {result.instances} admissible instances tried violates it; there is no proof."
    return _sentence(said(result.detail))


def _sentence(text: str) -> str:
    text = text.strip().rstrip(".")
    begins = text[:1].upper() + text[1:] if re.match(r"[a-z]+\b(?![_^(*/])", text) else text
    return f"{begins}."


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
    own, other = definitions(claim), definitions(mended)
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
    parts = [*conjuncts(claim.statement), *definitions(claim), *definitions(claim).values()]
    parts += [h.relation for h in claim.hypotheses if h.relation is not None]
    for symbol in typeset.symbols_of(parts):
        try:
            known = info(str(symbol), claim.paper)
        except KeyError:
            continue
        yield names.get(symbol, sp.latex(symbol)), known.meaning, str(symbol)


# --- readings, counterexample, proof


def _kindlies(claim: Claim, entry: Entry | None) -> Iterator[Kindly]:
    found = entry.result.readings if entry else {}
    for s in claim.switches:
        verdict = str(found.get(s.reading, {}).get("verdict", "-"))
        yield Kindly(s.name, s.printed, s.other, s.why, s.origin, verdict)


def _example(claim: Claim, graph: ProofGraph, said: Any) -> Example | None:
    shown = counterexample(claim, graph)
    if shown is None:
        return None
    measured = inside(claim) if shown.claim.id == claim.id else None
    return Example(
        shown.claim.id,
        said(shown.setting),
        said(shown.by_hand),
        shown.left,
        shown.right,
        tuple(shown.ratios),
        said(str(measured)) if measured else "",
    )


def counterexample(claim: Claim, graph: ProofGraph) -> Counterexample | None:
    """The stored counterexample to a claim, or to one of its parts."""
    examples = stored(claim.paper)
    return next((examples[i] for i in (claim.id, *graph.others(claim.id, Link.PART)) if i in examples), None)


def _steps(claim: Claim, width: int) -> Iterator[Step]:
    assert claim.proof is not None
    for one in numbered(claim, claim.proof):
        formula: Rows = ()
        if isinstance(one.goal, sp.Rel):
            goal = one.goal.func(*map(folded, one.goal.args), evaluate=False)
            formula = _rows(goal, typeset.latex_names(goal.free_symbols, claim.paper), width)
        elif one.goal is not None:
            formula = _rows(one.goal, typeset.latex_names(one.goal.free_symbols, claim.paper), width)
        yield Step(one.number, one.name, formula, one.words, one.grounds, one.worded)


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
    """The module of a claim, with the line that names it, and that of its record."""
    stem = (claim.amends or claim.id).removeprefix(f"{claim.paper}.")
    for room, what in (("theory", "the claim"), ("verify", "its record")):
        for path, lines in _modules(room, claim.paper):
            name = Path(path).stem
            line = next((i for i, one in enumerate(lines, 1) if f'"{stem}"' in one), 0)
            if room == "theory" and line:
                _NAMED[claim.id] = name
                yield Place(what, path, line)
                break
            if room == "verify" and name == _NAMED.get(claim.id):
                yield Place(what, path, 1)
                break


#: The module in which a claim was found, by its id.
_NAMED: dict[str, str] = {}


@cache
def _modules(room: str, paper: str) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Path, from the package on, and lines of the modules of a paper."""
    try:
        package = importlib.import_module(f"rateproof.{room}.papers.{paper}")
    except ImportError:
        return ()
    folder = Path(next(iter(package.__path__)))
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
