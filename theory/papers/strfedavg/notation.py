"""Notation of the paper: what is measured, the derived constants, and the hypotheses that many claims share.

Formulas are as printed; the catalog's shorthand (A1, A2, T0) abbreviates printed expressions.
"""

from dataclasses import replace

import sympy as sp

from rateproof.theory.assumptions import (
    Assumption,
    Attained,
    BoundedBelow,
    BoundedVariance,
    Convex,
    IndependentOf,
    Smooth,
    StronglyConvex,
    Unbiased,
    WeaklySharp,
)
from rateproof.theory.claim import Hypothesis, Switch
from rateproof.theory.shorthand import eq, every, ge
from rateproof.theory.symbols import (
    COUNT,
    NONNEG,
    POS,
    K,
    L_f,
    L_h,
    N,
    R,
    S,
    a,
    alpha,
    b,
    eta,
    eta_hat,
    f_star,
    gamma_g,
    gamma_l,
    gamma_t,
    grad_f_star,
    h_star,
    inf_f,
    kappa,
    mean_inf_f,
    mean_inf_h,
    mu_f,
    p,
    r,
    sigma_f2,
    sigma_h2,
    vocabulary,
)
from rateproof.theory.units import INNER, LENGTH, OUTER

declare = vocabulary("strfedavg")

AREA = LENGTH**2

# --- what is measured. "Printed" average: weights theta^r / sum_{1}^{R-1} theta^r; "normalised": they sum to one
gap_eta = declare(
    "gap_eta", "E f_eta(xbar^R) - f_eta* at the printed average", INNER, latex=r"\mathbb E[f_\eta(\bar x^R)-f_\eta^*]"
)
gap_h = declare("gap_h", "E h(xbar^R) - h* at the printed average", INNER, latex=r"\mathbb E[h(\bar x^R)-h^*]")
gap_f = declare("gap_f", "E f(xbar^R) - f* at the printed average", OUTER, latex=r"\mathbb E[f(\bar x^R)-f^*]")
E_dist = declare(
    "E_dist",
    "E dist(xbar^R, X_h*) at the printed average",
    LENGTH,
    latex=r"\mathbb E[\operatorname{dist}(\bar x^R,X_h^*)]",
)
E_sq = declare("E_sq", "E ||xbar^R - x*||^2 at the printed average", AREA, latex=r"\mathbb E\|\bar x^R-x^*\|^2")
gap_eta_n = declare(
    "gap_eta_n",
    "E f_eta(xbar^R) - f_eta* at the normalised average",
    INNER,
    latex=r"\mathbb E[f_\eta(\bar x^R_{\mathrm n})-f_\eta^*]",
)
gap_h_n = declare(
    "gap_h_n", "E h(xbar^R) - h* at the normalised average", INNER, latex=r"\mathbb E[h(\bar x^R_{\mathrm n})-h^*]"
)
gap_f_n = declare(
    "gap_f_n", "E f(xbar^R) - f* at the normalised average", OUTER, latex=r"\mathbb E[f(\bar x^R_{\mathrm n})-f^*]"
)
E_dist_n = declare(
    "E_dist_n",
    "E dist(xbar^R, X_h*) at the normalised average",
    LENGTH,
    latex=r"\mathbb E[\operatorname{dist}(\bar x^R_{\mathrm n},X_h^*)]",
)
E_sq_n = declare(
    "E_sq_n", "E ||xbar^R - x*||^2 at the normalised average", AREA, latex=r"\mathbb E\|\bar x^R_{\mathrm n}-x^*\|^2"
)
D2 = declare("D2", "E ||xbar^0 - x_eta*||^2, initial distance to the regularised solution", AREA, latex="D^2", **NONNEG)
Dlast2 = declare(
    "Dlast2",
    "E ||xbar^R - x_eta*||^2 of the last iterate",
    AREA,
    latex=r"\mathbb E\|\bar x^R_{\mathrm{last}}-x_\eta^*\|^2",
    **NONNEG,
)
D_prev2 = declare(
    "D_prev2", "E ||xbar^{r-1} - x_eta*||^2", AREA, latex=r"\mathbb E\|\bar x^{r-1}-x_\eta^*\|^2", **NONNEG
)
D_next2 = declare("D_next2", "E ||xbar^r - x_eta*||^2", AREA, latex=r"\mathbb E\|\bar x^r-x_\eta^*\|^2", **NONNEG)
gap_prev = declare("gap_prev", "E f_eta(xbar^{r-1}) - f_eta*", INNER, latex=r"\mathbb E[f_\eta(\bar x^{r-1})-f_\eta^*]")
drift_sum = declare(
    "drift_sum",
    "sum_{k=1}^K sum_{i=1}^N E||y_{i,k}^r - xbar^{r-1}||^2",
    AREA,
    latex=r"\sum_{k=1}^K\sum_{i=1}^N\mathbb E\|y_{i,k}^r-\bar x^{r-1}\|^2",
    **NONNEG,
)
drift_sum_prev = declare(
    "drift_sum_prev",
    "sum_{k=1}^K sum_{i=1}^N E||y_{i,k-1}^r - xbar^{r-1}||^2",
    AREA,
    latex=r"\sum_{k=1}^K\sum_{i=1}^N\mathbb E\|y_{i,k-1}^r-\bar x^{r-1}\|^2",
    **NONNEG,
)
Err = declare("Err", "any upper bound on E f_eta(xbar^R) - f_eta*", INNER, latex=r"\mathrm{Err}_\eta")
M = declare("M", "any number > 0 with f* - E f(xbar^R) < M", OUTER, **POS)

# rounds needed
rescale = declare("rescale", "factor by which all curvatures are multiplied in other units", latex="c", **POS)
R_f_up = declare("R_f_up", "number of rounds from which on E f(xbar^R) - f* <= epsilon", latex="R_f^{up}", **POS)
R_h_up = declare("R_h_up", "number of rounds from which on E h(xbar^R) - h* <= epsilon", latex="R_h^{up}", **POS)
R_f_lo = declare("R_f_lo", "number of rounds from which on E f(xbar^R) - f* >= -epsilon", latex="R_f^{lo}", **POS)
R_sq_up = declare(
    "R_sq_up",
    "number of rounds from which on E||xbar^R - x*||^2 <= epsilon",
    latex=r"R_{\|\bar x^R-x^*\|^2}^{up}",
    **POS,
)
R_f_up_n = declare(
    "R_f_up_n",
    "number of rounds from which on E f(xbar^R) - f* <= epsilon at the normalised average",
    latex=r"R_{f,\mathrm n}^{up}",
    **POS,
)
R_h_up_n = declare(
    "R_h_up_n",
    "number of rounds from which on E h(xbar^R) - h* <= epsilon at the normalised average",
    latex=r"R_{h,\mathrm n}^{up}",
    **POS,
)
R_f_lo_n = declare(
    "R_f_lo_n",
    "number of rounds from which on E f(xbar^R) - f* >= -epsilon at the normalised average",
    latex=r"R_{f,\mathrm n}^{lo}",
    **POS,
)
R_sq_up_n = declare(
    "R_sq_up_n",
    "number of rounds from which on E||xbar^R - x*||^2 <= epsilon at the normalised average",
    latex=r"R_{\|\bar x^R-x^*\|^2,\mathrm n}^{up}",
    **POS,
)

# at an arbitrary point x (Lemmas 1, 2, 4 and their proofs)
mean_sq_grad_f = declare(
    "mean_sq_grad_f",
    "(1/N) sum_i ||grad f_i(x)||^2",
    (OUTER / LENGTH) ** 2,
    latex=r"\frac1N\sum_i\|\nabla f_i(x)\|^2",
    **NONNEG,
)
mean_sq_grad_h = declare(
    "mean_sq_grad_h",
    "(1/N) sum_i ||grad h_i(x)||^2",
    (INNER / LENGTH) ** 2,
    latex=r"\frac1N\sum_i\|\nabla h_i(x)\|^2",
    **NONNEG,
)
mean_sq_grad_eta = declare(
    "mean_sq_grad_eta",
    "(1/N) sum_i ||grad h_i(x) + eta grad f_i(x)||^2",
    (INNER / LENGTH) ** 2,
    latex=r"\frac1N\sum_i\|\nabla h_i(x)+\eta\nabla f_i(x)\|^2",
    **NONNEG,
)
sq_grad_i = declare(
    "sq_grad_i", "||grad f_i(x)||^2 of one client", (OUTER / LENGTH) ** 2, latex=r"\|\nabla f_i(x)\|^2", **NONNEG
)
gap_i = declare("gap_i", "f_i(x) - min f_i of one client", OUTER, latex="(f_i(x)-f_i(x_i^*))")
gap_inf_f = declare("gap_inf_f", "f(x) - inf f", OUTER, latex=r"(f(x)-\inf f)")
gap_inf_h = declare("gap_inf_h", "h(x) - inf h", INNER, latex=r"(h(x)-\inf h)")
gap_point = declare("gap_point", "f_eta(x) - f_eta*", INNER, latex=r"(f_\eta(x)-f_\eta^*)")
outer_diff = declare("outer_diff", "f(x) - f*, of either sign", OUTER, latex="(f(x)-f^*)")
outer_diff_g = declare("outer_diff_g", "g(x) - g*, of either sign", AREA, latex="(g(x)-g^*)")
inner_diff = declare("inner_diff", "h(x) - h*", INNER, latex="(h(x)-h^*)")
inner_zy = declare("inner_zy", "<grad f_eta(x), z - y>", INNER, latex=r"\langle\nabla f_\eta(x),z-y\rangle")
fz_minus_fy = declare("fz_minus_fy", "f_eta(z) - f_eta(y)", INNER, latex=r"(f_\eta(z)-f_\eta(y))")
dist2_yz = declare("dist2_yz", "||y - z||^2", AREA, latex=r"\|y-z\|^2")
dist2_zx = declare("dist2_zx", "||z - x||^2", AREA, latex=r"\|z-x\|^2")

# in the proofs of the propositions
Davg2 = declare(
    "Davg2", "E ||xbar^R - x_eta*||^2 at the printed average", AREA, latex=r"\mathbb E\|\bar x^R-x_\eta^*\|^2"
)
Davg2_n = declare(
    "Davg2_n",
    "E ||xbar^R - x_eta*||^2 at the normalised average",
    AREA,
    latex=r"\mathbb E\|\bar x^R_{\mathrm n}-x_\eta^*\|^2",
)
dist_R = declare(
    "dist_R",
    "dist(xbar^R, X_h*) of one realisation of the printed average",
    LENGTH,
    latex=r"\operatorname{dist}(\bar x^R,X_h^*)",
)
dist_R_n = declare(
    "dist_R_n",
    "dist(xbar^R, X_h*) of one realisation of the normalised average",
    LENGTH,
    latex=r"\operatorname{dist}(\bar x^R_{\mathrm n},X_h^*)",
)
gap_w = declare(
    "gap_w",
    "mean of E f_eta(xbar^{r-1}) - f_eta* over r = 1..R with weights theta^r / Theta_R",
    INNER,
    latex=r"\sum_{r=1}^R\frac{\theta^r}{\Theta_R}\mathbb E[f_\eta(\bar x^{r-1})-f_\eta^*]",
)
gap_avg_c = declare(
    "gap_avg_c",
    "mean of E f_eta(xbar^{r-1}) - f_eta* over r = 1..R",
    INNER,
    latex=r"\frac1R\sum_{r=1}^R\mathbb E[f_\eta(\bar x^{r-1})-f_\eta^*]",
)
tel_sum = declare(
    "tel_sum",
    "sum_{r=1}^R (E||xbar^{r-1} - x_eta*||^2 - E||xbar^r - x_eta*||^2)",
    AREA,
    latex=r"\sum_{r=1}^R(\mathbb E\|\bar x^{r-1}-x_\eta^*\|^2-\mathbb E\|\bar x^r-x_\eta^*\|^2)",
)
f_eta_star = declare("f_eta_star", "inf of f_eta = h + eta f", INNER, latex=r"f_\eta^*")
vi_inner = declare(
    "vi_inner", "grad f(x*)^T E(Π[xbar^R] - x*)", OUTER, latex=r"\nabla f(x^*)^T\mathbb E[\Pi_{X_h^*}[\bar x^R]-x^*]"
)
cs_inner = declare(
    "cs_inner",
    "grad f(x*)^T E(xbar^R - Π[xbar^R])",
    OUTER,
    latex=r"\nabla f(x^*)^T\mathbb E[\bar x^R-\Pi_{X_h^*}[\bar x^R]]",
)
norm_mean_res = declare(
    "norm_mean_res", "||E(xbar^R - Π[xbar^R])||", LENGTH, latex=r"\|\mathbb E[\bar x^R-\Pi_{X_h^*}[\bar x^R]]\|"
)
eta_max_sc = declare(
    "eta_max_sc",
    "max over R of p ln(R) / (mu_f R)^b",
    INNER / OUTER,
    latex=r"\max_{R\ge1}\frac{p\ln R}{(\mu_fR)^b}",
    defined=True,
)
eta_max_ip = declare(
    "eta_max_ip",
    "max over t of 2 ln(t) / t^(5/12)",
    INNER / OUTER,
    latex=r"\max_{t\ge1}\frac{2\ln t}{t^{5/12}}",
    defined=True,
)

# two-loop method and experiments (remarks and identities)
lam = declare("lam", "Moreau smoothing parameter lambda of problem (3)", AREA / OUTER, latex=r"\lambda", **POS)
B_ncvx2 = declare(
    "B_ncvx2", "slope of the dissimilarity bound (Lemma 3)", INNER / AREA, latex="B_{ncvx}^2", defined=True, **NONNEG
)
grad_F_star = declare(
    "grad_F_star",
    "norm of the gradient of F_lambda at x^{t*}",
    OUTER / LENGTH,
    latex=r"\|\nabla F_\lambda(x^{t*})\|",
    **NONNEG,
)
mu_g = declare("mu_g", "largest strong convexity constant of g(x) = ||x - y||^2/2", latex=r"\mu_g")
lip_g = declare("lip_g", "smallest smoothness constant of g(x) = ||x - y||^2/2", latex=r"\operatorname{Lip}(\nabla g)")
lip_F = declare(
    "lip_F", "smallest smoothness constant of F_lambda", OUTER / AREA, latex=r"\operatorname{Lip}(\nabla F_\lambda)"
)
ind_env = declare(
    "ind_env",
    "Moreau envelope of the indicator of X_h*, min over X_h* of ||x - y||^2/(2 lam)",
    OUTER,
    latex=r"\min_{x\in X_h^*}\frac1{2\lambda}\|x-y\|^2",
)
dist_y = declare("dist_y", "dist(y, X_h*)", LENGTH, latex=r"\operatorname{dist}(y,X_h^*)")
grad_penalty = declare(
    "grad_penalty",
    "norm of the gradient of (1/lam) dist^2(., X_h*) at y",
    OUTER / LENGTH,
    latex=r"\|\nabla\frac1\lambda\operatorname{dist}^2(y,X_h^*)\|",
)
u = declare("u", "a real number, one component of x", LENGTH)
mu_l1 = declare("mu_l1", "Moreau parameter mu of the l1 norm", LENGTH, latex=r"\mu", **POS)
env_l1 = declare(
    "env_l1",
    "min over y of |u| + (u - y)^2/(2 mu), the envelope as printed",
    LENGTH,
    latex=r"\min_y\{|u|+\frac1{2\mu}(u-y)^2\}",
)
env_l1_y = declare(
    "env_l1_y", "min over y of |y| + (u - y)^2/(2 mu)", LENGTH, latex=r"\min_y\{|y|+\frac1{2\mu}(u-y)^2\}"
)
grad_env_l1 = declare(
    "grad_env_l1",
    "derivative in u of min over y of |u| + (u - y)^2/(2 mu)",
    latex=r"\frac{d}{du}\min_y\{|u|+\frac1{2\mu}(u-y)^2\}",
)
grad_env_l1_y = declare(
    "grad_env_l1_y",
    "derivative in u of min over y of |y| + (u - y)^2/(2 mu)",
    latex=r"\frac{d}{du}\min_y\{|y|+\frac1{2\mu}(u-y)^2\}",
)
mu_lsp = declare("mu_lsp", "Moreau parameter mu of the log-sum penalty", AREA, latex=r"\mu", **POS)
eps_lsp = declare("eps_lsp", "epsilon of the log-sum penalty", LENGTH, latex=r"\epsilon", **POS)
prox_lsp = declare(
    "prox_lsp",
    "argmin over y of ln(1 + |y|/epsilon) + (u - y)^2/(2 mu)",
    LENGTH,
    latex=r"\operatorname{argmin}_y\{\ln(1+|y|/\epsilon)+\frac1{2\mu}(u-y)^2\}",
)
env_lsp = declare(
    "env_lsp",
    "min over y of ln(1 + |y|/epsilon) + (u - y)^2/(2 mu)",
    latex=r"\min_y\{\ln(1+|y|/\epsilon)+\frac1{2\mu}(u-y)^2\}",
)
grad_env_lsp = declare(
    "grad_env_lsp",
    "derivative in u of min over y of ln(1 + |y|/epsilon) + ...",
    LENGTH**-1,
    latex=r"\frac{d}{du}\min_y\{\ln(1+|y|/\epsilon)+\frac1{2\mu}(u-y)^2\}",
)

# two-loop method: the projection problem (4), min g(x) = ||x - y^t||^2/2 over X_h*, with solution x^{t*}. Its outer
# loss g has the unit of an area, and its regularisation parameter weighs an area against the inner loss.
gamma = declare("gamma", "outer stepsize of the two-loop method", AREA / OUTER, latex=r"\gamma", **POS)
eta_g = declare("eta_g", "regularisation parameter of an inner call, weight of g", INNER / AREA, latex=r"\eta", **POS)
eta_g_hat = declare(
    "eta_g_hat",
    "largest regularisation parameter over the inner calls",
    INNER / AREA,
    latex=r"\hat\eta",
    defined=True,
    **POS,
)
sigma_g2 = declare(
    "sigma_g2",
    "variance bound of the stochastic gradient of g (printed sigma_f^2)",
    AREA,
    latex=r"\sigma_f^2",
    **NONNEG,
)
g_star = declare("g_star", "optimal value of problem (4), dist(y^t, X_h*)^2/2", AREA, latex="g^*", **NONNEG)
inf_g = declare("inf_g", "infimum of g over the whole space", AREA, latex=r"\inf g", defined=True, **NONNEG)
grad_g_star = declare(
    "grad_g_star",
    "norm of the gradient of g at x^{t*}, which is dist(y^t, X_h*)",
    LENGTH,
    latex=r"\|\nabla g(x^{t*})\|",
    **NONNEG,
)
grad_f_proj = declare(
    "grad_f_proj", "norm of the gradient of f at x^{t*}", OUTER / LENGTH, latex=r"\|\nabla f(x^{t*})\|", **NONNEG
)
mean_sq_grad_g_eta = declare(
    "mean_sq_grad_g_eta",
    "(1/N) sum_i ||grad h_i(x) + eta grad g(x)||^2",
    (INNER / LENGTH) ** 2,
    latex=r"\frac1N\sum_i\|\nabla h_i(x)+\eta\nabla g(x)\|^2",
    **NONNEG,
)
gap_point_g = declare("gap_point_g", "g_eta(x) - g_eta*, g_eta = eta g + h", INNER, latex=r"(g_\eta(x)-g_\eta^*)")
E_err2 = declare(
    "E_err2",
    "E ||xbar_eta^t - x^{t*}||^2 at the printed average",
    AREA,
    latex=r"\mathbb E\|\bar x_\eta^t-x^{t*}\|^2",
    **NONNEG,
)
E_err2_n = declare(
    "E_err2_n",
    "E ||xbar_eta^t - x^{t*}||^2 at the normalised average",
    AREA,
    latex=r"\mathbb E\|\bar x_{\eta,\mathrm n}^t-x^{t*}\|^2",
    **NONNEG,
)
gap_g = declare(
    "gap_g",
    "least E g(xbar_eta^t) - g* over the inner calls at hand, printed average",
    AREA,
    latex=r"\min_t\mathbb E[g(\bar x_\eta^t)-g^*]",
)
gap_g_n = declare(
    "gap_g_n",
    "least E g(xbar_eta^t) - g* over the inner calls at hand, normalised average",
    AREA,
    latex=r"\min_t\mathbb E[g(\bar x_{\eta,\mathrm n}^t)-g^*]",
)
D2_proj = declare(
    "D2_proj",
    "largest E ||xbar^0 - x^{t*}||^2 over the inner calls at hand",
    AREA,
    latex=r"\max_t\mathbb E\|\bar x^0-x^{t*}\|^2",
    **NONNEG,
)
M_g = declare("M_g", "any number > 0 with g* - E g(xbar_eta^t) < M", AREA, latex="M", **POS)
E_grad2 = declare(
    "E_grad2",
    "E ||grad F_lambda(y^{T*})||^2, T* uniform on 0..T-1; calls return the normalised average",
    (OUTER / LENGTH) ** 2,
    latex=r"\mathbb E\|\nabla F_\lambda(y^{T^*})\|^2",
)
E_grad2_env = declare(
    "E_grad2_env",
    "E ||grad F_lambda(y^{T*})||^2 of the Moreau envelope, F_lambda = f + dist^2/(2 lambda)",
    (OUTER / LENGTH) ** 2,
    latex=r"\mathbb E\|\nabla F_\lambda^{\mathrm{env}}(y^{T^*})\|^2",
    **NONNEG,
)
F_gap0 = declare("F_gap0", "F_lambda(y^0) - inf F_lambda", OUTER, latex=r"(F_\lambda(y^0)-\inf F_\lambda)", **NONNEG)
F_gap0_env = declare(
    "F_gap0_env",
    "F_lambda(y^0) - inf F_lambda of the Moreau envelope, F_lambda = f + dist^2/(2 lambda)",
    OUTER,
    latex=r"(F_\lambda^{\mathrm{env}}(y^0)-\inf F_\lambda^{\mathrm{env}})",
    **NONNEG,
)
F_drop = declare("F_drop", "F_lambda(y^0) - F_lambda(y^T)", OUTER, latex=r"(F_\lambda(y^0)-F_\lambda(y^T))")
F_prev = declare("F_prev", "F_lambda(y^t)", OUTER, latex=r"F_\lambda(y^t)")
F_next = declare("F_next", "F_lambda(y^{t+1})", OUTER, latex=r"F_\lambda(y^{t+1})")
sq_grad_F = declare(
    "sq_grad_F", "||grad F_lambda(y^t)||^2", (OUTER / LENGTH) ** 2, latex=r"\|\nabla F_\lambda(y^t)\|^2", **NONNEG
)
sq_err = declare("sq_err", "||e_t||^2, e_t = x_eta^t - x^{t*}", AREA, latex=r"\|e_t\|^2", **NONNEG)
sum_grad2 = declare(
    "sum_grad2",
    "sum_{t=0}^{T-1} ||grad F_lambda(y^t)||^2",
    (OUTER / LENGTH) ** 2,
    latex=r"\sum_{t=0}^{T-1}\|\nabla F_\lambda(y^t)\|^2",
    **NONNEG,
)
sum_err2 = declare("sum_err2", "sum_{t=0}^{T-1} ||e_t||^2", AREA, latex=r"\sum_{t=0}^{T-1}\|e_t\|^2", **NONNEG)
young = declare("young", "parameter of Young's inequality in the proof of Theorem 3", latex=r"\theta", **POS)
direction_gap = declare(
    "direction_gap", "norm of the step taken minus the step as rewritten", OUTER / LENGTH, latex=r"\|d^t-\tilde d^t\|"
)
shift2 = declare("shift2", "||x_eta* - x^{t*}||^2", AREA, latex=r"\|x_\eta^*-x^{t*}\|^2", **NONNEG)
call = declare("call", "index of an inner call, from 0 on", latex="t", integer=True, nonnegative=True)
R_first = declare("R_first", "rounds of the first inner call", latex=r"R_{\mathrm{first}}", **COUNT)
w1, w2, w3, w4 = (
    declare(f"w{i}", f"term {i} under a root, a nonnegative number", latex=f"w_{i}", **NONNEG) for i in range(1, 5)
)
R_stat = declare(
    "R_stat",
    "rounds over all inner calls until E ||grad F_lambda(y^{T*})||^2 <= epsilon",
    latex=r"R_{\|\nabla F_\lambda\|^2}^{up}",
    **POS,
)
R_dist = declare(
    "R_dist",
    "rounds of an inner call from which on E dist(xbar_eta^t, X_h*) <= epsilon",
    latex=r"R_{\mathrm{dist}}^{up}",
    **POS,
)
R_stat_env = declare(
    "R_stat_env",
    "rounds over all inner calls until E ||grad F_lambda(y^{T*})||^2 <= epsilon, F_lambda = f + dist^2/(2 lambda)",
    latex=r"R_{\|\nabla F_\lambda^{\mathrm{env}}\|^2}^{up}",
    **POS,
)
R_stat_d = declare(
    "R_stat_d",
    "rounds over all inner calls until E ||grad F_lambda(y^{T*})||^2 <= epsilon + c delta_h/eta, "
    "F_lambda = f + dist^2/(2 lambda)",
    latex=r"R_{\|\nabla F_\lambda^{\mathrm{env}}\|^2,\delta_h}^{up}",
    **POS,
)
R_dist_n = declare(
    "R_dist_n",
    "rounds of an inner call from which on E dist(xbar_eta^t, X_h*) <= epsilon, normalised average",
    latex=r"R_{\mathrm{dist},\mathrm n}^{up}",
    **POS,
)
R_dist_d = declare(
    "R_dist_d",
    "rounds of an inner call from which on E dist(xbar_eta^t, X_h*) <= epsilon + 2 delta_h/alpha, normalised average",
    latex=r"R_{\mathrm{dist},\delta_h}^{up}",
    **POS,
)

# --- derived constants
L = declare("L", "smoothness of the regularised loss, L_h + eta L_f", INNER / AREA, defined=True, **NONNEG)
s2 = declare(
    "s2", "noise term 2 eta^2 sigma_f^2 + 2 sigma_h^2", (INNER / LENGTH) ** 2, latex="s^2", defined=True, **NONNEG
)
G_f2 = declare(
    "G_f2", "client dissimilarity of f (Lemma 1)", (OUTER / LENGTH) ** 2, latex="G_f^2", defined=True, **NONNEG
)
G_h2 = declare(
    "G_h2", "client dissimilarity of h (Lemma 1)", (INNER / LENGTH) ** 2, latex="G_h^2", defined=True, **NONNEG
)
B2 = declare("B2", "slope of the dissimilarity bound (Lemma 2)", INNER / AREA, latex="B^2", defined=True, **NONNEG)
G2 = declare(
    "G2", "offset of the dissimilarity bound (Lemma 2)", (INNER / LENGTH) ** 2, latex="G^2", defined=True, **NONNEG
)
theta = declare(
    "theta", "base of the averaging weights, 1/(1 - eta mu_f gamma_t / 2)", latex=r"\theta", defined=True, **POS
)
Theta_R = declare(
    "Theta_R", "sum of the averaging weights, sum_{r=1}^R theta^r", latex=r"\Theta_R", defined=True, **POS
)
A1 = declare("A1", "first-order error constant", (INNER / LENGTH) ** 2, latex="A_1", defined=True, **NONNEG)
A2 = declare("A2", "drift error constant", INNER**3 / LENGTH**4, latex="A_2", defined=True, **NONNEG)
T0 = declare("T0", "initial term D^2 / (gamma_t Theta_R)", INNER, latex="T_0", defined=True, **NONNEG)
Q2 = declare("Q2", "||xbar^0 - x_eta*||^2", AREA, latex="Q^2", defined=True, **NONNEG)
Qt2 = declare("Qt2", "E||xbar^0 - x_eta*||^2 - E||xbar^R - x_eta*||^2", AREA, latex=r"\tilde Q^2", defined=True)
W = declare("W", "drift constant of Theorems 1 and 2", INNER**3 / LENGTH**4, defined=True, **NONNEG)
Y = declare("Y", "noise and sampling constant of Theorems 1 and 2", (INNER / LENGTH) ** 2, defined=True, **NONNEG)
eps_r = declare("eps_r", "client drift of round r", AREA, latex=r"\varepsilon_r", defined=True, **NONNEG)
G_g2 = declare(
    "G_g2", "client dissimilarity of g, which all clients share", AREA, latex="G_g^2", defined=True, **NONNEG
)
G_ncvx2 = declare(
    "G_ncvx2",
    "offset of the dissimilarity bound (Lemma 3)",
    (INNER / LENGTH) ** 2,
    latex=r"G_{ncvx}^2",
    defined=True,
    **NONNEG,
)
A1n = declare(
    "A1n", "first-order error constant of an inner call", (INNER / LENGTH) ** 2, latex="A_1", defined=True, **NONNEG
)
A2n = declare("A2n", "drift error constant of an inner call", INNER**3 / LENGTH**4, latex="A_2", defined=True, **NONNEG)
c_e = declare("c_e", "2/lam^2 + 2 gamma (L_f lam + 2)/lam^3", (OUTER / AREA) ** 2, latex="c", defined=True, **POS)

WHERE = {
    L: L_h + eta * L_f,
    s2: 2 * eta**2 * sigma_f2 + 2 * sigma_h2,
    # Lemma 1 as printed: 2 L / N times (inf minus the mean of the minima); its proof arrives at 2 L
    G_f2: 2 * L_f / N * (inf_f - mean_inf_f),
    G_h2: 2 * L_h / N * (h_star - mean_inf_h),
    # Lemma 2 as printed, with B_f = B_h = 1 and inf h = h*
    G2: 2 * G_f2 + 4 * L_f * (f_star - inf_f) + 2 * G_h2,
    B2: sp.Max(4 * eta * L_f, 4 * L_h),
    gamma_t: gamma_l * gamma_g * K,
    theta: 1 / (1 - eta * mu_f * gamma_t / 2),
    Theta_R: sp.Sum(theta**r, (r, 1, R)),
    A1: s2 / (K * S) + (1 - S / N) * 4 * G2 / S,
    A2: 9 * L * s2 / (K * gamma_g**2) + 18 * L * G2 / gamma_g**2,
    T0: D2 / (gamma_t * Theta_R),
    Q2: D2,
    Qt2: D2 - Dlast2,
    W: 9 * (L_h + eta_hat * L_f) * (2 * eta_hat**2 * sigma_f2 + 2 * sigma_h2) / K + 18 * (L_h + eta_hat * L_f) * G2,
    Y: (2 * eta_hat**2 * sigma_f2 + 2 * sigma_h2) / K + 4 * (1 - S / N) * G2,
    eps_r: drift_sum / (K * S),
}
# In the convex case the weights of the average are equal.
WHERE_C = WHERE | {theta: sp.S.One}
ETA_HAT_SC = p / (sp.E * b * mu_f**b)


def H(key: str, text: str, relation: sp.Basic | None = None, *, says: tuple[Assumption, ...] = ()) -> Hypothesis:
    """Shorthand for one hypothesis."""
    return Hypothesis(key, text, relation, says)


A1_COMMON = (
    H("f_convex", "every f_i is convex (Assumption 1)", says=(Convex("f_i"),)),
    H("f_smooth", "every f_i is L_f-smooth (Assumption 1)", says=(Smooth("f_i", L_f),)),
    H("h_convex", "every h_i is convex (Assumptions 1 and 3)", says=(Convex("h_i"),)),
    H("h_smooth", "every h_i is L_h-smooth (Assumptions 1 and 3)", says=(Smooth("h_i", L_h),)),
    H("X_h_nonempty", "X_h* is not empty (Assumptions 1 and 3)", says=(Attained("h"),)),
    H("f_bounded_below", "inf f > -infinity (Assumption 1)", says=(BoundedBelow("f"),)),
)
STRONGLY_CONVEX = (
    H("f_strongly_convex", "every f_i is mu_f-strongly convex (Assumption 1)", says=(StronglyConvex("f_i", mu_f),)),
    H("mu_f>0", "mu_f > 0", sp.Gt(mu_f, 0, evaluate=False)),
)
# Lemma 1 takes minimisers x_i* of every client; G of Lemma 2 is built from them.
ATTAINED = (
    H(
        "clients_attain_minimum",
        "every f_i and every h_i attains its minimum (Lemma 1 uses x_i*)",
        says=(Attained("f_i"), Attained("h_i")),
    ),
)
_PAST = "past client sample step before"
A2_NOISE = (
    H(
        "unbiased",
        "stochastic gradients are unbiased (Assumption 2)",
        says=(Unbiased("n_f", _PAST), Unbiased("n_h", _PAST)),
    ),
    H(
        "variance_bounded",
        "their variances are at most sigma_f^2 and sigma_h^2 (Assumption 2)",
        says=(BoundedVariance("n_f", sigma_f2), BoundedVariance("n_h", sigma_h2)),
    ),
    H(
        "independent_noise",
        "xi_i and zeta_i are independent (Section 2.1)",
        says=(IndependentOf("n_f", source="zeta"),),
    ),
)
SIZES = (
    H("S<=N", "1 <= S <= N", sp.And(sp.Ge(S, 1, evaluate=False), sp.Le(S, N, evaluate=False), evaluate=False)),
    H("K>=1", "K >= 1", sp.Ge(K, 1, evaluate=False)),
    H("R>=1", "R >= 1", sp.Ge(R, 1, evaluate=False)),
    H("gamma_g>=1", "gamma_g >= 1 (Algorithm 1)", sp.Ge(gamma_g, 1, evaluate=False)),
)
SC16 = H(
    "SC16",
    "gamma_l <= 1/(16 K gamma_g (L_h + eta L_f)^2 (1 + B^2))",
    sp.Le(gamma_l, 1 / (16 * K * gamma_g * L**2 * (1 + B2)), evaluate=False),
)
SC27 = H(
    "SC27",
    "gamma_l <= 1/(27 K B^2 (L_h + eta L_f))",
    sp.Le(gamma_l, 1 / (27 * K * B2 * L), evaluate=False),
)
R_COND_PROP3 = H(
    "R>=16L^2(1+B^2)/mu_f",
    "R >= 16 (L_h + eta L_f)^2 (1 + B^2) / mu_f",
    sp.Ge(R, 16 * L**2 * (1 + B2) / mu_f, evaluate=False),
)
WS = (
    H(
        "weak_sharp",
        "X_h* is alpha-weak sharp of order kappa: h - h* >= alpha dist^kappa",
        says=(WeaklySharp("h", alpha, kappa),),
    ),
)
KAPPA_GT_1 = (H("kappa>1", "kappa > 1", sp.Gt(kappa, 1, evaluate=False)), *WS)
KAPPA_EQ_1 = (H("kappa=1", "kappa = 1", sp.Eq(kappa, 1, evaluate=False)), *WS)
ETA_SHARP = H(
    "eta<=alpha/(2||grad f(x*)||)",
    "eta <= alpha / (2 ||grad f(x*)||)",
    sp.Le(2 * grad_f_star * eta, alpha, evaluate=False),
)
M_VALID = H("M", "M > 0 and f* - E f(xbar^R) < M", sp.Gt(M, sp.Max(0, -gap_f, evaluate=False), evaluate=False))
M_VALID_N = H(
    "M_n",
    "M > 0 and f* - E f(xbar^R) < M at the normalised average",
    sp.Gt(M, sp.Max(0, -gap_f_n, evaluate=False), evaluate=False),
)
ERR_VALID = H("Err", "Err_eta >= E f_eta(xbar^R) - f_eta*", sp.Ge(Err, gap_eta, evaluate=False))

AVG = Switch(
    "avg_normaliser",
    printed="R-1",
    other="R",
    why="the printed weights theta^r / sum_{1}^{R-1} theta^r do not sum to one; the proof uses Jensen's inequality",
    substitute={
        gap_eta: gap_eta_n,
        gap_h: gap_h_n,
        gap_f: gap_f_n,
        E_dist: E_dist_n,
        E_sq: E_sq_n,
        E_err2: E_err2_n,
        gap_g: gap_g_n,
        Davg2: Davg2_n,
        dist_R: dist_R_n,
        R_f_up: R_f_up_n,
        R_h_up: R_h_up_n,
        R_f_lo: R_f_lo_n,
        R_sq_up: R_sq_up_n,
    },
)
DRIFT_N = Switch(
    "drift_normaliser",
    printed="K S",
    other="K N",
    why="the drift sums over all N clients; the lemma it is taken from averages over them",
    origin="the lemma of SCAFFOLD that Lemma 5 adapts averages over all K N local steps",
    substitute={eps_r: eps_r * S / N},
)
DRIFT_K = Switch(
    "drift_index",
    printed="k",
    other="k-1",
    why="gradients are evaluated at y_{i,k-1}, so the drift that enters the proof is indexed by k-1",
    substitute={drift_sum: drift_sum_prev},
)
INDEX = Switch(
    "index_convention",
    printed="xbar^{r+1} := xbar^r + gamma_g Delta xbar^r",
    other="xbar^r := xbar^{r-1} + gamma_g Delta xbar^r",
    why="Algorithm 1 computes Delta xbar^r at xbar^{r-1}; the analysis treats a round as the map xbar^{r-1} -> xbar^r",
)
ABOUT_AVERAGE = (AVG, INDEX)
G_SCALE = Switch(
    "dissimilarity_scale",
    printed="G^2 = (2 L / N) (inf - mean of the minima)",
    other="G^2 = 2 L (inf - mean of the minima)",
    why="averaging the smoothness inequality over clients, as the proof of Lemma 1 does, leaves no factor 1/N",
    substitute={G_f2: N * G_f2, G_h2: N * G_h2},
    origin="the proof of Lemma 1 has 2 L in its last display",
)
SCALE = Switch(
    "scale",
    printed="any curvatures",
    other="L_h + eta L_f >= 1",
    why="the step condition adds 1 to B^2 and squares L_h + eta L_f, so that it is weaker than intended where these "
    "are small",
    adding=(H("scale", "L_h + eta L_f >= 1", ge(L_h + eta * L_f, 1)),),
    origin="1 + B^2 and (L_h + eta L_f)^2 in the step condition compare curvatures with 1",
)
A_PLUS_B_1 = Switch(
    "exponents",
    printed="0 < b < a <= 1",
    other="a + b = 1",
    why="eta gamma_t mu_f = p ln(R) (mu_f R)^{1-a-b}/R is p ln(R)/R, as the proof of Theorem 1 has it, for a + b = 1",
    adding=(H("a+b=1", "a + b = 1", eq(a + b, 1)),),
    origin="Remark 2 and Table 1 take a = 2/3 and b = 1/3, Theorem 3 takes 7/12 and 5/12",
)
A_PLUS_B_BELOW_1 = Switch(
    "exponents",
    printed="0 < b < a <= 1",
    other="a + b < 1",
    why="the root 1/(1 - (a + b)) of the first term is that of a term that decays for a + b < 1 only",
    adding=(H("a+b<1", "a + b < 1", sp.Lt(a + b, 1, evaluate=False)),),
    origin="Remark 2 and Table 1 take a = 1/2 and b = 1/4, and the exponent 1/(1 - (a + b)) takes a + b < 1",
)
A_BELOW_1 = Switch(
    "exponents",
    printed="a <= 1",
    other="0 < b and 0 < a < 1",
    why="the root 1/(1 - a) of the first term is that of a term that decays for a < 1 only, and 1/b takes b > 0",
    adding=(
        H("0<a<1", "0 < a < 1", every(sp.Gt(a, 0, evaluate=False), sp.Lt(a, 1, evaluate=False))),
        H("b>0", "b > 0", sp.Gt(b, 0, evaluate=False)),
    ),
    origin="Remark 2 and Table 1 take a = 1/2 and b = 1/4, and the exponents 1/(1 - a) and 1/b take a < 1 and b > 0",
)
#: Bounds about the method are read kindly about the average that is one.
AVG_KIND = replace(
    AVG, origin="the proofs of Propositions 1 and 4 invoke Jensen's inequality, for which weights sum to one"
)

ETA_SQUARED = Switch(
    "eta_squared",
    printed="G^2 with 2 G_f^2 + 4 L_f (f* - inf f)",
    other="G^2 with eta^2 times that",
    why="the proof multiplies the gradients of f by eta before it squares them",
    substitute={G2: 2 * eta**2 * G_f2 + 4 * eta**2 * L_f * (f_star - inf_f) + 2 * G_h2},
    origin="the display of the proof of Lemma 2 before G^2 is inserted has eta^2",
)
ABOUT_METHOD = (AVG_KIND, INDEX, ETA_SQUARED, G_SCALE, SCALE)
ABOVE_OPTIMUM = Switch(
    "points",
    printed="all x",
    other="f(x) >= f*",
    why="the last link of the proof of Lemma 2 takes B^2 >= 4 eta L_f out of a sum in which f(x) - f* may be negative",
    adding=(H("f>=f*", "f(x) >= f*", ge(outer_diff, 0)),),
    origin="the last link of the proof of Lemma 2 presupposes that f(x) - f* is not negative",
)
LAST_ITERATE = Switch(
    "xbar_R_in_bound",
    printed="the iterate of round R",
    other="the average that the statement calls xbar^R",
    why="xbar^R denotes the average in the statement and the last iterate in the telescoping sum of its proof",
    substitute={Dlast2: Davg2},
)
NO_EXPECTATION = Switch(
    "expectation_of_distance",
    printed="dist(xbar^R, X_h*)",
    other="E dist(xbar^R, X_h*)",
    why="the other terms are expectations, and Proposition 5 (i-2), which is substituted, has one here",
    substitute={dist_R: E_dist, dist_R_n: E_dist_n},
    origin="Proposition 5 (i-2), which the proof substitutes",
)
