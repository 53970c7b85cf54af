"""Lemmas 12 and 13 and Theorem 2 (ii) on runs whose branches are all enumerated, and their proofs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import lru_cache

from rateproof.algos.problems.base import Fact
from rateproof.theory.claim import Claim
from rateproof.verify.checks import Budget, Check
from rateproof.verify.deciders import bounds
from rateproof.verify.evidence import Evidence
from rateproof.verify.papers.fedrzo.single.grids import confined, renamed
from rateproof.verify.papers.fedrzo.twostage import descent, drift, proofs
from rateproof.verify.papers.fedrzo.twostage.common import refuted
from rateproof.verify.papers.fedrzo.twostage.dependent import dependent_runs, dependent_steps
from rateproof.verify.papers.fedrzo.twostage.families import cone, pulled
from rateproof.verify.papers.fedrzo.twostage.families import descent as descent_of
from rateproof.verify.papers.fedrzo.twostage.runs import at_cap, at_step, settings, whole
from rateproof.verify.papers.fedrzo.twostage.solved_runs import biased_trial, single_trials
from rateproof.verify.trial import Trial

METHOD = "all branches"
DETAIL = "Algorithm 4 in dimension one, expectations over all directions and samples; a kink in dimensions 2 and 5"
_PROOFS: dict[str, Check] = {**proofs.CHECKS, **drift.CHECKS}


@lru_cache(maxsize=1)
def step_trials() -> tuple[Trial, ...]:
    """Every local step of the aimed runs; the first steps in more dimensions than one."""
    runs = (at_step(setting, k) for setting in settings() for k in range(setting.steps))
    cones = (cone(n, m) for n in (2, 5) for m in (1, 3))
    return (*runs, *cones, *dependent_steps(), *map(_confined, confined()), pulled(1, gamma=0.1), pulled(0, gamma=1e6))


_NAMES = {
    **{name: name for name in ("n", "m", "B1", "B2", "eta_s", "gamma", "H")},
    **{"L_imp": "L0", "done_2s": "j_k", "eb_2s": "eb", "sum_eb_2s": "sum_eb", "sum_grad_2s": "sum_grad"},
}


def _confined(trial: Trial) -> Trial:
    """Clients of the single level whose sets differ, as clients of two stages, the second of which they ignore."""
    still = dict.fromkeys(("monotone", "accuracy"), "G(x, y) = y over [-1, 1], and the losses do not depend on y")
    still |= {"lower_sets_compact": "an interval with finite ends", "implicit_lipschitz_2s": "the losses -L0 x"}
    facts = {**trial.facts, **{key: Fact(True, why) for key, why in still.items()}}
    return replace(renamed(trial, _NAMES, L_y=0.0, eps_2s=0.0, sum_eps_round_2s=0.0), facts=facts)


@lru_cache(maxsize=1)
def run_trials() -> tuple[Trial, ...]:
    """Long descents, and the aimed runs as they are and with the largest stepsize of Theorem 2 (ii)."""
    far = (descent_of(gamma, 10**6) for gamma in (1 / 32, 1e-4, 1e-6))
    runs = (*far, *(whole(s) for setting in settings() for s in dict.fromkeys((setting, at_cap(setting)))))
    return (*runs, *dependent_runs(), *single_trials(), biased_trial())


def _other_readings(claim: Claim, trials: tuple[Trial, ...]) -> Iterator[Evidence]:
    """The trials under the other readings."""
    for switch in claim.switches:
        yield bounds.decide(claim.read(switch), trials, method=METHOD, detail=DETAIL, reading=switch.reading)


def check_step(claim: Claim, budget: Budget) -> Iterable[Evidence]:
    """A lemma about one local step, on all steps of all runs; then its proof."""
    evidence = bounds.decide(claim, step_trials(), method=METHOD, detail=DETAIL)
    yield evidence
    yield from _other_readings(claim, step_trials())
    proof = _PROOFS.get(claim.item)
    if proof is not None and not refuted(evidence):
        yield from proof(claim, budget)


def check_run(claim: Claim, budget: Budget) -> Iterable[Evidence]:
    """Theorem 2 (ii) on the runs; then its proof."""
    evidence = bounds.decide(claim, run_trials(), method=METHOD, detail=DETAIL)
    yield evidence
    yield from _other_readings(claim, run_trials())
    if not refuted(evidence):
        yield from descent.check_theorem(claim, budget)


CHECKS: dict[str, Check] = {
    **dict.fromkeys((*proofs.CHECKS, "lem13.i", "lem13.ii", *drift.CHECKS), check_step),
    **{item: check for item, check in descent.CHECKS.items() if item != "thm2.ii"},
    "thm2.ii": check_run,
}
