"""Theorem C.1: the rate with decreasing steps."""

from rateproof.theory.papers.mefbo import theorem_c1 as claims
from rateproof.verify.form import growing, record
from rateproof.verify.papers.mefbo.climbs import DECREASING

#: Also a counterexample to Theorem D.11 (i).
LAST_STEP = growing(
    DECREASING,
    ratios=["1.39251", "20.7871", "255.750", "3104.00", "37640.4"],
    by_hand="""As for Theorem 3.4, with b half of the last lambda_y: E R_t = (1 - b/gamma)^2/4 in every round,
    while for q = 11/20 the claimed rate is (T^(-9/20) + T^(-19/20))/2.""",
)
THEOREM_C1 = record(claims.THEOREM_C1, refuted_by=LAST_STEP)
