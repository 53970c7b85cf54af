"""Lemma 3: how far weighted training losses are from their means, for all weights and for those near ``W*``.

With A4 for ``eps <= 1`` both bounds hold with the constants of Dudley's inequality; as (21) has ``K`` beside ``nu_H``,
``log(1/delta)`` is enough there. (22) needs no second term: the weights of the other nodes lie in a ball of radius eps,
where the proof has a cube. In the proof (31) fails for one identical neighbour and covers of a scale just below
0.707; 17/8 in place of 2 is enough. ``ceil(1/eps)`` is 1 for ``eps > 1``, not 0, and the exponential moments of the
second part are at most, not equal to, those of a normal distribution.
"""

from functools import partial
from typing import Any

import sympy as sp

from rateproof.theory.assumptions import ClosedConvex, Covered, EveryRound, ExponentialMoment
from rateproof.theory.claim import Claim, Hypothesis, Kind, conjuncts
from rateproof.theory.gram import norm2, vectors
from rateproof.theory.papers.fedweight import lemma2
from rateproof.theory.papers.fedweight import notation as p
from rateproof.theory.papers.fedweight.lemma2 import LOG, ONE_OVER, l_max
from rateproof.theory.probability import Pr
from rateproof.theory.proof import (
    SEQUENCES,
    Ground,
    Proof,
    Setting,
    Step,
    cases,
    cite,
    dudley,
    exponential,
    have,
    hoeffding,
    logarithm,
    mcdiarmid,
    projection,
    qed,
    raised,
    section,
    summed,
    supposed,
    symmetrisation,
    unfold,
)
from rateproof.theory.shorthand import amended, claims_in, eq, every, ge, gt, le, misprint, premise, restated
from rateproof.theory.symbols import COUNT, NONNEG, POS
from rateproof.theory.units import ONE

declare, formula = p.declare, p.formula
_PLACE = "proof of Lemma 3"
_half = sp.Rational(1, 2)
K, J, n, b = p.K, p.J, p.n_train, p.b

# --- the radius of W*_eps, the scale of a cover, and what follows; losses are numbers between 0 and 1
rad = declare("radius_w", "radius of the set (19) of weights near W*", latex=r"\varepsilon", **POS)
N = declare(
    "N_radius",
    "n_train/(b^2 J + eps^2 (K - J)), (20), for weights within eps of W*",
    latex=r"N_\varepsilon",
    defined=True,
    **POS,
)
N_b = declare("N_b", "n_train/(K b^2)", latex="N_b", defined=True, **POS)
OF_N = {N: n / (b**2 * J + rad**2 * (K - J))}
OF_N_B = {N_b: n / (K * b**2)}
scale = declare("scale", "scale of a cover", latex=r"\epsilon", **POS)
OTHERS = p.H_("J<K", "there are J < K nodes whose distribution is the target's", le(J, K - 1))
#: N_eps is positive, as J < K.
SIZED = have("size of N_eps", gt(N, 0), by=[unfold(N), supposed(OTHERS.key)])
FINE = p.H_("scale<=1", "the scale of the cover is at most 1", le(scale, 1))


_root_pi, _log_C = sp.sqrt(sp.pi), sp.log(p.C_H) + sp.log(2)
AT_ONE = p.H_("C_H>=1", "C_H >= 1, which is A4 at eps = 1", ge(p.C_H, 1))
#: What Dudley's integral makes of covering numbers ``(2 C_H/e)^x`` and ``(5 C_H/e)^x``.
ENTROPY, ENTROPY_BALL = sp.log(8 * p.C_H) + 1, sp.log(20 * p.C_H) + 1
#: Constants of (21) and (22) that are large enough.
ENOUGH_A, ENOUGH_A2 = (l_max * (times * sp.sqrt(ENTROPY) + 1) for times in (12, 24))
LARGE_A = p.H_(
    "universal C_a",
    "C_a is a universal constant that is large enough: at least 12 (log(8 C_H) + 1)^(1/2) + 1",
    ge(p.C_a, ENOUGH_A),
)
LARGE_A2 = p.H_(
    "universal C_a'",
    "C_a' is a universal constant that is large enough: at least 24 (log(8 C_H) + 1)^(1/2) + 1",
    ge(p.C_a2, ENOUGH_A2),
)
# --- suprema over theta and the weights of a claim; their expectations are numbers

G_D = declare("G_D", "G_train(D) = sup of sum_k w_k (L_k - L^_k)", p.LOSS, latex=r"G_{\rm train}(D)")
G_D1 = declare("G_D1", "G_train(D_{j,i})", p.LOSS, latex=r"G_{\rm train}(D_{j,i})")
G_minus = declare("G_minus", "G'_train(D) = sup of sum_k w_k (L^_k - L_k)", p.LOSS, latex=r"G'_{\rm train}(D)")
E_G, E_minus = formula("E_G", "E[G_train(D)]", p.LOSS), formula("E_minus", "E[G'_train(D)]", p.LOSS)
_SIGNED = "sigma_{k,i} w_k l(theta; z_k^(i))/n_train"
R_D, R_in, R_out = p.measured(
    p.LOSS,
    R_D=f"E sup of sum_k sum_i {_SIGNED}",
    R_in=f"E sup of sum_{{k in J}} sum_i {_SIGNED}",
    R_out=f"E sup of sum_{{k not in J}} sum_i {_SIGNED}",
)
#: The same over all weights.
G_b, G_b_minus = (
    declare(name, text, p.LOSS, latex=latex)
    for name, text, latex in (
        ("G_b", "sup over all weights of sum_k w_k (L_k - L^_k)", r"G_{\rm train}^b(D)"),
        ("G_b_minus", "sup over all weights of sum_k w_k (L^_k - L_k)", r"G_{\rm train}^{b\prime}(D)"),
    )
)
E_b, E_b_minus = formula("E_b", "E[G_b]", p.LOSS), formula("E_b_minus", "E[G_b']", p.LOSS)
(R_b,) = p.measured(p.LOSS, R_b=f"E sup over all weights of sum_k sum_i {_SIGNED}")
#: Both suprema with their means, by name, and the average with signs: over the weights of a claim, and over all.
OF_CLAIM: lemma2.Suprema = ({"G_train": (G_D, E_G), "G_train'": (G_minus, E_minus)}, R_D)
OF_ALL: lemma2.Suprema = ({"G_b": (G_b, E_b), "G_b'": (G_b_minus, E_b_minus)}, R_b)
DRAWN = Setting(
    measured=(G_D, G_minus, E_G, E_minus, R_D, R_in, R_out, p.dev_w, p.dev_eps, G_b, G_b_minus, E_b, E_b_minus, R_b),
    free=(n, K, J, b, rad, p.nu, p.C_H, p.C_a, p.C_a2, p.delta),
)


def samples(of: str, squares: sp.Expr, suprema: lemma2.Suprema = OF_CLAIM) -> Hypothesis:
    """That data points are independent, and what one of them does to both suprema."""
    text = f"all data points are independent, and the squares of what they change in the suprema add up as in {of}"
    return lemma2.samples(f"samples {of}", text, squares, suprema)


def larger(dev: sp.Symbol, suprema: lemma2.Suprema = OF_CLAIM) -> Hypothesis:
    """That a largest absolute value is one of both suprema."""
    largest = sp.Max(*(value for value, _ in suprema[0].values()))
    return p.H_(f"larger {dev}", "the largest absolute value is the larger one of G and G'", le(dev, largest))


_step = partial(p.step, _PLACE)


def _near(cid: str, text: str, statement: sp.Basic, *more: Hypothesis, **rest: Any) -> Claim:
    """A step about weights near W*, with the N_eps of (20)."""
    return _step(cid, text, statement, OTHERS, *more, **{"where": OF_N, **rest})


# --- ps-04: another data point

w_j, w_most, w_in, w_out = p.measured(
    ONE, w_j="w_j", w_most="max_w w_j", w_in="w_j for a node of J", w_out="w_j for another node"
)
w_best, w_best1 = p.measured(
    ONE,
    w_best="w_j, of the weights at which the first supremum is attained",
    w_best1="w_j, of the weights at which the second supremum is attained",
)
PS04_A, PS04_B = lemma2.one_replaced(
    "ps-04",
    _PLACE,
    "training",
    (
        "With z_j^(i) replaced, sum_k w_k (L_k - L^_k) becomes sum_k w_k (L_k - L^_k) + (w_j/n_j) (l(theta; z_j^(i)) - "
        "l(theta; z'_j^(i)))",
        "|G_train(D) - G_train(D_{j,i})| <= w_j/n_j for the largest weight w_j that node j may have",
    ),
    n,
    (w_j, w_best, w_best1, w_most),
    (G_D, G_D1),
    equation="25",
)
PS04_C = _step(
    "ps-04.c",
    "w_j/n_j <= b/n_j for j in J, and w_j/n_j <= eps/n_j for the other j",
    every(le(w_in / n, b / n), le(w_out / n, rad / n)),
    p.H_("w_j<=b", "w lies in the capped simplex", le(w_in, b)),
    p.H_("w_j<=eps", "w_j <= eps for the other nodes, as w lies in W*_eps (ps-05)", le(w_out, rad)),
    title="Largest change by node",
    equation="25",
    follows_from=("ps-05",),
)
PS04_D = _near(
    "ps-04.d",
    "The squares of the bounds (25) over all data points add up to (b^2 J + eps^2 (K - J))/n_train",
    eq(J * n * (b / n) ** 2 + (K - J) * n * (rad / n) ** 2, 1 / N),
    title="Sum of the squared differences",
    equation="25",
)

# --- ps-05: weights of the other nodes

rest2, out2, same2, dist2 = p.measured(
    ONE,
    **{"rest2": "sum over the other nodes but j of w_k^2", "out2": "sum over the nodes outside J of w_k^2"},
    **{"same2": "sum over J of (w_k - w*_k)^2", "dist2_w": "Dist^2(w, W*)"},
)
PS05 = _step(
    "ps-05",
    "w_j <= (sum_{k not in J} w_k^2)^(1/2) <= Dist(w, W*) <= eps for w in W*_eps and j not in J",
    every(le(w_out, sp.sqrt(out2)), le(sp.sqrt(out2), sp.sqrt(dist2)), le(sp.sqrt(dist2), rad)),
    p.H_("node j", "w_j^2 is one of the squares", eq(out2, w_out**2 + rest2)),
    p.H_("w*_k=0", "the nearest w* of W* has w*_k = 0 outside J", eq(dist2, same2 + out2)),
    p.H_("in W*_eps", "w lies in W*_eps", le(dist2, rad**2)),
    title="Weights outside J are small near W*",
    steps=(
        have("one square", le(w_out**2, out2), by=[supposed("node j")]),
        raised("root of one square", "one square", to=_half),
        have("squares", le(out2, dist2), by=[supposed("w*_k=0")]),
        raised("root of squares", "squares", to=_half),
        have("radius", le(dist2, rad**2), by=[supposed("in W*_eps")]),
        raised("root of the distance", "radius", to=_half),
    ),
)

# --- ps-06: the metric of the process, one summand of it first

cap_w = declare("cap_w", "b for a node of J, eps for another one", latex="c_k", **POS)
w_k, w_k1, l_k, l_k1 = p.measured(ONE, w_k="w_k", w_k1="w_k'", l_k="l(theta; z_k^(i))", l_k1="l(theta'; z_k^(i))")
d2 = declare("d2_w", "d^2(theta, w, theta', w')", latex="d^2", **NONNEG)
rho2 = declare("rho2", "rho_Q^2(l(theta; .), l(theta'; .))", latex=r"\rho_Q^2", **NONNEG)
move2, apart_all, apart_w, apart_l, apart, apart_in, apart_out = p.measured(
    ONE,
    **{"move2_w": "||w - w'||^2", "apart_all": "sum_k sum_i (w_k l - w_k' l')^2"},
    **{"apart_w": "sum_k sum_i w_k^2 (l - l')^2", "apart_l": "sum_k sum_i (w_k - w_k')^2 l'^2"},
    **{"apart": "sum_k sum_i (l - l')^2", "apart_in": "sum over J and i of (l - l')^2"},
    apart_out="sum over the other nodes and i of (l - l')^2",
)
CAPPED = p.H_("w_k<=c_k", "both weights are at most c_k", every(le(w_k, cap_w), le(w_k1, cap_w)))
LOSSES = p.H_("l<=1", "losses lie in [0, 1]", every(le(l_k, 1), le(l_k1, 1)))


def _process(
    key: str, name: str, N: sp.Symbol, squares: sp.Expr, losses: sp.Expr
) -> tuple[Hypothesis, Hypothesis, Hypothesis, Step]:
    """What is supposed of the distance, of its summands and of both sides of ps-06.29b, and the sum of (29).

    Args:
        key: what the hypotheses have at the end of their keys.
        name, N: ``N_eps``, or ``N_b`` for all weights.
        squares: the sum of the squares of the largest weights.
        losses: the same sum with the squared distances of the losses at the data.
    """
    metric = f"d^2 is ({name}/n_train^2) sum_k sum_i (w_k l - w_k' l')^2"
    largest = "the n_train summands of a node are at most the square of its largest weight (ps-06.diam.a)"
    sums = f"sum of 29b{key}"
    return (
        p.H_(f"d{key}", metric, eq(d2, N / n**2 * apart_all)),
        p.H_(f"summands{key}", largest, le(apart_all, n * squares)),
        p.H_(
            sums,
            "the sums over k and i of both sides of ps-06.29b",
            every(le(apart_w, losses), le(apart_l, n * move2)),
        ),
        have("sums", le(apart_all, 2 * losses + 2 * n * move2), by=[supposed("sum of 29a"), supposed(sums)]),
    )


SUM_A = p.H_("sum of 29a", "the sums over k and i of both sides of ps-06.29a", le(apart_all, 2 * apart_w + 2 * apart_l))
SQUARES, APART = J * b**2 + (K - J) * rad**2, b**2 * apart_in + rad**2 * apart_out
METRIC, SUMMANDS, SUM_B, _sums = _process("", "N_eps", N, SQUARES, APART)
METRIC_ALL, SUMMANDS_ALL, SUM_B_ALL, _sums_all = _process(" at b", "N_b", N_b, K * b**2, b**2 * apart)
PS06_SUMMAND = _step(
    "ps-06.diam.a",
    "(w_k l - w_k' l')^2 <= c_k^2, which is b^2 for k in J and eps^2 for the other k",
    le((w_k * l_k - w_k1 * l_k1) ** 2, cap_w**2),
    CAPPED,
    LOSSES,
    title="A summand of the metric",
    steps=[
        have(name, le(weight * loss, cap_w), by=[supposed(CAPPED.key), supposed(LOSSES.key)])
        for name, weight, loss in (("one", w_k, l_k), ("other", w_k1, l_k1))
    ],
)
_mass_J, _mass_rest = J * N * b**2 / n, (K - J) * N * rad**2 / n
PS06_DIAMETER = _near(
    "ps-06.diam.b",
    "d^2 <= sum over J of N_eps b^2/n_train + sum over the others of N_eps eps^2/n_train = 1",
    every(le(d2, _mass_J + _mass_rest), eq(_mass_J + _mass_rest, 1)),
    METRIC,
    SUMMANDS,
    title="Diameter of the metric",
    follows_from=("ps-06.diam.a",),
)
PS06_29A = _step(
    "ps-06.29a",
    "(w_k l - w_k' l')^2 <= 2 w_k^2 (l - l')^2 + 2 (w_k - w_k')^2 l'^2",
    le((w_k * l_k - w_k1 * l_k1) ** 2, 2 * w_k**2 * (l_k - l_k1) ** 2 + 2 * (w_k - w_k1) ** 2 * l_k1**2),
    title="A summand, split",
    equation="29",
)
_SPLIT = 2 * w_k**2 * (l_k - l_k1) ** 2 + 2 * (w_k - w_k1) ** 2 * l_k1**2
PS06_29B = _step(
    "ps-06.29b",
    "2 w_k^2 (l - l')^2 + 2 (w_k - w_k')^2 l'^2 <= 2 c_k^2 (l - l')^2 + 2 (w_k - w_k')^2",
    le(_SPLIT, 2 * cap_w**2 * (l_k - l_k1) ** 2 + 2 * (w_k - w_k1) ** 2),
    CAPPED,
    LOSSES,
    title="Weights and losses at their bounds",
    equation="29",
    steps=[
        have("weights", le(w_k**2, cap_w**2), by=[supposed(CAPPED.key)]),
        have("losses", le(l_k1**2, 1), by=[supposed(LOSSES.key)]),
    ],
)
PS06_29 = _near(
    "ps-06.29",
    "d^2 <= (2 N_eps/n_train) (sum over J and i of (b^2/n_train) (l - l')^2 + sum over the others and i of "
    "(eps^2/n_train) (l - l')^2) + (2 N_eps/n_train) ||w - w'||^2",
    le(d2, 2 * N / n * (APART / n) + 2 * N / n * move2),
    METRIC,
    SUM_A,
    SUM_B,
    title="The metric, by losses and weights",
    equation="29",
    follows_from=("ps-06.29a", "ps-06.29b"),
    steps=[_sums],
)
PS06_30 = _near(
    "ps-06.30",
    "Q of (30) has the mass (N_eps/n_train) (J b^2 + (K - J) eps^2) = 1",
    eq(N / n * (J * n * b**2 / n + (K - J) * n * rad**2 / n), 1),
    title="Mass of Q",
    equation="30",
)

# --- ps-07: covers

_OF_W = sp.sqrt(n / N) * scale / 2
r_in, r_out = (sp.sqrt(n / (among * N)) * scale / 2 for among in (J + 1, (K - J) * (J + 1)))
x_in, x_out, x_all = (
    declare(name, text, latex=latex, defined=True, **POS)
    for name, text, latex in (
        ("x_in", "b ((J + 1) N_eps)^(1/2)/(n_train^(1/2) e), for a cover of scale e", "x_J"),
        ("x_out", "eps ((K - J) (J + 1) N_eps)^(1/2)/(n_train^(1/2) e), for a cover of scale e", r"x_{\bar J}"),
        ("x_all", "2 eps (K - J)^(1/2)/(b e), for a cover of scale e", "y"),
    )
)
OF_X = {
    x_in: b * sp.sqrt((J + 1) * N) / (sp.sqrt(n) * scale),
    x_out: rad * sp.sqrt((K - J) * (J + 1) * N) / (sp.sqrt(n) * scale),
}
OF_31 = OF_N | OF_X | {x_all: 2 * rad * sp.sqrt(K - J) / (b * scale)}
off2, off2_P = p.measured(ONE, off2="||c - w||^2", off2_P="||Pc - w||^2")
PS07_PRODUCT = _near(
    "ps-07.a",
    "An e/2-cover of H and a (n_train/N_eps)^(1/2) e/2-cover of W*_eps make an e-cover of H x W*_eps: d <= e",
    le(sp.sqrt(d2), scale),
    premise(PS06_29),
    p.H_("Q", "rho_Q is the distance for the Q of (30)", eq(rho2, N / n**2 * APART)),
    p.H_("cover of H", "rho_Q is at most e/2 to a point of the first cover", le(rho2, (scale / 2) ** 2)),
    p.H_("cover of W", "w is as near to a point of the second cover", le(move2, _OF_W**2)),
    title="Product of two covers",
    follows_from=("ps-06.29",),
    steps=[
        SIZED,
        have(
            "squares", le(d2, scale**2), by=[SIZED.name, *map(supposed, ("ps-06.29", "Q", "cover of H", "cover of W"))]
        ),
        raised("roots", "squares", to=_half),
    ],
)
PS07_RADII = _near(
    "ps-07.b",
    "Radii (n_train/((J + 1) N_eps))^(1/2) e/2 of J coordinates and (n_train/((K - J) (J + 1) N_eps))^(1/2) e/2 "
    "of the others make the radius (n_train/N_eps)^(1/2) e/2",
    eq(J * r_in**2 + (K - J) * r_out**2, _OF_W**2),
    title="Radii of the coordinates",
)
center, image, weights = vectors("c Pc w")
PS07_PROJECTED = _step(
    "ps-07.c",
    "Projected to W*_eps, which is convex, the points of the cover are as near to those of W*_eps as before",
    le(off2_P, off2),
    p.H_("convex", "W*_eps is closed, convex and not empty", None, ClosedConvex("W")),
    title="Cover of the weights, projected",
    setting=Setting(
        depends={"c": "", "Pc": "", "w": ""},
        functions={"W": {"c": (center, image, None), "w": (weights, weights, None)}},
        metrics={off2: norm2(center - weights), off2_P: norm2(image - weights)},
        words={"c": "a point of the cover", "Pc": "its projection to W*_eps", "w": "weights in W*_eps", "W": "W*_eps"},
    ),
    by=[projection("W", "c", "w")],
)
PS07_COUNT = _near(
    "ps-07.d",
    "Intervals of these radii that cover [0, b] and [0, eps] are as many as the ceilings in (31): b/(2 r) = b ((J + 1) "
    "N_eps)^(1/2)/(n_train^(1/2) e), and likewise for the others",
    every(eq(b / (2 * r_in), x_in), eq(rad / (2 * r_out), x_out)),
    where=OF_N | OF_X,
    title="Intervals of a coordinate",
)

# --- ps-08: (31)

m_in, m_out, m_all = (
    declare(name, f"{text}, rounded up", latex=rf"\lceil {latex}\rceil", **COUNT)
    for name, text, latex in (
        ("m_in", "number of intervals of a coordinate in J", "x_J"),
        ("m_out", "number of intervals of a coordinate outside J", r"x_{\bar J}"),
        ("m_all", "bound of that number in (31)", "y"),
    )
)
CEILINGS = p.H_(
    "ceilings",
    "ceil(x) is the whole number x <= m < x + 1; none lies between 2 and 3, nor a difference of two between 0 and 1",
    every(
        *(
            part
            for m, x in ((m_in, x_in), (m_out, x_out), (m_all, x_all))
            for part in (le(x, m), sp.Lt(m, x + 1, evaluate=False))
        ),
        ge((m_in - 2) * (m_in - 3), 0),
        ge((m_out - m_all) * (m_out - m_all - 1), 0),
    ),
)
PS08_SIZE = _near(
    "ps-08.a",
    "N_eps <= n_train/(b^2 J)",
    le(N, n / (b**2 * J)),
    title="Size of N_eps",
    equation="31",
)
PS08 = _near(
    "ps-08.b",
    "ceil(b ((J + 1) N_eps)^(1/2)/(n_train^(1/2) e))^J ceil(eps ((K - J) (J + 1) N_eps)^(1/2)/(n_train^(1/2) "
    "e))^(K - J) <= (2/e)^J ceil(2 eps (K - J)^(1/2)/(b e))^(K - J), eps the radius of W*_eps, e that of balls",
    le(m_in**J * m_out ** (K - J), (2 / scale) ** J * m_all ** (K - J)),
    FINE,
    CEILINGS,
    where=OF_31,
    title="Cardinality of the cover of the weights",
    proof=None,
    equation="31",
    follows_from=("ps-08.a",),
)
_LEAST = 17 / (8 * scale)


def _cardinality(most: sp.Expr, squares: sp.Expr, *more: Ground) -> Proof:
    """That a node of J takes ``most`` intervals, where ``b^2 (J + 1) N_eps <= squares n_train``."""
    return Proof(
        section("Intervals of a node of J"),
        SIZED,
        have("size", le(b**2 * (J + 1) * N, squares * n), by=[unfold(N), supposed("J<K"), *more]),
        have("in J", le(x_in**2, squares / scale**2), by=["size of N_eps", "size", unfold(x_in)]),
        have("few", le(m_in, most), by=[supposed("scale<=1")], when=[le(m_in, 2)]),
        have("at least 3", ge(m_in, 3), by=[supposed("ceilings")], when=[gt(m_in, 2)]),
        have("at most 3/2", le(m_in, 3 * x_in / 2), by=["at least 3", supposed("ceilings")], when=[gt(m_in, 2)]),
        have("many", le(m_in, most), by=["in J", "at most 3/2"], when=[gt(m_in, 2)]),
        cases("of a node of J", le(m_in, most), on=le(m_in, 2), yes="few", no="many"),
        section("Intervals of another node, and all of them"),
        have(
            "others, squared",
            le(x_out**2, x_all**2),
            by=["size of N_eps", "size", supposed("J<K"), unfold(x_out), unfold(x_all)],
        ),
        have("no less than 0", ge(x_all, 0), by=[supposed("J<K"), unfold(x_all)]),
        have("others", le(x_out, x_all), by=["others, squared", "no less than 0"]),
        have("of another node", le(m_out, m_all), by=["others", supposed("ceilings")]),
        raised("of J", "of a node of J", to=J),
        raised("of the others", "of another node", to=K - J, by=[supposed("J<K")]),
        qed(by=["of J", "of the others"]),
    )


PS08_CORRECTED = amended(
    PS08,
    "for one identical neighbour ceil(2^(1/2)/e) is above 2/e where e is between 2/3 and 2^(-1/2)",
    text="As printed with 17/(8 e) in place of 2/e",
    statement=le(m_in**J * m_out ** (K - J), _LEAST**J * m_all ** (K - J)),
    note="The least such number is 3/2^(1/2) = 2.12, and 2 for J >= 2.",
    proof=_cardinality(_LEAST, sp.Integer(2)),
)
SEVERAL = p.H_("J>=2", "there are at least two nodes in J", ge(J, 2))
PS08_SEVERAL = amended(
    PS08,
    "for one identical neighbour ceil(2^(1/2)/e) is above 2/e where e is between 2/3 and 2^(-1/2)",
    part="several",
    text="As printed for J >= 2",
    hypotheses=(*PS08.hypotheses, SEVERAL),
    proof=_cardinality(2 / scale, sp.Rational(3, 2), supposed(SEVERAL.key)),
)

# --- ps-09: (32), with integrals over (0, 1]

cover_H, cover_all, cover_W, cover_b, points_b = (
    declare(name, text, latex=latex, **NONNEG)
    for name, text, latex in (
        ("cover_H", "N(H; rho_Q; e/2)", r"N(\mathcal H;\rho_{\mathbb Q};\epsilon/2)"),
        *(
            entry
            for product, points, text, weights in (
                ("cover_all", "cover_W", "W*_eps", r"\mathcal W^*_\varepsilon"),
                ("cover_b", "points_b", "Delta", r"\Delta_K^b"),
            )
            for entry in (
                (product, f"N(H x {text}; d; e)", rf"N(\mathcal H\times{weights};d;\epsilon)"),
                (points, f"points of the cover of {text}", rf"\text{{points of the cover of }}{weights}"),
            )
        ),
    )
)
wide = declare("wide", "2 eps (K - J)^(1/2)/b", latex="a", **POS)
_ROOT = r"\int_0^1\sqrt{%s}\,d\epsilon"
I_cover, I_plain, I_tail, I_b, I_b_plain = (
    declare(name, f"int_0^1 ({text})^(1/2)", latex=_ROOT % latex, **NONNEG)
    for name, text, latex in (
        (
            "I_cover",
            "nu_H log(2 C_H/e) + J log(2/e) + (K - J) log ceil(a/e)",
            r"\nu\log(2C/\epsilon)+J\log(2/\epsilon)+(K-J)\log\lceil a/\epsilon\rceil",
        ),
        (
            "I_plain",
            "(nu_H + J) log(1/e) + (K - J) log ceil(a/e)",
            r"(\nu+J)\log(1/\epsilon)+(K-J)\log\lceil a/\epsilon\rceil",
        ),
        ("I_tail", "log ceil(a/e)", r"\log\lceil a/\epsilon\rceil"),
        ("I_b", "nu_H log(2 C_H/e) + K log ceil(1/e)", r"\nu\log(2C/\epsilon)+K\log\lceil 1/\epsilon\rceil"),
        ("I_b_plain", "nu_H log(1/e) + K log ceil(1/e)", r"\nu\log(1/\epsilon)+K\log\lceil 1/\epsilon\rceil"),
    )
)
c_ceil = declare(
    "c_ceil", "int_0^1 (log ceil(1/e))^(1/2) = sum_{m>=2} (log m)^(1/2)/(m (m - 1)) = 1.0736", latex="c", **POS
)
NUMBERS = Setting(measured=(I_cover, I_plain, I_tail, I_b, I_b_plain))
#: What log(2 C_H/e) in place of log(1/e) costs at most.
_MORE = 1 + 2 * sp.sqrt(_log_C) / _root_pi


def _split(name: str, relation: sp.Basic) -> Hypothesis:
    return p.H_(name, "(x + y)^(1/2) <= x^(1/2) + y^(1/2) under the integral", relation)


def _normal(name: str, relation: sp.Basic) -> Hypothesis:
    return p.H_(name, "the first term alone, as int_0^1 log(1/e)^(1/2) = pi^(1/2)/2", relation)


_PRODUCTS, _PRODUCTS_B = (
    (
        p.H_(key, "products of points cover (ps-07.a)", le(product, cover_H * points)),
        p.H_("A4 at e/2", "A4 at e/2", le(cover_H, (2 * p.C_H / scale) ** p.nu)),
    )
    for key, product, points in (
        ("product", cover_all, cover_W),
        ("product, all weights", cover_b, points_b),
    )
)
_COUNTED = p.H_(
    "cover counted", "the cover of the weights has the cardinality in (31)", le(cover_W, m_in**J * m_out ** (K - J))
)


def _covering(most: sp.Expr, cardinality: Claim) -> dict[str, Any]:
    """How many points cover losses and weights, where a node of J takes ``most`` intervals at most."""
    of_weights, given = most**J * m_all ** (K - J), premise(cardinality)
    return {
        "statement": le(cover_all, (2 * p.C_H / scale) ** p.nu * of_weights),
        "hypotheses": (*_PRODUCTS, _COUNTED, given),
        "follows_from": (*(f"ps-07.{part}" for part in "abcd"), cardinality.item),
        "proof": Proof(
            have("weights", le(cover_W, of_weights), by=[supposed(_COUNTED.key), supposed(given.key)]),
            qed(by=["weights", *(supposed(h.key) for h in _PRODUCTS)]),
        ),
    }


PS09_COVER = p.claim(
    "ps-09.a",
    _PLACE,
    Kind.INEQUALITY,
    "N(H x W*_eps; d, e) <= (2 C_H/e)^nu_H (2/e)^J ceil(2 eps (K - J)^(1/2)/(b e))^(K - J)",
    title="Covering numbers of the process",
    equation="32",
    **_covering(2 / scale, PS08),
)
PS09_COVER_CORRECTED = amended(
    PS09_COVER,
    "(31) is right with 17/(8 e) in place of 2/e",
    text="N(H x W*_eps; d, e) <= (2 C_H/e)^nu_H (17/(8 e))^J ceil(2 eps (K - J)^(1/2)/(b e))^(K - J)",
    **_covering(_LEAST, PS08_CORRECTED),
)
PS09_FIRST, PS10_34A = (
    _step(
        name,
        f"The {which} equality of ({equation}): int_0^1 ({first} + {tail})^(1/2) de is at most 1 + 2 "
        f"(log(2 C_H)/pi)^(1/2) times int_0^1 ({then} log(1/e) + {tail})^(1/2) de",
        le(whole, _MORE * plain),
        AT_ONE,
        _split(f"split {key}", le(whole, sp.sqrt(exponent) * sp.sqrt(_log_C) + plain)),
        _normal(f"normal {key}", ge(plain, _root_pi / 2 * sp.sqrt(exponent))),
        title=f"The constant in the integral{title}",
        equation=equation,
        setting=NUMBERS,
        steps=[
            logarithm("the logarithm", 2 * p.C_H, below=True),
            have("the logarithm is positive", ge(_log_C, 0), by=["the logarithm", supposed(AT_ONE.key)]),
        ],
    )
    for name, equation, key, title, whole, plain, exponent, which, first, then, tail in (
        ("ps-09.b", "32", "a", "", I_cover, I_plain, p.nu + J, "first", "nu_H log(2 C_H/e) + J log(2/e)", "(nu_H + J)",
         "(K - J) log ceil(a/e)"),
        ("ps-10.34a", "34", "b", ", all weights", I_b, I_b_plain, p.nu, "first", "nu_H log(2 C_H/e)", "nu_H",
         "K log ceil(1/e)"),
    )
)  # fmt: skip
PS09_SECOND = _step(
    "ps-09.c",
    "The second equality of (32): int_0^1 ((nu_H + J) log(1/e) + (K - J) log ceil(a/e))^(1/2) de <= (pi^(1/2)/2) "
    "(nu_H + J)^(1/2) + c (K - J)^(1/2) a",
    le(I_plain, _root_pi / 2 * sp.sqrt(p.nu + J) + c_ceil * sp.sqrt(K - J) * wide),
    OTHERS,
    _split("split plain", le(I_plain, _root_pi / 2 * sp.sqrt(p.nu + J) + sp.sqrt(K - J) * I_tail)),
    p.H_("ps-09.d", "int_0^1 (log ceil(a/e))^(1/2) de <= c a", le(I_tail, c_ceil * wide)),
    title="The integral, by its terms",
    equation="32",
    follows_from=("ps-09.d",),
    setting=NUMBERS,
)
M = declare("M_cut", "largest value of the ceiling that is looked at", latex="M", **COUNT)
I_part = declare("I_part", "int_{a/M}^1 (log ceil(a/e))^(1/2)", latex=r"\int_{a/M}^1\sqrt{\log\lceil a/\epsilon\rceil}",
                 **NONNEG)  # fmt: skip
c_part = declare("c_part", "sum_{m=2}^M (log m)^(1/2)/(m (m - 1))", latex="c_M", **NONNEG)
m = sp.Symbol("m", integer=True, positive=True)
piece = sp.Function("piece", nonnegative=True)  # how much of (0, 1] has the ceiling m
PS09_INTEGRAL = _step(
    "ps-09.d",
    "int_{a/M}^1 (log ceil(a/e))^(1/2) <= c_M a for every M, so that int_0^1 (log ceil(a/e))^(1/2) <= a int_0^1 (log "
    "ceil(1/u))^(1/2) = c a",
    le(I_part, wide * c_part),
    p.H_("M>=2", "M >= 2", ge(M, 2)),
    p.H_(
        "interval",
        "ceil(a/e) = m for a/m <= e < a/(m - 1), and in (0, 1] that is no more",
        None,
        EveryRound("interval", le(piece(m), wide / (m * (m - 1))), m, sp.Integer(2)),
    ),
    title="The integral of the ceiling",
    equation="32",
    follows_from=("ps-09.e",),
    setting=Setting(
        sequences={
            I_part: sp.Sum(sp.sqrt(sp.log(m)) * piece(m), (m, 2, M)),
            c_part: sp.Sum(sp.sqrt(sp.log(m)) / (m * (m - 1)), (m, 2, M)),
        },
        fixed=(wide,),
    ),
    proof=Proof(
        have("one", le(piece(m), wide / (m * (m - 1))), by=[supposed("interval", {m: m})], when=[ge(m, 2)]),
        summed("all", "one", over=m, start=2, last=M, weight=sp.sqrt(sp.log(m))),
        qed(by=["all", SEQUENCES]),
    ),
)
m_one = declare("m_one", "the whole number 1/e <= m < 1/e + 1", latex=r"\lceil 1/\epsilon\rceil", **COUNT)
CEILING = p.H_(
    "ceiling",
    "m = ceil(1/e) is the whole number 1/e <= m < 1/e + 1; none lies between 1 and 2",
    every(le(1 / scale, m_one), sp.Lt(m_one, 1 / scale + 1, evaluate=False), ge((m_one - 1) * (m_one - 2), 0)),
)
PS09_BEYOND = _step(
    "ps-09.e",
    "ceil(1/e) = 0 when e > 1",
    eq(m_one, 0),
    p.H_("scale>1", "e > 1", gt(scale, 1)),
    CEILING,
    title="The integrand beyond 1",
    proof=None,
    equation="32",
    switches=(
        misprint(
            "log ceil(1/e) = 0",
            "the ceiling of a positive number is at least 1",
            eq(sp.log(m_one), 0),
            "(32), where its logarithm is integrated",
        ),
    ),
)
PS09_BEYOND_CORRECTED = restated(
    PS09_BEYOND,
    text="ceil(1/e) = 1, so that its logarithm is 0, when e > 1",
    statement=eq(m_one, 1),
    proof=Proof(
        have("at most 1", le(m_one, 1), by=[supposed("ceiling"), supposed("scale>1")]),
        have("at least 1", ge(m_one, 1)),
        qed(by=["at most 1", "at least 1"]),
    ),
)
PS09_LAST = _near(
    "ps-09.f",
    "((K - J)/N_eps)^(1/2) 2 eps (K - J)^(1/2)/b = 2 eps (K - J)/(b N_eps^(1/2))",
    eq(sp.sqrt((K - J) / N) * 2 * rad * sp.sqrt(K - J) / b, 2 * rad * (K - J) / (b * sp.sqrt(N))),
    title="The last term of (32)",
    equation="32",
    steps=[SIZED],
)

# --- ps-10: all weights, N_b and no J

r_b = sp.sqrt(n / (K * N_b)) * scale / 2
PS10_25 = _step(
    "ps-10.25",
    "|G_train(D) - G_train(D_{j,i})| <= w_j/n_j <= b/n_j for all j",
    every(le(G_D - G_D1, b * l_max / n), le(G_D1 - G_D, b * l_max / n)),
    premise(PS04_B),
    p.H_("w<=b", "all weights are at most b", le(w_most, b)),
    title="Suprema over all weights, one point replaced",
    follows_from=("ps-04.b",),
)
PS10_DIAMETER = _step(
    "ps-10.diam",
    "d^2 <= sum_k N_b b^2/n_train = 1",
    every(le(d2, K * N_b * b**2 / n), eq(K * N_b * b**2 / n, 1)),
    METRIC_ALL,
    SUMMANDS_ALL,
    where=OF_N_B,
    title="Diameter of the metric, all weights",
    follows_from=("ps-06.diam.a",),
)
PS10_29 = _step(
    "ps-10.29",
    "d^2 <= (2 N_b/n_train) sum_k sum_i (b^2/n_train) (l - l')^2 + (2 N_b/n_train) ||w - w'||^2, where Q has the mass "
    "N_b K b^2/n_train = 1",
    every(le(d2, 2 * N_b / n * (b**2 * apart / n) + 2 * N_b / n * move2), eq(N_b * K * b**2 / n, 1)),
    METRIC_ALL,
    SUM_A,
    SUM_B_ALL,
    where=OF_N_B,
    title="The metric and Q, all weights",
    follows_from=("ps-06.29a", "ps-06.29b"),
    steps=[_sums_all],
)
PS10_COVER = _step(
    "ps-10.cover",
    "Radii (n_train/(K N_b))^(1/2) e/2 of K coordinates make (n_train/N_b)^(1/2) e/2, and [0, b] takes b (K N_b)^(1/2)/"
    "(n_train^(1/2) e) = 1/e intervals",
    every(
        eq(K * r_b**2, (sp.sqrt(n / N_b) * scale / 2) ** 2),
        eq(b / (2 * r_b), b * sp.sqrt(K * N_b) / (sp.sqrt(n) * scale)),
        eq(b * sp.sqrt(K * N_b) / (sp.sqrt(n) * scale), 1 / scale),
    ),
    where=OF_N_B,
    title="Cover of all weights",
)
PS10_34B = _step(
    "ps-10.34b",
    "int_0^1 (nu_H log(1/e) + K log ceil(1/e))^(1/2) de <= (pi/4 + c^2)^(1/2) (nu_H + K)^(1/2)",
    le(I_b_plain, sp.sqrt(sp.pi / 4 + c_ceil**2) * sp.sqrt(p.nu + K)),
    _split("split b plain", le(I_b_plain, _root_pi / 2 * sp.sqrt(p.nu) + c_ceil * sp.sqrt(K))),
    title="The integral, by its terms, all weights",
    equation="34",
    note="Printed with O( ) in the place of the constant, which is ours.",
    setting=NUMBERS,
    steps=[
        have(
            "squares",
            le((_root_pi / 2 * sp.sqrt(p.nu) + c_ceil * sp.sqrt(K)) ** 2, (sp.pi / 4 + c_ceil**2) * (p.nu + K)),
        ),
        raised("roots", "squares", to=_half),
    ],
)

# --- probabilities: (26) and (33), and both statements of the lemma with their constants

u = declare("u_loss", "any deviation", p.LOSS, latex="u", **NONNEG)
SAMPLES_N = samples("ps-04.d", SQUARES / n)
SAMPLES_B = samples("ps-10.25", K * b**2 / n, OF_ALL)
PS04_E = _step(
    "ps-04.e",
    "P(G_train(D) >= E[G_train(D)] + u) <= exp(-2 u^2 n_train/(b^2 J + eps^2 (K - J)))",
    le(Pr(ge(G_D, E_G + u)), sp.exp(-2 * u**2 * n / SQUARES / l_max**2)),
    OTHERS,
    SAMPLES_N,
    title="McDiarmid's inequality near W*",
    follows_from=("ps-04.b", "ps-04.c", "ps-04.d"),
    setting=DRAWN,
    by=[mcdiarmid("G_train", u)],
)
_LEVEL_26 = l_max * sp.sqrt(SQUARES / n) * sp.sqrt(sp.log(1 / p.delta))
PS04_F = _near(
    "ps-04.f",
    "with probability at least 1 - delta, G_train(D) <= E[G_train(D)] + (log(1/delta)/N_eps)^(1/2)",
    ge(Pr(le(G_D, E_G + l_max * sp.sqrt(sp.log(1 / p.delta) / N))), 1 - p.delta),
    p.DELTA,
    SAMPLES_N,
    title="Concentration near W*",
    equation="26",
    follows_from=("ps-04.e",),
    note="It holds with 2 N_eps in the place of N_eps, as (33) does with 2 n_train.",
    setting=DRAWN,
    steps=[LOG, ONE_OVER],
    by=[mcdiarmid("G_train", _LEVEL_26)],
)
_LEVEL_33 = l_max * sp.sqrt(K * b**2 * sp.log(1 / p.delta) / (2 * n))
PS11 = _step(
    "ps-11",
    "with probability at least 1 - delta, G_train(D) <= E[G_train(D)] + (K b^2 log(1/delta)/(2 n_train))^(1/2)",
    ge(Pr(le(G_b, E_b + _LEVEL_33)), 1 - p.delta),
    p.DELTA,
    SAMPLES_B,
    title="Concentration over all weights",
    equation="33",
    follows_from=("ps-10.25",),
    setting=DRAWN,
    steps=[LOG, ONE_OVER],
    by=[mcdiarmid("G_b", _LEVEL_33)],
)
_at = sp.sqrt(sp.log(2 / p.delta) / 2)


mean_22, level_22 = (
    declare(name, text, p.LOSS, latex=latex, defined=True, **POS)
    for name, text, latex in (
        ("mean_22", "bound on the expectations of both suprema", "m"),
        ("level_22", "by how much they are above these", "v"),
    )
)
OF_22 = {
    mean_22: 12
    * l_max
    * (sp.sqrt((p.nu + J) * ENTROPY / (n / (J * b**2))) + sp.sqrt((p.nu + K - J) * ENTROPY_BALL / (n / rad**2))),
    level_22: l_max * sp.sqrt(SQUARES / n) * _at,
}


def covered(
    of: str, average: sp.Symbol, squares: sp.Expr, exponent: sp.Expr, times: int = 2, shown: str = "ps-10.all"
) -> Hypothesis:
    """The covering numbers of the losses times weights, those at ``k`` and ``i`` as a vector."""
    cover = Covered(of, average / l_max, 1 / squares, times * p.C_H, exponent)
    balls = f"({times} C_H/e)^({_ADDED[exponent]})"
    return p.H_(f"covered {of}", f"{balls} balls of radius e cover {of}, for 0 < e <= 1 ({shown})", None, cover)


#: What a proof takes from A4 as a hypothesis of its own, since the kernel knows numbers, not covers.
_COVERS = (
    "That so many balls cover these products follows from A4 for eps <= 1, with intervals for the weights: ps-07.a, "
    "ps-10.cover and ps-10.all prove it in numbers{}. The samples change the suprema as in ps-04.b to ps-04.d."
)
_A4_AS_USED = "A4 for all eps > 0 holds for no class of losses"
IN_A_BALL = "weights outside J near W* lie in a ball, which is smaller than the cube of (31)"
_ADDED = {p.nu + K: "nu_H + K", p.nu + J: "nu_H + J", p.nu + K - J: "nu_H + K - J"}
_ALL = covered("H x Delta", R_b, K * b**2 / n, p.nu + K)
_LARGER, _LARGER_EPS = larger(p.dev_w, OF_ALL), larger(p.dev_eps)
_OF_J = covered("H x [0, b]^J", R_in, J * b**2 / n, p.nu + J)
_BALL = "H x B, weights >= 0 with sum_{k not in J} w_k^2 <= eps^2"
COVERED_BALL = covered(_BALL, R_out, rad**2 / n, p.nu + K - J, 5, "ps-07.ball, ps-07.near")
_SUM_OF_TWO = p.H_("two parts", "the supremum of sums is at most both suprema together", le(R_D, R_in + R_out))
_both_J = p.nu + J + sp.log(1 / p.delta)
_first, _second = sp.sqrt(_both_J) / sp.sqrt(N), rad * (K - J) / (b * sp.sqrt(N))
first_22, second_22 = (
    declare(name, f"{which} term in the brackets of (22)", latex=latex, defined=True, **NONNEG)
    for name, which, latex in (("first_22", "first", "x"), ("second_22", "second", "y"))
)
OF_FIRST = OF_N | {first_22: _first}
OF_SUM = OF_FIRST | {second_22: _second}
#: What the proofs of (21) and of (22) use of A4 and of the draws.
OF_ALL_DRAWS = (AT_ONE, SAMPLES_B, _ALL, _LARGER)
OF_DRAWS_NEAR = (OTHERS, AT_ONE, SAMPLES_N, _OF_J, COVERED_BALL, _SUM_OF_TWO, _LARGER_EPS)
LEM3_I = p.stated(
    "Lemma 3",
    "lem3.i",
    "with probability at least 1 - delta, sup over theta and all weights of |sum_k w_k (L^_k - L_k)(theta)| <= C_a "
    "((nu_H + K + log(1/delta))/(n_train/(K b^2)))^(1/2)",
    ge(Pr(le(p.dev_w, p.C_a * sp.sqrt(p.B))), 1 - p.delta),
    equation="21",
    title="Training losses for all weights",
    hypotheses=(*p.A1, p.A2, p.A4, p.CAP, p.DELTA, LARGE_A),
    where={p.B: p.DEFINED[p.B]},
    setting=DRAWN,
    switches=(lemma2.a4_switch(*OF_ALL_DRAWS),),
    follows_from=(
        *("ps-11", "ps-10.27", "ps-10.28", "ps-10.diam", "ps-10.29", "ps-10.all"),
        *("ps-10.dudley", "ps-10.34a", "ps-10.34b"),
    ),
)
LEM3_II = p.stated(
    "Lemma 3",
    "lem3.ii",
    "with probability at least 1 - delta, the supremum over theta and the weights within eps of W* is at most C_a' "
    "(((nu_H + J + log(1/delta))/N_eps)^(1/2) + eps (K - J)/(b N_eps^(1/2)))",
    ge(Pr(le(p.dev_eps, p.C_a2 * (first_22 + second_22))), 1 - p.delta),
    equation="22",
    title="Training losses for weights near W*",
    hypotheses=(*p.A1, p.A2J, p.A3, p.A4, p.CAP, p.DELTA, LARGE_A2),
    where=OF_SUM,
    setting=DRAWN,
    switches=(lemma2.a4_switch(*OF_DRAWS_NEAR),),
    follows_from=(
        *("ps-04.f", "ps-05", "ps-06.27", "ps-06.28", "ps-06.diam.b", "ps-06.30"),
        *("ps-06.dudley", "ps-09.a", "ps-09.b", "ps-09.c", "ps-09.f"),
    ),
)
_MEAN_B = 12 * l_max * b * sp.sqrt(K / n) * sp.sqrt((p.nu + K) * ENTROPY)
LEM3_I_CORRECTED = amended(
    LEM3_I,
    _A4_AS_USED,
    text="For A4 with eps <= 1, and without A2: with probability at least 1 - delta the supremum is at most b "
    "(K/n_train)^(1/2) (12 ((nu_H + K) (log(8 C_H) + 1))^(1/2) + (log(2/delta)/2)^(1/2))",
    statement=ge(Pr(le(p.dev_w, _MEAN_B + l_max * b * sp.sqrt(K / n) * _at)), 1 - p.delta),
    hypotheses=(p.RANGE, p.A4_SMALL, p.DELTA, *OF_ALL_DRAWS),
    where={},
    follows_from=("ps-10.25", "ps-10.28.corrected", "ps-10.diam", "ps-10.all"),
    note=_COVERS.format(""),
    setting=DRAWN,
    proof=lemma2.concentrated(
        l_max * b * sp.sqrt(K / n) * _at, _MEAN_B, 2 * p.C_H, [dudley("H x Delta")], _LARGER.key, suprema=OF_ALL
    ),
)


def _level_under(both: sp.Expr, nodes: sp.Symbol) -> tuple[Step, ...]:
    """``(log(2/delta)/2)^(1/2)`` against the root of ``both``, which is nu_H + log(1/delta) and a number of nodes."""
    return (
        LOG,
        ONE_OVER,
        lemma2.TWO_OVER,
        have("at least one node", ge(nodes, 1)),
        have("less log", le(sp.log(2 / p.delta) / 2, both), by=["log(1/delta)", "at least one node"]),
        raised("root of log", "less log", to=_half, by=["log(2/delta)"]),
    )


_NOT_NEGATIVE = ("entropy", "log(1/delta)", "log(2/delta)")
_both = p.nu + K + sp.log(1 / p.delta)
LEM3_I_UNIVERSAL = amended(
    LEM3_I,
    _A4_AS_USED,
    part="universal",
    text="As printed, for A4 with eps <= 1, and without A2",
    hypotheses=(*LEM3_I_CORRECTED.hypotheses, LARGE_A),
    follows_from=("lem3.i.corrected",),
    proof=Proof(
        logarithm("log of C", 8 * p.C_H, below=True),
        have("entropy", ge(ENTROPY, 0), by=["log of C", supposed(AT_ONE.key)]),
        *_level_under(_both, K),
        have("less class", le(p.nu + K, _both), by=["log(1/delta)"]),
        raised("root of the class", "less class", to=_half),
        have("size", ge(p.B, 0), by=["log(1/delta)", unfold(p.B)]),
        have(
            "both terms",
            le(_MEAN_B + l_max * b * sp.sqrt(K / n) * _at, ENOUGH_A * sp.sqrt(p.B)),
            by=["root of the class", "root of log", *_NOT_NEGATIVE, unfold(p.B)],
        ),
        have(
            "constant",
            le(ENOUGH_A * sp.sqrt(p.B), p.C_a * sp.sqrt(p.B)),
            by=["size", "entropy", supposed(LARGE_A.key)],
        ),
        qed(by=["both terms", "constant", cite(LEM3_I_CORRECTED), *_NOT_NEGATIVE, "size"]),
    ),
)
LEM3_II_CORRECTED = amended(
    LEM3_II,
    _A4_AS_USED,
    text="For A4 with eps <= 1, and without A3: the supremum is at most m + v with probability at least 1 - delta. "
    "Here m = 12 n_train^(-1/2) (b (J (nu_H + J) (log(8 C_H) + 1))^(1/2) + eps ((nu_H + K - J) (log(20 C_H) + "
    "1))^(1/2)) and v = (log(2/delta)/(2 N_eps))^(1/2)",
    statement=ge(Pr(le(p.dev_eps, mean_22 + level_22)), 1 - p.delta),
    hypotheses=(p.RANGE, p.A2J, p.A4_SMALL, p.DELTA, SAMPLES_N, _OF_J, COVERED_BALL, _SUM_OF_TWO, _LARGER_EPS),
    where=OF_22,
    follows_from=("ps-04.d", "ps-05", "ps-06.28", "ps-10.all", "ps-07.ball", "ps-07.near"),
    note=_COVERS.format(" for the J nodes, and ps-07.ball and ps-07.near for the others"),
    setting=DRAWN,
    proof=lemma2.concentrated(
        level_22,
        mean_22,
        2 * p.C_H,
        [*map(dudley, ("H x [0, b]^J", _BALL)), supposed("two parts"), supposed(p.A2J.key)],
        _LARGER_EPS.key,
        OF_CLAIM,
        OF_22[level_22],
    ),
)
PS07_BALL = _step(
    "ps-07.ball",
    "N(H x B; d, e) <= (2 C_H/e)^nu_H (1 + 4/e)^(K - J) <= (5 C_H/e)^(nu_H + K - J) for the ball B of radius eps",
    every(
        le(cover_all, (2 * p.C_H / scale) ** p.nu * (1 + 4 / scale) ** (K - J)),
        le(cover_all, (5 * p.C_H / scale) ** (p.nu + K - J)),
    ),
    OTHERS,
    FINE,
    AT_ONE,
    p.H_("own covers", "each point of a cover of B has a cover of H (ps-07.near)", le(cover_all, cover_H * cover_W)),
    _PRODUCTS[1],
    p.H_(
        "volumes",
        "at most (1 + 4/e)^(K - J) points of B are more than eps e/2 apart: balls of radius eps e/4 do not meet",
        le(cover_W, (1 + 4 / scale) ** (K - J)),
    ),
    title="Cover of a ball of weights",
    note="Ours: (31) covers the cube of side eps, whose diameter is larger by (K - J)^(1/2).",
    steps=[
        have("first", le(cover_all, (2 * p.C_H / scale) ** p.nu * (1 + 4 / scale) ** (K - J)),
             by=[*map(supposed, ("own covers", "A4 at e/2", "volumes"))]),
        have("losses", le(2 * p.C_H / scale, 5 * p.C_H / scale)),
        have("weights", le(1 + 4 / scale, 5 * p.C_H / scale), by=[*map(supposed, ("scale<=1", "C_H>=1"))]),
        raised("all losses", "losses", to=p.nu),
        raised("all weights", "weights", to=K - J, by=[supposed(OTHERS.key)]),
    ],
)  # fmt: skip
PS07_NEAR = _step(
    "ps-07.near",
    "d <= e where w is within eps e/2 of w', and theta is within e/2 of theta' for the weights (w_k'/eps)^2",
    le(sp.sqrt(d2), scale),
    p.H_("d on B", "d^2 is (1/(eps^2 n_train)) sum_k sum_i (w_k l - w_k' l')^2", eq(d2, apart_all / (rad**2 * n))),
    p.H_("29a exchanged", "ps-06.29a with both points exchanged, summed", le(apart_all, 2 * apart_w + 2 * apart_l)),
    p.H_("l <= 1 summed", "no loss is above 1", le(apart_l, n * move2)),
    p.H_("own cover of H", "A4 for Q with the masses (w_k'/eps)^2", le(apart_w, rad**2 * n * (scale / 2) ** 2)),
    p.H_("cover of B", "w' is a point of the cover of B", le(move2, (rad * scale / 2) ** 2)),
    title="Each point has its own cover",
    note="Ours.",
    steps=[
        have(
            "sum",
            le(apart_all, rad**2 * n * scale**2),
            by=[*map(supposed, ("29a exchanged", "l <= 1 summed", "own cover of H", "cover of B"))],
        ),
        have("squares", le(d2, scale**2), by=["sum", supposed("d on B")]),
        raised("roots", "squares", to=_half),
    ],
)
_share_J, _share_others = J * b**2 / n, (K - J) * rad**2 / n
x_J, x_others = (
    declare(name, f"(nu_H + J + log(1/delta))^(1/2) times the root of {of}", latex=latex, defined=True, **NONNEG)
    for name, of, latex in (
        ("x_of_J", "J b^2/n_train", "x_J"),
        ("x_of_others", "(K - J) eps^2/n_train", r"x_{\bar J}"),
    )
)
_of_J, _of_others = (
    (12 * l_max) ** 2 * squares
    for squares in (ENTROPY * (p.nu + J) * _share_J, ENTROPY_BALL * (p.nu + K - J) * rad**2 / n)
)
large_22 = declare("large_22", "24 (log(8 C_H) + 1)^(1/2) + 1", p.LOSS, latex="c", defined=True, **POS)
_known: list[Ground] = ["entropy", "entropy of the ball", "log(1/delta)", SIZED.name, supposed(OTHERS.key)]
LEM3_II_SIZES = _step(
    "lem3.ii.sizes",
    "m + v is at most C_a' ((nu_H + J + log(1/delta))/N_eps)^(1/2) for C_a' >= 24 (log(8 C_H) + 1)^(1/2) + 1",
    le(mean_22 + level_22, p.C_a2 * first_22),
    OTHERS,
    p.DELTA,
    AT_ONE,
    LARGE_A2,
    where=OF_FIRST
    | OF_22
    | {large_22: ENOUGH_A2}
    | {x_J: sp.sqrt(_both_J * _share_J), x_others: sp.sqrt(_both_J * _share_others)},
    title="The first term of (22) is enough",
    note="Ours, in the place of (32).",
    proof=Proof(
        section("Sizes of the parts"),
        SIZED,
        have("weights", eq(_share_J + _share_others, 1 / N), by=[unfold(N), supposed(OTHERS.key)]),
        logarithm("log of C", 8 * p.C_H, below=True),
        have("entropy", ge(ENTROPY, 0), by=["log of C", supposed(AT_ONE.key)]),
        have("entropy of the ball", ge(ENTROPY_BALL, 0), by=["log of C", supposed(AT_ONE.key)]),
        have("both entropies", le(4 * ENTROPY_BALL, 9 * ENTROPY), by=["log of C", supposed(AT_ONE.key)]),
        *_level_under(_both_J, J),
        section("The roots"),
        have("first_22", ge(first_22, 0), by=[*_known, unfold(first_22)]),
        *(
            have(f"square of {x}", eq(x**2, _both_J * share), by=[*_known, unfold(x)])
            for x, share in ((first_22, 1 / N), (x_J, _share_J), (x_others, _share_others))
        ),
        *(have(f"sign of {x}", ge(x, 0), by=[*_known, unfold(x)]) for x in (x_J, x_others)),
        have(
            "sum of squares",
            eq(x_J**2 + x_others**2, first_22**2),
            by=["weights", *(f"square of {x}" for x in (first_22, x_J, x_others)), *_known],
        ),
        have("sum, squared", le((x_J + 3 * x_others / 2) ** 2, 4 * first_22**2), by=["sum of squares"]),
        raised("sum", "sum, squared", to=_half, by=["first_22", "sign of x_of_J", "sign of x_of_others"]),
        have("of J, squared", le(_of_J, (12 * l_max) ** 2 * ENTROPY * x_J**2), by=["square of x_of_J", *_known]),
        raised("of J", "of J, squared", to=_half, by=[*_known, "sign of x_of_J"]),
        have("fewer", le(p.nu + K - J, _both_J * (K - J)), by=["log(1/delta)", supposed(OTHERS.key)]),
        have(
            "in a ball",
            le(_of_others, (12 * l_max) ** 2 * ENTROPY_BALL * x_others**2),
            by=["fewer", "square of x_of_others", *_known],
        ),
        have(
            "of the others, squared",
            le(_of_others, (18 * l_max) ** 2 * ENTROPY * x_others**2),
            by=["in a ball", "both entropies", *_known],
        ),
        raised("of the others", "of the others, squared", to=_half, by=[*_known, "sign of x_of_others"]),
        section("All terms"),
        have(
            "both roots",
            le(12 * l_max * sp.sqrt(ENTROPY) * (x_J + 3 * x_others / 2), 24 * l_max * sp.sqrt(ENTROPY) * first_22),
            by=["sum", "entropy"],
        ),
        have(
            "m",
            le(mean_22, 24 * l_max * sp.sqrt(ENTROPY) * first_22),
            by=["of J", "of the others", "both roots", *_known, unfold(mean_22)],
        ),
        have(
            "v",
            le(level_22, l_max * first_22),
            by=["root of log", "log(2/delta)", *_known, unfold(level_22), unfold(N), unfold(first_22)],
        ),
        have("both", le(mean_22 + level_22, large_22 * first_22), by=["m", "v", unfold(large_22)]),
        have("C_a'", le(large_22, p.C_a2), by=[supposed(LARGE_A2.key), unfold(large_22)]),
        have("constant", le(large_22 * first_22, p.C_a2 * first_22), by=["C_a'", "first_22"]),
        qed(by=["both", "constant"]),
    ),
)
LEM3_II_UNIVERSAL = amended(
    LEM3_II,
    (_A4_AS_USED, IN_A_BALL),
    part="universal",
    text="As printed, without the second term, for A4 with eps <= 1, and without A3",
    statement=ge(Pr(le(p.dev_eps, p.C_a2 * first_22)), 1 - p.delta),
    hypotheses=(*LEM3_II_CORRECTED.hypotheses, OTHERS, AT_ONE, LARGE_A2),
    where=LEM3_II_SIZES.where,
    follows_from=("lem3.ii.corrected", "lem3.ii.sizes"),
    proof=Proof(qed(by=[cite(LEM3_II_SIZES), cite(LEM3_II_CORRECTED)])),
)
# --- ps-06 and ps-10: signs

E_means, E_ghost, E_signs = p.measured(
    p.LOSS,
    E_means="E sup of sum_k w_k (E L_k(theta; ghost) - L^_k(theta))",
    E_ghost="E sup of sum_k w_k (L_k(theta; ghost) - L^_k(theta))",
    E_signs="E sup of sum_k sum_i sigma_{k,i} (w_k/n_k) (l(theta; z') - l(theta; z))",
)
PS06_27 = _step(
    "ps-06.27",
    "E[G_train(D)] <= 2 E sup of sum_k sum_i (sigma_{k,i} w_k/n_k) l(theta; z_k^(i))",
    le(E_G, 2 * R_D),
    SAMPLES_N,
    title="Symmetrisation near W*",
    equation="27",
    setting=DRAWN,
    by=[symmetrisation("G_train")],
)
PS06_27_LINKS = _step(
    "ps-06.27.links",
    "E[G_train(D)], where L_k is the mean of L_k(theta; ghost), is at most the expectation with a ghost sample, which "
    "is that with signs, and at most 2 E R^",
    every(eq(E_G, E_means), le(E_means, E_ghost), eq(E_ghost, E_signs), le(E_signs, 2 * R_D)),
    SAMPLES_N,
    title="Symmetrisation, link by link",
    proof=None,
    equation="27",
)
PS10_27 = _step(
    "ps-10.27",
    "E[G_train(D)] <= 2 E sup over theta and all weights of sum_k sum_i (sigma_{k,i} w_k/n_k) l(theta; z_k^(i))",
    le(E_b, 2 * R_b),
    SAMPLES_B,
    title="Symmetrisation over all weights",
    setting=DRAWN,
    by=[symmetrisation("G_b")],
    follows_from=("ps-06.27",),
)
lam = declare("lam_w", "argument of the exponential moment", latex=r"\lambda", real=True)
moment_1 = formula("moment_1", "E exp(lambda sigma a), a = (N_eps^(1/2)/n_k) (w_k l - w_k' l')", **POS)
part_1 = declare("part_1", "(N_eps^(1/2)/n_k) (w_k l - w_k' l')", latex="a", real=True)
moment = formula("moment_w", "E exp(lambda (M_{theta,w} - M_{theta',w'}))", **POS)
log_moment = formula("log_moment", "its logarithm")
summands = declare("summands_w", "number of the data points of all nodes", latex="m", **COUNT)
t = sp.Symbol("t", integer=True, positive=True)
log_part, part2 = sp.Function("log_part"), sp.Function("part2", nonnegative=True)
PS06_28B = _step(
    "ps-06.28b",
    "E exp(lambda sigma_{k,i} a) <= exp(lambda^2 a^2/2), a = (N_eps^(1/2)/n_k) (w_k l - w_k' l')",
    le(moment_1, sp.exp(lam**2 * part_1**2 / 2)),
    p.H_("sign of a summand", "sigma_{k,i} is a fair sign", None, ExponentialMoment("sign", moment_1, lam, 2 * part_1)),
    title="Hoeffding's lemma for a summand",
    equation="28",
    by=[hoeffding("sign")],
)
_SIGNS = (
    p.H_("independent signs", "the signs are independent, so that logarithms of moments add up",
         eq(moment, sp.exp(log_moment))),
    p.H_("each summand", "ps-06.28b, in logarithms", None,
         EveryRound("each summand", le(log_part(t), lam**2 * part2(t) / 2), t)),
)  # fmt: skip
_PROCESS = Setting(
    sequences={log_moment: sp.Sum(log_part(t), (t, 1, summands)), d2: sp.Sum(part2(t), (t, 1, summands))}, fixed=(lam,)
)
product_w, product_bound = (
    declare(name, f"prod_k prod_i {text}", latex=rf"\prod_k\prod_i{latex}", **POS)
    for name, text, latex in (
        ("product_w", "E exp(lambda sigma_{k,i} a)", r"\mathbb E e^{\lambda\sigma_{k,i}a}"),
        ("product_bound", "exp(lambda^2 a^2/2)", r"e^{\lambda^2a^2/2}"),
    )
)
PS06_28_LINKS = _step(
    "ps-06.28.links",
    "E exp(lambda (M_{theta,w} - M_{theta',w'})) is the product of the E exp(lambda sigma_{k,i} a), at most that of "
    "the exp(lambda^2 a^2/2), which is exp(lambda^2 d^2/2)",
    every(eq(moment, product_w), le(product_w, product_bound), eq(product_bound, sp.exp(lam**2 * d2 / 2))),
    p.H_("fair signs", "the signs are fair and independent"),
    title="Exponential moments, link by link",
    proof=None,
    equation="28",
)
_SUB_GAUSSIAN = Proof(
    have("one", le(log_part(t), lam**2 * part2(t) / 2), by=[supposed("each summand", {t: t})]),
    summed("all", "one", over=t, start=1, last=summands),
    have("logarithm", le(log_moment, lam**2 * d2 / 2), by=["all", SEQUENCES]),
    exponential("moments", "logarithm"),
    qed(by=["moments", supposed("independent signs")]),
)
PS06_28 = _step(
    "ps-06.28",
    "E exp(lambda (M_{theta,w} - M_{theta',w'})) <= exp(lambda^2 d^2/2)",
    le(moment, sp.exp(lam**2 * d2 / 2)),
    *_SIGNS,
    title="The process is sub-Gaussian",
    equation="28",
    follows_from=("ps-06.28b",),
    setting=_PROCESS,
    proof=_SUB_GAUSSIAN,
)
PS10_28 = _step(
    "ps-10.28",
    "E exp(lambda (M_{theta,w} - M_{theta',w'})) = exp(lambda^2 d^2/2), over all weights",
    eq(moment, sp.exp(lam**2 * d2 / 2)),
    *_SIGNS,
    title="Exponential moments over all weights",
    proof=None,
    follows_from=("ps-06.28",),
    switches=(
        misprint(
            "<= in the place of =",
            "cosh(x) < exp(x^2/2), so that signs have smaller moments",
            le(moment, sp.exp(lam**2 * d2 / 2)),
            "(28), which has <=",
        ),
    ),
)
PS10_28_CORRECTED = restated(
    PS10_28,
    text="E exp(lambda (M_{theta,w} - M_{theta',w'})) <= exp(lambda^2 d^2/2), over all weights",
    setting=_PROCESS,
    proof=_SUB_GAUSSIAN,
)
PS10_ALL = _step(
    "ps-10.all",
    "N(H x Delta; d, e) <= (2 C_H/e)^nu_H ceil(1/e)^K <= (2 C_H/e)^(nu_H + K)",
    every(
        le(cover_b, (2 * p.C_H / scale) ** p.nu * m_one**K),
        le(cover_b, (2 * p.C_H / scale) ** (p.nu + K)),
    ),
    FINE,
    AT_ONE,
    *_PRODUCTS_B,
    p.H_("K intervals", "each of K coordinates takes ceil(1/e) intervals (ps-10.cover)", le(points_b, m_one**K)),
    CEILING,
    title="Covering numbers over all weights",
    follows_from=("ps-07.a", "ps-10.cover"),
    steps=[
        have("first", le(cover_b, (2 * p.C_H / scale) ** p.nu * m_one**K),
             by=[*map(supposed, ("product, all weights", "A4 at e/2", "K intervals"))]),
        have("one", le(m_one, 2 * p.C_H / scale), by=[*map(supposed, ("scale<=1", "C_H>=1", "ceiling"))]),
        raised("K of them", "one", to=K),
    ],
)  # fmt: skip
# --- (32) and (34): from the expectation to the integral

R_data, R_b_data = (
    declare(name, f"R^_{{n_train}}(H, {text}), given the data", p.LOSS, latex=latex, **NONNEG)
    for name, text, latex in (
        ("R_data", "W*_eps", r"\widehat R_{n_{\rm train}}(\mathcal H,\mathcal W^*_\varepsilon)"),
        ("R_b_data", "Delta", r"\widehat R_{n_{\rm train}}(\mathcal H,\Delta_K^b)"),
    )
)
entropy, entropy_b = (
    declare(name, f"int_0^1 sqrt(log N(H x {text}; d; e)) de", p.LOSS, latex=latex, **NONNEG)
    for name, text, latex in (
        ("entropy_w", "W*_eps", r"\int_0^1\sqrt{\log N(\mathcal H\times\mathcal W^*_\varepsilon;d;e)}\,de"),
        ("entropy_b", "Delta", r"\int_0^1\sqrt{\log N(\mathcal H\times\Delta_K^b;d;e)}\,de"),
    )
)
PS06_DUDLEY, PS10_DUDLEY = (
    _step(
        name,
        f"R^_{{n_train}}(H, {weights}) <= C_d {of}^(-1/2) int_0^1 sqrt(log N(H x {weights}; d; e)) de, by "
        "Dudley's inequality",
        le(average, lemma2.C_d * integral / sp.sqrt(size)),
        *others,
        p.H_("C_d", "C_d is at least 24, twice the constant for packing numbers", ge(lemma2.C_d, 24)),
        where=where,
        title=f"Dudley's entropy integral {title}",
        proof=None,
        note=f"Twice this is the second inequality of ({equation}).",
    )
    for name, weights, of, size, average, integral, others, where, title, equation in (
        ("ps-06.dudley", "W*_eps", "N_eps", N, R_data, entropy, (OTHERS,), OF_N, "near W*", 32),
        ("ps-10.dudley", "Delta", "N_b", N_b, R_b_data, entropy_b, (), OF_N_B, "over all weights", 34),
    )
)


def _first_link(cid: str, equation: int, weights: str, average: sp.Symbol, shown: Claim) -> tuple[Claim, Claim]:
    """The first inequality of (32) or (34), with R^ given the data, and what symmetrisation has shown."""
    origin = "(27), which ends with 2 E R^"
    printed = _step(
        cid,
        f"E[G_train(D)] <= 2 R^_{{n_train}}(H, {weights})",
        le(conjuncts(shown.statement)[0].lhs, 2 * average),
        *shown.hypotheses,
        title=f"The expectation of the supremum in ({equation})",
        equation=str(equation),
        proof=None,
        switches=(misprint("E R^", "R^ depends on the data, and its expectation is meant", shown.statement, origin),),
    )
    return printed, restated(
        printed,
        why="R^ depends on the data: for some of them it is far below its expectation",
        text=f"E[G_train(D)] <= 2 E R^_{{n_train}}(H, {weights})",
        follows_from=(shown.item,),
        setting=DRAWN,
        proof=Proof(qed(by=[cite(shown)])),
    )


PS09_FIRST_LINK, PS09_FIRST_LINK_CORRECTED = _first_link("ps-09.g", 32, "W*_eps", R_data, PS06_27)
PS10_FIRST_LINK, PS10_FIRST_LINK_CORRECTED = _first_link("ps-10.34c", 34, "Delta", R_b_data, PS10_27)
COMPOSITES = tuple(
    p.composite(f"ps-{number}", _PLACE, title, text)
    for number, title, text in (
        ("04", "Bounded differences near W*", "(25) bounds differences, McDiarmid's inequality gives (26)"),
        ("06", "The process near W*", "(27) to (30): symmetrisation, exponential moments, the metric and Q"),
        ("07", "The cover near W*", "covers of losses and of weights make a cover of their products"),
        ("08", "The cardinality of the cover", "N_eps <= n_train/(b^2 J) bounds the cardinality in (31)"),
        ("09", "The entropy integral near W*", "(32): covering numbers, and their integral by a change of variables"),
        ("10", "The proof over all weights", "(25) to (32) with b in the place of eps and no J, and (34)"),
    )
)
CLAIMS = claims_in(globals())
