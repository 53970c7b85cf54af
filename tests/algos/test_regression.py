"""The data regression against definitions, and against the quadratic family where both apply."""

from itertools import product

import numpy as np
import pytest

from rateproof.algos.data import Table, split
from rateproof.algos.noise import AdditiveGaussian, MiniBatch, NoNoise
from rateproof.algos.problems.base import FACTS
from rateproof.algos.problems.quadratic import QuadraticBilevel
from rateproof.algos.problems.regression import Regression, from_split

RNG = np.random.default_rng(5)


def made(*, N=3, rows=2, n=8, seed=0, **options):
    rng = np.random.default_rng(seed)
    return Regression(list(rng.normal(size=(N, rows, n))), list(rng.normal(size=(N, rows))), **options)


def inconsistent(**options):
    """More rows than columns, and a shared kernel."""
    rng = np.random.default_rng(1)
    A = rng.normal(size=(3, 4, 5))
    A[:, :, 4] = A[:, :, 0]  # rank 4
    return Regression(list(A), list(rng.normal(size=(3, 4))), **options)


def as_quadratic(problem):
    return QuadraticBilevel(
        F=[problem.mu * np.eye(problem.n)] * problem.N,
        a=np.zeros((problem.N, problem.n)),
        H=[A.T @ A for A in problem.A],
        b=[A.T @ v for A, v in zip(problem.A, problem.v, strict=True)],
        e=[v @ v / 2 for v in problem.v],
    )


@pytest.mark.parametrize("build", [made, inconsistent])
def test_norm_outer_is_a_quadratic_problem(build):
    problem = build(outer="norm", mu=0.7)
    quadratic = as_quadratic(problem)
    x = RNG.normal(size=(4, problem.n))
    np.testing.assert_allclose(problem.f(x), quadratic.f(x), rtol=1e-12)
    np.testing.assert_allclose(problem.h(x), quadratic.h(x), rtol=1e-10)
    np.testing.assert_allclose(problem.project(x), quadratic.project(x), atol=1e-10)
    np.testing.assert_allclose(problem.bilevel_solution(), quadratic.bilevel_solution(), atol=1e-10)
    for eta in (1e-3, 1.0, 50.0):
        np.testing.assert_allclose(problem.regularised_solution(eta), quadratic.regularised_solution(eta), atol=1e-9)
    for i in range(problem.N):
        np.testing.assert_allclose(problem.grad_h(i, x), quadratic.grad_h(i, x), atol=1e-12)
        np.testing.assert_allclose(problem.grad_f(i, x), quadratic.grad_f(i, x), atol=1e-12)
    have, want = problem.constants, quadratic.constants
    for name in ("L_f", "L_h", "mu_f", "f_star", "h_star", "inf_f", "mean_inf_f", "mean_inf_h", "alpha", "kappa"):
        assert getattr(have, name) == pytest.approx(getattr(want, name), rel=1e-9, abs=1e-12), name
    assert have.grad_f_star == pytest.approx(want.grad_f_star, rel=1e-9)


@pytest.mark.parametrize("outer", ["huber", "norm"])
def test_gradients_are_slopes(outer):
    problem, step = made(outer=outer, mu=0.3), 1e-6
    x = RNG.normal(size=(3, problem.n))
    for i, (value, gradient) in product(
        range(problem.N), [(problem.f_i, problem.grad_f), (problem.h_i, problem.grad_h)]
    ):
        for j in range(problem.n):
            move = step * np.eye(problem.n)[j]
            slope = (value(i, x + move) - value(i, x - move)) / (2 * step)
            np.testing.assert_allclose(gradient(i, x)[:, j], slope, atol=1e-5)


@pytest.mark.parametrize("order", ["C", "F"])
def test_gradients_are_written_to_out(order):
    problem = made(outer="huber")
    y = np.array(RNG.normal(size=(3, problem.n)), order=order)
    for gradient in (problem.grad_f, problem.grad_h):
        out = np.full((3, problem.n), np.nan, order=order)
        assert gradient(1, y, out) is out
        np.testing.assert_allclose(out, gradient(1, y), rtol=1e-14)


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("rows", [2, 20])  # fewer and more rows than features
@pytest.mark.parametrize("K", [1, 2, 9])
def test_descent_is_K_gradient_steps_in_place(order, rows, K):
    problem = made(rows=rows)
    assert (rows < problem.n) == (rows == 2)
    y = np.array(RNG.normal(size=(3, problem.n)), order=order)
    gamma = 0.5 / problem.constants.L_h
    want = y.copy()
    for _ in range(K):
        want = want - gamma * problem.grad_h(2, want)
    problem.descend_h(2, y, gamma, K)
    np.testing.assert_allclose(y, want, rtol=1e-12, atol=1e-13)


def test_sampled_gradients_average_to_the_gradient():
    problem = made(rows=3, noise=MiniBatch(2))
    y = RNG.normal(size=(1, problem.n))
    batches = np.array(list(product(range(3), repeat=2)))
    sampled = problem.sampled_grad_h(2, np.repeat(y, 9, axis=0), batches)
    np.testing.assert_allclose(sampled.mean(axis=0), problem.grad_h(2, y)[0], rtol=1e-13)
    assert sampled.std(axis=0).min() > 0
    out = np.empty((9, problem.n), order="F")
    assert problem.sampled_grad_h(2, np.repeat(y, 9, axis=0), batches, out) is out
    np.testing.assert_array_equal(out, sampled)
    assert problem.samples(2) == 3


@pytest.mark.parametrize("build", [made, inconsistent])
def test_projection_is_the_nearest_minimiser(build):
    problem = build()
    x = RNG.normal(size=(5, problem.n)) * 3
    nearest = problem.project(x)
    np.testing.assert_allclose(problem.project(nearest), nearest, atol=1e-12)
    slope = sum(problem.grad_h(i, nearest) for i in range(problem.N))
    np.testing.assert_allclose(slope, 0, atol=1e-11)
    stacked = np.concatenate(problem.A)
    kernel = np.linalg.svd(stacked)[2][np.linalg.matrix_rank(stacked) :]
    assert len(kernel) >= 1
    np.testing.assert_allclose((x - nearest) @ kernel.T, 0, atol=1e-12)
    np.testing.assert_allclose(problem.h(nearest), problem.constants.h_star, atol=1e-12)


@pytest.mark.parametrize("build", [made, inconsistent])
def test_weak_sharpness_holds_and_is_attained(build):
    problem = build()
    c = problem.constants
    x = RNG.normal(size=(200, problem.n))
    distance2 = np.sum((x - problem.project(x)) ** 2, axis=1)
    assert (problem.h(x) - c.h_star >= c.alpha * distance2 * (1 - 1e-9)).all()
    stacked = np.concatenate(problem.A)
    direction = np.linalg.svd(stacked)[2][np.linalg.matrix_rank(stacked) - 1]
    tight = problem.project(np.zeros((1, problem.n))) + direction
    np.testing.assert_allclose(problem.h(tight) - c.h_star, c.alpha, rtol=1e-9)


def test_constants_of_the_huber_outer():
    problem = made(outer="huber", mu=0.25)
    c = problem.constants
    assert (c.L_f, c.mu_f, c.inf_f, c.mean_inf_f, c.h_star, c.mean_inf_h) == (4, 0, 0, 0, 0, 0)
    assert c.L_h == pytest.approx(max(np.linalg.eigvalsh(A.T @ A)[-1] for A in problem.A), rel=1e-12)
    assert np.isnan(c.f_star) and np.isnan(c.grad_f_star)
    assert c.G_f2 == c.G_h2 == 0
    facts = problem.facts()
    assert tuple(facts) == FACTS
    assert not facts["f_strongly_convex"].holds
    assert all(fact.holds for name, fact in facts.items() if name != "f_strongly_convex")


def test_inconsistent_clients_are_dissimilar():
    c = inconsistent().constants
    assert c.h_star > 0.1
    # Four rows of rank four: every client alone has residual zero.
    assert c.mean_inf_h == 0
    assert c.G_h2 == pytest.approx(2 * c.L_h * c.h_star)


def test_facts_follow_the_noise():
    assert not made(noise=MiniBatch(1)).facts()["variance_bounded"].holds
    noise = AdditiveGaussian.isotropic(8, sigma_f=2.0, sigma_h=3.0)
    problem = made(noise=noise)
    assert problem.facts()["variance_bounded"].holds
    assert problem.constants.sigma_f == pytest.approx(2) and problem.constants.sigma_h == pytest.approx(3)
    assert made(outer="norm").facts()["f_strongly_convex"].holds


def test_no_features_leave_every_point_optimal():
    problem = Regression([np.zeros((2, 3))], [np.ones(2)])
    x = RNG.normal(size=(2, 3))
    np.testing.assert_array_equal(problem.project(x), x)
    assert problem.constants.alpha == np.inf
    assert problem.constants.L_h == 0
    assert problem.constants.h_star == pytest.approx(1)


def test_a_solution_found_elsewhere_is_checked_and_kept():
    problem = made(outer="huber", mu=0.2)
    with pytest.raises(ValueError, match=r"no closed form; solve min f .* pass the result to with_solution"):
        problem.bilevel_solution()
    with pytest.raises(ValueError, match="no closed form; compute it with a convex solver"):
        problem.regularised_solution(0.1)
    feasible = problem.project(np.zeros((1, 8)))[0]
    solved = problem.with_solution(feasible)
    np.testing.assert_array_equal(solved.bilevel_solution(), feasible)
    assert solved.constants.f_star == pytest.approx(problem.f(feasible[None])[0])
    assert solved.constants.grad_f_star == pytest.approx(np.linalg.norm(problem.grad_f(0, feasible[None])))
    with pytest.raises(ValueError, match="away from the minimisers of h"):
        problem.with_solution(feasible + problem.A[0][0])
    with pytest.raises(ValueError, match="away from the minimisers of h"):
        problem.with_solution(np.full(8, np.nan))
    with pytest.raises(ValueError, match=r"solution has shape \(3,\); it should be \(8,\)"):
        problem.with_solution(np.zeros(3))


def test_from_split_sets_the_smoothness_and_keeps_the_minimisers():
    rng = np.random.default_rng(0)
    data = split(Table("made", rng.normal(size=(20, 15)), rng.normal(size=20)), N=4)
    plain = from_split(data, outer="norm")
    unit = from_split(data, outer="norm", L_h=1.0, noise=MiniBatch(2))
    assert unit.constants.L_h == pytest.approx(1, rel=1e-12)
    np.testing.assert_allclose(unit.bilevel_solution(), plain.bilevel_solution(), atol=1e-10)
    assert isinstance(plain.noise, NoNoise)
    assert unit.params["noise"] == {"kind": "mini-batch", "batch_size": 2}
    assert unit.params["data"] == "made" and unit.params["L_h"] == 1.0
    with pytest.raises(ValueError, match="L_h is 0; it should be a positive number"):
        from_split(data, L_h=0)


@pytest.mark.parametrize(
    ("A", "v", "options", "words"),
    [
        ([np.ones((2, 3))], [np.ones(2)], {"outer": "l1"}, "outer is 'l1'; it should be 'huber' or 'norm'"),
        ([np.ones((2, 3))], [np.ones(2)], {"mu": 0.0}, "mu is 0.0; it should be a positive number"),
        ([np.ones((2, 3))], [np.ones(2)], {"mu": float("nan")}, "mu is nan"),
        ([], [], {}, "A has 0 clients and v has 0"),
        ([np.ones((2, 3))], [np.ones(2), np.ones(2)], {}, "A has 1 clients and v has 2"),
        ([np.ones((2, 3)), np.ones((2, 4))], [np.ones(2)] * 2, {}, r"client 1 has A of shape \(2, 4\)"),
        ([np.ones((2, 3))], [np.ones(3)], {}, r"client 0 has A of shape \(2, 3\) and v of shape \(3,\)"),
        ([np.ones(3)], [np.ones(3)], {}, r"client 0 has A of shape \(3,\)"),
        ([np.ones((0, 3))], [np.ones(0)], {}, "client 0"),
        ([np.full((2, 3), np.nan)], [np.ones(2)], {}, "client 0 has data that are not finite"),
    ],
)
def test_bad_input_is_named(A, v, options, words):
    with pytest.raises(ValueError, match=words):
        Regression(A, v, **options)
