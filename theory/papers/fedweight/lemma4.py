"""Lemma 4 with (46) and (48)-(50): the error of the approximate gradient of F^.

A5 alone says nothing of the center, and A1 no more: the proofs use that L^_0 is l_0-Lipschitz as well. With that, and
runs that start at 0 as in Section F.2, all of it holds under A1 and A5, with constants that do not depend on ``tau``:
where the proof has ``gamma_0`` in them, which does, ``3/(80 l_1)`` will do. In the proof the logarithm has a ``mu`` too
many.
"""

from dataclasses import replace
from functools import partial
from typing import Any

import sympy as sp

from rateproof.theory.assumptions import (
    BoundedGradient,
    Lipschitz,
    Minimiser,
    Monotone,
    Smooth,
    StronglyConvex,
    WholeSpace,
)
from rateproof.theory.claim import Claim, Hypothesis, Switch, replaced
from rateproof.theory.gram import Vector, dot, norm2, vectors
from rateproof.theory.papers.fedweight import notation as p
from rateproof.theory.papers.fedweight import proposition3 as svrg
from rateproof.theory.papers.fedweight import schedules as of
from rateproof.theory.proof import (
    Proof,
    Setting,
    Step,
    bounded,
    cite,
    convex,
    curvature,
    exponential,
    have,
    limit,
    lipschitz,
    logarithm,
    monotone,
    qed,
    raised,
    section,
    stationary,
    supposed,
    written_out,
)
from rateproof.theory.shorthand import amended, claims_in, eq, every, ge, le, premise
from rateproof.theory.symbols import NONNEG, POS
from rateproof.theory.units import ONE

_PLACE, _BEFORE = "proof of Lemma 4", "Appendix F.2, before Lemma 4"
_R, _e = sp.Rational, sp.E
_tau1 = p.tau - 1

# --- what is measured, of one of the two problems or of a gradient of F^

dist_0, gap_out, het = svrg.dist_0, svrg.gap_out, svrg.het
dist2, th_far2, h_far2 = p.measured(p.AREA, dist_in2="E ||xb - x*||^2", th_far2="||theta^(w)||^2", h_far2="||h^*||^2")
th_slope2, h_slope2, right2, g0_2 = p.measured(
    p.SLOPE**2,
    th_slope2="||grad L^_k(theta^(w))||^2",
    h_slope2="||Hess L^_k(theta^s) h^* - grad L^_0(theta^s)||^2",
    right_err2="E ||grad L^_0(theta^s) - sum_k w_k Hess L^_k(theta^s) h^||^2",
    slope_02="||grad L^_0(theta^s)||^2",
)
th_err2, h_err2 = p.measured(p.AREA, th_err2="E ||theta^s - theta^(w)||^2", h_err2="E ||h^s - h^*||^2")
solve2, point2 = (
    p.declare(name, meaning, p.LOSS**2, latex=latex, **NONNEG)
    for name, meaning, latex in (
        (
            "solve_err2",
            "E ||gradtilde F^(w^s) - gradbar F^(w^s)||^2",
            r"\mathbb E\|\tilde\nabla\widehat F(w^s)-\bar\nabla\widehat F(w^s)\|^2",
        ),
        (
            "point_err2",
            "E ||gradtilde F^(w^s) - grad F^(w^s)||^2",
            r"\mathbb E\|\tilde\nabla\widehat F(w^s)-\nabla\widehat F(w^s)\|^2",
        ),
    )
)
step_0 = p.declare("step_0", "gamma_0 of (17), as a number", p.CURVATURE**-1, latex=r"\gamma_0", **POS)
C_1, C_2, C_3, C_4 = (
    p.declare(name, "constant of Lemma 4", unit, latex=name, **POS)
    for name, unit in (
        ("C_1", p.LOSS**2 / p.CURVATURE),
        ("C_2", ONE),
        ("C_3", ONE),
        ("C_4", (p.LOSS * p.CURVATURE) ** 2),
    )
)

# --- what is supposed

#: The maps of the proof with their Lipschitz constants, of which those in h^ are times the bound ``l_0/mu`` of that.
RANGE = p.RANGE
SMOOTH = replace(p.SMOOTH, key="A1.1 at theta^s", says=(Smooth("L_0", p.l1), Lipschitz("Hess_k", p.l1)))
LIPSCHITZ = replace(p.LIPSCHITZ, key="A1.2 at theta^s", says=(BoundedGradient("L_k", p.l0), Lipschitz("grad_k", p.l0)))
CONVEX = replace(p.CONVEX, key="A1.3 at theta^s", says=(Monotone("Hess", p.mu),))
LIPSCHITZ_0 = replace(
    p.LIPSCHITZ_0,
    key="A1.2 at node 0",
    says=(
        BoundedGradient("L_0", p.l0),
        Lipschitz("Hess h^", p.l2 * p.l0 / p.mu),
        Lipschitz("grad_k h^", p.l1 * p.l0 / p.mu),
    ),
)
A1 = (RANGE, SMOOTH, LIPSCHITZ, CONVEX)
A5 = replace(p.A5, key="A5 of f", says=(StronglyConvex("f", p.mu), Smooth("f", p.l1)))
LEAST = p.H_("x* of f", "x* minimises f over R^d", None, Minimiser("f", "x*", "space"), WholeSpace("space"))
START = p.H_("x0=0", "Local-SVRG starts at x^(0) = 0, whatever the problem")
OUTER = p.H_("outer step", "theta^s, h^s and the gradients are those of a step of Algorithm 2 or 3")
RADIUS = p.H_("R", "R = max over w of ||theta^(w)||")
CENTER = Switch(
    "A1.2",
    "of the nodes k = 1, ..., K",
    "of node 0, too",
    "A1.2 does not speak of the center, which may be steeper than the nodes",
    adding=(LIPSCHITZ_0,),
    origin="||grad L^_0||/mu <= l_0/mu before (46)",
)
_WHY_0 = "A1 does not bound the slope of L^_0, the loss of the center"
#: The largest square of what a run starts away from, and the sum that (49) and (50) have in common.
FAR2 = sp.Max(p.R**2, p.l0**2 / p.mu**2)
STEEP = 2 * p.l0 * p.l1 / p.mu + p.l2 * p.l0**2 / p.mu**2
_slopes = (p.l1 / p.mu + 1) ** 2 * p.l0**2


def brackets(gamma: sp.Expr) -> sp.Expr:
    """The bracket of (45), (46), (49) and (50)."""
    drift = 30 * _e * gamma**3 * p.l1**3 * _tau1 * (2 + p.q) / p.q
    return 4 + 32 * gamma**2 * p.l1**2 / (3 * p.q) + drift


_power = (1 - p.gamma * p.mu) ** (p.T + 1)
_drift = p.l1 * p.gamma**2 * _tau1**2


def by_46(gamma: sp.Expr = p.gamma) -> sp.Expr:
    """The right side of (46), with another step in its bracket."""
    return 2 / (p.gamma * p.mu) * _power * brackets(gamma) * FAR2 + 45 * _e / p.mu * _drift * _slopes


def _claim(place: str, name: str, title: str, text: str, statement: sp.Basic, *given: Hypothesis, **rest: Any) -> Claim:
    return p.stated(place, name, text, statement, *given, title=title, **rest)


_before, _link = (partial(_claim, place) for place in (_BEFORE, _PLACE))


def _mended(printed: Claim, text: str, proof: Proof, more: tuple[Hypothesis, ...] = (), **rest: Any) -> Claim:
    """The same where L^_0 is l_0-Lipschitz."""
    hypotheses = (*printed.hypotheses, LIPSCHITZ_0, *more)
    return amended(printed, _WHY_0, text=text, hypotheses=hypotheses, proof=proof, **rest)


# --- the two problems, and (46)

t, ts, h, hx, hs = vectors("t t* h h* h^")
g, gs, r, rs, c, b_k, s_k, v, vx, vc, vs = vectors("g g* r r* c b_k s_k v v* v_c v^")
ZERO = Vector()
_WORDS = {
    "t": "theta^s",
    "t*": "theta^(w)",
    "h": "h^s, which Local-SVRG returns",
    "h*": "the solution of the linear system at theta^s",
    "h^": "that of the linear system at theta^(w)",
    "node": "one of the K nodes",
    "g": "grad L^_0(theta^s)",
    "Hess": "h -> sum_k w_k Hess L^_k(theta^s) h",
    "Hess_k": "h -> Hess L^_k(theta^s) h",
    "Hess h^": "theta -> sum_k w_k Hess L^_k(theta) h^",
    "grad_k": "h -> <grad L^_k(theta^s), h>",
    "grad_k h^": "theta -> <grad L^_k(theta), h^>",
}
#: The linear system at ``theta^s``, whose ``f_k`` has the gradient ``Hess_k h - g``.
SYSTEM = Setting(
    depends={"h*": "past", "t": "past"},
    sums={"r": g},
    functions={
        "L_0": {"theta": (t, g, None)},
        "Hess": {"h*": (hx, r, None), "0": (ZERO, ZERO, None)},
        "Hess_k": {"h*": (hx, b_k, None), "0": (ZERO, ZERO, None)},
    },
    metrics={h_far2: norm2(hx), g0_2: norm2(g), h_slope2: norm2(b_k - g)},
    words={name: _WORDS[name] for name in ("t", "h*", "g", "Hess", "Hess_k")},
)
PS18 = p.composite(
    "ps-18", _BEFORE, "Starts and slopes of both problems", "What ||x* || and ||grad f_k(x*)|| are at most"
)
PS18_A = _before(
    "ps-18.a",
    "Start and slopes of the problem in theta",
    "||grad f_k(x*)|| <= l_0 and ||x^(0) - x*|| <= R for x* = theta^(w) and x^(0) = 0",
    every(le(th_slope2, p.l0**2), le(th_far2, p.R**2)),
    *A1,
    START,
    replace(
        RADIUS,
        key="R>=||x*||",
        text="R = max over w of ||theta^(w)||, which is at least ||x*||",
        relation=le(th_far2, p.R**2),
    ),
    setting=Setting(
        depends={"t*": ""},
        functions={"L_k": {"theta^": (ts, s_k, None)}},
        metrics={th_slope2: norm2(s_k), th_far2: norm2(ts)},
        words={"t*": _WORDS["t*"]},
    ),
    proof=Proof(qed(by=[supposed("R>=||x*||")]), qed(by=[bounded("L_k", "theta^")], of=1)),
)
PS18_B = _before(
    "ps-18.b",
    "Start of the linear system",
    "||x^(0) - x*||^2 <= ||grad L^_0(theta^s)||^2/mu^2 <= l_0^2/mu^2 for the solution x* of the linear system",
    every(le(h_far2, g0_2 / p.mu**2), le(g0_2 / p.mu**2, p.l0**2 / p.mu**2)),
    *A1,
    START,
    setting=SYSTEM,
    switches=(CENTER,),
)
_START = have("start", le(p.mu**2 * h_far2, g0_2), by=[monotone("Hess", "h*", "0"), written_out("r")])
PS18_B_CORRECTED = _mended(
    PS18_B,
    f"{PS18_B.text}, where L^_0 is l_0-Lipschitz",
    Proof(_START, qed(by=["start"]), qed(by=[bounded("L_0", "theta")], of=1)),
)
PS18_C = _before(
    "ps-18.c",
    "Slopes of the linear system",
    "||grad f_k(x*)|| <= l_1 l_0/mu + l_0, where grad f_k(x*) = Hess L^_k(theta^s) x* - grad L^_0(theta^s)",
    le(h_slope2, (p.l1 * p.l0 / p.mu + p.l0) ** 2),
    *A1,
    setting=SYSTEM,
    switches=(CENTER,),
)
PS18_C_CORRECTED = _mended(
    PS18_C,
    f"{PS18_C.text}, where L^_0 is l_0-Lipschitz",
    Proof(
        _START,
        have("slope", le(g0_2, p.l0**2), by=[bounded("L_0", "theta")]),
        have(
            "image", le(norm2(b_k), p.l1**2 * p.l0**2 / p.mu**2), by=["start", "slope", lipschitz("Hess_k", "h*", "0")]
        ),
        qed(by=["image", "slope"]),
    ),
)
x, xs, f_g = vectors("x x* f_g")
f_x, f_s = sp.symbols("f_x f_s", real=True)
f_0 = vectors("f_0")[0]
PS19 = p.composite("ps-19", _BEFORE, "From (45) to (46)", "(46) follows from (45) by strong convexity")
PS19_A = _before(
    "ps-19.a",
    "Strong convexity at the minimiser",
    "(mu/2) E||xbar^(T) - x*||^2 <= E[f(xbar^(T)) - f(x*)]",
    le(p.mu / 2 * dist2, gap_out),
    A5,
    LEAST,
    setting=Setting(
        depends={"x": "past", "x*": ""},
        functions={"f": {"x": (x, f_g, f_x), "x*": (xs, f_0, f_s)}},
        metrics={dist2: norm2(x - xs), gap_out: f_x - f_s},
        words={"x": "xbar^(T)", "x*": "the minimiser of f"},
    ),
    proof=Proof(qed(by=[convex("f", "x", "x*"), stationary("f")])),
)
#: What a step leaves is at least 3/4 of the distance, so that its powers are positive.
_KEPT = (
    have("short", ge(1 - p.gamma * p.mu, _R(3, 4)), by=[supposed(of.STEP.key), supposed(of.CHANCE.key)]),
    raised("kept", "short", to=p.T + 1),
)
STARTS = p.H_("start", "||x^(0) - x*||^2 is at most max(R^2, l_0^2/mu^2), by ps-18", le(dist_0, FAR2))
SLOPES = p.H_("slopes", "sum_k w_k ||grad f_k(x*)||^2 is at most (l_1/mu + 1)^2 l_0^2, by ps-18", le(het, _slopes))
PS19_B = _before(
    "ps-19.b",
    "Step to (46), put together",
    "(45), (mu/2) E||xbar - x*||^2 <= E[f(xbar) - f(x*)] and the bounds on ||x^(0) - x*|| and ||grad f_k(x*)|| give "
    "(46)",
    le(dist2, by_46()),
    premise(svrg.PROPOSITION3),
    premise(PS19_A),
    STARTS,
    SLOPES,
    of.STEP,
    of.CHANCE,
    follows_from=("prop3", "ps-19.a"),
    setting=Setting(measured=(dist2, gap_out, dist_0, het)),
    proof=Proof(
        *_KEPT,
        have(
            "first",
            le(_power * brackets(p.gamma) * dist_0, _power * brackets(p.gamma) * FAR2),
            by=["kept", supposed(STARTS.key)],
        ),
        have("second", le(_drift * het, _drift * _slopes), by=[supposed(SLOPES.key)]),
        qed(by=["first", "second", supposed(svrg.PROPOSITION3.item), supposed(PS19_A.item)]),
    ),
)
EQ46 = _before(
    "eq46",
    "Distance of what Local-SVRG returns",
    "For (1) and (15) E||xbar^(T) - x*||^2 <= (2/(gamma mu)) (1 - gamma mu)^(T+1) c max(R^2, l_0^2/mu^2) + (45 e/mu) "
    "l_1 gamma^2 (tau - 1)^2 (l_1/mu + 1)^2 l_0^2. Here c is the bracket of (45), 4 + 32 gamma^2 l_1^2/(3 q) + 30 e "
    "gamma^3 l_1^3 (tau - 1) (2 + q)/q",
    PS19_B.statement,
    *A1,
    START,
    OUTER,
    RADIUS,
    premise(svrg.PROPOSITION3),
    of.STEP,
    of.CHANCE,
    equation="46",
    follows_from=("rem-A5", "prop3", "ps-18.a", "ps-18.b", "ps-18.c", "ps-19.b"),
    switches=(
        replace(CENTER, adding=(LIPSCHITZ_0, STARTS, SLOPES)),
        Switch(
            "A5",
            "what A1 gives",
            "supposed of both problems",
            "A1 says nothing of the convexity of single losses",
            adding=(A5, premise(svrg.HALVED_BOUND), premise(PS19_A)),
            origin="Assumption 5, which Section F.1 states of both problems",
        ),
    ),
)
#: (46) with half of the bound of (45), as its proof has it.
_start = 1 + _R(11, 3) * p.gamma**2 * p.l1**2 / p.q
HALF_46 = 4 / (p.gamma * p.mu) * _power * _start * FAR2 + 80 / p.mu * _drift * _slopes
EQ46_HALF = amended(
    EQ46,
    _WHY_0,
    part="half",
    text="For (1) and (15) E||xbar^(T) - x*||^2 <= (4/(gamma mu)) (1 - gamma mu)^(T+1) (1 + 11 gamma^2 l_1^2/(3 q)) "
    "max(R^2, l_0^2/mu^2) + (80/mu) l_1 gamma^2 (tau - 1)^2 (l_1/mu + 1)^2 l_0^2, where L^_0 is l_0-Lipschitz and "
    "every l(.; z) is convex, as A5 has it",
    statement=le(dist2, HALF_46),
    hypotheses=(
        *(premise(svrg.HALVED_BOUND) if h.key == svrg.PROPOSITION3.item else h for h in EQ46.hypotheses),
        *(LIPSCHITZ_0, A5, premise(PS19_A), STARTS, SLOPES),
    ),
    setting=PS19_B.setting,
    follows_from=("prop3.half", "ps-19.a", "ps-18.a", "ps-18.b.corrected", "ps-18.c.corrected"),
    proof=Proof(
        *_KEPT,
        have("first", le(_power * _start * dist_0, _power * _start * FAR2), by=["kept", supposed(STARTS.key)]),
        have("second", le(_drift * het, _drift * _slopes), by=[supposed(SLOPES.key)]),
        qed(by=["first", "second", supposed(svrg.HALVED_BOUND.item), supposed(PS19_A.item)]),
    ),
)
EQ46_CORRECTED = amended(
    EQ46,
    _WHY_0,
    text="(46) holds of (1) and (15) where L^_0 is l_0-Lipschitz and every l(.; z) is convex, as A5 has it",
    hypotheses=EQ46_HALF.hypotheses,
    setting=PS19_B.setting,
    follows_from=("eq46.half.corrected",),
    proof=Proof(
        *_KEPT,
        have("e", ge(10 * _e, 27)),
        have("sign", ge(_power * FAR2, 0), by=["kept"]),
        have("first", le(2 * _power * _start * FAR2, _power * brackets(p.gamma) * FAR2), by=["sign"]),
        have("second", le(80 * _drift * _slopes, 45 * _e * _drift * _slopes), by=["e"]),
        qed(by=[cite(EQ46_HALF), "first", "second"]),
    ),
)


def _of_46(stated: Claim, error: sp.Symbol) -> Hypothesis:
    """(46) of the run whose error this is."""
    call = "theta" if error is th_err2 else "h"
    return replace(premise(stated, at={dist2: error}, about=f"of the call for {call}"), key=f"{stated.item} of {call}")


# --- the error of the gradient, (48)-(50) and (47)

#: The gradient of F^ at ``theta^(w)``, and what it is at ``theta^s`` with the solution there.
AT_POINT = Setting(
    depends=dict.fromkeys(("t", "t*", "h*", "h^"), "past"),
    each=dict.fromkeys(("grad_k", "grad_k h^"), "node"),
    sizes={"node": p.K},
    sums={"r": g, "r*": gs},
    functions={
        "L_0": {"theta": (t, g, None), "theta^": (ts, gs, None)},
        # in both arguments, theta and h
        "Hess": {"h*": (t + hx, r, None), "h^": (t + hs, c, None)},
        "Hess h^": {"theta": (t + hs, c, None), "theta^": (ts + hs, rs, None)},
        "grad_k": {"h*": (t + hx, vx, None), "h^": (t + hs, vc, None)},
        "grad_k h^": {"theta": (t + hs, vc, None), "theta^": (ts + hs, vs, None)},
    },
    metrics={th_err2: norm2(t - ts), right2: norm2(g - c), point2: p.K * norm2(vx - vs)},
    fixed=(right2, th_err2),
    words={name: said for name, said in _WORDS.items() if name not in ("h", "Hess_k")},
)
#: The same with what Local-SVRG returns in the place of the solution.
HYPER = replace(
    AT_POINT,
    depends={**AT_POINT.depends, "h": "past"},
    functions={**AT_POINT.functions, "grad_k": {"h": (t + h, v, None), **AT_POINT.functions["grad_k"]}},
    metrics={**AT_POINT.metrics, h_err2: norm2(h - hx), solve2: p.K * norm2(v - vx), p.err2: p.K * norm2(v - vs)},
    words={**AT_POINT.words, "h": _WORDS["h"]},
)
slack = sp.Symbol("slack", positive=True)
_hess = p.l2 * p.l0 / p.mu
_apart = p.l1 + _hess
#: What (50) displays first, with ``L^_0`` Lipschitz.
_POINT = (
    have("pull", le(p.mu * norm2(hx - hs), dot(g - c, hx - hs)), by=[monotone("Hess", "h*", "h^"), written_out("r")]),
    have("system", le(p.mu**2 * norm2(hx - hs), right2), by=["pull"]),
    have(
        "Hessians",
        le(norm2(c - gs), (_hess + slack) ** 2 * th_err2),
        by=[lipschitz("Hess h^", "theta", "theta^"), written_out("r*")],
    ),
    have(
        "right side, loosely",
        le(right2, (_apart + slack) ** 2 * th_err2),
        by=["Hessians", lipschitz("L_0", "theta", "theta^")],
    ),
    limit("right side", "right side, loosely", over=slack),
    have("solutions", le(norm2(hx - hs), (_apart / p.mu) ** 2 * th_err2), by=["system", "right side"]),
    have(
        "at h",
        le(norm2(vx - vc), (p.l0 * _apart / p.mu) ** 2 * th_err2),
        by=["solutions", lipschitz("grad_k", "h*", "h^")],
    ),
    have(
        "at theta",
        le(norm2(vc - vs), (p.l1 * p.l0 / p.mu) ** 2 * th_err2),
        by=[lipschitz("grad_k h^", "theta", "theta^")],
    ),
)
PS20, PS21 = (
    p.composite(f"ps-2{n}", _PLACE, title, text)
    for n, title, text in (
        (0, "Both inequalities of (49)", "The error of the linear system in the gradient, and (46) in it"),
        (1, "Both inequalities of (50)", "The error of the point in the gradient, and (46) in it"),
    )
)
PS20_A = _link(
    "ps-20.a",
    "Error of the linear system in the gradient",
    "E||gradtilde F^ - gradbar F^||^2 <= K l_0^2 E||h^s - h*||^2, where gradtilde has the solution h* at theta^s, (48)",
    le(solve2, p.K * p.l0**2 * h_err2),
    *A1,
    OUTER,
    equation="49",
    setting=HYPER,
    proof=Proof(qed(by=[lipschitz("grad_k", "h", "h*")])),
)
PS21_A = _link(
    "ps-21.a",
    "Error of the point in the gradient",
    "E||gradtilde F^ - grad F^||^2 <= K (2 l_0 l_1/mu + l_2 l_0^2/mu^2)^2 E||theta^s - theta^(w)||^2",
    le(point2, p.K * STEEP**2 * th_err2),
    *A1,
    OUTER,
    equation="50",
    setting=AT_POINT,
    switches=(CENTER,),
)
PS21_A_CORRECTED = _mended(
    PS21_A,
    f"{PS21_A.text}, where L^_0 is l_0-Lipschitz",
    Proof(*_POINT, qed(by=["at h", "at theta"])),
)


def _second(name: str, equation: str, error: sp.Symbol, factor: sp.Expr) -> Claim:
    """The second inequality of (49) or (50): (46), with gamma_0 in its bracket."""
    of_46 = _of_46(EQ46, error)
    return _link(
        name,
        f"Bound (46) in ({equation})",
        f"The second inequality of ({equation}): (46) of the call, and gamma <= gamma_0 in its bracket",
        le(factor * error, factor * by_46(step_0)),
        of_46,
        of.STEP,
        of.CHANCE,
        p.H_("gamma<=gamma_0, as a number", "gamma_0 is at least gamma", le(p.gamma, step_0)),
        equation=equation,
        setting=Setting(measured=(error,)),
        proof=Proof(
            *_KEPT,
            have("bracket", le(brackets(p.gamma), brackets(step_0)), by=[supposed("gamma<=gamma_0, as a number")]),
            have(
                "power", le(_power * brackets(p.gamma) * FAR2, _power * brackets(step_0) * FAR2), by=["kept", "bracket"]
            ),
            qed(by=["power", supposed(of_46.key)]),
        ),
    )


PS20_B = _second("ps-20.b", "49", h_err2, p.K * p.l0**2)
PS21_B = _second("ps-21.b", "50", th_err2, p.K * STEEP**2)


def bound(C_1: sp.Expr, C_2: sp.Expr, C_3: sp.Expr, C_4: sp.Expr) -> sp.Expr:
    """The right side of (47)."""
    power = (1 - p.gamma * p.mu) ** (p.T + 1)
    return C_1 / p.gamma * power * (C_2 + C_3 * _tau1) + C_4 * p.gamma**2 * _tau1**2


OF_47 = p.H_(
    "(47)",
    "E||grad F^ - gradbar F^||^2 <= (C_1/gamma) (1 - gamma mu)^(T_s + 1) (C_2 + C_3 (tau - 1)) + C_4 gamma^2 (tau - "
    "1)^2",
    le(p.err2, bound(C_1, C_2, C_3, C_4)),
)
#: For ``tau = 1``, where the second bound of (17) is none.
STEP_0 = p.H_(
    "gamma=gamma_0", "gamma = gamma_0 of (17), for tau = 1", eq(p.gamma, 1 / sp.Max(80 * p.l1 / 3, 4 * p.mu / p.q))
)
STEP_M = p.H_("gamma=1/M_s", "gamma = 1/M_s", eq(p.gamma * of.M, 1))
LONG = p.H_("T_s, tau>1", "T_s is (M_s/mu) ln(M_s^3), rounded up", ge(p.T, of.LONG_CALLS))
_INSIDE = C_1 * (C_2 + C_3 * _tau1) + C_4 * _tau1**2


def _largest(order: int) -> Hypothesis:
    power = "(s + 1)^2" if order == 4 else "(s + 1)"
    return p.H_(
        f"M_s, order {order}",
        f"M_s is at least 1/gamma_0 and {power} (C_1 (C_2 + C_3 (tau - 1)) + C_4 (tau - 1)^2)^(1/2)",
        every(*of.within(1 / of.M).args, le((p.s + 1) ** order * _INSIDE, of.M**2)),
    )


def _calls(order: int) -> Hypothesis:
    return p.H_(
        f"T_s, tau=1, order {order}",
        f"T_s is ln(C_1 C_2 (s + 1)^{order}/gamma_0)/(gamma_0 mu), rounded up",
        ge(p.T, of.calls(order, C_1 * C_2).xreplace({p.gamma_0: p.gamma})),
    )


def _consequence(part: str, order: int, said: str, hypotheses: tuple[Hypothesis, ...], *steps: Step) -> Claim:
    return p.stated(
        "Lemma 4",
        f"lem4.{part}",
        f"With {said}, E||grad F^ - gradbar F^||^2 <= (s + 1)^-{order}",
        le(p.err2, (p.s + 1) ** -order),
        title=f"Error of order {order}, {'one local step' if part in 'ac' else 'several local steps'}",
        hypotheses=(OF_47, of.CHANCE, *hypotheses),
        setting=Setting(measured=(p.err2,), free=(p.gamma, p.T, of.M, C_1, C_2, C_3, C_4)),
        proof=Proof(*steps),
    )


def _shrunk(bound: sp.Expr, short: tuple[Hypothesis, ...], more: tuple[Hypothesis, ...] = ()) -> tuple[Step, ...]:
    """The power of (47), by what bounds its logarithm and what makes the step short."""
    log = sp.log(1 - p.gamma * p.mu)
    return (
        have("short", le(4 * p.gamma * p.mu, p.q), by=[supposed(h.key) for h in short]),
        logarithm("log", 1 - p.gamma * p.mu, by=["short", supposed(of.CHANCE.key)]),
        have("exponent", le((p.T + 1) * log, bound), by=["log", *(supposed(h.key) for h in more)]),
        exponential("power", "exponent"),
    )


def _one_step(part: str, order: int) -> Claim:
    length = _calls(order)
    return _consequence(
        part,
        order,
        f"tau = 1, gamma = gamma_0 and T_s = ln(C_1 C_2 (s + 1)^{order}/gamma_0)/(gamma_0 mu)",
        (of.ONE_STEP, STEP_0, length),
        *_shrunk(-sp.log(C_1 * C_2 * (p.s + 1) ** order / p.gamma), (STEP_0,), (length,)),
        qed(by=["power", supposed(OF_47.key), supposed(of.ONE_STEP.key)]),
    )


def _more_steps(part: str, order: int) -> Claim:
    largest = _largest(order)
    return _consequence(
        part,
        order,
        f"tau > 1, gamma = 1/M_s and T_s = (M_s/mu) ln(M_s^3), M_s of {'(18)' if order == 4 else '(51)'}",
        (of.MORE_STEPS, STEP_M, largest, LONG),
        *_shrunk(-sp.log(of.M**3), (STEP_M, largest), (STEP_M, LONG)),
        have("root", le((p.s + 1) ** order * _INSIDE, of.M**2), by=[supposed(largest.key)]),
        have("both", le(p.err2, _INSIDE / of.M**2), by=["power", supposed(OF_47.key), supposed(STEP_M.key)]),
        qed(by=["both", "root"]),
    )


CUBED = Switch(
    "ln(M_s')^3",
    "the logarithm of the cube",
    "the cube of the logarithm",
    "the print has ln(M_s)^3 here, and ln(M_s^3) for the M_s of (18)",
    without=(LONG.key,),
    adding=(p.H_("T_s, cube", "T_s is (M_s/mu) (ln M_s)^3, rounded up", ge(p.T, of.M * sp.log(of.M) ** 3 / p.mu)),),
)
LEM4_A, LEM4_B, LEM4_C = _one_step("a", 4), _more_steps("b", 4), _one_step("c", 2)
LEM4_D = replace(_more_steps("d", 2), switches=(CUBED,))

_SUM = 2 * p.K * (p.l0**2 + STEEP**2)
#: The constants of the proof, with ``3/80`` in place of ``gamma_0 l_1``, which depends on ``tau``.
CONSTANTS = (
    2 * _SUM * FAR2 / p.mu,
    4 + 3 / (200 * p.q),
    30 * _e * _R(3, 80) ** 3 * (2 + p.q) / p.q,
    45 * _e * _SUM * p.l1 * _slopes / p.mu,
)
_WHERE = (
    "Algorithm 2 starts its calls elsewhere: at theta^(s-1) and at grad L^_0(theta^s). A1 is used at theta^s, too, "
    "which nothing keeps in Theta."
)
#: (46) of both calls, as it is shown.
_CALLS = tuple(_of_46(EQ46_HALF, error) for error in (th_err2, h_err2))
LEM4 = _claim(
    "Lemma 4",
    "lem4",
    "Error of the approximate gradient",
    "E||grad F^ - gradbar F^||^2 <= (C_1/gamma) (1 - gamma mu)^(T_s + 1) (C_2 + C_3 (tau - 1)) + C_4 gamma^2 (tau - "
    "1)^2 for gamma <= gamma_0. The constants depend on l_0, l_1, l_2, mu, R, q and K, but not on tau, T_s and gamma",
    le(p.err2, bound(*CONSTANTS)),
    A5,
    START,
    OUTER,
    RADIUS,
    of.STEP,
    of.CHANCE,
    equation="47",
    follows_from=("eq46", "ps-20.a", "ps-20.b", "ps-21.a", "ps-21.b"),
    note=f"The constants are those of the proof, with 3/80 for gamma_0 l_1; whatever they are, a center that is steep "
    f"enough, on a small Theta, exceeds them. {_WHERE}",
    switches=(
        Switch(
            "assumption",
            "A5",
            "A1, too",
            "A5 is what A1 gives of the two problems, and says nothing of the center",
            adding=A1,
            origin="'because of Assumption 1' before A5, and constants that depend on l_0 and l_2",
        ),
        replace(CENTER, adding=(LIPSCHITZ_0, *_CALLS)),
    ),
)
_short = 1 + _R(33, 6400) / p.q
_of_both = 8 * p.K * _power * FAR2 / (p.gamma * p.mu)
LEM4_CORRECTED = amended(
    LEM4,
    (_WHY_0, "A5 says nothing of l_0 and l_2"),
    text="(47) with the constants of the proof and 3/80 for gamma_0 l_1, under A1 and A5, where L^_0 is l_0-Lipschitz, "
    "for runs of Local-SVRG that start at 0",
    hypotheses=(*A1, A5, LIPSCHITZ_0, START, OUTER, RADIUS, *_CALLS, of.STEP, of.CHANCE),
    note=_WHERE,
    follows_from=("eq46.corrected",),
    setting=HYPER,
    proof=Proof(
        section("The gradient, by both errors"),
        *_POINT,
        have("point", le(norm2(vx - vs), STEEP**2 * th_err2), by=["at h", "at theta"]),
        have("solve", le(norm2(v - vx), p.l0**2 * h_err2), by=[lipschitz("grad_k", "h", "h*")]),
        have("gradient", le(p.err2, 2 * p.K * (p.l0**2 * h_err2 + STEEP**2 * th_err2)), by=["point", "solve"]),
        have(
            "of (46)",
            le(p.err2, _SUM * HALF_46),
            by=["gradient", *(supposed(h.key) for h in _CALLS)],
            multipliers=[1, 2 * p.K * STEEP**2, 2 * p.K * p.l0**2],
        ),
        section("Constants that do not depend on gamma"),
        *_KEPT,
        have("short enough", le(p.gamma * p.l1, _R(3, 80)), by=[supposed(of.STEP.key)]),
        have("square", le(p.gamma**2 * p.l1**2, _R(3, 80) ** 2), by=["short enough"]),
        have("bracket", le(_start, _short), by=["square"]),
        have(
            "power",
            le(_of_both * _start * (p.l0**2 + STEEP**2), _of_both * _short * (p.l0**2 + STEEP**2)),
            by=["kept", "bracket"],
        ),
        section("One slope for both errors"),
        have("steep", le(4 * p.l0**2, STEEP**2), by=[curvature("f")]),
        have(
            "at the start",
            le(_of_both * _short * (p.l0**2 + STEEP**2), _R(5, 4) * _of_both * _short * STEEP**2),
            by=["kept", "steep"],
        ),
        have("in a round", le(4 * _drift * _slopes * p.l0**2, _drift * _slopes * STEEP**2), by=["steep"]),
        have(
            "by one slope",
            le(p.err2, _R(5, 4) * _of_both * _short * STEEP**2 + 200 * p.K / p.mu * _drift * _slopes * STEEP**2),
            by=["of (46)", "power", "at the start", "in a round"],
        ),
        have("sign", ge(_of_both * STEEP**2, 0), by=["kept"]),
        have("e", ge(10 * _e, 27)),
        have("first", le(_R(5, 4) * _of_both * _short * STEEP**2, bound(*CONSTANTS[:3], 0)), by=["sign"]),
        have("second", le(200 * p.K / p.mu * _drift * _slopes * STEEP**2, bound(0, 0, 0, CONSTANTS[3])), by=["e"]),
        qed(by=["by one slope", "first", "second"]),
    ),
)

_LEM4_C, _OF_A = (C_1, C_2, C_3, C_4), (sp.S.One, of.A_1, of.A_2, of.A_3)
LARGE = p.H_(
    "A_1, A_2, A_3",
    "A_1 >= C_1 C_2, A_2 >= C_1 C_3 and A_3 >= C_4 with the constants with which (47) is proved",
    every(
        ge(of.A_1, CONSTANTS[0] * CONSTANTS[1]),
        ge(of.A_2, CONSTANTS[0] * CONSTANTS[2]),
        ge(of.A_3, CONSTANTS[3]),
    ),
)


def scheduled(part: Claim) -> Claim:
    """A part about a schedule with ``A_1, A_2, A_3`` in it, as the theorems have it, from (47) as corrected."""

    def said(text: str) -> str:
        root = "C_1 (C_2 + C_3 (tau - 1)) + C_4 (tau - 1)^2"
        return text.replace(root, "A_1 + A_2 (tau - 1) + A_3 (tau - 1)^2").replace("C_1 C_2", "A_1")

    at = dict(zip(_LEM4_C, _OF_A, strict=True))
    given = [replace(h, text=said(h.text), relation=replaced(h.relation, at)) for h in part.hypotheses if h != OF_47]
    of_47 = replace(OF_47, relation=le(p.err2, bound(*CONSTANTS)))
    return replace(
        part,
        id=f"{part.id}.scheduled",
        hypotheses=(of_47, LARGE, *given),
        setting=Setting(measured=(p.err2,), free=(p.gamma, p.T, of.M)),
        proof=Proof(
            have("short", le(4 * p.gamma * p.mu, p.q), by=[supposed(h.key) for h in given]),
            have("left", ge(1 - p.gamma * p.mu, _R(3, 4)), by=["short", supposed(of.CHANCE.key)]),
            raised("power", "left", to=p.T + 1),
            *(
                have(name, le(_power * small * times, _power * A * times), by=["power", supposed(LARGE.key)])
                for name, small, A, times in (
                    ("A_1", CONSTANTS[0] * CONSTANTS[1], of.A_1, 1),
                    ("A_2", CONSTANTS[0] * CONSTANTS[2], of.A_2, _tau1),
                )
            ),
            have(
                "(47) with A_1, A_2 and A_3",
                le(p.err2, bound(*_OF_A)),
                by=["A_1", "A_2", supposed(LARGE.key), supposed(of_47.key)],
            ),
            qed(by=[cite(part, at=at)]),
        ),
    )


# --- the display after (50)

PS22 = p.composite("ps-22", _PLACE, "The schedules in (47)", "(1 - gamma mu)^(T+1) <= exp(-gamma mu T), put into (47)")
_first = C_1 * (C_2 + C_3 * _tau1)
_rest = C_4 * _tau1**2 / of.M**2
PS22_A = _link(
    "ps-22.a",
    "A power by an exponential",
    "(1 - gamma mu)^(T_s + 1) <= exp(-gamma mu T_s)",
    le(_power, sp.exp(-p.gamma * p.mu * p.T)),
    of.STEP,
    of.CHANCE,
    proof=Proof(*_shrunk(-p.gamma * p.mu * p.T, (of.STEP,)), qed(by=["power"])),
)
_EXPONENT = sp.exp(-p.mu * p.T / of.M)
PS22_B = _link(
    "ps-22.b",
    "Bound (47) with the step 1/M_s",
    "(C_1/gamma) (1 - gamma mu)^(T_s + 1) (C_2 + C_3 (tau - 1)) + C_4 gamma^2 (tau - 1)^2 <= exp(-mu T_s/M_s) M_s C_1 "
    "(C_2 + C_3 (tau - 1)) + C_4 (tau - 1)^2/M_s^2",
    le(bound(C_1, C_2, C_3, C_4), _EXPONENT * of.M * _first + _rest),
    of.STEP,
    of.CHANCE,
    STEP_M,
    follows_from=("ps-22.a",),
    proof=Proof(
        *_shrunk(-p.mu * p.T / of.M, (of.STEP,), (STEP_M,)),
        have("times", le(_power * of.M * _first, _EXPONENT * of.M * _first), by=["power"]),
        qed(by=["times", supposed(STEP_M.key)]),
    ),
)
PS22_C = _link(
    "ps-22.c",
    "T_s in the exponential",
    "exp(-mu T_s/M_s) M_s C_1 (C_2 + C_3 (tau - 1)) + C_4 (tau - 1)^2/M_s^2 <= exp(-ln(M_s^3)) M_s C_1 (C_2 + C_3 (tau "
    "- 1)) + C_4 (tau - 1)^2/M_s^2",
    le(_EXPONENT * of.M * _first + _rest, of.M**-3 * of.M * _first + _rest),
    LONG,
    proof=Proof(
        have("exponent", le(-p.mu * p.T / of.M, -sp.log(of.M**3)), by=[supposed(LONG.key)]),
        exponential("power", "exponent"),
        have("times", le(_EXPONENT * of.M * _first, of.M**-2 * _first), by=["power"]),
        qed(by=["times"]),
    ),
)
PS22_D = _link(
    "ps-22.d",
    "M_s in the sum",
    "exp(-ln(M_s^3)) M_s C_1 (C_2 + C_3 (tau - 1)) + C_4 (tau - 1)^2/M_s^2 <= C_1 (C_2 + C_3 (tau - 1))/M_s^2 + C_4 "
    "(tau - 1)^2/M_s^2 <= (s + 1)^-4",
    every(
        le(of.M**-3 * of.M * _first + _rest, _first / of.M**2 + _rest), le(_first / of.M**2 + _rest, (p.s + 1) ** -4)
    ),
    of.CHANCE,
    _largest(4),
    proof=Proof(
        have("largest", le((p.s + 1) ** 4 * _INSIDE, of.M**2), by=[supposed(_largest(4).key)]),
        qed(),
        qed(by=["largest"], of=1),
    ),
)
extra = p.declare(
    "extra_log", "what the proof has besides in the logarithm", p.CURVATURE**-1, latex="c", defined=True, **POS
)
PS22_E = _link(
    "ps-22.e",
    "Error for one local step, in the proof",
    "With tau = 1, gamma = gamma_0 and T_s = ln(C_1 C_2 (s + 1)^4/(gamma_0 mu))/(gamma_0 mu), E||grad F^ - gradbar "
    "F^||^2 <= (s + 1)^-4",
    LEM4_A.statement,
    *LEM4_A.hypotheses[:-1],
    p.H_(
        "T_s of the proof, tau=1",
        "T_s is ln(C_1 C_2 (s + 1)^4 c/gamma_0)/(gamma_0 mu), rounded up, with c = 1/mu in the proof",
        ge(p.T, of.calls(4, C_1 * C_2 * extra).xreplace({p.gamma_0: p.gamma})),
    ),
    where={extra: 1 / p.mu},
    switches=(
        Switch(
            "T_s",
            "ln(C_1 C_2 (s + 1)^4/(gamma_0 mu))",
            "ln(C_1 C_2 (s + 1)^4/gamma_0)",
            "the logarithm has a mu too many, so that mu is a factor of the bound",
            {extra: sp.S.One},
            origin="Lemma 4",
        ),
    ),
)
PS22_E_CORRECTED = amended(
    PS22_E,
    "the logarithm has a mu too many, so that mu is a factor of the bound",
    text="With T_s = ln(C_1 C_2 (s + 1)^4/gamma_0)/(gamma_0 mu), as in Lemma 4, the error is at most (s + 1)^-4",
    where={},
    hypotheses=LEM4_A.hypotheses,
    origin="Lemma 4",
    setting=LEM4_A.setting,
    proof=LEM4_A.proof,
)
CLAIMS = claims_in(globals())
