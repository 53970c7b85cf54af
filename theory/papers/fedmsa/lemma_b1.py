"""Lemma B.1: contraction of an inner sequence in one local step."""

from rateproof.theory.claim import Claim

CLAIMS: tuple[Claim, ...] = ()
