"""FedZO: its estimator against smoothed gradients, FedRZO without sets, a loop written out, counts."""

import numpy as np
import pytest
from clients import assert_chunks_do_not_matter, quadratics

from rateproof.algos.engine import run
from rateproof.algos.methods.base import Counts
from rateproof.algos.methods.fedrzo import FedRZO
from rateproof.algos.methods.fedzo import FedZO
from rateproof.algos.noise import Streams
from rateproof.algos.problems.federated import Constants, Federated
from rateproof.algos.problems.line import absolute_line
from rateproof.algos.sets import ClientSets, WholeSpace, interval


class Values(Federated):
    """Quadratic clients through values, ``h_i(x) + xi s'x`` with a sign ``xi`` per sample."""

    name, params = "values", {}

    def __init__(self, base, s=None, sets=None):
        self.base, self.n, self.m = base, base.n, base.N
        self.s = None if s is None else np.array(s)
        self.sets = ClientSets.same(WholeSpace(base.n), base.N) if sets is None else sets

    def draw(self, rng, round, steps):
        if self.s is None:
            return None
        rows = np.arange(rng.runs)
        return np.stack([rng.signs("xi", round, i, steps, 1, rows) for i in range(self.m)], axis=2)

    def f_i(self, i, x):
        return self.base.h_i(i, x)

    def values(self, x, xi):
        exact = np.stack([self.base.h_i(i, x[:, i]) for i in range(self.m)], axis=1)
        return exact if xi is None else exact + xi[..., 0] * (x @ self.s)

    @property
    def constants(self):
        return Constants(L0=np.inf)

    def facts(self):
        return {}


class Directed(Streams):
    """Streams whose directions are all ``+-e_j``, so that ``2n`` of them average to their mean over the sphere."""

    def directions(self, round, client, K, n, rows):
        basis = np.concatenate([np.eye(n), -np.eye(n)])
        return np.tile(basis[np.arange(K) % (2 * n)][:, None], (1, len(rows), 1))


START = np.array([3.0, -1.0, 2.0, 0.5])
NOISY = Values(quadratics(), s=[0.3, -0.5, 0.2, 0.1])


@pytest.mark.parametrize("mu", [1e-3, 1.0, 30.0])
def test_on_quadratics_the_estimator_is_unbiased_for_any_radius(mu):
    # g(u) = n (grad'u) u + n mu (u'Hu/2) u: the second part is odd, and the first averages to grad over a basis.
    problem, method = Values(quadratics()), FedZO(gamma=0.1, eta=mu, S=3, b2=8)
    x = np.random.default_rng(1).normal(size=(2, 3, 4))
    units = np.stack([Directed(0, 0, 2).directions(1, i, 8, 4, np.arange(2)) for i in range(3)], axis=2)
    got = method.estimate(problem, x, [None], units)
    want = np.stack([problem.base.grad_h(i, x[:, i]) for i in range(3)], axis=1)
    np.testing.assert_allclose(got, want, rtol=1e-9 / min(mu, 1), atol=1e-10 / min(mu, 1))


def test_an_exact_mean_over_directions_makes_it_gradient_descent():
    problem = Values(quadratics())
    rng, method = Directed(0, 0, 1), FedZO(gamma=0.1, eta=0.5, S=3, H=2, b2=8)
    state, x = method.init(problem, START[None], rng), START
    for _ in range(4):
        state = method.round(problem, state, rng)
        local = []
        for i in range(3):
            y = x
            for _ in range(2):
                y = y - 0.1 * problem.base.grad_h(i, y[None])[0]
            local.append(y)
        x = np.mean(local, axis=0)
    np.testing.assert_allclose(state.x[0], x, rtol=1e-11)


def test_in_one_dimension_the_mean_of_both_directions_is_the_smoothed_gradient():
    problem = absolute_line(slope=[1.0, -2.0, 0.5], centre=[0.0, 0.3, -1.0])
    for mu in (0.25, 1.0, 4.0):
        method = FedZO(gamma=0.1, eta=mu, S=3, b2=2)
        x = np.linspace(-2, 2, 41)[:, None, None] * np.ones((41, 3, 1))
        units = np.array([1.0, -1.0])[:, None, None, None] * np.ones((2, 41, 3, 1))
        got = method.estimate(problem, x, [None], units)
        slope, centre = np.array([1.0, -2.0, 0.5]), np.array([0.0, 0.3, -1.0])
        np.testing.assert_allclose(got[..., 0], slope * np.clip((x[..., 0] - centre) / mu, -1, 1), atol=1e-13)
        np.testing.assert_allclose(got.mean(axis=1), problem.smoothed(mu).grad_f(x[:, 0]), atol=1e-13)


def test_its_mean_on_a_kink_in_the_plane_is_the_smoothed_gradient():
    # f(x) = |x_1|: over the disc of radius mu the smoothed slope is (2/pi)(a sqrt(1 - a^2) + asin a) at a = x_1/mu.
    class Kink(Values):
        def values(self, x, xi):
            return np.abs(x[..., 0])

    problem, runs, mu, a = Kink(quadratics(n=2, N=1)), 200_000, 0.8, 0.35
    x = np.tile([a * mu, 5.0], (runs, 1, 1))
    units = Streams(4, 0, runs).directions(1, 0, 1, 2, np.arange(runs))[:, :, None]
    g = FedZO(gamma=1.0, eta=mu, S=1).estimate(problem, x, [None], units)[:, 0]
    want = np.array([2 / np.pi * (a * np.sqrt(1 - a**2) + np.arcsin(a)), 0.0])
    assert (np.abs(g.mean(axis=0) - want) <= 6 * g.std(axis=0, ddof=1) / np.sqrt(runs)).all()


@pytest.mark.parametrize("problem", [NOISY, absolute_line(slope=[1.0, 2.0], centre=[0.0, 1.0], nu=0.3, period=0.7)])
def test_with_one_sample_and_direction_it_is_fedrzo_without_sets(problem):
    x0 = np.linspace(-1, 2, problem.n)
    zo = run(FedZO(gamma=0.02, eta=0.4, S=problem.m, H=3), problem, x0, R=6, runs=4, seed=9, metrics={})
    rzo = run(FedRZO(gamma=0.02, eta=0.4, H=3), problem, x0, R=6, runs=4, seed=9, metrics={})
    np.testing.assert_allclose(zo.x_last, rzo.x_last, rtol=1e-11, atol=1e-12)
    assert len(np.unique(zo.x_last[:, 0])) > 1


@pytest.mark.parametrize("S", [1, 2, 3])
@pytest.mark.parametrize(("b1", "b2"), [(1, 1), (2, 3)])
def test_it_is_the_loop_written_out(S, b1, b2):
    problem, gamma, mu, H, n = NOISY, 0.05, 0.3, 2, 4
    method = FedZO(gamma=gamma, eta=mu, S=S, H=H, b1=b1, b2=b2)
    done = run(method, problem, START, R=4, runs=3, seed=11, metrics={})
    for j in range(3):
        rng, one, x = Streams(11, j, 1), np.array([0]), START
        for r in range(1, 5):
            xi = problem.draw(rng, r, H * b1)
            local = []
            for i in np.flatnonzero(rng.sample_clients(r, 3, S)[0]):
                u = rng.directions(r, i, H * b2, n, one)[:, 0]

                def F(y, sign, i=i):
                    return problem.base.h_i(i, y[None])[0] + sign * (y @ problem.s)

                y = x
                for k in range(H):
                    g = np.zeros(n)
                    for s in range(b1):
                        sign = xi[k * b1 + s, 0, i, 0]
                        for d in range(b2):
                            v = u[k * b2 + d]
                            g = g + n / (mu * b1 * b2) * (F(y + mu * v, sign) - F(y, sign)) * v
                    y = y - gamma * g
                local.append(y)
            x = sum(local) / S
        np.testing.assert_allclose(done.x_last[j], x, rtol=1e-10, atol=1e-12)


def test_chunks_do_not_matter():
    whole = assert_chunks_do_not_matter(run, FedZO(gamma=0.05, eta=0.3, S=2, H=2, b1=2, b2=2), NOISY, START)
    assert len(np.unique(whole.x_last[:, 0])) == 7


def test_counts():
    got = run(FedZO(gamma=0.05, eta=0.3, S=2, H=3, b1=4, b2=5), NOISY, START, R=7, metrics={}).counts
    assert got == Counts(7, 14, 14, 56, 56, samples=14 * 3 * 4, values_f=14 * 3 * 4 * 6)


def test_bad_input():
    for parameters, message in (
        ({"gamma": 0.0}, "gamma is 0"),
        ({"eta": -1.0}, "eta is -1"),
        ({"H": 0}, "H is 0; it should be a whole number, at least 1"),
        ({"b1": 0}, "b1 is 0"),
        ({"b2": 0}, "b2 is 0"),
        ({"S": 0}, "S is 0"),
    ):
        with pytest.raises(ValueError, match=message):
            FedZO(**{"gamma": 0.1, "eta": 0.1, "S": 1} | parameters)
    with pytest.raises(ValueError, match="S is 4; it should be at most 3, the number of clients"):
        run(FedZO(gamma=0.1, eta=0.1, S=4), NOISY, START, R=1)
    held = absolute_line(slope=[1.0], centre=[0.0], low=[0.0], high=[1.0])
    assert held.sets.sets[0].key() == interval(0.0, 1.0).key()
    with pytest.raises(ValueError, match="FedZO knows no sets and problem 'absolute_line' has some"):
        run(FedZO(gamma=0.1, eta=0.1, S=1), held, [0.5], R=1)
