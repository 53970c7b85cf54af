"""The two-loop method: Lemma 3, Proposition 7 and Theorem 3.

Inner calls are StR-FedAvg on the projection problem (4), whose outer loss g(x) = ||x - y^t||^2/2 has L = mu = 1.
``||grad f(x^{t*})||`` is printed where the gradient of problem (4)'s outer loss would stand; it is kept, with a switch.
"""

from dataclasses import replace
from typing import Any

import sympy as sp

from rateproof.theory.assumptions import Attained, BoundedBelow, BoundedVariance, Convex, Smooth, StronglyConvex
from rateproof.theory.claim import Claim, Hypothesis, Kind, Reading, Switch, expand_definitions
from rateproof.theory.papers.strfedavg.build import claim
from rateproof.theory.papers.strfedavg.notation import (
    A1_COMMON,
    A2_NOISE,
    A_PLUS_B_1,
    ABOVE_OPTIMUM,
    AVG,
    AVG_KIND,
    D2,
    ETA_SHARP,
    ETA_SQUARED,
    G2,
    G_SCALE,
    INDEX,
    KAPPA_EQ_1,
    KAPPA_GT_1,
    SIZES,
    WHERE,
    A1n,
    A2n,
    B_ncvx2,
    D2_proj,
    E_dist_n,
    E_err2,
    E_grad2,
    E_grad2_env,
    F_gap0,
    F_gap0_env,
    G_f2,
    G_g2,
    G_h2,
    G_ncvx2,
    H,
    M_g,
    R_dist,
    R_dist_n,
    R_stat,
    R_stat_env,
    Theta_R,
    c_e,
    eta_g,
    eta_g_hat,
    g_star,
    gamma,
    gap_g,
    gap_g_n,
    gap_point_g,
    grad_f_proj,
    grad_F_star,
    grad_g_star,
    inf_g,
    lam,
    mean_sq_grad_g_eta,
    outer_diff_g,
    s2,
    sigma_g2,
    theta,
)
from rateproof.theory.papers.strfedavg.schedules import B_BELOW_A, P_FROM_1, R_COND_IP, S_IP, S_IP_1, SC16_IP
from rateproof.theory.schedule import Schedule
from rateproof.theory.shorthand import eq, every, ge, le, misprint
from rateproof.theory.symbols import (
    K,
    L_f,
    L_h,
    N,
    R,
    S,
    T,
    a,
    alpha,
    b,
    eta,
    eta_hat,
    gamma_g,
    gamma_t,
    kappa,
    p,
    sigma_f2,
    sigma_h2,
    t,
)

#: Titles of the claims that share a maker, by id.
TITLES = {
    "thm3.i-1": "Stationarity, weak sharpness above 1",
    "thm3.i-2": "Infeasibility of inner calls, weak sharpness above 1",
    "thm3.ii-1": "Stationarity, weak sharpness 1",
    "thm3.ii-2": "Infeasibility of inner calls, weak sharpness 1",
    "prop7.i": "Error of an inner call, sharpness above 1",
    "prop7.ii": "Error of an inner call, sharpness 1",
}

# --- definitions, as printed -----------------------------------------------------------------------------------------

# The outer loss of problem (4) is g, so the variance printed as that of grad f is read as that of grad g.
_NOISE = 2 * eta_g**2 * sigma_g2 + 2 * sigma_h2
#: Proposition 7: constants of problem (4) at the regularisation parameter of the call.
WHERE_IP = {
    G_h2: WHERE[G_h2],
    # all clients share g, so that the mean of its minima is its minimum; it is attained at y^t
    G_g2: sp.S.Zero,
    inf_g: sp.S.Zero,
    # Lemma 3 with B_g = B_h = 1 and inf h = h*
    G_ncvx2: 2 * G_g2 + 4 * (g_star - inf_g) + 2 * G_h2,
    B_ncvx2: sp.Max(4 * eta_g, 4 * L_h),
    s2: _NOISE,
    A1n: s2 / (K * S) + (1 - S / N) * 4 * G_ncvx2 / S,
    A2n: 9 * (L_h + eta_g) * s2 / (K * gamma_g**2) + 18 * (L_h + eta_g) * G_ncvx2 / gamma_g**2,
    gamma_t: WHERE[gamma_t],
    theta: 1 / (1 - eta_g * gamma_t / 2),
    Theta_R: WHERE[Theta_R],
    eta_g_hat: sp.Integer(11),
}
#: Theorem 3: the error constants at eta_hat = 11.
WHERE_3 = WHERE_IP | {
    s2: _NOISE.subs(eta_g, eta_g_hat),
    A2n: WHERE_IP[A2n].subs(eta_g, eta_g_hat),
    c_e: 2 / lam**2 + 2 * gamma * (L_f * lam + 2) / lam**3,
}
#: Theorem 3 (ii-2) prints G and L_f of problem (1) in these constants.
WHERE_3_OUTER = WHERE_3 | {
    G_f2: WHERE[G_f2],
    G2: WHERE[G2],
    A1n: WHERE_IP[A1n].subs(G_ncvx2, G2),
    A2n: 9 * (L_h + eta_g_hat * L_f) * s2 / (K * gamma_g**2) + 18 * (L_h + eta_g_hat * L_f) * G2 / gamma_g**2,
}

_S2 = "(2η²σ_f² + 2σ_h²)"
_S2_HAT = "(2η̂²σ_f² + 2σ_h²)"
_A1 = f"({_S2}/(K S) + (1 - S/N)(4/S) G_ncvx²)"
_A1_NS = f"({_S2}/(K S) + (N - S) 4 G_ncvx²/(N S))"
_A2 = f"(9 (L_h + η){_S2}/(K γ_g²) + 18 (L_h + η) G_ncvx²/γ_g²)"
_A1_HAT, _A1_HAT_NS = (text.replace(_S2, _S2_HAT) for text in (_A1, _A1_NS))
_A2_HAT = _A2.replace("η)", "η̂)").replace("2η²", "2η̂²")
_D2 = "E||x̄^0 - x^{t*}||²"
_DIST = "E dist(x̄_η^t, X_h*)"
_C = "(2/λ² + 2γ(L_f λ + 2)/λ³)"
_GF = "(||∇f(x^{t*})||/α^{1/κ})"

# --- hypotheses ------------------------------------------------------------------------------------------------------

PROJECTION = H(
    "projection",
    "the outer loss is that of problem (4), g(x) = ||x - y||²/2 for every client",
    says=(
        Convex("g_i"),
        StronglyConvex("g_i", sp.S.One),
        Smooth("g_i", sp.S.One),
        Attained("g_i"),
        BoundedBelow("g"),
    ),
)
INNER = tuple(h for h in A1_COMMON if h.key in ("h_convex", "h_smooth", "X_h_nonempty"))
OUTER_SMOOTH = H("outer_smooth", "f is L_f-smooth (Assumption 3)", says=(Smooth("f", L_f),))
ATTAINED_H = H("inner_attain_minimum", "every h_i attains its minimum (Lemma 1 uses x_i*)", says=(Attained("h_i"),))
#: The noise of the outer stochastic gradient is that of g.
NOISE = tuple(
    replace(h, says=tuple(s.at({sigma_f2: sigma_g2}) if isinstance(s, BoundedVariance) else s for s in h.says))
    for h in A2_NOISE
)
#: Assumption 3, and f nonconvex with F_lambda bounded below, as "nonconvex" and F_lambda* say.
PROBLEM_2 = (
    OUTER_SMOOTH,
    H("f_nonconvex", "f is nonconvex"),
    H("F_bounded_below", "F_λ is bounded below, so that F_λ* is a number", says=(BoundedBelow("F_lambda"),)),
    *INNER,
)
CALL_SIZES = tuple(h for h in SIZES if h.key != "R>=1")
M_VALID_G = H("M_g", "M > 0 and g* - E g(x̄_η^t) < M", sp.Gt(M_g, sp.Max(0, -gap_g, evaluate=False), evaluate=False))
#: Where the outer loop is measured, calls return the normalised average, so M is about it too.
M_VALID_G_N = H(
    "M_g_n",
    "M > 0 and g* - E g(x̄_η^t) < M at the normalised average",
    sp.Gt(M_g, sp.Max(0, -gap_g_n, evaluate=False), evaluate=False),
)
OUTER_STEP = H(
    "gamma<=3lam/(4(L_f lam+2))",
    "γ <= 3λ/(4(L_f λ + 2)) (proof of Theorem 3)",
    le(gamma, 3 * lam / (4 * (L_f * lam + 2))),
)
INNER_CALLS = H(
    "inner_calls",
    "inner call t runs Algorithm 1 on problem (4) at y^t for R_t = t rounds by the schedule",
    says=PROJECTION.says,
)
STEP_CONDITIONS = tuple(
    H(c.name, c.name, expand_definitions(c.relation, {eta: eta_g, eta_hat: eta_g_hat})) for c in (SC16_IP, R_COND_IP)
)
ROUNDS_ABOVE_1 = H("R_t>1", "R_t > 1, so that ln(R_t) > 0", sp.Gt(R, 1, evaluate=False))
RULE_I = (
    H("gamma_t=R_t^-a", "γ̃_t = 1/R_t^a", eq(gamma_t, R**-a)),
    H("eta_t=p ln R_t/R_t^b", "η_t = p ln(R_t)/R_t^b", eq(eta_g, p * sp.log(R) / R**b)),
    H("0<b<a<=1", "0 < b < a <= 1", every(*B_BELOW_A)),
    H("p>=1", "p >= 1", P_FROM_1),
    ROUNDS_ABOVE_1,
)
ETA_SHARP_F = H(
    ETA_SHARP.key.replace("f(x*)", "F_lambda(x^{t*})"),
    "η <= α/(2 ||∇F_λ(x^{t*})||)",
    le(2 * grad_F_star * eta_g, alpha),
)
RULE_II = (
    H("gamma_t=p ln R_t/R_t", "γ̃_t = p ln(R_t)/R_t", eq(gamma_t, p * sp.log(R) / R)),
    H("p>=1", "p >= 1", P_FROM_1),
    ROUNDS_ABOVE_1,
    ETA_SHARP_F,
)
CALL = (PROJECTION, *INNER, *NOISE, ATTAINED_H, *CALL_SIZES)
CASE_I = (*PROBLEM_2, *NOISE, ATTAINED_H, *CALL_SIZES, *KAPPA_GT_1, INNER_CALLS)
CASE_II = (*PROBLEM_2, *NOISE, ATTAINED_H, *CALL_SIZES, *KAPPA_EQ_1, ETA_SHARP_F, INNER_CALLS)

# --- switches --------------------------------------------------------------------------------------------------------

GRADIENT_OF_G = Switch(
    "outer_loss_of_problem_4",
    printed="||grad f(x^{t*})||",
    other="||grad g(x^{t*})|| = dist(y^t, X_h*)",
    why="Proposition 3 is applied to problem (4), whose outer loss is g",
    substitute={grad_f_proj: grad_g_star},
    origin="Proposition 3, whose outer loss is that of problem (4) when it is applied to it",
)
START_AT_REGULARISED = Switch(
    "start",
    printed="x^{t*}",
    other="x_η*",
    why="Propositions 1 to 3 measure the start from x_η*",
    substitute={D2_proj: D2},
    origin="Propositions 1 to 3, which are applied, measure the start from x_η*",
)
CALL_STEP = Switch(
    "step_condition",
    printed="none",
    other="that of Proposition 7",
    why="Theorem 3 prints no condition on the steps of the inner calls",
    adding=STEP_CONDITIONS,
    origin="Proposition 7, which is about the same calls",
)
ROUND_OFFSET = Switch(
    "round_offset",
    printed="R_t = t for t = 0..T-1",
    other="R_t = t for t = 2..T+1",
    why="Algorithm 2 calls zero rounds at t = 0, where η_t is not defined; most sums of the proof run from 2 to T+1",
)
GRADIENT_FACTOR = Switch(
    "gradient_factor",
    printed="y^{t+1} = y^t - γ(∇f(y^t) + (1/λ)(y^t - x^t))",
    other="y^{t+1} = y^t - γ(∇f(y^t) + (2/λ)(y^t - x^t))",
    why="the gradient of dist²/λ is 2(y - Π[y])/λ; Algorithm 2 steps along the gradient of f + dist²/(2λ)",
)
PENALTY = Switch(
    "penalty",
    printed="F_λ = f + dist²/λ",
    other="F_λ = f + dist²/(2λ)",
    why="the second is the Moreau envelope, has the printed gradient, and is what Algorithm 2 descends on",
    substitute={E_grad2: E_grad2_env, F_gap0: F_gap0_env, R_stat: R_stat_env},
)
OUTER_CONSTANTS = Switch(
    "constants_of_problem_4",
    printed="G and L_h + η̂ L_f",
    other="G_ncvx and L_h + η̂",
    why="the inner call solves problem (4); (i-2) prints its constants",
    substitute={G2: G_ncvx2, L_f: sp.S.One},
)
#: For the rounds of a call, which Table 1 counts.
AVG_ROUNDS = replace(AVG, substitute={R_dist: R_dist_n})
_START_NOTE = "The start is printed relative to x^{t*}; Propositions 1 to 3 have x_η* there."
_LARGEST = "E||x̄^0 - x^{t*}||², ||∇f(x^{t*})|| and G_ncvx depend on t; they are read as their largest values."
_NO_A2 = (
    "Assumption 2 is not named here; its constants are, and σ_f² is read as the variance of the gradients of g, the "
    "outer loss of problem (4)."
)

_ETA_SQUARED = replace(
    ETA_SQUARED,
    printed="G_ncvx^2 with 4 (g* - inf g)",
    other="G_ncvx^2 with eta^2 times that",
    substitute={G_ncvx2: 2 * eta_g**2 * G_g2 + 4 * eta_g**2 * (g_star - inf_g) + 2 * G_h2},
)
_ABOVE_OPTIMUM = replace(ABOVE_OPTIMUM, other="g(x) >= g*", adding=(H("g>=g*", "g(x) >= g*", ge(outer_diff_g, 0)),))
LEM3 = claim(
    "lem3",
    "Lemma 3",
    Kind.INEQUALITY,
    "For problem (4), (1/N) sum_i ||∇h_i(x) + η∇g(x)||² <= G_ncvx² + B_ncvx² (g_η(x) - g_η*), where "
    "G_ncvx² = 2 G_g² + 4 B_g² (g* - inf g) + 2 G_h² + 4 L_h B_h² (h* - inf h) and "
    "B_ncvx² = max{4 η B_g², 4 L_h B_h²}, under the assumption that g and h are bounded below",
    le(mean_sq_grad_g_eta, G_ncvx2 + B_ncvx2 * gap_point_g),
    title="Client dissimilarity in the projection problem",
    hypotheses=(PROJECTION, *INNER, ATTAINED_H),
    where=WHERE_IP,
    follows_from=("lem1", "step.9"),
    switches=(_ETA_SQUARED, G_SCALE, _ABOVE_OPTIMUM),
    note="B_g = B_h = 1 and G_g = 0 by Lemma 1, as all clients share g; inf g = 0 and h* = inf h.",
)

# --- Proposition 7 ---------------------------------------------------------------------------------------------------

_GIVEN_7 = (
    "With θ = 1/(1 - 0.5 η γ̃_t), γ_g >= 1, γ_l <= 1/(16 (L_h + η)² (1 + B_ncvx²) K γ_g), "
    "R_t >= 16 (L_h + η̂)² (1 + B_ncvx²), η̂ = 11"
)
_STEP_NOTE = "The step condition is printed with γ_g on both sides; γ_l is read on the left."


#: Read kindly, inner calls of case i are about the average, the start and the exponents that the proofs have.
KIND_CALL = (AVG_KIND, START_AT_REGULARISED, G_SCALE, A_PLUS_B_1)


def _prop7(
    item: str, text: str, statement: sp.Basic, hypotheses: tuple[Hypothesis, ...], follows_from: tuple[str, ...]
) -> Claim:
    return claim(
        f"prop7.{item}",
        f"Proposition 7 ({item})",
        Kind.BOUND,
        text,
        statement,
        title=TITLES[f"prop7.{item}"],
        hypotheses=(*CALL, *STEP_CONDITIONS, *hypotheses),
        where=WHERE_IP,
        follows_from=follows_from,
        reading=Reading.REPAIRED,
        switches=(*((*KIND_CALL, GRADIENT_OF_G) if item == "i" else (AVG,)), INDEX),
        note="R_t^{p/2-1} is read as R_t^{p/2} - 1, as in the proof of Theorem 1, and the bracket under the root as "
        f"closed behind M. {_STEP_NOTE} {_START_NOTE} {_NO_A2}",
    )


_DECAY = R ** (p / 2) - 1
_LOG = p * sp.log(R)
PROP7_I = _prop7(
    "i",
    f"{_GIVEN_7}, X_h* α-weak sharp of order κ > 1, γ̃_t = 1/R_t^a, η_t = p ln(R_t)/R_t^b, 0 < b < a <= 1, p >= 1: "
    f"E||x̄_η^t - x^{{t*}}||² <= {_D2}/(R_t^{{p/2}} - 1) + (2/(p ln(R_t) R_t^{{a-b}}))({_A1_NS} + {_A2}/R_t^a) + "
    f"{_GF} (p ln(R_t) {_D2}/(R_t^b (R_t^{{p/2}} - 1)) + (2/R_t^a) {_A1} + (2/R_t^{{2a}}) {_A2} "
    "+ (2 p ln(R_t)/R_t^b) M)^{1/κ}",
    le(
        E_err2,
        D2_proj / _DECAY
        + 2 / (_LOG * R ** (a - b)) * (A1n + A2n / R**a)
        + grad_f_proj
        / alpha ** (1 / kappa)
        * (_LOG * D2_proj / (R**b * _DECAY) + 2 / R**a * A1n + 2 / R ** (2 * a) * A2n + 2 * _LOG / R**b * M_g)
        ** (1 / kappa),
    ),
    (*KAPPA_GT_1, *RULE_I, M_VALID_G),
    ("lem3", "prop3.ii-3", "step.15.i-display", "step.15.i-schedule", "step.15.start"),
)
PROP7_II = _prop7(
    "ii",
    f"{_GIVEN_7}, X_h* α-weak sharp of order κ = 1, γ̃_t = p ln(R_t)/R_t, p >= 1, η_t = η <= α/(2 ||∇F_λ(x^{{t*}})||): "
    f"E||x̄_η^t - x^{{t*}}||² <= {_D2}/(η (R_t^{{p/2}} - 1)) + (2 p ln(R_t)/(η R_t))({_A1_NS} "
    f"+ (p ln(R_t)/R_t) {_A2})",
    le(
        E_err2,
        D2_proj / (eta_g * _DECAY) + 2 * _LOG / (eta_g * R) * (A1n + _LOG / R * A2n),
    ),
    (*KAPPA_EQ_1, *RULE_II),
    ("lem3", "prop3.iii-3", "step.15.ii-display", "step.15.ii-schedule", "step.15.start"),
)
PROP7 = (PROP7_I, PROP7_II)

# --- Theorem 3 -------------------------------------------------------------------------------------------------------

_GIVEN_3 = (
    "Assumption 3, f nonconvex, T* uniform on 0..T-1; X_h* α-weak sharp of order κ > 1, γ̃_t = 1/t^{7/12}, "
    "η_t = 2 ln(t)/t^{5/12}, η̂ = max_t η_t = 11"
)
_GIVEN_3_II = (
    "Assumption 3, f nonconvex, T* uniform on 0..T-1; X_h* α-weak sharp of order κ = 1, γ̃_t = 2 ln(t)/t, "
    "η_t = η <= α/(2 ||∇F_λ(x^{t*})||), η̂ = 11"
)


def _theorem3(
    item: str,
    text: str,
    statement: sp.Basic,
    hypotheses: tuple[Hypothesis, ...],
    schedule: Schedule,
    follows_from: tuple[str, ...],
    switches: tuple[Switch, ...],
    note: str,
    where: dict[sp.Symbol, sp.Expr] = WHERE_3,
    **rest: Any,
) -> Claim:
    return claim(
        f"thm3.{item}",
        f"Theorem 3 ({item})",
        Kind.BOUND,
        text,
        statement,
        title=TITLES[f"thm3.{item}"],
        hypotheses=hypotheses,
        where=where,
        schedule=schedule,
        follows_from=follows_from,
        switches=(*switches, ROUND_OFFSET),
        note=f"{note} {_NO_A2}",
        **rest,
    )


_ROOT = 1 / kappa
_SLOPE = grad_f_proj / alpha**_ROOT
_START = 2 / gamma * F_gap0 / T
_START_TEXT = "2 γ^{-1}(F_λ(y^0) - F_λ*)/T"
_OUTER_NOTE = (
    f"{_LARGEST} The bound on γ stands in the proof. F_λ = f + dist²/λ is printed, its gradient as that of "
    "f + dist²/(2λ). Inner calls are indexed t = 2..T+1, as in most sums of the proof, and return normalised averages."
)
_I2_BRACKET = (
    sp.log(t) * D2_proj / (t ** sp.Rational(5, 12) * (t - 1))
    + A1n / t ** sp.Rational(7, 12)
    + A2n / t ** sp.Rational(7, 6)
    + 4 * M_g * sp.log(t) / t ** sp.Rational(5, 12)
)
THM3 = (
    _theorem3(
        "i-1",
        f"{_GIVEN_3}: E||∇F_λ(y^{{T*}})||² <= {_START_TEXT} + {_C} {_D2} (1 + ln T)/T "
        f"+ {_C} {_A1_HAT} 6/(5 T^{{1/6}} ln T) + {_C} {_A2_HAT} 3/(2 T^{{3/4}} ln T) "
        "+ ((4M)^{1/κ} (24κ-5)/(12κ-5)) (ln T)^{1/κ}/T^{5/(12κ)} "
        f"+ {_C} {_GF} ({_D2})^{{1/κ}} 2 (4)^{{1/κ}} (ln T + 1)^{{1/κ}}/T^{{17/(12κ)}} "
        f"+ {_C} {_GF} (2 {_A1_HAT})^{{1/κ}} (2^{{1/κ}}/(1 - 7/(12κ)))/T^{{7/(12κ)}} "
        f"+ {_C} {_GF} (2 {_A2_HAT})^{{1/κ}}/T^{{1/κ}}",
        le(
            E_grad2,
            _START
            + c_e * D2_proj * (1 + sp.log(T)) / T
            + c_e * A1n * 6 / (5 * T ** sp.Rational(1, 6) * sp.log(T))
            + c_e * A2n * 3 / (2 * T ** sp.Rational(3, 4) * sp.log(T))
            + (4 * M_g) ** _ROOT * (24 * kappa - 5) / (12 * kappa - 5) * sp.log(T) ** _ROOT / T ** (5 / (12 * kappa))
            + c_e * _SLOPE * D2_proj**_ROOT * 2 * 4**_ROOT * (sp.log(T) + 1) ** _ROOT / T ** (17 / (12 * kappa))
            + c_e * _SLOPE * (2 * A1n) ** _ROOT * 2**_ROOT / (1 - 7 / (12 * kappa)) / T ** (7 / (12 * kappa))
            + c_e * _SLOPE * (2 * A2n) ** _ROOT / T**_ROOT,
        ),
        (*CASE_I, OUTER_STEP, M_VALID_G_N),
        S_IP,
        (
            "rem3",
            "prop7.i",
            "step.10.update",
            "step.10.average",
            *(f"step.11.{s}" for s in ("s1", "s2", "s3", "s4", "s5", "s6", "s7")),
            "step.12.subadditivity",
            "step.13.ip",
            "id.etahat.eleven",
        ),
        (INDEX, GRADIENT_OF_G, GRADIENT_FACTOR, PENALTY),
        _OUTER_NOTE,
    ),
    _theorem3(
        "i-2",
        f"{_GIVEN_3}: {_DIST} <= (1/α)((ln(t)/(t^{{5/12}} (t-1))) {_D2} + (1/t^{{7/12}}) {_A1_HAT} "
        f"+ (1/t^{{7/6}}) {_A2_HAT} + (ln(t)/t^{{5/12}}) 4M)^{{1/κ}}",
        le(E_dist_n, _I2_BRACKET**_ROOT / alpha),
        (*CASE_I, M_VALID_G_N),
        S_IP,
        ("id.ws-dist.eq13", "lem3", "prop3.ii-1", "step.1.coefficient", "step.2", "id.etahat.six_over_e"),
        (
            INDEX,
            misprint(
                "1/α inside the root",
                "weak sharpness bounds α dist^κ",
                le(E_dist_n, (_I2_BRACKET / alpha) ** _ROOT),
                "the same step in the proof of Proposition 2 (ii-2) has 1/α inside the root",
            ),
            START_AT_REGULARISED,
            G_SCALE,
            CALL_STEP,
        ),
        "The opening bracket after 1/α is restored, as in the proof, which has η̂ = 6/e. The counterexample has M near "
        "its least value. M is read as any admissible number; for M >= g* "
        "it falls too, where the step is unstable (L_h = 10, t = 3), as the theorem prints no step condition. Calls "
        "return normalised averages, as in (i-1).",
        reading=Reading.REPAIRED,
    ),
    _theorem3(
        "ii-1",
        f"{_GIVEN_3_II}: E||∇F_λ(y^{{T*}})||² <= {_START_TEXT} + (2/(ηλ²) + 2γ(L_f λ + 2)/(ηλ³)) {_D2} 2 ln(T)/T "
        f"+ (8/(ηλ²) + 8γ(L_f λ + 2)/(ηλ³)) {_A1_HAT_NS} (ln(T + 2))²/T "
        f"+ (16/(ηλ²) + 16γ(L_f λ + 2)/(ηλ³)) {_A2_HAT} 2/T",
        le(
            E_grad2,
            _START
            + c_e / eta_g * D2_proj * 2 * sp.log(T) / T
            + 4 * c_e / eta_g * A1n * sp.log(T + 2) ** 2 / T
            + 8 * c_e / eta_g * A2n * 2 / T,
        ),
        (*CASE_II, OUTER_STEP),
        S_IP_1,
        ("rem3", "prop7.ii", "step.10.update", "step.10.average", "step.11.s1'", "step.11.s8", "step.11.s9"),
        (INDEX, GRADIENT_FACTOR, PENALTY),
        _OUTER_NOTE,
    ),
    _theorem3(
        "ii-2",
        f"{_GIVEN_3_II}: {_DIST} <= (η/(α t)) {_D2} + (4 ln(t)/t)({_S2_HAT}/(K S) + 4 G² (N - S)/(N S)) "
        f"+ (8 (ln(t))²/t²)(9 (L_h + η̂ L_f){_S2_HAT}/(K γ_g²) + 18 (L_h + η̂ L_f) G²/γ_g²)",
        le(
            E_dist_n,
            eta_g / (alpha * t) * D2_proj + 4 * sp.log(t) / t * A1n + 8 * sp.log(t) ** 2 / t**2 * A2n,
        ),
        CASE_II,
        S_IP_1,
        ("prop3.iii-1", "lem3", "step.1.coefficient", "step.2", "id.etahat.eleven"),
        (INDEX, OUTER_CONSTANTS),
        "G and L_h + η̂ L_f are printed, where (i-2) has G_ncvx and L_h + η̂; on inner calls G and L_f are read as those "
        "of g. 1/α stands before the first term only. Calls return normalised averages, as in (ii-1).",
        where=WHERE_3_OUTER,
    ),
)
