"""The local steps of one round, and the proof of Lemma 6 (corrected).

A client moves from ``y = y_{i,k}`` to ``y - gamma_l (b + n)``, with ``b`` the gradient at ``y`` and ``n`` the noise;
``x`` is the iterate of the server, at which the round began. ``drift(r, k)`` is the mean over the clients of
``E||y - x||^2``.
Strong convexity is not used, nor that the two noises of a step are independent of other clients and steps.
"""

import sympy as sp

from rateproof.theory.assumptions import Attained
from rateproof.theory.claim import Kind
from rateproof.theory.gram import dot, norm2, vectors
from rateproof.theory.papers.strfedavg.build import claim
from rateproof.theory.papers.strfedavg.mended import G_MENDED, SC27_MENDED
from rateproof.theory.papers.strfedavg.notation import (
    A1_COMMON,
    A2_NOISE,
    ATTAINED,
    B2,
    G2,
    SIZES,
    WHERE,
    L,
    drift_sum,
    gap_prev,
    s2,
)
from rateproof.theory.papers.strfedavg.one_round import LEMMA2_AT, START, TERMS, drift, k, phi_s, phi_x, phi_y
from rateproof.theory.papers.strfedavg.point import IN_A_RUN, INFIMA, MADE, POINT, SOLUTION
from rateproof.theory.proof import (
    SEQUENCES,
    Mean,
    Proof,
    Setting,
    cite,
    cocoercive,
    convex,
    fresh,
    have,
    induct,
    qed,
    section,
    summed,
    unfold,
    variance,
    written_out,
)
from rateproof.theory.shorthand import every, ge, le
from rateproof.theory.symbols import K, N, eta, f_star, gamma_g, gamma_l, gamma_t, r

x, xs, a, z, mean_a = vectors("x x* a z mean_a")
y, b, n, n_f, n_h = vectors("y b n n_f n_h")

#: Local step ``k + 1`` of round ``r``.
LOCAL = Setting(
    depends={
        **IN_A_RUN,
        "x*": "past",
        "y": "past client before",
        "n_f": "past client before xi",
        "n_h": "past client before zeta",
    },
    means={**POINT.means, "mean_a": Mean("a", "client")},
    sums={**POINT.sums, "n": eta * n_f + n_h},
    sizes={"client": N},
    functions={
        **POINT.functions,
        "phi_i": {**POINT.functions["phi_i"], "y": (y, b, phi_y), "x*": (xs, z, phi_s)},
        "F": {**POINT.functions["F"], "x": (x, mean_a, phi_x), "x*": (xs, 0 * xs, phi_s)},
    },
    made=MADE,
    infima={**INFIMA, "F": phi_s},
    assumes=(Attained("F"),),
    metrics={
        gap_prev: phi_x - phi_s,
        drift(r, k): norm2(y - x),
        drift(r, k + 1): norm2(y - gamma_l * (b + n) - x),
    },
    sequences={**TERMS, drift(r, k): drift(r, k), drift(r, k + 1): drift(r, k + 1)},
    measured=(*POINT.measured, drift_sum),
    constants=(f_star,),
    fixed=(gap_prev,),
    words={"x": START, "y": "the local iterate y_{i,k}^r", "sol": SOLUTION},
)

_young = 1 / (2 * k + 1)
_slope = G2 + B2 * gap_prev


def _drifted(steps: sp.Expr) -> sp.Expr:
    return 2 * steps**2 * gamma_l**2 * _slope + steps * gamma_l**2 * s2


_CONDITIONS = (*A1_COMMON, *A2_NOISE, *ATTAINED, *SIZES, SC27_MENDED)
#: The drift itself, and that what stands in its bound is nonnegative.
MEAN_DRIFT = claim(
    "drift.mean",
    "the proof of Lemma 6",
    Kind.INEQUALITY,
    "The drift of a round, in terms of the gap and the noise",
    every(le(drift_sum / (K * N), _drifted(K)), ge(_slope, 0), ge(gap_prev, 0)),
    hypotheses=_CONDITIONS,
    where=WHERE | G_MENDED,
    setting=LOCAL,
    proof=Proof(
        section("A gradient step is nonexpansive"),
        have("B^2 and L", le(2 * L, B2), by=[unfold(L, B2)]),
        have("step condition", SC27_MENDED.relation),
        have("gamma_l L <= 1", le(gamma_l * L, 1), by=["B^2 and L", "step condition"]),
        have("the gradient is monotone", ge(dot(b - a, y - x), 0), by=[convex("phi_i", "x", "y")]),
        have(
            "a step is nonexpansive",
            le(norm2(y - x - gamma_l * (b - a)), norm2(y - x)),
            by=[cocoercive("phi_i", "x", "y"), "the gradient is monotone", "gamma_l L <= 1", unfold(L)],
            multipliers=[gamma_l**2, gamma_l * (2 - gamma_l * L)],
        ),
        section("One local step"),
        have(
            "Young",
            le(
                norm2(y - x - gamma_l * b),
                (1 + _young) * norm2(y - x - gamma_l * (b - a)) + (1 + 1 / _young) * gamma_l**2 * norm2(a),
            ),
        ),
        have(
            "one noise",
            le(norm2(n), s2 / 2),
            by=[written_out("n"), fresh("n_f"), variance("n_f"), variance("n_h"), unfold(s2)],
        ),
        have(
            "noise is orthogonal",
            le(drift(r, k + 1), norm2(y - x - gamma_l * b) + gamma_l**2 * s2 / 2),
            by=[fresh("n"), "one noise"],
        ),
        have(
            "dissimilarity",
            le(norm2(a), _slope),
            by=[cite("strfedavg.lem2.corrected", points=LEMMA2_AT)],
        ),
        have(
            "one local step",
            le(drift(r, k + 1), (1 + _young) * drift(r, k) + 2 * (k + 1) * gamma_l**2 * _slope + gamma_l**2 * s2 / 2),
            by=["noise is orthogonal", "Young", "a step is nonexpansive", "dissimilarity"],
            multipliers=[1, 1, 1 + _young, 2 * (k + 1) * gamma_l**2],
        ),
        section("From one local step to the round"),
        have("slope >= 0", ge(_slope, 0), by=["dissimilarity"]),
        induct(
            "all steps",
            le(drift(r, k), _drifted(k)),
            over=k,
            base=[SEQUENCES],
            by=["one local step", "slope >= 0", SEQUENCES],
        ),
        have(
            "steps of a round",
            le(drift(r, k), _drifted(K)),
            by=["all steps", "slope >= 0", SEQUENCES],
            when=[le(k, K)],
        ),
        summed("the round", "steps of a round", over=k, start=1, last=K),
        have("the mean drift", le(drift_sum / (K * N), _drifted(K)), by=["the round", SEQUENCES]),
        have("a minimum", ge(gap_prev, 0), by=[convex("F", "x", "x*")]),
    ),
)

DRIFT = claim(
    "drift",
    "Lemma 6",
    Kind.INEQUALITY,
    "Lemma 6, without strong convexity",
    le(
        3 * gamma_t * L * drift_sum / (K * N),
        2 * gamma_t / 3 * gap_prev + 9 * gamma_t**3 * L * s2 / (K * gamma_g**2) + 18 * L * gamma_t**3 * G2 / gamma_g**2,
    ),
    hypotheses=_CONDITIONS,
    where=WHERE | G_MENDED,
    setting=LOCAL,
    proof=Proof(
        have("step condition", SC27_MENDED.relation),
        qed(
            by=[cite(MEAN_DRIFT), "step condition", unfold(gamma_t), SEQUENCES],
            multipliers=[
                2 * gamma_t * (1 - 27 * K**2 * gamma_l**2 * B2 * L) / 3,
                12 * gamma_t * L * K**2 * gamma_l**2,
                3 * gamma_t * L,
            ],
        ),
    ),
)

LEMMA6 = Proof(qed(by=[cite(DRIFT), SEQUENCES]))
