"""Theorem 3.4 without constraints: what holds when X and Y are the whole spaces, with no term that stays.

The gap is measured by what theta loses, ``Q = G(x, theta) + ||theta - y||^2/(2 gamma) - v_gamma(x, y)``, and not by its
distance from ``theta*``: ``Q`` is smooth in all three variables, so noise enters with the squares of the steps. With
``a`` the gradient of ``Phi`` and ``b`` that of ``Q`` in ``(x, y)``, the mean direction of ``(x, y)`` is ``a - b``, and
``<a + b, a - b> = ||a||^2 - ||b||^2``: hence ``Phi + Q`` is what descends.
"""

from dataclasses import dataclass

import sympy as sp

from rateproof.theory.claim import Kind
from rateproof.theory.gram import Vector, dot, norm2, vectors
from rateproof.theory.papers.mefbo import lemma_d5, lemma_d6, lemma_d7, rates
from rateproof.theory.papers.mefbo import notation as p
from rateproof.theory.papers.mefbo import one_round as r
from rateproof.theory.papers.mefbo import theorem_d11 as d
from rateproof.theory.papers.mefbo.lemma_g1 import FREE
from rateproof.theory.papers.mefbo.theorem34 import THEOREM34
from rateproof.theory.proof import (
    SEQUENCES,
    Mean,
    Proof,
    SampleMean,
    Setting,
    Step,
    bounded,
    cite,
    dissimilar,
    fresh,
    have,
    infimum,
    least,
    lipschitz,
    mean,
    projection,
    qed,
    rewritten,
    sampling,
    smooth,
    special,
    stationary,
    summed,
    unfold,
    unprojected,
    variance,
    written_out,
)
from rateproof.theory.shorthand import amended, eq, ge, gt, le

_R = sp.Rational
Q_t = p.declare("Q_t", "E [G(x^t, theta^t) + ||theta^t - y^t||^2/(2 gamma) - v_gamma(z^t)]", p.INNER, latex="Q_t")
Q_end = p.declare("Q_end", "the same at the end of the round", p.INNER, latex="Q_{t+1}")
R_start = p.formula("R_start", "E R_t(x^t, y^t)", p.FORCE2, nonnegative=True)
slope2 = p.formula("slope2", "E ||grad_y G(x^t, theta^t) + (theta^t - y^t)/gamma||^2", p.FORCE2, nonnegative=True)
off2 = p.formula("off2_h", "E ||htilde - (mean direction at z^t, theta^t)||^2, in x and y", p.FORCE2, nonnegative=True)
off2_theta = p.formula("off2_t", "E ||htilde_theta - (mean direction at z^t, theta^t)||^2", p.FORCE2, nonnegative=True)
var_theta = p.formula("var_theta", "E ||h_theta - htilde_theta||^2", p.FORCE2, nonnegative=True)

Lam_t = p.declare(
    "Lam_t",
    "E [Phi_{c_t}(z^t) + G(x^t, theta^t) + ||theta^t - y^t||^2/(2 gamma) - v_gamma(z^t)]",
    p.INNER,
    latex="\\Lambda_t",
)
Lam_end = p.declare("Lam_end", "the same at the end of the round, with c_{t+1}", p.INNER, latex="\\Lambda_{t+1}")

# --- one round

x, y, t, s, xp, yp, tp = vectors("x y t s xp yp tp")
fy, fyi, gy, gyi, hx, hxi, hxk, hy, hyi, hyk, sx, sy, kxp, kyp, kxpi, kypi = vectors(
    "fy fyi gy gyi hx hxi hxk hy hyi hyk sx sy kxp kyp kxpi kypi"
)
dx, dy, dx_a, dy_a, ex, ey, ct, ct_a, eth, BT, bt, bt_c, bt_a, N, ety = vectors(
    "dx dy dx_a dy_a ex ey ct ct_a eth BT bt bt_c bt_a N ety"
)
f_e, g_e, g_k, F_inf = sp.symbols("f_e g_e g_k F_inf", real=True)
#: Gradients in (x, y) of Phi and of Q at the start of the round, and that of Q in theta.
a_x, a_y = lemma_d5.GRAD_X, lemma_d5.GRAD_Y
b_x, b_y = hx - sx, (s - t) / p.gamma
slope = hy + (t - y) / p.gamma
_moved = p.step_x + p.step_y
_moved_t = norm2(tp - t)
#: The round with the noises of all three directions. ``ct`` is what the direction of theta of a client changes along
#: its steps, ``bt`` that direction, ``BT`` and ``N`` the means of it and of its noise over the clients drawn.
#: What Phi and Q have of G and the envelope together.
_v, _v_end = r.g_s + norm2(s - y) / (2 * p.gamma), r.g_p + norm2(r.sp_ - yp) / (2 * p.gamma)
_inner_t = r.g_z + r.g_t + norm2(t - y) / (2 * p.gamma) - 2 * _v
_inner_end = g_e + g_k + norm2(tp - yp) / (2 * p.gamma) - 2 * _v_end
ROUND = r.wider(
    d.MEASURED,
    (rates.SERVER_XY.depends, rates.SERVER_XY.means),
    ({"ct": r.LOCAL, "bt": r.LOCAL}, {}),
    r.averaged("ct", "bt"),
    ({"ety_c": "past client round"}, {"ety_c": Mean("ety", "step")}),
    (
        {"BT": r.END, "N": r.END, "eth": r.END, "tp": r.END},
        {"BT": SampleMean("bt_c", "client", "sample"), "N": SampleMean("ety_c", "client", "sample")},
    ),
    r.by_client(r.END, "kxp", "kyp"),
    sums={
        **rates.SERVER_XY.sums,
        "ct": lemma_d6.LOCAL_CHANGE,
        "bt": lemma_d7.DIRECTION["theta"],
        "eth": BT - bt_a + N,
    },
    functions={
        "g_i": {"theta+": (xp + tp, kxpi + kypi, g_k)},
        "G": {"theta+": (xp + tp, kxp + kyp, g_k)},
        "Y": {"theta+": (t - p.lambda_theta * (slope + ct_a + eth), tp, r.inside)},
    },
    metrics={
        Q_t: r.g_t + norm2(t - y) / (2 * p.gamma) - r.g_s - norm2(s - y) / (2 * p.gamma),
        Q_end: g_k + norm2(tp - yp) / (2 * p.gamma) - r.g_p - norm2(r.sp_ - yp) / (2 * p.gamma),
        R_start: norm2(a_x) + norm2(a_y),
        slope2: norm2(slope),
        off2: norm2(dx) + norm2(dy),
        off2_theta: norm2(ct),
        var_theta: norm2(eth),
        lemma_d7.dir2_y: norm2(lemma_d7.DIRECTION["y"]),
        Lam_t: (r.f_z - F_inf) / p.c_t + _inner_t,
        Lam_end: (f_e - F_inf) / p.c_next + _inner_end,
    },
    infima={"F": F_inf},
    measured=(g_k,),
    others=(rates.SERVER_XY,),
)
L = p.declare(
    "L_both", "smoothness constant of Phi + Q, times two", p.CURVATURE, latex="L", defined=True, positive=True
)
SMOOTH_BOTH = {L: p.L_1 / p.c_0 + p.L_2 + 4 / p.gamma}
_beta = p.beta_max / p.P
#: What drawing clients adds to a squared direction.
KAPPA = 1 + 2 * _beta * p.B_P
ONE_STEP = p.H_("lambda_x=lambda_y", "lambda_x = lambda_y", eq(p.lambda_y, p.lambda_x))
_HYPOTHESES = (*p.RUN, FREE)


@dataclass(frozen=True)
class Axis:
    """One of x, y and theta: how it moves, and along which gradient the descent is measured.

    Attributes:
        name: of the variable.
        start, end: where it is before and after the round.
        length: the server's step.
        gradient: of ``Phi + Q``, and the vectors of the past of which it is made.
        direction: the mean of the server's direction.
        noise: what the direction has beside its mean.
        drawn, noises: of what the noise is made: means over the clients drawn, and noises of these.
    """

    name: str
    start: Vector
    end: Vector
    length: sp.Symbol
    gradient: Vector
    direction: Vector
    noise: str
    drawn: tuple[str, str]
    noises: tuple[str, ...]

    def steps(self) -> tuple[Step, ...]:
        """That the noise is orthogonal to the gradient, and how far the variable moves along it."""
        e, drawn, every = vectors(f"{self.noise} {' '.join(self.drawn)}")
        along = eq(dot(self.gradient, self.end - self.start), -self.length * dot(self.gradient, self.direction))
        into = unprojected("X" if self.name == "x" else "Y", f"{self.name}+")
        parts = {
            f"drawing in {self.name}": (drawn - every, tuple(map(mean, self.drawn))),
            **{f"{n} in {self.name}": (vectors(n)[0], (fresh(n),)) for n in self.noises},
        }
        orthogonal = f"noise in {self.name}"
        return (
            *(have(name, eq(dot(self.gradient, part), 0), by=by) for name, (part, by) in parts.items()),
            have(orthogonal, eq(dot(self.gradient, e), 0), by=[written_out(self.noise), *parts]),
            have(f"slope in {self.name}", along, by=[into, orthogonal]),
        )


_AXES = (
    Axis("x", x, xp, p.lambda_x, a_x + b_x, a_x - b_x + dx_a, "ex", ("BX", "bx_a"), ("efx_s", "egx_s", "etx_s")),
    Axis("y", y, yp, p.lambda_y, a_y + b_y, a_y - b_y + dy_a, "ey", ("BY", "by_a"), ("efy_s", "egy_s")),
    Axis("theta", t, tp, p.lambda_theta, slope, slope + ct_a, "eth", ("BT", "bt_a"), ("N",)),
)
STEPS = (
    p.H_("lambda_x=lambda_y", "lambda_x = lambda_y", eq(p.lambda_y, p.lambda_x)),
    p.H_(
        "small lambda_x",
        "16 kappa lambda_x (L_1/c_0 + L_2 + 4/gamma) <= 1, with kappa = 1 + 2 (beta_max/P) (n-P)/(n-1)",
        le(16 * KAPPA * p.lambda_x * L, 1),
    ),
    p.H_("small lambda_theta", "20 kappa lambda_theta <= gamma", le(20 * KAPPA * p.lambda_theta, p.gamma)),
    p.H_(
        "small ratio",
        "4 (L_2^2 + 1/gamma^2) lambda_x <= rho^2 lambda_theta",
        le(4 * p.G2 * p.lambda_x, p.rho**2 * p.lambda_theta),
    ),
)
_b2 = norm2(b_x) + norm2(b_y)
_h_y = a_y - b_y
_client = (fyi - fy) / p.c_t + (gyi - gy)
V = (
    p.B_P * (14 * p.L_f**2 / p.c_t**2 + 12 * p.L_g**2 + 8 * p.Het**2)
    + (10 * p.sig_f**2 / p.c_t**2 + 16 * p.sig_g**2) / p.tau
)
V_THETA = 2 * p.B_P * p.Het**2 + p.sig_g**2 / p.tau
_spread_y = 4 * (p.L_f**2 / p.c_t**2 + p.Het**2) + 2 * norm2(_h_y) + 2 * norm2(dy)
_spread_t = 2 * (p.Het**2 + slope2 + off2_theta)
_stay = R_start + _b2 + off2
_DESCENT = (
    *lemma_d5.SMOOTH_PHI,
    have(
        "G at theta",
        le(g_k - r.g_t - dot(hx + hy, xp + tp - x - t), p.L_2 / 2 * (p.step_x + _moved_t)),
        by=[smooth("G", "theta+", "theta")],
    ),
    have("largest", le(sp.Max(p.L_2, 1 / p.gamma), 1 / p.gamma)),
    have("largest moves", le(sp.Max(p.L_2, 1 / p.gamma) * _moved, _moved / p.gamma), by=["largest"]),
    have("L_2 of x", le(2 * p.L_2 * p.step_x, p.step_x / p.gamma)),
    have("L_2 of theta", le(2 * p.L_2 * _moved_t, _moved_t / p.gamma)),
    have(
        "value gap",
        le(
            Q_end,
            Q_t
            + dot(b_x, xp - x)
            + dot(b_y, yp - y)
            + dot(slope, tp - t)
            + 3 / (2 * p.gamma) * _moved
            + 5 / (4 * p.gamma) * _moved_t,
        ),
        by=["G at theta", "the envelope", "largest moves", "L_2 of x", "L_2 of theta"],
    ),
    *(step for axis in _AXES for step in axis.steps()),
    have("one step", STEPS[0].relation),
    have("1/c_0", le(1 / p.c_t, 1 / p.c_0)),
    have("smoothness of both", le(p.L_Phi + 3 / p.gamma, L), by=["1/c_0", "largest", unfold(p.L_Phi, L)]),
    have("curvature of both", le((p.L_Phi + 3 / p.gamma) * _moved, L * _moved), by=["smoothness of both"]),
    have(
        "linear",
        le(
            p.Phi_end + Q_end,
            p.Phi_t
            + Q_t
            - p.lambda_x * (dot(a_x + b_x, a_x - b_x + dx_a) + dot(a_y + b_y, a_y - b_y + dy_a))
            - p.lambda_theta * dot(slope, slope + ct_a)
            + L / 2 * _moved
            + 5 / (4 * p.gamma) * _moved_t,
        ),
        by=["smoothness", "value gap", "curvature of both", "slope in x", "slope in y", "slope in theta", "one step"],
    ),
    *(
        have(f"mean of {m}", le(norm2(vectors(f"{m}_a")[0]), norm2(vectors(m)[0])), by=[mean(f"{m}_c"), mean(f"{m}_a")])
        for m in ("dx", "dy", "ct")
    ),
    have(
        "along (x, y)",
        ge(
            dot(a_x + b_x, a_x - b_x + dx_a) + dot(a_y + b_y, a_y - b_y + dy_a),
            _R(3, 4) * R_start - _R(5, 4) * _b2 - 2 * off2,
        ),
        by=["mean of dx", "mean of dy"],
        multipliers=[2, 2],
    ),
    have(
        "along theta",
        ge(dot(slope, slope + ct_a), _R(3, 4) * slope2 - off2_theta),
        by=["mean of ct"],
        multipliers=[1],
    ),
)
_TRACKING = (
    have("rho > 0", gt(p.rho, 0), by=[unfold(p.rho)]),
    have(
        "strong monotonicity",
        ge(dot(t - s, slope), p.rho * p.gap2),
        by=[smooth("G", "theta", "theta*"), stationary("M"), written_out("m"), unfold(p.rho)],
    ),
    have("gap", le(p.rho**2 * p.gap2, slope2), by=["strong monotonicity", "rho > 0"], multipliers=[2 * p.rho]),
    have("of G", le(norm2(b_x), p.L_2**2 * p.gap2), by=[lipschitz("G", "theta", "theta*")]),
    have("b", le(_b2, p.G2 * p.gap2), by=["of G"]),
    have(
        "b by the slope",
        le(_b2, p.G2 / p.rho**2 * slope2),
        by=["b", "gap", "rho > 0"],
        multipliers=[1, p.G2 / p.rho**2],
    ),
    have("ratio", STEPS[3].relation),
    have("ratio of steps", le(4 * p.G2 / p.rho**2 * p.lambda_x, p.lambda_theta), by=["ratio", "rho > 0"]),
    have(
        "ratio times the slope",
        le(4 * p.G2 / p.rho**2 * p.lambda_x * slope2, p.lambda_theta * slope2),
        by=["ratio of steps"],
    ),
    have(
        "b paid",
        le(4 * p.lambda_x * _b2, p.lambda_theta * slope2),
        by=["b by the slope", "ratio times the slope"],
        multipliers=[4 * p.lambda_x, 1],
    ),
)
_VARIANCES = (
    have("B_P", ge(p.B_P, 0), by=[unfold(p.B_P)]),
    have("variance of x", rates.VAR_X.statement, by=[cite(rates.VAR_X)], multipliers=[1]),
    have("variance of y", rates.VAR_Y.statement, by=[cite(rates.VAR_Y)], multipliers=[1]),
    # a client's direction of y is the server's, its own part, which has mean zero over the clients, and the drift
    have("gradients of f", le(norm2(fyi), p.L_f**2), by=[bounded("f_i", "z")]),
    have("clients of f", le(norm2(fyi - fy), p.L_f**2), by=["gradients of f", mean("fy")]),
    have("clients of g", le(norm2(gyi - gy), p.Het**2), by=[dissimilar("g_i", "z")]),
    have(
        "a client's own part",
        le(norm2(_client), 2 * (p.L_f**2 / p.c_t**2 + p.Het**2)),
        by=["clients of f", "clients of g"],
        multipliers=[2 / p.c_t**2, 2],
    ),
    have("it is orthogonal", eq(dot(_client, _h_y), 0), by=[mean("fy"), mean("gy")]),
    have(
        "at the server's point",
        le(norm2(_client + _h_y), 2 * (p.L_f**2 / p.c_t**2 + p.Het**2) + norm2(_h_y)),
        by=["a client's own part", "it is orthogonal"],
    ),
    have("a direction of y", eq(lemma_d7.dir2_y, norm2(_client + _h_y + dy)), by=[written_out("dy")]),
    have("directions of y", le(lemma_d7.dir2_y, _spread_y), by=["a direction of y", "at the server's point"]),
    # the same of theta
    have("clients at theta", le(norm2(hyi - hy), p.Het**2), by=[dissimilar("g_i", "theta")]),
    have("orthogonal at theta", eq(dot(hyi - hy, slope), 0), by=[mean("hy")]),
    have(
        "at the server's theta",
        le(norm2(hyi - hy + slope), p.Het**2 + slope2),
        by=["clients at theta", "orthogonal at theta"],
    ),
    have(
        "a direction of theta", eq(norm2(bt), norm2(hyi - hy + slope + ct)), by=[written_out("bt"), written_out("ct")]
    ),
    have("directions of theta", le(norm2(bt), _spread_t), by=["a direction of theta", "at the server's theta"]),
    have("their steps", le(norm2(bt_c), norm2(bt)), by=[mean("bt_c")]),
    have("drawn", ge(dot(BT, bt_a), norm2(bt_a)), by=[mean("BT"), mean("bt_a")]),
    have("drawn clients", le(norm2(BT), norm2(bt_a) + _beta * p.B_P * norm2(bt_c)), by=[sampling("BT"), unfold(p.B_P)]),
    have(
        "the spread",
        le(norm2(BT - bt_a), _beta * p.B_P * _spread_t),
        by=["drawn", "drawn clients", "their steps", "directions of theta", "B_P"],
        multipliers=[2, 1, _beta * p.B_P, _beta * p.B_P],
    ),
    have("one noise", le(norm2(ety), p.sig_g**2), by=[written_out("e_t"), variance("e_t")]),
    have("the noise", le(norm2(N), _beta / p.tau * p.sig_g**2), by=[variance("N"), variance("ety_c"), "one noise"]),
    have(
        "both",
        le(norm2(BT - bt_a + N), 2 * _beta * (p.B_P * _spread_t + p.sig_g**2 / p.tau)),
        by=["the spread", "the noise"],
        multipliers=[2, 2],
    ),
    have(
        "variance of theta",
        le(var_theta, 2 * _beta * (p.B_P * _spread_t + p.sig_g**2 / p.tau)),
        by=["both", written_out("eth")],
    ),
)

_l, _lt = p.lambda_x, p.lambda_theta
_x_of = _beta * p.B_P
_CURVED = (
    have("B_P of y", le(p.B_P * lemma_d7.dir2_y, p.B_P * _spread_y), by=["directions of y", "B_P"]),
    have("direction of y", le(norm2(_h_y), 2 * norm2(a_y) + 2 * norm2(b_y))),
    have(
        "variance of (x, y)",
        le(lemma_d5.var_x + lemma_d5.var_y, _beta * V + _x_of * (8 * R_start + 8 * _b2 + 4 * off2)),
        by=["variance of x", "variance of y", "B_P of y", "direction of y", "B_P"],
        multipliers=[1, 1, 2 * _beta, 4 * _x_of],
    ),
    have(
        "move of x", le(p.step_x, 2 * _l**2 * (norm2(a_x - b_x + dx_a) + lemma_d5.var_x)), by=[unprojected("X", "x+")]
    ),
    have(
        "move of y",
        le(p.step_y, 2 * p.lambda_y**2 * (norm2(a_y - b_y + dy_a) + lemma_d5.var_y)),
        by=[unprojected("Y", "y+")],
    ),
    have(
        "move of theta", le(_moved_t, 2 * _lt**2 * (norm2(slope + ct_a) + var_theta)), by=[unprojected("Y", "theta+")]
    ),
    rewritten("move of y by one step", "move of y", by=["one step"]),
    have(
        "three parts",
        le(norm2(a_x - b_x + dx_a) + norm2(a_y - b_y + dy_a), 3 * _stay),
        by=["mean of dx", "mean of dy"],
        multipliers=[3, 3],
    ),
    have(
        "with the variances",
        le(3 * _stay + lemma_d5.var_x + lemma_d5.var_y, 4 * KAPPA * _stay + _beta * V),
        by=["variance of (x, y)", "B_P"],
    ),
    have(
        "moves",
        le(_moved, _l**2 * (8 * KAPPA * _stay + 2 * _beta * V)),
        by=["move of x", "move of y by one step", "three parts", "with the variances"],
        multipliers=[1, 1, 2 * _l**2, 2 * _l**2],
    ),
    have("small", STEPS[1].relation),
    have("curved in (x, y)", le(L / 2 * _moved, _l / 4 * _stay + L * _l**2 * _beta * V), by=["moves", "small"]),
    have(
        "move of theta at most",
        le(_moved_t, _lt**2 * (4 * KAPPA * (slope2 + off2_theta) + 4 * _beta * V_THETA)),
        by=["move of theta", "variance of theta", "mean of ct", "B_P"],
    ),
    have("small in theta", STEPS[2].relation),
    have(
        "curved in theta",
        le(5 / (4 * p.gamma) * _moved_t, _lt / 4 * (slope2 + off2_theta) + 5 / p.gamma * _lt**2 * _beta * V_THETA),
        by=["move of theta at most", "small in theta"],
    ),
    have(
        "descent",
        le(
            p.Phi_end + Q_end + _l / 2 * R_start + _lt / 8 * slope2,
            p.Phi_t
            + Q_t
            + _R(9, 4) * _l * off2
            + _R(5, 4) * _lt * off2_theta
            + L * _l**2 * _beta * V
            + 5 / p.gamma * _lt**2 * _beta * V_THETA,
        ),
        by=["linear", "along (x, y)", "along theta", "curved in (x, y)", "curved in theta", "b paid"],
        multipliers=[1, _l, _lt, 1, 1, _R(3, 8)],
    ),
)
_drift = p.D_x + p.D_y + p.D_theta
_MEASURE = (
    *d.GRADIENT_MOVES,
    have("the least element", le(p.R_end, norm2(d.GRAD + d.ELEMENT)), by=[projection("N", "n", "n*")]),
    have(
        "no normal cone",
        eq(norm2(d.GRAD + d.ELEMENT), norm2(d.GRAD)),
        by=[unprojected("X", "x+"), unprojected("Y", "y+")],
    ),
    have("two parts", le(norm2(d.GRAD), 2 * R_start + 2 * norm2(d.OF_PHI))),
    have(
        "R at the end",
        le(p.R_end, 2 * R_start + 2 * d.CHANGE * _moved),
        by=["the least element", "no normal cone", "two parts", "change of the gradient"],
        multipliers=[1, -1, 1, 2],
    ),
    have("L_theta >= 1", ge(p.L_theta**2, 1), by=["rho", unfold(p.rho, p.L_theta)]),
    have("kappa", ge(KAPPA, 1), by=["B_P"]),
    have("1/c_t in L", le(p.L_1 / p.c_t, L), by=["1/c_0", unfold(L)]),
    have("1/gamma in L", le(4 / p.gamma, L), by=[unfold(L)]),
    have("of f", le(16 * KAPPA * _l * p.L_1 / p.c_t, 1), by=["small", "1/c_t in L", "kappa"]),
    have("of f alone", le(16 * _l * p.L_1 / p.c_t, 1), by=["of f", "kappa"]),
    have("of the envelope", le(64 * KAPPA * _l / p.gamma, 1), by=["small", "1/gamma in L", "kappa"]),
    have("of both steps", le(4 * p.L_theta**2 * _l, _lt), by=["ratio", "L_theta squared", "rho > 0"]),
    have("of theta", le(80 * KAPPA * p.L_theta**2 * _l / p.gamma, 1), by=["of both steps", "small in theta", "kappa"]),
    have("squares of f", le(256 * KAPPA * (_l * p.L_1 / p.c_t) ** 2, 1), by=["of f", "of f alone"]),
    have("the envelope alone", le(64 * _l / p.gamma, 1), by=["of the envelope", "kappa"]),
    have(
        "squares of theta",
        le(5120 * KAPPA * p.L_theta**2 * (_l / p.gamma) ** 2, 1),
        by=["of theta", "the envelope alone"],
    ),
    have("small changes", le(64 * KAPPA * d.CHANGE * _l**2, 1), by=["squares of f", "squares of theta"]),
    have(
        "small change", le(4 * d.CHANGE * _l, L), by=["of f alone", "of theta", "kappa", "1/c_t in L", "1/gamma in L"]
    ),
    have("V", ge(V, 0), by=["B_P"]),
)
#: The constants at the first penalty, the smallest.
V_0 = V.subs(p.c_t, p.c_0)
DRIFT = 63 * p.L_1**2 / p.c_0**2 * (p.D_x + p.D_y) + 41 * _lt / (_l * p.gamma**2) * _drift
NOISE = _R(11, 2) * L * _l * V_0 + _R(45, 2) * _lt**2 / (p.gamma * _l) * V_THETA
OF_A_ROUND = le(_l * p.R_end, _R(9, 2) * (Lam_t - Lam_end) + _l * (DRIFT + _beta * NOISE))
_DRIFTS = (
    *lemma_d5.CHANGES,
    have(
        "change of grad g at theta",
        le(norm2(hxk - hxi), p.L_2**2 * (p.D_x + p.D_theta)),
        by=[lipschitz("g_i", "local theta", "theta")],
    ),
    have("L_2 squared", le(4 * p.L_2**2, p.gamma**-2)),
    *(
        have(f"L_2 squared of {m}", le(4 * p.L_2**2 * m, m / p.gamma**2), by=["L_2 squared"])
        for m in (p.D_x, p.D_y, p.D_theta)
    ),
    have(
        "drift of x and y",
        le(
            norm2(lemma_d5.CHANGE_X) + norm2(lemma_d5.CHANGE_Y),
            6 * p.L_1**2 / p.c_t**2 * (p.D_x + p.D_y) + _R(15, 2) / p.gamma**2 * _drift,
        ),
        by=[
            "change of grad f",
            "change of grad g",
            "change of grad g at theta",
            *(f"L_2 squared of {m}" for m in (p.D_x, p.D_y, p.D_theta)),
        ],
        multipliers=[6 / p.c_t**2, 6, 3, _R(9, 4), _R(3, 2), _R(3, 4)],
    ),
    have(
        "off",
        le(off2, norm2(lemma_d5.CHANGE_X) + norm2(lemma_d5.CHANGE_Y)),
        by=[written_out("dx"), written_out("dy")],
    ),
    have(
        "change in theta",
        le(norm2(hyk - hyi), p.L_2**2 * (p.D_x + p.D_theta)),
        by=[lipschitz("g_i", "local theta", "theta")],
    ),
    have(
        "a local step", le(norm2(lemma_d6.LOCAL_CHANGE), 3 * lemma_d6.DRIFTS), by=["change in theta"], multipliers=[3]
    ),
    have(
        "off of theta",
        le(off2_theta, _R(15, 4) / p.gamma**2 * _drift),
        by=["a local step", written_out("ct"), *(f"L_2 squared of {m}" for m in (p.D_x, p.D_y, p.D_theta))],
    ),
    have("at c_0", le((p.D_x + p.D_y) / p.c_t**2, (p.D_x + p.D_y) / p.c_0**2), by=["1/c_0"]),
    have(
        "off at c_0",
        le(off2, 6 * p.L_1**2 / p.c_0**2 * (p.D_x + p.D_y) + _R(15, 2) / p.gamma**2 * _drift),
        by=["off", "drift of x and y", "at c_0"],
        multipliers=[1, 1, 6 * p.L_1**2],
    ),
    have("quarter", le(4 * _l, _lt), by=["of both steps", "L_theta >= 1"]),
    have("quarter times", le(4 * _l * _drift, _lt * _drift), by=["quarter"]),
)
_LATER = (
    have("F_inf", ge(f_e, F_inf), by=[infimum("F", "z+")]),
    have("penalties", le(1 / p.c_next, 1 / p.c_t)),
    have("later", le((f_e - F_inf) / p.c_next, (f_e - F_inf) / p.c_t), by=["F_inf", "penalties"]),
    have("descent of both", le(p.Phi_t + Q_t - p.Phi_end - Q_end, Lam_t - Lam_end), by=["later"]),
    have("V at c_0", le(V, V_0), by=["1/c_0", "B_P"]),
    have("changes times", le(64 * KAPPA * d.CHANGE * _l**2 * _stay, _stay), by=["small changes"]),
    have("change times V", le(4 * d.CHANGE * _l * _beta * V, L * _beta * V), by=["small change", "V"]),
    have("V times", le(_R(11, 2) * L * _l**2 * _beta * V, _R(11, 2) * L * _l**2 * _beta * V_0), by=["V at c_0"]),
    have(
        "R by the start",
        le(_l * p.R_end, _R(9, 4) * _l * R_start + _l / 4 * (_b2 + off2) + L * _l**2 * _beta * V),
        by=["R at the end", "moves", "changes times", "change times V"],
        multipliers=[_l, 2 * _l * d.CHANGE, _l / 4],
    ),
    have(
        "R",
        le(
            _l * p.R_end,
            _R(9, 2) * (Lam_t - Lam_end)
            + _R(83, 8) * _l * off2
            + _R(45, 8) * _lt * off2_theta
            + _R(11, 2) * L * _l**2 * _beta * V
            + _R(45, 2) / p.gamma * _lt**2 * _beta * V_THETA,
        ),
        by=["R by the start", "descent", "b paid", "descent of both"],
        multipliers=[1, _R(9, 2), _R(1, 16), _R(9, 2)],
    ),
)
ROUND_FREE = p.claim(
    "thm3.4.free.round",
    "Theorem 3.4",
    Kind.INEQUALITY,
    "test",
    OF_A_ROUND,
    hypotheses=(*_HYPOTHESES, p.TWO_CLIENTS, p.SMALLEST, p.RISING, *STEPS),
    where={**SMOOTH_BOTH, **p.SMOOTHNESS, **p.LIP, **p.SAMPLING},
    setting=ROUND,
    proof=Proof(
        *_DESCENT,
        *_TRACKING,
        *_VARIANCES,
        *_CURVED,
        *_MEASURE,
        *_DRIFTS,
        *_LATER,
        qed(
            by=["R", "off at c_0", "off of theta", "quarter times", "V times"],
            multipliers=[1, _R(83, 8) * _l, _R(45, 8) * _lt, _R(1245, 64) / p.gamma**2],
        ),
    ),
)
POSITIVE = p.claim(
    "thm3.4.free.nonnegative",
    "Theorem 3.4",
    Kind.INEQUALITY,
    "Phi + Q >= 0",
    ge(Lam_t, 0),
    hypotheses=_HYPOTHESES,
    setting=ROUND,
    proof=Proof(
        have("F >= F_inf", ge(r.f_z, F_inf), by=[infimum("F", "z")]),
        *(
            have(
                name,
                ge(value + norm2(at - y) / (2 * p.gamma), _v),
                by=[smooth("G", point, "theta*"), stationary("M"), written_out("m")],
            )
            for name, point, at, value in (("G >= v", "z", y, r.g_z), ("Q >= 0", "theta", t, r.g_t))
        ),
        qed(by=["F >= F_inf", "G >= v", "Q >= 0"]),
    ),
)

# --- the rounds

k = rates.t
Lam = sp.Function("Lam", real=True)
TERMS = {m: rates.TERMS[m] for m in (p.D_x, p.D_y, p.D_theta, p.R_end)}
MEANS = {mean: of for mean, of in rates.MEANS.items() if of in TERMS}
_mean = {of: mean for mean, of in MEANS.items()}
Lam_0 = p.declare("Lam_0", "Lambda at the start of the run", p.INNER, latex="\\Lambda_0", nonnegative=True)
_AT_k = {Lam_t: Lam(k), Lam_end: Lam(k + 1), **TERMS}
ROUNDS = Setting(
    minima={p.R_best: (TERMS[p.R_end], rates.OVER)},
    sequences={
        **_AT_k,
        Lam_0: Lam(0),
        **{m: sp.Sum(_lt * TERMS[of], rates.OVER) / sp.Sum(_lt, rates.OVER) for m, of in MEANS.items()},
    },
    others=(ROUND,),
    measured=(*_AT_k, *MEANS, Lam_0),
    fixed=(
        *MEANS, p.R_best, p.c_0, p.gamma, p.n, p.P, p.tau, p.beta_max, p.L_1, p.L_2, p.L_f, p.L_g, p.Het, p.sig_f,
        p.sig_g, p.lambda_theta, p.lambda_x, p.lambda_y,
    ),
)  # fmt: skip
_SIGNS = (have("B_P", ge(p.B_P, 0), by=[unfold(p.B_P)]), have("L", gt(L, 0), by=[unfold(L)]))
E_DRIFT = DRIFT.xreplace(_mean)
THEOREM34_FREE = amended(
    THEOREM34,
    "the initial value and the drifts of the clients are not divided by P; where a constraint is active noise enters "
    "with the first power of the steps",
    part="free",
    text="For X and Y the whole spaces, n >= 2, c_t >= c_0, any client steps and server steps lambda_x = lambda_y, "
    "lambda_theta that are the same in all rounds, with 16 kappa lambda_x L <= 1, 20 kappa lambda_theta <= gamma and 4 "
    "(L_2^2 + 1/gamma^2) lambda_x <= rho^2 lambda_theta: min E R_t <= (9/2) Lambda_0/(lambda_x T) + (beta_max/P) "
    "((11/2) lambda_x L V + (45/2) (lambda_theta^2/(gamma lambda_x)) (2 B Delta^2 + sigma_g^2/tau)) + E_Delta. Here "
    "kappa = 1 + 2 (beta_max/P) B, B = (n-P)/(n-1), L = L_1/c_0 + L_2 + 4/gamma, V = B (14 L_f^2/c_0^2 + 12 L_g^2 + 8 "
    "Delta^2) + (10 sigma_f^2/c_0^2 + 16 sigma_g^2)/tau, Lambda = Phi_{c_t} + G(x, theta) + ||theta - y||^2/(2 gamma) "
    "- v_gamma, and E_Delta = 63 (L_1^2/c_0^2) (Delta_x + Delta_y) + 41 (lambda_theta/(lambda_x gamma^2)) (Delta_x + "
    "Delta_y + Delta_theta) with the mean drifts over the rounds, 0 for tau = 1. No term stays for tau = 1: lambda of "
    "the order (P/T)^(1/2) gives the order (P T)^(-1/2)",
    statement=le(p.R_best, _R(9, 2) * Lam_0 / (_l * p.T) + E_DRIFT + _beta * NOISE),
    schedule=None,
    hypotheses=(*ROUND_FREE.hypotheses, p.H_("fixed", "the steps of the server are the same in all rounds")),
    where=ROUND_FREE.where,
    follows_from=("lemD.2-37", "lemD.3", "st-c"),
    note="",
    setting=ROUNDS,
    proof=Proof(
        *_SIGNS,
        have("a round", OF_A_ROUND, by=[cite(ROUND_FREE), "B_P", "L"], multipliers=[1]),
        have(
            "round t",
            OF_A_ROUND.xreplace(_AT_k),
            by=["a round", "B_P", "L", SEQUENCES],
            multipliers=[1],
            when=rates.IN_RANGE,
        ),
        summed("all rounds", "round t", over=k, start=0, last=p.T - 1),
        have("Lambda", ge(Lam_t, 0), by=[cite(POSITIVE)]),
        have("Lambda at t", ge(Lam(k), 0), by=["Lambda", SEQUENCES]),
        special("Lambda at T", "Lambda at t", {k: p.T}),
        have("the best round", le(p.R_best, p.R_end), by=[least(p.R_best), SEQUENCES], when=rates.IN_RANGE),
        have("best", le(p.R_best, TERMS[p.R_end]), by=["the best round", SEQUENCES], when=rates.IN_RANGE),
        summed("best of all rounds", "best", over=k, start=0, last=p.T - 1),
        qed(
            by=["all rounds", "best of all rounds", "Lambda at T", "B_P", "L", SEQUENCES],
            multipliers=[1 / (_l * p.T), 1 / p.T, _R(9, 2) / (_l * p.T)],
        ),
    ),
)
CLAIMS = (THEOREM34_FREE,)
