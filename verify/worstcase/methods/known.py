"""Tight worst cases of gradient descent, proximal steps and projections, in closed form.

All are for ``||x^0 - x*||^2 <= 1``, a constant step and exact rational data.
"""

from __future__ import annotations

from fractions import Fraction

from rateproof.verify.worstcase.exact import Exact
from rateproof.verify.worstcase.methods.base import Known

KIM = "Kim 2024, arXiv:2412.04427 (conjectured by Drori and Teboulle 2014, Taylor, Hendrickx and Glineur 2017)"
DRORI = "Drori and Teboulle 2014, Theorem 3.1"
CONTRACTION = "Polyak 1987, Section 1.4; Taylor, Hendrickx and Glineur 2018, Theorem 3.1"
GRADIENT = "Taylor, Hendrickx and Glineur 2017, numerical conjecture"


def gradient_descent_gap(n: int, L: Exact, mu: Exact, gamma: Exact) -> Known | None:
    """``(L/2) max{kappa / (kappa - 1 + (1 - gamma mu)^(-2n)), (1 - gamma L)^(2n)}`` on ``f(x^n) - f*``.

    Here ``kappa = mu/L``; for ``mu = 0`` the first is ``1/(2 n gamma L + 1)``. Known for ``gamma < 2/L``.
    """
    if not gamma * L < 2:
        return None
    step = (gamma * L).fraction
    value = L.fraction / 2 * max(_slow(2 * n, (mu / L).fraction, step), (1 - step) ** (2 * n))
    return Known(value, DRORI if mu == 0 and step <= 1 else KIM)


def gradient_descent_distance(n: int, L: Exact, mu: Exact, gamma: Exact) -> Known:
    """``max{|1 - gamma mu|, |1 - gamma L|}^(2n)`` on ``||x^n - x*||^2``, with or without proximal steps."""
    rate = max(abs(1 - (gamma * mu).fraction), abs(1 - (gamma * L).fraction))
    return Known(rate ** (2 * n), CONTRACTION)


def gradient_descent_gradient(n: int, L: Exact, mu: Exact, gamma: Exact) -> Known | None:
    """``L^2 max{kappa / (kappa - 1 + (1 - gamma mu)^(-n)), |1 - gamma L|^n}^2`` on ``||grad f(x^n)||^2``.

    Conjectured for ``gamma < 2/L``; given for ``gamma mu < 1``.
    """
    step = (gamma * L).fraction
    if not (step < 2 and gamma * mu < 1):
        return None
    rate = max(_slow(n, (mu / L).fraction, step), abs(1 - step) ** n)
    return Known((L.fraction * rate) ** 2, GRADIENT, proved=False)


def proximal_point_gap(n: int, gamma: Exact) -> Known:
    """``1 / (4 n gamma)`` on ``f(x^n) - f*``."""
    return Known(1 / (4 * n * gamma.fraction), "Taylor, Hendrickx and Glineur 2017 (composite), Theorem 4.1")


def proximal_gradient_gap(n: int, L: Exact, mu: Exact, gamma: Exact) -> Known | None:
    """``1 / (4 n gamma)`` on ``F(x^n) - F*`` for ``mu = 0`` and ``gamma <= 1/L``.

    Attained by a linear function on a half-line, ``x >= 0``, whose slope is ``1/(2 n gamma)``.
    """
    if mu != 0 or gamma * L > 1:
        return None
    source = "attained by a linear function on a half-line; Taylor, Hendrickx and Glineur 2017 (composite), numerically"
    return Known(1 / (4 * n * gamma.fraction), source, proved=False)


def projection_distance(n: int, L: Exact, mu: Exact, alpha: Exact) -> Known:
    """``(1 - 2 alpha mu + alpha^2 L^2)^n`` on ``||y^n - y*||^2``, attained by a rotation in the plane."""
    a = alpha.fraction
    rate = 1 - 2 * a * mu.fraction + (a * L.fraction) ** 2
    return Known(rate**n, "Dafermos 1983; attained by mu I + (L^2 - mu^2)^(1/2) J, J the quarter turn")


def _slow(power: int, kappa: Fraction, step: Fraction) -> Fraction:
    """``kappa / (kappa - 1 + (1 - kappa step)^(-power))``, continued to ``kappa = 0`` and to ``kappa step = 1``."""
    if kappa == 0:
        return 1 / (power * step + 1)
    left = (1 - kappa * step) ** power
    return kappa * left / ((kappa - 1) * left + 1)
