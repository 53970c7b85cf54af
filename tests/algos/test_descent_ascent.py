"""Local SGDA, AFL and DRFA: closed-form saddle points, computed biases and means, loops written out, counts."""

import numpy as np
import pytest
from clients import INSTANCES, assert_chunks_do_not_matter, gradients

from rateproof.algos.engine import run
from rateproof.algos.methods.base import Counts
from rateproof.algos.methods.descent_ascent import AFL, DRFA, LocalSGDA, by_weights
from rateproof.algos.noise import AdditiveGaussian, Streams, TwoPoint
from rateproof.algos.problems.saddle import QuadraticSaddle, agnostic_pair, coupled_line

LAWS = pytest.mark.parametrize("problem", INSTANCES.values(), ids=INSTANCES)
JOINT = AdditiveGaussian.isotropic(2, sigma_f=0.0, sigma_h=0.6)


def go(method, problem, x0, *, R, runs=1, seed=0):
    """State after ``R`` rounds."""
    rng = Streams(seed, 0, runs)
    state = method.init(problem, np.tile(np.asarray(x0, dtype=float), (runs, 1)), rng)
    for _ in range(R):
        state = method.round(problem, state, rng)
    return state


def simplex(v):
    """Projection on the simplex by bisection on the level."""
    low, high = v.min() - 1, v.max()
    for _ in range(200):
        level = (low + high) / 2
        low, high = (level, high) if np.maximum(v - level, 0).sum() > 1 else (low, level)
    return np.maximum(v - (low + high) / 2, 0)


def test_local_sgda_with_one_step_reaches_the_saddle_point():
    rng = np.random.default_rng(2)
    B, curve = rng.normal(size=(3, 2, 4)), np.array([0.5, 1.0, 2.0])[:, None, None]
    problem = QuadraticSaddle(
        A=curve * np.eye(2), B=B, C=curve * np.eye(4), a=rng.normal(size=(3, 2)), c=rng.normal(size=(3, 4))
    )
    state = go(LocalSGDA(gamma_x=0.1, gamma_y=0.07), problem, [3.0, -4.0], R=800)
    x, y = problem.saddle_point()
    np.testing.assert_allclose(state.x[0], x, atol=1e-11)
    np.testing.assert_allclose(state.y[0], y, atol=1e-11)


def test_local_sgda_stalls_where_computed_and_clients_that_agree_do_not_stall():
    problem, gamma_x, gamma_y, H = coupled_line(), 0.05, 0.08, 6
    maps, shifts = [], []
    for b, a, c in zip((1.0, 3.0), (-1.0, 3.0), (2.0, -4.0), strict=True):
        # One step of (x, y), as a matrix on (x, y, 1).
        step = np.eye(3)
        step[0] += -gamma_x * np.array([1.0, b, a])
        step[1] += gamma_y * np.array([b, -1.0, c])
        steps = np.linalg.matrix_power(step, H)
        maps.append(steps[:2, :2])
        shifts.append(steps[:2, 2])
    stall = np.linalg.solve(np.eye(2) - np.mean(maps, axis=0), np.mean(shifts, axis=0))
    method = LocalSGDA(gamma_x=gamma_x, gamma_y=gamma_y, H=H)
    state = go(method, problem, [3.0], R=500)
    np.testing.assert_allclose([state.x[0, 0], state.y[0, 0]], stall, rtol=1e-10)
    assert abs(stall[0] - problem.saddle_point()[0][0]) > 0.05
    alike = coupled_line(b=[2.0] * 3, a=[1.0] * 3, c=[-2.0] * 3)
    state = go(method, alike, [3.0], R=500)
    np.testing.assert_allclose([state.x[0], state.y[0]], alike.saddle_point(), rtol=1e-10)


@pytest.mark.parametrize("noise", [None, JOINT, TwoPoint(np.zeros(2), np.array([0.3, -0.4]))])
def test_local_sgda_is_the_loop_written_out(noise):
    problem, one = coupled_line(noise=noise), np.array([0])
    done = run(LocalSGDA(gamma_x=0.05, gamma_y=0.1, H=3, y0=0.5), problem, [2.0], R=5, runs=3, seed=11, metrics={})
    for j in range(3):
        rng, x, y = Streams(11, j, 1), 2.0, 0.5
        for r in range(1, 6):
            ends = []
            for i, (b, a, c) in enumerate(zip((1.0, 3.0), (-1.0, 3.0), (2.0, -4.0), strict=True)):
                zeta = np.zeros((3, 2)) if noise is None else noise.draw(rng, r, i, 3, one, 2)[1][:, 0]
                u, v = x, y
                for k in range(3):
                    u, v = u - 0.05 * (u + b * v + a + zeta[k, 0]), v + 0.1 * (b * u - v + c + zeta[k, 1])
                ends.append((u, v))
            x, y = np.mean(ends, axis=0)
        assert done.x_last[j, 0] == pytest.approx(x, rel=1e-12, abs=1e-13)


@pytest.mark.parametrize("L", [(4.0, 1.0), (1.0, 1.0)])
@pytest.mark.parametrize("bystanders", [0, 2])
def test_afl_reaches_the_saddle_point(L, bystanders):
    problem = agnostic_pair(t=[[-1.0, 0.5], [2.0, 1.0]], L=L, bystanders=bystanders)
    state = go(AFL(gamma_x=0.1, gamma_w=0.05), problem, [5.0, -3.0], R=4000)
    np.testing.assert_allclose(state.x[0], problem.x_star, atol=1e-11)
    np.testing.assert_allclose(state.weights[0], problem.w_star, atol=1e-11)
    # Averages forget the start like 1/R.
    np.testing.assert_allclose(state.x_mean[0], problem.x_star, atol=0.1)
    np.testing.assert_allclose(state.weights_mean[0], problem.w_star, atol=0.1)


def test_fedavg_would_serve_the_mean_and_afl_serves_the_worst():
    problem = agnostic_pair(t=[[0.0], [1.0]], L=[1.0, 9.0], bystanders=0)
    mean = np.array([[0.9]])  # of the two, weighted by curvature
    assert problem.h(mean)[0] < problem.h(problem.x_star[None])[0]
    x = go(AFL(gamma_x=0.05, gamma_w=0.02), problem, [0.9], R=8000).x
    assert problem.worst(x)[0] == pytest.approx(9 / 32, rel=1e-9)  # x* = 3/4, against 0.81/2 at the mean
    assert problem.worst(mean)[0] == pytest.approx(0.405, rel=1e-12)


@LAWS
def test_afl_is_the_loop_written_out(problem):
    x0, N = np.linspace(-1, 2, problem.n), problem.N
    method, R = AFL(gamma_x=0.05, gamma_w=0.1), 7
    done = run(method, problem, x0, R=R, runs=3, seed=11, metrics={})
    for j in range(3):
        rng, x, w, seen = Streams(11, j, 1), x0, np.full(N, 1 / N), []
        for r in range(1, R + 1):
            g = [gradients(problem, rng, r, i, 1)[0](x) for i in range(N)]
            losses = np.array([problem.h_i(i, x[None])[0] for i in range(N)])
            x, w = x - 0.05 * sum(w[i] * g[i] for i in range(N)), simplex(w + 0.1 * losses)
            seen.append(x)
        np.testing.assert_allclose(done.x_last[j], x, rtol=1e-11, atol=1e-12)
        np.testing.assert_allclose(done.x_average[j], np.mean(seen, axis=0), rtol=1e-11, atol=1e-12)


@LAWS
@pytest.mark.parametrize(("S", "H"), [(1, 1), (2, 3), (3, 2)])
def test_drfa_is_the_loop_written_out(problem, S, H):
    x0, N, one, R = np.linspace(-1, 2, problem.n), problem.N, np.array([0]), 6
    method = DRFA(gamma_x=0.05, gamma_w=0.02, S=S, H=H)
    state = go(method, problem, x0, R=R, runs=3, seed=11)
    for j in range(3):
        rng, x, w, visited, started = Streams(11, j, 1), x0, np.full(N, 1 / N), [], []
        for r in range(1, R + 1):
            started.append(w)
            u = rng.uniforms("sampling", r, 1, 1, S, one)[0, 0]
            snap = rng.integers("sampling", r, 2, 1, 1, one, H)[0, 0, 0] + 1
            ends, snapshots = [], []
            for s in range(S):
                i = min(int(np.searchsorted(np.cumsum(w), u[s], side="right")), N - 1)
                g = gradients(problem, rng, r, i, H, key=s * N + i)
                y = x
                for k in range(H):
                    y = y - 0.05 * g[k](y)
                    visited.append(y)
                    if k + 1 == snap:
                        snapshots.append(y)
                ends.append(y)
            x, middle = sum(ends) / S, sum(snapshots) / S
            v = np.zeros(N)
            for i in np.flatnonzero(rng.sample_clients(r, N, S)[0]):
                v[i] = N / S * problem.h_i(i, middle[None])[0]
            w = simplex(w + H * 0.02 * v)
        np.testing.assert_allclose(state.x[j], x, rtol=1e-10, atol=1e-11)
        np.testing.assert_allclose(state.weights[j], w, rtol=1e-10, atol=1e-11)
        np.testing.assert_allclose(state.x_mean[j], np.mean(visited, axis=0), rtol=1e-10, atol=1e-11)
        np.testing.assert_allclose(state.weights_mean[j], np.mean(started, axis=0), rtol=1e-10, atol=1e-11)


@pytest.mark.parametrize("H", [1, 4])
def test_the_mean_of_drfa_obeys_its_linear_recursion_and_reaches_the_saddle_point(H):
    # Equal curvatures and both clients asked: gaps of losses are linear in x, so the means follow a linear recursion
    # as long as no weight is cut at 0.
    problem = agnostic_pair(t=[[-0.2], [0.3]], L=[1.0, 1.0], bystanders=0)
    gamma_x, gamma_w, runs, R = 0.05, 0.2, 4000, 150
    state = go(DRFA(gamma_x=gamma_x, gamma_w=gamma_w, S=2, H=H), problem, [0.1], R=R, runs=runs, seed=2)
    x, w = 0.1, 0.5  # w is the weight of the client at -0.2
    means = [1 - (1 - gamma_x) ** k for k in range(1, H + 1)]  # share of the way to the drawn target after k steps
    for _ in range(R):
        target = -0.2 * w + 0.3 * (1 - w)
        middle = x + np.mean(means) * (target - x)
        x = x + means[-1] * (target - x)
        # h_1 - h_2 at the snapshot, halved by the projection: ((m + 0.2)^2 - (m - 0.3)^2)/4 = (m - 0.05)/4
        w = w + H * gamma_w * (middle - 0.05) / 4
    assert state.weights.min() > 0
    for values, want, limit in ((state.x[:, 0], x, problem.x_star[0]), (state.weights[:, 0], w, problem.w_star[0])):
        error = values.std(ddof=1) / np.sqrt(runs)
        assert abs(values.mean() - want) <= 6 * error
        assert abs(want - limit) <= 6 * error  # and the recursion is near its limit, the saddle point
        assert error < 3e-3


def test_drfa_gets_near_the_saddle_point_of_unequal_clients():
    problem = agnostic_pair()
    state = go(DRFA(gamma_x=0.01, gamma_w=0.01, S=3, H=2), problem, [5.0], R=1500, runs=50)
    np.testing.assert_allclose(state.x.mean(axis=0), problem.x_star, atol=0.1)
    np.testing.assert_allclose(state.weights.mean(axis=0), problem.w_star, atol=0.1)
    assert problem.worst(state.x_mean).mean() < 1.1 * problem.worst(problem.x_star[None])[0]


def test_clients_are_drawn_by_their_weights():
    weights = np.array([[0.2, 0.0, 0.5, 0.3, 0.0], [0.0, 1.0, 0.0, 0.0, 0.0]])
    edges = np.array([[0.0, 0.1999, 0.2, 0.6999, 0.7, 1 - 2.0**-53]] * 2)
    np.testing.assert_array_equal(by_weights(weights, edges), [[0, 0, 2, 2, 3, 3], [1] * 6])
    for miss in (-(2.0**-50), 2.0**-52, 2.0**-50):  # sums on both sides of 1
        assert by_weights(np.array([[0.25, 0.75 + miss, 0.0]]), np.array([[1 - 2.0**-53]]))[0, 0] == 1
    u = Streams(0, 0, 1).uniforms("sampling", 1, 1, 1, 60_000, np.array([0]))[0]
    drawn = np.bincount(by_weights(weights[:1], u)[0], minlength=5) / 60_000
    assert (np.abs(drawn - weights[0]) <= 6 * np.sqrt(weights[0] * (1 - weights[0]) / 60_000)).all()


def test_chunks_do_not_matter():
    whole = assert_chunks_do_not_matter(run, LocalSGDA(gamma_x=0.1, gamma_y=0.1, H=2), coupled_line(noise=JOINT), [1.0])
    assert len(np.unique(whole.x_last)) == 7
    for name in ("gaussian", "mini-batch"):
        problem = INSTANCES[name]
        for method in (AFL(gamma_x=0.05, gamma_w=0.1), DRFA(gamma_x=0.05, gamma_w=0.05, S=2, H=3)):
            whole = assert_chunks_do_not_matter(run, method, problem, np.ones(problem.n))
            assert len(np.unique(whole.x_last[:, 0])) == 7


def test_counts():
    got = run(LocalSGDA(gamma_x=0.1, gamma_y=0.1, H=3), coupled_line(noise=JOINT), [1.0], R=5, metrics={}).counts
    assert got == Counts(5, 20, 20, 20, 20, grad_f=60, samples=30)
    problem = INSTANCES["mini-batch"]
    got = run(AFL(gamma_x=0.1, gamma_w=0.1), problem, np.zeros(3), R=5, metrics={}).counts
    assert got == Counts(5, 15, 15, 45, 60, grad_h=15, samples=30, values_f=15)
    got = run(DRFA(gamma_x=0.1, gamma_w=0.1, S=2, H=4), problem, np.zeros(3), R=5, metrics={}).counts
    assert got == Counts(10, 20, 20, 60, 70, grad_h=40, samples=80, values_f=10)


def test_outputs_before_the_first_round():
    problem = INSTANCES["none"]
    for method in (AFL(gamma_x=0.1, gamma_w=0.1), DRFA(gamma_x=0.1, gamma_w=0.1, S=1)):
        assert np.isnan(method.output(go(method, problem, np.ones(4), R=0))).all()


def test_bad_input():
    for make, parameters, message in (
        (LocalSGDA, {"gamma_x": 0.0, "gamma_y": 1.0}, "gamma_x is 0"),
        (LocalSGDA, {"gamma_x": 1.0, "gamma_y": -1.0}, "gamma_y is -1"),
        (LocalSGDA, {"gamma_x": 1.0, "gamma_y": 1.0, "H": 0}, "H is 0; it should be a whole number, at least 1"),
        (LocalSGDA, {"gamma_x": 1.0, "gamma_y": 1.0, "y0": np.inf}, "y0 is inf"),
        (AFL, {"gamma_x": np.nan, "gamma_w": 1.0}, "gamma_x is nan"),
        (AFL, {"gamma_x": 1.0, "gamma_w": 0.0}, "gamma_w is 0"),
        (DRFA, {"gamma_x": 1.0, "gamma_w": 1.0, "S": 0}, "S is 0"),
        (DRFA, {"gamma_x": 1.0, "gamma_w": 1.0, "S": 1, "H": 1.5}, "H is 1.5"),
    ):
        with pytest.raises(ValueError, match=message):
            make(**parameters)
    with pytest.raises(ValueError, match="S is 4; it should be at most 3, the number of clients"):
        run(DRFA(gamma_x=1.0, gamma_w=1.0, S=4), INSTANCES["none"], np.zeros(4), R=1)
