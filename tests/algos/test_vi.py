"""The projection method: its steps by hand, its contraction, its shortcut, and its parameters."""

import math

import numpy as np
import pytest

from rateproof.algos.methods.fedrzo import LowerCost
from rateproof.algos.methods.fedrzo_lower import FedRZO_2s
from rateproof.algos.methods.vi import ProjectionMethod, theoretical
from rateproof.algos.noise import Streams
from rateproof.algos.problems.cournot import cournot, drawn_cournot
from rateproof.algos.problems.two_stage import affine_two_stage, scalar_two_stage

RANDOM = np.random.default_rng(2)


def by_hand(problem, x, xi, k, *, alpha, tau, y0):
    """Algorithm 5 for one query, in plain Python."""
    y = np.full(problem.nt, float(y0))
    for _ in range(math.ceil(tau * math.log(k + 1))):
        force = problem.M @ y + problem.N @ x - xi * problem.e
        y = np.array(
            [min(max(v, lo), hi) for v, lo, hi in zip(y - alpha * force, problem.low, problem.high, strict=True)]
        )
    return y


def test_every_query_takes_the_printed_steps():
    problem = affine_two_stage(M=1.0, skew=0.5, N=[[1.0], [0.5]], levels=[-1.0, 1.0], low=-1.0, nt=2, m=3)
    method = ProjectionMethod(alpha=0.3, tau=2.5, y0=0.7)
    x, xi = RANDOM.normal(size=(4, 3, 1)), RANDOM.choice([-1.0, 1.0], size=(4, 3, 1))
    for k in (0, 1, 2, 9, 30):
        y, cost = method.solve(problem, x, xi, k)
        assert y.shape == (4, 3, 2)
        for run in range(4):
            for i in range(3):
                expected = by_hand(problem, x[run, i], xi[run, i, 0], k, alpha=0.3, tau=2.5, y0=0.7)
                np.testing.assert_allclose(y[run, i], expected, atol=1e-14)
        t = math.ceil(2.5 * math.log(k + 1))
        assert cost == LowerCost(rounds=0, vectors=0, calls=3 * t, projections=3 * t)
    flat, cost = method.solve(problem, x[:, 0], xi[:, 0], 9)
    np.testing.assert_array_equal(flat, method.solve(problem, x, xi, 9)[0][:, 0])
    assert cost.calls == method.steps(9) == math.ceil(2.5 * math.log(10))


def test_the_first_step_has_no_projection_and_returns_y0():
    problem = scalar_two_stage(cap=1.0)
    y, cost = ProjectionMethod(alpha=0.5, tau=100.0, y0=5.0).solve(problem, np.zeros((2, 1, 1)), np.zeros((2, 1, 1)), 0)
    np.testing.assert_array_equal(y, np.full((2, 1, 1), 5.0))  # not even feasible
    assert cost == LowerCost()


def test_error_contracts_at_the_theoretical_rate():
    """Equality on the skew map: ``|y_t - y*|^2 = q^t |y_0 - y*|^2`` (no end of Y is met)."""
    problem = affine_two_stage(M=3.0, skew=4.0, N=0.0, low=-100.0, high=100.0, nt=2)
    plan = theoretical(3.0, 5.0)
    assert plan.q == pytest.approx(16 / 25) and plan.alpha == pytest.approx(3 / 25)
    assert (problem.mu_F, problem.L_F) == (3.0, 5.0)
    method = ProjectionMethod(alpha=plan.alpha, tau=1.0, y0=(1.0, -2.0))
    for k in (1, 5, 40, 300):
        y, _ = method.solve(problem, np.zeros((1, 1)), np.zeros((1, 1)), k)
        assert (y**2).sum() == pytest.approx(5 * (16 / 25) ** method.steps(k), rel=1e-9)


def test_accuracy_of_theorem_2():
    """``|y_k - y*|^2 <= B/(k + 1)`` with ``alpha``, ``tau`` of the theorem, on maps with active ends."""
    problem = affine_two_stage(M=1.0, skew=1.5, N=[[1.0], [-2.0]], levels=[-1.0, 1.0], low=-0.5, high=0.4, nt=2, m=2)
    plan = theoretical(problem.mu_F, problem.L_F)
    method = ProjectionMethod(alpha=plan.alpha, tau=plan.tau, y0=3.0)
    x, xi = RANDOM.normal(size=(200, 2, 1)), RANDOM.choice([-1.0, 1.0], size=(200, 2, 1))
    solution = problem.lower_solution(x, xi)
    start = ((3.0 - solution) ** 2).sum(axis=-1)
    for k in (0, 1, 2, 5, 50, 2000):
        y, _ = method.solve(problem, x, xi, k)
        assert (((y - solution) ** 2).sum(axis=-1) <= start / (k + 1) * (1 + 1e-12)).all()
    slow = ProjectionMethod(alpha=plan.alpha, tau=plan.tau / 20, y0=3.0)
    y, _ = slow.solve(problem, x, xi, 2000)
    assert (((y - solution) ** 2).sum(axis=-1) > start / 2001).any()  # below the threshold it is not enough


def test_parameters_of_the_theorem():
    plan = theoretical(0.6, 5.6)
    kappa2 = (5.6 / 0.6) ** 2
    assert plan.tau == pytest.approx(-1 / math.log(1 - 1 / kappa2)) and plan.alpha == pytest.approx(0.6 / 5.6**2)
    assert theoretical(2.0, 2.0).tau == 0.0
    # far from 1 - 1/kappa^2 = 1 in floats
    assert theoretical(1e-9, 1.0).tau == pytest.approx(1e18, rel=1e-6)
    for bad in ((0.0, 1.0), (2.0, 1.0), (1.0, math.inf)):
        with pytest.raises(ValueError, match="should satisfy 0 < mu_F <= L_F"):
            theoretical(*bad)


@pytest.mark.parametrize(
    ("game", "alpha", "tau", "y0"),
    [
        (drawn_cournot(nt=100, m=3), 1e-4, 20.0, 0.0),
        (cournot(nt=6, cap=[0.3, 0.2, 0.6, 0.5, 0.4, 0.1], m=3), 0.05, 5.0, 0.1),  # capacities are met
        (cournot(nt=10, m=3), 0.3, 4.0, 2.0),  # zeros and capacities are met on the way
    ],
)
def test_the_shortcut_equals_the_steps(game, alpha, tau, y0):
    x, a = RANDOM.uniform(-1, 11, (20, 3, 1)), RANDOM.uniform(7.5, 12.5, (20, 3, 1))
    plain = ProjectionMethod(alpha=alpha, tau=tau, y0=y0)
    quick = ProjectionMethod(alpha=alpha, tau=tau, y0=y0, shortcut=True)
    for k in (0, 1, 7, 200):
        expected, cost = plain.solve(game, x, a, k)
        found, same = quick.solve(game, x, a, k)
        np.testing.assert_allclose(found, expected, atol=1e-11)
        assert cost == same


def test_it_serves_algorithm_4():
    """The two-stage method with this solver: the shortcut changes nothing, and every call is counted."""
    game, x0 = drawn_cournot(nt=30, m=4), np.array([[0.5], [3.0]])
    found = []
    for shortcut in (False, True):
        solver = ProjectionMethod(alpha=1e-3, tau=6.0, shortcut=shortcut)
        method = FedRZO_2s(gamma=1e-3, eta=0.1, H=3, solver=solver)
        state = method.init(game, x0, Streams(0, 0, 2))
        for _ in range(4):
            state = method.round(game, state, Streams(0, 0, 2))
        found.append((state, method.counts(game, state)))
    np.testing.assert_allclose(found[0][0].x, found[1][0].x, atol=1e-9)
    calls = 2 * 4 * sum(math.ceil(6.0 * math.log(k + 1)) for k in range(12))  # two queries a client and step
    assert found[0][0].lower == found[1][0].lower == LowerCost(calls=calls, projections=calls)


def test_bad_input_is_refused_in_one_line():
    for name in ("alpha", "tau"):
        with pytest.raises(ValueError, match=f"{name} is 0.0; it should be a positive number"):
            ProjectionMethod(**{"alpha": 1.0, "tau": 1.0, name: 0.0})
    with pytest.raises(ValueError, match="'scalar_two_stage' knows no shortcut"):
        ProjectionMethod(alpha=1.0, tau=1.0, shortcut=True).solve(scalar_two_stage(), np.zeros((1, 1, 1)), None, 3)
