"""Weighted nodes: projection, Local-SVRG, hypergradients, Algorithms 2 and 3 against loops and programmes."""

import math

import numpy as np
import pytest

from rateproof.algos import engine
from rateproof.algos.methods.dual import FedBiO
from rateproof.algos.methods.fednest import FedNest
from rateproof.algos.methods.fedweight import AcceleratedWeights, Growing, ProximalWeights
from rateproof.algos.methods.local_svrg import LocalSVRG, Svrg, gamma0, local_svrg
from rateproof.algos.methods.personalised import Ditto, PFedMe
from rateproof.algos.noise import MiniBatch, Streams
from rateproof.algos.problems.weighted import all_pairs
from rateproof.algos.problems.weighted_families import (
    LinearModels,
    QuadraticSamples,
    bernoulli_nodes,
    curved_nodes,
    gaussian_nodes,
    logistic_nodes,
    ridge_nodes,
)
from rateproof.algos.sets import CappedSimplex

PROBLEMS = {
    "bernoulli": bernoulli_nodes(seed=1),
    "gaussian": gaussian_nodes(seed=2),
    "curved": curved_nodes(n_train=3, seed=3),
    "ridge": ridge_nodes(drawn=True, ridge=0.1, n_train=20, n_valid=9, seed=4),
    "logistic": logistic_nodes(seed=5),
}
every = pytest.mark.parametrize("problem", PROBLEMS.values(), ids=PROBLEMS)


def weights(problem, runs=2, seed=0):
    return problem.X.project(np.random.default_rng(seed).dirichlet(np.ones(problem.K), size=runs))


# The capped simplex.


@pytest.mark.parametrize("many", [0, 1000])
@pytest.mark.parametrize("cap", [1.0, 0.3, 0.2])
def test_the_projection_satisfies_the_optimality_conditions(cap, many, monkeypatch):
    monkeypatch.setattr("rateproof.algos.convex_sets.MANY", many)
    one, v = CappedSimplex(5, cap), np.random.default_rng(0).normal(size=(40, 3, 5)) * 3
    x = one.project(v)
    np.testing.assert_allclose(x.sum(axis=-1), 1, atol=1e-15)
    assert x.min() >= 0
    assert x.max() <= cap
    level = np.where((x > 0) & (x < cap), v - x, np.nan)
    for point, at, lam in zip(v.reshape(-1, 5), x.reshape(-1, 5), level.reshape(-1, 5), strict=True):
        ends = [*(point[at == 0]), *(point[at == cap] - cap)]
        if np.isfinite(lam).any():
            assert np.nanmax(lam) - np.nanmin(lam) < 1e-14
            assert all(e <= np.nanmin(lam) + 1e-14 for e in point[at == 0])
            assert all(e >= np.nanmax(lam) - 1e-14 for e in point[at == cap] - cap)
        else:
            assert len(ends) == 5


def test_the_projection_solves_the_programme():
    cvxpy = pytest.importorskip("cvxpy")
    v = np.random.default_rng(1).normal(size=(4, 6))
    for point in v:
        x = cvxpy.Variable(6)
        cvxpy.Problem(cvxpy.Minimize(cvxpy.sum_squares(x - point)), [x >= 0, x <= 0.3, cvxpy.sum(x) == 1]).solve()
        np.testing.assert_allclose(CappedSimplex(6, 0.3).project(point), x.value, atol=1e-5)


@pytest.mark.parametrize("v", [[0.0, 0.0, 0.0], [1e9, 1e9, -1e9], [1e-30, 0.0, 0.0], [5.0, 5.0, 5.0]])
def test_ties_and_far_points(v):
    x = CappedSimplex(3, 0.5).project(v)
    np.testing.assert_allclose(x.sum(), 1, atol=1e-15)
    if len(set(v)) == 1:
        np.testing.assert_allclose(x, 1 / 3)


def test_one_point_and_the_ball_around_the_set():
    np.testing.assert_array_equal(CappedSimplex(4, 0.25).project([9.0, 0, 0, 0]), np.full(4, 0.25))
    centre, radius = CappedSimplex(3, 0.5).enclosing
    np.testing.assert_allclose(radius, np.linalg.norm(np.array([0.5, 0.5, 0]) - centre))


@pytest.mark.parametrize("cap", [0.1, 0, 1.5, -1, math.nan, True, "a"])
def test_a_cap_without_weights_is_refused(cap):
    with pytest.raises(ValueError, match=r"cap is .*; it should be in \[1/5, 1\]"):
        CappedSimplex(5, cap)


# Exact values.


@every
def test_the_hypergradient_against_differences(problem):
    w = weights(problem)
    got = problem.hypergradient(w)
    for j in range(problem.K):
        along = np.zeros(problem.K)
        along[j] = 1e-5
        slope = (problem.F_hat(w + along) - problem.F_hat(w - along)) / 2e-5
        np.testing.assert_allclose(got[:, j], slope, atol=2e-8 * (1 + np.abs(got).max()))
    np.testing.assert_allclose((w * got).sum(axis=1), 0, atol=1e-12)  # by the optimality of theta(w)


@every
def test_derivatives_against_differences(problem):
    rng = np.random.default_rng(0)
    at = all_pairs(2, np.arange(problem.K + 1))
    theta, v = rng.normal(size=(2, len(at.run), problem.d))
    up, down = theta + 1e-5 * v, theta - 1e-5 * v
    slope = (problem.gradients(at, theta) * v).sum(axis=1)
    np.testing.assert_allclose(slope, (problem.values(at, up) - problem.values(at, down)) / 2e-5, rtol=1e-6, atol=1e-7)
    bend = (problem.gradients(at, up) - problem.gradients(at, down)) / 2e-5
    np.testing.assert_allclose(problem.products(at, theta, v), bend, rtol=1e-6, atol=1e-7)


@every
def test_the_mean_over_all_samples_is_exact(problem):
    at = all_pairs(2, [1, 2])
    theta, v = np.random.default_rng(0).normal(size=(2, 4, problem.d))
    rows = np.tile(np.arange(problem.sizes[1]), (4, 1))
    np.testing.assert_allclose(problem.gradients(at, theta, rows), problem.gradients(at, theta), atol=1e-12)
    np.testing.assert_allclose(problem.products(at, theta, v, rows), problem.products(at, theta, v), atol=1e-12)
    change = problem.gradients(at, theta) - problem.gradients(at, v)
    np.testing.assert_allclose(problem.changes(at, theta, v, rows), change, atol=1e-12)


@every
def test_constants_against_points_of_the_ball(problem):
    c, rng = problem.constants, np.random.default_rng(0)
    x = rng.normal(size=(200, problem.d))
    x *= problem.radius * rng.uniform(size=(200, 1)) ** 0.3 / np.linalg.norm(x, axis=1, keepdims=True)
    x += problem.centre_of_Theta
    at = all_pairs(len(x), np.arange(problem.K + 1))
    points = np.repeat(x, problem.K + 1, axis=0)
    assert np.linalg.norm(problem.gradients(at, points), axis=1).max() <= c.ell0 * (1 + 1e-12)
    hessians = [problem.hessian(np.eye(problem.K + 1)[k], 0, x[r]) for r in range(20) for k in range(problem.K + 1)]
    ends = np.linalg.eigvalsh(hessians)
    assert ends.max() <= c.ell1 * (1 + 1e-12)
    trained = [k for k in range(len(ends)) if k % (problem.K + 1)]
    assert ends[trained].min() >= c.mu * (1 - 1e-12)
    gaps = np.array(hessians).reshape(20, problem.K + 1, problem.d, problem.d)
    for r in range(1, 20):
        change = np.linalg.norm(gaps[r] - gaps[0], ord=2, axis=(1, 2)).max()
        assert change <= c.ell2 * np.linalg.norm(x[r] - x[0]) + 1e-12
    assert problem.values(at, points).max() <= c.loss


def test_laws_in_closed_form():
    law = bernoulli_nodes(chances=(0.5, 0.5, 0.5, 0.7, 0.9)).population
    np.testing.assert_allclose(law.G, math.hypot(0.2, 0.4) / 2)
    np.testing.assert_allclose(law.C_r, math.sqrt(2 * (1 + 1 / 2)) / 0.2)
    assert law.same == (1, 2)
    for problem in (ridge_nodes(J=2, ridge=0.3), gaussian_nodes()):
        law, rng = problem.population, np.random.default_rng(0)
        w = rng.dirichlet(np.full(problem.K, 0.3), size=500)
        other = w[:, law.J :]
        dist = np.sqrt((other**2).sum(axis=1) + other.sum(axis=1) ** 2 / law.J)
        ratio = dist / np.sqrt(law.F(w) - law.L(0, law.m[0]))
        assert ratio.max() <= law.C_r * (1 + 1e-9)
        assert ratio.max() >= 0.8 * law.C_r
        theta = rng.uniform(-problem.radius, problem.radius, size=(500, problem.d))
        gaps = sum((law.L(0, theta) - law.L(k, theta)) ** 2 for k in range(1, problem.K + 1))
        assert gaps.max() <= law.G**2
        assert gaps.max() >= 0.2 * law.G**2


def test_the_law_of_a_regression_is_the_mean_over_its_samples():
    problem = ridge_nodes(sigma=0.0, ridge=0.2)  # features are balanced, and there is no noise
    law, theta = problem.population, np.random.default_rng(0).normal(size=(3, problem.d))
    for k in range(problem.K + 1):
        np.testing.assert_allclose(problem.values(all_pairs(3, [k]), theta), law.L(k, theta), rtol=1e-12)
    w = weights(problem)
    np.testing.assert_allclose(problem.theta_hat(w), law.theta(w), atol=1e-12)
    np.testing.assert_allclose(problem.hypergradient(w), law.gradient(w), atol=1e-12)


# Local-SVRG.


def plain(problem, w, x0, how, T, rng):
    """Algorithm 1 for one run as one would write it, with the average by its definition."""
    K, mu = problem.K, problem.constants.mu

    def gradient(k, x, rows=None):
        return problem.gradients(all_pairs(1, [k + 1]), x[None], rows)[0]

    x, y = [x0.copy() for _ in range(K)], [x0.copy() for _ in range(K)]
    c = [gradient(k, x0) for k in range(K)]
    m = min(how.gamma * mu, how.q / 4)
    drawn = [rng.integers("zeta", 1, k, T, how.batch, np.arange(1), int(problem.sizes[k + 1])) for k in range(K)]
    coins = [rng.uniforms("sampling", 1, k, T, 1, np.arange(1)) for k in range(K)]
    average, total = (1 - m) ** -1.0 * x0, (1 - m) ** -1.0
    for t in range(T):
        after = []
        for k in range(K):
            g = gradient(k, x[k], drawn[k][t]) - gradient(k, y[k], drawn[k][t]) + c[k]
            if coins[k][t, 0, 0] < how.q:
                y[k], c[k] = x[k], gradient(k, x[k])
            after.append(x[k] - how.gamma * g)
        if (t + 1) % how.tau == 0:
            after = [sum(w[j] * after[j] for j in range(K))] * K
        x, u = after, (1 - m) ** -(t + 2.0)
        average, total = average + u * sum(w[j] * x[j] for j in range(K)), total + u
    return average / total


@every
@pytest.mark.parametrize(("tau", "q", "batch"), [(1, 0.3, 1), (4, 0.2, 2), (3, 1.0, 1)])
def test_local_svrg_against_a_plain_loop(problem, tau, q, batch):
    how, w = Svrg(gamma=0.3 / problem.constants.ell1, tau=tau, q=q, batch=batch), weights(problem, 1)
    x0 = np.random.default_rng(2).normal(size=problem.d)
    got, _ = local_svrg(problem.inner(), w, x0[None], how, T=11, mu=problem.constants.mu, rng=Streams(7, 0, 1))
    np.testing.assert_allclose(got[0], plain(problem, w[0], x0, how, 11, Streams(7, 0, 1)), atol=1e-12)


@every
def test_pieces_of_a_step_do_not_change_it(problem, monkeypatch):
    w, x0 = weights(problem, 4), np.ones((4, problem.d))
    how, given = Svrg(gamma=0.05, tau=3, q=0.4, batch=2), {"T": 7, "mu": problem.constants.mu}

    def run():
        return local_svrg(problem.inner(), w, x0, how, **given, rng=Streams(7, 0, 4))[0]

    whole = run()
    monkeypatch.setattr("rateproof.algos.methods.local_svrg.NEAR", 3 * problem.d)  # three pairs at a time
    np.testing.assert_allclose(run(), whole, rtol=1e-12, atol=1e-12)


def test_local_svrg_stays_within_its_bound():
    # n_k = 1: the method is deterministic, so that (45) is checked exactly; a weight may be zero.
    problem, q = curved_nodes(nodes=3, d=2, seed=1), 0.5
    c = problem.constants
    w = np.array([[0.7, 0.3, 0.0]])
    best = problem.theta_hat(w)
    at = all_pairs(1, [1, 2, 3])
    f = lambda x: w[0] @ problem.values(at, np.repeat(x, 3, axis=0))  # noqa: E731
    slopes = (w[0] * (problem.node_gradients(best)[0] ** 2).sum(axis=1)).sum()
    for tau in (1, 4):
        step = gamma0(ell1=c.ell1, mu=c.mu, tau=tau, q=q)
        how = Svrg(gamma=step, tau=tau, q=q)
        for T in (0, 1, 20, 200):
            x, _ = local_svrg(problem.inner(), w, np.ones((1, 2)), how, T=T, mu=c.mu, rng=Streams(0, 0, 1))
            power = (1 - step * c.mu) ** (T + 1) / step
            lead = 4 + 32 * (step * c.ell1) ** 2 / (3 * q)
            lead += 30 * math.e * (step * c.ell1) ** 3 * (tau - 1) * (2 + q) / q
            bound = power * lead * ((1 - best) ** 2).sum() + 22.5 * math.e * c.ell1 * (step * (tau - 1)) ** 2 * slopes
            assert f(x) - f(best) <= bound


def test_the_step_of_17_in_both_readings():
    given = {"ell1": 2.0, "mu": 0.1, "q": 0.5}
    inside = 3 * (18 + 8 + 32)
    assert gamma0(tau=4, **given) == 1 / (2 * math.sqrt(5 * math.e * inside))
    assert gamma0(tau=4, reading="literal", **given) == 1 / (2 * math.sqrt(5 * math.e) * inside)
    assert gamma0(tau=1, **given) == 3 / 160
    assert gamma0(tau=1, ell1=1e-9, mu=1.0, q=0.2) == 0.2 / 4
    assert gamma0(tau=2, ell1=1.0, mu=1.0, q=1.0) == 0.0


def test_shifts_take_the_drift_out():
    problem = curved_nodes(nodes=3, d=2, seed=1)
    w, how = np.full((1, 3), 1 / 3), {"gamma": 0.05, "tau": 10, "q": 0.5}
    best, off = problem.theta_hat(w), {}
    for shifted in (False, True):
        x, work = local_svrg(
            *(problem.inner(), w, np.ones((1, 2)), Svrg(**how, shifted=shifted)), T=3000, mu=0.2, rng=Streams(0, 0, 1)
        )
        off[shifted] = np.linalg.norm(x - best)
        assert (work.up > 3 * 301) == shifted
    assert off[True] < 1e-10 < 1e-3 < off[False]


def test_baselines_of_one_class():
    problem = gaussian_nodes(seed=3)
    x0, common = problem.x0, {"R": 60, "record": [60], "metrics": {}}
    for of, best in {"equal": problem.theta_hat(np.full((1, 5), 0.2))[0], "centre": problem.theta_valid()}.items():
        result = engine.run(LocalSVRG(gamma=0.3, tau=5, q=0.2, of=of), problem, x0, **common)
        np.testing.assert_allclose(result.x_last[0, 5:], best, atol=1e-6)
        assert result.counts.rounds == 60
        assert result.counts.floats_up == (0 if of == "centre" else 60 * 5 * problem.d)


def test_runs_do_not_depend_on_the_batch_that_they_are_in():
    problem = logistic_nodes(seed=1)
    method = ProximalWeights(eta=0.1, gamma=0.5, tau=2, q=0.2, steps=6)
    whole = engine.run(method, problem, problem.x0, R=2, runs=3, metrics={}).x_average
    np.testing.assert_allclose(
        engine.run(method, problem, problem.x0, R=2, runs=3, chunk=1, metrics={}).x_average, whole
    )


# The hypergradient, and both algorithms.


@every
@pytest.mark.parametrize("inner", ["svrg", "shifted", "descent", "exact"])
def test_hypergrad_tends_to_the_hypergradient(problem, inner):
    c, w = problem.constants, weights(problem)
    step = 0.2 / c.ell1
    T = math.ceil(25 / (step * c.mu))
    method = ProximalWeights(eta=1.0, gamma=step, q=0.3, steps=min(T, 4000), inner=inner, start="zero")
    got, theta, cost = method.hypergradient(problem, w, np.zeros((2, problem.d)), 0, Streams(0, 0, 2))
    loose = 1e-4 if inner in ("svrg", "shifted") else 1e-6
    np.testing.assert_allclose(theta, problem.theta_hat(w), atol=loose)
    np.testing.assert_allclose(got, problem.hypergradient(w), atol=20 * loose)
    assert (cost.samples > 0) == (inner != "exact")


def test_what_an_iteration_costs():
    problem = gaussian_nodes(nodes=5, d=6)
    method = ProximalWeights(eta=0.1, gamma=0.1, tau=4, q=1e-9, steps=12)
    counts = engine.run(method, problem, problem.x0, R=3, metrics={}).counts
    assert (counts.rounds, counts.lower_rounds) == (3, 3 * 2 * (3 + 1))
    assert counts.floats_up == counts.floats_down == 3 * 5 * (2 * 3 + 3) * 6
    # two calls with a full gradient at each node and twelve steps, and the gradients of the nodes
    assert counts.samples == 3 * (2 * 5 * (50 + 12) + 5 * 50 + 10)


def accelerated(problem, eta, S, exact):
    """Algorithm 2 as printed, with exact hypergradients."""
    w = w_ag = np.full((1, problem.K), 1 / problem.K)
    for s in range(S):
        w_md = 2 / (s + 2) * w + s / (s + 2) * w_ag
        slope = exact(w_md)
        w = problem.X.project(w - eta * (s + 1) / 4 * slope)
        w_ag = problem.X.project(w_md - eta * slope)
    return w_ag


def test_both_methods_against_their_listings_and_the_programme():
    cvxpy = pytest.importorskip("cvxpy")
    problem = gaussian_nodes(nodes=4, J=1, d=4, b=0.6, seed=2)
    m, target = problem.exact.m[1:], problem.exact.m[0]
    w = cvxpy.Variable(4)
    cvxpy.Problem(cvxpy.Minimize(cvxpy.sum_squares(m.T @ w - target)), [w >= 0, w <= 0.6, cvxpy.sum(w) == 1]).solve()
    best = problem.F_hat(problem.X.project(w.value)[None])[0]
    eta = 1 / (3 * np.linalg.eigvalsh(m @ m.T)[-1])
    for kind, S in ((AcceleratedWeights, 150), (ProximalWeights, 600)):
        more = {"last": True} if kind is ProximalWeights else {}
        z = engine.run(kind(eta=eta, inner="exact", **more), problem, problem.x0, R=S, metrics={}).x_average
        assert best - 1e-9 <= problem.F_hat(z[:, :4])[0] <= best + 1e-4
        if kind is AcceleratedWeights:
            np.testing.assert_allclose(z[:, :4], accelerated(problem, eta, S, problem.hypergradient), atol=1e-12)
    result = engine.run(AcceleratedWeights(eta=eta, gamma=0.2, q=0.3, steps=60), problem, problem.x0, R=60, metrics={})
    assert problem.F_hat(result.x_average[:, :4])[0] <= best + 1e-3


def test_the_random_output_is_uniform_over_the_iterations():
    problem, S, runs = bernoulli_nodes(), 4, 1000
    method = ProximalWeights(eta=0.3, inner="exact")
    outputs = engine.run(method, problem, problem.x0, R=S, runs=runs, metrics={}).x_average[:, 0].round(12)
    path = [engine.run(method, problem, problem.x0, R=s, metrics={}).x_last[0, 0].round(12) for s in range(1, S)]
    counts = [(outputs == w).sum() for w in [0.5, *path]]
    assert sum(counts) == runs
    assert max(abs(count - runs / S) for count in counts) < 5.5 * math.sqrt(runs * (1 / S) * (1 - 1 / S))


def test_lengths_and_steps_as_printed():
    problem = curved_nodes(nodes=2, d=1)
    c = problem.constants
    step = gamma0(ell1=c.ell1, mu=c.mu, tau=1, q=0.5)
    one = Growing.of(c, K=2, R=1.0, q=0.5, gamma0=step, tau=1, p=2)
    gamma, T = one.at(3)
    assert gamma == step
    assert math.ceil(math.log(one.A_1 * 4**4 / step) / (step * c.mu)) == T
    many = Growing.of(c, K=2, R=1.0, q=0.5, gamma0=step, tau=3, p=1)
    M = max(1 / step, 5 * math.sqrt(many.A_1 + 2 * many.A_2 + 4 * many.A_3))
    assert many.at(4)[0] == 1 / M
    assert many.at(4)[1] == 3 * math.ceil(M * math.log(M**3) / c.mu / 3)
    with pytest.raises(ValueError, match=r"T is .*; it should be at most"):
        many.at(10**9)


# The others.


def test_ditto_and_pfedme_against_plain_loops():
    problem, gamma, lam = gaussian_nodes(n_train=7, n_valid=5, seed=1), 0.2, 0.5
    for method in (Ditto(gamma=gamma, lam=lam, tau=3, batch=2, own=4), PFedMe(gamma=gamma, lam=lam, tau=3, batch=2)):
        rng, u, v = Streams(5, 0, 1), np.zeros(6), np.zeros(6)
        for r in (1, 2):
            drawn = {
                k: rng.integers("zeta", r, k, 4 if k == 0 else 3, 2, np.arange(1), int(problem.sizes[k]))
                for k in range(6)
            }
            mean = lambda k, t, drawn=drawn: problem.points[problem.begin[0, k] + drawn[k][t, 0]].mean(axis=0)  # noqa: E731
            if isinstance(method, Ditto):
                for t in range(4):
                    v = v - gamma * (v - mean(0, t) + lam * (v - u))
            nodes = []
            for k in range(1, 6):
                x = u
                for t in range(3):
                    if isinstance(method, Ditto):
                        x = x - gamma * (x - mean(k, t))
                    else:
                        x = x - gamma * lam * (x - self_solved(mean(k, t), x, lam, method))
                nodes.append(x)
            u = np.mean(nodes, axis=0)
            if isinstance(method, PFedMe):
                v = self_solved(problem.points[: problem.sizes[0]].mean(axis=0), u, lam, method)
        got = engine.run(method, problem, problem.x0, R=2, seed=5, metrics={})
        np.testing.assert_allclose(got.x_last[0, 5:], v, atol=1e-12)


def self_solved(mean, u, lam, method):
    theta, step = u, method.gamma / (1 + method.gamma * lam)
    for _ in range(method.inner):
        slope = theta - mean + lam * (theta - u)
        if np.linalg.norm(slope) <= method.delta:
            break
        theta = theta - step * slope
    return theta


@pytest.mark.parametrize(
    "method",
    [
        FedNest(alpha=0.02, beta=0.05, tau=2, inner=3, terms=20, series="sum", ell=4.0),
        FedBiO(gamma=0.1, rho=0.1, eta=0.02, tau=1),
    ],
    ids=["FedNest", "FedBiO"],
)
def test_bilevel_methods_take_the_problem_as_it_is(method):
    problem = gaussian_nodes(nodes=3, J=1, d=3, n_valid=200, n_train=200, noise=MiniBatch(20))
    z = engine.run(method, problem, problem.x0, R=150, metrics={}).x_last
    assert problem.F_hat(z[:, :3])[0] < problem.F_hat(np.full((1, 3), 1 / 3))[0] - 0.02
    assert z[0, 0] > 0.5  # the weight of the node with the law of node 0


@every
def test_facts_and_the_bilevel_form(problem):
    facts = problem.facts()
    assert facts["smooth"].holds
    assert facts["strongly_convex"].holds
    z = np.concatenate([weights(problem), np.random.default_rng(0).normal(size=(2, problem.d))], axis=1)
    v = np.random.default_rng(1).normal(size=(2, problem.d))
    along = problem.join(np.zeros((2, problem.K)), v) * 1e-5
    for i in range(problem.K):
        bend = (problem.gradient_g(i, z + along) - problem.gradient_g(i, z - along)) / 2e-5
        np.testing.assert_allclose(problem.product_g(i, z, v), bend, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(problem.grad_F(z)[:, problem.K :], problem.grad_valid(z[:, problem.K :]), atol=1e-14)


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        (lambda: gaussian_nodes(nodes=4, J=2, b=0.2), "b is 0.2; it should be in"),
        (lambda: gaussian_nodes(nodes=4, J=2, b=1.2), "b is 1.2; it should be in"),
        (lambda: bernoulli_nodes(chances=(0.5, 1.2)), "chances has 1.2; it should hold numbers"),
        (lambda: bernoulli_nodes(chances=(0.5,)), "chances is .* one of each training node"),
        (lambda: bernoulli_nodes(n_train=0), "n_train is 0; it should be a whole number"),
        (lambda: gaussian_nodes(nodes=3, J=4), "J is 4; it should be a whole number from 0 to K = 3"),
        (lambda: ridge_nodes(n_train=10), "they should be multiples of 2 d = 8"),
        (lambda: logistic_nodes(ridge=0.0), "ridge is 0.0; it should be a positive number"),
        (lambda: models(sizes=[2, 0, 2]), "node 1 has no samples; every node should have at least 1"),
        (lambda: models(label=np.array([0, 1, 3, 0])), "labels are from 0 to 3; each should be from 0 to 2"),
        (lambda: models(link="logistic"), "labels are from 0 to 2; each should be -1 or 1"),
        (lambda: models(lam=0.0), "not strongly convex, mu = 0; lam should be positive"),
        (
            lambda: QuadraticSamples(points=np.ones((2, 1)), H=np.zeros((2, 1, 1)), sizes=[1, 1], **BALL),
            "not strongly convex, mu = 0; H should be positive definite",
        ),
        (lambda: Svrg(gamma=0.1, q=0), "q is 0; it should be in"),
        (lambda: Svrg(gamma=0.1, q=1.5), "q is 1.5; it should be in"),
        (lambda: Svrg(gamma=0.1, tau=0), "tau is 0; it should be a whole number of steps, at least 1"),
        (lambda: Svrg(gamma=-1), "gamma is -1; it should be a positive number"),
        (lambda: ProximalWeights(eta=1, q=2), "q is 2; it should be in"),
        (lambda: ProximalWeights(eta=1, start="cold"), "start is 'cold'; it should be"),
        (lambda: ProximalWeights(eta=1, inner="newton"), "inner is 'newton'; it should be one of"),
        (lambda: LocalSVRG(gamma=1, of="none"), "of is 'none'; it should be"),
        (lambda: gamma0(ell1=1, mu=1, tau=2, q=0.5, reading="other"), "reading is 'other'; it should be"),
        (lambda: Ditto(gamma=0.1, lam=-1), "lam is -1; it should be a finite number"),
        (lambda: PFedMe(gamma=0.1, lam=0), "lam is 0; it should be a positive number"),
        (
            lambda: engine.run(ProximalWeights(eta=1), gaussian_nodes(nodes=2, J=1, d=1), [0.9, 0.3, 0.0], R=1),
            r"the weights of x0 should sum to one and be in \[0, 1\]",
        ),
    ],
)
def test_bad_input_is_refused_in_one_line(wrong, says):
    with pytest.raises(ValueError, match=says) as info:
        wrong()
    assert "\n" not in str(info.value)


BALL = {"centre": np.zeros(1), "radius": 1.0, "b": 1.0, "name": "given"}


def models(**changed):
    given = {"D": np.eye(4)[:, :2], "label": np.array([0, 1, 2, 0]), "link": "softmax", "classes": 3, "lam": 0.1}
    return LinearModels(**{**given, "sizes": [2, 1, 1], "radius": 1.0, "b": 1.0, "name": "given", **changed})
