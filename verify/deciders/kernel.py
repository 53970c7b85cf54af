"""Evidence from the proof that stands beside a claim."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, Any

from rateproof.theory import catalog
from rateproof.theory.claim import Claim, Kind, conjuncts, reached
from rateproof.theory.proof import Checked, Cite, Proof, Refused, Step, Stopped, check, cite, qed, unfold
from rateproof.theory.proof.hints import SECONDS, Hints
from rateproof.theory.proof.kernel import Line
from rateproof.theory.proof.printed import formula, lemmas
from rateproof.theory.proof.steps import Ground, Have
from rateproof.verify.deciders import steps
from rateproof.verify.deciders.certificates import unproved
from rateproof.verify.evidence import Evidence, Finding, Level, Verdict, by_decider
from rateproof.verify.stored import proofs

if TYPE_CHECKING:
    from rateproof.verify.secondkernel.export import Exported

METHOD = "proof"
#: How strongly claims of the catalog are proved, None where they are not: what was found here or in another process.
LEVELS: dict[str, Level | None] = {}
#: The last claim of each id whose proof was checked, and what was found: citations ask for it again.
_LAST: dict[str, tuple[Claim, Evidence]] = {}


def prove(claim: Claim, seconds: float = SECONDS) -> Evidence | None:
    """What the proof of a claim shows, an argument where a fact of it stands in words; None without a proof.

    ``seconds`` of processor time are spent on a step whose multipliers are searched.
    """
    if claim.proof is None:
        return None
    if claim.id not in _LAST or _LAST[claim.id][0] is not claim:
        _LAST[claim.id] = claim, _checked(claim, claim.proof, seconds)
    return _LAST[claim.id][1]


def attempt(claim: Claim) -> dict[str, Any]:
    """What the kernel makes of the proof of a claim, as plain JSON values.

    Returns:
        ``claim``, ``proved``, ``level`` (null where it is not proved), ``steps`` as they were shown (see
        :mod:`rateproof.verify.deciders.steps`), ``cites``, ``words`` (facts in words), and ``stopped``: the ``step``
        with its ``formula`` and what it is ``by``, and ``missing``; null where the proof goes through.

    Raises:
        ValueError: the claim has no proof in steps.
    """
    if claim.proof is None:
        have = [c.id for c in catalog.claims(claim.paper).values() if c.amends == claim.id and c.proof is not None]
        instead = f"{have[0]} has one" if have else f"rateproof check {claim.id} decides it by what else there is"
        raise ValueError(f"{claim.id} has no proof in steps; {instead}")
    answer: dict[str, Any] = {
        "claim": claim.id,
        "proved": True,
        "level": None,
        "cites": [],
        "words": [],
        "stopped": None,
    }
    try:
        checked = check(claim, claim.proof, _proved, _hints(claim.paper))
    except Stopped as stop:
        there = (
            ("", "", ()) if stop.step is None else (stop.step.name, formula(stop.step, claim, {}), stop.step.grounds)
        )
        stopped = {"step": there[0], "formula": there[1], "by": [*map(str, there[2])], "missing": stop.why}
        return answer | {"proved": False, "stopped": stopped, "steps": _steps(stop.lines)}
    words = _words(checked)
    level = Level.ARGUMENT if words else Level.CERTIFICATE
    return answer | {"level": level, "cites": [*checked.cites], "words": [*words], "steps": _steps(checked.lines)}


def exported(claim: Claim) -> Exported:
    """The proof of a claim as a theory of Rocq, or why there is none.

    Raises:
        ValueError: the claim has no proof in steps.
    """
    from rateproof.verify.secondkernel import export

    return export.exported(claim, _proved, _hints(claim.paper))


def lemmas_of(claim: Claim) -> list[Claim]:
    """The lemmas of its own on which a claim's proof rests; none without a proof."""
    return [] if claim.proof is None else lemmas(claim.proof)


def steps_of(claim: Claim) -> list[Step]:
    """The steps of a claim's proof, those of lemmas of its own among them; none without a proof."""
    return [step for one in (*lemmas_of(claim), claim) if one.proof is not None for step in one.proof.steps]


def cited(claim: Claim) -> set[str]:
    """Ids of the claims of the catalog that a proof cites."""
    grounds = (ground for step in steps_of(claim) for ground in step.grounds)
    cites = (ground for ground in grounds if isinstance(ground, Cite))
    return {c.id for c in cites if isinstance(c.claim, str) or _in_catalog(c.id)}


def circle(claim: Claim) -> tuple[str, ...]:
    """The claims by which a proof cites itself, the claim first and last; empty where it does not."""
    ways: list[tuple[str, ...]] = [(claim.id, i) for i in sorted(cited(claim))]
    seen: set[str] = set()
    while ways:
        *way, last = ways.pop()
        if last == claim.id:
            return (*way, last)
        if last not in seen and (other := _in_catalog(last)):
            seen.add(last)
            ways += [(*way, last, i) for i in sorted(cited(other), reverse=True)]
    return ()


def corrections(claim: Claim) -> list[Claim]:
    """The corrected claims by which the kind reading of a claim may be proved; none without such a reading."""
    return [c for c in catalog.claims(claim.paper).values() if c.amends == claim.id] if claim.kind_reading else []


def proof_of_kind_reading(claim: Claim) -> Evidence | None:
    """A proof of the kind reading of a claim, from what corrects it; None where this gives none.

    It may follow from its own hypotheses. A corrected claim says as much where it follows from that, hypotheses
    included; else the steps of its proof may show it too, with other multipliers. All of this is checked as any proof,
    and by the multipliers that are kept before any are searched: most of the searches come to nothing.
    """
    ways = list(_ways(claim))
    for seconds in (0.0, SECONDS):
        for read, proof in ways:
            evidence = _checked(read, proof, seconds)
            if evidence.finding is Finding.PROOF:
                return replace(evidence, reading=claim.kind_reading)
    return None


def _ways(claim: Claim) -> Iterator[tuple[Claim, Proof]]:
    """The kind reading of a claim with each proof that it may have."""
    kind = claim.read_kindly()
    parts = len(conjuncts(kind.statement))
    for other in corrections(claim):
        read = replace(kind, setting=kind.setting or other.setting)
        differing = [s for s, e in reached([kind.statement], kind.where).items() if other.where.get(s) != e]
        alone: tuple[Ground, ...] = tuple(unfold(s) for s in differing)
        following = (Proof(*(qed(by=by, of=i) for i in range(parts))) for by in (alone, (cite(other.id), *alone)))
        for proof in (*following, *(_attempts(other.proof) if other.proof else ())):
            yield read, proof


def _attempts(proof: Proof) -> Iterator[Proof]:
    """A proof as it stands, and where it gives multipliers, with all of them to be searched."""
    yield proof
    if any(isinstance(step, Have) and step.multipliers for step in proof.steps):
        yield Proof(*(replace(step, multipliers=None) if isinstance(step, Have) else step for step in proof.steps))


def _checked(claim: Claim, proof: Proof, seconds: float = SECONDS) -> Evidence:
    if ring := circle(replace(claim, proof=proof)):
        return unproved(f"a circle of citations: {' cites '.join(ring)}", method=METHOD)
    try:
        checked = check(claim, proof, _proved, _hints(claim.paper), seconds)
    except Stopped as stop:
        return unproved(str(stop), method=METHOD)
    words = _words(checked)
    level = Level.ARGUMENT if words else Level.CERTIFICATE
    evidence = Evidence(
        Finding.PROOF, level, METHOD, _summary(checked, words), steps=tuple(_steps(checked.lines)), hints=checked.hints
    )
    return evidence if words else by_decider(evidence, claim)


@cache
def _hints(paper: str) -> Hints:
    """What is kept of the proofs of a paper; a file that cannot be read costs the searches that it would save."""
    with suppress(ValueError):
        return proofs.merged(proofs.read(paper).values())
    return {}


def _steps(lines: Iterable[Line]) -> list[steps.Step]:
    return [steps.step(line.name, line.relation, line.by, line.how, line.section) for line in lines]


def _in_catalog(claim_id: str) -> Claim | None:
    """A claim of the catalog; None where it has none of this id."""
    with suppress(ValueError):
        return catalog.find(claim_id)
    return None


def _proved(claim_id: str) -> Claim | None:
    """A claim that is proved, as the catalog has it.

    Raises:
        Refused: what is shown of it need not be its statement.
    """
    claim = _in_catalog(claim_id)
    if claim and claim.kind is Kind.PROPERTY and claim.proof is None:
        raise Refused(f"{claim_id} is a property that a check decides, so that its statement may not be what it shows")
    return claim if claim and level(claim_id) is not None else None


def level(claim_id: str) -> Level | None:
    """How strongly a claim of the catalog is proved; None where it is not."""
    if claim_id not in LEVELS:
        LEVELS[claim_id] = _level_of(claim_id)
    return LEVELS[claim_id]


def _level_of(claim_id: str) -> Level | None:
    claim = catalog.get(claim_id)
    if (proof := prove(claim)) is not None:
        return proof.level if proof.finding is Finding.PROOF else None
    from rateproof.verify.checks import Budget, check_claim  # which asks this module for proofs

    result = check_claim(claim, Budget())
    return result.level if result.verdict is Verdict.PROVED else None


def _words(checked: Checked) -> tuple[str, ...]:
    """Facts in words that a proof rests on, itself or through the claims that it cites."""
    return (*checked.words, *(c for c in checked.cites if level(c) is not Level.CERTIFICATE))


def _summary(checked: Checked, words: tuple[str, ...]) -> str:
    shown = f"{len(checked.lines)} step{'s' if len(checked.lines) != 1 else ''}"
    cited = f"; with {', '.join(checked.cites)}" if checked.cites else ""
    in_words = f"; in words: {'; '.join(dict.fromkeys(words))}" if words else ""
    return f"{shown}{cited}{in_words}"
