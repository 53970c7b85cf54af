"""stocBiO, LocalBSGVRM, LocalBSGM and AdaFBiO: plain loops, exact means over all outcomes, and where they end."""

from dataclasses import replace

import numpy as np
import pytest
from clients import assert_chunks_do_not_matter, assert_momentum, assert_refused, states

from rateproof.algos import engine
from rateproof.algos.methods.fednest import FedNest
from rateproof.algos.methods.neumann_series import AdaFBiO, LocalBSGM, LocalBSGVRM, StocBiO
from rateproof.algos.noise import MiniBatch, Streams, TwoPoint
from rateproof.algos.outcomes import EveryCourse, Outcomes
from rateproof.algos.problems.bilevel_learning import loss_tuning
from rateproof.algos.problems.bilevel_quadratic import bilevel_quadratic, random_bilevel_quadratic
from rateproof.algos.problems.smooth_bilevel import data_rows, noisy

STEPS = {"alpha": 0.1, "beta": 0.15}
SIGNS = TwoPoint(np.full(5, 0.3), np.full(5, 0.2))
PROBLEMS = {
    "signs": random_bilevel_quadratic(m=3, dx=2, dy=3, weights=(0.5, 0.3, 0.2), noise=SIGNS),
    "rows": random_bilevel_quadratic(m=3, dx=2, dy=3, rows=4, noise=MiniBatch(2)),
}


def series(first, hessian, terms, ell):
    """``(1/ell) sum_n prod_{k <= n} (I - H_k/ell) first``."""
    total, p = first, first
    for n in range(1, terms):
        p = p - hessian(n, p) / ell
        total = total + p
    return total / ell


class Own:
    """Gradients and products of client ``i`` with one sample, of single points."""

    def __init__(self, problem, i, sample):
        self.p, self.i, self.s = problem, i, sample

    def f(self, z):
        return noisy(self.p.gradient_f, self.i, z[None], self.s.xi)[0]

    def g(self, z):
        return noisy(self.p.gradient_g, self.i, z[None], self.s.zeta)[0]

    def product(self, z, v):
        return self.p.product_g(self.i, z[None], v[None], data_rows(self.s.zeta))[0]


def stocbio(problem, z, R, rng, *, alpha, beta, inner, terms, ell):
    dx, key = problem.dx, 0

    def asked(of):
        nonlocal key
        key += 1
        own = [Own(problem, i, problem.draw(rng, key, i, 1, np.array([0]))[0]) for i in range(problem.m)]
        return sum(w * of(c) for w, c in zip(problem.weights, own, strict=True))

    for r in range(R):
        key = r * (inner + terms + 1)
        for _ in range(inner):
            z = np.append(z[:dx], z[dx:] - beta * asked(lambda c, z=z: c.g(z))[dx:])
        f = asked(lambda c, z=z: c.f(z))
        v = series(f[dx:], lambda n, p, z=z: asked(lambda c: c.product(z, p))[dx:], terms, ell)
        z = np.append(z[:dx] - alpha * (f[:dx] - asked(lambda c, z=z, v=v: c.product(z, v))[:dx]), z[dx:])
    return z


def local_momentum(problem, z, R, rng, *, alpha, beta, rho, tau, terms, ell, storm=True, decay=None, floor=None):
    dx, one = problem.dx, np.array([0])
    eta, squares = np.repeat([alpha, beta], [dx, problem.dy]), 0.0

    def D(i, samples, z):
        first, *factors, last = (Own(problem, i, s) for s in samples)
        v = series(first.f(z)[dx:], lambda n, p: factors[n - 1].product(z, p)[dx:], terms, ell)
        return np.append(first.f(z)[:dx] - last.product(z, v)[:dx], first.g(z)[dx:])

    start = [problem.draw(rng, 1, i, terms + 1, one) for i in range(problem.m)]
    d = sum(w * D(i, start[i], z) for i, w in enumerate(problem.weights))
    for r in range(R):
        scale = 1.0
        if decay is not None:
            squares = decay * squares + (1 - decay) * d**2
            scale = 1 / (np.sqrt(squares) + floor)
        ends = []
        for i in range(problem.m):
            z_i, d_i = z, d
            samples = problem.draw(rng, r + 2, i, tau * (terms + 1), one)
            for k in range(tau):
                some = samples[k * (terms + 1) : (k + 1) * (terms + 1)]
                new = z_i - eta * scale * d_i
                d_i = (
                    D(i, some, new) + (1 - rho) * (d_i - D(i, some, z_i))
                    if storm
                    else ((1 - rho) * d_i + rho * D(i, some, new))
                )
                z_i = new
            ends.append((z_i, d_i))
        z, d = (
            sum(w * part for w, part in zip(problem.weights, parts, strict=True)) for parts in zip(*ends, strict=True)
        )
    return z


TWO_CURVES = np.array([1.0, 3.0])[:, None, None]
LOCAL = {"rho": 0.4, "tau": 3, "terms": 3, "ell": 5.0}
LOOPS = {
    "StocBiO": (StocBiO, stocbio, {"inner": 2, "terms": 3, "ell": 5.0}, {}, {}),
    "LocalBSGVRM": (LocalBSGVRM, local_momentum, LOCAL, {"series": "sum"}, {}),
    "LocalBSGM": (LocalBSGM, local_momentum, LOCAL, {"series": "sum"}, {"storm": False}),
    "AdaFBiO": (AdaFBiO, local_momentum, LOCAL | {"decay": 0.7, "floor": 0.3}, {"series": "sum"}, {}),
}


@pytest.mark.parametrize("name", LOOPS)
@pytest.mark.parametrize("kind", PROBLEMS)
def test_a_run_is_the_plain_loop(name, kind):
    make, loop, numbers, ours, theirs = LOOPS[name]
    problem = PROBLEMS[kind]
    z = np.linspace(-1, 1, 5)
    state = states(make(**STEPS, **numbers, **ours), problem, z, 3, Streams(4, 2, 3))[-1]
    for run in range(3):
        want = loop(problem, z, 3, Streams(4, 2 + run, 1), **STEPS, **numbers, **theirs)
        np.testing.assert_allclose(state.z[run], want, rtol=1e-10, atol=1e-12)


def test_stocbio_is_fednest_with_one_step_where_gradients_are_exact():
    problem = random_bilevel_quadratic(m=3, weights=(0.5, 0.3, 0.2))
    z, numbers = np.ones(problem.n), {"inner": 3, "terms": 4}
    mine = states(StocBiO(**STEPS, **numbers), problem, z, 5, Streams(0, 0, 2))[-1]
    same = states(FedNest(**STEPS, **numbers, series="sum"), problem, z, 5, Streams(0, 0, 2))[-1]
    np.testing.assert_allclose(mine.z, same.z, atol=1e-13)
    assert (mine.cost.rounds, mine.cost.floats_up, mine.cost.lower_rounds) == (5, 0, 0)
    assert (mine.cost.grad_f, mine.cost.grad_h, mine.cost.products) == (5 * 3, 5 * 3 * 3, 5 * 3 * 4)


def test_the_mean_of_stocbio_is_the_exact_step_over_batches_and_signs():
    problem = bilevel_quadratic(m=2, A=TWO_CURVES, noise=TwoPoint(np.full(2, 0.4), np.zeros(2)))
    z = np.array([0.7, -0.3])
    method = StocBiO(alpha=0.1, beta=0.2, terms=2, ell=4.0, P=1)
    rng = EveryCourse({k: Outcomes(2, 1, {"xi": 1}) for k in range(1, 5)})
    *_, end = states(method, problem, z, 1, rng)
    exact = states(replace(method, P=2), bilevel_quadratic(m=2, A=TWO_CURVES), z, 1, Streams(0, 0, 1))[-1]
    assert rng.runs == 256 and len(np.unique(end.z, axis=0)) == 8
    np.testing.assert_allclose(end.z.mean(axis=0), exact.z[0], atol=1e-14)


def test_momentum_keeps_estimates_unbiased_and_shrinks_their_variance():
    s, rho, weights = 0.4, 0.25, np.array([0.7, 0.3])
    problem = bilevel_quadratic(m=2, A=TWO_CURVES, weights=weights, noise=TwoPoint(np.zeros(2), np.full(2, s)))
    exact = bilevel_quadratic(m=2, A=TWO_CURVES, weights=weights)
    # with one term of the series there are two samples, of which the second is for a product
    rng = EveryCourse({k: Outcomes(2, 2, {"zeta": 2}) for k in (1, 2)})
    method = LocalBSGVRM(alpha=0.1, beta=0.2, rho=rho, terms=1, ell=4.0, series="sum")
    ends = states(method, problem, [0.7, -0.3], 1, rng)
    variance = s**2 * (weights**2).sum()
    assert_momentum([end.d[:, 1] - exact.grad_G(end.z)[:, 1] for end in ends], rho, variance, variance)


class EachStop(Streams):
    """Streams in which each run has a number of factors of its own."""

    def integers(self, stream, round, client, K, n, rows, high):
        assert stream == "output"
        return np.repeat(np.arange(self.runs)[None, :, None], n, axis=2)


def test_terms_of_a_random_number_of_factors_have_the_sum_as_their_mean():
    problem = random_bilevel_quadratic(m=3, dx=2, dy=3)
    z = np.linspace(-1, 1, 5)
    one = LocalBSGVRM(**STEPS, terms=6)
    each = one.init(problem, np.repeat(z[None], 6, axis=0), EachStop(0, 0, 6))
    total = replace(one, series="sum").init(problem, z[None], Streams(0, 0, 1))
    assert len(np.unique(each.d, axis=0)) == 6
    np.testing.assert_allclose(each.d.mean(axis=0), total.d[0], atol=1e-13)


ALIKE, MIXED = (random_bilevel_quadratic(m=3, dx=2, dy=2, mu=2.0, heterogeneity=h) for h in (0.0, 0.5))
LONG = {"terms": 45, "series": "sum"}


@pytest.mark.parametrize(
    "method",
    [
        StocBiO(**STEPS, inner=2, terms=45),
        LocalBSGVRM(**STEPS, **LONG, rho=0.3, tau=2),
        LocalBSGM(**STEPS, **LONG, rho=0.8, tau=2),
        AdaFBiO(alpha=0.02, beta=0.03, **LONG, rho=0.3, tau=2),
    ],
    ids=lambda m: type(m).__name__,
)
def test_where_it_ends(method):
    done = engine.run(method, ALIKE, ALIKE.x0, R=500)
    assert done.last["dist"][-1, 0] < 1e-7
    done = engine.run(method, MIXED, MIXED.x0, R=500)
    # a client's own Hessian gives the wrong gradient where clients differ
    assert (done.last["dist"][-1, 0] < 1e-7) == isinstance(method, StocBiO)


@pytest.mark.parametrize("method", [StocBiO(**STEPS, P=2), LocalBSGVRM(**STEPS, rho=0.4, P=2), AdaFBiO(**STEPS, P=2)])
@pytest.mark.parametrize("kind", PROBLEMS)
def test_chunks_do_not_matter(method, kind):
    assert_chunks_do_not_matter(engine.run, method, PROBLEMS[kind], np.ones(5))


def test_what_a_run_costs():
    problem = PROBLEMS["signs"]
    c = engine.run(LocalBSGVRM(**STEPS, rho=0.5, tau=4, terms=3), problem, np.ones(5), R=2, metrics={}).counts
    assert (c.rounds, c.lower_rounds) == (2, 0)
    # the model alone goes down before the first round, and the estimates come back
    assert c.floats_down == c.floats_up == 3 * 5 * (1 + 2 * 2)
    evaluations = 3 * (1 + 2 * 4 * 2)
    assert (c.grad_f, c.grad_h, c.products) == (evaluations, evaluations, 3 * evaluations)


WRONG = [
    (lambda: LocalBSGVRM(**STEPS, rho=0.0), r"rho is 0.0; it should be in \(0, 1\]"),
    (lambda: StocBiO(**STEPS, terms=0), "terms is 0; it should be a whole number, at least 1"),
    (lambda: AdaFBiO(alpha=0.0, beta=0.1), "alpha is 0.0; it should be a positive number"),
    (lambda: AdaFBiO(**STEPS, floor=-1.0), "floor is -1.0; it should be a positive number"),
    (lambda: LocalBSGM(**STEPS, series="x"), "series is 'x'; it should be 'random' or 'sum'"),
    (
        lambda: engine.run(AdaFBiO(**STEPS, P=4), MIXED, MIXED.x0, R=1),
        "P is 4; it should be at most 3, the number of clients",
    ),
    (
        lambda: engine.run(StocBiO(**STEPS), loss_tuning(hidden=2), loss_tuning(hidden=2).x0, R=1),
        "no smoothness constant of the lower level is known; ell should be given",
    ),
]


@pytest.mark.parametrize(("make", "words"), WRONG)
def test_wrong_input_is_refused_in_one_line(make, words):
    assert_refused(make, words)
