"""Long runs of Algorithm 1 with linear losses, their horizons, and Lemma 7's recursion, on plain numbers.

Scripts that reproduce an instance carry the source text of these functions, as of those in
:mod:`rateproof.verify.papers.fedrzo.single.programs`.
"""

import math


def linear(
    *,
    spread: float,
    L0: float,
    constrained: bool,
    noise: float,
    nu: float,
    x0: float,
    gamma: float,
    eta: float,
    n: int,
    m: int,
    H: int,
    K: int,
) -> dict[str, float]:
    """Moments of Algorithm 1 after any number of steps: losses ``L0 x`` and ``(1 - 2 spread) L0 x`` in turn, all sets
    {0} or all the whole space; x is the first coordinate of R^n, and x0 its start.

    On the line the noise is that of :mod:`programs`. In more dimensions the errors of two values are independent: they
    differ by 2 noise^2 in square mean, and a direction adds n - 1 times the squared slope. The gradient of F_eta
    is linear: the mean of the clients follows one linear recursion, whatever H is.

    spread: 0 for equal clients, 1 for opposite ones.
    """
    # slopes with the share of the clients that have them
    slopes = ((L0, (m + 1) // 2 / m), ((1 - 2 * spread) * L0, m // 2 / m))
    slope = L0 if spread == 0 else sum(share * a for a, share in slopes)
    apart = sum(share * (a - slope) ** 2 for a, share in slopes)
    own = sum(share * a * a for a, share in slopes)
    variance = (n - 1) * own + (4 if n == 1 else 2) * (n * noise / eta) ** 2
    q = gamma / eta if constrained else 0.0
    start = slope + (x0 / eta if constrained else 0.0)

    def powers(rate: float, count: int) -> float:
        """1 + rate + ... + rate^(count - 1)."""
        if rate == 1 or count == 0:
            return float(count)
        return -math.expm1(count * math.log(rate)) / (1 - rate) if rate > 0 else (1 - rate**count) / (1 - rate)

    def second(k: int) -> float:
        """E of the squared gradient at iterate k: it shrinks by 1 - q, and noise comes in."""
        return start**2 * ((1 - q) ** 2) ** k + q**2 * variance / m * powers((1 - q) ** 2, k)

    def total(first: int, last: int) -> float:
        """Sum of second(k) over k = first, ..., last - 1."""
        if q == 0:
            return start**2 * (last - first)
        rate = (1 - q) ** 2
        kept = rate**first * powers(rate, last - first)
        rest = 1 / (1 - rate) if rate != 1 else 0.0
        noisy = q**2 * variance / m
        if rate == 1:
            return start**2 * (last - first) + noisy * sum(range(first, last))
        return start**2 * kept + noisy * rest * (last - first - kept)

    def drift(j: int) -> float:
        """E of the consensus error j steps into a round."""
        return gamma**2 * (apart * powers(1 - q, j) ** 2 + (1 - 1 / m) * variance * powers((1 - q) ** 2, j))

    j = K % H
    square = second(K)
    # The penalty is x^2/(2 eta): the infimum of slope x + x^2/(2 eta) is -eta slope^2/2.
    gap = eta * start**2 / 2 if constrained else math.inf if slope else 0.0
    return {
        "n": n,
        "m": m,
        "eta_s": eta,
        "gamma": gamma,
        "H": H,
        "K_it": K,
        "k_it": K,
        "j_k": j,
        "L0": L0,
        "nu": nu,
        "B1": 0.0,
        "B2": 1.0 if constrained else 0.0,
        "D0": gap,
        "grad_kstar": total(0, K + 1) / (K + 1),
        "E_eb": drift(j),
        "sum_eb": sum(drift(t) for t in range(j)),
        "sum_grad": total(K - j, K),
        "E_sq_grad": square,
        "E_F_now": eta * square / 2 if constrained else math.nan,
        "E_F_next": eta * second(K + 1) / 2 if constrained else math.nan,
    }


def needed(
    *, spread: float, L0: float, constrained: bool, noise: float, x0: float, eta: float, m: int, epsilon: float
) -> dict[str, float]:
    """Linear losses with gamma = sqrt(m/K) and H = ceil((K/m^3)^(1/4)): the least K from which on epsilon is kept.

    All K of a grid up to 1e15 are tried, and the gap after the last one that misses is bisected.

    Raises:
        ValueError: the accuracy is out of reach.
    """

    def measured(K: int, H: int) -> dict[str, float]:
        return linear(
            spread=spread,
            L0=L0,
            constrained=constrained,
            noise=noise,
            nu=max(noise, 1e-6),
            x0=x0,
            gamma=math.sqrt(m / K),
            eta=eta,
            n=1,
            m=m,
            H=H,
            K=K,
        )

    def misses(K: int) -> bool:
        try:
            # the mean of linear losses does not feel H
            return not measured(K, 1)["grad_kstar"] <= epsilon
        except OverflowError:  # the stepsize is so long that the iterates run away
            return True

    grid = sorted({round(10 ** (k / 12)) for k in range(12 * 15)})
    missed = [K for K in grid if misses(K)]
    if missed and missed[-1] == grid[-1]:
        raise ValueError(f"the accuracy {epsilon:g} is not reached up to 1e15 iterations")
    low, high = (missed[-1], grid[grid.index(missed[-1]) + 1]) if missed else (0, 1)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if misses(middle) else (low, middle)
    H = max(1, math.ceil((high / m**3) ** 0.25 - 1e-12))
    return {**measured(high, H), "K_eps": high, "epsilon": epsilon, "rounds": math.ceil(high / H), "shortest": H}


def recursion(*, H: int, beta: float, gamma: float, theta: tuple[float, ...], k: int) -> dict[str, float]:
    """The largest sequence that Lemma 7 allows, k steps into a round of H."""
    a = [0.0]
    for j in range(1, k + 1):
        a.append(j * gamma**2 * sum(beta * a[t] + theta[t] for t in range(j)))
    rate = beta * H * gamma**2 + 1
    return {
        "H": H,
        "beta": beta,
        "gamma": gamma,
        "j_k": k,
        "a_k": a[k],
        "sum_theta": sum(theta[:k]),
        "sum_theta_w": sum(rate ** (k - t - 1) * theta[t] for t in range(k)),
    }
