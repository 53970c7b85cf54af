"""What lands in site-packages, and that nothing else of these names gets in our way, or we in its."""

import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
NAMES = ("theory", "algos", "verify")
PIP = (sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check")


def run(*command: object, cwd: Path, **environment: str) -> str:
    env = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"} | environment
    done = subprocess.run([str(c) for c in command], cwd=cwd, env=env, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory) -> Path:
    """Built from a copy, as a build leaves files behind."""
    folder = tmp_path_factory.mktemp("wheel")
    source = folder / "source"
    for name in (*NAMES, "rateproof"):
        shutil.copytree(ROOT / name, source / name, symlinks=True, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, source)
    run(*PIP, "wheel", "--no-deps", "--no-build-isolation", "-w", folder, source, cwd=folder)
    (found,) = folder.glob("*.whl")
    return found


@pytest.fixture(scope="module")
def site(wheel, tmp_path_factory) -> Path:
    """A folder of packages: ours among foreign ones of the names of our folders, some installed before, some after."""
    folder = tmp_path_factory.mktemp("site")
    foreign(folder, "verify")
    run(*PIP, "install", "--no-deps", "--target", folder, wheel, cwd=folder)
    foreign(folder, "theory")
    foreign(folder, "algos")
    return folder


def foreign(folder: Path, name: str) -> None:
    (folder / name).mkdir()
    (folder / name / "__init__.py").write_text("OWNER = 'somebody else'\n")


def test_nothing_but_rateproof_is_installed(wheel):
    files = zipfile.ZipFile(wheel).namelist()
    assert {name.split("/")[0] for name in files if ".dist-info/" not in name} == {"rateproof"}
    packed = {name.removeprefix("rateproof/") for name in files}
    for name in (
        "theory/claim.py",
        "verify/papers/fedrzo/baseline.jsonl",
        "verify/report/templates/claim.html",
        "verify/report/font/math.woff2",
        "verify/report/font/OFL.txt",
        "verify/papers/mefbo/proofs.jsonl",
        "verify/scaffold/checks.py.tmpl",
    ):
        assert name in packed
    ours = {f.relative_to(ROOT).as_posix() for name in NAMES for f in (ROOT / name).rglob("*.py")}
    assert ours == {name for name in packed if name.startswith(NAMES) and name.endswith(".py")}


def test_foreign_packages_of_these_names_are_left_alone(site):
    code = f"import rateproof.verify.cli, sys, {', '.join(NAMES)}; print([m.OWNER for m in ({', '.join(NAMES)})])"
    assert run(sys.executable, "-c", code, cwd=site, PYTHONPATH=str(site)) == f"{['somebody else'] * 3}\n"


@pytest.mark.parametrize("command", [("-m", "rateproof"), ("-c", "from rateproof.verify.cli import main; main()")])
def test_the_command_runs_from_there(site, tmp_path, command):
    where = {"PYTHONPATH": str(site), "RATEPROOF_HOME": "home"}
    out = run(sys.executable, *command, "list", "textbook", "--json", cwd=tmp_path, **where)
    assert '"claim": "textbook.' in out


@pytest.mark.parametrize("beside", [True, False], ids=["in the project", "installed"])
def test_a_project_with_packages_of_these_names_uses_the_plugin(site, tmp_path, beside):
    for name in NAMES if beside else ():
        foreign(tmp_path, name)
    (tmp_path / "test_it.py").write_text(
        "import algos, theory, verify\n"
        "from rateproof.rates import assert_bound\n\n"
        "def test_bound():\n"
        "    assert verify.OWNER == theory.OWNER == algos.OWNER\n"
        "    assert_bound([1.0], [2.0], at=[1])\n"
    )
    plugin = ("-p", "rateproof.pytest_plugin", "-p", "no:cacheprovider", "-p", "no:xdist", "--import-mode=prepend")
    where = {"PYTHONPATH": str(site), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    out = run(sys.executable, "-m", "pytest", "-q", *plugin, cwd=tmp_path, **where)
    assert "1 passed" in out and "rates: 1 assertion" in out
