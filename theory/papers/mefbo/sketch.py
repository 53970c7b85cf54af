"""Appendix D.2: the proof sketch, whose O(.) are constants here."""

from dataclasses import replace

import sympy as sp

from rateproof.theory.claim import Claim, Kind, Reason, conjuncts
from rateproof.theory.gram import dot, norm2
from rateproof.theory.papers.mefbo import lemma_d5, lemma_d6, lemma_d8
from rateproof.theory.papers.mefbo import notation as p
from rateproof.theory.papers.mefbo.lemma_d6 import PRINTED as GAP_HYPOTHESES
from rateproof.theory.papers.mefbo.lemma_d7 import AS_NUMBERS, DRIFT_X, LIPSCHITZ, SMALL_STEPS, ST_66_CORRECTED
from rateproof.theory.papers.mefbo.lemma_d8 import ERRORS, LYAPUNOV_WHERE, SIGNS, SMALL_CLIENT_STEPS
from rateproof.theory.papers.mefbo.one_round import ROUND, f_z, fx, fy, g_s, g_z, inside, s, sy, t, wider, x, y
from rateproof.theory.papers.mefbo.schedules import BY_KEY, CONDITIONS, WHERE
from rateproof.theory.papers.mefbo.theorem_d11 import (
    D11_109_CORRECTED,
    MEASURE_BOUND,
    MEASURE_TEXT,
    sum_l2,
    sum_l2e2,
    sum_lR,
)
from rateproof.theory.proof import (
    SEQUENCES,
    Mean,
    Proof,
    Setting,
    cite,
    have,
    infimum,
    optimal,
    qed,
    section,
    smooth,
    unfold,
    written_out,
)
from rateproof.theory.shorthand import amended, eq, every, ge, gt, le
from rateproof.theory.symbols import C_O

#: ``lambda_theta`` times what (30) has beside the drift.
S_p = (p.step_x + p.step_y) / p.lambda_theta + p.lambda_theta * p.gap2
_drifts = p.D_x + p.D_y + p.D_theta
_te, _tx, _ty = (p.tau * eta**2 for eta in (p.eta_theta, p.eta_x, p.eta_y))
_noise = p.sig_f**2 / p.c_t**2


def _shown_by(sketched: Claim, shown: Claim, *why: str, origin: str = "") -> Claim:
    """A claim of the sketch corrected: what a corrected claim that is proved states."""
    return amended(
        sketched,
        (*why, *(Reason(reason.text, reason.origin or shown.amends or "") for reason in shown.why)),
        origin=origin,
        text=shown.text,
        statement=shown.statement,
        hypotheses=shown.hypotheses,
        where=shown.where,
        follows_from=(shown.id.removeprefix("mefbo."),),
        note="",
        setting=shown.setting,
        proof=Proof(qed(by=[cite(shown.id)], multipliers=[1])),
    )


SK_30 = p.claim(
    "sk-30",
    "Appendix D.2, Step 1",
    Kind.INEQUALITY,
    "R_t(z^{t+1}) <= (1/lambda_theta) S_p + O(lambda_theta tau eta_theta^2), S_p = O(1/lambda_theta) (||x^{t+1} - "
    "x^t||^2 + ||y^{t+1} - y^t||^2) + O(lambda_theta) ||theta - theta*||^2",
    le(p.R_end, C_O * (S_p / p.lambda_theta + p.lambda_theta * p.tau * p.eta_theta**2)),
    equation="30",
    title="The measure after a round",
    hypotheses=(*p.RUN, *CONDITIONS),
    where=WHERE,
    follows_from=("thmD.11-109",),
    switches=(SMALL_CLIENT_STEPS,),
    note="The error of the mean direction is that of the drift, of the order tau^2 eta^2 without lambda, and of the "
    "noise; the projected step knows the direction, not its mean.",
)
SK_30_CORRECTED = amended(
    SK_30,
    D11_109_CORRECTED.why[0].text,
    text=f"R_t(z^{{t+1}}) <= 4 {MEASURE_TEXT}",
    statement=le(p.R_end, MEASURE_BOUND),
    hypotheses=p.RUN,
    where=p.LIP,
    follows_from=("thmD.11-109.corrected",),
    note="",
    setting=D11_109_CORRECTED.setting,
    proof=Proof(qed(by=[cite(D11_109_CORRECTED.id)], multipliers=[1 / p.lambda_theta])),
)
F_inf = sp.Symbol("F_inf", real=True)
SK_31 = p.claim(
    "sk-31",
    "Appendix D.2, Step 2",
    Kind.INEQUALITY,
    "Psi_{c_t} = Phi_{c_t} + K E||theta - theta*||^2 is nonnegative, where Phi_{c_t} = (F - F_inf)/c_t + G - v_gamma "
    ">= 0",
    ge(p.Phi_t + p.K * p.gap2, 0),
    equation="31",
    title="The Lyapunov function is nonnegative",
    hypotheses=(*p.RUN,),
    where=p.LYAPUNOV,
    follows_from=("PhiPos",),
    setting=wider(
        ROUND,
        functions={"F": {"z": (x + y, fx + fy, f_z)}, "Y": {"y": (y, y, inside)}},
        made={"F": Mean("f_i", "client")},
        infima={"F": F_inf},
        metrics={p.Phi_t: (f_z - F_inf) / p.c_t + g_z - g_s - norm2(s - y) / (2 * p.gamma)},
        measured=(F_inf,),
    ),
    proof=Proof(
        have("F >= F_inf", ge(f_z, F_inf), by=[infimum("F", "z")]),
        have("theta* is optimal", ge(dot(sy + (s - y) / p.gamma, y - s), 0), by=[optimal("M"), written_out("m")]),
        have(
            "G >= v",
            ge(g_z - g_s - norm2(s - y) / (2 * p.gamma), 0),
            by=["theta* is optimal", smooth("G", "z", "theta*")],
        ),
        have("Phi", ge(p.Phi_t, 0), by=["F >= F_inf", "G >= v"]),
        *SIGNS,
        qed(by=["Phi", "K"]),
    ),
)
SK_33 = p.claim(
    "sk-33",
    "Appendix D.2, Step 2",
    Kind.INEQUALITY,
    "S_p <= Psi_{c_t}(z^t) - Psi_{c_{t+1}}(z^{t+1}) + eps_sto + eps_dh + eps_cd",
    le(S_p, C_O * (p.Psi_t - p.Psi_end + ERRORS)),
    equation="33",
    title="Moves and gap against the descent",
    hypotheses=(*p.RUN, p.RISING, *CONDITIONS),
    where=LYAPUNOV_WHERE,
    follows_from=("lemD.8",),
    switches=(SMALL_CLIENT_STEPS,),
)
SK_33_CORRECTED = _shown_by(SK_33, lemma_d8.LEMMA_D8_CORRECTED)
SK_34 = p.claim(
    "sk-34",
    "Appendix D.2, Step 2",
    Kind.BOUND,
    "sum_t lambda R_t <= O((1/(P tau)) sum lambda^2) + O((1/P) ((n-P)/(n-1)) sum lambda^2) + O(sum lambda^2 tau "
    "eta^2) + Psi_{c_0}(z^0)",
    le(sum_lR, C_O * (sum_l2 / (p.P * p.tau) + p.B_P * sum_l2 / p.P + p.tau * sum_l2e2) + p.Psi_0),
    equation="34",
    title="The sum of the measures, in the sketch",
    hypotheses=(*p.RUN, p.ONE_PENALTY, *CONDITIONS),
    where=WHERE,
    follows_from=("thmD.11-110",),
)
SK_A = p.claim(
    "sk-a",
    "Appendix D.2, Step a",
    Kind.INEQUALITY,
    "Phi(z^{t+1}) - Phi(z^t) <= -O(1/lambda_x) E||x^{t+1} - x^t||^2 - O(1/lambda_y) E||y^{t+1} - y^t||^2 + O(lambda_x "
    "+ lambda_y) (gap^2 + Delta_x + Delta_y + Delta_theta)",
    le(
        p.Phi_end - p.Phi_t,
        -(p.step_x / p.lambda_x + p.step_y / p.lambda_y) / C_O + C_O * (p.lambda_x + p.lambda_y) * (p.gap2 + _drifts),
    ),
    title="Descent in the sketch",
    hypotheses=(*p.RUN, *CONDITIONS),
    where=WHERE,
    follows_from=("lemD.5",),
    switches=(SMALL_CLIENT_STEPS,),
)
SK_A_CORRECTED = _shown_by(SK_A, lemma_d5.LEMMA_D5_CORRECTED)
C_gap = p.declare(
    "C_gap", "constant hidden in O(lambda) (1 + delta)", p.CURVATURE, latex="C_b", defined=True, positive=True
)
SK_B = p.claim(
    "sk-b",
    "Appendix D.2, Step b",
    Kind.INEQUALITY,
    "gap_{t+1}^2 - gap_t^2 <= 2 L_theta^2 (1 + 1/delta) (E||x^{t+1} - x^t||^2 + E||y^{t+1} - y^t||^2) + (1 + delta) "
    "lambda^2 E||h_theta||^2 + ((1 + delta) (1 - lambda rho) - 1) gap^2 + O(lambda) (1 + delta) (Delta_x + Delta_y + "
    "Delta_theta)",
    le(
        p.gap2_end - p.gap2,
        2 * p.L_theta**2 * (1 + 1 / p.delta) * (p.step_x + p.step_y)
        + (1 + p.delta) * p.lambda_theta**2 * p.h_theta2
        + ((1 + p.delta) * (1 - p.lambda_theta * p.rho) - 1) * p.gap2
        + C_gap * p.lambda_theta * (1 + p.delta) * _drifts,
    ),
    title="The gap in the sketch",
    hypotheses=GAP_HYPOTHESES,
    where={**p.LIP, C_gap: 6 * p.G2 / p.rho},
    follows_from=("st-54", "st-55/56", "st-57"),
    note="The constant of O(lambda) is not printed; (57) gives 6 (L_2^2 + 1/gamma^2)/rho. Lemma D.6, from which it is "
    "said to follow, is false; (54), (56) and (57) are enough, as ||h_theta||^2 stays.",
    setting=wider(lemma_d6.GAP, functions={"Y": {"theta": (t, t, inside)}}),
    proof=Proof(
        lemma_d8.POSITIVE[0],
        have("(54)", lemma_d6.ST_54.statement, by=[cite("mefbo.st-54")]),
        have("(56)", lemma_d6.ST_55.statement, by=[cite("mefbo.st-55/56")]),
        have("(57)", lemma_d6.ST_57.statement, by=[cite("mefbo.st-57"), "rho"]),
        qed(
            by=["(54)", "(56)", "(57)", "rho", unfold(C_gap)],
            multipliers=[1, 1 + p.delta, 2 * p.lambda_theta * (1 + p.delta)],
        ),
    ),
)
SK_35 = p.claim(
    "sk-35",
    "Appendix D.2, Step c",
    Kind.INEQUALITY,
    "E||h_theta||^2 <= O(beta_max/(P tau)) sigma_g^2 + O((n/P) (n-P)/(n-1)) (Delta_x + Delta_y + Delta_theta + gap^2) "
    "+ O((beta_max/(P tau)) (n-P)/(n-1)) (Delta_x + Delta_y + Delta_theta + Delta^2 + gap^2)",
    le(
        p.h_theta2,
        C_O * p.beta_max / (p.P * p.tau) * p.sig_g**2
        + C_O * p.n / p.P * p.B_P * (_drifts + p.gap2)
        + C_O * p.beta_max / (p.P * p.tau) * p.B_P * (_drifts + p.Het**2 + p.gap2),
    ),
    equation="35",
    title="Second moment in the sketch",
    hypotheses=GAP_HYPOTHESES,
    where=p.SAMPLING,
    follows_from=("st-63",),
    note="(63) has (P-1)/(n-1) in the second term and no tau in the third.",
)
SK_35_CORRECTED = _shown_by(
    SK_35,
    lemma_d6.ST_63_CORRECTED,
    "the second term has the factor (P-1)/(n-1) for (n-P)/(n-1), and the third no 1/tau",
    origin="(63), which has these factors; the O(.) covers that its right side is doubled",
)
_SMALL_STEPS = replace(
    SMALL_STEPS, why="the bounds of Lemma D.7, which these sketch, are used for small client steps only"
)
SK_D = p.claim(
    "sk-d",
    "Appendix D.2, Step d",
    Kind.INEQUALITY,
    "Delta_x <= O(eta_x^2 tau) (sigma_f^2/c^2 + 2 sigma_g^2 + L_f^2/c^2 + 2 L_g^2); Delta_theta <= O(tau eta_theta^2) "
    "(sigma_g^2 + Delta_x + Delta_theta + Delta_y + Delta^2 + gap^2); Delta_y <= O(tau eta_y^2) (sigma_f^2/c^2 + "
    "sigma_g^2 + L_f^2/c^2 + L_g^2 + Delta_theta + Delta_y + gap^2)",
    every(
        le(p.D_x, C_O * _tx * (_noise + 2 * p.sig_g**2 + p.L_f**2 / p.c_t**2 + 2 * p.L_g**2)),
        le(p.D_theta, C_O * _te * (p.sig_g**2 + _drifts + p.Het**2 + p.gap2)),
        le(p.D_y, C_O * _ty * (_noise + p.sig_g**2 + p.L_f**2 / p.c_t**2 + p.L_g**2 + p.D_theta + p.D_y + p.gap2)),
    ),
    title="Drifts in the sketch",
    hypotheses=p.RUN,
    follows_from=("lemD.7",),
    switches=(_SMALL_STEPS, lemma_d6.NO_CONSTRAINT, LIPSCHITZ),
    note="For the three reasons of Lemma D.7: along a slope the drift grows like tau^2.",
)
SK_D_CORRECTED = amended(
    SK_D,
    (Reason(ST_66_CORRECTED.why[0].text, "mefbo.st-66..69"), Reason(DRIFT_X.why[0].text, "mefbo.lemD.7")),
    text=f"{DRIFT_X.text}. {ST_66_CORRECTED.text}",
    statement=every(DRIFT_X.statement, *conjuncts(ST_66_CORRECTED.statement)),
    hypotheses=ST_66_CORRECTED.hypotheses,
    follows_from=("lemD.7.corrected", "st-66..69.corrected"),
    note="",
    setting=AS_NUMBERS,
    proof=Proof(
        *(qed(by=[cite(claim.id), SEQUENCES], of=of) for of, claim in enumerate((DRIFT_X, *[ST_66_CORRECTED] * 2)))
    ),
)
_UNDER = (p.GAMMA, p.P_N, p.TWO_CLIENTS)
SK_E = p.claim(
    "sk-e",
    "Appendix D.2, Step e",
    Kind.PROPERTY,
    "By steps a, b, c and d, under the conditions of Lemma D.8, the coefficients of E||x^{t+1} - x^t||^2, gap^2 and "
    "gap^2 are strictly negative",
    every(*(sp.Lt(coefficient, 0, evaluate=False) for coefficient in lemma_d8.COEFFICIENTS)),
    title="Signs of the coefficients",
    hypotheses=(*_UNDER, *CONDITIONS),
    where={**WHERE, **p.YOUNG},
    follows_from=("st-89", "st-91", "st-92/93"),
    switches=(SMALL_CLIENT_STEPS,),
    note="gap^2 is printed twice, once for E||y^{t+1} - y^t||^2. The coefficients are those that (88) collects, where "
    "the sign before K is a slip: (91) goes on with -K lambda rho/4.",
)
_SIGNS = ("rho", "L_theta", "K", "delta")
(_moves,), (_factor, _rest) = (conjuncts(claim.statement) for claim in (lemma_d8.ST_89, lemma_d8.ST_91))
_in_theta, _in_y = conjuncts(lemma_d8.ST_92.statement)
_drawn = p.G2 * (4 * p.A_P + 6 * p.beta_max / p.P * p.B_P)
_all_drawn = 4 * p.G2 * p.A_P + 6 * p.G2 * p.n / p.P * p.B_P
_tracked = 1 - p.rho * p.lambda_theta + p.lambda_theta**2 * _drawn
_young, _slower = 1 + p.delta_t, 1 - p.rho * p.lambda_theta / 2
SK_E_CORRECTED = amended(
    SK_E,
    SMALL_CLIENT_STEPS.why,
    text="As printed, with tau eta^2 for tau eta^2 lambda in (81), (82) and (83), 6 tau eta^2 (L_2^2 + 1/gamma^2) <= "
    "1/3, and beta_max <= n, as no weight is above 1",
    hypotheses=(*_UNDER, lemma_d8.LARGEST, *lemma_d8.MENDED_CONDITIONS),
    follows_from=("st-89", "st-91", "st-92/93.corrected"),
    note="",
    setting=Setting(measured=(p.tau,)),
    proof=Proof(
        section("Signs of the constants"),
        *lemma_d8.POSITIVE,
        lemma_d8.LAMBDA_RHO,
        have("delta", gt(p.delta_t, 0), by=lemma_d8.DELTA),
        section("The coefficients of the drifts"),
        have("drifts of y", _in_y, by=[cite("mefbo.st-92/93.corrected"), *_SIGNS]),
        have("drifts of theta", _in_theta, by=[cite("mefbo.st-92/93.corrected"), *_SIGNS]),
        section("The coefficients of the moves"),
        have("lambda_x", BY_KEY["(78c)"].relation),
        have("lambda_y", BY_KEY["(78d)"].relation),
        have("one step of the server", eq(p.lambda_y, p.lambda_x), by=["lambda_x", "lambda_y"]),
        have("moves of x", _moves, by=[cite("mefbo.st-89"), *_SIGNS]),
        qed(by=["moves of x", *_SIGNS]),
        have(
            "moves of y",
            _moves.xreplace({p.lambda_x: p.lambda_y}),
            by=["moves of x", "one step of the server", *_SIGNS],
        ),
        qed(by=["moves of y", *_SIGNS], of=1),
        section("Weights of the drawn clients"),
        have("A and B", gt(_all_drawn, 0), by=[unfold(p.A_P, p.B_P)]),
        have("(79)", BY_KEY["(79)"].relation, by=["A and B", *_SIGNS]),
        have("(79), as a product", le(2 * p.lambda_theta * _all_drawn, p.rho), by=["(79)", "A and B", *_SIGNS]),
        have("B", ge(p.B_P, 0), by=[unfold(p.B_P)]),
        have("no more than n", le(p.beta_max * p.B_P, p.n * p.B_P), by=["B"]),
        have("weights", le(p.lambda_theta * _drawn, p.rho / 2), by=["(79), as a product", "no more than n"]),
        section("The coefficient of the gap"),
        have("tracking", le(_young * _tracked, _young * _slower), by=["weights", "delta"]),
        have("with Young's factor", _factor, by=[cite("mefbo.st-91"), *_SIGNS]),
        have("moves of the server", _rest, by=[cite("mefbo.st-91"), *_SIGNS]),
        have(
            "tracked",
            le(p.K * (_young * _tracked - 1), -p.K * p.lambda_theta * p.rho / 4),
            by=["with Young's factor", "tracking", *_SIGNS],
        ),
        have(
            "without drifts",
            le(lemma_d8.COEFFICIENTS[2].subs(p.tau, 0), -4 * _in_y.rhs),
            by=["moves of the server", "tracked", "lambda_x", "lambda_y", *_SIGNS],
        ),
        have(
            "the gap",
            le(lemma_d8.COEFFICIENTS[2], -2 * _in_y.rhs),
            by=["drifts of y", "drifts of theta", "without drifts", *_SIGNS],
            multipliers=[1, 1],
        ),
        qed(of=2, by=["the gap", *_SIGNS]),
    ),
)
CLAIMS = (
    SK_30, SK_30_CORRECTED, SK_31, SK_33, SK_33_CORRECTED, SK_34, SK_A, SK_A_CORRECTED, SK_B, SK_35, SK_35_CORRECTED,
    SK_D, SK_D_CORRECTED, SK_E, SK_E_CORRECTED,
)  # fmt: skip
