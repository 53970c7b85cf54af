"""Lemma 3, Proposition 7, Theorem 3 and the rows of Table 1 about the two-loop method."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import lru_cache

import numpy as np
import sympy as sp

from rateproof.algos.problems.base import Fact
from rateproof.theory import catalog
from rateproof.theory.asymptotics import Inversion, complexity, compose, entry, total, worst
from rateproof.theory.claim import Claim, Reading, conjuncts
from rateproof.theory.papers.strfedavg.mended import SHARP_UP_TO, delta_h
from rateproof.theory.papers.strfedavg.nonconvex import GRADIENT_FACTOR, INNER_CALLS, PENALTY, ROUND_OFFSET
from rateproof.theory.papers.strfedavg.notation import (
    E_dist_n,
    E_err2_n,
    R_dist,
    R_dist_d,
    R_dist_n,
    R_first,
    R_stat,
    R_stat_d,
    R_stat_env,
)
from rateproof.theory.papers.strfedavg.schedules import S_SC, S_SC_1
from rateproof.theory.symbols import C_O, T, kappa, t
from rateproof.verify.checks import Budget, Check
from rateproof.verify.deciders import bounds, growth
from rateproof.verify.deciders.growth import Ladder
from rateproof.verify.evidence import Evidence, Finding, Level, by_decider
from rateproof.verify.papers.strfedavg import calls, line, line_sources, nonconvex_steps, points, sum_bounds
from rateproof.verify.papers.strfedavg.instances import Setting, build
from rateproof.verify.papers.strfedavg.line import Line
from rateproof.verify.papers.strfedavg.rates import JUST_BELOW
from rateproof.verify.papers.strfedavg.sharpness import vacuous_unless_constant
from rateproof.verify.trial import Trial

TWO_LOOPS = "two loops in closed form"
LINE_DETAIL = "f(y) = -w cos(y - s) over h = (L_h/2) x^2 or constant h on the line, every call in closed form"
SOURCES_DETAIL = "calls with noise, sampled clients or drift alone, by their exact moments"


def _readings(claim: Claim) -> Iterator[tuple[str, Claim]]:
    """The claim under each other reading alone, and under all of them."""
    switches = [s for s in claim.switches if s.substitute]
    everything = claim
    for switch in switches:
        yield switch.reading, claim.read(switch)
        everything = everything.read(switch)
    if len(switches) > 1:
        yield "all other readings", everything


# --- Lemma 3 ---------------------------------------------------------------------------------------------------------


@lru_cache(maxsize=1)
def _points() -> tuple[Trial, ...]:
    """Points of problem (4) on, near and far from X_h*, with identical clients and with many that disagree."""
    even = [in_projection_terms(points.at_point(*place)) for place in projection_places()]
    return (*even, *(uneven(*place) for place in uneven_places()))


def projection_places() -> Iterator[tuple[Setting, np.ndarray, str]]:
    """Problem (4) over family I1, and a point of it, with its name."""
    for c in ((0.0, 0.0), (-1.0, 1.0), (-2.0, -1.0, 0.0, 1.0, 2.0), (-1.0, 1.0) * 10):
        for y in (calls.ORIGIN, calls.BESIDE, (10.0, 1.0)):
            for curvature in (1.0, 1e-3, 100.0):
                for weight in (1.0, 0.01, 10.0):
                    setting = Setting(params=calls.projection(y, c, curvature), eta=weight)
                    problem = build(setting)
                    yield setting, problem.regularised_solution(weight), "x_eta*"
                    yield setting, problem.bilevel_solution(), "x*"
                    yield setting, np.array(y), "y"
                    yield setting, np.array((30.0, -40.0)), "a far point"


def uneven_places() -> Iterator[tuple[float, float, float]]:
    """Curvature, eta and x for :func:`uneven`: at x_eta*, at the solution and beyond."""
    for curvature in (1.0, 10.0, 1e-2):
        for eta in (10.0, 1.0, 0.1):
            yield from ((curvature, eta, share * eta / (curvature / 2 + eta)) for share in (1.0, 0.0, 2.0))


def uneven(curvature: float, eta: float, x: float) -> Trial:
    """h_1 = (curvature/2) x^2 beside h_2 = 0 on the line, y = 1, at x: clients disagree off X_h*."""
    mean = curvature / 2
    x_eta = eta / (mean + eta)
    grads = (curvature * x + eta * (x - 1), eta * (x - 1))
    values = {
        "L_h": curvature,
        "eta_g": eta,
        "N": 2.0,
        "h_star": 0.0,
        "mean_inf_h": 0.0,
        "g_star": 0.5,
        "mean_sq_grad_g_eta": (grads[0] ** 2 + grads[1] ** 2) / 2,
        "gap_point_g": (mean + eta) / 2 * (x - x_eta) ** 2,
        "outer_diff_g": (x - 1) ** 2 / 2 - 0.5,
    }
    structure = {
        "h_convex": "both h_i are convex quadratics",
        "h_smooth": "0 <= h_i'' <= L_h",
        "X_h_nonempty": "0 minimises h",
        "inner_attain_minimum": "0 minimises both h_i",
    }
    facts = {key: Fact(True, why) for key, why in structure.items()} | calls.FACTS
    label = f"h_1 = {curvature / 2:g} x^2, h_2 = 0, y = 1, eta = {eta:g}, x = {x:g}"
    return Trial.exact(label, values, facts, at={"curvature": curvature, "eta": eta, "x": x})


def in_projection_terms(trial: Trial) -> Trial:
    """The numbers of Lemma 2 under their names in Lemma 3."""
    v = trial.values
    values = {
        **v,
        "mean_sq_grad_g_eta": v["mean_sq_grad_eta"],
        "gap_point_g": v["gap_point"],
        "g_star": v["f_star"] - v["inf_f"],
        "outer_diff_g": v["outer_diff"],
        "eta_g": v["eta"],
    }
    return replace(trial, values=values, facts=calls.of_problem_4(trial))


def check_dissimilarity(claim: Claim, budget: Budget) -> Iterable[Evidence]:
    """Lemma 3 at points."""
    detail = "gradients and gaps of problem (4) at solutions, y and far points; up to 20 clients that disagree"
    yield bounds.decide(claim, _points(), method=points.METHOD, detail=detail)
    for name, reading in claim.readings():
        yield bounds.decide(reading, _points(), method=points.METHOD, detail=detail, reading=name)


# --- one call: Proposition 7 and the distance bounds of Theorem 3 ----------------------------------------------------


def _vacuous(claim: Claim) -> Iterator[Evidence]:
    """Weak sharpness of order 1 leaves constant inner losses only; up to an offset it does not."""
    return iter(()) if SHARP_UP_TO in claim.hypotheses else vacuous_unless_constant(claim)


def check_call(claim: Claim, budget: Budget) -> Iterable[Evidence]:
    """A bound on the result of one inner call."""
    yield from _vacuous(claim)
    trials = _calls(claim, budget)
    yield bounds.decide(claim, trials, method=calls.METHOD, detail=calls.DETAIL)
    for name, reading in claim.readings():
        yield from (replace(evidence, reading=name) for evidence in _vacuous(reading))
        yield bounds.decide(reading, _calls(reading, budget), method=calls.METHOD, detail=calls.DETAIL, reading=name)


def _calls(claim: Claim, budget: Budget) -> tuple[Trial, ...]:
    """Calls by the schedule that the hypotheses name; Theorem 3 fixes its exponents."""
    if SHARP_UP_TO in claim.hypotheses:
        return calls.sharp_corners() + calls.corner_trials(S_SC_1.id, tier=budget.tier)
    if any(h.key == "kappa=1" for h in claim.hypotheses):
        trials = calls.corner_trials(S_SC_1.id, tier=budget.tier)
    else:
        trials = calls.corner_trials(S_SC.id, tier=budget.tier)
    if INNER_CALLS in claim.hypotheses:
        trials = tuple(trial for trial in (*trials, *calls.short()) if calls.by_theorem_3(trial))
    normalised = claim.statement is not None and claim.statement.has(E_err2_n, E_dist_n)
    return tuple(trial for trial in trials if not (normalised and calls.at_rest(trial)))


# --- all calls: the stationarity bounds of Theorem 3 -----------------------------------------------------------------

HORIZONS = (5, 20, 100, 1000)
FLAT_HORIZONS = (100, 10_000)
#: The stationary points of f + dist^2/(2 lambda), which the printed step approaches, are none of F_lambda.
AWAY = Line()
PLAIN = Line(w=1.5, lam=1.0)
#: The same, scaled so that the least mean of the squared gradient is an accuracy below 1. F_lambda' = y - 0.75 sin y
#: grows with y, and the iterates stay above y^0: the step is monotone in y, and points up at y^0 for every x >= 0.
GENTLE = Line(w=0.75, lam=2.0, y0=1.4)
#: A constant inner loss: what weak sharpness of order 1 leaves. Calls start at 0, a small eta hardly moves them.
FLAT = Line(w=1.0, s=1.0, L_h=0.0, lam=1.0, y0=0.0, eta=0.03)


# The calls of the proof, t = 2..T+1, are the default, so the printed ones are the other reading.
PRINTED_OFFSET = f"{ROUND_OFFSET.name}={ROUND_OFFSET.printed}"


def check_outer(claim: Claim, budget: Budget) -> Iterable[Evidence]:
    """A bound on the mean squared gradient over the outer iterations."""
    yield from _vacuous(claim)
    constant = any(h.key in ("kappa=1", SHARP_UP_TO.key) for h in claim.hypotheses)
    if claim.reading is Reading.CORRECTED:
        quiet, calls_ = later_sharp() if constant else later(), line_sources.corners(constant=constant)
        trials = [*map(line.trial, quiet), *map(line_sources.trial, calls_)]
        yield bounds.decide(claim, trials, method=TWO_LOOPS, detail=f"{LINE_DETAIL}; {SOURCES_DETAIL}")
        return
    if constant:
        lines = [replace(FLAT, T=T_) for T_ in FLAT_HORIZONS]
    else:
        lines = [replace(base, T=T_) for base in (AWAY, PLAIN) for T_ in HORIZONS]
    yield _on_lines(claim, lines)
    for name, reading in _readings(claim):
        yield _on_lines(reading, lines, reading=name)
    yield _on_lines(claim, [replace(each, first=0) for each in lines], reading=PRINTED_OFFSET)
    true = [replace(each, factor=2, s=1.0, gamma_g=1e7) for each in lines]
    yield _on_lines(claim, true, reading=GRADIENT_FACTOR.reading)


def _on_lines(claim: Claim, lines: Iterable[Line], reading: str = "") -> Evidence:
    trials = [line.trial(each) for each in lines]
    return bounds.decide(claim, trials, method=TWO_LOOPS, detail=LINE_DETAIL, reading=reading)


def later() -> Iterator[Line]:
    """Calls long enough for the mended step condition; also starts at rest, where only the calls' errors count."""
    base = Line(s=1.0, first=120_000, gamma_g=1.0)
    for each in (base, replace(base, w=1.5, lam=1.0), replace(base, w=1.5, lam=1.0, x0=5.0, L_h=0.1)):
        for T_ in (2, 10, 200):
            for gamma_g in (1.0, 1e7):
                yield replace(each, T=T_, gamma_g=gamma_g, K=5 if gamma_g == 1 else 1)
    for y0 in (0.0, 10.0):
        yield replace(base, w=1.0, lam=1.0, y0=y0, x0=y0, gamma_g=1e7, T=1000)
    for lam, w, curvature in ((1.0, 1.0, 1.0), (10.0, 0.1, 1.0), (0.1, 1.0, 0.01), (1.0, 1.0, 0.01)):
        calm = replace(base, w=w, lam=lam, L_h=curvature, s=2.0, gamma_g=1e7)
        for T_ in (2, 200, 5000):
            yield replace(calm, T=T_, y0=line.rest(calm, line.SHARES["_env"]))
    # so long that what the calls of a start elsewhere cost is gone, and their pull alone is left
    calm = replace(base, w=1.0, lam=1.0, s=2.0, gamma_g=1e7)
    yield replace(calm, T=200_000, y0=line.rest(calm, line.SHARES["_env"]))


def later_sharp() -> Iterator[Line]:
    """The same for a constant regularisation: constant h, and h linear beyond a width."""
    flat = Line(w=1.0, s=1.0, L_h=0.0, lam=1.0, y0=0.0, eta=0.2, p=10.0, first=1500, gamma_g=1.0)
    for T_ in (2, 100, 10_000):
        yield replace(flat, T=T_)
        yield replace(flat, T=T_, eta=1.0, p=2.0, x0=3.0)
    kinked = replace(flat, L_h=0.1, width=10.0, y0=1.0)
    for x0 in (0.0, 20.0):
        yield replace(kinked, T=10, x0=x0)


# --- Table 1 ---------------------------------------------------------------------------------------------------------

#: What the ladder of a corrected row leaves out.
UNSEEN = "as far as Theorem 3 is; the calls are so long that its ladder would pass any power of 1/epsilon from 1 on"


def check_row(claim: Claim, budget: Budget) -> Iterable[Evidence]:
    """A row: the exponents that Theorem 3 and Remark 4 give, and the rounds that a run takes."""
    yield from _vacuous(claim)
    by_exponents = exponents(claim)
    if claim.reading is Reading.CORRECTED:
        by_exponents = replace(by_exponents, detail=f"{by_exponents.detail}; {UNSEEN}")
    yield by_exponents
    for switch in (GRADIENT_FACTOR, PENALTY):
        if switch in claim.switches:
            yield replace(by_exponents, reading=switch.reading)
    climbed = growth.decide(claim, [_ladder(claim)], method="growth along T")
    if climbed.finding is not Finding.INCONCLUSIVE:
        yield climbed


def exponents(claim: Claim) -> Evidence:
    """The stated powers of epsilon against the inversion of the explicit bounds, by regions of kappa."""
    stationarity, distance = claim.follows_from[:2]
    parameters = [r for h in claim.hypotheses for r in conjuncts(h.relation) if r.free_symbols == {kappa}]
    parameters = [r for r in parameters if isinstance(r, sp.StrictGreaterThan)]
    wrong: list[str] = []
    right: list[str] = []
    for relation in conjuncts(claim.statement):
        if relation.lhs in (R_stat, R_stat_env, R_stat_d):
            outer = complexity(_bound(stationarity, T), T, parameters=parameters)
            (cost,) = total(t + R_first, t, T)
            explicit: Iterable[Inversion] = compose(cost.terms, outer, T, parameters=parameters)
        elif relation.lhs in (R_dist, R_dist_n, R_dist_d):
            explicit = complexity(_bound(distance, t), t, parameters=parameters)
        else:
            raise ValueError(f"{relation.lhs} counts nothing in {claim.id}; R_stat or R_dist was expected")
        stated = sp.Add.make_args(sp.expand(relation.rhs / C_O))
        for region in worst(explicit, parameters=parameters):
            where = [*parameters, *region.inequalities]
            entries = [entry(term, explicit, parameters=where, logs_hidden=True) for term in stated]
            shown = [each for each in entries if each.verdict in ("agrees", "loose")] or entries
            (right if shown is not entries else wrong).append(f"{relation.lhs}: {'; '.join(map(str, shown))}")
    source = "inverting Theorem 3, with the rounds of all calls for stationarity (Remark 4)"
    finding = Finding.CONTRADICTION if wrong else Finding.HOLDS
    said = f"{source}: {'; '.join(wrong or right)}"
    return by_decider(Evidence(finding, Level.CERTIFICATE, "exponents", said), claim)


def _bound(claim_id: str, variable: sp.Symbol) -> sp.Expr:
    """An explicit bound as a function of one variable; offsets in delta_h are what the accuracy is counted from."""
    (relation,) = conjuncts(catalog.get(claim_id).statement)
    bound = relation.rhs.subs({delta_h: 0, variable - 1: variable})
    # factors such as 12 kappa - 17 are positive where the claim is made, and numbers for every kappa
    return bound.replace(lambda e: e.is_Add and e.free_symbols == {kappa}, lambda e: sp.S.One)


LADDER = (10, 30, 100, 300, 1000, 3000, 10_000)


def _ladder(claim: Claim) -> Ladder:
    """Rounds of all calls against the accuracy that they just miss, everything else fixed."""
    constant = any(h.key in ("kappa=1", SHARP_UP_TO.key) for h in claim.hypotheses)
    if claim.reading is Reading.CORRECTED:
        base = next(later_sharp()) if constant else replace(next(later()), w=1.5, lam=1.0)
        why = "everything fixed"
    elif constant:
        base = replace(FLAT, eta=0.5)
        why = "the mean over t < T contains ||grad F(y^0)||^2/T, so 1/epsilon outer iterations, epsilon^-2 rounds"
    else:
        base = GENTLE
        why = "the iterates stay above y^0, where grad F_lambda grows: no mean falls below ||grad F_lambda(y^0)||^2"
    metric = "E_grad2_env" if claim.reading is Reading.CORRECTED else "E_grad2"
    return Ladder("T", tuple(rungs(base, metric)), why)


def rungs(base: Line, metric: str) -> Iterator[Trial]:
    """Runs of T iterations at an accuracy that none of the first T means of the metric reaches: more are needed."""
    means = line.stationarity(replace(base, T=LADDER[-1]))[metric]
    for T_ in LADDER:
        each = replace(base, T=T_)
        trial = line.trial(each)
        # the accuracy up to an offset is no better than the accuracy itself on these runs, which have none
        rounds = dict.fromkeys(map(str, (R_stat, R_stat_env, R_stat_d)), float(each.rounds.sum()))
        yield replace(
            trial, values={**trial.values, **rounds, "call": T_ - 1, "epsilon": JUST_BELOW * float(means[:T_].min())}
        )


#: By printed items; a corrected claim has the check of what it amends.
CHECKS: Mapping[str, Check] = {
    **nonconvex_steps.CHECKS,
    **{f"step.11.s{item}": sum_bounds.check for item in ("1", "1'", *range(2, 10))},
    "lem3": check_dissimilarity,
    **dict.fromkeys(("prop7.i", "prop7.ii", "thm3.i-2", "thm3.ii-2"), check_call),
    **dict.fromkeys(("thm3.i-1", "thm3.ii-1"), check_outer),
    **dict.fromkeys(("tab1.ip.k", "tab1.ip.1"), check_row),
}
