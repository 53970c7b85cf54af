"""Instances and checks for the tests of methods, and the stochastic gradients of one run, drawn plainly."""

import numpy as np
import pytest

from rateproof.algos.noise import AdditiveGaussian, MiniBatch, NoNoise, TwoPoint
from rateproof.algos.problems.quadratic import QuadraticBilevel
from rateproof.algos.problems.regression import Regression


def quadratics(seed=0, *, N=3, n=4, noise=None, mu=0.5):
    """Strongly convex clients with different Hessians and minimisers."""
    rng = np.random.default_rng(seed)
    U = rng.normal(size=(N, n, n)) / np.sqrt(n)
    return QuadraticBilevel(
        F=np.broadcast_to(np.eye(n), (N, n, n)),
        a=np.zeros((N, n)),
        H=U.transpose(0, 2, 1) @ U + mu * np.eye(n),
        b=rng.normal(size=(N, n)),
        noise=noise,
    )


def minimiser(problem):
    """Of the mean of quadratic clients, by an independent solve."""
    return np.linalg.solve(problem.H.mean(axis=0), problem.b.mean(axis=0))


def regression(noise=None, *, N=3, n=3, rows=5):
    """Least squares with data rows."""
    rng = np.random.default_rng(7)
    A, v = list(rng.normal(size=(N, rows, n))), list(rng.normal(size=(N, rows)))
    return Regression(A, v, outer="norm", mu=0.3, noise=noise or NoNoise())


#: Every law of noise, on three clients.
INSTANCES = {
    "none": quadratics(),
    "gaussian": quadratics(noise=AdditiveGaussian.isotropic(4, sigma_f=0.0, sigma_h=0.5)),
    "two-point": quadratics(noise=TwoPoint(np.zeros(4), np.arange(1.0, 5.0) / 5)),
    "mini-batch": regression(MiniBatch(2)),
}


def gradients(problem, rng, r, i, K, key=None):
    """Stochastic gradients ``y -> g_k(y)`` of one client visit of one run, for points of shape ``(n,)``."""
    law, one, key = problem.noise, np.array([0]), i if key is None else key
    drawn = law.draw(rng, r, key, K, one, problem.n)
    if isinstance(law, MiniBatch):
        rows = law.draw_rows(rng, r, key, K, one, problem.samples(i))
        return [lambda y, k=k: problem.sampled_grad_h(i, y[None], rows[k])[0] for k in range(K)]
    zeta = np.zeros((K, problem.n)) if drawn is None else drawn[1][:, 0]
    return [lambda y, k=k: problem.grad_h(i, y[None])[0] + zeta[k] for k in range(K)]


def assert_chunks_do_not_matter(run, method, problem, x0, *, R=6):
    """Seven runs at once, one by one, and in threes give the same models, outputs and counts."""
    whole, *others = (run(method, problem, x0, R=R, runs=7, seed=5, metrics={}, chunk=c) for c in (7, 1, 3))
    for other in others:
        np.testing.assert_allclose(other.x_last, whole.x_last, rtol=1e-12, atol=1e-13)
        np.testing.assert_allclose(other.x_average, whole.x_average, rtol=1e-12, atol=1e-13)
        assert other.counts == whole.counts
    return whole


def states(method, problem, w, rounds, rng):
    """States before each round and after the last, from one start for all runs of ``rng``."""
    out = [method.init(problem, np.repeat(np.atleast_2d(w), rng.runs, axis=0), rng)]
    for _ in range(rounds):
        out.append(method.round(problem, out[-1], rng))
    return out


def assert_momentum(errors, rho, first, fresh):
    """Errors of an estimate, of a round each, have mean zero and the variance of the hand recursion."""
    variance = first
    for error in errors:
        assert abs(error.mean()) < 1e-14 and (error**2).mean() == pytest.approx(variance, rel=1e-12)
        variance = (1 - rho) ** 2 * variance + rho**2 * fresh


def assert_refused(make, words):
    """One line says what is wrong."""
    with pytest.raises(ValueError, match=words) as error:
        make()
    assert "\n" not in str(error.value)
