"""Theorem C.1: the rate with decreasing steps."""

from dataclasses import replace

import sympy as sp

from rateproof.theory.claim import Kind
from rateproof.theory.papers.mefbo import notation as p
from rateproof.theory.papers.mefbo.schedules import CONDITIONS, S_DEC, WHERE
from rateproof.theory.papers.mefbo.theorem34 import WHOLE_SPACES
from rateproof.theory.proof import Proof, have, qed, raised
from rateproof.theory.shorthand import le
from rateproof.theory.symbols import C_O, POS

EXPONENTS = (
    p.H_("q>1/2", "q > 1/2", sp.Gt(p.q, sp.Rational(1, 2), evaluate=False)),
    p.H_("q<1", "q < 1", sp.Lt(p.q, 1, evaluate=False)),
    p.H_("p<(1-q)/2", "0 < p < (1 - q)/2", sp.Lt(2 * p.p, 1 - p.q, evaluate=False)),
)
DECREASING = p.H_(
    "S-dec",
    "lambda_theta = c_lambda tau^(1/4) (t + 1)^(-q), lambda_x = lambda_y = c_theta lambda_theta, "
    "eta_x = eta_y = eta_theta = c_eta tau^(-7/8) P^(-1/2) (t + 1)^(-1/4)",
)
THEOREM_C1 = p.claim(
    "thmC.1",
    "Theorem C.1",
    Kind.BOUND,
    "min over t < T of E R_t(x^{t+1}, y^{t+1}) = O((1/P) (1/(T^(1-q) tau^(1/2)) + tau^(1/2) (n - P)/(T^(1-q) n) + "
    "1/(T^(3/2-q) tau^(1/4))))",
    le(p.R_best, C_O * p.RATE_DECREASING),
    equation="21",
    title="Rate with decreasing steps",
    hypotheses=(*p.RUN, p.ONE_PENALTY, *EXPONENTS, DECREASING, *CONDITIONS),
    where=WHERE,
    schedule=S_DEC,
    follows_from=("thmD.11",),
    switches=(
        replace(
            WHOLE_SPACES,
            why="without constraints, noise alone keeps no measure away from 0; the initial value, which is not "
            "divided by P, does not need them",
        ),
    ),
)
q_more = p.declare("q_more", "a larger decay exponent of the server step", latex="q'", **POS)
REMARK_A = p.claim(
    "remC.1-a",
    "Appendix C, after Theorem C.1",
    Kind.PROPERTY,
    "Decreasing steps do not depend on T, and a larger q gives a slower rate",
    le(p.RATE_DECREASING, p.RATE_DECREASING.subs(p.q, q_more)),
    title="Decreasing steps know no horizon",
    hypotheses=(*EXPONENTS[:2], p.H_("q<=q'", "q <= q'", le(p.q, q_more)), p.P_N),
    schedule=S_DEC,
    note="That the steps do not depend on T is seen from their rules.",
    proof=Proof(
        have("rounds", le(1, p.T)),
        raised("the power", "rounds", to=q_more - p.q),
        have("powers", le(p.T**p.q, p.T**q_more), by=["the power"]),
        qed(by=["powers"]),
    ),
)
REMARK_B = p.claim(
    "remC.1-b",
    "Appendix C, after Theorem C.1",
    Kind.PROPERTY,
    "A trade-off in the choice of q optimises both the rate and the complexities",
    None,
    title="A trade-off in the decay exponent",
    follows_from=("thmC.1",),
)
CLAIMS = (THEOREM_C1, REMARK_A, REMARK_B)
