"""Bounds on sums, ``sum_{t=t0}^{T+m} g(t) <= G(T)`` for all integers ``T >= first``: proved, refuted, or left open.

    decide(Le(Sum(1 / t, (t, 1, T)), 1 + log(T), evaluate=False), T)
    decide(Le(Sum((1 - eta)**(T - t), (t, 1, T)), 1 / eta, evaluate=False), T, parameters={eta: (0, 1)})

Both sides are built from sums, nested ones too, and from powers with constant exponents, powers ``q^(a t + b)``,
logarithms, products and numbers; parameters such as ``kappa`` may stand in coefficients, bases and exponents. Limits
are integers or ``T + m``, ``2 T + m``, ...; an empty sum is zero. Nothing is decided in floating point:

* A sum that has a closed form (by Gosper's theorem, or because it telescopes) is replaced by it, once the
  antidifference is checked and has no pole between the limits. What is left is a function of T, rational in T, in the
  parameters and in powers ``q^T``: nonnegative by the signs of its coefficients, or by induction.
* Of other sums, every ``T`` up to ``scan.SCAN`` is decided in ball arithmetic, and by exact evaluation where the two
  sides may be equal.
* Beyond it, all functions are expanded in monomials ``T^p (ln T)^q`` with exact coefficients and bounded remainders
  that hold for every real ``T`` from there on. The sign of ``G(T) - G(T-1) - g(T+m)`` then says where the gap
  ``G(T) - sum`` grows and where it shrinks. A gap that only grows stays nonnegative; one that shrinks stays above its
  limit, or shrinks in all by less than it is; in between it is smallest where the sign changes, and there the sum is
  enclosed by two integrals (midpoint and trapezoidal rule for a convex summand). Sums of ``t^p`` and ``ln t`` are
  expanded themselves, by the Euler-Maclaurin formula with its constants (Euler's, ``ln(2 pi)/2``, values of zeta).
* With parameters: factors of ``g`` that are monotone in ``t`` are replaced by their largest value, the power that is
  left is summed by ``sum_{j=1}^n j^-s <= n^(1-s)/(1-s)``, and the result is compared with ``G`` factor by factor; or
  ``G`` is convex or concave and grows by at least the next term, by the mean value theorem; or sums of ``c (t + b)^-p``
  are replaced by integrals, or by their largest or smallest terms. A claim about two parameters of one range is also
  tried for either order of the two.
"""

from rateproof.theory.sums.decision import decide
from rateproof.theory.sums.verdicts import Decision, Open, Proved, Refuted

__all__ = ["Decision", "Open", "Proved", "Refuted", "decide"]
