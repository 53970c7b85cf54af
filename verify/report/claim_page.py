"""What the page of a claim is made of, as plain JSON values that are kept between runs."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import asdict
from fractions import Fraction
from functools import cache
from string import ascii_uppercase
from typing import Any

import sympy as sp

from rateproof.theory.claim import Claim
from rateproof.theory.proof.called import title
from rateproof.theory.proof.legend import symbols_used
from rateproof.theory.proof.printed import lemmas, rules_used
from rateproof.theory.proof.trusted import trusted
from rateproof.theory.symbols import GREEK, info
from rateproof.theory.symbols import of_paper as symbols_known
from rateproof.verify.checks import plain
from rateproof.verify.pages import exports, typeset
from rateproof.verify.pages.document import unicode
from rateproof.verify.pages.facts import Example, Facts, as_sentence, facts, verdicts
from rateproof.verify.pages.graph import Link, ProofGraph
from rateproof.verify.pages.page import TOGETHER
from rateproof.verify.pages.printed import in_words, printed_names
from rateproof.verify.report import figure, picture, sliders, walks
from rateproof.verify.report.sliders import Tried
from rateproof.verify.severity import FAR, repair_of

#: A claim as its page tells it: the fields of its facts, and what comes from elsewhere.
Told = dict[str, Any]
#: How the place of a claim begins that no paper prints.
OURS = "our "
_NAME = re.compile(r"[A-Za-z]\w*[_\d]\w*")


def tell(claim: Claim, graph: ProofGraph) -> Told:
    """What the page of a claim tells."""
    known = facts(claim, graph)
    mended = next((graph.claims[one.id] for one in known.corrections), None)
    tried = sliders.tried(claim, mended, graph.entries.get(claim.id)) or walks.walked(claim, mended)
    grounds = grounds_of(known, graph)
    printed = letters(known, tried, grounds.values())
    named = printed | {name: latex for latex, _, name in known.symbols}
    letter = stated(known)
    plot = figure.plot(tried, {name: _in_text(latex) for name, latex in named.items()}) if tried else None
    shown = sliders.instance(claim, graph.entries.get(claim.id))
    drawn = picture.picture(claim, mended, *shown) if shown else None
    around = [one for _, one in known.rests_on]
    return plain(asdict(known)) | {
        "heading": exports.named(known),
        "exports": {name: exports.FORMATS[name](known) for name in ("latex", "bibtex", "markdown")},
        "grounds": grounds,
        "rules": rules_of(known, graph),
        "letters": printed,
        "forms": typeset.forms(latex for latex, _, _ in known.symbols) or forms_of(known.paper),
        # what the text of a hypothesis says is not said again below it
        "saved": saved(known, graph),
        "below": [[] if _repeats(r",\ ".join(h.formula), h.text) else [*h.formula] for h in known.hypotheses],
        "named": [
            ([(letter.get(name, ""), name) for name in own], words)
            for own, words in (together(known.example.names) if known.example else ())
            if not any(_repeats(letter[name], words) for name in own if name in letter)
        ],
        "legend": legend(known),
        "lettered": lettered(known, graph),
        "sure": sure(known),
        "is_another": is_another(known),
        "explained": [(latex, says) for latex, says, _ in known.symbols if not _repeats(latex, says)],
        "is_ours": known.place.startswith(OURS),
        "tried": asdict(tried) if tried else None,
        "plot": asdict(plot) if plot else None,
        "picture": asdict(drawn) if drawn else None,
        "ratios": ratios(known, tried),
        "bars": sides(known.example) if known.example and not tried else [],
        "is_root": graph.is_root_fault(claim.id),
        "reach": graph.reach(claim.id),
        "follows_from": graph.others(claim.id, Link.FOLLOWS),
        "verdicts": verdicts([*around, *known.followers, *known.breaks, *known.parts], graph),
    }


@cache
def rules() -> dict[str, str]:
    """The rules that a proof may rest on, by name, with what each says."""
    return {name: says.replace("``", "") for name, says in trusted()["rules"].items() if name != "unfold"}


def rules_of(known: Facts, graph: ProofGraph) -> list[tuple[str, str]]:
    """The rules that the proof of a page uses: what each is called there, and what it says."""
    proved = graph.claims.get(known.proof_of)
    if proved is None or proved.proof is None:
        return []
    return [(title(name), rules()[name]) for name in rules_used(proved.proof) if name in rules()]


def saved(known: Facts, graph: ProofGraph) -> str:
    """Under what a broken claim holds, in sentences: how it is read kindly, or what is corrected."""
    entry = graph.entries.get(known.id)
    because = entry.result.because if entry else ""
    of, part, rest = because.partition(": ")
    part_of, because = (of, rest) if part and of in graph.claims else (known.id, because)
    of_part = "" if part_of == known.id else f"its part {part_of}"
    if READ in because:
        return f"Read kindly, {of_part or 'it'} holds {_read(because.partition(READ)[2], graph.claims[part_of])}"
    holds, otherwise, change = because.partition(" holds, ")
    if otherwise:
        holds = _shown_first(part_of, change, graph) or holds
        change, given, origin = change.partition(": ")
        own = f" The paper's own argument gives it: {origin}." if given else ""
        return f"{f'Of its part {part_of} the' if of_part else 'The'} correction {holds} holds, {change}.{own}"
    if because.startswith("no kind reading"):
        said = f"Read kindly it is {known.kindly}. " if known.kindly else ""
        return f"{said}No reading and no correction was found under which it holds."
    return as_sentence(because) if because else ""


def _shown_first(claim_id: str, change: str, graph: ProofGraph) -> str:
    """The correction beside which the page shows a claim, where it changes what the mildest one does; else empty."""
    first = next(iter(graph.corrections(claim_id)), "")
    if first and repair_of(graph.claims[claim_id], graph.claims[first]).because == f"{first} holds, {change}":
        return first
    return ""


#: How the reason begins for which a claim is read kindly.
READ = "it holds when read as "


def _read(said: str, claim: Claim) -> str:
    """With what readings a claim holds: of one what is read and why, of several their names."""
    chosen = [s for s in claim.kind_switches if f"{s.name}: {s.other} ({s.origin})" in said]
    _, far, factor = said.partition(FAR)
    beyond = f" {as_sentence(f'{far}{factor}'.removeprefix('; '))}" if far else ""
    if not chosen:
        return f"when read as {said}."
    if len(chosen) > 1:
        *names, last = (in_words(one.name) for one in chosen)
        places = f"{', '.join(names)} and {last}"
        return f"when {len(chosen)} places are read otherwise, all at once: {places}.{beyond}"
    (one,) = chosen
    print_ = "" if one.printed == "as printed" else f" in the place of “{one.printed}”"
    return f"with “{one.other}”{print_}. The paper's ground for it: {one.origin}.{beyond}"


def grounds_of(known: Facts, graph: ProofGraph) -> dict[str, str]:
    """What each step of a proof rests on, by its number: hypotheses by their number on the page, or in words."""
    proved = graph.claims.get(known.proof_of)
    if proved is None or proved.proof is None:
        return {}
    place = {h.key: str(i) for i, h in enumerate(known.hypotheses, start=1)}
    lemma_of = dict(zip(ascii_uppercase, lemmas(proved.proof), strict=False))
    own = {h.key: place.get(h.key) or f"“{h.text}”" for h in proved.hypotheses}
    of_lemmas = {letter: {h.key: f"“{h.text}”" for h in one.hypotheses} for letter, one in lemma_of.items()}
    return {
        step.number: _with_hypotheses(step.grounds, of_lemmas[step.number[1]] if "." in step.number else own)
        for step in known.proof
        if step.number
    }


def _with_hypotheses(grounds: str, said: Mapping[str, str]) -> str:
    if not said:
        return grounds
    keys = "|".join(map(re.escape, sorted(said, key=len, reverse=True)))
    return re.sub(rf"(?<=hypothesis )(?:{keys})(?=,|$| at )", lambda hit: said[hit[0]], grounds)


def letters(known: Facts, tried: Tried | None, grounds: Iterable[str]) -> dict[str, str]:
    """LaTeX of the symbols that texts from records name as code does, by the name that they have there."""
    texts = [known.instance, known.detail, *grounds, *(step.words for step in known.proof)]
    texts += [line for _, lines in known.legend for line in lines] + [step.name for step in known.proof]
    texts += [h.value for h in known.hypotheses]
    if known.example:
        texts += [known.example.setting, *(name for name, _ in known.example.names)]
    names = {name for text in texts for name in _NAME.findall(text)}
    if tried:
        shown = [*(one.name for one in tried.parameters), *(name for name, _ in tried.fixed)]
        names |= {name for name in shown if re.fullmatch(rf"\w|{GREEK}", name) or _NAME.fullmatch(name)}
    found = {}
    for name in sorted(names):
        with suppress(KeyError):
            found[name] = info(name, known.paper).latex
    found |= stated(known)
    return {name: latex for name, latex in found.items() if latex != name or len(name) == 1}


def stated(known: Facts) -> dict[str, str]:
    """LaTeX of the numbers of an instance that are symbols of the claim, by their printed names, words among them."""
    says = dict(known.example.names) if known.example else {}
    names = printed_names((sp.Symbol(name) for _, _, name in known.symbols), known.paper)
    return {names[name]: latex for latex, meaning, name in known.symbols if says.get(names[name]) == meaning}


@cache
def forms_of(paper: str) -> dict[str, str]:
    """The form in which the symbols of a paper have a letter, where it has several."""
    return typeset.forms(one.latex for one in symbols_known(paper))


def legend(known: Facts) -> list[tuple[str, list[tuple[str, str]]]]:
    """What the letters of the proof stand for: titles, and LaTeX, where a symbol has it, and text of the lines."""
    told = [(title, lines) for title, lines in known.legend if title != "symbols of the proof"]
    lettered = [(title, [_lettered(line, known.paper) for line in lines]) for title, lines in told]
    return [(title, [one for one in lines if not (one[0] and _says_itself(*one))]) for title, lines in lettered]


def _says_itself(latex: str, rest: str) -> bool:
    return rest.startswith(" = ") and _repeats(latex, rest[3:])


def together(names: Iterable[tuple[str, str]]) -> list[tuple[list[str], str]]:
    """Numbers of an instance by their words: those with the same stand together."""
    found: dict[str, list[str]] = {}
    for name, words in names:
        found.setdefault(words, []).append(name)
    return [(own, words) for words, own in found.items()]


def lettered(known: Facts, graph: ProofGraph) -> dict[str, list[tuple[str, str]]]:
    """By the letter of a lemma that stands beside the proof, its symbols that the page does not explain otherwise."""
    proved = graph.claims.get(known.proof_of)
    beside = lemmas(proved.proof) if proved and proved.proof else []
    own = {(latex, says) for latex, says, _ in known.symbols}
    out = {}
    for letter, lemma in zip(ascii_uppercase, beside, strict=False):
        used = symbols_used(lemma, lemma.proof) if lemma.proof else set()
        names = typeset.latex_names(used, lemma.paper)
        said = [(latex, _meaning(str(s), lemma.paper)) for s, latex in names.items()]
        if new := [one for one in said if one[1] and one not in own and not _repeats(*one)]:
            out[letter] = new
    return out


def _meaning(name: str, paper: str) -> str:
    with suppress(KeyError):
        return info(name, paper).meaning
    return ""


def _lettered(line: str, paper: str) -> tuple[str, str]:
    hit = re.match(r"(?:.+, )?(\w+)(\^2)?(?= = |: | \(in )", line)
    if hit is None:
        return "", line
    with suppress(KeyError):
        latex = info(hit[1], paper).latex
        return f"{{{latex}}}^2" if hit[2] else latex, line[hit.end() :]
    return "", line[hit.start(1) :]  # its name is one that is printed


def _repeats(latex: str, says: str) -> bool:
    """Whether words of a symbol say nothing but how it is written, as LaTeX or in plain signs."""
    if "\\" in says:
        return True
    written, told = (re.sub(r"[\s()\u2060]|^\W$", "", one) for one in (_in_text(latex), unicode(says)))
    return written.replace("𝔼", "E").replace("∣", "|") == told.replace(TOGETHER, "")


def sure(known: Facts) -> str:
    """How a verdict was reached, without what its sentence says already."""
    level = known.level if known.level not in ("none", *known.method.split(" ")) else ""
    detail = "" if as_sentence(known.detail) == known.sentence else known.detail
    detail = detail.replace("no run has its vectors", "no instance gives the vectors of the proof")
    method = "" if known.method == "words" else known.method
    level = "shown in words" if level == "argument" and known.method == "words" else level
    said = ", ".join(filter(None, (level, method, detail)))
    return "" if said in ("", "none") else as_sentence(said)


def is_another(known: Facts) -> bool:
    """Whether the values of the hypotheses are of another instance than the counterexample, as their numbers differ."""
    if known.example is None:
        return False
    own, stated, by_hand = (
        dict(_VALUE.findall(text)) for text in (known.instance, known.example.setting, known.example.by_hand)
    )
    other = stated if own.keys() & stated.keys() else by_hand
    shared = [(own[name], other[name]) for name in own.keys() & other.keys()]
    return any(a != b and not math.isclose(_float(a), _float(b), rel_tol=1e-3) for a, b in shared)


_VALUE = re.compile(r"([A-Za-z]\w*) = (-?\d[\w./]*)(?=[,;. )]|$)")


def _in_text(latex: str) -> str:
    try:
        return typeset.text(latex)
    except typeset.TypesettingError:
        return latex


def ratios(known: Facts, tried: Tried | None) -> list[str]:
    """The ratios along a ladder: those of the relation that the page shows, of several, else as they are stated."""
    if tried is None or not tried.climbs or len(known.statement) == 1:
        return [*known.example.ratios] if known.example else []
    pairs = ((at.left, at.right) for at in tried.parameters[0].found if at and at.left and at.right)
    return [sliders.short(left / right if tried.op in ("<", "<=") else right / left, 6) for left, right in pairs]


def sides(example: Example) -> list[tuple[str, str, float]]:
    """Both sides of a counterexample, or its ratios by their digits: what it is, as stated, its share in percent."""
    if example.ratios:
        sizes = [math.log10(max(1.0, _float(one))) for one in example.ratios]
        named = [(f"ratio {i}", one) for i, one in enumerate(example.ratios, start=1)]
    else:
        named = [("left side", example.left), ("right side", example.right)]
        sizes = [abs(_float(one)) for _, one in named]
    largest = max(sizes)
    if not 0 < largest < math.inf:
        return []
    return [(title, stated, round(100 * size / largest, 2)) for (title, stated), size in zip(named, sizes, strict=True)]


def _float(stated: str) -> float:
    """The number that a record states, such as 1/2 or 5e7."""
    try:
        return float(Fraction(stated))
    except (ValueError, OverflowError):
        return math.inf


def formulas(told: Told) -> Iterator[tuple[str, bool]]:
    """The LaTeX of all formulas that a page shows, and whether each is a display."""
    rows = [*told["statement"], *told["where"]]
    rows += [side for pair in told["beside"] for side in (pair["printed"], pair["corrected"])]
    rows += [one["formula"] for one in (*told["hypotheses"], *told["proof"])]
    yield from ((line, True) for lines in rows for line in lines)
    yield from ((name, False) for name, _, _ in told["symbols"])
    yield from ((name, False) for name in told["letters"].values())
    yield from ((name, False) for _, lines in told["legend"] for name, _ in lines if name)
    yield from ((name, False) for lines in told["lettered"].values() for name, _ in lines)


def typeset_all(pages: Iterable[Told]) -> dict[str, str]:
    """MathML by LaTeX; a formula that cannot be typeset has none."""
    out: dict[str, str] = {}
    for told in pages:
        for latex, block in formulas(told):
            if latex not in out:
                try:
                    out[latex] = typeset.mathml(latex, block=block)
                except typeset.TypesettingError:
                    out[latex] = ""
    return out


def is_wide(told: Told) -> bool:
    """Whether print and correction stand below each other, for want of room beside each other."""
    lines = (line for pair in told["beside"] for side in (pair["printed"], pair["corrected"]) for line in side)
    return any(_letters(line) > _ROOM for line in lines)


#: The letters for which there is room, and what takes none in a line of LaTeX; other commands take that of a letter.
_ROOM = 32
_NO_ROOM = re.compile(r"\\textcolor\{\w+\}|\\(?:text|math\w+|left|right|frac|sqrt|hat|bar|tilde)(?![a-zA-Z])|\\[,;! ]")
_COMMAND = re.compile(r"\\(?:(?!inf|max|min|sup|ln|log)[a-zA-Z]+|[^a-zA-Z])")


def _letters(line: str) -> int:
    return len(re.sub(r"[\\{}_^\s]", "", _COMMAND.sub("x", _NO_ROOM.sub("", line))))


def sections(proof: Iterable[Mapping[str, Any]]) -> list[tuple[str, list[Mapping[str, Any]]]]:
    """The steps of a proof under their headings."""
    out: list[tuple[str, list[Mapping[str, Any]]]] = []
    for step in proof:
        if not step["number"]:
            out.append((step["name"], []))
            continue
        if not out:
            out.append(("", []))
        out[-1][1].append(step)
    return out
