"""Remark 5 and the numbered steps of the proof of Theorem 2.

A step is an implication: its hypotheses are what the proof has at that point, so it does not rest on them. Whatever
uses the step rests on both.
"""

import sympy as sp

from rateproof.theory.claim import Claim, Kind, Reading
from rateproof.theory.papers.fedrzo.build import claim
from rateproof.theory.papers.fedrzo.notation import (
    A3_II,
    A3_IV,
    B2,
    FREQUENCY,
    H_,
    L_F,
    H,
    declare,
    gamma,
    k_it,
    m,
    mu_F,
)
from rateproof.theory.papers.fedrzo.twostage.lemmas import LEM12
from rateproof.theory.papers.fedrzo.twostage.notation import (
    CAP_SMOOTH,
    CONTRACTION,
    ELL,
    KAPPA_F,
    S_2S,
    TAU,
    WHERE,
    WHERE_VI,
    F_next,
    F_now,
    Th1,
    Th2,
    Th3,
    alpha_y,
    d_next2,
    d_now2,
    double_eps,
    eb,
    eps_k,
    grad2,
    ip_path,
    ip_w,
    step2,
    sum_eps,
    tau,
)
from rateproof.theory.shorthand import eq, every, item_of, le, premise
from rateproof.theory.units import LOWER

_DESCENT = "E F_eta(xbar_{k+1}) <= E F_eta(xbar_k) - (gamma/4) E||grad F_eta(xbar_k)||^2 + gamma^2 Theta_1/m"
ST13 = claim(
    "st.13",
    "proof of Theorem 2 (ii)",
    Kind.INEQUALITY,
    f"with gamma <= eta/(16 (L_0^imp n + 1)): {_DESCENT} + gamma Theta_2 E ebar_k + gamma Theta_3 eps_k",
    le(F_next, F_now - gamma / 4 * grad2 + gamma**2 * Th1 / m + gamma * Th2 * eb + gamma * Th3 * eps_k),
    title="Expected descent of one step, two stages",
    hypotheses=(
        CAP_SMOOTH,
        H_(
            "smooth",
            "E F_eta(xbar_{k+1}) <= E F_eta(xbar_k) - gamma E grad F_eta(xbar_k)^T (gbar_k + Gbar_k + wbar_k) "
            "+ ((L_0^imp n + 1)/(2 eta)) gamma^2 E||gbar_k + Gbar_k + wbar_k||^2",
            le(F_next, F_now - gamma * (ip_path + ip_w) + ELL / 2 * gamma**2 * step2),
        ),
        *(premise(item_of(LEM12, item)) for item in ("iv", "v", "vi")),
    ),
    where={s: WHERE[s] for s in (Th1, Th2, Th3)},
)

_CAP_14 = 36 * B2**2 * H * gamma**2 * Th2
ST14 = (
    claim(
        "st.14",
        "proof of Theorem 2 (ii)",
        Kind.INEQUALITY,
        "36 B_2^2 H gamma^2 Theta_2 <= 1/(24 H); gamma/8 <= gamma/4 - gamma/24; the accuracies summed over rounds",
        None,
        title="Descent summed over a run, two stages",
    ),
    claim(
        "st.14.step",
        "proof of Theorem 2 (ii)",
        Kind.INEQUALITY,
        "gamma <= 1/(12 sqrt(6) H B_2 sqrt(Theta_2)) gives 36 B_2^2 H gamma^2 Theta_2 <= 1/(24 H)",
        le(_CAP_14, 1 / (24 * H)),
        title="Stepsize condition absorbs the drift, two stages",
        hypotheses=S_2S[:1],
        where={Th2: WHERE[Th2]},
    ),
    claim(
        "st.14.factor",
        "proof of Theorem 2 (ii)",
        Kind.INEQUALITY,
        "gamma/8 <= gamma/4 - gamma/24",
        le(gamma / 8, gamma / 4 - gamma / 24),
        title="Descent factor one eighth",
    ),
    claim(
        "st.14.sums",
        "proof of Theorem 2 (ii)",
        Kind.INEQUALITY,
        "sum_{k=0}^{T_R-1} sum_{t=T_r}^{k-1} eps_t <= H sum_{k=0}^{T_R-1} eps_k, T_r the start of k's round",
        le(double_eps, H * sum_eps),
        title="Accuracies summed over rounds",
        hypotheses=(FREQUENCY,),
    ),
)

_POWER = tau * sp.log(k_it + 1)
ST15 = claim(
    "st.15",
    "proof of Theorem 2 (iii)",
    Kind.INEQUALITY,
    "(k+1) (1 - 1/kappa_F^2)^{tau ln(k+1)} = ((1 - 1/kappa_F^2)^tau e)^{ln(k+1)} <= 1 for "
    "tau >= -1/ln(1 - 1/kappa_F^2)",
    every(
        eq((k_it + 1) * CONTRACTION**_POWER, (CONTRACTION**tau * sp.E) ** sp.log(k_it + 1)),
        le((CONTRACTION**tau * sp.E) ** sp.log(k_it + 1), 1),
    ),
    title="Accuracy against the iteration count",
    hypotheses=(KAPPA_F, TAU),
    where=WHERE_VI,
    note="For kappa_F = 1 the threshold is read as its limit 0.",
)

ST17 = (
    claim(
        "st.17",
        "proof of Theorem 2 (i)",
        Kind.INEQUALITY,
        "one step of Algorithm 5 contracts, best with alpha = mu_F/L_F^2, then by 1 - 1/kappa_F^2",
        None,
        title="Contraction of Algorithm 5",
    ),
    claim(
        "st.17.contraction",
        "proof of Theorem 2 (i)",
        Kind.INEQUALITY,
        "||y_{t+1} - y*||^2 <= (1 - 2 alpha mu_F + alpha^2 L_F^2) ||y_t - y*||^2 where Assumption 3.ii holds",
        le(d_next2, (1 - 2 * alpha_y * mu_F + alpha_y**2 * L_F**2) * d_now2),
        title="One projection step contracts",
        hypotheses=(A3_II, A3_IV, H_("query_in_X", "the query x lies in X")),
        note="The proof of part (i) is a reference; the step is the standard one. Algorithm 4 calls it at queries "
        "outside X, too; there it may fail, and thm2.i with it.",
    ),
    claim(
        "st.17.step",
        "proof of Theorem 2 (i)",
        Kind.INEQUALITY,
        "1 - 2 alpha mu_F + alpha^2 L_F^2 is smallest at alpha = mu_F/L_F^2, where it is 1 - 1/kappa_F^2",
        every(
            le(CONTRACTION, 1 - 2 * alpha_y * mu_F + alpha_y**2 * L_F**2),
            eq(1 - 2 * (mu_F / L_F**2) * mu_F + (mu_F / L_F**2) ** 2 * L_F**2, CONTRACTION),
        ),
        title="Best stepsize of Algorithm 5",
        where=WHERE_VI,
    ),
)

spread_2s = declare(
    "spread_2s",
    "largest distance of two lower-level solutions of one x over samples xi_i, two stages",
    LOWER,
    latex=r"\sup_{\xi,\xi'}\|y(x,\xi)-y(x,\xi')\|",
)
spread_bl = declare(
    "spread_bl_2s",
    "largest distance of two lower-level solutions of one x over samples xi_i, bilevel",
    LOWER,
    latex=r"\sup_{\xi,\xi'}\|y_\xi(x)-y_{\xi'}(x)\|",
)
_CLASS = H_("two_stage", "an instance of (FL_2s) under Assumption 3")
REM5 = (
    claim(
        "rem5",
        "Remark 5",
        Kind.PROPERTY,
        "the lower-level solution does not depend on xi_i in the one problem and does in the other; FedRZO_bl is not "
        "suitable for (FL_2s)",
        None,
        title="Lower level with and without samples",
    ),
    claim(
        "rem5.dependence",
        "Remark 5",
        Kind.PROPERTY,
        "in the former [(FL_2s)], the solution to the lower-level problem is independent of xi_i while in the latter "
        "[(FL_bl)], y(x, xi_i) is characterized by xi_i",
        eq(spread_2s, 0),
        title="Lower-level solution depends on the sample",
        hypotheses=(_CLASS,),
    ),
    claim(
        "rem5.dependence.corrected",
        "Remark 5",
        Kind.PROPERTY,
        "in (FL_bl) the solution to the lower-level problem is independent of xi_i, while in (FL_2s) y(x, xi_i) is "
        "characterized by xi_i",
        eq(spread_bl, 0),
        title="Lower-level solution depends on the sample",
        hypotheses=(H_("bilevel", "an instance of (FL_bl) under Assumption 2"),),
        reading=Reading.CORRECTED,
        amends="rem5.dependence",
        origin="the definitions of (FL_bl) and (FL_2s)",
        why="former and latter are interchanged: (FL_2s) solves a variational inequality for every sample, (FL_bl) one "
        "problem in expectation",
        note="Encoded is the half about (FL_bl), the one that its check speaks of. That y(x, xi_i) is characterized by "
        "xi_i in (FL_2s) is how (FL_2s) defines it, and has no relation of its own; it may still be the same for all "
        "xi_i.",
    ),
    claim(
        "rem5.unsuitable",
        "Remark 5",
        Kind.PROPERTY,
        "FedRZO_bl, which uses one lower-level solution y(x) for all samples, is not suitable for (FL_2s): there are "
        "instances where the objective is another one",
        None,
        title="Bilevel method unsuitable for two stages",
        hypotheses=(_CLASS,),
        note="A statement that such instances exist; its check exhibits one.",
    ),
)
CLAIMS: tuple[Claim, ...] = (*REM5, ST13, *ST14, ST15, *ST17)
