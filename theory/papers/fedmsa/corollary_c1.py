"""Corollary C.1 and Lemma C.1: federated bilevel optimisation."""

from rateproof.theory.claim import Claim

CLAIMS: tuple[Claim, ...] = ()
