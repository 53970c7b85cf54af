"""Numbered steps of the proofs of Proposition 7 and Theorem 3: descent, sum bounds, roots and substitutions."""

from dataclasses import replace

import sympy as sp

from rateproof.theory.claim import Claim, Hypothesis, Kind, Switch
from rateproof.theory.papers.strfedavg.build import PAPER, claim
from rateproof.theory.papers.strfedavg.nonconvex import (
    CALL,
    GRADIENT_OF_G,
    M_VALID_G,
    M_VALID_G_N,
    OUTER_STEP,
    PENALTY,
    PROP7_I,
    PROP7_II,
    RULE_I,
    RULE_II,
    START_AT_REGULARISED,
    STEP_CONDITIONS,
    WHERE_3,
    WHERE_IP,
)
from rateproof.theory.papers.strfedavg.notation import (
    A1,
    A2,
    A_PLUS_B_1,
    D2,
    G2,
    KAPPA_EQ_1,
    KAPPA_GT_1,
    T0,
    A1n,
    A2n,
    D2_proj,
    E_err2,
    E_sq,
    E_sq_n,
    F_drop,
    F_gap0,
    F_next,
    F_prev,
    G_ncvx2,
    H,
    L,
    M,
    M_g,
    Theta_R,
    c_e,
    direction_gap,
    eta_g,
    gamma,
    grad_f_proj,
    lam,
    sq_err,
    sq_grad_F,
    sum_err2,
    sum_grad2,
    w1,
    w2,
    w3,
    w4,
    young,
)
from rateproof.theory.papers.strfedavg.propositions import PROP3
from rateproof.theory.shorthand import every, item_of, le, premise
from rateproof.theory.symbols import L_f, L_h, T, alpha, eta, gamma_t, grad_f_star, kappa, mu_f, t

#: Titles of the claims that share a maker, by id.
TITLES = {
    "step.10": "Descent of the two-loop method",
    "step.10.update": "Update of Algorithm 2 rewritten",
    "step.10.expansion": "Descent with Young's parameter",
    "step.10.theta": "Descent with Young's parameter 2",
    "step.10.condition": "Stepsize condition of Theorem 3",
    "step.10.descent": "Descent of one outer step",
    "step.10.summed": "Descent summed over the outer steps",
    "step.10.average": "Mean squared gradient of the outer steps",
    "step.11": "Sums in the proof of Theorem 3",
    "step.11.s1": "Harmonic sum, one plus logarithm",
    "step.11.s1'": "Harmonic sum, twice the logarithm",
    "step.11.s2": "Sum with logarithm and power 1/6",
    "step.11.s3": "Sum with logarithm and power 3/4",
    "step.11.s4": "Sum of roots, first term",
    "step.11.s5": "Sum of roots, power 7/12",
    "step.11.s6": "Sum of roots, power 7/6",
    "step.11.s7": "Sum of roots, regularisation term",
    "step.11.s8": "Sum of logarithms over t",
    "step.11.s9": "Sum of squared logarithms over squares",
    "step.12": "Root of the bracket, split",
    "step.15": "Chain of Proposition 7",
    "step.15.start": "Initial distance to the projection",
    "step.15.i-display": "Error display, sharpness above 1",
    "step.15.i-schedule": "Error under the schedule, sharpness above 1",
    "step.15.ii-display": "Error display, sharpness 1",
    "step.15.ii-schedule": "Error under the schedule, sharpness 1",
}


def _joint(number: int, parts: tuple[Claim, ...], note: str = "") -> tuple[Claim, ...]:
    """The claim ``step.<number>`` that all of its parts hold, and the parts."""
    hypotheses = {h.key: h for part in parts for h in part.hypotheses}
    joint = claim(
        f"step.{number}",
        parts[0].source.place,
        parts[0].kind,
        "; ".join(part.text for part in parts),
        every(*(part.statement for part in parts if part.statement is not None)),
        title=TITLES[f"step.{number}"],
        hypotheses=tuple(hypotheses.values()),
        where={s: e for part in parts for s, e in part.where.items()},
        follows_from=tuple(
            dict.fromkeys(
                c.removeprefix(f"{PAPER}.")
                for part in parts
                for c in part.follows_from
                if not c.startswith(f"{PAPER}.step.{number}.")
            )
        ),
        note=note,
    )
    return (joint, *parts)


# --- step 10: descent with inexact gradients -------------------------------------------------------------------------

_PLACE_10 = "proof of Theorem 3 (i-1)"
SMOOTH_F = H("F_smooth", "F_λ is (L_f + 2/λ)-smooth, and ∇F_λ is its gradient")
UPDATE = H("update", "y^{t+1} = y^t - γ(∇F_λ(y^t) + e_t/λ)")
PRINTED_STEP = H("printed step", "the step is -γ(∇f(y^t) + (1/λ)(y^t - x_η^t)), with e_t = x_η^t - Π[y^t]")
_ROUGH = (L_f * lam + 2) / lam
_E_STEP = "γ²(L_f λ + 2)/λ³"
_FROM = "F_λ(y^{t+1}) <= F_λ(y^t)"
_G2 = "||∇F_λ(y^t)||²"


def _step10(
    item: str,
    text: str,
    statement: sp.Basic,
    follows_from: tuple[str, ...],
    hypotheses: tuple[Hypothesis, ...] = (SMOOTH_F, UPDATE),
    equation: str = "",
    switches: tuple[Switch, ...] = (),
) -> Claim:
    return claim(
        f"step.10.{item}",
        _PLACE_10,
        Kind.INEQUALITY,
        text,
        statement,
        title=TITLES[f"step.10.{item}"],
        equation=equation,
        hypotheses=hypotheses,
        where={c_e: WHERE_3[c_e]},
        follows_from=follows_from,
        switches=switches,
    )


_CAPPED = (SMOOTH_F, UPDATE, OUTER_STEP)
_DISTURBED = gamma**2 * (L_f * lam + 2) / lam**3
STEP10 = _joint(
    10,
    (
        _step10(
            "update",
            "the update of Algorithm 2 can be rewritten as y^{t+1} = y^t - γ(∇F_λ(y^t) + e_t/λ)",
            le(direction_gap, 0),
            ("id.Flam.gradient",),
            hypotheses=(SMOOTH_F, PRINTED_STEP),
            switches=(PENALTY,),
        ),
        _step10(
            "expansion",
            f"for any θ > 0, {_FROM} - γ {_G2} + (γ/(2θ)) {_G2} + (θγ/(2λ²)) ||e_t||² + (γ²(L_f λ + 2)/λ) {_G2} "
            f"+ ({_E_STEP}) ||e_t||²",
            le(
                F_next,
                F_prev
                - gamma * sq_grad_F
                + gamma / (2 * young) * sq_grad_F
                + young * gamma / (2 * lam**2) * sq_err
                + gamma**2 * _ROUGH * sq_grad_F
                + _DISTURBED * sq_err,
            ),
            (),
        ),
        _step10(
            "theta",
            f"setting θ = 2, {_FROM} - γ(5/4 - γ(L_f λ + 2)/λ) {_G2} + (γ/λ² + {_E_STEP}) ||e_t||²",
            le(
                F_next,
                F_prev
                - gamma * (sp.Rational(5, 4) - gamma * _ROUGH) * sq_grad_F
                + (gamma / lam**2 + _DISTURBED) * sq_err,
            ),
            ("step.10.expansion",),
        ),
        _step10(
            "condition",
            "by setting γ <= 3λ/(4(L_f λ + 2)), 5/4 - γ(L_f λ + 2)/λ <= 1/2",
            le(sp.Rational(5, 4) - gamma * _ROUGH, sp.Rational(1, 2)),
            (),
            hypotheses=(OUTER_STEP,),
        ),
        _step10(
            "descent",
            f"therefore {_FROM} - (γ/2) {_G2} + (γ/λ + {_E_STEP}) ||e_t||²",
            le(F_next, F_prev - gamma / 2 * sq_grad_F + (gamma / lam + _DISTURBED) * sq_err),
            ("step.10.theta", "step.10.condition"),
            hypotheses=_CAPPED,
        ),
        _step10(
            "summed",
            "summing over t = 0..T-1, sum ||∇F_λ(y^t)||² <= (2/γ)(F_λ(y^0) - F_λ(y^T)) "
            "+ (2/λ² + 2γ(L_f λ + 2)/λ³) sum ||e_t||²",
            le(sum_grad2, 2 / gamma * F_drop + c_e * sum_err2),
            ("step.10.descent",),
            hypotheses=_CAPPED,
        ),
        _step10(
            "average",
            "(1/T) sum_{t=0}^{T-1} E||∇F_λ(y^t)||² <= 2 γ^{-1}(F_λ(y^0) - F_λ*)/T "
            "+ (2/λ² + 2γ(L_f λ + 2)/λ³)(1/T) sum_{t=0}^{T-1} E||e_t||²",
            le(sum_grad2 / T, 2 / gamma * F_gap0 / T + c_e * sum_err2 / T),
            ("step.10.summed",),
            hypotheses=_CAPPED,
            equation="(12)",
        ),
    ),
    note="e_t = x_η^t - Π[y^t]; from the second part on, the update is the one that the proof writes, with ∇F_λ. Only "
    "||e_t||² enters there, so the sign of e_t does not matter.",
)

# --- step 11: bounds on sums over the inner calls --------------------------------------------------------------------

_KAPPA_ABOVE_1 = tuple(h for h in KAPPA_GT_1 if h.relation is not None)
_ROOT = 1 / kappa
_SIXTH, _QUARTERS, _FIVE, _SEVEN = (sp.Rational(n, d) for n, d in ((1, 6), (3, 4), (5, 12), (7, 12)))


def _sum_bound(
    item: str, text: str, term: sp.Expr, first: int, bound: sp.Expr, *, rooted: bool = False, case: str = "i-1"
) -> Claim:
    last = T + 1 if first == 2 else T
    return claim(
        f"step.11.{item}",
        f"proof of Theorem 3 ({case})",
        Kind.INEQUALITY,
        text,
        le(sp.Sum(term, (t, first, last)), bound),
        title=TITLES[f"step.11.{item}"],
        hypotheses=_KAPPA_ABOVE_1 if rooted else (),
        note=_SUM_NOTES.get(item, ""),
    )


_SUM_NOTES = {
    "s4": "Fails for κ < 17/12, where the bound tends to 0, and beyond: for κ = 2 from about T = 1.2e6 on, by 2 % at "
    "T = 5e6.",
    "s5": "Printed with the first-order constant doubled under the root, which is the second factor 2^{1/κ}.",
}
STEP11 = _joint(
    11,
    (
        _sum_bound("s1", "sum_{t=2}^{T+1} 1/(t-1) <= 1 + ln T", 1 / (t - 1), 2, 1 + sp.log(T)),
        _sum_bound("s1'", "sum_{t=2}^{T+1} 1/(t-1) <= 2 ln T", 1 / (t - 1), 2, 2 * sp.log(T), case="ii-1"),
        _sum_bound(
            "s2",
            "sum_{t=2}^{T+1} 1/(ln(t) t^{1/6}) <= 6 T^{5/6}/(5 ln T)",
            1 / (sp.log(t) * t**_SIXTH),
            2,
            6 * T ** (1 - _SIXTH) / (5 * sp.log(T)),
        ),
        _sum_bound(
            "s3",
            "sum_{t=2}^{T+1} 1/(ln(t) t^{3/4}) <= 3 T^{1/4}/(2 ln T)",
            1 / (sp.log(t) * t**_QUARTERS),
            2,
            3 * T ** (1 - _QUARTERS) / (2 * sp.log(T)),
        ),
        _sum_bound(
            "s4",
            "sum_{t=2}^{T+1} (2 ln(t)/(t^{5/12}(t-1)))^{1/κ} <= 2 (4)^{1/κ} (ln T + 1)^{1/κ} T^{1-17/(12κ)}",
            (2 * sp.log(t) / (t**_FIVE * (t - 1))) ** _ROOT,
            2,
            2 * 4**_ROOT * (sp.log(T) + 1) ** _ROOT * T ** (1 - 17 / (12 * kappa)),
            rooted=True,
        ),
        _sum_bound(
            "s5",
            "sum_{t=1}^T (2/t^{7/12})^{1/κ} <= 2^{1/κ} (2^{1/κ}/(1 - 7/(12κ))) T^{1-7/(12κ)}",
            (2 / t**_SEVEN) ** _ROOT,
            1,
            2**_ROOT * 2**_ROOT / (1 - 7 / (12 * kappa)) * T ** (1 - 7 / (12 * kappa)),
            rooted=True,
        ),
        _sum_bound(
            "s6",
            "sum_{t=1}^T (2/t^{7/6})^{1/κ} <= 2^{1/κ} T^{1-1/κ}",
            (2 / t ** (2 * _SEVEN)) ** _ROOT,
            1,
            2**_ROOT * T ** (1 - _ROOT),
            rooted=True,
        ),
        _sum_bound(
            "s7",
            "sum_{t=1}^T (4 ln(t)/t^{5/12})^{1/κ} <= 4^{1/κ} ((24κ-5)/(12κ-5)) (ln T)^{1/κ} T^{1-5/(12κ)}",
            (4 * sp.log(t) / t**_FIVE) ** _ROOT,
            1,
            4**_ROOT * (24 * kappa - 5) / (12 * kappa - 5) * sp.log(T) ** _ROOT * T ** (1 - 5 / (12 * kappa)),
            rooted=True,
        ),
        _sum_bound("s8", "sum_{t=2}^{T+1} ln(t)/t <= (ln(T + 2))²", sp.log(t) / t, 2, sp.log(T + 2) ** 2, case="ii-1"),
        _sum_bound("s9", "sum_{t=2}^{T+1} ln²(t)/t² <= 2", sp.log(t) ** 2 / t**2, 2, sp.Integer(2), case="ii-1"),
    ),
    note="Each bound is printed divided by T, for T >= 1.",
)

# --- step 12: roots of sums ------------------------------------------------------------------------------------------

_KAPPA_FROM_1 = H("kappa>=1", "κ >= 1", sp.Ge(kappa, 1, evaluate=False))
STEP12 = _joint(
    12,
    (
        claim(
            "step.12.subadditivity",
            "proof of Theorem 3 (i-1)",
            Kind.INEQUALITY,
            "the root of the bracket of Proposition 7 is split: (w1 + w2 + w3 + w4)^{1/κ} <= w1^{1/κ} + w2^{1/κ} "
            "+ w3^{1/κ} + w4^{1/κ}",
            le((w1 + w2 + w3 + w4) ** _ROOT, w1**_ROOT + w2**_ROOT + w3**_ROOT + w4**_ROOT),
            title="Subadditivity of roots",
            hypotheses=(_KAPPA_FROM_1,),
            note="Not displayed: the sums of the proof have one root for each term.",
        ),
        claim(
            "step.12.factor",
            "proof of Proposition 7 (Appendix F)",
            Kind.INEQUALITY,
            "the factor 2 before the root is moved under it: 2 w^{1/κ} <= (2 w)^{1/κ}",
            le(2 * w1**_ROOT, (2 * w1) ** _ROOT),
            title="Factor moved under the root",
            hypotheses=_KAPPA_ABOVE_1,
            note="Not displayed: Appendix F has 2||∇f||(.)^{1/κ}, Proposition 7 ||∇f|| and a 2 in the first three "
            "terms of (.); the term in M is 2 η M in both.",
        ),
    ),
)

# --- step 15: Proposition 7 from Proposition 3 -----------------------------------------------------------------------

_PLACE_15 = "proof of Proposition 7 (Appendix F)"
_WHERE_15 = WHERE_IP | {T0: D2_proj / (gamma_t * Theta_R), L: L_h + eta_g}
#: Problem (1) -> problem (4): the outer loss is g, with L = mu = 1.
_TO_PROBLEM_4 = {
    E_sq: E_err2,
    E_sq_n: E_err2,  # the inference is about a number, whichever average it belongs to
    A1: A1n,
    A2: A2n,
    G2: G_ncvx2,
    M: M_g,
    grad_f_star: grad_f_proj,
    eta: eta_g,
    mu_f: sp.S.One,
}


def for_problem_4(proposition: Claim) -> Hypothesis:
    """What a claim about problem (1) states for problem (4)."""
    return premise(proposition, _TO_PROBLEM_4, about="for problem (4)")


_ERR = T0 + gamma_t * A1n + gamma_t**2 * A2n
DISPLAY_I = le(E_err2, 2 / eta_g * _ERR + 2 * grad_f_proj * ((_ERR + 2 * eta_g * M_g) / alpha) ** _ROOT)
DISPLAY_II = le(E_err2, 2 / eta_g * _ERR)
_ERR_TEXT = "D²/(γ̃_t Θ) + γ̃_t A_1 + γ̃_t² A_2"
_WORDS = "with D² = E||x̄^0 - x^{t*}||², Θ = sum θ^r, A_1 and A_2 with G_ncvx and L_h + η"


#: The inference is about the printed gradient or any other number.
_NEUTRAL = replace(GRADIENT_OF_G, origin="")


CALL_NUMBERS = tuple(h for h in CALL if h.relation is not None)
_OWN_15 = (*_KAPPA_ABOVE_1, *CALL_NUMBERS, *STEP_CONDITIONS)
_AS_PROP7 = tuple(M_VALID_G_N if h == M_VALID_G else h for h in (*PROP7_I.hypotheses, *A_PLUS_B_1.adding))
#: The answer that a display of a proof speaks of the calls that the proof is about.
_OF_THE_CALLS = Switch(
    "of_the_calls",
    printed="what Proposition 3 (ii-3) gives",
    other="a bound on the calls, where Proposition 7 holds as read kindly",
    why="the display begins the proof of Proposition 7, which is about calls, not about whatever Proposition 3 bounds",
    substitute={old: new for switch in PROP7_I.kind_switches for old, new in switch.substitute.items()},
    without=("prop3.ii-3",),
    adding=tuple(h for h in _AS_PROP7 if h.key not in {own.key for own in _OWN_15}),
    origin="Proposition 7, whose proof the display begins",
)
_SWITCHES_15 = {
    "start": (START_AT_REGULARISED,),
    "i-display": (_NEUTRAL, _OF_THE_CALLS),
    "i-schedule": (_NEUTRAL,),
}


def _step15(
    item: str,
    text: str,
    statement: sp.Basic,
    hypotheses: tuple[Hypothesis, ...],
    follows_from: tuple[str, ...],
    note: str = "",
) -> Claim:
    return claim(
        f"step.15.{item}",
        _PLACE_15,
        Kind.INEQUALITY,
        text,
        statement,
        title=TITLES[f"step.15.{item}"],
        hypotheses=hypotheses,
        where=_WHERE_15,
        follows_from=follows_from,
        switches=_SWITCHES_15.get(item, ()),
        note=note,
    )


_SIZES_15 = (*CALL_NUMBERS, *STEP_CONDITIONS)
_REPAIRED_NOTE = "R_t^{p/2-1} is read as R_t^{p/2} - 1."
_INFERENCE_NOTE = (
    "What is tested is the inference: E||x̄_η^t - x^{t*}||² is set to the right side of Proposition 3, no call is run."
)
_DISPLAYS = (
    _step15(
        "i-display",
        "Proposition 3 (ii-3) gives E||x̄_η^t - x^{t*}||² <= "
        f"(2/η_t)({_ERR_TEXT}) + 2 ||∇f(x^{{t*}})|| ((1/α)({_ERR_TEXT} + 2 η_t M))^{{1/κ}}, {_WORDS}",
        DISPLAY_I,
        (*_KAPPA_ABOVE_1, *_SIZES_15, for_problem_4(item_of(PROP3, "ii-3"))),
        (),
        note=_INFERENCE_NOTE,
    ),
    _step15(
        "ii-display",
        f"Proposition 3 (iii-3) gives E||x̄_η^t - x^{{t*}}||² <= (2/η_t)({_ERR_TEXT}), {_WORDS}",
        DISPLAY_II,
        (*_SIZES_15, for_problem_4(item_of(PROP3, "iii-3"))),
        (),
        note=_INFERENCE_NOTE,
    ),
)
STEP15 = _joint(
    15,
    (
        _step15(
            "start",
            "E||x̄^0 - x_η*||² of Proposition 3 is replaced by E||x̄^0 - x^{t*}||²",
            le(D2, D2_proj),
            CALL,
            (),
            note="Not displayed: the displays of Appendix F have the second where Proposition 3 has the first.",
        ),
        _DISPLAYS[0],
        _step15(
            "i-schedule",
            "with γ̃_t = 1/R_t^a, η_t = p ln(R_t)/R_t^b, 0 <= b < a <= 1, that display gives Proposition 7 (i)",
            PROP7_I.statement,
            (
                *_KAPPA_ABOVE_1,
                *_SIZES_15,
                *RULE_I,
                premise(_DISPLAYS[0]),
            ),
            ("step.1.coefficient", "step.2", "step.12.factor"),
            note=f"{_REPAIRED_NOTE} The proof allows b = 0, Proposition 7 does not.",
        ),
        _DISPLAYS[1],
        _step15(
            "ii-schedule",
            "with γ̃_t = p ln(R_t)/R_t, that display gives Proposition 7 (ii)",
            PROP7_II.statement,
            (
                *(h for h in KAPPA_EQ_1 if h.relation is not None),
                *_SIZES_15,
                *RULE_II,
                premise(_DISPLAYS[1]),
            ),
            ("step.1.coefficient", "step.2"),
            note=_REPAIRED_NOTE,
        ),
    ),
)
STEPS_NONCONVEX = (*STEP10, *STEP11, *STEP12, *STEP15)
