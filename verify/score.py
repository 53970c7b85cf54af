"""The planted-error test of the deciders: what share of errors planted in true theorems do their checks refute?

A checker that cannot see a false theorem is worth nothing, and one that accuses a true theorem is worth less. Every
theorem of the control group goes through its own check as it stands, and again with each planted error.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from theory import catalog
from verify.checks import BREAKING, Budget, Check, plain
from verify.evidence import Verdict, summary, verdict
from verify.mutate import mutants

CONTROL = "textbook"


@dataclass(frozen=True)
class Row:
    """One theorem through its check: as it stands (``mutant == ""``) or with a planted error.

    ``worst_ratio`` is the largest over all evidence, ``witness`` that of the deciding one; ``right`` is whether the
    verdict is right.
    """

    claim: str
    mutant: str
    verdict: Verdict
    right: bool
    worst_ratio: float | None
    witness: str


@dataclass(frozen=True)
class Score:
    """How many planted errors were refuted, and how many true theorems were not found true.

    Attributes:
        mutants, refuted: planted errors, and those refuted.
        true_claims, accused: theorems, and those found refuted or inconsistent (must be 0).
        rows: every verdict, theorems before their mutants.
    """

    mutants: int
    refuted: int
    true_claims: int
    accused: int
    rows: tuple[Row, ...]

    @property
    def share(self) -> float:
        """Share of the planted errors that were refuted."""
        return self.refuted / self.mutants

    @property
    def missed(self) -> tuple[Row, ...]:
        """Rows with a wrong verdict: planted errors that passed, and theorems neither proved nor supported."""
        return tuple(row for row in self.rows if not row.right)

    def to_json(self) -> dict[str, Any]:
        """The counts, and the rows with a wrong verdict, in plain JSON values."""
        counts = ("mutants", "refuted", "true_claims", "accused")
        return {name: getattr(self, name) for name in counts} | {"missed": [plain(asdict(row)) for row in self.missed]}


def score(
    seed: int = 0, progress: Callable[[int, int], None] | None = None, *, checks: Mapping[str, Check] | None = None
) -> Score:
    """Run the planted-error test.

    Args:
        seed: of the ordinary instances; planted errors and tight instances are the same for every seed.
        progress: called with (checks done, checks in all) after every check.
        checks: the checker under test, by claim id; the control group's own checks unless given.
    """
    from verify.papers.textbook import CHECKS, SHARP

    checks = CHECKS if checks is None else checks
    budget = Budget(seed=seed)
    cases = [
        (claim, name, copy)
        for claim in catalog.claims(CONTROL).values()
        for name, copy in [("", claim), *mutants(claim, SHARP[claim.id])]
    ]
    rows: list[Row] = []
    for claim, name, copy in cases:
        evidence = list(checks[claim.id](copy, budget))
        found, deciding = verdict(evidence), summary(evidence)
        right = found is Verdict.REFUTED if name else found in (Verdict.PROVED, Verdict.SUPPORTED)
        ratio = max((e.worst_ratio for e in evidence if e.worst_ratio is not None), default=None)
        rows.append(Row(claim.id, name, found, right, ratio, deciding.witness if deciding else ""))
        if progress:
            progress(len(rows), len(cases))
    planted, true = [r for r in rows if r.mutant], [r for r in rows if not r.mutant]
    return Score(
        mutants=len(planted),
        refuted=sum(r.right for r in planted),
        true_claims=len(true),
        accused=sum(r.verdict in BREAKING for r in true),
        rows=tuple(rows),
    )
