"""Samples that depend on the directions: iid over the steps, and all that Section 8.1 prints of them, in exact numbers.

On the line such samples bias the estimates, but eq. (8) stands: with ``w = L_0 eta`` and errors ``e_v`` at x + v and
``e`` at x, E (w + e_v)^2 <= 2 w^2 + 2 nu^2, as what e_v has on average at one v it has with the other sign at the
other, so that E g^2 <= (sqrt(2 w^2 + 2 nu^2) + nu)^2 / eta^2 <= (6 nu^2 + 3 w^2)/eta^2. In the plane there are so many
directions that errors along v alone weigh next to nothing for the variance at any one point.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rateproof.verify.counterexamples.replay import Number, rational
from rateproof.verify.papers.fedrzo.single.parameters import POINT, RUN, Measured, numbers, whole

_RUN = {key: why for key, why in RUN.items() if key != "fresh"}


def parity(x: Number) -> int:
    """1 for an even and -1 for an odd number over a power of three, 0 for all other numbers.

    It is multiplied by -1 from x to x +- 3^-j, for every j: the function knows all these radii at once.
    """
    denominator = int(x.q)
    while denominator % 3 == 0:
        denominator //= 3
    return 0 if denominator != 1 else -1 if int(x.p) % 2 else 1


def tied_signs(at: Mapping[str, Any]) -> Measured:
    """One client on the line: ``f~(x, xi) = L0 x + nu xi parity(x)``, xi the sign of v, the set {0}, the first step.

    For eta = 3^-j an estimate at x is the number ``L0 - 2 nu parity(x)/eta``, whatever v is; at x_0 = 0 that is
    ``L0 - 2 nu/eta``, while f(x) = L0 x.

    The output of (Meta-ZO) along K = 9^a with gamma = 1/sqrt(K): from 0, ``x_{k+1} = (1 - q) x_k - gamma L0 +
    2 nu q parity(x_k)`` with q = gamma/eta = 3^(j-a), whose 1 - q is even. With L0 odd every x_k but the first is odd,
    so that the estimates are ``L0 + 2 nu/eta`` and the x_k tend to ``-eta L0 - 2 nu``. No K has a larger limit: all
    estimates are at most ``L0 + 2 nu/eta`` in size.

    Raises:
        ValueError: L0, nu and eta are not as said.
    """
    L0, nu, eta, steps = numbers(at, "L0", "nu", "eta", "a")
    if eta.p != 1 or parity(eta) == 0 or parity(L0) != -1 or parity(nu) == 0:
        raise ValueError(f"eta = {eta} should be 3^-j, L0 = {L0} odd over a power of 3, nu = {nu} over one")
    zero, one, root = rational(0), rational(1), rational(3) ** whole("a", steps)
    estimates = [L0 + nu * sign * (parity(sign * eta) - parity(zero)) * sign / eta for sign in (1, -1)]
    mean, square = sum(estimates, zero) / 2, sum((g**2 for g in estimates), zero) / 2
    values = {
        **_first_step(L0, nu, eta, one),
        "gamma": 1 / root,
        "K_it": root**2,
        "est_c": mean,
        "est_inexact_c": mean,
        "grad_f_i_c": L0,
        "error_c": zero,
        "sq_g": square,
        "sq_est": square,
        "sq_dev": square - 2 * mean * L0 + L0**2,
        "sq_agg": square,
        "cross_agg": L0 * mean,
        "dist_limit": eta * L0 + 2 * nu,
    }
    facts = {
        "lipschitz": f"f = {L0} x",
        "unbiased": "xi has mean 0",
        "variance_bounded": "|xi parity(x)| is at most 1",
        **POINT,
        **_RUN,
        "meta_zo": "the recursion from 0 with gamma = 1/sqrt(K)",
        "fresh_clients": "the pairs (xi, v) are drawn anew in every step, each of xi and v uniformly",
        "uniform": "v = +-eta, each with probability 1/2",
    }
    return values, facts


def tied_sectors(at: Mapping[str, Any]) -> Measured:
    """One client in the plane with f(x) = L0 x_1 and the set {0}, the first step from 0; c^2 equal sectors about 0.

    The sample is a sector and an independent sign s; ``f~(x, xi)`` has the error ``s c nu`` in the sector drawn and
    none elsewhere, nor at 0: mean 0, and variance nu^2 at every other x. The sector drawn is that of v, so that the
    error at v is always ``+-c nu``, and the mean of the estimate is that of f.
    """
    L0, nu, eta, c_ = numbers(at, "L0", "nu", "eta", "c")
    c, n = whole("c", c_), rational(2)
    # E (L0 v_1 + s c nu)^2 = L0^2 eta^2/n + c^2 nu^2
    square = n**2 / eta**2 * (L0**2 * eta**2 / n + c**2 * nu**2)
    values = {
        **_first_step(L0, nu, eta, n),
        "est_c": L0,
        "sq_g": square,
        "sq_est": square,
        "sq_dev": square - L0**2,
        "sq_agg": square,
        "cross_agg": L0**2,
    }
    facts = {
        "lipschitz": f"f = {L0} x_1",
        "unbiased": "the sign has mean 0",
        "variance_bounded": f"the sector of x is drawn with probability 1/{c**2}",
        **POINT,
        **_RUN,
        "meta_zo": "Algorithm 1 with H = 1",
        "fresh_clients": "v and the sign are drawn anew in every step, and the sector of v is uniform",
    }
    return values, facts


def _first_step(L0: Number, nu: Number, eta: Number, n: Number) -> dict[str, Number]:
    """At x_0 = 0 there is no Moreau term, and the gradient is that of f_eta."""
    zero, one = rational(0), rational(1)
    return {
        "n": n,
        "m": one,
        "L0": L0,
        "nu": nu,
        "B1": zero,
        "B2": one,
        "eta_s": eta,
        "gamma": eta,
        "H": one,
        "grad_F_i_c": L0,
        "sq_G": zero,
        "sq_grad": L0**2,
        "eb": zero,
    }
