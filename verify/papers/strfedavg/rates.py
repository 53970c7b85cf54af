"""Theorems 1 and 2 and Table 1: explicit bounds along the schedules, O(.) claims by growth and by exponents."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import accumulate
from typing import Any

import sympy as sp

from rateproof.theory import catalog
from rateproof.theory.asymptotics import Entry, compare, complexity, entry
from rateproof.theory.claim import Claim, conjuncts
from rateproof.theory.papers.strfedavg.mended import R_f_lo_d, R_h_up_d, R_sq_up_d, delta_h
from rateproof.theory.papers.strfedavg.notation import (
    A1,
    A2,
    Q2,
    T0,
    E_sq,
    E_sq_n,
    R_f_lo,
    R_f_lo_n,
    R_f_up,
    R_f_up_n,
    R_h_up,
    R_h_up_n,
    R_sq_up,
    R_sq_up_n,
    W,
    Y,
    gap_f,
    gap_f_n,
    gap_h,
    gap_h_n,
)
from rateproof.theory.papers.strfedavg.schedules import S_C, S_C_1, S_C_II, S_SC, S_SC_1
from rateproof.theory.symbols import (
    C_O,
    R,
    S,
    a,
    alpha,
    b,
    eta,
    gamma_g,
    gamma_l,
    gamma_t,
    grad_f_star,
    kappa,
    mu_f,
    p,
)
from rateproof.verify.checks import Budget
from rateproof.verify.deciders import bounds, growth
from rateproof.verify.deciders.growth import Ladder
from rateproof.verify.evidence import Evidence, Finding, Level, by_decider
from rateproof.verify.papers.strfedavg import kinked, sharp
from rateproof.verify.papers.strfedavg.instances import (
    IDENTICAL,
    NO_INNER,
    ONE,
    SMALL,
    TWO,
    Params,
    Setting,
    balanced,
    crowd,
    diagonal,
    grid,
    measure,
    pure,
)
from rateproof.verify.papers.strfedavg.method_bounds import DETAIL, METHOD
from rateproof.verify.papers.strfedavg.sharp import Sharp
from rateproof.verify.papers.strfedavg.sharpness import vacuous_unless_constant
from rateproof.verify.spaces.rescaled import Scale, scales
from rateproof.verify.trial import Trial

DECADES = tuple(10.0**k for k in range(2, 16))
EXPONENTS_SC = ((2 / 3, 1 / 3), (1.0, 0.5), (0.75, 0.5), (0.5, 0.25), (0.3, 0.1), (0.75, 0.25), (0.9, 0.1))
EXPONENTS_C = ((0.5, 0.25), (0.6, 0.3), (0.9, 0.05), (0.9, 0.5), (0.3, 0.2))

# --- explicit bounds along the schedule ------------------------------------------------------------------------------


def check_explicit(claim: Claim, budget: Budget) -> Iterable[Evidence]:
    """An explicit bound of Theorem 1 or 2, from the R threshold to 1e15 and beyond the exponents of Table 1."""
    yield along_schedule(claim, budget)
    for name, reading in claim.readings():
        yield replace(along_schedule(reading, budget), reading=name)


def along_schedule(claim: Claim, budget: Budget) -> Evidence:
    """An explicit bound at the stepsizes of its schedule."""
    schedule = claim.schedule.id if claim.schedule else ""
    trials = [measure(setting) for setting in _along(schedule, budget.tier, scales(claim))]
    convex = schedule != S_SC.id
    many = kinked.crowded(cap=schedule, exponents=_alone(convex=convex), convex=convex)
    trials += [kinked.measure(many), kinked.measure(kinked.balanced(many))]
    rule = claim.schedule.title if claim.schedule else ""
    return bounds.decide(claim, trials, method=METHOD, detail=f"{DETAIL}, with the stepsizes for {rule}")


@lru_cache(maxsize=8)
def _along(schedule: str, tier: str, scales: tuple[Scale, ...]) -> tuple[Setting, ...]:
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
    # one source of error alone, at the solution; the schedule rules eta and the stepsize
    rule: dict[str, Any] = {"cap": schedule, "exponents": _alone(convex=convex), "convex": convex}
    for setting in dict.fromkeys(replace(each, eta=1.0, step=1.0, R=rounds[1], **rule) for each in pure()):
        out.update(dict.fromkeys(grid(setting, R=rounds)))
    late = [setting for setting in out if setting.params in (TWO, weak) and rounds[-1] == setting.R]
    return (*out, *(setting.at_scale(*scale) for scale in scales for setting in late))


def _alone(*, convex: bool) -> Params:
    """Exponents at which one source of error alone is tried: those of Remark 2."""
    return (("a", 0.5), ("b", 0.25)) if convex else (("a", 2 / 3), ("b", 1 / 3), ("p", 1.0))


# --- O(.) claims: rounds against the complexity ----------------------------------------------------------------------

# What a rounds symbol counts: the metric that has to fall below epsilon.
METRIC: Mapping[sp.Symbol, Callable[[Mapping[str, float]], float]] = {
    R_f_up: lambda v: v["gap_f"],
    R_h_up: lambda v: v["gap_h"],
    R_f_lo: lambda v: -v["gap_f"],
    R_sq_up: lambda v: v["E_sq"],
    R_f_up_n: lambda v: v["gap_f_n"],
    R_h_up_n: lambda v: v["gap_h_n"],
    R_f_lo_n: lambda v: -v["gap_f_n"],
    R_sq_up_n: lambda v: v["E_sq_n"],
    R_h_up_d: lambda v: v["gap_h_n"] - v["delta_h"],
    R_f_lo_d: lambda v: -v["gap_f_n"] - 2 * v["grad_f_star"] * v["delta_h"] / v["alpha"],
    R_sq_up_d: lambda v: v["E_sq_n"] - v["delta_h"] / (v["eta"] * v["mu_f"]),
}


# epsilon is this much below what was reached, so that R rounds do not suffice.
JUST_BELOW = 1 - 1e-9


def rungs(settings: Iterable[Setting | Sharp], rounds: sp.Symbol) -> Iterator[Trial]:
    """Trials at an accuracy that R rounds just miss: the claimed number of rounds must exceed R."""
    for setting in settings:
        trial = sharp.measure(setting) if isinstance(setting, Sharp) else measure(setting)
        reached = METRIC[rounds](trial.values)
        if reached > 0:
            yield replace(trial, values={**trial.values, str(rounds): setting.R, "epsilon": JUST_BELOW * reached})


def ladder(base: Setting | Sharp, rounds: sp.Symbol, why: str, over: Sequence[float] = DECADES) -> Ladder:
    """A ladder in R, everything else fixed; epsilon is what some rung from there on has not reached."""
    return Ladder("R", missed_later(tuple(rungs((replace(base, R=r_) for r_ in over), rounds))), why)


def missed_later(trials: Sequence[Trial]) -> tuple[Trial, ...]:
    """Rungs in R at the largest value that the metric has from there on.

    The rounds needed are those from which on the metric is small enough, so R of them do not suffice. A metric that
    passes through zero on its way, or swells before it fades, counts with what it comes to.
    """
    worst = list(accumulate((t.values["epsilon"] for t in reversed(trials)), max))[::-1]
    return tuple(replace(t, values={**t.values, "epsilon": e}) for t, e in zip(trials, worst, strict=True))


def along_sc(params: Any, a_: float, b_: float, p_: float, start: tuple[float, ...], **rest: Any) -> Setting:
    """A setting under the schedule S-sc."""
    exponents = (("a", a_), ("b", b_), ("p", p_))
    return Setting(params=params, cap=S_SC.id, exponents=exponents, start=start, **rest)


def along_c(params: Any, a_: float, b_: float, start: tuple[float, ...], cap: str = S_C.id, **rest: Any) -> Setting:
    """A setting under a schedule for convex outer losses."""
    return Setting(params=params, cap=cap, exponents=(("a", a_), ("b", b_)), start=start, convex=True, **rest)


def flat(cap: str, **rest: Any) -> Setting:
    """A setting without inner problem."""
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


def in_longer_distances(rounds: sp.Symbol) -> Ladder:
    """d = s = R^(1/14): the accuracy reached tends to zero slowly, ||grad f(x*)|| grows, curvatures are fixed."""
    base = along_c((), 0.4, 0.15, (0.0, 0.0), S_C_II.id)
    settings = (distant(base, 10.0**k) for k in range(7, 22))
    return Ladder("R with ||grad f(x*)|| = 0.1 R^(1/14)", tuple(rungs(settings, rounds)), OUTSIDE)


def distant(base: Setting, R: float) -> Setting:
    """f's minimiser and the start at R^(1/14)."""
    s = R ** (1 / 14)
    return replace(base, params=diagonal((0.0, 0.0), ((s, 0.0),) * 2, 0.2, 0.1), start=(s, 0.0), R=R)


def in_larger_crowds(base: Setting, rounds: sp.Symbol, crowd_of: Callable[[int], Params]) -> Ladder:
    """As many clients as rounds, one of them sampled, all disagreeing by the same amount."""
    settings = (crowded(base, crowd_of(size), size) for size in (2**k for k in range(7, 15)))
    return Ladder("R = N", tuple(rungs(settings, rounds)), CROWD)


def crowded(base: Setting, params: Params, N: int) -> Setting:
    """R = N clients, one of them sampled, started at rest."""
    return balanced(replace(base, params=params, R=float(N), S=1))


def ladders(claim: Claim) -> Iterator[Ladder]:
    """The ladders that could refute an O(.) claim, aimed ones first."""
    match claim.item:
        case "thm1.i-1":
            yield ladder(along_sc(TWO, 1.0, 0.5, 2.0, (5.0, 5.0)), R_f_up, KERNEL)
        case "thm1.i-2":
            yield ladder(along_sc(TWO, 1.0, 0.5, 2.0, (5.0, 5.0)), R_h_up, CAPPED)
        case "thm1.ii-1":
            yield ladder(along_sc(TWO, 1.0, 0.5, 2.0, LOW), R_f_lo, CAPPED)
        case "thm1.iii-1" | "tab1.sc.1":
            for eta_ in (0.01, 1.0):
                base = flat(S_SC_1.id, eta=eta_, exponents=(("p", 2.0),))
                yield ladder(base, R_f_up, SLOW)
        case "thm1.iii-4":
            yield ladder(flat(S_SC_1.id, eta=0.01, exponents=(("p", 2.0),)), R_sq_up, SLOW)
        case "thm2.i-1":
            yield ladder(along_c(TWO, 0.9, 0.5, (5.0, 5.0)), R_f_up, KERNEL)
            for a_, b_ in EXPONENTS_C[:3]:
                yield from along_convex(a_, b_, R_f_up)
        case "thm2.i-2":
            base = along_c((), 0.5, 0.25, (0.0, 0.0))
            yield in_larger_crowds(base, R_h_up, lambda N: crowd(N, 0.2, 0.2))
            for a_, b_ in EXPONENTS_C[:3]:
                yield from along_convex(a_, b_, R_h_up)
        case "thm2.ii":
            yield in_longer_distances(R_f_lo)
        case "thm2.iii-1":
            base = Setting(family="degenerate", cap=S_C_1.id, exponents=(("a", 0.5),), convex=True)
            yield in_larger_crowds(base, R_f_up, disagreeing)
        case "thm2.iii-2" | "tab1.c.1":
            for eta_ in (0.1, 1.0):
                base = flat(S_C_1.id, eta=eta_, exponents=(("a", 0.5),), convex=True)
                yield ladder(base, R_f_up, TABLE)
                yield ladder(replace(base, noise_f=(1.0, 1.0)), R_f_up, TABLE)
        case "tab1.sc.0" | "tab1.sc.k":
            for noise in (QUIET, NOISY):
                for params, start in ((ONE, (5.0, 5.0)), (TWO, (5.0, 5.0)), (TWO, (1.0, 0.0))):
                    for rounds in (R_f_up, R_h_up, R_f_lo):
                        yield ladder(along_sc(params, 2 / 3, 1 / 3, 2.0, start, **noise), rounds, TABLE)
        case "tab1.c.0" | "tab1.c.k":
            for rounds in (R_f_up, R_h_up, R_f_lo):
                yield from along_convex(0.5, 0.25, rounds)


def disagreeing(N: int) -> Params:
    """N clients (N even) without inner problem, their outer minimisers at -1 and 1 in halves."""
    return (("d", ((-1.0,), (1.0,)) * (N // 2)), ("curvature", 0.2))


def along_convex(a_: float, b_: float, rounds: sp.Symbol, cap: str = S_C.id) -> Iterator[Ladder]:
    """Ladders in R for convex outer losses, with and without noise."""
    for noise in (QUIET, NOISY):
        for params in (ONE, TWO, IDENTICAL):
            yield ladder(along_c(params, a_, b_, (5.0, 5.0), cap, **noise), rounds, TABLE)


# --- O(.) claims: exponents against the paper's own explicit bound ---------------------------------------------------

COUNTED = {
    R_f_up: gap_f,
    R_h_up: gap_h,
    R_f_lo: gap_f,
    R_sq_up: E_sq,
    R_f_up_n: gap_f_n,
    R_h_up_n: gap_h_n,
    R_f_lo_n: gap_f_n,
    R_sq_up_n: E_sq_n,
    R_h_up_d: gap_h_n,
    R_f_lo_d: gap_f_n,
    R_sq_up_d: E_sq_n,
}
LOWER = (R_f_lo, R_f_lo_n, R_f_lo_d)
# What approximate sharpness leaves of the bound at any number of rounds; accuracies are counted from there.
OFFSET = {R_h_up_d: delta_h, R_f_lo_d: 2 * grad_f_star * delta_h / alpha, R_sq_up_d: delta_h / (eta * mu_f)}
# Step 2 of the proofs puts theta^R = R^(p/2); with a constant eta the same formula gives R^(eta p/2).
DECAY = {S_SC.id: p / 2, S_SC_1.id: eta * p / 2}


def check_complexity(claim: Claim, budget: Budget) -> Iterable[Evidence]:
    """An O(.) claim: the exponents of the explicit bounds it abbreviates, and no growing ladder."""
    yield from vacuous_unless_constant(claim)
    yield from exponents_and_growth(claim, ladders(claim))


def exponents_and_growth(claim: Claim, rises: Iterable[Ladder], *, detail: str = "") -> Iterator[Evidence]:
    """Evidence on an O(.) claim from the paper's own explicit bound, and from ladders of instances.

    ``detail`` says what the ladders leave out; the reader finds it beside what the exponents say.
    """
    exponents = row_exponents(claim) if claim.explicit is None else exponents_agree(claim)
    yield by_decider(replace(exponents, detail="; ".join(filter(None, (exponents.detail, detail)))), claim)
    climbed = growth.decide(claim, rises, method="growth along R")
    if climbed.finding is not Finding.INCONCLUSIVE:
        yield climbed


def exponents_agree(claim: Claim) -> Evidence:
    """Compare the printed O(.) with the inversion of the explicit bound."""
    (relation,) = conjuncts(claim.statement)
    bound = explicit_bound(claim.explicit or "", relation.lhs, claim.schedule.id if claim.schedule else "")
    on_line = claim.schedule and claim.schedule.id == S_SC.id and all(h.key != "a+b<=1" for h in claim.hypotheses)
    where = {b: 1 - a} if on_line else {}
    comparison = compare(relation.rhs / C_O, bound, rounds=R, where=where, parameters=_ranges(claim, where))
    method = "exponents"
    if comparison.verdict in ("agrees", "loose"):
        covered = [f"loose: {pair}" for pair in comparison.looser] + [
            f"not needed: {m}" for m in comparison.unmatched_stated
        ]
        said = "; ".join([f"inverting {claim.explicit} gives the stated terms", *covered])
        return Evidence(Finding.HOLDS, Level.CERTIFICATE, method, said)
    parts = [f"logarithm missing: {pair}" for pair in comparison.log_missing] + [str(m) for m in comparison.mismatched]
    said = f"inverting {claim.explicit} gives other terms than stated: {'; '.join(parts)}"
    return Evidence(Finding.CONTRADICTION, Level.CERTIFICATE, method, said)


def _ranges(claim: Claim, where: Mapping[sp.Symbol, sp.Expr]) -> list[sp.Rel]:
    """The hypotheses of a claim about its exponents alone, at values; what became true is left out."""
    relations = [
        r.func(*(side.subs(where) for side in r.args)) for h in claim.hypotheses for r in conjuncts(h.relation)
    ]
    if sp.false in relations:
        raise ValueError(f"the hypotheses of {claim.id} exclude the exponents {where}")
    return [r for r in relations if isinstance(r, sp.Rel) and r.free_symbols <= {a, b, p, kappa}]


def explicit_bound(claim_id: str, rounds: sp.Symbol, schedule: str) -> sp.Expr:
    """The explicit bound on the metric that ``rounds`` counts, as a function of R with W, Y and Q^2 kept whole.

    A lower bound is returned by its magnitude. Proposition 3 takes the schedule and steps 1 and 2 of the proof.
    """
    metric = COUNTED[rounds]
    for relation in conjuncts(catalog.get(claim_id).statement):
        lower = rounds in LOWER
        if metric == (relation.rhs if lower else relation.lhs):
            bound = -relation.lhs if lower else relation.rhs
            if rounds in OFFSET:
                bound = sp.expand(bound - OFFSET[rounds])
            return _along_schedule(bound, schedule)
    raise ValueError(f"{claim_id} bounds no metric that {rounds} counts")


def _along_schedule(bound: sp.Expr, schedule: str) -> sp.Expr:
    rules = {s: e for s, e in RULES[schedule].items() if s != gamma_l}
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
    "tab1.sc.0.corrected": (S_SC.id, {R_f_up_n: "thm1.i-1x.corrected", R_h_up_n: "thm1.i-2x.corrected"}),
    "tab1.sc.k.corrected": (
        S_SC.id,
        {R_f_up_n: "thm1.i-1x.corrected", R_h_up_n: "thm1.i-2x.corrected", R_f_lo_n: "prop3.ii-2.corrected"},
    ),
    "tab1.sc.1.corrected": (
        S_SC_1.id,
        {R_f_up_n: "prop3.i-2.corrected", R_h_up_d: "prop3.iii-1.corrected", R_f_lo_d: "prop3.iii-2.corrected"},
    ),
    "tab1.c.1.corrected": (
        S_C_1.id,
        {R_f_up_n: "prop6.i-2.corrected", R_h_up_d: "prop6.iii-1.corrected", R_f_lo_d: "prop6.iii-2.corrected"},
    ),
}
# Where eta is constant it multiplies p in the exponents; a fixed number keeps them linear forms.
FIXED = {eta: sp.S.One}


def entries(claim: Claim) -> dict[sp.Symbol, Entry]:
    """What the explicit bounds say of each entry of a row, at the exponents of Remark 2, by region of p and kappa."""
    schedule, sources = ROWS[claim.item]
    where = {**(claim.schedule.defaults if claim.schedule else {}), **FIXED}
    ranges = _ranges(claim, where)
    out = {}
    for relation in conjuncts(claim.statement):
        inversions = complexity(explicit_bound(f"strfedavg.{sources[relation.lhs]}", relation.lhs, schedule), R)
        out[relation.lhs] = entry(relation.rhs / C_O, inversions, parameters=ranges, where=where)
    return out


def row_exponents(claim: Claim) -> Evidence:
    """A row of the table against the explicit bounds that it rests on."""
    row = entries(claim)
    said = "the explicit bounds give " + "; ".join(f"for {rounds}: {e}" for rounds, e in row.items())
    wrong = any(e.verdict in ("differs", "log missing") for e in row.values())
    finding = Finding.CONTRADICTION if wrong else Finding.HOLDS
    return Evidence(finding, Level.CERTIFICATE, "exponents", said)
