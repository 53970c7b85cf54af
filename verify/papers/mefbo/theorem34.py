"""Theorem 3.4: the rate with fixed steps."""

from rateproof.theory.papers.mefbo import theorem34 as claims
from rateproof.verify.form import growing, record
from rateproof.verify.papers.mefbo.climbs import CROWD, DRIFT, NOISE, ONE_CLIENT, SLOPE

THEOREM34 = record(
    claims.THEOREM34,
    climbs=[CROWD, DRIFT],
    refuted_by=growing(
        NOISE,
        ratios=["1.59951", "31.5071", "511.500", "8191.50", "1.31071e5"],
        by_hand="""f = 0, g_i(y; zeta) = (1 + 2 zeta) y, zeta = -1 or 1, Y = [0, b], n = P = 2, tau = 1. Both
        clients draw -1 with probability 1/4: the direction is -1 and y^{t+1} = b for b = lambda_y/2; else it is
        0. As b < gamma, theta* = 0 and R_t = (1 - b/gamma)^2 there, and E R_t = (1 - b/gamma)^2/4 in every round,
        whatever p is. Claimed is (T^(-1/2) + T^-1)/2. On the fixed set Y = [0, gamma/2] E R_t is at least 1/16,
        too.""",
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
        ratios=["1.99939", "31.9994", "511.999", "8192.00", "1.31072e5"],
        by_hand="""As for Theorem 3.4, with one client: y^{t+1} = b with probability 1/2, so E R_t = (1 -
        b/gamma)^2/2 in every round. Claimed is T^(-1/2). On the fixed set Y = [0, gamma/2] E R_t is at
        least 1/8, too.""",
    ),
)
