"""Instances of (FL_2s) whose runs of Algorithm 4 are known in closed form, in dimension one but for ``cone``.

- ``slide``: m equal clients with loss x and X_i = {0}: the gradient of F_eta after k steps is (1 - gamma/eta)^k.
- ``descent``: one client with loss |x| and no constraint, from far away: k steps move it by k gamma.
- ``cone``: clients with loss |x| + y in dimension n at 0, where the first estimates are as large as they may be.
- ``slow``: one client with loss y whose lower level contracts as Assumption 3 says on X = {0} and slowly elsewhere.
"""

from __future__ import annotations

import math
from dataclasses import replace
from functools import lru_cache

import numpy as np

from rateproof.algos.problems.base import Fact
from rateproof.verify.papers.fedrzo.twostage.common import STILL, facts_of, local_steps, steps_of
from rateproof.verify.trial import Trial

#: y_0 = 0 solves G = y over [-1, 1], so the lower level is exact and costs nothing.
EXACT = {"L_y": 0.0, "B_2s": 0.0, "mu_F": 1.0, "L_F": 2.0, "alpha_2s": 0.25, "tau_2s": 3.5, "sum_eps_2s": 0.0}


def _run(K: float, m: float) -> dict[str, float]:
    """S-com at K iterations."""
    return {"gamma": math.sqrt(m / K), "H": local_steps(K, m), "K_it": K, "T_R": K + 1, "K_eps": K}


def geometric_mean_square(ratio: float, K: float) -> float:
    """``(1/(K+1)) sum_{k=0}^K ratio^{2k}``; inf where it overflows."""
    q = ratio * ratio
    if q == 1:
        return 1.0
    log = (K + 1) * math.log(q) if q > 0 else -math.inf
    return math.expm1(log) / (q - 1) / (K + 1) if log < 700 else math.inf


# --- pulled apart


def pulled(start: float, *, gamma: float, slope: float = 1e-6) -> Trial:
    """Two clients with losses -+slope x, ``X_1 = (-inf, 0]`` and the line, eta = 1, one step into a round."""
    first, second = start + gamma * (slope - start), start - gamma * slope
    mean, drawn = (first + second) / 2, max(first, 0.0) / 2
    square = (max(mean, 0.0) / 2) ** 2
    values = EXACT | {"n": 1, "m": 2, "eta_s": 1.0, "gamma": gamma, "H": 2, "B1": 0.0, "B2": 1.5, "L_imp": slope}
    values |= dict.fromkeys(("bias_2s", "w2_2s", "wbar2_2s", "split_i_2s", "split_bar_2s", "eps_2s"), 0.0)
    values |= {"g2_2s": slope**2, "path2_2s": drawn**2, "ip_path_2s": drawn * max(mean, 0.0) / 2, "grad2_2s": square}
    values |= {"eb_2s": ((first - second) / 2) ** 2, "done_2s": 1, "sum_eb_2s": 0.0, "sum_eps_round_2s": 0.0}
    values |= {"sum_grad_2s": (start / 2) ** 2}
    said = STILL | {"dissimilarity": "mean dist^2 = x^2/2 = 2 |x - mean P|^2 right of 0"}
    label = f"losses -+{slope:g} x, X_1 = (-inf, 0], X_2 = R, eta = 1, gamma = {gamma:g}, a step from {start:g}"
    return Trial.exact(label, values, facts_of(said), error=1e-12)


# --- slide


def slide(m: float, K: float, *, eta: float = 0.25, epsilon: float = 0.5) -> Trial:
    """m clients with loss x and X_i = {0}, from 0, with the stepsize of K iterations."""
    run = _run(K, m)
    values = EXACT | run | {"n": 1, "m": m, "eta_s": eta, "L_imp": 1.0, "B1": 0.0, "B2": 1.0, "D0": eta / 2}
    values["grad_kstar"] = geometric_mean_square(1 - run["gamma"] / eta, K)
    values["epsilon"] = epsilon
    return Trial.exact(
        label=f"{m:g} clients, loss x, X_i = {{0}}, eta = {eta:g}, from 0, K = {K:g}",
        values=values,
        facts=facts_of(STILL | {"implicit_lipschitz_2s": "the loss is x"}),
        at={"family": "slide", "m": m, "K": K, "eta": eta, "epsilon": epsilon},
    )


def slide_needs(m: float, *, eta: float = 0.25, small: bool = False) -> Trial:
    """The iterations that ``slide`` needs for epsilon = 1/2, or 1/m.

    Below m/(4 eta^2) the steps swing out, and the metric is at least 1.
    """
    found = slide(m, m / (4 * eta**2), eta=eta, epsilon=1 / m if small else 0.5)
    missed = Fact(True, "gamma >= 2 eta for as many: the metric is at least 1")
    return replace(found, facts={**found.facts, "K_eps_missed": missed})


# --- descent


def descent_needs(start: float) -> Trial:
    """The iterations that one client with loss |x| needs from ``start`` for epsilon = 1/2, eta = 1.

    The slope is 1 down to 1, and K steps move by at most sqrt(K): below 4 (start - 1)^2 half of the iterates are there.
    """
    K = 4 * (start - 1) ** 2
    values = EXACT | _run(K, 1) | {"n": 1, "m": 1, "eta_s": 1.0, "L_imp": 1.0, "B1": 0.0, "B2": 0.0}
    values |= {"D0": start - 0.5, "epsilon": 0.5}
    return Trial.exact(
        label=f"loss |x|, X = R, eta = 1, from {start:g}",
        values=values,
        facts=facts_of(
            STILL
            | {
                "implicit_lipschitz_2s": "the loss is |x|",
                "dissimilarity": "no constraint: both sides are 0",
                "K_eps_missed": "with fewer, more than half of the iterates have slope 1",
            }
        ),
        at={"family": "descent", "start": start},
    )


def kinked_needs(eta: float, K: float) -> Trial:
    """The iterations that one client with loss |x| and X = {0} needs from 0 for what K iterations leave; S-com.

    Within R = eta/2 of 0, which no course leaves, estimates err by +-(1 - |x|/eta) and the gradient is 2x/eta, so with
    ``q = 2 gamma/eta`` E||grad||^2 is at least ``(q/8) (1 - (1 - (1 - q)^(2K+2))/((K + 1) q (2 - q)))/(1 - q/2)``: the
    fewer iterations, the longer they are.
    """
    run = _run(K, 1)
    q = 2 * run["gamma"] / eta
    transient = -math.expm1((2 * K + 2) * math.log1p(-q)) / ((K + 1) * q * (2 - q))
    values = EXACT | run | {"n": 1, "m": 1, "eta_s": eta, "L_imp": 1.0, "B1": 0.0, "B2": 1.0, "D0": 0.0}
    values["epsilon"] = 0.99 * q / 8 / (1 - q / 2) * (1 - transient)
    said = {
        "implicit_lipschitz_2s": "the loss is |x|",
        "K_eps_missed": "fewer iterations with longer steps miss it by more",
    }
    label = f"loss |x|, X = {{0}}, eta = {eta:g}, from 0, as many as {K:g} iterations"
    return Trial.exact(label, values, facts_of(STILL | said), at={"family": "kinked_needs", "eta": eta, "K": K})


def kink(eta: float, *, epsilon: float = 10.0) -> Trial:
    """The one iteration that a client with loss |x| needs from its minimum: the metric is at most 1, for every K >= 1.

    A trivial instance: every K >= 1 gives the accuracy, and the claim is violated only as it counts less than one.
    Every constant but ``eta`` is fixed, and there is no initial gap, no set and no lower level.
    """
    values = EXACT | _run(1, 1) | {"n": 1, "m": 1, "eta_s": eta, "L_imp": 1.0, "B1": 0.0, "B2": 0.0}
    return Trial.exact(
        label=f"loss |x|, X = R, eta = {eta:g}, from 0, epsilon = {epsilon:g}",
        values=values | {"D0": 0.0, "epsilon": epsilon},
        facts=facts_of(
            STILL
            | {
                "implicit_lipschitz_2s": "the loss is |x|",
                "dissimilarity": "no constraint",
                "K_eps_missed": "gamma = sqrt(m/K) asks for K >= 1",
            }
        ),
        at={"family": "kink", "eta": eta, "epsilon": epsilon},
        degenerate=True,
    )


def descent(gamma: float, T: int) -> Trial:
    """T steps of size ``gamma`` down ``|x|`` from ``1 + T gamma``, eta = 1: the gradient is 1 all the way."""
    values = EXACT | {"n": 1, "m": 1, "eta_s": 1.0, "L_imp": 1.0, "B1": 0.0, "B2": 0.0, "H": 1, "gamma": gamma}
    values |= {"K_it": T - 1, "T_R": T, "D0": T * gamma + 0.5, "grad_kstar": 1.0}
    return Trial.exact(
        label=f"loss |x|, X = R, eta = 1, {T} steps of {gamma:g} down to 1",
        values=values,
        facts=facts_of(STILL | {"implicit_lipschitz_2s": "the loss is |x|", "dissimilarity": "no constraint"}),
        at={"family": "descent", "gamma": gamma, "T": T},
    )


# --- cone


def cone(n: int, m: int, *, eta: float = 0.5, error: float = 0.1, slope: float = 2.0, in_y: float = 3.0) -> Trial:
    """The first step from 0 of m clients with loss ``slope ||x|| + in_y y`` in dimension n, X = R^n, solution y = 0.

    ``g = n slope v/||v||`` has mean 0, as the gradient at 0. The lower-level points err by ``error``, upwards at x + v
    and downwards at x, so that ``w = 2 (n/eta) in_y error v/||v||``; directions of different clients are independent.
    """
    g2, w2 = (n * slope) ** 2, (2 * n / eta * in_y * error) ** 2
    values = EXACT | {"n": n, "m": m, "eta_s": eta, "gamma": 0.1, "H": 1, "B1": 0.0, "B2": 0.0}
    values |= {"L_imp": slope, "L_y": in_y, "eps_2s": error**2}
    values |= dict.fromkeys(("bias_2s", "grad2_2s", "ip_path_2s", "eb_2s", "split_i_2s", "split_bar_2s"), 0.0)
    values |= dict.fromkeys(("done_2s", "sum_eb_2s", "sum_grad_2s", "sum_eps_round_2s"), 0.0)
    values |= {"g2_2s": g2, "path2_2s": g2 / m, "w2_2s": w2, "wbar2_2s": w2 / m}
    said = STILL | {
        "implicit_lipschitz_2s": "the slopes are those of the loss in x and in y",
        "sets": "every X_i is the whole space",
        "dissimilarity": "no constraint: both sides are 0",
        "accuracy": "the errors are prescribed",
    }
    del said["alg5"], said["B"]
    return Trial.exact(
        label=f"{m} clients, loss {slope:g} |x| + {in_y:g} y in dimension {n}, from 0, errors {error:g}, eta = {eta:g}",
        values=values,
        facts=facts_of(said, **{"r>0": "the first step is in round 0"}),
        at={"family": "cone", "n": n, "m": m, "eta": eta, "error": error},
    )


# --- slow

#: The contraction outside X, relative to that on X, and the law of the number of steps.
_TAU = 3.5


def slow_facts() -> dict[str, str]:
    """Why the hypotheses hold on ``slow``; Assumption 3.ii fails at the queries x + v."""
    said = STILL | {
        "implicit_lipschitz_2s": "y(x) = 1/2 + x/4 and the loss is y: L = 1/4, L_y = 1",
        "monotone": "on X = {0}, G = y - 1/2 - x/4: mu_F = 1, L_F = 2 >= 1",
        "lower_sets_compact": "Y(x) = [-|x| - 2, |x| + 2]",
        "B": "|y(x) - y_0| = |x|/4 <= 2/3 at the queries |x| <= 8/3",
        "sets": "X = {0}",
        "dissimilarity": "one client: B_1 = 0, B_2 = 1",
        "frequency": "rounds have H steps, the last one less; with one client they change nothing",
    }
    del said["monotone_queried"], said["accuracy"]
    return said


def slow_values() -> dict[str, float]:
    """Constants of ``slow``: eta = 2, from 0."""
    return {
        "n": 1,
        "m": 1,
        "eta_s": 2.0,
        "L_imp": 0.25,
        "L_y": 1.0,
        "B1": 0.0,
        "B2": 1.0,
        "D0": 1 / 16,
        "B_2s": 4 / 9,
        "mu_F": 1.0,
        "L_F": 2.0,
        "alpha_2s": 0.25,
        "tau_2s": _TAU,
    }


@lru_cache(maxsize=64)
def slow_moments(K: int, gamma: float, delta: float) -> float:
    """``(1/(K+1)) sum_k E||grad F_eta(xbar_k)||^2`` on ``slow``, by the exact recursion of E x and E x^2.

    With r = (1 - delta/4)^{t_k} at x + v, where G = delta (y - 1/2 - x/4), and s = (3/4)^{t_k} at x, where G has its
    full slope, a step is ``x <- x - gamma (x/2 + (1-r)/4 + x v (s-r)/16)``, v = 2 or -2. The path stays in [-2/3, 0],
    where these are the slopes.
    """
    mean, square, total = 0.0, 0.0, 0.0
    for k in range(K + 1):
        total += 1 / 16 + mean / 4 + square / 4
        t = steps_of(k, _TAU)
        r, s = (1 - delta / 4) ** t, 0.75**t
        keep, shift, swing = 1 - gamma / 2, gamma * (1 - r) / 4, gamma * (s - r) / 8
        mean, square = keep * mean - shift, (keep**2 + swing**2) * square - 2 * keep * shift * mean + shift**2
    return total / (K + 1)


def slow_by_rule(K: int, delta: float) -> Trial:
    """One run on ``slow`` with the stepsize and the rounds of S-com."""
    run = _run(K, 1)
    return slow(K, run["gamma"], delta, H=run["H"])


def slow(K: int, gamma: float, delta: float, *, H: float = 1) -> Trial:
    """One run on ``slow`` in rounds of H steps."""
    total = float(np.sum(0.75 ** np.array([steps_of(k, _TAU) for k in range(K + 1)]))) * 4 / 9
    values = slow_values() | {"H": H, "gamma": gamma, "K_it": K, "T_R": K + 1, "sum_eps_2s": total}
    return Trial.exact(
        label=f"loss y, X = {{0}}, eta = 2, G = theta(x) (y - 1/2 - x/4), theta(0) = 1, {delta:g} from 4/3 on, "
        f"H = {H:g}, K = {K}",
        values=values | {"grad_kstar": slow_moments(K, gamma, delta)},
        facts=facts_of(
            slow_facts(), monotone_queried=f"at x + v the modulus is {delta:g}", accuracy="eps_k is that of part (i)"
        ),
        at={"family": "slow", "K": K, "gamma": gamma, "modulus": delta, "H": H},
    )


def slow_needs(decade: int, delta: float = 0.1) -> Trial:
    """The iterations that ``slow`` needs for an epsilon just below what the metric is at least up to 10^decade.

    E x_k obeys E grad F_eta(x_k) >= r_k/4, so the metric is at least r_K^2/16, and r_K falls like a small power of K.
    """
    K = 10.0**decade - 1
    epsilon = (1 - delta / 4) ** (2 * math.ceil(_TAU * decade * math.log(10))) / 17
    values = slow_values() | _run(K, 1) | {"epsilon": epsilon}
    return Trial.exact(
        label=f"loss y, X = {{0}}, contraction {delta:g} outside X, epsilon = {epsilon:.3g}",
        values=values,
        facts=facts_of(
            slow_facts() | {"K_eps_missed": "the metric is at least r_K^2/16, and r_K falls with K"},
            monotone_queried=f"at x + v the modulus is {delta:g}",
        ),
        at={"family": "slow_needs", "decade": decade, "modulus": delta},
    )


def slow_after(decade: int, delta: float = 0.1) -> Trial:
    """What the metric on ``slow`` is at least after 10^decade iterations, r_K^2/16, given for the metric."""
    needs = slow_needs(decade, delta)
    return replace(
        needs,
        label=f"loss y, X = {{0}}, contraction {delta:g} outside X, K = 10^{decade} - 1, from below",
        values={**needs.values, "grad_kstar": needs.values["epsilon"] * 17 / 16},
        at={"family": "slow_after", "decade": decade, "modulus": delta},
    )
