"""Published problems with equilibrium constraints: statements and least values by an independent computation."""

import math

import numpy as np
import pytest
from scipy.optimize import minimize_scalar
from smoothed import on_the_line

from rateproof.algos.problems.macmpec import COLLECTION

#: Upper loss, lower loss and the constraints on ``y`` for given ``x``, from the statements, and the feasible ``x``.
STATEMENTS = {
    "stackelberg1": (
        lambda x, y: 0.5 * x * x + 0.5 * x * y - 95 * x,
        lambda x, y: y * y + 0.5 * x * y - 100 * y,
        lambda x: (0.0, 1e3),
        (0.0, 200.0),
    ),
    "bard1": (
        lambda x, y: (x - 5) ** 2 + (2 * y + 1) ** 2,
        lambda x, y: (y - 1) ** 2 - 1.5 * x * y,
        lambda x: (max(0.0, 2 * x - 8), min(3 * x - 3, 7 - x)),
        (1.0, 5.0),
    ),
    "gauvin": (
        lambda x, y: x * x + (y - 10) ** 2,
        lambda x, y: 4 * (x - 30) * y + 4 * y * y,
        lambda x: (0.0, 20 - x),
        (0.0, 15.0),
    ),
    "scholtes3": (
        lambda x, y: 0.5 * ((y - 1) ** 2 + (y - x - 1) ** 2),
        lambda x, y: 0.5 * (y - x) ** 2,
        lambda x: (0.0, 1e3),
        (-4.0, 4.0),
    ),
    "jr1": (lambda x, y: (x - 1) ** 2 + y * y, lambda x, y: 0.5 * (y - x) ** 2, lambda x: (0.0, 1e3), (-4.0, 4.0)),
    "jr2": (lambda x, y: (y - 1) ** 2 + x * x, lambda x, y: 0.5 * (y - x) ** 2, lambda x: (0.0, 1e3), (-4.0, 4.0)),
}
#: The index of the collection, to its digits.
PUBLISHED = {"stackelberg1": -3266.67, "bard1": 17.0, "gauvin": 20.0, "scholtes3": 0.5, "jr1": 0.5, "jr2": 0.5}


@pytest.mark.parametrize("name", COLLECTION)
def test_the_response_minimises_the_stated_lower_loss(name):
    problem, (upper, lower, ends, (low, high)) = COLLECTION[name](m=2), STATEMENTS[name]
    for x in np.linspace(low, high, 21):
        y = problem.lower_solution(np.array([[x]]))[0, 0]
        bottom, top = ends(x)
        assert bottom - 1e-12 <= y <= top + 1e-12
        others = np.linspace(bottom, top, 2001)
        assert lower(x, y) <= lower(x, others).min() + 1e-9
        step = 1e-4
        slope = (lower(x, y + step) - lower(x, y - step)) / (2 * step)
        assert problem.grad_h(0, np.array([[x]]), np.array([[y]]), None)[0, 0] == pytest.approx(slope, abs=1e-6)
        assert problem.f(np.array([[x]]))[0] == pytest.approx(upper(x, y), abs=1e-9)


@pytest.mark.parametrize("name", COLLECTION)
def test_the_published_value_is_the_least(name):
    """Lower level by golden section in the stated problem, upper level on a grid, then refined around the best."""
    problem, (upper, lower, ends, (low, high)) = COLLECTION[name](), STATEMENTS[name]

    def value(x):
        bottom, top = ends(x)
        if top - bottom < 1e-12:
            return upper(x, bottom)
        y = minimize_scalar(lambda v: lower(x, v), bounds=(bottom, top), method="bounded", options={"xatol": 1e-11}).x
        return min((upper(x, v) for v in (y, bottom, top) if lower(x, v) <= lower(x, y) + 1e-12), default=math.inf)

    grid = np.linspace(low, high, 241)
    best = min(grid, key=value)
    spread = grid[1] - grid[0]
    for _ in range(6):
        near = np.clip(np.linspace(best - spread, best + spread, 21), low, high)
        best, spread = min(near, key=value), spread / 8
    assert value(best) == pytest.approx(problem.least, abs=2e-3, rel=1e-6)
    assert abs(problem.least - PUBLISHED[name]) < 0.005
    fine = np.linspace(low, high, 200001)
    losses = problem.f(fine[:, None])
    assert losses.min() >= problem.least - 1e-9
    assert losses.min() == pytest.approx(problem.least, abs=1e-4)
    np.testing.assert_allclose(problem.f(np.array(problem.minimisers)[:, None]), problem.least, rtol=1e-12)
    far = fine[losses > problem.least + 1e-3 * (1 + abs(problem.least))]
    assert all(np.abs(far - x).min() > 0 for x in problem.minimisers)


@pytest.mark.parametrize("name", COLLECTION)
def test_pieces_and_smoothing(name):
    problem, (*_, (low, high)) = COLLECTION[name](m=2), STATEMENTS[name]
    x = np.linspace(low - 2, high + 2, 4001)
    np.testing.assert_allclose(problem.response(x), problem.lower_solution(x[:, None])[:, 0], atol=1e-12)
    np.testing.assert_allclose(problem.implicit(x), problem.f(x[:, None]), atol=1e-9, rtol=1e-12)
    points = np.array([[low], [0.3 * low + 0.7 * high], [high]])
    on_the_line(problem, 0.2, points, points=2000, atol=1e-6 * (1 + np.abs(problem.f(points)).max()))
    y = problem.lower_solution(x[:, None])[:, 0]
    assert np.abs(np.diff(y) / np.diff(x)).max() == pytest.approx(problem.constants.Lam, rel=1e-6)


def test_facts_tell_kinks_and_moving_sets():
    facts = {name: make().facts() for name, make in COLLECTION.items()}
    assert not any(f["lipschitz"].holds for f in facts.values())  # quadratic far away
    assert not facts["bard1"]["lower_fixed"].holds and facts["jr1"]["lower_fixed"].holds
    scholtes = COLLECTION["scholtes3"]()
    assert scholtes.f(np.zeros((1, 1)))[0] == 1.0  # a concave kink between two minima
    assert scholtes.implicit.derivative(-1e-9) > 0.9 and scholtes.implicit.derivative(1e-9) < -0.9
