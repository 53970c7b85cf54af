"""Complexities and O(.) claims: ladders of instances with exact moments at any horizon, and proofs with a constant.

``K_eps`` of an instance is found from the exact moments of linear losses: the first number of iterations from which on
the metric stays at or below epsilon, with the stepsize and the rounds of S-com.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any

import sympy as sp

from rateproof.algos.problems.base import Fact
from rateproof.theory.claim import Claim
from rateproof.theory.papers.fedrzo.notation import B2, K_eps, K_it, m
from rateproof.theory.papers.fedrzo.single.corrected_proposition import C_MENDED, ENOUGH, O_MENDED
from rateproof.theory.papers.fedrzo.single.notation import M, least_steps
from rateproof.theory.papers.fedrzo.single.propositions import SMALL_ACCURACY, STEEP
from rateproof.theory.symbols import C_O, epsilon
from rateproof.verify.checks import Budget
from rateproof.verify.deciders import growth, premises
from rateproof.verify.deciders.certificates import lacking, unproved
from rateproof.verify.deciders.growth import Ladder
from rateproof.verify.evidence import Evidence, Finding
from rateproof.verify.papers.fedrzo.single import chain, horizons, long_runs
from rateproof.verify.papers.fedrzo.single.arguments import plainly_nonnegative, step, together
from rateproof.verify.papers.fedrzo.single.families import Params, run
from rateproof.verify.papers.fedrzo.single.grids import RUN
from rateproof.verify.trial import Trial

METHOD = "exact moments"
_RUN_FACTS = tuple(chain.RUN)


def rule(m: int, K: int) -> tuple[float, int]:
    """Stepsize and local steps of S-com."""
    return math.sqrt(m / K), max(1, math.ceil((K / m**3) ** 0.25 - 1e-12))


_KEPT = ("spread", "L0", "constrained", "noise", "x0", "eta", "m")


def at_horizon(params: Params, K: int) -> dict[str, float]:
    """What K iterations measure with the rule S-com."""
    gamma, H = rule(params["m"], K)
    return long_runs.linear(**{k: params[k] for k in _KEPT}, nu=max(params["noise"], 1e-6), gamma=gamma, n=1, H=H, K=K)


def needed_arguments(params: Params, accuracy: float) -> dict[str, Any]:
    """The arguments of :func:`long_runs.needed`."""
    return {**{k: params[k] for k in _KEPT}, "epsilon": accuracy}


def horizon_trial(params: Params, accuracy: float) -> Trial:
    """An instance with its K_eps.

    Raises:
        ValueError: the accuracy is out of reach.
    """
    values = long_runs.needed(**needed_arguments(params, accuracy))
    trial = run({**params, "K": int(values["K_eps"]), "H": 1})
    facts = {**trial.facts, "K_eps": Fact(True, "all larger K were tried on a grid, the last gap by bisection")}
    said = ", ".join(f"{k} = {v:g}" for k, v in params.items() if k in ("L0", "noise", "eta", "m", "spread"))
    return Trial.exact(f"linear losses, {said}, epsilon = {accuracy:g}", values, facts, error=1e-7, at=dict(params))


# --- ladders

#: Ladders along which the constants of the problem are fixed.
ACCURACY_AND_CLIENTS = (
    "m -> infinity, epsilon = 1/2",
    "epsilon -> 0",
    "m -> infinity, epsilon = 1/(2 m^2)",
    "no noise, epsilon -> 0",
)

CLIENTS = (4, 40, 400, 4000, 40_000, 400_000)
_DECADES = tuple(10.0**-k for k in range(7))


def horizon_ladders() -> Iterator[Ladder]:
    """One constant at a time, all others fixed."""
    noisy = {**RUN, "noise": 1.0}
    quiet = {**RUN, "noise": 0.0}
    yield Ladder(
        "L0 -> 0",
        [horizon_trial({**noisy, "L0": a}, 1e-3) for a in _DECADES],
        "values are noisy even where the losses are flat: the noise enters through the Moreau term's curvature 1/eta",
    )
    yield Ladder(
        "m -> infinity, epsilon = 1/2",
        [horizon_trial({**quiet, "m": m_}, 0.5) for m_ in CLIENTS],
        "for K <= m/4 the stepsize sqrt(m/K) is at least 2 eta, and the iterates do not come nearer to the minimiser",
    )
    yield Ladder(
        "epsilon -> 0",
        [horizon_trial(noisy, 10.0**-k) for k in range(1, 7)],
        "more accuracy",
    )
    yield Ladder(
        "m -> infinity, epsilon = 1/(2 m^2)",
        [horizon_trial({**noisy, "noise": 0.5, "m": m_}, 0.5 / m_**2) for m_ in (1, 10, 100, 1000, 10**4, 30_000)],
        "more clients, at an accuracy that needs more than m^3 iterations",
    )
    steep = [horizon_trial({**noisy, "L0": 10.0**k}, 10.0 ** (2 * k - 2)) for k in range(5)]
    yield Ladder("L0 -> infinity, epsilon like L0^2", steep, "steeper losses")
    loud = [horizon_trial({**noisy, "noise": 10.0**k}, 10.0 ** (2 * k - 3)) for k in range(5)]
    yield Ladder("nu -> infinity, epsilon like nu^2", loud, "more noise")
    small = [horizon_trial({**noisy, "eta": 10.0**-k, "noise": 10.0**-k}, 0.1) for k in range(5)]
    yield Ladder("eta -> 0, nu = eta", small, "a smaller radius")
    wide = [horizon_trial({**quiet, "L0": 10.0**-k, "eta": 10.0**k}, 1.0) for k in range(7)]
    yield Ladder("eta -> infinity, L0 = 1/eta, epsilon = 1", wide, "all falls but the one iteration that there is")
    yield Ladder(
        "no noise, epsilon -> 0", [horizon_trial(quiet, 10.0**-k) for k in range(1, 7)], "the initial gap alone"
    )


@lru_cache(maxsize=1)
def _ladders() -> tuple[Ladder, ...]:
    return tuple(horizon_ladders())


def check_horizon(claim: Claim, budget: Budget) -> Iterable[Evidence]:
    """An O(.) claim about K_eps or about the rounds of K_eps iterations."""
    fixed = claim.id.startswith("fedrzo.rem1.")
    yield from _decided(claim, [x for x in _ladders() if not fixed or x.parameter in ACCURACY_AND_CLIENTS])


def check_rate(claim: Claim, budget: Budget) -> Iterable[Evidence]:
    """The rate 1/sqrt(mK) and the rounds of K iterations, for growing K and m."""
    yield from _decided(claim, tuple(rate_ladders()))


_DETAIL = "linear losses on the line, the printed gamma and H"


def _decided(claim: Claim, ladders: Sequence[Ladder]) -> Iterator[Evidence]:
    """The claim as printed, with a proof where there is one, and under its other readings."""
    evidence = growth.decide(claim, ladders, method=METHOD, detail=_DETAIL)
    yield evidence
    if evidence.finding is not Finding.VIOLATION and (proof := _PROOFS.get(claim.item)):
        yield proof(claim)
    if SMALL_ACCURACY in claim.switches and evidence.finding is Finding.VIOLATION:
        kind = claim.read_kindly()
        if STEEP in claim.switches:
            yield growth.decide(kind, ladders, method=METHOD, detail=_DETAIL, reading=claim.kind_reading)
        else:
            yield replace(_below_1_m(kind), reading=claim.kind_reading)
    for switch in claim.switches:
        other, tried = claim.read(switch), ladders
        if least_steps in switch.substitute:
            tried = (*ladders, *map(shortened, ladders))
        evidence = growth.decide(other, tried, method=METHOD, detail=_DETAIL, reading=switch.reading)
        yield evidence
        if switch.name == "stepsize_bound" and evidence.finding is not Finding.VIOLATION:
            yield replace(_rate_proof(other), reading=switch.reading)


def shortened(ladder: Ladder) -> Ladder:
    """The same runs with a communication after every step: as many rounds as iterations.

    The mean of the clients does not feel the rounds where all losses are linear.
    """
    rungs = [
        replace(
            t, label=f"{t.label}, rounds of one step", values={**t.values, "shortest": 1, "rounds": t.values["K_it"]}
        )
        for t in ladder.trials
    ]
    return Ladder(f"{ladder.parameter}, T_r = r", rungs, "there are as many rounds as iterations")


def rate_ladders() -> Iterator[Ladder]:
    """S-com for growing K, for growing m with K = 10^8 m^3, and for growing m with K so small that gamma is long."""
    for name, base in (("noise", {**RUN, "noise": 1.0}), ("no noise", {**RUN, "noise": 0.0})):
        yield Ladder(
            f"K -> infinity, {name}",
            [_at_rate(base, root**4) for root in (30, 100, 300, 1000, 3000, 10**4)],
            "more steps",
        )
        yield Ladder(
            f"m -> infinity, {name}",
            [_at_rate({**base, "m": m_}, 10**8 * m_**3) for m_ in (2, 10, 100, 1000, 10**4, 10**5)],
            "more clients",
        )
    yield Ladder(
        "m -> infinity, K = m/4",
        [_at_rate({**RUN, "noise": 0.0, "m": m_}, m_ // 4) for m_ in CLIENTS],
        "the stepsize is 2 eta, and the iterates jump from one side of the minimiser to the other",
    )


def _at_rate(params: Params, K: int) -> Trial:
    values = at_horizon(params, K)
    values |= {"rounds": float(math.ceil(K / values["H"])), "shortest": values["H"]}
    facts = {key: Fact(True, "a run of Algorithm 1 on linear losses") for key in _RUN_FACTS}
    return Trial.exact(
        f"linear losses, m = {params['m']}, K = {K}, noise {params['noise']:g}", values, facts, error=1e-7
    )


# --- proofs with a constant


def _of_order_m(claim: Claim) -> Evidence:
    """rem1.iterations.corrected: the complexity of prop1.ii.corrected, whose constants know neither m nor epsilon."""
    relation = claim.statement
    if refusal := lacking(claim, *chain.RUN, "K_eps"):
        return refusal
    if not isinstance(relation, sp.Rel) or relation.lhs != K_eps or relation.rel_op != "<=":
        return unproved(f"{relation} is no bound on K_eps")
    if {m, epsilon} & (O_MENDED.free_symbols | M.free_symbols):
        return unproved("the constants depend on m or epsilon")
    more = sp.Symbol("m - 1", nonnegative=True)
    accuracy, smooth, far = sp.symbols("C^2 M^2 B_2^4M^4", nonnegative=True)
    hidden = 1 + accuracy + smooth + far
    explicit = 1 + accuracy / (m * epsilon**2) + smooth * m + far / m
    rest = (relation.rhs.subs(C_O, hidden) - explicit).subs(m, 1 + more)
    return together(
        (("term by term for m >= 1", step(plainly_nonnegative(rest), "nonnegative terms")),),
        "K_eps = O(1 + C^2/(m eps^2) + m M^2 + B_2^4 M^4/m) (prop1.ii.corrected), hidden constant 1 + C^2 + M^2 + "
        "B_2^4 M^4 times that one",
    )


def _below_1_m(claim: Claim) -> Evidence:
    """Remark 1 for epsilon <= 1/m: m + 1/(m epsilon^2) of rem1.iterations.corrected is at most 2/(m epsilon^2)."""
    relation = claim.statement
    try:
        premises.need(claim, *chain.RUN, "K_eps")
        premises.need_as_is(claim, *SMALL_ACCURACY.adding)
    except ValueError as refusal:
        return unproved(str(refusal))
    if not isinstance(relation, sp.Rel) or relation.lhs != K_eps or relation.rel_op != "<=":
        return unproved(f"{relation} is no bound on K_eps")
    room = sp.simplify(relation.rhs * m * epsilon**2 / C_O)
    share = sp.Symbol("m epsilon", positive=True)
    return together(
        (
            ("the stated order", step(room == 1, "1/(m epsilon^2)")),
            (
                "m = (m epsilon)^2/(m epsilon^2)",
                step(sp.simplify(share**2 / (m * (share / m) ** 2) - m) == 0, "algebra"),
            ),
        ),
        "rem1.iterations.corrected: K_eps = O(m + 1/(m eps^2)), and m <= 1/(m eps^2) where m eps <= 1",
    )


def _speedup(claim: Claim) -> Evidence:
    """rem1.iterations.large.corrected: K_eps - 1 is at most one of three numbers; each case has a constant.

    K_eps >= m^3 bounds m where the number is that of the stepsize or of the sets, by 1 + 4M or by 1 + (12 B_2 M)^4.
    """
    relation = claim.statement
    try:
        premises.need(claim, *chain.RUN, "K_eps")
        premises.need_as_is(claim, *ENOUGH)
    except ValueError as refusal:
        return unproved(str(refusal))
    if (
        not isinstance(relation, sp.Rel)
        or relation.rel_op != "<="
        or sp.simplify(relation.rhs * m * epsilon**2 / C_O) != 1
        or relation.lhs != K_eps
    ):
        return unproved(f"{relation} is not K_eps = O(1/(m epsilon^2))")
    less = sp.Symbol("u", positive=True)
    size, far = 1 + 4 * M, (12 * B2 * M) ** 4
    # m > 1 + 4M would make m^3 larger than 1 + 16 m M^2
    cubic = (size + less) ** 3 - 1 - 16 * (size + less) * M**2
    whole = sp.Symbol("K_eps - 1", positive=True, integer=True)
    return together(
        (
            ("stepsize: m^3 <= 1 + 16mM^2 needs m <= 1 + 4M", step(plainly_nonnegative(cubic), "a polynomial")),
            (
                "sets: m <= m^3 <= K_eps and m K_eps <= m + (12 B_2 M)^4",
                step((far + 1).is_positive, "K_eps <= 1 + ..."),
            ),
            ("accuracy: K_eps <= 2 (K_eps - 1) for K_eps >= 2", step((whole - 1).is_nonnegative, "whole numbers")),
        ),
        "K_eps - 1 is at most the largest of 16mM^2, (12 B_2 M)^4/m, C^2/(m eps^2) (prop1.ii-x.corrected); m = 1 where "
        "K_eps = 1; hidden constant max{2C^2, (1 + 4M)(1 + 16(1 + 4M)M^2), 1 + 2 (12 B_2 M)^4}, with epsilon <= 1",
    )


def _rate_proof(claim: Claim) -> Evidence:
    """tab1.this.rate.corrected: the constant of prop1.ii-x.corrected depends neither on m nor on K."""
    relation = claim.statement
    if not isinstance(relation, sp.Rel):
        return unproved("the statement is no relation")
    if {m, K_it} & C_MENDED.free_symbols:
        return unproved("the constant depends on m or K")
    explicit = relation.func(relation.lhs, relation.rhs.subs(C_O, C_MENDED), evaluate=False)
    return horizons.horizon_bound(replace(claim, statement=explicit))


_PROOFS: Mapping[str, Callable[[Claim], Evidence]] = {
    "prop1.ii.corrected": horizons.complexity,
    "prop1.iii": horizons.round_count,
    "rem1.iterations.corrected": _of_order_m,
    "rem1.iterations.large.corrected": _speedup,
    "rem1.rounds": horizons.round_count,
    "tab1.this.rate.corrected": _rate_proof,
    "tab1.this.rounds": horizons.round_count,
}
CHECKS = {
    "prop1.ii": check_horizon,
    "prop1.ii.corrected": check_horizon,
    "prop1.iii": check_horizon,
    "rem1.iterations": check_horizon,
    "rem1.iterations.corrected": check_horizon,
    "rem1.iterations.large.corrected": check_horizon,
    "rem1.rounds": check_rate,
    "tab1.this.rate": check_rate,
    "tab1.this.rate.corrected": check_rate,
    "tab1.this.rounds": check_rate,
}
