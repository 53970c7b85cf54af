"""Checks of the CORRECTED readings: proofs where there is one, else the corners at the mended step condition."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

import sympy as sp

from rateproof.theory.claim import Claim, conjuncts
from rateproof.theory.papers.strfedavg.mended import SHARP_UP_TO, R_f_lo_d
from rateproof.theory.papers.strfedavg.notation import (
    R_f_lo,
    R_f_lo_n,
    R_f_up,
    R_f_up_n,
    R_h_up,
    R_h_up_n,
    dist_y,
    eta_max_ip,
    grad_penalty,
    ind_env,
    lam,
)
from rateproof.theory.papers.strfedavg.schedules import S_C_1, S_SC, S_SC_1
from rateproof.theory.symbols import (
    b,
    t,
)
from rateproof.verify.checks import Budget, Check
from rateproof.verify.deciders import bounds, premises
from rateproof.verify.deciders.certificates import guarded, identity, when
from rateproof.verify.deciders.growth import Ladder
from rateproof.verify.deciders.search import search
from rateproof.verify.evidence import Evidence
from rateproof.verify.papers.strfedavg import kinked, points, rates, sharp, steps
from rateproof.verify.papers.strfedavg.instances import (
    IDENTICAL,
    ONE,
    TWO,
    Setting,
    corners,
    crowd,
    diagonal,
    measure,
    strategy,
    up_to_offset,
)
from rateproof.verify.papers.strfedavg.method_bounds import DETAIL, EXAMPLES, METHOD
from rateproof.verify.trial import Trial

SHARP_METHOD = "step by step"
SHARP_DETAIL = "deterministic runs on inner losses that are quadratic near X_h* and linear beyond"

# --- bounds about the method -----------------------------------------------------------------------------------------


def check_method(claim: Claim, budget: Budget, *, convex: bool) -> Iterator[Evidence]:
    """A bound about the method under the mended step condition."""
    caps = ("SC27h",) if any(h.key == "SC27h" for h in claim.hypotheses) else ("SC16h",)
    trials = [measure(setting) for setting in corners(convex=convex, caps=caps)]
    yield bounds.decide(claim, [*trials, *_kinked(convex, caps)], method=METHOD, detail=DETAIL)
    yield search(
        claim,
        strategy(convex=convex, caps=caps),
        measure,
        examples=EXAMPLES[budget.tier],
        seed=budget.seed,
        detail="search among quadratic losses for the largest ratio of both sides",
    )


def check_sharp(claim: Claim, budget: Budget, *, convex: bool) -> Iterator[Evidence]:
    """A bound about the method under weak sharpness of order 1 up to an offset."""
    trials = [sharp.measure(instance) for instance in sharp.corners(convex=convex)]
    caps = ("SC16h",)
    others = [measure(setting) for setting in corners(convex=convex, caps=caps)]
    trials += [up_to_offset(trial) for trial in (*others, *_kinked(convex, caps))]
    yield bounds.decide(claim, trials, method=SHARP_METHOD, detail=SHARP_DETAIL)


def _kinked(convex: bool, caps: tuple[str, ...]) -> Iterator[Trial]:
    return (kinked.measure(each) for each in kinked.corners(convex=convex, caps=caps))


def check_bound(claim: Claim, budget: Budget) -> Iterable[Evidence]:
    """A corrected lemma or proposition about the method; which family it needs is read off its hypotheses."""
    convex = not any(h.key == "f_strongly_convex" for h in claim.hypotheses)
    check = check_sharp if SHARP_UP_TO in claim.hypotheses else check_method
    return check(claim, budget, convex=convex)


# --- complexities ----------------------------------------------------------------------------------------------------

#: Pairs with a + b <= 1 of Theorem 1. The hidden constant depends on b: for a term (X ln R)^(1/b) it tends to b^(-1/b),
#: and for b = 0.1 the ratio climbs up to R = 10^34, beyond any ladder, before it falls, which looks like growth.
ON_THE_LINE = ((2 / 3, 1 / 3), (0.6, 0.4), (0.5, 0.4), (0.75, 0.25), (0.8, 0.2))
ROOTS_1_B = (
    "instances only for a few a, b: the root 1/b puts b^(-1/b) into the hidden constant, so that for small b the ratio "
    "climbs along all of a ladder before it levels off"
)
#: A ladder must span more than the growth it looks for; rungs below the step condition are left out. Beyond 10^8 the
#: rounding of R rounds is felt.
SHORT = tuple(10.0 ** (k / 2) for k in range(4, 17))
STEADY = "the problem and the parameters of the method are fixed"
#: f(x*) is the minimum of f: the outer gap is never negative.
ABOVE = (IDENTICAL, diagonal((-1.0, 1.0), ((0.0, -1.0), (0.0, 1.0))))


def check_complexity(claim: Claim, budget: Budget) -> Iterable[Evidence]:
    """A corrected complexity or row of Table 1."""
    assert claim.statement is not None
    rooted = any(power.exp == 1 / b for power in claim.statement.atoms(sp.Pow))
    return rates.exponents_and_growth(claim, ladders(claim), detail=ROOTS_1_B if rooted else "")


def check_printed_complexity(claim: Claim, budget: Budget) -> Iterable[Evidence]:
    """A printed complexity or row; where it has a kind reading, that is tried on the ladders of a corrected one."""
    yield from rates.check_complexity(claim, budget)
    if claim.kind_reading:
        kind = claim.read_kindly()
        for evidence in rates.exponents_and_growth(kind, ladders(kind)):
            yield replace(evidence, reading=claim.kind_reading)


def ladders(claim: Claim) -> Iterator[Ladder]:
    """The ladders on which a corrected complexity could fail.

    Those that refute the printed one are among them, except where the correction excludes them (a = 1, a + b > 1,
    constant inner losses where metrics count from the offset).
    """
    schedule = claim.schedule.id if claim.schedule else ""
    up_to = SHARP_UP_TO in claim.hypotheses
    scaled = claim.explicit is not None  # a row of the table holds for fixed constants only
    for rounds in [relation.lhs for relation in conjuncts(claim.statement)]:
        if up_to:
            yield from _sharp_ladders(schedule, rounds)
        elif schedule == S_SC_1.id:
            for params in ABOVE:
                for eta_, p_ in ((1.0, 4.0), (0.5, 4.0), (1.0, 1.0), (0.01, 2.0)):
                    base = Setting(params=params, cap=schedule, eta=eta_, exponents=(("p", p_),), start=(5.0, 5.0))
                    yield rates.ladder(base, rounds, STEADY)
                    yield rates.ladder(replace(base, **rates.NOISY), rounds, STEADY)
                    if scaled:
                        yield _rescaled(replace(base, **rates.NOISY), rounds, 1.0)
        elif schedule == S_C_1.id:
            base = Setting(params=ABOVE[1], cap=schedule, exponents=(("a", 0.5),), start=(5.0, 5.0), convex=True)
            yield rates.ladder(base, rounds, STEADY)
            yield rates.ladder(replace(base, **rates.NOISY), rounds, STEADY)
            crowded = replace(base, family="degenerate", params=())
            yield rates.in_larger_crowds(crowded, rounds, rates.disagreeing)
        elif schedule == S_SC.id:
            yield from _strongly_convex_ladders(rounds, scaled=scaled)
        else:
            yield from _convex_ladders(rounds, schedule)


def _rescaled(base: Setting, rounds: sp.Symbol, power: float) -> Ladder:
    """Copies in longer units, as R grows: ``s = R^power``, losses times ``s^2``, so curvatures and stepsizes stay.

    What must grow with R along it is the logarithm: one in epsilon alone would fade.
    """
    copies = [replace(base, R=R_).at_scale(R_ ** (2 * power), R_ ** (2 * power), R_**power) for R_ in rates.DECADES]
    return Ladder(f"R, in units of length R^-{power:g}", tuple(rates.rungs(copies, rounds)), STEADY)


def _sharp_ladders(schedule: str, rounds: sp.Symbol) -> Iterator[Ladder]:
    convex = schedule == S_C_1.id
    exponents = (("a", 0.5),) if convex else (("p", 2.0),)
    base = sharp.Sharp(cap=schedule, convex=convex, exponents=exponents, eta=1.0, L_h=0.1)
    if rounds == R_f_lo_d:
        # far from X_h* on the side of f's minimiser, slowly pulled in: f stays below f* beyond the offset
        far = replace(base, width=1.0, mu=0.1, eta=0.05, d=((10.0, -1.0), (10.0, 1.0)), start=(15.0, 0.0))
        yield rates.ladder(far, rounds, STEADY, over=SHORT)
    else:
        start = (10.0, 0.0) if convex else (1e3, 0.0)
        quiet = replace(base, width=1e-4, d=((0.0, -1.0), (0.0, 1.0)), start=start)
        yield rates.ladder(quiet, rounds, STEADY, over=SHORT)


def _strongly_convex_ladders(rounds: sp.Symbol, *, scaled: bool) -> Iterator[Ladder]:
    for a_, b_ in ON_THE_LINE:
        low = [(ONE, (5.0, 5.0)), (TWO, (5.0, 5.0)), (TWO, rates.LOW)]
        for params, start in [(above, (5.0, 5.0)) for above in ABOVE] if rounds in (R_f_up, R_f_up_n) else low:
            for p_ in (1.0, 4.0):
                base = rates.along_sc(params, a_, b_, p_, start)
                yield rates.ladder(base, rounds, STEADY)
        yield rates.ladder(rates.along_sc(TWO, a_, b_, 2.0, (5.0, 5.0), **rates.NOISY), rounds, STEADY)
        for params, start in low if scaled else ():
            yield _rescaled(rates.along_sc(params, a_, b_, 4.0, start), rounds, 1 / 3)


def _convex_ladders(rounds: sp.Symbol, schedule: str) -> Iterator[Ladder]:
    if rounds in (R_f_lo, R_f_lo_n):
        yield rates.in_longer_distances(rounds)
    for a_, b_ in rates.EXPONENTS_C:
        yield from rates.along_convex(a_, b_, rounds, schedule)
    if rounds in (R_h_up, R_h_up_n):
        crowded = rates.along_c((), 0.5, 0.25, (0.0, 0.0))
        yield rates.in_larger_crowds(crowded, rounds, lambda N: crowd(N, 0.2, 0.2))


def check_explicit(claim: Claim, budget: Budget) -> Iterable[Evidence]:
    """A corrected explicit bound of Theorem 1 or 2, along its schedule."""
    yield rates.along_schedule(claim, budget)


# --- proofs ----------------------------------------------------------------------------------------------------------

#: Where a point could contradict the proof.
AT_POINTS = ("lem2", "step.8.constant", "step.9.dissimilarity", "step.9.curvature")


def check_proved(claim: Claim, budget: Budget) -> Iterable[Evidence]:
    """A corrected claim that is proved, and instances that could contradict it."""
    if claim.printed_item in AT_POINTS:
        yield bounds.decide(claim, points.point_trials(), method=points.METHOD, detail="points of all families")
    if SHARP_UP_TO in claim.hypotheses:
        yield bounds.decide(claim, list(_sharp_clouds(claim)), method=SHARP_METHOD, detail=SHARP_DETAIL)


def _sharp_clouds(claim: Claim) -> Iterator[Trial]:
    """Final averages of runs, with Err the gap itself and a hundred times it, under the names of any average."""
    convex = not any(h.key == "f_strongly_convex" for h in claim.hypotheses)
    for instance in sharp.corners(convex=convex):
        trial = sharp.measure(instance)
        here = {name: trial.values[f"{name}_n"] for name in ("gap_h", "gap_f", "gap_eta", "E_dist", "E_sq")}
        for factor in points.ERR_FACTORS:
            err = factor * max(here["gap_eta"], 0.0) + 1e-12
            yield replace(trial, values={**trial.values, **here, "Err": err})


@guarded
def check_numbers(claim: Claim, budget: Budget) -> Iterable[Evidence]:
    """24/(5e): the value at t = e^(12/5), and e w <= e^w with w = (5/12) ln t for every t."""
    relation = premises.statement(claim, "==")
    rate = 2 * sp.log(t) / t ** sp.Rational(5, 12)
    yield when(
        {
            "value at e^(12/5)": identity(rate.subs(t, sp.exp(sp.Rational(12, 5))), relation.rhs),
            "the claim's own value": relation.lhs == eta_max_ip and identity(claim.expand(eta_max_ip), relation.rhs),
            "ln t <= t^b/(e b)": steps.log_below_power(),
        },
        "attained at t = e^(12/5); e w <= e^w with w = (5/12) ln t bounds it everywhere",
    )


_INDICATOR = {ind_env: dist_y**2 / (2 * lam), grad_penalty / 2: dist_y / lam}


@guarded
def check_smoothed_indicator(claim: Claim, budget: Budget) -> Iterable[Evidence]:
    """Definition of the envelope of an indicator, and the gradient of the squared distance."""
    premises.need(claim, "h_convex", "X_h_nonempty")
    relation = premises.statement(claim, "==")
    yield when(
        {str(relation): relation.lhs in _INDICATOR and identity(relation.rhs, _INDICATOR[relation.lhs])},
        "min over X_h* of ||x - y||^2/(2 lambda) is dist^2/(2 lambda) by definition; dist^2 has gradient 2 (y - Π[y])",
    )
    yield from steps.check_smoothed_indicator(claim, budget)


OTHERS: Mapping[str, Check] = {
    "id.ws-dist.eq13": steps.check_combination,
    "id.Flam.envelope": check_smoothed_indicator,
    "id.Flam.gradient": check_smoothed_indicator,
    "id.etahat.eleven": check_numbers,
    "id.etahat.six_over_e": check_numbers,
    "step.2.equality": steps.check_identity,
    "step.4.weights": steps.check_identity,
}


def check_of(claim: Claim) -> Check | None:
    """The check of a corrected claim."""
    item = claim.printed_item
    if item in AT_POINTS:
        return check_proved
    if item in OTHERS:
        return OTHERS[item]
    match item.partition(".")[0]:
        case "lem5" | "lem6" | "lem7" | "prop1" | "prop3" | "prop4" | "prop6":
            return check_bound
        case "prop2" | "prop5":
            return check_proved
        case "thm1" | "thm2":
            return check_explicit if item.endswith("x") else check_complexity
        case "tab1":
            return check_complexity
    return None
