"""Families for stochastic methods on quadratics with additive noise; all moments are exact.

On ``1/2 sum_j c_j x_j^2`` each coordinate follows ``x <- (1 - gamma c) x - gamma noise``, whose mean and variance
have a recursion of their own; nothing is sampled.
"""

import math
from collections.abc import Iterator
from itertools import combinations, product
from typing import Any

import numpy as np

from rateproof.verify.papers.textbook.descent import shrunk2
from rateproof.verify.papers.textbook.family import Family, trial
from rateproof.verify.papers.textbook.losses import Array
from rateproof.verify.trial import Trial

SGD_FACTS = (
    "quadratic", "smooth", "strongly_convex", "unbiased", "variance_bounded", "independent",
    "identical_clients", "full_participation", "isotropic",
)  # fmt: skip
METHOD = "exact moments"


# --- SGD on quadratics


def sgd_trial(
    label: str,
    *,
    R: float,
    gamma: float,
    end2: float,
    L: float = 3,
    mu: float = 1,
    sigma2: float = 0,
    batch: float = 1,
    K: float = 1,
    N: float = 1,
    start2: float = 0,
    **extra: Any,
) -> Trial:
    """One run of SGD (K = N = 1) or FedAvg, measured by its expected squared distance."""
    values = {"R": R, "K": K, "N": N, "gamma_l": gamma, "L_h": L, "mu_h": mu}
    values |= {"sigma_h2": sigma2, "batch": batch, "start2": start2, "end2": end2}
    return trial(label, values, SGD_FACTS, **extra)


def local_sgd_run(c: Array, x0: Array, variance: Array, gamma: float, *, R: int, K: int = 1, N: int = 1) -> float:
    """``E||x_R||^2`` of FedAvg with N clients and K local steps on ``1/2 sum_j c_j x_j^2``; SGD for K = N = 1.

    ``mean`` and ``common`` are mean and variance of the server's point, ``own`` the variance that one client adds
    to it during a round, which averaging divides by N. All arrays have shape (n,).
    """
    q = 1 - gamma * c
    mean, common = x0.astype(float), np.zeros_like(x0, dtype=float)
    for _ in range(R):
        own = np.zeros_like(common)
        for _ in range(K):
            mean, common, own = q * mean, q**2 * common, q**2 * own + gamma**2 * variance
        common = common + own / N
    return float((mean**2 + common).sum())


def local_sgd_closed_form(
    c: Array, x0: Array, variance: Array, gamma: float, *, R: float, K: float = 1, N: float = 1
) -> float:
    """The same for any R: a geometric series per coordinate."""
    kept = np.array([shrunk2(gamma * curvature, K * R) for curvature in c])
    return float((kept * x0**2 + gamma * variance / N * (1 - kept) / (c * (2 - gamma * c))).sum())


def sgd_tight(full: bool) -> Iterator[Trial]:
    """``||x||^2/2`` without noise and from its minimum, in one and five variables; ``L/2 x^2`` at the cap."""
    one, zero = np.ones(1), np.zeros(1)
    for R in (1, 10, 100):
        end2 = local_sgd_run(one, one, zero, 0.5, R=R)
        yield sgd_trial(f"x^2/2 without noise, gamma = 1/2, R = {R}", R=R, gamma=0.5, start2=1, end2=end2)
    for batch in (1, 10, 1000):
        for c, n in ((1.0, 1), (1.0, 5), (3.0, 5)):
            end2 = local_sgd_run(np.full(n, c), np.zeros(n), np.full(n, 1 / n / batch), 0.5, R=100)
            label = f"{c / 2:g} ||x||^2 in {n} variables from the minimum, gamma = 1/2, R = 100, mini-batch {batch}"
            yield sgd_trial(label, R=100, gamma=0.5, sigma2=1, batch=batch, end2=end2)
    end2 = local_sgd_run(one, one, one, 1.0, R=1)
    yield sgd_trial("x^2/2 with L = mu, gamma = 1, R = 1", R=1, gamma=1, L=1, sigma2=1, start2=1, end2=end2)
    step = 2.0**-20
    end2 = local_sgd_closed_form(one, one, one / 1e6, step, R=1e9)
    label = "x^2/2, gamma = 2^-20, R = 1e9, mini-batch 1e6, closed form"
    yield sgd_trial(label, R=1e9, gamma=step, sigma2=1, batch=1e6, start2=1, end2=end2)


def sgd_ordinary(full: bool, seed: int) -> Iterator[Trial]:
    """Random quadratics with random noise, mini-batches, clients and local steps."""
    rng = np.random.default_rng(seed)
    for i in range(60 if full else 10):
        L = float(rng.uniform(1, 100))
        c = np.array([1.0, *np.exp(rng.uniform(0, np.log(L), 3)), L])
        x0, variance = rng.standard_normal(5), rng.uniform(0, 1, 5)
        gamma = float(rng.uniform(0.05, 1)) * 2 / (L + 1)
        R, K, N = (int(rng.choice(sizes)) for sizes in ((1, 10, 100), (1, 5), (1, 2, 10)))
        # K local steps on N identical clients are also one client with K R steps and mini-batch N
        batch, rounds = N, K * R
        end2 = local_sgd_run(c, x0, variance, gamma, R=R, K=K, N=N)
        label = f"random quadratic {i}, L/mu = {L:.4g}, gamma = {gamma:.4g}"
        values = {"gamma": gamma, "L": L, "sigma2": variance.sum(), "start2": x0 @ x0, "end2": end2}
        yield sgd_trial(f"{label}, R = {rounds}, mini-batch {batch}", R=rounds, batch=batch, **values)
        yield sgd_trial(f"{label}, R = {R}, K = {K}, N = {N}", R=R, K=K, N=N, **values)


def sgd_broken() -> Iterator[Trial]:
    """A step beyond 2/(L + mu); biased, repeated and too large noise."""
    yield sgd_trial("3/2 x^2 without noise, gamma = 1.9/L, R = 2", R=2, gamma=1.9 / 3, start2=1, end2=0.9**4)
    # x <- (1 - gamma) x - gamma s with a fixed s = +-1 tends to -s
    run: dict[str, Any] = {"R": 1000, "gamma": 0.0625, "sigma2": 1, "end2": (1 - 0.9375**1000) ** 2}
    name = "x^2/2 from its minimum, gamma = 1/16, R = 1000"
    yield sgd_trial(f"{name}, noise 1", **run, missing={"unbiased": "the noise is 1, always"})
    yield sgd_trial(f"{name}, one noise +-1 for all steps", **run, missing={"independent": "one draw serves all steps"})
    run["end2"] = local_sgd_run(np.ones(1), np.zeros(1), np.full(1, 4.0), 0.0625, R=1000)
    yield sgd_trial(f"{name}, noise of variance 4", **run, missing={"variance_bounded": "the variance is 4 > 1"})


# --- FedAvg with identical clients


def fedavg_tight(full: bool) -> Iterator[Trial]:
    """``||x||^2/2`` for every client, without noise and from its minimum."""
    one, zero = np.ones(1), np.zeros(1)
    step = 2.0**-4
    for K, R in ((1, 1), (5, 10), (20, 10), (1, 100)):
        end2 = local_sgd_run(one, one, zero, step, R=R, K=K, N=4)
        label = f"x^2/2 on 4 clients without noise, gamma = 1/16, K = {K}, R = {R}"
        yield sgd_trial(label, R=R, K=K, N=4, gamma=step, start2=1, end2=end2)
    for K, N in product((1, 10), (1, 10, 1000)):
        end2 = local_sgd_run(one, zero, one, step, R=200, K=K, N=N)
        label = f"x^2/2 on {N} clients from the minimum, gamma = 1/16, K = {K}, R = 200"
        yield sgd_trial(label, R=200, K=K, N=N, gamma=step, sigma2=1, end2=end2)
    step = 2.0**-20
    end2 = local_sgd_closed_form(one, one, one, step, R=1e9, K=10, N=1e6)
    label = "x^2/2 on 1e6 clients, gamma = 2^-20, K = 10, R = 1e9, closed form"
    yield sgd_trial(label, R=1e9, K=10, N=1e6, gamma=step, sigma2=1, start2=1, end2=end2)


def fedavg_broken() -> Iterator[Trial]:
    """A step beyond the cap, and two clients of which each pulls the rounds towards its own minimum."""
    yield sgd_trial(
        "3/2 x^2 without noise, gamma = 1.9/L, K = 2, R = 1", R=1, K=2, gamma=1.9 / 3, start2=1, end2=0.9**4
    )
    c, centre, gamma, R, K = np.array([3.0, 1.0]), np.array([0.0, 1.0]), 0.5, 100, 10
    solution = (c * centre).sum() / c.sum()
    x = solution + 1
    for _ in range(R):
        clients = np.full(2, x)
        for _ in range(K):
            clients = clients - gamma * c * (clients - centre)
        x = clients.mean()
    missing = {"identical_clients": "the clients' minima are 0 and 1"}
    label = "clients 3/2 x^2 and (x - 1)^2/2 without noise, gamma = 1/2, K = 10, R = 100"
    yield sgd_trial(label, R=R, K=K, N=2, gamma=gamma, start2=1, end2=(x - solution) ** 2, missing=missing)


# --- SGD with stepsize 1/(mu k)


def log_trial(label: str, R: float, gap: float, *, sigma2: float = 1, **extra: Any) -> Trial:
    """One run of SGD with stepsize 1/(mu k) and mu = 1, measured by its mean gap."""
    return trial(label, {"R": R, "mu_h": 1, "sigma_h2": sigma2, "gap_mean": gap}, SGD_FACTS, **extra)


def mean_gap_run(R: int, x0: float, variance: float) -> float:
    """``(1/R) sum_{k=1}^R E x_k^2 / 2`` of ``x_k = x_{k-1} - (x_{k-1} + noise)/k``."""
    mean, spread, total = x0, 0.0, 0.0
    for k in range(1, R + 1):
        mean, spread = (1 - 1 / k) * mean, (1 - 1 / k) ** 2 * spread + variance / k**2
        total += (mean**2 + spread) / 2
    return total / R


def harmonic(R: float) -> float:
    """``1 + 1/2 + ... + 1/R``; for R >= 100 by its expansion, relative error below 1e-10."""
    if R < 100:
        return math.fsum(1 / k for k in range(1, int(R) + 1))
    return math.log(R) + 0.5772156649015329 + 1 / (2 * R) - 1 / (12 * R**2)


def log_tight(full: bool) -> Iterator[Trial]:
    """``x^2/2`` from any start: the first step forgets it."""
    for R in (1, 2, 10, 100, 1000):
        yield log_trial(f"x^2/2 from 5, R = {R}", R, mean_gap_run(R, 5.0, 1.0))
    for R in (10**6, 10**9):
        yield log_trial(f"x^2/2, R = {R:g}, closed form", R, harmonic(R) / (2 * R))


def log_ordinary(full: bool, seed: int) -> Iterator[Trial]:
    """Less noise than allowed, in particular none."""
    for variance in (0.5, 0.0):
        for R in (1, 30):
            yield log_trial(f"x^2/2 from 1, noise of variance {variance:g}, R = {R}", R, mean_gap_run(R, 1.0, variance))


def log_broken() -> Iterator[Trial]:
    """Noise that is biased, repeated or too large: with one noise for all steps every x_k is minus that noise."""
    yield log_trial("x^2/2, noise 1, R = 1000", 1000, 0.5, missing={"unbiased": "the noise is 1, always"})
    repeated = {"independent": "one draw serves all steps"}
    yield log_trial("x^2/2, one noise +-1 for all steps, R = 1000", 1000, 0.5, missing=repeated)
    large = {"variance_bounded": "the variance is 4 > 1"}
    yield log_trial("x^2/2, noise of variance 4, R = 10", 10, mean_gap_run(10, 0.0, 4.0), missing=large)


# --- sampling of clients


def sampling_trial(label: str, N: int, S: int, zeta2: float, error2: float, **extra: Any) -> Trial:
    """One federation and a number of sampled clients."""
    values = {"N": N, "S": S, "zeta2": zeta2, "sampling2": error2}
    return trial(label, values, ("without_replacement",), **extra)


def enumerated(v: Array, draws: Iterator[tuple[int, ...]]) -> float:
    """Mean of ``||mean of the drawn rows of v - mean of all||^2`` over equally likely draws."""
    centre = v.mean(axis=0)
    return float(np.mean([((v[list(draw)].mean(axis=0) - centre) ** 2).sum() for draw in draws]))


def half_and_half(N: int, S: int) -> float:
    """The same for N/2 clients with 0 and N/2 with 1, from the hypergeometric law in exact integers."""
    half = N // 2
    square = sum((2 * k - S) ** 2 * math.comb(half, k) * math.comb(half, S - k) for k in range(S + 1))
    return square / math.comb(N, S) / (4 * S**2)


def spread(v: Array) -> float:
    """``mean ||v_i - mean v||^2``."""
    return float(((v - v.mean(axis=0)) ** 2).sum(axis=1).mean())


def sampling_tight(full: bool) -> Iterator[Trial]:
    """All subsets of small federations, and two-valued large ones."""
    rng = np.random.default_rng(1)
    for N, S in ((2, 1), (3, 2), (6, 1), (6, 3), (8, 5)):
        v = rng.standard_normal((N, 3))
        yield sampling_trial(
            f"random vectors, N = {N}, S = {S}", N, S, spread(v), enumerated(v, combinations(range(N), S))
        )
    for N, S in ((100, 10), (1000, 30), (1000, 500)):
        yield sampling_trial(f"half of the clients 0, half 1, N = {N}, S = {S}", N, S, 0.25, half_and_half(N, S))


def sampling_ordinary(full: bool, seed: int) -> Iterator[Trial]:
    """Full participation and equal clients."""
    v = np.random.default_rng(seed).standard_normal((4, 2))
    everyone = sampling_trial("random vectors, N = S = 4", 4, 4, spread(v), 0.0, degenerate=True)
    yield from (everyone, sampling_trial("equal clients, N = 4, S = 2", 4, 2, 0, 0, degenerate=True))


def sampling_broken() -> Iterator[Trial]:
    """Sampling with replacement."""
    v = np.array([[0.0], [0.0], [1.0]])
    missing = {"without_replacement": "drawn with replacement"}
    error2 = enumerated(v, product(range(3), repeat=2))
    yield sampling_trial("values 0, 0, 1, S = 2, with replacement", 3, 2, spread(v), error2, missing=missing)


SGD = Family(sgd_tight, sgd_ordinary, sgd_broken, METHOD)
FEDAVG = Family(fedavg_tight, sgd_ordinary, fedavg_broken, METHOD)
LOG = Family(log_tight, log_ordinary, log_broken, METHOD)
SAMPLING = Family(sampling_tight, sampling_ordinary, sampling_broken, "enumeration of all subsets")
