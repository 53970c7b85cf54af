"""Lemma D.5: descent of ``Phi_{c_t}`` in one round.

As printed it is false: (45) puts the mean of ``h_x`` in its place inside ``E<grad Phi - h_x, x^{t+1} - x^t>``, although
``x^{t+1}`` depends on it. Corrected, the variances of ``h_x`` and ``h_y`` appear, to the first power of the steps.
"""

from dataclasses import replace

import sympy as sp

from rateproof.theory.assumptions import Minimiser
from rateproof.theory.claim import Kind
from rateproof.theory.gram import dot, norm2, vectors
from rateproof.theory.papers.mefbo import notation as p
from rateproof.theory.papers.mefbo.one_round import (
    LOCAL,
    ROUND,
    M_s,
    averaged,
    f_z,
    fx,
    fxi,
    fxk,
    fy,
    fyi,
    fyk,
    g_s,
    g_z,
    gx,
    gxi,
    gxk,
    gy,
    gyi,
    gyk,
    hx,
    hxi,
    hxk,
    inside,
    s,
    sx,
    sy,
    t,
    tk,
    y,
    yk,
)
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
from rateproof.theory.shorthand import amended, le
from rateproof.theory.symbols import NONNEG
from rateproof.theory.units import INNER

declare = p.declare
var_x = declare(
    "var_x",
    "E ||h_x - htilde_x||^2, of the server's direction",
    p.FORCE2,
    latex=r"\mathbb E\|h_x-\tilde h_x\|^2",
    **NONNEG,
)
var_y = declare(
    "var_y",
    "E ||h_y - htilde_y||^2, of the server's direction",
    p.FORCE2,
    latex=r"\mathbb E\|h_y-\tilde h_y\|^2",
    **NONNEG,
)
cross_h = declare(
    "cross_h",
    "E <grad_x Phi - h_x, x^{t+1} - x^t>",
    INNER,
    latex=r"\mathbb E\langle\nabla_x\Phi-h_x,x^{t+1}-x^t\rangle",
)
cross_m = declare(
    "cross_m",
    "E <grad_x Phi - htilde_x, x^{t+1} - x^t>",
    INNER,
    latex=r"\mathbb E\langle\nabla_x\Phi-\tilde h_x,x^{t+1}-x^t\rangle",
)
push = declare("push", "<h_x, x^{t+1} - x^t>", INNER, latex=r"\langle h_x,x^{t+1}-x^t\rangle")
jensen = declare(
    "jensen_x",
    "||sum_i w_i (grad_x phi_i(z^t)[theta^t] - htilde_{x,i})||^2",
    p.FORCE2,
    latex=r"\|\sum_iw_i(\nabla_x\phi_i[\theta^t]-\tilde h_{x,i})\|^2",
    **NONNEG,
)

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
    "Phi(z^{t+1}) <= Phi(z^t) - (1/(2 lambda_x) - L_Phi/2) E||dx||^2 - (1/(2 lambda_y) - L_Phi/2) E||dy||^2 + "
    "(lambda_x L_2^2 + 3 lambda_y/gamma^2) gap^2 + [3 lambda_x (L_1^2/c^2 + 2 L_2^2) + 3 lambda_y (L_1^2/c^2 + "
    "L_2^2)] Delta_x + [3 lambda_x L_2^2 + (lambda_y/2) (6 L_1^2/c^2 + 6 L_2^2 + 3/gamma^2)] Delta_y + [3 lambda_x "
    "L_2^2 + 3 lambda_y/gamma^2] Delta_theta",
    descent(COEFF_Y, sp.Rational(1, 2)),
    title="Descent of the penalty function",
    hypotheses=p.RUN,
    where=p.SMOOTHNESS,
    follows_from=("lemD.4", "st-42/43", "st-45", "st-47/48", "st-52", "st-52y"),
    note="Read with an expectation on both sides.",
)
# --- the steps of the proof

HX, xp, xq = vectors("HX xp xq")
PROJECTED = Setting(
    depends={"x": "past", "HX": "past sample round", "xp": "past sample round"},
    functions={
        "X": {
            "x": (vectors("x")[0], vectors("x")[0], sp.Symbol("in_X", real=True)),
            "x+": (vectors("x")[0] - p.lambda_x * HX, xp, sp.Symbol("in_X", real=True)),
        }
    },
    metrics={push: dot(HX, xp - vectors("x")[0]), p.step_x: norm2(xp - vectors("x")[0])},
)
ST_42 = p.claim(
    "st-42/43",
    "proof of Lemma D.5",
    Kind.INEQUALITY,
    "<x^t - lambda_x h_x - x^{t+1}, x^t - x^{t+1}> <= 0, hence <h_x, x^{t+1} - x^t> <= -||x^{t+1} - x^t||^2/lambda_x",
    le(push, -p.step_x / p.lambda_x),
    equation="42",
    title="A projected step goes downhill",
    hypotheses=(p.SETS, p.METHOD),
    setting=PROJECTED,
    proof=Proof(qed(by=[projection("X", "x", "x+")])),
)
ST_45 = p.claim(
    "st-45",
    "proof of Lemma D.5",
    Kind.INEQUALITY,
    "E<grad_x Phi - h_x, x^{t+1} - x^t> is at most the same with the mean htilde_x of h_x in its place",
    le(cross_h, cross_m),
    equation="45",
    title="The mean in place of the direction",
    hypotheses=p.RUN,
    note="On X = R the left side exceeds the right one by lambda_x E||h_x - htilde_x||^2. (45) adds the same in y.",
)
(_d, _e, _moved) = vectors("HX ex xp")
ST_45_CORRECTED = amended(
    ST_45,
    "x^{t+1} depends on h_x: what the exchange costs is the variance of h_x",
    text="E<grad_x Phi - h_x, x^{t+1} - x^t> <= E<grad_x Phi - htilde_x, x^{t+1} - x^t> + lambda_x E||h_x - "
    "htilde_x||^2 + E||x^{t+1} - x^t||^2/(4 lambda_x)",
    statement=le(cross_h, cross_m + p.lambda_x * var_x + p.step_x / (4 * p.lambda_x)),
    hypotheses=(p.METHOD,),
    note="",
    setting=Setting(
        depends=dict.fromkeys(("HX", "ex", "xp"), "past sample round"),
        metrics={
            cross_m: dot(_d, _moved),
            cross_h: dot(_d - _e, _moved),
            var_x: norm2(_e),
            p.step_x: norm2(_moved),
        },
    ),
    proof=Proof(qed()),
)
ST_47 = p.claim(
    "st-47/48",
    "proof of Lemma D.5",
    Kind.INEQUALITY,
    "E<grad_x Phi - htilde_x, x^{t+1} - x^t> <= (lambda_x/2) ||grad_x Phi - htilde_x||^2 + E||x^{t+1} - x^t||^2/(2 "
    "lambda_x)",
    le(cross_m, p.lambda_x / 2 * p.err_x + p.step_x / (2 * p.lambda_x)),
    equation="47",
    title="Young's inequality for the error",
    hypotheses=(p.METHOD,),
    setting=Setting(
        depends={"HX": "past sample round", "xp": "past sample round"},
        metrics={cross_m: dot(HX, xp), p.err_x: norm2(HX), p.step_x: norm2(xp)},
    ),
    proof=Proof(qed()),
)

#: Direction of a client at a local step less the one at ``(x, y, theta)``, and its means over steps and clients.
dx, dy, dx_a, dy_a = vectors("dx dy dx_a dy_a")
dx_c, dy_c = vectors("dx_c dy_c")
_change_x = (fxk - fxi) / p.c_t + (gxk - gxi) - (hxk - hxi)
_change_y = (fyk - fyi) / p.c_t + (gyk - gyi) - (yk - y - (tk - t)) / p.gamma
_depends, _means = averaged("dx", "dy")
_grad_x = fx / p.c_t + gx - sx
_h_x = fx / p.c_t + gx - hx
ERRORS = replace(
    ROUND,
    depends={**ROUND.depends, "dx": LOCAL, "dy": LOCAL, **_depends},
    means={**ROUND.means, **_means},
    sums={"dx": _change_x, "dy": _change_y},
    blocks={**ROUND.blocks, **{name: "x" if "x" in name else "y" for name in ("dx", "dy", *_depends)}},
    metrics={
        **ROUND.metrics,
        p.err_x: norm2(_grad_x - _h_x - dx_a),
        p.err_y: norm2((s - t) / p.gamma - dy_a),
        jensen: norm2(dx_a),
    },
)
_ERROR_HYPOTHESES = (p.F_SMOOTH, p.G_SMOOTH, p.WEIGHTS, p.SETS, p.METHOD)
_three_terms = 3 * p.RATIO * (p.D_x + p.D_y) + 3 * p.L_2**2 * (p.D_x + p.D_theta)
_five_terms = (
    6 / p.gamma**2 * p.gap2
    + 6 * p.RATIO * p.D_x
    + (6 * _three + 6 * p.L_2**2 + 3 / p.gamma**2) * p.D_y
    + 6 / p.gamma**2 * p.D_theta
)
_CHANGES = (
    have(
        "change of grad f",
        le(norm2(fxk - fxi + fyk - fyi), p.L_1**2 * (p.D_x + p.D_y)),
        by=[lipschitz("f_i", "local", "z")],
    ),
    have(
        "change of grad g",
        le(norm2(gxk - gxi + gyk - gyi), p.L_2**2 * (p.D_x + p.D_y)),
        by=[lipschitz("g_i", "local", "z")],
    ),
)
_DX = (
    *_CHANGES,
    have(
        "change of grad g at theta",
        le(norm2(hxk - hxi), p.L_2**2 * (p.D_x + p.D_theta)),
        by=[lipschitz("g_i", "local theta", "theta")],
    ),
    have(
        "three terms",
        le(norm2(_change_x), _three_terms),
        by=["change of grad f", "change of grad g", "change of grad g at theta"],
        multipliers=[3 / p.c_t**2, 3, 3],
    ),
    have("change of a direction", le(norm2(dx), _three_terms), by=["three terms", written_out("dx")]),
    have("mean over the steps", le(norm2(dx_c), norm2(dx)), by=[mean("dx_c")]),
    have("mean over the clients", le(norm2(dx_a), norm2(dx_c)), by=[mean("dx_a")]),
)
ST_50 = p.claim(
    "st-50",
    "proof of Lemma D.5",
    Kind.INEQUALITY,
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
    "proof of Lemma D.5",
    Kind.INEQUALITY,
    "||sum_i w_i [grad_x phi_i(z)[theta] - htilde_{x,i}]||^2 <= 3 (L_1^2/c^2 + L_2^2) E||(x_k, y_k) - (x, y)||^2 + 3 "
    "L_2^2 (E||x_k - x||^2 + E||theta_k - theta||^2), on the weighted mean",
    le(jensen, _three_terms),
    equation="51",
    title="Error of local directions by the drift",
    hypotheses=_ERROR_HYPOTHESES,
    setting=ERRORS,
    proof=Proof(*_DX, qed(by=["mean over the clients", "mean over the steps", "change of a direction"])),
)
ST_52 = p.claim(
    "st-52",
    "proof of Lemma D.5",
    Kind.INEQUALITY,
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
    proof=Proof(
        *_DX,
        have("at theta*", le(norm2(sx - hx), p.L_2**2 * p.gap2), by=[lipschitz("G", "theta*", "theta")]),
        have("the split", le(p.err_x, 2 * p.L_2**2 * p.gap2 + 2 * jensen), by=["at theta*"], multipliers=[2]),
        qed(by=["the split", "mean over the clients", "mean over the steps", "change of a direction"]),
    ),
)
ST_52Y = p.claim(
    "st-52y",
    "proof of Lemma D.5",
    Kind.INEQUALITY,
    "||grad_y Phi - htilde_y||^2 <= (6/gamma^2) gap^2 + 6 (L_1^2/c^2 + L_2^2) Delta_x + (6 L_1^2/c^2 + 6 L_2^2 + "
    "3/gamma^2) Delta_y + (6/gamma^2) Delta_theta",
    le(p.err_y, _five_terms),
    title="Error of the mean direction in y",
    hypotheses=_ERROR_HYPOTHESES,
    note="Cauchy and Schwarz with the weights 1/6 (gap), 1/6 (f), 1/6 (g), 1/3 (y) and 1/6 (theta), of sum one.",
    setting=ERRORS,
    proof=Proof(
        *_CHANGES,
        have(
            "five terms",
            le(norm2((s - t) / p.gamma - _change_y), _five_terms),
            by=["change of grad f", "change of grad g"],
            multipliers=[6 / p.c_t**2, 6],
        ),
        have(
            "with the gap",
            le(norm2((s - t) / p.gamma - dy), _five_terms),
            by=["five terms", written_out("dy")],
        ),
        have(
            "mean over the steps",
            le(norm2((s - t) / p.gamma - dy_c), norm2((s - t) / p.gamma - dy)),
            by=[mean("dy_c")],
        ),
        have(
            "mean over the clients",
            le(norm2((s - t) / p.gamma - dy_a), norm2((s - t) / p.gamma - dy_c)),
            by=[mean("dy_a")],
        ),
        qed(by=["mean over the clients", "mean over the steps", "with the gap"]),
    ),
)

# --- the corrected lemma

#: Where the round ends: ``xp, yp`` with ``sp = theta*_gamma(xp, yp)``, and the gradients there and at (xp, s). ``ex``
#: and ``ey`` are what the server's directions have beside their means.
yp, sp_, mp, m, ex, ey = vectors("yp sp mp m ex ey")
_AFTER = {name: f"{name}i" for name in ("fxp", "fyp", "gxp", "gyp", "pxp", "pyp", "qxp", "qyp")}
fxp, fyp, gxp, gyp, pxp, pyp, qxp, qyp = vectors(" ".join(_AFTER))
fxpi, fypi, gxpi, gypi, pxpi, pypi, qxpi, qypi = vectors(" ".join(_AFTER.values()))
f_e, g_e, g_p, g_q, M_p, F_inf = sp.symbols("f_e g_e g_p g_q M_p F_inf", real=True)
(x,) = vectors("x")
_END = "past sample round"
_new = dict.fromkeys(("xp", "yp", "sp", "mp", "ex", "ey", *_AFTER), _END)
_h_y = fy / p.c_t + gy - (y - t) / p.gamma
_grad_y = fy / p.c_t + gy - (y - s) / p.gamma
END = replace(
    ERRORS,
    depends={**ERRORS.depends, **_new, "m": "past", **dict.fromkeys(_AFTER.values(), f"{_END} client")},
    means={**ERRORS.means, **{name: Mean(of, "client") for name, of in _AFTER.items()}},
    sums={**ERRORS.sums, "m": sy + (s - y) / p.gamma, "mp": pyp + (sp_ - yp) / p.gamma},
    blocks={
        **ERRORS.blocks,
        **{name: "x" if "x" in name else "y" for name in (*_new, *_AFTER.values(), "m")},
    },
    functions={
        "f_i": {**ERRORS.functions["f_i"], "z+": (xp + yp, fxpi + fypi, f_e)},
        "F": {"z": (x + y, fx + fy, ERRORS.functions["f_i"]["z"][2]), "z+": (xp + yp, fxp + fyp, f_e)},
        "g_i": {
            **ERRORS.functions["g_i"],
            "z+": (xp + yp, gxpi + gypi, g_e),
            "theta*+": (xp + sp_, pxpi + pypi, g_p),
            "cross": (xp + s, qxpi + qypi, g_q),
        },
        "G": {
            **ERRORS.functions["G"],
            "z+": (xp + yp, gxp + gyp, g_e),
            "theta*+": (xp + sp_, pxp + pyp, g_p),
            "cross": (xp + s, qxp + qyp, g_q),
        },
        "M": {"theta*": (s, m, M_s)},
        "M+": {"theta*": (sp_, mp, M_p)},
        "X": {"x": (x, x, inside), "x+": (x - p.lambda_x * (_h_x + dx_a + ex), xp, inside)},
        "Y": {
            "y": (y, y, inside),
            "y+": (y - p.lambda_y * (_h_y + dy_a + ey), yp, inside),
            "theta*": (s, s, inside),
            "theta*+": (sp_, sp_, inside),
        },
    },
    made={**ERRORS.made, "F": Mean("f_i", "client"), "M+": {"G": sp.S.One, "half": 1 / p.gamma}},
    assumes=(*ERRORS.assumes, Minimiser("M+", "theta*", "Y")),
    metrics={
        **ERRORS.metrics,
        p.Phi_t: (ERRORS.functions["f_i"]["z"][2] - F_inf) / p.c_t + g_z - g_s - norm2(s - y) / (2 * p.gamma),
        p.Phi_end: (f_e - F_inf) / p.c_t + g_e - g_p - norm2(sp_ - yp) / (2 * p.gamma),
        p.step_x: norm2(xp - x),
        p.step_y: norm2(yp - y),
        var_x: norm2(ex),
        var_y: norm2(ey),
    },
    measured=(*ERRORS.measured, f_e, g_e, g_p, g_q, M_p, F_inf),
)
_f_rest = f_e - f_z - dot(fx + fy, xp + yp - x - y)
_g_rest = g_e - g_z - dot(gx + gy, xp + yp - x - y)
_v_rest = (
    g_p
    + norm2(sp_ - yp) / (2 * p.gamma)
    - g_s
    - norm2(s - y) / (2 * p.gamma)
    - dot(sx, xp - x)
    - dot(y - s, yp - y) / p.gamma
)
_largest = sp.Max(p.L_2, 1 / p.gamma)
_moved = p.step_x + p.step_y
ERR_X, ERR_Y = ST_52.statement, ST_52Y.statement
DESCENT = Proof(
    have("F", le(_f_rest, p.L_1 / 2 * _moved), by=[smooth("F", "z+", "z")]),
    have("G", le(_g_rest, p.L_2 / 2 * _moved), by=[smooth("G", "z+", "z")]),
    have(
        "the envelope",
        le(-_v_rest, _largest / 2 * _moved),
        by=[
            cite(
                "mefbo.lemD.2-37",
                at={p.rv1: _largest, p.rv2: _largest},
                points={
                    "G.theta*(z)": "G.theta*+",
                    "G.theta*(zb)": "G.theta*",
                    "G.cross": "G.cross",
                    "M.theta*": "M+.theta*",
                    "Mb.theta*": "M.theta*",
                    "Y.s": "Y.theta*+",
                    "Y.sb": "Y.theta*",
                },
                vectors={"y": yp, "yb": y},
            )
        ],
    ),
    have(
        "smoothness",
        le(p.Phi_end, p.Phi_t + dot(_grad_x, xp - x) + dot(_grad_y, yp - y) + p.L_Phi / 2 * _moved),
        by=["F", "G", "the envelope", unfold(p.L_Phi)],
    ),
    have("step of x", le(dot(_h_x + dx_a + ex, xp - x), -p.step_x / p.lambda_x), by=[projection("X", "x", "x+")]),
    have("step of y", le(dot(_h_y + dy_a + ey, yp - y), -p.step_y / p.lambda_y), by=[projection("Y", "y", "y+")]),
    have(
        "error in x",
        le(dot(_grad_x - _h_x - dx_a, xp - x), p.lambda_x / 2 * p.err_x + p.step_x / (2 * p.lambda_x)),
    ),
    have(
        "error in y",
        le(dot(_grad_y - _h_y - dy_a, yp - y), p.lambda_y / 2 * p.err_y + p.step_y / (2 * p.lambda_y)),
    ),
    have("noise in x", le(dot(-1 * ex, xp - x), p.lambda_x * var_x + p.step_x / (4 * p.lambda_x))),
    have("noise in y", le(dot(-1 * ey, yp - y), p.lambda_y * var_y + p.step_y / (4 * p.lambda_y))),
    have(
        "with the errors",
        le(
            p.Phi_end,
            p.Phi_t
            - (1 / (4 * p.lambda_x) - p.L_Phi / 2) * p.step_x
            - (1 / (4 * p.lambda_y) - p.L_Phi / 2) * p.step_y
            + p.lambda_x * (p.err_x / 2 + var_x)
            + p.lambda_y * (p.err_y / 2 + var_y),
        ),
        by=["smoothness", "step of x", "step of y", "error in x", "error in y", "noise in x", "noise in y"],
        multipliers=[1] * 7,
    ),
    have("bound of the error in x", ERR_X, by=[cite("mefbo.st-52")]),
    have("bound of the error in y", ERR_Y, by=[cite("mefbo.st-52y")]),
    qed(
        by=["with the errors", "bound of the error in x", "bound of the error in y"],
        multipliers=[1, p.lambda_x / 2, p.lambda_y / 2],
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
    proof=DESCENT,
)

CLAIMS = (LEMMA_D5, LEMMA_D5_CORRECTED, ST_42, ST_45, ST_45_CORRECTED, ST_47, ST_50, ST_51, ST_52, ST_52Y)
