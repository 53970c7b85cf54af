"""Sample average approximation: sample minimisers in closed form, accuracy, consistency, counts."""

import math

import numpy as np
import pytest
from clients import assert_chunks_do_not_matter

from rateproof.algos.engine import run
from rateproof.algos.methods.base import Counts
from rateproof.algos.methods.saa import SAA
from rateproof.algos.noise import Streams
from rateproof.algos.problems.federated import Constants, Federated, TwoStage
from rateproof.algos.problems.line import absolute_line
from rateproof.algos.sets import ClientSets, WholeSpace, interval


class Sampled:
    """Numbers ``xi``, uniform on ``[low, low + width]``, for ``m`` clients."""

    name, params, n, m, low, width = "sampled", {}, 1, 2, 8.0, 4.0
    sets = ClientSets.same(interval(0.0, 20.0), 2)

    def draw(self, rng, round, steps):
        rows = np.arange(rng.runs)
        u = [rng.uniforms("xi", round, i, steps, 1, rows) for i in range(self.m)]
        return self.low + self.width * np.stack(u, axis=2)

    @property
    def constants(self):
        return Constants(L0=np.inf)

    def facts(self):
        return {}


class Median(Sampled, Federated):
    """``|x - xi|``, whose sample average is least at a median."""

    def f_i(self, i, x):
        raise NotImplementedError

    def values(self, x, xi):
        return np.abs(x - xi)[..., 0]


class Stackelberg(Sampled, TwoStage):
    """A leader and ten equal followers without capacities, who leave ``rho = (c + b)/(c + b + 10 b)`` of the price.

    The implicit loss is ``c0 x^2/2 - rho x (xi - b x)``: the average over scenarios is least at
    ``rho mean(xi)/(c0 + 2 b rho)``.
    """

    nt, b, c, c0 = 10, 0.5, 0.1, 0.1
    rho = 0.6 / 5.6

    def f_i(self, i, x):
        return self.c0 * x[:, 0] ** 2 / 2 - self.rho * x[:, 0] * (10 - self.b * x[:, 0])

    def lower_map(self, x, y, xi):
        return (self.c + self.b) * y - xi + self.b * (x + y.sum(axis=-1, keepdims=True))

    def project_lower(self, x, y, xi):
        return np.maximum(y, 0)

    def lower_solution(self, x, xi):
        return np.repeat(np.maximum(xi - self.b * x, 0) / (self.c + self.b + self.nt * self.b), self.nt, axis=-1)

    def values_at(self, x, y, xi):
        price = xi[..., 0] - self.b * (x[..., 0] + y.sum(axis=-1))
        return self.c0 * x[..., 0] ** 2 / 2 - x[..., 0] * price


def scenarios(problem, *, R, M, seed, number):
    """All scenarios of one run, ``(R M, m)``."""
    rng = Streams(seed, number, 1)
    return np.concatenate([problem.draw(rng, r, M)[:, 0, :, 0] for r in range(1, R + 1)])


def test_the_minimiser_of_a_sampled_median_is_the_median():
    # Three clients and odd numbers of scenarios: the median is one scenario.
    class Odd(Median):
        m, sets = 3, ClientSets.same(interval(0.0, 20.0), 3)

    problem = Odd()
    for R, M in ((1, 1), (1, 5), (3, 3)):
        done = run(SAA(x_low=0.0, x_high=20.0, scenarios=M, grid=11), problem, [0.0], R=R, runs=5, seed=3, metrics={})
        for j in range(5):
            want = np.median(scenarios(problem, R=R, M=M, seed=3, number=j))
            assert done.x_last[j, 0] == pytest.approx(want, abs=1e-7)


@pytest.mark.parametrize(("R", "M"), [(1, 1), (1, 20), (4, 5)])
def test_a_two_stage_game_in_closed_form(R, M):
    problem = Stackelberg()
    done = run(SAA(x_low=0.0, x_high=20.0, scenarios=M), problem, [1.0], R=R, runs=4, seed=7, metrics={})
    for j in range(4):
        mean = scenarios(problem, R=R, M=M, seed=7, number=j).mean()
        want = problem.rho * mean / (problem.c0 + 2 * problem.b * problem.rho)
        # Values that differ by rounding do not tell points closer than about the root of it.
        assert done.x_last[j, 0] == pytest.approx(want, abs=1e-6)
    assert len(np.unique(done.x_last)) == 4


def test_the_stub_is_an_equilibrium():
    problem, rng = Stackelberg(), Streams(0, 0, 6)
    xi = problem.draw(rng, 1, 1)[0]
    x = np.random.default_rng(0).uniform(0, 5, size=(6, 2, 1))
    np.testing.assert_allclose(problem.lower_map(x, problem.lower_solution(x, xi), xi), 0.0, atol=1e-12)


def test_more_scenarios_approach_the_true_minimiser():
    problem, runs = Stackelberg(), 200
    best = problem.rho * 10 / (problem.c0 + 2 * problem.b * problem.rho)
    spread = []
    for M in (4, 64):
        method = SAA(x_low=0.0, x_high=20.0, scenarios=M, grid=21)
        x = run(method, problem, [0.0], R=1, runs=runs, metrics={}).x_last[:, 0]
        # The sample mean of 2 M uniform demands has standard deviation width/sqrt(24 M).
        std = best / 10 * problem.width / math.sqrt(24 * M)
        assert abs(x.mean() - best) <= 6 * std / math.sqrt(runs)
        spread.append(x.std() / std)
    np.testing.assert_allclose(spread, 1.0, atol=0.3)


def test_the_sample_optimum_is_optimistic():
    # The expected optimal value of the sample is at most the true one, and grows with the sample.
    problem, values = Stackelberg(), []
    for M in (1, 8):
        method, rng = SAA(x_low=0.0, x_high=20.0, scenarios=M, grid=21), Streams(1, 0, 400)
        values.append(method.round(problem, method.init(problem, np.zeros((400, 1)), rng), rng).value.mean())
    x = problem.rho * 10 / (problem.c0 + 2 * problem.b * problem.rho)
    true = problem.f(np.array([[x]]))[0]
    assert values[0] < values[1] < true


def test_without_noise_it_finds_ends_and_kinks():
    kink = absolute_line(slope=[1.0, 3.0], centre=[0.3, 1.7], low=[-2.0] * 2, high=[4.0] * 2)
    assert run(SAA(x_low=-2.0, x_high=4.0), kink, [0.0], R=2, metrics={}).x_last[0, 0] == pytest.approx(1.7, abs=1e-8)
    falling = absolute_line(slope=[-1.0], centre=[0.5], low=[-2.0], high=[4.0])
    assert run(SAA(x_low=-2.0, x_high=4.0), falling, [0.0], R=1, metrics={}).x_last[0, 0] == 4.0


def test_it_is_never_worse_than_its_grid():
    rough = absolute_line(slope=[1.0, -3.0, 2.5, 1.0], centre=[-1.0, 0.2, 0.9, 2.0], low=[-3.0] * 4, high=[3.0] * 4)
    for grid in (3, 10, 100):
        x = run(SAA(x_low=-3.0, x_high=3.0, grid=grid), rough, [0.0], R=1, metrics={}).x_last
        points = np.linspace(-3, 3, grid)[:, None]
        assert rough.f(x)[0] <= rough.f(points).min() + 1e-15


def test_the_value_is_that_of_the_point():
    problem, rng, method = Median(), Streams(6, 0, 40), SAA(x_low=0.0, x_high=20.0, scenarios=4, grid=9, tol=0.01)
    state = method.round(problem, method.init(problem, np.zeros((40, 1)), rng), rng)
    for j in range(40):
        xi = scenarios(problem, R=1, M=4, seed=6, number=j)
        assert state.value[j] == pytest.approx(np.abs(state.x[j] - xi).mean(), rel=1e-14)


def test_chunks_do_not_matter():
    for problem in (Stackelberg(), Median()):
        whole = assert_chunks_do_not_matter(run, SAA(x_low=0.0, x_high=20.0, scenarios=3, grid=21), problem, [1.0], R=3)
        assert len(np.unique(whole.x_last)) == 7


def test_counts_are_the_values_taken():
    calls = []

    class Counting(Median):
        def values(self, x, xi):
            calls.append(x.shape[0] * x.shape[1])
            return super().values(x, xi)

    got = run(SAA(x_low=0.0, x_high=20.0, scenarios=3, grid=5, tol=1e-3), Counting(), [1.0], R=2, metrics={}).counts
    assert got == Counts(2, 0, 12, 0, 12, samples=12, values_f=sum(calls))
    still = run(SAA(x_low=0.0, x_high=20.0, scenarios=3), absolute_line(), [1.0], R=2, metrics={}).counts
    assert (still.vectors_up, still.floats_up, still.samples) == (0, 0, 0)


def test_bad_input():
    for parameters, message in (
        ({"x_low": 1.0, "x_high": 1.0}, "they should be finite and increase"),
        ({"x_low": -np.inf, "x_high": 1.0}, "they should be finite and increase"),
        ({"scenarios": 0}, "scenarios is 0"),
        ({"grid": 2}, "grid is 2; it should be a whole number, at least 3"),
        ({"tol": 0.0}, "tol is 0"),
    ):
        with pytest.raises(ValueError, match=message):
            SAA(**{"x_low": 0.0, "x_high": 1.0} | parameters)
    held = absolute_line(slope=[1.0, 1.0], centre=[0.0, 0.0], low=[-1.0, 0.0], high=[2.0, 2.0])
    with pytest.raises(ValueError, match=r"x_low is -1\.0, outside the set of client 1; it should lie in every set"):
        run(SAA(x_low=-1.0, x_high=1.0), held, [0.0], R=1)

    class Plane(Median):
        n, sets = 2, ClientSets.same(WholeSpace(2), 2)

    with pytest.raises(ValueError, match="has n = 2; SAA searches along one variable"):
        run(SAA(x_low=0.0, x_high=1.0), Plane(), [0.0, 0.0], R=1)
