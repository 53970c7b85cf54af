"""Worst functions: exact instances, planted errors, interpolation, scripts."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from fractions import Fraction
from functools import cache

import numpy as np
import pytest

from rateproof.verify.worstcase import suggest
from rateproof.verify.worstcase.certificate import Refusal
from rateproof.verify.worstcase.exact import exact
from rateproof.verify.worstcase.gauge import fix
from rateproof.verify.worstcase.interpolate import Interpolant, euclidean, interpolant
from rateproof.verify.worstcase.model import Condition, Form, Model, Semidefinite, read
from rateproof.verify.worstcase.primal import refutes, worst_function
from rateproof.verify.worstcase.repair import rounded
from rateproof.verify.worstcase.replay import script
from rateproof.verify.worstcase.witness import WorstFunction

PEPit = pytest.importorskip("PEPit")
functions = pytest.importorskip("PEPit.functions")

F = Fraction
CLOSE = F(1, 10**6)


# --- problems


def descent(n, *, L="1", mu="0", gamma=None, metric="gap"):
    """Gradient descent from within distance one of a minimiser."""
    problem = PEPit.PEP()
    L, mu = exact(L), exact(mu)
    f = problem.declare_function(functions.SmoothStronglyConvexFunction, mu=mu, L=L)
    xs = f.stationary_point()
    x = problem.set_initial_point()
    problem.set_initial_condition((x - xs) ** 2 <= 1)
    for _ in range(n):
        x = x - (1 / L if gamma is None else exact(gamma)) * f.gradient(x)
    problem.set_performance_metric(f(x) - f(xs) if metric == "gap" else (x - xs) ** 2)
    return problem


def best_gradient(n):
    """The least gradient of gradient descent from a gap of one: several metrics."""
    problem = PEPit.PEP()
    f = problem.declare_function(functions.SmoothConvexFunction, L=exact(1))
    xs = f.stationary_point()
    x = problem.set_initial_point()
    problem.set_initial_condition(f(x) - f(xs) <= 1)
    problem.set_performance_metric(f.gradient(x) ** 2)
    for _ in range(n):
        x = x - f.gradient(x)
        problem.set_performance_metric(f.gradient(x) ** 2)
    return problem


def proximal(n, *, gamma="1"):
    from PEPit.primitive_steps import proximal_step

    problem = PEPit.PEP()
    f = problem.declare_function(functions.ConvexFunction)
    xs = f.stationary_point()
    x = problem.set_initial_point()
    problem.set_initial_condition((x - xs) ** 2 <= 1)
    for _ in range(n):
        x, _, value = proximal_step(x, f, exact(gamma))
    problem.set_performance_metric(value - f(xs))
    return problem


def subgradient(n, *, gamma):
    """The best gap of the subgradient method on functions with subgradients no longer than one."""
    problem = PEPit.PEP()
    f = problem.declare_function(functions.ConvexLipschitzFunction, M=exact(1))
    xs = f.stationary_point()
    x = problem.set_initial_point()
    problem.set_initial_condition((x - xs) ** 2 <= 1)
    for k in range(n + 1):
        g, value = f.oracle(x)
        problem.set_performance_metric(value - f(xs))
        x = x - exact(gamma) * g if k < n else x
    return problem


def fedavg():
    """One round of FedAvg with two clients, two local steps, and bounded gradients at the minimiser of the mean."""
    problem = PEPit.PEP()
    clients = [problem.declare_function(functions.SmoothConvexFunction, L=exact(1)) for _ in range(2)]
    mean = (clients[0] + clients[1]) / exact(2)
    xs = mean.stationary_point()
    x = problem.set_initial_point()
    problem.set_initial_condition((x - xs) ** 2 <= 1)
    problem.add_constraint(clients[0].gradient(xs) ** 2 <= exact("1/4"))
    ends = []
    for client in clients:
        y = x
        for _ in range(2):
            y = y - exact("1/2") * client.gradient(y)
        ends.append(y)
    problem.set_performance_metric(mean((ends[0] + ends[1]) / exact(2)) - mean(xs))
    return problem


def line_search():
    """One step of steepest descent: equalities between gradients and steps."""
    from PEPit.primitive_steps import exact_linesearch_step

    problem = PEPit.PEP()
    f = problem.declare_function(functions.SmoothStronglyConvexFunction, mu=exact("1/10"), L=exact(1))
    xs = f.stationary_point()
    x = problem.set_initial_point()
    problem.set_initial_condition(f(x) - f(xs) <= 1)
    _, _, value = exact_linesearch_step(x, f, [f.gradient(x)])
    problem.set_performance_metric(value - f(xs))
    return problem


def on_sphere(n):
    """Gradient descent from a distance whose square is three: a quadratic equality without rational solution."""
    problem = PEPit.PEP()
    f = problem.declare_function(functions.SmoothConvexFunction, L=exact(1))
    xs = f.stationary_point()
    x = problem.set_initial_point()
    problem.add_constraint((x - xs) ** 2 == 3)
    for _ in range(n):
        x = x - f.gradient(x)
    problem.set_performance_metric(f(x) - f(xs))
    return problem


def operator(n):
    """A forward step on a Lipschitz strongly monotone operator."""
    from PEPit.operators import LipschitzStronglyMonotoneOperatorCheap

    problem = PEPit.PEP()
    A = problem.declare_function(LipschitzStronglyMonotoneOperatorCheap, mu=exact("1/10"), L=exact(1))
    xs = A.stationary_point()
    x = problem.set_initial_point()
    problem.set_initial_condition((x - xs) ** 2 <= 1)
    for _ in range(n):
        x = x - exact("1/10") * A.gradient(x)
    problem.set_performance_metric((x - xs) ** 2)
    return problem


def quadratic(n):
    """Gradient descent on quadratics: a matrix condition."""
    problem = PEPit.PEP()
    f = problem.declare_function(functions.SmoothStronglyConvexQuadraticFunction, mu=exact("1/10"), L=exact(1))
    xs = f.stationary_point()
    x = problem.set_initial_point()
    problem.set_initial_condition((x - xs) ** 2 <= 1)
    for _ in range(n):
        x = x - f.gradient(x)
    problem.set_performance_metric(f(x) - f(xs))
    return problem


@cache
def two_clients() -> WorstFunction:
    found = worst_function(fedavg())
    assert isinstance(found, WorstFunction)
    return found


@cache
def huber() -> WorstFunction:
    """The worst function of four steps of gradient descent."""
    found = worst_function(descent(4))
    assert isinstance(found, WorstFunction)
    return found


def gram(weights: dict[tuple[int, int], int | Fraction], constant: int = 0, **values: int) -> Form:
    return Form({pair: F(c) for pair, c in weights.items()}, {int(k[1:]): F(c) for k, c in values.items()}, F(constant))


# --- known worst cases


@pytest.mark.parametrize("n", [1, 2, 5, 10])
def test_gradient_descent_attains_its_huber_function(n):
    problem = descent(n)
    found = worst_function(problem)
    assert found.check(problem)
    assert F(1, 4 * n + 2) * (1 - CLOSE) <= found.lower <= F(1, 4 * n + 2)
    assert found.dimension == 1


@pytest.mark.parametrize("n", [1, 4])
def test_simple_worst_cases_are_attained_exactly(n):
    assert worst_function(descent(n)).lower == F(1, 4 * n + 2)
    assert worst_function(proximal(n)).lower == F(1, 4 * n)


def test_long_steps_attain_the_quadratic():
    found = worst_function(descent(3, gamma="19/10"))
    assert found.check()
    assert found.lower <= F(9, 10) ** 6 / 2 <= found.lower * (1 + CLOSE)
    assert found.dimension == 1


@pytest.mark.parametrize("n", [1, 3])
def test_strongly_convex_descent(n):
    kappa = F(1, 10)
    known = kappa / (kappa - 1 + (1 - kappa) ** (-2 * n)) / 2
    found = worst_function(descent(n, mu="1/10"))
    assert found.check()
    assert known * (1 - CLOSE) <= found.lower <= known
    distance = worst_function(descent(n, mu="1/10", metric="distance"))
    assert (1 - kappa) ** (2 * n) * (1 - CLOSE) <= distance.lower <= (1 - kappa) ** (2 * n)


def test_the_result_does_not_depend_on_the_scale():
    found = worst_function(descent(2, L="1000000"))
    assert found.check()
    assert F(10**6, 10) * (1 - CLOSE) <= found.lower <= F(10**6, 10)


def test_several_metrics():
    found = worst_function(best_gradient(4))
    assert found.check()
    assert F(2, 9) * (1 - CLOSE) <= found.lower <= F(2, 9)
    assert len(found.model.metrics) == 5


def test_subgradient_method_needs_many_dimensions():
    # M R / sqrt(n + 1) with steps R / (M sqrt(n + 1)), attained by the largest of n + 1 coordinates.
    found = worst_function(subgradient(3, gamma="1/2"))
    assert found.check()
    assert F(1, 2) * (1 - CLOSE) <= found.lower <= F(1, 2)
    assert found.dimension > 1


def test_two_clients():
    found = two_clients()
    assert found.check(fedavg())
    assert [f.kind for f in found.functions] == ["SmoothConvexFunction"] * 2
    solved = suggest.solve(suggest.Numbers.of(fix(found.model).model), "CLARABEL")
    assert float(found.lower) == pytest.approx(solved.metric, rel=1e-6)
    assert found.dimension == 2


def test_equalities_hold_exactly():
    found = worst_function(on_sphere(2))
    assert found.check()
    assert 3 * F(1, 10) * (1 - CLOSE) <= found.lower <= 3 * F(1, 10)
    kappa = F(1, 10)
    known = ((1 - kappa) / (1 + kappa)) ** 2
    steepest = worst_function(line_search())
    assert steepest.check()
    assert known * (1 - CLOSE) <= steepest.lower <= known


def test_operators_and_matrix_conditions():
    found = worst_function(operator(2))
    assert found.check()
    assert found.lower >= F(9801, 10000) * (1 - CLOSE)
    found = worst_function(quadratic(2))
    known = F(1, 5) * F(4, 5) ** 4 / 2  # the curvature that maximises c (1 - c)^4 / 2
    assert found.model.semidefinite
    assert found.check()
    assert known * (1 - CLOSE) <= found.lower <= known


def test_rank_limits_the_dimensions():
    found = worst_function(subgradient(1, gamma="1/2"), rank=1)
    assert isinstance(found, Refusal) or (found.check() and found.dimension == 1)


# --- models by hand


def test_a_model_without_values():
    # <p, q> with ||p||^2 <= 2 and ||q||^2 <= 3 is at most sqrt(6)
    conditions = (Condition("p", gram({(0, 0): 1}, -2)), Condition("q", gram({(1, 1): 1}, -3)))
    model = Model(("p", "q"), (), (gram({(0, 1): 1}),), conditions)
    found = worst_function(model)
    assert found.check(model)
    assert 6 * (1 - CLOSE) ** 2 <= found.lower**2 <= 6
    assert found.functions == ()


def test_a_matrix_condition_binds():
    # [[1, <p, q>], [<p, q>, 1/4]] >= 0: <p, q> is at most 1/2
    one, product, quarter = gram({}, 1), gram({(0, 1): 1}), Form(constant=F(1, 4))
    matrix = Semidefinite("matrix", ((one, product), (product, quarter)))
    sizes = tuple(Condition(f"size {i}", gram({(i, i): 1}, -1)) for i in range(2))
    found = worst_function(Model(("p", "q"), (), (product,), sizes, (matrix,)))
    assert found.check()
    assert F(1, 2) * (1 - CLOSE) <= found.lower <= F(1, 2)


def test_points_that_conditions_identify_are_one():
    # ||p - q||^2 <= 0 leaves no room for a margin
    same = Condition("same", gram({(0, 0): 1, (0, 1): -2, (1, 1): 1}))
    model = Model(("p", "q"), (), (gram({(0, 1): 1}),), (same, Condition("size", gram({(0, 0): 1}, -1))))
    found = worst_function(model)
    assert found.check()
    assert found.coordinates[0] == found.coordinates[1]
    assert 1 - CLOSE <= found.lower <= 1


def test_translations_are_fixed():
    model = read(descent(2))
    gauge = fix(model)
    assert len(gauge.model.points) == len(model.points) - 1
    assert len(gauge.model.values) == len(model.values) - 1
    points, values = gauge.lifted([(F(i + 1),) for i in range(len(gauge.model.points))], tuple(range(9)))
    assert points[0] == (0,)  # the minimiser, which comes first
    assert values[0] == 0


def test_nothing_is_fixed_that_matters():
    model = Model(("p",), ("v",), (gram({(0, 0): 1}),), (Condition("c", gram({(0, 0): 1}, -1, v0=1)),))
    assert fix(model).model == model


# --- refusals


def test_infeasible_and_unbounded_problems_are_refused():
    problem = descent(1)
    problem.add_constraint(problem.list_of_points[0] ** 2 <= -1)
    refusal = worst_function(problem)
    assert isinstance(refusal, Refusal)
    assert "no points satisfy" in refusal.reason

    problem = PEPit.PEP()
    f = problem.declare_function(functions.SmoothConvexFunction, L=exact(1))
    xs = f.stationary_point()
    problem.set_performance_metric(f(problem.set_initial_point()) - f(xs))
    refusal = worst_function(problem)
    assert isinstance(refusal, Refusal)
    assert "unbounded" in refusal.reason


def test_without_an_interior_the_refusal_has_the_solvers_value():
    # ||p||^2 = 2 and <p, q> = ||q||^2 = 1 within rounding, but the equalities contradict one another by 1e-9
    equalities = (
        Condition("a", gram({(0, 0): 1}, -2), equality=True),
        Condition("b", Form({(0, 0): F(1)}, {}, F(-2) - F(1, 10**9)), equality=True),
    )
    model = Model(("p", "q"), (), (gram({(0, 1): 1}),), (*equalities, Condition("q", gram({(1, 1): 1}, -1))))
    refusal = worst_function(model)
    assert isinstance(refusal, Refusal)
    assert refusal.reason


def test_a_model_without_points_is_refused():
    model = Model((), ("v",), (Form({}, {0: F(1)}),), (Condition("c", Form({}, {0: F(1)}, F(-1))),))
    assert "points" in worst_function(model).reason


@pytest.mark.parametrize(
    ("options", "message"),
    [({"solver": "NONE"}, "not installed"), ({"rank": 0}, "rank is 0"), ({"tolerance": 2.0}, "tolerance is 2")],
)
def test_bad_options_are_named(options, message):
    with pytest.raises(ValueError, match=message):
        worst_function(read(descent(1)), **options)


def test_what_is_no_problem_is_named():
    with pytest.raises(ValueError, match="PEP"):
        worst_function("gradient descent")


# --- planted errors


def test_tampered_instances_fail():
    found = huber()
    assert found.check()
    tiny = F(1, 10**9)
    for i, p in enumerate(found.coordinates):
        if any(p):
            moved = (*found.coordinates[:i], (p[0] * (1 + tiny),), *found.coordinates[i + 1 :])
            assert not replace(found, coordinates=moved).check(), i
    for k, v in enumerate(found.values):
        moved = (*found.values[:k], v + tiny, *found.values[k + 1 :])
        assert not replace(found, values=moved).check(), k
    assert not replace(found, lower=found.lower + tiny).check()
    assert not replace(found, lower=found.lower - tiny).check()
    assert not replace(found, weights=(-found.weights[0],)).check()
    assert not replace(found, weights=()).check()
    assert not replace(found, values=found.values[1:]).check()


def test_a_tampered_class_is_seen():
    found = huber()
    (function,) = found.functions
    flatter = replace(function, parameters={"mu": F(0), "L": F(99, 100)})
    faults = list(replace(found, functions=(flatter,)).problems())
    assert faults
    assert all("no function of its class" in fault for fault in faults)


def test_an_instance_belongs_to_its_problem():
    problem = descent(2)
    found = worst_function(problem)
    assert found.check(problem)
    assert found.check(read(problem))
    (function,) = found.functions
    moved = replace(function, triplets=function.triplets[:-1])
    assert not replace(found, functions=(moved,)).check(problem)
    assert not found.check(descent(2, gamma="1/2"))


def test_indices_that_do_not_exist_are_faults():
    found = huber()
    for form in (gram({(0, 99): 1}), gram({(3, 1): 1}), gram({}, v99=1), gram({(-1, 0): 1})):
        broken = replace(found.model, metrics=(form,))
        assert "does not have" in next(replace(found, model=broken).problems())


def test_an_instance_of_a_weaker_problem_is_no_instance_of_this_one():
    model = read(descent(2))
    dropped = next(i for i, c in enumerate(model.conditions) if c.name.endswith("(Point_0, Point_3)"))
    weaker = replace(model, conditions=(*model.conditions[:dropped], *model.conditions[dropped + 1 :]))
    found = worst_function(weaker)
    assert found.check(weaker)
    assert not found.check(model)
    assert found.lower > F(1, 10) * (1 + CLOSE)
    assert not replace(found, model=model).check()


def test_matrix_conditions_and_equalities_are_checked():
    matrix = Semidefinite("matrix", ((gram({}, 1), gram({(0, 0): 1})), (gram({(0, 0): 1}), gram({}, 1))))
    model = Model(
        ("p",), (), (gram({(0, 0): 1}),), (Condition("one", gram({(0, 0): 1}, -1), equality=True),), (matrix,)
    )
    good = WorstFunction.attaining(model, ((F(1),),), (F(1),), ())
    assert good.check()
    assert good.lower == 1
    longer = WorstFunction.attaining(model, ((F(2),),), (F(1),), ())
    assert [fault.split()[0] for fault in longer.problems()] == ["one", "matrix"]
    shorter = WorstFunction.attaining(model, ((F(1, 2),),), (F(1),), ())
    assert [fault.split()[0] for fault in shorter.problems()] == ["one"]


def test_refutes():
    found = huber()
    assert refutes(found, F(1, 19))
    assert refutes(found, found.lower - F(1, 10**12))
    assert not refutes(found, found.lower)
    assert not refutes(found, F(1, 17))
    lying = replace(found, lower=F(1))
    assert not refutes(lying, F(1, 2))


def test_equalities_beyond_repair_are_not_claimed():
    contradiction = tuple(Condition(str(c), gram({(0, 0): 1}, -c), equality=True) for c in (1, 2))
    model = Model(("p",), (), (gram({(0, 0): 1}),), contradiction)
    assert rounded(model, np.array([[1.2]]), np.zeros(1), 20) is None


# --- JSON


def test_json_round_trip():
    for make in (descent, quadratic, operator):
        problem = make(1)
        found = worst_function(problem)
        again = WorstFunction.from_json(found.to_json())
        assert again == found
        assert again.check(problem)


@pytest.mark.parametrize("text", ["", "{}", "[1]", '{"model": 1}'])
def test_json_that_is_no_worst_function(text):
    with pytest.raises(ValueError, match="no worst function"):
        WorstFunction.from_json(text)


# --- interpolation


def largest_violation(f: Interpolant) -> float:
    """Of the inequality that characterises the class, over random pairs."""
    rng = np.random.default_rng(0)
    worst = -np.inf
    for a, b in rng.normal(size=(200, 2, f.x.shape[1])) * 2 * np.abs(f.x).max():
        (fa, ga), (fb, gb) = f(a), f(b)
        step, bend = a - b, ga - gb
        needed = f.mu / 2 * step @ step
        if np.isfinite(f.L):
            needed = (bend @ bend + f.mu * f.L * step @ step - 2 * f.mu * bend @ step) / (2 * (f.L - f.mu))
        worst = max(worst, needed - (fa - fb - gb @ step))
    return float(worst)


@pytest.mark.parametrize(
    ("problem", "gamma"),
    [
        (lambda: descent(5), 1.0),
        (lambda: descent(3, mu="1/10", gamma="3/2"), 1.5),
        (lambda: descent(3, gamma="19/10"), 1.9),
    ],
)
def test_the_method_run_on_the_interpolant_takes_the_same_way(problem, gamma):
    found = worst_function(problem())
    f = interpolant(found)
    data = found.evaluations(found.functions[0])
    for x, g, value in data:
        there, slope = f(euclidean(found, x))
        assert there == pytest.approx(float(value), abs=1e-9)
        assert slope == pytest.approx(euclidean(found, g), abs=1e-9)
    assert largest_violation(f) < 1e-9
    x = euclidean(found, data[1][0])
    for known, _, _ in data[2:]:
        x = x - gamma * f(x)[1]
        assert x == pytest.approx(euclidean(found, known), abs=1e-7)
    assert f(x)[0] - f(euclidean(found, data[0][0]))[0] == pytest.approx(float(found.lower), abs=1e-7)


def test_the_subgradient_method_on_its_interpolant():
    found = worst_function(subgradient(3, gamma="1/2"))
    f = interpolant(found)
    assert largest_violation(f) < 1e-9
    evaluated = [euclidean(found, x) for x, _, _ in found.evaluations(found.functions[0])]
    x, gaps = evaluated[1], []
    for known in evaluated[1:]:
        assert x == pytest.approx(known, abs=1e-7)
        value, g = f(x)
        assert np.linalg.norm(g) <= 1 + 1e-9
        gaps.append(value - f(evaluated[0])[0])
        x = x - 0.5 * g
    assert min(gaps) == pytest.approx(float(found.lower), abs=1e-7)


def test_fedavg_on_its_interpolants():
    found = two_clients()
    clients = [interpolant(found, i) for i in range(2)]
    xs, x0 = (euclidean(found, x) for x, _, _ in found.evaluations(found.functions[0])[:2])
    ends = []
    for client in clients:
        assert largest_violation(client) < 1e-8
        y = x0
        for _ in range(2):
            y = y - 0.5 * client(y)[1]
        ends.append(y)
    mean = sum(ends) / 2
    gap = sum(client(mean)[0] - client(xs)[0] for client in clients) / 2
    assert gap == pytest.approx(float(found.lower), abs=1e-7)


def test_the_interpolant_is_the_least_of_its_definition():
    cvxpy = pytest.importorskip("cvxpy")
    rng = np.random.default_rng(3)
    for d, size in ((1, 4), (2, 9), (3, 7)):
        # A smooth convex function sampled: its data are interpolable.
        x = rng.normal(size=(size, d))
        x[1] = x[0]
        f = Interpolant(x, np.tanh(x), np.log(np.cosh(x)).sum(axis=1), 0.0, 1.0)
        y = 2 * rng.normal(size=d)
        w = cvxpy.Variable(size, nonneg=True)
        costs, targets = f.f - (f.g**2).sum(axis=1) / 2, f.x - f.g
        least = cvxpy.Problem(
            cvxpy.Minimize(costs @ w + cvxpy.sum_squares(y - targets.T @ w) / 2), [cvxpy.sum(w) == 1]
        ).solve(solver="CLARABEL", tol_gap_abs=1e-9, tol_gap_rel=1e-9, tol_feas=1e-9)
        assert f(y)[0] == pytest.approx(least, abs=1e-7)


def test_classes_without_a_known_interpolant_are_refused():
    found = worst_function(quadratic(1))
    refusal = interpolant(found)
    assert isinstance(refusal, Refusal)
    assert "SmoothStronglyConvexQuadraticFunction" in refusal.reason
    with pytest.raises(ValueError, match="function is 1"):
        interpolant(found, 1)
    with pytest.raises(ValueError, match="0 functions"):
        interpolant(replace(found, functions=()))


# --- scripts


def run(text: str, path) -> subprocess.CompletedProcess[str]:
    path.write_text(text)
    # -I -S: the standard library alone
    return subprocess.run(
        [sys.executable, "-I", "-S", str(path)], capture_output=True, text=True, env=dict(os.environ), check=False
    )


def test_the_script_refutes_the_bound(tmp_path):
    found = huber()
    text = script(found, 'Gradient "descent"', bound=F(1, 19))
    answer = run(text, tmp_path / "worst.py")
    assert answer.returncode == 0, answer.stderr
    assert "30 interpolation inequalities hold" in answer.stdout
    assert "the metric is 1/18" in answer.stdout
    assert "this refutes the bound 1/19" in answer.stdout
    with pytest.raises(ValueError, match="bound is 1/18"):
        script(found, bound=F(1, 18))


def test_the_script_sees_planted_errors(tmp_path):
    text = script(huber(), bound=F(1, 19))
    planted = {
        "['1'],": "['1.000001'],",  # the start too far away
        "'1', None)": "'0.999', None)",  # a flatter class
        "BOUND = '1/19'": "BOUND = '1/18'",
        "WEIGHTS = ['1']": "WEIGHTS = ['-1']",
    }
    for old, new in planted.items():
        assert text.count(old) == 1, old
        answer = run(text.replace(old, new), tmp_path / "planted.py")
        assert answer.returncode == 1, old
        assert "not valid" in answer.stderr


def test_the_script_checks_matrices_and_unknown_classes(tmp_path):
    found = worst_function(quadratic(1))
    answer = run(script(found), tmp_path / "quadratic.py")
    assert answer.returncode == 0, answer.stderr
    conditions = len(found.model.conditions) + len(found.model.semidefinite)
    assert f"{conditions} conditions of the model hold" in answer.stdout
