"""Theorem 1 with its proof, (35) to (38): for every draw of the data, and with high probability.

For every draw (35) to (37) hold. (38) and the last chain use that ``L_0`` is ``l_0``-Lipschitz, which Assumption 1 says
of the nodes 1, ..., K alone: where node 0 is steep the theorem fails by any factor. Against one fixed ``w*`` the
training data cost ``n_train^(-1/2)``, without ``K``, and ``1/n_train`` where ``theta*`` is interior.
"""

from dataclasses import replace
from functools import partial
from typing import Any

import sympy as sp

from rateproof.theory.assumptions import (
    BoundedDifferences,
    BoundedVariance,
    ClosedConvex,
    Independent,
    Minimiser,
    Smooth,
    StronglyConvex,
    Unbiased,
    Weighted,
)
from rateproof.theory.claim import Claim, Hypothesis, Switch
from rateproof.theory.gram import dot, norm2, vectors
from rateproof.theory.papers.fedweight import lemma2, lemma3
from rateproof.theory.papers.fedweight import notation as p
from rateproof.theory.papers.fedweight.lemma2 import A4_SWITCH, a4_switch, l_max
from rateproof.theory.probability import Pr
from rateproof.theory.proof import (
    Mean,
    Proof,
    Setting,
    Step,
    cite,
    convex,
    dudley,
    have,
    logarithm,
    mcdiarmid,
    optimal,
    qed,
    raised,
    section,
    supposed,
    unfold,
    variance,
)
from rateproof.theory.shorthand import amended, claims_in, eq, every, ge, le, premise
from rateproof.theory.symbols import NONNEG, POS
from rateproof.theory.units import LENGTH

_PLACE = "proof of Theorem 1"
_stated, _theorem = (partial(p.stated, place) for place in (_PLACE, "Theorem 1"))

# --- (35) to (37), at any weights

sum_t, sum_h, emp_t, emp_h = (
    p.formula(name, text, p.LOSS)
    for name, text in (
        ("sum_t", "sum_k w_k L_k(theta(w))"),
        ("sum_h", "sum_k w_k L_k(theta^(w))"),
        ("emp_t", "sum_k w_k L^_k(theta(w))"),
        ("emp_h", "sum_k w_k L^_k(theta^(w))"),
    )
)
move2 = p.formula("move2", "||theta(w) - theta^(w)||^2", p.AREA, **NONNEG)
THETA = p.H_("Theta", "Theta is closed and convex, as strong convexity on it supposes", None, ClosedConvex("Theta"))
CONVEX_SUMS = p.H_(
    "A1.3 of the sums",
    "sum_k w_k L_k and sum_k w_k L^_k are mu-strongly convex, as every L^_k is and L_k is its mean",
    None,
    StronglyConvex("f", p.mu),
    StronglyConvex("f^", p.mu),
)
SMOOTH_SUMS = p.H_(
    "A1.1 of the sums",
    "the gradients of sum_k w_k L_k and sum_k w_k L^_k are l_1-Lipschitz, as every grad l(.; z) is",
    None,
    Smooth("f", p.l1),
    Smooth("f^", p.l1),
)
INNER = p.H_(
    "inner problems",
    "theta(w) and theta^(w) minimise sum_k w_k L_k and sum_k w_k L^_k over Theta",
    None,
    Minimiser("f", "theta(w)", "Theta"),
    Minimiser("f^", "theta^(w)", "Theta"),
)
SUPREMUM = p.H_(
    "dev_w",
    "no |sum_k w_k (L^_k - L_k)(theta)| is larger than their supremum",
    every(le(sum_h - emp_h, p.dev_w), le(emp_t - sum_t, p.dev_w)),
)
t, h, gt, gh, et, eh = vectors("t h gt gh et eh")
f_t, f_h, e_t, e_h, inside = sp.symbols("f_t f_h e_t e_h inside", real=True)
SUMS = Setting(
    depends={"t": "", "h": ""},
    functions={
        "f": {"theta(w)": (t, gt, f_t), "theta^(w)": (h, gh, f_h)},
        "f^": {"theta(w)": (t, et, e_t), "theta^(w)": (h, eh, e_h)},
        "Theta": {"theta(w)": (t, t, inside), "theta^(w)": (h, h, inside)},
    },
    metrics={sum_t: f_t, sum_h: f_h, emp_t: e_t, emp_h: e_h, move2: norm2(t - h)},
    measured=(p.dev_w,),
    words={"t": "theta(w)", "h": "theta^(w)", "f": "sum_k w_k L_k", "f^": "sum_k w_k L^_k"},
)
AT = ("theta(w)", "theta^(w)")
_OF_SUMS = (THETA, SMOOTH_SUMS, CONVEX_SUMS, INNER)


def _inner(cid: str, equation: str, title: str, text: str, said: sp.Basic, *more: Hypothesis, **rest: Any) -> Claim:
    given = {"equation": equation, "title": title, "setting": SUMS, **rest}
    return p.step(_PLACE, f"ps-12.{cid}", text, said, *_OF_SUMS, *more, **given)


_BOTH = sum_h - emp_h + emp_t - sum_t
PS_12 = p.composite(
    "ps-12",
    _PLACE,
    "How far the data move the inner solution",
    "(35) and (36) at any weights, and (37), their sum and what Lemma 3 makes of it",
)
EQ35 = _inner(
    "a",
    "35",
    "Strong convexity of the true losses",
    "(mu/2) ||theta(w) - theta^(w)||^2 <= sum_k w_k L_k(theta^(w)) - sum_k w_k L_k(theta(w))",
    le(p.mu / 2 * move2, sum_h - sum_t),
    by=[convex("f", *AT), optimal("f")],
)
EQ36 = _inner(
    "b",
    "36",
    "Strong convexity of the losses on the data",
    "(mu/2) ||theta(w) - theta^(w)||^2 <= sum_k w_k L^_k(theta(w)) - sum_k w_k L^_k(theta^(w))",
    le(p.mu / 2 * move2, emp_t - emp_h),
    by=[convex("f^", *AT), optimal("f^")],
)

EQ37_SUM = _inner(
    "c",
    "37",
    "Sum of (35) and (36)",
    "mu ||theta(w) - theta^(w)||^2 <= sum_k w_k L_k(theta^(w)) - sum_k w_k L^_k(theta^(w)) + "
    "sum_k w_k L^_k(theta(w)) - sum_k w_k L_k(theta(w))",
    le(p.mu * move2, _BOTH),
    by=[cite(EQ35), cite(EQ36)],
)
EQ37_DEVIATION = _inner(
    "d",
    "37",
    "Two deviations of sums of losses",
    "the right side of the sum of (35) and (36) is at most 2 sup_{theta, w} |sum_k w_k (L^_k - L_k)(theta)|",
    le(_BOTH, 2 * p.dev_w),
    SUPREMUM,
)

#: The two sizes of the bounds; the steps are true of any.
A = p.declare("A_size", "(nu_H + log(1/delta))/n_valid", latex="A", **POS)
B = p.declare("B_size", "K b^2 (nu_H + K + log(1/delta))/n_train", latex="B", **POS)

# --- (38), in numbers: losses of node 0 at theta^(w^), theta(w^), theta^(w*), theta(w*), and how far these are apart


def _loss(name: str, of: str) -> sp.Symbol:
    return p.formula(name, of, p.LOSS)


F_w, F_min = _loss("F_pop_w", "F(w^)"), _loss("F_pop_min", "min F")
L_hw, L_tw, L_hs, L_ts = (
    _loss(name, f"L_0({at})")
    for name, at in (("L_hw", "theta^(w^)"), ("L_tw", "theta(w^)"), ("L_hs", "theta^(w*)"), ("L_ts", "theta(w*)"))
)
L_star = _loss("L_star", "L_0(theta*)")
E_hw, E_hs = _loss("E_hw", "L^_0(theta^(w^))"), _loss("E_hs", "L^_0(theta^(w*))")
d_w = p.formula("d_w", "||theta^(w^) - theta(w^)||", LENGTH, **NONNEG)
d_s = p.formula("d_s", "||theta^(w*) - theta(w*)||", LENGTH, **NONNEG)

OUTER_VALUE = p.H_("F", "F(w) = L_0(theta(w)), and w* is in W*: it minimises F", every(eq(F_w, L_tw), eq(F_min, L_ts)))
NODE_0 = p.H_(
    "A1.2 at node 0, at these points",
    "L_0 is l_0-Lipschitz, too",
    every(le(L_tw - L_hw, p.l0 * d_w), le(L_hw - L_tw, p.l0 * d_w), le(L_hs - L_ts, p.l0 * d_s)),
)
DEVIATION_0 = p.H_(
    "dev_0", "no |L_0 - L^_0| is larger than its supremum", every(le(L_hw - E_hw, p.dev_0), le(E_hs - L_hs, p.dev_0))
)
EVENT_0 = p.H_("event of Lemma 2", "dev_0 <= C_0 A^(1/2)", le(p.dev_0, p.C_0 * sp.sqrt(A)))
EVENT_37 = p.H_(
    "event of (37)",
    "mu ||theta^(w) - theta(w)||^2 <= 2 C_a B^(1/2) for w = w^ and w = w*, as (37) says",
    every(le(p.mu * d_w**2, 2 * p.C_a * sp.sqrt(B)), le(p.mu * d_s**2, 2 * p.C_a * sp.sqrt(B))),
)
OPTIMAL = p.H_("w^", "w^ minimises F^ over the capped simplex: L^_0(theta^(w^)) <= L^_0(theta^(w*))", le(E_hw, E_hs))
LEARNED = p.H_("A2 at w*", "theta(w*) = theta*, as A2 says", eq(L_ts, L_star))
STEEP = Switch(
    "Assumption 1",
    "of the nodes 1, ..., K",
    "of node 0 as well",
    "node 0 has no loss among L^_1, ..., L^_K, so that A1 does not bound its slope",
    adding=(NODE_0,),
    origin="the sentence after (38), which uses Assumption 1 for L_0",
)
_STEEP = "A1 bounds the slopes of the nodes 1, ..., K, and L_0 is that of node 0"

a_w, a_s = vectors("a_w a_s")
IN_NUMBERS = Setting(
    depends={"a_w": "", "a_s": ""},
    metrics={d_w**2: norm2(a_w), d_s**2: norm2(a_s)},
    measured=(F_w, F_min, L_hw, L_tw, L_hs, L_ts, L_star, E_hw, E_hs, p.dev_0, d_w, d_s),
    words={"a_w": "theta^(w^) - theta(w^)", "a_s": "theta^(w*) - theta(w*)"},
)


def _link(cid: str, title: str, text: str, statement: sp.Basic, *hypotheses: Hypothesis, **rest: Any) -> Claim:
    """A link of (38), or of the chain after it."""
    given = {"equation": "38", "title": title, "setting": IN_NUMBERS, **rest}
    return p.step(_PLACE, f"ps-13.{cid}", text, statement, *hypotheses, **given)


_moves = p.l0 * d_w + p.l0 * d_s
_valid = 2 * p.C_0 * sp.sqrt(A)
_root = p.l0 * sp.sqrt(2 * p.C_a / p.mu) * B ** sp.Rational(1, 4)
PS_13 = p.composite(
    "ps-13",
    _PLACE,
    "From the validation loss to the true one",
    "(38), the chain for F(w^) - min F, and the one for L_0(theta^(w^)) - L_0(theta*) after it",
)
EQ38_A = _link(
    "a",
    "F is L_0 at the true inner solution",
    "F(w^) - min F = L_0(theta(w^)) - L_0(theta(w*))",
    eq(F_w - F_min, L_tw - L_ts),
    OUTER_VALUE,
)
EQ38_B = _link(
    "b",
    "Data in the inner problem",
    "L_0(theta(w^)) - L_0(theta(w*)) <= L_0(theta^(w^)) - L_0(theta^(w*)) + l_0 ||theta^(w^) - theta(w^)|| + "
    "l_0 ||theta^(w*) - theta(w*)||",
    le(L_tw - L_ts, L_hw - L_hs + _moves),
    *p.A1,
    p.A2,
    switches=(STEEP,),
    proof=None,
)
EQ38_B_CORRECTED = amended(
    EQ38_B,
    _STEEP,
    text=EQ38_B.text + ", where L_0 is l_0-Lipschitz, too",
    hypotheses=(NODE_0,),
    origin=STEEP.origin,
    proof=Proof(qed(by=[supposed(NODE_0.key)])),
)
EQ38_C = _link(
    "c",
    "Data in the outer problem",
    "L_0(theta^(w^)) - L_0(theta^(w*)) + l_0 ||theta^(w^) - theta(w^)|| + l_0 ||theta^(w*) - theta(w*)|| <= "
    "L^_0(theta^(w^)) - L^_0(theta^(w*)) + 2 C_0 A^(1/2) + the same two terms",
    le(L_hw - L_hs + _moves, E_hw - E_hs + _valid + _moves),
    DEVIATION_0,
    EVENT_0,
)


def _root_of(at: str, distance: sp.Symbol) -> tuple[Step, ...]:
    """The distance of ``theta^`` to ``theta`` from its square."""
    square = le(distance**2, 2 * p.C_a / p.mu * sp.sqrt(B))
    return (
        have(f"square of {at}", square, by=[supposed(EVENT_37.key)]),
        raised(f"distance of {at}", f"square of {at}", to=sp.Rational(1, 2)),
    )


EQ38_D = _link(
    "d",
    "Optimality of w^, and (37)",
    "L^_0(theta^(w^)) - L^_0(theta^(w*)) + 2 C_0 A^(1/2) + l_0 ||theta^(w^) - theta(w^)|| + l_0 ||theta^(w*) - "
    "theta(w*)|| <= 2 C_0 A^(1/2) + 2 l_0 (2 C_a/mu)^(1/2) B^(1/4)",
    le(E_hw - E_hs + _valid + _moves, _valid + 2 * _root),
    OPTIMAL,
    EVENT_37,
    proof=Proof(
        *_root_of("w^", d_w), *_root_of("w*", d_s), qed(by=[supposed("w^"), "distance of w^", "distance of w*"])
    ),
)
_AFTER = L_tw - L_ts
CHAIN_A = _link(
    "e",
    "The excess, split",
    "L_0(theta^(w^)) - L_0(theta*) = L_0(theta^(w^)) - L_0(theta(w^)) + L_0(theta(w^)) - L_0(theta(w*))",
    eq(L_hw - L_star, L_hw - L_tw + _AFTER),
    LEARNED,
    equation="",
)
CHAIN_B = _link(
    "f",
    "Data in the inner problem, again",
    "L_0(theta^(w^)) - L_0(theta(w^)) + L_0(theta(w^)) - L_0(theta(w*)) <= l_0 ||theta^(w^) - theta(w^)|| + "
    "L_0(theta(w^)) - L_0(theta(w*))",
    le(L_hw - L_tw + _AFTER, p.l0 * d_w + _AFTER),
    *p.A1,
    equation="",
    switches=(STEEP,),
    proof=None,
)
CHAIN_B_CORRECTED = amended(
    CHAIN_B,
    _STEEP,
    text=CHAIN_B.text + ", where L_0 is l_0-Lipschitz, too",
    hypotheses=(NODE_0,),
    origin=STEEP.origin,
    proof=Proof(qed(by=[supposed(NODE_0.key)])),
)
OF_38 = p.H_(
    "(38)",
    "L_0(theta(w^)) - L_0(theta(w*)) <= 2 C_0 A^(1/2) + 2 l_0 (2 C_a/mu)^(1/2) B^(1/4)",
    le(_AFTER, _valid + 2 * _root),
)
CHAIN_C = _link(
    "g",
    "Bounds (37) and (38), put in",
    "l_0 ||theta^(w^) - theta(w^)|| + L_0(theta(w^)) - L_0(theta(w*)) <= 2 C_0 A^(1/2) + "
    "3 l_0 (2 C_a/mu)^(1/2) B^(1/4)",
    le(p.l0 * d_w + _AFTER, _valid + 3 * _root),
    EVENT_37,
    OF_38,
    equation="",
    proof=Proof(*_root_of("w^", d_w), qed(by=["distance of w^", supposed("(38)")])),
)

# --- footnote 2

C_rho = p.declare("C_rho", "constant of the transferability of footnote 2", latex=r"C_\rho", **POS)
slope_0 = p.declare("M_0", "Lipschitz constant of L_0 on Theta", p.SLOPE, latex="M", **POS)
rise = p.formula("rise_0", "L_0(theta) - L_0(theta(w))", p.LOSS)
gap = p.formula("gap_w", "sum_k w_k (L_k(theta) - L_k(theta(w)))", p.LOSS, **NONNEG)
far = p.formula("far_w", "||theta - theta(w)||", LENGTH, **NONNEG)
SLOPE_0 = p.H_(
    "slope of L_0",
    "L_0 is M-Lipschitz on Theta: A1.3 and losses in [0, 1] bound Theta, and A1.1 bounds the gradients of L_0 there",
    le(rise, slope_0 * far),
)
GROWTH = p.stated(
    "Section 3",
    "thm1.growth",
    "(mu/2) ||theta - theta(w)||^2 <= sum_k w_k (L_k(theta) - L_k(theta(w))) for all theta and w",
    le(p.mu / 2 * far**2, gap),
    title="Growth of the true losses",
    hypotheses=_OF_SUMS,
    note="Not displayed: it is (35) at any theta, for footnote 2.",
    setting=replace(
        SUMS,
        functions={
            "f": {"theta(w)": (t, gt, f_t), "theta": (h, gh, f_h)},
            "f^": {"theta(w)": (t, et, e_t), "theta": (h, eh, e_h)},
            "Theta": {"theta(w)": (t, t, inside), "theta": (h, h, inside)},
        },
        metrics={gap: f_h - f_t, far**2: norm2(t - h)},
        measured=(far,),
        words={**SUMS.words, "h": "theta"},
    ),
    proof=Proof(qed(by=[convex("f", "theta(w)", "theta"), optimal("f")])),
)
FN2 = p.stated(
    "Section 3",
    "thm1.fn2",
    "a (rho, C_rho)-transferable assumption holds with rho = 2: L_0(theta) - L_0(theta(w)) <= C_rho (sum_k w_k (L_k("
    "theta) - L_k(theta(w))))^(1/2) for all theta and w",
    le(rise, C_rho * sp.sqrt(gap)),
    title="Transferability, footnote 2",
    hypotheses=(
        premise(GROWTH),
        SLOPE_0,
        p.H_("C_rho", "C_rho is at least M (2/mu)^(1/2)", ge(C_rho, slope_0 * sp.sqrt(2 / p.mu))),
    ),
    note="The paper prints no definition; the formula is how we read that of Chen et al. (2021a), whose text was not "
    "compared. M is l_0 where A1.2 holds of node 0, too.",
    follows_from=("thm1.growth",),
    setting=Setting(
        depends={"a_w": ""},
        metrics={far**2: norm2(a_w)},
        measured=(rise, far),
        words={"a_w": "theta - theta(w)"},
    ),
    proof=Proof(
        have("squares", le(far**2, 2 / p.mu * gap), by=[supposed(GROWTH.item)]),
        raised("roots", "squares", to=sp.Rational(1, 2)),
        have("slope", le(rise, slope_0 * sp.sqrt(2 / p.mu) * sp.sqrt(gap)), by=["roots", supposed(SLOPE_0.key)]),
        qed(by=["slope", supposed("C_rho")]),
    ),
)

# --- with high probability

_fourth = sp.Rational(1, 4)
_Q = p.l0 / sp.sqrt(p.mu)
move = p.declare(
    "move_w", "sup_w ||theta^(w) - theta(w)||", LENGTH, latex=r"\sup_w\|\hat\theta(w)-\theta(w)\|", **NONNEG
)
LEMMA2, LEMMA3 = premise(lemma2.LEMMA2), premise(lemma3.LEM3_I)
ASSUMED = (*p.A1, p.A2, p.A4, p.CAP, p.DELTA)
_AB = {symbol: p.DEFINED[symbol] for symbol in (p.A, p.B)}
#: What is measured, draw by draw.
EXCESS = p.H_("excess", "the excess is L_0(theta^(w^)) - L_0(theta*)", eq(p.excess, L_hw - L_star))
EXCESS_POP = p.H_("excess_pop", "F(w^) - min F = L_0(theta(w^)) - L_0(theta(w*))", eq(p.excess_pop, L_tw - L_ts))
EQ37_ANY = _inner(
    "e",
    "37",
    "Inner solutions at any weights",
    "mu ||theta(w) - theta^(w)||^2 <= 2 sup_{theta, w} |sum_k w_k (L^_k - L_k)(theta)| for any w",
    le(p.mu * move2, 2 * p.dev_w),
    SUPREMUM,
    proof=Proof(qed(by=[cite(EQ37_SUM), cite(EQ37_DEVIATION)])),
)
LARGEST = _inner(
    "g",
    "37",
    "The inner solutions that are farthest apart",
    "mu sup_w ||theta(w) - theta^(w)||^2 <= 2 sup_{theta, w} |sum_k w_k (L^_k - L_k)(theta)|",
    le(p.mu * move**2, 2 * p.dev_w),
    SUPREMUM,
    p.H_("largest", "w are the weights at which the distance is largest"),
    proof=EQ37_ANY.proof,
    setting=replace(SUMS, metrics={**SUMS.metrics, move**2: norm2(t - h)}, measured=(p.dev_w, move), others=(SUMS,)),
)
EVERY_W = premise(LARGEST)
MOVES = p.H_("moves", "w^ and w* are some of these w", every(le(d_w, move), le(d_s, move)))
DRAW = (EXCESS, EXCESS_POP, OPTIMAL, DEVIATION_0, LEARNED, EVERY_W, MOVES)
_two = 2 * p.C_0 * sp.sqrt(p.A)
_one_move = p.l0 * sp.sqrt(2 * p.C_a / p.mu) * p.B**_fourth
EQ37 = _stated(
    "ps-12.f",
    "mu ||theta(w) - theta^(w)||^2 <= 2 C_a B^(1/2) for all w, with probability at least 1 - delta",
    ge(Pr(le(p.mu * move**2, 2 * p.C_a * sp.sqrt(p.B))), 1 - p.delta),
    equation="37",
    title="The inner solution at all weights",
    hypotheses=(p.DELTA, LEMMA3, EVERY_W),
    where={p.B: p.DEFINED[p.B]},
    follows_from=("ps-12.e", "lem3.i"),
    proof=Proof(
        logarithm("log", 1 / p.delta, below=True),
        have("B", ge(p.B, 0), by=["log", supposed(p.DELTA.key), unfold(p.B)]),
        qed(by=[supposed(LEMMA3.key), supposed(EVERY_W.key), "B"]),
    ),
)
FROM_BOTH = (a4_switch(*DRAW), STEEP)
FN3 = _stated(
    "thm1.fn3",
    "F(w^) - min F <= 2 C_0 A^(1/2) + 2 l_0 (2 C_a/mu)^(1/2) B^(1/4) with probability at least 1 - 2 delta",
    ge(Pr(le(p.excess_pop, _two + 2 * _one_move)), 1 - 2 * p.delta),
    equation="38",
    title="The true outer objective at w^",
    hypotheses=(*ASSUMED, LEMMA2, LEMMA3),
    where=_AB,
    switches=FROM_BOTH,
    follows_from=("ps-13.a", "ps-13.b", "ps-13.c", "ps-13.d"),
)
THEOREM1_EXPL = _stated(
    "thm1.expl",
    "L_0(theta^(w^)) - L_0(theta*) <= 2 C_0 A^(1/2) + 3 l_0 (2 C_a/mu)^(1/2) B^(1/4) with probability at least "
    "1 - 2 delta",
    ge(Pr(le(p.excess, _two + 3 * _one_move)), 1 - 2 * p.delta),
    title="The bound with the constants of the proof",
    hypotheses=(*ASSUMED, LEMMA2, LEMMA3),
    where=_AB,
    switches=FROM_BOTH,
    follows_from=("thm1.fn3", "ps-13.e", "ps-13.f", "ps-13.g"),
)
#: Both bounds, from what Lemmas 2 and 3 say as printed.
_GIVEN: dict[str, Any] = {
    "hypotheses": (p.DELTA, LEMMA2, LEMMA3, *DRAW, NODE_0),
    "follows_from": ("ps-12.e",),
    "setting": Setting(others=(lemma2.FREE, lemma3.DRAWN)),
    "proof": Proof(
        lemma2.LOG,
        lemma2.ONE_OVER,
        *(have(str(x), ge(x, 0), by=["log(1/delta)", unfold(x)]) for x in (p.A, p.B)),
        have(
            "squares",
            ge(Pr(le(move**2, 2 * p.C_a * sp.sqrt(p.B) / p.mu)), 1 - p.delta),
            by=[supposed(LEMMA3.key), supposed(EVERY_W.key), "B_train"],
        ),
        raised("distances", "squares", to=sp.Rational(1, 2), by=["B_train"]),
        have(
            "at w^ and w*",
            ge(Pr(every(le(p.l0 * d_w, _one_move), le(p.l0 * d_s, _one_move))), 1 - p.delta),
            by=["distances", "B_train", supposed("moves")],
        ),
        qed(by=["A_valid", "B_train", "at w^ and w*", *(supposed(h.key) for h in (LEMMA2, *DRAW[:-2], NODE_0))]),
    ),
}
FN3_GIVEN, THEOREM1_EXPL_GIVEN = (
    amended(claim, _STEEP, part="given", text=f"{claim.text}, where L_0 is l_0-Lipschitz, too", **_GIVEN)
    for claim in (FN3, THEOREM1_EXPL)
)
#: What Lemmas 2 and 3 give, with the constants of their proofs.
u_valid = p.declare("u_valid", "bound of Lemma 2 as corrected", p.LOSS, latex="u", defined=True, **POS)
VALID = l_max * (
    12 * sp.sqrt(p.nu * (sp.log(4 * p.C_H) + 1) / p.n_valid) + sp.sqrt(sp.log(2 / p.delta) / (2 * p.n_valid))
)
v_train = p.declare("v_train", "bound of (21) as corrected", p.LOSS, latex="u'", defined=True, **POS)
TRAIN = (
    l_max
    * p.b
    * sp.sqrt(p.K / p.n_train)
    * (12 * sp.sqrt((p.nu + p.K) * (sp.log(8 * p.C_H) + 1)) + sp.sqrt(sp.log(2 / p.delta) / 2))
)
LEVELS = {u_valid: VALID, v_train: TRAIN}
_U = "Here u = 12 (nu_H (log(4 C_H) + 1)/n_valid)^(1/2) + (log(2/delta)/(2 n_valid))^(1/2) as in Lemma 2"
_V = "And u' = b (K/n_train)^(1/2) (12 ((nu_H + K) (log(8 C_H) + 1))^(1/2) + (log(2/delta)/2)^(1/2)) as in (21)"
_LOGS = (
    logarithm("log 2/delta", 2 / p.delta, below=True),
    have("level", ge(sp.log(2 / p.delta), 0), by=["log 2/delta", supposed(p.DELTA.key)]),
    logarithm("log C_H", p.C_H, below=True),
    have("balls", ge(sp.log(p.C_H), 0), by=["log C_H", dudley("H")]),
)
#: Both levels are numbers that are not negative.
SIGNS = (
    *_LOGS,
    *(
        have(name, ge(level, 0), by=[unfold(level), "level", "balls"])
        for name, level in (("u", u_valid), ("v", v_train))
    ),
)
OF_VALID = (
    *_LOGS,
    have(
        "validation",
        ge(Pr(le(p.dev_0, u_valid)), 1 - p.delta),
        by=[cite("fedweight.lem2.corrected"), unfold(u_valid), "level", "balls"],
    ),
)
_far_off = p.l0 * sp.sqrt(2 * v_train / p.mu)
_TO_ALL_W = (
    *OF_VALID,
    SIGNS[-1],
    have(
        "training",
        ge(Pr(le(p.dev_w, v_train)), 1 - p.delta),
        by=[cite("fedweight.lem3.i.corrected"), unfold(v_train), "level", "balls"],
    ),
    have("squares", ge(Pr(le(move**2, 2 * v_train / p.mu)), 1 - p.delta), by=["training", supposed(EVERY_W.key)]),
    raised("distances", "squares", to=sp.Rational(1, 2), by=["v"]),
    have(
        "at w^ and w*",
        ge(Pr(every(le(p.l0 * d_w, _far_off), le(p.l0 * d_s, _far_off))), 1 - p.delta),
        by=["distances", "v", supposed("moves")],
    ),
    qed(by=["validation", "at w^ and w*", *(supposed(h.key) for h in (*DRAW[:-2], NODE_0))]),
)
#: What both lemmas suppose, and what holds for every draw.
_BOTH_LEMMAS = tuple(dict.fromkeys((p.CAP, *lemma2.HYPOTHESES, *lemma3.LEM3_I_CORRECTED.hypotheses)))
_AS_LEMMAS = "Lemmas 2 and 3 hold with the constants of their proofs, and log(2/delta)"
OF_LEMMAS = Setting(others=(lemma2.FREE, lemma3.DRAWN))
_BY_BOTH: dict[str, Any] = {
    "hypotheses": (*_BOTH_LEMMAS, *DRAW, NODE_0),
    "where": LEVELS,
    "origin": "",
    "follows_from": ("ps-12.e", "lem2.corrected", "lem3.i.corrected"),
    "setting": OF_LEMMAS,
    "proof": Proof(*_TO_ALL_W),
}
FN3_CORRECTED = amended(
    FN3,
    (_STEEP, _AS_LEMMAS),
    text="F(w^) - min F <= 2 u + 2 l_0 (2 u'/mu)^(1/2) with probability at least 1 - 2 delta, where L_0 is "
    f"l_0-Lipschitz, too. {_U}. {_V}",
    statement=ge(Pr(le(p.excess_pop, 2 * u_valid + 2 * _far_off)), 1 - 2 * p.delta),
    **_BY_BOTH,
)
THEOREM1_EXPL_CORRECTED = amended(
    THEOREM1_EXPL,
    (_STEEP, _AS_LEMMAS, "one comparison with a fixed w* needs one of the three distances"),
    text="L_0(theta^(w^)) - L_0(theta*) <= 2 u + l_0 (2 u'/mu)^(1/2) with probability at least 1 - 2 delta, where L_0 "
    f"is l_0-Lipschitz, too. {_U}. {_V}",
    statement=ge(Pr(le(p.excess, 2 * u_valid + _far_off)), 1 - 2 * p.delta),
    **_BY_BOTH,
)

# --- a fixed w*: the noise of one weighted gradient at theta*

noise = p.formula("noise_s", "||sum_k w*_k (grad L^_k - grad L_k)(theta*)||", p.SLOPE, **NONNEG)
noise_mean = p.formula("noise_m", "E ||sum_k w*_k (grad L^_k - grad L_k)(theta*)||", p.SLOPE, **NONNEG)
noise2 = p.formula("noise_star2", "E ||sum_k w*_k (grad L^_k - grad L_k)(theta*)||^2", p.SLOPE**2, **NONNEG)
spread = p.declare("spread_w", "(b/n_train)^(1/2)", latex=r"\sqrt{b/n_{\rm train}}", **POS)
SPREAD = p.H_("spread", "the root of b/n_train", eq(spread**2, p.b / p.n_train))
MOVE = _theorem(
    "thm1.move",
    "mu ||theta^(w*) - theta*|| <= ||sum_k w*_k (grad L^_k - grad L_k)(theta*)|| where theta(w*) = theta*",
    le(p.mu * d_s, noise),
    title="How far data move the inner solution",
    hypotheses=_OF_SUMS,
    note="Not in the paper: (37) compares values instead, and its root is of the order n_train^(-1/4).",
    setting=replace(
        SUMS,
        metrics={d_s**2: norm2(t - h), noise**2: norm2(et - gt)},
        measured=(d_s, noise),
        words={**SUMS.words, "t": "theta* = theta(w*)", "h": "theta^(w*)"},
    ),
    proof=Proof(
        have(
            "strong monotonicity",
            ge(dot(et - gt, t - h), p.mu * norm2(t - h)),
            by=[convex("f^", *AT), optimal("f^"), optimal("f")],
        ),
        have("squares", le(p.mu**2 * d_s**2, noise**2), by=["strong monotonicity"]),
        raised("roots", "squares", to=sp.Rational(1, 2)),
        qed(by=["roots"]),
    ),
)
x, x_k, e = vectors("x x_k e")
NOISE = _theorem(
    "thm1.noise",
    "E ||sum_k w*_k (grad L^_k - grad L_k)(theta*)|| <= l_0 (b/n_train)^(1/2)",
    le(noise_mean, p.l0 * spread),
    title="The noise of a weighted gradient",
    hypotheses=(
        p.H_(
            "weights",
            "w* is the same for every draw; w*_k >= 0 add up to one, and none exceeds b",
            None,
            Weighted("node", p.K * p.b),
        ),
        p.H_(
            "samples",
            "the data are independent, and grad l(theta*; z) less its mean has a variance of at most l_0^2",
            None,
            Unbiased("x", "node sample"),
            Independent("x", "sample"),
            Independent("x", "node"),
            BoundedVariance("x", p.l0**2),
        ),
        SPREAD,
        p.H_("Jensen", "the mean of a norm is at most the root of the mean square", le(noise_mean**2, noise2)),
    ),
    note="Not in the paper. A1.2 is about all data that may be drawn, equal ones among them: so ||grad l|| <= l_0.",
    setting=Setting(
        depends={"x": "node sample xi"},
        within={"xi": "sample", "data": "node"},
        together={"sample": "data", "node": "all"},
        means={"x_k": Mean("x", "sample"), "e": Mean("x_k", "node")},
        sizes={"sample": p.n_train, "node": p.K},
        weighted=("node",),
        metrics={noise2: norm2(e)},
        words={"x": "grad l(theta*; z) less its mean", "node": "a node, with its weight w*_k"},
    ),
    proof=Proof(
        have("one node", le(norm2(x_k), p.l0**2 / p.n_train), by=[variance("x_k"), variance("x")]),
        have("all nodes", le(noise2, p.b * p.l0**2 / p.n_train), by=[variance("e"), "one node"]),
        have(
            "squares", le(noise_mean**2, (p.l0 * spread) ** 2), by=[*map(supposed, ("Jensen", "spread")), "all nodes"]
        ),
        raised("roots", "squares", to=sp.Rational(1, 2)),
        qed(by=["roots"]),
    ),
)

# --- the theorem, and what is true

DRAWS = p.H_(
    "one sample",
    "another sample of node k changes the weighted gradient at theta* by at most 2 l_0 w*_k/n_train: A1.2",
    None,
    BoundedDifferences("noise", noise, noise_mean, 4 * (p.l0 * spread) ** 2),
)
SMOOTH_0 = p.H_(
    "theta* interior",
    "L_0 is l_1-smooth by A1.1, and grad L_0(theta*) = 0, as where theta* is interior",
    le(L_hs - L_star, p.l1 / 2 * d_s**2),
)

#: What universal constants are multiples of.
ENOUGH = (
    "with C_0 = 12 (log(4 C_H) + 1)^(1/2) + 1 and C_a = 12 (log(8 C_H) + 1)^(1/2) + 1, which are enough where the "
    "proof has these letters"
)
LARGE_G = p.H_(
    "universal C_g",
    f"C_g is a universal constant that is large enough: at least 2 C_0 and 3 (2 C_a)^(1/2) {ENOUGH}",
    every(ge(p.C_g, 2 * lemma2.LARGE_0), ge(p.C_g, 3 * sp.sqrt(2 * lemma3.ENOUGH_A))),
)
SIDES = p.H_(
    "G, G'",
    "L_0 - L^_0 is nowhere larger than its supremum, and neither is L^_0 - L_0",
    every(le(L_hw - E_hw, lemma2.up), le(E_hs - L_hs, lemma2.down)),
)
RANGE_0 = p.H_("A1.1 range of L_0", "0 <= L_0 <= l_max, as it is so of l", every(le(L_hw, l_max), ge(L_star, 0)))
#: What the proofs use of the draws, of one w* and of node 0.
OF_W_STAR = (
    lemma2.COVERED,
    lemma2.SAMPLE,
    EXCESS,
    OPTIMAL,
    LEARNED,
    SIDES,
    RANGE_0,
    *MOVE.hypotheses,
    *NOISE.hypotheses,
    DRAWS,
)
tail = p.declare("t_tail", "any number: exp(-t^2/2) bounds the probability of more noise", latex="t", **POS)
_far = p.l0 * spread * (1 + tail)
THEOREM1 = _theorem(
    "thm1",
    "L_0(theta^(w^)) - L_0(theta*) <= C_g ((nu_H + log(1/delta))/n_valid)^(1/2) + C_g (l_0/mu^(1/2)) ((nu_H + K + "
    "log(1/delta))/(n_train/(K b^2)))^(1/4) with probability at least 1 - delta, C_g a universal constant",
    ge(Pr(le(p.excess, p.C_g * sp.sqrt(p.A) + p.C_g * _Q * p.B**_fourth)), 1 - p.delta),
    equation="7",
    title="Bound independent of statistical distance",
    hypotheses=(*ASSUMED, LARGE_G),
    where=_AB,
    switches=(A4_SWITCH, replace(STEEP, adding=(*OF_W_STAR, NODE_0))),
    follows_from=("thm1.expl",),
    note="For any such C_g there are samples on which it fails at a steep node 0, with A4 for eps <= 1.",
)
_OF_DRAW = (EXCESS, OPTIMAL, DEVIATION_0, LEARNED)
_COMPARED = tuple(supposed(h.key) for h in _OF_DRAW)
_INTERIOR = (p.CAP, *lemma2.HYPOTHESES, *_OF_DRAW, *MOVE.hypotheses, *NOISE.hypotheses, DRAWS)
_TO_W_STAR = (
    *OF_VALID,
    have(
        "noise",
        ge(Pr(le(noise, noise_mean + p.l0 * spread * tail)), 1 - sp.exp(-(tail**2) / 2)),
        by=[mcdiarmid("noise", p.l0 * spread * tail)],
    ),
    have(
        "distance",
        ge(Pr(le(d_s, _far / p.mu)), 1 - sp.exp(-(tail**2) / 2)),
        by=["noise", cite("fedweight.thm1.move"), cite("fedweight.thm1.noise")],
    ),
)
_ONE_W = (
    "the optimality of w^ against one fixed w* asks for no bound over all weights, and gradients move less than values"
)
_AT_W_STAR: dict[str, Any] = {
    "where": {u_valid: VALID},
    "follows_from": ("thm1.move", "thm1.noise", "lem2.corrected"),
    "setting": Setting(others=(lemma2.FREE, *(step.setting or Setting() for step in (MOVE, NOISE)))),
}
_CLEAR = (
    "For nu_H = C_H = l_0 = l_1 = mu = b = 1, delta = 1/20 and exp(-t^2/2) = 1/20 both terms are below 1/2 from "
    "n_valid = 6334 and n_train = {} on. 2 u alone is below 1 from n_valid = 1584 on."
)
THEOREM1_CORRECTED = amended(
    THEOREM1,
    (_STEEP, _ONE_W),
    text="L_0(theta^(w^)) - L_0(theta*) <= 2 u + (l_0^2/mu) (b/n_train)^(1/2) (1 + t) with probability at least 1 - "
    f"delta - exp(-t^2/2) for any t > 0, where L_0 is l_0-Lipschitz, too. {_U}",
    statement=ge(Pr(le(p.excess, 2 * u_valid + p.l0 / p.mu * _far)), 1 - p.delta - sp.exp(-(tail**2) / 2)),
    hypotheses=(*_INTERIOR, NODE_0),
    note=_CLEAR.format(48),
    proof=Proof(*_TO_W_STAR, qed(by=["distance", "validation", *_COMPARED, supposed(NODE_0.key)])),
    **_AT_W_STAR,
)
THEOREM1_INTERIOR = amended(
    THEOREM1,
    (_STEEP, _ONE_W),
    part="interior",
    text="L_0(theta^(w^)) - L_0(theta*) <= 2 u + (l_1 l_0^2/(2 mu^2)) (b/n_train) (1 + t)^2 with probability at least "
    f"1 - delta - exp(-t^2/2) for any t > 0, where grad L_0(theta*) = 0. {_U}",
    statement=ge(Pr(le(p.excess, 2 * u_valid + p.l1 / (2 * p.mu**2) * _far**2)), 1 - p.delta - sp.exp(-(tail**2) / 2)),
    hypotheses=(*_INTERIOR, SMOOTH_0),
    note=_CLEAR.format(12),
    proof=Proof(
        *_TO_W_STAR,
        raised("square", "distance", to=2),
        qed(by=["square", "validation", *_COMPARED, supposed(SMOOTH_0.key)]),
    ),
    **_AT_W_STAR,
)

# --- as printed, with the constants of the proof: one tail for all draws

_log_1 = sp.log(1 / p.delta)
_level = sp.sqrt(_log_1 / 2)
_noise_of = p.l0 / p.mu * noise_mean, 2 * p.l0**2 / p.mu * spread * _level
_by_valid, _by_train = 2 * lemma2.LARGE_0 * sp.sqrt(p.A), 4 * p.l0**2 / p.mu * sp.sqrt(p.B)
y_train = p.declare("y_train", "(l_0/mu^(1/2)) B^(1/4)", latex="y", defined=True, **POS)
_FROM_A = [step.name for step in lemma2.UNDER_A[:4]]
THEOREM1_UNIVERSAL = amended(
    THEOREM1,
    (_STEEP, "A4 for all eps > 0 holds for no class of losses"),
    part="universal",
    text="As printed, for A4 with eps <= 1, where L_0 is l_0-Lipschitz, too",
    hypotheses=(p.RANGE, p.CAP, p.DELTA, LARGE_G, *OF_W_STAR, NODE_0),
    where=_AB | {y_train: _Q * p.B**_fourth},
    follows_from=("thm1.move", "thm1.noise", "ps-02"),
    note="Suprema over the validation data and the noise of one gradient share one tail, so that delta is not split.",
    setting=replace(_AT_W_STAR["setting"], free=(p.l0, p.mu, spread, p.K, p.b, p.n_train, p.nu, p.delta, l_max)),
    proof=Proof(
        section("Suprema and levels"),
        *lemma2.UNDER_A,
        lemma2.MEANS,
        have("valid", le(2 * lemma2._explicit + 2 * lemma2._one_sided, _by_valid), by=["class", "level", *_FROM_A[:2]]),
        have("B", ge(p.B, 0), by=["log", supposed(p.DELTA.key), unfold(p.B)]),
        section("The noise of the gradient at one w*"),
        have("K b >= 1", ge(p.K * p.b**2, p.b), by=[supposed(p.CAP.key)]),
        have("lambda", ge(_log_1, 0), by=["log", supposed(p.DELTA.key)]),
        have("spread", le(p.b * (1 + _log_1) / p.n_train, p.B), by=["K b >= 1", "lambda", unfold(p.B)]),
        have("squares", le(spread**2 * (1 + _log_1), p.B), by=["spread", supposed(SPREAD.key)]),
        have("first square", le(spread**2, p.B), by=["squares", "lambda"]),
        have("second square", le(2 * _log_1 * spread**2, 4 * p.B), by=["squares", "lambda"]),
        *(
            raised(f"root of the {name} square", f"{name} square", to=sp.Rational(1, 2), by=["lambda"])
            for name in ("first", "second")
        ),
        have(
            "noise",
            le(sum(_noise_of), _by_train),
            by=["root of the first square", "root of the second square", cite("fedweight.thm1.noise"), "lambda", "B"],
        ),
        section("All draws at once"),
        have(
            "excess",
            le(p.excess, lemma2.up + lemma2.down + p.l0 / p.mu * noise),
            by=[
                cite("fedweight.thm1.move"),
                *map(supposed, (EXCESS.key, OPTIMAL.key, LEARNED.key, SIDES.key, NODE_0.key)),
            ],
        ),
        have(
            "one tail",
            ge(Pr(le(p.excess, _by_valid + _by_train)), 1 - p.delta),
            by=[
                mcdiarmid(
                    "G",
                    2 * (l_max / sp.sqrt(p.n_valid) + p.l0**2 / p.mu * spread) * _level,
                    "G'",
                    1,
                    "noise",
                    p.l0 / p.mu,
                ),
                *("excess", "means", "valid", "noise", "lambda"),
            ],
        ),
        section("No loss is above l_max"),
        have("most", le(p.excess, l_max), by=[supposed(RANGE_0.key), supposed(EXCESS.key)]),
        have("y^2", eq(4 * y_train**2, _by_train), by=["B", unfold(y_train)]),
        have("smaller", le(sp.Min(4 * y_train**2, l_max), 2 * sp.sqrt(l_max) * y_train), by=["B"]),
        have(
            "either",
            ge(Pr(le(p.excess, _by_valid + sp.Min(4 * y_train**2, l_max))), 1 - p.delta),
            by=["one tail", "most", "y^2", "A", "entropy"],
        ),
        section("The universal constant"),
        have("entropy of weights", ge(lemma3.ENTROPY, 0), by=["log C", dudley("H")]),
        have("at least 1", le(1, 12 * sp.sqrt(lemma3.ENTROPY) + 1), by=["entropy of weights"]),
        raised("its root", "at least 1", to=sp.Rational(1, 2)),
        have("2 C_0", le(2 * lemma2.LARGE_0, p.C_g), by=["entropy", "entropy of weights", supposed(LARGE_G.key)]),
        have("C_g >= 2 C_0", le(_by_valid, p.C_g * sp.sqrt(p.A)), by=["A", "entropy", "2 C_0"]),
        have(
            "2 at least",
            le(2 * sp.sqrt(l_max), 3 * sp.sqrt(2 * lemma3.ENOUGH_A)),
            by=["its root", "entropy of weights"],
        ),
        have("C_g", le(2 * sp.sqrt(l_max), p.C_g), by=["2 at least", "entropy of weights", supposed(LARGE_G.key)]),
        have("sign of y", ge(y_train, 0), by=["B", unfold(y_train)]),
        have("C_g times y", le(2 * sp.sqrt(l_max) * y_train, p.C_g * y_train), by=["C_g", "sign of y"]),
        have("y", eq(p.C_g * y_train, p.C_g * _Q * p.B**_fourth), by=["B", unfold(y_train)]),
        qed(by=["either", "smaller", "C_g >= 2 C_0", "C_g times y", "y", "A", "B"]),
    ),
)
CLAIMS = claims_in(globals())
