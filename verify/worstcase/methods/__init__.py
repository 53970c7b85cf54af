"""Models of methods as performance estimation problems: :data:`METHODS`, by the name that the command takes."""

from __future__ import annotations

from collections.abc import Mapping

from rateproof.verify.worstcase.methods import descent, federated, ipir, projection
from rateproof.verify.worstcase.methods.base import Case, Known, Method, near

__all__ = ["METHODS", "Case", "Known", "Method", "find"]

METHODS: Mapping[str, Method] = {m.name: m for module in (descent, federated, ipir, projection) for m in module.METHODS}


def find(name: str) -> Method:
    """The method of this name.

    Raises:
        ValueError: there is none.
    """
    if name not in METHODS:
        raise ValueError(f"there is no method {name}; {near(name, METHODS)}")
    return METHODS[name]
