"""Lemma D.4: ``Phi_{c_t}``, the penalty function less its lowest value, is nonnegative and smooth."""

import sympy as sp

from rateproof.theory.claim import Kind
from rateproof.theory.gram import dot, norm2, vectors
from rateproof.theory.papers.mefbo import notation as p
from rateproof.theory.papers.mefbo.lemma_d2 import CROSSED_AT_THETA, ENVELOPE, GRAD, y
from rateproof.theory.papers.mefbo.reformulation import ATTAINED, IN_Y
from rateproof.theory.proof import Mean, Proof, Setting, cite, have, infimum, qed, smooth, unfold
from rateproof.theory.shorthand import every, ge, le, misprint, restated

(z,) = vectors("z")
F_xy, F_inf = sp.symbols("F_xy F_inf", real=True)
PHI_POS = p.claim(
    "PhiPos",
    "Appendix D.3",
    Kind.INEQUALITY,
    "Phi_{c_t}(x, y) >= 0 on X x Y, where Phi_{c_t} = (F - F_inf)/c_t + G - v_gamma",
    ge(p.Phi_xy, 0),
    equation="39",
    title="The penalty function is nonnegative",
    hypotheses=(p.BELOW, p.SETS, IN_Y, ATTAINED),
    setting=Setting(
        depends={"z": "", "y": ""},
        words={"z": "any point (x, y) of X x Y", "y": "its part y"},
        functions={"F": {"z": (z, None, F_xy)}, "M": {"y": (y, None, p.G_xy)}},
        infima={"F": F_inf, "M": p.v_xy},
        metrics={p.Phi_xy: (F_xy - F_inf) / p.c_t + p.G_xy - p.v_xy},
        measured=(F_inf, p.v_xy),
    ),
    proof=Proof(
        have("F >= F_inf", ge(F_xy, F_inf), by=[infimum("F", "z")]),
        have("theta = y", ge(p.G_xy, p.v_xy), by=[infimum("M", "y")]),
        qed(by=["F >= F_inf", "theta = y"]),
    ),
)

x, xb, fx, fxb, gx, gxb = vectors("x xb fx fxb gx gxb")
yb, fy, fyb, gy, gyb = vectors("yb fy fyb gy gyb")
F_z, F_zb, G_z, G_zb = sp.symbols("F_z F_zb G_z G_zb", real=True)
_outer = F_z - F_zb - dot(fxb + fyb, x + y - xb - yb)
_inner = G_z - G_zb - dot(gxb + gyb, x + y - xb - yb)
#: Two points with the gradients of F and G there.
POINTS = p.by_space(
    Setting(
        depends=dict.fromkeys(("x", "xb", "y", "yb"), ""),
        functions={
            "F": {"z": (x + y, fx + fy, F_z), "zb": (xb + yb, fxb + fyb, F_zb)},
            "G": {"z": (x + y, gx + gy, G_z), "zb": (xb + yb, gxb + gyb, G_zb)},
        },
        made={"F": Mean("f_i", "client"), "G": Mean("g_i", "client")},
        metrics={p.Phi_rest: _outer / p.c_t + _inner - p.v_rest, p.dx2: norm2(x - xb), p.dy2: norm2(y - yb)},
        measured=(p.v_rest,),
        others=(CROSSED_AT_THETA,),
        words={name: ENVELOPE.words[name] for name in ("x", "y", "xb", "yb")},
    )
)
_largest = sp.Max(p.L_2, 1 / p.gamma)
_dist = p.dx2 + p.dy2
LEMMA_D4 = p.claim(
    "lemD.4",
    "Lemma D.4",
    Kind.INEQUALITY,
    "Phi_{c_t} is L_{Phi_t}-smooth in (x, y), L_{Phi_t} = L_1/c_t + L_2 + max{L_2, 1/gamma}",
    every(le(p.Phi_rest, p.L_Phi / 2 * _dist), ge(p.Phi_rest, -p.L_Phi / 2 * _dist)),
    title="Smoothness of the penalty function",
    hypotheses=(p.SETS, p.WEIGHTS, p.F_SMOOTH, p.G_SMOOTH, p.GAMMA),
    where=p.SMOOTHNESS,
    follows_from=("lemD.2-37",),
    note="The proof prints L_f and L_g where it means L_1 and L_2, and shows the upper bound only.",
    setting=POINTS,
    proof=Proof(
        have("F from above", le(_outer, p.L_1 / 2 * _dist), by=[smooth("F", "z", "zb")]),
        have("F from below", ge(_outer, -p.L_1 / 2 * _dist), by=[smooth("F", "z", "zb")]),
        have("G from above", le(_inner, p.L_2 / 2 * _dist), by=[smooth("G", "z", "zb")]),
        have("G from below", ge(_inner, -p.L_2 / 2 * _dist), by=[smooth("G", "z", "zb")]),
        have("v from above", le(p.v_rest, p.L_2 / 2 * p.dx2 + p.dy2 / (2 * p.gamma)), by=[cite(GRAD)]),
        have("v from below", ge(p.v_rest, -p.L_2 / 2 * p.dx2 - p.dy2 / (2 * p.gamma)), by=[cite(GRAD)]),
        qed(by=["F from below", "G from below", "v from above", unfold(p.L_Phi)]),
        qed(by=["F from above", "G from above", "v from below", unfold(p.L_Phi)], of=1),
    ),
)
_BY_MENDED = le(p.Phi_rest, (p.L_1 / p.c_t + p.L_2 + _largest) / 2 * _dist)
ST_40 = p.claim(
    "st-40",
    "proof of Lemma D.4",
    Kind.INEQUALITY,
    "Phi(z) - Phi(zb) - <grad Phi(zb), z - zb> <= (1/c_t) (L_f/2) ||z - zb||^2 + (L_g/2) ||z - zb||^2 + (max{L_2, "
    "1/gamma}/2) ||z - zb||^2",
    le(p.Phi_rest, (p.L_f / p.c_t + p.L_g + _largest) / 2 * _dist),
    equation="40",
    title="The smoothness inequality term by term",
    hypotheses=p.RUN,
    follows_from=("lemD.2-37",),
    switches=(
        misprint(
            "L_1 and L_2 for L_f and L_g",
            "L_f and L_g are Lipschitz constants of f_i and g_i, not of their gradients",
            _BY_MENDED,
            "Lemma D.4, whose constant has L_1 and L_2",
        ),
    ),
)
ST_40_CORRECTED = restated(
    ST_40,
    text="As printed with L_1 for L_f and L_2 for L_g",
    note="",
    where=p.SMOOTHNESS,
    setting=POINTS,
    proof=Proof(qed(by=[cite("mefbo.lemD.4"), unfold(p.L_Phi)])),
)
CLAIMS = (PHI_POS, LEMMA_D4, ST_40, ST_40_CORRECTED)
