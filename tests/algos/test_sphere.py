"""Smoothings in closed form against hand values, high precision, quadrature and differences."""

import math
from functools import cache

import mpmath
import numpy as np
import pytest

from rateproof.algos import sphere
from rateproof.algos.convex_sets import Ball, Box, HalfSpace, Simplex
from rateproof.algos.max_affine import essential, max_affine

DIMENSIONS = (1, 2, 3, 4, 7, 50, 1000)


@cache
def legendre():
    return np.polynomial.legendre.leggauss(2000)


def coordinate_rule(n):
    """Nodes and weights for one coordinate of a uniform point of the ball, after ``t = sin``: fine even with kinks."""
    nodes, mass = legendre()
    t = np.sin(nodes * math.pi / 2)
    return t, mass * math.pi / 2 * np.cos(nodes * math.pi / 2) * sphere.density(t, n)


def test_largest_curvature_has_its_known_values():
    assert [sphere.largest_curvature(n) for n in (1, 2, 3)] == pytest.approx([1, 4 / math.pi, 1.5], rel=1e-14)
    assert sphere.largest_curvature(10_000) == pytest.approx(math.sqrt(2e4 / math.pi), rel=1e-3)
    assert sphere.largest_curvature(5, L0=3.0, eta=0.5) == pytest.approx(6 * sphere.largest_curvature(5), rel=1e-14)


@pytest.mark.parametrize("n", DIMENSIONS)
def test_the_largest_curvature_is_that_of_the_smoothed_absolute_value(n):
    """The slope of the smoothed |x_1| is 2 P(u_1 <= x_1) - 1."""
    h = 1e-5
    slope = 2 * sphere.smooth_step(np.array([-h, h]), radius=1.0, n=n) - 1
    assert (slope[1] - slope[0]) / (2 * h) == pytest.approx(sphere.largest_curvature(n), rel=1e-6)


@pytest.mark.parametrize("n", DIMENSIONS)
def test_ramps_are_expectations(n):
    t, weights = coordinate_rule(n)
    z = np.linspace(-2.5, 2.5, 21)[:, None]
    for radius in (0.3, 1.0, 2.0):
        moved = np.maximum(z + radius * t, 0)
        for function, want, tol in (
            (sphere.smooth_step, (moved > 0) @ weights, 1e-3 * math.sqrt(n) + 2e-3),
            (sphere.smooth_ramp, moved @ weights, 1e-6 + 1e-8 * n),
            (sphere.smooth_square_ramp, moved**2 / 2 @ weights, 1e-9),
        ):
            np.testing.assert_allclose(function(z[:, 0], radius=radius, n=n), want, atol=tol * max(1, radius))


@pytest.mark.parametrize("n", DIMENSIONS)
def test_ramps_are_derivatives_of_each_other(n):
    z, h = np.linspace(-1.3, 1.3, 14), 1e-5
    for function, slope in (
        (sphere.smooth_square_ramp, sphere.smooth_ramp),
        (sphere.smooth_ramp, sphere.smooth_step),
    ):
        difference = (function(z + h, radius=0.7, n=n) - function(z - h, radius=0.7, n=n)) / (2 * h)
        np.testing.assert_allclose(slope(z, radius=0.7, n=n), difference, atol=1e-5 * n)


def test_ramps_without_a_radius_are_the_functions():
    z = np.array([-1.0, 0.0, 2.0])
    np.testing.assert_array_equal(sphere.smooth_ramp(z, radius=0.0, n=3), [0, 0, 2])
    np.testing.assert_array_equal(sphere.smooth_step(z, radius=0.0, n=3), [0, 0.5, 1])
    np.testing.assert_array_equal(sphere.smooth_square_ramp(z, radius=0.0, n=3), [0, 0, 2])


@pytest.mark.parametrize("n", DIMENSIONS)
def test_the_smoothed_norm_is_exact_to_rounding(n):
    for r in (0.0, 1e-3, 0.3, 0.999999, 1.0, 1.000001, 1.7, 50.0):
        x, big = np.zeros(n), mpmath.mpf(r)
        x[0] = r
        if r <= 1:
            value = mpmath.mpf(n) / (n + 1) * mpmath.hyp2f1(-0.5, -mpmath.mpf(n + 1) / 2, mpmath.mpf(n) / 2, big**2)
        else:
            value = big * mpmath.hyp2f1(-0.5, mpmath.mpf(1 - n) / 2, mpmath.mpf(n) / 2 + 1, big**-2)
        assert float(sphere.norm(x, eta=1.0)) == pytest.approx(float(value), rel=1e-14)


def test_the_smoothed_norm_has_its_known_values():
    for n in DIMENSIONS:
        assert float(sphere.norm(np.zeros(n), eta=0.5)) == pytest.approx(0.5 * n / (n + 1), rel=1e-14)
    for r in (0.2, 0.9):  # a quadratic on the line, and the potential of a ball in space
        assert float(sphere.norm([r], eta=1.0)) == pytest.approx((1 + r * r) / 2, rel=1e-14)
        assert float(sphere.norm([0, r, 0], eta=1.0)) == pytest.approx(3 / 4 + r * r / 2 - r**4 / 20, rel=1e-14)
    assert float(sphere.norm([0, 3.0, 0], eta=2.0)) == pytest.approx(3 + 4 / 15, rel=1e-14)


@pytest.mark.parametrize("n", DIMENSIONS)
def test_the_gradient_of_the_smoothed_norm(n):
    x = np.random.default_rng(n).normal(size=(6, n)) * np.array([0.1, 0.5, 1, 2, 5, 1e-3])[:, None] / math.sqrt(n)
    gradient, h = sphere.norm_gradient(x, eta=0.8), 1e-6
    for j in range(min(n, 4)):
        move = h * np.eye(n)[j]
        difference = (sphere.norm(x + move, eta=0.8) - sphere.norm(x - move, eta=0.8)) / (2 * h)
        np.testing.assert_allclose(gradient[:, j], difference, atol=1e-8)
    assert (np.linalg.norm(gradient, axis=1) <= 1).all()


@pytest.mark.parametrize("n", [1, 2, 3])
def test_quadrature_agrees_with_closed_forms(n):
    x = np.array([[0.3, -0.4, 0.2], [1.5, 0.0, 0.1]])[:, :n]
    for gradient, want in ((False, sphere.norm(x, eta=0.7)), (True, sphere.norm_gradient(x, eta=0.7))):
        found = sphere.quadrature(lambda y: np.linalg.norm(y, axis=-1), x, eta=0.7, gradient=gradient, tol=1e-7)
        np.testing.assert_allclose(found.value, want, atol=1e-5)
        assert np.abs(found.value - want).max() <= 2 * found.error + 1e-12


def test_quadrature_is_exact_for_low_polynomials():
    def h(y):
        return 1 + y[..., 0] ** 2 * y[..., 1] ** 2

    assert float(sphere.quadrature(h, np.zeros(2), eta=1.0).value) == pytest.approx(1 + 1 / 24, rel=1e-14)
    assert float(sphere.quadrature(h, np.zeros(3), eta=1.0).value) == pytest.approx(1 + 1 / 35, rel=1e-13)
    with pytest.raises(ValueError, match="n <= 3"):
        sphere.quadrature(h, np.zeros(4), eta=1.0)


@pytest.mark.parametrize("n", [1, 2])
@pytest.mark.parametrize("pieces", [1, 2, 3, 6])
def test_max_affine_smoothing(n, pieces):
    random = np.random.default_rng(pieces)
    A, b = essential(random.normal(size=(pieces, n)), 0.5 * random.normal(size=pieces))
    x = random.normal(size=(5, n))

    def h(y):
        return (y @ A.T + b).max(axis=-1)

    value, gradient = max_affine(x, A, b, eta=0.9)
    by_rule = sphere.quadrature(h, x, eta=0.9, tol=1e-7)
    np.testing.assert_allclose(value, by_rule.value, atol=4 * by_rule.error + 1e-8)
    by_rule = sphere.quadrature(h, x, eta=0.9, gradient=True, tol=1e-8)
    np.testing.assert_allclose(gradient, by_rule.value, atol=4 * by_rule.error + 1e-8)
    for j in range(n):
        move = 1e-5 * np.eye(n)[j]
        difference = (max_affine(x + move, A, b, eta=0.9)[0] - max_affine(x - move, A, b, eta=0.9)[0]) / 2e-5
        np.testing.assert_allclose(gradient[:, j], difference, atol=1e-9)


@pytest.mark.parametrize("n", [1, 2])
def test_two_pieces_are_a_ramp(n):
    random = np.random.default_rng(9)
    A, b, x = random.normal(size=(2, n)), random.normal(size=2), random.normal(size=(7, n))
    apart = A[1] - A[0]
    z, r = x @ apart + b[1] - b[0], 1.3 * np.linalg.norm(apart)
    value, gradient = max_affine(x, A, b, eta=1.3)
    np.testing.assert_allclose(value, x @ A[0] + b[0] + sphere.smooth_ramp(z, radius=r, n=n), atol=1e-14)
    want = A[0] + sphere.smooth_step(z, radius=r, n=n)[:, None] * apart
    np.testing.assert_allclose(gradient, want, atol=1e-13)


def test_ties_and_superfluous_pieces_change_nothing():
    """Lattice data: many pieces agree along whole borders or in one point, and many are nowhere above the others."""
    random, tied = np.random.default_rng(0), 0
    for trial in range(40):
        scale = 3.0 if trial % 3 else 1.0
        A = np.unique(random.integers(-2, 3, size=(6, 2)), axis=0) / scale
        b = random.integers(-1, 2, size=len(A)) / (2 * scale)
        x = random.integers(-2, 3, size=(4, 2)) / 2.0
        kept = essential(A, b)
        tied += len(kept[1]) < len(b)
        value, gradient = max_affine(x, A, b, eta=0.87)
        for found, want in zip(max_affine(x, *kept, eta=0.87), (value, gradient), strict=True):
            np.testing.assert_allclose(found, want, atol=1e-12)
        for j in range(2):
            move = 1e-5 * np.eye(2)[j]
            difference = (max_affine(x + move, A, b, eta=0.87)[0] - max_affine(x - move, A, b, eta=0.87)[0]) / 2e-5
            np.testing.assert_allclose(gradient[:, j], difference, atol=1e-8)
    assert tied > 10


def test_superfluous_pieces_go():
    A = np.array([[1.0, 0], [-1, 0], [0, 0], [0, 0], [1, 0]])
    kept, b = essential(A, np.array([0.0, 0, -0.1, -5, -1]))
    np.testing.assert_array_equal(kept, A[:2])
    assert len(essential(A, np.array([0.0, 0, 0.1, -5, -1]))[1]) == 3
    np.testing.assert_array_equal(b, 0)
    assert len(essential(np.zeros((2, 1)), np.zeros(2))[1]) == 1


def test_estimates_average_to_the_smoothed_gradient():
    """In the plane the mean over many equal angles is the mean over the circle, for a smooth function at once."""
    angle = 2 * math.pi * np.arange(64) / 64
    v = 0.4 * np.stack([np.cos(angle), np.sin(angle)], axis=1)

    def h(y):
        return y[..., 0] ** 2 + y[..., 0] * y[..., 1] - y[..., 1]

    x = np.array([0.3, -0.7])
    g = sphere.estimate(h, np.broadcast_to(x, v.shape), v)
    np.testing.assert_allclose(g.mean(axis=0), [2 * x[0] + x[1], x[0] - 1], rtol=1e-13)


@pytest.mark.parametrize("n", [1, 2, 3, 5])
def test_moments_of_estimates(n):
    random = np.random.default_rng(n)
    v = random.normal(size=(400_000, n))
    v *= 0.6 / np.linalg.norm(v, axis=1, keepdims=True)
    a, x = random.normal(size=n), 0.4 * random.normal(size=n)
    size = float(np.linalg.norm(a))

    def check(h, want):
        squares = (sphere.estimate(h, np.broadcast_to(x, v.shape), v) ** 2).sum(axis=1)
        assert abs(squares.mean() - want) <= 6 * squares.std() / math.sqrt(len(v)) + 1e-12 * want

    check(lambda y: y @ a + 1, sphere.affine_second_moment(a))
    check(lambda y: np.abs(y @ a + 0.1), sphere.ridge_second_moment(x @ a + 0.1, size, eta=0.6, n=n))
    check(lambda y: np.linalg.norm(y, axis=-1), sphere.norm_second_moment(x, eta=0.6))
    assert float(sphere.norm_second_moment(np.zeros(n), eta=0.6)) == pytest.approx(n**2, rel=1e-14)
    assert float(sphere.ridge_second_moment(5.0, 1.0, eta=0.6, n=n)) == pytest.approx(n, rel=1e-9)


def test_a_sample_average_is_convex_and_leaves_affine_functions_alone():
    u = sphere.sample(3, 200, seed=1)
    assert (np.linalg.norm(u, axis=1) <= 1).all()
    np.testing.assert_array_equal(u[:100], -u[100:])
    x = np.random.default_rng(2).normal(size=(2, 50, 3))
    np.testing.assert_allclose(
        sphere.sample_average(lambda y: y @ [1.0, 2, 3] + 4, x[0], eta=0.5, u=u), x[0] @ [1, 2, 3] + 4, rtol=1e-12
    )

    def average(points):
        return sphere.sample_average(lambda y: np.abs(y).sum(axis=-1), points, eta=0.5, u=u)

    assert (average((x[0] + x[1]) / 2) <= (average(x[0]) + average(x[1])) / 2 + 1e-12).all()
    with pytest.raises(ValueError, match="even number"):
        sphere.sample(3, 5, seed=0)


@pytest.mark.parametrize(
    "X",
    [
        Box(np.array([-1.0, 0]), np.array([1.0, np.inf])),
        Ball(np.array([1.0, 2]), 0.5),
        HalfSpace(np.array([3.0, 4]), 1.0),
        Simplex(2),
    ],
)
def test_moreau_smoothing_of_an_indicator(X):
    x, h = np.random.default_rng(0).normal(size=(40, 2)) * 3, 1e-6
    gradient = sphere.grad_moreau_indicator(X, x, eta=0.3)
    for j in range(2):
        move = h * np.eye(2)[j]
        after, before = (sphere.moreau_indicator(X, x + side * move, eta=0.3) for side in (1, -1))
        np.testing.assert_allclose(gradient[:, j], (after - before) / (2 * h), atol=1e-4)
    apart = np.linalg.norm(x[:, None] - x[None], axis=-1)
    slopes = np.linalg.norm(gradient[:, None] - gradient[None], axis=-1)
    assert (slopes <= apart / 0.3 + 1e-12).all()


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: sphere.norm([1.0], eta=0.0), "eta is 0.0"),
        (lambda: max_affine(np.zeros(3), np.zeros((3, 3)), np.zeros(3), eta=1.0), "dimension 3"),
        (lambda: max_affine(np.zeros(2), np.zeros((3, 1)), np.zeros(3), eta=1.0), "A has shape"),
        (lambda: sphere.norm(1.0, eta=1.0), "points have shape"),
    ],
)
def test_bad_input_is_one_line(call, says):
    with pytest.raises(ValueError, match=says) as error:
        call()
    assert "\n" not in str(error.value)
