"""Spaces of ladders for O(.) claims: what the hidden constant may depend on is fixed along each of them.

The exponents of random ladders come from short lists. For small b a ratio climbs by more than a ladder tells from
growth before it levels off, as the hidden constant holds b^(-1/b); and so it does for a near 1.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, replace
from itertools import product
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from rateproof.theory.claim import Claim, Reading, conjuncts
from rateproof.theory.papers.strfedavg.schedules import S_C, S_C_1, S_SC, S_SC_1
from rateproof.verify.deciders.growth import Ladder
from rateproof.verify.papers.strfedavg import nonconvex, rates, sharp
from rateproof.verify.papers.strfedavg.corrected import ABOVE, SHORT
from rateproof.verify.papers.strfedavg.instances import IDENTICAL, ONE, TWO, Params, Setting, crowd, diagonal, measure
from rateproof.verify.papers.strfedavg.line import Line
from rateproof.verify.papers.strfedavg.rates import JUST_BELOW, NOISY
from rateproof.verify.papers.strfedavg.sharp import Sharp
from rateproof.verify.papers.strfedavg.spaces import standalone
from rateproof.verify.papers.strfedavg.spaces.at_points import sharp_arguments
from rateproof.verify.papers.strfedavg.spaces.method import Case, arrays, exponents
from rateproof.verify.papers.strfedavg.spaces.programs import HEAD, calling, definitions
from rateproof.verify.spaces.space import Space, refusing
from rateproof.verify.trial import Trial

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

# --- rounds of the method --------------------------------------------------------------------------------------------

WHY = {
    "R": "the problem and the parameters of the method are fixed",
    "units": "the same instance in longer units as R grows: curvatures and stepsizes stay",
    "clients": rates.CROWD,
    "distances": rates.OUTSIDE,
}
NAMES = {"R": "R", "units": "R and the unit of length", "clients": "R = N", "distances": "R and the distance"}
#: Pairs (a, b) whose ratios settle within a ladder, those beyond a + b = 1 among them.
EXPONENTS = {
    S_SC.id: ((2 / 3, 1 / 3), (1.0, 0.5), (0.6, 0.4), (0.5, 0.4)),
    S_C.id: ((0.5, 0.25), (0.6, 0.3)),
}
#: Where the iterate never moves along X_h*. With 1/(1 - a) = 10 other ratios settle only beyond R = 1e15.
STUCK = (0.9, 0.5)
METRIC_TEXT = {
    "R_f_up": "values['gap_f']",
    "R_h_up": "values['gap_h']",
    "R_f_lo": "-values['gap_f']",
    "R_sq_up": "values['E_sq']",
    "R_f_up_n": "values['gap_f_n']",
    "R_h_up_n": "values['gap_h_n']",
    "R_f_lo_n": "-values['gap_f_n']",
    "R_sq_up_n": "values['E_sq_n']",
    "R_h_up_d": "values['gap_h_n'] - values['delta_h']",
    "R_f_lo_d": "-values['gap_f_n'] - 2 * values['grad_f_star'] * values['delta_h'] / values['alpha']",
    "R_sq_up_d": "values['E_sq_n'] - values['delta_h'] / (values['eta'] * values['mu_f'])",
}
SYMBOLS = {str(symbol): symbol for symbol in rates.METRIC}


@dataclass(frozen=True)
class Rise:
    """A ladder from a setting.

    Attributes:
        base: what stays fixed.
        rounds: name of the rounds symbol that the claim bounds.
        along: what grows: R alone, R and the unit of length, R = N, or R and the distance of f's minimiser.
    """

    base: Setting | Sharp
    rounds: str
    along: Literal["R", "units", "clients", "distances"] = "R"


def settings(rise: Rise) -> tuple[Setting | Sharp, ...]:
    """The instances of a ladder, in order."""
    base = rise.base
    if isinstance(base, Sharp):
        return tuple(replace(base, R=R) for R in SHORT)
    match rise.along:
        case "R":
            return tuple(replace(base, R=R) for R in rates.DECADES)
        case "units":
            power = 1 / 3 if base.cap == S_SC.id else 1.0
            return tuple(
                replace(base, R=R).at_scale(R ** (2 * power), R ** (2 * power), R**power) for R in rates.DECADES
            )
        case "clients":
            return tuple(rates.crowded(base, _disagreeing(base, 2**k), 2**k) for k in range(7, 15))
        case "distances":
            return tuple(rates.distant(base, 10.0**k) for k in range(7, 22))


def _disagreeing(base: Setting, N: int) -> Params:
    """N clients that disagree equally, with an inner problem where the family has one."""
    return rates.disagreeing(N) if base.family == "degenerate" else crowd(N, 0.2, 0.2)


def climb(rise: Rise) -> Ladder:
    """The ladder, at accuracies that R rounds just miss; along R at such as are missed at some later rung."""
    trials = tuple(rates.rungs(settings(rise), SYMBOLS[rise.rounds]))
    kept = rates.missed_later(trials) if rise.along == "R" else trials
    return Ladder(NAMES[rise.along], kept, WHY[rise.along])


def rise_program(rise: Rise) -> str:
    """Source text: ``ladder`` lists the numbers of every rung, ``values`` are those of the last."""
    main: Callable[..., object] = standalone.one_loop
    helpers: tuple[Callable[..., object], ...] = (standalone.solutions, standalone.constants, standalone.moments)
    if isinstance(rise.base, Sharp):
        main, helpers = standalone.linear_beyond, ()
    symbol = SYMBOLS[rise.rounds]
    runs = [each for each in settings(rise) if any(rates.rungs([each], symbol))]
    calls = [sharp_arguments(each) if isinstance(each, Sharp) else arrays(Case(each)) for each in runs]
    listed = ",\n".join(calling(main, arguments) for arguments in calls)
    later = [
        "for here, after in list(zip(ladder, ladder[1:]))[::-1]:",
        "    here['epsilon'] = max(here['epsilon'], after['epsilon'])",
    ]
    lines = [
        f"ladder = [\n{listed},\n]",
        "for values in ladder:",
        f"    values.update({_exponents_of(rise)!r})",
        f"    values[{rise.rounds!r}] = values['R']",
        f"    values['epsilon'] = {JUST_BELOW!r} * ({METRIC_TEXT[rise.rounds]})",
        *(later if rise.along == "R" else []),
        "values = ladder[-1]",
    ]
    return "\n\n".join([HEAD, *definitions(main, *helpers), "\n".join(lines) + "\n"])


def _exponents_of(rise: Rise) -> dict[str, float]:
    last = settings(rise)[-1]
    v = (sharp.measure(last) if isinstance(last, Sharp) else measure(last)).values
    return dict(exponents(v))


def rise_space(claim: Claim) -> Space[Rise]:
    """Ladders along the schedule of an O(.) claim, for each rounds symbol that it bounds."""
    schedule = claim.schedule.id if claim.schedule else ""
    names = [str(relation.lhs) for relation in conjuncts(claim.statement)]
    table = claim.explicit is None  # then the hidden constant may depend on every parameter of the instance

    def corners(_: Claim) -> Iterator[Rise]:
        for name in names:
            for rise in _corners(schedule, name):
                if not (table and rise.along != "R"):
                    yield rise

    def strategy(_: Claim) -> SearchStrategy[Rise]:
        return _strategy(schedule, names)

    tried = ", ".join(f"({a:.3g}, {b:.3g})" for a, b in _pairs(schedule))
    name = f"ladders along {schedule}" + (f" for (a, b) = {tried} only" if tried else "")
    # no numbers to refine: small changes find ladders that have not settled
    return Space(name, corners, strategy, refusing(climb), program=rise_program)


def _corners(schedule: str, rounds: str) -> Iterator[Rise]:
    if rounds.endswith("_d"):  # counted from the offset up to which h is weakly sharp
        yield from _sharp(schedule, rounds)
        return
    match schedule:
        case S_SC.id:
            for (a, b), (params, start), p in product(
                EXPONENTS[schedule],
                ((TWO, (5.0, 5.0)), (TWO, rates.LOW), (ONE, (5.0, 5.0)), *((above, (5.0, 5.0)) for above in ABOVE)),
                (2.0, 1.0, 4.0),
            ):
                yield Rise(rates.along_sc(params, a, b, p, start), rounds)
                if p == 4 and a + b <= 1:
                    yield Rise(rates.along_sc(params, a, b, p, start), rounds, "units")
            for a, b in EXPONENTS[schedule]:
                yield Rise(rates.along_sc(TWO, a, b, 2.0, (5.0, 5.0), **NOISY), rounds)
        case S_SC_1.id:
            for eta in (0.01, 1.0):
                yield Rise(rates.flat(schedule, eta=eta, exponents=(("p", 2.0),)), rounds)
            for params, (eta, p) in product(ABOVE, ((1.0, 4.0), (0.5, 4.0), (1.0, 1.0))):
                base = Setting(params=params, cap=schedule, eta=eta, exponents=(("p", p),), start=(5.0, 5.0))
                yield Rise(base, rounds)
                yield Rise(replace(base, **NOISY), rounds)
                yield Rise(replace(base, **NOISY), rounds, "units")
            yield from _sharp(schedule, rounds)
        case S_C_1.id:
            for eta in (0.1, 1.0):
                base = rates.flat(schedule, eta=eta, exponents=(("a", 0.5),), convex=True)
                yield Rise(base, rounds)
                yield Rise(replace(base, noise_f=(1.0, 1.0)), rounds)
            base = Setting(params=ABOVE[1], cap=schedule, exponents=(("a", 0.5),), start=(5.0, 5.0), convex=True)
            yield Rise(base, rounds)
            yield Rise(replace(base, **NOISY), rounds)
            yield Rise(replace(base, family="degenerate", params=()), rounds, "clients")
            yield from _sharp(schedule, rounds)
        case _:
            if rounds.startswith("R_f_lo"):
                yield Rise(rates.along_c((), 0.4, 0.15, (0.0, 0.0), schedule), rounds, "distances")
            if rounds.startswith("R_h_up"):
                yield Rise(rates.along_c((), 0.5, 0.25, (0.0, 0.0), schedule), rounds, "clients")
            yield Rise(rates.along_c(TWO, *STUCK, (5.0, 5.0), schedule), rounds)
            for (a, b), params, noise in product(EXPONENTS[S_C.id], (TWO, ONE, IDENTICAL), ({}, NOISY)):
                yield Rise(rates.along_c(params, a, b, (5.0, 5.0), schedule, **noise), rounds)


def _sharp(schedule: str, rounds: str) -> Iterator[Rise]:
    """Runs step by step on inner losses that are linear beyond a width, for metrics at the normalised average."""
    if not rounds.endswith(("_n", "_d")):
        return
    convex = schedule == S_C_1.id
    exponents = (("a", 0.5),) if convex else (("p", 2.0),)
    base = Sharp(cap=schedule, convex=convex, exponents=exponents, eta=1.0, L_h=0.1)
    if rounds.startswith("R_f_lo"):
        # far from X_h* on the side of f's minimiser, slowly pulled in: f stays below f* beyond the offset
        yield Rise(replace(base, width=1.0, mu=0.1, eta=0.05, d=((10.0, -1.0), (10.0, 1.0)), start=(15.0, 0.0)), rounds)
    else:
        start = (10.0, 0.0) if convex else (1e3, 0.0)
        yield Rise(replace(base, width=1e-4, d=((0.0, -1.0), (0.0, 1.0)), start=start), rounds)


def _strategy(schedule: str, names: list[str]) -> SearchStrategy[Rise]:
    from hypothesis import strategies as st

    plain, offset = ([name for name in names if name.endswith("_d") == end] for end in (False, True))
    constant = schedule in (S_SC_1.id, S_C_1.id)
    some = [_quadratic(schedule, constant), *([_flat(schedule)] if constant else [])]
    out = [st.builds(Rise, base=st.one_of(some), rounds=st.sampled_from(plain))] if plain else []
    out += [st.builds(Rise, base=_linear(schedule), rounds=st.sampled_from(offset))] if offset else []
    return st.one_of(out)


def _pairs(schedule: str) -> tuple[tuple[float, float], ...]:
    """What random ladders have for (a, b), where the schedule has both."""
    return () if schedule in (S_SC_1.id, S_C_1.id) else EXPONENTS[S_SC.id if schedule == S_SC.id else S_C.id]


def _exponents(schedule: str) -> SearchStrategy[Params]:
    from hypothesis import strategies as st

    p = st.sampled_from((2.0, 1.0, 4.0))
    if schedule == S_SC_1.id:
        return p.map(lambda p: (("p", p),))
    if schedule == S_C_1.id:
        return st.just((("a", 0.5),))
    pairs = st.sampled_from(_pairs(schedule))
    if schedule == S_SC.id:
        return st.tuples(pairs, p).map(lambda drawn: (("a", drawn[0][0]), ("b", drawn[0][1]), ("p", drawn[1])))
    return pairs.map(lambda pair: (("a", pair[0]), ("b", pair[1])))


def _quadratic(schedule: str, constant: bool) -> SearchStrategy[Setting]:
    from hypothesis import strategies as st

    curvature = st.sampled_from((1.0, 0.5, 0.2, 0.1))
    place = st.sampled_from((0.0, 1.0, -1.0, 5.0))
    return st.builds(
        lambda spread, d, L_h, mu, noisy, **rest: Setting(
            params=diagonal((-spread, spread), d, L_h, mu),
            cap=schedule,
            convex=schedule not in (S_SC.id, S_SC_1.id),
            **rest,
            **(NOISY if noisy else {}),
        ),
        spread=st.sampled_from((0.0, 1.0)),
        d=st.tuples(st.tuples(place, place), st.tuples(place, place)),
        L_h=curvature,
        mu=curvature,
        noisy=st.booleans(),
        exponents=_exponents(schedule),
        eta=st.sampled_from((1.0, 0.5)) if constant else st.just(1.0),
        start=st.tuples(place, place),
        K=st.sampled_from((1, 5)),
    )


def _flat(schedule: str) -> SearchStrategy[Setting]:
    """Constant inner losses: what weak sharpness of order 1 leaves."""
    from hypothesis import strategies as st

    curvature = st.sampled_from((1.0, 0.5, 0.2))
    return st.builds(
        lambda first, second, **rest: Setting(
            family="degenerate",
            params=(("d", ((0.0, 0.0), (0.0, 0.0))), ("curvature", ((first, second),) * 2)),
            cap=schedule,
            start=(1.0, 1.0),
            convex=schedule == S_C_1.id,
            **rest,
        ),
        first=curvature,
        second=curvature,
        exponents=_exponents(schedule),
        eta=st.sampled_from((1.0, 0.5, 0.1, 0.01)),
    )


def _linear(schedule: str) -> SearchStrategy[Sharp]:
    """Inner losses that are linear beyond a width."""
    from hypothesis import strategies as st

    return st.builds(
        lambda d, **rest: Sharp(
            cap=schedule, convex=schedule == S_C_1.id, d=((d, -1.0), (d, 1.0)), L_h=0.1, mu=0.1, **rest
        ),
        d=st.sampled_from((0.0, 1.0, 10.0)),
        width=st.sampled_from((1.0, 1e-2, 1e-4)),
        eta=st.sampled_from((1.0, 0.05)),
        exponents=_exponents(schedule),
        start=st.sampled_from(((10.0, 0.0), (15.0, 0.0), (1.0, 1.0))),
    )


# --- outer iterations of the two-loop method -------------------------------------------------------------------------

FLAT = replace(nonconvex.FLAT, eta=0.5)
LATER = Line(w=1.5, s=1.0, lam=1.0, first=120_000, gamma_g=1.0)
LATER_FLAT = next(nonconvex.later_sharp())
#: Rounds over all calls, and rounds of one call, which these ladders say nothing about.
ALL_CALLS = ("R_stat", "R_stat_env", "R_stat_d")


@dataclass(frozen=True)
class Outer:
    """A ladder in the outer iterations of a run on the line."""

    base: Line
    metric: str


def climb_outer(outer: Outer) -> Ladder:
    """Rounds of all calls against an accuracy that none of the first T means of the metric reaches."""
    return Ladder("T", tuple(nonconvex.rungs(outer.base, outer.metric)), "everything but T is fixed")


def outer_program(outer: Outer) -> str:
    """Source text: ``ladder`` lists the numbers of every horizon, ``values`` are those of the last."""
    calls = ",\n".join(
        calling(standalone.two_loops, line_arguments(replace(outer.base, T=T))) for T in nonconvex.LADDER
    )
    lines = [
        f"runs = [\n{calls},\n]",
        f"means = runs[-1][1][{outer.metric!r}]",
        "ladder = [values for values, _ in runs]",
        "for values in ladder:",
        f"    T, R_first = int(values['T']), {outer.base.first}",
        "    values['call'] = T - 1",
        f"    values['epsilon'] = {JUST_BELOW!r} * float(min(means[:T]))",
        f"    values.update(dict.fromkeys({ALL_CALLS!r}, T * R_first + T * (T - 1) / 2))",
        "values = ladder[-1]",
    ]
    parts = definitions(standalone.two_loops, standalone.call_on_line)
    return "\n\n".join([HEAD, *parts, "\n".join(lines) + "\n"])


def line_arguments(each: Line) -> dict[str, Any]:
    """The arguments of a run on the line."""
    return {k: v for k, v in asdict(each).items() if k != "outer_step"} | {"gamma": each.gamma}


def outer_space(claim: Claim) -> Space[Outer]:
    """Ladders in T for a row of Table 1 about the two-loop method."""
    mended = claim.reading is Reading.CORRECTED
    constant = claim.printed_item.endswith(".1")
    metric = "E_grad2_env" if mended else "E_grad2"
    base = {(False, False): nonconvex.GENTLE, (False, True): FLAT, (True, False): LATER, (True, True): LATER_FLAT}[
        mended, constant
    ]

    def corners(_: Claim) -> Iterator[Outer]:
        yield Outer(base, metric)
        if not mended:
            yield from (Outer(replace(base, gamma_g=g), metric) for g in (1.0, 1e6))

    # calls so long that T = 10^4 is no limit: other instances have not settled by then
    alone = mended and not constant

    def strategy(_: Claim) -> SearchStrategy[Outer]:
        from hypothesis import strategies as st

        if alone:
            return st.just(Outer(base, metric))
        return st.builds(
            lambda w, s, lam, y0, x0, gamma_g: Outer(
                replace(base, w=w, s=s, lam=lam, y0=y0, x0=x0, gamma_g=gamma_g), metric
            ),
            w=st.sampled_from((base.w, 1.0, 0.5, 2.0)),
            s=st.sampled_from((base.s, 0.5, 2.0)),
            lam=st.sampled_from((base.lam, 0.5, 2.0)),
            y0=st.sampled_from((base.y0, 1.0)),
            x0=st.sampled_from((base.x0, 1.0)),
            gamma_g=st.sampled_from((base.gamma_g, 10.0)),
        )

    name = "one ladder in T on the line" if alone else "ladders in T on the line"
    return Space(name, corners, strategy, refusing(climb_outer), program=outer_program)


# --- a sum that no instance enters -----------------------------------------------------------------------------------


def _squares(limit: float) -> Ladder:
    trials = [Trial.exact(f"T = {T:g}", {"T": T}, {}, at={"T": T}) for T in np.geomspace(10, limit, 8).round()]
    return Ladder("T", trials, "T alone")


REMARK_4: Space[float] = Space(
    "T from 10 upwards",
    lambda claim: (1e4, 1e8),
    lambda claim: _limits(),
    _squares,
    program=lambda limit: (
        "import numpy as np\n\n"
        f"ladder = [{{'T': T}} for T in np.geomspace(10, {limit!r}, 8).round()]\nvalues = ladder[-1]\n"
    ),
)


def _limits() -> SearchStrategy[float]:
    from hypothesis import strategies as st

    return st.sampled_from((1e4, 1e6, 1e8))
