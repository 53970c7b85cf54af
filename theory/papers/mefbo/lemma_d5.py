"""Lemma D.5: descent of ``Phi_{c_t}`` in one round.

As printed it is false: (45) puts the mean of ``h_x`` in its place inside ``E<grad Phi - h_x, x^{t+1} - x^t>``, although
``x^{t+1}`` depends on it. Corrected, the variances of ``h_x`` and ``h_y`` appear, to the first power of the steps.
"""

import sympy as sp

from rateproof.theory.assumptions import Attained
from rateproof.theory.claim import Kind
from rateproof.theory.gram import dot, norm2, vectors
from rateproof.theory.papers.mefbo import notation as p
from rateproof.theory.papers.mefbo import one_round as r
from rateproof.theory.papers.mefbo.one_round import g_p, g_s, g_z, inside
from rateproof.theory.proof import (
    Mean,
    Proof,
    Setting,
    cite,
    have,
    lipschitz,
    mean,
    projection,
    qed,
    smooth,
    unfold,
    written_out,
)
from rateproof.theory.shorthand import amended, ge, le
from rateproof.theory.symbols import NONNEG
from rateproof.theory.units import INNER

_STEP_OF = ("proof of Lemma D.5", Kind.INEQUALITY)
#: The vectors of one round.
x, y, t, s, yk, tk, xp, yp, sp_, sx, pxp = vectors("x y t s yk tk xp yp sp sx pxp")
fx, gx, hx, fxi, gxi, hxi, fxk, gxk, hxk = vectors("fx gx hx fxi gxi hxi fxk gxk hxk")
fy, gy, fyi, gyi, fyk, gyk = vectors("fy gy fyi gyi fyk gyk")


var_x = p.formula("var_x", "E ||h_x - htilde_x||^2", p.FORCE2, **NONNEG)
var_y = p.formula("var_y", "E ||h_y - htilde_y||^2", p.FORCE2, **NONNEG)
cross_h = p.formula("cross_h", "E <grad_x Phi - h_x, x^{t+1} - x^t>", INNER)
cross_m = p.formula("cross_m", "E <grad_x Phi - htilde_x, x^{t+1} - x^t>", INNER)
push = p.formula("push", "<h_x, x^{t+1} - x^t>", INNER)
_away = "||sum_i w_i (grad_x phi_i(z^t)[theta^t] - htilde_{x,i})||^2"
jensen = p.formula("jensen_x", _away, p.FORCE2, **NONNEG)

_three = p.L_1**2 / p.c_t**2
COEFF_X = 3 * p.lambda_x * (_three + 2 * p.L_2**2) + 3 * p.lambda_y * p.RATIO
COEFF_Y = 3 * p.lambda_x * p.L_2**2 + p.lambda_y / 2 * (6 * _three + 6 * p.L_2**2 + 3 / p.gamma**2)
#: The coefficient of the drift of y that the proof gives, and that the proof of Lemma D.8 uses.
COEFF_Y_PROOF = COEFF_Y - 3 * p.lambda_x * p.L_2**2 + 3 * p.lambda_x * p.RATIO
COEFF_T = 3 * p.lambda_x * p.L_2**2 + 3 / p.gamma**2 * p.lambda_y
COEFF_GAP = p.lambda_x * p.L_2**2 + 3 * p.lambda_y / p.gamma**2


def descent(coeff_y: sp.Expr, moved: sp.Rational, rest: sp.Expr = sp.S.Zero) -> sp.Rel:
    """The lemma, with the coefficient of the drift of y and that of the moves, ``-moved/lambda + L_Phi/2``."""
    return le(
        p.Phi_end,
        p.Phi_t
        - (moved / p.lambda_x - p.L_Phi / 2) * p.step_x
        - (moved / p.lambda_y - p.L_Phi / 2) * p.step_y
        + COEFF_GAP * p.gap2
        + COEFF_X * p.D_x
        + coeff_y * p.D_y
        + COEFF_T * p.D_theta
        + rest,
    )


LEMMA_D5 = p.claim(
    "lemD.5",
    "Lemma D.5",
    Kind.INEQUALITY,
    "Phi(z^{t+1}) <= Phi(z^t) - (1/(2 lambda_x) - L_Phi/2) E||x^{t+1} - x^t||^2 - (1/(2 lambda_y) - L_Phi/2) "
    "E||y^{t+1} - y^t||^2 + (lambda_x L_2^2 + 3 lambda_y/gamma^2) gap^2 + [3 lambda_x (L_1^2/c^2 + 2 L_2^2) + 3 "
    "lambda_y (L_1^2/c^2 + L_2^2)] Delta_x + [3 lambda_x L_2^2 + (lambda_y/2) (6 L_1^2/c^2 + 6 L_2^2 + 3/gamma^2)] "
    "Delta_y + [3 lambda_x L_2^2 + 3 lambda_y/gamma^2] Delta_theta",
    descent(COEFF_Y, sp.Rational(1, 2)),
    title="Descent of the penalty function",
    hypotheses=p.RUN,
    where=p.SMOOTHNESS,
    follows_from=("lemD.4", "st-42/43", "st-45", "st-47/48", "st-52", "st-52y"),
    note="Read with an expectation on both sides.",
)
# --- the steps of the proof

(HX,) = vectors("HX")
ST_42 = p.claim(
    "st-42/43",
    *_STEP_OF,
    "<x^t - lambda_x h_x - x^{t+1}, x^t - x^{t+1}> <= 0, hence <h_x, x^{t+1} - x^t> <= -||x^{t+1} - x^t||^2/lambda_x",
    le(push, -p.step_x / p.lambda_x),
    equation="42",
    title="A projected step goes downhill",
    hypotheses=(p.SETS, p.METHOD),
    setting=Setting(
        depends={"x": "past", "HX": r.END},
        words={"x": r.ROUND.words["x"], "HX": "h_x, the direction of x"},
        functions={"X": {"x": (x, x, inside), "x+": (x - p.lambda_x * HX, xp, inside)}},
        metrics={push: dot(HX, xp - x), p.step_x: norm2(xp - x)},
    ),
    proof=Proof(qed(by=[projection("X", "x", "x+")])),
)
ST_45 = p.claim(
    "st-45",
    *_STEP_OF,
    "E<grad_x Phi - h_x, x^{t+1} - x^t> is at most the same with the mean htilde_x of h_x in its place",
    le(cross_h, cross_m),
    equation="45",
    title="The mean in place of the direction",
    hypotheses=p.RUN,
    note="On X = R the left side exceeds the right one by lambda_x E||h_x - htilde_x||^2. (45) adds the same in y.",
)
#: ``off_x`` is grad_x Phi - htilde_x, ``ex`` is h_x - htilde_x.
off_x, ex, move_x = vectors("off_x ex move_x")
ERROR = Setting(
    depends=dict.fromkeys(("off_x", "ex", "move_x"), r.END),
    words={"off_x": "grad_x Phi - htilde_x", "move_x": "x^{t+1} - x^t", "ex": "h_x - htilde_x"},
    metrics={
        cross_m: dot(off_x, move_x),
        cross_h: dot(off_x - ex, move_x),
        var_x: norm2(ex),
        p.err_x: norm2(off_x),
        p.step_x: norm2(move_x),
    },
)
ST_45_CORRECTED = amended(
    ST_45,
    "x^{t+1} depends on h_x: what the exchange costs is the variance of h_x",
    text="E<grad_x Phi - h_x, x^{t+1} - x^t> <= E<grad_x Phi - htilde_x, x^{t+1} - x^t> + lambda_x E||h_x - "
    "htilde_x||^2 + E||x^{t+1} - x^t||^2/(4 lambda_x)",
    statement=le(cross_h, cross_m + p.lambda_x * var_x + p.step_x / (4 * p.lambda_x)),
    hypotheses=(p.METHOD,),
    note="",
    setting=ERROR,
    proof=Proof(qed()),
)
ST_47 = p.claim(
    "st-47/48",
    *_STEP_OF,
    "E<grad_x Phi - htilde_x, x^{t+1} - x^t> <= (lambda_x/2) ||grad_x Phi - htilde_x||^2 + E||x^{t+1} - x^t||^2/(2 "
    "lambda_x)",
    le(cross_m, p.lambda_x / 2 * p.err_x + p.step_x / (2 * p.lambda_x)),
    equation="47",
    title="Young's inequality for the error",
    hypotheses=(p.METHOD,),
    setting=ERROR,
    proof=Proof(qed()),
)

#: Direction of a client at a local step less the one at ``(x, y, theta)``, and its mean over steps and clients.
dx, dy, dx_a, dy_a, dx_c, dy_c = vectors("dx dy dx_a dy_a dx_c dy_c")
CHANGE_X = (fxk - fxi) / p.c_t + (gxk - gxi) - (hxk - hxi)
CHANGE_Y = (fyk - fyi) / p.c_t + (gyk - gyi) - (yk - y - (tk - t)) / p.gamma
GRAD_X, _h_x = fx / p.c_t + gx - sx, fx / p.c_t + gx - hx
GRAD_Y, _h_y = (fy / p.c_t + gy - (y - at) / p.gamma for at in (s, t))
ERRORS = r.wider(
    r.ROUND,
    means=r.averaged("dx", "dy"),
    sums={"dx": CHANGE_X, "dy": CHANGE_Y},
    metrics={p.err_x: norm2(GRAD_X - _h_x - dx_a), p.err_y: norm2(GRAD_Y - _h_y - dy_a), jensen: norm2(dx_a)},
)
_ERROR_HYPOTHESES = (p.F_SMOOTH, p.G_SMOOTH, p.WEIGHTS, p.SETS, p.METHOD)
_three_terms = 3 * p.RATIO * (p.D_x + p.D_y) + 3 * p.L_2**2 * (p.D_x + p.D_theta)
_five_terms = (
    6 / p.gamma**2 * p.gap2
    + 6 * p.RATIO * p.D_x
    + (6 * _three + 6 * p.L_2**2 + 3 / p.gamma**2) * p.D_y
    + 6 / p.gamma**2 * p.D_theta
)
CHANGES = tuple(
    have(f"change of grad {f}", le(norm2(change), L**2 * (p.D_x + p.D_y)), by=[lipschitz(f"{f}_i", "local", "z")])
    for f, change, L in (("f", fxk - fxi + fyk - fyi, p.L_1), ("g", gxk - gxi + gyk - gyi, p.L_2))
)
ST_50 = p.claim(
    "st-50",
    *_STEP_OF,
    "||grad_x Phi - htilde_x||^2 <= 2 L_2^2 E||theta* - theta||^2 + 2 ||sum_i w_i [grad_x phi_i(z)[theta] - "
    "htilde_{x,i}]||^2",
    le(p.err_x, 2 * p.L_2**2 * p.gap2 + 2 * jensen),
    equation="50",
    title="Error split at the tracked point",
    hypotheses=_ERROR_HYPOTHESES,
    setting=ERRORS,
    proof=Proof(
        have("at theta*", le(norm2(sx - hx), p.L_2**2 * p.gap2), by=[lipschitz("G", "theta*", "theta")]),
        qed(by=["at theta*"], multipliers=[2]),
    ),
)
ST_51 = p.claim(
    "st-51",
    *_STEP_OF,
    "||sum_i w_i [grad_x phi_i(z)[theta] - htilde_{x,i}]||^2 <= 3 (L_1^2/c^2 + L_2^2) E||(x_k, y_k) - (x, y)||^2 + 3 "
    "L_2^2 (E||x_k - x||^2 + E||theta_k - theta||^2), on the weighted mean",
    le(jensen, _three_terms),
    equation="51",
    title="Error of local directions by the drift",
    hypotheses=_ERROR_HYPOTHESES,
    setting=ERRORS,
    proof=Proof(
        *CHANGES,
        have(
            "change of grad g at theta",
            le(norm2(hxk - hxi), p.L_2**2 * (p.D_x + p.D_theta)),
            by=[lipschitz("g_i", "local theta", "theta")],
        ),
        have(
            "three terms",
            le(norm2(CHANGE_X), _three_terms),
            by=["change of grad f", "change of grad g", "change of grad g at theta"],
            multipliers=[3 / p.c_t**2, 3, 3],
        ),
        have("a direction", le(norm2(dx), _three_terms), by=["three terms", written_out("dx")]),
        qed(by=["a direction", mean("dx_c"), mean("dx_a")]),
    ),
)
ST_52 = p.claim(
    "st-52",
    *_STEP_OF,
    "||grad_x Phi - htilde_x||^2 <= 2 L_2^2 gap^2 + 6 (L_1^2/c^2 + 2 L_2^2) Delta_x + 6 (L_1^2/c^2 + L_2^2) Delta_y + "
    "6 L_2^2 Delta_theta",
    le(
        p.err_x,
        2 * p.L_2**2 * p.gap2 + 6 * (_three + 2 * p.L_2**2) * p.D_x + 6 * p.RATIO * p.D_y + 6 * p.L_2**2 * p.D_theta,
    ),
    equation="52",
    title="Error of the mean direction in x",
    hypotheses=_ERROR_HYPOTHESES,
    follows_from=("st-50", "st-51"),
    setting=ERRORS,
    proof=Proof(qed(by=[cite("mefbo.st-50"), cite("mefbo.st-51")], multipliers=[1, 2])),
)
ST_52Y = p.claim(
    "st-52y",
    *_STEP_OF,
    "||grad_y Phi - htilde_y||^2 <= (6/gamma^2) gap^2 + 6 (L_1^2/c^2 + L_2^2) Delta_x + (6 L_1^2/c^2 + 6 L_2^2 + "
    "3/gamma^2) Delta_y + (6/gamma^2) Delta_theta",
    le(p.err_y, _five_terms),
    title="Error of the mean direction in y",
    hypotheses=_ERROR_HYPOTHESES,
    note="Cauchy and Schwarz with the weights 1/6 (gap), 1/6 (f), 1/6 (g), 1/3 (y) and 1/6 (theta), of sum one.",
    setting=ERRORS,
    proof=Proof(
        *CHANGES,
        have(
            "five terms",
            le(norm2((s - t) / p.gamma - CHANGE_Y), _five_terms),
            by=["change of grad f", "change of grad g"],
            multipliers=[6 / p.c_t**2, 6],
        ),
        have("a direction", le(norm2((s - t) / p.gamma - dy), _five_terms), by=["five terms", written_out("dy")]),
        qed(by=["a direction", mean("dy_c"), mean("dy_a")]),
    ),
)

# --- the corrected lemma

#: The gradients where the round ends; ``ex`` and ``ey`` are what the server's directions have beside their means.
fxp, fyp, gxp, gyp, fxpi, fypi, gxpi, gypi, ey = vectors("fxp fyp gxp gyp fxpi fypi gxpi gypi ey")
f_e, g_e, F_inf = sp.symbols("f_e g_e F_inf", real=True)
END = r.wider(
    r.ended(ERRORS),
    depends=dict.fromkeys(("ex", "ey"), r.END),
    means=r.by_client("fxp", "fyp", "gxp", "gyp"),
    words={"ex": "h_x - htilde_x", "ey": "h_y - htilde_y"},
    functions={
        "f_i": {"z+": (xp + yp, fxpi + fypi, f_e)},
        "F": {"z": (x + y, fx + fy, r.f_z), "z+": (xp + yp, fxp + fyp, f_e)},
        "g_i": {"z+": (xp + yp, gxpi + gypi, g_e)},
        "G": {"z+": (xp + yp, gxp + gyp, g_e)},
        "X": {"x": (x, x, inside), "x+": (x - p.lambda_x * (_h_x + dx_a + ex), xp, inside)},
        "Y": {"y": (y, y, inside), "y+": (y - p.lambda_y * (_h_y + dy_a + ey), yp, inside)},
    },
    made={"F": Mean("f_i", "client")},
    assumes=(Attained("M+"),),  # at theta* of where the round ends
    metrics={
        p.Phi_t: (r.f_z - F_inf) / p.c_t + g_z - g_s - norm2(s - y) / (2 * p.gamma),
        p.Phi_end: (f_e - F_inf) / p.c_t + g_e - g_p - norm2(sp_ - yp) / (2 * p.gamma),
        var_x: norm2(ex),
        var_y: norm2(ey),
    },
    measured=(F_inf,),
)
_moved = p.step_x + p.step_y
_largest = sp.Max(p.L_2, 1 / p.gamma)
_v, _v_end = g_s + norm2(s - y) / (2 * p.gamma), g_p + norm2(sp_ - yp) / (2 * p.gamma)
_linear = dot(sx, xp - x) + dot(y - s, yp - y) / p.gamma
#: ``Phi`` at the end of the round against its linear approximation at the start.
SMOOTH_PHI = (
    *(
        have(of, le(end - start - dot(gradient, xp + yp - x - y), L / 2 * _moved), by=[smooth(of, "z+", "z")])
        for of, end, start, gradient, L in (("F", f_e, r.f_z, fx + fy, p.L_1), ("G", g_e, g_z, gx + gy, p.L_2))
    ),
    have(
        "the envelope",
        ge(_v_end - _v - _linear, -_largest / 2 * _moved),
        by=[cite("mefbo.lemD.2-37", at={p.rv1: _largest, p.rv2: _largest}, **r.ENDS)],
    ),
    have(
        "smoothness",
        le(p.Phi_end, p.Phi_t + dot(GRAD_X, xp - x) + dot(GRAD_Y, yp - y) + p.L_Phi / 2 * _moved),
        by=["F", "G", "the envelope", unfold(p.L_Phi)],
    ),
)
LEMMA_D5_CORRECTED = amended(
    LEMMA_D5,
    "(45) replaces h by its mean in a product with x^{t+1}, which depends on h; the coefficient of Delta_y is that of "
    "the proof of Lemma D.8",
    text="As printed with 1/(4 lambda) for 1/(2 lambda), L_1^2/c^2 + L_2^2 for L_2^2 beside 3 lambda_x in the "
    "coefficient of Delta_y, and lambda_x E||h_x - htilde_x||^2 + lambda_y E||h_y - htilde_y||^2 added on the right",
    statement=descent(COEFF_Y_PROOF, sp.Rational(1, 4), p.lambda_x * var_x + p.lambda_y * var_y),
    follows_from=("lemD.2-37", "st-52", "st-52y"),
    note="",
    setting=END,
    proof=Proof(
        *SMOOTH_PHI,
        *(
            have(
                f"slope in {v}",
                le(dot(gradient, vectors(f"{v}p")[0] - vectors(v)[0]), step * (error / 2 + noise) - move / (4 * step)),
                by=[projection(v.upper(), v, f"{v}+")],
            )
            for v, gradient, step, error, noise, move in (
                ("x", GRAD_X, p.lambda_x, p.err_x, var_x, p.step_x),
                ("y", GRAD_Y, p.lambda_y, p.err_y, var_y, p.step_y),
            )
        ),
        qed(
            by=["smoothness", "slope in x", "slope in y", cite("mefbo.st-52"), cite("mefbo.st-52y")],
            multipliers=[1, 1, 1, p.lambda_x / 2, p.lambda_y / 2],
        ),
    ),
)
CLAIMS = (LEMMA_D5, LEMMA_D5_CORRECTED, ST_42, ST_45, ST_45_CORRECTED, ST_47, ST_50, ST_51, ST_52, ST_52Y)
