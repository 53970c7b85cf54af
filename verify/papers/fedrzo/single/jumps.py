"""Steps so long that iterates jump over the set, in exact rationals: one client, or equal ones, with the loss L0 x.

``eta``: parameter of the Moreau terms; ``epsilon``: the accuracy that is asked for.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rateproof.verify.counterexamples.replay import Number, rational
from rateproof.verify.papers.fedrzo.single.parameters import (
    NO_NOISE,
    POINT,
    RUN,
    Measured,
    long_horizon,
    numbers,
    whole,
)


def jumping_clients(at: Mapping[str, Any]) -> Measured:
    """m clients with the loss L0 x and the sets {0} over K = m/(4 eta^2) steps of gamma = sqrt(m/K) = 2 eta, from 0.

    A step takes x to -x - 2 eta L0: all clients jump between 0 and -2 eta L0, and the gradient of F_eta between L0 and
    -L0. K iterations miss an accuracy below L0^2.
    """
    L0, nu, eta, m, epsilon = numbers(at, "L0", "nu", "eta", "m", "epsilon")
    K = m / (4 * eta**2)
    if not (epsilon < L0**2 and m**3 >= K):
        raise ValueError(f"epsilon should be less than {L0**2}, and K = {K} at most m^3, so that H = 1")
    values = {
        **_jumps(L0, nu, eta, m, rational(0)),
        "K_it": rational(whole("K", K)),
        "D0": eta * L0**2 / 2,
        "grad_kstar": L0**2,
        "K_eps": K + 1,
        "epsilon": epsilon,
    }
    facts = {"lipschitz": f"every f_i is {L0} x", **NO_NOISE, **POINT, **RUN}
    return values, facts | {"K_eps": f"{K} iterations give {L0**2} > {epsilon}, so K_eps is at least {K + 1}"}


def jumping_iterates(at: Mapping[str, Any]) -> Measured:
    """(Meta-ZO) for one client with the loss L0 x and the set {0}, with gamma = 2 eta, from x0.

    A step takes x to -x - 2 eta L0, and the next one back; the output is as often in either place.
    """
    L0, nu, eta, x0 = numbers(at, "L0", "nu", "eta", "x0")
    first, second = abs(x0), abs(-x0 - 2 * eta * L0)
    values = {
        **_jumps(L0, nu, eta, rational(1), x0),
        "dist_first": min(first, second),
        "dist_limit": (first + second) / 2,
    }
    start = ("start_inside", "is 0") if x0 == 0 else ("start_outside", "is not 0")
    facts = {**_META, "lipschitz": f"f = {L0} x", "meta_zo": "the recursion with gamma = 2 eta"}
    return values, facts | {start[0]: f"x_0 = {x0} {start[1]}, the only point of X"}


def pulled_iterates(at: Mapping[str, Any]) -> Measured:
    """(Meta-ZO) for one client with the loss L0 x and the set {0}, with gamma = sqrt(m/K) for K -> infinity.

    A step shrinks x + eta L0 by 1 - gamma/eta, and K gamma grows without bound: the output tends to the minimiser.
    """
    L0, nu, eta = numbers(at, "L0", "nu", "eta")
    one = rational(1)
    values = {**_alone(L0, nu, eta), **long_horizon(one), "dist_limit": eta * L0, "dist_X": eta * L0}
    facts = {
        **_META,
        "lipschitz": f"f = {L0} x",
        "meta_zo": "the recursion with gamma = sqrt(m/K), from any x_0",
        "solution": f"F_eta is a parabola with its minimum at {-eta * L0}",
    }
    return values, facts


_META = {
    **NO_NOISE,
    **{key: POINT[key] for key in ("sets", "dissimilarity", "identical")},
    **{key: RUN[key] for key in ("fresh", "fresh_clients", "k*")},
}


def _alone(L0: Number, nu: Number, eta: Number) -> dict[str, Number]:
    one = rational(1)
    return {"n": one, "m": one, "L0": L0, "nu": nu, "B1": rational(0), "B2": one, "eta_s": eta}


def _jumps(L0: Number, nu: Number, eta: Number, m: Number, x0: Number) -> dict[str, Number]:
    return {
        **_alone(L0, nu, eta),
        "m": m,
        "gamma": 2 * eta,
        "H": rational(1),
        "sq_grad": (L0 + x0 / eta) ** 2,
    }


def stray_step(at: Mapping[str, Any]) -> Measured:
    """The first step of one client with the loss L0 x and the set {c}, from c, which may take it to beyond 0."""
    L0, nu, eta, gamma, c = numbers(at, "L0", "nu", "eta", "gamma", "c")
    x = c - gamma * L0
    values = {
        "n": rational(1),
        "m": rational(1),
        "L0": L0,
        "nu": nu,
        "eta_s": eta,
        "gamma": gamma,
        "H": rational(1),
        "mean_dist2": (x - c) ** 2,
        "sq_res": (x - c) ** 2,
        "norm_x": abs(x),
        "rho": max(abs(c), abs(x)),
        "far_0": abs(c),
    }
    facts = {
        "lipschitz": f"f = {L0} x",
        **NO_NOISE,
        "sets": f"the point {c} is closed and convex",
        "algorithm1": f"the recursion of Algorithm 1 from x = {c}, in X",
        "at_iterate": "x is x_1",
    }
    return values, facts
