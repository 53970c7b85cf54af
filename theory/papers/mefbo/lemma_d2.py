"""Lemma D.2: the Moreau envelope is weakly convex, and its gradient."""

from dataclasses import replace
from typing import Any

import sympy as sp

from rateproof.theory.assumptions import Attained, Minimiser
from rateproof.theory.claim import Kind
from rateproof.theory.gram import Vector, dot, norm2, vectors
from rateproof.theory.papers.mefbo import notation as p
from rateproof.theory.proof import (
    HalfSquare,
    Mean,
    Proof,
    Setting,
    cite,
    have,
    infimum,
    optimal,
    qed,
    smooth,
    written_out,
)
from rateproof.theory.shorthand import every, ge, le
from rateproof.theory.units import INNER

RV1 = p.H_("rv1>=L_2", "rho_v1 >= L_2", ge(p.rv1, p.L_2))
RV2 = p.H_("rv2>=1/gamma", "rho_v2 >= 1/gamma", ge(p.rv2, 1 / p.gamma))

x, xb, gx, gxb, gxc = vectors("x xb gx gxb gxc")
y, yb, s, sb, gy, gyb, gyc, m, mb = vectors("y yb s sb gy gyb gyc m mb")
G_s, G_sb, G_c, M_s, M_sb = sp.symbols("G_s G_sb G_c M_s M_sb", real=True)
#: The value of the function that is 0 in the set Y and infinite outside.
inside = sp.Symbol("inside", real=True)
#: Two points ``z = (x, y)`` and ``zb``, with ``s = theta*(z)`` and ``sb = theta*(zb)``; ``m`` and ``mb`` are the
#: gradients of the functions ``M`` and ``Mb`` of theta that they minimise over ``Y``: sums of ``G(x, .)`` and ``half``,
#: half the squared distance to ``y``, times ``1/gamma``. At ``cross`` is ``(x, sb)``.
ENVELOPE = p.by_space(
    Setting(
        depends=dict.fromkeys(("x", "xb", "y", "yb", "s", "sb"), ""),
        sums={"m": gy + (s - y) / p.gamma, "mb": gyb + (sb - yb) / p.gamma},
        functions={
            "G": {
                "theta*(z)": (x + s, gx + gy, G_s),
                "theta*(zb)": (xb + sb, gxb + gyb, G_sb),
                "cross": (x + sb, gxc + gyc, G_c),
            },
            "M": {"theta*": (s, m, M_s)},
            "Mb": {"theta*": (sb, mb, M_sb)},
            "Y": {"s": (s, s, inside), "sb": (sb, sb, inside)},
        },
        made={
            "G": Mean("g_i", "client"),
            "M": {"G": sp.S.One, "half": 1 / p.gamma},
            "Mb": {"G": sp.S.One, "half": 1 / p.gamma},
            "half": HalfSquare(),
        },
        # the statement speaks of theta*
        assumes=(Minimiser("M", "theta*", "Y"), Minimiser("Mb", "theta*", "Y")),
        metrics={
            p.v_rest: G_s
            + norm2(s - y) / (2 * p.gamma)
            - G_sb
            - norm2(sb - yb) / (2 * p.gamma)
            - dot(gxb, x - xb)
            - dot(yb - sb, y - yb) / p.gamma,
            p.dx2: norm2(x - xb),
            p.dy2: norm2(y - yb),
            p.dtheta**2: norm2(s - sb),
            p.dz**2: norm2(x + y - xb - yb),
        },
        measured=(p.dtheta, p.dz),
        free=(p.rv1, p.rv2),
        words={
            **{name: f"{name} of any point z = (x, y)" for name in ("x", "y")},
            **{f"{name}b": f"{name} of another point zb" for name in ("x", "y")},
            "s": "theta*_gamma(z)",
            "sb": "theta*_gamma(zb)",
        },
    )
)

DESCENDS = have("gamma L_2 <= 1/2", le(p.gamma * p.L_2, sp.Rational(1, 2)))
OPTIMAL = have(
    "theta*(zb) is optimal", ge(dot(gyb + (sb - yb) / p.gamma, s - sb), 0), by=[optimal("Mb"), written_out("mb")]
)
_v, _vb = G_s + norm2(s - y) / (2 * p.gamma), G_sb + norm2(sb - yb) / (2 * p.gamma)
#: The same with ``M`` at theta*(zb); its least value is ``v_gamma(z)``.
CROSSED = replace(
    ENVELOPE,
    functions={
        **ENVELOPE.functions,
        "M": {**ENVELOPE.functions["M"], "theta*(zb)": (sb, None, G_c + norm2(sb - y) / (2 * p.gamma))},
    },
    infima={"M": _v},
    assumes=(*ENVELOPE.assumes, Attained("M")),
)
CROSS = have(
    "the minimiser of zb at z",
    le(p.v_rest, G_c - G_sb - dot(gxb, x - xb) + p.dy2 / (2 * p.gamma)),
    by=[infimum("M", "theta*(zb)")],
)

g, t = vectors("g t")
G_mix, v_mix, G_t = sp.symbols("G_mix v_mix G_t", real=True)


def _between(one: Any, other: Any) -> Any:
    return one * p.share + other * (1 - p.share)


def _bent(value: sp.Expr, x: Vector, y: Vector) -> sp.Expr:
    return value + p.rv1 / 2 * norm2(x) + p.rv2 / 2 * norm2(y)


h_z = p.declare("h_z", "v(z) + (rho_v1/2) ||x||^2 + (rho_v2/2) ||y||^2", INNER, latex="h(z)")
h_zb = p.declare("h_zb", "v(zb) + (rho_v1/2) ||xb||^2 + (rho_v2/2) ||yb||^2", INNER, latex=r"h(\bar z)")
h_mix = p.declare("h_mix", "the same at s z + (1 - s) zb", INNER, latex=r"h(sz+(1-s)\bar z)")
CVX = p.claim(
    "lemD.2-cvx",
    "Lemma D.2",
    Kind.PROPERTY,
    "v_gamma(x, y) + (rho_v1/2) ||x||^2 + (rho_v2/2) ||y||^2 is convex on the whole space",
    le(h_mix, p.share * h_z + (1 - p.share) * h_zb),
    title="Weak convexity of the Moreau envelope",
    hypotheses=(p.SETS, p.WEIGHTS, p.G_SMOOTH, p.GAMMA, RV1, RV2, p.SHARE),
    setting=replace(
        ENVELOPE,
        functions={
            "G": {**ENVELOPE.functions["G"], "between": (_between(x + s, xb + sb), g, G_mix)},
            # what is minimised at s z + (1 - s) zb; Y is convex
            "Mm": {"between": (_between(s, sb), None, G_mix + norm2(_between(s - y, sb - yb)) / (2 * p.gamma))},
        },
        made={
            "G": Mean("g_i", "client"),
            "Mm": {"G": sp.S.One, "half": 1 / p.gamma},
            "half": HalfSquare(),
        },
        infima={"Mm": v_mix},
        assumes=(Attained("Mm"),),
        metrics={h_z: _bent(_v, x, y), h_zb: _bent(_vb, xb, yb), h_mix: _bent(v_mix, _between(x, xb), _between(y, yb))},
        measured=(v_mix,),
    ),
    proof=Proof(
        have(
            "theta between",
            le(v_mix, G_mix + norm2(_between(s - y, sb - yb)) / (2 * p.gamma)),
            by=[infimum("Mm", "between")],
        ),
        have(
            "G is weakly convex",
            le(G_mix, _between(G_s, G_sb) + p.L_2 / 2 * p.share * (1 - p.share) * (norm2(x - xb) + norm2(s - sb))),
            by=[smooth("G", "theta*(z)", "between"), smooth("G", "theta*(zb)", "between")],
        ),
        DESCENDS,
        have(
            "what theta gains",
            le(p.L_2 * norm2(s - sb), (norm2(s - sb - y + yb) + norm2(y - yb)) / p.gamma),
            by=["gamma L_2 <= 1/2"],
        ),
        qed(by=["theta between", "G is weakly convex", "what theta gains"]),
    ),
)
#: The same with another theta, at z.
CROSSED_AT_THETA = p.by_space(
    replace(
        CROSSED,
        depends={**ENVELOPE.depends, "t": ""},
        words={**ENVELOPE.words, "t": "any theta of Y"},
        functions={
            **CROSSED.functions,
            "G": {**ENVELOPE.functions["G"], "theta": (x + t, None, G_t)},
            "Y": {**ENVELOPE.functions["Y"], "t": (t, t, inside)},
        },
        metrics={**ENVELOPE.metrics, p.M_theta: G_t + norm2(t - y) / (2 * p.gamma), p.v_xy: _v, p.off2: norm2(t - s)},
    )
)
GRAD = p.claim(
    "lemD.2-grad",
    "Lemma D.2",
    Kind.IDENTITY,
    "The minimiser theta*_gamma(x, y) is unique and grad v_gamma = (grad_x G(x, theta*), (y - theta*)/gamma)",
    every(
        le(p.v_rest, p.L_2 / 2 * p.dx2 + p.dy2 / (2 * p.gamma)),
        ge(p.v_rest, -(p.L_2 / 2 * p.dx2 + p.dy2 / (2 * p.gamma))),
        ge(p.M_theta, p.v_xy + (1 / p.gamma - p.L_2) / 2 * p.off2),
    ),
    title="Gradient of the envelope of smooth losses",
    hypotheses=(p.SETS, p.WEIGHTS, p.G_SMOOTH, p.GAMMA),
    note="Here with bounds on what the linear approximation leaves, and with what theta* gains on another theta.",
    setting=CROSSED_AT_THETA,
    proof=Proof(
        CROSS,
        DESCENDS,
        OPTIMAL,
        qed(by=[smooth("G", "theta*(z)", "theta*(zb)"), "theta*(zb) is optimal", "gamma L_2 <= 1/2"]),
        qed(by=["the minimiser of zb at z", smooth("G", "theta*(zb)", "cross")], of=1),
        have("theta* is optimal", ge(dot(gy + (s - y) / p.gamma, t - s), 0), by=[optimal("M"), written_out("m")]),
        qed(by=[smooth("G", "theta", "theta*(z)"), "theta* is optimal"], of=2),
    ),
)

D2_37 = p.claim(
    "lemD.2-37",
    "Lemma D.2",
    Kind.INEQUALITY,
    "-v(z) <= -v(zb) - <grad v(zb), z - zb> + (rho_v1/2) ||x - xb||^2 + (rho_v2/2) ||y - yb||^2 for z = (x, y)",
    le(-p.v_rest, p.rv1 / 2 * p.dx2 + p.rv2 / 2 * p.dy2),
    equation="37",
    title="Quadratic bound on minus the envelope",
    hypotheses=(p.SETS, p.WEIGHTS, p.G_SMOOTH, p.GAMMA, RV1, RV2),
    setting=replace(ENVELOPE, others=(CROSSED_AT_THETA,)),
    proof=Proof(qed(by=[cite(GRAD)])),
)
CLAIMS = (CVX, GRAD, D2_37)
