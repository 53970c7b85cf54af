"""The contract of ``Smoothed`` against means and differences of the losses that it smooths."""

import math

import numpy as np


def on_the_line(problem, eta, x=None, *, points=20000, atol=1e-8):
    """Check everything but the infimum at the points ``x``, ``(runs, 1)``; 33 of ``[-4, 4]`` unless given."""
    smooth, x = problem.smoothed(eta), np.linspace(-4, 4, 33)[:, None] if x is None else x
    u = (np.arange(points) + 0.5) * 2 / points - 1
    means = [problem.f((point + eta * u)[:, None]).mean() for point in x[:, 0]]
    np.testing.assert_allclose(smooth.f(x), means, atol=atol)
    size = 1 + max(np.abs(problem.f_i(i, x + side)).max() for i in range(problem.m) for side in (-eta, eta))
    slopes = [(problem.f_i(i, x + eta) - problem.f_i(i, x - eta)) / (2 * eta) for i in range(problem.m)]
    _clients_and_sets(problem, smooth, x, [slope[:, None] for slope in slopes], 1e-13 * size / eta)
    return smooth


def in_the_plane(problem, eta, x, *, atol=1e-4):
    """The same at points ``(runs, 2)`` of the plane."""
    smooth = problem.smoothed(eta)
    radius, angle = np.meshgrid(np.sqrt((np.arange(400) + 0.5) / 400), (np.arange(400) + 0.5) / 200 * math.pi)
    offsets = eta * np.stack([radius * np.cos(angle), radius * np.sin(angle)], axis=-1).reshape(-1, 2)
    np.testing.assert_allclose(smooth.f(x), [problem.f(point + offsets).mean() for point in x], atol=atol)
    rise = np.stack([(smooth.f(x + e) - smooth.f(x - e)) / 2e-5 for e in 1e-5 * np.eye(2)], axis=1)
    np.testing.assert_allclose(smooth.grad_f(x), rise, atol=1e-6)
    # The divergence theorem: the mean of (n/eta) f_i(x + eta u) u over the circle.
    turn = (np.arange(20000) + 0.5) / 10000 * math.pi
    unit = np.stack([np.cos(turn), np.sin(turn)], axis=1)
    slopes = [
        np.stack([2 / eta * (problem.f_i(i, point + eta * unit)[:, None] * unit).mean(axis=0) for point in x])
        for i in range(problem.m)
    ]
    _clients_and_sets(problem, smooth, x, slopes, 1e-6)
    return smooth


def _clients_and_sets(problem, smooth, x, slopes, atol):
    """Gradients of the clients, their mean, and the penalty of the sets."""
    parts = [smooth.grad_f_i(i, x) for i in range(problem.m)]
    assert all(part.shape == x.shape for part in (*parts, smooth.grad_f(x), smooth.grad_F(x)))
    for part, slope in zip(parts, slopes, strict=True):
        np.testing.assert_allclose(part, slope, atol=atol)
    np.testing.assert_allclose(np.mean(parts, axis=0), smooth.grad_f(x), atol=1e-12 + atol / 100)
    away = np.stack([x - one.project(x) for one in problem.sets.sets])
    penalty = (away**2).sum(axis=-1).mean(axis=0) / (2 * smooth.eta)
    np.testing.assert_allclose(smooth.F(x), smooth.f(x) + penalty, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(smooth.grad_F(x), smooth.grad_f(x) + away.mean(axis=0) / smooth.eta, atol=1e-10)
