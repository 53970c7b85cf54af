"""``rateproof new``: what it writes runs, and it writes all of it or nothing."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

from rateproof.verify import scaffold
from rateproof.verify.cli import execute


@pytest.fixture(scope="module", params=scaffold.LIKE)
def like(request):
    """What the claim of the new paper is like."""
    return request.param


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A new paper in a folder of its own, and the check that has kept its proof, by what its claim is like."""

    @cache
    def make(like):
        folder = tmp_path_factory.mktemp("outside")
        assert execute(["new", "mypaper", "--into", str(folder), "--like", like]) == 0
        return folder / "mypaper", run(*CHECK, "--update", cwd=folder)

    return make


@pytest.fixture(scope="module")
def project(like, made):
    return made(like)[0]


@pytest.fixture(scope="module")
def round_project(made):
    """A new paper whose claim has a proof."""
    return made("round")[0]


#: What is seen of each claim.
VERDICT = {"descent": "supported", "round": "proved"}
SHOWN = {
    "descent": ("‖xₖ − x*‖² ≤ ‖x₀ − x*‖² (1 − γ μ)", "printed supported"),
    "round": ("3 L drift γ + E‖x − x*‖² (1 − γ μ/2)", "printed proved"),
}
NOTEBOOK = {"descent": "supported: worst ratio 1 over", "round": "(14) the statement: by the square"}
#: The command beside the project.
COMMAND = ("-m", "rateproof.verify.cli", "--papers", "mypaper")
CHECK = (*COMMAND, "check", "mypaper")


def run(*command: object, cwd: Path) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "RATEPROOF_HOME": str(cwd / "home"), "PYTHONDONTWRITEBYTECODE": "1"}
    environment.pop("RATEPROOF_PAPERS", None)
    arguments = [sys.executable, *map(str, command)]
    return subprocess.run(arguments, cwd=cwd, env=environment, capture_output=True, text=True, timeout=60)


def test_the_check_is_as_in_the_baseline(made, like):
    _, done = made(like)
    assert done.returncode == 0, done.stderr
    assert f"1 {VERDICT[like]}" in done.stdout and done.stdout.endswith("as in the baseline\n")


def test_wrong_multipliers_beside_a_proof_change_nothing(round_project):
    (proofs,) = round_project.rglob("proofs.jsonl")
    kept = json.loads(proofs.read_text())
    assert kept["claim"].startswith("mypaper.") and len(kept["hints"]) > 5
    right = proofs.read_text()
    proofs.write_text(json.dumps(kept | {"hints": {of: ["1"] * len(m) for of, m in kept["hints"].items()}}) + "\n")
    done = run(*CHECK, "--update", cwd=round_project.parent)
    assert done.returncode == 0 and done.stdout.endswith("as in the baseline\n")
    assert proofs.read_text() == right


def test_the_claim_is_shown_with_its_verdict(project, like):
    done = run(*COMMAND, "show", "mypaper.thm1", cwd=project.parent)
    assert (done.returncode, done.stderr) == (0, "")
    out = done.stdout
    statement, verdict = SHOWN[like]
    assert statement in out and verdict in out
    assert "stale" not in out and "units" not in out


def test_its_own_tests_pass(project):
    done = run("-m", "pytest", "-W", "error", "-p", "no:cacheprovider", cwd=project)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "passed" in done.stdout and "skipped" not in done.stdout


def test_the_notebook_runs(project, like):
    done = run("notebook.py", cwd=project)
    assert done.returncode == 0, done.stderr
    assert NOTEBOOK[like] in done.stdout


def test_its_proof_goes_through_and_stops_where_it_is_broken(round_project):
    """With a hypothesis left out, it stops at the step that rests on it."""
    prove = (*COMMAND, "prove", "mypaper.thm1")
    done = run(*prove, cwd=round_project.parent)
    assert done.returncode == 0 and done.stdout.startswith("mypaper.thm1: proved, 14 steps shown: certificate\n")
    claims = round_project / "mypaper" / "__init__.py"
    before = claims.read_text()
    try:
        claims.write_text(before.replace('says=(Independent("n", "client"),)', ""))
        done = run(*prove, cwd=round_project.parent)
    finally:
        claims.write_text(before)
    assert done.returncode == 1 and "stops at the noise: ||M||^2 <= sigma2/(K*S)" in done.stdout
    assert "missing: the claim does not assume that n is independent over client" in done.stdout


def test_every_typed_hypothesis_of_the_round_is_needed(round_project):
    """Without it the proof does not go through; whoever reads the claim first can leave each out and see."""
    program = (
        "from dataclasses import replace\n"
        "from mypaper import THM1\n"
        "from rateproof.verify.deciders.kernel import attempt\n"
        "for h in THM1.hypotheses:\n"
        "    left = tuple(k for k in THM1.hypotheses if k is not h)\n"
        "    print(h.key, attempt(replace(THM1, hypotheses=left))['proved'])\n"
    )
    done = run("-c", program, cwd=round_project)
    found = dict(line.split() for line in done.stdout.splitlines())
    assert done.returncode == 0 and len(found) == 9, done.stderr
    assert [key for key, proved in found.items() if proved == "True"] == ["S<=N"], found


@pytest.mark.parametrize(
    ("right", "wrong", "why"),
    [
        ("drift: norm2(y - x)", "drift: 3 * norm2(y - x)", "mypaper.thm1: drift is "),
        ("gamma * (A + D + M)", "gamma * (A + D)", "mypaper.thm1: next2 is "),
        ('"A": SampleMean("a", "client", "sample")', '"A": Mean("a", "client")', "mypaper.thm1: next2 is "),
    ],
    ids=["a metric tripled", "no noise in the step", "another mean"],
)
def test_its_tests_see_a_setting_that_is_not_that_of_its_run(round_project, right, wrong, why):
    """Of another method the theorem may well be true, and then proof and instances say nothing of the error."""
    method = round_project / "mypaper" / "method.py"
    before = method.read_text()
    assert before.count(right) == 1
    try:
        method.write_text(before.replace(right, wrong))
        law = ("-k", "setting_is_that_of_the_run")
        done = run("-m", "pytest", "-vv", "-p", "no:cacheprovider", *law, cwd=round_project)
    finally:
        method.write_text(before)
    failed = [line for line in done.stdout.splitlines() if line.startswith("FAILED")]
    assert done.returncode == 1 and any("setting_is_that_of_the_run" in line for line in failed)
    assert why in done.stdout


def test_its_readme_is_a_few_lines_of_commands(project):
    lines = (project / "README.md").read_text().splitlines()
    assert len(lines) <= 11 and all("mypaper" in line for line in lines if "--papers" in line)


def test_every_file_is_written(project, like):
    written = {str(p.relative_to(project)) for p in project.rglob("*") if p.is_file()}
    assert written >= scaffold.contents("mypaper", like).keys()


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


def test_another_name_is_put_everywhere(call, tmp_path, like):
    assert call("new", "smith2024", "--into", tmp_path, "--like", like)[0] == 0
    texts = {p.relative_to(tmp_path): p.read_text() for p in tmp_path.rglob("*") if p.is_file()}
    assert Path("smith2024/smith2024/checks.py") in texts and Path("smith2024/tests/test_smith2024.py") in texts
    assert not [p for p, text in texts.items() if "mypaper" in text or "$" in text]
