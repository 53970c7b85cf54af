"""FedAvg and SGD on quadratics with additive noise: the moments are exact, nothing is sampled."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from rateproof.algos.problems.base import Fact
from rateproof.theory.papers.textbook import local_sgd as claims
from rateproof.theory.symbols import K as STEPS
from rateproof.theory.symbols import N as CLIENTS
from rateproof.theory.symbols import R as ROUNDS
from rateproof.verify.form import at_bound, choice, counts, family, in_floats, reals, record
from rateproof.verify.form.arithmetic import Number
from rateproof.verify.form.outcomes import InOutcomes
from rateproof.verify.form.parts import Loss, Noise, descend_everywhere, kink, parabola
from rateproof.verify.planted.mutate import Sharp

#: Stepsize and curvatures on both sides of their bounds.
AROUND_BOUNDS = {
    "gamma_l": at_bound(1, 0.5, 0.125, 1.25),
    "L_h": reals(3, 1, 30, low=0.1),
    "mu_h": reals(1, low=0.1, high=10),
    "c": reals(1, 3, 0.5, 5, low=0.1),
}
NOISE = {
    "loudness": reals(1, 0, 4, low=0.1, high=10, zero=True),
    "sigma_h2": reals(1, 0, low=0.1, high=10, zero=True),
}


def setting(h: Loss, noise: Noise, L_h: Number, mu_h: Number, sigma_h2: Number) -> dict[str, Fact]:
    """What the loss and the noise answer for."""
    return {
        "quadratic": h.is_quadratic(),
        "smooth": h.smooth(L_h),
        "strongly_convex": h.strongly_convex(mu_h),
        "unbiased": noise.unbiased(),
        "variance_bounded": noise.bounded(sigma_h2),
        "independent": noise.independent(),
    }


def moments_of_fedavg(
    curvatures: Sequence[float], minima: Sequence[float], *, variance: float, taking_part: int, **run: Any
) -> dict[str, float]:
    """``E (x_R - x*)^2`` of FedAvg in ``algos`` on clients ``c/2 (x - a)^2``, from ``x0`` away from the solution."""
    from rateproof.algos.exact import moments
    from rateproof.algos.noise import TwoPoint
    from rateproof.algos.problems.quadratic import QuadraticBilevel

    H, t = np.array(curvatures).reshape(-1, 1, 1), np.array(minima).reshape(-1, 1)
    solution = float((H[:, 0] * t).sum() / H.sum())
    noise = TwoPoint(u=np.zeros(1), v=np.array([math.sqrt(variance)]))
    problem = QuadraticBilevel.from_minimisers(F=np.ones_like(H), d=t, H=H, t=t, noise=noise)
    start = [solution + float(run.pop("x0"))]
    found = moments(problem, gamma_g=1.0, eta=0.0, S=taking_part, x0=start, center=[solution], **run)
    return {"end2": found.last.quadratic_mean([[1.0]])}


def twin_of_identical(**params: Any) -> dict[str, float]:
    """FedAvg in ``algos``, with independent noise and few enough clients; else nothing."""
    N, run = params["N"], {name: params[name] for name in ("K", "R", "x0")} | {"gamma_l": float(params["gamma_l"])}
    if params["law"] != "independent" or N > 100:
        return {}
    variance = float(params["loudness"] * params["sigma_h2"] / params["batch"])
    drawn = N if params["taking_part"] == "all" else 1
    return moments_of_fedavg([float(params["c"])] * N, [0.0] * N, variance=variance, taking_part=drawn, **run)


def twin_of_different(**params: Any) -> dict[str, float]:
    """FedAvg in ``algos`` without noise."""
    N, run = params["N"], {name: params[name] for name in ("K", "R", "x0")} | {"gamma_l": float(params["gamma_l"])}
    minima = [float(i % 2) for i in range(N)]
    curvatures = [float(params["mu_h"] if a else params["c"]) for a in minima]
    return moments_of_fedavg(curvatures, minima, variance=0.0, taking_part=N, **run)


def identical_in_vectors(**params: Any) -> InOutcomes:
    """The run of :func:`federated_averaging` in the vectors of the proofs.

    Raises:
        ValueError: mini-batches of several clients, or too many outcomes.
    """
    from rateproof.verify.papers.textbook.vectors import descent

    numbers = in_floats(params)
    N, K, batch = numbers["N"], numbers["K"], numbers["batch"]
    if batch > 1 and (N > 1 or K > 1):
        raise ValueError(f"mini-batches of {N} clients in {K} steps are not listed")
    noise = Noise(numbers["law"], numbers["loudness"] * numbers["sigma_h2"])
    return descent(
        parabola(numbers["c"]),
        numbers["x0"],
        lambda r: numbers["gamma_l"],
        numbers["R"],
        noise,
        K=K,
        n=N * batch,
        taking_part=numbers["taking_part"],
    )


def kinked_in_vectors(**params: Any) -> InOutcomes:
    """The run of :func:`loss_with_a_kink` in the vectors of the proofs."""
    from rateproof.verify.papers.textbook.vectors import descent

    numbers = in_floats(params)
    noise = Noise("independent", numbers["loudness"] * numbers["sigma_h2"])
    return descent(
        kink(numbers["mu_h"], numbers["c"]), numbers["x0"], lambda r: numbers["gamma_l"], numbers["R"], noise
    )


@family(
    "FedAvg",
    twin_of_identical,
    identical_in_vectors,
    taking_part=choice("all", "one"),
    law=choice("independent", "biased", "repeated"),
    R=counts(10, 1, 100, 10**9, drawn=(1, 2, 3, 5, 10, 30, 100, 0)),
    K=counts(1, 10, most=10),
    N=counts(1, 2, 10, 10**6, most=100),
    batch=counts(1, most=1),
    **AROUND_BOUNDS,
    x0=reals(0, 1, low=0.1, high=10, zero=True),
    **NOISE,
)
def federated_averaging(
    *,
    taking_part: str,
    law: str,
    R: int,
    K: int,
    N: int,
    batch: int,
    gamma_l: Number,
    L_h: Number,
    mu_h: Number,
    c: Number,
    x0: Number,
    loudness: Number,
    sigma_h2: Number,
) -> dict[str, Any]:
    """N identical clients ``c/2 x^2``; one that takes part alone becomes the server's point.

    ``law``: of the noise; ``loudness``: its variance, over what is allowed; ``c``: curvature of the loss; ``x0``: the
    start.
    """
    h, noise = parabola(c), Noise(law, loudness * sigma_h2)
    drawn = batch * (N if taking_part == "all" else 1)
    moments = noise.moments(x0, 0 * x0, 1 - gamma_l * c, gamma_l, R * K, drawn)
    everyone = Fact(taking_part == "all" or N == 1, f"{taking_part} of {N} clients")
    return {
        "start2": x0**2,
        "end2": noise.square(*moments),
        "identical_clients": Fact(True, "every client has the same loss"),
        "full_participation": everyone,
        **setting(h, noise, L_h, mu_h, sigma_h2),
    }


@family(
    "FedAvg with different clients",
    twin_of_different,
    R=counts(10, 1, 100, drawn=(1, 2, 3, 5, 10, 100, 0)),
    K=counts(10, 2, most=10),
    N=counts(2, 3, drawn=(2, 3, 5, 10, 100)),
    **{**AROUND_BOUNDS, "c": reals(3, 1, 0.5, 5, low=0.1)},
    x0=reals(1, low=0.1, high=10, zero=True),
)
def different_clients(
    *, R: int, K: int, N: int, gamma_l: Number, L_h: Number, mu_h: Number, c: Number, x0: Number
) -> dict[str, Any]:
    """No noise; every second client has ``mu/2 (x - 1)^2``, the others ``c/2 x^2``; x0 counts from the solution."""
    one, other = parabola(c), parabola(mu_h)
    weight = N // 2 / N
    solution = weight * mu_h / ((1 - weight) * c + weight * mu_h)
    x = solution + x0
    for _ in range(R):
        x = (1 - weight) * one.descend(x, gamma_l, K) + weight * (1 + other.descend(x - 1, gamma_l, K))
    return {
        "start2": x0**2,
        "end2": (x - solution) ** 2,
        "sigma_h2": 0 * c,
        "identical_clients": Fact(False, "the clients' minima are 0 and 1"),
        "full_participation": Fact(True, f"all of {N} clients"),
        **setting(one, Noise("independent", 0), L_h, mu_h, 0),
    }


@family(
    "SGD on a loss with a kink",
    None,
    kinked_in_vectors,
    R=counts(1, 2, 10, drawn=(1, 2, 3, 5, 10, 0)),
    **{**AROUND_BOUNDS, "c": reals(3, 1, 0.5, 5, low=0.1)},
    x0=reals(0, 1, low=0.1, high=10, zero=True),
    **NOISE,
)
def loss_with_a_kink(
    *,
    R: int,
    gamma_l: Number,
    L_h: Number,
    mu_h: Number,
    c: Number,
    x0: Number,
    loudness: Number,
    sigma_h2: Number,
) -> dict[str, Any]:
    """Curvature c for x > 0 and mu for x < 0, averaged over all two-point noises."""
    h, noise = kink(mu_h, c), Noise("independent", loudness * sigma_h2)
    points = descend_everywhere(h, x0, gamma_l, noise, R)
    return {
        "K": 1,
        "N": 1,
        "batch": 1,
        "start2": x0**2,
        "end2": sum(x**2 for x in points) / len(points),
        "identical_clients": Fact(True, "there is one client"),
        "full_participation": Fact(True, "there is one client"),
        **setting(h, noise, L_h, mu_h, sigma_h2),
    }


# the first term alone without noise, the second alone from the minimum as R grows
FEDAVG_IDENTICAL = record(
    claims.FEDAVG_IDENTICAL,
    families=[federated_averaging, different_clients, loss_with_a_kink],
    tight=Sharp(
        terms=True,
        exponents=(ROUNDS, STEPS, CLIENTS),
        hypotheses=("gamma_l<=2/(L_h+mu_h)", "identical_clients"),
    ),
)
