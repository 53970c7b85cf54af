"""Algorithm 1 on the line, run on plain numbers.

Each function returns what the claims of this section speak of, by symbol name. Scripts that reproduce an instance carry
its source text, so it uses nothing but numpy, ``math`` and its arguments.

In one dimension a direction is ``+-eta``. The losses are piecewise linear, with noise ``xi nu s(x)``, ``xi = +-1`` and
``s(x) = (-1)^floor(x/eta)``, so that ``s(x +- eta) = -s(x)`` and an estimate is a slope between two points plus
``+-2 nu/eta``, the sign independent of the direction.
"""

import math

import numpy as np


def enumerated(
    *,
    kinks: tuple[tuple[float, ...], ...],
    slopes: tuple[tuple[float, ...], ...],
    sets: tuple[tuple[float, float], ...],
    L0: float,
    B2: float,
    noise: float,
    nu: float,
    x0: float,
    gamma: float,
    eta: float,
    H: int,
    K: int,
    pick: float,
) -> dict[str, float]:
    """All equally likely runs of Algorithm 1 up to iterate K, whose conditional metrics belong to one run and client 0.

    kinks, slopes: of the losses of the clients, one slope more than kinks. sets: intervals, whose ends may be infinite.
    L0, B2, nu: what the claims are told; B1 is the least that goes with B2. noise: standard deviation of a value.
    pick: which of the runs, between 0 and 1.
    """
    m = len(kinks)
    low, high = np.array([s[0] for s in sets]), np.array([s[1] for s in sets])

    def primitive(i: int, x: np.ndarray, power: int) -> np.ndarray:
        """The loss of client i (power 1), zero at minus infinity but for its line there, or its integral (power 2)."""
        jumps = zip(kinks[i], np.diff(slopes[i]), strict=True)
        return slopes[i][0] * x**power / power + sum(
            jump * np.maximum(x - c, 0.0) ** power / power for c, jump in jumps
        )

    def smoothed(i: int, x: np.ndarray, power: int) -> np.ndarray:
        """The smoothed loss of client i (power 2) or its derivative (power 1)."""
        return (primitive(i, x + eta, power) - primitive(i, x - eta, power)) / (2 * eta)

    def residual(x: np.ndarray) -> np.ndarray:
        """Residuals x - P_i(x) of all sets at one point each: (..., 1) or (..., m) -> (..., m)."""
        return x - np.clip(x, low, high)

    def slope_f(x: np.ndarray) -> np.ndarray:
        return np.asarray(sum(smoothed(i, x, 1) for i in range(m))) / m

    def slope_F(x: np.ndarray) -> np.ndarray:
        return slope_f(x) + residual(x[..., None]).mean(axis=-1) / eta

    def value_F(x: np.ndarray) -> np.ndarray:
        return sum(smoothed(i, x, 2) for i in range(m)) / m + (residual(x[..., None]) ** 2).mean(axis=-1) / (2 * eta)

    # The slope of F_eta is linear between these points; its zeros are the stationary points.
    ends = sorted({e for s in sets for e in s if math.isfinite(e)})
    points = sorted({c + s * eta for k in kinks for c in k for s in (-1, 1)} | set(ends) or {0.0})
    edges = np.array([points[0] - 1.0, *points, points[-1] + 1.0])
    at_edges = slope_F(edges)
    bends = np.diff(at_edges) / np.diff(edges)
    candidates = list(edges[1:-1])
    for k, bend in enumerate(bends):
        if bend != 0:
            zero = edges[k] - at_edges[k] / bend
            if (k == 0 or zero >= edges[k]) and (k == len(bends) - 1 or zero <= edges[k + 1]):
                candidates.append(zero)
    tiny = 1e-12 * max(1.0, float(np.max(np.abs(at_edges))))
    left = bends[0] > tiny or (abs(bends[0]) <= tiny and at_edges[0] <= tiny)
    right = bends[-1] > tiny or (abs(bends[-1]) <= tiny and at_edges[-1] >= -tiny)
    least = float(np.min(value_F(np.array(candidates)))) if left and right else -math.inf

    # The least B1^2 is the largest value of mean dist^2 - B2^2 ||x - mean P_i||^2, a parabola between two ends.
    offset = 0.0
    for a, b in zip([-math.inf, *ends], [*ends, math.inf], strict=True):
        inside = (
            (a + b) / 2 if math.isfinite(a + b) else b - 1 if math.isfinite(b) else a + 1 if math.isfinite(a) else 0
        )
        active, end = (residual(np.array([inside])) != 0).astype(float), np.where(inside > high, high, low)
        end = np.where(active > 0, end, 0.0)
        square = active.mean() - (B2 * active.mean()) ** 2
        linear = 2 * B2**2 * active.mean() * end.mean() - 2 * end.mean()
        constant = (end**2).mean() - (B2 * end.mean()) ** 2
        if not math.isfinite(a) or not math.isfinite(b):
            far = linear if not math.isfinite(b) else -linear
            if square > 1e-12 or (abs(square) <= 1e-12 and (far > 1e-12 or (abs(linear) > 1e-12 and not ends))):
                offset = math.inf
        if square < -1e-12:
            inside = min(max(-linear / (2 * square), a), b)
            offset = max(offset, (square * inside + linear) * inside + constant)
        offset = max(offset, *((square * e + linear) * e + constant for e in (a, b) if math.isfinite(e)), -math.inf)

    common = (float(np.max(low)), float(np.min(high)))
    meet = common[0] <= common[1]
    regular = 1.0
    if meet:
        regular = max(
            [m / np.sum(high == common[1])] * math.isfinite(common[1])
            + [m / np.sum(low == common[0])] * math.isfinite(common[0]),
            default=1.0,
        )

    def estimates(x: np.ndarray) -> list[np.ndarray]:
        """For each client the equally likely estimates, (runs, 2 or 4)."""
        out = []
        for i in range(m):
            rise = [s * (primitive(i, x[:, i] + s * eta, 1) - primitive(i, x[:, i], 1)) / eta for s in (1, -1)]
            out.append(
                np.stack(
                    [r + z for r in rise for z in ((0.0,) if noise == 0 else (2 * noise / eta, -2 * noise / eta))], 1
                )
            )
        return out

    def together(found: list[np.ndarray]) -> np.ndarray:
        """All combinations of what the clients drew: (runs, combinations, m)."""
        picked = np.stack(np.meshgrid(*(np.arange(e.shape[1]) for e in found), indexing="ij"), -1).reshape(-1, m)
        return np.stack([found[i][:, picked[:, i]] for i in range(m)], -1)

    x = np.full((1, m), float(x0))
    squares, drifts, distances, farthest, first = [], [], [], 0.0, 0
    for k in range(K + 1):
        mean = x.mean(axis=1)
        squares.append(float(np.mean(slope_F(mean) ** 2)))
        drifts.append(float(np.mean((x - mean[:, None]) ** 2)))
        farthest = max(farthest, float(np.max(np.abs(mean))))
        distances.append(float(np.mean(np.abs(mean - np.clip(mean, *common)))) if meet else math.nan)
        found = estimates(x)
        g, G = together(found), residual(x) / eta
        moved = x[:, None, :] - gamma * (g + G[:, None, :])
        if k < K:
            x = moved.reshape(-1, m)
            if (k + 1) % H == 0:
                x, first = np.repeat(x.mean(axis=1)[:, None], m, axis=1), k + 1

    run = min(int(pick * len(x)), len(x) - 1)
    child = min(int(pick * g.shape[1]), g.shape[1] - 1)
    here, xb = x[run], mean[run]
    slopes_here = np.array([float(smoothed(i, here[i : i + 1], 1)[0]) for i in range(m)]) + G[run]
    at_mean = residual(np.array([xb]))
    grad_F, grad_f = float(slope_F(np.array([xb]))[0]), float(slope_f(np.array([xb]))[0])
    sums = g[run] + G[run]
    steps = sums.mean(axis=1)
    mine = found[0][run]
    seconds = [sum(squares[t] for t in range(k - k % H, k)) for k in range(K + 1)]
    value_now, value_next = value_F(mean), value_F(moved.mean(axis=2))
    return {
        "n": 1,
        "m": m,
        "eta_s": eta,
        "gamma": gamma,
        "H": H,
        "K_it": K,
        "k_it": K,
        "j_k": K - first,
        "L0": L0,
        "nu": nu,
        "B1": math.sqrt(max(offset, 0.0)),
        "B2": B2,
        "D0": float(value_F(np.array([float(x0)]))[0]) - least,
        "grad_kstar": sum(squares) / (K + 1),
        "dist_kstar": sum(distances) / (K + 1),
        "kap": math.sqrt(regular),
        "xb_c": xb,
        "xb_next_c": float(moved[run, child].mean()),
        "gbar_c": float(g[run, child].mean()),
        "Gbar_c": float(G[run].mean()),
        "est_c": float(np.mean(mine) + G[run, 0]),
        "grad_F_i_c": float(slopes_here[0]),
        "sq_g": float(np.mean(mine**2)),
        "sq_G": float(G[run, 0] ** 2),
        "sq_est": float(np.mean((mine + G[run, 0]) ** 2)),
        "sq_dev": float(np.mean((mine + G[run, 0] - slopes_here[0]) ** 2)),
        "mean_sq_est": float(np.mean(sums**2)),
        "sq_agg": float(np.mean(steps**2)),
        "cross_agg": float(grad_F * np.mean(steps)),
        "sq_grad": grad_F**2,
        "norm_grad_F": abs(grad_F),
        "norm_grad_f": abs(grad_f),
        "eb": float(np.mean((here - xb) ** 2)),
        "mean_sq_G": float(np.mean(G[run] ** 2)),
        "E_eb": drifts[K],
        "sum_eb": sum(drifts[first:K]),
        "sum_grad": sum(squares[first:K]),
        "split_d": float(np.mean((G[run] - at_mean / eta) ** 2)),
        "mean_sq_d": float(np.mean((at_mean / eta) ** 2)),
        "mean_sq_pp": float(np.mean((residual(here) - at_mean) ** 2)),
        "mean_dist2_xb": float(np.mean(at_mean**2)),
        "sq_res_xb": float(np.mean(at_mean) ** 2),
        "sq_d_xb": float((np.mean(at_mean) / eta) ** 2),
        "sq_grad_f_xb": grad_f**2,
        "mean_dist2": float(np.mean(at_mean**2)),
        "sq_res": float(np.mean(at_mean) ** 2),
        "mean_sq_grad_d": float(np.mean((at_mean / eta) ** 2)),
        "sq_grad_d": float((np.mean(at_mean) / eta) ** 2),
        "norm_x": abs(xb),
        "rho": farthest,
        "far_0": float(np.max(np.abs(np.clip(0.0, low, high)))),
        "dist_X": abs(xb - min(max(xb, common[0]), common[1])) if meet else math.nan,
        "modulus_F": float(np.max(np.abs(bends))),
        "F_now": float(value_now[run]),
        "F_next": float(value_next[run, child]),
        "ip_path": float(grad_F * steps[child]),
        "sq_path": float(steps[child] ** 2),
        "E_F_now": float(np.mean(value_now)),
        "E_F_next": float(np.mean(value_next)),
        "E_sq_grad": squares[K],
        "sum_rounds": sum(seconds),
        "sum_all": sum(squares),
    }
