"""FedMSA: federated stochastic approximation with several coupled sequences, bilevel and compositional.

One module per numbered result. ``CLAIMS`` holds them in the order of the paper; a corrected reading stands behind what
it amends.
"""

from rateproof.theory.claim import Claim, Paper
from rateproof.theory.papers.fedmsa import (
    algorithm1,
    comparisons,
    corollary_c1,
    corollary_d1,
    experiments,
    formulation,
    lemma_b1,
    lemma_b2,
    lemma_b3,
    lemma_b4,
    lemma_b5,
    lemma_e,
    lyapunov,
    rates,
    theorem31,
)
from rateproof.theory.papers.fedmsa.schedules import SCHEDULES

PAPER = Paper(
    "Federated Multi-Sequence Stochastic Approximation with Local Hypergradient Estimation",
    ("Davoud Ataee Tarzanagh", "Mingchen Li", "Pranay Sharma", "Samet Oymak"),
    2023,
    "preprint",
    "https://github.com/ucr-optml/FedMSA",
)
CLAIMS: tuple[Claim, ...] = (
    *formulation.CLAIMS,
    *algorithm1.CLAIMS,
    *theorem31.CLAIMS,
    *corollary_c1.CLAIMS,
    *corollary_d1.CLAIMS,
    *comparisons.CLAIMS,
    *lemma_b1.CLAIMS,
    *lemma_b2.CLAIMS,
    *lemma_b3.CLAIMS,
    *lemma_b4.CLAIMS,
    *lemma_b5.CLAIMS,
    *lyapunov.CLAIMS,
    *rates.CLAIMS,
    *lemma_e.CLAIMS,
    *experiments.CLAIMS,
)

__all__ = ["CLAIMS", "PAPER", "SCHEDULES"]
