"""CORRECTED readings of Theorem 1 (ii) and Remark 4 (i)."""

import sympy as sp

from rateproof.theory.claim import Claim, Hypothesis
from rateproof.theory.papers.fedrzo.bilevel import theorem
from rateproof.theory.papers.fedrzo.bilevel.corrected import LIPSCHITZ_Y, mend
from rateproof.theory.papers.fedrzo.bilevel.corrected_theorem import SHARED_RUN, STEP, WHY
from rateproof.theory.papers.fedrzo.bilevel.notation import DRIFT0, ELL, LEAST, SPREAD, E_y, eps_c
from rateproof.theory.papers.fedrzo.bilevel.schedules import COM_K, K_LARGE, K_LARGE_K, LOWER_RATE_C
from rateproof.theory.papers.fedrzo.notation import D0, K_eps, K_it, L_imp, grad_kstar, m
from rateproof.theory.shorthand import big_o, item_of, le
from rateproof.theory.symbols import epsilon, n

_ROOT = sp.sqrt(m * K_it)
EXPLICIT_TERMS = (
    6 * D0 / _ROOT,
    12 * ELL * n**2 * L_imp**2 * (m * K_it) ** sp.Rational(-1, 4),
    68 * SPREAD**2 * DRIFT0 / _ROOT,
    270 * E_y * eps_c / _ROOT,
)
_WITH = (
    f"where {LIPSCHITZ_Y}, for gamma = sqrt(m/K), H = ceil((K/m^3)^(1/4)), K >= m^3, eps_r <= c (r+1)^{{-2/3}}, "
    "9 gamma H s max{1, B_2} <= 1 (s, l and M_0 as in the corrected (i))"
)
_RUN: tuple[Hypothesis, ...] = (*SHARED_RUN, COM_K, K_LARGE_K, STEP, LOWER_RATE_C)
THM1_II_X = mend(
    theorem.THM1_II_X,
    f"{_WITH}: E||grad F_eta(xbar_{{k*}})||^2 <= 6 D_0/sqrt(mK) + 12 l n^2 (L_0^imp)^2 (mK)^{{-1/4}} + 68 s^2 "
    "M_0/sqrt(mK) + 270 (n^2 (L_{0,y}^f)^2/eta^2) c/sqrt(mK)",
    le(grad_kstar, sp.Add(*EXPLICIT_TERMS)),
    (*WHY, "a direction that a round shares costs a term of order gamma H = (mK)^{-1/4}; the ceiling of H counts, too"),
    hypotheses=_RUN,
    where={},
    follows_from=("thm1.i.corrected", "st.12"),
)
COMPLEXITY = (
    sp.S.One,
    (ELL * n**2 * L_imp**2) ** 4 / (m * epsilon**4),
    (D0 + SPREAD**2 * DRIFT0 + E_y * eps_c) ** 2 / (m * epsilon**2),
)


def _complexity(printed: Claim) -> Claim:
    return mend(
        printed,
        f"{_WITH}: K_eps, the least number from which on all such K give the accuracy epsilon, is O( 1 + (l n^2 "
        "(L_0^imp)^2)^4/(m epsilon^4) + (D_0 + s^2 M_0 + (n^2 (L_{0,y}^f)^2/eta^2) c)^2/(m epsilon^2) )",
        big_o(K_eps, *COMPLEXITY),
        "the noise of a direction that a round shares is of order gamma H = (mK)^{-1/4}, D_0 is no numerical factor, "
        "and K_eps >= 1 however large epsilon is",
        hypotheses=(*_RUN, LEAST),
        where={},
        follows_from=("thm1.ii-x.corrected",),
    )


THM1_II = _complexity(theorem.THM1_II)
REM4_ITERATIONS = _complexity(item_of(theorem.REM4_I, "iterations"))
_INEXACT = item_of(theorem.REM4_I, "inexact")
REM4_INEXACT = mend(
    _INEXACT,
    "As printed for K_eps >= m^3 and rounds of equal length: H sum_{r<R} eps_r / K = O~((m K)^{-1/2})",
    _INEXACT.statement,
    "with H = 1, as the ceiling makes it for K_eps <= m^3, it is of order K^{-2/3} from K = m^{3/2} on (one iteration "
    "a call up to there), which is more than (m K)^{-1/2} unless K is at least of order m^3",
    hypotheses=(*_INEXACT.hypotheses, K_LARGE),
    follows_from=("st.12",),
    note="With rounds of equal length, as the printed claim is read.",
)
CORRECTED_RATES = (THM1_II_X, THM1_II, REM4_ITERATIONS, REM4_INEXACT)
