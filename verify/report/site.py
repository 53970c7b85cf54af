"""The site: an index over papers, an overview of each, a page of each claim. Same records, same bytes.

What takes long, facts with their formulas, tables and plots, is kept between runs; pages are made of it with templates.
The mathematical font is in the one style sheet, as data, so that a browser needs nothing else, and takes it from disk.
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, fields
from functools import cache, partial
from importlib.resources import files
from multiprocessing import get_context
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rateproof.theory import catalog, discovery
from rateproof.verify.pages.document import Formula, signs, typeset
from rateproof.verify.pages.facts import SIGNS, Facts, as_sentence
from rateproof.verify.pages.installation import provenance, version
from rateproof.verify.pages.listed import graph_around
from rateproof.verify.pages.printed import in_words
from rateproof.verify.pages.render import progress
from rateproof.verify.pages.typeset import formed, mathml
from rateproof.verify.report import claim_page, measured, notebooks, paper_page, sliders
from rateproof.verify.report.claim_page import Told
from rateproof.verify.runner import default_jobs, one_blas_thread
from rateproof.verify.stored.kept import kept
from rateproof.verify.stored.sources import digest_of_all

if TYPE_CHECKING:
    import jinja2

_ROOM = files("rateproof.verify.report")
#: Claims that a process tells of at a time.
_SHARE = 12
#: Longer proofs are folded by section.
LONG_PROOF = 12
#: What a line of LaTeX holds that is a formula and not the rest of one.
_RELATION = re.compile(r"\\(?:le|ge|ne|to|in)\b|[=<>]")


@dataclass(frozen=True)
class Paper:
    """What is told of the claims of a paper, by id, and the MathML of their formulas."""

    claims: Mapping[str, Told]
    formulas: Mapping[str, str]


def write(name: str | None, out: Path, benchmarks: Path | None = None) -> Path:
    """Write the site of all papers, of one, or the page of one claim, and return the page to begin with.

    Args:
        name: a paper or claim; all papers if None.
        out: the folder, which is made; pages that are there are overwritten.
        benchmarks: the file that ``python -m benchmarks --json FILE`` wrote, where its tables are to be shown.

    Raises:
        ValueError: no such paper or claim, one that cannot be read, jinja2 is missing, or the file holds no benchmarks.
    """
    if version("jinja2") is None:
        raise ValueError("the report needs jinja2: pip install 'rateproof[report]'")
    times = measured.benchmarks(benchmarks) if benchmarks else None
    out.mkdir(parents=True, exist_ok=True)
    if name is not None and name not in catalog.papers():
        claim, graph = catalog.get(name), graph_around(name)
        told = claim_page.tell(claim, graph)
        papers = {claim.paper: Paper({name: told}, claim_page.typeset_all([told]))}
        written = Pages(papers, overview=False).write(out)
    else:
        written = Pages(_told([name] if name else catalog.readable())).write(out, times)
    return out / written


# --- what is told


def _told(papers: Iterable[str]) -> dict[str, Paper]:
    """What is told of papers, each kept for itself."""
    state = digest_of_all()
    return {paper: Paper(**kept(f"report-{paper}", state, partial(_computed, paper))) for paper in papers}


def _computed(paper: str) -> dict[str, Any]:
    ids = [*catalog.claims(paper)]
    shares = [ids[i : i + _SHARE] for i in range(0, len(ids), _SHARE)]
    claims: dict[str, Told] = {}
    formulas: dict[str, str] = {}
    one_blas_thread()
    with progress(f"pages of {paper}", len(ids)) as step:
        for told in _in_processes(paper, shares):
            for one in told:
                claims[one["id"]] = one
                step(one["id"])
            formulas |= claim_page.typeset_all(told)
    return {"claims": claims, "formulas": formulas}


def _in_processes(paper: str, shares: Sequence[Sequence[str]]) -> Iterable[list[Told]]:
    jobs = min(default_jobs(), len(shares))
    if jobs < 2 or not discovery.found().places[paper].built_in:  # another process does not know what --papers added
        yield from (_share(paper, ids) for ids in shares)
        return
    with ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as pool:
        yield from pool.map(_share, [paper] * len(shares), shares)


_GRAPHS: dict[str, Any] = {}


def _share(paper: str, ids: Sequence[str]) -> list[Told]:
    """What is told of some claims of a paper; a process reads the paper once."""
    one_blas_thread()
    if paper not in _GRAPHS:
        _GRAPHS[paper] = graph_around(next(iter(catalog.claims(paper))))
    graph = _GRAPHS[paper]
    return [claim_page.tell(graph.claims[one], graph) for one in ids]


# --- pages


class Pages:
    """The pages of some papers, and the links between them."""

    def __init__(self, papers: Mapping[str, Paper], *, overview: bool = True) -> None:
        self.papers = papers
        self.overview = overview
        self.claims = {i: told for paper in papers.values() for i, told in paper.claims.items()}
        self.formulas = {latex: made for paper in papers.values() for latex, made in paper.formulas.items()}
        self.environment = _environment(self.link, self.formulas)

    def link(self, name: str) -> str:
        """The file of a paper or claim; empty where the site has none."""
        return file_of(name) if name in self.claims or (self.overview and name in self.papers) else ""

    def write(self, out: Path, times: measured.Benchmarks | None = None) -> str:
        """Write all files, and return the name of the first page."""
        style = _text("style.css").replace("FONT", base64.b64encode(_bytes("font/math.woff2")).decode())
        _put(out / "style.css", style)
        _put(out / "report.js", _text("report.js"))
        _put(out / "OFL.txt", _text("font/OFL.txt"))
        common = {"provenance": provenance(), "several": self.overview}
        first = ""
        for paper, held in self.papers.items():
            for told in held.claims.values():
                _put(out / file_of(told["id"]), self._claim(told, common))
                data = {field.name: told[field.name] for field in fields(Facts)}
                _put(out / file_of(told["id"], "json"), json.dumps(data, indent=1, ensure_ascii=False) + "\n")
                first = first or file_of(told["id"])
            if self.overview:
                _put(out / file_of(paper), self._paper(paper, held.claims, common))
        if not self.overview:
            return first
        entries = [
            paper_page.index_entry(paper, catalog.reference(paper), held.claims) for paper, held in self.papers.items()
        ]
        tours = notebooks.notebooks() if len(self.papers) > 1 else ()
        for one in tours:
            page = self.environment.get_template("notebook.html").render(**common, notebook=one)
            _put(out / f"notebook-{one.name}.html", page)
        page = self.environment.get_template("index.html").render(**common, papers=entries, notebooks=tours)
        _put(out / "index.html", page)
        page = self.environment.get_template("measured.html").render(
            **common, scores=measured.planted(self.papers), measured=times
        )
        _put(out / "measured.html", page)
        return "index.html" if len(self.papers) > 1 else file_of(next(iter(self.papers)))

    def _claim(self, told: Told, common: Mapping[str, Any]) -> str:
        sections = claim_page.sections(told["proof"])
        return self.environment.get_template("claim.html").render(
            **common,
            c=told,
            sections=sections,
            stacked=claim_page.is_wide(told),
            unmarked=all(pair["printed"] == pair["corrected"] for pair in told["beside"]),
            symbols=told["letters"] | {name: latex for latex, _, name in told["symbols"]},
            folded=sum(len(steps) for _, steps in sections) > LONG_PROOF,
            tried=_island(told["tried"]) if told["tried"] else "",
            json_file=file_of(told["id"], "json"),
        )

    def _paper(self, paper: str, claims: Mapping[str, Told], common: Mapping[str, Any]) -> str:
        results = paper_page.results(claims)
        own = paper_page.printed(claims.values())
        values = {key: sorted({one[key] for one in own} - {""}) for key in ("verdict", "severity", "kind")}
        values["verdict"] = [one for one in paper_page.ORDER if one in values["verdict"]]
        return self.environment.get_template("paper.html").render(
            **common,
            paper=paper,
            reference=catalog.reference(paper),
            bars=paper_page.bars(claims),
            said=paper_page.said(claims),
            mended=paper_page.mended(claims),
            roots=paper_page.roots(claims.values()),
            results=results,
            tables=paper_page.tables(results),
            claims=own,
            filters=values,
            graph=paper_page.graph(claims, self.link),
        )


def file_of(name: str, suffix: str = "html") -> str:
    """The file of a paper or claim: its id, with what a file may not be called written out."""
    return f"{re.sub(r'[^A-Za-z0-9._-]', lambda sign: f'~{ord(sign[0]):x}', name)}.{suffix}"


def _environment(link: Callable[[str], str], formulas: Mapping[str, str]) -> jinja2.Environment:
    """Templates with what they may call; all that is no MathML or drawing of ours is escaped."""
    import jinja2
    from markupsafe import Markup, escape

    def math(latex: str) -> Markup:
        return Markup(formulas[latex]) if formulas.get(latex) else Markup(f"<code>{escape(latex)}</code>")

    @jinja2.pass_context
    def prose(context: jinja2.runtime.Context, text: str) -> Markup:
        """A text of a record, in which letters of formulas are set as such, and names of claims are links."""
        return joined(pieces(signs(text), _CLAIM, partial(as_link, context), forms(context)))

    @jinja2.pass_context
    def coded(context: jinja2.runtime.Context, text: str) -> Markup:
        """The same of a text with products and names of symbols as code has them."""
        letters = (context.get("c") or {}).get("letters", {})

        def known(name: str) -> str:
            letter = f"\0{math(letters[name])}\0" if name in letters else ""
            indexed = re.fullmatch(r"([a-zL])(\d)", name)
            return (
                as_link(context, name) or letter or (f"\0{_inline(f'{indexed[1]}_{indexed[2]}')}\0" if indexed else "")
            )

        return joined(pieces(signs(_in_plain(text)), _NAMED, known, forms(context)))

    def forms(context: jinja2.runtime.Context) -> Mapping[str, str]:
        """The forms of letters in the formulas of a page; see :func:`rateproof.verify.pages.typeset.forms`."""
        paper = context.get("paper", "")
        return (context.get("c") or {}).get("forms") or (claim_page.forms_of(paper) if paper else {})

    def as_link(context: jinja2.runtime.Context, name: str) -> str:
        paper = (context.get("c") or {}).get("paper") or context.get("paper", "")
        file = link(name) or link(f"{paper}.{name}")
        if file:
            return f'<a href="{escape(file)}">{escape(name)}</a>'
        return str(escape(name)) if paper and name.startswith(f"{paper}.") else ""

    def pieces(
        text: str, names: re.Pattern[str], known: Callable[[str], str], other: Mapping[str, str]
    ) -> Iterator[str]:
        """A text, with what is known of the names in it."""
        last = 0
        for hit in names.finditer(text):
            if found := known(hit[0]):
                yield from typeset_(text[last : hit.start()], other)
                yield found
                last = hit.end()
        yield from typeset_(text[last:], other)

    def typeset_(text: str, other: Mapping[str, str]) -> Iterator[str]:
        for piece in typeset((text,)):
            yield f"\0{_inline(formed(piece.tex, other))}\0" if isinstance(piece, Formula) else plain(str(piece), other)

    def plain(text: str, other: Mapping[str, str]) -> str:
        words = _UNDERSCORES.sub(_in_words, str(escape(text)))
        return _VARIABLE.sub(lambda hit: f"\0{_inline(formed(hit[0], other))}\0", words)

    def joined(pieces: Iterable[str]) -> Markup:
        kept = _TOGETHER.sub(lambda hit: f'<span class="whole">{hit[0]}</span>', "".join(pieces))
        return Markup(kept.replace("\0", ""))

    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("rateproof.verify.report"),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )
    environment.filters |= {
        "math": math,
        "prose": prose,
        "coded": coded,
        "sentence": as_sentence,
        "words": in_words,
        "short": sliders.short,
        "called": sliders.called,
        "drawn": Markup,
        "best": paper_page.best_correction,
    }
    environment.tests |= {"continued": lambda line: _RELATION.search(line) is None}
    environment.globals |= {"link": link, "signs": SIGNS}
    return environment


#: A letter that stands alone is one of a formula, but for an article, and that of an appendix or of a part.
_VARIABLE = re.compile(
    r"(?!\A[A-Z]\. )(?<![\w.&#;'’-])(?<!Appendix )(?<!Section )(?!(?<=\s\()[a-z][-)])"
    r"(?:[B-HJ-Zb-z]|[Aa](?= (?:[=+≤≥−]|&[lg]t;))|(?<=[=+≤≥−] )A|(?<=[+−])A)(?![\w’]|\.\w)"
)
#: What may be the name of a claim.
_CLAIM = re.compile(r"(?<![\w.])[A-Za-z][A-Za-z0-9_]*[.-][A-Za-z0-9](?:[\w.'/-]*[\w'])?")
#: What may be the name of a symbol in code, where it has no script of its own.
_CODED = r"(?<![\w.^])[A-Za-z]\w*[_\d]\w*(?![\w^({*.]|'\w)"
_NAMED = re.compile(f"{_CLAIM.pattern}|{_CODED}|(?<![\\w.^])[A-Za-z]{{2,}}(?= = )")
#: Words that code joins: FL_2s is printed with an index.
_UNDERSCORES = re.compile(r"(?<![\w.])[A-Za-z]{2,}(?:_[A-Za-z0-9]+)+(?![\w.]\w)")


def _in_words(hit: re.Match[str]) -> str:
    name, _, index = hit[0].partition("_")
    is_index = (re.search("[A-Z]", name) or re.fullmatch(r"[A-Za-z]?\d?", index)) and "_" not in index
    return f"{name}<sub>{index}</sub>" if is_index else hit[0].replace("_", " ")


def _sum(text: str) -> str:
    """What follows on ``Sum(``: its term, the index and its range, and the rest."""
    depth, at = 1, 0
    while depth and at < len(text):
        depth += {"(": 1, ")": -1}.get(text[at], 0)
        at += 1
    term, _, range_ = text[: at - 1].rpartition(", (")
    index, _, ends = range_.removesuffix(")").partition(", ")
    low, _, high = ends.partition(", ")
    return f"sum_{{{index}={low}}}^{{{high}}} {term}{text[at:]}"


def _equation(text: str) -> str:
    """What follows on ``Eq(``: both sides, and the rest."""
    depth, at, comma = 1, 0, 0
    while depth and at < len(text):
        depth += {"(": 1, ")": -1}.get(text[at], 0)
        comma = at if text[at] == "," and depth == 1 and not comma else comma
        at += 1
    return f"{text[:comma]} ={text[comma + 1 : at - 1]}{text[at:]}"


def _in_plain(text: str) -> str:
    """Sums, equations, powers and products of code as a plain text has them."""
    while (at := text.find("Eq(")) >= 0:
        text = text[:at] + _equation(text[at + 3 :])
    while (at := text.find("Sum(")) >= 0:
        text = text[:at] + _sum(text[at + 4 :])
    text = re.sub(r"(?<=\w)_\(", "(", text).replace("= True", "= yes").replace("= False", "= no")
    text = re.sub(r"'(-?[\d/]+)'", r"\1", text)
    text = re.sub(r"\*\*(\((?:[^()]|\([^()]*\))*\)|\w+)", r"^\1", text)
    text = re.sub(r"(?<=[A-Za-z\d)]) \* (?=[A-Za-z(])", " ", text)
    # no product: the star of z* before a bar that ends a norm
    return re.sub(r"(?<=[\w)>])\*(?=[A-Za-z(√<]|\|\|?[\w(-])", " ", text)


#: A formula, between marks, with the signs beside it: no line is broken there.
_TOGETHER = re.compile(r"[(\[‖|−∇)\]]{1,2}\0[^\0]*\0[,.;:)\]}‖|'’/-]{0,3}|\0[^\0]*\0[,.;:)\]}‖|'’/-]{1,3}")
_inline = cache(partial(mathml, block=False))


def _island(data: Any) -> Any:
    """JSON that stands in a script element, where no text of it can end that."""
    from markupsafe import Markup

    text = json.dumps(data, separators=(",", ":"))
    return Markup(text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026"))


def _put(path: Path, text: str) -> None:
    path.write_bytes(text.encode())


def _bytes(name: str) -> bytes:
    return _ROOM.joinpath(name).read_bytes()


def _text(name: str) -> str:
    return _bytes(name).decode()
