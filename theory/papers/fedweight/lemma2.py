"""To come."""

from rateproof.theory.claim import Claim, Switch
from rateproof.theory.papers.fedweight import notation as p

#: (6) for all eps > 0 holds for no class of losses; every reading of a claim with A4 that says something has this.
A4_SWITCH = Switch(
    "A4",
    "for all eps > 0",
    "for 0 < eps <= 1",
    "a covering number is at least 1, and the right side of (6) is below 1 for eps > C_H",
    without=(p.A4.key,),
    adding=(p.A4_SMALL,),
    origin="the integrals of covering numbers in the proofs of Lemmas 2 and 3, which run from 0 to 1",
)

CLAIMS: tuple[Claim, ...] = ()
