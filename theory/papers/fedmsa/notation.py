"""Notation of the paper: constants, steps, what its lemmas and theorems measure, and the hypotheses.

A unit of ``x`` is one of every ``z^n``, as the paper adds their squares. Letters of the paper that mean something else
in the vocabulary of all papers (``N``, ``alpha``, ``b``, ``n``) have another name here and are printed as in the paper.
What belongs to a level ``n`` is written without it where a claim speaks of one level, and ends in ``_b`` for the level
below, ``n - 1``.
"""

import sympy as sp

from rateproof.theory.assumptions import Assumption, Lipschitz
from rateproof.theory.claim import Claim, Hypothesis, Kind
from rateproof.theory.shorthand import claims_of, ge, le
from rateproof.theory.symbols import COUNT, NONNEG, POS, formulas, vocabulary
from rateproof.theory.units import INNER, LENGTH, OUTER

declare, formula = vocabulary("fedmsa"), formulas("fedmsa")
claim = claims_of("fedmsa")

AREA = LENGTH**2
#: Units of ``P``, the gradient of ``f``, and of every ``S^n``.
SLOPE = OUTER / LENGTH
FORCE = INNER / LENGTH

# --- sizes
M = declare("M", "number of clients", **COUNT)
N = declare("N_lev", "number of coupled inner sequences z^1, ..., z^N", latex="N", **COUNT)
n = declare("n_lev", "index of an inner sequence", latex="n", **COUNT)
K = declare("K", "local steps per communication round", **COUNT)
R = declare("R_rounds", "communication rounds", latex="R", **COUNT)
r = declare("r_round", "index of a round, from 0", latex="r", nonnegative=True, integer=True)
k = declare("k_step", "index of a local step", latex="k", **COUNT)
b = declare("b_batch", "batch size of a client after the first round", latex="b", **COUNT)
b0 = declare("b_0", "batch size of a client in the first round", latex="b_0", **COUNT)

# --- the method
alpha = declare("alpha_x", "step of x", AREA / OUTER, latex=r"\alpha", **POS)
beta = declare("beta_n", "step of z^n", AREA / INNER, latex=r"\beta_n", **POS)
beta_b = declare("beta_b", "step of z^{n-1}", AREA / INNER, latex=r"\beta_{n-1}", **POS)
beta_1 = declare("beta_1", "step of z^1", AREA / INNER, latex=r"\beta_1", **POS)
rho = declare("rho_m", "momentum parameter", latex=r"\rho", **POS)

# --- constants of the problem
lam = declare("lam_n", "constant of one-point strong monotonicity of S^n", INNER / AREA, latex=r"\lambda_n", **POS)
lam_b = declare(
    "lam_b", "constant of one-point strong monotonicity of S^{n-1}", INNER / AREA, latex=r"\lambda_{n-1}", **POS
)
lam_1 = declare("lam_1", "constant of one-point strong monotonicity of S^1", INNER / AREA, latex=r"\lambda_1", **POS)
L_s = declare("L_s", "Lipschitz constant of every S^{m,n}", INNER / AREA, latex="L_{s,n}", **POS)
L_s1 = declare("L_s1", "Lipschitz constant of every S^{m,1}", INNER / AREA, latex="L_{q,1}", **POS)
L_sb = declare("L_sb", "Lipschitz constant of every S^{m,n-1}", INNER / AREA, latex="L_{q,n-1}", **POS)
L_z = declare("L_zn", "Lipschitz constant of z^{n,*}", latex="L_{z,n}", **NONNEG)
L_z1 = declare("L_z1", "Lipschitz constant of z^{1,*}", latex="L_{z,1}", **NONNEG)
L_zb = declare("L_zb", "Lipschitz constant of z^{n-1,*}", latex="L_{z,n-1}", **NONNEG)
L_p = declare("L_p", "Lipschitz constant of every P^m(x) = P^m(x, Z*(x))", OUTER / AREA, latex="L_p", **NONNEG)
L_Z = declare("L_Z", "Lipschitz constant of every P^m in Z", OUTER / AREA, latex="L_z", **NONNEG)
L_hz = declare("L_hz", "Lipschitz constant L_{h,z} of Lemma B.4, which is not defined", latex="L_{h,z}", **NONNEG)
Lb_p = declare("Lb_p", "mean Lipschitz constant of p^m(x; xi)", OUTER / AREA, latex=r"\bar L_p", **POS)
Lb_s = declare("Lb_s", "mean Lipschitz constant of s^{m,n}(.; zeta)", INNER / AREA, latex=r"\bar L_{s,n}", **POS)
L_h = declare("L_hyp", "smoothness constant of f, whose gradient is P(x)", OUTER / AREA, latex="L_h", **NONNEG)
sigma0 = declare("sigma_0", "noise level of p^m", SLOPE, latex=r"\sigma", **NONNEG)
sigma_n = declare("sigma_n", "noise level of s^{m,n}", FORCE, latex=r"\sigma_n", **NONNEG)
tau_0 = declare("tau_0", "heterogeneity of the Jacobians of P^m", OUTER / AREA, latex=r"\tau_0", **NONNEG)
tau_n = declare("tau_n", "heterogeneity of the Jacobians of S^{m,n}", INNER / AREA, latex=r"\tau_n", **NONNEG)
#: The theorem takes the largest of numbers of unlike units.
tau = declare("tau_het", "max(tau_0, ..., tau_N)", OUTER / AREA, latex=r"\tau", **NONNEG)
sigma = declare("sigma_max", "the largest noise level", SLOPE, latex=r"\sigma", **NONNEG)

# --- one local step, at a level n; Z* is z^{n,*} of the level below
gap2 = formula("gap2", "||z_k^n - z_k^{n,*}||^2", AREA, **NONNEG)
gap2_moved = formula("gap2_moved", "||z_{k+1}^n - z_k^{n,*}||^2", AREA, **NONNEG)
gap2_next = formula("gap2_next", "||z_{k+1}^n - z_{k+1}^{n,*}||^2", AREA, **NONNEG)
gap2_b = formula("gap2_b", "||z_k^{n-1} - z_k^{n-1,*}||^2", AREA, **NONNEG)
err_q = formula("err_q", "||q_k^n - S^n(z_k^{n-1}, z_k^n)||^2", FORCE**2, **NONNEG)
err_qb = formula("err_qb", "||q_k^{n-1} - S^{n-1}(z_k^{n-2}, z_k^{n-1})||^2", FORCE**2, **NONNEG)
pull = formula("pull", "<z_k^n - z_k^{n,*}, S^n(z_k^{n-1}, z_k^n)>", INNER)
S2 = formula("S2", "||S^n(z_k^{n-1}, z_k^n)||^2", FORCE**2, **NONNEG)
q2 = formula("q2", "||q_k^n||^2", FORCE**2, **NONNEG)
P2 = formula("P2", "||P(x_k)||^2", SLOPE**2, **NONNEG)
h2 = formula("h2", "||h_k||^2", SLOPE**2, **NONNEG)
err_h = formula("err_h", "||h_k - P(x_k)||^2", SLOPE**2, **NONNEG)
f_k = formula("f_k", "f(x_k)", OUTER)
f_next = formula("f_next", "f(x_{k+1})", OUTER)

# --- a run
P2_out = formula("P2_out", "E ||P(xtilde)||^2", SLOPE**2, **NONNEG)
gf2_out = formula("gf2_out", "E ||grad f(xtilde)||^2", SLOPE**2, **NONNEG)
gap2_out = formula("gap2_out", "sum_n E ||ztilde^n - z^{n,*}(ztilde^{n-1})||^2", AREA, **NONNEG)
Delta_W = declare("Delta_W", "W_0 - W_R, W the Lyapunov function (44)", OUTER, latex=r"\Delta_W", **NONNEG)
#: The rate of Theorem 3.1, without its constant.
RATE = tau / R + 1 / (sp.sqrt(K) * R) + sigma**2 / (M * K * R) + (sigma / (M * K * R)) ** sp.Rational(2, 3)


def H_(key: str, text: str, relation: sp.Basic | None = None, *says: Assumption) -> Hypothesis:
    """A hypothesis, with its type where it has one."""
    return Hypothesis(key, text, relation, says)


def measured(unit: sp.Expr, **prints: str) -> tuple[sp.Symbol, ...]:
    """Metrics of one unit that are never negative, by their names."""
    return tuple(formula(name, text, unit, **NONNEG) for name, text in prints.items())


def composite(cid: str, place: str, title: str, text: str) -> Claim:
    """A listed result that its parts decide, whose ids begin with its own."""
    return claim(cid, place, Kind.INEQUALITY, text, None, title=title)


# --- hypotheses; each as printed
A1 = H_("A1", "for every z^{n-1} there is a unique z^{n,*}(z^{n-1}) with S^n(z^{n-1}, z^{n,*}(z^{n-1})) = 0")
#: As printed, with the inequality that A5 has, and the one that every proof uses.
A5_PRINTED = H_(
    "A5",
    "<z^n - z^{n,*}(z^{n-1}), S^{m,n}(z^{n-1}, z^n)> <= lambda_n ||z^n - z^{n,*}(z^{n-1})||^2 for some lambda_n > 0",
    le(pull, lam * gap2),
)
A5 = H_(
    "A5 as used",
    "<z^n - z^{n,*}(z^{n-1}), S^{m,n}(z^{n-1}, z^n)> >= lambda_n ||z^n - z^{n,*}(z^{n-1})||^2 for some lambda_n > 0",
    ge(pull, lam * gap2),
)
A2 = H_("A2", "z^{n,*} and its derivative are L_{z,n}- and L'_{z,n}-Lipschitz", None, Lipschitz("fix", L_z))
A3 = H_("A3", "P^m(x), P^m(., Z) and S^{m,n}(., z^n) are L_p-, L_z- and L_{s,n}-Lipschitz")
#: A3 speaks of the first arguments; the proofs use the others as well, and A4 in mean square.
A3_JOINT = H_("A3 in Z", "P^m(x, .) and S^{m,n}(z^{n-1}, .) are L_z- and L_{s,n}-Lipschitz, too")
A4 = H_(
    "A4",
    "p^m(x; xi), p^m(., Z; xi) and s^{m,n}(., z^n; zeta) are Lb_p-, Lb_z- and Lb_{s,n}-mean Lipschitz, "
    "E||p(w; xi) - p(w'; xi)|| <= Lb ||w - w'||",
)
A4_SQUARES = H_("A4 in squares", "E||p^m(w; xi) - p^m(w'; xi)||^2 <= Lb_p^2 ||w - w'||^2, and so for s^{m,n}")
B = H_(
    "B",
    "p^m and s^{m,n} have the means P^m and S^{m,n}, E||p^m(x, Z; xi) - P^m(x, Z)||^2 <= sigma^2 and "
    "E||s^{m,n}(z^{n-1}, z^n; zeta) - S^{m,n}(z^{n-1}, z^n)||^2 <= sigma_n^2",
)
C = H_(
    "C",
    "{P^m} are tau_0- and {S^{m,n}} tau_n-heterogeneous: the Jacobians of P^m and P differ by at most tau_0, those of "
    "S^{m,n} and S^n by at most tau_n",
)
METHOD = H_("fedmsa", "x_r, Z_r and the local iterates are those of Algorithm 1 (FedMSA)")
MOMENTUM = H_("0<=rho<=1", "0 <= rho <= 1", le(rho, 1))
#: ``P`` and ``S^n`` are sums over the clients in (Fed-MSA) and Definition 2.2, means in Algorithm 1 and (7).
SUM = H_("sum", "P = sum_m P^m and S^n = sum_m S^{m,n}")
MEAN = H_("mean", "P = (1/M) sum_m P^m and S^n = (1/M) sum_m S^{m,n}")
POTENTIAL = H_("potential", "P(x) is the gradient of a function f")
