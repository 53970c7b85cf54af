"""MeFBO: a Moreau-envelope based first-order method for federated bilevel problems with nonconvex lower levels.

One module per numbered result. ``CLAIMS`` holds them in the order of the paper; a corrected reading stands behind what
it amends.
"""

from rateproof.theory.claim import Claim, Paper
from rateproof.theory.papers.mefbo import (
    corollary35,
    experiments,
    lemma_d2,
    lemma_d3,
    lemma_d4,
    lemma_d5,
    lemma_d6,
    lemma_d7,
    lemma_d8,
    lemma_g1,
    rates,
    rates_free,
    reformulation,
    remarks,
    sketch,
    table1,
    theorem34,
    theorem_c1,
    theorem_d11,
)
from rateproof.theory.papers.mefbo.schedules import SCHEDULES

PAPER = Paper(
    "MeFBO: A Moreau Envelope Based First-Order Stochastic Gradient Method for Nonconvex Federated Bilevel "
    "Optimization",
    ("Anonymous authors",),
    2024,
    "OpenReview, under double-blind review",
    "https://openreview.net/forum?id=GZYCCQacwH",
)
CLAIMS: tuple[Claim, ...] = (
    *reformulation.CLAIMS,
    *table1.CLAIMS,
    *theorem34.CLAIMS,
    *corollary35.CLAIMS,
    *theorem_c1.CLAIMS,
    *sketch.CLAIMS,
    *lemma_d2.CLAIMS,
    *lemma_d3.CLAIMS,
    *lemma_d4.CLAIMS,
    *lemma_d5.CLAIMS,
    *lemma_d6.CLAIMS,
    *lemma_d7.CLAIMS,
    *lemma_d8.CLAIMS,
    *remarks.CLAIMS,
    *theorem_d11.CLAIMS,
    *rates_free.CLAIMS,
    *rates.CLAIMS,
    *lemma_g1.CLAIMS,
    *experiments.CLAIMS,
)

__all__ = ["CLAIMS", "PAPER", "SCHEDULES"]
