"""Indices with weights, orthogonal blocks of a space, and the rules that came with them, on numbers and in proofs."""

from dataclasses import replace
from fractions import Fraction
from itertools import combinations

import pytest
import sympy as sp
from stated import a_claim

from rateproof.theory.assumptions import (
    BoundedGradient,
    BoundedVariance,
    ClosedConvex,
    Dissimilar,
    Independent,
    Minimiser,
    Sampled,
    Smooth,
    Unbiased,
    Weighted,
    WholeSpace,
)
from rateproof.theory.claim import Hypothesis
from rateproof.theory.gram import dot, norm2, vectors
from rateproof.theory.gram.vectors import inner
from rateproof.theory.proof import (
    Mean,
    Proof,
    Refused,
    SampleMean,
    Setting,
    check,
    cite,
    have,
    qed,
    raised,
    unfold,
)
from rateproof.theory.proof import rules as rules_by_name
from rateproof.theory.proof.rules import Rules
from rateproof.theory.shorthand import ge, le
from rateproof.theory.symbols import N, S, declare

largest, L = sp.symbols("largest L", positive=True)
metric, value = sp.symbols("metric value", real=True)
a, c, m = sp.symbols("a c m", positive=True)


def refused(claim, proof, cited=None):
    with pytest.raises(Refused) as why:
        check(claim, proof, (cited or {}).get)
    return str(why.value)


WEIGHTED = Setting(
    depends={"v": "client", "m": "", "s": "sample", "w": ""},
    means={"m": Mean("v", "client"), "s": SampleMean("v", "client", "sample")},
    sizes={"client": N},
    weighted=("client",),
)


@pytest.mark.parametrize(("size", "count"), [(n, s) for n in range(1, 5) for s in range(1, n + 1)])
def test_weighted_samples_without_replacement(size, count):
    rules = Rules(WEIGHTED, (Sampled("sample", S, N), Weighted("client", largest)))
    weights = [Fraction(i + 1, size * (size + 1) // 2) for i in range(size)]
    values = [Fraction(3 * i * i - 2, i + 1) for i in range(size)]
    mean, w = sum(p * v for p, v in zip(weights, values, strict=True)), Fraction(7, 3)
    drawn = list(combinations(range(size), count))
    means = [sum(size * weights[i] * values[i] for i in chosen) / count for chosen in drawn]
    numbers = {
        inner("v", "v"): sum(p * v * v for p, v in zip(weights, values, strict=True)),
        inner("m", "m"): mean**2,
        inner("m", "v"): mean**2,
        inner("s", "s"): sum(s * s for s in means) / len(means),
        inner("m", "s"): mean * sum(means) / len(means),
        inner("m", "w"): mean * w,
        inner("s", "w"): w * sum(means) / len(means),
        inner("v", "w"): mean * w,
    }
    numbers = {k: sp.Rational(v.numerator, v.denominator) for k, v in numbers.items()}
    numbers |= {
        N: sp.Integer(size),
        S: sp.Integer(count),
        largest: sp.Rational(size * weights[-1].numerator, weights[-1].denominator),
    }
    given = rules.facts(rules_by_name.sampling("s"))
    linear = [r for n in ("m", "s") for r in rules.facts(rules_by_name.mean(n)).among({"m", "w"})]
    assert len(given.relations) == 2 and linear
    for relation in (*given.relations, *given.conditions, *linear):
        left, right = (side.xreplace(numbers) for side in relation.args)
        assert {"<=": left <= right, "==": sp.Eq(left, right)}[relation.rel_op]


def test_weighted_means_of_independent_noises():
    """Noises of +-1 with weights 1/4 and 3/4: the mean has 1/16 + 9/16, one drawn client 2^2 (1/16 + 9/16)/2."""
    setting = replace(
        WEIGHTED, depends={"v": "client xi", "m": "xi", "s": "sample xi", "w": ""}, within={"xi": "other"}
    )
    noise = (Unbiased("v", "client sample"), BoundedVariance("v", sp.S.One), Independent("v", over="client"))
    rules = Rules(setting, (*noise, Sampled("sample", S, N), Weighted("client", largest)))
    numbers = {
        inner("v", "v"): sp.S.One,
        inner("m", "m"): sp.Rational(10, 16),
        inner("s", "s"): sp.Rational(20, 16),
        N: sp.Integer(2),
        S: sp.S.One,
    }
    for name in ("m", "s"):
        (relation,) = rules.facts(rules_by_name.variance(name)).relations
        left, right = (side.xreplace(numbers | {largest: sp.Rational(3, 2)}) for side in relation.args)
        assert left <= right
        assert left > relation.args[1].xreplace(numbers | {largest: sp.S.One})  # as it would be for equal weights
    unknown = Rules(setting, (*noise, Sampled("sample", S, N)))
    with pytest.raises(Refused, match="Weighted"):
        unknown.facts(rules_by_name.variance("m"))


u, v, w = vectors("u v w")
APART = Setting(depends={"u": "", "v": ""}, blocks={"u": "x", "v": "y"}, metrics={metric: dot(u, v)})
NO_PRODUCT = a_claim(le(metric, 0), setting=APART, proof=Proof(qed()))


def test_vectors_of_different_blocks_are_orthogonal():
    check(NO_PRODUCT, Proof(qed()), {}.get)
    for blocks in ({}, {"u": "x"}, {"u": "x", "v": "x"}):
        refused(replace(NO_PRODUCT, setting=replace(APART, blocks=blocks)), Proof(qed()))


def test_a_claim_about_blocks_is_cited_for_vectors_of_different_blocks():
    lemma = replace(NO_PRODUCT, id="test.lemma")
    here = Setting(
        depends={"a": "", "b": "", "c": ""}, blocks={"a": "left", "b": "right", "c": "left"}, metrics={metric: value}
    )
    first, second, third = vectors("a b c")

    def shown(goal, *placed):
        names = dict(zip(("u", "v"), placed, strict=True))
        claim = a_claim(le(goal, 0), setting=replace(here, metrics={}))
        return claim, Proof(qed(by=[cite("test.lemma", vectors=names)]))

    check(*shown(dot(first, second), first, second), {"test.lemma": lemma}.get)
    for placed in ((first, third), (first, first + second)):
        assert "violated" in refused(*shown(dot(*placed), *placed), {"test.lemma": lemma})


def test_uniform_and_weighted_means_are_not_mixed():
    """A lemma about a mean of equal weights is cited at a weighted one only where its proof holds of that, too."""
    v, mean_v, drawn = vectors("v m s")
    uniform = replace(WEIGHTED, weighted=())

    def cited(bound, setting):
        proof = Proof(qed(by=[rules_by_name.sampling("s")]))
        lemma = a_claim(le(metric, bound), Sampled("sample", S, N), setting=uniform, proof=proof)
        lemma = replace(lemma, id="test.lemma", setting=replace(uniform, metrics={metric: S * norm2(drawn - mean_v)}))
        claim = a_claim(le(S * norm2(drawn - mean_v), bound), Sampled("sample", S, N), setting=setting)
        at = {"v": v, "m": mean_v, "s": drawn}
        return claim, Proof(qed(by=[cite("test.lemma", vectors=at)])), {"test.lemma": lemma}

    claim, proof, lemmas = cited(norm2(v - mean_v), uniform)
    check(claim, proof, lemmas.get)
    weighted = replace(claim, setting=WEIGHTED)
    assert "does not assume Weighted of client" in refused(weighted, proof, lemmas)


x, g, h, r, q = vectors("x g h r q")
CLIENTS = Setting(
    depends={"x": "", "g": "client", "h": "", "r": "client", "q": ""},
    means={"h": Mean("g", "client"), "q": Mean("r", "client")},
    sizes={"client": N},
    weighted=("client",),
    blocks={"g": "y", "h": "y", "r": "x", "q": "x"},
    functions={"f_i": {"x": (x, g + r, value)}, "F": {"x": (x, h + q, value)}},
    made={"F": Mean("f_i", "client")},
)


def test_bounds_on_gradients_and_on_their_spread():
    """Of gradients (1, 2) and (3, -1) with the weights 3/4 and 1/4, in the second coordinate and in the first."""
    rules = Rules(CLIENTS, (Dissimilar("f_i", "client", "y", L), BoundedGradient("f_i", a, "x")))
    (spread,) = rules.facts(rules_by_name.dissimilar("f_i", "x")).relations
    (bound,) = rules.facts(rules_by_name.bounded("f_i", "x")).relations
    at = {
        inner("g", "g"): sp.Rational(3, 4) * 4 + sp.Rational(1, 4),
        inner("g", "h"): sp.Rational(5, 4) ** 2,
        inner("h", "h"): sp.Rational(5, 4) ** 2,
        inner("r", "r"): sp.Rational(3, 4) + sp.Rational(9, 4),
    }
    assert spread.lhs.xreplace(at) == sp.Rational(27, 16) and spread.rhs == L
    assert bound.lhs.xreplace(at) == 3 and bound.rhs == a**2
    with pytest.raises(Refused, match="Dissimilar"):
        Rules(CLIENTS, ()).facts(rules_by_name.dissimilar("f_i", "x"))
    with pytest.raises(Refused, match="BoundedGradient"):
        Rules(CLIENTS, ()).facts(rules_by_name.bounded("f_i", "x"))
    with pytest.raises(Refused, match="names no mean"):
        alone = replace(CLIENTS, made={}, functions={"f_i": CLIENTS.functions["f_i"]})
        Rules(alone, (Dissimilar("f_i", "client", "y", L),)).facts(rules_by_name.dissimilar("f_i", "x"))


y, gy, drawn, each, mixed = vectors("y gy drawn each mixed")
LEAST = Setting(
    depends={"x": "", "g": "", "y": "sample", "drawn": "sample", "each": "client", "mixed": "sample"},
    means={"drawn": SampleMean("g", "client", "sample"), "mixed": SampleMean("each", "client", "sample")},
    sizes={"client": N},
    functions={"f": {"x*": (x, g, value)}, "Y": {"x*": (x, x, None), "y": (y, y, None)}},
    assumes=(Minimiser("f", "x*", "Y"), Sampled("sample", S, N)),
    measured=(value,),
)


def test_weights_times_the_gradient_at_a_minimiser():
    """``<c g, y - x*> >= 0`` for the weights c >= 0 of who is drawn, but not for a mean of other vectors."""
    steep = a_claim(ge(dot(drawn, y - x), 0), ClosedConvex("Y"), Smooth("f", L), setting=LEAST)
    check(steep, Proof(qed(by=[rules_by_name.optimal("f")])), {}.get)
    other = a_claim(ge(dot(mixed, y - x), 0), ClosedConvex("Y"), Smooth("f", L), setting=LEAST)
    refused(other, Proof(qed(by=[rules_by_name.optimal("f")])))
    unlike = replace(steep, setting=replace(LEAST, weighted=("client",)))
    assert "Weighted" in refused(unlike, Proof(qed(by=[rules_by_name.optimal("f")])))


def test_the_gradient_vanishes_at_a_minimiser_over_the_whole_space():
    flat = a_claim(le(dot(g, y), 0), WholeSpace("Y"), ClosedConvex("Y"), Smooth("f", L), setting=LEAST)
    proof = Proof(qed(by=[rules_by_name.stationary("f")]))
    check(flat, proof, {}.get)
    assert "WholeSpace" in refused(replace(flat, hypotheses=flat.hypotheses[1:]), proof)


def test_a_point_of_the_whole_space_is_its_own_projection():
    moved = Setting(
        depends={"x": "", "g": "", "y": ""}, functions={"Y": {"y": (x - a * g, y, value)}}, measured=(value,)
    )
    step = a_claim(le(norm2(y - x), a**2 * norm2(g)), WholeSpace("Y"), ClosedConvex("Y"), setting=moved)
    proof = Proof(qed(by=[rules_by_name.unprojected("Y", "y")]))
    check(step, proof, {}.get)
    for i, missing in enumerate(("WholeSpace", "ClosedConvex")):
        rest = tuple(h for j, h in enumerate(step.hypotheses) if j != i)
        assert missing in refused(replace(step, hypotheses=rest), proof)
    shorter = replace(step, statement=le(norm2(y - x), a**2 / 2 * norm2(g)))
    refused(shorter, proof)


def test_a_root_needs_the_sign_of_a_defined_symbol():
    """``m^2 <= (1 - a)^2 c^2`` does not give ``m <= (1 - a) c``, though the symbol for 1 - a is declared positive."""
    Z = declare("Z_root", "a defined number", paper="test", positive=True, defined=True)
    claim = a_claim(le(m, Z * c), le(m**2, (1 - a) ** 2 * c**2), where={Z: 1 - a})
    square = have("square", le(m**2, Z**2 * c**2), by=[unfold(Z)])
    root = raised("root", "square", to=sp.Rational(1, 2))
    assert "Z_root > 0" in refused(claim, Proof(square, root, qed(by=["root"])))
    below = a_claim(le(m, Z * c), le(m**2, (1 - a) ** 2 * c**2), le(2 * a, 1), where={Z: 1 - a})
    half = have("half", ge(Z, sp.Rational(1, 2)), by=[unfold(Z)])
    check(below, Proof(square, half, replace(root, by=("half",)), qed(by=["root"])), {}.get)


def test_a_chosen_value_needs_the_sign_of_its_definition():
    """``a m <= a value`` for all a > 0, cited at a = 1 - c, whose symbol is declared positive."""
    Z = declare("Z_root", "a defined number", paper="test", positive=True, defined=True)
    lemma = a_claim(le(a * metric, a * value), le(metric, value), setting=Setting(measured=(metric, value), free=(a,)))
    lemma = replace(lemma, id="test.lemma", proof=Proof(qed()))
    claim = a_claim(
        le(Z * metric, Z * value), le(metric, value), where={Z: 1 - c}, setting=Setting(measured=(metric, value))
    )
    proof = Proof(qed(by=[cite("test.lemma", at={a: Z})]))
    assert "Z_root > 0" in refused(claim, proof, {"test.lemma": lemma})
    small = replace(claim, hypotheses=(*claim.hypotheses, Hypothesis("c", "2 c <= 1", le(2 * c, 1))))
    check(small, proof, {"test.lemma": lemma}.get)
