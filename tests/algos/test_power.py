"""Power growth: exact minimisers, weak sharpness with equality."""

import math

import numpy as np
import pytest

from rateproof.algos.noise import MiniBatch, TwoPoint
from rateproof.algos.problems.base import FACTS
from rateproof.algos.problems.power import PowerGrowth

KAPPAS = [1.0, 1.05, 1.5, 2.0, 2.5, 3.0, 5.0]


@pytest.mark.parametrize("kappa", KAPPAS)
@pytest.mark.parametrize("eta", [1e-8, 1e-3, 0.5, 10.0])
@pytest.mark.parametrize("target", [-2.0, 0.5])
def test_regularised_solution_is_stationary(kappa, eta, target):
    alpha, mu = 0.7, 3.0
    problem = PowerGrowth(alpha=alpha, kappa=kappa, d=[(target, 1.0), (target, 3.0)], mu=mu)
    t, second = problem.regularised_solution(eta)
    assert second == 2.0
    pull = eta * mu * (abs(target) - abs(t))
    if kappa == 1:
        assert (t == 0 and eta * mu * abs(target) <= alpha) or math.isclose(pull, alpha, rel_tol=1e-12)
    elif t == 0:  # the root is below the least float
        assert (kappa - 1) * -750 > math.log(eta * mu * abs(target) / (alpha * kappa))
    else:
        assert math.copysign(1, t) == math.copysign(1, target)
        assert math.isclose(alpha * kappa * abs(t) ** (kappa - 1), pull, rel_tol=1e-11)


@pytest.mark.parametrize("kappa", KAPPAS)
def test_growth_is_an_equality_and_the_gradient_fits(kappa):
    problem = PowerGrowth(alpha=2.0, kappa=kappa, d=[(1.0, 0.0)])
    x = np.array([[0.5, 3.0], [-1.5, 0.0], [2.0, 1.0]])
    distance = np.linalg.norm(x - problem.project(x), axis=1)
    assert np.allclose(problem.h(x), 2.0 * distance**kappa, rtol=1e-14, atol=0)
    step = np.array([1e-6, 0.0])
    slope = (problem.h(x + step) - problem.h(x - step)) / 2e-6
    assert np.allclose(problem.grad_h(0, x)[:, 0], slope, rtol=1e-8)
    out = np.empty_like(x)
    assert problem.grad_h(0, x, out=out) is out
    assert np.array_equal(problem.grad_f(0, x), x - [1.0, 0.0])


def test_subgradient_at_the_kink_is_zero():
    assert not PowerGrowth(kappa=1.0).grad_h(0, np.zeros((1, 2))).any()


def test_constants_in_round_numbers():
    problem = PowerGrowth(alpha=2.0, kappa=2.0, d=[(3.0, 1.0), (5.0, 3.0)], mu=0.5, noise=TwoPoint([3, 4], [0, 1]))
    c = problem.constants
    assert (c.L_h, c.L_f, c.mu_f, c.alpha, c.kappa) == (4.0, 0.5, 0.5, 2.0, 2.0)
    assert np.array_equal(problem.bilevel_solution(), [0.0, 2.0])
    assert (c.f_star, c.inf_f, c.mean_inf_f, c.h_star, c.grad_f_star) == (4.5, 0.5, 0.0, 0.0, 2.0)
    assert (c.sigma_f, c.sigma_h, c.G_f2, c.G_h2) == (5.0, 1.0, 0.5, 0.0)


@pytest.mark.parametrize("kappa", KAPPAS)
def test_only_quadratic_growth_is_smooth(kappa):
    problem = PowerGrowth(kappa=kappa, alpha=3.0)
    facts = problem.facts()
    assert tuple(facts) == FACTS
    assert facts["h_smooth"].holds == (kappa == 2) == math.isfinite(problem.constants.L_h)
    assert problem.constants.G_h2 == 0
    assert all(fact.holds for key, fact in facts.items() if key != "h_smooth")
    assert problem.local_L_h(2.0) == (3.0 * kappa * (kappa - 1) * 2.0 ** (kappa - 2) if kappa >= 2 else math.inf)


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        ({"kappa": 0.5}, "kappa is 0.5"),
        ({"alpha": -1.0}, "alpha is -1"),
        ({"mu": math.nan}, "mu is nan"),
        ({"d": [(1.0,)]}, "shape"),
        ({"noise": MiniBatch(1)}, "additive"),
        ({"noise": TwoPoint([1.0], [1.0])}, "dimension"),
    ],
)
def test_bad_input_is_named(bad, message):
    with pytest.raises(ValueError, match=message):
        PowerGrowth(**bad)
    with pytest.raises(ValueError, match="eta is 0"):
        PowerGrowth().regularised_solution(0)
