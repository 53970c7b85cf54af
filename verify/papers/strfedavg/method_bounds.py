"""Bounds about the method (Lemmas 5 to 7, Propositions 1, 3, 4, 6): exact moments at all corners."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

from rateproof.theory.claim import Claim
from rateproof.theory.papers.strfedavg.notation import AVG_KIND, INDEX
from rateproof.verify.checks import Budget
from rateproof.verify.deciders import bounds
from rateproof.verify.deciders.search import search
from rateproof.verify.evidence import Evidence
from rateproof.verify.papers.strfedavg.instances import corners, measure, near_one, strategy
from rateproof.verify.papers.strfedavg.sharpness import vacuous_unless_constant
from rateproof.verify.spaces.rescaled import scales

METHOD = "exact moments"
# The analysis index is the default, so the printed one is the other reading.
PRINTED_INDEX = f"{INDEX.name}={INDEX.printed}"
EXAMPLES = {"quick": 100, "full": 1000}
DETAIL = "exact expectation over noise and drawn clients, at the corners of seven families of quadratic losses"


def check_strongly_convex(claim: Claim, budget: Budget) -> Iterable[Evidence]:
    """A bound of the case mu_f > 0."""
    return _check(claim, budget, convex=False)


def check_convex(claim: Claim, budget: Budget) -> Iterable[Evidence]:
    """A bound of the case mu_f = 0, where theta = 1."""
    return _check(claim, budget, convex=True)


def _check(claim: Claim, budget: Budget, *, convex: bool) -> Iterator[Evidence]:
    yield from vacuous_unless_constant(claim)
    settings = corners(convex=convex, scales=scales(claim))
    trials = [measure(setting) for setting in settings]
    searched = _searched(claim, budget, convex=convex)
    # A shrunk counterexample with several clients is the one to show; else the corners say more.
    if searched.violated and not searched.violated.degenerate:
        yield searched
    yield bounds.decide(claim, trials, method=METHOD, detail=DETAIL)
    far = bounds.misses(claim, [*trials, *map(measure, near_one(convex=convex))])
    for name, reading in claim.readings():
        yield from (replace(e, reading=name) for e in vacuous_unless_constant(reading))
        evidence = bounds.decide(reading, trials, method=METHOD, detail=DETAIL, reading=name)
        yield replace(evidence, extreme=far if name == claim.kind_reading else None)
    if INDEX in claim.switches and AVG_KIND in claim.switches:
        delayed = [measure(replace(setting, index="printed")) for setting in settings]
        yield bounds.decide(claim, delayed, method=METHOD, detail=DETAIL, reading=PRINTED_INDEX)


def _searched(claim: Claim, budget: Budget, *, convex: bool) -> Evidence:
    """A search at natural scale, which gives the simplest counterexamples; among rescaled copies when it finds none."""
    said = "search among quadratic losses for the largest ratio of both sides, then for round numbers"
    common: dict[str, Any] = {"examples": EXAMPLES[budget.tier], "seed": budget.seed}
    evidence = search(claim, strategy(convex=convex), measure, detail=said, **common)
    if evidence.violated or not (copies := scales(claim)):
        return evidence
    return search(claim, strategy(convex=convex, scales=copies), measure, detail=f"{said}, rescaled copies", **common)
