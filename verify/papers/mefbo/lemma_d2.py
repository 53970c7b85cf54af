"""Lemma D.2: the envelope is weakly convex, and its linear approximation."""

from __future__ import annotations

from rateproof.theory.papers.mefbo import lemma_d2 as claims
from rateproof.verify.form import record
from rateproof.verify.papers.mefbo.envelope import at_a_point, at_two_points

CVX = record(claims.CVX, families=[at_two_points])
GRAD = record(claims.GRAD, families=[at_two_points, at_a_point])
D2_37 = record(claims.D2_37, families=[at_two_points])
