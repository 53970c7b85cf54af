"""Exact numbers about IPIR-FedAvg against the engine, against samples, and in round numbers."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from rateproof.algos.engine import run
from rateproof.algos.methods.ipirfedavg import IPIRFedAvg
from rateproof.algos.noise import AdditiveGaussian, TwoPoint
from rateproof.algos.problems.nonconvex import F_lambda, grad_F_lambda, nonconvex_diagonal, nonconvex_least_squares
from rateproof.algos.problems.quadratic import diagonal_selection, heterogeneous_least_squares
from rateproof.theory.papers.strfedavg.schedules import S_IP, S_IP_1
from rateproof.verify.papers.strfedavg import two_loop

METHOD = IPIRFedAvg(lam=1.0, K=2, S=2, step=0.2)
DIAGONAL = nonconvex_diagonal(c=(-1.0, 3.0), shift=(0.5, -1.0))
LEAST_SQUARES = nonconvex_least_squares(outer="log-sum", seed=1)
NOISY = nonconvex_diagonal(
    c=(-1.0, 0.0, 2.0), shift=(0.5, -1.0), noise=AdditiveGaussian(np.eye(2), np.diag([0.5, 0.1]))
)
TRIPLE = replace(METHOD, S=3, step=1.0)


@pytest.mark.parametrize("problem", [DIAGONAL, LEAST_SQUARES], ids=["diagonal", "least squares"])
@pytest.mark.parametrize(
    "change",
    [
        {},
        {"round_offset": 0},
        {"inner_start": "y", "gradient_factor": 1},
        {"inner_start": "previous", "K": 5, "gamma_g": 1.5},
        {"eta": 0.1, "gamma": 0.05},
        {"inner": "exact"},
    ],
    ids=str,
)
def test_a_run_of_the_method_is_the_exact_trajectory(problem, change) -> None:
    method, T = replace(METHOD, returns="projection", **change), 40
    y0 = np.arange(1.0, problem.n + 1)
    exact = two_loop.trajectory(problem, method, y0, T=T)
    R = T if method.inner == "exact" else method.total_rounds(T)
    done = run(method, problem, y0, R=R, record=[R], metrics={"g": method.stationarity})
    np.testing.assert_allclose(exact.y[T], done.x_last[0], rtol=1e-10)
    np.testing.assert_allclose(exact.x[-1], done.x_average[0], rtol=1e-10)
    want = exact.grad2_printed if method.gradient_factor == 1 else exact.grad2
    np.testing.assert_allclose(method.stationarity(problem, exact.y[:T]), want, rtol=1e-12)
    np.testing.assert_allclose(exact.F, F_lambda(problem, exact.y, lam=1.0), rtol=1e-12)
    np.testing.assert_allclose(exact.nearest, problem.project(exact.y[:T]), atol=1e-12)
    if method.inner == "exact":
        assert exact.err2.max() < 1e-25
    else:
        assert list(exact.R) == [method.inner_rounds(t) for t in range(T)]
        distance = np.linalg.norm(exact.x - problem.project(exact.x), axis=1)
        np.testing.assert_allclose(exact.dist, distance)
        assert (exact.err2 >= exact.dist**2 * (1 - 1e-12)).all()


def test_long_trajectories_are_cheap_and_agree_with_their_head() -> None:
    long, short = (two_loop.trajectory(DIAGONAL, METHOD, [3.0, 1.0], T=T) for T in (200, 20))
    np.testing.assert_array_equal(long.y[:21], short.y)
    assert long.R[-1] == 201 and long.D2.shape == (200,)


@pytest.mark.parametrize("R", [2, 7, 100, 10_000])
@pytest.mark.parametrize("eta", [None, 0.3])
def test_schedules_are_those_that_the_claims_speak_of(R: int, eta: float | None) -> None:
    method = replace(METHOD, step=1.0, eta=eta, gamma_g=3.0)
    given = {"t": R, "K": 2, "gamma_g": 3.0}
    ruled = S_IP.evaluate(given) if eta is None else S_IP_1.evaluate({**given, "eta": eta})
    found = two_loop.inner_error(DIAGONAL, method, y=[1.0, 1.0], R=R)
    for name in ("gamma_t", "gamma_l", "R"):
        assert found[name] == pytest.approx(ruled[name], rel=1e-14)
    assert found["eta"] == pytest.approx(ruled["eta"] if eta is None else eta, rel=1e-14)
    assert found["Theta_R"] == pytest.approx(
        sum((1 - found["eta"] * found["gamma_t"] / 2) ** -r for r in range(1, R + 1))
    )


def test_numbers_of_a_call_in_round_numbers() -> None:
    y, x0 = [4.0, 2.0], [2.0, 2.0]  # X_h* = {x_1 = 1}
    found = two_loop.inner_error(DIAGONAL, METHOD, y=y, x0=x0, R=1)
    assert (found["L_f"], found["mu_f"], found["sigma_f2"], found["L_h"], found["alpha"]) == (1, 1, 0, 1, 0.5)
    assert (found["f_star"], found["inf_f"], found["grad_f_star"]) == (4.5, 0, 3)  # of g
    assert (found["h_star"], found["mean_inf_h"]) == (2, 0)
    assert found["D2"] == 1
    # One round: the average is its start, (2, 2).
    assert [found[k] for k in ("E_err2", "E_dist", "E_dist2", "E_dist_low", "E_dist_high")] == pytest.approx([1] * 5)
    assert found["gap_h"] == pytest.approx(0.5)
    assert found["gap_g"] == pytest.approx(2 - 4.5)
    assert found["M"] == pytest.approx(1.001 * 2.5)
    assert found["gap_eta"] == pytest.approx(
        0.5 * (1 + found["eta"]) * (2 - (1 + 4 * found["eta"]) / (1 + found["eta"])) ** 2
    )
    # G^2 = 4 (g* - inf g) + 2 G_h^2 with G_h^2 = 2 L_h (h* - 0) = 4
    assert found["G_ncvx2"] == pytest.approx(4 * 4.5 + 2 * 4)
    assert found["B_ncvx2"] == max(4.0, 4 * found["eta"])
    assert (found["A1n"], found["A2n"]) == (0, pytest.approx(18 * 26 * (1 + found["eta"])))
    assert found["grad_F_star"] == pytest.approx(math.hypot(math.sin(0.5), math.sin(3.0)))
    half = two_loop.dissimilarity(two_loop.projection_problem(NOISY, [0.0, 0.0]), 0.5, K=2, S=1, gamma_g=3.0)
    spread = np.mean((np.array([-1, 0, 2]) - 1 / 3) ** 2) / 2
    G2 = 2 * (1 / 9) + 2 * (2 * spread)
    assert half["G_ncvx2"] == pytest.approx(G2)
    assert half["A1n"] == pytest.approx(2 * 0.6 / 2 + (2 / 3) * 4 * G2)
    assert half["A2n"] == pytest.approx(1.5 * (9 * 2 * 0.6 / 2 + 18 * G2) / 9)


def test_a_call_without_rounds_returns_its_start() -> None:
    none, one = (two_loop.inner_error(NOISY, METHOD, y=[4.0, 2.0], x0=[2.0, 0.0], R=R) for R in (0, 1))
    assert none["E_err2"] == pytest.approx((2 - 1 / 3) ** 2 + 4)
    assert none["E_err2"] == pytest.approx(one["E_err2"])
    assert none["Theta_R"] == 0


@pytest.mark.parametrize("S", [2, 3])
def test_expectations_against_a_sample(S: int) -> None:
    method, runs = replace(TRIPLE, S=S, round_offset=8, returns="projection"), 20_000
    y = np.array([2.0, 1.0])
    x = run(method, NOISY, y, R=8, runs=runs, metrics={}).x_average
    found = two_loop.inner_error(NOISY, method, y=y, R=8)
    dist = np.linalg.norm(x - NOISY.project(x), axis=1)
    samples = {
        "E_err2": np.sum((x - NOISY.project(y[None])) ** 2, axis=1),
        "E_dist2": dist**2,
        "gap_h": NOISY.h(x) - NOISY.constants.h_star,
        "gap_g": 0.5 * np.sum((x - y) ** 2, axis=1) - found["f_star"],
    }
    if S == 3:  # Gaussian, so that the distance has a closed form
        samples["E_dist"] = dist
    else:
        assert "E_dist" not in found
    for name, values in samples.items():
        assert abs(values.mean() - found[name]) < 5 * values.std() / math.sqrt(runs), name
    assert found["E_dist_low"] <= dist.mean() + 5 * dist.std() / math.sqrt(runs)
    assert found["E_dist_high"] >= dist.mean() - 5 * dist.std() / math.sqrt(runs)
    eta_gap = found["gap_h"] + found["eta"] * found["gap_g"]  # about another point
    assert found["gap_eta"] > eta_gap


def test_the_error_of_long_calls_goes_to_zero_with_eta() -> None:
    y = [4.0, 2.0]
    errors = [two_loop.inner_error(NOISY, TRIPLE, y=y, R=R)["E_err2"] for R in (10, 100, 1000, 10_000, 10**8)]
    assert errors == sorted(errors, reverse=True)
    # the bias: x_eta* is eta / (1 + eta) of the way to y
    eta = TRIPLE.rule(10**8)[1]
    assert errors[-1] == pytest.approx((eta / (1 + eta) * (4 - 1 / 3)) ** 2, rel=1e-2)
    far = two_loop.inner_error(DIAGONAL, replace(METHOD, eta=0.5, step=4.0), y=[2.0, 0.0], R=10**6)
    assert far["E_dist"] == pytest.approx(1 / 3, rel=1e-3)


def test_two_point_noise_has_no_closed_form_of_the_distance() -> None:
    problem = nonconvex_diagonal(noise=TwoPoint([0.0, 0.0], [1.0, 1.0]))
    found = two_loop.inner_error(problem, METHOD, y=[1.0, 0.0], R=5)
    assert "E_dist" not in found and found["E_dist_low"] < found["E_dist_high"]


def test_a_dense_inner_level_whose_clients_disagree() -> None:
    problem = heterogeneous_least_squares(seed=3, N=2, m=2, n=6, kernel=2)
    y = np.arange(6.0)
    found = two_loop.inner_error(problem, replace(METHOD, step=0.05), y=y, R=4000)
    assert found["E_dist"] == pytest.approx(math.sqrt(found["E_dist2"]))
    assert found["gap_h"] >= found["alpha"] * found["E_dist2"] * (1 - 1e-9)
    assert found["E_err2"] < found["D2"]


def test_theorem_3_in_numbers() -> None:
    y0, T = np.array([4.0, 2.0]), 30
    found = two_loop.theorem3(DIAGONAL, METHOD, y0, T=T)
    exact = two_loop.trajectory(DIAGONAL, METHOD, y0, T=T)
    one_run = two_loop.replicated(DIAGONAL, METHOD, y0, T=T, runs=1)
    assert found["E_grad2"] == pytest.approx(one_run["grad2"][0], rel=1e-10)
    assert found["E_grad2_printed"] == pytest.approx(one_run["grad2_printed"][0], rel=1e-10)
    assert found["F_gap"] == pytest.approx(found["F_gap_low"], rel=1e-12)
    assert found["F_gap"] == pytest.approx(exact.F[0] - DIAGONAL.F_star(1.0)[0])
    # half the penalty is the penalty for twice lambda
    assert found["F_gap_half"] == pytest.approx(F_lambda(DIAGONAL, y0[None], lam=2.0)[0] - DIAGONAL.F_star(2.0)[0])
    assert (found["E_err2"], found["E_dist"]) == (pytest.approx(exact.err2.mean()), exact.dist[-1])
    assert (found["T"], found["lam"], found["gamma"], found["L_f"]) == (30, 1, 0.25, 1)
    assert "eta" not in found
    widest = max(np.sum((exact.y[:T] - exact.nearest) ** 2, axis=1))
    assert found["G_ncvx2"] == pytest.approx(2 * widest + 2 * 4)
    assert found["A2n"] == pytest.approx(18 * (1 + 11) * found["G_ncvx2"])
    assert found["D2"] == pytest.approx(exact.D2.max())
    gaps = 0.5 * np.sum((exact.nearest - exact.y[:T]) ** 2 - (exact.x - exact.y[:T]) ** 2, axis=1)
    assert found["M"] > gaps.max() > 0.99 * found["M"]


def test_descent_with_exact_projections() -> None:
    # For an L-smooth F the mean of ||grad F||^2 is at most F_gap / (gamma (1 - gamma L/2) T).
    for lam in (0.1, 1.0, 10.0):
        method = replace(METHOD, inner="exact", lam=lam)
        for problem in (DIAGONAL, LEAST_SQUARES):
            found = two_loop.theorem3(problem, method, np.ones(problem.n), T=50)
            share = found["gamma"] * (found["L_f"] + 2 / lam) / 2
            assert share < 0.5
            bound = found["F_gap"] / (found["gamma"] * (1 - share) * 50)
            assert 0.01 * bound < found["E_grad2"] <= bound


def test_replicates_start_together_and_spread() -> None:
    y0 = np.array([2.0, 1.0])
    first = two_loop.replicated(NOISY, TRIPLE, y0, T=1, runs=3)
    assert first["grad2"] == pytest.approx(np.sum(grad_F_lambda(NOISY, y0[None], lam=1.0) ** 2))
    later = two_loop.replicated(NOISY, TRIPLE, y0, T=5, runs=3)
    assert len(set(later["grad2"])) == 3 and later["dist"].shape == (3,)
    oracle = two_loop.replicated(NOISY, replace(TRIPLE, inner="exact"), y0, T=5, runs=2)
    assert oracle["grad2"][0] == oracle["grad2"][1]


def test_refusals() -> None:
    with pytest.raises(ValueError, match=r"sigma_h\^2 is 0\.6 and S is 3 of 3; they should be 0 and all clients"):
        two_loop.trajectory(NOISY, TRIPLE, [1.0, 1.0], T=3)
    with pytest.raises(ValueError, match="S is 1 of 2"):
        two_loop.trajectory(DIAGONAL, replace(METHOD, S=1), [1.0, 1.0], T=3)
    with pytest.raises(ValueError, match="round_offset is 0; it should be at least 1"):
        two_loop.replicated(DIAGONAL, replace(METHOD, round_offset=0), [1.0, 1.0], T=3, runs=1)
    with pytest.raises(ValueError, match="y has shape"):
        two_loop.inner_error(diagonal_selection(), METHOD, y=[1.0], R=3)
