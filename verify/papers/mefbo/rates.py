"""What holds of the rates, on short runs with all their outcomes."""

from __future__ import annotations

from typing import Any

from rateproof.algos.problems.base import Fact
from rateproof.theory.papers.mefbo import rates as claims
from rateproof.verify.form import choice, counts, family, reals, record
from rateproof.verify.form.arithmetic import Number, around, largest, sqrt
from rateproof.verify.form.parts import steps
from rateproof.verify.papers.mefbo.families import CURVED, LEVELS, LINEAR, clients, ratio_of_steps
from rateproof.verify.papers.mefbo.rounds import (
    Point,
    Problem,
    Steps,
    average,
    direction,
    ends,
    local,
    lyapunov_weight,
    play,
    played,
)


def squares_of_y(problem: Problem, moves: Steps, start: Point) -> Number:
    """The mean over clients and local steps of ``E ||direction of y without noise||^2``."""
    found = 0 * moves.c
    for client in problem.clients:
        for k in range(moves.tau.__index__()):
            server, clients = (moves.lambda_theta,) * 3, (moves.eta_theta, moves.eta_x, moves.eta_y)
            shorter = Steps(k, moves.P, moves.c, *server, *clients)
            ways = [start] if k == 0 else [w.at for w in local(client, start, shorter, problem.gamma)]
            squares = [direction(client, at, moves.c, problem.gamma)[1] ** 2 for at in ways]
            found += client.weight * average(squares) / moves.tau
    return found


@family(
    "a run of MeFBO with half the steps of Lemma D.8",
    **LEVELS,
    steps_are=choice("fixed", "decreasing"),
    T_rounds=counts(1, 2, most=2),
    P=counts(2, 1, most=2),
    tau=counts(1, 2, most=2),
    f_x=reals(1, 0, low=0.1, high=1, zero=True),
    apart=reals(0, 1, low=0.1, high=10, zero=True),
    **LINEAR,
    **CURVED,
    c_0=reals(1, 4, low=0.1, high=10),
    p_c=reals("1/16"),
    q_s=reals("3/4", "11/20"),
    lambda_0=reals("1/1000", "1/100", low=1e-4, high=0.01),
    eta_theta=reals("1/10000", "1/10", 2, low=1e-5, high=1),
    eps=reals(10**8, low=10**6, high=10**10),
    x_t=reals(1, 0, 5, low=0.1, high=10, zero=True),
    y_t=reals(-1, 0, low=0.1, high=10, zero=True),
    theta_t=reals(0, -1, low=0.1, high=10, zero=True),
)
def short_run(
    *,
    lower: str,
    X: str,
    Y: str,
    steps_are: str,
    T_rounds: int,
    P: int,
    tau: int,
    f_x: Number,
    apart: Number,
    k: Number,
    tilt: Number,
    u: Number,
    v: Number,
    gamma: Number,
    L_2: Number,
    c_0: Number,
    p_c: Number,
    q_s: Number,
    lambda_0: Number,
    eta_theta: Number,
    eps: Number,
    x_t: Number,
    y_t: Number,
    theta_t: Number,
) -> dict[str, Any]:
    """Two clients, with steps that are the same in all rounds or fall; metrics are the largest over the rounds."""
    one, g, fixed = gamma / gamma, L_2 / 2 if k != 0 else L_2, steps_are == "fixed"
    problem = clients(lower, "equal", X, Y, 2, (f_x, 0 * f_x), apart, g, k, tilt, u, v, gamma)
    ratio, start = ratio_of_steps(L_2, gamma) / 2, Point(x_t, y_t, theta_t)
    every = []
    for t in steps(T_rounds):
        server = lambda_0 if fixed else lambda_0 / ((t + 1) * one) ** q_s
        moves = around(ratio * server)
        every.append(Steps(tau, P, c_0 * ((t + 1) * one) ** p_c, server, moves, moves, *[eta_theta] * 3))
    worst = dict.fromkeys(("D_x_max", "D_y_max", "D_theta_max", "dir2_y_max"), 0 * one)
    measures = []
    for at, states in zip(every, played(problem, every, start), strict=False):
        R, seen = 0 * one, dict.fromkeys(worst, 0 * one)
        for probability, point in states:
            r = play(problem, at, point)
            parts = (r.drift(0), r.drift(1), r.drift(2), squares_of_y(problem, at, point))
            seen = {name: seen[name] + probability * part for name, part in zip(seen, parts, strict=True)}
            R += probability * ends(r, at.c, one)["R_end"]
        worst = {name: largest(worst[name], seen[name]) for name in worst}
        measures.append(R)
    least, star = problem.least(), problem.theta_star(x_t, y_t)
    known = {name: one if x is None else x for name, x in least.items()}
    values = {**known, **every[0].told(), "L_2": L_2, "c_0": c_0, "T_rounds": T_rounds}
    inside = problem.contains(x_t, y_t) and problem.Y.project(theta_t) == theta_t
    return {
        **values,
        **worst,
        "c_next": every[-1].c,
        "t_round": 0,
        "c_lam": lambda_0 * sqrt(T_rounds * one) / sqrt(sqrt(tau * one)),
        "R_best": min(measures),
        "cR_best": min(at.c**2 * R for at, R in zip(every, measures, strict=True)),
        "Psi_0": problem.Phi(x_t, y_t, c_0, star) + lyapunov_weight(L_2, gamma) * (theta_t - star) ** 2,
        **problem.facts(least, values),
        "mefbo": Fact(inside, f"it starts at ({x_t}, {y_t}), theta = {theta_t}"),
        "fixed": Fact(fixed, f"the steps are {steps_are}"),
        "S-dec/2": Fact(not fixed, f"the steps are {steps_are}"),
        "S-fixed/2": Fact(fixed, f"the steps are {steps_are}"),
        "S-fixed/2 at tau=1": Fact(fixed and tau == 1, f"the steps are {steps_are}, tau = {tau}"),
    }


falling = short_run.narrowed("the same with steps that fall", steps_are=choice("decreasing"))
one_of_two = short_run.narrowed("the same with one of two clients", P=counts(1, most=1))
C1_CORRECTED, GRAD_F_CORRECTED = (record(claim, families=[falling]) for claim in claims.CLAIMS[:2])
REM34_1, REM34_2, TAB1_6, REMD1, COR35_I, CORD12_I = (
    record(claim, families=[short_run]) for claim in claims.CLAIMS[2:8]
)
COR35_II, CORD12_II = (record(claim, families=[one_of_two]) for claim in claims.CLAIMS[8:])
