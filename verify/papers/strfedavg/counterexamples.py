"""The stored counterexamples to claims about StR-FedAvg, measured exactly.

An instance is a handful of separable quadratics, ``h_i(x) = sum_j (p/2)(x_j - c)^2`` and likewise ``f_i``. Local steps
are then affine in each coordinate, one round of Algorithm 1 is a random affine map, and the first two moments of
the iterate and of the weighted average follow from a 7 x 7 matrix: exactly in rationals for small R, in balls beyond.
Gradients are exact (no noise); clients are sampled uniformly without replacement.

Problem (4) is an instance whose ``f_i`` are all ``g(x) = ||x - y||^2/2``; what claims about inner calls call by other
names is given under these too (``eta_g``, ``E_err2``).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import add
from typing import Any

from rateproof.theory.claim import Claim
from rateproof.theory.symbols import info
from rateproof.verify.counterexamples.replay import (
    Number,
    Values,
    compare,
    power,
    rational,
    root,
)

# Up to this many rounds moments of rational instances stay rational.
EXACT_ROUNDS = 1000


@dataclass(frozen=True)
class Bowl:
    """``sum_j (curvature_j/2)(x_j - centre_j)^2``."""

    curvature: tuple[Number, ...]
    centre: tuple[Number, ...]

    def __call__(self, x: Sequence[Number]) -> Number:
        """Its value at x."""
        return sum_of(p * (v - c) ** 2 / 2 for p, c, v in zip(self.curvature, self.centre, x, strict=True))

    def slope(self, x: Sequence[Number]) -> list[Number]:
        """The gradient."""
        return [p * (v - c) for p, c, v in zip(self.curvature, self.centre, x, strict=True)]


@dataclass(frozen=True)
class Group:
    """Identical clients."""

    times: int
    h: Bowl
    f: Bowl


def read(instance: Mapping[str, Any]) -> tuple[Group, ...]:
    """The clients of a stored instance; a loss is a list of (curvature, centre), one for each coordinate.

    Raises:
        ValueError: a curvature is negative, or a number is not exact.
    """

    def bowl(pairs: Sequence[Sequence[Any]]) -> Bowl:
        curvature = tuple(rational(p) for p, _ in pairs)
        if any(p < 0 for p in curvature):
            raise ValueError(f"curvatures of convex losses are at least 0, got {pairs}")
        return Bowl(curvature, tuple(rational(c) for _, c in pairs))

    return tuple(Group(c["times"], bowl(c["h"]), bowl(c["f"])) for c in instance["clients"])


class Problem:
    """Constants and solutions of problem (1) for some groups of clients."""

    def __init__(self, groups: Sequence[Group]) -> None:
        self.groups = groups
        self.N = sum(g.times for g in groups)
        self.n = len(groups[0].h.curvature)
        self.h = self._mean_bowl([g.h for g in groups])
        self.f = self._mean_bowl([g.f for g in groups])
        # X_h* fixes the coordinates in which h is curved; f chooses the others
        self.x_star = tuple(
            c if p > 0 else d for p, c, d in zip(self.h.curvature, self.h.centre, self.f.centre, strict=True)
        )

    def mean(self, value: Callable[[Group], Number]) -> Number:
        """Mean over the clients."""
        return sum_of(g.times * value(g) for g in self.groups) / self.N

    def mean_h(self, x: Sequence[Number]) -> Number:
        """``h(x)``."""
        return self.mean(lambda g: g.h(x))

    def mean_f(self, x: Sequence[Number]) -> Number:
        """``f(x)``."""
        return self.mean(lambda g: g.f(x))

    def x_eta(self, eta: Number) -> tuple[Number, ...]:
        """The minimiser of ``h + eta f``.

        Raises:
            ValueError: it is not unique.
        """
        if not all(p + eta * q > 0 for p, q in zip(self.h.curvature, self.f.curvature, strict=True)):
            raise ValueError("a coordinate in which neither h nor f is curved has no unique minimiser")
        return tuple(
            (p * c + eta * q * d) / (p + eta * q)
            for p, c, q, d in zip(self.h.curvature, self.h.centre, self.f.curvature, self.f.centre, strict=True)
        )

    def constants(self) -> dict[str, Number]:
        """Numbers for the constants' symbols; without inner problem X_h* is sharp of order 1 with any alpha."""
        inner = [p for p in self.h.curvature if p > 0]
        slope = self.f.slope(self.x_star)
        slope_norm = root(sum_of(v * v for v in slope), 2)
        f_star, inf_f = self.mean_f(self.x_star), self.mean_f(self.f.centre)
        return {
            "n": rational(self.n),
            "N": rational(self.N),
            "L_f": max(p for g in self.groups for p in g.f.curvature),
            "L_h": max(p for g in self.groups for p in g.h.curvature),
            "mu_f": min(p for g in self.groups for p in g.f.curvature),
            "sigma_f2": rational(0),
            "sigma_h2": rational(0),
            "sigma_g2": rational(0),
            "f_star": f_star,
            "g_star": f_star - inf_f,
            "h_star": self.mean_h(self.x_star),
            "inf_f": inf_f,
            "mean_inf_f": rational(0),
            "mean_inf_h": rational(0),
            "alpha": min(inner) / 2 if inner else rational(1),
            "kappa": rational(2 if inner else 1),
            "grad_f_star": slope_norm,
            "grad_g_star": slope_norm,
        }

    def facts(self) -> dict[str, str]:
        """The structural hypotheses that hold, and why."""
        quadratic = "a quadratic with curvatures"
        f = sorted({p for g in self.groups for p in g.f.curvature})
        h = sorted({p for g in self.groups for p in g.h.curvature})
        out = {
            "f_convex": f"{quadratic} at least {f[0]} >= 0",
            "f_smooth": f"{quadratic} at most {f[-1]}",
            "h_convex": f"{quadratic} at least {h[0]} >= 0",
            "h_smooth": f"{quadratic} at most {h[-1]}",
            "X_h_nonempty": "the mean of the h_i is a quadratic that attains its minimum",
            "f_bounded_below": "f is a sum of squares",
            "clients_attain_minimum": "every f_i and h_i is zero at its centre",
            "inner_attain_minimum": "every h_i is zero at its centre",
            "unbiased": "gradients are exact",
            "variance_bounded": "gradients are exact",
            "independent_noise": "gradients are exact",
            "weak_sharp": "h - h* is a sum of squares; alpha is half of its smallest positive curvature",
        }
        if f[0] > 0:
            out["f_strongly_convex"] = f"{quadratic} at least {f[0]} > 0"
        if f == [1] and len({g.f.centre for g in self.groups}) == 1:
            out["projection"] = "every f_i is ||x - y||^2/2"
        return out

    def squared_distance(self, x: Sequence[Number]) -> Number:
        """``dist(x, X_h*)^2``."""
        return sum_of((v - s) ** 2 for p, v, s in zip(self.h.curvature, x, self.x_star, strict=True) if p > 0)

    def _mean_bowl(self, bowls: Sequence[Bowl]) -> Bowl:
        """The mean loss up to a constant; coordinates in which it is flat are centred at 0."""
        weights = [rational(f"{g.times}/{self.N}") for g in self.groups]
        curvature, centre = [], []
        for j in range(self.n):
            p = sum_of(w * b.curvature[j] for w, b in zip(weights, bowls, strict=True))
            pull = sum_of(w * b.curvature[j] * b.centre[j] for w, b in zip(weights, bowls, strict=True))
            curvature.append(p)
            centre.append(pull / p if p > 0 else pull)
        return Bowl(tuple(curvature), tuple(centre))


def at_point(problem: Problem, x: Sequence[Number], stated: Mapping[str, Number]) -> dict[str, Number]:
    """What Lemmas 1 and 2, weak sharpness and the smoothed indicator speak of, at one point x."""
    eta = stated.get("eta", stated.get("eta_g", rational(1)))
    x_eta, x_star = problem.x_eta(eta), problem.x_star
    distance = root(problem.squared_distance(x), 2)

    def mean_square(slopes: Callable[[Group], list[Number]]) -> Number:
        return problem.mean(lambda g: sum_of(v * v for v in slopes(g)))

    def regularised(point: Sequence[Number]) -> Number:
        return problem.mean_h(point) + eta * problem.mean_f(point)

    out = {
        "mean_sq_grad_f": mean_square(lambda g: g.f.slope(x)),
        "mean_sq_grad_h": mean_square(lambda g: g.h.slope(x)),
        "mean_sq_grad_eta": mean_square(
            lambda g: [u + eta * v for u, v in zip(g.h.slope(x), g.f.slope(x), strict=True)]
        ),
        "gap_inf_f": problem.mean_f(x) - problem.mean_f(problem.f.centre),
        "gap_inf_h": problem.mean_h(x) - problem.mean_h(x_star),
        "gap_point": regularised(x) - regularised(x_eta),
        "outer_diff": problem.mean_f(x) - problem.mean_f(x_star),
        "inner_diff": problem.mean_h(x) - problem.mean_h(x_star),
        "gap_h": problem.mean_h(x) - problem.mean_h(x_star),
        "E_dist": distance,
        "dist_y": distance,
    }
    out |= {"mean_sq_grad_g_eta": out["mean_sq_grad_eta"], "gap_point_g": out["gap_point"]}
    if "lam" in stated:
        # the envelope of an indicator is dist^2/(2 lam); the gradient of dist^2/lam has norm 2 dist/lam
        out |= {"ind_env": distance**2 / (2 * stated["lam"]), "grad_penalty": 2 * distance / stated["lam"]}
    return out


# --- a run


@dataclass(frozen=True)
class Moments:
    """Of one coordinate: the iterate x, the sum s of theta^(r-R) x^{r-1}, r = 1..R, and the sum w of theta^(r-R)."""

    w: Number
    x: Number
    s: Number
    xx: Number
    xs: Number
    ss: Number


def along(problem: Problem, x0: Sequence[Number], values: Values, rounds: int) -> list[Moments]:
    """Exact moments of every coordinate after some rounds of Algorithm 1."""
    K, S, theta = (values(_symbol(name)) for name in ("K", "S", "theta"))
    gamma_g, gamma_l, eta = (values(_symbol(name)) for name in ("gamma_g", "gamma_l", _weight(values)))
    out = []
    for j, start in enumerate(x0):
        ends = [_local(g, j, gamma_l, eta, int(K.p))[-1] for g in problem.groups]
        matrix = _round(problem, ends, S, gamma_g, theta)
        first = [rational(1), rational(0), start, rational(0), start**2, rational(0), rational(0)]
        _, w, x, s, xx, xs, ss = _applied(matrix, rounds, first)
        out.append(Moments(w, x, s, xx, xs, ss))
    return out


def _local(g: Group, j: int, gamma_l: Number, eta: Number, K: int) -> list[tuple[Number, Number]]:
    """``(a, b)`` with ``y_k = a x + b`` in coordinate j, for k = 0..K local steps from x."""
    p, q = g.h.curvature[j], eta * g.f.curvature[j]
    pull = p * g.h.centre[j] + q * g.f.centre[j]
    maps = [(rational(1), rational(0))]
    for _ in range(K):
        a, b = maps[-1]
        maps.append(((1 - gamma_l * (p + q)) * a, (1 - gamma_l * (p + q)) * b + gamma_l * pull))
    return maps


def _round(
    problem: Problem, ends: Sequence[tuple[Number, Number]], S: Number, gamma_g: Number, theta: Number
) -> list[list[Number]]:
    """One round as a linear map of (1, w, x, s, x^2, x s, s^2) in expectation.

    The server goes to ``A x + B``, where ``A = 1 + gamma_g (mean_S a - 1)`` and ``B = gamma_g mean_S b``.
    """
    N = problem.N
    weights = [rational(f"{g.times}/{N}") for g in problem.groups]
    # variance of the mean of S out of N numbers, drawn without replacement, over their variance
    sampling = (N - S) / (S * (N - 1)) if N > 1 else rational(0)

    def mean(values: Iterable[Number]) -> Number:
        return sum_of(w * v for w, v in zip(weights, values, strict=True))

    a, b = mean(a for a, _ in ends), mean(b for _, b in ends)
    v_aa, v_ab, v_bb = (
        sampling * gamma_g**2 * (mean(u * v for u, v in pairs) - x * y)
        for pairs, x, y in (
            ([(a_, a_) for a_, _ in ends], a, a),
            (ends, a, b),
            ([(b_, b_) for _, b_ in ends], b, b),
        )
    )
    A, B = 1 + gamma_g * (a - 1), gamma_g * b
    o, i = rational(0), 1 / theta
    return [
        [rational(1), o, o, o, o, o, o],
        [rational(1), i, o, o, o, o, o],
        [B, o, A, o, o, o, o],
        [o, o, rational(1), i, o, o, o],
        [B * B + v_bb, o, 2 * (A * B + v_ab), o, A * A + v_aa, o, o],
        [o, o, B, B * i, A, A * i, o],
        [o, o, o, o, rational(1), 2 * i, i * i],
    ]


def _applied(matrix: list[list[Number]], times: int, vector: list[Number]) -> list[Number]:
    """``matrix^times vector`` by repeated squaring."""
    from flint import arb, arb_mat, fmpq, fmpq_mat

    flat = [e for row in matrix for e in row]
    exact = times <= EXACT_ROUNDS and all(isinstance(e, fmpq) for e in (*flat, *vector))
    kind, entry = (fmpq_mat, fmpq) if exact else (arb_mat, arb)
    square = kind(len(vector), len(vector), [entry(e) for e in flat])
    column = kind(len(vector), 1, [entry(e) for e in vector])
    while times:
        if times & 1:
            column = square * column
        square, times = square * square, times >> 1
    return [column[k, 0] for k in range(len(vector))]


def run(problem: Problem, x0: Sequence[Number], values: Values) -> dict[str, Number]:
    """The metrics of the paper after R rounds from x0, and of the first round."""
    eta, theta, R = (values(_symbol(name)) for name in (_weight(values), "theta", "R"))
    rounds = int(R.p)
    x_eta = problem.x_eta(eta)
    end, one = along(problem, x0, values, rounds), along(problem, x0, values, 1)
    start = sum_of((v - c) ** 2 for v, c in zip(x0, x_eta, strict=True))
    out = {
        "Theta_R": power(theta, R) * end[0].w,
        "D2": start,
        "D2_proj": _spread(((v, v * v) for v in x0), problem.x_star),
        "Dlast2": _spread(((m.x, m.xx) for m in end), x_eta),
        "D_prev2": start,
        "D_next2": _spread(((m.x, m.xx) for m in one), x_eta),
        "gap_prev": sum_of(
            (p + eta * q) * (v - c) ** 2 / 2
            for p, q, v, c in zip(problem.h.curvature, problem.f.curvature, x0, x_eta, strict=True)
        ),
    }
    out["drift_sum"], out["drift_sum_prev"] = _drift(problem, x0, values)
    # the printed weights leave the last one, theta^0 here, out of their sum
    for suffix, less in (("", 1), ("_n", 0)):
        if less and rounds == 1:
            continue
        averages = [(m.s / (m.w - less), m.ss / (m.w - less) ** 2) for m in end]
        out |= {k + suffix: v for k, v in _metrics(problem, averages, eta, x_eta, values).items()}
    return out


def _weight(values: Values) -> str:
    """The name of the regularisation parameter: that of an inner call when it has a number."""
    return "eta_g" if "eta_g" in values.numbers else "eta"


def _metrics(
    problem: Problem,
    averages: Sequence[tuple[Number, Number]],
    eta: Number,
    x_eta: Sequence[Number],
    values: Values,
) -> dict[str, Number]:
    """Gaps and distances of a random point, from its first two moments in each coordinate."""
    h, f, x_star = problem.h, problem.f, problem.x_star

    def quadratic(curvature: Sequence[Number], centre: Sequence[Number]) -> Number:
        return sum_of(
            p * (second - 2 * c * first + c * c) / 2
            for p, c, (first, second) in zip(curvature, centre, averages, strict=True)
        )

    regularised = [p + eta * q for p, q in zip(h.curvature, f.curvature, strict=True)]
    out = {
        "gap_h": quadratic(h.curvature, x_star),
        "gap_f": quadratic(f.curvature, f.centre) - f(x_star),
        "gap_eta": quadratic(regularised, x_eta),
        "E_sq": _spread(averages, x_star),
        "Davg2": _spread(averages, x_eta),
    }
    out |= {"E_err2": out["E_sq"], "gap_g": out["gap_f"]}
    if values(_symbol("S")) == problem.N:
        out["E_dist"] = out["dist_R"] = root(problem.squared_distance([first for first, _ in averages]), 2)
    return out


def _spread(moments: Iterable[tuple[Number, Number]], centre: Sequence[Number]) -> Number:
    """``E||x - centre||^2`` from the first two moments of each coordinate."""
    return sum_of(second - 2 * c * first + c * c for (first, second), c in zip(moments, centre, strict=True))


def _drift(problem: Problem, x0: Sequence[Number], values: Values) -> tuple[Number, Number]:
    """Sums over clients and k = 1..K of ``||y_{i,k} - x||^2`` and of ``||y_{i,k-1} - x||^2`` in the first round."""
    gamma_l, eta, K = (values(_symbol(name)) for name in ("gamma_l", _weight(values), "K"))
    by_step = [rational(0)] * (int(K.p) + 1)
    for g in problem.groups:
        for j, x in enumerate(x0):
            for k, (a, b) in enumerate(_local(g, j, gamma_l, eta, int(K.p))):
                by_step[k] += g.times * (a * x + b - x) ** 2
    return sum_of(by_step[1:]), sum_of(by_step[:-1])


# --- records

#: Structural hypotheses that the instance answers itself; those about the outer loss of problem (2) are the record's.
ANSWERED = {"f_convex", "f_strongly_convex", "h_convex", "h_smooth", "X_h_nonempty", "weak_sharp", "projection"}
METRIC: Mapping[str, Callable[[Mapping[str, Number]], Number]] = {
    "R_f_up": lambda v: v["gap_f"],
    "R_h_up": lambda v: v["gap_h"],
    "R_f_lo": lambda v: -v["gap_f"],
    "R_sq_up": lambda v: v["E_sq"],
}


def measured(claim: Claim, data: Mapping[str, Any]) -> tuple[dict[str, Number], dict[str, str]]:
    """Numbers and structural facts of one record: explicit values, a point, or a run.

    Raises:
        ValueError: the record is incomplete, holds no exact numbers, or gives what its instance determines.
    """
    stated = {name: rational(text) for name, text in data.get("values", {}).items()}
    said = dict(data.get("facts", {}))
    if "instance" not in data:
        return stated, said
    problem = Problem(read(data["instance"]))
    # a claim that sets mu_f = 0 is read so
    computed = {k: v for k, v in problem.constants().items() if k not in map(str, claim.where)}
    if "x" in data:
        computed |= at_point(problem, tuple(map(rational, data["x"])), stated)
    else:
        values = Values(computed | stated, claim.where)
        for symbol, rule in claim.schedule.rules.items() if claim.schedule else ():
            computed[str(symbol)] = values.numbers[str(symbol)] = values(rule)
        if "eta" in computed and _symbol("eta_g") in claim.where[_symbol("theta")].free_symbols:
            computed["eta_g"] = values.numbers["eta_g"] = computed["eta"]
        values.define(claim)
        if uneven := [name for name in ("K", "S", "R") if values(_symbol(name)).q != 1]:
            raise ValueError(f"{claim.id}: {uneven[0]} is {values(_symbol(uneven[0]))}; it should be a whole number")
        computed |= run(problem, tuple(map(rational, data["x0"])), values)
    if twice := sorted((stated.keys() & computed.keys()) | (said.keys() & ANSWERED)):
        raise ValueError(f"{claim.id}: the instance or the schedule determines {', '.join(twice)}")
    return computed | stated, said | problem.facts()


def rungs(claim: Claim, data: Mapping[str, Any]) -> Iterator[tuple[dict[str, Number], dict[str, str]]]:
    """The rungs of a ladder, at an accuracy that R rounds miss: the number of rounds needed is more than R.

    Raises:
        ValueError: as :func:`measured`, or R rounds reach the accuracy.
    """
    base = {k: v for k, v in data.items() if k != "rungs"}
    for rung in data["rungs"]:
        both = {**base, **rung, "values": {**base.get("values", {}), **rung.get("values", {})}}
        values, facts = measured(claim, both)
        reached = METRIC[data["counts"]](values)
        if not compare(reached, values["epsilon"], ">"):
            raise ValueError(f"{claim.id}: {values['R']} rounds reach the accuracy {values['epsilon']}")
        yield values | {data["counts"]: values["R"]}, facts


def sum_of(numbers: Iterable[Number]) -> Number:
    """The sum of exact numbers."""
    return reduce(add, numbers, rational(0))


def _symbol(name: str) -> Any:
    return info(name, "strfedavg").symbol
