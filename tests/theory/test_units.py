import pytest
import sympy as sp

from rateproof.theory import catalog
from rateproof.theory.claim import Claim, Hypothesis, Kind, Source
from rateproof.theory.homogeneity import inhomogeneities
from rateproof.theory.schedule import Condition, Schedule
from rateproof.theory.symbols import (
    L_f,
    L_h,
    R,
    alpha,
    eta,
    eta_hat,
    f_star,
    gamma_l,
    gamma_t,
    h_star,
    kappa,
    mu_f,
    units,
)
from rateproof.theory.units import INNER, LENGTH, ONE, OUTER, Unit, clashes, unit_of

x, f, h, free = sp.symbols("x f h free", positive=True)
UNITS = {x: LENGTH, f: OUTER, h: INNER}


def test_products_and_powers_of_units():
    assert unit_of(f * x**2 / sp.sqrt(h), UNITS).powers == (2, 1, -sp.Rational(1, 2), 0)
    assert unit_of(x**kappa, UNITS | {kappa: ONE}).powers == (kappa, 0, 0, 0)


def test_scaling_factor_of_a_unit():
    assert Unit(x=sp.Integer(-2), h=sp.S.One).scale(2, 5, 3) == sp.Rational(3, 4)


def test_same_as_compares_symbolic_powers():
    assert (LENGTH ** (kappa + 1)).same_as(LENGTH * LENGTH**kappa)
    assert not LENGTH.same_as(LENGTH**kappa)


def test_the_logarithm_of_a_condition_number_may_be_written_as_a_difference():
    known = units("strfedavg")
    assert known[L_f].same_as(known[mu_f]) and not known[L_f].same_as(ONE)
    assert not clashes(1 + sp.log(L_f) - sp.log(mu_f), known)
    assert clashes(1 + sp.log(L_f) + sp.log(mu_f), known)


@pytest.mark.parametrize(
    ("expr", "count"),
    [
        (f + h, 1),
        (f + 1, 1),
        (sp.Max(f, h, evaluate=False), 1),
        (sp.Le(f, h, evaluate=False), 1),
        (sp.And(sp.Le(f, f * x, evaluate=False), sp.Le(h, 0, evaluate=False), evaluate=False), 1),
        (sp.log(f), 1),
        (2**x, 1),
        (sp.Piecewise((f, x > 1), (h, True)), 1),
        (f + f * h / h, 0),
        (sp.Le(0, f, evaluate=False), 0),
        (sp.Abs(x) + x * sp.sign(x), 0),
        (sp.log(f / f), 0),
        (sp.log(f) - sp.log(f**2 / h) - sp.log(h / f), 0),
        (2 * sp.log(x) - sp.log(x**2) + 1, 0),
        (sp.log(f) - sp.log(h), 2),
        (sp.log(f) + sp.log(f), 1),
        (2 * sp.log(x) - sp.log(x) + f, 2),
    ],
)
def test_unlike_units_are_found(expr, count):
    assert len(clashes(expr, UNITS)) == count


def test_a_sum_takes_the_unit_of_its_first_dimensional_term():
    assert unit_of(1 + f, UNITS).same_as(OUTER)
    # the sum 1 + f clashes inside; the product is then an outer loss times a length, which f x does not clash with
    assert len(clashes(sp.Add((1 + f) * x, f * x, evaluate=False), UNITS)) == 1


def test_a_sum_over_an_index_has_the_unit_of_its_terms():
    k = sp.Symbol("k", integer=True)
    assert unit_of(sp.Sum(f * k, (k, 1, 3)), UNITS | {k: ONE}).same_as(OUTER)


def test_clash_names_both_parts():
    (clash,) = clashes(f + h, UNITS)
    assert str(clash) == "f [f] against h [h]"


def test_symbol_without_unit_is_named():
    with pytest.raises(ValueError, match="symbol free has no unit"):
        unit_of(f + free, UNITS)


def test_unknown_function_is_named():
    with pytest.raises(ValueError, match="units of Integral are unknown"):
        unit_of(sp.Integral(f, f), UNITS)


def test_vocabulary_is_homogeneous_where_the_theory_is():
    vocabulary = units()
    assert clashes(L_h + eta * L_f, vocabulary) == ()
    assert unit_of(gamma_l * (L_h + eta * L_f), vocabulary).same_as(ONE)


# --- claims


def le(left, right):
    return sp.Le(left, right, evaluate=False)


def claim(statement, **rest):
    return Claim("strfedavg.c", Source("strfedavg", "Lemma 1"), Kind.BOUND, "text", statement, **rest)


HOMOGENEOUS = le(h_star, eta * f_star)


def test_every_place_of_a_claim_is_looked_at():
    schedule = Schedule(
        "S-x",
        "t",
        rules={gamma_t: 1 / (R * mu_f), eta: L_h / L_f},
        conditions=(Condition("L", le(L_h, 1)), Condition("fine", le(gamma_t * L_h, 1))),
        where={f_star: h_star},
    )
    found = inhomogeneities(
        claim(
            le(h_star, f_star),
            hypotheses=(Hypothesis("bad", "L_h <= L_f", le(L_h, L_f)), Hypothesis("good", "text"), TWO_STEPS, DEFINED),
            where={eta_hat: eta * h_star, gamma_t: 1 / L_f},
            schedule=schedule,
        )
    )
    assert [(place, str(clash)) for place, clash in found] == [
        ("statement", "h_star [h] against f_star [f]"),
        ("bad", "L_h [x^(-2) h] against L_f [x^(-2) f]"),
        ("definition of eta_hat", "eta_hat [f^(-1) h] against eta*h_star [f^(-1) h^(2)]"),
        ("definition of gamma_t", "gamma_t [x^(2) h^(-1)] against 1/L_f [x^(2) f^(-1)]"),
        ("schedule S-x, rule of gamma_t", "gamma_t [x^(2) h^(-1)] against 1/(R*mu_f) [x^(2) f^(-1)]"),
        ("schedule S-x, condition L", "L_h [x^(-2) h] against 1 [1]"),
        ("schedule S-x, definition of f_star", "f_star [f] against h_star [h]"),
    ]


TWO_STEPS = Hypothesis("step", "gamma_l <= 1/L_h", le(gamma_l * L_h, 1))
DEFINED = Hypothesis("defined", "gamma_t L_h <= eta_hat/eta", le(gamma_t * L_h, eta_hat / eta))


def test_a_homogeneous_claim_has_no_clash_and_unused_definitions_do_not_count():
    assert inhomogeneities(claim(HOMOGENEOUS, hypotheses=(TWO_STEPS,), where={eta_hat: L_h})) == ()
    assert inhomogeneities(claim(None)) == ()


def test_a_fixed_order_of_sharpness_is_inserted():
    sharp = le(h_star, alpha * sp.Symbol("E_dist", real=True))
    catalog.claims("strfedavg")  # declares E_dist, a length
    fixed = Hypothesis("kappa=1", "kappa = 1", sp.And(sp.Eq(kappa, 1, evaluate=False), le(eta, eta), evaluate=False))
    assert len(inhomogeneities(claim(sharp))) == 1
    assert inhomogeneities(claim(sharp, hypotheses=(fixed,))) == ()


def test_a_symbol_without_unit_is_named_with_its_place():
    with pytest.raises(ValueError, match=r"strfedavg\.c, statement: symbol free has no unit"):
        inhomogeneities(claim(le(free, 1)))


@pytest.mark.parametrize("paper", catalog.papers())
def test_units_of_every_encoded_claim_are_known(paper):
    for each in catalog.claims(paper).values():
        inhomogeneities(each)


@pytest.mark.parametrize(
    ("item", "places"),
    [
        ("lem1", []),
        ("prop2.ii-2", []),
        ("lem6", ["SC27", "definition of G2"]),
        ("step.14", ["statement", "SC16"]),
        ("prop3.i-2", ["statement", "SC16", "R>=16L^2(1+B^2)/mu_f", "definition of G2"]),
    ],
)
def test_where_the_paper_adds_unlike_units(item, places):
    found = inhomogeneities(catalog.get(f"strfedavg.{item}"))
    assert [place for place, _ in found] == places


def test_one_planted_power_makes_a_homogeneous_claim_unlike():
    true = catalog.get("strfedavg.prop2.i-1")
    relation = true.statement.args[1]
    planted = claim(le(relation.lhs, relation.rhs * eta))
    assert inhomogeneities(claim(relation)) == () and len(inhomogeneities(planted)) == 1
