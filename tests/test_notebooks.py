"""The notebooks: made from their sources, short, folded, with figures that say what they show."""

import re
from pathlib import Path

import pytest

jupytext = pytest.importorskip("jupytext", reason="the extra notebooks has jupytext")
nbformat = pytest.importorskip("nbformat", reason="the extra notebooks has nbformat")

FOLDER = Path(__file__).parents[1] / "notebooks"
SOURCES = [path for path in sorted(FOLDER.glob("*.py")) if not path.stem.startswith("_")]
#: Words of a reader's eight minutes, beside code and figures.
WORDS = 450
#: Of code that a reader is asked to read.
LINES = 30


@pytest.fixture(params=SOURCES, ids=lambda path: path.stem)
def pair(request):
    """The cells of a source and of the notebook that was made from it."""
    made = nbformat.read(request.param.with_suffix(".ipynb"), as_version=4)
    return jupytext.read(request.param).cells, made.cells


def outputs(cells):
    return [output for cell in cells if cell.cell_type == "code" for output in cell.outputs]


def test_a_notebook_is_made_from_its_source(pair):
    source, made = pair
    assert [cell.source for cell in source] == [cell.source for cell in made]


def test_it_asks_one_question_in_few_words(pair):
    _, made = pair
    words = [cell.source for cell in made if cell.cell_type == "markdown"]
    assert words[0].startswith("# ") and "?" in words[0]
    assert sum(len(text.split()) for text in words) <= WORDS


def test_its_imports_are_folded(pair):
    _, made = pair
    first = next(cell for cell in made if cell.cell_type == "code")
    assert first.source.startswith(("import ", "from ")) and first.metadata["jupyter"]["source_hidden"]


def test_long_code_is_folded_and_what_it_shows_is_not(pair):
    for cell in pair[1]:
        if cell.cell_type == "code" and cell.source.count("\n") >= LINES:
            assert cell.metadata["jupyter"] == {"source_hidden": True}


def test_its_outputs_are_text_and_drawings_with_a_text(pair):
    found = outputs(pair[1])
    assert found and all(output.output_type == "execute_result" for output in found)
    for output in found:
        assert "image/png" not in output.data
        for image in re.findall(r"<img [^>]*>", output.data.get("text/html", "")):
            assert 'src="data:image/svg+xml' in image and re.search(r'alt="[^"]{20,}"', image)


def test_no_notebook_has_lost_its_source():
    assert {path.stem for path in FOLDER.glob("*.ipynb")} == {path.stem for path in SOURCES}
