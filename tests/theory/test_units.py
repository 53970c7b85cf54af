import pytest
import sympy as sp

from theory.symbols import L_f, L_h, eta, gamma_l, kappa, units
from theory.units import INNER, LENGTH, ONE, OUTER, Unit, clashes, unit_of

x, f, h, free = sp.symbols("x f h free", positive=True)
UNITS = {x: LENGTH, f: OUTER, h: INNER}


def test_products_and_powers_of_units():
    assert unit_of(f * x**2 / sp.sqrt(h), UNITS).powers == (2, 1, -sp.Rational(1, 2))
    assert unit_of(x**kappa, UNITS | {kappa: ONE}).powers == (kappa, 0, 0)


def test_scaling_factor_of_a_unit():
    assert Unit(x=sp.Integer(-2), h=sp.S.One).scale(2, 5, 3) == sp.Rational(3, 4)


def test_same_as_compares_symbolic_powers():
    assert (LENGTH ** (kappa + 1)).same_as(LENGTH * LENGTH**kappa)
    assert not LENGTH.same_as(LENGTH**kappa)


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
