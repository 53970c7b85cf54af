"""The method written out as plainly as possible, to test the exact engine against."""

from itertools import combinations

import numpy as np


def client_map(problem, i, *, gamma_l, eta, K, dtype=np.longdouble):
    """``K`` local steps of client ``i``, step by step: ``x -> M x + m`` plus noise of covariance ``W``."""
    n = problem.n
    A = problem.H[i].astype(dtype) + dtype(eta) * problem.F[i].astype(dtype)
    g = problem.b[i].astype(dtype) + dtype(eta) * problem.a[i].astype(dtype)
    noise = dtype(eta) ** 2 * problem.cov_f.astype(dtype) + problem.cov_h.astype(dtype)
    M, m, W = np.eye(n, dtype=dtype), np.zeros(n, dtype=dtype), np.zeros((n, n), dtype=dtype)
    step = np.eye(n, dtype=dtype) - dtype(gamma_l) * A
    for _ in range(K):
        M, m, W = step @ M, step @ m + dtype(gamma_l) * g, step @ W @ step.T + dtype(gamma_l) ** 2 * noise
    return M, m, W


def loop_moments(problem, *, gamma_l, gamma_g, eta, K, S, R, x0, theta=1.0, center, normaliser="R", index="analysis"):
    """Moments by a loop over rounds and all client subsets, in extended precision.

    The state is ``(1, p, x, t)``: point sent, newest point, weighted sum ``sum_r theta^r p_r``. Returns mean and
    second moment about ``center`` of the last iterate and of the average.
    """
    n, N, real = problem.n, problem.N, np.longdouble
    maps = [client_map(problem, i, gamma_l=gamma_l, eta=eta, K=K) for i in range(N)]
    subsets = list(combinations(range(N), S))
    eye = np.eye(n, dtype=real)
    c = np.asarray(center, dtype=real)
    size = 1 + 3 * n
    p, x, t = slice(1, 1 + n), slice(1 + n, 1 + 2 * n), slice(1 + 2 * n, size)
    rounds = []
    for subset in subsets:
        T, Q = np.zeros((size, size), dtype=real), np.zeros((size, size), dtype=real)
        T[0, 0] = 1
        M = sum(maps[i][0] for i in subset) / S
        # Delta(p) = mean_i (M_i p + m_i) - p, with p = u + center
        shift = sum(maps[i][1] for i in subset) / S + M @ c - c
        T[x, p], T[x, 0] = gamma_g * (M - eye), gamma_g * shift
        if index == "analysis":
            T[x, p] += eye
            T[p] = T[x]
        else:
            T[x, x], T[p, x] = eye, eye
        T[t, t] = eye
        W = gamma_g**2 * sum(maps[i][2] for i in subset) / S**2
        Q[x, x] = W
        if index == "analysis":
            Q[p, p] = Q[p, x] = Q[x, p] = W
        rounds.append((T, Q))
    u = np.asarray(x0, dtype=real) - c
    state = np.concatenate([[real(1)], u, u, np.zeros(n, dtype=real)])
    second = np.outer(state, state)
    for r in range(1, R + 1):
        new = np.zeros_like(second)
        for T, Q in rounds:
            T[t, p] = real(theta) ** r * eye
            new += (T @ second @ T.T + Q) / len(rounds)
        second = new
    total = sum(real(theta) ** r for r in range(1, R + 1))
    used = total if normaliser == "R" else total - real(theta) ** R
    excess = (total - used) / used * c
    mean_t, square_t = second[t, 0] / used, second[t, t] / used**2
    mean_avg = mean_t + excess
    second_avg = square_t + np.outer(mean_t, excess) + np.outer(excess, mean_t) + np.outer(excess, excess)
    return {
        "mean_last": second[x, 0] + c,
        "second_last": second[x, x],
        "mean_avg": mean_avg + c,
        "second_avg": second_avg,
    }
