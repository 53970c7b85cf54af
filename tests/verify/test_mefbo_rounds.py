"""MeFBO on two numbers: constants of levels, a round with every outcome, and what a round does not depend on."""

import math
from dataclasses import replace
from fractions import Fraction
from random import Random

import pytest

from rateproof.verify.counterexamples.replay import precisely
from rateproof.verify.form.arithmetic import Exact
from rateproof.verify.form.parts import hyperbola, line, parabola, rounded, wave
from rateproof.verify.papers.mefbo.families import one_round
from rateproof.verify.papers.mefbo.rounds import (
    Client,
    Interval,
    Level,
    Point,
    Problem,
    Steps,
    Term,
    measured,
    noise,
    play,
    played,
)

STEPS = Steps(2, 2, 2.0, 0.1, 0.05, 0.05, 0.02, 0.02, 0.02)


def cosines(a=(0.0, 1.0), b=(2.0, -1.0), best=None, **noises):
    """Family F2 of the catalog: 1 - cos(y - x - s_i) under hyperbolas."""
    clients = tuple(
        Client(
            0.5,
            Level((Term(hyperbola(1.0), 1.0, 0.0, -at_x), Term(hyperbola(1.0), 0.0, 1.0, -at_y))),
            Level((Term(wave(1.0), -1.0, 1.0, -s),)),
            **noises,
        )
        for at_x, at_y, s in zip(a, b, (0.5, -0.5), strict=True)
    )
    return Problem(clients, 0.2, best)


def test_the_regression_values_of_the_cosine():
    problem, z = cosines(), (0.3, 0.8)
    star = problem.theta_star(*z)
    assert star == pytest.approx(0.727268364165, abs=1e-12)
    assert problem.v(*z, star) == pytest.approx(0.214535875539, abs=1e-12)
    assert problem.R(*z, 2.0, star) == pytest.approx(0.023521977621, abs=1e-12)
    rounds = [replace(STEPS, c=2 * (t + 1) ** 0.1) for t in range(3)]
    ((_, end),) = played(problem, rounds, Point(*z, 0.5))[-1]
    assert (end.x, end.y, end.theta) == pytest.approx((0.336981164552, 0.899341720177, 0.762997065972), abs=1e-12)


@pytest.mark.parametrize("seed", range(8))
def test_constants_of_a_level_are_those_of_difference_quotients(seed):
    rng = Random(seed)
    profiles = [hyperbola(1.5), rounded(0.7, 1.3), wave(0.8), line(-0.6)]
    level = Level(tuple(Term(h, rng.uniform(-2, 2), rng.uniform(-2, 2), rng.uniform(-1, 1)) for h in profiles))
    steepest = (level.steepest(), level.steepest("a"), level.steepest("b"), level.bend())
    for _ in range(200):
        z = rng.uniform(-9, 9), rng.uniform(-9, 9)
        g, d = level.gradient(*z), (rng.gauss(0, 1) * 1e-5, rng.gauss(0, 1) * 1e-5)
        near = level.gradient(z[0] + d[0], z[1] + d[1])
        change = level.value(z[0] + d[0], z[1] + d[1]) - level.value(*z)
        assert change == pytest.approx(g[0] * d[0] + g[1] * d[1], abs=1e-8)
        found = (math.hypot(*g), abs(g[0]), abs(g[1]), math.dist(near, g) / math.hypot(*d))
        assert all(x <= most + 1e-5 for x, most in zip(found, steepest, strict=True))
    one = Level((Term(hyperbola(2.0), 3.0, 4.0),))
    assert (one.steepest(), one.steepest("a"), one.bend()) == pytest.approx((10, 6, 50))


def test_heterogeneity_is_of_what_clients_do_not_share():
    common = Term(parabola(1.0), 0.0, 1.0)
    clients = [Client(w, Level(), Level((common, Term(line(e), 0.0, 1.0)))) for w, e in ((0.25, 3.0), (0.75, -1.0))]
    assert Problem(tuple(clients), 0.2, None).heterogeneity() == pytest.approx(math.sqrt(3))


def test_with_one_local_step_the_client_steps_have_no_effect():
    exact = {n: r.corners[0] for n, r in one_round.ranges.items()}
    exact |= {"u": Fraction(1), "v": Fraction(1), "tilt": Fraction(1), "f_x": Fraction(1), "x_t": Fraction(1), "P": 1}
    ends = [
        one_round.trial(exact | {"eta_x": eta, "eta_y": eta, "eta_theta": eta}) for eta in (Fraction(1, 9), Fraction(7))
    ]
    names = ("Phi_end", "gap2_end", "step_x", "step_y", "R_end", "h_theta2")
    assert [ends[0].numbers[n] for n in names] == [ends[1].numbers[n] for n in names]
    assert ends[0].numbers["step_x"] > 0 and ends[0].numbers["D_x"] == 0


@pytest.mark.parametrize("tau", [1, 2, 50])
def test_of_equal_clients_without_noise_it_does_not_matter_who_takes_part(tau):
    given = {n: r.corners[0] for n, r in one_round.ranges.items()}
    given |= {"n_cl": 3, "tau": tau, "f_x": Fraction(1), "x_t": Fraction(1), "theta_t": Fraction(-1)}
    ends = [one_round.trial(given | {"P": P}).numbers for P in (1, 2, 3)]
    for name in ("Phi_end", "gap2_end", "step_x", "D_x", "D_theta"):
        assert ends[0][name] == ends[1][name] == ends[2][name]
        assert ends[0][name] > 0 or (tau, name[0]) == (1, "D")


def test_probabilities_add_up_and_equal_points_are_one():
    problem = cosines((0.0, 0.0), (0.0, 0.0), (0.0, 0.0), noise_f=noise(0.1, 0.2), noise_g=noise(0.3, 0.1))
    outcomes = play(problem, replace(STEPS, P=1), Point(0.3, 0.8, 0.5)).outcomes
    assert len(outcomes) == 2 * 4**2 and sum(o.probability for o in outcomes) == pytest.approx(1)
    alone = Problem((Client(1.0, Level(), Level(), noise(1.0, 0.0)),), 0.2, (0.0, 0.0))
    run = played(alone, [replace(STEPS, tau=1, P=1, lambda_x=0.25)] * 4, Point(0.0, 0.0, 0.0))
    assert [len(states) for states in run] == [1, 2, 3, 4, 5]
    assert [p for p, _ in sorted(run[-1], key=lambda s: s[1].x)] == pytest.approx([1 / 16, 1 / 4, 3 / 8, 1 / 4, 1 / 16])


def test_facts_say_what_an_instance_misses():
    found = measured(cosines(best=(0.5, 0.5)), STEPS, Point(0.3, 0.8, 0.5), L_2=1.9, Het=2.0)
    assert found["A1(i)"].holds and not found["g_smooth"].holds and found["g_dissimilar"].holds
    assert not measured(cosines(), STEPS, Point(0.3, 0.8, 0.5))["A1(i)"].holds
    walled = replace(cosines(best=(0.5, 0.5)), X=Interval(1.0, None))
    assert not measured(walled, STEPS, Point(1.0, 0.8, 0.5))["A1(i)"].holds
    assert not measured(walled, STEPS, Point(0.3, 0.8, 0.5))["mefbo"].holds


def test_distance_from_a_normal_cone():
    wall = Interval(0.0, 2.0)
    assert [wall.off(x, d) for x in (0.0, 1.0, 2.0) for d in (-3.0, 3.0)] == [0, 3, 3, 3, 3, 0]
    assert Interval(1.0, 1.0).off(1.0, 5.0) == 0 and wall.project(-1.0) == 0 and wall.project(9.0) == 2


def test_too_many_outcomes_are_refused():
    with precisely(), pytest.raises(ValueError, match="outcomes are not listed"):
        one = Exact(1)
        client = Client(one, Level(), Level(), noise(one, one))
        play(Problem((client,), one / 5, None), Steps(20, 1, *[one] * 7), Point(one, one, one))
