"""The methods of the control group on small families, run on plain numbers.

Each function returns what a claim speaks of, by symbol name. Scripts that reproduce an instance carry its source text,
so it uses nothing but numpy, ``math`` and its arguments.
"""

import math

import numpy as np


def gradient_descent(
    *, loss: str, R: int, gamma: float, L: float, c: float, part: float, x0: float
) -> dict[str, float]:
    """Gradient descent, or proximal gradient, on a loss of one variable with curvature at most ``c``.

    huber: its threshold is ``part`` times the one that is worst; a parabola for large ``part``.
    halfline: linear, its slope ``part`` times the worst one; g is the indicator of x >= 0.
    two points: c/2 x^2; g is the indicator of {0, x0}.
    cosine: c (1 + cos x), not convex. unattained: 4 c ln(1 + e^-x), which has no minimiser.
    """
    threshold = part * abs(x0) / (2 * R * gamma * c + 1)
    slope = part * x0 / (2 * gamma * max(R, 1))
    x, distance = x0, abs(x0)
    for _ in range(R):
        if loss == "huber":
            x = x - gamma * c * min(max(x, -threshold), threshold)
        elif loss == "halfline":
            x = max(x - gamma * slope, 0.0)
        elif loss == "two points":
            x = x - gamma * c * x
            x = x0 if abs(x - x0) <= abs(x) else 0.0
        elif loss == "cosine":
            x = x + gamma * c * math.sin(x)
        else:
            x = x + 4 * gamma * c / (1 + math.exp(min(x, 700.0)))
    if loss == "huber":
        inside = min(abs(x), threshold)
        gap = c * inside * (abs(x) - inside / 2)
    elif loss == "halfline":
        gap = slope * x
    elif loss == "two points":
        gap = c * x * x / 2
    elif loss == "cosine":
        gap = c * (1 + math.cos(x))
        distance = abs(x0 % (2 * math.pi) - math.pi)
    else:
        gap, distance = 4 * c * float(np.logaddexp(0.0, -x)), math.nan
    return {"R": R, "gamma_l": gamma, "L_h": L, "start2": distance * distance, "gap_end": gap}


def contraction(*, R: int, gamma: float, L: float, mu: float, c: float, x0: float) -> dict[str, float]:
    """Gradient descent on ``c/2 x^2``."""
    x, q = x0, 1 - gamma * c
    for _ in range(R):
        x = q * x
    return {"R": R, "gamma_l": gamma, "L_h": L, "mu_h": mu, "start2": x0 * x0, "end2": x * x}


def subgradient_method(*, loss: str, R: int, gamma: float, M: float, slope: float, x0: float) -> dict[str, float]:
    """The subgradient method; its best value over R iterates, which has no meaning for R = 0.

    largest coordinate: slope * max |x_i| on R coordinates. plateau: slope * min(|x|, 1), not convex.
    unattained: slope * (sqrt(1 + x^2) - x) / 2, without a minimiser.
    """
    n = max(R, 1) if loss == "largest coordinate" else 1
    x = np.full(n, x0 / math.sqrt(n))
    best = math.inf
    for _ in range(R):
        step = np.zeros(n)
        if loss == "largest coordinate":
            i = int(np.argmax(np.abs(x)))
            best = min(best, slope * float(abs(x[i])))
            step[i] = slope * np.sign(x[i])
        elif loss == "plateau":
            best = min(best, slope * min(float(abs(x[0])), 1.0))
            step[0] = slope * np.sign(x[0]) if abs(x[0]) < 1 else 0.0
        else:
            root = math.hypot(1.0, float(x[0]))
            best = min(best, slope * (root - float(x[0])) / 2)
            step[0] = slope * (float(x[0]) / root - 1) / 2
        x = x - gamma * step
    return {
        "R": R,
        "gamma_l": gamma,
        "M_h": M,
        "start2": math.nan if loss == "unattained" else x0 * x0,
        "gap_best": best if R else math.nan,
    }


def federated_averaging(
    *,
    taking_part: str,
    noise: str,
    R: int,
    K: int,
    N: int,
    batch: int,
    gamma: float,
    L: float,
    mu: float,
    c: float,
    x0: float,
    variance: float,
    sigma2: float,
) -> dict[str, float]:
    """Mean squared distance of FedAvg with N identical clients ``c/2 x^2``; SGD for K = N = 1. Moments are exact.

    A point follows ``x <- (1 - gamma c) x - gamma noise``, whose mean and variance have recursions of their own.

    taking_part: "all", or "one", whose point becomes the server's.
    noise: "independent"; "biased", always the same number; "repeated", one draw +-s for all steps and clients.
    """
    q, divisor = 1 - gamma * c, batch * (N if taking_part == "all" else 1)
    mean, spread = x0, 0.0
    for _ in range(R * K):
        if noise == "independent":
            mean, spread = q * mean, q * q * spread + gamma * gamma * variance / divisor
        elif noise == "biased":
            mean = q * mean - gamma * math.sqrt(variance)
        else:
            # the deviation from the mean is +-spread
            mean, spread = q * mean, q * spread - gamma * math.sqrt(variance)
    return {
        "R": R,
        "K": K,
        "N": N,
        "batch": batch,
        "gamma_l": gamma,
        "L_h": L,
        "mu_h": mu,
        "sigma_h2": sigma2,
        "start2": x0 * x0,
        "end2": mean * mean + (spread * spread if noise == "repeated" else spread),
    }


def different_clients(
    *, R: int, K: int, N: int, gamma: float, L: float, mu: float, c: float, x0: float
) -> dict[str, float]:
    """Squared distance of FedAvg without noise; every second client has ``mu/2 (x - 1)^2``, the others ``c/2 x^2``."""
    weight = N // 2 / N
    solution = weight * mu / ((1 - weight) * c + weight * mu)
    x = solution + x0
    for _ in range(R):
        one, other = x, x
        for _ in range(K):
            one, other = one - gamma * c * one, other - gamma * mu * (other - 1)
        x = (1 - weight) * one + weight * other
    return {
        "R": R,
        "K": K,
        "N": N,
        "gamma_l": gamma,
        "L_h": L,
        "mu_h": mu,
        "sigma_h2": 0.0,
        "start2": x0 * x0,
        "end2": (x - solution) ** 2,
    }


def loss_with_a_kink(
    *, R: int, gamma: float, L: float, mu: float, c: float, x0: float, variance: float, sigma2: float
) -> dict[str, float]:
    """Mean squared distance of SGD on a loss with curvature c for x > 0 and mu for x < 0, over all two-point noises."""
    points, size = np.array([x0]), gamma * math.sqrt(variance)
    for _ in range(R):
        points = points - gamma * np.where(points > 0, c, mu) * points
        points = np.concatenate((points - size, points + size))
    return {
        "R": R,
        "K": 1,
        "N": 1,
        "batch": 1,
        "gamma_l": gamma,
        "L_h": L,
        "mu_h": mu,
        "sigma_h2": sigma2,
        "start2": x0 * x0,
        "end2": float((points**2).mean()),
    }


def sgd_with_decreasing_steps(
    *, noise: str, R: int, mu: float, c: float, x0: float, variance: float, sigma2: float
) -> dict[str, float]:
    """Mean over k = 1..R of ``E c x_k^2 / 2`` for SGD with stepsize 1/(mu k) on ``c/2 x^2``; no meaning for R = 0."""
    mean, spread, total = x0, 0.0, 0.0
    for k in range(1, R + 1):
        gamma = 1 / (mu * k)
        q = 1 - gamma * c
        if noise == "independent":
            mean, spread = q * mean, q * q * spread + gamma * gamma * variance
        elif noise == "biased":
            mean = q * mean - gamma * math.sqrt(variance)
        else:
            # one draw +-s for all steps: the deviation from the mean is +-spread
            mean, spread = q * mean, q * spread - gamma * math.sqrt(variance)
        total += c * (mean * mean + (spread * spread if noise == "repeated" else spread)) / 2
    return {"R": R, "mu_h": mu, "sigma_h2": sigma2, "gap_mean": total / R if R else math.nan}


def moreau_envelope(*, loss: str, lam: float, rho: float, c: float, x: float, y: float) -> dict[str, float]:
    """Two gradients ``(x - prox(x)) / lam`` of the envelope of -c/2 x^2, or of the indicator of a point."""
    if loss == "point":
        change = abs(x - y) / lam
    elif lam * c < 1:
        prox = 1 / (1 - lam * c)
        change = abs((x - prox * x) - (y - prox * y)) / lam
    else:
        change = math.nan
    return {"lam_h": lam, "rho_h": rho, "apart": abs(x - y), "grads_apart": change}


def two_vectors(*, u: float, along: float, across: float, eps: float) -> dict[str, float]:
    """``u`` on the first axis of the plane, ``v = along * eps * u`` and ``across`` on the second axis."""
    first, second = np.array([u, 0.0]), np.array([along * eps * u, across])
    return {
        "inner_uv": float(first @ second),
        "norm2_u": float(first @ first),
        "norm2_v": float(second @ second),
        "eps_Y": eps,
    }


def two_numbers(*, a: float, share: float, p: float, q: float) -> dict[str, float]:
    """``a`` and ``b``, which is ``share`` times the number with ``a^p = b^q``."""
    return {"side_a": a, "side_b": share * a ** (p / q), "p_Y": p, "q_Y": q}


def conjugate_numbers(*, a: float, share: float, p: float) -> dict[str, float]:
    """The same for the conjugate exponent ``q = p/(p - 1)``."""
    return {"side_a": a, "side_b": share * a ** (p - 1), "p_Y": p, "q_Y": p / (p - 1)}


def power_of_a_sum(*, N: int, p: float, first: float, others: float) -> dict[str, float]:
    """N numbers: one, and N - 1 others that are equal."""
    x = np.full(N, others)
    x[0] = first
    return {
        "N": N,
        "p_J": p,
        "power_of_sum": float(abs(x.sum()) ** p),
        "sum_of_powers": float((np.abs(x) ** p).sum()),
    }


def smooth_loss(*, loss: str, L: float, c: float, x: float, y: float) -> dict[str, float]:
    """A parabola, a cosine or a line with slope c: gradient and gap at ``x``, and the error of the linear model at
    ``x`` in the point ``y``; a line has no infimum.
    """
    if loss == "parabola":
        values, gradient, least = [c * z * z / 2 for z in (x, y)], c * x, 0.0
    elif loss == "cosine":
        # 1 - cos z = 2 sin(z/2)^2, and differences by the same rule, keep their digits near 0
        values, gradient, least = [2 * c * math.sin(z / 2) ** 2 for z in (x, y)], c * math.sin(x), 0.0
    else:
        values, gradient, least = [c * z for z in (x, y)], c, math.nan
    rest = c * (y - x) ** 2 / 2 if loss == "parabola" else values[1] - values[0] - gradient * (y - x)
    return {
        "L_h": L,
        "grad2_at": gradient * gradient,
        "gap_at": values[0] - least,
        "apart": abs(x - y),
        "remainder": rest,
    }


def client_sampling(*, N: int, S: int, ones: int, repeats: bool) -> dict[str, float]:
    """Variance of the mean over S of N clients of which some have the value 1 and the others 0; exact integers.

    Without repeats more than N clients cannot be drawn.
    """
    square = 0
    for k in range(S + 1):
        if repeats:
            weight = math.comb(S, k) * ones**k * (N - ones) ** (S - k)
        else:
            weight = math.comb(ones, k) * math.comb(N - ones, S - k)
        square += (k * N - S * ones) ** 2 * weight
    draws = N**S if repeats else math.comb(N, S)
    share = ones / N
    return {
        "N": N,
        "S": S,
        "zeta2": share * (1 - share),
        "sampling2": square / draws / (S * N) ** 2 if draws else math.nan,
    }
