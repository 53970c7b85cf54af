"""Instances of the stored counterexamples to claims of the two-stage section, in rationals and balls.

Shares no code with the float engine: the values at which :mod:`verify.counterexamples.replay` evaluates the claims.

``eta``: smoothing parameter and that of the Moreau terms; ``gamma``: stepsize of the upper level; ``m``: number of
clients; ``H``: local steps of a round; ``K``: index of the last iterate; ``k``: the local step that is looked at;
``tau``: factor of the number of steps of Algorithm 5; ``steps``: steps of the lower level; ``epsilon``: the accuracy
that is asked for; ``modulus``: slope of the lower level outside X; ``decade``: the number of iterations is a power of
10, this one; ``followers``: number of followers of the game; ``value``: the entry of Table 4; ``alpha``: stepsize of
the lower level.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from rateproof.verify.counterexamples.replay import Number, power, rational

Measured = tuple[dict[str, Number], dict[str, str]]

_A3 = {
    "sets": "intervals or points",
    "dissimilarity": "all clients have one point or interval",
    "lower_sets_compact": "an interval with finite ends",
    "fresh": "the method draws them so",
}
#: G = y over [-1, 1] with y_0 = 0: the lower level is exact and costs nothing.
_STILL = _A3 | {
    "monotone": "G(x, y) = y",
    "implicit_lipschitz_2s": "the losses have slopes 1 and -1",
    "accuracy": "y_0 = 0 solves the lower level",
    "alg5": "each call returns y_0 = 0",
    "B": "y(x) = y_0 = 0",
    "t_k_all": "the steps change nothing",
    "frequency": "rounds of H steps",
    "k*": "the metric is the mean over the iterates",
}


def _numbers(**given: object) -> dict[str, Number]:
    return {name: rational(text) for name, text in given.items()}


_LOWER = _numbers(L_y=0, B_2s=0, mu_F=1, L_F=2, alpha_2s="1/4", tau_2s="7/2", sum_eps_2s=0)


# --- Lemma 13: losses x and -x, X_i = {0}


def opposite(at: Mapping[str, Any]) -> Measured:
    """Rounds of H steps from 0: xbar stays 0, the clients go apart. Step ``k`` is counted from 0 over the rounds."""
    eta, gamma, H, k = rational(at["eta"]), rational(at["gamma"]), int(at["H"]), int(at["k"])
    x = [rational(0), rational(0)]
    drifts, squares = [], []
    for step in range(k + 1):
        mean = (x[0] + x[1]) / 2
        drifts.append(((x[0] - mean) ** 2 + (x[1] - mean) ** 2) / 2)
        squares.append((mean / eta) ** 2)
        x = [z - gamma * (slope + z / eta) for z, slope in zip(x, (1, -1), strict=True)]
        if (step + 1) % H == 0:
            x = [(x[0] + x[1]) / 2] * 2
    first = k - k % H
    values = _numbers(n=1, m=2, L_imp=1, L_y=0, B1=0, B2=1, H=H, eps_2s=0, done_2s=k - first, sum_eps_round_2s=0)
    values |= {
        "eta_s": eta,
        "gamma": gamma,
        "eb_2s": drifts[k],
        "sum_eb_2s": sum(drifts[first:k], rational(0)),
        "sum_grad_2s": sum(squares[first:k], rational(0)),
    }
    return values, {
        key: _STILL[key] for key in (*_A3, "monotone", "implicit_lipschitz_2s", "accuracy", "frequency")
    } | {"r>0": f"step {k} is in round {k // H}"}


# --- Theorem 2 (i): a query outside X


def outside(at: Mapping[str, Any]) -> Measured:
    """G = (1 + 7 dist(x, [0, 1])) y over [-1, 1] at the query x + v = -1, y_0 = 1/2: y turns its sign in each step."""
    steps, y = int(at["steps"]), rational("1/2")
    for _ in range(steps):
        y = y - rational("1/4") * 8 * y
    values = _numbers(mu_F=1, L_F=2, alpha_2s="1/4", B_2s="1/4", t_2s=steps) | {"err_2s": y * y}
    return values, _A3 | {
        "monotone": "for x in X = [0, 1], G = y: mu_F = 1 and L_F = 2 >= 1",
        "implicit_lipschitz_2s": "the loss is 0",
        "alg5": "the query is x + v, x = 0, v = -1",
        "B_call": "y(x) = 0, so |y(x) - y_0|^2 = 1/4",
    }


# --- Theorem 2 (iii): equal clients with loss x and X_i = {0}


def _slide(m: Number, K: Number, eta: Number) -> Measured:
    gamma = power(m / K, rational("1/2"))
    values = _LOWER | _numbers(n=1, L_imp=1, B1=0, B2=1, H=1)
    values |= {"m": m, "gamma": gamma, "eta_s": eta, "D0": eta / 2, "K_it": K, "T_R": K + 1}
    return values, dict(_STILL)


def slide(at: Mapping[str, Any]) -> Measured:
    """The metric over K iterations with gamma = sqrt(m/K), from 0: grad F_eta(x_k) = (1 - gamma/eta)^k, H = 1."""
    m, K, eta = (rational(at[key]) for key in ("m", "K", "eta"))
    values, facts = _slide(m, K, eta)
    square = (1 - values["gamma"] / eta) ** 2
    values["grad_kstar"] = (power(square, K + 1) - 1) / ((square - 1) * (K + 1))
    return values, facts


def slide_needs(at: Mapping[str, Any]) -> Measured:
    """m clients need m/(4 eta^2) iterations: with fewer, |1 - gamma/eta| >= 1, and the metric is at least 1."""
    m, eta = rational(at["m"]), rational(at["eta"])
    K = m / (4 * eta**2)
    values, facts = _slide(m, K, eta)
    facts |= {"K_eps_missed": "gamma >= 2 eta for as many: the metric is at least 1"}
    return values | {"K_eps": K, "epsilon": rational(at["epsilon"])}, facts


# --- a lower level that contracts slowly outside X

_SLOW = _A3 | {
    "monotone": "on X = {0}, G = y - 1/2 - x/4: mu_F = 1 and L_F = 2 >= 1",
    "implicit_lipschitz_2s": "y(x) = 1/2 + x/4, the loss is y",
    "alg5": "y_0 = 1/2",
    "B": "|y(x) - y_0| = |x|/4 <= 2/3 at queries |x| <= 8/3",
    "t_k_all": "the steps are counted so",
    "eps_all": "the sum is of these numbers",
    "frequency": "rounds of H steps, the last one shorter; with one client they change nothing",
    "k*": "the metric is the mean over the iterates",
}


def _slow_values() -> dict[str, Number]:
    given = _numbers(n=1, m=1, eta_s=2, L_imp="1/4", L_y=1, B1=0, B2=1, D0="1/16", B_2s="4/9")
    return given | _numbers(mu_F=1, L_F=2, alpha_2s="1/4", tau_2s="7/2")


def ceil_log(tau: Number, k: int) -> int:
    """``ceil(tau ln(k+1))``; an integer for certain."""
    from flint import arb

    return int((tau * arb(k + 1).log()).ceil().unique_fmpz())


def slow(at: Mapping[str, Any]) -> Measured:
    """The metric over K iterations in rounds of H steps, by the first two moments of x."""
    from flint import arb

    K, gamma, delta = int(at["K"]), arb(rational(at["gamma"])), rational(at["modulus"])
    tau = rational("7/2")
    mean = square = total = accuracies = arb(0)
    for k in range(K + 1):
        total += arb(1) / 16 + mean / 4 + square / 4
        t = ceil_log(tau, k)
        r, s = arb(1 - delta / 4) ** t, arb(3) ** t / arb(4) ** t
        accuracies += s
        keep, shift, swing = 1 - gamma / 2, gamma * (1 - r) / 4, gamma * (s - r) / 8
        mean, square = keep * mean - shift, (keep**2 + swing**2) * square - 2 * keep * shift * mean + shift**2
    values = _slow_values() | _numbers(H=at["H"], K_it=K, T_R=K + 1, gamma=at["gamma"])
    return values | {"grad_kstar": total / (K + 1), "sum_eps_2s": accuracies * rational("4/9")}, dict(_SLOW)


def slow_needs(at: Mapping[str, Any]) -> Measured:
    """10^decade iterations miss epsilon = r^2/17: the metric is at least r_K^2/16."""
    decade, delta = int(at["decade"]), rational(at["modulus"])
    K, tau = rational(10**decade), rational("7/2")
    epsilon = (1 - delta / 4) ** (2 * ceil_log(tau, 10**decade - 1)) / 17
    values = _slow_values() | {"K_eps": K, "K_it": K, "T_R": K + 1, "epsilon": epsilon}
    values |= {"gamma": power(K, rational("-1/2")), "H": power(K, rational("1/4"))}
    return values, _SLOW | {"K_eps_missed": "the metric is at least r_K^2/16, and r_K falls with K"}


# --- counts, and the game


def projections(at: Mapping[str, Any]) -> Measured:
    """2 sum_{k=0}^K ceil(tau ln(k+1)), one client."""
    K, tau = int(at["K"]), rational(at["tau"])
    values = _numbers(K_it=K, T_R=K + 1, m=1, mu_F=1, L_F=2) | {"tau_2s": tau}
    count = 2 * sum(ceil_log(tau, k) for k in range(K + 1))
    return values | {"projections_2s": rational(count)}, {"t_k_all": "the steps are counted so"}


_GAME = {
    "game": "b = 1, costs 1/10, capacities 4, a uniform on [7.5, 12.5]",
    "setup": "the printed parameters, from x_0 = 0 and y_0 = 0",
    "horizon": "K = 100 H",
}


def game_infimum(at: Mapping[str, Any]) -> Measured:
    """inf f = -(10 rho)^2/(2 (c + 2 b rho)), rho = (c + b)/(c + b + nt b), c = 1/10, b = 1."""
    followers, value = rational(at["followers"]), rational(at["value"])
    rho = rational("11/10") / (rational("11/10") + followers)
    infimum = -((10 * rho) ** 2) / (2 * (rational("1/10") + 2 * rho))
    facts = {"game": _GAME["game"], "entry": "read off Table 4"}
    return {"table_value_game": value, "f_inf_game": infimum}, facts


def game_run(at: Mapping[str, Any]) -> Measured:
    """E f(xbar_K) after 100 H iterations from 0 for two H; b = 1, eta = 1, m = 100. A step is affine in x, a and v."""
    from flint import arb

    followers, alpha, tau = int(at["followers"]), rational(at["alpha"]), rational(at["tau"])
    few, many = (int(H) for H in at["H"])
    total, c, gamma = rational("11/10") + followers, rational("1/10"), rational("1/1000")
    rho = rational("11/10") / total
    mean = variance = arb(0)
    found = {}
    for k in range(100 * many + 1):
        if k in (100 * few, 100 * many):
            found[k] = (c / 2 + rho) * (mean**2 + variance / 100) - 10 * rho * mean
        share = 1 - followers * (1 - arb(1 - alpha * total) ** ceil_log(tau, k)) / total
        slope = c + 2 * share
        mean = (1 - gamma * slope) * mean + gamma * share * 10
        noise = share**2 * rational("25/12") + slope**2 / 4
        variance = (1 - gamma * slope) ** 2 * variance + gamma**2 * noise
    return {"f_less_game": found[100 * few], "f_more_game": found[100 * many]}, dict(_GAME)


MEASURES: dict[str, Callable[[Mapping[str, Any]], Measured]] = {
    "drifting clients": opposite,
    "query outside X": outside,
    "sliding clients": slide,
    "sliding clients, iterations needed": slide_needs,
    "slow lower level": slow,
    "slow lower level, iterations needed": slow_needs,
    "projections": projections,
    "game, infimum": game_infimum,
    "game, two runs": game_run,
}
