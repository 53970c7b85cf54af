"""What vectors and numbers are said to be: false claims that rest on a wrong meaning, true ones beside them."""

from dataclasses import replace

import pytest
import sympy as sp
from stated import a_claim

from rateproof.theory.assumptions import (
    Attained,
    ClosedConvex,
    Convex,
    EveryPoint,
    IndependentOf,
    Lipschitz,
    Minimiser,
    Monotone,
    Sampled,
    Smooth,
    StronglyConvex,
    Weighted,
    WholeSpace,
)
from rateproof.theory.gram import Vector, dot, norm2, vectors
from rateproof.theory.proof import (
    HalfSquare,
    Mean,
    NormalCone,
    Proof,
    Refused,
    Rounds,
    SampleMean,
    Setting,
    cauchy_schwarz,
    check,
    cite,
    everywhere,
    exponents,
    have,
    lipschitz,
    mean,
    monotone,
    optimal,
    projection,
    qed,
    sampling,
    smooth,
    smooth_convex,
    stationary,
    written_out,
)
from rateproof.theory.shorthand import eq, ge, le
from rateproof.theory.symbols import C_O

L, acc, rounds = sp.symbols("L acc rounds", positive=True)
length, other_length = sp.symbols("length other_length", nonnegative=True)
N, S, T = sp.symbols("N S T", positive=True, integer=True)
f_x, f_y, least, m = sp.symbols("f_x f_y least m", real=True)
x, y, p, s, g, h, u, v, w, z, image, avg, drawn = vectors("x y p s g h u v w z image avg drawn")


def proved(claim, *lemmas):
    check(claim, claim.proof, {lemma.id: lemma for lemma in lemmas}.get)


# --- a lemma of fixed vectors, cited with random ones

FIXED = Setting(depends={"u": ""}, bounds={length: u}, lengths={length: u})
NORM = a_claim(
    le(norm2(u), length**2), id="test.norm", setting=FIXED, proof=Proof(qed(by=[cauchy_schwarz(length, length)]))
)


def norm_of(vector, setting):
    used = cite("test.norm", vectors={"u": vector})
    return a_claim(le(norm2(vector), other_length**2), setting=setting, proof=Proof(qed(by=[used])))


def test_the_norm_of_a_fixed_vector_is_no_mean_norm():
    """``E||v||^2 <= (E||v||)^2`` is Jensen's inequality the wrong way round."""
    proved(NORM)
    proved(norm_of(v, Setting(depends={"v": ""}, bounds={other_length: v}, lengths={other_length: v})), NORM)
    with pytest.raises(Refused):
        proved(norm_of(v, Setting(depends={"v": "run"}, lengths={other_length: v})), NORM)
    with pytest.raises(Refused):
        proved(norm_of(v, Setting(depends={"v": "run"}, bounds={other_length: v})), NORM)
    with pytest.raises(ValueError, match="two forms"):
        Setting(depends={"v": "run"}, bounds={other_length: v}, lengths={other_length: v})


CLIENTS = Setting(depends={"v": "client", "avg": "", "w": ""}, means={"avg": Mean("v", "client")}, sizes={"client": N})
SAME = a_claim(eq(dot(avg, w), dot(v, w)), id="test.same", setting=CLIENTS, proof=Proof(qed(by=[mean("avg")])))


@pytest.mark.parametrize("named", [{"v": v, "w": w}, {"v": v, "avg": avg, "w": w}])
def test_a_vector_that_knows_the_samples_of_the_clients_is_none_that_is_the_same_for_all(named):
    def ours(of_w):
        setting = Setting(
            depends={"v": "client xi", "avg": "all", "w": of_w},
            means={"avg": Mean("v", "client")},
            sizes={"client": N},
            within={"xi": "client"},
        )
        used = cite("test.same", vectors=named)
        return a_claim(eq(dot(avg, w), dot(v, w)), setting=setting, proof=Proof(qed(by=[used])))

    if "avg" not in named:
        proved(ours("past"), SAME)
    with pytest.raises(Refused):
        proved(ours("xi"), SAME)
    with pytest.raises(Refused):
        proved(replace(ours("xi"), proof=Proof(qed(by=[mean("avg")]))))


# --- random maps

BETWEEN = le(norm2(g - h), L**2 * norm2(x - y))


def of_map(on, **third):
    points = {"x": (x, g, None), "y": (y, h, None), **third}
    return Setting(depends={**dict.fromkeys("xygh", on), "u": "", "v": "xi"}, functions={"F": points})


MAP = a_claim(
    BETWEEN, Lipschitz("F", L), id="test.map", setting=of_map(""), proof=Proof(qed(by=[lipschitz("F", "x", "y")]))
)


@pytest.mark.parametrize("by", [lipschitz("F", "x", "y"), cite("test.map", points={"F.x": "F.x", "F.y": "F.y"})])
def test_a_map_that_is_lipschitz_in_mean_square_is_used_at_points_that_do_not_know_its_sample(by):
    proved(MAP)
    known = of_map("xi", z=(u, v, None))
    for assumed in (Lipschitz("F", L), Lipschitz("F", L, random="xi", given="past")):
        with pytest.raises(Refused, match=r"xi|only its proof taken again can tell"):
            proved(a_claim(BETWEEN, assumed, setting=known, proof=Proof(qed(by=[by]))), MAP)
    # the third point left out, what is random is still said
    with pytest.raises(Refused):
        proved(
            a_claim(
                BETWEEN, Lipschitz("F", L, random="xi", given="past"), setting=of_map("xi"), proof=Proof(qed(by=[by]))
            ),
            MAP,
        )


def test_a_random_map_at_points_that_are_known_before():
    setting = Setting(
        depends={"x": "past", "y": "past", "g": "past xi", "h": "past xi"},
        functions={"F": {"x": (x, g, None), "y": (y, h, None)}},
    )
    proof = Proof(qed(by=[lipschitz("F", "x", "y")]))
    proved(a_claim(BETWEEN, Lipschitz("F", L, random="xi", given="past"), setting=setting, proof=proof))
    with pytest.raises(Refused, match="random by xi"):
        proved(a_claim(BETWEEN, Lipschitz("F", L), setting=setting, proof=proof))
    with pytest.raises(Refused):
        proved(
            a_claim(
                le(norm2(g - h), L**2 / 2 * norm2(x - y)),
                Lipschitz("F", L, random="xi", given="past"),
                setting=setting,
                proof=proof,
            )
        )


def test_what_is_assumed_of_a_map_is_not_assumed_of_a_gradient():
    """The arc tangent increases, its slope does not: it is 1 at 0 and 1/2 at 1, so that the product is -1/2."""
    increasing = ge(dot(g - h, x - y), 0)

    def of(values, by):
        points = {"x": (x, g, values[0]), "y": (y, h, values[1])}
        setting = Setting(
            depends=dict.fromkeys("xygh", ""), functions={"f": points}, measured=values if values[0] else ()
        )
        return a_claim(
            increasing, Monotone("f", sp.S.Zero), setting=setting, proof=Proof(qed(by=[by])), id="test.monotone"
        )

    rule, used = monotone("f", "x", "y"), cite("test.monotone", points={"f.x": "f.x", "f.y": "f.y"})
    lemma = of((None, None), rule)
    proved(lemma)
    proved(replace(of((None, None), used), id="test.again"), lemma)
    for by in (rule, used):
        with pytest.raises(Refused, match="a function and no map"):
            proved(replace(of((f_x, f_y), by), id="test.again"), lemma)


# --- two words for one sample


def drawn_with(word):
    """``v`` is a sample ``xi`` of mean zero, 1 or -1; ``w`` is the sample ``word``, which may be the same."""
    return Setting(depends={"v": "past xi", "avg": "past", "w": word}, means={"avg": Mean("v", "xi")})


def test_a_mean_over_a_source_is_not_apart_from_another_source():
    """``<v, w> = 1`` and ``<avg, w> = 0`` where zeta is xi; what is known of the past is known before both."""
    alike = eq(dot(avg, w), dot(v, w))
    by_rule = Proof(qed(by=[mean("avg")]))
    lemma = a_claim(alike, id="test.alike", setting=drawn_with("past"), proof=by_rule)
    by_citation = Proof(qed(by=[cite("test.alike", vectors={"v": v, "w": w, "avg": avg})]))
    for proof in (by_rule, by_citation):
        for word in ("", "past"):
            proved(a_claim(alike, setting=drawn_with(word), proof=proof), lemma)
        with pytest.raises(Refused):
            proved(a_claim(alike, setting=drawn_with("past zeta"), proof=proof), lemma)


@pytest.mark.parametrize(
    ("says", "by"),
    [
        (Lipschitz("F", sp.S.One, random="xi", given="past"), lipschitz("F", "x", "y")),
        (EveryPoint("F", "z", le(norm2(u), norm2(z))), everywhere("F", "x")),
    ],
)
def test_what_is_true_in_mean_square_is_so_at_points_that_are_known_before(says, by):
    """``F(x) = xi x`` with ``xi = 2`` one time in four, else 0: at ``x = xi`` mean square is 4, of x 1."""

    def at(word):
        points = {"x": (x, g, None), "y": (0 * y, 0 * y, None), "z": (z, u, None)}
        depends = {"x": word, "g": f"{word} xi", "y": "", "z": "past", "u": "past xi"}
        setting = Setting(depends=depends, functions={"F": points})
        return a_claim(le(norm2(g), norm2(x)), says, setting=setting, proof=Proof(qed(by=[by])))

    proved(at("past"))
    for word in ("zeta", "past zeta"):
        with pytest.raises(Refused, match="depends on zeta"):
            proved(at(word))


# --- minima of clients


def test_clients_have_a_minimum_each():
    """``mean ||grad f_i(y)||^2 <= 2 L (f(y) - mean inf f_i)``, but not against the value at one common point."""

    def bound(of_x):
        setting = Setting(
            depends={"x": of_x, "g": "client", "y": ""},
            functions={"f_i": {"s": (x, Vector(), least), "y": (y, g, f_y)}},
            infima={"f_i": least},
            sizes={"client": N},
            measured=(least, f_y),
        )
        hypotheses = (Attained("f_i"), Convex("f_i"), Smooth("f_i", L))
        proof = Proof(qed(by=[smooth_convex("f_i", "s", "y")]))
        return a_claim(le(norm2(g), 2 * L * (f_y - least)), *hypotheses, setting=setting, proof=proof)

    proved(bound("client"))
    with pytest.raises(Refused, match="a minimum for each client"):
        proved(bound(""))


@pytest.mark.parametrize("rule", [stationary("f_i"), optimal("f_i")])
def test_clients_have_a_minimiser_each_over_a_set(rule):
    """``(x - 1)^2/2`` and ``(x + 1)^2/2`` have the slopes -1 and 1 at 0, where their mean is least."""

    def vanishes(of_x):
        setting = Setting(
            depends={"x": of_x, "y": of_x, "g": "client"},
            functions={"f_i": {"s": (x, g, f_x)}, "X": {"s": (x, x, None), "y": (y, y, None)}},
            sizes={"client": N},
            assumes=(Minimiser("f_i", "s", "X"),),
            measured=(f_x,),
        )
        goal = le(norm2(g), 0) if rule.name == "stationary" else ge(dot(g, y - x), 0)
        hypotheses = (StronglyConvex("f_i", sp.S.One), Smooth("f_i", sp.S.One), ClosedConvex("X"), WholeSpace("X"))
        return a_claim(goal, *hypotheses, setting=setting, proof=Proof(qed(by=[rule])))

    proved(vanishes("client"))
    with pytest.raises(Refused, match="a minimum for each client"):
        proved(vanishes(""))


def test_a_number_is_the_least_value_of_one_function_and_the_value_of_one():
    """Of the same two functions the mean is least at 0, with 1/2, and both infima are 0."""
    points = {"f_i": {"x": (x, g, f_x)}, "F": {"x": (x, avg, f_x)}}
    parts = {
        "depends": {"x": "", "g": "client", "avg": ""},
        "means": {"avg": Mean("g", "client")},
        "made": {"F": Mean("f_i", "client")},
    }
    Setting(**parts, functions=points, infima={"F": least, "f_i": f_y})
    with pytest.raises(ValueError, match="least is the infimum of F and of f_i"):
        Setting(**parts, functions=points, infima={"F": least, "f_i": least})
    with pytest.raises(ValueError, match="f_x is the value of f_i and of F"):
        Setting(**{**parts, "made": {}}, functions=points)


def test_a_function_has_no_slope_where_it_is_least():
    """``f(x) = x`` is least over ``x >= 0`` at 0, with slope 1, and its infimum is no number."""
    at = {"f": {"x": (x, g, f_x), "s": (s, h, least)}}
    depends = dict.fromkeys("xsgh", "")
    Setting(depends=depends, functions=at)
    with pytest.raises(ValueError, match="f is least at s, where its gradient should be zero"):
        Setting(depends=depends, functions=at, infima={"f": least})


def test_a_sample_is_drawn_apart_from_another_one_that_is_drawn_so():
    """``<drawn, again> = (1/S) (1 - S/N) spread + ...`` where both are one sample: 1, not 0, for -1 and 1 and S = 1."""
    setting = Setting(
        depends={"v": "client", "avg": "", "drawn": "sample", "w": "second"},
        means={
            "avg": Mean("v", "client"),
            "drawn": SampleMean("v", "client", "sample"),
            "w": SampleMean("v", "client", "second"),
        },
        sizes={"client": N},
    )
    alike, proof = eq(dot(drawn, w), dot(avg, w)), Proof(qed(by=[mean("drawn"), mean("avg")]))
    first = Sampled("sample", S, N)
    proved(a_claim(alike, first, Sampled("second", S, N), setting=setting, proof=proof))
    with pytest.raises(Refused):
        proved(a_claim(alike, first, setting=setting, proof=proof))


MINIMUM = Setting(
    depends=dict.fromkeys(("x", "g", "s"), ""),
    functions={"f": {"x": (x, g, f_x), "s": (s, Vector(), least)}},
    infima={"f": least},
    measured=(f_x, least),
)


AT_MINIMUM = lipschitz("f", "x", "s")


def flat(statement, *hypotheses, setting=MINIMUM, id="test.flat", by=AT_MINIMUM):
    """A function with a constant gradient, which vanishes at a minimum."""
    proof = Proof(qed(by=[by]))
    return a_claim(statement, Smooth("f", sp.S.Zero), *hypotheses, setting=setting, id=id, proof=proof)


def test_that_a_minimum_is_attained_is_a_hypothesis_where_the_claim_does_not_speak_of_it():
    """``f(x) = x`` has the slope 1 everywhere, and no minimum."""
    vanishes, seen = le(norm2(g), 0), replace(MINIMUM, assumes=(Attained("f"),))
    proved(flat(vanishes, Attained("f")))
    for setting in (MINIMUM, seen):
        with pytest.raises(Refused, match="does not assume that f attains"):
            proved(flat(vanishes, setting=setting))
    # here the point or the least value is what the claim is about
    proved(flat(le(norm2(g), L * norm2(x - s)), setting=seen))
    about = replace(seen, metrics={m: norm2(x - s)})
    proved(flat(le(norm2(g), L * m), ge(L, 0), setting=about))
    # a claim that speaks of the minimum is cited by one that does not
    lemma = flat(le(norm2(g), L * m), setting=about, id="test.near")
    proved(lemma)
    with pytest.raises(Refused, match=r"test.near assumes Attained\(f\), which the claim does not"):
        proved(flat(vanishes, setting=about, by=cite("test.near")), lemma)


def test_a_strongly_convex_function_has_a_minimum():
    """Of this no hypothesis is needed, as of a convex function, which may be ``f(x) = x``."""
    seen = replace(MINIMUM, assumes=(Attained("f"),))
    bound = le(norm2(g), 0)
    strong = flat(bound, StronglyConvex("f", sp.S.One), setting=seen)
    proved(strong)
    with pytest.raises(Refused, match="does not assume that f attains"):
        proved(flat(bound, StronglyConvex("f", sp.S.Zero), setting=seen))


def test_a_set_is_closed_and_convex_by_hypothesis_or_as_a_normal_cone():
    """Two points are no convex set: x = (0, 1) is next to (-1, 0), and the angle to (1, 0) is sharp."""
    setting = Setting(depends=dict.fromkeys("xpy", ""), functions={"X": {"x": (x, p, None), "y": (y, y, None)}})
    angle, proof = le(dot(x - p, y - p), 0), Proof(qed(by=[projection("X", "x", "y")]))
    proved(a_claim(angle, ClosedConvex("X"), setting=setting, proof=proof))
    proved(a_claim(angle, setting=replace(setting, made={"X": NormalCone("Y")}), proof=proof))
    with pytest.raises(Refused, match="ClosedConvex of X"):
        proved(a_claim(angle, setting=setting, proof=proof))
    for alien in (ClosedConvex("X"), IndependentOf("x", "run")):
        with pytest.raises(ValueError, match="a hypothesis of a claim"):
            replace(setting, assumes=(alien,))


# --- rounds


@pytest.mark.parametrize("sign", ["positive", "nonnegative"])
def test_a_held_factor_of_the_goal_may_be_zero(sign):
    """``O(sigma^2/eps)`` rounds follow from ``m <= 1/T`` for a positive sigma, from ``m <= sigma^2/T`` in any case."""
    sigma = sp.Symbol("sigma", **{sign: True})

    def order(bound):
        setting = Setting(measured=(m,), rounds={rounds: Rounds(m, T, acc, held=(sigma,))})
        steps = have("bound", le(m, bound)), exponents("o", "bound"), qed(by=["o"])
        return a_claim(le(rounds, C_O * sigma**2 / acc), le(m, bound), ge(T, 1), setting=setting, proof=Proof(*steps))

    proved(order(sigma**2 / T))
    if sign == "positive":
        proved(order(1 / T))
    else:
        with pytest.raises(Refused, match="no term of the goal"):
            proved(order(1 / T))


# --- what a setting may say


def test_what_functions_have_is_a_hypothesis_of_the_claim():
    """``half`` is made, and knows that it is 1-smooth; of another function a setting says nothing."""
    points = {"x": (x, x - u, None), "y": (y, y - u, None)}
    half = Setting(depends=dict.fromkeys("xyu", ""), functions={"half": points}, made={"half": HalfSquare()})
    bound = le(norm2((x - u) - (y - u)), norm2(x - y))
    proved(a_claim(bound, setting=half, proof=Proof(qed(by=[lipschitz("half", "x", "y")]))))
    with pytest.raises(ValueError, match="a hypothesis of a claim"):
        replace(of_map(""), assumes=(Smooth("F", sp.S.One),))
    with pytest.raises(ValueError, match="half a squared distance"):
        replace(half, functions={"half": {**points, "y": (y, 2 * y, None)}})


def combined(gradient, value, **rest):
    """``F = f/2`` at one point."""
    return Setting(
        depends=dict.fromkeys(("x", "y", "g", "h", "u", "v"), ""),
        functions={
            "f": {"x": (x, g, f_x), "y": (y, h, f_y)},
            "F": {"x": (x, gradient, value), "y": (y, h * sp.Rational(1, 2), f_y / 2)},
        },
        made={"F": {"f": sp.Rational(1, 2)}},
        measured=(f_x, f_y),
        **rest,
    )


def test_the_gradient_of_a_combination_is_that_of_its_parts():
    setting = combined(g * sp.Rational(1, 2), f_x / 2)
    claim = a_claim(le(norm2(g - h), L**2 * norm2(x - y)), Smooth("f", L), setting=setting)
    proved(replace(claim, proof=Proof(qed(by=[lipschitz("F", "x", "y")], multipliers=[4]))))
    combined(u, f_x / 2, sums={"u": g * sp.Rational(1, 2)})
    combined(u, sp.Symbol("F_x", real=True))  # names of its own
    for gradient, value, why in (
        (g, f_x / 2, "of F at x and of f at x"),
        (g * sp.Rational(1, 3), f_x / 2, "the gradient of F at x is g/2|the gradient of F"),
        (g * sp.Rational(1, 2), f_x, "the value of F at x is f_x/2"),
    ):
        with pytest.raises(ValueError, match=why):
            combined(gradient, value)
    with pytest.raises(ValueError, match="the gradient of F"):
        combined(u, f_x / 2, sums={"u": g})


def test_a_gradient_belongs_to_one_function_and_point():
    points = {"x": (x, g, f_x), "y": (y, g, f_y)}
    with pytest.raises(ValueError, match="g is the gradient or image of f at y and of f at x"):
        Setting(depends=dict.fromkeys("xyg", ""), functions={"f": points}, measured=(f_x, f_y))
    # one function with two names, and a point that is its own projection
    spot = {"x": (x, g, f_x)}
    Setting(depends=dict.fromkeys("xg", ""), functions={"f": spot, "f again": spot}, measured=(f_x,))
    Setting(depends={"x": ""}, functions={"X": {"x": (x, x, None)}, "Y": {"x": (x, x, None)}})


def test_a_mean_that_is_a_combination_is_the_mean_of_that_combination():
    parts = {
        "depends": {"v": "client", "g": "client", "avg": "", "h": "", "u": ""},
        "means": {"avg": Mean("v", "client"), "h": Mean("g", "client")},
        "sizes": {"client": N},
    }
    setting = Setting(**parts, sums={"v": 2 * g + u, "avg": 2 * h + u})
    proof = Proof(qed(by=[written_out("avg")]))
    proved(a_claim(eq(dot(avg, u), 2 * dot(h, u) + norm2(u)), setting=setting, proof=proof))
    for sums in ({"avg": u}, {"v": 2 * g + u, "avg": h + u}):
        with pytest.raises(ValueError, match="is not known to be that mean"):
            Setting(**parts, sums=sums)


def test_weights_are_what_the_claim_supposes_of_them():
    weighted = replace(CLIENTS, weighted=("client",))
    jensen = a_claim(le(norm2(avg), norm2(v)), setting=weighted, proof=Proof(qed(by=[mean("avg")])))
    with pytest.raises(Refused, match="Weighted"):
        proved(jensen)
    proved(a_claim(jensen.statement, Weighted("client", L), setting=weighted, proof=jensen.proof))


def test_what_is_counted_is_whole():
    def of(count, size):
        setting = Setting(
            depends={"v": "client", "avg": "", "drawn": "sample"},
            means={"avg": Mean("v", "client"), "drawn": SampleMean("v", "client", "sample")},
            sizes={"client": size},
        )
        spread = le(count * norm2(drawn - avg), norm2(v - avg))
        return a_claim(
            spread, Sampled("sample", count, size), setting=setting, proof=Proof(qed(by=[sampling("drawn")]))
        )

    proved(of(S, N))
    real = sp.Symbol("real", positive=True)
    for count, size in ((real, N), (S, real)):
        with pytest.raises(Refused, match="whole number"):
            proved(of(count, size))
    claim = of(S, real)  # by its meaning
    proved(replace(claim, setting=replace(claim.setting, counts=(real,))))


@pytest.mark.parametrize("bound", [L**2 / 2, L])
def test_a_smooth_function_between_two_points(bound):
    """A control: with another constant it is refused."""
    setting = Setting(
        depends=dict.fromkeys("xygh", ""),
        functions={"f": {"x": (x, g, f_x), "y": (y, h, f_y)}},
        measured=(f_x, f_y),
    )
    proof = Proof(qed(by=[smooth("f", "x", "y"), lipschitz("f", "x", "y")]))
    proved(a_claim(BETWEEN, Smooth("f", L), setting=setting, proof=proof))
    with pytest.raises(Refused):
        proved(a_claim(le(norm2(g - h), bound * norm2(x - y)), Smooth("f", L), setting=setting, proof=proof))
