"""Minimax families: saddle points against optimality conditions and other solvers, constants, refusals."""

import numpy as np
import pytest
from scipy.optimize import minimize_scalar

from rateproof.algos.noise import AdditiveGaussian, MiniBatch
from rateproof.algos.problems.saddle import QuadraticSaddle, agnostic_pair, coupled_line


def random_saddle(seed=0, *, N=3, n=3, nt=2, noise=None):
    rng = np.random.default_rng(seed)
    U, V = rng.normal(size=(N, n, n)), rng.normal(size=(N, nt, nt))
    A, C = U.transpose(0, 2, 1) @ U / n + 0.3 * np.eye(n), V.transpose(0, 2, 1) @ V / nt + 0.4 * np.eye(nt)
    return QuadraticSaddle(
        A=A, B=rng.normal(size=(N, n, nt)), C=C, a=rng.normal(size=(N, n)), c=rng.normal(size=(N, nt)), noise=noise
    )


PROBLEMS = [
    random_saddle(),
    random_saddle(1, N=1, n=1, nt=3),
    coupled_line(),
    coupled_line(mu=0.5, b=[0], a=[2], c=[1]),
]


@pytest.mark.parametrize("problem", PROBLEMS, ids=range(4))
def test_gradients_are_differences_of_values(problem):
    rng = np.random.default_rng(5)
    x, y, t = rng.normal(size=(6, problem.n)), rng.normal(size=(6, problem.nt)), 1e-3
    for i in range(problem.N):
        for j, e in enumerate(np.eye(problem.n)):
            rise = (problem.f_i(i, x + t * e, y) - problem.f_i(i, x - t * e, y)) / (2 * t)
            np.testing.assert_allclose(problem.grad_x(i, x, y)[:, j], rise, atol=1e-9)
        for j, e in enumerate(np.eye(problem.nt)):
            rise = (problem.f_i(i, x, y + t * e) - problem.f_i(i, x, y - t * e)) / (2 * t)
            np.testing.assert_allclose(problem.grad_y(i, x, y)[:, j], rise, atol=1e-9)


@pytest.mark.parametrize("problem", PROBLEMS, ids=range(4))
def test_the_saddle_point_is_one(problem):
    x, y = (v[None] for v in problem.saddle_point())
    value = problem.constants.value
    np.testing.assert_allclose(sum(problem.grad_x(i, x, y) for i in range(problem.N)), 0.0, atol=1e-12)
    np.testing.assert_allclose(sum(problem.grad_y(i, x, y) for i in range(problem.N)), 0.0, atol=1e-12)
    rng = np.random.default_rng(6)
    for size in (1e-2, 1.0, 10.0):
        dx, dy = size * rng.normal(size=(50, problem.n)), size * rng.normal(size=(50, problem.nt))
        assert (problem.f(x + dx, np.repeat(y, 50, axis=0)) >= value - 1e-12).all()
        assert (problem.f(np.repeat(x, 50, axis=0), y + dy) <= value + 1e-12).all()
        excess = problem.metrics["max_y f - f*"](problem, x + dx)
        assert (excess >= -1e-12).all() and excess.max() > 1e-6
    np.testing.assert_allclose(problem.best_y(x), y, atol=1e-12)


def test_the_closed_form_on_the_plane():
    problem = coupled_line(mu=2.0, b=(1.0, 3.0), a=(-1.0, 3.0), c=(2.0, -6.0))
    # Means a = 1, b = 2, c = -2: x* = -(2 - 4)/8 and y* = (-4 - 2)/8.
    x, y = problem.saddle_point()
    assert x[0] == pytest.approx(0.25, rel=1e-14) and y[0] == pytest.approx(-0.75, rel=1e-14)


@pytest.mark.parametrize("problem", PROBLEMS, ids=range(4))
def test_constants(problem):
    rng = np.random.default_rng(7)
    c, n = problem.constants, problem.n
    u, v = rng.normal(size=(2, 400, n + problem.nt))
    stretch, gradients = [], (problem.grad_x, problem.grad_y)
    for i in range(problem.N):
        along = [gradient(i, u[:, :n], u[:, n:]) - gradient(i, v[:, :n], v[:, n:]) for gradient in gradients]
        stretch.append(np.linalg.norm(np.concatenate(along, axis=1), axis=1) / np.linalg.norm(u - v, axis=1))
        bend_x = np.linalg.eigvalsh(problem.A[i])
        bend_y = np.linalg.eigvalsh(problem.C[i])
        assert c.mu_x <= bend_x.min() * (1 + 1e-12) and c.mu_y <= bend_y.min() * (1 + 1e-12)
    assert 0.7 * c.L <= np.max(stretch) <= c.L * (1 + 1e-12)
    facts = problem.facts()
    assert facts["strongly_convex"].holds and facts["strongly_concave"].holds


@pytest.mark.parametrize("t", [((-1.0,), (2.0,)), ((0.0, 1.0, 2.0), (3.0, -1.0, 0.5))])
@pytest.mark.parametrize("L", [(4.0, 1.0), (1.0, 1.0), (0.3, 7.0)])
@pytest.mark.parametrize("bystanders", [0, 1, 3])
def test_the_agnostic_pair(t, L, bystanders):
    problem = agnostic_pair(t=t, L=L, bystanders=bystanders)
    x, w = problem.x_star[None], problem.w_star
    losses = np.array([problem.h_i(i, x)[0] for i in range(problem.N)])
    assert w.sum() == pytest.approx(1.0, rel=1e-15) and (w >= 0).all() and (w[2:] == 0).all()
    # Weights go to the largest losses only and the weighted gradient vanishes: a saddle point, since h_i are convex.
    np.testing.assert_allclose(losses[:2], losses.max(), rtol=1e-13)
    assert (losses[2:] < losses.max()).all()
    slope = sum(w[i] * problem.grad_h(i, x) for i in range(problem.N))
    np.testing.assert_allclose(slope, 0.0, atol=1e-13)
    # An independent search along the line between the two targets.
    ends = np.array(t)

    def worst(s):
        return problem.worst((ends[0] + s * (ends[1] - ends[0]))[None])[0]

    best = minimize_scalar(worst, bounds=(0, 1), method="bounded", options={"xatol": 1e-12})
    assert best.fun == pytest.approx(losses.max(), rel=1e-6)
    assert problem.metrics["dist"](problem, x)[0] == 0 and problem.metrics["max_i h_i"](problem, x)[0] == losses.max()


def test_params_build_the_same_instance():
    for make, kwargs in (
        (coupled_line, {"mu": 0.5, "a": [1.0, 2.0]}),
        (agnostic_pair, {"t": [[0.0], [1.0]], "L": [1.0, 9.0]}),
    ):
        params = {k: v for k, v in make(**kwargs).params.items() if k != "noise"}
        again = make(**params)
        assert again.params == make(**kwargs).params


def test_bad_input():
    good = {"A": np.eye(2)[None], "B": np.ones((1, 2, 1)), "C": np.eye(1)[None], "a": [[0, 0]], "c": [[0]]}
    for change, message in (
        ({"B": np.ones((2, 1))}, r"B has shape \(2, 1\); it should be \(N, n, nt\)"),
        ({"A": np.eye(3)[None]}, r"A has shape \(1, 3, 3\); B asks for \(1, 2, 2\)"),
        ({"A": [[[1.0, 1.0], [0.0, 1.0]]]}, "A is not symmetric"),
        ({"A": -np.eye(2)[None]}, "A has least eigenvalue -1"),
        ({"C": np.zeros((1, 1, 1))}, "and C 0; they should be at least 0 and positive"),
        ({"a": [[np.inf, 0]]}, "a coefficient is not finite"),
        ({"noise": MiniBatch(1)}, "noise samples data rows"),
        ({"noise": AdditiveGaussian.isotropic(2, sigma_f=0, sigma_h=1)}, "noise has dimension 2; the problem has"),
    ):
        with pytest.raises(ValueError, match=message):
            QuadraticSaddle(**good | change)
    flat = QuadraticSaddle(**good | {"A": np.zeros((1, 2, 2)), "a": [[1, 0]]})
    with pytest.raises(ValueError, match="has no single saddle point"):
        flat.saddle_point()
    with pytest.raises(ValueError, match="mu is 0"):
        coupled_line(mu=0.0)
    with pytest.raises(ValueError, match="a, b and c have 1, 2 and 2 numbers"):
        coupled_line(a=[1.0])
    for kwargs, message in (
        ({"t": [[1.0], [1.0]]}, "it should hold two different points"),
        ({"t": [1.0, 2.0]}, "it should hold two different points"),
        ({"L": [1.0, 0.0]}, "L is .* it should be two positive numbers"),
        ({"bystanders": -1}, "bystanders is -1"),
    ):
        with pytest.raises(ValueError, match=message):
            agnostic_pair(**kwargs)
