"""Ground truths: closed form against solver, certificates against known errors, and solvers that fail or lie."""

import numpy as np
import pytest

from rateproof.algos.data import expanded_diabetes, split
from rateproof.algos.problems.quadratic import (
    QuadraticBilevel,
    antisymmetric,
    degenerate,
    diagonal_selection,
    heterogeneous_least_squares,
    overparameterised_least_squares,
    scaled,
)
from rateproof.algos.problems.regression import Regression, from_split
from rateproof.verify.ground_truths.solutions import (
    GroundTruthError,
    bilevel_solution,
    certified_f_star,
    check_bilevel,
    check_projection,
    check_regularised,
    projection,
    regularised_solution,
)

QUADRATICS = [
    diagonal_selection(),
    overparameterised_least_squares(outer="heterogeneous"),
    heterogeneous_least_squares(),
    degenerate(),
    antisymmetric(),
    scaled(overparameterised_least_squares(outer="heterogeneous"), s_h=1e4, s_f=1e-4, s_x=1e-4),
    scaled(heterogeneous_least_squares(), s_h=1e-4, s_f=1e4, s_x=1e4),
]


def sparse_regression(outer="huber", mu=0.5, m=3, n=12, N=3, seed=1):
    rng = np.random.default_rng(seed)
    A = [rng.integers(-4, 5, size=(m, n)) / 4 for _ in range(N)]
    x = np.zeros(n)
    x[:3] = (4.0, -2.0, 3.0)
    return Regression(A, [rows @ x for rows in A], outer=outer, mu=mu)


def kernel_direction(problem, seed=0):
    """A unit vector along X_h*."""
    v = np.random.default_rng(seed).normal(size=(1, problem.n))
    along = problem.project(v)[0] - problem.project(np.zeros((1, problem.n)))[0]
    return along / np.linalg.norm(along)


@pytest.mark.parametrize("problem", QUADRATICS, ids=lambda p: p.name)
def test_closed_form_and_solver_agree(problem):
    y = np.arange(1.0, problem.n + 1)
    pairs = [
        [bilevel_solution(problem, method=m) for m in ("closed form", "cvxpy")],
        [regularised_solution(problem, 1e-3, method=m) for m in ("closed form", "cvxpy")],
        [projection(problem, y, method=m) for m in ("closed form", "cvxpy")],
    ]
    for closed, solved in pairs:
        size = max(np.linalg.norm(closed.x), np.linalg.norm(y), 1e-4)
        assert (closed.source, solved.source) == ("closed form", "cvxpy CLARABEL")
        apart = np.linalg.norm(closed.x - solved.x)
        assert apart <= 1e-6 * size
        assert apart <= closed.certificate["distance"] + solved.certificate["distance"] + 1e-14 * size
        assert abs(closed.value - solved.value) <= closed.gap + solved.gap + 1e-15 * abs(closed.value)


def test_f_star_contains_the_exact_value():
    # I1: f* - inf f = (mu/2)(c - d_1)^2 with c = 3/2, d_1 = 1/2.
    problem = diagonal_selection(c=(1.0, 2.0), d=((0.5, 4.0), (0.5, 4.0)), mu=2.0)
    lower, upper = certified_f_star(problem)
    assert lower <= 1.0 <= upper
    assert upper - lower < 1e-12
    assert bilevel_solution(problem).value == pytest.approx(problem.constants.f_star, rel=1e-14)


@pytest.mark.parametrize("size", [1e-3, 1.0])
def test_bounds_are_the_true_errors_for_quadratics(size):
    """With f = 1/2 ||x||^2 a feasible error e costs exactly ||e||^2 / 2 and is at distance ||e||."""
    problem = overparameterised_least_squares()
    x = problem.bilevel_solution() + size * kernel_direction(problem)
    found = check_bilevel(problem, x, tol=10.0)
    assert found.certificate["distance"] == pytest.approx(size, rel=1e-9)
    assert found.certificate["stationarity"] == pytest.approx(size, rel=1e-9)
    assert found.gap == pytest.approx(size**2 / 2, rel=1e-6)
    # The distance to the set is computed with the pseudo-inverse of H: its rounding grows with the condition of H.
    values = np.linalg.svd(problem.H.mean(axis=0), compute_uv=False)
    condition = values[0] / values[values > 1e-9].min()
    assert found.certificate["feasibility"] < np.finfo(float).eps * problem.n * condition * np.linalg.norm(x)
    # Off the set, the distance is that to the solution too, and the value differs by what it differs.
    off = x + np.linalg.pinv(problem.H.mean(axis=0)) @ np.ones(problem.n)
    found = check_bilevel(problem, off, tol=1e3)
    assert found.certificate["distance"] == pytest.approx(np.linalg.norm(off - problem.bilevel_solution()), rel=1e-9)
    assert found.gap >= abs(problem.f(off[None])[0] - problem.constants.f_star)


@pytest.mark.parametrize("problem", [*QUADRATICS[:4], sparse_regression()], ids=lambda p: p.name)
def test_wrong_points_are_refused(problem):
    y = np.linspace(-1.0, 1.0, problem.n)
    right = bilevel_solution(problem).x
    off = 1e-3 * np.linalg.norm(right) + 1e-3
    with pytest.raises(GroundTruthError, match=r"suboptimality|distance to a solution"):
        check_bilevel(problem, right + 30 * off * kernel_direction(problem))
    with pytest.raises(GroundTruthError, match="along the kernel"):
        check_projection(problem, y, problem.project(y[None])[0] + off * kernel_direction(problem))
    if np.any(problem.project(np.zeros((1, problem.n)))):
        with pytest.raises(GroundTruthError, match=r"feasibility.* at most"):
            check_bilevel(problem, right * 1.01)
        with pytest.raises(GroundTruthError, match="feasibility"):
            check_projection(problem, y, y)
    with pytest.raises(GroundTruthError, match=r"suboptimality|distance to a solution"):
        check_regularised(problem, 0.1, right + 30 * off * kernel_direction(problem))


def test_regularised_solution_of_another_eta_is_refused():
    problem = antisymmetric()
    assert check_regularised(problem, 0.25, problem.regularised_solution(0.25)).x == pytest.approx([0.5, 0.0])
    with pytest.raises(GroundTruthError, match=r"at eta = 0\.25 is wrong"):
        check_regularised(problem, 0.25, problem.regularised_solution(0.26))


def test_small_eta_keeps_its_digits():
    """At eta s_f / s_h = 1e-18 the Hessian of eta f is far below the rounding of that of h."""
    problem = scaled(overparameterised_least_squares(outer="heterogeneous"), s_h=1e5, s_f=1e-5)
    x = problem.regularised_solution(1e-8)
    assert check_regularised(problem, 1e-8, x).certificate["distance"] < 1e-12
    with pytest.raises(GroundTruthError):
        check_regularised(problem, 1e-8, x + 1e-3 * kernel_direction(problem))


def test_norm_regression_has_a_closed_form():
    problem = sparse_regression(outer="norm")
    for eta in (1e-6, 1.0):
        closed, solved = (regularised_solution(problem, eta, method=m) for m in ("closed form", "cvxpy"))
        assert np.linalg.norm(closed.x - solved.x) <= 1e-7
    assert bilevel_solution(problem).source == "closed form"
    lower, upper = certified_f_star(problem, method="cvxpy")
    assert lower <= problem.constants.f_star <= upper


def test_huber_solution_and_its_dual_bound():
    problem = sparse_regression()
    found = bilevel_solution(problem)
    assert found.source == "cvxpy CLARABEL"
    assert 0 <= found.gap <= 1e-11 * found.value
    assert found.certificate["feasibility"] < 1e-12
    lower, upper = certified_f_star(problem)
    # No feasible point is below the lower bound, and the bound of a feasible point never passes its true excess.
    rng = np.random.default_rng(0)
    points = problem.project(found.x + 10.0 ** rng.uniform(-4, 1, (200, 1)) * rng.normal(size=(200, problem.n)))
    assert (problem.f(points) >= lower).all()
    for x in points[:40]:
        assert check_bilevel(problem, x, tol=1e6).gap >= problem.f(x[None])[0] - upper


def test_huber_regularised_path_reaches_the_bilevel_solution():
    problem = sparse_regression()
    bilevel = bilevel_solution(problem)
    found = [regularised_solution(problem, eta) for eta in (1.0, 1e-2, 1e-5)]
    for eta, point in zip((1.0, 1e-2, 1e-5), found, strict=True):
        assert 0 <= point.gap <= 1e-10 * eta * bilevel.value
        assert np.linalg.norm(point.certificate["stationarity"]) <= 1e-9 * eta
        # f(x_eta*) <= f*, since x* has no smaller h
        assert problem.f(point.x[None])[0] <= bilevel.value + bilevel.gap
    feasibility = [point.certificate["feasibility"] for point in found]
    assert feasibility[0] > feasibility[1] > feasibility[2]


def test_huber_has_no_closed_form_but_takes_a_given_solution():
    problem = sparse_regression()
    with pytest.raises(GroundTruthError, match="no closed form"):
        bilevel_solution(problem, method="closed form")
    found = bilevel_solution(problem)
    assert bilevel_solution(problem.with_solution(found.x), method="closed form").source == "given"
    wrong = problem.with_solution(problem.project(np.ones((1, problem.n)))[0])
    with pytest.raises(GroundTruthError, match="bound on suboptimality"):
        bilevel_solution(wrong, method="closed form")


def test_real_features():
    """220 of 442 rows, ill-conditioned random features: about two decimal orders worse than the small instances."""
    problem = from_split(split(expanded_diabetes()), mu=0.05, L_h=1.0)
    found = bilevel_solution(problem)
    assert found.gap <= 1e-10 * found.value
    assert found.value <= problem.f(problem.project(np.zeros((1, problem.n))))[0]


class FakeSolver:
    """Replaces ``cvxpy.Problem.solve``."""

    def __init__(self, monkeypatch, change):
        import cvxpy as cp

        solve = cp.Problem.solve

        def patched(self, *args, **kwargs):
            value = solve(self, *args, **kwargs)
            change(self)
            return value

        monkeypatch.setattr(cp.Problem, "solve", patched)


@pytest.mark.parametrize("problem", [heterogeneous_least_squares(), sparse_regression()], ids=lambda p: p.name)
def test_a_solver_that_lies_is_caught(monkeypatch, problem):
    def lie(program):
        assert program.status == "optimal"
        for variable in program.variables():
            variable.value = variable.value + 1e-3

    FakeSolver(monkeypatch, lie)
    for ask in (
        lambda: bilevel_solution(problem, method="cvxpy"),
        lambda: regularised_solution(problem, 0.1, method="cvxpy"),
        lambda: projection(problem, np.ones(problem.n), method="cvxpy"),
        lambda: certified_f_star(problem, method="cvxpy"),
    ):
        with pytest.raises(GroundTruthError, match=r"is wrong: .* at most .* is allowed"):
            ask()


def test_a_lie_along_the_solution_set_is_caught(monkeypatch):
    """The point stays feasible and only the objective is wrong."""
    problem = sparse_regression()
    along = kernel_direction(problem)

    def lie(program):
        for variable in program.variables():
            if variable.shape == along.shape:
                variable.value = variable.value + 0.1 * along

    FakeSolver(monkeypatch, lie)
    with pytest.raises(GroundTruthError, match="bound on suboptimality"):
        bilevel_solution(problem)


def test_a_solver_that_fails_is_caught(monkeypatch):
    import cvxpy as cp

    def fail(self, *args, **kwargs):
        raise cp.SolverError("Solver 'CLARABEL' failed.\nTry another solver")

    problem = diagonal_selection()
    monkeypatch.setattr(cp.Problem, "solve", fail)
    with pytest.raises(GroundTruthError, match="bilevel solution of 'diagonal_selection': CLARABEL failed") as caught:
        bilevel_solution(problem, method="cvxpy")
    assert "\n" not in str(caught.value)
    monkeypatch.setattr(cp.Problem, "solve", lambda self, *args, **kwargs: None)
    with pytest.raises(GroundTruthError, match="no point"):
        bilevel_solution(problem, method="cvxpy")


class Wrong(QuadraticBilevel):
    def grad_h(self, i, y, out=None):
        return 1.1 * super().grad_h(i, y)


def test_a_problem_that_contradicts_its_data_is_caught():
    p = diagonal_selection()
    bad = Wrong(F=p.F, a=p.a, c=p.c, H=p.H, b=p.b, e=p.e)
    with pytest.raises(GroundTruthError, match=r"grad h\(x\) differs"):
        check_regularised(bad, 0.5, p.regularised_solution(0.5))


def test_unsolvable_instances_are_named():
    slope = QuadraticBilevel(F=np.eye(2)[None], a=np.zeros((1, 2)), H=np.zeros((1, 2, 2)), b=np.ones((1, 2)))
    with pytest.raises(GroundTruthError, match="linear with slope"):
        check_projection(slope, np.zeros(2), np.zeros(2))
    H = np.diag([1.0, 0.0])[None]
    concave = QuadraticBilevel(F=np.diag([1.0, -1.0])[None], a=np.zeros((1, 2)), H=H, b=np.zeros((1, 2)))
    with pytest.raises(GroundTruthError, match="not convex"):
        check_bilevel(concave, np.zeros(2))
    linear = QuadraticBilevel(F=np.diag([1.0, 0.0])[None], a=np.ones((1, 2)), H=H, b=np.zeros((1, 2)))
    with pytest.raises(GroundTruthError, match="is inf"):
        check_bilevel(linear, np.zeros(2))


def test_flat_outer_level_has_many_solutions():
    """f does not depend on x_2 and h is constant: every (1, x_2) solves the problem."""
    flat = QuadraticBilevel(F=np.diag([1.0, 0.0])[None], a=[[1.0, 0.0]], H=np.zeros((1, 2, 2)), b=np.zeros((1, 2)))
    for second in (0.0, 7.0):
        assert check_bilevel(flat, np.array([1.0, second])).certificate["distance"] == 0


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda p: check_bilevel(p, np.zeros(3)), r"shape \(3,\); it should be a finite point of shape \(2,\)"),
        (lambda p: check_bilevel(p, np.array([np.nan, 0])), "finite point"),
        (lambda p: regularised_solution(p, 0.0), "eta is 0.0; it should be positive"),
        (lambda p: bilevel_solution(p, method="scs"), "method is 'scs'"),
    ],
)
def test_bad_input(call, message):
    with pytest.raises(ValueError, match=message):
        call(diagonal_selection())
