"""Lemma 3, Proposition 7, Theorem 3 and the rows of Table 1 about the two-loop method."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import lru_cache

import numpy as np
import sympy as sp

from theory import catalog
from theory.asymptotics import Inversion, complexity, compose, entry, total, worst
from theory.claim import Claim
from theory.papers.strfedavg.mended import SHARP_UP_TO, delta_h
from theory.papers.strfedavg.nonconvex import GRADIENT_FACTOR, INNER_CALLS, ROUND_OFFSET
from theory.papers.strfedavg.notation import (
    B_ncvx2,
    E_dist_n,
    E_err2_n,
    R_dist,
    R_dist_d,
    R_first,
    R_stat,
    R_stat_d,
    eta_g,
    g_star,
    gap_point_g,
    inner_diff,
    mean_sq_grad_g_eta,
    mean_sq_grad_h,
)
from theory.papers.strfedavg.schedules import S_SC, S_SC_1
from theory.symbols import C_O, L_h, T, h_star, kappa, mean_inf_h, t
from verify.checks import Budget, Check
from verify.deciders import bounds, growth
from verify.deciders.certificates import Combination, Premise, prove
from verify.deciders.growth import Ladder
from verify.evidence import Evidence, Finding, Level
from verify.papers.strfedavg import calls, line, nonconvex_steps, points, sum_bounds
from verify.papers.strfedavg.instances import Setting, build
from verify.papers.strfedavg.line import Line
from verify.papers.strfedavg.proofs import ONE, TWO
from verify.papers.strfedavg.rates import JUST_BELOW
from verify.papers.strfedavg.sharpness import vacuous_unless_constant
from verify.trial import Trial, conjuncts

TWO_LOOPS = "two loops in closed form"
LINE_DETAIL = "f(y) = -w cos(y - s) over h = (L_h/2) x^2 or constant h on the line, every call in closed form"


def _readings(claim: Claim) -> Iterator[tuple[str, Claim]]:
    """The claim under each other reading alone, and under all of them."""
    switches = [s for s in claim.switches if s.substitute]
    everything = claim
    for switch in switches:
        yield f"{switch.name}={switch.other}", claim.read(switch)
        everything = everything.read(switch)
    if len(switches) > 1:
        yield "all other readings", everything


# --- Lemma 3 ---------------------------------------------------------------------------------------------------------


@lru_cache(maxsize=1)
def _points() -> tuple[Trial, ...]:
    """Points of problem (4) on, near and far from X_h*, with identical clients and with many that disagree."""
    out = []
    for c in ((0.0, 0.0), (-1.0, 1.0), (-2.0, -1.0, 0.0, 1.0, 2.0), (-1.0, 1.0) * 10):
        for y in (calls.ORIGIN, calls.BESIDE, (10.0, 1.0)):
            for curvature in (1.0, 1e-3, 100.0):
                for weight in (1.0, 0.01, 10.0):
                    setting = Setting(params=calls.projection(y, c, curvature), eta=weight)
                    problem = build(setting)
                    for label, x in (
                        ("x_eta*", problem.regularised_solution(weight)),
                        ("x*", problem.bilevel_solution()),
                        ("y", np.array(y)),
                        ("a far point", np.array((30.0, -40.0))),
                    ):
                        out.append(_renamed(points.at_point(setting, x, label)))
    return tuple(out)


def _renamed(trial: Trial) -> Trial:
    """The numbers of Lemma 2 under their names in Lemma 3."""
    v = trial.values
    values = {
        **v,
        "mean_sq_grad_g_eta": v["mean_sq_grad_eta"],
        "gap_point_g": v["gap_point"],
        "g_star": v["f_star"] - v["inf_f"],
        "eta_g": v["eta"],
    }
    return replace(trial, values=values, facts={**trial.facts, **calls.FACTS})


outer_gap = sp.Symbol("outer_gap", real=True)  # g(x) - g*


def _split() -> list[tuple[sp.Expr, Premise]]:
    """Young, Lemma 1 for h, g* + (g - g*) = ||x - y||^2/2 >= 0, h >= h* and g_eta* <= h* + eta g*."""
    young = 4 * eta_g**2 * (outer_gap + g_star) + 2 * mean_sq_grad_h - mean_sq_grad_g_eta
    lemma_1 = 2 * L_h * (inner_diff + h_star - mean_inf_h) - mean_sq_grad_h
    slack_g, slack_h = B_ncvx2 - 4 * eta_g, B_ncvx2 - 4 * L_h
    return [
        (ONE, Premise(young, "mean of ||a + b||^2 <= 2 ||a||^2 + 2 ||b||^2, and ||grad g||^2 = 2 g")),
        (TWO, Premise(lemma_1, "mean over clients of ||grad h_i||^2 <= 2 L_h (h_i - min h_i)")),
        (B_ncvx2, Premise(gap_point_g - inner_diff - eta_g * outer_gap, "g_eta* <= h* + eta g*")),
        (eta_g, Premise(slack_g * (outer_gap + g_star), "B^2 >= 4 eta and g >= 0")),
        (ONE, Premise(slack_h * inner_diff, "B^2 >= 4 L_h and h >= h*")),
    ]


def check_dissimilarity(claim: Claim, budget: Budget) -> Iterable[Evidence]:
    """Lemma 3 at points."""
    detail = "gradients and gaps of problem (4) at solutions, y and far points; up to 20 clients that disagree"
    yield prove(claim, [Combination(_split(), {})])
    yield bounds.decide(claim, _points(), method=points.METHOD, detail=detail)


# --- one call: Proposition 7 and the distance bounds of Theorem 3 ----------------------------------------------------


def _vacuous(claim: Claim) -> Iterator[Evidence]:
    """Weak sharpness of order 1 leaves constant inner losses only; up to an offset it does not."""
    return iter(()) if SHARP_UP_TO in claim.hypotheses else vacuous_unless_constant(claim)


def check_call(claim: Claim, budget: Budget) -> Iterable[Evidence]:
    """A bound on the result of one inner call."""
    yield from _vacuous(claim)
    trials = _calls(claim, budget)
    yield bounds.decide(claim, trials, method=calls.METHOD, detail=calls.DETAIL)
    for name, reading in _readings(claim):
        yield bounds.decide(reading, trials, method=calls.METHOD, detail=calls.DETAIL, reading=name)


def _calls(claim: Claim, budget: Budget) -> tuple[Trial, ...]:
    """Calls by the schedule that the hypotheses name; Theorem 3 fixes its exponents."""
    if SHARP_UP_TO in claim.hypotheses:
        return calls.sharp_corners() + calls.corner_trials(S_SC_1.id, tier=budget.tier)
    if any(h.key == "kappa=1" for h in claim.hypotheses):
        found = calls.corner_trials(S_SC_1.id, tier=budget.tier)
    else:
        found = calls.corner_trials(S_SC.id, tier=budget.tier)
    if INNER_CALLS in claim.hypotheses:
        found = tuple(trial for trial in found if calls.by_theorem_3(trial))
    normalised = claim.statement is not None and claim.statement.has(E_err2_n, E_dist_n)
    return tuple(trial for trial in found if not (normalised and calls.at_rest(trial)))


# --- all calls: the stationarity bounds of Theorem 3 -----------------------------------------------------------------

HORIZONS = (5, 20, 100, 1000)
FLAT_HORIZONS = (100, 10_000)
#: The stationary points of f + dist^2/(2 lambda), which the printed step approaches, are none of F_lambda.
AWAY = Line()
PLAIN = Line(w=1.5, lam=1.0)
#: A constant inner loss: what weak sharpness of order 1 leaves. Calls start at 0, a small eta hardly moves them.
FLAT = Line(w=1.0, s=1.0, L_h=0.0, lam=1.0, y0=0.0, eta=0.03)


# The calls of the proof, t = 2..T+1, are the default, so the printed ones are the other reading.
PRINTED_OFFSET = f"{ROUND_OFFSET.name}={ROUND_OFFSET.printed}"


def check_outer(claim: Claim, budget: Budget) -> Iterable[Evidence]:
    """A bound on the mean squared gradient over the outer iterations."""
    yield from _vacuous(claim)
    constant = any(h.key in ("kappa=1", SHARP_UP_TO.key) for h in claim.hypotheses)
    if any(h.key == "true_gradient" for h in claim.hypotheses):
        instances = _later_sharp() if constant else _later()
        yield _on_lines(claim, instances)
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
    yield _on_lines(claim, true, reading=f"{GRADIENT_FACTOR.name}={GRADIENT_FACTOR.other}")


def _on_lines(claim: Claim, lines: Iterable[Line], reading: str = "") -> Evidence:
    trials = [line.trial(each) for each in lines]
    return bounds.decide(claim, trials, method=TWO_LOOPS, detail=LINE_DETAIL, reading=reading)


def _later() -> Iterator[Line]:
    """Calls long enough for the mended step condition, steps along the gradient of F_lambda."""
    base = Line(factor=2, s=1.0, first=120_000, gamma_g=1.0)
    for each in (base, replace(base, w=1.5, lam=1.0), replace(base, w=1.5, lam=1.0, x0=5.0, L_h=0.1)):
        for T_ in (2, 10, 200):
            for gamma_g in (1.0, 1e7):
                yield replace(each, T=T_, gamma_g=gamma_g, K=5 if gamma_g == 1 else 1)
    for y0 in (0.0, 10.0):
        yield replace(base, w=1.0, lam=1.0, y0=y0, x0=y0, gamma_g=1e7, T=1000)


def _later_sharp() -> Iterator[Line]:
    """The same for a constant regularisation: constant h, and h linear beyond a width."""
    flat = Line(w=1.0, s=1.0, L_h=0.0, lam=1.0, y0=0.0, eta=0.2, p=10.0, factor=2, first=1500, gamma_g=1.0)
    for T_ in (2, 100, 10_000):
        yield replace(flat, T=T_)
        yield replace(flat, T=T_, eta=1.0, p=2.0, x0=3.0)
    kinked = replace(flat, L_h=0.1, width=10.0, y0=1.0)
    for x0 in (0.0, 20.0):
        yield replace(kinked, T=10, x0=x0)


# --- Table 1 ---------------------------------------------------------------------------------------------------------


def check_row(claim: Claim, budget: Budget) -> Iterable[Evidence]:
    """A row: the exponents that Theorem 3 and Remark 4 give, and the rounds that a run takes."""
    yield from _vacuous(claim)
    by_exponents = exponents(claim)
    yield by_exponents
    if GRADIENT_FACTOR in claim.switches:
        yield replace(by_exponents, reading=f"{GRADIENT_FACTOR.name}={GRADIENT_FACTOR.other}")
    climbed = growth.decide(claim, _ladders(claim), method="growth along T")
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
        if relation.lhs in (R_stat, R_stat_d):
            outer = complexity(_bound(stationarity, T), T, parameters=parameters)
            (cost,) = total(t + R_first, t, T)
            explicit: Iterable[Inversion] = compose(cost.terms, outer, T, parameters=parameters)
        elif relation.lhs in (R_dist, R_dist_d):
            explicit = complexity(_bound(distance, t), t, parameters=parameters)
        else:
            raise ValueError(f"{relation.lhs} counts nothing in {claim.id}; R_stat or R_dist was expected")
        stated = sp.Add.make_args(sp.expand(relation.rhs / C_O))
        for region in worst(explicit, parameters=parameters):
            where = [*parameters, *region.inequalities]
            found = [entry(term, explicit, parameters=where, logs_hidden=True) for term in stated]
            covered = any(each.verdict in ("agrees", "loose") for each in found)
            said = f"{relation.lhs}: {'; '.join(map(str, found))}"
            (right if covered else wrong).append(said)
    source = "inverting Theorem 3, with the rounds of all calls for stationarity (Remark 4)"
    if wrong:
        return Evidence(Finding.CONTRADICTION, Level.CERTIFICATE, "exponents", f"{source}: {'; '.join(wrong)}")
    return Evidence(Finding.HOLDS, Level.CERTIFICATE, "exponents", f"{source}: {'; '.join(right)}")


def _bound(claim_id: str, variable: sp.Symbol) -> sp.Expr:
    """An explicit bound as a function of one variable; offsets in delta_h are what the accuracy is counted from."""
    (relation,) = conjuncts(catalog.get(claim_id).statement)
    bound = relation.rhs.subs({delta_h: 0, variable - 1: variable})
    # factors such as 12 kappa - 17 are positive where the claim is made, and numbers for every kappa
    return bound.replace(lambda e: e.is_Add and e.free_symbols == {kappa}, lambda e: sp.S.One)


LADDER = (10, 30, 100, 300, 1000, 3000, 10_000)


def _ladders(claim: Claim) -> Iterator[Ladder]:
    """Rounds of all calls against the accuracy that they just miss, everything else fixed."""
    constant = any(h.key in ("kappa=1", SHARP_UP_TO.key) for h in claim.hypotheses)
    if any(h.key == "true_gradient" for h in claim.hypotheses):
        later = next(_later_sharp()) if constant else replace(next(_later()), w=1.5, lam=1.0)
        yield _ladder(later, "everything fixed")
    elif constant:
        why = "the mean over t < T contains ||grad F(y^0)||^2/T, so 1/epsilon outer iterations, epsilon^-2 rounds"
        yield _ladder(replace(FLAT, eta=0.5), why)
    else:
        yield _ladder(PLAIN, "the printed step approaches a point with grad F_lambda = (y - Pi[y])/lambda, not 0")


def _ladder(base: Line, why: str) -> Ladder:
    out, least = [], float("inf")
    for T_ in LADDER:
        trial = line.trial(replace(base, T=T_))
        least = min(least, JUST_BELOW * trial.values["E_grad2"])
        rounds = trial.values["R_stat"]
        # the accuracy up to an offset is no better than the accuracy itself on these runs, which have none
        out.append(replace(trial, values={**trial.values, "R_stat_d": rounds, "epsilon": least}))
    return Ladder("T", tuple(out), why)


CHECKS: Mapping[str, Check] = {
    **nonconvex_steps.CHECKS,
    **{f"step.11.{item}": sum_bounds.check for item in ("s1", "s5", "s7", "s8", "s9")},
    **{f"step.11.{item}{r}": sum_bounds.check for item in ("s1'", "s2", "s3", "s4", "s6") for r in ("", ".corrected")},
    **{f"lem3{r}": check_dissimilarity for r in ("", ".corrected")},
    **{f"{c}{r}": check_call for c in ("prop7.i", "prop7.ii", "thm3.i-2", "thm3.ii-2") for r in ("", ".corrected")},
    **{f"{c}{r}": check_outer for c in ("thm3.i-1", "thm3.ii-1") for r in ("", ".corrected")},
    **{f"tab1.ip.{row}{r}": check_row for row in ("k", "1") for r in ("", ".corrected")},
}
