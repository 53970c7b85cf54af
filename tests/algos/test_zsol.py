"""ZSOL: FedRZO_2s without local steps and without sets is the same method; with a set its models never leave it."""

import numpy as np
import pytest

from rateproof.algos.engine import run
from rateproof.algos.methods.fedrzo_lower import FedRZO_2s
from rateproof.algos.methods.zsol import ZSOL
from rateproof.algos.problems.line import huber_line
from rateproof.algos.problems.two_stage import scalar_two_stage
from rateproof.algos.sets import Box, WholeSpace, interval


def test_without_a_set_it_is_algorithm_4_with_one_local_step():
    problem = scalar_two_stage()
    assert problem.sets.free
    ours = run(ZSOL(gamma=0.05, eta=0.3, X=WholeSpace(1)), problem, np.array([0.7]), R=40, runs=5, seed=3)
    other = run(FedRZO_2s(gamma=0.05, eta=0.3), problem, np.array([0.7]), R=40, runs=5, seed=3)
    np.testing.assert_allclose(ours.x_last, other.x_last, rtol=1e-13)
    np.testing.assert_allclose(ours.x_average, other.x_average, rtol=1e-13)


def test_steps_fall_and_models_stay_in_the_set():
    problem = scalar_two_stage()
    method = ZSOL(gamma=0.5, eta=0.3, X=interval(-0.1, 0.1), power=0.5)
    done = run(method, problem, np.array([0.0]), R=60, runs=8, seed=1)
    assert np.abs(done.x_last).max() <= 0.1
    free = run(ZSOL(gamma=0.5, eta=0.3, X=WholeSpace(1), power=0.5), problem, np.array([0.0]), R=60, runs=8, seed=1)
    assert np.abs(free.x_last).max() > 0.1


def test_the_step_of_iterate_k_is_gamma_over_a_power_of_k():
    problem = scalar_two_stage()
    start = np.array([0.7])
    constant = run(ZSOL(gamma=0.2, eta=0.3, X=WholeSpace(1)), problem, start, R=1, runs=3, seed=5)
    falling = run(ZSOL(gamma=0.2, eta=0.3, X=WholeSpace(1), power=2.0), problem, start, R=1, runs=3, seed=5)
    np.testing.assert_array_equal(constant.x_last, falling.x_last)  # the first step has k = 0
    two = run(ZSOL(gamma=0.2, eta=0.3, X=WholeSpace(1), power=60.0), problem, start, R=2, runs=3, seed=5)
    np.testing.assert_allclose(two.x_last, falling.x_last, rtol=1e-12)  # the second one is 2^-60 of it


def test_bad_input():
    with pytest.raises(ValueError, match="H is 2; ZSOL has no local steps"):
        ZSOL(gamma=0.1, eta=0.1, H=2, X=WholeSpace(1))
    with pytest.raises(ValueError, match=r"power is -1; it should be a number >= 0"):
        ZSOL(gamma=0.1, eta=0.1, X=WholeSpace(1), power=-1)
    with pytest.raises(ValueError, match="X lies in dimension 2; it should be that of the problem, n = 1"):
        run(ZSOL(gamma=0.1, eta=0.1, X=Box(np.zeros(2), np.ones(2))), scalar_two_stage(), np.zeros(1), R=1)
    with pytest.raises(ValueError, match="two-stage problem"):
        run(ZSOL(gamma=0.1, eta=0.1, X=WholeSpace(1)), huber_line(), np.zeros(1), R=1)
