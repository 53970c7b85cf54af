"""Formulas as LaTeX, MathML and text, and the marks of what differs."""

from xml.etree import ElementTree

import pytest
import sympy as sp

from rateproof.theory import catalog
from rateproof.theory.claim import conjuncts
from rateproof.theory.digest import definitions
from rateproof.theory.probability import Pr
from rateproof.verify.pages import typeset
from rateproof.verify.pages.typeset import (
    MARKS,
    RIGHT,
    WRONG,
    Marked,
    TypesettingError,
    difference,
    formed,
    forms,
    mathml,
    rows,
    tex,
    text,
)

a, b, c, n = sp.symbols("a b c n", positive=True)
NAMES = {a: r"\mathbb E\|x\|^2", b: "L_f", n: "N"}


def plain(expression, names=NAMES):
    return text(tex(expression, names))


@pytest.mark.parametrize(
    ("expression", "line"),
    [
        (sp.Le(a, 2 * b * c / n), "𝔼‖x‖² ≤ 2 L_f c/N"),
        (sp.Le(a**2, b), "(𝔼‖x‖²)² ≤ L_f"),
        (c / (2 * n), "c/(2 N)"),
        ((c + 1) / n, "(c + 1)/N"),
        (c * (n + 1) / n, "c (N + 1)/N"),
        (1 - c, "1 − c"),
        (sp.sqrt(c / n), "√c/√N"),
        (c ** sp.Rational(2, 9), "c^(2/9)"),
        (sp.exp(-c), "e⁻ᶜ"),
        (sp.Max(b, c), "max(L_f, c)"),
        (sp.Sum(c, (c, 1, n)), "∑_(c = 1)ᴺ c"),
        (sp.Ge(Pr(sp.Le(b, c)), 1 - n), "Pr [L_f ≤ c] ≥ 1 − N"),
    ],
)
def test_a_line_says_what_the_formula_says(expression, line):
    assert plain(expression) == line


def test_what_is_added_stands_first():
    assert tex(1 - c).startswith("1") and tex(b - c * n) == "b - c \\, n"


@pytest.mark.parametrize("name", [r"\frac1N\sum_i\|x_i\|^2", r"\mathbb E f", r"\hat\theta", r"z^{n,*}"])
def test_names_are_mathml_without_commands(name):
    page = ElementTree.fromstring(mathml(name))
    assert not any("\\" in (node.text or "") for node in page.iter())
    assert not any("double-struck" in node.attrib.values() for node in page.iter())


def test_unknown_latex_is_refused_and_named():
    with pytest.raises(TypesettingError, match="nosuch"):
        mathml(r"\nosuch{x}")


def test_long_relations_are_broken_at_a_sign():
    broken = rows(sp.Le(a, b + c + b * c + n + b * n + 2), NAMES, 20)
    assert len(broken) > 1 and all(len(text(row)) <= 20 for row in broken)
    assert all(text(row)[0] in "+−" for row in broken[1:])


def test_long_terms_are_broken_in_their_brackets_and_long_left_sides_too():
    terms = [sp.Symbol(f"x_{i}") ** 2 for i in range(10)]
    for side in (b * sum(terms) + c, -3 * Marked(sum(terms), sp.Symbol(WRONG))):
        for relation in (sp.Le(a, side, evaluate=False), sp.Ge(side, a, evaluate=False)):
            broken = rows(relation, NAMES, 30)
            assert len(broken) > 2 and all(len(text(row)) <= 30 for row in broken)
            assert sum(row.count(r"\left.") + row.count(r"\right.") for row in broken) == 2
            together = "".join(map(text, broken)).replace(" ", "")
            for begin, end in MARKS.values():
                together = together.replace(begin, "").replace(end, "")
            assert together.count("(") == together.count(")") == 1
            assert all(together.count(text(tex(term))) == 1 for term in terms)
    short = Marked(b + c, sp.Symbol(WRONG)) * sp.prod(terms)
    assert "".join(map(text, rows(sp.Le(a, short, evaluate=False), NAMES, 30))).count("L_f") == 1
    # a term that a line holds stays in one piece
    whole = rows(sp.Le(a, b * (c + n) + sum(terms), evaluate=False), NAMES, 30)
    assert len(whole) > 1 and sum(text(row).count("(") == text(row).count(")") for row in whole) == len(whole)


@pytest.mark.parametrize(
    ("printed", "corrected", "wrong", "right"),
    [
        (b + c / n, b + c, "1/N", ""),
        (2 * b * c, 4 * b * c, "2", "4"),
        (b + c**2, b + c**3, "2", "3"),
        (b + c, b + c + n, "", "N"),
        (sp.Max(b, c), sp.Max(b, n), "c", "N"),
    ],
)
def test_only_what_differs_is_marked(printed, corrected, wrong, right):
    marked = difference(printed, corrected)

    def parts(expression, colour):
        begin, end = MARKS[colour]
        return [piece.split(end)[0] for piece in plain(expression).split(begin)[1:]]

    assert parts(marked[0], WRONG) == ([wrong] if wrong else [])
    assert parts(marked[1], RIGHT) == ([right] if right else [])


def test_equal_formulas_have_no_marks():
    assert difference(b + c, b + c) == (b + c, b + c)


@pytest.mark.parametrize("paper", catalog.papers())
def test_every_formula_of_every_claim_can_be_shown(paper):
    for claim in catalog.claims(paper).values():
        given = definitions(claim)
        parts = [*conjuncts(claim.statement), *given, *given.values()]
        parts += [h.relation for h in claim.hypotheses if h.relation is not None]
        names = typeset.latex_names(typeset.symbols_of(parts), claim.paper)
        for part in parts:
            formula = tex(part, names)
            assert mathml(formula) and "\\" not in text(formula), claim.id


def test_a_letter_of_a_text_has_the_form_of_the_formulas():
    found = forms([r"\ell_0", r"\lambda", r"\varepsilon"])
    assert found == {"l": r"\ell", r"\epsilon": r"\varepsilon"}
    assert formed(r"l_0^2 + \lambda \epsilon", found) == r"\ell _0^2 + \lambda \varepsilon "
    # one that has both is told apart by its index
    both = forms(["l_0", r"\ell_1", "x"])
    assert both == {"l_1": r"\ell_1"} and formed("l_0 + l_1", both) == r"l_0 + \ell_1 "


def test_a_sum_that_multiplies_a_broken_one_keeps_its_brackets():
    a, b, c, d = sp.symbols("alpha beta gamma delta", positive=True)
    long = sp.Add(*(a**i * b ** (9 - i) for i in range(10)))
    lines = rows(sp.Le(a, (c + d) * long, evaluate=False), {}, 40)
    assert len(lines) > 2 and r"\left(\delta + \gamma\right)" in "".join(lines)
    powered = rows(sp.Le(a, long**c, evaluate=False), {}, 40)
    assert powered[-1].endswith(r"\right)^{\gamma}")


@pytest.mark.parametrize(
    ("formula", "shown", "between"),
    [
        (r"1 \textcolor{red}{- 3 \, \delta}", "1 − 3 δ", True),
        (r"a \le \textcolor{red}{- 3 \, \delta}", "a ≤ −3 δ", False),
        (r"\left(\textcolor{red}{- 3} + a\right)", "(−3 + a)", False),
    ],
)
def test_a_marked_sign_stands_between_terms_or_before_one(formula, shown, between):
    assert "".join(c for c in text(formula) if c not in "".join(map("".join, MARKS.values()))) == shown
    assert ("infix" in mathml(formula)) is between


def test_a_marked_factor_stands_where_it_does_unmarked():
    a, b, c = sp.symbols("a b c")
    marked = typeset.Marked(4 * a, sp.Symbol("red")) * (b + c)
    assert tex(marked) == r"\textcolor{red}{4 \, a} \, \left(b + c\right)"
