"""Lemma 1: the gradient of F^ and its Lipschitz constant.

(13) is what implicit differentiation gives where theta^(w) lies inside Theta; at its boundary it is false. Theta is
bounded, as no strongly convex loss stays in [0, 1] on R^d. The constant (12) has sqrt(K) where the chain rule gives K,
the Lipschitz constant of theta^ being sqrt(K) l_0/mu and grad F^ having K entries: with K in both terms it is right,
where theta^ lies inside Theta and L^_0 is l_0-Lipschitz as the other losses.
"""

from dataclasses import replace

import sympy as sp

from rateproof.theory.assumptions import (
    BoundedGradient,
    Lipschitz,
    Minimiser,
    Monotone,
    Smooth,
    StronglyConvex,
    WholeSpace,
)
from rateproof.theory.claim import Kind, Reason, Switch
from rateproof.theory.gram import dot, norm2, vectors
from rateproof.theory.papers.fedweight import notation as p
from rateproof.theory.proof import (
    Mean,
    Proof,
    Setting,
    bounded,
    cases,
    cite,
    convex,
    have,
    lipschitz,
    mean,
    monotone,
    qed,
    raised,
    section,
    stationary,
    supposed,
    written_out,
)
from rateproof.theory.shorthand import amended, claims_in, eq, every, gt, le
from rateproof.theory.symbols import NONNEG
from rateproof.theory.units import LENGTH

(change2,) = p.measured(p.LOSS**2, change2_F="||grad F^(w) - grad F^(w')||^2")
apart2 = p.formula("apart2_ww", "||w - w'||^2", **NONNEG)
(off_hp2,) = p.measured(p.SLOPE**2, off_hp2="||H' h' - grad L^_0||^2")
size_h, size_hp = p.measured(LENGTH, size_h="||h||", size_hp="||h'||")
th, thp, h, hp, w, v, gf, gw, gv, Gw, Gv = vectors("th th' h h' w w' gf gw gw' Gw Gw'")
g0, g0p, Hh, Hhp, Kh, a, b, b_, c, qw, qv, Qw, Qv, Hpp = vectors("g0 g0' Hh Hh' Nh' a b b' c qw qw' Qw Qw' H'h'")
f_t, f_s, e_s, L_t, L_s = sp.symbols("f_t f_s e_s L_t L_s", real=True)
K, l0, l1, l2, mu = p.K, p.l0, p.l1, p.l2, p.mu
WORDS = {
    "th": "theta^(w)",
    "th'": "theta^(w')",
    "h": "the vector (sum_k w_k Hess L^_k)^(-1) grad L^_0 of (13) at w",
    "h'": "that at w'",
    "L0": "L^_0",
    "H": "sum_k w_k Hess L^_k(theta^(w))",
}
SIZES = Setting(
    depends={"th": "", "th'": "", "h": "", "h'": ""},
    functions={
        "L0": {"th": (th, g0, L_t), "th'": (thp, g0p, L_s)},
        "H": {"h": (h, Hh, None), "0": (0 * h, 0 * h, None)},
        "H'": {"h'": (hp, Hpp, None), "0": (0 * h, 0 * h, None)},
    },
    sums={"Hh": g0, "H'h'": g0p},
    metrics={size_h**2: norm2(h), size_hp**2: norm2(hp)},
    measured=(size_h, size_hp),
    words=WORDS | {"H'": "sum_k w'_k Hess L^_k(theta^(w'))"},
)
TWO_WEIGHTS = Setting(
    depends={**dict.fromkeys(("th", "th'", "h", "h'"), ""), "w": "node", "w'": "node"},
    sizes={"node": K},
    each={"dir h": "node", "dir'": "node"},
    means={"Gw": Mean("gw", "node"), "Gw'": Mean("gw'", "node"), "Qw": Mean("qw", "node"), "Qw'": Mean("qw'", "node")},
    sums={"b'": b, "Nh'": Hhp, "Hh": g0},
    functions={
        "f": {"th": (th, gf, f_t), "th'": (thp, K * Gw, f_s)},
        "f'": {"th'": (thp, K * Gv, e_s)},
        "L0": {"th": (th, g0, L_t), "th'": (thp, g0p, L_s)},
        "g'": {"w": (w, gw, None), "w'": (v, gv, None)},
        "H": {"h": (h, Hh, None), "h'": (hp, Hhp, None)},
        "dir h": {"th": (th, a, None), "th'": (thp, b, None)},
        "dir'": {"h": (h, b_, None), "h'": (hp, c, None)},
        "A'h'": {"w": (w, qw, None), "w'": (v, qv, None)},
        "N h'": {"th": (th, Kh, None), "th'": (thp, K * Qw, None)},
    },
    metrics={change2: K * norm2(a - c), apart2: K * norm2(w - v), off_hp2: norm2(K * Qv - g0p)},
    others=(SIZES,),
    words={
        **WORDS,
        "w": "w_k of the node k",
        "w'": "w'_k of the node k",
        "f": "sum_k w_k L^_k",
        "f'": "sum_k w'_k L^_k",
        "g'": "the map of numbers x_k of the nodes to x_k grad L^_k(theta^(w'))",
        "dir h": "the map of theta to <grad L^_k(theta), h>, minus which is (13) at theta^(w)",
        "dir'": "the map of x to <grad L^_k(theta^(w')), x>",
        "A'h'": "the map of numbers x_k of the nodes to x_k Hess L^_k(theta^(w')) h'",
        "N h'": "the map of theta to sum_k w_k Hess L^_k(theta) h'",
    },
)
SMOOTH = p.H_(
    "A1.1 of sums",
    "grad l(.; z) is l_1-Lipschitz for every z: so are grad L^_0 and sum_k w_k grad L^_k, and Hessians are at most l_1",
    None,
    *(Smooth(of, l1) for of in ("f", "f'", "L0")),
    Lipschitz("dir h", l1 * size_h),
    Lipschitz("A'h'", l1 * size_hp),
)
LIPSCHITZ = p.H_(
    "A1.2 of sums",
    "L^_k and its Hessian are l_0- and l_2-Lipschitz for k = 1, ..., K: so is sum_k w_k Hess L^_k with l_2",
    None,
    Lipschitz("g'", l0),
    Lipschitz("dir'", l0),
    Lipschitz("N h'", l2 * size_hp),
)
CONVEX = p.H_(
    "A1.3 of sums",
    "L^_k is mu-strongly convex for k = 1, ..., K: so is sum_k w_k L^_k, and its Hessian is at least mu",
    None,
    *(StronglyConvex(f, mu) for f in ("f", "f'")),
    *(Monotone(H, mu) for H in ("H", "H'")),
)
LIPSCHITZ_0 = p.H_("A1.2 of the center", "L^_0 is l_0-Lipschitz, as the L^_k are", None, BoundedGradient("L0", l0))
INTERIOR = p.H_(
    "interior",
    "theta^(w) lies inside Theta for every w in the capped simplex",
    None,
    Minimiser("f", "th", "space"),
    Minimiser("f'", "th'", "space"),
    WholeSpace("space"),
)
SOLVES = p.H_("h'", "sum_k w'_k Hess L^_k(theta^(w')) h' = grad L^_0(theta^(w'))", eq(off_hp2, 0))
SIZE = p.stated(
    "our own, for Lemma 1",
    "id-h",
    "The vector (sum_k w_k Hess L^_k(theta^))^(-1) grad L^_0(theta^) of (13) has a norm of l_0/mu at most",
    every(le(size_h, l0 / mu), le(size_hp, l0 / mu)),
    title="Norm of the vector in (13)",
    hypotheses=(CONVEX, LIPSCHITZ_0),
    note="The correction of Lemma 1 uses it. Section F.2 has it at theta^s (ps-18.b).",
    setting=SIZES,
    proof=Proof(
        *(
            have(
                f"{at}^2", le(size**2, l0**2 / mu**2), by=[monotone(H, at, "0"), bounded("L0", t), written_out(H + at)]
            )
            for at, t, H, size in (("h", "th", "H", size_h), ("h'", "th'", "H'", size_hp))
        ),
        *(raised(at, f"{at}^2", to=sp.S.Half) for at in ("h", "h'")),
        *(qed(by=[at], of=part) for part, at in enumerate(("h", "h'"))),
    ),
)

_INSIDE = "(13) differentiates sum_k w_k grad L^_k(theta^(w)) = 0, which may fail at the boundary of Theta"
INSIDE = Switch(
    "theta^(w)",
    "in Theta",
    "inside Theta",
    "(1) is a problem over a set Theta, which A1 makes bounded, and (16), which is to become (1), one over R^d",
    adding=(INTERIOR,),
    origin="eq. (16)",
)
NODE_0 = Switch(
    "node 0",
    "k = 1, ..., K",
    "k = 0, ..., K",
    "A1.2 speaks of the nodes 1, ..., K, and Section F.2 bounds grad L^_0 by l_0, because of Assumption 1",
    adding=(LIPSCHITZ_0,),
    origin="Section F.2",
)
NO_CAP = Switch(
    "b",
    "1/K <= b <= 1",
    "b = 1",
    "a cap just above 1/K keeps Theta small, and with it l_0 and l_1",
    adding=(p.H_("no cap", "b = 1", eq(p.b, 1)),),
)
#: The constant that takes the place of (12).
CONSTANT = K * (l0 / mu) ** 2 * (3 * l1 + l2 * l0 / mu)
NODES = Switch(
    "l_F",
    "sqrt(K) in the first term",
    "K in both terms",
    "theta^ is sqrt(K) l_0/mu-Lipschitz, and (50) has sqrt(K) (2 l_0 l_1/mu + l_2 l_0^2/mu^2) in front of its way",
    substitute={p.l_F: CONSTANT},
    origin="(50) in the proof of Lemma 4",
)
LIPSCHITZ_GRADIENT = p.claim(
    "lem1.i",
    "Lemma 1",
    Kind.PROPERTY,
    "Under A1, grad F^ is l_F-Lipschitz on the capped simplex with l_F of (12)",
    le(change2, p.l_F**2 * apart2),
    equation="12",
    title="Lipschitz constant of the hypergradient",
    where={p.l_F: p.DEFINED[p.l_F]},
    hypotheses=(p.RANGE, SMOOTH, LIPSCHITZ, CONVEX, p.CAP, SOLVES),
    switches=(NODES, INSIDE, NODE_0, NO_CAP),
    setting=TWO_WEIGHTS,
)
_way = sp.sqrt(K) * l0 / mu
_h = 2 * l1 + l2 * l0 / mu
_SYSTEM = le(norm2(g0 - Hhp), _way**2 * _h**2 * apart2)
LIPSCHITZ_CORRECTED = amended(
    LIPSCHITZ_GRADIENT,
    (
        "theta^ is sqrt(K) l_0/mu-Lipschitz, and grad F^ has K entries, which (12) counts in its last term alone",
        "A1.2 says nothing of L^_0",
        Reason(_INSIDE, "fedweight.lem1.ii"),
    ),
    text="Under A1, where also L^_0 is l_0-Lipschitz and theta^(w) lies inside Theta, grad F^ is Lipschitz with the "
    "constant K (l_0/mu)^2 (3 l_1 + l_2 l_0/mu), which is (12) with K for sqrt(K)",
    statement=le(change2, CONSTANT**2 * apart2),
    where={},
    hypotheses=(p.RANGE, SMOOTH, LIPSCHITZ, CONVEX, LIPSCHITZ_0, INTERIOR, p.CAP, SOLVES),
    proof=Proof(
        section("The way of theta^ and of h"),
        have(
            "the mean slope",
            le(norm2(Gw), l0**2 * apart2 / K),
            by=[mean("Gw"), mean("Gw'"), lipschitz("g'", "w", "w'"), stationary("f'")],
        ),
        have(
            "the way of theta^",
            le(mu**2 * norm2(th - thp), K * l0**2 * apart2),
            by=[convex("f", "th", "th'"), stationary("f"), "the mean slope"],
        ),
        have(
            "weights of the Hessian",
            le(norm2(K * Qw - K * Qv), _way**2 * l1**2 * apart2),
            by=[mean("Qw"), mean("Qw'"), lipschitz("A'h'", "w", "w'"), cite(SIZE)],
        ),
        have(
            "Hessians of the nodes",
            le(norm2(K * Qw - Hhp), _way**2 * (l2 * l0 / mu) ** 2 * apart2),
            by=[lipschitz("N h'", "th", "th'"), written_out("Nh'"), "the way of theta^", cite(SIZE)],
        ),
        have(
            "gradient of L^_0",
            le(norm2(g0 - g0p), _way**2 * l1**2 * apart2),
            by=[lipschitz("L0", "th", "th'"), "the way of theta^"],
        ),
        have(
            "both with l_1",
            le(norm2(g0 - K * Qw), _way**2 * (2 * l1) ** 2 * apart2),
            by=["weights of the Hessian", "gradient of L^_0", supposed("h'")],
        ),
        have(
            "all, if l_2 > 0",
            _SYSTEM,
            by=["both with l_1", "Hessians of the nodes"],
            when=[gt(l2, 0)],
        ),
        have("all, if l_2 = 0", _SYSTEM, by=["both with l_1", "Hessians of the nodes"], when=[le(l2, 0)]),
        cases("the change of the system", _SYSTEM, on=gt(l2, 0), yes="all, if l_2 > 0", no="all, if l_2 = 0"),
        have(
            "the way of h",
            le(mu**2 * norm2(h - hp), _way**2 * _h**2 * apart2),
            by=[monotone("H", "h", "h'"), written_out("Hh"), "the change of the system"],
        ),
        section("The entries of the gradient"),
        have(
            "at h",
            le(norm2(a - b), _way**2 * (l1 * l0 / mu) ** 2 * apart2),
            by=[lipschitz("dir h", "th", "th'"), "the way of theta^", cite(SIZE)],
        ),
        have(
            "at theta^(w')",
            le(norm2(b - c), _way**2 * _h**2 * l0**2 / mu**2 * apart2),
            by=[lipschitz("dir'", "h", "h'"), "the way of h", written_out("b'")],
        ),
        qed(by=["at h", "at theta^(w')"]),
    ),
)

partial = p.declare("partial_k", "derivative of F^(w) in w_k", p.LOSS, latex=r"\partial_k\widehat F")
gk_h = p.formula("gk_h", "<grad L^_k, h>", p.LOSS)
Hh_d, h_Hd = (p.formula(name, text, p.LOSS) for name, text in (("Hh_d", "<H h, d>"), ("h_Hd", "<h, H d>")))
off_1h2, off_d2 = p.measured(p.SLOPE**2, off_1h2="||H h - grad L^_0||^2", off_d2="||H d + grad L^_k||^2")
euler = p.declare("euler", "sum_k w_k times (13)", p.LOSS, latex=r"\sum_kw_k\partial_k\widehat F")
d, gk, Hd, g, g_mean = vectors("d gk Hd g G")
AT_W = Setting(
    depends={**dict.fromkeys(("th", "h", "d", "gk"), "")},
    weighted=("node",),
    means={"G": Mean("g", "node")},
    each={"L": "node"},
    functions={
        "L0": {"th": (th, g0, L_t)},
        "L": {"th": (th, g, f_t)},
        "f": {"th": (th, g_mean, f_t)},
        "H": {"h": (h, Hh, None), "d": (d, Hd, None)},
    },
    made={"f": Mean("L", "node")},
    metrics={
        partial: dot(g0, d),
        gk_h: dot(gk, h),
        Hh_d: dot(Hh, d),
        h_Hd: dot(h, Hd),
        off_1h2: norm2(Hh - g0),
        off_d2: norm2(Hd + gk),
        euler: -dot(g_mean, h),
    },
    words={
        "th": "theta^(w)",
        "d": "the derivative of theta^(w) in w_k",
        "gk": "grad L^_k(theta^(w)) of the node k",
        "h": "the vector (sum_k w_k Hess L^_k)^(-1) grad L^_0 of (13)",
        "L": "L^_k",
        "L0": "L^_0",
        "f": "sum_k w_k L^_k",
        "H": "sum_k w_k Hess L^_k(theta^(w))",
    },
)
TWICE = p.H_("twice", "the losses are twice differentiable: their Hessians are symmetric", eq(Hh_d, h_Hd))
SOLVES_1 = p.H_("h of w", "h is the vector (sum_k w_k Hess L^_k)^(-1) grad L^_0 of (13)", eq(off_1h2, 0))
IMPLICIT = p.H_(
    "implicit",
    "theta^(w) lies inside Theta: the derivative of sum_j w_j grad L^_j(theta^(w)) = 0 in w_k is H d + grad L^_k = 0",
    eq(off_d2, 0),
)
GRADIENT = p.stated(
    "Lemma 1",
    "lem1.ii",
    "Under A1, the derivative of F^ in w_k is -grad L^_k(theta^)^T (sum_j w_j Hess L^_j(theta^))^(-1) "
    "grad L^_0(theta^), theta^ being theta^(w)",
    eq(partial, -gk_h),
    equation="13",
    title="The hypergradient",
    hypotheses=(*p.A1, TWICE, SOLVES_1),
    switches=(replace(INSIDE, adding=(IMPLICIT,)),),
    setting=AT_W,
)
GRADIENT_CORRECTED = amended(
    GRADIENT,
    _INSIDE,
    text="As printed, where theta^(w) lies inside Theta",
    hypotheses=(*GRADIENT.hypotheses, IMPLICIT),
    origin="eq. (16)",
    proof=Proof(qed(by=[supposed("twice"), supposed("h of w"), supposed("implicit")])),
)
EULER = p.stated(
    "our own, from Lemma 1",
    "id-euler",
    "Where theta^(w) lies inside Theta, sum_k w_k times (13) is 0",
    eq(euler, 0),
    equation="13",
    title="Euler's identity",
    hypotheses=(p.RANGE, SMOOTH, LIPSCHITZ, CONVEX, SOLVES_1, INTERIOR),
    note="As theta^(w) stays where all weights are multiplied by one number. The derivatives of F^ satisfy "
    "it at the boundary, too, where they are not (13).",
    setting=AT_W,
    proof=Proof(qed(by=[stationary("f")])),
)
CLAIMS = claims_in(globals())
