"""Notation of the paper: constants, steps, what its lemmas and theorems measure, and the hypotheses.

A unit of ``x`` is one of ``y`` and ``theta``, as the paper measures ``(x, y)`` in one norm. ``||.||^2`` of what depends
on a client stands for the weighted mean ``sum_i w_i ||.||^2``. Letters of the paper that mean something else in the
vocabulary of all papers (``n``, ``T``, ``K``, ``p``, ``L_f``) have another name here and are printed as in the paper.
"""

from dataclasses import replace

import sympy as sp

from rateproof.theory.assumptions import (
    BoundedBelow,
    BoundedGradient,
    BoundedVariance,
    ClosedConvex,
    Dissimilar,
    Independent,
    Sampled,
    Smooth,
    Unbiased,
    Weighted,
)
from rateproof.theory.claim import Hypothesis
from rateproof.theory.proof import Setting
from rateproof.theory.shorthand import claims_of, eq, ge, le
from rateproof.theory.symbols import COUNT, NONNEG, POS, formulas, vocabulary
from rateproof.theory.units import INNER, LENGTH, OUTER

declare, formula = vocabulary("mefbo"), formulas("mefbo")
claim = claims_of("mefbo")

AREA = LENGTH**2
FORCE = INNER / LENGTH
FORCE2 = FORCE**2
CURVATURE = INNER / AREA
STEP = AREA / INNER

# --- sizes
n = declare("n_cl", "number of clients", latex="n", **COUNT)
P = declare("P", "clients that take part in a round", **COUNT)
T = declare("T_rounds", "communication rounds", latex="T", **COUNT)
tau = declare("tau", "local steps per round", latex=r"\tau", **COUNT)
S_it = declare("S_it", "local steps of a client in all rounds, tau T", latex="S", **COUNT)
t = declare("t_round", "index of a round", latex="t", nonnegative=True, integer=True)

# --- constants of the problem
L_f = declare("Lip_f", "Lipschitz constant of every f_i in (x, y)", OUTER / LENGTH, latex="L_f", **NONNEG)
L_g = declare("Lip_g", "Lipschitz constant of every g_i(., y)", FORCE, latex="L_g", **NONNEG)
L_1 = declare("L_1", "smoothness constant of every f_i", OUTER / AREA, **NONNEG)
L_2 = declare("L_2", "smoothness constant of every g_i", CURVATURE, **POS)
sig_f = declare("sig_f", "noise level of the stochastic gradients of f_i", OUTER / LENGTH, latex=r"\sigma_f", **NONNEG)
sig_g = declare("sig_g", "noise level of the stochastic gradients of g_i", FORCE, latex=r"\sigma_g", **NONNEG)
Het = declare("Het", "heterogeneity Delta of Assumption 3.2 (iii)", FORCE, latex=r"\Delta", **NONNEG)
beta_max = declare("beta_max", "n times the largest weight of a client", latex=r"\beta_{\max}", **POS)
beta_min = declare("beta_min", "n times the smallest weight of a client", latex=r"\beta_{\min}", **NONNEG)
mu = declare("mu", "strong convexity constant of every g_i (Appendix G)", CURVATURE, latex=r"\mu", **POS)
rho_wc = declare("rho_wc", "weak convexity constant of G(x, .)", CURVATURE, latex=r"\rho", **POS)
rv1 = declare("rv1", "curvature added in x (Lemma D.2)", CURVATURE, latex=r"\rho_{v_1}", **POS)
rv2 = declare("rv2", "curvature added in y (Lemma D.2)", CURVATURE, latex=r"\rho_{v_2}", **POS)
L_G2 = declare("L_G2", "Lipschitz constant of the Hessian of G(x, .)", INNER / LENGTH**3, latex="L_{G,2}", **NONNEG)
L_hyper = declare("L_hyper", "Lipschitz constant of the hypergradient", OUTER / AREA, latex=r"L_\Phi", **NONNEG)

# --- the method
gamma = declare("gamma", "proximal parameter of the Moreau envelope", STEP, latex=r"\gamma", **POS)
c_t = declare("c_t", "penalty parameter of round t", OUTER / INNER, **POS)
c_next = declare("c_next", "penalty parameter of round t + 1", OUTER / INNER, latex="c_{t+1}", **POS)
c_0 = declare("c_0", "first penalty parameter", OUTER / INNER, latex=r"\underline{c}", **POS)
p = declare("p_c", "growth exponent of the penalty parameter", latex="p", **POS)
q = declare("q_s", "decay exponent of the server step", latex="q", **POS)
q_e = declare("q_eta", "decay exponent of the client steps", latex=r"q_\eta", **POS)
lambda_x = declare("lambda_x", "server step of x", STEP, latex=r"\lambda_x", **POS)
lambda_y = declare("lambda_y", "server step of y", STEP, latex=r"\lambda_y", **POS)
lambda_theta = declare("lambda_theta", "server step of theta", STEP, latex=r"\lambda_\theta", **POS)
eta_x = declare("eta_x", "client step of x", STEP, latex=r"\eta_x", **POS)
eta_y = declare("eta_y", "client step of y", STEP, latex=r"\eta_y", **POS)
eta_theta = declare("eta_theta", "client step of theta", STEP, latex=r"\eta_\theta", **POS)
c_lam = declare("c_lam", "factor of the server step", STEP, latex=r"c_\lambda", **POS)
c_eta = declare("c_eta", "factor of the client steps", STEP, latex=r"c_\eta", **POS)
share = declare("share_s", "a number in (0, 1]", latex="s", **POS)
delta = declare("delta", "free parameter of Young's inequality, delta_{t,1}", latex=r"\delta_{t,1}", **POS)

# --- derived constants
rho = declare("rho", "strong convexity constant 1/gamma - L_2 in theta", CURVATURE, latex=r"\rho", defined=True, **POS)
L_Phi = declare("L_Phi", "smoothness constant of Phi_{c_t}", CURVATURE, latex=r"L_{\Phi_t}", defined=True, **POS)
L_theta = declare("L_theta", "Lipschitz constant of theta*_gamma", latex=r"L_\theta", defined=True, **POS)
K = declare("K_lyap", "weight of the gap in the Lyapunov function", CURVATURE, latex="K", defined=True, **POS)
c_theta = declare("c_theta", "ratio of the server steps, lambda_x/lambda_theta", latex=r"c_\theta", defined=True, **POS)
delta_t = declare("delta_t", "Young parameter delta_{t,1} of Lemma D.8", latex=r"\delta_{t,1}", defined=True, **POS)
A_P = declare("A_P", "weight (n/P)(P-1)/(n-1) of the mean of P of n clients", latex="A_P", defined=True, **NONNEG)
B_P = declare("B_P", "weight (n-P)/(n-1) of the spread of P of n clients", latex="B_P", defined=True, **NONNEG)
M_1 = declare("M_1", "constant M_1' of the stochastic error", CURVATURE * FORCE2, latex="M_1'", defined=True, **NONNEG)
M_2 = declare("M_2", "constant M_2' of data heterogeneity", CURVATURE * FORCE2, latex="M_2'", defined=True, **NONNEG)
M_3 = declare("M_3", "constant M_3' of client drift", CURVATURE**2 * FORCE2, latex="M_3'", defined=True, **NONNEG)
O_x = declare(
    "O_x", "constant hidden by the O(1) beside tau eta_x^2 in M_3'", FORCE2 / STEP**2, latex=r"\mathcal O(1)", **NONNEG
)
O_y = declare(
    "O_y",
    "constant hidden by the O(1) beside tau eta_theta^2 tau eta_x^2",
    FORCE2 / STEP**4,
    latex=r"\mathcal O_2(1)",
    **NONNEG,
)

#: ``L_2^2 + 1/gamma^2``, and with 3.
G2 = L_2**2 + 1 / gamma**2
G2_3 = L_2**2 + 3 / gamma**2
RATIO = L_1**2 / c_t**2 + L_2**2
RHO = {rho: 1 / gamma - L_2}
#: The Lipschitz constant that Lemma D.3 leaves open, with the value that its proof gives.
LIP = {**RHO, L_theta: sp.sqrt(G2) / rho}
LYAPUNOV = {**LIP, K: sp.sqrt(G2_3) / (2 * L_theta), c_theta: rho / (32 * K * L_theta**2)}
SMOOTHNESS = {L_Phi: L_1 / c_t + L_2 + sp.Max(L_2, 1 / gamma)}
SAMPLING = {A_P: n / P * (P - 1) / (n - 1), B_P: (n - P) / (n - 1)}
YOUNG = {delta_t: lambda_theta * rho / (4 * (1 - lambda_theta * rho / 2))}

# --- what is measured at a point, with some theta of Y, and any u
G_xy = formula("G_xy", "G(x, y)", INNER)
v_xy = formula("v_xy", "v_gamma(x, y)", INNER)
Phi_xy = formula("Phi_xy", "Phi_{c_t}(x, y)", INNER)
R_xy = declare("R_xy", "stationarity measure R_t(x, y)", FORCE2, latex="R_t(x,y)")
U_all = formula("U_all", "Upsilon_{c_t}(x, y, theta)", INNER)
U_mean = formula("U_mean", "sum_i w_i Upsilon^i_{c_t}(x, y, theta)", INNER)
drawn_w = formula("drawn_w", "E <sum_{i in C} (n w_i/P) a_i, u>", FORCE)
mean_w = formula("mean_w", "<sum_i w_i a_i, u>", FORCE)
drawn_sq = formula("drawn_sq", "E_C ||sum_{i in C} (n w_i/P) a_i||^2", FORCE2, **NONNEG)
mean_sq = formula("mean_sq", "||sum_i w_i a_i||^2", FORCE2, **NONNEG)
sq_weights = formula("sq_weights", "sum_i w_i^2 ||a_i||^2", FORCE2, **NONNEG)

off2 = declare("off2", "||theta - theta*_gamma(x, y)||^2", AREA, latex=r"\|\theta-\theta_\gamma^*\|^2", **NONNEG)
M_theta = formula("M_theta", "G(x, theta) + ||theta - y||^2/(2 gamma)", INNER)

# --- two points z = (x, y) and zb = (xb, yb)
dx2 = formula("dx2_at", "||x - xb||^2", AREA, **NONNEG)
dy2 = formula("dy2_at", "||y - yb||^2", AREA, **NONNEG)
dtheta = formula("dtheta", "||theta*_gamma(z) - theta*_gamma(zb)||", LENGTH, **NONNEG)
dz = formula("dz_at", "||z - zb||", LENGTH, **NONNEG)
v_rest = formula("v_rest", "v_gamma(z) - v_gamma(zb) - <grad v_gamma(zb), z - zb>", INNER)
Phi_rest = formula("Phi_rest", "Phi_{c_t}(z) - Phi_{c_t}(zb) - <grad Phi_{c_t}(zb), z - zb>", INNER)

# --- one round
Phi_t = declare("Phi_t", "E Phi_{c_t}(x^t, y^t)", INNER, latex=r"\Phi_{c_t}(z^{t})")
Phi_end = declare("Phi_end", "E Phi_{c_t}(x^{t+1}, y^{t+1})", INNER, latex=r"\Phi_{c_t}(z^{t+1})")
Phi_later = declare("Phi_later", "E Phi_{c_{t+1}}(x^{t+1}, y^{t+1})", INNER, latex=r"\Phi_{c_{t+1}}(z^{t+1})")
step_x = formula("step_x", "E ||x^{t+1} - x^t||^2", AREA, **NONNEG)
step_y = formula("step_y", "E ||y^{t+1} - y^t||^2", AREA, **NONNEG)
gap2 = formula("gap2", "E ||theta^t - theta*_gamma(z^t)||^2", AREA, **NONNEG)
gap2_end = formula("gap2_end", "E ||theta^{t+1} - theta*_gamma(z^{t+1})||^2", AREA, **NONNEG)
gap2_moved = formula("gap2_moved", "E ||theta^{t+1} - theta*_gamma(z^t)||^2", AREA, **NONNEG)
D_x = declare("D_x", "client drift of x", AREA, latex=r"\Delta_x", **NONNEG)
D_y = declare("D_y", "client drift of y", AREA, latex=r"\Delta_y", **NONNEG)
D_theta = declare("D_theta", "client drift of theta", AREA, latex=r"\Delta_\theta", **NONNEG)
Psi_t = declare("Psi_t", "Lyapunov function Psi_{c_t}(x^t, y^t)", INNER, latex=r"\Psi_{c_t}(z^t)")
Psi_end = formula("Psi_end", "Psi_{c_{t+1}}(x^{t+1}, y^{t+1})", INNER)
Psi_0 = declare("Psi_0", "E Psi_{c_0}(x^0, y^0)", INNER, latex=r"\Psi_{c_0}(z^0)", **NONNEG)
R_end = declare("R_end", "E R_t(x^{t+1}, y^{t+1})", FORCE2, latex=r"\mathbb E[R_t(z^{t+1})]", **NONNEG)
R_best = formula("R_best", "min_{t<T} E R_t(x^{t+1}, y^{t+1})", FORCE2, **NONNEG)
err_x = formula("err_x", "E ||grad_x Phi_{c_t}(z^t) - htilde_x||^2", FORCE2, **NONNEG)
err_y = formula("err_y", "E ||grad_y Phi_{c_t}(z^t) - htilde_y||^2", FORCE2, **NONNEG)
h_theta2 = formula("h_theta2", "E ||h_theta||^2", FORCE2, **NONNEG)

# --- hypotheses; each as printed


def H_(key: str, text: str, relation: sp.Basic | None = None, *says: object) -> Hypothesis:
    """A hypothesis, with its type where it has one."""
    return Hypothesis(key, text, relation, tuple(says))  # type: ignore[arg-type]


BELOW = H_("A1(i)", "F is bounded below on X x Y, with infimum F_inf", None, BoundedBelow("F"))
F_LIPSCHITZ = H_("f_lipschitz", "every f_i is C^2 and L_f-Lipschitz in (x, y)", None, BoundedGradient("f_i", L_f))
F_SMOOTH = H_("f_smooth", "every grad f_i is L_1-Lipschitz", None, Smooth("f_i", L_1))
#: Noises have mean zero given all that came before, and who was drawn; their parts in x and y have so too. ``e_t`` is
#: that of the gradient of ``g_i`` at (x, theta), with the same sample as ``e_g`` at (x, y).
BEFORE = "past client sample step before"
F_NOISE = H_(
    "f_noise",
    "grad f_i(x, y; xi_i) is unbiased, E||grad f_i(x, y; xi_i) - grad f_i(x, y)||^2 <= sigma_f^2",
    None,
    *(Unbiased(e, BEFORE) for e in ("efx", "efy")),
    BoundedVariance("e_f", sig_f**2),
)
G_LIPSCHITZ = H_(
    "g_lipschitz", "every g_i is C^2, and g_i(., y) is L_g-Lipschitz for any y", None, BoundedGradient("g_i", L_g, "x")
)
G_LIPSCHITZ_XY = H_("g_lipschitz_xy", "every g_i is L_g-Lipschitz in (x, y)", None, BoundedGradient("g_i", L_g))
G_SMOOTH = H_("g_smooth", "every g_i is L_2-smooth in (x, y)", None, Smooth("g_i", L_2))
G_NOISE = H_(
    "g_noise",
    "grad g_i(x, y; zeta_i) is unbiased, E||grad g_i(x, y; zeta_i) - grad g_i(x, y)||^2 <= sigma_g^2",
    None,
    *(Unbiased(e, BEFORE) for e in ("egx", "egy", "etx", "ety")),
    *(BoundedVariance(e, sig_g**2) for e in ("e_g", "e_t")),
)
DISSIMILAR = H_(
    "g_dissimilar",
    "sum_i w_i ||grad_y g_i(x, y) - grad_y G(x, y)||^2 <= Delta^2 for all (x, y)",
    None,
    Dissimilar("g_i", "client", "y", Het**2),
)
WEIGHTS = H_("weights", "sum_i w_i = 1 and beta_min/n <= w_i <= beta_max/n", None, Weighted("client", beta_max))
SETS = H_("sets", "X and Y are nonempty, closed and convex", None, ClosedConvex("X"), ClosedConvex("Y"))
SAMPLED = H_(
    "sampled",
    "P of the n clients are drawn uniformly without replacement in every round",
    None,
    Sampled("sample", P, n),
)
SHARE = H_("0<s<=1", "0 < s <= 1", le(share, 1))
P_N = H_("P<=n", "P <= n", le(P, n))
TWO_CLIENTS = H_("n>=2", "n >= 2", ge(n, 2))
FRESH = H_(
    "fresh",
    "the samples of different rounds, local steps and clients are independent",
    None,
    *(Independent(e, over="client") for e in ("efx", "efy", "egx", "egy", "etx", "ety")),
)
GAMMA = H_("gamma<1/(2L_2)", "0 < gamma < 1/(2 L_2)", sp.Lt(2 * gamma * L_2, 1, evaluate=False))
METHOD = H_(
    "mefbo", "z^t and theta^t are the iterates of Algorithm 1 (MeFBO), which starts at z^0 in X x Y and theta^0 in Y"
)
ONE_PENALTY = H_("c_t", "c_t = c_0 (t + 1)^p for every round t", eq(c_t, c_0 * (t + 1) ** p))
SMALLEST = H_("c_0<=c_t", "c_0 is the smallest penalty", le(c_0, c_t))
RISING = H_("c_t<=c_{t+1}", "the penalty parameters do not decrease", le(c_t, c_next))

A1 = (BELOW, F_LIPSCHITZ, F_SMOOTH, F_NOISE)
A2 = (G_LIPSCHITZ, G_SMOOTH, G_NOISE, DISSIMILAR)
#: What every theorem about a run assumes.
RUN = (*A1, *A2, WEIGHTS, SETS, SAMPLED, P_N, FRESH, GAMMA, METHOD)


def by_space(setting: Setting) -> Setting:
    """A setting in which a vector lies in the space that its name says: that of ``x``, or that of ``y`` and ``theta``.

    Whole noises ``e_f, e_g, e_t`` have both parts.
    """
    whole = [name for name in setting.names if name.startswith("e_")]
    blocks = {name: "x" if "x" in name.lower() else "y" for name in setting.names if name not in whole}
    return replace(setting, blocks=blocks)


#: The rate of Theorem 3.4, without its constant; ``rate_of(1/2)`` is (14), ``rate_of(1 - q)`` is (21).
def rate_of(power: sp.Expr, third: sp.Expr) -> sp.Expr:
    """``(1/P) (T^-power tau^(-1/2) + T^-power tau^(1/2) (n - P)/n + T^-third tau^(-1/4))``."""
    first = T**-power / sp.sqrt(tau)
    return (first + T**-power * sp.sqrt(tau) * (n - P) / n + T**-third * tau ** sp.Rational(-1, 4)) / P


RATE_FIXED = rate_of(sp.Rational(1, 2), sp.S.One)
RATE_DECREASING = rate_of(1 - q, sp.Rational(3, 2) - q)
