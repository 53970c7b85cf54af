"""What the claims about smoothing and the single level measure, and their own hypotheses.

``c`` in a name says that a quantity is one coordinate of a vector. Sums over a round run over ``t = T_r, ..., k - 1``.
"""

from dataclasses import replace

import sympy as sp

from rateproof.theory.claim import Switch
from rateproof.theory.papers.fedrzo.notation import (
    A1,
    AREA,
    B2,
    FREQUENCY,
    FRESH,
    H_,
    L0,
    H,
    K_it,
    declare,
    eta_s,
    gamma,
    m,
)
from rateproof.theory.symbols import COUNT, NONNEG, POS, n
from rateproof.theory.units import LENGTH

# --- one function h and its smoothing (Lemma 1), one set and its Moreau term
gap_h_eta = declare("gap_h_eta", "|h_eta(x) - h_eta(y)|", LENGTH, latex=r"|h^\eta(x)-h^\eta(y)|")
bias_h = declare("bias_h", "|h_eta(x) - h(x)|", LENGTH, latex=r"|h^\eta(x)-h(x)|")
grad_h_c = declare(
    "grad_h_c", "directional derivative of h_eta at x along a unit vector", latex=r"\langle\nabla h^\eta(x),u\rangle"
)
sphere_h_c = declare(
    "sphere_h_c",
    "(n/eta) E[h(x + v) v/||v||] along the same unit vector",
    latex=r"\frac n\eta\mathbb E[h(x+v)\frac{v^Tu}{\|v\|}]",
)
gap_grad_h = declare("gap_grad_h", "||grad h_eta(x) - grad h_eta(y)||", latex=r"\|\nabla h^\eta(x)-\nabla h^\eta(y)\|")
dist_xy = declare("dist_xy", "||x - y||", LENGTH, latex=r"\|x-y\|")
env_I = declare("env_I", "inf_y I_X(y) + ||x - y||^2/(2 eta)", LENGTH, latex=r"\mathbb I_{X_i}^\eta(x)")
dist_X_i = declare("dist_X_i", "dist(x, X_i)", LENGTH, latex=r"\operatorname{dist}(x,X_i)")
grad_env_c = declare(
    "grad_env_c",
    "directional derivative of the Moreau smoothing of I_{X_i} along a unit vector",
    latex=r"\langle\nabla\mathbb I_{X_i}^\eta(x),u\rangle",
)
res_c = declare(
    "res_c", "x - P_{X_i}(x) along the same unit vector", LENGTH, latex=r"\langle x-\mathcal P_{X_i}(x),u\rangle"
)
gap_grad_I = declare(
    "gap_grad_I",
    "||grad I^{eta}(x) - grad I^{eta}(y)||, I^{eta} the Moreau smoothing of I_{X_i}",
    latex=r"\|\nabla\mathbb I_{X_i}^\eta(x)-\nabla\mathbb I_{X_i}^\eta(y)\|",
)

# --- sets
mean_dist2 = declare(
    "mean_dist2", "(1/m) sum_i dist^2(x, X_i)", AREA, latex=r"\frac1m\sum_i\operatorname{dist}^2(x,X_i)"
)
sq_res = declare("sq_res", "||x - (1/m) sum_i P_{X_i}(x)||^2", AREA, latex=r"\|x-\frac1m\sum_i\mathcal P_{X_i}(x)\|^2")
mean_sq_grad_d = declare(
    "mean_sq_grad_d", "(1/m) sum_i ||grad d_i(x)||^2", latex=r"\frac1m\sum_i\|\nabla d_i^\eta(x)\|^2"
)
sq_grad_d = declare("sq_grad_d", "||(1/m) sum_i grad d_i(x)||^2", latex=r"\|\frac1m\sum_i\nabla d_i^\eta(x)\|^2")
norm_x = declare("norm_x", "||x|| of an iterate x", LENGTH, latex=r"\|x\|", **NONNEG)
rho = declare("rho", "bound on ||x|| along the iterates", LENGTH, latex=r"\rho", **NONNEG)
far_0 = declare("far_0", "max_i dist(0, X_i)", LENGTH, latex=r"\max_i\operatorname{dist}(0,X_i)", **NONNEG)
dist_X = declare("dist_X", "dist(x, X) of a point x", LENGTH, latex=r"\operatorname{dist}(x,X)")
norm_grad_F = declare("norm_grad_F", "||grad F_eta(x)|| at that point", latex=r"\|\nabla\mathbf f^\eta(x)\|", **NONNEG)
kap = declare("kap", "constant of linear regularity of the sets X_i", latex=r"\kappa_X", **POS)
dist_first = declare(
    "dist_first", "smallest dist(x_k, X) of an iterate", LENGTH, latex=r"\min_k\operatorname{dist}(x_k,X)"
)
dist_kstar = declare("dist_kstar", "E dist(x_{k*}, X)", LENGTH, latex=r"\mathbb E[\operatorname{dist}(\bar x_{k^*},X)]")
dist_limit = declare(
    "dist_limit",
    "limit superior of E dist(x_{k*}, X) for K -> infinity",
    LENGTH,
    latex=r"\limsup_{K\to\infty}\mathbb E[\operatorname{dist}(\bar x_{k^*},X)]",
)

# --- the introduction
x_mm = declare("x_mm", "x* of the example, a number", latex="x^*")
y_mm = declare("y_mm", "y* of the example, a number", latex="y^*")
solutions = declare("solutions", "number of solutions of the example", latex=r"n_{\text{solutions}}")
opt_two_level = declare(
    "opt_two_level", "optimal value of the problem with its lower level", LENGTH, latex=r"\min_{x\in X}f(x,y(x))"
)
opt_implicit = declare(
    "opt_implicit", "optimal value of min f over X, f the implicit objective", LENGTH, latex=r"\min_{x\in X}f(x)"
)
est_inexact_c = declare(
    "est_inexact_c",
    "mean of one coordinate of the inexact estimate g^{eta,eps}",
    latex=r"\mathbb E[g^{\eta,\varepsilon}]_j",
)
grad_f_i_c = declare("grad_f_i_c", "the same coordinate of grad f_{i,eta}(x)", latex=r"[\nabla f_i^\eta(x)]_j")
error_c = declare(
    "error_c",
    "mean of the same coordinate of (n/eta)(e(x + v) - e(x)) v/||v||, e = loss at y_eps - at y",
    latex=r"\mathbb E[\frac n\eta(e(x+v)-e(x))\frac{v}{\|v\|}]_j",
)

# --- one iterate of Algorithm 1 (Lemmas 3 to 6)
xb_c = declare("xb_c", "xbar_k, one coordinate", LENGTH, latex=r"[\bar x_k]_j")
xb_next_c = declare("xb_next_c", "xbar_{k+1}, the same coordinate", LENGTH, latex=r"[\bar x_{k+1}]_j")
gbar_c = declare("gbar_c", "gbar_k, the same coordinate", latex=r"[\bar g_k^\eta]_j")
Gbar_c = declare(
    "Gbar_c", "mean of (x_{i,k} - P_{X_i}(x_{i,k}))/eta over i, the same coordinate", latex=r"[\bar\nabla_k^{\eta,d}]_j"
)
est_c = declare(
    "est_c",
    "E[g_{i,k} + G_{i,k} | F_k], one coordinate; G_{i,k} = (x_{i,k} - P_{X_i}(x_{i,k}))/eta",
    latex=r"\mathbb E[g_{i,k}^\eta+\nabla_{i,k}^{\eta,d}\mid\mathcal F_k]_j",
)
grad_F_i_c = declare(
    "grad_F_i_c", "grad F_{i,eta}(x_{i,k}), the same coordinate", latex=r"[\nabla\mathbf f_i^\eta(x_{i,k})]_j"
)
sq_g = declare("sq_g", "E[||g_{i,k}||^2 | F_k]", latex=r"\mathbb E[\|g_{i,k}^\eta\|^2\mid\mathcal F_k]")
sq_G = declare("sq_G", "||G_{i,k}||^2", latex=r"\|\nabla_{i,k}^{\eta,d}\|^2")
sq_est = declare(
    "sq_est",
    "E[||g_{i,k} + G_{i,k}||^2 | F_k]",
    latex=r"\mathbb E[\|g_{i,k}^\eta+\nabla_{i,k}^{\eta,d}\|^2\mid\mathcal F_k]",
)
sq_dev = declare(
    "sq_dev",
    "E[||g_{i,k} + G_{i,k} - grad F_{i,eta}(x_{i,k})||^2 | F_k]",
    latex=r"\mathbb E[\|g_{i,k}^\eta+\nabla_{i,k}^{\eta,d}-\nabla\mathbf f_i^\eta(x_{i,k})\|^2\mid\mathcal F_k]",
)
sq_agg = declare(
    "sq_agg",
    "E[||gbar_k + Gbar_k||^2 | F_k]",
    latex=r"\mathbb E[\|\bar g_k^\eta+\bar\nabla_k^{\eta,d}\|^2\mid\mathcal F_k]",
)
cross_agg = declare(
    "cross_agg",
    "E[grad F_eta(xbar_k)^T (gbar_k + Gbar_k) | F_k]",
    latex=r"\mathbb E[\nabla\mathbf f^\eta(\bar x_k)^T(\bar g_k^\eta+\bar\nabla_k^{\eta,d})\mid\mathcal F_k]",
)
sq_grad = declare("sq_grad", "||grad F_eta(xbar_k)||^2", latex=r"\|\nabla\mathbf f^\eta(\bar x_k)\|^2")
eb = declare("eb", "consensus error (1/m) sum_i ||x_{i,k} - xbar_k||^2", AREA, latex=r"\bar e_k")
mean_sq_G = declare("mean_sq_G", "(1/m) sum_i ||G_{i,k}||^2", latex=r"\frac1m\sum_i\|\nabla_{i,k}^{\eta,d}\|^2")
norm_grad_f = declare("norm_grad_f", "||grad f_eta(x)||", latex=r"\|\nabla f^\eta(x)\|")

# --- a round (Lemmas 7 and 8)
j_k = declare("j_k", "k - T_r", latex="(k - T_r)", nonnegative=True, integer=True)
a_k = declare("a_k", "member a_k of a nonnegative sequence", AREA)
beta = declare("beta", "factor of the recursion of Lemma 7", LENGTH**-2, latex=r"\beta", **POS)
cap_7 = declare("cap_7", "largest stepsize of Lemma 7", LENGTH, latex=r"\gamma_{\max}", defined=True)
sum_theta = declare("sum_theta", "sum_t theta_t over the round so far", latex=r"\sum_{t=T_r}^{k-1}\theta_t", **NONNEG)
sum_theta_w = declare(
    "sum_theta_w",
    "sum_t (beta H gamma^2 + 1)^(k-t-1) theta_t over the round so far",
    latex=r"\sum_{t=T_r}^{k-1}(\beta H\gamma^2+1)^{k-t-1}\theta_t",
    **NONNEG,
)
E_eb = declare("E_eb", "E of the consensus error at k", AREA, latex=r"\mathbb E[\bar e_k]")
sum_eb = declare(
    "sum_eb",
    "sum_t E of the consensus error over the round so far",
    AREA,
    latex=r"\sum_{t=T_r}^{k-1}\mathbb E[\bar e_t]",
)
sum_grad = declare(
    "sum_grad",
    "sum_t E ||grad F_eta(xbar_t)||^2 over the round so far",
    latex=r"\sum_{t=T_r}^{k-1}\mathbb E[\|\nabla\mathbf f^\eta(\bar x_t)\|^2]",
    **NONNEG,
)

# --- Propositions 1 and 2
grad_f_excess = declare(
    "grad_f_excess",
    "distance of grad f_eta(x) from the Goldstein set of f at x",
    latex=r"\operatorname{dist}(\nabla f^\eta(x),\partial_\rho f(x))",
)
radius = declare("radius", "radius of the Goldstein set", LENGTH, latex=r"\rho", defined=True)
delta = declare("delta", "radius delta of the Goldstein set of Proposition 2", LENGTH, latex=r"\delta", **POS)
norm_res = declare("norm_res", "||x - P_X(x)||", LENGTH, latex=r"\|x-\mathcal P_X(x)\|")
gold = declare(
    "gold",
    "distance of 0 from the delta-Goldstein set of f + I_X at x",
    latex=r"\operatorname{dist}(0,\partial_\delta(f+\mathbb I_X)(x))",
)
gold_2eta = declare(
    "gold_2eta",
    "distance of 0 from the 2 eta-Goldstein set of f + (1/m) sum_i I_{X_i} at x",
    latex=r"\operatorname{dist}(0,\partial_{2\eta}(f+\frac1m\sum_i\mathbb I_{X_i})(x))",
)
gold_sum = declare(
    "gold_sum",
    "distance of 0 from the sum of the delta-Goldstein sets of f and of I_X at x",
    latex=r"\operatorname{dist}(0,\partial_\delta f(x)+\partial_\delta\mathbb I_X(x))",
)
gold_at_P = declare(
    "gold_at_P",
    "distance of 0 from (Goldstein set of f at P_X(x), radius (1 + L_0) eta) + N_X(P_X(x))",
    latex=r"\operatorname{dist}(0,\partial_{(1+L_0)\eta}f(\mathcal P_X(x))+\mathcal N_X(\mathcal P_X(x)))",
)
dist_clarke = declare(
    "dist_clarke",
    "dist(0, conv of the Clarke gradients of f within delta of x)",
    latex=r"\operatorname{dist}(0,\operatorname{conv}\{\zeta:\zeta\in\partial f(y),\|x-y\|\le\delta\})",
)
dist_goldstein = declare(
    "dist_goldstein",
    "dist(0, conv of the limits of gradients of f within delta of x)",
    latex=r"\operatorname{dist}(0,\operatorname{conv}\{\lim\nabla f(y_j):y_j\to y,\|x-y\|\le\delta\})",
)

shortest = declare(
    "shortest", "least number of local steps of a round but the last", latex=r"\min_{r<R-1}(T_{r+1}-T_r)", **COUNT
)
least_steps = declare(
    "least_steps", "local steps that every round but the last has at least", latex=r"H_{\min}", defined=True, **COUNT
)
K_66 = declare("K_66", "iterations of [66] to the accuracy epsilon, by Table 1", latex="K_{66}", **POS)
rounds_66 = declare("rounds_66", "rounds of [66] in K iterations, by Table 1", latex="R_{66}", **POS)
G_66 = declare("G_66", "bound on the gradients in [66]", latex="G", **POS)

# --- proof steps
y1, y2, y3 = (declare(f"y_{i}", f"number {i} of three") for i in (1, 2, 3))
sq_mean = declare("sq_mean", "||mean of y_i||^2, i = 1..m", latex=r"\|\frac1m\sum_iy_i\|^2")
mean_sq = declare("mean_sq", "mean of ||y_i||^2", latex=r"\frac1m\sum_i\|y_i\|^2")
mean_dev = declare("mean_dev", "mean of ||y_i - mean of y_i||^2", latex=r"\frac1m\sum_i\|y_i-\bar y\|^2")
sq_sum = declare("sq_sum", "||sum of y_t||^2, t = 1..T", latex=r"\|\sum_{t=1}^Ty_t\|^2")
sum_sq = declare("sum_sq", "sum of ||y_t||^2", latex=r"\sum_{t=1}^T\|y_t\|^2")
T_y = declare("T_y", "number of terms T", latex="T", positive=True, integer=True)
abs_ip = declare("abs_ip", "|u_1^T u_2|", latex="|u_1^Tu_2|")
sq_u1 = declare("sq_u1", "||u_1||^2", latex=r"\|u_1\|^2")
sq_u2 = declare("sq_u2", "||u_2||^2", latex=r"\|u_2\|^2")
split_d = declare(
    "split_d",
    "(1/m) sum_i ||G_{i,k} - grad d_i(xbar_k)||^2",
    latex=r"\frac1m\sum_i\|\nabla_{i,k}^{\eta,d}-\nabla d_i^\eta(\bar x_k)\|^2",
)
mean_sq_d = declare(
    "mean_sq_d", "(1/m) sum_i ||grad d_i(xbar_k)||^2", latex=r"\frac1m\sum_i\|\nabla d_i^\eta(\bar x_k)\|^2"
)
mean_sq_pp = declare(
    "mean_sq_pp",
    "(1/m) sum_i ||(x_{i,k} - xbar_k) - (P_i(x_{i,k}) - P_i(xbar_k))||^2",
    AREA,
    latex=r"\frac1m\sum_i\|(x_{i,k}-\bar x_k)-(\mathcal P_{X_i}(x_{i,k})-\mathcal P_{X_i}(\bar x_k))\|^2",
)
mean_dist2_xb = declare(
    "mean_dist2_xb", "(1/m) sum_i dist^2(xbar_k, X_i)", AREA, latex=r"\frac1m\sum_i\operatorname{dist}^2(\bar x_k,X_i)"
)
sq_res_xb = declare(
    "sq_res_xb",
    "||xbar_k - (1/m) sum_i P_i(xbar_k)||^2",
    AREA,
    latex=r"\|\bar x_k-\frac1m\sum_i\mathcal P_{X_i}(\bar x_k)\|^2",
)
sq_d_xb = declare("sq_d_xb", "||grad d_eta(xbar_k)||^2", latex=r"\|\nabla d^\eta(\bar x_k)\|^2")
sq_grad_f_xb = declare("sq_grad_f_xb", "||grad f_eta(xbar_k)||^2", latex=r"\|\nabla f^\eta(\bar x_k)\|^2")
mean_sq_est = declare(
    "mean_sq_est",
    "(1/m) sum_i E[||g_{i,k} + G_{i,k}||^2 | F_k]",
    latex=r"\frac1m\sum_i\mathbb E[\|g_{i,k}^\eta+\nabla_{i,k}^{\eta,d}\|^2\mid\mathcal F_k]",
)
modulus_F = declare(
    "modulus_F", "Lipschitz constant of grad F_eta", LENGTH**-1, latex=r"\operatorname{Lip}(\nabla\mathbf f^\eta)"
)
F_now = declare("F_now", "F_eta(xbar_k)", LENGTH, latex=r"\mathbf f^\eta(\bar x_k)")
F_next = declare("F_next", "F_eta(xbar_{k+1})", LENGTH, latex=r"\mathbf f^\eta(\bar x_{k+1})")
E_F_now = declare("E_F_now", "E F_eta(xbar_k)", LENGTH, latex=r"\mathbb E[\mathbf f^\eta(\bar x_k)]")
E_F_next = declare("E_F_next", "E F_eta(xbar_{k+1})", LENGTH, latex=r"\mathbb E[\mathbf f^\eta(\bar x_{k+1})]")
E_sq_grad = declare("E_sq_grad", "E ||grad F_eta(xbar_k)||^2", latex=r"\mathbb E[\|\nabla\mathbf f^\eta(\bar x_k)\|^2]")
ip_path = declare(
    "ip_path",
    "grad F_eta(xbar_k)^T (gbar_k + Gbar_k)",
    latex=r"\nabla\mathbf f^\eta(\bar x_k)^T(\bar g_k^\eta+\bar\nabla_k^{\eta,d})",
)
sq_path = declare("sq_path", "||gbar_k + Gbar_k||^2", latex=r"\|\bar g_k^\eta+\bar\nabla_k^{\eta,d}\|^2")
sum_rounds = declare(
    "sum_rounds",
    "sum_{k=0}^K sum_{t=T_r}^{k-1} a_t, T_r the start of k's round",
    AREA,
    latex=r"\sum_{k=0}^K\sum_{t=T_r}^{k-1}a_t",
)
sum_all = declare("sum_all", "sum_{k=0}^K a_k", AREA, latex=r"\sum_{k=0}^Ka_k")
normal_ip = declare(
    "normal_ip",
    "largest ((x - P_X(x))/eta)^T (z - P_X(x)) over points z of X",
    LENGTH,
    latex=r"\sup_{z\in X}\frac{(x-\mathcal P_X(x))^T(z-\mathcal P_X(x))}\eta",
)

# --- expressions
#: Smoothness constant of F_eta.
M = (L0 * n + 1) / eta_s

# --- hypotheses
ALGORITHM = H_("algorithm1", "x_{i,k} are the iterates of Algorithm 1 from a random xhat_0 in X")
META = H_("meta_zo", "x_k are the iterates of (Meta-ZO), Algorithm 1 with H = 1, from any point x_0")
START_INSIDE = H_("start_inside", "x_0 is in X")
START_OUTSIDE = H_("start_outside", "x_0 is not in X")
STATIONARY = H_("stationary", "grad F_eta(x) = 0")
IDENTICAL = H_("identical", "X_i = X for all i")
H_CONTINUOUS = H_("h_continuous", "h: R^n -> R is continuous")
H_LIPSCHITZ = H_("h_lipschitz", "h is L_0-Lipschitz")
IN_ROUND = H_("in_round", "T_r <= k <= T_{r+1} - 1 for a round r: k - T_r <= H - 1", sp.Le(j_k, H - 1, evaluate=False))
LATER = H_("r>0", "r > 0")
REGULAR = H_("regular", "dist^2(x, X) <= kappa^2 (1/m) sum_i dist^2(x, X_i) for all x")
CAP_NN = (
    H_("gamma_smooth", "gamma <= eta/(4 L_0 n)", sp.Le(4 * L0 * n * gamma, eta_s, evaluate=False)),
    H_("gamma_H", "gamma <= 1/(4H)", sp.Le(4 * H * gamma, 1, evaluate=False)),
    H_(
        "gamma_sets",
        "gamma <= eta/(12 sqrt(3) B_2 (L_0 n + 1) H)",
        sp.Le(12 * sp.sqrt(3) * B2 * (L0 * n + 1) * H * gamma, eta_s, evaluate=False),
    ),
)
CAP_7 = H_("gamma_7", "0 < gamma <= 1/(sqrt(beta) H)", sp.Le(gamma, cap_7, evaluate=False))
CAP_8 = H_("gamma_H", "gamma <= 1/(4H)", sp.Le(4 * H * gamma, 1, evaluate=False))
CAP_PROP2 = H_(
    "eta_delta", "eta <= delta/max{2, n L_0}", sp.Le(sp.Max(2, n * L0, evaluate=False) * eta_s, delta, evaluate=False)
)
_FOURTH_ROOT = (K_it / m**3) ** sp.Rational(1, 4)
GAMMA_COM = H_("gamma_com", "gamma = sqrt(m/K)", sp.Eq(gamma, sp.sqrt(m / K_it), evaluate=False))
H_COM = H_(
    "H_com",
    "H = ceil((K/m^3)^(1/4))",
    sp.And(sp.Ge(H, _FOURTH_ROOT, evaluate=False), sp.Lt(H - 1, _FOURTH_ROOT, evaluate=False), evaluate=False),
)
#: The rule that the proof of Proposition 1 (ii) puts in.
H_COM_PROOF = H_("H_proof", "H = (K/m^3)^(1/4)", sp.Eq(H, _FOURTH_ROOT, evaluate=False))
RUN = (*A1, ALGORITHM, FRESH, FREQUENCY)

# --- samples that depend on the directions
#: What Section 8.1 prints. FRESH adds that xi_{i,k} and v_{i,k} are independent of each other, as the proofs take them.
FRESH_CLIENTS = H_("fresh_clients", "xi_{i,k} and v_{i,k} are iid over k and independent over the clients")
INDEPENDENT = H_("independent", "xi and v are independent, v is uniform on the sphere of radius eta")
UNIFORM = H_("uniform", "v is uniform on the sphere of radius eta")
SAMPLES_READING = Switch(
    "samples",
    "independent of v",
    "iid over k and independent over the clients only",
    "Section 8.1 prints no more than that; that xi does not depend on v stands in the means over v of means over xi "
    "given v, by which the proof of Lemma 4 goes, and in no sentence",
    without=(FRESH.key,),
    adding=(FRESH_CLIENTS,),
)
#: The same for one sample and one direction.
SAMPLE_READING = replace(SAMPLES_READING, without=(INDEPENDENT.key,), adding=(UNIFORM,))
SAMPLES_NOTE = (
    "That xi is independent of v is the set-up of the proof of Lemma 4 and no printed sentence; without it the claim "
    "falls."
)

# --- lengths of the rounds
EQUAL_ROUNDS = H_(
    "least_steps",
    "every round but the last has at least H_min local steps, which are H",
    sp.Le(least_steps, shortest, evaluate=False),
)
WHERE_ROUNDS = {least_steps: H}
ROUND_LENGTH = Switch(
    "round_length",
    "H local steps in every round but the last",
    "any lengths up to H",
    "Definition 2 has H as an upper bound on the lengths; R = O(K/H) in the proof takes all of them for H",
    {least_steps: sp.S.One},
)
