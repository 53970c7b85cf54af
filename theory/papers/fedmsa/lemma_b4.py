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
from rateproof.theory.papers.lemmas import GROWTH, k, over_steps
from rateproof.theory.papers.lemmas import notation as common
from rateproof.theory.proof import (
    SEQUENCES,
    Mean,
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
)
from rateproof.theory.shorthand import amended, eq, every, ge, le, misprint
from rateproof.theory.symbols import NONNEG, POS
from rateproof.theory.units import INNER, LENGTH, OUTER

_PLACE = "proof of Lemma B.4"
_e, K = sp.E, p.K
_half, _third = sp.Rational(1, 2), sp.Rational(1, 3)

# --- constants, and what is measured; where nothing else is said, an expectation

C_a, C_b, D_a, D_b = (
    p.declare(name, f"the constant {latex} of Lemma B.4, which is not given", unit, latex=latex, **POS)
    for name, latex, unit in (
        ("C_B4", "C", p.AREA**2 / OUTER**2),
        ("C_B4x", "C'", p.AREA**2 / OUTER**2),
        ("D_B4", "D", p.AREA**2 / INNER**2),
        ("D_B4x", "D'", p.AREA**2 / INNER**2),
    )
)
L_zall = p.declare("L_zall", "Lipschitz constant of Z^*", latex="L_{Z^*}", **NONNEG)
_h, _P = "h_{r,k}", "P(x_{r+1,k})"
_abc = "a_{r,k} + b_{r,k} + c_{r,k} + d_{r,k-1}"
d2 = p.formula("d2", "E ||h_{r,k} - P(x_{r+1,k})||^2", p.SLOPE**2, **NONNEG)
d2_b = p.formula("d2_b", "E ||h_{r,k-1} - P(x_{r+1,k-1})||^2", p.SLOPE**2, **NONNEG)
d2_0 = p.formula("d2_0", "E ||h_r - P(x_r)||^2", p.SLOPE**2, **NONNEG)
a2, b2, c2 = (p.formula(f"{x}2", f"E ||{x}_{{r,k}}||^2", p.SLOPE**2, **NONNEG) for x in "abc")
cd2 = p.formula("cd2", "E ||c_{r,k} + d_{r,k-1}||^2", p.SLOPE**2, **NONNEG)
bcd2 = p.formula("bcd2", "E ||b_{r,k} + c_{r,k} + d_{r,k-1}||^2", p.SLOPE**2, **NONNEG)
abcd2 = p.formula("abcd2", f"E ||{_abc}||^2", p.SLOPE**2, **NONNEG)
move_x = p.formula("move_x", "E ||x_{r+1,k} - x_{r+1,k-1}||^2", p.AREA, **NONNEG)
Eh2_b = p.formula("Eh2_b", "E ||h_{r,k-1}||^2", p.SLOPE**2, **NONNEG)
_mean = "(1/K) sum_{k=1}^K E"
mean_d = p.formula("mean_d", f"{_mean} ||h_{{r,k}} - P(x_{{r+1,k}})||^2", p.SLOPE**2, **NONNEG)
mean_db = p.formula("mean_db", f"{_mean} ||h_{{r,k-1}} - P(x_{{r+1,k-1}})||^2", p.SLOPE**2, **NONNEG)
mean_P = p.formula("mean_P", f"{_mean} ||P(x_{{r+1,k}})||^2", p.SLOPE**2, **NONNEG)
mean_Pb = p.formula("mean_Pb", f"{_mean} ||P(x_{{r+1,k-1}})||^2", p.SLOPE**2, **NONNEG)
mean_hb = p.formula("mean_hb", f"{_mean} ||h_{{r,k-1}}||^2", p.SLOPE**2, **NONNEG)
sum_a = p.formula("sum_a", "sum_{k=1}^K E ||a_{r,k}||^2", p.SLOPE**2, **NONNEG)
_gap = "||z_{r+1,k}^n - z_{r+1,k}^{n,*}||"
sum_gap = p.formula("sum_gap", f"sum_{{k=1}}^K sum_n L_z(n) {_gap}", OUTER / LENGTH, **NONNEG)
sum_gap2 = p.formula("sum_gap2", f"sum_{{k=1}}^K sum_n L_z(n) {_gap}^2", OUTER, **NONNEG)
_S, _Sb = "S^n(z_{r+1,k}^{n-1}, z_{r+1,k}^n)", "S^n(z_{r+1,k-1}^{n-1}, z_{r+1,k-1}^n)"
dq2 = p.formula("dq2", f"E ||q_{{r,k}}^n - {_S}||^2", p.FORCE**2, **NONNEG)
dq2_b = p.formula("dq2_b", f"E ||q_{{r,k-1}}^n - {_Sb}||^2", p.FORCE**2, **NONNEG)
dq2_0 = p.formula("dq2_0", "E ||q_r^n - S^n(z_r^{n-1}, z_r^n)||^2", p.FORCE**2, **NONNEG)
bq2, cq2 = (p.formula(f"{x}q2", f"E ||{x}_{{r,k}}^n||^2", p.FORCE**2, **NONNEG) for x in "bc")
bcdq2 = p.formula("bcdq2", "E ||b_{r,k}^n + c_{r,k}^n + d_{r,k-1}^n||^2", p.FORCE**2, **NONNEG)
cq2_diff = p.declare(
    "cq2_diff", "E ||c_{r,k}^n||^2, c the change of S^{m,n} - S^n", p.FORCE**2, latex=r"E\|c_{r,k}^n\|^2", **NONNEG
)
bcdq2_diff = p.declare(
    "bcdq2_diff",
    "E ||b_{r,k}^n + c_{r,k}^n + d_{r,k-1}^n||^2, c the change of S^{m,n} - S^n",
    p.FORCE**2,
    latex=r"E\|b_{r,k}^n+c_{r,k}^n+d_{r,k-1}^n\|^2",
    **NONNEG,
)
move_z = p.formula("move_z", "E ||z_{r+1,k}^n - z_{r+1,k-1}^n||^2", p.AREA, **NONNEG)
move_zb = p.formula("move_zb", "E ||z_{r+1,k}^{n-1} - z_{r+1,k-1}^{n-1}||^2", p.AREA, **NONNEG)
Eq2_b = p.formula("Eq2_b", "E ||q_{r,k-1}^n||^2", p.FORCE**2, **NONNEG)
mean_dq = p.formula("mean_dq", f"{_mean} ||q_{{r,k}}^n - {_S}||^2", p.FORCE**2, **NONNEG)
mean_dqb = p.formula("mean_dqb", f"{_mean} ||q_{{r,k-1}}^n - {_Sb}||^2", p.FORCE**2, **NONNEG)
mean_Sb = p.formula("mean_Sb", f"{_mean} ||{_Sb}||^2", p.FORCE**2, **NONNEG)
mean_gap = p.formula("mean_gap", f"{_mean} ||z_{{r+1,k}}^n - z_{{r+1,k}}^{{n,*}}||^2", p.AREA, **NONNEG)
mean_gapb = p.formula("mean_gapb", f"{_mean} ||z_{{r+1,k-1}}^n - z_{{r+1,k-1}}^{{n,*}}||^2", p.AREA, **NONNEG)

# --- hypotheses

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
kappa_p = K * (p.Lb_p**2 / p.b + p.tau_0**2 * (1 + K))
kappa_s = K * (p.Lb_s**2 / p.b + p.tau_n**2 * (1 + K))
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
RUN = (p.A1, p.A2, p.A3, p.A4, p.A5_PRINTED, p.B, p.C, STEP_X, STEP_Z, p.METHOD)
_OF_STEP = (*RUN, FIRST_STEP)
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
COMPOSITE = Switch(
    "C",
    "of P^m(x, Z)",
    "of P^m(x), too",
    "the derivative of P^m(x, Z^*(x)) has that of Z^* besides",
    adding=(C_COMPOSITE,),
    origin="(34b), which takes tau_0 for P^m(x)",
)


def small(printed: Hypothesis, proof: Hypothesis) -> Switch:
    """The condition on a step that the proof uses."""
    return Switch(
        "step" if printed is STEP_X else "inner step",
        "as printed",
        "small, as in the proof",
        "the printed bound is large where K, the heterogeneity or the Lipschitz constant are",
        without=(printed.key,),
        adding=(proof,),
        origin="the last lines of the proof",
    )


SMALL = (small(STEP_X, SMALL_X), small(STEP_Z, SMALL_Z))
#: With types, for proofs.
BATCH = p.H_(
    "b samples",
    "a local step has b independent samples, unbiased given the past",
    None,
    Unbiased("e", "past sample"),
    Independent("e", "sample"),
)
JOINT_P = p.H_(
    "A4 in (x, Z)",
    "p^m(x, Z; xi) is Lb_p-Lipschitz in (x, Z) in mean square",
    None,
    Lipschitz("p", p.Lb_p, random="xi", given="past"),
)
JOINT_S = p.H_(
    "A4 in (z^{n-1}, z^n)",
    "s^{m,n}(z^{n-1}, z^n; zeta) is Lb_{s,n}-Lipschitz in (z^{n-1}, z^n) in mean square",
    None,
    Lipschitz("s", p.Lb_s, random="xi", given="past"),
)
AT_FIXED_POINT = p.H_(
    "A4 at Z^*",
    "p^m(x; xi) = p^m(x, Z^*(x); xi) is Lb_p-Lipschitz in x in mean square",
    None,
    Lipschitz("p", p.Lb_p, random="xi", given="past"),
)
APART_P = p.H_("C for P", "P^m - P is tau_0-Lipschitz in (x, Z)", None, Lipschitz("P_m - P", p.tau_0))
APART_S = p.H_("C for S^n", "S^{m,n} - S^n is tau_n-Lipschitz in (z^{n-1}, z^n)", None, Lipschitz("S_m - S", p.tau_n))
FOLLOWS = p.H_("Z^*", "Z^* is L_{Z^*}-Lipschitz", None, Lipschitz("Z*", L_zall))
FRESH = p.H_(
    "fresh sample", "b_{r,k} has mean zero given the past, as P^m is the mean of p^m", None, Unbiased("b", "past")
)

# --- the true lemma: one estimator, at the points at which its samples are taken


def _at_client(one: str, client: str, mean: str) -> Setting:
    """The setting of the lemma on SARAH at one client, with other names of its maps and samples."""
    names = {"p": one, "P_m": client, "P": mean, "P_m - P": f"{client} - {mean}"}
    there = lemmas.AT_CLIENT
    return replace(
        there,
        each={one: "sample xi"},
        sizes={"sample": p.b},
        functions={names[of]: at for of, at in there.functions.items()},
        words={**{w: says for w, says in there.words.items() if w != "p"}, one: f"a sample of {client}"},
        free=(),
    )


def _claimed(unit: sp.Expr, *of: tuple[str, str]) -> list[sp.Symbol]:
    return [p.formula(name, meaning, unit, **NONNEG) for name, meaning in of]


_PZ, _SZ = "P(x_{r+1,k}, Z_{r+1,k})", _S
mean_hw, first_hw = _claimed(
    p.SLOPE**2, ("mean_hw", f"{_mean} ||h_{{r,k}} - {_PZ}||^2"), ("first_hw", "E ||h_r - P(x_r, Z_r)||^2")
)
(moves_w,) = _claimed(
    p.AREA, ("moves_w", "sum_{k=1}^K E [||x_{r+1,k+1} - x_{r+1,k}||^2 + ||Z_{r+1,k+1} - Z_{r+1,k}||^2]")
)
(moves_n,) = _claimed(
    p.AREA,
    ("moves_n", "sum_{k=1}^K E [||z_{r+1,k+1}^{n-1} - z_{r+1,k}^{n-1}||^2 + ||z_{r+1,k+1}^n - z_{r+1,k}^n||^2]"),
)


def _round(
    names: tuple[str, str, str],
    means: tuple[sp.Symbol, sp.Symbol, sp.Symbol],
    constants: tuple[sp.Symbol, sp.Symbol],
) -> dict[str, Any]:
    """Statement, setting and proof of the bound on the mean error of an estimator in a round."""
    mean, first, moves = means
    L, tau = constants
    error, move = (sp.Function(f"{of}_{names[0]}", nonnegative=True) for of in ("error", "move"))
    at = _at_client(*names)
    of, there = dict(zip(lemmas.AT_CLIENT.functions, at.functions, strict=True)), lemmas.AT_CLIENT.metrics
    source = (L**2 / p.b + (K + 1) * tau**2) * move(k)
    drift = cite(
        lemmas.SARAH_DRIFT,
        at={common.t: 1 / K, common.L: L, common.tau: tau, common.batch: p.b},
        points={f"{old}.{x}": f"{new}.{x}" for old, new in of.items() for x in "xy"},
        vectors={name: vectors(name)[0] for name in ("h_m", "e")},
    )
    return {
        "statement": le(mean, (_e - 1) * (first + (L**2 / p.b + (K + 1) * tau**2) * moves)),
        "setting": replace(
            at,
            metrics={
                error(k): there[common.before],
                error(k + 1): there[common.drifted],
                move(k): there[common.moved],
                first: error(1),
                mean: sp.Sum(error(k), (k, 1, K)) / K,
                moves: sp.Sum(move(k), (k, 1, K)),
            },
            fixed=(first, L, tau, p.b),
        ),
        "proof": Proof(
            have("one step", le(error(k + 1), GROWTH * error(k) + source), by=[drift]), *over_steps("one step", source)
        ),
    }


_LEMMA = ("Lemma B.4", Kind.INEQUALITY)
LEMMA_B4Q = p.claim(
    "lemB4.q",
    *_LEMMA,
    "(1/K) sum_k E||q_{r,k}^n - S^n(z_{r+1,k}^{n-1}, z_{r+1,k}^n)||^2 <= 4 e E||q_r^n - S^n(z_r^{n-1}, z_r^n)||^2 + "
    "(1/K) sum_k E||z_{r+1,k}^n - z_{r+1,k}^{n,*}||^2",
    le(mean_dq, 4 * _e * dq2_0 + mean_gap),
    equation="31",
    title="Error of q in the local steps",
    hypotheses=RUN,
    follows_from=("step.12.l",),
    note="Any C, C', D and D' will do: they are symbols of the instance.",
    switches=(SQUARES, *SMALL),
)
_NO_STEP = "no condition on the steps bounds what the right side does not have: how far the points move"
LEMMA_B4Q_CORRECTED = amended(
    LEMMA_B4Q,
    (
        "s^{m,n} depends on z^{n-1}, which moves where z^n and z^{n,*} rest; (38a) and (38b) leave that out",
        _NO_STEP,
    ),
    text="(1/K) sum_k E||q_{r,k}^n - S^n(z_{r+1,k}^{n-1}, z_{r+1,k}^n)||^2 <= (e - 1) (E||q_r^n - S^n(z_r^{n-1}, "
    "z_r^n)||^2 + (Lb_{s,n}^2/b + (K + 1) tau_n^2) sum_{k=1}^K E[||z_{r+1,k+1}^{n-1} - z_{r+1,k}^{n-1}||^2 + "
    "||z_{r+1,k+1}^n - z_{r+1,k}^n||^2])",
    hypotheses=(JOINT_S, APART_S, BATCH, p.METHOD),
    follows_from=(),
    note="",
    **_round(("s", "S_m", "S"), (mean_dq, dq2_0, moves_n), (p.Lb_s, p.tau_n)),
)
LEMMA_B4H = p.claim(
    "lemB4.h",
    *_LEMMA,
    "(1/K) sum_k E||h_{r,k} - P(x_{r+1,k})||^2 <= 4 e E||h_r - P(x_r)||^2 + (1/K) sum_k E||P(x_{r+1,k})||^2 + 2 sum_k "
    "L_{h,z} sum_n L_z(n) ||z_{r+1,k}^n - z_{r+1,k}^{n,*}||",
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
        *SMALL,
        misprint(
            "squares of the norms",
            "a norm and a square of one have different units",
            le(mean_d, 4 * _e * d2_0 + mean_P + 2 * p.L_hz * sum_gap2),
            "(35), whose last term is 2 sum_k E||a_{r,k}||^2",
        ),
    ),
)
_AT_THE_POINTS = _round(("p", "P_m", "P"), (mean_hw, first_hw, moves_w), (p.Lb_p, p.tau_0))
LEMMA_B4H_CORRECTED = amended(
    LEMMA_B4H,
    (
        _NO_STEP,
        "P(x) has the value at Z^*(x), which no sample is taken at: the heterogeneity of P^m(x, Z^*(x)) is not tau_0",
    ),
    text="(1/K) sum_k E||h_{r,k} - P(x_{r+1,k}, Z_{r+1,k})||^2 <= (e - 1) (E||h_r - P(x_r, Z_r)||^2 + (Lb_p^2/b + (K "
    "+ 1) tau_0^2) sum_{k=1}^K E[||x_{r+1,k+1} - x_{r+1,k}||^2 + ||Z_{r+1,k+1} - Z_{r+1,k}||^2])",
    hypotheses=(JOINT_P, APART_P, BATCH, p.METHOD),
    follows_from=(),
    note="",
    **_AT_THE_POINTS,
)

#: The same for the left side that is printed: Z_k and Z^*(x_k), with the values of P(x_k, .) there.
mean_gapZ = p.formula("mean_gapZ", f"{_mean} ||Z_{{r+1,k}} - Z^*(x_{{r+1,k}})||^2", p.AREA, **NONNEG)
_at_x: Setting = _AT_THE_POINTS["setting"]
_error, _off, _gap_k = (sp.Function(of, nonnegative=True) for of in ("error_p", "off", "gap"))
_Z, _Zs, _Pd, _h_m, _o_x = vectors("Z Zs Pd h_m o_x")
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
    text="(1/K) sum_k E||h_{r,k} - P(x_{r+1,k})||^2 <= 2 (e - 1) (E||h_r - P(x_r, Z_r)||^2 + (Lb_p^2/b + (K + 1) "
    "tau_0^2) sum_{k=1}^K E[||x_{r+1,k+1} - x_{r+1,k}||^2 + ||Z_{r+1,k+1} - Z_{r+1,k}||^2]) + 2 L_z^2 (1/K) sum_k "
    "E||Z_{r+1,k} - Z^*(x_{r+1,k})||^2",
    statement=le(mean_d, 2 * _bound_w.rhs + 2 * p.L_Z**2 * mean_gapZ),
    hypotheses=(*LEMMA_B4H_CORRECTED.hypotheses, P_IN_Z),
    follows_from=("lemB4.h.corrected",),
    note="",
    setting=replace(
        _at_x,
        depends={**_at_x.depends, "Z": "past", "Zs": "past"},
        functions={**_at_x.functions, _FROM_Z: {"Z": (_Z, Vector(), None), "Z*": (_Zs, _Pd, None)}},
        metrics={
            **_at_x.metrics,
            _off(k): norm2(_h_m - _o_x - _Pd),
            _gap_k(k): norm2(_Z - _Zs),
            mean_d: sp.Sum(_off(k), (k, 1, K)) / K,
            mean_gapZ: sp.Sum(_gap_k(k), (k, 1, K)) / K,
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

# --- (32) and (33)

_STEP = (_PLACE, Kind.INEQUALITY)
_p, _ps = "p^m(x_{r+1,k}, Z_{r+1,k}; xi_r)", "p^m(x_{r+1,k}; xi_{r+1,k})"
_pb, _psb = "p^m(x_{r+1,k-1}, Z_{r+1,k-1}; xi_{r,k})", "p^m(x_{r+1,k-1}; xi_{r+1,k})"
h, x, a, b, c, d, e, noise = vectors("h x a b c d e noise")
_p11, _p22, _ps1, _ps2, _m1, _m2, _P1, _P2 = vectors("p11 p22 ps1 ps2 m1 m2 P1 P2")
_a, _b, _c = _p22 - _ps2 - _p11 + _ps1, _ps2 - _ps1 - _m2 + _m1, _m2 - _P2 - _m1 + _P1
IDENTITY = Setting(
    depends={
        **dict.fromkeys(("h", "m1", "m2", "P1", "P2"), "past"),
        **dict.fromkeys(("p11", "p22", "ps1", "ps2"), "past xi"),
    },
    metrics={d2: norm2(h + _p22 - _p11 - _P2), abcd2: norm2(_a + _b + _c + h - _P1)},
    words={
        "h": "h_{r,k-1}",
        **{"p11": "p^m at (x_{k-1}, Z_{k-1})", "p22": "p^m at (x_k, Z_k)"},
        **{"ps1": "p^m at (x_{k-1}, Z^*(x_{k-1}))", "ps2": "p^m at (x_k, Z^*(x_k))"},
        **{"m1": "P^m(x_{k-1})", "m2": "P^m(x_k)", "P1": "P(x_{k-1})", "P2": "P(x_k)"},
    },
)
STEP_10A = p.claim(
    "step.10.a",
    _PLACE,
    Kind.IDENTITY,
    f"h_{{r,k}} - P(x_{{r+1,k}}) = {_abc}, with a_{{r,k}} = {_p} - {_ps} - {_pb} + {_psb}",
    eq(d2, abcd2),
    equation="32",
    title="Error of h in four parts",
    hypotheses=(p.METHOD, FIRST_STEP),
    note="Encoded as what (33) uses, the equation of the mean squares; (33) prints the left side. xi_{r,k}, xi_{r+1,k} "
    "and, in the first term, xi_r are read as the one sample of step k, which (6a) takes at both points.",
    setting=IDENTITY,
    proof=Proof(qed()),
)
#: ``a + b + c + d`` is the next ``d``.
CHAIN = Setting(
    depends={**dict.fromkeys("ab", "past xi"), **dict.fromkeys("cd", "past")},
    metrics={
        a2: norm2(a),
        **{b2: norm2(b), c2: norm2(c), d2_b: norm2(d)},
        **{cd2: norm2(c + d), bcd2: norm2(b + c + d), d2: norm2(a + b + c + d)},
    },
    words={of: f"{of}_{{r,k}} of (32)" for of in "abc"} | {"d": "d_{r,k-1}"},
)
_TWICE = "the square of a sum is at most twice the sum of the squares, and not equal to it"
STEP_10B = p.claim(
    "step.10.b",
    _PLACE,
    Kind.IDENTITY,
    "E||h_{r,k} - P(x_{r+1,k})||^2 = 2 E||a_{r,k}||^2 + 2 E||b_{r,k} + c_{r,k} + d_{r,k-1}||^2",
    eq(d2, 2 * a2 + 2 * bcd2),
    equation="33",
    title="Square of the error of h, doubled",
    hypotheses=_OF_STEP,
    follows_from=("step.10.a",),
    switches=(misprint("<= for =", _TWICE, le(d2, 2 * a2 + 2 * bcd2), "the next line of (33), which only needs <="),),
)
STEP_10B_CORRECTED = amended(
    STEP_10B,
    _TWICE,
    origin="the next line of (33), which only needs <=",
    text="As printed with <= for =",
    statement=le(d2, 2 * a2 + 2 * bcd2),
    hypotheses=(p.METHOD, FIRST_STEP),
    follows_from=("step.10.a",),
    setting=CHAIN,
    proof=Proof(qed()),
)
STEP_10C = p.claim(
    "step.10.c",
    *_STEP,
    "2 E||a_{r,k}||^2 + 2 E||b_{r,k} + c_{r,k} + d_{r,k-1}||^2 <= 2 (E||a_{r,k}||^2 + E||b_{r,k}||^2 + E||c_{r,k} + "
    "d_{r,k-1}||^2)",
    le(2 * a2 + 2 * bcd2, 2 * (a2 + b2 + cd2)),
    equation="33",
    title="Noise apart from the rest",
    hypotheses=(FRESH, p.METHOD, FIRST_STEP),
    note="It is an equation.",
    setting=CHAIN,
    proof=Proof(qed(by=[fresh("b")])),
)
STEP_10D = p.claim(
    "step.10.d",
    *_STEP,
    "2 (E||a_{r,k}||^2 + E||b_{r,k}||^2 + E||c_{r,k} + d_{r,k-1}||^2) <= 2 (E||a_{r,k}||^2 + E||b_{r,k}||^2 + (1 + K) "
    "E||c_{r,k}||^2 + (1 + 1/K) E||d_{r,k-1}||^2)",
    le(2 * (a2 + b2 + cd2), 2 * (a2 + b2 + (1 + K) * c2 + (1 + 1 / K) * d2_b)),
    equation="33",
    title="Drift and last error apart",
    hypotheses=(p.METHOD, FIRST_STEP),
    setting=CHAIN,
    proof=Proof(qed()),
)

# --- (34): x_k = x - alpha h, with the fixed points there and the samples at these

g, m_x, m_y, c_x, c_y, Zs, Zsn = vectors("g m_x m_y c_x c_y Zs Zsn")
_xn, _cc = x - p.alpha * h, c_y - c_x
TO_NEXT = Setting(
    depends={
        **dict.fromkeys(("x", "h", "d", "m_x", "m_y"), "past"),
        "e": "past sample xi",
        "a": "past batch",
    },
    each={"p": "sample xi"},
    within={"xi": "sample"},
    together={"sample": "batch"},
    sizes={"sample": p.b},
    means={"noise": Mean("e", "sample")},
    functions={
        "p": {"x": (x, g, None), "x+": (_xn, g + m_y - m_x + e, None)},
        "Z*": {"x": (x, Zs, None), "x+": (_xn, Zsn, None)},
        "P_m - P": {"x": (x + Zs, c_x, None), "x+": (_xn + Zsn, c_y, None)},
    },
    blocks={"x": "x", "h": "x", "Zs": "Z", "Zsn": "Z"},
    metrics={
        **{a2: norm2(a), b2: norm2(noise), c2: norm2(_cc), d2_b: norm2(d), d2: norm2(a + noise + _cc + d)},
        **{move_x: norm2(p.alpha * h), Eh2_b: norm2(h)},
    },
    words={
        **{"x": "x_{r+1,k-1}", "h": "h_{r,k-1}", "d": "d_{r,k-1}", "a": "a_{r,k}", "p": "a sample of P^m(x)"},
        **{"m_x": "P^m(x_{r+1,k-1})", "m_y": "P^m(x_{r+1,k})", "e": "what a sample of b_{r,k} is"},
    },
)
_34A = (
    have("one sample", le(norm2(e), p.Lb_p**2 * move_x), by=[lipschitz("p", "x", "x+"), fresh("e")]),
    have("a batch", le(b2, p.Lb_p**2 / p.b * move_x), by=[variance("noise"), "one sample"]),
)
STEP_11A = p.claim(
    "step.11.a",
    *_STEP,
    "||b_{r,k}||^2 <= (Lb_p^2/b) ||x_{r+1,k} - x_{r+1,k-1}||^2",
    le(b2, p.Lb_p**2 / p.b * move_x),
    equation="34a",
    title="Noise of h by the move",
    hypotheses=_OF_STEP,
    note="Read with an expectation on both sides. It is said to be from Assumption B, and is one of A4.",
    switches=(SQUARES,),
)
_LATER = (p.METHOD, LATER_STEP)
STEP_11A_CORRECTED = amended(
    STEP_11A,
    "Definition 2.1 bounds first moments, and this is a second one",
    text="As printed, for p^m(x; xi) that is Lb_p-Lipschitz in mean square, and independent samples",
    hypotheses=(AT_FIXED_POINT, BATCH, *_LATER),
    note="",
    setting=TO_NEXT,
    proof=Proof(*_34A, qed(by=["a batch"])),
)
_AT_REST = "x_{r+1,1} = x_{r+1,0}, while h_{r,0} = h_r need not be 0"
STEP_11B = p.claim(
    "step.11.b",
    _PLACE,
    Kind.IDENTITY,
    "(Lb_p^2/b) ||x_{r+1,k} - x_{r+1,k-1}||^2 = (Lb_p^2 alpha^2/b) ||h_{r+1,k-1}||^2 for every k in [K]",
    eq(p.Lb_p**2 / p.b * move_x, p.Lb_p**2 * p.alpha**2 / p.b * Eh2_b),
    equation="34a",
    title="Move of x by its direction",
    hypotheses=_OF_STEP,
    note="h_{r+1,k-1} is h_{r,k-1} of Algorithm 1. For k = 1 the equation is false, and for k > 1 it is line 14.",
    switches=(
        misprint(
            "<= for =",
            _AT_REST,
            le(p.Lb_p**2 / p.b * move_x, p.Lb_p**2 * p.alpha**2 / p.b * Eh2_b),
            "(34b), which has <= there",
        ),
    ),
)
STEP_11B_CORRECTED = amended(
    STEP_11B,
    _AT_REST,
    text="As printed, for k > 1",
    hypotheses=_LATER,
    note="",
    setting=TO_NEXT,
    proof=Proof(qed()),
)
STEP_11C = p.claim(
    "step.11.c",
    *_STEP,
    "||c_{r,k}||^2 <= tau_0^2 ||x_{r+1,k} - x_{r+1,k-1}||^2",
    le(c2, p.tau_0**2 * move_x),
    equation="34b",
    title="Heterogeneity of P by the move",
    hypotheses=_OF_STEP,
    switches=(COMPOSITE,),
)
_apart = p.tau_0**2 * (1 + L_zall**2)
_34B = (
    have("the fixed points", le(norm2(Zsn - Zs), L_zall**2 * move_x), by=[lipschitz("Z*", "x", "x+")]),
    have("the maps", le(c2, p.tau_0**2 * (move_x + norm2(Zsn - Zs))), by=[lipschitz("P_m - P", "x", "x+")]),
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
    "the derivative of P^m(x, Z^*(x)) has that of Z^* besides",
    part="composite",
    text="As printed, for {P^m(x)}, P^m(x) = P^m(x, Z^*(x)), that is tau_0-heterogeneous",
    hypotheses=(
        p.H_("C for P(x)", "P^m(x) - P(x) is tau_0-Lipschitz in x", None, Lipschitz(_COMPOSITE, p.tau_0)),
        *_LATER,
    ),
    origin="(34b), which takes tau_0 for P^m(x)",
    setting=replace(
        TO_NEXT,
        each={},
        functions={_COMPOSITE: {"x": (x, c_x, None), "x+": (_xn, c_y, None)}},
        words={word: says for word, says in TO_NEXT.words.items() if word != "p"},
    ),
    proof=Proof(qed(by=[lipschitz(_COMPOSITE, "x", "x+")])),
)
STEP_11D = p.claim(
    "step.11.d",
    *_STEP,
    "tau_0^2 ||x_{r+1,k} - x_{r+1,k-1}||^2 <= tau_0^2 alpha^2 ||h_{r+1,k-1}||^2",
    le(p.tau_0**2 * move_x, p.tau_0**2 * p.alpha**2 * Eh2_b),
    equation="34b",
    title="Move of x at most its direction",
    hypotheses=_LATER,
    setting=TO_NEXT,
    proof=Proof(qed()),
)
STEP_11E = p.claim(
    "step.11.e",
    *_STEP,
    "||d_{r,k}||^2 <= (1 + 1/K) ||d_{r,k-1}||^2 + alpha^2 (Lb_p^2/b + tau_p^2 (1 + K)) ||h_{r+1,k-1}||^2 + 2 "
    "E||a_{r,k}||^2",
    le(d2, (1 + 1 / K) * d2_b + p.alpha**2 * (p.Lb_p**2 / p.b + p.tau_0**2 * (1 + K)) * Eh2_b + 2 * a2),
    equation="34c",
    title="Error of h in one local step",
    hypotheses=_OF_STEP,
    follows_from=("step.10.d", "step.11.a", "step.11.c"),
    note="tau_p is tau_0. (33) has 2 (1 + 1/K) where this has 1 + 1/K.",
    switches=(SQUARES, COMPOSITE, *SMALL),
)
TYPED = (AT_FIXED_POINT, APART_P, FOLLOWS, BATCH)
_growth = p.alpha**2 * (p.Lb_p**2 / p.b + _apart * (1 + 2 * K))
STEP_11E_CORRECTED = amended(
    STEP_11E,
    (
        "it drops the factor 2 of (33) beside all but a_{r,k}; what is added to d_{r,k-1} without a mean of zero needs "
        "a factor of the order of K",
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
        *_34A,
        *_34B,
        have("noise apart", le(norm2(noise + _cc + d), b2 + norm2(_cc + d)), by=[fresh("noise")]),
        have("drift apart", le(norm2(_cc + d), (1 + 2 * K) * c2 + (1 + 1 / (2 * K)) * d2_b)),
        have(
            "without a",
            le(norm2(noise + _cc + d), _growth * Eh2_b + (1 + 1 / (2 * K)) * d2_b),
            by=["noise apart", "drift apart", "a batch", "the client"],
            multipliers=[1, 1, 1, 1 + 2 * K],
        ),
        qed(by=["without a"], multipliers=[1 + 1 / (3 * K)]),
    ),
)
#: It does not matter which step it is.
AT_ANY_STEP = replace(STEP_11E_CORRECTED, hypotheses=(*TYPED, p.METHOD))

# --- (35); ``err(j)`` is E||d_{r,j+1}||^2, ``sum_h(j)`` the sum of E||h_{r,i}||^2 over 0 < i <= j, and so ``sum_aj(j)``

j = sp.Symbol("j", integer=True, nonnegative=True)
err, sum_h, sum_aj, sum_w = (sp.Function(of, nonnegative=True) for of in ("err", "sum_h", "sum_aj", "sum_w"))
_h_now, _a_now, _w_now = sp.symbols("h_now a_now w_now", nonnegative=True)
h2_0 = p.formula("h2_0", "E ||h_r||^2", p.SLOPE**2, **NONNEG)
_kappa = K * (p.Lb_p**2 / p.b + _apart * (1 + 2 * K))
#: Partial sums of nonnegative terms grow.
_SUMS = {sum_h: "h", sum_aj: "a", sum_w: "w"}


def _pointwise(one: str, bound: sp.Expr, *sums: sp.Function) -> tuple[Part, ...]:
    """From one step to step k: an error that grows by ``1 + 1/K`` a step, and what a step adds to it.

    Args:
        one: the name of the step from ``err(j)`` to ``err(j + 1)``.
        bound: what is added in the first j steps, in terms of partial sums.
        sums: these.
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
        induct("all steps", le(err(j), GROWTH**j * (err(0) + bound)), over=j, by=[one, "growth"]),
        special("up to k", "all steps", {j: p.k - 1}),
        *(
            step
            for of in sums
            for step in (
                have(f"{_SUMS[of]} is added", ge(of(j + 1), of(j))),
                summed(f"{_SUMS[of]} after k", f"{_SUMS[of]} is added", over=j, start=p.k - 1, last=K - 2),
            )
        ),
    )


ROUND = replace(
    TO_NEXT,
    metrics={
        **{err(j): norm2(d), err(j + 1): norm2(a + noise + _cc + d)},
        **{sum_h(j): _h_now, sum_h(j + 1): _h_now + norm2(h)},
        **{sum_aj(j): _a_now, sum_aj(j + 1): _a_now + norm2(a)},
    },
    sequences={
        d2: err(p.k - 1),
        d2_0: err(0),
        mean_hb: (h2_0 + sum_h(K - 1)) / K,
        sum_a: sum_aj(K - 1),
    },
    measured=(_h_now, _a_now, h2_0),
    fixed=(p.alpha, p.Lb_p, p.b, p.tau_0, L_zall, h2_0),
)
_added = 4 * _third * _growth, 1 + 3 * K
STEP_12A = p.claim(
    "step.12.a",
    *_STEP,
    "||d_{r,k}||^2 <= 2 e ||d_{r,0}||^2 + 2 e kappa_p alpha^2 (1/K) sum_{k=1}^K ||h_{r+1,k-1}||^2 + 2 sum_{k=1}^K "
    "E||a_{r,k}||^2, kappa_p = K (Lb_p^2/b + tau_0^2 (1 + K))",
    le(d2, 2 * _e * d2_0 + 2 * _e * kappa_p * p.alpha**2 * mean_hb + 2 * sum_a),
    equation="35",
    title="Error of h after k local steps",
    hypotheses=_OF_STEP,
    follows_from=("step.11.e",),
    note="Iterating (33), which is named here, gives (2 + 2/K)^k; that needs (34c) in its place.",
    switches=(SQUARES, COMPOSITE, *SMALL),
)
STEP_12A_CORRECTED = amended(
    STEP_12A,
    (
        "the errors a_{r,k} of several steps add up, so that their squares need the factor K",
        Reason("c_{r,k} has the heterogeneity of P^m(x, Z^*(x))", "fedmsa.step.11.c"),
    ),
    text="E||d_{r,k}||^2 <= e E||d_{r,0}||^2 + (4/3) e K (Lb_p^2/b + tau_0^2 (1 + L_{Z^*}^2) (1 + 2 K)) alpha^2 (1/K) "
    "sum_{k=1}^K E||h_{r,k-1}||^2 + e (1 + 3 K) sum_{k=1}^K E||a_{r,k}||^2",
    statement=le(d2, _e * (d2_0 + 4 * _third * _kappa * p.alpha**2 * mean_hb + (1 + 3 * K) * sum_a)),
    hypotheses=(*TYPED, p.METHOD, FIRST_STEP),
    follows_from=("step.11.e.corrected",),
    note="",
    setting=ROUND,
    proof=Proof(
        section("One local step"),
        have(
            "one step",
            le(err(j + 1), GROWTH * err(j) + _added[0] * norm2(h) + _added[1] * norm2(a)),
            by=[
                cite(
                    AT_ANY_STEP,
                    points={f"{of}.{at}": f"{of}.{at}" for of in TO_NEXT.functions for at in ("x", "x+")},
                    vectors={name: vectors(name)[0] for name in ("h", "d", "a", "e", "m_x", "m_y")},
                )
            ],
        ),
        *_pointwise("one step", _added[0] * sum_h(j) + _added[1] * sum_aj(j), sum_h, sum_aj),
        qed(by=["up to k", "growth is at most e", "h after k", "a after k", SEQUENCES]),
    ),
)
_twice_kappa = 2 * _e * kappa_p * p.alpha**2
#: The value, the estimate and so the error at the steps ``0, ..., K - 1``.
AT_STEPS = Setting(
    depends=dict.fromkeys(("h", "P"), "step past"),
    sizes={"step": K},
    metrics={mean_hb: norm2(h), mean_Pb: norm2(vectors("P")[0]), mean_db: norm2(h - vectors("P")[0])},
    words={"h": "h_{r,k-1}", "P": "P(x_{r+1,k-1})"},
)
_split = 2 * _e * d2_0 + _twice_kappa * (mean_db + mean_Pb) + 2 * sum_a
_TWO = "||h||^2 is at most twice ||h - P||^2 + ||P||^2, not once"
STEP_12B = p.claim(
    "step.12.b",
    *_STEP,
    "2 e ||d_{r,0}||^2 + 2 e kappa_p alpha^2 (1/K) sum_{k=1}^K ||h_{r+1,k-1}||^2 + 2 sum_k E||a_{r,k}||^2 <= 2 e "
    "||d_{r,0}||^2 + (2 kappa_p e alpha^2/K) sum_{k=1}^K (||d_{r,k-1}||^2 + ||P(x_{r,k-1})||^2) + 2 sum_k "
    "E||a_{r,k}||^2",
    le(2 * _e * d2_0 + _twice_kappa * mean_hb + 2 * sum_a, _split),
    equation="35",
    title="Directions split into value and error",
    hypotheses=RUN,
    note="P(x_{r,k-1}) is P(x_{r+1,k-1}).",
)
STEP_12B_CORRECTED = amended(
    STEP_12B,
    _TWO,
    text="As printed with 4 kappa_p e alpha^2/K for 2 kappa_p e alpha^2/K on the right",
    statement=le(
        2 * _e * d2_0 + _twice_kappa * mean_hb + 2 * sum_a,
        2 * _e * d2_0 + 2 * _twice_kappa * (mean_db + mean_Pb) + 2 * sum_a,
    ),
    hypotheses=(p.METHOD,),
    note="",
    setting=AT_STEPS,
    proof=Proof(have("split", le(mean_hb, 2 * (mean_db + mean_Pb))), qed(by=["split"], multipliers=[_twice_kappa])),
)

# --- the average of (35), and of (39)

P2_0 = p.formula("P2_0", "E ||P(x_r)||^2", p.SLOPE**2, **NONNEG)
gap2_0 = p.formula("gap2_0", "E ||z_r^n - z_r^{n,*}||^2", p.AREA, **NONNEG)


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
_ABSORBED = (
    "what the left side absorbs doubles the rest, the last term as well",
    "the sums over k - 1 have the first term twice",
)


def _absorbed(average: Hypothesis, small: Hypothesis, terms: tuple[sp.Expr, sp.Expr], *shifts: Hypothesis) -> Proof:
    """Half of the left side is absorbed: ``terms`` are what ``2 kappa e step^2 <= 1/2`` multiplies, and that number."""
    total, factor = terms
    return Proof(
        have("small", le(factor * total, total / 2), by=[supposed(small.key)]),
        qed(by=["small", supposed(average.key), *(supposed(shift.key) for shift in shifts)]),
    )


STEP_12C = p.claim(
    "step.12.c",
    *_STEP,
    "averaging (35) over k, with 2 kappa_p e alpha^2 <= 1/2: (1/K) sum_k E||d_{r,k}||^2 <= 4 e E||d_{r,0}||^2 + (1/K) "
    "sum_k E||P(x_{r+1,k})||^2 + 2 sum_k E||a_{r,k}||^2",
    le(mean_d, 4 * _e * d2_0 + mean_P + 2 * sum_a),
    title="Average of the errors of h",
    hypotheses=(AVERAGE_35, SMALL_X, SHIFT_D, SHIFT_P),
    note="The last term is what that of (31) bounds.",
)
STEP_12C_CORRECTED = amended(
    STEP_12C,
    _ABSORBED,
    text="(1/K) sum_k E||d_{r,k}||^2 <= (4 e + 1/K) E||d_{r,0}||^2 + (1/K) sum_k E||P(x_{r+1,k})||^2 + (1/K) "
    "E||P(x_r)||^2 + 4 sum_k E||a_{r,k}||^2",
    statement=le(mean_d, (4 * _e + 1 / K) * d2_0 + mean_P + P2_0 / K + 4 * sum_a),
    note="",
    setting=Setting(measured=(mean_d, mean_db, mean_P, mean_Pb, d2_0, P2_0, sum_a)),
    proof=_absorbed(AVERAGE_35, SMALL_X, (mean_db + mean_Pb, _twice_kappa), SHIFT_D, SHIFT_P),
)

# --- (36) to (39): the same for q, without a

_DIFFERENCE = (
    "S^n and S^{m,n} have the signs of c_{r,k} of (32) at step k - 1, and the opposite ones at step k, so that c is no "
    "change",
    "c_{r,k} of (32)",
)
_c_text = f"c_{{r,k}}^n = {_S} - S^{{m,n}}(z_{{r+1,k}}) - S^{{m,n}}(z_{{r+1,k-1}}) + S^n(z_{{r+1,k-1}})"
_AS_SAID = "with c_{r,k}^n the change of S^{m,n} - S^n from step k - 1 to step k"
Q_IDENTITY = replace(
    IDENTITY,
    metrics={
        dq2: IDENTITY.metrics[d2],
        bcdq2_diff: norm2((_p22 - _p11 - _m2 + _m1) + _c + h - _P1),
    },
    depends={name: on for name, on in IDENTITY.depends.items() if name not in ("ps1", "ps2")},
    words={
        "h": "q_{r,k-1}^n",
        **{"p11": "s^{m,n} at step k - 1", "p22": "s^{m,n} at step k"},
        **{"m1": "S^{m,n} at step k - 1", "m2": "S^{m,n} at step k", "P1": "S^n at step k - 1", "P2": "S^n at step k"},
    },
)
Q_CHAIN = Setting(
    depends={"b": "past xi", "c": "past", "d": "past"},
    metrics={
        **{bq2: norm2(b), cq2_diff: norm2(c), dq2_b: norm2(d)},
        dq2: norm2(b + c + d),
    },
    words={"b": "b_{r,k}^n of (36)", "c": "the change of S^{m,n} - S^n", "d": "d_{r,k-1}^n"},
)


def _difference(statement: sp.Rel) -> Switch:
    return misprint("c the change of S^{m,n} - S^n", _DIFFERENCE[0], statement, _DIFFERENCE[1])


STEP_12D = p.claim(
    "step.12.d",
    _PLACE,
    Kind.IDENTITY,
    f"q_{{r,k}}^n - {_S} = b_{{r,k}}^n + c_{{r,k}}^n + d_{{r,k-1}}^n, with {_c_text}",
    eq(dq2, bcdq2),
    equation="36",
    title="Error of q in three parts",
    hypotheses=_OF_STEP,
    note="Encoded as the equation of the mean squares. In b_{r,k}^n the letter q stands for s.",
    switches=(_difference(eq(dq2, bcdq2_diff)),),
)
STEP_12D_CORRECTED = amended(
    STEP_12D,
    _DIFFERENCE[0],
    origin=_DIFFERENCE[1],
    text=f"As printed, {_AS_SAID}",
    statement=eq(dq2, bcdq2_diff),
    hypotheses=(p.METHOD, FIRST_STEP),
    note="",
    setting=Q_IDENTITY,
    proof=Proof(qed()),
)


def _three(drift: sp.Symbol) -> sp.Rel:
    return le(dq2, 2 * (bq2 + (1 + K) * drift + (1 + 1 / K) * dq2_b))


STEP_12E = p.claim(
    "step.12.e",
    *_STEP,
    "E||d_{r,k}^n||^2 <= 2 (E||b_{r,k}^n||^2 + (1 + K) E||c_{r,k}^n||^2 + (1 + 1/K) E||d_{r,k-1}^n||^2), c as in (36)",
    _three(cq2),
    equation="37",
    title="Error of q in one local step",
    hypotheses=_OF_STEP,
    follows_from=("step.12.d",),
    switches=(_difference(_three(cq2_diff)),),
)
STEP_12E_CORRECTED = amended(
    STEP_12E,
    _DIFFERENCE[0],
    origin=_DIFFERENCE[1],
    text=f"As printed, {_AS_SAID}",
    statement=_three(cq2_diff),
    hypotheses=(FRESH, p.METHOD, FIRST_STEP),
    follows_from=("step.12.d.corrected",),
    note="The factor 2 is not needed.",
    setting=Q_CHAIN,
    proof=Proof(qed(by=[fresh("b")])),
)
#: ``x`` and ``h`` are what ``z^{n-1}`` is and moves by; the step of it is taken into ``h``.
q, z = vectors("q z")
_zn = z - p.beta * q
Q_NEXT = Setting(
    depends={**dict.fromkeys(("x", "h", "z", "q", "d", "m_x", "m_y"), "past"), "e": "past sample xi"},
    each={"s": "sample xi"},
    within={"xi": "sample"},
    together={"sample": "batch"},
    sizes={"sample": p.b},
    means={"noise": Mean("e", "sample")},
    functions={
        "s": {"w": (x + z, g, None), "w+": (x - h + _zn, g + m_y - m_x + e, None)},
        "S_m - S": {"w": (x + z, c_x, None), "w+": (x - h + _zn, c_y, None)},
    },
    blocks={"x": "x", "h": "x", "z": "z", "q": "z"},
    metrics={
        **{bq2: norm2(noise), cq2_diff: norm2(_cc), dq2_b: norm2(d), dq2: norm2(noise + _cc + d)},
        **{move_z: norm2(p.beta * q), move_zb: norm2(h), Eq2_b: norm2(q)},
    },
    words={
        **{"x": "z_{r+1,k-1}^{n-1}", "h": "how far z^{n-1} moves", "z": "z_{r+1,k-1}^n", "q": "q_{r,k-1}^n"},
        **{"d": "d_{r,k-1}^n", "s": "a sample of S^{m,n}", "e": "what a sample of b_{r,k}^n is"},
        **{"m_x": "S^{m,n} at step k - 1", "m_y": "S^{m,n} at step k"},
    },
)
_both = move_zb + move_z
_38A = (
    have("one sample", le(norm2(e), p.Lb_s**2 * _both), by=[lipschitz("s", "w", "w+"), fresh("e")]),
    have("a batch", le(bq2, p.Lb_s**2 / p.b * _both), by=[variance("noise"), "one sample"]),
)
_38B = have("the client", le(cq2_diff, p.tau_n**2 * _both), by=[lipschitz("S_m - S", "w", "w+")])
_BELOW = "s^{m,n} depends on z^{n-1} as well, which moves"
STEP_12F = p.claim(
    "step.12.f",
    *_STEP,
    "||b_{r,k}^n||^2 <= (Lb_{s,n}^2/b) ||z_{r+1,k}^n - z_{r+1,k-1}^n||^2",
    le(bq2, p.Lb_s**2 / p.b * move_z),
    equation="38a",
    title="Noise of q by the move",
    hypotheses=_OF_STEP,
    note="Read with an expectation on both sides; printed for b_{r,k}^m.",
    switches=(SQUARES,),
)
STEP_12F_CORRECTED = amended(
    STEP_12F,
    _BELOW,
    text="||b_{r,k}^n||^2 <= (Lb_{s,n}^2/b) (||z_{r+1,k}^{n-1} - z_{r+1,k-1}^{n-1}||^2 + ||z_{r+1,k}^n - "
    "z_{r+1,k-1}^n||^2), for s^{m,n} that is Lb_{s,n}-Lipschitz in both in mean square, and independent samples",
    statement=le(bq2, p.Lb_s**2 / p.b * _both),
    hypotheses=(JOINT_S, BATCH, *_LATER),
    note="",
    setting=Q_NEXT,
    proof=Proof(*_38A, qed(by=["a batch"])),
)
_Z_AT_REST = "z_{r+1,1}^n = z_{r+1,0}^n, while q_{r,0}^n = q_r^n need not be 0"
STEP_12G = p.claim(
    "step.12.g",
    _PLACE,
    Kind.IDENTITY,
    "(Lb_{s,n}^2/b) ||z_{r+1,k}^n - z_{r+1,k-1}^n||^2 = (Lb_{s,n}^2 beta_n^2/b) ||q_{r,k-1}^n||^2 for every k in [K]",
    eq(p.Lb_s**2 / p.b * move_z, p.Lb_s**2 * p.beta**2 / p.b * Eq2_b),
    equation="38a",
    title="Move of an inner sequence by its direction",
    hypotheses=_OF_STEP,
    note="For k = 1 the equation is false, and for k > 1 it is line 15.",
    switches=(
        misprint(
            "<= for =",
            _Z_AT_REST,
            le(p.Lb_s**2 / p.b * move_z, p.Lb_s**2 * p.beta**2 / p.b * Eq2_b),
            "(38b), which has <= there",
        ),
    ),
)
STEP_12G_CORRECTED = amended(
    STEP_12G,
    _Z_AT_REST,
    text="As printed, for k > 1",
    hypotheses=_LATER,
    note="",
    setting=Q_NEXT,
    proof=Proof(qed()),
)
STEP_12H = p.claim(
    "step.12.h",
    *_STEP,
    "||c_{r,k}^n||^2 <= tau_n^2 ||z_{r+1,k}^n - z_{r+1,k-1}^n||^2, with c of (36)",
    le(cq2, p.tau_n**2 * move_z),
    equation="38b",
    title="Heterogeneity of S by the move",
    hypotheses=_OF_STEP,
    switches=(_difference(le(cq2_diff, p.tau_n**2 * move_z)),),
)
STEP_12H_CORRECTED = amended(
    STEP_12H,
    (_BELOW, Reason(_DIFFERENCE[0], "fedmsa.step.12.d")),
    text="||c_{r,k}^n||^2 <= tau_n^2 (||z_{r+1,k}^{n-1} - z_{r+1,k-1}^{n-1}||^2 + ||z_{r+1,k}^n - z_{r+1,k-1}^n||^2), "
    f"{_AS_SAID}",
    statement=le(cq2_diff, p.tau_n**2 * _both),
    hypotheses=(APART_S, *_LATER),
    setting=Q_NEXT,
    proof=Proof(_38B, qed(by=["the client"])),
)
STEP_12I = p.claim(
    "step.12.i",
    *_STEP,
    "tau_n^2 ||z_{r+1,k}^n - z_{r+1,k-1}^n||^2 <= tau_n^2 beta_n^2 ||q_{r,k-1}^n||^2",
    le(p.tau_n**2 * move_z, p.tau_n**2 * p.beta**2 * Eq2_b),
    equation="38b",
    title="Move at most its direction",
    hypotheses=_LATER,
    setting=Q_NEXT,
    proof=Proof(qed()),
)
_q_split = 2 * _e * dq2_0 + _twice_kappa_s * (mean_dqb + mean_Sb)
STEP_12J = p.claim(
    "step.12.j",
    *_STEP,
    "||d_{r,k}^n||^2 <= 2 e ||d_{r,0}^n||^2 + (2 kappa_{s,n} e beta_n^2/K) sum_{k=1}^K (||d_{r,k-1}^n||^2 + "
    f"||{_Sb}||^2), kappa_{{s,n}} = K (Lb_{{s,n}}^2/b + tau_n^2 (1 + K))",
    le(dq2, _q_split),
    equation="39",
    title="Error of q after k local steps",
    hypotheses=_OF_STEP,
    follows_from=("step.12.e", "step.12.f", "step.12.h"),
    switches=(SQUARES, *SMALL),
)
_q_growth = p.Lb_s**2 / p.b + (1 + K) * p.tau_n**2
Q_ROUND = replace(
    Q_NEXT,
    metrics={
        **{err(j): norm2(d), err(j + 1): norm2(noise + _cc + d)},
        **{sum_w(j): _w_now, sum_w(j + 1): _w_now + norm2(h) + norm2(p.beta * q)},
    },
    sequences={dq2: err(p.k - 1), dq2_0: err(0), moves_n: sum_w(K)},
    measured=(_w_now,),
    fixed=(p.Lb_s, p.b, p.tau_n),
)
STEP_12J_CORRECTED = amended(
    STEP_12J,
    (
        Reason(_BELOW, "fedmsa.step.12.f"),
        "||q||^2 is at most twice ||q - S||^2 + ||S||^2, not once",
    ),
    text="E||d_{r,k}^n||^2 <= e (E||d_{r,0}^n||^2 + (Lb_{s,n}^2/b + (1 + K) tau_n^2) sum_{k=1}^K "
    "E[||z_{r+1,k+1}^{n-1} - z_{r+1,k}^{n-1}||^2 + ||z_{r+1,k+1}^n - z_{r+1,k}^n||^2])",
    statement=le(dq2, _e * (dq2_0 + _q_growth * moves_n)),
    hypotheses=(JOINT_S, APART_S, BATCH, p.METHOD, FIRST_STEP),
    follows_from=("step.12.f.corrected", "step.12.h.corrected"),
    setting=Q_ROUND,
    proof=Proof(
        section("One local step"),
        have("one sample", le(norm2(e), p.Lb_s**2 * norm2(h + p.beta * q)), by=[lipschitz("s", "w", "w+"), fresh("e")]),
        have(
            "a batch", le(norm2(noise), p.Lb_s**2 / p.b * norm2(h + p.beta * q)), by=[variance("noise"), "one sample"]
        ),
        have("the client", le(norm2(_cc), p.tau_n**2 * norm2(h + p.beta * q)), by=[lipschitz("S_m - S", "w", "w+")]),
        have(
            "one step",
            le(err(j + 1), GROWTH * err(j) + _q_growth * (norm2(h) + norm2(p.beta * q))),
            by=["a batch", "the client", fresh("noise")],
        ),
        *_pointwise("one step", _q_growth * sum_w(j), sum_w),
        summed("w of the last step", "w is added", over=j, start=K - 1, last=K - 1),
        qed(by=["up to k", "growth is at most e", "w after k", "w of the last step", SEQUENCES]),
    ),
)
_BY_S = le(_q_split, 2 * _e * dq2_0 + _twice_kappa_s * (mean_dqb + p.L_s**2 * mean_gapb))
STEP_12K = p.claim(
    "step.12.k",
    *_STEP,
    f"the sum of the ||{_Sb}||^2 in (39) is at most L_z times that of the ||z_{{k-1}}^n - z_{{k-1}}^{{n,*}}||^2",
    le(_q_split, 2 * _e * dq2_0 + _twice_kappa_s * (mean_dqb + p.L_Z * mean_gapb)),
    equation="39",
    title="Size of S by distance to zero",
    hypotheses=RUN,
    note="L_z is read as that of A3. No other constant of Assumption A would do, nor L_{s,n} without its square.",
    switches=(
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
zs, S = vectors("z* S")
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
STEP_12L = p.claim(
    "step.12.l",
    *_STEP,
    "averaging (39) over k, with 2 kappa_{s,n} e beta_n^2 <= 1/2: (1/K) sum_k E||d_{r,k}^n||^2 <= 4 e E||d_{r,0}^n||^2 "
    "+ (1/K) sum_k E||z_{r+1,k}^n - z_{r+1,k}^{n,*}||^2",
    le(mean_dq, 4 * _e * dq2_0 + mean_gap),
    title="Average of the errors of q",
    hypotheses=(AVERAGE_39, SMALL_Z, SHIFT_Q, SHIFT_GAP),
)
STEP_12L_CORRECTED = amended(
    STEP_12L,
    ("the constant L_z of (39) stays", _ABSORBED[1]),
    text="(1/K) sum_k E||d_{r,k}^n||^2 <= (4 e + 1/K) E||d_{r,0}^n||^2 + (L_z/K) sum_k E||z_{r+1,k}^n - "
    "z_{r+1,k}^{n,*}||^2 + (L_z/K) E||z_r^n - z_r^{n,*}||^2",
    statement=le(mean_dq, (4 * _e + 1 / K) * dq2_0 + p.L_Z * (mean_gap + gap2_0 / K)),
    setting=Setting(measured=(mean_dq, mean_dqb, mean_gap, mean_gapb, dq2_0, gap2_0)),
    proof=_absorbed(AVERAGE_39, SMALL_Z, (mean_dqb + p.L_Z * mean_gapb, _twice_kappa_s), SHIFT_Q, SHIFT_GAP),
)
STEP_10 = p.composite("step.10", "proof of Lemma B.4", "The error split in four", "(32), and the chain (33)")
STEP_11 = p.composite(
    "step.11", "proof of Lemma B.4", "The parts of the error", "(34a) and (34b), which bound the parts, and (34c)"
)
STEP_12 = p.composite(
    "step.12",
    "proof of Lemma B.4",
    "The errors of all local steps",
    "(35) and its mean for h; (36) to (39) and their mean for q^n",
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
