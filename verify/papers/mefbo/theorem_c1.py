"""Theorem C.1: the rate with decreasing steps."""

from rateproof.theory.papers.mefbo import theorem_c1 as claims
from rateproof.verify.form import growing, record
from rateproof.verify.papers.mefbo.climbs import DECREASING

#: Also a counterexample to Theorem D.11 (i).
LAST_STEP = growing(
    DECREASING,
    ratios=["0.799878", "15.9844", "255.999", "4096.00", "65536.0"],
    by_hand="""As for Theorem 3.4, with b half of the last lambda_y: E R_t = (1 - b/gamma)^2/4 in every round, while
    for q = 3/4 the claimed rate is (T^(-1/4) + T^(-3/4))/2.""",
)
THEOREM_C1 = record(claims.THEOREM_C1, refuted_by=LAST_STEP)
