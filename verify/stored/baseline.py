"""The committed baseline: one text file per paper, one JSON object per claim, and how new results compare with it."""

from __future__ import annotations

import json
import math
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from rateproof.theory import catalog, discovery
from rateproof.theory.claim import Claim
from rateproof.theory.digest import digest
from rateproof.verify.checks import Budget, Result, finish, plain
from rateproof.verify.evidence import PROOF_LEVELS, Level, Verdict
from rateproof.verify.stored import implied, lines
from rateproof.verify.stored.sources import baseline_path

DIGITS = 12
#: Relative tolerance of a worst ratio before it counts as changed.
TOLERANCE = 1e-6
STATISTICAL_TOLERANCE = 0.05
_OPEN = (Verdict.UNCHECKED, Verdict.UNDECIDED)


@dataclass(frozen=True)
class Entry:
    """One line of a baseline: a result and what it was computed with.

    Attributes:
        result: what was found.
        tier, seed: of the check.
        of: digest of the claim that was checked; empty in a line that does not say.
        steps: how many steps the proof has that decided; the steps themselves are the claim's.
    """

    result: Result
    tier: str
    seed: int
    of: str = ""
    steps: int = 0

    @cached_property
    def stale(self) -> bool:
        """Whether the claim is gone or has changed since the line was written; a claim of no paper here has not."""
        if discovery.place(self.result.paper) is None:
            return False
        claim = self._claim
        return claim is None or digest(claim) != self.of

    @property
    def _claim(self) -> Claim | None:
        return catalog.claims(self.result.paper).get(self.result.claim)

    def line(self) -> str:
        """The line, with floats to 12 significant digits, and without what :func:`implied.whole` adds."""
        data = self.result.to_json() | {"tier": self.tier, "seed": self.seed, "of": self.of, "steps": self.steps}
        del data["seconds"], data["hints"]
        return json.dumps(implied.short(plain(data, DIGITS), self._claim))


@dataclass(frozen=True)
class Change:
    """One difference to the baseline; ``worse`` ones make a check fail."""

    claim: str
    what: str
    worse: bool

    def __str__(self) -> str:
        return f"{self.claim}: {self.what}"


def read(paper: str) -> dict[str, Entry]:
    """The baseline of one paper, by claim id; empty when there is no file.

    Raises:
        LedgerError: the file is damaged or cannot be read; names the file, the line and what to do.
    """

    claims = catalog.claims(paper)

    def entry(data: Any) -> tuple[str, Entry]:
        line = _entry(data, claims)
        if line.result.paper != paper:
            raise ValueError(f"claim {line.result.claim!r} is of another paper")
        return line.result.claim, line

    return lines.read(baseline_path(paper), "baseline", entry)


def write(paper: str, entries: Iterable[Entry]) -> None:
    """Write the baseline of one paper, in the order of its catalog, in one step; an equal file is left alone.

    Raises:
        OSError: no permission.
    """
    lines.write(baseline_path(paper), paper, {e.result.claim: e.line() for e in entries})


def updated(old: Mapping[str, Entry], new: Iterable[Result], budget: Budget, *, complete: bool) -> list[Entry]:
    """The lines of one paper after a check: all of them when it was complete, else the old ones with the new on top.

    Joint verdicts and broken proofs are computed anew over all lines, since claims that were not checked may rest
    on those that were.
    """
    fresh = {r.claim: fresh_entry(r, budget) for r in new}
    entries = fresh if complete else dict(old) | fresh
    gone = [e for e in entries.values() if e.result.claim not in catalog.claims(e.result.paper)]
    present = finish(e.result for e in entries.values() if e not in gone)
    return [replace(entries[r.claim], result=r) for r in present] + gone


def fresh_entry(result: Result, budget: Budget) -> Entry:
    """The line of a fresh result."""
    return Entry(result, budget.tier, budget.seed, digest(catalog.get(result.claim)), len(result.steps))


def compare(
    old: Mapping[str, Entry], new: Iterable[Result], budget: Budget, *, complete: Collection[str] = ()
) -> list[Change]:
    """What changed against the baseline.

    Worse are: a claim without a baseline, a baseline line without a claim (in papers checked completely), any change
    of a verdict, as printed or read kindly, but a first decision, a graver severity, and a worst ratio beyond its
    tolerance in the wrong direction: up, or down for a refuted claim, whose counterexample has become weaker. Ratios
    are compared only within one tier and seed, kind verdicts and severities only where the baseline has them.
    """
    results = {r.claim: r for r in new}
    changes: list[Change] = []
    for claim_id, result in results.items():
        if claim_id not in old:
            changes.append(Change(claim_id, f"new, {result.verdict}, not in the baseline", worse=True))
        else:
            changes += _differences(old[claim_id], result, budget)
    for claim_id, entry in old.items():
        if entry.result.paper in complete and claim_id not in results:
            changes.append(Change(claim_id, "in the baseline but no longer among the claims", worse=True))
    return changes


def _differences(entry: Entry, now: Result, budget: Budget) -> Iterable[Change]:
    was = entry.result
    if was.verdict is not now.verdict:
        better = _better(was.verdict, now.verdict)
        reason = f" ({now.detail})" if now.verdict in _OPEN else ""
        yield Change(now.claim, f"verdict was {was.verdict}, is {now.verdict}{reason}", worse=not better)
    elif (entry.tier, entry.seed) == (budget.tier, budget.seed):
        if was.level is not now.level:
            better = now.level not in PROOF_LEVELS[1:]
            yield Change(now.claim, f"level was {was.level or 'none'}, is {now.level or 'none'}", worse=not better)
        yield from _ratio_change(was, now)
        if was.instances and not now.instances:
            yield Change(now.claim, f"{was.instances} admissible instances met it, none does now", worse=True)
    yield from _fairness(was, now)
    for name in sorted(was.readings.keys() | now.readings.keys()):
        before, after = (r.readings.get(name, {}).get("verdict", "not there") for r in (was, now))
        if before != after:
            gone = "not there" in (before, after)
            better = after != "not there" if gone else _better(Verdict(before), Verdict(after))
            yield Change(now.claim, f"reading {name} was {before}, is {after}", worse=not better)


def _better(was: Verdict, now: Verdict) -> bool:
    """A first decision, or a proof of what was supported."""
    return now is not Verdict.UNCHECKED and (was in _OPEN or (was, now) == (Verdict.SUPPORTED, Verdict.PROVED))


def _fairness(was: Result, now: Result) -> Iterable[Change]:
    """Changes of the kind verdict that are not the printed verdict's, and of the severity."""
    if was.kindly is None or now.kindly is None:
        return
    if was.kindly is not now.kindly and (was.kindly, now.kindly) != (was.verdict, now.verdict):
        better = _better(was.kindly, now.kindly)
        yield Change(now.claim, f"verdict read kindly was {was.kindly}, is {now.kindly}", worse=not better)
    if was.severity and now.severity and was.severity is not now.severity:
        graver = now.severity.rank > was.severity.rank
        yield Change(now.claim, f"severity was {was.severity}, is {now.severity}", worse=graver)


def _ratio_change(was: Result, now: Result) -> Iterable[Change]:
    before, after = was.worst_ratio, now.worst_ratio
    statistical = Level.STATISTICAL in (was.level, now.level)
    tolerance = STATISTICAL_TOLERANCE if statistical else TOLERANCE
    if before is None or _same(before, after, tolerance):
        return
    if after is None or math.isnan(after):
        yield Change(now.claim, f"worst ratio was {before:.9g}, there is none now", worse=True)
        return
    up = after > before or math.isnan(before)
    worse = up is not (now.verdict is Verdict.REFUTED)
    yield Change(now.claim, f"worst ratio was {before:.9g}, is {after:.9g} (tolerance {tolerance:g})", worse=worse)


def _same(before: float, after: float | None, tolerance: float) -> bool:
    if after is None:
        return False
    if math.isnan(before) or math.isnan(after):
        return math.isnan(before) and math.isnan(after)
    close = math.isfinite(before) and abs(after - before) <= tolerance * abs(before) + 10.0**-DIGITS
    return before == after or close


def _entry(data: Any, claims: Mapping[str, Claim]) -> Entry:
    if not isinstance(data, dict):
        raise ValueError(f"expected an object, got {type(data).__name__}")
    fields = implied.whole(data, claims.get(str(data["claim"])))
    tier, seed, of, steps = (fields.pop(name) for name in ("tier", "seed", "of", "steps"))
    count = len(steps) if isinstance(steps, list) else int(steps)  # an older line has the steps themselves
    return Entry(Result.from_json(fields), str(tier), int(seed), str(of), count)
