"""The maker of this paper's claims."""

from rateproof.theory.shorthand import claims_of

PAPER = "fedrzo"

claim = claims_of(PAPER)
