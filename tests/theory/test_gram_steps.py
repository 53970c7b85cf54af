"""Steps of proofs from the literature and their false twins, decided without given multipliers."""

import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import pytest
import sympy as sp
from test_gram import proved, refuted

from rateproof.theory.gram import Open, Proved, Refuted, decide, dot, norm2, sdp, smooth, vectors
from rateproof.theory.gram.forms import read
from rateproof.theory.gram.multipliers import remainder
from rateproof.theory.gram.reduction import reduced
from rateproof.theory.gram.terms import units

_SPEC = spec_from_file_location("gram_steps", Path(__file__).parents[2] / "benchmarks" / "gram_steps.py")
gram_steps = sys.modules["gram_steps"] = module_from_spec(_SPEC)  # benchmarks are not installed
_SPEC.loader.exec_module(gram_steps)
STEPS = {step.name: step for step in gram_steps.STEPS}

# left open: a narrow strip of weights, no finite multiplier at delta = 1, irrational vectors
OPEN = {
    "error_feedback.memory_bounded",
    "compressor.alignment_sharp",
    "sampling.two_of_N (twin)",
}

q = sp.Rational
x, y, z, n, g, e = vectors("x y z n g e")
rho, L, mu, gamma, sigma, a, b = sp.symbols("rho L mu gamma sigma a b", positive=True)
f, f_next = sp.symbols("f f_next", real=True)


def decided(name):
    step = STEPS[name]
    return decide(step.goal, given=step.given, assuming=step.when)


def test_the_table_is_complete():
    assert len(STEPS) == len(gram_steps.STEPS) >= 160
    assert all(f"{name} (twin)" in STEPS for name, step in STEPS.items() if step.holds)
    assert set(STEPS) >= OPEN


@pytest.mark.sweep(24)
@pytest.mark.parametrize("name", sorted(STEPS))
def test_steps_of_the_literature(name):
    result = decided(name)
    rightly = Proved if STEPS[name].holds else Refuted
    assert isinstance(result, rightly) or (name in OPEN and isinstance(result, Open)), f"{name}: {result}"


@pytest.mark.parametrize("name", ["storm.from_changes", "minkowski.two", "cauchy_schwarz.squared_norms"])
def test_multipliers_with_parameters_and_roots(name):
    assert isinstance(decided(name), Proved)
    assert isinstance(decided(f"{name} (twin)"), Refuted)


@pytest.mark.parametrize("name", sorted(name for name in OPEN if STEPS[name].holds))
def test_open_steps_are_true_at_samples(name):
    step = STEPS[name]
    problem = read(step.goal, step.given, step.when, None)
    for sample in problem.domain.interior(4):
        point = {p: sp.Rational(str(round(sample[p], 3))) for p in problem.domain.parameters}
        assert sdp.violating_gram(problem.at(problem.domain.complete(point))) is None


@pytest.mark.parametrize("numbers", [{mu: 1, L: 1, gamma: q(1, 4)}, {mu: q(1, 3), L: 1, gamma: q(1, 5)}])
def test_the_step_of_local_sgd_at_numbers(numbers):
    """What holds for all parameters is proved at numbers, at the largest stepsize too, and so is its twin refuted."""
    for name, found in {"sgd.perturbed_iterate": proved, "sgd.perturbed_iterate (twin)": refuted}.items():
        given = [r.xreplace(numbers) for known in STEPS[name].given for r in getattr(known, "relations", (known,))]
        found(STEPS[name].goal.xreplace(numbers), given=given)


def test_a_search_that_was_ended_says_so():
    step = STEPS["local.drift_smooth"]
    found = decide(step.goal, given=step.given, assuming=step.when, seconds=0)
    assert isinstance(found, Open) and str(found).startswith("the search was ended")


def test_what_is_not_decided_does_not_read_like_a_violation():
    found = decided("compressor.alignment_sharp")
    assert isinstance(found, Open) and str(found).startswith("no multipliers were found")


def test_what_vanishes_is_orthogonal_to_everything():
    """No finite multiple of ||x||^2 <= 0 proves it; the twin has a vector that does not vanish."""
    proved(dot(x, y) <= 0, given=[norm2(x) <= 0])
    proved(dot(x, z) <= dot(y, z), given=[sp.Eq(norm2(x - y), 0)])
    proved(norm2(x) <= norm2(z), given=[norm2(x - y) + norm2(y - z) <= 0])
    refuted(dot(x, z) <= dot(y, z), given=[norm2(x - y) <= 1])
    refuted(dot(x, z) <= dot(y, z), given=[norm2(x - y) <= norm2(x)])
    proved(dot(x, y) <= 0, given=[rho * norm2(x) <= 0])
    t = sp.Symbol("t", nonnegative=True)
    refuted(dot(x, y) <= 0, given=[t * norm2(x) <= 0])  # at t = 0 nothing vanishes


def test_equations_do_not_hide_multipliers():
    """Orthogonality of things that play no part changes nothing."""
    known = [norm2(n) <= sigma**2, *(sp.Eq(dot(n, v), 0, evaluate=False) for v in (g, x, y, z))]
    goal = norm2((1 - rho) * g + rho * n) <= (1 - rho) ** 2 * norm2(g) + rho**2 * sigma**2
    proved(goal, given=known)
    refuted(goal, given=known[:1])
    refuted(goal, given=[norm2(n) <= 2 * sigma**2, *known[1:]])


def test_free_entries_are_paid_for_by_their_equations():
    """Multipliers of the smaller problem, lifted, leave nothing at the entries that the equations made free."""
    given = [sp.Eq(dot(x - y, y), 0, evaluate=False), sp.Eq(norm2(z - rho * x), 0), norm2(x) <= sigma**2]
    problem = read(norm2(x - y) + dot(z, y) <= (1 + rho) * sigma**2, given, [], None)
    reduction = reduced(problem, problem.domain.complete(problem.domain.samples()[0]))
    assert len(reduction.problem.names) == 2 and len(reduction.problem.premises) == 1
    rest = remainder(reduction.whole, reduction.lift([1 + rho]))
    change = sp.Matrix(reduction.change)
    matrix = (change.T * sp.Matrix(rest.matrix) * change).applyfunc(sp.cancel)
    assert all(matrix[i, j] == 0 for i, j in reduction.spent.values())


def test_units_scale_a_step():
    """Of STORM's step, sigma and the Lipschitz constant are units, the multipliers depend on rho alone."""
    step = STEPS["storm.error"]
    found = units(read(step.goal, step.given, step.when, None))
    assert sorted(map(str, found.weights)) == ["L", "sigma"]
    x_next = x - gamma * (g + n)
    found = units(read(f_next <= f, [smooth(L, (x, g, f), (x_next, None, f_next))], [gamma * L <= 1], None))
    assert found.invariant(gamma) in (gamma * L, sp.S.One)


def test_values_with_a_sign_are_taken_up():
    """A nonnegative scalar that enters linearly is paid for like a function value; at the wrong share it is not."""
    gap, D = sp.symbols("gap D", nonnegative=True)
    given = [norm2(g) <= 2 * L * gap + D, dot(g, x) >= gap]
    step = norm2(x - gamma * g) <= norm2(x) + gamma**2 * D
    proved(step, given=given, assuming=[gamma * L <= 1])
    refuted(step, given=given, assuming=[gamma * L <= 2])
