"""Lemma B.2: one local step of all inner sequences, whose fixed points move."""

from rateproof.theory.claim import Claim

CLAIMS: tuple[Claim, ...] = ()
