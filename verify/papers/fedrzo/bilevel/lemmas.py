"""Checks of Lemmas 9 and 11 and of the steps that repeat them: exact expectations over all courses, and proofs."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import replace
from fractions import Fraction as Q
from functools import cache

from rateproof.algos.problems.base import Fact
from rateproof.theory.claim import Claim
from rateproof.verify.checks import Budget
from rateproof.verify.deciders import bounds
from rateproof.verify.evidence import Evidence, Finding
from rateproof.verify.papers.fedrzo.bilevel import instances
from rateproof.verify.papers.fedrzo.bilevel.enumeration import OPPOSED, Run
from rateproof.verify.papers.fedrzo.bilevel.lemma_proofs import PROOFS
from rateproof.verify.papers.fedrzo.bilevel.trials import METHOD, facts, lemma_trial
from rateproof.verify.papers.fedrzo.bilevel.unfold import proved_unfolded
from rateproof.verify.papers.fedrzo.single.grids import confined, renamed
from rateproof.verify.trial import Trial

DETAIL = (
    "expectations over all directions and samples in exact arithmetic, n = 1, and radial first rounds in n dimensions"
)
PREFIX = "fedrzo."


@cache
def corners() -> tuple[Trial, ...]:
    """The corner trials; they do not depend on a claim, so copies of claims share them."""
    runs = (lemma_trial(*corner) for corner in instances.lemma_corners())
    return (*runs, dependent(), *(_confined(each, "one_direction", "samples") for each in confined()))


@cache
def fresh_corners() -> tuple[Trial, ...]:
    """The same for a direction a client and step."""
    runs = (lemma_trial(*corner) for corner in instances.fresh_corners())
    return (*runs, *(_confined(each, "fresh_step", "samples_step") for each in confined()))


_NAMES = {
    **{name: name for name in ("n", "m", "B1", "B2", "eta_s", "gamma", "H")},
    **{"L_imp": "L0", "loc_bl": "j_k", "eb_bl": "eb", "eh_bl": "eh", "sum_eb_bl": "sum_eb", "sum_eh_bl": "sum_eh"},
    "sum_grad2_bl": "sum_grad",
}


def _confined(trial: Trial, *ways: str) -> Trial:
    """Clients of the single level whose sets differ, with a lower level that they ignore; ``ways`` to draw samples."""
    still = dict.fromkeys(_STILL, "h = y^2/2 over the line, and the losses do not depend on y")
    drawn = dict.fromkeys(ways, "the losses are linear in x, n = 1: no direction and no sample changes a step")
    facts = {**trial.facts, **{key: Fact(True, why) for key, why in (still | drawn).items()}}
    facts |= dict.fromkeys(("later_round", "any_round"), trial.facts["r>0"])
    return replace(renamed(trial, _NAMES, L_y=0.0, Lam=0.0, chi_bl=1.0, eps_bl=0.0), facts=facts)


_STILL = (
    *("implicit_lipschitz", "lower_level", "lower_sets", "y_lipschitz", "chi"),
    *("lower_accurate", "lower_accurate_mean", "lower_accurate_step"),
)


def dependent() -> Trial:
    """A lower-level error that knows the sample: sqrt(2) where L_y(xi) = 2, none where L_y(xi) = 0.

    ``f~ = (1 + xi) y`` with a sign ``xi``, ``h = y^2/2``, ``eta = 1``: ``L_y^2 = E (1 + xi)^2 = 2``, ``eps_r = 1``, and
    with opposite errors at the two points ``w = 2 (2 sqrt(2)) v`` for ``xi = 1``, so ``E w^2 = 16``, twice the bound.
    """
    run = Run(gamma=Q(1, 100), eta=Q(1), x0=Q(0), e=Q(1), errors=OPPOSED)
    known_facts = facts(instances.inexact(), run) | {
        "samples": Fact(False, "the error at both points is that of xi_{i,k}")
    }
    values = {"n": 1.0, "m": 1.0, "eta_s": 1.0, "L_y": math.sqrt(2), "eps_bl": 1.0, "w2_bl": 16.0, "wbar2_bl": 16.0}
    return Trial.exact("m = 1, f~ = (1 + xi) y, y_eps - y = +-(1 + xi)/sqrt(2), h = y^2/2", values, known_facts)


def check(claim: Claim, budget: Budget) -> Iterable[Evidence]:
    """Corner trials for the claim and for its other readings, with a proof where there is one."""
    trials = fresh_corners() if ".fresh." in claim.id else corners()
    proof = PROOFS.get(claim.item)
    readings = {"": claim} | {s.reading: claim.read(s) for s in claim.switches}
    for reading, read in readings.items():
        tried = bounds.decide(read, trials, method=METHOD, detail=DETAIL, reading=reading)
        yield tried
        if tried.finding is not Finding.VIOLATION and proof is not None:
            # the steps of Lemma 11 take over the conditions that they need
            yield replace(proved_unfolded(read, proof, alone=".lem11." in claim.id), reading=reading)


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
_FRESH = ("lem11.i.fresh", "lem11.iii.fresh")
CHECKS: dict[str, Callable[[Claim, Budget], Iterable[Evidence]]] = {
    f"{PREFIX}{item}": check for item in (*ITEMS, *(f"{item}.corrected" for item in (*_AMENDED, *_FRESH)))
}
