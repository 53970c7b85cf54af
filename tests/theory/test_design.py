"""Best exponents by the exact linear programme, best points by the geometric programme, and their certificates."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
import sympy as sp

from rateproof.theory import catalog
from rateproof.theory.design import (
    Programme,
    Term,
    best_exponents,
    best_finite_horizon,
    check_multipliers,
    lower_bound,
    programme_of,
    term_rates,
    worst_rate,
)
from rateproof.theory.papers.strfedavg.schedules import S_C, S_SC
from rateproof.theory.symbols import R, a, b, eta, gamma_t, kappa, p

HALF, QUARTER = Fraction(1, 2), Fraction(1, 4)
NONNEGATIVE = sp.Ge(a, 0, evaluate=False)


def bounds(*claims):
    """The explicit bounds of Theorems 1 and 2 along their schedules."""
    return {c: catalog.get(f"strfedavg.{c}").statement.rhs for c in claims}


# --- exponents


def test_a_programme_solved_by_hand():
    # min(a, 1 - a) is largest at one half
    found = best_exponents({"m": R**-a + R ** (a - 1)}, (a,))
    assert (found.values, found.rate, found.exponent, found.log) == ({a: HALF}, HALF, 2, 0)
    assert found.multipliers == (HALF, HALF, 0)  # the last one is of a > 0, which the symbol says
    assert found.proof in ("1/2 (a) + 1/2 (1 - a) = 1/2", "1/2 (1 - a) + 1/2 (a) = 1/2")


def test_remark_2_in_the_convex_case():
    found = best_exponents(bounds("thm2.i-1x", "thm2.i-2x"), (a, b), S_C.parameters)
    assert found.values == {a: HALF, b: QUARTER}
    assert (found.exponent, found.log, found.excluded) == (4, 0, ())


@pytest.mark.parametrize(
    ("claim", "values", "strict"),
    [("thm2.i-1x", {a: HALF, b: 0}, sp.Gt(b, 0, evaluate=False)), ("thm2.i-2x", {a: HALF, b: HALF}, b < a)],
)
def test_either_level_alone_does_better_but_does_not_attain_it(claim, values, strict):
    found = best_exponents(bounds(claim), (a, b), S_C.parameters)
    assert (found.values, found.exponent) == (values, 2)
    assert [r.relation for r in found.excluded] == [strict]


def test_remark_2_in_the_strongly_convex_case_needs_a_plus_b_at_most_one():
    both = bounds("thm1.i-1x", "thm1.i-2x")
    paper = {a: Fraction(2, 3), b: Fraction(1, 3), p: Fraction(2)}
    printed = best_exponents(both, (a, b, p), S_SC.parameters)
    assert (printed.values[a], printed.values[b], printed.exponent) == (1, HALF, 2)
    proved = best_exponents(both, (a, b, p), (*S_SC.parameters, sp.Le(a + b, 1)))
    assert (proved.values[a], proved.values[b]) == (paper[a], paper[b])
    # the power is the paper's; the logarithm is not in its table
    assert (proved.exponent, proved.log) == (3, 3)
    assert worst_rate(proved.rates, paper) == (Fraction(1, 3), 3)
    assert all(r.holds(paper) for r in proved.ranges)
    assert [str(r) for r in proved.ranges if not r.holds(printed.values)] == ["a + b <= 1"]


def test_an_equation_among_the_constraints():
    found = best_exponents(bounds("thm1.i-1x", "thm1.i-2x"), (a, b, p), (*S_SC.parameters, sp.Eq(a + b, 1)))
    assert (found.values[a], found.exponent) == (Fraction(2, 3), 3)


def test_values_for_other_symbols():
    bound = {"m": R ** (-a / kappa) + R ** (a - 1)}
    assert best_exponents(bound, (a,), values={kappa: 2}).rate == Fraction(1, 3)
    with pytest.raises(ValueError, match="not linear"):
        best_exponents(bound, (a,))


def test_best_exponents_beat_a_grid():
    both = bounds("thm2.i-1x", "thm2.i-2x")
    found = best_exponents(both, (a, b), S_C.parameters)
    grid = [Fraction(k, 24) for k in range(1, 24)]
    rates = term_rates(both, (a, b))
    assert max(worst_rate(rates, {a: x, b: y})[0] for x in grid for y in grid if y < x) == found.rate


def test_wrong_certificates_are_rejected():
    found = best_exponents(bounds("thm2.i-1x", "thm2.i-2x"), (a, b), S_C.parameters)
    good = found.multipliers
    check_multipliers(found.rates, found.ranges, good, found.rate)

    def wrong(words, multipliers=good, rate=found.rate):
        with pytest.raises(ValueError, match=words):
            check_multipliers(found.rates, found.ranges, multipliers, rate)

    first, second = [i for i, m in enumerate(good) if m][:2]
    shifted = list(good)
    shifted[first], shifted[second] = good[first] + HALF, good[second] - HALF
    wrong("cancel|negative", shifted)
    wrong("sum to 2", [2 * m for m in good])
    wrong("is negative", [-m for m in good])
    wrong("not 1/3", rate=Fraction(1, 3))
    wrong("multipliers for", good[1:])


@pytest.mark.parametrize(
    ("bound", "exponents", "constraints", "words"),
    [
        (R**-a, (a,), (NONNEGATIVE,), "grow without limit"),
        (R**-a, (a,), (sp.Ge(a, 2), sp.Le(a, 1)), "contradict each other"),
        (R ** (-a * b) + R**-a, (a, b), (sp.Le(a, 1), sp.Le(b, 1)), "not linear in a, b"),
        (R**-a + R ** (a - 1), (a,), (sp.Ne(a, 1),), "should be an inequality or an equation"),
        (sp.exp(R), (a,), (), "cannot expand|only sums"),
        (R**-a, (), (), "1 to 4 exponents"),
    ],
)
def test_questions_without_an_answer(bound, exponents, constraints, words):
    with pytest.raises(ValueError, match=words):
        best_exponents({"m": bound}, exponents, constraints)


# --- finite horizon

G, E = gamma_t, eta


def grid_minimum(expr, allowed, low=-14, high=6, count=601):
    """Least value over a grid in the logarithms of both variables."""
    g, e = np.meshgrid(np.exp(np.linspace(low, 2, count)), np.exp(np.linspace(low, high, count)))
    values = np.broadcast_to(sp.lambdify((G, E), expr, "numpy")(g, e), g.shape)
    return values[allowed(g, e)].min()


def test_a_minimum_by_hand():
    found = best_finite_horizon(2 * G + 8 / (G * E) + E, (G, E))
    # weights 1/3 each: 3 (2 * 8 * 1)^(1/3)
    assert found.value == pytest.approx(3 * 16 ** (1 / 3), rel=1e-7)
    assert found.lower <= 3 * 16 ** (1 / 3) <= found.value
    assert 0 <= found.gap < 1e-6 and found.active == ()


@pytest.mark.parametrize("horizon", [1e4, 1e10])
def test_a_constrained_minimum_against_a_grid(horizon):
    inner = 3 * G * (1 + 2 * E**2) + 18 * G**2 * (1 + E) + 50 / (G * horizon) + E / 100
    outer = (3 * G + 20 * G**2 * (1 + E)) / E + 50 / (E * G * horizon)
    step = sp.Le(G, 1 / (16 * (1 + E) ** 2 * (1 + sp.Max(4 * E, 4))), evaluate=False)
    kept = sp.Le(inner, 40 / horizon ** sp.Rational(1, 4), evaluate=False)
    found = best_finite_horizon(outer, (G, E), constraints={"step": step, "kept": kept})
    inside = sp.lambdify((G, E), sp.And(step, kept), "numpy")
    least = grid_minimum(outer, inside)
    assert found.lower <= least and least < 1.1 * found.value
    assert 0 <= found.gap < 1e-5
    assert inside(found.point[G] * (1 - 1e-9), found.point[E])


def test_roots_and_maxima():
    expr = sp.sqrt(G + 4 / G) + sp.Max(E, 1 / E)
    found = best_finite_horizon(expr, (G, E))
    assert found.value == pytest.approx(3, rel=1e-6)
    assert 0 <= found.gap < 1e-6


def test_a_minorant_gives_an_upper_bound_that_touches():
    # minimise x + 1/(e^x - 1), with the tangent of e^x - 1 on a logarithmic scale
    weight = sp.Symbol("weight", positive=True)

    def tangent(point):
        x = point[G]
        slope = x / -np.expm1(-x)
        return Term(Fraction(float(np.expm1(x) / x**slope)), {G: Fraction(float(slope))})

    found = best_finite_horizon(G + 1 / weight, (G,), minorants={weight: tangent}, start={G: 3.0})
    x = np.linspace(0.1, 5, 100001)
    least = (x + 1 / np.expm1(x)).min()
    assert found.value == pytest.approx(least, rel=1e-6)
    with pytest.raises(ValueError, match="start"):
        best_finite_horizon(G + 1 / weight, (G,), minorants={weight: tangent})


def test_wrong_weights_are_rejected():
    found = best_finite_horizon(2 * G + 8 / (G * E) + E, (G, E))
    assert lower_bound(found.programme, found.weights) == found.lower
    third = Fraction(1, 3)
    exact = lower_bound(found.programme, ((third, third, third),))
    assert exact == pytest.approx(3 * 16 ** (1 / 3), rel=1e-14) and exact <= 3 * 16 ** (1 / 3)
    for weights, words in [
        (((HALF, QUARTER, QUARTER),), "orthogonal"),
        (((third, third, 2 * third),), "sum to 4/3"),
        (((third + 1, third, third - 1),), "negative"),
        (((third, third),), "one weight for every term"),
        ((), "one weight for every term"),
    ]:
        with pytest.raises(ValueError, match=words):
            lower_bound(found.programme, weights)


def test_a_certificate_does_not_fit_another_programme():
    found = best_finite_horizon(G + 1 / G, (G,))
    doubled = replace(
        found.programme, objective=tuple(replace(t, coefficient=2 * t.coefficient) for t in found.programme.objective)
    )
    assert lower_bound(doubled, found.weights) == pytest.approx(4)
    other = Programme((Term(Fraction(1), {G: Fraction(2)}), Term(Fraction(1), {G: Fraction(-1)})))
    with pytest.raises(ValueError, match="orthogonal"):
        lower_bound(other, found.weights)


@pytest.mark.parametrize(
    ("expr", "words"),
    [
        (G - E + 2, "-1 is no posynomial"),
        (1 / (G + E), r"1/\(eta \+ gamma_t\) is no posynomial"),
        (sp.exp(G), "exp"),
        (G**a, "give numbers for a"),
        (G * R, "R is no posynomial .* give numbers for R"),
        (sp.S.Zero, "nothing to minimise"),
    ],
)
def test_what_is_no_posynomial_is_named(expr, words):
    with pytest.raises(ValueError, match=words):
        programme_of(expr, {}, (G, E))


def test_a_bound_without_a_minimum_is_refused():
    with pytest.raises(ValueError, match="minim"):
        best_finite_horizon(G + E, (G, E))
    with pytest.raises(ValueError, match="no admissible minimum was found under low, high"):
        best_finite_horizon(G + 1 / G, (G,), constraints={"low": sp.Le(G, 1), "high": sp.Ge(G, 2)})
    with pytest.raises(ValueError, match="inequality"):
        best_finite_horizon(G + 1 / G, (G,), constraints={"odd": sp.Lt(G, 1)})


def test_the_signs_of_the_exponents_are_constraints():
    horizon, a_, b_ = sp.symbols("R a b", positive=True)
    bound = {"f": horizon ** (b_ - a_) + horizon ** (-2 - b_)}
    found = best_exponents(bound, (a_, b_), [b_ < a_, a_ <= 1, b_ > 0], variable=horizon)  # sympy makes b > 0 True
    assert found.values == {a_: 1, b_: 0} and found.rate == 1
    with pytest.raises(ValueError, match="a constraint is False"):
        best_exponents(bound, (a_, b_), [a_ < 0], variable=horizon)


def test_questions_that_name_their_symbols():
    x = sp.Symbol("x", real=True)
    rates = term_rates({"m": R**-x}, (x,))
    with pytest.raises(ValueError, match="needs a value for x"):
        worst_rate(rates, {a: HALF})
    with pytest.raises(ValueError, match="two symbols are named a"):
        best_exponents({"m": R**-a + R ** (a - 1)}, (sp.Symbol("a"),), (NONNEGATIVE,))
    with pytest.raises(ValueError, match="real number"):
        best_exponents({"m": R ** -sp.sqrt(-a)}, (a,), (NONNEGATIVE,))


def test_a_bound_that_does_not_decay():
    """a >= 0 keeps the second term from decaying, which the multipliers show."""
    found = best_exponents({"m": R ** (a - 1) + R**a}, (a,), (NONNEGATIVE,))
    assert (found.rate, found.exponent, found.log, found.values[a]) == (0, None, 0, 0)
    assert found.proof == "1 (-a) + 1 (a) = 0"


def test_a_total_of_a_sum():
    """An average of 1/t + 3 does not decay; an average of t^-a + t^-b decays by the slower one."""
    t = sp.Symbol("t", positive=True, integer=True)
    assert best_exponents({"m": sp.Sum(1 / t + 3, (t, 1, R)) / R + R**-a}, (a,), (sp.Le(a, 1),)).rate == 0
    average = sp.Sum(1 / t + 1 / sp.sqrt(t), (t, 1, R)) / R
    assert best_exponents({"m": average + R**-a}, (a,), (sp.Le(a, 1),)).rate == HALF
