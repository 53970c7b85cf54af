"""Adversarial search for a counterexample to a claim, and the audit of its hypotheses.

A violation is judged by the deciders alone, and every hypothesis is evaluated on the instance that is shown.
"""

from rateproof.verify.falsify.audit import Audited, Need, audit, audited
from rateproof.verify.falsify.phases import Ended, Falsified, falsify
from rateproof.verify.falsify.spaces import spaces_of

__all__ = ["Audited", "Ended", "Falsified", "Need", "audit", "audited", "falsify", "spaces_of"]
