"""One point in vectors, and the proofs of Lemmas 1, 2, 3 (corrected) and 4, and of their steps.

``phi_i = h_i + eta f_i`` is the loss of a client; ``f``, ``h`` and ``F`` are the means over the clients. ``x*`` is the
minimiser of ``F``, ``sol`` a solution of the bilevel problem: it has ``f = f*`` and ``h = h*``.
"""

from collections.abc import Mapping
from dataclasses import replace

import sympy as sp

from rateproof.theory.gram import Vector, dot, norm2, vectors
from rateproof.theory.papers.strfedavg.notation import (
    B2,
    G2,
    B_ncvx2,
    G_f2,
    G_h2,
    G_ncvx2,
    L,
    dist2_yz,
    dist2_zx,
    eta_g,
    fz_minus_fy,
    g_star,
    gap_i,
    gap_inf_f,
    gap_inf_h,
    gap_point,
    gap_point_g,
    inf_g,
    inner_diff,
    inner_zy,
    mean_sq_grad_eta,
    mean_sq_grad_f,
    mean_sq_grad_g_eta,
    mean_sq_grad_h,
    outer_diff,
    sq_grad_i,
)
from rateproof.theory.proof import (
    Argmin,
    Mean,
    Proof,
    Setting,
    cite,
    convex,
    curvature,
    have,
    infimum,
    qed,
    smooth,
    smooth_convex,
    unfold,
    values,
    written_out,
)
from rateproof.theory.shorthand import ge, le
from rateproof.theory.symbols import L_f, L_h, N, eta, f_star, h_star, inf_f, mean_inf_f, mean_inf_h, mu_f

x, x_f, x_h, sol, y, z = vectors("x x_f* x_h* sol y z")
a, a_f, a_h, g_s, g_f, g_h, mean_g = vectors("a a_f a_h g_s g_f g_h mean_g")
phi_x, phi_s, phi_sol, f_x, h_x = sp.symbols("phi_x phi_s phi_sol f_x h_x", real=True)
ZERO = Vector()

LOSS = {"h_i": sp.S.One, "f_i": eta}
MADE: dict[str, Mapping[str, sp.Expr] | Mean | Argmin] = {
    "phi_i": LOSS,
    "F": Mean("phi_i", "client"),
    "f": Mean("f_i", "client"),
    "h": Mean("h_i", "client"),
}
INFIMA = {"f": inf_f, "f_i": mean_inf_f, "h": h_star, "h_i": mean_inf_h}

SOLUTION = "x*, a solution of the bilevel problem"
#: A fixed point ``x``, the minimisers of the clients' losses and the solution; ``phi_s`` is the infimum of the whole.
POINT = Setting(
    depends={"x": "", "sol": "", "x_f*": "client", "x_h*": "client"},
    means={"mean_g": Mean("g_s", "client")},
    sizes={"client": N},
    sums={"a": a_h + eta * a_f},
    functions={
        "f_i": {"x": (x, a_f, f_x), "minimum": (x_f, ZERO, mean_inf_f), "sol": (sol, g_f, f_star)},
        "h_i": {"x": (x, a_h, h_x), "minimum": (x_h, ZERO, mean_inf_h), "sol": (sol, g_h, h_star)},
        "phi_i": {"x": (x, a, phi_x), "sol": (sol, g_s, phi_sol)},
        "F": {"x": (x, None, phi_x), "sol": (sol, mean_g, phi_sol)},
        "f": {"x": (x, None, f_x), "sol": (sol, None, f_star)},
        "h": {"x": (x, None, h_x)},
    },
    made=MADE,
    infima={**INFIMA, "F": phi_s},
    metrics={
        mean_sq_grad_f: norm2(a_f),
        mean_sq_grad_h: norm2(a_h),
        mean_sq_grad_eta: norm2(a),
        gap_inf_f: f_x - inf_f,
        gap_inf_h: h_x - h_star,
        gap_point: phi_x - phi_s,
        outer_diff: f_x - f_star,
        inner_diff: h_x - h_star,
    },
    measured=(phi_s,),
    constants=(f_star,),
    words={"x": "any point", "sol": SOLUTION},
)
#: The same where the point is that at which a round starts, and ``f_i`` and ``h_i`` are those of a run.
IN_A_RUN = {name: f"past {on}".rstrip() for name, on in POINT.depends.items()}

_AT_MINIMUM = smooth_convex("f_i", "x", "minimum")
LEMMA1 = Proof(
    have("f", le(mean_sq_grad_f, 2 * L_f * (f_x - mean_inf_f)), by=[_AT_MINIMUM]),
    have("h", le(mean_sq_grad_h, 2 * L_h * (h_x - mean_inf_h)), by=[smooth_convex("h_i", "x", "minimum")]),
    qed(by=["f", "h", unfold(G_f2, G_h2)]),
    qed(by=["f", "h", unfold(G_f2, G_h2)], of=1),
)

_SLOPE_F = have("slope of f", le(4 * eta * L_f, B2), by=[unfold(B2)])
_SLOPE_H = have("slope of h", le(4 * L_h, B2), by=[unfold(B2)])
_F_BELOW = have("f >= inf f", ge(f_x, inf_f), by=[infimum("f", "x")])
_H_BELOW = have("h >= h*", ge(h_x, h_star), by=[infimum("h", "x")])
_YOUNG = written_out("a")
LEMMA2 = Proof(
    have("f at a point", le(norm2(a_f), 2 * L_f * (f_x - mean_inf_f)), by=[_AT_MINIMUM]),
    have("h at a point", le(norm2(a_h), 2 * L_h * (h_x - mean_inf_h)), by=[smooth_convex("h_i", "x", "minimum")]),
    have("Young", le(norm2(a), 2 * norm2(a_h) + 2 * eta**2 * norm2(a_f)), by=[_YOUNG]),
    have(
        "the solution",
        le(phi_s, h_star + eta * f_star),
        by=[infimum("F", "sol"), values("phi_i", "sol")],
    ),
    _F_BELOW,
    _H_BELOW,
    _SLOPE_F,
    _SLOPE_H,
    qed(
        by=[
            "Young",
            "f at a point",
            "h at a point",
            "the solution",
            "f >= inf f",
            "h >= h*",
            "slope of f",
            "slope of h",
            values("phi_i", "x"),
            unfold(G2, G_f2, G_h2),
        ],
        multipliers=[1, 2 * eta**2, 2, B2, eta * (B2 - 4 * eta * L_f), B2 - 4 * L_h, B2],
    ),
)

#: Steps of the proofs of Lemmas 1 and 2.
SHOWN = {
    "average": Proof(qed(by=[_AT_MINIMUM])),
    "constant": Proof(qed(by=[unfold(G_f2)])),
    "young": Proof(qed(by=[_YOUNG])),
    "dissimilarity": Proof(
        _SLOPE_F,
        have("f* >= inf f", ge(f_star, inf_f), by=[infimum("f", "sol")]),
        qed(by=["slope of f", "f* >= inf f", unfold(G2)]),
    ),
    "curvature": Proof(
        _SLOPE_F, _SLOPE_H, _F_BELOW, _H_BELOW, qed(by=["slope of f", "slope of h", "f >= inf f", "h >= h*"])
    ),
    "optimum": Proof(qed()),
}
#: One client.
CLIENT = Setting(
    depends={"x": "", "x_f*": ""},
    functions={"f_i": {"x": (x, a_f, f_x), "minimum": (x_f, ZERO, mean_inf_f)}},
    metrics={sq_grad_i: norm2(a_f), gap_i: f_x - mean_inf_f},
    words={"x": "any point"},
    constants=(mean_inf_f,),
)
CLIENT_SHOWN = Proof(qed(by=[_AT_MINIMUM]))

_NAMES = {"f": "g", "f_i": "g_i"}
_NUMBERS = {f_star: g_star, inf_f: inf_g, mean_inf_f: sp.S.Zero}
#: A fixed point of problem (4), whose outer loss is ``g`` for every client.
POINT_4 = replace(
    POINT,
    sums={"a": a_h + eta_g * a_f},
    functions={
        _NAMES.get(of, of): {name: tuple(_NUMBERS.get(part, part) for part in at) for name, at in points.items()}  # type: ignore[misc]
        for of, points in POINT.functions.items()
    },
    made={
        "phi_i": {"h_i": sp.S.One, "g_i": eta_g},
        "F": Mean("phi_i", "client"),
        "g": Mean("g_i", "client"),
        "h": Mean("h_i", "client"),
    },
    infima={_NAMES.get(of, of): _NUMBERS.get(least, least) for of, least in POINT.infima.items()},
    constants=(g_star,),
    metrics={mean_sq_grad_g_eta: norm2(a), gap_point_g: phi_x - phi_s},
)
_PLACES = {f"{of}.{name}": f"{_NAMES.get(of, of)}.{name}" for of, points in POINT.functions.items() for name in points}
LEMMA3 = Proof(
    have("g* >= 0", ge(g_star, 0), by=[infimum("g", "sol"), unfold(inf_g)]),
    qed(
        by=[
            "g* >= 0",
            cite("strfedavg.lem2.corrected", at={eta: eta_g, L_f: sp.S.One}, points=_PLACES),
            unfold(G_ncvx2, B_ncvx2, inf_g, G_h2),
        ]
    ),
)

g, g_y, g_z, b, b_y, b_z = vectors("g g_y g_z b b_y b_z")
F_x, F_y, F_z = sp.symbols("F_x F_y F_z", real=True)
#: Three fixed points of the regularised loss.
POINTS = Setting(
    depends=dict.fromkeys("xyz", ""),
    means={"g": Mean("b", "client"), "g_y": Mean("b_y", "client"), "g_z": Mean("b_z", "client")},
    sizes={"client": N},
    functions={
        "phi_i": {"x": (x, b, F_x), "y": (y, b_y, F_y), "z": (z, b_z, F_z)},
        "F": {"x": (x, g, F_x), "y": (y, g_y, F_y), "z": (z, g_z, F_z)},
    },
    made=MADE,
    metrics={inner_zy: dot(g, z - y), fz_minus_fy: F_z - F_y, dist2_yz: norm2(y - z), dist2_zx: norm2(z - x)},
    words=dict.fromkeys("xyz", "any point"),
)
LEMMA4 = Proof(
    have("mu <= L", le(eta * mu_f, L), by=[curvature("F"), unfold(L)]),
    qed(by=[smooth("F", "x", "z"), convex("F", "x", "y", "z"), "mu <= L", unfold(L)]),
)
