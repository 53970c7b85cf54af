"""The rules that the kernel trusts, on random functions, sets, samples and noises of the class."""

from dataclasses import replace
from fractions import Fraction
from itertools import combinations, product
from pathlib import Path

import numpy as np
import pytest
import sympy as sp

from rateproof.theory import proof
from rateproof.theory.assumptions import (
    Attained,
    BoundedBelow,
    BoundedDissimilarity,
    BoundedVariance,
    ClosedConvex,
    Convex,
    Dissimilar,
    EveryPoint,
    Identical,
    Independent,
    Lipschitz,
    Minimiser,
    Monotone,
    Quadratic,
    Sampled,
    Smooth,
    StronglyConvex,
    Unbiased,
    WeaklySharp,
)
from rateproof.theory.gram import Vector, vectors
from rateproof.theory.gram.vectors import inner
from rateproof.theory.proof import Argmin, Mean, Refused, SampleMean, Setting
from rateproof.theory.proof import rules as rules_by_name
from rateproof.theory.proof.rules import RULES, Rules
from rateproof.theory.proof.trusted import PARTS, lines, trusted

x, y, z, g_x, g_y, g_z = vectors("x y z g_x g_y g_z")
f_x, f_y, f_z = sp.symbols("f_x f_y f_z", real=True)
AT = {"x": (x, g_x, f_x), "y": (y, g_y, f_y), "z": (z, g_z, f_z)}
POINTS = Setting(
    depends=dict.fromkeys(["x", "y", "z", "g_x", "g_y", "g_z"], ""), functions={"f": AT}, measured=(f_x, f_y, f_z)
)

#: The same without values: a map.
MAPPED = replace(POINTS, functions={"f": {name: (p, image, None) for name, (p, image, _) in AT.items()}}, measured=())


def slack(relation, numbers):
    """How much of a relation is left, relative to its sides; negative where it is violated."""
    small, large = (float(side.xreplace(numbers)) for side in relation.args)
    gap = (large - small) if relation.rel_op == "<=" else (small - large)
    gap = -abs(gap) if relation.rel_op == "==" else gap
    return gap / max(1, abs(small), abs(large))


def at_points(points, gradients, values):
    """Numbers for inner products and values of three points."""
    named = dict(zip(POINTS.depends, (*points, *gradients), strict=True))
    products = {inner(a, b): sp.Float(u @ v) for a, u in named.items() for b, v in named.items()}
    return products | dict(zip((f_x, f_y, f_z), map(sp.Float, values), strict=True))


def quadratic(rng, low, high):
    """A quadratic function whose curvatures lie between two numbers, and attain both."""
    basis, _ = np.linalg.qr(rng.standard_normal((4, 4)))
    H = basis @ np.diag([low, high, *rng.uniform(low, high, 2)]) @ basis.T
    b = rng.standard_normal(4)
    return lambda p: p @ H @ p / 2 + b @ p, lambda p: H @ p + b


def softplus(rng, low, high):
    """A sum of smooth convex functions of one variable each that are no quadratics, on top of a parabola."""
    scale = 4 * (high - low)
    return (
        lambda p: scale * np.logaddexp(0, p).sum() + low * p @ p / 2,
        lambda p: scale / (1 + np.exp(-p)) + low * p,
    )


CLASSES = {
    "convex": ((Convex("f"),), 0, 3),
    "strongly convex": ((StronglyConvex("f", sp.Rational(1, 2)),), 0.5, 3),
    "weakly convex": ((StronglyConvex("f", -sp.S.One),), -1, 3),
    "smooth": ((Smooth("f", sp.Integer(3)),), -3, 3),
    "smooth_convex": ((Smooth("f", sp.Integer(3)), Convex("f")), 0, 3),
    "strongly_convex_smooth": ((Smooth("f", sp.Integer(3)), StronglyConvex("f", sp.Rational(1, 2))), 0.5, 3),
    "cocoercive": ((Smooth("f", sp.Integer(3)), Convex("f")), 0, 3),
    "lipschitz": ((Lipschitz("f", sp.Integer(3)),), -3, 3),
    "lipschitz gradient": ((Smooth("f", sp.Integer(3)),), -3, 3),
    "monotone": ((Monotone("f", sp.Rational(1, 2)),), 0.5, 3),
}


@pytest.mark.parametrize("name", CLASSES)
@pytest.mark.parametrize("function", [quadratic, softplus])
def test_facts_of_functions(name, function):
    assumed, low, high = CLASSES[name]
    rule = {"strongly convex": "convex", "weakly convex": "convex", "lipschitz gradient": "lipschitz"}.get(name, name)
    setting = MAPPED if isinstance(assumed[0], (Lipschitz, Monotone)) else POINTS
    facts = Rules(setting, assumed).facts(getattr(rules_by_name, rule)("f", "x", "y", "z"))
    assert facts.relations
    rng = np.random.default_rng(0)
    tight = np.inf
    for scale in (1, 0.01, 30):
        for _ in range(5):
            value, gradient = function(rng, low, high)
            points = rng.standard_normal((3, 4)) * scale
            numbers = at_points(points, [gradient(p) for p in points], [value(p) for p in points])
            slacks = [slack(r, numbers) for r in facts.relations]
            assert min(slacks) > -1e-9
            tight = min(tight, *slacks)
    assert tight < 0.6  # the numbers are near what the rule allows


def test_the_gradient_of_a_quadratic_at_a_mean_is_the_mean_of_the_gradients():
    names = {"x": "", "y": "client", "g": "", "b": "client", "mean_b": ""}
    points = {"x": (*vectors("x g"), f_x), "y": (*vectors("y b"), f_y)}
    setting = Setting(
        depends=names, means={"x": Mean("y", "client"), "mean_b": Mean("b", "client")}, functions={"f": points}
    )
    assumed = (Quadratic("f"), Identical("f", "client"))
    rule = rules_by_name.affine("f", "x", "y")
    Rules(setting, assumed).facts(rule)
    equations = [*Rules(setting, assumed).facts(rule).among({*names})]
    rng = np.random.default_rng(2)
    for low in (-2, 0, 1):
        _, gradient = quadratic(rng, low, 3)
        y = rng.standard_normal((5, 4))
        b = np.array([gradient(p) for p in y])
        mean = y.mean(axis=0)
        fixed = {"x": mean, "g": gradient(mean), "mean_b": b.mean(axis=0)}
        of = {n: np.broadcast_to(v, (5, 4)) for n, v in fixed.items()} | {"y": y, "b": b}
        numbers = {inner(u, v): sp.Float((of[u] * of[v]).sum() / 5) for u, v in product(of, repeat=2)}
        assert len(equations) == 5 and min(slack(r, numbers) for r in equations) > -1e-12
    for less in combinations(assumed, 1):
        with pytest.raises(Refused, match="does not assume"):
            Rules(setting, less).facts(rule)
    with pytest.raises(Refused, match="mean"):
        Rules(setting, assumed).facts(rules_by_name.affine("f", "y", "x"))


def clients(rng):
    """Three linear maps with an offset each, as gradients, and (G^2, B^2) with which they are dissimilar, B^2 given."""
    H, b = rng.standard_normal((3, 2, 2)), rng.standard_normal((3, 2))
    growth = 2 * np.linalg.norm(H, axis=(1, 2)).max() ** 2 / np.linalg.svd(H.mean(axis=0))[1][-1] ** 2
    # the least G^2: the largest value of a concave function, at its stationary point
    mean_H, mean_b = H.mean(axis=0), b.mean(axis=0)
    A = np.mean([h.T @ h for h in H], axis=0) - growth * mean_H.T @ mean_H
    c = np.mean([h.T @ o for h, o in zip(H, b, strict=True)], axis=0) - growth * mean_H.T @ mean_b
    bound = (b * b).sum() / 3 - growth * mean_b @ mean_b - c @ np.linalg.solve(A, c)
    assert np.linalg.eigvalsh(A).max() < 0
    return H, b, bound, growth, np.linalg.solve(A, -c)


def test_dissimilar_gradients_at_random_points():
    """At a point that is random apart from who the client is; the bound is attained at the worst point."""
    rng = np.random.default_rng(5)
    setting = Setting(
        depends={"x": "past", "g_x": "past client", "y": "past", "g_y": "past"},
        means={"g_y": Mean("g_x", "client")},
        functions={"f": {"x": (x, g_x, f_x)}, "F": {"x": (x, g_y, f_x)}},
        made={"F": Mean("f", "client")},
    )
    for _ in range(5):
        H, b, bound, growth, worst = clients(rng)
        says = BoundedDissimilarity("f", "client", sp.Float(bound), sp.Float(growth))
        spread = Dissimilar("f", "client", "", sp.Float(1))
        general = EveryPoint("f", "x", sp.Le(inner("g_x", "g_x"), bound + growth * inner("g_y", "g_y"), evaluate=False))
        (relation,) = Rules(setting, (says,)).facts(rules_by_name.dissimilar("f", "x")).relations
        (same,) = Rules(setting, (general,)).facts(rules_by_name.everywhere("f", "x")).relations
        (apart,) = Rules(setting, (spread,)).facts(rules_by_name.dissimilar("f", "x")).relations
        for points in (rng.standard_normal((4, 2)), [worst]):
            g = np.array([[h @ p + o for h, o in zip(H, b, strict=True)] for p in points])
            m = g.mean(axis=1)
            squares = [(g * g).sum() / (3 * len(points)), (m * m).sum() / len(points)]
            numbers = dict(zip((inner("g_x", "g_x"), inner("g_y", "g_y")), map(sp.Float, squares), strict=True))
            assert slack(relation, numbers) > -1e-9 and slack(same, numbers) > -1e-9
        assert abs(slack(relation, numbers)) < 1e-9
        # <g_x, g_y> is the mean's square
        numbers[inner("g_x", "g_y")] = numbers[inner("g_y", "g_y")]
        assert float(apart.lhs.xreplace(numbers)) == pytest.approx(((g - m[:, None]) ** 2).sum() / 3)


def test_smooth_on_a_set_only():
    """``x^4`` is 12 r^2-smooth on [-r, r] and nowhere else; cocoercive functions are so on the whole space."""
    on = (Smooth("f", sp.Integer(12), "X"), ClosedConvex("X"))
    inside = Setting(
        depends=POINTS.depends,
        functions={"f": AT, "X": {n: (v, v, None) for n, (v, *_) in AT.items()}},
        measured=POINTS.measured,
    )
    rng = np.random.default_rng(6)
    for rule in (rules_by_name.smooth, rules_by_name.lipschitz):
        facts = Rules(inside, on).facts(rule("f", "x", "y", "z"))
        for points in (rng.uniform(-1, 1, (3, 1)) for _ in range(20)):
            numbers = at_points(points, 4 * points**3, points[:, 0] ** 4)
            assert min(slack(r, numbers) for r in facts.relations) > -1e-9
        outside = np.array([[1.0], [2.0], [-2.0]])
        numbers = at_points(outside, 4 * outside**3, outside[:, 0] ** 4)
        assert min(slack(r, numbers) for r in facts.relations) < -0.1
        with pytest.raises(Refused, match="not known to lie there"):
            Rules(POINTS, on).facts(rule("f", "x", "y"))


def test_infima_and_least_terms():
    k, least = sp.Symbol("k", integer=True), sp.Symbol("least", real=True)
    term = sp.Function("gap", real=True)(k)
    most = sp.Symbol("most", real=True)
    over = (term, (k, 0, 3))
    setting = replace(
        POINTS, functions={"f": AT}, infima={"f": sp.Symbol("low")}, minima={least: over}, maxima={most: over}
    )
    bounded = Rules(setting, (BoundedBelow("f"),)).facts(rules_by_name.infimum("f", "x"))
    assert bounded.relations == (sp.Ge(f_x, sp.Symbol("low"), evaluate=False),)
    with pytest.raises(Refused, match="BoundedBelow"):
        Rules(setting, ()).facts(rules_by_name.infimum("f", "x"))
    values = [3, -1, 2, 5]
    for rule, extreme, value in ((rules_by_name.least, least, -1), (rules_by_name.largest, most, 5)):
        found = Rules(setting, ()).facts(rule(extreme))
        for i in range(-1, 6):
            inside = all(bool(c.subs(k, i)) for c in found.conditions)
            assert inside == (0 <= i <= 3)
            assert not inside or all(r.xreplace({extreme: value, term: values[i]}) for r in found.relations)
    with pytest.raises(Refused, match="no maximum"):
        Rules(setting, ()).facts(rules_by_name.largest(least))


def test_projections():
    facts = Rules(POINTS, (ClosedConvex("f"),)).facts(rules_by_name.projection("f", "x", "y", "z"))
    rng = np.random.default_rng(1)
    for _ in range(20):
        points = rng.standard_normal((3, 4)) * 3
        boxed = np.clip(points, -1, rng.uniform(0, 1, 4))
        balls = points / np.maximum(1, np.linalg.norm(points, axis=1))[:, None]
        for images in (boxed, balls):
            numbers = at_points(points, images, np.zeros(3))
            assert min(slack(r, numbers) for r in facts.relations) > -1e-12


# --- a random point and the minimisers of h over the whole space; expectations are means over the draws

p, b = vectors("p b")
length, norm, large, least_h = sp.symbols("length norm large least_h", nonnegative=True)
alpha, kappa, offset = sp.symbols("alpha kappa offset", positive=True)
SETS = Setting(
    depends={"x": "run", "z": "", "p": "run", "g_x": "run", "g_z": "", "b": "run"},
    functions={
        "f": {"x": (x, g_x, f_x), "z": (z, g_z, f_z)},
        "h": {"x": (x, None, f_y)},
        "X": {"x": (x, p), "z": (z, z)},
    },
    made={"X": Argmin("h")},
    infima={"h": least_h},
    lengths={length: x - p},
    bounds={norm: g_z, large: g_x},
    assumes=(Minimiser("f", "z", over="X"), Attained("h")),
    measured=(f_x, f_y, f_z, length),
)


FUNCTIONS = (Convex("f"), Smooth("f", sp.Integer(3)), Convex("h"))


@pytest.mark.parametrize("order", [1, 2, 3])
def test_minima_over_a_set_and_sharpness(order):
    """``h`` is the distance to a ball to a power, and more; f a parabola whose minimum is outside or inside."""
    rng = np.random.default_rng(order)
    assumed = (*SETS.assumes, *FUNCTIONS, WeaklySharp("h", sp.Rational(1, 2), sp.Integer(order), sp.Rational(1, 10)))
    rules = Rules(SETS, assumed)
    facts = [
        rules.facts(rule).relations
        for rule in (
            rules_by_name.optimal("f"),
            rules_by_name.sharp("h", "x"),
            rules_by_name.infimum("h", "x"),
            rules_by_name.cauchy_schwarz(norm, length),
            rules_by_name.cauchy_schwarz(large, length),
        )
    ]
    assert [len(f) for f in facts] == [1, 1, 1, 3, 3]
    tight = np.inf
    for centre in rng.standard_normal((20, 3)) * 2:
        draws = rng.standard_normal((30, 3)) * rng.uniform(0.5, 3)
        nearest = draws / np.maximum(1, np.linalg.norm(draws, axis=1))[:, None]
        best = centre / max(1, np.linalg.norm(centre))
        distances = np.linalg.norm(draws - nearest, axis=1)
        named = {"x": draws, "p": nearest, "z": [best] * 30, "g_x": draws - centre, "g_z": [best - centre] * 30}
        numbers = {
            inner(a, c): sp.Float((np.array(u) * v).sum(1).mean()) for a, u in named.items() for c, v in named.items()
        }
        numbers |= {length: distances.mean(), norm: np.linalg.norm(best - centre), least_h: sp.Float(2)}
        numbers[large] = np.linalg.norm(draws - centre, axis=1).max()
        numbers[f_y] = sp.Float(2 + max(0, np.mean(distances**order) / 2 - 0.1))
        slacks = [slack(r, numbers) for relations in facts for r in relations]
        assert min(slacks) > -1e-9
        tight = min(tight, *slacks[1:2])
    assert tight < 0.5


def test_values_of_a_combination():
    part, other, whole, c = sp.symbols("part other whole c", positive=True)
    setting = Setting(
        depends={"x": "run"},
        functions={"f": {"x": (x, None, part)}, "h": {"x": (x, None, other)}, "F": {"x": (x, None, whole)}},
        made={"F": {"f": c, "h": sp.S.One}},
    )
    assert Rules(setting, ()).facts(rules_by_name.values("F", "x")).relations == (sp.Eq(whole, c * part + other),)
    with pytest.raises(Refused, match="no combination"):
        Rules(setting, ()).facts(rules_by_name.values("f", "x"))


def test_what_these_rules_need():
    without = {
        Minimiser: rules_by_name.optimal("f"),
        Smooth: rules_by_name.optimal("f"),
        Attained: rules_by_name.optimal("f"),
        WeaklySharp: rules_by_name.sharp("h", "x"),
    }
    assumed = (*SETS.assumes, *FUNCTIONS, WeaklySharp("h", alpha, kappa))
    for kind, rule in without.items():
        assert Rules(SETS, assumed).facts(rule).relations
        with pytest.raises(Refused):
            Rules(SETS, tuple(a for a in assumed if not isinstance(a, kind))).facts(rule)
    assert sp.Ge(kappa, 1) in Rules(SETS, assumed).facts(rules_by_name.sharp("h", "x")).conditions
    # where a hypothesis says that the order is 1, and only there, it is written so
    ones = Rules(SETS, assumed, lambda relation: relation == sp.Eq(kappa, 1)).facts(rules_by_name.sharp("h", "x"))
    linear = Rules(SETS, (*SETS.assumes, *FUNCTIONS, WeaklySharp("h", alpha, sp.S.One))).facts(
        rules_by_name.sharp("h", "x")
    )
    assert ones == linear != Rules(SETS, assumed).facts(rules_by_name.sharp("h", "x"))
    with pytest.raises(Refused, match="no bound on the norm"):
        Rules(SETS, assumed).facts(rules_by_name.cauchy_schwarz(length, length))
    with pytest.raises(Refused, match="no length"):
        Rules(SETS, assumed).facts(rules_by_name.cauchy_schwarz(norm, norm))
    minimum = Setting(depends={"x": "", "y": "", "g_x": ""}, functions={"f": {"x": AT["x"], "y": (y, Vector(), f_y)}})
    with pytest.raises(Refused, match="minimum"):
        Rules(minimum, (Convex("f"),)).facts(rules_by_name.convex("f", "x", "y"))


# --- samples and noises, by enumeration in fractions

N, S, K = sp.symbols("N S K", positive=True, integer=True)


@pytest.mark.parametrize(("size", "count"), [(n, s) for n in range(1, 5) for s in range(1, n + 1)])
def test_samples_without_replacement(size, count):
    setting = Setting(
        depends={"v": "client", "m": "", "s": "sample", "w": ""},
        means={"m": Mean("v", "client"), "s": SampleMean("v", "client", "sample")},
        sizes={"client": N},
    )
    rules = Rules(setting, (Sampled("sample", S, N),))
    values = [Fraction(3 * i * i - 2, i + 1) for i in range(size)]
    mean, w = sum(values) / size, Fraction(7, 3)
    means = [sum(values[i] for i in drawn) / count for drawn in combinations(range(size), count)]

    def E(of):
        return sum(of) / len(of)

    numbers = {
        inner("v", "v"): E([v * v for v in values]),
        inner("m", "m"): mean**2,
        inner("m", "v"): mean**2,
        inner("s", "s"): E([s * s for s in means]),
        inner("m", "s"): mean * E(means),
        inner("m", "w"): mean * w,
        inner("s", "w"): E(means) * w,
        inner("v", "w"): mean * w,
        N: size,
        S: count,
    }
    numbers = {k: sp.Rational(v.numerator, v.denominator) for k, v in numbers.items()}
    moments = rules.facts(rules_by_name.sampling("s")).relations
    linear = [r for n in ("m", "s") for r in rules.facts(rules_by_name.mean(n)).among({"m", "w"})]
    for relation in (*moments, *linear):
        left, right = (side.xreplace(numbers) for side in relation.args)
        assert {"<=": left <= right, "==": sp.Eq(left, right)}[relation.rel_op]


def test_means_of_noises_that_depend_on_the_past():
    """Two clients, two local steps, two-point noise whose size depends on the noise of the step before."""
    setting = Setting(
        depends={
            "n": "client step before xi",
            "steps": "client round",
            "drawn": "sample round",
            "w": "sample",
            "u": "client step before",
        },
        means={"steps": Mean("n", "step"), "drawn": SampleMean("steps", "client", "sample")},
        sizes={"client": N, "step": K},
        within={"before": "step", "xi": "step"},
        earlier=("before",),
    )
    given = Unbiased("n", "client sample step before")
    rules = Rules(
        setting, (given, BoundedVariance("n", sp.S.One), Independent("n", over="client"), Sampled("sample", S, N))
    )
    steps, drawn, one = Fraction(0), Fraction(0), Fraction(0)
    with_w, with_u, with_change = Fraction(0), Fraction(0), Fraction(0)
    for signs in product((-1, 1), repeat=4):
        noise = [
            [Fraction(signs[2 * i]), signs[2 * i + 1] * (2 if signs[2 * i] > 0 else 1) * Fraction(1)] for i in (0, 1)
        ]
        one += sum(n * n for row in noise for n in row) / 4
        steps += sum((sum(row) / 2) ** 2 for row in noise) / 2
        # the sample is client 0 or client 1, each with chance 1/2; w knows which
        drawn += sum((sum(row) / 2) ** 2 for row in noise) / 2
        with_w += sum(sum(row) / 2 * (1 + 3 * i) for i, row in enumerate(noise)) / 2
        with_u += sum(row[1] * row[0] for row in noise) / 4  # u: the noise of the step before, 0 at the first
        with_change += sum(sum(row) / 2 * row[0] for row in noise) / 4
    assert with_w == with_u == 0 != with_change
    numbers = {inner("n", "n"): one / 16, inner("steps", "steps"): steps / 16, inner("drawn", "drawn"): drawn / 16}
    numbers = {k: sp.Rational(v.numerator, v.denominator) for k, v in numbers.items()} | {N: 2, S: 1, K: 2}
    for name in ("steps", "drawn"):
        for relation in rules.facts(rules_by_name.variance(name)).relations:
            assert sp.Eq(*(side.xreplace(numbers) for side in relation.args))
    present = {"n", "steps", "drawn", "w", "u"}
    orthogonal = {
        name: {str(r.lhs) for r in rules.facts(rules_by_name.fresh(name)).among(present)}
        for name in present - {"w", "u"}
    }
    assert orthogonal == {"n": {"<n,u>", "<n,w>"}, "steps": {"<steps,w>"}, "drawn": {"<drawn,w>"}}


def test_every_rule_says_what_it_is():
    assert {*trusted()["rules"]} == {*RULES}
    assert all(text.endswith(".") for text in trusted()["rules"].values())


def test_steps_and_grounds_are_told_apart():
    found = trusted()
    assert {*found["grounds"]} == {"cite", "supposed"} and not {*found["grounds"]} & {*found["steps"]}
    assert {"have", "induct", "special", "in_words"} <= {*found["steps"]} <= {*proof.steps.__dict__}
    assert all(getattr(proof.steps, name).__module__ == proof.steps.__name__ for name in found["steps"])


#: What prints a proof, and what finds one that the kernel checks.
PRINTS, FINDS = {"printed", "folded", "legend", "called"}, {"hints", "replay"}


def test_all_that_checks_a_proof_is_counted():
    """What prints a proof, plants errors in it, or searches for multipliers shows nothing."""
    folder = Path(proof.__file__).parent
    counted = {module.removeprefix("proof.") for modules in PARTS.values() for module in modules}
    assert {path.stem for path in folder.glob("*.py")} - counted == {"__init__", *PRINTS, *FINDS, "copies", "trusted"}
    searches = {"__init__", "sdp", "conic", "fit", "face", "multipliers", "relaxed", "terms", "counterexample"}
    engine = {path.stem for path in (folder.parent / "gram").glob("*.py")}
    assert engine - {module.removeprefix("gram.") for module in counted} == searches
    found = lines()
    assert found.pop("in all") == sum(found.values()) and all(count > 50 for count in found.values())
