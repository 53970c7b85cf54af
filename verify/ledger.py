"""The ledger of runs: every result is kept in SQLite as soon as it is there, so that an interrupted check resumes."""

from __future__ import annotations

import hashlib
import importlib
import importlib.metadata
import json
import os
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import cache
from pathlib import Path

from rateproof.theory import discovery
from rateproof.verify.checks import FAILED, Budget, Result
from rateproof.verify.files import LedgerError

_MARK = 0x52505246
_TABLE = """
CREATE TABLE IF NOT EXISTS results (
    claim TEXT NOT NULL, tier TEXT NOT NULL, seed INTEGER NOT NULL, fingerprint TEXT NOT NULL,
    finished TEXT NOT NULL, result TEXT NOT NULL,
    PRIMARY KEY (claim, tier, seed, fingerprint)
)
"""
#: What a verdict also depends on, besides the sources.
_LIBRARIES = ("numpy", "scipy", "sympy", "cvxpy", "clarabel")


def default_path() -> Path:
    """``runs.sqlite`` in the folder RATEPROOF_HOME, else in ``.rateproof`` under the current directory."""
    return Path(os.environ.get("RATEPROOF_HOME") or ".rateproof") / "runs.sqlite"


class Ledger:
    """Results of runs, by claim, tier, seed and fingerprint of the sources. Use as a context manager."""

    def __init__(self, path: Path) -> None:
        """Open the ledger, creating it when there is none.

        Raises:
            LedgerError: the file is damaged or is not a ledger; it is left as it is.
            OSError: it cannot be created or written.
        """
        self.path = path
        path.parent.mkdir(parents=True, exist_ok=True)
        with self._errors():
            self._db = sqlite3.connect(path, timeout=30)
            try:
                self._prepare()
            except BaseException:
                self._db.close()
                raise

    def __enter__(self) -> Ledger:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file."""
        self._db.close()

    def put(self, result: Result, budget: Budget) -> None:
        """Keep one result.

        Raises:
            LedgerError, OSError: as on opening.
        """
        now = datetime.now(UTC).isoformat(timespec="seconds")
        row = (result.claim, budget.tier, budget.seed, fingerprint(), now, json.dumps(result.to_json()))
        with self._errors(), self._db:
            self._db.execute("INSERT OR REPLACE INTO results VALUES (?, ?, ?, ?, ?, ?)", row)

    def finished(self, claim_ids: Iterable[str], budget: Budget) -> dict[str, Result]:
        """Results kept for these claims, computed with the present sources, tier and seed.

        Checks that failed are not among them: they are worth another try.

        Raises:
            LedgerError, OSError: as on opening.
        """
        query = "SELECT claim, result FROM results WHERE tier = ? AND seed = ? AND fingerprint = ?"
        wanted = set(claim_ids)
        out: dict[str, Result] = {}
        with self._errors():
            for claim, text in self._db.execute(query, (budget.tier, budget.seed, fingerprint())):
                try:
                    result = Result.from_json(json.loads(text))
                except ValueError as error:
                    raise LedgerError(f"ledger {self.path} is damaged (row of {claim}: {error}); {_REMEDY}") from None
                if claim in wanted and result.method != FAILED:
                    out[claim] = result
        return out

    def count(self) -> int:
        """Number of results kept."""
        with self._errors():
            return int(self._db.execute("SELECT count(*) FROM results").fetchone()[0])

    def _prepare(self) -> None:
        # Look before writing: a foreign or damaged file must stay as it is.
        tables = self._db.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
        mark = self._db.execute("PRAGMA application_id").fetchone()[0]
        if tables and mark != _MARK:
            raise LedgerError(f"{self.path} is a database, but no ledger of rateproof; {_REMEDY}")
        sound = self._db.execute("PRAGMA quick_check").fetchone()[0]
        if sound != "ok":
            raise LedgerError(f"ledger {self.path} is damaged ({' '.join(sound.split())}); {_REMEDY}")
        if not tables:
            self._db.execute(f"PRAGMA application_id = {_MARK}")
            self._db.execute(_TABLE)
        self._db.execute("PRAGMA journal_mode = WAL")
        self._db.execute("PRAGMA synchronous = NORMAL")

    @contextmanager
    def _errors(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.OperationalError as error:
            raise OSError(f"ledger {self.path} cannot be written: {error}") from None
        except sqlite3.DatabaseError as error:
            raise LedgerError(f"ledger {self.path} is damaged ({error}); {_REMEDY}") from None


_REMEDY = "nothing was overwritten: move it away and run again"


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
