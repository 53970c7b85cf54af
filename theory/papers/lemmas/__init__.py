"""Lemmas that the papers share, each with a proof of its own: to be cited, ``cite("lemmas.descent", points=...)``.

``e`` is a noise, ``g`` a gradient, ``v`` what a client has, ``x`` and ``y`` points; ``||.||^2`` of what depends on a
client is the mean over the clients.
"""

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
    Mean,
    Proof,
    SampleMean,
    Setting,
    convex,
    fresh,
    have,
    lipschitz,
    mean,
    monotone,
    projection,
    qed,
    sampling,
    smooth,
    smooth_convex,
    variance,
    written_out,
)
from rateproof.theory.shorthand import eq, ge, le
from rateproof.theory.symbols import K, N, S


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
    "Bienayme 1853",
    "independent e_i of mean zero: N E||(1/N) sum_i e_i||^2 = (1/N) sum_i E||e_i||^2",
    eq(N * p.sq_mean, p.mean_sq),
    Setting(
        depends={"e": "client xi"},
        means={"noise": Mean("e", "client")},
        sizes={"client": N},
        within={"xi": "client"},
        together={"client": "all"},
        metrics={p.sq_mean: norm2(noise), p.mean_sq: norm2(e)},
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
    "SGD on an L-smooth f: E f(x+) <= E f(x) - gamma (1 - gamma L/2) E||grad f(x)||^2 + gamma^2 L sigma^2 / 2",
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
    "a projection on a closed convex set is nonexpansive: ||Px - Py||^2 <= ||x - y||^2",
    le(p.images_apart, p.apart),
    TWO,
    qed(by=[projection("X", "x", "y")]),
    assuming={"X is closed, convex and not empty": ClosedConvex("X")},
)
PROXIMAL = _lemma(
    "proximal",
    "Proximal maps are nonexpansive",
    "Bauschke and Combettes 2017, Proposition 12.28",
    "the proximal map p of a convex function is nonexpansive: ||p(x) - p(y)||^2 <= ||x - y||^2, "
    "as x - p(x) is a subgradient at p(x)",
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
    "Nguyen, Liu, Scheinberg and Takac 2017, SARAH, Lemma 2 (one step)",
    "error of the SARAH estimator: E||e+||^2 <= E||e||^2 + L^2 E||x+ - x||^2",
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
    "error of the STORM estimator: E||e+||^2 <= (1 - rho)^2 E||e||^2 + 2 rho^2 sigma^2 "
    "+ 2 (1 - rho)^2 L^2 E||x+ - x||^2",
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
)
