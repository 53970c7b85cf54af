"""Powers, logarithms and sums that a decision reads in another form than they are written."""

from __future__ import annotations

from typing import Any

import sympy as sp


def rewriting(theory: Any, script: Any, said: sp.Rel, read: sp.Rel, full: sp.Rel) -> list[str]:
    """Equations, by their names in the lemma, that turn terms of a relation into those of its reading."""
    return []
