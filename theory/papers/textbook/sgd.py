"""SGD with additive noise on quadratics: a constant stepsize, and stepsizes 1/(mu k)."""

import sympy as sp

from rateproof.theory.assumptions import Attained, Smooth, StronglyConvex
from rateproof.theory.claim import Hypothesis, Kind
from rateproof.theory.gram import dot, norm2, vectors
from rateproof.theory.papers.textbook import notation as p
from rateproof.theory.proof import (
    Mean,
    Proof,
    Setting,
    fresh,
    have,
    induct,
    lipschitz,
    qed,
    smooth,
    special,
    strongly_convex_smooth,
    summed,
    total,
    variance,
)
from rateproof.theory.shorthand import eq, ge, le
from rateproof.theory.symbols import R, gamma_l, sigma_h2

(mean_noise,) = vectors("mean_noise")

SGD_QUADRATIC = p.claim(
    "sgd_quadratic",
    "Bottou, Curtis and Nocedal 2018, SIAM Review 60, Theorem 4.6 (its recursion, for additive noise)",
    Kind.BOUND,
    "SGD, additive noise, mini-batch B: E||x_R - x*||^2 <= (1 - gamma_l mu_h)^(2R) ||x_0 - x*||^2 "
    "+ gamma_l sigma_h^2 / (B mu_h (2 - gamma_l mu_h))",
    le(p.end2, p.CONTRACTION ** (2 * R) * p.start2 + p.NOISE_FLOOR / p.batch),
    title="Mini-batch SGD on quadratics with additive noise",
    hypotheses=(
        p.QUADRATIC,
        *p.NOISY_DESCENT,
    ),
    note="One step gives E||x^+ - x*||^2 <= (1 - gamma_l mu_h)^2 E||x - x*||^2 + gamma_l^2 sigma_h^2/B, and the "
    "geometric "
    "series sums to the second term. (mu_h/2)||x||^2 attains each term alone: the first without noise, the second "
    "as R grows.",
    setting=Setting(
        depends={"x": "past", "x*": "", "noise": "past sample xi"},
        words=p.ITERATE,
        means={"mean_noise": Mean("noise", "sample")},
        sizes={"sample": p.batch},
        within={"xi": "sample"},
        together={"sample": "batch"},
        functions=p.AT_ITERATE,
        metrics={
            p.distance(p.k): norm2(p.x - p.xs),
            p.distance(p.k + 1): norm2(p.x - gamma_l * (p.g + mean_noise) - p.xs),
            p.start2: p.distance(0),
            p.end2: p.distance(R),
        },
        fixed=(p.start2, p.batch),
        counts=(R,),
        assumes=(Attained("h"),),  # the statement speaks of x*
    ),
    proof=Proof(
        p.MONOTONE,
        have("orthogonal", eq(dot(mean_noise, p.x - gamma_l * p.g - p.xs), 0), by=[fresh("mean_noise")]),
        have("the noise", le(norm2(mean_noise), sigma_h2 / p.batch), by=[variance("mean_noise"), variance("noise")]),
        have(
            "one step",
            le(p.distance(p.k + 1), p.CONTRACTION**2 * p.distance(p.k) + gamma_l**2 * sigma_h2 / p.batch),
            by=[strongly_convex_smooth("h", "x", "x*"), "monotone", "the noise", "orthogonal"],
            multipliers=[*p.DESCENT_MULTIPLIERS, gamma_l**2, 2 * gamma_l],
        ),
        *p.SHORT_STEPS,
        have("the floor", ge(p.NOISE_FLOOR / p.batch, 0), by=["short steps"]),
        induct(
            "every step",
            le(p.distance(p.k), p.CONTRACTION ** (2 * p.k) * p.start2 + p.NOISE_FLOOR / p.batch),
            over=p.k,
            base=["the floor", "short steps"],
            by=["one step", "short steps"],
        ),
        special("the last step", "every step", {p.k: R}),
        qed(by=["the last step", "short steps"]),
    ),
)

stepsize = 1 / (p.mu_h * (p.k + 1))
#: An index of which no term has a form, so that the induction is one over numbers.
j = sp.Symbol("j", integer=True, nonnegative=True)
horizon = sp.Symbol("horizon", positive=True, integer=True)

SGD_LOG = p.claim(
    "sgd_log",
    "Hazan, Agarwal and Kale 2007, Machine Learning 69, Theorem 1 (its case of mean estimation)",
    Kind.BOUND,
    "SGD, stepsize 1/(mu_h k), isotropic quadratic: mean_{k<=R} E h(x_k) - h* <= sigma_h^2 (1 + ln R) / (2 mu_h R)",
    le(p.gap_mean, sigma_h2 * (1 + sp.log(R)) / (2 * p.mu_h * R)),
    title="SGD with harmonic stepsizes, mean gap",
    hypotheses=(
        Hypothesis(
            "isotropic",
            "h is quadratic with Hessian mu_h times the identity",
            says=(StronglyConvex("h", p.mu_h), Smooth("h", p.mu_h)),
        ),
        p.UNBIASED,
        p.VARIANCE,
        p.INDEPENDENT,
        p.AT_LEAST_ONE_STEP,
    ),
    note="x_k - x* is the mean of k noises over -mu_h, so the left side is sigma_h^2 (1 + 1/2 + ... + 1/R) / (2 mu_h "
    "R): "
    "attained at R = 1, and in the limit as R grows.",
    setting=Setting(
        depends={"x": "past", "x*": "", "noise": "past xi"},
        words=p.ITERATE,
        functions=p.AT_ITERATE,
        metrics={
            p.distance(p.k): norm2(p.x - p.xs),
            p.distance(p.k + 1): norm2(p.x - stepsize * (p.g + p.noise) - p.xs),
            p.gap(p.k): p.h_x - p.h_s,
            p.gap_mean: sp.Sum(p.gap(p.k), (p.k, 1, R)) / R,
        },
        counts=(R,),
        assumes=(Attained("h"),),  # the statement speaks of x*
    ),
    proof=Proof(
        p.MONOTONE,
        have("orthogonal", eq(dot(p.noise, p.x - stepsize * p.g - p.xs), 0), by=[fresh("noise")]),
        have(
            "one step",
            le(
                p.distance(p.k + 1),
                (p.k / (p.k + 1)) ** 2 * p.distance(p.k) + sigma_h2 / (p.mu_h * (p.k + 1)) ** 2,
            ),
            by=["monotone", lipschitz("h", "x", "x*"), variance("noise"), "orthogonal"],
            multipliers=[2 * stepsize, stepsize**2, stepsize**2, 2 * stepsize],
        ),
        special("the step to any iterate", "one step", {p.k: j}),
        special("the first step", "one step", {p.k: sp.S.Zero}),
        induct(
            "every step",
            le(p.distance(j), sigma_h2 / (p.mu_h**2 * j)),
            over=j,
            start=1,
            base=["the first step"],
            by=["the step to any iterate"],
        ),
        have("one gap", le(p.gap(p.k), p.mu_h / 2 * p.distance(p.k)), by=[smooth("h", "x", "x*")]),
        special("any gap", "one gap", {p.k: j}),
        have(
            "gap at every step",
            le(p.gap(j), sigma_h2 / (2 * p.mu_h * j)),
            by=["any gap", "every step"],
            when=[ge(j, 1)],
        ),
        summed("all gaps", "gap at every step", over=j, start=1, last=R),
        total("the harmonic sum", le(sp.Sum(1 / p.k, (p.k, 1, horizon)), 1 + sp.log(horizon)), horizon),
        special("up to R", "the harmonic sum", {horizon: R}),
        qed(by=["all gaps", "up to R"]),
    ),
)
