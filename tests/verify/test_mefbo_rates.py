"""Closed forms of runs of MeFBO against rounds that are played with all their outcomes."""

from dataclasses import replace
from fractions import Fraction

import pytest

from rateproof.verify.form.parts import hyperbola, line, rounded
from rateproof.verify.papers.mefbo import runs
from rateproof.verify.papers.mefbo.rounds import (
    Client,
    Interval,
    Level,
    Point,
    Problem,
    Steps,
    Term,
    lyapunov_weight,
    noise,
    played,
)

GAMMA = 0.25
START = Point(0.0, 0.0, 0.0)


def found(family, **params):
    first = {name: r.corners[0] for name, r in family.ranges.items()}
    return family.floats({**first, **{k: Fraction(str(v)) if isinstance(v, float) else v for k, v in params.items()}})


def steps(values, T, q=0.0, p=0.0):
    names = ("lambda_theta", "lambda_x", "lambda_y", "eta_theta", "eta_x", "eta_y")
    first = Steps(int(values["tau"]), int(values["P"]), values["c_0"], *(values[name] for name in names))
    servers = ("lambda_theta", "lambda_x", "lambda_y")
    return [
        replace(first, c=first.c * (t + 1) ** p, **{n: getattr(first, n) / (t + 1) ** q for n in servers})
        for t in range(T)
    ]


def measures(problem, run, rounds):
    return [
        sum(chance * problem.R(z.x, z.y, at.c, problem.theta_star(z.x, z.y)) for chance, z in after)
        for after, at in zip(run[1:], rounds, strict=True)
    ]


@pytest.mark.parametrize("P", [1, 2])
@pytest.mark.parametrize(("steps_are", "q"), [("fixed", 0.0), ("decreasing", 0.75)])
@pytest.mark.parametrize("level", ["lower", "upper"])
def test_noise_at_an_end(level, steps_are, q, P):
    values = found(runs.noise_at_an_end, level=level, steps_are=steps_are, T_rounds=3, P=P)
    rounds = steps(values, 3, q=q, p=1 / 16)
    last, up = rounds[-1], Level((Term(line(1.0), 1.0 * (level == "upper"), 1.0 * (level == "lower")),))
    if level == "lower":
        client = Client(0.5, Level(), up, noise_g=noise(0.0, 2.0))
        problem = Problem((client,) * 2, GAMMA, (0.0, 0.0), Y=Interval(0.0, last.lambda_y / 2))
    else:
        client = Client(0.5, up, Level(), noise_f=noise(2.0, 0.0))
        end = last.lambda_x / (2 * (3 ** (1 / 16)))
        problem = Problem((client,) * 2, GAMMA, (0.0, 0.0), X=Interval(0.0, end))
    every = measures(problem, played(problem, rounds, START), rounds)
    assert min(every) == pytest.approx(values["R_best"], rel=1e-9)
    if values.get("sum_lR"):
        assert last.lambda_theta * sum(every) == pytest.approx(values["sum_lR"], rel=1e-9)


def test_a_fixed_interval_does_not_help_either():
    problem = Problem(
        (Client(0.5, Level(), Level((Term(line(1.0), 0.0, 1.0),)), noise_g=noise(0.0, 2.0)),) * 2,
        GAMMA,
        (0.0, 0.0),
        Y=Interval(0.0, GAMMA / 2),
    )
    rounds = [Steps(1, 2, 1.0, 0.02, 0.0004, 0.0004, 1e-4, 1e-4, 1e-4)] * 4
    assert min(measures(problem, played(problem, rounds, START), rounds)) > 1 / 16


@pytest.mark.parametrize("tau", [1, 2, 5])
def test_two_clients_stay_at_rest(tau):
    values = found(runs.clients_at_rest, T_rounds=1, tau=tau, c_eta=0.5)
    lower = (Level((Term(line(1.0), 0.0, -0.5),)), Level((Term(rounded(1.0, 1.0), 0.0, 1.0),)))
    problem = Problem(tuple(Client(0.5, Level(), g) for g in lower), GAMMA, (0.0, 0.0))
    (one,) = steps(values, 1)
    y = tau * one.eta_y / (2 * (1 - (1 - one.eta_y) ** tau))
    run = played(problem, [one], Point(0.0, y, y))
    ((_, end),) = run[1]
    assert (end.y, end.theta) == pytest.approx((y, y), rel=1e-12)
    assert measures(problem, run, [one]) == pytest.approx([values["R_best"]], rel=1e-6, abs=1e-16)
    star = problem.theta_star(0.0, y)
    psi = problem.Phi(0.0, y, 1.0, star) + lyapunov_weight(1.0, GAMMA) * (y - star) ** 2
    assert psi == pytest.approx(values["Psi_0"], rel=1e-6, abs=1e-14)


@pytest.mark.parametrize("P", [1, 2])
def test_identical_clients(P):
    values = found(runs.identical_clients, T_rounds=3, P=P)
    client = Client(0.5, Level((Term(hyperbola(1.0), 1.0, 0.0),)), Level())
    problem = Problem((client,) * 2, GAMMA, (0.0, 0.0))
    rounds = steps(values, 3, p=1 / 16)
    every = measures(problem, played(problem, rounds, Point(0.75, 0.0, 0.0)), rounds)
    assert min(every) == pytest.approx(values["R_best"], rel=1e-9)
    assert rounds[0].lambda_theta * sum(every) == pytest.approx(values["sum_lR"], rel=1e-9)


@pytest.mark.parametrize("P", [1, 2])
def test_noise_alone(P):
    values = found(runs.noise_alone, T_rounds=3, P=P)
    problem = Problem((Client(0.5, Level(), Level(), noise_g=noise(0.0, 1.0)),) * 2, GAMMA, (0.0, 0.0))
    rounds = steps(values, 3)
    K, L_theta = lyapunov_weight(1.0, GAMMA), 17**0.5 / 3
    total, states = 0.0, played(problem, rounds, START)
    for before, at in zip(states[:-1], rounds, strict=True):
        gap = sum(chance * (z.theta - z.y) ** 2 for chance, z in before)
        moved = sum(chance * c * (end.y - z.y) ** 2 for chance, z in before for c, end in played(problem, [at], z)[1])
        total += 4 * K * L_theta**2 / (3 * at.lambda_theta) * moved
        total += 17 / (64 * K * L_theta**2) * at.lambda_theta * 3 * gap
    assert total == pytest.approx(values["sum_moved"], rel=1e-9)
