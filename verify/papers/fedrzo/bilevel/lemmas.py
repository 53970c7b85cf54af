"""Checks of Lemmas 9 and 11 and of the steps that repeat them: exact expectations over all courses, and proofs."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import cache

from theory.claim import Claim
from verify.checks import Budget
from verify.deciders import bounds, machine
from verify.evidence import Evidence, Finding
from verify.papers.fedrzo.bilevel import instances
from verify.papers.fedrzo.bilevel.lemma_proofs import PROOFS
from verify.papers.fedrzo.bilevel.trials import METHOD, lemma_trial
from verify.papers.fedrzo.bilevel.unfold import bare, unfolded
from verify.trial import Trial

DETAIL = (
    "expectations over all directions and samples in exact arithmetic, n = 1, and radial first rounds in n dimensions"
)
PREFIX = "fedrzo."


@cache
def corners() -> tuple[Trial, ...]:
    """The corner trials; they do not depend on a claim, so copies of claims share them."""
    return tuple(lemma_trial(*corner) for corner in instances.lemma_corners())


def check(claim: Claim, budget: Budget) -> Iterable[Evidence]:
    """Corner trials for the claim and for its other readings, then a proof where there is one."""
    tried = bounds.decide(claim, corners(), method=METHOD, detail=DETAIL)
    yield tried
    for switch in claim.switches:
        name = f"{switch.name}={switch.other}"
        yield replace(bounds.decide(claim.read(switch), corners(), method=METHOD, detail=DETAIL), reading=name)
    proof = PROOFS.get(claim.id.removeprefix(PREFIX))
    if tried.finding is not Finding.VIOLATION and proof is not None:
        plain = unfolded(claim)
        # the steps of Lemma 11 take over the conditions that they need
        known = bare(plain) if ".lem11." in claim.id else plain
        yield machine.prove(known, machine.Proof(lambda _: proof.steps(plain), proof.said))


ITEMS = (
    "lem9.i",
    "lem9.ii",
    "lem9.iii",
    "lem9.iv",
    "lem9.v",
    "lem9.vi",
    "lem9.vii",
    "lem9.viii",
    "lem11.i",
    "lem11.ii",
    "lem11.iii",
    "st.10.17",
    "st.10.18",
    "st.10.19",
)
_AMENDED = tuple(item for item in ITEMS if item not in ("lem9.ii", "lem9.iv", "lem9.viii"))
CHECKS: dict[str, Callable[[Claim, Budget], Iterable[Evidence]]] = {
    f"{PREFIX}{item}": check for item in (*ITEMS, *(f"{item}.corrected" for item in _AMENDED))
}
