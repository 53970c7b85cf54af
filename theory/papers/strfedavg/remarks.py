"""Remarks 2 to 6 and the identities that the paper states in passing."""

import sympy as sp

from rateproof.theory.claim import Hypothesis, Kind, Reading
from rateproof.theory.papers.strfedavg.build import claim
from rateproof.theory.papers.strfedavg.nonconvex import INNER, OUTER_SMOOTH
from rateproof.theory.papers.strfedavg.notation import (
    AVG,
    ETA_HAT_SC,
    WS,
    E_dist,
    dist_y,
    env_l1,
    env_l1_y,
    env_lsp,
    eps_lsp,
    eta_max_ip,
    eta_max_sc,
    gap_h,
    grad_env_l1,
    grad_env_l1_y,
    grad_env_lsp,
    grad_penalty,
    ind_env,
    lam,
    lip_F,
    lip_g,
    mu_g,
    mu_l1,
    mu_lsp,
    prox_lsp,
    u,
)
from rateproof.theory.papers.strfedavg.schedules import S_IP, S_SC, TABLE_C, TABLE_SC
from rateproof.theory.shorthand import eq, every, ge, le
from rateproof.theory.symbols import C_O, L_f, R, T, a, alpha, b, eta, kappa, mu_f, t

_PROBLEM_2 = (OUTER_SMOOTH, *INNER)
_H_EXPONENTS = (1 / (2 * a), 1 / a, 1 / b)
_F_EXPONENTS = (1 / (2 * a - b), 1 / (a - b))


def _worst(exponents: tuple[sp.Expr, ...], at: dict[sp.Symbol, sp.Expr]) -> sp.Expr:
    return sp.Max(*(e.subs(at) for e in exponents), evaluate=False)


REM2 = claim(
    "rem2",
    "Remark 2",
    Kind.PROPERTY,
    "The bounds in Table 1 are obtained by setting a = 2/3 and b = 1/3 in the strongly convex case, and a = 1/2 and "
    "b = 1/4 in the convex case",
    every(
        eq(_worst(_F_EXPONENTS, TABLE_SC), 3),
        eq(_worst(_H_EXPONENTS, TABLE_SC), 3),
        eq(_worst((1 / (1 - (a + b)), *_F_EXPONENTS), TABLE_C), 4),
        eq(_worst((1 / (1 - a), *_H_EXPONENTS), TABLE_C), 4),
    ),
    title="Exponents behind Table 1",
    note="Largest exponents of 1/ε in Theorem 1 (i-1), (i-2), without the terms in p, and in Theorem 2 (i-1), (i-2).",
)
REM3 = claim(
    "rem3",
    "Remark 3",
    Kind.PROPERTY,
    "g(x) = ||x - y||²/2 is 1-strongly convex and 1-smooth; based on Assumption 3, F_λ in problem (3) is "
    "(L_f + 2/λ)-smooth",
    every(ge(mu_g, 1), le(lip_g, 1), le(lip_F, L_f + 2 / lam)),
    title="Constants of the projection and penalty problems",
    hypotheses=_PROBLEM_2,
)
REM4 = claim(
    "rem4",
    "Remark 4",
    Kind.COMPLEXITY,
    "The total communication complexity is sum_{t=0}^{T_ε-1} t = O(T_ε²), T_ε the number of outer iterations that "
    "guarantee E||∇F_λ(y^{T*})||² <= ε",
    le(sp.Sum(t, (t, 0, T - 1)), C_O * T**2),
    title="Total communication of the inner calls",
    note="T stands for T_ε.",
)
REM5 = claim(
    "rem5",
    "Remark 5",
    Kind.PROPERTY,
    "The analysis leads to suitable rules for choosing η; such a choice is algorithm-specific and depends on the "
    "underlying assumptions",
    None,
    title="Regularisation chosen by the analysis",
    note="Not checkable by itself.",
)
REM6 = claim(
    "rem6",
    "Remark 6",
    Kind.PROPERTY,
    "Although Case i of Theorem 3 assumes that X_h* is α-weak sharp of order κ > 1, the exact value of κ is not "
    "required; in particular, Algorithm 2 does not require knowledge of κ",
    None,
    title="Sharpness order not needed by Algorithm 2",
    schedule=S_IP,
    note="The claim is that κ occurs in none of the schedule's rules.",
)

_FLAM_ENVELOPE = eq(ind_env, dist_y**2 / lam)
_FLAM_GRADIENT = eq(grad_penalty, dist_y / lam)
_FLAM_ENVELOPE_TEXT = "the λ-smoothed approximate of the indicator of X_h* is (1/λ)||y - Π[y]||²"
_FLAM_GRADIENT_TEXT = "the gradient of F_λ(y) = f(y) + (1/λ)||y - Π[y]||² is ∇f(y) + (1/λ)(y - Π[y])"
_FLAM_PLACE = "Section 2.2, problem (3)"
_FLAM_HYPOTHESES = INNER
FLAM = (
    claim(
        "id.Flam",
        _FLAM_PLACE,
        Kind.IDENTITY,
        f"{_FLAM_ENVELOPE_TEXT}, and {_FLAM_GRADIENT_TEXT}",
        every(_FLAM_ENVELOPE, _FLAM_GRADIENT),
        title="Smoothed indicator and gradient of the penalty",
        equation="(3)",
        hypotheses=_FLAM_HYPOTHESES,
        note="Smoothing is read as the Moreau envelope; the gradients point along y - Π[y], so norms are compared.",
    ),
    claim(
        "id.Flam.envelope",
        _FLAM_PLACE,
        Kind.IDENTITY,
        _FLAM_ENVELOPE_TEXT,
        _FLAM_ENVELOPE,
        title="Smoothed indicator of the inner solutions",
        hypotheses=_FLAM_HYPOTHESES,
        note="Smoothing is read as the Moreau envelope with parameter λ; (1/λ) dist² is the one with parameter λ/2.",
    ),
    claim(
        "id.Flam.gradient",
        _FLAM_PLACE,
        Kind.IDENTITY,
        _FLAM_GRADIENT_TEXT,
        _FLAM_GRADIENT,
        title="Gradient of the penalised loss",
        hypotheses=_FLAM_HYPOTHESES,
        note="The gradients point along y - Π[y], so norms are compared.",
    ),
)

# ln(t)/t^c is largest at t = e^(1/c); R and t run over the reals.
_ETA_SC = S_SC.rules[eta]
_ETA_IP = S_IP.rules[eta]
_MAX_SC = {eta_max_sc: _ETA_SC.subs(R, sp.exp(1 / b))}
_MAX_IP = {eta_max_ip: _ETA_IP.subs(t, sp.exp(sp.Rational(12, 5)))}
_FORMULA = every(eq(eta_max_sc, ETA_HAT_SC), le(_ETA_SC, ETA_HAT_SC))
_ELEVEN = eq(eta_max_ip, 11)
_SIX = eq(eta_max_ip, 6 / sp.E)
_FORMULA_TEXT = "η̂ = max_R p ln(R)/(μ_f^b R^b) = p/(e b μ_f^b)"
_ELEVEN_TEXT = "η̂ = max_t 2 ln(t)/t^{5/12} = 11"
_SIX_TEXT = "η̂ = max_t 2 ln(t)/t^{5/12} = 6/(e μ_f^b), μ_f = 1"
_ETAHAT_HYPOTHESES = (Hypothesis("mu_f>0", "mu_f > 0", sp.Gt(mu_f, 0, evaluate=False)),)
_MAX_NOTE = "The maximum over the reals is taken at {}."
ETAHAT = (
    claim(
        "id.etahat",
        "Theorems 1 and 3 and their proofs",
        Kind.IDENTITY,
        f"{_FORMULA_TEXT}; {_ELEVEN_TEXT}; {_SIX_TEXT}",
        every(_FORMULA, _ELEVEN, _SIX),
        title="Largest regularisation parameters",
        hypotheses=_ETAHAT_HYPOTHESES,
        where=_MAX_SC | _MAX_IP,
        note="The maxima are over the reals.",
    ),
    claim(
        "id.etahat.formula",
        "Theorem 1 and proof of (i-1)",
        Kind.IDENTITY,
        _FORMULA_TEXT,
        _FORMULA,
        title="Largest regularisation parameter, formula",
        hypotheses=_ETAHAT_HYPOTHESES,
        where=_MAX_SC,
        note=_MAX_NOTE.format("R = e^{1/b}"),
    ),
    claim(
        "id.etahat.eleven",
        "Theorem 3, case i",
        Kind.IDENTITY,
        _ELEVEN_TEXT,
        _ELEVEN,
        title="Largest regularisation parameter, eleven",
        where=_MAX_IP,
        note=_MAX_NOTE.format("t = e^{12/5}"),
    ),
    claim(
        "id.etahat.six_over_e",
        "proof of Theorem 3 (i-2)",
        Kind.IDENTITY,
        _SIX_TEXT,
        _SIX,
        title="Largest regularisation parameter, six over e",
        where=_MAX_IP,
        note=_MAX_NOTE.format("t = e^{12/5}"),
    ),
)

_HUBER = sp.Piecewise((u**2 / (2 * mu_l1), sp.Abs(u) <= mu_l1), (sp.Abs(u) - mu_l1 / 2, True))
_PROX_L1 = sp.sign(u) * sp.Max(0, sp.Abs(u) - mu_l1)
_HUBER_REST = (
    "M(x) = sum_i H_μ(x_i) with the Huber function H_μ, ∇M(x) = (x - prox(x))/μ, prox(x) = sign(x) max{0, |x| - μ}"
)
_HUBER_NOTE = "One component. The Huber function is not printed: H_μ(u) = u²/(2μ) for |u| <= μ, |u| - μ/2 otherwise."
HUBER = (
    claim(
        "id.huber",
        "Section 5.1",
        Kind.IDENTITY,
        f"M(x) = min_y {{||x||_1 + ||x - y||²/(2μ)}}, {_HUBER_REST}",
        every(eq(env_l1, _HUBER), eq(grad_env_l1, (u - _PROX_L1) / mu_l1)),
        title="Moreau envelope of the l1 norm",
        note=_HUBER_NOTE,
    ),
    claim(
        "id.huber.corrected",
        "Section 5.1",
        Kind.IDENTITY,
        f"M(x) = min_y {{||y||_1 + ||x - y||²/(2μ)}}, {_HUBER_REST}",
        every(eq(env_l1_y, _HUBER), eq(grad_env_l1_y, (u - _PROX_L1) / mu_l1)),
        title="Moreau envelope of the l1 norm",
        reading=Reading.CORRECTED,
        amends="id.huber",
        why="the minimum over y of ||x||_1 + ||x - y||²/(2μ) is ||x||_1 itself; the envelope has ||y||_1",
        origin="the proximal map that is printed beside it is that of the envelope with ||y||_1",
        note=_HUBER_NOTE,
    ),
)

_LSP_PROX = sp.Piecewise(
    (0, sp.Abs(u) <= mu_lsp / eps_lsp),
    (sp.sign(u) * (sp.Abs(u) - eps_lsp + sp.sqrt((sp.Abs(u) + eps_lsp) ** 2 - 4 * mu_lsp)) / 2, True),
)
LSP = claim(
    "id.lsp",
    "Section 5.2",
    Kind.IDENTITY,
    "For sqrt(μ) <= ε, prox_LSP(x_i) = 0 if |x_i| <= μ/ε, else sign(x_i)(|x_i| - ε + sqrt((|x_i| + ε)² - 4μ))/2; "
    "M_LSP(x) = LSP(prox(x)) + ||x - prox(x)||²/(2μ), ∇M_LSP(x) = (x - prox(x))/μ; LSP(x) = sum_i ln(1 + |x_i|/ε)",
    every(
        eq(prox_lsp, _LSP_PROX),
        eq(env_lsp, sp.log(1 + sp.Abs(prox_lsp) / eps_lsp) + (u - prox_lsp) ** 2 / (2 * mu_lsp)),
        eq(grad_env_lsp, (u - prox_lsp) / mu_lsp),
    ),
    title="Moreau envelope of the log-sum penalty",
    hypotheses=(Hypothesis("sqrt(mu)<=epsilon", "sqrt(μ) <= ε", le(sp.sqrt(mu_lsp), eps_lsp)),),
    note="One component. M_LSP is printed with f(prox(x)), f being LSP; sqrt(μ) <= ε is printed for the prox alone.",
)

_KAPPA = (Hypothesis("kappa>=1", "κ >= 1", ge(kappa, 1)), *WS)
_JENSEN = le(E_dist, (gap_h / alpha) ** (1 / kappa))
_EQ13 = le(E_dist, 1 / alpha * gap_h ** (1 / kappa))
_JENSEN_TEXT = "E dist(x̄^R, X_h*) <= ((E[h(x̄^R)] - h*)/α)^{1/κ}"
_EQ13_TEXT = "E dist(x̄, X_h*) <= (1/α)(E[h(x̄)] - h*)^{1/κ}"
_ANY_POINT = "Holds for any random point, so any x̄ may stand for the average. (13) is printed given F_t."
WS_DIST = (
    claim(
        "id.ws-dist",
        "proofs of Proposition 2 (ii-2) and of Theorem 3 (i-2)",
        Kind.INEQUALITY,
        f"{_JENSEN_TEXT}; {_EQ13_TEXT}",
        every(_JENSEN, _EQ13),
        title="Distance from weak sharpness",
        hypotheses=_KAPPA,
        switches=(AVG,),
        note=_ANY_POINT,
    ),
    claim(
        "id.ws-dist.jensen",
        "proof of Proposition 2 (ii-2)",
        Kind.INEQUALITY,
        _JENSEN_TEXT,
        _JENSEN,
        title="Distance from weak sharpness, by Jensen",
        hypotheses=_KAPPA,
        switches=(AVG,),
        note=_ANY_POINT,
    ),
    claim(
        "id.ws-dist.eq13",
        "proof of Theorem 3 (i-2)",
        Kind.INEQUALITY,
        _EQ13_TEXT,
        _EQ13,
        title="Distance from weak sharpness, equation 13",
        equation="(13)",
        hypotheses=_KAPPA,
        switches=(AVG,),
        note=_ANY_POINT,
    ),
)

AFTER_THEOREMS = (REM2, REM3, REM4)
LATER_REMARKS = (REM5, REM6)
IDENTITIES = (*FLAM, *ETAHAT, *HUBER, LSP, *WS_DIST)
