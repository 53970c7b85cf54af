"""Theorem C.1: the rate with decreasing steps."""

from collections.abc import Iterable

import sympy as sp

from rateproof.theory.claim import Claim
from rateproof.theory.papers.mefbo import notation as p
from rateproof.theory.papers.mefbo import theorem_c1 as claims
from rateproof.verify.checks import Budget
from rateproof.verify.evidence import Evidence, Finding, Level
from rateproof.verify.form import growing, record
from rateproof.verify.papers.mefbo.climbs import CROWD, DECREASING

EVERY_ROUND = growing(
    DECREASING,
    ratios=["1.27728", "16.0292", "165.834", "1692.47", "17258.2"],
    by_hand="""f_i(x; xi) = (1 + (257/256) xi) x, xi = -1 or 1, g = 0, X = [0, 1], n = P = 2, tau = 1, from 0. Both
    clients draw -1 with probability 1/4: the direction is -1/(256 c_t), so x^{t+1} > 0 and R_t = 1/c_t^2. So E R_t is
    at least T^(-2p)/4 in every round, c_0 = 1, while for q = 11/20 the claimed rate is (T^(-9/20) + T^(-19/20))/2. All
    p below (1 - q)/2 = 9/40 have 2p < 9/20; here p = 1/64. With the noise in g, as for Theorem 3.4, E R_t does not fall
    at all.""",
)
THEOREM_C1 = record(claims.THEOREM_C1, climbs=[CROWD], refuted_by=EVERY_ROUND)


def nothing_to_trade(claim: Claim, budget: Budget) -> Iterable[Evidence]:
    """What q does to the rounds ``eps^(-1/(1 - q))`` that an accuracy needs by (21), for ``eps < 1``."""
    exponent = 1 / (1 - p.q)
    slope = sp.diff(exponent, p.q)
    yield Evidence(
        Finding.VACUOUS,
        Level.CERTIFICATE,
        "exponents",
        f"it names no q and no quantity that could fail; by (21) a smaller q is better for the rate (remC.1-a) and for "
        f"the rounds eps^(-{exponent}), whose exponent grows by {slope}, down to 1/2: nothing is traded",
    )


REMARK_B = record(claims.REMARK_B, check=nothing_to_trade)
