"""Optimal weights: the convex programme and the search over all weights against each other and against grids."""

import numpy as np
import pytest

from rateproof.algos import engine
from rateproof.algos.methods.fedweight import AcceleratedWeights
from rateproof.algos.problems.weighted_families import bernoulli_nodes, curved_nodes, gaussian_nodes, ridge_nodes
from rateproof.verify.ground_truths.solutions import GroundTruthError
from rateproof.verify.ground_truths.weighted import convex_weights, linear_gap, search_weights


@pytest.mark.parametrize("b", [1.0, 0.4])
def test_programme_and_search_agree(b):
    problem = gaussian_nodes(nodes=3, J=1, d=3, b=b, reach=4.0)
    programme = convex_weights(problem)
    found = search_weights(problem, tol=0.02)
    assert programme.value - programme.gap <= found.value <= programme.value + found.gap
    assert programme.x.max() <= b + 1e-15
    grid = problem.X.project(np.random.default_rng(0).dirichlet(np.ones(3), size=300))
    assert problem.F_hat(grid).min() >= programme.value - programme.gap


def test_the_accelerated_method_reaches_it():
    problem = ridge_nodes(nodes=6, J=2, b=0.5)
    truth = convex_weights(problem)
    step = 0.2 / problem.constants.ell1
    z = engine.run(AcceleratedWeights(eta=0.05, inner="exact", gamma=step), problem, problem.x0, R=200).x_average
    value = problem.F_hat(z[:, :6])[0]
    assert truth.value - truth.gap <= value <= truth.value + 1e-4


def test_a_search_sees_all_of_a_curve_that_is_not_convex():
    for seed in range(4):
        problem = curved_nodes(nodes=2, d=1, condition=9.0, shift=0.5, reach=3.0, seed=seed)
        t = np.linspace(0, 1, 100_001)
        values = problem.exact.F(np.column_stack([t, 1 - t]))
        found = search_weights(problem, tol=1e-5)
        assert values.min() <= found.value + 1e-12
        assert found.value - values.min() <= 1e-5
        np.testing.assert_allclose(problem.F_hat(found.x[None]), found.value, rtol=1e-7)


def test_the_linear_gap_is_that_of_the_corners():
    problem = gaussian_nodes(nodes=3, J=1, d=3, b=0.5)
    w, slope = np.full(3, 1 / 3), np.array([1.0, -2.0, 0.5])
    corners = [[0.5, 0.5, 0], [0.5, 0, 0.5], [0, 0.5, 0.5]]
    assert linear_gap(problem, w, slope) == pytest.approx(max(slope @ (w - u) for u in np.array(corners)))


def test_what_is_refused():
    with pytest.raises(GroundTruthError, match="do not share a Hessian"):
        convex_weights(curved_nodes())
    with pytest.raises(ValueError, match="there are 4 nodes; a search takes 2 or 3"):
        search_weights(gaussian_nodes(nodes=4))
    with pytest.raises(GroundTruthError, match="a larger radius would do"):
        search_weights(gaussian_nodes(nodes=2, J=0, d=2, shift=9.0))
    assert search_weights(bernoulli_nodes(chances=(0.5, 0.2, 0.9))).gap == 1e-4
