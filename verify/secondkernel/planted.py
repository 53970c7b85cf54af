"""Errors planted in exported certificates, each of which Rocq has to refuse."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

#: The kinds of errors.
KINDS = ("multiplier", "sign", "step", "law", "event", "cite", "premise", "exponent", "term", "region")
_LEMMA = re.compile(r"^Lemma (\w+) : (.*?)\.\nProof\.\n(.*?)\nQed\.\n", re.MULTILINE | re.DOTALL)
_PART = re.compile(r"assert \(h_\d+ : 0 <= (.*?)\) by \(apply (mul_le|mul_eq|mul_sq)")
_SIGN = re.compile(r"^Hypothesis (sg_\w+) : 0 (<=?) (\w+)\.$", re.MULTILINE)
_RULE = re.compile(r"^Hypothesis (?!sg_|nat_|met|tie_|orth_)(\w+) : .*$", re.MULTILINE)
_LAW = re.compile(r"split_total|rsum_(?:one|two)")
_EVENT = re.compile(r"\(pr \(fun \w+ : \w+ => ")
_ROUNDS = re.compile(r"<= \(1 \+ added \[[^]]*\]\) \* added \[([^]]*)\]\.$", re.MULTILINE)
_ACCURACY = re.compile(r"^Theorem statement : .*?\((\w+) < ", re.MULTILINE)
_CITED = re.compile(r"\((cited_\w+) (\w+|\([^()]*\))")


@dataclass(frozen=True)
class Planted:
    """An error: of what kind, where, and the changed text."""

    kind: str
    place: str
    text: str


def planted(text: str) -> Iterator[Planted]:
    """Errors in an exported claim, one at a time."""
    for lemma in _LEMMA.finditer(text):
        yield from _multipliers(text, lemma)
        yield from _steps(text, lemma)
        yield from _events(text, lemma)
    yield from _signs(text)
    yield from _premises(text)
    yield from _cites(text)
    yield from _rounds(text)


def _changed(text: str, lemma: re.Match[str], new: str) -> str:
    return text[: lemma.start()] + new + text[lemma.end() :]


def _multipliers(text: str, lemma: re.Match[str]) -> Iterator[Planted]:
    """A multiplier, or the weight of a square, that is larger by one, wherever the lemma speaks of it."""
    for part in dict.fromkeys(m[1] for m in _PART.finditer(lemma[0])):
        more = f"(1 + 1) * {part}" if part.startswith("1 * ") else f"(1 + 1) * ({part})"
        if part.count(" - 0)") and lemma[2].endswith("= 0"):
            continue
        yield Planted("multiplier", lemma[1], _changed(text, lemma, lemma[0].replace(part, more)))


def _steps(text: str, lemma: re.Match[str]) -> Iterator[Planted]:
    """A step that claims a bound smaller by one than what its certificate, or a law, shows."""
    kind = "step" if "gap_le" in lemma[3] else "law" if _LAW.search(lemma[3]) else ""
    if kind and " <= " in lemma[2] and not lemma[1].startswith("sg_"):
        old = f"Lemma {lemma[1]} : {lemma[2]}."
        yield Planted(kind, lemma[1], _changed(text, lemma, lemma[0].replace(old, f"{old[:-1]} + (- 1).", 1)))


def _events(text: str, lemma: re.Match[str]) -> Iterator[Planted]:
    """A step that gives the probability of an event to one that never happens."""
    if "pr_implies" in lemma[3]:
        new = _EVENT.sub(r"\g<0>1 <= 0 /\\ ", lemma[2], count=1)
        yield Planted("event", lemma[1], _changed(text, lemma, lemma[0].replace(lemma[2], new, 1)))


def _signs(text: str) -> Iterator[Planted]:
    """A parameter with the other sign, of one by whose sign a multiplier is nonnegative."""
    for sign in _SIGN.finditer(text):
        name = re.escape(sign[3])
        used = re.compile(r"apply mul_(?:le|sq); (?:\[)?(?:pos|replace)", re.MULTILINE)
        lines = [line for line in text.splitlines() if used.search(line)]
        weight = re.compile(rf"0 <= \(?(?:\d+ \* )?(?:\(/ )?{name}\b(?! \^)")
        if any(weight.search(line) for line in lines):
            new = f"Hypothesis {sign[1]} : {sign[3]} < 0."
            yield Planted("sign", sign[3], text[: sign.start()] + new + text[sign.end() :])


def _premises(text: str) -> Iterator[Planted]:
    """A premise that says nothing."""
    for rule in _RULE.finditer(text):
        if len(re.findall(rf"\b{rule[1]}\b", text)) > 1:
            yield Planted(
                "premise", rule[1], text[: rule.start()] + f"Hypothesis {rule[1]} : 0 <= 0." + text[rule.end() :]
            )


def _cites(text: str) -> Iterator[Planted]:
    """A claim that is cited at another value."""
    for cite in _CITED.finditer(text):
        yield Planted("cite", cite[1], text[: cite.start()] + f"({cite[1]} (1 + {cite[2]})" + text[cite.end() :])


def _rounds(text: str) -> Iterator[Planted]:
    """A term of a bound on rounds with half its exponents, or none, in all places; an accuracy that may be zero."""
    for found in _ROUNDS.finditer(text):
        for term in found[1].split("; "):
            yield Planted("exponent", term, text.replace(term, f"(sqrt {term})"))
            yield Planted("term", term, text.replace(term, "0"))
    for accuracy in _ACCURACY.finditer(text):
        said = f"Hypothesis sg_{accuracy[1]} : 0 < {accuracy[1]}."
        if said in text:
            yield Planted("region", accuracy[1], text.replace(said, said.replace("<", "<=")))
