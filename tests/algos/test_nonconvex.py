"""Family I6: constants against dense grids and finite differences, least values against closed forms."""

import json
import math

import numpy as np
import pytest

from rateproof.algos.noise import AdditiveGaussian, MiniBatch, TwoPoint
from rateproof.algos.problems.base import FACTS
from rateproof.algos.problems.nonconvex import (
    COSINE,
    RATIO,
    F_lambda,
    NonconvexOuter,
    Separable,
    grad_F_lambda,
    least_value,
    log_sum,
    nonconvex_diagonal,
    nonconvex_least_squares,
    projection_problem,
    under_log_sum,
)
from rateproof.algos.problems.power import PowerGrowth
from rateproof.algos.problems.quadratic import diagonal_selection, heterogeneous_least_squares
from rateproof.algos.problems.regression import Regression
from rateproof.algos.smoothing import lsp_curvature, lsp_envelope

SCALARS = {
    "cosine": (COSINE, 1.0),
    "ratio": (RATIO, 1.0),
    "log-sum": (log_sum(0.25, 1.0), 1.0),
    "log-sum, nearly critical": (log_sum(0.9, 1.0), 1.0),
    "log-sum, small": (log_sum(1.25e-3, 0.05), 0.05),
}
SHAPES = ("cosine", "ratio", "log-sum")
PROBLEMS = {
    **{f"diagonal, {s}": nonconvex_diagonal(outer=s, shift=(1.0, -2.0), L_h=3.0) for s in SHAPES},
    **{f"least squares, {s}": nonconvex_least_squares(outer=s, seed=1) for s in SHAPES},
    "solution": nonconvex_least_squares(outer="ratio", seed=2, minimiser="solution"),
    "rescaled": nonconvex_diagonal(outer="log-sum", weight=100.0, length=0.01, L_h=1e-3, mu=0.5, epsilon=2.0),
}
every_problem = pytest.mark.parametrize("problem", PROBLEMS.values(), ids=PROBLEMS.keys())


@pytest.mark.parametrize(("phi", "unit"), SCALARS.values(), ids=SCALARS.keys())
def test_scalar_constants_against_a_dense_grid(phi, unit):
    u = np.linspace(-7, 7, 400_001) * unit
    value, slope = phi.value(u[:, None]), phi.slope(u[:, None])[:, 0]
    step = u[1] - u[0]
    curvature = np.diff(slope) / step
    # next to its jump the curvature of the envelope changes fast
    assert (curvature.min(), curvature.max()) == pytest.approx((phi.low, phi.high), rel=1e-2)
    assert phi.low <= curvature.min() + 1e-6 * phi.high and curvature.max() <= phi.high * (1 + 1e-6)
    assert np.abs(slope).max() == pytest.approx(phi.steepest, rel=1e-4)
    assert phi.value(np.zeros((1, 1)))[0] == phi.minimum <= value.min()
    # the slope is the derivative of the value
    np.testing.assert_allclose((value[2:] - value[:-2]) / (2 * step), slope[1:-1], atol=step * max(phi.high, -phi.low))


def test_curvature_of_the_envelope_needs_mu_below_epsilon_squared():
    assert lsp_curvature(mu=0.5, epsilon=1.0) == (-2.0, 2.0)
    assert lsp_curvature(mu=0.75, epsilon=1.0) == (-4.0, pytest.approx(4 / 3))
    with pytest.raises(ValueError, match=r"mu is 1; it should be less than epsilon\^2 = 1"):
        lsp_curvature(mu=1.0, epsilon=1.0)


def test_constants_in_round_numbers():
    noise = TwoPoint([3.0, 4.0], [0.0, 2.0])
    problem = nonconvex_diagonal(outer="ratio", c=(-1.0, 3.0), shift=(0.0, 5.0), L_h=4.0, weight=2.0, noise=noise)
    c = problem.constants
    assert (c.L_f, c.L_h, c.alpha, c.kappa, c.mu_f) == (4.0, 4.0, 2.0, 2.0, 0.0)
    assert (c.sigma_f, c.sigma_h) == (0.0, 2.0)  # f is known, whatever the noise says
    assert (c.h_star, c.mean_inf_h, c.inf_f, c.mean_inf_f) == (8.0, 0.0, 0.0, 0.0)
    assert np.array_equal(problem.bilevel_solution(), [1.0, 5.0])
    assert c.f_star == 2 * 0.5  # 2 u^2 / (1 + u^2) at u = 1
    assert c.grad_f_star == 2 * 0.5  # 2 * 2u / (1 + u^2)^2
    halved = nonconvex_diagonal(outer="ratio", length=2.0)
    assert halved.outer.curvature == (-0.125, 0.5)
    assert nonconvex_diagonal(outer="log-sum", mu=0.75, epsilon=1.0).constants.L_f == 4.0


@every_problem
def test_gradients_by_differences(problem):
    rng = np.random.default_rng(0)
    unit = problem.outer.length
    y, lam, step = unit * rng.normal(size=(4, problem.n)) + problem.outer.shift, 0.7, 1e-6 * unit
    shift = step * np.eye(problem.n)

    def slopes(function):
        return np.stack([(function(y + e) - function(y - e)) / (2 * step) for e in shift], axis=1)

    scale = problem.outer.weight / unit
    out = np.empty_like(y)
    assert problem.grad_f(0, y, out) is out
    np.testing.assert_allclose(out, slopes(problem.f), atol=1e-7 * scale)
    assert np.array_equal(problem.f(y), problem.f_i(problem.N - 1, y))
    true = slopes(lambda x: F_lambda(problem, x, lam=lam))
    np.testing.assert_allclose(grad_F_lambda(problem, y, lam=lam), true, atol=1e-7 * scale)
    printed = grad_F_lambda(problem, y, lam=lam, factor=1.0)
    np.testing.assert_allclose(printed, slopes(lambda x: F_lambda(problem, x, lam=2 * lam)), atol=1e-7 * scale)
    np.testing.assert_allclose(
        grad_F_lambda(problem, y, lam=lam) - printed, (y - problem.project(y)) / lam, atol=1e-9 * scale
    )


@pytest.mark.parametrize("shape", SHAPES)
def test_F_lambda_is_as_smooth_as_remark_3_says_and_no_smoother(shape):
    problem, lam = nonconvex_diagonal(outer=shape, c=(0.0,), shift=(0.0, 0.0)), 0.5
    line = np.column_stack([np.linspace(-3, 3, 200_001), np.zeros(200_001)])
    bend = np.diff(grad_F_lambda(problem, line, lam=lam)[:, 0]) / np.diff(line[:, 0])
    phi = problem.outer.phi
    assert bend.max() == pytest.approx(phi.high + 2 / lam, rel=1e-4)
    assert bend.min() >= phi.low + 2 / lam - 1e-6
    if phi.high == problem.constants.L_f:
        assert bend.max() == pytest.approx(problem.constants.L_f + 2 / lam, rel=1e-4)


@every_problem
def test_inner_level_is_that_of_the_base(problem):
    rng = np.random.default_rng(1)
    x, base = rng.normal(size=(3, problem.n)), problem.base
    assert np.array_equal(problem.h(x), base.h(x))
    assert np.array_equal(problem.grad_h(1, x), base.grad_h(1, x))
    assert np.array_equal(problem.project(x), base.project(x))
    np.testing.assert_allclose(problem.h(problem.project(x)), problem.constants.h_star, atol=1e-12)
    # weak sharpness, attained in some direction
    dist2 = np.sum((x - problem.project(x)) ** 2, axis=1)
    assert (problem.h(x) - problem.constants.h_star >= problem.constants.alpha * dist2 * (1 - 1e-9)).all()


@every_problem
def test_facts(problem):
    facts = problem.facts()
    assert tuple(facts) == FACTS
    assert [key for key in FACTS if not facts[key].holds] == ["f_convex", "f_strongly_convex"]
    assert f"L_f = {problem.constants.L_f:g}" in facts["f_smooth"].why


@every_problem
def test_least_values_bound_what_random_points_show(problem):
    rng, c = np.random.default_rng(2), problem.constants
    y = problem.outer.shift + problem.outer.length * rng.normal(size=(2000, problem.n)) * 3
    assert problem.f(y).min() >= c.inf_f
    for lam in (0.01, 1.0, 100.0):
        low, high = problem.F_star(lam)
        assert c.inf_f <= low <= high
        assert F_lambda(problem, y, lam=lam).min() >= low - 1e-12 * abs(low)
        if not math.isnan(c.f_star):
            assert high <= c.f_star + 1e-12 * abs(c.f_star)
            assert problem.f(problem.project(y)).min() >= c.f_star - 1e-12 * abs(c.f_star)


@pytest.mark.parametrize("lam", [0.1, 1.0, 3.0, 50.0])
@pytest.mark.parametrize("shape", SHAPES)
def test_least_value_of_F_lambda_on_a_dense_grid(shape, lam):
    problem = nonconvex_diagonal(outer=shape, shift=(2.5, 0.0))  # X_h* = {x_1 = 0}
    low, high = problem.F_star(lam)
    assert high - low <= 1e-12 * max(1.0, abs(high))
    line = np.column_stack([np.linspace(-6, 6, 240_001), np.zeros(240_001)])
    assert F_lambda(problem, line, lam=lam).min() == pytest.approx(high, rel=1e-8, abs=1e-8)


def test_least_value_under_the_log_sum_envelope_is_a_wider_envelope():
    # (1/lam) dist^2 is an envelope with parameter lam / 2, and envelopes of envelopes add their parameters.
    problem = nonconvex_diagonal(outer="log-sum", mu=0.25, epsilon=1.0, shift=(1.5, 0.0), c=(0.0,))
    for lam in (1e-3, 0.5, 1.0):
        low, high = problem.F_star(lam)
        want = float(lsp_envelope([1.5], mu=0.25 + lam / 2, epsilon=1.0))
        assert low == pytest.approx(want, rel=1e-13) and high == pytest.approx(want, rel=1e-13)


def test_least_value_is_known_where_the_minimiser_of_f_solves_the_problem():
    problem = PROBLEMS["solution"]
    assert problem.F_star(0.3) == (0.0, 0.0) and problem.constants.f_star == 0.0
    low, high = PROBLEMS["least squares, ratio"].F_star(0.3)
    assert low == 0.0 < high


def test_least_value_brackets_a_double_well():
    def wells(u):
        return (u**2 - 1) ** 2 + 1e-3 * u

    low, high = least_value(wells, -2.0, 2.0, 44.0)
    fine = wells(np.linspace(-1.001, -0.999, 2_000_001)).min()
    assert low <= fine <= high + 1e-15 and high - low < 1e-14
    assert least_value(lambda u: u**2, -1.0, 3.0, 2.0)[1] == pytest.approx(0.0, abs=1e-15)


@pytest.mark.parametrize(
    "problem",
    [
        nonconvex_diagonal(noise=AdditiveGaussian.isotropic(2, sigma_f=1.0, sigma_h=2.0)),
        nonconvex_least_squares(seed=3),
        heterogeneous_least_squares(seed=3, N=2, m=2, n=6, kernel=2),
    ],
    ids=["diagonal", "least squares", "inconsistent"],
)
def test_projection_problem_is_solved_by_the_projection(problem):
    y = np.arange(1.0, problem.n + 1)
    inner = projection_problem(problem, y)
    nearest = problem.project(y[None])[0]
    np.testing.assert_allclose(inner.bilevel_solution(), nearest, atol=1e-12)
    c = inner.constants
    assert (c.L_f, c.mu_f, c.inf_f, c.mean_inf_f, c.sigma_f) == (1.0, 1.0, 0.0, pytest.approx(0, abs=1e-12), 0.0)
    assert c.f_star == pytest.approx(0.5 * np.sum((y - nearest) ** 2))
    assert c.grad_f_star == pytest.approx(np.linalg.norm(y - nearest))
    assert (c.sigma_h, c.L_h) == (pytest.approx(problem.constants.sigma_h), problem.constants.L_h)
    x = np.random.default_rng(0).normal(size=(3, problem.n))
    np.testing.assert_allclose(inner.h(x), problem.h(x), atol=1e-12)
    np.testing.assert_allclose(inner.f(x), 0.5 * np.sum((x - y) ** 2, axis=1), atol=1e-12)


def test_least_squares_on_data_rows_under_the_log_sum_penalty():
    rows = np.random.default_rng(0).normal(size=(2, 3, 8))
    base = Regression(list(rows), [np.ones(3)] * 2, outer="norm", noise=MiniBatch(2))
    problem = under_log_sum(base, mu=0.01, epsilon=0.2)
    assert problem.constants.L_f == 100.0 and math.isnan(problem.constants.f_star)
    assert problem.samples(0) == 3 and isinstance(problem.noise, MiniBatch)
    y, picked = np.ones((2, 8)), np.array([[0, 1], [2, 2]])
    assert np.array_equal(problem.sampled_grad_h(0, y, picked), base.sampled_grad_h(0, y, picked))
    with pytest.raises(ValueError, match="no closed-form bilevel solution"):
        problem.bilevel_solution()
    with pytest.raises(ValueError, match="inner level that is not quadratic"):
        projection_problem(problem, np.zeros(8))


@every_problem
def test_params_are_plain_json(problem):
    text = json.dumps(dict(problem.params))
    if problem.name == "nonconvex_diagonal":
        again = nonconvex_diagonal(**json.loads(text))
        x = np.array([[0.3, -1.7]])
        assert again.f(x) == problem.f(x) and again.h(x) == problem.h(x)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: nonconvex_diagonal(outer="sine"), "outer is 'sine'; it should be"),
        (lambda: nonconvex_diagonal(outer="ratio", mu=0.1), "mu and epsilon mean nothing for outer = 'ratio'"),
        (lambda: nonconvex_diagonal(outer="log-sum", mu=1.0, epsilon=1.0), "less than epsilon"),
        (lambda: nonconvex_diagonal(weight=0.0), "weight is 0.0; it should be a positive number"),
        (lambda: nonconvex_diagonal(shift=(1.0,)), "shift has 1 numbers; it should have one per coordinate, n = 2"),
        (lambda: nonconvex_diagonal(shift=(math.nan, 0.0)), "shift has a NaN"),
        (lambda: nonconvex_least_squares(minimiser="zero"), "minimiser is 'zero'"),
        (lambda: nonconvex_diagonal().F_star(0.0), "lam is 0.0; it should be a positive number"),
        (lambda: F_lambda(nonconvex_diagonal(), np.zeros((1, 2)), lam=-1.0), "lam is -1.0"),
        (lambda: nonconvex_diagonal().regularised_solution(0.1), "several minimisers"),
        (lambda: projection_problem(diagonal_selection(), np.zeros(3)), r"y has shape \(3,\); it should be \(2,\)"),
        (lambda: projection_problem(PowerGrowth(), np.zeros(2)), "problem 'power' has an inner level that is not"),
        (lambda: Separable(COSINE, np.zeros((2, 2))), "shift has shape"),
    ],
)
def test_bad_arguments_are_named(call, words):
    with pytest.raises(ValueError, match=words):
        call()


def test_any_inner_level_will_do():
    problem = NonconvexOuter(Separable(COSINE, np.array([0.5, 0.0])), PowerGrowth(kappa=3.0))
    assert problem.constants.kappa == 3.0 and problem.params["base"] == "power"
    assert not problem.facts()["h_smooth"].holds
