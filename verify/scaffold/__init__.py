"""A paper of the user's own: a folder with one claim, one family, one check, a notebook and tests, all of which run."""

from __future__ import annotations

import importlib.util
import keyword
import shutil
import sys
import tempfile
from importlib.resources import files
from pathlib import Path
from string import Template

from rateproof.theory import catalog

#: Template -> where it goes in the project.
_COMMON = {
    "pyproject.toml.tmpl": "pyproject.toml",
    "conftest.py.tmpl": "conftest.py",
    "test.py.tmpl": "tests/test_$paper.py",
}


def _own(*modules: str, prefix: str = "") -> dict[str, str]:
    inside = {
        f"{prefix}{name}.tmpl": f"$paper/{name}" for name in ("notation.py", *modules, "checks.py", "baseline.jsonl")
    }
    outside = {f"{prefix}{name}.tmpl": name for name in ("README.md", "notebook.py")}
    return _COMMON | outside | {f"{prefix}init.py.tmpl": "$paper/__init__.py"} | inside


#: What the worked claim of a project may be -> its templates, and where each goes.
LIKE = {"descent": _own(), "round": _own("method.py", "vectors.py", prefix="round_")}
#: Names that would meet another file of the project.
_TAKEN = ("tests", "conftest", "notebook")


def create(paper: str, into: Path, like: str = "descent") -> Path:
    """Write the project of a new paper: all of it, or nothing.

    Args:
        paper: the paper's id, which is also the name of its package.
        into: the folder in which the project's folder is made.
        like: what its claim is, of :data:`LIKE`.

    Returns:
        The project's folder, ``into / paper``.

    Raises:
        ValueError: the name cannot be used, or ``into`` is no folder.
        OSError: no permission, or the project's folder exists already.
    """
    check_name(paper)
    project = into / paper
    if not into.is_dir():
        raise ValueError(f"there is no folder {into}; create it first")
    if project.exists() or project.is_symlink():
        raise FileExistsError(f"{project} exists already and is left as it is; choose another name or folder")
    # In the same folder, so that the last step is one renaming.
    workshop = Path(tempfile.mkdtemp(prefix=f".{paper}.", dir=into))
    try:
        draft = workshop / paper
        for name, text in contents(paper, like).items():
            target = draft / name
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text, encoding="utf-8")
        draft.rename(project)
    finally:
        shutil.rmtree(workshop, ignore_errors=True)
    return project


def contents(paper: str, like: str = "descent") -> dict[str, str]:
    """The files of the project: path within it -> text."""

    def filled(text: str) -> str:
        return Template(text).substitute(paper=paper)

    here = files(__package__)
    return {filled(path): filled(here.joinpath(name).read_text(encoding="utf-8")) for name, path in LIKE[like].items()}


def check_name(paper: str) -> None:
    """Check that a paper may have this name.

    Raises:
        ValueError: it is no Python name in lower case, or the name of a paper or of a Python module.
    """
    if not (paper.isascii() and paper.isidentifier() and paper.islower()) or keyword.iskeyword(paper):
        raise ValueError(f"a paper's name is a Python name in lower case, such as smith2024, not {paper!r}")
    if paper in catalog.papers():
        raise ValueError(f"there is a paper {paper!r} already; choose another name")
    spec = importlib.util.find_spec(paper)
    # A plain folder of this name has a spec without origin; it is no module that could be hidden.
    if paper in sys.stdlib_module_names or paper in _TAKEN or (spec is not None and spec.origin is not None):
        raise ValueError(f"{paper!r} is the name of a Python module, which the paper's package would hide")
