"""CORRECTED readings of Theorem 1 (i) and Corollary 1, for Algorithm 2 and for fresh directions."""

import sympy as sp

from rateproof.theory.papers.fedrzo.bilevel import theorem
from rateproof.theory.papers.fedrzo.bilevel.corrected import (
    ALIKE,
    FACTOR,
    FRESH_STEP,
    INDEX,
    LIPSCHITZ_Y,
    LOST,
    LOWER_STEP,
    MOVED,
    SAMPLES_STEP,
    SHARED,
    TH5_MENDED,
    mend,
)
from rateproof.theory.papers.fedrzo.bilevel.notation import (
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
    mean_eps,
)
from rateproof.theory.papers.fedrzo.notation import (
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
    L_imp,
    L_y,
    Lam,
    eta_s,
    gamma,
    grad_kstar,
    m,
)
from rateproof.theory.shorthand import every, le
from rateproof.theory.symbols import n

WHY = (SHARED, ALIKE, MOVED, FACTOR, LOST)
MEAN_LIPSCHITZ = H_("mean_lipschitz", "the implicit loss f is L_0^f-Lipschitz, L_0^f <= L_0^imp")
STEP = H_(
    "step",
    "9 gamma H s max{1, B_2} <= 1 with s = (2n(L_0^imp + L_{0,y}^f Lam) + 1)/eta",
    le(9 * gamma * H * SPREAD * sp.Max(1, B2, evaluate=False), 1),
)
FRESH_CLIENT = H_(
    "fresh_client",
    "xi_{i,k} are iid over k and independent over the clients; one v_{i,T_r} a client and round, iid over the rounds "
    "and independent over the clients",
)
SAMPLES_CLIENT = H_(
    "samples_client",
    "xi_{i,k} is independent of the past, of the directions v_{j,T_r} and of the lower-level runs of the round",
)
LOWER_CLIENT = H_(
    "lower_accurate_client",
    "E[||y_eps(x) - y(x)||^2 | x] <= eps_r at x = xhat_r and x = xhat_r + v_{i,T_r} for every client i",
)
_COMMON = (*A2, Y_LIPSCHITZ, FREQUENCY, KSTAR, K_IS_T_R)
#: Algorithm 2, for all parts of the corrected Theorem 1.
SHARED_RUN = (*_COMMON, ONE_DIRECTION, SAMPLES, LOWER_ACCURATE)


def _bound(noise: sp.Expr) -> sp.Rel:
    return le(
        grad_kstar,
        6 * D0 / (gamma * T_R)
        + 6 * gamma * ELL * n**2 * noise
        + 34 * SPREAD**2 * gamma**2 * H * (H - 1) * DRIFT0
        + 55 * E_y * mean_eps,
    )


#: Of the values of a round given its direction, and of the whole estimates.
SHARED_NOISE = (H * L_mean**2 + L_imp**2 / m, H * L_imp**2)
THM1_I = mend(
    theorem.THM1_I,
    f"where {LIPSCHITZ_Y}, with 9 gamma H s max{{1, B_2}} <= 1, s = (2n(L_0^imp + L_{{0,y}}^f Lam) + 1)/eta, l = "
    "(L_0^imp n + 1)/eta and M_0 = (1 + 4B_2^2) n^2 (L_0^imp)^2 + 2B_1^2/eta^2: E||grad F_eta(xbar_{k*})||^2 <= 6 "
    "D_0/(gamma T_R) + 6 gamma l n^2 min{H (L_0^f)^2 + (L_0^imp)^2/m, H (L_0^imp)^2} + 34 s^2 gamma^2 H(H-1) M_0 + 55 "
    "(n^2 (L_{0,y}^f)^2/eta^2) sum_r (T_{r+1} - T_r) eps_r / T_R",
    every(*map(_bound, SHARED_NOISE)),
    WHY,
    hypotheses=(*SHARED_RUN, MEAN_LIPSCHITZ, STEP),
    where={},
    follows_from=("lem1.i", "lem1.iv", "moreau-2", "lem9.ii", "lem9.iv"),
    note="The noise term has H where the print has 1/m: its order cannot be improved for a shared direction.",
)
THM1_I_CLIENT = mend(
    theorem.THM1_I,
    "one direction a client and round (1 + m lower-level calls a round), samples independent of directions and calls: "
    "the bound of the corrected Theorem 1 (i) with 6 gamma l n^2 H (L_0^imp)^2/m for its second term",
    _bound(H * L_imp**2 / m),
    (*WHY, "with directions of their own the clients average"),
    hypotheses=(*_COMMON, FRESH_CLIENT, SAMPLES_CLIENT, LOWER_CLIENT, STEP),
    where={},
    follows_from=("lem1.i", "lem1.iv", "moreau-2"),
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
    "fresh directions v_{i,k} a client and step (1 + m H lower-level calls a round), samples independent of the calls, "
    f"{LIPSCHITZ_Y}: the printed bound with T_R for K, the mean of eps_{{r(k)}} over the steps k for H sum_r eps_r/K, "
    "20 n^2 (L_{0,y}^f)^2/eta^2 for Theta_3 before it, Lam for L_{0,x}^{grad h}/mu_h in Theta_3 and 24 for 1 in "
    "Theta_5",
    _fresh(Th1 / m),
    (*WHY, INDEX, "with fresh directions no v_{T_r} is shared"),
    hypotheses=(*_COMMON, FRESH_STEP, SAMPLES_STEP, LOWER_STEP, S_BL_I),
    where=WHERE_FRESH,
    follows_from=("lem1.i", "lem1.iv", "moreau-2", "lem11.iii.fresh.corrected", "st.6", "st.11.cap"),
    part="fresh",
    note="About another method: with fresh directions the printed proof goes through up to its constants.",
)

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
    COR1,
)
