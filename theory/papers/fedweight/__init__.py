"""Federated learning on nodes whose weights a bilevel problem adapts to a target distribution.

One module per numbered result. ``CLAIMS`` holds them in the order of the paper; a corrected reading stands behind what
it amends.
"""

from rateproof.theory.claim import Claim, Paper
from rateproof.theory.papers.fedweight import (
    comparisons,
    corollaries,
    experiments,
    formulation,
    lemma1,
    lemma2,
    lemma3,
    lemma4,
    proposition1,
    proposition2,
    proposition3,
    remarks,
    theorem1,
    theorem2,
    theorem3,
    theorem4,
)
from rateproof.theory.papers.fedweight.schedules import SCHEDULES

PAPER = Paper(
    "Federated Learning on Adaptively Weighted Nodes by Bilevel Optimization",
    ("Anonymous",),
    2022,
    "submitted to ICLR 2023, under double-blind review",
    "https://openreview.net/forum?id=6aKcyoDJBaX",
)
CLAIMS: tuple[Claim, ...] = (
    *formulation.CLAIMS,
    *theorem1.CLAIMS,
    *theorem2.CLAIMS,
    *lemma1.CLAIMS,
    *theorem3.CLAIMS,
    *lemma2.CLAIMS,
    *lemma3.CLAIMS,
    *corollaries.CLAIMS,
    *proposition1.CLAIMS,
    *proposition2.CLAIMS,
    *remarks.CLAIMS,
    *proposition3.CLAIMS,
    *lemma4.CLAIMS,
    *theorem4.CLAIMS,
    *comparisons.CLAIMS,
    *experiments.CLAIMS,
)

__all__ = ["CLAIMS", "PAPER", "SCHEDULES"]
