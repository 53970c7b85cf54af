"""Checks of what a run of Algorithm 1 measures: trials on families of the line, then a proof where there is one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from rateproof.theory.claim import Claim
from rateproof.theory.papers.fedrzo.single.notation import SAMPLES_READING
from rateproof.verify.checks import Budget
from rateproof.verify.deciders import bounds
from rateproof.verify.evidence import Evidence, Finding
from rateproof.verify.papers.fedrzo.single.chain import CHAINS
from rateproof.verify.papers.fedrzo.single.grids import horizon_trials, line_trials, records, run_trials, tied
from rateproof.verify.papers.fedrzo.single.horizons import HORIZONS
from rateproof.verify.papers.fedrzo.single.proofs import ARGUMENTS
from rateproof.verify.papers.fedrzo.single.vector_proofs import FORMS
from rateproof.verify.trial import Trial

METHOD = "exact moments"
DETAIL = "Algorithm 1 on the line: all runs of few steps, and moments of linear losses for any number of steps"
TIED = "samples that depend on the directions, and those that do not"


def proof_of(claim: Claim) -> Evidence | None:
    """A proof of a claim (or of a mutated copy), when there is an argument for it."""
    item = claim.item
    if item in CHAINS:
        return CHAINS[item](claim)
    if item in HORIZONS:
        return HORIZONS[item](claim)
    if item in FORMS:
        return FORMS[item](claim)
    return ARGUMENTS[item].evidence(claim) if item in ARGUMENTS else None


def tried_and_proved(
    trials: Callable[[], Sequence[Trial]], *, method: str, detail: str
) -> Callable[[Claim, Budget], Iterable[Evidence]]:
    """A check that evaluates the claim on trials and, where none violates it, tries to prove it."""

    def check(claim: Claim, budget: Budget) -> Iterable[Evidence]:
        evidence = bounds.decide(claim, trials(), method=method, detail=detail)
        yield evidence
        if evidence.finding is not Finding.VIOLATION and (proof := proof_of(claim)) is not None:
            yield proof
        for switch in claim.switches:
            if switch.name == SAMPLES_READING.name:
                other, tried = claim.read(switch), (*tied(), *trials())
                yield bounds.decide(other, tried, method=method, detail=TIED, reading=switch.reading)

    return check


def all_runs() -> tuple[Trial, ...]:
    """Every instance on the line, exact ones first."""
    return (*records(), *run_trials(), *horizon_trials(), *line_trials())


check_run = tried_and_proved(all_runs, method=METHOD, detail=DETAIL)
