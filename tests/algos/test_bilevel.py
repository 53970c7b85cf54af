"""Quadratic lower levels: solutions, constants and smoothings against independent computations."""

import itertools
import math

import numpy as np
import pytest
from scipy.optimize import minimize
from smoothed import in_the_plane, on_the_line

from rateproof.algos.noise import Streams
from rateproof.algos.problems.bilevel import QuadraticLowerLevel, affine_response, moving_floor, quadratic_lower
from rateproof.algos.problems.box import box_solution, monotonicity

RANDOM = np.random.default_rng(7)


def general(**more):
    """Two clients in R^2 with a full lower level in R^3."""
    root = RANDOM.normal(size=(2, 3, 3))
    M = root @ root.transpose(0, 2, 1) + 0.5 * np.eye(3)
    values = {"N": RANDOM.normal(size=(2, 3, 2)), "b": RANDOM.normal(size=(2, 3)), "q": RANDOM.normal(size=(2, 3))}
    return quadratic_lower(M=M.tolist(), p=[0.5, -0.3], c=[[0.0, 1.0], [1.0, 0.0]], m=2, n=2, nt=3, **values, **more)


def mean_h(problem, x, y):
    """``h(x, y)`` from the definition."""
    each = [0.5 * y @ problem.M[i] @ y - y @ (problem.N[i] @ x + problem.b[i]) for i in range(problem.m)]
    return sum(each) / problem.m


CASES = {
    "free": general(),
    "box": general(low=[-0.5, -0.2, 0.0], high=[0.3, 0.4, 0.5]),
    "clipped": affine_response(A=[[1.0, 2.0], [0.0, -1.0]], b=[[0, 1], [1, 0]], mu=2.0, low=-1.0, high=0.5, n=2, nt=2),
    "floor": moving_floor(A=0.5, b=0.1, W=0.2, V=[[1.0, -1.0]], mu=3.0, n=2, m=2),
}


@pytest.mark.parametrize("name", CASES)
def test_the_lower_solution_minimises_h(name):
    problem = CASES[name]
    for x in RANDOM.normal(size=(6, problem.n)) * 2:
        y = problem.lower_solution(x[None])[0]
        low = problem.low if problem.floor is None else problem.floor(x[None])[0]
        found = minimize(
            lambda v, x=x: mean_h(problem, x, v),
            np.clip(np.zeros(problem.nt), low, problem.high),
            bounds=list(zip(low, problem.high, strict=True)),
            method="L-BFGS-B",
            options={"ftol": 1e-15, "gtol": 1e-10},
        )
        assert mean_h(problem, x, y) <= found.fun + 1e-12
        np.testing.assert_allclose(y, found.x, atol=1e-5)


@pytest.mark.parametrize("name", CASES)
def test_grad_h_is_the_gradient_of_h_and_its_noise_has_the_stated_variance(name):
    problem = CASES[name]
    x, y, step = RANDOM.normal(size=problem.n), RANDOM.normal(size=problem.nt), 1e-6
    exact = sum(problem.grad_h(i, x[None], y[None], None)[0] for i in range(problem.m)) / problem.m
    eye = np.eye(problem.nt) * step
    rise = [(mean_h(problem, x, y + e) - mean_h(problem, x, y - e)) / (2 * step) for e in eye]
    np.testing.assert_allclose(exact, rise, atol=1e-7)


def test_noise_of_the_lower_level():
    problem = affine_response(nt=3, q=1.0, sigma_h=2.0, m=2)
    zeta = problem.draw_lower(Streams(1, 0, 4000), 1, 2)
    assert zeta.shape == (2, 4000, 2, 3)
    x, y = np.zeros((4000, 1)), np.zeros((4000, 3))
    noise = problem.grad_h(0, x, y, zeta[0, :, 0])
    np.testing.assert_allclose((noise**2).sum(axis=1), 4.0)  # surely, not on average
    assert abs(noise.mean()) < 6 * (2 / math.sqrt(3)) / math.sqrt(noise.size)
    assert CASES["free"].draw_lower(Streams(1, 0, 3), 1, 1) is None


@pytest.mark.parametrize("name", CASES)
def test_constants_bound_what_random_pairs_show(name):
    problem, c = CASES[name], CASES[name].constants
    x = RANDOM.normal(size=(4000, problem.n)) * 3
    z = x + RANDOM.normal(size=x.shape) * 10 ** RANDOM.uniform(-4, 1, size=(4000, 1))
    apart = np.linalg.norm(x - z, axis=1)
    response = np.linalg.norm(problem.lower_solution(x) - problem.lower_solution(z), axis=1) / apart
    assert response.max() <= c.Lam * (1 + 1e-9)
    losses = max((np.abs(problem.f_i(i, x) - problem.f_i(i, z)) / apart).max() for i in range(problem.m))
    assert losses <= c.L0 * (1 + 1e-9)
    y = RANDOM.normal(size=(2, problem.nt))
    runs, m = len(x), problem.m
    at = [problem.values_at(np.repeat(x[:, None], m, 1), np.broadcast_to(v, (runs, m, problem.nt)), None) for v in y]
    assert np.abs(at[0] - at[1]).max() <= c.L_y * np.linalg.norm(y[0] - y[1]) * (1 + 1e-9)
    if name == "free":  # attained: in the orthants of the c_i, and along the top singular vector
        slope = np.linalg.solve(problem.M.mean(axis=0), problem.N.mean(axis=0))
        assert c.Lam == pytest.approx(np.linalg.svd(slope)[1][0], rel=1e-12)
        steepest = 0.0
        for i, signs in itertools.product(range(2), itertools.product((-1, 1), repeat=2)):
            gradient = problem.loss.p[i] * np.array(signs) + slope.T @ problem.loss.q[i]
            steepest = max(steepest, float(np.linalg.norm(gradient)))
        assert pytest.approx(steepest, rel=1e-12) == c.L0


def test_lower_level_constants():
    problem = CASES["free"]
    c = problem.constants
    values = [np.linalg.eigvals(M).real for M in problem.M]
    assert c.mu_h == pytest.approx(min(v.min() for v in values)) and c.L_1h == pytest.approx(
        max(v.max() for v in values)
    )
    assert c.L_h_x == pytest.approx(max(math.sqrt(np.linalg.eigvalsh(N.T @ N)[-1]) for N in problem.N))
    assert c.Lam <= c.L_h_x / c.mu_h
    simple = affine_response(A=[[3.0], [4.0]], nt=2, mu=0.5).constants
    assert (simple.mu_h, simple.L_1h, simple.L_h_x, simple.Lam) == (0.5, 0.5, 2.5, 5.0)


def test_a_moving_floor_is_steeper_than_its_gradient():
    """Y(x) = {y >= |x|} and h = y^2/2: L_h_x = 0 and Lam = 1."""
    problem = moving_floor()
    assert (problem.constants.L_h_x, problem.constants.Lam, problem.constants.L0) == (0.0, 1.0, 1.0)
    np.testing.assert_array_equal(problem.lower_solution(np.array([[-2.0], [0.5]])), [[2.0], [0.5]])
    assert not problem.facts()["lower_fixed"].holds and not problem.facts()["lower_free"].holds
    covered = moving_floor(A=0.5, b=0.3, V=-1.0, W=0.2)  # the floor is nowhere above the minimiser
    assert covered.constants.Lam == 0.5


LINES = {
    "free": affine_response(p=1.0, c=[-1.0, 1.0], q=[0.3, -0.2], b=[0.0, 1.0]),
    "box": affine_response(p=[1.0, 0.5], c=[-1, 1], q=[0.3, -0.2], s=[0.2, 0], z=0.4, low=-1.0, high=2.0, X_low=0.5),
    "two": affine_response(A=[[1.0], [-2.0]], q=[1.0, 0.5], low=[-1, 0], high=1.0, nt=2, X_low=[-1, 0], X_high=[1, 2]),
    "floor": moving_floor(p=0.2, c=1.0, q=0.7, X_low=-3.0, X_high=3.0),
}


@pytest.mark.parametrize("name", LINES)
def test_smoothing_on_the_line(name):
    problem = LINES[name]
    smooth = on_the_line(problem, 0.3)
    fine = np.linspace(-8, 8, 40001)[:, None]
    slopes = max(np.abs(np.diff(problem.f_i(i, fine)) / np.diff(fine[:, 0])).max() for i in range(problem.m))
    assert slopes == pytest.approx(problem.constants.L0, rel=1e-6)
    if name != "free":
        assert smooth.F_star == pytest.approx(smooth.F(fine).min(), abs=1e-6)


PLANES = {
    "free": affine_response(A=[[0.3, -0.2]], p=[1.0, 0.5], c=[[0.0, 1.0], [1.0, 0.0]], q=0.4, n=2),
    "box": affine_response(A=[[1.0, 2.0], [0.5, -1.0]], p=0.3, q=[1.0, -0.7], low=-1.0, high=[0.5, 1.0], n=2, nt=2),
    "norm": affine_response(A=[[1.0, 2.0]], b=[0.3, 0.1], s=[0.5, 1.0], z=0.2, q=0.1, high=1.0, n=2),
}


@pytest.mark.parametrize("name", PLANES)
def test_smoothing_in_the_plane(name):
    smooth = in_the_plane(PLANES[name], 0.7, RANDOM.normal(size=(7, 2)), atol=2e-4)
    if name == "free":
        fine = np.stack(np.meshgrid(np.linspace(-2, 3, 301), np.linspace(-2, 3, 301)), axis=-1).reshape(-1, 2)
        assert smooth.F_star == pytest.approx(smooth.F(fine).min(), abs=1e-4)
        assert smooth.F_star <= smooth.F(fine).min() + 1e-9


def test_random_losses():
    problem = affine_response(p=1.0, q=[1.0, 0.0], r=[0.0, 2.0], A=[[1.0], [1.0]], nt=2, low=-1.0, high=3.0)
    c = problem.constants
    assert c.L_y == pytest.approx(math.sqrt(5.0))  # sqrt(1 + 4) for both signs
    # slopes 1 + |1 + 2| and 1 + |1 - 2|
    assert pytest.approx(math.sqrt((4.0**2 + 2.0**2) / 2)) == c.L0
    assert c.nu == 6.0 and problem.facts()["variance_bounded"].holds
    xi = problem.draw(Streams(3, 0, 500), 1, 2)
    x = np.full((500, 2, 1), 0.5)
    values = problem.values(x, xi[0])
    assert {round(v, 12) for v in values.ravel()} == {0.5 + 0.5 - 1.0, 0.5 + 0.5 + 1.0}
    free = affine_response(r=1.0)
    assert math.isinf(free.constants.nu) and not free.facts()["variance_bounded"].holds


def test_many_boxes_against_enumeration():
    nt = 4
    root = RANDOM.normal(size=(nt, nt))
    M = 0.2 * np.eye(nt) + root @ root.T / nt + 2 * (root - root.T)
    low, high = np.array([-1.0, -np.inf, 0.0, 0.2]), np.array([1.0, 0.0, np.inf, 0.2])
    q = RANDOM.normal(size=(50, nt)) * 3
    found = box_solution(M, q, low, high)
    for target, y in zip(q, found, strict=True):
        fits = []
        for state in itertools.product((-1, 0, 1), repeat=nt):
            ends = np.where(np.array(state) < 0, low, high)
            free = [j for j in range(nt) if state[j] == 0]
            held = [j for j in range(nt) if state[j] != 0]
            if not np.isfinite(ends[held]).all():
                continue
            point = np.where(np.array(state) == 0, 0.0, ends)
            if free:
                side = -target[free] - M[np.ix_(free, held)] @ point[held]
                point[free] = np.linalg.solve(M[np.ix_(free, free)], side)
            force = M @ point + target
            inside = (point >= low - 1e-10).all() and (point <= high + 1e-10).all()
            pushed = all((s == 0) or low[j] == high[j] or s * force[j] <= 1e-10 for j, s in enumerate(state))
            if inside and pushed:
                fits.append(point)
        assert fits
        np.testing.assert_allclose(y, fits[0], atol=1e-9)


def raw(**changed):
    """The class itself, with one argument changed."""
    one = affine_response(m=1)
    values = {key: getattr(one, key) for key in ("M", "N", "b", "loss", "sets", "low", "high")}
    return QuadraticLowerLevel(**{**values, **changed})


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: quadratic_lower(M=-1.0), r"not strongly convex in y: the smallest eigenvalue of M_0 is -1"),
        (
            lambda: quadratic_lower(M=[[1.0, 2.0], [2.0, 1.0]], nt=2),
            "smallest eigenvalue of M_0 is -1; it should be po",
        ),
        (lambda: quadratic_lower(M=[[1.0, 2.0], [0.0, 1.0]], nt=2), "M_0 is not symmetric"),
        (lambda: quadratic_lower(q=[1.0, 2.0, 3.0]), r"q has shape \(3,\); it should be one number, or of shape"),
        (lambda: affine_response(A=[[1.0, 2.0]], nt=2), r"A has shape \(1, 2\); it should be one number"),
        (lambda: affine_response(X_low=2.0, X_high=1.0), "runs from 2 to 1"),
        (lambda: affine_response(sigma_h=-1.0), "sigma_h is -1.0"),
        (lambda: affine_response(low=1.0, high=0.0), "low should be at most high"),
        (lambda: raw(M=np.ones((2, 1, 1))), r"M has shape \(2, 1, 1\); it should be \(1, 1, 1\)"),
        (lambda: raw(loss=affine_response(n=2, m=1).loss), r"c has shape \(1, 2\); it should be \(1, 1\)"),
        (lambda: raw(sets=affine_response(m=3).sets), r"sets are of 3 clients in R\^1; they should be of 1 in R\^1"),
        (lambda: moving_floor(n=2).smoothed(0.1), "no exact smoothing is known: Y moves"),
        (lambda: CASES["box"].smoothed(0.1), "the M_i are coupled"),
        (lambda: affine_response(n=2, nt=2, s=1.0).smoothed(0.1), "is no sum of ridges"),
        (lambda: monotonicity(np.array([[1.0, 4.0], [0.0, 1.0]])), "eigenvalue of .* is -1; it should be positive"),
    ],
)
def test_bad_input_is_refused_in_one_line(make, said):
    with pytest.raises(ValueError, match=said) as error:
        make()
    assert "\n" not in str(error.value)


def test_params_rebuild_the_instance():
    problem = LINES["box"]
    again = affine_response(**problem.params)
    x = np.linspace(-2, 2, 7)[:, None]
    np.testing.assert_array_equal(again.f(x), problem.f(x))
