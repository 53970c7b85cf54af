"""The subgradient method on Lipschitz convex functions."""

import sympy as sp

from rateproof.theory.assumptions import BoundedVariance
from rateproof.theory.claim import Hypothesis, Kind
from rateproof.theory.gram import norm2
from rateproof.theory.papers.textbook import notation as p
from rateproof.theory.proof import Proof, Setting, convex, have, least, qed, summed, variance
from rateproof.theory.shorthand import le
from rateproof.theory.symbols import R, gamma_l

SUBGRADIENT = p.claim(
    "subgradient",
    "Shor 1985, Minimization Methods for Non-Differentiable Functions, Section 2; Nesterov 2018, Section 3.2.3",
    Kind.BOUND,
    "Subgradient method: min_{k<R} h(x_k) - h* <= (||x_0 - x*||^2 + R gamma_l^2 M_h^2) / (2 gamma_l R)",
    le(p.gap_best, p.start2 / (2 * gamma_l * R) + gamma_l * p.M_h**2 / 2),
    title="Subgradient method, best iterate",
    hypotheses=(
        p.CONVEX,
        Hypothesis(
            "subgradients_bounded",
            "every subgradient used has norm at most M_h",
            says=(BoundedVariance("g", p.M_h**2),),
        ),
        p.ATTAINED,
        p.AT_LEAST_ONE_STEP,
    ),
    note="Attained at gamma_l = ||x_0 - x*|| / (M_h sqrt(R)) by M_h max_i |x_i| on R coordinates.",
    setting=Setting(
        depends={"x": "", "x*": ""},
        words={**p.ITERATE, "x*": "a minimiser of h"},
        functions={"h": {"x": (p.x, p.g, p.h_x), "x*": (p.xs, None, p.h_s)}},
        minima={p.gap_best: (p.gap(p.k), (p.k, sp.S.Zero, R - 1))},
        metrics={
            p.distance(p.k): norm2(p.x - p.xs),
            p.distance(p.k + 1): norm2(p.x - gamma_l * p.g - p.xs),
            p.gap(p.k): p.h_x - p.h_s,
            p.start2: p.distance(0),
        },
        measured=(p.gap_best,),
        fixed=(p.start2, p.gap_best),
        counts=(R,),
    ),
    proof=Proof(
        have(
            "one step",
            le(p.distance(p.k + 1), p.distance(p.k) - 2 * gamma_l * p.gap_best + gamma_l**2 * p.M_h**2),
            by=[convex("h", "x", "x*"), variance("g"), least(p.gap_best)],
            when=[le(p.k, R - 1)],
        ),
        summed("all steps", "one step", over=p.k, start=0, last=R - 1),
        qed(by=["all steps"]),
    ),
)
