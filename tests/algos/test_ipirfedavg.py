"""IPIR-FedAvg against a loop written out plainly, the exact engine, and closed forms."""

import dataclasses
import math

import numpy as np
import pytest

from rateproof.algos.engine import run
from rateproof.algos.exact import moments
from rateproof.algos.methods.base import Counts
from rateproof.algos.methods.ipirfedavg import IPIRFedAvg
from rateproof.algos.noise import AdditiveGaussian, MiniBatch, Streams, TwoPoint
from rateproof.algos.problems.nonconvex import (
    F_lambda,
    grad_F_lambda,
    nonconvex_diagonal,
    nonconvex_least_squares,
    projection_problem,
    under_log_sum,
)
from rateproof.algos.problems.quadratic import diagonal_selection
from rateproof.algos.problems.regression import Regression

DIAGONAL = nonconvex_diagonal(c=(-1.0, 3.0), shift=(0.5, -1.0))
LEAST_SQUARES = nonconvex_least_squares(outer="ratio", seed=1)


def plain(method, problem, y0, T):
    """Outer iterates and results of the calls, with all clients and no noise; Algorithm 2 in loops."""
    y, results = [np.array(y0, dtype=float)], []
    gamma = method.gamma or 3 * method.lam / (4 * (problem.constants.L_f * method.lam + 2))
    for t in range(T):
        R = t + method.round_offset
        start = {"fixed": y[0], "y": y[t], "previous": results[-1] if results else y[0]}[method.inner_start]
        rounds = max(R, 2)
        if method.eta is None:
            gamma_t, eta = method.step * rounds**-method.a, method.p * math.log(rounds) / rounds**method.b
        else:
            gamma_t, eta = method.step * method.p * math.log(rounds) / rounds, method.eta
        theta = 1 / (1 - eta * gamma_t / 2)
        gamma_l = gamma_t / (method.gamma_g * method.K)
        x, total, weights = start, np.zeros_like(start), 0.0
        for r in range(1, R + 1):
            total, weights = total + theta**r * x, weights + theta**r
            moves = []
            for i in range(problem.N):
                local = x
                for _ in range(method.K):
                    local = local - gamma_l * (eta * (local - y[t]) + problem.grad_h(i, local[None])[0])
                moves.append(local - x)
            x = x + method.gamma_g * np.mean(moves, axis=0)
        results.append(total / weights if R else start)
        pull = method.gradient_factor / method.lam
        y.append(y[t] - gamma * (problem.grad_f(0, y[t][None])[0] + pull * (y[t] - results[t])))
    return np.array(y), np.array(results)


SWITCHES = [
    {},
    {"round_offset": 0},
    {"round_offset": 0, "inner_start": "previous", "eta": 0.3},
    {"round_offset": 1, "inner_start": "y", "gradient_factor": 1},
    {"inner_start": "previous", "K": 3, "gamma_g": 1.5},
    {"eta": 0.2, "step": 0.3, "gamma": 0.05},
    {"a": 0.9, "b": 0.3, "p": 1.0},
]


@pytest.mark.parametrize("problem", [DIAGONAL, LEAST_SQUARES], ids=["diagonal", "least squares"])
@pytest.mark.parametrize("switches", SWITCHES, ids=str)
def test_every_reading_is_the_loop_of_algorithm_2(problem, switches):
    method = IPIRFedAvg(**{"lam": 0.8, "K": 1, "S": 2, "step": 0.2, "returns": "projection", **switches})
    T = 9
    y, x = plain(method, problem, np.arange(1.0, problem.n + 1), T)
    R = method.total_rounds(T)
    done = run(method, problem, y[0], R=R, metrics={})
    np.testing.assert_allclose(done.x_last[0], y[T], rtol=1e-12)
    np.testing.assert_allclose(done.x_average[0], x[T - 1], rtol=1e-12)
    assert done.counts.grad_f == T


def test_readings_differ():
    base = IPIRFedAvg(lam=0.8, K=2, S=2)
    ends = set()
    for change in ({}, {"round_offset": 1}, {"inner_start": "y"}, {"inner_start": "previous"}, {"gradient_factor": 1}):
        method = dataclasses.replace(base, **change)
        ends.add(tuple(run(method, DIAGONAL, [1.0, 2.0], R=method.total_rounds(6), metrics={}).x_last[0]))
    assert len(ends) == 5


def test_schedules_in_round_numbers():
    method = IPIRFedAvg(lam=1.0, K=5, S=2, gamma_g=2.0)
    gamma_t, eta = method.rule(4096)  # 2^12
    assert (gamma_t, eta) == (pytest.approx(2**-7), pytest.approx(2 * 12 * math.log(2) / 2**5))
    call = method.call(4096)
    assert call.gamma_l == pytest.approx(2**-7 / 10) and call.theta == pytest.approx(1 / (1 - eta * gamma_t / 2))
    sharp = dataclasses.replace(method, eta=0.25, step=0.5)
    assert sharp.rule(100) == (pytest.approx(0.01 * math.log(100)), 0.25)
    assert [method.inner_rounds(t) for t in range(3)] == [2, 3, 4]
    assert [method.total_rounds(T) for T in range(4)] == [0, 2, 5, 9]
    printed = dataclasses.replace(method, round_offset=0)
    assert printed.total_rounds(200) == 200 * 199 // 2  # Remark 4
    assert IPIRFedAvg(lam=2.0, K=1, S=1).outer_step(DIAGONAL) == 3 * 2 / (4 * (2 + 2))


def test_printed_offset_wastes_the_first_two_calls():
    method = IPIRFedAvg(lam=1.0, K=1, S=2, round_offset=0, gamma=0.1, returns="projection")
    for eta in (None, 0.5):  # ln(1) = 0 would leave S-ip-1 without a step
        m, y0 = dataclasses.replace(method, eta=eta), np.array([2.0, 1.0])
        done = run(m, DIAGONAL, y0, R=1, metrics={})
        y1 = y0 - 0.1 * DIAGONAL.grad_f(0, y0[None])[0]  # call 0 returns its start, y^0
        np.testing.assert_allclose(done.x_average[0], y0, rtol=1e-15)  # call 1 returns its start too
        pulled = grad_F_lambda(DIAGONAL, y1[None], lam=1.0, factor=0.0)[0] + 2 * (y1 - y0)
        np.testing.assert_allclose(done.x_last[0], y1 - 0.1 * pulled, rtol=1e-14)
        assert done.counts == Counts(1, 2 + 2, 2, 8, 4, 2, 2, 0)  # two outer iterations, one call with a round


def test_costs_are_counted():
    noise = AdditiveGaussian.isotropic(2, sigma_f=1.0, sigma_h=1.0)
    problem = nonconvex_diagonal(c=(0.0, 1.0, 2.0, 3.0), noise=noise)
    method = IPIRFedAvg(lam=1.0, K=5, S=3)
    # Calls take 2, 3, 4 rounds: after 6 rounds the third is in progress. y^t goes to all four clients.
    done = run(method, problem, [0.0, 0.0], R=6, metrics={})
    assert done.counts == Counts(6, 18 + 12, 18, 60, 36, 2, 90, 90)
    done = run(method, problem, [0.0, 0.0], R=5, metrics={})
    assert (done.counts.vectors_down, done.counts.grad_f) == (15 + 8, 2)
    oracle = dataclasses.replace(method, inner="exact")
    assert run(oracle, problem, [0.0, 0.0], R=7, metrics={}).counts == Counts(0, 0, 0, 0, 0, 7, 0, 0)


def test_exact_projections_descend_and_find_a_stationary_point():
    lam = 0.5
    for factor, reading in ((2, lam), (1, 2 * lam)):  # half the step is the gradient for half the penalty
        method = IPIRFedAvg(lam=lam, K=1, S=2, inner="exact", gradient_factor=factor)
        rounds = range(0, 400, 10)
        done = run(
            method,
            DIAGONAL,
            [4.0, 2.0],
            R=400,
            record=rounds,
            metrics={"F": lambda p, y, at=reading: F_lambda(p, y, lam=at), "g": method.stationarity},
        )
        assert (np.diff(done.last["F"][:, 0]) <= 1e-15).all()
        assert np.abs(grad_F_lambda(DIAGONAL, done.x_last, lam=reading)).max() < 1e-9
        assert done.last["g"][-1, 0] < 1e-18
        # the other reading's gradient does not vanish there
        assert np.abs(grad_F_lambda(DIAGONAL, done.x_last, lam=lam, factor=3 - factor)).max() > 0.1


def test_a_long_call_finds_the_projection():
    method = IPIRFedAvg(lam=1.0, K=1, S=2, eta=5e-3, round_offset=4000, step=100.0, returns="projection")
    y = np.array([[5.0, 2.0]])
    done = run(method, DIAGONAL, y[0], R=4000, record=[4000], metrics={})
    np.testing.assert_allclose(done.x_average, DIAGONAL.project(y), atol=0.03)


NOISY = nonconvex_diagonal(
    c=(-1.0, 0.0, 2.0), shift=(0.5, -1.0), noise=AdditiveGaussian(np.eye(2), np.diag([0.5, 0.1]))
)


@pytest.mark.parametrize("S", [1, 3])
def test_first_call_has_the_moments_of_the_exact_engine(S):
    method, runs, y0 = IPIRFedAvg(lam=1.0, K=2, S=S, round_offset=6, returns="projection"), 4000, np.array([2.0, 1.0])
    done = run(method, NOISY, y0, R=6, runs=runs, metrics={})
    gamma_t, eta = method.rule(6)
    exact = moments(
        projection_problem(NOISY, y0),
        gamma_l=gamma_t / 2,
        gamma_g=1.0,
        eta=eta,
        K=2,
        S=S,
        R=6,
        x0=y0,
        decay=eta * gamma_t / 2,
    )
    error = np.sqrt(np.diag(exact.cov_avg) / runs)
    assert (np.abs(done.x_average.mean(axis=0) - exact.mean_avg) < 5 * error).all()
    np.testing.assert_allclose(np.cov(done.x_average.T), exact.cov_avg, atol=0.1 * exact.cov_avg.max())


@pytest.mark.parametrize("S", [2, 3])
@pytest.mark.parametrize("returns", ["random", "projection"])
def test_runs_do_not_depend_on_the_chunks(S, returns):
    method = IPIRFedAvg(lam=1.0, K=2, S=S, returns=returns, inner_start="previous")
    y0 = np.random.default_rng(0).normal(size=(7, 2))  # each run has an anchor of its own
    together, apart = (run(method, NOISY, y0, R=method.total_rounds(6), runs=7, chunk=c, metrics={}) for c in (7, 2))
    np.testing.assert_allclose(together.x_last, apart.x_last, rtol=1e-13, atol=1e-14)
    np.testing.assert_allclose(together.x_average, apart.x_average, rtol=1e-13, atol=1e-14)
    assert len(np.unique(together.x_last[:, 0])) == 7


def test_every_round_has_draws_of_its_own():
    # Nothing but noise and g: y stays at 0, and call t uses the draws of the rounds that it takes.
    problem = nonconvex_diagonal(c=(0.0,), shift=(0.0, 0.0), L_h=1e-20, noise=TwoPoint([0.0, 0.0], [1.0, 0.0]))
    method, rng = IPIRFedAvg(lam=1.0, K=1, S=1, gamma=1e-20, returns="projection"), Streams(3, 0, 1)
    for t in range(6):
        R, before = method.inner_rounds(t), method.total_rounds(t)
        gamma_t, eta = method.rule(R)
        x, path = 0.0, []
        for r in range(1, R + 1):
            path.append(x)
            x -= gamma_t * (eta * x + rng.signs("zeta", before + r, 0, 1, 1, np.array([0]))[0, 0, 0])
        want = np.average(path, weights=(1 - eta * gamma_t / 2) ** -np.arange(1.0, R + 1))
        done = run(method, problem, [0.0, 0.0], R=before + R, seed=3, metrics={})
        assert done.x_average[0, 0] == pytest.approx(want, rel=1e-12)


def test_random_output_is_uniform_over_the_outer_iterates():
    method = IPIRFedAvg(lam=1.0, K=1, S=3, inner="exact")
    T, runs = 4, 4000
    done = run(method, NOISY, [3.0, 1.0], R=T, runs=runs, metrics={})
    path = [run(method, NOISY, [3.0, 1.0], R=t, metrics={}).x_last[0, 0] if t else 3.0 for t in range(T)]
    counts = [(np.abs(done.x_average[:, 0] - y) < 1e-12).sum() for y in path]
    assert sum(counts) == runs
    assert max(abs(c - runs / T) for c in counts) < 5 * math.sqrt(runs * (1 / T) * (1 - 1 / T))


@pytest.mark.parametrize("returns", ["random", "projection"])
def test_output_is_nan_before_the_first_outer_iteration(returns):
    method, rng = IPIRFedAvg(lam=1.0, K=1, S=2, returns=returns), Streams(0, 0, 2)
    state = method.init(DIAGONAL, np.ones((2, 2)), rng)
    for r in range(4):
        assert np.isnan(method.output(state)).all() == (r < 2)
        np.testing.assert_array_equal(state.x == 1.0, r < 2)
        state = method.round(DIAGONAL, state, rng)


def test_a_round_leaves_the_old_state_alone():
    rng, method = Streams(0, 0, 3), IPIRFedAvg(lam=1.0, K=2, S=2)
    state = method.init(NOISY, np.ones((3, 2)), rng)
    for _ in range(3):
        state = method.round(NOISY, state, rng)
    before = state.x.copy()
    after = method.round(NOISY, method.round(NOISY, state, rng), rng)
    np.testing.assert_array_equal(state.x, before)
    np.testing.assert_array_equal(method.round(NOISY, method.round(NOISY, state, rng), rng).x, after.x)


def test_mini_batches_and_partial_participation_on_data_rows():
    rows = np.random.default_rng(0).normal(size=(3, 4, 20))
    base = Regression(list(rows), [np.ones(4)] * 3, outer="norm", noise=MiniBatch(2))
    problem = under_log_sum(base, mu=0.1, epsilon=1.0)
    method = IPIRFedAvg(lam=0.05, K=3, S=2, step=0.05, inner_start="previous", returns="projection")
    done = run(method, problem, np.zeros(20), R=method.total_rounds(20), runs=3)
    assert done.counts.samples == method.total_rounds(20) * 2 * 3 * 2
    assert (done.average["h"][-1] < 0.5 * problem.h(np.zeros((1, 20)))).all()
    assert len(np.unique(done.x_last[:, 0])) == 3


def test_a_convex_outer_level_of_many_clients_is_known_to_the_server():
    problem = diagonal_selection(d=((1.0, 0.0), (3.0, 2.0)))
    method = IPIRFedAvg(lam=0.1, K=1, S=2, inner="exact")
    done = run(method, problem, [0.0, 0.0], R=600, metrics={})
    np.testing.assert_allclose(done.x_last[0], [2 / (1 + 2 / 0.1), 1.0], rtol=1e-8)  # f' + (2/lam) x_1 = 0


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"lam": 0.0}, "lam is 0.0; it should be a positive number"),
        ({"gamma": -1.0}, "gamma is -1.0"),
        ({"eta": math.inf}, "eta is inf"),
        ({"step": math.nan}, "step is nan"),
        ({"a": 0.3}, "a is 0.3 and b is 0.416667; they should satisfy 0 < b < a <= 1"),
        ({"a": 1.2}, "a is 1.2"),
        ({"p": 0.5}, "p is 0.5; it should be at least 1"),
        ({"round_offset": -1}, "round_offset is -1; it should be an integer, at least 0"),
        ({"inner_start": "x0"}, "inner_start is 'x0'; it should be one of"),
        ({"gradient_factor": 3}, "gradient_factor is 3; it should be one of"),
        ({"inner": "oracle"}, "inner is 'oracle'"),
        ({"returns": "last"}, "returns is 'last'"),
        ({"K": 0}, "K is 0; it should be an integer, at least 1"),
        ({"gamma_g": -1.0}, "gamma_g is -1.0"),
        ({"eta": 9.0}, "eta gamma_t / 2 is 3.119 in a call of 2 rounds; it should be below 1"),
    ],
)
def test_bad_parameters_are_named(change, words):
    good = IPIRFedAvg(lam=1.0, K=2, S=2)
    with pytest.raises(ValueError, match=words):
        dataclasses.replace(good, **change)


def test_too_many_sampled_clients_are_named():
    with pytest.raises(ValueError, match="S is 3; it should be at most the number of clients N = 2"):
        run(IPIRFedAvg(lam=1.0, K=1, S=3), DIAGONAL, [0.0, 0.0], R=1)
