"""CORRECTED readings of Proposition 1 and Remark 1: bounds that hold, and what they need of the horizon."""

import sympy as sp

from rateproof.theory.claim import Hypothesis
from rateproof.theory.papers.fedrzo.notation import (
    B1,
    B2,
    D0,
    FREE,
    L0,
    H,
    K_eps,
    K_it,
    eta_s,
    gamma,
    grad_kstar,
    m,
    nu,
)
from rateproof.theory.papers.fedrzo.single import propositions
from rateproof.theory.papers.fedrzo.single.corrected import MODULUS, ORIGIN_MODULUS, corrected
from rateproof.theory.papers.fedrzo.single.notation import CAP_NN, GAMMA_COM, H_COM, M
from rateproof.theory.papers.fedrzo.single.propositions import DRIFT_TERM, PROP1_RUN
from rateproof.theory.shorthand import big_o, ge, item_of, le
from rateproof.theory.symbols import C_O, epsilon, n

NOISE_MENDED = 12 * M * n**2 * (2 * nu**2 / eta_s**2 + L0**2)
_FIRST = 8 * D0 / (gamma * (K_it + 1))
_I = item_of(propositions.PROP1, "i")
_IIX = item_of(propositions.PROP1, "ii-x")
#: What the case without sets rests on: the printed descent with L_0 n, and Lemma 8's argument without Moreau terms.
_FREE = ("lem1.iv", "lem3", "lem4.ii", "lem5.i", "lem5.ii", "st.1.sum", "st.2", "st.6")
_DESCENT = (*_FREE, "lem8.b.corrected", "st.5.mean.corrected", "st.7")
_LARGE = (
    *_FREE,
    *("lem4.i", "lem4.iii.sharp.corrected", "moreau-2", "st.1.jensen"),
    *("lem8.b.corrected", "st.5.descent.corrected", "st.7"),
)
_ALONG_COM = (*_FREE, "lem7.b", "lem8.a.corrected", "st.5.mean.corrected")
#: The constant of the corrected Proposition 1 (ii).
C_MENDED = 8 * D0 + NOISE_MENDED + DRIFT_TERM
#: The same without its numerical factors.
O_MENDED = (
    D0 + M * n**2 * (nu**2 / eta_s**2 + L0**2) + M**2 * ((n**2 * nu**2 + B1**2) / eta_s**2 + (1 + B2**2) * L0**2 * n**2)
)
#: What makes the stepsize of S-com short enough.
ADMISSIBLE = (
    Hypothesis("K>=16mM^2", "K >= 16 m (L_0 n + 1)²/η²: γ <= η/(4(L_0 n + 1))", ge(K_it, 16 * m * M**2)),
    Hypothesis("mK>=(12B_2M)^4", "m K >= (12 B_2 (L_0 n + 1)/η)⁴", ge(m * K_it, (12 * B2 * M) ** 4)),
)
#: Proposition 1 (i) needs no 1/(4H): see the note of its corrected reading.
_CAPS = tuple(h for h in _I.hypotheses if h.key != "gamma_H")
_NO_CAP = "without γ <= 1/(4H)"
PROP1 = (
    corrected(
        _I,
        le(grad_kstar, _FIRST + gamma / m * NOISE_MENDED + H**2 * gamma**2 * DRIFT_TERM),
        MODULUS,
        f"(L_0 n + 1)n² in place of L_0 n³ and {_NO_CAP}",
        origin=ORIGIN_MODULUS,
        hypotheses=_CAPS,
        follows_from=_DESCENT,
        note="The bound of Lemma 8 on γ follows from the others: (2) for all x needs B_2 >= 1 unless X_i = R^n for "
        "all i, and then there is no Moreau term.",
    ),
    corrected(
        _I,
        _I.statement,
        (MODULUS, "where L_0 n >= 1/4 the printed constants cover the difference"),
        f"L_0 n >= 1/4 and {_NO_CAP}",
        part="large",
        hypotheses=_CAPS,
        added=(Hypothesis("L0n>=1/4", "L_0 n >= 1/4", ge(4 * L0 * n, 1)),),
        follows_from=_LARGE,
        note="Lemma 5 (i) is taken with the noise of lem4.iii.sharp.corrected in its proof.",
    ),
    corrected(
        _I,
        _I.statement,
        (MODULUS, "without sets F_η = f_η, and the printed modulus is right"),
        "X_i = R^n for all i and γ <= η/(4L_0 n) alone",
        part="free",
        hypotheses=tuple(h for h in _CAPS if h.key != "gamma_sets"),
        added=(FREE,),
        follows_from=_FREE,
        note="Without Moreau terms the printed modulus is right, and Lemma 8 needs no bound on γ, whatever B_2 is.",
    ),
    corrected(
        item_of(propositions.PROP1, "ii"),
        le(K_eps, C_O * (1 + O_MENDED**2 / (m * epsilon**2) + m * M**2 + B2**4 * M**4 / m)),
        "the terms of (i) without a factor L_0 n, the initial gap and the least K that admits γ are left out",
        "K_ε = O(1 + C²/(mε²) + mM² + B_2⁴M⁴/m), M = (L_0 n + 1)/η, "
        "C = D_0 + Mn²(ν²/η² + L_0²) + M²((n²ν² + B_1²)/η² + (1 + B_2²)L_0²n²)",
        follows_from=("prop1.ii-x.corrected",),
        explicit="prop1.ii-x.corrected",
    ),
    corrected(
        _IIX,
        le(grad_kstar, C_MENDED / sp.sqrt(m * K_it)),
        MODULUS,
        "H rounded up, (L_0 n + 1)n² in place of L_0 n³, and K >= 16mM² and mK >= (12B_2 M)⁴, M = (L_0 n + 1)/η, in "
        "place of the bounds on γ",
        hypotheses=(*PROP1_RUN, GAMMA_COM, H_COM, *ADMISSIBLE),
        follows_from=_ALONG_COM,
        origin=ORIGIN_MODULUS,
        note="Lemmas 7 and 8 and st.6 are taken with the largest k - T_r, H - 1 < (K/m³)^{1/4}, in place of H.",
    ),
)

# --- Remark 1
_OF_ORDER_M = "γ = sqrt(m/K) is small enough only from K of order m on, however large ε is"
_HIDDEN = "The hidden constant may depend on everything but m and ε."
ENOUGH = (
    Hypothesis("K_eps>=m^3", "K_eps >= m^3", ge(K_eps, m**3)),
    Hypothesis("epsilon<=1", "ε <= 1", le(epsilon, 1)),
)
REM1 = (
    corrected(
        item_of(propositions.REM1, "iterations"),
        big_o(K_eps, m, 1 / (m * epsilon**2)),
        _OF_ORDER_M,
        "K_ε = O(m + 1/(mε²))",
        follows_from=("prop1.ii.corrected",),
        explicit="prop1.ii.corrected",
        note=_HIDDEN,
    ),
    corrected(
        item_of(propositions.REM1, "iterations"),
        item_of(propositions.REM1, "iterations").statement,
        _OF_ORDER_M,
        "K_ε >= m³ and ε <= 1",
        part="large",
        added=ENOUGH,
        follows_from=("prop1.ii.corrected",),
        explicit="prop1.ii.corrected",
        note=f"{_HIDDEN} K_ε >= m³ stands in Proposition 1 (iii).",
    ),
)

# --- Table 1
TAB1 = (
    corrected(
        item_of(propositions.TAB1, "this.rate"),
        item_of(propositions.TAB1, "this.rate").statement,
        "for K below a multiple of m, γ = sqrt(m/K) is so long that the iterates do not approach a stationary point",
        "the bound on γ of Proposition 1 (i)",
        added=CAP_NN,
        follows_from=_ALONG_COM,
        note="The hidden constant may depend on everything but m and K.",
    ),
)
CLAIMS = (*PROP1, *REM1, *TAB1)
