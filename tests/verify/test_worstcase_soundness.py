"""What a proof or an instance of unknown origin may contain: each of these was or could be taken for a proof."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from importlib import import_module
from itertools import combinations
from random import Random
from typing import Any

import numpy as np
import pytest

pep = pytest.importorskip("PEPit")

from PEPit.functions import ConvexFunction, SmoothStronglyConvexFunction  # noqa: E402
from PEPit.operators import (  # noqa: E402
    LipschitzStronglyMonotoneOperatorCheap,
    LipschitzStronglyMonotoneOperatorExpensive,
)

from rateproof.verify.worstcase import Certificate, Contraction, WorstFunction, certify, contraction, exact, read  # noqa: E402
from rateproof.verify.worstcase.exact import written  # noqa: E402
from rateproof.verify.worstcase.methods.base import Case  # noqa: E402
from rateproof.verify.worstcase.methods.study import study  # noqa: E402
from rateproof.verify.worstcase.model import Condition, Form, Model, Semidefinite, _Reader, malformed, prepared  # noqa: E402
from rateproof.verify.worstcase.replay import script  # noqa: E402
from rateproof.verify.worstcase.semidefinite import semidefinite  # noqa: E402

F = Fraction
ONE, ZERO = F(1), F(0)
SQUARE = Form({(0, 0): ONE})
NOTHING = Form()


def unbounded(metric: Form, **parts: Any) -> Certificate:
    """A certificate that a metric of two points and one value is at most zero, which may well be false."""
    model = Model(("p", "q"), ("v",), (metric,), parts.get("conditions", ()), parts.get("semidefinite", ()))
    return Certificate(ZERO, model, (ONE,), parts.get("multipliers", ()), parts.get("matrices", ()))


@pytest.mark.parametrize("key", [(1, 0), (0, 2), (-1, -1), (-2, -1), (0, 0.5), ("0", "1"), (0, None)])
def test_products_that_the_gap_would_not_see(key: Any) -> None:
    certificate = unbounded(Form({key: ONE}))
    assert not certificate.check()
    assert not certificate.check(certificate.model)
    assert "does not have" in next(certificate.problems())


@pytest.mark.parametrize("key", [1, -1, "0", 0.5, None])
def test_values_that_do_not_exist(key: Any) -> None:
    values = Condition("cancels", Form({}, {key: ONE}))
    assert not unbounded(Form({}, {key: ONE}), conditions=(values,), multipliers=(ONE,)).check()


@pytest.mark.parametrize("number", [1.0, float("nan"), float("inf"), np.int64(1), "1", None])
def test_numbers_that_round_or_overflow(number: Any) -> None:
    sound = unbounded(Form({(0, 0): -ONE}))
    assert sound.check()
    assert not replace(sound, upper=number).check()
    assert not replace(sound, weights=(number,)).check()
    assert not unbounded(Form({(0, 0): number})).check()
    assert not unbounded(Form({}, {}, number)).check()


def test_no_metric_and_no_truth_value() -> None:
    assert not replace(unbounded(NOTHING), model=Model((), (), (), ()), weights=()).check()
    # As an equality the condition may have a negative multiplier; "no" is not False.
    condition = Condition("p^2 >= 0", Form({(0, 0): -ONE}), equality="no")  # type: ignore[arg-type]
    assert not unbounded(Form({(0, 0): ONE}), conditions=(condition,), multipliers=(-ONE,)).check()


@pytest.mark.parametrize(
    "rows", [((SQUARE, NOTHING),), ((SQUARE,), (SQUARE,)), ((NOTHING, SQUARE), (NOTHING, NOTHING))]
)
def test_matrix_conditions_that_are_no_symmetric_matrices(rows: Any) -> None:
    matrix = Semidefinite("matrix", rows)
    certificate = unbounded(NOTHING, semidefinite=(matrix,), matrices=(((ONE, ZERO), (ZERO, ONE)),))
    assert "matrix is not a symmetric matrix" in list(certificate.problems())


def test_a_matrix_multiplier_that_is_hardly_indefinite() -> None:
    # <Z, M> with M = [[v, 0], [0, p^2]] and Z = diag(0, -e): "e p^2 <= 0".
    matrix = Semidefinite("matrix", ((Form({}, {0: ONE}), NOTHING), (NOTHING, SQUARE)))
    tiny = F(1, 10**300)
    for e, sound in ((ZERO, True), (tiny, False)):
        metric = Form({(0, 0): e})
        found = unbounded(metric, semidefinite=(matrix,), matrices=(((ZERO, ZERO), (ZERO, -e)),))
        assert found.check() is sound


def test_definiteness_agrees_with_principal_minors() -> None:
    random = Random(1)
    assert semidefinite([])
    for size in [1, 2, 3, 4] * 60:
        signs = [random.choice([1, 1, 1, F(-1, 10**12)]) for _ in range(random.randint(0, size))]
        rows = [[random.randint(-2, 2) for _ in range(size)] for _ in signs]
        matrix = [
            [sum((s * r[i] * r[j] for s, r in zip(signs, rows, strict=True)), ZERO) for j in range(size)]
            for i in range(size)
        ]
        minors = [
            determinant([[matrix[i][j] for j in chosen] for i in chosen])
            for k in range(1, size + 1)
            for chosen in combinations(range(size), k)
        ]
        assert semidefinite(matrix) == all(minor >= 0 for minor in minors)


def determinant(rows: list[list[F]]) -> F:
    if not rows:
        return ONE
    first, *rest = rows
    minors = (determinant([row[:k] + row[k + 1 :] for row in rest]) for k in range(len(rows)))
    return sum(((-1) ** k * x * minor for k, (x, minor) in enumerate(zip(first, minors, strict=True))), ZERO)


@pytest.mark.parametrize(
    "text", ["NaN", "Infinity", "true", "0.5", "1", '"1/0"', '"1e999999999"', '"0x10"', '"nan"', "[]"]
)
def test_numbers_in_a_file_are_fractions(text: str) -> None:
    sound = unbounded(Form({(0, 0): -ONE}))
    stored = sound.to_json()
    assert Certificate.from_json(stored) == sound
    tampered = stored.replace('"upper": "0"', f'"upper": {text}')
    assert tampered != stored
    with pytest.raises(ValueError, match="not a certificate"):
        Certificate.from_json(tampered)
    worst = WorstFunction(sound.model, ((ZERO,), (ZERO,)), (ONE,), (ZERO,), ZERO)
    assert WorstFunction.from_json(worst.to_json()).check()
    with pytest.raises(ValueError, match="no worst function"):
        WorstFunction.from_json(worst.to_json().replace('"lower": "0"', f'"lower": {text}'))


def test_a_name_in_a_file_is_text_and_proves_nothing() -> None:
    sound = unbounded(SQUARE, conditions=(Condition("c", SQUARE),), multipliers=(ONE,))
    with pytest.raises(ValueError, match="is no name"):
        Certificate.from_json(sound.to_json().replace('"c"', "{}"))
    other = replace(sound.model, conditions=(Condition("c", NOTHING),))
    assert sound.check(sound.model) and not sound.check(other)
    # PEPit gives some conditions another number when they are prepared again
    assert Certificate.from_json(sound.to_json().replace('"c"', '"d"')).check(sound.model)


def test_what_is_written_is_read_again() -> None:
    for x in (F(-7, 3), ZERO, F(10**50, 7)):
        assert written(str(x)) == x


# --- exact numbers


def test_no_exact_number_is_unequal_and_equal() -> None:
    nearly = exact(1) + exact(1, 10**30)
    assert nearly != 1 and not nearly == 1  # noqa: SIM201
    assert not exact("1/3") != F(1, 3)  # noqa: SIM202
    assert F(1, 3) == exact("1/3") and F(exact("1/3")) == F(1, 3)


def test_a_number_below_all_floats_stays_in_the_model() -> None:
    tiny = exact(1, 10**400)
    assert tiny and tiny != 0
    problem = pep.PEP()
    x = problem.set_initial_point()
    problem.set_performance_metric(tiny * x**2)
    assert read(problem).metrics[0].gram == {(0, 0): F(1, 10**400)}


def test_a_fraction_of_numpy_integers_does_not_overflow() -> None:
    assert (exact(F(np.int64(2) ** 62)) * 4).fraction == 2**64


def test_a_number_above_all_floats_is_refused() -> None:
    for number in ("1e400", 10**400):
        with pytest.raises(ValueError, match="too large"):
            exact(number)


# --- reading PEPit


def step(name: str | None = None) -> Any:
    """Gradient descent, one step."""
    problem = pep.PEP()
    f = problem.declare_function(SmoothStronglyConvexFunction, mu=exact("1/10"), L=exact(1), name=name)
    minimiser = f.stationary_point()
    x = problem.set_initial_point(name="x\nprint('not a comment')" if name else None)
    problem.set_initial_condition((x - minimiser) ** 2 <= 1)
    problem.set_performance_metric((x - f.gradient(x) - minimiser) ** 2)
    return problem


def test_an_old_problem_without_functions_is_not_mixed_with_a_new_one() -> None:
    old = pep.PEP()
    x = old.set_initial_point()
    old.set_performance_metric(x**2)
    step()
    with pytest.raises(ValueError, match="older than another PEP"):
        read(old)


def test_points_of_two_problems_are_not_taken_for_one_another() -> None:
    pep.PEP()
    foreign = pep.Point()
    problem = pep.PEP()
    x = problem.set_initial_point()
    problem.set_initial_condition(x**2 <= 1)
    problem.set_performance_metric(foreign**2)
    with pytest.raises(ValueError, match="PEP"):
        read(problem)
    problem.list_of_performance_metrics[:] = [x**2]
    problem.add_constraint(foreign**2 <= 1)
    with pytest.raises(ValueError, match="two PEPs"):
        read(problem)


def test_what_was_added_after_a_solve_is_read() -> None:
    problem = step()
    problem.solve(verbose=0)
    before, objective = read(problem), problem.objective
    (f,) = problem.list_of_functions
    y = problem.set_initial_point()
    f.gradient(y)
    problem.add_constraint(y**2 <= 1, name="late")
    after = read(problem)
    assert len(after.conditions) == len(before.conditions) + 1 + 4  # with the two evaluations before, both ways
    assert problem.objective is objective
    step()
    with pytest.raises(ValueError, match="changed after it was solved"):
        read(problem)


def test_a_solved_problem_is_that_of_its_certificate() -> None:
    """Also for a class with auxiliary values and matrix conditions, which PEPit makes anew."""
    problem = pep.PEP()
    operator = problem.declare_function(LipschitzStronglyMonotoneOperatorExpensive, mu=exact("1/2"), L=exact(1))
    x, y = problem.set_initial_point(), problem.set_initial_point()
    problem.set_initial_condition((x - y) ** 2 <= 1)
    problem.set_performance_metric((operator.gradient(x) - operator.gradient(y)) ** 2)
    model = read(problem)
    problem._prepare_constraints(verbose=0)  # what solve does first
    assert model != read(problem)  # by the names of values
    matrices = tuple(((ZERO,) * len(m.entries),) * len(m.entries) for m in model.semidefinite)
    nothing = Certificate(ONE, model, (ONE,), (ZERO,) * len(model.conditions), matrices)
    assert not any("of the problem" in fault for fault in nothing.problems(problem))


@pytest.mark.parametrize(
    ("place", "arguments"),
    [
        ("unconstrained_convex_minimization.gradient_descent_quadratics", {"mu": 0.3, "L": 3, "gamma": 0.4, "n": 2}),
        ("unconstrained_convex_minimization.conjugate_gradient", {"L": 1, "n": 2}),
        ("composite_convex_minimization.no_lips_in_function_value", {"L": 1, "gamma": 0.5, "n": 2}),
        (
            "stochastic_and_randomized_convex_minimization.randomized_coordinate_descent_smooth_convex",
            {"L": 1, "gamma": 0.5, "d": 2, "t": 2},
        ),
        (
            "monotone_inclusions_variational_inequalities.douglas_rachford_splitting",
            {"L": 1, "mu": 0.1, "alpha": 1.3, "theta": 0.9},
        ),
        ("online_learning.online_gradient_descent", {"M": 1, "D": 0.5, "n": 2}),
    ],
)
def test_a_model_is_what_PEPit_sends_to_its_solver(
    place: str, arguments: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every condition at a random Gram matrix and random values, by cvxpy's expressions and by the model."""
    compared = []
    monkeypatch.setattr(pep.PEP, "solve", lambda problem, **_: compared.append(compare(problem)) or float("nan"))
    module = import_module(f"PEPit.examples.{place}")
    next(f for name, f in vars(module).items() if name.startswith("wc_"))(**arguments, verbose=-1)
    assert compared and compared[0] > 0


def compare(problem: Any) -> int:
    """Asserts that model and cvxpy agree; returns the number of forms."""
    from PEPit.wrappers.cvxpy_wrapper import CvxpyWrapper

    model = read(problem)
    wrapper = CvxpyWrapper()
    with prepared(problem):
        wrapper.set_main_variables()
        random = np.random.default_rng(0)
        points = random.normal(size=(wrapper.G.shape[0],) * 2)
        wrapper.G.value, wrapper.F.value = points @ points.T, random.normal(size=wrapper.F.shape[0])
        sent = [c.expression for c in problem._list_of_prepared_constraints]
        sent += [m[i, j] for m in problem._list_of_prepared_psd for i, j in np.ndindex(m.shape) if i <= j]
        theirs = [float(np.asarray(wrapper._expression_to_solver(e).value).item()) for e in sent]
        reader = _Reader(problem)
        for expression in sent:
            reader.form(expression)
        place = problem.objective.counter
        objective = wrapper.F.value[place]
    points_at, values_at = sorted(reader.points), sorted(reader.values.keys() - {place})

    def value(form: Form) -> float:
        total = float(form.constant)
        total += sum(float(c) * wrapper.G.value[points_at[i], points_at[j]] for (i, j), c in form.gram.items())
        return total + sum(float(c) * wrapper.F.value[values_at[k]] for k, c in form.values.items())

    mine = [objective - value(form) for form in model.metrics]
    mine += [value(c.form) for c in model.conditions]
    mine += [value(form) for m in model.semidefinite for row in m.entries for form in row]
    # What PEPit sends and the model lacks is 0 <= 0 or 0 == 0; the model may state the symmetry of a matrix.
    symmetric = [value(c.form) for c in model.conditions if "symmetric" in c.name]
    for x in theirs:
        assert abs(x) < 1e-9 or min(abs(x - y) for y in mine) < 1e-9 * (1 + abs(x))
    for y in mine:
        assert y in symmetric or min(abs(x - y) for x in theirs) < 1e-9 * (1 + abs(y))
    return len(mine)


# --- contractions, instances, scripts


def one_step(**more: Any) -> Any:
    """One step of gradient descent as a contraction takes it."""
    problem = pep.PEP()
    f = problem.declare_function(SmoothStronglyConvexFunction, mu=exact("1/10"), L=exact(1))
    minimiser = f.stationary_point()
    x = problem.set_initial_point()
    return problem, (lambda z: (z - minimiser) ** 2), x, x - f.gradient(x)


def changed(found: Contraction, **parts: Any) -> Contraction:
    return replace(found, certificate=replace(found.certificate, model=replace(found.certificate.model, **parts)))


def test_what_carries_an_induction() -> None:
    found = contraction(*one_step())
    assert found and found.check()
    assert not replace(found, factor=found.factor + 1).check()  # false where V is negative
    model = found.certificate.model
    start = next(c for c in model.conditions if c.name == "V(start) <= 1")
    equal = tuple(replace(c, equality=c is start) for c in model.conditions)
    assert not changed(found, conditions=equal).check()
    twice = changed(found, conditions=(*model.conditions, start))
    twice = replace(twice, certificate=replace(twice.certificate, multipliers=(*found.certificate.multipliers, ZERO)))
    assert twice.certificate.check() and not twice.check()
    both = changed(found, metrics=(*model.metrics, NOTHING))
    both = replace(both, certificate=replace(both.certificate, weights=(ONE, ZERO)))
    assert both.certificate.check() and not both.check()  # the least of two metrics is not V


def test_a_condition_of_the_users_own_stays_when_it_has_the_name_of_the_start() -> None:
    problem, functional, x, y = one_step()
    problem.add_constraint(functional(y) <= functional(x), name="V(start) <= 1")
    assert not contraction(problem, functional, x, y)
    assert len(problem.list_of_constraints) == 1


def test_a_gap_is_no_contraction_of_a_distance() -> None:
    from rateproof.verify.worstcase.methods import find

    for metric, contracts in (("gap", False), ("distance", True)):
        found = study(lambda m=metric: find("gradient-descent").case({"n": 1, "mu": "1/10"}, m), worst=False)
        assert (found.contraction is not None) is contracts


def test_a_class_with_necessary_conditions_is_seen_however_it_is_made() -> None:
    def build() -> Case:
        problem = pep.PEP()
        operator = LipschitzStronglyMonotoneOperatorCheap(mu=exact("1/2"), L=exact(1))
        x, y = problem.set_initial_point(), problem.set_initial_point()
        problem.set_initial_condition((x - y) ** 2 <= 1)
        problem.set_performance_metric((operator.gradient(x) - operator.gradient(y)) ** 2)
        return Case(problem, "own", "", "", {})

    found = study(build)
    assert found.relaxed == ("LipschitzStronglyMonotoneOperatorCheap",)
    assert found.verdict(F(1, 2)) == "undecided"


def test_malformed_models_are_no_models_of_instances() -> None:
    def instance(model: Model) -> WorstFunction:
        return WorstFunction(model, ((ONE,),), (ONE,), (), ONE)

    sound = Model(("p",), (), (SQUARE,), ())
    assert instance(sound).check()
    crooked: list[Callable[[], Model]] = [
        lambda: replace(sound, metrics=()),
        lambda: replace(sound, metrics=(Form({(-1, -1): ONE}),)),
        lambda: replace(sound, semidefinite=(Semidefinite("m", ((SQUARE, SQUARE),)),)),
        lambda: replace(sound, conditions=(Condition("c", NOTHING, equality=0),)),  # type: ignore[arg-type]
    ]
    for build in crooked:
        assert any(malformed(build())) and not instance(build()).check()
    assert not replace(instance(sound), lower=1.0).check()  # type: ignore[arg-type]


def test_a_script_checks_conditions_whatever_they_are_called() -> None:
    from rateproof.verify.worstcase import worst_function

    problem = step("f")
    late = problem.declare_function(ConvexFunction, name="h")
    x = next(iter(problem.list_of_functions[0].list_of_points))[0]
    problem.add_constraint(late.gradient(x) ** 2 <= 1, name="IC_f_of_mine")
    found = worst_function(problem)
    assert found
    text = script(found)
    assert "IC_f_of_mine" in text
    assert all(line.lstrip() != "print('not a comment')" for line in text.splitlines())
    compile(text, "worst.py", "exec")


def test_a_stored_certificate_of_another_sign_fails(tmp_path: Any) -> None:
    problem = step()
    data = json.loads(certify(problem).to_json())
    for k, multiplier in enumerate(data["multipliers"]):
        crooked = {**data, "multipliers": [*data["multipliers"]]}
        crooked["multipliers"][k] = f"-{multiplier}"
        assert not Certificate.from_json(json.dumps(crooked)).check()
