"""What a search for a counterexample, and an audit, say to a reader."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from fractions import Fraction
from typing import Any

from rateproof.theory.claim import Claim
from rateproof.verify.counterexamples.replay import Counterexample, Number, Replay, precisely, show
from rateproof.verify.deciders import bounds
from rateproof.verify.deciders.growth import Ladder
from rateproof.verify.evidence import Finding
from rateproof.verify.falsify.audit import Audited, Need
from rateproof.verify.falsify.phases import Falsified
from rateproof.verify.pages.printed import printed_names, renaming, symbols_in, symbols_of
from rateproof.verify.pages.render import number, wrapped
from rateproof.verify.trial import evaluate

FINITE = (
    "a ladder is finite: a true claim with a huge hidden constant rises along all of it too, so find the limit of "
    "metric and bound before calling the claim false"
)

#: A float, written as the fraction that it is.
_FLOAT = re.compile(r"-?\d+/\d{13,}")


def describe(search: Falsified) -> Iterator[str]:
    """The lines that ``rateproof falsify`` prints."""
    evidence = search.evidence
    yield from wrapped(f"{search.claim.id}: {search.claim.text}", "")
    if search.refuted:
        yield "\nviolated by"
        yield from _instance(search)
    elif search.built is None:
        yield "\nno admissible instance was found"
        yield from wrapped(evidence.detail, "  ")
    else:
        yield "\nno violation was found; the worst instance is"
        yield from _instance(search)
        if evidence.violated is not None:
            yield f"  this violates it, perhaps by chance: error probability {evidence.error_probability:.3g}"
        elif evidence.finding is Finding.INCONCLUSIVE:
            yield from wrapped(evidence.detail, "  ")
    yield ""
    yield from searched(search)


def searched(search: Falsified) -> Iterator[str]:
    """What was searched, by space and phase, and why the search ended."""
    spaces = dict.fromkeys(s.space for s in search.searched)
    for space in spaces:
        phases = [s for s in search.searched if s.space == space]
        counts = ", ".join(f"{s.phase} {s.tried} ({s.admissible} admissible)" for s in phases)
        yield from wrapped(f"searched {space}: {counts}", "")
    if search.skipped:
        yield f"{search.skipped} sets of parameters made no instance"
    tried = sum(s.tried for s in search.searched)
    yield f"{tried} instances, {search.evidence.instances} admissible, {search.seconds:.1f} s; {search.ended}"


def _instance(search: Falsified) -> Iterator[str]:
    built = search.built
    assert built is not None
    trials = built.trials if isinstance(built, Ladder) else [built]
    printed = _printed(search.claim, trials[0].label, *(fact.why for fact in trials[-1].facts.values()))
    if isinstance(built, Ladder):
        if not search.refuted:
            yield from wrapped(f"along {built.parameter}: {built.why}", "  ")
        yield from wrapped(printed(search.evidence.detail), "  ")
        yield from wrapped(f"from {printed(trials[0].label)}", "  ")
        yield from wrapped(f"to {printed(trials[-1].label)}", "  ")
        if search.refuted:
            yield from wrapped(FINITE, "  ")
        if search.evidence.violated:
            yield "hypotheses, on the last instance"
            yield from _held(search.evidence.violated.hypotheses, printed)
        return
    outcome = evaluate(search.claim, built)
    assert outcome.worst is not None
    tried = bounds.Tried(built, outcome, outcome.worst)
    side = tried.violation or tried.open or outcome.worst
    left, right = side.printed
    label, space = built.label, search.space
    if space is not None and space.words is not None:
        label = space.words(search.params, {str(s) for s in symbols_of(search.claim)})
    yield from wrapped(_rounded(printed(label)) + (" (degenerate)" if built.degenerate else ""), "  ")
    yield from wrapped(printed(str(side.relation)), "  ")
    yield f"  left {number(left, 15)}, right {number(right, 15)}"
    yield f"  left - right {number(left - right, 6)}, ratio {number(tried.ratio, 10)}"
    if outcome.holds:
        yield "hypotheses"
        yield from _held(outcome.holds, printed)


def _rounded(label: str) -> str:
    """An instance of the search with six digits of each float; JSON and script have all of them."""
    return _FLOAT.sub(lambda hit: number(float(Fraction(hit[0])), 6), label)


def _printed(claim: Claim, *texts: str) -> Callable[[str], str]:
    """Puts the paper's names in place of those of the code, in what is said of a claim and in these texts."""
    symbols = {*symbols_of(claim), *symbols_in(" ".join(texts), claim.paper)}
    return renaming(printed_names(symbols, claim.paper))


def _held(hypotheses: Mapping[str, str], printed: Callable[[str], str]) -> Iterator[str]:
    for key, why in hypotheses.items():
        yield from wrapped(f"{key}: {printed(why)}", "  - ")


def describe_replay(example: Counterexample, replayed: Replay | tuple[Number, ...]) -> Iterator[str]:
    """The lines that ``rateproof falsify`` prints of a stored counterexample that was evaluated again, exactly."""
    claim, printed = example.claim, _printed(example.claim)
    yield from wrapped(f"{claim.id}: {claim.text}", "")
    yield "\nviolated by the stored counterexample, evaluated again in exact arithmetic"
    yield from wrapped(example.setting, "  ")
    yield from wrapped(f"by hand: {example.by_hand}", "  ")
    if not isinstance(replayed, Replay):
        yield from wrapped(f"ratios along the ladder, with the hidden constant 1: {', '.join(_exact(replayed))}", "  ")
        yield from wrapped(FINITE, "  ")
    else:
        left, right = _exact((replayed.left, replayed.right))
        yield from wrapped(printed(str(replayed.relation)), "  ")
        yield f"  left {left}, right {right}"
        if replayed.hypotheses:
            yield "hypotheses"
            yield from _held(replayed.hypotheses, printed)
    yield "\nits paper gives no space of instances to search, so nothing else was tried"


def replay_to_json(example: Counterexample, replayed: Replay | tuple[Number, ...]) -> dict[str, Any]:
    """A stored counterexample that was evaluated again, as plain JSON values."""
    out: dict[str, Any] = {"claim": example.claim.id, "refuted": True, "stored": True, "instance": example.setting}
    if not isinstance(replayed, Replay):
        return out | {"ratios": _exact(replayed)}
    left, right = _exact((replayed.left, replayed.right))
    sides = {"relation": str(replayed.relation), "left": left, "right": right}
    return out | sides | {"hypotheses": dict(replayed.hypotheses)}


def _exact(numbers: Iterable[Number]) -> list[str]:
    with precisely():
        return [show(x) for x in numbers]


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
            violated = one.search.evidence.violated
            assert violated is not None
            sides = f"left {violated.lhs:.6g}, right {violated.rhs:.6g}"
            return f"needed: {violated.instance}: {sides}{' (degenerate)' if violated.degenerate else ''}"
        case Need.NOT_SEEN:
            ratio = one.search.evidence.worst_ratio
            worst = "" if ratio is None else f", worst ratio {number(ratio, 6)}"
            return f"no violation found on {one.instances} instances that miss it alone{worst}"
        case Need.UNDEFINED:
            return f"the statement is undefined or infinite on all {one.undefined} instances that miss it alone"
    return "no instance of the spaces misses it alone, so nothing is known"


def audit_to_json(one: Audited) -> dict[str, Any]:
    """One audited hypothesis as plain JSON values."""
    violated = one.search.evidence.violated if one.need is Need.NEEDED else None
    return {
        "hypothesis": one.hypothesis.key,
        "answer": str(one.need),
        "instances": one.instances,
        "undefined": one.undefined,
        "worst_ratio": _finite(one.search.evidence.worst_ratio),
        "instance": violated and violated.instance,
        "left": violated and violated.lhs,
        "right": violated and violated.rhs,
    }


def to_json(search: Falsified) -> dict[str, Any]:
    """A search as plain JSON values."""
    from dataclasses import asdict

    from rateproof.verify.checks import plain

    evidence = search.evidence
    return {
        "claim": search.claim.id,
        "refuted": search.refuted,
        "finding": str(evidence.finding),
        "worst_ratio": _finite(evidence.worst_ratio),
        "instances": evidence.instances,
        "witness": evidence.witness,
        "detail": evidence.detail,
        "violated": plain(asdict(evidence.violated)) if evidence.violated else None,
        "error_probability": evidence.error_probability,
        "space": search.space.name if search.space else None,
        "searched": [asdict(s) for s in search.searched],
        "skipped": search.skipped,
        "ended": str(search.ended),
        "seconds": round(search.seconds, 3),
    }


def _finite(x: float | None) -> float | str | None:
    return x if x is None or math.isfinite(x) else str(x)
