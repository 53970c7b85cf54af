"""Theorem 2 with its proof, (39), for every draw of the data and with high probability.

The proof gives ``(l_0/sqrt(mu))^(1/r)`` where (10) has ``l_0/sqrt(mu)``. (11) needs no second term, as (22) needs
none. Assumptions 1, 2' and 3 are tied to each
other: for interior solutions r is at least 2, and for r = 2 ``l_0/sqrt(mu)`` is at least ``sqrt(2)/C_r``.
"""

from dataclasses import replace
from functools import partial
from typing import Any

import sympy as sp

from rateproof.theory.assumptions import Smooth, StronglyConvex
from rateproof.theory.claim import Claim, Hypothesis, Kind, Reading, Switch, conjuncts
from rateproof.theory.gram import dot, norm2, vectors
from rateproof.theory.papers.fedweight import lemma2, lemma3
from rateproof.theory.papers.fedweight import notation as p
from rateproof.theory.papers.fedweight import theorem1 as one
from rateproof.theory.papers.fedweight.lemma2 import a4_switch, l_max
from rateproof.theory.papers.fedweight.lemma3 import OTHERS, rad
from rateproof.theory.probability import Pr
from rateproof.theory.proof import (
    Part,
    Proof,
    Setting,
    cauchy_schwarz,
    cite,
    convex,
    have,
    logarithm,
    optimal,
    qed,
    raised,
    rewritten,
    section,
    split,
    supposed,
    unfold,
    written_out,
)
from rateproof.theory.proof.steps import Ground
from rateproof.theory.shorthand import amended, claims_in, eq, every, ge, le, misprint, premise
from rateproof.theory.symbols import NONNEG, POS

_PLACE = "proof of Theorem 2"
_stated = partial(p.stated, _PLACE)
_half, _fourth = sp.Rational(1, 2), sp.Rational(1, 4)
K, J, n, b, r = p.K, p.J, p.n_train, p.b, p.r

# --- (10)

first, second = (
    p.declare(name, f"{name[0]} of the power inequality", p.LOSS, latex=name[0], **POS) for name in ("s_term", "t_term")
)
EXPONENT = p.H_("r>=1", "r >= 1", ge(r, 1))
PS_14 = p.composite("ps-14", _PLACE, "From the error bound to (10)", "The power inequality, and (10) from it")
POWER = _stated(
    "ps-14.a",
    "s + t <= (s^(1/r) + t^(1/r))^r for s > 0, t > 0 and r >= 1",
    le(first + second, (first ** (1 / r) + second ** (1 / r)) ** r),
    title="The power inequality",
    hypotheses=(EXPONENT,),
    proof=Proof(
        have("1/r <= 1", le(1 / r, 1), by=[supposed("r>=1")]),
        split("roots", (first, second), to=1 / r, by=["1/r <= 1"]),
        raised("powers", "roots", to=r),
        qed(by=["powers"]),
    ),
)
#: Both terms of (38), the factors that their roots have in (10), and these roots.
_U, _V = 2 * p.C_0 * sp.sqrt(one.A), 2 * p.l0 * sp.sqrt(2 * p.C_a / p.mu) * one.B**_fourth
_FACTORS = p.C_r * (2 * p.C_0) ** (1 / r), p.C_r * (2 * sp.sqrt(2 * p.C_a)) ** (1 / r)
_Q = p.l0 / sp.sqrt(p.mu)
_VALID, _TRAIN = one.A ** (1 / (2 * r)), one.B ** (1 / (4 * r))
A3_AT = p.H_("A3 at w^", "Dist(w^, W*) <= C_r (F(w^) - min F)^(1/r)", le(p.dist_w, p.C_r * p.excess_pop ** (1 / r)))
OF_38 = p.H_(
    "(38) at w^",
    "F(w^) - min F <= 2 C_0 A^(1/2) + 2 l_0 (2 C_a/mu)^(1/2) B^(1/4)",
    every(ge(p.excess_pop, 0), le(p.excess_pop, _U + _V)),
)
GAP = Setting(measured=(p.excess_pop,))
DISPLAY = _stated(
    "ps-14.b",
    "(Dist(w^, W*)/C_r)^r <= 2 C_0 A^(1/2) + 2 l_0 (2 C_a/mu)^(1/2) B^(1/4)",
    le((p.dist_w / p.C_r) ** r, _U + _V),
    title="The error bound, put into (38)",
    hypotheses=(A3_AT, OF_38, EXPONENT),
    note="In the text the last root covers B^(1/4), too; in (38), which is put in, it does not.",
    reading=Reading.REPAIRED,
    setting=GAP,
    proof=Proof(
        have("A3", le(p.dist_w / p.C_r, p.excess_pop ** (1 / r)), by=[supposed(A3_AT.key)]),
        raised("powers", "A3", to=r, by=[supposed(OF_38.key)]),
        qed(by=["powers", supposed(OF_38.key)]),
    ),
)
APPROPRIATE = p.H_(
    "C_w",
    "C_w is at least C_r (2 C_0)^(1/r) and C_r (2 (2 C_a)^(1/2))^(1/r)",
    every(*(ge(p.C_w, factor) for factor in _FACTORS)),
)
OF_10 = _stated(
    "ps-14.c",
    "Dist(w^, W*) <= C_w A^(1/(2r)) + C_w (l_0/mu^(1/2)) B^(1/(4r)) from the display before, with an appropriate C_w",
    le(p.dist_w, p.C_w * _VALID + p.C_w * _Q * _TRAIN),
    equation="10",
    title="The power inequality, put in",
    hypotheses=(A3_AT, OF_38, EXPONENT, APPROPRIATE),
    setting=GAP,
    switches=(
        misprint(
            "(l_0/mu^(1/2))^(1/r)",
            "the root of order r takes that of l_0/mu^(1/2), too",
            le(p.dist_w, p.C_w * _VALID + p.C_w * _Q ** (1 / r) * _TRAIN),
            "the display before, to the power 1/r",
        ),
    ),
    note="No C_w that depends on C_0, C_a and C_r alone would do: let l_0/mu^(1/2) go to 0.",
)
_ROOT_Q = "the root of order r takes that of l_0/mu^(1/2), too"
OF_10_CORRECTED = amended(
    OF_10,
    _ROOT_Q,
    text="Dist(w^, W*) <= C_r (2 C_0)^(1/r) A^(1/(2r)) + C_r (2 (2 C_a)^(1/2))^(1/r) (l_0/mu^(1/2))^(1/r) B^(1/(4r))",
    statement=le(p.dist_w, _FACTORS[0] * _VALID + _FACTORS[1] * _Q ** (1 / r) * _TRAIN),
    hypotheses=(A3_AT, OF_38, EXPONENT),
    origin="the display before (10), to the power 1/r",
    proof=Proof(
        have("1/r <= 1", le(1 / r, 1), by=[supposed("r>=1")]),
        have("(38)", le(p.excess_pop, _U + _V), by=[supposed(OF_38.key)]),
        raised("root", "(38)", to=1 / r, by=[supposed(OF_38.key)]),
        split("roots", (_U, _V), to=1 / r, by=["1/r <= 1"]),
        have("both roots", le(p.excess_pop ** (1 / r), _U ** (1 / r) + _V ** (1 / r)), by=["root", "roots"]),
        qed(by=[supposed(A3_AT.key), "both roots"]),
    ),
)

# --- (39); the sums of losses are those at w = w^

N = p.declare("N_size", "n_train/(b^2 J + eps^2 (K - J)), (20)", latex=r"N_\varepsilon", **POS)
OF_N = p.H_("N_eps", "N_eps = n_train/(b^2 J + eps^2 (K - J)), (20)", eq(N, n / (b**2 * J + rad**2 * (K - J))))
A_J = p.declare("A_J", "nu_H + J + log(1/delta)", latex=r"(\nu_{\mathcal H}+J+\log(1/\delta))", **POS)

sum_s, sum_star = (
    p.formula("sum_s", "sum_k w_k L_k(theta(w*))", p.LOSS),
    p.formula("sum_star", "sum_k w_k L_k(theta*)", p.LOSS),
)
gap_h, out_h, gap_s, out_s = (
    p.formula(name, f"{of} w_k {gap}", p.LOSS)
    for name, of, gap in (
        ("gap_h", "sum_k", "(L_0 - L_k)(theta^(w))"),
        ("out_h", "sum_{k not in J}", "(L_0 - L_k)(theta^(w))"),
        ("gap_s", "sum_k", "(L_k - L_0)(theta*)"),
        ("out_s", "sum_{k not in J}", "(L_k - L_0)(theta*)"),
    )
)
out_w = p.formula("out_w", "(sum_{k not in J} w_k^2)^(1/2)", **NONNEG)
G_out = p.formula("G_out", "(max_theta sum_{k not in J} (L_0 - L_k)^2)^(1/2)", p.LOSS, **NONNEG)
same2 = p.formula("same_gap2", "sum_{k in J} (L_0 - L_k)^2", p.LOSS**2, **NONNEG)
_T = (
    one.L_hw - one.sum_h,
    one.sum_h - one.emp_h,
    one.emp_h - one.emp_t,
    one.emp_t - one.sum_t,
    one.sum_t - sum_s,
    sum_star - one.L_star,
)
DEVIATION = A_J**_half / sp.sqrt(N) + rad * (K - J) / (b * sp.sqrt(N))
_DEVIATION = "((nu_H + J + log(1/delta))/N_eps)^(1/2) + eps (K - J)/(b N_eps^(1/2))"

PS_15 = p.composite(
    "ps-15",
    _PLACE,
    "The excess in six terms",
    "(39), its third and fifth term, its first and sixth, its second and fourth, and their sum",
)


def _link(cid: str, title: str, text: str, statement: sp.Basic, *hypotheses: Hypothesis, **rest: Any) -> Claim:
    given = {"equation": "39", "title": title, **rest}
    return p.step(_PLACE, f"ps-15.{cid}", text, statement, *hypotheses, **given)


EQ39 = _link(
    "a",
    "Six terms",
    "L_0(theta^(w^)) - L_0(theta*) = T_1 + T_2 + T_3 + T_4 + T_5 + T_6",
    eq(one.L_hw - one.L_star, sp.Add(*_T)),
    p.H_("A2 in the sums", "theta(w*) = theta*, as A2' says", eq(sum_s, sum_star)),
    setting=Setting(measured=(one.L_hw, one.L_star, one.sum_h, one.emp_h, one.emp_t, one.sum_t, sum_s, sum_star)),
)
T3 = _link(
    "b",
    "Optimality of theta^(w^)",
    "T_3 = sum_k w^_k L^_k(theta^(w^)) - sum_k w^_k L^_k(theta(w^)) <= 0",
    le(_T[2], 0),
    *one._OF_SUMS,
    steps=[have("(36)", le(p.mu / 2 * one.move2, -_T[2]), by=[cite(one.EQ36)])],
    setting=one.SUMS,
)
third, g_third = vectors("s gs")
f_s = sp.Symbol("f_s", real=True)
T5 = _link(
    "c",
    "Optimality of theta(w^)",
    "T_5 = sum_k w^_k L_k(theta(w^)) - sum_k w^_k L_k(theta(w*)) <= 0",
    le(_T[4], 0),
    *one._OF_SUMS,
    by=[convex("f", "theta(w)", "theta(w*)"), optimal("f")],
    setting=replace(
        one.SUMS,
        depends={**one.SUMS.depends, "s": ""},
        functions={
            **one.SUMS.functions,
            "f": {**one.SUMS.functions["f"], "theta(w*)": (third, g_third, f_s)},
            "Theta": {**one.SUMS.functions["Theta"], "theta(w*)": (third, third, one.inside)},
        },
        metrics={**one.SUMS.metrics, sum_s: f_s},
        words={**one.SUMS.words, "s": "theta(w*)"},
    ),
)
w_in, w_out, star, gaps = vectors("w_in w_out w_star gaps")
IN_SET = p.H_("w^ in W*_eps", "w^ lies in W*_eps: Dist(w^, W*) <= eps", le(p.dist_w, rad))
OUTSIDE = _link(
    "d",
    "Weights outside J",
    "sum_{k not in J} w^_k^2 <= Dist^2(w^, W*) <= eps^2, as w* of W* has no weight there",
    every(le(out_w**2, p.dist_w**2), le(p.dist_w**2, rad**2)),
    IN_SET,
    proof=Proof(
        have("in the set", le(p.dist_w, rad), by=[supposed(IN_SET.key)]),
        raised("squares", "in the set", to=2),
        qed(by=["squares"]),
        qed(of=1),
    ),
    follows_from=("ps-05",),
    setting=Setting(
        depends={"w_in": "", "w_out": "", "w_star": ""},
        blocks={"w_in": "J", "w_star": "J", "w_out": "others"},
        metrics={out_w**2: norm2(w_out), p.dist_w**2: norm2(w_in + w_out - star)},
        measured=(out_w, p.dist_w),
        words={"w_in": "weights of the nodes of J", "w_out": "weights of the others", "w_star": "the nearest w* of W*"},
    ),
)
OUT_SMALL = p.H_("weights outside J", "(sum_{k not in J} w^_k^2)^(1/2) <= eps", le(out_w, rad))


def _bounded(cid: str, name: str, of: str, term: sp.Expr, gap: sp.Symbol, out: sp.Symbol) -> tuple[Claim, Hypothesis]:
    """The bound on ``T_1`` or ``T_6``, and what it supposes of its sums."""
    linear = p.H_(
        f"gaps of {name}",
        f"the weights of sum_k w_k {of} add up to one, and p_k = p_0 for k in J",
        every(eq(gap, term), eq(gap, out)),
    )
    parts: dict[sp.Basic, list[Ground]] = {
        eq(term, gap): [supposed(linear.key)],
        eq(gap, out): [supposed(linear.key)],
        le(out, out_w * G_out): [cauchy_schwarz(G_out, out_w)],
        le(out_w * G_out, rad * G_out): [supposed(OUT_SMALL.key)],
    }
    statement = every(*parts)
    bound = _link(
        cid,
        f"Weights outside J and gaps in {name}",
        f"{name} = sum_k w^_k {of} = sum_{{k not in J}} w^_k {of} <= (sum_{{k not in J}} w^_k^2)^(1/2) (max_theta "
        "sum_{k not in J} (L_0 - L_k)^2)^(1/2) <= eps times the last root",
        statement,
        linear,
        OUT_SMALL,
        proof=Proof(*(qed(by=parts[part], of=i) for i, part in enumerate(conjuncts(statement)))),
        setting=Setting(
            depends={"w_out": "", "gaps": ""},
            metrics={out: dot(w_out, gaps)},
            bounds={G_out: gaps},
            lengths={out_w: w_out},
            measured=(one.L_hw, one.L_star, one.sum_h, sum_star, gap),
            words={"w_out": "weights of the nodes outside J", "gaps": f"{of} of these nodes"},
        ),
    )
    return bound, linear


T1, GAPS_1 = _bounded("e", "T_1", "(L_0 - L_k)(theta^(w^))", _T[0], gap_h, out_h)
T6, GAPS_6 = _bounded("f", "T_6", "(L_k - L_0)(theta*)", _T[5], gap_s, out_s)
EVENT_22 = p.H_(
    "event of (22)",
    f"sup_{{theta, w in W*_eps}} |sum_k w_k (L^_k - L_k)| <= C_a' ({_DEVIATION})",
    le(p.dev_eps, p.C_a2 * DEVIATION),
)
NEAR = p.H_(
    "dev_eps",
    "w^ is in W*_eps: no |sum_k w^_k (L^_k - L_k)(theta)| is larger than the supremum",
    every(le(_T[1], p.dev_eps), le(_T[3], p.dev_eps)),
)
DRAWN = Setting(measured=(one.sum_h, one.emp_h, one.emp_t, one.sum_t, one.L_hw, one.L_star, sum_s, sum_star, p.dev_eps))
T2_T4 = _link(
    "g",
    "Deviations at weights near W*",
    f"T_2, T_4 <= C_a' ({_DEVIATION})",
    every(le(_T[1], p.C_a2 * DEVIATION), le(_T[3], p.C_a2 * DEVIATION)),
    NEAR,
    EVENT_22,
    setting=DRAWN,
)
SAME = p.H_("sum over J", "p_k = p_0 for k in J, so that (L_0 - L_k)^2 = 0 there, at every theta", eq(same2, 0))
ALL_NODES = p.H_(
    "G",
    "G^2 is the largest sum over K of (L_0 - L_k)^2: that over J and that over the others",
    eq(p.G**2, same2 + G_out**2),
)
G_OUT = _link(
    "h",
    "Gaps of losses outside J",
    "G is the root of max_theta sum_{k not in J} (L_0 - L_k)^2 under A2'",
    eq(p.G, G_out),
    SAME,
    ALL_NODES,
    proof=Proof(
        have("at most", le(p.G**2, G_out**2), by=[supposed("G"), supposed("sum over J")]),
        raised("root", "at most", to=_half),
        have("at least", le(G_out**2, p.G**2), by=[supposed("G"), supposed("sum over J")]),
        raised("other root", "at least", to=_half),
        qed(by=["root", "other root"]),
    ),
    equation="9",
)
TERMS = p.H_(
    "T_1, ..., T_6",
    f"T_1, T_6 <= eps G, T_2, T_4 <= C_a' ({_DEVIATION}), T_3, T_5 <= 0",
    every(
        *(le(_T[i], rad * p.G) for i in (0, 5)),
        *(le(_T[i], p.C_a2 * DEVIATION) for i in (1, 3)),
        *(le(_T[i], 0) for i in (2, 4)),
    ),
)
SUM = _link(
    "i",
    "The six bounds, added up",
    f"L_0(theta^(w^)) - L_0(theta*) <= 2 C_a' ({_DEVIATION}) + 2 eps G",
    le(one.L_hw - one.L_star, 2 * p.C_a2 * DEVIATION + 2 * rad * p.G),
    *EQ39.hypotheses,
    TERMS,
    proof=Proof(qed(by=[supposed(TERMS.key), supposed("A2 in the sums")])),
    setting=DRAWN,
)

# --- N_eps

rad_1 = p.declare("radius_1", "largest value of epsilon(n_valid, n_train)", latex=r"\varepsilon_1", **POS)
REM_NEPS = p.claim(
    "rem-Neps",
    "Section 3",
    Kind.PROPERTY,
    "N_eps = Theta(n_train): n_train/(b^2 J + eps_1^2 (K - J)) <= N_eps <= n_train/(b^2 J), eps_1 the largest eps",
    every(ge(N, n / (b**2 * J + rad_1**2 * (K - J))), le(N, n / (b**2 * J))),
    title="The size of N_eps",
    hypotheses=(OTHERS, OF_N, p.H_("eps<=eps_1", "eps <= eps_1", le(rad, rad_1))),
    note="eps_1 may be that of the least sizes of samples that one looks at, as (10) falls with both.",
    proof=Proof(
        qed(by=[supposed("N_eps"), supposed(OTHERS.key), supposed("eps<=eps_1")]),
        qed(by=[supposed("N_eps"), supposed(OTHERS.key)], of=1),
    ),
)

# --- the theorem, with high probability

#: The sizes as they are defined, where a claim is as printed.
PRINTED = {one.A: p.A, one.B: p.B, rad: p.eps, N: p.N_eps, A_J: p.nu + J + sp.log(1 / p.delta)}
AB = {symbol: p.DEFINED[symbol] for symbol in (p.A, p.B)}
AS_DEFINED = {**AB, **{symbol: p.DEFINED[symbol] for symbol in (p.eps, p.N_eps)}}
ASSUMED = (*p.A1, p.A2J, p.A3, p.A4, p.CAP, p.DELTA)
LARGE_W = p.H_(
    "universal C_w",
    "C_w is a universal constant that is large enough, whatever r: at least 2 C_r C_0 and 2 C_r (2 C_a)^(1/2) "
    + one.ENOUGH,
    every(ge(p.C_w, 2 * p.C_r * lemma2.LARGE_0), ge(p.C_w, 2 * p.C_r * sp.sqrt(2 * lemma3.ENOUGH_A))),
)
LARGE_E = p.H_(
    "universal C_e",
    "C_e is a universal constant that is large enough: at least 2 C_a' for C_a' = 24 (log(8 C_H) + 1)^(1/2) + 1, which "
    "is enough for (22)",
    ge(p.C_e, 2 * lemma3.ENOUGH_A2),
)
EPS_MEANT = (p.C_w * _VALID + p.C_w * _Q ** (1 / r) * _TRAIN).xreplace(PRINTED)
EPS_SWITCH = Switch(
    "eps",
    "C_w l_0/mu^(1/2) in the second term of (10)",
    "C_w (l_0/mu^(1/2))^(1/r)",
    _ROOT_Q,
    substitute={p.eps: EPS_MEANT},
    origin="the display before (10), to the power 1/r",
)
GAP_SIGN = p.H_("F >= min F", "F(w^) >= min F", ge(p.excess_pop, 0))
#: What is drawn, and of each draw: all that the proof of (10) uses, with A4 for eps <= 1 and A1.2 of node 0.
c_train = p.declare("c_train", "2 (2 C_a)^(1/2), the constant of the second term of (38)", latex="c", **POS)
NAMED = p.H_(
    "C_0, C_a",
    "C_0 = 12 (log(4 C_H) + 1)^(1/2) + 1 and C_a = 12 (log(8 C_H) + 1)^(1/2) + 1, and c = 2 (2 C_a)^(1/2)",
    every(eq(p.C_0, lemma2.LARGE_0), eq(p.C_a, lemma3.ENOUGH_A), eq(c_train, 2 * sp.sqrt(2 * p.C_a))),
)
UNIT = p.H_("l_max=1", "the largest value of a loss is 1, as A1.1 has it", eq(l_max, 1))
OF_10_DRAWS = (
    *(A3_AT, GAP_SIGN, EXPONENT, UNIT, NAMED, lemma2.COVERED, lemma2.SAMPLE, *lemma3.OF_ALL_DRAWS),
    *(one.EXCESS_POP, one.OPTIMAL, one.SIDES, one.EVERY_W, one.MOVES, one.NODE_0),
)
THEOREM2_I = p.stated(
    "Theorem 2",
    "thm2.i",
    "Dist(w^, W*) <= C_w A^(1/(2r)) + C_w (l_0/mu^(1/2)) B^(1/(4r)) with probability at least 1 - 3 delta, C_w a "
    "universal constant",
    ge(Pr(le(p.dist_w, p.eps)), 1 - 3 * p.delta),
    equation="10",
    title="How near w^ is to W*",
    hypotheses=(*ASSUMED, LARGE_W),
    where={**AB, p.eps: p.DEFINED[p.eps]},
    switches=(a4_switch(*OF_10_DRAWS), EPS_SWITCH),
    follows_from=("ps-14.a", "ps-14.b", "ps-14.c", "thm1.fn3.given.corrected"),
    note="L_0 is l_0-Lipschitz here, as it is L_k for the k of J, so that (38) holds with what it supposes of node 0.",
)
ROOTS = 2 * one.u_valid, 2 * p.l0 * sp.sqrt(2 * one.v_train / p.mu)
EPS_10 = p.C_r * sum(part ** (1 / r) for part in ROOTS)
SIGNS = tuple(
    have(f"sign of {name}", ge(part, 0), by=["u", "v"])
    for name, part in (("2 u", ROOTS[0]), ("the root of v", ROOTS[1]), ("both", sp.Add(*ROOTS)))
)
THEOREM2_I_CORRECTED = amended(
    THEOREM2_I,
    (_ROOT_Q, one._AS_LEMMAS),
    text="Dist(w^, W*) <= C_r (2 u)^(1/r) + C_r (2 l_0 (2 u'/mu)^(1/2))^(1/r) with probability at least "
    f"1 - 2 delta. {one._U}. {one._V}",
    statement=ge(Pr(le(p.dist_w, EPS_10)), 1 - 2 * p.delta),
    hypotheses=(A3_AT, GAP_SIGN, EXPONENT, *one.FN3_CORRECTED.hypotheses),
    where=one.LEVELS,
    follows_from=("thm1.fn3.corrected",),
    note="u is of the order n_valid^(-1/2) and u' of the order n_train^(-1/2), so that the rates are those of (10).",
    setting=one.OF_LEMMAS,
    proof=Proof(
        *one.SIGNS,
        *SIGNS,
        have("1/r <= 1", le(1 / r, 1), by=[supposed("r>=1")]),
        have(
            "(38)", ge(Pr(le(p.excess_pop, sp.Add(*ROOTS))), 1 - 2 * p.delta), by=[cite("fedweight.thm1.fn3.corrected")]
        ),
        raised("root", "(38)", to=1 / r, by=["u", "v", supposed(GAP_SIGN.key)]),
        split("roots", ROOTS, to=1 / r, by=["1/r <= 1", *(step.name for step in SIGNS), "u", "v"]),
        qed(by=["root", "roots", *(step.name for step in SIGNS), "v", supposed(A3_AT.key)]),
    ),
)
#: Both terms of (38), with these constants.
_TERMS = 2 * p.C_0 * sp.sqrt(p.A), c_train * _Q * p.B**_fourth
THEOREM2_I_UNIVERSAL = amended(
    THEOREM2_I,
    (_ROOT_Q, "A4 for all eps > 0 holds for no class of losses"),
    part="universal",
    text="Dist(w^, W*) <= C_w A^(1/(2r)) + C_w (l_0/mu^(1/2))^(1/r) B^(1/(4r)) with probability at least 1 - 2 delta, "
    "for A4 with eps <= 1",
    statement=ge(Pr(le(p.dist_w, EPS_MEANT)), 1 - 2 * p.delta),
    hypotheses=(p.RANGE, p.A4_SMALL, p.CAP, p.DELTA, *OF_10_DRAWS, LARGE_W),
    where=AB,
    follows_from=("lem2.both", "lem3.i.universal.corrected", "ps-14.a"),
    setting=replace(one.OF_LEMMAS, free=(p.l0, p.mu, p.C_H, l_max)),
    proof=Proof(
        section("Constants and levels"),
        logarithm("log", 1 / p.delta, below=True),
        logarithm("log C", p.C_H, below=True),
        have("entropy", ge(sp.log(4 * p.C_H) + 1, 0), by=["log C", supposed(lemma3.AT_ONE.key)]),
        have("entropy of weights", ge(lemma3.ENTROPY, 0), by=["log C", supposed(lemma3.AT_ONE.key)]),
        *(
            have(name, ge(size, 0), by=["log", supposed(p.DELTA.key), unfold(size)])
            for name, size in (("A", p.A), ("B", p.B))
        ),
        *(
            have(name, ge(C, enough), by=["entropy", "entropy of weights", supposed(NAMED.key)])
            for name, C, enough in (("C_0", p.C_0, lemma2.LARGE_0), ("C_a", p.C_a, lemma3.ENOUGH_A))
        ),
        have("c", eq(c_train, 2 * sp.sqrt(2 * p.C_a)), by=["entropy", "entropy of weights", supposed(NAMED.key)]),
        section("What (38) says of w^"),
        have(
            "valid",
            ge(Pr(le(lemma2.up + lemma2.down, _TERMS[0])), 1 - p.delta),
            by=[cite("fedweight.lem2.both")],
        ),
        have(
            "training",
            ge(Pr(le(p.dev_w, p.C_a * sp.sqrt(p.B))), 1 - p.delta),
            by=[cite("fedweight.lem3.i.universal.corrected")],
        ),
        have(
            "squares",
            ge(Pr(le(one.move**2, 2 * p.C_a * sp.sqrt(p.B) / p.mu)), 1 - p.delta),
            by=["training", "B", supposed(one.EVERY_W.key)],
        ),
        raised("distances", "squares", to=_half, by=["B"]),
        have(
            "moves",
            ge(Pr(every(*(le(2 * p.l0 * d, _TERMS[1]) for d in (one.d_w, one.d_s)))), 1 - p.delta),
            by=["distances", "B", "c", supposed("moves")],
        ),
        have(
            "(38)",
            ge(Pr(le(p.excess_pop, sp.Add(*_TERMS))), 1 - 2 * p.delta),
            by=["valid", "moves", *map(supposed, (one.EXCESS_POP.key, one.OPTIMAL.key, one.SIDES.key, one.NODE_0.key))],
        ),
        section("The root of order r"),
        have("1/r <= 1", le(1 / r, 1), by=[supposed("r>=1")]),
        *(
            have(f"sign of {name}", ge(term, 0), by=["A", "B"])
            for name, term in (*zip(("valid", "moves"), _TERMS, strict=True), ("both", sp.Add(*_TERMS)))
        ),
        raised("root", "(38)", to=1 / r, by=["A", "B", supposed(GAP_SIGN.key)]),
        split("roots", _TERMS, to=1 / r, by=["1/r <= 1", "A", "B", "sign of valid", "sign of moves", "sign of both"]),
        have(
            "two roots",
            ge(Pr(le(p.dist_w, p.C_r * (_TERMS[0] ** (1 / r) + _TERMS[1] ** (1 / r)))), 1 - 2 * p.delta),
            by=[
                "root",
                "roots",
                supposed(A3_AT.key),
                supposed(GAP_SIGN.key),
                "sign of valid",
                "sign of moves",
                "sign of both",
            ],
        ),
        section("Roots of order r of the constants"),
        have("1 <= C_0", le(1, 2 * p.C_0), by=["C_0", "entropy", supposed(UNIT.key)]),
        have("1 <= C_a", le(1, 8 * p.C_a), by=["C_a", "entropy of weights", supposed(UNIT.key)]),
        raised("its root", "1 <= C_a", to=_half),
        have("1 <= c", le(1, c_train), by=["its root", "c"]),
        *(
            step
            for name, c in (("C_0", 2 * p.C_0), ("c", c_train))
            for step in (
                raised(f"powers of {name}", f"1 <= {name}", to=1 - 1 / r, by=["1/r <= 1"]),
                have(f"root of {name}", le(c ** (1 / r), c), by=[f"powers of {name}"]),
            )
        ),
        section("The universal constant"),
        have("C_a is enough", le(p.C_a, lemma3.ENOUGH_A), by=["entropy", "entropy of weights", supposed(NAMED.key)]),
        raised("its root is enough", "C_a is enough", to=_half, by=["entropy of weights"]),
        have("C_0 is enough", le(p.C_0, lemma2.LARGE_0), by=["entropy", "entropy of weights", supposed(NAMED.key)]),
        have(
            "C_w of C_0",
            le(2 * p.C_r * p.C_0, p.C_w),
            by=["C_0 is enough", "entropy", "entropy of weights", supposed(LARGE_W.key)],
        ),
        have(
            "C_w of C_a",
            le(2 * p.C_r * sp.sqrt(2 * p.C_a), p.C_w),
            by=["its root is enough", "entropy", "entropy of weights", supposed(LARGE_W.key)],
        ),
        have("C_w and C_0", le(p.C_r * (2 * p.C_0) ** (1 / r), p.C_w), by=["root of C_0", "C_w of C_0"]),
        have("C_w of c", le(p.C_r * c_train, p.C_w), by=["c", "C_w of C_a", "entropy", "entropy of weights"]),
        have("C_w and c", le(p.C_r * c_train ** (1 / r), p.C_w), by=["root of c", "C_w of c"]),
        have("first", le(p.C_r * _TERMS[0] ** (1 / r), p.C_w * p.A ** (1 / (2 * r))), by=["C_w and C_0", "A"]),
        have(
            "second",
            le(p.C_r * _TERMS[1] ** (1 / r), p.C_w * _Q ** (1 / r) * p.B ** (1 / (4 * r))),
            by=["C_w and c", "B"],
        ),
        qed(by=["two roots", "first", "second", "A", "B"]),
    ),
)
#: What holds for every draw. The steps about w^ have settings in which a metric with a form is a mean over what is
#: drawn; of one draw they are premises.
off = p.formula("off_w", "how far w^ is from W*_eps", **NONNEG)
OFF = p.H_(
    "off",
    "the segment from w^ to w* has a point of W*_eps, Dist(w^, W*) - eps away where Dist(w^, W*) > eps",
    le(off, sp.Max(p.dist_w - rad, 0)),
)
NEAR_ANY = p.H_(
    "T_2, T_4",
    "T_2 and T_4 are at most the supremum over W*_eps where w^ is in it; else weights that move by d change them by at "
    "most K^(1/2) d, as losses lie in [0, 1]",
    every(*(le(_T[i], p.dev_eps + l_max * sp.sqrt(K) * off) for i in (1, 3))),
)
_STEPS = (
    *EQ39.hypotheses,
    premise(T3),
    premise(T5),
    premise(OUTSIDE, part=out_w**2),
    premise(T1, part=out_h),
    premise(T6, part=out_s),
    GAPS_1,
    GAPS_6,
    premise(G_OUT),
    OFF,
    NEAR_ANY,
)
RADIUS_MEANT = p.H_("eps", "the radius of W*_eps is eps(n_valid, n_train) of (10)", eq(rad, EPS_MEANT))
NAMED_2 = p.H_("C_a'", "C_a' = 24 (log(8 C_H) + 1)^(1/2) + 1", eq(p.C_a2, lemma3.ENOUGH_A2))
#: What the proof of (11) uses of A4 and of the draws, beside that of (10).
OF_11_DRAWS = tuple(dict.fromkeys((*OF_10_DRAWS, *lemma3.OF_DRAWS_NEAR, one.EXCESS, *_STEPS, RADIUS_MEANT, NAMED_2)))


def _excess(where: list[Ground], bound: sp.Expr, deviation: str) -> tuple[Part, ...]:
    """Where w^ lies, by these grounds, the deviations there, by a claim with this bound, and the excess from both."""
    return (
        section("Where w^ lies, and the deviations there"),
        have("near", ge(Pr(le(p.dist_w, rad)), 1 - 2 * p.delta), by=where),
        have(
            "in W*_eps", ge(Pr(every(le(p.dist_w, rad), le(off, 0))), 1 - 2 * p.delta), by=["near", supposed(OFF.key)]
        ),
        have("deviation", ge(Pr(le(p.dev_eps, bound)), 1 - p.delta), by=[cite(deviation)]),
        section("The excess in six terms"),
        have("squares of weights", le(out_w**2, p.dist_w**2), by=[supposed(OUTSIDE.item)]),
        raised("weights", "squares of weights", to=_half),
        have("products", le(out_w * G_out, p.dist_w * p.G), by=["weights", supposed(G_OUT.item)]),
        have("T_1", le(_T[0], p.dist_w * p.G), by=["products", supposed(GAPS_1.key), supposed(T1.item)]),
        have("T_6", le(_T[5], p.dist_w * p.G), by=["products", supposed(GAPS_6.key), supposed(T6.item)]),
        have(
            "six terms",
            le(p.excess, 2 * p.dist_w * p.G + 2 * p.dev_eps + 2 * l_max * sp.sqrt(K) * off),
            by=[cite(EQ39), *("T_1", "T_6"), *map(supposed, (one.EXCESS.key, T3.item, T5.item, NEAR_ANY.key))],
        ),
    )


_BOTH = every(le(p.dist_w, p.eps), le(p.excess, (p.C_e * DEVIATION + 2 * rad * p.G).xreplace(PRINTED)))
#: The right side of (11) without its second term.
_OF_FIRST = p.C_e * A_J**_half / sp.sqrt(N) + 2 * rad * p.G
THEOREM2_II = p.stated(
    "Theorem 2",
    "thm2.ii",
    "With probability at least 1 - 3 delta both (10) and (11) hold: Dist(w^, W*) <= eps(n_valid, n_train) and "
    f"L_0(theta^(w^)) - L_0(theta*) <= C_e ({_DEVIATION}) + 2 eps G, with universal constants C_w and C_e",
    ge(Pr(_BOTH), 1 - 3 * p.delta),
    equation="11",
    title="Bound dependent on statistical distance",
    hypotheses=(*ASSUMED, LARGE_W, LARGE_E),
    where=AS_DEFINED,
    switches=(a4_switch(*OF_11_DRAWS), EPS_SWITCH),
    follows_from=("ps-15", "thm2.i"),
)
RADIUS = p.H_("eps of (10)", "eps is at least that of (10) as corrected", ge(rad, EPS_10))
OF_DRAWS = tuple(
    dict.fromkeys((*THEOREM2_I_CORRECTED.hypotheses, RADIUS, *lemma3.LEM3_II_CORRECTED.hypotheses, *_STEPS))
)
_WHY_II = (_ROOT_Q, one._AS_LEMMAS, "A4 for all eps > 0 holds for no class of losses")
_BOUND = 2 * (lemma3.mean_22 + lemma3.level_22) + 2 * rad * p.G
_OF_22, _OF_39 = (cited.setting or Setting() for cited in (lemma3.LEM3_II_CORRECTED, EQ39))
OF_ALL = replace(_OF_22, others=(one.OF_LEMMAS, _OF_22, _OF_39))
THEOREM2_II_CORRECTED = amended(
    THEOREM2_II,
    _WHY_II,
    text="With probability at least 1 - 3 delta both parts hold at once: Dist(w^, W*) <= eps and "
    "L_0(theta^(w^)) - L_0(theta*) <= 2 (m + v) + 2 eps G, for any eps that is at least that of (10) as corrected, "
    "with the bound m + v of (22) as corrected",
    statement=ge(Pr(every(le(p.dist_w, rad), le(p.excess, _BOUND))), 1 - 3 * p.delta),
    hypotheses=OF_DRAWS,
    where=one.LEVELS | lemma3.OF_22,
    follows_from=("ps-15", "thm2.i.corrected", "lem3.ii.corrected"),
    note="Lemma 2, (21) and (22) fail with probability at most delta each; the first part needs the first two.",
    setting=OF_ALL,
    proof=Proof(
        section("What is not negative"),
        *one.SIGNS,
        *SIGNS,
        *_excess(
            [cite("fedweight.thm2.i.corrected"), "v", *(step.name for step in SIGNS), supposed(RADIUS.key)],
            lemma3.mean_22 + lemma3.level_22,
            "fedweight.lem3.ii.corrected",
        ),
        qed(by=["in W*_eps", "deviation", "six terms"]),
    ),
)

_LEVEL = (
    logarithm("log", 1 / p.delta, below=True),
    have("log(1/delta)", ge(sp.log(1 / p.delta), 0), by=["log", supposed(p.DELTA.key)]),
)
_ENTROPY = (
    logarithm("log C", p.C_H, below=True),
    have("entropy", ge(lemma3.ENTROPY, 0), by=["log C", supposed(lemma3.AT_ONE.key)]),
)
_STATED_MEANT, _SIZES_MEANT = THEOREM2_II.read(EPS_SWITCH).statement, THEOREM2_II.read(EPS_SWITCH).where
_WITHOUT = every(le(p.dist_w, EPS_MEANT), le(p.excess, _OF_FIRST.xreplace({**PRINTED, rad: EPS_MEANT})))
_AT_RADIUS = every(le(p.dist_w, rad), le(p.excess, p.C_e * lemma3.first_22 + 2 * rad * p.G))
SIZES_11 = _stated(
    "thm2.ii.sizes",
    "twice the bound of (22), without its second term, is at most C_e ((nu_H + J + log(1/delta))/N_eps)^(1/2) for "
    "C_e >= 2 C_a'",
    le(2 * p.C_a2 * lemma3.first_22, p.C_e * lemma3.first_22),
    title="The constant of (11)",
    hypotheses=(OTHERS, p.DELTA, lemma3.AT_ONE, NAMED_2, LARGE_E),
    where=lemma3.OF_FIRST,
    note="Not in the paper, which has O( ) here.",
    proof=Proof(
        lemma3.SIZED,
        lemma2.LOG,
        lemma2.ONE_OVER,
        *_ENTROPY,
        have("C_e", le(2 * p.C_a2, p.C_e), by=["entropy", supposed(NAMED_2.key), supposed(LARGE_E.key)]),
        have(
            "x",
            ge(lemma3.first_22, 0),
            by=["log(1/delta)", lemma3.SIZED.name, supposed(OTHERS.key), unfold(lemma3.first_22)],
        ),
        qed(by=["C_e", "x"]),
    ),
)
THEOREM2_II_FIRST = amended(
    THEOREM2_II,
    (_ROOT_Q, "A4 for all eps > 0 holds for no class of losses", lemma3.IN_A_BALL),
    part="first",
    text="As printed without the second term of (11), with (l_0/mu^(1/2))^(1/r) in the place of l_0/mu^(1/2) in (10), "
    "for A4 with eps <= 1",
    statement=ge(Pr(_WITHOUT), 1 - 3 * p.delta),
    hypotheses=(p.RANGE, p.A2J, p.A4_SMALL, p.CAP, p.DELTA, *OF_11_DRAWS, LARGE_W, LARGE_E),
    where={symbol: e for symbol, e in _SIZES_MEANT.items() if symbol != p.eps} | lemma3.OF_FIRST,
    follows_from=("ps-15", "thm2.i.universal.corrected", "lem3.ii.universal.corrected"),
    setting=replace(OF_ALL, free=(*OF_ALL.free, p.l0, p.mu, l_max)),
    proof=Proof(
        section("Constants and sizes"),
        *_LEVEL,
        *_ENTROPY,
        have("C_a'", ge(p.C_a2, lemma3.ENOUGH_A2), by=["entropy", supposed(NAMED_2.key)]),
        have("radius", eq(rad, EPS_MEANT), by=[supposed(RADIUS_MEANT.key)]),
        lemma3.SIZED,
        have("x", eq(lemma3.first_22, lemma3.OF_FIRST[lemma3.first_22]), by=["log(1/delta)", unfold(lemma3.first_22)]),
        have("N", eq(lemma3.N, n / (b**2 * J + rad**2 * (K - J))), by=[unfold(lemma3.N)]),
        rewritten("N at eps", "N", by=["radius"]),
        have("N_eps", eq(p.N_eps, _SIZES_MEANT[p.N_eps]), by=[unfold(p.N_eps)]),
        have("sizes", eq(lemma3.N, p.N_eps), by=["N at eps", "N_eps"]),
        *_excess(
            [cite("fedweight.thm2.i.universal.corrected"), "radius"],
            p.C_a2 * lemma3.first_22,
            "fedweight.lem3.ii.universal.corrected",
        ),
        have(
            "at the radius",
            ge(Pr(_AT_RADIUS), 1 - 3 * p.delta),
            by=["in W*_eps", "deviation", "six terms", cite("fedweight.thm2.ii.sizes")],
        ),
        rewritten("in sizes", "at the radius", by=["x"]),
        rewritten("at eps", "in sizes", by=["sizes", "radius"]),
        qed(by=["at eps"]),
    ),
)
THEOREM2_II_UNIVERSAL = amended(
    THEOREM2_II,
    (_ROOT_Q, "A4 for all eps > 0 holds for no class of losses"),
    part="universal",
    text="As printed, with (l_0/mu^(1/2))^(1/r) in the place of l_0/mu^(1/2) in (10), for A4 with eps <= 1",
    statement=_STATED_MEANT,
    hypotheses=THEOREM2_II_FIRST.hypotheses,
    where=THEOREM2_II_FIRST.where,
    follows_from=("thm2.ii.first.corrected",),
    setting=THEOREM2_II_FIRST.setting,
    proof=Proof(
        *_LEVEL,
        have("radius", eq(rad, EPS_MEANT), by=[supposed(RADIUS_MEANT.key)]),
        have("others", ge(rad * (K - J), 0), by=[supposed(OTHERS.key)]),
        rewritten("others at eps", "others", by=["radius"]),
        have("second term", ge(p.C_e * EPS_MEANT * (K - J) / (b * sp.sqrt(p.N_eps)), 0), by=["others at eps"]),
        qed(by=[cite("fedweight.thm2.ii.first.corrected"), "second term", "log(1/delta)"]),
    ),
)

# --- how Assumptions 1, 2' and 3 are tied

share = p.declare("s_share", "weight of the nodes outside J", latex="s", **POS)
gap_s0 = p.formula("gap_share", "F(w) - min F", p.LOSS, **NONNEG)
push2 = p.formula("push2", "||sum_{k not in J} (w_k/s) grad L_k(theta(w))||^2", p.SLOPE**2, **NONNEG)
INSIDE = p.H_("s<1", "0 < s < 1", le(share, sp.Rational(99, 100)))
point, target, slope, push = vectors("x x* g h")
f_x, f_x0 = sp.symbols("f_x f_x0", real=True)
TIE_GAP = p.stated(
    "Section 3",
    "thm2.tie.a",
    "F(w) - min F <= (l_0^2/(2 mu)) (s/(1 - s))^2 where w has the weight s outside J, and theta(w) is interior",
    le(2 * p.mu * (1 - share) ** 2 * gap_s0, share**2 * p.l0**2),
    title="Other nodes can do little harm",
    hypotheses=(
        INSIDE,
        p.H_(
            "A1 of L_0",
            "L_0 = L_k for k in J is mu-strongly convex and l_1-smooth",
            None,
            StronglyConvex("L_0", p.mu),
            Smooth("L_0", p.l1),
        ),
        p.H_("A1.2 of the others", "the gradients of the L_k are at most l_0", le(push2, p.l0**2)),
    ),
    note="Not in the paper. At theta(w) the gradient of L_0, times 1 - s, and those of the others add up to 0.",
    setting=Setting(
        depends={"x": "", "x*": "", "h": ""},
        sums={"g": push * (-share / (1 - share))},
        functions={"L_0": {"theta(w)": (point, slope, f_x), "theta*": (target, None, f_x0)}},
        metrics={gap_s0: f_x - f_x0, push2: norm2(push)},
        words={"x": "theta(w)", "x*": "theta*", "h": "the mean gradient of the nodes outside J"},
    ),
    proof=Proof(
        have("below", le(2 * p.mu * (f_x - f_x0), norm2(slope)), by=[convex("L_0", "theta(w)", "theta*")]),
        have("balance", eq((1 - share) ** 2 * norm2(slope), share**2 * norm2(push)), by=[written_out("g")]),
        qed(by=["below", "balance", supposed("A1.2 of the others")]),
    ),
)
TIE = p.stated(
    "Section 3",
    "thm2.tie.b",
    "A3 at a w of weight s outside J asks for C_r^r l_0^2/mu >= 2 (1 - s)^2 s^(r - 2)",
    ge(p.C_r**r * p.l0**2 / p.mu, 2 * (1 - share) ** 2 * share ** (r - 2)),
    title="What A3 asks of the other constants",
    hypotheses=(
        INSIDE,
        premise(TIE_GAP),
        p.H_("A3 at s", "s <= Dist(w, W*) <= C_r (F(w) - min F)^(1/r)", le(share**r, p.C_r**r * gap_s0)),
    ),
    note="Not in the paper. As s -> 0 it fails for r < 2, and for r = 2 it says l_0/mu^(1/2) >= 2^(1/2)/C_r: then "
    "(l_0/mu^(1/2))^(1/2) is at most (C_r/2^(1/2))^(1/2) l_0/mu^(1/2), and (10) holds as printed with a larger C_w.",
    setting=Setting(measured=(gap_s0,)),
    proof=Proof(
        have(
            "both",
            le(2 * p.mu * (1 - share) ** 2 * share**r, p.C_r**r * share**2 * p.l0**2),
            by=[supposed(TIE_GAP.item), supposed("A3 at s")],
        ),
        qed(by=["both"]),
    ),
)
CLAIMS = claims_in(globals())
