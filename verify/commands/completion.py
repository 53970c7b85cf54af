"""What a shell completes: ids and names that begin as the user has, without importing what they name.

Ids of claims are those of the baselines. Names of methods, families and schedules take seconds to find, so they are
kept until a source changes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

import click

#: A function that click asks for completions.
Completion = Callable[[click.Context, click.Parameter, str], list[str]]


def papers() -> list[str]:
    """Ids of papers."""
    from rateproof.theory import discovery

    return list(discovery.found().places)


def claims() -> list[str]:
    """Ids of papers, and of the claims in their baselines."""
    from rateproof.verify.stored.sources import ids

    return [*papers(), *(i for paper in papers() for i in ids(paper))]


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
    from rateproof.verify.stored.kept import kept
    from rateproof.verify.stored.sources import fingerprint

    names: dict[str, list[str]] = kept("names", fingerprint(), _all_names)
    return names[kind]


def _all_names() -> dict[str, list[str]]:
    from rateproof.verify.experiments import experiment

    return {kind: sorted(getattr(experiment, kind)()) for kind in ("methods", "families", "schedules")}
