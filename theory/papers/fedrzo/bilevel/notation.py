"""Symbols of the bilevel section, the constants of Theorem 1, and the hypotheses of Algorithm 2.

Metrics belong to a local step ``k`` of round ``r``; ``E`` is over directions, samples and lower-level runs. The
lower-level variable has a unit of its own: ``L_y^2 eps_r`` is an area, and ``eps_r`` compares with nothing.
"""

import sympy as sp

from rateproof.theory.claim import Switch
from rateproof.theory.papers.fedrzo.notation import (
    A2,
    AREA,
    B1,
    B2,
    FREQUENCY,
    H_,
    K_IS_T_R,
    KSTAR,
    ONE_DIRECTION,
    T_R,
    H,
    K_it,
    L_h_x,
    L_imp,
    L_y,
    Lam,
    declare,
    eta_s,
    gamma,
    mu_h,
)
from rateproof.theory.shorthand import le
from rateproof.theory.symbols import COUNT, NONNEG, POS, n
from rateproof.theory.units import LENGTH, LOWER, ONE

CURVATURE = LENGTH**-2

# --- constants of Theorem 1
Th1 = declare("Theta1_bl", "constant Theta_1 of Theorem 1", LENGTH**-1, latex=r"\Theta_1", defined=True, **POS)
Th2 = declare("Theta2_bl", "constant Theta_2 of Theorem 1", CURVATURE, latex=r"\Theta_2", defined=True, **POS)
Th3 = declare("Theta3_bl", "constant Theta_3 of Theorem 1", CURVATURE, latex=r"\Theta_3", defined=True, **NONNEG)
Th4 = declare("Theta4_bl", "constant Theta_4 of Theorem 1", LOWER**-2, latex=r"\Theta_4", defined=True, **NONNEG)
Th5 = declare("Theta5_bl", "constant Theta_5 of Theorem 1", ONE, latex=r"\Theta_5", defined=True, **POS)
#: (n^2/eta^2) L_y^2, which multiplies squared lower-level errors.
E_y = n**2 / eta_s**2 * L_y**2
#: Smoothness constant of F_eta.
ELL = (L_imp * n + 1) / eta_s
WHERE = {
    Th1: 3 * (L_imp * n + 1) * n**2 / (2 * eta_s) * L_imp**2,
    Th2: 5 * (L_imp * n + 1) ** 2 / (8 * eta_s**2),
    Th3: (L_h_x / mu_h) ** 2 * (20 * n**2 / eta_s**2) * L_y**2,
    Th4: 96 * n**2 / eta_s**2 * L_y**2,
    Th5: 48 * B1**2 / eta_s**2 + (96 * B2**2 + 1) * L_imp**2 * n**2,
}
MAX23 = sp.Max(Th2, Th3, evaluate=False)

# --- the lower level
eps = declare("eps_bl", "eps_r, accuracy of the lower-level solutions", LOWER**2, latex=r"\varepsilon_r", **NONNEG)
sum_eps = declare("sum_eps_bl", "sum over the rounds of eps_r", LOWER**2, latex=r"\sum_r\varepsilon_r", **NONNEG)
mean_eps = declare(
    "mean_eps_bl",
    "mean of eps_{r(k)} over the local steps k, sum_r (T_{r+1} - T_r) eps_r / T_R",
    LOWER**2,
    latex=r"\bar\varepsilon",
    **NONNEG,
)
eps_c = declare("eps_c_bl", "constant c of eps_r <= c (r+1)^(-2/3)", LOWER**2, latex="c", **NONNEG)
T_low = declare("T_low_bl", "iterations of a lower-level call", latex=r"\tilde T_{\tilde R_r}", **POS)
H_low = declare("H_low_bl", "local steps of a lower-level round", latex=r"\tilde H", **POS)
a_low = declare("a_low_bl", "parameter a_r of Algorithm 3", latex="a_r", **POS)
r_up = declare("r_bl", "round of the upper level, from 0", latex="r", nonnegative=True, integer=True)
R_whole = declare("R_whole_bl", "communication rounds R, as the number of terms of a sum", latex="R", **COUNT)

# --- metrics of one local step
loc = declare("loc_bl", "local steps since the round began, k - T_r", latex="(k-T_r)", nonnegative=True, integer=True)
bias = declare(
    "bias_bl",
    "||E g_{i,k} - E grad f_{i,eta}(x_{i,k})||, zero whatever F_k holds if Lemma 9 (i) does",
    latex=r"\|\mathbb E[g_{i,k}^\eta]-\mathbb E[\nabla f_i^\eta(x_{i,k})]\|",
)
bias_start = declare(
    "bias_start_bl",
    "||E g_{i,k} - E grad f_{i,eta}(xhat_r)||",
    latex=r"\|\mathbb E[g_{i,k}^\eta]-\mathbb E[\nabla f_i^\eta(\hat x_r)]\|",
)
g2 = declare("g2_bl", "E ||g_{i,k}||^2", latex=r"\mathbb E[\|g_{i,k}^\eta\|^2]")
om2 = declare("om2_bl", "E ||omega_{i,k}||^2", latex=r"\mathbb E[\|\omega_{i,k}^\eta\|^2]")
w2 = declare("w2_bl", "E ||w_{i,k}||^2", latex=r"\mathbb E[\|w_{i,k}^\eta\|^2]")
move1 = declare("move1_bl", "E ||x_{i,k} - xhat_r||", LENGTH, latex=r"\mathbb E[\|x_{i,k}-\hat x_r\|]")
move2 = declare("move2_bl", "E ||x_{i,k} - xhat_r||^2", AREA, latex=r"\mathbb E[\|x_{i,k}-\hat x_r\|^2]")
dir2 = declare("dir2_bl", "E ||gbar_k + Gbar_k||^2", latex=r"\mathbb E[\|\bar g_k^\eta+\bar\nabla_k^{\eta,d}\|^2]")
ombar2 = declare("ombar2_bl", "E ||omegabar_k||^2", latex=r"\mathbb E[\|\bar\omega_k^\eta\|^2]")
wbar2 = declare("wbar2_bl", "E ||wbar_k||^2", latex=r"\mathbb E[\|\bar w_k^\eta\|^2]")
grad2 = declare("grad2_bl", "E ||grad F_eta(xbar_k)||^2", latex=r"\mathbb E[\|\nabla\mathbf f^\eta(\bar x_k)\|^2]")
grad2_start = declare(
    "grad2_start_bl", "E ||grad F_eta(xhat_r)||^2", latex=r"\mathbb E[\|\nabla\mathbf f^\eta(\hat x_r)\|^2]"
)
inner = declare(
    "inner_bl",
    "E grad F_eta(xbar_k)^T (gbar_k + Gbar_k)",
    latex=r"\mathbb E[\nabla\mathbf f^\eta(\bar x_k)^T(\bar g_k^\eta+\bar\nabla_k^{\eta,d})]",
)
inner_start = declare(
    "inner_start_bl",
    "E grad F_eta(xhat_r)^T (gbar_k + Gbar_k)",
    latex=r"\mathbb E[\nabla\mathbf f^\eta(\hat x_r)^T(\bar g_k^\eta+\bar\nabla_k^{\eta,d})]",
)
eb = declare("eb_bl", "E ebar_k, mean over the clients of ||x_{i,k} - xbar_k||^2", AREA, latex=r"\mathbb E[\bar e_k]")
eh = declare("eh_bl", "E ehat_k, mean over the clients of ||x_{i,k} - xhat_r||^2", AREA, latex=r"\mathbb E[\hat e_k]")
sum_eb = declare("sum_eb_bl", "sum_{t=T_r}^{k-1} E ebar_t", AREA, latex=r"\sum_{t=T_r}^{k-1}\mathbb E[\bar e_t]")
sum_eh = declare("sum_eh_bl", "sum_{t=T_r}^{k-1} E ehat_t", AREA, latex=r"\sum_{t=T_r}^{k-1}\mathbb E[\hat e_t]")
sum_grad2 = declare(
    "sum_grad2_bl",
    "sum_{t=T_r}^{k-1} E ||grad F_eta(xbar_t)||^2",
    latex=r"\sum_{t=T_r}^{k-1}\mathbb E[\|\nabla\mathbf f^\eta(\bar x_t)\|^2]",
)
#: The sum over t of a term that the paper prints with index k.
sum_drift = declare(
    "sum_drift_bl",
    "the sum over t of Lemma 11's drift term, whose index is printed as k",
    AREA,
    latex=r"\sum_{t=T_r}^{k-1}\mathbb E[\hat e_k]",
    defined=True,
)
K_div = declare(
    "K_div_bl", "what Theorem 1 (i) divides by, K or T_R", latex="K", nonnegative=True, integer=True, defined=True
)

# --- constants of the corrected readings
L_mean = declare("L_mean_bl", "Lipschitz constant of the implicit loss f", ONE, latex="L_0^f", **NONNEG)
#: (2 n (L + L_y Lam) + 1)/eta: how fast a local direction moves away from the one at the start of its round.
SPREAD = (2 * n * (L_imp + L_y * Lam) + 1) / eta_s
#: The same without lower level.
SPREAD0 = (2 * n * L_imp + 1) / eta_s
DRIFT0 = (1 + 4 * B2**2) * n**2 * L_imp**2 + 2 * B1**2 / eta_s**2
chi = declare("chi_bl", "0 if every X_i is the whole space, else 1", latex=r"\chi", nonnegative=True, integer=True)

# --- hypotheses
#: The accuracy that Theorem 1 prints, and the one without condition of Algorithm 2 and Lemma 9, which it implies.
LOWER_ACCURATE = H_("lower_accurate", "E[||y_eps(x) - y(x)||^2 | x] <= eps_r at x = xhat_r and x = xhat_r + v_{T_r}")
LOWER_MEAN = H_("lower_accurate_mean", "E||y_eps(x) - y(x)||^2 <= eps_r at x = xhat_r and x = xhat_r + v_{T_r}")
#: Printed nowhere as a sentence. Line 7 of Algorithm 2 has xi_{i,k} drawn, as random replicates, after the lower-level
#: runs of line 4, and Section 8.5 takes expectations over xi_{i,k} given F_k, which holds those runs, and v_{T_r}.
SAMPLES = H_("samples", "xi_{i,k} is independent of the past, of v_{T_r} and of the lower-level runs of the round")
SAMPLES_READING = Switch(
    "samples",
    "independent of the past, of v_{T_r} and of the lower-level runs",
    "iid over k and independent over the clients only",
    "line 7 of Algorithm 2 only has xi_{i,k} drawn; that it does not depend on the lower-level runs of line 4 stands "
    "in the conditional expectations of Section 8.5, given F_k with those runs, and in no sentence",
    without=(SAMPLES.key,),
)
RUN = (*A2, ONE_DIRECTION, SAMPLES, FREQUENCY)
LEMMA9 = (*A2, ONE_DIRECTION, SAMPLES, LOWER_MEAN)
Y_LIPSCHITZ = H_("y_lipschitz", "y(.) is Lam-Lipschitz (with Lam = L_{0,x}^{grad h}/mu_h where Y(x) = Y is constant)")
IN_ROUND = H_("later_round", "T_r <= k <= T_{r+1} - 1 with r > 0")
CHI = H_("chi", "chi = 0 if every X_i is the whole space, else chi = 1")
_LARGEST = sp.Max(
    sp.Integer(2), sp.sqrt(Th3 / 10), 4 * B2 * sp.sqrt(3 * Th2), 4 * B2 * sp.sqrt(3 * Th3), evaluate=False
)
#: Lemma 11 (ii) has a root of it: sqrt(2) n as the proof of Theorem 1 uses it, or of 2n as the text shows.
root_2n = declare("root_2n_bl", "root in the step condition of Lemma 11 (ii)", latex=r"\sqrt2\,n", defined=True, **POS)


def _cap_11(root: sp.Expr) -> sp.Expr:
    steep = L_h_x / mu_h * root / eta_s * L_y
    return 1 / (4 * H * sp.Max(sp.Integer(2), steep, evaluate=False))


#: The largest stepsizes of Theorem 1 (i) and of Lemma 11 (ii).
CAP_BL = sp.Min(1 / (4 * H * _LARGEST), eta_s / (24 * (L_imp * n + 1)), evaluate=False)
CAP_11 = _cap_11(sp.sqrt(2) * n)
S_BL_I = H_(
    "S-bl.i",
    "gamma <= min{1/(4H max{2, sqrt(0.1 Theta_3), 4 B_2 sqrt(3 Theta_2), 4 B_2 sqrt(3 Theta_3)}), eta/(24(L_0^imp n "
    "+ 1))}",
    le(gamma, CAP_BL),
)
S_LEM11 = H_(
    "S-lem11",
    "gamma <= 1/(4H max{2, (L_{0,x}^{grad h}/mu_h)(sqrt(2) n/eta) L_{0,y}^f})",
    le(gamma, _cap_11(root_2n)),
)
ROOT_READING = Switch(
    "root",
    "sqrt(2) n",
    "sqrt(2n)",
    "the text shows the root over 2n; sqrt(0.1 Theta_3) in the proof of Theorem 1 is sqrt(2) n",
    {root_2n: sp.sqrt(2 * n)},
)
#: The same as the proof of Theorem 1 writes it.
S_11_THETA = H_(
    "S-lem11.theta",
    "gamma <= 1/(4H max{2, sqrt(0.1 Theta_3)})",
    le(gamma, 1 / (4 * H * sp.Max(sp.Integer(2), sp.sqrt(Th3 / 10), evaluate=False))),
)
THM1 = (*RUN, LOWER_ACCURATE, S_BL_I, KSTAR, K_IS_T_R)
#: "The number of iterations such that E||grad F_eta(xbar_{k*})||^2 <= epsilon", for every K under the conditions of a
#: complexity.
LEAST = H_(
    "K_eps_all",
    "K_eps is the least number from which on every K that meets these conditions has E||grad F_eta(xbar_{k*})||^2 <= "
    "epsilon",
)

T_R_READING = Switch(
    "divisor",
    "K",
    "T_R",
    "the theorem divides by K = T_R - 1, its proof by T_R",
    {K_div: T_R},
)
DELAY_READING = Switch(
    "delay_index",
    "ehat_k",
    "ehat_t",
    "the term under the sum over t is printed with index k, in statement and proof; the argument gives t",
    {sum_drift: sum_eh},
)
#: Definitions that hold the printed reading of these switches.
AS_PRINTED = {K_div: K_it, sum_drift: loc * eh, root_2n: sp.sqrt(2) * n}
