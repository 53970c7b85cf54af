"""The exact engine: R = 1e12 rounds on dense quadratic clients, and its agreement with loops over R = 1000 rounds."""

from __future__ import annotations

from statistics import median

import numpy as np

from benchmarks.timing import one_thread, seconds, show
from rateproof.algos.engine import run
from rateproof.algos.exact import Moments, moments
from rateproof.algos.methods.strfedavg import StRFedAvg
from rateproof.algos.noise import AdditiveGaussian
from rateproof.algos.problems.quadratic import QuadraticBilevel

N, D, K, GAMMA_G = 10, 100, 20, 1.5
LOOP_ROUNDS = 1000


def instance(*, noisy: bool) -> QuadraticBilevel:
    """Dense random clients of rank D/2 each at the inner level, strongly convex at the outer one."""
    random = np.random.default_rng(0)
    U, V = random.normal(size=(N, D, D)), random.normal(size=(N, D // 2, D))
    return QuadraticBilevel(
        F=np.eye(D) + U.transpose(0, 2, 1) @ U / D,
        a=random.normal(size=(N, D)),
        H=V.transpose(0, 2, 1) @ V / D,
        b=np.einsum("nri,nr->ni", V, random.normal(size=(N, D // 2))) / D,
        noise=AdditiveGaussian.isotropic(D, sigma_f=1.0, sigma_h=2.0) if noisy else None,
    )


def parameters(R: float) -> dict[str, float | int]:
    """The strongly convex schedule with a = 2/3, b = 1/3, p = 2 and mu_f = 1."""
    return {
        "gamma_l": R ** (-2 / 3) / (GAMMA_G * K),
        "gamma_g": GAMMA_G,
        "eta": 2 * np.log(R) * R ** (-1 / 3),
        "K": K,
        "S": N,
    }


def covariance_loop(problem: QuadraticBilevel, R: int, *, gamma_l: float, eta: float) -> tuple[np.ndarray, np.ndarray]:
    """Covariances of the last iterate and of the average, round by round (full participation, equal weights)."""
    cov_f, cov_h = problem.noise.covariances(D)
    noise = eta**2 * cov_f + cov_h
    eye = np.eye(D)
    T, Q = eye.copy(), np.zeros((D, D))
    for i in range(N):
        step = eye - gamma_l * (problem.H[i] + eta * problem.F[i])
        M, W = eye, np.zeros((D, D))
        for _ in range(K):
            M, W = step @ M, step @ W @ step.T + gamma_l**2 * noise
        T += GAMMA_G / N * (M - eye)
        Q += (GAMMA_G / N) ** 2 * W
    last, cross, total = (np.zeros((D, D)) for _ in range(3))  # Cov(x), Cov(sum, x), Cov(sum)
    for _ in range(R):
        total = total + cross + cross.T + last
        cross = (cross + last) @ T.T
        last = T @ last @ T.T + Q
    return last, total / R**2


def disagreement() -> dict[str, float]:
    """Largest difference between the exact engine and loops, relative to the largest entry."""
    R, x0 = LOOP_ROUNDS, np.full(D, 2.0)
    values = parameters(R)
    noisy = instance(noisy=True)
    exact: Moments = moments(noisy, x0=x0, R=R, **values)  # type: ignore[arg-type]
    loop = run(StRFedAvg(**values), instance(noisy=False), x0, R=R, metrics={})  # type: ignore[arg-type]
    cov_last, cov_avg = covariance_loop(noisy, R, gamma_l=float(values["gamma_l"]), eta=float(values["eta"]))
    pairs = {
        "mean of the last iterate": (exact.mean_last, loop.x_last[0]),
        "mean of the average": (exact.mean_avg, loop.x_average[0]),
        "covariance of the last iterate": (exact.cov_last, cov_last),
        "covariance of the average": (exact.cov_avg, cov_avg),
    }
    return {name: float(np.abs(a - b).max() / np.abs(b).max()) for name, (a, b) in pairs.items()}


def main(repetitions: int = 5) -> None:
    """Measure and print."""
    R, x0, problem = 10**12, np.full(D, 2.0), instance(noisy=True)
    values = parameters(R)
    with one_thread():
        times = [seconds(lambda: moments(problem, x0=x0, R=R, **values)) for _ in range(repetitions)]  # type: ignore[arg-type]
        rows = [[f"R = 1e12, dense, d = {D}, N = {N}, K = {K}", f"{median(times):.2f} s"]]
        rows += [
            [f"{name}: against a loop, R = {LOOP_ROUNDS}", f"{value:.0e}"] for name, value in disagreement().items()
        ]
    show("Exact moments of StR-FedAvg", ["what", "measured"], rows)


if __name__ == "__main__":
    main()
