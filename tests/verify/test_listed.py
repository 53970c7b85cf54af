"""What ``list`` and ``show`` keep between runs."""

import json
import os
import subprocess
import sys
from types import SimpleNamespace

import pytest

from rateproof.theory import catalog
from rateproof.verify.checks import blank
from rateproof.verify.cli import execute
from rateproof.verify.pages import listed as module
from rateproof.verify.pages.listed import linked, listed, shown
from rateproof.verify.stored import sources
from rateproof.verify.stored.baseline import Entry, write


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


def test_papers_are_linked_through_the_claims_that_they_name(tmp_path, monkeypatch):
    sources = {"a": '"b.lem1"', "b": "b.notation", "c": "follows_from=('a.thm1',)", "d": '"e.x"', "e": "c.lem1"}
    places = {name: SimpleNamespace(folder=tmp_path / name) for name in sources}
    for name, text in sources.items():
        places[name].folder.mkdir()
        (places[name].folder / "lemma.py").write_text(text)
    monkeypatch.setattr(module.discovery, "found", lambda: SimpleNamespace(places=places))
    assert linked("a") == linked("b") == linked("c") == ["a", "b", "c"] and linked("d") == ["d", "e"]


@pytest.fixture
def needs_sympy(paper_files):
    """Run a command in a process of its own: whether it imports sympy, its exit code and its output."""

    def run(*arguments, **environment):
        code = (
            f"import runpy, sys; sys.argv = ['rateproof', *{arguments!r}]\n"
            f"try: runpy.run_path({str(paper_files.root / 'driver.py')!r}, run_name='__main__')\n"
            "except SystemExit as end: print('sympy' in sys.modules, end.code, file=sys.stderr)"
        )
        done = subprocess.run(
            [sys.executable, "-c", code],
            env=paper_files.environment | environment,
            capture_output=True,
            text=True,
            timeout=60,
        )
        return done.stderr.strip(), done.stdout

    return run


def test_list_needs_no_sympy_once_it_is_kept(needs_sympy):
    first, second = needs_sympy("list", "--json"), needs_sympy("list", "--json")
    assert (first[0], second[0]) == ("True 0", "False 0")
    assert first[1] == second[1] != ""


def test_show_needs_no_sympy_once_it_is_kept(needs_sympy):
    for options in (["fake.good"], ["fake.top", "--graph"], ["fake"], ["fake.bad", "--full"], ["fake.bad", "--json"]):
        first, second = needs_sympy("show", *options), needs_sympy("show", *options)
        assert (first[0], second[0]) == ("True 0", "False 0") and first[1] == second[1] != ""
    told, out = needs_sympy("show", "fake.top", "--graph", PYTHONIOENCODING="ascii")
    assert told == "False 0" and "  `- " in out


def test_only_the_page_that_is_asked_for_is_made(fake):
    shown("fake.good")
    assert [path.name for path in (fake.home / "kept").iterdir()] == ["page--fake.good.json"]


@pytest.mark.parametrize(
    ("name", "read"),
    [
        ("textbook.young", {"theory"}),  # it is proved: the checks of its paper are not needed
        ("textbook.yuong", {"theory"}),
        ("textbok.young", set()),
    ],
)
def test_no_more_is_read_for_a_page_than_it_needs(name, read, tmp_path):
    """Papers take seconds to import, and more in a fresh clone."""
    code = (
        "import sys; from rateproof.verify.cli import execute; execute(['show', sys.argv[1]]);"
        "print(*(m.split('.')[1] for m in sys.modules if m.startswith('rateproof.') and '.papers.' in m),"
        " *(m for m in sys.modules if '.papers.' in m and 'textbook' not in m))"
    )
    fresh = {**os.environ, "RATEPROOF_HOME": str(tmp_path)}  # no page is kept
    done = subprocess.run([sys.executable, "-c", code, name], capture_output=True, text=True, check=True, env=fresh)
    assert set(done.stdout.splitlines()[-1].split()) == read
    assert ("did you mean textbook.young" in done.stderr) is (name != "textbook.young")


def test_a_place_is_the_claims_there(capsys):
    def said(*arguments):
        return execute(arguments), *capsys.readouterr()

    code, out, err = said("show", "lemma 1")
    assert (code, err) == (0, "") and said("list", "lemma 1") == (code, out, err)
    ids = [line.split()[0] for line in out.splitlines() if line.split()[0] in catalog.all_claims()]
    assert {"strfedavg.lem1", "strfedavg.lem1.corrected", "fedrzo.lem1.i"} <= {*ids} and "strfedavg.lem2" not in ids
    assert f"{len(ids)} claims" in out
    assert said("show", "lemma 1", "--proof")[0] == 2
    assert said("show", "lem. e.1", "--plain") == said("show", "fedmsa.lemE1", "--plain")


def test_a_whole_check_keeps_lists_and_the_pages_of_papers(fake, capsys, monkeypatch):
    assert execute(["check", "--jobs", "1"]) == 1  # nothing is in the baseline
    monkeypatch.setattr(module, "graph_around", lambda _: pytest.fail("computed again"))
    monkeypatch.setattr(module, "known_entries", lambda *_, **__: pytest.fail("computed again"))
    assert execute(["show", "fake"]) == execute(["list"]) == 0


@pytest.mark.parametrize("text", ["", "[]", '{"state": 1}'])
def test_damaged_pages_are_computed_again(fake, text):
    first = shown("fake.good")
    (fake.home / "kept" / "page--fake.good.json").write_text(text)
    assert shown("fake.good") == first


def test_a_page_is_kept_until_what_it_tells_changes(fake, capsys):
    assert execute(["show", "fake.good"]) == 0
    first = capsys.readouterr().out
    write("fake", [Entry(blank(catalog.get("fake.good")), "quick", 0)])
    assert execute(["show", "fake.good"]) == 0
    assert (second := capsys.readouterr().out) != first and "unchecked" in second


def test_an_unknown_name_is_no_page(fake, capsys):
    assert execute(["show", "../fake.good"]) == 2 and "unknown" in capsys.readouterr().err
    assert not list(fake.home.rglob("*good*"))
