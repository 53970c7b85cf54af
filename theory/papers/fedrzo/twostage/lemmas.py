"""Lemmas 12 and 13 and Remark 10: one local step, and the drift over a round, of Algorithm 4."""

import sympy as sp

from rateproof.theory.claim import Claim, Hypothesis, Kind, Reading
from rateproof.theory.papers.fedrzo.build import claim
from rateproof.theory.papers.fedrzo.notation import B1, B2, FREQUENCY, H, L_imp, eta_s, gamma, m
from rateproof.theory.papers.fedrzo.twostage.notation import (
    ALG4,
    ELL,
    IN_ROUND,
    LATER,
    S_LEM13_ETA,
    S_LEM13_H,
    SAMPLES_NOTE,
    SAMPLES_READING,
    E_y,
    bias,
    done,
    eb,
    eps_k,
    g2,
    grad2,
    ip_path,
    path2,
    split_bar,
    split_i,
    sum_eb,
    sum_eps_r,
    sum_grad,
    w2,
    wbar2,
)
from rateproof.theory.papers.fedrzo.twostage.schedules import S_13
from rateproof.theory.shorthand import eq, every, ge, le
from rateproof.theory.symbols import n

#: Titles of the claims that share a maker, by id.
TITLES = {
    "lem12.i": "Local estimate is unbiased, two stages",
    "lem12.ii": "Second moment of the local estimate, two stages",
    "lem12.iii": "Inexactness error of a client, two stages",
    "lem12.iv": "Second moment of the direction, two stages",
    "lem12.v": "Direction against the gradient, two stages",
    "lem12.vi": "Mean inexactness error, two stages",
}

_NL2 = n**2 * L_imp**2
_GIVEN = "Under Assumption 3, in step k of Algorithm 4 with lower-level accuracy eps_k"


def _lemma12(
    item: str,
    kind: Kind,
    text: str,
    statement: sp.Basic,
    follows_from: tuple[str, ...] = (),
    note: str = "",
    fails: str = "",
) -> Claim:
    """``fails`` is where draws that are iid over k only violate it; empty if they do not."""
    said = f"{SAMPLES_NOTE} {fails}." if fails else ""
    return claim(
        f"lem12.{item}",
        f"Lemma 12 ({item})",
        kind,
        f"{_GIVEN}: {text}",
        statement,
        title=TITLES[f"lem12.{item}"],
        hypotheses=ALG4,
        follows_from=follows_from,
        switches=(SAMPLES_READING,) if fails else (),
        note=" ".join(filter(None, (note, said))),
    )


_DESCENT = ("lem12.i", "lem12.ii", "lem1.iv", "moreau-2")
_OMITTED = (
    "The printed proof refers to lem9.v, lem9.vi and lem9.vii; its counterparts are lem9.v, lem9.vi and lem9.viii."
)
_SIGN = "as xi_{i,k} may be the sign of v_{i,k}"
LEM12 = (
    _lemma12(
        "i",
        Kind.IDENTITY,
        "E[g_{i,k} | F_k] = grad f_{i,eta}(x_{i,k})",
        eq(bias, 0),
        ("lem1.i",),
        fails=f"{_SIGN} (loss xi |x| - x/2, x = 0: E g = 1/2 and grad f_eta = -1/2)",
    ),
    _lemma12("ii", Kind.INEQUALITY, "E||g_{i,k}||^2 <= n^2 (L_0^imp)^2", le(g2, _NL2)),
    _lemma12("iii", Kind.INEQUALITY, "E||w_{i,k}||^2 <= (4n^2/eta^2) (L_{0,y}^f)^2 eps_k", le(w2, 4 * E_y * eps_k)),
    _lemma12(
        "iv",
        Kind.INEQUALITY,
        "E||gbar_k + Gbar_k||^2 <= n^2 (L_0^imp)^2/m + 2 E||grad F_eta(xbar_k)||^2 + (2 (L_0^imp n + 1)^2/eta^2) E "
        "ebar_k",
        le(path2, _NL2 / m + 2 * grad2 + 2 * ELL**2 * eb),
        _DESCENT,
        _OMITTED,
        "as all clients may have one v (two clients, loss |x|, x = 0: 1 against 1/2)",
    ),
    _lemma12(
        "v",
        Kind.INEQUALITY,
        "E[grad F_eta(xbar_k)^T (gbar_k + Gbar_k)] >= E||grad F_eta(xbar_k)||^2/2 - ((L_0^imp n + 1)^2/(2 eta^2)) E "
        "ebar_k",
        ge(ip_path, grad2 / 2 - ELL**2 / 2 * eb),
        _DESCENT,
        _OMITTED,
        f"{_SIGN} (loss xi |x| - x/2, x = 0: -1/4 against 1/8)",
    ),
    _lemma12(
        "vi",
        Kind.INEQUALITY,
        "E||wbar_k||^2 <= (4n^2/eta^2) (L_{0,y}^f)^2 eps_k",
        le(wbar2, 4 * E_y * eps_k),
        ("lem12.iii", "st.1"),
        _OMITTED,
    ),
)
REM10 = claim(
    "rem10",
    "Remark 10",
    Kind.IDENTITY,
    "g^{eta,eps_k}_{i,k} = g_{i,k} + w_{i,k} and gbar^{eta,eps_k}_k = gbar_k + wbar_k",
    every(eq(split_i, 0), eq(split_bar, 0)),
    title="Inexact estimate split, two stages",
    hypotheses=ALG4,
)

_CONSTANT = 2 * B1**2 / eta_s**2 + (4 * B2**2 + 1) * _NL2
_ROUND = (*ALG4, IN_ROUND)


def _recursive(factor: sp.Expr) -> sp.Rel:
    """The bound of Lemma 13 (i) with a factor of E ebar_t; sums over the steps of the round before k."""
    terms = factor * sum_eb + 4 * B2**2 * sum_grad + done * _CONSTANT + 4 * E_y * sum_eps_r
    return le(eb, 3 * gamma**2 * done * terms)


_SOLVED = le(eb, 36 * H * gamma**2 * (B2**2 * sum_grad + E_y * sum_eps_r) + 9 * H**2 * gamma**2 * _CONSTANT)
_RECURSION = (
    "for T_r <= k <= T_{r+1} - 1%s: E ebar_k <= 3 gamma^2 (k - T_r) sum_{t=T_r}^{k-1} (%s E ebar_t "
    "+ 4 B_2^2 E||grad F_eta(xbar_t)||^2 + 2 B_1^2/eta^2 + (4 B_2^2 + 1) (L_0^imp)^2 n^2 + (4n^2/eta^2) "
    "(L_{0,y}^f)^2 eps_t)"
)
_BOUND = (
    "for T_r <= k <= T_{r+1} - 1%s: E ebar_k <= 36 H gamma^2 sum_{t=T_r}^{k-1} (B_2^2 E||grad F_eta(xbar_t)||^2 + "
    "(n^2/eta^2) (L_{0,y}^f)^2 eps_t) + 9 H^2 gamma^2 (2 B_1^2/eta^2 + (4 B_2^2 + 1) (L_0^imp)^2 n^2)"
)
_LATER = ", r > 0"
_HERE = "Under Assumption 3, for Algorithm 4 with lower-level accuracies eps_k"
_CHAIN = ("lem3", "lem12.ii", "lem12.iii", "st.1", "st.2")
_SOLVE: tuple[Hypothesis, ...] = (*_ROUND, FREQUENCY)
LEM13 = (
    claim(
        "lem13.i",
        "Lemma 13 (i)",
        Kind.INEQUALITY,
        f"{_HERE}, {_RECURSION % (_LATER, '8')}",
        _recursive(sp.Integer(8)),
        title="Consensus error, recursion, two stages",
        hypotheses=(*_ROUND, LATER),
        follows_from=(*_CHAIN, "lem6"),
        note="Lemma 12's accuracies are not repeated in the lemma.",
    ),
    claim(
        "lem13.i.corrected",
        "Lemma 13 (i)",
        Kind.INEQUALITY,
        f"{_HERE}, {_RECURSION % ('', '(2/eta^2)')}",
        _recursive(2 / eta_s**2),
        title="Consensus error, recursion, two stages",
        hypotheses=_ROUND,
        follows_from=(*_CHAIN, "moreau-2", "st.3.split", "st.3.sets", "st.3.gradients", "lem6.grad"),
        reading=Reading.CORRECTED,
        amends="lem13.i",
        origin="Lemma 6, which is inserted, bounds gradients that are divided by eta",
        why="the penalty's gradient is 1/eta-Lipschitz, so the drift enters with 1/eta^2; 2 suffices in place of 8, "
        "and 2/eta^2 <= 8 only from eta = 1/2 on",
        note="Stated for r >= 0, as the proof of Theorem 2 uses it; Lemma 6's chain gives 2/eta^2 where grad d_i "
        "is taken to be 1/eta-Lipschitz, as it is, and not 2/eta-Lipschitz.",
    ),
    claim(
        "lem13.ii",
        "Lemma 13 (ii)",
        Kind.INEQUALITY,
        f"{_HERE} and gamma <= 1/(sqrt(24) H), {_BOUND % _LATER}",
        _SOLVED,
        title="Consensus error in one round, two stages",
        hypotheses=(*_SOLVE, LATER, S_LEM13_H),
        schedule=S_13,
        follows_from=("lem13.i", "lem7.b"),
    ),
    claim(
        "lem13.ii.corrected",
        "Lemma 13 (ii)",
        Kind.INEQUALITY,
        f"{_HERE} and gamma <= eta/(sqrt(6) H), {_BOUND % ''}",
        _SOLVED,
        title="Consensus error in one round, two stages",
        hypotheses=(*_SOLVE, S_LEM13_ETA),
        follows_from=("lem13.i.corrected", "lem7.b"),
        reading=Reading.CORRECTED,
        amends="lem13.ii",
        why="the recursion has 6/eta^2 in place of 24, so the step has to be a fraction of eta",
    ),
)
CLAIMS: tuple[Claim, ...] = (*LEM12, REM10, *LEM13)
