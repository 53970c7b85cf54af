"""Folded products say what they said multiplied out."""

import random
import re

import pytest
import sympy as sp

from rateproof.theory import catalog
from rateproof.theory.claim import conjuncts
from rateproof.theory.gram import dot, norm2, vectors
from rateproof.theory.gram.vectors import Vector, combination, factors
from rateproof.theory.proof.folded import folded, said
from rateproof.theory.proof.steps import Have

NAMES = "u v w x y z"
u, v, w, x, y, z = vectors(NAMES)
c, d = sp.symbols("c d", positive=True)
k = sp.Symbol("k", integer=True)
s = sp.Function("s")


def unfolded(expr: sp.Expr, names: list[str], of: sp.Expr) -> sp.Expr:
    """What ``of`` was folded to, with ``<u - v, w>`` and ``||u||^2`` read again and multiplied out."""
    plain = {name: f"v{i}_" for i, name in enumerate(sorted(names, key=len, reverse=True))}
    symbols = {str(one): one for one in of.free_symbols}

    def vector(text: str) -> Vector:
        for name, safe in plain.items():
            text = re.sub(rf"(?<!\w){re.escape(name)}(?![\w(])", safe, text)
        read = sp.expand(sp.sympify(text, locals=symbols))
        return combination({name: read.coeff(sp.Symbol(safe)) for name, safe in plain.items()})

    found = {}
    for one in expr.free_symbols:
        if square := re.fullmatch(r"\|\|(.*)\|\|\^2", str(one)):
            found[one] = norm2(vector(square[1]))
        elif product := re.fullmatch(r"<(.*), (?![^(]*\))(.*)>", str(one)):
            found[one] = dot(vector(product[1]), vector(product[2]))
    return expr.xreplace(found)


def random_vector(rng: random.Random) -> Vector:
    factors_ = (1, -1, 1, -1, 2, c, -c, c / d, 1 / (c + d), sp.Rational(1, 3))
    names = rng.sample(NAMES.split(), rng.choice((1, 2, 2, 3, 4)))
    return sum((rng.choice(factors_) * vectors(name)[0] for name in names), Vector())


@pytest.mark.sweep(30)
@pytest.mark.parametrize("seed", range(150))
def test_a_random_form_is_the_same_folded_and_no_longer(seed):
    rng = random.Random(seed)
    outside = (1, -2, c, 1 / d, c + d, s(k), sp.Max(c, d), c**k)
    form = sp.Add(
        *(
            rng.choice(outside)
            * (norm2(random_vector(rng)) if rng.random() < 0.5 else dot(random_vector(rng), random_vector(rng)))
            for _ in range(rng.choice((1, 1, 2, 3)))
        ),
        rng.choice((0, c, s(k + 1))),
    )
    short = folded(form)
    assert sp.expand(sp.cancel(sp.expand(unfolded(short, NAMES.split(), form) - form))) == 0
    assert len(str(short)) <= len(re.sub(r"<(\w),\1>", r"||\1||^2", str(form)).replace(",", ", "))


@pytest.mark.parametrize(
    ("form", "text"),
    [
        (dot(u, x - y), "<u, x - y>"),
        (dot(u + v / c, x - y) + s(k), "<u + v/c, x - y> + s(k)"),
        (norm2(x - c * (y - z)), "||x + c*(z - y)||^2"),
        (norm2(x - y) + norm2(x - z), "||x - y||^2 + ||x - z||^2"),
        (c * norm2(x + y) + norm2(x - y), "c*||x + y||^2 + ||x - y||^2"),
        (dot(x, y), "<x, y>"),
        (2 * norm2(x) + c, "c + 2*||x||^2"),
        (c * (d + 1) + norm2(x), "c*(d + 1) + ||x||^2"),
        (dot(x, y) * norm2(z), "<x,y>*<z,z>"),  # no form in vectors
    ],
)
def test_what_is_seen(form, text):
    assert str(folded(form)) == text


def test_a_combination_begins_with_what_is_added():
    assert said(c * y - x) == "c*y - x" and said(-x - y) == "-x - y" and said(Vector()) == "0"
    assert said((u - v) / c + x - y) == "x - y + (u - v)/c"


@pytest.mark.parametrize("paper", ["lemmas", "textbook", "mefbo"])
def test_goals_of_proofs_are_the_same_folded(paper):
    """The steps of every fifth claim, by text."""
    for claim in [one for one in catalog.claims(paper).values() if one.proof][:: 1 if paper == "lemmas" else 5]:
        names = [name for setting in (claim.setting.family if claim.setting else ()) for name in setting.names]
        goals = [step.goal for step in claim.proof.steps if isinstance(step, Have) and isinstance(step.goal, sp.Rel)]
        for side in (side for goal in (*goals, *conjuncts(claim.statement)) for side in goal.args):
            if any(factors(one) for one in side.free_symbols):
                assert sp.cancel(sp.expand(unfolded(folded(side), names, side) - side)) == 0, (claim.id, side)
