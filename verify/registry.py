"""What a paper's folder in ``verify`` exports, by paper and name."""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Mapping
from typing import Any

#: Names that a paper may export, each a mapping from claim ids.
EXPORTS = ("CHECKS", "SPACES", "SHARP")


def exported(paper: str, name: str) -> Mapping[str, Any]:
    """One of the mappings of :data:`EXPORTS`; empty when the paper has none.

    Raises:
        ValueError: ``name`` is not one of them.
    """
    if name not in EXPORTS:
        raise ValueError(f"a paper exports {', '.join(EXPORTS)}, not {name!r}")
    module = f"verify.papers.{paper}"
    if importlib.util.find_spec(module) is None:
        return {}
    found: Mapping[str, Any] = getattr(importlib.import_module(module), name, {})
    return found


def of(claim_id: str, name: str) -> Any:
    """What a paper exports about one claim; None when it says nothing."""
    return exported(claim_id.partition(".")[0], name).get(claim_id)
