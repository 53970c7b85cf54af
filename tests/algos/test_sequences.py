"""Problems of coupled sequences: every map, zero and constant against differences, searches, and all signs of noise."""

import itertools
import math

import numpy as np
import pytest
from clients import assert_refused
from scipy.optimize import minimize, minimize_scalar, root

from rateproof.algos.noise import AdditiveGaussian, MiniBatch, Streams, TwoPoint
from rateproof.algos.outcomes import Outcomes
from rateproof.algos.problems.bilevel_line import double_well
from rateproof.algos.problems.bilevel_quadratic import random_bilevel_quadratic, tracking_quadratic
from rateproof.algos.problems.bilevel_sequences import blo_maps_eq2, blo_maps_eq10
from rateproof.algos.problems.bilevel_tracking import scalar_tracking, scalar_tracking_sequences
from rateproof.algos.problems.compositional import quadratic_chain, smooth_chain
from rateproof.algos.problems.linear_sequences import (
    LinearSequences,
    bilevel_sequences,
    linear,
    linear_sequences,
    pure_noise,
    random_bilevel_sequences,
    random_sequences,
    rotation_sequences,
    wave_noise,
)
from rateproof.algos.problems.profiles import PROFILES
from rateproof.algos.problems.risk_averse import risk_averse
from rateproof.algos.problems.sequences import LevelNoise

DIFFERENT = {"D": (1.0, 2.0), "E": (1.0, 3.0), "e": (0.0, 1.0)}
LINEAR = {
    "I1a": lambda **more: linear_sequences(**more),
    "I1b": lambda **more: linear_sequences(**DIFFERENT, **more),
    "I1c": lambda **more: rotation_sequences(**more),
    "N = 2": lambda **more: random_sequences(N=2, tau_0=0.7, tau_s=0.3, **more),
    "N = 3": lambda **more: random_sequences(N=3, d=2, tau_s=0.4, common=False, seed=1, **more),
    "I2": lambda **more: bilevel_sequences(**more),
    "I2 drawn": lambda **more: random_bilevel_sequences(m=3, dx=2, dy=3, **more),
    "I2 as printed": lambda **more: bilevel_sequences(maps="eq10", **more),
}


def difference(function, at, step=1e-5):
    """The Jacobian of a function of rows at one point, by central differences: ``(outputs, inputs)``."""
    steps = step * np.eye(len(at))
    return (function(at + steps) - function(at - steps)).T / (2 * step)


def points(problem, runs=5, seed=0):
    return np.random.default_rng(seed).normal(size=(runs, problem.n))


def norm(matrix):
    return np.linalg.norm(matrix, ord=2)


def most(matrices):
    return np.linalg.norm(matrices, ord=2, axis=(-2, -1)).max()


def by_jacobians(problem, w):
    """What constants are by the clients' Jacobians at some points, ``(points, n)``, a number for each sequence."""
    J = np.array([[difference(lambda u, i=i: problem.maps(i, u), at) for at in w] for i in range(problem.m)])
    mean, (x, *blocks) = J.mean(axis=0), problem.blocks
    alone, against = J - mean, J - problem.m * mean
    pairs = list(zip([x, *blocks], blocks, strict=False))
    own = [mean[:, z, z] for z in blocks]
    of_z = {
        "L_s_each": [most(J[..., z, z]) for z in blocks],
        "L_u_each": [most(J[..., z, u]) for u, z in pairs],
        "L_joint_each": [most(J[..., z, u.start : z.stop]) for u, z in pairs],
        "L_z_each": [most(np.linalg.solve(mean[:, z, z], mean[:, z, u])) for u, z in pairs],
        "lam_mean_each": [np.linalg.eigvalsh(k + k.swapaxes(1, 2))[:, 0].min() / 2 for k in own],
        "tau_each": [most(alone[..., z, :]) for z in blocks],
        "tau_sum_each": [most(against[..., z, :]) for z in blocks],
    }
    of_x = {"L_P": J[..., x, :], "L_x": J[..., x, x], "L_Z": J[..., x, x.stop :]}
    of_x |= {"tau_0": alone[..., x, :], "tau_0_sum": against[..., x, :]}
    return of_z, {key: most(matrices) for key, matrices in of_x.items()}, J


def all_signs(problem, batch=1):
    """Samples of client 0, one outcome a row."""
    noisy = [size > 0 for size in problem.noise.sigma]
    signs = {"xi": batch * noisy[0], "zeta": batch * sum(noisy[1:])}
    rng = Outcomes(1, 1, signs)
    return problem.draw(rng, 1, 0, 1, np.arange(rng.runs), batch)[0]


@pytest.mark.parametrize("name", LINEAR)
@pytest.mark.parametrize("normalisation", ["mean", "sum"])
def test_zeros_and_constants_of_affine_maps(name, normalisation):
    problem = LINEAR[name](normalisation=normalisation)
    m, scale, c = problem.m, problem.m if normalisation == "sum" else 1, problem.constants
    w = points(problem)
    np.testing.assert_allclose(sum(problem.maps(i, w) for i in range(m)) / m, problem.mean_maps(w), atol=1e-12)
    of_z, of_x, J = by_jacobians(problem, w[:1])
    for key, want in {**of_z, **of_x}.items():
        np.testing.assert_allclose(getattr(c, key), want, rtol=1e-7, atol=1e-7, err_msg=key)
    x, *blocks = problem.blocks
    before = [x, *blocks[:-1]]
    np.testing.assert_allclose(problem.mean_maps(problem.settled(w[:, x]))[:, blocks[0].start :], 0, atol=1e-12)
    for n, (block, u) in enumerate(zip(blocks, before, strict=True), start=1):
        found = root(lambda z, n=n, u=u: _with(problem, w[0], n, z)[problem.blocks[n]], w[0, block]).x
        np.testing.assert_allclose(problem.fixed(n, w[:1, u])[0], found, atol=1e-7)
        gap = ((w[:, block] - problem.fixed(n, w[:, u])) ** 2).sum(axis=1)
        np.testing.assert_allclose(problem.gaps(w)[:, n - 1], gap)
        least = min(np.linalg.eigvalsh(own + own.T)[0] / 2 for own in J[:, 0, block, block])
        at_zero = max(np.abs(problem.maps(i, problem.settled(w[:, x]))[:, block]).max() for i in range(m))
        assert c.lam_each[n - 1] == (pytest.approx(least, rel=1e-7) if at_zero < 1e-9 else -math.inf)
    P = [difference(lambda v, i=i: problem.maps(i, problem.settled(v))[:, x], w[0, x]) for i in range(m)]
    assert c.L_p == c.Lb_p == pytest.approx(max(map(norm, P)), abs=1e-7) and not any(c.dL_z_each)
    np.testing.assert_allclose(problem.P(w[:, x]), scale * problem.mean_maps(problem.settled(w[:, x]))[:, x])
    G = difference(problem.P, w[0, x])
    np.testing.assert_allclose(problem.G, G, atol=1e-7)
    assert c.L_hyp == pytest.approx(norm(G), abs=1e-7)
    facts = problem.facts()
    assert facts["potential"].holds == np.allclose(G, G.T, atol=1e-6) == (name != "I1c")
    if facts["potential"].holds:
        np.testing.assert_allclose(difference(lambda v: problem.f(v)[:, None], w[0, x])[0], problem.P(w[:1, x])[0])
    if facts["bounded_below"].holds and np.linalg.eigvalsh(G)[0] > 1e-9:
        found = minimize(lambda v: problem.f(v[None])[0], np.zeros(problem.dims[0]), tol=1e-12)
        assert c.f_inf == pytest.approx(found.fun, abs=1e-9)
        np.testing.assert_allclose(problem.solution[x], found.x, atol=1e-4)
    np.testing.assert_allclose(problem.mean_maps(problem.solution[None]), 0, atol=1e-12)
    assert c.lam_n == min(c.lam_each) and c.tau_het == max(c.tau_0, *c.tau_each) and c.L_zn == max(c.L_z_each)
    assert facts["common_zeros"].holds == all(problem.common_zeros) == (c.lam_n > -math.inf)


def _with(problem, w, n, z):
    """Mean maps where ``z^n`` is replaced."""
    moved = w.copy()
    moved[problem.blocks[n]] = z
    return problem.mean_maps(moved[None])[0]


def test_the_instances_of_the_catalog():
    a, b, c = linear_sequences(), linear_sequences(**DIFFERENT), rotation_sequences()
    assert a.common_zeros == (True,) and b.common_zeros == (False,) and c.common_zeros == (True,)
    # z*(x) = x/2 + 1; P(x) = (3/2 + 2/5 * 1/2) x + 2/5
    np.testing.assert_allclose(a.G, 1.7)
    np.testing.assert_allclose(a.P(np.array([[0.0], [2.0]])), [[0.4], [3.8]])
    np.testing.assert_allclose(b.fixed(1, np.array([[1.0]])), [[(2 + 0.5) / 1.5]])
    assert (a.constants.tau_0, a.constants.lam_n) == (pytest.approx(math.hypot(0.5, 0.2)), 1.0)
    x = np.array([[3.0, 4.0]])
    assert (x @ c.P(x).T)[0, 0] == 0 and np.linalg.norm(c.P(x)) == 5 and math.isnan(c.constants.f_inf)
    wave = wave_noise(t=0.25, c=0.5, omega=4.0)
    assert (wave.constants.tau_0, wave.constants.sigma_0, wave.constants.f_inf) == (0.25, 0.5, 0.0)
    assert wave.constants.Lb_p == pytest.approx(math.hypot(1.25, 2.0)) and wave.solution.tolist() == [0.0, 0.0]
    quiet = pure_noise(s=3.0)
    assert quiet.constants.sigma_0 == 3.0 and not quiet.mean_maps(np.ones((1, 2)))[0, 0]


@pytest.mark.parametrize(("m", "N", "common"), [(1, 1, True), (2, 1, True), (4, 2, False), (3, 3, True)])
def test_heterogeneity_is_what_was_asked_for(m, N, common):
    c = random_sequences(m=m, N=N, tau_0=0.3, tau_s=0.2, common=common).constants
    assert c.tau_0 == pytest.approx(0.3 * (m > 1)) and c.tau_each == pytest.approx((0.2 * (m > 1),) * N)
    assert (c.lam_n > -math.inf) == (common or m == 1) and c.L_hyp <= 2 and c.f_inf > -math.inf


@pytest.mark.parametrize("law", ["two_point", "gain", "wave"])
def test_noise_has_mean_zero_and_the_variance_that_is_said(law):
    problem = random_sequences(N=2, d=2, sigma_p=0.3, sigma_s=(0.5, 0.0), law=law)
    sample = all_signs(problem)
    assert len(sample) == 4
    w = np.broadcast_to(points(problem)[0], (4, problem.n))
    noise = problem.sampled(0, w, sample) - problem.maps(0, w)
    np.testing.assert_allclose(noise.mean(axis=0), 0, atol=1e-15)
    np.testing.assert_allclose(problem.noise_of(0, w, sample), noise, atol=1e-15)
    exact = problem.maps(0, w)[0]
    for n, block in enumerate(problem.blocks):
        size = problem.noise.sigma[n]
        variance = (noise[:, block] ** 2).sum(axis=1).mean()
        waves = (np.sin(w[0, block]) ** 2).mean()
        want = {"two_point": 1.0, "gain": (exact[block] ** 2).sum(), "wave": waves}[law]
        assert variance == pytest.approx(size**2 * want)
        bound = (problem.constants.sigma_0, *problem.constants.sigma_each)[n]
        assert bound == (math.inf if law == "gain" and size else size) and variance <= bound**2 * (1 + 1e-9)
    assert problem.additive == (law == "two_point") and not problem.silent
    cov = np.einsum("ri,rj->ij", noise, noise)
    assert np.abs(cov[problem.blocks[0], problem.blocks[1]]).max() < 1e-12  # levels are independent
    batches = all_signs(problem, batch=3)
    w = np.broadcast_to(w[0], (len(batches), problem.n))
    spread = ((problem.sampled(0, w, batches) - problem.maps(0, w)) ** 2).mean(axis=0)
    np.testing.assert_allclose(spread, (noise**2).mean(axis=0) / 3, atol=1e-15)


def test_mean_lipschitz_constants_are_attained():
    for problem in (wave_noise(t=0.25, c=0.5, omega=4.0), linear_sequences(sigma_p=0.5, sigma_s=0.7, law="gain")):
        sample, c = all_signs(problem), problem.constants
        near, far = (np.broadcast_to(problem.settled(np.array([[x]])), (len(sample), 2)) for x in (1e-6, -1e-6))
        i = 0  # the client with the larger slope of P
        change = (problem.sampled(i, near, sample) - problem.sampled(i, far, sample))[:, 0]
        assert (change**2).mean() ** 0.5 / 2e-6 == pytest.approx(c.Lb_p, rel=1e-6)
        near, far = (np.broadcast_to([[0.0, z]], (len(sample), 2)) for z in (1.0, 2.0))
        change = [problem.sampled(i, near, sample) - problem.sampled(i, far, sample) for i in (0, 1)]
        assert max((k[:, 1] ** 2).mean() for k in change) ** 0.5 == pytest.approx(c.Lb_s)


def test_gaussian_batches_shrink_like_the_root():
    law, rows = LevelNoise((1.0, 0.0, 2.0), "gaussian"), np.arange(2000)
    one, four = (law.draw(Streams(0, 0, 2000), 1, 0, 1, rows, (2, 1, 3), batch) for batch in (1, 4))
    np.testing.assert_allclose(one, 2 * four)
    added = law.added(np.zeros((2000, 6)), np.zeros((2000, 6)), one[0], (2, 1, 3))
    variances = [(added[:, block] ** 2).sum(axis=1).mean() for block in (slice(2), slice(2, 3), slice(3, 6))]
    np.testing.assert_allclose(variances, [1, 0, 4], rtol=0.2)


# --- bilevel problems


def test_maps_of_quadratic_clients_are_those_of_the_paper():
    problem = tracking_quadratic(m=3, dx=2, dy=2, H=(1.0, 2.0, 3.0), B=(1.0, -1.0, 2.0), t=np.ones((3, 2)), Q=(2, 1, 0))
    x, w, v = np.random.default_rng(0).normal(size=(3, 4, 2))
    model = np.concatenate([x, w, v], axis=1)
    H, B, Q, c = np.array([1.0, 2, 3]), np.array([1.0, -1, 2]), np.array([2.0, 1, 0]), np.array([0.0, 1.0])
    for i in range(3):
        S_w, P, f_w = H[i] * w - B[i] * x - c, 0.1 * x + B[i] * v, Q[i] * (w - 1)
        want = np.concatenate([P, S_w, H[i] * v - f_w], axis=1)
        np.testing.assert_allclose(blo_maps_eq2(problem).maps(i, model), want, atol=1e-13)
        np.testing.assert_allclose(blo_maps_eq10(problem).maps(i, model)[:, 4:], H[i] * v - 0.1 * x, atol=1e-13)


@pytest.mark.parametrize("weights", [None, (0.5, 0.2, 0.3)])
def test_zeros_of_the_bilevel_maps(weights):
    problem = random_bilevel_quadratic(m=3, dx=2, dy=3, weights=weights)
    maps, x = blo_maps_eq2(problem), points(problem)[:, :2]
    settled = maps.settled(x)
    np.testing.assert_allclose(settled[:, 2:5], problem.lower_solution(x))
    np.testing.assert_allclose(maps.P(x), problem.hypergradient(x), atol=1e-12)
    np.testing.assert_allclose(maps.mean_maps(settled)[:, 2:], 0, atol=1e-12)
    w = points(maps)
    np.testing.assert_allclose(maps.mean_maps(w), sum(maps.maps(i, w) for i in range(3)) / 3, atol=1e-12)
    matrices = linear(maps)
    np.testing.assert_allclose(matrices.mean_maps(w), maps.mean_maps(w), atol=1e-12)
    np.testing.assert_allclose(matrices.maps(1, w), maps.maps(1, w), atol=1e-12)
    np.testing.assert_allclose(matrices.solution[:5], problem.solution[0], atol=1e-9)


def test_quadratic_tracking_against_the_closed_forms():
    H, B, c, Q, t = (np.array(k) for k in ((1.0, 3.0), (2.0, -1.0), (0.5, 1.0), (1.0, 2.0), (1.0, -1.0)))
    problem = tracking_quadratic(H=H, B=B, shift=c, Q=Q, t=t, mu=0.3)
    x = np.array([[0.7], [-2.0]])
    w = (B.mean() * x + c.mean()) / H.mean()
    v = (Q.mean() * w - (Q * t).mean()) / H.mean()
    np.testing.assert_allclose(problem.lower_solution(x), w)
    np.testing.assert_allclose(problem.hypergradient(x), 0.3 * x + B.mean() * v)
    k = bilevel_sequences(H=H, B=B, c=c, Q=Q, t=t, mu=0.3).constants
    sides = [np.array([[h, 0], [-q, h]]) for h, q in zip(H, Q, strict=True)]
    assert k.L_s == pytest.approx(max(map(norm, sides)))
    assert k.lam_mean_each[0] == pytest.approx(H.mean() - Q.mean() / 2)
    # the common-zero family: B = H T, c = H t, Q = theta H, one centre
    alike = bilevel_sequences(H=H, B=H * 0.5, c=H * 2.0, Q=0.4 * H, t=1.0, mu=0.3)
    assert alike.facts()["common_zeros"].holds
    assert alike.constants.lam_n == pytest.approx((H * (1 - 0.2)).min())


def test_batches_of_bilevel_samples():
    rows = np.arange(4)
    for noise in (TwoPoint(np.ones(5), np.arange(5.0)), MiniBatch(2)):
        problem = random_bilevel_quadratic(m=2, dx=2, dy=3, rows=6, noise=noise)
        maps, w = blo_maps_eq2(problem), points(random_bilevel_sequences(dx=2, dy=3), 4)
        (three,) = maps.draw(Streams(0, 0, 4), 1, 0, 1, rows, 3)
        singly = problem.draw(Streams(0, 0, 4), 1, 0, 3, rows)
        want = sum(maps.sampled(0, w, sample) for sample in singly) / 3
        np.testing.assert_allclose(maps.sampled(0, w, three), want, atol=1e-13)
    law = AdditiveGaussian.isotropic(5, sigma_f=0.5, sigma_h=1.0)
    c = blo_maps_eq2(random_bilevel_quadratic(m=2, dx=2, dy=3, noise=law)).constants
    assert c.sigma_0 == pytest.approx(0.5 * 0.4**0.5) and c.sigma_n == pytest.approx((0.25 * 0.6 + 0.6) ** 0.5)


@pytest.mark.parametrize("shape", ["root", "cosine"])
@pytest.mark.parametrize("alike", [False, True])
def test_scalar_tracking(shape, alike):
    settings = {"h": (1.0, 2.5), "kappa": (1.0, 2.5) if alike else (1.5, 0.5), "t": 0.3 if alike else (1.0, -0.7)}
    problem = scalar_tracking(**settings, T=0.8, shape=shape)
    z = points(problem)
    for i in range(2):
        for value, gradient in ((problem.f_i, problem.gradient_f), (problem.g_i, problem.gradient_g)):
            want = difference(lambda u, i=i, value=value: value(i, u)[:, None], z[0])[0]
            np.testing.assert_allclose(gradient(i, z[:1])[0], want, atol=1e-8)
        v = np.array([[0.7]])
        bent = difference(lambda u, i=i: problem.gradient_g(i, u)[:, 1:], z[0])[0]
        np.testing.assert_allclose(problem.product_g(i, z[:1], v)[0], 0.7 * bent, atol=1e-8)
    k, line = problem.constants, np.linspace(-9, 9, 3001)
    steep = [problem.gradient_f(i, np.stack([line, line], axis=1))[:, 1] for i in range(2)]
    steepest = max(np.abs(np.diff(s)).max() for s in steep) / (line[1] - line[0])
    assert steepest == pytest.approx(k.L_1, rel=1e-4)
    assert np.abs(steep).max() == pytest.approx(k.L_f, rel=1e-2) and k.L_f >= np.abs(steep).max()
    Hessians = [difference(lambda u, i=i: problem.gradient_g(i, u), z[0]) for i in range(2)]
    assert max(map(norm, Hessians)) == pytest.approx(k.L_2) and k.mu == pytest.approx(min(J[1, 1] for J in Hessians))
    x = np.linspace(-9, 9, 200_001)[:, None]
    values = problem.F(np.concatenate([x, problem.lower_solution(x)], axis=1))
    assert problem.constants.F_inf == pytest.approx(values.min(), abs=1e-7)
    np.testing.assert_allclose(problem.hypergradient(x)[1:-1, 0], np.gradient(values, x[:, 0])[1:-1], atol=1e-6)
    maps = scalar_tracking_sequences(**settings, T=0.8, shape=shape)
    np.testing.assert_allclose(maps.P(x[:9]), problem.hypergradient(x[:9]), atol=1e-14)
    np.testing.assert_allclose(maps.mean_maps(maps.settled(x[:9]))[:, 1:], 0, atol=1e-13)
    c, w = maps.constants, np.linspace(-6, 6, 4001)
    # all that bends is S in w, so that suprema are over w alone
    of_z, of_x, _ = by_jacobians(maps, np.stack([0.2 + 0 * w, w, 0.5 + 0 * w], axis=1))
    del of_z["L_z_each"]  # is over x
    for key, want in {**of_z, **of_x}.items():
        np.testing.assert_allclose(getattr(c, key), want, rtol=1e-5, atol=1e-8, err_msg=key)
    x = np.linspace(-8, 8, 8001)[:, None]
    star, step = maps.fixed(1, x), float(x[1, 0] - x[0, 0])
    first = np.diff(star, axis=0) / step
    assert c.L_z1 == pytest.approx(np.linalg.norm(first, axis=1).max(), rel=1e-4)
    assert c.dL_z_each[0] == pytest.approx(np.linalg.norm(np.diff(first, axis=0) / step, axis=1).max(), rel=1e-3)
    assert c.L_hyp == pytest.approx(np.abs(np.diff(maps.P(x), axis=0) / step).max(), rel=1e-4)
    each = [np.abs(np.diff(maps.maps(i, maps.settled(x))[:, 0]) / step).max() for i in range(2)]
    assert c.L_p == pytest.approx(max(each), rel=1e-4)
    if not alike:
        assert c.lam_n == -math.inf
        return
    away = np.random.default_rng(0).normal(size=(40000, 2)) * np.geomspace(1e-4, 3, 40000)[:, None]
    at = np.concatenate([np.full((40000, 1), 0.3 / 0.8), maps.fixed(1, np.array([[0.3 / 0.8]])) + away], axis=1)
    ratios = [(maps.maps(i, at)[:, 1:] * away).sum(axis=1) / (away**2).sum(axis=1) for i in range(2)]
    assert c.lam_n <= np.min(ratios) + 1e-9 and c.lam_n == pytest.approx(np.min(ratios), abs=1e-3)


# --- compositions


def test_profiles_know_their_slopes_and_bends():
    u = np.linspace(-7, 7, 140_001)
    for name, psi in PROFILES.items():
        slope, bend = psi.slope(u), psi.curvature(u)
        np.testing.assert_allclose(np.gradient(psi.value(u), u)[1:-1], slope[1:-1], atol=1e-6)
        np.testing.assert_allclose(np.gradient(slope, u)[1:-1], bend[1:-1], atol=1e-6)
        np.testing.assert_allclose(psi.bends, (bend.min(), bend.max()), atol=1e-2)
        over = psi.over(-1.0, 2.0)
        some = (u >= -1) & (u <= 2)
        np.testing.assert_allclose(over, (np.abs(slope[some]).max(), bend[some].min(), bend[some].max()), atol=1e-7)
        if name != "square":
            np.testing.assert_allclose(psi.slopes, (slope.min(), slope.max()), atol=2e-2)
            assert psi.steepest == max(map(abs, psi.slopes))


CHAINS = {
    "I5": lambda **more: quadratic_chain(**more),
    "I5 alike": lambda **more: quadratic_chain(a=2.0, b=0.5, **more),
    "I5 N = 3": lambda **more: quadratic_chain(
        m=3, N=3, a=np.arange(1.0, 10).reshape(3, 3) / 5, b=(1, 0, 2), c=(2, 1, 3), **more
    ),
    "I6 N = 1": lambda **more: smooth_chain(levels="tanh,linear", gain=(1.0, 2.0), slope=(0.5, 0.0), **more),
    "I6 N = 2": lambda **more: smooth_chain(gain=(1.0, 0.6), **more),
    "I6 N = 3": lambda **more: smooth_chain(levels="sin,root,tanh,log_cosh", gain=(1.0, 0.8), slope=0.1, **more),
}
BENT_ONCE = ("I5", "I5 alike", "I5 N = 3", "I6 N = 1")


@pytest.mark.parametrize("name", CHAINS)
@pytest.mark.parametrize("normalisation", ["mean", "sum"])
def test_zeros_and_constants_of_chains(name, normalisation):
    problem = CHAINS[name](normalisation=normalisation)
    m, N, c = problem.m, problem.N, problem.constants
    x = np.linspace(-2, 2, 5)[:, None]
    composed = x
    for n in range(N + 1):
        composed = sum(problem.value(i, n, composed) for i in range(m)) / m
    np.testing.assert_allclose(problem.f(x), composed[:, 0])
    gradient = [difference(lambda u: problem.f(u)[:, None], p)[0] for p in x]
    np.testing.assert_allclose(problem.grad_f(x), gradient, rtol=1e-6, atol=1e-8)
    settled = problem.settled(x)
    np.testing.assert_allclose(problem.mean_maps(settled)[:, 1:], 0, atol=1e-14)
    scale = m if normalisation == "sum" else 1
    means = np.allclose(problem.P(x), scale * problem.grad_f(x))
    assert problem.facts()["means_multiply"].holds == means == (name in ("I5 alike",))
    # constants from Jacobians at many points
    w = 2.5 * np.random.default_rng(0).normal(size=(300, problem.n))
    w[0] = 0.0
    of_z, of_x, _ = by_jacobians(problem, w)
    for key, want in of_z.items():
        assert (np.array(getattr(c, key)) >= np.array(want) - 1e-7).all(), key
        np.testing.assert_allclose(getattr(c, key), want, rtol=3e-2, atol=1e-7, err_msg=key)
    along = np.linspace(-3, 3, 6001)[:, None]
    for n in range(1, N + 1):
        bends = np.abs(np.diff(problem.fixed(n, along)[:, 0], 2) * 1e6).max()
        assert c.dL_z_each[n - 1] == pytest.approx(bends, rel=1e-3, abs=1e-6)
        same = all(np.allclose(problem.value(i, n - 1, x), problem.value(0, n - 1, x)) for i in range(m))
        assert c.lam_each[n - 1] == (1.0 if same else -math.inf)
    each = [problem.maps(i, problem.settled(along))[:, 0] for i in range(m)]
    of_x["L_p"] = max(np.abs(np.diff(values) * 1e3).max() for values in each)
    of_x["L_hyp"] = np.abs(np.diff(problem.P(along)[:, 0]) * 1e3).max()
    for key, want in of_x.items():
        got = getattr(c, key)
        assert got >= want - 1e-6 and (name not in BENT_ONCE or got == pytest.approx(want, rel=2e-2, abs=1e-6)), key
    if name.startswith("I5"):
        found = minimize_scalar(lambda u: problem.f(np.array([[u]]))[0], tol=1e-12)
        assert c.f_inf == pytest.approx(scale * found.fun, abs=1e-12)
        assert problem.solution == pytest.approx(found.x, abs=1e-6)


def test_the_numbers_of_the_catalog_for_compositions():
    unequal, equal = quadratic_chain(), quadratic_chain(a=2.0, b=(0.5, 0.5))
    assert unequal.solution == equal.solution == 0.25
    x = np.array([[0.25]])
    assert unequal.grad_f(x)[0, 0] == 0 and equal.P(x)[0, 0] == 0
    # mean_i a_i (c_i abar x - b_i) = (1 * (0.5 - 1) + 3 * 0.5)/2
    assert unequal.P(x)[0, 0] == 0.5


@pytest.mark.parametrize("N", [1, 2])
def test_samples_of_chains(N):
    numbers = {"sigma_v": 0.3, "sigma_J": 0.4}
    problem = quadratic_chain(N=N, a=(2.0, 1.0), **numbers) if N == 1 else smooth_chain(gain=(1.0, 0.5), **numbers)
    rng = Outcomes(1, 1, {"xi": 1, "zeta": N + 1})
    (sample,) = problem.draw(rng, 1, 0, 1, np.arange(rng.runs), 1)
    w = np.broadcast_to(points(problem)[0], (rng.runs, N + 1))
    drawn, exact, c = problem.sampled(0, w, sample), problem.maps(0, w)[0], problem.constants
    # factors of the product have independent signs, so that it is unbiased
    np.testing.assert_allclose(drawn.mean(axis=0), exact, atol=1e-14)
    np.testing.assert_allclose(drawn[:, 1:].var(axis=0), 0.09)
    slopes = np.array([problem.jacobian(0, n, w[:1, n : n + 1])[0, 0, 0] for n in range(N + 1)])
    variance = np.prod(slopes**2 + 0.16) - np.prod(slopes**2)
    assert drawn[:, 0].var() == pytest.approx(variance)
    assert not problem.additive and c.sigma_each == (0.3,) * N
    if N == 1:
        assert c.sigma_0 == math.inf and c.Lb_p == pytest.approx(math.hypot(2.0, 0.4) * 1.5)
        near, far = problem.settled(np.array([[0.0], [1.0]]))
        change = np.diff([problem.sampled(0, np.broadcast_to(p, w.shape), sample)[:, 0] for p in (near, far)], axis=0)
        assert (change**2).mean() ** 0.5 == pytest.approx(c.Lb_p)
    else:
        assert c.sigma_0 == pytest.approx((1.16**3 - 1) ** 0.5) and c.sigma_0**2 >= variance
    # the plug-in gradient at a sampled value is biased where the outer slope bends
    if N == 2:
        u = problem.value(0, 0, w[:1, :1]) + np.array([[0.3], [-0.3]])
        assert abs(problem.jacobian(0, 1, u).mean() - problem.jacobian(0, 1, u.mean(axis=0)[None])[0, 0, 0]) > 1e-3


@pytest.mark.parametrize("link", ["linear", "square"])
@pytest.mark.parametrize("power", [1, 2])
def test_the_risk_averse_composition(link, power):
    problem = risk_averse(link=link, excess_power=power, rows=3, d=2, lam=0.7, delta=0.2, batch_size=1, noise_level=0.5)
    assert problem.dims == (2, 3, 2) and problem.N == 2
    w = points(problem)
    w[:, 5:] = np.abs(w[:, 5:])
    parts = problem.split(w)
    for n in range(3):
        for i in range(2):
            want = difference(lambda u, i=i, n=n: problem.value(i, n, u), parts[n][0], 1e-6).T
            np.testing.assert_allclose(problem.jacobian(i, n, parts[n][:1])[0], want, atol=1e-5)
    x = w[:, :2]
    inner = np.einsum("mkd,rd->rmk", problem.a, x).reshape(5, 6)
    U = (problem.v.reshape(6) - (inner if link == "linear" else inner**2)) ** 2
    mean = U.mean(axis=1, keepdims=True)
    risk = (np.maximum(U - mean, 0) ** power).mean(axis=1)
    np.testing.assert_allclose(problem.f(x), mean[:, 0] + 0.7 * np.sqrt(risk + 0.2))
    want = [difference(lambda u: problem.f(u)[:, None], p, 1e-6)[0] for p in x]
    np.testing.assert_allclose(problem.grad_f(x), want, rtol=1e-4, atol=1e-4)
    rows = [tuple(np.full((1, 1), k) for k in chosen) for chosen in itertools.product(range(3), repeat=3)]
    drawn = np.mean([problem.sampled(1, w[:1], sample) for sample in rows], axis=0)
    np.testing.assert_allclose(drawn, problem.maps(1, w[:1]), atol=1e-12)
    three = problem.draw(Streams(0, 0, 4), 1, 0, 2, np.arange(4), 5)
    assert [part.shape for part in three[0]] == [(4, 5)] * 3 and len(three) == 2
    assert not np.array_equal(three[0][0], three[0][2])
    exact = risk_averse(link=link, excess_power=power)
    assert exact.silent and exact.additive and exact.x0[:4].tolist() == [0.1] * 4
    np.testing.assert_allclose(exact.gaps(exact.x0[None]), 0)


def test_equal_rows_make_equal_clients():
    problem = risk_averse(heterogeneity=0.0, d=2, link="linear")
    x = points(problem)[:, :2]
    np.testing.assert_allclose(problem.P(x), problem.grad_f(x), atol=1e-12)
    assert problem.constants.lam_n == 1.0 and risk_averse().constants.lam_n == -math.inf


WRONG = [
    (lambda: linear_sequences(N=0), "N is 0; it should be a whole number, at least 1"),
    (lambda: random_sequences(N=0), "N is 0; it should be a whole number, at least 1"),
    (lambda: smooth_chain(levels="sin"), "levels has 1 name, N = 0; it should have at least 2, so that N"),
    (lambda: linear_sequences(D=(1.0, 2.0, 3.0)), r"D has shape \(3,\); .* each of 2 clients, \(2,\), or one"),
    (lambda: linear_sequences(d=2, D=np.ones((2, 1, 3, 3))), r"D has shape \(2, 1, 3, 3\); it should be"),
    (
        lambda: LinearSequences(J=np.ones((1, 3, 3)), j=np.zeros((1, 3)), dims=(1, 1)),
        r"J has shape \(1, 3, 3\); it should be \(1, 2, 2\)",
    ),
    (
        lambda: LinearSequences(J=np.ones((1, 3, 3)), j=np.zeros((1, 3)), dims=(1, 1, 1)),
        r"S\^1 depends on more than z\^0 and z\^1",
    ),
    (lambda: linear_sequences(D=(1.0, -1.0)), "S.1 has no unique zero .* of its mean D is 0; it should be"),
    (
        lambda: linear_sequences(D=(1.0, -3.0)),
        "S.1 is not attracting in z.1: the least real part of an eigenvalue of its mean D is -1; it should be positive",
    ),
    (lambda: linear_sequences(sigma_s=(1.0, 2.0)), r"sigma_s has shape \(2,\); it should be one number, or one"),
    (
        lambda: LinearSequences(J=np.eye(2)[None], j=np.zeros((1, 2)), dims=(1, 1), noise=LevelNoise((1.0,))),
        "noise has 1 sizes; it should have 2",
    ),
    (lambda: linear_sequences(sigma_p=-1.0), "sigma_p is -1.0; it should be a finite number, at least"),
    (lambda: linear_sequences(law="x"), "law is 'x'; it should be one of two_point, gaussian, gain, wave"),
    (lambda: linear_sequences(normalisation="x"), "normalisation is 'x'; it should be 'mean' or 'sum'"),
    (lambda: blo_maps_eq2(double_well()), "FedMSA does not project; X and Y should be whole spaces"),
    (
        lambda: blo_maps_eq10(random_bilevel_quadratic(dx=3, dy=4)),
        r"\(10a\) puts grad_x f, of length 3, where length 4 is asked for",
    ),
    (lambda: wave_noise(m=3), "m is 3; it should be even, or t should be 0"),
    (lambda: random_sequences(lam=2.0, L=1.0), "lam is 2 and L is 1; they should satisfy 0 < lam <= L"),
    (lambda: scalar_tracking(h=(1.0, 0.0)), "they should be positive and at least 0"),
    (lambda: scalar_tracking(shape="x"), "shape is 'x'; it should be 'root' or 'cosine'"),
    (lambda: smooth_chain(levels="sin,sine"), "levels has 'sine'; it should have names of linear, square"),
    (lambda: quadratic_chain(sigma_J=-1.0), "sigma_J is -1; it should be at least 0"),
    (lambda: quadratic_chain(a=(1, 2, 3)), r"a has shape \(3,\); it should be one number, or of shape \(2,\)"),
    (lambda: quadratic_chain(a=(1.0, -1.0)).solution, "no unique minimiser: the slope is 0"),
    (lambda: risk_averse(delta=0.0), "delta is 0; it should be positive, or the root has no slope at 0"),
    (lambda: risk_averse(excess_power=3), "excess_power is 3; it should be 1 or 2"),
    (lambda: risk_averse(link="x"), "link is 'x'; it should be 'linear' or 'square'"),
    (lambda: rotation_sequences().f(np.ones((1, 2))), "P.x. is no gradient; its matrix G is not symmetric"),
    (lambda: pure_noise().solution, "P.x. has no unique zero; its matrix G is singular"),
]


@pytest.mark.parametrize(("make", "words"), WRONG)
def test_wrong_input_is_refused_in_one_line(make, words):
    assert_refused(make, words)
