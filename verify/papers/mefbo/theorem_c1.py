"""Theorem C.1: the rate with decreasing steps."""

from collections.abc import Iterable

import sympy as sp

from rateproof.theory.claim import Claim
from rateproof.theory.papers.mefbo import notation as p
from rateproof.theory.papers.mefbo import theorem_c1 as claims
from rateproof.verify.checks import Budget
from rateproof.verify.evidence import Evidence, Finding, Level
from rateproof.verify.form import growing, record
from rateproof.verify.papers.mefbo.climbs import DECREASING

LAST_STEP = growing(
    DECREASING,
    ratios=["1.39251", "20.7871", "255.750", "3104.00", "37640.4"],
    by_hand="""As for Theorem 3.4, with b half of the last lambda_y: E R_t = (1 - b/gamma)^2/4 in every round,
    while for q = 11/20 the claimed rate is (T^(-9/20) + T^(-19/20))/2. On the fixed set Y = [0, gamma/2] E R_t is at
    least 1/16, too.""",
)
THEOREM_C1 = record(claims.THEOREM_C1, refuted_by=LAST_STEP)


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
