"""Run the check of a claim and turn its evidence into one result; join results that hang together."""

from __future__ import annotations

import math
import os
import time
import traceback
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from enum import StrEnum
from typing import Any, Literal

from rateproof.theory import catalog, discovery
from rateproof.theory.claim import Claim, Hypothesis, Reading, Severity
from rateproof.verify import registry
from rateproof.verify.deciders import kernel
from rateproof.verify.deciders.certificates import unproved
from rateproof.verify.evidence import (
    PROOF_LEVELS,
    Evidence,
    Finding,
    Level,
    Verdict,
    by_decider,
    earned,
    joint,
    summary,
    verdict,
)
from rateproof.verify.form.outcomes import with_vectors
from rateproof.verify.severity import BREAKING, HOLDING, judge, kind_verdict
from rateproof.verify.spaces.tried import tried

#: Method of a result whose check raised or died; such a result is not resumed.
FAILED = "failed check"


@dataclass(frozen=True)
class Budget:
    """How much work a check may do: deciders read ``tier`` to choose how many instances, and draw from ``seed``."""

    tier: Literal["quick", "full"] = "quick"
    seed: int = 0


Check = Callable[[Claim, Budget], Iterable[Evidence]]


@dataclass(frozen=True)
class Result:
    """What was found about one claim.

    Attributes:
        claim, paper, place, kind, reading: which claim, as the catalog has it.
        verdict: computed from the evidence.
        level, method, detail, instances, witness, error_probability: of the evidence that decides.
        worst_ratio: largest metric / bound over all evidence about the printed reading; None when there is none.
        violated: the refuting instance in plain JSON values, with both sides and every hypothesis.
        proof_broken_by: claims which the proof rests on and which are refuted or inconsistent.
        untried: of a proved claim with its parts and all that their proofs cite, what no admissible instance has met.
        readings: for each other reading, its verdict and worst ratio, and where it was looked at, the factor by which
            what violates the claim misses the reading's conditions.
        kindly: the verdict on the claim read kindly; None in a result of an earlier version, and before :func:`finish`.
        severity, because: how much is wrong with a claim that is refuted or inconsistent as printed, and what says so.
        inconclusive: what else was tried and came to nothing, such as a proof that does not check, of a claim that is
            only supported or undecided.
        seconds: CPU time that the check took, of its process.
        steps: of the proof that decides, each with its formula, what it rests on and the multipliers that show it.
        hints: multipliers of its proofs that the next check need not search.
    """

    claim: str
    paper: str
    place: str
    kind: str
    reading: str
    verdict: Verdict
    level: Level | None = None
    method: str = ""
    detail: str = ""
    worst_ratio: float | None = None
    instances: int = 0
    witness: str = ""
    violated: dict[str, Any] | None = None
    proof_broken_by: tuple[str, ...] = ()
    untried: tuple[str, ...] = ()
    readings: dict[str, dict[str, Any]] = field(default_factory=dict)
    inconclusive: tuple[str, ...] = ()
    seconds: float = 0.0
    error_probability: float = 0.0
    kindly: Verdict | None = None
    severity: Severity | None = None
    because: str = ""
    steps: tuple[Mapping[str, Any], ...] = ()
    hints: Mapping[str, Sequence[str]] = field(default_factory=dict, repr=False, compare=False)

    def to_json(self) -> dict[str, Any]:
        """Plain JSON values; numbers that JSON lacks become ``"inf"``, ``"-inf"`` and ``"nan"``."""
        out: dict[str, Any] = {f.name: plain(getattr(self, f.name)) for f in fields(self)}
        return out

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Result:
        """Read what :meth:`to_json` wrote; the fields that came later may be missing.

        Raises:
            ValueError: a field is missing, unknown or of the wrong type; it is named.
        """
        names = {f.name for f in fields(cls)}
        if not isinstance(data, Mapping):
            raise ValueError(f"a result is a JSON object, got {type(data).__name__}")
        if odd := sorted((data.keys() - names) | (names - data.keys() - _OPTIONAL)):
            raise ValueError(f"a result has the fields {', '.join(sorted(names))}; wrong or missing: {', '.join(odd)}")
        ratio, level = data["worst_ratio"], data["level"]
        try:
            return cls(
                **{k: v for k, v in data.items() if k not in _TYPED},
                verdict=Verdict(data["verdict"]),
                level=None if level is None else Level(level),
                worst_ratio=None if ratio is None else float(ratio),
                proof_broken_by=tuple(data["proof_broken_by"]),
                untried=tuple(data.get("untried", ())),
                inconclusive=tuple(data.get("inconclusive", ())),
                steps=tuple(data.get("steps", ())),
                kindly=Verdict(data["kindly"]) if data.get("kindly") else None,
                severity=Severity(data["severity"]) if data.get("severity") else None,
            )
        except TypeError as error:
            raise ValueError(f"result of {data.get('claim')!r}: {error}") from None


_TYPED = (
    "verdict",
    "level",
    "worst_ratio",
    "proof_broken_by",
    "untried",
    "inconclusive",
    "kindly",
    "severity",
    "steps",
)
_OPTIONAL = {"seconds", "untried", "inconclusive", "kindly", "severity", "because", "steps", "hints"}
#: What else was found that is worth a word, by verdict: a proof that does not check (of a refuted claim it is no
#: surprise), and what a vacuous claim says of the instances that are left.
_REPORTED = {
    Verdict.SUPPORTED: (Finding.INCONCLUSIVE,),
    Verdict.UNDECIDED: (Finding.INCONCLUSIVE,),
    Verdict.VACUOUS: (Finding.VIOLATION, Finding.CONTRADICTION),
}


#: The method of a composite, which its parts decide.
JOINT = "joint verdict"


def is_checked(claim: Claim) -> bool:
    """Whether anything decides a claim by itself: a proof beside it, or a check of its paper."""
    return bool(claim.proof or registry.record(claim).check)


def evidence_on(claim: Claim, budget: Budget) -> Iterator[Evidence]:
    """Evidence on a claim, or on a copy of one: its proof, then the check of its paper; nothing without either.

    All evidence passes here: it gets the level that it earns, and a proof that rests on words speaks only of a claim
    that has these words as the catalog has them.
    """
    pieces = [_beside_a_run(claim, proof)] if (proof := kernel.prove(claim)) else []
    for evidence in (*pieces, *without_proof(claim, budget)):
        pieces.append(evidence)
        yield evidence
    printed = [e for e in pieces if not e.reading]
    if verdict(printed) is Verdict.PROVED and not any(e.instances for e in printed) and (met := tried(claim)):
        yield met
    kindly = [e for e in pieces if e.reading == claim.kind_reading != ""]
    # as any proof, one of the kind reading counts where this has met an admissible instance
    stands = {e.finding for e in kindly} <= {Finding.HOLDS, Finding.INCONCLUSIVE} and any(e.instances for e in kindly)
    if stands and verdict(pieces) not in HOLDING and (other := kernel.proof_of_kind_reading(claim)):
        yield other


def _beside_a_run(claim: Claim, proof: Evidence) -> Evidence:
    """A proof in vectors, compared with a run of an instance: one about other vectors shows nothing of the claim."""
    record = registry.record(claim)
    if record.claim is not claim or proof.finding is not Finding.PROOF or not any(with_vectors(claim)):
        return proof
    unlike = record.unlike_a_run()
    if unlike is None:
        return by_decider(replace(proof, detail=f"{proof.detail}; no run has its vectors"), proof.decided)
    return unproved(f"its setting is not that of a run: {unlike}", method=kernel.METHOD) if unlike else proof


def without_proof(claim: Claim, budget: Budget) -> Iterator[Evidence]:
    """What the check of its paper says of a claim, without the proof that stands beside the claim."""
    check = registry.record(claim).check
    for evidence in check(claim, budget) if check else ():
        if evidence.finding is Finding.PROOF and evidence.decided != claim and (other := _reworded(claim)):
            why = f"the proof does not speak of the hypothesis {other.key!r} that says '{other.text}'"
            yield replace(evidence, finding=Finding.INCONCLUSIVE, detail=why)
        else:
            yield earned(evidence, claim)


def _reworded(claim: Claim) -> Hypothesis | None:
    """A hypothesis in words that the catalog's claim of this id does not have, or has otherwise; None without any."""
    written = set(_hypotheses(catalog.claims(claim.paper).get(claim.id, claim)))
    words = {h.key for h in written if h.relation is None}
    return next((h for h in _hypotheses(claim) if h not in written and (h.relation is None or h.key in words)), None)


def _hypotheses(claim: Claim) -> tuple[Hypothesis, ...]:
    """Those of the claim and of its other readings."""
    return (*claim.hypotheses, *(h for switch in claim.switches for h in switch.adding))


def check_claim(claim: Claim, budget: Budget) -> Result:
    """Run the check of one claim.

    A check that raises gives the verdict `undecided` with the exception and its place in one line (with RATEPROOF_DEBUG
    set, its traceback goes to stderr); a claim without a check is `unchecked`.
    """
    start = time.process_time()
    try:
        result = judged(blank(claim), evidence_on(claim, budget))
    except Exception as error:
        if os.environ.get("RATEPROOF_DEBUG"):
            traceback.print_exc()
        result = failed(claim, discovery.said(error, registry.folder(claim.paper)))
    return replace(result, seconds=time.process_time() - start)


def failed(claim: Claim, why: str) -> Result:
    """The result of a check that did not come to an end."""
    line = " ".join(f"the check failed: {why}".split())
    return replace(blank(claim), verdict=Verdict.UNDECIDED, method=FAILED, detail=line)


def blank(claim: Claim) -> Result:
    """The result of a claim about which nothing is known yet."""
    source = claim.source
    place = f"{source.place}, eq. {source.equation}" if source.equation else source.place
    return Result(
        claim.id,
        claim.paper,
        place,
        str(claim.kind),
        str(claim.reading),
        Verdict.UNCHECKED,
        detail="no check exists for this claim",
    )


def judged(base: Result, evidence: Iterable[Evidence]) -> Result:
    """A result with the verdict that the evidence gives.

    Raises:
        ValueError: the evidence contradicts itself (see :func:`rateproof.verify.evidence.verdict`).
    """
    pieces = list(evidence)
    deciding = summary(pieces)
    others = {
        e.reading: [replace(o, reading="") for o in pieces if o.reading == e.reading] for e in pieces if e.reading
    }
    readings = {name: _reading(other) for name, other in sorted(others.items())}
    hints = {of: multipliers for e in pieces for of, multipliers in e.hints.items()}
    if deciding is None:
        return replace(base, readings=readings, hints=hints)
    decided = verdict(pieces)
    met = any(e.instances for e in pieces if not e.reading)
    reported = _REPORTED.get(decided, () if met else (Finding.INCONCLUSIVE,))
    idle = [e for e in pieces if (e.finding in reported or _refused(e)) and not e.reading and e is not deciding]
    return replace(
        base,
        verdict=decided,
        level=None if deciding.finding is Finding.NO_CHECK else deciding.level,
        method=deciding.method,
        detail=deciding.detail,
        worst_ratio=_worst(e for e in pieces if not e.reading),
        instances=sum(e.instances for e in pieces if not e.reading),
        witness=deciding.witness,
        violated=None if deciding.violated is None else plain(asdict(deciding.violated)),
        readings=readings,
        error_probability=deciding.error_probability,
        inconclusive=tuple(dict.fromkeys(f"{e.method}: {e.detail}" for e in idle)),
        steps=deciding.steps,
        hints=hints,
    )


def _refused(evidence: Evidence) -> bool:
    """Whether it is about a proof that stands beside its claim and does not go through."""
    return evidence.finding is Finding.INCONCLUSIVE and evidence.method == kernel.METHOD


def _reading(pieces: list[Evidence]) -> dict[str, Any]:
    """What is kept of the evidence about one other reading."""
    extreme = [e.extreme for e in pieces if e.extreme is not None]
    kept = {"verdict": str(verdict(pieces)), "worst_ratio": plain(_worst(pieces))}
    return kept | ({"extreme": plain(min(extreme))} if extreme else {})


def finish(results: Iterable[Result], others: Iterable[Result] = ()) -> list[Result]:
    """Verdicts as read kindly, severities, joint verdicts of composites, what breaks each proof, and what is untried.

    A composite gets the joint verdict of its parts (see :func:`whole_of`).

    Args:
        results: the results to complete; returned in the given order.
        others: results about other claims, for those that the proofs of ``results`` rest on.
    """
    mine = {r.claim: r for r in results}
    everything = {r.claim: r for r in others} | mine
    claims = {i: claim for i, r in everything.items() if (claim := catalog.claims(r.paper).get(i))}
    for claim_id, result in _fair(mine, everything, claims).items():
        mine[claim_id] = everything[claim_id] = result
    parts: dict[str, list[str]] = {}
    for claim in claims.values():
        if whole := whole_of(claim, claims):
            parts.setdefault(whole.id, []).append(claim.id)
    for claim_id in sorted(mine.keys() & parts.keys(), key=lambda i: (-len(i), i)):
        everything[claim_id] = _composite(mine[claim_id], [everything[i] for i in parts[claim_id]])
    broken = {r.claim for r in everything.values() if r.verdict in BREAKING}
    proved = {r.claim for r in everything.values() if r.verdict is Verdict.PROVED}

    def breaking(claim_id: str) -> tuple[str, ...]:
        # A corrected claim may rest on a printed one that holds although its printed proof does not.
        corrected = claims[claim_id].reading is Reading.CORRECTED
        rests_on = catalog.ancestors(claim_id, settled=proved if corrected else ())
        return tuple(a for a in rests_on if a in broken and a != claim_id)

    def untried(claim_id: str) -> tuple[str, ...]:
        if claim_id not in proved:
            return ()
        rests, left = {claim_id}, [claim_id]
        while left:
            one = left.pop()
            claim = claims.get(one) or catalog.find(one)
            more = {*(kernel.cited(claim) if claim else ()), *parts.get(one, ())} - rests
            rests |= more
            left += more
        return tuple(i for i in sorted(rests) if i in everything and not (everything[i].instances or i in parts))

    return [replace(everything[i], proof_broken_by=breaking(i), untried=untried(i)) for i in mine]


def whole_of(claim: Claim, among: Mapping[str, Claim]) -> Claim | None:
    """The composite of which a claim is a part: ``id.etahat`` of ``id.etahat.eleven``; None where there is none.

    A composite is decided by its parts alone, so that ``lem5.half`` is no part of a ``lem5`` that has a check.
    Corrected claims stand beside the printed one and are no parts of it.

    Args:
        claim: the claim.
        among: the claims that there are, by id.
    """
    if claim.reading is Reading.CORRECTED:
        return None
    return next((other for other in catalog.above(claim, among) if not is_checked(other)), None)


def _fair(
    mine: Mapping[str, Result], everything: Mapping[str, Result], claims: Mapping[str, Claim]
) -> dict[str, Result]:
    """Some results with their kind verdicts and severities."""
    amending: dict[str | None, list[tuple[Claim, Verdict]]] = {}
    for claim in claims.values():
        amending.setdefault(claim.amends, []).append((claim, everything[claim.id].verdict))
    out = {}
    for claim_id, result in mine.items():
        claim, corrected = claims[claim_id], amending.get(claim_id, ())
        kindly = kind_verdict(claim, result.verdict, result.readings, corrected)
        out[claim_id] = replace(result, kindly=kindly, severity=None, because="")
        if result.verdict in BREAKING and not claim.amends:
            repair = judge(claim, result.readings, result.violated, corrected)
            out[claim_id] = replace(out[claim_id], severity=repair.severity, because=repair.because)
    return out


def plain(value: Any, digits: int | None = None) -> Any:
    """A value as JSON can hold it: numpy and sympy values become numbers, lists or text, non-finite floats become text.

    Args:
        value: anything.
        digits: significant digits to which floats are rounded; all of them when not given.
    """
    if isinstance(value, bool | str) or value is None:
        return str(value) if isinstance(value, StrEnum) else value
    if isinstance(value, int):
        return int(value)
    if isinstance(value, float):
        number = float(value)
        if not math.isfinite(number):
            return str(number)
        return number if digits is None else float(f"{number:.{digits}g}")
    if isinstance(value, Mapping):
        return {str(k): plain(v, digits) for k, v in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [plain(v, digits) for v in value]
    if hasattr(value, "tolist"):
        return plain(value.tolist(), digits)
    return str(value)


def _worst(evidence: Iterable[Evidence]) -> float | None:
    ratios = [e.worst_ratio for e in evidence if e.worst_ratio is not None]
    return max((r for r in ratios if not math.isnan(r)), default=None)


def _weakness(result: Result) -> int:
    return PROOF_LEVELS.index(result.level) if result.level in PROOF_LEVELS else 0


def _composite(base: Result, parts: list[Result]) -> Result:
    verdicts = [r.verdict for r in parts]
    decided = joint(verdicts)
    # A proof is no stronger than its weakest part.
    shown = max((r for r in parts if r.verdict is decided), key=_weakness)
    counts = ", ".join(f"{verdicts.count(v)} {v}" for v in Verdict if v in verdicts)
    ratios = [r.worst_ratio for r in parts if r.worst_ratio is not None and not math.isnan(r.worst_ratio)]
    gravest = max((r for r in parts if r.severity), key=lambda r: r.severity.rank if r.severity else 0, default=None)
    return replace(
        base,
        verdict=decided,
        level=shown.level,
        method=JOINT,
        detail=f"of {len(parts)} parts: {counts}; decided by {shown.claim}",
        worst_ratio=max(ratios, default=None),
        instances=sum(r.instances for r in parts),
        witness=shown.witness,
        violated=shown.violated,
        error_probability=shown.error_probability,
        kindly=joint(r.kindly or r.verdict for r in parts),
        severity=gravest.severity if gravest else None,
        because=f"{gravest.claim}: {gravest.because}" if gravest else "",
    )
