"""Proofs of steps as nonnegative combinations: premises from the hypotheses as they stand, and from known facts."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import sympy as sp

from rateproof.theory.claim import Claim
from rateproof.theory.papers.strfedavg.notation import (
    E_dist,
    gap_h,
    lam,
    lip_F,
    lip_g,
    mu_g,
    norm_mean_res,
)
from rateproof.theory.symbols import (
    L_f,
    alpha,
    kappa,
)
from rateproof.verify.deciders import premises
from rateproof.verify.deciders.certificates import Combination, Premise

Proof = Callable[[Claim], Sequence[Combination]]
ONE = sp.S.One


def remark3(claim: Claim) -> list[Combination]:
    """g = ||x - y||^2/2 is 1-smooth and 1-strongly convex, and dist^2 has a Lipschitz gradient."""
    lipschitz = Premise(L_f + 2 / lam - lip_F, NONEXPANSIVE, ("outer_smooth", "h_convex", "X_h_nonempty"))
    return [Combination([], {mu_g: ONE}), Combination([], {lip_g: ONE}), Combination([(ONE, lipschitz)])]


def jensen(claim: Claim) -> list[Combination]:
    """The distance by the gap, in expectation; a ValueError without ``kappa >= 1``."""
    if not premises.implied(claim, sp.Ge(kappa, 1, evaluate=False)):
        raise ValueError("Jensen's inequality for t^kappa uses kappa >= 1, which does not follow from the hypotheses")
    why = "weak sharpness, Jensen for the power κ and the monotone root: E dist <= ((E h - h*)/alpha)^(1/kappa)"
    return [Combination([(ONE, Premise((gap_h / alpha) ** (1 / kappa) - E_dist, why, ("weak_sharp",)))])]


def _single(premise: Premise) -> Proof:
    return lambda claim: [Combination([(ONE, premise)])]


_PROJECTS = ("h_convex", "X_h_nonempty")
STEPS: Mapping[str, Proof] = {
    "step.7.jensen": _single(
        Premise(E_dist - norm_mean_res, "Jensen's inequality for the norm; dist = ||x - Π[x]||", _PROJECTS)
    ),
    "rem3": remark3,
    **dict.fromkeys(("id.ws-dist.jensen", "id.ws-dist.eq13.corrected"), jensen),
}
NONEXPANSIVE = (
    "f is L_f-smooth and the gradient of dist^2/lambda is (2/lambda)(y - Π[y]), where y - Π[y] is nonexpansive"
)
