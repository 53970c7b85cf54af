"""Theorem 3: the accelerated method for convex ``F^``, and the recursion of its proof.

An iteration takes a step from ``w`` and one from ``w_md``, with a hypergradient whose error is ``E_s``. The printed
recursion has 16 where line 13 of Algorithm 2 gives 4. With 16 it is false, as an error may lead away from ``w^``, and
the difference of distances is negative then. The bound of the proof holds all the same, and with ``1 + log S`` in the
place of ``log S`` also for the errors ``(s + 1)^-2`` that Lemma 4 gives, which the proof takes for ``(s + 2)^-2``.

The theorem supposes A1 alone. Where the center is much steeper than the nodes the printed step is too long, and the
weights jump from node to node for ever. They do so too where the center is no steeper, the nodes are many and l_2 is
large: the step has the sqrt(K) of (12). With the constant of Lemma 1 as corrected, and what Lemma 4 says of errors,
the rates hold.
"""

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any

import sympy as sp

from rateproof.theory.algebra import each_side
from rateproof.theory.assumptions import BoundedBelow, ClosedConvex, Convex, EveryRound, Smooth
from rateproof.theory.claim import Claim, Hypothesis, Kind, Reading, Reason, Switch, conjuncts
from rateproof.theory.gram import dot, norm2, vectors
from rateproof.theory.papers.fedweight import lemma1, lemma4
from rateproof.theory.papers.fedweight import notation as p
from rateproof.theory.papers.fedweight import schedules as sch
from rateproof.theory.proof import (
    SEQUENCES,
    Part,
    Proof,
    Rounds,
    Setting,
    cauchy_schwarz,
    cite,
    convex,
    exponents,
    have,
    logarithm,
    projection,
    qed,
    raised,
    section,
    smooth,
    special,
    split,
    summed,
    supposed,
    total,
)
from rateproof.theory.shorthand import amended, claims_in, eq, every, ge, le, misprint, premise, restated
from rateproof.theory.symbols import C_O, COUNT, NONNEG, POS
from rateproof.theory.units import ONE

_R = sp.Rational
eta, s, S = p.eta, p.s, p.S

# --- what is measured, in the mean over the draws of Local-SVRG

E_s = p.declare("E_s", "E ||grad F^ - gradbar F^||, at the point of iteration s", p.LOSS, latex="E[E_s]", **NONNEG)
near2, near2_next, start2 = p.worded(
    ONE,
    near2=("E ||w^ - w^s||^2", r"E\|\hat w-w^{(s)}\|^2"),
    near2_next=("E ||w^ - w^{s+1}||^2", r"E\|\hat w-w^{(s+1)}\|^2"),
    start2=("||w^ - w^0||^2", r"\|\hat w-w^{(0)}\|^2"),
)
near = p.declare("near", "||w^ - w^{s+1}||, or a bound on it", latex=r"\|\hat w-w^{(s+1)}\|", **NONNEG)
F_ag, F_next, F_min, F_md, gap_out = (
    p.declare(name, text, p.LOSS, latex=latex)
    for name, text, latex in (
        ("F_ag", "E F^(w_ag^s)", r"E\widehat F(w_{\rm ag}^{(s)})"),
        ("F_ag_next", "E F^(w_ag^{s+1})", r"E\widehat F(w_{\rm ag}^{(s+1)})"),
        ("F_min", "F^(w^)", r"\widehat F(\hat w)"),
        ("F_md", "E F^(w_md^s)", r"E\widehat F(w_{\rm md}^{(s)})"),
        ("gap_ag", "E F^(w_ag^S) - F^(w^)", r"E[\widehat F(w_{\rm ag}^{(S)})-\widehat F(\hat w)]"),
    )
)
sum_E = p.declare(
    "sum_E", "sum over s < S of 2 (s + 1) (E E_s^2)^(1/2)", p.LOSS, latex=r"\sum_s2(s+1)\sqrt{E[E_s^2]}", **NONNEG
)
sum_E2 = p.declare(
    "sum_E2",
    "sum over s < S of (s + 1)(s + 2)/4 E E_s^2",
    p.LOSS**2,
    latex=r"\sum_s\tfrac{(s+1)(s+2)}4E[E_s^2]",
    **NONNEG,
)

# --- one iteration

w, ag, g, e, w_next, ag_next, best = vectors("w ag g e w+ ag+ w^")
_alpha, _step = 2 / (s + 2), eta * (s + 1) / 4
_md, _bar = _alpha * w + (1 - _alpha) * ag, g + e
ITERATION = Setting(
    depends={"w": "past", "ag": "past", "e": "past xi", "w^": ""},
    functions={
        "F": {"md": (_md, g, F_md), "ag": (ag, None, F_ag), "ag+": (ag_next, None, F_next), "w^": (best, None, F_min)},
        "W": {
            **{name: (x, x, None) for name, x in (("w", w), ("ag", ag), ("md", _md), ("w^", best))},
            "w+": (w - _step * _bar, w_next, None),
            "ag+": (_md - eta * _bar, ag_next, None),
        },
    },
    metrics={near2: norm2(best - w), near2_next: norm2(best - w_next), p.err2: norm2(e)},
    lengths={E_s: e},
    bounds={near: best - w_next},
    measured=(gap_out,),
    words={
        "F": "the empirical objective",
        "W": "the capped simplex",
        "w": "the weights before the iteration",
        "ag": "the aggregated weights before the iteration",
        "e": "the error of the hypergradient",
        "w^": "the best weights",
        "past": "what was drawn before the iteration",
        "xi": "what Local-SVRG draws in it",
    },
)
SMOOTH_F = p.H_(
    "F^ smooth", "F^ is l_F-smooth on the capped simplex, with l_F as in (12)", None, Smooth("F", p.l_F, on="W")
)
CONVEX_F = p.H_("F^ convex", "F^ is convex", None, Convex("F"))
SIMPLEX = p.H_("simplex", "the weights lie in the capped simplex, which is closed and convex", None, ClosedConvex("W"))
BEST = p.H_("best w^", "w^ minimises F^ over the capped simplex", None, BoundedBelow("F"))
ETA = p.H_("eta=1/(3 l_F)", "eta = 1/(3 l_F)", eq(3 * eta * p.l_F, 1))
RUN = p.H_("Algorithm 2", "w and w_ag are those of Algorithm 2, whatever the error E_s of its hypergradient at w_md")
L_F_NOTE = (
    "That F^ is l_F-smooth with (12) is Lemma 1, which is false. With the constant of fedweight.lem1.i.corrected as "
    "l_F, in eta too, the statement and its proof stay."
)
#: Our own bounds are for any constant with which F^ is smooth.
ell = p.declare("l_any", "a constant with which F^ is smooth", p.LOSS, latex=r"\ell", **POS)
ANY_SMOOTH = p.H_("F^ is l-smooth", "F^ is l-smooth on the capped simplex", None, Smooth("F", ell, on="W"))
ANY_ETA = p.H_("eta=1/(3 l)", "eta = 1/(3 l)", eq(3 * eta * ell, 1))
WITHIN = p.H_("||w^-w||<=2", "w^ and w^{s+1} lie on a simplex, so that ||w^ - w^{s+1}|| <= 2", le(near, 2))
WHERE = {p.l_F: p.DEFINED[p.l_F]}
_STEP = (*p.A1, SMOOTH_F, CONVEX_F, SIMPLEX, BEST, ETA, RUN)
_ANY_STEP = (*p.A1, ANY_SMOOTH, CONVEX_F, SIMPLEX, BEST, ANY_ETA, RUN)
_PLACE = "proof of Theorem 3"
_stated = partial(p.stated, _PLACE)


def _recursion(constant: int, error: sp.Expr) -> sp.Rel:
    moved = constant / (eta * (s + 1) * (s + 2)) * (near2 - near2_next)
    return le(F_next, s / (s + 2) * F_ag + _alpha * F_min + moved + error + eta / 2 * p.err2)


def _text(constant: int, error: str) -> str:
    return (
        f"F^(w_ag^{{s+1}}) <= s/(s+2) F^(w_ag^s) + 2/(s+2) F^(w^) + {constant}/(eta (s+1)(s+2)) (||w^ - w^s||^2 - "
        f"||w^ - w^{{s+1}}||^2) + {error} + (eta/2) E_s^2"
    )


FOUR = "4 in the place of 16"
FROM_LINE_13 = "line 13 of Algorithm 2 is a step of eta (s+1)/4, and 2/(s+2) times 2/(eta (s+1)) is 4/(eta (s+1)(s+2))"
LINE_13 = "Algorithm 2, line 13"
PS23 = p.composite("ps-23", _PLACE, "Both inequalities of the recursion", "The recursion of (2.51) of its source")
_near_E, _two_E = _alpha * near * E_s, 2 * _alpha * E_s
PS23_A = _stated(
    "ps-23.a",
    _text(16, "2/(s+2) ||w^ - w^{s+1}|| E_s"),
    _recursion(16, _near_E),
    title="Recursion of the accelerated method",
    hypotheses=_STEP,
    where=WHERE,
    follows_from=("lem1.i",),
    switches=(misprint(FOUR, FROM_LINE_13, _recursion(4, _near_E), LINE_13),),
    note="Said in the mean over what Local-SVRG draws in iteration s, of which one outcome is a case. 16 is what "
    "line 13 would give with 8/(eta (s+1)) in the place of 2/(eta (s+1)).",
    setting=ITERATION,
)


def _lines(constant: sp.Symbol, step: Hypothesis) -> tuple[Part, ...]:
    """What an iteration gives with this constant of F^ in its step."""
    return (
        have(
            "below",
            le(F_md + dot(g, (1 - _alpha) * ag + _alpha * best - _md), s / (s + 2) * F_ag + _alpha * F_min),
            by=[convex("F", "md", "ag", "w^")],
        ),
        have("short step", le(eta * constant, 1), by=[supposed(step.key)]),
        have(
            "descent",
            le(F_next, F_md + dot(g, ag_next - _md) + norm2(ag_next - _md) / (2 * eta)),
            by=[smooth("F", "md", "ag+"), "short step"],
        ),
        have(
            "line 14",
            le(dot(_md - eta * _bar - ag_next, (1 - _alpha) * ag + _alpha * w_next - ag_next), 0),
            by=[projection("W", "ag+", "ag", "w+")],
        ),
        have("line 13", le(dot(w - _step * _bar - w_next, best - w_next), 0), by=[projection("W", "w+", "w^")]),
    )


PS23_A_CORRECTED = restated(
    PS23_A,
    text=_text(4, "2/(s+2) ||w^ - w^{s+1}|| E_s"),
    follows_from=("lem1.i.corrected",),
    note=L_F_NOTE,
    proof=Proof(
        *_lines(p.l_F, ETA),
        have("error", le(dot(e, best - w_next), near * E_s), by=[cauchy_schwarz(near, E_s)]),
        qed(
            by=["below", "descent", "line 14", "line 13", "error"], multipliers=[1, 1, 1 / eta, _alpha / _step, _alpha]
        ),
    ),
)
_FIRST = s / (s + 2) * F_ag + _alpha * F_min + 16 / (eta * (s + 1) * (s + 2)) * (near2 - near2_next)
PS23_B = _stated(
    "ps-23.b",
    "The right side of the recursion with ||w^ - w^{s+1}|| is at most that with 2 in its place",
    le(_FIRST + _near_E + eta / 2 * p.err2, _FIRST + _two_E + eta / 2 * p.err2),
    title="Distances on a simplex are at most 2",
    hypotheses=(WITHIN,),
    setting=Setting(measured=(F_ag, F_min, near2, near2_next, p.err2)),
    proof=Proof(qed(by=[supposed(WITHIN.key)])),
)

# --- all iterations

PS24 = p.composite("ps-24", _PLACE, "Recursion, multiplied and summed", "The recursion times (s+1)(s+2)/2, and its sum")


def _multiplied(constant: int) -> sp.Rel:
    moved = constant / eta * (near2 - near2_next)
    errors = 2 * (s + 1) * E_s + eta * (s + 1) * (s + 2) / 4 * p.err2
    return le((s + 1) * (s + 2) / 2 * (F_next - F_min), s * (s + 1) / 2 * (F_ag - F_min) + moved + errors)


def _multiplied_text(constant: int) -> str:
    return (
        "(s+1)(s+2)/2 [F^(w_ag^{s+1}) - F^(w^)] <= s(s+1)/2 [F^(w_ag^s) - F^(w^)] + "
        f"({constant}/eta) (||w^ - w^s||^2 - ||w^ - w^{{s+1}}||^2) + 2 (s+1) E_s + eta (s+1)(s+2)/4 E_s^2"
    )


PS24_A = _stated(
    "ps-24.a",
    _multiplied_text(8),
    _multiplied(8),
    title="Recursion times (s+1)(s+2)/2",
    hypotheses=(*_STEP, WITHIN),
    where=WHERE,
    follows_from=("ps-23.a", "ps-23.b"),
    switches=(misprint("2 in the place of 8", FROM_LINE_13, _multiplied(2), LINE_13),),
    setting=ITERATION,
)
PS24_A_CORRECTED = restated(
    PS24_A,
    text=_multiplied_text(2),
    follows_from=("ps-23.a.corrected", "ps-23.b"),
    proof=Proof(
        have("recursion", PS23_A_CORRECTED.statement, by=[cite(PS23_A_CORRECTED)]),
        qed(by=["recursion", supposed(WITHIN.key)]),
    ),
)

#: Terms of the iterations.
F_at = sp.Function("F_ag", real=True)
near2_at, near_at, err2_at, E_at, root_at = (
    sp.Function(name, nonnegative=True) for name in ("near2", "near", "err2", "E", "root_err2")
)
OVER = (s, 0, S - 1)
IN_RANGE = (le(s, S - 1),)


ITERATIONS = replace(
    ITERATION,
    sequences={
        F_ag: F_at(s),
        F_next: F_at(s + 1),
        near2: near2_at(s),
        near2_next: near2_at(s + 1),
        start2: near2_at(0),
        p.err2: err2_at(s),
        E_s: E_at(s),
        near: near_at(s),
        gap_out: F_at(S) - F_min,
        sum_E: sp.Sum(2 * (s + 1) * root_at(s), OVER),
        sum_E2: sp.Sum((s + 1) * (s + 2) / 4 * err2_at(s), OVER),
    },
    measured=(gap_out, sum_E, sum_E2, start2),
    fixed=(eta, F_min),
)
START = p.H_("||w^-w^0||^2<=2", "w^ and w^0 lie on a simplex, so that ||w^ - w^0||^2 <= 2", le(start2, 2))


def at_all(key: str, text: str, name: str, relation: sp.Rel, *last: sp.Expr) -> Hypothesis:
    """A hypothesis about every iteration, up to the last one that counts."""
    return p.H_(key, text, None, EveryRound(name, relation, s, *((sp.S.Zero, *last) if last else ())))


def falling(what: str, of: sp.Expr, later: int, order: int) -> Hypothesis:
    """That something is at most ``(s + later)^-order`` in all iterations."""
    bound = f"1/(s+{later})" + (f"^{order}" if order > 1 else "")
    return at_all(
        f"{what}<={bound}",
        f"{what} <= {bound} for s = 0, ..., S - 1",
        str(of.func),
        le(of, (s + later) ** -order),
        S - 1,
    )


ALWAYS_WITHIN = at_all("||w^-w^{s+1}||<=2 for all s", WITHIN.text, "near", le(near_at(s), 2))
JENSEN = at_all(
    "E E_s<=(E E_s^2)^(1/2)", "the mean of E_s is at most the root of that of E_s^2", "E_s", le(E_at(s), root_at(s))
)
PS24_B = _stated(
    "ps-24.b",
    "S(S+1)/2 E[F^(w_ag^S) - F^(w^)] <= 16/eta + sum_s 2 (s+1) (E E_s^2)^(1/2) + sum_s eta (s+1)(s+2)/4 E E_s^2",
    le(S * (S + 1) / 2 * gap_out, 16 / eta + sum_E + eta * sum_E2),
    title="Sum over the iterations",
    hypotheses=(*_STEP, ALWAYS_WITHIN, START, JENSEN),
    where=WHERE,
    follows_from=("ps-24.a.corrected",),
    note="The distances come with 8 in the display before, of which 16/eta is the sum. They need 4/eta only.",
    setting=ITERATIONS,
    proof=Proof(
        have("within", le(near, 2), by=[supposed(ALWAYS_WITHIN.key, {s: s}), SEQUENCES]),
        have("multiplied", PS24_A_CORRECTED.statement, by=[cite(PS24_A_CORRECTED), "within"]),
        have("Jensen", le(E_at(s), root_at(s)), by=[supposed(JENSEN.key, {s: s}), SEQUENCES]),
        have(
            "iteration s",
            le(
                (s + 1) * (s + 2) / 2 * (F_at(s + 1) - F_min) - s * (s + 1) / 2 * (F_at(s) - F_min),
                2 / eta * (near2_at(s) - near2_at(s + 1))
                + 2 * (s + 1) * root_at(s)
                + eta * (s + 1) * (s + 2) / 4 * err2_at(s),
            ),
            by=["multiplied", "Jensen", SEQUENCES],
        ),
        summed("all iterations", "iteration s", over=s, start=0, last=S - 1),
        have("nearness", ge(near2_at(s), 0)),
        special("the last", "nearness", {s: S}),
        qed(by=["all iterations", "the last", supposed(START.key), SEQUENCES]),
    ),
)
ERRORS, ERRORS_LEMMA4 = (falling("E E_s^2", err2_at(s), later, 4) for later in (2, 1))
ALL_NEAR = at_all(
    "||w^-w^s||^2<=2", "w^ and all w^s lie on a simplex, so that ||w^ - w^s||^2 <= 2", "near2", le(near2_at(s), 2)
)


def _by_young(later: int) -> tuple[Part, ...]:
    """The sum of the iterations with errors of at most (s + later)^-2, by Young's inequality for error and distance."""
    size = (s + later) ** -2
    known, given = (ERRORS, (p.l_F, ETA)) if later == 2 else (ERRORS_LEMMA4, (ell, ANY_ETA))
    return (
        section("One iteration"),
        *_lines(*given),
        have("Young", le(2 * dot(e, best - w_next), p.err2 / size + size * near2_next)),
        have(
            "one iteration",
            le(
                F_next,
                s / (s + 2) * F_ag
                + _alpha * F_min
                + 4 / (eta * (s + 1) * (s + 2)) * (near2 - near2_next)
                + _alpha / 2 * (p.err2 / size + size * near2_next)
                + eta / 2 * p.err2,
            ),
            by=["below", "descent", "line 14", "line 13", "Young"],
            multipliers=[1, 1, 1 / eta, _alpha / _step, _alpha / 2],
        ),
        have("error at s", le(err2_at(s), size**2), by=[supposed(known.key, {s: s}), SEQUENCES], when=IN_RANGE),
        have("near at s+1", le(near2_at(s + 1), 2), by=[supposed(ALL_NEAR.key, {s: s + 1}), SEQUENCES], when=IN_RANGE),
        have(
            "iteration s",
            le(
                2 * (s + 1) * (s + 2) * (F_at(s + 1) - F_min) - 2 * s * (s + 1) * (F_at(s) - F_min),
                8 / eta * (near2_at(s) - near2_at(s + 1)) + (s + 1) * size * 6 + eta * (s + 1) * (s + 2) * size**2,
            ),
            by=["one iteration", "error at s", "near at s+1", SEQUENCES],
            when=IN_RANGE,
        ),
        section("All iterations"),
        summed("all iterations", "iteration s", over=s, start=0, last=S - 1),
        have("nearness", ge(near2_at(s), 0)),
        special("the last", "nearness", {s: S}),
        have("the first", le(near2_at(0), 2), by=[supposed(ALL_NEAR.key, {s: 0}), SEQUENCES]),
    )


#: Any number of iterations.
horizon = sp.Symbol("n", integer=True, positive=True)


def summed_up(name: str, term: sp.Expr, bound: sp.Expr) -> tuple[Part, ...]:
    """A bound on the sum of a term over the iterations, at n and at S of them."""
    most = total(f"{name} of n", le(sp.Sum(term, (s, 0, horizon - 1)), bound), horizon)
    return most, special(name, f"{name} of n", {horizon: S})


_LEFT_TEXT = "E[F^(w_ag^S) - F^(w^)]"
THM3_0 = _stated(
    "thm3.0",
    f"With E E_s^2 <= 1/(s+2)^4, {_LEFT_TEXT} <= 32/(eta S(S+1)) + 4 log(S)/(S(S+1)) + pi^2 eta/(12 S(S+1))",
    le(gap_out, 32 / (eta * S * (S + 1)) + 4 * sp.log(S) / (S * (S + 1)) + sp.pi**2 * eta / (12 * S * (S + 1))),
    kind=Kind.BOUND,
    title="Accuracy after S iterations",
    hypotheses=(*_STEP, ERRORS, ALL_NEAR),
    where=WHERE,
    follows_from=("lem1.i", "ps-23.a.corrected"),
    note=L_F_NOTE,
    setting=ITERATIONS,
    proof=Proof(
        *_by_young(2),
        section("The sums"),
        *summed_up("sum of errors", 3 * (s + 1) / (s + 2) ** 2, 4 * sp.log(horizon) + 1),
        *summed_up("sum of squares", (s + 1) / (s + 2) ** 3, _R(1, 2)),
        have("young", le(1, 24 / eta + eta / 2)),
        qed(by=["all iterations", "the last", "the first", "sum of errors", "sum of squares", "young", SEQUENCES]),
    ),
)
_SCALED = S * (S + 1)
THM3_0_LEMMA4 = _stated(
    "thm3.0.lemma4",
    f"With E E_s^2 <= 1/(s+1)^4, as Lemma 4 has it, {_LEFT_TEXT} <= 8/(eta S(S+1)) + 3 (1 + log(S))/(S(S+1)) + "
    "3 eta/(2 S(S+1))",
    le(gap_out, 8 / (eta * _SCALED) + 3 * (1 + sp.log(S)) / _SCALED + 3 * eta / (2 * _SCALED)),
    kind=Kind.BOUND,
    title="Accuracy with the errors of Lemma 4",
    hypotheses=(*_ANY_STEP, ERRORS_LEMMA4, ALL_NEAR),
    follows_from=("ps-23.a.corrected", "lem4.a", "lem4.b"),
    note="Not in the paper, whose proof takes 1/(s+2)^4 from Lemma 4. It is for any constant with which F^ is smooth.",
    setting=replace(ITERATIONS, free=(ell,)),
    proof=Proof(
        *_by_young(1),
        section("The sums"),
        *summed_up("sum of errors", 1 / (s + 1), sp.log(horizon) + 1),
        *summed_up("sum of squares", (s + 2) / (s + 1) ** 3, sp.S(3)),
        qed(by=["all iterations", "the last", "the first", "sum of errors", "sum of squares", SEQUENCES]),
    ),
)
ROOTS = falling("(E E_s^2)^(1/2)", root_at(s), 2, 2)
SUMS = Setting(
    sequences={of: ITERATIONS.sequences[of] for of in (sum_E, sum_E2)}, measured=(gap_out, sum_E, sum_E2), fixed=(eta,)
)
TWO_ITERATIONS = p.H_("S>=2", "S >= 2", ge(S, 2))
PS25 = _stated(
    "ps-25",
    f"With E E_s^2 <= 1/(s+2)^4 the sum over the iterations implies {_LEFT_TEXT} <= 32/(eta S(S+1)) + "
    "4 log(S)/(S(S+1)) + pi^2 eta/(12 S(S+1))",
    THM3_0.statement,
    title="Errors that fall like 1/s^2, summed",
    hypotheses=(premise(PS24_B), ERRORS, ROOTS),
    follows_from=("ps-24.b",),
    note="What it states is true of the method (fedweight.thm3.0). From the sum alone it follows for S >= 2; at S = 1 "
    "the sum of the errors is 1/2, and log(S) is 0.",
    switches=(
        Switch(
            "S",
            "any S",
            "S >= 2",
            "one iteration has an error, for which log(1) leaves no room",
            adding=(TWO_ITERATIONS,),
            origin="log(S) in the bound, which is 0 for S = 1",
        ),
    ),
    setting=SUMS,
)
_BY_SUMS = (
    have("root at s", le(root_at(s), (s + 2) ** -2), by=[supposed(ROOTS.key, {s: s}), SEQUENCES], when=IN_RANGE),
    have("a root", le(2 * (s + 1) * root_at(s), 2 * (s + 1) / (s + 2) ** 2), by=["root at s"], when=IN_RANGE),
    summed("roots", "a root", over=s, start=0, last=S - 1),
    have("error at s", le(err2_at(s), (s + 2) ** -4), by=[supposed(ERRORS.key, {s: s}), SEQUENCES], when=IN_RANGE),
    have(
        "a square", le((s + 1) * (s + 2) / 4 * err2_at(s), (s + 1) / (s + 2) ** 3 / 4), by=["error at s"], when=IN_RANGE
    ),
    summed("squares", "a square", over=s, start=0, last=S - 1),
)
PS25_CORRECTED = amended(
    PS25,
    "log(S) is 0 for S = 1, and the sum of 2 (s+1)/(s+2)^2 over s < S is 1/2",
    text="As printed, for S >= 2",
    hypotheses=(*PS25.hypotheses, TWO_ITERATIONS),
    note="For every S it holds with log(S+1) in place of log(S).",
    proof=Proof(
        *_BY_SUMS,
        *summed_up("sum of errors", (s + 1) / (s + 2) ** 2, sp.log(horizon) - _R(1, 4) + 1 / (2 * horizon)),
        *summed_up("sum of squares", (s + 1) / (s + 2) ** 3 / 4, _R(1, 8)),
        have("few", le(1 / S, _R(1, 2)), by=[supposed(TWO_ITERATIONS.key)]),
        qed(by=[supposed("ps-24.b"), "roots", "squares", "sum of errors", "sum of squares", "few", SEQUENCES]),
    ),
)

# --- rounds of communication

N = p.declare("N_rounds", "rounds of communication of all iterations", latex="N", **COUNT)
N_acc = p.declare("N_acc", "rounds of communication after which the accuracy is eps", latex=r"N_\epsilon", **POS)
c_more = p.declare("c_more", "rounds of an iteration outside of Local-SVRG", latex="c", **NONNEG)
m_all = p.declare(
    "M_root", "max{1/gamma_0, (A_1 + A_2 (tau - 1) + A_3 (tau - 1)^2)^(1/2)}", p.CURVATURE, latex=r"\bar m", **POS
)
eps = p.eps_opt
HELD = (eta, p.gamma, p.mu, p.tau, c_more, sch.A_1, m_all)
STEP_0 = p.H_("gamma is gamma_0", "gamma = gamma_0 of (17)")
STEPS = p.H_("gamma is 1/M_s", "gamma = 1/M_s in iteration s")
_CALLS = "an iteration takes floor(T_s/tau) rounds, T_s rounded up, for each of its two calls and c more, one at least"


def _counted(steps: sp.Expr) -> sp.Rel:
    """The rounds of S iterations are at most S times those of the last one, which takes the most."""
    return le(N, S * (2 * (steps + 1) / p.tau + c_more))


def _at_least_one(known: Hypothesis, counted: sp.Rel) -> tuple[Part, ...]:
    return (
        section("Rounds of an iteration"),
        have("iterations", ge(N, S), by=[supposed(known.key)]),
        have("counted", counted, by=[supposed(known.key)]),
        logarithm("log of N/S", N / S, below=True),
        have("log S", le(sp.log(S), sp.log(N)), by=["log of N/S", "iterations"]),
        have("log N >= 0", ge(sp.log(N), 0)),
    )


def rounds_of_one(order: int) -> tuple[Hypothesis, tuple[Part, ...], sp.Expr]:
    """The rounds for tau = 1: the hypothesis, why ``N <= S X``, and ``X``, which is linear in ``log N``."""
    counted = _counted((sp.log(sch.A_1) - sp.log(p.gamma) + order * sp.log(S)) / (p.gamma * p.mu))
    known = p.H_(
        f"rounds, tau=1, order {order}",
        f"T_s = ln(A_1 (s+1)^{order}/gamma)/(gamma mu); {_CALLS}",
        every(ge(N, S), counted),
    )
    each = 2 * sch.A_1 / (p.gamma**2 * p.mu * p.tau) + 2 / p.tau + c_more
    each += 2 * order / (p.gamma * p.mu * p.tau) * sp.log(N)
    steps = (
        *_at_least_one(known, counted),
        logarithm("log of A_1", sch.A_1 / p.gamma),
        have("rounds", le(N, S * each), by=["counted", "log S", "log of A_1"]),
    )
    return known, steps, each


def _power_of_s(power: int) -> str:
    """``(s + 1)^power`` in words."""
    return "(s+1)" if power == 1 else f"(s+1)^{power}"


def rounds_of_more(order: int) -> tuple[Hypothesis, tuple[Part, ...], sp.Expr]:
    """The same for tau > 1, with ``S^(1 + order/2)`` in the place of ``S``."""
    power, M = order // 2, sch.M
    counted, largest = _counted(3 * M * sp.log(M) / p.mu), le(M, S**power * m_all)
    known = p.H_(
        f"rounds, tau>1, order {order}",
        f"T_s = M_s ln(M_s^3)/mu, and M_s <= {_power_of_s(power)} m, m = max{{1/gamma_0, (A_1 + A_2 (tau - 1) + A_3 "
        f"(tau - 1)^2)^(1/2)}}; {_CALLS}",
        every(ge(N, S), counted, largest),
    )
    most = 3 * m_all * (m_all + power * sp.log(N)) / p.mu
    each = 2 * most / p.tau + 2 / p.tau + c_more
    steps = (
        *_at_least_one(known, counted),
        have("M", largest, by=[supposed(known.key)]),
        logarithm("log of M", S**power * m_all / M, below=True),
        logarithm("log of m", m_all),
        have("log M", le(sp.log(M), m_all + power * sp.log(N)), by=["M", "log of M", "log of m", "log S"]),
        have("call", le(3 * M * sp.log(M) / p.mu, S**power * most), by=["M", "log M", "log N >= 0"]),
        have("one", ge(S, 1)),
        have("rounds", le(N, S ** (1 + power) * each), by=["counted", "call", "one"]),
    )
    return known, steps, each


CALLS = p.H_("calls", "hypergradients come from two calls of Local-SVRG in each iteration, with T_s iterations each")

# --- the errors of the calls, by Lemma 4

T_at, M_at = sp.Function("T", integer=True, nonnegative=True), sp.Function("M", positive=True)


def _in_all(scheduled: Claim, at: Mapping[sp.Symbol, sp.Expr]) -> tuple[Hypothesis, ...]:
    """Its hypotheses, in all iterations those that speak of one."""
    found: list[Hypothesis] = []
    for h in (h for h in scheduled.hypotheses if h != lemma4.STEP_M):
        parts = conjuncts(h.relation)
        if not any(r.free_symbols & {p.err2, s, *at} for r in parts):
            found.append(h)
            continue
        placed = [each_side(r, lambda x: x.subs(at, simultaneous=True).subs(p.err2, err2_at(s))) for r in parts]
        rounds = tuple(EveryRound(f"{h.key} {n}", r, s, sp.S.Zero, S - 1) for n, r in enumerate(placed))
        # (47) speaks of another step where tau > 1
        key = f"{h.key} in all iterations" + (", tau>1" if p.gamma in at and h.key == "(47)" else "")
        found.append(replace(h, key=key, text=f"{h.text}, in all iterations", relation=None, says=rounds))
    return tuple(found)


INTERIOR = replace(lemma1.INTERIOR, key="interior of Theta", says=())
A5 = replace(p.A5, key="A5 of the losses")
SMOOTH_K = replace(
    SMOOTH_F,
    key="F^ smooth, with K",
    text="F^ is l_F-smooth on the capped simplex, with the l_F of (12) that has K in the place of sqrt(K)",
)
_WHY = "A1 bounds no slope of the center, and neither (12) nor Lemma 4 holds where it is steeper than the nodes"
_TOO_LONG = "the step has the sqrt(K) of (12), which should be K: for many nodes and a large l_2 it is too long"
_OTHERS = (
    "No other A_1, A_2, A_3 help as printed, as they enter T_s and M_s alone: larger ones bring calls nearer to exact "
    "hypergradients, with which the weights jump, too. Smaller ones bring them as near from a later iteration on."
)


def rates(
    cid: str,
    text: str,
    title: str,
    given: tuple[Hypothesis, ...],
    said: sp.Expr,
    *steps: Part,
    shown: Claim,
    errors: Hypothesis,
    part: Claim,
    links: tuple[str, ...],
    more: tuple[Hypothesis, ...] = (),
    note: str = "",
    **rest: Any,
) -> tuple[Claim, Claim]:
    """A theorem as printed, and with what its proof takes from Lemmas 1 and 4, which is another reading of it.

    Args:
        cid, text, title, given, said: of the printed claim, its hypotheses beside A1 and the order of the rounds.
        steps: the proof of the correction, after what is shown of S iterations.
        shown: our bound on what becomes small, on which the proof rests.
        errors: what it supposes of the errors.
        part: the part of Lemma 4 about the schedule.
        links: what the printed proof follows from.
        more: what the proof takes besides from A1.
        note, rest: other fields of the printed claim.
    """
    scheduled = lemma4.scheduled(part)
    order = -conjuncts(part.statement)[0].rhs.exp
    at = {p.T: T_at(s)} | ({sch.M: M_at(s), p.gamma: 1 / M_at(s)} if sch.MORE_STEPS in given else {})
    known = tuple(h for h in (*_in_all(scheduled, at), *shown.hypotheses, *more) if h not in (*p.A1, *given, errors))
    known = tuple(SMOOTH_F if h == ANY_SMOOTH else h for h in known if h != ANY_ETA)
    supposed_ = Switch(
        "Lemmas 1 and 4",
        "of A1",
        "supposed",
        _WHY,
        without=(CALLS.key,),
        adding=known,
        origin="its proof, which takes the smoothness of F^ from a lemma, and errors from Lemma 4",
    )
    text = f"{text}. There A_1, A_2 and A_3 are some constants that depend on l_0, l_1, l_2, mu, R, q and K alone"
    why = f"Section F.2 bounds the slope of the center by l_0, because of Assumption 1; {_TOO_LONG} then, too"
    center = replace(lemma4.CENTER, why=why, adding=(p.LIPSCHITZ_0,), origin="")
    printed = p.claim(
        cid,
        f"Theorem {cid[3]}",
        Kind.COMPLEXITY,
        text,
        le(N_acc, C_O * said),
        title=title,
        hypotheses=(*p.A1, CALLS, *given),
        where=WHERE,
        follows_from=links,
        explicit=shown.item,
        switches=(supposed_, center),
        note=f"{note}{_OTHERS}",
        **rest,
    )
    return printed, amended(
        printed,
        (_WHY, Reason(_TOO_LONG, lemma1.LIPSCHITZ_GRADIENT.id)),
        text="Suppose that L^_0 is l_0-Lipschitz, too, theta^(w) lies inside Theta, every l(.; z) is convex, the calls "
        f"start at 0, and l_F has K in the place of sqrt(K), as lem1.i.corrected has it. {text}",
        hypotheses=(
            *(*p.A1, p.LIPSCHITZ_0, INTERIOR, A5, lemma4.START, lemma4.OUTER, lemma4.RADIUS, *given),
            *(SMOOTH_K if h == SMOOTH_F else h for h in known),
        ),
        where={p.l_F: lemma1.CONSTANT},
        follows_from=(shown.item, "lem1.i.corrected", "lem4.corrected", part.item),
        note="A5 is what A1 should give, and does not (fedweight.rem-A5). For K <= 9, or l_2 = 0, eta with (12) is at "
        "most one over the corrected l_F, which is what the printed proofs use.",
        proof=Proof(
            section("The errors of the calls"),
            have("error", part.statement, by=[cite(scheduled, at=at)], when=IN_RANGE),
            have("error at s", le(err2_at(s), (s + 1) ** -order), by=["error", SEQUENCES], when=IN_RANGE),
            have("after S iterations", shown.statement, by=[cite(shown, at={ell: p.l_F}), SEQUENCES]),
            *steps,
        ),
    )


_A = 8 / eta + 3 + 3 * eta / 2 + 3 * sp.log(N)
_ACCURACY = have("accuracy", le(gap_out, _A / S**2), by=["after S iterations", "log S"])
_rate = partial(
    rates,
    shown=THM3_0_LEMMA4,
    errors=ERRORS_LEMMA4,
    reading=Reading.REPAIRED,
    note="'Suppose Assumption 1 holds and F^(w).' lacks that F^ is convex, which the proof says. ",
    setting=replace(ITERATIONS, counts=(N, S), rounds={N_acc: Rounds(gap_out, N, eps, HELD)}),
)
_ONE, _ONE_STEPS, _each = rounds_of_one(4)
_terms = sp.expand(_A * _each**2 / N**2)
THM3_I, THM3_I_CORRECTED = _rate(
    "thm3.i",
    "With tau = 1, gamma = gamma_0 and T_s = ln(A_1 (s+1)^4/gamma_0)/(gamma_0 mu), Algorithm 2 finds an eps-optimal "
    "solution with O~(eps^-0.5) rounds of communication",
    "Rounds for convex objectives, communication in every step",
    (CONVEX_F, ETA, sch.ONE_STEP, lemma4.STEP_0, _ONE),
    eps ** -_R(1, 2) * sp.log(1 + 1 / eps) ** _R(3, 2),
    *_ONE_STEPS,
    section("From iterations to rounds"),
    _ACCURACY,
    raised("squares", "rounds", to=2),
    have("few iterations", le(1 / S**2, _each**2 / N**2), by=["squares"]),
    have("bound", le(gap_out, _A * _each**2 / N**2), by=["accuracy", "few iterations", "log N >= 0"]),
    have("terms", le(gap_out, _terms), by=["bound"]),
    exponents("all rounds", "terms", by=["log N >= 0"]),
    links=("thm3.0", "lem4", "ps-26.a", "ps-26.b", "ps-26.c", "ps-26.e", "ps-26.f"),
    part=lemma4.LEM4_A,
)
_MORE, _MORE_STEPS, _each = rounds_of_more(4)
_parts = sp.Add.make_args(sp.expand(_each))
_powers = sp.Add(*(x ** _R(2, 3) for x in _parts))
THM3_II, THM3_II_CORRECTED = _rate(
    "thm3.ii",
    "With tau > 1, gamma = 1/M_s and T_s = M_s ln(M_s^3)/mu, M_s as in (18), Algorithm 2 finds an eps-optimal solution "
    "with O~(eps^-1.5) rounds of communication",
    "Rounds for convex objectives, several local steps",
    (CONVEX_F, ETA, sch.MORE_STEPS, STEPS, _MORE),
    eps ** -_R(3, 2) * sp.log(1 + 1 / eps) ** _R(5, 2),
    *_MORE_STEPS,
    section("From iterations to rounds"),
    _ACCURACY,
    raised("powers", "rounds", to=_R(2, 3)),
    split("parts", _parts, to=_R(2, 3), by=["log N >= 0"]),
    have("few iterations", le(1 / S**2, _powers / N ** _R(2, 3)), by=["powers", "parts"]),
    have("bound", le(gap_out, _A * _powers / N ** _R(2, 3)), by=["accuracy", "few iterations", "log N >= 0"]),
    have("terms", le(gap_out, sp.expand(_A * _powers / N ** _R(2, 3))), by=["bound"]),
    exponents("all rounds", "terms", by=["log N >= 0"]),
    links=("thm3.0", "lem4", "ps-26.a", "ps-26.b", "ps-26.d", "ps-26.e", "ps-26.f"),
    part=lemma4.LEM4_B,
)

# --- what the proof says of iterations, errors and calls

S_acc = p.declare("S_acc", "iterations after which the accuracy is eps", latex=r"S_\epsilon", **POS)
PS26 = p.composite(
    "ps-26",
    _PLACE,
    "Iterations, errors and calls",
    "The sentences after the last display: iterations, errors, calls, sums",
)
PS26_A = _stated(
    "ps-26.a",
    "If E E_s^2 <= 1/(s+2)^4, Algorithm 2 finds an eps-optimal solution in O~(eps^-0.5) iterations",
    le(S_acc, C_O * eps ** -_R(1, 2) * sp.log(1 + 1 / eps) ** _R(1, 2)),
    kind=Kind.COMPLEXITY,
    title="Iterations for convex objectives",
    hypotheses=(premise(THM3_0),),
    follows_from=("thm3.0",),
    explicit="thm3.0",
    setting=Setting(measured=(gap_out,), counts=(S,), rounds={S_acc: Rounds(gap_out, S, eps, (eta,))}),
    proof=Proof(
        have("log S >= 0", ge(sp.log(S), 0)),
        have(
            "bound",
            le(gap_out, 32 / (eta * S**2) + 4 * sp.log(S) / S**2 + sp.pi**2 * eta / (12 * S**2)),
            by=[supposed("thm3.0"), "log S >= 0"],
        ),
        exponents("iterations", "bound", by=["log S >= 0"]),
    ),
)


def errors_of_lemma_4(cid: str, place: str, known: int, claimed: int, case: str, note: str = "") -> tuple[Claim, Claim]:
    """That the errors are below the next power, as the proofs of both theorems say, and what Lemma 4 gives."""
    given = p.H_(f"Lemma 4, order {known}", f"E E_s^2 <= 1/(s+1)^{known}", le(p.err2, (s + 1) ** -known))
    order = "" if known == claimed else f"Lemma 4 gives the order {known}, and not {claimed}; "
    printed = p.stated(
        place,
        cid,
        f"For {case}, E E_s^2 <= 1/(s+2)^{claimed} by Lemma 4, which gives 1/(s+1)^{known}",
        le(p.err2, (s + 2) ** -claimed),
        title=f"Errors of order {claimed} from order {known}",
        hypotheses=(given,),
        switches=(misprint(f"1/(s+1)^{known}", "that is what Lemma 4 gives", given.relation, "Lemma 4"),),
        note=note,
        setting=Setting(measured=(p.err2,)),
    )
    return printed, amended(
        printed,
        f"{order}at s = 0 Lemma 4 gives 1, and not less; 1/(s+1) is at most 2/(s+2)",
        text=f"E E_s^2 <= {2**known}/(s+2)^{known} by Lemma 4, which gives 1/(s+1)^{known}",
        statement=le(p.err2, 2**known * (s + 2) ** -known),
        note="",
        proof=Proof(
            have("half", le(1 / (s + 1), 2 / (s + 2))),
            raised("power", "half", to=known),
            qed(by=["power", supposed(given.key)]),
        ),
    )


def short_calls(cid: str, place: str, order: int) -> Claim:
    """That a call takes O(ln s) rounds for tau = 1, with a constant."""
    steps = (sp.log(sch.A_1) - sp.log(p.gamma) + order * sp.log(s + 1)) / (p.gamma * p.mu)
    return p.stated(
        place,
        cid,
        f"For tau = 1 a call takes O(T_s) = O(ln s) rounds: T_s = ln(A_1 (s+1)^{order}/gamma_0)/(gamma_0 mu) <= "
        f"2 (A_1/gamma_0 + {order}) ln(s)/(gamma_0 mu) for s >= 2",
        le(steps, 2 * (sch.A_1 / p.gamma + order) * sp.log(s) / (p.gamma * p.mu)),
        title=f"Calls with one local step, order {order}",
        hypotheses=(STEP_0, p.H_("s>=2", "s >= 2, as ln(1) is 0", ge(s, 2))),
        proof=Proof(
            have("two", ge(s, 2), by=[supposed("s>=2")]),
            logarithm("log of A_1", sch.A_1 / p.gamma),
            logarithm("log of s", s, below=True, by=["two"]),
            have("log s", ge(sp.log(s), _R(1, 2)), by=["log of s", "two"]),
            logarithm("log of s+1", s / (s + 1), below=True, by=["two"]),
            have("small", le(1 / s, _R(1, 2)), by=["two"]),
            have("log s+1", le(sp.log(s + 1), 2 * sp.log(s)), by=["log of s+1", "small", "log s"]),
            have("constant", le(sch.A_1 / p.gamma, 2 * sch.A_1 / p.gamma * sp.log(s)), by=["log s"]),
            qed(by=["log of A_1", "log s+1", "constant"]),
        ),
    )


def long_calls(cid: str, place: str, order: int) -> tuple[Claim, Claim]:
    """That a call takes O(s^(order/2)) rounds for tau > 1, and the rounds of a call with their constant."""
    power = order // 2
    square = "s^2" if power == 2 else "s"
    exact, M = sch.inverse_step(order), sch.M
    rounds, most = 3 * exact * sp.log(exact) / (p.mu * p.tau), (s + 1) ** power * m_all
    known = p.H_(f"M_s<=(s+1)^{power} m", f"M_s <= {_power_of_s(power)} m, by its definition", le(M, most))
    printed = p.claim(
        cid,
        place,
        Kind.COMPLEXITY,
        f"For tau > 1 a call takes O(T_s/tau) = O({square}) rounds, with T_s = M_s ln(M_s^3)/mu",
        le(rounds, C_O * s**power),
        title=f"Calls with several local steps, order {order}",
        hypotheses=(sch.MORE_STEPS, sch.CHANCE),
        where=sch.GAMMA_0,
        switches=(
            misprint(
                f"O({square} ln s)",
                "M_s is of the order of a power of s, and so its logarithm of the order of ln s",
                le(rounds, C_O * s**power * sp.log(s)),
                "T_s = M_s ln(M_s^3)/mu in the theorem",
            ),
        ),
    )
    return printed, amended(
        printed,
        "T_s has the factor ln(M_s^3), which grows with s",
        text=f"For tau > 1, T_s/tau = M_s ln(M_s^3)/(mu tau) <= 3 {_power_of_s(power)} m (m + "
        f"{'' if power == 1 else f'{power} '}ln(s+1))/(mu tau), with "
        "m = max{1/gamma_0, (A_1 + A_2 (tau - 1) + A_3 (tau - 1)^2)^(1/2)}",
        statement=le(3 * M * sp.log(M) / (p.mu * p.tau), 3 * most * (m_all + power * sp.log(s + 1)) / (p.mu * p.tau)),
        hypotheses=(known,),
        where={},
        proof=Proof(
            have("M", known.relation, by=[supposed(known.key)]),
            logarithm("log of M", most / M, below=True),
            logarithm("log of m", m_all),
            have("log M", le(sp.log(M), m_all - 1 + power * sp.log(s + 1)), by=["M", "log of M", "log of m"]),
            have("log s+1", ge(sp.log(s + 1), 0)),
            logarithm("log of s+1", s + 1),
            have("product", le(m_all * sp.log(s + 1), m_all * s), by=["log of s+1"]),
            qed(by=["M", "log M", "log s+1", "product"]),
        ),
    )


PS26_B, PS26_B_CORRECTED = errors_of_lemma_4("ps-26.b", _PLACE, 4, 4, "tau = 1 and for tau > 1")
PS26_C = short_calls("ps-26.c", _PLACE, 4)
PS26_D, PS26_D_CORRECTED = long_calls("ps-26.d", _PLACE, 4)
PS26_E = _stated(
    "ps-26.e",
    "Rounds of S iterations that take O(ln s) or O(s^2) each: sum_{s=1}^S ln s <= S ln S and sum_{s=1}^S s^2 <= S^3",
    every(le(sp.Sum(sp.log(s), (s, 1, S)), S * sp.log(S)), le(sp.Sum(s**2, (s, 1, S)), S**3)),
    title="Sums of ln s and s^2",
    proof=Proof(
        total("logarithms", le(sp.Sum(sp.log(s), (s, 1, horizon)), horizon * sp.log(horizon)), horizon),
        special("logarithms of S", "logarithms", {horizon: S}),
        total("squares", le(sp.Sum(s**2, (s, 1, horizon)), horizon**3), horizon),
        special("squares of S", "squares", {horizon: S}),
        *(qed(by=["logarithms of S", "squares of S"], of=part) for part in (0, 1)),
    ),
)
_ROOT, _SLIP = lemma4.C_1 * (lemma4.C_2 + lemma4.C_3 * (p.tau - 1)), "C_1 stands in front of C_2 and C_3 alone"


def _constants(A_3: sp.Expr) -> sp.Rel:
    later = p.tau - 1
    first = lemma4.C_1 * lemma4.C_2 + lemma4.C_1 * lemma4.C_3 * later
    return eq(first + A_3 * later**2, _ROOT + lemma4.C_4 * later**2)


PS26_F = _stated(
    "ps-26.f",
    "With A_1 = C_1 C_2, A_2 = C_1 C_3 and A_3 = C_1 C_4 the roots in (18) and (51) are those of Lemma 4: A_1 + A_2 "
    "(tau - 1) + A_3 (tau - 1)^2 = C_1 (C_2 + C_3 (tau - 1)) + C_4 (tau - 1)^2",
    _constants(lemma4.C_1 * lemma4.C_4),
    title="Constants of Lemma 4 in (18) and (51)",
    note="The proofs of Theorems 3 and 4 both say so.",
    switches=(misprint("A_3 = C_4", _SLIP, _constants(lemma4.C_4), "M_s in Lemma 4"),),
)
PS26_F_CORRECTED = restated(
    PS26_F,
    text="With A_1 = C_1 C_2, A_2 = C_1 C_3 and A_3 = C_4, A_1 + A_2 (tau - 1) + A_3 (tau - 1)^2 is C_1 (C_2 + C_3 "
    "(tau - 1)) + C_4 (tau - 1)^2",
    origin="",
    proof=Proof(qed()),
)
CLAIMS = claims_in(globals())
