"""Lemma 2, its proof, and Remark 2: the lower-level solution and the implicit loss as functions of x."""

from rateproof.theory.claim import Kind, Reading, Switch
from rateproof.theory.papers.fedrzo.build import claim
from rateproof.theory.papers.fedrzo.notation import (
    A2_II,
    A2_IV,
    DISSIMILAR,
    H_,
    SETS,
    L_h_x,
    L_x,
    L_y,
    declare,
    mu_h,
)
from rateproof.theory.shorthand import every, le
from rateproof.theory.symbols import C_O, NONNEG
from rateproof.theory.units import INNER, LENGTH, LOWER, ONE

dist_x = declare("dist_x_bl", "||x_1 - x_2||", LENGTH, latex=r"\|x_1-x_2\|")
dist_y = declare("dist_y_bl", "||y(x_1) - y(x_2)||", LOWER, latex=r"\|y(x_1)-y(x_2)\|")
diff_xi = declare(
    "diff_xi_bl",
    "|f~_i(x_1, y(x_1), xi_i) - f~_i(x_2, y(x_2), xi_i)|",
    LENGTH,
    latex=r"|\tilde f_i(x_1,y(x_1),\xi_i)-\tilde f_i(x_2,y(x_2),\xi_i)|",
)
diff_f = declare("diff_f_bl", "|f(x_1) - f(x_2)| for the implicit loss f", LENGTH, latex="|f(x_1)-f(x_2)|")
L_x_xi = declare("L_x_xi_bl", "Lipschitz constant of f~_i(., y, xi_i)", ONE, latex=r"L_{0,x}^f(\xi_i)", **NONNEG)
L_y_xi = declare(
    "L_y_xi_bl", "Lipschitz constant of f~_i(x, ., xi_i)", LENGTH / LOWER, latex=r"L_{0,y}^f(\xi_i)", **NONNEG
)
mean_L_x = declare("mean_L_x_bl", "E L_{0,x}^f(xi_i)", ONE, latex=r"\mathbb E[L_{0,x}^f(\xi_i)]")
mean_sq_L_x = declare("mean_sq_L_x_bl", "E L_{0,x}^f(xi_i)^2", ONE, latex=r"\mathbb E[L_{0,x}^f(\xi_i)^2]")
slope = declare("slope_bl", "bound on ||grad f||", ONE, latex=r"\sup\|\nabla f\|", **NONNEG)
step_1 = declare(
    "step_1_bl",
    "(y(x_1) - y(x_2))^T (grad_y h(x_1, y(x_1)) - grad_y h(x_1, y(x_2)))",
    INNER,
    latex=r"(y(x_1)-y(x_2))^T(\nabla_yh(x_1,y(x_1))-\nabla_yh(x_1,y(x_2)))",
)
step_2 = declare(
    "step_2_bl",
    "(y(x_1) - y(x_2))^T (grad_y h(x_2, y(x_1)) - grad_y h(x_2, y(x_2)))",
    INNER,
    latex=r"(y(x_1)-y(x_2))^T(\nabla_yh(x_2,y(x_1))-\nabla_yh(x_2,y(x_2)))",
)
cross = declare(
    "cross_bl",
    "(y(x_1) - y(x_2))^T (-grad_y h(x_1, y(x_1)) - grad_y h(x_1, y(x_2)) + grad_y h(x_2, y(x_1)) + "
    "grad_y h(x_2, y(x_2)))",
    INNER,
    latex=r"(y(x_1)-y(x_2))^T(-\nabla_yh(x_1,y(x_1))-\nabla_yh(x_1,y(x_2))+\nabla_yh(x_2,y(x_1))+\nabla_yh(x_2,y(x_2)))",
)
jump_1 = declare(
    "jump_1_bl",
    "||grad_y h(x_2, y(x_1)) - grad_y h(x_1, y(x_1))||",
    INNER / LOWER,
    latex=r"\|\nabla_yh(x_2,y(x_1))-\nabla_yh(x_1,y(x_1))\|",
)
jump_2 = declare(
    "jump_2_bl",
    "||grad_y h(x_2, y(x_2)) - grad_y h(x_1, y(x_2))||",
    INNER / LOWER,
    latex=r"\|\nabla_yh(x_2,y(x_2))-\nabla_yh(x_1,y(x_2))\|",
)

UNCONSTRAINED = H_("lower_free", "the lower level is unconstrained, Y(x) = R^nt (the case that Lemma 2 is about)")
LOWER_SET = Switch(
    "lower_set",
    "R^nt, as Remark 2 announces",
    "Y(x)",
    "the lemma itself cites Assumption 2 (ii) and (iii) and leaves Y(x) open; the sentence that leads to it, in Remark "
    "2, has the unconstrained case",
    without=(UNCONSTRAINED.key,),
    adding=(A2_IV,),
)
MOVING_SET = Switch(
    "lower_set",
    "Y(x), as in Assumption 2 (iv)",
    "R^nt",
    "the proof rests on Lemma 2 (i), which is for Y(x) = R^nt, and the lemma on Assumption 2, which lets Y(x) move",
    without=(A2_IV.key,),
    adding=(UNCONSTRAINED,),
    origin="Remark 2 introduces Lemma 2, on which the proof rests, as the case of an unconstrained lower level",
)
_LEAD_IN = (
    "Y(x) = R^nt is printed in the sentence before the lemma alone; part (i) holds for a set Y(x) = Y that does not "
    "move, too, and falls for one that does."
)
LIPSCHITZ_XY = H_(
    "lipschitz_xy",
    "f~_i(., y, xi_i) is L_{0,x}^f(xi_i)-Lipschitz and f~_i(x, ., xi_i) L_{0,y}^f(xi_i)-Lipschitz; "
    "L_{0,x}^f = max_i sqrt(E L_{0,x}^f(xi_i)^2), L_{0,y}^f = max_i sqrt(E L_{0,y}^f(xi_i)^2), both finite",
)
LEMMA2 = (LIPSCHITZ_XY, A2_II, SETS, DISSIMILAR, UNCONSTRAINED)
DIFFERENTIABLE = H_("differentiable", "the implicit loss is differentiable")

WEAKER = Switch(
    "weaker",
    "implied by",
    "does not need",
    "a condition is weaker than another when it is implied by it; the remark may only mean that Lipschitz continuity "
    "does not need differentiability",
    origin="Lemma 2 goes on to show Lipschitz continuity without any differentiability",
)
REM2 = claim(
    "rem2",
    "Remark 2",
    Kind.PROPERTY,
    "Lipschitz continuity of the implicit function (Assumption 2 (i)) is weaker than its differentiability",
    le(diff_f, C_O * dist_x),
    title="Lipschitz implicit losses need not be differentiable",
    hypotheses=(DIFFERENTIABLE,),
    switches=(WEAKER,),
    note="Weaker is read as implied by: a differentiable implicit loss is Lipschitz with some constant.",
)
REM2_CORRECTED = claim(
    "rem2.corrected",
    "Remark 2",
    Kind.PROPERTY,
    "A differentiable implicit loss whose gradient is bounded by G is G-Lipschitz",
    le(diff_f, slope * dist_x),
    title="Lipschitz implicit losses need not be differentiable",
    hypotheses=(DIFFERENTIABLE, H_("slope_bounded", "||grad f|| <= G everywhere")),
    reading=Reading.CORRECTED,
    amends="rem2",
    why="x^2 is differentiable and not Lipschitz, |x| is Lipschitz and not differentiable: neither property implies "
    "the other",
)

LEM2 = (
    claim(
        "lem2.i",
        "Lemma 2 (i)",
        Kind.INEQUALITY,
        "||y(x_1) - y(x_2)|| <= (L_{0,x}^{grad h}/mu_h) ||x_1 - x_2||",
        le(dist_y, L_h_x / mu_h * dist_x),
        title="Lipschitz lower-level solution",
        hypotheses=LEMMA2,
        follows_from=("st.9",),
        switches=(LOWER_SET,),
        note=_LEAD_IN,
    ),
    claim(
        "lem2.ii",
        "Lemma 2 (ii)",
        Kind.INEQUALITY,
        "the random implicit loss is Lipschitz with constant L_{0,y}^f(xi_i) L_{0,x}^{grad h}/mu_h + L_{0,x}^f(xi_i)",
        le(diff_xi, (L_y_xi * L_h_x / mu_h + L_x_xi) * dist_x),
        title="Lipschitz random implicit loss",
        hypotheses=LEMMA2,
        follows_from=("lem2.i",),
        switches=(LOWER_SET,),
        note=_LEAD_IN,
    ),
    claim(
        "lem2.iii",
        "Lemma 2 (iii)",
        Kind.INEQUALITY,
        "|f(x_1) - f(x_2)| <= (L_{0,y}^f L_{0,x}^{grad h}/mu_h + L_{0,x}^f) ||x_1 - x_2||",
        le(diff_f, (L_y * L_h_x / mu_h + L_x) * dist_x),
        title="Lipschitz implicit loss",
        hypotheses=LEMMA2,
        follows_from=("lem2.i", "st.9.iii"),
        switches=(LOWER_SET,),
        note=_LEAD_IN,
    ),
)

_PLACE = "proof of Lemma 2"
SQUARE = Switch(
    "square",
    "E[L^2]",
    "E[L]",
    "Jensen's inequality is printed as (E L)^2 <= E[L]; the next line has the root of E[L^2]",
    {mean_sq_L_x: mean_L_x},
)
ST9 = (
    claim("st.9", _PLACE, Kind.INEQUALITY, "the steps of the proof of Lemma 2", None, title="Chain of Lemma 2"),
    claim(
        "st.9.strong",
        _PLACE,
        Kind.INEQUALITY,
        "(12) at x_1 and at x_2: mu_h ||y(x_1) - y(x_2)||^2 is at most each of the two inner products",
        every(le(mu_h * dist_y**2, step_1), le(mu_h * dist_y**2, step_2)),
        title="Strong monotonicity at two points",
        hypotheses=(A2_II,),
        reading=Reading.REPAIRED,
        note="Both substitutions are printed y_1 := y(x_1), y_2 := y(x_1); the second is a misprint for y(x_2), which "
        "both displays have.",
    ),
    claim(
        "st.9.sum",
        _PLACE,
        Kind.INEQUALITY,
        "the sum, as grad_y h(x_j, y(x_j)) = 0: 2 mu_h ||y(x_1) - y(x_2)||^2 <= (y(x_1) - y(x_2))^T "
        "(-grad_y h(x_1, y(x_1)) - grad_y h(x_1, y(x_2)) + grad_y h(x_2, y(x_1)) + grad_y h(x_2, y(x_2)))",
        le(2 * mu_h * dist_y**2, cross),
        title="Sum of the two monotonicity bounds",
        hypotheses=(A2_II, UNCONSTRAINED),
        follows_from=("st.9.strong",),
        switches=(LOWER_SET,),
    ),
    claim(
        "st.9.cauchy",
        _PLACE,
        Kind.INEQUALITY,
        "Cauchy-Schwarz, triangle inequality and the Lipschitz constant: the sum is at most ||y(x_1) - y(x_2)|| times "
        "the two jumps of grad_y h, and 2 mu_h ||y(x_1) - y(x_2)|| <= 2 L_{0,x}^{grad h} ||x_1 - x_2||",
        every(
            le(cross, dist_y * (jump_1 + jump_2)),
            le(2 * mu_h * dist_y, L_h_x * dist_x + L_h_x * dist_x),
        ),
        title="Cauchy-Schwarz for the gradient jumps",
        hypotheses=(A2_II, UNCONSTRAINED),
        follows_from=("st.9.sum",),
        switches=(LOWER_SET,),
        note="The remark that y(x_1) != y(x_2) where x_1 != x_2 is false for a constant y(.), and not needed.",
    ),
    claim(
        "st.9.iii",
        _PLACE,
        Kind.INEQUALITY,
        "(E L_{0,x}^f(xi_i))^2 <= E L_{0,x}^f(xi_i)^2, so E L_{0,x}^f(xi_i) <= sqrt(E L_{0,x}^f(xi_i)^2) <= L_{0,x}^f",
        every(le(mean_L_x**2, mean_sq_L_x), le(mean_L_x, L_x)),
        title="Mean Lipschitz constant of the samples",
        hypotheses=(LIPSCHITZ_XY,),
        reading=Reading.REPAIRED,
        switches=(SQUARE,),
        note="Printed (E L)^2 <= E[L], which falls for L = 2; the next line has the square.",
    ),
)
IMPLICIT = (REM2, REM2_CORRECTED, *LEM2, *ST9)
