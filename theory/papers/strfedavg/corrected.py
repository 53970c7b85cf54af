"""CORRECTED readings of the lemmas, propositions, identities and proof steps: the weakest changes that hold."""

from collections.abc import Mapping, Sequence
from typing import Any

import sympy as sp

from rateproof.theory.claim import Claim, Hypothesis
from rateproof.theory.papers.strfedavg.lemmas import LEM1, LEM2, LEM5, LEM6, LEM7
from rateproof.theory.papers.strfedavg.levels import AT_AVERAGE, AT_AVERAGE_CONVEX, PROPOSITION3_II3, proof_of_levels
from rateproof.theory.papers.strfedavg.local_steps import LEMMA6, LOCAL
from rateproof.theory.papers.strfedavg.mended import (
    DISSIMILARITY,
    DISSIMILARITY_1,
    DRIFT_STEP,
    SC16_MENDED,
    SHARPNESS,
    STEP,
    WEIGHTS,
    Amendment,
    corrected,
    delta_h,
)
from rateproof.theory.papers.strfedavg.notation import (
    A1,
    A2,
    B2,
    DRIFT_N,
    NO_EXPECTATION,
    SC16,
    T0,
    E_dist,
    E_sq,
    Err,
    M,
    Qt2,
    Theta_R,
    dist_y,
    eta_max_ip,
    gap_f,
    gap_h,
    gap_w,
    grad_penalty,
    ind_env,
    inner_diff,
    lam,
    outer_diff,
    theta,
)
from rateproof.theory.papers.strfedavg.one_round import LEMMA5, LEMMA7, ROUND
from rateproof.theory.papers.strfedavg.point import LEMMA1, LEMMA2, POINT, SHOWN
from rateproof.theory.papers.strfedavg.propositions import PROP1, PROP2, PROP3, PROP4, PROP5, PROP6
from rateproof.theory.papers.strfedavg.remarks import ETAHAT, FLAM, WS_DIST
from rateproof.theory.papers.strfedavg.steps import (
    ROUNDS,
    STEP2,
    STEP4,
    STEP8,
    STEP9,
    STEP14,
    STEP_RESCALED,
    UNROLLED,
)
from rateproof.theory.papers.strfedavg.two_levels import PROPOSITION2, PROPOSITION5, TWO_LEVELS
from rateproof.theory.papers.strfedavg.weighted_average import (
    AVERAGE_CONVEX,
    AVERAGE_THETA,
    PROPOSITION1,
    PROPOSITION4,
)
from rateproof.theory.proof import Proof, qed
from rateproof.theory.shorthand import amended, between, eq, item_of, le
from rateproof.theory.symbols import L_f, L_h, R, a, alpha, b, eta, f_star, gamma_t, grad_f_star, inf_f, kappa, mu_f, r

DRIFT = Amendment(
    "the drift averaged over K N",
    "the drift sums over all N clients, but is divided by K S; Lemmas 5 to 7 need its mean over K N",
    switch=DRIFT_N,
)


METHOD = (DISSIMILARITY, STEP)
AVERAGE = (WEIGHTS, *METHOD)
_SAMPLING = "with Lemma 1's factor 1/N, G² is too small for what the sampling of clients adds"
LEMMAS = (
    corrected(LEM1, DISSIMILARITY_1, setting=POINT, proof=LEMMA1),
    corrected(LEM2, DISSIMILARITY, setting=POINT, proof=LEMMA2),
    corrected(LEM5, *METHOD, DRIFT, why=_SAMPLING, setting=ROUND, proof=LEMMA5),
    corrected(LEM6, DISSIMILARITY, DRIFT, DRIFT_STEP, setting=LOCAL, proof=LEMMA6),
    corrected(LEM7, *METHOD, DRIFT, why=_SAMPLING, setting=ROUND, proof=LEMMA7),
)

# --- weak sharpness of order 1, up to delta_h ------------------------------------------------------------------------

_SLOPE = 2 * grad_f_star / alpha


def _below_h(bound: sp.Expr) -> sp.And:
    return between(0, gap_h, bound + delta_h)


def _below_f(bound: sp.Expr, curved: sp.Expr = sp.S.Zero) -> sp.And:
    return between(curved - _SLOPE * (bound + delta_h), gap_f, bound / eta)


def _below_sq(bound: sp.Expr) -> sp.Rel:
    return le(E_sq, (2 * bound + delta_h) / (eta * mu_f))


_OFFSET = "δ_h added to 2 Err_η"
_OFFSET_F = "δ_h added to Err_η in the lower bound"


def _sharp(items: Sequence[Claim], item: str, change: str, statement: sp.Basic, proofs: Mapping[str, Proof]) -> Claim:
    return corrected(
        item_of(items, item),
        SHARPNESS,
        change=change,
        statement=statement,
        setting=TWO_LEVELS,
        proof=proofs[f"{item}.corrected"],
    )


SHARP = (
    _sharp(PROP2, "iii-1", _OFFSET, _below_h(2 * Err), PROPOSITION2),
    _sharp(PROP2, "iii-2", _OFFSET_F, _below_f(Err, mu_f / 2 * E_sq), PROPOSITION2),
    _sharp(PROP2, "iii-3", _OFFSET, _below_sq(Err), PROPOSITION2),
    _sharp(PROP5, "iii-1", _OFFSET, _below_h(2 * Err), PROPOSITION5),
    _sharp(PROP5, "iii-2", _OFFSET_F, _below_f(Err), PROPOSITION5),
    *(
        amended(
            item_of(group, item),
            "weak sharpness of order 1 excludes every smooth h but constants, and the proof uses no smoothness of h",
            part="nonsmooth",
            text="As printed, for h_i that are convex and not necessarily smooth",
            hypotheses=tuple(h for h in item_of(group, item).hypotheses if h.key != "h_smooth"),
            setting=TWO_LEVELS,
            proof=proofs[f"{item}.nonsmooth"],
        )
        for group, items, proofs in (
            (PROP2, ("iii-1", "iii-2", "iii-3"), PROPOSITION2),
            (PROP5, ("iii-1", "iii-2"), PROPOSITION5),
        )
        for item in items
    ),
)

# --- Propositions 1, 3, 4 and 6 --------------------------------------------------------------------------------------

_ERR = T0 + gamma_t * A1 + gamma_t**2 * A2
_ROOT = ((_ERR + 2 * eta * M) / alpha) ** (1 / kappa)
_ERR_C = 3 * Qt2 / (gamma_t * R) + 3 * gamma_t * A1 + 3 * gamma_t**2 * A2
_PROP1 = corrected(
    PROP1,
    *AVERAGE,
    follows_from=("lem2", "lem4", "lem6", "step.4.weights"),
    note="Steps 3 and 4 lose a factor 3. Under this step condition the gap keeps a coefficient above γ̃ in the "
    "recursion: 2γ̃ from Lemma 4, less 4γ̃² (L_h + η L_f) + 2γ̃² B² and less the share of the drift.",
    setting=AVERAGE_THETA,
    proof=PROPOSITION1,
)
_PROP4 = corrected(PROP4, *AVERAGE, setting=AVERAGE_CONVEX, proof=PROPOSITION4)


def _substituted(
    gap: Claim, levels: tuple[Claim, ...], err: sp.Expr, printed: Claim, *amendments: Amendment, **changes: Any
) -> Claim:
    """An item of Proposition 3 or 6: ``gap`` for Err in the same item of Proposition 2 or 5."""
    item = printed.id.rpartition(".")[2]
    bracket = item_of(levels, "ii-1") if item == "ii-2" else None
    source = item_of(SHARP, f"{levels[0].id.split('.')[1]}.{item}.corrected") if SHARPNESS in amendments else None
    return corrected(
        printed,
        *AVERAGE,
        *amendments,
        setting=AT_AVERAGE if gap is _PROP1 else AT_AVERAGE_CONVEX,
        **{"proof": proof_of_levels(gap, source or item_of(levels, item), err, bracket)} | changes,
    )


def _prop3(item: str, *amendments: Amendment, **changes: Any) -> Claim:
    return _substituted(_PROP1, PROP2, _ERR, item_of(PROP3, item), *amendments, **changes)


def _prop6(item: str, *amendments: Amendment, **changes: Any) -> Claim:
    printed = item_of(PROP6, item)
    return _substituted(
        _PROP4, PROP5, _ERR_C, printed.read(NO_EXPECTATION) if item == "i-2" else printed, *amendments, **changes
    )


STRONGLY_CONVEX = (
    _PROP1,
    _prop3("i-1"),
    _prop3(
        "i-2",
        change="γ̃/η in place of γ̃ before the first-order constant",
        why="substituting Proposition 1 divides every term by η",
        statement=between(mu_f / 2 * E_sq - grad_f_star * E_dist, gap_f, _ERR / eta),
    ),
    _prop3(
        "i-3",
        change="2/μ_f before all terms",
        why="2/μ_f multiplies the whole bracket",
        statement=le(E_sq, 2 / mu_f * (grad_f_star * E_dist + _ERR / eta)),
    ),
    _prop3("ii-1"),
    _prop3("ii-2"),
    _prop3(
        "ii-3",
        change="the root ((Err_η + 2 η M)/α)^{1/κ}",
        why="the root is that of Proposition 2: divided by α, with 2 η M outside the bracket that γ̃² multiplies",
        statement=le(E_sq, 2 / (mu_f * eta) * _ERR + 2 * grad_f_star / mu_f * _ROOT),
        proof=PROPOSITION3_II3,
    ),
    _prop3(
        "iii-1",
        SHARPNESS,
        change="δ_h added to the upper bound",
        statement=_below_h(2 * _ERR),
    ),
    _prop3(
        "iii-2",
        SHARPNESS,
        change="2 ||∇f(x*)|| δ_h/α taken off the lower bound",
        statement=_below_f(_ERR),
    ),
    _prop3("iii-3", SHARPNESS, change="δ_h/(η μ_f) added", statement=_below_sq(_ERR)),
)

CONVEX = (
    _PROP4,
    _prop6("i-1"),
    _prop6(
        "i-2",
        change="E dist(x̄^R, X_h*)",
        why="the other terms are expectations",
    ),
    _prop6("ii-1"),
    _prop6("ii-2"),
    _prop6(
        "iii-1",
        SHARPNESS,
        change="δ_h added to the upper bound",
        statement=_below_h(2 * _ERR_C),
    ),
    _prop6(
        "iii-2",
        SHARPNESS,
        change="2 ||∇f(x*)|| δ_h/α taken off the lower bound",
        statement=_below_f(_ERR_C),
    ),
)

# --- identities and proof steps --------------------------------------------------------------------------------------

_ETA_TOP = eq(eta_max_ip, 24 / (5 * sp.E))
_ETA_CHANGE = "24/(5e) = 1.7658..."
_ETA_ORIGIN = "the formula p/(e b μ_f^b) of Theorem 1 gives it for p = 2, b = 5/12, μ_f = 1"
_ETA_WHY = "2 ln(t)/t^{5/12} is largest at t = e^{12/5}, where it is 24/(5e)"
IDENTITIES = (
    corrected(
        item_of(FLAM, "envelope"),
        change="1/(2λ) in place of 1/λ",
        origin="the gradient (1/λ)(y - Π[y]) that is printed beside it is that of dist²/(2λ)",
        why="the Moreau envelope with parameter λ has 1/(2λ) before the square",
        statement=eq(ind_env, dist_y**2 / (2 * lam)),
    ),
    corrected(
        item_of(FLAM, "gradient"),
        change="(1/(2λ)) dist²(., X_h*), whose gradient this is",
        why="the gradient of dist² is 2(y - Π[y])",
        origin="the Moreau envelope of the indicator, of which this is to be the gradient, is dist²/(2λ)",
        statement=eq(grad_penalty / 2, dist_y / lam),
    ),
    corrected(item_of(ETAHAT, "eleven"), change=_ETA_CHANGE, why=_ETA_WHY, origin=_ETA_ORIGIN, statement=_ETA_TOP),
    corrected(item_of(ETAHAT, "six_over_e"), change=_ETA_CHANGE, why=_ETA_WHY, origin=_ETA_ORIGIN, statement=_ETA_TOP),
    corrected(
        item_of(WS_DIST, "eq13"),
        change="1/α inside the root",
        origin="the same step in the proof of Proposition 2 (ii-2) has 1/α inside the root",
        why="weak sharpness bounds α dist^κ; printed, the bound holds for α <= 1 only",
        statement=le(E_dist, (gap_h / alpha) ** (1 / kappa)),
    ),
)

_A_PLUS_B = Hypothesis("a+b=1", "a + b = 1", eq(a + b, 1))
_STEP4 = item_of(STEP4, "factor")
STEPS = (
    corrected(
        item_of(STEP2, "equality"),
        change="a + b = 1",
        why="η γ̃ μ_f = p ln(R) (μ_f R)^{1-a-b}/R, which is p ln(R)/R only when a + b = 1",
        hypotheses=(_A_PLUS_B,),
        where={theta: item_of(STEP2, "equality").where[theta].subs(b, 1 - a)},
    ),
    corrected(
        item_of(STEP4, "weights"),
        change="weights θ^r / sum_{r'=1}^{R} θ^{r'}",
        origin="the step invokes Jensen's inequality, for which weights sum to one",
        why="the printed normaliser stops one term early",
        statement=eq(Theta_R / sp.Sum(theta**r, (r, 1, R)), 1),
    ),
    corrected(
        _STEP4,
        change="three times the printed bound",
        origin="the recursion that is summed has γ̃/3 before the gap",
        why="the recursion has γ̃/3, not γ̃, before the gap",
        statement=le(gap_w, 3 * (T0 + gamma_t * A1 + gamma_t**2 * A2)),
        setting=ROUNDS,
        proof=UNROLLED,
    ),
    corrected(item_of(STEP8, "constant"), DISSIMILARITY_1, setting=POINT, proof=SHOWN["constant"]),
    corrected(item_of(STEP9, "dissimilarity"), DISSIMILARITY, setting=POINT, proof=SHOWN["dissimilarity"]),
    corrected(
        item_of(STEP9, "curvature"),
        change="(B² - 4 η L_f) η (f* - inf f) added to the right side",
        why="where f(x) < f*, B² times the negative gap is below 4 η L_f times it",
        statement=le(
            4 * eta * L_f * (eta * outer_diff) + 4 * L_h * inner_diff,
            B2 * (eta * outer_diff + inner_diff) + (B2 - 4 * eta * L_f) * eta * (f_star - inf_f),
        ),
        setting=POINT,
        proof=SHOWN["curvature"],
    ),
    corrected(
        STEP14,
        Amendment(
            "16 K γ_g γ_l (L_h + η L_f + B²) <= 1 as the condition",
            "the printed condition adds 1 to B² and squares L",
            hypotheses={SC16.key: (SC16_MENDED,)},
        ),
        statement=STEP_RESCALED,
        proof=Proof(qed()),
    ),
)

CORRECTED = (*LEMMAS, *SHARP, *STRONGLY_CONVEX, *CONVEX, *IDENTITIES, *STEPS)
