"""What a proof rests on: the rules and steps of the kernel, and the engines that decide."""

from __future__ import annotations

from rateproof.theory import gram, sums
from rateproof.theory.proof import steps
from rateproof.theory.proof.rules import RULES


def trusted() -> dict[str, dict[str, str]]:
    """The trusted base, each part with what it says."""
    kinds = {name: kind for name, kind in vars(steps).items() if isinstance(kind, type) and name.islower()}
    return {
        "rules": {name: _said(rule) for name, rule in RULES.items()},
        "steps": {name: _said(kind) for name, kind in kinds.items()},
        "deciders": {f"theory.{e.__name__.rpartition('.')[2]}": _said(e) for e in (gram, sums)},
    }


def _said(thing: object) -> str:
    """The first paragraph of a docstring, in one line."""
    return " ".join((thing.__doc__ or "").split("\n\n")[0].split())
