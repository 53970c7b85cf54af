"""Smooth bilevel problems: derivatives against differences, closed forms against searches, constants against slopes."""

import math

import numpy as np
import pytest
from scipy.optimize import minimize, minimize_scalar

from rateproof.algos.convex_sets import Ball, Box, WholeSpace, interval
from rateproof.algos.methods.fednest import FedNest
from rateproof.algos.noise import AdditiveGaussian, MiniBatch, Streams
from rateproof.algos.problems.bilevel_learning import hyper_cleaning, hyper_representation, loss_tuning, mixture
from rateproof.algos.problems.bilevel_line import cosine_tracking, double_well, log_cosh_tracking
from rateproof.algos.problems.bilevel_quadratic import BilevelQuadratic, bilevel_quadratic, random_bilevel_quadratic

TINY = {"m": 2, "rows": 32, "features": 3, "classes": 3}
PROBLEMS = {
    "quadratic": lambda: bilevel_quadratic(m=2, dx=2, dy=1, Q=[1.0, 2.0, 3.0] * np.eye(3), a=1, C=[[1, 2]], b=[1, -1]),
    "random": lambda: random_bilevel_quadratic(rows=3),
    "random box": lambda: random_bilevel_quadratic(box=0.5, weights=(0.2, 0.2, 0.2, 0.2, 0.2)),
    "not convex": lambda: random_bilevel_quadratic(mu=-1.0, L=1.0),
    "log cosh": lambda: log_cosh_tracking(
        m=3, k=0.7, s=(0.5, -0.5, 1), a=0, b=1, slope_x=(1, 2, 3), weights=(0.5, 0.3, 0.2)
    ),
    "cosine": lambda: cosine_tracking(k=-1.3, slope_y=(1, 2)),
    "well": lambda: double_well(e=(0.3, 0.1), kappa=0.2),
    "log cosh box": lambda: log_cosh_tracking(
        m=3, k=0.7, s=(0.5, -0.5, 1), a=0, b=1, X_low=-1, X_high=2, Y_low=0.5, Y_high=3, weights=(0.5, 0.3, 0.2)
    ),
    "log cosh far away": lambda: log_cosh_tracking(k=0, Y_low=2, Y_high=2.5, X_high=1),
    "cosine box": lambda: cosine_tracking(k=-1.3, slope_y=(1, 2), X_low=-1, X_high=1, Y_low=-2, Y_high=0.5),
    "cosine cup": lambda: cosine_tracking(X_low=6.1, X_high=6.3, Y_low=-0.2, Y_high=0.3, s=(0.5, -0.7)),
    "representation": lambda: hyper_representation(**TINY, hidden=4),
    "loss": lambda: loss_tuning(**TINY),
    "loss of a network": lambda: loss_tuning(**TINY, hidden=3),
    "cleaning": lambda: hyper_cleaning(**TINY),
    "cleaning of a network": lambda: hyper_cleaning(**TINY, hidden=3),
}
LEARNING = ("representation", "loss", "loss of a network", "cleaning", "cleaning of a network")
KNOWN = [name for name in PROBLEMS if name not in LEARNING]


def points(problem, runs=3, seed=0):
    z = problem.x0 + 0.3 * np.random.default_rng(seed).normal(size=(runs, problem.n))
    return problem.project(problem.project(z) * (1 - 1e-9))


def quotients(function, z, h=1e-6):
    return np.stack([(function(z + e) - function(z - e)) / (2 * h) for e in h * np.eye(z.shape[1])], axis=1)


@pytest.mark.parametrize("name", PROBLEMS)
def test_derivatives_are_difference_quotients(name):
    problem = PROBLEMS[name]()
    z, v = points(problem), np.random.default_rng(1).normal(size=(3, problem.dy))
    for i in range(problem.m):
        np.testing.assert_allclose(problem.gradient_f(i, z), quotients(lambda p, i=i: problem.f_i(i, p), z), atol=1e-7)
        np.testing.assert_allclose(problem.gradient_g(i, z), quotients(lambda p, i=i: problem.g_i(i, p), z), atol=1e-7)
        along = 1e-6 * problem.join(np.zeros((3, problem.dx)), v)
        slope = (problem.gradient_g(i, z + along) - problem.gradient_g(i, z - along)) / 2e-6
        np.testing.assert_allclose(problem.product_g(i, z, v), slope, atol=1e-7)
    w = problem.weights
    np.testing.assert_allclose(problem.grad_G(z), sum(w[i] * problem.gradient_g(i, z) for i in range(problem.m)))
    np.testing.assert_allclose(
        problem.product_G(z, v), sum(w[i] * problem.product_g(i, z, v) for i in range(problem.m))
    )


@pytest.mark.parametrize("name", ["random", *LEARNING])
def test_samples_of_all_rows_average_to_the_gradients(name):
    problem = PROBLEMS[name]()
    z, v = points(problem, 2), np.random.default_rng(1).normal(size=(2, problem.dy))
    for i in range(problem.m):
        upper, lower = ([np.full((2, 1), j) for j in range(count)] for count in problem.samples(i))
        np.testing.assert_allclose(
            np.mean([problem.gradient_f(i, z, j) for j in upper], axis=0), problem.gradient_f(i, z), atol=1e-14
        )
        np.testing.assert_allclose(
            np.mean([problem.gradient_g(i, z, j) for j in lower], axis=0), problem.gradient_g(i, z), atol=1e-14
        )
        np.testing.assert_allclose(
            np.mean([problem.product_g(i, z, v, j) for j in lower], axis=0), problem.product_g(i, z, v), atol=1e-14
        )
        pair = [np.concatenate([lower[0], lower[-1]], axis=1), lower[0], lower[-1]]
        both, one, two = (problem.gradient_g(i, z, rows) for rows in pair)
        np.testing.assert_allclose(both, (one + two) / 2, atol=1e-14)


@pytest.mark.parametrize("name", [*KNOWN, "representation", "loss", "cleaning"])
def test_theta_star_and_the_gradient_of_the_envelope(name):
    problem = PROBLEMS[name]()
    gamma = 0.45 / max(1.0, problem.constants.rho_wc)
    z = points(problem, 1 if name in LEARNING else 3)
    theta, (x, y) = problem.theta_star(z, gamma), problem.split(z)
    slope = problem.split(problem.grad_G(problem.join(x, theta)))[1] + (theta - y) / gamma
    assert problem.Y.stationarity(theta, slope).max() < 1e-20  # a certificate: the problem is strongly convex
    np.testing.assert_allclose(problem.Y.project(theta), theta, atol=0)
    assert (problem.gap(z, gamma) >= -1e-14).all()
    grad_v = problem.grad_F(z) / 3 + problem.grad_G(z) - problem.grad_U(z, gamma, 3.0)
    np.testing.assert_allclose(grad_v, quotients(lambda p: problem.v(p, gamma), z, 1e-5), atol=1e-5)
    g = problem.grad_U(z, gamma, 3.0)
    inside = (problem.project(z) == z).all()
    assert inside
    if problem.X.whole and problem.Y.whole:
        np.testing.assert_allclose(problem.R(z, gamma, 3.0), (g**2).sum(axis=1))


STRONG = {"m": 2, "rows": 20, "features": 2, "classes": 2, "rc": 0.5}
UNIQUE = {
    "random": random_bilevel_quadratic,
    "representation": lambda: hyper_representation(**STRONG, hidden=2),
    "loss": lambda: loss_tuning(**STRONG),
    "cleaning": lambda: hyper_cleaning(**STRONG),
}


@pytest.mark.parametrize("name", UNIQUE)
def test_the_general_hypergradient_is_a_difference_quotient_and_the_limit_of_methods(name):
    problem = UNIQUE[name]()
    x = problem.split(points(problem, 1))[0]
    general = super(BilevelQuadratic, problem).hypergradient(x) if name == "random" else problem.hypergradient(x)
    np.testing.assert_allclose(general, quotients(problem.Phi, x, 1e-5), atol=1e-8)
    if name == "random":
        np.testing.assert_allclose(general, problem.hypergradient(x), atol=1e-11)
    z = problem.join(x, problem.lower_solution(x))
    method = FedNest(alpha=1.0, beta=1e-9, terms=200, series="sum", ell=float(problem.lower_smoothness(x).max()))
    step = z - method.round(problem, method.init(problem, z, Streams(0, 0, 1)), Streams(0, 0, 1)).z
    if name != "loss":  # where X is bounded
        np.testing.assert_allclose(problem.split(step)[0], general, atol=1e-9)


@pytest.mark.parametrize("name", ["random", "random box"])
def test_the_general_search_finds_the_closed_form(name):
    problem = PROBLEMS[name]()
    z = points(problem)
    general = super(BilevelQuadratic, problem).theta_star(z, 0.2)
    np.testing.assert_allclose(general, problem.theta_star(z, 0.2), atol=1e-12)


@pytest.mark.parametrize("name", KNOWN)
def test_constants_bound_what_they_should_and_are_attained(name):
    problem, random = PROBLEMS[name](), np.random.default_rng(5)
    c = problem.constants
    free = problem.X.whole and problem.Y.whole
    many = random.normal(size=(4000, problem.n)) * (3 if free else 10)
    # Corners, faces and the region where profiles bend.
    many = problem.project(np.concatenate([many, 0.1 * many, many.round()]))
    v = random.normal(size=(len(many), problem.dy))
    v /= np.linalg.norm(v, axis=1, keepdims=True)
    each_f = np.stack([problem.gradient_f(i, many) for i in range(problem.m)])
    each_g = np.stack([problem.gradient_g(i, many) for i in range(problem.m)])
    curvature = np.stack([np.linalg.norm(problem.product_g(i, many, v), axis=1) for i in range(problem.m)])
    assert np.linalg.norm(each_f, axis=2).max() <= c.L_f * (1 + 1e-12)
    assert np.linalg.norm(each_g[..., : problem.dx], axis=2).max() <= c.L_g * (1 + 1e-12) + 1e-15
    assert curvature.max() <= c.L_2 * (1 + 1e-12)
    bend = (problem.product_G(many, v)[:, problem.dx :] * v).sum(axis=1)
    assert bend.min() >= -c.rho_wc - 1e-12
    apart = each_g[..., problem.dx :] - np.tensordot(problem.weights, each_g[..., problem.dx :], axes=1)
    spread = np.tensordot(problem.weights, (apart**2).sum(axis=2), axes=1)
    assert spread.max() <= c.Het**2 * (1 + 1e-12) + 1e-15
    if math.isfinite(c.F_inf):
        assert problem.F(many).min() >= c.F_inf - 1e-12
    if problem.n == 2:  # enough points to come near
        assert bend.min() <= -c.rho_wc + 1e-3 or c.rho_wc == 0
        assert np.sqrt(spread.max()) >= 0.99 * c.Het
        assert problem.F(many).min() <= c.F_inf + 0.05
        assert np.linalg.norm(each_f, axis=2).max() >= 0.8 * c.L_f


def test_heterogeneity_of_two_shifted_clients():
    assert log_cosh_tracking().constants.Het == pytest.approx(math.tanh(0.5), abs=1e-15)
    assert cosine_tracking().constants.Het == pytest.approx(math.sin(0.5), abs=1e-15)
    assert double_well(e=(0.1, 0.5)).constants.Het == pytest.approx(0.2, abs=1e-15)
    assert bilevel_quadratic(b=[1, -1]).constants.Het == pytest.approx(1.0, abs=1e-15)
    assert random_bilevel_quadratic().constants.Het == math.inf


def test_the_cosine_at_a_point_known_from_another_program():
    problem, z = cosine_tracking(), np.array([[0.3, 0.8]])
    assert problem.theta_star(z, 0.2)[0, 0] == pytest.approx(0.727268364165, abs=1e-12)
    assert problem.v(z, 0.2)[0] == pytest.approx(0.214535875539, abs=1e-12)
    assert problem.R(z, 0.2, 2.0)[0] == pytest.approx(0.023521977621, abs=1e-12)


@pytest.mark.parametrize("x", [-1.3, 0.0, 2.0])
def test_minimisers_of_lower_levels_are_those_of_a_grid(x):
    grid = np.linspace(-2, 2, 400_001)
    for problem in (
        double_well(e=0.2, kappa=0.1),
        double_well(e=0.0),
        log_cosh_tracking(k=0.5),
        cosine_tracking(k=0.5),
        log_cosh_tracking(k=0.5, Y_low=1.0, Y_high=1.5),
        log_cosh_tracking(k=0.5, Y_high=-1.0),
        cosine_tracking(k=2.0, Y_low=-0.5, Y_high=0.3),
        cosine_tracking(k=2.0, Y_low=-10.0, Y_high=0.3),
        cosine_tracking(k=2.0, Y_high=-6.0),
        cosine_tracking(k=2.0, Y_low=-30.0),
    ):
        found = problem.minimisers(x)
        assert (problem.Y.project(found[:, None])[:, 0] == found).all()
        shifted = problem.Y.project((grid + (found[0] if problem.psi.name == "1 - cos" else 0.0))[:, None])[:, 0]
        values = problem.G(np.stack([np.full_like(grid, x), shifted], axis=1))
        at = problem.G(np.stack([np.full_like(found, x), found], axis=1))
        assert np.ptp(at) < 1e-14 and at[0] <= values.min() + 1e-15 and values.min() < at[0] + 1e-9
        assert np.abs(shifted[values.argmin()] - found).min() < 1e-4
        z = np.stack([np.full(len(found), x), found + 0.01], axis=1)
        np.testing.assert_allclose(problem.distance_lower(z), 0.01, atol=1e-12)
    assert len(double_well(e=0.0).minimisers(0.0)) == 2


def test_wells_known_by_hand():
    problem = double_well()
    assert problem.minimisers(0.0) == pytest.approx([-1.08803], abs=1e-5)
    assert problem.solution == pytest.approx([0.0, -1.08803], abs=1e-5)
    c = problem.constants
    assert (c.L_2, c.rho_wc, c.L_g) == (11.0, 1.0, 0.0)


@pytest.mark.parametrize("k", [0.5, -0.02, 0.0])
@pytest.mark.parametrize("make", [log_cosh_tracking, cosine_tracking])
def test_the_bilevel_solution_is_that_of_a_search(make, k):
    problem = make(k=k, s=(1.0, 0.4), b=(9.0, 8.0))
    best = []
    for turn in range(-3, 4) if make is cosine_tracking else (0,):
        c = problem.minimisers(0.0)[0] + 2 * math.pi * turn
        best.append(minimize_scalar(lambda x, c=c: problem.F(np.array([[x, k * x + c]]))[0], options={"xtol": 1e-12}))
    found = min(best, key=lambda r: r.fun)
    assert problem.solution[0] == pytest.approx(found.x, abs=1e-6)
    assert problem.F(problem.solution[None])[0] == pytest.approx(found.fun, abs=1e-13)
    if make is log_cosh_tracking:
        x, h = np.array([[0.3], [2.0]]), 1e-6
        Phi = [problem.F(np.array([[t, problem.minimisers(t)[0]] for t in x[:, 0] + s])) for s in (h, -h)]
        np.testing.assert_allclose(problem.hypergradient(x)[:, 0], (Phi[0] - Phi[1]) / (2 * h), atol=1e-8)


def test_the_solution_of_a_quadratic_is_that_of_a_search():
    problem = random_bilevel_quadratic(m=3, dx=2, dy=2)
    found = minimize(
        lambda x: problem.Phi(x[None])[0], np.zeros(2), jac=lambda x: problem.hypergradient(x[None])[0], tol=1e-12
    )
    z, basis = problem.solution
    np.testing.assert_allclose(z[:2], found.x, atol=1e-7)
    assert len(basis) == 0 and problem.distance(z + np.eye(4)[:1])[0] == pytest.approx(1.0)
    # A flat direction: F does not see the second coordinate of x, and neither does y.
    flat = bilevel_quadratic(dx=2, dy=1, Q=np.diag([1.0, 0.0, 1.0]), a=[1.0, 0.0, 1.0], C=[[1.0, 0.0]])
    z, basis = flat.solution
    np.testing.assert_allclose(np.abs(basis), [[0, 1, 0]], atol=1e-15)
    np.testing.assert_allclose(flat.distance(np.array([[*z[:1], 7.0, *z[2:]]])), 0, atol=1e-15)
    assert "dist" in flat.metrics and "dist" not in bilevel_quadratic(X_high=0.0).metrics


def test_noise_of_every_kind_has_the_variance_that_is_told():
    finite_sum = random_bilevel_quadratic(m=2, rows=4, noise=MiniBatch(2))
    each = [(s**2).sum(axis=2).mean(axis=1).max() for s in (finite_sum.shift_f, finite_sum.shift_g)]
    c = finite_sum.constants
    assert [c.sigma_f**2, c.sigma_g**2] == pytest.approx([k / 2 for k in each])
    gaussian = cosine_tracking(noise=AdditiveGaussian.isotropic(2, sigma_f=0.5, sigma_h=2.0))
    assert (gaussian.constants.sigma_f, gaussian.constants.sigma_g) == (0.5, 2.0)
    drawn = gaussian.draw(Streams(0, 0, 3), 1, 0, 5, np.arange(3))
    assert len(drawn) == 5 and drawn[0].xi.shape == (3, 2) and not np.allclose(drawn[0].zeta, drawn[1].zeta)


def test_stationarity_of_sets():
    box, x = Box(np.zeros(3), np.ones(3)), np.array([0.0, 0.5, 1.0])
    assert box.stationarity(x, np.array([3.0, 2.0, -5.0])) == 4.0
    assert box.stationarity(x, np.array([-3.0, 2.0, 5.0])) == 38.0
    assert WholeSpace(2).stationarity(np.zeros(2), np.array([3.0, 4.0])) == 25.0
    assert interval(1.0, 1.0).stationarity(np.ones(1), np.array([7.0])) == 0.0
    with pytest.raises(ValueError, match="normal cones of a Ball are not known"):
        Ball(np.zeros(1), 1.0).stationarity(np.zeros(1), np.zeros(1))
    half = double_well(X_low=0.0, X_high=math.inf, a=-1.0)  # F pulls x to -1, below its end
    z = np.array([[0.0, float(half.minimisers(0.0)[0])]])
    assert half.R(z, 0.1, 1e12)[0] < 1e-20 < half.R(z + np.array([[1e-3, 0.0]]), 0.1, 1e2)[0]


def test_learning_tasks_are_what_they_say():
    cleaning = hyper_cleaning(m=3, rows=240, corruption=1.0)
    clean = hyper_cleaning(m=3, rows=240, corruption=0.0)
    changed = [(a.label != b.label).mean() for a, b in zip(cleaning.lower, clean.lower, strict=True)]
    assert np.mean(changed) == pytest.approx(0.75, abs=0.1)
    assert all((a.label == b.label).all() for a, b in zip(cleaning.upper, clean.upper, strict=True))
    rare = loss_tuning(rows=1600, imbalance=10.0).lower
    counts = np.bincount(np.concatenate([rows.label for rows in rare]))
    assert counts[0] / counts[-1] == pytest.approx(10, rel=0.4)
    assert hyper_representation(rc=0.05).constants.mu == pytest.approx(0.1)
    assert not loss_tuning(hidden=3).facts()["lower_strongly_convex"].holds
    assert mixture(rows=5, features=2, classes=2, seed=0).U.shape == (5, 2)
    digits = hyper_representation(source="digits", m=2, hidden=3)
    assert (digits.features, digits.classes) == (64, 10) and 0 <= digits.accuracy(digits.x0[None])[0] <= 1


@pytest.mark.parametrize("name", ["representation", "loss", "cleaning"])
def test_constants_of_learning_tasks_bound_what_they_should(name):
    problem, random = PROBLEMS[name](), np.random.default_rng(3)
    problem.noise = MiniBatch(2)
    c, scales = problem.constants, np.repeat([0.1, 1.0, 30.0], 300)[:, None]
    z = problem.project(problem.x0 + scales * random.normal(size=(900, problem.n)))
    w, each = problem.weights, np.stack([problem.split(problem.gradient_g(i, z))[1] for i in range(problem.m)])
    assert math.isnan(c.L_g) and math.isnan(c.L_2)
    if name != "loss":  # there clients differ the more the larger omega and delta are
        spread = np.sqrt(np.tensordot(w, ((each - np.tensordot(w, each, axes=1)) ** 2).sum(axis=2), axes=1)).max()
        assert c.Het / 8 < spread <= c.Het
    if name == "representation":
        assert math.isnan(c.L_f) and math.isnan(c.L_1) and math.isnan(c.sigma_f)
        return
    for i in range(problem.m):
        gradient = problem.gradient_f(i, z)
        assert np.linalg.norm(gradient, axis=1).max() <= c.L_f
        bend = np.linalg.norm(quotients(lambda p, i=i: problem.gradient_f(i, p), z[:100], 1e-4), ord=2, axis=(1, 2))
        assert c.L_1 / 8 < bend.max() <= c.L_1
        rows = [problem.gradient_f(i, z, np.full((len(z), 1), j)) for j in range(problem.samples(i)[0])]
        variance = np.mean([((own - gradient) ** 2).sum(axis=1) for own in rows], axis=0) / 2
        assert c.sigma_f / 8 < np.sqrt(variance.max()) <= c.sigma_f
    assert c.L_f / 8 < np.linalg.norm(problem.gradient_f(0, z), axis=1).max()


WRONG = {
    "weights": (lambda: bilevel_quadratic(weights=(0.5, -0.5)), r"should be 2 positive numbers with sum 1"),
    "no weights": (lambda: bilevel_quadratic(weights=()), r"weights have shape \(0,\)"),
    "range": (lambda: random_bilevel_quadratic(mu=2, L=1), "mu is 2 and L is 1; mu should be at most L"),
    "heterogeneity": (
        lambda: random_bilevel_quadratic(heterogeneity=2),
        "heterogeneity is 2; it should be from 0 to 1",
    ),
    "empty": (lambda: bilevel_quadratic(X_low=1, X_high=0), "from 1 to 0; it should hold a point"),
    "symmetric": (lambda: bilevel_quadratic(dy=2, A=[[1, 2], [0, 1]]), "differs from its transpose by 2"),
    "unbounded": (lambda: double_well(Y_high=math.inf), "Y is unbounded; it should be a bounded interval"),
    "no hypergradient": (
        lambda: loss_tuning(hidden=2).hypergradient(np.ones((1, 12))),
        "is not strongly convex: mu is 0",
    ),
    "gamma": (lambda: double_well().theta_star(np.zeros((1, 2)), 1.0), r"it should be in \(0, 1/rho_wc\) = \(0, 1\)"),
    "infinite": (lambda: log_cosh_tracking().v(np.zeros((1, 2)), math.inf), r"\(0, 1/rho_wc\) = \(0, inf\)"),
    "network": (lambda: loss_tuning(hidden=2).v(np.zeros((1, 36)), 0.1), "no bounds on its second derivatives are"),
    "hidden": (lambda: hyper_representation(hidden=0), "hidden is 0; it should be a whole number, at least 1"),
    "share": (lambda: hyper_cleaning(corruption=1.5), "corruption is 1.5; it should be a share from 0 to 1"),
    "imbalance": (lambda: loss_tuning(imbalance=0.5), "imbalance is 0.5; it should be at least 1"),
    "source": (lambda: loss_tuning(source="x"), "source is 'x'; it should be 'mixture' or 'digits'"),
    "upper": (lambda: cosine_tracking(slope_x=-1.0), "they should be at least 0"),
    "phase": (lambda: cosine_tracking(s=(0.0, math.pi)).minimisers(0.0), "the minimisers of a cosine are known"),
    "free": (lambda: bilevel_quadratic(Y_high=0.0).solution, "known in closed form without constraints only"),
    "concave": (lambda: bilevel_quadratic(Q=-1.0).solution, "has no minimiser"),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_input_is_refused_in_one_line(name):
    make, words = WRONG[name]
    with pytest.raises(ValueError, match=words) as error:
        make()
    assert "\n" not in str(error.value)
