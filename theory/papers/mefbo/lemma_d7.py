"""Lemma D.7: client drifts, and what the paper makes of it for small client steps.

The squared norm of a sum of ``k`` vectors is at most ``k`` times the sum of their squares: the terms without noise need
``tau^2`` where the paper has ``tau``. ``L_g`` bounds the gradient in ``x`` alone, and not what is used in ``y``.
"""

from dataclasses import replace

import sympy as sp

from rateproof.theory.assumptions import WholeSpace
from rateproof.theory.claim import Kind, Reason, Switch, conjuncts
from rateproof.theory.gram import norm2, vectors
from rateproof.theory.papers.mefbo import notation as p
from rateproof.theory.papers.mefbo.one_round import ROUND, fxk, gxk, hxk, x
from rateproof.theory.proof import (
    SEQUENCES,
    Proof,
    Setting,
    bounded,
    fresh,
    have,
    induct,
    qed,
    summed,
    unfold,
    variance,
    written_out,
)
from rateproof.theory.shorthand import amended, every, ge, le, misprint
from rateproof.theory.symbols import NONNEG
from rateproof.theory.units import ONE

declare = p.declare
a = declare("a_d", "12 tau eta_y^2/gamma^2", ONE, latex="a", defined=True, **NONNEG)
b = declare("b_d", "6 tau eta_theta^2/gamma^2", ONE, latex="b", defined=True, **NONNEG)
e = declare("e_d", "6 tau eta_theta^2 (L_2^2 + 1/gamma^2)", ONE, latex="e", defined=True, **NONNEG)
A_d = declare("A_d", "right side of (67) without the drifts of y and theta", p.AREA, latex="A", defined=True, **NONNEG)
B_d = declare("B_d", "right side of (69) without the drifts of y and theta", p.AREA, latex="B", defined=True, **NONNEG)

prox2 = declare(
    "prox2", "E ||y^t - theta*_gamma(z^t)||^2", p.AREA, latex=r"\mathbb E\|y^t-\theta_\gamma^*(z^t)\|^2", **NONNEG
)

_te, _ty, _tx = (p.tau * eta**2 for eta in (p.eta_theta, p.eta_y, p.eta_x))
_noise_f = p.sig_f**2 / p.c_t**2 + p.sig_g**2
_rest_y = 4 * _ty * p.L_f**2 / p.c_t**2 + 10 * _ty * p.L_g**2 + 12 * p.G2 * _ty * p.gap2
FACTORS = {a: 12 * _ty / p.gamma**2, b: 6 * _te / p.gamma**2, e: 6 * _te * p.G2}
FROM_67 = _te * p.sig_g**2 + 6 * _te * p.L_2**2 * p.D_x + 4 * _te * p.Het**2 + 4 * _te * p.G2 * p.gap2
#: As (65) prints it, and as (69) has it.
FROM_65 = 2 * _ty * (p.sig_f**2 + p.sig_g**2) + _rest_y
FROM_69 = 2 * _ty * _noise_f + _rest_y
DRIFT_WHERE = {**FACTORS, A_d: FROM_67, B_d: FROM_69}

_noise_x = 3 * _tx * (p.sig_f**2 / p.c_t**2 + 2 * p.sig_g**2)
_slope_x = 3 * _tx * (p.L_f**2 / p.c_t**2 + 2 * p.L_g**2)
_THETA = le(p.D_theta, ((1 - a) / b * A_d + B_d) / ((1 - a) * (1 - e) / b - a))
_Y = le(p.D_y, (a / (1 - e) * A_d + B_d) / (1 - a - a * b / (1 - e)))
SMALL_Y = p.H_("a<=1/3", "12 tau eta_y^2/gamma^2 <= 1/3", le(FACTORS[a], sp.Rational(1, 3)))
SMALL_THETA = p.H_("e<=1/3", "6 tau eta_theta^2 (L_2^2 + 1/gamma^2) <= 1/3", le(FACTORS[e], sp.Rational(1, 3)))
SMALL = (SMALL_Y, SMALL_THETA)
SMALL_STEPS = Switch(
    "client_steps",
    "any",
    "small",
    "for larger steps the denominators are negative or zero",
    adding=SMALL,
    origin="after Lemma D.7, where proper steps are chosen",
)
LEMMA_D7 = p.claim(
    "lemD.7",
    "Lemma D.7",
    Kind.INEQUALITY,
    "Delta_x <= 3 eta_x^2 tau (sigma_f^2/c^2 + 2 sigma_g^2) + 3 eta_x^2 tau (L_f^2/c^2 + 2 L_g^2); Delta_theta <= "
    "[((1-a)/b) A + B]/[(1-a)(1-e)/b - a]; Delta_y <= [(a/(1-e)) A + B]/[(1-a) - a b/(1-e)], with a = 12 tau "
    "eta_y^2/gamma^2, b = 6 tau eta_theta^2/gamma^2, e = 6 tau eta_theta^2 (L_2^2 + 1/gamma^2), A = eta_theta^2 tau "
    "sigma_g^2 + 6 tau eta_theta^2 L_2^2 Delta_x + 4 eta_theta^2 tau Delta^2 + 4 tau eta_theta^2 (1/gamma^2 + L_2^2) "
    "gap^2, B = 2 eta_y^2 tau (sigma_f^2 + sigma_g^2) + 4 tau eta_y^2 L_f^2/c^2 + 10 tau eta_y^2 L_g^2 + 12 "
    "(1/gamma^2 + L_2^2) eta_y^2 tau gap^2",
    every(le(p.D_x, _noise_x + _slope_x), _THETA, _Y),
    equation="65",
    title="Client drifts in one round",
    hypotheses=p.RUN,
    where={**FACTORS, A_d: FROM_67, B_d: FROM_65},
    follows_from=("st-66..69", "st-70..74"),
    switches=(SMALL_STEPS,),
    note="False for three reasons: the square of a sum of k directions is k times a sum of squares, and k^2 without "
    "noise; where a constraint is active at theta*, local steps, which are not projected, leave it; and L_g does not "
    "bound gradients in y.",
)

# --- the drift of x, corrected

nx, efx, egx, etx = vectors("nx efx egx etx")
dir_x, step_k = vectors("dir_x step_k")
k = sp.Symbol("k", integer=True, nonnegative=True)
drift = sp.Function("drift", nonnegative=True)
_direction = fxk / p.c_t + gxk - hxk
_NOISES = {"efx": "xi", "efy": "xi", "egx": "zeta", "egy": "zeta", "etx": "zeta", "ety": "zeta"}
#: The local step of x from ``xk`` at which ``k`` steps are done, for a client drawn with its weight.
LOCAL_X = replace(
    ROUND,
    depends={
        **{name: on.replace(" step", "") for name, on in ROUND.depends.items()},
        **{name: f"past client before {sample}" for name, sample in _NOISES.items()},
        **dict.fromkeys(("nx", "e_f", "e_g", "e_t"), "past client before xi zeta"),
    },
    sums={
        "nx": efx / p.c_t + egx - etx,
        "e_f": efx + vectors("efy")[0],
        "e_g": egx + vectors("egy")[0],
        "e_t": etx + vectors("ety")[0],
    },
    sizes={"client": p.n},
    within={},
    blocks={**ROUND.blocks, **{name: name[-1] for name in _NOISES}, "nx": "x"},
    metrics={
        p.gap2: ROUND.metrics[p.gap2],
        drift(k): norm2(vectors("xk")[0] - x),
        drift(k + 1): norm2(vectors("xk")[0] - p.eta_x * (_direction + nx) - x),
    },
    sequences={
        p.D_x: sp.Sum(drift(k), (k, 0, p.tau - 1)) / p.tau,
        drift(k): drift(k),
        drift(k + 1): drift(k + 1),
        drift(0): sp.S.Zero,
    },
    measured=(*ROUND.measured, p.D_x),
    fixed=(p.eta_x, p.c_t, p.tau),
)
_square = 3 * (p.L_f**2 / p.c_t**2 + 2 * p.L_g**2)
_var = 3 * (p.sig_f**2 / p.c_t**2 + 2 * p.sig_g**2)
_weight = 1 / (2 * k + 1)


def _drifted(steps: sp.Expr) -> sp.Expr:
    return p.eta_x**2 * (2 * steps**2 * _square + 2 * steps * _var)


DRIFT_X = amended(
    LEMMA_D7,
    "the square of a sum of k directions is at most k times the sum of their squares, so tau^2 for tau in the terms "
    "without noise; shown of Delta_x",
    text="Delta_x <= 3 eta_x^2 tau (sigma_f^2/c^2 + 2 sigma_g^2) + 3 eta_x^2 tau^2 (L_f^2/c^2 + 2 L_g^2)",
    statement=le(p.D_x, _noise_x + p.tau * _slope_x),
    hypotheses=(p.F_LIPSCHITZ, p.F_NOISE, p.G_LIPSCHITZ, p.G_NOISE, p.WEIGHTS, p.METHOD),
    where={},
    follows_from=(),
    note="For Delta_theta and Delta_y see mefbo.st-66..69.corrected, and for small steps mefbo.lemD.7-simp.corrected.",
    setting=LOCAL_X,
    proof=Proof(
        have("gradients of f", le(norm2(fxk), p.L_f**2), by=[bounded("f_i", "local")]),
        have("gradients of g", le(norm2(gxk), p.L_g**2), by=[bounded("g_i", "local")]),
        have("gradients of g at theta", le(norm2(hxk), p.L_g**2), by=[bounded("g_i", "local theta")]),
        have(
            "the direction",
            le(norm2(_direction), _square),
            by=["gradients of f", "gradients of g", "gradients of g at theta"],
            multipliers=[3 / p.c_t**2, 3, 3],
        ),
        have("noise of f", le(norm2(efx), p.sig_f**2), by=[written_out("e_f"), variance("e_f")]),
        have("noise of g", le(norm2(egx), p.sig_g**2), by=[written_out("e_g"), variance("e_g")]),
        have("noise of g at theta", le(norm2(etx), p.sig_g**2), by=[written_out("e_t"), variance("e_t")]),
        have(
            "three noises",
            le(norm2(efx / p.c_t + egx - etx), _var),
            by=["noise of f", "noise of g", "noise of g at theta"],
            multipliers=[3 / p.c_t**2, 3, 3],
        ),
        have("the noise", le(norm2(nx), _var), by=["three noises", written_out("nx")]),
        have(
            "the noise is orthogonal",
            le(drift(k + 1), norm2(vectors("xk")[0] - x - p.eta_x * _direction) + p.eta_x**2 * norm2(nx)),
            by=[fresh("nx")],
        ),
        have(
            "Young",
            le(
                norm2(vectors("xk")[0] - x - p.eta_x * _direction),
                (1 + _weight) * drift(k) + (1 + 1 / _weight) * p.eta_x**2 * norm2(_direction),
            ),
        ),
        have(
            "one local step",
            le(drift(k + 1), (1 + _weight) * drift(k) + p.eta_x**2 * (2 * (k + 1) * _square + _var)),
            by=["the noise is orthogonal", "Young", "the direction", "the noise"],
            multipliers=[1, 1, 2 * (k + 1) * p.eta_x**2, p.eta_x**2],
        ),
        induct(
            "all local steps",
            le(drift(k), _drifted(k)),
            over=k,
            base=[SEQUENCES],
            by=["one local step", SEQUENCES],
        ),
        summed("the round", "all local steps", over=k, start=0, last=p.tau - 1),
        have(
            "the mean drift",
            le(p.D_x, p.eta_x**2 * (p.tau**2 * _square + p.tau * _var)),
            by=["the round", SEQUENCES],
        ),
        qed(by=["the mean drift"]),
    ),
)

# --- the steps of the proof, and the simplified bounds (75), (76)

ST_66_RELATIONS = (
    le(p.D_theta, A_d + e * p.D_theta + b * p.D_y),
    le(p.D_y, B_d + a * p.D_theta + a * p.D_y),
)
#: (75) and (76) hide the drift of x, of order tau eta_x^2, in a constant.
X_DRIFT = p.H_("x_drift", "36 L_2^2 Delta_x <= tau eta_x^2 O(1)", le(36 * p.L_2**2 * p.D_x, _tx * p.O_x))
ST_66 = p.claim(
    "st-66..69",
    "proof of Lemma D.7",
    Kind.INEQUALITY,
    "Delta_theta <= A + e Delta_theta + b Delta_y (67) and Delta_y <= B + a Delta_theta + a Delta_y (69)",
    every(*ST_66_RELATIONS),
    equation="67",
    title="The coupled drifts of y and theta",
    hypotheses=p.RUN,
    where=DRIFT_WHERE,
    note="For the three reasons of Lemma D.7.",
)
_te2, _ty2 = p.tau * _te, p.tau * _ty
ST_66_CORRECTED = amended(
    ST_66,
    "the square of a sum of k directions is at most k times the sum of their squares, so tau^2 for tau in the terms "
    "without noise; the gradient at theta* is zero only where no constraint is active; L_g does not bound gradients "
    "in y, which the distance of y from theta* and the heterogeneity do",
    text="For Y the whole space: Delta_theta <= tau eta_theta^2 sigma_g^2 + tau^2 eta_theta^2 (6 L_2^2 Delta_x + 6 "
    "(L_2^2 + 1/gamma^2) Delta_theta + (6/gamma^2) Delta_y + 4 Delta^2 + 4 (L_2^2 + 1/gamma^2) gap^2) and Delta_y <= 2 "
    "tau eta_y^2 (sigma_f^2/c^2 + sigma_g^2) + 6 tau^2 eta_y^2 (L_f^2/c^2 + L_2^2 (Delta_x + Delta_y) + Delta^2 + "
    "L_2^2 ||y - theta*||^2 + (2/gamma^2) (Delta_theta + Delta_y) + gap^2/gamma^2)",
    statement=every(
        le(
            p.D_theta,
            _te * p.sig_g**2
            + _te2
            * (6 * p.L_2**2 * p.D_x + 6 * p.G2 * p.D_theta + 6 / p.gamma**2 * p.D_y + 4 * p.Het**2 + 4 * p.G2 * p.gap2),
        ),
        le(
            p.D_y,
            2 * _ty * _noise_f
            + 6
            * _ty2
            * (
                p.L_f**2 / p.c_t**2
                + p.L_2**2 * (p.D_x + p.D_y)
                + p.Het**2
                + p.L_2**2 * prox2
                + 2 / p.gamma**2 * (p.D_theta + p.D_y)
                + p.gap2 / p.gamma**2
            ),
        ),
    ),
    hypotheses=(*p.RUN, p.H_("Y_free", "Y is the whole space", None, WholeSpace("Y"))),
    where={},
    note="As for Delta_x: after k steps the mean square distance is at most 2 k times the sum of the squared "
    "directions and the variances. The direction of theta is one change of three terms, one of the client "
    "from the mean, which is orthogonal to the rest in the mean over the clients, and the one of the gap; that of y is "
    "a sum of six.",
)
_POSITIVE = p.H_("determinant", "(1 - a)(1 - e) > a b", sp.Gt((1 - a) * (1 - e) - a * b, 0, evaluate=False))
_BELOW = (p.H_("a<1", "a < 1", sp.Lt(a, 1, evaluate=False)), p.H_("e<1", "e < 1", sp.Lt(e, 1, evaluate=False)))
_COUPLED = (
    p.H_("(67)", "Delta_theta <= A + e Delta_theta + b Delta_y", ST_66_RELATIONS[0]),
    p.H_("(69)", "Delta_y <= B + a Delta_theta + a Delta_y", ST_66_RELATIONS[1]),
)
_CITED = ("(67)", "(69)")
ST_70 = p.claim(
    "st-70..74",
    "proof of Lemma D.7",
    Kind.INEQUALITY,
    "(67) and (69) give Delta_theta <= [((1-a)/b) A + B]/[(1-a)(1-e)/b - a] and Delta_y <= [(a/(1-e)) A + B]/[(1-a) - "
    "a b/(1-e)]",
    every(_THETA, _Y),
    equation="73",
    title="The coupled drifts solved",
    hypotheses=(*_COUPLED, *_BELOW, _POSITIVE),
    where=DRIFT_WHERE,
    follows_from=("st-66..69",),
    note="For a, e < 1 and (1 - a)(1 - e) > a b, which the paper has from small steps.",
    setting=Setting(measured=(p.D_y, p.D_theta)),
    proof=Proof(
        have("(67)", ST_66_RELATIONS[0]),
        have("(69)", ST_66_RELATIONS[1]),
        have(
            "theta, without fractions",
            le(((1 - a) * (1 - e) - a * b) * p.D_theta, (1 - a) * A_d + b * B_d),
            by=list(_CITED),
            multipliers=[1 - a, b],
        ),
        have(
            "y, without fractions",
            le(((1 - a) * (1 - e) - a * b) * p.D_y, a * A_d + (1 - e) * B_d),
            by=list(_CITED),
            multipliers=[a, 1 - e],
        ),
        have("b", ge(b * p.gamma**2, 6 * _te), by=[unfold(b)]),
        qed(by=["y, without fractions"], multipliers=[1 / ((1 - a) * (1 - e) - a * b)]),
        qed(by=["theta, without fractions", "b"], of=1, multipliers=[1 / ((1 - a) * (1 - e) - a * b)]),
    ),
)
_FRACTION_75, _FRACTION_76 = 1 / ((1 - a) * (1 - e) / b - a), 1 / (1 - a - a * b / (1 - e))
_SMALL_AE = (
    have("a", le(a, sp.Rational(1, 3)), by=[unfold(a)]),
    have("e", le(e, sp.Rational(1, 3)), by=[unfold(e)]),
    have("b and e", le(b, e), by=[unfold(b, e)]),
)
ST_75A = p.claim(
    "st-75a",
    "after Lemma D.7",
    Kind.INEQUALITY,
    "1/[(1-a)(1-e)/b - a] <= 2, and <= 3 after multiplication by (1-a)/b, for a, e <= 1/3",
    every(le(_FRACTION_75, 2), le(_FRACTION_75 * (1 - a) / b, 3)),
    equation="75",
    title="The first coefficient for small steps",
    hypotheses=SMALL,
    where=FACTORS,
    proof=Proof(
        *_SMALL_AE,
        have("the determinant", ge((1 - a) * (1 - e) - a * b, b), by=["a", "e", "b and e"]),
        qed(by=[*(s.name for s in _SMALL_AE), "the determinant"]),
        qed(by=[*(s.name for s in _SMALL_AE), "the determinant"], of=1),
    ),
)
ST_76A = p.claim(
    "st-76a",
    "after Lemma D.7",
    Kind.INEQUALITY,
    "1/[(1-a) - a b/(1-e)] <= 1 + 2 a/(1-e) <= 2 for a, e <= 1/3",
    every(le(_FRACTION_76, 1 + 2 * a / (1 - e)), le(1 + 2 * a / (1 - e), 2)),
    equation="76",
    title="The second coefficient for small steps",
    hypotheses=SMALL,
    where=FACTORS,
    proof=Proof(
        *_SMALL_AE,
        qed(by=[s.name for s in _SMALL_AE]),
        qed(by=[s.name for s in _SMALL_AE], of=1),
    ),
)
_gap_75 = 24 * p.G2 * (_te + _ty) * p.gap2
_gap_76 = p.G2 * (8 * _te + 12 * _ty) * p.gap2
_f = p.L_f**2 / p.c_t**2
_left = _te * _tx * p.O_x
BOUND_75 = _gap_75 + _te * (6 * p.sig_g**2 + 24 * p.Het**2) + _ty * (8 * _noise_f + 8 * _f + 20 * p.L_g**2) + _left
BOUND_76 = _gap_76 + _te * (2 * p.sig_g**2 + 8 * p.Het**2) + _ty * (4 * _noise_f + 8 * _f + 2 * p.L_g**2) + _left
#: With the coefficients that twice ``A + B`` gives.
MENDED_76 = BOUND_76 + 12 * p.G2 * _ty * p.gap2 + 18 * _ty * p.L_g**2
LEMMA_D7_SIMP = p.claim(
    "lemD.7-simp",
    "after Lemma D.7",
    Kind.INEQUALITY,
    "For a, e <= 1/3: Delta_theta <= 2 {3 A + B} <= 24 (1/gamma^2 + L_2^2) tau (eta_y^2 + eta_theta^2) gap^2 + tau "
    "eta_theta^2 (6 sigma_g^2 + 24 Delta^2) + tau eta_y^2 (8 (sigma_f^2/c^2 + sigma_g^2) + 8 L_f^2/c^2 + 20 L_g^2) + "
    "tau eta_theta^2 tau eta_x^2 O(1); Delta_y <= 2 {A + B} <= (1/gamma^2 + L_2^2) tau (8 eta_theta^2 + 12 eta_y^2) "
    "gap^2 + tau eta_theta^2 (2 sigma_g^2 + 8 Delta^2) + tau eta_y^2 (4 (sigma_f^2/c^2 + sigma_g^2) + 8 L_f^2/c^2 + 2 "
    "L_g^2) + tau eta_theta^2 tau eta_x^2 O(1)",
    every(
        le(p.D_theta, 2 * (3 * A_d + B_d)),
        le(p.D_theta, BOUND_75),
        le(p.D_y, 2 * (A_d + B_d)),
        le(p.D_y, BOUND_76),
    ),
    equation="75",
    title="Drifts for small client steps",
    hypotheses=(*p.RUN, *SMALL, X_DRIFT),
    where=DRIFT_WHERE,
    follows_from=("lemD.7", "st-75a", "st-76a", "st-75b/76b"),
    note="For the three reasons of Lemma D.7. The symbol O(1) is one number here in both bounds.",
)
_third = sp.Rational(1, 3)
SMALL_SQUARES = (
    p.H_("e tau<=1/3", "6 tau^2 eta_theta^2 (L_2^2 + 1/gamma^2) <= 1/3", le(6 * _te2 * p.G2, _third)),
    p.H_("a tau<=1/3", "12 tau^2 eta_y^2 (L_2^2 + 1/gamma^2) <= 1/3", le(12 * _ty2 * p.G2, _third)),
)
_no_drift = {p.D_theta: sp.S.Zero, p.D_y: sp.S.Zero}
_A, _B = (bound.rhs.subs(_no_drift) for bound in conjuncts(ST_66_CORRECTED.statement))
LEMMA_D7_SIMP_CORRECTED = amended(
    LEMMA_D7_SIMP,
    Reason(ST_66_CORRECTED.why[0].text, "mefbo.st-66..69"),
    text="For Y the whole space, 6 tau^2 eta_theta^2 (L_2^2 + 1/gamma^2) <= 1/3 and 12 tau^2 eta_y^2 (L_2^2 + "
    "1/gamma^2) <= 1/3: Delta_theta <= 2 A + B and Delta_y <= A + 2 B, where A and B are the right sides of the "
    "corrected (67) and (69) without the drifts of theta and y",
    statement=every(le(p.D_theta, 2 * _A + _B), le(p.D_y, _A + 2 * _B)),
    hypotheses=(*ST_66_CORRECTED.hypotheses, *SMALL_SQUARES),
    where={},
    follows_from=("st-66..69.corrected",),
    note="The corrected (67) and (69) give (2/3) Delta_theta <= A + Delta_y/3 and (2/3) Delta_y <= B + Delta_theta/3.",
)
_DOUBLED = "twice 12 and twice 10 are 24 and 20 in (76)"
_AS_DOUBLED = "24 eta_y^2 for 12 eta_y^2 and 20 L_g^2 for 2 L_g^2 in (76)"
_FIRST_LINE = "(76), whose second line is the expansion of its first"
_MENDED_75 = every(le(2 * (3 * A_d + B_d), BOUND_75), le(2 * (A_d + B_d), MENDED_76))
ST_75B = p.claim(
    "st-75b/76b",
    "after Lemma D.7",
    Kind.INEQUALITY,
    "2 {3 A + B} and 2 {A + B} are at most the last lines of (75) and (76)",
    every(
        le(2 * (3 * A_d + B_d), BOUND_75),
        le(2 * (A_d + B_d), BOUND_76),
    ),
    title="Expansion of the simplified drifts",
    hypotheses=(X_DRIFT,),
    where=DRIFT_WHERE,
    switches=(misprint(_AS_DOUBLED, _DOUBLED, _MENDED_75, _FIRST_LINE),),
    note="2 B has 24 G_2 eta_y^2 tau gap^2 and 20 tau eta_y^2 L_g^2, where (76) has 12 and 2. By hand: L_g = tau = "
    "eta_y = 1 and all else 0+: 20 on the left of the second part, 2 on the right.",
)
ST_75B_CORRECTED = amended(
    ST_75B,
    _DOUBLED,
    text=f"As printed with {_AS_DOUBLED}",
    statement=_MENDED_75,
    origin=_FIRST_LINE,
    note="",
    setting=Setting(measured=(p.D_x, p.gap2)),
    proof=Proof(
        have("the drift of x", X_DRIFT.relation),
        qed(by=["the drift of x", unfold(A_d, B_d)]),
        qed(by=["the drift of x", unfold(A_d, B_d)], of=1),
    ),
)
CLAIMS = (
    LEMMA_D7,
    DRIFT_X,
    LEMMA_D7_SIMP,
    LEMMA_D7_SIMP_CORRECTED,
    ST_66,
    ST_66_CORRECTED,
    ST_70,
    ST_75A,
    ST_76A,
    ST_75B,
    ST_75B_CORRECTED,
)
