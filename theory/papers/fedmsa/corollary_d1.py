"""Corollary D.1 and Lemma D.1: federated multi-level compositional optimisation."""

from rateproof.theory.claim import Claim

CLAIMS: tuple[Claim, ...] = ()
