"""Lemma D.3: the proximal point at two points of the plane."""

from __future__ import annotations

from rateproof.theory.papers.mefbo import lemma_d3 as claims
from rateproof.verify.form import record
from rateproof.verify.papers.mefbo.envelope import at_two_points
from rateproof.verify.planted.mutate import Sharp

LEMMA_D3 = record(claims.LEMMA_D3, families=[at_two_points], tight=Sharp(hypotheses=("g_smooth",)))
