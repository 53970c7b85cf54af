"""Lemma B.3: how far the local steps of a client go.

Both bounds are true, also with ``2 K`` in place of ``2 e (1 + K)``; ``S(x)`` in (28b) stands for ``S^n(z^{n-1}, z^n)``.
The first bound of (30) is true of the iterates, though it is not what (29) gives: that has the powers of ``1 + 1/K`` in
the opposite order.
"""

from dataclasses import replace
from typing import Any

import sympy as sp

from rateproof.theory.claim import Claim, Kind
from rateproof.theory.gram import norm2, vectors
from rateproof.theory.papers.fedmsa import notation as p
from rateproof.theory.proof import (
    SEQUENCES,
    Mean,
    Proof,
    Setting,
    exponential,
    have,
    induct,
    logarithm,
    mean,
    qed,
    special,
    summed,
    written_out,
)
from rateproof.theory.shorthand import every, ge, le
from rateproof.theory.symbols import NONNEG

_STEP = ("proof of Lemma B.3", Kind.INEQUALITY)
j = sp.Symbol("j", integer=True)
far_x = p.formula("far_x", "||x_{r+1,k} - x_r||^2", p.AREA, **NONNEG)
far_z = p.formula("far_z", "||z_{r+1,k}^n - z_r^n||^2", p.AREA, **NONNEG)
sum_P = p.formula("sum_P", "sum_{k=1}^{K-1} ||P(x_{r+1,k})||^2", p.SLOPE**2, **NONNEG)
sum_dh = p.formula("sum_dh", "sum_{k=1}^{K-1} ||P(x_{r+1,k}) - h_{r,k}||^2", p.SLOPE**2, **NONNEG)
sum_S = p.formula("sum_S", "sum_{k=1}^{K-1} ||S^n(z_{r+1,k}^{n-1}, z_{r+1,k}^n)||^2", p.FORCE**2, **NONNEG)
sum_dq = p.formula(
    "sum_dq", "sum_{k=1}^{K-1} ||S^n(z_{r+1,k}^{n-1}, z_{r+1,k}^n) - q_{r,k}^n||^2", p.FORCE**2, **NONNEG
)

FIRST_STEP = p.H_("k<=K", "k in [K]", le(p.k, p.K))
LATER_STEP = p.H_(
    "1<k<=K",
    "1 < k <= K; for k = 1 the points are the same, x_{r+1,1} = x_{r+1,0} = x_r",
    every(ge(p.k, 2), le(p.k, p.K)),
)

# --- the steps before step k are K numbers each, 0 from step k on; so are the steps k, ..., K - 1

u, e, w, g, mean_d = vectors("u e w g mean_d")


def _lemma(
    sequence: str,
    text: str,
    *,
    step: sp.Symbol,
    far: sp.Symbol,
    sums: tuple[sp.Symbol, sp.Symbol],
    **more: Any,
) -> Claim:
    """The bound on the way of a sequence, whose direction is the sum of what it estimates and its error."""
    both = step**2 * p.K * (sums[0] + sums[1])
    return p.claim(
        f"lemB3.{sequence}",
        "Lemma B.3",
        Kind.INEQUALITY,
        text,
        le(far, 2 * sp.E * step**2 * (1 + p.K) * (sums[0] + sums[1])),
        title=f"Drift of {sequence} in the local steps",
        hypotheses=(FIRST_STEP, p.METHOD),
        setting=Setting(
            depends=dict.fromkeys("uewg", "step"),
            sizes={"step": p.K},
            together={"step": "round"},
            sums={"d": u + e},
            means={"mean_d": Mean("d", "step")},
            metrics={
                far: norm2(step * p.K * mean_d),
                sums[0]: p.K * (norm2(u) + norm2(w)),
                sums[1]: p.K * (norm2(e) + norm2(g)),
            },
            words={
                "u": "what the direction of a step before step k estimates, 0 for other steps",
                "e": "the error of the direction of a step before step k, 0 for other steps",
                "w": "what the direction of a step from k to K - 1 estimates, 0 for other steps",
                "g": "the error of the direction of a step from k to K - 1, 0 for other steps",
            },
        ),
        proof=Proof(
            have("two parts", le(far, 2 * both), by=[mean("mean_d"), written_out("d")]),
            qed(by=["two parts"]),
        ),
        **more,
    )


LEMMA_B3X = _lemma(
    "x",
    "||x_{r+1,k}^m - x_r||^2 <= 2 e alpha^2 (1 + K) sum_{k=1}^{K-1} ||P(x_{r+1,k}^m)||^2 + 2 e alpha^2 (1 + K) "
    "sum_{k=1}^{K-1} ||P(x_{r+1,k}^m) - h_{r,k}^m||^2 for every k in [K]",
    step=p.alpha,
    far=far_x,
    sums=(sum_P, sum_dh),
    equation="28a",
    follows_from=("step.9.c", "step.9.d", "step.9.e"),
    note="The index k of the sums is their own. By Cauchy and Schwarz 2 K alpha^2 is enough.",
)
LEMMA_B3Z = _lemma(
    "z",
    "||z_{r+1,k}^{m,n} - z_r^n||^2 <= 2 e beta_n^2 (1 + K) sum_{k=1}^{K-1} ||S(x_{r+1,k}^m)||^2 + 2 e beta_n^2 (1 + K) "
    "sum_{k=1}^{K-1} ||S^n(z_{r+1,k}^{m,n-1}, z_{r+1,k}^{m,n}) - q_{r+1,k}^{m,n}||^2 for every k in [K]",
    step=p.beta,
    far=far_z,
    sums=(sum_S, sum_dq),
    equation="28b",
    note="S(x), which stands nowhere else, is read as S^n(z^{n-1}, z^n), which q^n estimates and the next sum has. "
    "q_{r+1,k}^n is q_{r,k}^n.",
)

# --- (29), for one step; with h = P + (h - P)

far_x_b = p.formula("far_x_b", "||x_{r+1,k-1} - x_r||^2", p.AREA, **NONNEG)
h2_b = p.formula("h2_b", "||h_{r,k-1}||^2", p.SLOPE**2, **NONNEG)
P2_b = p.formula("P2_b", "||P(x_{r+1,k-1})||^2", p.SLOPE**2, **NONNEG)
err_hb = p.formula("err_hb", "||h_{r,k-1} - P(x_{r+1,k-1})||^2", p.SLOPE**2, **NONNEG)
x, xr, h, P = vectors("x xr h P")
ONE_STEP = Setting(
    depends=dict.fromkeys(("x", "xr", "h", "P"), ""),
    metrics={
        **{far_x: norm2(x - p.alpha * h - xr), far_x_b: norm2(x - xr)},
        **{h2_b: norm2(h), P2_b: norm2(P), err_hb: norm2(h - P)},
    },
    words={"x": "x_{r+1,k-1}", "xr": "x_r", "h": "h_{r,k-1}", "P": "P(x_{r+1,k-1})"},
)
_first_29 = (1 + 1 / p.K) * far_x_b + (p.K + 1) * p.alpha**2 * h2_b
STEP_9A = p.claim(
    "step.9.a",
    *_STEP,
    "||x_{r+1,k} - x_r||^2 <= (1 + 1/K) ||x_{r+1,k-1} - x_r||^2 + (K + 1) alpha^2 ||h_{r,k-1}||^2 for every k in [K]",
    le(far_x, _first_29),
    equation="29",
    title="Drift in one local step",
    hypotheses=(LATER_STEP, p.METHOD),
    setting=ONE_STEP,
    proof=Proof(qed()),
)
STEP_9B = p.claim(
    "step.9.b",
    *_STEP,
    "the right side is at most (1 + 1/K) ||x_{r+1,k-1} - x_r||^2 + 2 alpha^2 (1 + K) ||P(x_{r+1,k-1})||^2 + 2 alpha^2 "
    "(1 + K) ||h_{r,k-1} - P(x_{r+1,k-1})||^2",
    le(_first_29, (1 + 1 / p.K) * far_x_b + 2 * p.alpha**2 * (1 + p.K) * (P2_b + err_hb)),
    equation="29",
    title="A direction split into value and error",
    hypotheses=(LATER_STEP, p.METHOD),
    setting=ONE_STEP,
    proof=Proof(qed()),
)

# --- (30); ``size(j)`` is ``||h_{r,j} - P(x_{r+1,j})||^2 + ||P(x_{r+1,j})||^2``

_weight = 1 + 1 / (p.K + 1)
size = sp.Function("size", nonnegative=True)
_SIZE = "[||h_{r,j-1} - P(x_{r+1,j-1})||^2 + ||P(x_{r+1,j-1})||^2]"
_SIZES = "[||h_{r,k-1} - P(x_{r+1,k-1})||^2 + ||P(x_{r+1,k-1})||^2]"
weighted = p.formula("weighted", f"sum_{{j=2}}^k (1 + 1/(K+1))^j {_SIZE}", p.SLOPE**2, **NONNEG)
until_k = p.formula("until_k", f"sum_{{j=2}}^k {_SIZE}", p.SLOPE**2, **NONNEG)
until_K = p.formula("until_K", f"sum_{{k=2}}^K {_SIZES}", p.SLOPE**2, **NONNEG)
_way_of_x = LEMMA_B3X.setting or Setting()
SUMS = replace(
    _way_of_x,
    metrics={
        **_way_of_x.metrics,
        until_k: p.K * (norm2(u) + norm2(e)),
        until_K: p.K * (norm2(u) + norm2(e) + norm2(w) + norm2(g)),
    },
    sequences={
        until_k: sp.Sum(size(j - 1), (j, 2, p.k)),
        weighted: sp.Sum(_weight**j * size(j - 1), (j, 2, p.k)),
    },
    measured=(weighted,),
)
_times = 2 * p.alpha**2 * (1 + p.K)
_POWERS = induct("powers", ge(_weight**j, 1), over=j)
_BEFORE_K = [ge(j, 2), le(j, p.k)]
_ALL_TERMS = summed("all terms", "a term", over=j, start=2, last=p.k)
STEP_9C = p.claim(
    "step.9.c",
    *_STEP,
    f"||x_{{r+1,k}} - x_r||^2 <= 2 alpha^2 (1 + K) sum_{{j=2}}^k (1 + 1/(K + 1))^j {_SIZE}",
    le(far_x, _times * weighted),
    equation="30",
    title="Drift after k local steps",
    hypotheses=(FIRST_STEP, p.METHOD),
    note="Iterating (29) gives the powers (1 + 1/K)^(k - j); the bound with those of (30) is true, by Cauchy and "
    "Schwarz, with the weight 1 in their place.",
    setting=SUMS,
    proof=Proof(
        _POWERS,
        have("a term", le(size(j - 1), _weight**j * size(j - 1)), by=["powers"], when=_BEFORE_K),
        _ALL_TERMS,
        have("weights", le(until_k, weighted), by=["all terms", SEQUENCES]),
        have("without weights", le(far_x, 2 * p.alpha**2 * p.K * until_k), by=[mean("mean_d"), written_out("d")]),
        qed(by=["weights", "without weights"]),
    ),
)
STEP_9D = p.claim(
    "step.9.d",
    *_STEP,
    f"2 alpha^2 (1 + K) times that sum is at most 2 e alpha^2 (1 + K) sum_{{k=2}}^K {_SIZES}",
    le(_times * weighted, sp.E * _times * until_K),
    equation="30",
    title="Powers of at most e",
    hypotheses=(FIRST_STEP, p.METHOD),
    setting=SUMS,
    proof=Proof(
        logarithm("growth of a step", _weight),
        have("growth, as a logarithm", le((p.K + 1) * sp.log(_weight), 1), by=["growth of a step"]),
        exponential("growth", "growth, as a logarithm"),
        _POWERS,
        special("other powers", "powers", {j: p.K + 1 - j}),
        have("at most e", le(_weight**j, sp.E), by=["growth", "powers", "other powers"], when=_BEFORE_K),
        have("a term", le(_weight**j * size(j - 1), sp.E * size(j - 1)), by=["at most e"], when=_BEFORE_K),
        _ALL_TERMS,
        have("weights", le(weighted, sp.E * until_k), by=["all terms", SEQUENCES]),
        have("more terms", le(until_k, until_K)),
        qed(by=["weights", "more terms"]),
    ),
)
STEP_9E = p.claim(
    "step.9.e",
    *_STEP,
    f"2 e alpha^2 (1 + K) sum_{{k=2}}^K {_SIZES} <= 2 e alpha^2 (1 + K) sum_{{k=1}}^{{K-1}} [||h_{{r,k}} - "
    "P(x_{r+1,k})||^2 + ||P(x_{r+1,k})||^2]",
    le(sp.E * _times * until_K, sp.E * _times * (sum_P + sum_dh)),
    equation="30",
    title="Another index",
    hypotheses=(FIRST_STEP, p.METHOD),
    note="It is an equation.",
    setting=SUMS,
    proof=Proof(qed()),
)
STEP_9 = p.composite("step.9", _STEP[0], "The drift of local steps", "(29) for one local step, (30) for all of them")
CLAIMS: tuple[Claim, ...] = (LEMMA_B3X, LEMMA_B3Z, STEP_9, STEP_9A, STEP_9B, STEP_9C, STEP_9D, STEP_9E)
