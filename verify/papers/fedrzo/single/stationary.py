"""Stationary points of piecewise-linear losses over intervals, in exact rationals (Proposition 2, Remark 8)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from fractions import Fraction
from functools import lru_cache
from itertools import product
from typing import Any

import sympy as sp

from rateproof.algos.problems.base import Fact
from rateproof.theory.claim import Claim
from rateproof.theory.papers.fedrzo.notation import L0, eta_s
from rateproof.theory.papers.fedrzo.single.notation import (
    delta,
    gold_2eta,
    gold_at_P,
    gold_sum,
    grad_f_excess,
    norm_grad_F,
    radius,
)
from rateproof.theory.symbols import n
from rateproof.verify.checks import Budget
from rateproof.verify.deciders import bounds
from rateproof.verify.deciders.certificates import Combination, Premise, cite
from rateproof.verify.evidence import Evidence, Finding
from rateproof.verify.ground_truths import stationarity
from rateproof.verify.ground_truths.stationarity import LINE, Interval, PiecewiseLinear, kinks
from rateproof.verify.papers.fedrzo.single.arguments import ONE, Argument, relation_of
from rateproof.verify.papers.fedrzo.single.families import measured
from rateproof.verify.trial import Trial

Q = Fraction
METHOD = "exact subdifferentials"
ZERO = kinks([])
LOSSES: Mapping[str, PiecewiseLinear] = {
    "x": kinks([], slope=1),
    "-2|x + 1/20|": kinks([(-2, Q(-1, 20))]),
    "-|x|": kinks([(-1, 0)]),
    "|x - 1/2|": kinks([(1, Q(1, 2))]),
    "|x + 1| - |x|/2": kinks([(1, -1), (Q(-1, 2), 0)]),
    "zigzag": kinks([(1, Q(-1, 2)), (-2, 0), (1, Q(3, 4))], slope=Q(1, 3)),
    "x/10 - |x|/20": kinks([(Q(-1, 20), 0)], slope=Q(1, 10)),
    "3|x| - 3|x - 2/5|": kinks([(3, 0), (-3, Q(2, 5))]),
}
SETS = {"[0, 1]": Interval(0, 1), "[0, inf)": Interval(0), "{0}": Interval(0, 0), "[-1, 2]": Interval(-1, 2)}


def _facts(*, free: bool, stationary: bool) -> dict[str, Fact]:
    return {
        "lipschitz": Fact(True, "L_0 is the largest slope"),
        "unbiased": Fact(True, "values are exact"),
        "variance_bounded": Fact(True, "values are exact"),
        "sets": Fact(True, "an interval"),
        "dissimilarity": Fact(True, "identical sets"),
        "free": Fact(free, "the whole line" if free else "there is a set"),
        "identical": Fact(True, "one set for all clients"),
        "stationary": Fact(stationary, "the gradient of F_eta is zero, exactly" if stationary else "it is not zero"),
    }


def _point(name: str, f: PiecewiseLinear, x: Fraction, eta: Fraction, within: Fraction, X: Interval) -> Trial:
    """Everything that Proposition 2 measures at one point, for a set of all clients."""
    gradient = stationarity.penalised_gradient(f, x, eta, [X])
    nearest = X.project(x)
    assert isinstance(nearest, Fraction)
    L = f.lipschitz
    values = {
        "n": Q(1),
        "m": Q(1),
        "L0": L,
        "nu": Q(1),
        "B1": Q(0),
        "B2": Q(0) if X == LINE else Q(1),
        "eta_s": eta,
        "delta": within,
        "norm_res": abs(x - nearest),
        "norm_grad_F": abs(gradient),
        "gold": stationarity.goldstein(f, x, within, X).distance(Q(0)),
        "gold_2eta": stationarity.goldstein(f, x, 2 * eta, X).distance(Q(0)),
        "gold_sum": _sum_distance(stationarity.goldstein(f, x, within), stationarity.goldstein(ZERO, x, within, X)),
        "gold_at_P": _sum_distance(
            stationarity.goldstein(f, nearest, (1 + L) * eta), stationarity.clarke(ZERO, nearest, X)
        ),
    }
    facts = _facts(free=X == LINE, stationary=gradient == 0)
    label = f"f = {name}, X = [{X.low}, {X.high}], eta = {eta}, delta = {within}, x = {x}"
    return Trial.exact(label, {k: float(v) for k, v in values.items()}, facts, at={"x": str(x), "eta": str(eta)})


def _sum_distance(first: Interval, second: Interval) -> Fraction | float:
    if first.empty or second.empty:
        return float("inf")
    return Interval(first.low + second.low, first.high + second.high).distance(Q(0))


@lru_cache(maxsize=1)
def stationary_points() -> tuple[Trial, ...]:
    """All stationary points of F_eta for every loss and set (ends and middles where they are intervals)."""
    return tuple(_stationary_points())


def _stationary_points() -> Iterator[Trial]:
    for (name, f), X, eta in product(LOSSES.items(), (*SETS.values(), LINE), (Q(1, 10), Q(1, 3), Q(1), Q(1, 100))):
        for interval in stationarity.penalised_stationary(f, eta, [X]):
            ends = [e for e in (interval.low, interval.high) if isinstance(e, Fraction)]
            for x in sorted({*ends, *([sum(ends, Q(0)) / 2] if len(ends) == 2 else [])}):
                for within in (max(Q(2), f.lipschitz) * eta, 2 * eta, 10 * eta):
                    yield _point(name, f, x, eta, within, X)


def excess_trials(claim: Claim) -> Iterator[Trial]:
    """How far the smoothed gradient is from the Goldstein set of the claim's radius, at many points."""
    size = claim.expand(radius)
    for (name, f), eta, at in product(LOSSES.items(), (Q(1, 10), Q(1), Q(1, 7)), range(-12, 13)):
        x = Q(at, 8)
        reach = Q(str(sp.nsimplify(size.subs(eta_s, sp.Rational(eta.numerator, eta.denominator)))))
        gradient = stationarity.smoothed_gradient(f, x, eta)
        values: dict[str, Any] = {
            "n": 1,
            "L0": f.lipschitz,
            "eta_s": eta,
            "nu": 1,
            "radius": reach,
            "grad_f_excess": stationarity.goldstein(f, x, reach).distance(gradient),
        }
        facts = _facts(free=True, stationary=False)
        label = f"f = {name}, eta = {eta}, x = {x}, radius {reach}"
        yield Trial.exact(label, {k: float(v) for k, v in values.items()}, facts, at={"x": str(x), "eta": str(eta)})


def goldstein_trials() -> Iterator[Trial]:
    """The set of Section 2 (hull of Clarke gradients) and Goldstein's (hull of limits of gradients)."""
    for (name, f), within, at in product(LOSSES.items(), (Q(0), Q(1, 10), Q(1, 2), Q(2)), range(-12, 13)):
        x = Q(at, 8)
        edges = [Q(-(10**6)), *f.breaks, Q(10**6)]
        # a piece takes part when its closure meets [x - delta, x + delta]
        slopes = [s for s, a, b in zip(f.slopes, edges, edges[1:], strict=False) if a <= x + within and x - within <= b]
        values = {
            "L0": f.lipschitz,
            "dist_clarke": stationarity.goldstein(f, x, within).distance(Q(0)),
            "dist_goldstein": Interval(min(slopes), max(slopes)).distance(Q(0)),
        }
        facts = _facts(free=True, stationary=False)
        yield Trial.exact(f"f = {name}, x = {x}, delta = {within}", {k: float(v) for k, v in values.items()}, facts)


# --- proofs

_slope = sp.Symbol("d^T grad f_eta(x)", real=True)
_near, _far = sp.symbols("support_eta support_radius", real=True)


def _inside(claim: Claim) -> list[Combination]:
    """Support functions in any direction d: d^T grad f_eta is at most that of the larger ball."""
    if not (claim.expand(radius) - eta_s).is_nonnegative:
        raise ValueError(f"the radius {claim.expand(radius)} is not known to be at least eta")
    average = Premise(
        _near - _slope,
        "grad f_eta(x) = E grad f(x + eta u) (f is differentiable almost everywhere, dominated convergence), and the "
        "mean of members of a compact convex set lies in it",
    )
    larger = Premise(_far - _near, "the Goldstein set grows with its radius, which is at least eta")
    return [Combination([(ONE, average), (ONE, larger)], {grad_f_excess: _slope - _far})]


def _free(claim: Claim) -> list[Combination]:
    stays = Premise(
        norm_grad_F + grad_f_excess - gold_2eta, "F = f and F_eta = f_eta: distance to a point and on to the set"
    )
    return [
        Combination(
            [
                (ONE, stays),
                (ONE, cite("fedrzo.prop2.i")),
                (ONE, Premise(-norm_grad_F, "stationary")),
            ]
        )
    ]


def _sums(claim: Claim) -> list[Combination]:
    cap = relation_of(claim, "eta_delta")
    if cap != sp.Le(sp.Max(2, n * L0, evaluate=False) * eta_s, delta, evaluate=False):
        raise ValueError(f"eta <= delta/max{{2, n L_0}} is needed, the claim has {cap}")
    first = Premise(
        norm_grad_F - gold_sum,
        "grad f_eta(x) lies in the delta-Goldstein set of f (Proposition 2 (i), 2 eta <= delta) and (x - P(x))/eta in "
        "that of I_X (st.16, ||x - P(x)|| <= eta n L_0 <= delta); their sum is grad F_eta(x)",
    )
    return [Combination([(ONE, first), (ONE, Premise(-norm_grad_F, "stationary"))]), *_at_projection(claim)]


def _at_projection(claim: Claim) -> list[Combination]:
    second = Premise(
        norm_grad_F - gold_at_P,
        "the ball of radius eta around x lies in that of radius (1 + L_0) eta around P(x), as ||x - P(x)|| = "
        "eta ||grad f_eta(x)|| <= eta L_0 (Lemma 1 (ii)); (x - P(x))/eta lies in N_X(P(x)) (st.16)",
    )
    return [Combination([(ONE, second), (ONE, Premise(-norm_grad_F, "stationary"))])]


_KEYS = ("lipschitz", "sets", "identical", "stationary")
ARGUMENTS: Mapping[str, Argument] = {
    "prop2.i": Argument(("lipschitz", "free"), _inside),
    "intro.2eta": Argument(("lipschitz", "free", "stationary"), _free),
    "intro.2eta.corrected": Argument(_KEYS, _at_projection),
    "prop2.ii-b.corrected": Argument((*_KEYS, "eta_delta"), _sums),
}


def _check(trials: Callable[[Claim], Iterable[Trial]], detail: str) -> Callable[[Claim, Budget], Iterable[Evidence]]:
    def check(claim: Claim, budget: Budget) -> Iterable[Evidence]:
        from rateproof.verify.papers.fedrzo.single.runs import proof_of

        evidence = bounds.decide(claim, trials(claim), method=METHOD, detail=detail)
        yield evidence
        if evidence.finding is Finding.VIOLATION:
            return
        argument = ARGUMENTS.get(claim.item)
        proof = argument.evidence(claim) if argument else proof_of(claim)
        if proof is not None:
            yield proof

    return check


#: The point that refutes Proposition 2 (ii), in round numbers.
BEYOND = {
    "kinks": ((-2, "-1/20"),),
    "slope": 0,
    "low": 0,
    "high": 1,
    "eta": "1/10",
    "delta": "1/5",
    "x": "-1/5",
    "m": 1,
}


def points(claim: Claim) -> tuple[Trial, ...]:
    """The point in round numbers, then all stationary points."""
    return (measured("point of the line", **BEYOND), *stationary_points())


_POINTS = "all stationary points of F_eta for piecewise-linear losses and intervals"


def check_two_eta(claim: Claim, budget: Budget) -> Iterable[Evidence]:
    """Without sets, and under the other conditions of Proposition 2."""
    yield from _check(points, _POINTS)(claim, budget)
    for switch in claim.switches:
        other = claim.read(switch)
        yield bounds.decide(other, points(other), method=METHOD, detail=_POINTS, reading=switch.reading)


CHECKS = {
    "prop2.i": _check(excess_trials, "piecewise-linear losses, points between and on kinks"),
    **dict.fromkeys(
        (
            "prop2.ii-a",
            "prop2.ii-b",
            "prop2.ii-b.corrected",
            "intro.2eta.corrected",
        ),
        _check(points, _POINTS),
    ),
    "intro.2eta": check_two_eta,
    "rem8": _check(lambda claim: goldstein_trials(), "piecewise-linear losses, both definitions at many points"),
}
