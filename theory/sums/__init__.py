"""Bounds on sums, ``sum_{t=t0}^{T+m} g(t) <= G(T)`` for all integers ``T >= first``: proved, refuted, or left open.

    decide(Le(Sum(1 / t, (t, 1, T)), 1 + log(T), evaluate=False), T)

``g`` and ``G`` are built from powers with constant exponents, logarithms, sums, products and numbers; parameters such
as ``kappa`` may stand in coefficients and exponents. Nothing is decided in floating point:

* Every ``T`` up to ``scan.SCAN`` is decided in ball arithmetic, and by exact evaluation where the two sides may be
  equal.
* Beyond it, all functions are expanded in monomials ``T^p (ln T)^q`` with exact coefficients and bounded remainders
  that hold for every real ``T`` from there on. The sign of ``G(T) - G(T-1) - g(T+m)`` then says where the gap
  ``G(T) - sum`` grows and where it shrinks. A gap that only grows stays nonnegative; one that shrinks stays above its
  limit, or shrinks in all by less than it is; in between it is smallest where the sign changes, and there the sum is
  enclosed by two integrals (midpoint and trapezoidal rule for a convex summand).
* With parameters: factors of ``g`` that are monotone in ``t`` are replaced by their largest value, the power that is
  left is summed by ``sum_{j=1}^n j^-s <= n^(1-s)/(1-s)``, and the result is compared with ``G`` factor by factor.
"""

from rateproof.theory.sums.decision import decide
from rateproof.theory.sums.verdicts import Decision, Open, Proved, Refuted

__all__ = ["Decision", "Open", "Proved", "Refuted", "decide"]
