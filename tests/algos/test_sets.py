"""Sets of the clients: projections against quadratic programmes, constants of eq. (2) against points, refusals."""

import math

import numpy as np
import pytest

from rateproof.algos.sets import (
    Ball,
    Box,
    ClientSets,
    HalfSpace,
    Projection,
    Simplex,
    WholeSpace,
    intersection,
    interval,
)

RNG = np.random.default_rng(0)
KINDS = {
    "whole": WholeSpace(3),
    "box": Box(np.array([-1.0, 0.0, -math.inf]), np.array([1.0, 0.0, 2.0])),
    "ball": Ball(np.array([1.0, -2.0, 0.5]), 1.5),
    "point": Ball(np.array([1.0, -2.0, 0.5]), 0.0),
    "half-space": HalfSpace(np.array([1.0, -2.0, 2.0]), -1.0),
    "simplex": Simplex(3, 2.0),
}


def members(one, count=200):
    """Points of a set, by rejection-free constructions that do not use its projection."""
    x = RNG.normal(size=(count, 3)) * 3
    if isinstance(one, Box):
        return np.clip(x, one.low, one.high)
    if isinstance(one, Ball):
        return one.centre + one.radius * x / np.maximum(np.linalg.norm(x, axis=1, keepdims=True), 1)
    if isinstance(one, HalfSpace):
        return x[x @ one.normal <= one.offset]
    if isinstance(one, Simplex):
        return one.total * RNG.dirichlet(np.ones(3), size=count)
    return x


@pytest.mark.parametrize("one", KINDS.values(), ids=KINDS)
def test_the_projection_is_the_nearest_point(one):
    x = RNG.normal(size=(5, 40, 3)) * 4
    nearest = one.project(x)
    inside = members(one)
    # x - P(x) makes no acute angle with any direction into the set, and P(x) is in it: that is the nearest point.
    angles = ((x - nearest)[:, :, None, :] * (inside - nearest[:, :, None, :])).sum(-1)
    assert angles.max() <= 1e-12 * 100
    np.testing.assert_allclose(one.project(nearest), nearest, atol=1e-14)
    np.testing.assert_allclose(one.dist2(x), ((x - nearest) ** 2).sum(-1), rtol=1e-12)
    np.testing.assert_array_equal(one.project(inside[:1]).round(12), inside[:1].round(12))


@pytest.mark.parametrize("one", [k for n, k in KINDS.items() if n != "whole"], ids=[n for n in KINDS if n != "whole"])
def test_the_projection_solves_the_programme(one):
    cvxpy = pytest.importorskip("cvxpy")
    y = cvxpy.Variable(3)
    if isinstance(one, Box):
        rules = [y[j] >= one.low[j] for j in range(3) if np.isfinite(one.low[j])]
        rules += [y[j] <= one.high[j] for j in range(3) if np.isfinite(one.high[j])]
    elif isinstance(one, Ball):
        rules = [cvxpy.norm(y - one.centre) <= one.radius]
    elif isinstance(one, HalfSpace):
        rules = [one.normal @ y <= one.offset]
    else:
        rules = [y >= 0, cvxpy.sum(y) == one.total]
    for x in RNG.normal(size=(3, 3)) * 3:
        problem = cvxpy.Problem(cvxpy.Minimize(cvxpy.sum_squares(y - x)), rules)
        # The distance from the projection is at most the root of the gap.
        problem.solve(solver="CLARABEL", tol_gap_abs=1e-9, tol_gap_rel=1e-10, tol_feas=1e-9)
        np.testing.assert_allclose(one.project(x), y.value, atol=1e-4)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Box(np.array([1.0]), np.array([0.0])), ["coordinate 0", "1", "0"]),
        (lambda: Box(np.array([0.0, 1.0]), np.array([1.0])), ["low has 2", "high 1"]),
        (lambda: Box(np.array([math.inf]), np.array([math.inf])), ["coordinate 0"]),
        (lambda: interval(math.nan, 1.0), ["low has a NaN", "should hold numbers"]),
        (lambda: interval(2.0, 1.0), ["from 2 to 1"]),
        (lambda: Ball(np.zeros(2), -1.0), ["radius is -1"]),
        (lambda: Ball(np.zeros(2), math.inf), ["radius is inf"]),
        (lambda: Ball(np.array([math.inf]), 1.0), ["centre", "finite"]),
        (lambda: HalfSpace(np.zeros(2), 1.0), ["normal is zero"]),
        (lambda: HalfSpace(np.ones(2), math.nan), ["offset is nan"]),
        (lambda: Simplex(2, 0.0), ["total is 0"]),
        (lambda: WholeSpace(0), ["n is 0"]),
        (lambda: ClientSets([]), ["sets is empty"]),
        (lambda: ClientSets([WholeSpace(1), WholeSpace(2)]), ["client 1", "dimension 2"]),
        (lambda: WholeSpace(2).project(np.zeros(3)), ["shape (3,)", "n = 2"]),
        (lambda: intersection([Ball(np.zeros(2), 1.0), Box(np.zeros(2), np.ones(2))]), ["no exact projection", "Ball"]),
        (lambda: intersection([interval(0.0, 1.0), interval(2.0, 3.0)]), ["X_1 begins at 2 and X_0 ends at 1"]),
    ],
)
def test_bad_sets_are_refused_in_one_line(make, words):
    with pytest.raises(ValueError) as error:
        make()
    assert "\n" not in str(error.value)
    for word in words:
        assert word in str(error.value)


@pytest.mark.parametrize(
    ("function", "words"),
    [
        (lambda x: None, "got None"),
        (lambda x: x[:, :1], r"got \(49, 1\)"),
        (lambda x: x.ravel(), r"got \(98,\)"),
        (lambda x: "here", "got 'here'"),
        (lambda x: {}["key"], "it raised KeyError: 'key'"),
        (lambda x: np.linalg.inv(x), "it raised LinAlgError: Last 2 dimensions"),
    ],
)
def test_a_function_of_another_form_is_named_with_what_it_gave(function, words):
    shapes = r"the projection 'mine' should map \(k, n\) -> \(k, n\), here \(49, 2\); "
    with pytest.raises(ValueError, match=shapes + words) as error:
        Projection(2, function, label="mine")
    assert "\n" not in str(error.value)


def test_a_projection_may_work_in_place():
    box = Projection(2, lambda x: np.clip(x, 0.0, 1.0, out=x))
    x = np.array([[3.0, 0.5], [-1.0, 2.0]])
    np.testing.assert_array_equal(box.project(x), [[1.0, 0.5], [0.0, 1.0]])
    np.testing.assert_array_equal(x, [[3.0, 0.5], [-1.0, 2.0]])
    np.testing.assert_array_equal(box.dist2(x), [4.0, 2.0])


def test_a_map_that_projects_on_a_convex_set_is_accepted():
    ball = Projection(2, Ball(np.array([1.0, 0.0]), 2.0).project)
    x = RNG.normal(size=(3, 4, 2)) * 5
    np.testing.assert_array_equal(ball.project(x), Ball(np.array([1.0, 0.0]), 2.0).project(x))


@pytest.mark.parametrize(
    ("function", "words"),
    [
        # The nearest of two points: a set that is not convex.
        (lambda x: np.where(x >= 0, 1.0, -1.0), ["not the projection on a convex set", "at most 0"]),
        # The unit circle.
        (lambda x: x / np.maximum(np.linalg.norm(x, axis=1, keepdims=True), 1e-300), ["not the projection"]),
        (lambda x: x / 2, ["moves its value"]),
        # Idempotent onto a line, but oblique: it expands.
        (lambda x: x @ np.array([[1.0, 0.0], [3.0, 0.0]]), ["not the projection", "(x - P(x))"]),
        (lambda x: np.full_like(x, np.nan), ["not finite"]),
    ],
)
def test_a_map_that_is_no_projection_is_refused_with_numbers(function, words):
    with pytest.raises(ValueError) as error:
        Projection(2, function)
    assert "\n" not in str(error.value)
    for word in words:
        assert word in str(error.value)


def test_a_hidden_corner_is_found_by_the_points_given():
    def nearly(x):  # the identity, except in a small hole that no random point meets
        hole = np.abs(x - 7.25).max(axis=1, keepdims=True) < 1e-3
        return np.where(hole, x + 1.0, x)

    Projection(2, nearly)
    with pytest.raises(ValueError, match="not the projection"):
        Projection(2, nearly, points=np.array([[7.25, 7.25]]))


CLIENTS = {
    "free": [WholeSpace(2)] * 3,
    "identical": [Ball(np.zeros(2), 1.0)] * 3,
    "boxes": [Box(-np.ones(2) * j, np.ones(2)) for j in range(3)],
    "mixed": [WholeSpace(2), Ball(np.ones(2), 1.0), HalfSpace(np.array([1.0, 1.0]), 0.0), Ball(np.zeros(2), 2.0)],
    "with a function": [Projection(2, Ball(np.ones(2), 1.0).project), Box(np.zeros(2), np.ones(2))],
}


@pytest.mark.parametrize("sets", CLIENTS.values(), ids=CLIENTS)
def test_all_clients_at_once_are_each_client_alone(sets):
    together = ClientSets(sets)
    x = RNG.normal(size=(6, len(sets), 2)) * 3
    before = x.copy()
    alone = np.stack([one.project(x[:, i]) for i, one in enumerate(sets)], axis=1)
    np.testing.assert_allclose(together.project(x), alone, atol=1e-15)
    np.testing.assert_array_equal(x, before)
    y = RNG.normal(size=(5, 2)) * 3
    np.testing.assert_allclose(together.dist2(y), np.stack([one.dist2(y) for one in sets], axis=1), atol=1e-15)
    np.testing.assert_array_equal(together.contains(y), together.dist2(y).max(axis=1) == 0)
    assert together.free == all(isinstance(s, WholeSpace) for s in sets)
    assert together.identical == (len({id(s) for s in sets}) == 1 or together.free)


def test_boxes_intersect_and_the_whole_space_drops_out():
    one = intersection([WholeSpace(1), interval(0.0, 3.0), interval(-1.0, 2.0)])
    assert (one.low[0], one.high[0]) == (0.0, 2.0)
    assert intersection([WholeSpace(2), WholeSpace(2)]) == WholeSpace(2)
    ball = Ball(np.zeros(2), 1.0)
    assert intersection([WholeSpace(2), ball, ball]) is ball


def sides(sets, x):
    """``D`` and ``M^2`` of eq. (2), point by point from its definition."""
    P = np.stack([one.project(x) for one in sets], axis=0)
    return ((x - P) ** 2).sum(-1).mean(0), ((x - P.mean(0)) ** 2).sum(-1)


LINES = {
    "one point each": [interval(c, c) for c in (-1.0, 0.0, 3.0)],
    "intervals": [interval(-1.0, 2.0), interval(0.0, 1.0), interval(1.5, 4.0)],
    "half-lines, all bound on the right": [interval(-math.inf, c) for c in (0.0, 1.0, 5.0)],
    "one of three binds on the right": [interval(-math.inf, 0.0), interval(), interval()],
    "one binds right, two left": [interval(-math.inf, 0.0), interval(1.0, math.inf), interval(-2.0, math.inf)],
    "interval, half-line and line": [interval(-1.0, 1.0), interval(3.0, math.inf), interval(), interval(0.0, 0.0)],
}


@pytest.mark.parametrize("sets", LINES.values(), ids=LINES)
def test_constants_on_the_line_hold_and_are_least(sets):
    found = ClientSets(sets)
    x = np.concatenate([np.arange(-20, 20, 0.01), [-1e6, 1e6, -1e4, 1e4]])[:, None]
    D, M2 = sides(sets, x)
    excess = D - found.B2**2 * M2
    assert (excess <= found.B1**2 * (1 + 1e-9) + 1e-9 * D).all()
    near = np.abs(x[:, 0]) < 100
    assert found.B1 == 0 or excess[near].max() >= found.B1**2 * (1 - 1e-3) or excess[-1] >= found.B1**2 * 0.5
    assert found.dissimilarity.least
    # A smaller B2 fails far away whatever B1 is.
    assert max(D[-4:] / np.maximum(M2[-4:], 1e-300) * (M2[-4:] > 0)) >= found.B2**2 * (1 - 1e-5)


def test_known_constants():
    m = 5
    assert (ClientSets([WholeSpace(2)] * m).B1, ClientSets([WholeSpace(2)] * m).B2) == (0, 0)
    assert (ClientSets([Simplex(2)] * m).B1, ClientSets([Simplex(2)] * m).B2) == (0, 1)
    one_binds = ClientSets([interval(-math.inf, 0.0), *[interval()] * (m - 1)])
    assert pytest.approx(m, rel=1e-15) == one_binds.B2**2
    assert one_binds.B1 == 0
    points = ClientSets([interval(-1.0, -1.0), interval(1.0, 1.0)])
    assert (points.B1, points.B2) == (1, 1)
    # Overlapping intervals: between 1 and 3 the second one clips to x, the variance grows to ((3-1)/2)^2.
    assert ClientSets([interval(0.0, 1.0), interval(0.0, 3.0)]).B1 == 1


def test_discs_reach_their_constant_far_away():
    discs = [Ball(np.array([1.0, 0.0]), 1.0), Ball(np.array([-1.0, 0.0]), 2.0)]
    found = ClientSets(discs)
    assert found.B2 == 1
    assert pytest.approx(1.5) == found.B1  # half the distance of centres and half that of radii
    D, M2 = sides(discs, np.vstack([RNG.normal(size=(2000, 2)) * 10, [[-1e7, 0.0]]]))
    assert (D - M2 <= found.B1**2 * (1 + 1e-6)).all()
    assert D[-1] - M2[-1] >= found.B1**2 * 0.99


@pytest.mark.parametrize(
    "sets",
    [
        [WholeSpace(2), Ball(np.ones(2), 1.0), Ball(np.zeros(2), 1.0)],
        [WholeSpace(2), Simplex(2), Simplex(2)],
        [Simplex(2), Ball(np.zeros(2), 1.0)],
        [Ball(np.zeros(2), 1.0), Ball(np.ones(2), 3.0), Ball(-np.ones(2), 2.0)],
        [HalfSpace(np.array([1.0, 2.0]), 1.0), HalfSpace(np.array([2.0, 4.0]), -3.0), WholeSpace(2)],
        [HalfSpace(np.array([1.0, 2.0]), 1.0), HalfSpace(np.array([-1.0, -2.0]), 3.0)],
        [Box(np.zeros(2), np.array([1.0, math.inf])), Box(np.array([-1.0, -math.inf]), np.ones(2)), WholeSpace(2)],
    ],
)
def test_constants_hold_in_the_plane(sets):
    found = ClientSets(sets)
    x = RNG.normal(size=(4000, 2)) * 10.0 ** RNG.uniform(-1, 4, size=(4000, 1))
    D, M2 = sides(sets, x)
    assert (D <= found.B1**2 + found.B2**2 * M2 + 1e-9 * (1 + D)).all()
    assert found.dissimilarity.why


def test_sets_without_known_constants_are_refused_with_the_reason():
    # Half-spaces of different normals, of which one may be met at no cost while the other is left behind.
    with pytest.raises(ValueError, match="no constants of the set-dissimilarity") as error:
        ClientSets([HalfSpace(np.array([1.0, 0.0]), 0.0), HalfSpace(np.array([0.0, 1.0]), 0.0)]).B1  # noqa: B018
    assert "\n" not in str(error.value)
