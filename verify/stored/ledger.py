"""The ledger of runs: every result is kept in SQLite as soon as it is there, so that an interrupted check resumes."""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

from rateproof.verify.checks import FAILED, Budget, Result
from rateproof.verify.stored.files import LedgerError
from rateproof.verify.stored.sources import fingerprint

_MARK = 0x52505246
_TABLE = """
CREATE TABLE IF NOT EXISTS results (
    claim TEXT NOT NULL, tier TEXT NOT NULL, seed INTEGER NOT NULL, fingerprint TEXT NOT NULL,
    finished TEXT NOT NULL, result TEXT NOT NULL,
    PRIMARY KEY (claim, tier, seed, fingerprint)
)
"""


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

    def seconds(self, budget: Budget) -> dict[str, float]:
        """What the check of each claim took the last time in this tier, with any sources.

        What died took nothing, and is left out like what cannot be read.

        Raises:
            LedgerError, OSError: as on opening.
        """
        query = (
            "SELECT claim, max(finished), json_extract(result, '$.seconds') FROM results "
            "WHERE tier = ? AND json_valid(result) GROUP BY claim"
        )
        with self._errors():
            rows = self._db.execute(query, (budget.tier,)).fetchall()
        return {claim: float(took) for claim, _, took in rows if isinstance(took, int | float) and took > 0}

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
