"""Orders as products of powers of positive symbols, and the evidence of proofs about them."""

from __future__ import annotations

import sympy as sp

from rateproof.verify.evidence import Evidence, Finding, Level


def same(left: sp.Expr, right: sp.Expr) -> bool:
    """Whether two products of powers of positive symbols are the same."""
    plain = {s: sp.Symbol(s.name, positive=True) for s in left.free_symbols | right.free_symbols}
    ratio = (left / right).xreplace(plain)
    return bool(sp.simplify(sp.powsimp(sp.expand_power_base(ratio, force=True), force=True)) == 1)


def unlike(why: str) -> Evidence:
    """A proof by exponents that does not check, and why."""
    return Evidence(Finding.INCONCLUSIVE, Level.CERTIFICATE, "orders", why)
