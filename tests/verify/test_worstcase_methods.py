"""Models of methods as performance estimation problems, and the reduction of many clients to two."""

import inspect
from fractions import Fraction

import pytest

from rateproof.verify.worstcase import Certificate, certify
from rateproof.verify.worstcase.clients import Layout, reduced
from rateproof.verify.worstcase.exact import exact
from rateproof.verify.worstcase.methods import METHODS, find
from rateproof.verify.worstcase.methods.base import new_problem
from rateproof.verify.worstcase.methods.study import model_of, study
from rateproof.verify.worstcase.model import read, same


def case(name, metric=None, **settings):
    return find(name).case(settings, metric)


def certified(name, metric=None, **settings):
    """The certified upper bound, checked against the problem itself."""
    model = model_of(case(name, metric, **settings))
    found = certify(model)
    assert isinstance(found, Certificate), found
    assert found.check(model)
    return found.upper


# --- the registry


@pytest.mark.parametrize("method", METHODS.values(), ids=METHODS)
def test_every_parameter_is_explained_and_every_metric_has_a_model(method):
    signature = inspect.signature(method.build).parameters
    assert set(signature) == {*method.meaning, "metric"}
    assert method.rounds in method.meaning
    for metric, words in method.metrics.items():
        built = method.case({}, metric)
        assert (built.metric, built.measured) == (metric, words)
        assert set(built.parameters) == set(method.meaning)
        model = read(built.problem)
        assert model.metrics and model.conditions


@pytest.mark.parametrize(
    ("name", "metric", "settings", "value"),
    [
        ("gradient-descent", "gap", {"n": 3}, "1/14"),
        ("gradient-descent", "gap", {"n": 2, "L": 3, "gamma": "1/6"}, "1/2"),
        ("gradient-descent", "gap", {"n": 2, "mu": "1/2", "gamma": 1}, "1/62"),
        ("gradient-descent", "gap", {"n": 2, "gamma": "19/10"}, "6561/20000"),
        ("gradient-descent", "distance", {"n": 2, "mu": "1/10", "gamma": "3/2"}, "83521/160000"),
        ("gradient-descent", "gradient", {"n": 2}, "1/9"),
        ("proximal-point", "gap", {"n": 3, "gamma": 2}, "1/24"),
        ("proximal-point", "distance", {"n": 1}, "1"),
        ("proximal-gradient", "gap", {"n": 2, "gamma": "1/2"}, "1/4"),
        ("proximal-gradient", "distance", {"n": 1, "mu": "1/2"}, "1/4"),
        ("projected-gradient", "gap", {"n": 2}, "1/8"),
        ("projected-gradient", "distance", {"n": 1, "mu": "1/2", "gamma": "3/2"}, "1/4"),
        ("regularised-descent", "regularised", {"n": 2, "eta": 1, "L_h": 2, "L_f": 3}, "1/2"),
        ("fedavg", "gap", {"K": 1, "R": 2}, "1/10"),
        ("fedavg", "distance", {"K": 2, "R": 1, "zeta": 0, "mu": "1/2", "gamma_l": 1}, "1/16"),
        ("strfedavg", "regularised", {"K": 1, "R": 1, "L_h": "1/2", "L_f": 1}, "1/6"),
        ("ipir-outer", "descent", {"T": 1, "L_f": 1, "lam": 1}, "-5/32"),
        ("projection", "distance", {"t": 1, "L": 2, "mu": 1}, "3/4"),
    ],
)
def test_certified_bounds_meet_the_known_values(name, metric, settings, value):
    known = case(name, metric, **settings).known
    assert known.value == Fraction(value)
    upper = certified(name, metric, **settings)
    # never below what is attained, and hardly above
    assert 0 <= upper - known.value <= Fraction(1, 10**6) * abs(known.value)


def test_parameters_enter_the_model_exactly():
    built = case("gradient-descent", n=1, L=1, gamma="1/3")
    entries = {c for condition in read(built.problem).conditions for c in condition.form.gram.values()}
    assert Fraction(1, 3) in {abs(c) for c in entries}
    assert max(c.denominator for c in entries) <= 18


@pytest.mark.parametrize(
    ("name", "settings", "message"),
    [
        ("gradient-descent", {"gama": 1}, "gradient-descent has no parameter gama; did you mean gamma?"),
        ("gradient-descent", {"n": 0}, "n is 0; it should be an integer, at least 1"),
        ("gradient-descent", {"n": "1/2"}, "n is 1/2; it should be an integer, at least 1"),
        ("gradient-descent", {"L": -1}, "L is -1; it should be positive"),
        ("gradient-descent", {"mu": 1}, "mu is 1; it should be below L = 1"),
        ("gradient-descent", {"L": "many"}, "L is many; it should be a number such as 0.1 or 1/3"),
        ("gradient-descent", {"L": float("nan")}, "L is nan; it should be a number such as 0.1 or 1/3"),
        ("fedavg", {"zeta": -1}, "zeta is -1; it should be at least 0"),
        ("ipir-outer", {"factor": 3}, "factor is 3; it should be 1, as printed, or 2"),
    ],
)
def test_wrong_parameters_are_named(name, settings, message):
    with pytest.raises(ValueError, match="^" + message.replace("?", r"\?")):
        case(name, **settings)


def test_wrong_names_are_answered_with_near_ones():
    with pytest.raises(ValueError, match=r"no method fedav; did you mean fedavg or strfedavg\?"):
        find("fedav")
    with pytest.raises(ValueError, match=r"no metric gaps; did you mean gap\?"):
        case("fedavg", "gaps")


def test_weights_of_the_average_need_a_small_step():
    with pytest.raises(ValueError, match=r"eta mu_f gamma_l gamma_g K / 2 is 3/2; it should be below 1"):
        case("strfedavg", "regularised-average", K=1, eta=1, mu_f="1/2", gamma_l=6)


# --- what the models say


def test_two_clients_are_worse_than_one_and_the_worst_function_agrees():
    one = certified("fedavg", N=1, K=2, R=1)
    two = study(lambda: case("fedavg", N=2, K=2, R=1))
    assert two.lower <= two.upper <= two.lower * (1 + Fraction(1, 10**5))
    assert one < two.lower


@pytest.mark.parametrize("metric", ["stationarity", "descent"])
def test_the_outer_step_as_printed_has_no_bound(metric):
    # f(y) = -2 a y / lambda over X = {0}: grad F_lambda(a) = 0, and the step from a is gamma a / lambda
    found = study(lambda: case("ipir-outer", metric, T=1, factor=1))
    assert (found.upper, found.lower) == (None, None)
    assert all("unbounded" in reason or "failed" in reason for reason in found.refusals)


def test_the_descent_of_the_outer_step_is_that_of_the_proof():
    # proof of Theorem 3 of strfedavg: at most -gamma/2, here with gamma = 3/(4 (1 + 2)) = 1/4
    assert certified("ipir-outer", "descent", T=1) <= Fraction(-1, 8)


def test_inner_gap_is_at_most_regularised_gap_and_room():
    # Proposition 2, i-1: h(x) - h* <= Err + eta M
    regularised = case("regularised-descent", n=1, eta="1/2").known.value
    inner = study(lambda: case("regularised-descent", "inner", n=1, eta="1/2", M=3))
    assert inner.lower <= regularised + Fraction(3, 2)
    # and attains it
    assert inner.lower >= (regularised + Fraction(3, 2)) * (1 - Fraction(1, 10**5))


def test_average_of_the_models():
    # one round: the average is the start, whose gap is that of an L-smooth function at distance one
    assert abs(certified("strfedavg", "regularised-average", K=1, R=1, L_h=1, L_f=1, eta=1) - 1) < 1e-6


# --- clients


@pytest.mark.parametrize(
    ("name", "metric", "settings", "numbers"),
    [
        ("fedavg", "gap", {"K": 2, "R": 1}, (3, 4, 5)),
        ("fedavg", "gradient", {"K": 1, "R": 2, "zeta": 0}, (3, 4, 5)),
        ("strfedavg", "inner", {"K": 2, "R": 1}, (3,)),
        ("strfedavg", "outer-average", {"K": 1, "R": 2, "mu_f": "1/2"}, (3,)),
    ],
)
def test_any_number_of_clients_reduces_to_the_same_model(name, metric, settings, numbers):
    two = model_of(case(name, metric, N=2, **settings))
    for N in numbers:
        assert same(two, model_of(case(name, metric, N=N, **settings)))
    # and it is not the same for everything: another step, another model
    assert not same(two, model_of(case(name, metric, N=2, gamma_l="1/7", **settings)))


@pytest.mark.parametrize("metric", ["gap", "distance"])
def test_the_worst_case_of_two_three_and_four_clients_agrees_without_the_reduction(metric):
    settings = {"K": 2, "R": 1, "mu": "1/10"}
    through_two = certified("fedavg", metric, N=2, **settings)
    accurate = dict.fromkeys(("tol_gap_abs", "tol_gap_rel", "tol_feas"), 1e-9)
    for N in (2, 3, 4):
        direct = case("fedavg", metric, N=N, **settings).problem.solve(verbose=0, solver="CLARABEL", **accurate)
        assert direct == pytest.approx(float(through_two), rel=1e-6)


def test_two_clients_stand_for_more():
    four = find("fedavg").smallest({"N": 4, "K": 1})
    assert (four.parameters["N"], four.layout.clients) == (4, 2)
    assert find("fedavg").smallest({"N": 1}).layout.clients == 1
    with pytest.raises(ValueError, match="N is 0; it should be an integer, at least 1"):
        find("fedavg").smallest({"N": 0})


def clients_with_a_product(N, *, products, favoured=0):
    """Vectors of ``N`` clients with ``sum ||g_i||^2 <= N``; the metric is a sum of products of different clients."""
    problem = new_problem()
    from PEPit import Point

    points = [Point() for _ in range(N)]
    for i, p in enumerate(points):
        p.set_name(f"g{i}")
    problem.add_constraint(sum((p**2 for p in points[1:]), points[0] ** 2) <= N)
    pairs = [(i, j) for i in range(N) for j in range(i)]
    total = sum((points[i] * points[j] for i, j in pairs[1:]), points[pairs[0][0]] * points[pairs[0][1]])
    problem.set_performance_metric(products * total + favoured * points[0] ** 2)
    return read(problem), Layout(tuple((f"g{i}",) for i in range(N)), ((),) * N)


@pytest.mark.parametrize("N", [2, 3, 5])
def test_products_of_different_clients_are_reduced_with_their_number(N):
    # sum_{i<j} <g_i, g_j> lies between -N/2 (they sum to zero) and N (N-1)/2 (all equal)
    for products, value in ((-1, Fraction(N, 2)), (1, Fraction(N * (N - 1), 2))):
        small = reduced(*clients_with_a_product(N, products=products))
        assert small.points == ("mean g0", "difference g0")
        assert abs(certify(small).upper - value) <= Fraction(1, 10**6)


def test_models_that_permutations_change_are_not_reduced():
    with pytest.raises(ValueError, match="permuting the clients changes the metrics"):
        reduced(*clients_with_a_product(3, products=1, favoured=1))


def test_a_client_of_another_class_is_not_reduced():
    built = case("fedavg", N=2, K=1, R=1)
    built.problem.list_of_functions[0].L = exact(2)
    with pytest.raises(ValueError, match="permuting the clients changes the conditions"):
        model_of(built)


@pytest.mark.parametrize(
    ("points", "values", "message"),
    [
        ((("a",), ("b", "c")), ((), ()), "equally many points"),
        ((("a",), ("b",)), ((),), "points of 2 clients, but values of 1"),
        (((None,), ("b",)), ((), ()), "only the last client"),
        ((("g0",), ("nobody",)), ((), ()), "names nobody, which the model has 0 times"),
    ],
)
def test_wrong_layouts_are_named(points, values, message):
    with pytest.raises(ValueError, match=message):
        reduced(clients_with_a_product(2, products=1)[0], Layout(points, values))


def test_one_client_needs_no_reduction():
    built = case("fedavg", N=1)
    model = read(built.problem)
    assert reduced(model, built.layout) is model
