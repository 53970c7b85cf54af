"""Evidence from the proof that stands beside a claim."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from rateproof.theory import catalog
from rateproof.theory.claim import Claim
from rateproof.theory.proof import Checked, Cite, Proof, Step, Stopped, check
from rateproof.theory.proof.kernel import Line
from rateproof.theory.proof.printed import formula, lemmas
from rateproof.verify.deciders import steps
from rateproof.verify.deciders.certificates import unproved
from rateproof.verify.evidence import Evidence, Finding, Level, Verdict, by_decider

METHOD = "proof"
#: How strongly claims of the catalog are proved, None where they are not: what was found here or in another process.
LEVELS: dict[str, Level | None] = {}
#: The last claim of each id whose proof was checked, and what was found: citations ask for it again.
_LAST: dict[str, tuple[Claim, Evidence]] = {}


def prove(claim: Claim) -> Evidence | None:
    """What the proof of a claim shows, an argument where a fact of it stands in words; None without a proof."""
    if claim.proof is None:
        return None
    if claim.id not in _LAST or _LAST[claim.id][0] is not claim:
        _LAST[claim.id] = claim, _checked(claim, claim.proof)
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
        raise ValueError(
            f"{claim.id} has no proof in steps (proof=Proof(...) of its claim); rateproof check {claim.id} decides it "
            "by what else there is"
        )
    said: dict[str, Any] = {"claim": claim.id, "proved": True, "level": None, "cites": [], "words": [], "stopped": None}
    try:
        found = check(claim, claim.proof, _proved)
    except Stopped as stop:
        there = (
            ("", "", ()) if stop.step is None else (stop.step.name, formula(stop.step, claim, {}), stop.step.grounds)
        )
        stopped = {"step": there[0], "formula": there[1], "by": [*map(str, there[2])], "missing": stop.why}
        return said | {"proved": False, "stopped": stopped, "steps": _steps(stop.lines)}
    words = _words(found)
    level = Level.ARGUMENT if words else Level.CERTIFICATE
    return said | {"level": level, "cites": [*found.cites], "words": [*words], "steps": _steps(found.lines)}


def lemmas_of(claim: Claim) -> list[Claim]:
    """The lemmas of its own on which a claim's proof rests; none without a proof."""
    return [] if claim.proof is None else lemmas(claim.proof)


def steps_of(claim: Claim) -> list[Step]:
    """The steps of a claim's proof, those of lemmas of its own among them; none without a proof."""
    return [step for one in (*lemmas_of(claim), claim) if one.proof is not None for step in one.proof.steps]


def cited(claim: Claim) -> set[str]:
    """Ids of the claims of the catalog that a proof cites."""
    grounds = (ground for step in steps_of(claim) for ground in step.grounds)
    return {ground.claim for ground in grounds if isinstance(ground, Cite) and isinstance(ground.claim, str)}


def _checked(claim: Claim, proof: Proof) -> Evidence:
    try:
        found = check(claim, proof, _proved)
    except Stopped as stop:
        return unproved(str(stop), method=METHOD)
    words = _words(found)
    level = Level.ARGUMENT if words else Level.CERTIFICATE
    evidence = Evidence(Finding.PROOF, level, METHOD, _said(found, words), steps=tuple(_steps(found.lines)))
    return evidence if words else by_decider(evidence, claim)


def _steps(lines: Iterable[Line]) -> list[steps.Step]:
    return [steps.step(line.name, line.relation, line.by, line.how) for line in lines]


def _proved(claim_id: str) -> Claim | None:
    """A claim that is proved, as the catalog has it."""
    try:
        claim = catalog.get(claim_id)
    except (KeyError, ValueError):
        return None
    return claim if level(claim_id) is not None else None


def level(claim_id: str) -> Level | None:
    """How strongly a claim of the catalog is proved; None where it is not."""
    if claim_id not in LEVELS:
        LEVELS[claim_id] = _found(claim_id)
    return LEVELS[claim_id]


def _found(claim_id: str) -> Level | None:
    claim = catalog.get(claim_id)
    if (own := prove(claim)) is not None:
        return own.level if own.finding is Finding.PROOF else None
    from rateproof.verify.checks import Budget, check_claim  # which asks this module for proofs

    found = check_claim(claim, Budget())
    return found.level if found.verdict is Verdict.PROVED else None


def _words(found: Checked) -> tuple[str, ...]:
    """Facts in words that a proof rests on, itself or through the claims that it cites."""
    return (*found.words, *(c for c in found.cites if level(c) is not Level.CERTIFICATE))


def _said(found: Checked, words: tuple[str, ...]) -> str:
    shown = f"{len(found.lines)} steps: {'; '.join(line.name for line in found.lines)}"
    cited = f"; with {', '.join(found.cites)}" if found.cites else ""
    return f"{shown}{cited}{f'; in words: {chr(44).join(words)}' if words else ''}"
