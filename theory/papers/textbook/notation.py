"""Notation of the control group: one loss ``h``, its constants, and what is measured."""

import sympy as sp

from rateproof.theory.assumptions import (
    Attained,
    BoundedVariance,
    Convex,
    Independent,
    IndependentOf,
    Quadratic,
    Smooth,
    StronglyConvex,
    Unbiased,
)
from rateproof.theory.claim import Hypothesis
from rateproof.theory.gram import Vector, dot, norm2, vectors
from rateproof.theory.proof import convex, have
from rateproof.theory.shorthand import claims_of, ge, le
from rateproof.theory.symbols import NONNEG, POS, L_h, R, gamma_l, sigma_h2, vocabulary
from rateproof.theory.units import INNER, LENGTH

declare = vocabulary("textbook")
claim = claims_of("textbook")

AREA = LENGTH**2
FORCE = INNER / LENGTH
CURVATURE = INNER / AREA

# --- constants
mu_h = declare("mu_h", "strong convexity constant of h", CURVATURE, latex=r"\mu_h", **POS)
M_h = declare("M_h", "bound on the norm of every subgradient of h that the method meets", FORCE, **POS)
rho_h = declare("rho_h", "weak convexity constant: h + rho_h/2 ||x||^2 is convex", CURVATURE, latex=r"\rho_h", **NONNEG)
lam_h = declare("lam_h", "parameter of the Moreau envelope of h", AREA / INNER, latex=r"\lambda", **POS)
batch = declare("batch", "mini-batch size", latex="B", positive=True, integer=True)
zeta2 = declare("zeta2", "mean over the clients of ||v_i - mean v||^2", AREA, latex=r"\zeta^2", **NONNEG)
p_J = declare("p_J", "exponent in Jensen's inequality for powers", latex="p", **POS)
p_Y = declare("p_Y", "first exponent in Young's inequality", latex="p", nonzero=True, real=True)
q_Y = declare("q_Y", "second exponent in Young's inequality", latex="q", nonzero=True, real=True)
eps_Y = declare("eps_Y", "weight in Young's inequality", CURVATURE, latex=r"\varepsilon", **POS)

# --- what is measured
start2 = declare("start2", "||x_0 - x*||^2", AREA, latex=r"\|x_0-x^*\|^2", **NONNEG)
end2 = declare("end2", "E ||x_R - x*||^2", AREA, latex=r"E\|x_R-x^*\|^2")
gap_end = declare("gap_end", "h(x_R) - h*, in the composite case F(x_R) - F*", INNER, latex="(h(x_R)-h^*)")
gap_best = declare("gap_best", "min over k < R of h(x_k) - h*", INNER, latex=r"\min_{k<R}(h(x_k)-h^*)")
gap_mean = declare("gap_mean", "mean over k = 1..R of E h(x_k) - h*", INNER, latex=r"\frac1R\sum_{k=1}^RE[h(x_k)-h^*]")
gap_at = declare("gap_at", "h(x) - inf h", INNER, latex=r"(h(x)-\inf h)")
grad2_at = declare("grad2_at", "||grad h(x)||^2", FORCE**2, latex=r"\|\nabla h(x)\|^2")
remainder = declare(
    "remainder", "h(y) - h(x) - <grad h(x), y - x>", INNER, latex=r"(h(y)-h(x)-\langle\nabla h(x),y-x\rangle)"
)
apart = declare("apart", "||x - y||", LENGTH, latex=r"\|x-y\|", **NONNEG)
grads_apart = declare(
    "grads_apart",
    "||grad e(x) - grad e(y)||, e the Moreau envelope of h",
    FORCE,
    latex=r"\|\nabla e(x)-\nabla e(y)\|",
    **NONNEG,
)
sampling2 = declare(
    "sampling2", "E ||mean of v_i over the sampled clients - mean v||^2", AREA, latex=r"E\|\bar v_S-\bar v\|^2"
)
inner_uv = declare("inner_uv", "<u, v>", INNER, latex=r"\langle u,v\rangle")
norm2_u = declare("norm2_u", "||u||^2", AREA, latex=r"\|u\|^2", **NONNEG)
norm2_v = declare("norm2_v", "||v||^2", FORCE**2, latex=r"\|v\|^2", **NONNEG)
side_a = declare("side_a", "a nonnegative number a", latex="a", **NONNEG)
side_b = declare("side_b", "a nonnegative number b", latex="b", **NONNEG)
power_of_sum = declare("power_of_sum", "||x_1 + ... + x_N||^p", LENGTH**p_J, latex=r"\|x_1+\dots+x_N\|^p")
sum_of_powers = declare(
    "sum_of_powers", "||x_1||^p + ... + ||x_N||^p", LENGTH**p_J, latex=r"(\|x_1\|^p+\dots+\|x_N\|^p)", **NONNEG
)


# --- hypotheses that several theorems share
CONVEX = Hypothesis("convex", "h is convex", says=(Convex("h"),))
SMOOTH = Hypothesis("smooth", "h is L_h-smooth", says=(Smooth("h", L_h),))
STRONGLY_CONVEX = Hypothesis("strongly_convex", "h is mu_h-strongly convex", says=(StronglyConvex("h", mu_h),))
ATTAINED = Hypothesis("attained", "the minimum is attained at some x*", says=(Attained("h"),))
QUADRATIC = Hypothesis("quadratic", "h is a quadratic function", says=(Quadratic("h"),))
# the mean of the noise of every sample of every client is zero; that it is so given the past is independence
UNBIASED = Hypothesis("unbiased", "the gradient noise has mean zero", says=(Unbiased("noise", "sample client"),))
VARIANCE = Hypothesis(
    "variance_bounded", "E||noise of one sample||^2 <= sigma_h^2", says=(BoundedVariance("noise", sigma_h2),)
)
INDEPENDENT = Hypothesis(
    "independent",
    "noise is independent over samples, steps and clients, and does not depend on x",
    says=(*(Independent("noise", over) for over in ("sample", "client")), IndependentOf("noise", source="past")),
)
CAP_SMOOTH = Hypothesis("gamma_l<=1/L_h", "gamma_l <= 1/L_h", le(gamma_l * L_h, sp.S.One))
CAP_STRONG = Hypothesis("gamma_l<=2/(L_h+mu_h)", "gamma_l <= 2/(L_h + mu_h)", le(gamma_l * (L_h + mu_h), sp.Integer(2)))
ORDERED = Hypothesis("mu_h<=L_h", "mu_h <= L_h", le(mu_h, L_h))
AT_LEAST_ONE_STEP = Hypothesis("R>=1", "R >= 1", sp.Ge(R, 1, evaluate=False))

# --- what several bounds are made of
CONTRACTION = 1 - gamma_l * mu_h
NOISE_FLOOR = gamma_l * sigma_h2 / (mu_h * (2 - gamma_l * mu_h))
# --- the setting of SGD with additive noise
NOISY_DESCENT = (
    SMOOTH,
    STRONGLY_CONVEX,
    UNBIASED,
    VARIANCE,
    INDEPENDENT,
    ORDERED,
    CAP_STRONG,
    AT_LEAST_ONE_STEP,
)

# --- of what proofs speak
k = sp.Symbol("k", integer=True, nonnegative=True)
#: ``E ||x_k - x*||^2``, ``E h(x_k) - h*`` and ``||grad h(x_k)||^2``.
distance, slope = (sp.Function(name, nonnegative=True) for name in ("distance", "slope"))
gap = sp.Function("gap", real=True)
#: An iterate, the solution, and a gradient (or subgradient) at the iterate.
x, xs, g, noise = vectors("x x* g noise")
h_x, h_s = sp.symbols("h_x h_s", real=True)
ZERO = Vector()

ITERATE = {"x": "the iterate after k steps"}
TWO_POINTS = {"x": "any point", "y": "any other point"}
AT_ITERATE = {"h": {"x": (x, g, h_x), "x*": (xs, ZERO, h_s)}}
DESCENT_MULTIPLIERS = (gamma_l**2, 2 * gamma_l - gamma_l**2 * (L_h + mu_h))
MONOTONE = have("monotone", ge(dot(g, x - xs), mu_h * norm2(x - xs)), by=[convex("h", "x", "x*")])
SHORT_STEPS = (
    have("mu <= L", le(mu_h, L_h)),
    have("short steps", le(gamma_l * mu_h, 1), by=["mu <= L"]),
)
