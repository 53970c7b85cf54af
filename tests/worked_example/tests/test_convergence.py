"""The theorem of ``plainsgd.sgd`` as tests: on exact expectations, and on runs."""

import numpy as np
import pytest
from plainsgd import sgd, step

from rateproof.rates import assert_bound, assert_rate

MU, L, S = 1.0, 4.0, 1.0
KAPPA = L / MU
CURVATURE = np.array([MU, L])
START = np.array([1.0, 1.0])


def bound(R):
    return ((KAPPA - 1) ** 2 * START @ START + R * S**2 / MU**2) / (R + KAPPA - 1) ** 2


def expected_error(at):
    """E ||x_R||^2 on the quadratic f = sum_i h_i x_i^2 / 2 with noise of variance S^2 along the flattest direction."""
    mean_square, noise = START**2, np.array([S**2, 0.0])
    errors = []
    for k in range(max(at)):
        g = step(k, MU, L)
        mean_square = (1 - g * CURVATURE) ** 2 * mean_square + g**2 * noise
        if k + 1 in at:
            errors.append(mean_square.sum())
    return np.array(errors)


def test_exact_expectations(rate_snapshot):
    R = np.unique(np.geomspace(10, 10_000, 13).astype(int))
    errors = expected_error(R)
    tightness = assert_bound(errors, bound(R), at=R)
    rate = assert_rate(errors, at=R, exponent=-1)
    rate_snapshot(error=rate, bound=tightness)


@pytest.fixture(scope="module")
def runs():
    """Squared errors of 5000 independent runs, with the points where they were taken."""
    R = np.array([10, 20, 50, 100, 200, 500, 1000, 2000])
    rng = np.random.default_rng(1)

    def gradient(x):
        noise = np.zeros_like(x)
        noise[:, 0] = rng.choice([-S, S], size=len(x))
        return CURVATURE * x + noise

    x = sgd(gradient, np.tile(START, (5000, 1)), MU, L, R)
    return R, (x**2).sum(axis=2).T


def test_runs_keep_the_bound(runs):
    R, errors = runs
    assert_bound(errors, bound(R), at=R)


def test_runs_have_the_rate(runs, rate_snapshot):
    R, errors = runs
    rate_snapshot(error=assert_rate(errors, at=R, exponent=-1, tolerance=0.2))
