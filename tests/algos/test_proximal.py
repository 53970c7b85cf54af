"""FedProx and FedMSPP against closed forms of the local problems, FedAvg, and loops written out."""

import numpy as np
import pytest
from clients import INSTANCES, assert_chunks_do_not_matter, gradients, minimiser, quadratics, regression

from rateproof.algos.engine import run
from rateproof.algos.methods.base import Counts
from rateproof.algos.methods.fedavg import FedAvg
from rateproof.algos.methods.proximal import FedMSPP, FedProx, exact_prox
from rateproof.algos.noise import AdditiveGaussian, MiniBatch, Streams, TwoPoint
from rateproof.algos.problems.base import Problem
from rateproof.algos.problems.quadratic import QuadraticBilevel, diagonal_selection

START = np.array([3.0, -1.0, 2.0, 0.5])


def prox(problem, i, x, mu, zeta=0.0):
    """``argmin_w h_i(w) + zeta'w + (mu/2) ||w - x||^2`` by the normal equations."""
    return np.linalg.solve(problem.H[i] + mu * np.eye(problem.n), problem.b[i] - zeta + mu * x)


def test_an_exact_round_averages_proximal_points():
    problem = quadratics()
    done = run(FedProx(mu_prox=0.7, S=3), problem, START, R=1, metrics={})
    want = np.mean([prox(problem, i, START, 0.7) for i in range(3)], axis=0)
    np.testing.assert_allclose(done.x_last[0], want, rtol=1e-13)


def test_without_the_proximal_term_clients_send_their_own_minimisers():
    problem = quadratics()
    done = run(FedProx(mu_prox=0.0, S=3), problem, START, R=2, metrics={})
    own = np.mean([np.linalg.solve(problem.H[i], problem.b[i]) for i in range(3)], axis=0)
    np.testing.assert_allclose(done.x_last[0], own, rtol=1e-12)
    assert np.linalg.norm(own - minimiser(problem)) > 0.05  # not the minimiser of the mean


def test_a_heavy_proximal_term_keeps_the_model_and_moves_along_the_mean_gradient():
    problem = quadratics()
    mean = np.mean([problem.H[i] @ START - problem.b[i] for i in range(3)], axis=0)
    for mu in (1e4, 1e8):
        moved = run(FedProx(mu_prox=mu, S=3), problem, START, R=1, metrics={}).x_last[0] - START
        np.testing.assert_allclose(moved, -mean / mu, rtol=10 / mu + 1e-6, atol=1e-14)


def test_the_fixed_point_is_biased_as_computed():
    problem, mu = quadratics(), 0.3
    P = [np.linalg.inv(problem.H[i] + mu * np.eye(4)) for i in range(3)]
    # x = mean P_i (b_i + mu x)
    fixed = np.linalg.solve(
        np.eye(4) - mu * np.mean(P, axis=0), np.mean([P[i] @ problem.b[i] for i in range(3)], axis=0)
    )
    done = run(FedProx(mu_prox=mu, S=3), problem, START, R=200, metrics={})
    np.testing.assert_allclose(done.x_last[0], fixed, rtol=1e-11)
    assert np.linalg.norm(fixed - minimiser(problem)) > 0.03


def test_gradient_steps_without_the_term_are_fedavg():
    problem = INSTANCES["gaussian"]
    fedavg = run(FedAvg(gamma_l=0.1, K=3, S=2), problem, START, R=8, runs=5, seed=2, metrics={})
    fedprox = run(FedProx(mu_prox=0.0, gamma_l=0.1, K=3, S=2), problem, START, R=8, runs=5, seed=2, metrics={})
    np.testing.assert_allclose(fedprox.x_last, fedavg.x_last, rtol=1e-12, atol=1e-13)
    assert fedprox.counts == fedavg.counts


def test_many_gradient_steps_approach_the_exact_solve():
    problem = quadratics()
    exact = run(FedProx(mu_prox=0.7, S=3), problem, START, R=3, metrics={}).x_last
    near = run(FedProx(mu_prox=0.7, S=3, gamma_l=0.2, K=300), problem, START, R=3, metrics={}).x_last
    np.testing.assert_allclose(near, exact, rtol=1e-12)
    far = run(FedProx(mu_prox=0.7, S=3, gamma_l=0.2, K=3), problem, START, R=3, metrics={}).x_last
    assert np.abs(far - exact).max() > 1e-2


def test_one_exact_step_of_fedmspp_in_closed_form():
    noise = TwoPoint(np.zeros(4), np.array([0.3, -0.6, 0.1, 0.2]))
    problem, eta = quadratics(noise=noise), 0.8
    done = run(FedMSPP(eta=eta, S=3), problem, START, R=1, runs=6, seed=4, metrics={})
    for j in range(6):
        rng = Streams(4, j, 1)
        zeta = [noise.draw(rng, 1, i, 1, np.array([0]), 4)[1][0, 0] for i in range(3)]
        want = np.mean([prox(problem, i, START, 1 / eta, zeta[i]) for i in range(3)], axis=0)
        np.testing.assert_allclose(done.x_last[j], want, rtol=1e-13)
    assert len(np.unique(done.x_last[:, 0].round(9))) > 1


def test_fedmspp_on_sampled_rows_solves_their_normal_equations():
    problem, eta, x = regression(MiniBatch(2)), 0.6, np.array([1.0, -2.0, 0.5])
    done = run(FedMSPP(eta=eta, S=3), problem, x, R=1, seed=9, metrics={})
    want = []
    for i in range(3):
        rows = problem.noise.draw_rows(Streams(9, 0, 1), 1, i, 1, np.array([0]), 5)[0, 0]
        A, v = problem.A[i][rows], problem.v[i][rows]
        scale = 5 / 2  # a row stands for all five
        want.append(np.linalg.solve(scale * A.T @ A + np.eye(3) / eta, scale * A.T @ v + x / eta))
    np.testing.assert_allclose(done.x_last[0], np.mean(want, axis=0), rtol=1e-12)


def test_without_noise_fedmspp_is_fedprox():
    problem = quadratics()
    prox, mspp = (run(m, problem, START, R=4, metrics={}) for m in (FedProx(mu_prox=2.0, S=2), FedMSPP(eta=0.5, S=2)))
    np.testing.assert_array_equal(prox.x_last, mspp.x_last)


@pytest.mark.parametrize("problem", INSTANCES.values(), ids=INSTANCES)
@pytest.mark.parametrize("S", [1, 3])
def test_they_are_the_loops_written_out(problem, S):
    x0 = np.linspace(-1, 2, problem.n)
    for method in (FedProx(mu_prox=0.4, S=S, gamma_l=0.1, K=3), FedMSPP(eta=2.5, S=S, gamma_l=0.1, K=3)):
        done = run(method, problem, x0, R=4, runs=3, seed=11, metrics={})
        for j in range(3):
            rng, x = Streams(11, j, 1), x0
            for r in range(1, 5):
                local = []
                for i in np.flatnonzero(rng.sample_clients(r, problem.N, S)[0]):
                    g = gradients(problem, rng, r, i, 3 if isinstance(method, FedProx) else 1)
                    w = x
                    for k in range(3):
                        w = w - 0.1 * (g[k % len(g)](w) + 0.4 * (w - x))
                    local.append(w)
                x = sum(local) / S
            np.testing.assert_allclose(done.x_last[j], x, rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize(
    "method", [FedProx(mu_prox=0.4, S=2), FedMSPP(eta=1.0, S=2), FedProx(mu_prox=1.0, S=2, gamma_l=0.1, K=2)]
)
def test_chunks_do_not_matter(method):
    whole = assert_chunks_do_not_matter(run, method, INSTANCES["gaussian"], START)
    assert len(np.unique(whole.x_last[:, 0])) > 1


def test_counts():
    problem = regression(MiniBatch(2))
    x0, costs = np.zeros(3), {"rounds": 5, "vectors_down": 10, "vectors_up": 10, "floats_down": 30, "floats_up": 30}
    steps = {"S": 2, "gamma_l": 0.1, "K": 4}
    for method, grad_h, samples in (
        (FedProx(mu_prox=1.0, **steps), 40, 80),
        (FedMSPP(eta=1.0, **steps), 40, 20),
        (FedProx(mu_prox=1.0, S=2), 50, 0),
        (FedMSPP(eta=1.0, S=2), 50, 20),
    ):
        got = run(method, problem, x0, R=5, metrics={}).counts
        assert got == Counts(**costs, grad_h=grad_h, samples=samples)


def test_an_exact_solve_takes_the_gradients_that_are_counted():
    problem, calls = quadratics(), []

    class Counting(QuadraticBilevel):
        def grad_h(self, i, y, out=None):
            calls.append(i)
            return super().grad_h(i, y, out)

    counting = Counting(F=problem.F, a=problem.a, H=problem.H, b=problem.b)
    done = run(FedProx(mu_prox=1.0, S=2), counting, START, R=3, metrics={})
    assert len(calls) == done.counts.grad_h == 3 * 2 * 6


def test_units_do_not_spoil_the_exact_solve():
    rng = np.random.default_rng(3)
    H = np.diag([1e-9, 3.0, 1e3])
    x, b = rng.normal(size=(4, 3)) * 1e5, rng.normal(size=3)
    got = exact_prox(lambda w: w @ H - b, x, 0.5)
    np.testing.assert_allclose(got, (b + 0.5 * x) / (np.diag(H) + 0.5), rtol=1e-12)


def test_a_far_away_minimiser_does_not_spoil_it_either():
    # Differences of gradients near 1e8 give the Hessian to eight digits only.
    H, b, x = np.array([[1 / 3, 1 / 7], [1 / 7, 2 / 3]]), np.array([1e8, -3e8]), np.array([0.1, 0.2])
    got = exact_prox(lambda w: w @ H - b, x[None], 0.3)[0]
    np.testing.assert_allclose(got, np.linalg.solve(H + 0.3 * np.eye(2), b + 0.3 * x), rtol=1e-14)


def test_bad_input():
    problem = quadratics()
    for parameters, message in (
        ({"mu_prox": -1.0, "S": 1}, "mu_prox is -1.0"),
        ({"mu_prox": np.nan, "S": 1}, "mu_prox is nan"),
        ({"mu_prox": 1.0, "S": 0}, "S is 0"),
        ({"mu_prox": 1.0, "S": 1, "gamma_l": 0.0}, "gamma_l is 0.0"),
        ({"mu_prox": 1.0, "S": 1, "K": 1.5}, "K is 1.5"),
    ):
        with pytest.raises(ValueError, match=message):
            FedProx(**parameters)
    with pytest.raises(ValueError, match=r"eta is 0\.0; it should be a positive number"):
        FedMSPP(eta=0.0, S=1)
    with pytest.raises(ValueError, match="S is 4; it should be at most 3, the number of clients"):
        run(FedProx(mu_prox=1.0, S=4), problem, START, R=1)
    flat = diagonal_selection()  # h does not move the second coordinate
    with pytest.raises(ValueError, match="mu = 0 has no single minimiser"):
        run(FedProx(mu_prox=0.0, S=1), flat, np.zeros(2), R=1)


def test_losses_that_are_not_quadratic_are_told_to_take_gradient_steps():
    class Quartic(type(quadratics())):
        def grad_h(self, i, y, out=None):
            return np.asarray(y**3)

    base = quadratics()
    problem: Problem = Quartic(F=base.F, a=base.a, H=base.H, b=base.b)
    with pytest.raises(ValueError, match="not quadratic"):
        run(FedProx(mu_prox=1.0, S=3), problem, START, R=1, metrics={})


def test_the_mean_of_noisy_proximal_points_is_the_exact_one():
    noise = AdditiveGaussian.isotropic(4, sigma_f=0.0, sigma_h=1.0)
    runs = 4000
    done = run(FedMSPP(eta=0.5, S=3), quadratics(noise=noise), START, R=1, runs=runs, seed=1, metrics={})
    want = run(FedMSPP(eta=0.5, S=3), quadratics(), START, R=1, metrics={}).x_last[0]
    error = done.x_last.std(axis=0, ddof=1) / np.sqrt(runs)
    assert (np.abs(done.x_last.mean(axis=0) - want) <= 6 * error).all()
