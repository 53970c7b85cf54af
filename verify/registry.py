"""What a paper exports for the checks, by paper and name.

A paper of this package exports from ``rateproof.verify.papers.<paper>``, its families and methods from the module
``methods`` there, so that a run needs no checks; one outside exports all from its submodule ``checks``, or from itself
when it has none.
"""

from __future__ import annotations

import importlib
import warnings
from collections.abc import Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

from rateproof.theory import discovery

#: Names that a paper may export: mappings from claim ids, and from the names of families and methods. ``RECORDS`` is a
#: tuple of records (:mod:`rateproof.verify.form`), each of which says what the other names have about its claim.
EXPORTS = ("CHECKS", "SPACES", "SHARP", "FAMILIES", "METHODS", "RECORDS")
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
    found = {}
    for paper, place in discovery.found().places.items():
        try:
            module = part(paper, name)
        except ValueError as error:
            if place.built_in:
                raise
            warnings.warn(discovery.PaperWarning(str(error)), stacklevel=2)
            continue
        if module is not None:
            found[paper] = module
    return found


def exported(paper: str, name: str) -> Mapping[str, Any]:
    """One of the mappings of :data:`EXPORTS`; empty when the paper has none.

    Raises:
        ValueError: ``name`` is not one of them, or an outside paper cannot be read.
    """
    return _export(part(paper, "checks"), name)


def exported_by_all(name: str) -> dict[str, Any]:
    """One of the mappings of :data:`EXPORTS`, of all papers together.

    Raises:
        ValueError: ``name`` is not one of them.
    """
    where = "methods" if name in ("FAMILIES", "METHODS") else "checks"
    return {key: value for module in parts(where).values() for key, value in _export(module, name).items()}


def outside(paper: str) -> bool:
    """Whether a paper is none of this package."""
    known = discovery.found().places.get(paper)
    return known is None or not known.built_in


def folder(paper: str) -> Path:
    """Where the files of a paper's checks lie."""
    known = discovery.found().places.get(paper)
    return known.folder if known is not None and outside(paper) else Path(__file__).parent / "papers" / paper


def of(claim_id: str, name: str) -> Any:
    """What a paper exports about one claim; None when it says nothing."""
    return exported(claim_id.partition(".")[0], name).get(claim_id)


def _export(module: ModuleType | None, name: str) -> Mapping[str, Any]:
    if name not in EXPORTS:
        raise ValueError(f"a paper exports {', '.join(EXPORTS)}, not {name!r}")
    records = {one.claim.id: one.exported(name) for one in getattr(module, "RECORDS", ())}
    by_record = {claim: found for claim, found in records.items() if found is not None}
    return by_record if name == "RECORDS" else {**getattr(module, name, {}), **by_record}
