"""FedMSA against a plain loop, hand recursions over all signs of noise, and the solutions that it should end at."""

import numpy as np
import pytest
from clients import INSTANCES, assert_chunks_do_not_matter, assert_momentum, assert_refused
from clients import states as course
from scipy.optimize import minimize

from rateproof.algos import engine
from rateproof.algos.methods.fedmsa import FedBLO, FedMCO, FedMSA
from rateproof.algos.methods.loss_sequences import LossSequences
from rateproof.algos.noise import MiniBatch, Streams, TwoPoint
from rateproof.algos.outcomes import EveryCourse, Outcomes
from rateproof.algos.problems.bilevel_learning import loss_tuning
from rateproof.algos.problems.bilevel_line import double_well
from rateproof.algos.problems.bilevel_quadratic import random_bilevel_quadratic, tracking_quadratic
from rateproof.algos.problems.bilevel_sequences import blo_maps_eq2
from rateproof.algos.problems.bilevel_tracking import scalar_tracking_sequences
from rateproof.algos.problems.compositional import quadratic_chain, smooth_chain
from rateproof.algos.problems.linear_sequences import (
    LinearSequences,
    linear_sequences,
    pure_noise,
    random_sequences,
    rotation_sequences,
    wave_noise,
)
from rateproof.algos.problems.risk_averse import risk_averse

STEPS = {"alpha": 0.1, "beta": 0.2}


def states(method, problem, w, rounds, rng=None):
    return course(method, problem, w, rounds, rng or Streams(0, 0, 1))


def start(problem, seed=0):
    return np.random.default_rng(seed).normal(size=problem.n)


def plain_loop(maps, w, R, rng, *, alpha, beta, rho, K, minibatch=1, first_minibatch=1, s=1):
    """Algorithm 1 for one run, as one would write it: every sample at two points, all variables at once."""
    one = np.array([0])
    eta = np.repeat([alpha, *np.broadcast_to(beta, (maps.N,))], maps.dims)
    at = lambda m, w, sample: maps.sampled(m, w[None], sample)[0]  # noqa: E731
    before, h = w, np.zeros_like(w)
    trail = []
    for r in range(R):
        rho_r, K_r, batch = (1.0, 1, first_minibatch) if r == 0 else (rho, K, minibatch)
        each = []
        for m in range(maps.m):
            (sample,) = maps.draw(rng, 2 * r + 1, m, 1, one, batch)
            each.append(at(m, w, sample) + (1 - rho_r) * (h - at(m, before, sample)))
        h = sum(each) / maps.m
        ends = []
        for m in np.flatnonzero(rng.sample_clients(2 * r + 2, maps.m, s)[0]):
            samples = [None, *maps.draw(rng, 2 * r + 2, m, K_r - 1, one, minibatch)] if K_r > 1 else [None]
            w_before, w_k, h_k, own = w, w, h, []
            for sample in samples:
                own.append(w_k)
                if sample is not None:  # h_{r,1} = h_r, as both points coincide
                    h_k = h_k + at(m, w_k, sample) - at(m, w_before, sample)
                w_before, w_k = w_k, w_k - eta * h_k
            ends.append(w_k)
            trail.append(own)
        before, w = w, sum(ends) / s
    return w, h, trail


LOOPS = {
    "no sequence": lambda: LossSequences(INSTANCES["two-point"]),
    "losses of rows": lambda: LossSequences(INSTANCES["mini-batch"]),
    "exact": lambda: random_sequences(N=2),
    "additive": lambda: random_sequences(N=3, d=2, sigma_p=0.5, sigma_s=(0.3, 0.2, 0.1)),
    "gaussian": lambda: random_sequences(m=3, sigma_p=0.5, sigma_s=0.4, law="gaussian"),
    "gain": lambda: random_sequences(N=2, sigma_p=0.5, sigma_s=0.3, law="gain"),
    "wave": lambda: wave_noise(m=4),
    "chain": lambda: smooth_chain(m=3, gain=(1.0, 0.5, 2.0), offset=0.3, sigma_v=0.2, sigma_J=0.4),
    "noisy values": lambda: smooth_chain(sigma_v=0.2),
    "risk": lambda: risk_averse(batch_size=3),
    "tracking": lambda: scalar_tracking_sequences(sigma_f=0.3, sigma_h=0.2),
    "rows": lambda: blo_maps_eq2(random_bilevel_quadratic(m=3, dx=2, dy=2, rows=4, noise=MiniBatch(2))),
}


@pytest.mark.parametrize("name", LOOPS)
@pytest.mark.parametrize(("s", "rho"), [(1, 0.0), (1, 1.0), (2, 0.3)])
def test_a_run_is_the_plain_loop(name, s, rho):
    problem = LOOPS[name]()
    numbers = {"rho": rho, "K": 3, "minibatch": 2, "first_minibatch": 3, "alpha": 1e-4 if name == "risk" else 0.05}
    numbers["beta"] = tuple(0.1 + 0.05 * n for n in range(problem.N))
    method = FedMSA(**numbers, clients_selected=s)
    w = problem.x0 + 0.1 * start(problem)
    state = states(method, problem, w, 5, Streams(7, 2, 4))[-1]
    for run in range(4):
        want, h, trail = plain_loop(problem, w, 5, Streams(7, 2 + run, 1), **numbers, s=s)
        np.testing.assert_allclose(state.w[run], want, rtol=1e-10, atol=1e-12)
        np.testing.assert_allclose(state.direction[run], h, rtol=1e-10, atol=1e-12)
        iterates = np.array([point for own in trail for point in own])
        assert np.abs(iterates - state.picked[run]).max(axis=1).min() < 1e-11


@pytest.mark.parametrize("name", ["additive", "gain", "chain"])
def test_one_local_step_follows_the_mean_direction_whoever_takes_it(name):  # prop.k1
    problem = LOOPS[name]()
    method = FedMSA(**STEPS, rho=0.3, K=1)
    *_, before, after = states(method, problem, start(problem), 3, Streams(0, 0, 6))
    eta = np.repeat([0.1] + [0.2] * problem.N, problem.dims)
    np.testing.assert_allclose(after.w, before.w - eta * after.direction, atol=1e-14)


def test_exact_oracles_make_directions_telescope():  # prop.telescope, prop.storm
    problem = random_sequences(N=2)
    eta = np.repeat([0.1, 0.2, 0.2], 3)
    for rho in (0.0, 0.3, 1.0):
        *_, before, after = states(FedMSA(**STEPS, rho=rho, K=4), problem, start(problem), 5)
        np.testing.assert_allclose(after.direction, problem.mean_maps(before.w), atol=1e-13)
        ends = []
        for m in range(problem.m):
            w = before.w
            for _ in range(4):
                w = w - eta * (after.direction + problem.maps(m, w) - problem.maps(m, before.w))
            ends.append(w)
        assert min(np.abs(after.w - w).max() for w in ends) < 1e-13


def test_equal_clients_do_as_one():
    few = [random_sequences(tau_0=0.0, tau_s=0.0, seed=3)]
    few.append(LinearSequences(J=few[0].J[:1], j=few[0].j.mean(axis=0)[None], dims=few[0].dims))
    few[0].j[:] = few[1].j
    ends = [states(FedMSA(**STEPS, K=4), problem, start(problem), 5)[-1].w for problem in few]
    np.testing.assert_allclose(*ends, atol=1e-13)


@pytest.mark.parametrize(("M", "b", "b0", "rho", "rounds"), [(2, 1, 1, 0.3, 4), (1, 2, 3, 0.5, 4), (2, 2, 2, 0.1, 3)])
def test_the_variance_of_pure_noise_is_the_hand_recursion(M, b, b0, rho, rounds):
    s = 0.7
    samples = {2 * r + 1: Outcomes(M, M, {"xi": b if r else b0}) for r in range(rounds)}
    rng = EveryCourse(samples | {2 * r + 2: Outcomes(M, 1, {}) for r in range(rounds)})  # the selected are not noisy
    method = FedMSA(**STEPS, rho=rho, K=2, minibatch=b, first_minibatch=b0, output_rule="last")
    _, *ends = states(method, pure_noise(m=M, s=s), np.zeros(2), rounds, rng)
    assert_momentum([end.direction[:, 0] for end in ends], rho, s**2 / (M * b0), s**2 / (M * b))


def test_momentum_keeps_directions_unbiased_along_the_run():
    # Noise in proportion to the map does not cancel, and depends on where the run went.
    problem, rho = linear_sequences(sigma_p=0.5, sigma_s=0.3, law="gain"), 0.25
    signs = {"xi": 1, "zeta": 1}
    rng = EveryCourse(
        {1: Outcomes(2, 2, signs), 3: Outcomes(2, 2, signs), 4: Outcomes(2, 1, signs), 2: Outcomes(2, 1, {})}
    )
    method = FedMSA(**STEPS, rho=rho, K=2, output_rule="last")
    _, second, third = states(method, problem, np.array([1.0, -2.0]), 2, rng)
    assert len(np.unique(second.w, axis=0)) == 16 and len(np.unique(third.w, axis=0)) > 1000
    error = [state.direction - problem.mean_maps(state.before) for state in (second, third)]
    np.testing.assert_allclose([e.mean(axis=0) for e in error], 0, atol=1e-14)
    # E||d_r||^2 = (1-rho)^2 E||d_{r-1}||^2 + E||(rho c + (1-rho) b) noise||^2, of which the size is by hand
    now, old = (np.stack([problem.maps(m, w) for m in (0, 1)]) for w in (second.w, second.before))
    added = (now - (1 - rho) * old) * np.array([0.5, 0.3]) / 2
    want = (1 - rho) ** 2 * (error[0] ** 2).mean(axis=0) + (added**2).sum(axis=0).mean(axis=0)
    np.testing.assert_allclose((error[1] ** 2).mean(axis=0), want, rtol=1e-12)


def test_schedules_of_steps_and_momentum():
    method = FedMSA(alpha=0.1, beta=0.2, rho=0.8, rho_power=0.5, K=2, alpha_decay=0.9, beta_decay=0.5)
    assert [method.momentum(r) for r in (0, 1, 4)] == [1.0, 0.8, 0.4]
    problem = random_sequences(sigma_p=0.3, sigma_s=0.2)
    state = states(method, problem, start(problem), 4)[-1]
    fixed = FedMSA(alpha=0.1 * 0.9**4, beta=0.2 * 0.5**4, rho=0.4, K=2)
    rng = Streams(0, 0, 1)
    np.testing.assert_allclose(method.round(problem, state, rng).w, fixed.round(problem, state, rng).w, atol=1e-14)


class Picked(Streams):
    """Streams whose numbers for the output are a grid, and the selected clients all pairs or singles."""

    def __init__(self, runs, numbers):
        super().__init__(0, 0, runs)
        self.numbers = numbers

    def uniforms(self, stream, round, client, K, n, rows):
        assert stream == "output"
        return self.numbers[round // 2][None, rows, None]


@pytest.mark.parametrize("s", [1, 2])
def test_every_local_iterate_is_returned_as_often(s):
    problem = random_sequences(m=2)
    runs = 28 * s**3
    cell, numbers = np.arange(runs), []
    for count in (1, 4, 7):  # iterates so far, times the seats of the selected clients
        numbers.append((cell % (count * s) + 0.5) / (count * s))
        cell = cell // (count * s)
    rng = Picked(runs, numbers)
    if s == 1:
        rng.sample_clients = lambda key, N, S: np.broadcast_to([True, False], (runs, 2))
    state = states(FedMSA(**STEPS, K=3, clients_selected=s), problem, start(problem), 3, rng)[-1]
    _, counts = np.unique(state.picked.round(9), axis=0, return_counts=True)
    # Round 0 has one iterate, and two clients go apart in their second step alone.
    assert sorted(counts) == ([runs // 7] * 7 if s == 1 else [runs // 14] * 4 + [runs // 7] * 5)
    assert state.iterates == 7


def test_the_newest_model_may_be_returned():
    problem = random_sequences()
    done = engine.run(FedMSA(**STEPS, output_rule="last"), problem, start(problem), R=3)
    np.testing.assert_array_equal(done.x_average, done.x_last)


def test_what_a_run_costs():
    m, N, d, K, b, b0, R, s = 4, 2, 3, 5, 2, 7, 6, 2
    problem = random_sequences(m=m, N=N, d=d, sigma_p=0.1)
    method = FedMSA(**STEPS, K=K, minibatch=b, first_minibatch=b0, clients_selected=s)
    c, D = engine.run(method, problem, problem.x0, R=R).counts, (N + 1) * d
    # two back-and-forth communications per iteration
    assert c.rounds + c.lower_rounds == 2 * R
    # up: all clients' directions and the selected clients' models; down: the mean direction and the new model to all
    assert (c.floats_up, c.floats_down) == (R * (m * D + s * D), R * 2 * m * D)
    assert (c.vectors_up, c.vectors_down) == (R * (m + s) * (N + 1), R * 2 * m * (N + 1))
    evaluations = m + 2 * s + (R - 1) * (2 * m + 2 * s * K)
    assert (c.grad_f, c.grad_h) == (evaluations, N * evaluations)
    assert c.samples == m * b0 + s * b + (R - 1) * (m * b + s * K * b)
    quadratic = tracking_quadratic(dx=2, dy=3, shift=0.0, t=1.0)
    bilevel = engine.run(FedBLO(**STEPS, K=K), quadratic, quadratic.x0, R=R).counts
    evaluations = 2 + 2 + (R - 1) * (4 + 2 * K)
    assert bilevel.floats_up == R * 3 * (2 + 2 * 3)  # an x-vector and two w-vectors of each client
    assert bilevel.grad_f == bilevel.grad_h == bilevel.products == evaluations and bilevel.samples == 0


@pytest.mark.parametrize("name", ["additive", "gaussian", "gain", "chain", "risk"])
def test_chunks_do_not_matter(name):
    problem = LOOPS[name]()
    steps = {"alpha": 1e-4, "beta": 0.1} if name == "risk" else STEPS
    assert_chunks_do_not_matter(engine.run, FedMSA(**steps, rho=0.4, K=3, minibatch=2), problem, problem.x0)


# --- where it ends


@pytest.mark.parametrize("s", [1, 3])
@pytest.mark.parametrize("N", [1, 2, 3])
def test_exact_oracles_end_at_the_zero_of_the_means(N, s):
    problem = random_sequences(N=N, common=False, tau_0=0.3, tau_s=0.3)
    method = FedMSA(alpha=0.1, beta=0.1, rho=0.3, K=3, clients_selected=s)
    done = engine.run(method, problem, problem.x0, R=400, runs=3)
    np.testing.assert_allclose(done.x_last, np.broadcast_to(problem.solution, (3, problem.n)), atol=1e-8)
    assert done.last["|P(x)|^2"][-1].max() < 1e-15 and done.last["|Z - Z*|^2"][-1].max() < 1e-15


def test_a_rotation_is_not_left():
    done = engine.run(FedMSA(**STEPS), rotation_sequences(), np.ones(4), R=100)
    assert np.linalg.norm(done.x_last[0, :2]) > 1.2 * np.linalg.norm(np.ones(2))


def test_fedblo_ends_at_the_minimiser_and_at_another_point_as_printed():
    H, B, c, Q, t = (np.array(k) for k in ((1.0, 3.0), (2.0, -1.0), (0.5, 1.0), (1.0, 2.0), (1.0, -1.0)))
    problem = tracking_quadratic(H=H, B=B, shift=c, Q=Q, t=t, mu=0.3)
    # mu x + B v = 0 with w = (B x + c)/H and H v = Q w - mean Q t, or mu x in place of the right side
    h, b, q = H.mean(), B.mean(), Q.mean()
    slope, constant = 0.3 + b**2 * q / h**2, b / h * (q * c.mean() / h - (Q * t).mean())
    x = -constant / slope
    done = engine.run(FedBLO(alpha=0.1, beta=0.1, rho=0.5, K=4), problem, problem.x0, R=1500)
    np.testing.assert_allclose(done.x_last[0], [x, (b * x + c.mean()) / h], atol=1e-10)
    assert done.last["dist"][-1, 0] < 1e-10 and done.last["|grad Phi|"][-1, 0] < 1e-10
    printed = engine.run(FedBLO(alpha=0.1, beta=0.1, rho=0.5, K=4, system="eq10"), problem, problem.x0, R=1500)
    # 0.3 x + b * 0.3 x/h = 0: x = 0
    assert abs(printed.x_last[0, 0]) < 1e-10 < 0.05 < printed.last["|grad Phi|"][-1, 0]


@pytest.mark.parametrize("weights", [None, (0.6, 0.3, 0.1)])
def test_fedblo_is_fedmsa_on_its_maps(weights):
    noise = TwoPoint(np.full(4, 0.3), np.full(4, 0.2))
    problem = random_bilevel_quadratic(m=3, dx=2, dy=2, weights=weights, noise=noise)
    z = start(problem)
    state = states(FedBLO(**STEPS, rho=0.4, K=3), problem, z, 5, Streams(1, 0, 3))[-1]
    maps = blo_maps_eq2(problem)
    same = states(FedMSA(**STEPS, rho=0.4, K=3), maps, np.append(z, [0, 0]), 5, Streams(1, 0, 3))[-1]
    np.testing.assert_allclose(state.w, same.w, atol=1e-13)
    assert state.x.shape == (3, 4) and state.cost == same.cost
    fixed = engine.run(FedBLO(**STEPS, K=3), random_bilevel_quadratic(m=3, weights=weights), np.zeros(7), R=1500)
    assert fixed.last["dist"][-1, 0] < 1e-8


def test_the_linear_system_may_start_from_a_series():
    problem = tracking_quadratic(dx=2, dy=2)
    z = start(problem)
    state = FedBLO(**STEPS, terms=200).init(problem, z[None], Streams(0, 0, 1))
    H, f = problem.H.mean(axis=0)[2:, 2:], problem.grad_F(z[None])[0, 2:]
    np.testing.assert_allclose(state.w[0, 4:], np.linalg.solve(H, f), atol=1e-10)
    one = FedBLO(**STEPS, terms=1, ell=4.0).init(problem, z[None], Streams(0, 0, 1))
    np.testing.assert_allclose(one.w[0, 4:], f / 4.0)


def test_the_indirect_part_changes_in_local_steps():  # prop.indirect, prop.simul
    problem = tracking_quadratic()
    method = FedBLO(**STEPS, K=3)
    rng = Streams(0, 0, 1)
    before = states(method, problem, np.array([0.5, 0.0]), 2)[-1]
    trail = []
    maps = method.maps(problem)
    maps_of = maps.maps
    maps.maps = lambda m, w: trail.append(w[0].copy()) or maps_of(m, w)
    object.__setattr__(method, "maps", lambda problem: maps)
    method.round(problem, before, rng)
    x, w, v = np.array(trail[-3:]).T  # k = 1, 2, 3
    assert min(np.abs(np.diff(part)).min() for part in (x, w, v)) > 1e-4
    indirect = [
        problem.product_g(0, np.array([[a, b]]), np.array([[c]]))[0, 0] for a, b, c in zip(x, w, v, strict=True)
    ]
    assert np.abs(np.diff(indirect)).min() > 1e-4


def test_fedmco_ends_at_the_minimiser_of_equal_clients_alone():
    method = FedMCO(alpha=0.05, beta=0.3, rho=0.5, K=2)
    equal, unequal = quadratic_chain(a=2.0, b=0.5), quadratic_chain()
    done = engine.run(method, equal, equal.x0, R=500)
    assert done.x_last[0, 0] == pytest.approx(0.25, abs=1e-10) and done.last["|grad f|^2"][-1, 0] < 1e-18
    done = engine.run(method, unequal, unequal.x0, R=500)
    # mean_i a_i (c_i 2 x - b_i) = 4 x - 1/2 is zero at 1/8, where grad f = 2 (2 x - 1/2) = -1/2
    np.testing.assert_allclose(done.x_last[0], [0.125, 0.25], atol=1e-10)
    assert done.last["|grad f|^2"][-1, 0] == pytest.approx(0.25) and done.last["|P(x)|^2"][-1, 0] < 1e-18


@pytest.mark.parametrize("name", ["risk", "smooth"])
def test_fedmco_descends_on_three_levels(name):
    problem = risk_averse(link="linear", heterogeneity=0.0) if name == "risk" else smooth_chain(offset=0.5)
    method = FedMCO(alpha=0.02, beta=0.3, rho=0.5, K=3)
    done = engine.run(method, problem, problem.x0, R=2000)
    assert done.last["|grad f|^2"][-1, 0] < 1e-6 * done.last["|grad f|^2"][0, 0]
    if name == "risk":  # convex
        found = minimize(lambda x: problem.f(x[None])[0], problem.x0[:4], tol=1e-12)
        np.testing.assert_allclose(done.x_last[0, :4], found.x, atol=1e-2)


def test_measures_before_the_first_round_are_not_defined():
    problem, method = linear_sequences(), FedMSA(**STEPS)
    first = states(method, problem, np.ones(2), 0)[0]
    assert all(np.isnan(measure(first)).all() for measure in method.measures(problem).values())


def run(method, problem):
    return engine.run(method, problem, problem.x0, R=1)


def stated(alpha=1e-3, beta=1e-3, rho=1.0, **of):
    """A run whose steps should be in the stated region."""
    return run(FedMSA(alpha=alpha, beta=beta, rho=rho, region="stated"), linear_sequences(**of))


WRONG = [
    (lambda: FedMSA(alpha=0.0, beta=1.0), "alpha is 0.0; it should be a positive number"),
    (lambda: FedMSA(alpha=1.0, beta=(1.0, -1.0)), "beta is -1.0; it should be a positive number"),
    (lambda: FedMSA(**STEPS, rho=1.5), r"rho is 1.5; it should be in \[0, 1\]"),
    (lambda: FedMSA(**STEPS, rho_power=-1.0), "rho_power is -1; it should be at least 0"),
    (lambda: FedMSA(**STEPS, K=0), "K is 0; it should be a whole number, at least 1"),
    (lambda: FedMSA(**STEPS, first_minibatch=0), "first_minibatch is 0; it should be a whole number"),
    (lambda: FedMSA(**STEPS, output_rule="x"), "output_rule is 'x'; it should be random or last"),
    (lambda: FedMSA(**STEPS, region="x"), "region is 'x'; it should be any or stated"),
    (lambda: FedBLO(**STEPS, system="x"), "system is 'x'; it should be eq2 or eq10"),
    (lambda: FedBLO(**STEPS, ell=0.0), "ell is 0.0; it should be a positive number"),
    (
        lambda: run(FedMSA(alpha=0.1, beta=(0.1, 0.2)), linear_sequences()),
        "beta has 2 steps; it should be one number, or have one for each of 1 sequences",
    ),
    (
        lambda: run(FedMSA(**STEPS, clients_selected=3), linear_sequences()),
        "clients_selected is 3; it should be at most 2, the number of clients",
    ),
    (
        lambda: engine.run(FedMSA(**STEPS), linear_sequences(), np.zeros(3), R=1),
        r"x0 has shape \(3,\); it should be finite, of shape \(2,\)",
    ),
    (lambda: run(FedBLO(**STEPS), double_well()), "FedMSA does not project; X and Y should be whole"),
    (
        lambda: run(FedBLO(**STEPS, terms=2), loss_tuning(hidden=2)),
        "no smoothness constant of the lower level is known; ell should be given",
    ),
    (lambda: stated(beta=0.3), r"B.1\) fails: beta_1 = 0.3 should be at most lambda_1/\(2 L_s1\) = 0.25"),
    (lambda: stated(alpha=3.0), r"B.2\) fails: alpha = 3 should be at most 1/\(2 L_z1\^2\) = 2"),
    (lambda: stated(alpha=0.3), r"B.4\) fails: 2 e kappa_p step\^2 = .* should be at most 1/2 = 0.5"),
    (lambda: stated(alpha=0.05, rho=1e-3), r"B.5\) fails: 160 Lb_p\^2 K\^2 step\^2 = .* rho M K b/\(24 e \+ 1\)"),
    (lambda: stated(E=(1.0, 3.0)), r"B.1\) fails: beta_1 = 0.001 should be at most .* = -inf"),
]


@pytest.mark.parametrize(("make", "words"), WRONG)
def test_wrong_input_is_refused_in_one_line(make, words):
    assert_refused(make, words)


def test_steps_in_the_stated_region_run():
    assert np.isfinite(stated(rho=0.5).x_last).all()
