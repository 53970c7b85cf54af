"""All outcomes of a round: their number, their means, and what they cannot say."""

import numpy as np
import pytest

from rateproof.algos.methods.dual import SimFBO
from rateproof.algos.methods.fednest import FedNest
from rateproof.algos.methods.mefbo import MeFBO
from rateproof.algos.noise import AdditiveGaussian, TwoPoint
from rateproof.algos.outcomes import EveryCourse, EveryOutcome, Outcomes
from rateproof.algos.problems.bilevel_line import cosine_tracking
from rateproof.algos.problems.bilevel_quadratic import random_bilevel_quadratic

U, V = np.array([0.3, -0.2, 0.5, 0.1]), np.array([0.4, 0.1, -0.3, 0.2])
PROBLEM = random_bilevel_quadratic(m=3, dx=2, dy=2, weights=(0.5, 0.3, 0.2), noise=TwoPoint(U, V))
SERVER = {"lambda_theta": 0.3, "lambda_x": 0.1, "lambda_y": 0.2}


def after(method, problem, rng, z):
    z = np.repeat(z, rng.runs, axis=0)
    return method.round(problem, method.init(problem, z, rng), rng)


def test_every_outcome_stands_once():
    rng = EveryOutcome(PROBLEM, P=2, steps=2)
    assert rng.runs == 3 * 2**8
    mask = rng.sample_clients(1, 3, 2)
    seen = set()
    drawn = np.zeros((rng.runs, 3, 4))
    for i in range(3):
        rows = np.flatnonzero(mask[:, i])
        signs = [rng.signs(stream, 1, i, 2, 1, rows)[..., 0].T for stream in ("xi", "zeta")]
        drawn[rows, i] = np.concatenate(signs, axis=1)
    seen = {tuple(row) for row in drawn.reshape(rng.runs, -1)}
    assert len(seen) == rng.runs and set(np.unique(drawn)) == {-1.0, 0.0, 1.0}
    assert EveryOutcome(random_bilevel_quadratic(m=3), P=2, steps=9).runs == 3


def test_courses_of_several_communications_stand_once():
    rng = EveryCourse({1: Outcomes(2, 2, {"xi": 1}), 2: Outcomes(3, 1, {"zeta": 2}), 5: Outcomes(2, 1, {})})
    assert rng.runs == 4 * (3 * 4) * 2
    rows = np.arange(rng.runs)
    mask, other = rng.sample_clients(2, 3, 1), rng.sample_clients(5, 2, 1)
    drawn = [rng.signs("xi", 1, i, 1, 1, rows)[0] for i in (0, 1)]
    drawn.append(np.zeros((rng.runs, 2)))
    for i in range(3):
        some = np.flatnonzero(mask[:, i])
        drawn[-1][some] = rng.signs("zeta", 2, i, 1, 2, some)[0]
    courses = np.hstack([mask, other, *drawn])
    assert len(np.unique(courses, axis=0)) == rng.runs
    assert (rng.signs("xi", 5, 0, 3, 2, rows) == 1).all()  # no noise there
    with pytest.raises(ValueError, match="communication 2 has 2 signs of each client from 'zeta', not 1"):
        rng.signs("zeta", 2, 0, 1, 1, rows)
    with pytest.raises(ValueError, match=r"communication 7 is not among those that are enumerated: \[1, 2, 5\]"):
        rng.sample_clients(7, 2, 1)
    with pytest.raises(ValueError, match="these outcomes are for P = 1 of 3 clients"):
        rng.sample_clients(2, 3, 2)
    with pytest.raises(ValueError, match="1099511627776 courses"):
        EveryCourse({k: Outcomes(4, 4, {"xi": 5}) for k in (1, 2)})


@pytest.mark.parametrize(("P", "tau"), [(1, 1), (2, 1), (3, 1), (2, 2), (3, 2)])
def test_means_over_the_outcomes_are_exact_on_quadratics(P, tau):
    # Directions are affine in the noise, so that the mean is a noiseless round with all clients.
    method = MeFBO(gamma=0.2, **SERVER, eta_theta=0.05, tau=tau, P=P, c0=2.0)
    z = np.random.default_rng(0).normal(size=(1, 4))
    mean = after(method, PROBLEM, EveryOutcome(PROBLEM, P=P, steps=tau), z)
    quiet = random_bilevel_quadratic(m=3, dx=2, dy=2, weights=(0.5, 0.3, 0.2))
    want = after(
        MeFBO(gamma=0.2, **SERVER, eta_theta=0.05, tau=tau, c0=2.0), quiet, EveryOutcome(quiet, P=3, steps=tau), z
    )
    np.testing.assert_allclose(mean.z.mean(axis=0), want.z[0], atol=1e-13)
    np.testing.assert_allclose(mean.theta.mean(axis=0), want.theta[0], atol=1e-13)


def test_the_variance_of_one_step_is_that_of_its_noise():
    # h_y = grad_2 f/c + grad_2 g + ...: with all equal clients its variance is |U_y|^2/c^2 + |V_y|^2, over m clients.
    alike = random_bilevel_quadratic(m=2, dx=2, dy=2, heterogeneity=0.0, noise=TwoPoint(U, V))
    state = after(MeFBO(gamma=0.2, **SERVER, c0=2.0), alike, EveryOutcome(alike, P=2, steps=1), np.zeros((1, 4)))
    variance = ((state.z - state.z.mean(axis=0)) ** 2).mean(axis=0)
    np.testing.assert_allclose(variance[2:], 0.2**2 * (U[2:] ** 2 / 4 + V[2:] ** 2) / 2, rtol=1e-12)
    np.testing.assert_allclose(variance[:2], 0.1**2 * U[:2] ** 2 / 4 / 2, rtol=1e-12)  # zeta_x cancels
    spread = ((state.theta - state.theta.mean(axis=0)) ** 2).mean(axis=0)
    np.testing.assert_allclose(spread, 0.3**2 * V[2:] ** 2 / 2, rtol=1e-12)


def test_other_methods_with_one_communication():
    z, method = np.random.default_rng(0).normal(size=(1, 4)), SimFBO(eta_y=0.1, eta_v=0.1, eta_x=0.1, P=1)
    mean = after(method, PROBLEM, EveryOutcome(PROBLEM, P=1, steps=3), z).z.mean(axis=0)
    quiet = random_bilevel_quadratic(m=3, dx=2, dy=2, weights=(0.5, 0.3, 0.2))
    want = after(method, quiet, EveryOutcome(quiet, P=1, steps=3), z).z.mean(axis=0)
    np.testing.assert_allclose(mean, want, atol=1e-13)


WRONG = {
    "law": (
        lambda: EveryOutcome(gaussian(), P=1, steps=1),
        "noise is of type AdditiveGaussian; it should be two-point",
    ),
    "P": (lambda: EveryOutcome(PROBLEM, P=4, steps=1), "P is 4; it should be from 1 to the number of clients, 3"),
    "many": (lambda: EveryOutcome(PROBLEM, P=3, steps=9), "outcomes; there should be at most 1048576"),
    "steps": (lambda: run(MeFBO(gamma=0.2, **SERVER, tau=3)), "these outcomes are for 2 signs of each client in one"),
    "participants": (lambda: run(MeFBO(gamma=0.2, **SERVER, P=2)), "these outcomes are for P = 3 of 3 clients"),
    "communications": (lambda: run(FedNest(alpha=0.1, beta=0.1, series="sum")), "these outcomes are for 2 signs"),
    "other": (lambda: EveryOutcome(PROBLEM, P=1, steps=1).normals("xi", 1, 0, 1, 1, np.arange(2)), "only subsets and"),
}


def gaussian():
    return cosine_tracking(noise=AdditiveGaussian.isotropic(2, sigma_f=1.0, sigma_h=1.0))


def run(method):
    return after(method, PROBLEM, EveryOutcome(PROBLEM, P=3, steps=2), np.zeros((1, 4)))


@pytest.mark.parametrize("name", WRONG)
def test_what_cannot_be_enumerated_is_refused_in_one_line(name):
    make, words = WRONG[name]
    with pytest.raises(ValueError, match=words) as error:
        make()
    assert "\n" not in str(error.value)
