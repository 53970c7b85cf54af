"""What notebooks show: claims, tables, figures and sliders, in IPython and as text of a page."""

import re
from dataclasses import replace

import numpy as np
import pytest

from rateproof.theory import catalog
from rateproof.theory.claim import Claim
from rateproof.verify.checks import Budget, evidence_on
from rateproof.verify.experiments import figures
from rateproof.verify.pages import notebook

SCRIPT = "<script>alert(1)</script>"


@pytest.fixture(scope="module")
def shell():
    """The formatters of an IPython without a terminal, with those of claims."""
    core = pytest.importorskip("IPython.core.formatters", reason="the extra notebooks has IPython")
    formatter = core.DisplayFormatter()
    notebook.register(type("Shell", (), {"display_formatter": formatter}))
    return formatter


def test_a_claim_alone_in_a_cell_shows_itself(shell):
    bundle, _ = shell.format(catalog.get("textbook.gd_smooth"))
    told = notebook.told(catalog.get("textbook.gd_smooth"))
    assert set(bundle) == {"text/html", "text/markdown", "text/plain"}
    assert "<math" in bundle["text/html"] and "$$" in bundle["text/markdown"]
    for text in (bundle["text/html"], bundle["text/markdown"]):
        assert told.verdict in text and told.title in text and told.sentence.split()[0] in text
    assert bundle["text/plain"].startswith("textbook.gd_smooth: ")


def test_what_differs_is_marked_and_its_counterexample_told(shell):
    html = shell.format(catalog.get("strfedavg.lem1"))[0]["text/html"]
    printed, corrected = html.split("As it holds")
    assert "As printed" in printed and 'class="wrong"' in printed
    assert printed.count("<math") == 4 and corrected.count("<math") == 2  # what is the same stands there once
    assert "f₁, f₂ = (x ∓ 1)²/2" in html


def test_a_claim_that_is_in_no_catalog_stands_alone():
    claim = replace(catalog.get("textbook.gd_smooth"), title=SCRIPT)
    assert isinstance(claim, Claim) and notebook.told(claim).verdict == "-"
    shown = notebook.decided(claim, evidence_on(claim, Budget()))
    assert "proved" in shown.markdown and SCRIPT not in shown.html


def test_a_table_and_a_text_are_markdown():
    assert notebook.table(["a"], [[1]])._repr_mimebundle_() == dict.fromkeys(
        ("text/markdown", "text/plain"), "| a |\n| --- |\n| 1 |"
    )
    assert notebook.text("x")._repr_mimebundle_()["text/markdown"] == "x"


def test_a_figure_is_the_same_for_the_same_numbers_and_has_a_text():
    pytest.importorskip("matplotlib", reason="the extra plot has matplotlib")
    shown = []
    for _ in range(2):
        drawn, ((ax,),) = figures.figure(1)
        ax.plot([1, 2], [1, 3], label="a")
        ax.legend()
        shown.append(notebook.figure(drawn, f"a & {SCRIPT}", 'a "line" that rises'))
    assert shown[0] == shown[1]
    assert 'alt="a &quot;line&quot; that rises"' in shown[0].html and "<figcaption>a &amp; &lt;script" in shown[0].html
    assert shown[0].markdown == f'a & {SCRIPT} (a "line" that rises)'


def test_a_slider_has_all_its_values_and_shows_one():
    values = {"1": {"left": 1.0, "right": 2.0}, "2": {"left": 4.0, "right": 0.0}}
    shown = notebook.slider(SCRIPT, values, "both sides", start="2")
    assert shown.html.count("<tr data-at=") == 4 and shown.html.count("hidden>") == 2
    assert "<tr data-at='0' hidden" in shown.html and "width:100.00%" in shown.html and SCRIPT not in shown.html
    assert shown.markdown.splitlines()[-1] == "| 2 | 4 | 0 |"


def test_curves_have_styles_of_their_own_and_coordinates_are_rounded():
    pytest.importorskip("matplotlib", reason="the extra plot has matplotlib")
    drawn, ((ax,),) = figures.figure(1)
    figures.curves(ax, {"a": ([1, 2], [1, 3]), "b": ([1, 2], [1 / 3, 1 / 7])}, marked=True)
    first, second = ax.lines
    assert [line.get_label() for line in ax.lines] == ["a", "b"]
    assert first.get_color() != second.get_color() and first.get_linestyle() != second.get_linestyle()
    assert first.get_marker() != second.get_marker()
    path = re.search(rb'<path d="(M [^"]*)" clip-path', figures.svg(drawn))[1]
    assert not re.search(rb"\.\d{3}", path) and re.search(rb"\.\d{2}\b", path)
    with pytest.raises(ValueError, match="at most 5"):
        figures.curves(ax, {str(i): ([], []) for i in range(6)})


def test_panels_say_what_they_compare():
    pytest.importorskip("matplotlib", reason="the extra plot has matplotlib")
    many = np.array([[1.0, 5.0], [2.0, 6.0], [3.0, 7.0]])
    drawn = figures.panels(
        figures.Panel("left", {"a": (range(3), many)}, grey={"exact": ([0, 2], [1, 1]), "_": ([0, 2], [2, 2])}),
        figures.Panel("right", {"a": ([1, 2], [3, 4], [0.1, 0.2])}, levels=[7.5], dots=True, axes={"xscale": "log"}),
        sharey=True,
    )
    left, right = drawn.axes
    # two columns are two curves of one kind, and one entry of the legend
    assert len(left.lines) == 4 and [one.get_text() for one in left.get_legend().get_texts()] == ["exact", "a"]
    assert left.lines[0].get_linestyle() != left.lines[1].get_linestyle()
    assert left.lines[2].get_color() == left.lines[3].get_color() != left.lines[0].get_color()
    assert (left.get_title(), right.get_title(), right.get_xscale()) == ("left", "right", "log")
    assert 7.5 in right.lines[0].get_ydata() and len(right.containers) == 1
    assert right.containers[0].lines[0].get_linestyle() == "None"


def test_a_small_number_may_be_rounding():
    assert [notebook.small(x) for x in (0.12345, 1e-13)] == ["0.123", "below 1e-12"]
