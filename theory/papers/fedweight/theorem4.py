"""Theorem 4: the proximal gradient method for ``F^`` that need not be convex.

The display after (55), and its sum, print ``Proj(w^s)`` where ``Proj(w^s - eta grad F^(w^s))`` is meant: the measure of
stationarity that the section defines. Errors ``E_s <= 1/(s + 1)`` have a sum above ``log S``, so that the last
inequality does not follow. It is true: by the step of the method itself errors enter with their squares alone, and the
logarithm can be left out.

As Theorem 3 it supposes A1 alone, and is false where the center is steeper than the nodes, or where these are many.
"""

from dataclasses import replace
from functools import partial
from typing import Any

import sympy as sp

from rateproof.theory.claim import Claim, Hypothesis, Kind, Reading
from rateproof.theory.gram import dot, norm2, vectors
from rateproof.theory.papers.fedweight import lemma4
from rateproof.theory.papers.fedweight import notation as p
from rateproof.theory.papers.fedweight import schedules as sch
from rateproof.theory.papers.fedweight import theorem3 as t3
from rateproof.theory.proof import (
    SEQUENCES,
    Part,
    Proof,
    Rounds,
    Setting,
    cauchy_schwarz,
    cite,
    exponents,
    have,
    infimum,
    logarithm,
    projection,
    qed,
    raised,
    section,
    smooth,
    special,
    summed,
    supposed,
    total,
)
from rateproof.theory.shorthand import claims_in, ge, le, misprint, premise, restated
from rateproof.theory.symbols import C_O, NONNEG
from rateproof.theory.units import ONE

_R = sp.Rational
eta, s, S = p.eta, p.s, p.S

# --- what is measured

_AT = r"E\|w^{(s)}-\mathrm{Proj}(w^{(s)}-\eta\nabla\widehat F(w^{(s)}))\|^2"
_AT_OUT = _AT.replace("(s)", r"(\bar s)")
station2, moved2, parted2 = p.worded(
    ONE,
    station2=("E ||w^s - Proj(w^s - eta grad F^(w^s))||^2", _AT),
    moved2=("E ||w^{s+1} - w^s||^2", r"E\|w^{(s+1)}-w^{(s)}\|^2"),
    parted2=(
        "E ||w^{s+1} - Proj(w^s - eta grad F^(w^s))||^2",
        r"E\|w^{(s+1)}-\mathrm{Proj}(w^{(s)}-\eta\nabla\widehat F(w^{(s)}))\|^2",
    ),
)
moved = p.declare("moved", "||w^{s+1} - w^s||, or a bound on it", latex=r"\|w^{(s+1)}-w^{(s)}\|", **NONNEG)
other2, other2_next = p.worded(
    ONE,
    other2=("E ||w - w^s||^2", r"E\|w-w^{(s)}\|^2"),
    other2_next=("E ||w - w^{s+1}||^2", r"E\|w-w^{(s+1)}\|^2"),
)
along_bar, along_other, along, pull, F_w, F_next = (
    p.declare(name, text, p.LOSS, latex=latex)
    for name, text, latex in (
        ("along_bar", "<gradbar F^, w^{s+1} - w^s>", r"\langle\bar\nabla\widehat F,w^{(s+1)}-w^{(s)}\rangle"),
        ("along_other", "<gradbar F^, w - w^s>", r"\langle\bar\nabla\widehat F,w-w^{(s)}\rangle"),
        ("along_grad", "<grad F^, w^{s+1} - w^s>", r"\langle\nabla\widehat F,w^{(s+1)}-w^{(s)}\rangle"),
        (
            "pull",
            "<grad F^ - gradbar F^, w^{s+1} - w^s>",
            r"\langle\nabla\widehat F-\bar\nabla\widehat F,w^{(s+1)}-w^{(s)}\rangle",
        ),
        ("F_w", "E F^(w^s)", r"E\widehat F(w^{(s)})"),
        ("F_w_next", "E F^(w^{s+1})", r"E\widehat F(w^{(s+1)})"),
    )
)
gap_start = p.declare(
    "gap_start", "F^(w^0) - F^(w^)", p.LOSS, latex=r"[\widehat F(w^{(0)})-\widehat F(\hat w)]", **NONNEG
)
(station_out,) = p.worded(
    ONE, station_out=("E ||w^{sbar} - Proj(w^{sbar} - eta grad F^(w^{sbar}))||^2, sbar a random s < S", _AT_OUT)
)
total_E, total_E2 = (
    p.declare(name, f"sum over s < S of {text}", unit, latex=rf"\sum_{{s<S}}E[{latex}]", **NONNEG)
    for name, text, latex, unit in (("total_E", "E E_s", "E_s", p.LOSS), ("total_E2", "E E_s^2", "E_s^2", p.LOSS**2))
)

# --- one iteration

w, g, e, w_next, exact, other = vectors("w g e w+ w~ v")
_bar = g + e
ITERATION = Setting(
    depends={"w": "past", "e": "past xi", "v": ""},
    functions={
        "F": {"w": (w, g, F_w), "w+": (w_next, None, F_next)},
        "W": {
            "w": (w, w, None),
            "v": (other, other, None),
            "w+": (w - eta * _bar, w_next, None),
            "w~": (w - eta * g, exact, None),
        },
    },
    metrics={
        station2: norm2(w - exact),
        moved2: norm2(w - w_next),
        parted2: norm2(w_next - exact),
        other2: norm2(other - w),
        other2_next: norm2(other - w_next),
        p.err2: norm2(e),
        along_bar: dot(_bar, w_next - w),
        along_other: dot(_bar, other - w),
        along: dot(g, w_next - w),
        pull: dot(-e, w_next - w),
    },
    lengths={t3.E_s: e},
    bounds={moved: w_next - w},
    infima={"F": t3.F_min},
    words={
        "F": "the empirical objective",
        "W": "the capped simplex",
        "w": "the weights before the iteration",
        "v": "any weights",
        "e": "the error of the hypergradient",
        "past": "what was drawn before the iteration",
        "xi": "what Local-SVRG draws in it",
    },
)
RUN = p.H_("Algorithm 3", "w is that of Algorithm 3, whatever the error E_s of its hypergradient at w^s")
SHORT = p.H_("eta<=1/l_F", "eta <= 1/l_F", le(eta * p.l_F, 1))
WITHIN = p.H_("||w+-w||<=2", "w^s and w^{s+1} lie on a simplex, so that ||w^{s+1} - w^s|| <= 2", le(moved, 2))
_STEP = (*p.A1, t3.SIMPLEX, RUN)
_SMOOTH = (*p.A1, t3.SMOOTH_F, t3.SIMPLEX, RUN)
_PLACE = "proof of Theorem 4"
_stated = partial(p.stated, _PLACE)


def _link(
    cid: str,
    title: str,
    text: str,
    statement: sp.Basic,
    *steps: Part,
    given: tuple[Hypothesis, ...] = _STEP,
    note: str = "",
    **rest: Any,
) -> Claim:
    """A link of the proof, between numbers that are means over the draws."""
    reading = Reading.REPAIRED if note.startswith("The print") else Reading.STATED
    where = t3.WHERE if t3.SMOOTH_F in given else {}
    more = {"title": title, "note": note, "setting": ITERATION, "proof": Proof(*steps), **rest}
    return _stated(cid, text, statement, *given, where=where, reading=reading, **more)


_BAR = "The print has the hypergradient on the left side, which would be ||w^s - w^{s+1}||^2; meant is the gradient"
PS27 = p.composite("ps-27", _PLACE, "Stationarity by the step and the error (52)", "Display (52)")
PS27_A = _link(
    "ps-27.a",
    "Stationarity, split",
    "||w^s - Proj(w^s - eta grad F^)||^2 <= 2 ||w^s - w^{s+1}||^2 + 2 ||w^{s+1} - Proj(w^s - eta grad F^)||^2",
    le(station2, 2 * moved2 + 2 * parted2),
    qed(),
    equation="52",
    note=_BAR,
)
PS27_B = _link(
    "ps-27.b",
    "Projections are nonexpansive",
    "2 ||w^s - w^{s+1}||^2 + 2 ||w^{s+1} - Proj(w^s - eta grad F^)||^2 <= 2 ||w^s - w^{s+1}||^2 + 2 eta^2 E_s^2",
    le(2 * moved2 + 2 * parted2, 2 * moved2 + 2 * eta**2 * p.err2),
    qed(by=[projection("W", "w+", "w~")]),
    equation="52",
)
PS28 = p.composite("ps-28", _PLACE, "Descent of a projected step, (53) to (55)", "Displays (53), (54) and (55)")
PS28_A = _link(
    "ps-28.a",
    "Projected step against any weights",
    "<gradbar F^, w^{s+1} - w^s> + ||w^{s+1} - w^s||^2/(2 eta) + ||w - w^{s+1}||^2/(2 eta) <= <gradbar F^, w - w^s> + "
    "||w - w^s||^2/(2 eta) for any w in the capped simplex",
    le(along_bar + moved2 / (2 * eta) + other2_next / (2 * eta), along_other + other2 / (2 * eta)),
    qed(by=[projection("W", "w+", "v")]),
    equation="53",
)
PS28_B = _link(
    "ps-28.b",
    "Projected step against its start",
    "<gradbar F^, w^{s+1} - w^s> + ||w^{s+1} - w^s||^2/eta <= 0",
    le(along_bar + moved2 / eta, 0),
    qed(by=[projection("W", "w+", "w")]),
    equation="54",
)
PS28_C = _link(
    "ps-28.c",
    "Descent by smoothness",
    "F^(w^{s+1}) - F^(w^s) <= <grad F^, w^{s+1} - w^s> + ||w^{s+1} - w^s||^2/(2 eta), as F^ is l_F-Lipschitz and "
    "eta <= 1/l_F",
    le(F_next - F_w, along + moved2 / (2 * eta)),
    have("short step", le(eta * p.l_F, 1), by=[supposed(SHORT.key)]),
    qed(by=[smooth("F", "w", "w+"), "short step"]),
    given=(*_SMOOTH, SHORT),
    equation="55",
    follows_from=("lem1.i",),
    note=f"What is used is that the gradient of F^ is l_F-Lipschitz. {t3.L_F_NOTE}",
)
PS29 = p.composite("ps-29", _PLACE, "Descent of an iteration", "The two displays after (55)")
_DESCENT = F_next - F_w + moved2 / (2 * eta)
PS29_A = _link(
    "ps-29.a",
    "Sum of (54) and (55)",
    "F^(w^{s+1}) - F^(w^s) + ||w^{s+1} - w^s||^2/(2 eta) <= <grad F^ - gradbar F^, w^{s+1} - w^s>",
    le(_DESCENT, pull),
    have("(54)", PS28_B.statement, by=[cite(PS28_B)]),
    have("short step", le(eta * p.l_F, 1), by=[supposed(t3.ETA.key)]),
    have("(55)", PS28_C.statement, by=[cite(PS28_C), "short step"]),
    qed(by=["(54)", "(55)"]),
    given=(*_SMOOTH, t3.ETA),
    follows_from=("ps-28.b", "ps-28.c"),
)
PS29_B = _link(
    "ps-29.b",
    "Error times step",
    "<grad F^ - gradbar F^, w^{s+1} - w^s> <= E_s ||w^{s+1} - w^s||",
    le(pull, t3.E_s * moved),
    qed(by=[cauchy_schwarz(moved, t3.E_s)]),
)
PS29_C = _link(
    "ps-29.c",
    "Steps on a simplex are at most 2",
    "E_s ||w^{s+1} - w^s|| <= 2 E_s",
    le(t3.E_s * moved, 2 * t3.E_s),
    qed(by=[supposed(WITHIN.key)]),
    given=(t3.SIMPLEX, WITHIN),
)
_OF_29 = tuple(premise(of) for of in (PS27_A, PS27_B, PS29_A, PS29_B, PS29_C))
PS29_D = _link(
    "ps-29.d",
    "Stationarity by descent and error",
    "||w^s - Proj(w^s - eta grad F^)||^2/(4 eta) <= F^(w^s) - F^(w^{s+1}) + 2 E_s + eta E_s^2/2",
    le(station2 / (4 * eta), F_w - F_next + 2 * t3.E_s + eta * p.err2 / 2),
    qed(by=[supposed(of.key) for of in _OF_29]),
    given=_OF_29,
    setting=Setting(measured=(station2, moved2, parted2, pull, p.err2, F_w, F_next)),
    follows_from=("ps-27.a", "ps-27.b", "ps-29.a", "ps-29.b", "ps-29.c"),
    note="The print leaves out the step -eta grad F^ inside Proj, without which the left side is 0.",
)
#: What an iteration gives without the distances on the simplex.
STEP = _link(
    "thm4.0.step",
    "Stationarity by descent and squared error",
    "||w^s - Proj(w^s - eta grad F^)||^2/eta^2 <= (4/eta) (F^(w^s) - F^(w^{s+1})) + (12/7) E_s^2",
    le(station2 / eta**2, 4 / eta * (F_w - F_next) + _R(12, 7) * p.err2),
    have("(54)", PS28_B.statement, by=[cite(PS28_B)]),
    have("step", le(t3.ell, 1 / (3 * eta)), by=[supposed(t3.ANY_ETA.key)]),
    have("(55), better", le(F_next - F_w, along + moved2 / (6 * eta)), by=[smooth("F", "w", "w+"), "step"]),
    have("parted", le(parted2 + eta * dot(e, w_next - exact), 0), by=[projection("W", "w+", "w~")]),
    qed(by=["(54)", "(55), better", "parted"], multipliers=[4 / eta, 4 / eta, _R(12, 7) / eta**2]),
    given=(*_STEP, t3.ANY_SMOOTH, t3.ANY_ETA),
    setting=replace(ITERATION, free=(t3.ell,)),
    follows_from=("ps-28.b",),
    note="Not in the paper. It needs no bound on the distance of two points of the simplex, and is for any constant "
    "with which F^ is smooth.",
)

# --- all iterations

F_at = sp.Function("F_w", real=True)
station_at = sp.Function("station2", nonnegative=True)
ITERATIONS = replace(
    ITERATION,
    sequences={
        F_w: F_at(s),
        F_next: F_at(s + 1),
        station2: station_at(s),
        p.err2: t3.err2_at(s),
        t3.E_s: t3.E_at(s),
        gap_start: F_at(0) - t3.F_min,
        station_out: sp.Sum(station_at(s), t3.OVER) / S,
        total_E: sp.Sum(t3.E_at(s), t3.OVER),
        total_E2: sp.Sum(t3.err2_at(s), t3.OVER),
    },
    measured=(gap_start, station_out, total_E, total_E2),
    fixed=(eta, t3.F_min),
)
_RUN = (*_SMOOTH, t3.BEST, t3.ETA)
PS30 = p.composite("ps-30", _PLACE, "Average and errors over all iterations", "The two last displays of the proof")
_AVERAGE = 4 / (eta * S) * gap_start


def _by_steps(constant: sp.Symbol) -> tuple[Part, ...]:
    """The average over the iterations, where F^ is smooth with this constant."""
    return (
        have("step", STEP.statement, by=[cite(STEP, at={t3.ell: constant})]),
        have(
            "iteration s",
            le(station_at(s) / eta**2, 4 / eta * (F_at(s) - F_at(s + 1)) + _R(12, 7) * t3.err2_at(s)),
            by=["step", SEQUENCES],
        ),
        summed("all iterations", "iteration s", over=s, start=0, last=S - 1),
        have("F >= F^(w^)", ge(F_w, t3.F_min), by=[infimum("F", "w")]),
        have("F at s", ge(F_at(s), t3.F_min), by=["F >= F^(w^)", SEQUENCES]),
        special("the last value", "F at s", {s: S}),
        have(
            "average",
            le(station_out / eta**2, _AVERAGE + _R(12, 7) * total_E2 / S),
            by=["all iterations", "the last value", SEQUENCES],
        ),
    )


PS30_A = _stated(
    "ps-30.a",
    "eta^-2 E||w^sbar - Proj(w^sbar - eta grad F^)||^2 <= 4/(eta S) [F^(w^0) - F^(w^)] + 8/(eta S) sum_s E E_s + (2/S) "
    "sum_s E E_s^2",
    le(station_out / eta**2, _AVERAGE + 8 / (eta * S) * total_E + 2 / S * total_E2),
    kind=Kind.BOUND,
    title="Average over the iterations",
    hypotheses=_RUN,
    where=t3.WHERE,
    follows_from=("ps-29.d",),
    note="The print leaves out the step -eta grad F^ inside Proj, without which the left side is 0. By thm4.0.step the "
    "sum of the E_s is not needed.",
    reading=Reading.REPAIRED,
    setting=ITERATIONS,
    proof=Proof(
        *_by_steps(p.l_F),
        have("lengths", ge(t3.E_at(s), 0)),
        summed("all lengths", "lengths", over=s, start=0, last=S - 1),
        have("squares", ge(t3.err2_at(s), 0)),
        summed("all squares", "squares", over=s, start=0, last=S - 1),
        qed(by=["average", "all lengths", "all squares", SEQUENCES]),
    ),
)
ERRORS = t3.falling("E E_s^2", t3.err2_at(s), 1, 2)
_LOG = _AVERAGE + 8 * sp.log(S) / (eta * S) + sp.pi**2 / (3 * S)
_LOG_TEXT = "4/(eta S) [F^(w^0) - F^(w^)] + 8 log(S)/(eta S) + pi^2/(3 S)"
_LEFT_TEXT = "eta^-2 E||w^sbar - Proj(w^sbar - eta grad F^)||^2"
LENGTHS = t3.falling("E E_s", t3.E_at(s), 1, 1)
_ONE_MORE = le(station_out / eta**2, _AVERAGE + 8 * (1 + sp.log(S)) / (eta * S) + sp.pi**2 / (3 * S))
_ABOVE_LOG = "the sum of 1/(s+1) over s < S is above log(S) for every S"
_BEFORE = "the display before with E E_s <= 1/(s+1), the sum of which is at most 1 + log(S)"
PS30_B = _stated(
    "ps-30.b",
    f"With E E_s^2 <= 1/(s+1)^2 this implies {_LEFT_TEXT} <= {_LOG_TEXT}",
    le(station_out / eta**2, _LOG),
    title="Errors that fall like 1/s, summed",
    hypotheses=(premise(PS30_A), ERRORS, LENGTHS),
    follows_from=("ps-30.a",),
    note="What it states is true of the method (fedweight.thm4.0), but does not follow from the display before.",
    reading=Reading.REPAIRED,
    switches=(misprint("1 + log(S) in the place of log(S)", _ABOVE_LOG, _ONE_MORE, _BEFORE),),
    setting=Setting(
        sequences={of: ITERATIONS.sequences[of] for of in (total_E, total_E2)},
        measured=(gap_start, station_out, total_E, total_E2),
        fixed=(eta,),
    ),
)
_SQUARES = (
    have(
        "error at s", le(t3.err2_at(s), (s + 1) ** -2), by=[supposed(ERRORS.key, {s: s}), SEQUENCES], when=t3.IN_RANGE
    ),
    summed("squares", "error at s", over=s, start=0, last=S - 1),
    *t3.summed_up("sum of squares", (s + 1) ** -2, sp.pi**2 / 6),
)
PS30_B_CORRECTED = restated(
    PS30_B,
    text=f"With E E_s^2 <= 1/(s+1)^2 this implies {_LEFT_TEXT} <= 4/(eta S) [F^(w^0) - F^(w^)] + 8 (1 + log(S))"
    "/(eta S) + pi^2/(3 S)",
    note="The method has less, as fedweight.thm4.0.sharp says: the errors need not enter by their lengths.",
    proof=Proof(
        *_SQUARES,
        have(
            "length at s", le(t3.E_at(s), 1 / (s + 1)), by=[supposed(LENGTHS.key, {s: s}), SEQUENCES], when=t3.IN_RANGE
        ),
        summed("lengths", "length at s", over=s, start=0, last=S - 1),
        *t3.summed_up("sum of lengths", 1 / (s + 1), 1 + sp.log(t3.horizon)),
        qed(by=[supposed("ps-30.a"), "squares", "sum of squares", "lengths", "sum of lengths", SEQUENCES]),
    ),
)
_SHARP = _AVERAGE + 2 * sp.pi**2 / (7 * S)
THM4_0_SHARP = _stated(
    "thm4.0.sharp",
    f"With E E_s^2 <= 1/(s+1)^2, {_LEFT_TEXT} <= 4/(eta S) [F^(w^0) - F^(w^)] + 2 pi^2/(7 S)",
    le(station_out / eta**2, _SHARP),
    kind=Kind.BOUND,
    title="Stationarity after S iterations, without logarithm",
    hypotheses=(*_STEP, t3.ANY_SMOOTH, t3.BEST, t3.ANY_ETA, ERRORS),
    follows_from=("thm4.0.step", "lem4.c", "lem4.d"),
    note="Not in the paper. It needs no bound on the distance of two points of the simplex, and is for any constant "
    "with which F^ is smooth.",
    setting=replace(ITERATIONS, free=(t3.ell,)),
    proof=Proof(*_by_steps(t3.ell), *_SQUARES, qed(by=["average", "squares", "sum of squares", SEQUENCES])),
)
THM4_0 = _stated(
    "thm4.0",
    f"With E E_s^2 <= 1/(s+1)^2, {_LEFT_TEXT} <= {_LOG_TEXT}",
    le(station_out / eta**2, _LOG),
    kind=Kind.BOUND,
    title="Stationarity after S iterations",
    hypotheses=(*_RUN, ERRORS),
    where=t3.WHERE,
    follows_from=("lem1.i", "thm4.0.sharp"),
    note="The print leaves out the step -eta grad F^ inside Proj, without which the left side is 0. The logarithm is "
    "not needed (fedweight.thm4.0.sharp).",
    reading=Reading.REPAIRED,
    setting=ITERATIONS,
    proof=Proof(
        have("sharp", THM4_0_SHARP.statement, by=[cite(THM4_0_SHARP, at={t3.ell: p.l_F}), SEQUENCES]),
        logarithm("log S", S, below=True),
        have("log S >= 0", ge(sp.log(S), 0), by=["log S"]),
        qed(by=["sharp", "log S >= 0", SEQUENCES]),
    ),
)

# --- rounds of communication

RANGE = p.H_("F^ in [0, 1]", "F^(w^0) - F^(w^) <= 1, as losses lie in [0, 1]", le(gap_start, 1))
_FIRST = 4 / eta + 2 * sp.pi**2 / 7
_rate = partial(
    t3.rates,
    shown=THM4_0_SHARP,
    errors=ERRORS,
    more=(RANGE,),
    setting=replace(
        ITERATIONS, counts=(t3.N, S), rounds={t3.N_acc: Rounds(sp.sqrt(station_out) / eta, t3.N, t3.eps, t3.HELD)}
    ),
)


def _in_rounds(power: int, each: sp.Expr) -> tuple[Part, ...]:
    """From iterations to rounds, which grow with this power of S and are ``each`` times that."""
    terms = sp.expand(_FIRST**power * each / t3.N)
    return (
        section("From iterations to rounds"),
        have("square", le(station_out / eta**2, _FIRST / S), by=["after S iterations", supposed(RANGE.key)]),
        have("powers", le((_FIRST / S) ** power, terms), by=["rounds", "log N >= 0"]),
        raised("few iterations", "powers", to=_R(1, power)),
        have("bound", le(station_out / eta**2, terms ** _R(1, power)), by=["square", "few iterations"]),
        raised("root", "bound", to=_R(1, 2), by=["log N >= 0"]),
        exponents("all rounds", "root", by=["log N >= 0"]),
    )


_ONE, _ONE_STEPS, _each = t3.rounds_of_one(2)
THM4_I, THM4_I_CORRECTED = _rate(
    "thm4.i",
    "With tau = 1, gamma = gamma_0 and T_s = ln(A_1 (s+1)^2/gamma_0)/(gamma_0 mu), Algorithm 3 finds an eps-stationary "
    "solution with O~(eps^-2) rounds of communication",
    "Rounds without convexity, communication in every step",
    (t3.ETA, sch.ONE_STEP, lemma4.STEP_0, _ONE),
    t3.eps**-2 * sp.log(1 + 1 / t3.eps),
    *_ONE_STEPS,
    *_in_rounds(1, _each),
    links=("thm4.0", "lem4", "ps-31.a", "ps-31.b", "ps-31.d", "ps-26.f"),
    part=lemma4.LEM4_C,
)
_MORE, _MORE_STEPS, _each = t3.rounds_of_more(2)
THM4_II, THM4_II_CORRECTED = _rate(
    "thm4.ii",
    "With tau > 1, gamma = 1/M_s and T_s = M_s ln(M_s^3)/mu, M_s as in (51), Algorithm 3 finds an eps-stationary "
    "solution with O~(eps^-4) rounds of communication",
    "Rounds without convexity, several local steps",
    (t3.ETA, sch.MORE_STEPS, t3.STEPS, _MORE),
    t3.eps**-4 * sp.log(1 + 1 / t3.eps),
    *_MORE_STEPS,
    *_in_rounds(2, _each),
    links=("thm4.0", "lem4", "ps-31.a", "ps-31.c", "ps-31.e", "ps-31.f", "ps-26.f"),
    part=lemma4.LEM4_D,
)

# --- what the proof says of iterations and calls

PS31 = p.composite(
    "ps-31",
    _PLACE,
    "Iterations, errors and calls without convexity",
    "The sentences after the last display: iterations, errors, calls, sums",
)
PS31_A = _stated(
    "ps-31.a",
    "If E E_s^2 <= 1/(s+1)^2, Algorithm 3 finds an eps-stationary solution in O~(eps^-2) iterations",
    le(t3.S_acc, C_O * t3.eps**-2 * sp.log(1 + 1 / t3.eps)),
    kind=Kind.COMPLEXITY,
    title="Iterations for objectives that are not convex",
    hypotheses=(premise(THM4_0),),
    follows_from=("thm4.0",),
    explicit="thm4.0",
    setting=Setting(counts=(S,), rounds={t3.S_acc: Rounds(sp.sqrt(station_out) / eta, S, t3.eps, (eta, gap_start))}),
    proof=Proof(
        have("log S >= 0", ge(sp.log(S), 0)),
        have("gap", ge(gap_start, 0)),
        have("square", le(station_out / eta**2, _LOG), by=[supposed("thm4.0")]),
        raised("root", "square", to=_R(1, 2), by=["log S >= 0", "gap"]),
        exponents("iterations", "root", by=["log S >= 0", "gap"]),
    ),
)
PS31_B, PS31_B_CORRECTED = t3.errors_of_lemma_4("ps-31.b", _PLACE, 2, 2, "tau = 1")
PS31_C, PS31_C_CORRECTED = t3.errors_of_lemma_4(
    "ps-31.c",
    _PLACE,
    2,
    4,
    "tau > 1",
    "It is said of T_s = M'_s ln(M'_s)/mu, where the theorem and Lemma 4 have ln(M'_s^3).",
)
PS31_D = t3.short_calls("ps-31.d", _PLACE, 2)
PS31_E, PS31_E_CORRECTED = t3.long_calls("ps-31.e", _PLACE, 2)
PS31_F = _stated(
    "ps-31.f",
    "Rounds of S iterations that take O(s) each are O(S^2): sum_{s=1}^S s <= S^2",
    le(sp.Sum(s, (s, 1, S)), S**2),
    title="Sum of s over the iterations",
    proof=Proof(
        total("sum", le(sp.Sum(s, (s, 1, t3.horizon)), t3.horizon**2), t3.horizon),
        special("sum of S", "sum", {t3.horizon: S}),
        qed(by=["sum of S"]),
    ),
)
CLAIMS = claims_in(globals())
