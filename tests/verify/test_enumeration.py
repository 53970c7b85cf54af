"""Enumeration against hand computation, the moment recursion, and simulation-free identities."""

import math
from itertools import product

import numpy as np
import pytest

from rateproof.algos import exact
from rateproof.algos.noise import AdditiveGaussian, NoNoise, TwoPoint
from rateproof.algos.problems.power import PowerGrowth
from rateproof.algos.problems.quadratic import diagonal_selection, heterogeneous_least_squares
from rateproof.verify.deciders.enumeration import (
    averaged,
    branches,
    client_outcomes,
    expectation,
    expected,
    last,
    round_outcomes,
)

STEP = {"gamma_l": 0.1, "gamma_g": 1.5, "eta": 0.3}


class Quartic:
    """Two clients with h_i(x) = (x - c_i)^4 / 4 and f_i = 0 in one dimension: not quadratic, so no recursion."""

    name, n, N = "quartic", 1, 2
    centres = (-1.0, 2.0)

    def __init__(self, noise):
        self.noise = noise

    def grad_f(self, i, y, out=None):
        return np.zeros_like(y)

    def grad_h(self, i, y, out=None):
        return (y - self.centres[i]) ** 3


def quartic(v=0.5):
    return Quartic(TwoPoint(np.zeros(1), np.array([v])))


@pytest.mark.parametrize(
    ("noise", "K", "S", "count"),
    [
        (TwoPoint(np.ones(2), np.ones(2)), 2, 2, 3 * 4**4),
        (TwoPoint(np.ones(2), np.zeros(2)), 2, 2, 3 * 2**4),
        (TwoPoint(np.zeros(2), np.ones(2)), 1, 3, 2**3),
        (NoNoise(), 2, 1, 3),
    ],
)
def test_number_of_branches(noise, K, S, count):
    problem = diagonal_selection(c=(-1.0, 0.0, 1.0), d=((1.0, 1.0),) * 3, noise=noise)
    assert branches(problem, K=K, S=S) == count
    p, points = round_outcomes(problem, np.array([1.0, 2.0]), **STEP, K=K, S=S)
    assert points.shape == (count, 2)
    assert math.fsum(p) == pytest.approx(1, abs=1e-14)


def test_round_by_hand():
    """One client of two, one step, noise +-v: four equally likely points."""
    p, points = round_outcomes(quartic(), np.array([1.0]), **STEP, K=1, S=1)
    moves = [0.1 * ((1 - c) ** 3 + sign * 0.5) for c in (-1.0, 2.0) for sign in (-1, 1)]
    assert sorted(points[:, 0]) == pytest.approx(sorted(1 - 1.5 * move for move in moves), abs=1e-15)
    assert (p == 0.25).all()


@pytest.mark.parametrize("kappa", [1.0, 1.5, 3.0])
def test_power_growth_against_a_loop_over_signs(kappa):
    """Family I4, two local steps: every branch walked by itself in plain Python."""
    u, v = np.array([0.5, 1.0]), np.array([1.0, -0.25])
    problem = PowerGrowth(alpha=0.5, kappa=kappa, d=((1.0, 1.0), (-2.0, 0.5)), noise=TwoPoint(u, v))
    x0 = np.array([0.3, -1.0])
    total, count = 0.0, 0
    for i in range(2):
        for signs in product((-1, 1), repeat=4):
            y = x0.copy()
            for s_f, s_h in (signs[:2], signs[2:]):
                slope = 0.5 * kappa * abs(y[0]) ** (kappa - 1) * np.sign(y[0])
                y = y - 0.1 * (0.3 * (y - problem.d[i] + s_f * u) + np.array([slope, 0.0]) + s_h * v)
            total, count = total + abs(x0[0] + 1.5 * (y[0] - x0[0])), count + 1
    found = expected(problem, x0, {"dist": last(lambda x: np.abs(x[:, 0]))}, **STEP, K=2, S=1, R=1)
    assert count == branches(problem, K=2, S=1)
    assert found["dist"] == pytest.approx(total / count, rel=1e-14)


@pytest.mark.parametrize("S", [1, 2, 3])
def test_round_agrees_with_the_quadratic_one(S):
    noise = TwoPoint(np.array([0.5, -1.0]), np.array([2.0, 1.0]))
    problem = diagonal_selection(c=(-1.0, 0.0, 2.0), d=((1.0, 1.0), (0.0, 1.0), (3.0, -1.0)), noise=noise)
    x = np.array([1.0, -2.0])
    K = 1 if S == 3 else 2
    p, points = round_outcomes(problem, x, **STEP, K=K, S=S)
    q, others = exact.enumerate_round(problem, x=x, **STEP, K=K, S=S)
    assert len(p) == len(q)
    order, other = np.lexsort(points.T.round(12)), np.lexsort(others.T.round(12))
    assert np.abs(points[order] - others[other]).max() < 1e-14


@pytest.mark.parametrize(("S", "K"), [(1, 2), (2, 1), (3, 1)])
def test_two_rounds_agree_with_the_moment_recursion(S, K):
    noise = TwoPoint(np.array([0.5, -1.0, 0.0, 1.0]), np.array([2.0, 1.0, 1.0, 0.0]))
    problem = heterogeneous_least_squares(noise=noise)
    x0, theta, center = np.array([1.0, 0.0, -1.0, 2.0]), 1.25, np.ones(4)
    m = exact.moments(problem, **STEP, K=K, S=S, R=2, x0=x0, theta=theta, center=center)

    def square(x):
        return np.sum((x - center) ** 2, axis=-1)

    found = expected(
        problem,
        x0,
        {
            "last": last(square),
            "avg": averaged(square, theta=theta),
            "first": last(lambda x: x[:, 0]),
        },
        **STEP,
        K=K,
        S=S,
        R=2,
    )
    assert found["last"] == pytest.approx(m.quadratic_mean(np.eye(4), "last"), rel=1e-11)
    assert found["avg"] == pytest.approx(m.quadratic_mean(np.eye(4), "avg"), rel=1e-11)
    assert found["first"] == pytest.approx(m.mean_last[0], rel=1e-11)


def test_rounds_compose_on_a_problem_that_is_not_quadratic():
    """E x^2 by nesting two enumerated rounds equals the streamed expectation, whatever the chunk."""
    problem, x0 = quartic(), np.array([0.5])
    _, first = round_outcomes(problem, x0, **STEP, K=2, S=2)
    _, second = round_outcomes(problem, first, **STEP, K=2, S=2)
    found = expected(problem, x0, {"x4": last(lambda x: x[:, 0] ** 4)}, **STEP, K=2, S=2, R=2)
    assert found["x4"] == pytest.approx(np.mean(second**4), rel=1e-13)
    assert second.shape == (16, 16, 1)


def test_random_walk():
    """R fair steps of a walk: E x = 0, E x^2 = R, P(x^R = 0) = C(R, R/2) / 2^R, exactly."""

    def step(x):
        return np.array([0.5, 0.5]), x[:, None, :] + np.array([[-1.0], [1.0]])

    metrics = {
        "mean": last(lambda x: x[:, 0]),
        "square": last(lambda x: x[:, 0] ** 2),
        "home": last(lambda x: (x[:, 0] == 0).astype(float)),
        "highest": lambda path: path[:, :, 0].max(axis=1),
    }
    found = expectation(step, np.zeros(1), metrics, R=18, per_round=2)
    assert found["mean"] == 0
    assert found["square"] == 18
    assert found["home"] == math.comb(18, 9) / 2**18
    # reflection: E max = sum_{k >= 1} P(max >= k), P(max >= k) = P(x >= k) + P(x > k)
    law = {2 * k - 18: math.comb(18, k) / 2**18 for k in range(19)}
    assert found["highest"] == pytest.approx(
        sum(q for k in range(1, 19) for x, q in law.items() for bound in (k, k + 1) if x >= bound), rel=1e-13
    )


def test_client_outcomes_give_the_drift():
    """E||y_{i,1} - x||^2 = gamma_l^2 (||grad||^2 + variance)."""
    problem, x = quartic(), np.array([[1.0]])
    y = client_outcomes(problem, 0, x, gamma_l=0.1, eta=0.3, K=1)
    assert np.mean((y - 1) ** 2) == pytest.approx(0.01 * (8.0**2 + 0.5**2), rel=1e-14)
    assert (client_outcomes(problem, 0, x, gamma_l=0.1, eta=0.3, K=0) == x).all()


def test_average_by_hand():
    path = np.array([[[1.0], [3.0], [99.0]]])
    first = averaged(lambda x: x[:, 0], theta=2.0)(path)[0]
    assert first == pytest.approx((2 * 1 + 4 * 3) / 6)
    printed = averaged(lambda x: x[:, 0], theta=2.0, normaliser="R-1")(path)[0]
    assert printed == pytest.approx((2 * 1 + 4 * 3) / 2)


def test_refusals():
    problem = diagonal_selection(noise=TwoPoint(np.ones(2), np.ones(2)))
    x0 = np.zeros(2)
    with pytest.raises(ValueError, match=r"needs 4\.29497e\+09 branches"):
        expected(problem, x0, {}, **STEP, K=2, S=2, R=4)
    with pytest.raises(ValueError, match=r"65536 branches \(256 outcomes a round, R = 2\); the limit is 1000"):
        expected(problem, x0, {}, **STEP, K=2, S=2, R=2, limit=1000)
    with pytest.raises(ValueError, match="S is 3; it should satisfy 1 <= S <= N = 2"):
        round_outcomes(problem, x0, **STEP, K=1, S=3)
    with pytest.raises(ValueError, match="K is 0"):
        round_outcomes(problem, x0, **STEP, K=0, S=1)
    with pytest.raises(ValueError, match="R is 0"):
        expected(problem, x0, {}, **STEP, K=1, S=1, R=0)
    gaussian = diagonal_selection(noise=AdditiveGaussian.isotropic(2, sigma_f=1.0, sigma_h=1.0))
    with pytest.raises(ValueError, match="two-point noise or none, got AdditiveGaussian"):
        round_outcomes(gaussian, x0, **STEP, K=1, S=1)
    with pytest.raises(ValueError, match="normaliser is 'r'"):
        averaged(lambda x: x[:, 0], normaliser="r")
