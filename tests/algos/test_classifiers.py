"""Regularised logistic classifiers: stationary at any weight, whatever was asked for before."""

import numpy as np
import pytest
from scipy.optimize import minimize

from rateproof.algos import classifiers
from rateproof.algos.classifiers import Classifiers, grad_logistic, logistic

WEIGHTS = np.array([1.5e-3, 0.25, 0.255, 5.0, 3500.0])


def rows(count=40, features=3, seed=1):
    return np.random.default_rng(seed).normal(size=(count, features)) + 0.3


def test_minimisers_are_stationary_and_those_of_a_general_solver():
    data = rows()
    y = Classifiers(data).at(WEIGHTS)
    for weight, own in zip(WEIGHTS, y, strict=True):

        def loss(z, weight=weight):
            return float(np.log1p(np.exp(-data @ z)).sum() + weight / 2 * z @ z)

        slope = weight * own - data.T @ (1 / (1 + np.exp(data @ own)))
        assert np.linalg.norm(slope) <= 2e-13 * np.linalg.norm(data, axis=1).sum()
        np.testing.assert_allclose(own, minimize(loss, np.zeros(3), tol=1e-12).x, atol=1e-4)


def test_solutions_do_not_depend_on_the_order_of_the_queries():
    data = rows(60, 5)
    together = Classifiers(data).at(WEIGHTS)
    one = Classifiers(data)
    for k in reversed(range(len(WEIGHTS))):
        np.testing.assert_allclose(one.at(WEIGHTS[k : k + 1])[0], together[k], rtol=1e-9, atol=1e-12)
    again = one.at(WEIGHTS)
    np.testing.assert_allclose(again, together, rtol=1e-9, atol=1e-12)


def test_separable_rows_with_tiny_weights_are_solved():
    # Margins are long there, and the Hessian of a kept solution may be no good for its neighbours.
    data = np.abs(rows(30, 4, seed=2))
    weights = np.geomspace(1e-9, 1e-5, 23)
    y = Classifiers(data).at(weights)
    slope = weights[:, None] * y + grad_logistic(data, y)
    assert np.linalg.norm(slope, axis=1).max() <= 2e-13 * np.linalg.norm(data, axis=1).sum()
    assert (np.diff(np.linalg.norm(y, axis=1)) < 0).all()


def test_where_cheap_steps_do_not_lead_newton_does(monkeypatch):
    want = Classifiers(rows()).at(WEIGHTS)
    monkeypatch.setattr(classifiers, "_CHEAP", 1)
    np.testing.assert_allclose(Classifiers(rows()).at(WEIGHTS), want, rtol=1e-9, atol=1e-12)


def test_kept_solutions_serve_many_queries():
    found = Classifiers(rows())
    found.at(np.geomspace(1, 2, 500))
    assert len(found._kept) < 12


def test_gradients_are_those_of_the_losses():
    data, y, step = rows(), np.random.default_rng(0).normal(size=(2, 3)), 1e-6
    rise = [(logistic(data, y + e) - logistic(data, y - e)) / (2 * step) for e in step * np.eye(3)]
    np.testing.assert_allclose(grad_logistic(data, y), np.stack(rise, axis=1), atol=1e-7)
    own = np.stack([data[:5], data[7:12]])  # rows of its own for each run
    np.testing.assert_allclose(logistic(own, y), [logistic(own[r], y[r : r + 1])[0] for r in range(2)], rtol=1e-14)
    np.testing.assert_allclose(grad_logistic(own, y), [grad_logistic(own[r], y[r : r + 1])[0] for r in range(2)])
    # No overflow, and no loss of the small side.
    assert logistic(np.array([[1.0]]), np.array([[800.0], [-800.0]])).tolist() == [0.0, 800.0]
    assert grad_logistic(np.array([[1.0]]), np.array([[800.0], [-800.0]])).tolist() == [[0.0], [-1.0]]


@pytest.mark.parametrize("weight", [0.0, -0.1, np.nan, np.inf])
def test_weights_that_are_not_positive_are_refused(weight):
    with pytest.raises(ValueError, match="it should be a positive number"):
        Classifiers(rows()).at(np.array([1.0, weight]))
