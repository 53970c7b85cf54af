"""Lemmas that the papers share, each with a proof of its own: to be cited, ``cite("lemmas.descent", points=...)``.

``e`` is a noise, ``g`` a gradient, ``v`` what a client has, ``x`` and ``y`` points; ``||.||^2`` of what depends on a
client is the mean over the clients.
"""

from dataclasses import replace

import sympy as sp

from rateproof.theory.assumptions import (
    Assumption,
    BoundedVariance,
    ClosedConvex,
    Convex,
    Independent,
    Lipschitz,
    Monotone,
    Sampled,
    Smooth,
    Unbiased,
)
from rateproof.theory.claim import Claim, Hypothesis, Kind, Paper, Source
from rateproof.theory.gram import dot, norm2, vectors
from rateproof.theory.papers.lemmas import notation as p
from rateproof.theory.proof import (
    SEQUENCES,
    Mean,
    Proof,
    SampleMean,
    Setting,
    Step,
    cases,
    cite,
    convex,
    exponential,
    fresh,
    have,
    induct,
    lipschitz,
    logarithm,
    mean,
    monotone,
    projection,
    qed,
    sampling,
    smooth,
    smooth_convex,
    special,
    summed,
    variance,
    written_out,
)
from rateproof.theory.shorthand import eq, every, ge, gt, le
from rateproof.theory.symbols import K, N, R, S


def _lemma(
    name: str,
    title: str,
    place: str,
    text: str,
    statement: sp.Basic,
    setting: Setting,
    *steps: object,
    assuming: dict[str, Assumption | sp.Rel] | None = None,
) -> Claim:
    hypotheses = tuple(
        Hypothesis(key, key, h) if isinstance(h, sp.Rel) else Hypothesis(key, key, says=(h,))
        for key, h in (assuming or {}).items()
    )
    return Claim(
        f"lemmas.{name}",
        Source("lemmas", place),
        Kind.INEQUALITY,
        text,
        statement,
        hypotheses,
        setting=setting,
        proof=Proof(*steps),  # type: ignore[arg-type]
        title=title,
    )


u, v, w, x, y, z, g, h = vectors("u v w x y z g h")
px, py, average, drawn, e, steps, noise = vectors("px py average drawn e steps noise")
change, expected = vectors("change expected")
f_x, f_y = p.f_x, p.f_y
FREE = Setting(
    depends={"u": "", "v": ""},
    words={"u": "any vector", "v": "any vector"},
    metrics={p.norm2_u: norm2(u), p.norm2_v: norm2(v), p.inner_uv: dot(u, v)},
)
YOUNG = _lemma(
    "young",
    "Young's inequality for inner products",
    "Young 1912",
    "2 <u, v> <= t ||u||^2 + ||v||^2 / t for t > 0",
    le(2 * p.inner_uv, p.t * p.norm2_u + p.norm2_v / p.t),
    FREE,
    qed(),
)
SPLIT = _lemma(
    "split",
    "Squared norm of a sum, split",
    "Young 1912",
    "||u + v||^2 <= (1 + t) ||u||^2 + (1 + 1/t) ||v||^2 for t > 0",
    le(p.norm2_u + 2 * p.inner_uv + p.norm2_v, (1 + p.t) * p.norm2_u + (1 + 1 / p.t) * p.norm2_v),
    FREE,
    qed(),
)

CLIENTS = Setting(
    depends={"v": "client"},
    means={"average": Mean("v", "client"), "drawn": SampleMean("v", "client", "sample")},
    sizes={"client": N},
    words={"v": "what a client has"},
    metrics={
        p.mean_sq: norm2(v),
        p.sq_mean: norm2(average),
        p.spread: norm2(v - average),
        p.sampling: norm2(drawn - average),
    },
)
JENSEN = _lemma(
    "jensen",
    "Squared norm of a mean",
    "Jensen 1906",
    "||(1/N) sum_i v_i||^2 <= (1/N) sum_i ||v_i||^2",
    le(p.sq_mean, p.mean_sq),
    CLIENTS,
    qed(by=[mean("average")]),
)
SPREAD = _lemma(
    "spread",
    "Mean of squares about the mean",
    "Huygens 1673, Horologium Oscillatorium (parallel axes)",
    "(1/N) sum_i ||v_i - mean v||^2 = (1/N) sum_i ||v_i||^2 - ||mean v||^2",
    eq(p.spread, p.mean_sq - p.sq_mean),
    CLIENTS,
    have("at most", le(p.spread, p.mean_sq - p.sq_mean), by=[mean("average")]),
    have("at least", ge(p.spread, p.mean_sq - p.sq_mean), by=[mean("average")]),
    qed(by=["at most", "at least"]),
)
SAMPLING = _lemma(
    "client_sampling",
    "Variance of client sampling without replacement",
    "Cochran 1977, Sampling Techniques, Theorem 2.2",
    "S of N clients without replacement: E||mean over the sample - mean v||^2 "
    "<= (2/S) (1 - S/N) (1/N) sum_i ||v_i - mean v||^2",
    le(p.sampling, 2 / S * (1 - S / N) * p.spread),
    CLIENTS,
    qed(by=[sampling("drawn")], multipliers={"sampling(drawn)[4]": 1 / (S * N)}),
    assuming={"S clients are drawn without replacement": Sampled("sample", S, N), "S <= N": le(S, N)},
)

NOISES = Setting(
    depends={"e": "past client step before xi"},
    means={"steps": Mean("e", "step"), "noise": SampleMean("steps", "client", "sample")},
    sizes={"client": N, "step": K},
    within={"before": "step", "xi": "step"},
    together={"step": "round"},
    earlier=("before",),
    metrics={p.mean_noise: norm2(noise)},
)
MEAN_NOISE = _lemma(
    "mean_noise",
    "Mean noise of a round",
    "Karimireddy et al. 2020, SCAFFOLD, Lemma 4",
    "the mean of the noises of K local steps of S sampled clients has E||.||^2 <= sigma^2 / (K S)",
    le(p.mean_noise, p.sigma2 / (K * S)),
    NOISES,
    have("K steps", le(norm2(steps), p.sigma2 / K), by=[variance("steps"), variance("e")]),
    qed(by=[variance("noise"), "K steps"]),
    assuming={
        "the noise has mean zero given all that came before, and who was drawn": Unbiased(
            "e", "past client sample step before"
        ),
        "its variance is at most sigma^2": BoundedVariance("e", p.sigma2),
        "it is independent over clients": Independent("e", over="client"),
        "S clients are drawn without replacement": Sampled("sample", S, N),
    },
)

INDEPENDENT = _lemma(
    "independent_sum",
    "Mean square of a sum of independent noises",
    "Bienaymé 1853",
    "independent e_i of mean zero: N E||(1/N) sum_i e_i||^2 = (1/N) sum_i E||e_i||^2",
    eq(N * p.sq_mean_noise, p.mean_sq_noise),
    Setting(
        depends={"e": "client xi"},
        means={"noise": Mean("e", "client")},
        sizes={"client": N},
        within={"xi": "client"},
        together={"client": "all"},
        metrics={p.sq_mean_noise: norm2(noise), p.mean_sq_noise: norm2(e)},
        words={"e": "e_i"},
    ),
    qed(by=[variance("noise")]),
    assuming={
        "the e_i have mean zero": Unbiased("e", "client"),
        "they are independent": Independent("e", over="client"),
    },
)

STEP = Setting(
    depends={"x": "past", "e": "past xi"},
    functions={
        "f": {"x": (x, g, f_x), "y": (x - p.gamma * (g + e), h, f_y)},
    },
    words={"x": "the iterate before the step"},
    metrics={p.norm2_g: norm2(g)},
    free=(p.gamma,),
)
SGD_DESCENT = _lemma(
    "descent",
    "Expected descent of one SGD step",
    "Ghadimi and Lan 2013, SIAM Journal on Optimization 23, Theorem 2.1 (its first step)",
    "SGD on an L-smooth f: E f(x^+) <= E f(x) - gamma (1 - gamma L/2) E||grad f(x)||^2 + gamma^2 L sigma^2 / 2",
    le(f_y, f_x - p.gamma * (1 - p.gamma * p.L / 2) * p.norm2_g + p.gamma**2 * p.L * p.sigma2 / 2),
    STEP,
    qed(by=[smooth("f", "x", "y"), variance("e"), fresh("e")]),
    assuming={
        "f is L-smooth": Smooth("f", p.L),
        "the noise has mean zero given the past": Unbiased("e", "past"),
        "its variance is at most sigma^2": BoundedVariance("e", p.sigma2),
    },
)

TWO = Setting(
    depends={"x": "", "y": ""},
    functions={
        "X": {"x": (x, px, None), "y": (y, py, None)},
        "A": {"x": (px, x - px, None), "y": (py, y - py, None)},
    },
    words={"x": "any point", "y": "any other point"},
    metrics={p.apart: norm2(x - y), p.images_apart: norm2(px - py)},
)
PROJECTION = _lemma(
    "projection",
    "Projections are nonexpansive",
    "Bauschke and Combettes 2017, Proposition 4.16",
    "a projection on a closed convex set is nonexpansive: ||Tx - Ty||^2 <= ||x - y||^2, T the projection",
    le(p.images_apart, p.apart),
    TWO,
    qed(by=[projection("X", "x", "y")]),
    assuming={"X is closed, convex and not empty": ClosedConvex("X")},
)
PROXIMAL = _lemma(
    "proximal",
    "Proximal maps are nonexpansive",
    "Bauschke and Combettes 2017, Proposition 12.28",
    "the proximal map T of a convex function is nonexpansive: ||Tx - Ty||^2 <= ||x - y||^2, "
    "as x - Tx is a subgradient at Tx",
    le(p.images_apart, p.apart),
    TWO,
    qed(by=[monotone("A", "x", "y")]),
    assuming={"the subdifferential is monotone": Monotone("A", sp.S.Zero)},
)

PAIR = Setting(
    depends={"x": "", "y": ""},
    functions={"f": {"x": (x, g, f_x), "y": (y, h, f_y)}},
    words={"x": "any point", "y": "any other point"},
    metrics={p.apart: norm2(x - y), p.images_apart: norm2(x - p.gamma * g - (y - p.gamma * h))},
)
GRADIENT_STEP = _lemma(
    "gradient_step",
    "Gradient steps are nonexpansive",
    "Bauschke and Combettes 2017, Proposition 4.39 with Corollary 18.17",
    "a gradient step with gamma <= 2/L on an L-smooth convex f is nonexpansive",
    le(p.images_apart, p.apart),
    PAIR,
    have("cocoercive", ge(p.L * dot(g - h, x - y), norm2(g - h)), by=[smooth_convex("f", "x", "y")]),
    have("monotone", ge(dot(g - h, x - y), 0), by=[convex("f", "x", "y")]),
    qed(by=["cocoercive", "monotone"], multipliers=[p.gamma**2, p.gamma * (2 - p.gamma * p.L)]),
    assuming={
        "f is L-smooth": Smooth("f", p.L),
        "f is convex": Convex("f"),
        "gamma L <= 2": le(p.gamma * p.L, 2),
    },
)

ESTIMATE = Setting(
    depends={"u": "past", "x": "past", "y": "past", "e": "past xi"},
    each={"G": "xi"},
    means={"expected": Mean("change", "xi")},
    sums={"change": h - g},
    functions={"G": {"x": (x, g, None), "y": (y, h, None)}},
    words={"u": "the error of the last estimate", "x": "the last point", "y": "the point at which G is estimated"},
    metrics={
        p.before: norm2(u),
        p.moved: norm2(x - y),
        p.sarah: norm2(u + change - expected),
        p.storm: norm2((1 - p.rho) * u + p.rho * e + (1 - p.rho) * (change - expected)),
    },
)
_CENTRED = have(
    "the centred change",
    le(norm2(change - expected), p.L**2 * p.moved),
    by=[lipschitz("G", "x", "y"), written_out("change"), mean("expected")],
)
SARAH = _lemma(
    "sarah",
    "Error of the SARAH estimator, one step",
    "Nguyen, Liu, Scheinberg and Takáč 2017, SARAH, Lemma 2 (one step)",
    "error of the SARAH estimator: E||e^+||^2 <= E||e||^2 + L^2 E||x^+ - x||^2",
    le(p.sarah, p.before + p.L**2 * p.moved),
    ESTIMATE,
    _CENTRED,
    qed(by=[mean("expected"), "the centred change"]),
    assuming={"the stochastic gradient is L-Lipschitz in mean square": Lipschitz("G", p.L, random="xi", given="past")},
)
STORM = _lemma(
    "storm",
    "Error of the STORM estimator, one step",
    "Cutkosky and Orabona 2019, STORM, Lemma 2",
    "error of the STORM estimator: E||e^+||^2 <= (1 - rho)^2 E||e||^2 + 2 rho^2 sigma^2 "
    "+ 2 (1 - rho)^2 L^2 E||x^+ - x||^2",
    le(p.storm, (1 - p.rho) ** 2 * p.before + 2 * p.rho**2 * p.sigma2 + 2 * (1 - p.rho) ** 2 * p.L**2 * p.moved),
    ESTIMATE,
    _CENTRED,
    have("orthogonal", eq(dot(u, p.rho * e + (1 - p.rho) * (change - expected)), 0), by=[fresh("e"), mean("expected")]),
    have("noise", le(norm2(e), p.sigma2), by=[variance("e")]),
    qed(
        by=["orthogonal", "the centred change", "noise"],
        multipliers=[-2 * (1 - p.rho), 2 * (1 - p.rho) ** 2, 2 * p.rho**2],
    ),
    assuming={
        "the stochastic gradient is L-Lipschitz in mean square": Lipschitz("G", p.L, random="xi", given="past"),
        "the noise has mean zero given the past": Unbiased("e", "past"),
        "its variance is at most sigma^2": BoundedVariance("e", p.sigma2),
        "rho < 1": sp.Lt(p.rho, 1, evaluate=False),
    },
)

#: ``h`` is the estimate at the last point ``x``; at a sample of a client the map is ``P_x + e - d`` there, and
#: ``P_y + e`` at the next point ``y``. All samples of all clients are one index.
last, P_x, P_y, mean_Px, mean_Py, d, mean_e, mean_d = vectors("last P_x P_y mean_Px mean_Py d mean_e mean_d")
r = sp.Symbol("r", integer=True, nonnegative=True)
#: ``E||e_r||^2`` and ``E||x_{r+1} - x_r||^2`` of successive points.
error, move = (sp.Function(name, nonnegative=True) for name in ("error", "move"))
FEDERATED = Setting(
    depends={
        **dict.fromkeys(("last", "x", "y"), "past"),
        **dict.fromkeys(("P_x", "P_y"), "past sample"),
        **dict.fromkeys(("e", "d"), "past sample xi"),
    },
    each={"G": "sample xi"},
    means={
        "mean_Px": Mean("P_x", "sample"),
        "mean_Py": Mean("P_y", "sample"),
        "mean_e": Mean("e", "sample"),
        "mean_d": Mean("d", "sample"),
    },
    sizes={"sample": N * p.batch},
    within={"xi": "sample"},
    together={"sample": "batch"},
    functions={"G": {"x": (x, P_x + e - d, None), "y": (y, P_y + e, None)}},
    words={
        "sample": "a sample of one of the clients",
        "last": "the last estimate, at x",
        "x": "the last point",
        "y": "the point at which G is estimated",
        "P_x": "the map of a client at x",
        "P_y": "the map of a client at y",
        "e": "the noise of a sample at y",
        "d": "its noise at y less that at x",
    },
    metrics={
        p.before: norm2(last - mean_Px),
        p.moved: norm2(x - y),
        p.fed_storm: norm2(mean_Py + mean_e + (1 - p.rho) * (last - (mean_Px + mean_e - mean_d)) - mean_Py),
    },
)
FEDERATED_NOISE: dict[str, Assumption | sp.Rel] = {
    "the map of every client is L-Lipschitz in mean square": Lipschitz("G", p.L, random="xi", given="past"),
    "the noise of a sample has mean zero given the past": Unbiased("e", "past sample"),
    "so has its change between two points": Unbiased("d", "past sample"),
    "its variance is at most sigma^2": BoundedVariance("e", p.sigma2),
    "samples are independent": Independent("e", over="sample"),
    "samples are independent, at both points": Independent("d", over="sample"),
}
FEDERATED_STORM = _lemma(
    "federated_storm",
    "Error of STORM with several clients",
    "Cutkosky and Orabona 2019, STORM, Lemma 2 (of a mean over clients)",
    "error of the mean of STORM estimators of N clients with B samples each: E||e^+||^2 <= (1 - rho)^2 E||e||^2 "
    "+ 2 rho^2 sigma^2/(N B) + 2 (1 - rho)^2 L^2/(N B) E||x^+ - x||^2",
    le(
        p.fed_storm,
        (1 - p.rho) ** 2 * p.before
        + 2 * p.rho**2 * p.sigma2 / (N * p.batch)
        + 2 * (1 - p.rho) ** 2 * p.L**2 / (N * p.batch) * p.moved,
    ),
    FEDERATED,
    have(
        "the change of a sample",
        le(norm2(d), p.L**2 * p.moved),
        by=[lipschitz("G", "x", "y"), fresh("d")],
    ),
    have(
        "the change",
        le(norm2(mean_d), p.L**2 / (N * p.batch) * p.moved),
        by=["the change of a sample", variance("mean_d")],
    ),
    have("the noise", le(norm2(mean_e), p.sigma2 / (N * p.batch)), by=[variance("mean_e"), variance("e")]),
    have(
        "orthogonal",
        eq(dot(last - mean_Px, p.rho * mean_e + (1 - p.rho) * mean_d), 0),
        by=[fresh("mean_e"), fresh("mean_d")],
    ),
    qed(
        by=["orthogonal", "the change", "the noise"],
        multipliers=[-2 * (1 - p.rho), 2 * (1 - p.rho) ** 2, 2 * p.rho**2],
    ),
    assuming=FEDERATED_NOISE,
)
FEDERATED_STORM_ROUNDS = _lemma(
    "federated_storm_rounds",
    "Sum of the errors of STORM",
    "Cutkosky and Orabona 2019, STORM, Theorem 1 (the sum of its errors)",
    "the errors of R rounds: rho (2 - rho) sum_{r<R} E||e_r||^2 <= E||e_0||^2 + 2 rho^2 R sigma^2/(N B) "
    "+ 2 (1 - rho)^2 L^2/(N B) sum_{r<R} E||x_{r+1} - x_r||^2",
    le(
        p.rho * (2 - p.rho) * p.fed_errors,
        p.fed_first
        + 2 * p.rho**2 * R * p.sigma2 / (N * p.batch)
        + 2 * (1 - p.rho) ** 2 * p.L**2 / (N * p.batch) * p.fed_moves,
    ),
    replace(
        FEDERATED,
        sequences={
            p.before: error(r),
            p.fed_storm: error(r + 1),
            p.moved: move(r),
            p.fed_first: error(0),
            p.fed_errors: sp.Sum(error(r), (r, 0, R - 1)),
            p.fed_moves: sp.Sum(move(r), (r, 0, R - 1)),
        },
        fixed=(p.fed_first, p.batch, p.rho, p.L, p.sigma2),
        counts=(R,),
    ),
    have(
        "one round",
        le(
            p.rho * (2 - p.rho) * error(r),
            error(r)
            - error(r + 1)
            + 2 * p.rho**2 * p.sigma2 / (N * p.batch)
            + 2 * (1 - p.rho) ** 2 * p.L**2 / (N * p.batch) * move(r),
        ),
        by=[cite(FEDERATED_STORM), SEQUENCES],
    ),
    summed("all rounds", "one round", over=r, start=0, last=R - 1),
    qed(by=["all rounds", SEQUENCES]),
    assuming=FEDERATED_NOISE,
)

h_m, m_x, m_y, o_x, o_y = vectors("h_m m_x m_y o_x o_y")
#: One client in the place of all: an estimate ``h_m`` of the mean map ``P`` at x, and the step of SARAH to y by samples
#: ``p`` of the client's map ``P_m``.
AT_CLIENT = Setting(
    depends={**dict.fromkeys(("h_m", "x", "y", "m_x", "m_y"), "past"), "e": "past sample xi"},
    each={"p": "sample xi"},
    within={"xi": "sample"},
    together={"sample": "batch"},
    sizes={"sample": p.batch},
    means={"noise": Mean("e", "sample")},
    functions={
        "p": {"x": (x, g, None), "y": (y, g + m_y - m_x + e, None)},
        "P_m": {"x": (x, m_x, None), "y": (y, m_y, None)},
        "P": {"x": (x, o_x, None), "y": (y, o_y, None)},
        "P_m - P": {"x": (x, m_x - o_x, None), "y": (y, m_y - o_y, None)},
    },
    words={
        **{"h_m": "the last estimate of P", "x": "the last point", "y": "the point at which P is estimated"},
        **{"p": "a sample of P_m", "e": "what a sample of P_m(y) - P_m(x) has beside its mean"},
    },
    metrics={
        p.before: norm2(h_m - o_x),
        p.moved: norm2(x - y),
        p.drifted: norm2(h_m + noise + m_y - m_x - o_y),
    },
    free=(p.t,),
)
#: Its points, for a lemma that is cited in the same setting.
SAME = {spot: spot for of in AT_CLIENT.functions for spot in (f"{of}.x", f"{of}.y")}
_ONE_CLIENT: dict[str, Assumption | sp.Rel] = {
    "a sample of the client's map is L-Lipschitz in mean square": Lipschitz("p", p.L, random="xi", given="past"),
    "the client's map less the mean map is tau-Lipschitz": Lipschitz("P_m - P", p.tau),
    "a sample has mean P_m given the past": Unbiased("e", "past sample"),
    "the samples of a batch are independent": Independent("e", over="sample"),
}
DRIFT = p.L**2 / p.batch + (1 + 1 / p.t) * p.tau**2
SARAH_DRIFT = _lemma(
    "sarah_drift",
    "Error of SARAH at one client, one step",
    "after Murata and Suzuki 2021, Bias-Variance Reduced Local SGD for Less Heterogeneous Federated Learning",
    "SARAH at one client, B samples a step: E||e_m^+||^2 <= (1 + t) E||e||^2 + (L^2/B + (1 + 1/t) tau^2) E||x^+ - "
    "x||^2",
    le(p.drifted, (1 + p.t) * p.before + DRIFT * p.moved),
    AT_CLIENT,
    have(
        "one sample",
        le(norm2(e), p.L**2 * p.moved),
        by=[lipschitz("p", "x", "y"), fresh("e")],
    ),
    have("a batch", le(norm2(noise), p.L**2 / p.batch * p.moved), by=[variance("noise"), "one sample"]),
    have("the client", le(norm2(m_y - o_y - m_x + o_x), p.tau**2 * p.moved), by=[lipschitz("P_m - P", "x", "y")]),
    qed(by=["a batch", "the client", fresh("noise")]),
    assuming=_ONE_CLIENT,
)

j, k = sp.Symbol("j", integer=True), sp.Symbol("k", integer=True, positive=True)
GROWTH = 1 + 1 / K


def over_steps(one: str, source: sp.Expr) -> tuple[Step, ...]:
    """What errors ``d(k + 1) <= (1 + 1/K) d(k) + source``, which the step ``one`` says, add up to over K steps.

    The weights are those with which all ``d(k)`` have the same factor, so that the last step adds up to the statement:
    ``(1/K) sum_{k=1}^K d(k) <= (e - 1) (d(1) + sum_{k=1}^K source)``.
    """
    weight, steps = K * (GROWTH ** (K - k) - 1), [ge(k, 1), le(k, K)]
    return (
        logarithm("growth of a step", GROWTH),
        have("growth of K steps, as a logarithm", le(K * sp.log(GROWTH), 1), by=["growth of a step"]),
        exponential("growth of K steps", "growth of K steps, as a logarithm"),
        induct("growth", ge(GROWTH**j, 1), over=j),
        special("growth of the first steps", "growth", {j: k}),
        special("growth of the other steps", "growth", {j: K - k}),
        have(
            "growth is at most e",
            le(GROWTH ** (K - k), sp.E),
            by=["growth of the first steps", "growth of K steps", "growth of the other steps"],
            when=steps,
        ),
        have("weights", ge(weight, 0), by=["growth of the other steps"], when=steps),
        have(
            "weighted sources",
            le(weight * source, K * (sp.E - 1) * source),
            by=["growth is at most e", SEQUENCES],
            when=steps,
        ),
        summed("weighted steps", one, over=k, start=1, last=K, weight=weight, by=["weights"]),
        summed("all sources", "weighted sources", over=k, start=1, last=K),
        qed(by=["weighted steps", "all sources", "growth of K steps", SEQUENCES]),
    )


_source = DRIFT.subs(p.t, 1 / K) * move(k)
SARAH_ROUND = _lemma(
    "sarah_round",
    "Error of SARAH at one client, K steps",
    "after Murata and Suzuki 2021, Bias-Variance Reduced Local SGD for Less Heterogeneous Federated Learning",
    "SARAH at one client, B samples a step: (1/K) sum_{k=1}^K E||e_k||^2 <= (e - 1) (E||e_1||^2 + (L^2/B + (K + 1) "
    "tau^2) sum_{k=1}^K E||x_{k+1} - x_k||^2)",
    le(p.mean_error, (sp.E - 1) * (p.first + DRIFT.subs(p.t, 1 / K) * p.moves)),
    replace(
        AT_CLIENT,
        metrics={
            error(k): AT_CLIENT.metrics[p.before],
            error(k + 1): AT_CLIENT.metrics[p.drifted],
            move(k): AT_CLIENT.metrics[p.moved],
            p.first: error(1),
            p.mean_error: sp.Sum(error(k), (k, 1, K)) / K,
            p.moves: sp.Sum(move(k), (k, 1, K)),
        },
        fixed=(p.first, p.L, p.tau, p.batch),
        free=(),
    ),
    have(
        "one step",
        le(error(k + 1), GROWTH * error(k) + _source),
        by=[cite(SARAH_DRIFT, at={p.t: 1 / K}, points=SAME, vectors={"h_m": h_m, "e": e})],
    ),
    *over_steps("one step", _source),
    assuming=_ONE_CLIENT,
)

#: A map and ``q``, what is taken for its value at ``z``.
zs, S_z, S_s, q = vectors("z* S_z S_s q")
ZERO = Setting(
    depends=dict.fromkeys(("z", "z*", "q"), ""),
    functions={"S": {"z": (z, S_z, None), "z*": (zs, S_s, None)}},
    words={"z": "where the step starts", "z*": "the zero of S", "q": "the direction that is taken"},
    metrics={
        p.at_zero: norm2(S_s),
        p.near: norm2(z - zs),
        p.pulled: dot(z - zs, S_z),
        p.missed: norm2(q - S_z),
        p.stepped: norm2(z - p.gamma * q - zs),
    },
    free=(p.t,),
)
ZERO_STEP = _lemma(
    "zero_step",
    "One step towards the zero of a map",
    "Facchinei and Pang 2003, proof of Theorem 12.1.2 (with an error)",
    "L-Lipschitz S with S(z*) = 0: for t > 0 ||z - gamma q - z*||^2 <= (1 + t) [(1 + L^2 gamma^2) ||z - z*||^2 "
    "- 2 gamma <z - z*, S(z)>] + (1 + 1/t) gamma^2 ||q - S(z)||^2",
    le(
        p.stepped,
        (1 + p.t) * ((1 + p.L**2 * p.gamma**2) * p.near - 2 * p.gamma * p.pulled)
        + (1 + 1 / p.t) * p.gamma**2 * p.missed,
    ),
    ZERO,
    have("the image", le(norm2(S_z), p.L**2 * p.near), by=[lipschitz("S", "z", "z*")]),
    qed(by=["the image"], multipliers=[(1 + p.t) * p.gamma**2]),
    assuming={"S(z*) = 0": eq(p.at_zero, 0), "S is L-Lipschitz": Lipschitz("S", p.L)},
)
TARGETS = Setting(
    depends=dict.fromkeys(("w", "x", "y"), ""),
    functions={"z*": {"x": (x, zs, None), "y": (y, z, None)}},
    words={"w": "any vector", "x": "any point", "y": "any other point"},
    metrics={
        p.target: norm2(w - zs),
        p.target_moved: norm2(w - z),
        p.target_turned: dot(w - zs, zs - z),
        p.apart: norm2(x - y),
    },
    free=(p.t,),
    fixed=(p.target, p.target_turned, p.apart, p.L_target),
)
_turned = p.L_target**2 * p.t * p.target + p.apart / p.t
TURNED = le(2 * p.target_turned, _turned)
MOVING_TARGET = _lemma(
    "moving_target",
    "Distance from a moving target",
    "Young 1912",
    "L-Lipschitz z*, t > 0: 2 <w - z*(x), z*(x) - z*(y)> <= L^2 t ||w - z*(x)||^2 + ||x - y||^2/t, and ||w - z*(y)||^2 "
    "<= (1 + L^2 t) ||w - z*(x)||^2 + (L^2 + 1/t) ||x - y||^2",
    every(TURNED, le(p.target_moved, p.target + _turned + p.L_target**2 * p.apart)),
    TARGETS,
    have("moved", le(norm2(z - zs), p.L_target**2 * p.apart), by=[lipschitz("z*", "x", "y")]),
    have("it moves", TURNED, by=["moved"], when=[gt(p.L_target, 0)]),
    have("it stands still", TURNED, by=["moved"], when=[le(p.L_target, 0)]),
    cases("Young", TURNED, on=gt(p.L_target, 0), yes="it moves", no="it stands still"),
    qed(by=["Young"]),
    qed(of=1, by=["Young", "moved"]),
    assuming={"z* is L-Lipschitz": Lipschitz("z*", p.L_target)},
)

PAPER = Paper("Lemmas that the papers share")
CLAIMS = (
    YOUNG,
    SPLIT,
    JENSEN,
    SPREAD,
    SAMPLING,
    MEAN_NOISE,
    INDEPENDENT,
    SGD_DESCENT,
    PROJECTION,
    PROXIMAL,
    GRADIENT_STEP,
    SARAH,
    STORM,
    FEDERATED_STORM,
    FEDERATED_STORM_ROUNDS,
    SARAH_DRIFT,
    SARAH_ROUND,
    ZERO_STEP,
    MOVING_TARGET,
)
