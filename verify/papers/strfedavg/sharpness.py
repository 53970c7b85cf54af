"""Weak sharpness of low order against smoothness: which orders leave any instance."""

from collections.abc import Iterator

import sympy as sp

from theory.claim import Claim
from theory.symbols import L_h, alpha, kappa
from verify.evidence import Evidence, Finding, Level
from verify.trial import conjuncts

METHOD = "smoothness against sharpness"


def vacuous_unless_constant(claim: Claim) -> Iterator[Evidence]:
    """Evidence that a claim under weak sharpness of order 1 speaks of constant inner losses only.

    For x at distance t from X_h*, smoothness of h gives h - h* <= (L_h/2) t^2 and weak sharpness gives
    h - h* >= alpha t^kappa. When X_h* is not the whole space, every small t > 0 occurs along a normal ray.
    """
    orders = [r.rhs for h in claim.hypotheses if h.key == "kappa=1" for r in conjuncts(h.relation)]
    if not orders:
        return
    t = sp.Symbol("t", positive=True)
    # alpha t^kappa <= (L_h/2) t^2 for all small t is alpha <= (L_h/2) t^(2 - kappa), whose right side has this limit:
    limit = sp.limit((L_h / 2 * t ** (2 - kappa)).subs(kappa, orders[0]), t, 0, "+")
    if limit == 0 and alpha.is_positive:
        yield Evidence(
            Finding.VACUOUS,
            Level.CERTIFICATE,
            METHOD,
            f"alpha dist^{orders[0]} <= h - h* <= (L_h/2) dist^2 near X_h* forces alpha <= 0 unless X_h* is the whole "
            "space: under Assumption 1 the hypotheses leave only constant h, the degenerate case without inner problem",
        )
