"""CORRECTED readings of the lemmas and steps of the bilevel section.

Five independent faults reach Theorem 1 (i); each has its repair here.

- All steps of a round use the direction ``v_{T_r}``, on which ``x_{i,k}`` depends after the first of them: expectations
  are compared at the start of the round.
- All clients share it, so nothing averages over them: no ``1/m``.
- Lemma 2 (i) is for a fixed ``Y``; where ``Y(x)`` moves, ``y(.)`` has a Lipschitz constant ``Lam`` of its own.
- Eq. (19) multiplies ``eps_r`` by ``(L_{0,x}^{grad h}/mu_h)^2``, which Lemma 9 (viii) does not have.
- ``24 (4 B_2^2 + 1)`` is ``96 B_2^2 + 24``; and Lemma 6 lost ``1/eta^2``.
"""

from dataclasses import replace

import sympy as sp

from rateproof.theory.claim import Claim, Hypothesis, Reason
from rateproof.theory.papers.fedrzo.bilevel import lemmas, steps
from rateproof.theory.papers.fedrzo.bilevel.notation import (
    CHI,
    ELL,
    LEMMA9,
    SPREAD0,
    WHERE,
    Y_LIPSCHITZ,
    E_y,
    Th4,
    Th5,
    bias_start,
    chi,
    dir2,
    eb,
    eh,
    eps,
    grad2_start,
    inner_start,
    loc,
    move1,
    move2,
    om2,
    ombar2,
    sum_eb,
    sum_eh,
    sum_eps,
    sum_grad2,
    wbar2,
)
from rateproof.theory.papers.fedrzo.notation import A2, B1, B2, FREQUENCY, H_, H, L_imp, L_y, Lam, eta_s, gamma
from rateproof.theory.shorthand import Why, amended, eq, every, ge, le
from rateproof.theory.symbols import n

_R = sp.Rational
MOVING = (*LEMMA9, Y_LIPSCHITZ)
LIPSCHITZ_Y = "y(.) is Lam-Lipschitz"
SHARED = Reason(
    "all local steps of a round use v_{T_r}, on which x_{i,k} depends after the first of them", "fedrzo.lem9.i"
)
ALIKE = Reason(
    "all clients use v_{T_r}: their estimates are not independent and nothing averages over them", "fedrzo.lem9.v"
)
MOVED = Reason(
    "Lemma 2 (i) holds for a fixed Y; where Y(x) depends on x, y(.) may be steeper than L_{0,x}^{grad h}/mu_h",
    "fedrzo.lem9.iii",
)
FACTOR = Reason(
    "eq. (19) multiplies eps_r by (L_{0,x}^{grad h}/mu_h)^2, which Lemma 9 (viii) does not have", "fedrzo.st.10.19"
)
LOST = Reason("24(4B_2^2 + 1) is 96B_2^2 + 24, not 96B_2^2 + 1", "fedrzo.lem11.iii")
SCALE = Reason("Lemma 6 lost 1/eta^2 before ebar_k, and the drift of a moving Y(x) is that of y(.)", "fedrzo.lem11.i")
INDEX = Reason("the drift term, printed with index k under the sum over t, has the index t", "fedrzo.lem11.i")


def mend(
    printed: Claim,
    text: str,
    statement: sp.Basic,
    why: Why,
    *,
    hypotheses: tuple[Hypothesis, ...] = (),
    where: dict[sp.Symbol, sp.Expr] | None = None,
    follows_from: tuple[str, ...] = (),
    part: str = "",
    origin: str = "",
    note: str = "",
) -> Claim:
    """The CORRECTED reading of a printed claim.

    Args:
        printed: the claim amended.
        text, statement, why: what holds, and why the print does not.
        hypotheses: all hypotheses; those of the print when empty.
        where: definitions; those of the print unless given.
        follows_from: ids without the paper's prefix.
        origin: where the paper's own argument gives what is stated otherwise, if it does.
        part: put before ``corrected`` in the id where a claim has several corrected readings.
        note: one sentence for the reader.
    """
    return amended(
        replace(printed, explicit=None),
        why,
        part=part,
        text=text,
        statement=statement,
        hypotheses=hypotheses or printed.hypotheses,
        where=printed.where if where is None else where,
        follows_from=follows_from,
        schedule=None,
        origin=origin,
        note=note,
    )


LEM9_I = mend(
    lemmas.LEM9_I,
    "||E g_{i,k} - E grad f_{i,eta}(xhat_r)|| <= (2n L_0^imp/eta) E||x_{i,k} - xhat_r||, which is 0 at k = T_r",
    le(bias_start, 2 * n * L_imp / eta_s * move1),
    SHARED,
    hypotheses=LEMMA9,
    follows_from=("lem1.i",),
)
LEM9_III = mend(
    lemmas.LEM9_III,
    f"{LIPSCHITZ_Y}: E||omega_{{i,k}}||^2 <= (4n^2/eta^2)(L_{{0,y}}^f Lam)^2 E||x_{{i,k}} - xhat_r||^2",
    le(om2, 4 * n**2 / eta_s**2 * (L_y * Lam) ** 2 * move2),
    MOVED,
    hypotheses=MOVING,
)
LEM9_V = mend(
    lemmas.LEM9_V,
    "E||gbar_k + Gbar_k||^2 <= 2n^2 (L_0^imp)^2 + 2 E||grad F_eta(xhat_r)||^2 + 2((2 L_0^imp n + 1)/eta)^2 E ehat_k",
    le(dir2, 2 * n**2 * L_imp**2 + 2 * grad2_start + 2 * SPREAD0**2 * eh),
    (ALIKE, SHARED),
    hypotheses=LEMMA9,
    follows_from=("lem1.i", "lem9.ii"),
)
LEM9_VI = mend(
    lemmas.LEM9_VI,
    "E[grad F_eta(xhat_r)^T(gbar_k + Gbar_k)] >= (1/2) E||grad F_eta(xhat_r)||^2 - (1/2)((2 L_0^imp n + 1)/eta)^2 E "
    "ehat_k",
    ge(inner_start, grad2_start / 2 - SPREAD0**2 / 2 * eh),
    SHARED,
    hypotheses=LEMMA9,
    follows_from=("lem1.i",),
)
LEM9_VII = mend(
    lemmas.LEM9_VII,
    f"{LIPSCHITZ_Y}: E||omegabar_k||^2 <= (4n^2/eta^2)(L_{{0,y}}^f Lam)^2 E ehat_k",
    le(ombar2, 4 * n**2 / eta_s**2 * (L_y * Lam) ** 2 * eh),
    MOVED,
    hypotheses=MOVING,
    follows_from=("lem9.iii.corrected",),
)

# --- Lemma 11
_M = (1 + 4 * B2**2) * n**2 * L_imp**2 + 2 * B1**2 / eta_s**2 + 4 * E_y * eps
_RECURSIVE = (
    4 * gamma**2 * loc * (2 * chi / eta_s**2 * sum_eb + 4 * E_y * Lam**2 * sum_eh + 4 * B2**2 * sum_grad2 + loc * _M)
)
DRIFT = (*lemmas.DRIFT, Y_LIPSCHITZ, CHI)
STEP_11 = H_(
    "step11",
    "4H gamma max{chi/eta, sqrt(2) n Lam L_{0,y}^f/eta} <= 1",
    le(4 * H * gamma * sp.Max(chi / eta_s, sp.sqrt(2) * n * Lam * L_y / eta_s, evaluate=False), 1),
)
LEM11_I = mend(
    lemmas.LEM11_I,
    f"{LIPSCHITZ_Y}; chi = 0 if every X_i is the whole space, else 1: max{{E ebar_k, E ehat_k}} <= 4 gamma^2 (k - T_r) "
    "sum_t ( (2 chi/eta^2) E ebar_t + (4n^2/eta^2)(L_{0,y}^f Lam)^2 E ehat_t + 4B_2^2 E||grad F_eta(xbar_t)||^2 + "
    "(1 + 4B_2^2) n^2 (L_0^imp)^2 + 2B_1^2/eta^2 + (4n^2/eta^2)(L_{0,y}^f)^2 eps_r )",
    every(le(eb, _RECURSIVE), le(eh, _RECURSIVE)),
    (SCALE, INDEX),
    origin="the drift of a client is that of Lemma 6, whose proof divides by eta, and is summed over t",
    hypotheses=DRIFT,
    where={},
    follows_from=("lem9.ii", "lem9.iii.corrected", "lem9.iv"),
)
LEM11_II = mend(
    lemmas.LEM11_II,
    f"As printed where {LIPSCHITZ_Y}, with 4H gamma max{{chi/eta, sqrt(2) n Lam L_{{0,y}}^f/eta}} <= 1 for the step "
    "condition, chi = 0 if every X_i is the whole space, else 1",
    lemmas.LEM11_II.statement,
    SCALE,
    hypotheses=(*DRIFT, STEP_11),
    where={},
    follows_from=("lem11.i.corrected", "lem10"),
)
#: Theta_5 with the constant that Lemma 11 (ii) gives.
TH5_MENDED = 48 * B1**2 / eta_s**2 + (96 * B2**2 + 24) * L_imp**2 * n**2
WHERE_MENDED = {Th4: WHERE[Th4], Th5: TH5_MENDED}
LEM11_III = mend(
    lemmas.LEM11_III,
    f"As printed where {LIPSCHITZ_Y}, with Theta_5 = 48B_1^2/eta^2 + (96B_2^2 + 24) (L_0^imp)^2 n^2 and the step "
    "condition of "
    "the corrected (ii)",
    lemmas.LEM11_III.statement,
    (LOST, SCALE),
    origin="part (ii), whose right side has 24 (4B_2^2 + 1) (L_0^imp)^2 n^2",
    hypotheses=(*DRIFT, STEP_11),
    where=WHERE_MENDED,
    follows_from=("lem11.ii.corrected",),
)

# --- the same for a direction a client and step
FRESH_STEP = H_(
    "fresh_step",
    "xi_{i,k} and v_{i,k} are iid over k and independent over the clients; the answer of the lower level to a query "
    "does not depend on later directions",
)
SAMPLES_STEP = H_(
    "samples_step",
    "xi_{i,k} is independent of the past, of v_{i,k} and of the lower-level answers of the round",
)
LOWER_STEP = H_(
    "lower_accurate_step",
    "E[||y_eps(x) - y(x)||^2 | x] <= eps_r at x = xhat_r and x = xhat_r + v_{i,k} for every client i and step k",
)
ANY_ROUND = H_("any_round", "T_r <= k <= T_{r+1} - 1")
DRIFT_FRESH = (*A2, FRESH_STEP, SAMPLES_STEP, FREQUENCY, LOWER_STEP, ANY_ROUND, Y_LIPSCHITZ, CHI)
FRESH = "a direction v_{i,k} a client and step, in every round"
_ABOUT = "About another method, whose Theorem 1 (i) uses it: the directions do not matter to this bound."
LEM11_I_FRESH = mend(
    lemmas.LEM11_I,
    f"{FRESH}: the bound of the corrected (i)",
    LEM11_I.statement,
    LEM11_I.why,
    hypotheses=DRIFT_FRESH,
    where={},
    part="fresh",
    note=_ABOUT,
)
LEM11_III_FRESH = mend(
    lemmas.LEM11_III,
    f"{FRESH}: the bound of the corrected (iii), under its step condition",
    lemmas.LEM11_III.statement,
    LEM11_III.why,
    hypotheses=(*DRIFT_FRESH, STEP_11),
    where=WHERE_MENDED,
    follows_from=("lem11.i.fresh.corrected", "lem10"),
    part="fresh",
    note=_ABOUT,
)

# --- steps
_STEP = {c.id.removeprefix("fedrzo."): c for c in steps.STEPS}
ST10_17 = mend(
    _STEP["st.10.17"],
    "-gamma E[grad F_eta(xhat_r)^T(gbar_k + Gbar_k)] <= -(gamma/2) E||grad F_eta(xhat_r)||^2 + (gamma/2)((2 L_0^imp "
    "n + 1)/eta)^2 E ehat_k",
    le(-gamma * inner_start, -gamma / 2 * grad2_start + gamma * SPREAD0**2 / 2 * eh),
    SHARED,
    hypotheses=LEMMA9,
    follows_from=("lem9.vi.corrected",),
)
ST10_18 = mend(
    _STEP["st.10.18"],
    "(3(L_0^imp n + 1)/(2 eta)) gamma^2 E||gbar_k + Gbar_k||^2 <= (3(L_0^imp n + 1)/eta) gamma^2 n^2 (L_0^imp)^2 + "
    "(gamma/8) E||grad F_eta(xhat_r)||^2 + (gamma/8)((2 L_0^imp n + 1)/eta)^2 E ehat_k",
    le(
        _R(3, 2) * ELL * gamma**2 * dir2,
        3 * ELL * gamma**2 * n**2 * L_imp**2 + gamma / 8 * grad2_start + gamma * SPREAD0**2 / 8 * eh,
    ),
    (ALIKE, SHARED),
    hypotheses=(*LEMMA9, steps.SMALL_STEP),
    follows_from=("lem9.v.corrected",),
)
ST10_19 = mend(
    _STEP["st.10.19"],
    f"{LIPSCHITZ_Y}: 5 gamma E[||omegabar_k||^2 + ||wbar_k||^2] <= (20 gamma n^2/eta^2)(L_{{0,y}}^f)^2 (Lam^2 E "
    "ehat_k + "
    "eps_r)",
    le(5 * gamma * (ombar2 + wbar2), 20 * gamma * n**2 / eta_s**2 * L_y**2 * (Lam**2 * eh + eps)),
    (FACTOR, MOVED),
    origin="Lemma 9 (viii), which is inserted, has no such factor before eps_r",
    hypotheses=MOVING,
    follows_from=("lem9.vii.corrected", "lem9.viii"),
)
ST11_DISPLAY = mend(
    _STEP["st.11.display"],
    "the sum over the steps of eps_{r(k)} is sum_r (T_{r+1} - T_r) eps_r, at most H sum_r eps_r",
    every(eq(steps.step_eps, steps.whole_eps), le(steps.whole_eps, H * sum_eps)),
    "round r has T_{r+1} - T_r steps, not one less",
    origin="round r covers k = T_r, ..., T_{r+1} - 1, and the bound H sum_r eps_r that follows is that of this sum",
)
CORRECTED = (
    LEM9_I,
    LEM9_III,
    LEM9_V,
    LEM9_VI,
    LEM9_VII,
    LEM11_I,
    LEM11_II,
    LEM11_III,
    LEM11_I_FRESH,
    LEM11_III_FRESH,
    ST10_17,
    ST10_18,
    ST10_19,
    ST11_DISPLAY,
)
