"""Steps of the proof of Theorem 1 and of Case 3, as printed (st.10, st.11, st.12, st.18)."""

import sympy as sp

from rateproof.theory.claim import Kind
from rateproof.theory.papers.fedrzo.bilevel.notation import (
    ELL,
    LEMMA9,
    LOWER_ACCURATE,
    MAX23,
    S_BL_I,
    WHERE,
    R_whole,
    Th1,
    Th2,
    Th3,
    dir2,
    eb,
    eh,
    eps,
    grad2,
    inner,
    ombar2,
    r_up,
    sum_eps,
    wbar2,
)
from rateproof.theory.papers.fedrzo.build import claim
from rateproof.theory.papers.fedrzo.notation import (
    B2,
    FREQUENCY,
    H_,
    H,
    K_eps,
    L_h_x,
    L_imp,
    L_y,
    declare,
    eta_s,
    gamma,
    m,
    mu_h,
)
from rateproof.theory.shorthand import eq, every, le, premise
from rateproof.theory.symbols import COUNT, NONNEG, n
from rateproof.theory.units import LENGTH, LOWER

_PLACE = "proof of Theorem 1 (i)"
_R = sp.Rational
F_now = declare("F_now_bl", "E F_eta(xbar_k)", LENGTH, latex=r"\mathbb E[\mathbf f^\eta(\bar x_k)]")
F_next = declare("F_next_bl", "E F_eta(xbar_{k+1})", LENGTH, latex=r"\mathbb E[\mathbf f^\eta(\bar x_{k+1})]")
cross_om = declare(
    "cross_om_bl",
    "-gamma E grad F_eta(xbar_k)^T omegabar_k",
    LENGTH,
    latex=r"(-\gamma\,\mathbb E[\nabla\mathbf f^\eta(\bar x_k)^T\bar\omega_k^\eta])",
)
cross_w = declare(
    "cross_w_bl",
    "-gamma E grad F_eta(xbar_k)^T wbar_k",
    LENGTH,
    latex=r"(-\gamma\,\mathbb E[\nabla\mathbf f^\eta(\bar x_k)^T\bar w_k^\eta])",
)
full2 = declare(
    "full2_bl",
    "E ||gbar_k + Gbar_k + omegabar_k + wbar_k||^2",
    latex=r"\mathbb E[\|\bar g_k^\eta+\bar\nabla_k^{\eta,d}+\bar\omega_k^\eta+\bar w_k^\eta\|^2]",
)
all_grad2 = declare(
    "all_grad2_bl",
    "sum over all steps of E ||grad F_eta(xbar_k)||^2",
    latex=r"\sum_k\mathbb E[\|\nabla\mathbf f^\eta(\bar x_k)\|^2]",
    **NONNEG,
)
double_sum = declare(
    "double_sum_bl",
    "sum over k of sum_{t=T_r}^{k-1} E ||grad F_eta(xbar_t)||^2",
    latex=r"\sum_k\sum_{t=T_r}^{k-1}\mathbb E[\|\nabla\mathbf f^\eta(\bar x_t)\|^2]",
    **NONNEG,
)
step_eps = declare(
    "step_eps_bl", "sum over all steps k of eps_{r(k)}", LOWER**2, latex=r"\sum_k\varepsilon_{r(k)}", **NONNEG
)
shown_eps = declare(
    "shown_eps_bl", "sum_r (T_{r+1} - T_r - 1) eps_r", LOWER**2, latex=r"\sum_r(T_{r+1}-T_r-1)\varepsilon_r", **NONNEG
)
whole_eps = declare(
    "whole_eps_bl", "sum_r (T_{r+1} - T_r) eps_r", LOWER**2, latex=r"\sum_r(T_{r+1}-T_r)\varepsilon_r", **NONNEG
)
N_sum = declare("N_bl", "number of terms of a sum", latex="N", **COUNT)

SMALL_STEP = H_("gamma<=eta/(24(Ln+1))", "gamma <= eta/(24(L_0^imp n + 1))", le(gamma, eta_s / (24 * (L_imp * n + 1))))
SMOOTH = H_(
    "smooth_F", "F_eta is ((L_0^imp n + 1)/eta)-smooth and xbar_{k+1} = xbar_k - gamma (gbar_k^{eta,eps} + Gbar_k)"
)

EQ16 = le(
    F_next,
    F_now - gamma * inner + gamma / 8 * grad2 + _R(3, 2) * ELL * gamma**2 * dir2 + 5 * gamma * (ombar2 + wbar2),
)
EQ17 = le(-gamma * inner, -gamma / 2 * grad2 + gamma * ELL**2 / 2 * eb)
EQ18 = le(
    _R(3, 2) * ELL * gamma**2 * dir2,
    _R(3, 2) * ELL * n**2 / m * gamma**2 * L_imp**2 + gamma / 8 * grad2 + gamma * ELL**2 / 8 * eb,
)
_THIRD = (L_h_x / mu_h) ** 2 * (20 * gamma * n**2 / eta_s**2) * L_y**2
EQ19 = le(5 * gamma * (ombar2 + wbar2), _THIRD * (eh + eps))
COMBINED = le(
    F_next,
    F_now
    - gamma / 4 * grad2
    + _R(3, 2) * ELL * n**2 / m * gamma**2 * L_imp**2
    + gamma * _R(5, 8) * ELL**2 * eb
    + _THIRD * (eh + eps),
)

_BOUNDS = (
    claim(
        "st.10.16",
        _PLACE,
        Kind.INEQUALITY,
        "E F_eta(xbar_{k+1}) <= E F_eta(xbar_k) - gamma E grad F_eta(xbar_k)^T(gbar_k + Gbar_k) + (gamma/8) E||grad "
        "F_eta(xbar_k)||^2 + (3(L_0^imp n + 1)/(2 eta)) gamma^2 E||gbar_k + Gbar_k||^2 + 5 gamma E[||omegabar_k||^2 + "
        "||wbar_k||^2]",
        EQ16,
        title="Expected descent with all errors",
        equation="(16)",
        hypotheses=(SMOOTH, SMALL_STEP),
        follows_from=("st.10.young", "st.10.three"),
    ),
    claim(
        "st.10.17",
        _PLACE,
        Kind.INEQUALITY,
        "-gamma E[grad F_eta(xbar_k)^T(gbar_k + Gbar_k)] <= -(gamma/2) E||grad F_eta(xbar_k)||^2 + gamma ((L_0^imp n "
        "+ 1)^2/(2 eta^2)) E ebar_k",
        EQ17,
        title="Inner product in the descent",
        equation="(17)",
        hypotheses=LEMMA9,
        follows_from=("lem9.vi",),
    ),
    claim(
        "st.10.18",
        _PLACE,
        Kind.INEQUALITY,
        "(3(L_0^imp n + 1)/(2 eta)) gamma^2 E||gbar_k + Gbar_k||^2 <= (3(L_0^imp n + 1) n^2/(2 m eta)) gamma^2 "
        "(L_0^imp)^2 + (gamma/8) E||grad F_eta(xbar_k)||^2 + gamma ((L_0^imp n + 1)^2/(8 eta^2)) E ebar_k",
        EQ18,
        title="Squared direction in the descent",
        equation="(18)",
        hypotheses=(*LEMMA9, SMALL_STEP),
        follows_from=("lem9.v",),
    ),
    claim(
        "st.10.19",
        _PLACE,
        Kind.INEQUALITY,
        "5 gamma E[||omegabar_k||^2 + ||wbar_k||^2] <= (L_{0,x}^{grad h}/mu_h)^2 (20 gamma n^2/eta^2)(L_{0,y}^f)^2 "
        "(E ehat_k + eps_r)",
        EQ19,
        title="Delay and inexactness in the descent",
        equation="(19)",
        hypotheses=LEMMA9,
        follows_from=("lem9.vii", "lem9.viii"),
    ),
)
_SUM = claim(
    "st.10.sum",
    _PLACE,
    Kind.INEQUALITY,
    "(16) to (19) together, with -1/2 + 1/8 + 1/8 = -1/4 and 1/2 + 1/8 = 5/8",
    COMBINED,
    title="Descent bounds added up",
    hypotheses=tuple(map(premise, _BOUNDS)),
)
ST10 = (
    claim(
        "st.10",
        _PLACE,
        Kind.INEQUALITY,
        "the descent of one step, eqs. (16) to (19), and their sum",
        None,
        title="Descent of one step, bilevel",
    ),
    claim(
        "st.10.young",
        _PLACE,
        Kind.INEQUALITY,
        "|u_1^T u_2| <= (||u_1||^2/8 + 8||u_2||^2)/2, twice: the two cross terms are at most (gamma/8) ||grad "
        "F_eta(xbar_k)||^2 + 4 gamma ||omegabar_k||^2 + 4 gamma ||wbar_k||^2 together",
        every(
            le(cross_om, gamma / 16 * grad2 + 4 * gamma * ombar2),
            le(cross_w, gamma / 16 * grad2 + 4 * gamma * wbar2),
        ),
        title="Cross terms by Young's inequality",
    ),
    claim(
        "st.10.three",
        _PLACE,
        Kind.INEQUALITY,
        "||gbar_k + Gbar_k + omegabar_k + wbar_k||^2 <= 3(||gbar_k + Gbar_k||^2 + ||omegabar_k||^2 + ||wbar_k||^2)",
        le(full2, 3 * (dir2 + ombar2 + wbar2)),
        title="Square of the inexact direction",
    ),
    *_BOUNDS,
    _SUM,
    claim(
        "st.10.implies",
        _PLACE,
        Kind.INEQUALITY,
        "E F_eta(xbar_{k+1}) <= E F_eta(xbar_k) - (gamma/4) E||grad F_eta(xbar_k)||^2 + gamma^2 Theta_1/m + gamma "
        "max{Theta_2, Theta_3}(E ebar_k + E ehat_k) + gamma Theta_3 eps_r",
        le(F_next, F_now - gamma / 4 * grad2 + gamma**2 * Th1 / m + gamma * MAX23 * (eb + eh) + gamma * Th3 * eps),
        title="Descent with the constants of Theorem 1",
        hypotheses=(
            premise(_SUM),
            H_("errors>=0", "E ebar_k >= 0, E ehat_k >= 0", every(le(0, eb), le(0, eh))),
        ),
        where={s: WHERE[s] for s in (Th1, Th2, Th3)},
        follows_from=("st.10.sum",),
    ),
)

ST11 = (
    claim(
        "st.11",
        _PLACE,
        Kind.INEQUALITY,
        "the sum over the steps of a run",
        None,
        title="Descent summed over a run, bilevel",
    ),
    claim(
        "st.11.cap",
        _PLACE,
        Kind.INEQUALITY,
        "96 B_2^2 H gamma^2 max{Theta_2, Theta_3} <= 1/(8H)",
        le(96 * B2**2 * H * gamma**2 * MAX23, 1 / (8 * H)),
        title="Stepsize condition absorbs the drift, bilevel",
        hypotheses=(S_BL_I,),
        where={s: WHERE[s] for s in (Th2, Th3)},
    ),
    claim(
        "st.11.double",
        _PLACE,
        Kind.INEQUALITY,
        "gamma/4 - gamma/8 = gamma/8: (gamma/8) sum_k E||grad F_eta(xbar_k)||^2 <= (gamma/4) sum_k E||grad "
        "F_eta(xbar_k)||^2 - (gamma/(8H)) sum_k sum_{t=T_r}^{k-1} E||grad F_eta(xbar_t)||^2",
        le(gamma / 8 * all_grad2, gamma / 4 * all_grad2 - gamma / (8 * H) * double_sum),
        title="Double sum absorbed by the descent",
        hypotheses=(H_("st.6", "sum_k sum_{t=T_r}^{k-1} a_t <= H sum_k a_k", le(double_sum, H * all_grad2)),),
        follows_from=("st.6",),
    ),
    claim(
        "st.11.display",
        _PLACE,
        Kind.INEQUALITY,
        "the sum over the steps of eps_{r(k)} is displayed as sum_r (T_{r+1} - T_r - 1) eps_r",
        le(step_eps, shown_eps),
        title="Lower-level accuracies over the steps",
        hypotheses=(FREQUENCY, LOWER_ACCURATE),
        note="The display bounds, so it has to be at least the sum that it stands for.",
    ),
    claim(
        "st.11.bound",
        _PLACE,
        Kind.INEQUALITY,
        "it is at most H sum_r eps_r",
        every(le(shown_eps, H * sum_eps), le(step_eps, H * sum_eps)),
        title="Lower-level accuracies over the rounds",
        hypotheses=(FREQUENCY, LOWER_ACCURATE),
    ),
)

with sp.evaluate(False):  # sympy would make one power of both sides
    _ROUNDS = eq((K_eps / (K_eps / m**3) ** _R(1, 4)) ** _R(1, 3), (m * K_eps) ** _R(1, 4))
    _OF_A_CALL = eq(m ** _R(1, 3) * (r_up ** _R(2, 3) / m) ** _R(1, 3), r_up ** _R(2, 9))
    _TOTAL = eq(((m * K_eps) ** _R(3, 4)) ** _R(11, 9), (m * K_eps) ** _R(11, 12))
_POWERS = sp.Sum((r_up + 1) ** _R(-2, 3), (r_up, 0, R_whole - 1))
ST12 = (
    claim(
        "st.12",
        "proof of Theorem 1 (ii)",
        Kind.COMPLEXITY,
        "the sum of the lower-level accuracies",
        None,
        title="Lower-level accuracies under the schedule",
    ),
    claim(
        "st.12.sum",
        "proof of Theorem 1 (ii)",
        Kind.INEQUALITY,
        "sum_{r=0}^{R-1} (r+1)^{-2/3} = O(R^{1/3}), explicitly at most 3 R^{1/3}",
        le(_POWERS, 3 * R_whole ** _R(1, 3)),
        title="Sum of the lower-level accuracies",
    ),
    claim(
        "st.12.power",
        "proof of Theorem 1 (ii)",
        Kind.IDENTITY,
        "R^{1/3} = (K/H)^{1/3} = (m K)^{1/4} for H = (K/m^3)^{1/4}",
        _ROUNDS,
        title="Rounds to the power one third",
    ),
)
ST18 = (
    claim("st.18", "Case 3", Kind.COMPLEXITY, "the total of the calls of LFD", None, title="Total of the LFD calls"),
    claim(
        "st.18.term",
        "Case 3",
        Kind.IDENTITY,
        "m^{1/3} (m^{-1} r^{2/3})^{1/3} = r^{2/9}",
        _OF_A_CALL,
        title="Rounds of one LFD call",
    ),
    claim(
        "st.18.sum",
        "Case 3",
        Kind.COMPLEXITY,
        "sum_{r<=N} r^{2/9} = O(N^{11/9}), explicitly at most (9/11)(N+1)^{11/9}",
        le(sp.Sum(r_up ** _R(2, 9), (r_up, 1, N_sum)), _R(9, 11) * (N_sum + 1) ** _R(11, 9)),
        title="Sum of powers 2/9",
    ),
    claim(
        "st.18.power",
        "Case 3",
        Kind.IDENTITY,
        "N = (m K)^{3/4} gives N^{11/9} = (m K)^{11/12}",
        _TOTAL,
        title="Exponent of the LFD total",
    ),
)
STEPS = (*ST10, *ST11, *ST12, *ST18)
