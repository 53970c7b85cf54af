"""Lower-level methods: their steps by hand, their counts, their accuracy, and what constraints do to them."""

import math

import numpy as np
import pytest

from rateproof.algos.methods.fedrzo import LowerCost
from rateproof.algos.methods.fedrzo_lower import FedRZO_bl
from rateproof.algos.methods.lower import LFD, FedAC, LocalSGD, Plan, lower_steps
from rateproof.algos.noise import Streams
from rateproof.algos.problems.bilevel import affine_response, moving_floor, quadratic_lower

X = np.array([[0.3], [-1.0], [2.0]])


def noisy(m=3, **more):
    """Heterogeneous clients with noise in the lower level."""
    return quadratic_lower(
        M=[[[2.0, 0.3], [0.3, 1.0]]] * m if m == 1 else [[[2.0 + i, 0.3], [0.3, 1.0]] for i in range(m)],
        N=[[1.0], [-1.0]],
        b=[[float(i), 0.0] for i in range(m)],
        sigma_h=0.7,
        m=m,
        nt=2,
        **more,
    )


def noise_of(problem, r, call, rt, steps, runs, seed=5):
    """The noise of one round of a call, ``(steps, runs, m, nt)``."""
    zeta = problem.draw_lower(Streams(seed, 0, runs).after(((r << 20) + call) << 20), rt + 1, steps)
    return problem.sigma_h / math.sqrt(problem.nt) * zeta


@pytest.mark.parametrize(("r", "call"), [(0, 0), (7, 1)])
def test_local_sgd_by_hand(r, call):
    problem = noisy()
    y, cost = LocalSGD(y0=(0.5, -1.0)).solve(problem, X, r, call, Streams(5, 0, 3))
    kappa = problem.L_1h / problem.mu_h
    a = max(3, 4 * kappa, r) + 1
    T = math.ceil(2 * a * math.log(a))
    H = math.ceil(2 * a * math.log(a) / 3)
    hat = np.tile([0.5, -1.0], (3, 1))
    done, rounds = 0, 0
    while done < T:
        steps = min(H, T - done)
        noise = noise_of(problem, r, call, rounds, steps, 3)
        ends = []
        for i in range(3):
            own = hat.copy()
            for t in range(steps):
                gradient = own @ problem.M[i].T - X @ problem.N[i].T - problem.b[i] + noise[t, :, i]
                own = own - gradient / (problem.mu_h * a)
            ends.append(own)
        hat, done, rounds = np.mean(ends, axis=0), done + steps, rounds + 1
    np.testing.assert_allclose(y, hat, atol=1e-13)
    assert cost == LowerCost(rounds=rounds, vectors=3 * rounds, calls=3 * T, projections=0)
    assert rounds <= 3


def test_fedac_by_hand():
    problem = noisy(m=8)
    solver = FedAC(scale=100.0, y0=1.0)
    y, cost = solver.solve(problem, X, 3, 0, Streams(5, 0, 3))
    T = math.ceil(100 * 4 ** (2 / 3) / 8)
    rounds = 2  # 8^(1/3)
    H = math.ceil(T / rounds)
    eta, mu = 1 / problem.L_1h, problem.mu_h
    gamma = max(math.sqrt(eta / (mu * H)), eta)
    alpha, beta = 1 / (gamma * mu), 1 / (gamma * mu) + 1
    w = ag = np.ones((3, 2))
    for rt, steps in enumerate((H, T - H)):
        noise = noise_of(problem, 3, 0, rt, steps, 3)
        points = []
        for i in range(8):
            u, v = w, ag
            for t in range(steps):
                md = u / beta + (1 - 1 / beta) * v
                g = md @ problem.M[i].T - X @ problem.N[i].T - problem.b[i] + noise[t, :, i]
                v, u = md - eta * g, (1 - 1 / alpha) * u + md / alpha - gamma * g
            points.append((u, v))
        w, ag = (np.mean([p[j] for p in points], axis=0) for j in (0, 1))
    np.testing.assert_allclose(y, ag, atol=1e-13)
    assert cost == LowerCost(rounds=2, vectors=2 * 2 * 8, calls=8 * T, projections=0)


def test_lfd_by_hand():
    problem = noisy()
    y, cost = LFD(scale=40.0, a=10.0).solve(problem, X, 1, 1, Streams(5, 0, 3))
    T = math.ceil(40 * 2 ** (2 / 3) / 3)
    H = math.ceil(3 ** (-1 / 3) * T ** (2 / 3))
    hat, done, rounds = np.zeros((3, 2)), 0, 0
    while done < T:
        steps = min(H, T - done)
        noise = noise_of(problem, 1, 1, rounds, steps, 3)
        ends = []
        for i in range(3):
            own = hat.copy()
            for t in range(steps):
                gradient = own @ problem.M[i].T - X @ problem.N[i].T - problem.b[i] + noise[t, :, i]
                own = own - 4 / (problem.mu_h * (done + t + 10)) * gradient
            ends.append(own)
        hat, done, rounds = np.mean(ends, axis=0), done + steps, rounds + 1
    np.testing.assert_allclose(y, hat, atol=1e-13)
    assert cost == LowerCost(rounds=rounds, vectors=3 * rounds, calls=3 * T, projections=0)


@pytest.mark.parametrize("m", [1, 2, 10, 100])
@pytest.mark.parametrize("r", [0, 5, 1000])
def test_schedules(m, r):
    problem = affine_response(m=m)  # kappa_h = 1
    gamma, plan = LocalSGD().parameters(problem, r)
    a = max(m, 4, r) + 1
    assert gamma == 1 / a and math.ceil(2 * a * math.log(a)) == plan.T and math.ceil(2 * a * math.log(a) / m) == plan.H
    assert plan.rounds <= m  # not equal: 94 at m = 100, r = 1
    assert sum(len(plan.steps(rt)) for rt in range(plan.rounds)) == plan.T
    assert lower_steps(m, r) == max(1, math.ceil((r + 1) ** (2 / 3) / m))
    assert FedAC(scale=1e4).plan(m, r).rounds <= math.ceil(m ** (1 / 3))
    long = LFD(scale=1e5).plan(m, r)
    assert long.rounds == pytest.approx(m ** (1 / 3) * long.T ** (1 / 3), rel=0.1, abs=2)


def test_rounds_at_a_hundred_clients():
    assert LocalSGD().parameters(affine_response(m=100), 1)[1].rounds == 94


def test_plan_covers_every_step_once():
    plan = Plan(T=10, H=4)
    assert [list(plan.steps(rt)) for rt in range(plan.rounds)] == [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9]]


def test_accuracy_of_local_sgd_is_the_exact_moment():
    """``h_i = y^2/2 - zeta y``, ``q = (1 - gamma)^2``: ``Var y_T = gamma^2 sigma^2 (1 - q^T)/(m (1 - q))``."""
    m, runs = 5, 40000
    problem = affine_response(A=0.0, sigma_h=2.0, m=m)
    gamma, plan = LocalSGD().parameters(problem, 0)
    y, _ = LocalSGD(y0=3.0).solve(problem, np.zeros((runs, 1)), 0, 0, Streams(9, 0, runs))
    q = (1 - gamma) ** 2
    mean, variance = (1 - gamma) ** plan.T * 3.0, gamma**2 * 4 * (1 - q**plan.T) / (m * (1 - q))
    assert abs(y.mean() - mean) < 6 * math.sqrt(variance / runs)
    assert y.var() == pytest.approx(variance, rel=6 * math.sqrt(2 / runs))


@pytest.mark.parametrize("solver", [LocalSGD(), FedAC(scale=100.0), LFD(scale=100.0)])
def test_identical_clients_without_noise_converge(solver):
    problem = quadratic_lower(M=[[2.0, 0.3], [0.3, 1.0]], N=[[1.0], [-1.0]], b=0.5, m=4, nt=2)
    y, _ = solver.solve(problem, X, 200, 0, Streams(0, 0, 3))
    np.testing.assert_allclose(y, problem.lower_solution(X), atol=2e-4)


@pytest.mark.parametrize("make", [LocalSGD, lambda **k: FedAC(scale=100.0, **k), lambda **k: LFD(scale=100.0, **k)])
def test_constraints_need_the_projection(make):
    """``Y(x) = {y >= |x|}`` and ``h = y^2/2``: as printed the methods go to 0, projected to ``|x|``."""
    problem = moving_floor(m=2)
    printed, cost = make(y0=1.0).solve(problem, X, 30, 0, Streams(0, 0, 3))
    assert cost.projections == 0 and np.abs(printed).max() < 0.05
    corrected, cost = make(y0=1.0, projected=True).solve(problem, X, 30, 0, Streams(0, 0, 3))
    np.testing.assert_allclose(corrected, np.abs(X), atol=1e-12)
    points = 2 if isinstance(make(), FedAC) else 1
    assert cost.projections == points * cost.calls > 0


@pytest.mark.parametrize("solver", [LocalSGD(), FedAC(scale=50.0), LFD(scale=50.0)])
def test_calls_and_rounds_do_not_share_noise_and_batches_agree(solver):
    problem = noisy()
    rng = Streams(1, 0, 3)
    points = {(r, call): solver.solve(problem, X, r, call, rng)[0] for r in (0, 1) for call in (0, 1, 2, 3)}
    values = [tuple(p.ravel()) for p in points.values()]
    assert len(set(values)) == 8
    # run 2 alone, as a batch of its own
    alone, _ = solver.solve(problem, X[2:], 1, 0, Streams(1, 2, 1))
    np.testing.assert_allclose(alone, points[1, 0][2:], atol=1e-14)


@pytest.mark.parametrize("solver", [LocalSGD(), FedAC(scale=50.0), LFD(scale=50.0)])
def test_they_serve_algorithm_2(solver):
    """Two calls a round with random numbers of their own, all counted."""
    problem = affine_response(p=0.1, A=2.0, sigma_h=0.3, m=3)
    method = FedRZO_bl(gamma=1e-2, eta=0.2, H=2, solver=solver)
    rng = Streams(4, 0, 2)
    state = method.init(problem, np.ones((2, 1)), rng)
    cost = LowerCost()
    for r in range(3):
        state = method.round(problem, state, rng)
        one = solver.solve(problem, np.zeros((2, 1)), r, 0, rng)[1]
        cost = cost + one + one
    assert state.lower == cost
    assert cost.calls > 0 and cost.vectors >= 3 * cost.rounds
