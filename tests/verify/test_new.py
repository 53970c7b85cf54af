"""``rateproof new``: what it writes runs, and it writes all of it or nothing."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from rateproof.theory import catalog
from rateproof.verify import scaffold
from rateproof.verify.cli import execute


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    """A new paper in a folder of its own."""
    folder = tmp_path_factory.mktemp("outside")
    assert execute(["new", "mypaper", "--into", str(folder)]) == 0
    return folder / "mypaper"


def run(*command: object, cwd: Path) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "RATEPROOF_HOME": str(cwd / "home"), "PYTHONDONTWRITEBYTECODE": "1"}
    environment.pop("RATEPROOF_PAPERS", None)
    arguments = [sys.executable, *map(str, command)]
    return subprocess.run(arguments, cwd=cwd, env=environment, capture_output=True, text=True, timeout=60)


def test_the_check_is_as_in_the_baseline(project):
    done = run("-m", "rateproof.verify.cli", "--papers", project, "check", "mypaper", cwd=project.parent)
    assert done.returncode == 0, done.stderr
    assert "1 supported" in done.stdout and done.stdout.endswith("as in the baseline\n")


def test_the_claim_is_shown_with_its_verdict(project, call, monkeypatch):
    monkeypatch.setenv("RATEPROOF_PAPERS", "")
    monkeypatch.setattr(sys, "path", list(sys.path))
    catalog.claims.cache_clear()
    try:
        code, out, err = call("--papers", project, "show", "mypaper.thm1")
    finally:
        catalog.claims.cache_clear()
        for name in [name for name in sys.modules if name.partition(".")[0] == "mypaper"]:
            del sys.modules[name]
    assert (code, err) == (0, "")
    assert "dist2 <= start2*(-gamma*mu + 1)" in out and "supported (exact" in out
    assert "stale" not in out and "units" not in out


def test_its_own_tests_pass(project):
    done = run("-m", "pytest", "-W", "error", "-p", "no:cacheprovider", cwd=project)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "passed" in done.stdout and "skipped" not in done.stdout


def test_the_notebook_runs(project):
    done = run("notebook.py", cwd=project)
    assert done.returncode == 0, done.stderr
    assert "supported: worst ratio 1 over" in done.stdout


def test_its_readme_is_ten_lines_of_commands(project):
    lines = (project / "README.md").read_text().splitlines()
    assert len(lines) == 10 and all("mypaper" in line for line in lines if "--papers" in line)


def test_every_file_is_written(project):
    written = {str(p.relative_to(project)) for p in project.rglob("*") if p.is_file()}
    assert written >= scaffold.contents("mypaper").keys()


@pytest.fixture
def call(capsys):
    def run(*arguments):
        code = execute([str(a) for a in arguments])
        return code, *capsys.readouterr()

    return run


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("my-paper", "a Python name"),
        ("2024smith", "a Python name"),
        ("Smith", "a Python name"),
        ("", "a Python name"),
        ("größe", "a Python name"),
        ("a/b", "a Python name"),
        ("lambda", "a Python name"),
        ("textbook", "a paper 'textbook' already"),
        ("numpy", "name of a Python module"),
        ("json", "name of a Python module"),
        ("rateproof", "name of a Python module"),
        ("tests", "name of a Python module"),
        ("notebook", "name of a Python module"),
    ],
)
def test_a_bad_name_is_one_line(call, tmp_path, name, why):
    code, out, err = call("new", name, "--into", tmp_path)
    assert (code, out, err.count("\n")) == (2, "", 1) and why in err and "Traceback" not in err
    assert list(tmp_path.iterdir()) == []


def test_a_bad_place_is_one_line(call, tmp_path):
    code, _, err = call("new", "mypaper", "--into", tmp_path / "none")
    assert code == 2 and err.count("\n") == 1 and "create it first" in err


@pytest.mark.parametrize("there", ["file", "folder", "link"])
def test_what_exists_is_left_as_it_is(call, tmp_path, there):
    target = tmp_path / "mypaper"
    if there == "file":
        target.write_text("mine")
    elif there == "folder":
        target.mkdir()
    else:
        target.symlink_to(tmp_path / "nowhere")
    code, _, err = call("new", "mypaper", "--into", tmp_path)
    assert code == 2 and err.count("\n") == 1 and "exists already" in err
    assert list(tmp_path.iterdir()) == [target]
    assert target.is_symlink() or (target.read_text() == "mine" if there == "file" else not list(target.iterdir()))


@pytest.mark.parametrize(("fault", "code"), [(KeyboardInterrupt(), 130), (OSError(28, "No space left"), 2)])
def test_an_interrupted_creation_leaves_nothing(call, tmp_path, monkeypatch, fault, code):
    done = []
    write = Path.write_text

    def failing(self, *arguments, **options):
        done.append(self)
        if len(done) == 3:
            raise fault
        return write(self, *arguments, **options)

    monkeypatch.setattr(Path, "write_text", failing)
    assert call("new", "mypaper", "--into", tmp_path)[0] == code
    assert len(done) == 3 and list(tmp_path.iterdir()) == []


def test_another_name_is_put_everywhere(call, tmp_path):
    assert call("new", "smith2024", "--into", tmp_path)[0] == 0
    texts = {p.relative_to(tmp_path): p.read_text() for p in tmp_path.rglob("*") if p.is_file()}
    assert Path("smith2024/smith2024/checks.py") in texts and Path("smith2024/tests/test_smith2024.py") in texts
    assert not [p for p, text in texts.items() if "mypaper" in text or "$" in text]
