"""Cooperative SGD, parallel restarted SGD and local SGD under PL: special cases, loops written out, schedules."""

import numpy as np
import pytest
from clients import INSTANCES, assert_chunks_do_not_matter, gradients, minimiser, quadratics

from rateproof.algos.engine import run
from rateproof.algos.exact import moments
from rateproof.algos.methods.base import Counts
from rateproof.algos.methods.fedavg import FedAvg
from rateproof.algos.methods.periodic import CooperativeSGD, ParallelRestartedSGD, PLLocalSGD, mixing_matrix
from rateproof.algos.noise import AdditiveGaussian, Streams

START = np.array([3.0, -1.0, 2.0, 0.5])
LAWS = pytest.mark.parametrize("problem", INSTANCES.values(), ids=INSTANCES)
RING = np.array([[0.5, 0.25, 0.25], [0.25, 0.5, 0.25], [0.25, 0.25, 0.5]])
PATH = np.array([[0.6, 0.4, 0.0], [0.4, 0.3, 0.3], [0.0, 0.3, 0.7]])


def models(method, problem, *, R, seed=11, number=0):
    """Models of the clients of one run after ``R`` rounds, ``(N, n)``."""
    rng = Streams(seed, number, 1)
    state = method.init(problem, np.linspace(-1, 2, problem.n)[None], rng)
    for _ in range(R):
        state = method.round(problem, state, rng)
    return state.y[:, 0]


@LAWS
def test_restarted_sgd_with_one_step_is_minibatch_sgd(problem):
    x0 = np.linspace(-1, 2, problem.n)
    done = run(ParallelRestartedSGD(gamma=0.1, H=1), problem, x0, R=15, runs=3, seed=8, metrics={})
    for j in range(3):
        rng, x = Streams(8, j, 1), x0
        for r in range(1, 16):
            x = x - 0.1 * np.mean([gradients(problem, rng, r, i, 1)[0](x) for i in range(3)], axis=0)
        np.testing.assert_allclose(done.x_last[j], x, rtol=1e-11, atol=1e-12)


@LAWS
def test_restarted_sgd_is_fedavg_with_all_clients(problem):
    x0 = np.linspace(-1, 2, problem.n)
    ours = run(ParallelRestartedSGD(gamma=0.1, H=4), problem, x0, R=10, runs=3, seed=8, metrics={})
    fedavg = run(FedAvg(gamma_l=0.1, K=4, S=3), problem, x0, R=10, runs=3, seed=8, metrics={})
    np.testing.assert_allclose(ours.x_last, fedavg.x_last, rtol=1e-11, atol=1e-12)
    assert ours.counts == fedavg.counts


@LAWS
def test_identity_never_mixes_and_equal_weights_average(problem):
    alone = models(CooperativeSGD(gamma=0.1, H=2, W=np.eye(3)), problem, R=5)
    for i in range(3):
        y, rng = np.linspace(-1, 2, problem.n), Streams(11, 0, 1)
        for r in range(1, 6):
            g = gradients(problem, rng, r, i, 2)
            y = y - 0.1 * g[0](y)
            y = y - 0.1 * g[1](y)
        np.testing.assert_allclose(alone[i], y, rtol=1e-11, atol=1e-12)
    mixed = models(CooperativeSGD(gamma=0.1, H=2, W=np.full((3, 3), 1 / 3)), problem, R=5)
    restarted = models(ParallelRestartedSGD(gamma=0.1, H=2), problem, R=5)
    np.testing.assert_allclose(mixed, restarted, rtol=1e-11, atol=1e-12)
    assert np.abs(alone - alone[0]).max() > 0.05


@LAWS
@pytest.mark.parametrize("W", [None, RING, PATH], ids=["mean", "ring", "path"])
@pytest.mark.parametrize(("k0", "growth"), [(None, 0.0), (7.0, 0.5)])
def test_it_is_the_loop_written_out(problem, W, k0, growth):
    method = CooperativeSGD(gamma=0.1, H=2, W=W, k0=k0, growth=growth)
    weights = np.full((3, 3), 1 / 3) if W is None else W
    for number in range(2):
        rng, Y, k = Streams(11, number, 1), np.tile(np.linspace(-1, 2, problem.n)[:, None], 3), 0  # columns, as printed
        for r, H in zip(range(1, 6), (2, 3, 4, 5, 6) if growth else (2,) * 5, strict=True):
            new = Y.copy()
            for i in range(3):
                g = gradients(problem, rng, r, i, H)
                for j in range(H):
                    step = 0.1 if k0 is None else 0.1 * k0 / (k + j + k0)
                    new[:, i] = new[:, i] - step * g[j](new[:, i])
            Y, k = new @ weights, k + H
        got = models(method, problem, R=5, number=number)
        np.testing.assert_allclose(got, Y.T, rtol=1e-11, atol=1e-12)


def test_mixing_keeps_the_mean_and_pulls_models_together():
    problem = quadratics()
    for W in (RING, PATH):
        before = models(CooperativeSGD(gamma=0.1, H=3, W=np.eye(3)), problem, R=1)
        after = models(CooperativeSGD(gamma=0.1, H=3, W=W), problem, R=1)
        np.testing.assert_allclose(after.mean(axis=0), before.mean(axis=0), rtol=1e-13)
        # Deviations shrink by the second largest modulus of the eigenvalues of W.
        second = np.sort(np.abs(np.linalg.eigvalsh(W)))[-2]
        spread = [np.linalg.norm(y - y.mean(axis=0)) for y in (before, after)]
        assert spread[1] <= second * spread[0] * (1 + 1e-12)


def test_its_moments_are_the_exact_ones():
    noise = AdditiveGaussian.isotropic(2, sigma_f=0.0, sigma_h=0.7)
    problem, runs, R = quadratics(n=2, noise=noise), 4000, 10
    done = run(ParallelRestartedSGD(gamma=0.1, H=3), problem, [1.0, -2.0], R=R, runs=runs, seed=3, metrics={})
    x0 = np.array([1.0, -2.0])
    want = moments(problem, gamma_l=0.1, gamma_g=1.0, eta=0.0, K=3, S=3, R=R, x0=x0, center=np.zeros(2))
    error = done.x_last.std(axis=0, ddof=1) / np.sqrt(runs)
    assert (np.abs(done.x_last.mean(axis=0) - want.mean_last) <= 6 * error).all()
    away = (done.x_last**2).sum(axis=1)
    assert abs(away.mean() - np.trace(want.second_last)) <= 6 * away.std(ddof=1) / np.sqrt(runs)


def test_a_falling_stepsize_reaches_what_a_constant_one_misses():
    problem = quadratics(mu=0.4)
    best = minimiser(problem)
    constant = run(ParallelRestartedSGD(gamma=0.1, H=5), problem, START, R=4000, metrics={}).x_last[0]
    falling = run(PLLocalSGD(mu_h=0.4, k0=200.0, H=5), problem, START, R=4000, metrics={}).x_last[0]
    bias = np.linalg.norm(constant - best)
    assert bias > 1e-2
    # The bias of local steps is proportional to the stepsize, which has fallen from 0.05 to 4 / (0.4 * 20200).
    assert np.linalg.norm(falling - best) < 0.02 * bias


def test_schedules():
    constant = ParallelRestartedSGD(gamma=0.2, H=3)
    assert [constant.stepsize(k) for k in (0, 50)] == [0.2, 0.2] and constant.steps_of(99) == 3
    pl = PLLocalSGD(mu_h=0.5, k0=16.0, H=4, growth=0.25)
    assert [pl.stepsize(k) for k in (0, 16)] == pytest.approx([4 / (0.5 * 16), 4 / (0.5 * 32)], rel=1e-15)
    assert [pl.steps_of(r) for r in (1, 2, 3, 4, 5)] == [4, 5, 6, 7, 8]
    # K = 10^8 local steps of N = 16 clients: gamma = sqrt(N/K)/L, H = K^(1/4)/N^(3/4).
    tuned = ParallelRestartedSGD.tuned(L=2.0, N=16, steps=10**8)
    assert tuned.gamma == pytest.approx(2e-4, rel=1e-15) and round(100 / 8) == tuned.H
    assert ParallelRestartedSGD.tuned(L=1.0, N=50, steps=10).H == 1
    assert PLLocalSGD.length(N=8, steps=27) == round(9 / 2)


def test_tuned_rounds_are_those_of_table_1():
    # (N, K) for which the length of rounds is whole: rounds K/H against the table's communication.
    for H, N, K, rounds in (
        (ParallelRestartedSGD.tuned(L=1.0, N=16, steps=80**4).H, 16, 80**4, 16**0.75 * 80**3),
        (CooperativeSGD.tuned(L=1.0, N=4, steps=6400).H, 4, 6400, 4**1.5 * 80),
        (PLLocalSGD.length(N=8, steps=1000), 8, 1000, 2 * 10),
    ):
        assert rounds * H == pytest.approx(K, rel=1e-12), (N, K)
    assert CooperativeSGD.tuned(L=3.0, N=4, steps=6400).gamma == pytest.approx(0.025 / 3, rel=1e-15)


def test_the_steps_of_a_growing_schedule_are_counted():
    problem = INSTANCES["mini-batch"]
    got = run(PLLocalSGD(mu_h=1.0, k0=50.0, H=4, growth=0.5), problem, np.zeros(3), R=3, metrics={}).counts
    steps = (4 + 6 + 8) * 3
    assert got == Counts(3, 9, 9, 27, 27, grad_h=steps, samples=2 * steps)


def test_messages_are_the_links_of_the_graph():
    problem = quadratics()
    for W, links in ((np.eye(3), 0), (PATH, 4), (RING, 6)):
        got = run(CooperativeSGD(gamma=0.1, H=2, W=W), problem, START, R=5, metrics={}).counts
        assert got == Counts(5, 0, 5 * links, 0, 20 * links, grad_h=30)


@pytest.mark.parametrize(
    "method", [PLLocalSGD(mu_h=1.0, k0=40.0, H=2, growth=0.4), CooperativeSGD(gamma=0.1, H=2, W=PATH)]
)
def test_chunks_do_not_matter(method):
    for name in ("gaussian", "mini-batch"):
        problem = INSTANCES[name]
        whole = assert_chunks_do_not_matter(run, method, problem, np.ones(problem.n))
        assert len(np.unique(whole.x_last[:, 0])) == 7


def test_a_mixing_matrix_cannot_change_afterwards():
    W = RING.copy()
    method = CooperativeSGD(gamma=0.1, H=1, W=W)
    W[0, 0] = 7.0
    np.testing.assert_array_equal(method.W, RING)
    with pytest.raises(ValueError):
        method.W[0, 0] = 1.0


def test_bad_input():
    for W, message in (
        ([[0.5, 0.5], [0.4, 0.6]], r"row 0 of W has 0\.5 at 1, row 1 has 0\.4 at 0; they should agree"),
        ([[0.5, 0.5], [0.5, 0.6]], r"row 1 of W sums to 1\.1; it should sum to 1"),
        ([[0.5, 0.4], [0.4, 0.5]], r"row 0 of W sums to 0\.9; it should sum to 1"),
        ([[1.5, -0.5], [-0.5, 1.5]], r"row 0 of W is \[1\.5, -0\.5\]; its entries should be numbers, at least 0"),
        ([[0.5, 0.5]], r"W has shape \(1, 2\); it should be a square matrix"),
        ([[np.nan]], "row 0 of W is"),
        ("ring", "W should be a square matrix of numbers"),
        ([[1.0], [0.0, 1.0]], "W should be a square matrix of numbers"),
    ):
        with pytest.raises(ValueError, match=message):
            mixing_matrix(W)
        with pytest.raises(ValueError, match=message):
            CooperativeSGD(gamma=0.1, H=1, W=W)
    with pytest.raises(ValueError, match="W is 2 by 2; it should have a row for each of N = 3"):
        run(CooperativeSGD(gamma=0.1, H=1, W=np.eye(2)), quadratics(), START, R=1)
    for parameters, message in (
        ({"gamma": 0.0}, "gamma is 0"),
        ({"H": 0}, "H is 0; it should be a whole number, at least 1"),
        ({"H": 2.5}, "H is 2.5"),
        ({"k0": 0.0}, "k0 is 0"),
        ({"growth": -0.1}, "growth is -0.1"),
    ):
        with pytest.raises(ValueError, match=message):
            CooperativeSGD(**{"gamma": 0.1, "H": 1} | parameters)
    with pytest.raises(ValueError, match="mu_h is 0"):
        PLLocalSGD(mu_h=0.0, k0=1.0, H=1)
    with pytest.raises(ValueError, match="k0 is -1"):
        PLLocalSGD(mu_h=1.0, k0=-1.0, H=1)
    with pytest.raises(ValueError, match="L is 0"):
        ParallelRestartedSGD.tuned(L=0.0, N=1, steps=1)
