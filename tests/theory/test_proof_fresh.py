"""False claims that an author may try to have proved, each with an instance that violates it; true ones beside them."""

from functools import partial

import pytest
import sympy as sp
from test_proof_forged import DESCENT, ORTHOGONAL, is_proved, lemma, order, refusal, said

from rateproof.theory.assumptions import (
    Attained,
    BoundedBelow,
    ClosedConvex,
    Convex,
    Dissimilar,
    EveryPoint,
    EveryRound,
    Identical,
    Independent,
    IndependentOf,
    Lipschitz,
    Minimiser,
    Monotone,
    Quadratic,
    Sampled,
    Smooth,
    StronglyConvex,
    Unbiased,
)
from rateproof.theory.gram import Vector, dot, norm2, vectors
from rateproof.theory.proof import (
    SCHEDULE,
    Argmin,
    HalfSquare,
    Mean,
    NormalCone,
    SampleMean,
    Setting,
    affine,
    cases,
    cauchy_schwarz,
    cite,
    cocoercive,
    convex,
    dissimilar,
    everywhere,
    fresh,
    have,
    induct,
    infimum,
    lipschitz,
    logarithm,
    mean,
    monotone,
    optimal,
    projection,
    qed,
    sampling,
    smooth,
    special,
    split,
    summed,
    total,
    values,
    variance,
    written_out,
)
from rateproof.theory.proof import supposed as the_hypothesis
from rateproof.theory.shorthand import eq, ge, gt, le
from rateproof.theory.symbols import declare, eta

L, mu, c, s, acc, rho, q = sp.symbols("L mu c s acc rho q", positive=True)
m, b, f_x, f_y, f_z, f_s, F_x, F_s = sp.symbols("m b f_x f_y f_z f_s F_x F_s", real=True)
p = sp.Symbol("p", nonnegative=True)
norm = sp.Symbol("norm", nonnegative=True)
N, S, K, R, T, i = sp.symbols("N S K R T i", positive=True, integer=True)
k, none = sp.symbols("k none", nonnegative=True, integer=True)
a, seq = sp.Function("a", nonnegative=True), sp.Function("seq", real=True)
D = declare("D_def", "a defined number", paper="test", positive=True, defined=True)
x, y, z, g, h, u, v, w, n, r, avg, low, e1, e2, both = vectors("x y z g h u v w n r avg x* e1 e2 both")
s0, s1, s2, zero = vectors("s0 s1 s2 zero")
CLIENTS = {"client": N}
BATCHES = {"client": N, "batch": K}
OWN = {"xi": "client"}
ALL = {"client": "all"}
FIXED = {"x": "", "y": "", "w": ""}
AVERAGE = {"avg": Mean("v", "client")}
#: A product with a mean, which is one with each client's vector where the other factor is the same for all.
AT_ALL = {"depends": {"v": "client", "x": "", "y": ""}, "means": AVERAGE, "sizes": CLIENTS}
BETWEEN = {"f": {"x": (x, g, f_x), "y": (y, h, f_y)}}
MAP = {"F": {"x": (x, g, None), "y": (y, h, None)}}
MINIMUM = {"f": {"x": (x, g, f_x), "x*": (low, Vector(), f_s)}}

FALSE: dict[str, tuple] = {}
TRUE: dict[str, partial] = {}


def pair(name, instance, why, *parts, but=None, **setting):
    """A false claim, an instance that violates it, why it is refused; and one that is true.

    ``but``: what its setting has instead, its claim and steps instead, or both.
    """
    assert name not in FALSE
    FALSE[name] = instance, why, partial(said, *parts, **setting)
    instead, changed = but if isinstance(but, tuple) and but and isinstance(but[-1], dict) else (but, {})
    instead, changed = (parts, instead) if isinstance(instead, dict) else (instead, changed)
    TRUE[name] = partial(said, *instead, **{**setting, **changed})


def same(one, by):
    """``<avg, u> = <v, u>``, of clients' vectors and their mean."""
    return eq(dot(avg, one), dot(v, one)), qed(by=[by])


# --- dependence and randomness

for word, sizes in (("client", CLIENTS), ("xi", {})):
    pair(
        f"each: functions of each {word}, one minimum",
        "f_i = (x -+ 1)^2/2 are least at +-1; at x* = 0 and x_i = +-1/2: <g, x - x*> = -1/4",
        f"f has a minimum for each {word}, on which x* does not depend",
        ge(dot(g, x - low), 0),
        Convex("f"),
        Attained("f"),
        qed(by=[convex("f", "x", "x*")]),
        depends={"x": word, "x*": ""},
        each={"f": word},
        sizes=sizes,
        functions=MINIMUM,
        but={"each": {}},
    )
pair(
    "each: the minimisers of functions of clients",
    "X_i = {c_i}, v_i = c_i = +-1: <avg, p> = 0, <v, p> = 1",
    "it does not follow",
    *same(u, mean("avg")),
    each={"f": "client"},
    made={"X": Argmin("f")},
    functions={"f": {"x": (x, None, f_x)}, "X": {"x": (x, u)}},
    **AT_ALL,
    but={"each": {}},
)
pair(
    "each: the minimisers of functions with gradients of clients",
    "the same, where only the gradients are said to differ",
    "the gradient of X at x should depend on client, as X does",
    *same(u, mean("avg")),
    made={"X": Argmin("f")},
    functions={"f": {"x": (x, g, f_x)}, "X": {"x": (x, u)}},
    **{**AT_ALL, "depends": {**AT_ALL["depends"], "g": "client"}},
    but={"depends": AT_ALL["depends"]},
)
pair(
    "each: normal cones of sets of clients",
    "X_i = a half line to the left or right: u_i = +-x, v_i = +-1",
    "it does not follow",
    *same(u, mean("avg")),
    each={"X": "client"},
    made={"C": NormalCone("X")},
    functions={"C": {"x": (x, u)}},
    **AT_ALL,
    but={"each": {}},
)
pair(
    "each: a sum with a part of clients",
    "f_i = +-x, phi = 0, v_i = +-1: <avg, g> = 0, <v, g> = 1",
    "it does not follow",
    *same(g, mean("avg")),
    each={"f": "client"},
    made={"h": {"f": 1, "phi": 1}},
    functions={"h": {"x": (x, g, f_x)}},
    **AT_ALL,
    but={"each": {}},
)
pair(
    "each: a mean over a source of functions of clients",
    "f_i = +-x + xi_i x: F_i = +-x, v_i = +-1",
    "it does not follow",
    *same(g, mean("avg")),
    each={"f": "client xi"},
    made={"F": Mean("f", "xi")},
    functions={"F": {"x": (x, g, F_x)}},
    **AT_ALL,
    but={"each": {"f": "xi"}},
)
pair(
    "each: a gradient that is said to be the same for all clients",
    "f_i = +-x, v_i = +-1",
    "the gradient of f at x should depend on client, as f does",
    *same(g, mean("avg")),
    each={"f": "client"},
    functions={"f": {"x": (x, g, f_x)}},
    **{**AT_ALL, "depends": {**AT_ALL["depends"], "g": ""}},
    but={"each": {}},
)
pair(
    "each: a gradient elsewhere of functions that differ",
    "f_i = +-x, v_i = +-1, h = f_i' at y",
    "the gradient of f at y should depend on client, as f does",
    *same(h, mean("avg")),
    functions=BETWEEN,
    **{**AT_ALL, "depends": {**AT_ALL["depends"], "g": "client"}},
    but={"depends": AT_ALL["depends"]},
)
pair(
    "each: the centre of half a square of clients",
    "w_i = v_i = +-1, h_i = y - w_i",
    "the gradient of f at y should depend on client, as f does",
    *same(h, mean("avg")),
    made={"f": HalfSquare()},
    functions={"f": {"x": (x, x - w, f_x), "y": (y, h, f_y)}},
    **{**AT_ALL, "depends": {**AT_ALL["depends"], "w": "client"}},
    but={
        "depends": {**AT_ALL["depends"], "w": ""},
        "functions": {"f": {"x": (x, x - w, f_x)}, "phi": {"y": (y, h, f_y)}},
    },
)
pair(
    "each: a fixed norm of a sum with a part of clients",
    "f_i = x (1 +- 1), phi = 0: E||u||^2 = 2, (E||u||)^2 = 1",
    "norm has two forms",
    le(norm2(u), norm**2),
    qed(by=[cauchy_schwarz(norm, norm)]),
    depends={"x": ""},
    each={"f": "client"},
    made={"h": {"f": 1, "phi": 1}},
    sizes=CLIENTS,
    functions={"h": {"x": (x, u, f_x)}},
    bounds={norm: u},
    lengths={norm: u},
    but={"each": {}},
)
pair(
    "image: what a noise leaves of a gradient",
    "f = 0, x = 0, n = +-1, g = -n: <n, g> = -1",
    "it does not follow",
    eq(dot(n, g), 0),
    Unbiased("n", "past"),
    qed(by=[fresh("n")]),
    depends={"x": "past", "n": "past xi"},
    functions={"f": {"x": (x, g + n, f_x)}},
    but={"functions": {"f": {"x": (x, g, f_x)}}},
)
pair(
    "image: what a client's vector leaves of a gradient",
    "f = 0, g_i = -v_i = +-1",
    "it does not follow",
    *same(g, mean("avg")),
    functions={"f": {"x": (x, g + v, f_x)}},
    **AT_ALL,
    but={"functions": {"f": {"x": (x, g, f_x)}}},
)
pair(
    "image: what a client's gradient leaves of another one",
    "f = 0, phi_i = +-x: h_i = +-1, g_i = -h_i, v_i = h_i",
    "it does not follow",
    *same(g, mean("avg")),
    each={"phi": "client"},
    functions={"phi": {"x": (x, h, f_y)}, "f": {"x": (x, g + h, f_x)}},
    **AT_ALL,
    but={"each": {}},
)
pair(
    "image: two parts of which nothing is said",
    "f = 0, g_i = -h_i = v_i = +-1",
    "say in depends on what g and h depend",
    *same(g, mean("avg")),
    functions={"f": {"x": (x, g + h, f_x)}},
    **AT_ALL,
    but={"blocks": {"g": "x", "h": "y"}},
)
pair(
    "mean over a source: at a point that knows it",
    "f_i(x; xi_i) = xi_i x, x the mean of xi_i = +-1: F = 0, E<g, x> = 1/N",
    "F is a mean: its point x should not depend on xi",
    eq(dot(r, x), dot(g, x)),
    qed(by=[mean("r")]),
    depends={"n": "client xi"},
    within=OWN,
    together=ALL,
    sizes=CLIENTS,
    each={"f": "client xi"},
    means={"x": Mean("n", "client"), "r": Mean("g", "xi")},
    made={"F": Mean("f", "xi")},
    functions={"f": {"x": (x, g, f_x)}, "F": {"x": (x, r, f_x)}},
    but={"depends": {"x": "past"}, "means": {"r": Mean("g", "xi")}},
)
pair(
    "together: a word for what is given",
    "n_i = xi_i = +-1, f = x^2/2 at the mean of all: <n, y> = 1/N",
    "it does not follow",
    eq(dot(n, y), 0),
    Unbiased("n", "client past"),
    qed(by=[fresh("n")]),
    depends={"n": "client xi", "w": "past"},
    within=OWN,
    together={"client": "past"},
    sizes=CLIENTS,
    means={"avg": Mean("n", "client")},
    functions={"f": {"a": (avg, y, f_x)}},
    but={"together": ALL, "functions": {"f": {"a": (w, y, f_x)}}},
)
pair(
    "together: a word that is independent of what it is made of",
    "n_i = xi_i = +-1, f = x^2/2: <n, y> = 1/N",
    "it does not follow",
    eq(dot(n, y), 0),
    Unbiased("n", "client"),
    IndependentOf("n", "all"),
    qed(by=[fresh("n")]),
    depends={"n": "client xi", "w": ""},
    within=OWN,
    together=ALL,
    sizes=CLIENTS,
    means={"avg": Mean("n", "client")},
    functions={"f": {"a": (avg, y, f_x)}},
    but={"functions": {"f": {"a": (w, y, f_x)}}},
)
pair(
    "together: a word that is another index",
    "n_i = xi_i = +-1, avg their mean, u that of avg, y = u: <n, y> = 1/N",
    "step is an index, and no word for all that belongs to another one",
    eq(dot(n, y), 0),
    Unbiased("n", "client"),
    qed(by=[fresh("n")]),
    depends={"n": "client xi", "w": "client"},
    within=OWN,
    together={"client": "step"},
    sizes={"client": N, "step": K},
    means={"avg": Mean("n", "client"), "u": Mean("avg", "step")},
    functions={"f": {"a": (u, y, f_x)}},
    but={"together": ALL, "functions": {"f": {"a": (w, y, f_x)}}},
)
IN_MEAN_SQUARE = (
    le(norm2(g - h), L**2 * norm2(x - y)),
    Lipschitz("F", L, "xi", "rounds past"),
    qed(by=[lipschitz("F", "x", "y")]),
)
pair(
    "together: a word whose mean has no name",
    "F(x; xi) = 2 L [x = xi] in steps of one, x knows xi, y = x - 1",
    "F is random by xi, on which a point depends",
    *IN_MEAN_SQUARE,
    depends={"x": "rounds", "y": "past"},
    each={"F": "xi"},
    within=OWN,
    together={"client": "rounds"},
    sizes=CLIENTS,
    functions=MAP,
    but={"together": {}},
)
for ordered in (1, -1):
    pair(
        f"together: a mean of means, named {'last' if ordered > 0 else 'first'}",
        "the same, with x the mean over rounds of what the clients know",
        "F is random by xi, on which a point depends",
        *IN_MEAN_SQUARE,
        depends={"n": "client xi round", "y": "past"},
        each={"F": "client xi"},
        within={"xi": "client", "all": "round"},
        together={"client": "all", "round": "rounds"},
        sizes={"client": N, "round": R},
        means=dict((("z", Mean("n", "client")), ("x", Mean("z", "round")))[::ordered]),
        functions=MAP,
        but={"depends": {"x": "past", "y": "past"}, "means": {}},
    )
pair(
    "together: a mean over one index, for another",
    "n = +-1 for each client and step: E||avg||^2 = 1/N, E<avg, w> = 1/(N K), E<n, w> = 1/K",
    "it does not follow",
    eq(dot(avg, w), dot(n, w)),
    qed(by=[mean("avg")]),
    depends={"n": "client step xi"},
    within=OWN,
    together=ALL,
    sizes={"client": N, "step": K},
    means={"avg": Mean("n", "client"), "w": Mean("n", "step")},
    but={"depends": {"n": "client step xi", "w": "step"}, "means": {"avg": Mean("n", "client")}},
)
LIPSCHITZ = (le(norm2(g - h), L**2 * norm2(x - y)), Lipschitz("F", L), qed(by=[lipschitz("F", "x", "y")]))
pair(
    "a map that is random by its sample",
    "F(x; xi) = xi x with xi = 0 or 2: in the mean L = sqrt(2), not for each xi",
    "F is random by xi",
    *LIPSCHITZ,
    depends=FIXED,
    each={"F": "xi"},
    functions=MAP,
    but={"each": {}},
)
pair(
    "a map at a point that knows an image",
    "F(.; xi) = xi, x = w - F(w; xi)",
    "F is random by xi, on which a point depends",
    le(norm2(g - h), L**2 * norm2(x - y)),
    Lipschitz("F", L, "xi", "past"),
    qed(by=[lipschitz("F", "x", "y")]),
    depends={"w": "past", "y": "past"},
    each={"F": "xi"},
    sums={"x": w - u},
    functions={"F": {"w": (w, u, None), **MAP["F"]}},
    but={"sums": {"x": w - 2 * y}},
)
TWO_SAMPLES = {"depends": {"x": "", "y": "", "g": "xi", "h": "zeta"}}
ONE_SAMPLE = {"depends": {"x": "", "y": "", "g": "xi", "h": "xi"}}
for said_of, (violated, typed, bound, by) in {
    "Lipschitz": (
        "gradients xi and zeta, +-1 each, x = y: 2 against 0",
        Lipschitz("f", L, "xi zeta"),
        le(norm2(g - h), L**2 * norm2(x - y)),
        lipschitz,
    ),
    "smooth": (
        "f(x; xi) = xi x, x = y: 2 against 0",
        Smooth("f", L),
        le(norm2(g - h), L**2 * norm2(x - y)),
        lipschitz,
    ),
    "monotone": (
        "mu x + xi with xi = 1, zeta = -1, x - y = -1: mu - 2 against mu",
        Monotone("f", mu),
        ge(dot(g - h, x - y), mu * norm2(x - y)),
        monotone,
    ),
    "convex": (
        "f(x; xi) = xi x with xi = 1, zeta = -1, x = -1, y = 0: -1 against 1",
        Convex("f"),
        ge(f_x, f_y + dot(h, x - y)),
        convex,
    ),
}.items():
    pair(
        f"two samples of one function: {said_of}",
        violated,
        "f depends on zeta at one point, and not at x",
        bound,
        typed,
        qed(by=[by("f", "x", "y")]),
        functions=BETWEEN if said_of in ("smooth", "convex") else {"f": MAP["F"]},
        **TWO_SAMPLES,
        but=ONE_SAMPLE,
    )
for point, knows, bound in (("past", "client", le(f_y, c)), ("past", "xi", le(f_y, c))):
    pair(
        f"every point: of a function of each {knows}, at a point of its own",
        f"f = [x = {knows}]/2, c the mean of it at a fixed x, y = {knows}",
        f"points that do not depend on {knows}, as y does",
        bound,
        EveryPoint("f", "x", le(f_x, c)),
        qed(by=[everywhere("f", "y")]),
        depends={"x": point, "y": knows},
        each={"f": knows},
        sizes=CLIENTS,
        functions={"f": {"x": (x, None, f_x), "y": (y, None, f_y)}},
        but={"each": {}} if knows == "client" else {"depends": {"x": point, "y": point}},
    )

# --- means, weights and sampling

DRAWN = {"s1": SampleMean("v", "batch", "d"), "w": Mean("s1", "client")}
OF_BATCHES = {"within": {"d": "client"}, "together": ALL, "sizes": BATCHES}
pair(
    "a sample mean along the mean of sample means",
    "v = +-1 in batches of K = 2, S = 1: E<v, w> = 0, E<s1, w> = 1/N",
    "it does not follow",
    eq(dot(s1, w), dot(v, w)),
    Sampled("d", S, K),
    qed(by=[mean("s1")]),
    depends={"v": "client batch"},
    means=DRAWN,
    **OF_BATCHES,
    but={"depends": {"v": "client batch", "w": "past"}, "means": {"s1": DRAWN["s1"]}},
)
REUSED = {
    "depends": {"u": "client batch"},
    "each": {"f": "client batch"},
    "functions": {"f": {"x": (x, v, f_x)}},
    **OF_BATCHES,
}
TWICE = {"s0": SampleMean("u", "batch", "d"), "x": Mean("s0", "client"), "s2": SampleMean("v", "batch", "d")}
AGAIN = {
    "depends": {"u": "client batch", "x": "past"},
    "means": {"s2": TWICE["s2"], "avg": Mean("v", "batch")},
}
pair(
    "one draw for a step and for the gradient after it",
    "f_j = u_j x, u = +-1, N = 1, K = 2, S = 1: x = s2 = u_d, E<s2, x> = 1, E<v, x> = 0",
    "s2 should depend on the draw d, and v should not",
    eq(dot(s2, x), dot(v, x)),
    Sampled("d", S, K),
    qed(by=[mean("s2")]),
    means=TWICE,
    **REUSED,
    but=AGAIN,
)
pair(
    "one draw for a step and for the variance after it",
    "f_j = u_j x^2/2 at x = u_d: s2 = u_d^2, above what a fresh draw has",
    "s2 should depend on the draw d, and v should not",
    le(S * norm2(s2 - avg), norm2(v - avg)),
    Sampled("d", S, K),
    qed(by=[sampling("s2")]),
    means={**TWICE, "avg": Mean("v", "batch")},
    **REUSED,
    but=AGAIN,
)
pair(
    "a sample of none",
    "none = 0, v = +-1",
    "none counts something and is not known to be positive",
    le(norm2(v - avg), 0),
    Sampled("d", none, N),
    le(none, 0),
    ge(N, 2),
    qed(by=[sampling("s1")]),
    depends={"v": "client"},
    sizes=CLIENTS,
    means={"s1": SampleMean("v", "client", "d"), **AVERAGE},
    but=(le(norm2(s1 - avg), norm2(v - avg)), Sampled("d", S, N), qed(by=[sampling("s1")])),
)
pair(
    "the mean of no noises",
    "none = 0, n = +-1",
    "none counts something and is not known to be positive",
    le(norm2(n), 0),
    Unbiased("n", "client"),
    Independent("n", "client"),
    le(none, 0),
    qed(by=[variance("avg")]),
    depends={"n": "client xi"},
    within=OWN,
    together=ALL,
    sizes={"client": none},
    means={"avg": Mean("n", "client")},
    but=(
        (
            eq(N * norm2(avg), norm2(n)),
            Unbiased("n", "client"),
            Independent("n", "client"),
            qed(by=[variance("avg")]),
        ),
        {"sizes": CLIENTS},
    ),
)
pair(
    "a sum of noises, one of which has a mean",
    "e1 = +-1, e2 = w = 1",
    "both is not known to have mean zero",
    eq(dot(both, w), 0),
    Unbiased("e1", "past"),
    qed(by=[fresh("both")]),
    depends={"e1": "past xi", "e2": "past zeta", "w": "past"},
    sums={"both": e1 + e2},
    but=(eq(dot(both, w), 0), Unbiased("e1", "past"), Unbiased("e2", "past"), qed(by=[fresh("both")])),
)
pair(
    "another draw than the one that is supposed",
    "d2 always takes the first client, v = +-1, x = 1",
    "the claim does not assume Sampled of d2",
    eq(dot(s2, x), dot(v, x)),
    Sampled("d", S, N),
    qed(by=[mean("s2")]),
    depends={"v": "client", "u": "client"},
    means={"x": SampleMean("u", "client", "d"), "s2": SampleMean("v", "client", "d2")},
    sizes=CLIENTS,
    but=(eq(dot(s2, x), dot(v, x)), Sampled("d", S, N), Sampled("d2", S, N), qed(by=[mean("s2")])),
)
pair(
    "a quadratic function with a sample of each client",
    "f(x; xi) = xi x^2/2 at v_i: avg = mean xi_i v_i, g = xi x for one xi",
    "f depends on xi, and is not the same for all values of client",
    eq(dot(g, w), dot(avg, w)),
    Quadratic("f"),
    Identical("f", "client"),
    qed(by=[affine("f", "x", "v")]),
    depends={"v": "client", "w": ""},
    within=OWN,
    together=ALL,
    sizes=CLIENTS,
    each={"f": "xi"},
    means={"x": Mean("v", "client"), "avg": Mean("h", "client")},
    functions={"f": {"x": (x, g, f_x), "v": (v, h, f_y)}},
    but={"each": {"f": "zeta"}},
)
SPREAD = {
    "within": OWN,
    "sizes": CLIENTS,
    "means": {"avg": Mean("g", "client")},
    "made": {"F": Mean("f", "client")},
    "functions": {"f": {"x": (x, g, f_x)}, "F": {"x": (x, avg, f_x)}},
}
pair(
    "dissimilar gradients at a point that knows the samples",
    "f_i' = [x = xi_i]: at a fixed x it is mostly 0, at x = xi_1 one of them is 1",
    "avg should depend on what g has of all client, by a word of its own",
    le(norm2(g - avg), c),
    Dissimilar("f", "client", "", c),
    qed(by=[dissimilar("f", "x")]),
    depends={"x": "all"},
    together=ALL,
    each={"f": "client xi"},
    **SPREAD,
    but={"each": {}},
)

# --- functions, values, infima and minimisers

CONVEX = (Convex("f"), qed(by=[convex("f", "x", "y")]))
pair(
    "one value at two points",
    "f(x) = x at x = 0 and y = 1: <g, y - x> = 1",
    "f_x is the value of f at x and at y",
    le(dot(g, y - x), 0),
    *CONVEX,
    depends=FIXED,
    functions={"f": {"x": (x, g, f_x), "y": (y, h, f_x)}},
    but=((le(dot(g, y - x), f_y - f_x), *CONVEX), {"functions": BETWEEN}),
)
pair(
    "a value that is less than another",
    "f = 0: 1 + <g, y - x> = 1",
    "the value of f at y should be a symbol, not f_x - 1",
    le(1 + dot(g, y - x), 0),
    *CONVEX,
    depends=FIXED,
    functions={"f": {"x": (x, g, f_x), "y": (y, h, f_x - 1)}},
    but=((le(1 + dot(g, y - x), 0), le(f_y, f_x - 1), *CONVEX), {"functions": BETWEEN}),
)
pair(
    "a value that is zero",
    "f = -1: f_x = -1, <h, x - y> = 0",
    "the value of f at y should be a symbol, not 0",
    ge(f_x, dot(h, x - y)),
    *CONVEX,
    depends=FIXED,
    functions={"f": {"x": (x, g, f_x), "y": (y, h, sp.S.Zero)}},
    but=((ge(f_x, dot(h, x - y)), ge(f_y, 0), *CONVEX), {"functions": BETWEEN}),
)
BOTH = (Convex("f"), Smooth("phi", L), qed(by=[convex("f", "x", "y"), smooth("phi", "x", "y")]))
pair(
    "values of two functions that meet at two points",
    "f(x) = 10 x, phi = 0, L = 1, y = 0, x = 1",
    "which have other gradients",
    le(dot(h - u, x - y), L / 2 * norm2(x - y)),
    *BOTH,
    depends=FIXED,
    functions={"f": {"x": (x, None, f_x), "y": (y, h, f_y)}, "phi": {"x": (x, None, f_x), "y": (y, u, f_y)}},
    but=(
        (le(f_z, F_s + dot(u, x - y) + L / 2 * norm2(x - y)), *BOTH),
        {"functions": {**BETWEEN, "phi": {"x": (x, None, f_z), "y": (y, u, F_s)}}},
    ),
)
for factor in (1, 2):
    pair(
        f"{factor} times one gradient of two functions",
        "f = 0, phi = 1, at any x and y = x",
        "is the gradient or image of phi at x and of f at x",
        le(f_z, f_y + L / 2 * norm2(x - y)),
        *BOTH,
        depends=FIXED,
        functions={
            "f": {"x": (x, factor * g, f_x), "y": (y, h, f_y)},
            "phi": {"x": (x, factor * g, f_x), "y": (y, u, f_z)},
        },
        but=(
            (le(dot(h - g, x - y), L * norm2(x - y)), Smooth("f", L), qed(by=[smooth("f", "x", "y")])),
            {"functions": BETWEEN},
        ),
    )
STATIONARY = (Convex("f"), Smooth("f", L), qed(by=[cocoercive("f", "x", "x*")]))
pair(
    "a gradient that vanishes where no value is named",
    "f(x) = x has no minimum: g = 1, x = x*",
    "the claim does not assume that f attains its minimum",
    ge(L * dot(g, x - low), norm2(g)),
    *STATIONARY,
    depends={"x": "", "x*": ""},
    functions={"f": {"x": (x, g, f_x), "x*": (low, Vector(), None)}},
    but=(ge(L * dot(g, x - low), norm2(g)), Attained("f"), *STATIONARY),
)
for named, grounds, made in (
    ("sum", [written_out("zero")], {"sums": {"zero": Vector()}}),
    ("mean", [mean("zero"), written_out("u")], {"sums": {"u": Vector()}, "means": {"zero": Mean("u", "client")}}),
):
    at_zero = qed(by=[convex("f", "x", "x*"), *grounds])
    pair(
        f"a gradient that vanishes by the name of a {named}",
        "f(x) = x, which has no minimum, at x = 0 below x* = 1",
        "the claim does not assume that f attains its minimum",
        ge(f_x, f_s),
        Convex("f"),
        at_zero,
        depends={"x": "", "x*": ""},
        sizes=CLIENTS,
        functions={"f": {"x": (x, g, f_x), "x*": (low, zero, f_s)}},
        **made,
        but=(ge(f_x, f_s), Convex("f"), Attained("f"), at_zero),
    )
pair(
    "half a square with the value zero elsewhere",
    "y = 1, w = 0",
    "the value of f at y is half a squared distance, and not known to be 0",
    le(norm2(y - w), 0),
    qed(by=[convex("f", "x", "y")]),
    depends=FIXED,
    made={"f": HalfSquare()},
    functions={"f": {"x": (x, x - w, norm2(x - w) / 2), "y": (y, None, sp.S.Zero)}},
    but=(
        (le(norm2(y - w) / 2, f_y), qed(by=[convex("f", "x", "y")])),
        {"functions": {"f": {"x": (x, x - w, norm2(x - w) / 2), "y": (y, None, f_y)}}},
    ),
)
pair(
    "a function that is less a convex one",
    "f1 = 0, f2 = x^2",
    "the claim does not assume Convex of h",
    ge(f_y, f_x + dot(g, y - x)),
    Convex("f1"),
    Convex("f2"),
    qed(by=[convex("h", "x", "y")]),
    depends=FIXED,
    made={"h": {"f1": 1, "f2": -1}},
    functions={"h": BETWEEN["f"]},
    but={"made": {"h": {"f1": 1, "f2": 1}}},
)
SUM = {"depends": FIXED, "made": {"h": {"f1": 1, "f2": 1}}, "functions": {"h": BETWEEN["f"]}}
CURVED = (StronglyConvex("f1", mu), Convex("f2"), qed(by=[convex("h", "x", "y")]))
pair(
    "a sum with twice the curvature",
    "f1 = mu x^2/2, f2 = 0",
    "it does not follow",
    ge(f_y, f_x + dot(g, y - x) + mu * norm2(x - y)),
    *CURVED,
    **SUM,
    but=(ge(f_y, f_x + dot(g, y - x) + mu / 2 * norm2(x - y)), *CURVED),
)
pair(
    "a sum of which one part is smooth",
    "f1 = 0, f2 = L x^2",
    "the claim does not assume Lipschitz of h",
    *(bound := (le(norm2(g - h), L**2 * norm2(x - y)), Smooth("f1", L))),
    qed(by=[lipschitz("h", "x", "y")]),
    **SUM,
    but=((*bound, qed(by=[lipschitz("h", "x", "y")])), {"made": {"h": {"f1": 1}}}),
)
pair(
    "the value of a sum, at two points",
    "f1 = f2 = x at x = 0, y = 1",
    "x is another vector for a part of h",
    eq(f_z, f_x + f_y),
    qed(by=[values("h", "x")]),
    depends=FIXED,
    made={"h": {"f1": 1, "f2": 1}},
    functions={"f1": {"x": (x, None, f_x)}, "f2": {"x": (y, None, f_y)}, "h": {"x": (x, None, f_z)}},
    but={"functions": {"f1": {"x": (x, None, f_x)}, "f2": {"x": (x, None, f_y)}, "h": {"x": (x, None, f_z)}}},
)
pair(
    "the infimum of a mean is at most the mean of the infima",
    "f_i = (x -+ 1)^2/2: 1/2 against 0",
    "it does not follow",
    le(F_s, f_s),
    Attained("f"),
    Attained("F"),
    qed(by=[infimum("F")]),
    infima={"f": f_s, "F": F_s},
    made={"F": Mean("f", "client")},
    sizes=CLIENTS,
    but=(ge(F_s, f_s), Attained("f"), qed(by=[infimum("F")])),
)
LEAST_OF_ALL = {"depends": {"x": ""}, "infima": {"f": f_s, "F": F_s}, "made": {"F": Mean("f", "client")}}
pair(
    "a point where all clients have their least value",
    "f_i = (x -+ 1)^2/2: F_s = 1/2, f_s = 0",
    "f_s is the infimum of f, and the value of F at x",
    le(F_s, f_s),
    Attained("f"),
    Attained("F"),
    qed(by=[infimum("F", "x")]),
    sizes=CLIENTS,
    functions={"f": {"x": (x, None, f_s)}, "F": {"x": (x, None, f_s)}},
    **LEAST_OF_ALL,
    but=(
        (le(F_s, f_x), Attained("F"), qed(by=[infimum("F", "x")])),
        {"functions": {"f": {"x": (x, None, f_x)}, "F": {"x": (x, None, f_x)}}},
    ),
)

# --- maps and sets

pair(
    "a monotone map that is strongly so",
    "F = 0",
    "it does not follow",
    ge(dot(g - h, x - y), mu * norm2(x - y)),
    Monotone("F", sp.S.Zero),
    qed(by=[monotone("F", "x", "y")]),
    depends=FIXED,
    functions=MAP,
    but=(ge(dot(g - h, x - y), 0), Monotone("F", sp.S.Zero), qed(by=[monotone("F", "x", "y")])),
)
pair(
    "projections on two sets",
    "X = {0}, Y = {1}, x = y",
    "it does not follow",
    le(norm2(u - v), norm2(x - y)),
    ClosedConvex("X"),
    ClosedConvex("Y"),
    qed(by=[projection("X", "x"), projection("Y", "y")]),
    depends=FIXED,
    functions={"X": {"x": (x, u)}, "Y": {"y": (y, v)}},
    but=(
        (le(norm2(u - v), norm2(x - y)), ClosedConvex("X"), qed(by=[projection("X", "x", "y")])),
        {"functions": {"X": {"x": (x, u), "y": (y, v)}}},
    ),
)
pair(
    "a set of each client, with a point of one of them",
    "X_1 = {0}, X_2 = {1}, x = -1, v = 0: of client 2 the product is -2 -1 < 0, of X_1 = {-2} it is 2",
    "the gradient of X at v should depend on client, as X does",
    le(dot(x - u, v - u), 0),
    ClosedConvex("X"),
    qed(by=[projection("X", "x", "v")]),
    depends={"x": "", "v": ""},
    each={"X": "client"},
    sizes=CLIENTS,
    functions={"X": {"x": (x, u), "v": (v, v)}},
    but={"depends": {"x": "", "v": "client"}},
)

# --- citations and replay

BELOW = lemma(
    ge(dot(g, x - low), 0),
    Convex("f"),
    Attained("f"),
    setting=Setting(depends={"x": "", "x*": ""}, functions=MINIMUM),
    proof=[qed(by=[convex("f", "x", "x*")])],
)
pair(
    "cite: one minimum of functions of clients",
    "f_i = (x -+ 1)^2/2, x* = 0 = x + 1/2: no f_i is least there",
    "f has a minimum for each client, on which x* does not depend",
    ge(dot(g, x - low), 0),
    Convex("f"),
    Attained("f"),
    qed(by=[cite(BELOW, points={"f.x": "f.x", "f.x*": "f.x*"})]),
    depends={"x": "", "x*": ""},
    each={"f": "client"},
    sizes=CLIENTS,
    functions=MINIMUM,
    but={"depends": {"x": "", "x*": "client"}},
)
LEAST = {"f": {"x*": (low, h, f_s)}, "Y": {"p": (u, u)}}
ON_A_SET = lemma(
    ge(dot(h, u - low), 0),
    *(of_set := (Smooth("f", L), Minimiser("f", "x*", "Y"), ClosedConvex("Y"))),
    setting=Setting(depends={"x*": "", "u": ""}, functions=LEAST),
    proof=[qed(by=[optimal("f")])],
)
pair(
    "cite: one minimiser over a set, of functions of clients",
    "f_i = (x -+ 1)^2/2 on [-1, 1]: x* = 0 minimises the mean alone",
    "f has a minimum for each client, on which x* does not depend",
    ge(dot(h, u - low), 0),
    *of_set,
    qed(by=[cite(ON_A_SET, points={"f.x*": "f.x*", "Y.p": "Y.p"})]),
    depends={"x*": "", "u": ""},
    each={"f": "client"},
    sizes=CLIENTS,
    functions=LEAST,
    but={"each": {}},
)
ALONE = Setting(depends={"x": "client", "x*": ""}, sizes=CLIENTS, functions=MINIMUM, metrics={m: dot(g, x - low)})
OF_METRIC = lemma(ge(m, 0), Convex("f"), Attained("f"), setting=ALONE, proof=[qed(by=[convex("f", "x", "x*")])])
pair(
    "cite: of one function, where each client has its own",
    "f_i = (x -+ 1)^2/2, x* = 0, x_i = +-1/2: m = -1/4",
    "is stated in another setting",
    ge(m, 0),
    Convex("f"),
    Attained("f"),
    qed(by=[cite(OF_METRIC)]),
    setting=ALONE,
    each={"f": "client"},
    but={"each": {}},
)
pair(
    "another setting: of one function, where each client has its own",
    "f_i = (x -+ 1)^2/2, x* = 0, x_i = +-1/2: m = -1/4",
    "f depends on client in one of two settings only",
    ge(m, 0),
    Convex("f"),
    Attained("f"),
    qed(by=[cite(OF_METRIC)]),
    depends={"x": "client", "x*": ""},
    each={"f": "client"},
    sizes=CLIENTS,
    functions={"f": {"x": (x, g, f_x)}},
    metrics={m: dot(g, x - low)},
    others=(ALONE,),
    but={"each": {}},
)
OF_CLIENTS = Setting(depends={"g": "client"}, means={"avg": Mean("g", "client")}, sizes=CLIENTS)
NEARER = lemma(le(norm2(g - avg), norm2(g)), setting=OF_CLIENTS, proof=[qed(by=[mean("avg")])])
pair(
    "cite: another vector for a mean",
    "s1 = 0, w = 1",
    "it does not follow",
    le(norm2(s1 - w), norm2(s1)),
    qed(by=[cite(NEARER, vectors={"g": s1})]),
    depends={"s1": "client", "w": ""},
    means={"avg": Mean("s1", "client")},
    sizes=CLIENTS,
    but=(le(norm2(s1 - avg), norm2(s1)), qed(by=[cite(NEARER, vectors={"g": s1})])),
)
STEP = (Smooth("f", L), le(s * L, 1), qed(by=[cite(DESCENT, points={"f.x": "f.x", "f.y": "f.y"})]))
pair(
    "cite: twice the step",
    "f = x^2/2, L = s = 1: f(-x) = f(x)",
    "stops at step: it does not follow",
    *(decrease := (le(f_y, f_x - s / 2 * norm2(g)), *STEP)),
    depends={"x": "past"},
    sums={"y": x - 2 * s * g},
    functions=BETWEEN,
    but={"sums": {"y": x - s * g}},
)
pair(
    "cite: twice the decrease",
    "f = x^2/2, L = s = 1: f falls by half of g^2",
    "it does not follow",
    le(f_y, f_x - s * norm2(g)),
    *STEP,
    depends={"x": "past"},
    sums={"y": x - s * g},
    functions=BETWEEN,
    but=decrease,
)
ALONG = (eq(dot(n, g), 0), Unbiased("n", "past"), qed(by=[cite(ORTHOGONAL, vectors={"n": n, "w": g})]))
pair(
    "cite: a noise along a gradient that has its sample",
    "f(x; xi) = xi x, n = xi = +-1",
    "stops at the statement: it does not follow",
    *ALONG,
    depends={"n": "past xi", "x": "past"},
    each={"f": "xi"},
    functions={"f": {"x": (x, g, f_x)}},
    but={"each": {}},
)
GIVEN = lemma(
    eq(dot(n, w), 0),
    Unbiased("n", "client past"),
    setting=Setting(depends={"n": "client xi", "w": "past"}, sizes=CLIENTS, within=OWN),
    proof=[qed(by=[fresh("n")])],
)
pair(
    "cite: a noise along what knows all clients by a word that is given",
    "n_i = xi_i = +-1, f = x^2/2 at the mean of all",
    "it does not follow",
    eq(dot(n, y), 0),
    Unbiased("n", "client past"),
    qed(by=[fresh("n"), cite(GIVEN, vectors={"n": n, "w": w})]),
    depends={"n": "client xi", "w": "past"},
    within=OWN,
    together={"client": "past"},
    sizes=CLIENTS,
    means={"avg": Mean("n", "client")},
    functions={"f": {"a": (avg, y, f_x)}},
    but={"together": ALL, "functions": {"f": {"a": (w, y, f_x)}}},
)
LOWEST = lemma(
    ge(f_x, f_s),
    BoundedBelow("f"),
    setting=Setting(depends={"x": ""}, infima={"f": f_s}, functions={"f": {"x": (x, None, f_x)}}),
    proof=[qed(by=[infimum("f", "x")])],
)
pair(
    "cite: the infimum of the mean for those of the clients",
    "f_i = (x -+ 1)^2/2 at x_i = +-1: f_x = 0, F_s = 1/2",
    "it does not follow",
    ge(f_x, F_s),
    *(from_below := (BoundedBelow("f"), qed(by=[cite(LOWEST, points={"f.x": "f.x"})]))),
    depends={"x": "client"},
    sizes=CLIENTS,
    made={"F": Mean("f", "client")},
    infima={"f": f_s, "F": F_s},
    functions={"f": {"x": (x, None, f_x)}},
    but=(ge(f_x, f_s), *from_below),
)

SLOPES = lemma(
    ge(L * dot(g - h, x - y), norm2(g - h)),
    *(flat := (Smooth("f", L), Convex("f"))),
    setting=Setting(depends={"x": "", "y": ""}, functions=BETWEEN),
    proof=[qed(by=[cocoercive("f", "x", "y")])],
)
AT_POINTS = {"f.x": "f.x", "f.y": "f.y"}
pair(
    "cite: two samples of one function",
    "f(x; xi) = xi x, f(y; zeta) = zeta y, x = y: 0 against E(xi - zeta)^2",
    "f depends on zeta at one point, and not at x",
    ge(L * dot(g - h, x - y), norm2(g - h)),
    *flat,
    qed(by=[cite(SLOPES, points=AT_POINTS)]),
    functions=BETWEEN,
    **TWO_SAMPLES,
    but=ONE_SAMPLE,
)
TANGENT = lemma(
    ge(f_y - f_x - dot(g, y - x), 0),
    Convex("f"),
    setting=Setting(depends={"x": "", "y": ""}, functions=BETWEEN),
    proof=[qed(by=[convex("f", "x", "y")])],
)
pair(
    "cite: one value at two points",
    "f(x) = x at x = 0 and y = 1",
    "f_x is the value of f at x and at y",
    le(dot(g, y - x), 0),
    *(along := (Convex("f"), qed(by=[cite(TANGENT, points=AT_POINTS)]))),
    depends=FIXED,
    functions={"f": {"x": (x, g, f_x), "y": (y, h, f_x)}},
    but=((le(dot(g, y - x), f_y - f_x), *along), {"functions": BETWEEN}),
)
pair(
    "one minimiser over the sets of all clients",
    "f = x^2/2: x* = 1 is least over Y_1 = [1, 2], not over Y_2 = [-2, 0]",
    "Y has a minimum for each client, on which x* does not depend",
    ge(dot(h, r - low), 0),
    *of_set,
    qed(by=[optimal("f")]),
    depends={"x*": "", "u": ""},
    each={"Y": "client"},
    sizes=CLIENTS,
    functions={"f": LEAST["f"], "Y": {"p": (u, r)}},
    but={"each": {}},
)
UNKNOWN = Setting(
    depends={"v": "client batch", "w": "all"},
    sizes=BATCHES,
    within={"d": "client"},
    means={"s1": DRAWN["s1"]},
    metrics={m: dot(s1 - v, w)},
    functions={"f": {"s": (s1, None, None)}},
)
APART = lemma(eq(m, 0), Sampled("d", S, K), setting=UNKNOWN, proof=[qed(by=[mean("s1")])])
KNOWN = {"depends": {"v": "client batch"}, "means": DRAWN, "together": ALL}
for title, because, used, more in (
    ("as it stands", "is stated in another setting", cite(APART), {}),
    ("of another setting", "all stands for other sources in another setting", cite(APART), {"others": (UNKNOWN,)}),
    (
        "at our vectors",
        "stops at the statement: it does not follow",
        cite(APART, points={"f.s": "f.s"}, vectors={"v": v, "w": w}),
        {},
    ),
):
    pair(
        f"cite: a word that stands for draws only here, {title}",
        "v = +-1 in batches of K = 2, S = 1, w the mean of s1: m = 1/N",
        because,
        eq(dot(s1 - v, w) if more == {} and used.points else m, 0),
        Sampled("d", S, K),
        qed(by=[used]),
        setting=UNKNOWN,
        **KNOWN,
        **more,
        but={"depends": UNKNOWN.depends, "means": UNKNOWN.means, "together": {}},
    )

# --- induction, sums, powers, cases, orders


def steps(at, *, over, first=0, last=None, end=R):
    """``a(end) <= a(0)`` by induction to any round, with what is supposed of a round."""
    return (
        le(a(end), a(0)),
        EveryRound("down", at, k, sp.sympify(first), last),
        induct("all", le(a(k), a(0)), over=k, last=over, by=[the_hypothesis("h0")]),
        special("end", "all", {k: end}),
    )


DOWN = steps(le(a(k + 1), a(k)), over=None)
pair("induct: upwards", "a(k) = k", "it does not follow", *steps(le(a(k), a(k + 1)), over=None), but=DOWN)
pair(
    "induct: from the second step on",
    "a(0) = 0, a(k) = 1",
    "it needs k >= 1",
    *steps(le(a(k + 1), a(k)), over=None, first=1),
    but=DOWN,
)
pair(
    "induct: one step further",
    "a(k) = 0 for k <= R, a(R + 1) = 1",
    "it needs k <= R - 1",
    *steps(le(a(k + 1), a(k)), over=R + 1, last=R - 1, end=R + 1),
    but=steps(le(a(k + 1), a(k)), over=R, last=R - 1),
)


def weighted(weight):
    """The sum of ``a(k) <= c`` with a weight."""
    return (
        le(sp.Sum(weight * a(k), (k, 0, R)), sp.Sum(weight * c, (k, 0, R))),
        EveryRound("low", le(a(k), c), k),
        have("each", le(a(k), c), by=[the_hypothesis("h0")]),
        summed("sum", "each", over=k, start=0, last=R, weight=weight),
    )


pair("summed: weights of both signs", "a(0) = c, a(1) = 0, R = 1", "violated", *weighted((-1) ** k), but=weighted(2**k))
pair("summed: powers of any number", "the same, b = -1", "violated", *weighted(b**k), but=weighted(3**k))
pair(
    "telescoping to one term less",
    "seq(k) = k: R + 1 against R",
    "it does not follow",
    *(le(sp.Sum(seq(k + 1) - seq(k), (k, 0, R)), seq(R) - seq(0)), qed()),
    but=(le(sp.Sum(seq(k + 1) - seq(k), (k, 0, R)), seq(R + 1) - seq(0)), qed()),
)
pair(
    "telescoping with weights",
    "q = 2, seq(k) = 1: 0 against 2^R - 1",
    "not shown with",
    *(eq(sp.Sum(q**k * (seq(k + 1) - seq(k)), (k, 0, R - 1)), q**R * seq(R) - seq(0)), qed()),
    but=(eq(sp.Sum(q ** (k + 1) * seq(k + 1) - q**k * seq(k), (k, 0, R - 1)), q**R * seq(R) - seq(0)), qed()),
)
pair(
    "a sum over fewer than no terms",
    "K = 4, R = 1: 0 against -2",
    "not shown with Sum",
    *(eq(sp.Sum(1, (k, K, R)), R - K + 1), qed()),
    but=(eq(sp.Sum(1, (k, K, R)), R - K + 1), ge(R, K), qed()),
)
pair(
    "a sum of a number that has the name of the index",
    "k = 1, R = 1: 1 against 2",
    "it does not follow",
    *(eq(sp.Sum(k, (k, 0, R)), (R + 1) * k), qed()),
    but=(eq(sp.Sum(k, (k, 0, R)), (R + 1) * R / 2), qed()),
)
pair("a root of a square", "b = -1", "violated", *(eq(sp.sqrt(b**2), b), qed()), but=(eq(sp.sqrt(p**2), p), qed()))
pair(
    "a cube root of a negative number",
    "b = -1",
    "has a meaning only where b >= 0",
    *(ge(sp.Pow(b, sp.Rational(1, 3)), 0), qed()),
    but=(ge(sp.Pow(p, sp.Rational(1, 3)), 0), qed()),
)
pair("a power that grows", "c = 1/2, b = 0", "violated", *(le(c**b, c ** (b + 1)), qed()), but=(ge(c**b, 0), qed()))
pair(
    "split: a power above one",
    "c = mu = 1, s = 2: 4 against 2",
    "it needs s <= 1",
    *(power := (le((c + mu) ** s, c**s + mu**s), split("parts", [c, mu], to=s))),
    but=(power[0], le(s, 1), power[1]),
)
pair(
    "a tangent of the logarithm on the other side",
    "p = 1: log 2 against 1/2",
    "not shown with log(p + 1)",
    *(le(sp.log(1 + p), p / (1 + p)), logarithm("l", 1 + p), qed(by=["l"])),
    but=(le(sp.log(1 + p), p), logarithm("l", 1 + p), qed(by=["l"])),
)
CASES = (have("low", le(b, 0), when=[le(b, 0)]), have("high", le(b, 0), when=[ge(b, 1)]))
pair(
    "cases of a real number that leave a gap",
    "b = 1/2",
    "it does not follow",
    *(le(b, 0), le(b * (b - 1), 0), *CASES, cases("x", le(b, 0), on=le(b, 0), yes="low", no="high")),
    but=(le(b, 1), le(b * (b - 1), 0), qed()),
)
pair(
    "a maximum below a sum",
    "b = -1",
    "violated",
    *(le(sp.Max(b, 1), b + 1), qed()),
    but=(le(sp.Max(b, 1), b**2 + 1), qed()),
)
pair("a minimum above", "b < c", "violated", *(ge(sp.Min(b, c), c), qed()), but=(le(sp.Min(b, c), c), qed()))
pair("a strict one that is none", "p = 0", "does not follow", *(gt(2 * p, p), qed()), but=(gt(2 * c, c), qed()))
pair(
    "a divisor that a definition makes zero",
    "b = 0",
    "has a meaning only where Ne(D_def, 0)",
    ge(1 / D, 0),
    qed(),
    where={D: b},
    but=((ge(1 / D, 0), qed()), {"where": {D: c}}),
)
pair(
    "a divisor that a rule makes zero",
    "b = 0",
    "has a meaning only where Ne(eta, 0)",
    ge(1 / eta, 1),
    qed(by=[SCHEDULE]),
    rules={eta: b},
    but=((ge(1 / eta, 1), qed(by=[SCHEDULE])), {"rules": {eta: sp.S.Half}}),
)
pair(
    "a factor without a sign",
    "m = 2, c = 1, b = -1",
    "it does not follow",
    *(ge(m * b, c * b), ge(m, c), qed()),
    but=(ge(m * mu, c * mu), ge(m, c), qed()),
    measured=(m,),
)
BOUNDED = {
    "order: a second term left out": (
        "c = 0: T = sqrt(mu/acc)",
        "Z^(1/2)",
        (c / T + mu / T**2, c / acc),
        (c / T + mu / T**2, c / acc + sp.sqrt(mu / acc)),
    ),
    "order: the logarithm of another number": (
        "acc = 1, c large: T of order c log c",
        "Z^(1) ln(1 + Z)^(1)",
        (c * sp.log(T) / T, c / acc * sp.log(1 + 1 / acc), gt(sp.log(T), 0)),
        (c * sp.log(T) / T, c / acc * sp.log(1 + c / acc), gt(sp.log(T), 0)),
    ),
    "order: one logarithm of two": (
        "c/acc large",
        "Z^(1) ln(1 + Z)^(2)",
        (c * sp.log(T) ** 2 / T, c / acc * sp.log(1 + c / acc), gt(sp.log(T), 0)),
        (c * sp.log(T) ** 2 / T, c / acc * sp.log(1 + c / acc) ** 2, gt(sp.log(T), 0)),
    ),
    "order: an exponent that falls with the accuracy": (
        "c = 1, acc small: T = acc^(-1/acc)",
        "Z^(1/acc)",
        (c / T**acc, c / acc),
        (c / T, c / acc),
    ),
}
for title, (violated, because, false, right) in BOUNDED.items():
    FALSE[title] = violated, because, partial(order, *false)
    TRUE[title] = partial(order, *right)

# --- numbers: what is false by little, or far out


def sum_bound(make):
    """A bound for all horizons, at one."""
    return make(R), total("all", make(T), T), special("at", "all", {T: R})


def harmonic(number):
    return sum_bound(lambda n_: le(sp.Sum(1 / i, (i, 1, n_)), sp.log(n_) + number + 1 / (2 * n_)))


def tenth_powers(number):
    return sum_bound(lambda n_: le(sp.Sum(i**10, (i, 1, n_)), n_**11 / 11 + n_**10 / 2 + number * n_**9))


def inverse_squares(number):
    return sum_bound(lambda n_: le(sp.Sum(1 / i**2, (i, 1, n_)), number))


def roots(number):
    return sum_bound(lambda n_: le(sp.Sum(1 / sp.sqrt(i), (i, 1, n_)), 2 * sp.sqrt(n_) - number))


TENTH = sp.Rational(1, 10)
pair(
    "total: gamma to eight places",
    "R = 4124",
    "at T = 4124",
    *harmonic(57721566 * TENTH**8),
    but=harmonic(57721568 * TENTH**8),
)
pair("total: powers", "R = 18", "at T = 18", *tenth_powers(83 * TENTH**2), but=tenth_powers(84 * TENTH**2))
pair(
    "total: zeta(2)",
    "R = 50000",
    "at T = 50000",
    *inverse_squares(16449 * TENTH**4),
    but=inverse_squares(16450 * TENTH**4),
)
pair("total: roots", "R = 1", "at T = 1 ", *roots(101 * TENTH**2), but=roots(1))
PLANE = {"depends": FIXED}


def form(less):
    return ge(norm2(x) + (1 - less) * norm2(y) + 2 * dot(x, y), 0), qed()


def parabola(less):
    return le(rho * (1 - rho), sp.Rational(1, 4) - less), le(rho, 1), qed()


def scaled(less):
    ten = 10 * sp.S.One
    return ge(ten**-18 * norm2(x) - dot(x, y) + ten**18 / 4 * (1 - less) * norm2(y), 0), qed()


pair("a form that is negative by 10^-30", "x = -y", "violated by 1/10", *form(TENTH**30), **PLANE, but=form(0))
pair("a parabola that is lower by 10^-40", "rho = 1/2", "violated by 1/10", *parabola(TENTH**40), but=parabola(0))
pair("a form with scales of 10^36", "y = 2 10^-18 x", "violated by 1/", *scaled(TENTH**9), **PLANE, but=scaled(0))
pair(
    "cancellation",
    "b = 1",
    "violated by 1/10",
    *(le((10**20 * b + 1) - 10**20 * b, 1 - TENTH**25), qed()),
    but=(le((10**20 * b + 1) - 10**20 * b, 1), qed()),
    measured=(b,),
)
pair(
    "powers of a thousand",
    "rho = 10^400/2",
    "violated",
    *(ge(rho**1000 - 10**400 * rho**999 + 10**800, 0), qed()),
    but=(ge(rho**1000 + 10**400 * rho**999, 0), qed()),
)

# --- the laws


@pytest.mark.parametrize("name", FALSE)
def test_what_an_instance_violates_is_refused(name):
    _, why, made = FALSE[name]
    assert why in refusal(made)


@pytest.mark.parametrize("name", TRUE)
def test_what_is_true_beside_it_is_proved(name):
    assert is_proved(TRUE[name])
