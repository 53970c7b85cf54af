"""Section 2: the bilevel problem as a problem with a Moreau envelope, its penalty form, and the local models."""

from dataclasses import replace

import sympy as sp

from rateproof.theory.assumptions import Attained, Convex, StronglyConvex
from rateproof.theory.claim import Claim, Kind, Switch
from rateproof.theory.gram import Vector, dot, norm2, vectors
from rateproof.theory.papers.mefbo import lemma_d2 as two
from rateproof.theory.papers.mefbo import notation as p
from rateproof.theory.proof import (
    HalfSquare,
    Mean,
    NormalCone,
    Proof,
    SampleMean,
    Setting,
    convex,
    fresh,
    have,
    infimum,
    limit,
    lipschitz,
    mean,
    projection,
    qed,
    smooth,
    values,
)
from rateproof.theory.shorthand import amended, eq, every, ge, le
from rateproof.theory.symbols import NONNEG
from rateproof.theory.units import INNER

formula = p.formula
G_theta = formula("G_theta", "G(x, theta)", INNER)
G_star = formula("G_star", "G(x, theta*_gamma(x, y))", INNER)
away2 = formula("away2", "||theta - y||^2", p.AREA, **NONNEG)
apart2 = formula("apart2", "||theta - thetab||^2", p.AREA, **NONNEG)
U_xy = formula("U_xy", "Upsilon_{c_t}(x, y)", INNER)
U_bar = formula("U_bar", "Upsilon_{c_t}(x, y, thetab)", INNER)
U_mix = formula("U_mix", "Upsilon_{c_t}(x, y, s theta + (1 - s) thetab)", INNER)
U_star = formula("U_star", "Upsilon_{c_t}(x, y, theta*_gamma(x, y))", INNER)
normal2 = formula("normal2", "||grad Upsilon_{c_t} + v||^2", p.FORCE2, **NONNEG)
#: For the v of the normal cone that is nearest to -grad.
nearest2 = formula("nearest2", "||grad Upsilon_{c_t} + v*||^2", p.FORCE2, **NONNEG)

WEAKLY_CONVEX = p.H_(
    "weakly_convex", "G(x, .) is rho-weakly convex for some rho > 0", None, StronglyConvex("G(x, .)", -p.rho_wc)
)
GAMMA_RHO = p.H_("gamma<1/rho", "0 < gamma < 1/rho", sp.Lt(p.gamma * p.rho_wc, 1, evaluate=False))
LOWER_CONVEX = p.H_("lower_convex", "G(x, .) is convex for every x", None, Convex("G(x, .)"))
IN_Y = p.H_("y_in_Y", "x is in X and y in Y")
ATTAINED = p.H_("prox_attained", "the minimum in the definition (3) of v_gamma is attained", None, Attained("M"))

y, t, tb, ts, gm, gp, gq = vectors("y t tb ts gm gp gq")
F_xy, G_t, G_tb, G_ts, G_m, G_p = sp.symbols("F_xy G_t G_tb G_ts G_m G_p", real=True)
_POINTS = {
    "y": (y, None, p.G_xy),
    "theta": (t, None, G_t),
    "thetab": (tb, None, G_tb),
    "theta*": (ts, None, G_ts),
    "of theta and thetab": (t * p.share + tb * (1 - p.share), gm, G_m),
    "of theta and theta*": (t * p.share + ts * (1 - p.share), gp, G_p),
}
#: ``M`` is theta -> G(x, theta) + ||theta - y||^2/(2 gamma) on the convex set Y, where it is least at theta*; all
#: points are of Y.
_M = {name: (at, None, value + norm2(at - y) / (2 * p.gamma)) for name, (at, _, value) in _POINTS.items()}
_U = {U_xy: "theta*", U_star: "theta*", p.U_all: "theta", U_bar: "thetab", U_mix: "of theta and thetab"}
LOWER = Setting(
    depends=dict.fromkeys(("y", "t", "tb", "ts"), ""),
    functions={"G(x, .)": _POINTS, "half": {"y": (y, Vector(), sp.S.Zero)}, "M": _M},
    made={"M": {"G(x, .)": sp.S.One, "half": 1 / p.gamma}, "half": HalfSquare()},
    infima={"M": _M["theta*"][2]},
    metrics={
        p.v_xy: _M["theta*"][2],
        G_theta: G_t,
        G_star: G_ts,
        away2: norm2(t - y),
        apart2: norm2(t - tb),
        p.off2: norm2(t - ts),
        **{u: F_xy / p.c_t + p.G_xy - _M[name][2] for u, name in _U.items()},
    },
    measured=(F_xy,),
    words={"y": "any point of Y", "t": "any theta of Y", "tb": "any other theta of Y", "ts": "theta*_gamma(x, y)"},
)

FEASIBLE = p.H_("feasible", "G(x, y) - v_gamma(x, y) <= 0", le(p.G_xy - p.v_xy, 0))
EQ2 = p.claim(
    "eq2",
    "Section 2.1",
    Kind.PROPERTY,
    "The bilevel problem (1) can be reformulated as min F(x, y) over X x Y subject to G(x, y) - v_gamma(x, y) <= 0: "
    "this holds at all y of S(x), as v_gamma >= G(x, theta*), and where it holds G(x, y) <= G(x, theta) for all theta "
    "in Y",
    every(ge(p.v_xy, G_star), le(p.G_xy, G_theta)),
    equation="2",
    title="The bilevel problem in Moreau form",
    hypotheses=(p.SETS, IN_Y, ATTAINED, FEASIBLE),
    switches=(
        Switch(
            "lower_level",
            "nonconvex",
            "convex",
            "where G(x, .) is not convex, G - v_gamma <= 0 holds at every stationary point of G(x, .) over Y, also at "
            "a maximiser: theta -> G(x, theta) + ||theta - y||^2/(2 gamma) is strongly convex for small gamma, so it "
            "is least where it is stationary",
            adding=(LOWER_CONVEX,),
        ),
    ),
)
#: From y towards theta, at ``(y + r theta)/(1 + r)``; ``half`` is half the squared distance from y.
_r = sp.Symbol("r", positive=True)
G_r, M_r, H_r = sp.symbols("G_r M_r H_r", real=True)
_towards = (y + t * _r) * (1 / (1 + _r))
EQ2_CORRECTED = amended(
    EQ2,
    "the constraint of (2) holds at all stationary points of G(x, .) on Y, of which only some are minimisers",
    text="As printed, for G(x, .) convex",
    hypotheses=(*EQ2.hypotheses, LOWER_CONVEX),
    setting=replace(
        LOWER,
        functions={
            "G(x, .)": {**_POINTS, "towards theta": (_towards, gq, G_r)},
            "half": {"y": (y, Vector(), sp.S.Zero), "towards theta": (_towards, None, H_r)},
            "M": {**_M, "towards theta": (_towards, None, M_r)},
        },
        assumes=(),
        fixed=(p.G_xy, G_theta, away2),
    ),
    proof=Proof(
        qed(),
        have(
            "y is best",
            ge(G_r + H_r / p.gamma, p.G_xy),
            by=[infimum("M", "towards theta"), values("M", "towards theta")],
        ),
        have(
            "towards theta",
            le((1 + _r) * p.G_xy, (1 + _r) * G_theta + _r * away2 / (2 * p.gamma)),
            by=["y is best", smooth("half", "towards theta", "y"), convex("G(x, .)", "theta", "y", "towards theta")],
        ),
        limit("in the limit", "towards theta", over=_r),
        qed(of=1, by=["in the limit"]),
    ),
)

NONNEGATIVE = p.claim(
    "nonneg",
    "Section 2.1",
    Kind.INEQUALITY,
    "G(x, y) - v_gamma(x, y) >= 0 for all (x, y) in X x Y",
    ge(p.G_xy - p.v_xy, 0),
    title="The constraint function is nonnegative",
    hypotheses=(p.SETS, IN_Y, ATTAINED),
    setting=LOWER,
    proof=Proof(qed(by=[infimum("M", "y")], name="theta = y")),
)

EQ4_5 = p.claim(
    "eq4-5",
    "Section 2.1",
    Kind.IDENTITY,
    "The penalty problem (4) is equivalent to the minimax problem (5): Upsilon(x, y) is the maximum of "
    "Upsilon(x, y, theta) over theta in Y",
    every(le(p.U_all, U_xy), eq(U_star, U_xy)),
    equation="5",
    title="The penalty problem as a minimax problem",
    hypotheses=(p.SETS, ATTAINED),
    setting=LOWER,
    proof=Proof(qed(), qed(by=[infimum("M", "theta")], of=1)),
)
_modulus = 1 / p.gamma - p.rho_wc
I_SC = p.claim(
    "I-sc",
    "Section 2.1 (I)",
    Kind.PROPERTY,
    "For gamma in (0, 1/rho), problem (5) is strongly concave in theta, and the maximiser theta*_gamma(x, y) is unique",
    every(
        ge(U_mix, p.share * p.U_all + (1 - p.share) * U_bar + _modulus / 2 * p.share * (1 - p.share) * apart2),
        le(p.U_all, U_star - _modulus / 2 * (1 - p.share) * p.off2),
    ),
    title="Strong concavity of the minimax problem",
    hypotheses=(p.SETS, ATTAINED, WEAKLY_CONVEX, GAMMA_RHO, p.SHARE),
    note="Here with the modulus 1/gamma - rho > 0. The maximum is attained, as that of a finite strongly concave "
    "function on a closed convex set is. That v_gamma is differentiable stands at (6).",
    setting=LOWER,
    proof=Proof(
        have("theta* is best", ge(_M["of theta and theta*"][2], p.v_xy), by=[infimum("M", "of theta and theta*")]),
        have(
            "weak convexity",
            le(G_p, p.share * G_t + (1 - p.share) * G_ts + p.rho_wc / 2 * p.share * (1 - p.share) * p.off2),
            by=[convex("G(x, .)", "theta", "theta*", "of theta and theta*")],
        ),
        qed(by=["theta* is best", "weak convexity"]),
        qed(by=[convex("G(x, .)", "theta", "thetab", "of theta and thetab")], of=1),
    ),
)
EQ6 = p.claim(
    "eq6",
    "Section 2.1 (I)",
    Kind.IDENTITY,
    "v_gamma is differentiable, and grad v_gamma(x, y) = (grad_1 G(x, theta*_gamma(x, y)), "
    "(y - theta*_gamma(x, y))/gamma)",
    every(
        le(p.v_rest, p.L_2 / 2 * p.dx2 + p.dy2 / (2 * p.gamma)),
        ge(p.v_rest, -(p.L_2 / 2 + p.L_2**2 / _modulus) * p.dx2 - p.dy2 / (p.gamma**2 * _modulus)),
    ),
    equation="6",
    title="Gradient of the Moreau envelope",
    hypotheses=(p.SETS, p.WEIGHTS, p.G_SMOOTH, WEAKLY_CONVEX, GAMMA_RHO),
    follows_from=("I-sc",),
    note="Here with bounds on what the linear approximation leaves, for G as smooth as Assumption 3.2 says: (6) is "
    "printed before it, and speaks of gradients of G.",
    setting=replace(
        two.CROSSED,
        functions={
            **two.CROSSED.functions,
            "G(x, .)": {"theta*(z)": (two.s, two.gy, two.G_s), "cross": (two.sb, two.gyc, two.G_c)},
        },
    ),
    proof=Proof(
        two.CROSS,
        qed(by=[two.CROSS.name, smooth("G", "theta*(zb)", "cross")]),
        two.OPTIMAL,
        have(
            "smoothness in x",
            ge(two.G_c, two.G_sb + dot(two.gxb, two.x - two.xb) - p.L_2 / 2 * p.dx2),
            by=[smooth("G", "theta*(zb)", "cross")],
        ),
        have(
            "change of the gradient",
            le(norm2(two.gyb - two.gyc), p.L_2**2 * p.dx2),
            by=[lipschitz("G", "theta*(zb)", "cross")],
        ),
        have(
            "weak convexity in theta",
            ge(two.G_s, two.G_c + dot(two.gyc, two.s - two.sb) - p.rho_wc / 2 * norm2(two.s - two.sb)),
            by=[convex("G(x, .)", "theta*(z)", "cross")],
        ),
        qed(
            of=1,
            by=[two.OPTIMAL.name, "weak convexity in theta", "smoothness in x", "change of the gradient"],
            multipliers=[1, 1, 1, 1 / _modulus],
        ),
    ),
)
II_SUM = p.claim(
    "II-sum",
    "Section 2.1 (II)",
    Kind.IDENTITY,
    "Upsilon_{c_t}(x, y, theta) = sum_i w_i Upsilon^i_{c_t}(x, y, theta)",
    eq(p.U_all, p.U_mean),
    equation="7",
    title="The penalty function is a weighted sum",
    hypotheses=(p.WEIGHTS,),
    # values are those of F and G, the weighted means of f_i and g_i; the weights of the proximal term have the sum 1
    setting=replace(LOWER, metrics={**LOWER.metrics, p.U_mean: LOWER.metrics[p.U_all]}),
    proof=Proof(qed()),
)

_SIDES = {
    part: (
        formula(f"drawn_{part}", f"E <h_{{{part},i}}, u>", p.FORCE),
        formula(f"true_{part}", f"<{sign}grad_{part} Upsilon^i_{{c_t}}, u>", p.FORCE),
    )
    for part, sign in (("theta", "-"), ("y", ""), ("x", ""))
}
_BEFORE = "past client step before"
_GRADIENTS = {"fx": "efx", "fy": "efy", "gx": "egx", "gy": "egy", "tx": "etx", "ty": "ety"}
_fx, _fy, _gx, _gy, _tx, _ty, _near, _u = vectors("fx fy gx gy tx ty near u")
_efx, _efy, _egx, _egy, _etx, _ety = vectors(" ".join(_GRADIENTS.values()))
_MEAN = {"theta": _ty + _near, "y": _fy / p.c_t + _gy + _near, "x": _fx / p.c_t + _gx - _tx}
_NOISE = {"theta": _ety, "y": _efy / p.c_t + _egy, "x": _efx / p.c_t + _egx - _etx}
UNB_LOCAL = p.claim(
    "unb-local",
    "Section 2.2",
    Kind.IDENTITY,
    "The directions (9) are unbiased estimates of (-grad_theta, grad_y, grad_x) Upsilon^i_{c_t} at the local point",
    every(*(eq(*_SIDES[part]) for part in _SIDES)),
    equation="9",
    title="Local directions are unbiased",
    hypotheses=(p.F_NOISE, p.G_NOISE),
    # gradients of f_i and g_i at the local (x, y), and of g_i at (x, theta), with their noises; near is
    # (theta - y)/gamma, and u is known before the sample is drawn
    setting=Setting(
        depends=dict.fromkeys((*_GRADIENTS, "near", "u"), _BEFORE)
        | {e: f"{_BEFORE} {'xi' if 'f' in e else 'zeta'}" for e in _GRADIENTS.values()},
        metrics={drawn: dot(_MEAN[part] + _NOISE[part], _u) for part, (drawn, _) in _SIDES.items()}
        | {true: dot(_MEAN[part], _u) for part, (_, true) in _SIDES.items()},
        words={
            **{f"{f}{k}": f"grad_{k} {f}_i at the local (x, y)" for f in "fg" for k in "xy"},
            **{f"t{k}": f"grad_{k} g_i at the local (x, theta)" for k in "xy"},
            "near": "(theta - y)/gamma there",
            "u": "any vector that is known before the sample is drawn",
        },
    ),
    proof=Proof(
        qed(by=[fresh("ety")]),
        qed(by=[fresh("efx"), fresh("egx"), fresh("etx")], of=1),
        qed(by=[fresh("efy"), fresh("egy")], of=2),
    ),
)

#: The vectors ``n w_i a_i`` of the clients, each as likely as the others; ``average`` is ``sum_i w_i a_i``.
v, average, drawn, u = vectors("v average drawn u")
DRAWN = Setting(
    depends={"v": "client", "u": ""},
    means={"average": Mean("v", "client"), "drawn": SampleMean("v", "client", "sample")},
    sizes={"client": p.n},
    metrics={
        p.drawn_w: dot(drawn, u),
        p.mean_w: dot(average, u),
        p.drawn_sq: norm2(drawn),
        p.mean_sq: norm2(average),
        p.sq_weights: norm2(v) / p.n,
    },
    words={"v": "n w_i a_i of a client, each as likely as the others", "u": "any vector"},
)
UNB_AGG = p.claim(
    "unb-agg",
    "Section 2.2",
    Kind.IDENTITY,
    "E sum_{i in C} (n w_i/P) a_i = sum_i w_i a_i: the aggregated directions (11) are unbiased",
    eq(p.drawn_w, p.mean_w),
    equation="11",
    title="Aggregation over drawn clients is unbiased",
    hypotheses=(p.SAMPLED, p.P_N),
    setting=DRAWN,
    proof=Proof(qed(by=[mean("drawn"), mean("average")])),
)
_grad, _nu, _some = vectors("grad nu some")
R0 = p.claim(
    "R0",
    "Section 3.2",
    Kind.PROPERTY,
    "R_t(x, y) = 0 if and only if 0 is in grad Upsilon_{c_t}(x, y) + N_{X x Y}(x, y): R_t is at most "
    "||grad Upsilon_{c_t} + v||^2 for all v of the normal cone, and equal for one of them",
    every(le(p.R_xy, normal2), eq(p.R_xy, nearest2)),
    equation="13",
    title="The measure vanishes at stationary points",
    hypotheses=(p.SETS, IN_Y),
    # R_t is the squared distance of -grad from it
    setting=Setting(
        depends={"grad": "", "some": ""},
        functions={"N": {"nearest": (-_grad, _nu), "some": (_some, _some)}},  # type: ignore[dict-item]
        made={"N": NormalCone("X x Y")},
        words={
            "grad": "grad Upsilon_{c_t}(x, y)",
            "some": "any v of the normal cone",
            "N": "the normal cone of X x Y at (x, y)",
        },
        metrics={p.R_xy: norm2(_grad + _nu), normal2: norm2(_grad + _some), nearest2: norm2(_grad + _nu)},
    ),
    proof=Proof(qed(), qed(by=[projection("N", "nearest", "some")], of=1)),
)
CLAIMS: tuple[Claim, ...] = (EQ2, EQ2_CORRECTED, NONNEGATIVE, EQ4_5, I_SC, EQ6, II_SUM, UNB_LOCAL, UNB_AGG, R0)
