"""Remarks D.1, D.9 and D.10: heterogeneity in the rate, and that the step conditions can be met."""

import sympy as sp

from rateproof.theory.claim import Kind
from rateproof.theory.papers.mefbo import notation as p
from rateproof.theory.papers.mefbo.lemma_d8 import LYAPUNOV_WHERE
from rateproof.theory.papers.mefbo.schedules import ADMISSIBLE, CONDITIONS, S_FIXED, WHERE
from rateproof.theory.papers.mefbo.theorem34 import THEOREM34
from rateproof.theory.proof import Proof, have, qed, unfold
from rateproof.theory.proof.steps import Ground
from rateproof.theory.shorthand import every, le
from rateproof.theory.symbols import C_O, POS

_R = sp.Rational
REMARK_D1 = p.claim(
    "remD.1",
    "Remark D.1",
    Kind.BOUND,
    "min over t < T of E R_t(z^{t+1}) = O((1/P) (1/(T^(1/2) tau^(1/2)) + tau^(1/2) (n - P)/(T^(1/2) n) Delta^2 + "
    "M_3'/(T tau^(1/4))))",
    le(
        p.R_best,
        C_O
        / p.P
        * (
            1 / sp.sqrt(p.T * p.tau)
            + sp.sqrt(p.tau / p.T) * (p.n - p.P) / p.n * p.Het**2
            + p.M_3 / p.T * p.tau ** _R(-1, 4)
        ),
    ),
    equation="36",
    title="The rate with heterogeneity",
    hypotheses=THEOREM34.hypotheses,
    where=LYAPUNOV_WHERE,
    schedule=S_FIXED,
    follows_from=("thm3.4",),
    note="The instances by hand of Theorem 3.4.",
)
#: Defined constants that are positive, and why.
_POSITIVE: dict[sp.Symbol, list[Ground]] = {
    p.rho: [unfold(p.rho)],
    p.L_theta: ["rho > 0", unfold(p.L_theta)],
    p.K: ["L_theta > 0", unfold(p.K)],
    p.L_Phi: [unfold(p.L_Phi)],
}
_BOUNDS = tuple(dict.fromkeys(c.relation.rhs for c in ADMISSIBLE if c.relation.rel_op == "<="))
REMARK_D9 = p.claim(
    "remD.9",
    "Remark D.9",
    Kind.PROPERTY,
    "Each condition of Lemma D.8 bounds the steps from above by a positive number, so that there are admissible steps",
    every(*(sp.Gt(bound, 0, evaluate=False) for bound in _BOUNDS)),
    title="The step conditions can be met",
    hypotheses=(p.GAMMA, p.P_N, p.TWO_CLIENTS),
    where=WHERE,
    proof=Proof(
        *(have(f"{s} > 0", sp.Gt(s, 0, evaluate=False), by=by) for s, by in _POSITIVE.items()),
        *(qed(by=[*(f"{s} > 0" for s in _POSITIVE), unfold(p.A_P, p.B_P)], of=k) for k in range(len(_BOUNDS))),
    ),
)
_small = CONDITIONS[1]
_STEP = (
    have("rho", sp.Ge(p.rho * p.gamma, _R(1, 2), evaluate=False), by=[unfold(p.rho)]),
    have("the step", le(p.lambda_theta * p.rho, _R(4, 5)), by=["rho"]),
)
ST_DELTA = p.claim(
    "st-delta",
    "Remark D.10",
    Kind.INEQUALITY,
    "delta_{t,1} <= 1/3 for lambda_theta <= 4/(5 rho)",
    le(p.delta_t, _R(1, 3)),
    title="The Young parameter is bounded",
    hypotheses=(p.GAMMA, _small),
    where={**p.RHO, **p.YOUNG},
    proof=Proof(
        *_STEP,
        qed(by=["the step", "rho", unfold(p.delta_t)]),
    ),
)
lambda_less = p.declare("lambda_less", "a smaller server step of theta", p.STEP, latex=r"\lambda_\theta'", **POS)
REMARK_D10 = p.claim(
    "remD.10",
    "Remark D.10",
    Kind.PROPERTY,
    "delta_{t,1} increases with lambda_theta, and lambda_theta <= 4/(5 rho) gives delta_{t,1} <= 1/3; so M_3' is "
    "bounded",
    every(
        sp.Lt(p.YOUNG[p.delta_t].subs(p.lambda_theta, lambda_less), p.delta_t, evaluate=False),
        le(p.delta_t, _R(1, 3)),
    ),
    title="The constant of the drift is bounded",
    hypotheses=(
        p.GAMMA,
        _small,
        p.H_("lambda'<lambda", "lambda_theta' < lambda_theta", sp.Lt(lambda_less, p.lambda_theta, evaluate=False)),
    ),
    where={**p.RHO, **p.YOUNG},
    follows_from=("st-delta",),
    note="M_3' is then bounded, as it is linear in delta_{t,1}, where client steps are bounded and c_t does not fall.",
    proof=Proof(
        *_STEP,
        qed(by=["the step", "rho", unfold(p.delta_t)]),
        qed(by=["the step", "rho", unfold(p.delta_t)], of=1),
    ),
)
CLAIMS = (REMARK_D1, REMARK_D9, REMARK_D10, ST_DELTA)
