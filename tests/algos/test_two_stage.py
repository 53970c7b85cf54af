"""Two-stage problems: equilibria, constants and expectations against independent computations."""

import math

import numpy as np
import pytest
from smoothed import in_the_plane, on_the_line

from rateproof.algos.noise import Streams
from rateproof.algos.problems.two_stage import AffineTwoStage, affine_two_stage, scalar_two_stage

RANDOM = np.random.default_rng(5)
SPD = [[2.0, 0.5, 0.0], [0.5, 1.5, -0.4], [0.0, -0.4, 1.0]]

CASES = {
    "spd": affine_two_stage(
        M=SPD, N=RANDOM.normal(size=(3, 2)).tolist(), levels=[-1.0, 0.0, 2.0], q=[1.0, -2.0, 0.5], p=0.3, n=2, nt=3, m=2
    ),
    "skew": affine_two_stage(
        M=0.7,
        skew=2.0,
        N=[[1.0], [-1.0]],
        e=[1.0, 2.0],
        levels=[[0.0, 1.0], [-1.0, 0.5]],
        low=-1.0,
        q=[1.0, 1.0],
        nt=2,
        m=2,
    ),
    "diagonal": affine_two_stage(
        M=[[1.0, 0.0], [0.0, 2.0]],
        N=[[1.0], [-3.0]],
        e=[1.0, 0.5],
        levels=[[-1.0, 1.0, 2.0], [0.0, 0.0, 1.0]],
        m=2,
        nt=2,
        p=[1.0, 0.0],
        c=[0.0, 0.4],
        q=[[1.0, 2.0], [-1.0, 0.3]],
        low=-1.0,
        X_low=-1.0,
        X_high=1.0,
    ),
    "scalar": scalar_two_stage(mu=3.0, levels=[-0.5, 0.5], cap=2.0, p=0.1, c=0.2, q=1.0, s=-0.4, z=1.0),
}


def queries(problem, runs=200):
    """Points of all clients and samples that they may meet."""
    x = RANDOM.normal(size=(runs, problem.m, problem.n)) * 2
    picks = RANDOM.integers(problem.levels.shape[1], size=(runs, problem.m))
    return x, problem.levels[np.arange(problem.m), picks][..., None]


@pytest.mark.parametrize("name", CASES)
def test_the_solution_solves_the_inequality(name):
    problem = CASES[name]
    x, xi = queries(problem)
    y = problem.lower_solution(x, xi)
    force = problem.lower_map(x, y, xi)
    assert ((y >= problem.low) & (y <= problem.high)).all()
    for corner in RANDOM.uniform(problem.low, problem.high, size=(40, problem.nt)):
        assert ((force * (corner - y)).sum(axis=-1) >= -1e-10).all()
    expected = (np.abs(x) if problem.absolute else x) @ problem.N.T + y @ problem.M.T - xi * problem.e
    np.testing.assert_allclose(force, expected, atol=1e-12)
    long = np.zeros_like(y)
    for _ in range(4000):
        long = problem.project_lower(x, long - problem.mu_F / problem.L_F**2 * problem.lower_map(x, long, xi), xi)
    np.testing.assert_allclose(long, y, atol=1e-9)


@pytest.mark.parametrize("name", CASES)
def test_constants(name):
    problem, c = CASES[name], CASES[name].constants
    symmetric = (problem.M + problem.M.T) / 2
    assert c.mu_F == pytest.approx(np.linalg.eigvals(symmetric).real.min())
    assert pytest.approx(np.linalg.svd(problem.M)[1][0]) == c.L_F
    y, z = RANDOM.normal(size=(2, 500, problem.nt))
    moved = (y - z) @ problem.M.T
    assert ((moved * (y - z)).sum(axis=1) >= (c.mu_F - 1e-9) * ((y - z) ** 2).sum(axis=1)).all()
    x, xi = queries(problem, 4000)
    near = x + RANDOM.normal(size=x.shape) * 10 ** RANDOM.uniform(-4, 1, size=(4000, 1, 1))
    apart = np.linalg.norm(x - near, axis=-1)
    there, here = problem.lower_solution(near, xi), problem.lower_solution(x, xi)
    assert (np.linalg.norm(there - here, axis=-1) / apart).max() <= c.Lam * (1 + 1e-9)
    # L0 is a root mean square over xi: the expected losses obey it
    for i in range(problem.m):
        slopes = np.abs(problem.f_i(i, x[:, i]) - problem.f_i(i, near[:, i])) / apart[:, i]
        assert slopes.max() <= c.L0 * (1 + 1e-9)
    spread = problem.values_at(x, there, xi) - problem.values_at(x, here, xi)
    assert (np.abs(spread) <= c.L_y * np.linalg.norm(there - here, axis=-1) * (1 + 1e-9) + 1e-12).all()


@pytest.mark.parametrize("name", ["diagonal", "scalar"])
def test_the_modulus_on_the_line_is_exact(name):
    """``sqrt(E L(xi)^2)`` from slopes on a grid for every sample."""
    problem, fine = CASES[name], np.linspace(-6, 6, 60001)
    roots = []
    for i in range(problem.m):
        squares = []
        for level in problem.levels[i]:
            xi = np.full((len(fine), 1), level)
            loss = problem.loss.mean(i, fine[:, None], problem.lower_solution(fine[:, None], xi))
            squares.append(np.abs(np.diff(loss) / np.diff(fine)).max() ** 2)
        roots.append(math.sqrt(np.mean(squares)))
    assert pytest.approx(max(roots), rel=1e-6) == problem.constants.L0


@pytest.mark.parametrize("name", CASES)
def test_expected_losses_are_means_and_their_deviation_is_bounded(name):
    problem = CASES[name]
    x = RANDOM.normal(size=(50, problem.n))
    for i in range(problem.m):
        each = []
        for level in problem.levels[i]:
            all_x = np.repeat(x[:, None], problem.m, axis=1)
            each.append(problem.values(all_x, np.full((50, problem.m, 1), level))[:, i])
        np.testing.assert_allclose(problem.f_i(i, x), np.mean(each, axis=0), atol=1e-12)
        assert (np.std(each, axis=0) <= problem.constants.nu + 1e-12).all()


def test_draws_are_equally_likely_levels():
    problem = CASES["spd"]
    xi = problem.draw(Streams(0, 0, 20000), 3, 2)
    assert xi.shape == (2, 20000, 2, 1)
    for level in (-1.0, 0.0, 2.0):
        assert abs((xi == level).mean() - 1 / 3) < 6 * math.sqrt(2 / 9 / xi.size)
    assert set(np.unique(xi)) == {-1.0, 0.0, 2.0}
    assert affine_two_stage().draw(Streams(0, 0, 2), 1, 1) is None


def test_the_scalar_problem_by_hand():
    problem = scalar_two_stage(mu=3.0, cap=2.0, levels=[-0.5, 0.5])
    x, xi = np.array([[-1.0], [0.25], [3.0]]), np.array([[0.5], [-0.5], [0.5]])
    np.testing.assert_allclose(problem.lower_solution(x, xi), [[1.5], [0.0], [2.0]])
    assert (problem.mu_F, problem.L_F) == (3.0, 3.0)
    assert problem.constants.Lam == 1.0


@pytest.mark.parametrize("name", ["diagonal", "scalar"])
def test_smoothing_on_the_line(name):
    smooth = on_the_line(CASES[name], 0.3)
    fine = np.linspace(-8, 8, 40001)[:, None]
    assert smooth.F_star == pytest.approx(smooth.F(fine).min(), abs=1e-6)


def test_smoothing_in_the_plane():
    problem = affine_two_stage(
        M=[[1.0, 0.0], [0.0, 2.0]],
        N=[[1.0, 0.5], [-1.0, 1.0]],
        levels=[[-1.0, 0.5], [0.0, 1.0]],
        p=[0.2, 0.4],
        q=[1.0, -0.5],
        low=-0.5,
        n=2,
        nt=2,
        m=2,
    )
    in_the_plane(problem, 0.5, RANDOM.normal(size=(7, 2)))


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: affine_two_stage(M=-2.0), r"not strongly monotone: .* is -2; it should be positive"),
        (lambda: affine_two_stage(M=0.0, skew=1.0, nt=2), "is 0; it should be positive"),
        (lambda: affine_two_stage(high=math.inf), "compact box"),
        (lambda: affine_two_stage(N=[[1.0, 2.0]]), r"N has shape \(1, 2\)"),
        (lambda: affine_two_stage(levels=[[0.0, 1.0]], m=2), r"levels has shape \(1, 2\)"),
        (lambda: scalar_two_stage(mu=0.0), "mu is 0.0"),
        (lambda: CASES["skew"].smoothed(0.1), "no exact smoothing is known: M is not diagonal"),
        (
            lambda: AffineTwoStage(
                M=np.eye(1),
                N=np.eye(1),
                e=np.ones(1),
                levels=np.zeros((3, 1)),
                low=np.zeros(1),
                high=np.ones(1),
                loss=CASES["scalar"].loss,
                sets=CASES["scalar"].sets,
            ),
            r"c has shape \(1, 1\); it should be \(3, 1\)",
        ),
    ],
)
def test_bad_input_is_refused_in_one_line(make, said):
    with pytest.raises(ValueError, match=said) as error:
        make()
    assert "\n" not in str(error.value)
