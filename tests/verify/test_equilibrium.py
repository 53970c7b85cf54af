"""Certified equilibria: the certificates hold, wrong points are refused, and another solver agrees."""

import math

import numpy as np
import pytest

from rateproof.algos.problems.bilevel import affine_response, moving_floor, quadratic_lower
from rateproof.algos.problems.cournot import cournot, drawn_cournot
from rateproof.algos.problems.macmpec import bard1
from rateproof.algos.problems.minimax import bilinear_minimax
from rateproof.algos.problems.two_stage import affine_two_stage, scalar_two_stage
from rateproof.verify.convex import GroundTruthError
from rateproof.verify.equilibrium import AffineVI, certify, check, equilibrium, lower_vi

RANDOM = np.random.default_rng(13)


def random_vi(nt, *, skew=2.0, unbounded=False):
    root, turn = RANDOM.normal(size=(2, nt, nt))
    low, high = -RANDOM.random(nt), RANDOM.random(nt)
    if unbounded:
        low, high = np.where(RANDOM.random(nt) < 0.3, -np.inf, low), np.where(RANDOM.random(nt) < 0.3, np.inf, high)
    return AffineVI(
        root @ root.T / nt + 0.3 * np.eye(nt) + skew * (turn - turn.T), 3 * RANDOM.normal(size=nt), low, high
    )


@pytest.mark.parametrize("nt", [1, 2, 5, 12])
@pytest.mark.parametrize("unbounded", [False, True])
def test_pivoting_and_the_gap_programme_agree_within_their_bounds(nt, unbounded):
    for _ in range(3):
        vi = random_vi(nt, unbounded=unbounded)
        pivoted, convex = equilibrium(vi), equilibrium(vi, method="cvxpy")
        assert pivoted.distance < 1e-10 and convex.distance < 1e-5
        assert np.linalg.norm(pivoted.y - convex.y) <= pivoted.distance + convex.distance
        assert pivoted.certificate["gap"] <= 1e-10 and convex.source == "cvxpy CLARABEL"


def test_the_distance_bound_holds_and_is_of_the_right_size():
    for _ in range(200):
        vi = random_vi(4, skew=RANDOM.choice([0.0, 1.0, 5.0]), unbounded=RANDOM.random() < 0.3)
        solution = equilibrium(vi).y
        point = vi.project(solution + 10 ** RANDOM.uniform(-6, 1) * RANDOM.normal(size=4))
        found, away = certify(vi, point), np.linalg.norm(point - solution)
        assert away <= found.distance
        assert found.distance <= (1 + 3 * vi.L / vi.mu) * away + 1e-9
        assert vi.mu * away**2 <= found.certificate["gap"] + 1e-12
        assert found.certificate["gap"] >= -1e-12
        outside = certify(vi, solution + RANDOM.normal(size=4))
        assert np.linalg.norm(outside.y - solution) <= outside.distance


def test_residuals_vanish_at_solutions_only():
    vi = AffineVI(np.array([[2.0]]), np.array([-1.0]), np.zeros(1), np.ones(1))  # y* = 1/2
    for y, away in ((0.5, 0.0), (0.0, 0.5), (1.0, 0.5)):
        found = certify(vi, [y])
        assert found.certificate["natural_residual"] == pytest.approx(2 * away if y == 0.5 else min(1.0, 2 * away))
        assert found.certificate["gap"] == pytest.approx(abs(2 * y - 1) * (y if y > 0.5 else 1 - y))
        assert (found.certificate["complementarity"] == 0) == (away == 0)
        assert found.distance >= away


def test_a_wrong_point_is_refused_with_the_numbers():
    game = drawn_cournot(nt=12)
    vi = lower_vi(game, 2.0, 9.0)
    y = game.lower_solution(np.array([[2.0]]), np.array([[9.0]]))[0]
    assert check(vi, y).distance < 1e-9
    with pytest.raises(GroundTruthError, match=r"distance to the solution is .*; it should be at most"):
        check(vi, y + 1e-3)
    wrong = game.lower_solution(np.array([[2.0]]), np.array([[9.0 + 1e-4]]))[0]  # the answer to another question
    with pytest.raises(GroundTruthError):
        check(vi, wrong)


LOWER_LEVELS = {
    "cournot": (cournot(nt=6, cap=[0.3, 0.2, 0.6, 0.5, 0.4, 3.0]), 1),
    "many": (drawn_cournot(nt=300), 1),
    "spd": (affine_two_stage(M=[[2.0, 0.5], [0.5, 1.5]], N=[[1.0], [-2.0]], levels=[-1.0, 1.0], nt=2), 1),
    "skew": (affine_two_stage(M=0.5, skew=2.0, N=1.0, levels=[-1.0, 1.0], low=-1.0, n=2, nt=4), 1),
    "scalar": (scalar_two_stage(mu=2.0, levels=[-0.5, 0.5]), 1),
    "box": (quadratic_lower(M=[[2.0, 0.5], [0.5, 1.0]], N=[[1.0], [1.0]], low=-0.3, high=0.2, nt=2, m=2), 0),
    "clip": (affine_response(b=[0.1, -0.5], low=-1.0, high=1.0), 0),
    "floor": (moving_floor(A=0.5, V=1.0, mu=2.0), 0),
    "minimax": (bilinear_minimax(A=[[1.0, -1.0], [0.5, 2.0]], b=0.2, mu=0.6, n=2, nt=2, m=3), 0),
    "bard1": (bard1(), 0),
}


@pytest.mark.parametrize("name", LOWER_LEVELS)
def test_solutions_of_the_problems_are_certified(name):
    problem, q = LOWER_LEVELS[name]
    for _ in range(5):
        x = RANDOM.uniform(0.5, 4.5, problem.n)
        xi = RANDOM.uniform(7.5, 12.5, q) if "cournot" in problem.name else RANDOM.choice([-1.0, 1.0], q)
        y = problem.lower_solution(x[None], xi[None])[0] if q else problem.lower_solution(x[None])[0]
        found = check(lower_vi(problem, x, xi if q else None), y, tol=1e-8)
        assert found.distance < 1e-8


def test_monotone_maps_without_strength_have_the_gap_only():
    turn = AffineVI(np.array([[0.0, 1.0], [-1.0, 0.0]]), np.array([0.2, -0.1]), -np.ones(2), np.ones(2))
    found = equilibrium(turn, method="cvxpy")
    assert math.isinf(found.distance) and found.certificate["gap"] < 1e-6
    np.testing.assert_allclose(found.y, [-0.1, -0.2], atol=1e-5)  # where the force vanishes
    with pytest.raises(GroundTruthError, match="the gap is"):
        check(turn, np.array([0.5, 0.5]))


TURN = np.array([[0.0, 1.0], [-1.0, 0.0]])


def test_a_correct_point_with_no_force_is_certified():
    turn = AffineVI(TURN, np.array([0.1, 0.0]), -np.ones(2), np.ones(2))  # y* = (0, -0.1), where G = 0
    np.testing.assert_allclose(equilibrium(turn, method="cvxpy").y, [0.0, -0.1], atol=1e-6)
    assert check(turn, [1e-13, -0.1]).certificate["gap"] == pytest.approx(1.1e-13)
    for away in (1e-5, 1e-3, 0.3):
        with pytest.raises(GroundTruthError, match="the gap is"):
            check(turn, [away, -0.1])


@pytest.mark.parametrize(
    ("M", "q", "low", "high"),
    [
        (TURN, [0.0, 0.0], -1.0, 1.0),  # y* = 0 and no force at all
        (np.eye(2), [0.0, 0.0], -1.0, 1.0),
        (np.eye(2), [1.0, 2.0], 0.0, 1.0),  # y* = 0 at the ends
        (TURN, [1.0, 1.0], 0.0, np.inf),
        (TURN, [0.1, 0.0], -1e8, 1e8),
        (np.zeros((2, 2)), [1.0, 1.0], 0.0, 1.0),
    ],
)
def test_the_allowance_does_not_vanish_at_a_solution_0_and_refuses_others(M, q, low, high):
    vi = AffineVI(M, q, np.full(2, low), np.full(2, high))
    y = equilibrium(vi, method="cvxpy").y
    check(vi, vi.project(y + 1e-12))
    with pytest.raises(GroundTruthError):
        check(vi, vi.project(y + 1e-3))


def test_pivoting_names_the_eigenvalue_of_a_map_without_strength():
    for M in (TURN, np.zeros((2, 2)), TURN + np.diag([1.0, 0.0])):
        vi = AffineVI(M, np.array([0.1, 0.0]), -np.ones(2), np.ones(2))
        with pytest.raises(GroundTruthError, match=r"smallest eigenvalue of \(M \+ M'\)/2 is 0; it should be positive"):
            equilibrium(vi)


@pytest.mark.parametrize("name", ["M", "q", "low", "high"])
def test_nan_is_refused_by_name(name):
    given = {"M": np.eye(2), "q": np.zeros(2), "low": np.zeros(2), "high": np.ones(2)}
    given[name] = given[name].copy()
    given[name].flat[1] = np.nan
    with pytest.raises(ValueError, match=rf"^{name} has a NaN at \[.*1\]; it should hold numbers$"):
        AffineVI(**given)
    if name in "Mq":
        given[name].flat[1] = np.inf
        with pytest.raises(ValueError, match=rf"^{name} has inf at \[.*1\]; it should hold finite numbers$"):
            AffineVI(**given)


def test_bad_input_is_refused_in_one_line():
    eye, zero, one = np.eye(2), np.zeros(2), np.ones(2)
    with pytest.raises(ValueError, match=r"not monotone: the smallest eigenvalue .* is -1; it should be at least 0"):
        AffineVI(-eye, zero, zero, one)
    with pytest.raises(ValueError, match=r"low has shape \(1,\); q asks for \(2,\)"):
        AffineVI(eye, zero, np.zeros(1), one)
    with pytest.raises(ValueError, match="box is empty"):
        AffineVI(eye, zero, one, zero)
    with pytest.raises(ValueError, match=r"y has a NaN at \[0\]"):
        certify(AffineVI(eye, zero, zero, one), np.array([np.nan, 0.0]))
    with pytest.raises(ValueError, match="method is 'guess'"):
        equilibrium(AffineVI(eye, zero, zero, one), method="guess")


def test_lemke_agrees():
    """``y = low + u`` solves it when ``u >= 0``, ``v >= 0`` solve the complementarity problem of the ends."""
    lemke = pytest.importorskip("quantecon.optimize.lcp_lemke", reason="quantecon is not installed").lcp_lemke
    for vi in (
        random_vi(3, skew=0.0),
        random_vi(6, skew=2.0),
        lower_vi(cournot(nt=8, cap=0.6), 1.0, 8.0),
        lower_vi(cournot(nt=20, b=1.0), 3.0, 11.0),
    ):
        nt = len(vi.q)
        eye, none = np.eye(nt), np.zeros((nt, nt))
        matrix = np.block([[vi.M, eye], [-eye, none]])
        offset = np.concatenate([vi.force(vi.low), vi.high - vi.low])
        solved = lemke(matrix, offset)
        assert solved.success
        found = check(vi, vi.low + solved.z[:nt], tol=1e-8, source="Lemke")
        pivoted = equilibrium(vi)
        assert np.linalg.norm(found.y - pivoted.y) <= found.distance + pivoted.distance
