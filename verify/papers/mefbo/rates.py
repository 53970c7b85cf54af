"""What holds of the rates, on short runs with all their outcomes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from rateproof.algos.problems.base import Fact
from rateproof.theory.papers.mefbo import rates as claims
from rateproof.verify.form import choice, counts, family, in_floats, reals, record
from rateproof.verify.form.arithmetic import Number, around, sqrt
from rateproof.verify.form.parts import line, steps
from rateproof.verify.papers.mefbo.families import (
    CURVED,
    LEVELS,
    LINEAR,
    START,
    clients,
    in_vectors,
    ratio_of_steps,
)
from rateproof.verify.papers.mefbo.rounds import (
    Client,
    Interval,
    Level,
    Point,
    Problem,
    Steps,
    Term,
    measured_run,
    noise,
)
from rateproof.verify.papers.mefbo.runs import CONSTANTS, Answers, Run, answers, first_steps, runs
from rateproof.verify.papers.mefbo.sources import alone, with_ratios

Built = tuple[Problem, list[Steps], Point]


def two_clients(p: dict[str, Any], X: str, Y: str) -> tuple[Problem, Point]:
    """The instance of a short run on two sets, and its start."""
    none, g = 0 * p["gamma"], p["L_2"] / 2 if p["k"] != 0 else p["L_2"]
    linear = [p[name] for name in ("k", "tilt", "u", "v", "gamma")]
    problem = clients(p["lower"], "equal", X, Y, 2, (p["f_x"], none), p["apart"], g, *linear)
    return problem, Point(p["x_t"], p["y_t"], p["theta_t"])


def by_the_method(built: Callable[[dict[str, Any]], Built]) -> Callable[..., dict[str, float]]:
    """What ``algos`` measures of a run that is built from its parameters, for one round."""

    def measured(**params: Any) -> dict[str, float]:
        from rateproof.verify.papers.mefbo.twin import a_round

        if params["T_rounds"] > 1:
            return {}
        problem, [at], start = built(in_floats(params))
        return {"R_best": a_round(problem, at, start)["R_end"]}

    return measured


def first_round(built: Callable[[dict[str, Any]], Built]) -> Callable[[dict[str, Any]], tuple[Problem, Steps, Point]]:
    """The first round of a run that is built from its parameters."""

    def of(p: dict[str, Any]) -> tuple[Problem, Steps, Point]:
        problem, (first, *_), start = built(p)
        return problem, first, start

    return of


def built(p: dict[str, Any]) -> Built:
    """The instance, the steps of all rounds and the start of :func:`short_run`."""
    (problem, start), one = two_clients(p, p["X"], p["Y"]), 1 + 0 * p["gamma"]
    ratio, every = ratio_of_steps(p["L_2"], p["gamma"]) / 2, []
    for t in steps(p["T_rounds"]):
        server = p["lambda_0"] if p["steps_are"] == "fixed" else p["lambda_0"] / ((t + 1) * one) ** p["q_s"]
        moves, penalty = around(ratio * server), p["c_0"] * ((t + 1) * one) ** p["p_c"]
        every.append(Steps(p["tau"], p["P"], penalty, server, moves, moves, *[p["eta_theta"]] * 3))
    return problem, every, start


@family(
    "a run of MeFBO with half the steps of Lemma D.8",
    by_the_method(built),
    in_vectors(first_round(built)),
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
    lambda_0=reals("1/100", "1/1000", "1/100000000", low=1e-4, high=0.01),
    eta_theta=reals("1/10000", "1/10", 2, low=1e-5, high=1),
    eps=reals(10**8, low=10**6, high=10**10),
    **START,
)
def short_run(**given: Any) -> dict[str, Any]:
    """Two clients, with steps that are the same in all rounds or fall; their drifts are means over the rounds."""
    problem, every, start = built(given)
    T, tau, one = given["T_rounds"], given["tau"], 1 + 0 * given["gamma"]
    same, said = given["steps_are"] == "fixed", f"the steps are {given['steps_are']}, tau = {tau}"
    return {
        **measured_run(problem, every, start, given["L_2"]),
        "t_round": 0,
        "c_lam": given["lambda_0"] * sqrt(T * one) / sqrt(sqrt(tau * one)),
        "fixed": Fact(same, said),
        "S-dec/2": Fact(not same, said),
        "S-fixed/2": Fact(same, said),
        "S-fixed/2 at tau=1": Fact(same and tau == 1, said),
    }


@runs(
    "noise at the end of an interval, with half the steps of Lemma D.8",
    T_rounds=counts(16, 1, 10**8),
    P=counts(2, 1, most=2),
    **CONSTANTS,
)
def at_an_end(*, T_rounds: int, P: int, gamma: Number, L_2: Number, **given: Any) -> Answers:
    """``(1 + a zeta) y``, ``zeta = +-1``, ``a = 101/100``, of two clients on ``[0, b]``; ``tau = 1``, ``theta = y``.

    Every round ends at ``b = (a - 1) lambda_y`` where all clients draw -1, and else at 0, where the measure is 0.
    """
    none, one = 0 * gamma, gamma / gamma
    at = first_steps(T_rounds=T_rounds, tau=1, P=P, gamma=gamma, L_2=L_2, **given)
    half = around(at.lambda_y / 2)
    at = replace(at, lambda_x=half, lambda_y=half)
    a, b = 101 * one / 100, half / 100
    R = (1 - b / gamma) ** 2 / 2**P
    client = Client(one / 2, Level(), Level((Term(line(one), 0, one),)), noise_g=noise(none, a))
    numbers = {
        **dict.fromkeys(("D_x_mean", "D_y_mean", "D_theta_mean", "Psi_0"), none),
        **{"n_cl": 2, "L_2": L_2, "c_0": at.c, "c_next": at.c, "R_best": R},
        **{"var_mean": a**2 / P, "dir2_y_mean": one, "sum_lR": T_rounds * at.lambda_theta * R},
        "fixed": Fact(True, "the steps of all rounds"),
    }
    problem = Problem((client, client), gamma, (none, none), Y=Interval(none, b))
    return answers(Run(problem, at, Point(none, none, none), T_rounds, numbers))


falling = short_run.narrowed("the same with steps that fall", steps_are=choice("decreasing"))
one_of_two = short_run.narrowed(
    "the same with one of two clients that differ",
    P=counts(1, most=1),
    apart=reals(1, 0, low=0.1, high=10, zero=True),
    lambda_0=reals("1/1000", "1/100000000", low=1e-5, high=1e-3),
)
falling_of_two = one_of_two.narrowed(
    "one of two clients that differ, with steps that fall", steps_are=falling.ranges["steps_are"]
)
D11_103 = record(claims.D11_103_CORRECTED, families=[short_run, one_of_two, with_ratios, alone])
D11_110, SK_34, THEOREM34, D11, REM34_1, TAB1_6 = (
    record(claim, families=[short_run, one_of_two, with_ratios, alone, at_an_end]) for claim in claims.CLAIMS[1:7]
)
C1, GRAD_F = (record(claim, families=[falling, falling_of_two, with_ratios, alone]) for claim in claims.CLAIMS[7:9])
REM34_2, REMD1, COR35_I, CORD12_I = (record(claim, families=[short_run]) for claim in claims.CLAIMS[9:13])
COR35_II, CORD12_II = (record(claim, families=[one_of_two]) for claim in claims.CLAIMS[13:])
