"""Theorem 3.4: the rate with fixed steps."""

from collections.abc import Iterable
from typing import Any

from rateproof.theory.claim import Claim
from rateproof.theory.papers.mefbo import theorem34 as claims
from rateproof.verify.checks import Budget
from rateproof.verify.evidence import Evidence, Finding, Level
from rateproof.verify.form import counts, family, growing, record
from rateproof.verify.form.arithmetic import Number
from rateproof.verify.papers.mefbo.climbs import ALONE, CROWD, DRIFT, NOISE, ONE_CLIENT, SLOPE

THEOREM34 = record(
    claims.THEOREM34,
    climbs=[SLOPE, DRIFT, CROWD],
    refuted_by=growing(
        NOISE,
        ratios=["1.59999", "31.5077", "511.500", "8191.50", "1.31071e5"],
        by_hand="""f = 0, g_i(y; zeta) = (1 + (257/256) zeta) y, zeta = -1 or 1, Y = [0, gamma/2], n = P = 2, tau = 1,
        from 0. The direction of y and theta is (theta - y)/gamma plus d: -1/256 where both draw -1, which has the
        probability 1/4, and else at least 1. So theta - y stays below gamma/256, and both draws of -1 lead to y^{t+1}
        > 0. There theta* = 0 and R_t = (1 - y/gamma)^2 >= 1/4: E R_t >= 1/16 in every round, for every p. Claimed is
        (T^(-1/2) + T^-1)/2.""",
    ),
)
#: Also a counterexample to the last row of Table 1.
SPEED_UP = growing(
    SLOPE,
    ratios=["1681.66", "30346.6", "3.43144e5", "3.65809e6", "3.87809e7"],
    by_hand="""f_i of slope s for x >= 4/3, g = 0, no noise, tau = 1, T = P^2, n = P: with x^0 = 4/3 + s E, E =
    lambda_x T/c_0 = c_theta c_lambda P, all x^t are at least 4/3 whatever n = P is, so R_t = (s/c_t)^2, and s = (1 +
    E)^(-1/2) keeps F(x^0) - F_inf below 7/3. min R_t = T^(-2p)/(1 + E) is of the order P^(-1-4p), where P^-2 is
    claimed. At T = 1 already f_i = sqrt(1 + x^2) - 1 has one R for all P.""",
)
REMARK_1 = record(claims.REMARK_1, climbs=[CROWD, DRIFT, NOISE], refuted_by=SPEED_UP)
REMARK_2 = record(
    claims.REMARK_2,
    refuted_by=growing(
        ONE_CLIENT,
        ratios=["1.99999", "32.0000", "512.000", "8192.00", "1.31072e5"],
        by_hand="""As for Theorem 3.4 on Y = [0, gamma/2], with one client, who draws -1 with probability 1/2: there
        y^{t+1} > 0 and R_t >= 1/4, so E R_t >= 1/8 in every round. Claimed is T^(-1/2).""",
    ),
)


def by_its_constants(claim: Claim, budget: Budget) -> Iterable[Evidence]:
    """That without constraints the remark holds, by the claim that gives its constants."""
    shown = claims.REMARK_2_WHOLE
    if claim.statement != shown.statement or not {*shown.hypotheses} <= {*claim.hypotheses}:
        return
    yield Evidence(
        Finding.PROOF,
        Level.ARGUMENT,
        "argument",
        "mefbo.rem3.4-2.free.corrected for two clients with the weights 1 and 0, who both take part: its conditions "
        "bound lambda = c_lambda T^(-1/2) and hold from some T on. For the finitely many T before, E R_1 is at most a "
        "constant times Lambda_0 + V: ||grad Phi||^2 <= 2 L_Phi (Phi - inf Phi), rho gap^2/2 <= D, and one step moves "
        "z by lambda times a direction whose mean square is bounded by these and V",
    )


REMARK_2_WHOLE = record(claims.REMARK_2_WHOLE, check=by_its_constants, climbs=[ALONE])


@family(
    "numbers of clients and steps",
    n_cl=counts(2, 3, 10, most=10),
    P=counts(1, 2, 9, most=9),
    T_rounds=counts(1, 2, 100),
    tau=counts(9, 4, 100, 1000, drawn=(4, 9, 100, 1000)),
    tau_more=counts(16, 100, 1000, drawn=(16, 100, 1000, 10000)),
)
def many_steps(*, n_cl: Number, P: Number, T_rounds: Number, tau: Number, tau_more: Number) -> dict[str, Any]:
    """They are all that the remark is about."""
    return {}


REMARK_3 = record(claims.REMARK_3, families=[many_steps])
