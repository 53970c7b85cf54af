"""The problems and their maps: equations (1)-(3), (7)-(11), what local hypergradients are, and whose mean they have."""

from rateproof.theory.claim import Claim

CLAIMS: tuple[Claim, ...] = ()
