"""Quadratic clients: constants, solutions and facts, first in round numbers, then against independent routes."""

import json
import math

import numpy as np
import pytest

from rateproof.algos.noise import AdditiveGaussian, MiniBatch, TwoPoint
from rateproof.algos.problems.base import FACTS
from rateproof.algos.problems.quadratic import (
    QuadraticBilevel,
    antisymmetric,
    degenerate,
    diagonal_selection,
    heterogeneous_least_squares,
    overparameterised_least_squares,
    scaled,
)

NOISE = TwoPoint([3.0, 4.0], [0.0, 2.0])
FAMILY = {
    "I1": diagonal_selection(c=(-1.0, 2.0), d=((1.0, 0.0), (3.0, 2.0)), L_h=4.0, mu=0.5, noise=NOISE),
    "I2": overparameterised_least_squares(seed=1, N=2, m=2, n=6),
    "I2h": overparameterised_least_squares(seed=2, N=2, m=2, n=5, outer="heterogeneous"),
    "I3": heterogeneous_least_squares(seed=3),
    "I3k": heterogeneous_least_squares(seed=4, N=2, m=2, n=6, kernel=2),
    "I5": degenerate(d=((-1.0, 2.0), (1.0, 2.0)), curvature=((1.0, 0.0), (3.0, 0.5))),
    "I8": antisymmetric(delta=0.5, L_f=4.0, noise=NOISE),
}
every_family = pytest.mark.parametrize("problem", FAMILY.values(), ids=FAMILY.keys())


def test_diagonal_selection_in_round_numbers():
    problem = FAMILY["I1"]
    c = problem.constants
    assert np.array_equal(problem.bilevel_solution(), [0.5, 1.0])
    assert (c.L_f, c.L_h, c.mu_f, c.sigma_f, c.sigma_h) == (0.5, 4.0, 0.5, 5.0, 2.0)
    assert (c.alpha, c.kappa, c.mean_inf_f, c.mean_inf_h) == (2.0, 2.0, 0.0, 0.0)
    assert c.h_star == 4.5  # (L_h / 2) Var(c)
    assert c.inf_f == 0.5  # (mu / 2) mean ||d_i - dbar||^2
    assert c.f_star == 0.5 + 0.25 * 1.5**2
    assert c.grad_f_star == 0.75
    assert c.G_h2 == 2 * 4.0 * 4.5
    assert c.G_f2 == 2 * 0.5 * 0.5
    assert (c.B_f, c.B_h) == (1.0, 1.0)
    x = problem.regularised_solution(2.0)
    assert np.allclose(x, [(4 * 0.5 + 2 * 0.5 * 2) / 5, 1.0], rtol=1e-15)
    assert np.array_equal(problem.project(np.array([[7.0, -3.0]])), [[0.5, -3.0]])


@pytest.mark.parametrize("value", [0.1, 0.3, 1 / 3, 1e-7])
def test_identical_clients_round_nothing(value):
    problem = diagonal_selection(c=(value,) * 3, d=((value, 0.7),) * 3, L_h=0.1, mu=0.3)
    c = problem.constants
    assert np.array_equal(problem.bilevel_solution(), [value, 0.7])
    assert np.array_equal(problem.regularised_solution(0.01), [value, 0.7])
    assert (c.G_f2, c.G_h2, c.f_star, c.h_star, c.inf_f, c.grad_f_star) == (0, 0, 0, 0, 0, 0)
    assert (c.L_h, c.L_f, c.mu_f, c.alpha) == (0.1, 0.3, 0.3, 0.05)


def test_small_regularisation_keeps_its_digits():
    problem = diagonal_selection(c=(0.0,), d=((1.0, 0.0),))
    assert problem.regularised_solution(1e-30)[0] == 1e-30
    dense = antisymmetric(delta=1e-3, L_f=1e-9)
    assert dense.regularised_solution(1.0)[0] == pytest.approx(1e-9 / (1e-6 + 1e-9), rel=1e-14)


def test_antisymmetric_clients_meet_half_way():
    problem = antisymmetric(delta=0.5, L_f=4.0)
    assert np.allclose(problem.regularised_solution(1 / 16), [0.5, 0.0], rtol=1e-15)
    c = problem.constants
    assert (c.L_h, c.alpha, c.G_h2, c.h_star) == (1.25, 0.125, 0.0, 0.0)
    y = np.array([[0.0, 1.0]])
    assert np.array_equal(problem.grad_h(0, y)[0] + problem.grad_h(1, y)[0], [0.0, 2.0])
    assert np.array_equal(problem.grad_h(0, y)[0] - problem.grad_h(1, y)[0], [1.0, 0.0])


def test_degenerate_problem_has_every_point_as_inner_solution():
    problem = FAMILY["I5"]
    c = problem.constants
    assert (c.L_h, c.h_star, c.G_h2, c.alpha) == (0.0, 0.0, 0.0, math.inf)
    assert (c.L_f, c.mu_f) == (3.0, 0.0)
    x = np.array([[5.0, -1.0]])
    assert np.array_equal(problem.project(x), x)
    assert np.array_equal(problem.bilevel_solution(), [0.5, 2.0])
    assert np.array_equal(problem.regularised_solution(0.1), [0.5, 2.0])
    facts = problem.facts()
    assert facts["weak_sharp"].holds
    assert not facts["f_strongly_convex"].holds
    assert degenerate(L_h=7.0).constants.L_h == 7.0


def test_overparameterised_clients_share_their_minimisers():
    problem = FAMILY["I2"]
    c = problem.constants
    assert (c.h_star, c.mean_inf_h, c.G_h2) == (0.0, 0.0, 0.0)
    x = problem.bilevel_solution()
    assert max(np.abs(problem.grad_h(i, x[None])).max() for i in range(problem.N)) < 1e-13
    least_norm = np.linalg.lstsq(problem.H.reshape(-1, 6), problem.b.reshape(-1), rcond=1e-10)[0]
    assert np.allclose(x, least_norm, atol=1e-12)


@every_family
def test_gradients_are_those_of_the_losses(problem):
    rng = np.random.default_rng(0)
    x, step = rng.normal(size=(3, problem.n)), 1e-5
    for i in range(problem.N):
        for loss, gradient in ((problem.f_i, problem.grad_f), (problem.h_i, problem.grad_h)):
            slopes = [
                (loss(i, x + step * e) - loss(i, x - step * e)) / (2 * step) for e in np.eye(problem.n)
            ]  # exact for quadratics, but for rounding
            out = np.empty_like(x)
            assert gradient(i, x, out=out) is out
            assert np.allclose(out, np.transpose(slopes), atol=1e-8)
            assert np.array_equal(gradient(i, x), out)
    raw = [
        np.mean([0.5 * p @ Q @ p - q @ p + k for Q, q, k in zip(*data, strict=True)])
        for p in x
        for data in [(problem.F, problem.a, problem.c)]
    ]
    assert np.allclose(problem.f(x), raw, atol=1e-12)


@every_family
def test_solutions_are_optimal(problem):
    x_star = problem.bilevel_solution()
    grad_h = np.mean([problem.grad_h(i, x_star[None])[0] for i in range(problem.N)], axis=0)
    assert np.abs(grad_h).max() < 1e-12
    grad_f = np.mean([problem.grad_f(i, x_star[None])[0] for i in range(problem.N)], axis=0)
    moved = problem.project((x_star - grad_f)[None])[0]
    assert np.allclose(moved, x_star, atol=1e-12)  # variational inequality
    for eta in (1e-12, 1e-6, 0.3, 10.0):
        x = problem.regularised_solution(eta)
        residual = np.mean(
            [problem.grad_h(i, x[None])[0] + eta * problem.grad_f(i, x[None])[0] for i in range(problem.N)], axis=0
        )
        assert np.abs(residual).max() < 1e-12 * (1 + eta)
        if eta <= 1e-6:
            assert np.linalg.norm(x - x_star) <= 100 * eta + 1e-12


@every_family
def test_constants_hold_at_random_points(problem):
    rng = np.random.default_rng(1)
    c = problem.constants
    x, y = 3 * rng.normal(size=(2, 200, problem.n))
    distance = np.sum((x - y) ** 2, axis=1)
    for i in range(problem.N):
        for gradient, L in ((problem.grad_f, c.L_f), (problem.grad_h, c.L_h)):
            gap = gradient(i, x) - gradient(i, y)
            assert (np.linalg.norm(gap, axis=1) <= L * np.sqrt(distance) * (1 + 1e-12) + 1e-12).all()
        slope = np.sum((problem.grad_f(i, x) - problem.grad_f(i, y)) * (x - y), axis=1)
        assert (slope >= c.mu_f * distance * (1 - 1e-12) - 1e-12).all()
    feasible = problem.project(x)
    assert np.allclose(problem.h(feasible), c.h_star, atol=1e-12)
    assert (problem.f(feasible) >= c.f_star - 1e-12).all()
    assert (problem.f(x) >= c.inf_f - 1e-12).all()
    if math.isfinite(c.alpha):
        growth = c.alpha * np.sum((x - feasible) ** 2, axis=1) ** (c.kappa / 2)
        assert (problem.h(x) - c.h_star >= growth * (1 - 1e-10) - 1e-12).all()
    for gradient, value, low, G2, L in (
        (problem.grad_f, problem.f, c.inf_f, c.G_f2, c.L_f),
        (problem.grad_h, problem.h, c.h_star, c.G_h2, c.L_h),
    ):
        mean_square = np.mean([np.sum(gradient(i, x) ** 2, axis=1) for i in range(problem.N)], axis=0)
        assert (mean_square <= G2 + 2 * L * (value(x) - low) + 1e-9).all()  # Lemma 1


@every_family
def test_facts_have_all_keys_and_reasons(problem):
    facts = problem.facts()
    assert tuple(facts) == FACTS
    assert all(fact.why for fact in facts.values())
    assert all(fact.holds for key, fact in facts.items() if key != "f_strongly_convex")
    json.dumps(dict(problem.params))


def test_facts_are_evaluated_from_the_data():
    eye, zero = np.eye(2)[None], np.zeros((1, 2))
    saddle = QuadraticBilevel(F=np.diag([1.0, -1.0])[None], a=zero, H=eye, b=zero)
    assert not saddle.facts()["f_convex"].holds
    assert not saddle.facts()["f_bounded_below"].holds
    assert saddle.constants.inf_f == -math.inf
    assert saddle.constants.G_f2 == math.inf
    assert "-1" in saddle.facts()["f_convex"].why
    slope = QuadraticBilevel(F=eye, a=zero, H=np.diag([1.0, 0.0])[None], b=[[0.0, 1.0]])
    assert not slope.facts()["X_h_nonempty"].holds
    assert not slope.facts()["clients_attain_minimum"].holds
    assert not slope.facts()["weak_sharp"].holds
    with pytest.raises(ValueError, match="X_h\\* is empty"):
        slope.project(zero)
    # clients that are unbounded below, with a mean that is not
    pair = QuadraticBilevel(F=[[[0.0]], [[0.0]]], a=[[1.0], [-1.0]], H=[[[1.0]], [[1.0]]], b=[[0.0], [2.0]])
    facts = pair.facts()
    assert facts["f_bounded_below"].holds
    assert not facts["clients_attain_minimum"].holds
    assert "f_1, f_2" in facts["clients_attain_minimum"].why
    assert pair.constants.mean_inf_f == -math.inf
    assert pair.regularised_solution(0.5)[0] == 1.0


def test_no_bilevel_solution_is_said():
    drift = QuadraticBilevel(F=np.zeros((1, 2, 2)), a=[[0.0, 1.0]], H=np.diag([1.0, 0.0])[None], b=np.zeros((1, 2)))
    with pytest.raises(ValueError, match="no bilevel solution"):
        drift.bilevel_solution()
    with pytest.raises(ValueError, match="no minimiser"):
        drift.regularised_solution(0.1)


@pytest.mark.parametrize("scales", [(4.0, 0.5, 2.0), (1e-4, 1e4, 1e-2), (3.0, 1.0, 1.0)])
@every_family
def test_scaled_copies_transform_exactly(problem, scales):
    s_h, s_f, s_x = scales
    copy = scaled(problem, s_h=s_h, s_f=s_f, s_x=s_x)
    old, new = problem.constants, copy.constants
    expected = {
        "L_f": s_f / s_x**2 * old.L_f,
        "L_h": s_h / s_x**2 * old.L_h,
        "mu_f": s_f / s_x**2 * old.mu_f,
        "sigma_f": s_f / s_x * old.sigma_f,
        "sigma_h": s_h / s_x * old.sigma_h,
        "f_star": s_f * old.f_star,
        "h_star": s_h * old.h_star,
        "inf_f": s_f * old.inf_f,
        "mean_inf_h": s_h * old.mean_inf_h,
        "alpha": s_h / s_x**2 * old.alpha,
        "grad_f_star": s_f / s_x * old.grad_f_star,
        "G_f2": (s_f / s_x) ** 2 * old.G_f2,
        "G_h2": (s_h / s_x) ** 2 * old.G_h2,
    }
    for key, value in expected.items():
        assert getattr(new, key) == pytest.approx(value, rel=1e-11, abs=1e-12 * s_h * s_f), key
    assert np.allclose(copy.bilevel_solution(), s_x * problem.bilevel_solution(), rtol=1e-10, atol=1e-12 * s_x)
    x = np.ones((1, problem.n))
    assert np.allclose(copy.f(s_x * x), s_f * problem.f(x), rtol=1e-12)


def test_scaling_by_powers_of_two_rounds_nothing():
    problem = diagonal_selection(c=(0.1, 0.7), d=((0.3, 0.9), (0.2, 0.1)), L_h=0.3, L_f=5.0)
    copy = scaled(problem, s_h=4.0, s_f=0.25, s_x=2.0)
    assert copy.constants.L_f == problem.constants.L_f / 16
    assert copy.constants.h_star == 4 * problem.constants.h_star
    assert np.array_equal(copy.regularised_solution(16.0), 2 * problem.regularised_solution(1.0))


def test_stated_constants_may_be_weaker_only():
    assert diagonal_selection(L_f=3.0).constants.L_f == 3.0
    with pytest.raises(ValueError, match=r"L_f is 0.5; it should be at least 1"):
        diagonal_selection(L_f=0.5)
    with pytest.raises(ValueError, match=r"mu_f is 2; it should be at most 1"):
        degenerate(mu_f=2.0)
    with pytest.raises(ValueError, match="L_h is nan"):
        degenerate(L_h=math.nan)
    assert degenerate(mu_f=0.0).facts()["f_strongly_convex"].holds is False


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: QuadraticBilevel(F=np.eye(2), a=[[0, 0]], H=np.eye(2)[None], b=[[0, 0]]), "F has shape"),
        (lambda: QuadraticBilevel(F=np.eye(2)[None], a=[0, 0], H=np.eye(2)[None], b=[[0, 0]]), "a has shape"),
        (lambda: QuadraticBilevel(F=[[[1]]], a=[[0]], H=np.eye(2)[None], b=[[0, 0]]), "should agree"),
        (lambda: QuadraticBilevel(F=[[[1, 2], [3, 4]]], a=[[0, 0]], H=np.eye(2)[None], b=[[0, 0]]), "not symmetric"),
        (lambda: QuadraticBilevel(F=[[[math.nan]]], a=[[0]], H=[[[1]]], b=[[0]]), "not finite"),
        (lambda: degenerate(noise=MiniBatch(2)), "additive"),
        (lambda: degenerate(noise=TwoPoint([1, 1], [0, 0])), "dimension 2"),
        (lambda: degenerate(noise=AdditiveGaussian(np.eye(3), np.eye(3))), "dimension 3"),
        (lambda: degenerate(curvature=-1.0), "eigenvalue -1"),
        (lambda: diagonal_selection(c=(1.0,)), "d"),
        (lambda: diagonal_selection(mu=0.0), "mu is 0"),
        (lambda: overparameterised_least_squares(N=3, m=2, n=6), "N m < n"),
        (lambda: overparameterised_least_squares(outer="huber"), "outer is 'huber'"),
        (lambda: heterogeneous_least_squares(kernel=4), "kernel"),
        (lambda: scaled(diagonal_selection(), s_x=-1.0), "s_x is -1"),
        (lambda: diagonal_selection().regularised_solution(-1.0), "eta is -1"),
    ],
)
def test_bad_input_is_named(make, message):
    with pytest.raises(ValueError, match=message):
        make()
