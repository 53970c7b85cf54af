"""Attempts to talk the kernel into false claims: each is refused, for its own reason; true ones beside them are not."""

from dataclasses import replace

import pytest
import sympy as sp
from stated import a_claim

from rateproof.theory import catalog
from rateproof.theory.assumptions import (
    Attained,
    BoundedBelow,
    BoundedDissimilarity,
    BoundedGradient,
    BoundedVariance,
    ClosedConvex,
    Convex,
    Dissimilar,
    EveryPoint,
    EveryRound,
    Independent,
    IndependentOf,
    Lipschitz,
    Minimiser,
    Returned,
    Sampled,
    Smooth,
    StronglyConvex,
    Unbiased,
    Weighted,
    WholeSpace,
)
from rateproof.theory.claim import Claim, Hypothesis
from rateproof.theory.gram import Vector, dot, norm2, vectors
from rateproof.theory.gram.facts import Given
from rateproof.theory.papers.lemmas import notation
from rateproof.theory.proof import (
    SCHEDULE,
    SEQUENCES,
    HalfSquare,
    Mean,
    Proof,
    Refused,
    Rounds,
    SampleMean,
    Setting,
    Step,
    bounded,
    cases,
    cauchy_schwarz,
    check,
    cite,
    cocoercive,
    convex,
    dissimilar,
    everywhere,
    exponential,
    exponents,
    fresh,
    have,
    in_words,
    induct,
    infimum,
    largest,
    least,
    limit,
    lipschitz,
    logarithm,
    mean,
    optimal,
    projection,
    qed,
    raised,
    rewritten,
    sampling,
    smooth,
    smooth_convex,
    special,
    split,
    stationary,
    summed,
    total,
    unfold,
    variance,
    written_out,
)
from rateproof.theory.proof import supposed as the_hypothesis
from rateproof.theory.schedule import Schedule
from rateproof.theory.shorthand import eq, ge, le
from rateproof.theory.symbols import C_O, declare, eta

rho, L, mu, sigma, c, q, s, acc, rounds = sp.symbols("rho L mu sigma c q s acc rounds", positive=True)
m, m_0, gap, dist, b, t, fre = sp.symbols("m m_0 gap dist b t fre", real=True)
p, norm, length = sp.symbols("p norm length", nonnegative=True)
N, S, K, R, M, T, j = sp.symbols("N S K R M T j", positive=True, integer=True)
k, n_0 = sp.symbols("k n_0", nonnegative=True, integer=True)
neg = sp.Symbol("neg", negative=True)
even = sp.Symbol("even", even=True)
nonzero = sp.Symbol("nonzero", real=True, nonzero=True)
plain, t_pos = sp.Symbol("z"), sp.Symbol("t", positive=True)
count = sp.Symbol("count", positive=True)
a, seq = sp.Function("a", nonnegative=True), sp.Function("seq", real=True)
x, y, g, h, u, v, w, n, avg, e1, e2, both, mb = vectors("x y g h u v w n avg e1 e2 both mb")
f_x, f_y = sp.symbols("f_x f_y", real=True)
D = declare("D_def", "a defined number", paper="test", positive=True, defined=True)
D_GAP = declare("D_gap", "a defined number", paper="test", positive=True, defined=True)
D_WHOLE = declare("D_whole", "a defined number", paper="test", positive=True, integer=True, defined=True)


def lemma(statement, *hypotheses, proof, **rest):
    return a_claim(statement, *hypotheses, id="test.lemma", proof=Proof(*proof), **rest)


def order(bound, goal, *hypotheses, held=(), where=None):
    """``rounds <= C_O goal`` from ``m <= bound``, for T rounds and the accuracy acc."""
    setting = Setting(measured=(m,), rounds={rounds: Rounds(m, T, acc, held=held)})
    stated = a_claim(le(rounds, C_O * goal), le(m, bound), ge(T, 1), *hypotheses, where=where, setting=setting)
    return stated, have("bound", le(m, bound)), exponents("o", "bound")


TWO_POINTS = Setting(
    depends=dict.fromkeys(("x", "y", "g", "h"), ""),
    functions={"f": {"x": (x, g, f_x), "y": (y, h, f_y)}},
    measured=(f_x, f_y),
)
GAP = f_y - f_x - dot(g, y - x)
NOTHING = Setting()
SQUARES = Setting(metrics={m: norm2(x), b: norm2(x)}, depends={"x": ""})
ANY = Setting(measured=(m,))
FALSE = a_claim(le(m, 0), setting=ANY)
BELOW_ONE = a_claim(le(rho, 1))
LENGTHS = Setting(depends={"u": "", "v": "run"}, lengths={norm: u, length: v})
TERM = Setting(measured=(m, m_0), sequences={m: seq(k), m_0: seq(0)})
CLIENTS = Setting(
    depends={"v": "client", "avg": "", "mb": "sample"},
    means={"avg": Mean("v", "client"), "mb": SampleMean("v", "client", "sample")},
    sizes={"client": N},
)
TWO_NOISES = Setting(
    depends={"e1": "client xi", "e2": "client xi zeta", "both": "client xi zeta", "mb": "round"},
    sums={"both": e1 + e2},
    means={"mb": Mean("both", "client")},
    within={"xi": "client", "zeta": "client"},
    sizes={"client": N},
)
CENTRED = (Unbiased("e1", "client"), Unbiased("e2", "client"))
INDEPENDENT = (Independent("e1", over="client"), Independent("e2", over="client"))
LARGEST = Setting(maxima={b: (a(k), (k, 0, 0))}, fixed=(b,))
AT_MOST = (
    have("term", le(a(k), b), by=[largest(b)], when=[ge(k, 0), le(k, 0)]),
    special("first", "term", {k: sp.S.Zero}),
)


def dissimilar_at(point):
    """``||g - mean g||^2 <= c`` at a point that depends on these words."""
    setting = Setting(
        depends={"x": point, "g": "client", "avg": ""},
        blocks={"g": "x", "avg": "x"},
        means={"avg": Mean("g", "client")},
        made={"F": Mean("f", "client")},
        functions={"F": {"x": (x, avg, f_x)}, "f": {"x": (x, g, f_x)}},
        measured=(f_x,),
    )
    return a_claim(le(norm2(g - avg), c), Dissimilar("f", "client", "x", c), setting=setting), qed(
        by=[dissimilar("f", "x")]
    )


# --- lemmas that are true, each with its proof

JENSEN = lemma(
    le(f_x, f_y),
    Convex("f"),
    setting=Setting(
        depends={"v": "client", "avg": "", "g": ""},
        means={"avg": Mean("v", "client")},
        functions={"f": {"a": (avg, g, f_x), "v": (v, None, f_y)}},
        measured=(f_x, f_y),
    ),
    proof=[qed(by=[convex("f", "a", "v"), mean("avg")])],
)
DESCENT = lemma(
    le(f_y, f_x - s / 2 * norm2(g)),
    Smooth("f", L),
    le(s * L, 1),
    setting=Setting(
        depends=TWO_POINTS.depends,
        sums={"y": x - s * g},
        functions=TWO_POINTS.functions,
        measured=(f_x, f_y),
    ),
    proof=[
        have("smooth", le(f_y, f_x + dot(g, y - x) + L / 2 * norm2(y - x)), by=[smooth("f", "x", "y")]),
        have("step", eq(norm2(y - x), s**2 * norm2(g)), by=[written_out("y")]),
        have("slope", eq(dot(g, y - x), -s * norm2(g)), by=[written_out("y")]),
        qed(by=["smooth", "step", "slope"], multipliers=[1, -L / 2, -1]),
    ],
)
ORTHOGONAL = lemma(
    eq(dot(n, w), 0),
    Unbiased("n", "past"),
    setting=Setting(depends={"n": "past xi", "w": "past"}),
    proof=[qed(by=[fresh("n")])],
)
MEAN_NOISE = lemma(
    eq(N * norm2(avg), norm2(n)),
    Unbiased("n", "client"),
    Independent("n", over="client"),
    setting=Setting(
        depends={"n": "client xi", "avg": "round"},
        means={"avg": Mean("n", "client")},
        within={"xi": "client"},
        sizes={"client": N},
        functions={"f": {"a": (avg, None, None), "n": (n, None, None)}},
    ),
    proof=[qed(by=[variance("avg")])],
)
COCOERCIVE = lemma(
    ge(L * dot(g - h, x - y), norm2(g - h)),
    Smooth("f", L),
    Convex("f"),
    setting=TWO_POINTS,
    proof=[qed(by=[cocoercive("f", "x", "y")])],
)
NEAREST = lemma(
    le(dot(x - u, v - u), 0),
    ClosedConvex("X"),
    setting=Setting(depends={"x": "", "u": "", "v": ""}, functions={"X": {"x": (x, u), "v": (v, v)}}),
    proof=[qed(by=[projection("X", "x", "v")])],
)
FLAT = lemma(
    le(dot(g, w), 0),
    Smooth("f", L),
    WholeSpace("Y"),
    setting=Setting(
        depends={"x": "", "g": "", "w": ""},
        functions={"f": {"x*": (x, g, f_x), "z": (x, g, f_x)}},
        assumes=(Minimiser("f", "x*", "Y"),),
        measured=(f_x,),
    ),
    proof=[qed(by=[stationary("f")])],
)
STEEP = lemma(
    le(norm2(g), c**2),
    BoundedGradient("f", c, "x"),
    setting=Setting(
        depends={"x": "", "g": ""}, blocks={"g": "x"}, functions={"f": {"x": (x, g, f_x)}}, measured=(f_x,)
    ),
    proof=[qed(by=[bounded("f", "x")])],
)
DRAWN = (Sampled("sample", S, N), Weighted("client", c), le(S, N))
drawn_mean = vectors("s")[0]
DRAWN_MEAN = lemma(
    le(norm2(drawn_mean), c * norm2(n)),
    *DRAWN,
    setting=Setting(
        depends={"n": "client", "s": "sample"},
        means={"s": SampleMean("n", "client", "sample")},
        sizes={"client": N},
        weighted=("client",),
        functions={"f": {"each": (n, None, f_x), "drawn": (drawn_mean, None, f_y)}},
    ),
    proof=[qed(by=[sampling("s")])],
)
WHOLE = lemma(
    le(1, count),
    setting=Setting(counts=(count,)),
    proof=[have("one", le(1, j)), special("x", "one", {j: count}), qed(by=["x"])],
)

FORGED: dict[str, tuple] = {}
TRUE: dict[str, tuple] = {}


def said(stated, *parts, where=None, schedule=None, rules=None, setting=NOTHING, **made):
    """A claim and its proof: hypotheses and steps in their order, and what the setting has beside the one named.

    The last step shows the statement, where it does not say that it does.
    """
    if callable(stated):
        return stated()
    steps = [p for p in parts if isinstance(p, Step)]
    if isinstance(stated, Claim):
        claim = stated
    else:
        supposed = [p for p in parts if not isinstance(p, Step)]
        schedule = schedule or (rules and Schedule("S-x", "t", rules))
        claim = a_claim(stated, *supposed, where=where, schedule=schedule, setting=replace(setting, **made))
    ends = steps and isinstance(steps[-1], type(qed())) and not isinstance(steps[-1].goal, sp.Rel)
    return claim, *steps, *(() if ends else [qed(by=[steps[-1].name])])


def forged(name, why):
    """A false claim, or a true one without a reason, that is refused, and why."""
    assert name not in FORGED
    return lambda *parts, **rest: FORGED.update({name: (why, lambda: said(*parts, **rest))})


def true(name):
    """A claim that is proved."""
    assert name not in TRUE
    return lambda *parts, **rest: TRUE.update({name: lambda: said(*parts, **rest)})


# --- special

forged("special: imaginary value", "I is no real number")(
    BELOW_ONE,
    have("sq", ge(t**2, 0)),
    special("bad", "sq", {t: sp.I}),
    have("n", le(rho, rho - rho * t**0 * 0)),
    qed(by=["bad"]),
)
forged("special: imaginary, plain symbol", "I is no real number")(
    BELOW_ONE, have("sq", ge(plain**2, 0)), special("bad", "sq", {plain: sp.I}), qed(by=["bad"], multipliers=[rho])
)
forged("special: negative symbol", "it needs b < 0")(le(b, 0), have("sq", le(neg, 0)), special("bad", "sq", {neg: b}))
forged("special: root of a negative", "sqrt(b) has a meaning only where b >= 0")(
    ge(b, 0), have("sq", ge(t**2, 0)), special("bad", "sq", {t: sp.sqrt(b)})
)
forged("special: pole", "(-k**2 + k)/k <= 1 has a meaning only where Ne(k, 0)")(
    BELOW_ONE,
    have("a1", le((k - k**2) / k, 1)),
    have("b1", ge((2 * k + k**2) / k, 2)),
    special("A", "a1", {k: sp.S.Zero}),
    special("B", "b1", {k: sp.S.Zero}),
    qed(by=["A", "B"]),
)
forged("special: half an integer", "it needs -1/2 >= 0")(
    BELOW_ONE, have("a1", ge(k, 0)), special("A", "a1", {k: -sp.S.Half})
)
forged("special: nonneg at -1", "it needs -1 >= 0")(
    BELOW_ONE, have("a1", ge(k, 0)), special("A", "a1", {k: -sp.S.One}), qed(by=["A"], multipliers=[rho])
)
forged("special: even at 1", "even is even; an index is a real number or an integer of a sign")(
    BELOW_ONE, have("a1", ge(seq((-1) ** even), seq(1))), special("A", "a1", {even: sp.S.One})
)
forged("special: nononzeroero at 0", "it needs Ne(0, 0)")(
    BELOW_ONE,
    have("a1", ge(nonzero**2 / nonzero**2 + 1 / nonzero**2, 0)),
    have("pos", le(1, 1)),
    special("A", "a1", {nonzero: sp.S.Zero}),
)
forged("special: constant of a typed assumption", "L is a symbol of the claim, not an index")(
    le(gap, 0),
    Smooth("f", L),
    in_words("w", le(gap, L), "smooth"),
    special("A", "w", {L: sp.S.Zero}),
    measured=(gap,),
    fixed=(gap,),
)

# --- induct

forged("induct: start outside", "it needs -1 >= 0")(
    le(1, n_0**2), induct("all", le(1, k**2), over=k, start=-1), special("bad", "all", {k: n_0})
)
forged("a defined integer that is none", "violated")(ge(D_WHOLE, 1), qed(), where={D_WHOLE: L})
forged("special: a defined integer that is none", "D_whole is not known to be an integer")(
    ge(L, 1),
    have("one", ge(j, 1)),
    special("d", "one", {j: D_WHOLE}),
    qed(by=["d", unfold(D_WHOLE)]),
    where={D_WHOLE: L},
)
forged("induct: positive index from 0", "it needs 0 > 0")(
    BELOW_ONE,
    induct("all", le(1, j + 0), over=j, start=0, base=[], by=[]),
    special("bad", "all", {j: sp.S.Zero}),
    qed(by=["bad"], multipliers=[rho]),
)
forged("induct: even index", "even is even; an index is a real number or an integer of a sign")(
    BELOW_ONE, induct("all", le(even * (even - 1), 0), over=even, start=0), special("bad", "all", {even: sp.S(2)})
)
forged("induct: no base", "m may change with k; name it as a term of a sequence, or as fixed")(
    FALSE, induct("all", le(a(k), m), over=k, base=[], by=[])
)
forged("induct: a metric that changes", "m may change with k; name it as a term of a sequence, or as fixed")(
    le(a(R), m * R),
    in_words("st", le(a(k + 1), a(k) + m), "w"),
    in_words("s0", le(a(0), 0), "w"),
    induct("all", le(a(k), m * k), over=k, base=["s0"], by=["st"]),
    special("r", "all", {k: R}),
    measured=(m,),
    counts=(R,),
)

# --- summed

forged("summed: positive index from 0", "it needs 0 > 0")(
    BELOW_ONE,
    have("one", le(1, j)),
    summed("bad", "one", over=j, start=0, last=R - 1),
    special("b1", "bad", {R: sp.S.One}),
    qed(by=["b1"], multipliers=[rho]),
)
forged("summed: over a pole", "2 <= (k**2 + k)/k has a meaning only where Ne(k, 0)")(
    BELOW_ONE,
    have("one", le(2, (k**2 + k) / k), when=[le(k, 0)]),
    summed("bad", "one", over=k, start=0, last=0),
    qed(by=["bad"], multipliers=[rho]),
)
forged("summed: weight of a metric", "violated")(
    le(m * a(R), m * a(0)),
    in_words("st", le(a(k + 1), a(k)), "w"),
    summed("tot", "st", over=k, start=0, last=R - 1, weight=m),
    measured=(m,),
)
forged(
    "summed: weight that is nonnegative at this index",
    "gap may change with k; name it as a term of a sequence, or as fixed",
)(
    le((gap - m) * a(R), (gap - m) * a(0)),
    in_words("st", le(a(k + 1), a(k)), "w"),
    summed("tot", "st", over=k, start=0, last=R - 1, weight=gap - m),
    metrics={gap: norm2(x) + norm2(y), m: norm2(x)},
    depends={"x": "", "y": ""},
)
forged("summed: negative length", "it needs -R - 1 >= -1")(
    BELOW_ONE, have("one", le(0, 1)), summed("bad", "one", over=k, start=0, last=-R - 1)
)
forged("summed: constant of a typed assumption as index", "the index K is a symbol of the claim")(
    le(gap * R, dist * R * (R - 1) / 2),
    Smooth("f", K),
    in_words("w", le(gap, K * dist), "smooth"),
    summed("A", "w", over=K, start=0, last=R - 1),
    measured=(gap, dist),
    fixed=(gap, dist),
)
forged("limit: constant of a typed assumption", "L is a symbol of the claim")(
    le(gap, 0),
    Smooth("f", L),
    have("w", le(gap, L * dist), by=[smooth("f", "x", "y")]),
    limit("A", "w", over=L),
    metrics={gap: GAP, dist: norm2(y - x)},
    depends=TWO_POINTS.depends,
    functions=TWO_POINTS.functions,
    measured=(f_x, f_y),
    fixed=(gap, dist),
)
forged("limit: symbol of the schedule", "s is a symbol of the claim")(
    le(eta, 0), have("w", le(eta, s), by=[SCHEDULE]), limit("A", "w", over=s), schedule=Schedule("S-x", "t", {eta: s})
)
forged("summed: index of the schedule", "k is a symbol of the claim, not an index")(
    le(R * eta, 1),
    have("w", le(eta, 1 / (1 + k)), by=[SCHEDULE]),
    special("A", "w", {k: R}),
    have("x1", le(R * eta, R / (1 + R)), by=["A"]),
    schedule=Schedule("S-x", "t", {eta: 1 / (1 + k)}),
)
forged("summed: a length is no constant", "length may change with k; name it as a term of a sequence, or as fixed")(
    le(a(R), a(0) + R * length),
    in_words("st", le(a(k + 1), a(k) + length), "w"),
    summed("tot", "st", over=k, start=0, last=R - 1),
    setting=LENGTHS,
)
forged("special: value of a point that is not listed", "f_x is a symbol of the claim, not an index")(
    ge(f_y, 0),
    Convex("f"),
    have("w", le(f_x - f_x, 0)),
    special("A", "w", {f_x: sp.S.Zero}),
    qed(),
    setting=TWO_POINTS,
    measured=(),
)
forged("a hypothesis about one term of a sequence", "k is a symbol of the claim, not an index")(
    le(m_0, 1),
    le(m, 1),
    have("w", le(seq(k), 1), by=[SEQUENCES]),
    special("A", "w", {k: sp.S.Zero}),
    qed(by=["A", SEQUENCES]),
    setting=TERM,
)
forged("a sequence of another sign than its metric", "m is not known to be nonnegative, and a(k) is")(
    ge(m, 0), qed(by=[SEQUENCES]), measured=(m,), sequences={m: a(k)}
)

# --- limit

forged("limit: of a fraction", "w is no inequality between polynomials in s that holds for all of them")(
    BELOW_ONE, have("w", le(s / (s + 1), 1)), limit("A", "w", over=s)
)
forged("limit: under a condition", "w is no inequality between polynomials in s that holds for all of them")(
    BELOW_ONE, have("w", le(1, s), when=[ge(s, 1)]), limit("A", "w", over=s), qed(by=["A"], multipliers=[rho])
)
forged("limit: integer", "j should stand for any positive number")(
    BELOW_ONE, have("w", le(1, j)), limit("A", "w", over=j), qed(by=["A"], multipliers=[rho])
)

# --- raised

forged("raised: negative side", "violated")(
    BELOW_ONE, have("w", le(-2, 1)), raised("A", "w", to=2), qed(by=["A"], multipliers=[rho])
)
forged("raised: negative power", "it needs -1 >= 0")(
    le(1 / c, 1 / q), le(q, c), have("w", le(q, c)), raised("A", "w", to=-1)
)
forged("raised: root with an even base", "violated")(
    ge(t, 1), ge(t**2, 1), have("w", le(1, t**2)), raised("A", "w", to=sp.S.Half)
)

# --- roots and poles

forged("a root shows its radicand", "sqrt(b) >= 0 has a meaning only where b >= 0")(
    ge(b, 0), have("r", ge(sp.sqrt(b), 0))
)
forged("a root shows its radicand in the goal", "sqrt(b) + b >= sqrt(b) has a meaning only where b >= 0")(
    ge(b, 0), have("r", ge(b + sp.sqrt(b), sp.sqrt(b)))
)
forged("a pole shows that its divisor is not zero", "1/p >= 0 has a meaning only where Ne(p, 0)")(
    le(1 / p, 1 / p + p), have("w", ge(1 / p, 0)), have("x", le(p / p**2, 1 / p), by=["w"]), qed()
)
forged("need: a pole is positive", "p**(-2) >= 0 has a meaning only where Ne(p, 0)")(
    le(c**p, c**p + 1), have("w", ge(1 / p**2, 0)), exponential("e", "w"), qed()
)
forged("log of what may be zero", "p**(-2) >= 0 has a meaning only where Ne(p, 0)")(
    le(0, p), have("w", ge(1 / p**2, 0)), logarithm("lg", p, by=["w"])
)
forged("log of zero", "it needs p > 0")(BELOW_ONE, logarithm("lg", p))
forged("exp of a decreasing step", "violated")(ge(sp.exp(-t), 1), have("w", le(-t, -t + 1)), exponential("e", "w"))

# --- cases

forged("cases: hole", "it needs K <= 0")(
    le(3, K),
    have("a1", le(3, K), when=[ge(K, 3)]),
    have("b1", le(3, K), when=[le(K, 0)]),
    cases("all", le(3, K), on=ge(K, 3), yes="a1", no="b1"),
)
forged("cases: real number between", "it needs 1/2 >= 1")(
    le(m, 0),
    have("a1", le(t * (1 - t), 0), when=[le(t, 0)]),
    have("b1", le(t * (1 - t), 0), when=[ge(t, 1)]),
    cases("all", le(t * (1 - t), 0), on=le(t, 0), yes="a1", no="b1"),
    special("h", "all", {t: sp.S.Half}),
    setting=ANY,
)
forged("cases: same case twice", "it needs rho >= 1")(
    BELOW_ONE, have("a1", le(1, rho), when=[ge(rho, 1)]), cases("all", le(1, rho), on=ge(rho, 1), yes="a1", no="a1")
)
forged("a case that is never", "violated")(BELOW_ONE, have("a1", le(rho, 1), when=[le(2, 1)]))
forged("a case that is never, special", "violated")(
    BELOW_ONE, have("a1", le(rho, 1), when=[le(k + 1, 0)]), special("A", "a1", {k: sp.S.Zero})
)

# --- names

forged("two symbols of one name", "violated")(ge(t, 0), ge(t_pos, 1), qed())
forged("two symbols of one name, positive by hypothesis", "violated")(
    ge(t, 1), sp.Gt(plain, 0, evaluate=False), ge(sp.Symbol("z", positive=True), 1), qed()
)
forged(
    "a defined symbol and a free one of one name",
    "two symbols with different assumptions are named D_def; rename one of them",
)(le(sp.Symbol("D_def", real=True), L), have("d", le(D, L), by=[unfold(D)]), where={D: L - mu})
forged("positive by hypothesis, other of one name", "violated")(
    le(sp.Symbol("zz", positive=True), 1),
    sp.Gt(sp.Symbol("zz", real=True), 0, evaluate=False),
    le(sp.Symbol("zz", real=True), 1),
    qed(),
)

# --- definitions

forged("declared sign of a definition", "violated")(ge(D, 0), qed(), where={D: L - mu})
forged("declared sign of a definition, through a lemma", "violated")(
    ge(D, 0), qed(by=[cite(lemma(ge(c, 0), proof=[qed()]))]), where={D: L - mu}
)
forged("declared sign of a definition, through a lemma of the same symbol", "it needs D_def > 0")(
    le(0, L - mu), have("d", ge(s, 0)), special("dd", "d", {s: D}), qed(by=["dd", unfold(D)]), where={D: L - mu}
)
forged("declared sign in convexity", "the claim does not assume Convex of f")(
    ge(2 * L * GAP, norm2(g - h)),
    Smooth("f", L),
    StronglyConvex("f", D),
    qed(by=[smooth_convex("f", "x", "y")]),
    setting=TWO_POINTS,
    where={D: c - L},
)
forged("declared sign in a combination", "the claim does not assume Convex of f")(
    ge(GAP, 0),
    Convex("u1"),
    qed(by=[convex("f", "x", "y")]),
    setting=TWO_POINTS,
    made={"f": {"u1": D}},
    where={D: L - mu},
)
forged("wrong definition", "violated")(le(m, 2 * D), le(m, L), qed(by=[unfold(D)]), where={D: L / 3}, setting=ANY)

# --- rewritten

forged("rewritten: under an index", "k is the index of a sum")(
    le(m, 0),
    in_words("e", eq(a(k), 0), "w"),
    have("w", le(sp.Sum(a(k), (k, 0, R)), sp.Sum(a(k), (k, 0, R)))),
    rewritten("A", "w", by=["e"]),
    setting=ANY,
)
forged("rewritten: inequality", "e is no equation")(
    le(m, 0), have("e", le(0, 1)), have("w", le(0, 1)), rewritten("A", "w", by=["e"]), setting=ANY
)
forged("rewritten: under a condition", "e is no equation")(
    le(rho, 1), have("e", eq(rho, 1), when=[eq(rho, 1)]), have("w", le(rho, rho)), rewritten("A", "w", by=["e"])
)

# --- randomness

forged("index without a size is no source", "violated")(
    eq(dot(n, w), 0),
    Unbiased("n", ""),
    Independent("n", over="client"),
    qed(by=[fresh("n")]),
    depends={"n": "client xi", "w": "client"},
)
forged("mean of steps that forgets its noise", "avg should depend on what n has of all step, by a word of its own")(
    le(norm2(avg), 0),
    Unbiased("n", "step"),
    have("o", eq(dot(n, avg), 0), by=[fresh("n")]),
    qed(by=["o", mean("avg")]),
    depends={"n": "step xi", "avg": ""},
    means={"avg": Mean("n", "step")},
    within={"xi": "step"},
    sizes={"step": K},
)
forged("two noises, each independent over clients", "e1 and e2 of two values of client may be correlated")(
    eq(N * norm2(mb), norm2(both)), *CENTRED, *INDEPENDENT, qed(by=[variance("mb")]), setting=TWO_NOISES
)
forged("steps that share a source", "the claim does not assume that n is independent over step")(
    eq(K * norm2(avg), norm2(n)),
    Unbiased("n", "step zeta"),
    qed(by=[variance("avg")]),
    depends={"n": "step zeta eps", "avg": "eps round"},
    means={"avg": Mean("n", "step")},
    within={"zeta": "step"},
    sizes={"step": K},
)
forged("steps with a source of their own, no history", "the claim does not assume that n is independent over step")(
    eq(K * norm2(avg), norm2(n)),
    Unbiased("n", "step zeta"),
    qed(by=[variance("avg")]),
    depends={"n": "step zeta xi", "avg": "round"},
    means={"avg": Mean("n", "step")},
    within={"zeta": "step", "xi": "step"},
    sizes={"step": K},
)
forged("noise of clients that is not independent", "the claim does not assume that n is independent over client")(
    eq(N * norm2(avg), norm2(n)),
    Unbiased("n", "client"),
    qed(by=[variance("avg")]),
    depends={"n": "client xi", "avg": "round"},
    means={"avg": Mean("n", "client")},
    within={"xi": "client"},
    sizes={"client": N},
)
forged("sample of another size", "Sampled(sample, S, M) is drawn of M values, and client has N")(
    eq(S * (M - 1) * norm2(mb - avg), (M - S) * norm2(v - avg)),
    Sampled("sample", S, M),
    qed(by=[sampling("mb")]),
    setting=CLIENTS,
)
forged("sample means are not the mean", "violated")(
    le(norm2(mb - avg), 0), Sampled("sample", S, N), qed(by=[sampling("mb"), mean("mb"), mean("avg")]), setting=CLIENTS
)
forged("S = N for all S", "violated")(
    eq(norm2(mb - avg), 0), Sampled("sample", S, N), le(S, N), qed(by=[sampling("mb")]), setting=CLIENTS
)
forged("N = 1", "violated")(
    eq(S * norm2(mb - avg), norm2(v - avg)), Sampled("sample", S, N), qed(by=[sampling("mb")]), setting=CLIENTS
)
forged("drawn set depends on what is drawn", "violated")(
    eq(dot(mb, v), dot(v, v)), Sampled("sample", S, N), qed(by=[mean("mb")]), setting=CLIENTS
)
forged("variance without a bound", "the claim does not assume BoundedVariance of n")(
    le(norm2(n), sigma**2), qed(by=[variance("n")]), depends={"n": "xi"}
)
forged("noise that knows the point", "violated")(
    eq(dot(n, x), 0), Unbiased("n", "past"), qed(by=[fresh("n")]), depends={"n": "past xi", "x": "past xi"}
)

# --- functions

forged("smooth is not convex", "violated")(
    ge(GAP, 0), Smooth("f", L), qed(by=[smooth("f", "x", "y")]), setting=TWO_POINTS
)
forged("descent with too long a step", "violated")(
    le(f_y, f_x - (s - L * s**2 / 4) * norm2(g)),
    Smooth("f", L),
    qed(by=[smooth("f", "x", "y")]),
    depends={"x": "", "g": ""},
    functions={"f": {"x": (x, g, f_x), "y": (x - s * g, None, f_y)}},
    measured=(f_x, f_y),
)
forged("gradient of one point for another", "violated")(
    ge(f_y - f_x - dot(h, y - x), 0), Convex("f"), qed(by=[convex("f", "x", "y")]), setting=TWO_POINTS
)
forged("attained without saying so", "the claim does not assume that f attains its minimum")(
    le(norm2(g), 2 * L * (f_x - f_y)),
    Convex("f"),
    Smooth("f", L),
    qed(by=[smooth_convex("f", "x", "y")]),
    depends={"x": "", "y": "", "g": ""},
    functions={"f": {"x": (x, g, f_x), "y": (y, Vector(), f_y)}},
    measured=(f_x, f_y),
)
forged(
    "infimum of a function that has none", "the claim does not assume BoundedBelow of f, or the setting names no infimu"
)(ge(f_x, m_0), qed(by=[infimum("f", "x")]), setting=TWO_POINTS, infima={"f": m_0})
forged("optimal without a convex set", "the claim does not assume ClosedConvex of X")(
    ge(dot(g, y - x), 0),
    Smooth("f", L),
    qed(by=[optimal("f")]),
    depends={"x": "", "y": "", "g": ""},
    functions={"f": {"x": (x, g, f_x)}, "X": {"y": (y, y), "x": (x, x)}},
    assumes=(Minimiser("f", "x", over="X"),),
    measured=(f_x,),
)

# --- cites

forged(
    "cite: lemma with its own forms 2", "test.lemma is stated in another setting; say at which points it is used, or"
)(
    le(m, m_0),
    qed(
        by=[
            cite(
                lemma(
                    le(m, m_0),
                    setting=Setting(metrics={m: norm2(x), m_0: 2 * norm2(x)}, depends={"x": ""}),
                    proof=[qed()],
                )
            )
        ]
    ),
    metrics={m: norm2(x), m_0: norm2(y)},
    depends={"x": "", "y": ""},
)
true("cite: lemma with assumptions of its method that its proof does not use")(
    ge(GAP, 0),
    Convex("f"),
    qed(
        by=[
            cite(
                lemma(
                    ge(GAP, 0),
                    Convex("f"),
                    setting=replace(TWO_POINTS, assumes=(Attained("f"),)),
                    proof=[qed(by=[convex("f", "x", "y")])],
                ),
                points={"f.x": "f.x", "f.y": "f.y"},
            )
        ]
    ),
    setting=TWO_POINTS,
)
forged("cite: lemma with a schedule", "it needs Eq(eta, 1/2)")(
    le(eta, 1),
    qed(by=[cite(lemma(le(eta, 1), schedule=Schedule("S-x", "t", {eta: sp.S.Half}), proof=[qed(by=[SCHEDULE])]))]),
)
forged("cite: a mean at points that are none", "x is no mean")(
    le(f_x, f_y), Convex("f"), qed(by=[cite(JENSEN, points={"f.a": "f.x", "f.v": "f.y"})]), setting=TWO_POINTS
)
forged("cite: a step that is none", "y is no combination")(
    le(f_y, f_x),
    Smooth("f", L),
    le(s * L, 1),
    qed(by=[cite(DESCENT, points={"f.x": "f.x", "f.y": "f.y"})]),
    setting=TWO_POINTS,
)
forged("cite: another vector for a noise", "x is not known to have mean zero")(
    eq(dot(x, w), 0),
    Unbiased("n", "past"),
    qed(by=[cite(ORTHOGONAL, vectors={"n": x, "w": w})]),
    depends={"n": "past xi", "w": "past", "x": "past"},
)
forged("cite: index of another size", "violated by 1 at M = 1, N = 2")(
    eq(N * norm2(avg), norm2(n)),
    Unbiased("n", "client"),
    Independent("n", over="client"),
    qed(by=[cite(MEAN_NOISE, points={"f.a": "f.a", "f.n": "f.n"})]),
    depends={"n": "client xi", "avg": "round"},
    means={"avg": Mean("n", "client")},
    within={"xi": "client"},
    sizes={"client": M},
    functions={"f": {"a": (avg, None, None), "n": (n, None, None)}},
)
forged("cite: choose a measured constant", "L of test.lemma is not free to choose")(
    le(m, 0), le(m, L), qed(by=[cite(lemma(le(m, L), le(m, L), proof=[qed()]), at={L: sp.S.Zero})])
)
forged("cite: hypotheses dropped", "it needs m <= 1")(
    le(m, 1), qed(by=[cite(lemma(le(m, 1), le(m, 1), setting=ANY, proof=[qed()]))]), setting=ANY
)
forged("cite: itself", "test.claim is not proved")(FALSE, qed(by=[cite("test.claim")]))
forged("cite: free symbol that is a metric", "b has a meaning and is not free to choose")(
    lambda: (
        a_claim(le(m_0, 0), setting=Setting(measured=(m_0,))),
        qed(
            by=[cite(lemma(le(m, b), setting=replace(SQUARES, free=(m, b)), proof=[qed()]), at={m: m_0, b: sp.S.Zero})]
        ),
    )
)
forged("cite: sign of what is chosen", "it needs t >= 0")(
    ge(t, 0), qed(by=[cite(lemma(ge(p, 0), setting=Setting(free=(p,)), proof=[qed()]), at={p: t})])
)
forged("cite: negative sign of what is chosen", "it needs t < 0")(
    le(t, 0), qed(by=[cite(lemma(le(neg, 0), setting=Setting(free=(neg,)), proof=[qed()]), at={neg: t})])
)
forged("cite: imaginary choice", "sqrt(b) has a meaning only where b >= 0")(
    ge(b, 0), qed(by=[cite(lemma(ge(fre**2, 0), setting=Setting(free=(fre,)), proof=[qed()]), at={fre: sp.sqrt(b)})])
)
forged("cite: counts of a lemma", "violated")(
    le(m, 0),
    qed(by=[cite(lemma(le(m, 0), setting=Setting(measured=(m,), fixed=(m,), counts=(R,)), proof=[qed()]))]),
    setting=ANY,
)
forged("cite: counts of a lemma 2", "count is not known to be an integer")(
    le(1, c * count), le(1, c), have("one", le(1, j)), special("x", "one", {j: count})
)
forged("cite: counts of a lemma 3", "test.lemma is stated in another setting; say at which points it is used, or")(
    le(1, count), qed(by=[cite(WHOLE)])
)

# --- statement

forged("statement Eq by one half", "violated")(eq(m, 1), le(m, 1), qed(), setting=ANY)
forged("statement And by one part", "violated")(
    sp.And(le(m, 1), le(m, 0), evaluate=False), le(m, 1), qed(), setting=ANY
)
forged("strict statement", "m < 1 does not follow")(sp.Lt(m, 1, evaluate=False), le(m, 1), qed(), setting=ANY)
forged("Max of nothing", "-oo <= m is no real number")(FALSE, have("mx", le(sp.Max(evaluate=False), m)))
forged("Max bounds its arguments only", "violated")(le(sp.Max(m, m_0), 1), le(m, 1), qed(), measured=(m, m_0))
forged("Min is not at least", "violated")(ge(sp.Min(m, m_0), 1), ge(m, 1), qed(), measured=(m, m_0))
forged("infinite bound", "m <= oo is no real number")(le(m, c), have("i", le(m, sp.oo)))
forged("minimum outside its range", "it needs k <= K")(
    le(m, a(R)),
    have("l", le(m, a(k)), by=[least(m)], when=[ge(k, 0)]),
    special("A", "l", {k: R}),
    minima={m: (a(k), (k, 0, K))},
    measured=(m,),
)
forged("cauchy schwarz of a random vector", "norm is no bound on the norm of a vector")(
    le(dot(u, v), norm * length),
    qed(by=[cauchy_schwarz(norm, length)]),
    depends={"u": "run", "v": "run"},
    lengths={norm: u, length: v},
)
forged("total: wrong", "at R = 2 the sum is 1.50000000000000 and the bound 1.00000000000000: the lo")(
    le(m, 0), total("w", le(sp.Sum(1 / j, (j, 1, R)), 1), R), qed(), setting=ANY
)
forged("total: symbol of the claim", "the horizon R is a symbol of the claim")(
    le(sp.Sum(1 / j, (j, 1, R)), c * R), le(1, c), total("w", le(sp.Sum(1 / j, (j, 1, R)), R), R)
)
forged("total: parameter", "c is outside the calculus of powers, logarithms, sums, products and numbers")(
    le(m, 0), total("w", le(sp.Sum(c, (j, 1, R)), R), R), special("A", "w", {c: sp.S(2)}), setting=ANY
)

# --- exponents

forged("exponents: a number to the power of a parameter", "2**K is no number: K is no exponent of T and is not held")(
    lambda: order(2**K / T, 1 / acc)
)
forged(
    "exponents: a number to the power of a parameter in the goal",
    "2**(-K) is no number: K is no exponent of T and is not held",
)(lambda: order(1 / T, 2 ** (-K) / acc))
forged("exponents: too small a power", "no term of the goal is as large as Z^(2) with Z = acc^(-1) c")(
    lambda: order(c / sp.sqrt(T), c / acc)
)
forged("exponents: constant left out", "no term of the goal is as large as Z^(1) with Z = acc^(-1) c")(
    lambda: order(c / T, 1 / acc)
)
forged("exponents: logarithm left out", "no term of the goal is as large as Z^(1) ln(1 + Z)^(1) with Z = acc^(-1) c")(
    lambda: order(c * sp.log(T) / T, c / acc, sp.Gt(sp.log(T), 0, evaluate=False))
)
forged("exponents: held that depends on accuracy", "D_def is not held fixed")(
    lambda: order(D / T, 1 / acc, held=(D,), where={D: acc ** (-3)})
)
forged("exponents: a metric held", "the sign of m_0 is not known")(lambda: order(m_0 / T, 1 / acc, held=(m_0,)))
forged("exponents: no decay", "c is not known to decay with T")(lambda: order(c, c / acc))
forged("exponents: constant with accuracy", "no term of the goal is as large as Z^(1) with Z = acc^(-2) c")(
    lambda: order(c / (T * acc), c / acc)
)
forged("a root in a premise", "m <= sqrt(b) + m_0 has a meaning only where b >= 0")(
    le(m, m_0 + b), le(m, m_0), have("r", le(m, m_0 + sp.sqrt(b)), by=[]), measured=(m, m_0)
)
forged("a root in a premise, words", "m <= sqrt(b) + m_0 has a meaning only where b >= 0")(
    le(m, m_0 + b), le(m, m_0), in_words("r", le(m, m_0 + sp.sqrt(b)), "w"), measured=(m, m_0)
)
forged("a condition with a pole 2", "1 + (p**2 + p)/p has a meaning only where Ne(p, 0)")(
    le(2, (p**2 + p) / p + 1), have("x1", le(2, (p**2 + p) / p + 1), when=[ge(1 / p, 1)])
)
forged("log of a pole", "1/p has a meaning only where Ne(p, 0)")(le(0, 1 / p), logarithm("lg", 1 / p))

# --- true ones beside them

true("a free number at zero")(ge(b**2, 0), have("sq", ge(t**2, 0)), special("at", "sq", {t: b}))
true("a negative number")(le(b, 0), sp.Lt(b, 0, evaluate=False), have("sq", le(neg, 0)), special("at", "sq", {neg: b}))
true("a root")(ge(sp.sqrt(p), 0), have("root", ge(s, 0)), have("r", ge(sp.sqrt(p), 0)))
true("an induction from one")(le(1, K), induct("all", le(1, j), over=j, start=1), special("at", "all", {j: K}))
true("a sum from one")(le(R, R * (R + 1) / 2), have("one", le(1, j)), summed("sum", "one", over=j, start=1, last=R))
true("a divisor that a step shows")(le(b / c, 1), le(b, c), have("ratio", le(b / c, 1)), measured=(b,))
true("a limit")(
    le(m, m_0), le(m, m_0), have("w", le(m, m_0 + s)), limit("at 0", "w", over=s), measured=(m, m_0), fixed=(m, m_0)
)
true("a schedule")(le(eta, 1), qed(by=[SCHEDULE]), schedule=Schedule("S", "t", {eta: sp.S.Half}))
true("a lemma with our schedule")(
    le(eta, 1),
    qed(by=[cite(lemma(le(eta, 1), schedule=Schedule("S", "t", {eta: sp.S.Half}), proof=[qed(by=[SCHEDULE])]))]),
    schedule=Schedule("S", "t", {eta: sp.S.Half}),
)
true("a definition that is positive")(ge(D, 0), qed(), where={D: L + mu})
true("curvature that a hypothesis makes positive")(
    ge(2 * L * GAP, norm2(g - h)),
    Smooth("f", L),
    StronglyConvex("f", D),
    le(L, c),
    qed(by=[smooth_convex("f", "x", "y")]),
    setting=TWO_POINTS,
    where={D: c - L},
)
true("a source of which a noise is independent")(
    eq(dot(n, w), 0),
    Unbiased("n", ""),
    IndependentOf("n", source="zeta"),
    qed(by=[fresh("n")]),
    depends={"n": "xi", "w": "zeta"},
)
true("two noises, one of which is independent of the other")(
    eq(N * norm2(mb), norm2(both)),
    Unbiased("e1", "client zeta"),
    Unbiased("e2", "client"),
    *INDEPENDENT,
    qed(by=[variance("mb")]),
    setting=TWO_NOISES,
    depends={**TWO_NOISES.depends, "e2": "client zeta"},
)
forged("every noise is zero: its mean is the mean of its mean", "mb is the same for all client")(
    le(norm2(e1), 0),
    *CENTRED,
    *INDEPENDENT,
    ge(N, 2),
    have("of two", le(norm2(mb), 0), by=[variance("avg"), mean("avg")]),
    qed(by=["of two", variance("mb")]),
    setting=TWO_NOISES,
    depends={"e1": "client xi", "mb": "round", "avg": "round"},
    sums={},
    means={"mb": Mean("e1", "client"), "avg": Mean("mb", "client")},
)
forged("at each step all clients have one mean, which is zero over the steps", "mean zero over all step together")(
    eq(N * norm2(mb), norm2(e1)),
    Unbiased("e1", "client"),
    *INDEPENDENT,
    qed(by=[variance("mb")]),
    setting=TWO_NOISES,
    depends={"e1": "client step xi", "mb": "step round"},
    sums={},
    means={"mb": Mean("e1", "client")},
    sizes={"client": N, "step": K},
)
forged("all noises together are not those of earlier steps", "does not follow")(
    eq(dot(n, avg), 0),
    Unbiased("n", "step before"),
    qed(by=[fresh("n")]),
    depends={"n": "step before xi", "avg": "before"},
    within={"before": "step", "xi": "step"},
    earlier=("before",),
    sizes={"step": K},
)
true("steps that are centred given the earlier ones")(
    eq(K * norm2(avg), norm2(n)),
    Unbiased("n", "step before"),
    qed(by=[variance("avg")]),
    depends={"n": "step before xi", "avg": "round"},
    means={"avg": Mean("n", "step")},
    within={"before": "step", "xi": "step"},
    earlier=("before",),
    sizes={"step": K},
)
true("a mean at a mean")(
    le(f_x, f_y),
    Convex("phi"),
    qed(by=[cite(JENSEN, points={"f.a": "phi.mean", "f.v": "phi.each"})]),
    depends={"y": "client", "x": "", "h": ""},
    means={"x": Mean("y", "client")},
    functions={"phi": {"mean": (x, h, f_x), "each": (y, None, f_y)}},
    measured=(f_x, f_y),
)
true("a step at a step")(
    le(f_y, f_x - s / 2 * norm2(g)),
    Smooth("phi", L),
    le(s * L, 1),
    qed(by=[cite(DESCENT, points={"f.x": "phi.x", "f.y": "phi.y"})]),
    depends=TWO_POINTS.depends,
    sums={"y": x - s * g},
    functions={"phi": {"x": (x, g, f_x), "y": (y, h, f_y)}},
    measured=(f_x, f_y),
)
true("a step that is written out")(
    le(f_y, f_x - s / 2 * norm2(g)),
    Smooth("phi", L),
    le(s * L, 1),
    qed(by=[cite(DESCENT, points={"f.x": "phi.x", "f.y": "phi.y"})]),
    depends={"x": "", "g": "", "h": ""},
    functions={"phi": {"x": (x, g, f_x), "y": (x - s * g, h, f_y)}},
    measured=(f_x, f_y),
)
true("a noise in the place of a noise")(
    eq(dot(e1, x), 0),
    Unbiased("e1", "past"),
    qed(by=[cite(ORTHOGONAL, vectors={"n": e1, "w": x})]),
    depends={"e1": "past xi", "x": "past"},
)
true("a whole number")(le(1, count), qed(by=[cite(WHOLE)]), counts=(count,))
true("another setting of ours")(le(1, count), qed(by=[cite(WHOLE)]), measured=(m,), others=(WHOLE.setting,))
true("rounds")(lambda: order(c / T, c / acc))
true("rounds, with a power of a number that is held")(lambda: order(2**K / T, 1 / acc, held=(K,)))


# --- maxima, bounds, blocks, and rules that an index changes

forged("special: a maximum", "b is a symbol of the claim, not an index")(
    le(a(0), 0), *AT_MOST, special("A", "first", {b: sp.S.Zero}), setting=LARGEST
)
forged("cite: a maximum that is free", "b has a meaning and is not free to choose")(
    le(a(0), 0), *AT_MOST, setting=LARGEST, free=(b,)
)
forged("cite: a maximum at another place", "b is at no point that was named")(
    le(a(0), b),
    qed(
        by=[
            cite(
                lemma(le(a(0), b), setting=replace(LARGEST, depends={"u": ""}), proof=[*AT_MOST, qed(by=["first"])]),
                vectors={"u": v},
            )
        ]
    ),
    depends={"v": ""},
)
forged("the gradient of a mean, twice", "F is a mean: its gradient at x should be the mean, or zero")(
    le(dot(e1 + e2, y - x), f_y - f_x),
    Convex("f"),
    qed(by=[convex("F", "x", "y")]),
    depends={"x": "", "y": "", "g": "client", "e1": "", "e2": ""},
    means={"e1": Mean("g", "client"), "e2": Mean("g", "client")},
    made={"F": Mean("f", "client")},
    functions={"F": {"x": (x, e1 + e2, f_x), "y": (y, None, f_y)}, "f": {"x": (x, g, f_x), "y": (y, None, f_y)}},
    measured=(f_x, f_y),
)
ALONE = {"made": {"F": Mean("f", "client")}, "measured": (f_x, f_y)}
forged("the gradient of a mean, of one client", "F is a mean: its point x should not depend on client")(
    le(norm2(g), c**2),
    BoundedGradient("f", c),
    qed(by=[bounded("F", "x")]),
    depends={"x": "", "g": "client"},
    functions={"F": {"x": (x, g, f_x)}},
    **ALONE,
)
forged("bounded gradients of a sum with a square", "the claim does not assume BoundedGradient of F")(
    le(norm2(g), c**2),
    BoundedGradient("f", c),
    qed(by=[bounded("F", "x")]),
    depends={"x": "", "g": ""},
    functions={"F": {"x": (x, g, f_x)}},
    **ALONE | {"made": {"F": {"f": sp.S.One, "h": sp.S.One}}},
)
true("bounded gradients of a mean that has points of its own")(
    le(norm2(g), c**2),
    BoundedGradient("f", c),
    qed(by=[bounded("F", "x")]),
    depends={"x": "", "g": ""},
    functions={"F": {"x": (x, g, f_x)}},
    **ALONE,
)
forged("dissimilar gradients, each at a point of its own", "the gradient of F at x should depend on client")(
    lambda: dissimilar_at("client")
)
forged("a block of a combination", "u lies in the block x, and v, of which it is made, should too")(
    le(norm2(u), 0),
    qed(by=[written_out("u")]),
    depends={"u": "", "v": ""},
    sums={"u": 1 * v},
    blocks={"u": "x", "v": "y"},
)
forged("a block of a mean", "avg lies in the block x, and v, of which it is made, should too")(
    le(norm2(avg), 0), qed(by=[mean("avg")]), setting=CLIENTS, blocks={"avg": "x", "v": "y"}
)
forged(
    "special: a rule that an index changes through a definition",
    "eta may change with k; name it as a term of a sequence, or as fixed",
)(
    le(eta, 2 / (1 + R)),
    have("x", le(eta, 2 / (1 + k)), by=[SCHEDULE, unfold(D)]),
    special("A", "x", {k: R}),
    rules={eta: D, rho: 1 / (1 + k)},
    setting=TERM,
    where={D: 2 * rho},
)
forged("special: a hypothesis about what a rule changes", "k is a symbol of the claim, not an index")(
    le(R, 1),
    ge(eta, sp.S.Half),
    have("rule", ge(1 / (1 + k), sp.S.Half), by=[SCHEDULE]),
    have("x", le(k, 1), by=["rule"]),
    special("A", "x", {k: R}),
    rules={eta: 1 / (1 + k)},
    setting=TERM,
)
forged("special: a hypothesis about a term, through a definition", "k is a symbol of the claim, not an index")(
    le(m_0, 1),
    le(D, 1),
    have("w", le(seq(k), 1), by=[SEQUENCES]),
    special("A", "w", {k: sp.S.Zero}),
    qed(by=["A", SEQUENCES]),
    where={D: m},
    setting=TERM,
)
true("dissimilar gradients at one point")(lambda: dissimilar_at(""))
true("a maximum")(le(a(0), b), *AT_MOST, setting=LARGEST)
true("a rule at another value of its index")(
    le(1 / (1 + R), 1), have("x", le(1 / (1 + k), 1)), special("A", "x", {k: R}), rules={eta: 1 / (1 + k)}, setting=TERM
)

# --- signs of defined symbols, roots in a lemma, and what a cite leaves out

forged("special: a maximum that a declared sign decides", "it needs D_def > 0")(
    ge(L, mu), have("x", ge(sp.Max(t, 0), 0)), special("A", "x", {t: D}), qed(by=["A", unfold(D)]), where={D: L - mu}
)
forged("rewritten: a maximum that a declared sign decides", "it needs D_def > 0")(
    ge(L, mu),
    eq(t, D),
    have("x", ge(sp.Max(t, 0), 0)),
    have("e", eq(t, D)),
    rewritten("A", "x", by=["e"]),
    qed(by=["A", unfold(D)]),
    where={D: L - mu},
)
forged("split: a root that a declared sign decides", "it needs D_def > 0")(
    ge(L, mu), split("A", [D**2, D**2], to=sp.S.Half), where={D: L - mu}
)
forged("exponential: a root that a declared sign decides", "it needs D_def > 0")(
    ge(L, mu),
    sp.Ne(D, 0, evaluate=False),
    logarithm("log", D**2, below=True),
    have("half", le(0, sp.log(D**2) / 2 - sp.log(D**2) / 2 + 1)),
    have("x", le((1 - D ** (-2)) / 2, sp.log(D**2) / 2), by=["log"]),
    exponential("A", "x"),
    where={D: L - mu},
)
forged("split: no terms", "a sum of no terms")(le(R, 0), split("x", [], to=0))
forged("cite: a root in a statement, chosen to vanish", "a meaning only where b >= 0")(
    ge(b, 0),
    qed(
        by=[
            cite(
                lemma(ge((t + b ** sp.Rational(1, 4)) ** 4, 0), setting=Setting(free=(t,)), proof=[qed()]),
                at={t: sp.S.Zero},
            )
        ]
    ),
)
forged("cite: a term of a sequence at another place", "its proof taken again with our vectors, stops at")(
    ge(seq(k), 0),
    qed(
        by=[
            cite(
                lemma(
                    ge(seq(k), 0),
                    setting=Setting(depends={"x": ""}, metrics={m: norm2(x)}, sequences={m: seq(k)}),
                    proof=[have("p", ge(m, 0)), qed(by=["p", SEQUENCES])],
                ),
                vectors={"x": y},
            )
        ]
    ),
    depends={"y": ""},
)
forged("cite: a minimiser under another name", "the claim does not assume Minimiser of f")(
    le(dot(h, w), 0),
    Smooth("f", L),
    WholeSpace("Y"),
    qed(by=[cite(FLAT, points={"f.z": "f.y"}, vectors={"w": w})]),
    depends={"y": "", "h": "", "w": ""},
    functions={"f": {"y": (y, h, f_y)}},
    measured=(f_y,),
)
forged("cite: any vectors as gradients", "say which point of ours is f.x")(
    ge(L * dot(n - e1, u - v), norm2(n - e1)),
    Smooth("f", L),
    Convex("f"),
    qed(by=[cite(COCOERCIVE, vectors={"x": u, "y": v, "g": n, "h": e1})]),
    depends=dict.fromkeys(("u", "v", "n", "e1"), ""),
)
forged("cite: any vectors as points of a set", "say which point of ours is X.x")(
    le(dot(y - w, n - w), 0),
    ClosedConvex("X"),
    qed(by=[cite(NEAREST, vectors={"x": y, "u": w, "v": n})]),
    depends={"y": "", "w": "", "n": ""},
)
forged("cite: a bound in one block for all of a gradient", "its proof taken again with our vectors, stops at")(
    le(norm2(g + h), c**2),
    BoundedGradient("phi", c, "x"),
    qed(by=[cite(STEEP, points={"f.x": "phi.x"})]),
    depends={"x": "", "g": "", "h": ""},
    blocks={"g": "x", "h": "y"},
    functions={"phi": {"x": (x, g + h, f_x)}},
    measured=(f_x,),
)
forged("cite: a weighted sample mean of a fixed vector", "s is -mb + u here, and sampling is about one vector")(
    le(norm2(u - mb), c * norm2(u - v)),
    *DRAWN,
    qed(by=[cite(DRAWN_MEAN, points={"f.each": "f.each", "f.drawn": "f.drawn"})]),
    setting=CLIENTS,
    depends={**CLIENTS.depends, "u": ""},
    weighted=("client",),
    functions={"f": {"each": (u - v, None, f_x), "drawn": (u - mb, None, f_y)}},
)
true("gradients as gradients")(
    ge(L * dot(n - e1, u - v), norm2(n - e1)),
    Smooth("f", L),
    Convex("f"),
    qed(by=[cite(COCOERCIVE, points={"f.x": "f.u", "f.y": "f.v"})]),
    depends=dict.fromkeys(("u", "v", "n", "e1"), ""),
    functions={"f": {"u": (u, n, f_x), "v": (v, e1, f_y)}},
    measured=(f_x, f_y),
)
true("a bound in one block for its part")(
    le(norm2(g), c**2),
    BoundedGradient("phi", c, "x"),
    qed(by=[cite(STEEP, points={"f.x": "phi.x"})]),
    depends={"x": "", "g": ""},
    blocks={"g": "x"},
    functions={"phi": {"x": (x, g, f_x)}},
    measured=(f_x,),
)
true("a defined symbol whose sign follows")(
    ge(D, 0), sp.Gt(L, mu, evaluate=False), have("x", ge(sp.Max(t, 0), 0)), special("A", "x", {t: D}), where={D: L - mu}
)


# --- roots, powers and logarithms that are no real numbers, in a relation whose rest is one

CONSTANT = Setting(fixed=(b,))
FOURTH = sp.Rational(1, 4)
forged("a root that is simplified away at a value", "**4 >= 0 has a meaning only where b >= 0")(
    ge(b, 0), have("x", ge((t + b**FOURTH) ** 4, 0)), special("y", "x", {t: sp.S.Zero}), setting=CONSTANT
)
forged("a root that is simplified away in a limit", "**4 >= 0 has a meaning only where b >= 0")(
    ge(b, 0), have("x", ge((s + b**FOURTH) ** 4, 0)), limit("y", "x", over=s), setting=CONSTANT
)
forged("a root that is simplified away by an equation", "**4 >= 0 has a meaning only where b >= 0")(
    ge(b, 0),
    eq(fre, 0),
    have("x", ge((fre + b**FOURTH) ** 4, 0)),
    have("zero", eq(fre, 0)),
    rewritten("y", "x", by=["zero"]),
    setting=CONSTANT,
)
forged("a power that is a root at a value", "b**(2*t) >= 0 has a meaning only where b >= 0")(
    ge(b, 0), have("x", ge((b**t) ** 2, 0)), special("y", "x", {t: sp.S.Half}), setting=CONSTANT
)
forged("a logarithm of a negative number, squared", "log(t)**2 >= 0 has a meaning only where t > 0")(
    ge(-(sp.pi**2), 0), have("x", ge(sp.log(t) ** 2, 0)), special("y", "x", {t: sp.S(-1)})
)
forged("zero to the power of zero", "p**(t + 1) <= 0 has a meaning only where Ne(p, 0)")(
    le(R, 0),
    have("x", le(p ** (t + 1), 0), when=[eq(p, 0)]),
    special("y", "x", {p: sp.S.Zero, t: sp.S(-1)}),
    summed("z", "y", over=j, start=1, last=R),
)
true("a root of what is nonnegative, at a value")(
    ge(p, 0), have("x", ge((t + p**FOURTH) ** 4, 0)), special("y", "x", {t: sp.S.Zero}), fixed=(p,)
)


# --- what a sum, a case and a definition simplify away

forged("a root that is simplified away in a sum", "has a meaning only where b >= 0")(
    ge(b, 0), have("x", ge((k + b**FOURTH) ** 4, 0)), summed("y", "x", over=k, start=0, last=0), setting=CONSTANT
)
forged("a root that is simplified away in a case", "has a meaning only where b >= 0")(
    ge(b, 0),
    have("x", ge((t + b**FOURTH) ** 4, 0)),
    have("y", ge(b, 0), when=[eq(t, 0)], by=["x"]),
    special("z", "y", {t: sp.S.Zero}),
    setting=CONSTANT,
)
forged("a root that a definition simplifies away", "has a meaning only where b >= 0")(
    ge(b, 0), have("x", ge((D + b**FOURTH) ** 4, 0)), qed(by=["x", unfold(D)]), setting=CONSTANT, where={D: L - L}
)
forged("a root that the declared sign of a definition makes real", "has a meaning only where D_def >= 0")(
    ge(L, mu),
    have("x", ge((t + D**FOURTH) ** 4, 0)),
    special("y", "x", {t: sp.S.Zero}),
    qed(by=["y", unfold(D)]),
    where={D: L - mu},
    fixed=(L, mu),
)
forged("cite: a root that the declared sign of a definition makes real", "has a meaning only where D_def >= 0")(
    ge(L, mu),
    qed(
        by=[cite(lemma(ge((fre + D**FOURTH) ** 4, 0), where={D: L - mu}, setting=Setting(free=(fre,)), proof=[qed()]))]
    ),
)
forged("a root in words", "has a meaning only where b >= 0")(
    ge(b, 0), in_words("x", ge((t + b**FOURTH) ** 4, 0), "w"), special("y", "x", {t: sp.S.Zero}), setting=CONSTANT
)
true("a root of a defined symbol whose sign follows from that of another")(
    ge((b + D**FOURTH) ** 2, 0), sp.Gt(L, mu, evaluate=False), qed(), where={D: 1 / D_GAP, D_GAP: L - mu}
)

# --- integers, and symbols on which it depends what a metric is

PRODUCT = ge((D_WHOLE - 1) * (D_WHOLE - 2), 0)
forged("cases of a defined integer that is none", "it needs D_whole >= 2")(
    PRODUCT,
    have("low", PRODUCT, when=[le(D_WHOLE, 1)]),
    have("high", PRODUCT, when=[ge(D_WHOLE, 2)]),
    cases("both", PRODUCT, on=le(D_WHOLE, 1), yes="low", no="high"),
    where={D_WHOLE: L},
)
forged("total: a horizon that is no integer", "s is not known to be an integer")(
    le(m, 0), total("w", le(sp.Sum(2 * j, (j, 1, s)), 2 * s**2 - 2 * s + 2), s), qed(), setting=ANY
)
forged("special: the range of a maximum", "b may change with R")(
    le(a(K), b),
    have("term", le(a(k), b), by=[largest(b)], when=[ge(k, 0), le(k, R)]),
    special("x", "term", {R: K, k: K}),
    maxima={b: (a(k), (k, 0, R))},
    fixed=(b,),
)
forged("special: the length of a sum that is a metric", "m may change with R")(
    le(m, seq(0) + seq(1)),
    have("w", le(m, sp.Sum(seq(k), (k, 0, R))), by=[SEQUENCES]),
    special("x", "w", {R: sp.S.One}),
    sequences={m: sp.Sum(seq(k), (k, 0, R))},
    fixed=(m,),
)
forged("special: a hypothesis about the length of a sum", "R is a symbol of the claim")(
    le(K, 1),
    ge(1, acc),
    have("w", le(R + 1, 1), by=[SEQUENCES]),
    special("x", "w", {R: K}),
    sequences={acc: sp.Sum(1, (k, 0, R))},
)
forged("special: a term of a sequence that is called fixed", "m may change with k")(
    le(m, seq(0)),
    have("w", le(m, seq(k)), by=[SEQUENCES]),
    special("x", "w", {k: sp.S.Zero}),
    setting=TERM,
    fixed=(m,),
)
forged("special: a value that is called fixed, at a point that moves", "f_y may change with t")(
    le(f_y, f_x),
    Smooth("f", L),
    have("w", le(f_y, f_x - t * gap + L * t**2 / 2 * gap), by=[smooth("f", "x", "y")]),
    special("z", "w", {t: sp.S.Zero}),
    depends={"x": "", "g": ""},
    functions={"f": {"x": (x, g, f_x), "y": (x - t * g, None, f_y)}},
    metrics={gap: norm2(g)},
    measured=(f_x, f_y),
    fixed=(f_x, f_y, gap),
)
MEANS = Setting(
    depends={"n": "client xi", "avg": "round"},
    means={"avg": Mean("n", "client")},
    within={"xi": "client"},
    sizes={"client": N},
    metrics={m: norm2(avg), m_0: norm2(n)},
    free=(N,),
)
NOISES = (Unbiased("n", "client"), Independent("n", over="client"))
forged("cite: the size of an index that is called free", "N of test.lemma is not free to choose")(
    eq(M * m, m_0),
    *NOISES,
    qed(by=[cite(lemma(eq(N * m, m_0), *NOISES, setting=MEANS, proof=[qed(by=[variance("avg")])]), at={N: M})]),
    setting=MEANS,
)
COUNTED = lemma(
    ge((count - 1) * (count - 2) * norm2(x), 0),
    StronglyConvex("f", count),
    setting=Setting(depends={"x": ""}, counts=(count,)),
    proof=[
        have("low", ge((j - 1) * (j - 2), 0), when=[le(j, 1)]),
        have("high", ge((j - 1) * (j - 2), 0), when=[ge(j, 2)]),
        cases("both", ge((j - 1) * (j - 2), 0), on=le(j, 1), yes="low", no="high"),
        special("counted", "both", {j: count}),
        have("norm", ge(norm2(x), 0)),
        qed(by=["norm", "counted"], multipliers=[(count - 1) * (count - 2)]),
    ],
)
forged("cite: a whole number chosen as a fraction", "3/2 is not known to be an integer")(
    le(norm2(x), 0),
    StronglyConvex("f", sp.Rational(3, 2)),
    qed(by=[cite(COUNTED, at={count: sp.Rational(3, 2)}, vectors={"x": x})]),
    depends={"x": ""},
)
forged("cite: a whole number of the lemma alone", "count is not known to be an integer")(
    COUNTED.statement, StronglyConvex("f", count), qed(by=[cite(COUNTED, vectors={"x": x})]), depends={"x": ""}
)
true("cite: a whole number of both")(
    COUNTED.statement,
    StronglyConvex("f", count),
    qed(by=[cite(COUNTED, vectors={"x": x})]),
    depends={"x": ""},
    counts=(count,),
)
forged("cite: two functions in the place of one", "f of test.lemma would be phi and psi")(
    ge(L * dot(n - e1, u - v), norm2(n - e1)),
    Smooth("phi", L),
    Convex("phi"),
    qed(by=[cite(COCOERCIVE, points={"f.x": "phi.u", "f.y": "psi.v"})]),
    depends=dict.fromkeys(("u", "v", "n", "e1"), ""),
    functions={"phi": {"u": (u, n, f_x)}, "psi": {"v": (v, e1, f_y)}},
    measured=(f_x, f_y),
)


# --- what is supposed of one term, captured indices, signs of metrics, and divisors that nobody asked for

WHOLE_LENGTH = Setting(counts=(R,), free=(R,))
above = sp.Symbol("above", real=True)


def greater(small, large):
    return sp.Gt(large, small, evaluate=False)


def beyond(symbol, value, target):
    """From the meaning of an earlier step, that what takes the place of a symbol is above a value."""
    return (
        have("pos", greater(value, symbol), when=[sp.Ne(symbol - value, 0, evaluate=False)]),
        special("anywhere", "pos", {}),
        special("there", "anywhere", {symbol: target}),
    )


def held(value, **setting):
    """Rounds in terms of a number that is called fixed, and is not."""
    made = Setting(measured=(m,), rounds={rounds: Rounds(m, T, acc, held=(value,))}, **setting)
    claim = a_claim(
        le(rounds, C_O * acc ** (-sp.S.Half)),
        le(m, value / T**2),
        ge(T, 1),
        setting=made,
        where={D: eta} if value == D else None,
        schedule=Schedule("S-x", "t", {eta: T}),
    )
    return claim, have("bound", le(m, value / T**2)), exponents("o", "bound")


forged("a hypothesis about a metric that is made of a term", "k is a symbol of the claim, not an index")(
    ge(above, m_0),
    ge(gap, 0),
    have("w", ge(above, seq(k)), by=[SEQUENCES]),
    special("x", "w", {k: sp.S.Zero}),
    qed(by=["x", SEQUENCES]),
    metrics={gap: above - m},
    sequences={m: seq(k), m_0: seq(0)},
    measured=(m, m_0, above),
    fixed=(above,),
)
forged("a typed hypothesis with a constant that a rule changes", "k is a symbol of the claim, not an index")(
    le(m, 1 / (1 + R)),
    BoundedVariance("n", eta),
    have("v", le(m, eta), by=[variance("n")]),
    have("w", le(m, 1 / (1 + k)), by=["v", SCHEDULE]),
    special("x", "w", {k: R}),
    rules={eta: 1 / (1 + k)},
    depends={"n": "xi"},
    metrics={m: norm2(n)},
    sequences={m_0: seq(k)},
    measured=(m_0,),
    fixed=(m,),
)
forged("a typed hypothesis with a term as its constant", "k is a symbol of the claim, not an index")(
    le(b, m_0),
    BoundedVariance("n", m),
    have("w", le(b, seq(k)), by=[variance("n"), SEQUENCES]),
    special("x", "w", {k: 0}),
    qed(by=["x", SEQUENCES]),
    depends={"n": "xi"},
    metrics={b: norm2(n)},
    sequences={m_0: seq(0), m: seq(k)},
    measured=(m_0, m),
    fixed=(b,),
)
true("a hypothesis about the least of all terms")(
    ge(above, m_0),
    ge(gap, 0),
    have("w", ge(above, seq(k)), by=[least(gap)], when=[ge(k, 0), le(k, R)]),
    special("x", "w", {k: 0}),
    qed(by=["x", SEQUENCES]),
    minima={gap: (above - seq(k), (k, 0, R))},
    sequences={m_0: seq(0)},
    measured=(m_0, above),
    fixed=(above, gap, R),
)
for sort, made in {
    "a definition with a metric": {"setting": ANY, "where": {D: m - 1}},
    "a form": {"setting": TWO_POINTS, "metrics": {p: f_x - f_y}},
    "a sequence": {"sequences": {p: seq(0), m_0: seq(0)}, "measured": (p, m_0), "fixed": (p,)},
}.items():
    value, ground = (D, unfold(D)) if "where" in made else (p, SEQUENCES)
    goal = {"a form": ge(f_x, f_y), "a sequence": ge(m_0, 0)}.get(sort, ge(m, 1))
    forged(f"special: the declared sign of {sort}", f"it needs {value} >")(
        goal,
        have("x", ge(q if value == D else norm, 0)),
        special("y", "x", {q if value == D else norm: value}),
        qed(by=["y", ground]),
        **made,
    )
forged("induct: a declared sign at the start", "it needs D_def > 0")(
    ge(L, mu),
    ge(b, mu - L),
    ge(b, 0),
    have("d", ge(D + b, 0), by=[unfold(D)]),
    have("b", ge(b, 0)),
    induct("all", le(sp.Max(-D - k * b, D + k * b), D + k * b), over=k, by=["d", "b"]),
    where={D: L - mu},
    fixed=(L, mu, b),
)
forged("raised: zero to a power that may be zero", "has a meaning only where Ne(p, 0)")(
    greater(0, length), ge(t, 0), have("w", le(p, p + 1)), raised("r", "w", to=t), *beyond(p, 0, length)
)
forged("split: zero to a power that may be zero", "has a meaning only where Ne(p, 0)")(
    greater(0, length), ge(t, 0), le(t, 1), split("r", [p, p + 1], to=t), *beyond(p, 0, length)
)
forged("summed: a power that divides by zero", "it needs Ne(length, 0)")(
    greater(0, length),
    have("w", ge(p**k * a(k + 1), 0)),
    summed("r", "w", over=k, start=0, last=R),
    *beyond(p, 0, length),
    counts=(R,),
)
forged("summed: a weight that has a pole at the end", "it needs Ne(T - 1, 0)")(
    greater(1, T),
    have("w", ge(a(j + 1) / j, 0)),
    summed("r", "w", over=j, start=S, last=S + R),
    *beyond(S, 1, T),
    counts=(R,),
)
forged("a power that reads as a quotient by zero", "does not follow")(greater(0, p * (1 + p ** (2 * j - 2))), qed())
forged("a power that lets a multiplier divide by zero", "not known to be nonzero")(
    le(m, p ** (j - 1)), le(p * m, 0), have("h", le(p * m, 0)), qed(by=["h"]), setting=ANY
)
forged("cases: neither has a meaning", "t/p >= 0 has a meaning only where Ne(p, 0)")(
    ge(m, 1),
    ge(p * m, p),
    have("h", ge(p * m, p)),
    have("with t", le(t, t + p)),
    have("yes", ge(m, 1), by=["h", "with t"], when=[ge(t / p, 0)]),
    have("no", ge(m, 1), by=["h", "with t"], when=[sp.Lt(t / p, 0, evaluate=False)]),
    cases("both", ge(m, 1), on=ge(t / p, 0), yes="yes", no="no"),
    setting=ANY,
)
forged("special: the index of a sum", "violated")(
    eq(sp.Sum(k * a(k), (k, 0, R)), k * sp.Sum(a(k), (k, 0, R))),
    have("w", eq(sp.Sum(t * a(k), (k, 0, R)), t * sp.Sum(a(k), (k, 0, R)))),
    special("x", "w", {t: k}),
    qed(by=["x"]),
    setting=WHOLE_LENGTH,
)
forged("cite: the index of a sum", "violated")(
    eq(sp.Sum(k * a(k), (k, 0, R)), k * sp.Sum(a(k), (k, 0, R))),
    qed(
        by=[
            cite(
                lemma(
                    eq(sp.Sum(fre * a(k), (k, 0, R)), fre * sp.Sum(a(k), (k, 0, R))),
                    setting=Setting(free=(fre,)),
                    proof=[qed()],
                ),
                at={fre: k},
            )
        ]
    ),
)
forged("a definition with the index of a sum", "violated")(
    eq(sp.Sum(1 / (1 + k), (k, 0, R)), (R + 1) / (1 + k)),
    have("w", eq(sp.Sum(D, (k, 0, R)), (R + 1) * D)),
    qed(by=["w", unfold(D)]),
    where={D: 1 / (1 + k)},
    counts=(R,),
)
forged("a metric in a double sum", "violated")(
    le(sp.Sum(seq(k) * rho ** (k + j), (k, 0, R), (j, 0, K)), b),
    le(sp.Sum(m * rho ** (k + j), (k, 0, R), (j, 0, K)), b),
    have("w", le(sp.Sum(m * rho ** (k + j), (k, 0, R), (j, 0, K)), b)),
    qed(by=["w", SEQUENCES]),
    setting=TERM,
    sequences={m: seq(k)},
)
forged("a sum to what is no whole number", "violated")(ge(sp.Sum(1, (j, 1, s)), s), qed())
forged("a sum over fewer than no terms", "violated")(eq(sp.Sum(1, (j, 5, K)), K - 4), qed())
true("a sum over no terms or more")(eq(sp.Sum(1, (j, 5, K)), K - 4), ge(K, 4), qed())
forged("a function that is not real", "is no real number")(ge(sp.acos(2) ** 2, 0), qed())
forged("an imaginary symbol", "is no real number")(ge(sp.Symbol("im", imaginary=True) ** 2, 0), qed())
forged("a minimum over real numbers", "t is the index of a minimum or maximum and should be an integer")(
    lambda: said(le(m, 0), qed(), minima={m: (seq(t), (t, 0, K))})
)
forged("variance: mean zero over all clients together", "n has mean zero over all client together")(
    eq(N * norm2(avg), norm2(n)),
    Unbiased("n", ""),
    Independent("n", over="client"),
    qed(by=[variance("avg")]),
    depends={"n": "client xi", "avg": "round"},
    means={"avg": Mean("n", "client")},
    within={"xi": "client"},
    sizes={"client": N},
)
forged("an infimum as a value, without saying that it is attained", "its gradient should be zero, not h")(
    lambda: said(
        ge(f_x, m_0 + dot(h, x - y)),
        Convex("f"),
        BoundedBelow("f"),
        qed(by=[convex("f", "x", "y")]),
        depends=TWO_POINTS.depends,
        functions={"f": {"x": (x, g, f_x), "y": (y, h, m_0)}},
        infima={"f": m_0},
        measured=(f_x, m_0),
    )
)
forged("exponents: what a rule changes, through a definition", "D_def changes with T")(lambda: held(D))
forged("exponents: what changes with an index", "c is not held fixed")(
    lambda: held(c, sequences={c: sp.Function("c_k", positive=True)(j), m_0: seq(j)})
)

# --- cites: constants, values, infima and divisors of the lemma

STEADY = lemma(
    le(norm2(n), norm2(x)),
    BoundedVariance("n", m),
    setting=Setting(depends={"n": "xi", "x": ""}, metrics={m: norm2(x)}),
    proof=[qed(by=[variance("n")])],
)
STRONG = lemma(
    ge(GAP, norm2(y - x)),
    StronglyConvex("f", D),
    setting=TWO_POINTS,
    where={D: sp.S(2)},
    proof=[qed(by=[convex("f", "x", "y"), unfold(D)])],
)
ABOVE = lemma(
    ge(f_x, q),
    Convex("f"),
    Attained("f"),
    setting=Setting(
        depends=dict.fromkeys(("x", "u", "g"), ""),
        functions={"f": {"x": (x, g, f_x), "least": (u, Vector(), q)}},
        measured=(f_x,),
    ),
    proof=[qed(by=[convex("f", "x", "least")])],
)
INFIMA = lemma(
    ge(c, q),
    BoundedBelow("f"),
    BoundedBelow("F"),
    setting=Setting(depends={"x": ""}, made={"F": Mean("f", "client")}, infima={"F": c, "f": q}),
    proof=[qed(by=[infimum("F")])],
)
FAR = lemma(
    ge(sp.Max(-fre, 0) + m, m + 1),
    le(fre, -1),
    setting=Setting(free=(fre,), measured=(m,)),
    proof=[have("h", le(fre, -1)), have("x", ge(sp.Max(-fre, 0), 1), by=["h"]), qed(by=["x"])],
)
NOISE_AT = {"depends": {"n": "xi", "x": "", "y": ""}, "metrics": {m: norm2(x)}}
forged("cite: a metric as a constant, chosen", "m of test.lemma is not free to choose")(
    le(norm2(n), norm2(y)),
    BoundedVariance("n", sp.S(5)),
    qed(by=[cite(STEADY, at={m: sp.S(5)}, vectors={"n": n, "x": y})]),
    **NOISE_AT,
)
forged("cite: a metric as a constant, elsewhere", "violated")(
    le(norm2(n), norm2(y)), BoundedVariance("n", m), qed(by=[cite(STEADY, vectors={"n": n, "x": y})]), **NOISE_AT
)
for where, why, how in (
    ("there", "violated by 1/2 at D_def = 1", {"points": {"f.x": "f.x", "f.y": "f.y"}}),
    ("as it stands", "D_def of test.lemma is another number here", {}),
):
    forged(f"cite: a constant that is defined otherwise, {where}", why)(
        STRONG.statement, StronglyConvex("f", D), qed(by=[cite(STRONG, **how)]), setting=TWO_POINTS, where={D: sp.S.One}
    )
true("cite: a constant that is defined alike")(
    STRONG.statement,
    StronglyConvex("f", D),
    qed(by=[cite(STRONG, points={"f.x": "f.x", "f.y": "f.y"})]),
    setting=TWO_POINTS,
    where={D: sp.S(2)},
)
forged("cite: a value at no point", "q is at no point that was named")(
    ge(f_y, q), Convex("f"), Attained("f"), qed(by=[cite(ABOVE, points={"f.x": "f.y"})]), setting=TWO_POINTS
)
forged("cite: infima of no function of ours", "c is at no point that was named")(
    ge(c, q), BoundedBelow("f"), BoundedBelow("F"), qed(by=[cite(INFIMA, vectors={"x": y})]), depends={"y": ""}
)
true("cite: infima of functions of ours")(
    ge(m, b),
    BoundedBelow("f"),
    BoundedBelow("F"),
    qed(by=[cite(INFIMA, vectors={"x": y})]),
    depends={"y": ""},
    made={"F": Mean("f", "client")},
    infima={"F": m, "f": b},
)
forged("cite: a declared sign that simplifies a choice away", "it needs D_def > 0")(
    le(c, 0),
    le(L - mu, -1),
    have("d", le(D, -1), by=[unfold(D)]),
    have("x", ge(m, m + 1), by=[cite(FAR, at={fre: D}), "d"]),
    qed(by=["x"], multipliers=[c]),
    where={D: L - mu},
    measured=(m,),
)


# --- what has no meaning, hidden in a sum, a definition or a form; keys that are no symbols; signs of indices

D_ANY = declare("D_any", "a defined number", paper="test", real=True, defined=True)
ABOVE_ZERO = sp.Gt(p, 0, evaluate=False)
POWERS_SHIFTED = ge(sp.Sum(a(k + 1) / (k + T), (k, 0, R)) + b, 0)
SHIFTED = {"measured": (b,), "counts": (R,)}
BLANK = {"depends": {"x": ""}, "measured": (b,), "fixed": (m, b)}

for name, key in {"a number": sp.S.One, "a term": a(0), "a power": c**2}.items():
    forged(f"special: {name} in the place of a symbol", f"{key} is no symbol")(
        le(m, 0), le(m, key), have("x", le(m, key)), special("y", "x", {key: 0}), setting=ANY, fixed=(m,)
    )
forged("a metric that is a number", "1 is no metric")(lambda: said(le(1, 0), qed(), metrics={sp.S.One: sp.S.Zero}))
forged("a metric that is made of itself", "p stands for p + 1, in which it is itself")(
    lambda: said(ge(p, 1), qed(), metrics={p: p + 1})
)
forged("special: what is the root of a form", "norm is a symbol of the claim")(
    le(m, 0),
    have("w", le(m, norm**2)),
    special("z", "w", {norm: 0}),
    metrics={norm**2: norm2(x), m: norm2(x)},
    depends={"x": ""},
    fixed=(m,),
)
true("the root of a form")(le(m, 4 * norm**2), qed(), metrics={norm**2: norm2(x), m: norm2(x)}, depends={"x": ""})
forged("a power inside a sum that is a root at a value", "has a meaning only where b >= 0")(
    ge(b, 0),
    have("x", ge(sp.Sum((b**t) ** 2, (j, 1, R)), 0)),
    special("y", "x", {t: sp.S.Half}),
    counts=(R,),
    fixed=(b,),
)
forged("a sum over an index with a sign that it has not at its start", "violated")(
    ge(sp.Sum(a(j) / (2 * j - 1), (j, 0, n_0)), 0), qed()
)
forged("a definition as a sum over an index with another sign", "violated")(
    ge(D, 0), qed(), where={D: sp.Sum(a(j) / (2 * j - 1), (j, 0, 0))}
)
true("a sum over an index with the sign of its start")(ge(sp.Sum(a(j) / (2 * j + 1), (j, 0, n_0)), 0), qed())
forged("a sum that is written with a divisor more", "violated")(
    POWERS_SHIFTED, ge((T - 1) * b, 0), le(a(0), 0), qed(), **SHIFTED
)
forged(
    "a sum that is written with a divisor of another sign than is declared", "has a meaning only where Ne(D_def, 0)"
)(ge(sp.Sum(D**k * a(k + 1), (k, 0, R)) + b, 0), ge(D * b, 0), le(a(0), 0), qed(), where={D: p}, **SHIFTED)
true("a sum of terms further on")(POWERS_SHIFTED, ge(b, 0), qed(), **SHIFTED)
INVERSE = have("e", eq(p * D_ANY, 1), by=[unfold(D_ANY)])
forged("a definition that divides by zero", "has a meaning only where Ne(p, 0)")(
    ABOVE_ZERO, INVERSE, qed(by=["e"]), where={D_ANY: 1 / p}
)
true("a definition that divides")(ge(D_ANY, 0), ABOVE_ZERO, INVERSE, qed(by=["e"]), where={D_ANY: 1 / p})
for why, factor in {"Ne(p, 0)": 1 / p, "b >= 0": sp.sqrt(b)}.items():
    forged(f"a form that has a meaning for some numbers only: {factor}", f"has a meaning only where {why}")(
        ge(b, 0),
        ge(p * b, 0),
        have("e", ge(length * m + b, 0)),
        special("z", "e", {length: 0}),
        metrics={m: factor * norm2(x)},
        **BLANK,
    )
true("a form that has a meaning")(ge(m, 0), ABOVE_ZERO, qed(), depends={"x": ""}, metrics={m: norm2(x) / p})
forged("total: the declared sign of a definition", "D_def is not known to be positive")(
    ge(D, 0),
    sp.Gt(L - mu, -5, evaluate=False),
    total("t", ge(D**R / R, 0), R, above={D: -5}),
    special("o", "t", {R: 1}),
    where={D: L - mu},
    fixed=(L, mu),
)
forged("an infinite symbol", "is no real number")(lambda: said(sp.Lt(INFINITE, INFINITE + 1, evaluate=False), qed()))
INFINITE = sp.Symbol("E", extended_real=True)
for made in (sp.Product(t, (k, 0, 1)), sp.Integral(t, (k, 0, 1)), sp.Derivative(t, t, evaluate=False)):
    forged(f"no sum: {type(made).__name__}", "is no real number")(ge(made, made), qed())
forged("exponents: rounds that are no integers", "q is not known to be an integer")(
    lambda: (
        a_claim(
            le(rounds, C_O * c / acc),
            le(m, c / (sp.log(q) * q)),
            ge(q, 1),
            greater(0, sp.log(q)),
            setting=Setting(measured=(m,), rounds={rounds: Rounds(m, q, acc)}),
        ),
        have("bound", le(m, c / (sp.log(q) * q))),
        exponents("o", "bound"),
    )
)
true("exponents: rounds that are above one")(lambda: order(c / (sp.log(T) * T), c / acc, greater(0, sp.log(T))))
for how, named in {"": {}, ", named by itself": {a(k): a(k)}}.items():
    forged(f"a term with a sign that its form has not{how}", "a(k) is not known to have the sign of its sequence")(
        ge(f_x, f_y),
        have("n", ge(a(n_0), 0)),
        special("q", "n", {n_0: k}),
        setting=TWO_POINTS,
        metrics={a(k): f_x - f_y},
        sequences=named,
    )
true("a term with the sign of its form")(
    ge(norm2(x), 0), have("n", ge(a(n_0), 0)), special("q", "n", {n_0: k}), depends={"x": ""}, metrics={a(k): norm2(x)}
)
for name, (supposed, form) in {
    "value": (f_x, f_x),
    "metric": (b, f_x),
    "square": (norm2(x), norm2(x)),
}.items():
    forged(f"a hypothesis about the {name} at one step", "k is a symbol of the claim, not an index")(
        le(seq(R), c),
        le(supposed, c),
        have("w", le(seq(k), c)) if name != "square" else in_words("w", le(seq(k), c), "w"),
        special("z", "w", {k: R}),
        metrics={seq(k): form, b: f_x},
        functions={"f": {"x": (x, None, f_x)}},
        depends={"x": ""},
        measured=(f_x,),
        counts=(R,),
    )

# --- vectors, functions and assumptions that are not what they are said to be

forged("a gradient that is known before its point", "the gradient of f at x should depend on xi, as the point does")(
    lambda: said(
        eq(dot(n, g), 0),
        Unbiased("n", "past"),
        Smooth("f", L),
        qed(by=[fresh("n")]),
        depends={"x": "past xi", "g": "past", "n": "past xi"},
        functions={"f": {"x": (x, g, f_x)}},
        measured=(f_x,),
    )
)
true("a gradient that is known before a noise")(
    eq(dot(n, g), 0),
    Unbiased("n", "past"),
    Smooth("f", L),
    qed(by=[fresh("n")]),
    depends={"x": "past", "g": "past", "n": "past xi"},
    functions={"f": {"x": (x, g, f_x)}},
    measured=(f_x,),
)
forged("a gradient that is the same for all clients", "the gradient of f at x should depend on client")(
    lambda: said(
        le(norm2(g - avg), 0),
        qed(by=[mean("avg")]),
        depends={"x": "", "g": "", "avg": ""},
        means={"avg": Mean("g", "client")},
        made={"F": Mean("f", "client")},
        functions={"F": {"x": (x, avg, f_x)}, "f": {"x": (x, g, f_x)}},
    )
)
forged("a vector that has a name twice", "each name once")(lambda: said(le(norm2(Vector((("x", 1), ("x", 1)))), 0)))


def random_map(point):
    """``||G x - G y||^2 <= L^2 ||x - y||^2`` for a map that depends on xi, and a point that depends on these words."""
    return (
        le(norm2(g - h), L**2 * norm2(x - y)),
        Lipschitz("G", L, random="xi", given="past"),
        qed(by=[lipschitz("G", "x", "y")]),
    ), {
        "depends": {"x": "", "g": "xi", "y": point, "h": f"{point} xi"},
        "functions": {"G": {"x": (x, g, None), "y": (y, h, None)}},
    }


parts, made = random_map("xi")
forged("a map that is Lipschitz in mean square, at a point that knows it", "G is random by xi")(*parts, **made)
parts, made = random_map("past")
true("a map that is Lipschitz in mean square, at a point of the past")(*parts, **made)


class Lying(Convex):
    """Convexity, with a fact of its own."""

    def facts(self, *points):
        return Given("", (le(f_x, f_y),))


forged("an assumption of another kind", "the claim does not assume Convex of f")(
    le(f_x, f_y), Lying("f"), qed(by=[convex("f", "x", "y")]), setting=TWO_POINTS
)

# --- cites: minima, signs and settings

LEAST = lemma(
    ge(dot(g, u - x), 0),
    Smooth("f", L),
    Minimiser("f", "x*", "X"),
    ClosedConvex("X"),
    setting=Setting(
        depends=dict.fromkeys(("x", "g", "u"), ""),
        functions={"f": {"x*": (x, g, f_x)}, "X": {"u": (u, u), "x": (x, x)}},
        measured=(f_x,),
    ),
    proof=[qed(by=[optimal("f")])],
)
for name, (point, over), why in (
    ("at the minimum", ("z", "Y"), ""),
    ("at another point", ("x*", "Y"), "violated"),
    ("over another set", ("z", "X"), "does not assume ClosedConvex of X"),
):
    kind = f"cite: a minimum that is supposed, {name}"
    (forged(kind, why) if why else true(kind))(
        ge(dot(h, v - y), 0),
        Smooth("f", L),
        Minimiser("f", point, over),
        ClosedConvex("Y"),
        qed(by=[cite(LEAST, points={"f.x*": "f.z", "X.u": "Y.v", "X.x": "Y.y"})]),
        depends=dict.fromkeys(("x", "g", "y", "h", "v"), ""),
        functions={"f": {"x*": (x, g, f_x), "z": (y, h, f_y)}, "Y": {"v": (v, v), "y": (y, y)}},
        measured=(f_x, f_y),
    )
BOUNDED = lemma(ge(b, 0), le(p, b), proof=[have("h", le(p, b)), qed(by=["h"])])
forged("cite: the declared sign of a metric in a hypothesis", "it needs p >= 0")(
    ge(b, 0), le(p, b), qed(by=[cite(BOUNDED)]), setting=TWO_POINTS, metrics={p: f_x - f_y}
)
true("cite: the sign of a metric in a hypothesis")(
    ge(b, 0), le(p, b), qed(by=[cite(BOUNDED)]), setting=TWO_POINTS, metrics={p: norm2(x)}
)


# --- a rule of the schedule is a definition: the declared sign of its symbol has to follow

SIGN_OF_A_RULE = (have("e", ge(eta, 0)), qed(by=["e", SCHEDULE]))
forged("schedule: the declared sign of a rule", "violated")(le(c, 1), *SIGN_OF_A_RULE, rules={eta: 1 - c})
forged("schedule: the declared sign of a rule at a value", "it needs eta > 0")(
    le(c, 1), have("x", ge(q, 0)), special("y", "x", {q: eta}), qed(by=["y", SCHEDULE]), rules={eta: 1 - c}
)
forged("schedule: the declared sign of a rule, through a lemma", "it needs eta > 0")(
    le(c, 1),
    have("x", ge(eta, 0), by=[cite(lemma(ge(eta, 0), proof=[qed()]))]),
    qed(by=["x", SCHEDULE]),
    rules={eta: 1 - c},
)
forged("schedule: signs that rules and definitions give each other", "violated")(
    le(c, 1), *SIGN_OF_A_RULE, rules={eta: D, D: 1 - c}, where={D: eta}
)
true("schedule: a sign that is supposed")(le(c, 1), greater(0, eta), *SIGN_OF_A_RULE, rules={eta: 1 - c})
true("schedule: a sign that follows")(
    ge(1 - eta, 0), le(c, 1), have("e", ge(eta, 0), by=[SCHEDULE]), qed(by=["e", SCHEDULE]), rules={eta: 1 - c}
)

# --- one meaning for each metric: in a setting, in those that it names, and at the points of a cite

EQUAL = have("e", eq(m, b), by=[SEQUENCES])
forged("two forms as one term", "m and b are one number with two forms")(
    lambda: said(
        le(norm2(x), norm2(y)),
        EQUAL,
        qed(by=["e"]),
        depends={"x": "", "y": ""},
        metrics={m: norm2(x), b: norm2(y)},
        sequences={m: seq(k), b: seq(k)},
    )
)
forged("one form as two terms", "m and b have one form and are two terms")(
    lambda: said(
        eq(seq(R), seq(0)),
        have("e", eq(m, b)),
        have("s", eq(seq(k), seq(0)), by=["e", SEQUENCES]),
        special("r", "s", {k: R}),
        depends={"x": ""},
        metrics={m: norm2(x), b: norm2(x)},
        sequences={m: seq(k), b: seq(0)},
        counts=(R,),
    )
)
forged("one form as two sums", "m and b have one form and are two terms")(
    lambda: said(
        eq(seq(R), 0),
        qed(),
        depends={"x": ""},
        metrics={m: norm2(x), b: norm2(x)},
        sequences={m: sp.Sum(seq(k), (k, 0, R)), b: sp.Sum(seq(k), (k, 0, R - 1))},
        counts=(R,),
    )
)
true("two forms as two terms")(
    le(seq(k), 4 * seq(0)),
    have("w", le(m, 4 * b), by=[written_out("x")]),
    qed(by=["w", SEQUENCES]),
    sums={"x": 2 * y},
    depends={"x": "", "y": ""},
    metrics={m: norm2(x), b: norm2(y)},
    sequences={m: seq(k), b: seq(0)},
)

NOISE_IS = Setting(depends={"n": "xi", "w": ""}, metrics={m: norm2(n)})
SMALL = lemma(le(m, c), BoundedVariance("n", c), setting=NOISE_IS, proof=[qed(by=[variance("n")])])
AS_A_NUMBER = lemma(
    le(m, c), BoundedVariance("n", c), setting=Setting(measured=(m,), others=(NOISE_IS,)), proof=[qed(by=[cite(SMALL)])]
)
NO_NOISE = {"depends": {"w": "", "n": "xi"}, "metrics": {m: norm2(w)}}
forged("another setting: another form", "m has another form in another setting")(
    lambda: said(le(norm2(w), c), BoundedVariance("n", c), qed(by=[cite(SMALL)]), **NO_NOISE, others=(NOISE_IS,))
)
forged("another setting: another form, behind a claim that has none", "test.lemma is stated in another setting")(
    le(norm2(w), c), BoundedVariance("n", c), qed(by=[cite(AS_A_NUMBER)]), **NO_NOISE
)
forged("another setting: the form of a vector that is another", "n is another vector in another setting")(
    lambda: said(
        le(m, c),
        BoundedVariance("n", c),
        qed(by=[cite(SMALL)]),
        depends={"n": "client xi"},
        metrics={m: norm2(n)},
        others=(NOISE_IS,),
    )
)
forged("another setting: the value of another function", "f_x is the value of another function in another setting")(
    lambda: said(
        ge(m, 0),
        qed(by=[cite(lemma(ge(m, 0), Convex("f"), Attained("f"), setting=NOISE_IS, proof=[qed()]))]),
        functions={"h": {"x": (x, g, f_x)}},
        depends={"x": "", "g": ""},
        metrics={m: f_x},
        others=(Setting(depends={"x": "", "g": ""}, functions={"f": {"x": (x, g, f_x)}}, metrics={m: f_x}),),
    )
)
forged("another setting: two of them", "m has another form in another setting")(
    lambda: said(
        le(m, 0),
        qed(),
        measured=(m,),
        others=(NOISE_IS, Setting(depends={"w": ""}, metrics={m: norm2(w)})),
    )
)
forged("another setting: a metric as an index", "m is a symbol of the claim, not an index")(
    le(2 * c, c),
    BoundedVariance("n", c),
    have("w", le(m, c), by=[cite(SMALL)]),
    special("z", "w", {m: 2 * c}),
    others=(NOISE_IS,),
)
forged("another setting: a metric that changes", "m may change with k; name it as a term of a sequence, or as fixed")(
    le(seq(R), seq(0) + R * m),
    BoundedVariance("n", c),
    in_words("st", le(seq(k + 1), seq(k) + m), "w"),
    summed("t", "st", over=k, start=0, last=R - 1),
    others=(NOISE_IS,),
    counts=(R,),
)
forged("another setting: inner products", "<n,w> belongs to another setting")(
    eq(dot(n, w), 0),
    Unbiased("n", "past"),
    qed(by=[cite(ORTHOGONAL)]),
    depends={"n": "past", "w": "past"},
    others=(ORTHOGONAL.setting,),
)
forged("another setting: the declared sign of a form", "violated")(
    ge(p, 0), qed(), others=(replace(TWO_POINTS, metrics={p: f_x - f_y}),)
)
true("another setting: a metric as a number")(
    le(m, c), BoundedVariance("n", c), qed(by=[cite(AS_A_NUMBER)]), measured=(m,), others=(NOISE_IS,)
)
true("another setting: with the same form")(
    le(m, c), BoundedVariance("n", c), qed(by=[cite(AS_A_NUMBER)]), setting=replace(NOISE_IS, others=(NOISE_IS,))
)

A_RUN = Setting(
    depends=dict.fromkeys("xyuv", ""),
    sums={"y": x / 2},
    metrics={m: norm2(x), b: norm2(y), p: norm2(u), norm: norm2(v)},
    sequences={m: seq(k), b: seq(k + 1), p: seq(0), norm: seq(R)},
    counts=(R,),
)
LAST = lemma(
    le(norm, p),
    setting=A_RUN,
    proof=[
        have("one", le(b, m), by=[written_out("y")]),
        have("step", le(seq(k + 1), seq(k)), by=["one", SEQUENCES]),
        induct("all", le(seq(k), seq(0)), over=k, by=["step"]),
        special("last", "all", {k: R}),
        qed(by=["last", SEQUENCES]),
    ],
)
AT_ENDS = {"u": x, "v": y}
forged("cite: the ends of a run, anywhere", "say in vectors which vector of ours is y")(
    le(norm2(y), norm2(x)),
    qed(by=[cite(LAST, vectors=AT_ENDS)]),
    depends={"x": "", "y": ""},
    counts=(R,),
)
true("cite: the ends of a run")(le(norm, p), qed(by=[cite(LAST), SEQUENCES]), setting=A_RUN)
LAST_HERE = lemma(
    le(norm2(v), norm2(u)),
    setting=Setting(
        depends={"u": "", "v": ""},
        metrics={p: norm2(u), norm: norm2(v)},
        sequences={p: seq(0), norm: seq(R)},
        others=(A_RUN,),
        counts=(R,),
    ),
    proof=[have("w", le(norm, p), by=[cite(LAST), SEQUENCES]), qed(by=["w"])],
)
forged("cite: what another setting says, anywhere", "say in vectors which vector of ours is y")(
    le(norm2(y), norm2(x)),
    qed(by=[cite(LAST_HERE, vectors=AT_ENDS)]),
    depends={"x": "", "y": ""},
    counts=(R,),
)

RETURNS = replace(LAST, setting=replace(A_RUN, assumes=(Returned("v", "f", "u"),)))
for what, (returned, done) in {"what a run returns": ("y", true), "what another returns": ("x", forged)}.items():
    kind = f"cite: the ends of a run, at {what}"
    (done(kind, "assumes Returned(y, f, x), which the claim does not") if done is forged else done(kind))(
        le(norm2(y), norm2(x)),
        qed(by=[cite(RETURNS, vectors=AT_ENDS)]),
        depends={"x": "", "y": ""},
        assumes=(Returned(returned, "f", "x"),),
        counts=(R,),
    )
OF_A_RUN = replace(A_RUN, depends={**A_RUN.depends, "w": ""}, functions={"X": {"w": (w, w)}}, others=())
ANOTHER_RUN = {"depends": {"x": "", "y": "", "n": "xi"}, "functions": {"X": {"n": (n, n), "x": (x, x)}}}
for name, changed, how, why in (
    ("a point that is not named", {}, {}, "say which point of ours is X.w: test.lemma is about a run"),
    ("a vector that is no end", {}, {"points": {"X.w": "X.x"}}, "w of test.lemma is more than a run starts from"),
    ("a sum", {"functions": {}}, {"vectors": {"u": x, "v": x + y}}, "v of test.lemma would be x + y"),
    (
        "what is one for each outcome",
        {"functions": {}},
        {"vectors": {"u": x, "v": n}},
        "n depends on something else than v of test.lemma",
    ),
    (
        "an iterate",
        {"functions": {}},
        {"vectors": {**AT_ENDS, "x": x}},
        "x of test.lemma is more than a run starts from",
    ),
    ("a metric that is chosen", {"functions": {}}, {"at": {norm: c}}, "norm of test.lemma is not free to choose"),
):
    there = replace(RETURNS, setting=replace(OF_A_RUN, assumes=(Returned("v", "f", "u"),), **changed))
    forged(f"cite: another run, {name}", why)(
        le(norm2(y), norm2(x)),
        qed(by=[cite(there, **{"vectors": AT_ENDS, **how})]),
        assumes=(Returned("y", "f", "x"),),
        counts=(R,),
        **ANOTHER_RUN,
    )
BETWEEN_ENDS = lemma(
    le(norm, c),
    le(norm, c),
    setting=Setting(depends={"u": "", "v": ""}, squares={norm: u - v}, assumes=(Returned("v", "f", "u"),)),
    proof=[qed()],
)
for name, of, why in (("", x - y, ""), (", two in one place", -x, "norm is at no point that was named")):
    kind = f"cite: another run, its length{name}"
    (forged(kind, why) if why else true(kind))(
        le(m, c),
        le(m, c),
        qed(by=[cite(BETWEEN_ENDS, vectors={"u": x, "v": x if why else y})]),
        depends={"x": "", "y": ""},
        squares={m: of},
        assumes=(Returned("x" if why else "y", "f", "x"),),
    )
LIKE_GRADIENTS = {"depends": dict.fromkeys("xygh", ""), "metrics": {m: norm2(g - h), b: dot(g - h, x - y)}}
GRADIENTS = Setting(functions=TWO_POINTS.functions, **LIKE_GRADIENTS)
OF_GRADIENTS = lemma(
    ge(L * b, m), Smooth("f", L), Convex("f"), setting=GRADIENTS, proof=[qed(by=[cocoercive("f", "x", "y")])]
)
AS_VECTORS = lemma(
    ge(L * b, m),
    Smooth("f", L),
    Convex("f"),
    setting=Setting(others=(GRADIENTS,), **LIKE_GRADIENTS),
    proof=[qed(by=[cite(OF_GRADIENTS)])],
)
forged("cite: vectors that are gradients in another setting", "say which point of ours is f.x")(
    ge(L * dot(n - e1, u - v), norm2(n - e1)),
    Smooth("f", L),
    Convex("f"),
    qed(by=[cite(AS_VECTORS, vectors={"x": u, "y": v, "g": n, "h": e1})]),
    depends=dict.fromkeys(("u", "v", "n", "e1"), ""),
)
forged("another setting: the same vector as a term", "x is another vector in another setting")(
    lambda: said(
        le(m, c),
        qed(),
        depends={"x": "xi"},
        metrics={m: norm2(x)},
        sequences={m: seq(k)},
        others=(Setting(depends={"x": ""}, metrics={b: norm2(x)}, sequences={b: seq(k)}),),
    )
)
forged("another setting: one infimum of two functions", "q is the value of another function in another setting")(
    lambda: said(le(q, 1), qed(), infima={"f": q}, others=(Setting(infima={"h": q}),))
)

# --- what a symbol is declared or said to be, where it stands for something

LOWEST = (have("i", ge(f_x, q), by=[infimum("f", "x")]), qed(by=["i"]))
forged("the declared sign of an infimum", "violated")(
    ge(f_x, 0), BoundedBelow("f"), *LOWEST, setting=TWO_POINTS, infima={"f": q}
)
true("the sign of an infimum that is supposed")(
    ge(f_x, 0), BoundedBelow("f"), greater(0, q), *LOWEST, setting=TWO_POINTS, infima={"f": q}
)
forged("the declared sign of a value", "violated")(
    ge(c, 0), qed(), depends={"x": ""}, functions={"f": {"x": (x, None, c)}}, measured=(c,)
)
NO_GAP = ge((j - 1) * (j - 2), 0)
WHOLE_GAP = (
    have("low", NO_GAP, when=[le(j, 1)]),
    have("high", NO_GAP, when=[ge(j, 2)]),
    cases("both", NO_GAP, on=le(j, 1), yes="low", no="high"),
)
for what, named, ground, made in (
    ("a definition", D, unfold(D), {"where": {D: L}}),
    ("a rule", eta, SCHEDULE, {"rules": {eta: L}}),
):
    forged(f"{what} that is called a whole number", f"{named} is not known to be an integer")(
        ge((L - 1) * (L - 2), 0),
        *WHOLE_GAP,
        special("there", "both", {j: named}),
        qed(by=["there", ground]),
        counts=(named,),
        **made,
    )
true("a rule that is a whole number")(
    ge(count * (count + 1), 0),
    *WHOLE_GAP,
    special("there", "both", {j: eta}),
    qed(by=["there", SCHEDULE]),
    counts=(eta, count),
    rules={eta: count + 2},
)

# --- relations at every point, bounded dissimilarity

f_u, f_w = sp.symbols("f_u f_w", real=True)
FED = Setting(
    depends={
        **{"x": "past", "g": "past client", "avg": "past", "u": "past xi", "h": "past xi client", "w": "past xi"},
        **{"y": "past client", "v": "past client"},
    },
    means={"avg": Mean("g", "client"), "w": Mean("h", "client")},
    sizes={"client": N},
    functions={
        "f": {"x": (x, g, f_x), "u": (u, h, f_u), "y": (y, v, f_y)},
        "F": {"x": (x, avg, f_x), "u": (u, w, f_u)},
    },
    made={"F": Mean("f", "client")},
    measured=(f_x, f_y, f_u),
)
GROWING = BoundedDissimilarity("f", "client", c, q)
true("bounded dissimilarity")(le(norm2(h), c + q * norm2(w)), GROWING, qed(by=[dissimilar("f", "u")]), setting=FED)
forged("bounded dissimilarity: half of it", "violated")(
    le(norm2(h), c / 2 + q * norm2(w)), GROWING, qed(by=[dissimilar("f", "u")]), setting=FED
)
forged("bounded dissimilarity: at a local iterate", "F has the points x, u, not y")(
    le(norm2(v), c), GROWING, qed(by=[dissimilar("f", "y")]), setting=FED
)
forged("bounded dissimilarity: where the mean gradient is said to vanish", "attains its minimum")(
    le(norm2(g), c),
    GROWING,
    qed(by=[dissimilar("f", "x")]),
    setting=Setting(
        depends={"x": "", "g": "client"},
        functions={"f": {"x": (x, g, f_x)}, "F": {"x": (x, Vector(), f_x)}},
        made={"F": Mean("f", "client")},
    ),
)
true("dissimilar, in the whole space")(
    le(norm2(h - w), c), Dissimilar("f", "client", "", c), qed(by=[dissimilar("f", "u")]), setting=FED
)
EVERYWHERE = EveryPoint("f", "x", le(norm2(g), c + q * norm2(avg) + s * f_x))
true("every point: a random one")(
    le(norm2(h), c + q * norm2(w) + s * f_u), EVERYWHERE, qed(by=[everywhere("f", "u")]), setting=FED
)
true("every point: a combination")(
    le(norm2(h), c),
    EveryPoint("f", "x", le(norm2(g), c)),
    qed(by=[everywhere("f", "u")]),
    setting=replace(
        FED,
        depends={**FED.depends, "n": "past xi"},
        functions={"f": {"x": (x, g, f_x), "u": (x - s * n, h, f_u)}},
        made={},
    ),
)
forged("every point: another bound", "violated")(
    le(norm2(h), c + q * norm2(w) / 2 + s * f_u), EVERYWHERE, qed(by=[everywhere("f", "u")]), setting=FED
)
forged("every point: a local iterate knows its client", "points that do not depend on client")(
    le(norm2(v), c), EveryPoint("f", "x", le(norm2(g), c)), qed(by=[everywhere("f", "y")]), setting=FED
)
forged("every point: the values of the clients at points of their own", "points that do not depend on client")(
    le(f_y, c), EveryPoint("f", "x", le(f_x, c)), qed(by=[everywhere("f", "y")]), setting=FED
)
forged("every point: a mean that the point has not", "avg has no counterpart at y")(
    le(norm2(v), c), EVERYWHERE, qed(by=[everywhere("f", "y")]), setting=FED
)
forged("every point: no linear relation", "not linear")(
    le(f_u**2, c), EveryPoint("f", "x", le(f_x**2, c)), qed(by=[everywhere("f", "u")]), setting=FED
)
forged("every point: a root of a square", "not linear")(
    le(sp.sqrt(norm2(h)), c),
    EveryPoint("f", "x", le(sp.sqrt(norm2(g)), c)),
    qed(by=[everywhere("f", "u")]),
    setting=FED,
)
forged("every point: of a measured number", "gap is measured")(
    le(norm2(h), gap),
    EveryPoint("f", "x", le(norm2(g), gap)),
    qed(by=[everywhere("f", "u")]),
    setting=FED,
    measured=(gap, f_x, f_y, f_u),
)
forged("every point: a vector of the one point", "n has no counterpart at u")(
    le(dot(h, n), c),
    EveryPoint("f", "x", le(dot(g, n), c)),
    qed(by=[everywhere("f", "u")]),
    setting=replace(FED, depends={**FED.depends, "n": ""}),
)
SAMPLED_GRADIENT = Setting(
    depends={"x": "past", "g": "past xi", "y": "past xi", "h": "past xi", "u": "past", "v": "past zeta"},
    functions={"G": {"x": (x, g, None), "y": (y, h, None), "u": (u, v, None)}},
)
forged("every point: one that knows its sample", "points that do not depend on xi")(
    le(norm2(h), c), EveryPoint("G", "x", le(norm2(g), c)), qed(by=[everywhere("G", "y")]), setting=SAMPLED_GRADIENT
)
forged("every point: another sample", "v should depend on what g does beside the point")(
    le(norm2(v), c), EveryPoint("G", "x", le(norm2(g), c)), qed(by=[everywhere("G", "u")]), setting=SAMPLED_GRADIENT
)
forged("every point: nothing is assumed", "assumes nothing of f at every point")(
    le(norm2(h), c), Smooth("f", L), qed(by=[everywhere("f", "u")]), setting=FED
)
true("every point: through a citation at a point")(
    le(norm2(g), c),
    EveryPoint("f", "x", le(norm2(g), c)),
    qed(
        by=[
            cite(
                lemma(
                    le(norm2(g), c),
                    EveryPoint("f", "x", le(norm2(g), c)),
                    setting=replace(FED, made={}, functions={"f": FED.functions["f"]}),
                    proof=[qed(by=[everywhere("f", "x")])],
                ),
                points={"f.x": "f.x"},
            )
        ]
    ),
    setting=replace(FED, made={}, functions={"f": FED.functions["f"]}),
)

# --- relations at every round

ROUNDS = EveryRound("bounded", le(a(k), c), k, sp.S.Zero, R)
true("every round: the last")(le(a(R), c), ROUNDS, qed(by=[the_hypothesis("h0", {k: R})]))
true("every round: the next")(
    le(a(R), c),
    ROUNDS,
    have("next", le(a(k + 1), c), when=[le(k + 1, R)], by=[the_hypothesis("h0", {k: k + 1})]),
    special("last", "next", {k: R - 1}),
)
true("every round: summed")(
    le(sp.Sum(a(k), (k, 0, R)), c * (R + 1)),
    ROUNDS,
    have("each", le(a(k), c), when=[ge(k, 0), le(k, R)], by=[the_hypothesis("h0")]),
    summed("sum", "each", over=k, start=0, last=R),
    qed(by=["sum"]),
)
true("every round: a metric with a form")(
    le(norm2(x), c),
    EveryRound("bounded", le(seq(k), c), k),
    qed(by=[the_hypothesis("h0")]),
    setting=Setting(depends={"x": ""}, metrics={m: norm2(x)}, sequences={m: seq(k)}),
)
forged("every round: after the last", "it needs R + 1 <= R")(
    le(a(R + 1), c), ROUNDS, qed(by=[the_hypothesis("h0", {k: R + 1})])
)
forged("every round: before the first", "it needs -1 >= 0")(
    le(a(-1), c), ROUNDS, qed(by=[the_hypothesis("h0", {k: -1})])
)
forged("every round: half a round", "not known to be an integer")(
    le(a(R / 2), c), ROUNDS, qed(by=[the_hypothesis("h0", {k: R / 2})])
)
forged("every round: out of its range", "it needs k <= R")(le(a(k), c), ROUNDS, qed(by=[the_hypothesis("h0")]))
forged("every round: supposed at one only", "does not suppose its relation for all k")(
    le(a(k + 1), c), le(a(k), c), qed(by=[the_hypothesis("h0", {k: k + 1})])
)
forged("every round: another bound", "violated")(le(a(R), c / 2), ROUNDS, qed(by=[the_hypothesis("h0", {k: R})]))
forged("every round: not named", "violated")(le(a(R), c), ROUNDS, qed())
forged("every round: a bound that changes", "m may change with k")(
    le(a(R), m), EveryRound("b", le(a(k), m), k), qed(by=[the_hypothesis("h0", {k: R})]), measured=(m,)
)
forged("every round: a step size that changes", "eta may change with k")(
    le(a(R), eta), EveryRound("b", le(a(k), eta), k), qed(by=[the_hypothesis("h0", {k: R})]), rules={eta: 1 / (k + 1)}
)
forged("every round: a metric of one round", "m may change with k")(
    le(m_0, c),
    EveryRound("b", le(m, c), k),
    qed(by=[the_hypothesis("h0", {k: sp.S.Zero})]),
    setting=Setting(measured=(m, m_0), sequences={m: seq(k), m_0: seq(0)}),
)
forged("every round: a value at the point of one", "f_x may change with k")(
    le(a(R), f_x),
    EveryRound("b", le(a(k), f_x), k),
    qed(by=[the_hypothesis("h0", {k: R})]),
    setting=TWO_POINTS,
    measured=(),
)
forged("every round: a value that it names is no constant", "f_x may change with k")(
    le(sp.Sum(a(k), (k, 0, R)), f_x * (R + 1)),
    EveryRound("b", le(seq(k), f_x), k),
    in_words("each", le(a(k), f_x), "w"),
    summed("sum", "each", over=k, start=0, last=R),
    setting=TWO_POINTS,
    measured=(),
)
forged("every round: inner products of one round", "belongs to one value of the index")(
    le(norm2(x), c), EveryRound("b", le(norm2(x), c), k), qed(by=[the_hypothesis("h0")]), setting=SQUARES
)
forged("every round: a constant of it is no index", "c is a symbol of the claim, not an index")(
    le(a(R), 0), ROUNDS, have("last", le(a(R), c), by=[the_hypothesis("h0", {k: R})]), special("bad", "last", {c: q})
)
OF_ALL = lemma(le(a(R), c), ROUNDS, proof=[qed(by=[the_hypothesis("h0", {k: R})])])
true("every round: cited")(le(a(R), c), ROUNDS, qed(by=[cite(OF_ALL)]))
forged("every round: cited where it is supposed at one", "assumes EveryRound")(
    le(a(R), c), le(a(k), c), qed(by=[cite(OF_ALL)])
)
forged("every round: cited where it is supposed of fewer", "assumes EveryRound")(
    le(a(R), c), replace(ROUNDS, first=sp.S.One), qed(by=[cite(OF_ALL)])
)
forged("every round: cited with another bound", "assumes EveryRound")(
    le(a(R), c), replace(ROUNDS, relation=le(a(k), 2 * c)), qed(by=[cite(OF_ALL)])
)
TWICE = EveryRound("bounded", le(2 * a(k), 2 * c), k, sp.S.Zero, R)
IN_RANGE = [ge(k, 0), le(k, R)]


def shown_at(when, says=TWICE):
    """What a claim that is cited supposes at every round, shown at some."""
    return (le(a(R), c), says, have("each", le(a(k), c), when=when, by=[the_hypothesis("h0")]), qed(by=[cite(OF_ALL)]))


true("every round: cited where it is shown of all")(*shown_at(IN_RANGE))
forged("every round: cited where it is shown of all but the first", "assumes EveryRound")(
    *shown_at([ge(k, 1), le(k, R)])
)
forged("every round: cited where it is shown of all but the last", "assumes EveryRound")(
    *shown_at([ge(k, 0), le(k + 1, R)])
)
forged("every round: cited where it is shown of one", "assumes EveryRound")(*shown_at([], le(2 * a(k), 2 * c)))
forged("every round: cited where it is shown with a bound that changes", "assumes EveryRound")(
    le(a(R), m),
    EveryRound("bounded", le(2 * a(k), 2 * c), k, sp.S.Zero, R),
    in_words("each", le(a(k), m), "w"),
    qed(by=[cite(lemma(le(a(R), m), EveryRound("bounded", le(a(k), m), k, sp.S.Zero, R), proof=OF_ALL.proof.steps))]),
    measured=(m,),
)
OF_ONE = lemma(le(3 * a(k), 3 * c), le(2 * a(k), 2 * c), proof=[qed()])
true("every round: a claim about one of them")(
    le(3 * a(R), 3 * c),
    TWICE,
    have("each", le(3 * a(k), 3 * c), when=IN_RANGE, by=[cite(OF_ONE)]),
    special("last", "each", {k: R}),
)
forged("every round: a claim about one out of the range", "which does not follow")(
    le(3 * a(R), 3 * c), TWICE, have("each", le(3 * a(k), 3 * c), by=[cite(OF_ONE)]), special("last", "each", {k: R})
)
forged("supposed: no hypothesis of that name", "no hypothesis 'h7'; it has h0")(
    le(a(R), c), ROUNDS, qed(by=[the_hypothesis("h7")])
)
forged("supposed: of a function", "is no relation")(
    le(GAP, 0), Convex("f"), qed(by=[the_hypothesis("h0")]), setting=TWO_POINTS
)

# --- hypotheses about metrics that have a form

true("a hypothesis about a metric")(
    le(2 * dot(x, y), c + norm2(y)), le(m, c), qed(), setting=replace(SQUARES, depends={"x": "", "y": ""})
)
true("a hypothesis about a metric, by its name")(
    le(dot(avg, avg), c),
    le(m, c),
    qed(by=[mean("avg"), the_hypothesis("h0")]),
    setting=replace(CLIENTS, metrics={m: norm2(v)}),
)
forged("a hypothesis about a metric: twice as good", "violated")(
    le(4 * dot(x, y), c + norm2(y)), le(m, c), qed(), setting=replace(SQUARES, depends={"x": "", "y": ""})
)
forged("a hypothesis about a metric: at the next round", "violated")(
    le(seq(k + 1), c),
    le(m, c),
    qed(by=[the_hypothesis("h0"), SEQUENCES]),
    setting=Setting(depends={"x": "", "y": ""}, metrics={m: norm2(x)}, sequences={m: seq(k)}),
)
forged("a hypothesis about a metric: for all rounds", "k is a symbol of the claim, not an index")(
    le(seq(R), c),
    le(m, c),
    have("now", le(seq(k), c), by=[the_hypothesis("h0"), SEQUENCES]),
    special("then", "now", {k: R}),
    setting=Setting(depends={"x": ""}, metrics={m: norm2(x), seq(k): norm2(x)}, sequences={m: seq(k)}),
)

# --- smooth on a set only

INSIDE = replace(TWO_POINTS, functions={**TWO_POINTS.functions, "X": {"x": (x, x, None), "y": (y, y, None)}})
ON_A_SET = (Smooth("f", L, "X"), ClosedConvex("X"))
QUADRATIC = le(GAP, L / 2 * norm2(y - x))
true("smooth on a set: points of it")(QUADRATIC, *ON_A_SET, qed(by=[smooth("f", "x", "y")]), setting=INSIDE)
true("smooth on a set: a Lipschitz gradient")(
    le(norm2(g - h), L**2 * norm2(y - x)), *ON_A_SET, qed(by=[lipschitz("f", "x", "y")]), setting=INSIDE
)
forged("smooth on a set: points anywhere", "point y is not known to lie there")(
    QUADRATIC,
    *ON_A_SET,
    qed(by=[smooth("f", "x", "y")]),
    setting=replace(INSIDE, functions={**TWO_POINTS.functions, "X": {"x": (x, x, None)}}),
)
forged("smooth on a set: a point and its projection", "point x is not known to lie there")(
    QUADRATIC,
    *ON_A_SET,
    qed(by=[smooth("f", "x", "y")]),
    setting=replace(INSIDE, functions={**TWO_POINTS.functions, "X": {"x": (x, y, None)}}),
)
forged("smooth on a set: that need not be convex", "does not assume ClosedConvex of X")(
    QUADRATIC, ON_A_SET[0], qed(by=[smooth("f", "x", "y")]), setting=INSIDE
)
forged("smooth on a set: cocoercive", "smooth on X only")(
    le(norm2(g - h), L * dot(g - h, x - y)),
    *ON_A_SET,
    Convex("f"),
    qed(by=[cocoercive("f", "x", "y")]),
    setting=INSIDE,
)
forged("smooth on a set: convex tangents", "smooth on X only")(
    le(norm2(g - h), 2 * L * GAP),
    *ON_A_SET,
    Convex("f"),
    qed(by=[smooth_convex("f", "x", "y")]),
    setting=INSIDE,
)
forged("smooth on a set: two sets", "does not assume Smooth of f")(
    QUADRATIC,
    Smooth("f1", L / 2, "X"),
    Smooth("f2", L / 2, "Y"),
    ClosedConvex("X"),
    qed(by=[smooth("f", "x", "y")]),
    setting=replace(INSIDE, made={"f": {"f1": sp.S.One, "f2": sp.S.One}}),
)
true("smooth on a set: a sum on one set")(
    QUADRATIC,
    Smooth("f1", L / 2, "X"),
    Smooth("f2", L / 2),
    ClosedConvex("X"),
    qed(by=[smooth("f", "x", "y")]),
    setting=replace(INSIDE, made={"f": {"f1": sp.S.One, "f2": sp.S.One}}),
)
OF_SMOOTH = lemma(QUADRATIC, Smooth("f", L), setting=TWO_POINTS, proof=[qed(by=[smooth("f", "x", "y")])])
AT_OURS = {"f.x": "f.x", "f.y": "f.y"}
true("smooth on a set: a lemma of functions smooth everywhere, at points inside")(
    QUADRATIC, *ON_A_SET, qed(by=[cite(OF_SMOOTH, points=AT_OURS)]), setting=INSIDE
)
OF_SET = lemma(QUADRATIC, *ON_A_SET, setting=INSIDE, proof=[qed(by=[smooth("f", "x", "y")])])
true("smooth on a set: a lemma at points of ours")(
    QUADRATIC,
    *ON_A_SET,
    qed(by=[cite(OF_SET, points={**AT_OURS, "X.x": "X.x", "X.y": "X.y"})]),
    setting=INSIDE,
)
true("smooth on a set: a lemma at points inside that are not named")(
    QUADRATIC, *ON_A_SET, qed(by=[cite(OF_SET, points=AT_OURS)]), setting=INSIDE
)
for name, of_set in {"everywhere": OF_SMOOTH, "on a set": OF_SET}.items():
    forged(f"smooth on a set: a lemma of functions smooth {name}, at points anywhere", "is not known to lie there")(
        QUADRATIC,
        *ON_A_SET,
        qed(by=[cite(of_set, points=AT_OURS)]),
        setting=TWO_POINTS,
        functions={**TWO_POINTS.functions, "X": {}},
    )
forged("smooth on a set: a lemma at a point and its projection", "would be x and y")(
    QUADRATIC,
    *ON_A_SET,
    qed(by=[cite(OF_SET, points={**AT_OURS, "X.x": "X.p", "X.y": "X.y"})]),
    setting=replace(INSIDE, functions={**TWO_POINTS.functions, "X": {"p": (x, y, None), "y": (y, y, None)}}),
)
true("smooth on a set: a lemma of another set, as ours is that of the function")(
    QUADRATIC,
    *ON_A_SET,
    ClosedConvex("Z"),
    qed(by=[cite(OF_SET, points={**AT_OURS, "X.x": "Z.x", "X.y": "Z.y"})]),
    setting=replace(INSIDE, functions={**INSIDE.functions, "Z": INSIDE.functions["X"]}),
)

# --- minima and roots, by cases

CHOSEN = sp.Min(1 / L, sp.sqrt(sigma / (mu * c)))
BOUND = L * sigma / c + 2 * sp.sqrt(sigma * mu / c)
RATE = le(m, sigma / (s * c) + mu * s)
true("the step size: a minimum")(le(m, BOUND), eq(s, CHOSEN), RATE, qed(), setting=ANY)
true("the step size: a minimum, from a step")(
    le(m, BOUND), eq(s, CHOSEN), RATE, have("rate", RATE), qed(by=["rate"]), setting=ANY
)
true("the step size: a rule of the schedule")(
    le(m, L * sigma / c + 2 * sp.sqrt(sigma * mu / c)),
    le(m, sigma / (eta * c) + mu * eta),
    qed(by=[SCHEDULE]),
    setting=ANY,
    rules={eta: CHOSEN},
)
true("the step size: defined")(le(sigma / (D * c) + mu * D, BOUND), qed(), where={D: CHOSEN})
THREE = sp.Min(1 / L, sp.sqrt(sigma / (mu * c)), (sigma / (rho * c)) ** sp.Rational(1, 3))
ORDERS = BOUND + 2 * rho ** sp.Rational(1, 3) * (sigma / c) ** sp.Rational(2, 3)
THIRD = le(m, sigma / (s * c) + mu * s + rho * s**2)
true("the step size: the least of three")(le(m, ORDERS), eq(s, THREE), THIRD, qed(), setting=ANY)
true("the step size: a sum under a root")(
    le(sigma / (D * (K + 1)) + mu * D, L * sigma / (K + 1) + 2 * sp.sqrt(sigma * mu / (K + 1))),
    qed(),
    where={D: sp.Min(1 / L, sp.sqrt(sigma / (mu * (K + 1))))},
)
true("roots: weighted means")(le(c ** sp.Rational(2, 3) * q ** sp.Rational(1, 3), 2 * c / 3 + q / 3), qed())
true("a maximum below")(le(c + q, 2 * sp.Max(c, q)), qed())
true("the step size: a case that the hypotheses rule out")(
    le(m, q),
    eq(s, sp.Min(1 / L, c)),
    le(2 * c * L, 1),
    le(m, q * s / c),
    qed(by=[the_hypothesis("h1"), the_hypothesis("h2")]),
    setting=ANY,
)
forged("the step size: a case that they do not", "violated")(
    le(m, q), eq(s, sp.Min(1 / L, c)), le(1, 2 * c * L), le(m, q * s**2 / c**2 + q * (c - s) * L), qed(), setting=ANY
)
forged("the step size: a smaller factor", "violated")(
    le(m, L * sigma / c + sp.Rational(3, 2) * sp.sqrt(sigma * mu / c)), eq(s, CHOSEN), RATE, qed(), setting=ANY
)
forged("the step size: without the first case", "violated")(
    le(m, 2 * sp.sqrt(sigma * mu / c)), eq(s, CHOSEN), RATE, qed(), setting=ANY
)
forged("the step size: without the second case", "violated")(
    le(m, 2 * L * sigma / c), eq(s, CHOSEN), RATE, qed(), setting=ANY
)
forged("the step size: a cap is no choice", "violated")(le(m, BOUND), le(s, CHOSEN), RATE, qed(), setting=ANY)
forged("the step size: the larger one", "violated")(le(m, BOUND), eq(s, sp.Max(*CHOSEN.args)), RATE, qed(), setting=ANY)
forged("the step size: two of three", "violated")(le(m, BOUND), eq(s, THREE), THIRD, qed(), setting=ANY)
forged("the step size: a sum under a root, too small", "violated")(
    le(sigma / (D * (K + 1)) + mu * D, L * sigma / (K + 1) + sp.sqrt(sigma * mu / (K + 1))),
    qed(),
    where={D: sp.Min(1 / L, sp.sqrt(sigma / (mu * (K + 1))))},
)
forged("roots: no weighted mean", "violated")(le(c ** sp.Rational(2, 3) * q ** sp.Rational(1, 3), c / 2 + q / 3), qed())
forged("roots: of what may be negative", "has a meaning only where")(
    le(sp.sqrt(q - c), q), qed(), where={D: sp.Min(q, c)}
)
forged("a maximum above", "violated")(le(c + q, sp.Max(c, q)), qed())
forged("cases: a rule that is not used", "violated")(le(m, BOUND), RATE, qed(), setting=ANY, rules={s: CHOSEN})

# --- lemmas at vectors that are random, their proofs taken again

ROUND = Setting(
    depends={
        **{"v": "past client", "avg": "past", "mb": "past sample", "w": "past", "u": "past all", "g": "past client xi"},
        **{"h": "past all", "n": "past xi", "x": "past", "y": "past xi"},
    },
    means={"avg": Mean("v", "client"), "mb": SampleMean("v", "client", "sample"), "h": Mean("g", "client")},
    sizes={"client": N},
    within={"xi": "client"},
)
DRAWN = (Sampled("sample", S, N), le(S, N))
OF_SAMPLING = lemma(
    le(norm2(mb - avg), 2 / S * (1 - S / N) * norm2(v - avg)),
    *DRAWN,
    setting=CLIENTS,
    proof=[qed(by=[sampling("mb")], multipliers={"sampling(mb)[4]": 1 / (S * N)})],
)
OF_JENSEN = lemma(le(norm2(avg), norm2(v)), setting=CLIENTS, proof=[qed(by=[mean("avg")])])
OF_ALONG = lemma(
    eq(dot(avg, w), dot(v, w)),
    setting=replace(CLIENTS, depends={**CLIENTS.depends, "w": ""}),
    proof=[qed(by=[mean("avg")])],
)
true("taken again: the variance of sampling at a random iterate")(
    le(norm2(mb - avg), 2 / S * (1 - S / N) * norm2(v - avg)),
    *DRAWN,
    qed(by=[cite(OF_SAMPLING, vectors={"v": v})]),
    setting=ROUND,
)
true("taken again: Jensen at a random iterate")(
    le(norm2(avg), norm2(v)), qed(by=[cite(OF_JENSEN, vectors={"v": v})]), setting=ROUND
)
true("taken again: Jensen of what knows its sample")(
    le(norm2(h), norm2(g)), qed(by=[cite(OF_JENSEN, vectors={"v": g})]), setting=ROUND
)
true("taken again: along what was there before")(
    eq(dot(avg, w), dot(v, w)), qed(by=[cite(OF_ALONG, vectors={"v": v, "w": w})]), setting=ROUND
)
true("taken again: Jensen of a difference")(
    le(norm2(avg - h), norm2(v - g)), qed(by=[cite(OF_JENSEN, vectors={"v": v - g})]), setting=ROUND
)
true("taken again: Jensen of a difference from what is fixed")(
    le(norm2(avg - w), norm2(v - w)), qed(by=[cite(OF_JENSEN, vectors={"v": v - w})]), setting=ROUND
)
forged("taken again: Jensen of a difference from what has no mean", "say in vectors which vector of ours is avg")(
    le(norm2(avg - n), norm2(v - n)),
    qed(by=[cite(OF_JENSEN, vectors={"v": v - n})]),
    setting=replace(ROUND, depends={**ROUND.depends, "n": "past client xi"}),
)
forged("taken again: the sampling of a difference", "is about one vector")(
    le(norm2(mb - w - avg + w), norm2(v - avg)),
    *DRAWN,
    qed(by=[cite(OF_SAMPLING, vectors={"v": v - w})]),
    setting=ROUND,
)
forged("taken again: Jensen the other way", "violated")(
    le(norm2(v), norm2(avg)), qed(by=[cite(OF_JENSEN, vectors={"v": v})]), setting=ROUND
)
forged("taken again: Jensen of another mean", "its proof taken again with our vectors, stops at")(
    le(norm2(w), norm2(v)), qed(by=[cite(OF_JENSEN, vectors={"v": v, "avg": w})]), setting=ROUND
)
forged("taken again: sampling without a draw", "does not assume Sampled of sample")(
    le(norm2(mb - avg), 2 / S * (1 - S / N) * norm2(v - avg)),
    le(S, N),
    qed(by=[cite(OF_SAMPLING, vectors={"v": v})]),
    setting=ROUND,
)
forged("taken again: sampling where the clients have weights", "its proof taken again with our vectors, stops at")(
    le(norm2(mb - avg), 2 / S * (1 - S / N) * norm2(v - avg)),
    *DRAWN,
    Weighted("client", c),
    qed(by=[cite(OF_SAMPLING, vectors={"v": v})]),
    setting=replace(ROUND, weighted=("client",)),
)
forged("taken again: sampling with another factor", "violated")(
    le(norm2(mb - avg), 1 / S * (1 - S / N) * norm2(v - avg)),
    *DRAWN,
    qed(by=[cite(OF_SAMPLING, vectors={"v": v})]),
    setting=ROUND,
)
forged("taken again: along what knows the client", "its proof taken again with our vectors, stops at")(
    eq(dot(avg, v), dot(v, v)), qed(by=[cite(OF_ALONG, vectors={"v": v, "w": v})]), setting=ROUND
)
forged("taken again: along what knows the samples of the clients", "its proof taken again with our vectors, stops at")(
    eq(dot(h, n), dot(g, n)), qed(by=[cite(OF_ALONG, vectors={"v": g, "w": n})]), setting=ROUND
)
OF_IMAGES = lemma(
    le(norm2(g - h), L**2 * norm2(x - y)),
    Lipschitz("G", L, random="xi", given="past"),
    setting=Setting(
        depends={"x": "", "y": "", "g": "xi", "h": "xi"}, functions={"G": {"x": (x, g, None), "y": (y, h, None)}}
    ),
    proof=[qed(by=[lipschitz("G", "x", "y")])],
)
IMAGES = Setting(
    depends={"x": "past", "y": "past", "g": "past xi", "h": "past xi"},
    functions={"G": {"x": (x, g, None), "y": (y, h, None)}},
)
true("taken again: a random map at random points")(
    le(norm2(g - h), L**2 * norm2(x - y)),
    Lipschitz("G", L, random="xi", given="past"),
    qed(by=[cite(OF_IMAGES, points={"G.x": "G.x", "G.y": "G.y"}, vectors={"x": x})]),
    setting=IMAGES,
)
forged("taken again: a random map at a point that knows its sample", "is random by xi, on which a point depends")(
    le(norm2(g - h), L**2 * norm2(x - y)),
    Lipschitz("G", L, random="xi", given="past"),
    qed(by=[cite(OF_IMAGES, points={"G.x": "G.x", "G.y": "G.y"}, vectors={"x": x})]),
    setting=replace(
        IMAGES,
        depends={**IMAGES.depends, "x": "past xi", "u": "past", "v": "past xi"},
        functions={"G": {"x": (x, g, None), "y": (y, h, None), "z": (u, v, None)}},
    ),
)
forged("taken again: noise along what knows it", "its proof taken again with our vectors, stops at")(
    eq(dot(n, y), 0),
    Unbiased("n", "past"),
    qed(by=[cite(ORTHOGONAL, vectors={"n": n, "w": y})]),
    setting=ROUND,
)
true("taken again: noise along what was there before")(
    eq(dot(n, w), 0),
    Unbiased("n", "past"),
    qed(by=[cite(ORTHOGONAL, vectors={"n": n, "w": w})]),
    setting=ROUND,
)

OF_MINIMUM = lemma(
    le(norm2(g), 2 * L * (f_x - q)),
    Convex("f"),
    Smooth("f", L),
    setting=Setting(
        depends=dict.fromkeys("xug", ""),
        functions={"f": {"x": (x, g, f_x), "least": (u, Vector(), q)}},
        assumes=(Attained("f"),),
        measured=(f_x,),
    ),
    proof=[qed(by=[smooth_convex("f", "x", "least")])],
)
BELOW = replace(
    OF_MINIMUM.setting,
    depends=dict.fromkeys("xugyh", "past"),
    functions={"f": {"x": (x, g, f_x), "least": (u, Vector(), q), "y": (y, h, f_y)}},
)
AT_LEAST = {"f.x": "f.x", "f.least": "f.least"}
true("taken again: a minimum of ours")(
    le(norm2(g), 2 * L * (f_x - q)),
    Convex("f"),
    Smooth("f", L),
    qed(by=[cite(OF_MINIMUM, points=AT_LEAST)]),
    setting=BELOW,
)
forged("taken again: a minimum of which the lemma alone speaks", "does not assume that f attains its minimum")(
    le(0, norm2(g)),
    Convex("f"),
    Smooth("f", L),
    have("m", le(norm2(g), 2 * L * (f_x - q)), by=[cite(OF_MINIMUM, points=AT_LEAST)]),
    qed(by=["m"]),
    setting=BELOW,
)
forged("taken again: a stationary point that is none", "f.least is known to have 0, here it has h")(
    le(norm2(g), 2 * L * (f_x - f_y)),
    Convex("f"),
    Smooth("f", L),
    qed(by=[cite(OF_MINIMUM, points={"f.x": "f.x", "f.least": "f.y"})]),
    setting=replace(BELOW, measured=(f_x, f_y)),
)
forged("taken again: back for forth", "its proof taken again with our vectors, stops at step")(
    le(f_x, f_y),
    Smooth("f", L),
    le(s * L, 1),
    qed(by=[cite(DESCENT, points={"f.x": "f.y", "f.y": "f.x"})]),
    setting=DESCENT.setting,
)
forged("taken again: two steps for one", "its proof taken again with our vectors, stops at step")(
    le(f_y, f_x - s / 2 * norm2(g)),
    Smooth("f", L),
    le(s * L, 1),
    qed(by=[cite(DESCENT, points={"f.x": "f.x", "f.y": "f.y"})]),
    setting=replace(DESCENT.setting, sums={"y": x - 2 * s * g}),
)
IN_A_CASE = (
    have("low", le(s * L, 1), when=[le(s * L, sp.S.Half)]),
    have("step", le(f_y, f_x), by=[cite(DESCENT, points={"f.x": "f.x", "f.y": "f.y"})], when=[le(s * L, sp.S.Half)]),
)
forged("taken again: what the lemma supposes, shown in a case", "it needs L*s <= 1")(
    le(f_y, f_x),
    Smooth("f", L),
    *IN_A_CASE,
    cases("both", le(f_y, f_x), on=le(s * L, sp.S.Half), yes="step", no="step"),
    setting=DESCENT.setting,
)
true("taken again: what the lemma supposes, shown before")(
    le(f_y, f_x),
    Smooth("f", L),
    le(2 * s * L, 1),
    have("short", le(s * L, 1)),
    qed(by=[cite(DESCENT, points={"f.x": "f.x", "f.y": "f.y"})]),
    setting=DESCENT.setting,
)
OF_DEFINED = lemma(
    le(norm2(n), D),
    BoundedVariance("n", c),
    setting=Setting(depends={"n": "xi"}),
    where={D: 2 * c},
    proof=[have("n", le(norm2(n), c), by=[variance("n")]), qed(by=["n", unfold(D)])],
)
for name, bound, where, why in (
    ("of the lemma alone", 2 * p, {}, ""),
    ("of the lemma alone, made smaller", p, {}, "violated"),
    ("of both", D, {D: 2 * p}, ""),
    ("that differs", D, {D: p / 2}, "violated"),
):
    kind = f"taken again: a definition {name}"
    (forged(kind, why) if why else true(kind))(
        le(norm2(e1), bound),
        BoundedVariance("e1", p),
        qed(by=[cite(OF_DEFINED, at={c: p}, vectors={"n": e1}), unfold(*where)]),
        depends={"e1": "past xi"},
        where=where,
    )
IN_TURN = lemma(
    le(norm2(avg), 2 * norm2(v)),
    setting=CLIENTS,
    proof=[have("J", le(norm2(avg), norm2(v)), by=[cite(OF_JENSEN)]), qed(by=["J"])],
)
true("taken again: a lemma that cites another")(
    le(norm2(h), 2 * norm2(g)), qed(by=[cite(IN_TURN, vectors={"v": g})]), setting=ROUND
)
forged("taken again: a lemma that cites another, at another mean", "w is no mean")(
    le(norm2(w), 2 * norm2(v)), qed(by=[cite(IN_TURN, vectors={"v": v, "avg": w})]), setting=ROUND
)
OF_BOTH = lemma(
    sp.And(le(norm2(avg), norm2(v)), eq(dot(avg, w), dot(v, w)), evaluate=False),
    setting=OF_ALONG.setting,
    proof=[qed(by=[mean("avg")]), qed(by=[mean("avg")], of=1)],
)
true("taken again: a part of a lemma")(le(norm2(h), norm2(g)), qed(by=[cite(OF_BOTH, vectors={"v": g})]), setting=ROUND)
forged("taken again: a part of a lemma for another", "violated")(
    eq(dot(h, w), dot(g, x)), qed(by=[cite(OF_BOTH, vectors={"v": g})]), setting=ROUND
)
OF_ROOT = lemma(
    le(f_x - f_y, sp.sqrt(c)),
    le(f_x - f_y, sp.sqrt(p)),
    le(p, c),
    setting=TWO_POINTS,
    proof=[have("more", le(p, c)), raised("root", "more", to=sp.S.Half), qed(by=["root"])],
)
for name, low, high, why in (("of less", q, 4 * q, ""), ("of more", 4 * q, q, "it needs 4*q <= q")):
    (forged(f"taken again: a root {name}", why) if why else true(f"taken again: a root {name}"))(
        le(f_y - f_x, sp.sqrt(high)),
        le(f_y - f_x, sp.sqrt(low)),
        qed(by=[cite(OF_ROOT, at={p: low, c: high}, points={"f.x": "f.y", "f.y": "f.x"})]),
        setting=TWO_POINTS,
    )

# --- ranges that change with their own index

P_FREE = {"fixed": (p,)}
forged("induct: the last index changes with the index", "changes with k")(
    le(K, 1), induct("all", le(k, 1), over=k, last=k + 1 / (k + 1)), special("any", "all", {k: K})
)
true("induct: to a last index")(
    le(1, K + 1), induct("all", le(1, k + 1), over=k, last=K), special("any", "all", {k: K})
)
forged("summed: the last index changes with the index", "changes with k")(
    le(p, 0),
    have("one", ge(p * k * (k - 1) * (k - 4), 0), when=[le(k, (k - 2) ** 2)]),
    summed("sum", "one", over=k, start=0, last=(k - 2) ** 2),
    special("zero", "sum", {k: 0}),
    qed(by=["zero"]),
    **P_FREE,
)
UNTIL = EveryRound("bounded", le(a(k), c), k, sp.S.Zero, 2 - k)
forged("every round: the last changes with the index", "changes with k")(
    le(a(2), c),
    UNTIL,
    have("two", le(a(2), c), when=[le(k, 0)], by=[the_hypothesis("h0", {k: 2})]),
    special("zero", "two", {k: 0}),
)
forged("every round: a definition with the index", "D_def may change with k")(
    le(a(0), D), EveryRound("b", le(a(k), D), k), qed(by=[the_hypothesis("h0", {k: 0})]), where={D: 1 / (k + 1)}
)
true("every round: a definition without the index")(
    le(a(0), D), EveryRound("b", le(a(k), D), k), qed(by=[the_hypothesis("h0", {k: 0})]), where={D: 1 / (K + 1)}
)

# --- every point, and maps in mean square: what is not the same at all of them

for what, (sort, bound) in {"a metric": ("where", m), "a value": ("where", f_x), "a rule": ("rules", m)}.items():
    hidden = eta if sort == "rules" else D
    forged(f"every point: a number that is {what} of the one point", f"{hidden} is measured")(
        le(norm2(h), hidden),
        EveryPoint("f", "x", le(norm2(g), hidden)),
        qed(by=[everywhere("f", "y")]),
        setting=TWO_POINTS,
        metrics={m: norm2(x)},
        **{sort: {hidden: bound}},
    )
true("every point: a defined number")(
    le(norm2(h), D),
    EveryPoint("f", "x", le(norm2(g), D)),
    qed(by=[everywhere("f", "y")]),
    setting=TWO_POINTS,
    where={D: c + q},
)
AT_MEAN = {
    "depends": {"n": "client xi", "avg": "all", "y": "all", "g": "client xi all", "h": "client xi all"},
    "means": {"avg": Mean("n", "client")},
    "within": {"xi": "client"},
    "sizes": {"client": N},
    "functions": {"G": {"a": (avg, g, None), "y": (y, h, None)}},
}
BEFORE = {**AT_MEAN, "depends": {**AT_MEAN["depends"], "n": "client"}}
for done, made in ((forged, AT_MEAN), (true, BEFORE)):
    whose = "knows all samples" if done is forged else "knows none"
    for kind, parts in {
        "every point": (le(norm2(g), c), EveryPoint("G", "y", le(norm2(h), c)), qed(by=[everywhere("G", "a")])),
        "a map in mean square": (
            le(norm2(g - h), L**2 * norm2(avg - y)),
            Lipschitz("G", L, random="xi", given="all"),
            qed(by=[lipschitz("G", "a", "y")]),
        ),
    }.items():
        named = f"{kind}: a mean that {whose}"
        (done(named, "xi") if done is forged else done(named))(*parts, **made)
forged("a Lipschitz function is no map", "f is a function and no map")(
    le(norm2(g - h), L**2 * norm2(x - y)),
    Convex("f"),
    Lipschitz("f", L),
    qed(by=[lipschitz("f", "x", "y")]),
    setting=TWO_POINTS,
)
forged("half a square with the value of a whole one", "the value of half at x is")(
    lambda: said(
        le(norm2(x - u), 0),
        qed(by=[smooth("half", "x", "u")]),
        depends={"x": "", "u": ""},
        made={"half": HalfSquare()},
        functions={"half": {"x": (x, x - u, norm2(x - u)), "u": (u, Vector(), sp.S.Zero)}},
    )
)
true("half a square with its value")(
    le(norm2(x - u) / 2, norm2(x - u)),
    qed(by=[smooth("half", "x", "u")]),
    depends={"x": "", "u": ""},
    made={"half": HalfSquare()},
    functions={"half": {"x": (x, x - u, norm2(x - u) / 2), "u": (u, Vector(), sp.S.Zero)}},
)

# --- the terms of sequences, and what they say of a metric that has a form

whole_seq = sp.Function("whole_seq", integer=True)
forged("a sequence of whole numbers of a metric that is none", "m is not known to be integer")(
    lambda: said(le(m, 0), qed(), depends={"x": ""}, metrics={m: norm2(x)}, sequences={m: whole_seq(k)})
)
for done, form in ((forged, f_x - f_y), (true, norm2(x))):
    named = f"the sign of a term of a metric that is {form}"
    (done(named, "p is not known to be so by its form") if done is forged else done(named))(
        ge(form, 0),
        have("e", ge(p, 0), by=[SEQUENCES]),
        qed(by=["e"]),
        setting=TWO_POINTS,
        metrics={p: form},
        sequences={p: a(k)},
    )

# --- cites: what is free, and what knows more

STEPPED = Setting(depends=dict.fromkeys("xyg", ""), sums={"y": x - fre * g}, free=(fre,))
OF_STEP = lemma(eq(dot(y, g), dot(x, g) - fre * norm2(g)), setting=STEPPED, proof=[qed(by=[written_out("y")])])
forged("cite: a free step length of which a vector is made", "fre of test.lemma is not free")(
    eq(dot(y, g), dot(x, g)), qed(by=[cite(OF_STEP, at={fre: sp.S.Zero})]), setting=STEPPED
)
true("cite: a step length as it is")(OF_STEP.statement, qed(by=[cite(OF_STEP)]), setting=STEPPED)
AT_WILL = replace(CLIENTS, assumes=(Sampled("sample", S, N),), free=(S,))
OF_DRAW = lemma(
    le(S * norm2(mb - avg), norm2(vectors("v")[0] - avg)), setting=AT_WILL, proof=[qed(by=[sampling("mb")])]
)
forged("cite: a free number of those that a method draws", "S of test.lemma is not free")(
    le(9 * norm2(mb - avg), norm2(v - avg)), qed(by=[cite(OF_DRAW, at={S: sp.S(9)})]), setting=AT_WILL
)
ALONG = {"f": {"a": (avg, None, None), "v": (v, None, None)}}
OF_INDEX = lemma(
    eq(dot(avg, w), dot(v, w)),
    setting=replace(CLIENTS, depends={**CLIENTS.depends, "w": ""}, functions=ALONG),
    proof=[qed(by=[mean("avg")])],
)
for done, knows in ((forged, "xi"), (true, "past")):
    named = f"cite: a vector in the place of a fixed one that knows {knows}"
    (done(named, "its proof taken again with our vectors, stops at") if done is forged else done(named))(
        OF_INDEX.statement,
        qed(by=[cite(OF_INDEX, points={"f.a": "f.a", "f.v": "f.v"}, vectors={"w": w})]),
        setting=CLIENTS,
        depends={**CLIENTS.depends, "v": "client xi", "avg": "all", "mb": "sample all", "w": knows},
        within={"xi": "client"},
        functions=ALONG,
    )
OF_METRICS = lemma(ge(b, norm2(x)), setting=Setting(depends={"x": ""}, metrics={b: 2 * m, m: norm2(x)}), proof=[qed()])
forged("cite: a metric of a metric, at another vector", "violated")(
    ge(2 * m, norm2(y)), qed(by=[cite(OF_METRICS, vectors={"x": y})]), setting=ANY, depends={"y": ""}
)
true("cite: a metric of a metric, as a form")(
    ge(2 * norm2(y), norm2(y)), qed(by=[cite(OF_METRICS, vectors={"x": y})]), depends={"y": ""}
)

# --- the laws


def refusal(made):
    """Why a claim and its steps are refused, be it that they are made or that they are checked."""
    with pytest.raises(ValueError) as why:
        is_proved(made)
    return str(why.value)


def is_proved(made):
    """Whether a claim is proved by its steps, with no word."""
    claim, *steps = made()
    return not check(claim, Proof(*steps), {}.get).words


@pytest.mark.sweep(20)
@pytest.mark.parametrize("name", FORGED)
def test_what_is_false_is_refused_for_its_reason(name):
    why, made = FORGED[name]
    assert why in refusal(made)


@pytest.mark.parametrize("name", TRUE)
def test_what_is_true_beside_it_is_proved(name):
    assert is_proved(TRUE[name])


NOISY = Setting(depends={"n": "xi", "w": ""}, metrics={m: norm2(n)})
OF_NOISE = replace(
    a_claim(le(m, c), BoundedVariance("n", c), id="test.noise", setting=NOISY), proof=Proof(qed(by=[variance("n")]))
)


@pytest.mark.parametrize(
    "changed",
    [
        {"metrics": {m: norm2(w)}},
        {"depends": {"w": ""}},
        {"metrics": {}, "measured": (m,)},
    ],
)
def test_a_claim_of_the_catalog_says_nothing_of_metrics_that_are_others_here(changed):
    used = Proof(qed(by=[cite("test.noise")]))
    there = {"test.noise": OF_NOISE}.get
    ours = replace(OF_NOISE, id="test.ours", setting=replace(NOISY, measured=(b,), blocks={"w": "x"}))
    check(ours, used, there)
    with pytest.raises(Refused, match="another setting"):
        check(replace(ours, setting=replace(NOISY, **changed)), used, there)
    if "metrics" in changed and "measured" in changed:  # where the metric has no form, a setting may give it one
        check(replace(ours, setting=replace(NOISY, **changed, others=(NOISY,))), used, there)


def test_a_claim_of_the_catalog_needs_what_its_method_sees_to():
    there = a_claim(ge(GAP, 0), Convex("f"), id="test.method", setting=replace(TWO_POINTS, assumes=(Attained("f"),)))
    there = replace(there, proof=Proof(qed(by=[convex("f", "x", "y")])))
    ours = replace(there, id="test.ours")
    used = Proof(qed(by=[cite("test.method")]))
    check(ours, used, {"test.method": there}.get)
    with pytest.raises(Refused, match="another setting"):
        check(replace(ours, setting=TWO_POINTS), used, {"test.method": there}.get)


def test_a_lemma_of_the_catalog_at_a_step_of_ours():
    ours = Setting(
        depends={"x": "past", "g": "past", "h": "past xi", "n": "past xi", "u": "past xi"},
        functions={"phi": {"x": (x, g, f_x), "next": (x - s * (g + n), h, f_y)}},
        measured=(f_x, f_y),
    )
    bound = le(f_y, f_x - s * (1 - s * L / 2) * norm2(g) + s**2 * L * sigma**2 / 2)
    assumed = (Smooth("phi", L), Unbiased("n", "past"), BoundedVariance("n", sigma**2))
    at = {notation.gamma: s, notation.L: L, notation.sigma2: sigma**2}
    points = {"f.x": "phi.x", "f.y": "phi.next"}
    used = cite("lemmas.descent", at=at, points=points, vectors={"e": n})
    check(a_claim(bound, *assumed, setting=ours), Proof(qed(by=[used])), catalog.get)
    for noise in (u, -n, 2 * n):
        with pytest.raises(Refused):
            other = cite("lemmas.descent", at=at, points=points, vectors={"e": noise})
            check(a_claim(bound, *assumed, setting=ours), Proof(qed(by=[other])), catalog.get)


def test_a_hidden_constant_is_not_that_of_another_claim():
    hidden = a_claim(le(m, C_O), setting=ANY, id="test.order")
    for how in (cite("test.order"), cite("test.order", at={C_O: sp.S.Zero})):
        with pytest.raises(Refused, match="hidden"):
            check(FALSE, Proof(qed(by=[how])), {"test.order": hidden}.get)


def test_a_claim_without_steps_is_cited_where_it_has_a_meaning_and_for_fixed_vectors():
    there = {"test.plain": a_claim(ge(norm + 1 / p, 1 / p), id="test.plain")}
    ours = a_claim(ge(norm + 1 / p, 1 / p))
    with pytest.raises(Refused, match=r"Ne\(p, 0\)"):
        check(ours, Proof(qed(by=[cite("test.plain")])), there.get)
    ours = replace(ours, hypotheses=(Hypothesis("p", "p > 0", greater(0, p)),))
    check(ours, Proof(qed(by=[cite("test.plain")])), there.get)
    fixed = replace(COCOERCIVE, id="test.fixed", proof=None)
    ours = replace(fixed, id="test.ours", setting=replace(TWO_POINTS, depends=dict.fromkeys("xygh", "xi")))
    used = cite("test.fixed", points={"f.x": "f.x", "f.y": "f.y"})
    for setting in (ours.setting, TWO_POINTS):
        with pytest.raises(Refused, match="no proof that could be taken again; cite it in its own setting"):
            check(replace(ours, setting=setting), Proof(qed(by=[used])), {"test.fixed": fixed}.get)
    check(replace(ours, setting=TWO_POINTS), Proof(qed(by=[cite("test.fixed")])), {"test.fixed": fixed}.get)
