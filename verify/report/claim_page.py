"""What the page of a claim is made of, as plain JSON values that are kept between runs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict
from typing import Any

from rateproof.theory.claim import Claim
from rateproof.verify.pages import exports, typeset
from rateproof.verify.pages.facts import facts
from rateproof.verify.pages.graph import Link, ProofGraph
from rateproof.verify.report import figure, sliders

#: A claim as its page tells it: the fields of its facts, and ``exports``, ``tried``, ``plot``, ``heading``.
Told = dict[str, Any]


def tell(claim: Claim, graph: ProofGraph) -> Told:
    """What the page of a claim tells."""
    known = facts(claim, graph)
    mended = next((graph.claims[one.id] for one in known.corrections), None)
    tried = sliders.tried(claim, mended, graph.entries.get(claim.id))
    named = {name: typeset.text(latex) for latex, _, name in known.symbols}
    plot = figure.plot(tried, named) if tried else None
    return asdict(known) | {
        "heading": exports.named(known),
        "exports": {name: exports.FORMATS[name](known) for name in ("latex", "bibtex", "markdown")},
        "tried": asdict(tried) if tried else None,
        "plot": asdict(plot) if plot else None,
        "follows_from": graph.others(claim.id, Link.FOLLOWS),
    }


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
