"""The files that a verdict depends on, and where its baseline lies. Imports no paper."""

from __future__ import annotations

import hashlib
import importlib
import importlib.metadata
import importlib.util
import re
from contextlib import suppress
from functools import cache
from pathlib import Path

from rateproof.theory import discovery

#: What a verdict also depends on, besides the sources.
_LIBRARIES = ("numpy", "scipy", "sympy", "cvxpy", "clarabel")


def fingerprint() -> str:
    """Digest of all that a verdict depends on: the sources of all packages and papers, and versions of libraries."""
    ours = tuple(f"rateproof.{name}" for name in ("theory", "algos", "verify", "theory.papers", "verify.papers"))
    folders = [Path(folder) for name in ours for folder in importlib.import_module(name).__path__]
    outside = [p.folder for p in discovery.found().places.values() if not (p.built_in or p.trouble)]
    return hashed(tuple(dict.fromkeys(folder.resolve() for folder in (*folders, *outside))))


@cache
def hashed(roots: tuple[Path, ...]) -> str:
    """Digest of the sources in some folders, hidden folders left out, and of the versions of the libraries."""
    files = sorted({f for root in roots for f in root.rglob("*.py") if not _hidden(f.relative_to(root))})
    digest = hashlib.sha256()
    for file in files:
        root = max((r for r in roots if file.is_relative_to(r)), key=lambda r: len(r.parts))
        digest.update(f"{root.name}/{file.relative_to(root)}\n".encode())
        digest.update(hashlib.sha256(file.read_bytes()).digest())
    for library in _LIBRARIES:
        digest.update(f"{library} {importlib.metadata.version(library)}\n".encode())
    return digest.hexdigest()


def _hidden(path: Path) -> bool:
    return any(part.startswith(".") for part in path.parts)


def digest_of_all() -> str:
    """Digest of all that is said of the claims: the sources, and the baselines and records of all papers."""
    digest = hashlib.sha256(fingerprint().encode())
    for paper, place in discovery.found().places.items():
        folder = place.folder if place.trouble else baseline_path(paper).parent
        for file in sorted(f for suffix in ("jsonl", "toml") for f in folder.glob(f"*.{suffix}")):
            digest.update(f"{file}\n".encode() + hashlib.sha256(file.read_bytes()).digest())
    return digest.hexdigest()


#: A claim at the beginning of a line of a baseline.
_ID = re.compile(r'^\{"claim": "([^"]+)"', re.MULTILINE)


def ids(paper: str) -> list[str]:
    """The claims in the baseline of a paper; none where it cannot be read."""
    with suppress(OSError, ValueError):
        return _ID.findall(baseline_path(paper).read_text(encoding="utf-8", errors="replace"))
    return []


def baseline_path(paper: str) -> Path:
    """Where the baseline of a paper lies: in ``verify/papers/<paper>``, or in the folder of an outside paper.

    Raises:
        ValueError: the paper cannot be used (see :func:`rateproof.theory.discovery.place`).
    """
    place = discovery.place(paper)
    if place is not None and not place.built_in:
        return place.folder / "baseline.jsonl"
    spec = importlib.util.find_spec(f"rateproof.verify.papers.{paper}")
    if spec and spec.submodule_search_locations:
        return Path(next(iter(spec.submodule_search_locations))) / "baseline.jsonl"
    return Path(__file__).parents[1] / "papers" / paper / "baseline.jsonl"
