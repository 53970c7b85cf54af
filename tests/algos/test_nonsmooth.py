"""Nonsmooth federated problems: constants against searches, smoothings against rules, infima against many points."""

import math
from functools import partial

import numpy as np
import pytest

from rateproof.algos import sphere
from rateproof.algos.methods.fedrzo import FedRZO
from rateproof.algos.noise import Streams
from rateproof.algos.problems.federated import FACTS
from rateproof.algos.problems.nonsmooth import (
    ball_losses,
    half_space_losses,
    huber_losses,
    l1_losses,
    max_affine_losses,
    norm_distances,
    random_max_affine,
    relu_losses,
    relu_modulus,
    sampled_distances,
)
from rateproof.algos.problems.over_sets import linear_over, two_discs, two_discs_point

EXACT = [
    max_affine_losses(b=((0.0, 0.2, -0.1),), nu=0.5, period=0.3),
    max_affine_losses(A=(((1.0, 2.0, 0.0), (0.0, -1.0, 1.0)),) * 2, b=((0.0, 1.0), (0.5, 0.0)), low=-1.0, high=2.0),
    random_max_affine(n=2, m=3, pieces=5, L0=2.0, low=[-1.0, 0.0], high=1.0),
    random_max_affine(n=1, m=2, pieces=3, low=0.0),
    norm_distances(centres=((0.0, 1.0, 0.0), (1.0, 0.0, 2.0)), L0=(1.0, 3.0), low=-1.0),
    norm_distances(centres=((0.5,) * 5,), L0=-2.0),
    sampled_distances(centres=(((-1.0, 0.0), (1.0, 0.0)), ((0.0, 2.0), (0.0, 0.0)))),
    l1_losses(centres=((0.0, 1.0), (0.5, -1.0)), weights=(1.0, 2.0), high=1.0),
    huber_losses(centres=((0.0, 1.0), (0.5, -1.0)), weights=(1.0, 2.0), mu=0.4),
    half_space_losses(offsets=(0.1, -0.2), L0=(1.0, 2.0)),
    relu_losses(A=((1.0, 1.0), (-2.0, 0.5)), v=(1.0, -0.5), b=(0.1, 0.2)),
    relu_losses(A=((1.0, 1.0),), v=0.7, power=2),
    linear_over(slopes=((1.0, 0.0), (0.0, 2.0)), kind="simplex"),
    two_discs(gap=1.5),
]
ALL = [*EXACT, ball_losses(centres=((0.0, 1.0), (2.0, 0.0)), radii=(0.5, 1.0), L0=(1.0, 0.3))]


def named(problem):
    return f"{problem.name}-{problem.n}"


@pytest.mark.parametrize("problem", ALL, ids=named)
def test_values_are_those_of_the_clients(problem):
    x = np.random.default_rng(0).normal(size=(6, problem.m, problem.n))
    values = problem.values(x, None)
    for i in range(problem.m):
        np.testing.assert_allclose(values[:, i], problem.f_i(i, x[:, i]), atol=1e-12)
    assert set(problem.facts()) == set(FACTS)
    assert all(fact.why for fact in problem.facts().values())


@pytest.mark.parametrize("problem", ALL, ids=named)
def test_L0_is_a_modulus_and_nearly_reached(problem):
    L0 = problem.constants.L0
    if math.isinf(L0):
        assert not problem.facts()["lipschitz"].holds
        return
    random = np.random.default_rng(1)
    x = random.normal(size=(20_000, problem.n)) * 10.0 ** random.uniform(-1, 1.3, size=(20_000, 1))
    step = random.normal(size=x.shape)
    step *= 1e-4 / np.linalg.norm(step, axis=1, keepdims=True)
    steepest = 0.0
    for i in range(problem.m):
        rise = np.abs(problem.f_i(i, x + step) - problem.f_i(i, x)) / 1e-4
        steepest = max(steepest, float(rise.max()))
    assert steepest <= L0 * (1 + 1e-7)
    if problem.facts()["lipschitz"].why.endswith("least possible"):
        assert steepest >= (0.97 if problem.n < 4 else 0.8) * L0


@pytest.mark.parametrize("problem", ALL, ids=named)
def test_losses_grow_at_least_as_they_say(problem):
    kappa, beta = problem.losses.growth()
    if not np.isfinite(kappa).all():
        return  # a bound that says nothing
    random = np.random.default_rng(7)
    x = random.normal(size=(5000, problem.n)) * 10.0 ** random.uniform(-2, 2, size=(5000, 1))
    for i in range(problem.losses.m):
        floor = kappa[i] * np.linalg.norm(x, axis=1) - beta[i]
        assert (problem.losses.one(i, x) >= floor - 1e-9 * (1 + np.abs(floor))).all()


def test_slopes_around_zero_make_a_loss_grow():
    kappa, _ = max_affine_losses().losses.growth()
    assert 0.1 < kappa[0] < 0.5
    kappa, _ = max_affine_losses(A=(((1.0, 0.0), (-1.0, 0.0), (0.5, 1.0)),)).losses.growth()
    assert kappa[0] < 0


@pytest.mark.parametrize("problem", [p for p in EXACT if p.n <= 3], ids=named)
def test_smoothings_are_expectations(problem):
    x, eta = np.random.default_rng(2).normal(size=(4, problem.n)), 0.6
    smooth = problem.smoothed(eta)
    assert problem.smoothed(eta) is smooth

    def flat(loss):
        return lambda y: loss(y.reshape(-1, problem.n)).reshape(y.shape[:-1])

    value = sphere.quadrature(flat(problem.f), x, eta=eta, tol=1e-7)
    np.testing.assert_allclose(smooth.f(x), value.value, atol=4 * value.error + 1e-8)
    for i in range(problem.m):
        own = sphere.quadrature(flat(partial(problem.f_i, i)), x, eta=eta, gradient=True, tol=1e-7)
        np.testing.assert_allclose(smooth.grad_f_i(i, x), own.value, atol=4 * own.error + 1e-8)
    parts = sum(smooth.grad_f_i(i, x) for i in range(problem.m)) / problem.m
    np.testing.assert_allclose(smooth.grad_f(x), parts, atol=1e-13)


@pytest.mark.parametrize("problem", EXACT, ids=named)
def test_gradients_of_the_penalised_problem(problem):
    smooth, h = problem.smoothed(0.5), 1e-6
    x = 2 * np.random.default_rng(3).normal(size=(5, problem.n))
    for j in range(problem.n):
        move = h * np.eye(problem.n)[j]
        np.testing.assert_allclose(
            smooth.grad_F(x)[:, j], (smooth.F(x + move) - smooth.F(x - move)) / (2 * h), atol=1e-7
        )


@pytest.mark.parametrize(
    "problem",
    [
        max_affine_losses(low=-1.0, high=1.0),
        max_affine_losses(b=((0.0, 0.5, -0.25),)),
        random_max_affine(n=2, m=3, pieces=5, L0=2.0, low=[-1.0, 0.0], high=1.0),
        norm_distances(centres=((0.0, 1.0), (1.0, 0.0), (-1.0, -0.5))),
        l1_losses(centres=((0.0, 1.0), (0.5, -1.0)), weights=(1.0, 2.0)),
        huber_losses(centres=((0.0, 1.0), (0.5, -1.0)), weights=(1.0, 2.0), mu=0.4),
        linear_over(slopes=((1.0, 0.0), (0.0, 2.0)), kind="simplex"),
        linear_over(slopes=((1.0, 0.0), (0.0, 2.0)), kind="ball", centres=((0.0, 1.0), (1.0, 0.0))),
        two_discs(),
    ],
    ids=named,
)
def test_infima_are_below_every_point(problem):
    smooth = problem.smoothed(0.4)
    random = np.random.default_rng(4)
    x = smooth.minimiser + random.normal(size=(4000, problem.n)) * 10.0 ** random.uniform(-4, 1, size=(4000, 1))
    assert smooth.F(x).min() >= smooth.F_star - smooth.F_star_gap - 1e-12
    assert float(smooth.F(smooth.minimiser[None])[0]) == smooth.F_star
    assert smooth.F_star_gap <= 1e-8


def test_infima_that_are_not_known_are_refused():
    assert linear_over(kind="free").smoothed(1.0).F_star == -math.inf
    assert linear_over(slopes=((1.0,), (-1.0,)), kind="free").smoothed(1.0).F_star == 0
    with pytest.raises(ValueError, match="not known to be convex"):
        _ = norm_distances(L0=-1.0).smoothed(1.0).F_star
    with pytest.raises(ValueError, match="no ball is known"):
        _ = half_space_losses().smoothed(1.0).F_star
    with pytest.raises(ValueError, match="no closed form"):
        ball_losses().smoothed(1.0)


@pytest.mark.parametrize("j", range(1, 9))
def test_two_discs_against_rational_points(j):
    """t = 2 s/(1 - s^2) gives eta L0 = 4 s^3/(1 - s^4) for touching unit discs."""
    s = 2.0**-j
    eta = 4 * s**3 / (1 - s**4)
    point = two_discs_point(gap=1.0, radius=1.0, L0=1.0, eta=eta)
    np.testing.assert_allclose(point, [0, -2 * s / (1 - s * s)], rtol=1e-13)
    if j <= 4:
        smooth = two_discs().smoothed(eta)
        assert np.abs(smooth.grad_F(point[None])).max() <= 1e-12
        assert smooth.F_star == pytest.approx(float(smooth.F(point[None])[0]), abs=1e-9)


def test_smoothed_losses_of_the_line_agree_with_those_of_the_line_module():
    from rateproof.algos.problems.line import absolute_line

    x = np.linspace(-2, 2, 41)[:, None]
    ours = norm_distances(centres=((0.3,), (-1.0,)), L0=(1.0, 2.0), low=-0.5).smoothed(0.7)
    theirs = absolute_line(centre=[0.3, -1.0], slope=[1.0, 2.0], low=-0.5).smoothed(0.7)
    np.testing.assert_allclose(ours.F(x), theirs.F(x), atol=1e-13)
    np.testing.assert_allclose(ours.grad_F(x), theirs.grad_F(x), atol=1e-13)
    assert ours.F_star == pytest.approx(theirs.F_star, abs=1e-9)


def test_samples_are_unbiased_and_of_bounded_variance():
    problem = sampled_distances(centres=(((-1.0, 0.0), (1.0, 0.0), (0.0, 3.0)),), L0=2.0)
    xi = problem.draw(Streams(1, 0, 3000), 1, 2)
    assert xi.shape == (2, 3000, 1, 1) and set(np.unique(xi)) == {0.0, 1.0, 2.0}
    counts = [np.mean(xi == pick) for pick in range(3)]
    assert max(abs(count - 1 / 3) for count in counts) < 6 * math.sqrt(2 / 9 / 6000)
    x = 5 * np.random.default_rng(5).normal(size=(500, 1, 2))
    each = np.stack([problem.values(x, np.full((500, 1, 1), float(pick))) for pick in range(3)])
    np.testing.assert_allclose(each.mean(axis=0), problem.values(x, None), rtol=1e-13)
    assert each.std(axis=0).max() <= problem.constants.nu
    assert problem.facts()["variance_bounded"].holds


def test_additive_noise_is_nu_times_a_sign():
    problem = max_affine_losses(nu=0.5, period=0.3)
    xi = problem.draw(Streams(1, 0, 50), 1, 1)[0]
    x = np.random.default_rng(6).normal(size=(50, 1, 2))
    np.testing.assert_allclose(np.abs(problem.values(x, xi) - problem.values(x, None)), 0.5, rtol=1e-12)
    np.testing.assert_allclose(problem.values(x, xi) + problem.values(x, -xi), 2 * problem.values(x, None), atol=1e-14)
    assert problem.constants.nu == 0.5


@pytest.mark.parametrize(("v", "b", "low", "high"), [(1.0, 0.3, -1.0, 2.0), (-1.0, 0.0, -1.0, 1.0), (0.5, -9.0, 0, 1)])
def test_the_modulus_of_a_relu_loss_on_a_box(v, b, low, high):
    a = np.array([1.0, -2.0])
    want = relu_modulus(a=list(a), v=v, b=b, low=low, high=high)
    problem = relu_losses(A=(tuple(a),), v=v, b=b, power=2)
    ticks = np.linspace(low, high, 401)
    grid = np.stack(np.meshgrid(ticks, ticks), axis=-1).reshape(-1, 2)
    inner = grid - 1e-6 * np.sign(grid - (low + high) / 2)
    ahead = np.clip(inner + 1e-6 * a / np.linalg.norm(a), low, high)
    moved = np.linalg.norm(ahead - inner, axis=1)
    slopes = np.abs(problem.f_i(0, ahead) - problem.f_i(0, inner)) / np.where(moved > 0, moved, 1)
    assert slopes.max() <= want * (1 + 1e-6) + 1e-9
    assert slopes.max() >= 0.98 * want
    assert not problem.facts()["lipschitz"].holds


def test_the_method_runs_on_every_family():
    for problem in ALL:
        method, rng = FedRZO(gamma=0.01, eta=0.3, H=2), Streams(0, 0, 3)
        state = method.init(problem, np.zeros((3, problem.n)), rng)
        state = method.round(problem, state, rng)
        assert np.isfinite(state.x).all()


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: norm_distances(centres=(0.0,)), "centres has shape"),
        (lambda: norm_distances(nu=-1.0), "nu is -1.0"),
        (lambda: linear_over(kind="cube"), "kind is 'cube'"),
        (lambda: relu_losses(power=3), "power is 3"),
        (lambda: huber_losses(mu=0.0), "mu is 0.0"),
        (lambda: two_discs_point(gap=0.5, radius=1.0, L0=1.0, eta=1.0), "gap >= radius"),
        (lambda: random_max_affine(n=0), "at least 1"),
        (lambda: norm_distances().smoothed(-1.0), "eta is -1.0"),
        (lambda: max_affine_losses(b=((0.0,),)), "A has shape"),
    ],
)
def test_bad_input_is_one_line(call, says):
    with pytest.raises(ValueError, match=says) as error:
        call()
    assert "\n" not in str(error.value)
