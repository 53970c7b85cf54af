"""Weak sharpness of low order against smoothness: which orders leave any instance."""

from collections.abc import Iterator

import sympy as sp

from rateproof.theory.claim import Claim
from rateproof.theory.symbols import L_h, kappa
from rateproof.verify.deciders import premises
from rateproof.verify.evidence import Evidence, Finding, Level

METHOD = "smoothness against sharpness"


def compatible(order: sp.Expr) -> bool:
    """Whether a smooth convex h over the whole space that is not constant can be weakly sharp of this order.

    For x at distance t from X_h*, smoothness gives h - h* <= (L_h/2) t^2 and weak sharpness h - h* >= alpha t^order,
    so alpha <= (L_h/2) t^(2 - order). Unless X_h* is the whole space, every t > 0 occurs along a normal ray of X_h*:
    the right side must not vanish as t -> 0 or t -> oo, which leaves order 2.
    """
    t = sp.Symbol("t", positive=True)
    cap = L_h / 2 * t ** (2 - order)
    return bool(sp.limit(cap, t, 0, "+") != 0 and sp.limit(cap, t, sp.oo) != 0)


def vacuous_unless_constant(claim: Claim) -> Iterator[Evidence]:
    """Evidence that a claim under weak sharpness of order 1 speaks of constant inner losses only."""
    if premises.missing(claim, ("weak_sharp", "h_smooth")):
        return
    orders = [r.rhs for r in premises.relations(claim) if r.lhs == kappa and r.rel_op == "=="]
    for order in orders:
        if not compatible(order):
            yield Evidence(
                Finding.VACUOUS,
                Level.CERTIFICATE,
                METHOD,
                f"alpha dist^{order} <= h - h* <= (L_h/2) dist^2 near X_h* forces alpha <= 0 unless X_h* is the whole "
                "space: under Assumption 1 the hypotheses leave only constant h, the case without inner problem",
            )
