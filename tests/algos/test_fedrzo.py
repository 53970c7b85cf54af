"""FedRZO against loops written out plainly, its invariants, its counts, and the directions that it draws."""

import numpy as np
import pytest

from rateproof.algos.engine import run
from rateproof.algos.methods.base import Counts
from rateproof.algos.methods.fedrzo import DIRECTIONS, FedRZO, LowerCost
from rateproof.algos.methods.fedrzo_lower import FedRZO_2s, FedRZO_bl, Prescribed
from rateproof.algos.noise import Streams
from rateproof.algos.piecewise import absolute, affine
from rateproof.algos.problems.base import Fact
from rateproof.algos.problems.federated import Bilevel, Constants, Federated, TwoStage
from rateproof.algos.problems.line import LineProblem, Steps, absolute_line, opposite_line
from rateproof.algos.problems.line_lower import LineBilevel, LineTwoStage
from rateproof.algos.sets import Ball, Box, ClientSets, HalfSpace, WholeSpace

M, N, NT = 3, 2, 2
RNG = np.random.default_rng(5)
A, B, W = RNG.normal(size=(M, N)), RNG.normal(size=M), RNG.normal(size=(NT, N))
SETS = ClientSets([Ball(np.ones(N), 0.5), Box(-np.ones(N), np.zeros(N)), HalfSpace(np.array([1.0, 2.0]), -1.0)])


class Kinks(Federated):
    """``f~_i(x, xi) = |a_i . x - b_i| + xi . x`` with a sample of ``n`` numbers."""

    name, n, m, params = "kinks", N, M, {}

    def __init__(self, sets=SETS, noisy=True):
        self.sets, self.noisy = sets, noisy

    def draw(self, rng, round, steps):
        rows = np.arange(rng.runs)
        drawn = [rng.normals("xi", round, i, steps, self.n, rows) for i in range(self.m)]
        return np.stack(drawn, axis=2) if self.noisy else None

    def values(self, x, xi):
        exact = np.abs((x * A).sum(-1) - B)
        return exact if xi is None else exact + (xi * x).sum(-1)

    def f_i(self, i, x):
        return np.abs(x @ A[i] - B[i])

    @property
    def constants(self):
        return Constants(L0=float(np.linalg.norm(A, axis=1).max()))

    def facts(self):
        return {"lipschitz": Fact(True, "absolute values of linear forms")}


class KinksBelow(Kinks, Bilevel):
    """The same with ``y(x) = W x`` and a loss ``c_i . y``."""

    nt = NT
    c = RNG.normal(size=(M, NT))

    def values_at(self, x, y, xi):
        return Kinks.values(self, x, xi) + (self.c * y).sum(-1)

    def values(self, x, xi):
        return self.values_at(x, self.lower_solution(x), xi)

    def lower_solution(self, x):
        return x @ W.T

    def grad_h(self, i, x, y, zeta):
        return y - x @ W.T


class KinksStage(Kinks, TwoStage):
    """The same with ``y(x, xi) = W x + xi``; ``weight`` may switch the second stage off."""

    nt = NT

    def __init__(self, weight=1.0, **kwargs):
        super().__init__(**kwargs)
        self.weight = weight

    def values_at(self, x, y, xi):
        return Kinks.values(self, x, xi) + self.weight * (KinksBelow.c * y).sum(-1)

    def values(self, x, xi):
        return self.values_at(x, self.lower_solution(x, xi), xi)

    def lower_map(self, x, y, xi):
        return y - self.lower_solution(x, xi)

    def project_lower(self, x, y, xi):
        return y

    def lower_solution(self, x, xi):
        return x @ W.T + (0 if xi is None else xi)


def plain_loop(method, problem, x0, *, R, run, seed, loss):
    """One run, client by client and step by step; ``loss(i, x, v, xi, start, v_round) -> rise``. Returns the models."""
    rng, one, n = Streams(seed, run, 1), np.array([0]), problem.n
    server, means = x0, [x0]
    for r in range(1, R + 1):
        H = method.steps_of(r)
        xi = problem.draw(rng, r, H)
        own = method.directions in ("step", "client")
        per_step = method.directions in ("step", "shared step")
        ends = []
        paths = []
        for i in range(problem.m):
            x, path = server, []
            v = method.eta * rng.directions(r, i if own else 0, H if per_step else 1, n, one)[:, 0]
            for j in range(H):
                u = v[j if per_step else 0]
                g = n / method.eta**2 * loss(i, x, u, None if xi is None else xi[j, 0], server) * u
                x = x - method.gamma * (g + (x - problem.sets.sets[i].project(x)) / method.eta)
                path.append(x)
            ends.append(x)
            paths.append(path)
        means += list(np.mean(paths, axis=0))
        server = np.mean(ends, axis=0)
    return np.array(means)


def lone(problem, i, x, xi):
    """``f~_i(x, xi)`` by the problem's own values, other clients at the same point."""
    at = np.repeat(x[None, None], problem.m, axis=1)
    return problem.values(at, None if xi is None else xi[None])[0, i]


def rise_single(problem):
    return lambda i, x, v, xi, start: lone(problem, i, x + v, xi) - lone(problem, i, x, xi)


def rise_delayed(problem):
    def rise(i, x, v, xi, start):
        at = [np.repeat(p[None, None], problem.m, axis=1) for p in (x + v, x)]
        y = [np.repeat(problem.lower_solution(p[None])[:, None], problem.m, axis=1) for p in (start + v, start)]
        sample = None if xi is None else xi[None]
        return (problem.values_at(at[0], y[0], sample) - problem.values_at(at[1], y[1], sample))[0, i]

    return rise


X0 = np.array([0.7, -1.3])
METHODS = {
    "Algorithm 1": (FedRZO, Kinks(), rise_single),
    "Algorithm 1, no samples": (FedRZO, Kinks(noisy=False), rise_single),
    "Algorithm 2": (FedRZO_bl, KinksBelow(), rise_delayed),
    "Algorithm 4": (FedRZO_2s, KinksStage(), rise_single),
}


@pytest.mark.parametrize("directions", DIRECTIONS)
@pytest.mark.parametrize(("kind", "problem", "rise"), METHODS.values(), ids=METHODS)
def test_it_is_the_loop_written_out(kind, problem, rise, directions):
    method = kind(gamma=0.07, eta=0.4, H=3, T=(2, 5, 6), directions=directions)
    done = run(method, problem, X0, R=3, runs=3, seed=11, metrics={})
    for b in range(3):
        want = plain_loop(method, problem, X0, R=3, run=b, seed=11, loss=rise(problem))
        np.testing.assert_allclose(done.x_last[b], want[-1], rtol=1e-12, atol=1e-13)
        # The output is one of the iterates xb_0 .. xb_{T_R - 1}.
        assert np.abs(want[:-1] - done.x_average[b]).max(axis=1).min() < 1e-13


@pytest.mark.parametrize(("kind", "problem", "rise"), METHODS.values(), ids=METHODS)
def test_the_mean_moves_by_the_mean_estimate(kind, problem, rise):
    """Lemma 3: ``xb_{k+1} = xb_k - gamma (gbar_k + Gdbar_k)``, across rounds, too."""
    method, rng = kind(gamma=0.07, eta=0.4, H=3), Streams(3, 0, 5)
    state, steps = method.init(problem, np.tile(X0, (5, 1)), rng), []
    for _ in range(3):
        state = method.round(problem, state, rng, watch=steps.append)
    means = [s.x.mean(axis=1) for s in steps] + [state.x]
    for k, step in enumerate(steps):
        assert (step.k, step.first, step.r) == (k, k - k % 3, k // 3)
        np.testing.assert_allclose(
            means[k + 1], means[k] - method.gamma * (step.g + step.penalty).mean(axis=1), atol=1e-13
        )
        np.testing.assert_allclose(np.linalg.norm(step.v, axis=-1), method.eta, rtol=1e-13)
        np.testing.assert_allclose(step.penalty, (step.x - problem.sets.project(step.x)) / method.eta)


def test_with_one_local_step_it_is_the_template():
    """ALG0: ``x - gamma (1/m) sum_i (g_i + (x - P_i(x))/eta)`` with ``g_i`` of its own direction."""
    problem, method = Kinks(), FedRZO(gamma=0.07, eta=0.4)
    x, rng, one = X0, Streams(2, 0, 1), np.array([0])
    for r in range(1, 6):
        xi, total = problem.draw(rng, r, 1)[0, 0], np.zeros(N)
        for i in range(M):
            v = method.eta * rng.directions(r, i, 1, N, one)[0, 0]
            rise = lone(problem, i, x + v, xi) - lone(problem, i, x, xi)
            total += N / method.eta * rise * v / np.linalg.norm(v) + (x - SETS.sets[i].project(x)) / method.eta
        x = x - method.gamma * total / M
    np.testing.assert_allclose(run(method, problem, X0, R=5, seed=2, metrics={}).x_last[0], x, rtol=1e-12)


def test_a_second_stage_that_does_not_matter_changes_nothing():
    single = run(FedRZO(gamma=0.1, eta=0.3, H=4), Kinks(), X0, R=5, runs=6, seed=4, metrics={})
    staged = run(FedRZO_2s(gamma=0.1, eta=0.3, H=4), KinksStage(weight=0.0), X0, R=5, runs=6, seed=4, metrics={})
    np.testing.assert_array_equal(single.x_last, staged.x_last)
    np.testing.assert_array_equal(single.x_average, staged.x_average)


def test_without_sets_a_round_of_algorithm_2_moves_along_its_direction():
    problem = KinksBelow(sets=ClientSets.same(WholeSpace(N), M))
    method, rng, steps = FedRZO_bl(gamma=0.1, eta=0.3, H=5), Streams(8, 0, 7), []
    method.round(problem, method.init(problem, np.tile(X0, (7, 1)), rng), rng, watch=steps.append)
    for step in steps:
        away = step.x - step.start[:, None]
        across = away[..., 0] * step.v[..., 1] - away[..., 1] * step.v[..., 0]
        np.testing.assert_allclose(across, 0, atol=1e-14)
    assert np.abs(steps[-1].x - steps[-1].start[:, None]).max() > 0.01
    assert (steps[0].v == steps[-1].v).all()
    assert (steps[0].v == steps[0].v[:, :1]).all()


def test_one_step_of_one_client_of_algorithm_2_is_the_template():
    problem = LineBilevel([absolute(slope=1.0)], [absolute(slope=2.0)], A=0.5, b=0.3)
    implicit = LineProblem(list(problem.implicit))
    bilevel = run(FedRZO_bl(gamma=0.1, eta=0.3), problem, [0.4], R=20, runs=5, metrics={})
    single = run(FedRZO(gamma=0.1, eta=0.3), implicit, [0.4], R=20, runs=5, metrics={})
    np.testing.assert_allclose(bilevel.x_last, single.x_last, atol=1e-13)


def test_estimates_of_affine_losses_and_of_the_norm():
    class Affine(Kinks):
        def values(self, x, xi):
            return (x * A).sum(-1)

    class Norm(Kinks):
        def values(self, x, xi):
            return 3.0 * np.linalg.norm(x, axis=-1)

    rng, runs, steps = Streams(1, 0, 20_000), 20_000, []
    method = FedRZO(gamma=0.1, eta=0.3)
    for problem in (Affine(noisy=False), Norm(noisy=False)):
        method.round(problem, method.init(problem, np.zeros((runs, N)), rng), rng, watch=steps.append)
    g = steps[0].g
    want = N / 0.3**2 * (A * steps[0].v).sum(-1)[..., None] * steps[0].v
    np.testing.assert_allclose(g, want, atol=1e-13)
    assert (np.abs(g.mean(axis=0) - A) <= 6 * g.std(axis=0) / np.sqrt(runs)).all()
    squares = (g**2).sum(-1)
    assert (np.abs(squares.mean(0) - N * (A**2).sum(-1)) <= 6 * squares.std(axis=0) / np.sqrt(runs)).all()
    np.testing.assert_allclose(np.linalg.norm(steps[1].g, axis=-1), N * 3.0)


def test_the_output_is_uniform_over_the_iterates():
    """``f = x`` gives ``g = 1`` surely, so the output tells which iterate was drawn; rounds of 1, 4 and 2 steps."""
    problem, runs = LineProblem([affine(slope=1.0)]), 70_000
    method = FedRZO(gamma=0.5, eta=1.0, H=4, T=(1, 5, 7))
    done = run(method, problem, [0.0], R=3, runs=runs, seed=9, metrics={}, record=[1, 3])
    times = np.bincount(np.rint(-done.x_average[:, 0] / 0.5).astype(int), minlength=7)
    assert len(times) == 7
    assert np.abs(times - runs / 7).max() <= 6 * np.sqrt(runs / 7)
    np.testing.assert_allclose(done.x_last, -3.5)


def test_runs_do_not_depend_on_how_they_are_cut():
    for kind, problem, _ in METHODS.values():
        method = kind(gamma=0.1, eta=0.3, H=2)
        whole = run(method, problem, X0, R=4, runs=9, chunk=9, metrics={})
        parts = run(method, problem, X0, R=4, runs=9, chunk=2, metrics={})
        np.testing.assert_allclose(whole.x_last, parts.x_last, rtol=1e-12)
        np.testing.assert_allclose(whole.x_average, parts.x_average, rtol=1e-12)


@pytest.mark.parametrize(
    ("directions", "pairs"), [("round", 2 * 4), ("client", 2 * 4), ("shared step", 4 + 9), ("step", 4 + 9)]
)
def test_counts_of_algorithm_2(directions, pairs):
    """``pairs`` of a point and its lower-level solution go down to each client: 2 a round as printed."""
    solves = {"round": 2, "client": 1 + M, "shared step": None, "step": None}[directions]
    calls = solves * 4 if solves else 4 + 9 * (M if directions == "step" else 1)

    class Charged:
        def solve(self, problem, x, r, call, rng):
            return problem.lower_solution(x), LowerCost(rounds=2, vectors=2 * M, calls=5, projections=1)

    method = FedRZO_bl(gamma=0.1, eta=0.3, H=3, T=(2, 5, 6, 9), directions=directions, solver=Charged())
    counts = run(method, KinksBelow(), X0, R=4, runs=2, metrics={}).counts
    assert counts == Counts(
        rounds=4,
        vectors_down=2 * pairs * M + calls * 2 * M,
        vectors_up=4 * M + calls * 2 * M,
        floats_down=pairs * M * (N + NT) + calls * 2 * M * NT,
        floats_up=4 * M * N + calls * 2 * M * NT,
        values_f=2 * 9 * M,
        projections=9 * M + calls,
        samples=9 * M,
        lower_rounds=2 * calls,
        lower_calls=5 * calls,
    )


def test_counts_of_algorithms_1_and_4():
    class Charged:
        def solve(self, problem, xq, xi, k):
            return problem.lower_solution(xq, xi), LowerCost(calls=k * M, projections=M)

    want = Counts(
        rounds=2,
        vectors_down=2 * M,
        vectors_up=2 * M,
        floats_down=2 * M * N,
        floats_up=2 * M * N,
        values_f=12 * M,
        projections=6 * M,
        samples=6 * M,
    )
    assert run(FedRZO(gamma=0.1, eta=0.3, H=3), Kinks(), X0, R=2, metrics={}).counts == want
    found = run(FedRZO_2s(gamma=0.1, eta=0.3, H=3, solver=Charged()), KinksStage(), X0, R=2, metrics={}).counts
    lower = 2 * sum(range(6)) * M
    assert found == Counts(**{**vars(want), "lower_calls": lower, "projections": 6 * M + 12 * M})


def test_lower_level_calls_are_numbered_and_delayed():
    asked = []

    class Listening:
        def solve(self, problem, x, r, call, rng):
            asked.append((r, call, x.copy()))
            return problem.lower_solution(x), LowerCost()

    def calls(directions):
        asked.clear()
        steps = []
        method = FedRZO_bl(gamma=0.1, eta=0.3, H=2, directions=directions, solver=Listening())
        rng, problem = Streams(0, 0, 4), KinksBelow()
        state = method.init(problem, np.tile(X0, (4, 1)), rng)
        for _ in range(2):
            state = method.round(problem, state, rng, watch=steps.append)
        return steps

    for directions, per_round in (("round", 2), ("client", 1 + M), ("shared step", 3), ("step", 1 + 2 * M)):
        steps = calls(directions)
        assert [(r, call) for r, call, _ in asked] == [(r, c) for r in range(2) for c in range(per_round)]
        np.testing.assert_array_equal(asked[per_round][2], steps[2].start)
        for step in steps:
            np.testing.assert_allclose(step.lower.at_x, np.repeat((step.start @ W.T)[:, None], M, axis=1))
            np.testing.assert_allclose(step.lower.at_v, (step.start[:, None] + step.v) @ W.T)


def test_prescribed_errors_are_added_where_they_are_told():
    errors = Prescribed(at_x=-0.5, at_x_along=0.25, at_v=0.1, at_v_along=2.0, power=1.0, axis=1)
    assert errors.eps(0) == pytest.approx(2.1**2)
    assert errors.eps(3) == pytest.approx(2.1**2 / 4)
    for kind, problem in ((FedRZO_bl, KinksBelow()), (FedRZO_2s, KinksStage())):
        clean, rng, steps = kind(gamma=0.1, eta=0.3, H=2), Streams(0, 0, 30), []
        method = kind(gamma=0.1, eta=0.3, H=2, errors=errors)
        state = method.init(problem, np.tile(X0, (30, 1)), rng)
        for _ in range(2):
            state = method.round(problem, state, rng, watch=steps.append)
        for step in steps:
            t = step.r if kind is FedRZO_bl else step.k
            sign, size = np.sign(step.v[..., 0]), (t + 1) ** -0.5
            where = step.start[:, None] if kind is FedRZO_bl else step.x
            xi = () if kind is FedRZO_bl else (step.xi,)
            exact = [problem.lower_solution(p, *xi) for p in (np.broadcast_to(where, step.x.shape), where + step.v)]
            found = [step.lower.at_x - exact[0], step.lower.at_v - exact[1]]
            np.testing.assert_allclose(found[0][..., 1], (-0.5 + 0.25 * sign) * size, atol=1e-13)
            np.testing.assert_allclose(found[1][..., 1], (0.1 + 2.0 * sign) * size, atol=1e-13)
            np.testing.assert_allclose([f[..., 0] for f in found], 0, atol=1e-13)
        assert clean.errors is None


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: FedRZO(gamma=0.0, eta=1.0), "gamma is 0"),
        (lambda: FedRZO(gamma=0.1, eta=np.inf), "eta is inf"),
        (lambda: FedRZO(gamma=0.1, eta=1.0, H=0), "H is 0"),
        (lambda: FedRZO(gamma=0.1, eta=1.0, H=2, T=(1, 4)), "1 followed by 4"),
        (lambda: FedRZO(gamma=0.1, eta=1.0, H=2.0), "H is 2.0, a float; it should be a whole number of local steps"),
        (lambda: FedRZO(gamma=0.1, eta=1.0, H=np.nan), "H is nan"),
        (lambda: FedRZO(gamma=0.1, eta=1.0, H=None), "H is None; it should be a whole number"),
        (lambda: FedRZO(gamma="a", eta=1.0), "gamma is 'a'; it should be a positive number"),
        (lambda: FedRZO(gamma=0.1, eta=1.0, H=2, T=[1.5, 2.0]), "T is [1.5, 2.0]; it should hold whole numbers"),
        (lambda: FedRZO(gamma=0.1, eta=1.0, T=()), "T is (); it should hold whole numbers"),
        (lambda: FedRZO(gamma=0.1, eta=1e-320), "eta is 1e-320; it should be from 1e-150"),
        (lambda: FedRZO(gamma=0.1, eta=1.0, H=2, T=(2, 2)), "2 followed by 2"),
        (lambda: FedRZO(gamma=0.1, eta=1.0, directions="day"), "directions is 'day'"),
        (lambda: FedRZO(gamma=0.1, eta=1.0, T=(1,)).steps_of(2), "T gives 1 rounds"),
        (lambda: FedRZO_bl(gamma=0.1, eta=1.0, directions="step", errors=Prescribed(at_x_along=1.0)), "at_x_along"),
        (lambda: run(FedRZO_bl(gamma=0.1, eta=1.0), opposite_line(), [0.0], R=1), "needs a bilevel problem"),
        (lambda: run(FedRZO_2s(gamma=0.1, eta=1.0), opposite_line(), [0.0], R=1), "needs a two-stage problem"),
    ],
)
def test_bad_input_is_refused_in_one_line(make, words):
    with pytest.raises(ValueError) as error:
        make()
    assert words in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("n", [1, 2, 5])
def test_directions_are_uniform_on_the_sphere(n):
    runs, rows = 20_000, np.arange(20_000)
    drawn = Streams(3, 0, runs).directions(1, 0, 2, n, rows)
    assert drawn.shape == (2, runs, n)
    np.testing.assert_allclose(np.linalg.norm(drawn, axis=-1), 1, rtol=1e-14)
    assert np.abs(drawn.mean(axis=1)).max() <= 6 / np.sqrt(n * runs)
    second = np.einsum("krd,kre->kde", drawn, drawn) / runs
    assert np.abs(second - np.eye(n) / n).max() <= 6 / np.sqrt(runs)
    if n > 1:  # the law of one coordinate: its fourth moment is 3/(n(n+2))
        assert abs((drawn[0, :, 0] ** 4).mean() - 3 / (n * (n + 2))) <= 6 / np.sqrt(runs)
    else:
        assert set(np.unique(drawn)) == {-1.0, 1.0}


def test_directions_belong_to_run_round_client_and_step():
    rows = np.arange(8)
    drawn = Streams(3, 0, 8).directions(2, 1, 3, 2, rows)
    np.testing.assert_array_equal(Streams(3, 5, 3).directions(2, 1, 3, 2, rows[:3]), drawn[:, 5:8])
    np.testing.assert_array_equal(Streams(3, 0, 8).directions(2, 1, 3, 2, rows[2:4]), drawn[:, 2:4])
    for other in ((1, 1), (2, 0)):
        assert np.abs(Streams(3, 0, 8).directions(*other, 3, 2, rows) - drawn).max() > 0.1
    assert np.abs(drawn[0] - drawn[1]).max() > 0.1


def test_a_run_on_the_line_knows_its_samples():
    problem = LineProblem([affine(slope=0.5)], [(0.0, 0.0)], nu=1.0, noise=Steps(1.0))
    steps, rng, method = [], Streams(0, 0, 100), FedRZO(gamma=0.1, eta=1.0, H=2)
    method.round(problem, method.init(problem, np.zeros((100, 1)), rng), rng, watch=steps.append)
    assert {*np.round(steps[1].g.ravel(), 9)} == {0.5 - 2, 0.5 + 2}


def test_the_line_with_two_stages_is_solved_for_each_sample():
    target = (absolute(slope=1.0), affine(slope=-0.5, intercept=0.1))
    problem = LineTwoStage([affine(slope=0.0)] * 2, [affine(slope=1.0)] * 2, target=target, low=-1.0, high=1.0)
    steps, rng, method = [], Streams(0, 0, 50), FedRZO_2s(gamma=0.1, eta=0.3, H=2)
    method.round(problem, method.init(problem, np.full((50, 1), 0.2), rng), rng, watch=steps.append)
    for step in steps:
        want = np.where(step.xi > 0, np.abs(step.x), 0.1 - step.x / 2)
        np.testing.assert_allclose(step.lower.at_x, np.clip(want, -1, 1), atol=1e-14)


def test_more_clients_average_the_noise():
    """The variance of one step falls as 1/m with directions of their own, and not at all with a shared one."""
    spread = {}
    for directions in ("step", "round"):
        for m in (1, 16):
            problem = absolute_line(slope=1.0, m=m)
            method = FedRZO(gamma=1.0, eta=1.0, directions=directions)
            done = run(method, problem, [0.0], R=1, runs=4000, seed=1, metrics={})
            spread[directions, m] = float((done.x_last**2).mean())
    assert spread["step", 1] == spread["round", 1] == spread["round", 16] == 1.0
    assert abs(spread["step", 16] - 1 / 16) < 6 * np.sqrt(2 / 4000) / 16
