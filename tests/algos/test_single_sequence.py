"""STSA, STORM, SARAH and CE-LSGD against plain loops, and what their noise does in the mean."""

import numpy as np
import pytest
from clients import (
    INSTANCES,
    assert_chunks_do_not_matter,
    assert_momentum,
    assert_refused,
    gradients,
    minimiser,
    quadratics,
    states,
)

from rateproof.algos import engine
from rateproof.algos.methods.fedmsa import FedMSA
from rateproof.algos.methods.loss_sequences import LossSequences, Pooled
from rateproof.algos.methods.single_sequence import CELSGD, SARAH, STORM, STSA
from rateproof.algos.noise import Streams, TwoPoint
from rateproof.algos.outcomes import EveryCourse, Outcomes
from rateproof.algos.problems.linear_sequences import linear_sequences, pure_noise, random_sequences


def mean_gradient(problem, rng, key, steps, batch):
    """For each step a function of ``x``: the mean over clients and the batch of stochastic gradients."""
    own = [gradients(problem, rng, key, i, steps * batch) for i in range(problem.N)]
    return [
        lambda x, k=k: np.mean([g(x) for each in own for g in each[k * batch : (k + 1) * batch]], axis=0)
        for k in range(steps)
    ]


def storm(problem, x, R, rng, *, alpha, rho, minibatch, first_minibatch, power, rho_power):
    before, d = x, np.zeros_like(x)
    for k in range(R):
        (g,) = mean_gradient(problem, rng, 2 * k + 1, 1, minibatch if k else first_minibatch)
        d = g(x) + (1 - rho * k**-rho_power) * (d - g(before)) if k else g(x)
        before, x = x, x - alpha * (k + 1) ** -power * d
    return x


def sarah(problem, x, R, rng, *, alpha, K, minibatch, first_minibatch, anchor):
    for r in range(R):
        if anchor == "full":
            v = np.mean([problem.grad_h(i, x[None])[0] for i in range(problem.N)], axis=0)
        else:
            v = mean_gradient(problem, rng, 2 * r + 1, 1, first_minibatch)[0](x)
        before, x = x, x - alpha * v
        for g in mean_gradient(problem, rng, 2 * r + 2, K - 1, minibatch):
            v = v + g(x) - g(before)
            before, x = x, x - alpha * v
    return x


LOOPS = {
    "STORM": (
        STORM,
        storm,
        {"alpha": 0.2, "rho": 0.4, "minibatch": 2, "first_minibatch": 3, "power": 0.3, "rho_power": 0.6},
    ),
    "SARAH": (SARAH, sarah, {"alpha": 0.2, "K": 4, "minibatch": 2, "first_minibatch": 3, "anchor": "full"}),
    "SPIDER": (SARAH, sarah, {"alpha": 0.2, "K": 4, "minibatch": 2, "first_minibatch": 3, "anchor": "batch"}),
}


@pytest.mark.parametrize("noise", INSTANCES)
@pytest.mark.parametrize("name", LOOPS)
def test_a_run_is_the_plain_loop(name, noise):
    make, loop, numbers = LOOPS[name]
    problem = INSTANCES[noise]
    x = np.linspace(-1, 1, problem.n)
    state = states(make(**numbers), problem, x, 4, Streams(3, 1, 3))[-1]
    for run in range(3):
        want = loop(problem, x, 4, Streams(3, 1 + run, 1), **numbers)
        np.testing.assert_allclose(state.x[run], want, rtol=1e-10, atol=1e-12)


def test_ce_lsgd_is_fedmsa_without_inner_sequences():
    problem, numbers = INSTANCES["mini-batch"], {"alpha": 0.2, "rho": 0.4, "K": 3, "minibatch": 2}
    mine = states(CELSGD(**numbers), problem, np.ones(3), 4, Streams(3, 1, 3))[-1]
    same = states(FedMSA(**numbers, beta=1.0), LossSequences(problem), np.ones(3), 4, Streams(3, 1, 3))[-1]
    np.testing.assert_array_equal(mine.x, same.w)


@pytest.mark.parametrize("law", ["two_point", "gain"])
def test_stsa_is_fedmsa_with_one_step_and_plain_samples(law):
    problem = random_sequences(m=3, N=2, sigma_p=0.4, sigma_s=0.3, law=law)
    w = np.random.default_rng(0).normal(size=problem.n)
    steps = {"alpha": 0.1, "beta": (0.2, 0.3), "minibatch": 2}
    mine = states(STSA(**steps), problem, w, 5, Streams(1, 0, 3))[-1]
    same = states(FedMSA(**steps, first_minibatch=2), problem, w, 5, Streams(1, 0, 3))[-1]
    np.testing.assert_allclose(mine.w, same.w, atol=1e-13)
    # and with steps that fall, a plain loop
    eta, one = np.repeat([0.1, 0.2, 0.3], problem.dims), np.array([0])
    state, rng, x = states(STSA(**steps, power=0.5), problem, w, 4, Streams(1, 0, 1))[-1], Streams(1, 0, 1), w[None]
    for k in range(4):
        samples = [problem.draw(rng, 2 * k + 1, i, 1, one, 2)[0] for i in range(3)]
        x = x - eta / np.sqrt(k + 1) * np.mean([problem.sampled(i, x, s) for i, s in enumerate(samples)], axis=0)
    np.testing.assert_allclose(state.w, x, atol=1e-13)


def test_storm_keeps_its_estimate_unbiased_and_shrinks_its_variance():
    s, rho = 0.6, 0.25
    problem = quadratics(N=1, n=1, noise=TwoPoint(np.zeros(1), np.array([s])))
    one = Outcomes(1, 1, {"zeta": 1})
    nobody = Outcomes(1, 1, {})
    rng = EveryCourse({1: one, 3: one, 5: one} | {2 * r + 2: nobody for r in range(3)})
    _, *ends = states(STORM(alpha=0.1, rho=rho, output_rule="last"), problem, np.ones(1), 3, rng)
    assert_momentum([end.direction - problem.grad_h(0, end.before) for end in ends], rho, s**2, s**2)
    assert len(np.unique(ends[-1].x)) == 8


def test_ce_lsgd_ends_at_the_minimiser_of_clients_that_differ():
    problem = quadratics()
    done = engine.run(CELSGD(alpha=0.1, rho=0.5, K=3), problem, np.zeros(4), R=400)
    np.testing.assert_allclose(done.x_last[0], minimiser(problem), atol=1e-10)


def test_measures_have_the_parts_that_there_are():
    problem = quadratics(noise=TwoPoint(np.zeros(4), np.ones(4)))
    method = STORM(alpha=0.1, rho=0.1)
    done = engine.run(method, problem, np.zeros(4), R=200, runs=64, measures=method.measures(problem))
    assert "|q - S|^2" not in done.last
    # stationary: rho s^2/((2 - rho) N), with s^2 = 4 and N = 3
    assert done.last["|h - P|^2"][-1].mean() == pytest.approx(0.1 * 4 / (1.9 * 3), rel=0.4)


def test_what_a_run_costs():
    problem = INSTANCES["mini-batch"]  # 3 clients, 2 rows a gradient
    costs = {}
    for method in (
        STORM(alpha=0.1, rho=0.5, minibatch=2, first_minibatch=5),
        SARAH(alpha=0.1, K=4, minibatch=2),
        SARAH(alpha=0.1, K=4, minibatch=2, first_minibatch=5, anchor="batch"),
    ):
        c = engine.run(method, problem, np.zeros(3), R=3, metrics={}).counts
        assert (c.rounds, c.floats_up, c.floats_down, c.lower_rounds, c.grad_f) == (3, 0, 0, 0, 0)
        costs[c.samples] = c.grad_h
    assert costs == {6 * (5 + 2 * 2): 3 * 5, 6 * 3 * 6: 3 * 3 * 7, 6 * 3 * 11: 3 * 3 * 7}
    c = engine.run(CELSGD(alpha=0.1, K=4, minibatch=2, first_minibatch=5), problem, np.zeros(3), R=3, metrics={}).counts
    assert (c.rounds, c.lower_rounds, c.floats_up) == (3, 3, 3 * 4 * 3)
    assert c.samples == 2 * (15 + 2 + 2 * (6 + 8)) and c.grad_h == 3 + 2 + 2 * (6 + 8)
    stsa = engine.run(
        STSA(alpha=0.1, beta=0.1, minibatch=2), random_sequences(m=3, N=2, sigma_p=0.1), np.zeros(9), R=3
    ).counts
    assert (stsa.rounds, stsa.floats_up, stsa.grad_f, stsa.grad_h, stsa.samples) == (3, 0, 9, 18, 18)


def test_maps_of_losses_know_what_they_are():
    problem = INSTANCES["two-point"]
    maps = LossSequences(problem)
    assert maps.N == 0 and maps.constants.L_p == problem.constants.L_h and Pooled(maps).constants == maps.constants
    x = np.ones((2, 4))
    np.testing.assert_allclose(Pooled(maps).maps(0, x), np.mean([problem.grad_h(i, x) for i in range(3)], axis=0))
    assert maps.fixed(1, x).shape == (2, 0) and Pooled(linear_sequences()).fixed(1, x[:, :1]).shape == (2, 1)


@pytest.mark.parametrize("method", [STORM(alpha=0.1, rho=0.3), SARAH(alpha=0.1, K=3), CELSGD(alpha=0.1, rho=0.3, K=3)])
@pytest.mark.parametrize("noise", INSTANCES)
def test_chunks_do_not_matter(method, noise):
    assert_chunks_do_not_matter(engine.run, method, INSTANCES[noise], np.ones(INSTANCES[noise].n))


WRONG = [
    (lambda: STORM(alpha=0.0), "alpha is 0.0; it should be a positive number"),
    (lambda: CELSGD(alpha=0.1, rho=2.0), r"rho is 2.0; it should be in \[0, 1\]"),
    (lambda: STSA(alpha=0.1, beta=0.1, power=-1.0), "power is -1; it should be at least 0"),
    (lambda: SARAH(alpha=0.1, K=0), "K is 0; it should be a whole number, at least 1"),
    (lambda: SARAH(alpha=0.1, anchor="x"), "anchor is 'x'; it should be full or batch"),
    (
        lambda: engine.run(CELSGD(alpha=0.1, clients_selected=4), quadratics(), np.zeros(4), R=1),
        "clients_selected is 4; it should be at most 3, the number of clients",
    ),
    (
        lambda: engine.run(STSA(alpha=0.1, beta=(0.1, 0.2)), pure_noise(), np.zeros(2), R=1),
        "beta has 2 steps; it should be one number, or have one for each of 1 sequences",
    ),
]


@pytest.mark.parametrize(("make", "words"), WRONG)
def test_wrong_input_is_refused_in_one_line(make, words):
    assert_refused(make, words)
