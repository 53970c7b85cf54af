"""Proofs of the claims that hold: nonnegative combinations of hypotheses and standard inequalities.

Each table below is one argument of the paper, redone; :func:`verify.deciders.certificates.prove` checks its algebra
against the printed statement.
"""

from collections.abc import Callable, Sequence

import sympy as sp

from theory.claim import Claim
from theory.papers.strfedavg.mended import SHARP_UP_TO, delta_h
from theory.papers.strfedavg.notation import E_dist, E_sq, Err, M, gap_eta, gap_f, gap_h
from theory.symbols import alpha, eta, grad_f_star, kappa, mu_f
from verify.deciders.certificates import Combination, Premise

Proof = Callable[[Claim], Sequence[Combination]]
ONE, TWO = sp.S.One, sp.Integer(2)

# Atoms of the arguments: quantities that the statements do not name.
delta = sp.Symbol("delta", nonnegative=True)  # h* + eta f* - f_eta*
ip = sp.Symbol("ip", real=True)  # E <grad f(x*), xbar - Pi[xbar]>
ip_set = sp.Symbol("ip_set", real=True)  # E <grad f(x*), Pi[xbar] - x*>
# E f_eta(xbar) - f_eta* = (E h - h*) + eta (E f - f*) + (h* + eta f* - f_eta*)
SPLIT = {gap_eta: gap_h + eta * gap_f + delta}

INNER_OPTIMAL = Premise(gap_h, "h* is the minimum of h, and expectation is monotone")
ERR = Premise(Err - gap_eta, "Err_eta bounds E f_eta(xbar^R) - f_eta*")
DELTA = Premise(delta, "f_eta* <= f_eta(x*) = h* + eta f*")
M_BOUND = Premise(M + gap_f, "f* - E f(xbar^R) < M")
STRONG = Premise(gap_f - ip - ip_set - mu_f / 2 * E_sq, "mu_f-strong convexity of f at x*, in expectation")
CONVEX = Premise(gap_f - ip - ip_set, "convexity of f at x*, in expectation")
VI = Premise(ip_set, "x* is optimal on X_h*: <grad f(x*), Pi[xbar] - x*> >= 0")
CAUCHY = Premise(
    ip + grad_f_star * E_dist, "Cauchy-Schwarz and Jensen: |E<grad f(x*), xbar - Pi>| <= ||grad f(x*)|| E dist"
)


def _root(radicand: sp.Expr) -> sp.Expr:
    return (radicand / alpha) ** (1 / kappa)


def _sharp_kappa() -> Premise:
    return Premise(
        _root(Err + eta * M) - E_dist,
        "weak sharpness, Jensen for t^kappa and monotone roots: E dist <= ((E h - h*)/alpha)^(1/kappa), "
        "and E h - h* <= Err_eta + eta M",
    )


INNER_LOWER = Combination([(ONE, INNER_OPTIMAL)])
INNER_UPPER = Combination([(ONE, ERR), (ONE, DELTA), (eta, M_BOUND)], SPLIT)
OUTER_UPPER = Combination([(1 / eta, ERR), (1 / eta, DELTA), (1 / eta, INNER_OPTIMAL)], SPLIT)
_STRONG_LOWER = [(ONE, STRONG), (ONE, VI), (ONE, CAUCHY)]
_CONVEX_LOWER = [(ONE, CONVEX), (ONE, VI), (ONE, CAUCHY)]


def inner(claim: Claim) -> Sequence[Combination]:
    """0 <= E h - h* <= Err + eta M."""
    return [INNER_LOWER, INNER_UPPER]


def strong_outer(claim: Claim) -> Sequence[Combination]:
    """(mu_f/2) E||xbar - x*||^2 - ||grad f(x*)|| E dist <= E f - f* <= Err/eta."""
    return [Combination(_STRONG_LOWER), OUTER_UPPER]


def strong_distance(claim: Claim) -> Sequence[Combination]:
    """E||xbar - x*||^2 from the two sides of the outer bound."""
    twice = [(TWO / mu_f, premise) for _, premise in _STRONG_LOWER]
    above = [(2 / (mu_f * eta), p) for p in (ERR, DELTA, INNER_OPTIMAL)]
    return [Combination([*twice, *above], SPLIT)]


def strong_outer_sharp(claim: Claim) -> Sequence[Combination]:
    """The outer bound with the distance replaced through weak sharpness of order kappa."""
    return [Combination([*_STRONG_LOWER, (grad_f_star, _sharp_kappa())]), OUTER_UPPER]


def strong_distance_sharp(claim: Claim) -> Sequence[Combination]:
    """The distance bound with weak sharpness of order kappa."""
    (combination,) = strong_distance(claim)
    return [Combination([*combination.terms, (2 * grad_f_star / mu_f, _sharp_kappa())], SPLIT)]


def convex_outer(claim: Claim) -> Sequence[Combination]:
    """-||grad f(x*)|| E dist <= E f - f* <= Err/eta."""
    return [Combination(_CONVEX_LOWER), OUTER_UPPER]


def convex_outer_sharp(claim: Claim) -> Sequence[Combination]:
    """The convex outer bound with weak sharpness of order kappa."""
    return [Combination([*_CONVEX_LOWER, (grad_f_star, _sharp_kappa())]), OUTER_UPPER]


# --- weak sharpness of order 1, as printed or up to an offset --------------------------------------------------------

_SLOPE = grad_f_star / alpha


def _offset(claim: Claim) -> sp.Expr:
    """delta_h where the claim is about weak sharpness up to an offset; the printed hypothesis is the case 0."""
    return delta_h if SHARP_UP_TO in claim.hypotheses else sp.S.Zero


def _sharp(claim: Claim) -> Premise:
    return Premise(gap_h - alpha * E_dist + _offset(claim), "weak sharpness of order 1, in expectation")


def _small(claim: Claim) -> Premise:
    return Premise(
        (alpha - 2 * grad_f_star * eta) * (gap_h + _offset(claim)),
        "eta <= alpha/(2 ||grad f(x*)||), times E h - h* (and the offset) >= 0",
    )


def _inner_sharp(claim: Claim) -> list[tuple[sp.Expr, Premise]]:
    lower = [(2 * eta, premise) for premise in (CONVEX, VI, CAUCHY)]
    return [(TWO, ERR), (TWO, DELTA), *lower, (2 * eta * _SLOPE, _sharp(claim)), (1 / alpha, _small(claim))]


def inner_sharp_1(claim: Claim) -> Sequence[Combination]:
    """0 <= E h - h* <= 2 Err, and the offset."""
    return [INNER_LOWER, Combination(_inner_sharp(claim), SPLIT)]


def _outer_lower_sharp_1(claim: Claim, lower: list[tuple[sp.Expr, Premise]]) -> Combination:
    scaled = [(_SLOPE * multiplier, premise) for multiplier, premise in _inner_sharp(claim)]
    return Combination([*lower, (_SLOPE, _sharp(claim)), *scaled], SPLIT)


def strong_outer_sharp_1(claim: Claim) -> Sequence[Combination]:
    """(mu_f/2) E||xbar - x*||^2 - (2||grad f(x*)||/alpha) Err <= E f - f* <= Err/eta, and the offset."""
    return [_outer_lower_sharp_1(claim, _STRONG_LOWER), OUTER_UPPER]


def convex_outer_sharp_1(claim: Claim) -> Sequence[Combination]:
    """-(2||grad f(x*)||/alpha) Err <= E f - f* <= Err/eta, and the offset."""
    return [_outer_lower_sharp_1(claim, _CONVEX_LOWER), OUTER_UPPER]


def strong_distance_sharp_1(claim: Claim) -> Sequence[Combination]:
    """E||xbar - x*||^2 <= (2/(eta mu_f)) Err, and the offset."""
    c = 2 / (eta * mu_f)
    lower = [(TWO / mu_f, premise) for _, premise in _STRONG_LOWER]
    small = [(c / (2 * alpha), _small(claim)), (c / 2, INNER_OPTIMAL)]
    return [Combination([(c, ERR), (c, DELTA), *lower, (2 * _SLOPE / mu_f, _sharp(claim)), *small], SPLIT)]
