"""Lemma D.8: descent of the Lyapunov function ``Psi = Phi_{c_t} + K gap^2``, and the steps of its proof.

What is wrong with the print: (84) leaves out a factor ``rho``, (81)-(83) have ``lambda_theta`` on the left where their
use has not, the second bracket of ``M_3'`` lacks the factor ``c_theta``, the drift of x is dropped after (88), and the
lemmas that it rests on are false (see there): the variance of the server's directions enters to the first power of the
steps.
"""

import sympy as sp

from rateproof.theory.claim import Kind, Switch
from rateproof.theory.papers.mefbo import lemma_d5, lemma_d6
from rateproof.theory.papers.mefbo import notation as p
from rateproof.theory.papers.mefbo.schedules import ADMISSIBLE, CONDITIONS, MENDED, WHERE
from rateproof.theory.proof import Ground, Part, Proof, Setting, Step, cite, have, qed, section, unfold
from rateproof.theory.shorthand import amended, eq, every, ge, gt, le, misprint, restated
from rateproof.theory.units import INNER, OUTER

_R = sp.Rational
declare = p.declare
_STEP_OF = ("proof of Lemma D.8", Kind.INEQUALITY)
F_gap = declare("F_gap", "F(x, y) - F_inf", OUTER, latex=r"(F(x,y)-\underline F)", nonnegative=True)
G_gap = declare("G_gap", "G(x, y) - v_gamma(x, y)", INNER, latex=r"(G(x,y)-v_\gamma(x,y))")

_noise_f = p.sig_f**2 / p.c_t**2 + p.sig_g**2
_f = 8 * p.L_f**2 / p.c_t**2
_tx, _te = p.tau * p.eta_x**2, p.tau * p.eta_theta**2
#: The brackets of M_3'.
_first = 6 * p.sig_g**2 + 24 * p.Het**2 + 8 * _noise_f + _f + 20 * p.L_g**2 + _tx * p.O_x
_second = 2 * p.sig_g**2 + 8 * p.Het**2 + 4 * _noise_f + _f + 2 * p.L_g**2 + _te * _tx * p.O_y
_in_theta = 3 * p.L_2**2 + 3 / p.gamma**2
_in_y = 3 * p.RATIO + (6 * p.L_1**2 / p.c_t**2 + 6 * p.L_2**2 + 3 / p.gamma**2) / 2
_young = (1 + p.delta_t) * p.K * 18 / p.rho
#: The products that M_3' adds up: a bracket, and its weight.
M_3_PRODUCTS = (
    (_first, _in_theta * p.rho / (32 * p.K * p.L_theta**2) + _young * p.G2),
    (_second, _in_y + _young / p.gamma**2),
)
LYAPUNOV_WHERE = {
    **WHERE,
    **p.YOUNG,
    p.M_1: 2 * p.K * p.beta_max * p.sig_g**2,
    p.M_2: 6 * p.K * p.beta_max * p.Het**2,
    p.M_3: sp.Add(*(bracket * weight for bracket, weight in M_3_PRODUCTS)),
}
MENDED_CONDITIONS = tuple(
    p.H_(
        f"{c.name} mended" if c != printed else c.name,
        h.text if c == printed else f"{c.name} as its use needs it",
        c.relation,
    )
    for c, printed, h in zip(MENDED, ADMISSIBLE, CONDITIONS, strict=True)
)
#: Of the conditions of Lemma D.8, as its proof uses them.
SMALL_CLIENT_STEPS = Switch(
    "client_steps",
    "tau eta^2 lambda",
    "tau eta^2",
    "(81) to (83) bound tau eta^2 lambda, but (92), (93) and the bounds on a and e need a bound on tau eta^2 alone",
    without=tuple(h.key for h, m in zip(CONDITIONS, MENDED_CONDITIONS, strict=True) if h != m),
    adding=tuple(m for h, m in zip(CONDITIONS, MENDED_CONDITIONS, strict=True) if h != m),
    origin="after Lemma D.7, 12 tau eta_y^2/gamma^2 <= 1/3 and 6 tau eta_theta^2 (L_2^2 + 1/gamma^2) <= 1/3",
)
#: The errors of (84).
ERRORS = (
    p.M_1 * p.lambda_theta**2 / (p.P * p.tau)
    + p.M_2 / p.P * p.B_P * p.lambda_theta**2
    + p.M_3 * p.tau * p.eta_theta**2 * p.lambda_theta
)
_moves = 4 * p.K * p.L_theta**2 / p.rho / p.lambda_theta * (p.step_x + p.step_y)


def descent(times: sp.Expr) -> sp.Rel:
    """(84), with the coefficient of the gap times a factor."""
    gap = p.G2_3 * p.lambda_theta * p.gap2 / (64 * p.K * p.L_theta**2) * times
    return le(p.Psi_end - p.Psi_t, -_moves - gap + ERRORS)


LEMMA_D8 = p.claim(
    "lemD.8",
    "Lemma D.8",
    Kind.INEQUALITY,
    "Psi_{c_{t+1}}(z^{t+1}) - Psi_{c_t}(z^t) <= -(4 K L_theta^2/rho)(1/lambda) (E||x^{t+1} - x^t||^2 + E||y^{t+1} - "
    "y^t||^2) - (1/(64 K L_theta^2)) (L_2^2 + 3/gamma^2) lambda gap^2 + M_1' lambda^2/(P tau) + M_2' (1/P) "
    "((n-P)/(n-1)) lambda^2 + M_3' tau eta^2 lambda",
    descent(sp.S.One),
    equation="84",
    title="Descent of the Lyapunov function",
    hypotheses=(*p.RUN, p.RISING, *CONDITIONS),
    where=LYAPUNOV_WHERE,
    follows_from=("lemD.5", "lemD.6", "lemD.7-simp", "st-89", "st-91", "st-92/93", "st-96", "st-c"),
    switches=(
        Switch(
            "gap",
            "lambda",
            "rho lambda",
            "the coefficient of the gap has not the unit of the others",
            statement=descent(p.rho),
            origin="(91)-(93) and (102) have the factor rho",
        ),
        SMALL_CLIENT_STEPS,
    ),
    note="The O(1) of M_3' are numbers here. (95) prints the stochastic error with lambda^4.",
)

# --- the steps of the proof, about numbers

#: Of the constants.
SIGNS = (
    have("rho", ge(p.rho * p.gamma, _R(1, 2)), by=[unfold(p.rho)]),
    have("L_theta", ge(p.L_theta, 0), by=["rho", unfold(p.L_theta)]),
    have("K", ge(p.K, 0), by=["L_theta", unfold(p.K)]),
)
#: The same, strictly.
POSITIVE = (
    have("rho", gt(p.rho, 0), by=[unfold(p.rho)]),
    have("L_theta", gt(p.L_theta, 0), by=["rho", unfold(p.L_theta)]),
    have("K", gt(p.K, 0), by=["L_theta", unfold(p.K)]),
)
LAMBDA_RHO = have("lambda rho", le(p.lambda_theta * p.rho, _R(4, 5)), by=["rho"])
_C_THETA = have("c_theta", eq(p.c_theta * 32 * p.K * p.L_theta**2, p.rho), by=[unfold(p.c_theta)])
L_THETA_SQUARED = have("L_theta squared", eq(p.rho**2 * p.L_theta**2, p.G2), by=["rho", unfold(p.L_theta)])
K_SQUARED = have("K squared", eq(4 * p.K**2 * p.L_theta**2, p.G2_3), by=[unfold(p.K)])
_K_POSITIVE = have("K positive", ge(2 * p.K * p.L_theta, p.L_2), by=["L_theta", "rho", unfold(p.K)])
_HALF_OF_L_PHI = (
    have("the step", CONDITIONS[0].relation),
    have("half of L_Phi", le(p.L_Phi * p.lambda_theta * p.rho, 8 * p.K * p.L_theta**2), by=["the step", "rho"]),
)
DELTA: list[Ground] = ["lambda rho", "rho", unfold(p.delta_t)]
_DRAWN = (have("A", ge(p.A_P, 0), by=[unfold(p.A_P)]), have("B", ge(p.B_P, 0), by=[unfold(p.B_P)]))
ST_89 = p.claim(
    "st-89",
    *_STEP_OF,
    "With delta = (lambda rho/4)/(1 - lambda rho/2) and (78): 1/(2 lambda_x) - L_Phi/2 - 2 K L_theta^2 (1 + 1/delta) "
    ">= 4 K L_theta^2/(rho lambda)",
    ge(
        1 / (2 * p.lambda_x) - p.L_Phi / 2 - 2 * p.K * p.L_theta**2 * (1 + 1 / p.delta_t),
        4 * p.K * p.L_theta**2 / (p.rho * p.lambda_theta),
    ),
    equation="89",
    title="The coefficient of the moves",
    hypotheses=(p.GAMMA, *CONDITIONS[:3]),
    where={**p.LYAPUNOV, **p.SMOOTHNESS, **p.YOUNG},
    proof=Proof(
        *(SIGNS[0], LAMBDA_RHO, _C_THETA, *_HALF_OF_L_PHI),
        have("lambda_x", eq(p.lambda_x * 32 * p.K * p.L_theta**2, p.rho * p.lambda_theta), by=["c_theta"]),
        qed(by=["half of L_Phi", "lambda_x", *DELTA]),
    ),
)
_OF_DELTA = "delta_{t,1} as (89) takes it, for which 1 + 1/delta = 4/(rho lambda) - 1"
_LEFT_89 = 1 / (2 * p.lambda_x) - p.L_Phi / 2


def _chain_89(less: int) -> sp.Basic:
    """(89) link by link, with ``4/(rho lambda) - less`` for ``1 + 1/delta``."""
    twice, middle = 2 * p.K * p.L_theta**2, 8 * p.K * p.L_theta**2 / (p.rho * p.lambda_theta)
    shown = 4 / (p.rho * p.lambda_theta) - less
    return every(
        eq(1 + 1 / p.delta_t, shown),
        ge(_LEFT_89 - twice * shown, _LEFT_89 - middle),
        ge(_LEFT_89 - middle, 4 * p.K * p.L_theta**2 / (p.rho * p.lambda_theta)),
    )


_ONE_LESS = "1/delta is 4/(rho lambda) - 2, and the 1 before it is left out"
ST_89_LINKS = p.claim(
    "st-89.links",
    *_STEP_OF,
    "(89) link by link: 1 + 1/delta = 4/(rho lambda) - 2; 1/(2 lambda_x) - L_Phi/2 - 2 K L_theta^2 (4/(rho lambda) - "
    "2) >= 1/(2 lambda_x) - L_Phi/2 - 8 K L_theta^2/(rho lambda) >= 4 K L_theta^2/(rho lambda)",
    _chain_89(2),
    equation="89",
    title="The coefficient of the moves, link by link",
    hypotheses=ST_89.hypotheses,
    where=ST_89.where,
    switches=(misprint("4/(rho lambda) - 1", _ONE_LESS, _chain_89(1), _OF_DELTA),),
)
ST_89_LINKS_CORRECTED = restated(
    ST_89_LINKS,
    text="As printed with 4/(rho lambda) - 1",
    proof=Proof(
        *(*SIGNS, LAMBDA_RHO, _C_THETA, *_HALF_OF_L_PHI),
        have("lambda_x", eq(p.lambda_x * 32 * p.K * p.L_theta**2, p.rho * p.lambda_theta), by=["c_theta"]),
        qed(by=DELTA),
        qed(by=["half of L_Phi", "lambda_x", "rho"], of=1),
        qed(by=["K", "rho"], of=2),
    ),
)
_rest_91 = p.c_theta * p.lambda_theta * p.G2_3
ST_91 = p.claim(
    "st-91",
    "proof of Lemma D.8",
    Kind.IDENTITY,
    "lambda_x L_2^2 + lambda_y 3/gamma^2 - K lambda rho/4 = -(1/(32 K L_theta^2)) (L_2^2 + 3/gamma^2) lambda rho, and "
    "(1 + delta) (1 - lambda rho/2) = 1 - lambda rho/4",
    every(
        eq(_rest_91 - p.K * p.lambda_theta * p.rho / 4, -p.G2_3 * p.lambda_theta * p.rho / (32 * p.K * p.L_theta**2)),
        eq((1 + p.delta_t) * (1 - p.lambda_theta * p.rho / 2), 1 - p.lambda_theta * p.rho / 4),
    ),
    equation="91",
    title="The coefficient of the gap",
    hypotheses=(p.GAMMA, CONDITIONS[1]),
    where={**p.LYAPUNOV, **p.YOUNG},
    proof=Proof(
        *(SIGNS[0], LAMBDA_RHO, _C_THETA, K_SQUARED),
        qed(by=["c_theta", *DELTA]),
        qed(by=["rho", "c_theta", "K squared", unfold(p.c_theta)], of=1),
    ),
)
LARGEST = p.H_("beta_max<=n", "beta_max/n is the largest weight, which is at most 1", le(p.beta_max, p.n))
_TRACKED = (1 + p.delta_t) * (
    1
    - p.rho * p.lambda_theta
    + 4 * p.G2 * p.A_P * p.lambda_theta**2
    + 6 * p.G2 * p.beta_max / p.P * p.B_P * p.lambda_theta**2
) - 1
_MOVED_91 = p.lambda_x * p.L_2**2 + p.lambda_y * 3 / p.gamma**2
_TO_91 = _MOVED_91 - p.K * p.lambda_theta * p.rho / 4
_SIGN = "the minus before K turns a descent of the gap into a growth"
_SUM_88 = "(88), which K times a coefficient of the gap is added to"
_BY_79 = le(_MOVED_91 + p.K * _TRACKED, _TO_91)
#: The print says ``w_i <= beta_max/n`` only.
_LARGEST = (
    " beta_max is n times the largest weight here; for a larger number (79), which has n where (88) has beta_max, does "
    "not do."
)
_FOR_91 = (p.GAMMA, p.P_N, p.TWO_CLIENTS, LARGEST)
ST_91_SIGN = p.claim(
    "st-91.sign",
    *_STEP_OF,
    "The first line of (91): lambda_x L_2^2 + lambda_y 3/gamma^2 - K ((1 + delta) (1 - rho lambda + 4 G_2 A lambda^2 "
    "+ 6 G_2 (beta_max/P) B lambda^2) - 1) <= lambda_x L_2^2 + lambda_y 3/gamma^2 - K lambda rho/4",
    le(_MOVED_91 - p.K * _TRACKED, _TO_91),
    equation="91",
    title="The sign of the coefficient of the gap",
    hypotheses=(*_FOR_91, *CONDITIONS),
    where={**WHERE, **p.YOUNG},
    switches=(misprint("+ K", _SIGN, _BY_79, _SUM_88),),
    note="(88) prints the same minus, where its part (a) adds K times the gap." + _LARGEST,
)
_OF_91: tuple[Step, ...] = (
    *(*SIGNS, LAMBDA_RHO, *_DRAWN),
    have("G_2", gt(p.G2, 0)),
    have("drawn", gt(4 * p.A_P + 6 * p.n / p.P * p.B_P, 0), by=[unfold(p.A_P, p.B_P)]),
    have("the condition", CONDITIONS[6].relation),
    have(
        "(79)",
        le(p.lambda_theta * p.G2 * (4 * p.A_P + 6 * p.n / p.P * p.B_P), p.rho / 2),
        by=["the condition", "drawn", "G_2"],
    ),
    have("largest", le(p.beta_max * p.B_P, p.n * p.B_P), by=["B"]),
    have(
        "drawn weights",
        le(p.lambda_theta * p.G2 * (4 * p.A_P + 6 * p.beta_max / p.P * p.B_P), p.rho / 2),
        by=["(79)", "largest"],
    ),
    have("tracked", le(_TRACKED, -p.lambda_theta * p.rho / 4), by=["drawn weights", *DELTA]),
    qed(by=["tracked", "K"]),
)
ST_91_SIGN_CORRECTED = restated(ST_91_SIGN, text="As printed with + K", note="", proof=Proof(*_OF_91))
ST_91_A = p.claim(
    "st-91.a",
    *_STEP_OF,
    "Step (a) of (91), said to come from (80): lambda_x L_2^2 + lambda_y 3/gamma^2 + K ((1 + delta) (1 - rho lambda + "
    "4 G_2 A lambda^2 + 6 G_2 (beta_max/P) B lambda^2) - 1) <= lambda_x L_2^2 + lambda_y 3/gamma^2 - K lambda rho/4",
    _BY_79,
    equation="91",
    title="The condition behind the gap",
    hypotheses=(*_FOR_91, *CONDITIONS),
    where={**WHERE, **p.YOUNG},
    switches=(
        Switch(
            "conditions",
            "all of the lemma",
            "(78) and (80)",
            "(80) bounds the weights of the drifts, (79) those of the gap: a wrong number in the sentence, no missing "
            "condition",
            without=tuple(h.key for h in (*CONDITIONS[6:7], *CONDITIONS[11:])),
        ),
    ),
    note="With the sign that is meant (mefbo.st-91.sign). It comes from (79), which the lemma assumes." + _LARGEST,
    proof=Proof(*_OF_91),
)
_drawn = 6 * p.A_P * p.lambda_theta**2 + 9 * p.beta_max / p.P * p.B_P * p.lambda_theta**2 + 6 / p.rho * p.lambda_theta
_eta2 = p.tau * p.eta_theta**2 * p.G2
_target = p.G2_3 * p.lambda_theta * p.rho / (128 * p.K * p.L_theta**2)
_young_drawn = (1 + p.delta_t) * p.K * _drawn
#: Times what the drifts of y and theta are absorbed, their coefficients by Lemmas D.5 and D.6, and by which condition.
_ABSORBED = {"y": (20, p.c_theta * _in_y, 1 / p.gamma**2, "(81)"), "theta": (48, p.c_theta * _in_theta, p.G2, "(82)")}
_drifts = [
    times * _eta2 * (first * p.lambda_theta + _young_drawn * weight) for times, first, weight, _ in _ABSORBED.values()
]
_ABSORB = every(*(le(drift, _target) for drift in _drifts))
#: The coefficients of E||dx||^2, E||dy||^2 and gap^2 that (88) collects, with the drifts as (75) and (76) bound them.
COEFFICIENTS = (
    *(
        -(1 / (2 * step) - p.L_Phi / 2 - 2 * p.K * p.L_theta**2 * (1 + 1 / p.delta_t))
        for step in (p.lambda_x, p.lambda_y)
    ),
    p.lambda_x * p.L_2**2
    + p.lambda_y * 3 / p.gamma**2
    + p.K
    * (
        (1 + p.delta_t)
        * (
            1
            - p.rho * p.lambda_theta
            + 4 * p.G2 * p.A_P * p.lambda_theta**2
            + 6 * p.G2 * p.beta_max / p.P * p.B_P * p.lambda_theta**2
        )
        - 1
    )
    + sum(_drifts),
)
ST_92 = p.claim(
    "st-92/93",
    *_STEP_OF,
    "20 tau eta^2 G_2 and 48 tau eta^2 G_2, with G_2 = L_2^2 + 1/gamma^2, times the coefficients of Delta_y and "
    "Delta_theta are at most (1/(128 K L_theta^2)) (L_2^2 + 3/gamma^2) lambda rho",
    _ABSORB,
    equation="92",
    title="Drift terms absorbed by the gap",
    hypotheses=(p.GAMMA, p.P_N, p.TWO_CLIENTS, *CONDITIONS),
    where={**WHERE, **p.YOUNG},
    switches=(SMALL_CLIENT_STEPS,),
)
_NOT_ZERO = ("rho", "K positive", "L_theta", "K")
_MENDED_BY_NAME = {h.key.split()[0]: h.relation for h in MENDED_CONDITIONS}


def _absorbed(of: str, conjunct: int) -> tuple[Part, ...]:
    times, first, weight, condition = _ABSORBED[of]
    coefficient, whole = first * p.lambda_theta + _young_drawn * weight, first + 36 * p.K / p.rho * weight
    return (
        section(f"The drifts of {of}"),
        have(f"of {of}", le(coefficient, p.lambda_theta * whole), by=["with Young's factor", "rho"]),
        have(f"{condition} mended", _MENDED_BY_NAME[condition], by=_NOT_ZERO),
        have(
            condition,
            le(times * _eta2 * whole, _target / p.lambda_theta),
            by=[f"{condition} mended", *_NOT_ZERO, unfold(p.c_theta)],
        ),
        qed(
            by=[condition, "tau", f"of {of}", *_NOT_ZERO],
            of=conjunct,
            multipliers=[p.lambda_theta, times * p.eta_theta**2 * p.G2 * (p.lambda_theta * whole - coefficient)],
        ),
    )


ST_92_CORRECTED = amended(
    ST_92,
    SMALL_CLIENT_STEPS.why,
    text="As printed, with tau eta^2 for tau eta^2 lambda in (81), (82) and (83), and 6 tau eta^2 (L_2^2 + 1/gamma^2) "
    "<= 1/3",
    hypotheses=(p.GAMMA, p.P_N, p.TWO_CLIENTS, *MENDED_CONDITIONS),
    setting=Setting(measured=(p.tau,)),
    proof=Proof(
        section("Signs and sizes of the constants"),
        *(*SIGNS, LAMBDA_RHO, _K_POSITIVE, *_DRAWN),
        have("delta", le(p.delta_t, 1), by=DELTA),
        have("delta >= 0", ge(p.delta_t, 0), by=DELTA),
        section("Weights of the drawn clients"),
        have("(80a)", _MENDED_BY_NAME["(80a)"], by=["rho"]),
        have("(80c)", _MENDED_BY_NAME["(80c)"], by=["rho"]),
        have("spread", le(9 * p.beta_max / p.P * p.B_P * p.lambda_theta, 6 / p.rho), by=["(80a)", "rho"]),
        have("mean", le(6 * p.A_P * p.lambda_theta, 6 / p.rho), by=["(80c)", "rho"]),
        have("drawn", le(_drawn, 18 / p.rho * p.lambda_theta), by=["spread", "mean", "rho"]),
        have(
            "with Young's factor",
            le(_young_drawn, 36 * p.K / p.rho * p.lambda_theta),
            by=["drawn", "delta", "delta >= 0", "K", "rho"],
        ),
        have("tau", ge(p.tau, 0)),
        *_absorbed("theta", 0),
        *_absorbed("y", 1),
    ),
)
_LACKS = "the second bracket of M_3' lacks the factor rho/(32 K L_theta^2) of lambda_x and lambda_y"
_BESIDE = "the left side of (96), where they come with lambda_x and lambda_y"
_RATIO = p.rho / (32 * p.K * p.L_theta**2)
_M_3 = _first * (_in_theta * _RATIO + _young * p.G2) + _second * (_in_y * _RATIO + _young / p.gamma**2)
_eps_cd = _te * _first * (p.c_theta * p.lambda_theta * _in_theta + _young * p.G2 * p.lambda_theta) + _te * _second * (
    p.c_theta * p.lambda_theta * _in_y + _young / p.gamma**2 * p.lambda_theta
)
ST_96 = p.claim(
    "st-96",
    "proof of Lemma D.8",
    Kind.IDENTITY,
    "eps_cd = M_3' tau eta^2 lambda, with tau eta_theta^2 lambda taken out of (96)",
    eq(_eps_cd, p.M_3 * p.tau * p.eta_theta**2 * p.lambda_theta),
    equation="96",
    title="The error of client drift",
    hypotheses=(p.GAMMA, CONDITIONS[1]),
    where=LYAPUNOV_WHERE,
    switches=(misprint("with that factor", _LACKS, eq(_eps_cd, _M_3 * _te * p.lambda_theta), _BESIDE),),
    note="The second bracket of M_3' lacks the factor rho/(32 K L_theta^2) of lambda_x and lambda_y. Its O(1), beside "
    "tau eta_x^2 on the left of (96) and beside tau eta_theta^2 tau eta_x^2 in M_3', is as in M_3' on both sides here.",
)
ST_96_CORRECTED = amended(
    ST_96,
    _LACKS,
    text="As printed, with rho/(32 K L_theta^2) before the terms of the second bracket that have no K",
    origin=_BESIDE,
    where={**LYAPUNOV_WHERE, p.M_3: _M_3},
    note="",
    setting=Setting(),
    proof=Proof(
        *(*SIGNS, LAMBDA_RHO, _C_THETA, _K_POSITIVE),
        have("delta >= 0", ge(p.delta_t, 0), by=DELTA),
        qed(by=[unfold(p.M_3, p.c_theta), "rho", "L_theta", "K positive"]),
    ),
)
_OFF = declare("Phi_now", "Phi_{c_t}(z)", INNER, latex=r"\Phi_{c_t}(z)", defined=True)
_ON = declare("Phi_next", "Phi_{c_{t+1}}(z)", INNER, latex=r"\Phi_{c_{t+1}}(z)", defined=True)
ST_C = p.claim(
    "st-c",
    *_STEP_OF,
    "Phi_{c_{t+1}}(z) <= Phi_{c_t}(z), as c_t does not decrease and F >= F_inf",
    le(_ON, _OFF),
    title="A larger penalty lowers the function",
    hypotheses=(p.RISING,),
    where={_OFF: F_gap / p.c_t + G_gap, _ON: F_gap / p.c_next + G_gap},
    setting=Setting(measured=(F_gap, G_gap)),
    proof=Proof(have("the penalties", le(1 / p.c_next, 1 / p.c_t)), qed(by=["the penalties", unfold(_OFF, _ON)])),
)

# --- the corrected lemma: the drifts and the variances of the directions stay

#: Half the ratio of (78), as half of ``1/(2 lambda_x)`` pays for the variances.
HALF_RATIO = p.rho / (64 * p.K * p.L_theta**2)
CORRECTED_CONDITIONS = (
    *CONDITIONS[:2],
    p.H_("lambda_x/2", "lambda_x = rho/(64 K L_theta^2) lambda_theta", eq(p.lambda_x, HALF_RATIO * p.lambda_theta)),
    p.H_("lambda_y/2", "lambda_y = rho/(64 K L_theta^2) lambda_theta", eq(p.lambda_y, HALF_RATIO * p.lambda_theta)),
    p.H_(
        "(79)/2",
        "4 (L_2^2 + 1/gamma^2) (2 A_P + 3 (beta_max/P) B_P) lambda_theta <= rho/2",
        le(4 * p.G2 * (2 * p.A_P + 3 * p.beta_max / p.P * p.B_P) * p.lambda_theta, p.rho / 2),
    ),
)
_NOISE = (
    p.lambda_x * lemma_d5.var_x
    + p.lambda_y * lemma_d5.var_y
    + _R(8, 3) * p.K * p.lambda_theta**2 * p.beta_max / p.P * (3 * p.B_P * p.Het**2 + p.sig_g**2 / p.tau)
)
_GAP = le(*(side.subs(p.delta, p.delta_t) for side in lemma_d6.gap_descent(2).args))
_moved = -4 * p.K * p.L_theta**2 / (p.rho * p.lambda_theta)
_beside = 2 * p.K * p.L_theta**2 * (1 + 1 / p.delta_t) + p.L_Phi / 2
_tracking = (1 + p.delta_t) * (
    1 - p.rho * p.lambda_theta + 2 * p.lambda_theta**2 * p.G2 * (4 * p.A_P + 6 * p.beta_max / p.P * p.B_P)
)
_young_drift = p.K * (1 + p.delta_t) * lemma_d6.drift_factor(2)
_per_rho = p.K * p.lambda_theta / p.rho
_of_f = 6 * p.lambda_x * p.L_1**2 / p.c_t**2
_WHY_MOVES = ("half of L_Phi", "1/delta", "lambda rho", "K squared")
_WHY_DRIFTS = ("Young's factor", "a small part", "one step of the server")
#: What a round has on the right: the coefficient by Lemmas D.5 and D.6, what it is at most, and why.
_COEFFICIENTS = {
    p.step_x: (_beside - 1 / (4 * p.lambda_x), _moved, _WHY_MOVES),
    p.step_y: (_beside - 1 / (4 * p.lambda_y), _moved, _WHY_MOVES),
    # (1/(64 K L_theta^2)) (L_2^2 + 3/gamma^2) is K/16
    p.gap2: (
        lemma_d5.COEFF_GAP - p.K + p.K * _tracking,
        -p.K / 16 * p.rho * p.lambda_theta,
        ("lambda_x in K", "one step of the server", "tracking"),
    ),
    p.D_x: (lemma_d5.COEFF_X + _young_drift * p.L_2**2, _of_f + 10 * _per_rho * p.L_2**2, _WHY_DRIFTS),
    p.D_y: (lemma_d5.COEFF_Y_PROOF + _young_drift / p.gamma**2, _of_f + 10 * _per_rho / p.gamma**2, _WHY_DRIFTS),
    p.D_theta: (lemma_d5.COEFF_T + _young_drift * p.G2, 12 * _per_rho / p.gamma**2, _WHY_DRIFTS),
}
CHAIN = Setting(
    metrics={
        p.Phi_later: p.Phi_end - F_gap * (1 / p.c_t - 1 / p.c_next),
        p.Psi_t: p.Phi_t + p.K * p.gap2,
        p.Psi_end: p.Phi_later + p.K * p.gap2_end,
    },
    others=(lemma_d5.LEMMA_D5_CORRECTED.setting, lemma_d6.LEMMA_D6_CORRECTED.setting),  # type: ignore[arg-type]
    measured=(p.Phi_t, p.Phi_end, F_gap, p.gap2_end, *_COEFFICIENTS, lemma_d5.var_x, lemma_d5.var_y),
)
LEMMA_D8_CORRECTED = amended(
    LEMMA_D8,
    "the variances of h_x and h_y enter by Lemma D.5, (79) and c_theta need a factor 1/2, (84) a factor rho, and the "
    "drifts cannot be eliminated by the printed Lemma D.7: they stay on the right",
    text="Under lambda <= 8 K L_theta^2/(rho L_Phi), lambda <= 4/(5 rho) and 4 G_2 (2 A + 3 (beta_max/P) B) lambda <= "
    "rho/2 (half of (79), with beta_max for n; A, B and G_2 as in Lemma D.6), without (80)-(83) and for any client "
    "steps, for n >= 2 and lambda_x = lambda_y = rho/(64 K L_theta^2) lambda: Psi_{c_{t+1}}(z^{t+1}) - Psi_{c_t}(z^t) "
    "<= -(4 K L_theta^2/rho)(1/lambda) (E||x^{t+1} - x^t||^2 + E||y^{t+1} - y^t||^2) - (1/(64 K L_theta^2)) (L_2^2 + "
    "3/gamma^2) rho lambda gap^2 + 6 lambda_x (L_1^2/c^2) (Delta_x + Delta_y) + (K lambda/rho) (10 L_2^2 Delta_x + "
    "(10/gamma^2) Delta_y + (12/gamma^2) Delta_theta) + lambda_x E||h_x - htilde_x||^2 + lambda_y E||h_y - "
    "htilde_y||^2 + (8/3) K lambda^2 (beta_max/P) (3 B Delta^2 + sigma_g^2/tau)",
    statement=le(
        p.Psi_end - p.Psi_t, sp.Add(*(most * metric for metric, (_, most, _) in _COEFFICIENTS.items())) + _NOISE
    ),
    hypotheses=(*p.RUN, p.TWO_CLIENTS, p.RISING, *CORRECTED_CONDITIONS),
    where={**WHERE, **p.YOUNG},
    follows_from=("lemD.5.corrected", "lemD.6.corrected", "st-c"),
    note="As the variances enter with the first power of lambda, the sum over the rounds does not show that R_t "
    "vanishes.",
    setting=CHAIN,
    proof=Proof(
        section("Signs and sizes of the constants"),
        *(*SIGNS, LAMBDA_RHO, K_SQUARED, *_DRAWN, *_HALF_OF_L_PHI),
        have("G_2", ge(p.G2, p.rho**2), by=["rho", unfold(p.rho)]),
        section("The parameter of Young's inequality"),
        have("delta", ge(4 * p.delta_t, p.lambda_theta * p.rho), by=DELTA),
        have("a third", le(p.delta_t, _R(1, 3)), by=DELTA),
        have("rho > 0", gt(p.rho, 0), by=["rho"]),
        have("delta > 0", gt(p.delta_t, 0), by=["delta", "rho > 0"]),
        have("1/delta", le(p.lambda_theta * p.rho * (1 + 1 / p.delta_t), 4), by=DELTA),
        section("The conditions on the steps"),
        have("lambda_x", CORRECTED_CONDITIONS[2].relation),
        have("lambda_y", CORRECTED_CONDITIONS[3].relation),
        have("one step of the server", eq(p.lambda_y, p.lambda_x), by=["lambda_x", "lambda_y", "K squared"]),
        have("lambda_x in K", eq(16 * p.G2_3 * p.lambda_x, p.K * p.rho * p.lambda_theta), by=["lambda_x", "K squared"]),
        have("a small part", le(48 * p.lambda_x, _per_rho), by=["lambda_x in K", "rho", "K", unfold(p.rho)]),
        have("the condition", CORRECTED_CONDITIONS[-1].relation),
        have("tracking", le(_tracking, 1 - p.lambda_theta * p.rho / 4), by=["the condition", *DELTA]),
        have(
            "drawn",
            le(8 * p.rho * p.lambda_theta * (2 * p.A_P + 3 * p.beta_max / p.P * p.B_P), 1),
            by=["the condition", "G_2", "A", "B", "rho"],
        ),
        have("Young's factor", le(_young_drift, 9 * _per_rho), by=["drawn", "a third", "delta", "A", "B", "rho", "K"]),
        section("Lemmas D.5 and D.6 together"),
        have("the penalties", le(1 / p.c_next, 1 / p.c_t)),
        have("a larger penalty", le(p.Phi_later, p.Phi_end), by=["the penalties"]),
        have("Phi", lemma_d5.LEMMA_D5_CORRECTED.statement, by=[cite("mefbo.lemD.5.corrected")]),
        have("the gap", _GAP, by=[cite("mefbo.lemD.6.corrected", at={p.delta: p.delta_t}), "delta", "rho"]),
        section("The coefficients one by one"),
        *(
            step
            for metric, (coefficient, most, why) in _COEFFICIENTS.items()
            for step in (
                have(f"coefficient of {metric}", le(coefficient, most), by=[*why, "K", "delta", "rho"]),
                have(
                    f"{metric}",
                    le(coefficient * metric, most * metric),
                    by=[f"coefficient of {metric}", "delta > 0", "rho > 0"],
                ),
            )
        ),
        qed(
            by=[
                *("Phi", "the gap", "a larger penalty", *map(str, _COEFFICIENTS)),
                *("a third", "K", "delta", "rho", "B", "K squared"),
            ],
            multipliers=[1, p.K, 1, *[1] * len(_COEFFICIENTS)],
        ),
    ),
)
CLAIMS = (
    LEMMA_D8,
    LEMMA_D8_CORRECTED,
    ST_89,
    ST_89_LINKS,
    ST_89_LINKS_CORRECTED,
    ST_91,
    ST_91_SIGN,
    ST_91_SIGN_CORRECTED,
    ST_91_A,
    ST_92,
    ST_92_CORRECTED,
    ST_96,
    ST_96_CORRECTED,
    ST_C,
)
