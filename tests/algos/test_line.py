"""Piecewise functions of one variable and the problems made of them, against quadrature, grids and closed forms."""

import math

import numpy as np
import pytest
from smoothed import on_the_line

from rateproof.algos.noise import Streams
from rateproof.algos.piecewise import (
    Piecewise,
    Stacked,
    absolute,
    affine,
    clip,
    from_slopes,
    huber,
    quadratic,
    square_distance,
    total,
)
from rateproof.algos.problems.federated import FACTS
from rateproof.algos.problems.line import (
    Level,
    LineProblem,
    Steps,
    Trapezoid,
    absolute_line,
    huber_line,
    kink_line,
    opposite_line,
    sigma_only_line,
    sloped_line,
)

GAUSS = np.polynomial.legendre.leggauss(4)
X = np.concatenate([np.linspace(-6, 6, 241), [-1e3, 1e3]])


def random_function(seed, *, degree=1, pieces=5):
    rng = np.random.default_rng(seed)
    breaks = np.sort(rng.uniform(-3, 3, size=pieces - 1))
    f = from_slopes(breaks, rng.normal(size=pieces), through=(0.5, rng.normal()))
    if degree == 2:
        f = total([f, huber(width=1.3, slope=rng.normal(), centre=0.4), huber(width=0.2, slope=2.0, centre=-1.0)])
    return f


def smoothed_by_quadrature(f, x, eta):
    """``(1/(2 eta)) int f``, piece by piece: Gauss rules are exact for polynomials."""
    ends = np.unique([x - eta, x + eta, *(b for b in f.breaks if x - eta < b < x + eta)])
    middle, half = (ends[1:] + ends[:-1]) / 2, (ends[1:] - ends[:-1]) / 2
    values = f(middle[:, None] + half[:, None] * GAUSS[0]) @ GAUSS[1]
    return float(half @ values) / (2 * eta)


@pytest.mark.parametrize("eta", [1e-3, 0.3, 4.0])
@pytest.mark.parametrize("degree", [1, 2])
@pytest.mark.parametrize("seed", range(4))
def test_smoothing_is_the_mean_over_an_interval(seed, degree, eta):
    f = random_function(seed, degree=degree)
    smooth = f.smoothed(eta)
    want = [smoothed_by_quadrature(f, x, eta) for x in X[:-2]]
    np.testing.assert_allclose(smooth(X[:-2]), want, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(smooth(X[-2:]), f(X[-2:]), rtol=1e-13)  # affine there
    np.testing.assert_allclose(smooth.derivative(X), (f(X + eta) - f(X - eta)) / (2 * eta), rtol=1e-9, atol=1e-10)
    assert smooth.jump < 1e-12
    assert smooth.lipschitz <= f.lipschitz * (1 + 1e-9)  # Lemma 1.ii
    assert np.abs(smooth(X) - f(X)).max() <= f.lipschitz * eta * (1 + 1e-9)  # Lemma 1.iii


def test_smoothing_in_closed_form():
    eta = 0.25
    smooth = absolute(slope=3.0, centre=1.0).smoothed(eta)
    away = X - 1
    inside = np.abs(away) <= eta
    np.testing.assert_allclose(
        smooth(X), 3 * np.where(inside, (away**2 + eta**2) / (2 * eta), np.abs(away)), rtol=1e-14
    )
    np.testing.assert_allclose(smooth.derivative(X), 3 * np.clip(away / eta, -1, 1), rtol=1e-14, atol=1e-14)
    np.testing.assert_allclose(quadratic(curvature=2.0).smoothed(eta)(X), X**2 + eta**2 / 3, rtol=1e-14)
    np.testing.assert_array_equal(affine(slope=2.0, intercept=1.0).smoothed(eta)(X), 2 * X + 1)


@pytest.mark.parametrize("seed", range(4))
def test_sums_multiples_and_compositions(seed):
    f, g = random_function(seed, degree=2), random_function(seed + 10)
    np.testing.assert_allclose((f + 2.5 * g)(X), f(X) + 2.5 * g(X), rtol=1e-12, atol=1e-10)
    np.testing.assert_allclose((f - g)(X), f(X) - g(X), rtol=1e-12, atol=1e-10)
    np.testing.assert_allclose(f.after(g)(X), f(g(X)), rtol=1e-11, atol=1e-11)
    for low, high in ((-1.0, 0.5), (-math.inf, 0.5), (-1.0, math.inf), (0.5, 0.5), (-math.inf, math.inf)):
        np.testing.assert_allclose(clip(low, high)(X), np.clip(X, low, high), rtol=1e-15)
        np.testing.assert_allclose(f.after(clip(low, high))(X), f(np.clip(X, low, high)), rtol=1e-11, atol=1e-11)
        np.testing.assert_allclose(square_distance(low, high)(X), (X - np.clip(X, low, high)) ** 2, rtol=1e-14)
    with pytest.raises(ValueError, match="piecewise linear"):
        f.after(f)


@pytest.mark.parametrize("seed", range(6))
def test_lipschitz_constants_and_infima(seed):
    f = random_function(seed, degree=2)
    fine = np.linspace(-8, 8, 400001)
    slopes = np.abs(np.diff(f(fine)) / np.diff(fine))
    assert slopes.max() * (1 - 1e-12) - 1e-9 <= f.lipschitz <= slopes.max() * (1 + 1e-3)
    bowl = (f + square_distance(-1.0, 2.0)).smoothed(0.3)
    assert bowl.infimum <= bowl(fine).min() <= bowl.infimum + 1e-6


def test_what_is_unbounded_is_said_to_be():
    assert absolute(slope=-1.0).infimum == -math.inf
    assert affine(slope=1e-300).infimum == -math.inf
    assert total([absolute(slope=1.0), absolute(slope=-1.0, centre=1.0)]).infimum == -1.0
    assert affine(slope=0.0, intercept=2.0).infimum == 2.0
    assert quadratic(curvature=1.0).lipschitz == math.inf
    step = Piecewise(np.zeros(1), np.array([[0.0, 1.0]]))
    assert (step.jump, step.lipschitz) == (1.0, math.inf)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Piecewise(np.array([1.0, 0.0]), np.zeros((1, 3))), "increase"),
        (lambda: Piecewise(np.array([1.0]), np.zeros((1, 3))), "should be (p,)"),
        (lambda: Piecewise(np.array([math.inf]), np.zeros((1, 2))), "not finite"),
        (lambda: absolute(slope=1.0).smoothed(0.0), "eta is 0"),
        (lambda: huber(width=0.0, slope=1.0), "width is 0"),
        (lambda: square_distance(1.0, 0.0), "from 1 to 0"),
        (lambda: LineProblem([]), "losses is empty"),
        (lambda: LineProblem([absolute(slope=1.0)], nu=-1.0), "nu is -1"),
        (lambda: LineProblem([absolute(slope=1.0)] * 2, [(0.0, 1.0)]), "each of the 2 clients"),
        (lambda: LineProblem([absolute(slope=1.0)], [(1.0, 0.0)]), "from 1 to 0"),
        (lambda: LineProblem([absolute(slope=1.0).smoothed(1.0).smoothed(1.0)]), "degree 3"),
        (lambda: absolute_line(slope=[1.0, 2.0], centre=[0.0, 0.0, 0.0]), "slope has shape (2,)"),
        (lambda: sloped_line(breaks=[[0.0]], slopes=[]), "they should agree"),
    ],
)
def test_bad_input_is_refused_in_one_line(make, words):
    with pytest.raises(ValueError) as error:
        make()
    assert words in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("degree", [1, 2])
def test_all_clients_at_once(degree):
    losses = [random_function(i, degree=degree, pieces=i + 1) for i in range(4)]
    x = np.random.default_rng(0).normal(size=(50, 4)) * 4
    want = np.stack([f(x[:, i]) for i, f in enumerate(losses)], axis=1)
    np.testing.assert_allclose(Stacked(losses)(x), want, rtol=1e-13, atol=1e-13)
    same = LineProblem([losses[2]] * 4)
    np.testing.assert_array_equal(same.values(x[..., None], None), losses[2](x))


def test_fields_change_sign_over_their_period():
    for field in (Steps(0.5), Trapezoid(0.5)):
        np.testing.assert_allclose(field(X + 0.5), -field(X), atol=1e-10)
        assert np.abs(field(X)).max() <= 1
    near = np.linspace(-0.125, 0.125, 101)
    np.testing.assert_array_equal(Trapezoid(0.5)(near), 1.0)
    np.testing.assert_allclose(Trapezoid(0.5)(np.array([0.25, 0.375])), [0.0, -1.0])
    fine = np.linspace(-2, 2, 100001)
    assert np.abs(np.diff(Trapezoid(0.5)(fine)) / np.diff(fine)).max() <= 4 / 0.5 * (1 + 1e-9)
    np.testing.assert_array_equal(Level()(X), 1.0)


def test_smoothed_problem_is_made_of_its_clients():
    losses = [random_function(i, degree=2) for i in range(3)]
    ends = [(-1.0, 1.0), (0.0, math.inf), (-math.inf, math.inf)]
    problem, eta = LineProblem(losses, ends), 0.4
    smooth = problem.smoothed(eta)
    x = X[:-2, None]
    on_the_line(problem, eta, x, atol=1e-2)  # losses jump: better means follow
    np.testing.assert_allclose(
        smooth.f(x), [smoothed_by_quadrature(total(losses), t, eta) / 3 for t in x[:, 0]], rtol=1e-11
    )
    assert problem.smoothed(eta) is smooth
    np.testing.assert_allclose(smooth.grad_F(smooth.stationary[:, None]), 0, atol=1e-10)
    np.testing.assert_allclose(problem.f(x), sum(f(x[:, 0]) for f in losses) / 3, rtol=1e-12)


def test_stationary_points_of_a_concave_kink():
    # f(y) = -2|y + 1/20| over [0, 1] with eta = 1/10: grad F_eta(-1/5) = 2 - 2.
    smooth = kink_line(L0=2.0, centre=-0.05, m=3, low=0.0, high=1.0).smoothed(0.1)
    assert smooth.grad_F(np.array([[-0.2]]))[0, 0] == pytest.approx(0, abs=1e-13)
    assert np.abs(smooth.stationary + 0.2).min() < 1e-13
    assert smooth.F_star == pytest.approx(smooth.F(np.linspace(-3, 3, 600001)[:, None]).min(), abs=1e-8)
    assert kink_line(L0=2.0).smoothed(0.1).F_star == -math.inf


@pytest.mark.parametrize("x", [-3.7, 0.0, 0.31, 12.0])
def test_noise_that_changes_sign_over_the_radius(x):
    L0, nu, eta = 0.125, 2.0, 0.5
    problem = sigma_only_line(L0=L0, nu=nu, eta=eta, m=2)
    at = np.full((4, 2, 1), x)
    v = np.array([-eta, -eta, eta, eta]).reshape(4, 1, 1)
    xi = np.array([-1.0, 1.0, -1.0, 1.0]).reshape(4, 1, 1)
    g = (problem.values(at + v, xi) - problem.values(at, xi)) * v[..., 0] / eta**2
    np.testing.assert_allclose(np.sort(g[:, 0]), L0 + np.array([-1, -1, 1, 1]) * 2 * nu / eta, rtol=1e-13)
    smooth = problem.smoothed(eta)
    assert smooth.F(np.zeros((1, 1)))[0] - smooth.F_star == pytest.approx(L0**2 * eta / 2, rel=1e-14)


def test_families_know_their_constants():
    c = absolute_line(slope=[1.0, -3.0], centre=[0.0, 1.0], low=-1.0, high=[0.0, 2.0], nu=0.5, period=2.0).constants
    assert (c.L0, c.nu, c.B2, c.B1) == (3.0, 0.5, 1.0, 1.0)
    assert huber_line(m=5).constants.L0 == 1.5
    c = opposite_line(L0=2.0).constants
    assert (c.L0, c.B1, c.B2) == (2.0, 0.0, 1.0)
    assert sloped_line(breaks=[[0.0, 1.0], []], slopes=[[1.0, -2.0, 0.5], [3.0]]).constants.L0 == 3.0
    x = np.linspace(-0.4, 0.4, 9)[:, None]
    np.testing.assert_allclose(huber_line(width=1.5, slope=1.5).smoothed(1.0).grad_f(x), x, atol=1e-15)


def test_facts_have_reasons():
    for problem in (opposite_line(), huber_line(), sigma_only_line(), LineProblem([quadratic(curvature=1.0)])):
        facts = problem.facts()
        assert set(FACTS) <= set(facts)
        assert all(fact.why for fact in facts.values())
    assert not LineProblem([quadratic(curvature=1.0)]).facts()["lipschitz"].holds
    assert huber_line().facts()["free"].holds
    assert not opposite_line().facts()["free"].holds


def test_samples_are_signs_of_their_clients():
    problem = sigma_only_line(m=3)
    xi = problem.draw(Streams(0, 0, 500), 4, 2)
    assert xi.shape == (2, 500, 3, 1)
    assert set(np.unique(xi)) == {-1.0, 1.0}
    again = problem.draw(Streams(0, 100, 1), 4, 2)
    np.testing.assert_array_equal(again[:, 0], xi[:, 100])
    assert abs(np.corrcoef(xi[0, :, 0, 0], xi[0, :, 1, 0])[0, 1]) < 0.3
    assert opposite_line().draw(Streams(0, 0, 1), 1, 1) is None
