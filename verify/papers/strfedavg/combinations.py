"""Proofs of steps as nonnegative combinations: premises from the hypotheses as they stand, and from known facts."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import sympy as sp

from rateproof.theory.claim import Claim
from rateproof.theory.papers.strfedavg.notation import (
    B2,
    E_dist,
    cs_inner,
    f_eta_star,
    gap_eta,
    gap_h,
    gap_i,
    gap_inf_f,
    lam,
    lip_F,
    lip_g,
    mean_sq_grad_eta,
    mean_sq_grad_f,
    mean_sq_grad_h,
    mu_g,
    norm_mean_res,
    sq_grad_i,
    tel_sum,
    vi_inner,
)
from rateproof.theory.symbols import (
    L_f,
    alpha,
    eta,
    f_star,
    grad_f_star,
    h_star,
    inf_f,
    kappa,
    mean_inf_f,
)
from rateproof.verify.deciders import given
from rateproof.verify.deciders.certificates import Combination, Premise

Proof = Callable[[Claim], Sequence[Combination]]
ONE = sp.S.One


def premise_of(claim: Claim, key: str) -> Premise:
    """The inequality that a hypothesis is, as it stands; a ValueError when there is none."""
    (text,) = [h.text for h in claim.hypotheses if h.key == key] or [key]
    return Premise(given.slack(claim, key), text)


def _equation(claim: Claim, key: str, symbol: sp.Symbol) -> dict[sp.Expr, sp.Expr]:
    """What a hypothesis that is an equation, linear in a symbol with a number as coefficient, makes of the symbol."""
    relation = given.relation(claim, key)
    gap = sp.expand(relation.args[0] - relation.args[1])
    slope = sp.diff(gap, symbol)
    if relation.rel_op != "==" or not slope.is_number or slope == 0:
        raise ValueError(f"the argument uses {key} as an equation for {symbol}; it is {relation}")
    return {symbol: sp.expand(symbol - gap / slope)}


def above(claim: Claim, constant: sp.Symbol, bound: sp.Expr) -> sp.Expr:
    """``constant - bound``, which the definition of the constant as a maximum makes nonnegative.

    Raises:
        ValueError: the constant is not defined so.
    """
    defined = claim.expand(constant)
    members = defined.args if isinstance(defined, sp.Max) else (defined,)
    if not any(sp.expand(member - bound).is_nonnegative for member in members):
        raise ValueError(f"the argument uses {constant} >= {bound}, which its definition {defined} does not show")
    return constant - bound


def step3(claim: Claim) -> list[Combination]:
    """Lemma 5 plus Lemma 6."""
    given.statement(claim, "<=")
    return [Combination([(ONE, premise_of(claim, "lem5")), (ONE, premise_of(claim, "lem6"))])]


def step5_average(claim: Claim) -> list[Combination]:
    """The averaged recursion with the telescoped sum inserted."""
    given.statement(claim, "<=")
    return [Combination([(ONE, premise_of(claim, "summed"))], _equation(claim, "step.5.telescoping", tel_sum))]


def step6(claim: Claim) -> list[Combination]:
    """Eq. (5)."""
    why = "f_eta* is the infimum of f_eta, so f_eta* <= f_eta(x*)"
    below = Premise(h_star + eta * f_star - f_eta_star, why, ("X_h_nonempty",))
    atoms = _equation(claim, "f_eta=h+eta f", gap_eta)
    return [Combination([(ONE, below)]), Combination([(ONE, premise_of(claim, "Err")), (ONE, below)], atoms)]


def optimum(claim: Claim) -> list[Combination]:
    """B^2 times what the hypothesis on f_eta* says."""
    return [Combination([(B2, premise_of(claim, "f_eta*<=h*+eta f*"))])]


def remark3(claim: Claim) -> list[Combination]:
    """g = ||x - y||^2/2 is 1-smooth and 1-strongly convex, and dist^2 has a Lipschitz gradient."""
    lipschitz = Premise(L_f + 2 / lam - lip_F, NONEXPANSIVE, ("outer_smooth", "h_convex", "X_h_nonempty"))
    return [Combination([], {mu_g: ONE}), Combination([], {lip_g: ONE}), Combination([(ONE, lipschitz)])]


def jensen(claim: Claim) -> list[Combination]:
    """The distance by the gap, in expectation; a ValueError without ``kappa >= 1``."""
    if not given.implied(claim, sp.Ge(kappa, 1, evaluate=False)):
        raise ValueError("Jensen's inequality for t^kappa uses kappa >= 1, which does not follow from the hypotheses")
    why = "weak sharpness, Jensen for t^kappa and the monotone root: E dist <= ((E h - h*)/alpha)^(1/kappa)"
    return [Combination([(ONE, Premise((gap_h / alpha) ** (1 / kappa) - E_dist, why, ("weak_sharp",)))])]


def _single(premise: Premise) -> Proof:
    return lambda claim: [Combination([(ONE, premise)])]


_m = gap_inf_f + inf_f - mean_inf_f  # mean over clients of f_i(x) - inf f_i
_SMOOTH_CLIENTS = ("f_smooth", "clients_attain_minimum")
_PROJECTS = ("h_convex", "X_h_nonempty")
STEPS: Mapping[str, Proof] = {
    "step.3": step3,
    "step.5.average": step5_average,
    "step.6": step6,
    "step.7.variational": _single(
        Premise(vi_inner, "first-order optimality of x* for f on the convex set X_h*", ("f_smooth", *_PROJECTS))
    ),
    "step.7.cauchy_schwarz": _single(
        Premise(cs_inner + grad_f_star * norm_mean_res, "Cauchy-Schwarz", ("f_smooth", *_PROJECTS))
    ),
    "step.7.jensen": _single(
        Premise(E_dist - norm_mean_res, "Jensen's inequality for the norm; dist = ||x - Pi[x]||", _PROJECTS)
    ),
    "step.8.smoothness": _single(
        Premise(
            2 * L_f * gap_i - sq_grad_i,
            "an L_f-smooth function lies above its minimum by ||grad||^2/(2 L_f) at least",
            _SMOOTH_CLIENTS,
        )
    ),
    "step.8.average": _single(
        Premise(
            2 * L_f * _m - mean_sq_grad_f,
            "mean over clients of ||grad f_i||^2 <= 2 L_f (f_i - min f_i)",
            _SMOOTH_CLIENTS,
        )
    ),
    "step.9.young": _single(
        Premise(
            2 * eta**2 * mean_sq_grad_f + 2 * mean_sq_grad_h - mean_sq_grad_eta,
            "mean over clients of ||eta grad f_i - grad h_i||^2 >= 0 (parallelogram identity)",
            ("f_smooth", "h_smooth"),
        )
    ),
    "step.9.optimum": optimum,
    "rem3": remark3,
    "id.ws-dist.jensen": jensen,
}
NONEXPANSIVE = (
    "f is L_f-smooth and the gradient of dist^2/lambda is (2/lambda)(y - Pi[y]), where y - Pi[y] is nonexpansive"
)
