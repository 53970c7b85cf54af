"""Proposition 3: Local-SVRG on weighted nodes converges, up to what local steps do to different nodes.

The paper prints no proof and refers to Gorbunov, Hanzely and Richtarik 2021. The bound (45) is true. Its constants are
generous: ``prop3.sharp`` has about half of them, the sum of the weights in place of the last weight, and needs neither
the term with ``30 e`` nor ``1/(1 - q)`` in the bound on the step, so that ``q = 1`` is allowed. Nowhere do nodes have
to draw independently of each other.

In the texts x is the weighted mean of the iterates of the nodes, ``V`` their spread about it, and ``sigma_t^2`` the
mean square of the gradients at the reference points, each less that at ``x*``. For ``j = t mod tau`` the potential
``(tau - j) V`` is 0 when nodes synchronise, so that one inequality is true of all iterations.
"""

import re
from dataclasses import replace
from typing import Any

import sympy as sp

from rateproof.theory.assumptions import Convex, Minimiser, Smooth, StronglyConvex, Weighted, WholeSpace
from rateproof.theory.claim import Claim, Kind, conjuncts
from rateproof.theory.gram import dot, norm2, vectors
from rateproof.theory.papers.fedweight import notation as p
from rateproof.theory.papers.fedweight import schedules as of
from rateproof.theory.proof import (
    SEQUENCES,
    Mean,
    Part,
    Proof,
    Setting,
    cases,
    cite,
    cocoercive,
    convex,
    curvature,
    have,
    lipschitz,
    mean,
    qed,
    raised,
    section,
    smooth,
    smooth_convex,
    special,
    stationary,
    summed,
    total,
    unfold,
    written_out,
)
from rateproof.theory.shorthand import eq, every, ge, gt, le
from rateproof.theory.symbols import POS

_R = sp.Rational
L, theta, keep = p.l1, p.tau - 1, 1 - p.gamma * p.mu

# --- what is measured, at iteration t

j = p.declare("j_in", "t mod tau, the local steps since the last round", latex="j", nonnegative=True, integer=True)
alpha = p.declare("alpha_in", "any positive number", latex=r"\alpha", **POS)
U = p.declare("U_T", "sum of the weights u_0, ..., u_T of the output", latex="U_T", defined=True, **POS)
grow = p.declare(
    "grow_in",
    "1/(1 - gamma mu), by which the weights of the output grow",
    latex="(1-\\gamma\\mu)^{-1}",
    defined=True,
    **POS,
)
gap_out = p.formula("gap_out", "E f(xb^(T)) - f(x*)", p.LOSS)
gap_t = p.formula("gap_t", "E f(x^(t)) - f(x*)", p.LOSS)
gap_mean = p.formula("gap_mean", "sum_t u_t (E f(x^(t)) - f(x*))/U_T", p.LOSS)
dist_0, dist_t, dist_next, V_t, V_next = p.measured(
    p.AREA,
    dist_0="||x^(0) - x*||^2",
    dist_t="E ||x^(t) - x*||^2",
    dist_next="E ||x^(t+1) - x*||^2",
    V_t="sum_k w_k E ||x_k^(t) - x^(t)||^2",
    V_next="sum_k w_k E ||x_k^(t) - gamma g_k^(t) - x^(t+1)||^2",
)
pot_t, pot_next = (
    p.formula(name, f"(tau - {s} mod tau) sum_k w_k E ||x_k^({s}) - x^({s})||^2", p.AREA)
    for name, s in {"pot_t": "t", "pot_next": "(t+1)"}.items()
)
ref_0, ref_t, g2, noise2, het = p.measured(
    p.SLOPE**2,
    ref_0="sum_k w_k (1/n_k) sum_i ||grad f_{k,i}(x^(0)) - grad f_{k,i}(x*)||^2",
    ref_t="sum_k w_k E ||grad f_{k,i}(y_k^(t)) - grad f_{k,i}(x*)||^2",
    g2="E ||sum_k w_k g_k^(t)||^2",
    noise2="sum_k w_k E ||g_k^(t) - grad f_k(x_k^(t))||^2",
    het="sum_k w_k ||grad f_k(x*)||^2",
)
ref_next = p.formula("ref_next", "sum_k w_k E ||grad f_{k,i}(y_k^(t+1)) - grad f_{k,i}(x*)||^2", p.SLOPE**2)

# --- hypotheses

A5 = replace(p.A5, says=(Convex("f_i"), Smooth("f_i", L), StronglyConvex("f_k", p.mu)))
WEIGHTS = p.H_("w in the simplex", "w_k >= 0 and sum_k w_k = 1", None, Weighted("node", p.K))
SOLUTION = p.H_("x*", "x* minimises f", None, Minimiser("f", "x*", "space"), WholeSpace("space"))
METHOD = p.H_(
    "Algorithm 1",
    "iterates, reference points and output are those of Algorithm 1; iteration t has j = t mod tau < tau",
    le(j, theta),
)
PROBABILITY = p.H_("q<=1", "q is a probability", le(p.q, 1))
SMALL = p.H_("80 gamma l_1<=3", "gamma <= 3/(80 l_1)", le(80 * p.gamma * L, 3))
REFRESH = p.H_("gamma<=q/(4 mu)", "gamma <= q/(4 mu)", le(4 * p.gamma * p.mu, p.q))
_steps = theta * (6 * theta + 8 + 16 / (1 - p.q)) * (p.gamma * L) ** 2
_ENTRY = le(5 * sp.E * _steps, 1)
PERIOD = p.H_("gamma(tau-1)<=1/(9 l_1)", "gamma (tau - 1) <= 1/(9 l_1)", le(9 * p.gamma * L * theta, 1))
HALF = p.H_("gamma mu<=1/2", "gamma mu <= 1/2", le(2 * p.gamma * p.mu, 1))
RUN = (A5, WEIGHTS, SOLUTION, METHOD)

# --- one iteration

x, xk, yk, xs, g, gk, gi, a, ai, b, bi, s, si, ss, A, B, C, G = vectors("x xk yk xs g gk gi a ai b bi s si ss A B C G")
f_x, f_k, f_s = sp.symbols("f_x f_k f_s", real=True)
t = p.declare("t_in", "index of an iteration of Local-SVRG", latex="t", nonnegative=True, integer=True)
#: The metrics of iteration t as terms of sequences.
D, (S, P, gap) = sp.Function("D", nonnegative=True), (sp.Function(name, real=True) for name in ("S", "P", "gap"))
#: The gradient that a node takes.
gs = ai - bi + b
#: The minimum of f has no value there, as those of f and of f_{k,i} are the same number.
_VALUED = {
    "f_i": {"x": (x, gi, f_x), "x_k": (xk, ai, f_k), "solution": (xs, si, f_s)},
    "f_k": {"x": (x, gk, f_x), "x_k": (xk, a, f_k), "solution": (xs, s, f_s)},
}
ITERATION = Setting(
    depends={"xk": "past node", "yk": "past node", "xs": "past"},
    means={
        "x": Mean("xk", "node"),
        **{of: Mean(f"{of[0]}i", "xi") for of in ("gk", "a", "b", "s")},
        **{mean_: Mean(of, "node") for mean_, of in {"g": "gk", "ss": "s", "A": "ai", "B": "bi", "C": "b"}.items()},
    },
    sums={"G": A - B + C},
    weighted=("node",),
    within={"xi": "node"},
    together={"node": "samples"},
    each={"f_i": "past node xi"},
    functions={
        "f_i": {"y_k": (yk, bi, None), "x*": (xs, si, None), **_VALUED["f_i"]},
        "f_k": {"x*": (xs, s, None), **_VALUED["f_k"]},
        "f": {"x*": (xs, ss, None)},
    },
    made={"f_k": Mean("f_i", "xi"), "f": Mean("f_k", "node")},
    metrics={
        gap_t: f_x - f_s,
        dist_t: norm2(x - xs),
        dist_next: norm2(x - p.gamma * G - xs),
        V_t: norm2(xk - x),
        V_next: norm2(xk - p.gamma * gs - x + p.gamma * G),
        pot_t: (p.tau - j) * norm2(xk - x),
        # nothing is left of it after a round, where j = tau - 1
        pot_next: (theta - j) * norm2(xk - p.gamma * gs - x + p.gamma * G),
        ref_t: norm2(bi - si),
        ref_next: (1 - p.q) * norm2(bi - si) + p.q * norm2(ai - si),
        g2: norm2(G),
        noise2: norm2(gs - a),
        het: norm2(s),
    },
    free=(alpha,),
    words={
        "xk": "x_k^(t)",
        "yk": "y_k^(t)",
        "xi": "the sample of a node",
        "past": "what is drawn before iteration t",
        "samples": "the samples of all nodes",
        "f_i": "f_{k,i} at the sample i of node k",
    },
)


#: Letters of the texts.
_LETTERS = (
    "x is the weighted mean of the iterates x_k of the nodes, V is sum_k w_k E||x_k - x||^2, and sigma_t^2 is the mean "
    "of ||grad f_{k,i}(y_k) - grad f_{k,i}(x*)||^2 at iteration t."
)


def _part(name: str, title: str, text: str, statement: sp.Basic, *steps: Part, **more: Any) -> Claim:
    """A step of the proof, which the paper omits."""
    note = _LETTERS if re.search(r"\bV\b|sigma_", text) else ""
    given = {"title": title, "proof": Proof(*steps), "hypotheses": RUN, "setting": ITERATION, "note": note, **more}
    return p.stated("our own, in the proof of Proposition 3", f"prop3.{name}", text, statement, **given)


_of_means = [mean("s"), mean("ss"), stationary("f")]
#: What a sample's gradient changes from x* to the iterate of its node.
_near = le(norm2(ai - si), 4 * L * gap_t + 2 * L**2 * V_t)
_at_mean = have(
    "gradients at the mean", le(norm2(gi - si), 2 * L * gap_t), by=[smooth_convex("f_i", "x", "solution"), *_of_means]
)
_at_nodes = have("gradients at the nodes", _near, by=["gradients at the mean", lipschitz("f_i", "x", "x_k")])
_bound = 8 * L * gap_t + 4 * L**2 * V_t + 2 * ref_t
GRADIENT = _part(
    "gradient",
    "Second moments of the gradients of Local-SVRG",
    "E||sum_k w_k g_k||^2 and sum_k w_k E||g_k - grad f_k(x_k)||^2 <= 8 l_1 (E f(x) - f*) + 4 l_1^2 V + 2 sigma_t^2",
    every(le(g2, _bound), le(noise2, _bound)),
    _at_mean,
    _at_nodes,
    have(
        "less their mean",
        le(norm2(G), norm2(gs - s)),
        by=[written_out("G"), mean("A"), mean("B"), mean("C"), mean("ss"), stationary("f")],
    ),
    have("reference points", le(norm2(bi - si - b + s), ref_t), by=[mean("b"), mean("s")]),
    have("noise", le(norm2(gs - a), norm2(ai - bi)), by=[mean("a"), mean("b")]),
    qed(by=["less their mean", "gradients at the nodes", "reference points"]),
    qed(by=["noise", "gradients at the nodes"], of=1),
)
DISTANCE = _part(
    "distance",
    "The distance from the solution in an iteration",
    "E||x^+ - x*||^2 <= (1 - gamma mu) E||x - x*||^2 - 2 gamma (E f(x) - f*) + gamma l_1 V + gamma^2 E||sum_k w_k "
    "g_k||^2",
    le(dist_next, keep * dist_t - 2 * p.gamma * gap_t + p.gamma * L * V_t + p.gamma**2 * g2),
    have(
        "downhill",
        ge(dot(G, x - xs), gap_t - L / 2 * V_t + p.mu / 2 * norm2(xk - xs)),
        by=[
            convex("f_k", "x_k", "solution"),
            smooth("f_k", "x", "x_k"),
            *(mean(of) for of in "abABC"),
            written_out("G"),
        ],
    ),
    have("the mean is nearer", le(dist_t, norm2(xk - xs)), by=[mean("x")]),
    qed(by=["downhill", "the mean is nearer"]),
)
REFRESHED = _part(
    "refresh",
    "The reference points in an iteration",
    "E sigma_{t+1}^2 <= (1 - q) E sigma_t^2 + q (4 l_1 (E f(x) - f*) + 2 l_1^2 V)",
    le(ref_next, (1 - p.q) * ref_t + p.q * (4 * L * gap_t + 2 * L**2 * V_t)),
    _at_mean,
    _at_nodes,
    qed(by=["gradients at the nodes"]),
)
DRIFT = _part(
    "drift",
    "How far nodes spread in a local step",
    "V^+ <= (1 + alpha) (1 - gamma mu) V + (1 + 1/alpha) gamma^2 (2 sum_k w_k ||grad f_k(x*)||^2 + 4 l_1 (E f(x) - f*))"
    " + gamma^2 times the noise",
    le(
        V_next,
        (1 + alpha) * keep * V_t + (1 + 1 / alpha) * p.gamma**2 * (2 * het + 4 * L * gap_t) + p.gamma**2 * noise2,
    ),
    have(
        "about another point",
        le(V_next, norm2(xk - x - p.gamma * (gs - g))),
        by=[mean("x"), *(mean(of) for of in "ABC"), written_out("G")],
    ),
    have(
        "noise apart",
        le(V_next, norm2(xk - x - p.gamma * (a - g)) + p.gamma**2 * noise2),
        by=["about another point", mean("a"), mean("b")],
    ),
    have("cocoercive", ge(L * dot(a - gk, xk - x), norm2(a - gk)), by=[cocoercive("f_k", "x_k", "x")]),
    have("monotone", ge(dot(a - gk, xk - x), p.mu * V_t), by=[convex("f_k", "x_k", "x")]),
    have(
        "a step apart",
        le(norm2(xk - x - p.gamma * (a - gk)), keep * V_t),
        by=["cocoercive", "monotone"],
        multipliers=[p.gamma**2, p.gamma * (2 - p.gamma * L)],
    ),
    have(
        "gradients",
        le(norm2(gk - g), 2 * het + 4 * L * gap_t),
        by=[mean("g"), smooth_convex("f_k", "x", "solution"), mean("ss"), stationary("f")],
    ),
    have(
        "split",
        le(
            norm2(xk - x - p.gamma * (a - g)),
            (1 + alpha) * norm2(xk - x - p.gamma * (a - gk)) + (1 + 1 / alpha) * p.gamma**2 * norm2(gk - g),
        ),
    ),
    qed(
        by=["noise apart", "split", "a step apart", "gradients"],
        multipliers=[1, 1, 1 + alpha, (1 + 1 / alpha) * p.gamma**2],
    ),
    hypotheses=(*RUN, SMALL),
)
_u = p.gamma * L * theta
_ref, _pot = _R(11, 3) / p.q * p.gamma**2, _R(10, 3) * p.gamma * L
_potential = le(
    pot_next,
    keep * (pot_t - V_t / 2) + 3 * theta**2 * p.gamma**2 * (2 * het + 4 * L * gap_t) + theta * p.gamma**2 * noise2,
)
#: With it ``(tau - 1) alpha <= 1/2`` and ``1/alpha <= 3 (tau - 1) - 1``, but for ``tau = 1``.
_alpha = p.tau / (3 * theta**2 + 1)
_WHOLE = ge(theta * (theta - 1), 0)
_TAU = (
    have("one", _WHOLE, when=[le(p.tau, 1)]),
    have("several", _WHOLE, when=[ge(p.tau, 2)]),
    cases("tau is whole", _WHOLE, on=le(p.tau, 1), yes="one", no="several"),
)
_of_gap = _R(68, 3) * p.gamma * L + 12 * _pot * theta**2 * p.gamma * L + 8 * _pot * theta * p.gamma * L
_next, _now = (d + _ref * ref + _pot * pot for d, ref, pot in ((dist_next, ref_next, pot_next), (dist_t, ref_t, pot_t)))
ONE_STEP = _part(
    "step",
    "One iteration of Local-SVRG",
    "a potential at t + 1 is at most 1 - gamma mu times that at t, less gamma/2 (E f(x) - f*) plus 20 gamma^3 l_1 "
    "(tau - 1)^2 sum_k w_k ||grad f_k(x*)||^2. It is the distance + (11/(3 q)) gamma^2 sigma_t^2 + (10/3) gamma l_1 "
    "(tau - j) V",
    every(le(_next, keep * _now - p.gamma / 2 * gap_t + 20 * p.gamma**3 * L * theta**2 * het), ge(_next, 0)),
    section("The spread, by the local steps left"),
    have("gap", ge(gap_t, 0), by=[smooth_convex("f_i", "x", "solution"), *_of_means]),
    have("short steps", le(80 * p.gamma * p.mu, 3), by=[curvature("f_k")]),
    *_TAU,
    have(
        "local step",
        le(*(side.xreplace({alpha: _alpha}) for side in conjuncts(DRIFT.statement)[0].args)),
        by=[cite(DRIFT.id, at={alpha: _alpha})],
    ),
    have("the spread", _potential, by=["local step", "gap", "short steps", "tau is whole"]),
    section("All together"),
    have("share of the gap", le(_of_gap, _R(3, 2))),
    have(
        "share of the spread",
        le(1 + _R(34, 3) * p.gamma * L + 4 * _pot * theta * p.gamma * L, _R(5, 3) * keep),
        by=["short steps"],
    ),
    have("share of the reference points", le(2 + 2 * _pot * theta, _R(11, 3) * (1 - p.gamma * p.mu / p.q))),
    qed(
        of=1,
        by=[
            "the spread",
            cite(DISTANCE.id),
            cite(GRADIENT.id),
            cite(REFRESHED.id),
            "gap",
            *(f"share of the {of}" for of in ("gap", "spread", "reference points")),
        ],
        multipliers=[_pot, 1, p.gamma**2, _pot * theta * p.gamma**2, _ref, p.gamma * (_R(3, 2) - _of_gap)],
    ),
    qed(),
    hypotheses=(*RUN, PROBABILITY, SMALL, PERIOD, REFRESH),
)

# --- all iterations

x0, gi0, xb, xt, gb, gt_ = vectors("x0 gi0 xb xt gb gt")
f_b, f_t, f_o = sp.symbols("f_b f_t f_o", real=True)
START = replace(
    ITERATION,
    depends={"x0": "past", "xs": "past"},
    means={},
    sums={},
    functions={"f_i": {"x0": (x0, gi0, None), "x*": (xs, si, None)}},
    metrics={dist_0: norm2(x0 - xs), ref_0: norm2(gi0 - si)},
    free=(),
    words={"x0": "x^(0)", "xs": "x*"},
)
FIRST = _part(
    "start",
    "The reference points at the start",
    "sigma_0^2 <= l_1^2 ||x^(0) - x*||^2",
    le(ref_0, L**2 * dist_0),
    qed(by=[lipschitz("f_i", "x0", "x*")]),
    setting=START,
)
OUTPUT = Setting(
    depends={"xt": "past iteration", "xs": "past"},
    means={"xb": Mean("xt", "iteration")},
    weighted=("node",),
    within={"xi": "node"},
    together={"node": "samples"},
    each={"f_i": "past node xi"},
    functions={"f": {"x_t": (xt, gt_, f_t), "output": (xb, gb, f_b), "x*": (xs, None, f_o)}},
    made=ITERATION.made,
    metrics={gap_out: f_b - f_o, gap_mean: f_t - f_o},
    sequences={
        **{dist_t: D(t), ref_t: S(t), pot_t: P(t), gap_t: gap(t)},
        **{dist_next: D(t + 1), ref_next: S(t + 1), pot_next: P(t + 1)},
        gap_mean: sp.Sum(grow ** (t + 1) * gap(t), (t, 0, p.T)) / U,
        dist_0: D(0),
        ref_0: S(0),
        P(0): sp.S.Zero,
    },
    others=(ITERATION, START),
    fixed=(het, p.gamma, p.mu, p.tau, p.q),
    words={"xt": "x^(t)", "iteration": "t, by the weights u_t"},
)
_WHERE = {grow: 1 / keep, U: sp.Sum(grow ** (t + 1), (t, 0, p.T))}
k, rounds = (sp.Symbol(name, integer=True, positive=True) for name in ("k", "horizon"))
_left = D(t) + _ref * S(t) + _pot * P(t)
_noise = 20 * p.gamma**3 * L * theta**2 * het
WEIGHTED = _part(
    "weights",
    "The weights of the output",
    "U_T >= u_T and U_T >= T + 1",
    every(ge(U, p.T + 1), ge(U, grow ** (p.T + 1))),
    have("growth >= 1", ge(grow, 1), by=[unfold(grow)]),
    raised("weights", "growth >= 1", to=t + 1),
    summed("sum of weights", "weights", over=t, start=0, last=p.T),
    total("the last of them", ge(sp.Sum(grow**k, (k, 1, rounds)), grow**rounds), rounds, above={grow: 1}),
    special("last weight", "the last of them", {rounds: p.T + 1}),
    qed(by=["sum of weights", unfold(U)]),
    qed(by=["last weight", unfold(U)], of=1),
    hypotheses=(METHOD, HALF),
    where=_WHERE,
    setting=OUTPUT,
)
_start, _floor = 1 + _R(11, 3) * p.gamma**2 * L**2 / p.q, 40 * L * p.gamma**2 * theta**2 * het
SHARP = _part(
    "sharp",
    "Local-SVRG, with the sum of the weights",
    "E f(xb^(T)) - f* <= (2/(gamma U_T)) (1 + 11 gamma^2 l_1^2/(3 q)) ||x^(0) - x*||^2 + 40 l_1 gamma^2 (tau - 1)^2 "
    "sum_k w_k ||grad f_k(x*)||^2",
    le(gap_out, 2 / (p.gamma * U) * _start * dist_0 + _floor),
    section("The weights"),
    have("short steps", le(80 * p.gamma * p.mu, 3), by=[curvature("f_k")]),
    have("growth >= 1", ge(grow, 1), by=["short steps", unfold(grow)]),
    raised("weights", "growth >= 1", to=t + 1),
    have("U_T > 0", gt(U, 0), by=[cite(WEIGHTED.id), "short steps"]),
    have("U_T", eq(U, sp.Sum(grow ** (t + 1), (t, 0, p.T))), by=[unfold(U)]),
    raised("last weight", "growth >= 1", to=p.T + 1),
    section("From one iteration to all"),
    have(
        "recursion",
        le(_left.subs(t, t + 1), _left / grow - p.gamma / 2 * gap(t) + _noise),
        by=[cite(ONE_STEP.id), unfold(grow), SEQUENCES],
    ),
    have("potential", ge(_left.subs(t, t + 1), 0), by=[cite(ONE_STEP.id), SEQUENCES]),
    special("the last potential", "potential", {t: p.T}),
    summed("all iterations", "recursion", over=t, start=0, last=p.T, weight=grow ** (t + 1), by=["weights"]),
    have("Jensen", le(gap_out, gap_mean), by=[convex("f", "output", "x_t"), mean("xb")]),
    qed(
        by=[
            "all iterations",
            "the last potential",
            "Jensen",
            "U_T",
            "U_T > 0",
            "last weight",
            cite(FIRST.id),
            SEQUENCES,
        ]
    ),
    hypotheses=(*RUN, PROBABILITY, SMALL, PERIOD, REFRESH),
    where=_WHERE,
    setting=OUTPUT,
)
_ROUND = (
    have("second entry", _ENTRY),
    have("e", ge(10 * sp.E, 27)),
    have("second entry, without e", le(27 * _steps, 2), by=["e", "second entry"]),
    have("few local steps, squared", le(81 * _u**2, 1), by=["second entry, without e"]),
    raised("few local steps", "few local steps, squared", to=_R(1, 2)),
    have("in a round", PERIOD.relation, by=["few local steps"]),
    have("most is kept", ge(keep, _R(77, 80)), by=[curvature("f_k")]),
    raised("power", "most is kept", to=p.T),
)
#: Half of the bound of Proposition 3.
HALVED = keep ** (p.T + 1) * 2 / p.gamma * _start * dist_0 + _floor
HALVED_BOUND = _part(
    "half",
    "Local-SVRG, with the last weight",
    "E f(xb^(T)) - f* <= (2/gamma) (1 - gamma mu)^(T+1) (1 + 11 gamma^2 l_1^2/(3 q)) ||x^(0) - x*||^2 + 40 l_1 gamma^2 "
    "(tau - 1)^2 sum_k w_k ||grad f_k(x*)||^2",
    le(gap_out, HALVED),
    *_ROUND,
    have("U_T > 0", gt(U, 0), by=[cite(WEIGHTED.id), "most is kept"]),
    have("last weight", ge(U, grow ** (p.T + 1)), by=[cite(WEIGHTED.id), "most is kept"]),
    have(
        "inverse",
        le(1 / U, keep ** (p.T + 1)),
        by=["last weight", "U_T > 0", "most is kept", "power", unfold(grow)],
    ),
    qed(by=["inverse", "U_T > 0", cite(SHARP.id), "in a round", SEQUENCES]),
    hypotheses=(*RUN, of.CHANCE, of.STEP),
    where=_WHERE,
    setting=OUTPUT,
)
_printed = 4 + _R(32, 3) * p.gamma**2 * L**2 / p.q + 30 * sp.E * p.gamma**3 * L**3 * theta * (2 + p.q) / p.q
PROPOSITION3 = p.claim(
    "prop3",
    "Proposition 3",
    Kind.BOUND,
    "E f(xb^(T)) - f(x*) <= (1/gamma) (1 - gamma mu)^(T+1) c ||x^(0) - x*||^2 + (45 e/2) l_1 gamma^2 (tau - 1)^2 "
    "sum_k w_k ||grad f_k(x*)||^2. Here c = 4 + 32 gamma^2 l_1^2/(3 q) + 30 e gamma^3 l_1^3 (tau - 1) (2 + q)/q",
    le(gap_out, keep ** (p.T + 1) / p.gamma * _printed * dist_0 + _R(45, 2) * sp.E * L * p.gamma**2 * theta**2 * het),
    equation="45",
    follows_from=("prop3.half",),
    title="Convergence of Local-SVRG",
    hypotheses=(*RUN, of.CHANCE, of.STEP),
    note="With a root over 5 e alone gamma_0 is smaller for tau > 1. For q = 1 the second entry of (17) has no "
    "meaning, and no method needs it (prop3.sharp).",
    where=_WHERE,
    setting=OUTPUT,
    proof=Proof(*_ROUND, qed(by=[cite(HALVED_BOUND.id), "most is kept", "power", "e", SEQUENCES])),
)
CLAIMS: tuple[Claim, ...] = (
    *(PROPOSITION3, GRADIENT, DISTANCE, REFRESHED, DRIFT, ONE_STEP, FIRST, WEIGHTED, SHARP, HALVED_BOUND),
)
