"""Lemma G.1 and what stands before it: ``R_t`` against the hypergradient, for strongly convex lower levels."""

import sympy as sp

from rateproof.theory.assumptions import Minimiser, StronglyConvex, WholeSpace
from rateproof.theory.claim import Kind, Switch
from rateproof.theory.gram import dot, norm2, vectors
from rateproof.theory.papers.mefbo import notation as p
from rateproof.theory.proof import (
    HalfSquare,
    Mean,
    Proof,
    Setting,
    bounded,
    cauchy_schwarz,
    cite,
    convex,
    have,
    in_words,
    limit,
    lipschitz,
    qed,
    raised,
    section,
    stationary,
    unfold,
    written_out,
)
from rateproof.theory.shorthand import amended, eq, ge, le
from rateproof.theory.symbols import NONNEG
from rateproof.theory.units import INNER, LENGTH, OUTER

declare, formula = p.declare, p.formula
R1_sq = formula("R1_sq", "||R_t^{(1)}(x, y)||^2", (OUTER / LENGTH) ** 2, **NONNEG)
R2_sq = formula("R2_sq", "||R_t^{(2)}(x, y)||^2", (OUTER / LENGTH) ** 2, **NONNEG)
R2 = formula("R2_norm", "||R_t^{(2)}(x, y)||", OUTER / LENGTH, **NONNEG)
off = formula("off_y", "||y - y*(x)||", LENGTH, **NONNEG)
hyper_err = formula("hyper_err", "||grad Phi(x) - R_t^{(1)}(x, y)||", OUTER / LENGTH, **NONNEG)
L_mu = declare(
    "L_mu", "constant L_mu of Lemma G.1", OUTER**2 / (LENGTH * INNER), latex=r"L_\mu", defined=True, **NONNEG
)
NEEDED = 6 * p.L_f / p.mu * (1 + p.L_2 / p.mu) * (p.L_1 + 6 * p.L_G2 * p.L_f / p.mu)
MU = {L_mu: NEEDED + 6 * p.L_hyper * p.L_f / (p.mu**2 * p.gamma)}

FREE = p.H_("unconstrained", "X = R^{d_x} and Y = R^{d_y}", None, WholeSpace("X"), WholeSpace("Y"))
STRONG = p.H_("g_strongly_convex", "every g_i(x, .) is mu-strongly convex", None, StronglyConvex("g_i(x, .)", p.mu))
LARGE = p.H_("gamma>1/mu", "gamma > 1/mu", sp.Gt(p.gamma * p.mu, 1, evaluate=False))
SMALL_R2 = p.H_("R2<=L_f/c_t", "||R_t^{(2)}(x, y)|| <= L_f/c_t", le(R2, p.L_f / p.c_t))
BY_116 = p.H_("R2<=L_f", "||R_t^{(2)}(x, y)|| <= L_f", le(R2, p.L_f))
TWICE = p.H_("R2<=2L_f", "||R_t^{(2)}(x, y)|| <= 2 L_f", le(R2, 2 * p.L_f))
LIPSCHITZ_2 = p.H_(
    "second_order",
    "grad^2_xy G(x, .) and grad^2_yy G(x, .) are L_{G,2}-Lipschitz; the hypergradient is L_Phi-Lipschitz",
)
HESSIAN = p.H_("hessian", "grad^2_xy G(x, .) and grad^2_yy G(x, .) are L_{G,2}-Lipschitz")
_BOTH = (*p.A1, *p.A2, p.WEIGHTS, FREE, STRONG)
_STRONG = (*_BOTH, LARGE)

x, fx, gx, sx, ox, fox, ux_o, hx_d = vectors("x fx gx sx ox fox ux_o hx_d")
y, s, o, fy, gy, sy, oy, m, r, foy, hy_d = vectors("y s o fy gy sy oy m r foy hy_d")
F_z, F_o, G_z, G_s, G_o, M_s = sp.symbols("F_z F_o G_z G_s G_o M_s", real=True)
slope = formula("slope_y", "||grad_y F(x, y)||", OUTER / LENGTH, **NONNEG)
#: At a point ``z = (x, y)``, with ``s = theta*(z)`` and ``o = y*(x)``: ``low`` is ``G(x, .)``, least at ``o``, ``m`` is
#: the gradient of what ``s`` minimises, and ``r`` is ``R^(2)``. Of the hypergradient at x, ``ux_o`` is
#: ``grad^2_xy G [grad^2_yy G]^-1 grad_y F`` at ``(x, y*)``; ``hx_d`` and ``hy_d`` are ``grad^2_xy G`` and
#: ``grad^2_yy G`` there times ``y - theta*``.
AT_Z = p.by_space(
    Setting(
        depends=dict.fromkeys(("x", "y", "s", "o", "ux_o", "hx_d", "hy_d"), ""),
        sums={"m": sy + (s - y) / p.gamma, "r": fy + (gy - sy) * p.c_t},
        functions={
            "F": {"z": (x + y, fx + fy, F_z), "y*": (x + o, fox + foy, F_o)},
            "G": {"z": (x + y, gx + gy, G_z), "theta*": (x + s, sx + sy, G_s), "y*": (x + o, ox + oy, G_o)},
            "G(x, .)": {"z": (y, gy, G_z), "theta*": (s, sy, G_s), "y*": (o, oy, G_o)},
            "M": {"theta*": (s, m, M_s)},
            "low": {"y*": (o, oy, G_o)},
        },
        made={
            "F": Mean("f_i", "client"),
            "G": Mean("g_i", "client"),
            "G(x, .)": Mean("g_i(x, .)", "client"),
            "M": {"G": sp.S.One, "half": 1 / p.gamma},
            "half": HalfSquare(),
            "low": {"G": sp.S.One},
        },
        # the statements speak of theta* and y*
        assumes=(Minimiser("M", "theta*", "Y"), Minimiser("low", "y*", "Y")),
        lengths={slope: fy, R2: r},
        bounds={R2: r},
        metrics={
            p.R_xy: norm2((fx + fy) / p.c_t + gx + gy - sx - (y - s) / p.gamma),
            R1_sq: norm2(fx + (gx - sx) * p.c_t),
            R2_sq: norm2(fy + (gy - sy) * p.c_t),
            off**2: norm2(y - o),
            slope**2: norm2(fy),
            hyper_err**2: norm2(fox - ux_o - fx - (gx - sx) * p.c_t),
        },
        measured=(off, slope, hyper_err),
        fixed=(R2, hyper_err, p.c_t, p.L_G2),
        words={
            **{name: f"{name} of any point z = (x, y)" for name in ("x", "y")},
            "s": "theta*_gamma(z)",
            "o": "y*(x)",
            "ux_o": "grad^2_xy G [grad^2_yy G]^-1 grad_y F at (x, y*)",
            "hx_d": "grad^2_xy G at (x, y*), times y - theta*",
            "hy_d": "grad^2_yy G at (x, y*), times y - theta*",
        },
    )
)

G_ID = p.claim(
    "G-id",
    "Appendix G",
    Kind.IDENTITY,
    "R_t(x, y) = (1/c_t^2) (||R_t^{(1)}(x, y)||^2 + ||R_t^{(2)}(x, y)||^2), with R_t^{(1)} = grad_x F + c_t [grad_x "
    "G(x, y) - grad_x G(x, theta*)] and R_t^{(2)} likewise in y",
    eq(p.R_xy, (R1_sq + R2_sq) / p.c_t**2),
    title="The measure without constraints",
    hypotheses=_BOTH,
    follows_from=("eq6",),
    setting=AT_Z,
    proof=Proof(qed(by=[stationary("M"), written_out("m")])),
)
#: (116) as the argument gives it.
OFF = p.claim(
    "lemG.1.off",
    "Lemma G.1",
    Kind.INEQUALITY,
    "||y - y*(x)|| <= 2 (L_f + ||R_t^{(2)}(x, y)||)/(c_t mu)",
    le(off, 2 * (p.L_f + R2) / (p.c_t * p.mu)),
    title="Distance to the lower solution",
    hypotheses=_STRONG,
    setting=AT_Z,
    proof=Proof(
        have(
            "from theta* to y*",
            ge(dot(y - s, s - o), p.gamma * p.mu * norm2(s - o)),
            by=[convex("G(x, .)", "theta*", "y*"), stationary("M"), written_out("m"), stationary("low")],
        ),
        have("no farther", ge(dot(y - s, s - o), norm2(s - o)), by=["from theta* to y*"]),
        have("twice as far", le(norm2(y - o), 4 * norm2(y - s)), by=["no farther"], multipliers=[4]),
        have(
            "strong monotonicity", ge(dot(gy - sy, y - s), p.mu * norm2(y - s)), by=[convex("G(x, .)", "z", "theta*")]
        ),
        have(
            "by gradients",
            le(p.mu**2 * norm2(y - s), norm2(gy - sy)),
            by=["strong monotonicity"],
            multipliers=[2 * p.mu],
        ),
        have("slope of F", le(slope**2, p.L_f**2), by=[bounded("F", "z")]),
        raised("its root", "slope of F", to=sp.Rational(1, 2)),
        have(
            "by R2",
            le(norm2(r - fy), (p.L_f + R2) ** 2),
            by=["slope of F", "its root", cauchy_schwarz(R2, slope), cauchy_schwarz(R2, R2)],
        ),
        have(
            "change of the gradient", le(p.c_t**2 * norm2(gy - sy), (p.L_f + R2) ** 2), by=["by R2", written_out("r")]
        ),
        have(
            "in squares",
            le(p.mu**2 * p.c_t**2 * off**2, 4 * (p.L_f + R2) ** 2),
            by=["twice as far", "by gradients", "change of the gradient"],
            multipliers=[p.mu**2 * p.c_t**2, 4 * p.c_t**2, 4],
        ),
        raised("the roots", "in squares", to=sp.Rational(1, 2)),
        qed(by=["the roots"]),
    ),
)
G1_A = p.claim(
    "lemG.1-a",
    "Lemma G.1",
    Kind.INEQUALITY,
    "||y - y*(x)|| <= (2 L_f + 4 ||R_t^{(2)}(x, y)||)/(c_t mu)",
    le(off, (2 * p.L_f + 4 * R2) / (p.c_t * p.mu)),
    equation="116",
    title="Distance to the lower solution",
    hypotheses=_STRONG,
    note="It holds with 2 ||R_t^{(2)}|| for 4 ||R_t^{(2)}||. Strong convexity is that in y: no g_i(., y) of a g_i "
    "that is strongly convex in (x, y) is Lipschitz. As mu <= L_2, no gamma > 1/mu is below 1/(2 L_2), as Theorem 3.4 "
    "has it.",
    setting=AT_Z,
    proof=Proof(qed(by=[cite(OFF)])),
)
_WHY_B = (
    "the step from (116) needs ||R_t^{(2)}|| <= L_f, which has its unit; L_f/c_t gives (2 + 4/c_t) L_f/mu, which is "
    "more for c_t < 1"
)
_PENALTY = Switch(
    "R2",
    "||R_t^{(2)}|| <= L_f/c_t",
    "||R_t^{(2)}|| <= L_f",
    _WHY_B,
    without=(SMALL_R2.key,),
    adding=(BY_116,),
    origin="(116), whose right side is 6 L_f/(c_t mu) just then",
)
G1_B = p.claim(
    "lemG.1-b",
    "Lemma G.1",
    Kind.INEQUALITY,
    "If ||R_t^{(2)}(x, y)|| <= L_f/c_t, then c_t ||y - y*(x)|| <= 6 L_f/mu",
    le(p.c_t * off, 6 * p.L_f / p.mu),
    title="Distance to the lower solution, near stationarity",
    hypotheses=(*_STRONG, SMALL_R2),
    follows_from=("lemG.1-a",),
    switches=(_PENALTY,),
)
G1_B_CORRECTED = amended(
    G1_B,
    _WHY_B,
    text="As printed, for ||R_t^{(2)}(x, y)|| <= 2 L_f; so as printed for c_t >= 1/2",
    hypotheses=(*_STRONG, TWICE),
    setting=AT_Z,
    proof=Proof(
        have("(116), sharper", le(off, 2 * (p.L_f + R2) / (p.c_t * p.mu)), by=[cite(OFF)]), qed(by=["(116), sharper"])
    ),
)
G1_C = p.claim(
    "lemG.1-c",
    "Lemma G.1",
    Kind.INEQUALITY,
    "If moreover grad^2_xy G(x, .) and grad^2_yy G(x, .) are L_{G,2}-Lipschitz: ||grad Phi(x) - R_t^{(1)}(x, y)|| <= "
    "L_mu/c_t + (L_2/mu) ||R_t^{(2)}(x, y)||, with L_mu = (6 L_f/mu) (1 + L_2/mu) (L_1 + 6 L_{G,2} L_f/mu) + 6 L_Phi "
    "L_f/(mu^2 gamma)",
    le(hyper_err, L_mu / p.c_t + p.L_2 / p.mu * R2),
    title="The measure and the hypergradient",
    hypotheses=(*_STRONG, SMALL_R2, LIPSCHITZ_2),
    where=MU,
    follows_from=("lemG.1-b",),
    switches=(_PENALTY,),
    note="L_Phi is that of Lemma 2.2 of Ghadimi and Wang (2018), taken here as the constant of the hypergradient.",
)
_e = sp.Symbol("e", positive=True)
_far = 6 * p.L_f / (p.mu * p.c_t)
_of_f, _of_g, _kappa = p.L_1 * _far + _e, p.c_t * p.L_G2 * _far**2 + _e, p.L_2 / p.mu
_of_y = _of_f + R2 + _e + _of_g
_in_all = _of_f + _kappa * _of_y + _of_g
_REMAINDERS = {"x": gx - sx - hx_d, "y": gy - sy - hy_d}
_TAYLOR = (
    "second derivatives are L_{G,2}-Lipschitz in y, and the segment from theta* to y is within 6 L_f/(c_t mu) of y*"
)
G1_C_CORRECTED = amended(
    G1_C,
    "the printed constant rests on c_t ||y - y*(x)|| <= 6 L_f/mu, which needs ||R_t^{(2)}|| <= 2 L_f",
    text="As printed without the last term of L_mu, for ||R_t^{(2)}(x, y)|| <= 2 L_f; so as printed for c_t >= 1/2",
    hypotheses=(*_STRONG, TWICE, HESSIAN),
    where={L_mu: NEEDED},
    follows_from=("lemG.1-b.corrected",),
    note="",
    setting=AT_Z,
    proof=Proof(
        section("Distances from y* to theta* and y"),
        *OFF.proof.steps[:2],  # type: ignore[union-attr]
        have("the distance", le(p.c_t * off, 6 * p.L_f / p.mu), by=[cite(G1_B_CORRECTED.id)]),
        have("over c_t", le(off, _far), by=["the distance"]),
        raised("its square", "over c_t", to=2),
        have("from theta* to y", le(norm2(y - s), _far**2), by=["no farther", "its square"]),
        section("Change of the gradient of F"),
        have(
            "change of F",
            le(norm2(fox - fx + foy - fy), (p.L_1 * _far) ** 2),
            by=[lipschitz("F", "z", "y*"), "its square"],
            multipliers=[1, p.L_1**2],
        ),
        have("change in x", le(norm2(fox - fx), _of_f**2), by=["change of F"], multipliers=[1]),
        have("change in y", le(norm2(foy - fy), _of_f**2), by=["change of F"], multipliers=[1]),
        section("Remainders of second order"),
        *(
            step
            for of, rest in _REMAINDERS.items()
            for step in (
                in_words(f"remainder in {of}", le(norm2(rest), (p.L_G2 * _far) ** 2 * norm2(y - s)), _TAYLOR),
                have(
                    f"small in {of}",
                    le(p.c_t**2 * norm2(rest), _of_g**2),
                    by=[f"remainder in {of}", "from theta* to y"],
                    multipliers=[p.c_t**2, (p.c_t * p.L_G2 * _far) ** 2],
                ),
            )
        ),
        section("All parts together, and the limit"),
        in_words(
            "the inverse",
            le(norm2(ux_o + hx_d * p.c_t), _kappa**2 * norm2(foy + hy_d * p.c_t)),
            "at (x, y*) the norm of grad^2_xy G is at most L_2, and grad^2_yy G >= mu",
        ),
        have("R2", le(norm2(r), (R2 + _e) ** 2), by=[cauchy_schwarz(R2, R2)]),
        have(
            "three parts",
            le(norm2(foy - fy + r - _REMAINDERS["y"] * p.c_t), _of_y**2),
            by=["change in y", "R2", "small in y"],
            multipliers=[_of_y / _of_f, _of_y / (R2 + _e), _of_y / _of_g],
        ),
        have("of y", le(norm2(foy + hy_d * p.c_t), _of_y**2), by=["three parts", written_out("r")]),
        have(
            "all parts",
            le(hyper_err**2, _in_all**2),
            by=["change in x", "the inverse", "of y", "small in x"],
            multipliers=[_in_all / _of_f, _in_all / (_kappa * _of_y), _in_all * _kappa / _of_y, _in_all / _of_g],
        ),
        limit("the limit", "all parts", over=_e),
        raised("the roots", "the limit", to=sp.Rational(1, 2)),
        qed(by=["the roots", unfold(L_mu)]),
    ),
)
CLAIMS = (G_ID, G1_A, G1_B, G1_B_CORRECTED, G1_C, G1_C_CORRECTED)
