"""MeFBO and MEHA against regression values, a plain loop, and enumeration of everything that is random."""

import itertools
from dataclasses import replace

import numpy as np
import pytest

from rateproof.algos import engine
from rateproof.algos.methods import affine_directions
from rateproof.algos.methods.affine_directions import AffineDirections, MeanDirections
from rateproof.algos.methods.bilevel_parts import Client, Server
from rateproof.algos.methods.mefbo import MEHA, MeFBO, Storm, saga, storm, three_gradients
from rateproof.algos.noise import MiniBatch, Streams, TwoPoint
from rateproof.algos.problems.bilevel_line import cosine_tracking, double_well, log_cosh_tracking
from rateproof.algos.problems.bilevel_quadratic import BilevelQuadratic, bilevel_quadratic, random_bilevel_quadratic
from rateproof.algos.problems.smooth_bilevel import EXACT, Sample

SERVER = {"lambda_theta": 0.3, "lambda_x": 0.1, "lambda_y": 0.2}
CLIENT = {"eta_theta": 0.05, "eta_x": 0.02, "eta_y": 0.1}


class Given(Streams):
    """Streams of one run whose participants are given, a set of clients a round."""

    def __init__(self, *sets):
        super().__init__(0, 0, 1)
        self.sets = sets

    def sample_clients(self, round, N, S):
        return np.isin(np.arange(N), self.sets[round - 1])[None]


def states(method, problem, z, rounds, rng=None, theta=None):
    rng = rng or Streams(0, 0, len(z))
    state = method.init(problem, z, rng)
    out = [state if theta is None else replace(state, theta=theta)]
    for _ in range(rounds):
        out.append(method.round(problem, out[-1], rng))
    return out


def points(problem, runs=4, seed=0):
    return np.random.default_rng(seed).normal(size=(runs, problem.n))


@pytest.mark.parametrize(
    ("tau", "sets", "want"),
    [
        (
            2,
            [(0, 1)] * 3,
            [
                (0.315777633287, 0.851492769026, 0.630270054382),
                (0.327610405082, 0.882110730768, 0.712115398719),
                (0.336981164552, 0.899341720177, 0.762997065972),
            ],
        ),
        (
            1,
            [0, 1, 0],
            [
                (0.307592313194, 0.89420553199, 0.679552020666),
                (0.326844119511, 0.882988391922, 0.710319662335),
                (0.328504196742, 0.940038245013, 0.808280121357),
            ],
        ),
    ],
)
def test_iterates_known_from_another_program(tau, sets, want):
    P = 1 if tau == 1 else 2
    steps = {"lambda_theta": 0.1, "lambda_x": 0.05, "lambda_y": 0.05}
    method = MeFBO(gamma=0.2, **steps, eta_theta=0.02, eta_x=0.02, eta_y=0.02, tau=tau, P=P, c0=2, p=0.1)
    z, theta = np.array([[0.3, 0.8]]), np.array([[0.5]])
    got = states(method, cosine_tracking(), z, 3, Given(*sets), theta)[1:]
    np.testing.assert_allclose([(*s.z[0], s.theta[0, 0]) for s in got], want, atol=1e-11)


def plain_directions(problem, i, z, theta, *, tau, gamma, c, eta):
    """Lines 5 to 9 of Algorithm 1 for one run and client as one would write them: ``h_theta``, ``h_x``, ``h_y``."""
    dx, h = problem.dx, [0.0, 0.0, 0.0]
    x, y, t = z[:dx], z[dx:], theta
    for _ in range(tau):
        df = problem.gradient_f(i, np.concatenate([x, y])[None])[0]
        dg = problem.gradient_g(i, np.concatenate([x, y])[None])[0]
        dt = problem.gradient_g(i, np.concatenate([x, t])[None])[0]
        ht = dt[dx:] + (t - y) / gamma
        hx = df[:dx] / c + dg[:dx] - dt[:dx]
        hy = df[dx:] / c + dg[dx:] - (y - t) / gamma
        h = [a + b / tau for a, b in zip(h, (ht, hx, hy), strict=True)]
        t, x, y = t - eta[0] * ht, x - eta[1] * hx, y - eta[2] * hy
    return h


def test_a_round_is_the_plain_loop_and_only_the_server_projects():
    problem = random_bilevel_quadratic(m=3, dx=2, dy=3, box=0.4, weights=(0.5, 0.25, 0.25))
    z = points(problem)
    method = MeFBO(gamma=0.2, **SERVER, **CLIENT, tau=3, c0=2.0)
    state = states(method, problem, z, 1)[1]
    for r in range(4):
        each = [
            plain_directions(problem, i, z[r], z[r, 2:], tau=3, gamma=0.2, c=2.0, eta=(0.05, 0.02, 0.1))
            for i in range(3)
        ]
        H = [sum(w * h[k] for w, h in zip(problem.weights, each, strict=True)) for k in range(3)]
        want = np.concatenate([z[r, :2] - 0.1 * H[1], z[r, 2:] - 0.2 * H[2]])
        np.testing.assert_allclose(state.z[r], np.clip(want, -0.4, 0.4), atol=1e-13)
        np.testing.assert_allclose(state.theta[r], np.clip(z[r, 2:] - 0.3 * H[0], -0.4, 0.4), atol=1e-13)
    assert np.abs(state.z).max() == 0.4 and np.abs(state.z).min() < 0.4


@pytest.mark.parametrize("noise", [None, TwoPoint(np.ones(5), np.arange(5.0))])
@pytest.mark.parametrize("together", [affine_directions.TOGETHER, 0])
def test_all_clients_at_once_do_as_one_by_one(noise, together, monkeypatch):
    monkeypatch.setattr(affine_directions, "TOGETHER", together)
    problem = random_bilevel_quadratic(m=3, dx=2, dy=3, box=0.4, noise=noise)
    for P in (2, 3):
        method = MeFBO(gamma=0.2, **SERVER, **CLIENT, tau=3, P=P, c0=2.0, p=0.5)
        rng = Streams(0, 0, 4)
        start = method.init(problem, points(problem), rng)
        assert isinstance(start.affine, AffineDirections)
        ends = [start, replace(start, affine=None)]
        for _ in range(4):
            ends = [method.round(problem, state, rng) for state in ends]
        np.testing.assert_allclose(ends[0].z, ends[1].z, atol=1e-13)
        np.testing.assert_allclose(ends[0].theta, ends[1].theta, atol=1e-13)
        assert ends[0].cost == ends[1].cost and (ends[0].cost.samples > 0) == (noise is not None)


def test_a_long_run_goes_over_to_the_mean_of_all_local_steps():
    problem = random_bilevel_quadratic(m=3, dx=2, dy=3, weights=(0.5, 0.3, 0.2), L=2.0)
    for tau, schedule in ((1, {}), (5, {"p": 0.4, "c0": 0.3, "q": 0.6}), (40, {"p": 0.1})):
        method = MeFBO(gamma=0.2, **SERVER, **CLIENT, tau=tau, **schedule)
        *_, before, after = states(method, problem, points(problem), 2 + (tau + 1) * 8 // 4)
        assert isinstance(before.affine, AffineDirections) and isinstance(after.affine, MeanDirections)
        for rounds in (before.rounds, 10**6):
            ends = [
                method.round(problem, replace(before, rounds=rounds, affine=affine), Streams(0, 0, 4))
                for affine in (None, after.affine)
            ]
            assert ends[0].cost == ends[1].cost != before.cost
            np.testing.assert_allclose(ends[0].z, ends[1].z, atol=1e-13)
            np.testing.assert_allclose(ends[0].theta, ends[1].theta, atol=1e-13)
    partial, falling = (MeFBO(gamma=0.2, **SERVER, **CLIENT, **more) for more in ({"P": 2}, {"q_eta": 0.25}))
    for method in (partial, falling):
        assert isinstance(states(method, problem, points(problem), 30)[-1].affine, AffineDirections)


def test_with_one_local_step_the_stepsizes_of_clients_do_not_matter():
    problem = random_bilevel_quadratic(noise=TwoPoint(np.ones(7), np.ones(7)))
    ends = [states(MeFBO(gamma=0.2, **SERVER, eta_x=eta, P=2), problem, points(problem), 3)[-1] for eta in (1e-3, 5.0)]
    np.testing.assert_array_equal(ends[0].z, ends[1].z)


@pytest.mark.parametrize("estimator", ["sgd", "storm"])
def test_equal_clients_without_noise_do_as_one(estimator):
    problem = random_bilevel_quadratic(heterogeneity=0.0)
    of_first = {"P": problem.P[:1], "a": problem.a[:1], "H": problem.H[:1], "b": problem.b[:1]}
    one = BilevelQuadratic(**of_first, X=problem.X, Y=problem.Y)
    want = states(MeFBO(gamma=0.2, **SERVER, **CLIENT, tau=4), one, points(problem), 5)[-1]
    for P in range(1, 6):
        method = MeFBO(gamma=0.2, **SERVER, **CLIENT, tau=4, P=P, estimator=estimator)
        got = states(method, problem, points(problem), 5)[-1]
        np.testing.assert_allclose(got.z, want.z, atol=1e-13)
        np.testing.assert_allclose(got.theta, want.theta, atol=1e-13)


def test_the_directions_are_unbiased_over_subsets_and_signs():
    problem = random_bilevel_quadratic(m=3, dx=1, dy=1, weights=(0.5, 0.3, 0.2))
    z, exact = points(problem, 1), MeFBO(gamma=0.2, **SERVER)
    want = states(exact, problem, z, 1)[1]
    problem.noise, ends = TwoPoint(np.ones(2), np.ones(2)), set()
    total_z, total_theta, count = 0.0, 0.0, 0
    signs = [np.array(s)[None] for s in itertools.product((-1.0, 1.0), repeat=2)]
    for pair in itertools.combinations(range(3), 2):
        for drawn in itertools.product(itertools.product(signs, signs), repeat=2):
            given = dict(zip(pair, drawn, strict=True))
            problem.draw = lambda rng, r, i, steps, rows, given=given: [Sample(*given[i])]
            state = states(MeFBO(gamma=0.2, **SERVER, P=2), problem, z, 1, Given(pair))[1]
            total_z, total_theta, count = total_z + state.z, total_theta + state.theta, count + 1
            ends.add(float(state.z[0, 1]))
    assert count == 3 * 4**4 and len(ends) > 20
    np.testing.assert_allclose(total_z / count, want.z, atol=1e-14)
    np.testing.assert_allclose(total_theta / count, want.theta, atol=1e-14)


def test_one_sample_serves_all_lower_gradients():
    # Noise in grad_x g cancels between (x, y) and (x, theta), so x moves as without noise.
    noise = TwoPoint(np.zeros(2), np.array([7.0, 0.0]))
    runs = [
        states(MeFBO(gamma=0.2, **SERVER, tau=2), log_cosh_tracking(noise=law), np.ones((2, 2)), 4)
        for law in (None, noise)
    ]
    np.testing.assert_allclose(runs[0][-1].z, runs[1][-1].z, atol=1e-13)


@pytest.mark.parametrize("law", ["storm", "saga"])
def test_estimators_are_unbiased(law):
    problem = random_bilevel_quadratic(m=2, dx=2, dy=2, rows=3, noise=MiniBatch(1))
    server = Server(problem, Streams(0, 0, 2), 1, 2)
    client = Client(server, 1, np.arange(2))
    z, old = points(problem, 2), points(problem, 2, seed=1)
    theta, old_theta = z[:, 2:] + 1, old[:, 2:] - 1
    exact = np.stack(three_gradients(client, theta, z, EXACT), axis=1)
    method = MeFBO(gamma=0.1, **SERVER, estimator=law)
    start = method.init(problem, old, Streams(0, 0, 2)).memory[1]
    if law == "storm":  # with an estimate that is wrong by one everywhere, 0.7 of which stays
        start = Storm(np.ones(2), np.stack(three_gradients(client, old_theta, old, EXACT), 1) + 1, old_theta, old)
        exact = exact + 0.7
    else:  # whatever the tables hold
        start = type(start)(*(part + np.random.default_rng(2).normal(size=part.shape) for part in start))
    results = []
    for j, k in itertools.product(range(3), repeat=2):
        memory = type(start)(*(part.copy() for part in start))
        sample = Sample(np.full((2, 1), j), np.full((2, 1), k))
        estimate = (
            storm(client, memory, theta, z, sample, 0.3) if law == "storm" else saga(client, memory, theta, z, sample)
        )
        results.append(estimate)
        if law == "saga":
            np.testing.assert_allclose(memory.upper[:, j, 0], client.grad_f(z, sample))
            assert (memory.upper[:, j - 1] == start.upper[:, j - 1]).all()
    assert np.ptp(results, axis=0).max() > 1e-2
    np.testing.assert_allclose(np.mean(results, axis=0), exact, atol=1e-13)


@pytest.mark.parametrize("estimator", ["storm", "saga"])
def test_what_clients_remember_belongs_to_their_runs(estimator):
    problem = random_bilevel_quadratic(m=3, dx=1, dy=1, rows=3, noise=MiniBatch(1))
    method = MeFBO(gamma=0.1, **SERVER, **CLIENT, estimator=estimator, tau=2, P=1)
    ends = [engine.run(method, problem, np.zeros(2), R=6, runs=4, chunk=chunk, metrics={}).x_last for chunk in (1, 4)]
    np.testing.assert_allclose(ends[0], ends[1], atol=1e-14)
    assert len(np.unique(ends[0][:, 0])) == 4


def test_storm_without_memory_is_plain():
    problem = random_bilevel_quadratic(m=3, noise=TwoPoint(np.ones(7), np.ones(7)))
    plain, storm_too = (
        states(MeFBO(gamma=0.1, **SERVER, estimator=law, momentum=1.0, tau=2, P=2), problem, points(problem), 4)[-1]
        for law in ("sgd", "storm")
    )
    np.testing.assert_allclose(plain.z, storm_too.z, atol=1e-13)
    assert storm_too.cost.grad_f == 2 * plain.cost.grad_f


def test_saga_and_storm_come_closer_than_plain_gradients():
    problem = random_bilevel_quadratic(m=2, dx=1, dy=2, rows=3, noise=MiniBatch(1))
    steps = {"lambda_theta": 0.05, "lambda_x": 0.05, "lambda_y": 0.05}
    ends = {}
    for estimator in ("sgd", "storm", "saga"):
        method = MeFBO(gamma=0.1, **steps, estimator=estimator, momentum=0.05)
        done = engine.run(method, problem, np.zeros(3), R=500, runs=4, record=[500], measures=method.measures(problem))
        ends[estimator] = done.last["R"].mean()
    assert ends["saga"] < 1e-12 and ends["storm"] < ends["sgd"] / 2


def small_quadratic():
    return random_bilevel_quadratic(m=2, dx=1, dy=2, L=2.0)


@pytest.mark.parametrize("make", [small_quadratic, cosine_tracking, double_well, log_cosh_tracking])
@pytest.mark.parametrize("meha", [False, True])
def test_noiseless_runs_end_where_the_stationarity_is_zero(make, meha):
    problem = make()
    step, gamma = (0.02, 0.04) if make is double_well else (0.2, 0.2)
    if meha:
        method = MEHA(gamma=gamma, eta=step, alpha=step, beta=step)
    else:
        method = MeFBO(gamma=gamma, lambda_theta=step, lambda_x=step, lambda_y=step)
    done = engine.run(method, problem, np.full(problem.n, 0.3), R=1000, metrics={})
    assert problem.R(done.x_last, gamma, 1.0)[0] < 1e-16 < 1e-3 < problem.R(np.full((1, problem.n), 0.3), gamma, 1.0)[0]


def test_one_client_and_one_step_is_meha_with_simultaneous_steps():
    problem = random_bilevel_quadratic(m=1)
    z = points(problem)
    ours = states(MeFBO(gamma=0.2, **SERVER), problem, z, 1)[1]
    theirs = states(MEHA(gamma=0.2, eta=0.3, alpha=0.1, beta=0.2), problem, z, 1)[1]
    np.testing.assert_allclose(ours.theta, theirs.theta, atol=1e-14)
    # The later steps of MEHA use the newer theta and x: they agree to second order in the stepsizes.
    small = {"lambda_theta": 1e-4, "lambda_x": 1e-4, "lambda_y": 1e-4}
    ours = states(MeFBO(gamma=0.2, **small), problem, z, 1)[1]
    theirs = states(MEHA(gamma=0.2, eta=1e-4, alpha=1e-4, beta=1e-4), problem, z, 1)[1]
    assert 0 < np.abs(ours.z - theirs.z).max() < 1e-6 < np.abs(ours.z - z).max()


def test_schedules_and_what_a_run_costs():
    method = MeFBO(gamma=0.2, **SERVER, tau=5, P=2, c0=3.0, p=0.25, q=0.5, q_eta=0.25)
    assert method.c(15) == pytest.approx(6.0)
    problem = random_bilevel_quadratic(dx=2, dy=3, noise=TwoPoint(np.ones(5), np.ones(5)))
    constant = replace(method, q=0.0, q_eta=0.0, c0=method.c(3), p=0.0, **{k: v / 2 for k, v in SERVER.items()})
    constant = replace(constant, **{k.replace("lambda", "eta"): v / 2**0.5 for k, v in SERVER.items()})
    rng, z = Streams(0, 0, 2), points(problem, 2)
    state = replace(method.init(problem, z, rng), rounds=3)
    np.testing.assert_allclose(method.round(problem, state, rng).z, constant.round(problem, state, rng).z, rtol=1e-12)
    done = engine.run(method, problem, np.zeros(5), R=7, runs=3)
    c = done.counts
    assert (c.rounds, c.vectors_down, c.vectors_up, c.floats_down, c.floats_up) == (7, 28, 28, 112, 112)
    assert (c.grad_f, c.grad_h, c.products, c.samples, c.lower_rounds) == (70, 140, 0, 140, 0)


WRONG = {
    "gamma": (lambda: run(MeFBO(gamma=1.5, **SERVER), cosine_tracking()), r"in \(0, 1/rho_wc\) = \(0, 1\.13949"),
    "concave": (lambda: run(MeFBO(gamma=0.3, **SERVER), bilevel_quadratic(A=-4.0)), "is not strongly convex"),
    "meha": (lambda: run(MEHA(gamma=2.0, eta=1, alpha=1, beta=1), cosine_tracking()), "gamma is 2; it should be in"),
    "P": (
        lambda: run(MeFBO(gamma=0.2, **SERVER, P=3), cosine_tracking()),
        "P is 3; it should be at most 2, the number",
    ),
    "no clients": (
        lambda: MeFBO(gamma=0.2, **SERVER, P=0),
        "P is 0; it should be a whole number of clients, at least 1",
    ),
    "steps": (lambda: MeFBO(gamma=0.2, **SERVER, tau=0), "tau is 0; it should be a whole number of local steps"),
    "size": (lambda: MeFBO(gamma=0.2, **(SERVER | {"lambda_x": -1})), "lambda_x is -1; it should be a positive number"),
    "weights": (lambda: cosine_tracking(weights=(0.5, 0.6)), r"sum 1\.1; they should be 2 positive numbers with sum 1"),
    "empty": (lambda: double_well(Y_low=1, Y_high=0), "from 1 to 0; it should hold a point"),
    "estimator": (
        lambda: MeFBO(gamma=0.2, **SERVER, estimator="x"),
        "estimator is 'x'; it should be one of sgd, storm",
    ),
    "momentum": (lambda: MeFBO(gamma=0.2, **SERVER, momentum=0), r"momentum is 0; it should be in \(0, 1\]"),
    "exponent": (lambda: MeFBO(gamma=0.2, **SERVER, p=-1), "p is -1; it should be a finite number, at least 0"),
    "saga": (lambda: run(MeFBO(gamma=0.2, **SERVER, estimator="saga"), cosine_tracking()), "it needs noise=minibatch"),
    "rows": (lambda: run(MeFBO(gamma=0.2, **SERVER), cosine_tracking(noise=MiniBatch(1))), "is not a finite sum"),
}


def run(method, problem):
    return engine.run(method, problem, np.zeros(problem.n), R=1)


@pytest.mark.parametrize("name", WRONG)
def test_wrong_input_is_refused_in_one_line(name):
    make, words = WRONG[name]
    with pytest.raises(ValueError, match=words) as error:
        make()
    assert "\n" not in str(error.value)
