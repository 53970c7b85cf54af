import math

import pytest
import sympy as sp

from theory.schedule import Condition, Schedule, Violation
from theory.symbols import L_h, R, a, b, eta, gamma_t, mu_f

CAP = Condition("cap", sp.Le(gamma_t * L_h, 1, evaluate=False))
LONG = Condition("long", sp.Ge(R, 4 / eta, evaluate=False))
RULE = Schedule(
    "S-test",
    "a test",
    rules={gamma_t: R**-a, eta: gamma_t / mu_f},
    parameters=(sp.Gt(b, 0, evaluate=False), sp.Lt(b, a, evaluate=False), sp.Le(a, 1, evaluate=False)),
    conditions=(CAP, LONG),
    defaults={a: sp.Rational(1, 2), b: sp.Rational(1, 4)},
)


def test_rules_are_evaluated_in_order_with_defaults():
    assert RULE.evaluate({"R": 16, "mu_f": 0.5}) == {"gamma_t": 0.25, "eta": 0.5}
    assert RULE.evaluate({"R": 16, "mu_f": 0.5, "a": 1})["gamma_t"] == 0.0625


def test_violations_give_both_sides_and_the_factor():
    assert RULE.violations({"R": 16, "mu_f": 0.5, "L_h": 4}) == ()
    short, long_ = RULE.violations({"R": 4, "mu_f": 1, "L_h": 6})
    assert (short.condition, short.lhs, short.rhs, short.factor) == (CAP, 3, 1, 3)
    assert (long_.condition, long_.lhs, long_.rhs, long_.factor) == (LONG, 4, 8, 2)
    assert str(short) == "cap fails: L_h*gamma_t = 3 should be <= 1, off by a factor 3"
    assert Violation(CAP, 1.0, 0.0).factor == math.inf


def test_given_values_take_precedence_over_rules_when_conditions_are_checked():
    assert RULE.violations({"R": 16, "mu_f": 0.5, "L_h": 4, "gamma_t": 0.5})[0].lhs == 2


def test_an_infinite_cap_is_met():
    free = Schedule("S-free", "", rules={}, conditions=(Condition("c", sp.Le(R, 1 / L_h, evaluate=False)),))
    assert free.violations({"R": 5, "L_h": 0}) == ()


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"mu_f": 1}, "gamma_t = .* needs R; give it as R=value"),
        ({"R": 16, "mu_f": math.nan}, "mu_f is nan; schedule S-test needs a finite number"),
        ({"R": math.inf, "mu_f": 1}, "R is inf"),
        ({"R": 16, "mu_f": -1}, "mu_f = -1 is negative; schedule S-test needs mu_f >= 0"),
        ({"R": 16, "mu_f": 0}, "is not a finite number at gamma_t = 0.25, mu_f = 0"),
        ({"R": 16, "mu_f": 1, "b": 0.5}, "needs b < a, got a = 0.5, b = 0.5"),
        ({"R": 16, "mu_f": 1, "b": 0}, "needs b > 0, got b = 0"),
        ({"R": 16, "mu_f": 1, "a": 1.5}, "needs a <= 1, got a = 1.5"),
    ],
)
def test_bad_input_is_named(values, message):
    with pytest.raises(ValueError, match=message):
        RULE.evaluate(values)


def test_printing():
    assert str(RULE) == "gamma_t = R**(-a), eta = gamma_t/mu_f"
    assert RULE.latex() == r"\tilde\gamma = R^{- a},\quad \eta = \frac{\tilde\gamma}{\mu_f}"
