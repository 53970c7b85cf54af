"""Files that are written in one step or not at all."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path


class LedgerError(ValueError):
    """A ledger file is damaged; the message names it and says what to do."""


def check_target(option: str, path: Path | None, suffixes: Sequence[str] = ()) -> None:
    """Check that a file that an option names can be written later; any suffix will do when none is asked for.

    Raises:
        ValueError: another suffix, no such folder, a folder itself, or no permission.
    """
    if path is None:
        return
    if suffixes and path.suffix not in suffixes:
        raise ValueError(f"{option} {path} should end in {' or '.join(suffixes)}")
    if not path.parent.is_dir():
        raise ValueError(f"{option} {path}: there is no folder {path.parent}; create it first")
    if path.is_dir():
        raise ValueError(f"{option} {path} is a folder; name a file in it")
    probe = _beside(path)
    try:
        probe.touch(exist_ok=False)
        probe.unlink()
    except OSError as error:
        raise ValueError(f"{option} {path} cannot be written: {error.strerror}; name another place") from None


def write_atomically(path: Path, data: str | bytes) -> None:
    """Write a file through a temporary one beside it, so that a reader finds the old content or the new, never half.

    Raises:
        OSError: no permission, no such folder, or the disk is full; it names the file, which is as it was.
    """
    raw = data.encode() if isinstance(data, str) else data
    temporary = _beside(path)
    try:
        with temporary.open("wb") as stream:
            stream.write(raw)
            stream.flush()
            os.fsync(stream.fileno())
        os.replace(temporary, path)  # noqa: PTH105 (Path.replace is this call)
    except OSError as error:
        raise OSError(f"{path} cannot be written: {error.strerror or error}") from error
    finally:
        temporary.unlink(missing_ok=True)


def _beside(path: Path) -> Path:
    return path.with_name(f".{path.name}.{os.getpid()}.tmp")
