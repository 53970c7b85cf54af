"""What the page of a claim is made of, as plain JSON values that are kept between runs."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict
from fractions import Fraction
from typing import Any

from rateproof.theory.claim import Claim
from rateproof.verify.checks import plain
from rateproof.verify.pages import exports, typeset
from rateproof.verify.pages.facts import Example, facts, verdicts
from rateproof.verify.pages.graph import Link, ProofGraph
from rateproof.verify.report import figure, picture, sliders, walks

#: A claim as its page tells it: the fields of its facts, and what comes from elsewhere.
Told = dict[str, Any]


def tell(claim: Claim, graph: ProofGraph) -> Told:
    """What the page of a claim tells."""
    known = facts(claim, graph)
    mended = next((graph.claims[one.id] for one in known.corrections), None)
    tried = sliders.tried(claim, mended, graph.entries.get(claim.id)) or walks.walked(claim, mended)
    plot = figure.plot(tried, {name: _in_text(latex) for latex, _, name in known.symbols}) if tried else None
    shown = sliders.instance(claim, graph.entries.get(claim.id))
    drawn = picture.picture(claim, mended, *shown) if shown else None
    around = [one for _, one in known.rests_on]
    return plain(asdict(known)) | {
        "heading": exports.named(known),
        "exports": {name: exports.FORMATS[name](known) for name in ("latex", "bibtex", "markdown")},
        "tried": asdict(tried) if tried else None,
        "plot": asdict(plot) if plot else None,
        "picture": asdict(drawn) if drawn else None,
        "bars": sides(known.example) if known.example and not tried else [],
        "is_root": graph.is_root_fault(claim.id),
        "reach": graph.reach(claim.id),
        "follows_from": graph.others(claim.id, Link.FOLLOWS),
        "verdicts": verdicts([*around, *known.followers, *known.breaks, *known.parts], graph),
    }


def _in_text(latex: str) -> str:
    try:
        return typeset.text(latex)
    except typeset.TypesettingError:
        return latex


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
    return any(len(_COMMANDS.sub("", line)) > _ROOM for line in lines)


#: What takes no room in a line of LaTeX, or less than its letters do; and the letters for which there is room.
_COMMANDS = re.compile(r"\\(?:text|mathrm|mathbb|frac|left|right|textcolor|sqrt|[,;])|\\(?=[a-zA-Z]{1,3})|[{}_^\s]")
_ROOM = 46


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
