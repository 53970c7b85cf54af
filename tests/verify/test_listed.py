"""What ``list`` keeps between runs."""

import json
import subprocess
import sys

import pytest

from rateproof.theory import catalog
from rateproof.verify import listed as module
from rateproof.verify import sources
from rateproof.verify.baseline import Entry, write
from rateproof.verify.checks import blank
from rateproof.verify.cli import execute
from rateproof.verify.listed import linked, listed


@pytest.fixture
def kept(fake):
    return fake.home / "kept" / "listed-fake.json"


def test_what_is_kept_is_what_was_computed(fake, kept, monkeypatch):
    first = listed()
    assert [r["claim"] for r in first] == list(catalog.claims("fake")) and kept.exists()
    monkeypatch.setattr(module, "known_entries", lambda *_, **__: pytest.fail("computed again"))
    assert listed() == listed("fake") == first


def test_a_change_of_sources_or_baseline_is_seen(fake, kept):
    before = json.loads((listed(), kept.read_text())[1])["state"]
    write("fake", [Entry(blank(catalog.get("fake.good")), "quick", 0)])
    listed()
    after = json.loads(kept.read_text())["state"]
    (fake.root / "claims" / "fake" / "more.py").write_text("")
    sources.hashed.cache_clear()
    listed()
    assert len({before, after, json.loads(kept.read_text())["state"]}) == 3


@pytest.mark.parametrize("text", ["", "{", "[]", '{"state": 1}', "\udcff"])
def test_a_damaged_file_is_computed_again(fake, kept, text):
    first = listed()
    kept.write_text(text, errors="surrogateescape")
    assert listed() == first and json.loads(kept.read_text())["value"] == first


def test_without_a_place_to_keep_it_it_is_computed(fake, kept):
    kept.parent.parent.mkdir(parents=True, exist_ok=True)
    kept.parent.write_text("a file where the folder should be")
    assert listed()


def test_papers_are_linked_through_their_claims(monkeypatch):
    links = {"a.1": ["b.1"], "b.1": [], "c.1": ["a.1"], "d.1": ["e.1"], "e.1": []}
    monkeypatch.setattr(module, "listed", lambda: [{"claim": i, "rests_on": on} for i, on in links.items()])
    assert linked("a") == linked("b") == linked("c") == ["a", "b", "c"] and linked("d") == ["d", "e"]


def test_list_needs_no_sympy_once_it_is_kept(paper_files):
    code = (
        "import runpy, sys; sys.argv = ['rateproof', 'list', '--json']\n"
        f"try: runpy.run_path({str(paper_files.root / 'driver.py')!r}, run_name='__main__')\n"
        "except SystemExit as end: print('sympy' in sys.modules, end.code, file=sys.stderr)"
    )

    def run():
        return subprocess.run(
            [sys.executable, "-c", code], env=paper_files.environment, capture_output=True, text=True, timeout=60
        )

    first, second = run(), run()
    assert (first.stderr.strip(), second.stderr.strip()) == ("True 0", "False 0")
    assert first.stdout == second.stdout != ""


def test_a_page_is_kept_until_what_it_tells_changes(fake, capsys):
    assert execute(["show", "fake.good"]) == 0
    first = capsys.readouterr().out
    write("fake", [Entry(blank(catalog.get("fake.good")), "quick", 0)])
    assert execute(["show", "fake.good"]) == 0
    assert (second := capsys.readouterr().out) != first and "unchecked" in second


def test_an_unknown_name_is_no_page(fake, capsys):
    assert execute(["show", "../fake.good"]) == 2 and "unknown" in capsys.readouterr().err
    assert not list(fake.home.glob("kept/shown-*"))
