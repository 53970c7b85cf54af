"""Schedules of StR-FedAvg to choose from: explicit bounds in stepsize and regularisation, and instances to run on.

The theorems fix both by a schedule; their bounds before that substitution are those of Propositions 3 and 6, which the
exponents of the theorems come from. The sum of averaging weights, ``Theta_R``, is no posynomial; its reciprocal is
bounded by a monomial (:func:`weights_minorant`).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
import sympy as sp

from rateproof.theory import catalog
from rateproof.theory.claim import Claim, Reading, conjuncts, expand_definitions, replaced
from rateproof.theory.design import Minorant, Term
from rateproof.theory.papers.strfedavg import CLAIMS
from rateproof.theory.papers.strfedavg.notation import (
    E_sq,
    R_f_lo,
    R_f_up,
    R_h_up,
    R_sq_up,
    Theta_R,
    gap_eta,
    gap_f,
    gap_h,
)
from rateproof.theory.papers.strfedavg.schedules import S_C, S_C_1, S_C_II, S_SC, S_SC_1
from rateproof.theory.schedule import Schedule
from rateproof.theory.symbols import K, R, a, b, eta, gamma_g, gamma_l, gamma_t, kappa, p
from rateproof.verify.experiments.tune import Point, Question, Study, halves, settle
from rateproof.verify.papers.strfedavg.instances import (
    M_FLOOR,
    Setting,
    build,
    constants,
    diagonal,
    measure,
    stepsize_cap,
    weight_sums,
)
from rateproof.verify.papers.strfedavg.rates import explicit_bound


@dataclass(frozen=True)
class Group:
    """Claims that share a schedule.

    Attributes:
        schedule: the paper's.
        free: what is counted or bounded -> claim with its bound in stepsize and regularisation.
        along: likewise, claim with its bound along the schedule, where that is another one.
        strong: whether mu_f > 0.
        sharp: weak sharpness of order 1, which only a constant inner loss has here.
    """

    schedule: Schedule
    free: Mapping[sp.Symbol, str]
    along: Mapping[sp.Symbol, str]
    strong: bool
    sharp: bool


def _group(schedule: Schedule, proposition: str, case: str, **rest: Any) -> Group:
    strong = proposition == "prop3"
    free = {R_f_up: f"{proposition}.{case}-2", R_h_up: f"{proposition}.{case}-1"}
    if case != "i":  # the lower bound of case i, and its bound on the distance, hold another metric
        free |= {R_f_lo: f"{proposition}.{case}-2"} | ({R_sq_up: f"{proposition}.{case}-3"} if strong else {})
    return replace(Group(schedule, free, {}, strong, case == "iii"), **rest)


# Proposition 3 (i-2) prints its second term without 1/eta; Theorem 1 (i-1) has it, as (ii-2) does.
GROUPS: Mapping[str, Group] = {
    "thm1.i": _group(
        S_SC,
        "prop3",
        "i",
        free={R_f_up: "prop3.ii-2", R_h_up: "prop3.i-1"},
        along={R_f_up: "thm1.i-1x", R_h_up: "thm1.i-2x"},
    ),
    "thm1.ii": _group(S_SC, "prop3", "ii"),
    "thm1.iii": _group(S_SC_1, "prop3", "iii"),
    "thm2.i": _group(S_C, "prop6", "i", along={R_f_up: "thm2.i-1x", R_h_up: "thm2.i-2x"}),
    "thm2.ii": _group(S_C_II, "prop6", "ii"),
    "thm2.iii": _group(S_C_1, "prop6", "iii"),
    "prop3.i": _group(S_SC, "prop3", "i"),
    "prop3.ii": _group(S_SC, "prop3", "ii"),
    "prop3.iii": _group(S_SC_1, "prop3", "iii"),
    "prop6.i": _group(S_C, "prop6", "i"),
    "prop6.ii": _group(S_C_II, "prop6", "ii"),
    "prop6.iii": _group(S_C_1, "prop6", "iii"),
    "prop1": Group(S_SC, {gap_eta: "prop1"}, {}, strong=True, sharp=False),
    "prop4": Group(S_C, {gap_eta: "prop4"}, {}, strong=False, sharp=False),
}
METRIC = {R_f_up: gap_f, R_f_lo: gap_f, R_h_up: gap_h, R_sq_up: E_sq, gap_eta: gap_eta}
NAMES = {
    R_f_up: "E f - f*",
    R_f_lo: "f* - E f",
    R_h_up: "E h - h*",
    R_sq_up: "E|x - x*|^2",
    gap_eta: "E f_eta - f_eta*",
}
OTHER = {R_f_up: R_h_up, R_h_up: R_f_up, R_f_lo: R_f_up, R_sq_up: R_h_up}

#: What an instance and a schedule are built from: counts first, then what is positive, then what may be zero.
#: With this many clients an instance takes a minute.
MOST_CLIENTS = 10**5
COUNTS: Mapping[str, int] = {"N": 10, "S": 5, "K": 5}
POSITIVE: Mapping[str, int] = {"L_h": 1, "mu_f": 1, "gamma_g": 1, "distance": 5, "p": 2, "eta": 1}
NONNEGATIVE: Mapping[str, float] = {"sigma_f2": 1, "sigma_h2": 1, "conflict": 0.1, "spread": 1}
#: Those that only the schedule uses.
SCHEDULED = ("a", "b", "p", "eta")
#: Given only when wanted: the exponents are the schedule's defaults, and L_f is mu_f.
OPTIONAL = ("L_f", "a", "b")
DEFAULTS = {k: Fraction(str(v)) for part in (COUNTS, POSITIVE, NONNEGATIVE) for k, v in part.items()}
#: Any larger number is a valid bound on distances that are attained in the limit.
ABOVE = 1 + 1e-9
#: A regularisation so large that x_eta* is the minimiser of f.
OUTER_ONLY = 1e12
#: Order of weak sharpness of family I1; the step condition in fractions of which steps are measured.
ORDER, CAP = 2, "SC16"
#: Tangents are taken up to this v, where e^-v no longer matters, and rounded down.
STEEPEST, ROUNDED = 20.0, 1e-12
#: Step 2 of the proof: (1 - p ln(R)/(2R))^-R >= R^(p/2), which needs eta gamma_t mu_f >= p ln(R)/R.
STEP_2 = sp.Le(a + b, 1, evaluate=False)


def _place(claim: Claim) -> tuple[Group, sp.Symbol] | None:
    """The group of a claim and what it counts or bounds; None when it has no bound to tune."""
    item = claim.item
    group = GROUPS.get(item) or GROUPS.get(item.rpartition("-")[0])
    if group is None or claim.reading is Reading.CORRECTED:
        return None
    sides = [side for relation in conjuncts(claim.statement) for side in relation.args]
    # A two-sided statement is tuned by its upper bound, unless it counts the rounds of the lower one.
    return next(((group, s) for s in group.free if s in sides or (s != R_f_lo and METRIC[s] in sides)), None)


TUNABLE = tuple(c.id for c in CLAIMS if _place(c))


def study(claim: Claim, settings: Mapping[str, Fraction]) -> Study:
    """The bound of a claim in stepsize and regularisation, on an instance of family I1 (I5 for sharpness of order 1).

    Args:
        claim: one of ``TUNABLE``.
        settings: changes to ``DEFAULTS``: L_h, mu_f, L_f (stated smoothness), N, S, K, gamma_g, the variances sigma_f2
            and sigma_h2; ``distance`` of each coordinate of the start, ``conflict`` between the minimiser of f and
            X_h*, ``spread`` of the clients; a, b, p of the schedule, and eta where the paper leaves it constant.

    Raises:
        ValueError: a setting is unknown or out of range.
    """
    placed = _place(claim)
    if placed is None:
        raise ValueError(f"{claim.id} has no explicit bound to tune")
    group, counted = placed
    chosen = _settings(settings, group.schedule)
    base = _setting(group, chosen)
    constants = _constants(base, chosen)
    # the printed ranges of a, b and p
    group.schedule.evaluate({**constants, "R": 2.0})
    levels = [s for s in (counted, OTHER.get(counted)) if s in group.free]
    rule = _eta_rule(group.schedule, constants)
    fixed: dict[sp.Symbol, sp.Expr] = {}
    if counted == gap_eta:
        # f_eta itself changes with eta, which therefore stays where the paper has it
        fixed = {eta: rule}
    return Study(
        claim=claim,
        instance=str(base),
        constants={k: v for k, v in constants.items() if k not in SCHEDULED},
        variables=tuple(v for v in (gamma_t, eta) if v not in fixed),
        bounds={NAMES[s]: _bound(group.free[s], s, constants).xreplace(fixed) for s in levels},
        constraints=_constraints(group.free[counted], constants, fixed),
        questions=tuple(_questions(group, counted, levels, chosen)),
        paper={gamma_t: _reduced(group.schedule.rules[gamma_t], {}, constants), eta: rule},
        conditions={
            c.name: replaced(_reduced(c.relation, group.schedule.where, constants), fixed)
            for c in group.schedule.conditions
        },
        measure=partial(_measured, base, levels, fixed),
        exact={Theta_R: partial(_weights, constants["mu_f"], fixed)} if group.strong else {},
        minorants={Theta_R: partial(weights_minorant, constants["mu_f"], fixed)} if group.strong else {},
        notes=tuple(_notes(group, counted)),
        alone=counted not in (R_h_up, R_f_lo),  # these fall with eta for ever
    )


def weights_minorant(strong_convexity: float, fixed: Mapping[sp.Symbol, sp.Expr], rounds: float) -> Minorant:
    """Monomials below ``Theta_R`` at a horizon, in those of gamma_t and eta that are not fixed by a rule in R.

    With ``u = eta mu_f gamma_t / 2`` and ``v = u R``, ``Theta_R = ((1-u)^-R - 1)/u >= R (e^v - 1)/v``, a power series
    in ``v`` with positive coefficients. Such a function is convex on a logarithmic scale, so its tangents there, which
    are monomials in ``v``, lie below it everywhere.
    """

    def tangent(point: Point) -> Term:
        numbers = _numbers(fixed, rounds)
        factor = math.prod(numbers.values(), start=strong_convexity * rounds / 2)
        v = min(math.prod((point[s] for s in (gamma_t, eta) if s not in numbers), start=factor), STEEPEST)
        slope = v / -math.expm1(-v) - 1
        scale = rounds * math.expm1(v) / v * (factor / v) ** slope
        return Term(Fraction(scale * (1 - ROUNDED)), {s: Fraction(slope) for s in (gamma_t, eta) if s not in numbers})

    return tangent


def _settings(given: Mapping[str, Fraction], schedule: Schedule) -> dict[str, Fraction]:
    """All settings; exponents are the schedule's unless given."""
    ruled = {str(v): Fraction(str(x)) for v, x in schedule.defaults.items()}
    out = settle(
        given,
        DEFAULTS | ruled,
        counts=COUNTS,
        nonnegative=NONNEGATIVE,
        optional=OPTIONAL,
        clients=("N", MOST_CLIENTS),
    )
    if "S" not in given:
        out["S"] = min(out["S"], out["N"])
    if out["S"] > out["N"]:
        raise ValueError(f"S = {out['S']} clients cannot be sampled from N = {out['N']}; S should be at most N")
    if out.get("L_f", out["mu_f"]) < out["mu_f"]:
        raise ValueError(f"L_f = {float(out['L_f']):g} should be at least mu_f = {float(out['mu_f']):g}")
    return out


def _setting(group: Group, chosen: Mapping[str, Fraction]) -> Setting:
    """Clients in two halves that disagree by ``spread`` in both coordinates, f centred ``conflict`` off X_h*."""
    value = {k: float(v) for k, v in chosen.items()}
    sides = tuple(value["spread"] * side for side in halves(int(chosen["N"])))
    stated = (("L_f", value["L_f"]),) if "L_f" in value else ()
    params = diagonal(sides, tuple((value["conflict"], s) for s in sides), value["L_h"], value["mu_f"])
    if group.sharp:
        params = (("d", tuple((s, s) for s in sides)), ("curvature", value["mu_f"]), ("L_h", value["L_h"]))
    return Setting(
        family="degenerate" if group.sharp else "diagonal_selection",
        params=(*params, *stated),
        noise_f=(math.sqrt(value["sigma_f2"] / 2),) * 2,
        noise_h=(math.sqrt(value["sigma_h2"] / 2),) * 2,
        K=int(chosen["K"]),
        S=int(chosen["S"]),
        gamma_g=value["gamma_g"],
        cap=CAP,
        start=(value["distance"],) * 2,
        convex=not group.strong,
    )


def _constants(base: Setting, chosen: Mapping[str, Fraction]) -> dict[str, float]:
    """Numbers for every symbol of the bounds but gamma_t, eta, R and Theta_R; those of a run hold for any schedule."""
    problem = build(base)
    out = constants(problem)
    # x_eta* lies on the segment between the bilevel solution and the minimiser of f
    ends = (problem.bilevel_solution(), problem.regularised_solution(OUTER_ONLY))
    out["D2"] = ABOVE * max(float(np.sum((np.asarray(base.start) - x) ** 2)) for x in ends)
    out["Dlast2"] = 0.0
    out["M"] = out["f_star"] - out["inf_f"] + M_FLOOR
    return out | {k: float(chosen[k]) for k in ("K", "S", "gamma_g", *SCHEDULED) if k in chosen}


def _reduced(expr: sp.Basic, where: Mapping[sp.Symbol, sp.Expr], constants: Mapping[str, float]) -> sp.Basic:
    """An expression in gamma_t, eta, R and Theta_R; all else as numbers."""
    inside = {s: e for s, e in where.items() if s not in (Theta_R, gamma_t)} | {gamma_l: gamma_t / (gamma_g * K)}
    open_ = expand_definitions(expr, inside)
    keep = (gamma_t, eta, R, Theta_R)
    numbers = {s: sp.Float(constants[str(s)]) for s in open_.free_symbols if str(s) in constants and s not in keep}
    return replaced(open_, numbers)


def _numbers(fixed: Mapping[sp.Symbol, sp.Expr], rounds: float) -> dict[sp.Symbol, float]:
    return {s: float(rule.xreplace({R: sp.Float(rounds)})) for s, rule in fixed.items()}


def _bound(source: str, counted: sp.Symbol, constants: Mapping[str, float]) -> sp.Expr:
    """The explicit bound of a claim on a metric; a lower bound by its magnitude."""
    claim, metric = catalog.get(f"strfedavg.{source}"), METRIC[counted]
    below = counted == R_f_lo
    for relation in conjuncts(claim.statement):
        if relation.args[1 if below else 0] == metric:
            return _reduced(-relation.lhs if below else relation.rhs, claim.where, constants)
    raise ValueError(f"{claim.id} has no bound on {metric}")


def _constraints(source: str, constants: Mapping[str, float], fixed: Mapping[sp.Symbol, sp.Expr]) -> dict[str, sp.Rel]:
    """The hypotheses of a claim that restrict the schedule: SC16 as printed and what else it states."""
    claim = catalog.get(f"strfedavg.{source}")
    out = {}
    for h in claim.hypotheses:
        if isinstance(h.relation, sp.Rel):
            relation = replaced(_reduced(h.relation, claim.where, constants), fixed)
            if relation.free_symbols & {gamma_t, eta} and relation.free_symbols <= {gamma_t, eta, R}:
                out[h.key] = relation
    return out


def _eta_rule(schedule: Schedule, constants: Mapping[str, float]) -> sp.Expr:
    """The paper's regularisation; where it is left constant, the one that was set."""
    return _reduced(schedule.rules[eta], {}, constants) if eta in schedule.rules else sp.Float(constants["eta"])


def _measured(
    base: Setting, levels: Sequence[sp.Symbol], fixed: Mapping[sp.Symbol, sp.Expr], point: Point, rounds: float
) -> dict[str, float]:
    at, c = {**point, **_numbers(fixed, rounds)}, build(base).constants
    cap = stepsize_cap(CAP, L_f=c.L_f, L_h=c.L_h, eta=at[eta], K=base.K, gamma_g=base.gamma_g)
    step = at[gamma_t] / (base.gamma_g * base.K) / cap
    values = measure(replace(base, R=rounds, eta=at[eta], step=step)).values
    sign = {R_f_lo: -1.0}
    return {NAMES[s]: sign.get(s, 1.0) * values.get(str(METRIC[s]), math.nan) for s in levels}


def _weights(strong_convexity: float, fixed: Mapping[sp.Symbol, sp.Expr], point: Point, rounds: float) -> float:
    at = {**point, **_numbers(fixed, rounds)}
    return weight_sums(at[eta] * strong_convexity * at[gamma_t] / 2, rounds)[0]


def _questions(
    group: Group, counted: sp.Symbol, levels: Sequence[sp.Symbol], chosen: Mapping[str, Fraction]
) -> Iterator[Question]:
    if counted == gap_eta:
        return
    schedule = group.schedule
    bounds = {s: explicit_bound(f"strfedavg.{group.along.get(s, group.free[s])}", s, schedule.id) for s in levels}
    rules = [schedule.rules[s] for s in (gamma_t, eta) if s in schedule.rules]
    exponents = tuple(v for v in (a, b, p) if any(r.has(v) for r in rules))
    printed = tuple(r for r in schedule.parameters if r.free_symbols <= set(exponents))
    paper = {v: chosen[str(v)] for v in exponents}
    values = {kappa: 1 if group.sharp else ORDER, eta: sp.Rational(chosen["eta"])}
    ranges = {"": printed}
    if schedule is S_SC:
        ranges |= {", a + b <= 1": (*printed, STEP_2)}
    for condition, constraints in ranges.items():
        for chosen_levels in ([levels] if len(levels) > 1 else []) + [[s] for s in levels]:
            title = ("both" if len(chosen_levels) > 1 else NAMES[chosen_levels[0]]) + condition
            yield Question(title, {NAMES[s]: bounds[s] for s in chosen_levels}, exponents, constraints, paper, values)


def _notes(group: Group, counted: sp.Symbol) -> Iterator[str]:
    yield f"bound in gamma_t and eta: strfedavg.{group.free[counted]}; printed schedule: {group.schedule.id}"
    yield "||x^0 - x_eta*||^2 is bounded by its largest value over eta, and M is f* - inf f: true of any schedule"
    if not group.strong:
        yield "the subtracted E||x^R - x_eta*||^2 is left out, which makes the bound larger"
    else:
        yield "1/Theta_R is bounded by a monomial tangent; what is certified is the bound with it, a surrogate"
    if group.schedule is S_SC and counted != gap_eta:
        yield "a + b <= 1 is what step 2 of the proof uses; the printed range of a and b does not hold it"
