"""The planted-error test of the deciders: what share of errors planted in true theorems do their checks refute?

A checker that cannot see a false theorem is worth nothing, and one that accuses a true theorem is worth less. Every
theorem that is known to be tight goes through its own check as it stands, and again with errors drawn at random where
it is tight (:mod:`verify.planted.mutate`), which are false for certain. What its check does not refute is searched
for a counterexample (:mod:`rateproof.verify.falsify`) among a fixed number of instances. So does every other claim that
the baseline calls proved, with a smaller constant; where such a bound is loose the copy may be true, and the check may
prove it, so its share says how loose our proved bounds are, and nothing is demanded of it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from functools import partial
from random import Random
from typing import Any

from rateproof.theory import catalog
from rateproof.theory.claim import Claim, conjuncts
from rateproof.verify import registry
from rateproof.verify.checks import Budget, Check, is_checked, plain, without_proof
from rateproof.verify.deciders import kernel
from rateproof.verify.evidence import Evidence, Verdict, summary, verdict
from rateproof.verify.planted.mutate import Sharp, mutants
from rateproof.verify.severity import BREAKING

#: Errors planted in each tight theorem, and in each other proved claim.
COUNT, COUNT_LOOSE = 10, 3
#: Instances in which a search looks for a planted error that the check has not refuted.
EXAMPLES = 300


@dataclass(frozen=True)
class Row:
    """One theorem through its check: as it stands (``mutant == ""``) or with a planted error.

    ``worst_ratio`` is the largest over all evidence, ``witness`` that of the deciding one; ``right`` is whether the
    verdict is right (of a copy of a claim that is not known to be tight: whether it is refuted); ``searched`` whether a
    search, not the check, refuted it.
    """

    claim: str
    mutant: str
    verdict: Verdict
    right: bool
    worst_ratio: float | None
    witness: str
    tight: bool = True
    searched: bool = False


@dataclass(frozen=True)
class Score:
    """How many planted errors were refuted, and how many true theorems were not found true; ``rows`` in order."""

    rows: tuple[Row, ...]

    def planted(self, *, tight: bool = True) -> tuple[Row, ...]:
        """The planted errors in tight theorems, or in the others."""
        return tuple(r for r in self.rows if r.mutant and r.tight is tight)

    @property
    def true_claims(self) -> tuple[Row, ...]:
        """The theorems as they stand."""
        return tuple(r for r in self.rows if not r.mutant)

    @property
    def accused(self) -> tuple[Row, ...]:
        """Theorems found refuted or inconsistent; there must be none."""
        return tuple(r for r in self.true_claims if r.verdict in BREAKING)

    @property
    def missed(self) -> tuple[Row, ...]:
        """Wrong verdicts: certain errors that passed, and theorems neither proved nor supported."""
        return tuple(r for r in self.rows if not r.right and (r.tight or not r.mutant))

    @property
    def share(self) -> float:
        """Share of the errors planted in tight theorems that were refuted; 1 when there are none."""
        planted = self.planted()
        return sum(r.right for r in planted) / len(planted) if planted else 1.0

    def tally(self) -> dict[str, tuple[int, int]]:
        """For each theorem how many errors were planted and how many of them refuted."""
        mutated = {r.claim: [m for m in self.rows if m.claim == r.claim and m.mutant] for r in self.true_claims}
        return {claim: (len(rows), sum(r.right for r in rows)) for claim, rows in mutated.items()}

    def to_json(self) -> dict[str, Any]:
        """The counts, and the rows with a wrong verdict, in plain JSON values."""
        tight, loose = self.planted(), self.planted(tight=False)
        return {
            "theorems": len({r.claim for r in self.true_claims if r.tight}),
            "mutants": len(tight),
            "refuted": sum(r.right for r in tight),
            "true_claims": len(self.true_claims),
            "accused": len(self.accused),
            "loose_mutants": len(loose),
            "loose_refuted": sum(r.right for r in loose),
            "loose_proved": sum(r.verdict is Verdict.PROVED for r in loose),
            "by_search": sum(r.searched for r in self.rows),
            "missed": [plain(asdict(row)) for row in self.missed],
        }


def papers() -> tuple[str, ...]:
    """The papers that are scored: those that try some of their claims on instances.

    One of this package is scored as soon as its folder has a file of scores, which may be empty.
    """

    def due(paper: str) -> bool:
        return registry.outside(paper) or (registry.folder(paper) / "score.jsonl").exists()

    return tuple(p for p in catalog.readable() if due(p) and any(one.check for one in registry.records(p)))


def theorems() -> dict[str, Sharp | None]:
    """What is scored: the claims whose paper says where they are tight, then the other proved bounds (None)."""
    from rateproof.verify.stored import baseline

    tight: dict[str, Sharp | None] = {}
    proved: dict[str, Sharp | None] = {}
    for paper in papers():
        tight |= {one.claim.id: one.tight for one in registry.records(paper) if one.tight}
        entries = baseline.read(paper)
        proved |= dict.fromkeys(
            claim.id
            for claim in catalog.claims(paper).values()
            if claim.id in entries
            and entries[claim.id].result.verdict is Verdict.PROVED
            and not entries[claim.id].stale
            and is_checked(claim)
            and _is_upper_bound(claim)
        )
    return tight | {claim_id: None for claim_id in proved if claim_id not in tight}


def _is_upper_bound(claim: Claim) -> bool:
    relations = conjuncts(claim.statement)
    return bool(relations) and all(r.rel_op == "<=" and r.args[1].free_symbols for r in relations)


def score(
    seed: int = 0,
    progress: Callable[[int, int], None] | None = None,
    *,
    count: int = COUNT,
    only: Iterable[str] | None = None,
    checks: Mapping[str, Check] | None = None,
) -> Score:
    """Run the planted-error test.

    Args:
        seed: of the errors and of the ordinary instances; a theorem's tight instances are the same for every seed.
        progress: called with (checks done, checks in all) after every check.
        count: errors planted in each tight theorem.
        only: ids of the theorems to score; all of :func:`theorems` unless given.
        checks: the checkers under test, by claim id; those of the papers unless given.

    Raises:
        ValueError: ``only`` names a claim that is not scored.
    """
    scored = theorems()
    chosen = list(scored if only is None else only)
    for claim_id in chosen:
        if claim_id not in scored:
            raise ValueError(catalog.unknown("scored claim", claim_id, scored))
    budget = Budget(seed=seed)
    cases = [case for claim_id in chosen for case in _cases(claim_id, scored[claim_id], seed, count)]
    rows: list[Row] = []
    for claim, name, tight in cases:
        rows.append(judged(claim, name, None if checks is None else checks[claim.id], budget, tight=tight))
        if progress:
            progress(len(rows), len(cases))
    return Score(tuple(rows))


def _cases(claim_id: str, sharp: Sharp | None, seed: int, count: int) -> Iterable[tuple[Claim, str, bool]]:
    """A theorem as it stands, then with errors; each theorem draws its own, whatever else is scored."""
    claim = catalog.get(claim_id)
    yield claim, "", sharp is not None
    draw = partial(mutants, rng=Random(f"{seed} {claim_id}"))
    planted = draw(claim, Sharp(), count=COUNT_LOOSE) if sharp is None else draw(claim, sharp, count=count)
    for name, copy in planted:
        yield copy, name, sharp is not None


def judged(claim: Claim, name: str, check: Check | None, budget: Budget, *, tight: bool = False) -> Row:
    """A theorem, or a copy with the error ``name``, through a check; without one through its own, and a search.

    A proof, which takes long, is only tried where no instance refutes the copy.
    """
    evidence = list((check or without_proof)(claim, budget))
    if not check and verdict(evidence) not in BREAKING and (proof := kernel.prove(claim)):
        evidence.append(proof)
    row = _row(claim, name, tight, evidence)
    open_ = name and not check and row.verdict not in (*BREAKING, Verdict.PROVED)
    return _searched(claim, row, budget.seed) if open_ else row


def _row(claim: Claim, name: str, tight: bool, evidence: list[Evidence]) -> Row:
    decided, deciding = verdict(evidence), summary(evidence)
    right = decided is Verdict.REFUTED if name else decided in (Verdict.PROVED, Verdict.SUPPORTED)
    ratio = max((e.worst_ratio for e in evidence if e.worst_ratio is not None), default=None)
    return Row(claim.id, name, decided, right, ratio, deciding.witness if deciding else "", tight)


def _searched(claim: Claim, row: Row, seed: int) -> Row:
    """The row, refuted where a search in the claim's spaces refutes it; some claims have none."""
    from rateproof.verify.falsify import falsify, spaces_of

    try:
        spaces = spaces_of(claim)
    except ValueError:
        return row
    search = falsify(claim, spaces, seconds=math.inf, seed=seed, examples=EXAMPLES)
    if not search.refuted:
        return row
    ratio, witness = search.evidence.worst_ratio, search.evidence.witness
    return replace(row, verdict=Verdict.REFUTED, right=True, worst_ratio=ratio, witness=witness, searched=True)
