"""Definition 7, Remark 9 and Lemmas 9 to 11, as printed."""

import sympy as sp

from rateproof.theory.claim import Kind, Reading
from rateproof.theory.papers.fedrzo.bilevel.implicit import MOVING_SET
from rateproof.theory.papers.fedrzo.bilevel.notation import (
    AS_PRINTED,
    DELAY_READING,
    IN_ROUND,
    LEMMA9,
    LOWER_MEAN,
    ROOT_READING,
    RUN,
    S_11_THETA,
    S_LEM11,
    SAMPLES_READING,
    WHERE,
    Th3,
    Th4,
    Th5,
    bias,
    dir2,
    eb,
    eh,
    eps,
    g2,
    grad2,
    inner,
    loc,
    move2,
    om2,
    ombar2,
    root_2n,
    sum_drift,
    sum_eb,
    sum_grad2,
    w2,
    wbar2,
)
from rateproof.theory.papers.fedrzo.build import claim
from rateproof.theory.papers.fedrzo.notation import (
    AREA,
    B1,
    B2,
    FREQUENCY,
    H_,
    H,
    L_h_x,
    L_imp,
    L_y,
    declare,
    eta_s,
    gamma,
    m,
    mu_h,
)
from rateproof.theory.shorthand import eq, every, ge, le
from rateproof.theory.symbols import NONNEG, POS, n
from rateproof.theory.units import LENGTH

# --- Definition 7 and Remark 9, for one client and step, along v/||v||
g_exact = declare("g_exact_bl", "g_{i,k}, with y(x_{i,k} + v) and y(x_{i,k})", latex=r"g_{i,k}^\eta")
g_delayed = declare("g_delayed_bl", "ghat_{i,k}, with y(xhat_r + v) and y(xhat_r)", latex=r"\hat g_{i,k}^\eta")
g_used = declare(
    "g_used_bl", "g^{eta,eps}_{i,k}, with y_eps(xhat_r + v) and y_eps(xhat_r)", latex=r"g_{i,k}^{\eta,\varepsilon_r}"
)
bar_exact = declare("bar_exact_bl", "gbar_k, mean of g_{i,k} over the clients", latex=r"\bar g_k^\eta")
bar_used = declare("bar_used_bl", "gbar^{eta,eps}_k, mean of g^{eta,eps}_{i,k}", latex=r"\bar g_k^{\eta,\varepsilon_r}")
bar_om = declare("bar_om_bl", "omegabar_k, mean of omega_{i,k}", latex=r"\bar\omega_k^\eta")
bar_w = declare("bar_w_bl", "wbar_k, mean of w_{i,k}", latex=r"\bar w_k^\eta")
om_val = declare(
    "om_val_bl",
    "omega_{i,k}, from the differences in y between the delayed and the own points",
    latex=r"\omega_{i,k}^\eta",
)
w_val = declare(
    "w_val_bl", "w_{i,k}, from the differences in y between the inexact and the delayed points", latex=r"w_{i,k}^\eta"
)
DIRECTION = H_("algorithm2", "x_{i,k}, xhat_r, v_{T_r} and y_eps are those of a step of Algorithm 2")

DEF7 = claim(
    "def7",
    "Definition 7",
    Kind.IDENTITY,
    "omega_{i,k} = ghat_{i,k} - g_{i,k}, w_{i,k} = g^{eta,eps}_{i,k} - ghat_{i,k}",
    every(eq(om_val, g_delayed - g_exact), eq(w_val, g_used - g_delayed)),
    title="Delay and inexactness errors",
    hypotheses=(DIRECTION,),
)
REM9 = claim(
    "rem9",
    "Remark 9",
    Kind.IDENTITY,
    "g^{eta,eps}_{i,k} = g_{i,k} + omega_{i,k} + w_{i,k} and gbar^{eta,eps}_k = gbar_k + omegabar_k + wbar_k",
    every(eq(g_used, g_exact + om_val + w_val), eq(bar_used, bar_exact + bar_om + bar_w)),
    title="Inexact estimate split into its errors",
    hypotheses=(DIRECTION,),
    follows_from=("def7",),
    note="The last mean is printed with an index i.",
)

# --- Lemma 9
_ELL2 = (L_imp * n + 1) ** 2 / eta_s**2
_OMEGA = (L_y * L_h_x / mu_h) ** 2
_SAMPLES_COUNT = (
    "That xi_{i,k} does not depend on the lower-level runs of its round is read from line 7 of Algorithm 2 and the "
    "expectations given F_k of the proof; no sentence says so, and the bound falls without it."
)
_MOVED = "It falls by a set Y(x) that moves with x alone: for Y(x) = R^nt, or a fixed set, it holds."
LEM9_I = claim(
    "lem9.i",
    "Lemma 9 (i)",
    Kind.IDENTITY,
    "E[g_{i,k} | F_k] = grad f_{i,eta}(x_{i,k}) almost surely, for all k >= 0",
    eq(bias, 0),
    title="Local estimate is unbiased, bilevel",
    hypotheses=LEMMA9,
    follows_from=("lem1.i",),
    note="Stated as equal expectations, which follow whatever F_k contains.",
)
LEM9_II = claim(
    "lem9.ii",
    "Lemma 9 (ii)",
    Kind.INEQUALITY,
    "E||g_{i,k}||^2 <= n^2 (L_0^imp)^2",
    le(g2, n**2 * L_imp**2),
    title="Second moment of the local estimate, bilevel",
    hypotheses=LEMMA9,
    note="A display of its proof is lost in the text; the statement is not. It needs the law of xi_{i,k} alone.",
)
LEM9_III = claim(
    "lem9.iii",
    "Lemma 9 (iii)",
    Kind.INEQUALITY,
    "E||omega_{i,k}||^2 <= (4n^2/eta^2)(L_{0,y}^f L_{0,x}^{grad h}/mu_h)^2 E||x_{i,k} - xhat_r||^2",
    le(om2, 4 * n**2 / eta_s**2 * _OMEGA * move2),
    title="Delay error of a client",
    hypotheses=LEMMA9,
    follows_from=("lem2.i",),
    reading=Reading.REPAIRED,
    switches=(MOVING_SET,),
    note=f"{_MOVED} The statement prints the letter w; its proof has omega. About w it would fall, too: at k = T_r its "
    "right side is 0.",
)
LEM9_IV = claim(
    "lem9.iv",
    "Lemma 9 (iv)",
    Kind.INEQUALITY,
    "E||w_{i,k}||^2 <= (4n^2/eta^2)(L_{0,y}^f)^2 eps_r",
    le(w2, 4 * n**2 / eta_s**2 * L_y**2 * eps),
    title="Inexactness error of a client, bilevel",
    hypotheses=LEMMA9,
    switches=(SAMPLES_READING,),
    note=_SAMPLES_COUNT,
)
LEM9_V = claim(
    "lem9.v",
    "Lemma 9 (v)",
    Kind.INEQUALITY,
    "E||gbar_k + Gbar_k||^2 <= (n^2/m) (L_0^imp)^2 + 2 E||grad F_eta(xbar_k)||^2 + (2(L_0^imp n + 1)^2/eta^2) E ebar_k",
    le(dir2, n**2 / m * L_imp**2 + 2 * grad2 + 2 * _ELL2 * eb),
    title="Second moment of the averaged direction, bilevel",
    hypotheses=LEMMA9,
    follows_from=("lem9.i", "lem9.ii", "lem1.iv", "moreau-2"),
)
LEM9_VI = claim(
    "lem9.vi",
    "Lemma 9 (vi)",
    Kind.INEQUALITY,
    "E[grad F_eta(xbar_k)^T(gbar_k + Gbar_k)] >= (1/2) E||grad F_eta(xbar_k)||^2 - ((L_0^imp n + 1)^2/(2 eta^2)) E "
    "ebar_k",
    ge(inner, grad2 / 2 - _ELL2 / 2 * eb),
    title="Averaged direction against the gradient, bilevel",
    hypotheses=LEMMA9,
    follows_from=("lem9.i", "lem1.iv", "moreau-2"),
)
LEM9_VII = claim(
    "lem9.vii",
    "Lemma 9 (vii)",
    Kind.INEQUALITY,
    "E||omegabar_k||^2 <= (L_{0,x}^{grad h}/mu_h)^2 (4n^2/eta^2)(L_{0,y}^f)^2 E ehat_k",
    le(ombar2, (L_h_x / mu_h) ** 2 * 4 * n**2 / eta_s**2 * L_y**2 * eh),
    title="Mean delay error",
    hypotheses=LEMMA9,
    follows_from=("lem9.iii",),
    switches=(MOVING_SET,),
    note=f"{_MOVED} ehat_k is read with xhat_r; Definition 6 and the proof of Lemma 11 print xhat_k.",
)
LEM9_VIII = claim(
    "lem9.viii",
    "Lemma 9 (viii)",
    Kind.INEQUALITY,
    "E||wbar_k||^2 <= (4n^2/eta^2)(L_{0,y}^f)^2 eps_r",
    le(wbar2, 4 * n**2 / eta_s**2 * L_y**2 * eps),
    title="Mean inexactness error, bilevel",
    hypotheses=LEMMA9,
    follows_from=("lem9.iv",),
    switches=(SAMPLES_READING,),
    note=_SAMPLES_COUNT,
)
LEM9 = (LEM9_I, LEM9_II, LEM9_III, LEM9_IV, LEM9_V, LEM9_VI, LEM9_VII, LEM9_VIII)

# --- Lemma 10
a_k = declare("a_bl", "a_k", AREA, latex="a_k")
b_k = declare("b_bl", "b_k", AREA, latex="b_k")
sum_theta = declare("sum_theta_bl", "sum_{t=T_r}^{k-1} theta_t", latex=r"\sum_{t=T_r}^{k-1}\theta_t", **NONNEG)
beta1 = declare("beta1_bl", "beta_1", LENGTH**-2, latex=r"\beta_1", **POS)
beta2 = declare("beta2_bl", "beta_2", LENGTH**-2, latex=r"\beta_2", **POS)
RECURSION = H_(
    "recursion_two",
    "a_k, b_k, theta_k >= 0, a_{T_r} = b_{T_r} = 0, beta_1, beta_2 > 0, and for T_r + 1 <= k <= T_{r+1}: "
    "max{a_k, b_k} <= (k - T_r) gamma^2 sum_{t=T_r}^{k-1} (beta_1 a_t + beta_2 b_t + theta_t)",
)
S_LEM10 = H_(
    "S-lem10",
    "gamma <= 1/(sqrt(2 max{beta_1, beta_2}) H)",
    le(gamma, 1 / (sp.sqrt(2 * sp.Max(beta1, beta2, evaluate=False)) * H)),
)
LEM10 = claim(
    "lem10",
    "Lemma 10",
    Kind.INEQUALITY,
    "a_k + b_k <= 6H gamma^2 sum_{t=T_r}^{k-1} theta_t for T_r + 1 <= k <= T_{r+1}",
    le(a_k + b_k, 6 * H * gamma**2 * sum_theta),
    title="Recursion of two sequences over a round",
    hypotheses=(RECURSION, FREQUENCY, S_LEM10),
    follows_from=("lem7.b",),
)

# --- Lemma 11
_PER_STEP = n**2 * L_imp**2 + 2 * B1**2 / eta_s**2 + 4 * B2**2 * L_imp**2 * n**2 + 4 * n**2 / eta_s**2 * L_y**2 * eps
_RECURSIVE = (
    4
    * gamma**2
    * loc
    * (
        8 * sum_eb
        + (L_h_x / mu_h) ** 2 * (4 * n**2 / eta_s**2) * L_y**2 * sum_drift
        + 4 * B2**2 * sum_grad2
        + loc * _PER_STEP
    )
)
DRIFT = (*RUN, LOWER_MEAN, IN_ROUND)
LEM11_I = claim(
    "lem11.i",
    "Lemma 11 (i)",
    Kind.INEQUALITY,
    "max{E ebar_k, E ehat_k} <= 4 gamma^2 (k - T_r) sum_{t=T_r}^{k-1} ( 8 E ebar_t + (L_{0,x}^{grad h}/mu_h)^2 "
    "(4n^2/eta^2)(L_{0,y}^f)^2 E ehat_k + 4B_2^2 E||grad F_eta(xbar_t)||^2 + n^2 (L_0^imp)^2 + 2B_1^2/eta^2 + 4B_2^2 "
    "(L_0^imp)^2 n^2 + (4n^2/eta^2)(L_{0,y}^f)^2 eps_r )",
    every(le(eb, _RECURSIVE), le(eh, _RECURSIVE)),
    title="Consensus and delay errors, recursion",
    hypotheses=DRIFT,
    where={sum_drift: AS_PRINTED[sum_drift]},
    follows_from=("lem6", "lem9.ii", "lem9.iii", "lem9.iv"),
    switches=(DELAY_READING,),
)
_GRADIENTS = 96 * B2**2 * H * gamma**2 * sum_grad2
LEM11_II = claim(
    "lem11.ii",
    "Lemma 11 (ii)",
    Kind.INEQUALITY,
    "E ebar_k + E ehat_k <= 96B_2^2 H gamma^2 sum_{t=T_r}^{k-1} E||grad F_eta(xbar_t)||^2 + 24H^2 gamma^2 (2B_1^2/"
    "eta^2 + (4B_2^2 + 1) (L_0^imp)^2 n^2 + (4n^2/eta^2)(L_{0,y}^f)^2 eps_r)",
    le(
        eb + eh,
        _GRADIENTS
        + 24
        * H**2
        * gamma**2
        * (2 * B1**2 / eta_s**2 + (4 * B2**2 + 1) * L_imp**2 * n**2 + 4 * n**2 / eta_s**2 * L_y**2 * eps),
    ),
    title="Consensus and delay errors in one round",
    hypotheses=(*DRIFT, S_LEM11),
    where={root_2n: AS_PRINTED[root_2n]},
    follows_from=("lem11.i", "lem10"),
    reading=Reading.REPAIRED,
    switches=(ROOT_READING,),
    note="The step condition is repaired: its root is printed over 2n, and sqrt(0.1 Theta_3) in the proof of Theorem 1 "
    "has sqrt(2) n. Where L_{0,y}^f = 0, as in the record, both say gamma <= 1/(8H).",
)
LEM11_III = claim(
    "lem11.iii",
    "proof of Theorem 1 (i)",
    Kind.INEQUALITY,
    "E ebar_k + E ehat_k <= 96B_2^2 H gamma^2 sum_{t=T_r}^{k-1} E||grad F_eta(xbar_t)||^2 + H^2 gamma^2 Theta_4 eps_r "
    "+ H^2 gamma^2 Theta_5",
    le(eb + eh, _GRADIENTS + H**2 * gamma**2 * Th4 * eps + H**2 * gamma**2 * Th5),
    title="Consensus and delay errors, with the constants",
    hypotheses=(*DRIFT, S_11_THETA),
    where={s: WHERE[s] for s in (Th3, Th4, Th5)},
    follows_from=("lem11.ii",),
)
LEM11 = (LEM11_I, LEM11_II, LEM11_III)
LEMMAS = (DEF7, REM9, *LEM9, LEM10, *LEM11)
