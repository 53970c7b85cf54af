"""Numbered steps of the proofs.

A step is an implication: its hypotheses are what the proof has at that point, so it does not rest on them. Whatever
uses the step rests on both.
"""

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any

import sympy as sp

from rateproof.theory.claim import Claim, Hypothesis, Kind, Reading, Switch, expand_definitions
from rateproof.theory.papers.strfedavg.build import claim
from rateproof.theory.papers.strfedavg.lemmas import LEM5, LEM6
from rateproof.theory.papers.strfedavg.notation import (
    A1,
    A1_COMMON,
    A2,
    A_PLUS_B_1,
    ABOVE_OPTIMUM,
    ATTAINED,
    B2,
    D2,
    ERR_VALID,
    ETA_SQUARED,
    G2,
    G_SCALE,
    SC16,
    SCALE,
    SIZES,
    STRONGLY_CONVEX,
    T0,
    WHERE,
    WHERE_C,
    D_next2,
    D_prev2,
    Dlast2,
    E_dist,
    Err,
    G_f2,
    G_h2,
    L,
    Theta_R,
    cs_inner,
    f_eta_star,
    gap_avg_c,
    gap_eta,
    gap_f,
    gap_h,
    gap_i,
    gap_inf_f,
    gap_point,
    gap_prev,
    gap_w,
    inner_diff,
    mean_sq_grad_eta,
    mean_sq_grad_f,
    mean_sq_grad_h,
    norm_mean_res,
    outer_diff,
    rescale,
    sq_grad_i,
    tel_sum,
    theta,
    vi_inner,
)
from rateproof.theory.papers.strfedavg.point import CLIENT, CLIENT_SHOWN, POINT, SHOWN
from rateproof.theory.papers.strfedavg.schedules import S_IP, S_SC
from rateproof.theory.papers.strfedavg.theorems import AB_RANGE, P_RANGE
from rateproof.theory.papers.strfedavg.two_levels import EQUATION5, RESIDUAL, RESIDUAL_BELOW, TWO_LEVELS, VARIATIONAL
from rateproof.theory.papers.strfedavg.weighted_average import POWERS
from rateproof.theory.proof import SEQUENCES, Proof, Setting, have, qed, unfold
from rateproof.theory.proof.steps import Rule
from rateproof.theory.shorthand import eq, every, ge, le, premise
from rateproof.theory.symbols import (
    K,
    L_f,
    L_h,
    R,
    a,
    b,
    eta,
    f_star,
    gamma_g,
    gamma_l,
    gamma_t,
    grad_f_star,
    h_star,
    inf_f,
    mean_inf_f,
    mu_f,
    p,
    r,
    t,
)

#: Titles of the claims that share a maker, by id.
TITLES = {
    "step.1": "Averaging weights in closed form",
    "step.1.sum": "Sum of the averaging weights",
    "step.1.product": "Regularisation times stepsize from the weights",
    "step.1.coefficient": "Coefficient of the initial distance",
    "step.2": "Weights under the schedule",
    "step.2.equality": "Inverse weight under the schedule",
    "step.2.inequality": "Growth of the weights over R rounds",
    "step.4": "From one round to the weighted average",
    "step.4.weights": "Averaging weights sum to one",
    "step.4.factor": "Weighted recursion summed over rounds",
    "step.5": "From one round to the plain average",
    "step.5.telescoping": "Telescoping sum of squared distances",
    "step.5.average": "Mean gap over the rounds",
    "step.7": "Lower bound on the outer gap",
    "step.7.variational": "Variational inequality at the bilevel solution",
    "step.7.cauchy_schwarz": "Cauchy-Schwarz for the residual",
    "step.7.jensen": "Jensen for the mean residual",
    "step.8": "Chain of Lemma 1",
    "step.8.smoothness": "Client gradient bounded by the client gap",
    "step.8.average": "Gradient bound averaged over the clients",
    "step.8.constant": "Dissimilarity constant of Lemma 1",
    "step.9": "Chain of Lemma 2",
    "step.9.young": "Young's inequality in Lemma 2",
    "step.9.dissimilarity": "Dissimilarity constant of Lemma 2",
    "step.9.curvature": "Curvature constant of Lemma 2",
    "step.9.optimum": "Regularised optimum in Lemma 2",
}


def _composite(
    number: int,
    place: str,
    kind: Kind,
    parts: dict[str, tuple[str, sp.Basic, tuple[Hypothesis | str, ...]]],
    shown: Mapping[str, tuple[Setting, Proof]] = MappingProxyType({}),
    **rest: Any,
) -> tuple[Claim, ...]:
    """The joint claim ``step.<number>`` and one claim for each part: name -> (text, statement, hypotheses).

    A hypothesis that is a name is what the earlier part of that name states; ``shown`` has the proofs of parts.
    """
    found: dict[str, Claim] = {}
    for name, (text, statement, hs) in parts.items():
        proof = dict(zip(("setting", "proof"), shown[name], strict=True)) if name in shown else {}
        found[name] = claim(
            f"step.{number}.{name}",
            place,
            kind,
            text,
            statement,
            title=TITLES[f"step.{number}.{name}"],
            hypotheses=tuple(premise(found[h]) if isinstance(h, str) else h for h in hs),
            **rest | proof,
        )
    joint = claim(
        f"step.{number}",
        place,
        kind,
        "; ".join(text for text, _, _ in parts.values()),
        every(*(statement for _, statement, _ in parts.values())),
        title=TITLES[f"step.{number}"],
        hypotheses=tuple(dict.fromkeys(h for part in found.values() for h in part.hypotheses)),
        **rest,
    )
    return joint, *found.values()


_CONTRACTS = Hypothesis(
    "0<eta mu_f gamma_t/2<1",
    "0 < η μ_f γ̃/2 < 1, so that θ > 1",
    every(sp.Gt(eta * mu_f * gamma_t / 2, 0, evaluate=False), sp.Lt(eta * mu_f * gamma_t / 2, 1, evaluate=False)),
)
_DEFINED = "θ > 1 is not printed; without it the quotients are not defined."
_WEIGHTS = {s: WHERE[s] for s in (gamma_t, theta, Theta_R)}
STEP1 = _composite(
    1,
    "proof of Theorem 1 (i-1)",
    Kind.IDENTITY,
    {
        "sum": (
            "sum_{r=1}^R θ^r = (θ^{R+1} - θ)/(θ - 1)",
            eq(Theta_R, (theta ** (R + 1) - theta) / (theta - 1)),
            (_CONTRACTS,),
        ),
        "product": ("η γ̃ = (2/μ_f)(1 - 1/θ)", eq(eta * gamma_t, 2 / mu_f * (1 - 1 / theta)), (_CONTRACTS,)),
        "coefficient": (
            "1/(η γ̃ sum_{r=1}^R θ^r) = (μ_f/2)/(θ^R - 1)",
            eq(1 / (eta * gamma_t * Theta_R), mu_f / 2 / (theta**R - 1)),
            (_CONTRACTS,),
        ),
    },
    where=_WEIGHTS,
    setting=Setting(free=(eta, mu_f)),
    note=_DEFINED,
)

_RULES_SC = {s: S_SC.rules[s] for s in (gamma_t, eta)}
_U = p * sp.log(R) / (2 * R)
_U_RANGE = Hypothesis(
    "0<p ln R/(2R)<1",
    "0 < p ln(R)/(2R) < 1, so that the power is that of a positive number",
    every(sp.Gt(_U, 0, evaluate=False), sp.Lt(_U, 1, evaluate=False)),
)
_POSITIVE_BASE = Switch(
    "base",
    printed="any R >= 1",
    other="0 < p ln(R)/(2R) < 1",
    why="for p ln(R)/(2R) > 1 the base is negative",
    adding=(_U_RANGE,),
    origin="θ = 1/(1 - 0.5 η μ_f γ̃) is the base of averaging weights, which are positive",
)
_MU = STRONGLY_CONVEX[-1]
_ROUNDS = tuple(h for h in SIZES if h.key == "R>=1")
_POWER_BOUND = ge((1 - _U) ** -R, R ** (p / 2))
STEP2 = _composite(
    2,
    "proof of Theorem 1 (i-1)",
    Kind.INEQUALITY,
    {
        "equality": (
            "with γ̃ = 1/(μ_f^a R^a), η = p ln(R)/(μ_f^b R^b): θ^{-1} = 1 - 0.5 η μ_f γ̃ = 1 - p ln(R)/(2R)",
            eq(1 / theta, 1 - _U),
            (_MU, AB_RANGE, P_RANGE),
        ),
        "inequality": (
            "(1 - p ln(R)/(2R))^{-R} >= lim ((1 - p ln(R)/(2R))^{2R/(p ln R)})^{-p ln(R)/2} = R^{p/2}",
            _POWER_BOUND,
            (P_RANGE, *_ROUNDS),
        ),
    },
    where={theta: expand_definitions(WHERE[theta], _RULES_SC)},
    note="The printed chain's (.)^R - 2 is read as (.)^{-R} - 1, as its last member R^{p/2} - 1 requires; the equality "
    "stands between its lines.",
)

STEP2 = tuple(
    replace(c, switches=(A_PLUS_B_1,) if c.id.endswith(".equality") else (_POSITIVE_BASE,)) if c is not STEP2[0] else c
    for c in STEP2
)
STEP2_CORRECTED = claim(
    "step.2.inequality.corrected",
    "proof of Theorem 1 (i-1)",
    Kind.INEQUALITY,
    "(1 - p ln(R)/(2R))^{-R} >= R^{p/2} when 0 < p ln(R)/(2R) < 1",
    _POWER_BOUND,
    title="Growth of the weights over R rounds",
    hypotheses=(P_RANGE, *_ROUNDS, _U_RANGE),
    reading=Reading.CORRECTED,
    amends="step.2.inequality",
    why="Theorem 1's conditions allow p ln(R)/(2R) > 1 when the curvatures are small; the base is then negative",
)

_COMBINED = le(
    D_next2,
    (1 - eta * mu_f * gamma_t / 2) * D_prev2 - gamma_t / 3 * gap_prev + gamma_t**2 * (A1 + gamma_t * A2),
)


def _proof_from(said: Mapping[str, sp.Basic], *rules: Rule) -> Proof:
    """The statement follows from these hypotheses, whatever their other symbols are."""
    return Proof(*(have(name, relation) for name, relation in said.items()), qed(by=[*said, *rules]))


STEP3 = claim(
    "step.3",
    "proof of Proposition 1",
    Kind.INEQUALITY,
    "Lemmas 5 and 6 give E||x̄^r - x_η*||² <= (1 - 0.5 η μ_f γ̃) E||x̄^{r-1} - x_η*||² - (γ̃/3) (E f_η(x̄^{r-1}) - f_η*) "
    "+ γ̃² ((2η²σ_f² + 2σ_h²)/(K S) + (1 - S/N)(4/S) G² + 9 γ̃ (L_h + η L_f)(2η²σ_f² + 2σ_h²)/(K γ_g²) "
    "+ 18 (L_h + η L_f) γ̃ G²/γ_g²)",
    _COMBINED,
    title="One round with its drift, strongly convex",
    hypotheses=(premise(LEM5), premise(LEM6)),
    where=WHERE,
    setting=Setting(),
    proof=_proof_from({each.source.place: premise(each).relation for each in (LEM5, LEM6)}, unfold(A1, A2)),
)

_UNROLLED = Hypothesis(
    "unrolled",
    "the recursion of step 3 unrolled with weights θ^r, all divided by θ^R",
    le(
        Dlast2,
        theta**-R * D2
        - gamma_t / 3 * theta**-R * Theta_R * gap_w
        + gamma_t**2 * theta**-R * Theta_R * (A1 + gamma_t * A2),
    ),
)
#: The recursion unrolled, solved for the gap, and the last distance dropped; the setting for a corrected reading.
ROUNDS = Setting(counts=(R,), measured=(gap_w, D2, Dlast2))
_SCALE = 3 * theta**R / (gamma_t * Theta_R)
UNROLLED = Proof(
    have("theta >= 1", ge(theta, 1), by=[unfold(theta)]),
    *POWERS,
    have("unrolled", _UNROLLED.relation, by=["last weight"]),
    have("distance >= 0", ge(Dlast2, 0)),
    qed(by=["unrolled", "distance >= 0", "last weight", "Theta_R > 0", unfold(T0)], multipliers=[_SCALE, _SCALE]),
)
STEP4 = _composite(
    4,
    "proof of Proposition 1",
    Kind.INEQUALITY,
    {
        "weights": (
            "the weights θ^r / sum_{r'=1}^{R-1} θ^{r'}, r = 1..R, of the average sum to one (Jensen's inequality)",
            eq(Theta_R / sp.Sum(theta**r, (r, 1, R - 1)), 1),
            (_CONTRACTS,),
        ),
        "factor": (
            "the recursion with the term -(γ̃/3) (E f_η(x̄^{r-1}) - f_η*) gives, for the weighted mean of the gaps, "
            "the bound E||x̄^0 - x_η*||²/(γ̃ sum θ^r) + γ̃ ((2η²σ_f² + 2σ_h²)/(K S) + (1 - S/N)(4/S) G²) + γ̃² (...)",
            le(gap_w, T0 + gamma_t * A1 + gamma_t**2 * A2),
            (_CONTRACTS, _UNROLLED),
        ),
    },
    where=WHERE,
    note=_DEFINED,
)

_SUMMED = Hypothesis(
    "summed",
    "Lemmas 6 and 7 combined, divided by γ̃/3 and averaged over r = 1..R",
    le(gap_avg_c, 3 / (gamma_t * R) * tel_sum + 3 * gamma_t * (A1 + gamma_t * A2)),
)
_d = sp.Function("d", real=True)
_DISTANCES = Setting(sequences={tel_sum: sp.Sum(_d(r - 1) - _d(r), (r, 1, R)), D2: _d(0), Dlast2: _d(R)}, counts=(R,))
_TELESCOPED = eq(tel_sum, D2 - Dlast2)
STEP5 = _composite(
    5,
    "proof of Proposition 4",
    Kind.INEQUALITY,
    {
        "telescoping": (
            "sum_{r=1}^R (E||x̄^{r-1} - x_η*||² - E||x̄^r - x_η*||²) = E||x̄^0 - x_η*||² - E||x̄^R - x_η*||²",
            _TELESCOPED,
            (),
        ),
        "average": (
            "the mean of the gaps is at most (3/(γ̃ R))(E||x̄^0 - x_η*||² - E||x̄^R - x_η*||²) "
            "+ 3γ̃ ((2η²σ_f² + 2σ_h²)/(K S) + (1 - S/N)(4/S) G²) + 3γ̃² (...)",
            le(gap_avg_c, 3 / (gamma_t * R) * (D2 - Dlast2) + 3 * gamma_t * A1 + 3 * gamma_t**2 * A2),
            (_SUMMED, "telescoping"),
        ),
    },
    {
        "telescoping": (_DISTANCES, Proof(qed(by=[SEQUENCES]))),
        "average": (Setting(), _proof_from({"summed": _SUMMED.relation, "telescoped": _TELESCOPED})),
    },
    where=WHERE_C,
)

_BELOW = le(f_eta_star, h_star + eta * f_star)
STEP6 = claim(
    "step.6",
    "proof of Proposition 2 (i-1)",
    Kind.INEQUALITY,
    "f_η* <= f_η(x*) = h* + η f*, hence E[h(x̄^R)] - h* + η (E[f(x̄^R)] - f*) <= Err_η",
    every(_BELOW, le(gap_h + eta * gap_f, Err)),
    title="Regularised optimum against the bilevel solution",
    equation="(5)",
    hypotheses=(
        *A1_COMMON,
        ERR_VALID,
        Hypothesis(
            "f_eta=h+eta f",
            "f_η = h + η f, in terms of the gaps",
            eq(gap_eta + f_eta_star, gap_h + h_star + eta * (gap_f + f_star)),
        ),
    ),
    setting=TWO_LEVELS,
    proof=EQUATION5,
    note="The same relation is (10) in the proof of Proposition 5.",
)

STEP7 = _composite(
    7,
    "proof of Proposition 2 (i-2)",
    Kind.INEQUALITY,
    {
        "variational": ("∇f(x*)^T (E Π[x̄^R] - x*) >= 0, as Π[x̄^R] is in X_h*", ge(vi_inner, 0), A1_COMMON),
        "cauchy_schwarz": (
            "-||∇f(x*)|| ||E[x̄^R - Π[x̄^R]]|| <= ∇f(x*)^T E[x̄^R - Π[x̄^R]]",
            le(-grad_f_star * norm_mean_res, cs_inner),
            A1_COMMON,
        ),
        "jensen": (
            "||E[x̄^R - Π[x̄^R]]|| <= E||x̄^R - Π[x̄^R]|| = E dist(x̄^R, X_h*)",
            le(norm_mean_res, E_dist),
            A1_COMMON,
        ),
    },
    {"variational": (RESIDUAL, VARIATIONAL), "cauchy_schwarz": (RESIDUAL, RESIDUAL_BELOW)},
    note="Proposition 5 uses it too, hence without μ_f > 0.",
)

_MEAN_GAP = inf_f - mean_inf_f
STEP8 = _composite(
    8,
    "proof of Lemma 1 (Appendix A)",
    Kind.INEQUALITY,
    {
        "smoothness": (
            "||∇f_i(x)||² <= 2 L_f (f_i(x) - f_i(x_i*))",
            le(sq_grad_i, 2 * L_f * gap_i),
            (*A1_COMMON, *ATTAINED),
        ),
        "average": (
            "(1/N) sum_i ||∇f_i(x)||² <= 2 L_f (f* - (1/N) sum_i f_i(x_i*)) + 2 L_f (f(x) - f*)",
            le(mean_sq_grad_f, 2 * L_f * _MEAN_GAP + 2 * L_f * gap_inf_f),
            (*A1_COMMON, *ATTAINED),
        ),
        "constant": (
            "setting G_f = sqrt((2 L_f/N)(f* - (1/N) sum_i f_i(x_i*))) and B_f = 1 gives the desired result",
            le(2 * L_f * _MEAN_GAP + 2 * L_f * gap_inf_f, G_f2 + 2 * L_f * gap_inf_f),
            (*A1_COMMON, *ATTAINED),
        ),
    },
    {"smoothness": (CLIENT, CLIENT_SHOWN), "average": (POINT, SHOWN["average"])},
    where={G_f2: WHERE[G_f2], G_h2: WHERE[G_h2]},
    switches=(G_SCALE,),
    note="f* of the appendix is read as inf f, as in the lemma.",
)

_POINT = (*A1_COMMON, *ATTAINED)
STEP9 = _composite(
    9,
    "proof of Lemma 2 (Appendix B)",
    Kind.INEQUALITY,
    {
        "young": (
            "(1/N) sum_i ||η∇f_i(x) + ∇h_i(x)||² <= (2η²/N) sum_i ||∇f_i(x)||² + (2/N) sum_i ||∇h_i(x)||²",
            le(mean_sq_grad_eta, 2 * eta**2 * mean_sq_grad_f + 2 * mean_sq_grad_h),
            _POINT,
        ),
        "dissimilarity": (
            "2η² G_f² + 4η² L_f B_f² (f* - inf f) + 2 G_h² + 4 L_h B_h² (h* - inf h) is replaced by "
            "G² = 2 G_f² + 4 L_f B_f² (f* - inf f) + 2 G_h² + 4 L_h B_h² (h* - inf h)",
            le(2 * eta**2 * G_f2 + 4 * eta**2 * L_f * (f_star - inf_f) + 2 * G_h2, G2),
            _POINT,
        ),
        "curvature": (
            "4η L_f B_f² (η f(x) - η f*) + 4 L_h B_h² (h(x) - h*) <= B² (f_η(x) - (h* + η f*))",
            le(
                4 * eta * L_f * (eta * outer_diff) + 4 * L_h * inner_diff,
                B2 * (eta * outer_diff + inner_diff),
            ),
            (*_POINT, Hypothesis("h>=h*", "h(x) >= h*", ge(inner_diff, 0))),
        ),
        "optimum": (
            "B² (f_η(x) - (h* + η f*)) <= B² (f_η(x) - f_η*), as f_η* <= h* + η f*",
            le(B2 * (eta * outer_diff + inner_diff), B2 * gap_point),
            (
                *_POINT,
                Hypothesis(
                    "f_eta*<=h*+eta f*",
                    "f_η* <= h* + η f*, in terms of the gaps",
                    le(eta * outer_diff + inner_diff, gap_point),
                ),
            ),
        ),
    },
    {name: (POINT, SHOWN[name]) for name in ("young", "optimum")},
    where=WHERE_C,
    switches=(ETA_SQUARED, G_SCALE, ABOVE_OPTIMUM),
    note="B_f = B_h = 1 by Lemma 1; h* = inf h, so the last term is zero.",
)

_RULES_IP = {gamma_t: S_IP.rules[gamma_t].subs(t, R), eta: S_IP.rules[eta].subs(t, R), mu_f: sp.S.One}
_RULES_TEXT = "with γ̃ = 1/(μ_f^a R^a), η = p ln(R)/(μ_f^b R^b)"
_GENERAL_TEXT = f"{_RULES_TEXT}: η γ̃ μ_f = p ln(R)/R, the share in (8)"
_IP_TEXT = "with γ̃ = 1/R^{7/12}, η = 2 ln(R)/R^{5/12}, μ_f = 1: η γ̃ μ_f = 2 ln(R)/R, as 7/12 + 5/12 = 1"
_PRODUCT = eta * gamma_t * mu_f
_GENERAL = eq(_PRODUCT.subs(_RULES_SC), p * sp.log(R) / R)
_IP = eq(_PRODUCT.subs(_RULES_IP), 2 * sp.log(R) / R)
_NOT_DISPLAYED = "Not displayed: what the proofs substitute."
_PLACE_13 = "proofs of Theorem 1 (i-1) and of Theorem 3"
_HYPOTHESES_13 = (_MU, AB_RANGE, P_RANGE)
STEP13 = (
    claim(
        "step.13",
        _PLACE_13,
        Kind.IDENTITY,
        f"{_GENERAL_TEXT}; {_IP_TEXT}",
        every(_GENERAL, _IP),
        title="Regularisation times stepsize under the schedules",
        hypotheses=_HYPOTHESES_13,
        note=_NOT_DISPLAYED,
    ),
    claim(
        "step.13.general",
        _PLACE_13,
        Kind.IDENTITY,
        _GENERAL_TEXT,
        _GENERAL,
        title="Regularisation times stepsize, general schedule",
        hypotheses=_HYPOTHESES_13,
        switches=(A_PLUS_B_1,),
        note="Not displayed: (8) has 1 - p ln(R)/(2R) where 1 - 0.5 η μ_f γ̃ stood.",
    ),
    claim(
        "step.13.ip",
        _PLACE_13,
        Kind.IDENTITY,
        _IP_TEXT,
        _IP,
        title="Regularisation times stepsize, two-loop schedule",
        note=_NOT_DISPLAYED,
    ),
)
STEP13_CORRECTED = claim(
    "step.13.general.corrected",
    _PLACE_13,
    Kind.IDENTITY,
    f"{_RULES_TEXT}: η γ̃ μ_f = p ln(R) (μ_f R)^{{1-a-b}}/R",
    eq(_PRODUCT.subs(_RULES_SC), p * sp.log(R) * (mu_f * R) ** (1 - a - b) / R),
    title="Regularisation times stepsize, general schedule",
    hypotheses=_HYPOTHESES_13,
    reading=Reading.CORRECTED,
    amends="step.13.general",
    why="the factor (μ_f R)^{1-a-b} is 1 when a + b = 1 only",
)

STEP_RESCALED = le(16 * K * gamma_g * gamma_l / rescale * (rescale * L + rescale * B2), 1)
STEP14 = claim(
    "step.14",
    "Lemmas 5 and 7, Propositions 1, 3, 4 and 6",
    Kind.PROPERTY,
    "γ_l <= 1/(16 K γ_g (L_h + η L_f)² (1 + B²)) keeps its form under (f, h) -> (c_1 f, c_2 h), x -> s x",
    le(gamma_l / rescale, 1 / (16 * K * gamma_g * (rescale * L) ** 2 * (1 + rescale * B2))),
    title="Step condition under rescaling",
    hypotheses=(SC16,),
    where=WHERE,
    switches=(
        Switch(
            "scale",
            printed="the condition keeps its form",
            other="for L_h + η L_f >= 1 it implies one that does",
            why="1 + B² and (L_h + η L_f)² compare curvatures with 1, as Lemmas 5 to 7 presuppose them",
            statement=STEP_RESCALED,
            adding=(Hypothesis("L>=1", "L_h + eta L_f >= 1", ge(L, 1)),),
            origin=SCALE.origin,
        ),
    ),
    note="Not a claim of the paper, but what a theorem has to satisfy. In other units, with c = c_2/s^2 and "
    "eta c_2/c_1 for eta, the same run has c (L_h + eta L_f), c B^2 and gamma_l/c, and the condition should hold of "
    "these, too.",
)

STEPS = (
    *STEP1,
    *STEP2,
    STEP2_CORRECTED,
    STEP3,
    *STEP4,
    *STEP5,
    STEP6,
    *STEP7,
    *STEP8,
    *STEP9,
    *STEP13,
    STEP13_CORRECTED,
    STEP14,
)
