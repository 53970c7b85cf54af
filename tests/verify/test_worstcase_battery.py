"""Certificates against known tight rates: no false bound, every refusal explained, no lie of a solver believed."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from random import Random
from types import SimpleNamespace

import pytest

pytest.importorskip("PEPit", reason="the battery is built from PEPit's examples: pip install 'rateproof[worstcase]'")

import clarabel
import numpy as np
import PEPit
import scs

from rateproof.verify.worstcase import Certificate, Refusal, battery, certify, exact
from rateproof.verify.worstcase.battery import Case, Row

TIGHT = {"theorem", "conjecture", "numerical"}
#: Cases of different kinds, small enough to be certified many times.
FEW = (
    "gradient_descent(L=2, gamma=1/4, n=3)",
    "subgradient_method(M=2, n=3, gamma=1/4)",
    "gradient_descent_quadratics(mu=3/10, L=3, gamma=1/3, n=2)",
    "proximal_gradient(L=1, mu=1/10, gamma=19/10, n=1)",
    "proximal_point(alpha=2, n=4)",
    "gradient_descent(L=1, gamma=1, n=3)",
    "gradient_flow_strongly_convex(mu=1/10)",
)


def case(name: str) -> Case:
    (found,) = (c for c in battery.cases() if c.name == name)
    return found


@pytest.fixture(scope="module")
def tried(one_in) -> list[battery.Case]:
    return one_in(5, battery.cases())


@pytest.fixture(scope="module")
def rows(tried: list[battery.Case]) -> tuple[Row, ...]:
    return battery.run(battery=tried, witnesses=True)


@pytest.fixture(scope="module")
def certificates() -> dict[str, Certificate]:
    found = {name: certify(battery.model(case(name))[0]) for name in FEW}
    assert all(isinstance(c, Certificate) for c in found.values())
    return found


# --- What is known


def test_the_rates_are_many_different_and_sourced():
    cases = battery.cases()
    assert len(cases) >= 50
    assert len({c.name for c in cases}) == len(cases)
    assert len({c.method.split(".")[0] for c in cases}) >= 10
    assert {c.tight for c in cases} == TIGHT
    assert all(c.source for c in cases)
    assert sum(c.tight == "theorem" for c in cases) >= 40


@pytest.mark.parametrize(
    ("name", "known"),
    [
        ("gradient_descent(L=3, gamma=1/3, n=4)", Fraction(1, 6)),
        ("subgradient_method(M=2, n=3, gamma=1/4)", Fraction(1)),
        ("gradient_flow_strongly_convex(mu=1/10)", Fraction(-1, 5)),
        ("proximal_point(alpha=2, n=2)", Fraction(1, 4)),
    ],
)
def test_exact_parameters_give_exact_problems(name, known):
    model, value = battery.model(case(name))
    assert value == known
    assert battery.tolerance(model, value) == 0


@pytest.mark.parametrize("name", ["conjugate_gradient(L=1, n=2)", "triple_momentum(mu=1/4, L=1, n=2)"])
def test_rounded_problems_have_a_tolerance(name):
    model, value = battery.model(case(name))
    assert 0 < battery.tolerance(model, value) <= Fraction(1, 10**12)


def test_nothing_is_solved_while_a_problem_is_read_and_PEPit_is_as_before():
    original = PEPit.PEP.solve
    first = battery.model(case("proximal_point(alpha=2, n=4)"))
    with pytest.raises(TypeError, match="unexpected keyword"):
        battery.model(Case("fixed_point_problems.halpern_iteration", {"steps": 3}, "", "theorem"))
    assert PEPit.PEP.solve is original
    assert battery.model(case("proximal_point(alpha=2, n=4)")) == first


# --- The battery


def test_no_bound_is_false(rows):
    assert [r for r in rows if r.false] == []


def test_every_certificate_passes_its_own_check(rows):
    assert all(r.checked for r in rows if r.upper is not None)


def test_every_refusal_is_explained(rows):
    for r in rows:
        assert (r.upper is None) == bool(r.reason)
        assert "\n" not in r.reason
        # Every rate here is finite and attained: these would be false explanations.
        assert "unbounded" not in r.reason and "no instance" not in r.reason, r


@pytest.mark.parametrize(("solver", "share"), [("CLARABEL", 0.9), ("SCS", 0.85)])
def test_nearly_all_rates_are_certified(rows, tried, solver, share):
    mine = [r for r in rows if r.solver == solver]
    assert len(mine) == len(tried)
    assert sum(r.sharp for r in mine) >= share * len(mine)


def test_nearly_all_rates_are_attained_by_an_exact_instance(rows):
    mine = [r for r in rows if r.solver == "CLARABEL"]
    assert sum(r.shortfall is not None and abs(r.shortfall) <= 1e-5 for r in mine) >= 0.9 * len(mine)


def test_no_instance_exceeds_a_rate(rows):
    assert [r for r in rows if r.lower is not None and r.lower > r.known + r.tolerance] == []


def test_a_row_is_false_when_it_undercuts_a_rate_or_an_instance():
    row = Row(case(FEW[0]), "CLARABEL", Fraction(1, 4), Fraction(0), None, Fraction(1, 4), True, "", 0.0)
    assert not row.false and row.slack == 0 and row.sharp
    below = Fraction(1, 4) - Fraction(1, 10**40)
    assert replace(row, upper=below).false
    assert not replace(row, upper=below, tolerance=Fraction(1, 10**12)).false
    assert replace(row, upper=below, tolerance=Fraction(1, 10**12), lower=Fraction(1, 4)).false
    assert replace(row, checked=False).false
    assert not replace(row, upper=None, checked=False, reason="no").false
    assert not replace(row, upper=Fraction(1, 2)).sharp


# --- Planted errors


LIES = {
    "noise": lambda x, rng: x + 1e-3 * rng.standard_normal(x.shape),
    "large noise": lambda x, rng: x + rng.standard_normal(x.shape),
    "too small": lambda x, rng: 0.9 * x,
    "zero": lambda x, rng: 0 * x,
    "negative": lambda x, rng: -x,
    "shuffled": lambda x, rng: rng.permutation(x),
    "huge": lambda x, rng: 1e12 * x,
    "not a number": lambda x, rng: np.full_like(x, np.nan),
    "infinite": lambda x, rng: np.full_like(x, np.inf),
}


def lying(solver: type, lie: str):
    """A solver that changes the answer of the true one, primal and dual, and claims success."""
    rng = np.random.default_rng(7)

    def change(x):
        return LIES[lie](np.array(x), rng)

    class Liar:
        def __init__(self, *data, **options):
            self.true = solver(*data, **options)

        def solve(self, *start, **options):
            answer = self.true.solve(*start, **options)
            if isinstance(answer, dict):
                info = {**answer["info"], "status": "solved", "status_val": 1}
                return {"x": change(answer["x"]), "y": change(answer["y"]), "s": change(answer["s"]), "info": info}
            x, z, s = change(answer.x), change(answer.z), change(answer.s)
            rest = {"obj_val": 0.0, "obj_val_dual": 0.0, "solve_time": 0.0, "iterations": 1}
            return SimpleNamespace(x=x, z=z, s=s, status=clarabel.SolverStatus.Solved, **rest)

    return Liar


@pytest.mark.sweep(42)
@pytest.mark.parametrize("name", FEW)
@pytest.mark.parametrize("solver", battery.SOLVERS)
@pytest.mark.parametrize("lie", LIES)
def test_a_wrong_solver_is_never_believed(monkeypatch, lie, solver, name):
    monkeypatch.setattr(clarabel, "DefaultSolver", lying(clarabel.DefaultSolver, lie))
    monkeypatch.setattr(scs, "SCS", lying(scs.SCS, lie))
    (row,) = battery.measure(case(name), solvers=[solver])
    assert not row.false
    assert row.upper is not None or row.reason


@pytest.mark.parametrize("name", FEW)
def test_a_changed_certificate_proves_nothing_below_the_rate(certificates, name):
    model, known = battery.model(case(name))
    tolerance = battery.tolerance(model, known)
    rng = Random(name)
    true = certificates[name]
    assert true.check(model)
    for wrong in changed(true, known, rng):
        assert not wrong.check(model) or wrong.upper >= known - tolerance


def changed(true: Certificate, known: Fraction, rng: Random):
    """Certificates with one thing changed, a little or much; each claims less than the true one or is no proof."""
    for less in (Fraction(1, 10**60), Fraction(1, 10**12), Fraction(1, 10)):
        yield replace(true, upper=known - less)
        yield replace(true, upper=true.upper - less)
    for _ in range(20):
        multipliers = list(true.multipliers)
        i = rng.randrange(len(multipliers))
        multipliers[i] *= rng.choice([0, -1, Fraction(1, 2), 2, 1 - Fraction(1, 2**60), 1 + Fraction(1, 2**60)])
        yield replace(true, multipliers=tuple(multipliers), upper=rng.choice([true.upper, known - Fraction(1, 10**6)]))
    yield replace(
        true, weights=tuple(w * Fraction(99, 100) for w in true.weights), upper=true.upper * Fraction(99, 100)
    )
    for k, c in enumerate(true.model.conditions):
        stronger = replace(c, form=replace(c.form, constant=c.form.constant + Fraction(1, 1000)))
        conditions = (*true.model.conditions[:k], stronger, *true.model.conditions[k + 1 :])
        shift = true.multipliers[k] / 1000
        yield replace(true, model=replace(true.model, conditions=conditions), upper=true.upper - shift)


# --- Problems without a finite worst case


def test_a_bound_without_a_reason_to_be_finite_is_refused():
    problem = PEPit.PEP()
    function = problem.declare_function(PEPit.functions.SmoothConvexFunction, L=1)
    start, best = problem.set_initial_point(), function.stationary_point()
    problem.set_performance_metric(function(start - function.gradient(start)) - function(best))
    for solver in battery.SOLVERS:
        answer = certify(problem, solver=solver)
        assert isinstance(answer, Refusal) and answer.reason


HALPERN = Case("fixed_point_problems.halpern_iteration", {"n": 4}, "Lieder 2021, Theorem 2.1", "theorem")
TRIPLE = Case("unconstrained_convex_minimization.triple_momentum", {"mu": exact("1/10"), "L": exact(1), "n": 4}, "", "")
SAGA = Case("stochastic_and_randomized_convex_minimization.saga", {"L": exact(1), "mu": exact("1/10"), "n": 2}, "", "")


@pytest.mark.parametrize("solver", battery.SOLVERS)
@pytest.mark.parametrize("rounded", [HALPERN, TRIPLE, SAGA])
def test_a_rate_that_rounding_destroys_is_refused(rounded, solver):
    (row,) = battery.measure(rounded, solvers=[solver])
    assert row.upper is None and row.reason


def test_halpern_with_rounded_weights_has_no_rate():
    # The weights of x0 and A(x) do not sum to one, so a fixed point far from the origin is missed.
    centre = Fraction(10) ** 20
    start = x = centre + 1
    for i in range(4):
        x = Fraction(1 / (i + 2)) * start + Fraction(1 - 1 / (i + 2)) * (2 * centre - x)
    assert (start - centre) ** 2 <= 1
    assert (x - (2 * centre - x)) ** 2 > 10**6 > battery.model(HALPERN)[1]
