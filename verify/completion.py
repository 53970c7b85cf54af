"""What a shell completes: ids and names that begin as the user has, without importing what they name.

Ids of claims are those of the baselines. Names of methods, families and schedules take seconds to find, so they are
kept in the user's cache, until a source changes.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path

import click

#: A function that click asks for completions.
Completion = Callable[[click.Context, click.Parameter, str], list[str]]
_ID = re.compile(r'^\{"claim": "([^"]+)"', re.MULTILINE)


def papers() -> list[str]:
    """Ids of papers."""
    from rateproof.theory import discovery

    return list(discovery.found().places)


def claims() -> list[str]:
    """Ids of papers, and of the claims in their baselines."""
    from rateproof.theory import discovery

    found = []
    for paper, place in discovery.found().places.items():
        folder = Path(__file__).parent / "papers" / paper if place.built_in else place.folder
        with suppress(OSError):
            found += _ID.findall((folder / "baseline.jsonl").read_text(encoding="utf-8", errors="replace"))
    return [*papers(), *found]


def methods() -> list[str]:
    """Names of methods."""
    return _names("methods")


def families() -> list[str]:
    """Names of families."""
    return _names("families")


def schedules() -> list[str]:
    """Ids of schedules."""
    return _names("schedules")


def completing(names: Callable[[], Iterable[str]]) -> Completion:
    """What click asks: the names that begin as the user has; none where they cannot be found."""

    def complete(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[str]:
        try:
            return [name for name in names() if name.casefold().startswith(incomplete.casefold())]
        except Exception:  # a line that is being typed is no place for a message
            return []

    return complete


def _names(kind: str) -> list[str]:
    path, version = cache_file(), _version()
    with suppress(OSError, ValueError, KeyError, TypeError):
        kept = json.loads(path.read_text(encoding="utf-8"))
        if kept["version"] == version:
            return list(kept[kind])
    from rateproof.verify import experiment
    from rateproof.verify.files import write_atomically

    found = {n: sorted(getattr(experiment, n)()) for n in ("methods", "families", "schedules")}
    with suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(path, json.dumps({"version": version, **found}))
    return found[kind]


def cache_file() -> Path:
    """Where names are kept: in XDG_CACHE_HOME, else ``~/.cache``."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "rateproof" / "names.json"


def _version() -> str:
    """Changes whenever a source or the set of papers does."""
    from rateproof.theory import discovery

    places = discovery.found().places.values()
    rooms = [Path(__file__).resolve().parent.parent / name for name in ("theory", "algos", "verify")]
    times = [f.stat().st_mtime_ns for folder in (*rooms, *(p.folder for p in places)) for f in folder.rglob("*.py")]
    return f"{rooms} {[str(p) for p in places]}: {len(times)} files, the newest of {max(times)}"
