"""Floats that carry fractions, exact linear algebra, and reading PEPit problems."""

import math
import pickle
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rateproof.theory.linear import echelon
from rateproof.verify.worstcase import exact, read
from rateproof.verify.worstcase.exact import Exact, rational
from rateproof.verify.worstcase.model import Condition, Form, combination
from rateproof.verify.worstcase.semidefinite import semidefinite, squares

pep = pytest.importorskip("PEPit", reason="PEPit is an optional dependency")

fractions = st.fractions(min_value=-100, max_value=100, max_denominator=1000)


@settings(derandomize=True, deadline=None, max_examples=60)
@given(fractions, fractions)
def test_arithmetic_is_that_of_fractions(a: Fraction, b: Fraction) -> None:
    x, y = exact(a), exact(b)
    assert (x + y).fraction == a + b and (x - y).fraction == a - b and (x * y).fraction == a * b
    assert (x < y, x <= y, x > y, x >= y, x == y) == (a < b, a <= b, a > b, a >= b, a == b)
    assert (-x).fraction == -a and abs(x).fraction == abs(a) and (x**3).fraction == a**3
    assert float(x) == float(a) and hash(x) == hash(a)
    if b:
        assert (x / y).fraction == a / b and (y**-2).fraction == b**-2 and (1 / y).fraction == 1 / b


def test_plain_numbers_count_as_what_they_are() -> None:
    third = exact("1/3")
    assert (third + 1).fraction == (1 + third).fraction == Fraction(4, 3)
    assert (third * 0.1).fraction == Fraction(0.1) / 3 != Fraction(1, 30)
    assert (2 - third).fraction == Fraction(5, 3) and (2 / third).fraction == 6
    assert exact("0.1").fraction == Fraction(1, 10) != exact(0.1).fraction
    assert third / math.inf == 0.0 and not isinstance(third / math.inf, Exact)
    assert third**0.5 == pytest.approx(3**-0.5)
    assert pickle.loads(pickle.dumps(third)).fraction == Fraction(1, 3)
    assert rational(third) == Fraction(1, 3) and rational(2) == 2
    with pytest.raises(ZeroDivisionError):
        third / 0


@pytest.mark.parametrize("value", ["one", math.nan, math.inf, "1/0"])
def test_what_is_no_rational_number_is_refused(value: object) -> None:
    with pytest.raises(ValueError, match="rational"):
        exact(value)  # type: ignore[arg-type]


def test_echelon_puts_pivots_where_the_order_says() -> None:
    rows = [{0: Fraction(1), 1: Fraction(2)}, {0: Fraction(2), 1: Fraction(4)}, {2: Fraction(3), 1: Fraction(1)}]
    assert echelon(rows, [0, 1, 2])[0] == (0, 1)
    pivots, reduced = echelon(rows, [2, 1, 0])
    assert pivots == (2, 1) and reduced[1] == {1: 1, 0: Fraction(1, 2)}
    assert echelon([], [0]) == ((), [])


@settings(derandomize=True, deadline=None, max_examples=60)
@given(st.lists(st.lists(st.integers(-5, 5), min_size=4, max_size=4), min_size=1, max_size=4))
def test_gram_matrices_are_semidefinite_and_the_slightest_loss_shows(rows: list[list[int]]) -> None:
    gram = [[Fraction(sum(r[i] * r[j] for r in rows), 7) for j in range(4)] for i in range(4)]
    assert semidefinite(gram)
    rebuilt = [[sum(d * r[i] * r[j] for d, r in squares(gram)) for j in range(4)] for i in range(4)]
    assert rebuilt == gram
    tiny = Fraction(1, 10**30)
    if len(rows) < 4:  # singular: it stays semidefinite under no loss at all
        below = [[x - (tiny if i == j else 0) for j, x in enumerate(row)] for i, row in enumerate(gram)]
        assert not semidefinite(below)
        with pytest.raises(ValueError, match="semidefinite"):
            squares(below)


def test_combination_drops_zeros() -> None:
    form = Form({(0, 1): Fraction(1, 3)}, {2: Fraction(2)}, Fraction(1, 7))
    assert combination([(Fraction(1, 2), form), (Fraction(-1, 2), form)]) == Form()
    assert combination([(Fraction(3), form)]) == Form({(0, 1): Fraction(1)}, {2: Fraction(6)}, Fraction(3, 7))


def test_a_problem_is_read_as_it_is_and_left_as_it_was() -> None:
    problem = pep.PEP()
    f = problem.declare_function(pep.functions.SmoothConvexFunction, L=exact(3))
    minimiser = f.stationary_point()
    start = problem.set_initial_point()
    problem.set_initial_condition((start - minimiser) ** 2 <= 1)
    end = start - exact("1/3") * f.gradient(start)
    problem.set_performance_metric(f(end) - f(minimiser))
    before = (pep.Point.counter, pep.Expression.counter, pep.Constraint.counter, len(f.list_of_class_constraints))
    model = read(problem)
    assert before == (
        pep.Point.counter,
        pep.Expression.counter,
        pep.Constraint.counter,
        len(f.list_of_class_constraints),
    )
    assert problem.objective is None and model == read(problem)
    assert len(model.points) == 4 and len(model.values) == 3 and len(model.conditions) == 7
    assert model.conditions[0].form == Form(
        {(0, 0): Fraction(1), (0, 1): Fraction(-2), (1, 1): Fraction(1)}, {}, Fraction(-1)
    )
    coefficients = {c for condition in model.conditions for c in condition.form.gram.values()}
    assert Fraction(1, 6) in coefficients and all(c.denominator <= 18 for c in coefficients)
    assert problem.solve(verbose=0) == pytest.approx(1 / 2, rel=1e-4)
    assert read(problem) == model


def test_matrix_conditions_stay_single_and_symmetric() -> None:
    problem = pep.PEP()
    f = problem.declare_function(pep.functions.SmoothStronglyConvexQuadraticFunction, L=exact(1), mu=exact("1/10"))
    start = problem.set_initial_point()
    problem.set_initial_condition((start - f.stationary_point()) ** 2 <= 1)
    problem.set_performance_metric((start - f.gradient(start)) ** 2)
    first, second = read(problem), read(problem)
    assert first == second and len(first.semidefinite) == 1
    entries = first.semidefinite[0].entries
    assert all(entries[i][j] == entries[j][i] for i in range(len(entries)) for j in range(i))


def test_far_conditions_are_those_between_distant_iterates() -> None:
    problem = pep.PEP()
    f = problem.declare_function(pep.functions.SmoothConvexFunction, L=exact(1))
    f.stationary_point()
    x = problem.set_initial_point()
    for _ in range(3):
        x = x - f.gradient(x)
    problem.set_performance_metric(f(x) - f.stationary_point(return_gradient_and_function_value=True)[2])
    far = [c.name for c in read(problem).conditions if not c.near]
    assert 0 < len(far) < len(read(problem).conditions)
    assert all(isinstance(c, Condition) for c in read(problem).conditions)


def test_what_is_no_problem_is_refused() -> None:
    with pytest.raises(ValueError, match=r"give a PEPit\.PEP"):
        read("problem")
    with pytest.raises(ValueError, match="no performance metric"):
        read(pep.PEP())
    older = pep.PEP()
    f = older.declare_function(pep.functions.ConvexFunction)
    older.set_performance_metric(f(f.stationary_point()))
    pep.PEP()
    with pytest.raises(ValueError, match="older than another PEP"):
        read(older)
    problem = pep.PEP()
    problem.set_performance_metric(problem.set_initial_point() ** 2 * math.inf)
    with pytest.raises(ValueError, match="finite"):
        read(problem)
