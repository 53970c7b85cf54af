"""Where papers come from: this package, installed packages, and folders that the user names. Reads no claim.

A paper outside this package is a package of its own that exports ``CLAIMS``. It is found through an entry point of the
group ``rateproof.papers`` (name: the paper's id, value: its module), or in a folder that the environment variable
RATEPROOF_PAPERS names. Worker processes inherit the variable, so they find the same papers.
"""

from __future__ import annotations

import importlib
import importlib.util
import os
import pkgutil
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from traceback import FrameSummary, extract_tb
from types import ModuleType

import rateproof.theory.papers

GROUP = "rateproof.papers"
VARIABLE = "RATEPROOF_PAPERS"
BUILT_IN = "built in"
BY_PATH = f"{VARIABLE} or --papers"


class PaperWarning(UserWarning):
    """A paper outside this package cannot be read and is left out; the message names it and says why."""


@dataclass(frozen=True)
class Place:
    """Where a paper lies.

    Attributes:
        paper: its id.
        module: the module that exports its claims.
        folder: the folder of that module.
        found_by: how it was found, in a few words.
        trouble: why it cannot be used; empty when nothing is known against it.
    """

    paper: str
    module: str
    folder: Path
    found_by: str
    trouble: str = ""

    @property
    def built_in(self) -> bool:
        """Whether it is a paper of this package, and no other claims its id."""
        return self.found_by == BUILT_IN and not self.trouble

    @property
    def by_path(self) -> bool:
        """Whether it was found in a folder that the user named, so that it must be named again."""
        return self.found_by == BY_PATH

    def __str__(self) -> str:
        return f"{self.folder} ({self.found_by})"


@dataclass(frozen=True)
class Found:
    """All papers by id, sorted, and for each folder named by the user that holds none a line that says so."""

    places: dict[str, Place]
    without: dict[str, str]


def found() -> Found:
    """All papers that there are; none is imported."""
    return _found(tuple(rateproof.theory.papers.__path__), os.environ.get(VARIABLE, ""))


def place(paper: str) -> Place | None:
    """Where a paper lies; None when there is no such paper.

    Raises:
        ValueError: it cannot be used, such as an id that exists twice.
    """
    known = found().places.get(paper)
    if known is not None and known.trouble:
        raise ValueError(f"paper {paper!r} cannot be read: {known.trouble}")
    return known


def paper_of(claim_id: str) -> str:
    """The paper that a claim id, or the beginning of one, names first."""
    return claim_id.partition(".")[0]


def add(folder: Path) -> None:
    """Make the papers in a folder known to this process and to those that it starts.

    Args:
        folder: the folder of a paper's package, or one that holds such folders.

    Raises:
        ValueError: there is no paper in it, or its name cannot stand in a list of folders.
    """
    path = folder.absolute()
    if os.pathsep in str(path):
        raise ValueError(f"the folder {path} has {os.pathsep!r} in its name, which separates folders in {VARIABLE}")
    if not holds_paper(path):
        raise ValueError(_nothing_in(path))
    known = os.environ.get(VARIABLE, "").split(os.pathsep)
    if str(path) not in known:
        os.environ[VARIABLE] = os.pathsep.join([str(path), *filter(None, known)])


def holds_paper(folder: Path) -> bool:
    """Whether a folder is the package of a paper, or holds one."""
    return bool(_packages(folder))


def load(place: Place, part: str = "") -> ModuleType:
    """Import the module that exports a paper's claims, or a submodule of it.

    Raises:
        ValueError: another package of the same name comes first.
        Exception: whatever the import raises.
    """
    if not place.built_in:
        _importable(place)
    return importlib.import_module(f"{place.module}.{part}" if part else place.module)


def said(error: BaseException, folder: Path) -> str:
    """An exception in one line, with the last place in the files of a folder on its way."""
    frames = extract_tb(error.__traceback__)
    if isinstance(error, SyntaxError) and error.filename is not None:  # raised by the import, about another file
        frames.append(FrameSummary(error.filename, error.lineno, "<module>", lookup_line=False))
    inside = [f for f in frames if folder.resolve() in Path(f.filename).resolve().parents]
    text = " ".join(f"{type(error).__name__}: {error.msg if isinstance(error, SyntaxError) else error}".split())
    if not inside:
        return text
    path, function = Path(inside[-1].filename), inside[-1].name
    place = f"{path.parent.name}/{path.name}, line {inside[-1].lineno}"
    return f"{text} ({place})" if function.startswith("<") else f"{text} ({place}, in {function})"


def exists(module: str) -> bool:
    """Whether a module can be found; the packages that it lies in are imported."""
    try:
        return importlib.util.find_spec(module) is not None
    except ModuleNotFoundError as error:
        # Only the module itself or a package that holds it may be missing, not what these import.
        if error.name and f"{module}.".startswith(f"{error.name}."):
            return False
        raise


@cache
def _found(built_in: tuple[str, ...], folders: str) -> Found:
    named = [Path(f) for f in folders.split(os.pathsep) if f]
    places: dict[str, Place] = {}
    for one in (*_built_in(built_in), *_installed(), *(p for f in named for p in _in_folder(f))):
        before = places.get(one.paper)
        if before is None:
            places[one.paper] = one
        elif before.folder.resolve() != one.folder.resolve():
            twice = f"it exists twice, as {before} and as {one}; remove or rename one"
            places[one.paper] = replace(before, trouble=twice)
    without = {str(f): f"{VARIABLE}: {_nothing_in(f)}" for f in named if not _packages(f)}
    return Found(dict(sorted(places.items())), without)


def _built_in(folders: Iterable[str]) -> Iterator[Place]:
    for info in pkgutil.iter_modules(folders):
        if info.ispkg:
            folder = Path(getattr(info.module_finder, "path", "")) / info.name
            yield Place(info.name, f"rateproof.theory.papers.{info.name}", folder, BUILT_IN)


@cache
def _installed() -> tuple[Place, ...]:
    from importlib.metadata import entry_points

    return tuple(_of_entry_point(e.name, e.value) for e in entry_points(group=GROUP))


def _of_entry_point(name: str, module: str) -> Place:
    by = f"entry point {name} = {module}"
    try:
        spec = importlib.util.find_spec(module)
    except Exception as error:  # the packages around the module are imported, and may raise anything
        return Place(name, module, Path(), by, f"{by}: {type(error).__name__}: {error}")
    if spec is None or spec.origin is None or not spec.submodule_search_locations:
        return Place(name, module, Path(), by, f"{by} in the group {GROUP} should name a package that can be imported")
    return Place(name, module, Path(next(iter(spec.submodule_search_locations))), by)


def _in_folder(folder: Path) -> Iterator[Place]:
    for package in _packages(folder):
        trouble = "" if package.name.isidentifier() else f"the folder name of {package} is no Python name"
        yield Place(package.name, package.name, package, BY_PATH, trouble)


def _packages(folder: Path) -> list[Path]:
    """The folder itself when it is a paper's package, else those directly inside that are."""
    here = folder.resolve()
    if _is_paper(here):
        return [here]
    try:
        return sorted(inside for inside in here.iterdir() if _is_paper(inside))
    except OSError:  # no folder, or one that cannot be read
        return []


def _is_paper(folder: Path) -> bool:
    try:
        return "CLAIMS" in (folder / "__init__.py").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return False


def _nothing_in(folder: Path) -> str:
    return f"there is no paper in {folder}; a paper is a package whose __init__.py exports CLAIMS"


def _importable(place: Place) -> None:
    """Put the folder that holds the package last on ``sys.path``, and make sure that Python finds this package."""
    holder = str(place.folder.parent)
    # A plain folder of the same name that Python takes for a package gives way to a package further back.
    if place.folder.resolve() not in _folders(place.module) and holder not in sys.path:
        sys.path.append(holder)
        importlib.invalidate_caches()
    there = _folders(place.module)
    if place.folder.resolve() not in there:
        raise ValueError(f"Python finds another {place.module!r}, {', '.join(map(str, there))}; rename the package")


def _folders(module: str) -> list[Path]:
    """Where Python finds a module; nothing when it finds none."""
    spec = importlib.util.find_spec(module) if exists(module) else None
    return [Path(p).resolve() for p in spec.submodule_search_locations or [spec.origin or "?"]] if spec else []
