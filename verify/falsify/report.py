"""What a search for a counterexample, and an audit, say to a reader."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

from theory.claim import Claim
from verify.deciders import bounds
from verify.deciders.growth import Ladder
from verify.evidence import Finding
from verify.falsify.audit import Audited, Need
from verify.falsify.phases import Falsified
from verify.render import number, wrapped
from verify.trial import evaluate

FINITE = (
    "a ladder is finite: a true claim with a huge hidden constant rises along all of it too, so find the limit of "
    "metric and bound before calling the claim false"
)


def describe(found: Falsified) -> Iterator[str]:
    """The lines that ``rateproof falsify`` prints."""
    evidence = found.evidence
    yield from wrapped(f"{found.claim.id}: {found.claim.text}", "")
    if found.refuted:
        yield "\nviolated by"
        yield from _instance(found)
    elif found.built is None:
        yield "\nno admissible instance was found"
        yield from wrapped(evidence.detail, "  ")
    else:
        yield "\nno violation was found; the worst instance is"
        yield from _instance(found)
        if evidence.violated is not None:
            yield f"  this violates it, perhaps by chance: error probability {evidence.error_probability:.3g}"
        elif evidence.finding is Finding.INCONCLUSIVE:
            yield from wrapped(evidence.detail, "  ")
    yield ""
    yield from searched(found)


def searched(found: Falsified) -> Iterator[str]:
    """What was searched, by space and phase, and why the search ended."""
    spaces = dict.fromkeys(s.space for s in found.searched)
    for space in spaces:
        phases = [s for s in found.searched if s.space == space]
        told = ", ".join(f"{s.phase} {s.tried} ({s.admissible} admissible)" for s in phases)
        yield from wrapped(f"searched {space}: {told}", "")
    if found.skipped:
        yield f"{found.skipped} sets of parameters made no instance"
    tried = sum(s.tried for s in found.searched)
    yield f"{tried} instances, {found.evidence.instances} admissible, {found.seconds:.1f} s; {found.ended}"


def _instance(found: Falsified) -> Iterator[str]:
    built = found.built
    assert built is not None
    if isinstance(built, Ladder):
        if found.refuted:
            yield from wrapped(found.evidence.detail, "  ")
        else:
            yield from wrapped(f"along {built.parameter}: {built.why}; the ratio stays bounded", "  ")
        yield from wrapped(f"from {built.trials[0].label}", "  ")
        yield from wrapped(f"to {built.trials[-1].label}", "  ")
        if found.refuted:
            yield from wrapped(FINITE, "  ")
        if found.evidence.violated:
            yield "hypotheses, on the last instance"
            yield from _held(found.evidence.violated.hypotheses)
        return
    outcome = evaluate(found.claim, built)
    assert outcome.worst is not None
    tried = bounds.Tried(built, outcome, outcome.worst)
    side = tried.violation or outcome.worst
    yield from wrapped(built.label + (" (degenerate)" if built.degenerate else ""), "  ")
    yield from wrapped(str(side.relation), "  ")
    yield f"  left {number(side.lhs, 15)}, right {number(side.rhs, 15)}"
    yield f"  left - right {number(side.lhs - side.rhs, 6)}, left / right {number(tried.ratio, 10)}"
    if outcome.holds:
        yield "hypotheses"
        yield from _held(outcome.holds)


def _held(hypotheses: Any) -> Iterator[str]:
    for key, why in hypotheses.items():
        yield from wrapped(f"{key}: {why}", "  - ")


def describe_audit(claim: Claim, audited: Iterable[Audited]) -> Iterator[str]:
    """The lines that ``rateproof show --audit`` adds, each as soon as it is known."""
    yield "\naudit: is the claim false without this hypothesis alone?"
    if not claim.hypotheses:
        yield "  it has no hypothesis"
    counts = Counter[Need]()
    for one in audited:
        counts[one.need] += 1
        yield from wrapped(f"{one.hypothesis.key}: {_answer(one)}", "  - ")
    if left := len(claim.hypotheses) - counts.total():
        yield f"  interrupted; {left} of {len(claim.hypotheses)} hypotheses were not reached"


def _answer(one: Audited) -> str:
    match one.need:
        case Need.NEEDED:
            violated = one.found.evidence.violated
            assert violated is not None
            sides = f"left {violated.lhs:.6g}, right {violated.rhs:.6g}"
            return f"needed: {violated.instance}: {sides}{' (degenerate)' if violated.degenerate else ''}"
        case Need.NOT_SEEN:
            ratio = one.found.evidence.worst_ratio
            worst = "" if ratio is None else f", worst ratio {number(ratio, 6)}"
            return f"no violation found on {one.instances} instances that miss it alone{worst}"
        case Need.UNDEFINED:
            return f"the statement is undefined or infinite on all {one.undefined} instances that miss it alone"
    return "no instance of the spaces misses it alone, so nothing is known"


def audit_to_json(one: Audited) -> dict[str, Any]:
    """One audited hypothesis as plain JSON values."""
    violated = one.found.evidence.violated if one.need is Need.NEEDED else None
    return {
        "hypothesis": one.hypothesis.key,
        "answer": str(one.need),
        "instances": one.instances,
        "undefined": one.undefined,
        "worst_ratio": _finite(one.found.evidence.worst_ratio),
        "instance": violated and violated.instance,
        "left": violated and violated.lhs,
        "right": violated and violated.rhs,
    }


def to_json(found: Falsified) -> dict[str, Any]:
    """A search as plain JSON values."""
    from dataclasses import asdict

    from verify.checks import plain

    evidence = found.evidence
    return {
        "claim": found.claim.id,
        "refuted": found.refuted,
        "finding": str(evidence.finding),
        "worst_ratio": _finite(evidence.worst_ratio),
        "instances": evidence.instances,
        "witness": evidence.witness,
        "detail": evidence.detail,
        "violated": plain(asdict(evidence.violated)) if evidence.violated else None,
        "error_probability": evidence.error_probability,
        "space": found.space.name if found.space else None,
        "searched": [asdict(s) for s in found.searched],
        "skipped": found.skipped,
        "ended": str(found.ended),
        "seconds": round(found.seconds, 3),
    }


def _finite(x: float | None) -> float | str | None:
    return x if x is None or math.isfinite(x) else str(x)
