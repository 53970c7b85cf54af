"""Theorem 3.4: the rate with fixed steps."""

from rateproof.theory.papers.mefbo import theorem34 as claims
from rateproof.verify.form import growing, record
from rateproof.verify.papers.mefbo.climbs import CROWD, DRIFT, NOISE, ONE_CLIENT

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
    CROWD,
    ratios=["0.719775", "11.5164", "184.263", "2948.20", "47171.2"],
    by_hand="""f_i = sqrt(1 + x^2) - 1, g = 0, no noise, T = tau = 1, x^0 = 3/4, so f' = 3/5: x^1 = 3/4 - (3/5)
    lambda_x whatever n = P is, and R is nearly 9/25. Claimed is P R = O(2); the ratio is P R/2.""",
)
REMARK_1 = record(claims.REMARK_1, climbs=[DRIFT, NOISE], refuted_by=SPEED_UP)
REMARK_2 = record(
    claims.REMARK_2,
    refuted_by=growing(
        ONE_CLIENT,
        ratios=["1.99939", "31.9994", "511.999", "8192.00", "1.31072e5"],
        by_hand="""As for Theorem 3.4, with one client: y^{t+1} = b with probability 1/2, so E R_t = (1 -
        b/gamma)^2/2 in every round. Claimed is T^(-1/2).""",
    ),
)
