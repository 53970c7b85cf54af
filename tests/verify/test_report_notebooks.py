"""The notebooks as pages of the site."""

import json
import re

import pytest

from rateproof.verify.report import notebooks, site

pytest.importorskip("jinja2", reason="the report needs jinja2, of the extra 'report'")


@pytest.fixture(scope="module")
def told():
    return notebooks.notebooks()


def rendered(notebook):
    template = site._environment(lambda _: "", {}).get_template("notebook.html")
    return template.render(provenance="", several=True, notebook=notebook)


def test_all_notebooks_are_listed_once(told):
    names = [one.name for one in told]
    assert sorted(names) == sorted(path.stem for path in notebooks.FOLDER.glob("*.ipynb"))
    assert all(one.about for one in told)


def test_a_page_tells_and_shows_all_of_it(told):
    for one in told:
        page = rendered(one)
        cells = json.loads((notebooks.FOLDER / f"{one.name}.ipynb").read_text(encoding="utf-8"))["cells"]
        assert len(one.cells) == len(cells)
        assert page.count('<div class="wide"') == sum(len(cell.get("outputs", ())) for cell in cells)
        assert "<h1>" in page and "# " not in one.title
        assert not re.search(r'(?:src|href)="http', page)
        # code is folded, and no figure with it; a formula that cannot be set would be LaTeX among the code
        assert not any(
            "<figure" in folded for folded in re.findall(r"<details><summary>code.*?</details>", page, re.DOTALL)
        )
        assert not re.search(r"<code>[^<]*\\[^<]*</code>", page)


def test_formulas_are_set_and_code_is_left():
    html = notebooks.as_html("**So** $x_1^2\\le 1$ costs `$5`:\n\n$$\\frac12$$\n\n| a | b |\n|---|---|\n| 1 | $y$ |")
    assert html.count("<math") == 3
    assert "<code>$5</code>" in html and "<strong>So</strong>" in html and "<td>1</td>" in html
    assert "<script>" not in notebooks.as_html("$<script>$")


def test_without_a_list_there_are_none(tmp_path):
    assert notebooks.notebooks(tmp_path) == ()
