"""The names under which a reader meets the symbols of a claim.

The name of a symbol may hold more than the paper prints, so that names stay apart: ``Theta1_bl`` is the Theta_1 of one
section, ``K_it`` the K that counts iterations. On the page of one claim the printed letter is enough, unless two
symbols of the page share it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress

import sympy as sp

from rateproof.theory.claim import Claim, conjuncts
from rateproof.theory.digest import definitions
from rateproof.theory.symbols import GREEK, info

#: What a section of a paper appends to its symbols.
_SECTION = re.compile(r"_(bl|2s|game)$")
_TEX = str.maketrans("", "", "\\{}")
_ACCENT = re.compile(r"\\(bar|hat|tilde|underline|rm|mathrm|text)\b")
#: What a text that states a relation holds.
_RELATES = re.compile(r"[<>=≤≥]|\bin [\[(]")
_WORD = re.compile(r"[A-Za-z]\w*[_\d]\w*")
_PLAIN = re.compile(r"[A-Za-z]+(_[A-Za-z0-9]+)?")


def symbols_of(claim: Claim) -> list[sp.Symbol]:
    """All symbols on the page of a claim, by name: of statement, hypotheses, definitions, readings and schedule."""
    defined = definitions(claim)
    parts: list[sp.Basic | None] = [claim.statement, *(h.relation for h in claim.hypotheses), *defined]
    parts += defined.values()
    for switch in claim.switches:
        parts += [*switch.substitute, *switch.substitute.values(), *(h.relation for h in switch.adding)]
    if (schedule := claim.schedule) is not None:
        parts += [*schedule.rules, *schedule.rules.values(), *(c.relation for c in schedule.conditions)]
    return sorted({s for part in parts if part is not None for s in part.atoms(sp.Symbol)}, key=str)


def symbols_in(text: str, paper: str) -> list[sp.Symbol]:
    """The symbols that a text names; letters and plain words are no names of symbols there."""
    symbols = []
    for word in sorted(set(_WORD.findall(text))):
        with suppress(KeyError):
            symbols.append(info(word, paper).symbol)
    return symbols


def printed_names(symbols: Iterable[sp.Symbol], paper: str) -> dict[str, str]:
    """The printed name of each symbol, by name, no two the same: the paper's letter, else without section, else as is.

    A name that is a word or a letter (``rounds``, ``Lam``) stays as it is.
    """
    open_names = sorted({str(s) for s in symbols})
    out: dict[str, str] = {}
    for shorten in (_letter, _without_section, _as_is):
        wanted = {name: shorten(name, paper) for name in open_names}
        taken = Counter([*wanted.values(), *out.values()])
        done = {n: w for n, w in wanted.items() if taken[w] == 1 and (w == n or w not in open_names)}
        out |= done
        open_names = [n for n in open_names if n not in done]
    return out


def renaming(names: Mapping[str, str]) -> Callable[[str], str]:
    """A function that puts printed names in place of names in a text or formula."""
    changed = {name: shown for name, shown in names.items() if name != shown}
    if not changed:
        return str
    pattern = re.compile(rf"\b({'|'.join(sorted(map(re.escape, changed), key=len, reverse=True))})\b")
    return lambda text: pattern.sub(lambda hit: changed[hit[0]], text)


def formula(relation: sp.Basic) -> str:
    """A relation, or several, in one line."""
    signs = {"==": "=", "!=": "!="}
    return " and ".join(f"{r.lhs} {signs.get(r.rel_op, r.rel_op)} {r.rhs}" for r in conjuncts(relation))


def with_formula(text: str, relation: sp.Basic | None) -> str:
    """A text, and the relation that it stands for where it only names it."""
    return text if relation is None or relates(text) else f"{text}: {formula(relation)}"


def in_words(name: str) -> str:
    """The name of a reading, in words where it has some: ``eta squared`` of ``eta_squared``, but ``n_train``."""
    return name if re.fullmatch(rf"(?:{GREEK})_\w", name) else re.sub(r"(?<!(?<!\w)[A-Za-z])_", " ", name)


def relates(text: str) -> bool:
    """Whether a text states a relation itself."""
    return bool(_RELATES.search(text))


def _letter(name: str, paper: str) -> str:
    if name.isalpha():
        return name
    try:
        latex = info(name, paper).latex
    except KeyError:  # an index of a sum
        return name
    text = latex.replace(r"\varepsilon", "eps").replace(r"\ell", "l").translate(_TEX)
    plain = latex != name and not _ACCENT.search(latex) and _PLAIN.fullmatch(text)
    return text if plain else _without_section(name, paper)


def _without_section(name: str, _: str) -> str:
    return _SECTION.sub("", name)


def _as_is(name: str, _: str) -> str:
    return name
