"""What a paper says of its claims, and which of its modules say it.

A paper of this package exports from ``rateproof.verify.papers.<paper>``, its families and methods from the module
``methods`` there, so that a run needs no checks; one outside exports all from its submodule ``checks``, or from itself
when it has none.
"""

from __future__ import annotations

import importlib
import warnings
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, Literal

from rateproof.theory import discovery

if TYPE_CHECKING:
    from rateproof.theory.claim import Claim
    from rateproof.verify.checks import Check
    from rateproof.verify.form.record import Record
    from rateproof.verify.planted.mutate import Sharp
    from rateproof.verify.spaces.space import Space

#: Parts of a paper besides its claims, and the modules of this package that hold them.
_PARTS = {
    "checks": "rateproof.verify.papers.{}",
    "methods": "rateproof.verify.papers.{}.methods",
    "tune": "rateproof.verify.papers.{}.tune",
    "replayed": "rateproof.verify.papers.{}.replayed",
    "schedules": "rateproof.theory.papers.{}.schedules",
}


def part(paper: str, name: str) -> ModuleType | None:
    """A part of a paper, imported, by one of the names in :data:`_PARTS`; None when the paper has no such part.

    Raises:
        ValueError: there is no such part, or an outside paper's part cannot be imported.
    """
    if name not in _PARTS:
        raise ValueError(f"a paper has the parts {', '.join(_PARTS)}, not {name!r}")
    place = discovery.place(paper)
    if place is None:
        return None
    if place.built_in:
        module = _PARTS[name].format(paper)
        return importlib.import_module(module) if _ours(module) else None
    if name == "methods":
        name = "checks"
    try:
        itself = discovery.load(place)
        if discovery.exists(f"{place.module}.{name}"):
            return discovery.load(place, name)
    except (Exception, SystemExit) as error:
        why = discovery.said(error, place.folder)
        raise ValueError(f"{name} of paper {paper!r} cannot be read: {why}") from error
    return itself if name == "checks" else None


def _ours(module: str) -> bool:
    """Whether there is a module of this package; nothing is imported, for a paper takes seconds."""
    names = module.split(".")
    papers = importlib.import_module(".".join(names[:3]))
    places = [Path(folder).joinpath(*names[3:]) for folder in papers.__path__]
    return any(place.is_dir() or place.with_suffix(".py").is_file() for place in places)


def parts(name: str) -> dict[str, ModuleType]:
    """A part of every paper that has it; outside papers whose part cannot be read are left out, with a warning.

    Raises:
        ValueError: there is no such part.
    """
    modules = {}
    for paper, place in discovery.found().places.items():
        try:
            module = part(paper, name)
        except ValueError as error:
            if place.built_in:
                raise
            warnings.warn(discovery.PaperWarning(str(error)), stacklevel=2)
            continue
        if module is not None:
            modules[paper] = module
    return modules


@dataclass(frozen=True)
class InTables:
    """What a paper says of a claim that has no record, in its tables ``CHECKS``, ``SPACES`` and ``SHARP``."""

    claim: Claim
    check: Check | None = None
    spaces: tuple[Space[Any], ...] = ()
    tight: Sharp | None = None
    refuted_by: None = None
    counterexample: None = None

    def unlike_a_run(self) -> str | None:
        """None: no family has a run in the vectors of a proof."""
        return None


def record(claim: Claim) -> Record | InTables:
    """What the paper of a claim, or of the claim that this is a copy of, says of it: its record, else its tables.

    Raises:
        ValueError: an outside paper cannot be read.
    """
    module = part(claim.paper, "checks")
    for one in getattr(module, "RECORDS", ()):
        if one.claim.id == claim.id:
            return one
    check, spaces, tight = (getattr(module, name, {}).get(claim.id) for name in ("CHECKS", "SPACES", "SHARP"))
    return InTables(claim, check, tuple(spaces or ()), tight)


def records(paper: str) -> list[Record | InTables]:
    """What a paper says of its claims, of all of them, in its order; nothing where it has no checks.

    Raises:
        ValueError: an outside paper cannot be read.
    """
    from rateproof.theory import catalog

    return [record(claim) for claim in catalog.claims(paper).values()] if part(paper, "checks") else []


def exported_by_all(name: Literal["FAMILIES", "METHODS"]) -> dict[str, Any]:
    """The families or the methods of all papers together, by name."""
    return {key: value for module in parts("methods").values() for key, value in getattr(module, name, {}).items()}


def outside(paper: str) -> bool:
    """Whether a paper is none of this package."""
    place = discovery.found().places.get(paper)
    return place is None or not place.built_in


def folder(paper: str) -> Path:
    """Where the files of a paper's checks lie."""
    place = discovery.found().places.get(paper)
    return place.folder if place is not None and outside(paper) else Path(__file__).parent / "papers" / paper
