import pytest
import sympy as sp

from rateproof.theory import catalog
from rateproof.theory.symbols import COUNT, NONNEG, POS, N, declare, gamma_l, info, mu_f, tex, units, vocabulary
from rateproof.theory.units import INNER, LENGTH, ONE


def test_same_declaration_twice_is_harmless():
    first = declare("test_twice", "a test constant", LENGTH, **POS)
    assert declare("test_twice", "a test constant", LENGTH, **POS) is first


@pytest.mark.parametrize(
    ("meaning", "unit", "assumptions"),
    [
        ("another meaning", LENGTH, POS),
        ("a test constant", INNER, POS),
        ("a test constant", LENGTH, NONNEG),
    ],
)
def test_conflicting_declaration_is_refused(meaning, unit, assumptions):
    declare("test_conflict", "a test constant", LENGTH, **POS)
    with pytest.raises(ValueError, match="'test_conflict' is already declared as 'a test constant'"):
        declare("test_conflict", meaning, unit, **assumptions)


def test_assumptions():
    assert declare("test_metric", "a metric").is_real and declare("test_metric", "a metric").is_nonnegative is None
    assert N.is_integer and N.is_positive
    assert mu_f.is_nonnegative and not mu_f.is_positive
    assert declare("test_count", "a count", **COUNT).is_integer


def test_info_by_symbol_or_name():
    assert info(gamma_l) is info("gamma_l")
    assert info(gamma_l).meaning == "local stepsize"
    with pytest.raises(KeyError):
        info("no_such_symbol")


def test_units_cover_every_declared_symbol():
    declare("test_unit", "a length", LENGTH)
    assert units()[sp.Symbol("test_unit", real=True)].same_as(LENGTH)


def test_two_papers_use_one_name_for_two_things():
    first = vocabulary("test_paper_a")("test_scoped", "a length", LENGTH, **POS)
    second = vocabulary("test_paper_b")("test_scoped", "a loss", INNER, **POS)
    assert first == second  # sympy knows no papers, so units are asked for by paper
    assert units("test_paper_a")[first] == LENGTH and units("test_paper_b")[first] == INNER
    assert info(first, "test_paper_a").meaning == "a length" and info(first, "test_paper_b").meaning == "a loss"
    assert first not in units() and first not in units("test_paper_c")
    with pytest.raises(KeyError):
        info("test_scoped")


def test_one_paper_uses_one_name_for_one_thing():
    own = vocabulary("test_paper_d")
    own("test_once", "a length", LENGTH)
    assert own("test_once", "a length", LENGTH) == sp.Symbol("test_once", real=True)
    with pytest.raises(ValueError, match="'test_once' is already declared as 'a length' in 'test_paper_d'"):
        own("test_once", "a loss", INNER)


@pytest.mark.parametrize("paper", ["", "test_paper_e"])
def test_a_shared_symbol_has_one_meaning_everywhere(paper):
    with pytest.raises(ValueError, match="'gamma_l' is already declared as 'local stepsize' for all papers"):
        declare("gamma_l", "the left step", paper=paper, **POS)
    known = info("gamma_l")
    assert declare("gamma_l", known.meaning, known.unit, latex=known.latex, paper=paper, **POS) is gamma_l
    assert units("test_paper_e")[gamma_l] == known.unit


def test_a_symbol_declared_outside_of_papers_gives_way_to_a_papers_own():
    loose = declare("test_loose", "a number", **POS)
    own = vocabulary("test_paper_f")("test_loose", "a length", LENGTH, **POS)
    assert own == loose and units()[loose] == ONE
    assert units("test_paper_f")[loose] == LENGTH and units("test_paper_g")[loose] == ONE


@pytest.mark.parametrize(("paper", "name"), [("strfedavg", "M"), ("textbook", "M_h")])
def test_symbols_of_the_papers_are_their_own(paper, name):
    catalog.claims(paper)
    assert info(name, paper).unit != ONE
    with pytest.raises(KeyError):
        info(name)


@pytest.mark.parametrize(
    ("plain", "printed"),
    [
        ("E ||theta^{t+1} - theta*_gamma(zb)||^2", r"\mathbb E \|\theta^{t+1} - \theta^*_\gamma(\bar z)\|^2"),
        ("v(z) - <grad_x v(zb), x - xb>", r"(v(z) - \langle \nabla_x v(\bar z), x - \bar x\rangle )"),
        ("f((x + y), s thetab)", r"f((x + y), s \bar \theta)"),
        (
            "theta^(w^) - L^_0(theta^_valid), k not in J",
            r"(\hat \theta(\hat w) - \hat L_0(\hat \theta_{\mathrm{valid}}), k\notin J)",
        ),
        ("sum of the x_k^(i), k over J", r"\text{sum of the }x_k^{(i)}, k\text{ over }J"),
        ("x^(1/2) at x^((t+1))", r"x^{1/2}\text{ at }x^{(t+1)}"),
        ("sum_{i in C} htilde_{theta,i} + beta", r"(\sum_{i\in C} \tilde h_{\theta,i} + \beta)"),
    ],
)
def test_a_plain_formula_is_printed_in_latex(plain, printed):
    assert tex(plain) == printed
