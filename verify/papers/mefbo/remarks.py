"""Remark D.1: heterogeneity in the rate."""

from rateproof.theory.papers.mefbo import remarks as claims
from rateproof.verify.form import growing, record
from rateproof.verify.papers.mefbo.climbs import CROWD, DRIFT, NOISE

REMARK_D1 = record(
    claims.REMARK_D1,
    climbs=[CROWD, DRIFT],
    refuted_by=growing(
        NOISE,
        ratios=["0.00149310", "0.378995", "82.3980", "6178.65", "1.28456e5"],
        by_hand="""The instance of Theorem 3.4 on Y = [0, gamma/2], with Delta = 0: E R_t >= 1/16 in every round.
        Claimed is (T^(-1/2) + M_3'/T)/2, where M_3' does not grow with T.""",
    ),
)
