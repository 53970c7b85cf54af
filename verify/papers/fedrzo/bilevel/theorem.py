"""Checks of Theorem 1 (i), Corollary 1 and their corrected readings."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from fractions import Fraction as Q
from functools import cache
from typing import Any

from rateproof.algos.problems.base import Fact
from rateproof.theory import gram
from rateproof.theory.claim import Claim, Hypothesis, Reading
from rateproof.theory.gram import norm2
from rateproof.theory.papers.fedrzo.bilevel.corrected_theorem import BOUNDED_Y
from rateproof.theory.papers.fedrzo.notation import L_y, mu_h
from rateproof.theory.shorthand import le
from rateproof.verify.checks import Budget
from rateproof.verify.deciders import bounds, machine
from rateproof.verify.evidence import Evidence, Finding, Level
from rateproof.verify.papers.fedrzo.bilevel import instances, reference
from rateproof.verify.papers.fedrzo.bilevel.closed import BOWLS
from rateproof.verify.papers.fedrzo.bilevel.enumeration import ONE_SIDED, OPPOSED, Directions, Errors, Run
from rateproof.verify.papers.fedrzo.bilevel.fresh_proofs import FRESH
from rateproof.verify.papers.fedrzo.bilevel.line import Line
from rateproof.verify.papers.fedrzo.bilevel.single_runs import biased_trials, single_trials
from rateproof.verify.papers.fedrzo.bilevel.theorem_proofs import SHARED
from rateproof.verify.papers.fedrzo.bilevel.trials import METHOD, run_trial
from rateproof.verify.papers.fedrzo.bilevel.unfold import bare
from rateproof.verify.trial import Trial

DETAIL = "closed forms on Huber bowls, and exact expectations over all courses"
PROOFS = {
    "thm1.i.corrected": SHARED,
    "cor1.corrected": SHARED,
    "thm1.i.client.corrected": SHARED,
    "thm1.i.fresh.corrected": FRESH,
}
#: q cancels in the implicit loss and moves the second step by 2/5; the bound does not see it.
HIDDEN = (
    instances.hidden_cone(Q(3, 2), Q(79980001, 2)),
    Run(gamma=Q(1, 10**4), eta=Q(1), H=3, rounds=1, x0=Q(0)),
)


def runs() -> Iterator[tuple[Line, Run]]:
    """Short runs: the moving set, kinks, noise only, clients that differ, inexact lower levels; all ways to draw."""
    yield HIDDEN
    ways: tuple[Directions, ...] = ("round", "client", "step")
    for way in ways:
        common: dict[str, Any] = {"eta": Q(1), "directions": way}
        yield instances.absolute(), Run(gamma=Q(1, 27), H=1, rounds=6, **common)
        yield instances.absolute(m=2), Run(gamma=Q(1, 60), H=2, rounds=1, x0=Q(1), **common)
        yield instances.noise(m=2), Run(gamma=Q(1, 60), H=2, rounds=1, **common)
        yield instances.tilted(), Run(gamma=Q(1, 54), H=2, rounds=2, **common)
        for scale in (Q(1, 100), Q(1), Q(100)):
            yield instances.mixed(scale), _mixed_run(scale, way)
        yield instances.sided(), Run(gamma=Q(1, 500), H=2, rounds=2, x0=Q(2), e=Q(1, 10), errors=_errors(way), **common)


def _errors(way: Directions) -> Errors:
    """Errors at both points where there is one direction to follow."""
    return OPPOSED if way == "round" else ONE_SIDED


def _mixed_run(scale: Q, way: Directions) -> Run:
    few = 1 if way == "step" else 2
    run = Run(gamma=scale / 400, eta=scale, H=2, rounds=few, x0=scale / 5, e=scale / 10, directions=way)
    return replace(run, errors=_errors(way))


@cache
def corners() -> tuple[Trial, ...]:
    """The corner trials; the three ways to draw directions are told apart by their facts."""
    return (*(bowl.trial() for bowl in BOWLS), *(run_trial(*one) for one in runs()), *single_trials(), *biased_trials())


def check(claim: Claim, budget: Budget) -> Iterable[Evidence]:
    """Corner trials for the claim and its other readings, then a proof where there is one."""
    tried = bounds.decide(claim, with_minimax(claim), method=METHOD, detail=DETAIL)
    yield tried
    if claim.reading is Reading.CORRECTED:
        yield bounds.decide(
            claim, _attacked(claim), method=reference.METHOD, detail="runs at the step conditions' caps"
        )
    for switch in claim.switches:
        yield bounds.decide(claim.read(switch), corners(), method=METHOD, detail=DETAIL, reading=switch.reading)
    yield from _proof(claim, tried)


def _proof(claim: Claim, tried: Evidence) -> Iterator[Evidence]:
    proof = PROOFS.get(claim.item)
    if proof is not None and tried.finding is not Finding.VIOLATION:
        # the steps are made from the whole claim, whose conditions the bare one lacks
        yield machine.prove(bare(claim), machine.Proof(lambda _: proof.steps(claim), proof.said))


# --- the minimax case


def _attacked(claim: Claim) -> Iterable[Trial]:
    return with_minimax(claim, longer())


@cache
def longer() -> tuple[Trial, ...]:
    """Runs of the reference method that the exact engine would take too long for."""
    return tuple(reference.attack())


def with_minimax(claim: Claim, trials: Iterable[Trial] | None = None) -> Iterator[Trial]:
    """Corner trials; those whose f~ has no part in y are the minimax problem of f~ - y^2/2 on Y = [-1, 1]."""
    bounded = any(h.key == "minimax_bounded" for h in claim.hypotheses)
    for trial in corners() if trials is None else trials:
        flat = trial.values["L_y"] == 0
        facts = {
            "minimax": Fact(False, "f~ - y^2/2 is not Lipschitz in y on R"),
            "minimax_bounded": Fact(flat, f"f~ - y^2/2 on Y = [-1, 1]{'' if flat else ', but f~ has a part in y'}"),
            **{f"{key}_on_Y": trial.facts[key] for key in ("implicit_lipschitz", "lower_level")},
            **trial.facts,
        }
        # |y| <= 1 on Y, so y^2/2 is 1-Lipschitz there
        values = {**trial.values, "L_y": 1.0} if bounded and flat else trial.values
        yield replace(trial, facts=facts, values=values)


def check_minimax(claim: Claim, budget: Budget) -> Iterable[Evidence]:
    """As printed nothing satisfies the hypotheses; with Lipschitz continuity on Y alone the bound falls."""
    keys = {h.key for h in claim.hypotheses}
    if {"minimax", "implicit_lipschitz", "lower_level"} <= keys:
        yield _no_instance()
    else:
        yield bounds.decide(claim, with_minimax(claim), method=METHOD, detail=DETAIL)
    for switch in claim.switches:
        on_y = replace(claim, hypotheses=tuple(map(_on_y, claim.hypotheses)))
        tried = bounds.decide(on_y, with_minimax(on_y), method=METHOD, detail=DETAIL)
        yield replace(tried, reading=switch.reading)


def _on_y(hypothesis: Hypothesis) -> Hypothesis:
    if hypothesis.key == "minimax":
        return BOUNDED_Y
    moved = hypothesis.key in ("implicit_lipschitz", "lower_level")
    return replace(hypothesis, key=f"{hypothesis.key}_on_Y") if moved else hypothesis


def _no_instance() -> Evidence:
    """Strong concavity and Lipschitz continuity on all of R^nt: two points are never further apart than 2 L_y/mu_h."""
    d, change = gram.vectors("d change")
    zero = gram.Vector()
    decision = gram.decide(
        le(mu_h**2 * norm2(d), 4 * L_y**2),
        given=(gram.monotone(mu_h, (d, change), (zero, zero)), le(norm2(change), 4 * L_y**2)),
    )
    detail = (
        "f_i(x, .) is L_{0,y}^f-Lipschitz on R^nt, so ||grad f_i|| <= L_{0,y}^f, and -f_i(x, .) is mu_h-strongly "
        "convex: mu_h^2 ||y_1 - y_2||^2 <= 4 (L_{0,y}^f)^2 for all y_1, y_2 in R^nt, which no R^nt satisfies"
    )
    if isinstance(decision, gram.Proved):
        return Evidence(Finding.VACUOUS, Level.CERTIFICATE, machine.FORM, f"{detail}; {decision}")
    return Evidence(Finding.INCONCLUSIVE, Level.CERTIFICATE, machine.FORM, str(decision))


CHECKS: dict[str, Callable[[Claim, Budget], Iterable[Evidence]]] = {
    "fedrzo.thm1.i": check,
    "fedrzo.thm1.i.corrected": check,
    "fedrzo.thm1.i.fresh.corrected": check,
    "fedrzo.thm1.i.client.corrected": check,
    "fedrzo.cor1": check_minimax,
    "fedrzo.cor1.corrected": check,
}
