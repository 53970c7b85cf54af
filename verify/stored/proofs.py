"""The multipliers of the proofs of a paper, kept beside its baseline so that a check need not search them again."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from rateproof.theory.proof.hints import Hints
from rateproof.verify.stored import lines
from rateproof.verify.stored.sources import baseline_path


def path_of(paper: str) -> Path:
    """Where they lie."""
    return baseline_path(paper).with_name("proofs.jsonl")


def read(paper: str) -> dict[str, Hints]:
    """The hints of each claim; empty when there is no file.

    Raises:
        LedgerError: the file is damaged or cannot be read; names the file, the line and what to do.
    """
    return lines.read(path_of(paper), "file of proofs", _entry)


def write(paper: str, proofs: Mapping[str, Hints]) -> None:
    """Write the hints of the claims that have any; without any there is no file.

    Raises:
        OSError: no permission.
    """
    path = path_of(paper)
    lines_of = {i: json.dumps({"claim": i, "hints": dict(hints)}) for i, hints in proofs.items() if hints}
    if lines_of:
        lines.write(path, paper, lines_of)
    else:
        path.unlink(missing_ok=True)


def merged(hints: Iterable[Hints]) -> Hints:
    """All of them: a question has one digest, whoever asks it."""
    return {of: multipliers for one in hints for of, multipliers in one.items()}


def _entry(data: Any) -> tuple[str, Hints]:
    claim_id, hints = data["claim"], data["hints"]
    if not isinstance(claim_id, str) or not isinstance(hints, dict) or not all(map(_texts, hints.values())):
        raise ValueError("expected a claim, and by digest the multipliers of its proof as text")
    return claim_id, hints


def _texts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(text, str) for text in value)
