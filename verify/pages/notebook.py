"""What notebooks show: a claim as its page tells it, tables, figures with a caption, and sliders over closed forms.

Imported in a running IPython, it makes a claim alone in a cell show itself. All of it is text of the notebook: the same
cells give the same bytes, and nothing here needs a kernel once it is shown.
"""

from __future__ import annotations

import json
import sys
from base64 import b64encode
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from html import escape
from typing import Any

import sympy as sp

from rateproof.theory import catalog
from rateproof.theory.claim import Claim, conjuncts, expand_definitions
from rateproof.verify.checks import blank, judged
from rateproof.verify.evidence import Evidence
from rateproof.verify.pages import exports, typeset
from rateproof.verify.pages.document import unicode
from rateproof.verify.pages.facts import SIGNS, Facts, Rows, facts
from rateproof.verify.pages.graph import ProofGraph
from rateproof.verify.pages.listed import graph_around
from rateproof.verify.pages.render import markdown_table
from rateproof.verify.stored.baseline import Entry

#: What differs is underlined too: colour never stands alone.
_STYLE = (
    "<style>.rateproof math{margin:.5em 0}.rateproof>div{overflow-x:auto}"
    ".rateproof .wrong{color:#b3261e;text-decoration:underline}.rateproof .right{color:#1b7f3b}</style>"
)
_COLOURS = ("#d55e00", "#0072b2", "#009e73", "#000000")


@dataclass(frozen=True)
class Shown:
    """Something that a cell shows: its text by media type, the richest of which a reader picks."""

    html: str
    markdown: str

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        bundle = {"text/html": self.html, "text/markdown": self.markdown, "text/plain": self.markdown}
        return {kind: text for kind, text in bundle.items() if text}


# --- claims


def told(claim: Claim) -> Facts:
    """What is told of a claim: with its verdict and its neighbours, or alone where it is in no catalog."""
    if claim.paper in catalog.papers() and catalog.claims(claim.paper).get(claim.id) == claim:
        return facts(claim, _around(claim.paper))
    return facts(claim, ProofGraph({claim.id: claim}, {}))


def decided(claim: Claim, evidence: Iterable[Evidence]) -> Shown:
    """A claim of one's own, with the verdict that some evidence gives.

    Raises:
        ValueError: the evidence contradicts itself.
    """
    entry = Entry(judged(blank(claim), evidence), "quick", 0)
    return _shown(facts(claim, ProofGraph({claim.id: claim}, {claim.id: entry})))


@cache
def _around(paper: str) -> ProofGraph:
    """All papers that hang together with one: a second claim of the same takes no second."""
    return graph_around(next(iter(catalog.claims(paper))))


def _shown(of: Facts) -> Shown:
    return Shown("".join(_html(of)), exports.markdown(of))


def _html(of: Facts) -> Iterator[str]:
    """As :func:`exports.markdown`, with MathML."""
    yield f'<div class="rateproof">{_STYLE}<p><strong>{escape(exports.named(of))}</strong> (<code>{of.id}</code>)<br>'
    yield f"{SIGNS[of.verdict]} {escape(exports.verdict_in_words(of))}</p><p>{escape(unicode(of.sentence))}</p>"
    for title, formulas in exports.titled(of):
        yield f"<p>{title}</p><div>{''.join(map(_formula, formulas))}</div>"
    if changed := [one for one in of.hypotheses if one.change]:
        numbers = Counter(one.change for one in changed)
        said = ", ".join(f"{numbers[one]} {one}" for one in ("dropped", "added") if numbers[one])
        listed = "".join(f"<li>{one.change}: {escape(unicode(one.text))}</li>" for one in changed)
        yield f"<details><summary>Hypotheses that change: {said}</summary><ul>{listed}</ul></details>"
    if of.example and of.example.by_hand:
        yield f"<p>Counterexample. {escape(unicode(of.example.by_hand))}</p>"
    yield f"<p><code>rateproof show {of.id}</code></p></div>"


def _formula(rows: Rows) -> str:
    try:
        return "".join(typeset.mathml(row, block=True) for row in rows)
    except typeset.TypesettingError:
        return f"<pre>{escape(' '.join(rows))}</pre>"


def right_side(claim: Claim, known: Mapping[str, Any]) -> sp.Expr:
    """The right side of a claim's first relation, its definitions written out, with numbers for symbols by name."""
    relation = conjuncts(claim.statement)[0]
    side = expand_definitions(relation.rhs, claim.where)
    return side.subs({s: known[str(s)] for s in side.free_symbols if str(s) in known})


# --- tables, figures, sliders


def table(head: Sequence[Any], rows: Iterable[Sequence[Any]]) -> Shown:
    """A table; cells are text, with formulas between dollars."""
    return Shown("", markdown_table(head, rows))


def small(number: float, least: float = 1e-12) -> str:
    """A number that is not negative, and may be nothing but rounding."""
    return f"below {least:g}" if number < least else f"{number:.3g}"


def text(words: str) -> Shown:
    """Markdown with numbers that the cell computed."""
    return Shown("", words)


def figure(drawn: Any, caption: str, alt: str) -> Shown:
    """A figure of matplotlib as SVG.

    Args:
        drawn: the figure.
        caption: a sentence below it.
        alt: what it shows, for those who do not see it.
    """
    from rateproof.verify.experiments.figures import svg

    # An image of its own: its ids meet no others on the page, and readers that take out foreign SVG show it.
    source = f"data:image/svg+xml;base64,{b64encode(svg(drawn)).decode()}"
    image = f'<img src="{source}" alt="{escape(alt)}">'
    return Shown(f"<figure>{image}<figcaption>{escape(caption)}</figcaption></figure>", f"{caption} ({alt})")


def slider(name: str, values: Mapping[str, Mapping[str, float]], caption: str, start: str = "") -> Shown:
    """Numbers of a closed form as bars, for each value of a parameter; a slider chooses the value.

    The longest bar is the largest number at the same value. All values stand in the page, and the slider only chooses
    which are seen, so that no kernel has to answer.

    Args:
        name: of the parameter.
        values: the numbers by what they are, at each value of the parameter; not negative.
        caption: a sentence below it.
        start: the value that is shown first; the first one by default.
    """
    keys = list(values)
    first = keys.index(start) if start else 0
    rows = "".join(
        f"<tr data-at='{at}'{'' if at == first else ' hidden'}><th scope='row'>{escape(label)}</th>"
        f"<td style='width:20em'><i style='display:block;height:1em;background:{_COLOURS[i % len(_COLOURS)]};"
        f"width:{100 * number / (max(row.values()) or 1):.2f}%'></i></td><td>{number:.4g}</td></tr>"
        for at, row in enumerate(values.values())
        for i, (label, number) in enumerate(row.items())
    )
    moved = (
        "for(const r of this.closest('figure').querySelectorAll('[data-at]'))r.hidden=r.dataset.at!==this.value;"
        f"this.nextElementSibling.value={json.dumps(keys)}[this.value]"
    )
    html = (
        f"<figure><label>{escape(name)} = <input type='range' min='0' max='{len(keys) - 1}' value='{first}' "
        f'oninput="{escape(moved)}"><output>{escape(keys[first])}</output></label>'
        f"<table>{rows}</table><figcaption>{escape(caption)}</figcaption></figure>"
    )
    labels = list(values[keys[first]])
    shown = markdown_table([name, *labels], [[key, *(f"{values[key][one]:.4g}" for one in labels)] for key in keys])
    return Shown(html, shown)


# --- IPython


def register(shell: Any) -> None:
    """Have claims show themselves in an IPython shell."""
    formatters = shell.display_formatter.formatters
    formatters["text/html"].for_type(Claim, lambda claim: _shown(told(claim)).html)
    formatters["text/markdown"].for_type(Claim, lambda claim: exports.markdown(told(claim)))
    formatters["text/plain"].for_type(Claim, lambda claim, p, cycle: p.text(f"{claim.id}: {claim.text}"))


if "IPython" in sys.modules and (_running := sys.modules["IPython"].get_ipython()) is not None:
    register(_running)
