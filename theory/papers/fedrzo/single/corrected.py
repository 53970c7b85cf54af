"""CORRECTED readings of the claims that fall: the weakest changes that hold.

Three faults reach most of them.

- Lemma 6 loses ``1/eta^2`` before the consensus error, and with it Lemma 8 and its condition on the stepsize.
- The proof of Proposition 1 takes ``L_0 n/eta`` for the smoothness constant ``(L_0 n + 1)/eta`` of ``F_eta``.
- Proposition 2 adds sets that belong to different points.
"""

import sympy as sp

from rateproof.theory.claim import Claim, Hypothesis, Reason
from rateproof.theory.papers.fedrzo.notation import (
    A1,
    B1,
    B2,
    FRESH,
    KSTAR,
    L0,
    H,
    eta_s,
    gamma,
    grad_kstar,
    m,
    nu,
)
from rateproof.theory.papers.fedrzo.single import lemmas, propositions, smoothing, steps
from rateproof.theory.papers.fedrzo.single.lemmas import Q_8
from rateproof.theory.papers.fedrzo.single.notation import (
    IDENTICAL,
    META,
    REGULAR,
    STATIONARY,
    E_eb,
    E_F_next,
    E_F_now,
    E_sq_grad,
    F_next,
    F_now,
    M,
    dist_kstar,
    dist_X,
    eb,
    gold_at_P,
    gold_sum,
    ip_path,
    j_k,
    kap,
    mean_dist2_xb,
    mean_sq_d,
    mean_sq_G,
    mean_sq_pp,
    norm_grad_F,
    split_d,
    sq_dev,
    sq_grad,
    sq_path,
    sum_eb,
    sum_grad,
)
from rateproof.theory.shorthand import Why, amended, every, item_of, le
from rateproof.theory.symbols import n


def corrected(
    printed: Claim,
    statement: sp.Basic,
    why: Why,
    change: str,
    *,
    part: str = "",
    replaced: dict[str, Hypothesis] | None = None,
    added: tuple[Hypothesis, ...] = (),
    hypotheses: tuple[Hypothesis, ...] | None = None,
    follows_from: tuple[str, ...] | None = None,
    explicit: str | None = None,
    origin: str = "",
    note: str = "",
) -> Claim:
    """The corrected reading of a printed claim.

    Args:
        printed: the claim amended.
        statement: what holds.
        why: what is wrong.
        change: the change in words, to stand after "As printed, with".
        part: put before ``corrected`` in the id where a claim has several corrected readings.
        replaced: hypotheses in place of printed ones, by key.
        added: further hypotheses.
        hypotheses: all hypotheses, where they are others than the printed ones.
        follows_from, explicit: ids without the paper's prefix, where they differ.
        origin: where the paper's own argument gives what is stated otherwise, if it does.
        note: one sentence for the reader.
    """
    kept = printed.hypotheses if hypotheses is None else hypotheses
    return amended(
        printed,
        why,
        part=part,
        text=f"As printed, with {change}",
        statement=statement,
        hypotheses=(*((replaced or {}).get(h.key, h) for h in kept), *added),
        follows_from=follows_from,
        explicit=explicit,
        origin=origin,
        note=note,
    )


# --- feasibility and Clarke stationarity
_POINTS = Reason(
    "the proof adds a Clarke gradient at points outside of X to a normal at P_X(x); a Goldstein set has both at one",
    "fedrzo.prop2.ii-b",
)
STATIONARITY = (
    corrected(
        smoothing.TWO_ETA,
        le(gold_at_P, 0),
        ("the printed inclusion fails under the conditions of Proposition 2 (ii)", _POINTS),
        "identical sets, and 0 ∈ ∂_{(1+L_0)η} f(y) + N_X(y), y = P_X(x), for any η",
        hypotheses=(*A1, IDENTICAL, STATIONARY),
        follows_from=("prop2.ii-b.corrected",),
    ),
    corrected(
        item_of(propositions.PROP2, "ii-b"),
        every(le(gold_sum, 0), le(gold_at_P, 0)),
        _POINTS,
        "0 ∈ ∂_δ f(x) + ∂_δ I_X(x), and 0 ∈ ∂_{(1+L_0)η} f(y) + N_X(y) with y = P_X(x)",
        follows_from=("lem1.ii", "prop2.i", "prop2.ii-a", "st.16"),
    ),
)
_TANGENT = "sets that touch without crossing leave a distance of order η^{1/3} from their intersection"
FEASIBILITY = (
    corrected(
        next(c for c in smoothing.FEASIBLE if c.id.endswith("sec2.feas")),
        le(dist_kstar, kap**2 * eta_s * (L0 + sp.sqrt(grad_kstar))),
        _TANGENT,
        "E dist(x_{k*}, X) <= κ² η (L_0 + sqrt(E||∇F_η(x_{k*})||²)) for the output of (Meta-ZO) and κ-linearly regular "
        "sets (κ = 1 if X_i = X)",
        part="output",
        hypotheses=(*A1, META, FRESH, KSTAR, REGULAR),
        follows_from=("sec2.feas.corrected",),
    ),
    corrected(
        next(c for c in smoothing.FEASIBLE if c.id.endswith("sec2.feas")),
        le(dist_X, kap**2 * eta_s * (L0 + norm_grad_F)),
        _TANGENT,
        "dist(x, X) <= κ² η (L_0 + ||∇F_η(x)||) for any x and κ-linearly regular sets (κ = 1 if X_i = X)",
        hypotheses=(*A1, REGULAR),
        follows_from=("lem1.ii", "moreau-1"),
    ),
)

# --- Lemma 4, not because it falls
NOISE = (
    corrected(
        item_of(lemmas.LEM4, "iii"),
        le(sq_dev, n**2 * (4 * nu**2 / eta_s**2 + L0**2)),
        "the printed bound holds, but counts mixed terms that vanish: given v the errors of both values have mean zero",
        "n²(4ν²/η² + L_0²) in place of 6n²ν²/η² + 3L_0²n²",
        part="sharp",
        follows_from=("lem4.i",),
        note="Nothing falls: lem4.iii is proved. This bound is sharper, as prop1.i.large.corrected needs it.",
    ),
)

# --- Lemmas 6 and 8
_ORIGIN_6 = "the gradients of the Moreau terms are divided by η; the second term of the same display has 1/η²"
_LOST = Reason("the equality of the proof loses 1/η² before the consensus error", "fedrzo.st.3.equality")
_SMALLEST = "The smallest change of the print;"
_SHARPER = "as x - P(x) is nonexpansive like P"
CAP_8_ETA = Hypothesis("gamma_H_eta", "gamma <= eta/(4H)", sp.Le(4 * H * gamma, eta_s, evaluate=False))
LEMMAS = (
    corrected(
        item_of(lemmas.LEM6, "lem6"),
        le(mean_sq_G, 8 * eb / eta_s**2 + 2 * B1**2 / eta_s**2 + 4 * B2**2 * sq_grad + 4 * B2**2 * L0**2 * n**2),
        _LOST,
        "8 ē_k/η²",
        origin=_ORIGIN_6,
        follows_from=(
            "st.3.split",
            "st.3.equality.corrected",
            "st.3.nonexpansive",
            "st.3.sets",
            "st.3.gradients",
            "lem6.grad",
        ),
        note=f"{_SMALLEST} 2 ē_k/η² would do, {_SHARPER}.",
    ),
    corrected(
        item_of(lemmas.LEM8, "a"),
        le(E_eb, gamma**2 * j_k * (j_k * Q_8 + 16 / eta_s**2 * sum_eb + 8 * B2**2 * sum_grad)),
        _LOST,
        "16 E[ē_t]/η², in every round",
        origin=_ORIGIN_6,
        hypotheses=tuple(h for h in item_of(lemmas.LEM8, "a").hypotheses if h.key != "r>0"),
        follows_from=("lem3", "lem4.ii", "lem6.corrected", "st.1.sum", "st.2"),
        note=f"{_SMALLEST} 4 E[ē_t]/η² would do, {_SHARPER}.",
    ),
    corrected(
        item_of(lemmas.LEM8, "b"),
        item_of(lemmas.LEM8, "b").statement,
        _LOST,
        "γ <= η/(4H), in every round",
        origin=_ORIGIN_6,
        hypotheses=tuple(h for h in item_of(lemmas.LEM8, "b").hypotheses if h.key != "r>0"),
        replaced={"gamma_H": CAP_8_ETA},
        follows_from=("lem7.b", "lem8.a.corrected"),
        note=f"{_SMALLEST} γ <= η/(2H) would do, {_SHARPER}.",
    ),
)

# --- proof steps
ORIGIN_MODULUS = "Lemma 1 (iv) and the smoothness of the Moreau terms give (L_0 n + 1)/η, which Lemma 5 has"
MODULUS = Reason("F_η is (L_0 n + 1)/η-smooth, and its descent is written with L_0 n/η", "fedrzo.st.5.descent")
_V = n**2 * (6 * nu**2 / eta_s**2 + 3 * L0**2)
CAP_SMOOTH = Hypothesis(
    "gamma_smooth_mean", "gamma <= eta/(4(L_0 n + 1))", sp.Le(4 * (L0 * n + 1) * gamma, eta_s, evaluate=False)
)
STEPS = (
    corrected(
        item_of(steps.ST3, "equality"),
        sp.Eq(
            2 * split_d + 2 * mean_sq_d,
            2 / eta_s**2 * mean_sq_pp + 2 / eta_s**2 * mean_dist2_xb,
            evaluate=False,
        ),
        "the first term loses 1/η²",
        "1/η² before the first term",
        origin=_ORIGIN_6,
    ),
    corrected(
        item_of(steps.ST5, "descent"),
        le(F_next, F_now - gamma * ip_path + M / 2 * gamma**2 * sq_path),
        MODULUS,
        "L_0 n + 1 in place of L_0 n",
        origin=ORIGIN_MODULUS,
    ),
    corrected(
        item_of(steps.ST5, "mean"),
        le(
            gamma / 4 * E_sq_grad,
            E_F_now - E_F_next + gamma**2 * M / (2 * m) * _V + 3 * gamma * M**2 / 4 * E_eb,
        ),
        MODULUS,
        "L_0 n + 1 in place of L_0 n, also in the bound on γ",
        origin=ORIGIN_MODULUS,
        replaced={"gamma_smooth": CAP_SMOOTH},
        follows_from=("lem5.i", "lem5.ii", "st.5.descent.corrected"),
    ),
)
CLAIMS = (*STATIONARITY, *FEASIBILITY, *NOISE, *LEMMAS, *STEPS)
