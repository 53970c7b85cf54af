"""Vectors and rules are called as a reader of the paper calls them."""

import sympy as sp
from stated import a_claim

from rateproof.theory import assumptions, catalog
from rateproof.theory.gram import norm2, vectors
from rateproof.theory.proof import Proof, have, raised
from rateproof.theory.proof.called import _RULES, Called
from rateproof.theory.proof.printed import numbered, rules_used
from rateproof.theory.proof.rules import RULES, smooth
from rateproof.theory.proof.setting import Setting
from rateproof.theory.shorthand import ge, le
from rateproof.verify.pages.typeset import latex_names

x, th, gx, noise = vectors("x th gx noise")
c, mu = sp.symbols("c mu", positive=True)
WORDS = {"th": "theta^(w), where it starts", "noise": "any vector", "u": "z", "v": "z"}
SETTING = Setting(
    depends=dict.fromkeys(("x", "th", "gx", "noise", "u", "v"), ""),
    functions={"f": {"x": (x, gx, None), "theta": (th, None, None)}},
    words=WORDS,
)
CLAIM = a_claim(ge(c, 0), assumptions.Smooth("f", c), setting=SETTING)


def test_a_vector_has_the_formula_of_its_words_and_a_gradient_is_one():
    called = Called(CLAIM)
    assert [called.vector(name) for name in ("th", "gx", "noise")] == ["theta^(w)", "grad f(x)", "noise"]
    assert called.words("th") == "where it starts" and called.words("noise") == "any vector"
    assert [called.vector(name) for name in "uv"] == ["u", "v"]  # one formula is not the name of two
    assert [Called(CLAIM, coded=True).vector(name) for name in ("th", "gx")] == ["th", "gx"]


def test_rules_are_said_in_words():
    assert Called(CLAIM).ground(smooth("f", "x", "theta")) == "smoothness of f between x and theta^(w)"
    assert Called(CLAIM, coded=True).ground(smooth("f", "x", "theta")) == "smooth(f, x, theta)"
    assert RULES.keys() - _RULES.keys() == {"unfold", "sequences"} and _RULES.keys() <= RULES.keys()


def test_products_are_set_with_the_names_of_symbols_and_vectors():
    claim = catalog.get("fedweight.lem1.i.corrected")
    steps = [one for one in numbered(claim, claim.proof, coded=False) if one.number]
    from rateproof.theory.proof.folded import folded

    goal = next(one.goal for one in steps if one.name == "Hessians of the nodes")
    shown = folded(goal.lhs)
    names = latex_names(shown.atoms(sp.Symbol), "fedweight", steps[-1].called.vector)
    assert r"K \, \text{Qw}" in names[next(iter(shown.free_symbols))]


def test_what_is_made_of_a_step_is_shown():
    first, second = have("first", le(norm2(x), c)), raised("second", of="first", to=sp.Rational(1, 2))
    proof = Proof(first, second)
    told = list(numbered(CLAIM, proof, coded=False))
    assert told[1].goal == le(sp.sqrt(norm2(x)), sp.sqrt(c)) and told[1].grounds == "(1) to the power 1/2"
    coded = list(numbered(CLAIM, proof))
    assert coded[1].goal is None and coded[1].words == "(1) to the power 1/2"
    assert rules_used(Proof(have("one", le(norm2(x), c), by=[smooth("f", "x")]))) == ["smooth"]
