"""StR-FedAvg and FedAvg against the exact engine, a loop written out plainly, and closed forms."""

import dataclasses

import numpy as np
import pytest

from rateproof.algos.engine import run
from rateproof.algos.exact import moments
from rateproof.algos.methods.base import Counts
from rateproof.algos.methods.fedavg import FedAvg
from rateproof.algos.methods.strfedavg import StRFedAvg
from rateproof.algos.noise import AdditiveGaussian, MiniBatch, NoNoise, Streams, TwoPoint
from rateproof.algos.problems.quadratic import QuadraticBilevel, degenerate, diagonal_selection
from rateproof.algos.problems.regression import Regression


def random_problem(seed=0, *, N=3, n=4, noise=None):
    rng = np.random.default_rng(seed)
    U, V = rng.normal(size=(2, N, n, n)) / np.sqrt(n)
    return QuadraticBilevel(
        F=U.transpose(0, 2, 1) @ U,
        a=rng.normal(size=(N, n)),
        H=V.transpose(0, 2, 1) @ V,
        b=rng.normal(size=(N, n)),
        noise=noise,
    )


def regression(noise=None, *, N=3, n=5, rows=4):
    rng = np.random.default_rng(7)
    A, v = list(rng.normal(size=(N, rows, n))), list(rng.normal(size=(N, rows)))
    return Regression(A, v, outer="huber", mu=0.3, noise=noise or NoNoise())


def plain_loop(method, problem, x0, *, R, run, seed):
    """Algorithm 1 for one run, a line a line; returns the newest model and the weighted average."""
    rng, one, law = Streams(seed, run, 1), np.array([0]), problem.noise
    models, total, weight = [x0, x0], 0.0, 0.0  # printed indices: x^0, and x^1 := x^0
    if method.index_convention == "analysis":
        models = [x0]
    for r in range(1, R + 1):
        start = models[r - 1]
        changes = []
        for i in np.flatnonzero(rng.sample_clients(r, problem.N, method.S)[0]):
            drawn = law.draw(rng, r, i, method.K, one, problem.n)
            batch = law.draw_rows(rng, r, i, method.K, one, problem.samples(i)) if isinstance(law, MiniBatch) else None
            y = start
            for k in range(method.K):
                g_f, g_h = problem.grad_f(i, y[None])[0], problem.grad_h(i, y[None])[0]
                if batch is not None:
                    g_h = problem.sampled_grad_h(i, y[None], batch[k])[0]
                xi, zeta = (0, 0) if drawn is None else (drawn[0][k, 0], drawn[1][k, 0])
                y = y - method.gamma_l * (method.eta * (g_f + xi) + g_h + zeta)
            changes.append(y - start)
        models.append(models[-1] + method.gamma_g * sum(changes) / method.S)
        total, weight = total + method.theta**r * start, weight + method.theta**r
    if method.avg_normaliser == "R-1":
        weight -= method.theta**R
    return models[-1], total / weight


@pytest.mark.parametrize("index", ["analysis", "printed"])
@pytest.mark.parametrize("normaliser", ["R", "R-1"])
@pytest.mark.parametrize("theta", [1.0, 1.03])
def test_without_noise_it_is_the_exact_engine(index, normaliser, theta):
    problem = random_problem()
    method = StRFedAvg(
        gamma_l=0.05, gamma_g=1.3, eta=0.4, K=4, S=3, theta=theta, index_convention=index, avg_normaliser=normaliser
    )
    x0 = np.array([3.0, -1.0, 2.0, 0.5])
    done = run(method, problem, x0, R=60, record=[60], metrics={})
    want = moments(
        problem,
        gamma_l=0.05,
        gamma_g=1.3,
        eta=0.4,
        K=4,
        S=3,
        R=60,
        x0=x0,
        theta=theta,
        normaliser=normaliser,
        index=index,
    )
    np.testing.assert_allclose(done.x_last[0], want.mean_last, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(done.x_average[0], want.mean_avg, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("index", ["analysis", "printed"])
@pytest.mark.parametrize("normaliser", ["R", "R-1"])
@pytest.mark.parametrize("S", [1, 2, 3])
@pytest.mark.parametrize("eta", [0.0, 0.3])
@pytest.mark.parametrize(
    "problem",
    [
        random_problem(noise=AdditiveGaussian.isotropic(4, sigma_f=1.0, sigma_h=0.5)),
        random_problem(noise=TwoPoint(np.arange(1.0, 5.0), np.ones(4))),
        random_problem(),
        regression(MiniBatch(2)),
        regression(),
    ],
    ids=["gaussian", "two-point", "none", "mini-batch", "regression"],
)
def test_it_is_the_loop_written_out(problem, eta, S, normaliser, index):
    method = StRFedAvg(
        gamma_l=0.02, gamma_g=1.5, eta=eta, K=3, S=S, theta=1.1, index_convention=index, avg_normaliser=normaliser
    )
    x0 = np.linspace(-1, 2, problem.n)
    done = run(method, problem, x0, R=5, runs=4, seed=11, metrics={})
    for j in range(4):
        last, average = plain_loop(method, problem, x0, R=5, run=j, seed=11)
        np.testing.assert_allclose(done.x_last[j], last, rtol=1e-12, atol=1e-13)
        np.testing.assert_allclose(done.x_average[j], average, rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize(("S", "index"), [(2, "analysis"), (1, "printed"), (3, "analysis")])
def test_monte_carlo_agrees_with_exact_moments(S, index):
    runs, R = 4000, 12
    problem = random_problem(n=2, noise=AdditiveGaussian(np.array([[1.0, 0.3], [0.3, 0.5]]), 0.5 * np.eye(2)))
    parameters = {"gamma_l": 0.1, "gamma_g": 1.2, "eta": 0.7, "K": 3, "S": S, "theta": 1.05}
    x0 = np.array([1.0, -2.0])
    done = run(StRFedAvg(**parameters, index_convention=index), problem, x0, R=R, runs=runs, seed=3, metrics={})
    want = moments(problem, R=R, x0=x0, index=index, **parameters)
    for points, mean, second in (
        (done.x_last, want.mean_last, want.second_last),
        (done.x_average, want.mean_avg, want.second_avg),
    ):
        products = np.einsum("ri,rj->rij", points - want.center, points - want.center)
        for sample, value in ((points, mean), (products, second)):
            error = sample.std(axis=0, ddof=1) / np.sqrt(runs)
            assert (np.abs(sample.mean(axis=0) - value) <= 6 * error).all()
    assert done.x_last.std(axis=0).min() > 0.05


def test_without_an_inner_level_every_model_has_a_closed_form():
    problem = degenerate()
    method = StRFedAvg(gamma_l=0.2, gamma_g=1.0, eta=0.5, K=3, S=problem.N)
    x0, solution, L_f = np.full(problem.n, 4.0), problem.bilevel_solution(), problem.constants.L_f
    if problem.constants.mu_f != L_f:
        pytest.fail("the closed form below needs identical curvatures")
    done = run(method, problem, x0, R=4, metrics={})
    want = solution + (1 - 0.2 * 0.5 * L_f) ** (3 * 4) * (x0 - solution)
    np.testing.assert_allclose(done.x_last[0], want, rtol=1e-13)


def test_printed_indices_delay_the_recursion():
    problem = diagonal_selection(c=(0.0, 0.0))
    method = FedAvg(gamma_l=0.5, K=1, S=2, index_convention="printed")
    # One step halves the first coordinate, so x^{r+1} = x^r - x^{r-1}/2: 8, 8, 4, 0, -2.
    done = run(method, problem, [8.0, 0.0], R=3, metrics={})
    assert done.x_last[0, 0] == -2
    assert done.x_average[0, 0] == pytest.approx((8 + 8 + 4) / 3, rel=1e-15)


def test_fedavg_is_strfedavg_without_the_outer_level():
    problem = regression()
    fedavg = FedAvg(gamma_l=0.02, K=3, S=2)
    strfedavg = StRFedAvg(gamma_l=0.02, gamma_g=1.0, eta=0.0, K=3, S=2)
    results = [run(method, problem, np.ones(5), R=6, runs=3, metrics={}) for method in (fedavg, strfedavg)]
    np.testing.assert_array_equal(results[0].x_last, results[1].x_last)
    with pytest.raises(TypeError, match="eta"):
        FedAvg(gamma_l=0.02, K=3, S=2, eta=0.1)


class Counting(Regression):
    """Counts the runs of every oracle call and the vectors it sees."""

    calls: dict

    def grad_f(self, i, y, out=None):
        self.calls["grad_f"] += len(y)
        return super().grad_f(i, y, out)

    def grad_h(self, i, y, out=None):
        self.calls["grad_h"] += len(y)
        return super().grad_h(i, y, out)

    def descend_h(self, i, y, gamma, K):
        self.calls["grad_h"] += K * len(y)
        super().descend_h(i, y, gamma, K)

    def sampled_grad_h(self, i, y, rows, out=None):
        self.calls["grad_h"] += len(y)
        self.calls["samples"] += rows.size
        return super().sampled_grad_h(i, y, rows, out)


@pytest.mark.parametrize(
    "method", [StRFedAvg(gamma_l=0.01, gamma_g=1, eta=0.1, K=3, S=2), FedAvg(gamma_l=0.01, K=3, S=2)]
)
@pytest.mark.parametrize("noise", [NoNoise(), MiniBatch(2)])
def test_counts_are_what_happens(method, noise):
    base = regression()
    problem = Counting(base.A, base.v, noise=noise)
    object.__setattr__(problem, "calls", dict.fromkeys(("grad_f", "grad_h", "samples"), 0))
    runs, R, n = 5, 4, problem.n
    counts = run(method, problem, np.ones(n), R=R, runs=runs, chunk=2, metrics={}).counts
    assert {key: value / runs for key, value in problem.calls.items()} == {
        key: getattr(counts, key) for key in problem.calls
    }
    visits = R * method.S
    assert (counts.rounds, counts.vectors_down, counts.vectors_up) == (R, visits, visits)
    assert (counts.floats_down, counts.floats_up) == (visits * n, visits * n)


def test_additive_noise_draws_one_sample_per_oracle_call():
    problem = random_problem(noise=TwoPoint(np.ones(4), np.ones(4)))
    method = StRFedAvg(gamma_l=0.1, gamma_g=1, eta=0.1, K=5, S=2)
    assert run(method, problem, np.zeros(4), R=3).counts == Counts(3, 6, 6, 24, 24, 30, 30, 60)
    assert run(FedAvg(gamma_l=0.1, K=5, S=2), problem, np.zeros(4), R=3).counts.samples == 30


def test_parameters_per_run_are_separate_runs():
    problem = random_problem(noise=AdditiveGaussian.isotropic(4, sigma_f=1.0, sigma_h=0.5))
    columns = {
        "gamma_l": np.array([0.1, 0.05, 0.02]),
        "gamma_g": np.array([1.0, 1.5, 2.0]),
        "eta": np.array([0.0, 0.3, 0.6]),
        "theta": np.array([1.0, 1.1, 1.0]),
    }
    together = run(StRFedAvg(**columns, K=3, S=2), problem, np.ones(4), R=5, runs=3, chunk=2, metrics={})
    for j in range(3):
        alone = StRFedAvg(**{name: float(values[j]) for name, values in columns.items()}, K=3, S=2)
        want = run(alone, problem, np.ones(4), R=5, runs=3, metrics={})
        np.testing.assert_allclose(together.x_last[j], want.x_last[j], rtol=1e-13, atol=1e-14)
        np.testing.assert_allclose(together.x_average[j], want.x_average[j], rtol=1e-13, atol=1e-14)


class Apart:
    """Run j solves ``problems[j]``."""

    def __init__(self, problems):
        self.problems = problems
        self.N, self.n, self.noise = problems[0].N, problems[0].n, problems[0].noise
        self.model_size = self.n

    def of_runs(self, rows):
        return Apart([self.problems[j] for j in rows])

    def grad_f(self, i, y, out):
        out[...] = [p.grad_f(i, point[None])[0] for p, point in zip(self.problems, y, strict=True)]

    def grad_h(self, i, y, out):
        out[...] = [p.grad_h(i, point[None])[0] for p, point in zip(self.problems, y, strict=True)]


@pytest.mark.parametrize("S", [2, 3])
def test_a_problem_that_differs_by_run_is_solved_run_by_run(S):
    noise = AdditiveGaussian.isotropic(4, sigma_f=1.0, sigma_h=0.5)
    problems = [random_problem(seed, noise=noise) for seed in range(3)]
    method = StRFedAvg(gamma_l=0.05, gamma_g=1.2, eta=0.6, K=3, S=S)
    together = run(method, Apart(problems), np.ones(4), R=5, runs=3, metrics={})
    for j, problem in enumerate(problems):
        alone = run(method, problem, np.ones(4), R=5, runs=3, metrics={})
        np.testing.assert_allclose(together.x_last[j], alone.x_last[j], rtol=1e-13, atol=1e-14)


def test_weights_of_many_rounds_do_not_overflow():
    problem = diagonal_selection()
    method = StRFedAvg(gamma_l=0.1, gamma_g=1.0, eta=0.5, K=1, S=2, theta=1e3)
    done = run(method, problem, [5.0, 5.0], R=300, record=[300], metrics={})
    assert np.isfinite(done.x_average).all()
    np.testing.assert_allclose(done.x_average, done.x_last, rtol=1e-2)


def test_a_round_leaves_the_old_state_alone():
    problem, rng = random_problem(), Streams(0, 0, 2)
    method = StRFedAvg(gamma_l=0.1, gamma_g=1.0, eta=0.5, K=2, S=2)
    state = method.round(problem, method.init(problem, np.ones((2, 4)), rng), rng)
    before = state.x.copy()
    after = method.round(problem, state, rng)
    np.testing.assert_array_equal(state.x, before)
    assert not np.array_equal(after.x, before)
    np.testing.assert_array_equal(method.round(problem, state, rng).x, after.x)


@pytest.mark.parametrize(("normaliser", "first"), [("R", 1), ("R-1", 2)])
def test_output_is_nan_while_its_weights_are_an_empty_sum(normaliser, first):
    problem, rng = random_problem(), Streams(0, 0, 1)
    method = StRFedAvg(gamma_l=0.1, gamma_g=1.0, eta=0.5, K=2, S=2, avg_normaliser=normaliser)
    state = method.init(problem, np.ones((1, 4)), rng)
    for r in range(4):
        assert np.isnan(method.output(state)).all() == (r < first)
        state = method.round(problem, state, rng)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"gamma_l": 0.0}, "gamma_l is 0.0; it should be positive"),
        ({"gamma_l": float("nan")}, "gamma_l is nan"),
        ({"gamma_g": -1.0}, "gamma_g is -1.0; it should be positive"),
        ({"gamma_g": float("inf")}, "gamma_g is inf"),
        ({"eta": -0.1}, "eta is -0.1; it should be at least 0"),
        ({"eta": np.ones((2, 2))}, "one number or one per run"),
        ({"theta": 0.9}, "theta is 0.9; it should be at least 1"),
        ({"K": 0}, "K is 0; it should be an integer, at least 1"),
        ({"S": 1.5}, "S is 1.5; it should be an integer"),
        ({"index_convention": "paper"}, "'analysis' or 'printed'"),
        ({"avg_normaliser": "none"}, "'R' or 'R-1'"),
    ],
)
def test_bad_parameters_are_named(change, words):
    good = StRFedAvg(gamma_l=0.1, gamma_g=1.0, eta=0.5, K=2, S=2)
    with pytest.raises(ValueError, match=words):
        dataclasses.replace(good, **change)


def test_parameters_that_do_not_fit_the_problem_are_named():
    with pytest.raises(ValueError, match="S is 4; it should be at most the number of clients N = 3"):
        run(FedAvg(gamma_l=0.1, K=1, S=4), random_problem(), np.zeros(4), R=1)
    with pytest.raises(ValueError, match="gamma_l has 2 values; it should have one per run, at least 3"):
        run(FedAvg(gamma_l=np.array([0.1, 0.2]), K=1, S=3), random_problem(), np.zeros(4), R=1, runs=3)
