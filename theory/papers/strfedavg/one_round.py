"""One communication round in vectors, and the proofs of Lemmas 5 and 7 (corrected).

``phi_i = h_i + eta f_i`` is the loss of a client, ``F`` the mean of these. All ``N`` clients are thought to run their
``K`` local steps; the server averages over those that were drawn. ``y`` is a local iterate at a step drawn uniformly,
``b`` the gradient there; so ``norm2(y - x)`` is the mean over clients and steps of ``E||y_{i,k-1} - xbar||^2``.

What the paper leaves to Algorithm 1 is assumed here: clients are drawn uniformly without replacement, apart from all
noise, and the noises of different clients are independent. The losses and ``x_eta*`` may be random too, as long as
they are known before the first round: calls of the two-loop method are so. That ``x_eta*`` exists (which strong
convexity ensures, and nothing with ``mu_f = 0``) and that ``E||xbar^0||^2`` is finite are assumed too.
"""

import sympy as sp

from rateproof.theory.assumptions import Attained, Independent, Sampled
from rateproof.theory.claim import Claim, Kind
from rateproof.theory.gram import Vector, dot, norm2, vectors
from rateproof.theory.papers.strfedavg.build import claim
from rateproof.theory.papers.strfedavg.mended import G_MENDED, SC16_MENDED
from rateproof.theory.papers.strfedavg.notation import (
    A1_COMMON,
    A2_NOISE,
    ATTAINED,
    B2,
    G2,
    SIZES,
    STRONGLY_CONVEX,
    WHERE,
    WHERE_C,
    D_next2,
    D_prev2,
    L,
    drift_sum,
    drift_sum_prev,
    gap_prev,
    s2,
)
from rateproof.theory.papers.strfedavg.point import IN_A_RUN, INFIMA, MADE, POINT, SOLUTION
from rateproof.theory.proof import (
    SEQUENCES,
    Mean,
    Proof,
    SampleMean,
    Setting,
    cite,
    convex,
    curvature,
    fresh,
    have,
    lipschitz,
    mean,
    qed,
    sampling,
    section,
    smooth,
    smooth_convex,
    unfold,
    variance,
    written_out,
)
from rateproof.theory.shorthand import every, ge, le
from rateproof.theory.symbols import K, N, S, eta, f_star, gamma_t, mu_f, r

k = sp.Symbol("k", integer=True, nonnegative=True)
#: ``D(r)`` is ``E||xbar^r - x_eta*||^2``, ``gap(r)`` is ``E f_eta(xbar^r) - f_eta*``.
D, gap = sp.Function("D", nonnegative=True), sp.Function("gap", real=True)
#: ``drift(r, k)`` is the mean over the clients of ``E||y_{i,k}^r - xbar^{r-1}||^2``.
drift = sp.Function("drift", nonnegative=True)
phi_x, phi_y, phi_s = sp.symbols("phi_x phi_y phi_s", real=True)

x, xs, a, z, mean_a, A = vectors("x x* a z mean_a A")
y, b, d, mean_d, C = vectors("y b d mean_d C")
n_f, n_h, n, mean_n, M = vectors("n_f n_h n mean_n M")
ZERO = Vector()
ONE_HALF = sp.Rational(1, 2)

#: The metrics of round r as terms of sequences.
TERMS = {
    D_prev2: D(r - 1),
    D_next2: D(r),
    gap_prev: gap(r - 1),
    drift_sum: N * sp.Sum(drift(r, k), (k, 1, K)),
    drift_sum_prev: N * sp.Sum(drift(r, k), (k, 0, K - 1)),
    drift(r, 0): sp.S.Zero,
}
#: Where Lemma 2 is used.
LEMMA2_AT = {point: point for of, known in POINT.functions.items() for point in (f"{of}.{name}" for name in known)}
START = "xbar^{r-1}, where the round starts"
#: The round that takes ``x = xbar^{r-1}`` to ``x - gamma_t (A + C + M)``: gradients at x, their change, and noise.
ROUND = Setting(
    depends={
        **IN_A_RUN,
        "x*": "past",
        "y": "past client step before",
        "n_f": "past client step before xi",
        "n_h": "past client step before zeta",
    },
    means={
        **POINT.means,
        "mean_a": Mean("a", "client"),
        "A": SampleMean("a", "client", "sample"),
        "mean_d": Mean("d", "step"),
        "C": SampleMean("mean_d", "client", "sample"),
        "mean_n": Mean("n", "step"),
        "M": SampleMean("mean_n", "client", "sample"),
    },
    sums={**POINT.sums, "d": b - a, "n": eta * n_f + n_h},
    sizes={"client": N, "step": K},
    within={"before": "step", "xi": "step", "zeta": "step"},
    together={"step": "round"},
    earlier=("before",),
    functions={
        **POINT.functions,
        "phi_i": {**POINT.functions["phi_i"], "y": (y, b, phi_y), "x*": (xs, z, phi_s)},
        "F": {**POINT.functions["F"], "x": (x, mean_a, phi_x), "x*": (xs, ZERO, phi_s)},
    },
    made=MADE,
    infima={**INFIMA, "F": phi_s},
    assumes=(
        Attained("F"),
        Sampled("sample", S, N),
        Independent("n_f", over="client"),
        Independent("n_h", over="client"),
    ),
    metrics={
        D_prev2: norm2(x - xs),
        D_next2: norm2(x - gamma_t * (A + C + M) - xs),
        gap_prev: phi_x - phi_s,
        drift_sum_prev: N * K * norm2(y - x),
    },
    sequences=TERMS,
    measured=(*POINT.measured, drift_sum),
    constants=(f_star,),
    words={"x": START, "y": "the local iterate y_{i,k}^r at a step drawn uniformly", "sol": SOLUTION},
)


def one_round(*, strongly_convex: bool, near: sp.Rational = ONE_HALF, young: sp.Expr = sp.S.One) -> Claim:
    """Lemma 5, or 7, with the coefficients as its proof gives them, and that the gap is nonnegative.

    Args:
        strongly_convex: whether it is Lemma 5.
        near: the share of the strong convexity that is lost as gradients are taken at local iterates.
        young: of Young's inequality, by which the change of the gradients is taken apart from what is at x.
    """
    u, unsampled = x - xs, 1 - S / N
    curved = eta * mu_f if strongly_convex else sp.S.Zero
    slope = ("mu <= L",) if strongly_convex else ()
    rest = L * drift_sum / (N * K)
    at_x = 2 * (1 + young) * gamma_t * (L + unsampled * B2 / S)
    bound = (
        (1 - (1 - near) * curved * gamma_t) * D_prev2
        - gamma_t * (2 - at_x) * gap_prev
        + (1 / near + 1) * gamma_t * rest
        + (1 + young) / 2 * (gamma_t**2 * s2 / (K * S) + unsampled * 4 * gamma_t**2 / S * G2)
    )
    proof = Proof(
        section("The expected direction of the server"),
        *([have("mu <= L", le(curved, L), by=[curvature("phi_i"), unfold(L)])] if strongly_convex else []),
        have(
            "Lemma 4 for a client",
            ge(dot(b, u), phi_x - phi_s + (1 - near) * curved / 2 * norm2(u) - L / (2 * near) * norm2(x - y)),
            by=[smooth("phi_i", "x", "y"), convex("phi_i", "x", "y", "x*"), *slope, unfold(L)],
        ),
        have(
            "the mean direction",
            ge(dot(u, A + C), dot(u, b)),
            by=[mean("A"), mean("C"), mean("mean_d"), written_out("d")],
        ),
        section("Drift and noise in the direction"),
        have(
            "change of one gradient",
            le(norm2(b - a), L**2 * norm2(y - x)),
            by=[lipschitz("phi_i", "x", "y"), unfold(L)],
        ),
        have("change of the mean", le(norm2(C), norm2(b - a)), by=[sampling("C"), mean("mean_d"), written_out("d")]),
        have(
            "one noise",
            le(norm2(n), s2 / 2),
            by=[written_out("n"), fresh("n_f"), variance("n_f"), variance("n_h"), unfold(s2)],
        ),
        have("mean noise", le(norm2(M), s2 / (2 * K * S)), by=[variance("M"), variance("mean_n"), "one noise"]),
        section("The gradients of the drawn clients"),
        have("gradient and gap", le(norm2(mean_a), 2 * L * gap_prev), by=[smooth_convex("F", "x", "x*"), unfold(L)]),
        have(
            "dissimilarity",
            le(norm2(a), G2 + B2 * gap_prev),
            by=[cite("strfedavg.lem2.corrected", points=LEMMA2_AT)],
        ),
        have(
            "sampling",
            le(norm2(A), norm2(mean_a) + 2 * unsampled / S * norm2(a)),
            by=[sampling("A"), mean("A"), mean("mean_a")],
            multipliers=[0, 0, 0, 1 / (S * N), -2, 0, 2 - 4 * unsampled / S],
        ),
        section("The squared distance after the round"),
        have("one local step later", le(drift_sum_prev, drift_sum), by=[SEQUENCES]),
        have("step condition", le(16 * gamma_t * (L + B2), 1), by=[unfold(gamma_t)]),
        have(
            "the square",
            le(
                D_next2,
                norm2(u)
                - 2 * gamma_t * dot(u, A + C)
                + gamma_t**2 * ((1 + young) * (norm2(A) + norm2(M)) + (1 + 1 / young) * norm2(C)),
            ),
            by=[fresh("M")],
        ),
        have("drift >= 0", ge(drift_sum, 0)),
        have(
            "direction",
            ge(dot(u, A + C), gap_prev + (1 - near) * curved / 2 * D_prev2 - rest / (2 * near)),
            by=["the mean direction", "Lemma 4 for a client", "one local step later"],
        ),
        have(
            "change and drift",
            le(norm2(C), L * rest),
            by=["change of the mean", "change of one gradient", "one local step later"],
        ),
        have(
            "gradients at x",
            le(norm2(A), 2 * L * gap_prev + 2 * unsampled / S * (G2 + B2 * gap_prev)),
            by=["sampling", "gradient and gap", "dissimilarity"],
            multipliers=[1, 1, 2 * unsampled / S],
        ),
        have(
            "the bound",
            le(D_next2, bound),
            by=[
                "the square",
                "direction",
                "change and drift",
                "mean noise",
                "gradients at x",
                "drift >= 0",
                "step condition",
            ],
            multipliers=[
                1,
                2 * gamma_t,
                (1 + 1 / young) * gamma_t**2,
                (1 + young) * gamma_t**2,
                (1 + young) * gamma_t**2,
                gamma_t * L * (1 - (1 + 1 / young) * L * gamma_t) / (N * K),
            ],
        ),
        have("a minimum", ge(gap_prev, 0), by=[convex("F", "x", "x*")]),
    )
    return claim(
        f"one_round.{'strongly_convex' if strongly_convex else 'convex'}.{near}.{young}",
        "the proofs of Lemmas 5 and 7",
        Kind.INEQUALITY,
        "One round, with the coefficient of the gap as the proof gives it",
        every(le(D_next2, bound), ge(gap_prev, 0)),
        hypotheses=(
            *A1_COMMON,
            *(STRONGLY_CONVEX if strongly_convex else ()),
            *A2_NOISE,
            *ATTAINED,
            *SIZES,
            SC16_MENDED,
        ),
        where=(WHERE if strongly_convex else WHERE_C) | G_MENDED,
        setting=ROUND,
        proof=proof,
    )


ONE_ROUND = one_round(strongly_convex=True)
#: The same with the noise and three quarters of the strong convexity kept almost whole.
ONE_ROUND_FINE = one_round(strongly_convex=True, near=ONE_HALF / 2, young=ONE_HALF**3)
ONE_ROUND_CONVEX = one_round(strongly_convex=False)


def _proof(round_: Claim) -> Proof:
    return Proof(
        have("step condition", le(16 * gamma_t * (L + B2), 1), by=[unfold(gamma_t)]),
        have("coefficient of the gap", le(4 * gamma_t * (L + (1 - S / N) * B2 / S), 1), by=["step condition"]),
        qed(by=[cite(round_), "coefficient of the gap", SEQUENCES]),
    )


LEMMA5 = _proof(ONE_ROUND)
LEMMA7 = _proof(ONE_ROUND_CONVEX)
