"""The Lyapunov function (44) and its descent in one round, (43) to (47)."""

from rateproof.theory.claim import Claim

CLAIMS: tuple[Claim, ...] = ()
