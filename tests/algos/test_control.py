"""SCAFFOLD and Scaffnew: gradient descent and SGD as special cases, exact minimisers, loops written out, counts."""

import numpy as np
import pytest
from clients import INSTANCES, assert_chunks_do_not_matter, gradients, minimiser, quadratics

from rateproof.algos.engine import run
from rateproof.algos.methods.base import Counts
from rateproof.algos.methods.control import SCAFFOLD, Scaffnew
from rateproof.algos.methods.fedavg import FedAvg
from rateproof.algos.noise import NoNoise, Streams

START = np.array([3.0, -1.0, 2.0, 0.5])
LAWS = pytest.mark.parametrize("problem", INSTANCES.values(), ids=INSTANCES)


def sgd(problem, x0, gamma, *, R, run_number, seed):
    """Stochastic gradient descent on the mean, with the draws of one step a round."""
    rng, x = Streams(seed, run_number, 1), x0
    for r in range(1, R + 1):
        x = x - gamma * np.mean([gradients(problem, rng, r, i, 1)[0](x) for i in range(problem.N)], axis=0)
    return x


@LAWS
def test_with_one_step_and_all_clients_scaffold_is_sgd(problem):
    x0 = np.linspace(-1, 2, problem.n)
    method = SCAFFOLD(gamma_l=0.1, gamma_g=1.3, K=1, S=3)
    done = run(method, problem, x0, R=20, runs=3, seed=8, metrics={})
    for j in range(3):
        want = sgd(problem, x0, 0.13, R=20, run_number=j, seed=8)
        np.testing.assert_allclose(done.x_last[j], want, rtol=1e-11, atol=1e-12)


@LAWS
def test_when_it_always_communicates_scaffnew_is_sgd(problem):
    x0 = np.linspace(-1, 2, problem.n)
    done = run(Scaffnew(gamma=0.1, p=1.0), problem, x0, R=20, runs=3, seed=8, metrics={})
    for j in range(3):
        want = sgd(problem, x0, 0.1, R=20, run_number=j, seed=8)
        np.testing.assert_allclose(done.x_last[j], want, rtol=1e-11, atol=1e-12)


def test_fedavg_stalls_where_computed_and_both_reach_the_minimiser():
    problem, gamma, K = quadratics(mu=0.3), 0.1, 5
    best = minimiser(problem)
    # FedAvg's map is x -> mean_i (M_i x + (I - M_i) H_i^{-1} b_i) with M_i = (I - gamma H_i)^K.
    M = [np.linalg.matrix_power(np.eye(4) - gamma * H, K) for H in problem.H]
    own = [np.linalg.solve(problem.H[i], problem.b[i]) for i in range(3)]
    shift = np.mean([own[i] - M[i] @ own[i] for i in range(3)], axis=0)
    stall = np.linalg.solve(np.eye(4) - np.mean(M, axis=0), shift)
    fedavg = run(FedAvg(gamma_l=gamma, K=K, S=3), problem, START, R=400, metrics={}).x_last[0]
    np.testing.assert_allclose(fedavg, stall, rtol=1e-10)
    assert np.linalg.norm(stall - best) > 1e-2
    for method in (
        SCAFFOLD(gamma_l=gamma, K=K, S=3),
        SCAFFOLD(gamma_l=gamma, K=K, S=2),
        SCAFFOLD(gamma_l=gamma, K=K, S=3, option="I"),
        Scaffnew(gamma=0.3, p=0.4),
    ):
        x = run(method, problem, START, R=600, runs=2, metrics={}).x_last
        np.testing.assert_allclose(x, np.broadcast_to(best, x.shape), rtol=1e-10, atol=1e-12)


def test_scaffnew_contracts_at_its_linear_rate_in_the_mean():
    problem = quadratics(mu=0.4)
    L, mu = (f([f(np.linalg.eigvalsh(H)) for H in problem.H]) for f in (max, min))
    gamma, best, runs = 1 / L, minimiser(problem), 500
    p = np.sqrt(gamma * mu)
    at_best = np.stack([problem.H[i] @ best - problem.b[i] for i in range(3)])[:, None]
    method = Scaffnew(gamma=gamma, p=p)
    rng = Streams(3, 0, runs)
    state = method.init(problem, np.tile(START, (runs, 1)), rng)

    def potential(state):
        control = (gamma / p) ** 2 * ((state.h - at_best) ** 2).sum(axis=(0, 2))
        return 3 * ((state.x - best) ** 2).sum(axis=1) + control

    # A step shrinks the mean by rate, so potential / rate^steps is a supermartingale, and rounds end at stopping times.
    first, rate = potential(state)[0], 1 - gamma * mu
    for _ in range(12):
        state = method.round(problem, state, rng)
        scaled = potential(state) / rate**state.steps
        assert scaled.mean() <= first + 6 * scaled.std(ddof=1) / np.sqrt(runs)
    assert potential(state).mean() < 1e-2 * first


def test_the_control_variates_are_the_gradients_at_the_minimiser_and_sum_to_zero():
    problem = quadratics(mu=0.4)
    rng = Streams(1, 0, 4)
    best = minimiser(problem)
    want = np.stack([problem.H[i] @ best - problem.b[i] for i in range(3)])
    for method, name in ((Scaffnew(gamma=0.3, p=0.5), "h"), (SCAFFOLD(gamma_l=0.1, K=4, S=2), "c_i")):
        state = method.init(problem, np.tile(START, (4, 1)), rng)
        for r in range(500):
            state = method.round(problem, state, rng)
            if r < 10 and name == "h":
                np.testing.assert_allclose(state.h.sum(axis=0), 0.0, atol=1e-12)
            if r < 10 and name == "c_i":
                np.testing.assert_allclose(state.c_i.mean(axis=0), state.c, atol=1e-12)
        learned = getattr(state, name)
        np.testing.assert_allclose(learned, np.repeat(want[:, None], 4, axis=1), atol=1e-9)


@LAWS
@pytest.mark.parametrize("S", [1, 2, 3])
@pytest.mark.parametrize("option", ["I", "II"])
def test_scaffold_is_the_loop_written_out(problem, S, option):
    x0, gamma, K, N = np.linspace(-1, 2, problem.n), 0.08, 3, problem.N
    method = SCAFFOLD(gamma_l=gamma, gamma_g=1.2, K=K, S=S, option=option)
    done = run(method, problem, x0, R=6, runs=3, seed=11, metrics={})
    for j in range(3):
        rng, x, c, own = Streams(11, j, 1), x0, np.zeros(problem.n), np.zeros((N, problem.n))
        for r in range(1, 7):
            dy, dc = [], []
            for i in np.flatnonzero(rng.sample_clients(r, N, S)[0]):
                g = gradients(problem, rng, r, i, K + (option == "I"))
                y = x
                for k in range(K):
                    y = y - gamma * (g[k](y) - own[i] + c)
                new = g[K](x) if option == "I" else own[i] - c + (x - y) / (K * gamma)
                dy.append(y - x)
                dc.append(new - own[i])
                own[i] = new
            x, c = x + 1.2 * sum(dy) / S, c + S / N * (sum(dc) / S)
        np.testing.assert_allclose(done.x_last[j], x, rtol=1e-11, atol=1e-12)


@LAWS
def test_scaffnew_is_the_loop_written_out(problem):
    x0, gamma, p, N, R = np.linspace(-1, 2, problem.n), 0.1, 0.35, problem.N, 6
    done = run(Scaffnew(gamma=gamma, p=p), problem, x0, R=R, runs=4, seed=13, metrics={})
    for j in range(4):
        rng, one = Streams(13, j, 1), np.array([0])
        x, h, r, step = np.tile(x0, (N, 1)), np.zeros((N, problem.n)), 1, 0
        while r <= R:
            coin = rng.uniforms("sampling", r, step, 1, 1, one)[0, 0, 0] < p
            g = [gradients(problem, rng, r, i, 1, key=step * N + i)[0] for i in range(N)]
            moved = np.stack([x[i] - gamma * (g[i](x[i]) - h[i]) for i in range(N)])
            x = np.tile(moved.mean(axis=0), (N, 1)) if coin else moved
            h = h + p / gamma * (x - moved)
            r, step = (r + 1, 0) if coin else (r, step + 1)
        np.testing.assert_allclose(done.x_last[j], x[0], rtol=1e-11, atol=1e-12)


def test_scaffnew_rounds_have_geometric_lengths():
    runs, R, p = 2000, 5, 0.3
    rng = Streams(0, 0, runs)
    method, problem = Scaffnew(gamma=0.1, p=p), quadratics()
    state = method.init(problem, np.tile(START, (runs, 1)), rng)
    for _ in range(R):
        state = method.round(problem, state, rng)
    assert state.steps.min() >= R
    # Mean R/p and variance R (1 - p)/p^2; 6 standard errors.
    assert abs(state.steps.mean() - R / p) <= 6 * np.sqrt(R * (1 - p) / p**2 / runs)
    expected = method.counts(problem, state).grad_h / problem.N
    assert abs(expected - R / p) <= 0.5


def test_the_gradients_that_scaffnew_takes_are_its_steps():
    problem, calls = quadratics(), []

    class Counting(type(problem)):
        def grad_h(self, i, y, out=None):
            calls.append(len(y))
            return super().grad_h(i, y, out)

    counting = Counting(F=problem.F, a=problem.a, H=problem.H, b=problem.b)
    rng, method = Streams(2, 0, 9), Scaffnew(gamma=0.1, p=0.4)
    state = method.init(counting, np.tile(START, (9, 1)), rng)
    for _ in range(3):
        state = method.round(counting, state, rng)
    assert sum(calls) == problem.N * state.steps.sum()


@pytest.mark.parametrize("name", ["gaussian", "mini-batch"])
def test_chunks_do_not_matter(name):
    problem = INSTANCES[name]
    for method in (SCAFFOLD(gamma_l=0.1, K=2, S=2, option="I"), Scaffnew(gamma=0.1, p=0.3)):
        whole = assert_chunks_do_not_matter(run, method, problem, np.ones(problem.n))
        assert len(np.unique(whole.x_last[:, 0])) == 7


def test_counts():
    problem = INSTANCES["mini-batch"]
    x0 = np.zeros(3)
    costs = {"rounds": 5, "vectors_down": 20, "vectors_up": 20, "floats_down": 60, "floats_up": 60}
    for option, grad_h in (("I", 50), ("II", 40)):
        got = run(SCAFFOLD(gamma_l=0.1, K=4, S=2, option=option), problem, x0, R=5, metrics={}).counts
        assert got == Counts(**costs, grad_h=grad_h, samples=2 * grad_h)
    got = run(Scaffnew(gamma=0.1, p=0.25), problem, x0, R=5, metrics={}).counts
    assert got == Counts(5, 15, 15, 45, 45, grad_h=60, samples=120)
    assert isinstance(quadratics().noise, NoNoise)
    assert run(Scaffnew(gamma=0.1, p=0.25), quadratics(), START, R=5, metrics={}).counts.samples == 0


def test_bad_input():
    for p in (0.0, 1.5, -0.1, np.nan):
        with pytest.raises(ValueError, match=r"it should be a probability in \(0, 1\]"):
            Scaffnew(gamma=0.1, p=p)
    with pytest.raises(ValueError, match=r"gamma is 0\.0; it should be a positive number"):
        Scaffnew(gamma=0.0, p=0.5)
    for parameters, message in (
        ({"gamma_l": -1.0}, "gamma_l is -1"),
        ({"gamma_g": 0.0}, "gamma_g is 0"),
        ({"K": 0}, "K is 0"),
        ({"S": 0}, "S is 0"),
        ({"option": "III"}, "option is 'III'; it should be 'I' or 'II'"),
    ):
        with pytest.raises(ValueError, match=message):
            SCAFFOLD(**{"gamma_l": 0.1, "K": 1, "S": 1} | parameters)
    with pytest.raises(ValueError, match="S is 9; it should be at most 3, the number of clients"):
        run(SCAFFOLD(gamma_l=0.1, K=1, S=9), quadratics(), START, R=1)
