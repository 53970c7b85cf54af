"""Remarks D.1, D.9 and D.10: heterogeneity in the rate, and that the step conditions can be met."""

import sympy as sp

from rateproof.theory.claim import Kind
from rateproof.theory.papers.mefbo import notation as p
from rateproof.theory.papers.mefbo.lemma_d8 import DELTA, LAMBDA_RHO, LYAPUNOV_WHERE, M_3_PRODUCTS, POSITIVE
from rateproof.theory.papers.mefbo.schedules import ADMISSIBLE, CONDITIONS, S_FIXED, WHERE
from rateproof.theory.papers.mefbo.theorem34 import THEOREM34
from rateproof.theory.proof import Proof, Setting, Step, have, qed, section, unfold
from rateproof.theory.shorthand import every, ge, gt, le
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
)
_BOUNDS = tuple(dict.fromkeys(c.relation.rhs for c in ADMISSIBLE if c.relation.rel_op == "<="))
REMARK_D9 = p.claim(
    "remD.9",
    "Remark D.9",
    Kind.PROPERTY,
    "Each condition of Lemma D.8 bounds the steps from above by a positive number, so that there are admissible steps",
    every(*(gt(bound, 0) for bound in _BOUNDS)),
    title="The step conditions can be met",
    hypotheses=(p.GAMMA, p.P_N, p.TWO_CLIENTS),
    where=WHERE,
    proof=Proof(
        *POSITIVE,
        have("L_Phi", gt(p.L_Phi, 0), by=[unfold(p.L_Phi)]),
        *(qed(by=["rho", "L_theta", "K", "L_Phi", unfold(p.A_P, p.B_P)], of=k) for k in range(len(_BOUNDS))),
    ),
)
_small = CONDITIONS[1]
ST_DELTA = p.claim(
    "st-delta",
    "Remark D.10",
    Kind.INEQUALITY,
    "delta_{t,1} <= 1/3 for lambda_theta <= 4/(5 rho)",
    le(p.delta_t, _R(1, 3)),
    title="The Young parameter is bounded",
    hypotheses=(p.GAMMA, _small),
    where={**p.RHO, **p.YOUNG},
    proof=Proof(POSITIVE[0], LAMBDA_RHO, qed(by=DELTA)),
)
lambda_less = p.declare("lambda_less", "a smaller server step of theta", p.STEP, latex=r"\lambda_\theta'", **POS)
eta_max = p.declare("eta_max", "largest client step", p.STEP, latex=r"\eta_{\max}", **POS)
_LARGEST = {p.delta_t: _R(1, 3), p.c_t: p.c_0, p.eta_x: eta_max, p.eta_theta: eta_max}
_SIGNS = ("delta >= 0", "rho", "L_theta", "K")


def _bounded(name: str, bracket: sp.Expr, weight: sp.Expr) -> tuple[Step, ...]:
    """That a product of M_3' is at most what it is for the largest steps and the smallest penalty."""
    largest, heaviest = bracket.xreplace(_LARGEST), weight.xreplace(_LARGEST)
    return (
        have(f"bracket {name}", le(bracket, largest)),
        have(f"weight {name}", le(weight, heaviest), by=["delta", *_SIGNS]),
        have(f"product {name}", le(bracket * weight, largest * weight), by=[f"bracket {name}", *_SIGNS]),
        have(f"most {name}", le(largest * weight, largest * heaviest), by=[f"weight {name}", *_SIGNS]),
    )


REMARK_D10 = p.claim(
    "remD.10",
    "Remark D.10",
    Kind.PROPERTY,
    "delta_{t,1} increases with lambda_theta, and lambda_theta <= 4/(5 rho) gives delta_{t,1} <= 1/3; so M_3' is "
    "bounded, as the steps are and 1/c_t does not grow",
    every(
        sp.Lt(p.YOUNG[p.delta_t].subs(p.lambda_theta, lambda_less), p.delta_t, evaluate=False),
        le(p.delta_t, _R(1, 3)),
        le(p.M_3, LYAPUNOV_WHERE[p.M_3].xreplace(_LARGEST)),
    ),
    title="The constant of the drift is bounded",
    hypotheses=(
        p.GAMMA,
        _small,
        p.H_("lambda'<lambda", "lambda_theta' < lambda_theta", sp.Lt(lambda_less, p.lambda_theta, evaluate=False)),
        *(p.H_(f"{eta}<=max", f"{eta} is at most eta_max", le(eta, eta_max)) for eta in (p.eta_x, p.eta_theta)),
        p.SMALLEST,
    ),
    where={**p.LYAPUNOV, **p.YOUNG, p.M_3: LYAPUNOV_WHERE[p.M_3]},
    follows_from=("st-delta",),
    setting=Setting(measured=(p.O_x, p.O_y)),
    proof=Proof(
        section("Signs of the constants"),
        *POSITIVE,
        section("The Young parameter is bounded and increases"),
        LAMBDA_RHO,
        have("delta", le(p.delta_t, _R(1, 3)), by=DELTA),
        have("delta >= 0", ge(p.delta_t, 0), by=DELTA),
        qed(by=["delta"]),
        qed(by=DELTA, of=1),
        section("The first product of M_3'"),
        *_bounded("1", *M_3_PRODUCTS[0]),
        section("The second product, and their sum M_3'"),
        *_bounded("2", *M_3_PRODUCTS[1]),
        qed(by=["product 1", "product 2", "most 1", "most 2", *_SIGNS, unfold(p.M_3)], of=2, multipliers=[1, 1, 1, 1]),
    ),
)
CLAIMS = (REMARK_D1, REMARK_D9, REMARK_D10, ST_DELTA)
