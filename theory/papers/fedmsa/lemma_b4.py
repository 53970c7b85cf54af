"""Lemma B.4: the errors of the estimates in the local steps.

As printed it is false: the steps may be as long as one likes, ``z^{n-1}`` moves as well and ``s^{m,n}`` depends on it,
and what (33) doubles is left out in (34c). The error at the points that the samples are taken at, ``h - P(x, Z)``
in place of ``h - P(x)``, has the bound that the argument promises, with ``e - 1`` and without a condition on the steps.
"""

from dataclasses import replace

import sympy as sp

from rateproof.theory.assumptions import Independent, Lipschitz, Unbiased
from rateproof.theory.claim import Claim, Hypothesis, Kind, Switch
from rateproof.theory.gram import Vector, norm2, vectors
from rateproof.theory.papers import lemmas
from rateproof.theory.papers.fedmsa import notation as p
from rateproof.theory.papers.fedmsa.lemma_b3 import FIRST_STEP, LATER_STEP
from rateproof.theory.papers.lemmas import GROWTH, k, over_steps
from rateproof.theory.papers.lemmas import notation as common
from rateproof.theory.proof import (
    SEQUENCES,
    Mean,
    Proof,
    Setting,
    cite,
    fresh,
    have,
    lipschitz,
    qed,
    variance,
    written_out,
)
from rateproof.theory.shorthand import amended, eq, every, le, misprint
from rateproof.theory.symbols import NONNEG, POS
from rateproof.theory.units import LENGTH, OUTER

_PLACE = "proof of Lemma B.4"
_e, K = sp.E, p.K
_half, _third = sp.Rational(1, 2), sp.Rational(1, 3)

# --- constants, and what is measured; where nothing else is said, an expectation

C_a, C_b, D_a, D_b = (
    p.declare(name, f"the constant {latex} of Lemma B.4, which is not given", unit, latex=latex, **POS)
    for name, latex, unit in (
        ("C_B4", "C", p.AREA**2 / OUTER**2),
        ("C_B4x", "C'", p.AREA**2 / OUTER**2),
        ("D_B4", "D", p.AREA**2 / p.INNER**2),
        ("D_B4x", "D'", p.AREA**2 / p.INNER**2),
    )
)
L_all = p.declare("L_all", "Lipschitz constant of Z^*", latex="L_{Z^*}", **NONNEG)
_h, _P = "h_{r,k}", "P(x_{r+1,k})"
_abc = "a_{r,k} + b_{r,k} + c_{r,k} + d_{r,k-1}"
d2 = p.formula("d2", "E ||h_{r,k} - P(x_{r+1,k})||^2", p.SLOPE**2, **NONNEG)
d2_b = p.formula("d2_b", "E ||h_{r,k-1} - P(x_{r+1,k-1})||^2", p.SLOPE**2, **NONNEG)
d2_0 = p.formula("d2_0", "E ||h_r - P(x_r)||^2", p.SLOPE**2, **NONNEG)
a2, b2, c2 = (p.formula(f"{x}2", f"E ||{x}_{{r,k}}||^2", p.SLOPE**2, **NONNEG) for x in "abc")
cd2 = p.formula("cd2", "E ||c_{r,k} + d_{r,k-1}||^2", p.SLOPE**2, **NONNEG)
bcd2 = p.formula("bcd2", "E ||b_{r,k} + c_{r,k} + d_{r,k-1}||^2", p.SLOPE**2, **NONNEG)
abcd2 = p.formula("abcd2", f"E ||{_abc}||^2", p.SLOPE**2, **NONNEG)
abcd2_one = p.declare(
    "abcd2_one", f"E ||{_abc}||^2, with one sample in (32)", p.SLOPE**2, latex=rf"E\|{_abc}\|^2", **NONNEG
)
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
    "E||p^m(w; xi) - p^m(w'; xi)||^2 <= Lb_p^2 ||w - w'||^2, w = (x, Z)",
    None,
    Lipschitz("p", p.Lb_p, random="xi", given="past"),
)
JOINT_S = p.H_(
    "A4 in (z^{n-1}, z^n)",
    "E||s^{m,n}(w; zeta) - s^{m,n}(w'; zeta)||^2 <= Lb_{s,n}^2 ||w - w'||^2, w = (z^{n-1}, z^n)",
    None,
    Lipschitz("s", p.Lb_s, random="xi", given="past"),
)
AT_FIXED_POINT = p.H_(
    "A4 at Z^*",
    "E||p^m(x; xi) - p^m(x'; xi)||^2 <= Lb_p^2 ||x - x'||^2, p^m(x; xi) = p^m(x, Z^*(x); xi)",
    None,
    Lipschitz("p", p.Lb_p, random="xi", given="past"),
)
APART_P = p.H_("C for P", "P^m - P is tau_0-Lipschitz in (x, Z)", None, Lipschitz("P_m - P", p.tau_0))
APART_S = p.H_("C for S^n", "S^{m,n} - S^n is tau_n-Lipschitz in (z^{n-1}, z^n)", None, Lipschitz("S_m - S", p.tau_n))
FOLLOWS = p.H_("Z^*", "Z^* is L_{Z^*}-Lipschitz", None, Lipschitz("Z*", L_all))
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
) -> dict[str, object]:
    """Statement, setting and proof of the bound on the mean error of an estimator in a round."""
    mean, first, moves = means
    L, tau = constants
    error, move = (sp.Function(f"{of}_{names[0]}", nonnegative=True) for of in ("error", "move"))
    at = _at_client(*names)
    of, there = dict(zip(lemmas.AT_CLIENT.functions, at.functions, strict=True)), lemmas.AT_CLIENT.metrics
    source = (L**2 / p.b + (K + 1) * tau**2) * move(k)
    drift = cite(
        lemmas.SARAH_DRIFT,
        at={common.t: 1 / K, common.L: L, common.tau: tau, common.b: p.b},
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
    switches=(
        SQUARES,
        *SMALL,
        misprint(
            "squares of the norms",
            "a norm and a square of one have different units",
            le(mean_d, 4 * _e * d2_0 + mean_P + 2 * p.L_hz * sum_gap2),
            "(35), whose last term is 2 sum_k E||a_{r,k}||^2",
        ),
    ),
)
LEMMA_B4H_CORRECTED = amended(
    LEMMA_B4H,
    (
        _NO_STEP,
        "P(x) has the value at Z^*(x), which no sample is taken at: the heterogeneity of P^m(x, Z^*(x)) is not tau_0",
    ),
    text="(1/K) sum_k E||h_{r,k} - P(x_{r+1,k}, Z_{r+1,k})||^2 <= (e - 1) (E||h_r - P(x_r, Z_r)||^2 + (Lb_p^2/b + (K "
    "+ 1) tau_0^2) sum_{k=1}^K E[||x_{r+1,k+1} - x_{r+1,k}||^2 + ||Z_{r+1,k+1} - Z_{r+1,k}||^2])",
    hypotheses=(JOINT_P, APART_P, BATCH, p.METHOD),
    **_round(("p", "P_m", "P"), (mean_hw, first_hw, moves_w), (p.Lb_p, p.tau_0)),
)
CLAIMS: tuple[Claim, ...] = (LEMMA_B4Q, LEMMA_B4Q_CORRECTED, LEMMA_B4H, LEMMA_B4H_CORRECTED)
