"""The site: every page there, every link good, nothing from elsewhere, and what moves in a browser."""

import json
import math
import os
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from rateproof.theory import catalog
from rateproof.theory.claim import Kind, conjuncts
from rateproof.theory.shorthand import claims_of, le
from rateproof.theory.symbols import POS, vocabulary
from rateproof.verify.counterexamples import replay
from rateproof.verify.form import counts, family, reals
from rateproof.verify.form.arithmetic import erfc, largest, root, sqrt
from rateproof.verify.pages import exports, results
from rateproof.verify.pages.facts import facts
from rateproof.verify.pages.listed import graph_around
from rateproof.verify.planted import score_baseline
from rateproof.verify.report import claim_page, figure, graph, look, measured, paper_page, picture, site, sliders, walks
from rateproof.verify.stored import baseline

pytest.importorskip("jinja2", reason="the report needs jinja2, of the extra 'report'")

PAPER = "textbook"
SCRIPT = "<script>alert(1)</script>\"'&"
CHROMIUM = next((path for path in map(Path, ("/usr/bin/chromium", "/usr/bin/google-chrome")) if path.exists()), None)


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """The site of a small paper."""
    out = tmp_path_factory.mktemp("site")
    site.write(PAPER, out)
    return out


@pytest.fixture(scope="module")
def told():
    """What the page of a refuted claim tells."""
    around = graph_around("strfedavg.lem1")
    return claim_page.tell(around.claims["strfedavg.lem1"], around)


def test_every_claim_has_a_page_with_its_formulas(built):
    there = look.pages_of(built)
    for claim in catalog.claims(PAPER).values():
        page = there[site.file_of(claim.id)]
        assert page.formulas >= (claim.statement is not None), claim.id
        assert json.loads((built / site.file_of(claim.id, "json")).read_text(encoding="utf-8"))["id"] == claim.id
    assert there.keys() == {"index.html", "measured.html", *map(site.file_of, (PAPER, *catalog.claims(PAPER)))}


def test_links_resolve_and_nothing_comes_from_elsewhere(built):
    assert list(look.dead(built, look.pages_of(built))) == []
    style = (built / "style.css").read_text(encoding="utf-8")
    assert all(url.startswith("data:font") for url in re.findall(r"url\((.*?)\)", style))
    assert "import" not in (built / "report.js").read_text(encoding="utf-8")


def test_another_process_writes_the_same_bytes(built, tmp_path):
    """With other hashes, and nothing kept."""
    more = {"PYTHONHASHSEED": "7", "RATEPROOF_HOME": str(tmp_path / "home")}
    command = [sys.executable, "-m", "rateproof", "report", PAPER, "--out", str(tmp_path / "site")]
    done = subprocess.run(command, env={**os.environ, **more}, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == str(tmp_path / "site" / f"{PAPER}.html")
    names = sorted(path.name for path in built.iterdir())
    assert names == sorted(path.name for path in (tmp_path / "site").iterdir())
    changed = [n for n in names if (built / n).read_bytes() != (tmp_path / "site" / n).read_bytes()]
    assert not changed


def spoilt(value):
    """The same with a script in every text but verdicts and formulas."""
    if isinstance(value, str):
        return f"{SCRIPT}{value}"
    if isinstance(value, dict):
        kept = (
            "verdict",
            "amends",
            "tried",
            "plot",
            "picture",
            "statement",
            "where",
            "beside",
            "formula",
            "symbols",
            "id",
            "number",
        )
        return {key: one if key in kept else spoilt(one) for key, one in value.items()}
    return [spoilt(one) for one in value] if isinstance(value, list | tuple) else value


def test_a_title_with_a_script_is_inert(told, tmp_path):
    # nothing that a record says is markup, whichever field it stands in
    pages_ = site.Pages({"strfedavg": site.Paper({told["id"]: spoilt(told)}, claim_page.typeset_all([told]))})
    pages_.write(tmp_path)
    for path in tmp_path.glob("*.html"):
        text = path.read_text(encoding="utf-8")
        assert "<script>alert" not in text, path.name
        assert not [one for one in look.Page(path).scripts if one.get("src") != "report.js" and not one.get("type")]
    assert "&lt;script&gt;alert" in (tmp_path / "strfedavg.html").read_text(encoding="utf-8")


def test_the_page_of_one_claim_knows_the_verdicts_around_it(told, tmp_path):
    site.Pages({"strfedavg": site.Paper({told["id"]: told}, {})}, overview=False).write(tmp_path)
    page = (tmp_path / "strfedavg.lem1.html").read_text(encoding="utf-8")
    assert re.search(r'title="refuted">✗</span>&nbsp;<code>strfedavg.lem2</code>', page)
    assert re.search(r'title="proved">✓</span>&nbsp;<code>strfedavg.step.8.average</code>', page)


def test_a_page_says_where_its_claim_stands_in_the_paper(told, tmp_path):
    pages_ = site.Pages({"strfedavg": site.Paper({told["id"]: told}, {})}, overview=False)
    pages_.write(tmp_path)
    page = (tmp_path / "strfedavg.lem1.html").read_text(encoding="utf-8")
    assert "In the paper: Section 3.1 Strongly convex and convex cases, “Bounded gradient dissimilarity" in page


def test_places_in_one_section_name_it_once():
    around = graph_around("strfedavg.step.14")
    place = facts(around.claims["strfedavg.step.14"], around).located
    assert place.count("Section 4.1") == 1
    assert [head for head in ("Lemma 5", "Lemma 7", "Proposition 6") if f"{head}, “" in place]


def test_names_of_files_are_safe():
    assert site.file_of("mefbo.st-42/43") == "mefbo.st-42~2f43.html"
    files = [site.file_of(i).lower() for i in catalog.all_claims()]
    assert len(set(files)) == len(files)
    assert all(re.fullmatch(r"[a-z0-9._~-]+", name) for name in files)


def test_exports_hold_what_they_say():
    around = graph_around("strfedavg.lem1")
    known = facts(around.claims["strfedavg.lem1"], around)
    assert json.loads(exports.as_json(known))["verdict"] == "refuted"
    assert r"\textcolor{red}" in exports.latex(known)
    assert r"2 $L_\Psi$/N" in exports.latex(known)
    assert exports.markdown(known).startswith("**Lemma 1")
    assert exports.together("bibtex", [known, known]).count("@misc") == 2
    assert len(json.loads(exports.together("json", [known, known]))) == 2


def test_planted_errors_are_added_up(built):
    (scored,) = measured.planted([PAPER])
    lines = score_baseline.path_of(PAPER).read_text(encoding="utf-8").splitlines()
    tight = [one for one in map(json.loads, lines) if one.get("tight")]
    assert scored.total("planted_tight") == sum(one["planted"] for one in tight) > 0
    text = (built / "measured.html").read_text(encoding="utf-8")
    assert f"{scored.total('refuted_tight')} of {scored.total('planted_tight')}" in text
    assert "python -m benchmarks --json" in text


def test_benchmarks_are_shown_where_there_are_some(told, tmp_path):
    table = {"benchmark": "sums", "title": SCRIPT, "columns": ["bound", "time"], "rows": [["1 < 2", "3 ms"]]}
    file = tmp_path / "times.json"
    file.write_text(json.dumps({"made": "today", "tables": [table]}), encoding="utf-8")
    pages_ = site.Pages({"strfedavg": site.Paper({told["id"]: told}, {})})
    pages_.write(tmp_path, measured.benchmarks(file))
    text = (tmp_path / "measured.html").read_text(encoding="utf-8")
    assert "<td>1 &lt; 2</td>" in text
    assert "<td>3 ms</td>" in text
    assert "<script>alert" not in text


@pytest.mark.parametrize("text", ["", "[]", '{"made": "", "tables": [{"title": "no more"}]}'])
def test_what_holds_no_benchmarks_is_refused(tmp_path, text):
    file = tmp_path / "times.json"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(ValueError, match="does not hold benchmarks"):
        measured.benchmarks(file)


# --- what a reader changes

declare, claim = vocabulary("report"), claims_of("report")
L, K = (declare(name, f"the {name} side", **POS) for name in ("low", "high"))
ROOT = claim("root", "Lemma 1", Kind.INEQUALITY, "low <= high", le(L, K), hypotheses=())


def tried_on(run, **ranges):
    """What is tried of L <= K on a family."""
    made = family("a family", **ranges)(run)
    return sliders._code(sliders._Measured(ROOT, None, made), *sliders_of(made))


def sliders_of(made):
    params = {name: one.corners[0] for name, one in made.ranges.items()}
    return params, [*made.ranges], {name: sliders.values_around(one, params[name]) for name, one in made.ranges.items()}


def evaluated(code, **numbers):
    """What the JavaScript returns, read as Python."""
    body, result = code.rsplit(";return ", 1) if ";return " in code else ("", code.removeprefix("return "))
    known = {
        "p": sliders.SimpleNamespace(**numbers),
        "Math": sliders._MATH,
        "null": None,
        "true": True,
        "erfc": math.erfc,
    }
    for line in filter(None, body.split(";")):
        exec(line.removeprefix("const "), known)
    return eval(result.replace("&&", " and ").replace("||", " or "), known)


def test_a_family_becomes_javascript():
    def run(*, a, b):
        return {"low": sqrt(a) * 2 + b, "high": largest(a, b) - abs(b) / 3}

    code = tried_on(run, a=reals(1), b=reals(2))
    left, right, *_ = evaluated(code, a=9.0, b=6.0)
    assert (left, right) == pytest.approx((12, 7))


def test_a_case_of_a_family_is_left_where_it_ends():
    def run(*, a, b):
        return {"low": a + b, "high": a * a if a < 4 else b}

    code = tried_on(run, a=reals(1), b=reals(2))
    assert evaluated(code, a=3.0, b=5.0)[:2] == [8, 9]
    assert evaluated(code, a=5.0, b=5.0) is None


def test_a_root_becomes_javascript_on_the_piece_where_it_lies():
    """The minimiser of (x - a)^2/2 + b |x|/4, which is 0 up to a = b/4."""

    def run(*, a, b):
        met = root(lambda x: x - a + (b / 4 if x >= 0 else -b / 4), a, 1)
        return {"low": met, "high": erfc(a) + b}

    code = tried_on(run, a=reals(2), b=reals(1))
    left, right, *_ = evaluated(code, a=3.0, b=2.0)
    assert (left, right) == pytest.approx((2.5, math.erfc(3) + 2))
    assert evaluated(code, a=0.1, b=2.0) is None


def test_what_does_not_go_through_is_walked_in_the_table():
    def run(*, a, n):
        return {"low": sum((a for _ in range(n)), 0 * a), "high": a}

    with pytest.raises((TypeError, AttributeError, ValueError)):
        tried_on(run, a=reals(1), n=counts(3))


def test_the_table_begins_at_the_counterexample(told):
    tried = told["tried"]
    example = told["example"]
    for moved in tried["parameters"]:
        at = moved["found"][moved["start"]]
        assert at["violated"] and not at["failed"]
        assert f"{at['left']:g}" == example["left"]
    assert any(not at["violated"] for moved in tried["parameters"] for at in moved["found"] if at)
    assert "<svg" in told["plot"]["svg"]


def test_an_axis_with_few_decades_has_ticks():
    axis = figure.axis([0.5, 2.0, 3.0], 0, 100)
    assert len(axis.ticks) >= 3
    assert figure.axis([1e-3, 1e3], 0, 100).ticks == pytest.approx([10.0**k for k in range(-3, 4, 2)])


def test_a_stored_counterexample_is_measured_at_other_numbers():
    around = graph_around("strfedavg.lem5")
    claim_ = around.claims["strfedavg.lem5"]
    walked = walks.walked(claim_, around.claims["strfedavg.lem5.corrected"])
    example = replay.counterexample_to(claim_)
    (step,) = (one for one in walked.parameters if one.name == "gamma_l")
    assert step.values[step.start] == example.data["values"]["gamma_l"]
    assert step.found[step.start].violated and not step.found[step.start].failed
    assert any(not at.violated for at in step.found)
    longer = {**example.data, "values": {**example.data["values"], "gamma_l": step.values[-1]}}
    failed, sides = replay.standing(claim_, *next(iter(example.measured(claim_, longer))))
    left, right = sides[walked_relation(claim_, walked)]
    assert (float(left), float(right)) == pytest.approx((step.found[-1].left, step.found[-1].right))
    assert len(failed) == len(step.found[-1].failed)


def walked_relation(claim_, walked):
    return conjuncts(claim_.statement)[walked.relation]


def test_the_rungs_of_a_ladder_have_the_ratios_that_are_stated():
    claim_ = catalog.get("strfedavg.thm1.i-1")
    walked = walks.walked(claim_, None)
    (along,) = walked.parameters
    stated = [float(ratio) for ratio in replay.counterexample_to(claim_).ratios]
    assert [at.left / at.right for at in along.found] == pytest.approx(stated, rel=1e-2)
    assert walked.climbs and not any(at.violated for at in along.found)
    assert "grows to" in figure.plot(walked, {}).caption


def test_an_instance_begins_where_both_sides_have_size():
    """The simplest one of Lemma D.6 has no noise, so that both sides are 0."""
    claim_ = catalog.get("mefbo.st-59")
    family_, params = sliders.instance(claim_, baseline.read("mefbo").get(claim_.id))
    outcome, _ = sliders._Measured(claim_, None, family_).outcome(params)
    assert not outcome.failed and all(outcome.worst.printed)
    assert params != next(family_.corners(claim_, apart=0))


def test_numbers_that_are_given_and_not_measured_stay():
    """The envelope of |u| is no free number."""
    assert walks.walked(catalog.get("strfedavg.id.huber"), None) is None


# --- drawings of instances


def drawn(claim_id):
    claim_ = catalog.get(claim_id)
    family_, params = sliders.instance(claim_, baseline.read(claim_.paper).get(claim_id))
    mended = next((one for one in catalog.claims(claim_.paper).values() if one.amends == claim_id), None)
    return picture.picture(claim_, mended, family_, params)


def test_the_functions_of_clients_are_drawn_at_the_points_of_the_proof():
    """(x -+ 1)^2/2 at their minima and at 0."""
    svg = drawn("strfedavg.lem1").svg
    of_f = svg.partition("</svg>")[0]
    assert of_f.count("M") - of_f.count('class="grid"') == 2
    labels = [re.sub("<[^>]*>", "", one) for one in re.findall(r'class="name"[^>]*>(.*?)</text>', of_f)]
    assert labels == ["fi", "x, x*", "xf*", "xf*"]


def test_labels_of_close_points_stand_apart():
    labels = {(100.0, 100.0): "x, y, z", (112.0, 100.0): "theta", (106.0, 104.0): "a minimum"}
    boxes = []
    for (x, y, anchor), text in zip(picture._beside(labels, []), labels.values(), strict=True):
        wide = picture._SIGN * len(text)
        start = x - {"start": 0, "middle": wide / 2, "end": wide}[anchor]
        boxes.append((start, y - picture._HIGH, start + wide, y))
    pairs = [(a, b) for i, a in enumerate(boxes) for b in boxes[:i]]
    assert not any(a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3] for a, b in pairs)


def test_what_is_0_everywhere_is_not_drawn():
    """The indicator of a set, beside a loss."""
    assert drawn("fedweight.rem-A2.i").svg.count("<svg") == 1


def test_a_function_of_the_plane_has_level_lines():
    xs = ys = np.linspace(-1.0, 1.0, picture._CELLS + 1)
    lines = list(picture._levels(xs, ys, xs[:, None] ** 2 + ys[None, :] ** 2))
    radii = {round(float(np.hypot(x, y)), 1) for line in lines for x, y in line}
    assert len(radii) <= picture._LEVELS
    assert len(lines) > 40 * picture._LEVELS // 2


def test_a_function_of_one_coordinate_is_drawn_along_it():
    svg = drawn("mefbo.lemG.1-b").svg
    assert 'θ<tspan dy="4" class="script">γ</tspan><tspan dy="-4">*(z)' in svg and "level" not in svg


# --- texts


@pytest.mark.parametrize(
    ("text", "letters"),
    [
        ("Theorem 3 (i-1) on a factor 1/N of Appendix B", ["N"]),
        ("f(x) - inf f, it's k-1; (b) says so", ["f", "x", "f", "k"]),
        ("a step with a + b = 1; f(x; z)", ["a", "b", "f", "x", "z"]),
        ("e.g. <b>", []),
    ],
)
def test_letters_of_formulas_are_set_as_such(text, letters):
    set_ = filtered("prose", text)
    assert re.findall(r"<mi>(\w)</mi></mrow></math>", set_) == letters
    assert "<b>" not in set_


def filtered(name, text, link=lambda _: "", formulas=None, **context):
    """A text as a filter of the pages sets it."""
    template = site._environment(link, formulas or {}).from_string(f"{{{{ text|{name} }}}}")
    return template.render(text=text, **context)


def test_names_of_claims_are_links():
    known = {"fedmsa.eq43": "a.html", "fedmsa.thm3.1": "b.html"}
    set_ = filtered("prose", "it falls with fedmsa.eq43 and (thm3.1); e.g. eq43", known.get, c={"paper": "fedmsa"})
    assert re.findall(r'href="(\w).html">([\w.]+)<', set_) == [("a", "fedmsa.eq43"), ("b", "thm3.1")]


def test_names_of_code_are_printed_as_formulas_have_them():
    c = {"paper": "fedmsa", "letters": {"W_next": "W_{k+1}"}}
    set_ = filtered("coded", "definition of W_next, error_h = 2*x**2", formulas={"W_{k+1}": "<math>W</math>"}, c=c)
    assert "<math>W</math>" in set_ and re.sub("<[^>]*>", "", set_) == "definition of W, errorh = 2 x2"
    assert "*" not in set_ and "_" not in set_


def test_a_method_with_an_index_keeps_it():
    assert filtered("prose", "FedRZO_bl and FL_2s") == "FedRZO<sub>bl</sub> and FL<sub>2s</sub>"


def test_a_proof_names_hypotheses_by_their_number(told):
    around = graph_around("fedmsa.eqW")
    page = claim_page.tell(around.claims["fedmsa.eqW"], around)
    keys = [h["key"] for h in page["hypotheses"]]
    of = next(text for text in page["grounds"].values() if "hypothesis" in text)
    raw = next(step["grounds"] for step in page["proof"] if "hypothesis" in step["grounds"])
    key = raw.partition("hypothesis ")[2]
    assert f"hypothesis {keys.index(key) + 1}" in of
    assert {name for name, _ in told["rules"]} == {"smoothness and convexity"}


def test_what_is_said_once_is_not_said_again(told):
    assert all(says for _, says in told["explained"])
    written = {latex for latex, _, _ in told["symbols"]} - {latex for latex, _ in told["explained"]}
    assert r"\|\nabla f_i(x)\|^2" in "".join(written)
    assert "G" in "".join(latex for latex, _ in told["explained"])


@pytest.mark.parametrize(
    ("latex", "says", "same"),
    [(r"\|x - y\|^2", "||x - y||^2", True), (r"\|x - y\|^2", "||x - y||^2 on average", False), ("x", "y", False)],
)
def test_words_that_repeat_a_formula(latex, says, same):
    assert claim_page._repeats(latex, says) is same


@pytest.mark.parametrize(
    ("line", "letter", "rest"),
    [
        ("E||x - y||^2, dist2 = ||x - y||^2", "", "dist2 = ||x - y||^2"),
        ("L_f: a constant", "L_f", ": a constant"),
        ("x: any point, or another one", "", "x: any point, or another one"),
    ],
)
def test_a_letter_of_a_proof_is_written_once(line, letter, rest):
    assert claim_page._lettered(line, "strfedavg") == (letter, rest)


def test_sums_of_code_are_sums():
    set_ = filtered("coded", "Sum(x_(k), (k, 0, K - 1))/K", c={"paper": "", "letters": {}})
    assert "∑" in set_ and "Sum" not in set_


@pytest.mark.parametrize(
    ("x", "told_"), [(1e-5, "10⁻⁵"), (-2.5, "−2.5"), (3.14159e8, "3.142·10⁸"), (1200.0, "1200"), (1e-300, "10⁻³⁰⁰")]
)
def test_numbers_have_their_powers_of_ten(x, told_):
    assert sliders.short(x) == told_


def test_a_name_in_a_drawing_has_its_scripts():
    assert re.sub("<[^>]*>", "|", figure.spans("x_(r, k)")) == "x|r, k|"
    assert figure.spans("λ_y") == figure.spans("λ_(y)")
    assert "ᵢ" not in figure.spans("fᵢ") and ">i<" in figure.spans("fᵢ")


# --- the overview


def test_the_drawing_puts_a_box_above_what_it_rests_on():
    cells = [graph.Cell(name, f"Lemma {i}", "proved", "") for i, name in enumerate("abc", start=1)]
    svg = graph.draw(cells, [("a", "b"), ("b", "c"), ("c", "a")], lambda one: f"{one}.html", lambda _: False)
    rows = dict(re.findall(r"<text x=\"[\d.]+\" y=\"([\d.]+)\">(Lemma \d)", svg))
    heights = {name: float(y) for y, name in rows.items()}
    assert heights["Lemma 1"] < heights["Lemma 2"] < heights["Lemma 3"]
    assert svg.count('class="edge') == 3
    assert 'href="a.html"' in svg


@pytest.mark.parametrize(
    ("place", "result"),
    [
        ("Theorem 3 (i-1)", "Theorem 3"),
        ("Theorem 1 and proof of (i-1)", "Theorem 1"),
        ("proof of Lemma D.7 (Step 2)", "proof of Lemma D.7"),
        ("Section 3, after Theorem 3.1", "Section 3"),
        ("our own, for Lemma 1", "our own, for Lemma 1"),
        ("Theorems 1 and 3 and their proofs", "Theorems 1 and 3 and their proofs"),
    ],
)
def test_a_place_belongs_to_a_result(place, result):
    assert results.result_of(place) == result
    assert results.kind_of(result) == ("Theorem" if result in ("Theorem 1", "Theorem 3") else "")


def test_bars_count_every_printed_claim(told):
    pages_ = {told["id"]: told}
    assert [bar.total for bar in paper_page.bars(pages_)] == [1, 1, 1]
    assert [bar.counts[0][0] for bar in paper_page.bars(pages_)] == ["refuted", "proved", "proved"]


def test_faults_begin_where_nothing_below_is_one(told):
    """As `show` has them: Lemma 1 falls with the step of its proof that has the factor."""
    around = graph_around("strfedavg")
    first = next(iter(around.root_faults(around.claims)))
    assert told["id"] in around.reach(first)
    below = claim_page.tell(around.claims[first], around)
    assert [one["id"] for one in paper_page.roots([told, below])] == [first]


# --- in a browser


@pytest.fixture(scope="module")
def browser():
    playwright = pytest.importorskip("playwright.sync_api", reason="needs playwright, of the extra 'test'")
    if CHROMIUM is None:
        pytest.skip("no Chromium is installed")
    with playwright.sync_playwright() as running:
        opened = running.chromium.launch(executable_path=str(CHROMIUM), args=["--no-sandbox", "--disable-gpu"])
        yield opened
        opened.close()


@pytest.fixture
def tab(browser):
    """A page that remembers what went wrong and what was asked for."""
    opened = browser.new_page()
    opened.wrong, opened.asked = [], []
    opened.on("console", lambda message: opened.wrong.append(message.text))
    opened.on("pageerror", lambda error: opened.wrong.append(str(error)))
    opened.on("request", lambda request: opened.asked.append(request.url))
    yield opened
    assert not opened.wrong
    assert not [url for url in opened.asked if not url.startswith(("file:", "data:"))]
    opened.close()


def test_pages_show_their_formulas_in_a_browser(built, tab):
    assert look.wrong(tab, built, [*look.pages_of(built)][:6]) == []


def test_filters_and_graph_answer(built, tab):
    tab.goto((built / f"{PAPER}.html").as_uri())
    total = len(catalog.claims(PAPER))
    assert tab.locator(".card:visible").count() == total
    tab.fill("#search", "young")
    assert 0 < tab.locator(".card:visible").count() < total
    tab.fill("#search", "")
    tab.locator("#filters button").first.click()
    key, value = (tab.locator("#filters button").first.get_attribute(f"data-{one}") for one in ("key", "value"))
    assert tab.locator(".card:visible").count() == tab.locator(f'.card[data-{key}="{value}"]').count()


def test_the_drawing_lights_what_hangs_together(built, tab):
    cells = [graph.Cell(name, f"Lemma {i}", "proved", "") for i, name in enumerate("abc", start=1)]
    svg = graph.draw(cells, [("a", "b")], lambda one: "", lambda _: False)
    page = built / "drawing.txt.html"
    page.write_text(f'<script src="report.js" defer></script>{svg}', encoding="utf-8")
    tab.goto(page.as_uri())
    page.unlink()
    tab.locator("svg.graph .node").first.focus()
    assert tab.locator("svg.graph.lit .node.hot").count() == 2


def test_results_of_which_none_rests_on_another_are_not_drawn(built):
    assert "svg" not in (built / f"{PAPER}.html").read_text(encoding="utf-8")


def test_the_error_function_of_the_pages(built, tab):
    tab.goto((built / "index.html").as_uri())
    at = [-2.0, 0.0, 0.3, 1.0, 2.4, 2.6, 6.0, 20.0]
    assert tab.evaluate("at => at.map(erfc)", at) == pytest.approx([math.erfc(x) for x in at], rel=1e-11)


def test_sliders_answer(told, tmp_path, tab):
    site.Pages({"strfedavg": site.Paper({told["id"]: told}, claim_page.typeset_all([told]))}, overview=False).write(
        tmp_path
    )
    tab.goto((tmp_path / "strfedavg.lem1.html").as_uri())
    assert "violated" in tab.inner_text("#says")
    left = tab.inner_text('[data-number="left"]')
    moved = next(
        i for i, one in enumerate(told["tried"]["parameters"]) if any(at and not at["violated"] for at in one["found"])
    )
    found = told["tried"]["parameters"][moved]["found"]
    tab.locator(f'[data-parameter="{moved}"]').fill(
        str(next(i for i, at in enumerate(found) if at and not at["violated"]))
    )
    assert "holds" in tab.inner_text("#says")
    tab.click("#back")
    assert tab.inner_text('[data-number="left"]') == left


def test_a_page_says_in_sentences_under_what_a_broken_claim_holds():
    graph = graph_around("fedmsa.thm3.1")

    def said(claim_id):
        return claim_page.saved(facts(graph.claims[claim_id], graph, proof=False), graph)

    assert said("fedmsa.thm3.1").startswith(
        "Read kindly, it holds when 7 places are read otherwise, all at once: A5, A3"
    )
    corrected = said("fedmsa.lemC.1.A3.S")
    assert corrected == "The correction fedmsa.lemC.1.A3.S.corrected holds, which states something else."


def test_values_of_another_instance_are_called_so():
    graph = graph_around("fedrzo.lem11.iii")
    another, same = (facts(graph.claims[i], graph) for i in ("fedrzo.lem11.iii", "fedrzo.exp4.tau"))
    assert claim_page.is_another(another) and not claim_page.is_another(same)


def test_numbers_of_an_instance_have_the_letters_of_their_symbols():
    graph = graph_around("fedrzo.rem4.i.inexact")
    known = facts(graph.claims["fedrzo.rem4.i.inexact"], graph)
    assert claim_page.stated(known)["rounds"] == "R"
    # a parameter that is named like a symbol of the claim, but stands for something else
    other = replace(known, example=replace(known.example, names=(("rounds", "tries"),)))
    assert claim_page.stated(other) == {}


def test_a_page_names_the_correction_and_the_ratios_that_it_shows():
    graph = graph_around("fedmsa.corD.1")
    assert "fedmsa.corD.1.corrected holds" in claim_page.saved(facts(graph.claims["fedmsa.corD.1"], graph), graph)
    claim = graph_around("mefbo.cor3.5-i").claims["mefbo.cor3.5-i"]
    known, tried = facts(claim, graph_around(claim.id)), walks.walked(claim, None)
    at = tried.parameters[0].found[0]
    assert claim_page.ratios(known, tried)[0] == sliders.short(at.left / at.right, 6) != known.example.ratios[0]
