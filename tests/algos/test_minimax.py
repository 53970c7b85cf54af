"""Minimax problems: maximisers, values and constants against independent computations."""

import itertools
import math

import numpy as np
import pytest
from smoothed import in_the_plane, on_the_line

from rateproof.algos.problems.minimax import bilinear_minimax, cut_minimax

RANDOM = np.random.default_rng(11)

CASES = {
    "equal": bilinear_minimax(A=[[1.0, -0.5], [2.0, 1.0]], b=[[0.0, 1.0], [0.6, -0.4]], mu=0.8, m=2, n=2, nt=2),
    "mixed": bilinear_minimax(A=RANDOM.normal(size=(3, 2, 2)).tolist(), b=0.3, low=[-1, 0], m=3, n=2, nt=2),
    "cut": cut_minimax(A=RANDOM.normal(size=(2, 3, 2)).tolist(), b=[0.1, 0.0, -0.2], cut=0.7, m=2, n=2, nt=3),
    "parallel": cut_minimax(A=[[[1.0, 0.5], [0.5, -2.0]], [[-2.0, -1.0], [1.0, -4.0]]], b=0.1, cut=0.9, m=2, n=2, nt=2),
    "held": bilinear_minimax(A=[[[1.0, 0.5]], [[-1.0, -0.5]], [[0.0, 0.0]]], b=[0.2, 0.1, 0.0], m=3, n=2),
    "line": cut_minimax(A=2.0, b=[0.5, -0.3], m=2, cut=0.8, mu=0.7, X_low=-2.0, X_high=1.0),
    "lines": bilinear_minimax(A=[[[1.0], [2.0]], [[0.5], [-1.0]]], b=[[0, 1], [0.3, -0.2]], m=2, nt=2, X_low=-2.0),
}


def losses(problem, x, y):
    """``f~_i(x, y)`` of every client from the definition, ``x`` and ``y`` of one point."""
    out = []
    for A, b in zip(problem.A, problem.b, strict=True):
        phi = np.minimum(np.maximum(A @ x - b, -problem.cut), problem.cut)
        out.append(y @ phi - problem.mu / 2 * y @ y)
    return np.array(out)


@pytest.mark.parametrize("name", CASES)
def test_the_maximiser_is_best_in_the_box(name):
    problem = CASES[name]
    for x in RANDOM.normal(size=(8, problem.n)) * 2:
        y = problem.lower_solution(x[None])[0]
        best = losses(problem, x, y).mean()
        for other in RANDOM.uniform(problem.low, problem.high, size=(60, problem.nt)):
            # strongly concave: the deficit is at least (mu/2)|y - other|^2
            assert losses(problem, x, other).mean() <= best - problem.mu / 2 * ((y - other) ** 2).sum() + 1e-12
        np.testing.assert_allclose([problem.f_i(i, x[None])[0] for i in range(problem.m)], losses(problem, x, y))
        both = np.broadcast_to(x, (1, problem.m, problem.n))
        np.testing.assert_allclose(problem.values(both, None)[0], losses(problem, x, y))


@pytest.mark.parametrize("name", CASES)
def test_h_is_minus_f(name):
    problem, step = CASES[name], 1e-6
    x, y = RANDOM.normal(size=problem.n), RANDOM.normal(size=problem.nt)
    eye = np.eye(problem.nt) * step
    rise = np.array([(losses(problem, x, y + e) - losses(problem, x, y - e)) / (2 * step) for e in eye])
    for i in range(problem.m):
        np.testing.assert_allclose(problem.grad_h(i, x[None], y[None], None)[0], -rise[:, i], atol=1e-7)


@pytest.mark.parametrize("name", CASES)
def test_constants_bound_what_random_pairs_show(name):
    problem, c = CASES[name], CASES[name].constants
    x = RANDOM.normal(size=(20000, problem.n)) * 3
    z = x + RANDOM.normal(size=x.shape) * 10 ** RANDOM.uniform(-5, 0, size=(20000, 1))
    apart = np.linalg.norm(x - z, axis=1)
    slope = max((np.abs(problem.f_i(i, x) - problem.f_i(i, z)) / apart).max() for i in range(problem.m))
    assert slope <= c.L0 * (1 + 1e-6) + 1e-6
    moved = np.linalg.norm(problem.lower_solution(x) - problem.lower_solution(z), axis=1) / apart
    assert moved.max() <= c.Lam * (1 + 1e-6) + 1e-9
    if name in ("line", "lines"):
        assert moved.max() >= 0.99 * c.Lam
    points = RANDOM.uniform(problem.low, problem.high, size=(2, problem.nt))
    for point in x[:50]:
        away = np.abs(losses(problem, point, points[0]) - losses(problem, point, points[1])).max()
        assert away <= c.L_y * np.linalg.norm(points[0] - points[1]) * (1 + 1e-9)


@pytest.mark.parametrize("name", ["equal", "parallel", "held", "line", "lines"])
def test_the_modulus_is_the_longest_gradient(name):
    problem = CASES[name]
    rows = np.stack([row for row in problem.A.reshape(-1, problem.n) if row.any()][: problem.n])
    values = RANDOM.uniform(-3, 3, size=(200000, len(rows)))  # of the linear forms, which all pieces depend on
    x = values @ np.linalg.pinv(rows).T
    longest = 0.0
    for i in range(problem.m):
        parts = [problem.f_i(i, x + e) - problem.f_i(i, x - e) for e in 1e-6 * np.eye(problem.n)]
        longest = max(longest, float(np.linalg.norm(parts, axis=0).max() / 2e-6))
    assert 0.98 * problem.constants.L0 <= longest <= problem.constants.L0 * (1 + 1e-6)


def test_where_constants_do_not_exist():
    mixed, facts = CASES["mixed"].constants, CASES["mixed"].facts()
    assert math.isinf(mixed.L0) and math.isinf(mixed.L_y)
    assert not facts["lipschitz"].holds and not facts["implicit_lipschitz_on_Y"].holds
    near, far = CASES["mixed"].growing_slope()
    assert far > 900 * near > 0 and f"{far:.3g}" in facts["lipschitz"].why
    assert CASES["equal"].growing_slope() is None and CASES["cut"].growing_slope() is None
    assert not CASES["cut"].facts()["implicit_lipschitz"].holds
    assert CASES["cut"].facts()["implicit_lipschitz_on_Y"].holds and CASES["cut"].facts()["minimax"].holds


def test_modulus_in_y_is_attained():
    problem = CASES["cut"]
    corners = itertools.product((-problem.cut, problem.cut), repeat=3)
    ends = itertools.product(*zip(problem.low, problem.high, strict=True))
    most = max(
        np.linalg.norm(np.array(c) - problem.mu * np.array(e)) for c, e in itertools.product(corners, list(ends))
    )
    assert problem.constants.L_y == pytest.approx(most, rel=1e-12)


@pytest.mark.parametrize("name", ["line", "lines"])
def test_smoothing_on_the_line(name):
    smooth = on_the_line(CASES[name], 0.4)
    fine = np.linspace(-8, 8, 40001)[:, None]
    assert smooth.F_star == pytest.approx(smooth.F(fine).min(), abs=1e-6)
    assert smooth.F_star <= smooth.F(fine).min() + 1e-12


@pytest.mark.parametrize("cut", [math.inf, 0.6])
def test_smoothing_in_the_plane(cut):
    same = {"A": [[1.0, -0.5], [2.0, 1.0]], "b": [[0.0, 1.0], [0.6, -0.4]], "mu": 0.8, "m": 2, "n": 2, "nt": 2}
    problem = bilinear_minimax(**same) if math.isinf(cut) else cut_minimax(**same, cut=cut)
    in_the_plane(problem, 0.5, RANDOM.normal(size=(7, 2)))


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: bilinear_minimax(mu=-0.5), "not strongly concave in y: mu is -0.5; it should be a positive number"),
        (lambda: bilinear_minimax(high=math.inf), "compact box"),
        (lambda: cut_minimax(cut=0.0), "cut is 0.0"),
        (lambda: bilinear_minimax(A=[[1.0, 2.0, 3.0]], n=2), r"A has shape \(1, 3\); it should be one number"),
        (lambda: CASES["mixed"].smoothed(0.1), "rows of the A_i point in different directions"),
    ],
)
def test_bad_input_is_refused_in_one_line(make, said):
    with pytest.raises(ValueError, match=said) as error:
        make()
    assert "\n" not in str(error.value)
