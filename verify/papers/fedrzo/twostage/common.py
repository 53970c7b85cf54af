"""What the checks of this section share: symbolic checks, facts of instances, and the numbers of a run."""

from __future__ import annotations

import math
from collections.abc import Mapping

from rateproof.algos.problems.base import Fact
from rateproof.algos.problems.federated import Constants
from rateproof.theory.claim import Claim, Hypothesis, conjuncts
from rateproof.theory.papers.fedrzo.notation import K_IS_T_R
from rateproof.theory.papers.fedrzo.twostage.complexity import SMALL
from rateproof.theory.papers.fedrzo.twostage.notation import (
    CAP_SMOOTH,
    COM,
    COM_EPS,
    K_FROM_M,
    KAPPA_F,
    STEP_VI,
    T_K,
    TAU,
    WHERE,
    WHERE_VI,
)
from rateproof.verify.deciders.certificates import lacking, unproved
from rateproof.verify.evidence import Evidence, Finding

#: What proofs put in for the relation of a hypothesis, instead of reading it off the claim; S-com is stated at K and at
#: K_eps.
_PUT_IN: tuple[Hypothesis, ...] = (
    *(*COM, *COM_EPS, CAP_SMOOTH),
    *(K_FROM_M, K_IS_T_R, KAPPA_F, SMALL, STEP_VI, T_K, TAU),
)

#: Structural hypotheses of the section and what answers for them on a deterministic instance with exact lower level.
STILL = {
    "implicit_lipschitz_2s": "the losses are piecewise linear, with these slopes",
    "monotone": "G(x, y, xi) = y",
    "monotone_queried": "G(x, y, xi) = y",
    "sets": "intervals, points or the whole line",
    "dissimilarity": "all clients have the same set",
    "lower_sets_compact": "Y = [-1, 1]",
    "fresh": "the method draws them so",
    "iid": "the method draws them so",
    "accuracy": "y_0 = 0 solves the lower level",
    "alg5": "the method calls it so",
    "B": "y(x, xi) = y_0 = 0",
    "t_k_all": "the method takes so many steps",
    "eps_all": "eps_k is computed so",
    "frequency": "rounds have H steps",
    "k*": "the metric is the mean over the iterates",
}


def facts_of(said: Mapping[str, str], **missed: str) -> dict[str, Fact]:
    """Facts that hold, each with its reason, and those that do not."""
    return {key: Fact(True, why) for key, why in said.items()} | {key: Fact(False, why) for key, why in missed.items()}


def missing(claim: Claim, *keys: str) -> Evidence | None:
    """Why a proof that uses these hypotheses does not speak of the claim; None when it has them all, as they were."""
    if refusal := lacking(claim, *keys):
        return refusal
    stated = {key: [conjuncts(h.relation) for h in _PUT_IN if h.key == key] for key in keys}
    changed = [
        h.key
        for h in claim.hypotheses
        if stated.get(h.key) and h.relation is not None and conjuncts(h.relation) not in stated[h.key]
    ]
    return unproved(f"the proof is for other hypotheses {', '.join(sorted(changed))}") if changed else None


def redefined(claim: Claim) -> Evidence | None:
    """Why a proof that names the constants of Theorem 2 does not speak of the claim; None when it means the same."""
    defined = WHERE | WHERE_VI
    said = (*conjuncts(claim.statement), *(r for h in claim.hypotheses for r in conjuncts(h.relation)))
    # what is not defined may be any number
    free = {s for relation in said for side in relation.args for s in claim.expand(side).free_symbols}
    changed = sorted(str(s) for s in defined if s in free or claim.where.get(s, defined[s]) != defined[s])
    return unproved(f"the proof is for other definitions of {', '.join(changed)}") if changed else None


def symbols_of(c: Constants) -> dict[str, float]:
    """Constants of a two-stage instance by the names of their symbols."""
    return {"B1": c.B1, "B2": c.B2, "L_imp": c.L0, "L_y": c.L_y, "mu_F": c.mu_F, "L_F": c.L_F}


def refuted(evidence: Evidence) -> bool:
    """Whether evidence settles that a claim is false."""
    return evidence.finding is Finding.VIOLATION


def steps_of(k: int, tau: float) -> int:
    """``ceil(tau ln(k+1))``, the steps of Algorithm 5 at iteration k."""
    return math.ceil(tau * math.log(k + 1))


def local_steps(K: float, m: float) -> int:
    """``ceil((K/m^3)^(1/4))``, the local steps of a round by S-com."""
    return max(1, math.ceil((K / m**3) ** 0.25 - 1e-12))
