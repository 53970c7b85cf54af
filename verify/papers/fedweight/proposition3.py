"""Proposition 3 on two nodes with two samples each: all second moments of Local-SVRG follow a linear recursion."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

from rateproof.algos.problems.base import Fact
from rateproof.theory.papers.fedweight import proposition3 as claims
from rateproof.verify.form import Family, at_bound, counts, family, hidden, in_floats, reals, record
from rateproof.verify.form.arithmetic import Number, largest, least
from rateproof.verify.form.on_a_line import MOST, PAST, words
from rateproof.verify.form.outcomes import COORDINATE, Axis, Function, Grid, InOutcomes, Outcomes
from rateproof.verify.form.parts import refuse, steps
from rateproof.verify.planted.mutate import Sharp

NODE: Axis = ("node",)
#: The samples of both nodes together.
XI: Axis = ("xi",)
#: Places of ``x_1, x_2, y_1, y_2``, of the sum for the output, and of the number 1.
NODES, SUM, ONE = (0, 1), 4, 5
Matrix = list[list[Number]]
#: The coefficients of a linear form, by their places.
Form = dict[int, Number]


def weighed(w: Number, c_1: Number, c_2: Number, apart: Number) -> tuple[list[Number], list[Number], list[Number]]:
    """Weights, curvatures and minimisers of the nodes, the last counted from the solution."""
    weights, curved = [w, 1 - w], [c_1, c_2]
    away = (1 - w) * c_2 * apart / (w * c_1 + (1 - w) * c_2)
    return weights, curved, [-away, apart - away]


def in_vectors(**params: Any) -> InOutcomes:
    """The run of :func:`two_nodes` in the vectors of the proofs, by all samples and refreshments."""
    of = in_floats(params)
    T, gamma, q = of["T_in"], of["gamma_in"], of["q_in"]
    weights, curved, minima = weighed(*(of[name] for name in ("w", "c_1", "c_2", "apart")))
    signs = (1.0, -1.0) if of["s"] else (0.0,)
    refuse(2 * (4 * len(signs) ** 2) ** T, MOST)
    c, m = np.reshape(curved, [2, 1]), np.reshape(minima, [2, 1])
    chance, x = np.array([1.0, 0.0]), np.tile(of["start"] + np.array([0.0, 1.0]), (2, 1))
    y, path = x, [x]
    for t in range(T):
        ways = [*itertools.product(itertools.product(signs, repeat=2), itertools.product((0, 1), repeat=2))]
        ends = [x - gamma * c * (x - m + of["s"] * np.reshape(e, [2, 1]) * (x - y)) for e, _ in ways]
        if (t + 1) % of["tau_in"] == 0:
            ends = [np.tile(np.average(z, 0, weights), (2, 1)) for z in ends]
        chances = [np.prod([q if r else 1 - q for r in new]) / len(signs) ** 2 for _, new in ways]
        y = np.hstack([np.where(np.reshape(new, [2, 1]), x, y) for _, new in ways])
        x, chance = np.hstack(ends), np.hstack([chance * p for p in chances])
        path = [*(np.tile(z, len(ways)) for z in path), x]
    keep = 1 - min(gamma * of["mu_l"], q / 4)
    u = np.array([keep ** (T - t) for t in range(T + 1)])
    samples = [*itertools.product(signs, repeat=2)]
    axes = {COORDINATE: [1.0], NODE: weights, PAST: chance, ("iteration",): u / u.sum()}
    axes[XI] = [1 / len(samples)] * len(samples)
    flat = Outcomes(axes, {}, {}, words(axes, "xi samples"))

    def at_node(k: int) -> Function:
        bent = curved[k] * (1 + flat.along(XI, [of["s"] * drawn[k] for drawn in samples]))
        return lambda z: (bent * (z - minima[k]), bent / 2 * (z - minima[k]) ** 2)

    def grid(rows: Any, *axes: Axis) -> Grid:
        shape = [len(flat.chances[axis]) if axis in axes else 1 for axis in flat.chances]
        return np.reshape(np.array(rows), shape)

    f_i = flat.by_value(NODE, [at_node(k) for k in NODES])
    f_k = flat.mean_of(f_i, XI)
    means = np.array([np.average(z, 0, weights) for z in path])
    made = {
        "xk": grid(x, NODE, PAST),
        "yk": grid(y, NODE, PAST),
        "xs": grid([0.0]),
        "x0": grid(means[0], PAST),
        "xt": grid(means.T, PAST, ("iteration",)),
    }
    at = {"f_i": f_i, "f_k": f_k, "f": flat.mean_of(f_k, NODE)}
    return lambda _: iter([Outcomes(flat.chances, made, at, flat.knows)])


def moved(rows: list[Form], moments: Matrix) -> Matrix:
    """The moments of linear forms, the rows, of numbers with these moments."""
    half = [[sum(a * moments[i][j] for i, a in row.items()) for j in range(ONE + 1)] for row in rows]
    return [[sum(one[j] * b for j, b in row.items()) for row in rows] for one in half]


def square(of: Form, now: Matrix) -> Number:
    """The mean square of a linear form."""
    return moved([of], now)[0][0]


@family(
    "Local-SVRG on two nodes",
    None,
    in_vectors,
    T_in=counts(0, 1, 2, 9, 30, most=2),
    tau_in=counts(1, 2, 4, 10, most=10),
    q_in=reals("1/2", "1/10", "99/100", low=0.01, high=0.99),
    w=reals("1/2", 1, "9/10", low=0.1, high=1),
    c_1=reals(1, low=0.1, high=1),
    c_2=reals(1, "1/10", low=0.1, high=1),
    s=reals(0, 1, low=0.1, high=1, zero=True),
    apart=reals(0, 1, low=0.1, high=10, zero=True),
    start=reals(1, 0, -1, low=0.1, high=10, zero=True),
    l_1=reals(1, 2, low=1, high=2),
    mu_l=reals(1, "1/10", low=0.001, high=1),
    gamma_in=at_bound(1, 0.5, 0.2, 2),
    alpha_in=hidden(1, "1/10", answers=["alpha_in"], low=0.1, high=10),
)
def two_nodes(
    *, T_in: Number, tau_in: Number, q_in: Number, w: Number, c_1: Number, c_2: Number, s: Number, apart: Number,
    start: Number, l_1: Number, mu_l: Number, gamma_in: Number, alpha_in: Number,
) -> dict[str, Any]:  # fmt: skip
    """Node k has the samples ``c_k (1 +- s)/2 (x - m_k)^2``, which are one for s = 0.

    ``w``: the weight of the first node; ``c_1``, ``c_2``: the curvature of the node's loss; ``s``: by which share its
    two samples differ from it; ``apart``: how far apart the minima are; ``start``: the first iterate.
    """
    weights, c, m = weighed(w, c_1, c_2, apart)
    gamma, q, tau, T = gamma_in, q_in, tau_in.__index__(), T_in.__index__()
    keep = 1 - least(gamma * mu_l, q / 4)
    local: list[Form] = [{k: 1 - gamma * c[k], ONE: gamma * c[k] * m[k]} for k in NODES]
    mean: Form = {k: weights[k] for k in NODES}
    stays: list[Form] = [{2 + k: 1 - q, k: q} for k in NODES]
    same: list[Form] = [{i: 1} for i in range(ONE + 1)]
    noted = [*same[:SUM], {**mean, SUM: 1}, same[ONE]]
    start_at = [start, start, start, start, 0 * start, 1]
    moments: Matrix = moved(noted, [[a * b for b in start_at] for a in start_at])
    total = 1

    def off(k: int, now: Matrix) -> Number:
        """E (x_k - y_k)^2."""
        return square({k: 1, 2 + k: -1}, now)

    def spread(ends: list[Form], now: Matrix) -> Number:
        """The spread of two numbers about their weighted mean."""
        one, other = ends
        apart = {i: one.get(i, 0) - other.get(i, 0) for i in {*one, *other}}
        return weights[0] * weights[1] * square(apart, now)

    for t in steps(T):
        after = moved([*local, *stays, {SUM: keep}, same[ONE]], moments)
        for k in NODES:
            after[k][k] += (gamma * c[k] * s) ** 2 * off(k, moments)
            after[2 + k][2 + k] += q * (1 - q) * off(k, moments)
        if (t + 1) % tau == 0:
            after = moved([mean, mean, *same[2:]], after)
        moments, total = moved(noted, after), keep * total + 1
    j = T % tau
    bent = sum(weights[k] * c[k] for k in NODES)
    noises = [(c[k] * s) ** 2 * off(k, moments) for k in NODES]
    steep = [weights[k] * c[k] ** 2 * (1 + s**2) for k in NODES]
    slope: Form = {k: weights[k] * c[k] for k in NODES}
    noise = sum(weights[k] * noises[k] for k in NODES)
    noise_of_mean = sum(weights[k] ** 2 * noises[k] for k in NODES)
    V = spread(same[:2], moments)
    V_next = spread(local, moments) + gamma**2 * (noise - noise_of_mean)
    ref = sum(steep[k] * moments[2 + k][2 + k] for k in NODES)
    return {
        "K_nodes": 2,
        "j_in": j,
        "gap_out": bent / 2 * moments[SUM][SUM] / total**2,
        "gap_t": bent / 2 * square(mean, moments),
        "dist_0": start**2,
        "dist_t": square(mean, moments),
        "dist_next": square({k: mean[k] - gamma * slope[k] for k in NODES}, moments) + gamma**2 * noise_of_mean,
        "V_t": V,
        "V_next": V_next,
        "pot_t": (tau - j) * V,
        "pot_next": (tau - 1 - j) * V_next,
        "ref_0": sum(steep) * start**2,
        "ref_t": ref,
        "ref_next": (1 - q) * ref + q * sum(steep[k] * moments[k][k] for k in NODES),
        "g2": square(slope, moments) + noise_of_mean,
        "noise2": noise,
        "het": sum(weights[k] * (c[k] * m[k]) ** 2 for k in NODES),
        "A5": Fact(
            largest(c_1, c_2) * (1 + s) <= l_1 and least(c_1, c_2) >= mu_l and s <= 1, "curvatures c_k (1 +- s)"
        ),
        "w in the simplex": Fact(0 <= w <= 1, "the weights are w and 1 - w"),
        "x*": Fact(True, "x* = 0"),
        "Algorithm 1": Fact(True, "its run"),
    }


def alone(name: str, **params: Any) -> Family:
    """One instance, on which one source is at work."""
    return two_nodes.alone(f"{two_nodes.name}, {name}", **params)


#: From the solution nodes go apart, as their minimisers differ.
APART = {"start": 0, "apart": 1}
#: With ``gamma c = 1`` the first step ends at the solution, but for the noise, which is that of old reference points.
JUMP = {"tau_in": 1, "w": 1, "s": 1, "l_1": 2}
FAR = alone("far from the solution", q_in="99/100")
DIFFERENT = {**APART, "T_in": 2, "tau_in": 4, "c_2": "1/10", "mu_l": "1/10"}
SOURCES = {
    claims.PROPOSITION3.id: [FAR, alone("different nodes", **DIFFERENT, gamma_in="1/2")],
    claims.GRADIENT.id: [
        alone("old reference points", **JUMP, T_in=1),
        alone("new reference points", **JUMP, T_in=2, q_in="99/100"),
    ],
    claims.DRIFT.id: [
        alone("noise", T_in=150, q_in="1/100", s=1, l_1=2, alpha_in=10),
        alone("minimisers", **APART, alpha_in=10),
        alone("minimisers, after a step", **APART, T_in=1, tau_in=3, alpha_in="1/10"),
        alone("curvatures", c_2="1/10", mu_l="1/10", alpha_in=10),
        alone("curvatures, after steps", c_2="1/10", mu_l="1/10", T_in=5, tau_in=10, alpha_in="1/10"),
    ],
    claims.ONE_STEP.id: [
        alone("minimisers", **APART, tau_in=2),
        alone("many local steps", **APART, T_in=60, tau_in=91, gamma_in="1/31"),
    ],
}
SOURCES |= dict.fromkeys((claims.SHARP.id, claims.HALVED_BOUND.id), SOURCES[claims.PROPOSITION3.id])
#: Of these a family attains the bound.
TIGHT = {claim.id: Sharp() for claim in (claims.DISTANCE, claims.REFRESHED, claims.FIRST)}
PROPOSITION3 = tuple(
    record(claim, families=[two_nodes, *SOURCES.get(claim.id, [])], tight=TIGHT.get(claim.id))
    for claim in claims.CLAIMS
)
