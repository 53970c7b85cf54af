"""Theorems 1 and 2 and Table 1: explicit bounds along the schedules, O(.) claims by growth and by exponents."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any

import sympy as sp

from theory import catalog
from theory.asymptotics import compare, complexity, worst_epsilon_exponent
from theory.claim import Claim
from theory.papers.strfedavg.notation import (
    A1,
    A2,
    Q2,
    T0,
    E_sq,
    R_f_lo,
    R_f_up,
    R_h_up,
    R_sq_up,
    W,
    Y,
    gap_f,
    gap_h,
)
from theory.papers.strfedavg.schedules import S_C, S_C_1, S_C_II, S_SC, S_SC_1
from theory.symbols import C_O, R, S, a, b, epsilon, eta, gamma_g, gamma_l, gamma_t, kappa, mu_f, p
from verify.checks import Budget
from verify.deciders import bounds, growth
from verify.deciders.growth import Ladder
from verify.evidence import Evidence, Finding, Level
from verify.papers.strfedavg.instances import (
    IDENTICAL,
    NO_INNER,
    ONE,
    SMALL,
    TWO,
    Params,
    Setting,
    build,
    crowd,
    diagonal,
    grid,
    measure,
)
from verify.papers.strfedavg.method_bounds import DETAIL, METHOD, readings
from verify.papers.strfedavg.sharpness import vacuous_unless_constant
from verify.trial import Trial, conjuncts

DECADES = tuple(10.0**k for k in range(2, 16))
EXPONENTS_SC = ((2 / 3, 1 / 3), (1.0, 0.5), (0.75, 0.5), (0.5, 0.25), (0.3, 0.1))
EXPONENTS_C = ((0.5, 0.25), (0.6, 0.3), (0.9, 0.05), (0.9, 0.5), (0.3, 0.2))

# --- explicit bounds along the schedule ------------------------------------------------------------------------------


def check_explicit(claim: Claim, budget: Budget) -> Iterable[Evidence]:
    """An explicit bound of Theorem 1 or 2, from the R threshold to 1e15 and beyond the exponents of Table 1."""
    trials = [measure(setting) for setting in _along(claim.schedule.id if claim.schedule else "", budget.tier)]
    detail = f"{DETAIL}, stepsizes by {claim.schedule.id if claim.schedule else '?'}"
    yield bounds.decide(claim, trials, method=METHOD, detail=detail)
    for name, reading in readings(claim):
        yield bounds.decide(reading, trials, method=METHOD, detail=detail, reading=name)


@lru_cache(maxsize=8)
def _along(schedule: str, tier: str) -> tuple[Setting, ...]:
    convex = schedule != S_SC.id
    out: dict[Setting, None] = {}
    rounds = DECADES if tier == "full" else DECADES[::3]
    weak = diagonal((0.0, 0.0), ((0.0, 0.0),) * 2, 0.1, 0.1)
    for params in (TWO, IDENTICAL, crowd(20), weak, SMALL):
        for a_, b_ in EXPONENTS_C if convex else EXPONENTS_SC:
            for p_ in (1.0,) if convex else (1.0, 4.0):
                exponents = (("a", a_), ("b", b_)) if convex else (("a", a_), ("b", b_), ("p", p_))
                base = Setting(params=params, cap=schedule, exponents=exponents, start=(5.0, 5.0), convex=convex)
                out.update(dict.fromkeys(grid(base, R=rounds)))
                if convex:
                    # at the solution only the sampling of many clients that disagree is left
                    crowded = replace(base, params=crowd(2000, 0.1, 0.1), start=None, S=1)
                    out.update(dict.fromkeys(grid(crowded, R=(100.0, 1e4))))
                noisy = replace(base, noise_h=(1.0, 1.0), noise_f=(1.0, 1.0), S=1, K=5)
                out.update(dict.fromkeys(grid(noisy, R=rounds[2:4])))
    return tuple(out)


# --- O(.) claims: rounds against the complexity ----------------------------------------------------------------------

# What a rounds symbol counts: the metric that has to fall below epsilon.
METRIC: Mapping[sp.Symbol, Callable[[Mapping[str, float]], float]] = {
    R_f_up: lambda v: v["gap_f"],
    R_h_up: lambda v: v["gap_h"],
    R_f_lo: lambda v: -v["gap_f"],
    R_sq_up: lambda v: v["E_sq"],
}


# epsilon is this much below what was reached, so that R rounds do not suffice.
JUST_BELOW = 1 - 1e-9


def rungs(settings: Iterable[Setting], rounds: sp.Symbol) -> Iterator[Trial]:
    """Trials at an accuracy that R rounds just miss: the claimed number of rounds must exceed R."""
    for setting in settings:
        trial = measure(setting)
        reached = METRIC[rounds](trial.values)
        if reached > 0:
            yield replace(trial, values={**trial.values, str(rounds): setting.R, "epsilon": JUST_BELOW * reached})


def ladder(base: Setting, rounds: sp.Symbol, why: str, over: Sequence[float] = DECADES) -> Ladder:
    """A ladder in R, everything else fixed; epsilon is what no rung so far has reached."""
    out: list[Trial] = []
    least = math.inf
    for trial in rungs((replace(base, R=r_) for r_ in over), rounds):
        least = min(least, trial.values["epsilon"])
        out.append(replace(trial, values={**trial.values, "epsilon": least}))
    return Ladder("R", tuple(out), why)


def _sc(params: Any, a_: float, b_: float, p_: float, start: tuple[float, ...], **rest: Any) -> Setting:
    exponents = (("a", a_), ("b", b_), ("p", p_))
    return Setting(params=params, cap=S_SC.id, exponents=exponents, start=start, **rest)


def _c(params: Any, a_: float, b_: float, start: tuple[float, ...], cap: str = S_C.id, **rest: Any) -> Setting:
    return Setting(params=params, cap=cap, exponents=(("a", a_), ("b", b_)), start=start, convex=True, **rest)


def _flat(cap: str, **rest: Any) -> Setting:
    return Setting(family="degenerate", params=NO_INNER, cap=cap, start=(1.0, 1.0), **rest)


KERNEL = "a + b > 1 gives sum of eta gamma_t mu_f -> 0: the iterate never moves along X_h*"
CAPPED = "a = 1 gives sum of gamma_t L_h = L_h/mu_f for every R: the iterate never reaches X_h*"
SLOW = "theta^R is R^(eta p/2), not R^(p/2): a small constant eta makes the decay slow"
CROWD = "uniformly in N: W and Y carry Lemma 1's printed 1/N, but the error of sampling one client does not fade"
OUTSIDE = "||grad f(x*)||^kappa stands outside the roots 1/b and 1/(1-a), which should hold it"
TABLE = "the exponents of Table 1, everything fixed"
QUIET: Mapping[str, Any] = {}
NOISY: Mapping[str, Any] = {"noise_h": (1.0, 1.0), "noise_f": (1.0, 1.0), "S": 1}
# Start and family with f below f* off X_h*: lower-bound complexities need a negative gap.
LOW = (1.0, 0.0)


def in_longer_distances() -> Ladder:
    """d = s = R^(1/14): the accuracy reached tends to zero slowly, ||grad f(x*)|| grows, curvatures are fixed."""
    settings = []
    for rounds in (10.0**k for k in range(7, 22)):
        s = rounds ** (1 / 14)
        params = diagonal((0.0, 0.0), ((s, 0.0),) * 2, 0.2, 0.1)
        settings.append(_c(params, 0.4, 0.15, (s, 0.0), S_C_II.id, R=rounds))
    return Ladder("R with ||grad f(x*)|| = 0.1 R^(1/14)", tuple(rungs(settings, R_f_lo)), OUTSIDE)


def in_larger_crowds(base: Setting, rounds: sp.Symbol, crowd_of: Callable[[int], Params]) -> Ladder:
    """As many clients as rounds, one of them sampled, all disagreeing by the same amount.

    The start is just beyond the distance at which the last iterate ends up, so that Q~^2 is positive and negligible:
    E||xbar^R - x_eta*||^2 is noise + rate * ||xbar^0 - x_eta*||^2.
    """
    settings = []
    for size in (2**k for k in range(7, 15)):
        crowded = replace(base, params=crowd_of(size), R=float(size), S=1, start=None)
        along = (1.0,) + (0.0,) * (build(crowded).n - 1)
        noise = measure(crowded).values["Dlast2"]
        rate = measure(replace(crowded, start=along)).values["Dlast2"] - noise
        distance = (noise / (1 - rate)) ** 0.5
        settings.append(replace(crowded, start=tuple(distance * (1 + 1e-6) * x for x in along)))
    return Ladder("R = N", tuple(rungs(settings, rounds)), CROWD)


def ladders(claim_id: str) -> Iterator[Ladder]:
    """The ladders that could refute an O(.) claim, aimed ones first."""
    item = claim_id.removeprefix("strfedavg.")
    match item:
        case "thm1.i-1":
            yield ladder(_sc(TWO, 1.0, 0.5, 2.0, (5.0, 5.0)), R_f_up, KERNEL)
        case "thm1.i-2":
            yield ladder(_sc(TWO, 1.0, 0.5, 2.0, (5.0, 5.0)), R_h_up, CAPPED)
        case "thm1.ii-1":
            yield ladder(_sc(TWO, 1.0, 0.5, 2.0, LOW), R_f_lo, CAPPED)
        case "thm1.iii-1" | "tab1.sc.1":
            for eta_ in (0.01, 1.0):
                base = _flat(S_SC_1.id, eta=eta_, exponents=(("p", 2.0),))
                yield ladder(base, R_f_up, SLOW)
        case "thm1.iii-4":
            yield ladder(_flat(S_SC_1.id, eta=0.01, exponents=(("p", 2.0),)), R_sq_up, SLOW)
        case "thm2.i-1":
            yield ladder(_c(TWO, 0.9, 0.5, (5.0, 5.0)), R_f_up, KERNEL)
            for a_, b_ in EXPONENTS_C[:3]:
                yield from _convex(a_, b_, R_f_up)
        case "thm2.i-2":
            base = _c((), 0.5, 0.25, (0.0, 0.0))
            yield in_larger_crowds(base, R_h_up, lambda N: crowd(N, 0.2, 0.2))
            for a_, b_ in EXPONENTS_C[:3]:
                yield from _convex(a_, b_, R_h_up)
        case "thm2.ii":
            yield in_longer_distances()
        case "thm2.iii-1":
            base = Setting(family="degenerate", cap=S_C_1.id, exponents=(("a", 0.5),), convex=True)
            yield in_larger_crowds(base, R_f_up, _disagreeing)
        case "thm2.iii-2" | "tab1.c.1":
            for eta_ in (0.1, 1.0):
                base = _flat(S_C_1.id, eta=eta_, exponents=(("a", 0.5),), convex=True)
                yield ladder(base, R_f_up, TABLE)
                yield ladder(replace(base, noise_f=(1.0, 1.0)), R_f_up, TABLE)
        case "tab1.sc.0" | "tab1.sc.k":
            for noise in (QUIET, NOISY):
                for params, start in ((ONE, (5.0, 5.0)), (TWO, (5.0, 5.0)), (TWO, (1.0, 0.0))):
                    for rounds in (R_f_up, R_h_up, R_f_lo):
                        yield ladder(_sc(params, 2 / 3, 1 / 3, 2.0, start, **noise), rounds, TABLE)
        case "tab1.c.0" | "tab1.c.k":
            for rounds in (R_f_up, R_h_up, R_f_lo):
                yield from _convex(0.5, 0.25, rounds)


def _disagreeing(N: int) -> Params:
    """N clients (N even) without inner problem, their outer minimisers at -1 and 1 in halves."""
    return (("d", ((-1.0,), (1.0,)) * (N // 2)), ("curvature", 0.2))


def _convex(a_: float, b_: float, rounds: sp.Symbol) -> Iterator[Ladder]:
    for noise in (QUIET, NOISY):
        for params in (ONE, TWO, IDENTICAL):
            yield ladder(_c(params, a_, b_, (5.0, 5.0), **noise), rounds, TABLE)


# --- O(.) claims: exponents against the paper's own explicit bound ---------------------------------------------------

COUNTED = {R_f_up: gap_f, R_h_up: gap_h, R_f_lo: gap_f, R_sq_up: E_sq}
# Step 2 of the proofs puts theta^R = R^(p/2); with a constant eta the same formula gives R^(eta p/2).
DECAY = {S_SC.id: p / 2, S_SC_1.id: eta * p / 2}


def check_complexity(claim: Claim, budget: Budget) -> Iterable[Evidence]:
    """An O(.) claim: the exponents of the explicit bounds it abbreviates, and no growing ladder."""
    yield from vacuous_unless_constant(claim)
    yield row_exponents(claim) if claim.explicit is None else exponents_agree(claim)
    climbed = growth.decide(claim, ladders(claim.id), method="growth along R")
    if climbed.finding is not Finding.INCONCLUSIVE:
        yield climbed


def exponents_agree(claim: Claim) -> Evidence:
    """Compare the printed O(.) with the inversion of the explicit bound."""
    (relation,) = conjuncts(claim.statement)
    bound = explicit_bound(claim.explicit or "", relation.lhs, claim.schedule.id if claim.schedule else "")
    constraint = {b: 1 - a} if claim.schedule and claim.schedule.id == S_SC.id else {}
    found = compare(relation.rhs / C_O, bound, rounds=R, where=constraint)
    method = "exponents"
    if found.verdict_hint == "agrees":
        looser = f"; {len(found.looser)} of them looser by a logarithm" if found.looser else ""
        said = f"inverting {claim.explicit} gives the stated terms{looser}"
        return Evidence(Finding.HOLDS, Level.CERTIFICATE, method, said)
    parts = [f"logarithm missing: {pair}" for pair in found.log_missing] + [str(m) for m in found.mismatched]
    said = f"inverting {claim.explicit} gives other terms than stated: {'; '.join(parts)}"
    return Evidence(Finding.CONTRADICTION, Level.CERTIFICATE, method, said)


def explicit_bound(claim_id: str, rounds: sp.Symbol, schedule: str) -> sp.Expr:
    """The explicit bound on the metric that ``rounds`` counts, as a function of R with W, Y and Q^2 kept whole.

    A lower bound is returned by its magnitude. Proposition 3 takes the schedule and steps 1 and 2 of the proof.
    """
    metric = COUNTED[rounds]
    for relation in conjuncts(catalog.get(claim_id).statement):
        if rounds is R_f_lo and relation.rhs == metric:
            return _along_schedule(-relation.lhs, schedule)
        if rounds is not R_f_lo and relation.lhs == metric:
            return _along_schedule(relation.rhs, schedule)
    raise ValueError(f"{claim_id} bounds no metric that {rounds} counts")


def _along_schedule(bound: sp.Expr, schedule: str) -> sp.Expr:
    rules = {s: e for s, e in RULES[schedule].items() if s is not gamma_l}
    rate = rules.get(gamma_t, gamma_t)
    regularisation = rules.get(eta, eta)
    substitution = {A1: Y / S, A2: W / gamma_g**2, gamma_t: rate}
    if eta in rules:
        substitution[eta] = regularisation
    if schedule in DECAY:
        substitution[T0] = regularisation * mu_f / 2 * Q2 / (R ** DECAY[schedule] - 1)
    return bound.subs(substitution, simultaneous=True)


RULES = {s.id: s.rules for s in (S_SC, S_SC_1, S_C, S_C_1, S_C_II)}

# --- Table 1 ---------------------------------------------------------------------------------------------------------

# Row -> for each rounds symbol, the complexity claim and the explicit bound that the entry rests on.
ROWS: Mapping[str, tuple[str, Mapping[sp.Symbol, str]]] = {
    "tab1.sc.0": (S_SC.id, {R_f_up: "thm1.i-1x", R_h_up: "thm1.i-2x"}),
    "tab1.sc.k": (S_SC.id, {R_f_up: "thm1.i-1x", R_h_up: "thm1.i-2x", R_f_lo: "prop3.ii-2"}),
    "tab1.sc.1": (S_SC_1.id, {R_f_up: "prop3.iii-2", R_h_up: "prop3.iii-1", R_f_lo: "prop3.iii-2"}),
    "tab1.c.0": (S_C.id, {R_f_up: "thm2.i-1x", R_h_up: "thm2.i-2x"}),
    "tab1.c.k": (S_C.id, {R_f_up: "thm2.i-1x", R_h_up: "thm2.i-2x", R_f_lo: "prop6.ii-2"}),
    "tab1.c.1": (S_C_1.id, {R_f_up: "prop6.iii-2", R_h_up: "prop6.iii-1", R_f_lo: "prop6.iii-2"}),
}
# Order 2 is the one that smoothness leaves; the exponents are compared for others all the same.
KAPPAS = (sp.Integer(2), sp.Rational(3, 2), sp.Rational(5, 2), sp.Integer(3), sp.Integer(5))


def row_exponents(claim: Claim) -> Evidence:
    """Largest exponent of 1/epsilon that the explicit bounds give, at the exponents of Remark 2 and several kappa."""
    schedule, sources = ROWS[claim.id.removeprefix("strfedavg.")]
    stated = {relation.lhs: relation.rhs for relation in conjuncts(claim.statement)}
    values = dict(claim.schedule.defaults) if claim.schedule else {}
    wrong: list[str] = []
    right: list[str] = []
    for rounds, source in sources.items():
        inversions = complexity(explicit_bound(f"strfedavg.{source}", rounds, schedule), R)
        entry = sp.simplify(stated[rounds] / C_O)
        for kappa_ in KAPPAS if stated[rounds].has(kappa) else KAPPAS[:1]:
            for p_ in (1, 2) if schedule in DECAY else (1,):
                at = {**values, kappa: kappa_, p: p_, eta: 1}
                power, log = worst_epsilon_exponent(inversions, at)
                printed = _power(entry.subs(kappa, kappa_))
                shown = f"{rounds} at kappa = {kappa_}, p = {p_}: eps^-{power} ln^{log}(1/eps), stated eps^-{printed}"
                (wrong if (power, log) > (printed, 0) else right).append(shown)
    method = "exponents"
    if wrong:
        return Evidence(
            Finding.CONTRADICTION, Level.CERTIFICATE, method, "the explicit bounds give " + "; ".join(wrong)
        )
    return Evidence(Finding.HOLDS, Level.CERTIFICATE, method, "the explicit bounds give " + "; ".join(right))


def _power(entry: sp.Expr) -> sp.Expr:
    """Exponent of 1/epsilon of a pure power."""
    return -sp.expand_log(sp.log(entry), force=True).coeff(sp.log(epsilon))
