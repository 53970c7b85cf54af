"""Numbered proof steps of the single level: st.1 to st.8 and st.16."""

import sympy as sp

from rateproof.theory.claim import Hypothesis, Kind
from rateproof.theory.papers.fedrzo.build import claim
from rateproof.theory.papers.fedrzo.notation import (
    A1_I,
    B1,
    B2,
    DISSIMILAR,
    FREQUENCY,
    L0,
    SETS,
    H,
    K_it,
    eta_s,
    gamma,
    m,
    nu,
)
from rateproof.theory.papers.fedrzo.single.lemmas import LEM4, LEM6, Q_8
from rateproof.theory.papers.fedrzo.single.notation import (
    ALGORITHM,
    CAP_NN,
    GAMMA_COM,
    H_COM_PROOF,
    RUN,
    E_eb,
    E_F_next,
    E_F_now,
    E_sq_grad,
    F_next,
    F_now,
    T_y,
    abs_ip,
    eb,
    ip_path,
    mean_dev,
    mean_dist2_xb,
    mean_sq,
    mean_sq_d,
    mean_sq_est,
    mean_sq_G,
    mean_sq_pp,
    modulus_F,
    normal_ip,
    split_d,
    sq_d_xb,
    sq_est,
    sq_G,
    sq_grad,
    sq_grad_f_xb,
    sq_mean,
    sq_path,
    sq_res_xb,
    sq_sum,
    sq_u1,
    sq_u2,
    sum_all,
    sum_rounds,
    sum_sq,
    y1,
    y2,
    y3,
)
from rateproof.theory.shorthand import eq, every, item_of, le, premise
from rateproof.theory.symbols import n

_LEM6 = "proof of Lemma 6"
_PROP1 = "proof of Proposition 1"

ST1 = (
    claim(
        "st.1",
        "proofs of Lemmas 4, 5, 8",
        Kind.INEQUALITY,
        "The inequalities of Jensen and Young in use",
        None,
        title="Jensen's and Young's inequalities in use",
    ),
    claim(
        "st.1.jensen",
        "proof of Lemma 5",
        Kind.INEQUALITY,
        "||(1/m) sum_i y_i||² <= (1/m) sum_i ||y_i||²",
        le(sq_mean, mean_sq),
        title="Squared norm of a mean",
    ),
    claim(
        "st.1.sum",
        "proof of Lemma 8",
        Kind.INEQUALITY,
        "||sum_{t=1}^T y_t||² <= T sum_{t=1}^T ||y_t||²",
        le(sq_sum, T_y * sum_sq),
        title="Squared norm of a sum",
    ),
    claim(
        "st.1.three",
        "proof of Lemma 4",
        Kind.INEQUALITY,
        "(a + b + c)² <= 3(a² + b² + c²)",
        le((y1 + y2 + y3) ** 2, 3 * (y1**2 + y2**2 + y3**2)),
        title="Square of a sum of three",
    ),
    claim(
        "st.1.young",
        "proof of Theorem 1",
        Kind.INEQUALITY,
        "|u_1^T u_2| <= (||u_1||²/8 + 8||u_2||²)/2",
        le(abs_ip, (sq_u1 / 8 + 8 * sq_u2) / 2),
        title="Young's inequality with factor 8",
    ),
)
ST2 = claim(
    "st.2",
    "proof of Lemma 8",
    Kind.IDENTITY,
    "(1/m) sum_i ||z_i - zbar||² = (1/m) sum_i ||z_i||² - ||zbar||² <= (1/m) sum_i ||z_i||²",
    every(eq(mean_dev, mean_sq - sq_mean), le(mean_dev, mean_sq)),
    title="Mean of squares about the mean",
)

_G = "(1/m) sum_i ||G_{i,k} - ∇d_i(x̄_k)||²"
_D = "(1/m) sum_i ||∇d_i(x̄_k)||²"
_PP = "(1/m) sum_i ||(x_{i,k} - x̄_k) - (P_i(x_{i,k}) - P_i(x̄_k))||²"
ST3 = (
    claim("st.3", _LEM6, Kind.INEQUALITY, "The chain of Lemma 6", None, title="Chain of Lemma 6"),
    claim(
        "st.3.split",
        _LEM6,
        Kind.INEQUALITY,
        f"(1/m) sum_i ||G_{{i,k}}||² <= 2 {_G} + 2 {_D}",
        le(mean_sq_G, 2 * split_d + 2 * mean_sq_d),
        title="Moreau gradients split at the mean iterate",
        hypotheses=(SETS, ALGORITHM),
    ),
    claim(
        "st.3.equality",
        _LEM6,
        Kind.IDENTITY,
        f"2 {_G} + 2 {_D} = 2 {_PP} + (2/(mη²)) sum_i dist²(x̄_k, X_i)",
        eq(2 * split_d + 2 * mean_sq_d, 2 * mean_sq_pp + 2 / eta_s**2 * mean_dist2_xb),
        title="Moreau gradients as projection residuals",
        hypotheses=(SETS, ALGORITHM),
        follows_from=("moreau-1",),
    ),
    claim(
        "st.3.nonexpansive",
        _LEM6,
        Kind.INEQUALITY,
        f"2 {_PP} <= 8 ē_k, as projections are nonexpansive",
        le(2 * mean_sq_pp, 8 * eb),
        title="Projection residuals bounded by the consensus error",
        hypotheses=(SETS, ALGORITHM),
    ),
    claim(
        "st.3.sets",
        _LEM6,
        Kind.INEQUALITY,
        "(2/(mη²)) sum_i dist²(x̄_k, X_i) <= 2B_1²/η² + (2B_2²/η²)||x̄_k - (1/m) sum_i P_i(x̄_k)||² = "
        "2B_1²/η² + 2B_2²||∇d_η(x̄_k)||²",
        every(
            le(2 / eta_s**2 * mean_dist2_xb, 2 * B1**2 / eta_s**2 + 2 * B2**2 / eta_s**2 * sq_res_xb),
            eq(2 * B2**2 / eta_s**2 * sq_res_xb, 2 * B2**2 * sq_d_xb),
        ),
        title="Set dissimilarity at the mean iterate",
        hypotheses=(SETS, DISSIMILAR, ALGORITHM),
        follows_from=("moreau-1",),
    ),
    claim(
        "st.3.gradients",
        _LEM6,
        Kind.INEQUALITY,
        "2B_2²||∇d_η(x̄_k)||² <= 4B_2²||∇F_η(x̄_k)||² + 4B_2²||∇f_η(x̄_k)||²",
        le(2 * B2**2 * sq_d_xb, 4 * B2**2 * sq_grad + 4 * B2**2 * sq_grad_f_xb),
        title="Moreau gradient from the penalised gradient",
        hypotheses=(SETS, ALGORITHM),
    ),
)

_IN_MEAN = premise(
    item_of(LEM4, "ii"), {sq_est: mean_sq_est, sq_G: mean_sq_G}, part=sq_est, about="in the mean over the clients"
)
ST4 = claim(
    "st.4",
    "proof of Lemma 8",
    Kind.INEQUALITY,
    "Lemma 6 in Lemma 4 (ii): (1/m) sum_i E[||g_{i,k} + G_{i,k}||² | F_k] <= (12n²ν² + 4B_1²)/η² + "
    "(6 + 8B_2²)L_0²n² + 16 ē_k + 8B_2²||∇F_η(x̄_k)||²",
    le(mean_sq_est, Q_8 + 16 * eb + 8 * B2**2 * sq_grad),
    title="Mean second moment of the local estimates",
    hypotheses=(_IN_MEAN, premise(LEM6[0])),
)

# --- Proposition 1
_M = (L0 * n + 1) / eta_s
_V = n**2 * (6 * nu**2 / eta_s**2 + 3 * L0**2)
ST5 = (
    claim("st.5", _PROP1, Kind.INEQUALITY, "Descent of F_η along x̄_k", None, title="Descent along the mean iterates"),
    claim(
        "st.5.modulus",
        _PROP1,
        Kind.INEQUALITY,
        "F_η is (L_0 n + 1)/η-smooth",
        le(modulus_F, _M),
        title="Smoothness of the penalised loss",
        hypotheses=(A1_I, SETS),
        follows_from=("lem1.iv", "moreau-2"),
    ),
    claim(
        "st.5.descent",
        _PROP1,
        Kind.INEQUALITY,
        "F_η(x̄_{k+1}) <= F_η(x̄_k) - γ∇F_η(x̄_k)^T(ḡ_k + Ḡ_k) + (L_0 n/(2η))γ²||ḡ_k + Ḡ_k||²",
        le(F_next, F_now - gamma * ip_path + L0 * n / (2 * eta_s) * gamma**2 * sq_path),
        title="Descent of one step",
        hypotheses=RUN,
        follows_from=("lem3", "st.5.modulus"),
    ),
    claim(
        "st.5.mean",
        _PROP1,
        Kind.INEQUALITY,
        "If γ <= η/(4L_0 n), then (γ/4)E||∇F_η(x̄_k)||² <= E F_η(x̄_k) - E F_η(x̄_{k+1}) + "
        "(γ²L_0 n³/(2ηm))(6ν²/η² + 3L_0²) + (3γ(L_0 n + 1)²/(4η²))E[ē_k]",
        le(
            gamma / 4 * E_sq_grad,
            E_F_now - E_F_next + gamma**2 * L0 * n / (2 * eta_s * m) * _V + 3 * gamma * _M**2 / 4 * E_eb,
        ),
        title="Expected descent of one step",
        hypotheses=(*RUN, CAP_NN[0]),
        follows_from=("lem5.i", "lem5.ii", "st.5.descent"),
    ),
)
NONNEGATIVE = Hypothesis("nonnegative", "a_k >= 0")
ST6 = claim(
    "st.6",
    _PROP1,
    Kind.INEQUALITY,
    "sum_{k=0}^K sum_{t=T_r}^{k-1} a_t <= H sum_{k=0}^K a_k for a_k = E||∇F_η(x̄_k)||²",
    le(sum_rounds, H * sum_all),
    title="Sums over rounds exchanged",
    hypotheses=(FREQUENCY, NONNEGATIVE),
)
ST7 = claim(
    "st.7",
    _PROP1,
    Kind.INEQUALITY,
    "72B_2²H²γ²(L_0 n + 1)²/η² <= 0.5 under the bound on γ",
    le(72 * B2**2 * H**2 * gamma**2 * (L0 * n + 1) ** 2 / eta_s**2, sp.Rational(1, 2)),
    title="Stepsize condition absorbs the drift",
    hypotheses=CAP_NN,
)
ST8 = claim(
    "st.8",
    _PROP1,
    Kind.IDENTITY,
    "With γ = sqrt(m/K) and H = (K/m³)^{1/4}: 1/(γK) = γ/m = H²γ² = 1/sqrt(mK)",
    every(
        eq(1 / (gamma * K_it), 1 / sp.sqrt(m * K_it)),
        eq(gamma / m, 1 / sp.sqrt(m * K_it)),
        eq(H**2 * gamma**2, 1 / sp.sqrt(m * K_it)),
    ),
    title="Terms under the schedule",
    hypotheses=(Hypothesis("K>=1", "K >= 1", sp.Ge(K_it, 1, evaluate=False)), GAMMA_COM, H_COM_PROOF),
    note="Proposition 1 (ii) rounds H up, its proof does not; see prop1.ii-x.corrected.",
)
ST16 = claim(
    "st.16",
    "proof of Proposition 2",
    Kind.PROPERTY,
    "(x - P_X(x))/η ∈ N_X(P_X(x)), by the projection theorem",
    le(normal_ip, 0),
    title="Projection residual is normal",
    hypotheses=(SETS,),
)

CLAIMS = (*ST1, ST2, *ST3, ST4, *ST5, ST6, ST7, ST8, ST16)
