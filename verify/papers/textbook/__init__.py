"""How the control group is checked: every theorem on its tight, ordinary, broken and rescaled instances, and by proof.

``SHARP`` says where each theorem is tight, which is where errors are planted (see :mod:`rateproof.verify.mutate`).
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING

from rateproof.theory.claim import Claim
from rateproof.theory.papers.textbook.notation import batch as batch_size
from rateproof.theory.papers.textbook.notation import lam_h, side_a, side_b
from rateproof.theory.symbols import K, L_h, N, R, S
from rateproof.verify.deciders.bounds import decide
from rateproof.verify.deciders.machine import prove
from rateproof.verify.evidence import Evidence, Finding
from rateproof.verify.mutate import Sharp
from rateproof.verify.papers.textbook import descent, inequalities, stochastic
from rateproof.verify.papers.textbook.family import Family
from rateproof.verify.papers.textbook.proofs import PROOFS
from rateproof.verify.papers.textbook.spaces import SPACES as SPACES
from rateproof.verify.trial import Trial

if TYPE_CHECKING:
    from rateproof.verify.checks import Budget, Check

INSTANCES: dict[str, Family] = {
    "textbook.gd_smooth": descent.GD,
    "textbook.gd_strongly_convex": descent.CONTRACTION,
    "textbook.subgradient": descent.SUBGRADIENT,
    "textbook.sgd_quadratic": stochastic.SGD,
    "textbook.fedavg_identical": stochastic.FEDAVG,
    "textbook.moreau_smooth": inequalities.MOREAU,
    "textbook.young": inequalities.YOUNG,
    "textbook.young_powers": inequalities.POWERS,
    "textbook.jensen_powers": inequalities.JENSEN,
    "textbook.prox_gradient": descent.PROX,
    "textbook.gradient_bound": inequalities.GRADIENT,
    "textbook.sgd_log": stochastic.LOG,
    "textbook.descent_lemma": inequalities.REMAINDER,
    "textbook.client_sampling": stochastic.SAMPLING,
}

# Every direction is backed by a tight or a broken instance of the family; comments say which where it is not plain.
SHARP: dict[str, Sharp] = {
    "textbook.gd_smooth": Sharp(exponents=(R,), hypotheses=("gamma_l<=1/L_h", "convex", "smooth")),
    "textbook.gd_strongly_convex": Sharp(
        exponents=(R,), hypotheses=("gamma_l<=2/(L_h+mu_h)", "strongly_convex", "smooth")
    ),
    # equality at gamma = D/(M sqrt(R)), where both terms are equal: lowering either breaks it
    "textbook.subgradient": Sharp(terms=True, exponents=(R,), hypotheses=("convex", "subgradients_bounded")),
    # the first term alone without noise, the second alone from the minimum as R grows
    "textbook.sgd_quadratic": Sharp(
        terms=True,
        exponents=(R, batch_size),
        hypotheses=("gamma_l<=2/(L_h+mu_h)", "unbiased", "independent", "variance_bounded"),
    ),
    "textbook.fedavg_identical": Sharp(
        terms=True, exponents=(R, K, N), hypotheses=("gamma_l<=2/(L_h+mu_h)", "identical_clients")
    ),
    "textbook.moreau_smooth": Sharp(exponents=(lam_h,), hypotheses=("lam_h<=1/(2*rho_h)", "weakly_convex")),
    # equality at v = eps u, where both terms are equal
    "textbook.young": Sharp(terms=True),
    # equality at a^p = b^q of any size: each term is needed, and each side's power as it grows
    "textbook.young_powers": Sharp(terms=True, exponents=(side_a, side_b), hypotheses=("p>1", "1/p+1/q=1")),
    "textbook.jensen_powers": Sharp(exponents=(N,), hypotheses=("p>=1",)),
    "textbook.prox_gradient": Sharp(exponents=(R,), hypotheses=("gamma_l<=1/L_h", "convex", "smooth")),
    "textbook.gradient_bound": Sharp(exponents=(L_h,), hypotheses=("smooth",)),
    # equality at R = 1; as R grows the left side is (ln R + 0.577 + o(1)) sigma^2/(2 mu R)
    "textbook.sgd_log": Sharp(exponents=(R,), logs=True, hypotheses=("unbiased", "independent", "variance_bounded")),
    "textbook.descent_lemma": Sharp(exponents=(L_h,), hypotheses=("smooth",)),
    "textbook.client_sampling": Sharp(exponents=(S,), hypotheses=("without_replacement",)),
}


@cache
def trials(claim_id: str, full: bool = False, seed: int = 0) -> tuple[Trial, ...]:
    """All instances of one theorem. They do not depend on its statement, so mutants share them."""
    return tuple(INSTANCES[claim_id].trials(full, seed))


def _check(claim: Claim, budget: Budget) -> Iterator[Evidence]:
    family = INSTANCES[claim.id]
    tried = decide(
        claim,
        trials(claim.id, budget.tier == "full", budget.seed),
        method=family.method,
        detail="tight families, ordinary and corner instances, rescaled copies",
    )
    yield tried
    if tried.finding is not Finding.VIOLATION and (proof := PROOFS.get(claim.id)):
        yield prove(claim, proof)


CHECKS: dict[str, Check] = dict.fromkeys(INSTANCES, _check)
