"""Steps and momentum of the paper: as Theorem 3.1 and its corollaries print them, and as the proof uses them.

The proof needs a momentum of the order ``R^(-2/3)``, a first batch of ``K R`` samples and steps that are the least of
four; the theorem names none of the three.
"""

import sympy as sp

from rateproof.theory.papers.fedmsa import notation as p
from rateproof.theory.schedule import Condition, Runs, Schedule
from rateproof.theory.shorthand import between, eq, ge, le
from rateproof.theory.symbols import POS
from rateproof.theory.units import INNER, ONE, OUTER

_R = sp.Rational
c_alpha = p.declare("c_alpha", "constant of alpha = O(1/(tau K))", ONE, latex=r"c_\alpha", **POS)
c_beta = p.declare("c_beta", "constant of beta_n = O(1/(tau K))", OUTER / INNER, latex=r"c_\beta", **POS)
c_rho = p.declare("c_rho", "constant of rho = Theta(1/R)", ONE, latex=r"c_\rho", **POS)
rho_2 = p.declare("rho_2", "second momentum of the proof", ONE, latex=r"\rho_2", defined=True, **POS)
RHO_2 = {
    rho_2: (p.Delta_W * p.L_h) ** _R(2, 3) * (p.M * p.K * p.b) ** _R(1, 3) / (p.sigma ** _R(4, 3) * p.R ** _R(2, 3))
}
#: The four bounds of ``alpha`` in the proof, up to absolute constants.
FOUR = (
    1 / (p.tau * p.K),
    sp.sqrt(p.b / p.K) / p.Lb_p,
    1 / p.L_h,
    sp.sqrt(p.rho * p.M * p.K * p.b) / (p.Lb_p * p.K),
)

RHO_THETA = p.H_(
    "rho=Theta(1/R)", "rho = Theta(1/R): 1/c_rho <= rho R <= c_rho", between(1 / c_rho, p.rho * p.R, c_rho)
)
ALPHA_O = p.H_("alpha=O(1/(tau K))", "alpha = O(1/(tau K)): alpha tau K <= c_alpha", le(p.alpha * p.tau * p.K, c_alpha))
BETA_O = p.H_("beta=O(1/(tau K))", "beta_n = O(1/(tau K)): beta_n tau K <= c_beta", le(p.beta * p.tau * p.K, c_beta))
ALPHA_THETA = p.H_(
    "alpha=Theta(1/(tau K))",
    "alpha is of the order 1/(tau K): alpha tau K >= 1/c_alpha",
    ge(p.alpha * p.tau * p.K, 1 / c_alpha),
)
ONE_SAMPLE = p.H_(
    "samples", "every client draws one sample in every round, as in Algorithm 1", sp.And(eq(p.b0, 1), eq(p.b, 1))
)
BATCHES = p.H_("b0=KR", "in the first round a client draws b_0 = K R samples, in later ones K b", eq(p.b0, p.K * p.R))
PROOF_STEPS = p.H_(
    "S-proof",
    "rho = max(rho_1, rho_2), which is at most 1; alpha is c_alpha times the least of 1/(tau K), 1/((K/b)^(1/2) Lb_p), "
    "1/L_h and (rho M K b)^(1/2)/(Lb_p K); beta_n is the same with the constants of S^{m,n}, and at most "
    "lambda_n/(2 L_{s,n})",
)
QUIET_STEPS = p.H_(
    "S-proof, sigma=0",
    "rho is 1, as rho_2 is infinite for sigma = 0; alpha and beta_n are as in the proof with it",
)
AS_PRINTED = (RHO_THETA, ALPHA_O, BETA_O)

S_THEOREM = Schedule(
    "S-thm",
    "steps and momentum of Theorem 3.1 and Corollaries C.1 and D.1, at the largest values that they admit",
    rules={
        p.rho: c_rho / p.R,
        p.alpha: c_alpha / (p.tau * p.K),
        p.beta: c_beta / (p.tau * p.K),
    },
    runs=Runs(rounds=p.R),
)
S_PROOF = Schedule(
    "S-proof",
    "what the proof of Theorem 3.1 takes",
    rules={p.b0: p.K * p.R, p.rho: sp.Max(1 / p.R, rho_2), p.alpha: c_alpha * sp.Min(*FOUR)},
    conditions=(Condition("rho<=1", le(p.rho, 1)),),
    where=RHO_2,
    runs=Runs(rounds=p.R),
)
SCHEDULES: tuple[Schedule, ...] = (S_THEOREM, S_PROOF)
