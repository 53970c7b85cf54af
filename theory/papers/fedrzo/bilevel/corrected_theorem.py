"""CORRECTED readings of Theorem 1, Remark 4 (i) and Corollary 1, for Algorithm 2 and for fresh directions."""

import sympy as sp

from theory.claim import Claim, Hypothesis
from theory.papers.fedrzo.bilevel import theorem
from theory.papers.fedrzo.bilevel.corrected import ALIKE, FACTOR, LOST, MOVED, SHARED, TH5_MENDED, mend
from theory.papers.fedrzo.bilevel.notation import (
    DRIFT0,
    ELL,
    LOWER_ACCURATE,
    MAX23,
    S_BL_I,
    SAMPLES,
    SPREAD,
    WHERE,
    Y_LIPSCHITZ,
    E_y,
    L_mean,
    Th1,
    Th3,
    Th4,
    Th5,
    eps_c,
    mean_eps,
)
from theory.papers.fedrzo.bilevel.schedules import COM, K_LARGE, LOWER_RATE_C
from theory.papers.fedrzo.notation import (
    A2,
    B2,
    D0,
    FREQUENCY,
    H_,
    K_IS_T_R,
    KSTAR,
    ONE_DIRECTION,
    T_R,
    H,
    K_eps,
    L_imp,
    L_y,
    Lam,
    eta_s,
    gamma,
    grad_kstar,
    m,
)
from theory.shorthand import big_o, le
from theory.symbols import epsilon, n

_WHY = f"{SHARED}; {ALIKE}; {MOVED}; {FACTOR}; {LOST}"
MEAN_LIPSCHITZ = H_("mean_lipschitz", "the implicit loss f is L_0^f-Lipschitz, L_0^f <= L")
STEP = H_(
    "step",
    "9 gamma H s max{1, B_2} <= 1 with s = (2n(L + L_{0,y}^f Lam) + 1)/eta",
    le(9 * gamma * H * SPREAD * sp.Max(1, B2, evaluate=False), 1),
)
FRESH_STEP = H_(
    "fresh_step",
    "xi_{i,k} and v_{i,k} are iid over k and independent over the clients, and no lower-level answer used before "
    "step k depends on them",
)
FRESH_CLIENT = H_(
    "fresh_client",
    "one v_{i,T_r} a client and round, independent over the clients; xi_{i,k} as in Algorithm 2",
)
_COMMON = (*A2, Y_LIPSCHITZ, SAMPLES, FREQUENCY, LOWER_ACCURATE, KSTAR, K_IS_T_R)


def _bound(noise: sp.Expr) -> sp.Rel:
    return le(
        grad_kstar,
        6 * D0 / (gamma * T_R)
        + 6 * gamma * ELL * n**2 * noise
        + 34 * SPREAD**2 * gamma**2 * H * (H - 1) * DRIFT0
        + 55 * E_y * mean_eps,
    )


SHARED_NOISE = H * L_mean**2 + L_imp**2 / m
THM1_I = mend(
    theorem.THM1_I,
    "with 9 gamma H s max{1, B_2} <= 1, s = (2n(L + L_y Lam) + 1)/eta, l = (Ln+1)/eta and M_0 = (1 + 4B_2^2) n^2L^2 + "
    "2B_1^2/eta^2: E||grad F_eta(xbar_{k*})||^2 <= 6 D_0/(gamma T_R) + 6 gamma l n^2 (H (L^f)^2 + L^2/m) + 34 s^2 "
    "gamma^2 H(H-1) M_0 + 55 (n^2 L_y^2/eta^2) sum_r (T_{r+1} - T_r) eps_r / T_R",
    _bound(SHARED_NOISE),
    _WHY,
    hypotheses=(*_COMMON, ONE_DIRECTION, MEAN_LIPSCHITZ, STEP),
    where={},
    follows_from=("lem1.i", "lem1.iv", "lem9.ii", "lem9.iv"),
    note="The noise term has H where the print has 1/m: its order cannot be improved for a shared direction.",
)
THM1_I_CLIENT = mend(
    theorem.THM1_I,
    "one direction a client and round (1 + m lower-level calls a round): the bound of the corrected Theorem 1 (i) with "
    "6 gamma l n^2 H L^2/m in place of 6 gamma l n^2 (H (L^f)^2 + L^2/m)",
    _bound(H * L_imp**2 / m),
    _WHY,
    hypotheses=(*_COMMON, FRESH_CLIENT, STEP),
    where={},
    follows_from=("lem1.i", "lem1.iv", "lem9.ii", "lem9.iv"),
    part="client",
    note="About another method: the clients' directions are independent.",
)
#: Constants under fresh directions: Lam for L_{0,x}^{grad h}/mu_h, and Theta_5 with 24.
WHERE_FRESH = {**WHERE, Th3: Lam**2 * 20 * n**2 / eta_s**2 * L_y**2, Th5: TH5_MENDED}


def _fresh(noise: sp.Expr) -> sp.Rel:
    return le(
        grad_kstar,
        8 * D0 / (gamma * T_R)
        + 8 * gamma * noise
        + 8 * H**2 * gamma**2 * MAX23 * Th5
        + 8 * (H**2 * gamma**2 * MAX23 * Th4 + 20 * E_y) * mean_eps,
    )


THM1_I_FRESH = mend(
    theorem.THM1_I,
    "fresh directions v_{i,k} a client and step (1 + m H lower-level calls a round): the printed bound with T_R for K, "
    "20 n^2 L_y^2/eta^2 for Theta_3 before eps_r, Lam for L_{0,x}^{grad h}/mu_h and 24 for 1 in Theta_5",
    _fresh(Th1 / m),
    _WHY,
    hypotheses=(*_COMMON, FRESH_STEP, S_BL_I),
    where=WHERE_FRESH,
    follows_from=("lem1.i", "lem1.iv", "lem9.ii", "lem9.iv", "lem11.iii.corrected", "st.6"),
    part="fresh",
    note="About another method: with fresh directions the printed proof goes through up to its constants.",
)

# --- complexities
EXPLICIT_TERMS = (
    6 * D0 / sp.sqrt(m * K_eps),
    12 * ELL * n**2 * L_imp**2 * (m * K_eps) ** sp.Rational(-1, 4),
    136 * SPREAD**2 * DRIFT0 / sp.sqrt(m * K_eps),
    270 * E_y * eps_c / sp.sqrt(m * K_eps),
)
FULL_ROUNDS = H_("full_rounds", "all rounds have H local steps: T_R = R H, and T_R >= K_eps")
_RUN_II: tuple[Hypothesis, ...] = (
    *A2,
    Y_LIPSCHITZ,
    SAMPLES,
    FREQUENCY,
    LOWER_ACCURATE,
    KSTAR,
    ONE_DIRECTION,
    STEP,
    COM,
    K_LARGE,
    LOWER_RATE_C,
    FULL_ROUNDS,
)
THM1_II_EXPLICIT = mend(
    theorem.THM1_II,
    "E||grad F_eta(xbar_{k*})||^2 <= 6 D_0/sqrt(mK) + 12 l n^2L^2 (mK)^{-1/4} + 136 s^2 M_0/sqrt(mK) + "
    "270 (n^2 L_y^2/eta^2) c/sqrt(mK) for S-com, K >= m^3, eps_r <= c (r+1)^{-2/3}, 9 gamma H s max{1, B_2} <= 1",
    le(grad_kstar, sp.Add(*EXPLICIT_TERMS)),
    _WHY,
    hypotheses=_RUN_II,
    where={},
    follows_from=("thm1.i.corrected", "st.12"),
    part="explicit",
)
COMPLEXITY = (
    (ELL * n**2 * L_imp**2) ** 4 / (m * epsilon**4),
    (D0 + SPREAD**2 * DRIFT0 + E_y * eps_c) ** 2 / (m * epsilon**2),
)
_HOW = "the noise of a direction that a round shares is of order gamma H = (mK)^{-1/4}, and D_0 is no numerical factor"


def _complexity(printed: Claim) -> Claim:
    return mend(
        printed,
        "K_eps = O( (l n^2L^2)^4/(m epsilon^4) + (D_0 + s^2 M_0 + (n^2 L_y^2/eta^2) c)^2/(m epsilon^2) ) for S-com, "
        "K_eps >= m^3, eps_r <= c (r+1)^{-2/3}, 9 gamma H s max{1, B_2} <= 1",
        big_o(K_eps, *COMPLEXITY),
        _HOW,
        hypotheses=_RUN_II,
        where={},
        follows_from=("thm1.ii.explicit.corrected",),
    )


THM1_II = _complexity(theorem.THM1_II)
REM4_ITERATIONS = _complexity(next(c for c in theorem.REM4_I if c.id.endswith(".iterations")))

BOUNDED_Y = H_(
    "minimax_bounded",
    "h~_i = -f~_i, and Y(x) = Y is the same compact convex set, which holds y_eps, too",
)
#: Assumption 2 where its functions are looked at only for y in Y.
_ON_Y = {
    h.key: H_(f"{h.key}_on_Y", f"for y in Y: {h.text}") for h in A2 if h.key in ("implicit_lipschitz", "lower_level")
}
COR1 = mend(
    theorem.COR1,
    "for FL_mm with Y(x) = Y compact and convex, Assumption 2 (i), (ii) on Y, y_eps in Y: the corrected Theorem 1 (i)",
    THM1_I.statement,
    "a strongly concave f~_i(x, .) is Lipschitz on no unbounded set: Assumption 2 with h~_i = -f~_i has no instance",
    hypotheses=(*(_ON_Y.get(h.key, h) for h in THM1_I.hypotheses), BOUNDED_Y),
    where={},
    follows_from=("thm1.i.corrected", "mm.equiv"),
)
CORRECTED_THEOREM = (
    THM1_I,
    THM1_I_FRESH,
    THM1_I_CLIENT,
    THM1_II_EXPLICIT,
    THM1_II,
    REM4_ITERATIONS,
    COR1,
)
