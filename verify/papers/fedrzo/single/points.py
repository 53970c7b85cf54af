"""Instances without a run, in exact rationals: smoothed functions, sets, sequences, vectors and stepsizes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import product
from typing import Any

from rateproof.algos.problems.base import Fact
from rateproof.verify.papers.fedrzo.single import long_runs
from rateproof.verify.trial import Trial

Q = Fraction
_YES = {
    key: Fact(True, why)
    for key, why in {
        "h_continuous": "piecewise linear in one coordinate",
        "h_lipschitz": "L_0 is its largest slope",
        "sets": "an interval",
        "recursion": "the recursion with equality",
        "independent": "all combinations of signs",
        "uniform": "both directions are equally likely",
        "lower_unique": "strict order of the lower-level values",
        "frequency": "every round has at most H steps",
        "nonnegative": "given so",
    }.items()
}


def trial(label: str, values: Mapping[str, Any], **at: Any) -> Trial:
    """A trial of exact numbers whose structural hypotheses hold by construction."""
    return Trial.exact(label, {k: float(v) for k, v in values.items()}, _YES, error=1e-14, at=at)


# --- one smoothed function (Lemma 1)


def _smoothed_kink(n: int, w: Fraction) -> tuple[Fraction, Fraction, Fraction]:
    """``max(t, 0)`` at t = w, smoothed over the unit ball of R^n in one coordinate, n = 1 or 3: value, slope, sphere.

    The coordinate of a point of the ball has the density 1/2 or (3/4)(1 - s^2) on [-1, 1], of the sphere +-1 or 1/2.
    The third number is n E[max(w + s, 0) s] over the sphere.
    """
    if w <= -1:
        return Q(0), Q(0), Q(0)
    if w >= 1:
        return w, Q(1), Q(1)
    if n == 1:
        return (1 + w) ** 2 / 4, (1 + w) / 2, (1 + w) / 2
    value = Q(3, 4) * (2 * w / 3 + Q(1, 4) + w**2 / 2 - w**4 / 12)
    slope = Q(3, 4) * (Q(2, 3) + w - w**3 / 3)
    return value, slope, Q(3, 2) * (w * (1 - w**2) / 2 + (1 + w**3) / 3)


def _ridge(n: int, first: Fraction, jumps: Sequence[tuple[Fraction, Fraction]], x: Fraction, eta: Fraction) -> Any:
    """Value, smoothed value, slope and sphere mean of ``first x + sum_j b_j max(x - c_j, 0)``."""
    kinks = [(b, *_smoothed_kink(n, (x - c) / eta)) for b, c in jumps]
    return (
        first * x + sum((b * max(x - c, Q(0)) for b, c in jumps), Q(0)),
        first * x + eta * sum((b * v for b, v, _, _ in kinks), Q(0)),
        first + sum((b * s for b, _, s, _ in kinks), Q(0)),
        first + sum((b * s for b, _, _, s in kinks), Q(0)),
    )


@lru_cache(maxsize=1)
def smoothing_trials() -> tuple[Trial, ...]:
    """Lines, |x|, -|x| and a zigzag in one coordinate of R^1 and R^3, and the cone L_0 ||x|| at 0 in any dimension."""
    out = []
    families = {
        "2 x": (Q(2), ()),
        "|x|": (Q(-1), ((Q(2), Q(0)),)),
        "-3 |x|": (Q(3), ((Q(-6), Q(0)),)),
        "zigzag": (Q(1), ((Q(-2), Q(-1)), (Q(2), Q(1, 2)))),
    }
    points = [Q(p, 4) for p in (-8, -3, -1, 0, 1, 2, 5)]
    for n, (name, (first, jumps)), eta in product((1, 3), families.items(), (Q(1), Q(1, 3), Q(10))):
        slopes = [first]
        for b, _ in jumps:
            slopes.append(slopes[-1] + b)
        L0 = max(map(abs, slopes))
        for x, y in zip(points, points[1:] + points[:1], strict=True):
            (h, hx, gx, sx), (_, hy, gy, _) = _ridge(n, first, jumps, x, eta), _ridge(n, first, jumps, y, eta)
            values = {
                "n": n,
                "L0": L0,
                "eta_s": eta,
                "dist_xy": abs(x - y),
                "gap_h_eta": abs(hx - hy),
                "bias_h": abs(hx - h),
                "gap_grad_h": abs(gx - gy),
                "grad_h_c": gx,
                "sphere_h_c": sx,
            }
            out.append(trial(f"h = {name} in a coordinate, n = {n}, eta = {eta}, x = {x}, y = {y}", values))
    for n in (1, 10, 10**6):
        # E||u|| = n/(n + 1)
        values = {"n": n, "L0": 2, "eta_s": Q(3), "bias_h": Q(6 * n, n + 1)}
        out.append(trial(f"h = 2 ||x|| at 0, n = {n}, eta = 3", values))
    return tuple(out)


# --- one set


@lru_cache(maxsize=1)
def set_trials() -> tuple[Trial, ...]:
    """Intervals and points of the line: the smoothed indicator by its definition, minimised over the set."""
    out = []
    for low, high in ((Q(0), Q(0)), (Q(-1), Q(2)), (Q(0), Q(5))):
        for x, y, eta in product((Q(-3), Q(-1, 2), Q(0), Q(1), Q(7)), (Q(-4), Q(1, 3), Q(6)), (Q(1), Q(1, 10), Q(4))):
            inside = [z for z in (low, high, x) if low <= z <= high]
            near = min(inside, key=lambda z: abs(x - z))
            other = min((z for z in (low, high, y) if low <= z <= high), key=lambda z: abs(y - z))
            step = Q(1, 1000)
            smooth = [min((v - z) ** 2 for z in (low, high, v) if low <= z <= high) for v in (x - step, x + step)]
            values = {
                "n": 1,
                "eta_s": eta,
                "dist_X_i": abs(x - near),
                "env_I": min((x - z) ** 2 for z in inside) / (2 * eta),
                "res_c": x - near,
                "dist_xy": abs(x - y),
                "gap_grad_I": abs((x - near) - (y - other)) / eta,
                "normal_ip": max((x - near) / eta * (z - near) for z in (low, high)),
            }
            # a symmetric difference of a parabola is exact; at an end of the set it is not
            if not low - step < x < low + step and not high - step < x < high + step:
                values["grad_env_c"] = (smooth[1] - smooth[0]) / (2 * step) / (2 * eta)
            out.append(trial(f"[{low}, {high}], x = {x}, y = {y}, eta = {eta}", values))
    return tuple(out)


# --- Lemma 7


#: Where the members theta_t of a round are 1, the others being 0.
PATTERNS: Mapping[str, Callable[[int, int], float]] = {
    "first": lambda t, H: 1.0 * (t == 0),
    "all": lambda t, H: 1.0,
    "last": lambda t, H: 1.0 * (t == H - 1),
}


@lru_cache(maxsize=1)
def sequence_trials() -> tuple[Trial, ...]:
    """The recursion of Lemma 7 with equality, at both readings of the largest stepsize, below and beyond."""
    return tuple(sequence(params) for params in sequence_corners())


def sequence_corners() -> Iterator[Mapping[str, Any]]:
    """See :func:`sequence_trials`."""
    for H, beta, pattern in product((1, 2, 3, 10, 100), (1.0, 16.0, 1e-4), PATTERNS):
        for part, root in ((1.0, "beta"), (0.1, "beta"), (2.0, "beta"), (1.0, "beta H")):
            for k in sorted({1, (H + 1) // 2, H}):
                yield {"H": H, "beta": beta, "part": part, "root": root, "pattern": pattern, "k": k}


def sequence_arguments(params: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments of :func:`long_runs.recursion`.

    Raises:
        ValueError: k is not a step of the round.
    """
    H, beta, k = params["H"], params["beta"], params["k"]
    if not 1 <= k <= H:
        raise ValueError(f"k is {k}; it should be from 1 to H = {H}")
    longest = 1 / (beta**0.5 * H) if params["root"] == "beta" else 1 / (beta * H) ** 0.5
    theta = tuple(PATTERNS[params["pattern"]](t, H) for t in range(H))
    return {"H": H, "beta": beta, "gamma": params["part"] * longest, "theta": theta, "k": k}


def sequence(params: Mapping[str, Any]) -> Trial:
    """The largest sequence that Lemma 7 allows, see :func:`long_runs.recursion`."""
    values = long_runs.recursion(**sequence_arguments(params))
    said = ", ".join(f"{name} = {value}" for name, value in params.items())
    return Trial.exact(said, {s: float(v) for s, v in values.items()}, _YES, at=dict(params))


# --- vectors and sums


@lru_cache(maxsize=1)
def vector_trials() -> tuple[Trial, ...]:
    """Families of vectors of the plane: equal, opposite, one alone."""
    out = []
    families = [[(1, 0)], [(1, 2), (1, 2)], [(1, 0), (-1, 0)], [(3, 1), (0, 0), (0, 0)], [(1, 1), (-2, 0), (1, 5)]]
    for ys in families:
        m = len(ys)
        mean = [Q(sum(y[i] for y in ys), m) for i in (0, 1)]
        squares = [Q(y[0] ** 2 + y[1] ** 2) for y in ys]
        u1, u2 = ys[0], (Q(ys[-1][0], 8), Q(ys[-1][1], 8))
        values = {
            "T_y": m,
            "sq_mean": mean[0] ** 2 + mean[1] ** 2,
            "mean_sq": sum(squares) / m,
            "mean_dev": sum((y[0] - mean[0]) ** 2 + (y[1] - mean[1]) ** 2 for y in ys) / m,
            "sq_sum": m**2 * (mean[0] ** 2 + mean[1] ** 2),
            "sum_sq": sum(squares),
            "abs_ip": abs(u1[0] * u2[0] + u1[1] * u2[1]),
            "sq_u1": Q(u1[0] ** 2 + u1[1] ** 2),
            "sq_u2": u2[0] ** 2 + u2[1] ** 2,
            "y_1": ys[0][0],
            "y_2": ys[-1][0],
            "y_3": ys[m // 2][0],
        }
        out.append(trial(f"vectors {ys}", values))
    return tuple(out)


@lru_cache(maxsize=1)
def round_trials() -> tuple[Trial, ...]:
    """Every sequence that is 1 at one time and 0 else (both sides are linear), for all round lengths up to 4."""
    out = []
    for lengths in product((1, 2, 3, 4), repeat=3):
        starts = [sum(lengths[:r]) for r in range(4)]
        for K, one in product(range(starts[-1]), repeat=2):
            if one <= K:
                begin = [max(s for s in starts if s <= k) for k in range(K + 1)]
                total = sum(begin[k] <= one < k for k in range(K + 1))
                values = {"H": max(lengths), "K_it": K, "sum_rounds": total, "sum_all": 1}
                out.append(trial(f"rounds {lengths}, K = {K}, a_{one} = 1 alone", values))
    return tuple(out)


# --- stepsizes


def number_trials() -> Iterator[Trial]:
    """Numbers for the steps that speak of stepsizes alone: at the bounds, beyond the third, and along S-com."""
    for L0, eta, H, B2, n in product((Q(1), Q(1, 100), Q(50)), (Q(1), Q(1, 10)), (1, 7), (Q(0), Q(1), Q(3)), (1, 4)):
        by_sets = float(eta / (B2 * (L0 * n + 1) * H)) / (12 * 3**0.5) if B2 else 1e300
        caps = {"at its cap": min(float(eta / (4 * L0 * n)), 1 / (4 * H), by_sets), "twice the third cap": 2 * by_sets}
        for said, gamma in caps.items():
            values = {"L0": L0, "eta_s": eta, "H": H, "B2": B2, "n": n, "gamma": gamma}
            yield trial(f"L0 = {L0}, eta = {eta}, H = {H}, B2 = {B2}, n = {n}, gamma {said}", values)
    for m, root in product((1, 2, 5), (1, 2, 3, 10)):
        K = m**3 * root**4
        yield trial(f"m = {m}, K = {K}, H = {root}", {"m": m, "K_it": K, "H": root, "gamma": (m / K) ** 0.5})
