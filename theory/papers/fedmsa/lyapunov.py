"""The Lyapunov function (44) and its descent in one round, (43) to (47).

``A`` has the wrong sign, and (47) asks for steps that there are not. With the right signs (45) has the coefficient
``4 L_{z,1}^2 alpha^2 >= 0`` of ``||P||^2``: as Lemma B.4 bounds the error of h by ``||P||^2`` itself, nothing descends.
"""

from collections.abc import Callable
from dataclasses import replace

import sympy as sp

from rateproof.theory.assumptions import Smooth
from rateproof.theory.claim import Claim, Kind, Switch
from rateproof.theory.gram import dot, norm2, vectors
from rateproof.theory.papers.fedmsa import notation as p
from rateproof.theory.papers.fedmsa.lemma_b5 import E_1, E_2, MEAN, NOISE
from rateproof.theory.proof import Proof, Setting, cite, have, qed, smooth, supposed, unfold
from rateproof.theory.shorthand import amended, eq, every, ge, le, misprint
from rateproof.theory.symbols import NONNEG, POS
from rateproof.theory.units import OUTER

_STEP = ("proof of Theorem 3.1", Kind.INEQUALITY)
_HALF = sp.Rational(1, 2)

# --- what is measured, in a local step and in a round

move_P = p.formula("move_P", "<x_{k+1} - x_k, P(x_k)>", OUTER)
push_P = p.formula("push_P", "<h_k, P(x_k)>", p.SLOPE**2)
W_k = p.declare("W_k", "W_{r+1,k}, the Lyapunov function (44)", OUTER, latex=r"\mathbb W_k", defined=True, real=True)
W_next = p.declare("W_next_k", "W_{r+1,k+1}", OUTER, latex=r"\mathbb W_{k+1}", defined=True, real=True)
W_start = p.formula("W_start", "E W_r", OUTER)
W_end = p.formula("W_end", "E W_{r+1}", OUTER)
_MEAN = "(1/K) sum_{k=1}^K"
P2_mean, err_mean, err_r = p.measured(
    p.SLOPE**2,
    P2_mean=f"{_MEAN} E||P(x_{{r+1,k}})||^2",
    err_mean=f"{_MEAN} E||h_{{r,k}} - P(x_{{r+1,k}})||^2",
    err_r="E||h_r - P(x_r)||^2",
)
errs_q, errq_mean, errq_r = p.measured(
    p.FORCE**2,
    errs_q="sum_{n=1}^N ||q_k^n - S^n(z_k^{n-1}, z_k^n)||^2",
    errq_mean=f"{_MEAN} sum_n E||q_{{r,k}}^n - S^n(z_{{r+1,k}}^{{n-1}}, z_{{r+1,k}}^n)||^2",
    errq_r="sum_{n=1}^N E||q_r^n - S^n(z_r^{n-1}, z_r^n)||^2",
)
gaps, gaps_next, gaps_mean, gap_r = p.measured(
    p.AREA,
    gaps="sum_{n=1}^N ||z_k^n - z^{n,*}(z_k^{n-1})||^2",
    gaps_next="sum_{n=1}^N ||z_{k+1}^n - z^{n,*}(z_{k+1}^{n-1})||^2",
    gaps_mean=f"{_MEAN} sum_n E||z_{{r+1,k}}^n - z^{{n,*}}(z_{{r+1,k}}^{{n-1}})||^2",
    gap_r="E||Z_r - Z_r^*||^2",
)

# --- constants

_u = p.L_z1**2 * p.alpha
A = p.declare("A_W", "alpha (-1/2 + 2 L_{z,1}^2 alpha)", p.AREA / OUTER, latex="A", defined=True, real=True)
B = p.declare("B_W", "(2/2) alpha (1 + L_{z,1}^2 alpha)", p.AREA / OUTER, latex="B", defined=True, **POS)
C = p.declare("C_W", "the largest C^n of Lemma B.2", latex="C", real=True)
D = p.declare("D_W", "the largest D^n of Lemma B.2", p.AREA / p.FORCE**2, latex="D", **NONNEG)
noise_h = p.declare("noise_h", "a bound on the noise of h_r", p.SLOPE**2, latex=r"\nu_h", **NONNEG)
noise_q = p.declare("noise_q", "a bound on the noise of q_r", p.FORCE**2, latex=r"\nu_q", **NONNEG)
in_h = p.declare("in_h", "factor of the gap in a bound on the error of h", p.SLOPE**2 / p.AREA, latex="E", **NONNEG)
in_q = p.declare("in_q", "factor of the gap in a bound on the error of q", p.FORCE**2 / p.AREA, latex="F", **NONNEG)
#: What (43) and Lemma B.2 add up to; A is as printed.
A_SUM, B_SUM = p.alpha * (-_HALF + 2 * _u), p.alpha * (_HALF + 2 * _u)
PRINTED = {A: A_SUM, B: p.alpha * (1 + _u)}
LYAPUNOV = {W_k: p.f_k + gaps, W_next: p.f_next + gaps_next}

# --- hypotheses

STEP = p.H_("alpha<=1/(2L_z1^2)", "alpha <= 1/(2 L_{z,1}^2)", le(2 * p.L_z1**2 * p.alpha, 1))
SMALL = p.H_("alpha<=3/(4L^h)", "alpha <= 3/(4 L^h)", le(4 * p.L_h * p.alpha, 3))
POTENTIAL = p.H_("potential of P", "P is the gradient of f and L^h-Lipschitz", None, Smooth("f", p.L_h))
LEMMA_B2 = p.H_(
    "(15)",
    "C and D are such that (15) holds with them for all n",
    le(
        gaps_next - gaps,
        C * gaps + D * errs_q + 2 * p.L_z1**2 * p.alpha**2 * (p.err_h + p.P2) + p.alpha / 8 * p.h2,
    ),
)
RUN = (p.A1, p.A2, p.A3, p.A4, p.A5_PRINTED, p.B, p.C, POTENTIAL, p.METHOD, p.SUM)

# --- (43)

x, y, g, h, g_y = vectors("x y g h g_y")
f_x, f_y = p.f_k, p.f_next
LOCAL = Setting(
    depends={"x": "past", "h": "past"},
    functions={"f": {"x": (x, g, f_x), "x+": (x - p.alpha * h, g_y, f_y)}},
    words={"x": "x_{r+1,k}", "h": "h_{r,k}"},
    metrics={
        move_P: dot(-p.alpha * h, g),
        push_P: dot(h, g),
        p.P2: norm2(g),
        p.h2: norm2(h),
        p.err_h: norm2(h - g),
    },
)
_bend = p.alpha**2 * p.L_h / 2 * p.h2
_LAST_43 = -p.alpha / 2 * p.P2 - p.alpha / 2 * p.h2 + p.alpha / 2 * p.err_h + _bend
_BEND = "(alpha^2 L^h/2) ||h_k||^2"
_POLARISED = "-(alpha/2) ||P(x_k)||^2 - (alpha/2) ||h_k||^2 + (alpha/2) ||P(x_k) - h_k||^2"
EQ43, EQ43_A = (
    p.claim(
        cid,
        *_STEP,
        f"f(x_{{k+1}}) - f(x_k) <= {text}",
        le(p.f_next - p.f_k, bound),
        equation="43",
        title=title,
        hypotheses=(POTENTIAL, p.METHOD),
        setting=LOCAL,
        proof=Proof(qed(by=[smooth("f", "x", "x+")])),
    )
    for cid, title, text, bound in (
        ("eq43", "Descent of f in a local step", f"{_POLARISED} + {_BEND}", _LAST_43),
        ("eq43.a", "Smoothness of f in a local step", f"<x_{{k+1}} - x_k, P(x_k)> + {_BEND}", move_P + _bend),
    )
)
_SIGN = "-alpha stands before the product, as x_{k+1} - x_k = -alpha h_k"
_ORIGIN = "the first and the last line of (43)"


def _of_43(
    cid: str, title: str, left: str, right: str, sides: Callable[[sp.Expr], sp.Rel], note: str
) -> tuple[Claim, Claim]:
    """A line of (43) with the product <h, P>, and with -alpha before it."""
    printed = p.claim(
        f"eq43.{cid}",
        *_STEP,
        f"{left} + {_BEND} <= {right} + {_BEND}",
        sides(push_P + _bend),
        equation="43",
        title=title,
        hypotheses=RUN,
        switches=(misprint("-alpha <h, P>", _SIGN, sides(-p.alpha * push_P + _bend), _ORIGIN),),
        note=note,
    )
    return printed, amended(
        printed,
        _SIGN,
        text=printed.text.replace("<h_k, P(x_k)>", "-alpha <h_k, P(x_k)>"),
        statement=sides(-p.alpha * push_P + _bend),
        hypotheses=(p.METHOD,),
        origin=_ORIGIN,
        note="",
        setting=LOCAL,
        proof=Proof(qed()),
    )


EQ43_B, EQ43_B_CORRECTED = _of_43(
    "b",
    "The move of a local step, put in",
    "<x_{k+1} - x_k, P(x_k)>",
    "<h_k, P(x_k)>",
    lambda product: le(move_P + _bend, product),
    "h_{r+1,k} is read as h_{r,k}.",
)
EQ43_C, EQ43_C_CORRECTED = _of_43(
    "c", "The product, polarised", "<h_k, P(x_k)>", _POLARISED, lambda product: le(product, _LAST_43), ""
)
EQ44 = p.claim(
    "eq44",
    "proof of Theorem 3.1",
    Kind.IDENTITY,
    "W_{r+1,k} := f(x_{r+1,k}) + sum_{n=1}^N ||z_{r+1,k}^n - z_{r+1}^{n,*}(z_{r+1,k}^{n-1})||^2",
    eq(W_k, p.f_k + gaps),
    equation="44",
    title="The Lyapunov function",
    where={W_k: p.f_k + gaps},
    note="z_{r+1}^{n,*} is read as z^{n,*}, which does not depend on the round. f and the squares have other units.",
    proof=Proof(qed(by=[unfold(W_k)])),
)

# --- the descent of W

_OTHERS = C * gaps + D * errs_q
_SIGN_A = "with A = alpha (-1/2 + 2 L_{z,1}^2 alpha), (43) and Lemma B.2 add up to +A ||P||^2"
_FROM = "the sum of (43) and (15)"
WITH_STEP = Switch(
    "step",
    "any",
    "alpha <= 3/(4 L^h)",
    "(43) and (15) leave (-3/8 alpha + alpha^2 L^h/2) ||h||^2",
    adding=(SMALL,),
    origin="Delta_W/(K R) in (49), the price of alpha = O(1/L^h)",
)
_W_HYPOTHESES = (*RUN, STEP, LEMMA_B2)
EQ_W = p.claim(
    "eqW",
    *_STEP,
    "W_{k+1} - W_k <= -A ||P(x_k)||^2 + B ||P(x_k) - h_k||^2 + C sum_n ||z^n - z^{n,*}||^2 + D sum_n ||q^n - S^n||^2, "
    "with A := alpha (-1/2 + 2 L_{z,1}^2 alpha) and B := (2/2) alpha (1 + L_{z,1}^2 alpha)",
    le(W_next - W_k, -A * p.P2 + B * p.err_h + _OTHERS),
    title="Descent of W in a local step",
    hypotheses=_W_HYPOTHESES,
    where={**PRINTED, **LYAPUNOV},
    follows_from=("eq43", "eq44", "lemB2"),
    switches=(
        misprint("+A", _SIGN_A, le(W_next - W_k, A * p.P2 + B * p.err_h + _OTHERS), _FROM),
        MEAN,
        WITH_STEP,
    ),
    note="B is large enough: alpha/2 + 2 L_{z,1}^2 alpha^2 <= B for alpha <= 1/(2 L_{z,1}^2).",
)
EQ_W_CORRECTED = amended(
    EQ_W,
    ("A has the wrong sign", "the coefficient of ||h||^2 has to be negative"),
    text="W_{k+1} - W_k <= -alpha (1/2 - 2 L_{z,1}^2 alpha) ||P(x_k)||^2 + alpha (1/2 + 2 L_{z,1}^2 alpha) ||P(x_k) - "
    "h_k||^2 + C sum_n ||z^n - z^{n,*}||^2 + D sum_n ||q^n - S^n||^2 for alpha <= 3/(4 L^h), where (15) holds",
    statement=le(W_next - W_k, A_SUM * p.P2 + B_SUM * p.err_h + _OTHERS),
    hypotheses=(POTENTIAL, p.METHOD, SMALL, LEMMA_B2),
    where=LYAPUNOV,
    note="",
    setting=replace(LOCAL, measured=(gaps, gaps_next, errs_q)),
    proof=Proof(
        have("f", le(p.f_next - p.f_k, _LAST_43), by=[smooth("f", "x", "x+")]),
        qed(by=["f", unfold(W_k, W_next), supposed("(15)")]),
    ),
)

# --- the descent in a round

_4E = 4 * sp.E
_GAIN = (W_end - W_start) / p.K
_IN_ROUND = Setting(measured=(W_end, W_start, P2_mean, err_mean, errq_mean, gaps_mean, err_r, errq_r, gap_r))
SUMMED = p.H_(
    "a round",
    "the mean over the local steps of what W gains is at most that of eqW.corrected",
    le(_GAIN, A_SUM * P2_mean + B_SUM * err_mean + C * gaps_mean + D * errq_mean),
)
OF_H = p.H_(
    "(31) of h",
    "(31) for h, with the last term as (45) uses it",
    le(err_mean, _4E * err_r + P2_mean + p.L_hz * p.K * gaps_mean),
)
OF_Q = p.H_("(31) of q", "(31) for q", le(errq_mean, _4E * errq_r + gaps_mean))


def _round(of_P: sp.Expr, B_: sp.Expr, times: sp.Expr) -> sp.Expr:
    return of_P * P2_mean + times * (B_ * err_r + D * errq_r) + (C + B_ * p.L_hz * p.K + D) * gaps_mean


SHORT = Switch(
    "local steps",
    "any",
    "as in Lemma B.4",
    "Lemma B.4 needs that neither clients nor samples drive the local estimates apart",
    adding=(
        p.H_(
            "steps of (31)",
            "alpha <= 1/(8 tau_0 K) and 1/(8 sqrt(K) Lb_p), beta_n <= 1/(8 tau_n K) and 1/(8 sqrt(K) Lb_{s,n})",
            every(
                *(
                    le(8 * constant * count * step, 1)
                    for step, of in ((p.alpha, (p.tau_0, p.Lb_p)), (p.beta, (p.tau_n, p.Lb_s)))
                    for constant, count in zip(of, (p.K, sp.sqrt(p.K)), strict=True)
                )
            ),
        ),
    ),
    origin="the steps of Lemma B.4, whose bounds are upside down, and Theorem 3.1, alpha = O(1/(tau K))",
)
EQ45 = p.claim(
    "eq45",
    *_STEP,
    "(1/K) (W_{r+1} - W_r) <= -((A+B)/K) sum_k E||P(x_{r+1,k})||^2 + B E||h_r - P(x_r)||^2 + D sum_n E||q_r^n - "
    "S^n||^2 + ((C + B L_{h,z} K + D)/K) sum_k sum_n E||z_{r+1,k}^n - z^{n,*}||^2",
    le(_GAIN, _round(-A - B, B, sp.S.One)),
    equation="45",
    title="Descent of W in a round",
    hypotheses=(*RUN, STEP, LEMMA_B2),
    where=PRINTED,
    follows_from=("eqW", "lemB4.q", "lemB4.h"),
    switches=(
        misprint(
            "+(A + B) and 4 e",
            "(43), (15) and (31) add up to A + B and 4 e B",
            le(_GAIN, _round(A + B, B, _4E)),
            "(31), and the sum of (43) and (15)",
        ),
        MEAN,
        WITH_STEP,
        SHORT,
    ),
)
EQ45_CORRECTED = amended(
    EQ45,
    (
        "A has the wrong sign, and Lemma B.4 adds B ||P||^2 and has the factor 4 e",
        "what is left of ||P||^2 does not descend: as (31) has the coefficient 1 of it, B undoes all of A",
    ),
    text="(1/K) (W_{r+1} - W_r) <= 4 L_{z,1}^2 alpha^2 (1/K) sum_k E||P||^2 + 4 e B E||h_r - P(x_r)||^2 + 4 e D sum_n "
    "E||q_r^n - S^n||^2 + ((C + B L_{h,z} K + D)/K) sum_k sum_n E||z^n - z^{n,*}||^2 with B = alpha (1/2 + 2 "
    "L_{z,1}^2 alpha), where (31) and eqW.corrected hold",
    statement=le(_GAIN, _round(4 * p.L_z1**2 * p.alpha**2, B_SUM, _4E)),
    hypotheses=(SUMMED, OF_H, OF_Q),
    where={},
    follows_from=("eqW.corrected",),
    setting=_IN_ROUND,
    proof=Proof(qed(by=[supposed(h.key) for h in (SUMMED, OF_H, OF_Q)])),
)
_AFTER = (C + B * p.L_hz * p.K + 2 * D) / p.K * gap_r
_three = sp.Rational(3, 2)
EQ46 = p.claim(
    "eq46",
    *_STEP,
    "(1/K) (W_{r+1} - W_{r+1}) <= -((A + 3/2 B)/K) sum_k ||P(x)||^2 + ((C + B L_{h,z} K + D + D)/K) ||Z_r - Z_r^*||^2 "
    "+ ((B E_1(rho) sigma_h^2 + D E_2(rho))/K) sigma_q^2",
    le(
        (W_end - W_end) / p.K,
        -(A + _three * B) * P2_mean + _AFTER + (B * E_1 * p.sigma0**2 + D * E_2) / p.K * p.sigma_n**2,
    ),
    equation="46",
    title="Descent of W with the noise",
    hypotheses=(*RUN, STEP, LEMMA_B2),
    where={**PRINTED, **NOISE},
    follows_from=("eq45", "lemB5.h", "lemB5.q"),
    switches=(
        misprint(
            "W_{r+1} - W_r, +A and sigma_h apart",
            "the left side is 0, and the first noise has the factor sigma_h^2 sigma_q^2",
            le(_GAIN, (A + _three * B) * P2_mean + _AFTER + (B * E_1 * p.sigma0**2 + D * E_2 * p.sigma_n**2) / p.K),
            "the left side of (45), and the sum of (43) and (15)",
        ),
        MEAN,
        WITH_STEP,
        SHORT,
    ),
    note="P(xtilde) is read as P(x_{r+1,k}), over which the sum is.",
)
OF_H_R = p.H_(
    "(40a) in a round",
    "8 e E||h_r - P(x_r)||^2 <= 8 e (E||Z_r - Z_r^*||^2 + nu_h) + (1/K) sum_k E||P||^2, as 3/2 in (46) needs it",
    le(2 * _4E * err_r, 2 * _4E * (gap_r + noise_h) + P2_mean),
)
OF_Q_R = p.H_(
    "(40b) in a round",
    "4 e sum_n E||q_r^n - S^n||^2 <= E||Z_r - Z_r^*||^2 + 4 e nu_q",
    le(_4E * errq_r, gap_r + _4E * noise_q),
)
EQ46_CORRECTED = amended(
    EQ46,
    "it is an average of (45), of which it has taken over the signs and factors that are wrong there",
    text="(1/K) (W_{r+1} - W_r) <= (A + 3/2 B) (1/K) sum_k E||P||^2 + ((C + B L_{h,z} K + D)/K) sum_k sum_n E||z^n - "
    "z^{n,*}||^2 + (4 e B + D) E||Z_r - Z_r^*||^2 + 4 e (B nu_h + D nu_q), with B = alpha (1/2 + 2 L_{z,1}^2 alpha), "
    "where eq45.corrected holds and the errors at the start of the round have such bounds",
    statement=le(
        _GAIN,
        (A_SUM + _three * B_SUM) * P2_mean
        + (C + B_SUM * p.L_hz * p.K + D) * gaps_mean
        + (_4E * B_SUM + D) * gap_r
        + _4E * (B_SUM * noise_h + D * noise_q),
    ),
    hypotheses=(SUMMED, OF_H, OF_Q, OF_H_R, OF_Q_R),
    where={},
    follows_from=("eq45.corrected",),
    note="A + 3/2 B = alpha (1/4 + 5 L_{z,1}^2 alpha) > 0: W may grow.",
    setting=_IN_ROUND,
    proof=Proof(qed(by=[cite(EQ45_CORRECTED), supposed(OF_H_R.key), supposed(OF_Q_R.key)])),
)

# --- (47)

_CHOICE = "As a choice of the steps it asks for some that Lemma B.2 admits."
EQ47_A = p.claim(
    "eq47.a",
    *_STEP,
    "-A(alpha) + (3/2) B(alpha) <= alpha/8",
    le(-A + _three * B, p.alpha / 8),
    equation="47",
    title="Steps for the descent in P",
    hypotheses=(STEP,),
    where=PRINTED,
    switches=(
        misprint(
            "A + (3/2) B <= -alpha/8",
            "a descent has a negative coefficient",
            le(A + _three * B, -p.alpha / 8),
            "the sum of (43) and (15), and the left side of (48)",
        ),
    ),
    note=_CHOICE + " It says L_{z,1}^2 alpha >= 15/4, and Lemma B.2 has L_{z,1}^2 alpha <= 1/2: there are none.",
)
EQ47_A_NEVER = amended(
    EQ47_A,
    "(47) needs L_{z,1}^2 alpha >= 15/4, and Lemma B.2 has at most 1/2",
    part="never",
    text="-A + (3/2) B >= (7/4) alpha, so that no step of Lemma B.2 is one of (47)",
    statement=ge(-A + _three * B, 7 * p.alpha / 4),
    note="",
    proof=Proof(qed(by=[unfold(A, B)])),
)
_FEW = p.H_("alpha<=1/(16L_{z,1}^2)", "alpha <= 1/(16 L_{z,1}^2)", le(16 * p.L_z1**2 * p.alpha, 1))
EQ47_A_CORRECTED = amended(
    EQ47_A,
    "with the right signs A + (3/2) B = alpha (1/4 + 5 L_{z,1}^2 alpha) is positive: the bounds on the error of h may "
    "have a quarter of the mean of ||P||^2 each, and not all of it",
    text="With 1/4 of (1/K) sum_k E||P||^2 in (31) and (40a), alpha <= 1/(16 L_{z,1}^2) is enough: A + (3/8) B <= "
    "-alpha/8 with A = alpha (-1/2 + 2 L_{z,1}^2 alpha) and B = alpha (1/2 + 2 L_{z,1}^2 alpha)",
    statement=le(A_SUM + sp.Rational(3, 8) * B_SUM, -p.alpha / 8),
    hypotheses=(_FEW,),
    where={},
    note="",
    proof=Proof(qed()),
)
OF_27 = (
    p.H_(
        "C of (27)",
        "C = C^N = (1 - lambda beta) - 1 of (27), with N = 2, two like levels and L_{z,n} = 0",
        eq(C, -p.lam_1 * p.beta_1),
    ),
    p.H_(
        "D of (27)",
        "D = D^N = (1/lambda + 2 beta) beta of (27), with N = 2, two like levels and L_{z,n} = 0",
        eq(D, (1 / p.lam_1 + 2 * p.beta_1) * p.beta_1),
    ),
    p.H_("L_{z,1}=0", "L_{z,1} = 0", eq(p.L_z1, 0)),
    p.H_("beta_1<=lambda_1/(2L_q1)", "beta_1 <= lambda_1/(2 L_{q,1})", le(2 * p.L_s1 * p.beta_1, p.lam_1)),
)
EQ47_B = p.claim(
    "eq47.b",
    *_STEP,
    "C(alpha) + B(alpha) L_{h,z} K + D(alpha) + D(alpha) <= -lambda alpha",
    le(C + B * p.L_hz * p.K + 2 * D, -p.lam_1 * p.alpha),
    equation="47",
    title="Steps for the descent in Z",
    hypotheses=(STEP, *OF_27),
    where=PRINTED,
    note=_CHOICE
    + " For N > 1 and lambda <= sqrt(2) there are none, already for L_{z,n} = 0, where C + 2 D = beta (2/lambda - "
    "lambda + 4 beta). For N = 1, with C^1 of (27), which has lost a 1, there are.",
)
_quarter = p.lam_1 * p.beta_1 / 4
EQ47_B_CORRECTED = amended(
    EQ47_B,
    "D is at least (1/lambda + 2 beta) beta, so that the factor of the gap in the error of q has to be small",
    text="For one sequence, with C = (1 + 8 L_{z,1}^2 alpha)(1 - lambda beta) - 1, and with E and F for the factors of "
    "the gap in the bounds on the errors of h and q: C + B E + D F <= -lambda beta/4, if 8 L_{z,1}^2 alpha, B E, D F "
    "are at most lambda beta/4 each",
    statement=le(C + B_SUM * in_h + D * in_q, -_quarter),
    hypotheses=(
        p.H_(
            "C of a step",
            "C = (1 + 8 L_{z,1}^2 alpha)(1 - lambda beta) - 1",
            eq(C, (1 + 8 * _u) * (1 - p.lam_1 * p.beta_1) - 1),
        ),
        *(
            p.H_(key, f"{key} <= lambda beta/4", le(term, _quarter))
            for key, term in (("8 L^2 alpha", 8 * _u), ("B E", B_SUM * in_h), ("D F", D * in_q))
        ),
    ),
    where={},
    note="",
    proof=Proof(qed(by=[supposed("C of a step"), *(supposed(key) for key in ("8 L^2 alpha", "B E", "D F"))])),
)
EQ47_C = p.claim(
    "eq47.c",
    *_STEP,
    "max(B(alpha), D(alpha)) <= alpha",
    le(sp.Max(B, D), p.alpha),
    equation="47",
    title="Steps for the noise",
    hypotheses=(STEP,),
    where=PRINTED,
    note=_CHOICE
    + " B = alpha (1 + L_{z,1}^2 alpha) is more than alpha, but for L_{z,1} = 0. B and D have other units.",
)
EQ47_C_CORRECTED = amended(
    EQ47_C,
    "B as printed is more than alpha for L_{z,1} > 0; (43) and (15) give a smaller one",
    text="alpha (1/2 + 2 L_{z,1}^2 alpha) <= alpha for alpha <= 1/(4 L_{z,1}^2)",
    statement=le(B_SUM, p.alpha),
    hypotheses=(p.H_("alpha<=1/(4L_{z,1}^2)", "alpha <= 1/(4 L_{z,1}^2)", le(4 * p.L_z1**2 * p.alpha, 1)),),
    where={},
    note="",
    proof=Proof(qed()),
)
EQ47 = p.composite("eq47", "proof of Theorem 3.1", "Conditions on the steps", "There are steps that satisfy (47)")
CLAIMS: tuple[Claim, ...] = (
    EQ43,
    EQ43_A,
    EQ43_B,
    EQ43_B_CORRECTED,
    EQ43_C,
    EQ43_C_CORRECTED,
    EQ44,
    EQ_W,
    EQ_W_CORRECTED,
    EQ45,
    EQ45_CORRECTED,
    EQ46,
    EQ46_CORRECTED,
    EQ47,
    EQ47_A,
    EQ47_A_NEVER,
    EQ47_A_CORRECTED,
    EQ47_B,
    EQ47_B_CORRECTED,
    EQ47_C,
    EQ47_C_CORRECTED,
)
