"""Certificates: known tight rates are proved, nothing below the truth is, and tampering shows."""

import json
import random
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any

import clarabel
import numpy as np
import pytest
import scs

from rateproof.verify.worstcase import (
    Certificate,
    Contraction,
    Model,
    Refusal,
    certify,
    conic,
    contraction,
    exact,
    read,
    search,
)
from rateproof.verify.worstcase.methods.descent import gradient_descent
from rateproof.verify.worstcase.model import Condition, Form

pep = pytest.importorskip("PEPit", reason="PEPit is an optional dependency")
from PEPit.functions import (  # noqa: E402
    ConvexFunction,
    ConvexIndicatorFunction,
    ConvexLipschitzFunction,
    SmoothConvexFunction,
    SmoothStronglyConvexFunction,
    SmoothStronglyConvexQuadraticFunction,
)
from PEPit.operators import LipschitzOperator, SymmetricLinearOperator  # noqa: E402
from PEPit.primitive_steps import linear_optimization_step, proximal_step  # noqa: E402

ONE, TENTH = exact(1), exact("1/10")


def descent(steps: int, mu: Any = TENTH, gamma: Any = ONE) -> Any:
    problem = pep.PEP()
    f = problem.declare_function(SmoothStronglyConvexFunction, mu=mu, L=ONE)
    minimiser = f.stationary_point()
    x = problem.set_initial_point()
    problem.set_initial_condition((x - minimiser) ** 2 <= 1)
    for _ in range(steps):
        x = x - gamma * f.gradient(x)
    problem.set_performance_metric(f(x) - f(minimiser))
    return problem


def descent_value(steps: int) -> Fraction:
    """Taylor, Hendrickx, Glineur 2018 for L = R = gamma = 1 and mu = 1/10."""
    mu = Fraction(1, 10)
    return mu / (mu - 1 + (1 - mu) ** (-2 * steps)) / 2


def quadratic() -> tuple[Any, Fraction]:
    problem = pep.PEP()
    f = problem.declare_function(SmoothStronglyConvexQuadraticFunction, mu=TENTH, L=ONE)
    minimiser = f.stationary_point()
    x = problem.set_initial_point()
    problem.set_initial_condition((x - minimiser) ** 2 <= 1)
    x = x - ONE * f.gradient(x)
    problem.set_performance_metric((x - minimiser) ** 2)
    return problem, Fraction(81, 100)


def linear() -> tuple[Any, Fraction]:
    problem = pep.PEP()
    operator = problem.declare_function(SymmetricLinearOperator, mu=TENTH, L=ONE)
    x = problem.set_initial_point()
    problem.set_initial_condition(x**2 <= 1)
    for _ in range(2):
        x = x - ONE * operator.gradient(x)
    problem.set_performance_metric(x**2)
    return problem, Fraction(9, 10) ** 4


def proximal() -> tuple[Any, Fraction]:
    problem = pep.PEP()
    f = problem.declare_function(ConvexFunction)
    minimiser = f.stationary_point()
    x = problem.set_initial_point()
    problem.set_initial_condition((x - minimiser) ** 2 <= 1)
    for _ in range(3):
        x, _, value = proximal_step(x, f, exact(2))
    problem.set_performance_metric(value - f(minimiser))
    return problem, Fraction(1, 24)


def subgradient() -> tuple[Any, Fraction]:
    """The best of four iterates, with a nonsmooth function: several metrics."""
    problem = pep.PEP()
    f = problem.declare_function(ConvexLipschitzFunction, M=ONE)
    minimiser = f.stationary_point()
    x = problem.set_initial_point()
    problem.set_initial_condition((x - minimiser) ** 2 <= 1)
    problem.set_performance_metric(f(x) - f(minimiser))
    for _ in range(3):
        x = x - exact("1/2") * f.gradient(x)
        problem.set_performance_metric(f(x) - f(minimiser))
    return problem, Fraction(1, 2)


def composite() -> tuple[Any, Fraction]:
    """Proximal gradient on two functions."""
    problem = pep.PEP()
    f = problem.declare_function(SmoothStronglyConvexFunction, mu=TENTH, L=ONE)
    h = problem.declare_function(ConvexFunction)
    minimiser = (f + h).stationary_point()
    x = problem.set_initial_point()
    problem.set_initial_condition((x - minimiser) ** 2 <= 1)
    for _ in range(2):
        x, _, _ = proximal_step(x - ONE * f.gradient(x), h, ONE)
    problem.set_performance_metric((x - minimiser) ** 2)
    return problem, Fraction(9, 10) ** 4


def averaged() -> tuple[Any, Fraction]:
    """Halpern's iteration: 1/(n + 1)^2 at n = 3, a metric with an operator and no values."""
    problem = pep.PEP()
    operator = problem.declare_function(LipschitzOperator, L=ONE)
    fixed, _, _ = operator.fixed_point()
    start = x = problem.set_initial_point()
    problem.set_initial_condition((start - fixed) ** 2 <= 1)
    for i in range(3):
        x = exact(1, i + 2) * start + exact(i + 1, i + 2) * operator.gradient(x)
    problem.set_performance_metric((exact("1/2") * (x - operator.gradient(x))) ** 2)
    return problem, Fraction(1, 16)


KNOWN = [quadratic, linear, proximal, subgradient, composite, averaged]


@pytest.mark.parametrize("solver", ["CLARABEL", "SCS"])
@pytest.mark.parametrize("build", KNOWN)
def test_tight_rates_are_proved_and_no_more(build: Callable[[], tuple[Any, Fraction]], solver: str) -> None:
    problem, value = build()
    model = read(problem)
    found = certify(model, solver=solver)
    assert isinstance(found, Certificate), found
    assert found.check(model)
    assert value <= found.upper <= value * (1 + Fraction(1, 10**4 if solver == "SCS" else 10**5))


@pytest.mark.parametrize("alpha", [1.5, 1.7])
@pytest.mark.parametrize("accuracy", [0.1, 1, 10])
def test_the_path_of_a_solver_does_not_matter(monkeypatch, alpha: float, accuracy: float) -> None:
    """The dual has no interior; what SCS takes for one is of the size of its error and differs with its settings."""
    set_up = scs.SCS.__init__

    def otherwise(self, *args, **settings):
        accuracies = {name: accuracy * settings[name] for name in ("eps_abs", "eps_rel")}
        set_up(self, *args, **(settings | accuracies | {"alpha": alpha}))

    monkeypatch.setattr(scs.SCS, "__init__", otherwise)
    problem, value = composite()
    found = certify(problem, solver="SCS")
    assert isinstance(found, Certificate) and value <= found.upper <= value * (1 + Fraction(1, 10**4))


def test_defaults_of_a_solver_do_not_matter(monkeypatch) -> None:
    """Another version may ask for less; the slack that is accepted stays."""
    default = clarabel.DefaultSettings

    def loose():
        settings = default()
        settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = 1e-5
        return settings

    monkeypatch.setattr(clarabel, "DefaultSettings", loose)
    value = Fraction(1, 62)
    found = certify(gradient_descent(n=15).problem)
    assert isinstance(found, Certificate) and value <= found.upper <= value * (1 + Fraction(1, 10**6))


@pytest.mark.parametrize("steps", [1, 5, 10])
def test_gradient_descent_is_within_a_millionth(steps: int) -> None:
    value = descent_value(steps)
    found = certify(descent(steps), claimed=value)
    assert isinstance(found, Certificate) and found.check()
    assert value <= found.upper <= value * (1 + Fraction(1, 10**6))
    assert found.slack is not None and 0 <= found.slack <= 1e-6


def test_a_chain_of_conditions_suffices_and_a_predicate_restricts() -> None:
    model = read(descent(8))
    value = descent_value(8)
    chain = certify(model, keep="chain")
    assert isinstance(chain, Certificate) and chain.upper <= value * (1 + Fraction(1, 10**5))
    assert all(c.near for c in chain.model.conditions)
    none = certify(model, keep=lambda condition: condition.name == "Initial condition")
    assert isinstance(none, Refusal) and "unbounded" in none.reason
    with pytest.raises(ValueError, match="keep"):
        certify(model, keep="some")


def test_constants_in_forms_move_the_bound() -> None:
    model = read(descent(2))
    shifted = replace(model, metrics=tuple(replace(f, constant=Fraction(7)) for f in model.metrics))
    found = certify(shifted)
    assert isinstance(found, Certificate) and found.check(shifted)
    assert 0 <= found.upper - descent_value(2) - 7 <= Fraction(1, 10**4)


def frank_wolfe(first: Any) -> Any:
    """Two steps of Frank-Wolfe, the first of length ``first``."""
    problem = pep.PEP()
    f = problem.declare_function(SmoothConvexFunction, L=ONE)
    h = problem.declare_function(ConvexIndicatorFunction, D=ONE)
    minimiser = (f + h).stationary_point()
    x = problem.set_initial_point()
    h(x)
    for length in (first, exact("2/3")):
        step, _, _ = linear_optimization_step(f.gradient(x), h)
        x = (1 - length) * x + length * step
    problem.set_performance_metric((f + h)(x) - (f + h)(minimiser))
    return problem


def test_a_tilt_of_both_functions_confines_the_dual_to_a_face() -> None:
    """A linear function of any size may move from f to h and changes nothing, so that S has a kernel."""
    problem = frank_wolfe(ONE)
    found = certify(problem)
    assert isinstance(found, Certificate) and found.check()
    assert float(found.upper) == pytest.approx(problem.solve(verbose=0), rel=1e-3)


def test_a_short_first_step_of_frank_wolfe_has_no_bound() -> None:
    """What the solver says of it depends on the machine: no bound, or a value that no multipliers prove."""
    assert isinstance(certify(frank_wolfe(exact("1/2"))), Refusal)


@pytest.fixture(scope="module")
def proved() -> Certificate:
    found = certify(descent(3), claimed=descent_value(3))
    assert isinstance(found, Certificate)
    return found


def test_a_certificate_survives_being_written(proved: Certificate) -> None:
    again = Certificate.from_json(proved.to_json())
    assert again == proved and again.check()
    problem, _ = quadratic()
    matrices = certify(problem)
    assert isinstance(matrices, Certificate) and matrices.matrices
    assert Certificate.from_json(matrices.to_json()) == matrices
    for text in ("{}", "[]", "no", json.dumps({**json.loads(proved.to_json()), "upper": "1/0"})):
        with pytest.raises(ValueError, match="not a certificate"):
            Certificate.from_json(text)


def test_its_squares_add_up_to_the_gap(proved: Certificate) -> None:
    gap, parts = proved.gap(), proved.squares()
    size = len(gap)
    assert all(pivot > 0 for pivot, _ in parts)
    assert gap == tuple(
        tuple(sum((d * r[i] * r[j] for d, r in parts), Fraction(0)) for j in range(size)) for i in range(size)
    )


def test_tampering_is_found(proved: Certificate) -> None:
    tiny = Fraction(1, 10**9)
    assert not replace(proved, upper=proved.upper - tiny).check()
    assert not replace(proved, upper=proved.upper + tiny).check()
    for i, x in enumerate(proved.multipliers):
        for y in (x + tiny, x - tiny, -x, 0):
            changed = (*proved.multipliers[:i], Fraction(y), *proved.multipliers[i + 1 :])
            assert not replace(proved, multipliers=changed).check()
    assert not replace(proved, weights=(1 + tiny,)).check()
    assert not replace(proved, weights=()).check()
    metric = proved.model.metrics[0]
    larger = Form(metric.gram, {k: c * (1 + tiny) for k, c in metric.values.items()}, metric.constant)
    assert not replace(proved, model=replace(proved.model, metrics=(larger,))).check()


def test_a_matrix_multiplier_must_be_semidefinite() -> None:
    problem, _ = linear()
    found = certify(problem)
    assert isinstance(found, Certificate)
    matrix = found.matrices[0]
    for changed in (tuple(tuple(-x for x in row) for row in matrix), matrix[:-1], (matrix[0][::-1], *matrix[1:])):
        assert not replace(found, matrices=(changed, *found.matrices[1:])).check()


def test_a_proof_is_of_its_own_problem(proved: Certificate) -> None:
    assert proved.check(descent(3))
    assert not proved.check(descent(3, gamma=exact("1/2")))
    assert not proved.check(descent(3, mu=exact("1/20")))
    assert not proved.check(descent(4))


def test_no_bound_below_the_truth_is_proved() -> None:
    """The best multipliers, pushed: less weight on the start, or the value subtracted from the metric."""
    value = descent_value(3)
    found = certify(descent(3), claimed=value)
    assert isinstance(found, Certificate)
    start = next(i for i, c in enumerate(found.model.conditions) if c.form.constant)
    for less in (Fraction(1, 10**5), Fraction(1, 10**3), Fraction(1, 10)):
        changed = list(found.multipliers)
        changed[start] *= 1 - less
        assert not replace(found, multipliers=tuple(changed), upper=found.upper * (1 - less)).check()
    model = read(descent(3))
    below = replace(model, metrics=tuple(replace(f, constant=-value) for f in model.metrics))
    proof = certify(below)
    assert not isinstance(proof, Certificate) or proof.upper >= 0


@pytest.mark.parametrize("seed", range(4))
def test_a_wrong_answer_of_the_solver_proves_nothing_wrong(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Random multipliers instead of the solver's: refused, or proved at a larger value."""
    rng = np.random.default_rng(seed)
    honest = conic._clarabel

    def noisy(costs: Any, *rest: Any) -> Any:
        solution = honest(costs, *rest)
        noise = rng.normal(size=len(costs)) * 10.0 ** -(seed + 1)
        return replace(solution, point=solution.point * (1 + noise), prices=0 * solution.prices)

    monkeypatch.setattr(conic, "_clarabel", noisy)
    found = certify(descent(3))
    if isinstance(found, Certificate):
        assert found.check() and found.upper >= descent_value(3)
    else:
        assert found.reason


def test_random_multipliers_are_no_proof() -> None:
    model = read(descent(2))
    rng = random.Random(1)
    for _ in range(50):
        multipliers = tuple(Fraction(rng.randrange(1, 100), 50) for _ in model.conditions)
        upper = multipliers[0]
        assert not Certificate(upper, model, (Fraction(1),), multipliers).check()


def test_refusals_say_why() -> None:
    problem = pep.PEP()
    f = problem.declare_function(SmoothConvexFunction, L=ONE)
    x = problem.set_initial_point()
    problem.set_performance_metric(f(x) - f(f.stationary_point()))
    free = certify(problem)
    assert isinstance(free, Refusal) and not free and "unbounded" in free.reason

    rough = pep.PEP()
    g = rough.declare_function(ConvexFunction)
    minimiser = g.stationary_point()
    x = rough.set_initial_point()
    rough.set_initial_condition((x - minimiser) ** 2 <= 1)
    rough.set_performance_metric(g(x) - g(minimiser))
    nonsmooth = certify(rough)
    assert isinstance(nonsmooth, Refusal) and "unbounded" in nonsmooth.reason

    model = read(descent(1))
    worse = Form({}, {k: -c for k, c in model.metrics[0].values.items()}, Fraction(1))
    empty = certify(replace(model, conditions=(*model.conditions, Condition("metric at least one", worse))))
    assert isinstance(empty, Refusal) and "no instance" in empty.reason


def test_bad_options_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    model = read(descent(1))
    with pytest.raises(ValueError, match="MOSEK"):
        certify(model, solver="MOSEK")
    with pytest.raises(ValueError, match="positive"):
        certify(model, claimed=0)
    with pytest.raises(ValueError, match="slack"):
        certify(model, slack=0)
    monkeypatch.setattr(conic, "find_spec", lambda name: None)
    with pytest.raises(ValueError, match="pip install scs"):
        certify(model, solver="SCS")


def one_step(gamma: Any = ONE) -> tuple[Any, Any, Any, Any, Any]:
    problem = pep.PEP()
    f = problem.declare_function(SmoothStronglyConvexFunction, mu=TENTH, L=ONE)
    minimiser = f.stationary_point()
    x = problem.set_initial_point()
    return problem, f, minimiser, x, x - gamma * f.gradient(x)


def test_one_step_proves_a_rate_for_every_number_of_steps() -> None:
    problem, f, minimiser, start, end = one_step()
    for functional in (lambda x: (x - minimiser) ** 2, lambda x: f(x) - f(minimiser)):
        found = contraction(problem, functional, start, end, claimed=Fraction(81, 100))
        assert isinstance(found, Contraction) and found.check()
        assert Fraction(81, 100) <= found.factor <= Fraction(81, 100) * (1 + Fraction(2, 10**6))
        assert found.bound(10) == found.factor**10 and "every n" in found.statement
        assert not replace(found, factor=Fraction(8, 10)).check()
        assert not problem.list_of_performance_metrics and not problem.list_of_constraints
    with pytest.raises(ValueError, match="steps"):
        found.bound(-1)


def test_a_lyapunov_function_of_two_iterates_contracts() -> None:
    problem = pep.PEP()
    f = problem.declare_function(SmoothStronglyConvexQuadraticFunction, mu=TENTH, L=ONE)
    minimiser = f.stationary_point()
    old, new = problem.set_initial_point(), problem.set_initial_point()
    newest = new - exact("1/2") * f.gradient(new)
    found = contraction(
        problem,
        lambda pair: (pair[0] - minimiser) ** 2 + exact("1/2") * (pair[0] - pair[1]) ** 2,
        (new, old),
        (newest, new),
    )
    value = Fraction(95, 100) ** 2 + Fraction(5, 100) ** 2 / 2  # at the eigenvalue mu, with both iterates equal
    assert isinstance(found, Contraction) and found.check()
    assert value <= found.factor <= value * (1 + Fraction(1, 10**5))


def test_what_does_not_carry_over_is_refused() -> None:
    problem, _, minimiser, start, end = one_step()
    shifted = contraction(problem, lambda x: (x - minimiser) ** 2 + 1, start, end)
    assert isinstance(shifted, Refusal) and "constant" in shifted.reason
    problem.set_initial_condition((start - minimiser) ** 2 <= 1)
    confined = contraction(problem, lambda x: (x - minimiser) ** 2, start, end)
    assert isinstance(confined, Refusal) and "constant" in confined.reason
    problem.set_performance_metric((end - minimiser) ** 2)
    with pytest.raises(ValueError, match="metric"):
        contraction(problem, lambda x: (x - minimiser) ** 2, start, end)


def test_the_search_refuses_when_nothing_passes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search, "rationals", lambda *_: None)
    found = certify(descent(1))
    assert isinstance(found, Refusal) and found.reason
    assert isinstance(read(descent(1)), Model)
