"""Lemma B.4: the errors of the estimates in the local steps.

As printed it is false: the steps may be as long as one likes, ``z^{n-1}`` moves as well and ``s^{m,n}`` depends on it,
and what (33) doubles is left out in (34c). The error at the points that the samples are taken at, ``h - P(x, Z)``
in place of ``h - P(x)``, has the bound that the argument promises, with ``e - 1`` and without a condition on the steps.
"""

from dataclasses import replace
from typing import Any

import sympy as sp

from rateproof.theory.assumptions import Independent, Lipschitz, Unbiased
from rateproof.theory.claim import Claim, Hypothesis, Kind, Reason, Switch
from rateproof.theory.gram import Vector, norm2, vectors
from rateproof.theory.papers import lemmas
from rateproof.theory.papers.fedmsa import notation as p
from rateproof.theory.papers.fedmsa.lemma_b3 import FIRST_STEP, LATER_STEP
from rateproof.theory.papers.fedmsa.lemma_b5 import MEAN
from rateproof.theory.papers.lemmas import GROWTH, k, over_steps
from rateproof.theory.papers.lemmas import notation as common
from rateproof.theory.proof import (
    SEQUENCES,
    Cite,
    Part,
    Proof,
    Setting,
    cite,
    exponential,
    fresh,
    have,
    induct,
    lipschitz,
    logarithm,
    qed,
    section,
    special,
    summed,
    supposed,
    variance,
    written_out,
)
from rateproof.theory.shorthand import amended, eq, every, ge, le, misprint
from rateproof.theory.symbols import NONNEG, POS
from rateproof.theory.units import INNER, LENGTH, OUTER

_PLACE = "proof of Lemma B.4"
_e, K = sp.E, p.K
_half, _third = sp.Rational(1, 2), sp.Rational(1, 3)

# --- constants, and what is measured; where nothing else is said, an expectation

C_a, C_b, D_a, D_b = (
    p.declare(name, f"the constant {of} of Lemma B.4, which is not given", (p.AREA / unit) ** 2, latex=of, **POS)
    for name, of, unit in (("C_B4", "C", OUTER), ("C_B4x", "C'", OUTER), ("D_B4", "D", INNER), ("D_B4x", "D'", INNER))
)
L_zall = p.declare("L_zall", "Lipschitz constant of Z^*", latex="L_{Z^*}", **NONNEG)


def _square(name: str, of: str, unit: sp.Expr = p.SLOPE**2) -> sp.Symbol:
    """The mean square of a vector."""
    return p.formula(name, f"E ||{of}||^2", unit, **NONNEG)


def _mean(name: str, of: str, unit: sp.Expr = p.SLOPE**2) -> sp.Symbol:
    """Its mean over the local steps."""
    return p.formula(name, f"(1/K) sum_{{k=1}}^K E ||{of}||^2", unit, **NONNEG)


_d, _d_b = "h_{r,k} - P(x_{r+1,k})", "h_{r,k-1} - P(x_{r+1,k-1})"
_abc = "a_{r,k} + b_{r,k} + c_{r,k} + d_{r,k-1}"
d2, d2_b, d2_0 = _square("d2", _d), _square("d2_b", _d_b), _square("d2_0", "h_r - P(x_r)")
a2, b2, c2 = (_square(f"{of}2", f"{of}_{{r,k}}") for of in "abc")
cd2, bcd2 = _square("cd2", "c_{r,k} + d_{r,k-1}"), _square("bcd2", "b_{r,k} + c_{r,k} + d_{r,k-1}")
abcd2 = _square("abcd2", _abc)
move_x = _square("move_x", "x_{r+1,k} - x_{r+1,k-1}", p.AREA)
Eh2_b, h2_0, P2_0 = _square("Eh2_b", "h_{r,k-1}"), _square("h2_0", "h_r"), _square("P2_0", "P(x_r)")
mean_d, mean_db, mean_hb = _mean("mean_d", _d), _mean("mean_db", _d_b), _mean("mean_hb", "h_{r,k-1}")
mean_P, mean_Pb = _mean("mean_P", "P(x_{r+1,k})"), _mean("mean_Pb", "P(x_{r+1,k-1})")
sum_a = p.formula("sum_a", "sum_{k=1}^K E ||a_{r,k}||^2", p.SLOPE**2, **NONNEG)
_gap, _gap_b = "z_{r+1,k}^n - z_{r+1,k}^{n,*}", "z_{r+1,k-1}^n - z_{r+1,k-1}^{n,*}"
sum_gap = p.formula("sum_gap", f"sum_{{k=1}}^K sum_n L_z(n) ||{_gap}||", OUTER / LENGTH, **NONNEG)
sum_gap2 = p.formula("sum_gap2", f"sum_{{k=1}}^K sum_n L_z(n) ||{_gap}||^2", OUTER, **NONNEG)
_S, _Sb = "S^n(z_{r+1,k}^{n-1}, z_{r+1,k}^n)", "S^n(z_{r+1,k-1}^{n-1}, z_{r+1,k-1}^n)"
_dq, _dq_b = f"q_{{r,k}}^n - {_S}", f"q_{{r,k-1}}^n - {_Sb}"
_dq_0, _bcdq = "q_r^n - S^n(z_r^{n-1}, z_r^n)", "b_{r,k}^n + c_{r,k}^n + d_{r,k-1}^n"
dq2, dq2_b, dq2_0, bq2, cq2, bcdq2, Eq2_b = (
    _square(name, of, p.FORCE**2)
    for name, of in (
        *(("dq2", _dq), ("dq2_b", _dq_b), ("dq2_0", _dq_0)),
        *(("bq2", "b_{r,k}^n"), ("cq2", "c_{r,k}^n"), ("bcdq2", _bcdq), ("Eq2_b", "q_{r,k-1}^n")),
    )
)
cq2_diff, bcdq2_diff = (
    p.declare(name, f"E ||{of}||^2, c the change of S^{{m,n}} - S^n", p.FORCE**2, latex=rf"E\|{of}\|^2", **NONNEG)
    for name, of in (("cq2_diff", "c_{r,k}^n"), ("bcdq2_diff", _bcdq))
)
move_z = _square("move_z", "z_{r+1,k}^n - z_{r+1,k-1}^n", p.AREA)
move_zb = _square("move_zb", "z_{r+1,k}^{n-1} - z_{r+1,k-1}^{n-1}", p.AREA)
mean_dq, mean_dqb, mean_Sb = (
    _mean(name, of, p.FORCE**2) for name, of in (("mean_dq", _dq), ("mean_dqb", _dq_b), ("mean_Sb", _Sb))
)
mean_gap, mean_gapb = _mean("mean_gap", _gap, p.AREA), _mean("mean_gapb", _gap_b, p.AREA)
gap2_0 = _square("gap2_0", "z_r^n - z_r^{n,*}", p.AREA)
#: At the points that the samples are taken at: the errors of h, and how far the points move.
_dw, _dw_0 = "h_{r,k} - P(x_{r+1,k}, Z_{r+1,k})", "h_r - P(x_r, Z_r)"
_WAY_W = "sum_{k=1}^K E[||x_{r+1,k+1} - x_{r+1,k}||^2 + ||Z_{r+1,k+1} - Z_{r+1,k}||^2]"
_WAY_N = "sum_{k=1}^K E[||z_{r+1,k+1}^{n-1} - z_{r+1,k}^{n-1}||^2 + ||z_{r+1,k+1}^n - z_{r+1,k}^n||^2]"
mean_hw, first_hw = _mean("mean_hw", _dw), _square("first_hw", _dw_0)
moves_w, moves_n = (p.formula(of, way, p.AREA, **NONNEG) for of, way in (("moves_w", _WAY_W), ("moves_n", _WAY_N)))
mean_gapZ = _mean("mean_gapZ", "Z_{r+1,k} - Z^*(x_{r+1,k})", p.AREA)

# --- hypotheses, and how they may be read

STEP_X = p.H_(
    "alpha<=min",
    "alpha <= min(C K nu_0, C' sqrt(K) Lb_p) for some constants C and C', nu_0 the heterogeneity tau_0",
    every(le(p.alpha, C_a * K * p.tau_0), le(p.alpha, C_b * sp.sqrt(K) * p.Lb_p)),
)
STEP_Z = p.H_(
    "beta_n<=min",
    "beta_n <= min(D K nu_n, D' sqrt(K) Lb_{s,n}) for some constants D and D', nu_n the heterogeneity tau_n",
    every(le(p.beta, D_a * K * p.tau_n), le(p.beta, D_b * sp.sqrt(K) * p.Lb_s)),
)
kappa_p, kappa_s = (K * (L**2 / p.b + tau**2 * (1 + K)) for L, tau in ((p.Lb_p, p.tau_0), (p.Lb_s, p.tau_n)))
SMALL_X = p.H_(
    "2 kappa_p e alpha^2<=1/2",
    "2 kappa_p e alpha^2 <= 1/2, kappa_p = K (Lb_p^2/b + tau_0^2 (1 + K))",
    le(2 * kappa_p * _e * p.alpha**2, _half),
)
SMALL_Z = p.H_(
    "2 kappa_s e beta_n^2<=1/2",
    "2 kappa_{s,n} e beta_n^2 <= 1/2, kappa_{s,n} = K (Lb_{s,n}^2/b + tau_n^2 (1 + K))",
    le(2 * kappa_s * _e * p.beta**2, _half),
)
IN_Z = p.H_(
    "L_{h,z}", "L_{h,z} and L_z(n) are Lipschitz constants of P^m in Z and in z^n, of which the paper does not speak"
)
RUN = (p.A1, p.A2, p.A3, p.A4, p.A5_PRINTED, p.B, p.C, STEP_X, STEP_Z, p.METHOD, p.SUM)
_OF_STEP, _LATER = (*RUN, FIRST_STEP), (p.METHOD, LATER_STEP)
SQUARES = Switch(
    "A4",
    "first moments",
    "second moments",
    "samples that differ rarely and by much have a larger second moment",
    without=(p.A4.key,),
    adding=(p.A4_SQUARES,),
    origin="(34a), which squares it",
)
C_COMPOSITE = p.H_("C of P^m(x)", "{P^m(x)}, P^m(x) = P^m(x, Z^*(x)), is tau_0-heterogeneous, too")
_THAT_OF_Z = "the derivative of P^m(x, Z^*(x)) has that of Z^* besides"
_FOR_P_OF_X = "(34b), which takes tau_0 for P^m(x)"
COMPOSITE = Switch("C", "of P^m(x, Z)", "of P^m(x), too", _THAT_OF_Z, adding=(C_COMPOSITE,), origin=_FOR_P_OF_X)
#: The conditions on the steps that the proof uses.
SMALL = tuple(
    Switch(
        name,
        "as printed",
        f"{of} small, as in the proof",
        "the printed bound is large where K, the heterogeneity or the Lipschitz constant are",
        without=(printed.key,),
        adding=(small,),
        origin="the last lines of the proof",
    )
    for name, of, printed, small in (
        ("step", "alpha", STEP_X, SMALL_X),
        ("inner step", "beta_n", STEP_Z, SMALL_Z),
    )
)


def _in_mean_square(key: str, text: str, L: sp.Symbol) -> Hypothesis:
    return p.H_(key, f"{text} in mean square", None, Lipschitz("p", L, random="xi", given="past"))


#: With types, for proofs.
BATCH = p.H_(
    "b samples",
    "a local step has b independent samples, unbiased given the past",
    None,
    Unbiased("e", "past sample"),
    Independent("e", "sample"),
)
JOINT_P = _in_mean_square("A4 in (x, Z)", "p^m(x, Z; xi) is Lb_p-Lipschitz in (x, Z)", p.Lb_p)
JOINT_S = _in_mean_square(
    "A4 in (z^{n-1}, z^n)", "s^{m,n}(z^{n-1}, z^n; zeta) is Lb_{s,n}-Lipschitz in (z^{n-1}, z^n)", p.Lb_s
)
AT_FIXED_POINT = _in_mean_square("A4 at Z^*", "p^m(x; xi) = p^m(x, Z^*(x); xi) is Lb_p-Lipschitz in x", p.Lb_p)
APART_P = p.H_("C for P", "P^m - P is tau_0-Lipschitz in (x, Z)", None, Lipschitz("P_m - P", p.tau_0))
APART_S = p.H_("C for S^n", "S^{m,n} - S^n is tau_n-Lipschitz in (z^{n-1}, z^n)", None, Lipschitz("P_m - P", p.tau_n))
FOLLOWS = p.H_("Z^*", "Z^* is L_{Z^*}-Lipschitz", None, Lipschitz("Z*", L_zall))
FRESH = p.H_(
    "fresh sample",
    "b_{r,k} has mean zero given the past, as P^m is the mean of p^m",
    None,
    Unbiased("e", "past sample"),
)

# --- the true lemma: one estimator, at the points x and y at which its samples are taken; also S^n is called P

x, y, z, u, v, h, g, e, noise, m_x, m_y, o_x, o_y = vectors("x y z u v h_m g e noise m_x m_y o_x o_y")
AT_CLIENT = replace(lemmas.AT_CLIENT, sizes={"sample": p.b}, free=())
IN_S = {"h_m": "the last estimate of S^n", "p": "a sample of S^{m,n}", "P_m": "S^{m,n}", "P": "S^n"}
#: The error before a step, what the client adds to it, and the error after it.
_last, _drift, _next = h - o_x, m_y - m_x - o_y + o_x, h + noise + m_y - m_x - o_y


def _one_step(L: sp.Symbol, tau: sp.Symbol) -> Cite:
    """The lemma on SARAH at one client."""
    at = {common.t: 1 / K, common.L: L, common.tau: tau, common.batch: p.b}
    return cite(lemmas.SARAH_DRIFT, at=at, points=lemmas.SAME, vectors={"h_m": h, "e": e})


def _round(
    of: str, mean: sp.Symbol, first: sp.Symbol, moves: sp.Symbol, *, L: sp.Symbol, tau: sp.Symbol
) -> dict[str, Any]:
    """Statement, setting and proof of the bound on the mean error of an estimator in a round."""
    error, move = (sp.Function(f"{what}_{of}", nonnegative=True) for what in ("error", "move"))
    growth = L**2 / p.b + (K + 1) * tau**2
    step = have("one step", le(error(k + 1), GROWTH * error(k) + growth * move(k)), by=[_one_step(L, tau)])
    return {
        "statement": le(mean, (_e - 1) * (first + growth * moves)),
        "setting": replace(
            AT_CLIENT,
            metrics={
                **{error(k): norm2(_last), error(k + 1): norm2(_next), move(k): norm2(x - y)},
                **{first: error(1), mean: sp.Sum(error(k), (k, 1, K)) / K, moves: sp.Sum(move(k), (k, 1, K))},
            },
            fixed=(first, L, tau, p.b),
            words={**AT_CLIENT.words, **(IN_S if of == "s" else {})},
        ),
        "proof": Proof(step, *over_steps("one step", growth * move(k))),
    }


_LEMMA = ("Lemma B.4", Kind.INEQUALITY)
_NO_STEP = "no condition on the steps bounds what the right side does not have: how far the points move"
_BOUND_S = f"E||{_dq_0}||^2 + (Lb_{{s,n}}^2/b + (K + 1) tau_n^2) {_WAY_N}"
_BOUND_P = f"E||{_dw_0}||^2 + (Lb_p^2/b + (K + 1) tau_0^2) {_WAY_W}"
LEMMA_B4Q = p.claim(
    "lemB4.q",
    *_LEMMA,
    f"(1/K) sum_k E||{_dq}||^2 <= 4 e E||{_dq_0}||^2 + (1/K) sum_k E||{_gap}||^2",
    le(mean_dq, 4 * _e * dq2_0 + mean_gap),
    equation="31",
    title="Error of q in the local steps",
    hypotheses=RUN,
    follows_from=("step.12.l",),
    note="Any C, C', D and D' will do: they are symbols of the instance.",
    switches=(SQUARES, MEAN, *SMALL),
)
LEMMA_B4Q_CORRECTED = amended(
    LEMMA_B4Q,
    (
        "s^{m,n} depends on z^{n-1}, which moves where z^n and z^{n,*} rest; (38a) and (38b) leave that out",
        _NO_STEP,
    ),
    text=f"(1/K) sum_k E||{_dq}||^2 <= (e - 1) ({_BOUND_S})",
    hypotheses=(JOINT_S, APART_S, BATCH, p.METHOD),
    follows_from=(),
    note="",
    **_round("s", mean_dq, dq2_0, moves_n, L=p.Lb_s, tau=p.tau_n),
)
LEMMA_B4H = p.claim(
    "lemB4.h",
    *_LEMMA,
    f"(1/K) sum_k E||{_d}||^2 <= 4 e E||h_r - P(x_r)||^2 + (1/K) sum_k E||P(x_{{r+1,k}})||^2 + 2 sum_k L_{{h,z}} sum_n "
    f"L_z(n) ||{_gap}||",
    le(mean_d, 4 * _e * d2_0 + mean_P + 2 * p.L_hz * sum_gap),
    equation="31",
    title="Error of h in the local steps",
    hypotheses=(*RUN, IN_Z),
    follows_from=("step.12.c",),
    note="Any C, C', D and D' will do: they are symbols of the instance. Where c P is P and alpha/c is alpha, both "
    "sides are c^2 times as large and the bounds of alpha/c are c times those of alpha.",
    switches=(
        SQUARES,
        COMPOSITE,
        MEAN,
        *SMALL,
        misprint(
            "squares of the norms",
            "a norm and a square of one have different units",
            le(mean_d, 4 * _e * d2_0 + mean_P + 2 * p.L_hz * sum_gap2),
            "(35), whose last term is 2 sum_k E||a_{r,k}||^2",
        ),
    ),
)
_AT_THE_POINTS = _round("p", mean_hw, first_hw, moves_w, L=p.Lb_p, tau=p.tau_0)
LEMMA_B4H_CORRECTED = amended(
    LEMMA_B4H,
    (
        _NO_STEP,
        "P(x) has the value at Z^*(x), which no sample is taken at: the heterogeneity of P^m(x, Z^*(x)) is not tau_0",
    ),
    text=f"(1/K) sum_k E||{_dw}||^2 <= (e - 1) ({_BOUND_P})",
    hypotheses=(JOINT_P, APART_P, BATCH, p.METHOD),
    follows_from=(),
    note="",
    **_AT_THE_POINTS,
)

#: The same for the left side that is printed: Z_k and Z^*(x_k), with the values of P(x_k, .) there.
_at_x: Setting = _AT_THE_POINTS["setting"]
_error, _off, _gap_k = (sp.Function(of, nonnegative=True) for of in ("error_p", "off", "gap"))
Z, Zs, Pd = vectors("Z Zs Pd")
_FROM_Z = "P(x, .) - P(x, Z)"
P_IN_Z = p.H_("P in Z", "P(x, .) is L_z-Lipschitz", None, Lipschitz(_FROM_Z, p.L_Z))
_bound_w: sp.Rel = _AT_THE_POINTS["statement"]
LEMMA_B4H_FIXED = amended(
    LEMMA_B4H,
    (
        Reason("no condition on the steps bounds how far the points move", LEMMA_B4H_CORRECTED.id),
        "the distance to Z^* enters by its square, and with the square of a Lipschitz constant",
    ),
    part="fixed_points",
    text=f"(1/K) sum_k E||{_d}||^2 <= 2 (e - 1) ({_BOUND_P}) + 2 L_z^2 (1/K) sum_k E||Z_{{r+1,k}} - "
    "Z^*(x_{r+1,k})||^2",
    statement=le(mean_d, 2 * _bound_w.rhs + 2 * p.L_Z**2 * mean_gapZ),
    hypotheses=(*LEMMA_B4H_CORRECTED.hypotheses, P_IN_Z),
    follows_from=("lemB4.h.corrected",),
    note="",
    setting=replace(
        _at_x,
        depends={**_at_x.depends, "Z": "past", "Zs": "past"},
        functions={**_at_x.functions, _FROM_Z: {"Z": (Z, Vector(), None), "Z*": (Zs, Pd, None)}},
        metrics={
            **_at_x.metrics,
            **{_off(k): norm2(_last - Pd), _gap_k(k): norm2(Z - Zs)},
            **{mean_d: sp.Sum(_off(k), (k, 1, K)) / K, mean_gapZ: sp.Sum(_gap_k(k), (k, 1, K)) / K},
        },
        words={**_at_x.words, "Z": "Z_{r+1,k}", "Zs": "Z^*(x_{r+1,k})"},
        fixed=(*_at_x.fixed, p.L_Z),
    ),
    proof=Proof(
        have(
            "one step",
            le(_off(k), 2 * _error(k) + 2 * p.L_Z**2 * _gap_k(k)),
            by=[lipschitz(_FROM_Z, "Z", "Z*")],
            multipliers=[2],
        ),
        summed("all steps", "one step", over=k, start=1, last=K),
        have("at the points", _bound_w, by=[cite(LEMMA_B4H_CORRECTED)]),
        qed(by=["all steps", "at the points", SEQUENCES]),
    ),
)

# --- (32) and (33): the step from x to x - alpha h, with the fixed points at both; samples are at the points as well


def _link(
    cid: str, text: str, statement: sp.Rel, *, hypotheses: tuple[Hypothesis, ...] = _OF_STEP, **more: Any
) -> Claim:
    """A link of the chains of the proof; where it has a setting, that proves it, unless a proof is given."""
    if "setting" in more:
        more.setdefault("proof", Proof(qed()))
    kind = Kind.IDENTITY if isinstance(statement, sp.Eq) else Kind.INEQUALITY
    return p.claim(f"step.{cid}", _PLACE, kind, text, statement, hypotheses=hypotheses, **more)


Zsn, p11, p22, a = vectors("Zsn p11 p22 a")
_xn = x - p.alpha * h


def _moved(start: Vector, end: Vector) -> dict[str, Any]:
    """The maps at other points."""
    return {of: {"x": (start, *at["x"][1:]), "y": (end, *at["y"][1:])} for of, at in lemmas.AT_CLIENT.functions.items()}


TO_NEXT = replace(
    AT_CLIENT,
    depends={
        **dict.fromkeys(("x", "h_m", "m_x", "m_y"), "past"),
        **{"p11": "past batch", "p22": "past batch", "e": "past sample xi"},
    },
    functions={
        **_moved(x + Zs, _xn + Zsn),
        "p": {"x": (x, g, None), "y": (_xn, g + m_y - m_x + e, None)},
        "Z*": {"x": (x, Zs, None), "y": (_xn, Zsn, None)},
    },
    # b + P^m(x_k) - P^m(x_{k-1}) is the change of the samples at the fixed points
    sums={"a": p22 - p11 - (noise + m_y - m_x)},
    blocks={"x": "x", "h_m": "x", "Zs": "Z", "Zsn": "Z"},
    metrics={
        **{a2: norm2(a), b2: norm2(noise), c2: norm2(_drift), d2_b: norm2(_last)},
        **{d2: norm2(h + p22 - p11 - o_y), abcd2: norm2(a + noise + _drift + _last)},
        **{cd2: norm2(_drift + _last), bcd2: norm2(noise + _drift + _last)},
        **{move_x: norm2(p.alpha * h), Eh2_b: norm2(h)},
    },
    words={
        **{"x": "x_{r+1,k-1}", "h_m": "h_{r,k-1}", "p": "a sample of P^m(x)", "e": "what a sample of b_{r,k} is"},
        **{"p11": "the mean of the samples at (x_{k-1}, Z_{k-1})", "p22": "that of the same at (x_k, Z_k)"},
        **{"P_m": "P^m(x, Z^*(x))", "P": "P(x, Z^*(x))"},
    },
)
_p, _ps = "p^m(x_{r+1,k}, Z_{r+1,k}; xi_r)", "p^m(x_{r+1,k}; xi_{r+1,k})"
_pb, _psb = "p^m(x_{r+1,k-1}, Z_{r+1,k-1}; xi_{r,k})", "p^m(x_{r+1,k-1}; xi_{r+1,k})"
STEP_10A = _link(
    "10.a",
    f"h_{{r,k}} - P(x_{{r+1,k}}) = {_abc}, with a_{{r,k}} = {_p} - {_ps} - {_pb} + {_psb}",
    eq(d2, abcd2),
    equation="32",
    title="Error of h in four parts",
    hypotheses=(p.METHOD, FIRST_STEP),
    note="Encoded as what (33) uses, the equation of the mean squares; (33) prints the left side. xi_{r,k}, xi_{r+1,k} "
    "and, in the first term, xi_r are read as the one sample of step k, which (6a) takes at both points.",
    setting=TO_NEXT,
    proof=Proof(qed(by=[written_out("a")])),
)
_TWICE = "the square of a sum is at most twice the sum of the squares, and not equal to it"
_NEXT_LINE = "the next line of (33), which only needs <="
STEP_10B = _link(
    "10.b",
    f"E||{_d}||^2 = 2 E||a_{{r,k}}||^2 + 2 E||b_{{r,k}} + c_{{r,k}} + d_{{r,k-1}}||^2",
    eq(d2, 2 * a2 + 2 * bcd2),
    equation="33",
    title="Square of the error of h, doubled",
    follows_from=("step.10.a",),
    switches=(MEAN, misprint("<= for =", _TWICE, le(d2, 2 * a2 + 2 * bcd2), _NEXT_LINE)),
)
STEP_10B_CORRECTED = amended(
    STEP_10B,
    _TWICE,
    origin=_NEXT_LINE,
    text="As printed with <= for =",
    statement=le(d2, 2 * a2 + 2 * bcd2),
    hypotheses=(p.METHOD, FIRST_STEP),
    follows_from=("step.10.a",),
    setting=TO_NEXT,
    proof=Proof(qed(by=[written_out("a")])),
)
STEP_10C = _link(
    "10.c",
    "2 E||a_{r,k}||^2 + 2 E||b_{r,k} + c_{r,k} + d_{r,k-1}||^2 <= 2 (E||a_{r,k}||^2 + E||b_{r,k}||^2 + E||c_{r,k} + "
    "d_{r,k-1}||^2)",
    le(2 * a2 + 2 * bcd2, 2 * (a2 + b2 + cd2)),
    equation="33",
    title="Noise apart from the rest",
    hypotheses=(FRESH, p.METHOD, FIRST_STEP),
    note="It is an equation.",
    setting=TO_NEXT,
    proof=Proof(qed(by=[fresh("noise")])),
)
STEP_10D = _link(
    "10.d",
    "2 (E||a_{r,k}||^2 + E||b_{r,k}||^2 + E||c_{r,k} + d_{r,k-1}||^2) <= 2 (E||a_{r,k}||^2 + E||b_{r,k}||^2 + (1 + K) "
    "E||c_{r,k}||^2 + (1 + 1/K) E||d_{r,k-1}||^2)",
    le(2 * (a2 + b2 + cd2), 2 * (a2 + b2 + (1 + K) * c2 + (1 + 1 / K) * d2_b)),
    equation="33",
    title="Drift and last error apart",
    hypotheses=(p.METHOD, FIRST_STEP),
    setting=TO_NEXT,
)

# --- (34a) and (34b), and (38a) and (38b), which say the same of q^n; ``u`` is z^{n-1}, which moves by ``v``

Q_NEXT = replace(
    AT_CLIENT,
    depends={**dict.fromkeys(("u", "v", "z", "h_m", "m_x", "m_y"), "past"), "e": "past sample xi"},
    functions=_moved(u + z, u - v + z - p.beta * h),
    blocks={"u": "z^{n-1}", "v": "z^{n-1}", "z": "z^n", "h_m": "z^n"},
    metrics={
        **{bq2: norm2(noise), cq2_diff: norm2(_drift), dq2_b: norm2(_last), dq2: norm2(_next)},
        **{bcdq2_diff: norm2(noise + _drift + _last)},
        **{move_z: norm2(p.beta * h), move_zb: norm2(v), Eq2_b: norm2(h)},
    },
    words={
        **{**IN_S, "h_m": "q_{r,k-1}^n", "e": "what a sample of b_{r,k}^n is"},
        **{"u": "z_{r+1,k-1}^{n-1}", "v": "how far z^{n-1} moves", "z": "z_{r+1,k-1}^n"},
    },
)


def _noise(L: sp.Symbol, noise_of: sp.Symbol, move: sp.Expr) -> tuple[Part, ...]:
    """That of a batch by how far the points move."""
    return (
        have("one sample", le(norm2(e), L**2 * move), by=[lipschitz("p", "x", "y"), fresh("e")]),
        have("a batch", le(noise_of, L**2 / p.b * move), by=[variance("noise"), "one sample"]),
    )


STEP_11A = _link(
    "11.a",
    "||b_{r,k}||^2 <= (Lb_p^2/b) ||x_{r+1,k} - x_{r+1,k-1}||^2",
    le(b2, p.Lb_p**2 / p.b * move_x),
    equation="34a",
    title="Noise of h by the move",
    note="Read with an expectation on both sides. It is said to be from Assumption B, and is one of A4.",
    switches=(SQUARES, MEAN),
)
STEP_11A_CORRECTED = amended(
    STEP_11A,
    "Definition 2.1 bounds first moments, and this is a second one",
    text="As printed, for p^m(x; xi) that is Lb_p-Lipschitz in mean square, and independent samples",
    hypotheses=(AT_FIXED_POINT, BATCH, *_LATER),
    note="",
    setting=TO_NEXT,
    proof=Proof(*_noise(p.Lb_p, b2, move_x), qed(by=["a batch"])),
)
_AT_REST = "x_{r+1,1} = x_{r+1,0}, while h_{r,0} = h_r need not be 0"
_moved, _taken = p.Lb_p**2 / p.b * move_x, p.Lb_p**2 * p.alpha**2 / p.b * Eh2_b
STEP_11B = _link(
    "11.b",
    "(Lb_p^2/b) ||x_{r+1,k} - x_{r+1,k-1}||^2 = (Lb_p^2 alpha^2/b) ||h_{r+1,k-1}||^2 for every k in [K]",
    eq(_moved, _taken),
    equation="34a",
    title="Move of x by its direction",
    note="h_{r+1,k-1} is h_{r,k-1} of Algorithm 1. For k = 1 the equation is false, and for k > 1 it is line 14.",
    switches=(MEAN, misprint("<= for =", _AT_REST, le(_moved, _taken), "(34b), which has <= there")),
)
STEP_11C = _link(
    "11.c",
    "||c_{r,k}||^2 <= tau_0^2 ||x_{r+1,k} - x_{r+1,k-1}||^2",
    le(c2, p.tau_0**2 * move_x),
    equation="34b",
    title="Heterogeneity of P by the move",
    switches=(COMPOSITE, MEAN),
)
_apart = p.tau_0**2 * (1 + L_zall**2)
_34B = (
    have("the fixed points", le(norm2(Zsn - Zs), L_zall**2 * move_x), by=[lipschitz("Z*", "x", "y")]),
    have("the maps", le(c2, p.tau_0**2 * (move_x + norm2(Zsn - Zs))), by=[lipschitz("P_m - P", "x", "y")]),
    have("the client", le(c2, _apart * move_x), by=["the maps", "the fixed points"], multipliers=[1, p.tau_0**2]),
)
STEP_11C_CORRECTED = amended(
    STEP_11C,
    "c_{r,k} has P^m(x) = P^m(x, Z^*(x)), whose Jacobian has that of Z^*, too",
    text="||c_{r,k}||^2 <= tau_0^2 (1 + L_{Z^*}^2) ||x_{r+1,k} - x_{r+1,k-1}||^2, L_{Z^*} a Lipschitz constant of Z^*",
    statement=le(c2, _apart * move_x),
    hypotheses=(APART_P, FOLLOWS, *_LATER),
    setting=TO_NEXT,
    proof=Proof(*_34B, qed(by=["the client"])),
)
_COMPOSITE = "P_m - P at Z*"
STEP_11C_FIXED = amended(
    STEP_11C,
    _THAT_OF_Z,
    part="composite",
    text="As printed, for {P^m(x)}, P^m(x) = P^m(x, Z^*(x)), that is tau_0-heterogeneous",
    hypotheses=(
        p.H_("C for P(x)", "P^m(x) - P(x) is tau_0-Lipschitz in x", None, Lipschitz(_COMPOSITE, p.tau_0)),
        *_LATER,
    ),
    origin=_FOR_P_OF_X,
    setting=replace(
        TO_NEXT,
        functions={
            **{of: at for of, at in TO_NEXT.functions.items() if of != "P_m - P"},
            _COMPOSITE: {"x": (x, m_x - o_x, None), "y": (_xn, m_y - o_y, None)},
        },
    ),
    proof=Proof(qed(by=[lipschitz(_COMPOSITE, "x", "y")])),
)
STEP_11D = _link(
    "11.d",
    "tau_0^2 ||x_{r+1,k} - x_{r+1,k-1}||^2 <= tau_0^2 alpha^2 ||h_{r+1,k-1}||^2",
    le(p.tau_0**2 * move_x, p.tau_0**2 * p.alpha**2 * Eh2_b),
    equation="34b",
    title="Move of x at most its direction",
    hypotheses=_LATER,
    setting=TO_NEXT,
)

# --- (34c) and (35); ``err(j)`` is E||d_{r,j+1}||^2, ``sum_h(j)`` the sum of E||h_{r,i}||^2 over 0 < i <= j

_growth = p.alpha**2 * (p.Lb_p**2 / p.b + _apart * (1 + 2 * K))
STEP_11E = _link(
    "11.e",
    "||d_{r,k}||^2 <= (1 + 1/K) ||d_{r,k-1}||^2 + alpha^2 (Lb_p^2/b + tau_p^2 (1 + K)) ||h_{r+1,k-1}||^2 + 2 "
    "E||a_{r,k}||^2",
    le(d2, (1 + 1 / K) * d2_b + p.alpha**2 * (p.Lb_p**2 / p.b + p.tau_0**2 * (1 + K)) * Eh2_b + 2 * a2),
    equation="34c",
    title="Error of h in one local step",
    follows_from=("step.10.d", "step.11.a", "step.11.c"),
    note="tau_p is tau_0. (33) has 2 (1 + 1/K) where this has 1 + 1/K.",
    switches=(SQUARES, COMPOSITE, MEAN, *SMALL),
)
TYPED = (AT_FIXED_POINT, APART_P, FOLLOWS, BATCH)
STEP_11E_CORRECTED = amended(
    STEP_11E,
    (
        "the display drops the factor 2 of (33) beside all but a_{r,k}; what is added to d_{r,k-1} without a mean of "
        "zero needs a factor of the order of K",
        "c_{r,k} has the heterogeneity of P^m(x, Z^*(x))",
    ),
    text="E||d_{r,k}||^2 <= (1 + 1/K) E||d_{r,k-1}||^2 + (4/3) alpha^2 (Lb_p^2/b + tau_0^2 (1 + L_{Z^*}^2) (1 + 2 K)) "
    "E||h_{r,k-1}||^2 + (1 + 3 K) E||a_{r,k}||^2",
    statement=le(d2, (1 + 1 / K) * d2_b + 4 * _third * _growth * Eh2_b + (1 + 3 * K) * a2),
    hypotheses=(*TYPED, *_LATER),
    follows_from=("step.11.a.corrected", "step.11.c.corrected"),
    note="",
    setting=TO_NEXT,
    proof=Proof(
        *_noise(p.Lb_p, b2, move_x),
        *_34B,
        have("noise apart", le(bcd2, b2 + cd2), by=[fresh("noise")]),
        have("drift apart", le(cd2, (1 + 2 * K) * c2 + (1 + 1 / (2 * K)) * d2_b)),
        have(
            "without a",
            le(bcd2, _growth * Eh2_b + (1 + 1 / (2 * K)) * d2_b),
            by=["noise apart", "drift apart", "a batch", "the client"],
            multipliers=[1, 1, 1, 1 + 2 * K],
        ),
        have("the error", le(d2, abcd2), by=[written_out("a")]),
        qed(by=["without a", "the error"], multipliers=[1 + 1 / (3 * K), 1]),
    ),
)
#: It does not matter which step it is.
AT_ANY_STEP = replace(STEP_11E_CORRECTED, hypotheses=(*TYPED, p.METHOD))

j = sp.Symbol("j", integer=True, nonnegative=True)
err, sum_h, sum_aj, sum_w = (sp.Function(of, nonnegative=True) for of in ("err", "sum_h", "sum_aj", "sum_w"))
_h_now, _a_now, _w_now = sp.symbols("h_now a_now w_now", nonnegative=True)


def _pointwise(bound: sp.Expr, last: sp.Expr, **sums: sp.Function) -> tuple[Part, ...]:
    """From "one step" to step k: an error that grows by ``1 + 1/K`` a step, and what a step adds to it.

    Args:
        bound: what is added in the first j steps, in terms of partial sums.
        last: the number of the terms that all of a sum has.
        sums: these, by what they are sums of; they grow, as their terms are squares.
    """
    return (
        section("All local steps until step k"),
        logarithm("growth of a step", GROWTH),
        have("growth of K steps, as a logarithm", le(K * sp.log(GROWTH), 1), by=["growth of a step"]),
        exponential("growth of K steps", "growth of K steps, as a logarithm"),
        induct("growth", ge(GROWTH**j, 1), over=j),
        special("growth up to k", "growth", {j: p.k - 1}),
        special("growth from k", "growth", {j: K - p.k + 1}),
        have(
            "growth is at most e",
            le(GROWTH ** (p.k - 1), _e),
            by=["growth of K steps", "growth up to k", "growth from k", supposed(FIRST_STEP.key)],
        ),
        induct("all steps", le(err(j), GROWTH**j * (err(0) + bound)), over=j, by=["one step", "growth"]),
        special("up to k", "all steps", {j: p.k - 1}),
        *(have(f"{of} is added", ge(so_far(j + 1), so_far(j))) for of, so_far in sums.items()),
        *(summed(f"{of} after k", f"{of} is added", over=j, start=p.k - 1, last=last - 1) for of in sums),
        qed(by=["up to k", "growth is at most e", *(f"{of} after k" for of in sums), SEQUENCES]),
    )


_twice_kappa = 2 * _e * kappa_p * p.alpha**2
_by_directions = 2 * _e * d2_0 + _twice_kappa * mean_hb + 2 * sum_a
STEP_12A = _link(
    "12.a",
    "||d_{r,k}||^2 <= 2 e ||d_{r,0}||^2 + 2 e kappa_p alpha^2 (1/K) sum_{k=1}^K ||h_{r+1,k-1}||^2 + 2 sum_{k=1}^K "
    "E||a_{r,k}||^2, kappa_p = K (Lb_p^2/b + tau_0^2 (1 + K))",
    le(d2, _by_directions),
    equation="35",
    title="Error of h after k local steps",
    follows_from=("step.11.e",),
    note="Iterating (33), which is named here, gives (2 + 2/K)^k; that needs (34c) in its place.",
    switches=(SQUARES, COMPOSITE, MEAN, *SMALL),
)
_by_h, _by_a = 4 * _third * _growth, 1 + 3 * K
STEP_12A_CORRECTED = amended(
    STEP_12A,
    (
        "the errors a_{r,k} of several steps add up, so that their squares need the factor K",
        Reason("c_{r,k} has the heterogeneity of P^m(x, Z^*(x))", "fedmsa.step.11.c"),
    ),
    text="E||d_{r,k}||^2 <= e E||d_{r,0}||^2 + (4/3) e K (Lb_p^2/b + tau_0^2 (1 + L_{Z^*}^2) (1 + 2 K)) alpha^2 (1/K) "
    "sum_{k=1}^K E||h_{r,k-1}||^2 + e (1 + 3 K) sum_{k=1}^K E||a_{r,k}||^2",
    statement=le(d2, _e * (d2_0 + _by_h * K * mean_hb + _by_a * sum_a)),
    hypotheses=(*TYPED, p.METHOD, FIRST_STEP),
    follows_from=("step.11.e.corrected",),
    note="",
    setting=replace(
        TO_NEXT,
        metrics={
            **{err(j): norm2(_last), err(j + 1): TO_NEXT.metrics[d2]},
            **{sum_h(j): _h_now, sum_h(j + 1): _h_now + norm2(h)},
            **{sum_aj(j): _a_now, sum_aj(j + 1): _a_now + norm2(a)},
        },
        sequences={d2: err(p.k - 1), d2_0: err(0), mean_hb: (h2_0 + sum_h(K - 1)) / K, sum_a: sum_aj(K - 1)},
        measured=(_h_now, _a_now, h2_0),
        fixed=(p.alpha, p.Lb_p, p.b, p.tau_0, L_zall, h2_0),
    ),
    proof=Proof(
        section("One local step"),
        have(
            "one step",
            le(err(j + 1), GROWTH * err(j) + _by_h * norm2(h) + _by_a * norm2(a)),
            by=[
                cite(
                    AT_ANY_STEP,
                    points={f"{of}.{at}": f"{of}.{at}" for of in TO_NEXT.functions for at in "xy"},
                    vectors={"h_m": h, "e": e, "p11": p11, "p22": p22, "a": a},
                )
            ],
        ),
        *_pointwise(_by_h * sum_h(j) + _by_a * sum_aj(j), K - 1, h=sum_h, a=sum_aj),
    ),
)
_split = 2 * _e * d2_0 + _twice_kappa * (mean_db + mean_Pb) + 2 * sum_a
_h, _P = vectors("h P")
STEP_12B = _link(
    "12.b",
    "2 e ||d_{r,0}||^2 + 2 e kappa_p alpha^2 (1/K) sum_{k=1}^K ||h_{r+1,k-1}||^2 + 2 sum_k E||a_{r,k}||^2 <= 2 e "
    "||d_{r,0}||^2 + (2 kappa_p e alpha^2/K) sum_{k=1}^K (||d_{r,k-1}||^2 + ||P(x_{r,k-1})||^2) + 2 sum_k "
    "E||a_{r,k}||^2",
    le(_by_directions, _split),
    equation="35",
    title="Directions split into value and error",
    hypotheses=RUN,
    note="P(x_{r,k-1}) is P(x_{r+1,k-1}).",
    switches=(MEAN,),
)
STEP_12B_CORRECTED = amended(
    STEP_12B,
    "||h||^2 is at most twice ||h - P||^2 + ||P||^2, not once",
    text="As printed with 4 kappa_p e alpha^2/K for 2 kappa_p e alpha^2/K on the right",
    statement=le(_by_directions, 2 * _e * d2_0 + 2 * _twice_kappa * (mean_db + mean_Pb) + 2 * sum_a),
    hypotheses=(p.METHOD,),
    note="",
    setting=Setting(
        depends=dict.fromkeys(("h", "P"), "step past"),
        sizes={"step": K},
        metrics={mean_hb: norm2(_h), mean_Pb: norm2(_P), mean_db: norm2(_h - _P)},
        words={"h": "h_{r,k-1}", "P": "P(x_{r+1,k-1})"},
    ),
    proof=Proof(have("split", le(mean_hb, 2 * (mean_db + mean_Pb))), qed(by=["split"], multipliers=[_twice_kappa])),
)

# --- the averages of (35) and of (39)


def _shifted(key: str, before: sp.Symbol, mean: sp.Symbol, first: sp.Symbol) -> Hypothesis:
    text = f"{key}: the sum over k - 1 has the terms of that over k but the last, and the first of them twice"
    return p.H_(key, text, le(before, mean + first / K))


SHIFT_D = _shifted("d_{r,1}=d_{r,0}", mean_db, mean_d, d2_0)
SHIFT_P = _shifted("x_{r+1,1}=x_{r+1,0}", mean_Pb, mean_P, P2_0)
SHIFT_Q = _shifted("q_{r,1}=q_{r,0}", mean_dqb, mean_dq, dq2_0)
SHIFT_GAP = _shifted("z_{r+1,1}=z_{r+1,0}", mean_gapb, mean_gap, gap2_0)
AVERAGE_35 = p.H_("(35), averaged", "the mean over k of (35)", le(mean_d, _split))
_twice_kappa_s = 2 * _e * kappa_s * p.beta**2
AVERAGE_39 = p.H_(
    "(39), averaged",
    "the mean over k of (39)",
    le(mean_dq, 2 * _e * dq2_0 + _twice_kappa_s * (mean_dqb + p.L_Z * mean_gapb)),
)
_FIRST_TWICE = "the sums over k - 1 have the first term twice"


def _absorbed(printed: Claim, total: sp.Expr, factor: sp.Expr) -> Proof:
    """Half of the left side of an average is absorbed: ``total`` is what the small ``factor`` multiplies."""
    average, small, *shifts = (supposed(h.key) for h in printed.hypotheses)
    return Proof(have("small", le(factor * total, total / 2), by=[small]), qed(by=["small", average, *shifts]))


STEP_12C = _link(
    "12.c",
    "averaging (35) over k, with 2 kappa_p e alpha^2 <= 1/2: (1/K) sum_k E||d_{r,k}||^2 <= 4 e E||d_{r,0}||^2 + (1/K) "
    "sum_k E||P(x_{r+1,k})||^2 + 2 sum_k E||a_{r,k}||^2",
    le(mean_d, 4 * _e * d2_0 + mean_P + 2 * sum_a),
    title="Average of the errors of h",
    hypotheses=(AVERAGE_35, SMALL_X, SHIFT_D, SHIFT_P),
    note="The last term is what that of (31) bounds.",
)
STEP_12C_CORRECTED = amended(
    STEP_12C,
    ("what the left side absorbs doubles the rest, the last term as well", _FIRST_TWICE),
    text="(1/K) sum_k E||d_{r,k}||^2 <= (4 e + 1/K) E||d_{r,0}||^2 + (1/K) sum_k E||P(x_{r+1,k})||^2 + (1/K) "
    "E||P(x_r)||^2 + 4 sum_k E||a_{r,k}||^2",
    statement=le(mean_d, (4 * _e + 1 / K) * d2_0 + mean_P + P2_0 / K + 4 * sum_a),
    note="",
    setting=Setting(measured=(mean_d, mean_db, mean_P, mean_Pb, d2_0, P2_0, sum_a)),
    proof=_absorbed(STEP_12C, mean_db + mean_Pb, _twice_kappa),
)
STEP_12L = _link(
    "12.l",
    "averaging (39) over k, with 2 kappa_{s,n} e beta_n^2 <= 1/2: (1/K) sum_k E||d_{r,k}^n||^2 <= 4 e E||d_{r,0}^n||^2 "
    "+ (1/K) sum_k E||z_{r+1,k}^n - z_{r+1,k}^{n,*}||^2",
    le(mean_dq, 4 * _e * dq2_0 + mean_gap),
    title="Average of the errors of q",
    hypotheses=(AVERAGE_39, SMALL_Z, SHIFT_Q, SHIFT_GAP),
)
STEP_12L_CORRECTED = amended(
    STEP_12L,
    ("the constant L_z of (39) stays before the mean of the squared gaps", _FIRST_TWICE),
    text="(1/K) sum_k E||d_{r,k}^n||^2 <= (4 e + 1/K) E||d_{r,0}^n||^2 + (L_z/K) sum_k E||z_{r+1,k}^n - "
    "z_{r+1,k}^{n,*}||^2 + (L_z/K) E||z_r^n - z_r^{n,*}||^2",
    statement=le(mean_dq, (4 * _e + 1 / K) * dq2_0 + p.L_Z * (mean_gap + gap2_0 / K)),
    setting=Setting(measured=(mean_dq, mean_dqb, mean_gap, mean_gapb, dq2_0, gap2_0)),
    proof=_absorbed(STEP_12L, mean_dqb + p.L_Z * mean_gapb, _twice_kappa_s),
)

# --- (36) to (39): the same for q, without a

_SIGNS = (
    "S^n and S^{m,n} have the signs of c_{r,k} of (32) at step k - 1, and the opposite ones at step k, so that c is no "
    "change"
)
_OF_32 = "c_{r,k} of (32)"
_AS_SAID = "with c_{r,k}^n the change of S^{m,n} - S^n from step k - 1 to step k"


def _difference(statement: sp.Rel) -> Switch:
    return misprint("c the change of S^{m,n} - S^n", _SIGNS, statement, _OF_32)


STEP_12D = _link(
    "12.d",
    f"{_dq} = {_bcdq}, with c_{{r,k}}^n = {_S} - S^{{m,n}}(z_{{r+1,k}}) - S^{{m,n}}(z_{{r+1,k-1}}) + "
    "S^n(z_{r+1,k-1})",
    eq(dq2, bcdq2),
    equation="36",
    title="Error of q in three parts",
    note="Encoded as the equation of the mean squares. In b_{r,k}^n the letter q stands for s.",
    switches=(MEAN, _difference(eq(dq2, bcdq2_diff))),
)
STEP_12D_CORRECTED = amended(
    STEP_12D,
    _SIGNS,
    origin=_OF_32,
    text=f"As printed, {_AS_SAID}",
    statement=eq(dq2, bcdq2_diff),
    hypotheses=(p.METHOD, FIRST_STEP),
    note="",
    setting=Q_NEXT,
    proof=Proof(qed()),
)


def _three(drift: sp.Symbol) -> sp.Rel:
    return le(dq2, 2 * (bq2 + (1 + K) * drift + (1 + 1 / K) * dq2_b))


STEP_12E = _link(
    "12.e",
    "E||d_{r,k}^n||^2 <= 2 (E||b_{r,k}^n||^2 + (1 + K) E||c_{r,k}^n||^2 + (1 + 1/K) E||d_{r,k-1}^n||^2), c as in (36)",
    _three(cq2),
    equation="37",
    title="Error of q in one local step",
    follows_from=("step.12.d",),
    switches=(MEAN, _difference(_three(cq2_diff))),
)
STEP_12E_CORRECTED = amended(
    STEP_12E,
    _SIGNS,
    origin=_OF_32,
    text=f"As printed, {_AS_SAID}",
    statement=_three(cq2_diff),
    hypotheses=(FRESH, p.METHOD, FIRST_STEP),
    follows_from=("step.12.d.corrected",),
    note="The factor 2 is not needed.",
    setting=Q_NEXT,
    proof=Proof(qed(by=[fresh("noise")])),
)
_both = move_zb + move_z
_BOTH = "(||z_{r+1,k}^{n-1} - z_{r+1,k-1}^{n-1}||^2 + ||z_{r+1,k}^n - z_{r+1,k-1}^n||^2)"
_BELOW = "s^{m,n} depends on z^{n-1} as well, which moves"
STEP_12F = _link(
    "12.f",
    "||b_{r,k}^n||^2 <= (Lb_{s,n}^2/b) ||z_{r+1,k}^n - z_{r+1,k-1}^n||^2",
    le(bq2, p.Lb_s**2 / p.b * move_z),
    equation="38a",
    title="Noise of q by the move",
    note="Read with an expectation on both sides; printed for b_{r,k}^m.",
    switches=(SQUARES, MEAN),
)
STEP_12F_CORRECTED = amended(
    STEP_12F,
    _BELOW,
    text=f"||b_{{r,k}}^n||^2 <= (Lb_{{s,n}}^2/b) {_BOTH}, for s^{{m,n}} that is Lb_{{s,n}}-Lipschitz in both in mean "
    "square, and independent samples",
    statement=le(bq2, p.Lb_s**2 / p.b * _both),
    hypotheses=(JOINT_S, BATCH, *_LATER),
    note="",
    setting=Q_NEXT,
    proof=Proof(*_noise(p.Lb_s, bq2, _both), qed(by=["a batch"])),
)
_Z_AT_REST = "z_{r+1,1}^n = z_{r+1,0}^n, while q_{r,0}^n = q_r^n need not be 0"
_moved_z, _taken_z = p.Lb_s**2 / p.b * move_z, p.Lb_s**2 * p.beta**2 / p.b * Eq2_b
STEP_12G = _link(
    "12.g",
    "(Lb_{s,n}^2/b) ||z_{r+1,k}^n - z_{r+1,k-1}^n||^2 = (Lb_{s,n}^2 beta_n^2/b) ||q_{r,k-1}^n||^2 for every k in [K]",
    eq(_moved_z, _taken_z),
    equation="38a",
    title="Move of an inner sequence by its direction",
    note="For k = 1 the equation is false, and for k > 1 it is line 15.",
    switches=(MEAN, misprint("<= for =", _Z_AT_REST, le(_moved_z, _taken_z), "(38b), which has <= there")),
)
STEP_11B_CORRECTED, STEP_12G_CORRECTED = (
    amended(printed, why, text="As printed, for k > 1", hypotheses=_LATER, note="", setting=setting, proof=Proof(qed()))
    for printed, why, setting in ((STEP_11B, _AT_REST, TO_NEXT), (STEP_12G, _Z_AT_REST, Q_NEXT))
)
STEP_12H = _link(
    "12.h",
    "||c_{r,k}^n||^2 <= tau_n^2 ||z_{r+1,k}^n - z_{r+1,k-1}^n||^2, with c of (36)",
    le(cq2, p.tau_n**2 * move_z),
    equation="38b",
    title="Heterogeneity of S by the move",
    switches=(MEAN, _difference(le(cq2_diff, p.tau_n**2 * move_z))),
)
STEP_12H_CORRECTED = amended(
    STEP_12H,
    (_BELOW, Reason(_SIGNS, "fedmsa.step.12.d")),
    text=f"||c_{{r,k}}^n||^2 <= tau_n^2 {_BOTH}, {_AS_SAID}",
    statement=le(cq2_diff, p.tau_n**2 * _both),
    hypotheses=(APART_S, *_LATER),
    setting=Q_NEXT,
    proof=Proof(qed(by=[lipschitz("P_m - P", "x", "y")])),
)
STEP_12I = _link(
    "12.i",
    "tau_n^2 ||z_{r+1,k}^n - z_{r+1,k-1}^n||^2 <= tau_n^2 beta_n^2 ||q_{r,k-1}^n||^2",
    le(p.tau_n**2 * move_z, p.tau_n**2 * p.beta**2 * Eq2_b),
    equation="38b",
    title="Move at most its direction",
    hypotheses=_LATER,
    setting=Q_NEXT,
)
_q_split = 2 * _e * dq2_0 + _twice_kappa_s * (mean_dqb + mean_Sb)
STEP_12J = _link(
    "12.j",
    "||d_{r,k}^n||^2 <= 2 e ||d_{r,0}^n||^2 + (2 kappa_{s,n} e beta_n^2/K) sum_{k=1}^K (||d_{r,k-1}^n||^2 + "
    f"||{_Sb}||^2), kappa_{{s,n}} = K (Lb_{{s,n}}^2/b + tau_n^2 (1 + K))",
    le(dq2, _q_split),
    equation="39",
    title="Error of q after k local steps",
    follows_from=("step.12.e", "step.12.f", "step.12.h"),
    switches=(SQUARES, MEAN, *SMALL),
)
_q_growth = p.Lb_s**2 / p.b + (1 + K) * p.tau_n**2
STEP_12J_CORRECTED = amended(
    STEP_12J,
    (
        Reason(_BELOW, "fedmsa.step.12.f"),
        "||q||^2 is at most twice ||q - S||^2 + ||S||^2, not once",
    ),
    text=f"E||d_{{r,k}}^n||^2 <= e ({_BOUND_S})",
    statement=le(dq2, _e * (dq2_0 + _q_growth * moves_n)),
    hypotheses=(JOINT_S, APART_S, BATCH, p.METHOD, FIRST_STEP),
    follows_from=("step.12.f.corrected", "step.12.h.corrected"),
    setting=replace(
        AT_CLIENT,
        metrics={
            **{err(j): norm2(_last), err(j + 1): norm2(_next)},
            **{sum_w(j): _w_now, sum_w(j + 1): _w_now + norm2(x - y)},
        },
        sequences={dq2: err(p.k - 1), dq2_0: err(0), moves_n: sum_w(K)},
        measured=(_w_now,),
        fixed=(p.Lb_s, p.b, p.tau_n),
        words={**AT_CLIENT.words, **IN_S},
    ),
    proof=Proof(
        section("One local step"),
        have(
            "one step",
            le(err(j + 1), GROWTH * err(j) + _q_growth * norm2(x - y)),
            by=[_one_step(p.Lb_s, p.tau_n)],
        ),
        *_pointwise(_q_growth * sum_w(j), K, w=sum_w),
    ),
)
_BY_S = le(_q_split, 2 * _e * dq2_0 + _twice_kappa_s * (mean_dqb + p.L_s**2 * mean_gapb))
STEP_12K = _link(
    "12.k",
    f"the sum of the ||{_Sb}||^2 in (39) is at most L_z times that of the ||z_{{k-1}}^n - z_{{k-1}}^{{n,*}}||^2",
    le(_q_split, 2 * _e * dq2_0 + _twice_kappa_s * (mean_dqb + p.L_Z * mean_gapb)),
    equation="39",
    title="Size of S by distance to zero",
    hypotheses=RUN,
    note="L_z is read as that of A3. No other constant of Assumption A would do, nor L_{s,n} without its square.",
    switches=(
        MEAN,
        misprint("L_{s,n}^2 for L_z", "L_z is a constant of P^m", _BY_S, "Assumption A, which the text names here"),
        Switch(
            "A3",
            "Lipschitz in z^{n-1}",
            "Lipschitz in z^n, too",
            "S^n is taken at two values of z^n",
            adding=(p.A3_JOINT,),
            origin="(14), which does the same",
        ),
    ),
)
zs, S, q = vectors("z* S q")
STEP_12K_CORRECTED = amended(
    STEP_12K,
    "S^n is L_{s,n}-Lipschitz in z^n, so that its square has L_{s,n}^2; L_z is a constant of P^m",
    text="As printed with L_{s,n}^2 for L_z, S^n being L_{s,n}-Lipschitz in z^n",
    statement=_BY_S,
    hypotheses=(
        p.A1,
        p.H_("A3 for S^n", "S^n(z^{n-1}, .) is L_{s,n}-Lipschitz", None, Lipschitz("S", p.L_s)),
        p.METHOD,
    ),
    note="",
    setting=Setting(
        depends=dict.fromkeys(("z", "z*", "S", "q"), "step past"),
        sizes={"step": K},
        functions={"S": {"z": (z, S, None), "z*": (zs, Vector(), None)}},
        metrics={mean_Sb: norm2(S), mean_gapb: norm2(z - zs), mean_dqb: norm2(q - S)},
        words={"z": "z_{r+1,k-1}^n", "z*": "z_{r+1,k-1}^{n,*}", "q": "q_{r,k-1}^n"},
    ),
    proof=Proof(
        have("Lipschitz", le(mean_Sb, p.L_s**2 * mean_gapb), by=[lipschitz("S", "z", "z*")]),
        qed(by=["Lipschitz"], multipliers=[_twice_kappa_s]),
    ),
)
STEP_10 = p.composite("step.10", _PLACE, "The error split in four", "(32), and the chain (33)")
STEP_11 = p.composite("step.11", _PLACE, "The parts of the error", "(34a) and (34b), which bound the parts, and (34c)")
STEP_12 = p.composite(
    "step.12", _PLACE, "The errors of all local steps", "(35) and its mean for h; (36) to (39) and their mean for q^n"
)
CLAIMS: tuple[Claim, ...] = (
    LEMMA_B4Q, LEMMA_B4Q_CORRECTED, LEMMA_B4H, LEMMA_B4H_CORRECTED, LEMMA_B4H_FIXED,
    STEP_10, STEP_10A, STEP_10B, STEP_10B_CORRECTED, STEP_10C, STEP_10D,
    STEP_11, STEP_11A, STEP_11A_CORRECTED, STEP_11B, STEP_11B_CORRECTED, STEP_11C, STEP_11C_CORRECTED,
    STEP_11C_FIXED, STEP_11D,
    STEP_11E, STEP_11E_CORRECTED, STEP_12, STEP_12A, STEP_12A_CORRECTED,
    STEP_12B, STEP_12B_CORRECTED, STEP_12C, STEP_12C_CORRECTED, STEP_12D, STEP_12D_CORRECTED,
    STEP_12E, STEP_12E_CORRECTED, STEP_12F, STEP_12F_CORRECTED, STEP_12G, STEP_12G_CORRECTED,
    STEP_12H, STEP_12H_CORRECTED, STEP_12I, STEP_12J, STEP_12J_CORRECTED, STEP_12K, STEP_12K_CORRECTED,
    STEP_12L, STEP_12L_CORRECTED,
)  # fmt: skip
