"""Methods for compositions against plain loops in numbers, exact means over all signs, and where they end."""

from dataclasses import replace

import numpy as np
import pytest
from clients import assert_chunks_do_not_matter, assert_momentum, assert_refused, states

from rateproof.algos import engine
from rateproof.algos.methods.compositional import ASCPG, MFCGD, SCGD, AdaMFCGD, ComFedL
from rateproof.algos.noise import Streams
from rateproof.algos.outcomes import EveryCourse, Outcomes
from rateproof.algos.problems.compositional import quadratic_chain, smooth_chain
from rateproof.algos.problems.risk_averse import risk_averse

NOISY = {"sigma_v": 0.2, "sigma_J": 0.3}
TWO = {"levels": "sin,log_cosh", "gain": (1.0, 2.0, 0.5), "offset": (0.3, -0.2, 0.1)}


class Scalar:
    """``g_i``, ``g_i'`` and ``f_i'`` of one client of a chain of two levels with one sample, of numbers."""

    def __init__(self, problem, i, sample):
        self.p, self.i, self.s = problem, i, sample[0]

    def g(self, x):
        return self.p.value(self.i, 0, np.array([[x]]))[0, 0] + self.p.sigma_v[0] * self.s[0]

    def dg(self, x):
        return self.p.jacobian(self.i, 0, np.array([[x]]))[0, 0, 0] + self.p.sigma_J[0] * self.s[2]

    def df(self, y):
        return self.p.jacobian(self.i, 1, np.array([[y]]))[0, 0, 0] + self.p.sigma_J[1] * self.s[1]


def drawn(problem, rng, key, i, steps, b):
    return [Scalar(problem, i, s) for s in problem.draw(rng, key, i, steps, np.array([0]), b)]


def pooled(problem, rng, key, steps, b):
    """One machine: the mean of the clients' samples, a step each."""
    each = [drawn(problem, rng, key, i, steps, b) for i in range(problem.m)]
    mean = lambda name, k: lambda x: np.mean([getattr(own[k], name)(x) for own in each])  # noqa: E731
    return [(mean("g", k), mean("dg", k), mean("df", k)) for k in range(steps)]


def scgd(problem, x, y, R, rng, *, alpha, beta, alpha_power, beta_power, minibatch):
    for k in range(R):
        ((g, dg, df),) = pooled(problem, rng, k + 1, 1, minibatch)
        a_k, b_k = alpha * (k + 1) ** -alpha_power, beta * (k + 1) ** -beta_power
        y = (1 - b_k) * y + b_k * g(x)
        x = x - a_k * dg(x) * df(y)
    return x, y


def asc_pg(problem, x, y, R, rng, *, alpha, beta, alpha_power, beta_power, minibatch):
    for k in range(R):
        (_, dg, df), (g, _, _) = pooled(problem, rng, k + 1, 2, minibatch)
        a_k, b_k = alpha * (k + 1) ** -alpha_power, beta * (k + 1) ** -beta_power
        new = x - a_k * dg(x) * df(y)
        y = (1 - b_k) * y + b_k * g((1 - 1 / b_k) * x + new / b_k)
        x = new
    return x, y


def comfedl(problem, x, y, R, rng, *, alpha, K, minibatch):
    for r in range(R):
        ends = []
        for i in range(problem.m):
            own = x
            for s in drawn(problem, rng, r + 1, i, K, minibatch):
                y = s.g(own)
                own = own - alpha * s.dg(own) * s.df(y)
            ends.append((own, y))
        x, y = np.mean(ends, axis=0)
    return x, y


def mfcgd(problem, x, y, R, rng, *, alpha, rho, K, minibatch, first_minibatch, decay=None, floor=None):
    first = [drawn(problem, rng, 0, i, 1, first_minibatch)[0] for i in range(problem.m)]
    u, v, w = np.mean([(s.g(x), s.dg(x), s.df(s.g(x))) for s in first], axis=0)
    squares, scale = 0.0, 1.0
    for r in range(R):
        if decay is not None:
            squares = decay * squares + (1 - decay) * (v * w) ** 2
            scale = 1 / (np.sqrt(squares) + floor)
        ends = []
        for i in range(problem.m):
            x_i, u_i, v_i, w_i = x, u, v, w
            for s in drawn(problem, rng, r + 1, i, K, minibatch):
                new = x_i - alpha * scale * v_i * w_i
                u_new = s.g(new) + (1 - rho) * (u_i - s.g(x_i))
                v_i = s.dg(new) + (1 - rho) * (v_i - s.dg(x_i))
                w_i = s.df(u_new) + (1 - rho) * (w_i - s.df(u_i))
                x_i, u_i = new, u_new
            ends.append((x_i, u_i, v_i, w_i))
        x, u, v, w = np.mean(ends, axis=0)
    return x, u


FALL = {"beta": 0.8, "alpha_power": 0.75, "beta_power": 0.5, "minibatch": 2}
MOMENTUM = {"rho": 0.4, "K": 3, "minibatch": 2, "first_minibatch": 3}
LOOPS = {
    "SCGD": (SCGD, scgd, FALL),
    "ASC-PG": (ASCPG, asc_pg, FALL),
    "ComFedL": (ComFedL, comfedl, {"K": 3, "minibatch": 2}),
    "MFCGD": (MFCGD, mfcgd, MOMENTUM),
    "AdaMFCGD": (AdaMFCGD, mfcgd, MOMENTUM | {"decay": 0.7, "floor": 0.2}),
}


@pytest.mark.parametrize("name", LOOPS)
@pytest.mark.parametrize("problem", [smooth_chain(m=3, **TWO, **NOISY), quadratic_chain(**NOISY)], ids=["bent", "I5"])
def test_a_run_is_the_plain_loop(name, problem):
    make, loop, numbers = LOOPS[name]
    state = states(make(alpha=0.1, **numbers), problem, np.array([0.7, -0.4]), 4, Streams(2, 5, 3))[-1]
    for run in range(3):
        want = loop(problem, 0.7, -0.4, 4, Streams(2, 5 + run, 1), alpha=0.1, **numbers)
        np.testing.assert_allclose(state.w[run], want, rtol=1e-10, atol=1e-12)


A, B, X, Y = np.array([1.0, 3.0]), np.array([1.0, 0.0]), 0.7, -0.4  # quadratic_chain() with c = 1


def test_the_mean_step_of_each_method_over_all_signs():
    problem, signs = quadratic_chain(**NOISY), Outcomes(2, 2, {"zeta": 2, "xi": 1})
    a, b, alpha, beta = A.mean(), B.mean(), 0.1, 0.6
    y = (1 - beta) * Y + beta * a * X
    *_, end = states(SCGD(alpha=alpha, beta=beta), problem, [X, Y], 1, signs)
    assert signs.runs == 64 and len(np.unique(end.w, axis=0)) > 16
    np.testing.assert_allclose(end.w.mean(axis=0), [X - alpha * a * (y - b), y], atol=1e-14)
    signs = Outcomes(2, 2, {"zeta": 2, "xi": 1})
    *_, end = states(ComFedL(alpha=alpha), problem, [X, Y], 1, signs)
    np.testing.assert_allclose(end.w.mean(axis=0), [X - alpha * np.mean(A * (A * X - B)), a * X], atol=1e-14)
    signs = Outcomes(2, 2, {"zeta": 4, "xi": 2})  # two samples, of which the first gives slopes and the second a value
    new = X - alpha * a * (Y - b)
    *_, end = states(ASCPG(alpha=alpha, beta=beta), problem, [X, Y], 1, signs)
    y = (1 - beta) * Y + beta * a * (X + (new - X) / beta)
    np.testing.assert_allclose(end.w.mean(axis=0), [new, y], atol=1e-14)


def test_the_inner_value_of_mfcgd_stays_unbiased_and_its_variance_falls():
    s, rho = 0.5, 0.25
    problem = quadratic_chain(sigma_v=s)
    rng = EveryCourse({k: Outcomes(2, 2, {"zeta": 1}) for k in range(4)})
    ends = states(MFCGD(alpha=0.1, rho=rho), problem, [X, Y], 3, rng)
    assert_momentum([end.w[:, 1] - A.mean() * end.w[:, 0] for end in ends], rho, s**2 / 2, s**2 / 2)
    assert len(np.unique(ends[-1].w, axis=0)) > 20


ENDS = {
    # of the composition of the means at 1/4, or of the mean of the clients' compositions at sum a b/sum a^2
    "SCGD": (SCGD(alpha=0.05, beta=0.5), 0.25),
    "ASC-PG": (ASCPG(alpha=0.05, beta=0.5), 0.25),
    "ComFedL": (ComFedL(alpha=0.05), 0.1),
    "MFCGD": (MFCGD(alpha=0.05, rho=0.5), 0.25),
    "AdaMFCGD": (AdaMFCGD(alpha=0.005, rho=0.5), 0.25),
}


@pytest.mark.parametrize("name", ENDS)
def test_where_it_ends(name):
    method, x = ENDS[name]
    differing, alike = quadratic_chain(), quadratic_chain(a=2.0, b=0.5)
    done = engine.run(method, differing, differing.x0, R=1500)
    assert done.x_last[0, 0] == pytest.approx(x, abs=1e-9)
    more = replace(method, K=4) if hasattr(method, "K") else method
    done = engine.run(more, alike, alike.x0, R=1500)
    assert done.x_last[0, 0] == pytest.approx(0.25, abs=1e-9) and done.last["|grad f|^2"][-1, 0] < 1e-15


def test_sampled_inner_values_make_comfedl_biased():
    # f(y) = log cosh y is bent, so that f'(y + noise) is not f'(y) in the mean
    problem = smooth_chain(m=1, levels="linear,log_cosh", offset=0.0, sigma_v=0.9)
    *_, end = states(ComFedL(alpha=1.0), problem, [0.5, 0.0], 1, Outcomes(1, 1, {"zeta": 1}))
    want = 0.5 - (np.tanh(1.4) + np.tanh(-0.4)) / 2
    assert end.w[:, 0].mean() == pytest.approx(want, abs=1e-14) and abs(want - (0.5 - np.tanh(0.5))) > 0.05


@pytest.mark.parametrize("method", [SCGD(alpha=3e-4, beta=0.5), ComFedL(alpha=1e-4, K=3), MFCGD(alpha=3e-4, rho=0.5)])
def test_three_levels_descend(method):
    problem = risk_averse(heterogeneity=0.0, batch_size=10)
    done = engine.run(method, problem, problem.x0, R=300, runs=4)
    assert done.last["f"][-1].mean() < 0.8 * done.last["f"][0].mean()


@pytest.mark.parametrize("method", [m for m, _ in ENDS.values()], ids=list(ENDS))
def test_chunks_do_not_matter(method):
    problem = smooth_chain(m=3, **TWO, **NOISY)
    assert_chunks_do_not_matter(engine.run, method, problem, problem.x0)


def test_levels_are_the_parts_of_the_maps():
    problem = risk_averse(batch_size=3)
    w = problem.x0[None] + 0.1
    (sample,) = problem.draw(Streams(0, 0, 1), 1, 0, 1, np.array([0]), 1)
    for at in (None, sample):
        values, (J0, J1, J2) = problem.levels(0, w, at)
        maps = problem.split(problem.sampled(0, w, at))
        np.testing.assert_allclose(maps[0], (J0 @ J1 @ J2)[..., 0])
        for z, value, inner in zip(problem.split(w)[1:], values, maps[1:], strict=True):
            np.testing.assert_allclose(inner, z - value)


def test_what_a_run_costs():
    problem = smooth_chain(m=3, **TWO, **NOISY)
    of = lambda method: engine.run(method, problem, problem.x0, R=4).counts  # noqa: E731
    c = of(SCGD(alpha=0.1, beta=0.5, minibatch=2))
    assert (c.rounds, c.floats_up, c.floats_down, c.grad_f, c.grad_h, c.samples) == (4, 0, 0, 12, 12, 24)
    assert of(ASCPG(alpha=0.1, beta=0.5, minibatch=2)).samples == 48
    c = of(ComFedL(alpha=0.1, K=5, minibatch=2))
    assert (c.rounds, c.floats_up, c.floats_down, c.grad_f, c.samples) == (4, 12, 12, 60, 120)
    c = of(MFCGD(alpha=0.1, rho=0.5, K=5, minibatch=2, first_minibatch=7))
    # x, u and two Jacobians of one number; estimates of the start go up
    assert (c.rounds, c.vectors_up, c.floats_up, c.floats_down) == (4, 3 * 4 * 5, 3 * 4 * 5, 3 * 4 * 4)
    assert (c.grad_f, c.samples) == (3 + 4 * 3 * 2 * 5, 3 * 7 + 4 * 3 * 5 * 2)
    assert of(replace(AdaMFCGD(alpha=0.1), K=5, minibatch=2, first_minibatch=7)) == c


WRONG = [
    (lambda: ComFedL(alpha=-1.0), "alpha is -1.0; it should be a positive number"),
    (lambda: SCGD(alpha=0.1, beta=1.5), r"beta is 1.5; it should be in \(0, 1\]"),
    (lambda: SCGD(alpha=0.1, beta=1.0, beta_power=-1.0), "beta_power is -1.0; it should be a finite number"),
    (lambda: MFCGD(alpha=0.1, rho=0.0), r"rho is 0.0; it should be in \(0, 1\]"),
    (lambda: ComFedL(alpha=0.1, K=0), "K is 0; it should be a whole number, at least 1"),
    (lambda: MFCGD(alpha=0.1, first_minibatch=0), "first_minibatch is 0; it should be a whole number, at least 1"),
    (lambda: AdaMFCGD(alpha=0.1, decay=1.0), r"decay is 1.0; it should be in \[0, 1\)"),
    (lambda: AdaMFCGD(alpha=0.1, floor=0.0), "floor is 0.0; it should be a positive number"),
    (lambda: AdaMFCGD(alpha=0.0), "alpha is 0.0; it should be a positive number"),
    (
        lambda: engine.run(ASCPG(alpha=0.1, beta=0.5), risk_averse(), risk_averse().x0, R=1),
        "ASC-PG is for two levels, N = 1; problem 'risk_averse' has N = 2",
    ),
]


@pytest.mark.parametrize(("make", "words"), WRONG)
def test_wrong_input_is_refused_in_one_line(make, words):
    assert_refused(make, words)
