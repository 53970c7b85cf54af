"""The maker of this paper's claims."""

from rateproof.theory.shorthand import claims_of

PAPER = "strfedavg"

claim = claims_of(PAPER)
