"""Enumerated branches against a plain recursion in exact rationals, and against runs with random numbers."""

from fractions import Fraction as Q
from itertools import product

import numpy as np
import pytest

from rateproof.algos.engine import run
from rateproof.algos.methods.fedrzo import FedRZO
from rateproof.algos.methods.fedrzo_lower import FedRZO_2s, FedRZO_bl, Prescribed
from rateproof.algos.piecewise import absolute, affine
from rateproof.algos.problems.line import LineProblem, Steps, absolute_line, opposite_line
from rateproof.algos.problems.line_lower import LineBilevel, LineTwoStage
from rateproof.verify.papers.fedrzo.branches import trace


def algorithm1(f, ends, *, x0, gamma, eta, H, rounds, noise=None):
    """Every branch of Algorithm 1, one after the other: a list of (xb_k, eb_k, eh_k, mean g_k) for ``k = 0 .. T-1``."""
    m, T = len(f), H * rounds
    kinds = 2 if noise else 1
    branches = []
    for signs in product((-1, 1), repeat=kinds * m * T):
        draw = iter(signs)
        server, path = x0, []
        for _ in range(rounds):
            x = [server] * m
            for _ in range(H):
                s = [(next(draw), next(draw) if noise else 0) for _ in range(m)]
                g = [
                    (loss(x[i] + a * eta, z) - loss(x[i], z)) * a / eta
                    for i, (loss, (a, z)) in enumerate(zip(f, s, strict=True))
                ]
                mean = sum(x) / m
                path.append(
                    (mean, sum((y - mean) ** 2 for y in x) / m, sum((y - server) ** 2 for y in x) / m, sum(g) / m)
                )
                inside = [min(max(x[i], ends[i][0]), ends[i][1]) for i in range(m)]
                x = [x[i] - gamma * (g[i] + (x[i] - inside[i]) / eta) for i in range(m)]
            server = sum(x) / m
        branches.append([*path, (server, Q(0), Q(0), Q(0))])
    return branches


def expected(branches, k, part, power=1):
    return sum(path[k][part] ** power for path in branches) / len(branches)


def test_algorithm_1_is_the_recursion_in_rationals():
    gamma, eta, x0, H, rounds = Q(1, 7), Q(1, 3), Q(1, 5), 2, 2
    f = [lambda x, z: 2 * abs(x - Q(1, 4)), lambda x, z: -abs(x + Q(1, 8))]
    want = algorithm1(f, [(Q(0), Q(1)), (Q(-1), Q(0))], x0=x0, gamma=gamma, eta=eta, H=H, rounds=rounds)
    problem = absolute_line(slope=[2.0, -1.0], centre=[0.25, -0.125], low=[0.0, -1.0], high=[1.0, 0.0])
    found = trace(FedRZO(gamma=float(gamma), eta=float(eta), H=H), problem, float(x0), rounds=rounds)
    assert (found.branches, found.steps) == (len(want), 4)
    assert found.first.tolist() == [0, 0, 2, 2]
    for k in range(4):
        for values, part in ((found.xb[:-1], 0), (found.eb, 1), (found.eh, 2), (found.g.mean(axis=2), 3)):
            np.testing.assert_allclose(found.mean(values)[k], float(expected(want, k, part)), rtol=1e-13, atol=1e-15)
            np.testing.assert_allclose(found.mean(values**2)[k], float(expected(want, k, part, 2)), rtol=1e-13)
    np.testing.assert_allclose(found.mean(found.xb**2)[-1], float(expected(want, 4, 0, 2)), rtol=1e-13)
    # Not only the moments: the branches themselves.
    np.testing.assert_allclose(np.sort(found.xb[-1]), np.sort([float(path[-1][0]) for path in want]), atol=1e-14)


def test_algorithm_1_with_samples_is_the_recursion_in_rationals():
    gamma, eta, H = Q(1, 16), Q(1), 3

    def loss(x, z):
        return x / 10 + z * (-1) ** (x.__floor__() % 2)

    want = algorithm1([loss], [(Q(0), Q(0))], x0=Q(0), gamma=gamma, eta=eta, H=H, rounds=1, noise=True)
    problem = LineProblem([affine(slope=0.1)], [(0.0, 0.0)], nu=1.0, noise=Steps(1.0))
    found = trace(FedRZO(gamma=1 / 16, eta=1.0, H=H), problem, 0.0, rounds=1)
    assert found.branches == 64
    for k in range(3):
        np.testing.assert_allclose(found.mean(found.xb**2)[k], float(expected(want, k, 0, 2)), rtol=1e-12)
        np.testing.assert_allclose(found.mean(found.g[..., 0] ** 2)[k], 0.01 + 4, rtol=1e-12)  # L0^2 + 4 nu^2/eta^2


@pytest.mark.parametrize(("directions", "bits"), [("round", 2), ("shared step", 4), ("client", 4), ("step", 8)])
def test_directions_that_are_shared_share_a_bit(directions, bits):
    problem = absolute_line(slope=[1.0, 1.0])
    found = trace(FedRZO(gamma=0.1, eta=1.0, H=2, directions=directions), problem, 0.0, rounds=2)
    assert found.branches == 2**bits
    same_clients = bool((found.v == found.v[:, :, :1]).all())
    same_steps = bool((found.v[0] == found.v[1]).all())
    assert same_clients == (directions in ("round", "shared step"))
    assert same_steps == (directions in ("round", "client"))
    np.testing.assert_allclose(found.mean(found.v), 0, atol=1e-15)


def test_algorithm_2_reuses_the_direction_and_delays_the_lower_level():
    """f~ = |x| + y with y(x) = |x| over Y(x) = {y >= |x|}: two clients, in rationals, errors along the direction."""
    gamma, eta, H, rounds, e = Q(1, 48), Q(1), 3, 2, Q(1, 4)
    want = []
    for signs in product((-1, 1), repeat=rounds):
        server, path = Q(1, 4), []
        for s in signs:
            below, above = abs(server) - e, abs(server + s * eta) + e * s
            x = [server, server]
            for _ in range(H):
                g = [
                    (c * abs(y + s * eta) + above - c * abs(y) - below) * s / eta
                    for c, y in zip((1, 2), x, strict=True)
                ]
                path.append((sum(x) / 2, sum(g) / 2))
                x = [y - gamma * h for y, h in zip(x, g, strict=True)]
            server = sum(x) / 2
        want.append([*path, (server, Q(0))])
    problem = LineBilevel([absolute(slope=1.0), absolute(slope=2.0)], [affine(slope=1.0)] * 2, low=absolute(slope=1.0))
    method = FedRZO_bl(gamma=1 / 48, eta=1.0, H=H, errors=Prescribed(at_x=-0.25, at_v_along=0.25))
    found = trace(method, problem, 0.25, rounds=rounds)
    assert found.branches == 4
    order = np.lexsort((found.xb[-1],))
    by_end = sorted(want, key=lambda path: path[-1][0])
    np.testing.assert_allclose(found.xb[:, order].T, [[float(p[0]) for p in path] for path in by_end], atol=1e-15)
    np.testing.assert_allclose(
        found.g.mean(axis=2)[:, order].T, [[float(p[1]) for p in path[:-1]] for path in by_end], atol=1e-14
    )
    # Lower-level points stay those of the start of the round.
    assert (found.lower.at_x[0] == found.lower.at_x[2]).all()
    np.testing.assert_allclose(found.lower.at_x[0], 0.25 - 0.25)


def test_algorithm_4_draws_samples_and_directions():
    """f~ = y with y(x, xi) = x + xi: the mean step is that of f = x."""
    line = affine(slope=1.0)
    target = (line + affine(slope=0.0, intercept=1.0), line + affine(slope=0.0, intercept=-1.0))
    problem = LineTwoStage([affine(slope=0.0)], [affine(slope=1.0)], target=target, low=-10.0, high=10.0)
    found = trace(FedRZO_2s(gamma=0.125, eta=0.5, H=2), problem, 0.0, rounds=2)
    assert found.branches == 2**8
    np.testing.assert_allclose(found.xb[:, 0], -0.125 * np.arange(5), atol=1e-15)  # g = 1 whatever is drawn
    np.testing.assert_allclose(found.lower.at_x[0, :, 0], found.xi[0, :, 0])


def test_history_is_what_is_drawn_before_a_step():
    problem = absolute_line(slope=[1.0, -0.5], centre=[0.0, 0.2], nu=0.3, period=0.7)
    method = FedRZO(gamma=0.1, eta=1.0, H=2)
    found = trace(method, problem, 0.1, rounds=1)
    smooth = problem.smoothed(1.0)
    assert found.known.tolist() == [0, 4, 8]
    for k in range(2):
        # The models are known, and the expected estimate of each client is its smoothed gradient (Lemma 4.i).
        np.testing.assert_allclose(found.given(k, found.x[k]), found.x[k], atol=1e-15)
        want = np.stack([smooth.grad_f_i(i, found.x[k][:, i, None])[:, 0] for i in range(2)], axis=1)
        np.testing.assert_allclose(found.given(k, found.g[k]), want, atol=1e-14)
    assert np.abs(found.given(1, found.g[1]) - found.g[1]).max() > 0.1
    np.testing.assert_allclose(found.given(2, found.g[1]), found.g[1])
    np.testing.assert_allclose(found.grad_F(smooth)[1], smooth.grad_F(found.xb[1][:, None])[:, 0])


def test_a_history_with_a_shared_direction_is_not_fresh():
    """With one direction a round the estimate of a later step is not centred at the smoothed gradient (E1)."""
    problem = LineBilevel([absolute(slope=1.0)], [affine(slope=0.0)])
    gamma = 1 / 48
    found = trace(FedRZO_bl(gamma=gamma, eta=1.0, H=2), problem, 0.25, rounds=1)
    smooth = problem.smoothed(1.0)
    np.testing.assert_allclose(found.mean(found.g)[1], 25 / 96, rtol=1e-14)
    np.testing.assert_allclose(found.mean(found.grad_F(smooth))[1], 47 / 192, rtol=1e-14)


SINGLE = absolute_line(slope=[1.0, -0.5], centre=[0.1, 0.3], low=-0.2, high=0.4, nu=0.2, period=0.5)
BILEVEL = LineBilevel([absolute(slope=1.0)] * 2, [absolute(slope=0.5)] * 2, A=1.0, b=[0.1, -0.3])


@pytest.mark.parametrize(
    ("method", "problem"),
    [(FedRZO(gamma=0.1, eta=0.5, H=3), SINGLE), (FedRZO_bl(gamma=0.1, eta=0.5, H=3), BILEVEL)],
    ids=["Algorithm 1", "Algorithm 2"],
)
def test_random_runs_agree_with_the_branches(method, problem):
    runs = 40_000
    done = run(method, problem, np.array([0.3]), R=1, runs=runs, seed=7, metrics={})
    exact = trace(method, problem, 0.3, rounds=1)
    for power in (1, 2):
        sample, law = done.x_last[:, 0] ** power, exact.xb[-1] ** power
        assert abs(sample.mean() - law.mean()) <= 6 * law.std() / np.sqrt(runs)
    # The drawn output is uniform over the three iterates.
    sample, law = done.x_average[:, 0], exact.xb[:-1]
    assert abs(sample.mean() - law.mean()) <= 6 * law.std() / np.sqrt(runs)
    assert abs((sample**2).mean() - (law**2).mean()) <= 6 * (law**2).std() / np.sqrt(runs)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: trace(FedRZO(gamma=0.1, eta=1.0, H=10), opposite_line(), 0.0, rounds=2), "2^40 branches"),
        (lambda: trace(FedRZO(gamma=0.1, eta=1.0), opposite_line(), 0.0, rounds=0), "rounds is 0"),
        (lambda: trace(FedRZO(gamma=0.1, eta=1.0), opposite_line(), 0.0, rounds=2, limit=15), "2^4 branches"),
    ],
)
def test_what_cannot_be_enumerated_is_refused_in_one_line(make, words):
    with pytest.raises(ValueError) as error:
        make()
    assert words in str(error.value)
    assert "\n" not in str(error.value)


def test_other_laws_are_refused():
    class Normal(LineProblem):
        def draw(self, rng, round, steps):
            rows = np.arange(rng.runs)
            return np.stack([rng.normals("xi", round, i, steps, 1, rows) for i in range(self.m)], axis=2)

    with pytest.raises(ValueError, match="normal numbers"):
        trace(FedRZO(gamma=0.1, eta=1.0), Normal([affine(slope=1.0)]), 0.0, rounds=1)
