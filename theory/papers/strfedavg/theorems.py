"""Theorems 1 and 2: communication complexities, and the explicit bounds that they abbreviate.

Root indices of the printed O(.) terms, damaged in conversion, are restored from the explicit bounds of the proof.
"""

from typing import Any

import sympy as sp

from rateproof.theory.claim import Claim, Hypothesis, Kind, Reading, Switch, expand_definitions
from rateproof.theory.papers.strfedavg.build import claim
from rateproof.theory.papers.strfedavg.notation import (
    A_BELOW_1,
    A_PLUS_B_1,
    A_PLUS_B_BELOW_1,
    ABOUT_AVERAGE,
    AVG_KIND,
    B2,
    ETA_HAT_SC,
    ETA_SHARP,
    G_SCALE,
    INDEX,
    KAPPA_EQ_1,
    KAPPA_GT_1,
    LAST_ITERATE,
    M_VALID,
    Q2,
    SC16,
    SCALE,
    SIZES,
    STRONGLY_CONVEX,
    WHERE,
    WHERE_C,
    L,
    M,
    Qt2,
    R_f_lo,
    R_f_up,
    R_h_up,
    R_sq_up,
    W,
    Y,
    gap_f,
    gap_h,
)
from rateproof.theory.papers.strfedavg.propositions import RUN_C, RUN_SC
from rateproof.theory.papers.strfedavg.schedules import (
    B_BELOW_A,
    P_FROM_1,
    R_COND_C,
    R_COND_SC,
    S_C,
    S_C_1,
    S_C_II,
    S_SC,
    S_SC_1,
    SC16_HAT,
)
from rateproof.theory.schedule import Condition, Schedule
from rateproof.theory.shorthand import big_o, every, le, misprint
from rateproof.theory.symbols import (
    R,
    S,
    a,
    alpha,
    b,
    epsilon,
    eta,
    eta_hat,
    gamma_g,
    grad_f_star,
    kappa,
    mu_f,
    p,
)

#: Titles of the claims that share a maker, by id.
TITLES = {
    "thm1.Rcond": "Threshold on rounds, strongly convex",
    "thm1.i-1": "Rounds for the outer gap, strongly convex",
    "thm1.i-1x": "Outer gap bound, strongly convex",
    "thm1.i-2": "Rounds for the inner gap, strongly convex",
    "thm1.i-2x": "Inner gap bound, strongly convex",
    "thm1.ii-1": "Rounds for the lower bound, strongly convex",
    "thm1.iii-1": "Rounds for the outer gap, sharp strongly convex",
    "thm1.iii-2": "Rounds for the inner gap, sharp strongly convex",
    "thm1.iii-3": "Rounds for the lower bound, sharp strongly convex",
    "thm1.iii-4": "Rounds for the distance, sharp strongly convex",
    "thm2.Rcond": "Threshold on rounds, convex",
    "thm2.i-1": "Rounds for the outer gap, convex",
    "thm2.i-1x": "Outer gap bound, convex",
    "thm2.i-2": "Rounds for the inner gap, convex",
    "thm2.i-2x": "Inner gap bound, convex",
    "thm2.ii": "Rounds for the lower bound, convex",
    "thm2.iii-1": "Rounds for the outer gap, sharp convex",
    "thm2.iii-2": "Rounds for the inner gap, sharp convex",
    "thm2.iii-3": "Rounds for the lower bound, sharp convex",
}


def _condition(key: str, condition: Condition) -> Hypothesis:
    return Hypothesis(key, condition.name, condition.relation)


STEP = _condition("SC16_hat", SC16_HAT)
B_RANGE = Hypothesis("0<b<1", "0 < b < 1", every(sp.Gt(b, 0, evaluate=False), sp.Lt(b, 1, evaluate=False)))
AB_RANGE = Hypothesis("0<b<a<=1", "0 < b < a <= 1", every(*B_BELOW_A))
AB_UNIT = Hypothesis("0<=a,b<=1", "0 <= a, b <= 1", every(*S_C_II.parameters))
P_RANGE = Hypothesis("p>=1", "p >= 1", P_FROM_1)
R_FROM_SC = _condition("R_threshold", R_COND_SC)
R_FROM_C = _condition("R_threshold_c", R_COND_C)

WHERE_1 = WHERE | {eta_hat: ETA_HAT_SC}
_GF = "||∇f(x*)||"
_CONSTANTS = (
    "Q = ||x̄^0 - x_η*||, W = 9 (L_h + η̂ L_f)(2η̂²σ_f² + 2σ_h²)/K + 18 (L_h + η̂ L_f) G², "
    "Y = (2η̂²σ_f² + 2σ_h²)/K + 4 (1 - S/N) G², p >= 1"
)
_GIVEN_1 = (
    "Under Assumptions 1 and 2 with μ_f > 0, γ_g >= 1, γ_l <= 1/(16 (L_h + η̂ L_f)² (1 + B²) K γ_g), "
    "η̂ = p/(e b μ_f^b), 0 < b < 1"
)
_CASE_I = f"{_GIVEN_1}; for γ̃ = 1/(μ_f^a R^a), η = p ln(R)/(μ_f^b R^b), 0 < b < a <= 1, {R_COND_SC.name}"
_CASE_II = f"{_CASE_I}; X_h* α-weak sharp of order κ > 1"
_CASE_III = f"{_GIVEN_1}; X_h* weak sharp with κ = 1, γ̃ = p ln(R)/(μ_f R), any η <= α/(2 {_GF})"

_HYP_I = (*RUN_SC, STEP, B_RANGE, AB_RANGE, P_RANGE, R_FROM_SC)
_HYP_II = (*_HYP_I, *KAPPA_GT_1)
_HYP_III = (*RUN_SC, STEP, B_RANGE, P_RANGE, *KAPPA_EQ_1, ETA_SHARP)


_LAST: dict[int, tuple[Switch, ...]] = {1: (), 2: (LAST_ITERATE,)}


def _theorem(
    number: int,
    item: str,
    text: str,
    statement: sp.Basic,
    *,
    hypotheses: tuple[Hypothesis, ...],
    schedule: Schedule,
    follows_from: tuple[str, ...],
    kind: Kind = Kind.COMPLEXITY,
    where: dict[sp.Symbol, sp.Expr] = WHERE_1,
    switches: tuple[Switch, ...] = (),
    **rest: Any,
) -> Claim:
    place = f"Theorem {number}" if item == "ii" and number == 2 else f"Theorem {number} ({item.removesuffix('x')})"
    return claim(
        f"thm{number}.{item}",
        f"proof of {place}" if item.endswith("x") else place,
        kind,
        text,
        statement,
        title=TITLES[f"thm{number}.{item}"],
        hypotheses=hypotheses,
        schedule=schedule,
        follows_from=follows_from,
        where=where,
        switches=(*switches, *((AVG_KIND, INDEX) if item.endswith("x") else ABOUT_AVERAGE), *_LAST[number]),
        **rest,
    )


def _threshold(
    cid: str, place: str, schedule: Schedule, condition: Condition, hypotheses: tuple[Hypothesis, ...]
) -> Claim:
    slope = {B2: expand_definitions(WHERE[B2], schedule.rules)}
    return claim(
        cid,
        place,
        Kind.PROPERTY,
        f"{condition.name} makes γ̃ = {'1/(μ_f^a R^a)' if schedule is S_SC else '1/R^a'} satisfy "
        "γ_l <= 1/(16 K γ_g (L_h + η L_f)² (1 + B²))",
        expand_definitions(SC16.relation, {L: WHERE[L], **slope, **schedule.rules}),
        title=TITLES[cid],
        hypotheses=hypotheses,
        schedule=schedule,
        where=slope,
        note="Not displayed: the purpose of the threshold, for the step condition of the propositions, which has η "
        "where the theorem has η̂.",
    )


_REPAIRED = Reading.REPAIRED
_ROOTS = "Root indices that the text has lost are those of the explicit bound."
_ROOTS_OF_F = "The root indices 2a - b and a - b, damaged in the text, are those of the explicit bound."
_ROOT_OF_W = "The root index of W reads 2a in the text; 2a - b is that of the explicit bound."
_ROOT_AND_M = (
    "The root index b + p/2, damaged in the text, is that of the explicit bound; M is that of Proposition 2, as the "
    "theorem does not define it."
)
_ROOT_HALF_P = "The root index p/2, damaged in the text, is that of the explicit bound."
_MU_R = mu_f * R
_START_I2 = (p * mu_f ** (1 - b) * Q2 / epsilon) ** (1 / (b + p / 2))
_II_BRACKET = (
    (p * mu_f ** (1 - b) * Q2 / (alpha * epsilon**kappa)) ** (1 / (b + p / 2))
    + (W / (mu_f ** (2 * a) * alpha * epsilon**kappa * gamma_g**2)) ** (1 / (2 * a))
    + (Y / (mu_f**a * alpha * epsilon**kappa * S)) ** (1 / a)
    + (p * M / (mu_f**b * alpha * epsilon**kappa)) ** (1 / b)
)
_III_BRACKET = (
    (eta * mu_f * p * Q2 / epsilon) ** (2 / p)
    + sp.sqrt(p * W / (mu_f**2 * epsilon * gamma_g**2))
    + p * Y / (mu_f * epsilon * S)
)
_III_BRACKET_TEXT = "(η μ_f p Q²/ε)^{2/p} + (p W/(μ_f² ε γ_g²))^{1/2} + p Y/(μ_f ε S)"
LOGS = "X ln(1 + X) in place of X = p M/(μ_f^b ε) and of X = p μ_f^{1-b} Q²/ε"
LOGS_WHY = "η = p ln(R)/(μ_f R)^b carries a logarithm, which the printed numbers of rounds leave out"
INSIDE = "||∇f(x*)||^κ inside the roots"
INSIDE_WHY = (
    "||∇f(x*)|| multiplies the root of the bound, so its power κ stands with the target accuracy under every root"
)
SHARP_TARGET = alpha * (epsilon / grad_f_star) ** kappa
SHARP_LOGS = (
    "X ln(1 + X^{1/κ}) in place of X = p M/(μ_f^b α (ε/||∇f(x*)||)^κ) and of X = p μ_f^{1-b} Q²/(α (ε/||∇f(x*)||)^κ)"
)


def with_log(ratio: sp.Expr, root: sp.Expr = sp.S.One) -> sp.Expr:
    """Up to a constant, ``R^c`` for the least R with ``R^c >= ratio ln R``.

    The logarithm is that of the term itself, since ln R is about ln(ratio)/c: with ``ln(1/epsilon)`` in its place the
    hidden constant would depend on the constants of the problem. Where ``ratio`` holds ``epsilon^root``, the root is
    taken, which changes the logarithm by a factor.
    """
    return ratio * sp.log(1 + ratio ** (1 / root))


def levels_sc(target: sp.Expr, root: sp.Expr = sp.S.One) -> tuple[sp.Expr, ...]:
    """Rounds until the inner bound of Theorem 1, case i, is below ``target``."""
    return (
        with_log(p * mu_f ** (1 - b) * Q2 / target, root) ** (1 / (b + p / 2)),
        (W / (mu_f ** (2 * a) * target * gamma_g**2)) ** (1 / (2 * a)),
        (Y / (mu_f**a * target * S)) ** (1 / a),
        with_log(p * M / (mu_f**b * target), root) ** (1 / b),
    )


def bracket_2(scale: sp.Expr) -> sp.Expr:
    """Terms with exponents 1/(1-a), 1/(2a), 1/a, each target accuracy replaced by ``scale``."""
    return (Qt2 / scale) ** (1 / (1 - a)) + (W / (scale * gamma_g**2)) ** (1 / (2 * a)) + (Y / (scale * S)) ** (1 / a)


_STEPS_1_2 = ("step.1", "step.2")

THM1 = (
    _threshold(
        "thm1.Rcond",
        "Theorem 1, case i",
        S_SC,
        R_COND_SC,
        (*STRONGLY_CONVEX, *SIZES, AB_RANGE, P_RANGE, R_FROM_SC),
    ),
    _theorem(
        1,
        "i-1",
        f"{_CASE_I}: R_f^up = O((μ_f Q²/ε)^{{2/p}} + (W/(p μ_f^{{2a-b}} ε γ_g²))^{{1/(2a-b)}} "
        f"+ (Y/(p μ_f^{{a-b}} ε S))^{{1/(a-b)}}), {_CONSTANTS}",
        big_o(
            R_f_up,
            (mu_f * Q2 / epsilon) ** (2 / p)
            + (W / (p * mu_f ** (2 * a - b) * epsilon * gamma_g**2)) ** (1 / (2 * a - b))
            + (Y / (p * mu_f ** (a - b) * epsilon * S)) ** (1 / (a - b)),
        ),
        hypotheses=_HYP_I,
        schedule=S_SC,
        follows_from=("thm1.i-1x",),
        explicit="thm1.i-1x",
        reading=_REPAIRED,
        switches=(A_PLUS_B_1, G_SCALE),
        note=_ROOTS_OF_F,
    ),
    _theorem(
        1,
        "i-1x",
        f"{_CASE_I}: E[f(x̄^R) - f(x*)] <= (μ_f/(2 (R^{{p/2}} - 1))) E||x̄^0 - x_η*||² "
        "+ (1/(p ln(R) μ_f^{a-b} R^{a-b})) "
        "((2η̂²σ_f² + 2σ_h²)/(K S) + (N - S) 4 G²/(N S) + 9 (L_h + η̂ L_f)(2η̂²σ_f² + 2σ_h²)/(μ_f^a R^a K γ_g²) "
        "+ 18 (L_h + η̂ L_f) G²/(μ_f^a R^a γ_g²))",
        le(
            gap_f,
            mu_f / 2 * Q2 / (R ** (p / 2) - 1)
            + (Y / S + W / (_MU_R**a * gamma_g**2)) / (p * sp.log(R) * _MU_R ** (a - b)),
        ),
        hypotheses=_HYP_I,
        schedule=S_SC,
        follows_from=("prop3.i-2", *_STEPS_1_2, "id.etahat.formula"),
        kind=Kind.BOUND,
        switches=(A_PLUS_B_1, G_SCALE, SCALE),
        note="Last display of the proof of (i-1), written with W and Y: Y/S and W/γ_g² are its two brackets.",
    ),
    _theorem(
        1,
        "i-2",
        f"{_CASE_I}: R_h^up = O((μ_f^{{1-b}} p Q²/ε)^{{1/(b+p/2)}} + (W/(μ_f^{{2a}} ε γ_g²))^{{1/(2a)}} "
        f"+ (Y/(μ_f^a ε S))^{{1/a}} + (p M/(μ_f^b ε))^{{1/b}}), {_CONSTANTS}",
        big_o(
            R_h_up,
            _START_I2
            + (W / (mu_f ** (2 * a) * epsilon * gamma_g**2)) ** (1 / (2 * a))
            + (Y / (mu_f**a * epsilon * S)) ** (1 / a)
            + (p * M / (mu_f**b * epsilon)) ** (1 / b),
        ),
        hypotheses=(*_HYP_I, M_VALID),
        schedule=S_SC,
        follows_from=("thm1.i-2x",),
        explicit="thm1.i-2x",
        reading=_REPAIRED,
        switches=(
            misprint(LOGS, LOGS_WHY, big_o(R_h_up, *levels_sc(epsilon)), "the last display of the proof of (i-2)"),
            A_PLUS_B_1,
            G_SCALE,
        ),
        note=_ROOT_AND_M,
    ),
    _theorem(
        1,
        "i-2x",
        f"{_CASE_I}: E[h(x̄^R) - h(x*)] <= (p ln(R) μ_f^{{1-b}}/(2 R^b (R^{{p/2}} - 1))) E||x̄^0 - x_η*||² "
        "+ (1/(μ_f^a R^a)) ((2η̂²σ_f² + 2σ_h²)/(K S) + (1 - S/N)(4/S) G²) + (1/(μ_f^{2a} R^{2a})) "
        "(9 (L_h + η̂ L_f)(2η̂²σ_f² + 2σ_h²)/(K γ_g²) + 18 (L_h + η̂ L_f) G²/γ_g²) + (p ln(R)/(μ_f^b R^b)) 2 M",
        le(
            gap_h,
            p * sp.log(R) * mu_f ** (1 - b) * Q2 / (2 * R**b * (R ** (p / 2) - 1))
            + Y / (S * _MU_R**a)
            + W / (_MU_R ** (2 * a) * gamma_g**2)
            + 2 * M * p * sp.log(R) / _MU_R**b,
        ),
        hypotheses=(*_HYP_I, M_VALID),
        schedule=S_SC,
        follows_from=("prop3.i-1", *_STEPS_1_2, "id.etahat.formula"),
        kind=Kind.BOUND,
        switches=(A_PLUS_B_1, G_SCALE, SCALE),
        note="Last display of the proof of (i-2), written with W and Y.",
    ),
    _theorem(
        1,
        "ii-1",
        f"{_CASE_II}: R_f^lo = O({_GF}^κ ((μ_f^{{1-b}} p Q²/(α ε^κ))^{{1/(b+p/2)}} "
        f"+ (W/(μ_f^{{2a}} α ε^κ γ_g²))^{{1/(2a)}} "
        f"+ (Y/(μ_f^a α ε^κ S))^{{1/a}} + (p M/(μ_f^b α ε^κ))^{{1/b}})), {_CONSTANTS}",
        big_o(R_f_lo, grad_f_star**kappa * _II_BRACKET),
        hypotheses=(*_HYP_II, M_VALID),
        schedule=S_SC,
        follows_from=("prop3.ii-2", *_STEPS_1_2, "id.etahat.formula"),
        explicit="prop3.ii-2",
        reading=_REPAIRED,
        switches=(
            misprint(
                f"{INSIDE}, {SHARP_LOGS}",
                f"{INSIDE_WHY}; {LOGS_WHY}",
                big_o(R_f_lo, *levels_sc(SHARP_TARGET, kappa)),
                "Proposition 3 (ii-2), which the proof inverts",
            ),
            A_PLUS_B_1,
            G_SCALE,
        ),
        note=_ROOT_AND_M,
    ),
    _theorem(
        1,
        "iii-1",
        f"{_CASE_III}: R_f^up = O((μ_f Q²/ε)^{{2/p}} + (p W/(η μ_f² ε γ_g²))^{{1/2}} + p Y/(η μ_f ε S)), {_CONSTANTS}",
        big_o(
            R_f_up,
            (mu_f * Q2 / epsilon) ** (2 / p)
            + sp.sqrt(p * W / (eta * mu_f**2 * epsilon * gamma_g**2))
            + p * Y / (eta * mu_f * epsilon * S),
        ),
        hypotheses=_HYP_III,
        schedule=S_SC_1,
        follows_from=("prop3.iii-2", *_STEPS_1_2),
        explicit="prop3.iii-2",
        reading=_REPAIRED,
        note=_ROOT_HALF_P,
    ),
    _theorem(
        1,
        "iii-2",
        f"{_CASE_III}: R_h^up = O({_III_BRACKET_TEXT}), {_CONSTANTS}",
        big_o(R_h_up, _III_BRACKET),
        hypotheses=_HYP_III,
        schedule=S_SC_1,
        follows_from=("prop3.iii-1", *_STEPS_1_2),
        explicit="prop3.iii-1",
        reading=_REPAIRED,
        note=_ROOT_HALF_P,
    ),
    _theorem(
        1,
        "iii-3",
        f"{_CASE_III}: R_f^lo = O(({_GF}/α)({_III_BRACKET_TEXT})), {_CONSTANTS}",
        big_o(R_f_lo, grad_f_star / alpha * _III_BRACKET),
        hypotheses=_HYP_III,
        schedule=S_SC_1,
        follows_from=("prop3.iii-2", *_STEPS_1_2),
        explicit="prop3.iii-2",
        reading=_REPAIRED,
        note=_ROOT_HALF_P,
    ),
    _theorem(
        1,
        "iii-4",
        f"{_CASE_III}: R^up of ||x̄^R - x*||² = O((p Q²/ε)^{{2/p}} + (p W/(η μ_f³ ε γ_g²))^{{1/2}} + p Y/(η μ_f² ε S)), "
        f"{_CONSTANTS}",
        big_o(
            R_sq_up,
            (p * Q2 / epsilon) ** (2 / p)
            + sp.sqrt(p * W / (eta * mu_f**3 * epsilon * gamma_g**2))
            + p * Y / (eta * mu_f**2 * epsilon * S),
        ),
        hypotheses=_HYP_III,
        schedule=S_SC_1,
        follows_from=("prop3.iii-3", *_STEPS_1_2),
        explicit="prop3.iii-3",
        reading=_REPAIRED,
        note=_ROOT_HALF_P,
    ),
)

# Theorem 2 takes eta_hat from Theorem 1, whose printed value p/(e b mu_f^b) divides by mu_f = 0.
_ETA_HAT_NOTE = (
    "η̂ is read as max over R of η, which is {}: the printed p/(e b μ_f^b) divides by μ_f = 0, so p >= 1 and 0 < b < 1, "
    "which come with it, are no hypotheses."
)
_NOTE_1 = _ETA_HAT_NOTE.format("1")
_NOTE_ETA = _ETA_HAT_NOTE.format("η itself when it is constant")
WHERE_2 = WHERE_C | {eta_hat: sp.S.One}
WHERE_2_SHARP = WHERE_C | {eta_hat: eta}

_CONSTANTS_2 = _CONSTANTS.replace("Q = ||x̄^0 - x_η*||", "Q̃² = E||x̄^0 - x_η*||² - E||x̄^R - x_η*||²")
_GIVEN_2 = _GIVEN_1.replace("μ_f > 0", "μ_f = 0")
_CASE2_I = f"{_GIVEN_2}; for γ̃ = 1/R^a, η = 1/R^b, 0 < b < a <= 1, {R_COND_C.name}"
_CASE2_II = f"{_GIVEN_2}; X_h* α-weak sharp of order κ > 1, γ̃ = 1/R^a, η = 1/R^b, for some 0 <= a, b <= 1"
_CASE2_III = f"{_GIVEN_2}; X_h* weak sharp with κ = 1, γ̃ = 1/R^a, any η <= α/(2 {_GF})"
_HYP2_I = (*RUN_C, STEP, AB_RANGE, R_FROM_C)
_HYP2_II = (*RUN_C, STEP, AB_UNIT, *KAPPA_GT_1, M_VALID)
_HYP2_III = (*RUN_C, STEP, *KAPPA_EQ_1, ETA_SHARP)


def _bracket_2_text(scale: str) -> str:
    return f"(Q̃²/({scale}))^{{1/(1-a)}} + (W/({scale} γ_g²))^{{1/(2a)}} + (Y/({scale} S))^{{1/a}}"


THM2 = (
    _threshold("thm2.Rcond", "Theorem 2, case i", S_C, R_COND_C, (*SIZES, AB_RANGE, R_FROM_C)),
    _theorem(
        2,
        "i-1",
        f"{_CASE2_I}: R_f^up = O((Q̃²/ε)^{{1/(1-(a+b))}} + (W/(ε γ_g²))^{{1/(2a-b)}} + (Y/(ε S))^{{1/(a-b)}}), "
        f"{_CONSTANTS_2}",
        big_o(
            R_f_up,
            (Qt2 / epsilon) ** (1 / (1 - (a + b)))
            + (W / (epsilon * gamma_g**2)) ** (1 / (2 * a - b))
            + (Y / (epsilon * S)) ** (1 / (a - b)),
        ),
        hypotheses=_HYP2_I,
        schedule=S_C,
        follows_from=("thm2.i-1x",),
        where=WHERE_2,
        explicit="thm2.i-1x",
        reading=_REPAIRED,
        switches=(A_PLUS_B_BELOW_1, G_SCALE),
        note=f"{_ROOT_OF_W} {_NOTE_1}",
    ),
    _theorem(
        2,
        "i-1x",
        f"{_CASE2_I}: E[f(x̄^R) - f(x*)] <= 3 Q̃² R^{{a+b-1}} + 3 R^{{-(a-b)}} Y/S + 3 R^{{-(2a-b)}} W/γ_g²",
        le(
            gap_f,
            3 * Qt2 * R ** (a + b - 1) + 3 * R ** (-(a - b)) * Y / S + 3 * R ** (-(2 * a - b)) * W / gamma_g**2,
        ),
        hypotheses=_HYP2_I,
        schedule=S_C,
        follows_from=("prop6.i-2",),
        where=WHERE_2,
        kind=Kind.BOUND,
        switches=(G_SCALE,),
        note=f"Not displayed: Proposition 6 (i-2) with the schedule, as the proof says. {_NOTE_1}",
    ),
    _theorem(
        2,
        "i-2",
        f"{_CASE2_I}: R_h^up = O({_bracket_2_text('ε')} + (M/ε)^{{1/b}}), {_CONSTANTS_2}",
        big_o(R_h_up, bracket_2(epsilon) + (M / epsilon) ** (1 / b)),
        hypotheses=(*_HYP2_I, M_VALID),
        schedule=S_C,
        follows_from=("thm2.i-2x",),
        where=WHERE_2,
        explicit="thm2.i-2x",
        reading=_REPAIRED,
        switches=(A_BELOW_1, G_SCALE),
        note=f"{_ROOTS} {_NOTE_1}",
    ),
    _theorem(
        2,
        "i-2x",
        f"{_CASE2_I}: E[h(x̄^R) - h(x*)] <= 3 Q̃² R^{{a-1}} + 3 R^{{-a}} Y/S + 3 R^{{-2a}} W/γ_g² + 2 M R^{{-b}}",
        le(
            gap_h,
            3 * Qt2 * R ** (a - 1) + 3 * R**-a * Y / S + 3 * R ** (-2 * a) * W / gamma_g**2 + 2 * M * R**-b,
        ),
        hypotheses=(*_HYP2_I, M_VALID),
        schedule=S_C,
        follows_from=("prop6.i-1",),
        where=WHERE_2,
        kind=Kind.BOUND,
        switches=(G_SCALE,),
        note=f"Not displayed: Proposition 6 (i-1) with the schedule, as the proof says. {_NOTE_1}",
    ),
    _theorem(
        2,
        "ii",
        f"{_CASE2_II}: R_f^lo = O({_GF}^κ ({_bracket_2_text('α ε^κ')} + (M/(α ε^κ))^{{1/b}})), {_CONSTANTS_2}",
        big_o(
            R_f_lo,
            grad_f_star**kappa * (bracket_2(alpha * epsilon**kappa) + (M / (alpha * epsilon**kappa)) ** (1 / b)),
        ),
        hypotheses=_HYP2_II,
        schedule=S_C_II,
        follows_from=("prop6.ii-2",),
        where=WHERE_2,
        explicit="prop6.ii-2",
        reading=_REPAIRED,
        switches=(
            misprint(
                INSIDE,
                INSIDE_WHY,
                big_o(R_f_lo, bracket_2(SHARP_TARGET), (M / SHARP_TARGET) ** (1 / b)),
                "Proposition 6 (ii-2), which the proof inverts",
            ),
            A_BELOW_1,
            G_SCALE,
        ),
        note=f"{_ROOTS} {_NOTE_1}",
    ),
    _theorem(
        2,
        "iii-1",
        f"{_CASE2_III}: R_f^up = O({_bracket_2_text('η ε')}), {_CONSTANTS_2}",
        big_o(R_f_up, bracket_2(eta * epsilon)),
        hypotheses=_HYP2_III,
        schedule=S_C_1,
        follows_from=("prop6.iii-2",),
        where=WHERE_2_SHARP,
        explicit="prop6.iii-2",
        reading=_REPAIRED,
        note=f"{_ROOTS} {_NOTE_ETA}",
    ),
    _theorem(
        2,
        "iii-2",
        f"{_CASE2_III}: R_h^up = O({_bracket_2_text('ε')}), {_CONSTANTS_2}",
        big_o(R_h_up, bracket_2(epsilon)),
        hypotheses=_HYP2_III,
        schedule=S_C_1,
        follows_from=("prop6.iii-1",),
        where=WHERE_2_SHARP,
        explicit="prop6.iii-1",
        reading=_REPAIRED,
        note=f"{_ROOTS} {_NOTE_ETA}",
    ),
    _theorem(
        2,
        "iii-3",
        f"{_CASE2_III}: R_f^lo = O(({_GF}/α)({_bracket_2_text('ε')})), {_CONSTANTS_2}",
        big_o(R_f_lo, grad_f_star / alpha * bracket_2(epsilon)),
        hypotheses=_HYP2_III,
        schedule=S_C_1,
        follows_from=("prop6.iii-2",),
        where=WHERE_2_SHARP,
        explicit="prop6.iii-2",
        reading=_REPAIRED,
        note=f"{_ROOTS} {_NOTE_ETA}",
    ),
)
HYPOTHESES = {
    "sc.i": _HYP_I,
    "sc.ii": _HYP_II,
    "sc.iii": _HYP_III,
    "c.i": _HYP2_I,
    "c.ii": (*_HYP2_I, *KAPPA_GT_1),
    "c.iii": _HYP2_III,
}
