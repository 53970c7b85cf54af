"""Runs of MeFBO with the steps of the paper that are known in closed form, for any number of rounds.

Stepsizes and penalty are those of the first round, where the conditions (78)-(83) are the strictest.
"""

from __future__ import annotations

from typing import Any

from rateproof.algos.problems.base import Fact
from rateproof.verify.form import choice, counts, family, reals
from rateproof.verify.form.arithmetic import Number, geometric, sqrt
from rateproof.verify.form.parts import hyperbola, line, rounded, steps
from rateproof.verify.papers.mefbo.rounds import Client, Interval, Level, Problem, Steps, Term, lyapunov_weight, noise

#: Constants of problem and schedule that meet (78)-(83), also as their use needs them; ``gamma < 1/(2 L_2)``.
CONSTANTS = {
    "L_2": reals(1),
    "gamma": reals("1/4", "3/4"),
    "c_0": reals(1, 4),
    "c_lam": reals("1/64", 1),
    "c_eta": reals("1/2048", 1),
}


def first_steps(
    *, T_rounds: int, tau: int, P: int, L_2: Number, gamma: Number, c_0: Number, c_lam: Number, c_eta: Number
) -> Steps:
    """Stepsizes and penalty of S-fixed in the first round; those of S-dec are the same for ``T = 1``."""
    one = gamma / gamma
    rho, K = 1 / gamma - L_2, lyapunov_weight(L_2, gamma)
    ratio = rho**3 / (32 * K * (L_2**2 + 1 / gamma**2))
    eighth = sqrt(sqrt(sqrt(tau * one)))
    server = c_lam * eighth**2 / sqrt(T_rounds * one)
    client = c_eta / (eighth**7 * sqrt(sqrt(T_rounds * one)) * sqrt(P * one))
    return Steps(tau, P, c_0, server, ratio * server, ratio * server, client, client, client)


def told(problem: Problem, at: Steps, n_cl: int, T_rounds: int, **known: Number) -> dict[str, Any]:
    """Constants of a problem and a run, and answers for the hypotheses; the constants that are known take precedence.

    One client stands for any number of identical ones.
    """
    values = {**problem.least(), "n_cl": n_cl, **at.told(), "T_rounds": T_rounds, "t_round": 0, **known}
    # (n - P)/(n - 1) and (P - 1)/(n - 1) are 0/0 for one client, who always takes part
    alone = {"A_P": 1, "B_P": 0} if n_cl == 1 else {}
    ruled = Fact(True, "the steps are those of the schedule")
    return {
        **values,
        **alone,
        # what O(.) hides inside M_3'
        "O_x": 1,
        "O_y": 1,
        **problem.facts(problem.least(), values),
        "mefbo": Fact(True, "all rounds are rounds of Algorithm 1"),
        **dict.fromkeys(("S-fixed", "S-dec", "S-dec or S-fixed"), ruled),
        "T=T_eps": Fact(True, "with more accuracy no such number of rounds is enough"),
    }


@family(
    "noise at the end of an interval",
    level=choice("lower", "upper"),
    steps_are=choice("fixed", "decreasing"),
    T_rounds=counts(16, 1, 10**8),
    n_cl=counts(2, 1, most=2),
    P=counts(2, 1, most=2),
    p_c=reals("1/16", "1/5"),
    q_s=reals("3/4"),
    **CONSTANTS,
)
def noise_at_an_end(
    *,
    level: str,
    steps_are: str,
    T_rounds: int,
    n_cl: int,
    P: int,
    p_c: Number,
    q_s: Number,
    L_2: Number,
    gamma: Number,
    c_0: Number,
    c_lam: Number,
    c_eta: Number,
) -> dict[str, Any]:
    """``(1 + 2 xi) u``, ``xi = +-1``, of one of the levels, in ``u = y`` or ``x`` in ``[0, b]``; ``tau = 1``.

    Every round ends at ``b`` where all clients draw -1 (at two clients ``1 + xi_1 + xi_2`` is -1, 1 or 3), and else at
    0: ``b`` is half of the smallest step. At 0 the measure is 0.
    """
    if n_cl < P:
        raise ValueError(f"P is {P}; it should be at most n = {n_cl}")
    one = gamma / gamma
    fixed = steps_are == "fixed"
    at = first_steps(
        T_rounds=T_rounds if fixed else 1, tau=1, P=P, L_2=L_2, gamma=gamma, c_0=c_0, c_lam=c_lam, c_eta=c_eta
    )
    least = at.lambda_y if fixed else at.lambda_y / (T_rounds * one) ** q_s
    last = c_0 * (T_rounds * one) ** p_c
    if not at.lambda_y <= gamma:
        raise ValueError(f"lambda_y is {at.lambda_y}; it should be at most gamma = {gamma}")
    chance = one / 2**P
    if level == "lower":
        b = least / 2
        R = chance * (1 - b / gamma) ** 2
        client = Client(one / n_cl, Level(), Level((Term(line(one), 0, one),)), noise_g=noise(0 * one, 2 * one))
        sets = {"Y": Interval(0 * one, b)}
    else:
        b = least / (2 * last)
        R = chance / last**2
        client = Client(one / n_cl, Level((Term(line(one), one, 0),)), Level(), noise_f=noise(2 * one, 0 * one))
        sets = {"X": Interval(0 * one, b)}
    problem = Problem((client,) * n_cl.__index__(), gamma, (0 * one, 0 * one), **sets)
    # fixed steps are no smaller than the last decreasing one, so that rounds with them end at b as well
    found = {"R_best": R, "R_fixed": R}
    if fixed:
        found |= {
            "T_eps": T_rounds,
            "eps": R,
            "sum_l2": T_rounds * at.lambda_theta**2,
            "sum_l2e2": T_rounds * at.lambda_theta**2 * at.eta_theta**2,
            "sum_lR": T_rounds * at.lambda_theta * R if level == "lower" else None,
        }
    return {**told(problem, at, n_cl, T_rounds, L_2=L_2), **found, "Psi_0": 0 * one, "tau_c": 1}


@family(
    "identical clients without noise",
    T_rounds=counts(1, 10, drawn=(1, 2, 3, 5, 10)),
    n_cl=counts(2, 4, 10**6),
    P=counts(2, 1, 10**6),
    p_c=reals("1/16", "1/5"),
    q_s=reals("3/4"),
    x0=reals("3/4"),
    **CONSTANTS,
)
def identical_clients(
    *,
    T_rounds: int,
    n_cl: int,
    P: int,
    p_c: Number,
    q_s: Number,
    x0: Number,
    L_2: Number,
    gamma: Number,
    c_0: Number,
    c_lam: Number,
    c_eta: Number,
) -> dict[str, Any]:
    """``f_i = sqrt(1 + x^2) - 1`` without lower level, ``tau = 1``: nothing depends on ``n`` and ``P``."""
    one = gamma / gamma
    h = hyperbola(one)
    at = first_steps(T_rounds=T_rounds, tau=1, P=P, L_2=L_2, gamma=gamma, c_0=c_0, c_lam=c_lam, c_eta=c_eta)
    problem = Problem((Client(one, Level((Term(h, one, 0),)), Level()),), gamma, (0 * one, 0 * one))
    x, measures = x0, []
    for t in steps(T_rounds):
        c = c_0 * ((t + 1) * one) ** p_c
        x = x - at.lambda_x * h.slope(x) / c
        measures.append((h.slope(x) / c) ** 2)
    R = min(measures)
    return {
        **told(problem, at, n_cl, T_rounds, L_2=L_2),
        "R_best": R,
        "R_fixed": R,
        "T_eps": T_rounds,
        "eps": R,
        "tau_c": 1,
        "Psi_0": h.value(x0) / c_0,
        "sum_lR": sum(at.lambda_theta * r for r in measures),
        "sum_l2": T_rounds * at.lambda_theta**2,
        "sum_l2e2": T_rounds * at.lambda_theta**2 * at.eta_theta**2,
    }


@family(
    "identical clients along a slope",
    T_rounds=counts(16, 1, 10**8),
    n_cl=counts(2, 4, 10**6),
    P=counts(2, 1, 10**6),
    p_c=reals("1/16", "1/5"),
    **CONSTANTS,
)
def along_a_slope(
    *,
    T_rounds: int,
    n_cl: int,
    P: int,
    p_c: Number,
    L_2: Number,
    gamma: Number,
    c_0: Number,
    c_lam: Number,
    c_eta: Number,
) -> dict[str, Any]:
    """``f_i`` of slope s from 4/3 on, alone, ``tau = 1``, from ``4/3 + s E`` with ``E = lambda_x T/c_0``.

    No round leaves the slope, and for ``s = (1 + E)^(-1/2)`` the start is worth at most 7/3: nothing depends on ``P``.
    """
    one = gamma / gamma
    at = first_steps(T_rounds=T_rounds, tau=1, P=P, L_2=L_2, gamma=gamma, c_0=c_0, c_lam=c_lam, c_eta=c_eta)
    E = at.lambda_x * T_rounds / c_0
    s = 1 / sqrt(1 + E)
    f = rounded(s, 2 * one / 3)
    problem = Problem((Client(one, Level((Term(f, one, 0),)), Level()),), gamma, (0 * one, 0 * one))
    R = (s / (c_0 * (T_rounds * one) ** p_c)) ** 2
    return {
        **told(problem, at, n_cl, T_rounds, L_2=L_2, Lip_f=one, L_1=one),
        "R_best": R,
        "R_fixed": R,
        "Psi_0": f.value(4 * one / 3 + s * E) / c_0,
        "unconstrained": Fact(True, "X and Y are the line"),
    }


@family(
    "two clients at rest",
    T_rounds=counts(16, 1, 10**8),
    tau=counts(16, 1, 1000),
    p_c=reals("1/16", "1/5"),
    tau_c=reals(1),
    **CONSTANTS,
)
def clients_at_rest(
    *,
    T_rounds: int,
    tau: int,
    p_c: Number,
    tau_c: Number,
    L_2: Number,
    gamma: Number,
    c_0: Number,
    c_lam: Number,
    c_eta: Number,
) -> dict[str, Any]:
    """``g_1 = -y/2`` and ``g_2 = y^2/2`` up to ``|y| = 1`` at the point that local steps do not leave; ``f = 0``.

    As ``y = theta`` both move by ``-eta g_i'``, so client 2 is at ``(1 - eta)^k y``. Its mean slope
    ``y (1 - (1 - eta)^tau)/(tau eta)`` is 1/2 at the start, and all rounds end where they begin.
    """
    one = gamma / gamma
    at = first_steps(T_rounds=T_rounds, tau=tau, P=2, L_2=L_2, gamma=gamma, c_0=c_0, c_lam=c_lam, c_eta=c_eta)
    eta = at.eta_y
    y = tau * eta / (2 * (1 - (1 - eta) ** tau))
    if not y <= 1 or not eta <= 1:
        raise ValueError(f"the clients rest at {y} with eta = {eta}; both should be at most 1")
    lower = (Level((Term(line(one), 0, -one / 2),)), Level((Term(rounded(one, one), 0, one),)))
    problem = Problem(tuple(Client(one / 2, Level(), g) for g in lower), gamma, (0 * one, 0 * one))
    # y - theta* is a share of y - 1/2, where G is least
    share = gamma / (2 + gamma)
    R = ((y - one / 2) / 2 * share) ** 2
    return {
        **told(problem, at, 2, T_rounds, L_2=L_2),
        "R_best": R,
        "R_fixed": R,
        "T_eps": T_rounds,
        "eps": R,
        "Psi_0": (y - one / 2) ** 2 * (share / 4 + lyapunov_weight(L_2, gamma) * share**2),
    }


@family(
    "noise alone",
    T_rounds=counts(16, 1, 10**8),
    n_cl=counts(2, most=2),
    P=counts(2, 1, most=2),
    p_c=reals("1/16", "1/5"),
    **CONSTANTS,
)
def noise_alone(
    *,
    T_rounds: int,
    n_cl: int,
    P: int,
    p_c: Number,
    L_2: Number,
    gamma: Number,
    c_0: Number,
    c_lam: Number,
    c_eta: Number,
) -> dict[str, Any]:
    """``g_i = zeta y``, ``zeta = +-1``, and nothing else, without constraints; ``tau = 1``, start at 0.

    ``u = y - theta`` moves by ``(lambda_theta - lambda_y)(zeta - u/gamma)``, ``y`` by ``-lambda_y (zeta - u/gamma)``.
    """
    one = gamma / gamma
    at = first_steps(T_rounds=T_rounds, tau=1, P=P, L_2=L_2, gamma=gamma, c_0=c_0, c_lam=c_lam, c_eta=c_eta)
    client = Client(one / n_cl, Level(), Level(), noise_g=noise(0 * one, one))
    problem = Problem((client,) * n_cl.__index__(), gamma, (0 * one, 0 * one))
    faster = at.lambda_theta - at.lambda_y
    kept, drawn = (1 - faster / gamma) ** 2, one / P
    # E u^2 of rounds 0, ..., T - 1 is a geometric sum; theta* = y
    sum_u2 = faster**2 * drawn * (T_rounds - geometric(kept, T_rounds)) / (1 - kept)
    rho, K = 1 / gamma - L_2, lyapunov_weight(L_2, gamma)
    G2 = L_2**2 + 1 / gamma**2
    weight = K * G2 / rho**2
    moved = 4 * weight / (rho * at.lambda_theta) * at.lambda_y**2 * (T_rounds * drawn + sum_u2 / gamma**2)
    return {
        **told(problem, at, n_cl, T_rounds, L_2=L_2),
        "sum_moved": moved + G2 * at.lambda_theta * rho * sum_u2 / (64 * weight),
        "Psi_0": 0 * one,
    }


@family(
    "a solution at the end of a half-line",
    T_rounds=counts(16, 1, 10**8),
    p_c=reals("1/16", "1/5"),
    q_s=reals("3/4"),
    **CONSTANTS,
)
def solution_at_an_end(
    *, T_rounds: int, p_c: Number, q_s: Number, L_2: Number, gamma: Number, c_0: Number, c_lam: Number, c_eta: Number
) -> dict[str, Any]:
    """``f_i = x`` on ``x >= 0``, without lower level and noise, from its solution 0, where all rounds stay."""
    one = gamma / gamma
    at = first_steps(T_rounds=1, tau=1, P=2, L_2=L_2, gamma=gamma, c_0=c_0, c_lam=c_lam, c_eta=c_eta)
    client = Client(one / 2, Level((Term(line(one), one, 0),)), Level())
    problem = Problem((client,) * 2, gamma, (0 * one, 0 * one), X=Interval(0 * one))
    return {**told(problem, at, 2, T_rounds, L_2=L_2), "grad_F": one, "R_best": 0 * one}
