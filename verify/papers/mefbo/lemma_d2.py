"""Lemma D.2: the envelope is weakly convex, and its linear approximation."""

from __future__ import annotations

from rateproof.theory.papers.mefbo import lemma_d2 as claims
from rateproof.verify.form import record
from rateproof.verify.papers.mefbo.envelope import at_a_point, at_two_points
from rateproof.verify.planted.mutate import Sharp

CVX = record(
    claims.CVX, families=[at_two_points], tight=Sharp(hypotheses=("gamma<1/(2L_2)", "g_smooth", "rv2>=1/gamma"))
)
GRAD = record(claims.GRAD, families=[at_two_points, at_a_point])
D2_37 = record(
    claims.D2_37,
    families=[at_two_points],
    tight=Sharp(hypotheses=("gamma<1/(2L_2)", "g_smooth", "rv1>=L_2", "rv2>=1/gamma")),
)
