from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from rateproof.algos.data import Table, expanded_diabetes
from rateproof.algos.problems.regression import Regression
from rateproof.theory.papers.strfedavg.schedules import S_EXP
from rateproof.verify.experiments.figures import png
from rateproof.verify.papers.strfedavg import experiment
from rateproof.verify.papers.strfedavg.experiment import Plan
from rateproof.verify.papers.strfedavg.figure import picture


@pytest.fixture(scope="module")
def table() -> Table:
    return expanded_diabetes(features=60, bandwidth=1.0)


def small(table: Table, **kw: object) -> Regression:
    """22 training rows, 60 features, clients of 5 or 6 rows."""
    return experiment.regression(table, **{"N": 4, "train": 0.05, "batch_size": None, **kw})


PLAN = Plan(R=40, Gamma=1e6, S=4, runs=1)


def gradient_descent(problem: Regression, step: float, eta: float, R: int) -> np.ndarray:
    """R steps on h + eta f from 0, from the data alone."""
    x = np.zeros(problem.n)
    for _ in range(R):
        gradient = sum(A.T @ (A @ x - v) for A, v in zip(problem.A, problem.v, strict=True)) / problem.N
        x = x - step * (gradient + eta * np.clip(x / problem.mu, -1, 1))
    return x


@pytest.mark.parametrize("N", [1, 4])
def test_one_local_step_of_all_clients_is_gradient_descent(table: Table, N: int) -> None:
    problem = small(table, N=N)
    plan = replace(PLAN, S=N)
    trace = experiment.trace(plan, problem, 1)
    gamma_l, eta = (plan.R + plan.Gamma) ** -0.5, (plan.R + plan.Gamma) ** -0.25
    x = gradient_descent(problem, gamma_l * math.sqrt(N), eta, plan.R)  # N = 1 gives gamma_g = 1
    assert trace.f[-1, 0] == pytest.approx(problem.f(x[None])[0], rel=1e-10)
    assert trace.h[-1, 0] == pytest.approx(problem.h(x[None])[0], rel=1e-10)


def test_parameters_are_those_of_the_schedule_object(table: Table) -> None:
    problem = small(table)
    method = experiment.method(PLAN, problem, 5)
    ruled = S_EXP.evaluate({"R": 40, "Gamma": 1e6, "N": 4, "K": 5})
    assert {k: getattr(method, k) for k in ("gamma_l", "gamma_g", "eta")} == {
        k: ruled[k] for k in ("gamma_l", "gamma_g", "eta")
    }
    assert experiment.effective_stepsize(PLAN, problem, 5) == pytest.approx(ruled["gamma_t"], rel=1e-15)
    equal = replace(PLAN, gamma_t=0.01)
    assert [experiment.effective_stepsize(equal, problem, K) for K in (1, 20)] == pytest.approx([0.01, 0.01], rel=1e-15)


def test_inner_loss_falls_to_nearly_its_optimum(table: Table) -> None:
    problem = small(table)
    trace = experiment.trace(replace(PLAN, R=400), problem, 5)
    assert problem.constants.h_star == 0
    assert trace.h[-1, 0] < 2e-3 * trace.h[0, 0]
    assert (np.diff(trace.h[:50, 0]) < 0).all()


def test_certified_value_is_a_lower_bound_on_the_minimisers_of_h(table: Table) -> None:
    problem = small(table)
    best = experiment.optimum(problem)
    assert best.gap < 1e-8 * best.value
    away = np.random.default_rng(0).standard_normal((200, problem.n)) * np.geomspace(1e-3, 1, 200)[:, None]
    points = problem.project(best.x + away)
    assert problem.h(points).max() < 1e-20
    assert (problem.f(points) >= best.value - best.gap).all()
    assert problem.f(points).min() < 1.01 * best.value  # some points are close, so the bound is put to the test
    least_norm = problem.project(np.zeros((1, problem.n)))
    assert problem.f(least_norm)[0] > 1.01 * best.value


def test_local_steps_matter_through_the_effective_stepsize(table: Table) -> None:
    problem = small(table)
    printed = experiment.traces(PLAN, problem, (1, 20))
    plan = replace(PLAN, gamma_t=experiment.effective_stepsize(PLAN, problem, 1))
    equal = experiment.traces(plan, problem, (1, 20))
    assert printed[20].h[-1, 0] < 0.5 * printed[1].h[-1, 0]
    # Drift is of the order of gamma_t L_h, here 0.2 at the start.
    np.testing.assert_allclose(equal[20].h, equal[1].h, rtol=0.1)
    assert np.abs(equal[20].f - equal[1].f).max() < 0.05 * equal[1].f.max()
    assert (equal[20].h != equal[1].h)[1:].all()


def test_change_starts_from_zero_and_is_absolute(table: Table) -> None:
    trace = experiment.trace(replace(PLAN, runs=2, S=2, R=5), small(table), 1)
    assert trace.change.shape == trace.f.shape == (6, 2)
    assert (trace.change[0] == 0).all()  # f = 0 at x_0 = 0 and at x_{-1} = 0
    np.testing.assert_allclose(trace.change[3], np.abs(trace.f[3] - trace.f[2]), rtol=0)
    assert np.isnan(trace.h_average[0]).all()
    np.testing.assert_allclose(trace.h_average[1], trace.h[0], rtol=1e-14)


def test_mini_batches_and_sampling_are_random_and_reproducible(table: Table) -> None:
    problem = small(table, batch_size=2)
    plan = replace(PLAN, R=5, S=2, runs=3)
    first, again = (experiment.trace(plan, problem, 5).h for _ in range(2))
    assert np.array_equal(first, again)
    assert len(set(first[-1])) == 3
    assert not np.array_equal(first[1:], experiment.trace(replace(plan, seed=1), problem, 5).h[1:])


def test_gradients_are_counted_per_run(table: Table) -> None:
    assert experiment.trace(replace(PLAN, R=7, S=3, runs=2), small(table), 5).gradients == 7 * 3 * 5


def test_step_conditions_in_numbers(table: Table) -> None:
    problem = small(table)
    c = problem.constants
    found = {v.condition.name: v for v in experiment.violations(PLAN, problem, 20)}
    assert len(found) == 3
    eta = (PLAN.R + PLAN.Gamma) ** -0.25
    L, B2 = c.L_h + eta * c.L_f, max(4 * c.L_h, 4 * eta * c.L_f)
    cap = 1 / (16 * 20 * 2 * L**2 * (1 + B2))  # gamma_g = sqrt(4)
    (first,) = (v for name, v in found.items() if "/(16 " in name)
    assert first.rhs == pytest.approx(cap, rel=1e-12)
    assert first.factor == pytest.approx((PLAN.R + PLAN.Gamma) ** -0.5 / cap, rel=1e-12)
    within = replace(PLAN, gamma_t=0.99 * cap * 40)
    (left,) = experiment.violations(within, problem, 20)
    assert left.condition.name.startswith("R >= ")


@pytest.mark.parametrize(
    ("change", "said"),
    [({"Gamma": 0.0}, "Gamma"), ({"S": 5}, "S is 5"), ({"R": 0}, "R is 0"), ({"gamma_t": -1.0}, "gamma_l")],
)
def test_bad_plans_are_refused(table: Table, change: dict[str, float], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        experiment.trace(replace(PLAN, **change), small(table), 1)


def test_picture_is_the_same_for_the_same_numbers(table: Table) -> None:
    pytest.importorskip("matplotlib")
    traces = experiment.traces(replace(PLAN, R=3), small(table), (1, 5))
    wild = replace(traces[1], h=np.full_like(traces[1].h, np.inf))
    drawn = [png(picture({"both": traces, "one diverges": {1: wild}}, f_star=1.0)) for _ in range(2)]
    assert drawn[0] == drawn[1]
    with pytest.raises(ValueError, match="rows"):
        picture({}, f_star=1.0)
