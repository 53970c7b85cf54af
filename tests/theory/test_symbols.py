import pytest
import sympy as sp

from theory.symbols import COUNT, NONNEG, POS, N, declare, gamma_l, info, mu_f, units
from theory.units import INNER, LENGTH


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
