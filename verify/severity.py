"""How a claim fares when it is read kindly, and how much is wrong with one that does not hold as printed.

Both are computed: the kind verdict from what is known of the claim's kind readings, the severity from which readings
and corrected claims were found to hold, and on which instances the claim is violated. A correction of a misprint counts
for both, so that no misprint is refuted read kindly.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from rateproof.theory.claim import Claim, Severity, reached
from rateproof.verify.evidence import Verdict

#: Verdicts that break every proof which rests on the claim, and those of a claim that holds.
BREAKING = (Verdict.REFUTED, Verdict.INCONSISTENT)
HOLDING = (Verdict.PROVED, Verdict.SUPPORTED)
#: Of several kind readings the best counts; one that nothing is known about may hold.
_BEST_FIRST = (
    Verdict.PROVED,
    Verdict.SUPPORTED,
    Verdict.UNDECIDED,
    Verdict.UNCHECKED,
    Verdict.VACUOUS,
    Verdict.INCONSISTENT,
    Verdict.REFUTED,
)
#: A condition excludes extreme instances only where those that need it miss it by this factor at least.
EXTREME = 10.0
#: How the reason ends of a claim that only such instances violate, before the factor.
FAR = "; instances that violate it as printed miss that condition by a factor of "


@dataclass(frozen=True)
class Repair:
    """Something under which a claim holds that does not hold as printed: how grave, and what it is in words."""

    severity: Severity
    because: str


def kind_verdict(
    claim: Claim,
    printed: Verdict,
    readings: Mapping[str, Mapping[str, Any]],
    corrected: Iterable[tuple[Claim, Verdict]] = (),
) -> Verdict:
    """The verdict on the claim read kindly; what holds as printed, or has no kind reading, keeps the printed verdict.

    A kind reading is the one of its kind switches, and each correction of a misprint: what the paper's own argument
    gives. The best of them counts.

    Args:
        claim: the claim.
        printed: its verdict as printed.
        readings: what the evidence says of its other readings, by their names.
        corrected: the claims that amend it, with their verdicts.
    """
    if printed in HOLDING:
        return printed
    verdicts = [verdict for other, verdict in corrected if repair_of(claim, other).severity is Severity.MISPRINT]
    if claim.kind_reading:
        reading = readings.get(claim.kind_reading, {"verdict": Verdict.UNCHECKED})
        verdicts.append(Verdict(reading["verdict"]))
    return min(verdicts, key=_BEST_FIRST.index, default=printed)


def judge(
    claim: Claim,
    readings: Mapping[str, Mapping[str, Any]],
    violated: Mapping[str, Any] | None,
    corrected: Iterable[tuple[Claim, Verdict]],
) -> Repair:
    """The mildest repair under which a broken claim was found to hold; ``substance`` when there is none.

    Args:
        claim: a claim that is refuted or inconsistent as printed.
        readings: what the evidence says of its other readings, by their names.
        violated: the violating instance that was chosen to be shown, degenerate only when all are.
        corrected: the claims that amend it, with their verdicts.
    """
    repairs = [*_read_otherwise(claim, readings)]
    if violated and violated["degenerate"]:
        repairs.append(
            Repair(Severity.CORNER, f"only degenerate instances violate it, such as “{violated['instance']}”")
        )
    repairs += [repair_of(claim, other) for other, verdict in corrected if verdict in HOLDING]
    nothing = Repair(Severity.SUBSTANCE, "no kind reading and no correction saves it")
    return min(repairs, key=lambda repair: repair.severity.rank, default=nothing)


def repair_of(printed: Claim, corrected: Claim) -> Repair:
    """What a corrected claim that holds says of the printed one.

    The same statement under other hypotheses is true under a condition. Another statement, or another definition of
    what stands in it, is a misprint's where the correction names the place of the paper's argument that gives it, else
    one of substance; so is a hypothesis of the print with another number. All at once are as grave as the gravest.
    """
    repairs = []
    origin = corrected.origin and f": {corrected.origin}"
    if _stated(printed) != _stated(corrected):
        severity = Severity.MISPRINT if origin else Severity.SUBSTANCE
        repairs.append(Repair(severity, f"{corrected.id} holds, which states something else{origin}"))
    before = {h.key: h.relation for h in printed.hypotheses}
    changed = [h.key for h in corrected.hypotheses if h.key not in before or h.relation != before[h.key]]
    if changed:
        restated = corrected.origin and before.keys() >= set(changed)
        severity = Severity.MISPRINT if restated else Severity.CONDITION
        repairs.append(Repair(severity, f"{corrected.id} holds, under other conditions{origin}"))
    nothing = Repair(Severity.SUBSTANCE, f"{corrected.id} holds, which differs in words only")
    return max(repairs, key=lambda repair: repair.severity.rank, default=nothing)


def _read_otherwise(claim: Claim, readings: Mapping[str, Mapping[str, Any]]) -> Iterable[Repair]:
    """The readings that hold: each kind switch alone, and all of them together."""
    switches = claim.kind_switches
    for chosen in [*((s,) for s in switches), *([switches] if len(switches) > 1 else [])]:
        reading = readings.get(" and ".join(s.reading for s in chosen))
        if not reading or Verdict(reading["verdict"]) not in HOLDING:
            continue
        repairs = [s.repairs for s in chosen]
        because = "it holds when read as " + "; ".join(f"{s.name}: {s.other} ({s.origin})" for s in chosen)
        factor = float(reading.get("extreme", 1))
        if factor >= EXTREME:
            repairs = [Severity.CORNER if r is Severity.CONDITION else r for r in repairs]
            because += f"{FAR}{factor:.3g} or more"
        yield Repair(max(repairs, key=lambda r: r.rank), because)


def _stated(claim: Claim) -> tuple[Any, ...]:
    """The statement with the definitions of what stands in it; of prose, the text."""
    if claim.statement is None:
        return (claim.text,)
    return claim.statement, tuple(sorted((str(s), e) for s, e in reached([claim.statement], claim.where).items()))
