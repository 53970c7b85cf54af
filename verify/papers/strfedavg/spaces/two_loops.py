"""Spaces for the two-loop method: inner calls, runs on the line, single outer steps, and what steps assume."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, replace
from itertools import pairwise, product
from typing import TYPE_CHECKING, Any

import numpy as np

from rateproof.algos.problems.base import Fact
from rateproof.theory.claim import Claim, Reading, conjuncts
from rateproof.theory.papers.strfedavg.nonconvex import INNER_CALLS
from rateproof.theory.papers.strfedavg.notation import E_err2
from rateproof.theory.papers.strfedavg.schedules import S_SC, S_SC_1
from rateproof.verify.evidence import Level
from rateproof.verify.papers.strfedavg import calls, line, nonconvex, nonconvex_steps
from rateproof.verify.papers.strfedavg.instances import Params, Setting, stepsize_cap
from rateproof.verify.papers.strfedavg.line import Line
from rateproof.verify.papers.strfedavg.sharp import Sharp
from rateproof.verify.papers.strfedavg.spaces import standalone
from rateproof.verify.papers.strfedavg.spaces.at_points import is_projection, sharp_program
from rateproof.verify.papers.strfedavg.spaces.ladders import line_arguments
from rateproof.verify.papers.strfedavg.spaces.method import Case, program
from rateproof.verify.papers.strfedavg.spaces.programs import at, numbers, script
from rateproof.verify.spaces.space import Space, refusing
from rateproof.verify.trial import Trial, evaluate

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

# --- inner calls -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Call:
    """A call on problem (4), and ||grad f(x^{t*})|| for the outer loss f of problem (2), which may be any number.

    ``share`` is E||xbar - x^{t*}||^2 as a fraction of what a premise of the claim allows; None for the measured one.
    """

    setting: Setting | Sharp
    slope: float = 0.0
    share: float | None = None


def at_call(call: Call) -> Trial:
    """Everything that Proposition 7 and the distance bounds of Theorem 3 speak of."""
    if isinstance(call.setting, Sharp):
        trial = calls.sharp_trial(call.setting)
        near = len(set(call.setting.d)) == 1 and call.setting.mu == 1
    else:
        trial = calls.trial(call.setting, call.slope)
        near = is_projection(call.setting)
    trial = replace(trial, label=f"{trial.label}, ||grad f(x^t*)|| = {call.slope:g}")
    values = {**trial.values, "grad_f_proj": call.slope, "grad_F_star": call.slope}
    facts = dict(trial.facts)
    if not near:
        facts["projection"] = Fact(False, "the f_i are not ||x - y||^2/2")
    if not calls.by_theorem_3(trial):
        facts[INNER_CALLS.key] = Fact(False, "the call runs by other exponents than those of Theorem 3")
    return replace(trial, values=values, facts=facts)


def call_program(call: Call) -> str:
    """Source text: the exact law of the call, under the names of problem (4)."""
    if isinstance(call.setting, Sharp):
        text = sharp_program(call.setting)
        start, near = call.setting.start, (0.0, call.setting.d[0][1])
        numbers = {"D2_proj": (start[0] - near[0]) ** 2 + (start[1] - near[1]) ** 2}
    else:
        text = program(Case(call.setting))
        v = at_call(call).values
        numbers = {k: v[k] for k in ("D2_proj", "shift2", "delta_h") if k in v}
    numbers |= {"grad_f_proj": call.slope, "grad_F_star": call.slope}
    return text + _NAMES + f"values.update({numbers!r})\n"


_NAMES = """names = {"E_sq": "E_err2", "E_sq_n": "E_err2_n", "gap_f": "gap_g", "gap_f_n": "gap_g_n", "M": "M_g"}
names |= {"grad_f_star": "grad_g_star", "R": "t", "eta": "eta_g", "sigma_f2": "sigma_g2"}
values.update({new: values[old] for old, new in names.items() if old in values})
values["g_star"] = values["f_star"] - values["inf_f"]
values["gamma_t"] = values["gamma_l"] * values["gamma_g"] * values["K"]
values.setdefault("p", 2.0)
"""


def call_space(schedule: str, *, up_to: bool = False) -> Space[Call]:
    """Calls by a schedule; ``up_to`` adds inner losses that are weakly sharp of order 1 up to an offset."""
    constant = schedule == S_SC_1.id

    def corners(claim: Claim) -> Iterator[Call]:
        for setting in calls.corners(schedule):
            yield from (Call(setting, slope) for slope in ((0.0,) if constant else (0.0, 1.0)))
        if up_to:
            yield from map(Call, _sharp_calls())
        base = next(iter(calls.corners(schedule)))
        yield from (Call(replace(base, gamma_g=g)) for g in (0.5, 0.01))
        yield from (Call(replace(base, R=R), slope) for R in (1.0, 2.0, 3.0, 10.0, 100.0) for slope in (0.0, 1.0))
        if constant:
            for eta, p in product((0.01, 0.1, 1.0), (0.5, 1.0, 2.0)):
                yield Call(replace(base, eta=eta, exponents=(("p", p),)), 100.0)
        else:
            opposite = calls.opposite_setting()
            yield Call(opposite)
            for a, b, p in ((0.5, 0.6, 2.0), (0.2, 0.9, 2.0), (1.2, 0.5, 2.0), (0.6, 0.4, 0.1)):
                beside = replace(opposite, exponents=(("a", a), ("b", b), ("p", p)), start=(1.0, 1.0))
                yield from (Call(replace(beside, R=R), 1.0) for R in (1e3, 1e6))
            curved = (("c", (0.0, 0.0)), ("d", ((1.0, 0.0),) * 2), ("L_h", 1.0), ("mu", 100.0))
            yield Call(replace(opposite, params=curved, start=(5.0, 5.0)), 1.0)

    def strategy(claim: Claim) -> SearchStrategy[Call]:
        from hypothesis import strategies as st

        settings = _flat_calls(schedule) if constant else _calls(schedule)
        some = st.one_of(settings, _sharp_draws(schedule)) if up_to else settings
        return st.builds(Call, setting=some, slope=st.sampled_from((0.0, 1.0, 100.0)))

    build_it = refusing(at_call)
    return Space(f"calls along {schedule}", corners, strategy, build_it, numbers, at, call_program)


def _sharp_calls() -> Iterator[Sharp]:
    for eta, p in ((0.2, 10.0), (1.0, 2.0), (0.5, 4.0)):
        base = Sharp(
            cap=S_SC_1.id,
            mu=1.0,
            L_h=0.1,
            width=30.0,
            d=(calls.BESIDE, calls.BESIDE),
            start=(3.0, 2.0),
            eta=eta,
            exponents=(("p", p),),
            R=2e3,
        )
        yield from calls.grid_of(base, R=(100.0, 1e4), width=(10.0, 100.0), start=(calls.ORIGIN, (0.0, 5.0)), K=(3,))


def _calls(schedule: str) -> SearchStrategy[Setting]:
    from hypothesis import strategies as st

    from rateproof.verify.deciders.search import round_integers, round_numbers

    place = st.sampled_from((0.0, 1.0, -1.0, 5.0, 100.0))
    plane = st.tuples(place, place)
    deviations = st.sampled_from(((0.0, 0.0), (1.0, 0.0), (0.0, 1.0)))
    pairs = st.sampled_from(((7 / 12, 5 / 12), (2 / 3, 1 / 3), (0.55, 0.45), (1.0, 0.5), (0.5, 0.25), (0.9, 0.1)))
    return st.builds(
        lambda y, spread, copies, L_h, pair, p, **rest: Setting(
            params=calls.projection(y, (-spread, spread) * copies, L_h),
            cap=schedule,
            exponents=(("a", pair[0]), ("b", pair[1]), ("p", p)),
            **rest,
        ),
        y=plane,
        spread=st.sampled_from((0.0, 1.0)),
        copies=round_integers(1, 100),
        L_h=round_numbers(1e-2, 100.0),
        pair=pairs,
        p=round_numbers(0.5, 10.0),
        start=st.one_of(st.none(), plane),
        noise_h=deviations,
        S=st.sampled_from((0, 1)),
        K=round_integers(1, 50),
        gamma_g=round_numbers(1.0, 1e6),
        R=st.sampled_from((2.0, 10.0, 100.0, 3e3, 1e4, 1e5, 1e6, 1e9, 1e12)),
    )


def _flat_calls(schedule: str) -> SearchStrategy[Setting]:
    from hypothesis import strategies as st

    from rateproof.verify.deciders.search import round_integers, round_numbers

    return st.builds(
        lambda eta, p, **rest: Setting(
            family="degenerate",
            params=calls.constant(calls.ORIGIN),
            cap=schedule,
            eta=eta,
            exponents=(("p", p),),
            **rest,
        ),
        eta=round_numbers(1e-3, 10.0),
        p=round_numbers(0.5, 20.0),
        start=st.sampled_from(((1.0, 1.0), (0.0, 0.0), (10.0, 0.0))),
        noise_h=st.sampled_from(((0.0, 0.0), (1.0, 1.0))),
        K=round_integers(1, 10),
        gamma_g=round_numbers(1.0, 1e3),
        R=st.sampled_from((2.0, 100.0, 1e4, 1e6, 1e9)),
    )


def _sharp_draws(schedule: str) -> SearchStrategy[Sharp]:
    from hypothesis import strategies as st

    from rateproof.verify.deciders.search import round_numbers

    place = st.sampled_from((0.0, 1.0, 3.0, 10.0))
    return st.builds(
        lambda y, p, **rest: Sharp(mu=1.0, d=(y, y), cap=schedule, exponents=(("p", p),), **rest),
        y=st.tuples(place, place),
        start=st.tuples(place, place),
        p=st.sampled_from((2.0, 4.0, 10.0)),
        eta=round_numbers(0.1, 2.0),
        width=round_numbers(0.1, 100.0),
        L_h=round_numbers(1e-2, 1.0),
        R=st.sampled_from((100.0, 500.0, 2000.0)),
    )


# --- what steps assume: a quantity anywhere up to the bound of a premise ---------------------------------------------


def premise_space(claim: Claim) -> Space[Call]:
    """Numbers of calls, with E||xbar - x^{t*}||^2 at or below the bound that the claim invokes."""
    relations = [r for h in claim.hypotheses for r in conjuncts(h.relation) if r.lhs == E_err2]
    constant = ".ii" in claim.id

    def built(call: Call) -> Trial:
        trial = at_call(call)
        values = {**trial.values, "E_err2": 0.0}
        allowed = []
        for relation in relations:
            invoked = replace(claim, statement=relation, hypotheses=())
            (side,) = evaluate(invoked, replace(trial, values=values)).sides
            allowed.append(side.rhs)
        values["E_err2"] = (1.0 if call.share is None else call.share) * min(allowed)
        return replace(trial, label=f"{trial.label}, share {call.share}", values=values)

    def corners(_: Claim) -> Iterator[Call]:
        for setting, slope in _bases(constant):
            yield from (Call(setting, slope, share) for share in (1.0, 0.5, 2.0))

    def strategy(_: Claim) -> SearchStrategy[Call]:
        from hypothesis import strategies as st

        settings = _flat_calls(S_SC_1.id) if constant else _calls(S_SC.id)
        slopes, shares = (0.0,) if constant else (0.0, 1.0, 100.0), (1.0, 0.5)
        return st.builds(Call, setting=settings, slope=st.sampled_from(slopes), share=st.sampled_from(shares))

    return Space(f"calls at the bound that {claim.id} invokes", corners, strategy, refusing(built), numbers, at)


def _bases(constant: bool) -> Iterator[tuple[Setting, float]]:
    if constant:
        for eta, p in product((0.01, 1.0, 0.1), (2.0, 4.0)):
            by: dict[str, Any] = {"cap": S_SC_1.id, "eta": eta, "exponents": (("p", p),)}
            flat = calls.constant(calls.ORIGIN)
            yield Setting(family="degenerate", params=flat, start=(1.0, 1.0), R=1e6, **by), 0.0
        return
    for L_h in (8.0, 0.1):
        beside = calls.projection(calls.BESIDE, L_h=L_h)
        for a, b, p in ((7 / 12, 5 / 12, 2.0), (1.0, 0.5, 2.0), (0.6, 0.4, 1.0), (0.5, 0.25, 2.0)):
            exponents = (("a", a), ("b", b), ("p", p))
            for slope in (100.0, 1.0):
                yield Setting(params=beside, cap=S_SC.id, exponents=exponents, start=(1.0, 1.0), R=1e8), slope


# --- runs on the line ------------------------------------------------------------------------------------------------


def line_program(each: Line) -> str:
    """Source text: all outer iterations, each call as a power of one matrix."""
    text = script(standalone.two_loops, standalone.call_on_line, **line_arguments(each))
    return text + "values, _ = values\n"


def line_space(*, mended: bool, constant: bool) -> Space[Line]:
    """Runs of Algorithm 2 on the line: a cosine over a quadratic or constant inner loss."""

    def corners(claim: Claim) -> Iterator[Line]:
        if mended:
            yield from nonconvex.later_sharp() if constant else nonconvex.later()
        elif constant:
            yield from (replace(nonconvex.FLAT, T=T) for T in nonconvex.FLAT_HORIZONS)
        else:
            for base, T in product((nonconvex.AWAY, nonconvex.PLAIN, nonconvex.GENTLE), nonconvex.HORIZONS):
                yield replace(base, T=T)
        # out of range: outer steps beyond the condition, calls too short, gamma_g below 1, T = 1
        yield from _out_of_range(mended=mended, constant=constant)

    def strategy(claim: Claim) -> SearchStrategy[Line]:
        return _lines(mended=mended, constant=constant)

    def local(each: Line) -> dict[str, float]:
        return {k: v for k, v in numbers(each).items() if k != "p"}  # the schedule fixes it, or leaves a round number

    name = "runs on the line" + (", constant regularisation" if constant else "")
    return Space(name, corners, strategy, refusing(line.trial), local, at, line_program)


def _out_of_range(*, mended: bool, constant: bool) -> Iterator[Line]:
    first = (1500 if constant else 120_000) if mended else 2
    base = Line(w=1.0, s=1.0, lam=1.0, first=first, gamma_g=1.0, T=20)
    if constant:
        base = replace(base, L_h=0.0, eta=0.2, p=10.0)
    yield from (replace(base, outer_step=step, T=T) for step in (2.0, 5.0, 20.0) for T in (10, 100))
    yield from (replace(base, first=rounds, T=T) for rounds in (2, 5, 50) for T in (10, 1000))
    yield from (replace(base, gamma_g=g) for g in (0.5, 0.01))
    yield replace(base, T=1)


def _lines(*, mended: bool, constant: bool) -> SearchStrategy[Line]:
    from hypothesis import strategies as st

    from rateproof.verify.deciders.search import round_integers, round_numbers

    place = st.sampled_from((0.0, 1.0, 2.0, 0.5, 5.0))
    first = (1500, 3000, 100) if constant else (120_000, 200_000, 1000)
    return st.builds(
        Line,
        w=round_numbers(1e-2, 200.0),
        s=st.sampled_from((1.0, 2.0, 3.0, 0.5)),
        L_h=st.just(0.0) if constant else round_numbers(1e-2, 2.0),
        lam=round_numbers(1e-2, 10.0),
        y0=place,
        x0=place,
        outer_step=st.sampled_from((1.0, 0.1, 0.5, 2.0, 5.0)),
        K=round_integers(1, 5),
        gamma_g=round_numbers(1.0, 1e7),
        eta=round_numbers(1e-2, 2.0) if constant else st.none(),
        p=st.sampled_from((10.0, 2.0)) if constant and mended else st.just(2.0),
        first=st.sampled_from(first) if mended else st.just(2),
        T=round_integers(1, 1000),
    )


# --- single outer steps ----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Descent:
    """Outer steps from y = 1 on the parabola F = (L/2) y^2; see :func:`standalone.descending`.

    ``stated`` is a smoothness constant L_f that the claim is told instead, None for the true one; ``off`` is added to
    the iterate after the first step, which then is not that of the method.
    """

    L_f: float = 1.0
    lam: float = 1.0
    s: float = 0.5
    shares: tuple[float, ...] = (0.0,)
    young: float = 2.0
    stated: float | None = None
    off: float = 0.0


def at_descent(params: Descent) -> Trial:
    """Everything that step 10 speaks of but the rewriting of the step."""
    if params.L_f < 0 or params.lam <= 0 or params.s <= 0 or params.young <= 0:
        raise ValueError(f"{params} makes no instance: L_f should be >= 0, and lam, s and young positive")
    parabola = nonconvex_steps.parabola(params.L_f, params.lam, params.s, params.shares, params.young)
    values, facts = dict(parabola.values), dict(parabola.facts)
    L = params.L_f + 2 / params.lam
    if params.stated is not None:
        valid = params.stated >= params.L_f
        facts["F_smooth"] = Fact(valid, f"F_lambda'' = {L:g}, and L_f is stated as {params.stated:g}")
        values["L_f"] = params.stated
    if params.off:
        y = (2 * values["F_next"] / L) ** 0.5 + abs(params.off)
        values |= {"F_next": L / 2 * y**2, "F_drop": L / 2 * (1 - y**2), "T": 1.0}
        values |= {"sum_grad2": values["sq_grad_F"], "sum_err2": values["sq_err"]}
        facts["update"] = Fact(False, f"the next iterate lies {params.off:g} further out")
    return Trial.exact(str(params), values, facts, at=asdict(params))


def _descent_program(params: Descent) -> str:
    arguments = {k: getattr(params, k) for k in ("L_f", "lam", "s", "shares", "young")}
    text = script(standalone.descending, **arguments)
    v = at_descent(params).values
    changed = {k: x for k, x in v.items() if params.off and k in ("F_next", "F_drop", "T", "sum_grad2", "sum_err2")}
    changed |= {} if params.stated is None else {"L_f": params.stated}
    return text + (f"values.update({changed!r})\n" if changed else "")


def _descent_corners(claim: Claim) -> Iterator[Descent]:
    for L_f, lam in ((2.0, 1.0), (8.0, 0.25), (0.0, 1.0), (1.0, 100.0), (0.0, 1e-2)):
        for s in (0.25, 0.125, 0.75, 0.5, 1e-3, 1.0, 2.0, 4.0):
            for share in (0.0, -1.0, -0.5, 1.0, -(1 - s) / (1 + s)):
                yield from (Descent(L_f, lam, s, (share,), young) for young in (2.0, 0.5, 1.0, 8.0))
                yield Descent(L_f, lam, s, (share,) * 5)
    for s in (0.75, 0.5, 0.1):
        yield from (Descent(10.0, 100.0, s, (share,), 2.0, stated=0.1) for share in (0.0, -0.5, 1.0))
        yield Descent(s=s, off=10.0)
    yield from (Descent(10.0, 100.0, s, (0.0,), 2.0, stated=0.1) for s in (4.0, 40.0))


def _descent_strategy(claim: Claim) -> SearchStrategy[Descent]:
    from hypothesis import strategies as st

    from rateproof.verify.deciders.search import round_numbers

    share = st.sampled_from((0.0, -1.0, -0.5, 1.0, -0.2, -0.6, 0.1, -2.0, 10.0))
    return st.builds(
        Descent,
        L_f=st.one_of(st.just(0.0), round_numbers(1e-2, 100.0)),
        lam=round_numbers(1e-2, 100.0),
        s=round_numbers(1e-3, 4.0),
        shares=st.lists(share, min_size=1, max_size=4).map(tuple),
        young=round_numbers(0.1, 10.0),
        stated=st.sampled_from((None, None, 0.1)),
        off=st.sampled_from((0.0, 0.0, 1.0)),
    )


DESCENT = Space(
    "outer steps on parabolas",
    _descent_corners,
    _descent_strategy,
    refusing(at_descent),
    numbers,
    at,
    _descent_program,
)


@dataclass(frozen=True)
class Step:
    """One outer step at y on the line with X_h* = {0} and f = 0, from the result x of a call."""

    lam: float = 1.0
    y: float = 1.0
    x: float = 1.0


def rewriting_space(*, mended: bool) -> Space[Step]:
    """The step of Algorithm 2 against its rewriting, printed or mended."""

    def built(step: Step) -> Trial:
        if step.lam <= 0:
            raise ValueError(f"{step} makes no instance: lam should be positive")
        facts = {
            "printed step": Fact(True, "the step is computed by it"),
            "F_smooth": Fact(True, "F_lambda'' is 2/lambda"),
            "envelope": Fact(mended, "F_lambda is dist^2/(2 lambda)" if mended else "F_lambda is dist^2/lambda"),
        }
        size = (abs(step.y) + abs(step.x)) / step.lam
        return Trial.exact(str(step), _gap(step, mended), facts, at=asdict(step), absolute_error=1e-14 * size)

    def written(step: Step) -> str:
        rule = "y / lam - x / lam" if mended else "2 * y / lam + x / lam"
        return (
            f"lam, y, x = {step.lam!r}, {step.y!r}, {step.x!r}\ntaken = (y - x) / lam\nrewritten = {rule}\n"
            "values = {'lam': lam, 'direction_gap': abs(taken - rewritten)}\n"
        )

    def corners(claim: Claim) -> Iterator[Step]:
        yield from (Step(lam, y, x) for lam, y, x in product((1.0, 0.1, 10.0), (1.0, 0.0, -2.0), (1.0, 0.0, 3.0)))

    def strategy(claim: Claim) -> SearchStrategy[Step]:
        from hypothesis import strategies as st

        from rateproof.verify.deciders.search import round_numbers

        place = st.sampled_from((1.0, 0.0, -1.0, 2.0, 10.0))
        return st.builds(Step, lam=round_numbers(1e-2, 100.0), y=place, x=place)

    return Space("single outer steps", corners, strategy, refusing(built), numbers, at, written)


def _gap(step: Step, mended: bool) -> dict[str, float]:
    """With e = x - Pi[y] = x: taken (y - x)/lam; rewritten grad F + e/lam as printed, or grad F - e/lam."""
    taken = (step.y - step.x) / step.lam
    rewritten = step.y / step.lam - step.x / step.lam if mended else 2 * step.y / step.lam + step.x / step.lam
    return {"lam": step.lam, "direction_gap": abs(taken - rewritten)}


# --- small identities and properties ---------------------------------------------------------------------------------


@dataclass(frozen=True)
class Numbers:
    """Numbers under the names of symbols, for claims in which all of them may be chosen."""

    named: Params
    counts: Params = ()


def numbers_space(
    name: str,
    choices: dict[str, tuple[float, ...]],
    measured: Callable[[dict[str, float]], dict[str, float]],
    *,
    facts: dict[str, str] | None = None,
    level: Level = Level.EXACT,
    absolute_error: float = 0.0,
    counts: tuple[str, ...] = (),
    source: Callable[[dict[str, float]], str] | None = None,
) -> Space[Numbers]:
    """Every combination of a few numbers; ``measured`` adds what follows from them."""

    def build_it(params: Numbers) -> Trial:
        given = dict((*params.named, *params.counts))
        label = ", ".join(f"{k} = {v:g}" for k, v in given.items())
        known = {k: Fact(True, why) for k, why in (facts or {}).items()}
        return Trial(label, measured(given), known, level, at=given, absolute_error=absolute_error)

    def params(drawn: dict[str, float]) -> Numbers:
        named = tuple((k, v) for k, v in drawn.items() if k not in counts)
        return Numbers(named, tuple((k, v) for k, v in drawn.items() if k in counts))

    def corners(claim: Claim) -> Iterator[Numbers]:
        for values in product(*choices.values()):
            yield params(dict(zip(choices, values, strict=True)))

    def strategy(claim: Claim) -> SearchStrategy[Numbers]:
        from hypothesis import strategies as st

        return st.fixed_dictionaries({k: st.sampled_from(v) for k, v in choices.items()}).map(params)

    def local(it: Numbers) -> dict[str, float]:
        return {k: v for k, v in numbers(it).items() if k.startswith("named")}

    written = None if source is None else lambda it: source(dict((*it.named, *it.counts)))
    return Space(name, corners, strategy, refusing(build_it), local, at, written)


ROUND = (1.0, 0.1, 10.0, 0.01, 100.0, 0.5, 2.0)

SUMS = numbers_space(
    "T and kappa",
    {"kappa": (2.0, 1.5, 1.2, 1.05, 4.0, 10.0), "T": tuple(float(T) for T in (*range(1, 21), 50, 100, 1000, 10_000))},
    dict,
    counts=("T",),
    source=lambda v: f"values = {v!r}\n",
)


def _units(caps: str) -> Space[Numbers]:
    def measured(v: dict[str, float]) -> dict[str, float]:
        rule: dict[str, Any] = {"eta": v["eta"], "K": int(v["K"]), "gamma_g": v["gamma_g"]}
        return {**v, "gamma_l": stepsize_cap(caps, L_f=v["L_f"], L_h=v["L_h"], **rule)}

    choices: dict[str, tuple[float, ...]] = {
        "rescale": (1.0, 1e3, 1e-3),
        "L_h": (1.0, 0.1, 10.0),
        "L_f": (1.0, 0.1, 10.0),
        "eta": (1.0, 0.1),
        "gamma_g": (1.0, 10.0),
        "K": (1.0, 5.0),
    }
    return numbers_space("the same run at its cap, in other units of the losses", choices, measured, counts=("K",))


def _recursion(v: dict[str, float]) -> dict[str, float]:
    """The recursion of step 3 unrolled, with a share of the gap that it allows."""
    u, R, gamma_t = v["eta"] * v["mu_f"] * v["gamma_t"] / 2, v["R"], v["gamma_t"]
    if not 0 < u < 1:
        raise ValueError(f"u = {u:g} is not in (0, 1)")
    theta = 1 / (1 - u)
    total = sum(theta**r for r in range(1, int(R) + 1))
    allowed = 3 * (v["D2"] - v["last"] * theta**R) / (gamma_t * total) + 3 * gamma_t * (v["A1"] + v["A2"] * gamma_t)
    return {**v, "theta": theta, "Theta_R": total, "Dlast2": v["last"], "gap_w": v["share"] * allowed}


RECURSION = numbers_space(
    "the unrolled recursion, in numbers",
    {
        "share": (1.0, 0.5),
        "R": (3.0, 2.0, 10.0),
        "eta": (1.0, 0.1),
        "mu_f": (1.0, 0.1),
        "gamma_t": (1.0, 0.1),
        "A1": (0.0, 1.0),
        "A2": (0.0, 1.0),
        "D2": (14.0, 1.0),
        "last": (0.0, 0.1),
    },
    _recursion,
    counts=("R",),
)


def _telescoped(v: dict[str, float]) -> dict[str, float]:
    d = [v["first"] * (0.5 + 0.5 * np.cos(r)) for r in range(int(v["R"]) + 1)]
    sum_ = float(sum(x - y for x, y in pairwise(d)))
    allowed = 3 * v["gamma_t"] * (v["A1"] + v["A2"] * v["gamma_t"]) + 3 * sum_ / (v["R"] * v["gamma_t"])
    return {**v, "tel_sum": sum_, "D2": d[0], "Dlast2": float(d[-1]), "gap_avg_c": v["share"] * allowed}


TELESCOPED = numbers_space(
    "distances of R rounds, and the gap that their sum allows",
    {
        "share": (1.0, 0.5),
        "R": (3.0, 1.0, 10.0),
        "first": (1.0, 10.0),
        "gamma_t": (1.0, 0.1),
        "A1": (0.0, 1.0),
        "A2": (0.0, 1.0),
    },
    _telescoped,
    counts=("R",),
    level=Level.FLOAT,
)


def _moduli(v: dict[str, float]) -> dict[str, float]:
    """F_lambda'' = w cos(y - s) + 2/lambda over X_h* = {0} attains w + 2/lambda; over the whole line it is w."""
    return {**v, "L_f": v["w"], "mu_g": 1.0, "lip_g": 1.0, "lip_F": v["w"] + (2 / v["lam"] if v["L_h"] else 0.0)}


MODULI = numbers_space(
    "f(y) = -w cos(y - s) over h = (L_h/2) x^2 or constant h",
    {"w": ROUND, "lam": ROUND, "L_h": (1.0, 0.0)},
    _moduli,
    facts={k: line.FACTS[k] for k in ("outer_smooth", "h_convex", "h_smooth", "X_h_nonempty")},
    source=lambda v: f"values = {_moduli(v)!r}\n",
)


def _indicator(v: dict[str, float]) -> dict[str, float]:
    return standalone.smoothed_indicator(lam=v["lam"], L_h=v["L_h"], y=np.array([v["y_1"], v["y_2"]]))


INDICATOR = numbers_space(
    "the smoothed indicator of X_h* = {x_1 = 0}, by minimisation and differences",
    {"lam": (1.0, 0.1, 10.0), "y_1": (1.0, 0.5, 10.0), "y_2": (2.0, 0.0), "L_h": (1.0,)},
    _indicator,
    facts=dict.fromkeys(("h_convex", "h_smooth", "X_h_nonempty"), "h = (L_h/2) x_1^2"),
    level=Level.FLOAT,
    source=lambda v: script(
        standalone.smoothed_indicator, lam=v["lam"], L_h=v["L_h"], y=np.array([v["y_1"], v["y_2"]])
    ),
)

ENVELOPES = numbers_space(
    "envelopes of |.| and of the log-sum penalty, by minimisation",
    {"u": (0.5, 1.0, -2.0, 0.1, 3.0, 10.0), "mu": (1.0, 0.1, 2.0), "epsilon": (1.0, 2.0, 0.5)},
    lambda v: standalone.envelopes(**v),
    level=Level.FLOAT,
    absolute_error=1e-12,
    source=lambda v: script(standalone.envelopes, standalone.lowest, **v),
)
UNITS = {Reading.STATED: _units("SC16"), Reading.CORRECTED: _units("SC16h")}
