"""Goldstein sets in any dimension: against the exact ones of the line, samples of slopes, and a convex solver."""

import math
from fractions import Fraction as Q

import numpy as np
import pytest

from rateproof.algos.convex_sets import Ball, Box, HalfSpace, WholeSpace
from rateproof.algos.max_affine import essential
from rateproof.algos.max_affine import max_affine as smoothed_max_affine
from rateproof.algos.problems.nonsmooth import l1_losses, norm_distances, random_max_affine, relu_losses
from rateproof.verify import polyhedral
from rateproof.verify import stationarity as line
from rateproof.verify.convex import GroundTruthError
from rateproof.verify.maxima import Maximum, Polyhedron, SumOfMaxima, max_affine, min_max, of_losses, polyhedron
from rateproof.verify.polyhedral import distance_to, least_element, stationary

ABS = max_affine(np.array([[1.0, 0], [-1, 0]]), np.zeros(2))
BOX = polyhedron(Box(np.array([0.0, -1]), np.array([1.0, 1])))


def test_the_line_agrees_with_exact_sets():
    random = np.random.default_rng(0)

    def quarter(low, high):
        return Q(int(random.integers(4 * low, 4 * high + 1)), 4)

    empty = 0
    for _ in range(120):
        kinks = [(quarter(-3, 3), quarter(-3, 3)) for _ in range(random.integers(0, 4))]
        slope, x, delta = quarter(-2, 2), quarter(-3, 3), quarter(0, 2)
        low, high = (quarter(-3, 1) if random.random() < 0.6 else -math.inf), quarter(2, 3)
        exact = line.stationary(line.kinks(kinks, slope=slope), x, delta, line.Interval(low, high))
        terms = [Maximum(1.0, np.array([[float(slope)]]), np.zeros(1))]
        terms += [Maximum(float(w), np.array([[1.0], [-1.0]]), np.array([-float(c), float(c)])) for w, c in kinks if w]
        X = polyhedron(Box(np.array([float(low)]), np.array([float(high)])))
        found = stationary(SumOfMaxima(tuple(terms)), np.array([float(x)]), float(delta), X)
        empty += exact.slopes.empty
        assert found.distance == pytest.approx(float(exact.distance), abs=1e-9)
        assert found.lower == pytest.approx(float(exact.distance), abs=1e-9)
    assert empty > 5


def test_the_sum_of_goldstein_sets_is_not_that_of_the_sum():
    """-2|y_1 + 1/20| on [0, 1] x [-1, 1] at (-1/5, 0): only y_1 = 0 is within 1/5, where the slope is -2."""
    f = SumOfMaxima((Maximum(-2.0, ABS.terms[0].A, np.array([0.05, -0.05])),))
    found = stationary(f, np.array([-0.2, 0.0]), 0.2, BOX)
    assert found.distance == pytest.approx(2, abs=1e-9) and found.lower == pytest.approx(2, abs=1e-9)
    assert found.certificate["near"] < 1e-9  # the ball touches the box in one point
    assert stationary(f, np.array([-0.2, 0.0]), 0.19, BOX).distance == math.inf


def test_at_an_end_of_the_set_only_cells_inside_count():
    concave = SumOfMaxima((Maximum(-1.0, ABS.terms[0].A, np.zeros(2)),))
    assert stationary(concave, np.zeros(2), 0.0, BOX).distance == pytest.approx(1)
    assert stationary(concave, np.zeros(2), 0.0).distance == pytest.approx(0, abs=1e-12)
    assert stationary(ABS, np.zeros(2), 0.0, BOX).distance == pytest.approx(0, abs=1e-12)


def test_pieces_that_only_touch_are_left_out():
    """min(max(0, y), max(0, -y)) = 0: at 0 all slopes are active in the formula and none but 0 is one of f."""
    up, down = np.array([[0.0], [1.0]]), np.array([[0.0], [-1.0]])
    f = min_max([(up, np.zeros(2)), (down, np.zeros(2))])
    found = distance_to(f, np.array([0.5]), np.zeros(1), 1.0)
    assert found.distance == pytest.approx(0.5) and np.allclose(found.slopes, 0)
    assert found.certificate["thin"] > 0


def test_min_max_is_the_function():
    random = np.random.default_rng(1)
    groups = [(random.normal(size=(2, 3)), random.normal(size=2)) for _ in range(3)]
    f = min_max(groups)
    for y in random.normal(size=(50, 3)):
        assert f.value(y) == pytest.approx(min((A @ y + b).max() for A, b in groups), abs=1e-12)
    assert min_max(groups[:1]).value(y) == pytest.approx((groups[0][0] @ y + groups[0][1]).max())


@pytest.mark.parametrize("seed", range(4))
def test_slopes_are_those_of_points_within_the_radius(seed):
    """Half-spaces that hold all slopes at sampled points are those that hold the set, up to cells hardly touched."""
    random = np.random.default_rng(seed)
    terms = [Maximum(w, random.normal(size=(3, 2)), random.normal(size=3)) for w in (1.0, -0.7)]
    f, x, delta = SumOfMaxima(tuple(terms)), random.normal(size=2), 1.3
    found = stationary(f, x, delta)
    u = random.normal(size=(4000, 2))
    y = x + delta * u / np.linalg.norm(u, axis=1, keepdims=True) * random.uniform(size=(4000, 1)) ** 0.5
    picked = [t.weight * t.A[(y @ t.A.T + t.b).argmax(axis=1)] for t in f.terms]
    sampled = np.unique(np.round(sum(picked), 9), axis=0)
    known = {tuple(row) for row in np.round(found.slopes, 9)}
    assert {tuple(row) for row in sampled} <= known
    for point, slope in zip(found.points, found.slopes, strict=True):
        assert np.linalg.norm(point - x) <= delta * (1 + 1e-8)
        inside = point + 1e-4 * random.normal(size=(400, 2))
        near = sum(t.weight * t.A[(inside @ t.A.T + t.b).argmax(axis=1)] for t in f.terms)
        assert (np.abs(near - slope).max(axis=1) < 1e-9).any()


@pytest.mark.parametrize("seed", range(5))
def test_smoothed_gradients_are_elements(seed):
    """grad f_eta(x) lies in the Goldstein set of radius eta (fedrzo, Proposition 2)."""
    problem = random_max_affine(n=2, m=1, pieces=6, seed=seed)
    A, b = essential(problem.losses.A[0], problem.losses.b[0])
    x = np.random.default_rng(seed).normal(size=2)
    gradient = smoothed_max_affine(x, A, b, eta=0.8)[1]
    assert distance_to(of_losses(problem.losses), gradient, x, 0.8).distance <= 1e-9


def test_smoothed_gradients_are_no_elements_of_smaller_sets():
    x = np.array([0.5, 0.0])
    gradient = smoothed_max_affine(x, ABS.terms[0].A, ABS.terms[0].b, eta=1.0)[1]
    assert distance_to(ABS, gradient, x, 1.0).distance <= 1e-12
    assert distance_to(ABS, gradient, x, 0.5).distance <= 1e-12
    assert distance_to(ABS, gradient, x, 0.49).lower == pytest.approx(1 - gradient[0], abs=1e-12)


@pytest.mark.parametrize(
    "problem", [random_max_affine(n=3, m=2, pieces=3), l1_losses(centres=((0.0, 1.0),)), relu_losses()]
)
def test_functions_of_losses(problem):
    f = of_losses(problem.losses)
    y = np.random.default_rng(2).normal(size=(20, problem.n))
    np.testing.assert_allclose([f.value(row) for row in y], problem.f(y), atol=1e-13)


def test_sets_by_their_inequalities():
    y = 2 * np.random.default_rng(3).normal(size=(200, 2))
    for X in (Box(np.array([-1.0, -np.inf]), np.array([1.0, 0.5])), HalfSpace(np.array([1.0, 2]), 0.3), WholeSpace(2)):
        rows = polyhedron(X)
        np.testing.assert_array_equal((y @ rows.C.T <= rows.d).all(axis=1), X.dist2(y) == 0)


@pytest.mark.parametrize("seed", range(6))
def test_least_elements_agree_with_a_convex_solver(seed):
    import cvxpy as cp

    random = np.random.default_rng(seed)
    points, normals = random.normal(size=(6, 3)) + 2 * random.normal(size=3), random.normal(size=(seed % 3, 3))
    found = least_element(points, normals)
    w, u = cp.Variable(6, nonneg=True), cp.Variable(max(1, len(normals)), nonneg=True)
    element = points.T @ w + (normals.T @ u if len(normals) else 0)
    cp.Problem(cp.Minimize(cp.norm(element)), [cp.sum(w) == 1]).solve(solver=cp.CLARABEL)
    assert found.distance == pytest.approx(float(np.linalg.norm(element.value)), abs=1e-6)
    assert found.lower <= found.distance <= found.lower + 1e-9 * (1 + np.abs(points).max())
    if found.lower > 0:
        assert (points @ found.nearest >= found.lower * found.distance * (1 - 1e-12)).all()
    np.testing.assert_allclose(found.weights @ points + found.multipliers @ normals, found.nearest, atol=1e-13)


def test_wrong_answers_of_the_active_sets_are_refused(monkeypatch):
    points = np.array([[2.0, 1], [2, -1], [5, 0]])
    right = polyhedral._nonnegative

    def wrong(E, what):
        return right(E, what) + 0.01

    monkeypatch.setattr(polyhedral, "_nonnegative", wrong)
    with pytest.raises(GroundTruthError, match="hyperplane is below"):
        least_element(points)
    with pytest.raises(GroundTruthError):
        stationary(ABS, np.array([0.7, 0.0]), 0.5, BOX)


def test_many_dimensions():
    """The l1 norm with one coordinate on its kink: within 0.3 one more sign may turn, further out all of them."""
    n = 10
    problem = l1_losses(centres=((0.0,) * n,))
    f = of_losses(problem.losses)
    x = np.full(n, 0.3)
    x[0] = 0.0
    assert stationary(f, x, 0.1).distance == pytest.approx(math.sqrt(n - 1), rel=1e-9)
    assert stationary(f, x, 0.3).distance == pytest.approx(math.sqrt(n - 1) * (1 - 2 / (n - 1)), rel=1e-9)
    assert stationary(f, x, 0.3 * math.sqrt(n - 1)).distance == pytest.approx(0, abs=1e-9)


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: stationary(ABS, np.zeros(2), -1.0), "delta is -1.0"),
        (lambda: stationary(ABS, np.zeros(3), 1.0), "x has shape"),
        (lambda: stationary(ABS, np.zeros(2), 1.0, polyhedron(Box(np.zeros(2), np.zeros(2)))), "no interior"),
        (lambda: stationary(ABS, np.zeros(2), 1.0, Polyhedron(np.zeros((1, 3)), np.zeros(1))), "C has shape"),
        (lambda: polyhedron(Ball(np.zeros(2), 1.0)), "kind Ball"),
        (lambda: of_losses(norm_distances().losses), "kind Norms"),
        (lambda: SumOfMaxima(()), "terms is empty"),
        (lambda: max_affine(np.zeros((2, 1)), np.zeros(3)), "term 0"),
    ],
)
def test_bad_input_is_one_line(call, says):
    with pytest.raises(ValueError, match=says) as error:
        call()
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: stationary(ABS, np.array([np.nan, 0.0]), 1.0), r"x has a NaN at \[0\]"),
        (lambda: stationary(ABS, np.zeros(2), np.nan), "delta is nan"),
        (lambda: distance_to(ABS, np.array([0.0, np.inf]), np.zeros(2), 1.0), r"g has inf at \[1\]"),
        (lambda: max_affine(np.array([[np.nan, 0.0]]), np.zeros(1)), r"A of term 0 has a NaN at \[0, 0\]"),
        (lambda: SumOfMaxima((Maximum(np.nan, np.eye(2), np.zeros(2)),)), "weight of term 0 has a NaN"),
        (lambda: Polyhedron(np.eye(2), np.array([0.0, np.nan])), r"d has a NaN at \[1\]"),
        (lambda: least_element(np.array([[np.nan, 0.0]])), r"points has a NaN at \[0, 0\]"),
    ],
)
def test_nan_is_refused_by_name(call, words):
    with pytest.raises(ValueError, match=words) as error:
        call()
    assert "\n" not in str(error.value)
