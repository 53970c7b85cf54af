"""Federated bilevel baselines against exact hypergradients, fixed points and enumerations."""

import itertools
from dataclasses import replace

import numpy as np
import pytest

from rateproof.algos import engine
from rateproof.algos.methods.bilevel_parts import Client, Server, neumann
from rateproof.algos.methods.dual import SABA, SOBA, FedBiO, FedBiOAcc, ShroFBO, SimFBO, directions
from rateproof.algos.methods.f2sa import F2SA
from rateproof.algos.methods.fednest import FBOAggITD, FedMBO, FedNest, LFedNest, Nested
from rateproof.algos.noise import MiniBatch, Streams, TwoPoint
from rateproof.algos.problems.bilevel_quadratic import bilevel_quadratic, random_bilevel_quadratic
from rateproof.algos.problems.smooth_bilevel import EXACT, Sample

ALIKE = random_bilevel_quadratic(m=3, heterogeneity=0.0)
MIXED = random_bilevel_quadratic(m=3, weights=(0.5, 0.3, 0.2))
# The stepsize of x in each method is 0.1.
NEST = {"alpha": 0.1, "beta": 0.1, "inner": 1, "terms": 400, "series": "sum"}
SIM = {"eta_y": 0.1, "eta_v": 0.1, "eta_x": 0.1}
METHODS = {
    "FedNest": (FedNest(**NEST), MIXED),
    "LFedNest": (LFedNest(**NEST), ALIKE),
    "FedMBO": (FedMBO(**NEST), ALIKE),
    "FBOAggITD": (FBOAggITD(alpha=0.1, beta=0.1, inner=400, series="sum"), MIXED),
    "SimFBO": (SimFBO(**SIM), MIXED),
    "ShroFBO": (ShroFBO(**SIM), MIXED),
    "FedBiO": (FedBiO(gamma=0.1, rho=0.1, eta=0.1), MIXED),
    "FedBiOAcc": (FedBiOAcc(gamma=0.1, rho=0.1, eta=0.1), MIXED),
    "SOBA": (SOBA(rho=0.1, gamma=0.1), MIXED),
    "SABA": (SABA(rho=0.1, gamma=0.1), MIXED),
}


def factors(name, number):
    """The parameters that give a method products of so many factors."""
    return {"inner" if name == "FBOAggITD" else "terms": number}


def at_the_lower_solution(problem, runs=3, seed=0):
    """Models ``(x, y(x))`` with the solutions ``v`` of their linear systems."""
    x = np.random.default_rng(seed).normal(size=(runs, problem.dx))
    z = problem.join(x, problem.lower_solution(x))
    A = np.tensordot(problem.weights, problem.H, axes=1)[problem.dx :, problem.dx :]
    return z, np.linalg.solve(A, problem.split(problem.grad_F(z))[1].T).T


def one_round(method, problem, z, v=None, rng=None):
    rng = rng or Streams(0, 0, len(z))
    state = method.init(problem, z, rng)
    if v is not None and hasattr(state, "v"):
        state = replace(state, v=v)
    return method.round(problem, state, rng)


@pytest.mark.parametrize("name", METHODS)
def test_the_step_is_the_hypergradient_where_the_lower_level_is_solved(name):
    method, problem = METHODS[name]
    z, v = at_the_lower_solution(problem)
    want = problem.hypergradient(problem.split(z)[0])
    if name == "SABA":  # its tables belong to v = 0: the average of all losses is exact all the same
        assert one_round(method, problem, z, v).v is not None
    step = (z - one_round(method, problem, z, v).z)[:, : problem.dx] / 0.1
    np.testing.assert_allclose(step, want, atol=1e-10)
    assert np.abs(want).max() > 0.1


def test_the_hypergradient_of_the_problem_is_a_difference_quotient():
    for problem in (ALIKE, MIXED, random_bilevel_quadratic(m=3, box=0.2)):
        x, h = np.random.default_rng(3).normal(size=(5, 3)), 1e-6
        quotient = np.stack([(problem.Phi(x + e) - problem.Phi(x - e)) / (2 * h) for e in h * np.eye(3)], axis=1)
        np.testing.assert_allclose(problem.hypergradient(x), quotient, atol=1e-8)


def test_terms_of_a_random_number_of_factors_average_to_the_sum():
    first, H = np.random.default_rng(0).normal(size=(4, 3)), np.diag([1.0, 2.0, 3.0])
    each = [neumann(first, lambda p: p @ H, 7, 3.5, np.full(4, n)) for n in range(7)]
    np.testing.assert_allclose(np.mean(each, axis=0), neumann(first, lambda p: p @ H, 7, 3.5), atol=1e-14)
    np.testing.assert_allclose(neumann(first, lambda p: p @ H, 400, 3.5), first / np.diag(H), atol=1e-14)


@pytest.mark.parametrize("name", ["FedNest", "LFedNest", "FedMBO", "FBOAggITD"])
def test_random_series_average_to_the_sum(name, monkeypatch):
    method, problem = METHODS[name]
    method = replace(method, **factors(name, 5))
    z, _ = at_the_lower_solution(problem)
    want = one_round(method, problem, z).z
    each = []
    for n in range(5):
        monkeypatch.setattr(Server, "below", lambda server, N, *shape, n=n: np.full((server.rng.runs, *shape), n))
        each.append(one_round(replace(method, series="random"), problem, z).z)
    np.testing.assert_allclose(np.mean(each, axis=0), want, atol=1e-13)
    assert np.ptp(each, axis=0).max() > 1e-3


@pytest.mark.parametrize("name", [*METHODS, "F2SA"])
def test_the_server_projects(name):
    method = METHODS[name][0] if name in METHODS else F2SA(alpha=0.05, gamma=0.1)
    if isinstance(method, Nested):
        method = replace(method, **{"inner": 2} | factors(name, 3))
    problem = random_bilevel_quadratic(m=3, box=0.1)
    end = engine.run(method, problem, np.zeros(7), R=20, metrics={}).x_last
    assert np.abs(end).max() == 0.1


def test_v_stays_in_its_ball():
    z, v = at_the_lower_solution(MIXED)
    for method in (SimFBO(**SIM, radius=0.2), FedBiO(gamma=0.1, rho=0.1, eta=0.1, radius=0.2)):
        lengths = np.linalg.norm(one_round(method, MIXED, z, 9 * v).v, axis=1)
        assert (lengths > 0.19).all() and (lengths <= 0.2 * (1 + 1e-14)).all()  # a mean of clients' is shorter


SLOW = ("FedBiOAcc",)  # its stepsizes fall


@pytest.mark.parametrize("name", [name for name in METHODS if name not in SLOW])
def test_noiseless_runs_end_at_the_solution(name):
    method, problem = METHODS[name]
    if isinstance(method, Nested):
        method = replace(method, **factors(name, 25), ell=1.8)
    steps = {k: 0.4 for k in ("alpha", "beta", "eta_x", "eta_y", "eta_v", "gamma", "rho", "eta") if hasattr(method, k)}
    small = random_bilevel_quadratic(m=2, dx=1, dy=2, heterogeneity=float(problem is MIXED), L=2.0)
    done = engine.run(replace(method, **steps), small, np.zeros(3), R=200, metrics={})
    np.testing.assert_allclose(done.x_last[0], small.solution[0], atol=1e-8)


def test_fedbioacc_ends_at_the_solution():
    problem = random_bilevel_quadratic(m=3, dx=1, dy=2, L=2.0)
    method = FedBiOAcc(gamma=0.3, rho=0.3, eta=0.3, u0=1e9, delta=1e3, c=0.1)
    done = engine.run(method, problem, np.zeros(3), R=500, metrics={})
    np.testing.assert_allclose(done.x_last[0], problem.solution[0], atol=1e-9)


def test_saba_ends_at_the_solution_though_it_asks_one_loss_at_a_time():
    problem = random_bilevel_quadratic(m=3, dx=1, dy=2, L=2.0)
    ends = [
        engine.run(kind(rho=0.1, gamma=0.1, P=1), problem, np.zeros(3), R=1200, metrics={}).x_last[0]
        for kind in (SOBA, SABA)
    ]
    assert np.linalg.norm(ends[1] - problem.solution[0]) < 1e-9 < 1e-2 < np.linalg.norm(ends[0] - problem.solution[0])


class Given(Streams):
    """Streams of one run whose participants are given, a set a communication."""

    def __init__(self, *sets):
        super().__init__(0, 0, 1)
        self.sets = sets

    def sample_clients(self, round, N, S):
        return np.isin(np.arange(N), self.sets[min(round, len(self.sets)) - 1])[None]


def test_steps_are_unbiased_over_the_participants():
    z, v = at_the_lower_solution(MIXED, 1)
    z, v = z + 0.5, v - 0.3
    pairs = list(itertools.combinations(range(3), 2))
    sim = SimFBO(**SIM, tau=3)
    each = [one_round(replace(sim, P=2), MIXED, z, v, Given(pair)) for pair in pairs]
    want = one_round(sim, MIXED, z, v)
    np.testing.assert_allclose(np.mean([s.z for s in each], axis=0), want.z, atol=1e-14)
    np.testing.assert_allclose(np.mean([s.v for s in each], axis=0), want.v, atol=1e-14)
    for kind in (SOBA, SABA):
        method = kind(rho=0.1, gamma=0.2)
        exact = one_round(method, MIXED, z, v)
        both = [one_round(replace(method, P=1), MIXED, z, v, Given(i, j)) for i in range(3) for j in range(3)]
        np.testing.assert_allclose(np.mean([s.z for s in both], axis=0), exact.z, atol=1e-14)
        np.testing.assert_allclose(np.mean([s.v for s in both], axis=0), exact.v, atol=1e-14)


def test_momenta_of_fedbioacc_are_unbiased_over_the_rows():
    problem = random_bilevel_quadratic(m=1, dx=1, dy=1, rows=3, noise=MiniBatch(1))
    client = Client(Server(problem, Streams(0, 0, 1), 1, 1), 0, np.arange(1))
    method, (now, old) = FedBiOAcc(gamma=0.1, rho=0.1, eta=0.1, c=0.5), np.random.default_rng(0).normal(size=(2, 1, 2))
    v, momenta = np.ones((1, 1)), tuple(np.full((1, 1), k) for k in (1.0, 2.0, 3.0))
    exact = [directions(client, z, v, [EXACT] * 3) for z in (now, old)]
    rows = [Sample(np.full((1, 1), j), np.full((1, 1), k)) for j in range(3) for k in range(3)]
    each = [
        method._storm(client, (now, v), (old, v, momenta), list(three), 0.8)
        for three in itertools.product(rows, repeat=3)
    ]
    want = [n + (1 - 0.5 * 0.8**2) * (m - o) for n, m, o in zip(exact[0], momenta, exact[1], strict=True)]
    np.testing.assert_allclose(np.mean(each, axis=0), want, atol=1e-14)


def test_chains_of_fedmbo_are_unbiased_for_clients_that_differ():
    z, _ = at_the_lower_solution(MIXED, 1)
    z = np.repeat(z, 20_000, axis=0)
    method = FedMBO(alpha=1.0, beta=1e-9, terms=3, series="sum", P=2)
    steps = (z - one_round(method, MIXED, z).z)[:, :3]
    want = one_round(FedNest(alpha=1.0, beta=1e-9, terms=3, series="sum"), MIXED, z[:1]).z[0, :3]
    error = steps.std(axis=0) / np.sqrt(len(z))
    assert (error < 0.02).all() and (np.abs(steps.mean(axis=0) - (z[0, :3] - want)) < 6 * error).all()


def test_clients_of_fedmbo_do_not_drift_from_the_minimiser_of_the_mean():
    z, _ = at_the_lower_solution(MIXED)
    for method, drifts in ((FedMBO(alpha=1e-9, beta=0.1, tau=4), False), (LFedNest(alpha=1e-9, beta=0.1, tau=4), True)):
        moved = np.abs(one_round(method, MIXED, z).z - z)[:, MIXED.dx :].max()
        assert moved > 1e-2 if drifts else moved < 1e-12


PARTIAL = {name: method for name, (method, _) in METHODS.items() if name != "FedBiOAcc"}


@pytest.mark.parametrize("name", [*PARTIAL, "F2SA"])
def test_equal_clients_without_noise_do_as_one(name):
    method = PARTIAL.get(name) or F2SA(alpha=0.05, gamma=0.1, inner=2, lambda0=2.0)
    if hasattr(method, "tau") and not isinstance(method, FBOAggITD):
        method = replace(method, tau=2)
    if isinstance(method, Nested):
        method = replace(method, **{"inner": 2} | factors(name, 4))
    z, v = at_the_lower_solution(ALIKE)
    ends = [one_round(replace(method, P=P), ALIKE, z + 0.3, v).z for P in (1, 2, 3)]
    np.testing.assert_allclose(ends[1:], [ends[0]] * 2, atol=1e-13)


@pytest.mark.parametrize("name", [*METHODS, "F2SA"])
def test_all_run_with_noise_on_one_client(name):
    method = METHODS[name][0] if name in METHODS else F2SA(alpha=0.05, gamma=0.1)
    if isinstance(method, Nested):
        method = replace(method, **{"inner": 2} | factors(name, 3), series="random")
    for law in (TwoPoint(np.ones(2), np.ones(2)), MiniBatch(2)):
        problem = random_bilevel_quadratic(m=1, dx=1, dy=1, rows=3, noise=law)
        done = engine.run(method, problem, np.zeros(2), R=3, runs=2)
        assert np.isfinite(done.x_last).all() and np.ptp(done.x_last, axis=0).max() > 0
        parts = engine.run(method, problem, np.zeros(2), R=3, runs=2, chunk=1)
        np.testing.assert_allclose(parts.x_last, done.x_last, atol=1e-13)


def test_shrofbo_is_simfbo_for_equal_clients_and_right_where_their_steps_differ():
    z, v = at_the_lower_solution(MIXED)
    ends = [one_round(kind(**SIM, tau=3), MIXED, z, v).z for kind in (SimFBO, ShroFBO)]
    np.testing.assert_allclose(ends[0], ends[1], atol=1e-13)
    problem = random_bilevel_quadratic(m=2, dx=1, dy=2, L=2.0)
    server = {"gamma_y": 0.1, "gamma_v": 0.1, "gamma_x": 0.1}
    away = []
    for kind in (SimFBO, ShroFBO):
        method = kind(eta_y=1e-9, eta_v=1e-9, eta_x=1e-9, **server, taus=(1, 4))
        end = engine.run(method, problem, np.zeros(3), R=500, metrics={}).x_last[0]
        away.append(np.linalg.norm(end - problem.solution[0]))
    assert away[1] < 1e-7 < 1e-2 < away[0]


def test_the_step_of_f2sa_is_that_of_its_lagrangian_and_tends_to_the_hypergradient():
    x = np.random.default_rng(0).normal(size=(2, 3))
    P, a, H, b = (np.tensordot(MIXED.weights, k, axes=1) for k in (MIXED.P, MIXED.a, MIXED.H, MIXED.b))
    errors = []
    for lam in (1e2, 1e3):
        # The minimiser over y of F + lam G, from its linear system.
        M, q = (P + lam * H)[3:], (a + lam * b)[3:]
        y = np.linalg.solve(M[:, 3:], (q - x @ M[:, :3].T).T).T
        z, u = MIXED.join(x, y), MIXED.lower_solution(x)
        method = F2SA(alpha=1e-4, gamma=0.1, lambda0=lam)
        state = replace(method.init(MIXED, z, Streams(0, 0, 2)), u=u)
        step = (z - method.round(MIXED, state, Streams(0, 0, 2)).z)[:, :3] / 1e-4
        lagrangian = MIXED.grad_F(z) + lam * (MIXED.grad_G(z) - MIXED.grad_G(MIXED.join(x, u)))
        np.testing.assert_allclose(step, lagrangian[:, :3], atol=1e-9)
        errors.append(np.abs(step - MIXED.hypergradient(x)).max())
    assert errors[0] > 9 * errors[1] > 0
    moved = F2SA(alpha=1e-3, gamma=0.1, lambda0=1.0, delta=0.5)
    assert [moved.multiplier(k) for k in (0, 4)] == [1.0, 3.0]


COSTS = {
    # rounds, lower rounds; vectors and floats each way of one participant; grad f, grad g, products of a client
    "FedNest": (FedNest(alpha=0.1, beta=0.1, tau=3, inner=2, terms=4), 9, (14, 76), (10, 38), (8, 14, 4)),
    "LFedNest": (LFedNest(alpha=0.1, beta=0.1, tau=3, inner=2, terms=4), 2, None, None, (6, 6, 12)),
    "SimFBO": (SimFBO(**SIM, tau=2), 0, (2, 11), (3, 11), (4, 2, 4)),
    "FedBiO": (FedBiO(gamma=0.1, rho=0.1, eta=0.1, tau=2), 0, (2, 11), (3, 11), (4, 2, 4)),
    "SOBA": (SOBA(rho=0.1, gamma=0.1), 0, (0, 0), (0, 0), (1, 1, 1)),
    "F2SA": (F2SA(alpha=0.1, gamma=0.1, inner=2, tau=3), 2, None, None, (7, 14, 0)),
}


@pytest.mark.parametrize("name", COSTS)
def test_what_a_round_costs(name):
    method, lower, down, up, calls = COSTS[name]
    problem = random_bilevel_quadratic(m=3)
    c = engine.run(replace(method, P=2), problem, np.zeros(7), R=5, metrics={}).counts
    assert (c.rounds, c.lower_rounds, c.samples) == (5, 5 * lower, 0)
    assert (c.grad_f, c.grad_h, c.products) == tuple(10 * k for k in calls)
    for want, vectors, floats in ((down, c.vectors_down, c.floats_down), (up, c.vectors_up, c.floats_up)):
        assert want is None or (vectors, floats) == tuple(10 * k for k in want)


NO_LIMIT = "it should be at most 3, the number of clients"
WRONG = {
    "P": (lambda: one_round(FedNest(**NEST, P=4), ALIKE, np.zeros((1, 7))), NO_LIMIT),
    "P of SABA": (lambda: one_round(SABA(rho=1, gamma=1, P=4), ALIKE, np.zeros((1, 7))), NO_LIMIT),
    "P of FedBiOAcc": (
        lambda: one_round(FedBiOAcc(gamma=1, rho=1, eta=1, P=2), ALIKE, np.zeros((1, 7))),
        "P is 2; it should be 3, all clients",
    ),
    "taus": (lambda: one_round(SimFBO(**SIM, taus=(1,)), ALIKE, np.zeros((1, 7))), r"taus is \(1,\); it should hold a"),
    "no taus": (lambda: SimFBO(**SIM, taus=3), "taus is 3; it should be a tuple with a number for each client"),
    "a tau": (lambda: SimFBO(**SIM, taus=(1, 0)), r"taus\[1\] is 0; it should be a whole number of local steps"),
    "series": (lambda: FedNest(alpha=1, beta=1, series="x"), "series is 'x'; it should be 'random' or 'sum'"),
    "terms": (lambda: FedMBO(alpha=1, beta=1, terms=0), "terms is 0; it should be a whole number, at least 1"),
    "ell": (lambda: FBOAggITD(alpha=1, beta=1, ell=-1), "ell is -1; it should be a positive number"),
    "radius": (lambda: SOBA(rho=1, gamma=1, radius=0), "radius is 0; it should be a positive number or inf"),
    "momentum": (lambda: FedBiOAcc(gamma=1, rho=1, eta=1, c=4), r"c alpha_0\^2 is 4; it should be at most 1"),
    "delta": (lambda: F2SA(alpha=1, gamma=1, delta=-1), "delta is -1; it should be a finite number, at least 0"),
    "lower": (lambda: bilevel_quadratic(A=0.0).lower_solution(np.zeros((1, 1))), "is not strongly convex: the least"),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_input_is_refused_in_one_line(name):
    make, words = WRONG[name]
    with pytest.raises(ValueError, match=words) as error:
        make()
    assert "\n" not in str(error.value)
