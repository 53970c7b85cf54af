"""Text files of a paper with one JSON object per claim, in the order of its catalog."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

from rateproof.theory import catalog
from rateproof.verify.stored.files import LedgerError, write_atomically

T = TypeVar("T")

_REMEDY = "nothing was overwritten: restore it from version control, or move it away and run check --update"


def read(path: Path, what: str, entry: Callable[[Any], tuple[str, T]]) -> dict[str, T]:
    """What the lines of a file say, by claim id; empty when there is no file.

    Args:
        path: of the file.
        what: to call it in messages.
        entry: the claim and what is kept of it, from the value of one line; refuses by ValueError and its like.

    Raises:
        LedgerError: the file is damaged or cannot be read; names the file, the line and what to do.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return {}
    except (OSError, UnicodeDecodeError) as error:
        raise LedgerError(f"{what} {path} cannot be read ({error}); {_REMEDY}") from None
    if not text.endswith("\n"):
        raise LedgerError(f"{what} {path} is half-written (its last line does not end); {_REMEDY}")
    out: dict[str, T] = {}
    for number, line in enumerate(text.splitlines(), start=1):
        try:
            claim_id, kept = entry(json.loads(line))
            if claim_id in out:
                raise ValueError(f"claim {claim_id!r} stands there twice")
        except (ValueError, TypeError, KeyError) as error:
            why = " ".join(str(error).split())
            raise LedgerError(f"{what} {path} is damaged in line {number} ({why}); {_REMEDY}") from None
        out[claim_id] = kept
    return out


def write(path: Path, paper: str, lines: Mapping[str, str]) -> None:
    """Write the lines of the claims of one paper in one step; an equal file is left alone.

    Raises:
        OSError: no permission.
    """
    order = {claim_id: i for i, claim_id in enumerate(catalog.claims(paper))}
    ranked = sorted(lines, key=lambda claim_id: (order.get(claim_id, len(order)), claim_id))
    text = "".join(lines[claim_id] + "\n" for claim_id in ranked)
    if not path.is_file() or path.read_text(encoding="utf-8") != text:
        write_atomically(path, text)
