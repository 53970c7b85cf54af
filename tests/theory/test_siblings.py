"""A foreign package of a common name must not pass for one of ours."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

HOME = Path(__file__).resolve().parents[2]


def import_in_fresh_process(package: str, first_on_path: Path) -> subprocess.CompletedProcess[str]:
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, (first_on_path, HOME)))}
    command = [sys.executable, "-c", f"import {package}"]
    return subprocess.run(command, env=env, cwd=first_on_path, capture_output=True, text=True, timeout=60)


@pytest.mark.parametrize(("shadowed", "imported"), [("algos", "theory"), ("theory", "verify"), ("verify", "algos")])
def test_foreign_package_is_named_with_both_paths(tmp_path, shadowed, imported):
    foreign = tmp_path / shadowed
    foreign.mkdir()
    (foreign / "__init__.py").write_text("")
    done = import_in_fresh_process(imported, tmp_path)
    assert done.returncode != 0
    message = done.stderr.strip().splitlines()[-1]
    assert message.startswith("ImportError")
    assert str(foreign) in message and str(HOME / shadowed) in message


def test_namespace_folder_of_the_same_name_is_harmless_or_named(tmp_path):
    """A plain folder is no package: whatever Python finds is either ours or named in the error."""
    (tmp_path / "algos").mkdir()
    done = import_in_fresh_process("theory", tmp_path)
    assert done.returncode == 0 or str(tmp_path / "algos") in done.stderr


@pytest.mark.parametrize("package", ["theory", "algos", "verify"])
def test_alone_they_import(tmp_path, package):
    assert import_in_fresh_process(package, tmp_path).returncode == 0


@pytest.mark.parametrize("shadowed", ["theory", "algos", "verify"])
def test_the_command_says_it_in_one_line(tmp_path, shadowed):
    foreign = tmp_path / shadowed
    foreign.mkdir()
    (foreign / "__init__.py").write_text("")
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, (tmp_path, HOME)))}
    command = [sys.executable, "-c", "import rateproof; rateproof.main()"]
    done = subprocess.run(command, env=env, cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert done.returncode == 2
    (line,) = done.stderr.strip().splitlines()
    assert line.startswith("rateproof: ") and str(foreign) in line and str(HOME / shadowed) in line
