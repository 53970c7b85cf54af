"""CORRECTED readings about the two-loop method: the weakest changes that hold."""

from dataclasses import replace

import sympy as sp

from rateproof.theory.claim import Claim, Hypothesis, Reason
from rateproof.theory.papers.strfedavg.all_calls import ROUNDS, ROUNDS_II, ROW_1, ROW_K
from rateproof.theory.papers.strfedavg.calls import (
    B2_HAT,
    CALL_LEVELS,
    CLOSER_CALL,
    CLOSER_CALL_PROOF,
    PROPOSITION7_II,
    THEOREM3_I2,
    THEOREM3_II2,
    proposition_7,
)
from rateproof.theory.papers.strfedavg.corrected import CORRECTED
from rateproof.theory.papers.strfedavg.mended import (
    AB_BELOW_1,
    G_MENDED,
    SHARPNESS,
    STEP_WHY,
    WEIGHTS,
    Amendment,
    corrected,
    delta_h,
)
from rateproof.theory.papers.strfedavg.nonconvex import (
    AVG_ROUNDS,
    ETA_SHARP_F,
    GRADIENT_OF_G,
    INNER_CALLS,
    LEM3,
    OUTER_CONSTANTS,
    OUTER_STEP,
    PENALTY,
    PROP7_I,
    PROP7_II,
    START_AT_REGULARISED,
    STEP_CONDITIONS,
    THM3,
    WHERE_IP,
)
from rateproof.theory.papers.strfedavg.nonconvex_steps import (
    DISPLAY_I,
    PRINTED_STEP,
    STEP10,
    STEP11,
    STEP12,
    STEP15,
    for_problem_4,
)
from rateproof.theory.papers.strfedavg.notation import (
    D2,
    A1n,
    A2n,
    B_ncvx2,
    D2_proj,
    E_dist,
    E_err2,
    E_grad2,
    F_gap0,
    F_next,
    F_prev,
    G_h2,
    G_ncvx2,
    H,
    M_g,
    R_dist,
    R_dist_d,
    R_first,
    R_stat,
    R_stat_d,
    c_e,
    call,
    direction_gap,
    eta_g,
    eta_g_hat,
    g_star,
    gamma,
    grad_f_proj,
    grad_g_star,
    lam,
    shift2,
    sq_err,
    sq_grad_F,
    w1,
)
from rateproof.theory.papers.strfedavg.outer_loop import TWO_LOOPS, TWO_LOOPS_II, theorem3_i1, theorem3_ii1
from rateproof.theory.papers.strfedavg.point import LEMMA3, POINT_4
from rateproof.theory.papers.strfedavg.schedules import LOCAL, S_IP, S_IP_1
from rateproof.theory.papers.strfedavg.tables import LOG, TAB1_IP
from rateproof.theory.papers.strfedavg.theorems import AB_RANGE
from rateproof.theory.schedule import Schedule
from rateproof.theory.shorthand import eq, every, ge, item_of, le
from rateproof.theory.symbols import (
    C_O,
    K,
    L_f,
    L_h,
    R,
    T,
    a,
    alpha,
    b,
    epsilon,
    eta,
    gamma_g,
    gamma_l,
    gamma_t,
    kappa,
    p,
    t,
)

# --- what the corrected readings share -------------------------------------------------------------------------------

_ROOT = 1 / kappa
_DISSIMILAR_TEXT = "G_ncvx² = 2 G_h² + B_ncvx² η g*, G_h² = 2 L_h (h* - (1/N) sum_i inf h_i)"
_DISSIMILAR_WHY = Reason("Lemma 1 prints 2 L/N for 2 L, and Lemma 3 loses η² and the case g(x) < g*", "strfedavg.lem3")
DISSIMILAR = Amendment(
    _DISSIMILAR_TEXT,
    _DISSIMILAR_WHY,
    where={G_h2: G_MENDED[G_h2], G_ncvx2: 2 * G_h2 + B_ncvx2 * eta_g * g_star},
)
DISSIMILAR_HAT = Amendment(
    f"{_DISSIMILAR_TEXT} with η̂ for η",
    _DISSIMILAR_WHY,
    where={G_h2: G_MENDED[G_h2], G_ncvx2: 2 * G_h2 + B2_HAT * eta_g_hat * g_star},
)
SC16_CALL = H(
    "SC16h_call",
    "16 K gamma_g gamma_l (L_h + eta + B_ncvx^2) <= 1",
    le(16 * K * gamma_g * gamma_l * (L_h + eta_g + B_ncvx2), 1),
)
STEP = Amendment(
    "16 K γ_g γ_l (L_h + η + B_ncvx²) <= 1 as the only condition on stepsizes and rounds",
    STEP_WHY,
    hypotheses={h.key: (SC16_CALL,) if h is STEP_CONDITIONS[0] else () for h in STEP_CONDITIONS},
)
START = Amendment(
    "E||x̄^0 - x_η*||² in place of E||x̄^0 - x^{t*}||²",
    Reason("Propositions 1 to 3 measure the start from x_η*", "strfedavg.step.15.start"),
    switch=START_AT_REGULARISED,
)
OUTER_WHY = Reason("the outer loss of problem (4) is g", "problem (4)")
GRADIENT = Amendment(
    "||∇g(x^{t*})|| in place of ||∇f(x^{t*})||",
    OUTER_WHY,
    switch=GRADIENT_OF_G,
)
SHARP_G = Amendment(
    "η <= α/(2 ||∇g(x^{t*})||)",
    OUTER_WHY,
    hypotheses={
        ETA_SHARP_F.key: (
            H("eta<=alpha/(2||grad g(x^{t*})||)", "η <= α/(2 ||∇g(x^{t*})||)", le(2 * grad_g_star * eta_g, alpha)),
        )
    },
)
A_PLUS_B_WHY = Reason(
    "θ^R >= R^{p/2} takes a + b <= 1, and for a + b > 1, as in the printed range, the method does not converge",
    "strfedavg.prop7.i",
)
A_PLUS_B = Amendment(
    "a + b <= 1",
    A_PLUS_B_WHY,
    hypotheses={AB_RANGE.key: AB_BELOW_1},
)
ENOUGH_WEIGHT = H("eta_t p>=2", "η_t p >= 2", ge(eta_g * p, 2))
CONTRACTS = H(
    "0<eta gamma_t/2<1",
    "0 < η γ̃_t/2 < 1, so that θ > 1",
    every(sp.Gt(eta_g * gamma_t / 2, 0, evaluate=False), sp.Lt(eta_g * gamma_t / 2, 1, evaluate=False)),
)
TWO_CALLS = H("T>=2", "T >= 2, so that ln T > 0", ge(T, 2))
KAPPA_LARGE = H("kappa>17/12", "κ > 17/12", sp.Gt(kappa, sp.Rational(17, 12), evaluate=False))
SHARPER = Amendment(
    "κ > 17/12",
    Reason("for κ <= 17/12 the sum of the roots outgrows ln(T)^{1/κ} T^{1-17/(12κ)}", "strfedavg.step.11.s4"),
)
FIRST_CALL = H(
    "SC16h_first",
    "16 (L_h + eta_hat + max{4 eta_hat, 4 L_h}) <= R_first^{7/12}",
    le(16 * (L_h + eta_g_hat + B2_HAT), R_first ** sp.Rational(7, 12)),
)
FIRST_CALL_II = H(
    "SC16h_first_ii",
    "16 p ln(R_first) (L_h + eta + B_ncvx^2) <= R_first and R_first >= 3",
    every(le(16 * p * sp.log(R_first) / R_first * (L_h + eta_g + B_ncvx2), 1), ge(R_first, 3)),
)
_DECAY_WHY = Reason("θ^R is R^{ηp/2} for a constant η, not R^{p/2}", "strfedavg.prop7.ii")


_CALL_T = "inner call t runs Algorithm 1 on problem (4) at y^t for"
_RULES_II = "rounds with γ̃_t = p ln(R_t)/R_t and η_t = η"
CALLS_MADE = H("inner_calls_made", f"{_CALL_T} R_t = t {_RULES_II}", says=INNER_CALLS.says)
CALLS_LATER = H(
    "inner_calls_later",
    f"{_CALL_T} R_t = R_first + t rounds with γ̃_t = 1/R_t^{{7/12}} and η_t = 2 ln(R_t)/R_t^{{5/12}}",
    says=INNER_CALLS.says,
)
CALLS_LATER_II = H("inner_calls_later_ii", f"{_CALL_T} R_t = R_first + t {_RULES_II}", says=INNER_CALLS.says)
MADE_CALLS = Amendment(
    "γ̃_t = p ln(t)/t and η p >= 2",
    _DECAY_WHY,
    hypotheses={INNER_CALLS.key: (CALLS_MADE, ENOUGH_WEIGHT)},
)
_LATER = "inner calls of R_t = R_first + t rounds for t = 0..T-1"
_LATER_WHY = "the first printed calls are too short for any stepsize condition, and R_t = 0 at t = 0"
LATER_CALLS = Amendment(
    f"{_LATER}, 16 (L_h + η̂ + max{{4η̂, 4L_h}}) <= R_first^{{7/12}}, T >= 2",
    _LATER_WHY,
    hypotheses={
        INNER_CALLS.key: (
            CALLS_LATER,
            FIRST_CALL,
            TWO_CALLS,
        )
    },
)
LATER_CALLS_II = Amendment(
    f"{_LATER}, γ̃_t = p ln(R_t)/R_t, η p >= 2, 16 p ln(R_first) (L_h + η + B_ncvx²) <= R_first, R_first >= 3",
    (_LATER_WHY, _DECAY_WHY),
    hypotheses={INNER_CALLS.key: (CALLS_LATER_II, ENOUGH_WEIGHT, FIRST_CALL_II)},
)
ENVELOPE = Amendment(
    "F_λ = f + dist²/(2λ)",
    Reason(
        "f + dist²/(2λ) is the Moreau envelope, has the printed gradient, and is what Algorithm 2 descends on; "
        "stationary points of f + dist²/λ it does not approach",
        "strfedavg.id.Flam.envelope",
    ),
    switch=PENALTY,
)
_ENVELOPE_NOTE = (
    "Inner calls return normalised averages, and what depends on t is read as its largest value, as in the printed "
    "claim; of ||∇g(x^{t*})||, whatever the outcome. "
    "Changing F_λ leaves Algorithm 2 and c as printed. To keep the printed F_λ, the step would have to be along "
    "∇f(y^t) + (2/λ)(y^t - x^t), with 4c in place of c."
)
ROUNDS_OF_CALLS = replace(WEIGHTS, switch=AVG_ROUNDS)


def _later(schedule: Schedule) -> Schedule:
    """The schedule with R_first + t for t, from t = 0 on; its conditions are hypotheses of the claims."""
    rules = {{eta: eta_g}.get(s, s): rule.subs(t, R_first + call) for s, rule in schedule.rules.items()}
    return replace(
        schedule,
        id=f"{schedule.id}-later",
        title=f"{schedule.title}, longer calls",
        rules=rules,
        conditions=(),
        where={},
    )


S_IP_LATER = _later(S_IP)
S_IP_1_P = replace(
    S_IP_1,
    id="S-ip-1-p",
    title=f"{S_IP_1.title}, any factor p",
    rules={R: t, gamma_t: p * sp.log(t) / t, gamma_l: LOCAL},
    conditions=(),
    where={},
)
S_IP_1_LATER = _later(S_IP_1_P)

# --- Lemma 3, Proposition 7 ------------------------------------------------------------------------------------------

_LOG = p * sp.log(R)
_DECAY = R ** (p / 2) - 1
_BRACKET = _LOG * D2_proj / (2 * R**b * _DECAY) + A1n / R**a + A2n / R ** (2 * a) + 2 * _LOG / R**b * M_g
_PROP7_I = le(
    E_err2,
    D2_proj / _DECAY + 2 / (_LOG * R ** (a - b)) * (A1n + A2n / R**a) + 2 * grad_f_proj * (_BRACKET / alpha) ** _ROOT,
)
_DECAY_II = R ** (eta_g * p / 2) - 1
_PROP7_II = le(E_err2, D2_proj / _DECAY_II + 2 * _LOG / (eta_g * R) * (A1n + _LOG / R * A2n))
_PROP7_II_UP_TO = le(E_err2, _PROP7_II.rhs + delta_h / eta_g)
_ROOT_WHY = Reason("Proposition 2 has 2||∇g|| before the root and no 2 under it", "strfedavg.prop7.i")
_CALL_I = corrected(
    PROP7_I,
    DISSIMILAR,
    STEP,
    WEIGHTS,
    START,
    GRADIENT,
    A_PLUS_B,
    change="2||∇g||(((p ln(R_t)/(2 R_t^b (R_t^{p/2} - 1))) D² + A_1/R_t^a + A_2/R_t^{2a} + 2 η_t M)/α)^{1/κ} "
    "as the last term",
    why=(A_PLUS_B_WHY, _ROOT_WHY),
    statement=_PROP7_I,
    setting=CALL_LEVELS,
    note="Instances contradict a + b > 1, ||∇f||, the weights and Lemma 1's 1/N. The other changes (the 2 at the "
    "root, the start from x_η*, the step condition, the rest of G_ncvx²) are what the proof needs; they are not "
    "known to be necessary.",
)
#: With less under the root, for all the exponents and factors p that its proof takes.
_CLOSER_CALL = replace(
    _CALL_I,
    id="strfedavg.closer_call",
    statement=CLOSER_CALL,
    hypotheses=tuple(h for h in _CALL_I.hypotheses if h.key not in ("0<b<a", "p>=1")),
    proof=CLOSER_CALL_PROOF,
)
CALLS = (
    corrected(LEM3, DISSIMILAR, setting=POINT_4, proof=LEMMA3),
    replace(_CALL_I, proof=proposition_7(_CLOSER_CALL, _BRACKET.subs(D2_proj, D2) / alpha)),
    corrected(
        PROP7_II,
        DISSIMILAR,
        STEP,
        WEIGHTS,
        START,
        SHARPNESS,
        SHARP_G,
        change="D²/(R_t^{ηp/2} - 1) as the first term, and δ_h/η added",
        why=_DECAY_WHY,
        statement=_PROP7_II_UP_TO,
        setting=CALL_LEVELS,
        proof=PROPOSITION7_II,
    ),
)

# --- Theorem 3 -------------------------------------------------------------------------------------------------------

#: Proposition 7 (ii) for any factor p > 0, which is all that its proof takes.
_ANY_P = replace(
    CALLS[-1], id="strfedavg.inner_call", hypotheses=tuple(h for h in CALLS[-1].hypotheses if h.key != "p>=1")
)
_SLOPE = 2 * grad_f_proj / alpha**_ROOT
_ROOTS = (
    D2_proj**_ROOT * 2 * 2**_ROOT * (sp.log(T) + 1) ** _ROOT * 12 * kappa / (12 * kappa - 17) / T ** (17 / (12 * kappa))
    + A1n**_ROOT / (1 - 7 / (12 * kappa)) / T ** (7 / (12 * kappa))
    + A2n**_ROOT * kappa / (kappa - 1) / T**_ROOT
    + (4 * M_g) ** _ROOT * 12 * kappa / (12 * kappa - 5) * sp.log(T + R_first) ** _ROOT / T ** (5 / (12 * kappa))
)
_EVERY_CALL_WHY = (
    "the sums over the calls and the roots are bounded anew, and the term in M lost the factors that Proposition 7 "
    "has before its root"
)
_AT_ETA = {eta_g_hat: eta_g}
THEOREM = (
    replace(
        corrected(
            item_of(THM3, "i-1"),
            SHARPER,
            DISSIMILAR_HAT,
            START,
            GRADIENT,
            ENVELOPE,
            LATER_CALLS,
            change=(
                "c (D² (1 + ln T)/T + 2 A_1/(T^{1/6} ln T) + 8 A_2/(T^{3/4} ln T) + 2 ||∇g|| α^{-1/κ} Z) after the "
                "first term",
                "Z = 2 (2 D² (ln T + 1))^{1/κ} (12κ/(12κ-17))/T^{17/(12κ)} + A_1^{1/κ}/((1 - 7/(12κ)) T^{7/(12κ)}) "
                "+ (κ/(κ-1)) A_2^{1/κ}/T^{1/κ} + (12κ/(12κ-5)) (4 M ln(T + R_first))^{1/κ}/T^{5/(12κ)}",
            ),
            why=_EVERY_CALL_WHY,
            statement=le(
                E_grad2,
                2 / gamma * F_gap0 / T
                + c_e
                * (
                    D2_proj * (1 + sp.log(T)) / T
                    + A1n * 2 / (T ** sp.Rational(1, 6) * sp.log(T))
                    + A2n * 8 / (T ** sp.Rational(3, 4) * sp.log(T))
                    + _SLOPE * _ROOTS
                ),
            ),
            hypotheses=(KAPPA_LARGE,),
            note=_ENVELOPE_NOTE,
            setting=TWO_LOOPS,
            proof=theorem3_i1(_CLOSER_CALL),
        ),
        schedule=S_IP_LATER,
    ),
    corrected(
        item_of(THM3, "i-2"),
        DISSIMILAR_HAT,
        START,
        WEIGHTS,
        change="16 K γ_g γ_l (L_h + η + B_ncvx²) <= 1, and 1/α inside the root; t >= 2",
        why=(
            "weak sharpness bounds α dist^κ, so that 1/α belongs inside the root",
            "the theorem prints no step condition",
        ),
        statement=le(
            E_dist,
            (
                (
                    sp.log(t) * D2_proj / (t ** sp.Rational(5, 12) * (t - 1))
                    + A1n / t ** sp.Rational(7, 12)
                    + A2n / t ** sp.Rational(7, 6)
                    + 4 * M_g * sp.log(t) / t ** sp.Rational(5, 12)
                )
                / alpha
            )
            ** _ROOT,
        ),
        hypotheses=(
            SC16_CALL,
            H("t>=2", "t >= 2", ge(t, 2)),
            H("eta_t=2 ln t/t^{5/12}", "η_t = 2 ln(t)/t^{5/12}", eq(eta_g, S_IP.rules[eta])),
        ),
        setting=CALL_LEVELS,
        proof=THEOREM3_I2,
    ),
    replace(
        corrected(
            item_of(THM3, "ii-1"),
            DISSIMILAR,
            START,
            ENVELOPE,
            LATER_CALLS_II,
            SHARPNESS,
            SHARP_G,
            change="c (D² (1 + ln T)/T + (2p/η) A_1 (ln(T+2))²/T + (2p²/η) A_2 2/T + δ_h/η) after the first term, "
            "A_1 and A_2 at η",
            why="the sum of 1/(t-1) is at most 1 + ln T, not 2 ln T",
            statement=le(
                E_grad2,
                2 / gamma * F_gap0 / T
                + c_e
                * (
                    D2_proj * (1 + sp.log(T)) / T
                    + 2 * p / eta_g * A1n * sp.log(T + 2) ** 2 / T
                    + 2 * p**2 / eta_g * A2n * 2 / T
                    + delta_h / eta_g
                ),
            ),
            where=_AT_ETA,
            note=_ENVELOPE_NOTE,
            setting=TWO_LOOPS_II,
            proof=theorem3_ii1(_ANY_P),
        ),
        schedule=S_IP_1_LATER,
    ),
    replace(
        corrected(
            item_of(THM3, "ii-2").read(OUTER_CONSTANTS),
            DISSIMILAR,
            START,
            WEIGHTS,
            MADE_CALLS,
            SHARPNESS,
            SHARP_G,
            change="(1/α)(η D²/(t-1) + (2p ln(t)/t) A_1 + (2p² ln²(t)/t²) A_2 + 2 δ_h), A_1 and A_2 at η with G_ncvx, "
            "and 16 K γ_g γ_l (L_h + η + B_ncvx²) <= 1; t >= 2",
            why="weak sharpness divides the whole bound by α",
            statement=le(
                E_dist,
                (
                    eta_g * D2_proj / (t - 1)
                    + 2 * p * sp.log(t) / t * A1n
                    + 2 * p**2 * sp.log(t) ** 2 / t**2 * A2n
                    + 2 * delta_h
                )
                / alpha,
            ),
            hypotheses=(SC16_CALL, H("t>=2", "t >= 2", ge(t, 2))),
            where={**_AT_ETA, A1n: WHERE_IP[A1n], A2n: WHERE_IP[A2n]},
            setting=CALL_LEVELS,
            proof=THEOREM3_II2,
        ),
        schedule=S_IP_1_P,
    ),
)

# --- Table 1 ---------------------------------------------------------------------------------------------------------

CALL_MADE = H("t<T", "the inner call is one of t = 0..T-1", le(call, T - 1))
ROWS = (
    replace(
        corrected(
            item_of(TAB1_IP, "k"),
            SHARPER,
            DISSIMILAR_HAT,
            START,
            GRADIENT,
            ENVELOPE,
            LATER_CALLS,
            ROUNDS_OF_CALLS,
            change="stationarity ε^-12 + ε^{-24κ/5} ln^{24/5}(1/ε), distance ε^{-12κ/5} ln^{12/5}(1/ε)",
            origin="Theorem 3 (i-1), whose term T^{-1/6} takes ε^-6 outer iterations, and Remark 4",
            why=(
                "Algorithm 2 does not descend on the printed F_λ = f + dist²/λ, and can stay where the gradient of "
                "that "
                "is large",
                "the first-order term T^{-1/6} of Theorem 3 takes ε^-6 outer iterations, more than ε^{-12κ/5} for "
                "κ < 5/2",
                "the logarithms that Õ(.) hides are those of (ln(T)/T^{5/12})^{1/κ} in Theorem 3",
            ),
            statement=every(
                le(R_stat, C_O * (epsilon**-12 + epsilon ** (-24 * kappa / 5) * LOG ** sp.Rational(24, 5))),
                le(R_dist, C_O * epsilon ** (-12 * kappa / 5) * LOG ** sp.Rational(12, 5)),
            ),
            hypotheses=(KAPPA_LARGE, CALL_MADE),
            setting=ROUNDS,
            proof=ROW_K,
        ),
        schedule=S_IP_LATER,
    ),
    replace(
        corrected(
            item_of(TAB1_IP, "1"),
            DISSIMILAR,
            START,
            ENVELOPE,
            LATER_CALLS_II,
            ROUNDS_OF_CALLS,
            SHARPNESS,
            SHARP_G,
            change="stationarity ε^-2 ln⁴(1/ε), distance ε^-1 ln(1/ε), both up to offsets proportional to δ_h",
            why=(
                "ε^-1 outer iterations take ε^-2 rounds by Remark 4",
                "the logarithms that Õ(.) hides are those of ln²(T)/T and ln(t)/t in Theorem 3",
            ),
            statement=every(le(R_stat_d, C_O * epsilon**-2 * LOG**4), le(R_dist_d, C_O / epsilon * LOG)),
            hypotheses=(CALL_MADE,),
            where=_AT_ETA,
            setting=ROUNDS_II,
            proof=ROW_1,
        ),
        schedule=S_IP_1_LATER,
    ),
)

# --- proof steps -----------------------------------------------------------------------------------------------------

_ROUGH = (L_f * lam + 2) / lam
_DISTURBED = gamma**2 * (L_f * lam + 2) / lam**3
_SMALLER_STEP = H("gamma<=lam/(4(L_f lam+2))", "γ <= λ/(4(L_f λ + 2))", le(gamma, lam / (4 * (L_f * lam + 2))))
_SQUARED = F_prev - gamma / 2 * sq_grad_F + (gamma / lam**2 + _DISTURBED) * sq_err


def _sum(
    item: str, change: str, why: str, factor: sp.Expr, hypotheses: tuple[Hypothesis, ...], origin: str = ""
) -> Claim:
    """A sum bound whose right side is multiplied by ``factor``."""
    printed = item_of(STEP11, item)
    total, bound = printed.statement.args  # type: ignore[union-attr]
    return corrected(
        printed, change=change, why=why, origin=origin, statement=le(total, factor * bound), hypotheses=hypotheses
    )


_OF_THE_INTEGRAL = "the sum of t^{-7/(12κ)} beside it has the factor of its integral"
STEPS = (
    corrected(
        item_of(STEP10, "update"),
        replace(ENVELOPE, hypotheses={PRINTED_STEP.key: (PRINTED_STEP, H("envelope", "F_λ = f + dist²/(2λ)"))}),
        change="-e_t/λ in place of e_t/λ",
        why="y - x is (y - Π[y]) - e",
        statement=le(direction_gap, 0),
        follows_from=("id.Flam.envelope",),
    ),
    corrected(
        item_of(STEP10, "theta"),
        change="3/4 in place of 5/4",
        why="1 - 1/(2θ) is 3/4 for θ = 2",
        origin="the display before it has 1 - 1/(2θ), and θ = 2",
        statement=le(
            F_next,
            F_prev - gamma * (sp.Rational(3, 4) - gamma * _ROUGH) * sq_grad_F + (gamma / lam**2 + _DISTURBED) * sq_err,
        ),
    ),
    corrected(
        item_of(STEP10, "condition"),
        Amendment(
            "γ <= λ/(4(L_f λ + 2)) and 3/4 - γ(L_f λ + 2)/λ >= 1/2",
            "with 3/4 the factor must be at least 1/2, which needs a smaller step",
            hypotheses={OUTER_STEP.key: (_SMALLER_STEP,)},
        ),
        origin="the step before has 1 - 1/(2θ), and θ = 2",
        statement=ge(sp.Rational(3, 4) - gamma * _ROUGH, sp.Rational(1, 2)),
    ),
    corrected(
        item_of(STEP10, "descent"),
        change="γ/λ² in place of γ/λ",
        origin="the display before it and (12) after it have λ²",
        why="the disturbance is e_t/λ; completing the square instead of splitting it keeps the printed step size",
        statement=le(F_next, _SQUARED),
        follows_from=(),
    ),
    _sum(
        "s1'", "T >= 3", "at T = 1 and 2 the bound 2 ln T is below the sum", sp.S.One, (H("T>=3", "T >= 3", ge(T, 3)),)
    ),
    _sum(
        "s2",
        "2 in place of 6/5, for T >= 2",
        "6/5 is the factor of the integral of t^{-1/6}, but ln T stands in place of the smaller ln t",
        sp.Rational(5, 3),
        (TWO_CALLS,),
    ),
    _sum(
        "s3",
        "8 in place of 3/2, for T >= 2",
        "the integral of t^{-3/4} has the factor 4, not 3/2, and ln T stands in place of the smaller ln t",
        sp.Rational(16, 3),
        (TWO_CALLS,),
    ),
    _sum(
        "s4",
        "the factor 12κ/(12κ - 17), for κ > 17/12",
        "the sum of t^{-q} is about T^{1-q}/(1-q), and converges for q = 17/(12κ) > 1",
        12 * kappa / (12 * kappa - 17),
        (KAPPA_LARGE,),
        _OF_THE_INTEGRAL,
    ),
    _sum(
        "s6",
        "the factor κ/(κ-1)",
        "t^{-7/(6κ)} is bounded by t^{-1/κ}, and 1/(1 - 1/κ), the factor of the integral of that, is left out",
        kappa / (kappa - 1),
        (),
        _OF_THE_INTEGRAL,
    ),
    corrected(
        item_of(STEP12, "factor"),
        change="(2^κ w)^{1/κ}",
        origin="Proposition 3 (ii-3), which is substituted, has the factor 2 before the root",
        why="2 w^{1/κ} is (2^κ w)^{1/κ}",
        statement=le(2 * w1**_ROOT, (2**kappa * w1) ** _ROOT),
    ),
    corrected(
        item_of(STEP15, "start"),
        change="E||x̄^0 - x_η*||² <= 2 E||x̄^0 - x^{t*}||² + 2 ||x_η* - x^{t*}||²",
        why="x_η* differs from x^{t*}",
        statement=le(D2, 2 * D2_proj + 2 * shift2),
    ),
    corrected(
        item_of(STEP15, "i-display"),
        Amendment(
            "Proposition 3 (ii-3) with the root of Proposition 2",
            "the printed one has no 1/α and multiplies 2 η M by γ̃²",
            hypotheses={
                "prop3.ii-3": (for_problem_4(item_of(CORRECTED, "prop3.ii-3.corrected")),),
            },
        ),
        statement=DISPLAY_I,
    ),
    corrected(
        item_of(STEP15, "i-schedule"),
        A_PLUS_B,
        change="2||∇f|| before the root, no 2 under it but that of 2 η M, 1/α inside; 0 < η γ̃_t/2 < 1",
        why=("the display has 2||∇f|| before the root, and no 2 under it", "for η γ̃_t/2 >= 1 θ is negative"),
        origin="Proposition 2 (ii-3), from which the root comes",
        statement=_PROP7_I,
        hypotheses=(CONTRACTS,),
        follows_from=("step.1.coefficient", "step.2"),
    ),
    corrected(
        item_of(STEP15, "ii-schedule"),
        change="D²/(R_t^{ηp/2} - 1) as the first term; 0 < η γ̃_t/2 < 1",
        origin="step 2 of the proof of Theorem 1, with this schedule",
        why=("θ^R is about R^{ηp/2} for a constant η, not R^{p/2}", "for η γ̃_t/2 >= 1 θ is negative"),
        statement=_PROP7_II,
        hypotheses=(CONTRACTS,),
    ),
)

CORRECTED_NONCONVEX = (*CALLS, *THEOREM, *ROWS, *STEPS)
