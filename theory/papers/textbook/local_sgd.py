"""FedAvg with identical quadratic clients."""

import sympy as sp

from rateproof.theory.assumptions import Attained, Identical, Sampled
from rateproof.theory.claim import Hypothesis, Kind
from rateproof.theory.gram import dot, norm2, vectors
from rateproof.theory.papers.textbook import notation as p
from rateproof.theory.proof import (
    Mean,
    Proof,
    SampleMean,
    Setting,
    affine,
    convex,
    fresh,
    have,
    induct,
    mean,
    qed,
    sampling,
    section,
    special,
    strongly_convex_smooth,
    variance,
)
from rateproof.theory.shorthand import eq, ge, le
from rateproof.theory.symbols import K, L_h, N, R, gamma_l, sigma_h2

m = sp.Symbol("m", integer=True, nonnegative=True)
#: ``E ||mean of the clients' iterates - x*||^2`` after m rounds and k local steps.
local = sp.Function("local", nonnegative=True)
y, b, mean_b, mean_noise, last, mean_last, drawn = vectors("y b mean_b mean_noise last mean_last drawn")
h_y = sp.Symbol("h_y", real=True)
floor = p.NOISE_FLOOR / N


def contracted(steps: sp.Expr, start: sp.Expr) -> sp.Expr:
    """What is left of a squared distance after some local steps."""
    power = p.CONTRACTION ** (2 * steps)
    return power * start + (1 - power) * floor


FEDAVG_IDENTICAL = p.claim(
    "fedavg_identical",
    "Woodworth et al. 2020, Is Local SGD Better than Minibatch SGD?, Section 3 (quadratic objectives)",
    Kind.BOUND,
    "FedAvg, N identical quadratic clients, K local steps: E||x_R - x*||^2 <= (1 - gamma_l mu_h)^(2KR) ||x_0 - x*||^2 "
    "+ gamma_l sigma_h^2 / (N mu_h (2 - gamma_l mu_h))",
    le(p.end2, p.CONTRACTION ** (2 * K * R) * p.start2 + p.NOISE_FLOOR / N),
    title="FedAvg with identical quadratic clients",
    hypotheses=(
        p.QUADRATIC,
        Hypothesis("identical_clients", "all clients have the same loss", says=(Identical("h", "client"),)),
        Hypothesis(
            "full_participation",
            "all clients take part in every round, and the server averages",
            says=(Sampled("draw", N, N),),
        ),
        *p.NOISY_DESCENT,
    ),
    note="On quadratics averaging commutes with the gradient step, so the average of the clients follows SGD with "
    "K R steps and noise of variance sigma_h^2/N. Attained as textbook.sgd_quadratic is.",
    setting=Setting(
        depends={"x*": "", "y": "past client", "noise": "past client xi", "last": "past client"},
        together={"client": "round"},
        words={
            "y": "the iterate of a client after k local steps",
            "last": "the iterate of a client after K local steps",
        },
        means={
            "x": Mean("y", "client"),
            "mean_b": Mean("b", "client"),
            "mean_noise": Mean("noise", "client"),
            "mean_last": Mean("last", "client"),
            "drawn": SampleMean("last", "client", "draw"),
        },
        sizes={"client": N},
        within={"xi": "client"},
        functions={"h": {**p.AT_ITERATE["h"], "y": (y, b, h_y)}},
        metrics={
            local(m, p.k): norm2(p.x - p.xs),
            local(m, p.k + 1): norm2(p.x - gamma_l * (mean_b + mean_noise) - p.xs),
            local(m, K): norm2(mean_last - p.xs),
            local(m + 1, 0): norm2(drawn - p.xs),
            p.start2: local(0, 0),
            p.end2: local(R, 0),
        },
        fixed=(p.start2,),
        counts=(R,),
        assumes=(Attained("h"),),  # the statement speaks of x*
    ),
    proof=Proof(
        section("One local step"),
        have(
            "monotone",
            ge(dot(mean_b, p.x - p.xs), p.mu_h * norm2(p.x - p.xs)),
            by=[convex("h", "x", "x*"), affine("h", "x", "y")],
        ),
        have(
            "curved",
            ge((p.mu_h + L_h) * dot(mean_b, p.x - p.xs), p.mu_h * L_h * norm2(p.x - p.xs) + norm2(mean_b)),
            by=[strongly_convex_smooth("h", "x", "x*"), affine("h", "x", "y")],
        ),
        have("orthogonal", eq(dot(mean_noise, p.x - gamma_l * mean_b - p.xs), 0), by=[fresh("mean_noise")]),
        have("the noise", le(norm2(mean_noise), sigma_h2 / N), by=[variance("mean_noise"), variance("noise")]),
        have(
            "one local step",
            le(local(m, p.k + 1), p.CONTRACTION**2 * local(m, p.k) + gamma_l**2 * sigma_h2 / N),
            by=["curved", "monotone", "the noise", "orthogonal"],
            multipliers=[*p.DESCENT_MULTIPLIERS, gamma_l**2, 2 * gamma_l],
        ),
        section("The local steps of a round"),
        *p.SHORT_STEPS,
        have("the floor", ge(floor, 0), by=["short steps"]),
        induct(
            "local steps",
            le(local(m, p.k), contracted(p.k, local(m, 0))),
            over=p.k,
            base=["short steps"],
            by=["one local step", "short steps"],
            multipliers=[1, p.CONTRACTION**2],
        ),
        special("the last local step", "local steps", {p.k: K}),
        section("From one round to all rounds"),
        have(
            "the server's mean",
            le(local(m + 1, 0), local(m, K)),
            by=[sampling("drawn"), mean("drawn"), mean("mean_last")],
        ),
        have(
            "one round",
            le(local(m + 1, 0), contracted(K, local(m, 0))),
            by=["the last local step", "the server's mean", "short steps"],
        ),
        induct(
            "every round",
            le(local(m, 0), contracted(K * m, p.start2)),
            over=m,
            base=["short steps"],
            by=["one round", "short steps"],
        ),
        special("the last round", "every round", {m: R}),
        qed(by=["the last round", "the floor", "short steps"]),
    ),
)
