"""Theorem 3.4: the rate with fixed steps, and what the paper remarks about it.

The rate fails in three ways: at the end of an interval noise keeps ``R_t`` away from 0, for every ``p``; the initial
value of the Lyapunov function is not divided by ``P``; and local steps end elsewhere, by ``tau eta``. What holds is in
``rates``.
"""

import sympy as sp

from rateproof.theory.claim import Kind, Switch
from rateproof.theory.papers.mefbo import notation as p
from rateproof.theory.papers.mefbo.lemma_g1 import FREE
from rateproof.theory.papers.mefbo.schedules import CONDITIONS, S_FIXED, WHERE
from rateproof.theory.proof import Proof, Setting, have, qed, raised
from rateproof.theory.shorthand import amended, eq, every, ge, le
from rateproof.theory.symbols import C_O, COUNT, POS

P_QUARTER = p.H_("p<1/4", "0 < p < 1/4", sp.Lt(p.p, sp.Rational(1, 4), evaluate=False))
#: The rules of the schedule, which hold in every round.
FIXED = p.H_(
    "S-fixed",
    "lambda_theta = c_lambda tau^(1/4) T^(-1/2), lambda_x = lambda_y = c_theta lambda_theta, "
    "eta_x = eta_y = eta_theta = c_eta tau^(-7/8) T^(-1/4) P^(-1/2)",
)

N_ONE = p.H_("n=1", "n = 1 and P = 1", sp.And(eq(p.n, 1), eq(p.P, 1), evaluate=False))
TAU_ONE = p.H_("tau=1", "tau = 1", eq(p.tau, 1))
#: What an author may say who has no constraints, and what is left then: each of two causes without the other.
WHOLE_SPACES = Switch(
    "sets",
    "closed and convex",
    "whole spaces",
    "without constraints, noise alone keeps no measure away from 0; the initial value and the drift do not need them",
    adding=(FREE,),
)
NO_DRIFT = Switch(
    "sets and local steps",
    "any",
    "whole spaces, tau = 1",
    "with one local step there is no drift, and the initial value is not divided by P",
    adding=(FREE, TAU_ONE),
)
FEW = Switch(
    "sets and clients",
    "any",
    "whole spaces, at most two clients",
    "with few clients it does not matter what is divided by P, and clients that differ drift apart for tau = T",
    adding=(FREE, p.H_("n<=2", "n <= 2", le(p.n, 2))),
)

THEOREM34 = p.claim(
    "thm3.4",
    "Theorem 3.4",
    Kind.BOUND,
    "min over t < T of E R_t(x^{t+1}, y^{t+1}) = "
    "O((1/P) (1/(T^(1/2) tau^(1/2)) + tau^(1/2) (n - P)/(T^(1/2) n) + 1/(T tau^(1/4))))",
    le(p.R_best, C_O * p.RATE_FIXED),
    equation="14",
    title="Rate with fixed steps",
    hypotheses=(*p.RUN, p.ONE_PENALTY, P_QUARTER, FIXED, *CONDITIONS),
    where=WHERE,
    schedule=S_FIXED,
    follows_from=("thmD.11",),
    switches=(WHOLE_SPACES, NO_DRIFT, FEW),
    note="False for three reasons, each alone: noise at the end of an interval; the initial value of the Lyapunov "
    "function, which is not divided by P (mefbo.rem3.4-1); the drift for tau = T (mefbo.cor3.5-i). The readings "
    "without constraints show the last two. Where the noise is that of f alone, the measure falls like T^(-2p), which "
    "is slower for every p below 1/4. Without constraints the rate is that of mefbo.thm3.4.free.corrected, which "
    "vanishes.",
)
P_other = p.declare("P_other", "another number of participants", latex="P'", **COUNT)
lambda_other = p.declare("lambda_other", "server step for P'", p.STEP, latex=r"\lambda_\theta'", **POS)
eta_other = p.declare("eta_other", "client step for P'", p.STEP, latex=r"\eta_\theta'", **POS)
_OF_P = tuple(
    p.H_(f"{name} of {who}", f"{name}_theta is that of the schedule, for {who}", eq(step, rule.subs(p.P, at)))
    for name, steps, rule in (
        ("lambda", (p.lambda_theta, lambda_other), S_FIXED.rules[p.lambda_theta]),
        ("eta", (p.eta_theta, eta_other), S_FIXED.rules[p.eta_theta]),
    )
    for step, at, who in zip(steps, (p.P, P_other), ("P", "P'"), strict=True)
)
THM34_P = p.claim(
    "thm3.4-P",
    "Section 3.2, after Theorem 3.4",
    Kind.PROPERTY,
    "The server steps are constant in P, and the client steps scale with P^(-1/2): for another number P' of "
    "participants, lambda' = lambda and eta' P'^(1/2) = eta P^(1/2)",
    every(eq(lambda_other, p.lambda_theta), eq(eta_other * sp.sqrt(P_other), p.eta_theta * sp.sqrt(p.P))),
    title="How the steps depend on the participants",
    hypotheses=_OF_P,
    schedule=S_FIXED,
    note="With the same constants c_lambda and c_eta, which have to meet (79) to (83) for every number of participants "
    "that is compared. For c_lambda, (79), (80a) and (80b) are strictest for the fewest, (80c) and (80d) for the most.",
    setting=Setting(measured=(p.lambda_theta, lambda_other, p.eta_theta, eta_other)),
    proof=Proof(
        *(have(h.key, h.relation) for h in _OF_P), *(qed(by=[h.key for h in _OF_P], of=part) for part in (0, 1))
    ),
)
REMARK_1 = p.claim(
    "rem3.4-1",
    "Section 3.2, after Theorem 3.4 (1)",
    Kind.BOUND,
    "MeFBO converges with a linear speed-up in the number of participating clients, drawn without replacement: "
    "P min E R_t = O(1/(T^(1/2) tau^(1/2)) + tau^(1/2) (n - P)/(T^(1/2) n) + 1/(T tau^(1/4)))",
    le(p.P * p.R_best, C_O * sp.expand_mul(p.P * p.RATE_FIXED)),
    title="Linear speed-up in the participants",
    hypotheses=THEOREM34.hypotheses,
    where=WHERE,
    schedule=S_FIXED,
    follows_from=("thm3.4",),
    note="Where T is much larger than P, as in the proof of Corollary D.12, the instance of Theorem 3.4 refutes it.",
)
REMARK_2 = p.claim(
    "rem3.4-2",
    "Section 3.2, after Theorem 3.4 (2)",
    Kind.BOUND,
    "For n = 1 and tau = 1, min E R_t = O(T^(-1/2))",
    le(p.R_best, C_O / sp.sqrt(p.T)),
    title="Rate of the method on one machine",
    hypotheses=(*THEOREM34.hypotheses, N_ONE, TAU_ONE),
    where=WHERE,
    schedule=S_FIXED,
    follows_from=("thm3.4",),
    note="A and B of (79) and (80) are 0/0 for n = 1, and 1 and 0 here, as for P = n.",
)
REMARK_2_WHOLE = amended(
    REMARK_2,
    "at the end of an interval noise keeps R_t away from 0; without constraints the noise of a step of x and y enters "
    "with the square of the step",
    part="whole",
    text="As printed, for X and Y the whole spaces",
    hypotheses=(*REMARK_2.hypotheses, FREE),
    follows_from=("lemD.3", "lemD.4", "st-c"),
    note="With its constants, for any n: mefbo.rem3.4-2.free.corrected.",
)
tau_more = p.declare("tau_more", "more local steps per round", latex=r"\tau'", **COUNT)


def _rate(P: sp.Expr, tau: sp.Expr) -> sp.Expr:
    """(14) without its constant, for some participants and local steps."""
    return p.RATE_FIXED.subs({p.P: P, p.tau: tau}, simultaneous=True)


_quarter = sp.Rational(1, 4)
REMARK_3 = p.claim(
    "rem3.4-3",
    "Section 3.2, after Theorem 3.4 (3)",
    Kind.PROPERTY,
    "For P = n a larger tau improves the rate (14), for P < n it may harm it",
    every(le(_rate(p.n, tau_more), _rate(p.n, p.tau)), ge(_rate(p.P, 16 * p.tau), _rate(p.P, p.tau))),
    title="What more local steps do",
    hypotheses=(
        p.H_("tau<=tau'", "tau <= tau'", le(p.tau, tau_more)),
        p.H_("P<=n-1", "P <= n - 1, for the harm", le(p.P, p.n - 1)),
        p.H_("tau>=n^2", "tau >= n^2, for the harm", ge(p.tau, p.n**2)),
    ),
    follows_from=("thm3.4",),
    note="The harm is shown for 16 times as many local steps. It is said of (14), which is false (Theorem 3.4).",
    proof=Proof(
        have("steps", le(p.tau, tau_more)),
        raised("fourth roots", "steps", to=_quarter),
        have("one step", le(1, p.tau)),
        raised("a fourth root", "one step", to=_quarter),
        have("one round", le(1, p.T)),
        raised("a root", "one round", to=2 * _quarter),
        qed(by=["fourth roots", "a fourth root", "a root"]),
        have("many steps", le(p.n**2, p.tau)),
        raised("a root of many", "many steps", to=2 * _quarter),
        have("a part", le(p.n, (p.n - p.P) * sp.sqrt(p.tau)), by=["a root of many"]),
        qed(by=["a fourth root", "a root", "a part"], of=1),
    ),
)
CLAIMS = (THEOREM34, THM34_P, REMARK_1, REMARK_2, REMARK_2_WHOLE, REMARK_3)
