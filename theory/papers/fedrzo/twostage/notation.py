"""Symbols of the two-stage section, the constants of Theorem 2, and the hypotheses of Algorithms 4 and 5.

Metrics of a local step belong to step ``k`` of a round that began at ``T_r``; ``E`` is over directions and samples. A
lower-level error has the unit of ``y``: ``L_y^2 eps_k`` is an area, and ``eps_k`` alone can be compared with nothing.
"""

import sympy as sp

from rateproof.theory.claim import Hypothesis, Switch
from rateproof.theory.papers.fedrzo.notation import (
    A3,
    A3_II,
    AREA,
    B1,
    B2,
    FRESH,
    H_,
    L_F,
    H,
    K_eps,
    K_it,
    L_imp,
    L_y,
    M_imp,
    declare,
    eta_s,
    gamma,
    k_it,
    kappa_F,
    m,
    mu_F,
)
from rateproof.theory.shorthand import eq, every, ge, le
from rateproof.theory.symbols import NONNEG, POS, epsilon, n
from rateproof.theory.units import INNER, LENGTH, LOWER

CURVATURE = LENGTH**-2

# --- constants of Theorem 2
Th1 = declare("Theta1_2s", "constant Theta_1 of Theorem 2", LENGTH**-1, latex=r"\Theta_1", defined=True, **POS)
Th2 = declare("Theta2_2s", "constant Theta_2 of Theorem 2", CURVATURE, latex=r"\Theta_2", defined=True, **POS)
Th3 = declare("Theta3_2s", "constant Theta_3 of Theorem 2", LOWER**-2, latex=r"\Theta_3", defined=True, **NONNEG)
Th4 = declare("Theta4_2s", "constant Theta_4 of Theorem 2", LOWER**-2, latex=r"\Theta_4", defined=True, **NONNEG)
Th5 = declare("Theta5_2s", "constant Theta_5 of Theorem 2", latex=r"\Theta_5", defined=True, **POS)
#: (n^2/eta^2) L_y^2, which multiplies squared lower-level errors.
E_y = n**2 / eta_s**2 * L_y**2
#: Smoothness constant of F_eta.
ELL = M_imp / eta_s
WHERE = {
    Th1: M_imp * n**2 / eta_s * L_imp**2,
    Th2: 5 * M_imp**2 / (8 * eta_s**2),
    Th3: 20 * n**2 / eta_s**2 * L_y**2,
    Th4: 36 * n**2 / eta_s**2 * L_y**2,
    Th5: 9 * (2 * B1**2 / eta_s**2 + (4 * B2**2 + 1) * L_imp**2 * n**2),
}

# --- the lower level
alpha_y = declare("alpha_2s", "stepsize of Algorithm 5", LOWER**2 / INNER, latex=r"\alpha", **POS)
tau = declare("tau_2s", "factor tau of the number of steps of Algorithm 5", latex=r"\tau", **POS)
t_k = declare("t_2s", "steps t_k of Algorithm 5 at iteration k", latex="t_k", nonnegative=True, integer=True)
B_y = declare("B_2s", "bound on ||y(x, xi) - y_0||^2 over the queries", LOWER**2, latex="B", **NONNEG)
eps_k = declare("eps_2s", "accuracy of the lower-level points of step k", LOWER**2, latex=r"\varepsilon_k", **NONNEG)
err_y = declare(
    "err_2s",
    "||y_{eps_k}(x, xi) - y(x, xi)||^2 of one call of Algorithm 5 at step k",
    LOWER**2,
    latex=r"\|y_{\varepsilon_k}(x,\xi)-y(x,\xi)\|^2",
)
sum_eps = declare("sum_eps_2s", "sum_{k=0}^{T_R-1} eps_k", LOWER**2, latex=r"\sum_{k=0}^{T_R-1}\varepsilon_k", **NONNEG)
projections = declare(
    "projections_2s", "projections on Y(x, xi), over all clients, of iterations 0 to K", latex=r"n_{\mathcal P}", **POS
)
#: 1 - 1/kappa_F^2, by which one step of Algorithm 5 contracts.
CONTRACTION = 1 - 1 / kappa_F**2
WHERE_VI = {kappa_F: L_F / mu_F}
#: eps_k of Theorem 2 (i): what is left of B after the t_k steps of Algorithm 5.
EPS_VI = B_y * CONTRACTION**t_k
#: The smallest tau of Theorem 2 (iii), -1/ln(1 - 1/kappa_F^2).
TAU_MIN = -1 / sp.log(CONTRACTION)

# --- metrics of one local step
bias = declare(
    "bias_2s",
    "||E[g_{i,k} | F_k] - grad f_{i,eta}(x_{i,k})||",
    latex=r"\|\mathbb E[g_{i,k}^\eta\mid\mathcal F_k]-\nabla f_i^\eta(x_{i,k})\|",
)
g2 = declare("g2_2s", "E ||g_{i,k}||^2", latex=r"\mathbb E[\|g_{i,k}^\eta\|^2]")
w2 = declare("w2_2s", "E ||w_{i,k}||^2", latex=r"\mathbb E[\|w_{i,k}^\eta\|^2]")
path2 = declare("path2_2s", "E ||gbar_k + Gbar_k||^2", latex=r"\mathbb E[\|\bar g_k^\eta+\bar\nabla_k^{\eta,d}\|^2]")
ip_path = declare(
    "ip_path_2s",
    "E grad F_eta(xbar_k)^T (gbar_k + Gbar_k)",
    latex=r"\mathbb E[\nabla\mathbf f^\eta(\bar x_k)^T(\bar g_k^\eta+\bar\nabla_k^{\eta,d})]",
)
wbar2 = declare("wbar2_2s", "E ||wbar_k||^2", latex=r"\mathbb E[\|\bar w_k^\eta\|^2]")
grad2 = declare(
    "grad2_2s", "E ||grad F_eta(xbar_k)||^2", latex=r"\mathbb E[\|\nabla\mathbf f^\eta(\bar x_k)\|^2]", **NONNEG
)
eb = declare(
    "eb_2s",
    "E ebar_k, mean squared distance of the local models from their mean",
    AREA,
    latex=r"\mathbb E[\bar e_k]",
    **NONNEG,
)
split_i = declare(
    "split_i_2s",
    "E ||g^{eta,eps_k}_{i,k} - (g_{i,k} + w_{i,k})||^2",
    latex=r"\mathbb E[\|g_{i,k}^{\eta,\varepsilon_k}-(g_{i,k}^\eta+w_{i,k}^\eta)\|^2]",
)
split_bar = declare(
    "split_bar_2s",
    "E ||gbar^{eta,eps_k}_k - (gbar_k + wbar_k)||^2",
    latex=r"\mathbb E[\|\bar g_k^{\eta,\varepsilon_k}-(\bar g_k^\eta+\bar w_k^\eta)\|^2]",
)

# --- a round, and a run
done = declare("done_2s", "local steps since the round began, k - T_r", latex="(k-T_r)", nonnegative=True, integer=True)
sum_eb = declare(
    "sum_eb_2s", "sum_{t=T_r}^{k-1} E ebar_t", AREA, latex=r"\sum_{t=T_r}^{k-1}\mathbb E[\bar e_t]", **NONNEG
)
sum_grad = declare(
    "sum_grad_2s",
    "sum_{t=T_r}^{k-1} E ||grad F_eta(xbar_t)||^2",
    latex=r"\sum_{t=T_r}^{k-1}\mathbb E[\|\nabla\mathbf f^\eta(\bar x_t)\|^2]",
    **NONNEG,
)
sum_eps_r = declare(
    "sum_eps_round_2s", "sum_{t=T_r}^{k-1} eps_t", LOWER**2, latex=r"\sum_{t=T_r}^{k-1}\varepsilon_t", **NONNEG
)
double_eps = declare(
    "double_eps_2s",
    "sum_{k=0}^{T_R-1} sum_{t=T_r}^{k-1} eps_t",
    LOWER**2,
    latex=r"\sum_{k=0}^{T_R-1}\sum_{t=T_r}^{k-1}\varepsilon_t",
    **NONNEG,
)
F_now = declare("F_now_2s", "E F_eta(xbar_k)", LENGTH, latex=r"\mathbb E[\mathbf f^\eta(\bar x_k)]")
F_next = declare("F_next_2s", "E F_eta(xbar_{k+1})", LENGTH, latex=r"\mathbb E[\mathbf f^\eta(\bar x_{k+1})]")
ip_w = declare(
    "ip_w_2s", "E grad F_eta(xbar_k)^T wbar_k", latex=r"\mathbb E[\nabla\mathbf f^\eta(\bar x_k)^T\bar w_k^\eta]"
)
step2 = declare(
    "step2_2s",
    "E ||gbar_k + Gbar_k + wbar_k||^2",
    latex=r"\mathbb E[\|\bar g_k^\eta+\bar\nabla_k^{\eta,d}+\bar w_k^\eta\|^2]",
)

# --- the contraction of Algorithm 5
d_now2 = declare("d_now2_2s", "||y_t - y(x, xi)||^2", LOWER**2, latex=r"\|y_t-y(x,\xi)\|^2", **NONNEG)
d_next2 = declare("d_next2_2s", "||y_{t+1} - y(x, xi)||^2", LOWER**2, latex=r"\|y_{t+1}-y(x,\xi)\|^2", **NONNEG)

# --- hypotheses
ACCURATE = H_(
    "accuracy", "||y_{eps_k}(x, xi) - y(x, xi)||^2 <= eps_k for every query x and sample xi (line 5 of Algorithm 4)"
)
ALG4 = (*A3, FRESH, ACCURATE)
DRAWN = H_("iid", "xi_{i,k}, v_{i,k} are iid over k; they may depend on each other and on those of other clients")
#: Lemma 12 (ii), (iii), (vi) and Remark 10 are about single draws and do not turn with it.
SAMPLES_READING = Switch(
    "samples",
    "independent over the clients and of v_{i,k}",
    "iid over k only",
    "line 5 of Algorithm 4 only has random replicates xi_{i,k} and v_{i,k} generated; independence stands in Section "
    "8.1, for the proofs of Algorithm 1, and of xi_{i,k} and v_{i,k} in E_v[E_xi[. | F_k, v]] in the proof of Lemma 12 "
    "(i)",
    without=(FRESH.key,),
    adding=(DRAWN,),
)
#: The same for the note of a claim, which adds where it fails.
SAMPLES_NOTE = (
    "Draws that are independent over the clients, and xi_{i,k} of v_{i,k}, are the set-up of the proofs (Section 8.1, "
    "E_v[E_xi[. | F_k, v]] in the proof of Lemma 12 (i)); with draws that are iid over k only it fails,"
)
ALG5 = H_(
    "alg5",
    "y_{eps_k}(x, xi) is the point that Algorithm 5, called in line 5 of Algorithm 4, reaches from y_0 in t_k steps",
)
STEP_VI = H_("alpha", "alpha = mu_F/L_F^2", sp.Eq(alpha_y, mu_F / L_F**2, evaluate=False))
BOUND_B = H_("B", "B >= ||y(x, xi) - y_0||^2 for every query x and sample xi")
#: The same of one call, of which part (i) of Theorem 2 speaks.
BOUND_CALL = H_("B_call", "B >= ||y(x, xi) - y_0||^2 for the query x and the sample xi of the call")
#: What Assumption 3.ii says of the two constants, for claims about numbers alone; below 1 no tau has a threshold.
KAPPA_F = H_("kappa_F>=1", "mu_F <= L_F, as Assumption 3.ii gives it", le(mu_F, L_F))
TAU = H_("tau", "tau >= -1/ln(1 - 1/kappa_F^2)", ge(tau, TAU_MIN))
#: The choice of the proof's count.
TAU_AT = H_("tau_least", "tau = -1/ln(1 - 1/kappa_F^2)", eq(tau, TAU_MIN))
T_K = H_("t_k", "t_k = ceil(tau ln(k+1))", eq(t_k, sp.ceiling(tau * sp.log(k_it + 1))))
T_ALL = H_("t_k_all", "t_k = ceil(tau ln(k+1)) for k = 0, ..., K")
EPS_ALL = H_("eps_all", "eps_k = B (1 - 1/kappa_F^2)^{t_k} for k = 0, ..., K")
#: A3.ii where it is needed: the queries of Algorithm 4 leave X.
A3_II_QUERIED = H_(
    "monotone_queried",
    "G(x, ., xi) is mu_F(xi)-strongly monotone and L_F(xi)-Lipschitz uniformly in the queries x_{i,k} and "
    "x_{i,k} + v_{i,k}, mu_F <= inf mu_F(xi), L_F >= sup L_F(xi)",
)
A3_QUERIED = tuple(A3_II_QUERIED if h is A3_II else h for h in A3)
QUERIED = Switch(
    "queries",
    "uniformly in x in X",
    "uniformly in the queried points",
    "Algorithm 4 solves the lower level at x_{i,k} and x_{i,k} + v_{i,k}, which leave X",
    without=(A3_II.key,),
    adding=(A3_II_QUERIED,),
    origin="Assumption 3 (i) and (iv) are about all x in R^n, where Algorithm 4 solves the lower level",
)
IN_ROUND = H_("in_round_2s", "T_r <= k <= T_{r+1} - 1, so that k - T_r + 1 <= H", le(done + 1, H))
LATER = H_("r>0", "r > 0")
S_LEM13_H = H_("S-lem13", "gamma <= 1/(sqrt(24) H)", le(sp.sqrt(24) * H * gamma, 1))
S_LEM13_ETA = H_("S-lem13_eta", "gamma <= eta/(sqrt(6) H)", le(sp.sqrt(6) * H * gamma, eta_s))
CAP_SETS = H_(
    "gamma_sets_2s",
    "gamma <= 1/(12 sqrt(6) H B_2 sqrt(Theta_2))",
    le(12 * sp.sqrt(6) * H * B2 * sp.sqrt(Th2) * gamma, 1),
)
CAP_SMOOTH = H_("gamma_smooth_2s", "gamma <= eta/(16 (L_0^imp n + 1))", le(16 * M_imp * gamma, eta_s))
S_2S = (CAP_SETS, CAP_SMOOTH)
#: With H = 1 the clients' models agree at every iteration, and the drift asks for no small step.
CAP_SETS_OR_ONE = H_(
    "gamma_sets_or_H=1",
    "gamma <= 1/(12 sqrt(6) H B_2 sqrt(Theta_2)) unless H = 1",
    le((H - 1) * (12 * sp.sqrt(6) * H * B2 * sp.sqrt(Th2) * gamma - 1), 0),
)
#: K_eps is bounded from above, so every number up to it has to be.
MISSED = H_(
    "K_eps_missed",
    "for every K < K_eps, K iterations with gamma = sqrt(m/K), H = ceil((K/m^3)^(1/4)) miss "
    "E||grad F_eta(xbar_{k*})||^2 <= epsilon",
)
EPSILON = H_("epsilon", "epsilon > 0", sp.Gt(epsilon, 0, evaluate=False))


def _com(K: sp.Symbol, name: str = "K", key: str = "") -> tuple[Hypothesis, Hypothesis]:
    """S-com at ``K`` iterations; H is the ceiling iff it is the integer ``z <= H < z + 1``."""
    z = (K / m**3) ** sp.Rational(1, 4)
    return (
        H_(f"gamma_com{key}", f"gamma = sqrt(m/{name})", sp.Eq(gamma, sp.sqrt(m / K), evaluate=False)),
        H_(f"H_com{key}", f"H = ceil(({name}/m^3)^(1/4))", every(ge(H, z), sp.Lt(H - 1, z, evaluate=False))),
    )


#: S-com after K iterations, and at the K_eps iterations that an accuracy needs.
COM = _com(K_it)
COM_EPS = _com(K_eps, "K_eps", "_eps")
H_COM = COM[1]
K_FROM_M3 = H_("K>=m^3", "K >= m^3", ge(K_it, m**3))
K_FROM_M = H_("K>=m", "K >= m", ge(K_it, m))
#: K_0: from there on S-com meets both step conditions of Theorem 2 (ii), the first one unless H = 1.
K_0 = sp.Max(256 * m * ELL**2, 16 * 864**2 * B2**4 * Th2**2 / m, evaluate=False)
K_FROM_K0 = H_("K>=K_0", "K >= K_0 = max{256 m (L_0^imp n + 1)^2/eta^2, 16 864^2 B_2^4 Theta_2^2/m}", ge(K_it, K_0))

FROM_K0 = Switch(
    "iterations",
    "K >= m",
    "K >= K_0 = max{256 m (L_0^imp n + 1)^2/eta^2, 16 864^2 B_2^4 Theta_2^2/m}",
    "from there on gamma = sqrt(m/K) meets the bound on gamma of Theorem 2 (ii)",
    adding=(K_FROM_K0,),
    origin="part (ii), whose bound part (iii) takes, has a condition on gamma",
)
STEPSIZE_BOUND = Switch(
    "stepsize_bound",
    "this gamma for every K",
    "this gamma where it keeps the bound of Theorem 2 (ii)",
    "part (iii) sets gamma without a condition on it; its proof uses the bound of part (ii), which has one",
    adding=S_2S,
)
