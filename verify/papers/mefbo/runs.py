"""Runs of MeFBO with the steps of the paper that are known in closed form, for any number of rounds.

Stepsizes and penalty are those of the first round, where the conditions (78)-(83) are the strictest.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from rateproof.algos.problems.base import Fact
from rateproof.verify.form import choice, counts, family, in_floats, reals
from rateproof.verify.form.arithmetic import Number, around, geometric, sqrt
from rateproof.verify.form.family import Family, Range
from rateproof.verify.form.parts import hyperbola, line, parabola, rounded, steps
from rateproof.verify.papers.mefbo.families import ratio_of_steps
from rateproof.verify.papers.mefbo.rounds import (
    Client,
    Interval,
    Level,
    Point,
    Problem,
    Steps,
    Term,
    lyapunov_weight,
    moved,
    noise,
)

#: Constants of problem and schedule that meet (78)-(83), also as their use needs them; ``gamma < 1/(2 L_2)``.
CONSTANTS = {
    "L_2": reals(1),
    "gamma": reals("1/4", "3/4"),
    "c_0": reals(1, 4),
    "c_lam": reals("1/64", 1),
    "c_eta": reals("1/2048", 1),
}
#: What happens with a chance of less than 1 in 2 to this power is not followed, but counted as an error.
UNSEEN = 64


def first_steps(
    *, T_rounds: int, tau: int, P: int, L_2: Number, gamma: Number, c_0: Number, c_lam: Number, c_eta: Number
) -> Steps:
    """Stepsizes and penalty of S-fixed in the first round; those of S-dec are the same for ``T = 1``."""
    one = gamma / gamma
    eighth = sqrt(sqrt(sqrt(tau * one)))
    server = c_lam * eighth**2 / sqrt(T_rounds * one)
    other = ratio_of_steps(L_2, gamma) * server
    client = c_eta / (eighth**7 * sqrt(sqrt(T_rounds * one)) * sqrt(P * one))
    return Steps(tau, P, c_0, server, other, other, client, client, client)


@dataclass(frozen=True)
class Run:
    """A run and what is known of it at once.

    Attributes:
        problem, at, start, rounds: the instance, the first steps, where it starts, and how long it is.
        numbers: those of symbols.
        p, q: exponents of the penalty and of the server's steps.
    """

    problem: Problem
    at: Steps
    start: Point
    rounds: int
    numbers: dict[str, Number]
    p: Number = 0
    q: Number = 0


class Answers(dict):  # type: ignore[type-arg]
    """What :func:`answers` says of a run."""

    run: Run


def answers(run: Run) -> Answers:
    """Numbers of a run, and answers for the hypotheses; one client stands for any number of identical ones."""
    values = {**run.at.by_symbol(), "T_rounds": run.rounds, "t_round": 0, **run.numbers}
    # (n - P)/(n - 1) and (P - 1)/(n - 1) are 0/0 for one client, who always takes part
    alone = {"A_P": 1, "B_P": 0} if values["n_cl"] == 1 else {}
    ruled = Fact(True, "the steps are those of the schedule")
    out = Answers(
        **run.problem.answers(**values),
        **alone,
        # what O(.) hides inside M_3'
        O_x=1,
        O_y=1,
        mefbo=Fact(True, "all rounds are rounds of Algorithm 1"),
        **dict.fromkeys(("S-fixed", "S-dec", "S-dec or S-fixed"), ruled),
        **{"T=T_eps": Fact(True, "with more accuracy no such number of rounds is enough")},
    )
    out.run = run
    return out


def fixed_sums(T_rounds: int, at: Steps, R: Number) -> dict[str, Number]:
    """Sums over rounds with the same steps, and the accuracy ``R`` that is reached."""
    return {
        "R_best": R,
        "R_fixed": R,
        "T_eps": T_rounds,
        "eps": R,
        "sum_l2": T_rounds * at.lambda_theta**2,
        "sum_l2e2": T_rounds * at.lambda_theta**2 * at.eta_theta**2,
    }


def runs(name: str, **ranges: Range) -> Callable[[Callable[..., Answers]], Family]:
    """A family of runs, whose twin is the method of ``algos`` where its outcomes are not too many."""

    def made(built: Callable[..., Answers]) -> Family:
        def by_algos(**params: Any) -> dict[str, float]:
            from rateproof.verify.papers.mefbo.twin import a_run

            run = built(**in_floats(params)).run
            return a_run(run.problem, run.at, run.start, run.rounds, float(params["L_2"]), p=run.p, q=run.q)

        return family(name, by_algos, **ranges)(built)

    return made


@runs(
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
    gamma: Number,
    **given: Any,
) -> Answers:
    """``(1 + (1 + 1/256) xi) u``, ``xi = +-1``, of one level, in ``u = y`` in ``[0, gamma/2]`` or ``x`` in ``[0, 1]``.

    A direction is -1/256 where all clients draw -1, and at least 1 elsewhere; ``tau = 1``, from 0. In ``y`` and
    ``theta`` it is larger by ``(theta - y)/gamma``, which stays from 0 to 1/256 for ``lambda_theta <= gamma``. So ``u``
    is carried inside where all draw -1. Elsewhere it goes back to 0, but after so many rounds inside that their chance
    is below ``2**-UNSEEN``. Inside the measure is ``(1 - y/gamma)^2`` or ``1/c_t^2``, at 0 it is 0.

    ``level``: the one that has the noise; ``steps_are``: the same in all rounds, or falling.

    Raises:
        ValueError: more clients are drawn than there are, a step is too large, or noise of g has decreasing steps.
    """
    if n_cl < P:
        raise ValueError(f"P is {P}; it should be at most n = {n_cl}")
    none, one, fixed = 0 * gamma, gamma / gamma, steps_are == "fixed"
    at = first_steps(T_rounds=T_rounds if fixed else 1, tau=1, P=P, gamma=gamma, **given)
    if not at.lambda_theta <= gamma:
        raise ValueError(f"lambda_theta is {at.lambda_theta}; it should be at most gamma = {gamma}")
    if level == "lower" and not fixed:
        raise ValueError("of the noise of g the measure is known for fixed steps; take that of f")
    less, share, c = one / 256, one / 2**P, at.c * (T_rounds * one) ** p_c
    numbers = {"n_cl": n_cl, "L_2": given["L_2"], "Psi_0": none, "tau_c": 1}
    size = 1 + less
    if level == "lower":
        R, sum_R = carried(at, gamma, less, share, T_rounds)
        client = Client(one / n_cl, Level(), Level((Term(line(one), 0, one),)), noise_g=noise(none, size))
        numbers["sum_lR"], sets = at.lambda_theta * sum_R, {"Y": Interval(none, gamma / 2)}
    else:
        R = around(share, one / 2**UNSEEN) / c**2
        client = Client(one / n_cl, Level((Term(line(one), one, 0),)), Level(), noise_f=noise(size, none))
        sets = {"X": Interval(none, one)}
    numbers |= {"R_best": R, "R_fixed": R} | (fixed_sums(T_rounds, at, R) if fixed else {})
    problem = Problem((client,) * n_cl.__index__(), gamma, (none, none), **sets)
    return answers(Run(problem, at, Point(none, none, none), T_rounds, numbers, p_c, 0 if fixed else q_s))


def carried(at: Steps, gamma: Number, less: Number, share: Number, T_rounds: int) -> tuple[Number, Number]:
    """``E R`` of the last of some rounds, which is the smallest, and its sum over all of them.

    A round ends inside with the chance ``share``, its direction then is ``-less + (theta - y)/gamma``, and else at 0.
    So after k rounds inside, and one before at 0 or the start, ``y`` and ``theta`` are where k such steps lead from 0.
    """
    y = theta = last = total = before = 0 * gamma
    for k in range(1, min(T_rounds.__index__(), 2 * UNSEEN) + 1):
        direction = (theta - y) / gamma - less
        y, theta = y - at.lambda_y * direction, theta - at.lambda_theta * direction
        now = (1 - y / gamma) ** 2
        last += share**k * (now - before)
        total += share**k * (now - before) * (T_rounds - k + 1)
        before = now
    return around(last, share / 2**UNSEEN), around(total, T_rounds * share / 2**UNSEEN)


@runs(
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
    *, T_rounds: int, n_cl: int, P: int, p_c: Number, q_s: Number, x0: Number, **given: Any
) -> Answers:
    """``f_i = sqrt(1 + x^2) - 1`` without lower level, ``tau = 1``: nothing depends on ``n`` and ``P``."""
    one, h = x0 / x0, hyperbola(x0 / x0)
    at = first_steps(T_rounds=T_rounds, tau=1, P=P, **given)
    x, measures = x0, []
    for t in steps(T_rounds):
        c = at.c * ((t + 1) * one) ** p_c
        x = x - at.lambda_x * h.slope(x) / c
        measures.append((h.slope(x) / c) ** 2)
    problem = Problem((Client(one, Level((Term(h, one, 0),)), Level()),), given["gamma"], (0 * one, 0 * one))
    numbers = {
        "n_cl": n_cl,
        "L_2": given["L_2"],
        "tau_c": 1,
        "Psi_0": h.value(x0) / at.c,
        **fixed_sums(T_rounds, at, min(measures)),
        "sum_lR": sum(at.lambda_theta * r for r in measures),
    }
    return answers(Run(problem, at, Point(x0, 0 * one, 0 * one), T_rounds, numbers, p_c))


@runs(
    "identical clients along a slope",
    T_rounds=counts(16, 1, 10**8),
    n_cl=counts(2, 4, 10**6),
    P=counts(2, 1, 10**6),
    p_c=reals("1/16", "1/5"),
    **CONSTANTS,
)
def along_a_slope(*, T_rounds: int, n_cl: int, P: int, p_c: Number, **given: Any) -> Answers:
    """``f_i`` of slope s from 4/3 on, alone, ``tau = 1``, from ``4/3 + s E`` with ``E = lambda_x T/c_0``.

    No round leaves the slope, and for ``s = (1 + E)^(-1/2)`` the start is worth at most 7/3: nothing depends on ``P``.
    """
    one = given["gamma"] / given["gamma"]
    at = first_steps(T_rounds=T_rounds, tau=1, P=P, **given)
    E = at.lambda_x * T_rounds / at.c
    s = 1 / sqrt(1 + E)
    f = rounded(s, 2 * one / 3)
    x0 = 4 * one / 3 + s * E
    problem = Problem((Client(one, Level((Term(f, one, 0),)), Level()),), given["gamma"], (0 * one, 0 * one))
    R = (s / (at.c * (T_rounds * one) ** p_c)) ** 2
    numbers = {
        "n_cl": n_cl,
        "L_2": given["L_2"],
        "Lip_f": one,
        "L_1": one,
        "R_best": R,
        "R_fixed": R,
        **dict.fromkeys(("D_x_mean", "D_y_mean", "D_theta_mean"), 0 * one),
        **dict.fromkeys(("Psi_0", "Lam_0"), f.value(x0) / at.c),
        "c_0": at.c,
        "c_next": at.c * (2 * one) ** p_c,
        "fixed": Fact(True, "the steps of all rounds"),
    }
    return answers(Run(problem, at, Point(x0, 0 * one, 0 * one), T_rounds, numbers, p_c))


@runs(
    "two clients at rest",
    T_rounds=counts(16, 1, 10**8),
    tau=counts(16, 1, 1000),
    p_c=reals("1/16", "1/5"),
    tau_c=reals(1),
    **CONSTANTS,
)
def clients_at_rest(
    *, T_rounds: int, tau: int, p_c: Number, tau_c: Number, gamma: Number, L_2: Number, **given: Any
) -> Answers:
    """``g_1 = -y/2`` and ``g_2 = y^2/2`` up to ``|y| = 1`` at the point that local steps do not leave; ``f = 0``.

    As ``y = theta`` both move by ``-eta g_i'``, so client 2 is at ``(1 - eta)^k y``. Its mean slope
    ``y (1 - (1 - eta)^tau)/(tau eta)`` is 1/2 at the start, and all rounds end where they begin.

    Raises:
        ValueError: client 2 leaves the parabola, or jumps over its minimum.
    """
    one = gamma / gamma
    at = first_steps(T_rounds=T_rounds, tau=tau, P=2, gamma=gamma, L_2=L_2, **given)
    y = tau * at.eta_y / (2 * (1 - (1 - at.eta_y) ** tau))
    if not y <= 1 or not at.eta_y <= 1:
        raise ValueError(f"the clients rest at {y} with eta = {at.eta_y}; both should be at most 1")
    lower = (Level((Term(line(one), 0, -one / 2),)), Level((Term(rounded(one, one), 0, one),)))
    problem = Problem(tuple(Client(one / 2, Level(), g) for g in lower), gamma, (0 * one, 0 * one))
    # y - theta* is a share of y - 1/2, where G is least
    share, off = gamma / (2 + gamma), y - one / 2
    R, Psi = (off / 2 * share) ** 2, off**2 * (share / 4 + lyapunov_weight(L_2, gamma) * share**2)
    numbers = {"n_cl": 2, "L_2": L_2, "R_best": R, "R_fixed": R, "T_eps": T_rounds, "eps": R, "Psi_0": Psi}
    return answers(Run(problem, at, Point(0 * one, y, y), T_rounds, numbers))


@runs(
    "noise alone",
    T_rounds=counts(4, 1, 10**8),
    n_cl=counts(2, most=2),
    P=counts(2, 1, most=2),
    p_c=reals("1/16", "1/5"),
    **CONSTANTS,
)
def noise_alone(*, T_rounds: int, n_cl: int, P: int, p_c: Number, gamma: Number, L_2: Number, **given: Any) -> Answers:
    """``g_i = zeta y``, ``zeta = +-1``, and nothing else, without constraints; ``tau = 1``, start at 0.

    ``u = y - theta`` moves by ``(lambda_theta - lambda_y)(zeta - u/gamma)``, ``y`` by ``-lambda_y (zeta - u/gamma)``.
    """
    none, one = 0 * gamma, gamma / gamma
    at = first_steps(T_rounds=T_rounds, tau=1, P=P, gamma=gamma, L_2=L_2, **given)
    client = Client(one / n_cl, Level(), Level(), noise_g=noise(none, one))
    problem = Problem((client,) * n_cl.__index__(), gamma, (none, none))
    faster, drawn = at.lambda_theta - at.lambda_y, one / P
    kept = (1 - faster / gamma) ** 2
    # E u^2 of rounds 0, ..., T - 1 is a geometric sum; theta* = y
    gaps = faster**2 * drawn * (T_rounds - geometric(kept, T_rounds)) / (1 - kept)
    moves = at.lambda_y**2 * (T_rounds * drawn + gaps / gamma**2)
    numbers = {"n_cl": n_cl, "L_2": L_2, "Psi_0": none, "sum_moved": moved(at, gamma, L_2, moves, gaps)}
    return answers(Run(problem, at, Point(none, none, none), T_rounds, numbers))


@runs(
    "a lower level that decides, and an upper one that pulls",
    T_rounds=counts(16, 1, 10**8),
    p_c=reals("1/16", "1/5"),
    q_s=reals("3/4"),
    **CONSTANTS,
)
def pulled_by_the_upper_level(*, T_rounds: int, p_c: Number, q_s: Number, gamma: Number, **given: Any) -> Answers:
    """``g_i = y^2/2`` and ``f_i`` of slope 1 for ``y >= -6/c_0``, no noise, no constraints; from the solution 0.

    With ``gamma = 1/4`` ``e = theta - 4 y/5`` obeys ``e+ = (1 - 5 lambda_theta) e + 4 s/5``, ``y+ = y - s``, where
    ``s = lambda_y (1/c_t + y/5 + 4 e)``: all rounds keep ``-6/c_0 <= y <= 1/c_0`` and ``|e| <= 1/(20 c_0)``, as
    ``5 lambda_theta <= 1`` and ``c_theta <= 1/8``.

    Raises:
        ValueError: gamma is not 1/4, or the steps are too large.
    """
    one, none = gamma / gamma, 0 * gamma
    at = first_steps(T_rounds=1, tau=1, P=2, gamma=gamma, **given)
    if not (gamma * 4 == 1 and at.lambda_theta * 5 <= 1 and at.lambda_y * 8 <= at.lambda_theta):
        raise ValueError(f"gamma is {gamma} and lambda_theta {at.lambda_theta}; they should be 1/4, and at most 1/5")
    low = 6 / at.c + 4 * one / 3
    f, g = Term(rounded(one, 2 * one / 3), none, one, low), Term(parabola(one), none, one)
    client = Client(one / 2, Level((f,)), Level((g,)))
    problem = Problem((client,) * 2, gamma, (none, -low))
    numbers = {
        "n_cl": 2,
        "L_2": given["L_2"],
        "grad_F": one,
        "Psi_0": f.psi.value(low) / at.c,
        "unconstrained": Fact(True, "X and Y are the line"),
    }
    return answers(Run(problem, at, Point(none, none, none), T_rounds, numbers, p_c, q_s))
