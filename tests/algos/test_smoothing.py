"""Proximal maps against their definition, gradients against differences, and the Moreau identities."""

import numpy as np
import pytest

from rateproof.algos.smoothing import (
    grad_huber,
    grad_lsp_envelope,
    huber,
    log_sum_penalty,
    lsp_envelope,
    prox_l1,
    prox_lsp,
)

POINTS = np.concatenate([np.linspace(-4, 4, 33), [0.3, -0.3, 0.299999, 0.300001]])
GRID = np.linspace(-6, 6, 240_001)
LSP = [(0.3, 1.0), (0.3, 0.6), (0.25, 0.5), (1.0, 1.0), (1e-3, 2.0)]


@pytest.mark.parametrize("mu", [0.3, 1.0, 2.5])
def test_huber_is_the_envelope_of_the_l1_norm(mu):
    for u in POINTS:
        values = np.abs(GRID) + (u - GRID) ** 2 / (2 * mu)
        assert huber([u], mu=mu) == pytest.approx(values.min(), abs=1e-9)
        assert prox_l1(np.array([u]), mu=mu)[0] == pytest.approx(GRID[values.argmin()], abs=1e-4)


@pytest.mark.parametrize("mu", [0.3, 1.0, 2.5])
def test_huber_has_its_standard_form(mu):
    want = np.where(np.abs(POINTS) <= mu, POINTS**2 / (2 * mu), np.abs(POINTS) - mu / 2)
    np.testing.assert_allclose(huber(POINTS[:, None], mu=mu), want, rtol=1e-14, atol=1e-16)
    np.testing.assert_allclose(huber(POINTS, mu=mu), want.sum(), rtol=1e-14)
    excess = np.abs(POINTS).sum() - huber(POINTS, mu=mu)
    assert 0 <= excess <= len(POINTS) * mu / 2


def test_huber_gradient_is_the_moreau_gradient():
    x = np.random.default_rng(0).normal(size=(3, 5))
    want = (x - prox_l1(x, mu=0.4)) / 0.4
    np.testing.assert_allclose(grad_huber(x, mu=0.4), want, rtol=1e-14)
    for out in (np.empty((3, 5)), np.empty((3, 5), order="F")):
        assert grad_huber(x, mu=0.4, out=out) is out
        np.testing.assert_array_equal(out, grad_huber(x, mu=0.4))
    step = 1e-6
    for j in range(5):
        move = step * np.eye(5)[j]
        slope = (huber(x + move, mu=0.4) - huber(x - move, mu=0.4)) / (2 * step)
        np.testing.assert_allclose(want[:, j], slope, atol=1e-5)


@pytest.mark.parametrize(("mu", "epsilon"), LSP)
def test_prox_lsp_minimises(mu, epsilon):
    for u in POINTS:
        values = np.log1p(np.abs(GRID) / epsilon) + (u - GRID) ** 2 / (2 * mu)
        point = prox_lsp(np.array([u]), mu=mu, epsilon=epsilon)
        at_point = np.log1p(abs(point[0]) / epsilon) + (u - point[0]) ** 2 / (2 * mu)
        assert at_point <= values.min() + 1e-14
        assert lsp_envelope(np.array([u]), mu=mu, epsilon=epsilon) == pytest.approx(at_point, rel=1e-14)


def test_prox_lsp_vanishes_up_to_its_threshold_and_is_odd():
    mu, epsilon = 0.3, 0.6
    edge = mu / epsilon
    assert prox_lsp(np.array([edge, -edge, 0.0]), mu=mu, epsilon=epsilon).tolist() == [0, 0, 0]
    assert 0 < prox_lsp(np.array([edge + 1e-6]), mu=mu, epsilon=epsilon)[0] < 1e-4
    x = np.linspace(0.01, 5, 50)
    np.testing.assert_array_equal(prox_lsp(-x, mu=mu, epsilon=epsilon), -prox_lsp(x, mu=mu, epsilon=epsilon))


@pytest.mark.parametrize(("mu", "epsilon"), [(0.3, 1.0), (0.3, 0.6), (1e-3, 2.0)])
def test_lsp_envelope_gradient_and_its_lipschitz_constant(mu, epsilon):
    x = np.random.default_rng(1).normal(size=400) * 2
    gradient = grad_lsp_envelope(x, mu=mu, epsilon=epsilon)
    step = 1e-7
    slope = [
        (
            lsp_envelope(np.array([u + step]), mu=mu, epsilon=epsilon)
            - lsp_envelope(np.array([u - step]), mu=mu, epsilon=epsilon)
        )
        / (2 * step)
        for u in x
    ]
    np.testing.assert_allclose(gradient, slope, atol=1e-4 / mu**0.5)
    order = np.argsort(x)
    ratios = np.abs(np.diff(gradient[order]) / np.diff(x[order]))
    assert ratios.max() <= max(1 / mu, 1 / (epsilon**2 - mu)) * (1 + 1e-6)


def test_log_sum_penalty_sums_over_the_last_axis():
    x = np.array([[1.0, -2.0], [0.0, 3.0]])
    np.testing.assert_allclose(log_sum_penalty(x, epsilon=0.5), [np.log(3 * 5), np.log(7)], rtol=1e-15)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: prox_l1([1.0], mu=0.0), "mu is 0.0; it should be a positive number"),
        (lambda: huber([1.0], mu=float("nan")), "mu is nan"),
        (lambda: grad_huber([1.0], mu=-1.0), "mu is -1.0"),
        (lambda: log_sum_penalty([1.0], epsilon=0.0), "epsilon is 0.0"),
        (lambda: prox_lsp([1.0], mu=1.0, epsilon=0.5), r"sqrt\(mu\) is 1; it should be at most epsilon = 0.5"),
        (lambda: lsp_envelope([1.0], mu=float("inf"), epsilon=0.5), "mu is inf"),
    ],
)
def test_bad_parameters_are_named(call, words):
    with pytest.raises(ValueError, match=words):
        call()
